--
-- plain: plain SQL over protected tables that may not be read, probes and published views
--
CREATE EXTENSION dp_agg;
CREATE ROLE plain_owner;
CREATE ROLE plain_analyst;
CREATE ROLE plain_stranger;
CREATE SCHEMA plain AUTHORIZATION plain_owner;
CREATE SCHEMA hers AUTHORIZATION plain_analyst;
SET search_path = plain, public;
GRANT USAGE ON SCHEMA plain TO plain_analyst, plain_stranger;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO plain_owner;
SET ROLE plain_owner;
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE people (id int PRIMARY KEY, city text, size varchar(3), age int, tiny smallint, big bigint, income numeric(10, 2),
	height float8, weight real, born date, seen timestamp, logged timestamptz, ok boolean NOT NULL, how mood, email text);
INSERT INTO people SELECT i, (ARRAY['Aachen', 'Berlin', 'Chur', 'Ulm'])[1 + i % 4], (ARRAY['s', 'm', 'xl'])[1 + i % 3], i % 100, i % 7, i, i % 1000 / 8.0,
	i % 50, i % 40, date '1950-01-01' + i % 20000, timestamp '2020-01-01' + make_interval(hours => i),
	timestamptz '2020-01-01 00:00+00' + make_interval(hours => i), i % 2 = 0, (ARRAY['sad', 'happy', NULL])[1 + i % 3]::mood, 'p' || i FROM generate_series(1, 4000) i;
CREATE TABLE visits (person int REFERENCES people, at date, cost int);
INSERT INTO visits SELECT 1 + i % 4000, date '2024-01-01' + i / 4000 * 40, i % 40 FROM generate_series(0, 11999) i;
CREATE TABLE cities (name text PRIMARY KEY, country text);
INSERT INTO cities VALUES ('Aachen', 'D'), ('Berlin', 'D'), ('Chur', 'CH');
CREATE TABLE secrets (id int PRIMARY KEY);
GRANT SELECT ON cities TO plain_analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 4, 4);
SELECT dp_agg.set_domain('people', 'age', 0, 120), dp_agg.set_domain('people', 'tiny', 0, 6), dp_agg.set_domain('people', 'big', 0, 5000),
	dp_agg.set_domain('people', 'income', 0, 200), dp_agg.set_domain('people', 'height', 0, 50), dp_agg.set_domain('people', 'weight', 0, 40),
	dp_agg.set_domain('people', 'born', '1950-01-01', '2004-12-31'), dp_agg.set_domain('people', 'seen', '2020-01-01', '2021-01-01'),
	dp_agg.set_domain('people', 'logged', '2020-01-01 00:00+00', '2021-01-01 00:00+00'), dp_agg.set_domain('people', 'size', ARRAY['s', 'm', 'l', 'xl']::varchar[]),
	dp_agg.set_domain('visits', 'cost', 0, 40), dp_agg.hide_column('people', 'email');
RESET ROLE;
SELECT dp_agg.set_budget('plain_analyst', 1e9, 1e-3);
SET ROLE plain_analyst;
SET dp_agg.epsilon = 1000;

-- As the owner would write it: said once that there is noise, and of private groups.
SELECT city, count(*) FROM people GROUP BY city ORDER BY city;
SELECT count(*) FROM people;
SET client_min_messages = warning;
-- The names and types are PostgreSQL's.
SELECT count(*), count(city), count(DISTINCT id), sum(tiny), sum(age), sum(big), sum(income), sum(weight), sum(height), avg(tiny), avg(age), avg(big), avg(income), avg(weight), avg(height) FROM people \gdesc
SELECT min(tiny), max(age), min(big), max(income), min(weight), max(height), min(born), max(seen), min(logged) FROM people \gdesc
SELECT stddev(age), stddev_samp(income), stddev_pop(height), variance(big), var_samp(weight), var_pop(tiny), covar_pop(age, height), covar_samp(age, height), corr(age, height), regr_slope(age, height), regr_intercept(age, height), regr_count(age, height) FROM people \gdesc
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age), percentile_disc(0.5) WITHIN GROUP (ORDER BY age), percentile_cont(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY income), percentile_disc(ARRAY[0.5]) WITHIN GROUP (ORDER BY born), bool_and(ok), bool_or(ok), every(ok) FROM people \gdesc
-- At this epsilon a value is off by more than so much with a probability below 1e-9.
SELECT count(*) AS n, count(how) AS h, count(DISTINCT id) AS i, abs(sum(age) - 198000) < 3 AS a, abs(sum(big) - 8002000) < 150 AS b, abs(sum(income) - 249760) < 6 AS c,
	abs(avg(age) - 49.5) < 0.01 AS d, abs(avg(income) - 62.44) < 0.01 AS e, abs(avg(weight) - 19.5) < 0.01 AS f, pg_typeof(round(avg(age), 2)) AS g FROM people;
