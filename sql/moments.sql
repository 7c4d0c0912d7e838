--
-- moments: variance, covariance, correlation and regression
--
CREATE EXTENSION dp_agg;
CREATE ROLE moments_analyst;
CREATE SCHEMA moments AUTHORIZATION moments_analyst;
SET search_path = moments, public;
-- a thousand people; a thousandth part of them holds what does not count or is beyond bounds
CREATE TABLE people (id int PRIMARY KEY, city text, m boolean, s smallint, i int, b bigint, n numeric, r real, d float8);
INSERT INTO people SELECT k, 'city ' || k % 3, k % 2 = 0, k % 41, 3 * (k % 41) + k % 7, -2 * (k % 41), (k % 41) / 4.0 + k % 5,
	k % 41 + 0.5, 1e6 + k % 41 + k % 11 FROM generate_series(1, 1000) k;
UPDATE people SET i = 1000000, n = 'Infinity', d = 'Infinity' WHERE id = 1;
UPDATE people SET i = -1000000, n = '-Infinity', d = '-Infinity' WHERE id = 2;
UPDATE people SET s = NULL, n = 'NaN', r = 'NaN', d = 'NaN' WHERE id = 3;
-- their visits, up to nine each, of which four count
CREATE TABLE visits (person int, city text, x float8, y float8, whole int);
INSERT INTO visits SELECT p, 'city ' || p % 3, (p * k) % 31, (p * k) % 31 + p % 5, p % 7 + k FROM generate_series(1, 1000) p, generate_series(1, 9) k WHERE k <= p % 10;
INSERT INTO visits VALUES (5, 'city 2', NULL, 3, NULL), (6, 'city 0', 'NaN', 3, 2), (7, 'city 1', 3, NULL, 1);
-- the same for a unit that PostgreSQL's own nodes add up
CREATE TABLE spells AS SELECT make_interval(secs => person) AS person, city, x, y, whole FROM visits;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 4), dp_agg.protect('spells', 'person', 'default', 4);
SELECT dp_agg.set_budget('moments_analyst', 1e12, 1e-3);
GRANT CREATE ON SCHEMA moments TO moments_analyst;

-- What they are without noise.
CREATE TABLE clamped AS SELECT id, city, m, s::float8, least(greatest(i, 0), 200)::float8 AS i, b::float8,
	CASE WHEN n <> 'NaN' THEN least(greatest(n, 0), 16)::float8 END AS n, CASE WHEN r <> 'NaN' THEN r::float8 END AS r,
	CASE WHEN d <> 'NaN' THEN least(greatest(d, 999990), 1000060) END AS d FROM people;
GRANT SELECT ON clamped TO moments_analyst;
-- a unit's rows weigh four together where there are more
CREATE TABLE weighted AS SELECT city, least(count(*) OVER w, 4) / (count(*) OVER w)::float8 AS weight, x, y
	FROM visits WHERE x <> 'NaN' AND y IS NOT NULL WINDOW w AS (PARTITION BY person);
CREATE TABLE totals AS SELECT sum(weight) AS n, sum(weight * x) / sum(weight) AS x, sum(weight * y) / sum(weight) AS y,
	sum(weight * x * x) / sum(weight) AS xx, sum(weight * x * y) / sum(weight) AS xy, sum(weight * y * y) / sum(weight) AS yy
	FROM weighted;
GRANT SELECT ON totals TO moments_analyst;
CREATE TABLE logs AS SELECT city, exp(sum(weight * ln(greatest(x, 1))) / sum(weight))::numeric AS mean FROM weighted GROUP BY city;
GRANT SELECT ON logs TO moments_analyst;
SET ROLE moments_analyst;

-- At epsilon 1048576 each total has noise of scale 1e-6 rows, beyond thirty times that with a chance of 1e-13. A variance
-- of n rows moves by at most ten such noises over n, in squared half widths: 3e-7 of them; others by no more.
SET dp_agg.epsilon = 1048576;
CREATE TABLE exact AS SELECT variance(s) AS s, variance(i) AS i, variance(b) AS b, variance(n) AS n, variance(r) AS r, variance(d) AS d,
	stddev(i) AS stddev, covar_pop(i, s) AS pop, covar_samp(n, r) AS samp, corr(d, b) AS corr, regr_slope(i, n) AS slope,
	regr_intercept(i, n) AS intercept FROM clamped;
