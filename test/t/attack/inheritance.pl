# Attacks on tables that are read with their inheritance children, where all rows of the one person are in children:
# by what is shown of these, by rows that a parent's key, NOT NULL or condition does not keep out, and by children that
# come, go or change hands between the check of a block and the reading of its rows.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

# Changes fill WAL files, and other sessions are told of them at any time.
$AttackTest::pass_over = qr/creating and filling new WAL file/;
$AttackTest::messages = 'debug3';

# "stays" has three generations.  "single" has one row of each person by a key; of "heirs", which may become its child, most are
# of one person.  What olga and a superuser may do to them ann has done by calling change() and change_all().
my $admin = <<'SQL';
CREATE TABLE clinic.stays (gone int, stay int PRIMARY KEY, person int NOT NULL, ward text, days int, note text);
CREATE TABLE clinic.stays_old (more text DEFAULT 'cnry more') INHERITS (clinic.stays);
CREATE TABLE clinic.stays_oldest () INHERITS (clinic.stays_old);
CREATE TABLE clinic.stays_empty () INHERITS (clinic.stays);
CREATE TABLE clinic.stays_moved (note text, days int, lost int, ward text, person int NOT NULL, stay int NOT NULL);
ALTER TABLE clinic.stays DROP gone;
ALTER TABLE clinic.stays_moved DROP lost;
ALTER TABLE clinic.stays_moved INHERIT clinic.stays;
CREATE INDEX ON clinic.stays_old (person);
CREATE INDEX ON clinic.stays_moved (days);
INSERT INTO clinic.stays SELECT i, i % 900 + 1, 'ward ' || i % 3, i % 20, 'cnry note ' || i FROM generate_series(1, 1000) i;
INSERT INTO clinic.stays_old SELECT i, i % 900 + 1, 'ward ' || i % 3, i % 20, 'cnry note ' || i FROM generate_series(1, 1000) i;
INSERT INTO clinic.stays_oldest SELECT i, i % 900 + 1, 'ward ' || i % 3, i % 20, 'cnry note ' || i FROM generate_series(1, 1000) i;
INSERT INTO clinic.stays_moved (stay, person, ward, days, note) SELECT i, i % 900 + 1, 'ward ' || i % 3, i % 20, 'cnry note ' || i FROM generate_series(1, 1000) i;
CREATE TABLE clinic.single (person int PRIMARY KEY, day int);
CREATE TABLE clinic.heirs (person int NOT NULL, day int);
INSERT INTO clinic.single SELECT i, i % 50 FROM generate_series(1, 3000) i;
INSERT INTO clinic.heirs SELECT i, i % 50 FROM generate_series(1, 300) i;
CREATE TABLE clinic.notes (note int PRIMARY KEY, person int NOT NULL REFERENCES clinic.single, kind int);
CREATE TABLE clinic.more_notes (note int NOT NULL, person int NOT NULL, kind int);
INSERT INTO clinic.notes SELECT i, i, i % 5 FROM generate_series(1, 3000) i;
INSERT INTO clinic.more_notes SELECT i, i, i % 5 FROM generate_series(1, 300) i;
CREATE FUNCTION clinic.change(what text) RETURNS int VOLATILE SECURITY DEFINER SET search_path = clinic, pg_temp SET client_min_messages = warning LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE what;
	RETURN 1;
END $$;
CREATE FUNCTION clinic.change_all(what text) RETURNS int VOLATILE SECURITY DEFINER SET search_path = clinic, pg_temp SET client_min_messages = error LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE what;
	RETURN 1;
