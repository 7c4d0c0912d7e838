--
-- synthesize: synthetic rows are like those of a protected table, as far as their noisy tables tell
--
CREATE EXTENSION dp_agg;
CREATE ROLE synthesize_analyst;
CREATE SCHEMA synthesize AUTHORIZATION synthesize_analyst;
SET search_path = synthesize, public;
CREATE TYPE mood AS ENUM ('low', 'fair', 'high');
CREATE DOMAIN years AS int CHECK (VALUE < 1000);
CREATE TABLE people (id int PRIMARY KEY, mood mood, active boolean, city text COLLATE "C", code char(4), short varchar(6), small smallint, age int, big bigint, f4 real, f8 float8,
	n numeric(6, 2), born date, seen timestamp, logged timestamptz, woke time, old years, doc xml, "odd ""name""" text);
-- 6,000 people: all follows from i % 6, age and what is like it from i % 60
INSERT INTO people SELECT i, (ARRAY['low', 'fair', 'high'])[1 + i % 3]::mood, i % 2 = 0, 'city ' || i % 6, 'c' || i % 3, 's' || i % 2, i % 60, CASE WHEN i % 6 > 0 THEN i % 60 END, i % 60,
	i % 60, CASE WHEN i % 6 = 1 THEN 'NaN' ELSE (i % 60)::float8 END, i % 60, date '2000-01-01' + i % 60, timestamp '2000-01-01' + i % 60 * interval '1 hour', timestamptz '2000-01-01 00:00+00' + i % 60 * interval '1 hour',
	'06:00', i % 60, NULL, 'x' FROM generate_series(1, 6000) i;
-- 1,000 patients with three visits each, one with 10,000, and visits of nobody
CREATE TABLE visits (patient int, ward text, cost int, kept boolean);
INSERT INTO visits SELECT p, 'ward ' || v, 10 * v, v > 1 FROM generate_series(1, 1000) p, generate_series(1, 3) v;
INSERT INTO visits SELECT 0, 'ward 4', 40, true FROM generate_series(1, 10000);
INSERT INTO visits SELECT NULL, 'ward 4', 40, true FROM generate_series(1, 10000);
CREATE TABLE nobody (id int PRIMARY KEY, mood mood, active boolean, age int);
CREATE VIEW grown AS SELECT id, age + 10 AS age, mood FROM people WHERE age >= 30;
CREATE TABLE open (a int, b int);
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'patient', max_rows => 2), dp_agg.protect('nobody', 'id');
SELECT dp_agg.set_domain('people', 'big', 0, 60), dp_agg.set_domain('people', 'short', ARRAY['s0', 's1']);
SELECT dp_agg.set_budget('synthesize_analyst', 1e9, 1e-3);
SET ROLE synthesize_analyst;

-- At epsilon 10000 cells of one-way tables have a deviation of 0.05 rows for each root of a column, others of 0.03: none is off by half a row but with
-- a probability below 1e-12.  A pair of columns of which either tells the other is drawn before "none", whose weight is less by a factor of exp(-1e5).
SET dp_agg.epsilon = 10000;
CREATE TABLE like_people AS SELECT * FROM dp_synthesize('people', '{"mood": true, "active": true, "city": ["city 0", "city 1", "city 2", "city 3", "city 4"], "age": [0, 60, 6]}')
	AS s (mood mood, active boolean, city text, age int);
SELECT attname, atttypid::regtype, attcollation::regcollation FROM pg_attribute WHERE attrelid = 'like_people'::regclass AND attnum > 0 ORDER BY attnum;
SELECT abs(count(*) - 6000) <= 1 AS rows, abs(count(age) - 5000) <= 3 AS ages, abs(count(city) - 5000) <= 3 AS cities, min(age) >= 0 AND max(age) <= 60 AS within,
	count(DISTINCT age) > 50 AS spread FROM like_people;
SELECT mood, active, city, abs(count(*) - 1000) <= 12 AS right FROM like_people GROUP BY 1, 2, 3 HAVING count(*) > 12 ORDER BY 1, 2, 3;
SELECT least(age, 59) / 10 AS bin, abs(count(*) - CASE WHEN least(age, 59) / 10 IN (2, 5) THEN 900 ELSE 800 END) <= 4 AS right FROM like_people WHERE age IS NOT NULL GROUP BY 1 ORDER BY 1;

