--
-- exact aggregates: bounded integer totals, against numeric arithmetic
--
CREATE EXTENSION dp_agg;
SET extra_float_digits = 1;
CREATE SCHEMA exact;
SET search_path = exact, public;

-- Helpers: exact powers of two; a DpExactSpec; the totals in a DpTotals; what a
-- double stands for; the place of a number on the grid by numeric arithmetic.
CREATE TABLE powers (n int PRIMARY KEY, value numeric);
WITH RECURSIVE up AS (SELECT 0 AS n, 1::numeric AS value
					  UNION ALL SELECT n + 1, value * 2 FROM up WHERE n < 1400),
	down AS (SELECT 0 AS n, 1::numeric AS value
			 UNION ALL SELECT n - 1, value * 0.5 FROM down WHERE n > -1300)
INSERT INTO powers SELECT * FROM up UNION SELECT * FROM down WHERE n < 0;
CREATE FUNCTION pow2(int) RETURNS numeric STABLE PARALLEL SAFE LANGUAGE sql AS
	'SELECT value FROM exact.powers WHERE n = $1';
CREATE FUNCTION is_big_endian() RETURNS boolean IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
	$$SELECT dp_agg_internal.released_bigint('\x0000000000000000000000010000000000000000', 0) = 1$$;
CREATE FUNCTION native(big_endian bytea) RETURNS bytea IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT CASE WHEN exact.is_big_endian() THEN big_endian
		   ELSE (SELECT string_agg(substr(big_endian, i, 1), '' ORDER BY i DESC)
				 FROM generate_series(1, length(big_endian)) AS i) END
$$;
CREATE FUNCTION spec(grid int, lower bigint, upper bigint, max_rows bigint DEFAULT 1,
					 lower_value float8 DEFAULT -1, upper_value float8 DEFAULT 1)
RETURNS bytea IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT exact.native(int4send(grid)) || exact.native(int8send(lower)) ||
		   exact.native(int8send(upper)) || exact.native(int8send(max_rows)) ||
		   exact.native(float8send(lower_value)) || exact.native(float8send(upper_value))
$$;
CREATE FUNCTION wide(grid int) RETURNS bytea IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
	'SELECT exact.spec(grid, -4611686018427387904, 4611686018427387904)';
CREATE FUNCTION totals(value bytea) RETURNS numeric[] IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT CASE length(value)
		   WHEN 20 THEN ARRAY[dp_agg_internal.released_numeric(value, 0)]
		   WHEN 36 THEN ARRAY[dp_agg_internal.released_numeric(substr(value, 1, 20), 0),
							  dp_agg_internal.released_numeric(substr(value, 1, 4) || substr(value, 21), 0)] END
$$;
-- Sum and number of rows in what unit_part and unit_sum_part return; the sum is NULL without rows.
CREATE FUNCTION int8_at(value bytea, at int) RETURNS bigint IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
	$$SELECT ('x' || encode(substr(value, at + 1, 8), 'hex'))::bit(64)::bigint$$;
CREATE FUNCTION part(value bytea) RETURNS numeric[] IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT ARRAY[CASE WHEN exact.int8_at(value, 16) <> 0 THEN exact.int8_at(value, 0) * 18446744073709551616 +
			exact.int8_at(value, 8) + CASE WHEN exact.int8_at(value, 8) < 0 THEN 18446744073709551616 ELSE 0 END END,
		exact.int8_at(value, 16)]
$$;
CREATE FUNCTION make_totals(VARIADIC parts numeric[]) RETURNS bytea IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT '\x00000000'::bytea || string_agg(exact.native(int8send(low)) || exact.native(int8send(high)),
											 '' ORDER BY i)
	FROM unnest(parts) WITH ORDINALITY AS p(part, i),
		 LATERAL (SELECT mod(mod(part, 18446744073709551616) + 18446744073709551616,
							 18446744073709551616) AS unsigned) AS u,
		 LATERAL (SELECT div(part - unsigned, 18446744073709551616)::bigint AS high,
						 (CASE WHEN unsigned >= 9223372036854775808
						  THEN unsigned - 18446744073709551616 ELSE unsigned END)::bigint AS low) AS h