END $$;
ALTER TABLE clinic.stays OWNER TO olga;
ALTER TABLE clinic.stays_old OWNER TO olga;
ALTER TABLE clinic.stays_oldest OWNER TO olga;
ALTER TABLE clinic.stays_empty OWNER TO olga;
ALTER TABLE clinic.stays_moved OWNER TO olga;
ALTER TABLE clinic.single OWNER TO olga;
ALTER TABLE clinic.heirs OWNER TO olga;
ALTER TABLE clinic.notes OWNER TO olga;
ALTER TABLE clinic.more_notes OWNER TO olga;
ALTER FUNCTION clinic.change OWNER TO olga;
SELECT dp_agg.protect('clinic.stays', 'person', max_rows => 6, max_groups => 3), dp_agg.protect('clinic.single', 'person'), dp_agg.protect('clinic.notes', 'person', through => 'clinic.single');
SELECT dp_agg.set_domain('clinic.stays', 'days', 0, 30), dp_agg.set_domain('clinic.single', 'day', 0, 60);
CREATE VIEW clinic.members AS SELECT c.oid, c.oid::regclass::text AS name FROM pg_class c LEFT JOIN pg_class t ON t.reltoastrelid = c.oid LEFT JOIN pg_index i ON i.indexrelid = c.oid
	LEFT JOIN pg_class o ON o.oid = i.indrelid WHERE coalesce(t.relname, o.relname, c.relname) ~ '^(stays|single|heirs)' AND c.relname !~ '^pg_toast';
GRANT SELECT ON clinic.members TO PUBLIC;
SQL

my $analyst = <<'SQL';
CREATE FUNCTION deed() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
DECLARE
	what text := nullif(current_setting('ann.what', true), '');
BEGIN
	IF what IS NOT NULL THEN
		PERFORM set_config('ann.what', '', false), clinic.change_all(what);
	END IF;
	RETURN 1;
END $$;
CREATE FUNCTION shows(int) RETURNS TABLE (x int) IMMUTABLE LANGUAGE sql AS 'SELECT $1';
SQL

my %person = (
	somebody => <<'SQL',
INSERT INTO clinic.stays_oldest SELECT 5000 + i, 5000, 'ward 1', 3, 'cnry note' FROM generate_series(1, 3) i;
INSERT INTO clinic.stays_moved (stay, person, ward, days, note) VALUES (5000, 5000, 'ward 2', 4, 'cnry note');
INSERT INTO clinic.heirs VALUES (5000, 3);
INSERT INTO clinic.more_notes VALUES (5000, 5000, 1);
SQL
	outlier => <<'SQL');
INSERT INTO clinic.stays_oldest SELECT 1 + i % 7, 5000, 'cnry ward ' || i % 500, 2147483647, repeat('cnry note', i % 9) FROM generate_series(1, 20000) i;
INSERT INTO clinic.stays_moved (stay, person, ward, days, note) SELECT i, 5000, 'ward 1', 0, (SELECT string_agg('cnry' || j, '%') FROM generate_series(1, 2000) j) FROM generate_series(1, 900) i;
INSERT INTO clinic.heirs SELECT 5000, i FROM generate_series(1, 20000) i;
INSERT INTO clinic.more_notes SELECT 5000, 5000, i FROM generate_series(1, 20000) i;
SQL
my $neighbours = new_neighbours('attack_inheritance', admin => $admin, analyst => $analyst, person => \%person);

