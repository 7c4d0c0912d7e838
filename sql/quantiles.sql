--
-- quantiles: dp_quantile, dp_median, dp_min, dp_max
--
-- At epsilon 1e6 a rank error of one row or more in 20,000 points has a
-- probability below 20,001 exp(-1e6/4); exact answers are asked for with that.
--
CREATE EXTENSION dp_agg;
CREATE ROLE quantile_analyst;
CREATE SCHEMA quantiles;
GRANT USAGE ON SCHEMA quantiles TO quantile_analyst;
SET search_path = quantiles, public;
CREATE TABLE people (id int PRIMARY KEY, city text, s int2, i int, b int8, r real, d float8, n numeric);
INSERT INTO people
	SELECT i, 'city ' || (i - 1) / 333, i, i, i, i, i, i FROM generate_series(1, 999) i;
CREATE TABLE visits (person int, city text, d float8);
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 4, 2);
SELECT dp_agg.set_budget('quantile_analyst', 1e12, 0.5);
SET ROLE quantile_analyst;
SET dp_agg.epsilon = 1e6;

-- every type of number, and what is above the release
SELECT dp_median(s, 0, 1000) AS s, dp_median(i, 0, 1000) AS i, dp_median(b, 0, 1000) AS b,
	dp_median(r, 0, 1000) AS r, dp_median(d, 0, 1000, 1e6, 1) AS d, dp_median(n, 0, 1000, 1e6, 1) AS n FROM people;
SELECT pg_typeof(dp_median(i, 0, 1000)), 2 * dp_median(i, 0, 1000) AS twice FROM people HAVING dp_median(i, 0, 1000) > 5;
-- several quantiles of one column, each drawn by itself
SELECT dp_min(i, 0, 1000) AS min, dp_quantile(i, 0.1, 0, 1000) AS p10, dp_quantile(i, 0.25, 0, 1000) AS p25,
	dp_median(i, 0, 1000) AS p50, dp_quantile(i, 0.9, 0, 1000) AS p90, dp_max(i, 0, 1000) AS max FROM people;
-- two releases of one total are two draws: that at epsilon 1e-6 is the exact one
-- with a probability below 1e-9
SELECT dp_sum(i, 0, 1000, 1e-6) <> dp_sum(i, 0, 1000, 1e6) AS apart, dp_sum(i, 0, 1000, 1e6) = 499500 AS exact FROM people;

-- clamped to the bounds, to the nearest point, NULL and NaN skipped
SELECT dp_median(i, 0, 100) AS upper, dp_median(i, 900, 2000) AS lower, dp_median(i, 7, 7) AS one_point,
	dp_median(-i, -1000, 0) AS negative, dp_median(i, 0, 1000, 1e6, 100) AS hundreds,
	dp_median(i, 0, 1000, 1e6, 300) AS quarters FROM people;
SELECT dp_median(CASE WHEN i <= 300 THEN NULL ELSE i END, 0, 1000) AS nulls,
	dp_median(CASE WHEN i <= 300 THEN 'NaN' ELSE d END, 0, 1000, 1e6, 1) AS nans,
	dp_median(CASE WHEN i <= 600 THEN 'Infinity' ELSE d END, 0, 1000) AS infinity,
	dp_median(CASE WHEN i <= 600 THEN '-Infinity' ELSE n END, -5, 1000) AS minus_infinity,
	dp_median(CASE WHEN i <= 600 THEN 1e300 ELSE d END, 0, 1000) AS huge FROM people;
-- decimal steps give decimal answers
SELECT dp_median(i / 1000.0, 0, 1) AS m, dp_quantile(i / 1000.0, 0.3, 0, 1, 1e6, 0.01) AS p30,
	dp_median(d / 1e9, 0, 1e-6, 1e6, 1e-8) AS small, dp_median(d * 1e9, 0, 1e12, 1e6, 1e10) AS large FROM people;