$$;
CREATE FUNCTION value_of(x float8) RETURNS numeric STABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT CASE WHEN x::text IN ('NaN', 'Infinity', '-Infinity') THEN x::numeric
		   ELSE (CASE WHEN bits < 0 THEN -1 ELSE 1 END) *
				((bits & 4503599627370495) + CASE exponent WHEN 0 THEN 0 ELSE 4503599627370496 END) *
				exact.pow2(greatest(exponent, 1) - 1075) END
	FROM (SELECT ('x' || encode(float8send(x), 'hex'))::bit(64)::bigint AS bits) AS b,
		 LATERAL (SELECT ((bits >> 52) & 2047)::int AS exponent) AS e
$$;
CREATE FUNCTION nearest(x numeric) RETURNS numeric IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT floor(x) + CASE WHEN x - floor(x) > 0.5 OR (x - floor(x) = 0.5 AND mod(floor(x), 2) <> 0)
					  THEN 1 ELSE 0 END
$$;
CREATE FUNCTION place(x numeric, grid int) RETURNS numeric STABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT CASE WHEN x = 'NaN' THEN NULL
		   WHEN abs(x) >= exact.pow2(grid + 62) THEN sign(x) * 4611686018427387904
		   ELSE exact.nearest(x * exact.pow2(-grid)) END
$$;
CREATE FUNCTION clamp(x numeric, lower numeric, upper numeric) RETURNS numeric IMMUTABLE PARALLEL SAFE LANGUAGE sql
	AS 'SELECT CASE WHEN x IS NOT NULL THEN least(greatest(x, lower), upper) END';