-- every type between its bounds, NaN and what is no key as NULL
SELECT abs(count(*) - 6000) <= 1 AS rows, count(*) - count(small) <= 3 AS smalls, min(small) >= 0 AND max(small) <= 60 AS small, min(big) >= 0 AND max(big) <= 60 AS big, min(f4) >= 0 AND max(f4) <= 60 AS f4,
	min(f8) >= 0 AND max(f8) <= 60 AS f8, abs(count(f8) - 5000) <= 3 AS nans, min(n) >= 0 AND max(n) <= 60 AS n, max(scale(n)) AS scale, abs(count(code) - 4000) <= 3 AS codes, max(code) AS code, max(short) AS short
FROM dp_synthesize('people', '{"small": [0, 60, 3], "big": true, "f4": [0, 60, 4], "f8": [0, 60, 5], "n": [0, 60, 240], "code": ["c1", "c2"], "short": true}')
	AS (small smallint, big bigint, f4 real, f8 double precision, n numeric(6, 2), code char(4), short varchar);
SELECT abs(count(*) FILTER (WHERE born < '2000-01-31') - 3000) <= 3 AS half, min(born) >= '2000-01-01' AND max(born) <= '2000-03-01' AS born, min(seen) >= '2000-01-01' AND max(seen) <= '2000-01-03 12:00' AS seen,
	min(logged) >= '2000-01-01 00:00+00' AND max(logged) <= '2000-01-03 12:00+00' AS logged, count(DISTINCT seen) > 5000 AS times, count(*) - count(old) <= 3 AS old
FROM dp_synthesize('people', '{"born": ["2000-01-01", "2000-03-01", 2], "seen": ["2000-01-01", "2000-01-03 12:00"], "logged": ["2000-01-01 00:00+00", "2000-01-03 12:00+00", 7], "old": [0, 60, 2]}')
	AS (born date, seen timestamp, logged timestamptz, old int);
-- bins of whole numbers have these, bins without one their lower edge
SELECT array_agg(DISTINCT small ORDER BY small) AS smalls, bool_and(age BETWEEN 10 AND 19) AS ages FROM (SELECT small, age, count(*) OVER (PARTITION BY small) AS n
FROM dp_synthesize('people', '{"small": [10, 20, 10], "age": [10, 19.5]}', filter => 'id % 60 BETWEEN 10 AND 19 AND id % 6 > 0') AS (small smallint, age int)) s WHERE n > 10;
-- values beyond bounds are in the outermost bins
SELECT min(age) >= 20 AND max(age) <= 40 AS within, abs(count(*) FILTER (WHERE age < 30) - 2500) <= 3 AS half
FROM dp_synthesize('people', '{"age": [20, 40, 2], "active": true}') AS (age int, active boolean);

-- as many rows as asked for, in the same shares
SELECT count(*), abs(count(*) FILTER (WHERE mood = 'low') - 10) <= 1 AS low FROM dp_synthesize('people', '["mood", "active"]', 30) AS s (mood mood, active boolean);
SELECT count(*), abs(count(*) FILTER (WHERE active) - 50000) <= 2 AS half FROM dp_synthesize('people', '["mood", "active"]', rows => 100000) AS s (mood mood, active boolean);
-- in random order: 300 rows that came sorted would have a probability of 1e-80 of this
SELECT count(*) FILTER (WHERE active IS DISTINCT FROM before) > 50 AS mixed
FROM (SELECT active, lag(active) OVER () AS before FROM dp_synthesize('people', '["mood", "active"]', rows => 300) AS s (mood mood, active boolean)) s;

