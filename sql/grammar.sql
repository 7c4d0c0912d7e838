--
-- grammar: what costs little to allow, against the owner's plain answers
--
CREATE EXTENSION dp_agg;
SET client_min_messages = warning;
SET datestyle = ISO;
-- groups without rows would not be what the owner sees
SET dp_agg.computed_keys = off;
CREATE ROLE grammar_analyst;
CREATE SCHEMA grammar;
SET search_path = grammar, public;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE people (id int PRIMARY KEY, name text, town varchar(20), code char(4), mood mood, member boolean, score int,
	born date, note text, tags jsonb, marks int[]);
CREATE TABLE visits (no int PRIMARY KEY, person int NOT NULL REFERENCES people, clinic int, cost int, stay interval, came timestamp);
CREATE TABLE clinics (id int PRIMARY KEY, name text, town varchar(20), open boolean);
INSERT INTO clinics SELECT i, 'clinic ' || i, 'town ' || i % 3, i % 2 = 0 FROM generate_series(1, 6) i;
INSERT INTO people SELECT i, 'name ' || i % 9, CASE WHEN i % 11 > 0 THEN 'town ' || i % 3 END, 'c' || i % 4,
	(enum_range(NULL::mood))[1 + i % 3], i % 2 = 0, i % 10, date '1980-01-01' + i % 5 * 400,
	(ARRAY['12', ' 7', '3.25', 'x', '2024-02-29', '2024-02-30', '20240229', '1e3', '', '-0', 'infinity', '99999999999', 'true', '29.02.2024', '2024-02-29 10:11:12'])[1 + i % 15],
	jsonb_build_object('k', i % 4, 'a', jsonb_build_array(i % 3, 'b')), ARRAY[i % 3, i % 5] FROM generate_series(1, 300) i;
INSERT INTO visits SELECT i, 1 + i % 290, 1 + i % 5, i % 40, make_interval(days => i % 3, hours => i % 2 * 24), timestamp '2024-01-01' + i % 50 * interval '13 hours'
	FROM generate_series(1, 900) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 10, max_groups => 10);
SELECT dp_agg.set_domain('visits', 'cost', 0, 40), dp_agg.set_domain('people', 'score', 0, 10);
GRANT USAGE ON SCHEMA grammar TO grammar_analyst;
GRANT SELECT ON clinics TO grammar_analyst;
SELECT dp_agg.set_budget('grammar_analyst', 1e15, 0.9);
\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/compare.sql'
\i :file

-- columns that a primary key in GROUP BY determines
INSERT INTO asked (statement) VALUES
	('SELECT c.id, c.name, c.open, count(*) FROM visits v JOIN clinics c ON c.id = v.clinic GROUP BY c.id'),
	('SELECT c.id, upper(c.name) AS name, sum(v.cost) FROM visits v JOIN clinics c ON c.id = v.clinic GROUP BY c.id HAVING c.open AND count(*) > 3'),
	('SELECT c.name, count(*) FROM visits v JOIN clinics c ON c.id = v.clinic GROUP BY c.id ORDER BY c.town, c.name LIMIT 3'),
	('SELECT c.name, c.town, count(v.no) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY c.id'),
	('SELECT c.id, c.name || c.town AS place, count(v.no) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY c.id, c.name'),
	('SELECT sum(score), count(*) FROM (SELECT p.id, p.score, p.town, p.mood, p.member, count(*) AS n FROM people p JOIN visits v ON v.person = p.id GROUP BY p.id HAVING p.member) s WHERE town = ''town 1'' AND mood > ''sad'''),
	('SELECT town, mood, count(*) FROM (SELECT p.id, p.town, p.mood, p.code, count(*) AS n FROM people p JOIN visits v ON v.person = p.id GROUP BY p.id) s WHERE n > 2 GROUP BY town, mood');
SELECT * FROM compare();
SET ROLE grammar_analyst;
-- one row for each unit, as without the column
SELECT aggregate, round(noise_stddev) AS noise FROM dp_agg.price('SELECT dp_count(*) FROM (SELECT p.id, p.score, p.code, p.born, count(*) FROM people p JOIN visits v ON v.person = p.id GROUP BY p.id) s');
-- what has no order is no key
SELECT p.id, p.marks, dp_count(*) FROM people p GROUP BY p.id;
RESET ROLE;

