--
-- computed_keys: group keys whose values follow from bounds of a column, and bounds that follow from other bounds
--
-- A count at epsilon 1e6 is off by one or more with a probability below 1e-200.
--
CREATE EXTENSION dp_agg;
SET client_min_messages = warning;
SET datestyle = ISO;
SET timezone = 'UTC';
CREATE ROLE computed_keys_analyst;
CREATE SCHEMA computed_keys;
SET search_path = computed_keys, public;
CREATE TABLE visits (id int PRIMARY KEY, age int, weight float8, cost numeric, big bigint NOT NULL, day date NOT NULL, at timestamp NOT NULL, logged timestamptz NOT NULL,
	left_at timestamp, sex text, note varchar(20), took interval, fee money, opening time);
INSERT INTO visits SELECT i, i % 90, i % 1000 / 10.0, i % 777 / 7.0, i * 1000, date '2023-03-05' + i % 600, timestamp '2023-03-05 06:00' + i % 600 * interval '1 day 1 hour',
	timestamptz '2023-03-05 00:30+00' + i % 500 * interval '1 day 37 minutes', timestamp '2023-03-05 06:00' + i % 600 * interval '1 day 1 hour' + i % 50 * interval '30 minutes',
	(ARRAY['f', 'm'])[1 + i % 2], repeat('x', i % 20), i % 48 * interval '1 hour', i % 100, '08:00' FROM generate_series(1, 3000) i;
INSERT INTO visits (id, big, day, at, logged) VALUES (0, 1, '2023-03-05', '2023-03-05', '2023-03-05');
CREATE TABLE stays (no int PRIMARY KEY, person int NOT NULL, days int);
INSERT INTO stays SELECT i, i % 500, i % 11 FROM generate_series(1, 2000) i;
CREATE TABLE guests (no int PRIMARY KEY, person int NOT NULL, days int);
CREATE TABLE tours (person int NOT NULL, day int NOT NULL);
INSERT INTO tours SELECT DISTINCT person, 1 FROM stays;
SELECT dp_agg.protect('visits', 'id'), dp_agg.protect('stays', 'person', max_rows => 6), dp_agg.protect('guests', 'person'), dp_agg.protect('tours', 'person', max_rows => 2);
SELECT dp_agg.set_domain('visits', 'age', 0, 99), dp_agg.set_domain('visits', 'weight', 0, 100), dp_agg.set_domain('visits', 'cost', 0, 120), dp_agg.set_domain('visits', 'big', 0, 4000000),
	dp_agg.set_domain('visits', 'day', '2023-03-01', '2024-12-31'), dp_agg.set_domain('visits', 'at', '2023-03-01', '2024-12-31 12:00'), dp_agg.set_domain('visits', 'logged', '2023-03-01', '2024-12-31'),
	dp_agg.set_domain('visits', 'left_at', '2023-03-01', '2025-01-31'), dp_agg.set_domain('stays', 'days', 0, 10), dp_agg.set_domain('visits', 'took', interval '0', interval '2 days');
SELECT lower, upper FROM dp_agg.protected_columns WHERE relation = 'visits'::regclass AND "column" = 'took';
SELECT dp_agg.set_budget('computed_keys_analyst', 1e12, 1e-3);
GRANT USAGE ON SCHEMA computed_keys TO computed_keys_analyst;

\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/compare.sql'
\i :file