CREATE FUNCTION complaint(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT ' || call;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
SELECT totals(make_totals(0, -1)), totals(make_totals(170141183460469231731687303715884105727, -7)),
	totals(make_totals(-170141183460469231731687303715884105728, 18446744073709551616));
SELECT value_of(0.1), value_of(0.1::real::float8), trim_scale(value_of(-2.5)), place(2.5, 0), place(-2.5, 0), place(3.5, 0);

-- Values: edges first, then random ones of every magnitude, then ties.
CREATE TABLE numerics (id serial, x numeric);
INSERT INTO numerics (x) VALUES
	(NULL), ('NaN'), ('Infinity'), ('-Infinity'), (0), (0.000), (1), (-1), (10000), (-100000000), (9999.9999),
	('1e-16383'), ('-1e-16383'), (repeat('9', 100000)::numeric), (-repeat('1', 100000)::numeric),
	(('0.' || repeat('0', 16000) || '1')::numeric), (('0.5' || repeat('0', 16000) || '1')::numeric),
	((repeat('7', 50000) || '.' || repeat('7', 10000))::numeric), ('4611686018427387904'), ('4611686018427387903.5'),
	('-9223372036854775808'), ('9223372036854775807.0000000001'), ('1e308'), ('1e131071'), ('-2.5'), (0.5), (0.05),
	(99999999.99), (-99999999.99), (0.01), ('1e15'), ('1e16'), ('9999999999999999.9999'), ('0.00009999');
INSERT INTO numerics (x)
SELECT ((random() * 2 - 1) * 10 ^ (random() * 24 - 8))::numeric FROM generate_series(1, 150)
UNION ALL SELECT ((random() * 2 - 1) * 1e8)::numeric(10, 2) FROM generate_series(1, 150)
UNION ALL SELECT (random() * 1e6)::numeric(16, 6) * (random() * 1e6)::numeric(16, 6) FROM generate_series(1, 50)
UNION ALL SELECT (i * 2 + 1) * pow2(n - 1) FROM generate_series(-4, 4) AS i,
	unnest('{-1130,-60,-50,-49,-34,-20,-8,-5,-4,-3,-1,0,1,5,20,64,900}'::int[]) AS n;
CREATE TABLE doubles (id serial, x float8);
INSERT INTO doubles (x) VALUES
	(NULL), ('NaN'), ('Infinity'), ('-Infinity'), (0), ('-0'), ('4.9406564584124654e-324'), ('-4.9406564584124654e-324'),
	('2.2250738585072014e-308'), ('1.7976931348623157e308'), ('-1.7976931348623157e308'), (0.5), (1.5), (-2.5),
	(9007199254740993), (4611686018427387904), (4611686018427388928), (-9223372036854775808), (4503599627370495.5);
INSERT INTO doubles (x)
SELECT (random() * 2 - 1) * 10 ^ (random() * 60 - 30) FROM generate_series(1, 250)
UNION ALL SELECT (random() * 2 - 1) * 1e-300 FROM generate_series(1, 20)
UNION ALL SELECT (random() * 2 - 1) * 1e300 FROM generate_series(1, 20)
UNION ALL SELECT (i * 2 + 1) * 2.0::float8 ^ (n - 1) FROM generate_series(-4, 4) AS i,
	unnest('{-1050,-60,-34,0,1,20,64,1000}'::int[]) AS n;
CREATE TABLE bigints (id serial, x bigint);
INSERT INTO bigints (x) VALUES (NULL), (0), (1), (-1), (2), (3), (-9223372036854775808), (-9223372036854775807),
	(9223372036854775807), (4611686018427387904), (-4611686018427387905), (2147483647), (-2147483648), (32767), (-32768);
INSERT INTO bigints (x)
SELECT ((random() * 2 - 1) * 2.0 ^ (random() * 62))::bigint FROM generate_series(1, 150);
CREATE TABLE grids (grid int);
INSERT INTO grids VALUES (-1200), (-1134), (-1075), (-1024), (-1023), (-1022), (-1000), (-300), (-65), (-64), (-63),
	(-62), (-61), (-60), (-51), (-50), (-49), (-40), (-34), (-32), (-31), (-20), (-8), (-5), (-4), (-3), (-2), (-1), (0),
	(1), (2), (5), (13), (20), (61), (62), (63), (64), (65), (300), (900), (1000), (1022), (1023), (1024), (1039), (1200);

-- Every type: the place of every value on every grid, infinities at the limits,
-- NULL and NaN not counted.
CREATE VIEW all_values AS
	SELECT 'numeric' AS type, id, x::text AS text, x AS value FROM numerics
	UNION ALL SELECT 'double precision', id, x::text, value_of(x) FROM doubles
	UNION ALL SELECT 'real', id, x::text, value_of(x::real::float8) FROM doubles
		WHERE x IS NULL OR x::text IN ('NaN', 'Infinity', '-Infinity') OR abs(x) BETWEEN 1e-37 AND 1e37
	UNION ALL SELECT 'bigint', id, x::text, x FROM bigints
	UNION ALL SELECT 'integer', id, x::text, x FROM bigints WHERE x IS NULL OR x BETWEEN -2147483648 AND 2147483647
	UNION ALL SELECT 'smallint', id, x::text, x FROM bigints WHERE x IS NULL OR x BETWEEN -32768 AND 32767;
CREATE TABLE expected AS
SELECT type, id, text, grid, place(value, grid) AS place FROM all_values, grids;
CREATE TABLE found (type text, id int, grid int, total numeric[], pair numeric[], rows bigint, unit numeric);
DO $$
DECLARE
	type text;
BEGIN
	FOREACH type IN ARRAY '{numeric,double precision,real,bigint,integer,smallint}'::text[] LOOP
		EXECUTE format($q$ INSERT INTO found
			SELECT %1$L, id, grid, totals(dp_agg_internal.exact_sum(text::%1$s, wide(grid))),
				   totals(dp_agg_internal.exact_avg(text::%1$s, wide(grid))), dp_agg_internal.exact_rows(text::%1$s, wide(grid)),
				   (part(dp_agg_internal.unit_sum_part(text::%1$s, wide(grid))))[1]
			FROM expected WHERE type = %1$L GROUP BY id, grid $q$, type);
	END LOOP;
END $$;
SELECT type, count(*) = count(*) FILTER (WHERE total = ARRAY[coalesce(place, 0)]
	AND pair = CASE WHEN place IS NULL THEN ARRAY[0, 0]::numeric[] ELSE ARRAY[place + 4611686018427387904, 1] END
	AND rows = 1 AND unit IS NOT DISTINCT FROM place) AS as_expected, count(*) > 300 AS enough
FROM found JOIN expected USING (type, id, grid) GROUP BY type ORDER BY type;

-- Rows never leave the bounds: exactly, at every edge.
CREATE TABLE limits AS
SELECT DISTINCT lower, greatest(lower, upper) AS upper, grid
FROM unnest('{-4611686018427387904,-1000,-1,0,1,777}'::bigint[]) AS lower,
	 unnest('{-999,0,1,1000,4611686018427387904}'::bigint[]) AS upper,
	 unnest('{-1134,-20,0,3,1000}'::int[]) AS grid;
SELECT count(*) FILTER (WHERE a NOT BETWEEN lower AND upper OR c NOT BETWEEN lower AND upper
		OR abs(a) > greatest(abs(lower), abs(upper)) OR b NOT BETWEEN 0 AND upper::numeric - lower) AS outside,
	count(*) FILTER (WHERE a <> clamp(p, lower, upper) OR c <> clamp(p, lower, upper)
		OR b <> clamp(p, lower, upper) - lower OR d <> p) AS wrong, count(*) > 5000 AS enough
FROM (SELECT lower, upper, grid, place(x, grid) AS p, (totals(dp_agg_internal.exact_sum(x, s)))[1] AS a,
			 (totals(dp_agg_internal.exact_avg(x, s)))[1] AS b, (part(dp_agg_internal.unit_part(x, s)))[1] AS c, (part(dp_agg_internal.unit_sum_part(x, s)))[1] AS d
	  FROM limits, (SELECT id, x FROM numerics WHERE id <= 50 UNION ALL SELECT id + 1000, value_of(x) FROM doubles
					WHERE id <= 30) AS v, LATERAL (SELECT spec(grid, lower, upper) AS s) AS t
	  WHERE x IS NOT NULL AND x <> 'NaN' GROUP BY lower, upper, grid, id, x) AS q;
SELECT totals(dp_agg_internal.exact_sum(x, spec(0, -5, 7))), totals(dp_agg_internal.exact_avg(x, spec(0, -5, 7))),
	dp_agg_internal.exact_rows(x, spec(0, -5, 7)), part(dp_agg_internal.unit_sum_part(x, spec(0, -5, 7))), part(dp_agg_internal.unit_part(x, spec(0, -5, 7, 2)))
FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), (NULL), ('-Infinity'), (3)) AS v(x);