-- what is computed on the nullable side of an outer join
INSERT INTO asked (statement) VALUES
	('SELECT s.kind, count(*) FROM visits v LEFT JOIN (SELECT id, CASE WHEN score > 5 THEN ''high'' ELSE ''low'' END AS kind FROM people WHERE member) s ON s.id = v.person GROUP BY 1'),
	('SELECT s.flag, s.total, count(*), sum(v.cost) FROM visits v LEFT JOIN (SELECT id, 1 AS flag, score + 1 AS total FROM people WHERE score < 7) s ON v.person = s.id GROUP BY 1, 2'),
	('SELECT p.town, count(*), count(s.mean), count(s.busy) FROM people p LEFT JOIN (SELECT person, sum(cost) / count(*) AS mean, count(*) > 1 AS busy FROM visits WHERE cost > 20 GROUP BY person) s ON s.person = p.id WHERE coalesce(s.mean, 35) > 33 GROUP BY 1'),
	('SELECT p.town, count(s.mean), sum(CASE WHEN s.busy THEN p.score ELSE 0 END) FROM (SELECT person, sum(cost) / count(*) AS mean, count(*) > 1 AS busy FROM visits WHERE cost > 20 GROUP BY person) s RIGHT JOIN people p ON s.person = p.id GROUP BY 1'),
	('SELECT place, count(*) FROM visits LEFT JOIN (SELECT id AS clinic, upper(name) AS place FROM clinics WHERE open) c USING (clinic) GROUP BY place'),
	('SELECT place, open, member, count(*) FROM visits v LEFT JOIN (SELECT id, upper(name) AS place, NOT open AS open FROM clinics WHERE id < 4) c ON v.clinic = c.id AND c.place <> ''CLINIC 2'' LEFT JOIN (SELECT id, member IS TRUE AS member FROM people WHERE score > 3) p ON p.id = v.person GROUP BY 1, 2, 3'),
	('SELECT n, count(*) FROM (SELECT p.id, count(*) FILTER (WHERE s.late) AS n FROM visits v JOIN people p ON p.id = v.person LEFT JOIN (SELECT id, id % 2 = 0 AS late FROM clinics WHERE id <> 3) s ON s.id = v.clinic GROUP BY p.id) q GROUP BY n');
SELECT * FROM compare();
SET ROLE grammar_analyst;
-- nothing plain is compared, or the subquery is no side by itself
SELECT dp_count(s.t) FROM visits v LEFT JOIN (SELECT id + 0 AS id, score + 1 AS t FROM people) s ON v.person = s.id;
SELECT dp_count(s.t) FROM visits v LEFT JOIN (SELECT id, (SELECT 1) AS t FROM people) s ON v.person = s.id;
SELECT dp_count(s.t) FROM visits v LEFT JOIN (SELECT id, random() AS t FROM people) s ON v.person = s.id;
RESET ROLE;

-- the least and greatest text, of declared keys: one that no row goes beyond, since of those beyond all rows any may be drawn
SELECT dp_agg.set_domain('people', 'town', '{town 2,town 0,town 1}'::text[]), dp_agg.set_domain('people', 'name', (SELECT array_agg('name ' || i) FROM generate_series(0, 8) i));
INSERT INTO asked (statement) VALUES
	('SELECT min(town), max(town), min(name), max(name) FROM people'),
	('SELECT min(town) FILTER (WHERE score = 3), max(name COLLATE "C") FILTER (WHERE name > ''name 5''), upper(max(town)) || ''!'' FROM people'),
	('SELECT score, min(town), max(name) FROM people GROUP BY score HAVING max(town) = ''town 2'''),
	('SELECT max(p.name) FROM visits v JOIN people p ON p.id = v.person WHERE p.name <> ''name 3'''),
	('SELECT c.name, min(p.town) FROM visits v JOIN people p ON p.id = v.person JOIN clinics c ON c.id = v.clinic GROUP BY c.id');
