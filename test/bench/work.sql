-- What functions cost at worst, for src/expression/function_cost.c: processor time of a call per byte
-- of its subject, of 4,000 and of 100,000 bytes, in nanoseconds, and of calls whose
-- arguments are short.  About 0.1 ns and 100 ns of it are the loop's.
--
-- Run by psql as a superuser, in a database of encoding UTF8 whose locale is that of a
-- language: a database of "C" measures "C".
SET client_min_messages = warning;
SET jit = off;
CREATE SCHEMA bench_work;
SET search_path = bench_work, public;
CREATE FUNCTION used() RETURNS bigint LANGUAGE sql VOLATILE
	AS $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint $$;
CREATE FUNCTION per_byte(expression text, subject text, OUT ns numeric, OUT ns_long numeric) LANGUAGE plpgsql AS $$
DECLARE began bigint; reps int; s text; n int; r numeric; spent bigint;
BEGIN
	FOREACH n IN ARRAY '{4000,100000}'::int[] LOOP
		EXECUTE format('SELECT %s', replace(subject, '#', n::text)) INTO s;
		reps := 1;
		LOOP
			began := used();
			EXECUTE format('SELECT count(%s) FROM (SELECT $1 AS v, g FROM generate_series(1, $2) g OFFSET 0) x', expression) USING s, reps;
			spent := used() - began;
			EXIT WHEN spent > 60000000 OR reps > 20000;
			reps := reps * 4;
		END LOOP;
		r := round(spent / reps::numeric / octet_length(s), 2);
		IF n = 4000 THEN ns := r; ELSE ns_long := r; END IF;
	END LOOP;