$neighbours->attack(<<'ATTACKS');
@ wherever the rows of children are read | 14 |
SET dp_agg.max_join_rows = 10;
SELECT dp_count(*), dp_sum(days, 0, 30) FROM stays;
SELECT dp_count(*) FROM ONLY stays;
SELECT ward, dp_count(*) FROM stays GROUP BY ward;
SELECT dp_count(DISTINCT person), dp_avg(days, 0, 30), dp_median(days, 0, 30) FROM stays;
SELECT dp_count(*) FROM stays a JOIN stays b ON a.person = b.person AND a.days < b.days;
SELECT dp_count(*) FROM people p LEFT JOIN stays s ON s.person = p.id;
SELECT dp_count(*) FROM people p WHERE p.id IN (SELECT s.person FROM stays s WHERE days > 10);
SELECT dp_count(*) FROM people p WHERE NOT EXISTS (SELECT FROM ONLY stays s WHERE s.person = p.id);
SELECT dp_sum(n, 0, 4) FROM (SELECT person, count(*) AS n FROM stays GROUP BY person) x;
SELECT dp_count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY days) AS n FROM stays) x WHERE n = 1;
SELECT dp_count(*) FROM (SELECT person FROM stays UNION SELECT id FROM people) x;
SELECT sum(count) AS noisy FROM dp_histogram('stays', 'days', 0, 30, 3);
SELECT dp_count(*) FROM stays WHERE 100 / days > 3;
SELECT dp_count(*) FROM stays WHERE length(note) > 1000;
RESET dp_agg.max_join_rows;
@ the same in parallel, by indexes, and short of memory | 4 |
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT dp_count(*), dp_sum(days, 0, 30) FROM stays;
SET work_mem = '64kB';
SELECT ward, dp_count(*) FROM stays GROUP BY ward;
RESET ALL;
SET enable_seqscan = off;
SELECT dp_count(*) FROM stays WHERE person = 5000;
SELECT dp_count(*) FROM stays WHERE days > 1000;
RESET enable_seqscan;
@ children by themselves | 0 | 42501 42501 42501 0A000 42501 42501
SELECT dp_count(*) FROM stays_oldest;
SELECT count(*) FROM stays_moved;
SELECT * FROM stays_old;
SELECT dp_count(*) FROM people p JOIN stays_moved s ON s.person = p.id;
SELECT dp_count(*) FROM stays WHERE EXISTS (SELECT FROM stays_oldest o WHERE o.person = stays.person);
COPY stays_oldest TO STDOUT;
@ which child a row is in | 0 | 0A000 0A000 0A000
SELECT dp_count(*) FROM stays WHERE tableoid = 'stays_oldest'::regclass;
SELECT tableoid::regclass, dp_count(*) FROM stays GROUP BY 1;
SELECT dp_count(*) FROM stays WHERE ctid = '(0,1)';
@ plans and prices | 0 |
EXPLAIN (VERBOSE) SELECT dp_count(*), dp_sum(days, 0, 30) FROM stays;
EXPLAIN SELECT ward, dp_count(*) FROM stays GROUP BY ward;
EXPLAIN SELECT dp_count(*) FROM ONLY stays;
SELECT * FROM dp_agg.price('SELECT dp_count(*) FROM stays WHERE person = 5000');
SELECT * FROM dp_agg.protected_tables ORDER BY relation::text;
SELECT * FROM dp_agg.protected_columns ORDER BY relation::text, "column";
@ what is locked | 1 |
BEGIN;
SELECT dp_count(*) FROM stays;
SELECT relation::regclass, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN (SELECT oid FROM members) ORDER BY 1, 2;
ROLLBACK;
@ counters of the transaction | 3 |
SELECT pg_stat_force_next_flush();
BEGIN;
SELECT dp_count(*) FROM stays;
SELECT ward, dp_count(*) FROM stays GROUP BY ward;
SELECT dp_count(*) FROM stays WHERE person = 5000;
SELECT name, pg_stat_get_xact_numscans(oid) AS scans, pg_stat_get_xact_tuples_returned(oid) AS returned, pg_stat_get_xact_tuples_fetched(oid) AS fetched,
	pg_stat_get_xact_blocks_fetched(oid) AS blocks, pg_stat_get_xact_blocks_hit(oid) AS hits FROM members ORDER BY name;
SELECT * FROM pg_stat_xact_all_tables WHERE relid IN (SELECT oid FROM members) ORDER BY relname;
COMMIT;
@ counters of the server | 2 |
SELECT dp_count(*) FROM stays;
SELECT ward, dp_count(*) FROM stays GROUP BY ward;
SELECT pg_stat_force_next_flush();
SELECT * FROM pg_stat_all_tables WHERE relid IN (SELECT oid FROM members) ORDER BY relname;
SELECT * FROM pg_statio_all_tables WHERE relid IN (SELECT oid FROM members) ORDER BY relname;
SELECT * FROM pg_stat_all_indexes WHERE relid IN (SELECT oid FROM members) ORDER BY indexrelname;
ATTACKS

