--
-- functions: every function on the allow-list, with every edge of its arguments
--
-- Prints nothing but what is wrong: an error or a message from a total
-- function, or one that passes the attempt at a partial one.
--
CREATE DATABASE dp_functions ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;
\c dp_functions
SET client_min_messages = warning;
SET lc_messages = 'C';
CREATE EXTENSION dp_agg;
CREATE SCHEMA fuzz;
SET search_path = fuzz, public;
CREATE FUNCTION verdict(oid) RETURNS text
	AS '$libdir/dp_validate_test', 'test_verdict' LANGUAGE C STRICT;
CREATE FUNCTION validate(query text, params text[] DEFAULT '{}') RETURNS text
	AS '$libdir/dp_validate_test', 'test_validate' LANGUAGE C;
CREATE FUNCTION run(query text, params text[] DEFAULT '{}', released bool DEFAULT true) RETURNS SETOF text
	AS '$libdir/dp_validate_test', 'test_run' LANGUAGE C;

-- values of every type, one table each
CREATE TYPE color AS ENUM ('red', 'blue');
ALTER TYPE color ADD VALUE 'green' BEFORE 'blue';
ALTER TYPE color ADD VALUE 'grey' BEFORE 'green';
ALTER TYPE color ADD VALUE 'black' AFTER 'blue';
CREATE TABLE edges (type regtype, value text);
INSERT INTO edges SELECT t, unnest(v) FROM (VALUES
	('bool'::regtype, '{t,f}'::text[]),
	('int2', '{-32768,-1,0,1,2,32767}'),
	('int4', '{-2147483648,-1000000,-1,0,1,2,7,31,32,1000000,2147483647}'),
	('int8', '{-9223372036854775808,-4294967296,-1,0,1,2,63,64,2147483648,9223372036854775807}'),
	('float4', '{NaN,Infinity,-Infinity,0,-0,1,-1,0.5,1e-45,-1e-45,3.4028235e38,-3.4028235e38,2147483648,1e10}'),
	('float8', '{NaN,Infinity,-Infinity,0,-0,1,-1,0.5,2,5e-324,-5e-324,1.7976931348623157e308,-1.7976931348623157e308,2147483647.5,9.3e18,1e300,710,-745}'),
	('numeric', ARRAY['NaN', 'Infinity', '-Infinity', '0', '1', '-1', '0.5', '-0.000', '2', '1e-1000', '1e1000', '-1e1000',
		'9223372036854775808', '-32768.5', '1e400', '1e-16383', '1e131071', '-1e131071', repeat('9', 300)]),
	('money', '{-92233720368547758.08,0,1,92233720368547758.07}'),
	('text', ARRAY['', 'a', 'A', ' ', '  ab  ', 'aBc dEf', '%', '_', '\', 'x\', '0', '-1', 'é', 'ÉÉ', 'ß', 'İ', 'ǆ', '日本語', '😀', E'e\u0301', E'\n\t', 'year',
		repeat('ab ', 30000), repeat('é', 600000)]),
	('bpchar', ARRAY['', 'a', 'A', '  ', 'ab  ', 'é ', '日本語', repeat('x ', 3000)]),
	('varchar', ARRAY['', 'a', '  ', 'ab  ', 'é ', '日本語', repeat('x ', 3000)]),
	('name', ARRAY['', 'a', 'A', 'é', repeat('x', 63)]),
	('"char"', '{"",a,A," "}'),
	('bytea', ARRAY['', '\x00', '\xff', '\x0001', '\x' || repeat('ab', 5000)]),
	('bit', '{0,1}'), ('varbit', '{"",0,1,10,0000000011}'),
	('oid', '{0,1,2147483648,4294967295}'),
	('uuid', '{00000000-0000-0000-0000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff,12345678-1234-1234-1234-123456789012}'),
	('pg_lsn', '{0/0,1/0,FFFFFFFF/FFFFFFFF}'),
	('macaddr', '{00:00:00:00:00:00,ff:ff:ff:ff:ff:ff}'), ('macaddr8', '{00:00:00:00:00:00:00:00,ff:ff:ff:ff:ff:ff:ff:ff}'),
	('inet', '{0.0.0.0/0,10.0.0.1/8,255.255.255.255,::/0,ffff::1/64}'),
	('cidr', '{0.0.0.0/0,10.0.0.0/8,::/0}'),
	('date', '{-infinity,infinity,4713-11-24 BC,4714-11-24 BC,0001-12-31 BC,0001-01-01,1582-10-15,1970-01-01,2000-02-29,2024-12-31,294276-12-31,294277-01-01,5874897-12-31}'),
	('timestamp', '{-infinity,infinity,4714-11-24 00:00:00 BC,0001-12-31 23:59:59.999999 BC,1900-01-01,2000-01-01,2024-02-29 12:34:56.789012,2024-03-31 02:30:00,294276-12-31 23:59:59.999999}'),
	('timestamptz', '{-infinity,infinity,4714-11-24 00:00:00+00 BC,4714-11-24 23:00:00+00 BC,1883-11-18 12:00:00-05,2000-01-01 00:00:00+00,2024-03-31 02:30:00+00,2024-11-03 05:59:59.999999+00,294276-12-31 23:59:59.999999+00}'),
	('time', '{00:00:00,00:00:00.000001,12:34:56.789012,23:59:59.999999,24:00:00}'),
	('timetz', '{00:00:00+15:59,00:00:00-15:59,12:34:56.789012+05:30,24:00:00-12}'),
	('interval', '{0,1 microsecond,-1 microsecond,1 day,-1 month,1 year 2 mons -3 days 04:05:06.7,178956970 years 7 mons,-178956970 years -8 mons,2147483647 days,-2147483648 days,2562047788:00:54.775807,-2562047788:00:54.775807,178956970 years 7 mons 2147483647 days 2562047788:00:54.775807}'),
	('jsonb', ARRAY['null', 'true', '0', '-1.5', '1e1000', '99999999999999999999', '"a"', '""', '[]', '[1, null, "x", {"a": 1}]', '{}',
		'{"a": null}', '{"a": 1, "": 2, "é": "z"}', '{"a": {"b": [1e400, -1e-400]}}', jsonb_build_object('a', repeat(E'\u0001', 90000))::text, '"' || repeat('é', 600000) || '"']),
	('color', '{red,green,grey,blue,black}')) AS e (t, v);