SELECT * FROM compare();
CREATE VIEW scores AS SELECT id, CASE WHEN score > 3 THEN score ELSE 9 END AS otherwise, CASE WHEN score > 3 THEN score END AS alone,
	CASE score WHEN 3 THEN 1 END AS three FROM people;
SET ROLE grammar_analyst;
-- CASE of a view is shown as FILTER only where it means that
SELECT aggregate FROM dp_agg.price('SELECT dp_sum(otherwise, 0, 9), dp_count(otherwise), dp_sum(alone, 0, 9), dp_count(three) FROM scores');
SELECT dp_min(town), dp_max(town) FROM people;
SELECT aggregate, mechanism, half_width_95 < 1e-3 AS near FROM dp_agg.price('SELECT dp_min(town), dp_max(name) FILTER (WHERE score > 3) FROM people');
-- nothing but a column with keys
SELECT dp_max(note) FROM people;
SELECT dp_max(upper(town)) FROM people;
SELECT max(note) FROM people;
SELECT min(code) FROM people;
SELECT dp_max(DISTINCT town) FROM people;
RESET ROLE;
-- of one key
SELECT dp_agg.set_domain('people', 'note', '{x}'::text[]);
SET ROLE grammar_analyst;
SELECT dp_min(note), dp_max(note) FROM people;
RESET ROLE;
SELECT dp_agg.drop_domain('people', 'note'), dp_agg.drop_domain('people', 'town'), dp_agg.drop_domain('people', 'name');

-- equalities that WHERE asks for of what an outer join has filled up
INSERT INTO asked (statement) VALUES
	('SELECT count(*) FROM visits v LEFT JOIN clinics c ON c.id = v.clinic WHERE v.cost = coalesce(c.id, 3)'),
	('SELECT count(*) FROM visits v LEFT JOIN clinics c ON c.id = v.clinic AND c.open WHERE v.cost - CASE WHEN c.open THEN 9 ELSE 14 END = v.clinic'),
	('SELECT count(*) FROM visits v LEFT JOIN clinics c ON c.id = v.clinic LEFT JOIN people p ON p.id = v.person WHERE v.cost = coalesce(c.id, 0) + coalesce(p.score, 1)'),
	('SELECT count(*) FROM visits v JOIN clinics c ON c.id = v.clinic JOIN people p ON p.id = v.person WHERE c.id + p.score + 6 = v.cost'),
	('SELECT count(*) FROM visits v LEFT JOIN (SELECT id, id % 3 + 1 AS more FROM clinics WHERE open) c ON c.id = v.clinic WHERE v.cost - c.more * 3 = v.clinic');
SELECT * FROM compare();

-- intervals, equal ones as one
INSERT INTO asked (statement) VALUES
	('SELECT extract(epoch FROM stay) AS k, count(*) FROM visits GROUP BY stay'),
	('SELECT justify_hours(came - timestamp ''2024-01-01'') AS k, count(*) FROM visits GROUP BY came - timestamp ''2024-01-01'''),
	('SELECT n, count(*) FROM (SELECT person, max(stay) AS longest, count(DISTINCT stay)::int AS n FROM visits GROUP BY person) p WHERE longest >= interval ''2 days'' GROUP BY n'),
	('SELECT count(*) FROM (SELECT person, stay, count(*) AS n FROM visits GROUP BY person, stay) p WHERE n > 1');