-- No rows, or none that counts: totals of zero, parts of no rows or NULL.  exact_rows alone
-- counts those too.
SELECT totals(dp_agg_internal.exact_sum(x, wide(0))), totals(dp_agg_internal.exact_avg(x, wide(0))), dp_agg_internal.exact_rows(x, wide(0)), dp_agg_internal.unit_sum_part(x, wide(0)),
	dp_agg_internal.unit_part(x, wide(0)) FROM bigints WHERE false;
SELECT totals(dp_agg_internal.exact_sum(x, wide(0))), totals(dp_agg_internal.exact_avg(x, wide(0))), dp_agg_internal.exact_rows(x, wide(0)), part(dp_agg_internal.unit_sum_part(x, wide(0))),
	part(dp_agg_internal.unit_part(x, wide(0)))
FROM (VALUES ('NaN'::numeric), (NULL)) AS v(x);

-- Sums of rows at the limits of what there is have 128 bits.
SELECT part(dp_agg_internal.unit_sum_part(x, wide(0))), part(dp_agg_internal.unit_sum_part(-x - 1, wide(0))), totals(dp_agg_internal.exact_sum(x, wide(0)))
FROM (SELECT 9223372036854775807 AS x FROM generate_series(1, 1000)) AS v;
SELECT part(dp_agg_internal.unit_sum_part(x, spec(0, -10, 10))), part(dp_agg_internal.unit_part(x, spec(0, -10, 10, 1))) FROM (VALUES (1000), (-2000), (1007)) AS v(x);

-- The order of rows, partial aggregation, spilling and windows change nothing.
CREATE TABLE many (k int, i int, f float8, n numeric(10, 2)) PARTITION BY HASH (k);
CREATE TABLE many_0 PARTITION OF many FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE many_1 PARTITION OF many FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO many SELECT r % 800, (random() * 1000)::int,
	CASE WHEN r % 97 = 0 THEN 'NaN' WHEN r % 89 = 0 THEN NULL ELSE (random() - 0.5) * 10.0 ^ (r % 20) END, random() * 1e6