DO $$
DECLARE t record;
BEGIN
	FOR t IN SELECT oid, typname FROM pg_type WHERE oid IN (SELECT type FROM edges) LOOP
		EXECUTE format('CREATE TABLE e_%s (v %I)', t.oid, t.typname);
		EXECUTE format('INSERT INTO e_%s SELECT value::%I FROM edges WHERE type = %s UNION ALL SELECT NULL',
					   t.oid, t.typname, t.oid);
	END LOOP;
END $$;
-- the least interval; since PostgreSQL 17 that place is taken by -infinity
DO $$
BEGIN
	INSERT INTO e_1186 SELECT interval '-178956970 years -8 mons -2147483648 days -2562047788:00:54.775807' - interval '1 microsecond';
EXCEPTION WHEN datetime_field_overflow THEN
	INSERT INTO e_1186 VALUES ('-infinity'), ('infinity');
END $$;

-- arrays: empty, of nothing, of one, two and all, of two dimensions, numbered from elsewhere
CREATE TABLE families (anyarray regtype, anyelement regtype, anyrange regtype, anymultirange regtype);
INSERT INTO families SELECT typarray, e.type FROM (SELECT DISTINCT type FROM edges WHERE type = ANY ('{bool,int4,float8,numeric,text,bpchar,bytea,varbit,uuid,inet,timestamptz,timetz,interval}'::regtype[])) e JOIN pg_type t ON t.oid = e.type;
DO $$
DECLARE f record;
BEGIN
	FOR f IN SELECT anyarray::oid AS oid, anyelement::oid AS element, quote_ident(typname) AS name FROM families JOIN pg_type t ON t.oid = anyarray LOOP
		EXECUTE format('CREATE TABLE e_%s (v %s)', f.oid, f.name);
		EXECUTE format($q$WITH e AS (SELECT v FROM e_%2$s WHERE v IS NULL OR octet_length(v::text) < 1000)
			INSERT INTO e_%1$s SELECT '{}'::%3$s UNION ALL SELECT NULL UNION ALL (SELECT ARRAY[v] FROM e LIMIT 9)
			UNION ALL (SELECT ARRAY[v, NULL, v] FROM e LIMIT 3) UNION ALL SELECT array_agg(v) FROM e
			UNION ALL (SELECT ARRAY[[v, NULL], [NULL, v]] FROM e LIMIT 3)
			UNION ALL (SELECT array_fill(v, ARRAY[2, 3], ARRAY[-5, 7]) FROM e LIMIT 3)$q$, f.oid, f.element, f.name);
	END LOOP;