SELECT * FROM compare();
SET intervalstyle = postgres;
SELECT i, dp_agg_internal.canonical(i) FROM unnest('{0,1 mon,-1 mon,1 year 2 mons -3 days 04:05:06.7,36 hours,-36 hours,1 day -24 hours,178956970 years 7 mons 2147483647 days 2562047788:00:54.775806,-178956970 years -8 mons -2147483648 days -2562047788:00:54.775807,2147483647 days 24 hours,-2147483648 days -24 hours,178956970 years}'::interval[]) i;
-- equal ones, and these alone, are made the same
SELECT count(*) AS wrong FROM (SELECT a * s AS a, b * s AS b FROM unnest('{1 mon,30 days,720 hours,29 days 24 hours,1 mon -1 microsecond,2147483647 days,71582788 mons 7 days,71582788 mons 168 hours,178956970 years,178956970 years 1 day,178956969 years 12 mons 24 hours,178956969 years 390 days,0}'::interval[]) a, unnest('{1 mon,30 days,720 hours,29 days 24 hours,1 mon -1 microsecond,2147483647 days,71582788 mons 7 days,71582788 mons 168 hours,178956970 years,178956970 years 1 day,178956969 years 12 mons 24 hours,178956969 years 390 days,0}'::interval[]) b, unnest('{1,-1}'::int[]) s) p
	WHERE (a = b) <> (interval_send(dp_agg_internal.canonical(a)) = interval_send(dp_agg_internal.canonical(b))) OR a <> dp_agg_internal.canonical(a);

-- texts put together, cut, filled and read
INSERT INTO asked (statement)
	SELECT format('SELECT %s AS k, count(*), sum(score) FROM people GROUP BY 1', e) FROM unnest(ARRAY[
	$$town || ' ' || score$$, $$score || 'x' || mood$$, $$code || town$$, $$concat(town, ', ', mood, member, NULL)$$, $$concat(code, '|', town)$$,
	$$concat(member, score)$$, $$concat(town)$$, $$concat_ws(', ', town, mood, NULL, member)$$, $$concat_ws('-é-', town, NULLIF(name, 'name 1'))$$,
	$$concat_ws(NULL, town, mood)$$, $$concat_ws('', town, mood)$$, $$concat_ws(', ', NULLIF(town, town))$$,
	$$replace(name, 'na', 'NANANA')$$, $$replace(name, ' ', '')$$, $$replace(name, 'x', 'y')$$, $$replace(town, '', 'y')$$, $$replace(name, NULL, 'y')$$,
	$$translate(name, 'nm ', 'NM')$$, $$translate(name, 'aé', 'éa')$$, $$lpad(name, 9)$$, $$lpad(name, 9, 'xy')$$, $$rpad(name, 10, 'é')$$, $$rpad(town, 3)$$,
	$$lpad(name, 4)$$, $$lpad(name, 0)$$, $$lpad(score::text, 4, '0')$$, $$md5(name)$$, $$md5(town || mood)$$, $$left(md5(score::text), 1)$$,
	$$length(replace(note, '0', '00'))$$, $$upper(town || coalesce(name, ''))$$, $$town || CASE WHEN member THEN name ELSE '' END$$,
	$$width_bucket(score, ARRAY[1, 3, 7])$$, $$width_bucket(score, ARRAY[1.5, 3.5, 9])$$, $$width_bucket(score::float8, '{7,1,3}')$$, $$width_bucket(nullif(score, 3), ARRAY[3])$$,
	$$width_bucket(born, ARRAY[date '1981-01-01', '1984-01-01'])$$, $$width_bucket(name, ARRAY['name 2', 'name 7'])$$]) e;
SELECT * FROM compare();
-- regular expressions
INSERT INTO asked (statement)
	SELECT format('SELECT (%s)::int AS k, count(*), sum(score) FROM people GROUP BY 1', e) FROM unnest(ARRAY[
	$$note ~ '^[0-9]+$'$$, $$note ~ '^ *[0-9]{4}-[0-9]{2}-[0-9]{2}'$$, $$note !~ '\d'$$, $$name ~* 'NAME [1-3]$'$$, $$town !~* '^TOWN (0|2)$'$$, $$note ~ '(2024|x)'$$, $$note ~ ''$$,
	$$name ~ 'e (?:1|5)'$$, $$note ~ '[[:alpha:]]'$$, $$note ~ '[]x]'$$, $$note ~ '^.{2,4}$'$$, $$note ~ '(\d{2}\.){2}'$$, $$name SIMILAR TO 'name (1|2)'$$, $$note ~ 'é|^$'$$, $$note ~ NULL$$]) e;
