# Attacks on the time between the check of a block and the reading of its rows, when
# these are statements or sessions apart: prepared statements, bodies of several
# statements, transactions that wait for each other, and old snapshots.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;
use StrikeTest;

# Changes fill WAL files, and other sessions are told of them at any time: what these do
# then is told by messages of less than debug3.
$AttackTest::pass_over = qr/creating and filling new WAL file/;
$AttackTest::messages = 'debug3';

my $block = block('a table of persons');
my $linked = block('rows linked by a foreign key');

my $analyst = $STRIKES . <<"SQL";
CREATE TABLE struck (boosted boolean, x int);
CREATE TABLE ruled (x int);
CREATE RULE two AS ON INSERT TO ruled DO INSTEAD (INSERT INTO struck (x) SELECT strike(); INSERT INTO struck (boosted) $block);
CREATE FUNCTION two() RETURNS SETOF boolean LANGUAGE sql AS \$f\$ SELECT ann.strike(); $block \$f\$;
CREATE FUNCTION two_atomic() RETURNS SETOF boolean LANGUAGE sql BEGIN ATOMIC SELECT ann.strike(); $block; END;
CREATE FUNCTION three() RETURNS SETOF boolean LANGUAGE plpgsql AS \$f\$
BEGIN
	RETURN QUERY $block;
	PERFORM ann.strike();
	RETURN QUERY $block;
END \$f\$;
CREATE TABLE locked (k int PRIMARY KEY, n int);
INSERT INTO locked VALUES (1, 1);
CREATE FUNCTION waits() RETURNS int VOLATILE LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_lock(1), pg_advisory_unlock(1); RETURN 1; END';
CREATE TABLE emptied (k int, v int);
INSERT INTO emptied SELECT 1, 1 FROM generate_series(1, 2000);
GRANT SELECT ON emptied TO PUBLIC;
SQL
my $admin = $LINKED . <<'SQL';
ALTER ROLE poor NOINHERIT;
GRANT team TO poor;
GRANT USAGE ON SCHEMA ann TO poor;
SET ROLE olga;
CREATE TABLE clinic.changing (id int PRIMARY KEY, age int);
INSERT INTO clinic.changing SELECT i, i FROM generate_series(1, 100) i;
SELECT dp_agg.protect('clinic.changing', 'id');
RESET ROLE;
-- Wait until a session waits for a lock.
CREATE FUNCTION public.until_it_waits() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		EXIT WHEN EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE NOT granted AND datname = current_database());
		PERFORM pg_sleep(0.01);
	END LOOP;
END $$;
SQL
my $neighbours = new_neighbours('attack_sessions', admin => $admin, analyst => $analyst, person => \%LINKED_PERSON);

my $refused = '55000|0A000';
my %deeds = map { $_ => $_ } ('duplicates', 'child', 'inherit', 'partition', 'emptied', 'key type', 'table', 'deferrable', 'partial', 'other key', 'key made anew',
	'row security', 'index', 'index predicate', 'statistics', 'check', 'domain', 'revoked');

