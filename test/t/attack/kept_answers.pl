# Attacks on kept answers: those of other roles, those of policies and rights that were
# changed since, forged ones; and what can be told of the data by showing one again.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;
use FaultTest;
use GateTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $admin = <<'SQL';
ALTER ROLE ann SET dp_agg.kept_max_age = '1 day';
ALTER ROLE bob SET dp_agg.kept_max_age = '1 day';
ALTER ROLE eve SET dp_agg.kept_max_age = '1 day';
ALTER ROLE poor SET dp_agg.kept_max_age = '1 day';
ALTER ROLE ann SET dp_agg.epsilon = 0.0001;
ALTER ROLE bob SET dp_agg.epsilon = 0.0001;
ALTER ROLE eve SET dp_agg.epsilon = 0.0001;
ALTER ROLE poor SET dp_agg.epsilon = 0.0001;
GRANT USAGE ON SCHEMA ann TO poor;
SELECT dp_agg.set_budget('olga', 1e6, 1e-3);
SET ROLE olga;
CREATE TABLE clinic.stays (id int PRIMARY KEY, person int, other int, age int, pay numeric, note text);
INSERT INTO clinic.stays SELECT i, i % 300, i % 200, i % 90, i % 2000, 'cnry stay' FROM generate_series(1, 1000) i;
CREATE TABLE clinic.towns (town text PRIMARY KEY, n int);
INSERT INTO clinic.towns VALUES ('town 0', 1), ('town 1', 2);
GRANT SELECT ON clinic.towns TO ann, bob;
CREATE TABLE clinic.places (city text PRIMARY KEY, land text, n int);
INSERT INTO clinic.places VALUES ('Aachen', 'west', 1), ('Bremen', 'north', 2), ('Celle', 'north', 3);
GRANT SELECT ON clinic.places TO ann, bob, eve, team;
CREATE FUNCTION clinic.as_olga() RETURNS numeric LANGUAGE sql SECURITY DEFINER SET search_path = clinic, public, dp_agg AS 'SELECT dp_sum(pay, 0, 2000) FROM people';
GRANT EXECUTE ON FUNCTION clinic.as_olga() TO PUBLIC;
RESET ROLE;
-- What the tables are to be before each attack.
CREATE FUNCTION public.as_before() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_agg.protect('clinic.stays', 'person', 'default', 5, 2);
	PERFORM dp_agg.hide_column(c.relation, c."column", false) FROM dp_agg.protected_columns c WHERE hidden;
	PERFORM dp_agg.set_domain('clinic.stays', 'pay', 0, 2000), dp_agg.set_domain('clinic.stays', 'age', 0, 100);
	PERFORM dp_agg.forget_kept();
END $$;
SELECT public.as_before();
-- Wait until no other session has a snapshot for which a new key would be too new.
CREATE PROCEDURE public.settle() LANGUAGE plpgsql AS $$
BEGIN
	WHILE EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)) LOOP
		COMMIT;
		PERFORM pg_sleep(0.01);
	END LOOP;
END $$;
SQL
my $analyst = <<'SQL';
CREATE FUNCTION asks() RETURNS numeric LANGUAGE sql SECURITY DEFINER SET search_path = clinic, public, dp_agg AS 'SELECT dp_sum(pay, 0, 2000) FROM people';
CREATE FUNCTION asks_owned() RETURNS TABLE (s numeric) LANGUAGE plpgsql SECURITY DEFINER SET search_path = clinic, public, dp_agg SET dp_agg.kept_max_age = '1 day' AS
	'BEGIN RETURN QUERY SELECT dp_sum(pay, 0, 2000)::numeric FROM people; END';
GRANT EXECUTE ON FUNCTION asks(), asks_owned() TO PUBLIC;
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, WAL, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		RETURN NEXT regexp_replace(line, 'since .*, no', 'since then, no');
	END LOOP;
