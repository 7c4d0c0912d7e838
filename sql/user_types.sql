--
-- user_types: columns of domains, of citext, and of types that nothing is done with but counting.  At this
-- epsilon noise vanishes: an answer is off by more than half with a probability below 1e-9
--
CREATE EXTENSION dp_agg;
CREATE EXTENSION citext;
CREATE EXTENSION hstore;
CREATE EXTENSION ltree;
CREATE EXTENSION intarray;
CREATE ROLE types_analyst;
CREATE SCHEMA types AUTHORIZATION types_analyst;
SET search_path = types, public;
CREATE FUNCTION tell_positive(int) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''checked %'', $1; RETURN $1 > 0; END';
CREATE DOMAIN positive AS int;
CREATE DOMAIN code AS varchar(8) CHECK (VALUE <> '');
CREATE DOMAIN short AS code;
CREATE DOMAIN address AS citext;
CREATE DOMAIN person AS int;
CREATE TABLE stay (id person PRIMARY KEY, nights positive, ward code, kind short, email citext, other address, tags hstore, path ltree,
	place point, codes int[], doc jsonb, host inet);
INSERT INTO stay SELECT i, 1 + i % 3, 'w' || i % 2, CASE WHEN i % 4 > 0 THEN 'k' END, CASE WHEN i % 2 = 0 THEN 'U' ELSE 'u' END || i % 5 || '@X.example',
	'A' || i % 2, CASE WHEN i % 3 > 0 THEN 'a=>1'::hstore END, CASE WHEN i % 6 > 0 THEN 'a.b'::ltree END, point(i, i),
	CASE WHEN i % 10 > 0 THEN ARRAY[i % 5, 7] END, jsonb_build_object('a', jsonb_build_object('b', i % 3, 'l', jsonb_build_array(i % 2, 9))),
	CASE WHEN i % 10 = 0 THEN '::1' ELSE '10.0.' || i % 3 || '.' || i % 10 END::inet FROM generate_series(1, 3000) i;
ALTER DOMAIN positive ADD CHECK (tell_positive(VALUE)) NOT VALID;
CREATE TABLE bill (stay person REFERENCES stay, cost positive, note citext);
SET client_min_messages = error;
INSERT INTO bill SELECT i, 10, 'Paid' FROM generate_series(1, 3000) i;
CREATE TABLE wards (ward code PRIMARY KEY, label citext UNIQUE);
INSERT INTO wards VALUES ('w0', 'North'), ('w1', 'South');
GRANT SELECT ON wards TO types_analyst;
SELECT dp_agg.protect('stay', 'id');
SELECT dp_agg.protect('bill', 'stay');
SELECT dp_agg.set_domain('stay', 'nights', 0, 30);
SELECT dp_agg.set_domain('stay', 'kind', ARRAY['k', 'z']);
SELECT dp_agg.set_domain('bill', 'cost', 0, 30);
SELECT dp_agg.set_budget('types_analyst', 1e9, 1e-3);
RESET client_min_messages;
SET ROLE types_analyst;
SET dp_agg.epsilon = 1048576;

