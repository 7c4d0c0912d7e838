-- What calling a partial function through dp_agg_internal.attempt costs a row beyond the
-- bare call: processor time per row of both plans, in turns, medians, in
-- nanoseconds.  The last line shows a call that fails.
--
-- Run by psql as a superuser, with dp_agg preloaded and test/modules installed.
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
CREATE EXTENSION IF NOT EXISTS dp_agg;
CREATE SCHEMA bench_attempt;
SET search_path = bench_attempt, public;
CREATE FUNCTION run(query text, params text[] DEFAULT '{}', released bool DEFAULT true) RETURNS SETOF text
	AS '$libdir/dp_validate_test', 'test_run' LANGUAGE C;
-- Processor time this session has used, in nanoseconds.
CREATE FUNCTION used() RETURNS bigint LANGUAGE sql VOLATILE
	AS $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint $$;
CREATE TABLE rows AS SELECT i::int AS i, i::int8 AS b, i::float8 AS f, i::numeric(12, 2) AS n,
	'2020-01-01'::timestamp + i * interval '1 minute' AS t, 'Text ' || i AS s FROM generate_series(1, 200000) i;
VACUUM ANALYZE rows;
CREATE FUNCTION cost(expression text, fails bool, OUT bare int, OUT attempted int, OUT difference int) LANGUAGE plpgsql AS $$
DECLARE
	began bigint;
	middle bigint;
	b float8[];
	a float8[];
BEGIN
	FOR round IN 1 .. 15 LOOP
		began := used();
		IF NOT fails THEN
			EXECUTE format('SELECT count(%s) FROM rows', cost.expression);
		END IF;
		middle := used();
		PERFORM run(format('SELECT count(%s) FROM rows', cost.expression));
		b := b || (middle - began) / 200000.0::float8;
		a := a || (used() - middle) / 200000.0::float8;
	END LOOP;
	bare := (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM unnest(b) x);
	attempted := (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM unnest(a) x);
	difference := attempted - bare;
END $$;
SELECT e AS expression, c.* FROM unnest('{i + 1,i / 3,b * 2,f / 3,n * 2,lower(s),"date_trunc(''month'', t)",extract(hour FROM t),b::int,"substr(s, 1, 3)"}'::text[]) e, cost(e, false) c;
SELECT c.attempted AS failing FROM cost('i / (i - i)', true) c;
DROP SCHEMA bench_attempt CASCADE;