END $$;
CREATE MATERIALIZED VIEW shown AS SELECT dp_sum(pay, 0, 2000) AS s FROM people WITH NO DATA;
SQL
$AttackTest::messages = 'notice';
my $neighbours = new_neighbours('attack_kept', admin => $admin, analyst => $analyst);

# Each attack begins without answers.  Sums of pay differ from draw to draw: their noise is of 2e7 and shown to a millionth,
# so that two draws are equal with a probability below 1e-12.
sub attacks
{
	my ($list) = @_;
	$list =~ s/^(@ .*)$/$1\n> admin\nSELECT public.as_before();\n> ann/mg;
	return $neighbours->attack($list);
}

# Whose answers they are.
attacks(<<'ATTACKS');
@ the same role again, in other sessions | 1 |
SELECT dp_sum(pay, 0, 2000) AS a FROM people \gset
SELECT dp_sum(pay, 0, 2000) = :a AS again FROM people;
\c -
SELECT dp_sum(pay, 0, 2000) = :a AS connected FROM people;
> ann2
SELECT dp_sum(pay, 0, 2000) IS NOT NULL AS other FROM people;
SELECT kept ~ '^kept since' AS kept FROM dp_agg.last_release();
~ again\|t
~ connected\|t
~ kept\|t

@ another role's answer | 2 |
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
> bob
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
SELECT kept IS NULL AS drawn FROM dp_agg.last_release();
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
SELECT count(*) AS answers, min(role::text) AS role FROM dp_agg.kept;
~ drawn\|t
~ answers\|1
~ role\|team

@ another role's answer, for a role without a budget | 1 | 42501
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
> eve
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
SELECT count(*) AS answers FROM dp_agg.kept;
SELECT count(*) AS visible FROM dp_agg_internal.visible_kept();
~ answers\|0
~ visible\|0

@ prices and plans of another role's answer | 1 | 42501 42501
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
> eve
SELECT kept IS NULL AS unknown FROM dp_agg.price('SELECT dp_sum(pay, 0, 2000) FROM people');
EXPLAIN (COSTS OFF) SELECT dp_sum(pay, 0, 2000) FROM people;
> bob
SELECT kept IS NULL AS unknown_too FROM dp_agg.price('SELECT dp_sum(pay, 0, 2000) FROM people');
EXPLAIN (COSTS OFF) SELECT dp_sum(pay, 0, 2000) FROM people;
~ unknown_too\|t

@ a session that changes its role pays as the one and the other | 2 |
> admin
SET dp_agg.kept_max_age = '1 day';
SET ROLE ann;
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
PREPARE q AS SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
EXECUTE q;
SET ROLE bob;
EXECUTE q;
EXECUTE q;
RESET ROLE;
RESET dp_agg.kept_max_age;
DEALLOCATE q;
= once | the administrator's statements stay as they are

@ a cursor of one role, read as another | 1 |
SELECT dp_sum(pay, 0, 2000) AS a FROM people \gset
> admin
SET dp_agg.epsilon = 0.0001;
SET dp_agg.kept_max_age = '1 day';
SET ROLE ann;
BEGIN;
DECLARE c CURSOR FOR SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
SET ROLE bob;
FETCH c;
COMMIT;
RESET ROLE;
RESET dp_agg.epsilon;
RESET dp_agg.kept_max_age;

@ a function of another role's is paid for by who calls it | 2 |
SELECT asks() AS noisy;
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
> bob
SELECT ann.asks() AS noisy;
SELECT s AS noisy FROM ann.asks_owned();
SELECT clinic.as_olga() AS noisy;
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;

@ a function of another role's for who has no budget | 1 | 42501 42501
SELECT asks() AS noisy;
> eve
SELECT ann.asks() AS noisy;
SELECT s AS noisy FROM ann.asks_owned();

@ a materialized view that another role refreshes | 2 | 42501
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
REFRESH MATERIALIZED VIEW shown;
SELECT s AS noisy FROM shown;
> bob
SET ROLE team;
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
> admin
REFRESH MATERIALIZED VIEW ann.shown;
> bob
REFRESH MATERIALIZED VIEW ann.shown;
ATTACKS

