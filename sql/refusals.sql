--
-- refusals: what other topics have no occasion to be refused, with its place
--
CREATE EXTENSION dp_agg;
-- What could multiply rows is refused as such: see fan_out.
SET dp_agg.max_join_rows = 1;
CREATE ROLE refusals_analyst;
CREATE SCHEMA refusals AUTHORIZATION refusals_analyst;
SET search_path = refusals, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, wage money, marks bit(4), doc xml);
CREATE TABLE others (id int PRIMARY KEY);
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('others', 'id', 'others');
SELECT dp_agg.set_budget('refusals_analyst', 1e6, 1e-3), dp_agg.set_budget('refusals_analyst', 1e6, 1e-3, 'others');
SET ROLE refusals_analyst;
CREATE TABLE mine (id int PRIMARY KEY, x bigint);

-- commands, wherever the query stands in them
DELETE FROM mine
	WHERE x < (SELECT dp_count(*) FROM people);
WITH c AS (SELECT 1), d AS (DELETE FROM mine RETURNING x) SELECT dp_count(*) FROM people, d;
INSERT INTO mine SELECT 1, dp_count(*) FROM people ON CONFLICT DO NOTHING;
SELECT * FROM mine, (SELECT dp_count(*) AS c FROM people) s FOR UPDATE OF mine;
SELECT (SELECT dp_count(*) FROM people), (SELECT dp_count(*) FROM others);
SELECT dp_agg.bucket(age, 0, 1, 0), dp_count(*) FROM people GROUP BY 1;
SELECT dp_agg.bucket(age, 0, 1, age), dp_count(*) FROM people GROUP BY 1;
-- in a function, a place in its own text is none in the statement
CREATE FUNCTION broken() RETURNS SETOF bigint STABLE LANGUAGE sql AS 'SELECT dp_count(*) FROM people WHERE repeat(city, 2) = ''x''';
SELECT * FROM broken();
CREATE VIEW bad AS SELECT * FROM people WHERE repeat(city, 2) = 'x';
SELECT 'éé', dp_count(*) FROM bad;
SELECT 'éé', dp_count(*) FROM people WHERE repeat(city, 2) = 'x';

-- tables that are not what can be asked
RESET ROLE;
CREATE FOREIGN DATA WRAPPER refusals_wrapper;
CREATE SERVER refusals_server FOREIGN DATA WRAPPER refusals_wrapper;
CREATE FOREIGN TABLE far (id int) SERVER refusals_server;
CREATE TABLE tree (id int, city text) PARTITION BY LIST (city);
CREATE TABLE leaf PARTITION OF tree FOR VALUES IN ('a');
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child () INHERITS (parent);
SELECT dp_agg.protect('tree', 'id');
GRANT SELECT ON far, leaf, parent, child TO refusals_analyst;
SET ROLE refusals_analyst;
SELECT dp_count(*) FROM far;
SELECT dp_count(*) FROM leaf;
SELECT dp_count(*) FROM child;
SELECT dp_count(*) FROM people p JOIN leaf USING (id);
SELECT dp_count(*) FROM people p JOIN child USING (id);
-- a foreign partition that came after
RESET ROLE;
CREATE FOREIGN TABLE far_leaf PARTITION OF tree FOR VALUES IN ('b') SERVER refusals_server;
SET ROLE refusals_analyst;
SELECT dp_count(*) FROM tree;

-- subqueries
SELECT dp_count(*) FROM (SELECT id, doc FROM people GROUP BY id) p;
SELECT dp_count(*) FROM (SELECT 1 AS one) p;
SELECT dp_count(*) FROM (SELECT (SELECT dp_count(*) FROM people) AS n) p;
SELECT dp_count(*) FROM people, generate_series(1, people.id) g;

-- keys
SELECT wage, dp_count(*) FROM people GROUP BY wage;
SELECT marks, dp_count(*) FROM people GROUP BY marks;

-- histograms
SELECT * FROM dp_histogram('people', 'city', 0, 1, 5);
SELECT * FROM dp_histogram('people', 'age', 0, 'Infinity', 5);
SELECT * FROM dp_histogram('people', 'age', 1, 1, 5);
SELECT * FROM dp_histogram('people', NULL, 0, 1, 5);
SELECT * FROM mine, dp_histogram('people', 'age', 0, mine.x, 5);

SELECT statements, refusals FROM dp_agg.budgets;
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA refusals CASCADE;
DROP FOREIGN DATA WRAPPER refusals_wrapper CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE refusals_analyst;