END $$;
-- ranges: empty, without bounds, and of bounds in order; and several of them
INSERT INTO families SELECT NULL, rngsubtype, rngtypid, rngmultitypid FROM pg_range WHERE rngtypid = ANY ('{int4range,numrange,daterange,tstzrange}'::regtype[]);
DO $$
DECLARE
	f record;
	flags text;
	bounds text[];
BEGIN
	FOR f IN SELECT anyrange::oid AS oid, anyrange::text AS name, anymultirange::oid AS multirange, anymultirange::text AS multiname, anyelement::oid AS element
			 FROM families WHERE anyrange IS NOT NULL LOOP
		EXECUTE format('CREATE TABLE e_%s (v %s)', f.oid, f.name);
		EXECUTE format('CREATE TABLE e_%s (v %s)', f.multirange, f.multiname);
		FOREACH flags IN ARRAY '{[),[],(),(]}'::text[] LOOP
			FOR bounds IN EXECUTE format('SELECT ARRAY[a.v::text, b.v::text] FROM e_%1$s a, e_%1$s b', f.element) LOOP
				BEGIN
					EXECUTE format('INSERT INTO e_%s SELECT %s(%L, %L, %L)', f.oid, f.name, bounds[1], bounds[2], flags);
				EXCEPTION WHEN data_exception THEN
					NULL;
				END;
			END LOOP;
		END LOOP;
		EXECUTE format('DELETE FROM e_%1$s WHERE ctid <> ALL (SELECT min(ctid) FROM e_%1$s GROUP BY v)', f.oid);
		EXECUTE format('DELETE FROM e_%1$s WHERE NOT isempty(v) AND ctid <> ALL (SELECT ctid FROM e_%1$s ORDER BY md5(v::text) LIMIT 30)', f.oid);
		EXECUTE format($q$INSERT INTO e_%1$s SELECT NULL UNION ALL SELECT %2$s '(,)'$q$, f.oid, f.name);
		EXECUTE format($q$INSERT INTO e_%1$s SELECT NULL UNION ALL SELECT %2$s '{}' UNION ALL SELECT %2$s(v) FROM e_%3$s UNION ALL
			(SELECT %2$s(a.v) + %2$s(b.v) FROM e_%3$s a, e_%3$s b WHERE a.v << b.v ORDER BY md5(a.v::text || b.v::text) LIMIT 30)$q$, f.multirange, f.multiname, f.oid);
	END LOOP;
END $$;

-- text that is not valid in any encoding, which no input function lets in; not where
-- PostgreSQL asserts that there is none
CREATE CAST (bytea AS text) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (bytea AS bpchar) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (bytea AS varchar) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE TABLE broken (v bytea);
INSERT INTO broken SELECT v FROM (VALUES ('\xc3'::bytea), ('\x61e2'), ('\xe282'), ('\xff61'), ('\xf0'), ('\x20c3'), ('\xc320'), ('\x00')) b (v)
	WHERE NOT current_setting('debug_assertions')::boolean;
INSERT INTO e_25 SELECT v FROM broken;
INSERT INTO e_1042 SELECT v FROM broken;
INSERT INTO e_1043 SELECT v FROM broken;
DROP CAST (bytea AS text);
DROP CAST (bytea AS bpchar);
DROP CAST (bytea AS varchar);