CREATE VIEW noisy AS SELECT dp_variance(s, 0, 50) AS s, dp_variance(i, 0, 200) AS i, dp_variance(b, -100, 0) AS b, dp_variance(n, 0, 16) AS n,
	dp_variance(r, 0, 50) AS r, dp_variance(d, 999990, 1000060) AS d, dp_stddev(i, 0, 200) AS stddev,
	dp_covar_pop(i, s, 0, 200, 0, 50) AS pop, dp_covar_samp(n, r, 0, 16, 0, 50) AS samp, dp_corr(d, b, 999990, 1000060, -100, 0) AS corr,
	dp_regr_slope(i, n, 0, 200, 0, 16) AS slope, dp_regr_intercept(i, n, 0, 200, 0, 16) AS intercept FROM people;
CREATE VIEW compared AS SELECT abs(x.s - e.s) < 1e-3 AS s, abs(x.i - e.i) < 1e-2 AS i, abs(x.b - e.b) < 1e-2 AS b, abs(x.n - e.n) < 1e-4 AS n,
	abs(x.r - e.r) < 1e-3 AS r, abs(x.d - e.d) < 1e-2 AS d, abs(x.stddev - e.stddev) < 1e-3 AS stddev, abs(x.pop - e.pop) < 1e-2 AS pop,
	abs(x.samp - e.samp) < 1e-3 AS samp, abs(x.corr - e.corr) < 1e-4 AS corr, abs(x.slope - e.slope) < 1e-3 AS slope,
	abs(x.intercept - e.intercept) < 1e-2 AS intercept FROM noisy x, exact e;
SELECT * FROM compared;
-- The same by Gaussian noise of sigma 7e-4 rows, beyond 4.5e-3 with a chance of 1e-10.
SET dp_agg.mechanism = gaussian;
SELECT abs(x.s - e.s) < 0.1 AS s, abs(x.i - e.i) < 2 AS i, abs(x.pop - e.pop) < 1 AS pop, abs(x.samp - e.samp) < 0.1 AS samp,
	abs(x.corr - e.corr) < 0.01 AS corr, abs(x.slope - e.slope) < 0.1 AS slope FROM noisy x, exact e;
RESET dp_agg.mechanism;
-- in parallel
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM compared;

-- Many rows of a person.
CREATE VIEW noisy_visits AS SELECT dp_variance(x, 0, 31) AS v, dp_covar_pop(y, x, 0, 40, 0, 31) AS c, dp_corr(y, x, 0, 40, 0, 31) AS r,
	dp_regr_slope(y, x, 0, 40, 0, 31) AS b, dp_regr_intercept(y, x, 0, 40, 0, 31) AS a FROM visits WHERE y IS NOT NULL;
CREATE VIEW noisy_spells AS SELECT dp_variance(x, 0, 31) AS v, dp_covar_pop(y, x, 0, 40, 0, 31) AS c, dp_corr(y, x, 0, 40, 0, 31) AS r,
	dp_regr_slope(y, x, 0, 40, 0, 31) AS b, dp_regr_intercept(y, x, 0, 40, 0, 31) AS a FROM spells WHERE y IS NOT NULL;
CREATE VIEW compared_visits AS SELECT abs(s.v - (t.xx - t.x ^ 2) * t.n / (t.n - 1)) < 1e-3 AS v, abs(s.c - (t.xy - t.x * t.y)) < 1e-3 AS c,
	abs(s.r - (t.xy - t.x * t.y) / sqrt(t.xx - t.x ^ 2) / sqrt(t.yy - t.y ^ 2)) < 1e-4 AS r,
	abs(s.b - (t.xy - t.x * t.y) / (t.xx - t.x ^ 2)) < 1e-3 AS b,
	abs(s.a - (t.y - t.x * (t.xy - t.x * t.y) / (t.xx - t.x ^ 2))) < 1e-2 AS a
	FROM (TABLE noisy_visits UNION ALL TABLE noisy_spells) s, totals t;