# Prepared statements, planned anew each time or once for all.
my %lasting = map { $_ => $_ } ('emptied', 'key type', 'key made anew', 'partition', 'domain', 'row security');
my %refused = map { $_ => $_ } grep { !$lasting{$_} } keys %deeds;
$neighbours->attack(ask(<<"ATTACKS", %refused));
@ a prepared statement, then a change: <name> | 1 | $refused|42P01|42501
SELECT fresh('<part>');
SET plan_cache_mode = force_generic_plan;
PREPARE q AS $block;
EXECUTE q;
SELECT strike();
EXECUTE q;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS
delete $lasting{domain};
$neighbours->attack(ask(<<"ATTACKS", %lasting));
@ a prepared statement, then a change that is no harm once it is there: <name> | 2 |
SELECT fresh('<part>');
SET plan_cache_mode = force_generic_plan;
PREPARE q AS $block;
EXECUTE q;
SELECT strike();
EXECUTE q;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
ATTACKS
$neighbours->attack(<<"ATTACKS");
@ a prepared statement, planned for all values, then a change | 7 | $refused
SELECT fresh('inherit');
PREPARE q(int) AS SELECT dp_count(*) > 100 AS boosted FROM people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN \$1 END;
EXECUTE q(1);
EXECUTE q(1);
EXECUTE q(1);
EXECUTE q(1);
EXECUTE q(1);
EXECUTE q(1);
EXECUTE q(1);
SELECT strike();
EXECUTE q(1);
@ a prepared statement that changes its own table, planned for all | 1 | $refused
SELECT fresh();
SET plan_cache_mode = force_generic_plan;
PREPARE q AS SELECT strike() > 5 AS boosted UNION ALL ($block);
EXECUTE q;
SELECT fresh('SELECT 1');
SELECT set_config('ann.deed', 'ALTER TABLE ann.heir INHERIT ann.amp', false);
EXECUTE q;
@ arguments of EXECUTE change the table | 1 | $refused
SELECT fresh('inherit');
PREPARE q(int) AS SELECT dp_count(*) > 100 AS boosted FROM people p JOIN amp a ON a.k = CASE WHEN p.id = 5000 THEN \$1 END;
EXECUTE q(1);
EXECUTE q(strike());
@ a prepared statement of a role that may read the table, run by one that may not | 1 | 42501
SELECT fresh();
REVOKE SELECT ON amp FROM PUBLIC;
GRANT SELECT ON amp TO team;
> poor
SET plan_cache_mode = force_generic_plan;
SET ROLE team;
PREPARE q AS $block;
EXECUTE q;
RESET ROLE;
EXECUTE q;
@ a prepared statement that is forgotten while it runs | 1 | (?:26000)?
SELECT fresh('DEALLOCATE ALL; DISCARD PLANS');
SET plan_cache_mode = force_generic_plan;
PREPARE q AS SELECT strike() > 5 AS boosted UNION ALL ($block);
EXECUTE q;
@ a cursor of a prepared statement | 0 | $refused
SELECT fresh('inherit');
SET plan_cache_mode = force_generic_plan;
PREPARE q AS $block;
BEGIN;
DO \$d\$ DECLARE c refcursor := 'c'; BEGIN OPEN c FOR EXECUTE 'EXECUTE q'; EXCEPTION WHEN OTHERS THEN OPEN c FOR $block; END \$d\$;
SELECT strike();
FETCH c;
COMMIT;
@ a function of two statements | 0 | $refused
SELECT fresh('duplicates');
SELECT two() AS boosted;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ a function of two statements, in FROM | 0 | $refused
SELECT fresh('inherit');
SELECT * FROM two() AS boosted;
@ a function of two statements, analysed beforehand | 0 | $refused
SELECT fresh('duplicates');
CREATE OR REPLACE FUNCTION two_atomic() RETURNS SETOF boolean LANGUAGE sql BEGIN ATOMIC SELECT ann.strike(); $block; END;
SELECT two_atomic() AS boosted;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ a rule of two statements | 0 | $refused
SELECT fresh();
CREATE RULE two AS ON INSERT TO ruled DO INSTEAD (INSERT INTO struck (x) SELECT strike(); INSERT INTO struck (boosted) $block);
SELECT set_config('ann.deed', 'ALTER TABLE ann.heir INHERIT ann.amp', false);
INSERT INTO ruled VALUES (1);
SELECT is_called AS struck FROM strikes;
SELECT boosted FROM struck;
~ struck\\|t
@ a function that asks, changes, and asks again | 1 | $refused
SELECT fresh('duplicates');
SELECT three() AS boosted;
SELECT is_called AS struck FROM strikes;
~ struck\\|t
@ a function that asks, changes, and asks again, once it is known | 3 | $refused
SELECT fresh();
SELECT three() AS boosted;
SELECT set_config('ann.deed', 'ALTER TABLE ann.heir INHERIT ann.amp', false);
SELECT three() AS boosted;
@ a batch of statements | 0 | $refused
SELECT fresh('duplicates');
SELECT strike() \\; $block;
@ a view that is dropped and made anew | 1 |
SELECT fresh_with_view('CREATE OR REPLACE VIEW ann.wide AS SELECT p.id, p.city, a.v FROM clinic.people p JOIN ann.side a ON a.k = CASE WHEN p.id = 5000 THEN 1 END');
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) > 100 AS boosted FROM wide;
FETCH c;
SELECT strike();
COMMIT;
@ a view of a prepared statement is replaced by one that multiplies | 1 | $refused
SELECT fresh_with_view('CREATE OR REPLACE VIEW ann.wide AS SELECT p.id, p.city, a.v FROM clinic.people p JOIN ann.heir a ON a.k = CASE WHEN p.id = 5000 THEN 1 END');
PREPARE q AS SELECT dp_count(*) > 100 AS boosted FROM wide;
EXECUTE q;
SELECT strike();
EXECUTE q;
@ a view of a cursor is replaced by one that multiplies | * | (?:$refused)?
SELECT fresh_with_view('CREATE OR REPLACE VIEW ann.wide AS SELECT p.id, p.city, a.v FROM clinic.people p JOIN ann.heir a ON a.k = CASE WHEN p.id = 5000 THEN 1 END');
BEGIN;
DECLARE c CURSOR FOR SELECT count > 100 AS boosted FROM dp_histogram('wide', 'v', 1, 11, 2);
SELECT strike();
FETCH ALL FROM c;
COMMIT;
ATTACKS