# A child with many rows of one person becomes one of a table that has a row of each.  Were they not bounded, "boosted" would tell.
my $inherit = 'ALTER TABLE heirs INHERIT single';
my $boosted = 'SELECT dp_count(*) > 4000 AS boosted FROM single';
my $refused = '(?:55000|0A000|42809)';
$neighbours->attack(<<"ATTACKS");
@ a child that there was before | 3 |
BEGIN;
SELECT change('$inherit');
$boosted;
SELECT dp_sum(day, 0, 60) > 100000 AS boosted FROM single;
SELECT person % 2 AS k, dp_count(*) > 4000 AS boosted FROM single GROUP BY 1 ORDER BY 1;
ROLLBACK;
@ a child that comes between executions | 2 |
BEGIN;
PREPARE q AS $boosted;
EXECUTE q;
SELECT change('$inherit');
EXECUTE q;
DEALLOCATE q;
ROLLBACK;
@ one that comes between executions, planned for all | 3 |
BEGIN;
SET LOCAL plan_cache_mode = force_generic_plan;
PREPARE q AS $boosted;
EXECUTE q;
EXECUTE q;
SELECT change('$inherit');
EXECUTE q;
DEALLOCATE q;
ROLLBACK;
@ one that comes before a cursor's first row | 0 | $refused
BEGIN;
DECLARE c CURSOR FOR $boosted;
SELECT change('$inherit');
FETCH c;
ROLLBACK;
@ one that comes while the statement is planned | 0 | $refused
BEGIN;
SET ann.what = '$inherit';
SELECT deed(), boosted FROM ($boosted) s;
ROLLBACK;
@ one that comes while what is public is read | 0 | $refused
BEGIN;
$boosted WHERE day >= (SELECT change('$inherit'));
ROLLBACK;
@ one that comes after what is public was read, of a function that is put in its place | 1 |
BEGIN;
SET ann.what = '$inherit';
SELECT dp_count(*) > 4000 AS boosted FROM single, shows(deed()) WHERE day >= x;
ROLLBACK;
@ a child of a table that units are found through | 1 | $refused
BEGIN;
SELECT dp_count(*) > 4000 AS boosted FROM notes;
SELECT change('$inherit');
SELECT dp_count(*) > 4000 AS boosted FROM notes;
ROLLBACK;
@ a child of a table that finds its units so, before a cursor's first row | 0 | $refused
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) > 4000 AS boosted FROM notes;
SELECT change('ALTER TABLE more_notes INHERIT notes');
FETCH c;
ROLLBACK;
@ children of hers | 0 | 42501 42501 42501
CREATE TABLE hers () INHERITS (stays);
CREATE TABLE hers (stay int NOT NULL, person int NOT NULL, ward text, days int, note text);
ALTER TABLE hers INHERIT stays;
ALTER TABLE stays_old NO INHERIT stays;
DROP TABLE hers;
ATTACKS

