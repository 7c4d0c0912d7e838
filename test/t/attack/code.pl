# Attacks by code of the analyst's own: functions, operators with estimators,
# types, domains, casts, collations and aggregates, under whatever names, that
# would print or keep the rows they see.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

# Functions that print, keep and raise what they are given; the settings and
# sequences they keep it in outlive a rollback or a lost message.
my $analyst = <<'SQL';
CREATE SEQUENCE calls;
CREATE TABLE kept (what text);
CREATE FUNCTION spy(anyelement) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS $$
BEGIN
	PERFORM nextval('ann.calls');
	PERFORM set_config('ann.seen', current_setting('ann.seen', true) || ';' || $1::text, false);
	RAISE NOTICE 'seen: %', $1;
	RETURN true;
END $$;
CREATE FUNCTION spy(anyelement, anyelement) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE sql AS 'SELECT ann.spy($1) AND ann.spy($2)';
CREATE FUNCTION shout(anyelement) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''seen: %'', $1; END';
CREATE FUNCTION keep(anyelement) RETURNS boolean VOLATILE COST 0.0001 LANGUAGE sql AS 'INSERT INTO ann.kept VALUES ($1::text); SELECT true';
CREATE FUNCTION inlined(int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT 1 / $1 > 0';
CREATE FUNCTION plain(int) RETURNS boolean IMMUTABLE LANGUAGE sql RETURN $1 > 5;
CREATE FUNCTION constant() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''folded''; RETURN 5; END';
CREATE OPERATOR <<< (PROCEDURE = spy, LEFTARG = anyelement, RIGHTARG = anyelement, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR === (PROCEDURE = int4eq, LEFTARG = int, RIGHTARG = int, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR !!! (PROCEDURE = spy, RIGHTARG = anyelement);
CREATE FUNCTION spy_in(cstring) RETURNS loud IMMUTABLE STRICT LANGUAGE internal AS 'textin';
CREATE FUNCTION spy_out(loud) RETURNS cstring IMMUTABLE STRICT LANGUAGE internal AS 'textout';
SQL
my $admin = <<'SQL';
CREATE FUNCTION harmless(text) RETURNS bigint SECURITY DEFINER LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT dp_count(*) FROM people WHERE city = $1);
END $$;
CREATE FUNCTION helpful(regclass) RETURNS text SECURITY DEFINER SET search_path = pg_catalog LANGUAGE sql AS
	'SELECT relkind::text FROM pg_class WHERE oid = $1';
CREATE FUNCTION leakproof_spy(text) RETURNS boolean IMMUTABLE LEAKPROOF COST 0.0001 LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'seen: %', $1;
	PERFORM set_config('ann.seen', current_setting('ann.seen', true) || ';' || $1, false);
	RETURN true;
END $$;
SQL

# Without the right to make base types, shells will do.
$analyst =~ s/^CREATE FUNCTION spy_(in|out).*\n//mg;

my $neighbours = new_neighbours('attack_code', admin => $admin, analyst => $analyst);

$neighbours->attack(<<'ATTACKS');
@ function that prints, in a condition | 0 | 0A000
SELECT dp_count(*) FROM people WHERE spy(name);
@ function that prints, in an argument | 0 | 0A000
SELECT dp_count(spy(name)) FROM people;
@ function that prints, in a key | 0 | 0A000
SELECT spy(name), dp_count(*) FROM people GROUP BY spy(name);
@ function that prints, in a FILTER | 0 | 0A000
SELECT dp_count(*) FILTER (WHERE spy(name)) FROM people;
@ function that prints, in an aggregate's ORDER BY | 0 | 0A000
SELECT dp_sum(age, 0, 100 ORDER BY spy(name)) FROM people;
@ function that keeps | 0 | 0A000
SELECT dp_count(*) FROM people WHERE keep(name);
@ function that fails | 0 | 0A000
SELECT dp_count(*) FROM people WHERE shout(name);
@ function that is inlined and divides | 0 | 0A000
SELECT dp_count(*) FROM people WHERE inlined(age);
@ function with a standard SQL body | 0 | 0A000
SELECT dp_count(*) FROM people WHERE plain(age);
@ function of constants | 1 |
SELECT dp_count(*) FROM people WHERE age > constant();
@ bounds by a function | 0 | 0A000
SELECT dp_sum(age, 0, constant()) FROM people;
@ the leakproof function of somebody else | 0 | 0A000
SELECT dp_count(*) FROM people WHERE leakproof_spy(name);
@ operator that prints | 0 | 0A000
SELECT dp_count(*) FROM people WHERE name <<< 'x'::text;
@ prefix operator that prints | 0 | 0A000
SELECT dp_count(*) FROM people WHERE !!! name;
@ operator of a built-in function, with estimators | 0 | 0A000
SELECT dp_count(*) FROM people WHERE age === 5;
@ operator that prints, explained | 0 | 0A000
EXPLAIN SELECT dp_count(*) FROM people WHERE name <<< 'x'::text;
@ operator that prints, in IN and ANY | 0 | 0A000
SELECT dp_count(*) FROM people WHERE name OPERATOR(ann.<<<) ANY ('{a,b}'::text[]);
@ operator named like a built-in one | 0 | 0A000
CREATE FUNCTION spy_equal(text, text) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT ann.spy($1)';
CREATE OPERATOR = (PROCEDURE = spy_equal, LEFTARG = text, RIGHTARG = text);
SET search_path = ann, clinic, public, pg_catalog;
SELECT dp_count(*) FROM people WHERE name = 'x'::text;
DROP OPERATOR = (text, text);
DROP FUNCTION spy_equal(text, text);
@ CASE, NULLIF, IN and DISTINCT with an operator named like a built-in one | 0 | 0A000 0A000 0A000 0A000
CREATE FUNCTION spy_equal(int, int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT ann.spy($1)';
CREATE OPERATOR = (PROCEDURE = spy_equal, LEFTARG = int, RIGHTARG = int);
SET search_path = ann, clinic, public, pg_catalog;
SELECT dp_count(*) FROM people WHERE CASE age WHEN 5 THEN true ELSE false END;
SELECT dp_count(NULLIF(age, 5)) FROM people;
SELECT dp_count(*) FROM people WHERE age IN (1, 2);
SELECT dp_count(*) FROM people WHERE age IS DISTINCT FROM 5;
DROP OPERATOR = (int, int);
DROP FUNCTION spy_equal(int, int);
@ function named like a built-in one | 0 | 0A000
CREATE FUNCTION lower(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT ann.spy($1)::text';
SET search_path = ann, clinic, public, pg_catalog;
SELECT dp_count(*) FROM people WHERE lower(name) = 'x';
DROP FUNCTION ann.lower(text);
@ aggregate named dp_count | 0 | 0A000
CREATE FUNCTION spy_step(text, text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1 || $2';
CREATE AGGREGATE dp_count(text) (SFUNC = spy_step, STYPE = text);
SET search_path = ann, clinic, public;
SELECT dp_count(name) FROM people;
DROP AGGREGATE ann.dp_count(text);
DROP FUNCTION spy_step(text, text);
@ aggregate named dp_count beside the real one | 0 | 0A000
CREATE FUNCTION spy_step(text, text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1 || $2';
CREATE AGGREGATE dp_count(text) (SFUNC = spy_step, STYPE = text);
SELECT dp_count(name), dp_count(*) FROM people;
DROP AGGREGATE ann.dp_count(text);
DROP FUNCTION spy_step(text, text);
@ functions named like those of the plan below | 1 | 42501 42501
CREATE FUNCTION detoasted(anyelement) RETURNS anyelement LANGUAGE sql AS 'SELECT ann.spy($1); SELECT $1';
CREATE FUNCTION random_priority() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
CREATE SCHEMA dp_agg_two;
SET search_path = ann, clinic, public, pg_catalog;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
CREATE OR REPLACE FUNCTION dp_agg_internal.detoasted(anyelement) RETURNS anyelement LANGUAGE sql AS 'SELECT $1';
DROP FUNCTION ann.detoasted(anyelement);
DROP FUNCTION ann.random_priority();
@ table named like the protected one | 0 | 42501
= 0 | | a plain aggregate of a table of her own is one
CREATE TEMP TABLE people (id int, name text, secret bigint);
SELECT dp_count(*) FROM people;
@ table named like the protected one, after the plan was made | 2 |
PREPARE q AS SELECT dp_count(*) FROM people;
EXECUTE q;
CREATE TEMP TABLE people (id int, name text, secret bigint);
EXECUTE q;
@ domain with a check that prints | 0 | 0A000
CREATE DOMAIN watched AS text CHECK (ann.spy(VALUE));
SELECT dp_count(*) FROM people WHERE name::watched = 'x';
DROP DOMAIN watched;
@ domain named like a built-in type | 0 | 0A000
CREATE DOMAIN int8 AS bigint CHECK (ann.spy(VALUE));
SET search_path = ann, clinic, public, pg_catalog;
SELECT dp_count(*) FROM people WHERE secret::int8 > 5;
DROP DOMAIN ann.int8;
@ domain as an argument's type | 0 | 0A000
CREATE DOMAIN watched AS int CHECK (ann.spy(VALUE));
SELECT dp_sum(age::watched, 0, 100) FROM people;
DROP DOMAIN watched;
@ enum, composite and range types | 0 | 0A000 0A000 0A000
CREATE TYPE mood AS ENUM ('cnr', 'other');
CREATE TYPE pair AS (a int, b text);
CREATE TYPE span AS RANGE (subtype = int);
SELECT dp_count(*) FROM people WHERE name::mood = 'other';
SELECT dp_count(*) FROM people WHERE ROW(age, name)::pair = ROW(1, 'x')::pair;
SELECT dp_count(*) FROM people WHERE span(age, tag) @> 5;
DROP TYPE mood, pair, span;
@ enum that is dropped before the release looks its labels up | 0 | 42704 42704 42704
CREATE TYPE hue AS ENUM ('red', 'blue');
ALTER TYPE hue ADD VALUE 'green' BEFORE 'blue';
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(CASE WHEN CASE WHEN id = 5000 THEN 'green'::hue ELSE 'red'::hue END < 'blue'::hue THEN 1 END) FROM people;
DROP TYPE hue;
FETCH c;
ROLLBACK;
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM people WHERE id = 5000 AND CASE WHEN age < 1000 THEN 'green'::hue END IN ('red', 'blue');
DROP TYPE hue;
FETCH c;
ROLLBACK;
CREATE FUNCTION drop_hue() RETURNS int LANGUAGE plpgsql AS 'BEGIN DROP TYPE hue; RETURN 1; END';
SELECT (SELECT dp_count(*) FROM people WHERE id = 5000 AND CASE WHEN age < 1000 THEN 'green'::hue END < 'blue') AS noisy FROM (SELECT drop_hue() OFFSET 0) f;
DROP FUNCTION drop_hue();
DROP TYPE hue;
@ range type with a function that prints | 0 | 0A000
CREATE FUNCTION spy_distance(int, int) RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT ann.spy($1)::int::float8';
CREATE TYPE spied AS RANGE (subtype = int, subtype_diff = spy_distance);
SELECT dp_count(*) FROM people WHERE spied(age, 100) && spied(1, 2);
DROP TYPE spied;
DROP FUNCTION spy_distance(int, int);
@ cast of one's own | 0 | 0A000
CREATE TYPE holder AS (a text);
CREATE FUNCTION hold(text) RETURNS holder IMMUTABLE LANGUAGE sql AS 'SELECT ann.spy($1); SELECT ROW($1)::ann.holder';
CREATE CAST (text AS holder) WITH FUNCTION hold(text) AS IMPLICIT;
SELECT dp_count(name::holder) FROM people;
DROP TYPE holder CASCADE;
@ collation of one's own | 0 | 0A000
CREATE COLLATION odd (provider = icu, locale = 'und', deterministic = false);
SELECT dp_count(*) FROM people WHERE name < 'x' COLLATE odd;
DROP COLLATION odd;
@ collation named like a built-in one | 0 | 0A000
CREATE COLLATION "C" (provider = icu, locale = 'de');
SET search_path = ann, clinic, public, pg_catalog;
SELECT dp_count(*) FROM people WHERE name < 'x' COLLATE "C";
DROP COLLATION ann."C";
@ aggregates of one's own over protected rows | 0 | 0A000
CREATE AGGREGATE gather(text) (SFUNC = textcat, STYPE = text);
SELECT gather(name) FROM people;
DROP AGGREGATE gather(text);
@ aggregates of one's own beside ours | 0 | 0A000
CREATE AGGREGATE gather(text) (SFUNC = textcat, STYPE = text);
SELECT gather(name), dp_count(*) FROM people;
DROP AGGREGATE gather(text);
@ aggregates of one's own above ours | 1 |
CREATE AGGREGATE gather(text) (SFUNC = textcat, STYPE = text);
SELECT gather(clinic) FROM (SELECT clinic, dp_count(*) FROM visits GROUP BY clinic) s;
DROP AGGREGATE gather(text);
@ condition above the release, pushed down if it could be | 1 |
SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city) s WHERE spy(city);
SELECT current_setting('ann.seen', true), nextval('calls');
@ leakproof condition above the release | 1 |
SELECT count(*) FROM (SELECT name, dp_count(*) FROM people GROUP BY name) s WHERE leakproof_spy(name);
SELECT current_setting('ann.seen', true);
@ condition above the release, in HAVING | 1 |
SELECT city FROM people GROUP BY city HAVING spy(city) AND dp_count(*) > 5;
SELECT current_setting('ann.seen', true);
@ operator above the release, joined with | 1 |
SELECT d.clinic FROM doctors d JOIN (SELECT clinic, dp_count(*) FROM visits GROUP BY clinic) s ON s.clinic <<< d.clinic;
SELECT current_setting('ann.seen', true);
@ operator above the release, explained: its estimator gets no statistics | 0 |
EXPLAIN SELECT d.clinic FROM doctors d JOIN (SELECT name, dp_count(*) FROM people GROUP BY name) s ON s.name <<< d.clinic WHERE s.name <<< 'x'::text;
SELECT current_setting('ann.seen', true);
@ operator on the table itself, explained | 0 | 42501
EXPLAIN SELECT * FROM people WHERE name <<< 'x'::text;
SELECT current_setting('ann.seen', true);
@ operator on a view of its owner's, explained | 0 | 42501
EXPLAIN SELECT * FROM guarded WHERE city <<< 'x'::text;
SELECT current_setting('ann.seen', true);
@ subquery in a condition | 1 |
SELECT dp_count(*) FROM people WHERE age > (SELECT constant());
@ function in FROM beside the block | 0 | 0A000
SELECT dp_count(*) FROM people, spy(name) s WHERE s IS NOT NULL;
@ function in FROM over the block's columns | 0 | 0A000
SELECT dp_count(*) FROM people p, LATERAL spy(p.name) s WHERE s IS NOT NULL;
@ function in FROM that nothing is made of: it is not called | 1 |
SELECT dp_count(*) FROM people p, LATERAL spy(p.name) s;
SELECT current_setting('ann.seen', true);
@ set-returning function in an argument | 0 | 0A000
SELECT dp_count(generate_series(1, age)) FROM people;
@ function that asks in a condition, for a price of its own | 2 |
CREATE FUNCTION ask() RETURNS bigint STABLE LANGUAGE sql AS 'SELECT dp_count(*) FROM clinic.people';
SELECT dp_count(*) FROM people WHERE age > ask();
DROP FUNCTION ask();
@ helper of a superuser's, used as it should be | 1 |
SELECT harmless('Zwi' || 'esel') AS noisy;
@ helper of a superuser's, with functions of one's own on its path | 0 | 42809
CREATE FUNCTION dp_count() RETURNS bigint LANGUAGE sql AS 'SELECT 5::bigint';
SELECT harmless('Aachen') AS noisy;
DROP FUNCTION ann.dp_count();
@ helper of a superuser's over rows | 0 | 0A000
SELECT dp_count(*) FROM people WHERE helpful(id::regclass) = 'r';
@ setting of epsilon by a function that is folded meanwhile | 1 |
CREATE FUNCTION cheaper() RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT set_config('dp_agg.epsilon', '0.000001', false) $$;
SELECT cheaper(), dp_count(*) FROM people;
SELECT epsilon FROM dp_agg.last_release();
DROP FUNCTION cheaper();
@ louder by a function that is folded meanwhile | 1 |
CREATE FUNCTION louder() RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT set_config('client_min_messages', 'debug5', false) || set_config('trace_sort', 'on', false) $$;
SELECT louder(), clinic, dp_count(*) FROM visits GROUP BY clinic;
DROP FUNCTION louder();
@ protected rows through a function's default, a polymorphic call, a variadic one | 0 | (?:42501|0A000) 42501 0A000
CREATE FUNCTION first_name(n text DEFAULT NULL) RETURNS text LANGUAGE sql AS 'SELECT coalesce($1, (SELECT name FROM clinic.people LIMIT 1))';
SELECT first_name();
SELECT row_to_json(p) FROM people p;
SELECT dp_count(*) FROM people WHERE num_nulls(VARIADIC ARRAY[name, city]) = 0;
DROP FUNCTION first_name(text);
ATTACKS

$neighbours->finish;
