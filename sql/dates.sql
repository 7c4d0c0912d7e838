--
-- dates: quantiles of dates and timestamps, and means as numerics
--
-- At epsilon 1e6 a rank error of one row or more in 60,000 points has a
-- probability below 60,001 exp(-1e6/4); exact answers are asked for with that.
--
CREATE EXTENSION dp_agg;
CREATE ROLE dates_analyst;
CREATE SCHEMA dates;
GRANT USAGE ON SCHEMA dates TO dates_analyst;
SET search_path = dates, public;
SET timezone = 'UTC';
CREATE TABLE people (id int PRIMARY KEY, city text, s int2, i int, b int8, n numeric, r real, d float8,
	born date, seen timestamp, logged timestamptz, woke time);
INSERT INTO people SELECT i, 'city ' || (i - 1) / 333, i % 10, i, i, i, i, i, date '1950-01-01' + i, timestamp '2020-01-01' + i * interval '1 hour',
	timestamptz '2020-01-01' + i * interval '1 hour', '06:00' FROM generate_series(1, 999) i;
CREATE TABLE visits (person int, day date, at timestamp);
INSERT INTO visits SELECT p, date '2024-01-10' + p, date '2024-01-10' + p FROM generate_series(1, 20) p;
INSERT INTO visits SELECT 100, '2024-12-31', '2024-12-31' FROM generate_series(1, 3000);
INSERT INTO visits SELECT NULL, '2024-12-31', '2024-12-31' FROM generate_series(1, 3000);
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 4, 2);
SELECT dp_agg.set_domain('people', 'born', '1940-01-01', date '2000-01-01'), dp_agg.set_domain('people', 'seen', '2020-01-01', timestamp '2020-12-31'),
	dp_agg.set_domain('people', 'logged', '2020-01-01', timestamptz '2020-12-31');
SELECT dp_agg.set_budget('dates_analyst', 1e12, 0.5);
SET ROLE dates_analyst;
SET dp_agg.epsilon = 1e6;

-- with bounds, and with those of the domain; they come back as what they are
SELECT dp_median(born, '1900-01-01', '2030-01-01'), dp_quantile(born, 0.1, '1900-01-01', '2030-01-01') AS p10,
	dp_min(born, '1900-01-01', '2030-01-01'), dp_max(born, date '1900-01-01', date '2030-01-01') FROM people;
SELECT dp_median(born), dp_quantile(born, 0.9) AS p90, dp_min(born), dp_max(born) FROM people;
SELECT dp_median(seen, '2020-01-01', '2021-01-01'), dp_quantile(seen, 0.1, '2020-01-01', '2021-01-01') AS p10, dp_min(seen), dp_max(seen) FROM people;
SELECT dp_median(logged, '2020-01-01', '2021-01-01'), dp_quantile(logged, 0.1, '2020-01-01', '2021-01-01') AS p10, dp_min(logged), dp_max(logged) FROM people;
SELECT pg_typeof(dp_median(born)) AS date, pg_typeof(dp_min(seen)) AS timestamp, pg_typeof(dp_max(logged)) AS timestamptz FROM people;
SELECT dp_max(born) - dp_min(born) AS days, extract(year FROM dp_median(born)) AS year, dp_median(seen)::date AS day, age(dp_max(seen), dp_min(seen)) FROM people;
-- of what is not a column, a date as a timestamp too
SELECT dp_median(born + 10, '1900-01-01', '2030-01-01') AS later, dp_median(born + 10) AS of_domain, dp_median(date_trunc('day', seen), '2020-01-01', '2021-01-01') AS day,
	dp_median(seen::date, '2020-01-01', '2021-01-01') AS cast, dp_median(born, timestamp '1900-01-01', '2030-01-01') AS time,
	dp_median(CASE WHEN i < 500 THEN born ELSE '1990-01-01' END) AS cases, dp_median(NULL::date, '2020-01-01', '2020-01-02') AS nothing FROM people;