SELECT * FROM compared_visits;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '64kB';
SELECT * FROM compared_visits;
RESET work_mem;
RESET max_parallel_workers_per_gather;

-- Groups, public and private: the same as alone.
SELECT n.m, abs(n.v - e.v) < 1e-2 AS v, abs(n.b - e.b) < 1e-2 AS b
	FROM (SELECT m, dp_variance(i, 0, 200) AS v, dp_regr_slope(i, r, 0, 200, 0, 50) AS b FROM people GROUP BY m) n
	JOIN (SELECT m, variance(i) AS v, regr_slope(i, r) AS b FROM clamped GROUP BY m) e ON e.m = n.m;
SELECT city, dp_stddev(r, 0, 50) BETWEEN 11 AND 13 AS right, dp_corr(i, r, 0, 200, 0, 50) BETWEEN 0.9 AND 1 AS correlated FROM people GROUP BY city;
SELECT city, dp_stddev(x, 0, 31) BETWEEN 8 AND 10 AS right, dp_regr_slope(y, x, 0, 40, 0, 31) BETWEEN 0.9 AND 1.1 AS rising FROM visits GROUP BY city;
SELECT city, dp_stddev(x, 0, 31) BETWEEN 8 AND 10 AS right, dp_regr_slope(y, x, 0, 40, 0, 31) BETWEEN 0.9 AND 1.1 AS rising FROM spells GROUP BY city;

-- Whatever the noise does, no NaN, and nothing beyond what the bounds allow.  With so much of it that there is an answer in one
-- of six times at least: in none of 200 with a probability below 1e-15.
SET dp_agg.epsilon = 0.006;
CREATE VIEW wild AS SELECT dp_variance(r, 0, 50) AS v, dp_stddev(r, 0, 50) AS s, dp_covar_pop(i, r, 0, 200, 0, 50) AS p, dp_covar_samp(i, r, 0, 200, 0, 50) AS c,
	dp_corr(i, r, 0, 200, 0, 50) AS r, dp_regr_slope(i, r, 0, 200, 0, 50) AS b, dp_regr_intercept(i, r, 0, 200, 0, 50) AS a,
	dp_interval(dp_variance(r, 0, 50)) AS vi, dp_interval(dp_corr(i, r, 0, 200, 0, 50)) AS ri, dp_interval(dp_regr_slope(i, r, 0, 200, 0, 50)) AS bi
	FROM people;
CREATE TABLE drawn AS TABLE wild WITH NO DATA;
DO $$ BEGIN FOR k IN 1 .. 200 LOOP INSERT INTO drawn TABLE wild; END LOOP; END $$;
SELECT count(*), bool_and(v BETWEEN 0 AND 1250) AS v, bool_and(s BETWEEN 0 AND 35.36) AS s, bool_and(p BETWEEN -2500 AND 2500) AS p,
	bool_and(c BETWEEN -5000 AND 5000) AS c, bool_and(r BETWEEN -1 AND 1) AS r, bool_and(b > '-Infinity' AND b < 'Infinity') AS b,
	bool_and(a > '-Infinity' AND a < 'Infinity') AS a, bool_and(vi @> v::numeric) AND bool_and(ri @> r::numeric) AND bool_and(bi @> b::numeric) AS within FROM drawn;
SET dp_agg.epsilon = 0.001;
SELECT dp_variance(r, 7, 7) AS v, dp_stddev(r, 7, 7) AS s, dp_covar_pop(i, r, 0, 0, 7, 7) AS p, dp_corr(i, r, 1, 1, 0, 9) AS r, dp_regr_slope(i, r, 0, 200, 7, 7) AS b,
	dp_regr_intercept(i, r, 5, 5, 7, 7) AS a, dp_interval(dp_variance(r, 7, 7)) AS vi FROM people;