SELECT * FROM compare();
SET ROLE grammar_analyst;
-- what would take long, or a size that would
SELECT left(p, 20) AS pattern, left(answer(format('SELECT dp_count(*) > 0 FROM people WHERE note ~ %L', p)), 70) AS answer FROM unnest(ARRAY['(a)\1', '(?=a)', '(?!a)', '(?<=a)b', '(?i)a', '***:a', '***=a', 'a\', '[\1]', 'a{300}', '(a{16}){16}', '((a{2}){9}){9}', repeat('a', 255), repeat('a', 256),
	'(a', 'a{2', '[a', '*', 'a**', '[[:word:]]', '(?:a(?:b))']) p;
SELECT dp_count(*) FROM people WHERE note ~ '(x)\1';
SELECT dp_count(*) FROM people WHERE note ~ name;
SELECT dp_count(*) FROM people WHERE note ~ ANY ('{a,b}');
SELECT dp_count(*) FROM people WHERE regexp_replace(note, 'a', 'b') = 'x';
RESET ROLE;
-- what documents contain, and periods that overlap
INSERT INTO asked (statement)
	SELECT format('SELECT (%s)::int AS k, count(*) FROM people GROUP BY 1', e) FROM unnest(ARRAY[
	$$tags @> '{"k": 2}'$$, $$tags @> '{"a": ["b", 1]}'$$, $$tags @> '{}'$$, $$tags -> 'a' @> '[2]'$$, $$tags @> NULL$$, $$tags -> 'k' @> '3'$$]) e;
INSERT INTO asked (statement)
	SELECT format('SELECT (%s)::int AS k, count(*) FROM visits GROUP BY 1', e) FROM unnest(ARRAY[
	$$(came, came + interval '2 days') OVERLAPS (timestamp '2024-01-10', timestamp '2024-01-12')$$,
	$$(came, stay) OVERLAPS (timestamp '2024-01-10', interval '5 days')$$,
	$$(nullif(came, timestamp '2024-01-01'), timestamp '2024-01-05') OVERLAPS (timestamp '2024-01-04', came)$$,
	$$(came::date, came::date + 1) OVERLAPS (date '2024-01-10', date '2024-01-12')$$,
	$$(came::time, time '12:00') OVERLAPS (time '13:00', came::time - interval '1 hour')$$]) e;
-- every case of two periods
CREATE TABLE periods AS SELECT row_number() OVER () AS id, a, b, c, d FROM unnest('{2024-01-01,2024-01-02,2024-01-03,NULL}'::timestamp[]) a, unnest('{2024-01-01,2024-01-02,2024-01-03,NULL}'::timestamp[]) b,
	unnest('{2024-01-01,2024-01-02,2024-01-03,NULL}'::timestamp[]) c, unnest('{2024-01-01,2024-01-02,2024-01-03,NULL}'::timestamp[]) d;
ALTER TABLE periods ADD PRIMARY KEY (id);
SELECT dp_agg.protect('periods', 'id');
INSERT INTO asked (statement)
	SELECT format('SELECT count(*) FROM periods WHERE (%s) IS %s AND a IS NOT DISTINCT FROM %s AND b IS NOT DISTINCT FROM %s', e, t, x, y) FROM unnest('{TRUE,FALSE,UNKNOWN}'::text[]) t, unnest(ARRAY['(a, b) OVERLAPS (c, d)']) e,
		unnest('{NULL,timestamp ''2024-01-01'',timestamp ''2024-01-02'',timestamp ''2024-01-03''}'::text[]) x, unnest('{NULL,timestamp ''2024-01-01'',timestamp ''2024-01-02'',timestamp ''2024-01-03''}'::text[]) y;
SELECT * FROM compare();
SET ROLE grammar_analyst;
SELECT dp_count(*) FROM people WHERE tags @> tags;
RESET ROLE;
-- casts of texts: of what is none, NULL
SET ROLE grammar_analyst;
SET dp_agg.epsilon = 1e6;
SET dp_agg.delta = 1e-9;
SELECT note, dp_count(note::int) AS int, dp_count(note::int8) AS int8, dp_count(note::smallint) AS int2, dp_count(note::numeric) AS numeric, dp_count(note::float8) AS float8, dp_count(note::real) AS real,
	dp_count(note::boolean) AS bool, dp_count(note::date) AS date, dp_count(note::timestamp) AS ts, dp_count(note::timestamptz) AS tstz, dp_count(note::uuid) AS uuid FROM people GROUP BY 1 ORDER BY note COLLATE "C";