# Pools, and what becomes of budgets and roles.
attacks(<<'ATTACKS');
@ members of a pool have its answers, those with a budget of their own do not | 2 |
> bob
SELECT dp_sum(pay, 0, 2000) AS a FROM people \gset
SET ROLE team;
SELECT dp_sum(pay, 0, 2000) = :a AS pool FROM people;
> admin
GRANT team TO eve, poor;
> eve
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
SELECT kept ~ '^kept since' AS kept FROM dp_agg.last_release();
SELECT count(*) AS answers FROM dp_agg.kept;
> poor
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
SELECT kept IS NULL AS drawn FROM dp_agg.last_release();
> admin
REVOKE team FROM eve, poor;
~ pool\|t
~ kept\|t
~ drawn\|t

@ a member no longer | 1 | 42501 42501
> bob
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
> admin
GRANT team TO eve;
> eve
PREPARE q AS SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
EXECUTE q;
> admin
REVOKE team FROM eve;
> eve
EXECUTE q;
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
SELECT count(*) AS answers FROM dp_agg.kept;
~ answers\|0

@ a member that does not inherit, or of two pools | 1 | 42501 42501
> bob
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
> admin
ALTER ROLE eve NOINHERIT;
GRANT team TO eve;
> eve
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
> admin
REVOKE team FROM eve;
ALTER ROLE eve INHERIT;
GRANT team TO eve;
CREATE ROLE second_team;
SELECT dp_agg.set_budget('second_team', 1, 0);
GRANT second_team TO eve;
> eve
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
> admin
REVOKE team, second_team FROM eve;
SELECT dp_agg.drop_budget('second_team');
DROP ROLE second_team;

@ a budget that was dropped and set again | * | 42501
SELECT dp_sum(pay, 0, 2000) AS a FROM people \gset
> admin
SELECT dp_agg.drop_budget('ann');
> ann
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
SELECT count(*) AS answers FROM dp_agg.kept;
> admin
SELECT dp_agg.set_budget('ann', 1e9, 1e-3);
> ann
SELECT dp_sum(pay, 0, 2000) <> :a AS another FROM people;
SELECT kept IS NULL AS drawn FROM dp_agg.last_release();
~ answers\|0
~ another\|t
~ drawn\|t
= once | statements of the budget that is dropped are not counted

@ a role dropped and made again | 0 |
> admin
CREATE ROLE short LOGIN;
ALTER ROLE short SET dp_agg.kept_max_age = '1 day';
ALTER ROLE short SET dp_agg.epsilon = 0.0001;
SELECT dp_agg.set_budget('short', 1000, 0);
SET ROLE short;
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
RESET ROLE;
SELECT dp_agg.drop_budget('short');
DROP ROLE short;
CREATE ROLE short LOGIN;
ALTER ROLE short SET dp_agg.kept_max_age = '1 day';
ALTER ROLE short SET dp_agg.epsilon = 0.0001;
SELECT dp_agg.set_budget('short', 1000, 0);
> short
SELECT count(*) AS answers FROM dp_agg.kept;
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
SELECT kept IS NULL AS drawn FROM dp_agg.last_release();
> admin
SELECT dp_agg.drop_budget('short');
~ answers\|0
~ drawn\|t
= once | the role would have to be dropped between

@ an answer whose budget has another role now, as if that had the number of one that is gone | 1 | 42501
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
> admin
BEGIN;
UPDATE dp_agg.kept_answer SET budget = budget + 1000000;
COMMIT;
> eve
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
ATTACKS

