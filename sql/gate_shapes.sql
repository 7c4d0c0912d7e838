--
-- gate_shapes: everywhere a block may stand in a statement, each statement
-- charged once, with the price of all its blocks
--
CREATE EXTENSION dp_agg;
CREATE ROLE shapes_owner;
CREATE ROLE shapes_analyst;
CREATE SCHEMA shapes;
GRANT ALL ON SCHEMA shapes TO shapes_owner, shapes_analyst;
SET search_path = shapes, public;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO shapes_owner;
SELECT dp_agg.set_budget('shapes_analyst', 1e9, 1e-3);
SET ROLE shapes_owner;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 2, i % 100 FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('people', 'id');
CREATE VIEW adults AS SELECT id, city, age FROM people WHERE age >= 18;
SET ROLE shapes_analyst;
-- A count at epsilon 1000 is off by one or more with a probability of 1e-434.
SET dp_agg.epsilon = 1000;
CREATE FUNCTION charged(OUT statements bigint, OUT epsilon float8) LANGUAGE sql AS $$
	SELECT statements - COALESCE(nullif(current_setting('shapes.statements', true), '')::bigint, 0),
		round((epsilon_spent - COALESCE(nullif(current_setting('shapes.spent', true), '')::float8, 0))::numeric / 1000)::float8
	FROM dp_agg.budgets $$;
CREATE FUNCTION mark() RETURNS text LANGUAGE sql AS $$
	SELECT set_config('shapes.statements', statements::text, false) || set_config('shapes.spent', epsilon_spent::text, false)
	FROM dp_agg.budgets $$;
\o /dev/null
SELECT mark();
\o

-- in FROM: alone, joined with each other and with other tables
SELECT a.n, b.n, g FROM (SELECT dp_count(*) AS n FROM people) a, (SELECT dp_count(*) AS n FROM adults) b, generate_series(1, 2) g;
SELECT a.city, a.n - b.n AS children FROM (SELECT city, dp_count(*) AS n FROM people GROUP BY city) a
	LEFT JOIN (SELECT city, dp_count(*) AS n FROM adults GROUP BY city) b USING (city) ORDER BY 1;