-- clamped to the bounds, the infinite ones too; NULL is skipped
SELECT dp_median(born, '1940-01-01', '1949-12-31') AS upper, dp_median(born, '1960-01-01', '1970-01-01') AS lower, dp_median(born, '1950-06-01', '1950-06-01') AS one_point,
	dp_median(CASE WHEN i <= 300 THEN NULL ELSE born END, '1900-01-01', '2030-01-01') AS nulls,
	dp_median(CASE WHEN i <= 600 THEN 'infinity' ELSE born END, '1900-01-01', '2030-01-01') AS infinity,
	dp_median(CASE WHEN i <= 600 THEN '-infinity' ELSE born END, '1900-01-01', '2030-01-01') AS minus_infinity FROM people;
SELECT dp_median(CASE WHEN i <= 600 THEN 'infinity' ELSE seen END, '2020-01-01', '2021-01-01') AS infinity,
	dp_median(CASE WHEN i <= 600 THEN '-infinity' ELSE logged END, '2020-01-01', '2021-01-01') AS minus_infinity,
	dp_median(seen, '4713-01-01 BC', '294276-12-31 23:59:59.999999', 1e6, '10000 days') AS whole_calendar,
	dp_max(born, '4713-01-01 BC', '5874897-12-31', 1e6, 10000) < '2050-01-01' AS whole_calendar FROM people;
-- steps: days of dates, intervals of timestamps
SELECT dp_median(born, '1950-01-01', '1953-01-01', 1e6, 7) AS weeks, dp_median(born, '1950-01-01', '1953-01-01', 1e6, 365) AS years,
	dp_median(seen, '2020-01-01', '2021-01-01', 1e6, '1 day') AS days, dp_median(seen, '2020-01-01', '2020-02-01', 1e6, '2 days 12 hours') AS days_and_hours,
	dp_median(seen, '2020-01-21 19:59:59.5', '2020-01-21 20:00:00.4', 1e6, '0.1 seconds') AS tenths FROM people;
-- without one, a range has at most 65,536 of them: microseconds, seconds, minutes, hours, days
SELECT dp_median(seen, '2020-01-21 19:59:59.99', '2020-01-21 20:00:00.01') AS micro, dp_median(seen + interval '2 seconds', '2020-01-21 10:00', '2020-01-22 03:00') AS seconds,
	dp_median(seen + interval '32 seconds', '2020-01-20', '2020-02-05') AS half_minutes, dp_median(seen + interval '32 minutes', '2010-01-01', '2050-01-01') AS half_days,
	dp_median(seen + interval '11 hours', '1800-01-01', '2100-01-01') AS days, dp_median(seen, '0001-01-01', '2100-01-01') AS months FROM people;
SELECT dp_median(born, '1900-01-01', '2100-01-01') AS two_days, dp_median(born, '1900-01-02', '2100-01-01') AS others FROM people;
-- the last step may be shorter: the end is a point, too, and whatever lies nearer to a point before it is that
SELECT dp_max(born, '1950-01-01', '1950-01-10', 1e6, 4) AS upper, dp_max(born, '1950-01-01', '1950-01-12', 1e6, 4) AS upper,
	dp_median(CASE WHEN i < 500 THEN date '1950-01-05' ELSE '1950-01-11' END, '1950-01-01', '1950-01-12', 1e6, 4) AS point FROM people;

-- private groups, keys, several kinds together
SELECT city, dp_median(born), dp_max(seen), dp_count(*) FROM people GROUP BY city;
SELECT i > 601 AS public, dp_median(born), dp_max(logged) FROM people WHERE i IS NOT NULL AND i < 999 GROUP BY 1 HAVING i > 601 IS NOT NULL;
SELECT dp_median(born) AS empty, dp_median(seen) AS empty FROM people WHERE false;
-- one of many rows weighs 4, nobody none
SELECT dp_median(day, '2024-01-01', '2024-12-31'), dp_quantile(day, 0.82, '2024-01-01', '2024-12-31') AS below, dp_quantile(day, 0.85, '2024-01-01', '2024-12-31') AS above,
	dp_median(at, '2024-01-01', '2024-12-31', 1e6, '1 day'), dp_count(DISTINCT person) FROM visits;