SELECT min(age) <= 1 AS a, max(age) >= 98 AS b, max(tiny) = 6 AS c, min(born) < '1950-01-10' AS d, max(born) > '1960-12-01' AS e,
	max(seen) > '2020-06-10' AS f, min(logged) < '2020-01-03' AS g FROM people;
SELECT abs(stddev(age) - 28.87) < 0.1 AS a, abs(variance(age) / 833.5 - 1) < 0.01 AS b, abs(var_pop(age) / 833.25 - 1) < 0.01 AS c, abs(stddev_pop(height) / 14.43 - 1) < 0.01 AS d,
	abs(corr(age, age) - 1) < 0.01 AS e, abs(regr_slope(income, age) - 0.125) < 0.125 AS f FROM people;
SELECT abs(regr_slope(height, age) - 0.25) < 0.01 AS a, regr_count(height, CASE WHEN ok THEN age END) AS b FROM people;
SELECT abs(percentile_cont(0.5) WITHIN GROUP (ORDER BY age) - 49.5) < 2 AS a, abs(percentile_disc(0.1) WITHIN GROUP (ORDER BY age DESC) - 89) < 2 AS b,
	percentile_disc(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY tiny) AS c FROM people;
SELECT bool_or(ok), bool_or(age > 200), bool_and(ok), bool_and(age < 200), every(age < 200) FROM people;
-- The most frequent value: the first of a ranking, of which nothing else is released.
SELECT mode() WITHIN GROUP (ORDER BY age >= 40) AS older, mode() WITHIN GROUP (ORDER BY size) FILTER (WHERE size <> 's') IN ('m', 'xl') AS size, count(*) FROM people;
SELECT aggregate, mechanism FROM dp_agg.last_release();
SELECT mode() WITHIN GROUP (ORDER BY CASE WHEN age < 60 THEN 'young' ELSE 'old' END) FROM people HAVING mode() WITHIN GROUP (ORDER BY ok) IS NOT NULL;
-- What tools send beside.
SELECT SUM(1) AS cnt, COUNT(1) AS n, COALESCE(SUM("age"), 0) > 0 AS some, abs(avg(CASE WHEN ok THEN 1 ELSE 0 END) - 0.5) < 0.01 AS half FROM people WHERE "age" >= '50';
SELECT "people"."city" AS "city", COUNT(*) FILTER (WHERE age >= 50) AS old, count(DISTINCT id) FILTER (WHERE ok) AS units FROM plain."people" GROUP BY 1 HAVING count(*) > 10 ORDER BY 2 DESC, 1 NULLS LAST LIMIT 3;
SELECT date_trunc('month', at)::date AS month, count(*), abs(avg(cost) - 19.5) < 0.2 AS cost FROM visits WHERE at BETWEEN '2024-01-01' AND '2024-12-31' GROUP BY 1 ORDER BY 1;
SELECT country, count(*) FROM people JOIN cities ON city = name GROUP BY country ORDER BY 1;
SELECT count(*) FROM people p LEFT JOIN visits v ON v.person = p.id;
SELECT rank() OVER (ORDER BY n DESC, city), * FROM (SELECT city, count(*) AS n FROM people GROUP BY city) q ORDER BY 1;
SELECT city, count(*), sum(count(*)) OVER () FROM people GROUP BY city ORDER BY 1;
SELECT json_agg(row_to_json(q)) FROM (SELECT ok, count(*) AS n FROM people GROUP BY ok ORDER BY ok) q;
WITH c AS (SELECT city, count(*) AS n FROM people GROUP BY city) SELECT max(n), count(*) FROM c;
-- Functions of constants that depend on settings are computed once.
SELECT count(*) FROM visits WHERE at >= TO_DATE('2024-02-01', 'YYYY-MM-DD') AND at < TO_TIMESTAMP('2024-03-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US');
SELECT count(*) FROM people WHERE city LIKE concat('%', 'e', 'r', '%') OR city = 'B' || 'ar' || 7;
SELECT count(*) FROM people WHERE format('%s%s', city, 'x') = 'Ulmx';
SELECT count(*) FROM visits WHERE at >= to_date('much', 'YYYY-MM-DD');
PREPARE since AS SELECT count(*) FROM people WHERE logged >= to_timestamp('2020-02-01 00:00', 'YYYY-MM-DD HH24:MI');
EXECUTE since;
SET timezone = 'Asia/Tokyo';
EXECUTE since;
EXECUTE since;
RESET timezone;
-- Rows of single units are what a query around them counts.
SELECT count(*) FROM (SELECT person, count(*) AS n FROM visits GROUP BY person HAVING count(*) > 2) q;
SELECT n, count(*) FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) q GROUP BY n ORDER BY 1;
SELECT count(*) FROM (SELECT DISTINCT person FROM visits WHERE cost > 20) q;
SELECT count(*) FROM people JOIN (SELECT person FROM visits WHERE false GROUP BY person) v ON person = id;
SELECT max(most) >= 38 AS most FROM (SELECT person, max(cost) AS most FROM visits GROUP BY person) q;
SELECT abs(avg(least(n, 10)) - 3) < 0.01 AS visits, abs(avg(least(total, 200)) - 58.5) < 1 AS cost, abs(sum(mean) / 78000 - 1) < 0.01 AS mean
	FROM (SELECT person, count(*) AS n, sum(cost) AS total, avg(cost) AS mean FROM visits GROUP BY person) q;
