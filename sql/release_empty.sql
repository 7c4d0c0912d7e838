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
SELECT dp_agg.set_budget('empty_analyst', 1e9, 1e-3);
SET ROLE empty_analyst;

-- Counts and sums are the noise alone.  Laplace at epsilon 1: more than 60 off
-- with a probability of 1e-26 where one unit changes it by 1, 6000 where by
-- 100.  Means are NULL, or once in 100 times of noise over noise, within the bounds whatever it is.
SET dp_agg.epsilon = 1;
PREPARE one_row AS
	SELECT abs(dp_count(*)) <= 60, abs(dp_count(age)) <= 60, abs(dp_count(DISTINCT id)) <= 60,
		abs(dp_sum(age, 0, 100)) <= 6000, abs(dp_sum(weight, -100, 100)) <= 6000,
		abs(dp_sum(income, 0, 100)) <= 6000,
		coalesce(dp_avg(age, 0, 100) BETWEEN 0 AND 100, true), coalesce(dp_avg(weight, -5, 5) BETWEEN -5 AND 5, true),
		dp_avg(income, 7, 7) BETWEEN 7 AND 7 FROM people;
PREPARE many_rows AS
	SELECT abs(dp_count(*)) <= 180, abs(dp_count(age)) <= 180, abs(dp_count(DISTINCT person)) <= 60,
		abs(dp_sum(age, 0, 100)) <= 6000, abs(dp_sum(weight, -100, 100)) <= 6000,
		abs(dp_sum(income, 0, 100)) <= 6000,
		coalesce(dp_avg(age, 0, 100) BETWEEN 0 AND 100, true), coalesce(dp_avg(weight, -5, 5) BETWEEN -5 AND 5, true),
		dp_avg(income, 7, 7) BETWEEN 7 AND 7 FROM visits;
-- values that are all NULL or NaN are no values
PREPARE no_values AS
	SELECT abs(dp_count(age)) <= 60, abs(dp_sum(age, 0, 100)) <= 6000,
		abs(dp_sum(weight, 50, 100)) <= 6000, abs(dp_sum(income, 0, 100)) <= 6000,
		coalesce(dp_avg(age, 0, 100) BETWEEN 0 AND 100, true), coalesce(dp_avg(weight, -5, 5) BETWEEN -5 AND 5, true),
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

-- Means, quantiles and moments of no rows are NULL, and so are their intervals: of 400 each, as many are not as would be
-- 21 or more with a probability of 1e-9 if one of 100 were.  So they are where groups are public and have no rows.
CREATE FUNCTION pg_temp.answered(query text, times int) RETURNS TABLE (aggregate text, few boolean, many boolean) LANGUAGE plpgsql AS $$
DECLARE
	answer jsonb;
	answers jsonb[] := '{}';
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE query INTO answer;
		answers := answers || answer;
	END LOOP;
	RETURN QUERY SELECT key, count(*) FILTER (WHERE value <> 'null') <= 21, count(*) FILTER (WHERE value <> 'null') >= times - 21
		FROM unnest(answers) a, jsonb_each(a) GROUP BY 1 ORDER BY key COLLATE "C";
END $$;
PREPARE none (text) AS SELECT string_agg(aggregate, ' ') FILTER (WHERE few) AS null, string_agg(aggregate, ' ') FILTER (WHERE NOT few) AS not_null
	FROM pg_temp.answered($1, 400);
EXECUTE none('SELECT to_jsonb(q) FROM (SELECT dp_avg(age, 0, 100) AS avg, dp_avg(age, 0, 100, 0.1) AS noisy, dp_avg(age, 0, 100, 1e4) AS exact,
	dp_interval(dp_avg(age, 0, 100)) AS interval, dp_median(age, 0, 100) AS median, dp_max(weight, 0, 100) AS max, dp_quantile(income, 0.99, 0, 100) AS quantile FROM people) q');
EXECUTE none('SELECT to_jsonb(q) FROM (SELECT dp_avg(age, 0, 100) AS avg, dp_variance(weight, 0, 100) AS variance, dp_stddev(income, 0, 100) AS stddev, dp_interval(dp_stddev(income, 0, 100)) AS interval,
	dp_covar_pop(age, weight, 0, 100, 0, 100) AS covar_pop, dp_corr(age, weight, 0, 100, 0, 100) AS corr, dp_regr_slope(age, weight, 0, 100, 0, 100) AS slope,
	dp_regr_intercept(age, weight, 0, 100, 0, 100) AS intercept, dp_median(weight, 0, 100) AS median, dp_min(age, 0, 100) AS min FROM visits) q');
-- three that are drawn one inside the other; and one whose noise takes all bits that there are
EXECUTE none('SELECT to_jsonb(q) FROM (SELECT dp_quantile(age, 0.25, 0, 100) AS first, dp_median(age, 0, 100) AS middle, dp_quantile(age, 0.7, 0, 100) AS third, dp_quantile(age, 0.3, 0, 100, 0.0001) AS fine FROM visits) q');
SET dp_agg.mechanism = gaussian;
EXECUTE none('SELECT to_jsonb(q) FROM (SELECT dp_avg(age, 0, 100) AS avg, dp_interval(dp_avg(age, 0, 100)) AS interval, dp_variance(weight, 0, 100) AS variance,
	dp_corr(age, weight, 0, 100, 0, 100) AS corr FROM full_house WHERE city IS NULL) q');
RESET dp_agg.mechanism;
-- One row is no sample, as PostgreSQL has it; of a mean it is a row where noise is little.
EXECUTE none('SELECT to_jsonb(q) FROM (SELECT dp_variance(id, 0, 100, 1e4) AS variance, dp_covar_samp(id, id, 0, 100, 0, 100, 1e4) AS covar_samp, dp_avg(id, 0, 100, 1e4) AS avg,
	dp_covar_pop(id, id, 0, 100, 0, 100, 1e4) AS covar_pop, dp_max(id, 0, 100, 1e4) AS max FROM full_house WHERE id = 1) q');
-- Of fifty rows there is an answer, but for one NULL in 10,000 if need be; of an extreme where it has twice as many as it aims inside.
SELECT string_agg(aggregate, ' ') FILTER (WHERE many) AS not_null, string_agg(aggregate, ' ') FILTER (WHERE NOT many) AS null
	FROM pg_temp.answered('SELECT to_jsonb(q) FROM (SELECT dp_avg(id, 0, 100) AS avg, dp_interval(dp_avg(id, 0, 100)) AS interval, dp_variance(id, 0, 100) AS variance,
		dp_median(id, 0, 100) AS median, dp_quantile(id, 0.9, 0, 100) AS quantile, dp_max(id, 0, 100, 2) AS max FROM full_house) q', 100);

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
DROP FUNCTION pg_temp.answered;
DROP SCHEMA empty CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE empty_analyst;