-- Keys with rows are the owner's, and those without are not there for him.
COPY asked (statement) FROM stdin;
SELECT date_trunc('month', day) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_trunc('month', at)::date AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_trunc('week', logged) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_trunc('quarter', at) AS k, count(*), sum(age) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_bin('7 days', at, '2000-01-03') AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_bin('13 hours 7 minutes', at, '2023-01-01 00:00:07') AS k, count(*) FROM visits WHERE at < '2024-03-01' GROUP BY 1 HAVING count(*) > 0
SELECT date_bin('36 hours', logged, '2030-01-01 00:00+00') AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_bin('5 days', day, '2000-01-03')::date AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT to_char(date_bin('2 days', at, '2000-01-03'), 'DD Mon') AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_bin('1 day', at - interval '6 hours', '2000-01-03') + interval '6 hours' AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_trunc('day', logged - interval '90 minutes') AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT to_char(date_trunc('month', at), 'Mon') AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(dow FROM date_trunc('month', at)) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(hour FROM date_bin('10 hours', at, '2000-01-03')) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(dow FROM day - (day - date '2000-01-03') % 10) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(dow FROM date '2000-01-03' + (day - date '2000-01-03') / 10 * 10) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT at::date AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT day AS k, count(*) FROM visits WHERE day >= '2023-06-01' AND day < '2023-07-01' GROUP BY 1 HAVING count(*) > 0
SELECT at::date AS k, count(*) FROM visits WHERE at::date BETWEEN '2023-06-01' AND '2023-07-01' GROUP BY 1 HAVING count(*) > 0
SELECT extract(year FROM at) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(month FROM at) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(dow FROM at) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(hour FROM at) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(day FROM day) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(week FROM day) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_part('doy', at) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(dow FROM at) * 100 + extract(hour FROM at) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(year FROM at) * 100 + extract(month FROM at) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT to_char(at, 'YYYY-MM') AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT to_char(date_trunc('month', day), 'Mon YYYY') AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT to_char(at, 'Dy HH24') AS k, count(*) FROM visits WHERE at < '2023-05-01' GROUP BY 1 HAVING count(*) > 0
SELECT age AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT age / 10 AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT age / 10 * 10 AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT age % 7 AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT abs(age - 50) / 5 AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT big / 100000 AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT floor(weight / 10) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT floor(cost / 10) * 10 AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT round(cost, -1) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT ceil(-weight / 7) + 0 AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT weight::int AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT width_bucket(cost, 0, 110, 11) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT width_bucket(weight, 10, 90, 4) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT CASE WHEN age < 18 THEN 'young' WHEN age < 65 THEN 'adult' ELSE 'old' END AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT CASE WHEN age < 18 THEN 'young' WHEN sex = 'm' THEN 'man' END AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT CASE WHEN age > 60 THEN 60 ELSE age / 10 * 10 END AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT coalesce(age / 10, -1) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT (age / 10)::text || '0s' AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT age / 20 AS k, date_trunc('quarter', day) AS q, sex = 'f' AS f, count(*) FROM visits GROUP BY 1, 2, 3 HAVING count(*) > 0
SELECT extract(hour FROM opening) AS k, count(*) FROM visits WHERE opening BETWEEN '06:00' AND '18:00' GROUP BY 1 HAVING count(*) > 0
\.
SELECT * FROM compare();
-- where clocks are set
SET timezone = 'America/New_York';
COPY asked (statement) FROM stdin;
SELECT date_trunc('day', logged) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_trunc('hour', logged) AS k, count(*) FROM visits WHERE logged BETWEEN '2023-11-03' AND '2023-11-08' GROUP BY 1 HAVING count(*) > 0
SELECT logged::date AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT logged::date AS k, count(*) FROM visits WHERE logged::date BETWEEN '2023-10-25' AND '2023-11-20' GROUP BY 1 HAVING count(*) > 0
SELECT extract(hour FROM logged) AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT extract(dow FROM logged AT TIME ZONE 'Asia/Kolkata') AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_trunc('month', logged AT TIME ZONE 'Pacific/Auckland') AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT date_bin('1 day', logged AT TIME ZONE 'Europe/Berlin', '2000-01-03') AT TIME ZONE 'Europe/Berlin' AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT (date_bin('7 days', logged AT TIME ZONE 'Europe/Berlin', '2000-01-03') AT TIME ZONE 'Europe/Berlin')::date AS k, count(*) FROM visits GROUP BY 1 HAVING count(*) > 0
SELECT to_char(date_bin('90 minutes', logged AT TIME ZONE 'America/New_York', '2000-01-03'), 'DD HH24') AS k, count(*) FROM visits WHERE logged BETWEEN '2023-11-03' AND '2023-11-08' GROUP BY 1 HAVING count(*) > 0
\.
SELECT * FROM compare();
SET timezone = 'UTC';
-- a clock that is set back shows the same twice, also over midnight; one that is set forward leaves minutes of an hour;
-- two keys that change at times of their own have values for as long as neither does
CREATE TABLE clocks (id int PRIMARY KEY, at timestamptz NOT NULL);
INSERT INTO clocks SELECT row_number() OVER (), at FROM (SELECT generate_series(timestamptz '2024-10-26 20:00+00', '2024-10-27 04:00+00', '67 seconds') UNION ALL
	SELECT generate_series(timestamptz '2024-03-30 20:00+00', '2024-03-31 04:00+00', '67 seconds') UNION ALL
	SELECT generate_series(timestamptz '2005-10-29 22:00+00', '2005-10-30 04:00+00', '47 seconds')) t (at);