# Policies that were changed since.
my %change = (
	'more rows count' => "SELECT dp_agg.protect('clinic.stays', 'person', 'default', 6, 2)",
	'more groups' => "SELECT dp_agg.protect('clinic.stays', 'person', 'default', 5, 3)",
	'another unit' => "SELECT dp_agg.protect('clinic.stays', 'other', 'default', 5, 2)",
	'unprotected and protected again' => "SELECT dp_agg.unprotect('clinic.stays'); SELECT public.as_before()",
	'dropped and made again' => <<'SQL',
ALTER TABLE clinic.stays RENAME TO gone;
CREATE TABLE clinic.stays (LIKE clinic.gone INCLUDING ALL);
ALTER TABLE clinic.stays OWNER TO olga;
INSERT INTO clinic.stays SELECT * FROM clinic.gone;
DROP TABLE clinic.gone;
SELECT dp_agg.protect('clinic.stays', 'person', 'default', 5, 2), dp_agg.set_domain('clinic.stays', 'pay', 0, 2000), dp_agg.set_domain('clinic.stays', 'age', 0, 100)
SQL
);
for my $change (sort keys %change)
{
	attacks(<<"ATTACKS");
@ a policy that was changed: $change | 2 |
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
PREPARE q AS SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
EXECUTE q;
> admin
$change{$change};
> ann
EXECUTE q;
SELECT kept IS NULL AS drawn FROM dp_agg.last_release();
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
~ drawn\\|t
ATTACKS
}
attacks(<<'ATTACKS');
@ the same policy once more, and other columns' domains | 1 |
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
> admin
SELECT dp_agg.drop_domain('clinic.stays', 'age'), dp_agg.hide_column('clinic.stays', 'note');
> ann
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
> admin
SELECT dp_agg.protect('clinic.stays', 'person', 'default', 5, 2);
SELECT dp_agg.set_domain('clinic.stays', 'pay', 0, 2000);
SELECT dp_agg.set_domain('clinic.stays', 'age', 0, 100);
> ann
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;

@ another domain, where the question names its bounds | 1 |
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
> admin
SELECT dp_agg.set_domain('clinic.stays', 'pay', 0, 3000);
> ann
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
= 2 | | then its bounds are the domain's

@ another type of the column | 2 |
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
> admin
ALTER TABLE clinic.stays ALTER pay TYPE float8;
> ann
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
SELECT kept IS NULL AS drawn FROM dp_agg.last_release();
> admin
ALTER TABLE clinic.stays ALTER pay TYPE numeric;
~ drawn\|t

@ another data set | 1 | 42501
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
> admin
SELECT dp_agg.protect('clinic.stays', 'person', 'elsewhere', 5, 2);
> ann
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;

@ a column that is hidden now | 1 | 42501
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
> admin
SELECT dp_agg.hide_column('clinic.stays', 'pay');
> ann
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;

@ a table that is no longer protected | 1 | 42501|0A000|42809
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
> admin
SELECT dp_agg.unprotect('clinic.stays');
> ann
SELECT dp_sum(pay, 0, 2000) AS noisy FROM stays;
= once | then they are plain aggregates

@ rows that were changed tell nothing | 1 |
SELECT dp_sum(pay, 0, 2000) AS a FROM stays \gset
> admin
BEGIN;
CREATE TABLE public.others AS SELECT * FROM clinic.stays;
DELETE FROM clinic.stays;
COMMIT;
> ann
SELECT dp_sum(pay, 0, 2000) = :a AS same FROM stays;
> admin
INSERT INTO clinic.stays SELECT * FROM public.others;
DROP TABLE public.others;
~ same\|t
ATTACKS

# Rights that were taken away since, and names that mean something else.
attacks(<<'ATTACKS');
@ a public table that may no longer be read | 1 | 42501 42501
SELECT dp_sum(cost, 0, 100) AS noisy FROM visits JOIN doctors USING (clinic) WHERE town = 'town 0';
PREPARE q AS SELECT dp_sum(cost, 0, 100) AS noisy FROM visits JOIN doctors USING (clinic) WHERE town = 'town 0';
EXECUTE q;
> admin
REVOKE SELECT ON clinic.doctors FROM PUBLIC;
> ann
EXECUTE q;
SELECT dp_sum(cost, 0, 100) AS noisy FROM visits JOIN doctors USING (clinic) WHERE town = 'town 0';
> admin
GRANT SELECT ON clinic.doctors TO PUBLIC;

