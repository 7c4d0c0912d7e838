--
-- gate_parameters: epsilon, bounds and settings out of range: 22023 or 0A000,
-- and nothing charged
--
CREATE EXTENSION dp_agg;
CREATE ROLE parameters_analyst;
CREATE SCHEMA parameters AUTHORIZATION parameters_analyst;
SET search_path = parameters, public;
CREATE TABLE people (id int PRIMARY KEY, age int, weight float8, income numeric);
INSERT INTO people SELECT i, i, i, i FROM generate_series(1, 100) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget('parameters_analyst', 10000000, 1e-3);
SET ROLE parameters_analyst;

-- epsilon
SELECT dp_count(age, 0) FROM people;
\echo :SQLSTATE
SELECT dp_count(age, -1) FROM people;
\echo :SQLSTATE
SELECT dp_count(age, 'NaN') FROM people;
\echo :SQLSTATE
SELECT dp_count(age, 'Infinity') FROM people;
\echo :SQLSTATE
SELECT dp_count(age, '-Infinity') FROM people;
\echo :SQLSTATE
SELECT dp_count(age, NULL) FROM people;
\echo :SQLSTATE
SELECT dp_count(age, 1e-10) FROM people;
\echo :SQLSTATE
SELECT dp_count(age, 1e7) FROM people;
\echo :SQLSTATE
SELECT dp_count(age, 1e-310 * 1e-10) FROM people;
\echo :SQLSTATE
SELECT dp_count(age, weight) FROM people;
\echo :SQLSTATE
SELECT dp_count(age, random()) FROM people;
\echo :SQLSTATE
SELECT dp_count(age, (SELECT 1.0)) FROM people;
\echo :SQLSTATE
SELECT dp_count(age, 1 / (1 - 1)) FROM people;
\echo :SQLSTATE
SELECT dp_sum(age, 0, 100, 0) FROM people;
\echo :SQLSTATE
SELECT dp_avg(age, 0, 100, NULL) FROM people;
\echo :SQLSTATE
SELECT dp_avg(weight, 0, 100, 'NaN') FROM people;
\echo :SQLSTATE
SELECT * FROM dp_histogram('people', 'age', 0, 100, 10, 0);
\echo :SQLSTATE
SELECT * FROM dp_histogram('people', 'age', 0, 100, 10, 'NaN');
\echo :SQLSTATE

-- bounds
SELECT dp_sum(age, 100, 0) FROM people;
\echo :SQLSTATE
SELECT dp_avg(age, 100, 0) FROM people;
\echo :SQLSTATE
SELECT dp_sum(weight, 1.5, 1.25) FROM people;
\echo :SQLSTATE
SELECT dp_sum(income, 1.02, 1.01) FROM people;
\echo :SQLSTATE
SELECT dp_sum(age, NULL, 100) FROM people;
\echo :SQLSTATE
SELECT dp_sum(age, 0, NULL) FROM people;
\echo :SQLSTATE
SELECT dp_sum(weight, '-Infinity', 0) FROM people;
\echo :SQLSTATE
SELECT dp_sum(weight, 0, 'Infinity') FROM people;
\echo :SQLSTATE
SELECT dp_avg(weight, 0, 'NaN') FROM people;
\echo :SQLSTATE
SELECT dp_sum(income, 0, 'NaN') FROM people;
\echo :SQLSTATE
SELECT dp_sum(income, '-Infinity', 0) FROM people;
\echo :SQLSTATE
SELECT dp_sum(income, 0, '1e400'::numeric) FROM people;
\echo :SQLSTATE
SELECT dp_avg(weight, -1.7e308, 1.7e308) FROM people;
\echo :SQLSTATE
SELECT dp_sum(age, 0, age) FROM people;
\echo :SQLSTATE
SELECT dp_sum(age, id - id, 100) FROM people;
\echo :SQLSTATE
SELECT dp_sum(weight, 0, random()) FROM people;
\echo :SQLSTATE
SELECT dp_avg(age, 0, (SELECT 100)) FROM people;
\echo :SQLSTATE
SELECT g, (SELECT dp_avg(age, 0, g) FROM people) FROM generate_series(1, 2) g;
\echo :SQLSTATE
CREATE FUNCTION hundred() RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 100';
SELECT dp_avg(age, 0, hundred()) FROM people;
\echo :SQLSTATE

-- settings
SET dp_agg.epsilon = 0;
RESET dp_agg.epsilon;
SET dp_agg.epsilon = -1;
SET dp_agg.epsilon = 'NaN';
SET dp_agg.epsilon = 'Infinity';
SET dp_agg.epsilon = 1e-10;
SET dp_agg.epsilon = 1e7;
SET dp_agg.delta = 0;
SET dp_agg.delta = 1;
SET dp_agg.delta = 0.6;
SET dp_agg.delta = 'NaN';
SET dp_agg.mechanism = none;
SET dp_agg.max_rows = -1;
SET dp_agg.max_groups = -1;
SET dp_agg.max_rows = 2000000000;
SET dp_agg.noise = off;
SET dp_agg.seed = 1;
SHOW dp_agg.epsilon;
SHOW dp_agg.delta;
SHOW dp_agg.mechanism;

-- nothing of this was charged
SELECT statements, refusals, epsilon_spent FROM dp_agg.budgets;

-- what is allowed at the ends of the ranges; answers within 60 deviations or
-- so: wrong with a probability below 1e-25
SELECT abs(dp_count(age, 1e-9)) <= 1e11 AS least FROM people;
SELECT abs(dp_count(age, 1048576) - 100) <= 1 AS most FROM people;
SELECT abs(dp_sum(age, 0, 0, 1)) <= 60 AS nothing FROM people;
SELECT abs(dp_sum(age, 5, 5, 1) - 500) <= 300 AS same FROM people;
SELECT dp_sum(age, -9223372036854775808, 9223372036854775807, 1) IS NOT NULL AS widest FROM people;
SELECT dp_avg(age, 50, 50, 1) = 50 AS only FROM people;
SELECT abs(dp_sum(weight, -1e300, 1e300, 1)) <= 6e301 AS large FROM people;
SELECT abs(dp_sum(weight, -1e-300, 1e-300, 1)) <= 2e-298 AS small FROM people;
SELECT abs(dp_avg(weight, 0, 40 + 60, 2.0 / 4) - 50.5) <= 50 AS folded FROM people;
SELECT abs(dp_avg(weight, '0', '1e2', '1') - 50.5) <= 50 AS literal FROM people;
SELECT dp_avg(income, 0.1, 1e20, 1) BETWEEN 0.1 AND 1e20 AS numeric FROM people;
SELECT statements, refusals FROM dp_agg.budgets;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA parameters CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE parameters_analyst;