SELECT dp_median(at, '2024-01-01', '2024-12-31', 1e6, '1 day') FROM visits;
-- the same in parallel, in groups that are sorted, and where memory is short
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_hashagg = off;
SET work_mem = '64kB';
SELECT dp_median(born), dp_median(seen), dp_median(logged), dp_count(*) FROM people;
SELECT city, dp_median(born), dp_max(seen), dp_count(*) FROM people GROUP BY city;
SELECT dp_median(day, '2024-01-01', '2024-12-31') FROM visits;
SELECT dp_median(day, '2024-01-01', '2024-12-31'), dp_median(at, '2024-01-01', '2024-12-31', 1e6, '1 day'), dp_count(*) FROM visits;
RESET work_mem;
RESET enable_hashagg;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- parameters, typed and not
PREPARE q (date, date, float8, int) AS SELECT dp_median(born, $1, $2, $3, $4) FROM people;
EXECUTE q ('1950-01-01', '1953-01-01', 1e6, 7);
EXECUTE q ('1950-01-01', 'infinity', 1e6, 7);
DEALLOCATE q;
PREPARE q AS SELECT dp_max(seen, $1, $2, $3, $4), dp_max(born, $5, $6) FROM people;
EXECUTE q ('2020-01-01', '2021-01-01', 1e6, '1 day', '1900-01-01', '2030-01-01');
EXECUTE q ('2020-01-01', '2021-01-01', 1e6, '1 month', '1900-01-01', '2030-01-01');
DEALLOCATE q;

-- what is said of them, and the noise of a rank: off by more than 50 of 999 with a probability below 47,483 exp(-50)
SET dp_agg.epsilon = 1;
SELECT aggregate, mechanism, epsilon, half_width_95 > 0 AS half_width
	FROM dp_agg.price('SELECT dp_median(born, ''1900-01-01'', ''2030-01-01''), dp_min(seen), dp_max(logged, ''2020-01-01'', ''2021-01-01'', 0.5, ''1 hour'') FROM people');
EXPLAIN (COSTS off) SELECT dp_median(born), dp_max(seen, '2020-01-01', '2021-01-01') FROM people;
SELECT abs(dp_median(born, '1900-01-01', '2030-01-01') - date '1951-05-16') <= 50 AS near FROM people;

-- refused, and nothing charged
RESET ROLE;
SELECT dp_agg.reset_budget('dates_analyst');
SET ROLE dates_analyst;
SELECT dp_median(born, '2030-01-01', '1900-01-01') FROM people;
SELECT dp_median(born, '1900-01-01', 'infinity') FROM people;
SELECT dp_median(seen, '-infinity', '2000-01-01') FROM people;
SELECT dp_median(born, born, '2000-01-01') FROM people;
SELECT dp_median(born, NULL, '2000-01-01') FROM people;
SELECT dp_median(born, '1900-01-01', '2030-01-01', 1, 0) FROM people;
SELECT dp_median(born, '1900-01-01', '2030-01-01', 1, '1 day') FROM people;
SELECT dp_median(seen, '1900-01-01', '2030-01-01', 1, '1 month') FROM people;
SELECT dp_median(seen, '1900-01-01', '2030-01-01', 1, '-1 day') FROM people;
SELECT dp_median(seen, '1900-01-01', '2030-01-01', 1, '1 second') FROM people;
SELECT dp_median(seen, '294276-12-31', '294276-12-31 00:00:00.001') FROM people;
SELECT dp_median(born + 2147000000) FROM people;
\set VERBOSITY terse
SELECT dp_median(woke, '06:00', '08:00') FROM people;
\set VERBOSITY default
SELECT dp_max(day) FROM visits;
\set VERBOSITY terse
SELECT dp_avg(born, '1900-01-01', '2030-01-01') FROM people;
\set VERBOSITY default
\set VERBOSITY terse
SELECT dp_interval(dp_median(born)) FROM people;
\set VERBOSITY default
RESET ROLE;
SELECT statements FROM dp_agg.budget WHERE role = 'dates_analyst'::regrole;