@ a public table that lists keys and may no longer be read | 1 | 42501
SELECT t.town, dp_count(v.*) FROM towns t LEFT JOIN visits v ON v.clinic = t.town GROUP BY t.town;
> admin
REVOKE SELECT ON clinic.towns FROM ann;
> ann
SELECT t.town, dp_count(v.*) FROM towns t LEFT JOIN visits v ON v.clinic = t.town GROUP BY t.town;
> admin
GRANT SELECT ON clinic.towns TO ann;
= once | the same is a count of rows

@ a table of her own that has the name | 1 | \w{5}
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
CREATE TABLE ann.people (id int PRIMARY KEY, pay numeric);
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
DROP TABLE ann.people;
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
= once | then it is a table of her own with plain aggregates

@ a temporary table that has the name | 1 | \w{5}
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
CREATE TEMP TABLE people (id int PRIMARY KEY, pay numeric);
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
DROP TABLE pg_temp.people;
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
= once | then it is a table of her own with plain aggregates

@ a view of hers that has the name | 2 |
SELECT dp_sum(pay, 0, 2000) AS a FROM people \gset
CREATE TEMP VIEW people AS SELECT id, pay FROM clinic.people WHERE age > 30;
SELECT dp_sum(pay, 0, 2000) <> :a AS another FROM people;
DROP VIEW pg_temp.people;
SELECT dp_sum(pay, 0, 2000) = :a AS same FROM people;
~ another\|t
~ same\|t

@ an isolation level at which nothing is answered | 1 | 0A000
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
ROLLBACK;
ATTACKS

# Sums of answers whose keys a public table lists: nobody else's, and none where that table, or who may
# read it, is not what it was.
my $places = 'clinic.places l LEFT JOIN people p ON p.city = l.city';
my $adding = 'SET dp_agg.kept_rollup = 1000';
my $finer = "SELECT l.city, l.land, dp_sum(pay, 0, 2000) AS noisy FROM $places GROUP BY l.city, l.land";
my $coarser = "SELECT l.land, dp_sum(pay, 0, 2000) AS noisy FROM $places GROUP BY l.land";
my $total = "SELECT dp_sum(pay, 0, 2000) AS noisy FROM $places";
my $said = q{SELECT coalesce(substring(kept, '^\w+ up from \d+ groups'), 'drawn') AS said FROM dp_agg.last_release()};
attacks(<<"ATTACKS");
\@ sums of listed groups, and what is read for them | 1 |
$adding;
$finer;
SELECT pg_stat_force_next_flush();
BEGIN;
$coarser;
$said;
$total;
SELECT relname, seq_scan, seq_tup_read, idx_scan FROM pg_stat_xact_all_tables WHERE schemaname = 'clinic' ORDER BY relname;
SELECT seq_scan + idx_scan AS reads FROM pg_stat_xact_all_tables WHERE relid = 'clinic.people'::regclass;
COMMIT;
SELECT plan('SELECT l.land, dp_sum(pay, 0, 2000) FROM $places GROUP BY l.land');
~ said\\|added up from 3 groups
~ reads\\|0

\@ another role's groups | 2 | 42501
$adding;
$finer;
> bob
$adding;
$coarser;
$said;
> eve
$adding;
$total;
~ said\\|drawn

\@ another role's groups, by SET ROLE | 2 |
> admin
SET dp_agg.kept_max_age = '1 day';
SET dp_agg.epsilon = 0.0001;
$adding;
SET ROLE ann;
$finer;
PREPARE q AS $coarser;
EXECUTE q;
SET ROLE bob;
EXECUTE q;
RESET ROLE;
RESET ALL;
DEALLOCATE q;
= once | the administrator's statements stay as they are