SELECT avg(n) FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) q;
SELECT sum(total) FROM (SELECT person, sum(cost) AS total FROM visits GROUP BY person) q;
-- A person counts once, however many rows of hers have it.
SELECT count(DISTINCT person) FILTER (WHERE cost > 20) AS one, count(*) FILTER (WHERE cost > 20) AS rows, dp_count(DISTINCT CASE WHEN cost > 20 THEN person WHEN cost < 3 THEN person END) AS two FROM visits;
SELECT at, count(DISTINCT person) FILTER (WHERE cost > 20) FROM visits GROUP BY at ORDER BY at;
SELECT aggregate FROM dp_agg.last_release();
-- Keys by themselves: private ones as one count, public ones free; and how many were released.
SELECT statements AS before FROM dp_agg.budgets \gset
SELECT DISTINCT city FROM people ORDER BY city;
SELECT "t"."city" AS "c" FROM people "t" GROUP BY "t"."city" ORDER BY "t"."city" ASC LIMIT 2;
SELECT count(*) FROM (SELECT DISTINCT city FROM people) q;
SELECT statements - :before AS charged FROM dp_agg.budgets;
SELECT aggregate, epsilon FROM dp_agg.last_release();
SELECT DISTINCT size FROM people;
SELECT ok, how FROM people GROUP BY ok, how;
SELECT DISTINCT size FROM people ORDER BY size DESC LIMIT 2;
SELECT DISTINCT size, dp_count(*) > 1000 AS many FROM people GROUP BY size ORDER BY 1;
SELECT statements - :before AS charged FROM dp_agg.budgets;
SELECT name FROM cities LEFT JOIN people ON city = name GROUP BY name ORDER BY 1;
SELECT statements - :before AS charged FROM dp_agg.budgets;
SELECT 1 FROM people HAVING true;
EXPLAIN (COSTS OFF) SELECT DISTINCT size FROM people;
SELECT * FROM dp_agg.price('SELECT DISTINCT size FROM people');
EXPLAIN (COSTS OFF) SELECT DISTINCT city FROM people;
EXPLAIN SELECT count(*) FROM people;
SELECT aggregate, mechanism, epsilon, admitted FROM dp_agg.price('SELECT count(*), avg(age) FROM people');
-- Declared keys that change are those of the next answer.
PREPARE sizes AS SELECT DISTINCT size FROM people;
EXECUTE sizes;
SET ROLE plain_owner;
SELECT dp_agg.set_domain('people', 'size', ARRAY['s', 'xl']::varchar[]);
SET ROLE plain_analyst;
EXECUTE sizes;

