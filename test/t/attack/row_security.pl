# Attacks by row security: with policies that depend on who asks, on settings that she chooses, on tables that she
# writes, and on rows of the one person who is there or not; and with policies that change while she asks.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $admin = <<'SQL';
CREATE TABLE clinic.shared (id int PRIMARY KEY, usr text, team text, age int, note text);
CREATE TABLE clinic.entries (entry int PRIMARY KEY, person int NOT NULL REFERENCES clinic.shared, kind text, amount int);
CREATE TABLE clinic.lines (line int PRIMARY KEY, entry int NOT NULL REFERENCES clinic.entries, n int);
CREATE TABLE clinic.members (team text, usr text, PRIMARY KEY (team, usr));
INSERT INTO clinic.shared SELECT i, CASE i % 3 WHEN 0 THEN 'ann' WHEN 1 THEN 'bob' ELSE 'eve' END, 'team ' || i % 4, i % 90, 'cnry note ' || i
	FROM generate_series(1, 3000) i;
INSERT INTO clinic.entries SELECT i, i % 3000 + 1, 'kind ' || i % 3, i % 50 FROM generate_series(1, 6000) i;
INSERT INTO clinic.lines SELECT i, i, i % 9 FROM generate_series(1, 6000) i;
INSERT INTO clinic.members VALUES ('team 0', 'ann'), ('team 1', 'ann'), ('team 2', 'bob');
GRANT SELECT ON clinic.members TO PUBLIC;
GRANT USAGE ON SCHEMA ann TO olga;
CREATE FUNCTION clinic.uid() RETURNS text STABLE LANGUAGE sql AS
	$$SELECT nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'$$;
CREATE VIEW clinic.of_owner AS SELECT id, usr, team, age FROM clinic.shared WHERE age < 60;
CREATE VIEW clinic.of_asker WITH (security_invoker) AS SELECT id, usr, team, age FROM clinic.shared WHERE age < 60;
CREATE FUNCTION clinic.turn(condition text) RETURNS int VOLATILE SECURITY DEFINER SET search_path = clinic, pg_temp LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'ALTER POLICY mine ON clinic.shared USING (' || condition || ')';
	RETURN 1;
END $$;
CREATE FUNCTION clinic.switch(what text) RETURNS int VOLATILE SECURITY DEFINER SET search_path = clinic, pg_temp LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'ALTER TABLE clinic.shared ' || what || ' ROW LEVEL SECURITY';
	RETURN 1;
END $$;
ALTER TABLE clinic.shared OWNER TO olga;
ALTER TABLE clinic.entries OWNER TO olga;
ALTER TABLE clinic.lines OWNER TO olga;
ALTER TABLE clinic.members OWNER TO olga;
ALTER VIEW clinic.of_owner OWNER TO olga;
ALTER VIEW clinic.of_asker OWNER TO olga;
ALTER FUNCTION clinic.turn OWNER TO olga;
ALTER FUNCTION clinic.switch OWNER TO olga;
CREATE FUNCTION clinic.change(what text) RETURNS int VOLATILE SECURITY DEFINER SET search_path = clinic, pg_temp LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE what;
	RETURN 1;
END $$;
ALTER FUNCTION clinic.change OWNER TO olga;
SELECT dp_agg.protect('clinic.shared', 'id'), dp_agg.protect('clinic.entries', 'person', max_rows => 4, max_groups => 3);
SELECT dp_agg.protect('clinic.lines', 'entry', through => 'clinic.entries', max_rows => 4, max_groups => 3),
	dp_agg.set_domain('clinic.shared', 'age', 0, 100), dp_agg.set_domain('clinic.entries', 'amount', 0, 100);
ALTER TABLE clinic.shared ENABLE ROW LEVEL SECURITY;
ALTER TABLE clinic.entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON clinic.shared USING (usr = current_user OR EXISTS (SELECT FROM clinic.members m WHERE m.team = shared.team AND m.usr = clinic.uid()));
CREATE POLICY grown ON clinic.shared AS RESTRICTIVE USING (100 / (age - 17) > 0);
CREATE POLICY seen ON clinic.entries USING (EXISTS (SELECT FROM clinic.shared s WHERE s.id = entries.person AND s.age > 3));
SQL