-- units of several rows: two of three, and two of ten thousand; nobody's do not count
SELECT ward, cost / 10 AS tens, kept, count(*) BETWEEN 664 AND 669 AS right
FROM dp_synthesize('visits', '{"ward": ["ward 1", "ward 2", "ward 3", "ward 4"], "cost": [0, 60, 6], "kept": true}') AS (ward text, cost int, kept boolean)
GROUP BY 1, 2, 3 HAVING count(*) > 10 ORDER BY 1, 2, 3;
SELECT abs(count(*) - 2002) <= 1 AS rows FROM dp_synthesize('visits', '{"ward": ["ward 4"], "kept": true}') AS (ward text, kept boolean);
SET dp_agg.max_rows = 10;
SELECT abs(count(*) - 3010) <= 2 AS rows FROM dp_synthesize('visits', '{"ward": ["ward 1", "ward 2"], "kept": true}') AS (ward text, kept boolean);
SELECT aggregate, max_rows, sensitivity FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) ORDER BY ordinality;
RESET dp_agg.max_rows;

-- views, filters and where calls may stand
SELECT abs(count(*) - 2500) <= 1 AS rows, min(age) >= 40 AND max(age) <= 70 AS ages FROM dp_synthesize('grown', '{"age": [40, 70], "mood": true}') AS (age int, mood mood);
SELECT abs(count(*) - 1000) <= 1 AS rows, count(*) FILTER (WHERE NOT active) <= 3 AS active FROM dp_synthesize('people', '["mood", "active"]', filter => 'city = ''city 4''') AS (mood mood, active boolean);
-- a value is in its bin: 55, an end of twentieths of 100 that 0.55 * 100 is not, belongs to the next one
SELECT count(*) FILTER (WHERE age BETWEEN 50 AND 54) > 1900 AS inside FROM dp_synthesize('people', '{"age": [0, 100, 20], "active": true}', 2000, filter => 'age BETWEEN 50 AND 54') AS (age int, active boolean);
PREPARE p(json, bigint) AS SELECT count(*) FROM dp_synthesize('people', $1, $2) AS (mood mood, active boolean);
EXECUTE p('["mood", "active"]', 7);
EXECUTE p('["active", "mood"]', 7);
DEALLOCATE p;
WITH s AS (SELECT * FROM dp_synthesize('people', '["mood", "active"]', 5) AS (mood mood, active boolean)) SELECT count(*) FROM s a, s b;
-- a statement's rows are drawn once, however often they are read
SELECT count(DISTINCT s.all) AS drawn FROM generate_series(1, 5) i, LATERAL (SELECT string_agg(f8::text, ',') AS all FROM (
	SELECT f8 FROM dp_synthesize('people', '{"f8": [0, 60], "active": true}', 50) AS (f8 float8, active boolean) OFFSET 0) r WHERE i > 0) s;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT f8 FROM dp_synthesize('people', '{"f8": [0, 60], "active": true}', 3) AS (f8 float8, active boolean);
MOVE 3 c;
MOVE BACKWARD ALL c;
MOVE 2 c;
COMMIT;

-- in parallel, each process has tables of its own
RESET ROLE;
CREATE TABLE many AS SELECT i AS id, i % 2 = 0 AS even, i % 6 AS six, i % 6 / 3 AS half FROM generate_series(1, 60000) i;
ALTER TABLE many ADD PRIMARY KEY (id);
ALTER TABLE many SET (parallel_workers = 2);
ANALYZE many;
SELECT dp_agg.protect('many', 'id');
SET ROLE synthesize_analyst;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT even, six, half > 0 AS half, abs(count(*) - 10000) <= 3 AS right FROM dp_synthesize('many', '{"even": true, "six": ["0", "1", "2", "3", "4", "5"], "half": [0, 2, 2]}', filter => 'six < 6 OR id > 0')
	AS (even boolean, six int, half int) GROUP BY 1, 2, 3 HAVING count(*) > 10 ORDER BY 2;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- of noise alone there are rows as well
SELECT count(*) > 0 AS rows, count(*) = count(*) FILTER (WHERE age IS NULL OR age BETWEEN 0 AND 100) AS within
FROM dp_synthesize('nobody', '{"mood": true, "active": true, "age": [0, 100]}', epsilon => 0.1) AS (mood mood, active boolean, age int);
SELECT count(*) FROM dp_synthesize('nobody', '{"mood": true, "active": true, "age": [0, 100]}', 20, 0.1) AS (mood mood, active boolean, age int);