\@ a row that the public table got, and lost again | 2 |
$adding;
$finer;
> admin
INSERT INTO clinic.places VALUES ('Zwiesel', 'south', 4);
> ann
$coarser;
$said;
> admin
DELETE FROM clinic.places WHERE city = 'Zwiesel';
> ann
$total;
SELECT kept ~ '^added' AS again FROM dp_agg.last_release();
~ said\\|drawn
~ again\\|t

\@ a row that the public table got of a group that was there | 2 |
$adding;
$finer;
> admin
INSERT INTO clinic.places VALUES ('Zwiesel', 'north', 4);
> ann
$total;
$said;
> admin
DELETE FROM clinic.places WHERE city = 'Zwiesel';
~ said\\|drawn

\@ groups that are called something else, or where others are now | 3 |
$adding;
$finer;
> admin
UPDATE clinic.places SET land = CASE land WHEN 'north' THEN 'west' ELSE 'north' END;
> ann
$coarser;
$said;
> admin
UPDATE clinic.places SET land = 'far ' || land;
> ann
$total;
> admin
UPDATE clinic.places SET land = CASE land WHEN 'far north' THEN 'west' ELSE 'north' END;
~ said\\|drawn

\@ rows that a statement does not see yet, or not any more | 2 |
$adding;
$finer;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) AS places FROM clinic.places;
> admin
INSERT INTO clinic.places VALUES ('Zwiesel', 'south', 4);
> ann
$coarser;
SELECT kept ~ '^added' AS before FROM dp_agg.last_release();
COMMIT;
$coarser;
$said;
> admin
DELETE FROM clinic.places WHERE city = 'Zwiesel';
~ before\\|t
~ said\\|drawn
= once | the first counts rows

\@ a public table dropped and made again with the same rows | 1 |
$adding;
$finer;
> admin
DROP TABLE clinic.places;
CREATE TABLE clinic.places (city text PRIMARY KEY, land text, n int);
ALTER TABLE clinic.places OWNER TO olga;
INSERT INTO clinic.places VALUES ('Celle', 'north', 13), ('Aachen', 'west', 11), ('Bremen', 'north', 12);
GRANT SELECT ON clinic.places TO ann, bob, eve, team;
CALL public.settle();
> ann
$coarser;
$said;
~ said\\|added up from 3 groups

\@ a public table dropped and made again with others | 2 |
$adding;
$finer;
> admin
DROP TABLE clinic.places;
CREATE TABLE clinic.places (city text PRIMARY KEY, land text, n int);
ALTER TABLE clinic.places OWNER TO olga;
INSERT INTO clinic.places VALUES ('Aachen', 'west', 1), ('Bremen', 'north', 2), ('Dresden', 'north', 3);
GRANT SELECT ON clinic.places TO ann, bob, eve, team;
CALL public.settle();
> ann
$coarser;
$said;
> admin
UPDATE clinic.places SET city = 'Celle' WHERE city = 'Dresden';
~ said\\|drawn

\@ a public table that may no longer be read, or not all of it | 2 | 42501
$adding;
$finer;
> admin
REVOKE SELECT ON clinic.places FROM ann;
> ann
$total;
> admin
GRANT SELECT (city) ON clinic.places TO ann;
> ann
$total;
$said;
> admin
GRANT SELECT (land) ON clinic.places TO ann;
> ann
SELECT dp_sum(pay, 0, 2000) AS noisy FROM $places WHERE l.city = 'Aachen';
SELECT kept ~ '^added' AS both FROM dp_agg.last_release();
> admin
REVOKE SELECT (city, land) ON clinic.places FROM ann;
GRANT SELECT ON clinic.places TO ann;
~ said\\|drawn
~ both\\|t

