-- aggregates.sql
--	  The exact aggregates against PostgreSQL's own, as ratios of times.
--
-- psql variables: rows (of the table) and runs (of each statement).  Native and
-- exact statements take turns within one run, serially, on a warm table; the
-- ratio is that of the medians, and beside it that of the best times, which
-- other work on the machine disturbs least.  Everything lives in dp_bench.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS dp_bench CASCADE;
CREATE SCHEMA dp_bench;
SET search_path = dp_bench, public;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '64MB';

CREATE UNLOGGED TABLE people AS
SELECT id,
	   'city ' || (random() * 999)::int AS city,
	   (random() * 100)::int AS whole,
	   random() * 100 AS real_number,
	   (random() * 10000)::numeric(10, 2) AS price
FROM generate_series(1::bigint, :rows) AS id;
VACUUM ANALYZE people;

-- Bytes of a number as this machine keeps it.
CREATE FUNCTION native(big_endian bytea) RETURNS bytea LANGUAGE sql AS $$
	SELECT CASE WHEN dp_agg_internal.released_bigint('\x0000000000000000000000010000000000000000', 0) = 1 THEN big_endian
		   ELSE (SELECT string_agg(substr(big_endian, i, 1), '' ORDER BY i DESC)
				 FROM generate_series(1, length(big_endian)) AS i) END
$$;
CREATE FUNCTION spec(grid int, lower float8, upper float8) RETURNS bytea LANGUAGE sql AS $$
	SELECT native(int4send(grid)) || native(int8send((lower / 2.0 ^ grid)::bigint)) ||
		   native(int8send((upper / 2.0 ^ grid)::bigint)) || native(int8send(1)) ||
		   native(float8send(lower)) || native(float8send(upper))
$$;

CREATE TABLE statements (name text, goal float8, native text, exact text);
INSERT INTO statements
SELECT format('%s(%s)%s', f.name, c.type, g.suffix),
	   CASE c.type WHEN 'numeric' THEN 0.85 ELSE 1.05 END,
	   format('SELECT %s%s(%s) FROM people%s', g.key, f.name, c.name, g.clause),
	   format('SELECT %sdp_agg.exact_%s(%s, %L::bytea) FROM people%s',
			  g.key, f.name, c.name, c.spec, g.clause)
FROM (VALUES ('sum'), ('avg')) AS f(name),
	 (VALUES ('whole', 'integer', spec(0, 0, 100)),
			 ('real_number', 'float8', spec(-30, 0, 100)),
			 ('price', 'numeric', spec(-24, 0, 10000))) AS c(name, type, spec),
	 (VALUES ('', '', ''), ('city, ', ' GROUP BY city', ' by city')) AS g(key, clause, suffix);

CREATE TABLE times (name text, jit bool, exact bool, milliseconds float8);

-- Run a statement once, discarding its rows; the time it took.
CREATE FUNCTION measure(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	started timestamptz := clock_timestamp();
BEGIN
	EXECUTE statement;
	RETURN extract(epoch FROM clock_timestamp() - started) * 1000;
END $$;

CREATE PROCEDURE measure_all(runs int) LANGUAGE plpgsql AS $$
DECLARE
	s statements;
	with_jit bool;
	exact_first bool;
BEGIN
	FOR s IN TABLE statements LOOP
		FOREACH with_jit IN ARRAY ARRAY[false, true] LOOP
			PERFORM set_config('jit', with_jit::text, false);
			PERFORM measure(s.native), measure(s.exact);
			FOR run IN 1 .. runs LOOP
				exact_first := run % 2 = 0;
				FOR turn IN 1 .. 2 LOOP
					INSERT INTO times VALUES (s.name, with_jit, exact_first,
						measure(CASE WHEN exact_first THEN s.exact ELSE s.native END));
					exact_first := NOT exact_first;
				END LOOP;
			END LOOP;
		END LOOP;
	END LOOP;
END $$;

CALL measure_all(:runs);

WITH summary AS (
	SELECT name, jit,
		   percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds) FILTER (WHERE NOT exact) AS native_ms,
		   percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds) FILTER (WHERE exact) AS exact_ms,
		   min(milliseconds) FILTER (WHERE exact) / min(milliseconds) FILTER (WHERE NOT exact) AS ratio_of_best
	FROM times GROUP BY name, jit
)
SELECT name, jit, round(native_ms) AS native_ms, round(exact_ms) AS exact_ms,
	   round((exact_ms / native_ms)::numeric, 3) AS ratio, round(ratio_of_best::numeric, 3) AS ratio_of_best,
	   goal, CASE WHEN exact_ms <= goal * native_ms THEN 'met' ELSE 'missed' END AS verdict
FROM summary JOIN statements USING (name)
ORDER BY jit, name;

DROP SCHEMA dp_bench CASCADE;