-- the functions, what the list says of them, and the types they are tried with
-- (of arrays, ranges and multiranges: with all of these)
CREATE TABLE functions AS
	SELECT p.oid, proname, verdict, prorettype, types, total, subject, is_like,
		   ARRAY(SELECT format('e_%s a%s', t::oid, i) FROM unnest(types) WITH ORDINALITY u (t, i)) AS tables,
		   ARRAY(SELECT format('a%s.v', i) FROM generate_subscripts(types, 1) i) AS columns
	FROM pg_proc p, verdict(p.oid) AS verdict,
		 LATERAL (SELECT verdict LIKE 'total%' AS total, split_part(verdict, ' ', 2)::int AS subject,
						 verdict LIKE '% like' AS is_like) v,
		 LATERAL (SELECT ARRAY(SELECT CASE t WHEN 'anyenum'::regtype THEN 'color'::regtype ELSE t::regtype END
							   FROM unnest(proargtypes) WITH ORDINALITY u (t, i) ORDER BY i) AS declared) d,
		 LATERAL (SELECT DISTINCT ARRAY(SELECT CASE t WHEN 'anyarray'::regtype THEN anyarray WHEN 'anyelement'::regtype THEN anyelement
											WHEN 'anyrange'::regtype THEN anyrange WHEN 'anymultirange'::regtype THEN anymultirange ELSE t END
										FROM unnest(declared) WITH ORDINALITY u (t, i) ORDER BY i) AS types
				  FROM (SELECT true AS polymorphic, * FROM families UNION ALL SELECT false, NULL, NULL, NULL, NULL) f
				  WHERE polymorphic = (declared::text[] && '{anyarray,anyelement,anyrange,anymultirange}')
				  AND (anyarray IS NOT NULL OR NOT 'anyarray' = ANY (declared::text[])) AND (anyrange IS NOT NULL OR NOT declared::text[] && '{anyrange,anymultirange}')) t
	WHERE verdict NOT LIKE 'refused%' AND p.oid <> 'hashvarlena(internal)'::regprocedure AND NOT 'cstring'::regtype = ANY (proargtypes);
-- input functions, which casts of texts call: what they make of them
CREATE TABLE inputs AS
	SELECT p.oid, prorettype::regtype AS type FROM pg_proc p WHERE verdict(oid) NOT LIKE 'refused%' AND 'cstring'::regtype = ANY (proargtypes);
SELECT array_agg(type ORDER BY type::text) FROM inputs;

-- the lists are as long as they should be, and there is a table for every type
SELECT count(*) FILTER (WHERE total) > 400 AS total, count(*) FILTER (WHERE NOT total AND subject < 0) > 150 AS partial,
	   count(*) FILTER (WHERE NOT total AND subject >= 0) > 50 AS with_subject FROM functions;
SELECT DISTINCT oid::regprocedure, t FROM functions, unnest(types) t
	WHERE t NOT IN (SELECT type FROM edges UNION SELECT t FROM families, unnest(ARRAY[anyarray, anyrange, anymultirange]) t WHERE t IS NOT NULL);

-- nothing on the list but pinned, internal, pure, strict and parallel safe functions
SELECT f.oid::regprocedure FROM functions f JOIN pg_proc p USING (oid) JOIN pg_language l ON l.oid = prolang
	WHERE p.oid >= 12000 OR lanname <> 'internal' OR prokind <> 'f' OR proretset OR NOT proisstrict
	OR provolatile = 'v' OR proparallel <> 's' OR provariadic NOT IN (0, 'text'::regtype);