-- private groups, public groups, none
SELECT city, dp_median(i, 0, 1000), dp_count(*) FROM people GROUP BY city;
SELECT city, dp_median(i, 0, 1000) FROM people GROUP BY city HAVING dp_median(i, 0, 1000) > 400;
SELECT i > 601 AS public, dp_median(i, 0, 1000), dp_max(i, 0, 1000) FROM people WHERE i IS NOT NULL AND i <> 800 GROUP BY 1 HAVING i > 601 IS NOT NULL;
SELECT i > 2000 AS public, dp_median(i, 0, 1000) FROM people GROUP BY 1;
SELECT dp_median(i, 0, 1000) AS empty, dp_min(i, 0, 1000) AS least, dp_quantile(i, 0.9, 0, 1000) AS p90 FROM people WHERE false;
SELECT dp_median(NULL::float8, 3, 4) AS empty, dp_median(NULL::float8, 3, 3) AS one_point FROM people;
-- one row is enough where scores are told apart
SELECT dp_median(i, 0, 1000) AS one, dp_max(i, 0, 1000), dp_min(i, 0, 1000), dp_quantile(i, 0.1, 0, 1000) AS p10 FROM people WHERE id = 77;
SELECT city, dp_median(i, 0, 1000) FROM people WHERE false GROUP BY city;
SELECT dp_median(total, 0, 5000) FROM (SELECT id, sum(i) AS total FROM people GROUP BY id) x;

-- Units of several rows: one of r > 4 rows weighs 4.  Nobody's rows and those
-- of person 2, who has 3,000 at 80, would make it 80; of weights 1 each for
-- the 20 others at 20 there are more than 4.
RESET ROLE;
INSERT INTO visits SELECT p, 'a', 20 FROM generate_series(10, 29) p;
INSERT INTO visits SELECT 2, 'a', 80 FROM generate_series(1, 3000);
INSERT INTO visits SELECT NULL, 'a', 90 FROM generate_series(1, 3000);
SET ROLE quantile_analyst;
SELECT dp_median(d, 0, 100), dp_quantile(d, 0.82, 0, 100) AS below, dp_quantile(d, 0.85, 0, 100) AS above FROM visits;
-- mixed with other aggregates, by groups that a unit can be in several of
RESET ROLE;
INSERT INTO visits SELECT p, 'b', p FROM generate_series(30, 50) p;
INSERT INTO visits SELECT p, 'b', p FROM generate_series(30, 50) p;
INSERT INTO visits SELECT 1, 'group ' || g, 1 FROM generate_series(1, 50) g;
SET ROLE quantile_analyst;
SELECT city, dp_median(d, 0, 100), dp_quantile(d, 0.26, 0, 100) AS p26, dp_count(*), dp_count(DISTINCT person), round(dp_avg(d, 0, 100)::numeric, 3) AS avg
	FROM visits GROUP BY city;

-- the same in parallel, and in groups that are sorted
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_hashagg = off;
SELECT dp_median(i, 0, 1000), dp_median(n, 0, 1000, 1e6, 1), dp_count(*) FROM people;
SELECT city, dp_median(i, 0, 1000), dp_count(*) FROM people GROUP BY city;
SELECT city, dp_median(d, 0, 100), dp_count(*) FROM visits GROUP BY city;
RESET enable_hashagg;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- noise: the median of 999 rows at epsilon 1 is off by more than 50 ranks with a
-- probability below 1001 exp(-50), the 0.9-quantile by more than 100 likewise
SET dp_agg.epsilon = 1;
SELECT abs(dp_median(i, 0, 1000) - 500) <= 50, abs(dp_quantile(i, 0.9, 0, 1000) - 900) <= 100 FROM people;
-- dp_max leaves out about 2 ln(1000 points) / epsilon rows, 28 here, dp_min as many:
-- 100 with a probability below 1001 exp(-36)
SELECT dp_max(i, 0, 1000) BETWEEN 900 AND 1000, dp_min(i, 0, 1000) BETWEEN 0 AND 100 FROM people;

