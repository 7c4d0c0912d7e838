--
-- bounds: it is said where units count once because nobody declared more
--
CREATE EXTENSION dp_agg;
CREATE ROLE bounds_analyst;
CREATE SCHEMA bounds;
GRANT USAGE ON SCHEMA bounds TO bounds_analyst;
SET search_path = bounds, public;
CREATE TABLE people (id int PRIMARY KEY, city text);
CREATE TABLE visits (person int, city text, cost int);
INSERT INTO people SELECT i, 'city ' || i % 3 FROM generate_series(1, 3000) i;
INSERT INTO visits SELECT i % 3000, 'city ' || i % 7, i % 10 FROM generate_series(1, 30000) i;
CREATE TABLE nothing (LIKE visits);
CREATE TABLE declared (LIKE visits);
CREATE TABLE half (LIKE visits);
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person'), dp_agg.protect('nothing', 'person'),
	dp_agg.protect('declared', 'person', max_rows => 5, max_groups => 2), dp_agg.protect('half', 'person', max_rows => 5);
SELECT dp_agg.set_budget('bounds_analyst', 1e9, 1e-3);
SET ROLE bounds_analyst;
SET dp_agg.epsilon = 1000;
-- once a session and table, however often and whatever is asked
SELECT dp_count(*) FROM visits;
SELECT dp_count(*) FROM visits;
SELECT dp_count(*), dp_sum(cost, 0, 9) > 0 AS sum FROM visits JOIN people ON id = person;
-- it depends on no row
SELECT dp_count(*) FROM nothing;
DISCARD ALL;
SET search_path = bounds, public;
SET dp_agg.epsilon = 1000;
SET ROLE bounds_analyst;
-- nothing is said where it does not matter, or was settled
SELECT dp_count(*) FROM people;
SELECT city, dp_count(*) FROM people GROUP BY city ORDER BY city;
SELECT dp_sum(cost, 0, 9) > 0 AS sum, dp_count(DISTINCT person) AS units FROM visits;
SELECT dp_count(*) FROM (SELECT person FROM visits GROUP BY person) v;
SELECT dp_count(*) FROM declared;
SELECT city, dp_count(*) FROM declared GROUP BY city;
SET dp_agg.max_rows = 1;
SELECT dp_count(*) FROM visits;
SET dp_agg.max_groups = 1;
SELECT count(*) FROM (SELECT city, dp_count(*) FROM visits GROUP BY city) v;
RESET dp_agg.max_rows;
RESET dp_agg.max_groups;
-- nor by what reads nothing
SELECT aggregate, max_rows FROM dp_agg.price('SELECT dp_count(*) FROM visits');
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM visits;
SELECT dp_count(*) FROM visits LIMIT 0;
-- groups alone, rows alone, both; plain SQL and kept answers too
SELECT city, dp_count(*) FROM half GROUP BY city LIMIT 0;
SELECT count(*) FROM (SELECT city, dp_count(DISTINCT person) FROM half GROUP BY city) v;
SELECT count(*) FROM visits;
SET dp_agg.kept_max_age = '1 hour';
SET dp_agg.max_groups = 5;
SELECT count(*) > 0 AS shown FROM (SELECT city, dp_avg(cost, 0, 9) FROM nothing GROUP BY city) v;
DISCARD ALL;
SET search_path = bounds, public;
SET ROLE bounds_analyst;
SET dp_agg.epsilon = 1000;
SELECT count(*) > 0 AS shown FROM (SELECT city, dp_avg(cost, 0, 9) FROM nothing GROUP BY city) v;
SELECT (dp_agg.last_release()).max_rows;
RESET ROLE;
DROP SCHEMA bounds CASCADE;
SELECT dp_agg.drop_budget('bounds_analyst', 'default');
DROP EXTENSION dp_agg;
DROP ROLE bounds_analyst;
