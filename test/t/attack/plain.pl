# Attacks on plain SQL that is read as differentially private: on what tells a plain
# aggregate from others, on who may read rows, and on statements that show none.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

# A table that analysts may not read, roles that may read one table or column, and a
# schema that is almost called pg_catalog.
my $admin = <<'SQL';
CREATE TABLE clinic.sealed (k int PRIMARY KEY, t text);
INSERT INTO clinic.sealed VALUES (1, 'cnry sealed'), (5000, 'cnry sealed');
ALTER TABLE clinic.sealed OWNER TO olga;
CREATE ROLE half LOGIN;
CREATE ROLE part LOGIN;
SELECT dp_agg.set_budget('half', 1e9, 1e-3), dp_agg.set_budget('part', 1e9, 1e-3);
GRANT SELECT ON clinic.visits TO half;
GRANT SELECT (id, city) ON clinic.people TO part;
CREATE SCHEMA "PG_CATALOG" AUTHORIZATION ann;
CREATE VIEW clinic.counted AS SELECT city, count(*) FROM clinic.people GROUP BY city;
CREATE VIEW clinic.listed AS SELECT id, city FROM clinic.lone;
ALTER VIEW clinic.counted OWNER TO olga;
ALTER VIEW clinic.listed OWNER TO olga;
SET ROLE olga;
SELECT dp_agg.publish('clinic.lone', 'clinic.lone_seen'), dp_agg.publish('clinic.people', 'clinic.people_seen', '{id,city,age}');
CREATE VIEW clinic.nested AS SELECT id, city FROM clinic.lone_seen;
RESET ROLE;
SQL