-- what it costs: the same whatever the data, whatever is drawn, and by whichever number of rows; said before, and verified after
SET dp_agg.epsilon = 1;
SET dp_agg.mechanism = gaussian;
EXPLAIN (COSTS OFF) SELECT * FROM dp_synthesize('people', '["mood", "active"]', 10) AS s (mood mood, active boolean);
SET dp_agg.mechanism = laplace;
EXPLAIN (COSTS OFF) SELECT * FROM dp_synthesize('people', '["mood", "active"]', 10) AS s (mood mood, active boolean);
SELECT aggregate, mechanism, epsilon, delta, round(noise_stddev::numeric, 2) AS stddev, round(half_width_95::numeric, 2) AS half_width, max_rows, sensitivity
FROM (dp_agg.price($$ SELECT * FROM dp_synthesize('visits', '{"ward": ["a"], "kept": true, "cost": [0, 9]}', epsilon => 0.5) AS (ward text, kept boolean, cost int) $$) WITH ORDINALITY NATURAL JOIN dp_agg.price_details($$ SELECT * FROM dp_synthesize('visits', '{"ward": ["a"], "kept": true, "cost": [0, 9]}', epsilon => 0.5) AS (ward text, kept boolean, cost int) $$) WITH ORDINALITY) ORDER BY ordinality;
SELECT count(*) > 0 AS answered FROM dp_synthesize('nobody', '["mood", "active"]') AS s (mood mood, active boolean);
SELECT count(*) FROM dp_synthesize('people', '["mood", "active"]', 10) AS s (mood mood, active boolean);
SELECT aggregate, mechanism, epsilon, delta, round(noise_stddev::numeric, 2) AS stddev, kept FROM dp_agg.last_release();
RESET ROLE;
SELECT count(DISTINCT l.releases -> 0 -> 'releases' -> 0 -> 'noise') AS tables, count(DISTINCT l.releases -> 0 -> 'releases' -> 1 -> 'noise') AS trees
FROM (SELECT releases FROM dp_agg.ledger ORDER BY id DESC LIMIT 2) l;
SELECT l.releases -> 0 -> 'call' AS call, r ->> 'aggregate' AS aggregate, r ->> 'mechanism' AS mechanism, n -> 'groups' AS groups, n -> 'sensitivity' AS sensitivity, n -> 'grid' AS grid
FROM (SELECT releases FROM dp_agg.ledger ORDER BY id DESC LIMIT 1) l, jsonb_array_elements(l.releases -> 0 -> 'releases') r, jsonb_array_elements(r -> 'noise') n;
SELECT * FROM dp_agg.verify_ledger();
SET ROLE synthesize_analyst;

-- kept: the same rows again, for the same question alone
SET dp_agg.kept_max_age = '1 hour';
CREATE TABLE first AS SELECT * FROM dp_synthesize('people', '{"f8": [0, 60], "active": true}', 50) AS (f8 float8, active boolean);
CREATE TABLE again AS SELECT * FROM dp_synthesize('people', '{"f8": [0, 60, 20], "active": true}', 50) AS (f8 float8, active boolean);
SELECT epsilon, kept LIKE 'kept since %' AS kept FROM dp_agg.last_release();
SELECT count(*) FROM (TABLE first EXCEPT ALL TABLE again) s;
SELECT q.what, p.kept IS NOT NULL AS kept FROM (VALUES ('same', '{"f8": [0, 60], "active": true}', '50'), ('other bounds', '{"f8": [0, 61], "active": true}', '50'),
	('other bins', '{"f8": [0, 60, 19], "active": true}', '50'), ('more rows', '{"f8": [0, 60], "active": true}', '51'), ('any rows', '{"f8": [0, 60], "active": true}', 'NULL')) q (what, columns, "rows"),
	LATERAL dp_agg.price(format('SELECT * FROM dp_synthesize(''people'', %L, %s) AS (f8 float8, active boolean)', columns, "rows")) p;