END $$;
SELECT e.*, c.* FROM (VALUES
 ('v LIKE ''%x%''', 'repeat(''a'', #)'),
 ('v LIKE ''%'' || repeat(''a'', 10) || ''b%''', 'repeat(''a'', #)'),
 ('v LIKE ''%'' || repeat(''a'', 100) || ''b%''', 'repeat(''a'', #)'),
 ('v LIKE ''%'' || repeat(''a'', 900) || ''b%''', 'repeat(''a'', #)'),
 ('v LIKE ''%'' || repeat(''ä'', 400) || ''b%''', 'repeat(''ä'', #/2)'),
 ('v LIKE ''%'' || repeat(''_'', 900) || ''b%''', 'repeat(''ä'', #/2)'),
 ('v LIKE ''%'' || repeat(''a_'', 400) || ''b%''', 'repeat(''aä'', #/3)'),
 ('v LIKE ''%_'' || repeat(''a'', 900) || ''b%''', 'repeat(''a'', #)'),
 ('v LIKE ''%'' || repeat(''\a'', 400) || ''b%''', 'repeat(''a'', #)'),
 ('v LIKE ''%'' || repeat(''a%'', 60) || repeat(''a'',500)||''b%''', 'repeat(''a'', #)'),
 ('v LIKE ''%a'' || repeat(''%_'', 60) || repeat(''a'',500)||''b%''', 'repeat(''a'', #)'),
 ('v ILIKE ''%x%''', 'repeat(''a'', #)'),
 ('v ILIKE ''%x%''', 'repeat(''ä'', #/2)'),
 ('v ILIKE ''%x%'' COLLATE "en-x-icu"', 'repeat(''ä'', #/2)'),
 ('v ILIKE ''%x%'' COLLATE "C"', 'repeat(''ä'', #/2)'),
 ('position(repeat(''a'', 900) || ''b'' in v)', 'repeat(''a'', #)'),
 ('position(''b'' || repeat(''a'', 900) in v)', 'repeat(''a'', #)'),
 ('position(''b'' || repeat(''a'', 100) in v)', 'repeat(''a'', #)'),
 ('position(''b'' in v)', 'repeat(''a'', #)'),
 ('position(''ab'' in v)', 'repeat(''a'', #)'),
 ('split_part(v, ''a'', 1000000)', 'repeat(''a'', #)'),
 ('split_part(v, ''aa'', 1000000)', 'repeat(''a'', #)'),
 ('split_part(v, ''aaaa'', -1000000)', 'repeat(''a'', #)'),
 ('split_part(v, ''b'' || repeat(''a'', 900), -1)', 'repeat(''a'', #)'),
 ('btrim(v, ''a'')', 'repeat(''a'', #)'),
 ('btrim(v, repeat(''b'', 900) || ''a'')', 'repeat(''a'', #)'),
 ('btrim(v, repeat(''ö'', 450) || ''ä'')', 'repeat(''ä'', #/2)'),
 ('rtrim(v, repeat(''b'', 900) || ''a'')', 'repeat(''a'', #)'),
 ('rtrim(v, repeat(''ö'', 450) || ''ä'')', 'repeat(''ä'', #/2)'),
 ('rtrim(v, ''a'')', 'repeat(''a'', #)'),
 ('btrim(v)', 'repeat('' '', #)'),
 ('substr(v, 2)', 'repeat(''ä'', #/2)'),
 ('substr(v, 1, 100000)', 'repeat(''a'', #)'),
 ('substr(v, 1, 3)', 'repeat(''a'', #)'),
 ('left(v, -2)', 'repeat(''a'', #)'),
 ('left(v, 2)', 'repeat(''a'', #)'),
 ('right(v, -2)', 'repeat(''a'', #)'),
 ('reverse(v)', 'repeat(''a'', #)'),
 ('length(v)', 'repeat(''a'', #)'),
 ('v::varchar(10000000)', 'repeat(''a'', #)'),
 ('v::varchar(100)', 'repeat(''a'', #)'),
 ('starts_with(v, v)', 'repeat(''a'', #)'),
 ('ascii(v)', 'repeat(''a'', #)'),
 ('lower(v)', 'repeat(''Ä'', #/2)'), ('upper(v)', 'repeat(''ä'', #/2)'), ('initcap(v)', 'repeat(''ä'', #/2)'), ('initcap(v)', 'repeat(''a '', #/2)'),
 ('lower(v)', 'repeat(''A'', #)'),('initcap(v)', 'repeat(''a'', #)'),
 ('upper(v)', 'repeat(''😀'', #/4)'),
 ('lower(v COLLATE "C")', 'repeat(''A'', #)'),
 ('lower(v COLLATE "en-x-icu")', 'repeat(''A'', #)'), ('lower(v COLLATE "en-x-icu")', 'repeat(''Ä'', #/2)'),
 ('upper(v COLLATE "en-x-icu")', 'repeat(''ä'', #/2)'), ('initcap(v COLLATE "en-x-icu")', 'repeat(''ä '', #/3)'),
 ('initcap(v COLLATE "th-x-icu")', 'repeat(''ก'', #/3)'),
 ('initcap(v COLLATE "en-x-icu")', 'repeat(''a '', #/2)'),
 ('initcap(v COLLATE "ja-x-icu")', 'repeat(''漢'', #/3)'),
 ('upper(v COLLATE "el-x-icu")', 'repeat(''ά'', #/2)'),('lower(v COLLATE "lt-x-icu")', 'repeat(''Ì'', #/2)'),
 ('lower(v COLLATE "en-x-icu")', 'repeat(''Σ'', #/2)'),('lower(v COLLATE "en-x-icu")', 'repeat(''ΑΣ.'', #/5)'),
 ('v < v || ''x''', 'repeat(''a'', #)'), 
 ('v < v || ''x''', 'repeat(''ä'', #/2)'), 
 ('v < v || ''x''', 'repeat(''漢'', #/3)'), 
 ('v < v || ''x''', 'repeat('' '', #)'), 
 ('v < v || ''x''', 'repeat(''-'', #)'), 
 ('v < v || ''x''', 'repeat(''a-'', #/2)'), 
 ('v < v || ''x''', 'repeat(E''\u0301'', #/2)'), 
 ('v < v || ''x'' COLLATE "C"', 'repeat(''a'', #)'),
 ('v < v || ''x'' COLLATE "C.utf8"', 'repeat(''a'', #)'),
 ('v < v || ''x'' COLLATE "en-x-icu"', 'repeat(''a'', #)'),
 ('v < upper(v) || ''x'' COLLATE "en-x-icu"', 'repeat(''a'', #)'),
 ('v < upper(v COLLATE "en-x-icu") || ''x'' COLLATE "en-x-icu"', 'repeat(''ä'', #/2)'),
 ('v < ''y'' || v COLLATE "en-x-icu"', 'repeat(E''\u0301'', #/2)'),
 ('v < v || ''x'' COLLATE "en-x-icu"', 'repeat(E''\u0301'', #/2)'),
 ('v < ''y'' || v COLLATE "en-x-icu"', 'repeat('' '', #)'),
 ('v < ''(y'' || v COLLATE "en-x-icu"', 'repeat(E''\u0001'', #)'),
 ('v < E''\u0300'' || v COLLATE "en-x-icu"', 'repeat(E''\u0301\u0323'', #/4)'),
 ('v < ''y'' || v COLLATE "en-US-u-va-posix-x-icu"', 'repeat(''y'', #)'),
 ('v = v || ''''', 'repeat(''a'', #)'),
 ('hashtext(v)', 'repeat(''a'', #)'),
 ('octet_length(v)', 'repeat(''a'', #)'),
 ('v::bpchar = v::bpchar', 'repeat(''a '', #/2)'),
 ('v || ''x''', 'repeat(''a'', #)'),
 ('replace(v, ''a'', ''b'')', 'repeat(''a'', #)'),
 ('replace(v, ''a'', repeat(''b'', 100))', 'repeat(''a'', #)'),
 ('replace(v, ''b'' || repeat(''a'', 900), ''b'')', 'repeat(''a'', #)'),
 ('translate(v, ''a'', ''x'')', 'repeat(''a'', #)'),
 ('translate(v, repeat(''b'', 900) || ''a'', repeat(''b'', 900) || ''a'')', 'repeat(''a'', #)'),
 ('translate(v, repeat(''ö'', 450) || ''ä'', ''x'')', 'repeat(''ä'', #/2)'),
 ('md5(v)', 'repeat(''a'', #)'),
 ('lpad(v, 100000)', 'repeat(''ä'', #/2)'),
 ('to_date(v, ''YYYY-MM-DD'')', '''2024-01-01'' || repeat('' '', #)'),
 ('v ~ (''a'' || repeat(''.'', 20) || ''c'')', '(SELECT string_agg(substr(''ab'', 1 + (hashint4extended(i, 7) & 1)::int, 1), '''') FROM generate_series(1, #) i)'),
 ('v ~ (''a'' || repeat(''.'', 200) || ''c'')', '(SELECT string_agg(substr(''ab'', 1 + (hashint4extended(i, 7) & 1)::int, 1), '''') FROM generate_series(1, #) i)'),
 ('v ~ (''a'' || regexp_replace(''cdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''(.)'', ''[^\1]'', ''g'') || ''0'')', '(SELECT string_agg(substr(''ab'', 1 + (hashint4extended(i, 7) & 1)::int, 1), '''') FROM generate_series(1, #) i)'),
 ('v ~ (''a('' || repeat(''.|'', 9) || ''.){20}0'')', '(SELECT string_agg(substr(''ab'', 1 + (hashint4extended(i, 7) & 1)::int, 1), '''') FROM generate_series(1, #) i)')
 ) e (expression, subject), per_byte(e.expression, e.subject) c;
CREATE FUNCTION per_call(expression text, subject text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE began bigint; reps int := 1; spent bigint;
BEGIN
	LOOP
		began := used();
		EXECUTE format('SELECT count(%s) FROM (SELECT v, g FROM (SELECT %s AS v OFFSET 0) y, generate_series(1, $1) g OFFSET 0) x', expression, subject) USING reps;
		spent := used() - began;
		EXIT WHEN spent > 60000000 OR reps > 200000;
		reps := reps * 4;
	END LOOP;
	RETURN round(spent / reps::numeric);
EXCEPTION WHEN OTHERS THEN RAISE WARNING '% %: %', expression, subject, SQLERRM; RETURN NULL;
END $$;
SELECT e.*, per_call(e.expression, e.subject) FROM (VALUES
 ('lpad(v, 10000)', '''a'''), ('rpad(v, 10000, ''ä'')', 'repeat(''ä'', 9990)'), ('md5(v)', '''a'''), ('v ~ ''abc''', '''a'''),
 ('v::int', '''12345'' || repeat('' '', 200)'), ('v::numeric', 'repeat(''9'', 240)'), ('v::numeric', '''1e131000'''),
 ('v::float8', '''2.2250738585072011'' || repeat(''9'', 200) || ''e-308'''), ('v::timestamptz', '''2024-02-29 10:11:12.345+01'''),
 ('to_number(v, repeat(''9'', 900))', 'repeat(''9'', 900)'), ('to_date(v, repeat(''"a"'', 300) || ''YYYY'')', 'repeat(''a'', 300) || ''2024'''),
 ('v @> (''['' || repeat(''[2],'', 49) || ''[2]]'')::jsonb', '(''['' || repeat(''[true],'', 1000) || ''[2]]'')::jsonb'),
 ('v * v', '(repeat(''9'', 480))::numeric'),
 ('v % (repeat(''7'', 480) || ''e-500'')::numeric', '1e500::numeric'),
 ('ln(v)', '(''0.'' || repeat(''3'', 100))::numeric'),
 ('log((''1.''||repeat(''0'', 90) || ''1'')::numeric, v)', '(''0.''||repeat(''3'', 100))::numeric'),
 ('v / 7.123456789', '(repeat(''9'', 480))::numeric'),
 ('v / (v / 3 + 1)', '(repeat(''9'', 480))::numeric'),
 ('v / repeat(''7'', 300)::numeric', '(repeat(''9'', 480))::numeric'),
 ('(''0.''||repeat(''9'',480))::numeric / v', '(repeat(''9'', 480))::numeric'),
 ('div(v, 7)', '(repeat(''9'', 480))::numeric'),
 ('v % 7.1', '(repeat(''9'', 480))::numeric'),
 ('v % v', '(''0.'' || repeat(''0'', 480)|| ''1'')::numeric'),
 ('1e480 % v', '(''0.'' || repeat(''0'', 480)|| ''3'')::numeric'),
 ('div(1e130000::numeric, v)', '(''0.'' || repeat(''0'', 16000)|| ''3'')::numeric'),
 ('1e130000 % v', '(''0.'' || repeat(''0'', 16000)|| ''3'')::numeric'),
 ('v * v', '1e130000'),
 ('sqrt(v)', '(repeat(''9'', 480))::numeric'),
 ('sqrt(v)', '(''0.''||repeat(''9'', 480))::numeric'),
 ('sqrt(v)', '(''1e130000'')::numeric'),
 ('ln(v)', '(repeat(''9'', 480))::numeric'),
 ('ln(v)', '(''0.''||repeat(''9'', 480))::numeric'),
 ('ln(v)', '(''0.''||repeat(''3'', 480))::numeric'),
 ('ln(v)', '(''0.''||repeat(''0'', 480) || ''3'')::numeric'),
 ('ln(v)', '(''0.''||repeat(''0'', 16000) || ''3'')::numeric'),
 ('ln(v)', '(''1e130000'')::numeric'),
 ('ln(v)', '(''1.''||repeat(''0'', 400) || ''1'')::numeric'),
 ('log(2, v)', '(''0.''||repeat(''3'', 480))::numeric'),
 ('log(1e1000, v)', '(''0.''||repeat(''0'', 16000) || ''3'')::numeric'),
 ('log((''1.''||repeat(''0'', 400) || ''1'')::numeric, v)', '(''0.''||repeat(''3'', 480))::numeric'),
 ('log(3.0000001, v)', '(''1e130000'')::numeric'),
 ('round(v, 3)', '(''0.''||repeat(''3'', 480))::numeric'),
 ('round(v, 100000)', '(''0.''||repeat(''3'', 480))::numeric'),
 ('v::text', '(''0.''||repeat(''3'', 480))::numeric'),
 ('v::text', '(''1e130000'')::numeric'),
 ('v::text', 'repeat(''9'', 130000)::numeric'),
 ('v::float8', '(''0.''||repeat(''3'', 480))::numeric'),
 ('v::float8', '(''1e300'')::numeric'),
 ('v::int8', '(''0.''||repeat(''3'', 480))::numeric'),
 ('v + v', '(''0.''||repeat(''3'', 480))::numeric'),
 ('v + 1e130000', '(''0.''||repeat(''3'', 480))::numeric'),
 ('v + 1e-16000', '(''1e130000'')::numeric'),
 ('floor(v)', '(''1e130000'')::numeric'),
 ('width_bucket(v, 0, 1e130000, 100000)', '(''0.''||repeat(''3'', 480))::numeric'),
 ('v < v + 1', 'repeat(''9'', 130000)::numeric'),
 ('hash_numeric(v)', 'repeat(''9'', 130000)::numeric'),
 ('trim_scale(v)', '(''0.''||repeat(''3'', 16000))::numeric'),
 ('v ^ 2', '3.0::float8'), ('sin(v)', '3e300::float8'), ('ln(v)', '3e300::float8'), ('tand(v)', '3e300::float8'),
 ('v ^ 2.5', '3.0::float8'), ('v ^ 1e-300', '3.0::float8'), ('exp(v)', '300.1::float8'), ('cbrt(v)', '300.1::float8'),
 ('v::text', '1.23456789012345678e300::float8'), ('v::numeric', '1.234567890123456e300::float8'),('v::numeric', '1.234567890123456e-300::float8'),
 ('date_trunc(''month'', v)', 'now()'), ('date_trunc(''month'', v, ''Europe/Berlin'')', 'now()'),
 ('date_trunc(''month'', v::timestamp)', 'now()'),
 ('extract(epoch FROM v)', 'now()'), ('extract(julian FROM v)', 'now()'), ('extract(epoch FROM v)', '''290000-01-01''::timestamp'), ('date_part(''julian'', v)', 'now()'),
 ('v AT TIME ZONE ''Europe/Berlin''', 'now()'), ('v::timestamp AT TIME ZONE ''Europe/Berlin''', 'now()'),
 ('to_char(v, ''YYYY-MM-DD'')', 'now()'), ('to_char(v, repeat(''TMMonth'', 140))', 'now()'), ('to_char(v, repeat(''Month '', 160))', 'now()'),
 ('to_char(v, repeat(''SSSSS'', 200))', 'now()'), ('to_char(v, repeat(''CC'', 500))', 'now()'),('to_char(v, repeat(''Q'', 1000))', 'now()'), ('to_char(v, repeat(''TMDAY'', 200))', 'now()'), ('to_char(v, repeat(''J'', 1000))', 'now()'), ('to_char(v, repeat(''.'', 1000))', 'now()'),('to_char(v, repeat(''ä'', 500))', 'now()'), ('to_char(v, repeat(''IW'', 500))', 'now()'),
 ('v::text', 'now()'), ('v + interval ''1 month 3 days''', 'now()'), ('age(v, ''2000-01-01'')', 'now()'), ('v::date', 'now()'), ('date_bin(''15 minutes'', v, ''2000-01-01'')', 'now()'),
 ('v::text', 'interval ''1 year 3 mons 4 days 05:06:07.123456'''),
 ('v * 1.234', 'interval ''1 year 3 mons 4 days 05:06:07.123456'''),
 ('justify_interval(v)', 'interval ''-1 year 3 mons -400 days 5000000:06:07.123456'''),
 ('v + 1', '1'), ('v % 7', '1'), ('gcd(v, 1836311903::bigint * 1836311903)', '1134903170::bigint*1134903170'), ('gcd(v, 7540113804746346429)', '4660046610375530309'), ('lcm(v, 7540113804746346429)', '4660046610375530309'),
 ('v IN (1,2,3)', '5'), ('v = ANY (''{1,2,3}'')', '5'), ('v < ANY (array_fill(1, ''{100}''))', '5'), ('v < ANY (array_fill(1, ''{10000}''))', '5'),
 ('v LIKE ANY (array_fill(''%x%''::text, ''{1000}''))', '''abc''::text'), ('v LIKE ANY (array_fill(''x''::text, ''{1000}''))', '''abc''::text'), ('v < ALL (array_fill(''x''::text, ''{1000}''))', '''abc''::text'), ('v < ALL (array_fill(1.5, ''{1000}''))', '1.2'),
 ('v < ALL (array_fill(''x''::text COLLATE "C", ''{1000}''))', '''abc''::text'),
 ('v::text', '''192.168.1.5/24''::inet'), ('v::text', '''a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11''::uuid'),
 ('uuid_out(v)', '''a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11''::uuid'), ('v::text', 'current_date'), ('v::text', '1234567890123::bigint'),
 ('v < v', '''192.168.1.5/24''::inet'),
 ('CASE v WHEN 1 THEN 3 END', '5')
 ) e (expression, subject);
DROP SCHEMA bench_work CASCADE;