\@ a public table that has row security now, or is protected | 2 | \\w{5} \\w{5}
$adding;
$finer;
> admin
ALTER TABLE clinic.places ENABLE ROW LEVEL SECURITY;
> ann
$coarser;
> admin
ALTER TABLE clinic.places DISABLE ROW LEVEL SECURITY;
SELECT dp_agg.protect('clinic.places', 'city', 'elsewhere');
> ann
$coarser;
$total;
> admin
SELECT dp_agg.unprotect('clinic.places');
= once | the administrator's statements fail no second time

\@ a table of her own that lists the keys | 2 |
$adding;
CREATE TABLE ann.mine (city text PRIMARY KEY, part text);
INSERT INTO ann.mine VALUES ('Aachen', 'one'), ('Celle', 'two'), ('nowhere', NULL);
SELECT m.city, part, dp_sum(pay, 0, 2000) AS noisy FROM ann.mine m LEFT JOIN people p ON p.city = m.city GROUP BY m.city, part;
SELECT part, dp_sum(pay, 0, 2000) AS noisy FROM ann.mine m LEFT JOIN people p ON p.city = m.city GROUP BY part;
$said;
INSERT INTO ann.mine VALUES ('Zwiesel', 'one');
SELECT part, dp_sum(pay, 0, 2000) AS noisy FROM ann.mine m LEFT JOIN people p ON p.city = m.city GROUP BY part;
BEGIN;
DELETE FROM ann.mine WHERE city = 'Zwiesel';
SELECT dp_sum(pay, 0, 2000) AS noisy FROM ann.mine m JOIN people p ON p.city = m.city;
SELECT kept ~ '^added' AS again FROM dp_agg.last_release();
ROLLBACK;
SELECT dp_sum(pay, 0, 2000) AS noisy FROM ann.mine m JOIN people p ON p.city = m.city;
DROP TABLE ann.mine;
~ said\\|added up from 3 groups
~ again\\|t
ATTACKS

# What is written to the table.
my @writes = map { "$_;" } (
	'INSERT INTO dp_agg.kept_answer SELECT * FROM dp_agg.kept_answer', "UPDATE dp_agg.kept_answer SET asked_at = 'infinity'", 'UPDATE dp_agg.kept_answer SET replays = 0', 'DELETE FROM dp_agg.kept_answer',
	'TRUNCATE dp_agg.kept_answer', 'INSERT INTO dp_agg.kept_answer VALUES (1, $$$$, now(), $$$$, $${}$$, 1, 0, 1, $$$$, $$$$)', "COPY dp_agg.kept_answer FROM PROGRAM 'true'",
	'ALTER TABLE dp_agg.kept_answer DISABLE TRIGGER ALL', 'SET session_replication_role = replica', 'DROP TABLE dp_agg.kept_answer', 'SELECT * FROM dp_agg.kept_answer FOR UPDATE',
	'CREATE TRIGGER mine BEFORE INSERT ON dp_agg.kept_answer EXECUTE FUNCTION suppress_redundant_updates_trigger()', 'SELECT dp_agg.forget_kept()');
my $errors = join ' ', ('42501') x @writes;
attacks(<<"ATTACKS");
@ answers written without rights | 1 | $errors
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
@writes

@ answers written with rights on the table, by who owns the database and may write all data | 1 | 42501( 42501){9,12}
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
> admin
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON dp_agg.kept_answer TO eve;
GRANT pg_write_all_data TO eve;
DO \$\$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO eve', current_database()); END \$\$;
> eve
UPDATE dp_agg.kept_answer SET asked_at = 'infinity';
UPDATE dp_agg.kept_answer SET replays = 0;
DELETE FROM dp_agg.kept_answer;
TRUNCATE dp_agg.kept_answer;
INSERT INTO dp_agg.kept_answer VALUES (1, '', now(), '', '{}', 1, 0, 1, '', '');
INSERT INTO dp_agg.kept_answer SELECT * FROM dp_agg.kept_answer;
COPY dp_agg.kept_answer FROM STDIN;
1	\\\\x00	2020-01-01	x	{}	1	0	1	\\\\x00	\\\\x00
\\.
ALTER TABLE dp_agg.kept_answer DISABLE TRIGGER ALL;
SET session_replication_role = replica;
CREATE TRIGGER mine BEFORE INSERT ON dp_agg.kept_answer EXECUTE FUNCTION suppress_redundant_updates_trigger();
> admin
DO \$\$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO %I', current_database(), session_user); END \$\$;
REVOKE pg_write_all_data FROM eve;
REVOKE ALL ON dp_agg.kept_answer FROM eve;
> ann
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
SELECT count(*) AS answers FROM dp_agg.kept;
~ answers\\|1
ATTACKS