# Ann asks while olga has altered what is joined out of sight and not committed it yet.
my $asked_meanwhile = <<'SQL';
> ann &
SELECT dp_count(*) > 100000 AS boosted FROM items;
> admin
SELECT until_it_waits();
> olga
COMMIT;
SQL

# Other sessions of hers, and the owner's.
$neighbours->attack(ask(<<"ATTACKS",
@ another session waits to alter what a cursor will read: <name> | 1 | 55P03
SELECT fresh();
BEGIN;
DECLARE c CURSOR FOR $block;
> ann2
SET lock_timeout = '100ms';
<part>;
> ann
FETCH c;
COMMIT;
ATTACKS
	'the key' => 'ALTER TABLE amp DROP CONSTRAINT amp_k',
	'rows' => 'TRUNCATE amp',
	'the table' => 'DROP TABLE amp',
	'a type' => 'ALTER TABLE amp ALTER k TYPE bigint',
	'rules' => 'CREATE RULE r AS ON INSERT TO amp DO INSTEAD NOTHING',
	'the layout' => 'VACUUM FULL amp'));
$neighbours->attack(ask(<<"ATTACKS",
@ another session alters what a cursor will read: <name> | 0 | $refused
SELECT fresh();
BEGIN;
DECLARE c CURSOR FOR $block;
> ann2
SET lock_timeout = '2s';
<part>;
> ann
FETCH c;
COMMIT;
ATTACKS
	'a child' => 'ALTER TABLE heir INHERIT amp',
	'a child that is made' => 'CREATE TABLE born () INHERITS (amp); INSERT INTO born SELECT 1, 1 FROM generate_series(1, 2000)',
	'an index with code' => 'CREATE INDEX ON amp ((code(k)))',
	'statistics with code' => 'CREATE STATISTICS amp_s ON (code(k)), v FROM amp'));