SELECT p.kept IS NOT NULL AS kept FROM dp_agg.price($$ SELECT * FROM dp_synthesize('people', '{"active": true, "f8": [0, 60]}', 50) AS (active boolean, f8 float8) $$) p;
SELECT kept FROM dp_agg.price($$ SELECT * FROM dp_synthesize('people', '{"f8": [0, 60], "active": true}', 1000000) AS (f8 float8, active boolean) $$);
RESET dp_agg.kept_max_age;

-- what a list of columns may say
SELECT * FROM dp_synthesize('people', '["mood", "active"]') AS s (active boolean, mood mood);
SELECT * FROM dp_synthesize('people', '["mood", "active"]') AS s (mood mood);
SELECT * FROM dp_synthesize('people', '["mood", "active"]') AS s (mood text, active boolean);
SELECT * FROM dp_synthesize('people', '["mood", "active"]') AS s (feeling mood, active boolean);
SELECT * FROM dp_synthesize('people', '{"n": [0, 60], "active": true}') AS s (n numeric(5, 1), active boolean);
SELECT * FROM dp_synthesize('people', '{"old": [0, 60], "active": true}') AS s (old years, active boolean);
SELECT * FROM dp_synthesize('people', '{"odd \"name\"": ["x"], "active": true}') AS s ("odd name" text, active boolean);
SELECT count(*) FROM dp_synthesize('people', '{"odd \"name\"": ["x"], "active": true}', 3) AS s ("odd ""name""" text, active boolean);
SELECT * FROM dp_synthesize('people', '["mood", "active"]');
SELECT * FROM ROWS FROM (dp_synthesize('people', '["mood", "active"]') AS (mood mood, active boolean)) WITH ORDINALITY;

-- what columns may be
SELECT * FROM dp_synthesize('people', '["mood"]') AS s (mood mood);
SELECT * FROM dp_synthesize('people', '{}') AS s (mood mood);
SELECT * FROM dp_synthesize('people', '{"mood": true, "id": [0, 10]}') AS s (mood mood, id int);
SELECT * FROM dp_synthesize('people', '{"mood": true, "nothing": true}') AS s (mood mood, nothing int);
SELECT * FROM dp_synthesize('people', '{"mood": true, "mood": true}') AS s (mood mood, mood2 mood);
SELECT * FROM dp_synthesize('people', '{"mood": true, "age": true}') AS s (mood mood, age int);
SELECT * FROM dp_synthesize('people', '{"mood": true, "age": [0, 100, 0]}') AS s (mood mood, age int);
SELECT * FROM dp_synthesize('people', '{"mood": true, "age": [0, 100, 1024]}') AS s (mood mood, age int);
SELECT * FROM dp_synthesize('people', '{"f4": [0, 1, 1023], "f8": [0, 1, 1023], "age": [0, 9, 1023], "big": [0, 9, 1023]}') AS s (f4 real, f8 float8, age int, big bigint);
SELECT * FROM dp_synthesize('people', '{"mood": true, "age": [0, 1e12]}') AS s (mood mood, age int);
SELECT * FROM dp_synthesize('people', '{"mood": true, "n": [0, 10000]}') AS s (mood mood, n numeric);
SELECT * FROM dp_synthesize('people', '{"mood": true, "woke": ["06:00", "08:00"]}') AS s (mood mood, woke time);
SELECT * FROM dp_synthesize('people', '{"mood": true, "doc": ["a"]}') AS s (mood mood, doc xml);
SELECT * FROM dp_synthesize('people', '{"mood": true, "age": ["1", "01"]}') AS s (mood mood, age int);
SELECT * FROM dp_synthesize('people', '{"mood": true, "age": [{"a": 1}]}') AS s (mood mood, age int);
SELECT * FROM dp_synthesize('people', '{"mood": true, "city": ["'') AS s; DROP TABLE first; --"]}', 5, 0.001) AS s (mood mood, city text) WHERE city = 'x';
SELECT * FROM dp_synthesize('people', 'mood, active') AS s (mood mood, active boolean);
SELECT * FROM dp_synthesize('people', '["mood", "active"]', 0) AS s (mood mood, active boolean);
SELECT * FROM dp_synthesize('people', '["mood", "active"]', 10000001) AS s (mood mood, active boolean);
SELECT * FROM dp_synthesize('people', '["mood", "active"]', epsilon => 0) AS s (mood mood, active boolean);
SELECT * FROM dp_synthesize('people', NULL) AS s (mood mood, active boolean);
SELECT * FROM dp_synthesize('people', '["mood", "active"]', filter => 'true) OR (true') AS s (mood mood, active boolean);
SELECT * FROM dp_synthesize('open', '{"a": [0, 1], "b": [0, 1]}') AS s (a int, b int);
SET dp_agg.sample_rate = 0.5;
SELECT * FROM dp_synthesize('people', '["mood", "active"]') AS s (mood mood, active boolean);
RESET dp_agg.sample_rate;