-- A domain is read as its base type, and none of its checks is run.
SELECT count(nights), count(ward), count(kind), sum(nights), max(nights) FROM stay;
SET client_min_messages = warning;
SELECT nights, count(*) FROM stay GROUP BY nights ORDER BY nights;
SELECT count(*) FROM stay WHERE nights IS NOT NULL AND ward IS NOT NULL;
SELECT count(*) FROM stay WHERE kind IS NULL;
SELECT count(DISTINCT nights), count(DISTINCT ward) FROM stay;
SELECT sum(DISTINCT nights), avg(DISTINCT nights) FROM stay;
SELECT DISTINCT ward FROM stay ORDER BY 1;
SELECT mode() WITHIN GROUP (ORDER BY ward) IS NOT NULL AS moded FROM stay;
SELECT kind, count(*) FROM stay GROUP BY kind ORDER BY 1;
SELECT coalesce(kind, 'none') AS k, count(*) FROM stay GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN nights > 1 THEN ward ELSE kind END AS c, count(*) FROM stay GROUP BY 1 ORDER BY 1;
SELECT greatest(nights, 2) AS g, count(*) FROM stay GROUP BY g ORDER BY g;
SELECT count(*) FROM stay WHERE nights IN (1, 2) AND ward = 'w0' AND ward LIKE 'w%';
SELECT n, count(*) FROM (SELECT nights AS n, ward FROM stay WHERE ward = 'w1') s GROUP BY n ORDER BY n;
WITH w AS (SELECT nights, kind FROM stay) SELECT nights, count(kind) FROM w GROUP BY nights ORDER BY nights;
SELECT n, count(*) FROM (SELECT id, max(nights) AS n, min(ward) AS w FROM stay GROUP BY id) s WHERE w = 'w1' GROUP BY n ORDER BY n;
SELECT nights, count(*) FROM (SELECT nights FROM stay UNION ALL SELECT cost FROM bill) s GROUP BY nights ORDER BY nights;
SELECT count(id), count(DISTINCT id) FROM stay;
SELECT s.nights, count(*), sum(b.cost) FROM stay s JOIN bill b ON b.stay = s.id GROUP BY s.nights ORDER BY 1;
SELECT count(*) FROM stay s WHERE EXISTS (SELECT FROM bill b WHERE b.stay = s.id AND b.cost = 10);
SELECT count(*) FROM stay WHERE id IN (SELECT stay FROM bill WHERE cost = 10);
SELECT w.label, count(*) FROM stay s JOIN wards w USING (ward) GROUP BY w.label ORDER BY 1;
SELECT ward, count(*) FROM stay s JOIN wards w USING (ward) GROUP BY ward ORDER BY 1;
SELECT n, count(*) FROM (SELECT nights, lag(nights, 1, nights) OVER (PARTITION BY id ORDER BY nights) AS n FROM stay) s GROUP BY n ORDER BY n;
SELECT * FROM dp_histogram('stay', 'nights', 0, 6, 2);
SELECT dp_sum(nights, 0, 10), dp_count(DISTINCT id) FROM stay;
SELECT sum(nights::bigint), avg(nights + 1) FROM stay;
PREPARE of_ward(code) AS SELECT count(*) FROM stay WHERE ward = $1;
EXECUTE of_ward('w1');
CREATE TABLE kept (nights positive, n bigint);
INSERT INTO kept SELECT nights, count(*) FROM stay GROUP BY nights;
SELECT count(*), pg_typeof(min(nights)) FROM kept;
SELECT count(*) FROM stay WHERE 5::positive = nights;

-- citext is text without case: what is equal to it looks the same.
SELECT count(email), count(DISTINCT email) FROM stay;
SELECT count(*) FROM stay WHERE email = 'u1@x.EXAMPLE';
SELECT email, count(*) FROM stay GROUP BY email ORDER BY email;
SELECT DISTINCT other FROM stay ORDER BY 1;
SELECT mode() WITHIN GROUP (ORDER BY other) IN ('a0', 'a1') AS moded FROM stay;
SELECT email::text, count(*) FROM stay GROUP BY 1 HAVING count(*) > 200 ORDER BY 1 LIMIT 3;
SELECT lower(email), count(*) FROM stay GROUP BY 1 ORDER BY 1 LIMIT 2;
SELECT split_part(lower(email), '@', 1) AS name, count(*) FROM stay GROUP BY 1 ORDER BY 1 LIMIT 2;
SELECT count(*) FROM stay WHERE email IN ('U1@x.example', 'u2@X.example');
SELECT count(*) FROM stay WHERE email = ANY ('{U1@x.example,NOBODY}');
SELECT count(*) FROM stay WHERE email <> 'U1@x.example' AND email > 'U3';
SELECT count(*) FROM stay WHERE email LIKE 'u1%' AND email ~ 'EXAMPLE$' AND email NOT LIKE '%y%';
SELECT count(*) FROM stay WHERE email IS NULL OR other IS DISTINCT FROM 'A1';
SELECT CASE other WHEN 'a0' THEN 'none' ELSE other END AS c, count(*) FROM stay GROUP BY 1 ORDER BY 1;
SELECT upper(email) AS u, count(*) FROM stay GROUP BY email ORDER BY 1 LIMIT 2;
SELECT e, count(*) FROM (SELECT email AS e FROM stay) s WHERE e <> 'u0@x.example' GROUP BY e ORDER BY e LIMIT 2;
SELECT count(*) FROM (SELECT id FROM stay GROUP BY id, email HAVING email < 'U2') s;
SELECT b.note, count(*) FROM stay s JOIN bill b ON b.stay = s.id WHERE s.email < 'u1' GROUP BY b.note;
PREPARE of_email(citext) AS SELECT count(*) FROM stay WHERE email = $1;
EXECUTE of_email('U1@X.EXAMPLE');
SELECT count(*) FROM stay s JOIN wards w ON w.label = 'NORTH' AND w.ward = s.ward;
SELECT dp_count(*) FROM stay WHERE email = 'U1@x.example'::citext;

