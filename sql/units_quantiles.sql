--
-- units_quantiles: the node over units weighs rows as plain SQL says that they weigh
--
CREATE EXTENSION dp_agg;
SET client_min_messages = warning;
CREATE ROLE quantiles_analyst;
CREATE SCHEMA quantiles;
GRANT USAGE ON SCHEMA quantiles TO quantiles_analyst;
SET search_path = quantiles, public;

CREATE TABLE visits AS SELECT md5((n % 997)::text) AS unit, (n * n % 97) % 9 AS clinic, (n % 8)::text || repeat(' long name', n % 3) AS name,
		nullif(n * 31 % 1013, 7) / 10.0 AS cost, (CASE n % 11 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' ELSE (n % 401)::text END)::float8 AS wait,
		date '2020-01-01' + n % 11 * 50 AS day, timestamp '2020-01-01' + n % 7 * interval '4 days' AS at, n * 7 % 13 AS score
	FROM generate_series(1, 30000) n;
-- one unit has a third of the rows, others have few
INSERT INTO visits SELECT md5('0'), n % 9, (n % 8)::text || repeat(' long name', n % 3), n % 100, n % 400, '2021-01-01', '2020-01-02', n % 5 FROM generate_series(1, 15000) n;
INSERT INTO visits SELECT md5('few' || n), n % 9, (n % 8)::text || repeat(' long name', n % 3), NULL, n % 400, '2021-01-01', '2020-01-02', n % 11 FROM generate_series(1, 3000) n;
CREATE TABLE alone AS SELECT n AS unit, n % 13 AS score FROM generate_series(1, 2000) n;
ALTER TABLE alone ADD PRIMARY KEY (unit);
ANALYZE visits, alone;
SELECT dp_agg.protect('visits', 'unit', max_rows => 5, max_groups => 300), dp_agg.protect('alone', 'unit');
SELECT dp_agg.set_budget('quantiles_analyst', 1e12, 1e-3);

-- Epsilon is such that no noise is as likely as one in 1e20 that is worth a fourth of a row.
CREATE FUNCTION adds_up_units(query text) RETURNS boolean AS '$libdir/dp_validate_test', 'test_adds_up_units' LANGUAGE C;
CREATE TABLE measures (n int, i int, keys text, asked text, value text, fraction numeric, lower numeric, upper numeric, step numeric, condition text);
INSERT INTO measures VALUES
	(1, 1, NULL, 'dp_median(cost, 0, 100, 1e6)', 'cost', 0.5, 0, 100, 0.002, 'true'),
	(2, 1, NULL, 'dp_quantile(wait, 0.9, -10, 300, 1e6)', 'wait', 0.9, -10, 300, 0.005, 'true'),
	(2, 2, NULL, 'dp_median(cost, 0, 90, 1e6)', 'cost', 0.5, 0, 90, 0.002, 'true'),
	(2, 3, NULL, 'dp_quantile(cost, 0.97, 10, 95, 1e6)', 'cost', 0.97, 10, 95, 0.002, 'true'),
	(3, 1, NULL, 'dp_median(cost, 0, 100, 1e6)', 'cost', 0.5, 0, 100, 0.002, 'true'),
	(3, 2, NULL, 'dp_sum(wait, 0, 10, 1e6)', 'wait', NULL, 0, 10, NULL, 'true'),
	(3, 3, NULL, 'dp_count(cost)', 'cost', NULL, NULL, NULL, NULL, 'true'),
	(4, 1, 'clinic', 'dp_median(cost, 0, 100, 1e6)', 'cost', 0.5, 0, 100, 0.002, 'true'),
	(5, 1, 'clinic', 'dp_quantile(wait, 0.1, 0, 1e6, 1e6)', 'wait', 0.1, 0, 1000000, 20, 'true'),
	(5, 2, 'clinic', 'dp_sum(wait, -5, 10, 1e6)', 'wait', NULL, -5, 10, NULL, 'true'),
	(5, 3, 'clinic', 'dp_quantile(cost, 0.75, 0, 60, 1e6)', 'cost', 0.75, 0, 60, 0.001, 'true'),
	(6, 1, 'name', 'dp_quantile(day, 0.2, ''2020-03-01'', ''2022-01-01'', 1e6) - date ''2000-01-01''', 'day - date ''2000-01-01''', 0.2, 7365, 8036, 1, 'true'),
	(6, 2, 'name', 'extract(epoch FROM dp_quantile(at, 0.41, ''2020-01-01'', ''2020-02-01'', 1e6) - ''2000-01-01'')', 'extract(epoch FROM at - ''2000-01-01'')', 0.41, 631152000, 633830400, 60, 'true'),
	(7, 1, 'clinic, name', 'dp_count(*)', '0', NULL, NULL, NULL, NULL, 'true'),
	(7, 2, 'clinic, name', 'dp_quantile(score, 0.43, 0, 12, 1e6)', 'score', 0.43, 0, 12, 1, 'true'),
	(8, 1, 'clinic', 'dp_median(cost, 0, 100, 1e6)', 'cost', 0.5, 0, 100, 0.002, 'wait < 100');
-- What plain SQL says: where a quantile lies, or one a fourth of a row below and above; rows of a unit of more than five weigh as five.
CREATE FUNCTION plain(m measures) RETURNS TABLE (key text, low numeric, high numeric) LANGUAGE plpgsql AS $$
DECLARE
	rows text := format('SELECT unit, concat_ws(''/'', %s) AS key, (%s)::float8 AS x FROM visits WHERE %s', coalesce(m.keys, ''''''), m.value, m.condition);
BEGIN
	IF m.fraction IS NOT NULL THEN
		RETURN QUERY EXECUTE format('WITH r AS (SELECT *, count(*) OVER (PARTITION BY unit, key) AS n FROM (%s) r WHERE x::text <> ''NaN''),
			cells AS (SELECT key, round((least(greatest(x, $1), $2)::numeric - $1) / $3) AS cell, sum(CASE WHEN n <= 5 THEN 65536 ELSE 5 * 65536 / n END) AS weight FROM r GROUP BY 1, 2),
			c AS (SELECT key, cell, sum(weight) OVER (PARTITION BY key ORDER BY cell) AS up_to, sum(weight) OVER (PARTITION BY key) AS total FROM cells)
			SELECT key, $1 + $3 * min(cell) FILTER (WHERE up_to >= $4 * total - 16384), $1 + $3 * min(cell) FILTER (WHERE up_to > $4 * total + 16384) FROM c GROUP BY key', rows)
			USING m.lower, m.upper, m.step, m.fraction;
	ELSE
		RETURN QUERY EXECUTE format('SELECT key, sum(v), sum(v) FROM (SELECT key, CASE WHEN $1 IS NULL THEN least(count(x), 5) ELSE least(greatest(sum(x), $1), $2)::numeric END AS v
			FROM (%s) r WHERE x::text <> ''NaN'' GROUP BY unit, key) u GROUP BY key', rows)
			USING m.lower, m.upper;
	END IF;
END
$$;
CREATE TABLE plain AS SELECT n, i, p.* FROM measures m, plain(m) p;
-- What is released, a row for each group and measure.
CREATE FUNCTION released(question int, OUT key text, OUT i int, OUT x numeric, OUT node boolean) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
	query text;
	answer jsonb;
BEGIN
	SELECT format('SELECT %s%s FROM visits WHERE %s%s', min(keys) || ', ', string_agg(format('%s AS m%s', asked, m.i), ', ' ORDER BY m.i), min(condition), ' GROUP BY ' || min(keys))
		INTO query FROM measures m WHERE n = question;
	node := adds_up_units(query);
	FOR answer IN EXECUTE 'SELECT to_jsonb(q) FROM (' || query || ') q' LOOP
		key := concat_ws('/', answer ->> 'clinic', answer ->> 'name');
		FOR j IN 1 .. 3 LOOP
			i := j;
			x := answer ->> ('m' || i);
			CONTINUE WHEN x IS NULL;
			RETURN NEXT;
		END LOOP;
	END LOOP;
END
$$;
CREATE FUNCTION compared(OUT n int, OUT node boolean, OUT "all" boolean, OUT same boolean, OUT sharp boolean) RETURNS SETOF record LANGUAGE sql AS $$
	SELECT n, bool_and(node) AS node, count(*) = count(x) AND count(*) = count(p.key) AS all, bool_and(x BETWEEN low - 0.1 * coalesce(step, 1) AND high + 0.1 * coalesce(step, 1)) AS same,
		avg((high - low) / (upper - lower)) < 0.02 AS sharp
	FROM (SELECT n, r.* FROM (SELECT DISTINCT n FROM measures) q, released(n) r) r FULL JOIN plain p USING (n, i, key) LEFT JOIN measures m USING (n, i) GROUP BY n ORDER BY n
$$;
GRANT SELECT ON measures, plain TO quantiles_analyst;
SET ROLE quantiles_analyst;
SET dp_agg.epsilon = 1e6;
SELECT * FROM compared();
-- with files, and groups that are too many for numbers
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT * FROM compared();
-- in several processes
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM compared();
RESET work_mem;
RESET hash_mem_multiplier;
SELECT * FROM compared();
-- More points in all than the node has room for; where a row is a unit, the number does not matter.
SELECT count(*) FROM (SELECT clinic, dp_quantile(score, 0.5, 0, 1000000, 1, 1), dp_quantile(score, 0.6, 0, 1000000, 1, 1), dp_quantile(score, 0.7, 0, 1000000, 1, 1), dp_quantile(score, 0.8, 0, 1000000, 1, 1) FROM visits GROUP BY clinic) q;
SELECT dp_quantile(score, 0.5, 0, 1000000, 1, 1), dp_quantile(score, 0.6, 0, 1000000, 1, 1), dp_quantile(score, 0.7, 0, 1000000, 1, 1), dp_quantile(score, 0.8, 0, 1000000, 1, 1),
	dp_quantile(score, 0.9, 0, 1000000, 1, 1) FROM visits;
SELECT aggregate FROM dp_agg.price('SELECT ' || (SELECT string_agg('dp_quantile(score, 0.' || i || ', 0, 1000000, 1, 1)', ', ') FROM generate_series(1, 5) i) || ' FROM visits');
SELECT count(*) FROM (SELECT dp_quantile(score, 0.5, 0, 1000000, 1, 1), dp_quantile(score, 0.6, 0, 1000000, 1, 1), dp_quantile(score, 0.7, 0, 1000000, 1, 1), dp_quantile(score, 0.8, 0, 1000000, 1, 1),
	dp_quantile(score, 0.9, 0, 1000000, 1, 1) FROM alone) q;
RESET ROLE;
DROP SCHEMA quantiles CASCADE;
SELECT dp_agg.drop_budget('quantiles_analyst', 'default');
DROP ROLE quantiles_analyst;
DROP EXTENSION dp_agg;