# Functions that show what they are called with.
my $analyst = <<'SQL';
CREATE FUNCTION tell(anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 1e-9 AS $$ BEGIN RAISE NOTICE 'told %', $1; RETURN true; END $$;
CREATE FUNCTION tell_noisy(anyelement) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'noisy:%', $1; RETURN true; END $$;
CREATE FUNCTION told(int, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'told % %', $1, $2; RETURN true; END $$;
CREATE FUNCTION added(int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'told % %', $1, $2; RETURN 1; END $$;
CREATE SEQUENCE calls;
CREATE FUNCTION once_false() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN nextval(''ann.calls'') > 1; END';
CREATE DOMAIN watched AS int CHECK (tell(VALUE));
CREATE TYPE holder AS (a int);
CREATE FUNCTION hold(int) RETURNS holder IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'told %', $1; RETURN ROW($1)::ann.holder; END $$;
CREATE CAST (int AS holder) WITH FUNCTION hold(int) AS IMPLICIT;
CREATE TABLE kept (city text, n bigint);
CREATE TABLE mine (id int PRIMARY KEY, city text);
INSERT INTO mine SELECT i, 'Aachen' FROM generate_series(1, 6000) i;
SQL
my $neighbours = new_neighbours('attack_plain', admin => $admin, analyst => $analyst);

# Aggregates and operators of hers in place of PostgreSQL's.
$neighbours->attack(<<'ATTACKS');
@ aggregates of hers, found before the built-in ones | 0 | 0A000 0A000 0A000 0A000 0A000 0A000 0A000
CREATE AGGREGATE ann.count(*) (SFUNC = int8inc, STYPE = int8, INITCOND = '0');
CREATE AGGREGATE ann.sum(int) (SFUNC = int4_sum, STYPE = int8);
CREATE AGGREGATE ann.avg(int) (SFUNC = int4_avg_accum, STYPE = int8[], FINALFUNC = int8_avg, INITCOND = '{0,0}');
CREATE AGGREGATE ann.min(int) (SFUNC = int4smaller, STYPE = int4);
CREATE AGGREGATE ann.count(int) (SFUNC = int8inc_any, STYPE = int8, INITCOND = '0');
SET search_path = ann, pg_catalog, clinic, public;
SELECT count(*) FROM people;
SELECT city, count(*), pg_catalog.count(*) FROM people GROUP BY city;
SELECT sum(age), avg(age), min(age) FROM people;
SELECT city FROM people GROUP BY city HAVING count(*) > 5;
SELECT city FROM people GROUP BY city ORDER BY min(age);
SELECT sum(age) FILTER (WHERE id = 5000) FROM people;
SELECT count(id) FROM lone;
DROP AGGREGATE ann.count(*), ann.sum(int), ann.avg(int), ann.min(int), ann.count(int);
@ aggregates of hers, by qualified names | 0 | 0A000 0A000 0A000 0A000
CREATE AGGREGATE "PG_CATALOG".count(*) (SFUNC = int8inc, STYPE = int8, INITCOND = '0');
CREATE AGGREGATE pg_temp.count(*) (SFUNC = int8inc, STYPE = int8, INITCOND = '0');
CREATE AGGREGATE ann."count "(*) (SFUNC = int8inc, STYPE = int8, INITCOND = '0');
SELECT "PG_CATALOG".count(*) FROM people;
SELECT pg_temp.count(*) FROM people;
SELECT ann."count "(*) FROM people;
SET search_path = "PG_CATALOG", pg_catalog, clinic, public;
SELECT count(*) FROM people;
DROP AGGREGATE "PG_CATALOG".count(*), pg_temp.count(*), ann."count "(*);
@ an aggregate of hers beside plain ones, over windows and released rows | 1 | 0A000 42501
CREATE AGGREGATE ann.sum(int) (SFUNC = int4_sum, STYPE = int8);
SELECT count(*), ann.sum(age) FROM people;
SELECT ann.sum(age) OVER () FROM people;
SELECT ann.sum(n) AS noisy FROM (SELECT city, count(*)::int AS n FROM people GROUP BY city) s;
DROP AGGREGATE ann.sum(int);
@ an aggregate of hers that collects rows | 0 | 0A000 0A000
CREATE AGGREGATE ann.max(text) (SFUNC = textcat, STYPE = text);
SELECT ann.max(name) FROM people;
SELECT max(name) FROM people;
DROP AGGREGATE ann.max(text);
@ the built-in ones, whatever the path | 3 |
SET search_path = '';
SELECT count(*) AS noisy FROM clinic.people;
SET search_path = ann, pg_temp, clinic;
SELECT pg_catalog.count(*) AS noisy, pg_catalog.avg(age) AS maybe2 FROM people;
SET search_path = nothing, clinic;
SELECT count(*) AS noisy FROM people;
@ functions of ours of hers, in place of those that stand for plain ones | 1 |
CREATE FUNCTION ann.dp_count() RETURNS bigint LANGUAGE sql AS 'SELECT 5::bigint';
CREATE AGGREGATE ann.dp_count("any") (SFUNC = int8inc_any, STYPE = int8, INITCOND = '0');
CREATE AGGREGATE ann.dp_sum(int) (SFUNC = int4_sum, STYPE = int8);
CREATE FUNCTION ann.dp_interval(bigint, float8) RETURNS numrange LANGUAGE sql AS 'SELECT numrange(1, 5)';
SELECT count(*) AS noisy, sum(age) AS noisy2, bool_or(active) AS noisy3 FROM people;
DROP FUNCTION ann.dp_count(), ann.dp_interval(bigint, float8);
DROP AGGREGATE ann.dp_count("any"), ann.dp_sum(int);
@ operators of hers, found before the built-in ones | 0 | 0A000 0A000 0A000 0A000
CREATE OPERATOR ann.+ (FUNCTION = added, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR ann.> (FUNCTION = told, LEFTARG = int, RIGHTARG = int);
SET search_path = ann, pg_catalog, clinic;
SELECT sum(age + 1) FROM people;
SELECT count(*) FROM people WHERE age > 5;
SELECT count(*) FILTER (WHERE age > 5) FROM people;
SELECT age + 1, count(*) FROM people GROUP BY 1;
DROP OPERATOR ann.+ (int, int);
DROP OPERATOR ann.> (int, int);
@ types, casts and domains of hers | 0 | 0A000 0A000 0A000 0A000 0A000 0A000 0A000
SELECT sum(age::watched) FROM people;
SELECT count(age::watched) FROM people;
SELECT count(*) FROM people WHERE age::watched > 5;
SELECT count(age::holder) FROM people;
SELECT count(*) FROM people WHERE (age::holder) IS NULL;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY age::watched) FROM people;
SELECT age::watched, count(*) FROM people GROUP BY 1;
@ what has no private form | 2 | 0A000 0A000 0A000 0A000 0A000 0A000 0A000 0A000 0A000
SELECT array_agg(name) FROM people;
SELECT string_agg(name, ',') FROM people;
SELECT json_agg(people) FROM people;
SELECT jsonb_object_agg(id, name) FROM people;
SELECT min(name), max(name) FROM people;
SELECT rank(33) WITHIN GROUP (ORDER BY age) FROM people;
SELECT bit_or(age) FROM people;
SELECT xmlagg(name::xml) FROM people;
SELECT range_agg(int4range(age, age + 1)) FROM people;
SELECT count(DISTINCT city) AS noisy FROM people;
SELECT sum(DISTINCT age) AS noisy FROM people;
@ order within an aggregate is neither bounds nor a loss | 4 |
SELECT sum(age::float8 ORDER BY 0::float8, 1e300::float8) AS noisy FROM people;
SELECT noise_stddev < 100 AS narrow FROM dp_agg.last_release();
SELECT sum(age::float8 ORDER BY 0::float8, 1::float8, 1e6::float8) AS noisy FROM people;
SELECT epsilon, noise_stddev > 1 AS of_the_domain FROM dp_agg.last_release();
SELECT count(age ORDER BY 1e6::float8) AS noisy FROM people;
SELECT epsilon AS count_epsilon FROM dp_agg.last_release();
SELECT corr(score, score ORDER BY 0::float8, 1::float8, 0::float8, 1::float8) AS maybe FROM people;
~ narrow\|t
~ epsilon\|5$
~ of_the_domain\|t
~ count_epsilon\|5$
@ order within an aggregate is not looked at | 2 |
SELECT sum(age ORDER BY tell(name)) AS noisy FROM people;
SELECT avg(age ORDER BY (SELECT t FROM clinic.sealed LIMIT 1), nextval('calls')) AS maybe FROM people;
@ most frequent values | 3 | 0A000 0A000 42501 0A000
SELECT mode() WITHIN GROUP (ORDER BY city) AS noisy FROM people;
SELECT mode() WITHIN GROUP (ORDER BY city DESC) FILTER (WHERE age > 0) AS noisy FROM people;
SELECT mode() WITHIN GROUP (ORDER BY city) AS alone FROM lone;
SELECT mode() WITHIN GROUP (ORDER BY tell(name)) FROM people;
SELECT mode() WITHIN GROUP (ORDER BY city) FROM people, clinic.sealed;
SELECT mode() WITHIN GROUP (ORDER BY city) FROM people JOIN clinic.sealed ON k = id;
SELECT mode() WITHIN GROUP (ORDER BY p) FROM people p;
~ alone\|\(null\)
@ what makes a block of keys alone, by hand | 0 | 0A000 0A000 0A000 0A000
SELECT dp_agg_internal.keys_alone(*) FILTER (WHERE id = 5000) FROM people;
SELECT city FROM people GROUP BY city HAVING dp_agg_internal.keys_alone(*) FILTER (WHERE name LIKE '%5000');
SELECT dp_agg_internal.keys_alone(*) OVER () FROM people;
SELECT (SELECT dp_agg_internal.keys_alone(*) FILTER (WHERE p.age > 5)) FROM people p;
ATTACKS

# Hostile parts of blocks.
$neighbours->attack(<<'ATTACKS');
@ functions of hers below an aggregate | 0 | 0A000 0A000 0A000 0A000 0A000 0A000 0A000
SELECT count(*) FROM people WHERE tell(name);
SELECT count(*) FILTER (WHERE tell(name)) FROM people;
SELECT sum(age) FILTER (WHERE tell(name)) FROM people;
SELECT count(tell(name)) FROM people;
SELECT count(*) FROM people GROUP BY tell(city);
SELECT DISTINCT tell(city) FROM people;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY added(age, 1)) FROM people;
@ functions of hers above one | 6 |
SELECT city FROM people GROUP BY city HAVING tell(city) ORDER BY city;
SELECT city FROM people GROUP BY city HAVING tell_noisy(count(*)) ORDER BY 1;
SELECT city, tell(city) FROM people GROUP BY city ORDER BY tell(city), city;
SELECT DISTINCT ON (tell(city)) tell_noisy(count(*)) FROM people GROUP BY city;
SELECT city FROM lone GROUP BY city HAVING tell(city);
SELECT tell_noisy(count(*)) FROM lone;
~ told Celle
@ keys of one person | 5 |
SELECT city FROM lone GROUP BY city;
SELECT DISTINCT city, age FROM lone;
SELECT DISTINCT 1 FROM lone;
SELECT count(*) AS noisy FROM (SELECT DISTINCT city FROM lone) s;
SELECT name FROM people GROUP BY name;
@ groups of one person, counted | 5 |
SELECT count(*) AS noisy FROM (SELECT DISTINCT city, age FROM lone) s;
SELECT count(*) AS noisy, count(age) AS noisy FROM (SELECT city, 100 / age AS age FROM lone GROUP BY 1, 2) s WHERE city > 'B';
SELECT city, count(*) AS noisy FROM (SELECT DISTINCT city, age FROM people) s GROUP BY city;
SELECT count(DISTINCT (name, age, 100 / age)) AS noisy FROM people;
SELECT count(*), avg(n) FROM (SELECT city, count(*) AS n FROM lone GROUP BY city) s;
@ groups by what tells | 0 | 0A000
SELECT count(*) FROM (SELECT DISTINCT tell(city) AS t, age FROM people) s;
@ the unit as a key | 0 | 42501 42501 42501 42501 42501 42501
SELECT id FROM lone GROUP BY id;
SELECT DISTINCT id FROM lone;
SELECT id, count(*) FROM lone GROUP BY id;
SELECT count(*), max(age) FROM lone GROUP BY id, city;
SELECT x FROM (SELECT id AS x FROM lone) s GROUP BY x;
SELECT person, sum(minutes) FROM visits GROUP BY person HAVING sum(minutes) > 5;
@ the unit in disguise | 3 |
SELECT id + 0 FROM lone GROUP BY 1;
SELECT id::text, count(*) AS noisy FROM lone GROUP BY 1;
SELECT CASE WHEN id = 5000 THEN 'here' END, count(*) AS noisy FROM people GROUP BY 1 ORDER BY 1;
@ public keys, whatever the rows | 0 | 42501
SELECT active FROM people GROUP BY active ORDER BY 1;
SELECT DISTINCT active FROM people WHERE id = 5000 AND 1 / age > 0 ORDER BY 1;
SELECT active FROM people WHERE name LIKE '%5000' GROUP BY active HAVING tell(active) ORDER BY 1;
SELECT count(*) FROM (SELECT DISTINCT active FROM people WHERE id = 5000) s;
SELECT 1 FROM lone HAVING true;
@ public keys beside a table that she may not read | 0 | 42501 42501
SELECT active FROM people p JOIN clinic.sealed s ON s.k = p.id GROUP BY active;
SELECT active FROM people p LEFT JOIN clinic.sealed s ON s.k = p.id WHERE s.t IS NOT NULL GROUP BY active;
@ public keys, of rows that are not read | 0 | 0A000 42501 0A000
SELECT active FROM people WHERE tell(name) GROUP BY active;
SELECT active FROM people WHERE id IN (SELECT k FROM clinic.sealed) GROUP BY active;
SELECT active FROM people p JOIN mine m ON tell(p.name) GROUP BY active;
@ public keys, without a budget | 0 | 42501 42501
> eve
SELECT DISTINCT active FROM people ORDER BY 1;
SELECT DISTINCT city FROM people;
@ conditions of FILTER that fail on somebody | 3 |
SELECT count(*) FILTER (WHERE 100 / age > 0) AS noisy FROM people;
SELECT sum(age) FILTER (WHERE 10 / (2147483647 - tag) >= 0) AS noisy, count(*) AS noisy2 FROM people;
SELECT city, avg(score) FILTER (WHERE pay * 1e300 * 1e300 > score) AS maybe FROM people GROUP BY city;
@ conditions of FILTER that read more | 2 | 42501 42803
SELECT count(*) FILTER (WHERE (SELECT true)) AS noisy FROM people;
SELECT count(*) FILTER (WHERE id IN (SELECT k FROM clinic.sealed)) FROM people;
SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM lone l WHERE l.id = p.id)) AS noisy FROM people p;
SELECT count(*) FILTER (WHERE count(*) > 5) FROM people;
@ a unit counted once under a condition | 2 |
SELECT count(DISTINCT person) FILTER (WHERE minutes > 20) AS noisy FROM visits;
SELECT count(DISTINCT id) FILTER (WHERE id = 5000) > 10 AS many FROM people;
~ many\|f
@ hostile fractions | 0 | 22023 22023 22023 22023 22023 22023 22023 0A000 42803 0A000
SELECT percentile_cont(2) WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont(-1e-300) WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont('NaN') WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont(NULL::float8) WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont('{}'::float8[]) WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont(ARRAY[0.5, NULL]) WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont(ARRAY[[0.1], [0.5]]) WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont((SELECT 0.5)) WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont(score) WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont(random()) WITHIN GROUP (ORDER BY age) FROM people;
@ fractions and values at the border | 2 |
SELECT percentile_disc(0) WITHIN GROUP (ORDER BY age) AS maybe, percentile_disc(1) WITHIN GROUP (ORDER BY age DESC) AS maybe2 FROM people;
SELECT percentile_cont(array_fill(0.5::float8, ARRAY[30])) WITHIN GROUP (ORDER BY pay) AS maybe FROM people;
@ aggregates of outer rows | 0 | 0A000 0A000 0A000 42501 0A000 0A000
SELECT (SELECT count(p.id)) FROM people p;
SELECT (SELECT sum(p.age) FROM doctors) FROM people p;
SELECT count(*), (SELECT max(p.age) FILTER (WHERE tell(p.name))) FROM people p;
SELECT (SELECT count(d.beds) FROM lone) FROM doctors d;
SELECT mode() WITHIN GROUP (ORDER BY city), (SELECT count(p.id)) FROM people p;
SELECT (SELECT (SELECT mode() WITHIN GROUP (ORDER BY city) FROM people WHERE age > d.beds)) FROM doctors d;
@ subqueries in any place | 3 | 22023 42501 42501 42501
SELECT count(*) AS noisy FROM people WHERE age > (SELECT avg(age) FROM people);
SELECT count(*) AS noisy FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.id);
SELECT sum((SELECT 1)) FROM people;
SELECT count(*) AS noisy FROM people GROUP BY (SELECT beds FROM doctors LIMIT 1);
SELECT (SELECT name FROM people WHERE id = 5000), count(*) FROM people;
SELECT ARRAY(SELECT name FROM people);
SELECT city FROM people GROUP BY city HAVING city IN (SELECT city FROM lone);
@ what a block may not read | 0 | 0A000 0A000 0A000 0A000 0A000 0A000 0A000
SELECT count(*) FROM (SELECT city FROM lone INTERSECT SELECT town FROM doctors) s;
WITH RECURSIVE t AS (SELECT id FROM lone UNION ALL SELECT id + 1 FROM t WHERE id < 5) SELECT count(*) FROM t;
WITH d AS (DELETE FROM mine WHERE id < 0 RETURNING *) SELECT count(*) FROM people, d;
SELECT count(*) FROM people p, LATERAL (SELECT p.age LIMIT 1) s;
SELECT count(*) FROM people p, LATERAL (SELECT count(*) FROM visits v WHERE v.person = p.id) s;
SELECT count(*) FROM (SELECT * FROM lone LIMIT 1) s;
SELECT count(*) FROM people TABLESAMPLE BERNOULLI (50) REPEATABLE (1);
@ what a block reads of the catalogs, as whoever asks | 1 |
SELECT count(*) AS noisy FROM people JOIN pg_class ON oid = id;
@ grouping sets | 3 | 42501
SELECT city, count(*) AS noisy FROM people GROUP BY GROUPING SETS ((city), ()) ORDER BY city;
SELECT city, count(*) AS noisy FROM people GROUP BY ROLLUP (city) ORDER BY city;
SELECT city, count(*) FROM people GROUP BY GROUPING SETS ((id), (city));
SELECT grouping(city), count(*) AS noisy FROM people GROUP BY city ORDER BY city;
@ windows and distinct rows | 2 | 42501 42501 42501 42501
SELECT count(*) OVER () FROM lone;
SELECT DISTINCT city, row_number() OVER () FROM lone;
SELECT DISTINCT city, generate_series(1, 2) FROM lone;
SELECT DISTINCT ON (city) id, city FROM lone;
SELECT city, sum(count(*)) OVER () > 100 AS many, count(*) AS noisy FROM people GROUP BY city ORDER BY city;
SELECT DISTINCT ON (city) city, count(*) AS noisy FROM people GROUP BY city ORDER BY city;
~ many\|t
@ whole rows and system columns | 1 | 0A000 0A000 0A000 0A000 0A000 0A000 0A000 22023
SELECT count(p) AS noisy FROM people p;
SELECT count(p) FILTER (WHERE age > 5) FROM people p;
SELECT DISTINCT p FROM people p;
SELECT count(*) FROM people p GROUP BY p;
SELECT people::text, count(*) FROM people GROUP BY 1;
SELECT count(*) FROM people WHERE people IS NOT NULL;
SELECT DISTINCT ctid FROM people;
SELECT tableoid, count(*) FROM parts GROUP BY 1;
SELECT sum(xmin::text::int) FROM people;
@ joins with her tables | 2 | 0A000 0A000
SELECT count(*) AS noisy FROM people JOIN mine USING (id);
SELECT count(*) AS noisy FROM people NATURAL JOIN mine;
SELECT count(*) FROM people CROSS JOIN mine;
SELECT count(*) FROM people p JOIN mine m ON m.id > p.id;
@ partitions | 3 | 42501
SELECT count(*) FROM parts_1;
SELECT count(*) AS noisy FROM ONLY parts;
SELECT count(*) AS noisy FROM parts;
SELECT count(*) AS noisy FROM lone;
ATTACKS