-- bound parameters
PREPARE q (float8, int, int, float8) AS SELECT dp_quantile(i, $1, $2, $3, $4, 1) FROM people;
EXECUTE q (0.25, 0, 1000, 1e6);
EXECUTE q (0.75, 0, 1000, 1e6);
EXECUTE q (2, 0, 1000, 1e6);
DEALLOCATE q;
-- in a cursor, drawn once
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT dp_median(i, 0, 1000, 0.1) = dp_median(i, 0, 1000, 0.1) AS same, dp_max(i, 0, 1000, 0.3) = dp_max(i, 0, 1000, 0.3) AS same_max FROM people;
FETCH c;
COMMIT;

-- what it costs and how far ranks are off
SELECT aggregate, mechanism, epsilon, delta, noise_stddev, round(half_width_95::numeric, 2) AS half_width_95
	FROM dp_agg.price('SELECT dp_median(i, 0, 1000), dp_max(i, 0, 1000), dp_quantile(i, 0.9, 0, 1000, 0.1), dp_median(i, 0, 1000, 1, 100) FROM people');
SELECT aggregate, epsilon, round(half_width_95::numeric, 2) AS half_width_95
	FROM dp_agg.price('SELECT dp_median(d, 0, 100) FROM visits UNION ALL SELECT dp_median(d, 0, 100) FROM visits GROUP BY city');
SET dp_agg.mechanism = gaussian;
SELECT aggregate, mechanism, delta FROM dp_agg.price('SELECT dp_median(i, 0, 1000), dp_count(*) FROM people');
RESET dp_agg.mechanism;
EXPLAIN (VERBOSE, COSTS off) SELECT dp_median(i, 0, 1000), dp_max(i, 0, 1000) FROM people;
-- the curve charged is that of bounded range, below that of any mechanism of its epsilon
RESET ROLE;
SELECT dp_agg.reset_budget('quantile_analyst');
SET ROLE quantile_analyst;
SELECT dp_median(i, 0, 1000, 0.5) IS NOT NULL AS asked FROM people;
SELECT mechanism, half_width_95 > 0 AS half_width FROM dp_agg.last_release();
RESET ROLE;
SELECT abs(pure_spent / 0.5 - 1) < 1e-9 AS pure,
	abs(rdp_spent[1] / dp_accountant.rdp_exponential(1.1, 0.5) - 1) < 1e-9 AND rdp_spent[1] < 0.3 * dp_accountant.rdp_pure(1.1, 0.5) AS low,
	abs(rdp_spent[64] / dp_accountant.rdp_exponential(4096, 0.5) - 1) < 1e-9 AS high
	FROM dp_agg.budget WHERE role = 'quantile_analyst'::regrole;
