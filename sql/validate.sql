--
-- validate: which expressions may touch protected rows
--
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
SET datestyle = 'ISO, MDY';
SET timezone = 'UTC';
CREATE EXTENSION dp_agg;
CREATE FUNCTION validate(query text, params text[] DEFAULT '{}') RETURNS text
	AS '$libdir/dp_validate_test', 'test_validate' LANGUAGE C;
CREATE FUNCTION reduce(query text, params text[] DEFAULT '{}') RETURNS text
	AS '$libdir/dp_validate_test', 'test_constant' LANGUAGE C;

CREATE SCHEMA validate;
SET search_path = validate, public;
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
SELECT validate('SELECT s::int FROM t');
SELECT validate('SELECT s::regclass FROM t');
SELECT validate('SELECT s::xml FROM t');
SELECT validate('SELECT a::positive FROM t');
SELECT validate('SELECT j::text FROM t');
SELECT validate('SELECT generate_series(1, a) FROM t');
SELECT validate('SELECT CURRENT_USER = s FROM t');
SELECT validate('SELECT nextval(''numbers'') > a FROM t');

-- LIKE: the pattern is constant, sound and short
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

\pset format aligned
\pset tuples_only off
DROP SCHEMA validate CASCADE;
DROP FUNCTION validate, reduce;
DROP EXTENSION dp_agg;
