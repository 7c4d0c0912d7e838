--
-- release_empty: a table without rows, or a filter that leaves none, answers
-- like any other
--
CREATE EXTENSION dp_agg;
CREATE ROLE empty_analyst;
CREATE SCHEMA empty;
GRANT USAGE ON SCHEMA empty TO empty_analyst;
SET search_path = empty, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, weight float8, income numeric);
CREATE TABLE visits (person int, city text, age int, weight float8, income numeric);
CREATE TABLE full_house (id int PRIMARY KEY, city text, age int, weight float8, income numeric);
INSERT INTO full_house SELECT i, 'x', NULL, 'NaN', NULL FROM generate_series(1, 50) i;
INSERT INTO visits VALUES (NULL, 'nobody''s', 50, 50, 50);
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 3, 2),
	dp_agg.protect('full_house', 'id');
SELECT dp_agg.set_budget('empty_analyst', 1e6, 1e-3);
SET ROLE empty_analyst;

-- Counts and sums are the noise alone.  Laplace at epsilon 1: more than 60 off
-- with a probability of 1e-26 where one unit changes it by 1, 6000 where by
-- 100.  Means are of noise over noise, within the bounds whatever it is.
SET dp_agg.epsilon = 1;
PREPARE one_row AS
	SELECT abs(dp_count(*)) <= 60, abs(dp_count(age)) <= 60, abs(dp_count(DISTINCT id)) <= 60,
		abs(dp_sum(age, 0, 100)) <= 6000, abs(dp_sum(weight, -100, 100)) <= 6000,
		abs(dp_sum(income, 0, 100)) <= 6000,
		dp_avg(age, 0, 100) BETWEEN 0 AND 100, dp_avg(weight, -5, 5) BETWEEN -5 AND 5,
		dp_avg(income, 7, 7) BETWEEN 7 AND 7 FROM people;
PREPARE many_rows AS
	SELECT abs(dp_count(*)) <= 180, abs(dp_count(age)) <= 180, abs(dp_count(DISTINCT person)) <= 60,
		abs(dp_sum(age, 0, 100)) <= 6000, abs(dp_sum(weight, -100, 100)) <= 6000,
		abs(dp_sum(income, 0, 100)) <= 6000,
		dp_avg(age, 0, 100) BETWEEN 0 AND 100, dp_avg(weight, -5, 5) BETWEEN -5 AND 5,
		dp_avg(income, 7, 7) BETWEEN 7 AND 7 FROM visits;
-- values that are all NULL or NaN are no values
PREPARE no_values AS
	SELECT abs(dp_count(age)) <= 60, abs(dp_sum(age, 0, 100)) <= 6000,
		abs(dp_sum(weight, 50, 100)) <= 6000, abs(dp_sum(income, 0, 100)) <= 6000,
		dp_avg(age, 0, 100) BETWEEN 0 AND 100, dp_avg(weight, -5, 5) BETWEEN -5 AND 5,
		abs(dp_count(*) - 50) <= 60 FROM full_house;
EXECUTE one_row;
EXECUTE many_rows;
EXECUTE no_values;
SET dp_agg.mechanism = gaussian;
-- Gaussian at epsilon 1, delta 1e-9: deviation 5.5, so the same bounds hold
-- with a probability of failure below 1e-20
EXECUTE one_row;
EXECUTE many_rows;
EXECUTE no_values;
RESET dp_agg.mechanism;

-- whatever makes it empty
SELECT abs(dp_count(*)) <= 60 AS empty FROM full_house WHERE false;
SELECT abs(dp_count(*)) <= 60 AS empty FROM full_house WHERE NULL;
SELECT abs(dp_count(*)) <= 60 AS empty FROM full_house WHERE id IS NULL;
SELECT abs(dp_count(*)) <= 60 AS empty FROM full_house WHERE id > 5 AND id < 5;
SELECT abs(dp_count(*)) <= 60 AS empty FROM full_house WHERE 1 = 2;
SELECT abs(dp_count(*)) <= 60 AS empty FROM ONLY full_house WHERE id = -1;
SELECT 'x' AS a, 1 AS b FROM people HAVING dp_count(*) BETWEEN -60 AND 60;

-- by private groups: there are none to tell of
SELECT city, dp_count(*) FROM people GROUP BY city;
SELECT city, age, dp_avg(weight, 0, 1), dp_sum(income, 0, 1) FROM people GROUP BY city, age;
SELECT city, dp_count(*) FROM visits GROUP BY city;
SELECT city, dp_count(DISTINCT person) FROM visits GROUP BY city;
SELECT city, dp_count(*) FROM full_house WHERE false GROUP BY city;
SELECT 'constant' AS city, dp_count(*) FROM people GROUP BY 1;

-- by public groups: each is answered
SELECT count(*), count(count), bool_and(abs(count) <= 60) FROM dp_histogram('people', 'age', 0, 100, 50);
SELECT count(*), count(count), bool_and(abs(count) <= 60)
	FROM dp_histogram('full_house', 'weight', 0, 100, 50);
SELECT statements, refusals FROM dp_agg.budgets;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA empty CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE empty_analyst;