SELECT jsonb_pretty(releases #- '{0,question}') FROM dp_agg.ledger WHERE releases#>>'{0,releases,0,mechanism}' = 'exponential' ORDER BY at DESC LIMIT 1;
SELECT count(*) AS problems FROM dp_agg.verify_ledger();
-- exact composition reads it as a mechanism of its bounded range
SELECT round(dp_accountant.pld_epsilon((SELECT jsonb_agg(releases) FROM dp_agg.ledger
	WHERE releases#>>'{0,releases,0,aggregate}' = 'dp_median(i, 0, 1000, 0.5)'), 1e-12)::numeric, 3) AS pld;
SET ROLE quantile_analyst;

-- refused, and nothing charged
SELECT dp_median(i, 10, 0) FROM people;
SELECT dp_quantile(i, 1.5, 0, 10) FROM people;
SELECT dp_quantile(i, -0.1, 0, 10) FROM people;
SELECT dp_quantile(i, 'NaN', 0, 10) FROM people;
SELECT dp_quantile(i, NULL, 0, 10) FROM people;
SELECT dp_quantile(i, d, 0, 10) FROM people;
SELECT dp_median(i, 0, i) FROM people;
SELECT dp_median(i, 0, 'Infinity') FROM people;
SELECT dp_median(i, -1e308, 1e308) FROM people;
SELECT dp_median(i, 0, 10, 0) FROM people;
SELECT dp_median(i, 0, 10, 1, 0) FROM people;
SELECT dp_median(i, 0, 10, 1, -1) FROM people;
SELECT dp_median(i, 0, 10, 1, NULL) FROM people;
SELECT dp_median(i, 0, 10, 1, 1e-9) FROM people;
SELECT dp_median(i, 1e18, 1e18 + 1024) FROM people;
SELECT dp_median(d, 1e15, 1e15 + 1) FROM people;
SELECT dp_median(DISTINCT i, 0, 10) FROM people;
SELECT dp_median(i, 0, 10 ORDER BY i) FROM people;
SELECT dp_median(i, 0, 10) OVER () FROM people;
SELECT dp_median(random(), 0, 10) FROM people;
SELECT dp_median(repeat(city, 2)::float8, 0, 10) FROM people;
SET dp_agg.max_rows = 1000000000;
SELECT dp_quantile(d, 0.000001, 0, 10) FROM visits;
SELECT dp_quantile(d, 0.1, 0, 10, 1e-9) FROM visits;
SET dp_agg.max_rows = 1000000;
EXPLAIN (COSTS OFF) SELECT dp_quantile(d, 0.9, 0, 10, 0.005) FROM visits;
RESET dp_agg.max_rows;
RESET ROLE;
SELECT statements, round(pure_spent::numeric, 6) AS spent FROM dp_agg.budget WHERE role = 'quantile_analyst'::regrole;

-- what would fit a budget that does not suffice
SELECT dp_agg.set_budget('quantile_analyst', 1, 1e-6), dp_agg.reset_budget('quantile_analyst');
SET ROLE quantile_analyst;
SELECT dp_median(i, 0, 1000, 2) FROM people;
RESET ROLE;

-- the exact aggregates are no way round, and bear with any bytes
SELECT dp_agg_internal.exact_cells(i, '\x00') FROM people;
SELECT dp_agg_internal.exact_cells(i, NULL) FROM people;
SELECT dp_agg_internal.exact_cells(i, decode(repeat('ff', 44), 'hex')) FROM people;
CREATE FUNCTION cells_of(bytea, bigint) RETURNS bigint LANGUAGE c STRICT AS 'dp_agg', 'dp_aggregate_cells_deserialize';
SELECT cells_of('\x00', 0);
SELECT cells_of(decode('02000000000000000000000000000000' || '0100000000000000' || '020000000100000000000000', 'hex'), 0);
SELECT cells_of(decode('02000000000000000000000000000000' || '0100000000000000' || '010000000000000000000000', 'hex'), 0);
SELECT cells_of(decode('02000000000000000000000000000000' || '0100000000000000' || '010000000100000000000000' || '000000000100000000000000', 'hex'), 0);
SELECT cells_of(decode('02000000000000000000000000000000' || '0100000000000000' || '000000000100000000000000' || '010000000100000000000080', 'hex'), 0);
SELECT cells_of(decode('02000000000000000100000000000000' || '0100000000000000' || c || '0000000100000000000000', 'hex'), 0) IS NOT NULL AS made
	FROM unnest(ARRAY['00', '01', '01', NULL]) c;
\set spec '''\\x0000000000000000000000000600000000000000000000000000008003000000000000000300000000000000'''
-- cells of 3 in 0 .. 6
SELECT encode(dp_agg_internal.exact_cells(x, :spec), 'hex') FROM generate_series(-1, 8) x;
SELECT dp_agg_internal.released_point('\x00', 0, 1, 1);
SELECT dp_agg_internal.released_point(decode(repeat('00', 20), 'hex'), 0, 1, 0);
SELECT dp_agg_internal.released_point(decode(repeat('00', 20), 'hex'), 1, 0, 1);
SELECT dp_agg_internal.released_point(decode('00000000' || n || repeat('00', 15), 'hex'), 0, 1, 0.1)
	FROM unnest(ARRAY['00', '03', '07', '0a', 'ff']) n;

SET client_min_messages = warning;
DROP SCHEMA quantiles CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE quantile_analyst;