FROM generate_series(1, 8000) AS r;
ANALYZE many;
\set sums 'dp_agg_internal.exact_sum(i, spec(0, 10, 900)) AS i, dp_agg_internal.exact_avg(f, spec(-20, -1000, 1000000000)) AS f, dp_agg_internal.exact_sum(n, spec(-24, 0, 10000000000)) AS n, dp_agg_internal.exact_rows(f, spec(-20, -1000, 1000000000)) AS c'
\set units 'part(dp_agg_internal.unit_sum_part(f, spec(-20, -1000, 1000))) AS u, part(dp_agg_internal.unit_part(n, spec(-24, 0, 10000000000, 3))) AS a'
CREATE VIEW grouped AS SELECT k, :sums, :units FROM many GROUP BY k;
CREATE VIEW overall AS SELECT NULL::int AS k, :sums, :units FROM many;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE serial AS TABLE grouped UNION ALL TABLE overall;
SELECT count(*) FILTER (WHERE totals(s.i) <> ARRAY[e.i] OR totals(s.n) <> ARRAY[e.n]
	OR totals(s.f) <> ARRAY[e.f, e.c] OR s.c <> e.r OR s.u <> ARRAY[e.u, e.c] OR s.a <> ARRAY[e.n, e.r]) AS wrong, count(*)
FROM serial AS s JOIN
	(SELECT k, sum(clamp(i, 10, 900)) AS i, sum(clamp(place(n, -24), 0, 10000000000)) AS n, sum(place(value_of(f), -20)) AS u, count(n) AS r,
			sum(clamp(place(value_of(f), -20), -1000, 1000000000) + 1000) AS f, count(nullif(f, 'NaN'))::numeric AS c
	 FROM many GROUP BY GROUPING SETS ((k), ())) AS e ON s.k IS NOT DISTINCT FROM e.k;
SET max_parallel_workers_per_gather = 3;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT * FROM overall;
SELECT count(*) AS overall_differs FROM (TABLE overall EXCEPT SELECT * FROM serial WHERE k IS NULL) AS d;
SET enable_hashagg = off;
SELECT count(*) AS grouped_differs FROM (TABLE grouped EXCEPT SELECT * FROM serial WHERE k IS NOT NULL) AS d;
RESET enable_hashagg;
SET max_parallel_workers_per_gather = 0;
SET enable_partitionwise_aggregate = on;
EXPLAIN (COSTS OFF) SELECT * FROM overall;
SELECT count(*) AS partitionwise_differs FROM (TABLE overall EXCEPT SELECT * FROM serial WHERE k IS NULL) AS d;
RESET enable_partitionwise_aggregate;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SET enable_sort = off;
CREATE FUNCTION spills() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT * FROM exact.grouped' LOOP
		IF line ~ 'Disk Usage' THEN RETURN true; END IF;
	END LOOP;
	RETURN false;
END $$;
SELECT spills();
SELECT count(*) AS spilled_differs FROM (TABLE grouped EXCEPT SELECT * FROM serial WHERE k IS NOT NULL) AS d;
RESET work_mem;
RESET hash_mem_multiplier;
RESET enable_sort;
SELECT count(*) AS reordered_differs FROM serial, (SELECT dp_agg_internal.exact_avg(f, spec(-20, -1000, 1000000000) ORDER BY f) AS f,
	dp_agg_internal.exact_sum(n, spec(-24, 0, 10000000000) ORDER BY n DESC) AS n FROM many) AS o
WHERE k IS NULL AND (o.f <> serial.f OR o.n <> serial.n);

-- Windows.
SELECT x, totals(dp_agg_internal.exact_sum(x, spec(0, 0, 3)) OVER (ORDER BY x)), part(dp_agg_internal.unit_part(x, spec(0, 0, 3, 2)) OVER (ORDER BY x))
FROM generate_series(1, 4) AS x;

-- Toasted numerics, compressed and out of line.
CREATE TABLE toasted (x numeric, kind text);
ALTER TABLE toasted ALTER x SET STORAGE EXTERNAL;
INSERT INTO toasted VALUES ((repeat('3', 9000) || '.25')::numeric, 'external'), (('0.' || repeat('6', 9000))::numeric, 'external');
ALTER TABLE toasted ALTER x SET STORAGE MAIN;
INSERT INTO toasted VALUES ((repeat('3', 12000) || '.25')::numeric, 'compressed'), (('0.' || repeat('6', 12000))::numeric, 'compressed');
SELECT kind, count(*) FILTER (WHERE pg_column_size(x) < 1000) AS compressed, totals(dp_agg_internal.exact_sum(x, wide(-30)))
	= ARRAY[sum(place(x, -30))] AS as_expected FROM toasted GROUP BY kind ORDER BY kind;