# Everybody's view of somebody; and one whose values make the policies fail, with most of the rows.
my %person = (
	somebody => <<'SQL',
INSERT INTO clinic.shared VALUES (5000, 'ann', 'team 0', 33, 'cnry note');
INSERT INTO clinic.entries SELECT 7000 + i, 5000, 'kind ' || i, 10 FROM generate_series(1, 3) i;
INSERT INTO clinic.lines SELECT 7000 + i, 7000 + i, i FROM generate_series(1, 3) i;
SQL
	outlier => <<'SQL');
INSERT INTO clinic.shared VALUES (5000, 'ann', repeat('cnry team', 3000), 17, repeat('cnry note', 9000));
INSERT INTO clinic.entries SELECT 7000 + i, 5000, 'cnry kind ' || i, 2147483647 FROM generate_series(1, 20000) i;
INSERT INTO clinic.lines SELECT 7000 + i, 7000 + i, i FROM generate_series(1, 20000) i;
SQL
my $neighbours = new_neighbours('attack_row_security', admin => $admin, person => \%person);

$neighbours->attack(<<'ATTACKS');
@ wherever the table stands | 9 |
SET dp_agg.max_join_rows = 10;
SELECT dp_count(*), dp_sum(age, 0, 100) FROM shared;
SELECT kind, dp_count(*) FROM entries GROUP BY kind;
SELECT dp_count(*) FROM lines;
SELECT dp_count(*) FROM lines JOIN entries USING (entry) JOIN shared ON id = person;
SELECT dp_count(*), dp_count(s.id) FROM entries e LEFT JOIN shared s ON s.id = e.person;
SELECT dp_count(*) FROM shared s WHERE s.id NOT IN (SELECT e.person FROM entries e WHERE amount > 20);
SELECT dp_sum(n, 0, 4) FROM (SELECT person, count(*) AS n FROM entries GROUP BY person) x;
SELECT dp_count(*) FROM (SELECT id FROM shared UNION ALL SELECT person FROM entries) x;
SELECT sum(count) AS noisy FROM dp_histogram('shared', 'age', 0, 100, 4);
RESET dp_agg.max_join_rows;
@ the row that a policy is true of, or fails on | 3 |
SELECT dp_count(*) FROM shared WHERE id = 5000;
SELECT dp_count(*) FROM shared WHERE age = 17;
SELECT dp_count(*) FROM shared WHERE length(team) > 100;
@ whoever she says she is | 4 | 22P02
SET request.jwt.claims = '{"sub": "ann"}';
SELECT dp_count(*) FROM shared;
SET request.jwt.claims = '{"sub": "bob"}';
SELECT dp_count(*) FROM shared;
SET request.jwt.claims = '{"sub": ["nobody"]}';
SELECT dp_count(*) FROM shared;
SET request.jwt.claims = '';
SELECT dp_count(*) FROM shared;
SET request.jwt.claims = 'nothing of the kind';
SELECT dp_count(*) FROM shared;
RESET request.jwt.claims;
@ raw rows, leaky functions below a policy | 0 | 42501 42501 42501 0A000 42501
CREATE FUNCTION look(text) RETURNS bool IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'seen %', $1; RETURN true; END $$;
SELECT * FROM shared WHERE look(note);
SELECT * FROM of_owner WHERE look(usr);
SELECT * FROM of_asker WHERE look(usr);
SELECT count(*) FROM (SELECT 1 FROM shared WHERE look(note) FOR UPDATE) x;
UPDATE shared SET age = 1 WHERE look(note);
@ functions of hers over rows that a policy chooses | 0 | 0A000 0A000
CREATE OR REPLACE FUNCTION look(text) RETURNS bool IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'seen %', $1; RETURN true; END $$;
SELECT dp_count(*) FROM shared WHERE look(note);
SELECT dp_count(*) FROM of_owner WHERE look(usr);
@ views of both kinds | 4 |
SELECT dp_count(*) FROM of_owner;
SELECT dp_count(*) FROM of_asker;
SELECT dp_count(*) FROM of_owner o JOIN of_asker a USING (id);
SELECT dp_count(*) FROM of_owner o LEFT JOIN shared s USING (id) WHERE s.id IS NULL;
@ row security switched off | 0 | 42501 42501
SET row_security = off;
SELECT dp_count(*) FROM shared;
SELECT dp_count(*) FROM of_asker;
RESET row_security;
@ columns of tables alone | 0 | 0A000 0A000 0A000
SELECT dp_count(ctid) FROM shared;
SELECT dp_count(*) FROM shared WHERE tableoid > 0;
SELECT dp_count(*) FROM shared TABLESAMPLE SYSTEM (50);
@ policies of hers | 0 | 42501 42501 42501
CREATE POLICY hers ON shared USING (true);
ALTER POLICY mine ON shared USING (true);
ALTER TABLE shared DISABLE ROW LEVEL SECURITY;
@ a policy that changes before a cursor's first row | 0 | 55000
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM shared;
SELECT turn('age > 30');
FETCH c;
ROLLBACK;
@ one that calls a function of hers, from then on | 0 | 55000
BEGIN;
CREATE OR REPLACE FUNCTION ann.look(int) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'seen %', $1; RETURN true; END $$;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM shared;
SELECT turn('ann.look(id)');
FETCH c;
ROLLBACK;
@ the same before it is planned | 0 | 0A000
BEGIN;
CREATE OR REPLACE FUNCTION ann.look(int) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'seen %', $1; RETURN true; END $$;
SELECT turn('ann.look(id)');
SELECT dp_count(*) FROM shared;
ROLLBACK;
@ row security that comes, and goes, before the first row | 0 | 55000 0A000
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM shared;
SELECT switch('DISABLE');
FETCH c;
ROLLBACK;
BEGIN;
SELECT switch('DISABLE');
DECLARE c CURSOR FOR SELECT dp_count(*) FROM shared;
SELECT switch('ENABLE');
FETCH c;
ROLLBACK;
@ what is read before the charge changes the policy | 0 | 55000
BEGIN;
SELECT dp_count(*) FROM shared WHERE age >= (SELECT turn('true'));
ROLLBACK;
@ code that planning runs changes the table that has policies | 0 | 55000 42P01 55000
BEGIN;
CREATE OR REPLACE FUNCTION ann.deed() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN clinic.change(current_setting('ann.what')); END $$;
CREATE OR REPLACE FUNCTION ann.shows(int) RETURNS TABLE (x int) IMMUTABLE LANGUAGE sql AS 'SELECT $1';
SAVEPOINT s;
SET ann.what = 'ALTER TABLE clinic.shared ALTER note TYPE int USING 7';
SELECT dp_count(note || 'x') FROM shared, shows(deed()) WHERE age > x;
ROLLBACK TO s;
SET ann.what = 'DROP TABLE clinic.shared CASCADE';
SELECT dp_count(*) FROM shared, shows(deed()) WHERE age > x;
ROLLBACK TO s;
SET ann.what = 'ALTER TABLE clinic.shared DROP note';
SELECT dp_count(note) FROM shared, shows(deed()) WHERE age > x;
ROLLBACK;
@ and its policies | 1 |
BEGIN;
CREATE OR REPLACE FUNCTION ann.deed() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN clinic.change(current_setting('ann.what')); END $$;
CREATE OR REPLACE FUNCTION ann.shows(int) RETURNS TABLE (x int) IMMUTABLE LANGUAGE sql AS 'SELECT $1';
SET ann.what = 'ALTER POLICY mine ON clinic.shared USING (age > 50)';
SELECT dp_count(*) FROM shared, shows(deed()) WHERE age > x;
ROLLBACK;
@ rows of others in a policy | 0 | 0A000 0A000
BEGIN;
SELECT turn('EXISTS (SELECT FROM clinic.visits v WHERE v.person > shared.age)');
SAVEPOINT s;
SELECT dp_count(*) FROM shared;
ROLLBACK TO s;
SELECT turn('age > (SELECT avg(v.minutes) FROM clinic.visits v)');
SAVEPOINT s;
SELECT dp_count(*) FROM shared;
ROLLBACK;
@ a table of hers in a policy | 1 |
BEGIN;
CREATE TABLE ann.chosen (team text, usr text);
INSERT INTO ann.chosen SELECT 'team ' || i, 'ann' FROM generate_series(0, 3) i, generate_series(1, 50) j;
GRANT SELECT ON ann.chosen TO olga;
SELECT turn('EXISTS (SELECT FROM ann.chosen c WHERE c.team = shared.team)');
SELECT dp_count(*) FROM shared;
ROLLBACK;
ATTACKS

# Who asks is who the statement was begun by; team has a budget, too, and no rows of its own.
$neighbours->attack(<<'ATTACKS');
@ another role within a cursor | 1 |
> bob
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM shared;
SET ROLE team;
FETCH c;
ROLLBACK;
@ another role within a prepared statement | 2 |
> bob
PREPARE p AS SELECT dp_count(*) FROM shared;
EXECUTE p;
SET ROLE team;
EXECUTE p;
RESET ROLE;
DEALLOCATE p;
ATTACKS
$neighbours->finish;