-- Aggregates of the same moments of the same arguments are one release.
SELECT aggregate, epsilon FROM dp_agg.price('SELECT dp_variance(x, 0, 31), dp_stddev(x, 0, 31), dp_stddev(x, 0, 31, 2), dp_interval(dp_stddev(x, 0, 31)) FROM moments.visits');
SELECT aggregate, epsilon, round(noise_stddev) FROM dp_agg.price('SELECT dp_covar_samp(y, x, 0, 40, 0, 31), dp_covar_pop(y, x, 0, 40, 0, 31), dp_regr_slope(y, x, 0, 40, 0, 31), dp_regr_intercept(y, x, 0, 40, 0, 31), dp_corr(y, x, 0, 40, 0, 31) FROM moments.visits', rows => 1);
SELECT abs(dp_stddev(x, 0, 31, 1) ^ 2 - dp_variance(x, 0, 31, 1)) < 1e-9 AS same FROM visits;
SELECT abs(dp_stddev(x, 0, 31, 10) ^ 2 - dp_variance(x, 0, 31, 10)) < 1e-9 AS same FROM visits;
EXPLAIN (COSTS OFF) SELECT city, dp_variance(x, 0, 31, 0.5), dp_corr(y, x, 0, 40, 0, 31, 0.5) FROM visits GROUP BY city;
SET dp_agg.mechanism = gaussian;
SELECT aggregate, epsilon FROM dp_agg.price('SELECT dp_variance(x, 0, 31), dp_stddev(x, 0, 31) FROM moments.visits');
-- one term is charged, of an unsplit epsilon: at equal epsilon the noise of a count
SELECT round((max(noise_stddev) / min(noise_stddev))::numeric, 3) AS squared_width FROM dp_agg.price('SELECT dp_variance(x, 0, 31, 0.5), dp_count(x, 0.5) FROM moments.visits', rows => 1);
RESET dp_agg.mechanism;
SELECT round((max(noise_stddev) / min(noise_stddev))::numeric, 3) AS squared_width FROM dp_agg.price('SELECT dp_variance(x, 0, 31, 0.5), dp_count(x, 0.5) FROM moments.visits', rows => 1);

-- What is refused.
SELECT dp_variance(x, 0, y) FROM visits;
\echo :SQLSTATE
SELECT dp_variance(x, 10, 0) FROM visits;
\echo :SQLSTATE
SELECT dp_variance(x, 0, 'Infinity') FROM visits;
\echo :SQLSTATE
SELECT dp_variance(x, -1e308, 1e308) FROM visits;
\echo :SQLSTATE
SELECT dp_variance(x, 0, 1e200) FROM visits;
\echo :SQLSTATE
SELECT dp_variance(x, 0, 1e-200) FROM visits;
\echo :SQLSTATE
SELECT dp_variance(x, 0, 10, 0) FROM visits;
\echo :SQLSTATE
SELECT dp_variance(DISTINCT x, 0, 10) FROM visits;
\echo :SQLSTATE
SELECT dp_corr(y, x, 0, 40, 31, 0) FROM visits;
\echo :SQLSTATE
SELECT dp_corr(y, x, 0, NULL, 0, 31) FROM visits;
\echo :SQLSTATE
SELECT dp_regr_slope(y, (SELECT 1 + x), 0, 40, 0, 31) FROM visits;
\echo :SQLSTATE
SELECT dp_corr(y, x, 0, 1e100, 0, 1e100) FROM visits;
\echo :SQLSTATE
SELECT dp_agg_internal.exact_moments(1.5::float8, '\x00');
\echo :SQLSTATE
SELECT dp_agg_internal.place_pair(1, 2, '\x00');
\echo :SQLSTATE
SELECT dp_agg_internal.released_statistic('\x00', '\x00');
\echo :SQLSTATE
SELECT dp_agg_internal.interval_of('\x00', '\x00', 0.5);
\echo :SQLSTATE