-- Bounds that are none.
SELECT length(bounds), complaint(format('dp_agg_internal.exact_sum(1, %L::bytea)', bounds)),
	complaint(format('dp_agg_internal.unit_sum_part(NULL::numeric, %L::bytea)', bounds)) = complaint(format('dp_agg_internal.exact_sum(1, %L::bytea)', bounds)) AS same
FROM (VALUES (NULL), (''::bytea), ('\x00'), (spec(0, 0, 1) || '\x00'), (substr(spec(0, 0, 1), 2))) AS v(bounds);
SELECT complaint(format('dp_agg_internal.exact_avg(1.5::float8, %L::bytea)', bounds)) FROM (VALUES
	(spec(0, 1, 0)), (spec(-1201, 0, 1)), (spec(1201, 0, 1)), (spec(-2147483648, 0, 1)), (spec(0, 0, 4611686018427387905)),
	(spec(0, -4611686018427387905, 0)), (spec(0, -9223372036854775808, 9223372036854775807)), (spec(0, 0, 1, 0)), (spec(0, 0, 1, -1)),
	(spec(0, 0, 1, 1, 2, 1)), (spec(0, 0, 1, 1, 'NaN', 1)), (spec(0, 0, 1, 1, 0, 'Infinity')), (spec(1200, 0, 1))) AS v(bounds);
CREATE TABLE stored AS SELECT spec(0, -3, 3) AS s, dp_agg_internal.exact_avg(5, spec(0, -3, 3)) AS t, make_totals(-7) AS u;
SELECT totals(dp_agg_internal.exact_sum(9, s)), totals(t), dp_agg_internal.released_bigint(u, 0) FROM stored GROUP BY t, u;

