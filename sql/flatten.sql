-- Subqueries, views and SQL functions that only stand for something plainer.
-- At epsilon 100,000 these answers carry noise with probability below 1e-200.
\set VERBOSITY default
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE ROLE flatten_owner;
CREATE ROLE flatten_analyst;
GRANT CREATE ON SCHEMA public TO flatten_owner, flatten_analyst;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO flatten_owner;

SET ROLE flatten_owner;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 3, i % 90 FROM generate_series(1, 900) i;
SELECT dp_agg.protect('people', 'id');
CREATE VIEW adults AS SELECT id AS person, city AS town, age + 1 AS years FROM people WHERE age >= 18;
CREATE VIEW younger_adults AS SELECT town, years * 2 AS twice FROM adults WHERE years < 60;
CREATE VIEW first_ten AS SELECT * FROM people LIMIT 10;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM people;
CREATE VIEW cities AS SELECT city FROM people GROUP BY city;
CREATE VIEW twice AS SELECT * FROM people UNION ALL SELECT * FROM people;
CREATE VIEW pairs AS SELECT a.id FROM people a, people b;
CREATE VIEW mixed AS SELECT dp_count(*) AS n, (SELECT max(age) FROM people) AS oldest FROM people;
CREATE VIEW marked AS SELECT id, random() AS mark FROM people;
CREATE VIEW filtered AS SELECT id FROM people WHERE age IN (SELECT age);
RESET ROLE;
CREATE VIEW strangers AS SELECT * FROM people;
SELECT dp_agg.set_budget('flatten_analyst', 1e9, 1e-5);

SET ROLE flatten_analyst;
SET dp_agg.epsilon = 100000;

-- the owner's views are looked through, not read
SELECT * FROM adults;
SELECT dp_count(*) = (900 / 90 * 72) FROM adults;
SELECT town, dp_count(*) FROM adults GROUP BY town ORDER BY town;
SELECT dp_count(*), dp_sum(twice, 0, 200) = 2 * 10 * (19 + 30) * 12 / 2 FROM younger_adults WHERE twice BETWEEN 0 AND 60;
SELECT dp_count(DISTINCT person) FROM adults WHERE years > 30;
SELECT dp_count(*) FROM (SELECT x.id FROM (SELECT * FROM people WHERE age < 50) x WHERE x.city = 'city 1') y;
-- a view of somebody else's needs its own right
SELECT dp_count(*) FROM strangers;
-- one's own view is as good as writing it out
CREATE VIEW mine AS SELECT age FROM people WHERE age > 80;
SELECT dp_count(*) FROM mine;
SELECT * FROM mine;

-- a view that holds a block and something exact keeps its own lock
SELECT * FROM mixed;
SELECT dp_count(*) FROM mixed;

-- what is validated is what was merged
SELECT dp_count(*) FROM first_ten;
SELECT dp_count(*) FROM barrier;
SELECT dp_count(*) FROM cities;
SELECT dp_count(*) FROM twice;
SELECT dp_count(*) FROM pairs;
SELECT dp_count(*) FROM marked;
SELECT dp_count(*) FROM filtered;
SELECT dp_count(*) FROM (SELECT ctid AS c FROM people) x WHERE c IS NOT NULL;
SELECT dp_count(*) FROM (SELECT p FROM people p) x WHERE (p).age > 3;
SELECT dp_count(*) FROM (SELECT id, regexp_replace(city, 'c', '') AS c FROM people) x WHERE c > 'a';

-- SQL functions in FROM
CREATE FUNCTION ask() RETURNS SETOF bigint LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM people';
CREATE FUNCTION ask(below int) RETURNS TABLE (town text, people bigint) LANGUAGE sql STABLE
AS 'SELECT city, dp_count(*) FROM people WHERE age < below GROUP BY city';
CREATE FUNCTION peek() RETURNS SETOF people LANGUAGE sql STABLE AS 'SELECT * FROM people';
SELECT * FROM ask();
SELECT * FROM ask(45) ORDER BY town;
SELECT a.town, a.people - b.people AS difference FROM ask(45) a JOIN ask(27) b USING (town) ORDER BY town;
PREPARE asked(int) AS SELECT sum(people) FROM ask($1);
EXECUTE asked(45);
EXECUTE asked(27);
SELECT * FROM peek();
SELECT dp_count(*) FROM peek();
-- a redefined function is planned anew
CREATE OR REPLACE FUNCTION ask() RETURNS SETOF bigint LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM people WHERE age = 1';
PREPARE replanned AS SELECT * FROM ask();
EXECUTE replanned;
CREATE OR REPLACE FUNCTION ask() RETURNS SETOF bigint LANGUAGE sql STABLE AS 'SELECT -dp_count(*) FROM people WHERE age = 1';
EXECUTE replanned;
-- not in FROM, or VOLATILE, a function runs by itself and needs PL/pgSQL for arguments
CREATE FUNCTION young(below int) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM people WHERE age < below';
CREATE FUNCTION run_young() RETURNS text LANGUAGE plpgsql AS
	'BEGIN RETURN young(9); EXCEPTION WHEN feature_not_supported THEN RETURN SQLERRM; END';
-- since PostgreSQL 18 its statements are planned for the values given
SELECT run_young() = CASE WHEN current_setting('server_version_num')::int >= 180000 THEN '90'
	ELSE 'a differentially private query needs the values of its parameters when it is planned' END AS expected;
CREATE FUNCTION young_too(below int) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM people WHERE age < below); END';
SELECT young_too(9);

RESET ROLE;
-- every answer above was charged, no refusal was
SELECT statements - (current_setting('server_version_num')::int >= 180000)::int AS statements, refusals
	FROM dp_agg.budgets WHERE role = 'flatten_analyst'::regrole;

DROP OWNED BY flatten_owner, flatten_analyst CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE flatten_owner, flatten_analyst;