SELECT n, rank() OVER (ORDER BY n) FROM (SELECT dp_count(*) AS n FROM people GROUP BY city) s LIMIT 1;
SELECT max(n) FROM (SELECT dp_count(*) AS n FROM people GROUP BY city HAVING dp_count(*) > 100) s;
SELECT * FROM charged();
\o /dev/null
SELECT mark();
\o
-- in WITH: once, twice, never, materialized or not; one charge and one draw each
WITH c AS (SELECT dp_count(*) AS n FROM people) SELECT n FROM c;
WITH c AS (SELECT dp_count(*) AS n, dp_avg(age, 0, 100) AS age FROM people) SELECT a.n = b.n AND a.age = b.age AS same FROM c a, c b;
WITH c AS MATERIALIZED (SELECT dp_count(*) AS n FROM people) SELECT n FROM c WHERE n > 0;
WITH c AS NOT MATERIALIZED (SELECT dp_count(*) AS n FROM people) SELECT n FROM c WHERE n > 0;
WITH c AS (SELECT dp_count(*) AS n FROM people), d AS (SELECT n + 1 AS n FROM c) SELECT * FROM d;
SELECT * FROM charged();
\o /dev/null
SELECT mark();
\o
WITH c AS (SELECT dp_count(*) AS n FROM people) SELECT 1 AS unused;
SELECT * FROM charged();
WITH RECURSIVE c (i, n) AS (SELECT 1, dp_count(*) FROM people UNION ALL SELECT i + 1, n FROM c WHERE i < 3) SELECT count(*), count(DISTINCT n) FROM c;
WITH rows AS (SELECT * FROM people WHERE age < 50) SELECT (SELECT dp_count(*) FROM rows), (SELECT dp_count(*) FROM rows WHERE age < 10);
WITH rows AS MATERIALIZED (SELECT city AS town, age FROM adults) SELECT town, dp_count(*) FROM rows WHERE age < 28 GROUP BY town ORDER BY town;
SELECT * FROM charged();
\o /dev/null
SELECT mark();
\o
-- arms of set operations
SELECT 'all' AS who, dp_count(*) FROM people UNION ALL SELECT 'adults', dp_count(*) FROM adults UNION ALL SELECT 'none', 0 ORDER BY 2;
SELECT city FROM people GROUP BY city HAVING dp_count(*) > 100 EXCEPT SELECT 'city 1';
(SELECT dp_count(*) FROM people) INTERSECT (SELECT dp_count(*) FROM people WHERE age >= 0);
SELECT * FROM charged();
\o /dev/null
SELECT mark();
\o
-- subqueries that depend on nothing around them: one draw, however often they are looked at
SELECT g, (SELECT dp_count(*) FROM people) AS n FROM generate_series(1, 3) g;
SELECT count(*) FROM generate_series(998, 1002) g WHERE g > (SELECT dp_count(*) FROM people);
SELECT count(*) FROM generate_series(998, 1002) g WHERE g IN (SELECT dp_count(*) FROM people);
SELECT count(*) FROM generate_series(998, 1002) g WHERE EXISTS (SELECT dp_count(*) FROM people HAVING dp_count(*) > 999);
SELECT ARRAY(SELECT dp_count(*) FROM people GROUP BY city);
SELECT 1 + (SELECT dp_count(*) FROM people) * 2 AS n ORDER BY (SELECT dp_count(*) FROM adults);
SELECT * FROM charged();
\o /dev/null
SELECT mark();
\o
-- prepared statements: planned with their values each time, never generically by themselves
PREPARE young(int) AS SELECT dp_count(*) FROM adults WHERE age < $1;
EXECUTE young(28);
EXECUTE young(38);
EXECUTE young(38);
EXECUTE young(38);
EXECUTE young(38);
EXECUTE young(38);
EXECUTE young(48);
SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = 'young';
SET plan_cache_mode = force_generic_plan;
EXECUTE young(48);
RESET plan_cache_mode;
DEALLOCATE young;
CREATE TABLE saved (n bigint);
PREPARE saving(int) AS INSERT INTO saved SELECT dp_count(*) FROM adults WHERE age < $1 RETURNING n;
SET plan_cache_mode = force_generic_plan;
EXECUTE saving(28);
RESET plan_cache_mode;
EXECUTE saving(28);
-- cursors that go both ways, and outlive their transaction
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT city, dp_count(*) FROM adults GROUP BY city;
FETCH ALL FROM c;
FETCH BACKWARD 1 FROM c;
COMMIT;
FETCH FIRST FROM c;
CLOSE c;
SELECT * FROM charged();
\o /dev/null
SELECT mark();
\o
-- functions in SQL and PL/pgSQL over views, WITH and subqueries
CREATE FUNCTION in_sql(text) RETURNS bigint LANGUAGE sql AS 'WITH a AS (SELECT * FROM adults WHERE city = ''city 1'') SELECT dp_count(*) FROM a';
CREATE FUNCTION in_plpgsql(town text) RETURNS bigint LANGUAGE plpgsql AS
	'BEGIN RETURN (WITH a AS (SELECT * FROM adults WHERE city = town) SELECT n FROM (SELECT dp_count(*) AS n FROM a) s); END';
SELECT in_sql('city 1'), in_plpgsql('city 1');
-- statements that keep the answer
COPY (WITH a AS (SELECT * FROM adults) SELECT city, dp_count(*) FROM a GROUP BY city ORDER BY 1) TO STDOUT;
CREATE TABLE kept AS SELECT city, dp_count(*) AS n FROM adults GROUP BY city;
INSERT INTO kept WITH a AS (SELECT * FROM adults) SELECT 'all', dp_count(*) FROM a;
CREATE MATERIALIZED VIEW seen AS WITH a AS (SELECT * FROM adults) SELECT dp_count(*) AS n FROM a;
SELECT * FROM kept UNION ALL SELECT 'seen', n FROM seen ORDER BY 1;
REFRESH MATERIALIZED VIEW seen;
SELECT * FROM charged();

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA shapes CASCADE;
DROP OWNED BY shapes_owner, shapes_analyst;
DROP EXTENSION dp_agg;
DROP ROLE shapes_owner, shapes_analyst;