# Who may read what.
$neighbours->attack(<<'ATTACKS');
@ settings that would open or close the gate | 1 | 42501 42501 42501
SET dp_agg.plain_aggregates = off;
SELECT count(*) FROM lone;
RESET dp_agg.plain_aggregates;
SET row_security = off;
SELECT count(*) AS noisy FROM lone;
SET session_authorization = olga;
SET ROLE olga;
@ a right to one table of two | 2 | 42501 42501
= once | dp_ aggregates are the way out
> half
SELECT count(*) > 100 AS many FROM visits;
SELECT count(*) AS noisy FROM lone;
SELECT count(*) FROM visits v JOIN people p ON p.id = v.person;
SELECT count(*) FROM (SELECT person FROM visits GROUP BY person) v JOIN people p ON p.id = v.person;
SELECT dp_count(*) FROM visits v JOIN people p ON p.id = v.person;
~ many\|t
@ a right to some columns | 2 | 42501
> part
SELECT count(*) > 100 AS many, count(city) > 100 AS named FROM people;
SELECT avg(age) AS maybe FROM people;
SELECT count(*) AS noisy FROM people WHERE name LIKE '%5000' OR city < 'Ab';
SELECT id, name FROM people;
~ named\|t
@ another role executes what one has prepared | 3 |
> bob
PREPARE p AS SELECT count(*) AS noisy FROM lone;
EXECUTE p;
SET ROLE team;
EXECUTE p;
RESET ROLE;
EXECUTE p;
DEALLOCATE p;
@ rights granted and revoked between executions | 3 |
PREPARE p AS SELECT count(*) > 100 AS many FROM people;
EXECUTE p;
> olga
GRANT SELECT ON clinic.people TO ann;
> ann
EXECUTE p;
> olga
REVOKE SELECT ON clinic.people FROM ann;
> ann
EXECUTE p;
> olga
GRANT SELECT (city) ON clinic.people TO ann;
> ann
EXECUTE p;
> olga
REVOKE SELECT (city) ON clinic.people FROM ann;
> ann
EXECUTE p;
DEALLOCATE p;
@ rights of a group, granted and revoked between executions | * | (|42501)
> admin
GRANT olga TO ann;
> ann
PREPARE p AS SELECT count(*) > 100 AS many FROM people;
EXECUTE p;
> admin
REVOKE olga FROM ann;
> ann
EXECUTE p;
SELECT count(*) AS noisy FROM people;
DEALLOCATE p;
@ the policy goes and comes between executions | 2 | 42501
PREPARE p AS SELECT count(*) AS noisy FROM lone;
EXECUTE p;
> admin
SELECT dp_agg.unprotect('clinic.lone');
> ann
EXECUTE p;
> admin
SELECT dp_agg.protect('clinic.lone', 'id'), dp_agg.set_domain('clinic.lone', 'age', 0, 100);
> ann
EXECUTE p;
DEALLOCATE p;
@ a domain changes between executions | 2 | 22023
PREPARE p AS SELECT sum(age) AS noisy FROM lone;
EXECUTE p;
> olga
SELECT dp_agg.set_domain('clinic.lone', 'age', 0, 1000000);
> ann
EXECUTE p;
SELECT noise_stddev > 100000 AS wide FROM dp_agg.last_release();
> olga
SELECT dp_agg.drop_domain('clinic.lone', 'age');
> ann
EXECUTE p;
DEALLOCATE p;
> olga
SELECT dp_agg.set_domain('clinic.lone', 'age', 0, 100);
~ wide\|t
@ generic plans | 17 |
SET plan_cache_mode = force_generic_plan;
PREPARE p AS SELECT count(*) AS noisy FROM lone;
EXECUTE p;
EXECUTE p;
EXECUTE p;
RESET plan_cache_mode;
PREPARE q(int) AS SELECT count(*) AS noisy FROM lone WHERE age > $1;
EXECUTE q(1) \; EXECUTE q(2) \; EXECUTE q(3) \; EXECUTE q(4) \; EXECUTE q(5) \; EXECUTE q(6) \; EXECUTE q(7);
PREPARE r(float8) AS SELECT percentile_cont($1) WITHIN GROUP (ORDER BY age) AS maybe FROM lone;
EXECUTE r(0.5) \; EXECUTE r(0.5) \; EXECUTE r(0.5) \; EXECUTE r(0.5) \; EXECUTE r(0.5) \; EXECUTE r(0.5) \; EXECUTE r(0.5);
DEALLOCATE ALL;
@ functions whose definer has no right | 2 | 42501
> bob
CREATE OR REPLACE FUNCTION ann.of_bob() RETURNS bigint SECURITY DEFINER SET search_path = clinic, pg_temp LANGUAGE sql AS 'SELECT count(*) FROM lone';
CREATE OR REPLACE FUNCTION ann.rows_of_bob() RETURNS bigint SECURITY DEFINER SET search_path = clinic, pg_temp LANGUAGE sql AS 'SELECT id FROM lone';
> ann
SELECT ann.of_bob() AS noisy;
SELECT ann.of_bob() AS noisy FROM generate_series(1, 1);
SELECT ann.rows_of_bob();
@ views of all kinds | 6 | 42501 42501 42501
CREATE VIEW v1 AS SELECT city, count(*) AS noisy FROM lone GROUP BY city;
CREATE VIEW v2 WITH (security_invoker) AS SELECT count(*) AS noisy FROM lone;
CREATE VIEW v3 AS SELECT * FROM lone;
CREATE VIEW v4 WITH (security_barrier) AS SELECT * FROM lone WHERE city <> 'Aachen';
SELECT * FROM v1;
SELECT * FROM v2;
SELECT count(*) AS noisy FROM v3;
SELECT count(*) AS noisy FROM v4;
SELECT count(*) AS noisy FROM grown;
SELECT count(*) AS noisy FROM guarded;
SELECT * FROM v3;
SELECT * FROM clinic.counted;
SELECT * FROM clinic.listed;
DROP VIEW v1, v2, v3, v4;
@ published views | 4 | 42501 42501 42501 42501 42703 42501
SELECT count(*) AS noisy FROM lone_seen;
SELECT city FROM lone_seen GROUP BY city;
SELECT count(*) AS noisy, avg(age) AS maybe2 FROM people_seen p JOIN mine USING (id);
SELECT count(*) AS noisy FROM lone_seen a JOIN people b USING (id);
SELECT * FROM lone_seen LIMIT 0;
SELECT * FROM people_seen WHERE 1 = 0;
SELECT * FROM lone_seen;
SELECT id FROM lone_seen WHERE tell(id);
SELECT lone_seen FROM lone_seen;
SELECT id, count(*) FROM lone_seen GROUP BY id;
SELECT count(name) FROM people_seen;
SELECT * FROM clinic.nested;
@ a published view of another's, made by who may not | 0 | 42501 42501 42501
SELECT dp_agg.publish('clinic.lone', 'ann.seen');
CREATE OR REPLACE VIEW clinic.lone_seen AS SELECT 1 AS id;
ALTER VIEW clinic.lone_seen SET (security_invoker = off);
@ a table of hers of the same name | 1 |
CREATE TEMP TABLE people AS SELECT 1 AS id;
SELECT count(*) = 1 AS one FROM people;
SELECT count(*) AS noisy FROM clinic.people;
~ one\|t
DROP TABLE people;
@ without a budget, or with too small a one | 0+1 | 42501 53400
> eve
SELECT count(*) FROM lone;
> poor
SET dp_agg.epsilon = 1;
SELECT count(*) FROM lone;
ATTACKS