-- Statements that can show no row are free, and have the columns they would have.
SELECT statements AS before FROM dp_agg.budgets \gset
SELECT * FROM people LIMIT 0;
SELECT * FROM "people" AS "q01" WHERE 0=1;
SELECT TRUE AS "_" FROM plain.people WHERE 1 <> 1 LIMIT 0;
SELECT city, count(*), string_agg(email, ',') FROM people WHERE ( 0 = 1 ) GROUP BY "city";
SELECT count(*), sum(age), max(email) FROM people WHERE false;
SELECT * FROM (SELECT p.*, v.cost FROM people p JOIN visits v ON v.person = p.id) q WHERE NULL AND cost > 5;
WITH w AS (SELECT id, email FROM people) SELECT * FROM w LIMIT 0;
SELECT id FROM people UNION SELECT person FROM visits LIMIT 0;
SELECT email, born FROM people \gdesc
SELECT name, q.n FROM cities, LATERAL (SELECT count(*) AS n FROM people WHERE false HAVING name = 'Chur') q;
PREPARE rows(int) AS SELECT id, at FROM people JOIN visits ON person = id LIMIT $1;
EXECUTE rows(0);
EXECUTE rows(1);
EXECUTE rows(0); EXECUTE rows(0); EXECUTE rows(0); EXECUTE rows(0); EXECUTE rows(0);
SELECT 1 / coalesce(age, 0) AS x, rank() OVER (ORDER BY age), unnest(ARRAY[age]) FROM people LIMIT 0;
SELECT count(1 / coalesce(age, 0)) AS x, grouping(city), city FROM people WHERE false GROUP BY GROUPING SETS ((city), ()) LIMIT 0;
SELECT * FROM (SELECT * FROM (SELECT id, age FROM people LIMIT 0) a) b WHERE age > 5;
SELECT * FROM (SELECT city, count(*) FROM people WHERE 0 = 1 GROUP BY city) a;
CREATE TABLE hers.shape AS SELECT * FROM people LIMIT 0;
SELECT count(*) FROM hers.shape;
SELECT city, count(*) FROM people GROUP BY city LIMIT 0;
SELECT DISTINCT city FROM people LIMIT 0;
-- Of other tables the right is needed as ever, and nothing else is done.
SELECT * FROM people, secrets LIMIT 0;
SELECT * FROM (SELECT * FROM people WHERE id IN (SELECT id FROM secrets)) q WHERE false;
WITH d AS (DELETE FROM hers.shape RETURNING id) SELECT * FROM people, d LIMIT 0;
SELECT * FROM people LIMIT 0 FOR UPDATE;
SELECT sum(age) OVER (ROWS (SELECT 1) PRECEDING) FROM people LIMIT 0;
SELECT ok FROM people JOIN secrets USING (id) GROUP BY ok;
SELECT (SELECT email FROM people LIMIT 1) FROM people LIMIT 0;
SELECT * FROM people WHERE (SELECT count(*) FROM people) < 0;
-- CREATE checks what it needs before anything is charged, and a cursor is charged when it is fetched.
CREATE TABLE plain.mine AS SELECT count(*) FROM people;
CREATE MATERIALIZED VIEW plain.mine AS SELECT count(*) FROM people;
BEGIN;
DECLARE c CURSOR FOR SELECT city, count(*) FROM people GROUP BY city ORDER BY city;
SELECT statements - :before AS charged FROM dp_agg.budgets;
FETCH 1 FROM c;
FETCH 2 FROM c;
COMMIT;
SELECT statements - :before AS charged FROM dp_agg.budgets;