-- States of other aggregates, or of other bounds, are refused.
CREATE FUNCTION borrowed(internal) RETURNS bytea LANGUAGE c STRICT PARALLEL SAFE AS 'dp_agg', 'dp_aggregate_cells_serialize';
CREATE AGGREGATE mismatched(int, bytea) (SFUNC = dp_agg_internal.add_cell, STYPE = internal, COMBINEFUNC = dp_agg_internal.exact_combine,
	FINALFUNC = dp_agg_internal.exact_sum_final, SERIALFUNC = borrowed, DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
SET enable_partitionwise_aggregate = on;
SELECT complaint('mismatched(i, decode(''0000000000000000000000000600000000000000000000000000008003000000000000000300000000000000'', ''hex'')) FROM exact.many');
SELECT complaint('dp_agg_internal.exact_sum(i, CASE WHEN tableoid = ''exact.many_0''::regclass THEN exact.wide(0) ELSE exact.wide(1) END) FROM exact.many');
RESET enable_partitionwise_aggregate;

-- Nor are states of moments that no rows within their bounds have.
CREATE FUNCTION moments_spec(shape int, upper_x bigint, upper_y bigint) RETURNS bytea IMMUTABLE LANGUAGE sql AS $$
	SELECT exact.native(int4send(shape)) || '\x0000000000000000' || (SELECT string_agg(exact.native(int8send(b)), '' ORDER BY n)
		FROM unnest(ARRAY[0, upper_x, 0, upper_y, 1]) WITH ORDINALITY u (b, n))
$$;
CREATE FUNCTION moments_state(bytea, VARIADIC sums numeric[]) RETURNS bytea IMMUTABLE LANGUAGE sql AS $$
	SELECT $1 || substr(exact.make_totals(VARIADIC sums || array_fill(0::numeric, ARRAY[9 - cardinality(sums)])), 5)
$$;
CREATE FUNCTION moments_of(bytea, bigint) RETURNS bigint LANGUAGE c STRICT AS 'dp_agg', 'dp_aggregate_moments_deserialize';
CREATE FUNCTION totals_of(bigint) RETURNS bytea LANGUAGE c AS 'dp_agg', 'dp_aggregate_exact_moments';
SELECT sums, complaint(format('exact.totals_of(exact.moments_of(%L, 0))', moments_state(moments_spec(0, 10, 0), VARIADIC sums))) FROM (VALUES
	(ARRAY[0, 0, 0]::numeric[]), ('{3,30,300}'), ('{3,31,300}'), ('{3,30,301}'), ('{0,0,1}'), ('{562949953421312,0,0}'), ('{562949953421313,0,0}'),
	('{18446744073709551616,0,0}'), ('{18446744073709551617,0,0}')) v (sums);
SELECT sums, complaint(format('exact.totals_of(exact.moments_of(%L, 0))', moments_state(moments_spec(3, 2, 3), VARIADIC sums))) FROM (VALUES
	(ARRAY[2, 6, 18, 4, 12, 36, 8, 24, 72]::numeric[]), ('{2,7,18,4,12,36,8,24,72}'), ('{2,6,18,5,12,36,8,24,72}'), ('{2,6,18,4,12,36,8,24,73}')) v (sums);

-- What was made of bounds is kept for those of a constant only: a variable may lie where it lay with other ones.
DO $$
DECLARE
	bounds bytea;
BEGIN
	FOR i IN 1 .. 3 LOOP
		bounds := NULL;
		bounds := exact.moments_spec(1, i, i);
		RAISE NOTICE '%', dp_agg_internal.place_pair(9, 9, bounds) - (i::bigint << 30);
	END LOOP;
END $$;

-- Released values: to the nearest, saturating, never an error over any totals.
SELECT grid, dp_agg_internal.released_bigint(make_totals(t), grid), dp_agg_internal.released_numeric(make_totals(t), grid),
	dp_agg_internal.released_float8(make_totals(t), grid)
FROM (VALUES (12345, 0), (-12345, 3), (5, -1), (7, -1), (-5, -1), (-7, -1), (1, -10), (123456789, -34), (0, 1200),
	(9223372036854775807, 0), (9223372036854775808, 0), (-9223372036854775808, 0), (-9223372036854775809, 0), (-1, 63), (1, 63),
	(1, 62), (170141183460469231731687303715884105727, -127), (-170141183460469231731687303715884105728, -127),
	(-170141183460469231731687303715884105728, -128), (170141183460469231731687303715884105727, 0)) AS v(t, grid);
CREATE TABLE extreme AS SELECT t FROM unnest(ARRAY[0, 1, -1, 170141183460469231731687303715884105727,
	-170141183460469231731687303715884105728, 123456789012345678901234567890, -98765432109876543210]::numeric[]) AS t;
SELECT count(*) FILTER (WHERE dp_agg_internal.released_bigint(make_totals(t), grid)
		<> least(greatest(nearest(t * pow2(grid)), -9223372036854775808), 9223372036854775807)) AS bigint_wrong,
	count(*) FILTER (WHERE abs(dp_agg_internal.released_numeric(make_totals(t), grid) - t * pow2(grid)) >= pow2(grid)) AS numeric_wrong,
	count(*) FILTER (WHERE scale(dp_agg_internal.released_numeric(make_totals(t), grid)) > greatest(0, 1 - grid * 0.30103)) AS numeric_long,
	count(*) FILTER (WHERE abs(value_of(dp_agg_internal.released_float8(make_totals(t), grid)) - t * pow2(grid))
		> abs(t) * pow2(grid - 53) + pow2(-1075)) AS float8_wrong
FROM extreme, (SELECT grid FROM grids WHERE grid <= 890 UNION SELECT generate_series(-130, 130, 3)) AS g WHERE grid < 896;
SELECT dp_agg_internal.released_float8(make_totals(1), 1200), dp_agg_internal.released_float8(make_totals(-1), 1200),
	dp_agg_internal.released_float8(make_totals(1), -1200), length(dp_agg_internal.released_numeric(make_totals(-1), 1200)::text);
SELECT dp_agg_internal.released_mean_laplace(make_totals(a, b), 10, 20) FROM (VALUES (1, 1), (0, 5), (5, 0), (-3, 10), (10, -3), (0, 0),
	(-1, 0), (3, 1), (-4, 3), (170141183460469231731687303715884105727, 170141183460469231731687303715884105727),
	(1267650600228229401496703205377, -1267650600228229401496703205376)) AS v(a, b);
SELECT dp_agg_internal.released_mean_laplace(make_totals(a, b), -1.7976931348623157e308, 1.7976931348623157e308)
FROM (VALUES (0, 1), (1, 3), (1, 1), (1, 0)) AS v(a, b);
SELECT dp_agg_internal.released_mean_gaussian(make_totals(c, n), 10, 20, -10, -8) FROM (VALUES (0, 1), (4, 1), (8, 2), (-8, 1), (80, 1), (-80, 1),
	(5, 0), (5, -1), (170141183460469231731687303715884105727, 1), (-170141183460469231731687303715884105728, 1)) AS v(c, n);
SELECT count(*) FILTER (WHERE m IS NULL OR m::text = 'NaN' OR m NOT BETWEEN lower AND upper) AS outside, count(*) > 1000 AS enough
FROM extreme AS a, extreme AS b, (VALUES (-1.7976931348623157e308::float8, 1.7976931348623157e308::float8), (0, 0), (-1, 4.9406564584124654e-324),
	(1.7976931348623157e308, 1.7976931348623157e308), (0.1, 0.3)) AS v(lower, upper), (VALUES (-1200, 1200), (1200, -1200), (0, 0)) AS g(gs, gc),
	LATERAL (VALUES (dp_agg_internal.released_mean_laplace(make_totals(a.t, b.t), lower, upper)),
		(dp_agg_internal.released_mean_gaussian(make_totals(a.t, b.t), lower, upper, gs, gc))) AS r(m);

-- Malformed totals, grids and bounds.
SELECT call, complaint('dp_agg_internal.' || call) FROM unnest(ARRAY[
	$$released_bigint('', 0)$$, $$released_bigint('\x0000', 0)$$, $$released_numeric(exact.make_totals(1, 2), 0)$$,
	$$released_float8(exact.make_totals(1) || '\x00', 0)$$, $$released_mean_laplace(exact.make_totals(1), 0, 1)$$,
	$$released_mean_gaussian(exact.make_totals(1, 2, 3), 0, 1, 0, 0)$$, $$released_bigint(exact.make_totals(1), 1201)$$,
	$$released_numeric(exact.make_totals(1), -2147483648)$$, $$released_float8(exact.make_totals(1), 2147483647)$$,
	$$released_mean_laplace(exact.make_totals(1, 2), 1, 0)$$, $$released_mean_laplace(exact.make_totals(1, 2), 'NaN', 0)$$,
	$$released_mean_gaussian(exact.make_totals(1, 2), 0, 'Infinity', 0, 0)$$,
	$$released_mean_gaussian(exact.make_totals(1, 2), 0, 1, 0, 1201)$$]) AS call;
-- the digits are those of a cast
SELECT count(*) AS numbers, count(*) FILTER (WHERE dp_agg_internal.released_digits(x)::text <> x::numeric::text) AS different
	FROM (SELECT (random() - 0.5) * 10 ^ (random() * 24 - 8) FROM generate_series(1, 200000)
		  UNION ALL SELECT (g - 0.5) * 10 ^ (g % 19 - 2) FROM generate_series(1, 1000) g
		  UNION ALL SELECT unnest('{0,-0,1,99999999999999.9,999999999999999.5,1e14,0.0001,9.999e-5,1e-300,1e300,NaN,Infinity,-Infinity}'::float8[])) v (x);
SELECT dp_agg_internal.released_bigint(NULL, 0), dp_agg_internal.released_mean_laplace(NULL, 0, 1);

-- Every object is documented and parallel safe.
SELECT count(*) > 75 AS enough, count(*) FILTER (WHERE obj_description(oid, 'pg_proc') IS NULL) AS undocumented,
	count(*) FILTER (WHERE proparallel <> 's' OR provolatile <> 'i') AS unsafe
FROM pg_proc WHERE pronamespace = 'dp_agg_internal'::regnamespace
	AND proname ~ '^(exact|unit)_(sum|avg|rows|part|sum_part|combine|serialize|deserialize|cells)|^add_(clamped|limited|cell)$|part|^cells_|^released_';
SET client_min_messages = warning;
DROP SCHEMA exact CASCADE;
DROP EXTENSION dp_agg;