-- Keys of citext are declared in lower case, and every spelling is the same key.
RESET ROLE;
CREATE TABLE trip (id int PRIMARY KEY, dept citext, other address, n int);
INSERT INTO trip SELECT i, (ARRAY['Cardiology', 'CARDIOLOGY', 'oncology', 'Odd', NULL])[1 + i % 5], CASE WHEN i % 2 = 0 THEN 'X' ELSE 'x' END, i FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('trip', 'id'), dp_agg.set_domain('trip', 'dept', ARRAY['Cardiology', 'Oncology', 'NONE']), dp_agg.set_domain('trip', 'other', ARRAY['X'::citext]);
SELECT dp_agg.set_domain('trip', 'other', ARRAY['X', 'x']);
SELECT dp_agg.set_domain('trip', 'other', ARRAY['X', NULL]);
SELECT dp_agg.set_domain('trip', 'other', 'a'::text, 'x'::text);
SELECT dp_agg.set_domain('trip', 'dept', refers_to => 'wards.label');
SECURITY LABEL FOR dp_agg_domain ON COLUMN trip.dept IS 'refers_to=types.wards.label';
SECURITY LABEL FOR dp_agg_domain ON COLUMN trip.other IS 'keys={X,Y}';
SELECT column_name, type, keys FROM (SELECT "column" AS column_name, * FROM dp_agg.protected_columns) c WHERE relation = 'trip'::regclass AND keys IS NOT NULL;
SET client_min_messages = notice;
SET ROLE types_analyst;
SET dp_agg.kept_max_age = '1 hour';
SELECT dept, count(*) FROM trip GROUP BY dept;
EXPLAIN (COSTS OFF) SELECT dept, other, count(*) FROM trip GROUP BY dept, other;
SELECT count(*) FROM trip WHERE dept = 'CARDIOLOGY';
SELECT count(*) FROM trip WHERE dept IN ('OnCology', 'Cardiology') AND n > 0;
RESET dp_agg.kept_max_age;
SELECT other, dept, count(*) FROM trip GROUP BY ROLLUP (other, dept);
SELECT lower(dept) AS d, count(*) FROM trip GROUP BY d;
SELECT d, avg(length(d)) FROM (SELECT id, dept AS d FROM trip) t WHERE d <> 'none' GROUP BY d HAVING count(*) > 5 ORDER BY count(*);
SELECT max(lower(dept)), min(lower(other)) FROM trip;
SELECT * FROM dp_top('trip', 'dept', 1);
-- what tells spellings apart has no declared keys
SELECT dept::text AS d, count(*) FROM trip GROUP BY d;
SELECT lower(dept COLLATE "C") AS d, count(*) FROM trip GROUP BY d;
SELECT max(dept::text) FROM trip;
SELECT count(*) FROM trip WHERE dept = 'cardio' OR dept IN ('Oncology', 'Xoncology') OR 'Z' <> other;
SELECT count(*) FROM trip WHERE dept::text = 'cardiology' AND lower(other) = 'X';
RESET ROLE;
-- A unit of citext is one in all spellings, and one of text that has them in lower case is answered alike.
CREATE TABLE guest (gone int, email citext, n int, tags hstore, place point, room text, mail address);
ALTER TABLE guest DROP gone;
INSERT INTO guest SELECT CASE WHEN i % 2 = 0 THEN 'A' ELSE 'a' END || i / 2 || '@x', i % 4, 'a=>1', point(i, i), 'r' || i % 2, 'X' || i / 2
	FROM generate_series(2, 2001) i;