SELECT note::int AS k, dp_count(*) FROM people GROUP BY 1 ORDER BY 1;
SELECT note::numeric(6, 1) AS k, dp_count(*) FROM people GROUP BY 1 ORDER BY 1;
SELECT note::date AS k, dp_count(*) FROM people GROUP BY 1 ORDER BY 1;
SELECT to_date(note, 'YYYY-MM-DD') AS k, to_date(note, 'DD.MM.YYYY') AS german, dp_count(*) FROM people GROUP BY 1, 2 ORDER BY 1, 2;
SELECT to_timestamp(note, 'YYYY-MM-DD HH24:MI:SS')::timestamp AS k, dp_count(*) FROM people GROUP BY 1 ORDER BY 1;
SELECT to_number(note, '99999D99') AS k, dp_count(*) FROM people GROUP BY 1 ORDER BY 1;
SELECT dp_sum(note::numeric, 0, 100)::int AS sum, dp_sum((tags ->> 'k')::int, 0, 10), dp_max((tags ->> 'k')::int, 0, 10) FROM people;
SELECT code::int, dp_count(*) FROM people GROUP BY 1;
SELECT to_timestamp(note, 'YYYY-MM-DD HH24:MI TZ'), dp_count(*) FROM people GROUP BY 1;
SELECT note::interval, dp_count(*) FROM people GROUP BY 1;
SELECT replace(name, name, 'x'), dp_count(*) FROM people GROUP BY 1;
SELECT concat_ws(name, 'x', 'y'), dp_count(*) FROM people GROUP BY 1;
SELECT concat(name, marks), dp_count(*) FROM people GROUP BY 1;
SELECT width_bucket(score, marks), dp_count(*) FROM people GROUP BY 1;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION concat("any") FROM PUBLIC;
SET ROLE grammar_analyst;
SELECT concat(name, 'x'), dp_count(*) FROM people GROUP BY 1;
RESET ROLE;
GRANT EXECUTE ON FUNCTION concat("any") TO PUBLIC;
SET ROLE grammar_analyst;
SELECT width_bucket(score, ARRAY[1, NULL, 7]), dp_count(*) FROM people GROUP BY 1;
-- what ISO 8601 writes is read as a date or a time, and nothing else
RESET ROLE;
CREATE TABLE texts (id int PRIMARY KEY, t text);
INSERT INTO texts SELECT row_number() OVER (), t FROM generate_series(1, 9), unnest(ARRAY['2024-02-29', '  2024-02-29  ', '20240229', '2024-2-9', '29.02.2024', '02/03/2024', '2024-02-29 10:11', '2024-02-29T10:11:12.345', '2024-02-29T10:11:12Z',
	'2024-02-29 10:11:12+02', '2024-02-29 10:11:12-02:30', '2024-02-30', '2024-02-29 25:00', 'now', 'today', 'tomorrow', 'infinity', '2024-02-29 Europe/Berlin', '2024-02-29 10:11 CET', '2024-02-29 PM', '2024-Feb-29',
	'12024-02-29', '2024-02-29 BC', '2024', '202402', '240229', '', ' ', '-', 'Z', 'TZ', '2024-02-29T', '20240229T101112', '2024-060', '2024-02-29 ' || repeat(' ', 300) || '10:11']) t;
SELECT dp_agg.protect('texts', 'id');
SET ROLE grammar_analyst;
SELECT left(t, 30) AS t, d AS date, ts AS timestamp, tz AT TIME ZONE 'UTC' AS utc FROM (SELECT t, t::date AS d, t::timestamp AS ts, t::timestamptz AS tz, dp_count(*) FROM texts GROUP BY 1, 2, 3, 4) q ORDER BY 1;
RESET ROLE;

DROP SCHEMA grammar CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE grammar_analyst;