# A child is no longer as it has to be: found by whoever asks after it, in the middle of a cursor or a statement too.
my %changes = (
	'another owner' => 'ALTER TABLE stays_moved OWNER TO eve',
	'row security' => 'ALTER TABLE stays_oldest ENABLE ROW LEVEL SECURITY',
	'a function of hers in an index' => q{CREATE FUNCTION ann.spies(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''seen %'', $1; RETURN 1; END';}
	  . ' ALTER FUNCTION ann.spies(int) OWNER TO ann; CREATE INDEX ON stays_empty (ann.spies(days))',
	'a second parent' => 'CREATE TABLE further (person int); ALTER TABLE stays_oldest INHERIT further',
	'a second parent without columns' => 'CREATE TABLE bare (); ALTER TABLE stays_oldest INHERIT bare',
	'a temporary child' => 'CREATE TEMP TABLE stays_temp () INHERITS (stays_old)');
for my $what (sort keys %changes)
{
	my $change = $changes{$what};
	my $quoted = $change =~ s/'/''/gr;
	$change = "change_all('$quoted')";
	$neighbours->attack(<<"ATTACKS");
\@ $what, from then on | 1 | 42809 42809
BEGIN;
SELECT dp_count(*) FROM stays;
SELECT $change;
SAVEPOINT s;
SELECT dp_count(*) FROM stays;
ROLLBACK TO s;
SELECT dp_count(*) FROM ONLY stays;
ROLLBACK;
\@ $what, between executions | 1 | 42809
BEGIN;
PREPARE q AS SELECT dp_count(*) FROM stays;
EXECUTE q;
SELECT $change;
EXECUTE q;
ROLLBACK;
DEALLOCATE q;
\@ $what, before a cursor's first row | 0 | $refused
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM stays;
SELECT $change;
FETCH c;
ROLLBACK;
\@ $what, while the statement is planned | 0 | $refused
BEGIN;
SET ann.what = '$quoted';
SELECT deed(), noisy FROM (SELECT dp_count(*) AS noisy FROM stays OFFSET 0) s;
ROLLBACK;
\@ $what, while what is public is read | 0 | $refused
BEGIN;
SELECT dp_count(*) FROM stays WHERE days >= (SELECT $change);
ROLLBACK;
ATTACKS
}

# A function of an index is given to her, or its owner is less than before, which changes neither table.
$neighbours->attack(<<"ATTACKS");
\@ a function that an index calls changes hands | 2 | 42809 $refused
BEGIN;
SELECT change_all('CREATE FUNCTION clinic.passed(int) RETURNS int IMMUTABLE LANGUAGE sql AS ''SELECT 1''; CREATE INDEX ON stays_empty (clinic.passed(days))');
PREPARE q AS SELECT dp_count(*) FROM stays;
EXECUTE q;
EXECUTE q;
SAVEPOINT s;
SELECT change_all('ALTER FUNCTION clinic.passed OWNER TO ann');
EXECUTE q;
ROLLBACK TO s;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM stays;
SELECT change_all('ALTER FUNCTION clinic.passed OWNER TO ann');
FETCH c;
ROLLBACK;
DEALLOCATE q;
\@ a function that an index calls is a superuser's no longer | 2 | 42809 $refused
BEGIN;
SELECT change_all('CREATE ROLE handy SUPERUSER; CREATE FUNCTION clinic.passed(int) RETURNS int IMMUTABLE LANGUAGE sql AS ''SELECT 1''; ALTER FUNCTION clinic.passed OWNER TO handy; CREATE INDEX ON stays_empty (clinic.passed(days))');
PREPARE q AS SELECT dp_count(*) FROM stays;
EXECUTE q;
EXECUTE q;
SAVEPOINT s;
SELECT change_all('ALTER ROLE handy NOSUPERUSER');
EXECUTE q;
ROLLBACK TO s;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM stays;
SELECT change_all('ALTER ROLE handy NOSUPERUSER');
FETCH c;
ROLLBACK;
DEALLOCATE q;
ATTACKS

# In another session, for which the opening's first lock waits.
$neighbours->attack(<<'ATTACKS');
@ another session gives a child away meanwhile | 0 | 42809
> admin
BEGIN;
LOCK TABLE clinic.stays;
> ann &
SELECT dp_count(*) FROM stays;
> admin
ALTER TABLE clinic.stays_moved OWNER TO eve;
COMMIT;
> ann
SELECT 'waited' AS told;
~ told\|waited
> admin
ALTER TABLE clinic.stays_moved OWNER TO olga;
@ another session adds a child meanwhile | 1 |
> admin
BEGIN;
LOCK TABLE clinic.single;
> ann &
SELECT dp_count(*) > 4000 AS boosted FROM single;
> admin
ALTER TABLE clinic.heirs INHERIT clinic.single;
COMMIT;
> ann
SELECT 'waited' AS told;
~ boosted\|f
> admin
ALTER TABLE clinic.heirs NO INHERIT clinic.single;
@ another session adds a child between planning and reading | 0 | 55000
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) > 4000 AS boosted FROM single;
> admin
ALTER TABLE clinic.heirs INHERIT clinic.single;
> ann
FETCH c;
ROLLBACK;
> admin
ALTER TABLE clinic.heirs NO INHERIT clinic.single;
@ another session takes a child away between planning and reading, and waits | 1 |
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM stays;
> admin &
ALTER TABLE clinic.stays_moved NO INHERIT clinic.stays;
> ann
FETCH c;
ROLLBACK;
> admin
ALTER TABLE clinic.stays_moved INHERIT clinic.stays;
@ another session takes one away that was looked at before, and is not locked again | 2 |
SELECT dp_count(*) FROM stays;
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM stays;
> admin
ALTER TABLE clinic.stays_moved NO INHERIT clinic.stays;
> ann
FETCH c;
ROLLBACK;
> admin
ALTER TABLE clinic.stays_moved INHERIT clinic.stays;
@ another session gives one away that was looked at before | 1 | 42809
SELECT dp_count(*) FROM stays;
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM stays;
> admin
ALTER TABLE clinic.stays_moved OWNER TO eve;
> ann
FETCH c;
ROLLBACK;
> admin
ALTER TABLE clinic.stays_moved OWNER TO olga;
ATTACKS
$neighbours->finish;