$neighbours->attack(<<"ATTACKS");
@ the owner waits to alter what a cursor will read | 1 | 55P03 55P03 55P03 55P03
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM changing;
> olga
SET lock_timeout = '100ms';
ALTER TABLE changing DROP CONSTRAINT changing_pkey;
ALTER TABLE changing ALTER id TYPE bigint;
ALTER TABLE changing OWNER TO olga;
DROP TABLE changing;
> ann
FETCH c;
COMMIT;
@ the owner waits to alter what a cursor will read out of sight | 1 | 55P03 55P03
SELECT fresh('duplicates');
BEGIN;
DECLARE c CURSOR FOR $linked;
FETCH c;
> olga
SET lock_timeout = '100ms';
ALTER TABLE orders ADD COLUMN late int;
ALTER TABLE items DROP CONSTRAINT items_order_id_fkey;
> ann
FETCH c;
COMMIT;
@ no longer protected when the cursor is read | 0 | (?:42501|$refused)
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM changing;
> admin
SET lock_timeout = '2s';
SELECT dp_agg.unprotect('clinic.changing');
> ann
FETCH c;
COMMIT;
> admin
SELECT dp_agg.protect('clinic.changing', 'id');
@ protected by other bounds when the cursor is read | 0 | $refused
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM visits;
> admin
SET lock_timeout = '2s';
SELECT dp_agg.protect('clinic.visits', 'person', max_rows => 500, max_groups => 2);
> ann
FETCH c;
COMMIT;
> admin
SELECT dp_agg.protect('clinic.visits', 'person', max_rows => 5, max_groups => 2);
@ an enum is dropped before the cursor is read | 0 | 42704|$refused
CREATE TYPE shade AS ENUM ('light', 'dark');
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(CASE WHEN CASE WHEN id = 5000 THEN 'light'::shade ELSE 'dark'::shade END < 'dark'::shade THEN 1 END) FROM people;
> ann2
DROP TYPE shade;
> ann
FETCH c;
COMMIT;
@ an enum gets labels before the cursor is read | * | (?:$refused)?
DROP TYPE IF EXISTS shade;
CREATE TYPE shade AS ENUM ('light', 'dark');
BEGIN;
DECLARE c CURSOR FOR SELECT CASE WHEN id = 5000 THEN 'light'::shade ELSE 'dark'::shade END AS shade, dp_count(*) FROM people GROUP BY 1;
> ann2
ALTER TYPE shade ADD VALUE 'grey' BEFORE 'dark';
ALTER TYPE shade RENAME VALUE 'light' TO 'bright';
> ann
FETCH ALL FROM c;
COMMIT;
DROP TYPE shade;
@ a key is dropped while who asks waits for the table | 0 | $refused
SELECT fresh();
> ann2
BEGIN;
ALTER TABLE amp DROP CONSTRAINT amp_k;
INSERT INTO amp SELECT 1, 1 FROM generate_series(1, 2000);
> ann &
$block;
> admin
SELECT until_it_waits();
> ann2
COMMIT;
@ a key is dropped while a prepared statement waits for the table | 1 | $refused
SELECT fresh();
SET plan_cache_mode = force_generic_plan;
PREPARE q AS $block;
EXECUTE q;
> ann2
BEGIN;
ALTER TABLE amp DROP CONSTRAINT amp_k;
INSERT INTO amp SELECT 1, 1 FROM generate_series(1, 2000);
> ann &
EXECUTE q;
> admin
SELECT until_it_waits();
> ann2
COMMIT;
@ a key is dropped while the statement waits somewhere above | 1 | 55P03
SELECT fresh();
> ann2
SELECT pg_advisory_lock(1);
> ann &
SELECT waits() > 5 AS boosted UNION ALL ($block);
> admin
SELECT until_it_waits();
> ann2
SET lock_timeout = '100ms';
ALTER TABLE amp DROP CONSTRAINT amp_k;
SELECT pg_advisory_unlock(1);
@ a child comes while the statement waits somewhere above | 0 | $refused
SELECT fresh();
> ann2
SELECT pg_advisory_lock(1);
> ann &
SELECT waits() > 5 AS boosted UNION ALL ($block);
> admin
SELECT until_it_waits();
> ann2
SET lock_timeout = '2s';
ALTER TABLE heir INHERIT amp;
SELECT pg_advisory_unlock(1);
@ a key is dropped while a prepared statement waits above, its plan kept | * | (?:55P03 25P02|$refused|)
SELECT fresh();
SET plan_cache_mode = force_generic_plan;
PREPARE q AS SELECT waits() > 5 AS boosted UNION ALL ($block);
EXECUTE q;
> ann2
SELECT pg_advisory_lock(1);
> ann &
EXECUTE q;
> admin
SELECT until_it_waits();
> ann2
SET lock_timeout = '500ms';
BEGIN;
ALTER TABLE amp DROP CONSTRAINT amp_k;
INSERT INTO amp SELECT 1, 1 FROM generate_series(1, 2000);
COMMIT;
SELECT pg_advisory_unlock(1);
@ what is joined out of sight is altered while who asks waits for it | 0 | 55000
> olga
-- Her own rows are read to validate the key: since 19 she is told of pages that are not in memory.
SET client_min_messages = notice;
BEGIN;
ALTER TABLE orders DROP CONSTRAINT orders_pkey CASCADE;
$asked_meanwhile> ann
\echo has heard
> olga
ALTER TABLE orders ADD PRIMARY KEY (id);
ALTER TABLE items ADD CONSTRAINT items_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders;
@ what is joined out of sight is altered and is as before while who asks waits for it | 0 | 55000
> olga
SET client_min_messages = notice;
BEGIN;
ALTER TABLE orders DROP CONSTRAINT orders_pkey CASCADE;
ALTER TABLE orders ADD PRIMARY KEY (id);
ALTER TABLE items ADD CONSTRAINT items_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders;
$asked_meanwhile@ a change waits until the cursor has been read | 1 |
SELECT fresh();
BEGIN;
DECLARE c CURSOR FOR $block;
> ann2 &
ALTER TABLE amp DROP CONSTRAINT amp_k;
> admin
SELECT until_it_waits();
> ann
FETCH c;
COMMIT;
> ann2
SELECT count(*) FROM pg_constraint WHERE conname = 'amp_k';
~ count\\|0
@ rows cannot be locked anew beside a block, nor above or below one | 0 | 0A000 0A000 0A000 0A000
SELECT l.k, boosted FROM locked l, ($block) s FOR UPDATE OF l;
SELECT k FROM locked WHERE (SELECT boosted FROM ($block) s) IS NOT NULL FOR UPDATE;
SELECT k, (SELECT boosted FROM ($block) s) AS boosted FROM locked FOR SHARE;
SELECT * FROM (SELECT k, (SELECT boosted FROM ($block) s) AS boosted FROM locked FOR UPDATE) l;
@ rows are locked anew in a subquery beside a block | * | (?:0A000)?
SELECT fresh();
> ann2
BEGIN;
UPDATE locked SET n = n + 1;
> ann &
SELECT boosted FROM (SELECT k FROM locked FOR UPDATE) l, ($block) s;
> admin
SELECT until_it_waits();
> ann2
COMMIT;
@ a child comes while rows are locked anew, before a block is read | 0 | $refused
SELECT fresh();
> ann2
BEGIN;
UPDATE locked SET n = 2;
ALTER TABLE heir INHERIT amp;
> ann &
SELECT k > 5 AS boosted FROM (SELECT k FROM locked FOR UPDATE) l UNION ALL ($block);
> admin
SELECT until_it_waits();
> ann2
COMMIT;
ATTACKS

