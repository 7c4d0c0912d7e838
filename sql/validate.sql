--
-- validate: which expressions may touch protected rows
--
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
CREATE DATABASE dp_validate ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;
\c dp_validate
SET client_min_messages = warning;
SET lc_messages = 'C';
SET datestyle = 'ISO, MDY';
SET timezone = 'UTC';
SET intervalstyle = 'postgres';
CREATE EXTENSION dp_agg;
CREATE FUNCTION validate(query text, params text[] DEFAULT '{}') RETURNS text
	AS '$libdir/dp_validate_test', 'test_validate' LANGUAGE C;
CREATE FUNCTION run(query text, params text[] DEFAULT '{}', released bool DEFAULT true) RETURNS SETOF text
	AS '$libdir/dp_validate_test', 'test_run' LANGUAGE C;
CREATE FUNCTION reduce(query text, params text[] DEFAULT '{}') RETURNS text
	AS '$libdir/dp_validate_test', 'test_constant' LANGUAGE C;

CREATE SCHEMA validate;
SET search_path = validate, public;
CREATE FUNCTION complaint(arguments text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT dp_agg_internal.attempt_as(%s) FROM generate_series(1, 1) x', arguments);
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
CREATE TYPE color AS ENUM ('red', 'green', 'blue');
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TYPE pair AS (a int, b int);
CREATE COLLATION copied FROM "C";
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE t (a int, b bigint, f float8, n numeric, s text, v varchar(9), c char(3), d date,
	ts timestamp, tz timestamptz, i interval, e color, flag bool, u uuid, j jsonb, x int[],
	p positive, r pair, own text COLLATE copied, ci text COLLATE loose, g int4range, k text COLLATE "C");
CREATE TABLE other (a int, w text);
CREATE SEQUENCE numbers;

CREATE FUNCTION identity(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION shout(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'saw %', $1; RETURN $1; END $$;
CREATE OPERATOR === (leftarg = int, rightarg = int, function = int4eq);

-- admitted: columns, constants, logic, comparisons
SELECT validate('SELECT a, s, e, 1, NULL::int, ''x''::text, a = 1 AND NOT flag OR b > a FROM t');
SELECT validate('SELECT a BETWEEN 1 AND 9, a IS DISTINCT FROM b, s < k COLLATE "C", u = ''00000000-0000-0000-0000-000000000001'' FROM t WHERE flag');
SELECT validate('SELECT a IS NULL, flag IS NOT TRUE, flag IS UNKNOWN, NULLIF(a, 0), COALESCE(a, 0), GREATEST(n, 1), LEAST(s, k COLLATE "C") FROM t');
SELECT validate('SELECT CASE WHEN a > 1 THEN ''x'' ELSE s END, CASE a WHEN 1 THEN CASE s WHEN ''q'' THEN 2 END WHEN 3 THEN 4 END FROM t');
SELECT validate('SELECT a IN (1, 2, NULL), s NOT IN (''x'', ''y''), a = ANY (''{1,2}''), e IN (''red'', ''blue''), a IN (1, b) FROM t');
SELECT validate('SELECT e = ''red'', e > ''red'', GREATEST(e, ''green'') FROM t');
SELECT validate('SELECT abs(f), round(f), n < 5, f > 1e300, a & 3, octet_length(s), isfinite(d), j ? ''key'' FROM t');
SELECT validate('SELECT d < ts, tz >= now(), d = CURRENT_DATE, tz < CURRENT_TIMESTAMP FROM t');
SELECT validate('SELECT a::bigint, a::float8, v::text, s::varchar, a::text, f::text, n::varchar, d::text, flag::text, u::text, e::text FROM t');
SELECT validate('SELECT s LIKE ''a%'', s NOT LIKE ''%\_'', s LIKE ANY (''{a%,%b}'') FROM t');
SELECT validate('SELECT own COLLATE "C" = ''x'', p > 1, p::int FROM t');

-- folded first: constants, parameters, join aliases, built-in SQL functions
SELECT validate('SELECT a > 1 + 2 * 3, d > date ''2020-01-01'' + 7, a IN (1 + 1, 2 * 2), CASE WHEN false THEN random() ELSE 0 END FROM t');
SELECT validate('SELECT a > $1 AND s = $2 FROM t WHERE b = $3', '{5,"it''s",NULL}');
SELECT validate('SELECT a > $1 FROM t WHERE b = $2', '{5}');
SELECT validate('SELECT a > $1 FROM t', NULL);
SELECT validate('SELECT j.a, j.w FROM (t JOIN other USING (a)) AS j (a)');
SELECT validate('SELECT a > 1 / 0 FROM t');

-- columns and types that are not
SELECT validate('SELECT ctid FROM t');
SELECT validate('SELECT tableoid = 1 FROM t');
SELECT validate('SELECT t FROM t');
SELECT validate('SELECT t IS NULL FROM t');
SELECT validate('SELECT x FROM t');
SELECT validate('SELECT p FROM t');
SELECT validate('SELECT p IS NULL FROM t');
SELECT validate('SELECT p::text FROM t');
SELECT validate('SELECT r FROM t');
SELECT validate('SELECT g FROM t');
SELECT validate('SELECT r IS NULL FROM t');
SELECT validate('SELECT (r).a FROM t');
SELECT validate('SELECT own FROM t');
SELECT validate('SELECT own = ''x'' FROM t');
SELECT validate('SELECT ci = ''x'' FROM t');
SELECT validate('SELECT s = ''x'' COLLATE loose FROM t');
SELECT validate('SELECT s < k FROM (SELECT s COLLATE "POSIX" AS s, k FROM t) q');

-- functions and operators that are not
SELECT validate('SELECT identity(a) FROM t');
SELECT validate('SELECT a > identity(1) FROM t');
SELECT validate('SELECT a > shout(1) FROM t');
SELECT validate('SELECT a === 1 FROM t');
SELECT validate('SELECT random() < a FROM t');
SELECT validate('SELECT clock_timestamp() > tz FROM t');
SELECT validate('SELECT s ~ ''x'' FROM t');
SELECT validate('SELECT s || ''x'' FROM t');
SELECT validate('SELECT repeat(s, 9) FROM t');
SELECT validate('SELECT replace(s, ''a'', ''b'') FROM t');
SELECT validate('SELECT concat(s, a) FROM t');
SELECT validate('SELECT format(''%s'', s) FROM t');
SELECT validate('SELECT pg_sleep(a) FROM t');
SELECT validate('SELECT pg_notify(s, s) FROM t');
SELECT validate('SELECT set_config(s, s, false) FROM t');
SELECT validate('SELECT md5(s) FROM t');
SELECT validate('SELECT query_to_xml(s, true, true, '''') FROM t');
SELECT validate('SELECT current_setting(s) FROM t');
SELECT validate('SELECT int4out(a) FROM t');
-- refused by its name, whatever its arguments are
SELECT validate('SELECT concat(s, ''x'') FROM t');
SELECT validate('SELECT s::int FROM t');
SELECT validate('SELECT s::regclass FROM t');
SELECT validate('SELECT s::xml FROM t');
SELECT validate('SELECT a::positive FROM t');
SELECT validate('SELECT j::text FROM t');
SELECT validate('SELECT generate_series(1, a) FROM t');
SELECT validate('SELECT CURRENT_USER = s FROM t');
SELECT validate('SELECT nextval(''numbers'') > a FROM t');

-- LIKE: a constant pattern is sound and short, of others it is seen when they are matched
SELECT validate('SELECT s LIKE k FROM t');
SELECT validate('SELECT ''x'' LIKE s FROM t');
SELECT validate('SELECT s LIKE ''a\'' FROM t');
SELECT validate('SELECT s LIKE ''a\\'' FROM t');
SELECT validate('SELECT s LIKE ''a\\\'' FROM t');
SELECT validate('SELECT s LIKE ANY (''{a%,b\\}'') FROM t');
SELECT validate('SELECT s LIKE ''a!'' ESCAPE ''!'' FROM t');
SELECT validate('SELECT s LIKE ''a!%'' ESCAPE ''!'' FROM t');
SELECT validate('SELECT s LIKE ''' || repeat('%a', 64) || ''' IS NULL FROM t') LIKE '0A000%' AS refused;
SELECT validate('SELECT s LIKE ''' || repeat('%a', 65) || ''' IS NULL FROM t') LIKE '0A000%' AS refused;

-- partial functions are attempted, and null where they fail
SELECT validate('SELECT a + 1, -b, a / a, f * 2, n % 3, sqrt(f), ln(n), b::int, n::float8, d + a, ts - interval ''1 day'', age(ts) FROM t');
SELECT validate('SELECT ts::date, tz::date, d::timestamptz, ts::text, extract(dow FROM tz), date_trunc(''week'', ts), date_part(''hour'', tz), tz AT TIME ZONE ''Europe/Berlin'' FROM t');
SELECT validate('SELECT lower(s) = ''x'', length(v), trim(s), c::text, left(s, 2), substring(s FROM 2 FOR 3), split_part(s, '','', 1), position(''a'' IN s), s ILIKE ''A%'', s ^@ ''x'' FROM t');
SELECT validate('SELECT round(n, 2), n::numeric(5, 2), width_bucket(f, 0, 10, 5), s::varchar(3), to_char(ts, ''YYYY'') FROM t');
SELECT validate('SELECT (j ->> ''k'') = ''x'', (j -> ''k'')::int > 0, j ->> 0 FROM t');
SELECT validate('SELECT CASE a + 1 WHEN 2 THEN b + 1 END, COALESCE(a / b, 0), (a + 1) IN (1, 2), GREATEST(a + 1, 2), a + 1 IS NULL FROM t');
CREATE TABLE edges AS SELECT * FROM (VALUES
	(2147483647, 0, 'NaN'::float8, 'Infinity'::numeric, timestamp 'infinity', 'x'),
	(1, 2, 4, 9, timestamp '2020-02-29', 'Yy'), (NULL, NULL, NULL, NULL, NULL, NULL)) v (a, b, f, n, ts, s);
SELECT run('SELECT a, a + 1, 1 / b, a % b, f::int, sqrt(-f), n::int, n::bigint, ts::date, date_trunc(''month'', ts), upper(s), ts::text FROM edges');
SELECT run('SELECT count(g), count(1 / (g - g)) FROM generate_series(1, 10000) g');
SELECT run('SELECT a + b FROM edges WHERE a = 1', '{}', false);
SELECT run('SELECT count(a) FROM edges WHERE ts > CURRENT_TIMESTAMP - interval ''200 years''', '{}', false);

-- constants they cannot work with are found at once
SELECT validate('SELECT date_trunc(''fortnight'', ts) FROM t');
SELECT validate('SELECT extract(fortnight FROM ts) FROM t');
SELECT validate('SELECT tz AT TIME ZONE ''Nowhere/Land'' FROM t');
SELECT validate('SELECT split_part(s, '','', 0) FROM t');
SELECT validate('SELECT substring(s FROM 1 FOR -1) FROM t');
SELECT validate('SELECT width_bucket(f, 5, 5, 1) FROM t');
SELECT validate('SELECT date_trunc(s, ts) FROM t');
SELECT validate('SELECT tz AT TIME ZONE s FROM t');
SELECT validate('SELECT round(n, a) FROM t');
SELECT validate('SELECT to_char(ts, s) FROM t');
SELECT validate('SELECT btrim(s, $1) FROM t', ARRAY[repeat('x', 1020)]) LIKE '0A000%' AS refused;
SELECT validate('SELECT btrim(s, $1) FROM t', ARRAY[repeat('x', 1021)]);
SELECT validate('SELECT s ILIKE ANY (''{a}'') FROM t');

-- long values are null to them, and long results null
SELECT run('SELECT length(s), upper(s) IS NULL FROM (SELECT repeat(''x'', g) AS s FROM generate_series(524284, 524285) g) q');
SELECT run('SELECT s ->> 0 IS NULL FROM (VALUES (''[[1e131071]]''::jsonb), (''[[1e131071, 1e131071, 1e131071, 1e131071]]'')) q (s)');
SELECT run('SELECT n + 1 IS NULL FROM (VALUES (1e400), (1e600 + 1)) q (n)');

-- and nobody else calls them that way: in what words depends on the release
CREATE FUNCTION called(query text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN true;
EXCEPTION WHEN undefined_function OR cannot_coerce OR feature_not_supported THEN
	RETURN false;
END $$;
SELECT called('SELECT dp_agg_internal.attempt(''int4pl(int, int)'', 1, 2)'),
	called('SELECT dp_agg_internal.attempt(''int4pl(int, int)''::regprocedure, 1, 2)'),
	called('SELECT dp_agg_internal.attempt(NULL::internal, 1)');

-- but by another name, for built-in functions that can fail and depend on nothing else, of their own types
SELECT dp_agg_internal.attempt_as(NULL::int, 'int4pl(int, int)', 1, x) AS two, dp_agg_internal.attempt_as(7, 'int4div(int, int)', 1, x - 1) AS none,
	dp_agg_internal.attempt_as(NULL::int, 'int4pl(int, int)', 1, NULL::int) AS null, dp_agg_internal.attempt_as(NULL::text, 'upper(text)', repeat('a', x)) AS a,
	dp_agg_internal.attempt_as(NULL::text, 'upper(text)', repeat('a', 1048573)) IS NULL AS too_long
FROM generate_series(1, 1) x;
SELECT arguments, complaint(arguments) FROM unnest(ARRAY[$$NULL::int, 'int4pl(int, int)', 1, 2::bigint$$,
	$$NULL::bigint, 'int4pl(int, int)', 1, 2$$, $$NULL::int, 'int4pl(int, int)', 1$$, $$NULL::int, 'int4pl(int, int)', VARIADIC ARRAY[1, 2]$$,
	$$NULL::int, NULL, 1, 2$$, $$NULL::int, (177 + x)::regprocedure, 1, 2$$, $$true, 'int4eq(int, int)', 1, 2$$, $$true, 'pg_cancel_backend(int)', 1$$,
	$$now(), 'date_trunc(text, timestamptz)', 'day'::text, now()$$, $$'a'::text, 'pg_read_file(text)', 'PG_VERSION'::text$$]) arguments;
CREATE ROLE validate_role;
REVOKE EXECUTE ON FUNCTION lower(text) FROM PUBLIC;
GRANT USAGE ON SCHEMA validate TO validate_role;
SET ROLE validate_role;
SELECT validate.complaint($$'a'::text, 'lower(text)', 'a'::text$$);
SELECT validate('SELECT lower(s) FROM validate.t');
RESET ROLE;
GRANT EXECUTE ON FUNCTION lower(text) TO PUBLIC;

-- constructs that are not
SELECT validate('SELECT (SELECT 1), a FROM t');
SELECT validate('SELECT a IN (SELECT a FROM other) FROM t');
SELECT validate('SELECT EXISTS (SELECT FROM other) FROM t');
SELECT validate('SELECT a + count(*) FROM t GROUP BY a');
SELECT validate('SELECT rank() OVER () FROM t');
SELECT validate('SELECT GROUPING(a) FROM t GROUP BY a');
SELECT validate('SELECT ROW(a, b) FROM t');
SELECT validate('SELECT (a, b) < (1, 2) FROM t');
SELECT validate('SELECT (a, b) = (1, 2) FROM t');
SELECT validate('SELECT a = ANY (x) FROM t');
SELECT validate('SELECT g @> 3, x && ''{1}'', x IS NULL, g && ''[1,2)'' FROM t');
SELECT validate('SELECT a <@ int4range(a, a + 1) FROM t');
SELECT validate('SELECT a = ANY (ARRAY[1, a]) FROM t');
SELECT validate('SELECT ARRAY[a] FROM t');
SELECT validate('SELECT x[1] FROM t');
SELECT validate('SELECT j[''k''] FROM t');
SELECT validate('SELECT XMLELEMENT(NAME q, s) FROM t');
SELECT validate('SELECT s IS DOCUMENT FROM (SELECT NULL::xml AS s FROM t) q');
SELECT validate('SELECT GREATEST(x, x) FROM t');
SELECT validate('SELECT GREATEST(j, j) FROM t');
SELECT validate('SELECT NULLIF(j, j) FROM t');
SELECT validate('SELECT j IS DISTINCT FROM j FROM t');
SELECT validate('SELECT CASE j WHEN ''1'' THEN 1 END FROM t');
SELECT validate('SELECT j IN (''1'') FROM t');
SELECT validate('SELECT q.z FROM t, LATERAL (SELECT t.a AS z) q WHERE q.z > (t.*)::text::int');

-- what must be constant
SELECT reduce('SELECT 1 + 1');
SELECT reduce('SELECT $1 * 2.5', '{4}');
SELECT reduce('SELECT $1::numeric');
SELECT reduce('SELECT now()');
SELECT reduce('SELECT identity(1)');
SELECT reduce('SELECT (SELECT 1)');
SELECT reduce('SELECT a FROM t');
SELECT reduce('SELECT NULL::float8');

-- a release that was started without our hook is not paid for, and gives nothing
CREATE FUNCTION run_unasked(query text) RETURNS bool
	AS '$libdir/dp_validate_test', 'test_run_unasked' LANGUAGE C;
CREATE TABLE people (id int PRIMARY KEY);
SELECT dp_agg.protect('people', 'id');
SELECT run_unasked('SELECT count(*) FROM people');
SELECT run_unasked('SELECT dp_count(*) FROM people');
SELECT count(*) FROM dp_agg.ledger;

\c contrib_regression
DROP DATABASE dp_validate;
DROP ROLE validate_role;