SELECT dp_agg.protect('clocks', 'id');
COPY asked (statement) FROM stdin;
SELECT date_bin('15 minutes', at AT TIME ZONE 'Europe/Berlin', '2000-01-01') AS k, count(*) FROM clocks WHERE at >= '2024-10-26 22:00+00' AND at < '2024-10-27 01:10+00' GROUP BY 1 HAVING count(*) > 0
SELECT date_trunc('minute', at AT TIME ZONE 'Europe/Berlin') AS k, count(*) FROM clocks WHERE at >= '2024-10-27 00:00+00' AND at < '2024-10-27 01:10+00' GROUP BY 1 HAVING count(*) > 0
SELECT date_trunc('day', at, 'America/St_Johns') AS k, count(*) FROM clocks WHERE at >= '2005-10-29 00:00+00' AND at < '2005-10-30 03:00+00' GROUP BY 1 HAVING count(*) > 0
SELECT (at AT TIME ZONE 'America/St_Johns')::date AS k, count(*) FROM clocks WHERE at >= '2005-10-29 00:00+00' AND at < '2005-10-30 03:00+00' GROUP BY 1 HAVING count(*) > 0
SELECT extract(hour FROM date_bin('1 hour', at AT TIME ZONE 'Europe/Berlin', '2000-01-01 00:07:13')) AS k, count(*) FROM clocks WHERE at >= '2024-03-30 23:08+00' AND at < '2024-03-31 04:00+00' GROUP BY 1 HAVING count(*) > 0
SELECT to_char((at AT TIME ZONE 'Europe/Berlin') - interval '0:07:13', 'HH24') AS k, count(*) FROM clocks WHERE at >= '2024-03-30 23:08+00' AND at < '2024-03-31 04:00+00' GROUP BY 1 HAVING count(*) > 0
SELECT greatest(date_bin('40 min', at, '2000-01-01 00:07:13+00'), date_bin('60 min', at, '2000-01-01 00:40:13+00')) AS k, count(*) FROM clocks WHERE at >= '2024-10-26 22:00+00' AND at < '2024-10-27 01:10+00' GROUP BY 1 HAVING count(*) > 0
SELECT extract(hour FROM at AT TIME ZONE 'UTC') * 60 + extract(hour FROM at AT TIME ZONE 'UTC' + interval '7 min') AS k, count(*) FROM clocks WHERE at >= '2024-10-26 22:00+00' AND at < '2024-10-27 03:10+00' GROUP BY 1 HAVING count(*) > 0
\.
SELECT * FROM compare();
SET timezone = 'America/St_Johns';
COPY asked (statement) FROM stdin;
SELECT date_bin('1 minute', at, '2000-01-01 00:00+00')::date AS k, count(*) FROM clocks WHERE at >= '2005-10-29 22:00+00' AND at < '2005-10-30 03:00+00' GROUP BY 1 HAVING count(*) > 0
SELECT extract(hour FROM date_bin('15 minutes', at, '2000-01-01 00:00+00')) AS k, count(*) FROM clocks WHERE at >= '2005-10-29 22:00+00' AND at < '2005-10-30 03:00+00' GROUP BY 1 HAVING count(*) > 0
SELECT date_trunc('day', date_trunc('minute', at)) AS k, count(*) FROM clocks WHERE at >= '2005-10-29 22:00+00' AND at < '2005-10-30 03:00+00' GROUP BY 1 HAVING count(*) > 0
\.
SELECT * FROM compare();
SET timezone = 'UTC';