-- the tables themselves are nobody's
SELECT dp_agg_internal.pair_tables(ARRAY[dp_agg.bucket(age, 0, 60, 6), dp_agg.bucket(small, 0, 60, 6)], 1) FROM people;
SELECT dp_agg_internal.exact_pair_tables('\x'::bytea, 1, age, small) FROM people;
SELECT dp_agg_internal.pair_tables(ARRAY[a, b], 1) FROM open;
SELECT dp_agg_internal.synthetic_cell('\x0100', 1);
SELECT dp_agg_internal.synthetic_cell('\x0100', 0), dp_agg_internal.synthetic_cell('\x0000', 0), dp_agg_internal.synthetic_value('\x0100ffffffffffff', 0, 0::float8, 1::float8, 0, true);
SELECT dp_agg_internal.synthetic_value('\x0100', 0, date '2000-01-01', date '2000-01-02', 1);

-- What is declared NOT NULL, and has a cell for all of its values, has none for NULL: noise makes no NULL of it, even where nobody is.
RESET ROLE;
CREATE TYPE sole AS ENUM ('one');
CREATE TABLE sure (id int PRIMARY KEY, mood mood NOT NULL, active boolean NOT NULL, age int NOT NULL, born date NOT NULL, one sole NOT NULL, f8 float8 NOT NULL, city text NOT NULL, maybe int);
CREATE TABLE surer (id int PRIMARY KEY, mood mood NOT NULL, age int NOT NULL);
CREATE VIEW joined AS SELECT p.id, s.mood, s.age FROM sure p LEFT JOIN surer s ON s.id = p.id;
SELECT dp_agg.protect('sure', 'id'), dp_agg.protect('surer', 'id');
SET ROLE synthesize_analyst;
CREATE FUNCTION nulls(statement text) RETURNS TABLE (found text) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE seen (name text, value text);
	FOR i IN 1..25 LOOP
		EXECUTE format('INSERT INTO seen SELECT e.key, e.value FROM (%s) s, jsonb_each_text(to_jsonb(s)) e WHERE e.value IS NULL', statement);
	END LOOP;
	RETURN QUERY SELECT DISTINCT name FROM seen ORDER BY 1;
	DROP TABLE seen;
END $$;
-- a cell that is there is drawn from in a third of calls at least: none in 25 has a probability below 1e-4 a column, but what has none never is
SELECT found IN ('mood', 'active', 'age', 'born', 'one') AS wrong FROM nulls($$SELECT * FROM dp_synthesize('sure', '{"mood": true, "active": true, "age": [0, 9, 3], "born": ["2000-01-01", "2000-01-09", 3], "one": true, "f8": [0, 9, 2], "city": ["a"], "maybe": [0, 9, 2]}', 300, 0.01)
	AS (mood mood, active boolean, age int, born date, one sole, f8 float8, city text, maybe int)$$) GROUP BY 1;