# Where plain blocks stand.
$neighbours->attack(<<'ATTACKS');
@ functions and blocks of code | 11 | 42501
CREATE OR REPLACE FUNCTION scalar() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM clinic.lone';
CREATE OR REPLACE FUNCTION standard() RETURNS bigint LANGUAGE sql RETURN (SELECT count(*) FROM clinic.lone);
CREATE OR REPLACE FUNCTION inlined() RETURNS SETOF clinic.lone LANGUAGE sql STABLE AS 'SELECT * FROM clinic.lone';
CREATE OR REPLACE FUNCTION grouped() RETURNS TABLE (c text) LANGUAGE sql STABLE AS 'SELECT city FROM clinic.lone GROUP BY city';
SELECT scalar() AS noisy;
SELECT standard() AS noisy;
SELECT count(*) AS noisy FROM inlined();
SELECT * FROM inlined();
SELECT * FROM grouped();
DO $$ DECLARE n int; BEGIN FOR i IN 1..7 LOOP SELECT count(*) INTO n FROM clinic.lone WHERE age > i; RAISE NOTICE 'noisy:%', n; END LOOP; END $$;
DROP FUNCTION scalar(), standard(), inlined(), grouped();
@ a function of hers that looks at errors | 2 |
DO $$ BEGIN
	PERFORM count(*) FROM clinic.people WHERE 1 / (age - 33) = 0;
	RAISE NOTICE 'no error';
EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'error %', SQLERRM; END $$;
DO $$ BEGIN
	PERFORM sum(least(greatest(10 / (2147483647 - tag), 0), 9)) FROM clinic.people;
	RAISE NOTICE 'no error';
EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'error %', SQLERRM; END $$;
~ no error
@ statements that keep what they read | 5 | 42501 42501
CREATE TABLE t1 AS SELECT city, count(*) AS noisy FROM lone GROUP BY city;
CREATE MATERIALIZED VIEW m1 AS SELECT city, count(*) AS noisy FROM lone GROUP BY city;
REFRESH MATERIALIZED VIEW m1;
INSERT INTO kept SELECT city, count(*) FROM lone GROUP BY city RETURNING city;
COPY (SELECT city FROM lone GROUP BY city) TO STDOUT;
COPY (SELECT city FROM lone) TO STDOUT;
COPY lone TO STDOUT;
DROP TABLE t1;
DROP MATERIALIZED VIEW m1;
@ statements that change rows by what they read | 1 | 0A000 0A000 0A000 42501
UPDATE kept SET n = (SELECT count(*) FROM lone);
DELETE FROM kept USING (SELECT count(*) AS c FROM lone) s WHERE s.c > 0;
INSERT INTO kept VALUES ('x', 1) RETURNING (SELECT count(*) AS noisy FROM lone) AS noisy;
MERGE INTO kept USING (SELECT count(*) AS c FROM lone) s ON n = s.c WHEN MATCHED THEN DELETE;
DELETE FROM kept USING lone WHERE lone.city = kept.city;
@ triggers and rules | 2 |
CREATE FUNCTION counts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.n := (SELECT count(*) FROM clinic.lone); NEW.city := NULL; RETURN NEW; END $$;
CREATE TABLE hit (city text, n bigint);
CREATE TRIGGER counts BEFORE INSERT ON hit FOR EACH ROW EXECUTE FUNCTION counts();
INSERT INTO hit VALUES ('x', 1);
CREATE RULE more AS ON INSERT TO mine DO ALSO INSERT INTO kept SELECT city, count(*) FROM lone GROUP BY city;
INSERT INTO mine VALUES (-1, 'x');
DROP RULE more ON mine;
DROP TABLE hit;
DROP FUNCTION counts();
DELETE FROM mine WHERE id = -1;
@ cursors | 2 |
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) AS noisy FROM lone;
DECLARE d SCROLL CURSOR FOR SELECT city, count(*) AS noisy FROM people GROUP BY city ORDER BY city;
FETCH 1 FROM d;
FETCH ALL FROM d;
MOVE BACKWARD ALL IN d;
FETCH ALL FROM d;
DECLARE h CURSOR WITH HOLD FOR SELECT city FROM lone GROUP BY city;
COMMIT;
FETCH ALL FROM h;
CLOSE h;
@ what is rolled back is charged | 2 | 22014
BEGIN;
SELECT count(*) AS noisy FROM lone;
ROLLBACK;
BEGIN;
SAVEPOINT s;
SELECT ntile((count(*) - count(*))::int) OVER () FROM lone;
ROLLBACK TO s;
COMMIT;
@ WITH queries, materialized or not | 4 | 42501 42501
WITH w AS MATERIALIZED (SELECT count(*) AS noisy FROM lone) SELECT * FROM w;
WITH w AS NOT MATERIALIZED (SELECT count(*) AS noisy FROM lone) SELECT * FROM w;
WITH w AS (SELECT * FROM lone) SELECT count(*) AS noisy FROM w;
WITH w AS MATERIALIZED (SELECT * FROM lone) SELECT count(*) AS noisy FROM w;
WITH w AS (SELECT * FROM lone) SELECT count(*), (SELECT city FROM w WHERE id = 5000) FROM w;
WITH w AS (SELECT * FROM lone) SELECT (SELECT count(*) FROM w), * FROM w;
@ what is around a block is over released rows | 4 |
SELECT count(*) AS cities FROM (SELECT city, count(*) FROM people GROUP BY city) s;
SELECT string_agg(city, ',' ORDER BY city) AS cities FROM (SELECT DISTINCT city FROM people) s;
SELECT array_agg(row_to_json(s)) IS NULL AS nothing FROM (SELECT city, count(*) FROM lone GROUP BY city) s;
SELECT town, (SELECT count(*) AS noisy FROM lone) > 100 AS many FROM doctors ORDER BY clinic;
~ cities\|3
~ cities\|Aachen,Bremen,Celle
~ nothing\|t
ATTACKS