-- the columns a function is tried with, text under a collation
CREATE FUNCTION collated(columns text[], types regtype[], collation_name text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(columns[i] || CASE WHEN typcollation <> 0 THEN collation_name ELSE '' END, ', ' ORDER BY i)
	FROM generate_subscripts(columns, 1) i JOIN pg_type t ON t.oid = types[i]
$$;

-- 1. total functions, called as they are
CREATE PROCEDURE try_total(collation_name text, of_containers boolean DEFAULT false) LANGUAGE plpgsql AS $$
DECLARE f record;
BEGIN
	FOR f IN SELECT * FROM functions WHERE total AND subject < 0
			 AND (of_containers OR NOT EXISTS (SELECT FROM families WHERE coalesce(anyarray, anyrange) = ANY (types) OR anymultirange = ANY (types))) ORDER BY oid LOOP
		BEGIN
			EXECUTE format('SELECT count(*) FROM %s WHERE pg_catalog.%I(%s) IS NULL',
						   CASE f.tables WHEN '{}' THEN '(SELECT) x' ELSE array_to_string(f.tables, ', ') END,
						   f.proname, collated(f.columns, f.types, collation_name));
		EXCEPTION WHEN OTHERS THEN
			RAISE WARNING '%: % %', f.oid::regprocedure, SQLSTATE, SQLERRM;
		END;
	END LOOP;
END $$;
SET client_min_messages = notice;
SET jit = off;
CALL try_total('', of_containers => true);
CALL try_total(' COLLATE "C"');
CALL try_total(' COLLATE "und-x-icu"', of_containers => true);
SET timezone = 'America/New_York';
SET datestyle = 'SQL, DMY';
SET intervalstyle = 'iso_8601';
SET extra_float_digits = -15;
CALL try_total('');
SET timezone = 'Pacific/Apia';
SET datestyle = 'German';
SET intervalstyle = 'sql_standard';
SET extra_float_digits = 3;
CALL try_total('');
SET timezone = 'XXX-15:59';
SET datestyle = 'Postgres, YMD';
SET intervalstyle = 'postgres_verbose';
CALL try_total('');

-- 2. partial functions, attempted: no error whatever the arguments
CREATE PROCEDURE try_partial(collation_name text) LANGUAGE plpgsql AS $$
DECLARE f record;
BEGIN
	FOR f IN SELECT * FROM functions
			 WHERE NOT total AND subject < 0 AND prorettype <> 'cstring'::regtype ORDER BY oid LOOP
		BEGIN
			PERFORM run(format('SELECT count(pg_catalog.%I(%s)) FROM %s', f.proname,
							   collated(f.columns, f.types, collation_name), array_to_string(f.tables, ', ')));
		EXCEPTION WHEN OTHERS THEN
			RAISE WARNING '%: % %', f.oid::regprocedure, SQLSTATE, SQLERRM;
		END;
	END LOOP;
END $$;
CALL try_partial('');
CALL try_partial(' COLLATE "und-x-icu"');
SELECT run(format('SELECT count(v::text), count(v::varchar) FROM e_%s', t::oid))
	FROM unnest('{timestamp,timestamptz}'::regtype[]) t;
SET timezone = 'America/New_York';
SET datestyle = 'ISO, MDY';
CALL try_partial('');
SELECT run(format('SELECT count(v::text), count(v::varchar) FROM e_%s', t::oid))
	FROM unnest('{timestamp,timestamptz}'::regtype[]) t;

-- 3. functions with a subject: if the constants are admitted, no error either
CREATE TABLE guides (type regtype, value text);
INSERT INTO guides SELECT t, unnest(v) FROM (VALUES
	('bool'::regtype, '{t,f}'::text[]),
	('int4', '{-2147483648,-2147483647,-5,-1,0,1,2,5,1000,2147483647}'),
	('float8', '{NaN,Infinity,-Infinity,0,1,-1,1e308}'),
	('jsonb', ARRAY['{}', '[]', 'null', '1', '{"a": null}', '[1, null, {"a": 1}]', '{"a": {"b": [1e400]}}', repeat('[', 400) || repeat(']', 400)]),
	('text[]', ARRAY['{}', '{a}', '{a,b,0}', '{-1}', '{3,a}', '{99999999999}', '{"",NULL}', '{a,NULL}', '{{a,b},{0,1}}', '{é}', '[5:6]={a,b}']),
	('numeric', '{NaN,Infinity,0,1,-1,1e300,0.1}'),
	('interval', '{1 month,1 day,0,-1 hour,15 minutes,1 microsecond,178000000 years,2562047788:00:54}'),
	('timestamp', '{2000-01-01,infinity,4714-11-24 BC,294276-12-31}'),
	('timestamptz', '{2000-01-01 00:00+00,-infinity,4714-11-24 00:00+00 BC,294276-12-31 00:00+00}'),
	('text', ARRAY['', 'a', ' ', 'é', 'ab', '%', 'a%', '%a_%', '\%', '\\', '\', 'é_', 'microseconds', 'second', 'hour', 'day', 'week', 'month', 'quarter', 'year', 'isoyear', 'dow',
		'century', 'millennium', 'epoch', 'julian', 'timezone', 'timezone_h', 'UTC', 'America/New_York', '<-15>15:59', 'posixrules', '+05:30', 'Nowhere/Land',
		'YYYY-MM-DD HH24:MI:SS.US', 'TMMonth TMDay', 'J', 'IYYY-IW-ID', 'Y,YYY BC AD', 'RM Q CC WW DDD SSSS', 'TZ tz TZH:TZM OF', 'FMDDth "text', E'\\"'])) g (t, v);
CREATE PROCEDURE try_subjects() LANGUAGE plpgsql AS $$
DECLARE
	f record;
	guide text[];
	query text;
	admitted bool;
	runs int;
BEGIN
	FOR f IN SELECT * FROM functions WHERE subject >= 0 ORDER BY oid LOOP
		query := format('SELECT count(pg_catalog.%I(%s)) FROM %s', f.proname,
			(SELECT string_agg(CASE i - 1 WHEN f.subject THEN f.columns[i]
							   ELSE format('%s$%s::%s', CASE WHEN f.oid IN (SELECT oid FROM pg_proc WHERE provariadic <> 0) THEN 'VARIADIC ' ELSE '' END, i - (i - 1 > f.subject)::int, f.types[i]) END, ', ' ORDER BY i)
			 FROM generate_subscripts(f.types, 1) i),
			f.tables[f.subject + 1]);
		runs := 0;
		FOR guide IN EXECUTE format('SELECT ARRAY[%s]::text[] FROM (SELECT) one%s',
			(SELECT string_agg(format('g%s.value', i), ', ' ORDER BY i) FROM generate_subscripts(f.types, 1) i WHERE i - 1 <> f.subject),
			(SELECT string_agg(format(', (SELECT value FROM guides WHERE type = %s) g%s', f.types[i]::oid, i), '') FROM generate_subscripts(f.types, 1) i WHERE i - 1 <> f.subject)) LOOP
			BEGIN
				admitted := validate(query, guide) NOT LIKE '0A000:%';
			EXCEPTION WHEN OTHERS THEN
				admitted := false;
			END;
			CONTINUE WHEN NOT admitted;
			runs := runs + 1;
			BEGIN
				PERFORM run(query, guide);
			EXCEPTION WHEN OTHERS THEN
				RAISE WARNING '% %: % %', f.oid::regprocedure, guide, SQLSTATE, SQLERRM;
			END;
		END LOOP;
		IF runs = 0 THEN
			RAISE WARNING '%: never admitted', f.oid::regprocedure;
		END IF;
	END LOOP;
END $$;
CALL try_subjects();
SET timezone = 'Pacific/Apia';
SET datestyle = 'ISO, MDY';
CALL try_subjects();
SET client_min_messages = warning;

-- 4. casts of texts, valid in any encoding or not
INSERT INTO e_25 SELECT value FROM edges WHERE type IN (SELECT type FROM inputs);
INSERT INTO e_25 VALUES ('1e131071'), ('-1e-16383'), (repeat('9', 250)), (repeat('9', 300)), ('0x' || repeat('f', 240)), ('2024-02-29 10:11 Europe/Berlin'), ('2024-02-29 now'),
	('2024-02-29'), ('2024-02-29T10:11:12Z'), ('2024-02-29 99:99'), ('9999-99-99'), ('2024-02-29 ' || repeat('+', 200)), ('2024-02-29 ' || repeat('1:', 100)), ('2024-02-29 10:11:12+99:99');
DO $$
DECLARE
	i record;
	t regtype;
BEGIN
	FOR i IN SELECT * FROM inputs, unnest('{text,varchar,bpchar}'::regtype[]) t LOOP
		BEGIN
			PERFORM run(format('SELECT count(v::%s) FROM e_%s', i.type, i.t::oid));
		EXCEPTION WHEN OTHERS THEN
			RAISE WARNING '% of %: % %', i.type, i.t, SQLSTATE, SQLERRM;
		END;
	END LOOP;
END $$;

-- 5. comparing, sorting and hashing what rows may be grouped by
DO $$
DECLARE t regtype;
BEGIN
	FOR t IN SELECT DISTINCT type FROM edges WHERE type <> ALL ('{jsonb,money,bit,varbit}'::regtype[]) LOOP
		EXECUTE format('SELECT count(v) FROM (SELECT v FROM e_%s GROUP BY v ORDER BY v) q', t::oid);
	END LOOP;
END $$;

\c contrib_regression
DROP DATABASE dp_functions;