-- Geometric means: of values clamped to bounds above 0, by rows that weigh as those of a mean. Noise moves a logarithm by
-- 1e-6 with a chance of 1e-13.
SET dp_agg.epsilon = 1048576;
SELECT abs(noisy.s / clamped.s - 1) < 1e-5 AS integers, abs(noisy.r / clamped.r - 1) < 1e-5 AS reals
	FROM (SELECT dp_geometric_mean(s, 1, 50) AS s, dp_geometric_mean(r, 1, 50) AS r FROM people) AS noisy,
		(SELECT exp(avg(ln(greatest(s, 1))) FILTER (WHERE s IS NOT NULL)) AS s, exp(avg(ln(greatest(r, 1))) FILTER (WHERE r IS NOT NULL)) AS r
			FROM clamped) AS clamped;
SELECT city, abs(noisy.g / logs.mean - 1) < 1e-5 AS mean, logs.mean <@ noisy.i AS interval
	FROM (SELECT city, dp_geometric_mean(x, 1, 31) AS g, dp_interval(dp_geometric_mean(x, 1, 31), 1 - 1e-10) AS i
			FROM visits WHERE x <> 'NaN' AND y IS NOT NULL GROUP BY city) AS noisy JOIN logs USING (city)
	ORDER BY city;
-- it is released as the mean of logarithms is
SELECT count(DISTINCT (epsilon, noise_stddev::numeric(20, 9), half_width_95::numeric(20, 9))) AS prices
	FROM dp_agg.price('SELECT dp_geometric_mean(i, 1, 200, 1), dp_avg(ln(greatest(i, 1)), 0, 5.298317366548036, 1) FROM people');
SELECT dp_geometric_mean(x, 2, 2) AS bound, dp_geometric_mean(x, 0.5, 4, 1e-9) NOT BETWEEN 0.5 AND 4 IS NOT TRUE AS within FROM visits;
SELECT dp_geometric_mean(x, 1, 31) FROM visits WHERE false;
RESET dp_agg.epsilon;
SELECT dp_geometric_mean(x, 0, 31) FROM visits;
SELECT dp_geometric_mean(DISTINCT x, 1, 31) FROM visits;
SELECT dp_agg_internal.log_within('NaN', 1, 2), dp_agg_internal.log_within('Infinity', 1, 1), dp_agg_internal.released_exp(0, 1, 1), dp_agg_internal.released_exp(800, 1, 2);
SELECT dp_agg_internal.log_within(1, 0, 2);

-- the sensitivity is an integer of more bits than a double has: 7 rows of 191483897 grid units squared
SET dp_agg.max_rows = 7;
SELECT count(*) FROM (SELECT dp_variance(x, 0, 191483897 / 268435456.0, 100000) FROM visits) s;
RESET dp_agg.max_rows;
RESET ROLE;
SELECT r #>> '{noise,0,sensitivity}' AS sensitivity, 7 * 191483897::bigint * 191483897 AS exact FROM dp_agg.ledger, jsonb_path_query(releases, '$[*].releases[*]') r
	WHERE r ->> 'aggregate' LIKE '%191483897%' LIMIT 1;
-- the ledger says how many totals carry the noise
SELECT r ->> 'aggregate' AS aggregate, r ->> 'totals' AS totals, jsonb_array_length(r -> 'noise') AS noise
	FROM dp_agg.ledger, jsonb_path_query(releases, '$[*].releases[*]') r WHERE r ? 'totals' GROUP BY 1, 2, 3 ORDER BY 2, 1 LIMIT 4;
-- by exact composition, too, it costs what was asked, and no more for the other totals
SELECT round(dp_accountant.pld_epsilon(jsonb_build_array(r), 1e-9)::numeric, 2) AS exact FROM dp_agg.ledger, jsonb_path_query(releases, '$[*].releases[*]') r
	WHERE r ->> 'aggregate' = 'dp_stddev(x, 0, 31, 10)' LIMIT 1;
SELECT count(*) FROM dp_agg.verify_ledger();
SET client_min_messages = warning;
DROP SCHEMA moments CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE moments_analyst;