# Rows that are gone for all but an old snapshot, under a key that is younger: it does not
# prove that a row is matched once, so that each person's rows are added up and bounded.
my $emptied = 'SELECT dp_count(p.id) > 100 AS boosted FROM emptied a LEFT JOIN people p ON a.k = CASE WHEN p.id = 5000 THEN 1 END GROUP BY a.k';
my $frozen = "1\t1\n" x 300;
$neighbours->attack(<<"ATTACKS");
@ a snapshot that is older than the key | 1 |
ALTER TABLE emptied DROP CONSTRAINT IF EXISTS emptied_k;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM locked;
> ann2
DELETE FROM emptied;
INSERT INTO emptied VALUES (1, 1);
ALTER TABLE emptied ADD CONSTRAINT emptied_k UNIQUE (k);
> ann
$emptied;
COMMIT;
@ a snapshot of another session's that is older than the key | 2 |
ALTER TABLE emptied DROP CONSTRAINT IF EXISTS emptied_k;
INSERT INTO emptied SELECT 1, 1 FROM generate_series(1, 2000);
> ann2
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM locked;
> ann
DELETE FROM emptied;
ALTER TABLE emptied ADD CONSTRAINT emptied_k UNIQUE (k);
$emptied;
> ann2
$emptied;
COMMIT;
@ a key that is made under a snapshot which waits, for a statement that was prepared under another | 1 |
ALTER TABLE emptied DROP CONSTRAINT IF EXISTS emptied_k;
DELETE FROM emptied;
ALTER TABLE emptied ADD CONSTRAINT emptied_k UNIQUE (k);
SET plan_cache_mode = force_generic_plan;
PREPARE q AS $emptied;
ALTER TABLE emptied DROP CONSTRAINT emptied_k;
INSERT INTO emptied SELECT 1, 1 FROM generate_series(1, 2000);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM locked;
> ann2
DELETE FROM emptied;
ALTER TABLE emptied ADD CONSTRAINT emptied_k UNIQUE (k);
> ann
EXECUTE q;
COMMIT;
@ rows that every snapshot sees, and which are gone | 1 |
ALTER TABLE emptied DROP CONSTRAINT IF EXISTS emptied_k;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM locked;
> ann2
BEGIN;
TRUNCATE emptied;
COPY emptied FROM STDIN (FREEZE);
$frozen\\.
DELETE FROM emptied;
ALTER TABLE emptied ADD CONSTRAINT emptied_k UNIQUE (k);
COMMIT;
> ann
$emptied;
COMMIT;
@ a snapshot that is older than the key, which a cursor waits with | 1 |
ALTER TABLE emptied DROP CONSTRAINT IF EXISTS emptied_k;
INSERT INTO emptied SELECT 1, 1 FROM generate_series(1, 2000);
BEGIN;
DECLARE d CURSOR FOR SELECT count(*) FROM locked;
> ann2
DELETE FROM emptied;
ALTER TABLE emptied ADD CONSTRAINT emptied_k UNIQUE (k);
> ann
$emptied;
COMMIT;
ATTACKS

$neighbours->finish;
