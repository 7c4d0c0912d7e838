--
-- grouping_sets: GROUPING SETS, ROLLUP, CUBE and GROUPING() of blocks: a release for each
-- set, and above them all what plain SQL has there
--
CREATE EXTENSION dp_agg;
CREATE ROLE sets_analyst;
CREATE SCHEMA sets;
GRANT USAGE, CREATE ON SCHEMA sets TO sets_analyst;
SET search_path = sets, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, old boolean);
INSERT INTO people SELECT i, nullif('city ' || i % 4, 'city 3'), i % 90, nullif(i % 5, 4) < 2 FROM generate_series(1, 1000) i;
CREATE TABLE visits (person int, clinic int, cost int);
INSERT INTO visits SELECT i % 300, i % 3 + 1, i % 40 FROM generate_series(1, 2000) i;
CREATE TABLE clinics (id int PRIMARY KEY, town text, region text);
INSERT INTO clinics VALUES (1, 'Aachen', 'west'), (2, 'Bremen', 'north'), (3, 'Celle', 'north'), (4, 'Dessau', 'east');
GRANT SELECT ON clinics TO sets_analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 20, max_groups => 10);
SELECT dp_agg.set_domain('people', 'age', 0, 100), dp_agg.set_domain('visits', 'cost', 0, 100);
CREATE VIEW adults AS SELECT id, city, age, old FROM people WHERE age >= 18;
SELECT dp_agg.set_budget('sets_analyst', 1e12, 1e-3);
-- A count at epsilon 1e6, of 20 rows in 10 groups for each unit, is off by one or more with a probability of 1e-2171.
SET dp_agg.epsilon = 1e6;