-- keys that are some of a type's values
SELECT count(*) FROM nulls($$SELECT * FROM dp_synthesize('sure', '{"mood": ["high", "low", "fair"], "age": [0, 9, 3]}', 300, 0.01) AS (mood mood, age int)$$);
RESET ROLE;
INSERT INTO sure SELECT i, (ARRAY['low', 'fair', 'high'])[1 + i % 3]::mood, i % 2 = 0, i % 60, date '2000-01-01' + i % 9, 'one', CASE WHEN i % 6 > 0 THEN i % 6 ELSE 'NaN'::float8 END, 'city ' || i % 3, nullif(i % 6, 0) FROM generate_series(1, 6000) i;
INSERT INTO surer SELECT id, mood, age FROM sure WHERE id > 1000;
SET ROLE synthesize_analyst;
SET dp_agg.epsilon = 10000;
SELECT count(*) - count(mood) <= 3 AS moods, abs(count(f8) - 5000) <= 3 AS numbers, abs(count(city) - 2000) <= 3 AS cities, abs(count(maybe) - 5000) <= 3 AS maybe, count(one) = count(*) AS ones, abs(count(*) FILTER (WHERE age < 30) - 3000) <= 3 AS half
FROM dp_synthesize('sure', '{"mood": ["low", "fair", "high"], "f8": [0, 9, 2], "city": ["city 1"], "maybe": [0, 9, 2], "one": true, "age": [0, 60, 2]}') AS (mood mood, f8 float8, city text, maybe int, one sole, age int);
SELECT abs(count(mood) - 2000) <= 3 AS moods FROM dp_synthesize('sure', '{"mood": ["low"], "age": [0, 60, 2]}') AS (mood mood, age int);
-- an outer join puts NULL in its place
SELECT abs(count(*) - 6000) <= 3 AS rows, abs(count(mood) - 5000) <= 3 AS moods, abs(count(age) - 5000) <= 3 AS ages FROM dp_synthesize('joined', '{"mood": true, "age": [0, 60, 2]}') AS (mood mood, age int);
-- and a filter takes it away, of a column that may be NULL
SELECT count(*) FROM nulls($$SELECT * FROM dp_synthesize('sure', '{"maybe": [0, 9, 2], "age": [0, 60, 2]}', 300, 0.01, 'maybe IS NOT NULL AND age < 0') AS (maybe int, age int)$$);
-- A plan that was made while a column was declared NOT NULL is made anew once it is not.
SET plan_cache_mode = force_generic_plan;
PREPARE p AS SELECT abs(count(*) - 6000) <= 3 AS rows, abs(count(*) - count(mood) - 1000) <= 3 AS moods, abs(count(*) - count(age) - 1000) <= 3 AS ages FROM dp_synthesize('sure', '{"mood": true, "age": [0, 60, 2]}') AS (mood mood, age int);
EXECUTE p;
RESET ROLE;
ALTER TABLE sure ALTER mood DROP NOT NULL, ALTER age DROP NOT NULL;
UPDATE sure SET mood = NULL, age = NULL WHERE id <= 1000;
SET ROLE synthesize_analyst;
EXECUTE p;
-- Where there is a NULL all the same, it counts as the last value: each row is in one cell, whatever is declared.
RESET ROLE;
UPDATE pg_attribute SET attnotnull = true WHERE attrelid = 'sure'::regclass AND attname IN ('mood', 'age');
SET ROLE synthesize_analyst;
EXECUTE p;
SELECT abs(count(*) - 6000) <= 3 AS rows, count(*) - count(mood) + count(*) - count(age) AS none, abs(count(*) FILTER (WHERE mood = 'high') - 1667 - 1000) <= 3 AS high, abs(count(*) FILTER (WHERE age >= 30) - 2509 - 1000) <= 3 AS old
FROM dp_synthesize('sure', '{"mood": true, "age": [0, 60, 2]}') AS (mood mood, age int);
DEALLOCATE p;
RESET plan_cache_mode;
SET dp_agg.epsilon = 1;

-- code of the analyst's runs on synthetic rows, and so after the charge: without budget it does not
CREATE FUNCTION shout(mood) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'a row'; RETURN $1; END $$;
SELECT count(*) FROM dp_synthesize('people', '["mood", "active"]', 1) AS s (mood mood, active boolean) WHERE shout(mood) IS DISTINCT FROM 'x';
RESET ROLE;
SELECT dp_agg.set_budget('synthesize_analyst', 0.001, 1e-9);
SET ROLE synthesize_analyst;
SELECT count(*) FROM dp_synthesize('people', '["mood", "active"]', 1) AS s (mood mood, active boolean) WHERE shout(mood) IS DISTINCT FROM 'x';

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA synthesize CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE synthesize_analyst;