-- All of them are public: nothing is paid for a threshold, and none is missing.
SET ROLE computed_keys_analyst;
SET dp_agg.epsilon = 1e6;
CREATE FUNCTION pg_temp.is_public(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF line ~ 'Keys: public' THEN RETURN 'public'; ELSIF line ~ 'private groups' THEN RETURN 'private'; END IF;
	END LOOP;
END $$;
SELECT q, pg_temp.is_public(format('SELECT %s, count(*) FROM visits GROUP BY 1', q)) FROM unnest(ARRAY['date_trunc(''month'', day)', 'extract(hour FROM at)', 'extract(dow FROM logged)', 'at::date', 'age', 'age / 10', 'floor(weight / 10)',
	'width_bucket(cost, 0, 110, 11)', 'CASE WHEN age < 18 THEN 1 ELSE 2 END', 'to_char(day, ''YYYY-MM'')', 'date_trunc(''minute'', at)', 'weight', 'weight * 2', 'cost', 'big', 'at', 'extract(epoch FROM at)', 'extract(second FROM at)',
	'date_bin(''1 day'', at, ''2000-01-03'')', 'date_bin(''7 days'', day, ''2000-01-03'')::date', 'date_bin(''1 day'', logged AT TIME ZONE ''Asia/Tokyo'', ''2000-01-03'') AT TIME ZONE ''Asia/Tokyo''',
	'to_char(date_bin(''1 day'', at, ''2000-01-03''), ''DD'')', 'date_bin(''1 hour'', at, ''2000-01-03'')', 'date_trunc(''day'', at - interval ''2 days'')', 'date_trunc(''day'', at - interval ''1 month'')', 'date_trunc(''day'', logged - interval ''1 day'')', 'date_trunc(''day'', at + took)',
	'note', 'upper(sex)', 'floor(weight * 1000)', 'extract(year FROM at) * 100 + extract(month FROM at)', 'extract(hour FROM logged) * 60 + extract(hour FROM logged AT TIME ZONE ''Asia/Tokyo'')', 'age / nullif(age, 0)', 'CASE WHEN age < 18 THEN note ELSE ''x'' END', 'age + big']) q;
SELECT date_trunc('month', at)::date AS month, count(*) FROM visits WHERE at >= '2024-10-01' GROUP BY 1;
-- buckets without rows
SELECT date_bin('10 hours', at, '2023-03-05') AS k, count(*) FROM visits WHERE at >= '2023-03-04 23:00' AND at < '2023-03-07' GROUP BY 1;
SELECT costs.epsilon, costs.delta FROM dp_agg.price('SELECT date_bin(''1 day'', at, ''2000-01-03''), count(*) FROM visits GROUP BY 1') costs WHERE costs.epsilon > 0;
SELECT age / 20 AS k, count(*) FROM visits WHERE day < '2023-01-01' GROUP BY 1;
SELECT age / 20 AS k, count(*) FROM visits WHERE age > 30 AND age <= 70 GROUP BY 1;
SELECT age / 20 AS k, count(*) FROM visits WHERE age IS NOT NULL GROUP BY 1;
SELECT k, count(*) FROM (SELECT age / 20 AS k FROM visits) v WHERE k > 1 AND k IN (2, 4, 9) GROUP BY 1;
-- More groups than 1,000, keys that say the same twice, keys alone and keys of units stay private; so do all, if that is asked for.
SELECT q, pg_temp.is_public(format('SELECT count(*) FROM visits GROUP BY %s', q)) FROM unnest(ARRAY['age, day', 'age / 10, date_trunc(''month'', day)', 'age, sex', 'date_trunc(''month'', at), date_trunc(''quarter'', at)', 'sex']) q;
SELECT pg_temp.is_public('SELECT DISTINCT age FROM visits'), pg_temp.is_public('SELECT id, dp_count(*) FROM visits WHERE id BETWEEN 1 AND 9 GROUP BY 1');
SELECT mode() WITHIN GROUP (ORDER BY age) BETWEEN 1 AND 30 AS mode FROM visits;
SELECT costs.epsilon, costs.delta FROM dp_agg.price('SELECT age / 10, count(*) FROM visits GROUP BY 1') costs WHERE costs.epsilon > 0;
SET dp_agg.computed_keys = off;
SELECT pg_temp.is_public('SELECT age / 10, count(*) FROM visits GROUP BY 1'), pg_temp.is_public('SELECT age > 10, count(*) FROM visits GROUP BY 1');
RESET dp_agg.computed_keys;
-- a prepared statement follows the setting, and the time zone
PREPARE days AS SELECT logged::date AS day, count(*) FROM visits WHERE logged >= '2023-03-05 00:00+00' AND logged < '2023-03-06 00:00+00' GROUP BY 1;
EXECUTE days;
SET timezone = 'Asia/Tokyo';
EXECUTE days;
SET timezone = 'UTC';
SET dp_agg.computed_keys = off;
SELECT sum(count) FROM (SELECT age / 10, count(*) FROM visits GROUP BY 1) g;
RESET dp_agg.computed_keys;
RESET ROLE;

-- Rows outside of a domain are in no group, as rows of other keys than those declared.
SELECT dp_agg.set_domain('visits', 'age', 20, 49);
SET ROLE computed_keys_analyst;
SELECT age / 10 AS k, count(*) FROM visits GROUP BY 1;
SELECT age / 10 AS k, count(*) FROM visits WHERE age < 40 GROUP BY 1;
RESET ROLE;
SELECT dp_agg.set_domain('visits', 'age', 0, 99);

-- Bounds that follow: of counts and sums of a unit, of intervals, ages and lengths.  Answers lie within 1e-4 of the owner's.
COPY asked (statement) FROM stdin;
SELECT round(avg(n), 3), max(n), sum(n) FROM (SELECT person, count(*) AS n FROM stays GROUP BY person) x
SELECT round(avg(n), 3), max(n), round(stddev(n), 3) FROM (SELECT person, sum(days) AS n FROM stays GROUP BY person) x
SELECT round(avg(n), 1) FROM (SELECT person, sum(days * 2.5 + 1) AS n FROM stays GROUP BY person) x
SELECT round(avg(x.n), 2), round(avg(x.d), 1) FROM tours t JOIN (SELECT person, count(*) AS n, sum(days) AS d FROM stays GROUP BY person) x ON x.person = t.person
SELECT round(avg(x.n), 2) FROM (SELECT person, count(*) AS n FROM stays GROUP BY person) x LEFT JOIN tours t ON x.person = t.person
SELECT round(avg(n), 3) FROM (SELECT person, coalesce(sum(days) FILTER (WHERE days > 20), 0) AS n FROM stays GROUP BY person) x
SELECT date_trunc('minute', avg(left_at - at) + interval '30 seconds') AS a FROM visits
SELECT sum(left_at - at) BETWEEN interval '1520 days' AND interval '1560 days' AS a FROM visits
SELECT round(avg(extract(epoch FROM left_at - at)), -1), round(avg(extract(day FROM left_at - at)), 3), round(avg(extract(hour FROM left_at - at)), 2) FROM visits
SELECT round(avg(extract(day FROM age(left_at, timestamp '2020-01-01'))), 2), round(avg(extract(month FROM age(left_at, timestamp '2020-01-01'))), 2), round(avg(extract(year FROM age(left_at, timestamp '2020-01-01'))), 2) FROM visits
SELECT date_trunc('minute', avg(took) + interval '30 seconds'), max(took) > interval '40 hours' AS m, min(took) < interval '1 hour' AS l FROM visits
SELECT date_trunc('minute', avg(least(greatest(left_at - at, interval '0'), interval '2 hours')) + interval '30 seconds') AS a FROM visits
SELECT round(avg(length(note)), 2) FROM visits
SELECT sum(least(greatest(fee::numeric, 0), 50)) BETWEEN 110000 AND 130000 AS s FROM visits
SELECT date_trunc('hour', percentile_disc(0.5) WITHIN GROUP (ORDER BY took) + interval '30 minutes') AS m FROM visits
\.
SELECT * FROM compare();
SET ROLE computed_keys_analyst;
SELECT pg_typeof(avg(took)) AS avg, pg_typeof(sum(took)) AS sum, pg_typeof(percentile_cont(ARRAY[0.2, 0.7]) WITHIN GROUP (ORDER BY took)) AS many FROM visits;
SELECT sex, avg(took) > interval '20 hours' AS long FROM visits GROUP BY sex HAVING avg(took) < interval '30 hours' ORDER BY 1;
-- What has none says what helps.
SELECT avg(n) FROM (SELECT person, count(*) AS n FROM guests GROUP BY person) x;
SELECT avg(n) FROM (SELECT person, sum(days) AS n FROM guests GROUP BY person) x;
SELECT avg(opening - time '07:00') FROM visits;
SELECT avg(length(sex)) FROM visits;
SELECT sum(fee) FROM visits;
SELECT avg(DISTINCT took) FROM visits;
DROP FUNCTION pg_temp.is_public;
RESET ROLE;

DROP SCHEMA computed_keys CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE computed_keys_analyst;