-- How many rows the analyst's answer and the owner's do not have in common, columns cast to text.
CREATE FUNCTION differing(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	different bigint;
BEGIN
	SET ROLE sets_analyst;
	EXECUTE 'CREATE TEMP TABLE answer AS ' || query;
	RESET ROLE;
	EXECUTE 'CREATE TEMP TABLE truth AS ' || query;
	IF (SELECT count(*) FROM truth) = 0 THEN
		RAISE 'the query has no rows to compare';
	END IF;
	SELECT count(*) INTO different FROM ((SELECT a::text FROM answer a EXCEPT ALL SELECT t::text FROM truth t)
		UNION ALL (SELECT t::text FROM truth t EXCEPT ALL SELECT a::text FROM answer a)) d;
	DROP TABLE answer, truth;
	RETURN different;
END $$;
SET client_min_messages = warning;
SELECT query, differing(query) FROM (VALUES
('SELECT city, old, count(*), sum(age), grouping(city, old) FROM people GROUP BY ROLLUP (city, old)'),
('SELECT city, old, count(*) FROM people GROUP BY CUBE (city, old)'),
('SELECT city, count(*) FROM people GROUP BY GROUPING SETS ((city), (), (), (city))'),
('SELECT city, count(*) FROM people GROUP BY DISTINCT GROUPING SETS ((city), (), ()), GROUPING SETS (())'),
('SELECT old, city, count(*) FROM people GROUP BY old, ROLLUP (city)'),
('SELECT grouping(city), city, count(*) FROM people GROUP BY city'),
('SELECT count(*) FROM people GROUP BY ()'),
('SELECT upper(city) || 1, length(upper(city)), count(*) FROM people GROUP BY GROUPING SETS ((upper(city)), ()) HAVING count(*) > 10'),
('SELECT coalesce(city, CASE WHEN grouping(city) = 1 THEN ''all'' ELSE ''none'' END), count(*) FROM people GROUP BY ROLLUP (city)'),
('SELECT city, count(*), rank() OVER (ORDER BY count(*) DESC), sum(count(*)) OVER (PARTITION BY grouping(city)) FROM people GROUP BY ROLLUP (city)'),
('SELECT DISTINCT grouping(city, old) FROM people GROUP BY CUBE (city, old)'),
('SELECT old, count(*) FROM people GROUP BY ROLLUP (old) ORDER BY grouping(old), count(*) DESC LIMIT 2'),
('SELECT old, count(*), (SELECT max(x) FROM generate_series(1, 5) x WHERE x < 3 + grouping(old) + coalesce(old::int, 0)) FROM people GROUP BY ROLLUP (old)'),
('SELECT city, count(*) FROM adults GROUP BY ROLLUP (city)'),
('WITH w AS (SELECT * FROM people WHERE age < 50) SELECT city, count(*), (SELECT count(*) FROM w) AS rows FROM w GROUP BY ROLLUP (city)'),
('WITH w AS (SELECT * FROM people), n AS (SELECT 2 AS two) SELECT city, count(*), (SELECT two FROM n) FROM w GROUP BY ROLLUP (city)'),
('SELECT s.city, s.n * 2 FROM (SELECT city, count(*) AS n FROM people GROUP BY CUBE (city)) s WHERE s.n > 0'),
('SELECT town, region, count(*), sum(cost) FROM visits JOIN clinics ON clinics.id = clinic GROUP BY ROLLUP (region, town)'),
('SELECT kept, count(*) FROM (SELECT person, count(*) > 6 AS kept FROM visits GROUP BY person) p WHERE kept IS NOT NULL GROUP BY ROLLUP (kept)'),
('SELECT old, count(*) FILTER (WHERE age > 50), sum(CASE WHEN city = ''city 1'' THEN age END) FROM people GROUP BY ROLLUP (old)'),
('SELECT city FROM people GROUP BY ROLLUP (city)'),
('SELECT grouping(city) FROM people WHERE city = ''city 1'' GROUP BY CUBE (city) HAVING grouping(city) < 5'),
('SELECT generate_series(1, 2), old, count(*) FROM people GROUP BY ROLLUP (old)')) q (query);
-- Keys that are subqueries over rows of the same unit, wherever else they stand.
SELECT query, differing(replace(query, 'OWN', '(SELECT count(*) FROM visits v WHERE v.person = p.id)')) FROM (VALUES
('SELECT city, OWN AS n, count(*) FROM people p GROUP BY CUBE (city, OWN)'),
('SELECT city, count(*) FROM people p GROUP BY GROUPING SETS ((city), (OWN), (EXISTS (SELECT FROM visits v WHERE v.person = p.id)))'),
('SELECT OWN AS n, grouping(OWN), count(*) FROM people p GROUP BY ROLLUP (n) HAVING count(*) > 5'),
('SELECT OWN AS n, count(*) FROM people p GROUP BY n HAVING OWN > 6'),
('SELECT OWN AS n, count(*) FILTER (WHERE OWN > 6) FROM people p GROUP BY ROLLUP (n)'),
('SELECT OWN AS n, id IN (SELECT person FROM visits) AS e, count(*) FROM people p GROUP BY ROLLUP (n, e) ORDER BY OWN, e, 3'),
('SELECT DISTINCT ON (OWN) OWN AS n, count(*) FROM people p GROUP BY ROLLUP (OWN) ORDER BY 1, 2'),
('SELECT OWN AS n, count(*), rank() OVER (ORDER BY OWN), CASE WHEN grouping(OWN) = 1 THEN -1 ELSE OWN END AS c FROM people p GROUP BY ROLLUP (n)'),
('SELECT (SELECT max(v.cost) FROM visits v WHERE v.person = p.id) > 10 AS n, count(*) FROM people p WHERE id < 300 GROUP BY GROUPING SETS ((n, OWN), (OWN))'),
('SELECT (SELECT c.region FROM clinics c WHERE c.town = ''Aachen'' AND c.id = p.age % 2) AS r, count(*) FROM people p GROUP BY ROLLUP (r)')) q (query);
RESET client_min_messages;

-- Keys that public tables list, or that are public by their type: all of them in each set.
SET ROLE sets_analyst;
SET dp_agg.epsilon = 1e6;
SELECT region, town, dp_count(*), GROUPING(region, town) FROM clinics LEFT JOIN visits ON clinics.id = clinic
	GROUP BY ROLLUP (region, town) ORDER BY 4, 1, 2;
SELECT old, dp_count(*) FROM people WHERE age < 0 GROUP BY ROLLUP (old) ORDER BY GROUPING(old), old;
-- A constant key is NULL in sets without it, as it is since PostgreSQL 18.
SELECT 'all' AS key, old, dp_count(*), dp_interval(dp_count(*), 0.5 + GROUPING(old) * 0.1) FROM people GROUP BY GROUPING SETS ((key, old), ()) ORDER BY 1, 2;

-- A set is a release, with a price of its own: one for each in dp_agg.price, in the plan and in the ledger.
SET dp_agg.epsilon = 0.5;
SELECT aggregate, epsilon, delta FROM dp_agg.price('SELECT old, dp_count(*) FROM people GROUP BY GROUPING SETS ((old), (), ())');
EXPLAIN (COSTS OFF) SELECT old, dp_count(*) FROM people GROUP BY ROLLUP (old);
\o /dev/null
SELECT old, dp_count(*) FROM people GROUP BY CUBE (old);
\o
RESET ROLE;
SELECT block->>'keys' AS keys, block->>'relations' AS relations
	FROM jsonb_array_elements((SELECT releases::jsonb FROM dp_agg.ledger ORDER BY id DESC LIMIT 1)) block ORDER BY 1;
SET ROLE sets_analyst;

-- refused
SELECT dp_count(*) FROM people GROUP BY CUBE (id, city, age, old, id + 1, id + 2, id + 3, id + 4, id + 5, id + 6);
\echo :SQLSTATE
SELECT city, dp_count(*), string_agg(city, ',') FROM people GROUP BY ROLLUP (city);
\echo :SQLSTATE
SELECT city, age, dp_count(*) FROM people GROUP BY id, ROLLUP (city);
\echo :SQLSTATE
SELECT (SELECT sum(people.age)), dp_count(*) FROM people GROUP BY ROLLUP (city);
\echo :SQLSTATE
SELECT city, mode() WITHIN GROUP (ORDER BY age) FROM people GROUP BY ROLLUP (city);
\echo :SQLSTATE
SELECT city || random()::text, dp_count(*) FROM people GROUP BY ROLLUP (1);
\echo :SQLSTATE
SELECT id, count(*) FROM people GROUP BY ROLLUP (id);
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT person, clinic FROM visits GROUP BY ROLLUP (person, clinic)) v;
\echo :SQLSTATE

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA sets CASCADE;
DROP OWNED BY sets_analyst;
DROP EXTENSION dp_agg;
DROP ROLE sets_analyst;
