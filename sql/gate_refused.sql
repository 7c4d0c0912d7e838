--
-- gate_refused: what a statement with a block may not hold: refused with its
-- position and a hint, and nothing charged
--
CREATE EXTENSION dp_agg;
-- Plain aggregates have a topic of their own (plain).
SET dp_agg.plain_aggregates = off;
CREATE ROLE refused_analyst;
CREATE SCHEMA refused AUTHORIZATION refused_analyst;
SET search_path = refused, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, weight float8);
CREATE TABLE spots (id int PRIMARY KEY, spot point);
INSERT INTO people SELECT i, 'city ' || i % 2, i, i FROM generate_series(1, 100) i;
CREATE TABLE others (id int PRIMARY KEY, age int);
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('spots', 'id'), dp_agg.protect('others', 'id', 'other data');
SELECT dp_agg.set_budget('refused_analyst', 1e6, 1e-3), dp_agg.set_budget('refused_analyst', 1e6, 1e-3, 'other data');
SET ROLE refused_analyst;
CREATE TABLE mine (id int PRIMARY KEY, x bigint);
INSERT INTO mine SELECT i, i FROM generate_series(1, 10) i;

-- aggregates
SELECT dp_sum(age, 0, 100 ORDER BY id) FROM people;
\echo :SQLSTATE
SELECT dp_sum(DISTINCT age, 0, 100) FILTER (WHERE (city, age) > ('a', 1)) FROM people;
\echo :SQLSTATE
SELECT dp_count(DISTINCT people) FROM people;
\echo :SQLSTATE
SELECT dp_stddev(DISTINCT age, 0, 100) FROM people;
\echo :SQLSTATE
SELECT dp_median(DISTINCT age, 0, 100) FROM people;
\echo :SQLSTATE
SELECT dp_count(*) OVER () FROM people;
\echo :SQLSTATE
SELECT city, dp_sum(age, 0, 100) OVER (PARTITION BY city) FROM people;
\echo :SQLSTATE
SELECT dp_count(*), count(*) FROM people;
\echo :SQLSTATE
SELECT dp_count(*), string_agg(city, ',') FROM people;
\echo :SQLSTATE
SELECT dp_count(*) FROM people HAVING max(age) > 5;
\echo :SQLSTATE
SELECT dp_count(*) FROM people ORDER BY min(age);
\echo :SQLSTATE
SELECT dp_count(*), sum(count(*)) OVER () FROM people;
\echo :SQLSTATE
SELECT dp_count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM people;
\echo :SQLSTATE
SELECT (SELECT dp_count(mine.id) FROM people) FROM mine;
\echo :SQLSTATE
SELECT dp_count(*), (SELECT max(p.age) FROM mine) FROM people p;
\echo :SQLSTATE
SELECT dp_count(*), (SELECT dp_sum(p.age, 0, 100) FROM mine LIMIT 1) FROM people p;
\echo :SQLSTATE

-- columns outside GROUP BY
SELECT id, spot, dp_count(*) FROM spots GROUP BY id;
\echo :SQLSTATE
SELECT dp_count(*), (SELECT x FROM mine WHERE mine.id = people.age) FROM people GROUP BY people.id;
\echo :SQLSTATE
SELECT p, dp_count(*) FROM people p GROUP BY id;
\echo :SQLSTATE
SELECT row_to_json(p), dp_count(*) FROM people p GROUP BY id;
\echo :SQLSTATE
SELECT dp_count(*) FROM spots GROUP BY id ORDER BY spot[0];
\echo :SQLSTATE
SELECT dp_count(*) FROM spots GROUP BY id HAVING spot[0] > 5;
\echo :SQLSTATE
SELECT dp_count(*), rank() OVER (ORDER BY spot[0]) FROM spots GROUP BY id;
\echo :SQLSTATE
SELECT dp_count(*), (SELECT count(*) FROM mine WHERE x = (SELECT people.age)) FROM people GROUP BY id;
\echo :SQLSTATE

-- grouping
SELECT generate_series(1, age), dp_count(*) FROM people GROUP BY 1;
\echo :SQLSTATE
SELECT random() < 0.5, dp_count(*) FROM people GROUP BY 1;
\echo :SQLSTATE
SELECT (SELECT max(mine.id) FROM mine WHERE mine.id + people.id = 3), dp_count(*) FROM people GROUP BY 1;
\echo :SQLSTATE
SELECT dp_count(*) FROM people GROUP BY people;
\echo :SQLSTATE
SELECT ctid, dp_count(*) FROM people GROUP BY ctid;
\echo :SQLSTATE
SELECT rank() OVER (), dp_count(*) FROM people GROUP BY 1;
\echo :SQLSTATE