# Statements that show no rows.
$neighbours->attack(<<'ATTACKS');
@ probes | 0 |
SELECT * FROM people LIMIT 0;
SELECT * FROM lone WHERE false;
SELECT name, count(*) FROM people WHERE 1 = 0 GROUP BY name;
SELECT * FROM lone WHERE age > 5 AND NULL;
SELECT * FROM (SELECT * FROM lone) s WHERE 1 <> 1;
SELECT id, tell(name), nextval('calls') FROM people LIMIT 0;
SELECT people, ctid FROM people LIMIT 0;
SELECT id FROM lone UNION SELECT person FROM visits LIMIT 0;
SELECT id FROM lone ORDER BY id FETCH FIRST 0 ROWS WITH TIES;
SELECT id FROM lone WHERE false GROUP BY id;
SELECT city, rank() OVER (ORDER BY age) FROM lone LIMIT 0;
SELECT * FROM people, secured LIMIT 0;
SELECT count(*) AS none FROM lone WHERE false;
CREATE TABLE copied AS SELECT * FROM people WHERE false;
DROP TABLE copied;
~ none\|0
@ probes that planning or running them could fail on | 0 | 42501
SELECT 1 / COALESCE(age, 0) FROM lone LIMIT 0;
SELECT sum(age) OVER (ROWS (SELECT 1) PRECEDING) FROM lone LIMIT 0;
SELECT age::watched FROM lone LIMIT 0;
@ probes with parameters, often | 0 |
PREPARE p(int) AS SELECT id FROM lone LIMIT $1;
EXECUTE p(0) \; EXECUTE p(0) \; EXECUTE p(0) \; EXECUTE p(0) \; EXECUTE p(0) \; EXECUTE p(0) \; EXECUTE p(0);
PREPARE q(boolean) AS SELECT id FROM lone WHERE $1;
EXECUTE q(false) \; EXECUTE q(false) \; EXECUTE q(false) \; EXECUTE q(false) \; EXECUTE q(false) \; EXECUTE q(false) \; EXECUTE q(false);
DEALLOCATE ALL;
@ a probe that becomes none | 0 | 42501 42501
PREPARE p(int) AS SELECT id FROM lone LIMIT $1;
EXECUTE p(0);
EXECUTE p(1);
PREPARE q(boolean) AS SELECT id FROM lone WHERE $1;
EXECUTE q(false);
EXECUTE q(true);
DEALLOCATE ALL;
@ a condition that is false when it is looked at, and true later | 0 | 42501
SELECT setval('calls', 1, false);
SELECT id FROM lone WHERE once_false();
SELECT is_called AS called FROM calls;
~ called\|f
@ whether there is anybody | 4 | 0A000 42501 42501
SELECT EXISTS (SELECT FROM lone) AS noisy;
SELECT EXISTS (SELECT 1 / (age - 33), tell(city) FROM lone ORDER BY tell(id) LIMIT 1) AS noisy;
SELECT EXISTS (SELECT FROM lone WHERE 1 / (age - 33) > 0) AS noisy, EXISTS (SELECT FROM people WHERE false) AS noisy;
SELECT EXISTS (SELECT FROM lone WHERE tell(id)) AS noisy;
SELECT 1 AS noisy WHERE NOT EXISTS (SELECT FROM people LIMIT 1);
SELECT EXISTS (SELECT FROM lone OFFSET 5999);
SELECT EXISTS (SELECT FROM lone FOR UPDATE);
@ whether there is anybody, by one row of constants | 1 | 0A000 42501 42501 42501 42501 42501
SELECT one IS NULL AS noisy FROM (SELECT 1 AS one FROM lone ORDER BY tell(id) LIMIT 1) s RIGHT JOIN (SELECT 0) o ON true;
SELECT 1 AS one FROM lone WHERE tell(id) LIMIT 1;
SELECT 1 AS one FROM lone WHERE age IN (SELECT k FROM clinic.sealed) LIMIT 1;
SELECT tell(id) FROM lone LIMIT 1;
SELECT (SELECT id FROM lone LIMIT 1) FROM lone LIMIT 1;
SELECT 1 AS one FROM lone LIMIT 1 OFFSET 5999;
SELECT 1 AS one FROM lone LIMIT 1 FOR UPDATE;
@ what only looks like a probe | 0 | 42501 42501 42501 42501 42501 42501
SELECT * FROM lone WHERE random() < 0;
SELECT * FROM lone WHERE id < 0 AND id > 0;
SELECT * FROM lone LIMIT 1 OFFSET 1000000;
SELECT * FROM lone WHERE id IN (SELECT 1 WHERE false);
SELECT * FROM lone LIMIT (SELECT 0);
SELECT * FROM lone WHERE false OR id = 5000;
@ what else a probe would read or do | 0 | 42501 42501 42501 42501 42501 42501 42501
SELECT * FROM lone, clinic.sealed LIMIT 0;
SELECT * FROM lone WHERE id IN (SELECT k FROM clinic.sealed) LIMIT 0;
SELECT (SELECT t FROM clinic.sealed LIMIT 1) FROM lone LIMIT 0;
SELECT * FROM lone FOR UPDATE LIMIT 0;
SELECT * FROM (SELECT * FROM lone FOR UPDATE) s LIMIT 0;
WITH d AS (DELETE FROM mine RETURNING id) SELECT * FROM lone, d LIMIT 0;
SELECT * FROM clinic.listed LIMIT 0;
SELECT count(*) FROM mine;
~ count\|6000
@ pages of raw reads are errors | 0 | 42501 42501 42501 42501
SET dp_agg.raw_reads = empty;
SELECT * FROM lone LIMIT 5;
SELECT id FROM lone ORDER BY tell(age) OFFSET 5999;
SELECT count(*) OVER () FROM lone;
SELECT * FROM (SELECT * FROM lone LIMIT 5) s LEFT JOIN doctors ON true;
@ raw reads without rows | 0 |
SET dp_agg.raw_reads = empty_pages;
SELECT * FROM lone;
SELECT 1 / (age - 33), tell(city) FROM lone WHERE tell(id) ORDER BY tell(age);
SELECT id, count(*) FROM lone GROUP BY id HAVING tell(count(*));
SELECT DISTINCT ON (city) * FROM lone;
SELECT count(*) OVER (), nextval('calls') FROM lone;
SELECT 1 UNION ALL SELECT id FROM lone;
SELECT * FROM lone, (SELECT count(*) FROM people) s;
WITH w AS MATERIALIZED (SELECT * FROM lone) SELECT * FROM w WHERE tell(id);
SELECT * FROM (SELECT * FROM lone LIMIT 5) s LEFT JOIN doctors ON true;
EXPLAIN SELECT * FROM lone JOIN people USING (id);
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM lone;
FETCH ALL FROM c;
COMMIT;
@ raw reads that make rows of their own | 0 | 42501 42P01
SET dp_agg.raw_reads = empty;
CREATE TABLE made (id int, n bigint);
INSERT INTO made SELECT 0, 0;
CREATE TABLE made_by AS SELECT id, count(*) AS n FROM lone GROUP BY GROUPING SETS ((id), ());
INSERT INTO made SELECT * FROM made_by;
SELECT count(*) AS rows FROM made;
DROP TABLE made;
DROP TABLE IF EXISTS made_by;
~ rows\|1$
@ raw reads that are errors still | 0 | 42501 42501 42501 42501 42501 42501
SET dp_agg.raw_reads = empty;
SELECT (SELECT name FROM people LIMIT 1);
SELECT * FROM lone FOR UPDATE;
INSERT INTO kept SELECT city, id FROM lone;
SELECT * FROM lone, clinic.sealed;
DELETE FROM mine USING lone WHERE lone.id = mine.id;
COPY lone TO STDOUT;
@ raw reads, with and without the setting, by one plan | 0 | 42501
SET dp_agg.raw_reads = empty;
PREPARE p AS SELECT id FROM lone;
EXECUTE p;
RESET dp_agg.raw_reads;
EXECUTE p;
DEALLOCATE p;
@ aggregates are answered under that setting | 2 |
SET dp_agg.raw_reads = empty;
SELECT count(*) AS noisy FROM lone;
SELECT city FROM lone GROUP BY city;
@ prices and plans are free | 0 |
EXPLAIN (COSTS OFF) SELECT count(*) FROM lone;
EXPLAIN (VERBOSE) SELECT city, avg(age) FROM people GROUP BY city;
SELECT aggregate FROM dp_agg.price('SELECT count(*), sum(age) FROM lone');
ATTACKS

$neighbours->finish;