CREATE TABLE buy (email address, amount int, id serial PRIMARY KEY);
INSERT INTO buy SELECT upper(email::text), n FROM guest;
CREATE TABLE texts (email text, n int);
INSERT INTO texts SELECT lower(email::text), n FROM guest;
SELECT dp_agg.protect('guest', 'email', 'default', 2, 2, max_join_rows => 4);
SELECT dp_agg.protect('buy', 'email', 'default', 2, 2, max_join_rows => 4);
SELECT dp_agg.protect('texts', 'email', 'default', 2, 2, max_join_rows => 4);
SELECT dp_agg.set_domain('guest', 'n', 0, 3), dp_agg.set_domain('buy', 'amount', 0, 3), dp_agg.set_domain('texts', 'n', 0, 3);
SELECT dp_agg.hide_column('guest', 'room');
SET ROLE types_analyst;
SELECT count(*), count(DISTINCT email), count(DISTINCT lower(email::text)), count(DISTINCT email::text), sum(n), count(guest.*) FROM guest;
SELECT count(tags), count(place) FROM guest WHERE email <> 'a5@X';
SELECT count(*) FROM guest WHERE tags IS NOT NULL;
SELECT n, count(*), count(DISTINCT email) FROM guest GROUP BY n;
SELECT n, count(*) FROM (SELECT email, count(*) AS n FROM guest GROUP BY email) g GROUP BY n;
SELECT n, count(*) FROM (SELECT email, count(*) AS n FROM texts GROUP BY email) g GROUP BY n;
SELECT count(*) FROM (SELECT email, row_number() OVER (PARTITION BY email ORDER BY n) AS r FROM guest) w WHERE r = 1;
SELECT count(*) FROM (SELECT DISTINCT email FROM guest) d;
SELECT count(*), sum(amount) FROM guest JOIN buy USING (email);
SELECT count(*), count(b.email) FROM guest g LEFT JOIN buy b ON b.email = g.email AND b.amount > 1;
SELECT count(*) FROM guest g WHERE EXISTS (SELECT FROM buy b WHERE b.email = g.email AND b.amount > 2);
SELECT count(*), count(DISTINCT email) FROM (SELECT email, n FROM guest UNION ALL SELECT email, amount FROM buy) u;
SELECT round(avg(c)) FROM (SELECT id, count(*) AS c FROM buy GROUP BY id) b;
SELECT * FROM dp_histogram('guest', 'n', 2);
-- a spelling is not the unit
SELECT email, count(*) FROM guest GROUP BY email;
SELECT email::text, count(*) FROM guest GROUP BY 1;
SELECT count(*) FROM guest g JOIN buy b ON b.email::text = g.email::text;
SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY email::text ORDER BY n) AS r FROM guest) w WHERE r = 1;
SELECT avg(n) FROM (SELECT lower(email COLLATE "C") AS e, count(*) AS n FROM guest GROUP BY e) g;
-- nor does a text name it, and not all places know it
SELECT count(*) FROM guest g JOIN texts t ON t.email = lower(g.email::text);
SELECT count(*) FROM (SELECT email, n FROM guest UNION ALL SELECT email, n FROM texts) u;
SELECT count(*) FROM guest FULL JOIN buy USING (email);
SELECT count(*) FROM (SELECT email, string_to_table(mail::text, '5') FROM guest) s;
SELECT count(room) FROM guest;
SELECT count(ctid) FROM guest;
RESET ROLE;
-- both spellings are one person's: with them as two, the count of one row each would be 2000
SET dp_agg.max_rows = 1;
SET ROLE types_analyst;
SELECT count(*), sum(1) FROM guest;
SELECT count(*) FROM guest WHERE mail = 'x5';
RESET ROLE;
RESET dp_agg.max_rows;
-- a person more, with ten spellings, moves no answer by more than one person may
CREATE TABLE more (email citext, n int);
CREATE TABLE fewer (LIKE more);
INSERT INTO fewer SELECT email, n FROM guest;
INSERT INTO more SELECT email, n FROM guest UNION ALL SELECT overlay('abcdefghijkl' PLACING upper(substr('abcdefghijkl', i, 1)) FROM i FOR 1)::citext, 3
	FROM generate_series(1, 10) i;