-- conditions and arguments
\set VERBOSITY terse
SELECT dp_count(*) FROM people WHERE age IN (SELECT x FROM mine WHERE mine.id + people.id = 3);
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE EXISTS (SELECT FROM mine WHERE mine.id + people.id = 3);
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE age > (SELECT max(x) FROM mine WHERE mine.id + people.id = 3);
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE age > (SELECT dp_avg(age, 0, 100) FROM people q WHERE q.id > people.age);
\echo :SQLSTATE
SELECT x, (SELECT dp_count(*) FROM people WHERE age = x) FROM mine;
\echo :SQLSTATE
SELECT * FROM mine, LATERAL (SELECT dp_count(*) FROM people WHERE age = x) s;
\echo :SQLSTATE
SELECT x, (SELECT dp_sum(age * x, 0, 100) FROM people) FROM mine;
\echo :SQLSTATE
SELECT x, (SELECT dp_count(*) FROM people GROUP BY mine.x LIMIT 1) FROM mine;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE ctid = '(0,1)';
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE xmin::text = '5';
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE tableoid = 'people'::regclass;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE people IS NOT NULL;
\echo :SQLSTATE
SELECT dp_count(*) FROM people p WHERE p = ROW(1, 'x', 1, 1);
\echo :SQLSTATE
SELECT p, dp_count(*) FROM people p GROUP BY p;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE random() < 0.5;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE pg_sleep(0) IS NULL;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE pg_notify(city, city) IS NULL;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE generate_series(1, age) > 5;
\echo :SQLSTATE
SELECT dp_count(generate_series(1, age)) FROM people;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE set_config('refused.age', city, false) IS NULL;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE query_to_xml('TABLE people', true, true, '') IS NULL;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE city ~ '(a+)+\1';
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE city::interval = '5 days';
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE repeat(city, age) = '';
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE dp_agg_internal.detoasted(age) > 5;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE dp_agg_internal.random_priority() > 0;
\echo :SQLSTATE

-- the analyst's own functions, operators, casts and types
CREATE FUNCTION tell(int) RETURNS boolean IMMUTABLE STRICT COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE WARNING ''told %'', $1; RETURN true; END';
CREATE OPERATOR !! (PROCEDURE = tell, RIGHTARG = int);
CREATE FUNCTION tell_pair(int, int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS
	'BEGIN RAISE WARNING ''told %, %'', $1, $2; RETURN true; END';
CREATE OPERATOR < (PROCEDURE = tell_pair, LEFTARG = int, RIGHTARG = int, RESTRICT = scalarltsel);
CREATE DOMAIN adult AS int CHECK (tell(VALUE));
CREATE TYPE pair AS (a int, b int);
SELECT dp_count(*) FROM people WHERE tell(age);
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE !! age;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE age OPERATOR(refused.<) 5;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE age::adult > 5;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE (age, id)::pair = (5, 5)::pair;
\echo :SQLSTATE
SELECT tell(age), dp_count(*) FROM people GROUP BY 1;
\echo :SQLSTATE
SELECT dp_sum(CASE WHEN tell(age) THEN 1 ELSE 0 END, 0, 1) FROM people;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE age = 5 OR CASE WHEN false THEN tell(age) END;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE COALESCE(age, 5) IN (1, 2, tell(id)::int);
\echo :SQLSTATE
-- no one was told: the warnings would be above
\set VERBOSITY default

-- kinds of statements
UPDATE mine SET x = (SELECT dp_count(*) FROM people);
\echo :SQLSTATE
UPDATE mine SET x = c FROM (SELECT dp_count(*) AS c FROM people) s;
\echo :SQLSTATE
DELETE FROM mine WHERE x < (SELECT dp_count(*) FROM people);
\echo :SQLSTATE
MERGE INTO mine USING (SELECT dp_count(*) AS c FROM people) s ON mine.x = s.c WHEN MATCHED THEN DELETE;
\echo :SQLSTATE
INSERT INTO mine SELECT 1, dp_count(*) FROM people ON CONFLICT DO NOTHING;
\echo :SQLSTATE
INSERT INTO mine SELECT 1, dp_count(*) FROM people ON CONFLICT (id) DO UPDATE SET x = excluded.x;
\echo :SQLSTATE
WITH d AS (DELETE FROM mine RETURNING x) SELECT dp_count(*) FROM people, d;
\echo :SQLSTATE
WITH d AS (DELETE FROM mine RETURNING x) SELECT (SELECT dp_count(*) FROM people), (SELECT count(*) FROM d);
\echo :SQLSTATE
WITH c AS (SELECT dp_count(*) AS n FROM people) UPDATE mine SET x = n FROM c;
\echo :SQLSTATE
SELECT dp_count(*) FROM people FOR UPDATE;
\echo :SQLSTATE
SELECT * FROM mine, (SELECT dp_count(*) AS c FROM people) s FOR UPDATE OF mine;
\echo :SQLSTATE
SELECT * FROM mine WHERE x < (SELECT dp_count(*) FROM people) FOR SHARE;
\echo :SQLSTATE
SELECT (SELECT dp_count(*) FROM people), (SELECT dp_count(*) FROM others);
\echo :SQLSTATE
SELECT dp_count(*) FROM people UNION ALL SELECT dp_count(*) FROM others;
\echo :SQLSTATE

-- nothing was charged, nothing refused for want of budget
SELECT dataset, statements, refusals, epsilon_spent FROM dp_agg.budgets ORDER BY dataset;
SELECT count(*) FROM mine;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA refused CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE refused_analyst;