-- means of whole numbers and numerics are numerics, as PostgreSQL's avg; of floats floats
SET ROLE dates_analyst;
SET dp_agg.epsilon = 50;
SELECT pg_typeof(dp_avg(s, 0, 10)) AS s, pg_typeof(dp_avg(i, 0, 1000)) AS i, pg_typeof(dp_avg(b, 0, 1000)) AS b, pg_typeof(dp_avg(n, 0, 1000)) AS n,
	pg_typeof(dp_avg(r, 0, 1000)) AS r, pg_typeof(dp_avg(d, 0, 1000)) AS d, pg_typeof(dp_avg(i, 0, 1000) / 2) AS half FROM people;
SELECT round(dp_avg(s, 0, 10), 1) AS s, round(dp_avg(i, 0, 1000), 0) AS i, round(dp_avg(b, 0, 1000), 0) AS b, round(dp_avg(n, 0, 1000), 0) AS n,
	length(dp_avg(i, 0, 1000)::text) <= 16 AS short FROM people;
SET dp_agg.mechanism = gaussian;
SELECT pg_typeof(dp_avg(i, 0, 1000)), abs(dp_avg(i, 0, 1000) - 500) < 5 AS near, dp_interval(dp_avg(i, 0, 1000)) @> dp_avg(i, 0, 1000) AS within FROM people;
RESET dp_agg.mechanism;
SELECT dp_avg(i, 7, 7) AS one_value, dp_avg(b, 999999999999999, 999999999999999) AS digits, dp_avg(b, 9007199254740993, 9007199254740993) AS sixteen,
	dp_avg(n, 0.1, 0.1) AS tenth, dp_interval(dp_avg(n, 0.1, 0.1)) @> dp_avg(n, 0.1, 0.1) AS within FROM people;
SELECT city, round(dp_avg(i, 0, 1000), -2) AS hundreds FROM people GROUP BY city HAVING round(dp_avg(i, 0, 1000), -2) > 200;
RESET ROLE;

-- what is computed of totals bears with any bytes
SELECT dp_agg_internal.released_date('\x00', '2020-01-01', '2020-01-02', 1);
SELECT dp_agg_internal.released_date(decode(repeat('00', 20), 'hex'), '2020-01-01', '2020-01-02', 0);
SELECT dp_agg_internal.released_date(decode(repeat('00', 20), 'hex'), '2020-01-01', '2019-01-02', 1);
SELECT dp_agg_internal.released_date(decode(repeat('00', 20), 'hex'), '2020-01-01', 'infinity', 1);
SELECT dp_agg_internal.released_timestamp(decode(repeat('00', 20), 'hex'), '-infinity', '2020-01-01', 1);
SELECT dp_agg_internal.released_timestamptz(decode(repeat('00', 20), 'hex'), '2020-01-02', '2020-01-01', 1);
SELECT dp_agg_internal.released_date(t, '4713-01-01 BC', '5874897-12-31', 0.7) AS date, dp_agg_internal.released_timestamp(t, '4713-01-01 BC', '294276-12-31', 0.7e6) AS timestamp,
	dp_agg_internal.released_timestamptz(t, '2020-01-01', '2021-01-01', 1e300) AS timestamptz
	FROM (SELECT decode('00000000' || n, 'hex') AS t FROM unnest(ARRAY[repeat('00', 16), '03' || repeat('00', 15), repeat('ff', 16), repeat('ff', 15) || '7f']) n) x;
\set spec '''\\x0000000000000000000000000600000000000000000000000000008003000000000000000300000000000000'''
WITH numbers AS (SELECT n, n % 7 AS u FROM generate_series(-3, 20) n)
SELECT dp_agg_internal.exact_cells(date '2000-01-01' + n, :spec) = dp_agg_internal.exact_cells(n, :spec) AS rows
	FROM numbers;

SET client_min_messages = warning;
DROP SCHEMA dates CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE dates_analyst;