SELECT dp_agg.protect('more', 'email', 'default', 2, 2, max_join_rows => 4), dp_agg.set_domain('more', 'n', 0, 3);
SELECT dp_agg.protect('fewer', 'email', 'default', 2, 2, max_join_rows => 4), dp_agg.set_domain('fewer', 'n', 0, 3);
SET ROLE types_analyst;
CREATE FUNCTION ask(question text, relation text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE answer numeric;
BEGIN EXECUTE replace(question, 'guest', relation) INTO answer; RETURN answer; END $$;
SET client_min_messages = warning;
SELECT most, round(ask(question, 'more') - ask(question, 'fewer'), 2) AS moved, question FROM (VALUES
	(2, 'SELECT count(*) FROM guest'), (1, 'SELECT count(DISTINCT email) FROM guest'), (2, 'SELECT count(DISTINCT email::text) FROM guest'),
	(6, 'SELECT sum(n) FROM guest'), (2, 'SELECT max(c) FROM (SELECT n, count(*) AS c FROM guest GROUP BY n) g'),
	(4, 'SELECT sum(c) FROM (SELECT n % 2, count(*) AS c FROM guest GROUP BY 1) g'),
	(1, 'SELECT max(c) FROM (SELECT n, count(DISTINCT email) AS c FROM guest GROUP BY n) g'),
	(1, 'SELECT count(*) FROM (SELECT email FROM guest GROUP BY email) g'),
	(1, 'SELECT count(*) FROM (SELECT email FROM guest GROUP BY email HAVING count(*) = 10) g'),
	(0, 'SELECT count(*) FROM (SELECT email FROM guest GROUP BY email HAVING count(*) < 10) g'),
	(2, 'SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY email ORDER BY n) AS r FROM guest) w WHERE r > 2'),
	(8, 'SELECT count(*) FROM guest a JOIN guest b USING (email)'), (2, 'SELECT count(*) FROM guest a WHERE EXISTS (SELECT FROM guest b WHERE b.email = a.email)'),
	(4, 'SELECT count(*) FROM (SELECT email, n FROM guest UNION ALL SELECT email, n FROM guest) u'),
	(2, 'SELECT count FROM dp_histogram(''guest'', ''n'', 1)'), (0, 'SELECT count(*) FROM (SELECT email::text, count(*) FROM guest GROUP BY 1) g')) q (most, question);
RESET client_min_messages;
DROP FUNCTION ask(text, text);
RESET ROLE;
-- links do not know it
CREATE TABLE member (email citext PRIMARY KEY, person int UNIQUE);
CREATE TABLE note (email citext REFERENCES member);
SELECT dp_agg.protect('member', 'email');
SELECT dp_agg.protect('note', 'email', through => 'member');
SELECT dp_agg.protect('member', 'person');
SELECT dp_agg.protect('note', 'email', through => 'member');
SET ROLE types_analyst;
SELECT count(*), count(DISTINCT person) FROM member;
RESET ROLE;
-- a unique key is none of its units: it may be of spellings
CREATE UNIQUE INDEX ON texts (email, n);
CREATE TABLE keyed (email citext NOT NULL);
CREATE UNIQUE INDEX ON keyed (email text_ops);
INSERT INTO keyed SELECT email FROM guest;
SELECT dp_agg.protect('keyed', 'email');
SET ROLE types_analyst;
SELECT count(*) FROM keyed;
RESET ROLE;
-- a column that becomes one is one in all spellings
CREATE TABLE spelt (email text);
INSERT INTO spelt SELECT email::text FROM guest;
SELECT dp_agg.protect('spelt', 'email');
SET ROLE types_analyst;
SELECT count(*) FROM spelt;
RESET ROLE;
ALTER TABLE spelt ALTER email TYPE citext;
SET ROLE types_analyst;
SELECT count(*) FROM spelt;
RESET ROLE;
DROP TABLE trip, guest, more, fewer, buy, texts, note, member, keyed, spelt;
SET client_min_messages = warning;
SET ROLE types_analyst;

-- An operator that is not the extension's own is none of its operators.
RESET ROLE;
CREATE FUNCTION types.other_eq(citext, citext) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR types.= (LEFTARG = citext, RIGHTARG = citext, FUNCTION = types.other_eq);
CREATE DOMAIN types.citext AS varchar;
SET ROLE types_analyst;
SELECT count(*) FROM stay WHERE email OPERATOR(types.=) 'u1@x.example'::public.citext;
RESET ROLE;
DROP OPERATOR types.= (public.citext, public.citext);
DROP DOMAIN types.citext;
SET ROLE types_analyst;

-- Nor is a function time_bucket that is not TimescaleDB's own one of its functions.
RESET ROLE;
CREATE FUNCTION public.time_bucket(interval, timestamp) RETURNS timestamp LANGUAGE sql IMMUTABLE AS 'SELECT date_bin($1, $2, ''2000-01-03'')';
SET ROLE types_analyst;
SELECT count(*) FROM stay WHERE time_bucket('1 day', timestamp '2024-01-01' + nights * interval '1 day') IS NOT NULL;
RESET ROLE;
DROP FUNCTION public.time_bucket(interval, timestamp);
SET ROLE types_analyst;

-- Where something of somebody's own stands before what is built in, the hint writes the latter.
RESET ROLE;
CREATE FUNCTION types.length(text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 0; END';
CREATE FUNCTION types.near(int, int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE OPERATOR types.< (LEFTARG = int, RIGHTARG = int, FUNCTION = types.near);
SET ROLE types_analyst;
SET search_path = types, public, pg_catalog;
SELECT count(*) FROM stay WHERE length(ward) = 2;
SELECT count(*) FROM stay WHERE nights < 2;
SELECT count(*) FROM stay WHERE near(nights, 2);
SET search_path = types, public;
SELECT count(*) FROM stay WHERE pg_catalog.length(ward) = 2;
SELECT count(*) FROM stay WHERE nights OPERATOR(pg_catalog.<) 2;

-- Of any type it can be told whether there is a value.
SELECT count(tags), count(path), count(place), count(codes), count(doc) FROM stay;
SELECT count(*) FROM stay WHERE tags IS NULL AND path IS NOT NULL;
SELECT count(*) FILTER (WHERE codes IS NULL) FROM stay;
SELECT n, count(*) FROM (SELECT id, count(tags) AS n FROM stay GROUP BY id) s GROUP BY n ORDER BY n;
SELECT dp_count(tags), dp_count(path) FROM stay;
SELECT count(DISTINCT tags) FROM stay;
SELECT path, count(*) FROM stay GROUP BY path;
SELECT count(*) FROM stay WHERE tags ? 'a';

-- Paths into jsonb, and network addresses.
SELECT doc #>> '{a,b}' AS b, count(*) FROM stay GROUP BY b ORDER BY b;
SELECT (doc['a']['b'])::int AS b, count(*) FROM stay GROUP BY b ORDER BY b;
SELECT (doc #> '{a,l,0}')::int AS l, count(*) FROM stay GROUP BY l ORDER BY l;
SELECT (doc['a']['l'][-1])::numeric AS l, jsonb_extract_path_text(doc, 'a', 'l', '2') AS none, count(*) FROM stay GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) FROM stay WHERE doc #>> '{}' IS NOT NULL AND doc #> '{a,NULL}' IS NULL AND doc['x'] IS NULL;
PREPARE at_path(text[]) AS SELECT count(*) FROM stay WHERE doc #>> $1 = '1';
EXECUTE at_path('{a,b}');
SELECT count(*) FROM stay WHERE doc[ward] IS NULL;
SELECT count(*) FROM stay WHERE doc[1:2] IS NULL;
SELECT count(*) FROM stay WHERE jsonb_extract_path(doc, ward) IS NULL;
PREPARE long_path(text[]) AS SELECT count(*) FROM stay WHERE doc #>> $1 IS NULL;
SELECT set_config('types.path', (ARRAY(SELECT 'key' || g FROM generate_series(1, 300) g))::text, false) IS NULL AS unset;
EXECUTE long_path(current_setting('types.path')::text[]);
SELECT count(*) FROM stay WHERE host <<= '10.0.0.0/24';
SELECT family(host) AS f, masklen(host) AS m, host(network(set_masklen('10.0.0.0', 8))) AS n, count(*) FROM stay WHERE host >>= host AND NOT host << host GROUP BY 1, 2 ORDER BY 1;
SELECT host(host) AS h, count(*) FROM stay WHERE host && '10.0.0.0/16' AND abbrev(host) <> '' AND host::text LIKE '10%' GROUP BY h HAVING count(*) > 50 ORDER BY h LIMIT 2;
SELECT count(*) FROM stay WHERE broadcast(host) = netmask(host) OR hostmask(host) = '0.0.0.0' OR inet_same_family(host, '::1');
SELECT count(*) FROM stay WHERE host + 1 > '10.0.0.5';

-- An operator of intarray over arrays of integers is the built-in one.
SELECT count(*) FROM stay WHERE codes && '{1}';
SELECT count(*) FROM stay WHERE codes @> '{1,7}' AND ARRAY[7] <@ codes;
SELECT count(*) FROM stay WHERE codes @@ '1&7';
SELECT count(*) FROM stay WHERE codes OPERATOR(pg_catalog.&&) '{1}';

-- An operator class that becomes the default of a type, with code of its own, is met where a statement is planned and where one that was
-- planned before is run.  None of that code runs: it would tell.
RESET ROLE;
CREATE TYPE mood AS ENUM ('sad', 'glad');
ALTER TABLE stay ADD mood mood;
UPDATE stay SET mood = CASE WHEN id % 2 = 0 THEN 'sad' ELSE 'glad' END::mood;
CREATE FUNCTION mood_less(mood, mood) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''% and %'', $1, $2; RETURN $1::text < $2::text; END';
CREATE FUNCTION mood_equal(mood, mood) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''% and %'', $1, $2; RETURN $1::text = $2::text; END';
CREATE FUNCTION mood_compare(mood, mood) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''% and %'', $1, $2; RETURN bttextcmp($1::text, $2::text); END';
CREATE FUNCTION mood_hash(mood) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''%'', $1; RETURN 1; END';
CREATE OPERATOR <<< (LEFTARG = mood, RIGHTARG = mood, FUNCTION = mood_less);
CREATE OPERATOR === (LEFTARG = mood, RIGHTARG = mood, FUNCTION = mood_equal, HASHES, MERGES);
SET ROLE types_analyst;
SET plan_cache_mode = force_generic_plan;
PREPARE moods AS SELECT mood, count(*) FROM stay GROUP BY mood ORDER BY mood;
EXECUTE moods;
SELECT count(DISTINCT mood) FROM stay;
BEGIN;
DECLARE planned CURSOR FOR SELECT mood, count(*) FROM stay GROUP BY mood ORDER BY mood;
DECLARE counted CURSOR FOR SELECT count(DISTINCT mood) FROM stay;
RESET ROLE;
CREATE OPERATOR CLASS moods DEFAULT FOR TYPE mood USING btree AS OPERATOR 1 <<<, OPERATOR 3 ===, FUNCTION 1 mood_compare(mood, mood);
SET ROLE types_analyst;
SAVEPOINT before;
FETCH ALL FROM planned;
ROLLBACK TO before;
FETCH ALL FROM counted;
ROLLBACK TO before;
COMMIT;
EXECUTE moods;
SELECT mood, count(*) FROM stay GROUP BY mood;
SELECT count(DISTINCT mood) FROM stay;
RESET ROLE;
DROP OPERATOR FAMILY moods USING btree;
SET ROLE types_analyst;
EXECUTE moods;
BEGIN;
DECLARE planned CURSOR FOR SELECT mood, count(*) FROM stay GROUP BY mood ORDER BY mood;
RESET ROLE;
CREATE OPERATOR CLASS moods DEFAULT FOR TYPE mood USING hash AS OPERATOR 1 ===, FUNCTION 1 mood_hash(mood);
SET ROLE types_analyst;
SAVEPOINT before;
FETCH ALL FROM planned;
ROLLBACK TO before;
COMMIT;
EXECUTE moods;
SELECT mood, count(*) FROM stay GROUP BY mood;
SELECT count(DISTINCT mood) FROM stay;
RESET ROLE;
DROP OPERATOR FAMILY moods USING hash;
SET ROLE types_analyst;
EXECUTE moods;
RESET plan_cache_mode;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA types CASCADE;
DROP EXTENSION citext, hstore, ltree, intarray;
DROP EXTENSION dp_agg;
DROP ROLE types_analyst;