-- Rows are never shown.
SELECT * FROM people;
TABLE visits;
EXPLAIN SELECT * FROM people;
SELECT city, age FROM people ORDER BY 1 LIMIT 5;
SELECT id, count(*) FROM people GROUP BY id;
SELECT DISTINCT person, cost FROM visits;
SELECT DISTINCT ON (city) city, age FROM people;
SELECT p.id, q.n FROM people p JOIN (SELECT city, count(*) AS n FROM people GROUP BY city) q USING (city);
SELECT cities.*, (SELECT age FROM people WHERE city = name LIMIT 1) FROM cities;
INSERT INTO hers.shape SELECT * FROM people;
UPDATE hers.shape SET id = people.id FROM people;
DELETE FROM people;
SET dp_agg.plain_aggregates = off;
SELECT * FROM people;
SELECT count(*) FROM people;
SELECT DISTINCT city FROM people;
RESET dp_agg.plain_aggregates;
SET dp_agg.raw_reads = empty_pages;
RESET client_min_messages;
SELECT id, age FROM people ORDER BY age LIMIT 5;
EXPLAIN (COSTS OFF) SELECT id, age FROM people ORDER BY age LIMIT 5;
PREPARE ages(int) AS SELECT id, age FROM people WHERE age > $1;
EXECUTE ages(1); EXECUTE ages(2); EXECUTE ages(3); EXECUTE ages(4); EXECUTE ages(5); EXECUTE ages(6);
SET client_min_messages = warning;
SELECT p.city, c.country FROM people p LEFT JOIN cities c ON c.name = p.city;
SELECT id FROM people UNION ALL SELECT person FROM visits;
SELECT person, count(*) FROM visits GROUP BY person;
SELECT count(*) AS n FROM people;
SELECT id, count(*) FROM people GROUP BY GROUPING SETS ((id), ());
SELECT people.id FROM people, secrets;
SELECT cities.name, (SELECT age FROM people WHERE city = name LIMIT 1) FROM cities;
RESET dp_agg.raw_reads;

PREPARE quantile(float8) AS SELECT percentile_disc($1) WITHIN GROUP (ORDER BY tiny) FROM people;
EXECUTE quantile(0); EXECUTE quantile(0.25); EXECUTE quantile(0.5); EXECUTE quantile(0.75); EXECUTE quantile(1); EXECUTE quantile(1);
SELECT sum(age ORDER BY 0::bigint, 1::bigint) > 190000 AS whole, count(ok ORDER BY 0.5::float8) AS n FROM people;

-- What has no private form says what to write.
SELECT string_agg(city, ',') FROM people;
SELECT array_agg(age) FROM people GROUP BY city;
SELECT json_agg(people) FROM people;
SELECT min(city) FROM people;
SELECT sum(DISTINCT logged - seen) FROM people;
SELECT count(DISTINCT (city, age)) FROM people;
SELECT min(DISTINCT age) FROM people;
SELECT variance(DISTINCT age) FILTER (WHERE ok) FROM people;
SELECT city, mode() WITHIN GROUP (ORDER BY age) FROM people GROUP BY city;
WITH w AS (SELECT city FROM people) SELECT mode() WITHIN GROUP (ORDER BY city) FROM w;
WITH w AS (SELECT * FROM people) SELECT (SELECT mode() WITHIN GROUP (ORDER BY size) IS NOT NULL FROM w);
SELECT mode() WITHIN GROUP (ORDER BY city), (SELECT count(p.id)) FROM people p;
SELECT name, (SELECT mode() WITHIN GROUP (ORDER BY age) FROM people WHERE city = name) FROM cities;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY city) FROM people;
SELECT percentile_cont(random()) WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont(NULL::float8) WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont(ARRAY[0.5, NULL]) WITHIN GROUP (ORDER BY age) FROM people;
SELECT percentile_cont(1.5) WITHIN GROUP (ORDER BY age) FROM people;
SELECT avg(id) FROM people;
SELECT max(email) FROM people;
SELECT count(email) FROM people;
SELECT city, age FROM people GROUP BY city;
SELECT dp_agg_internal.keys_alone(*) FILTER (WHERE ok) FROM people;
SELECT dp_agg_internal.keys_alone(*) OVER () FROM people;
-- An aggregate of her own is none of these, whatever it is called.
SET ROLE plain_analyst;
SET search_path = hers, plain, public, pg_catalog;
CREATE FUNCTION hers.keep(bigint, int) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''%'', $2; RETURN $1; END';
CREATE AGGREGATE hers.sum(int) (SFUNC = hers.keep, STYPE = bigint, INITCOND = 0);
SELECT sum(age) FROM people;
SELECT pg_catalog.sum(age) > 0 AS answered FROM people;
RESET search_path; SET search_path = plain, public;