# What showing an answer again tells of the rows: not its plan, what it reads, waits for or writes.
attacks(<<'ATTACKS');
@ what is read for a kept answer | 2 |
SELECT dp_sum(pay, 0, 2000) AS noisy FROM people;
SELECT dp_sum(cost, 0, 100) AS noisy FROM visits;
SELECT plan('SELECT dp_sum(pay, 0, 2000) FROM people');
SELECT plan('SELECT dp_sum(cost, 0, 100) FROM visits');
~ kept since then

@ what the session's counters say of a kept answer | 1 |
SELECT dp_sum(cost, 0, 100) AS noisy FROM visits;
SELECT pg_stat_force_next_flush();
BEGIN;
SELECT dp_sum(cost, 0, 100) AS noisy FROM visits;
SELECT relname, seq_scan, seq_tup_read, idx_scan FROM pg_stat_xact_all_tables WHERE schemaname = 'clinic' ORDER BY relname;
SELECT count(*) AS locks, min(mode) AS mode FROM pg_locks WHERE relation = 'clinic.visits'::regclass AND pid = pg_backend_pid();
COMMIT;
ATTACKS
$neighbours->leave;

# No row is read for it, were it only to be thrown away: not where reading fails, nor does it
# take longer where there are more rows, or fewer than there were.
my $node = new_gate('kept_reads', conf => "dp_agg.kept_max_age = '1 day'\ndp_agg.epsilon = 0.0001");
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE many (id int PRIMARY KEY, city text, age int);
INSERT INTO many SELECT i, 'city ' || i % 2, i % 100 FROM generate_series(1, 300000) i;
SELECT dp_agg.protect('many', 'id');
CREATE FUNCTION least_time(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz := clock_timestamp();
	answer bigint;
BEGIN
	FOR i IN 1 .. 20 LOOP
		EXECUTE query INTO answer;
	END LOOP;
	RETURN extract(epoch FROM clock_timestamp() - began);
END $$;
SQL
my $of_few = 'SELECT dp_sum(age, 0, 1000000000) FROM people';
my $of_many = 'SELECT dp_sum(age, 0, 1000000000) FROM many';
my %answer = map { $_ => asked($node, $_) } $of_few, $of_many;
my ($few, $many) = split /\|/, asked($node, <<"SQL");
WITH t AS MATERIALIZED (SELECT least_time(q.few) AS few, least_time(q.many) AS many
	FROM generate_series(1, 100), (VALUES ('$of_few', '$of_many')) q (few, many))
SELECT min(few), min(many) FROM t
SQL
cmp_ok($many, '<', 2 * $few, 'three hundred times the rows do not take longer');
$node->safe_psql('postgres', 'DELETE FROM many; DELETE FROM people');
is(asked($node, $_), $answer{$_}, 'rows that are gone do not count') for $of_few, $of_many;
SKIP:
{
	skip 'needs a build with -DDP_INJECTION', 1 unless has_points();
	mkdir $node->data_dir . '/injection' or die "could not make a directory for points: $!";
	fail_at($node, 'exact');
	like(asked($node, 'SELECT dp_sum(age, 0, 1000000001) FROM people'), qr/^53000/, 'where no row can be read, nothing new is answered');
	is(asked($node, $of_few), $answer{$of_few}, 'what is kept is');
	let_go($node, 'exact');
}

$node->stop;
done_testing();