-- Who may read is answered as ever; who may read one of two tables is told the way.
SET ROLE plain_owner;
SELECT count(*), min(city), string_agg(DISTINCT size, ',' ORDER BY size) FROM people;
SELECT count(*), dp_count(*) FROM people;
GRANT SELECT ON people TO plain_analyst;
SET ROLE plain_analyst;
SELECT count(*), min(email) FROM people;
SELECT count(*) FROM people JOIN visits ON person = id;
SELECT dp_count(*) FROM people JOIN visits ON person = id;
PREPARE counted AS SELECT count(*), min(city) FROM people;
EXECUTE counted;
SET ROLE plain_owner;
REVOKE SELECT ON people FROM plain_analyst;
GRANT SELECT (city, ok) ON people TO plain_analyst;
SET ROLE plain_analyst;
EXECUTE counted;
SELECT min(city), count(*) FROM people WHERE ok;
SELECT count(*), avg(age) > 0 AS mean FROM people WHERE ok;
SET ROLE plain_owner;
REVOKE SELECT (city, ok) ON people FROM plain_analyst;
EXECUTE counted;
SET ROLE plain_analyst;
EXECUTE counted;
SET ROLE plain_stranger;
SELECT count(*) FROM people;
SELECT * FROM people;
-- Views as PostgreSQL looks through them.
SET ROLE plain_owner;
CREATE VIEW adults AS SELECT * FROM people WHERE age >= 18;
CREATE VIEW by_city AS SELECT city, count(*) AS n FROM people GROUP BY city;
CREATE VIEW numbers AS SELECT count(*) AS n FROM people;
GRANT SELECT ON numbers TO plain_analyst;
SET ROLE plain_analyst;
SELECT count(*) FROM adults;
SELECT * FROM adults;
SELECT * FROM by_city;
SELECT n FROM numbers;
CREATE VIEW hers.mine AS SELECT ok, count(*) AS n FROM people GROUP BY ok;
SELECT * FROM hers.mine ORDER BY ok;
-- What is published shows columns, and not one row.
SET ROLE plain_owner;
SELECT dp_agg.publish('people', 'hers.shown', '{city}');
SELECT dp_agg.publish('people', 'few', '{ok,city}'), dp_agg.publish(relation => 'visits', view => '"My visits"');
SELECT dp_agg.publish('people', 'few');
SELECT dp_agg.publish('people', 'other', '{email}');
SELECT dp_agg.publish('people', 'other', '{nothing}');
SELECT dp_agg.publish('people', 'other', '{}');
SELECT dp_agg.publish('people', 'a.b.c');
SELECT dp_agg.publish('people', NULL);
SELECT dp_agg.publish('cities', 'other');
SET ROLE plain_stranger;
SELECT dp_agg.publish('people', 'other');
SELECT table_name, string_agg(column_name, ' ' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_schema = 'plain' GROUP BY 1 ORDER BY 1;
SELECT has_table_privilege('few', 'SELECT') AS few, has_table_privilege('people', 'SELECT') AS people;
SELECT * FROM few;
SET ROLE plain_analyst;
SELECT * FROM few;
SELECT * FROM few WHERE city = 'Ulm' LIMIT 1;
SELECT * FROM few LIMIT 0;
COPY (SELECT * FROM "My visits") TO STDOUT;
SELECT ok, count(*) FROM few GROUP BY ok ORDER BY ok;
SELECT dp_count(*) FROM "My visits";
SELECT DISTINCT city FROM few;
SET dp_agg.epsilon = 50;
SELECT lower, upper FROM dp_agg.suggest_bounds('few', 'tiny');
SELECT dp_agg.suggest_max_rows('"My visits"'), dp_agg.suggest_max_groups('"My visits"', 'at');
RESET ROLE;
SELECT * FROM dp_agg.check_exposure('plain_analyst') WHERE object ~ 'few|shown|people|visits';
-- A pooled session that is handed on knows nothing of the one before.
SET ROLE plain_analyst;
SELECT count(*) > 0 AS released FROM dp_agg.last_release();
DISCARD ALL;
SET ROLE plain_analyst;
SELECT count(*) AS released FROM dp_agg.last_release();
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA plain, hers CASCADE;
SELECT dp_agg.drop_budget('plain_analyst');
DROP OWNED BY plain_owner, plain_analyst, plain_stranger;
DROP ROLE plain_owner, plain_analyst, plain_stranger;
DROP EXTENSION dp_agg;
