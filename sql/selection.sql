--
-- selection: dp_noisy_max, dp_top and dp_above_threshold answer with what is
-- greatest, never with how great
--
CREATE EXTENSION dp_agg;
CREATE ROLE selection_analyst;
CREATE SCHEMA selection AUTHORIZATION selection_analyst;
SET search_path = selection, public;
CREATE TYPE mood AS ENUM ('low', 'fair', 'high');
CREATE TABLE people (id int PRIMARY KEY, city text, code char(4), short varchar(10), small smallint, age int, big bigint, f8 float8, n numeric(8, 2),
	born date, seen timestamptz, mood mood, active boolean, doc xml, "odd ""name""" text);
-- city i is that of 100 * i people, i = 1 .. 9; 500 more have none
INSERT INTO people SELECT 1000 * i + j, 'city ' || i, 'c' || i, 'city ' || i, i, i, i, i, i, date '2000-01-01' + i, timestamptz '2000-01-01 00:00+00' + i * interval '1 day',
	(ARRAY['low', 'fair', 'high'])[1 + i % 3]::mood, i > 4, NULL, 'city ' || i FROM generate_series(1, 9) i, generate_series(1, 100 * i) j;
INSERT INTO people (id) SELECT i FROM generate_series(1, 500) i;
-- 200 patients, everybody in clinic 1 ten times, half of them in clinic 2 once; one of them in every clinic there is, a thousand times
CREATE TABLE visits (person int, clinic text, cost int);
INSERT INTO visits SELECT p, 'clinic 1', 10 FROM generate_series(1, 200) p, generate_series(1, 10);
INSERT INTO visits SELECT p, 'clinic 2', 10 FROM generate_series(1, 100) p;
INSERT INTO visits SELECT 1, 'clinic ' || c, 1000 FROM generate_series(3, 50) c, generate_series(1, 1000);
CREATE TABLE nobody (id int PRIMARY KEY, city text);
CREATE TABLE open (id int PRIMARY KEY, city text);
INSERT INTO open VALUES (8, 'eight'), (9, 'nine'), (10, 'ten');
GRANT SELECT ON open TO selection_analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 3, 2), dp_agg.protect('nobody', 'id');
SELECT dp_agg.set_budget('selection_analyst', 1e6, 1e-3);
SET ROLE selection_analyst;
-- At epsilon 10 a count is overtaken by one that is greater by 100 with a probability of exp(-1000 / k) and less.
SET dp_agg.epsilon = 10;

-- the most frequent candidates, by rank
SELECT * FROM dp_noisy_max('people', 'city', ARRAY['city 3', 'city 1', 'city 2']);
SELECT * FROM dp_noisy_max('people', 'city', '{city 3,city 1,city 2,city 10}'::text[], 3);
SELECT * FROM dp_noisy_max('people', 'city', ARRAY['nowhere'], epsilon => 0.001);
SELECT count(*), count(DISTINCT candidate) FROM dp_noisy_max('nobody', 'city', ARRAY['a', 'b', 'c'], 3);
SELECT c.name, m.* FROM (VALUES (1)) v (x), LATERAL (
	SELECT 'code' AS name, rank, candidate::text FROM dp_noisy_max('people', 'code', ARRAY['c3', 'c5', 'c4'], 2)
	UNION ALL SELECT 'short', rank, candidate FROM dp_noisy_max('people', 'short', ARRAY['city 3', 'city 5'], 2)
	UNION ALL SELECT 'small', rank, candidate::text FROM dp_noisy_max('people', 'small', ARRAY[3, 5], 2)
	UNION ALL SELECT 'age', rank, candidate::text FROM dp_noisy_max('people', 'age', ARRAY[3, 5]::bigint[], 2)
	UNION ALL SELECT 'big', rank, candidate::text FROM dp_noisy_max('people', 'big', ARRAY['3', '5'], 2)
	UNION ALL SELECT 'f8', rank, candidate::text FROM dp_noisy_max('people', 'f8', ARRAY[3, 5], 2)
	UNION ALL SELECT 'n', rank, candidate::text FROM dp_noisy_max('people', 'n', ARRAY[3, 5.0], 2)
	UNION ALL SELECT 'born', rank, candidate::text FROM dp_noisy_max('people', 'born', ARRAY['2000-01-04', '2000-01-06'], 2)
	UNION ALL SELECT 'seen', rank, (candidate AT TIME ZONE 'UTC')::text
		FROM dp_noisy_max('people', 'seen', ARRAY['2000-01-04 00:00+00', '2000-01-06 00:00+00']::timestamptz[], 2)
	UNION ALL SELECT 'mood', rank, candidate::text FROM dp_noisy_max('people', 'mood', ARRAY['high', 'fair', 'low']::mood[], 3)
	UNION ALL SELECT 'active', rank, candidate::text FROM dp_noisy_max('people', 'active', ARRAY[true, false], 2)
	UNION ALL SELECT 'odd', rank, candidate FROM dp_noisy_max('people', 'odd "name"', ARRAY['city 4', 'city 6'], 2)) c (name, rank, candidate), LATERAL
	(SELECT c.rank, c.candidate) m ORDER BY 1, 2;
SET datestyle = 'SQL, DMY';
SELECT candidate FROM dp_noisy_max('people', 'born', ARRAY['04/01/2000', '06/01/2000']::date[]);
RESET datestyle;
SELECT * FROM dp_noisy_max('people', 'city', ARRAY['city 3', 'city 1', 'city 2'], filter => 'age < 3 -- AND false');
SELECT * FROM dp_noisy_max('people', 'city', filter => 'age < 3', candidates => ARRAY['city 3', 'city 1'], epsilon => 20);
PREPARE most(text[], int) AS SELECT * FROM dp_noisy_max('people', 'city', $1, $2);
EXECUTE most('{city 5,city 7,city 2}', 2);
-- many rows a unit: three of ten, in two of fifty
SELECT * FROM dp_noisy_max('visits', 'clinic', ARRAY['clinic 1', 'clinic 2', 'clinic 3'], 2);
SELECT * FROM dp_noisy_max('visits', 'clinic', ARRAY['clinic 1', 'clinic 2', 'clinic 3']);
-- as a table: one draw, however often it is read
SELECT count(DISTINCT m.candidate) FROM generate_series(1, 100) LEFT JOIN
	(SELECT * FROM dp_noisy_max('nobody', 'city', ARRAY['a', 'b', 'c', 'd', 'e']) OFFSET 0) m ON true;
SELECT (SELECT candidate FROM dp_noisy_max('people', 'city', ARRAY['city 8', 'city 1'])) || '!' AS one,
	a.candidate, b.candidate FROM dp_noisy_max('people', 'city', ARRAY['city 3', 'city 1']) a,
	dp_noisy_max('people', 'age', ARRAY[4, 2]) b;

-- the most frequent of all there are; those that are not frequent enough stay hidden
SELECT * FROM dp_top('people', 'city', 3);
SELECT * FROM dp_top('people', 'mood', 2);
SELECT count(*), count(candidate), max(rank) FROM dp_top('people', 'mood', 9);
SELECT * FROM dp_top('people', 'age', 1, filter => 'age < 8');
SELECT * FROM dp_top('people', 'f8', 2, epsilon => 20);
SELECT * FROM dp_top('nobody', 'city', 5);
SELECT * FROM dp_top('visits', 'clinic', 1);
SELECT * FROM dp_top('visits', 'clinic', 50);
-- a third clinic, of one person, has a probability of 1e-9
SELECT * FROM dp_top('visits', 'clinic', 2, filter => 'cost = 1000');
-- of a view that lists keys, those that are frequent
CREATE VIEW towns AS SELECT o.city AS town, p.id FROM open o LEFT JOIN people p ON p.age = o.id;
SELECT * FROM dp_top('towns', 'town', 3);
SELECT * FROM dp_noisy_max('towns', 'town', ARRAY['ten', 'eight', 'nine'], 2);

-- the first condition that enough rows fulfil
SELECT * FROM dp_above_threshold('people', ARRAY['age = 1', 'age = 2', 'age = 5', 'age = 9'], 350);
SELECT * FROM dp_above_threshold('people', ARRAY['age > 1', 'age > 0'], 100);
SELECT * FROM dp_above_threshold('people', ARRAY['age = 1', 'age = 1', 'city LIKE ''city 2'' -- x', 'age = 1 OR age = 2'], 250);
SELECT * FROM dp_above_threshold('people', ARRAY['age = 1'], 1000);
SELECT * FROM dp_above_threshold('people', ARRAY['true', 'false', 'NULL'], 4000);
SELECT * FROM dp_above_threshold('people', ARRAY['false', 'NULL', 'true'], 4000, filter => 'age IS NOT NULL');
SELECT * FROM dp_above_threshold('people', ARRAY['true'], 4600, filter => 'age IS NOT NULL');
SELECT "position" FROM dp_above_threshold('nobody', ARRAY['true', 'id > 0'], -100);
SELECT * FROM dp_above_threshold('visits', ARRAY['clinic = ''clinic 2''', 'clinic = ''clinic 3''', 'clinic = ''clinic 1'''], 500);
SELECT * FROM dp_above_threshold('visits', ARRAY['cost = 1000', 'true'], 500);
SELECT "position", predicate IS NULL AS none FROM dp_above_threshold('people', array_fill('age = 1'::text, '{256}') , 1000);
SELECT * FROM dp_above_threshold('people', '[5:6]={age = 1,age = 9}', 500);

-- what they cost, and how noisy they are
SET dp_agg.epsilon = 0.5;
CREATE FUNCTION price(query text) RETURNS TABLE (aggregate text, mechanism text, epsilon float8, delta float8, noise_stddev numeric, half_width_95 numeric)
	LANGUAGE sql AS 'SELECT p.aggregate, p.mechanism, p.epsilon, p.delta, round(p.noise_stddev::numeric, 3), round(p.half_width_95::numeric, 3) FROM dp_agg.price(query) p';
SELECT p.* FROM (VALUES
	($$SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a', 'b'])$$),
	($$SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a', 'b'], 2)$$),
	($$SELECT * FROM dp_noisy_max('visits', 'clinic', ARRAY['a', 'b', 'c'], 2)$$),
	($$SELECT * FROM dp_noisy_max('visits', 'clinic', ARRAY['a', 'b', 'c'], 3, epsilon => 2)$$),
	($$SELECT * FROM dp_top('people', 'city', 1)$$),
	($$SELECT * FROM dp_top('people', 'city', 5)$$),
	($$SELECT * FROM dp_top('people', 'mood', 3)$$),
	($$SELECT * FROM dp_top('visits', 'clinic', 2)$$),
	($$SELECT * FROM dp_above_threshold('people', ARRAY['true', 'false'], 350, 0.25)$$),
	($$SELECT * FROM dp_above_threshold('visits', ARRAY['true'], 350, 0.25)$$)) q (query), price(query) p;
-- beside Gaussian noise, the exponential mechanism draws, at a quarter of the cost, in a sample too
SET dp_agg.mechanism = gaussian;
SELECT p.* FROM (VALUES
	($$SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a', 'b'])$$),
	($$SELECT * FROM dp_noisy_max('people', 'city', ARRAY['a', 'b'], 2)$$),
	($$SELECT * FROM dp_noisy_max('visits', 'clinic', ARRAY['a', 'b', 'c'], 2)$$),
	($$SELECT * FROM dp_top('people', 'city', 1)$$),
	($$SELECT * FROM dp_top('people', 'mood', 3)$$),
	($$SELECT * FROM dp_top('visits', 'clinic', 2)$$),
	($$SELECT * FROM dp_top('people', 'city', 5)$$)) q (query), price(query) p;
EXPLAIN (COSTS off) SELECT * FROM dp_top('visits', 'clinic', 2);
SELECT sensitivity, threshold FROM dp_agg.price_details($$SELECT * FROM dp_top('visits', 'clinic', 2)$$);
SET dp_agg.sample_rate = 0.5;
SELECT p.* FROM price($$SELECT * FROM dp_top('visits', 'clinic', 2)$$) p;
RESET dp_agg.sample_rate;
SET dp_agg.epsilon = 10;
SELECT * FROM dp_noisy_max('people', 'city', '{city 3,city 1,city 2,city 10}'::text[]);
SELECT * FROM dp_noisy_max('visits', 'clinic', ARRAY['clinic 3', 'clinic 2', 'clinic 1'], 2, 30);
SELECT * FROM dp_top('people', 'mood', 1);
SELECT * FROM dp_top('people', 'f8', 1, epsilon => 20);
SELECT * FROM dp_top('nobody', 'city', 1);
SELECT * FROM dp_top('visits', 'clinic', 2, 30);
-- a third clinic, of one person, has a probability of 1e-9
SELECT * FROM dp_top('visits', 'clinic', 2, filter => 'cost = 1000');
SELECT aggregate, mechanism, epsilon, delta FROM dp_agg.last_release();
SET dp_agg.epsilon = 0.5;
RESET ROLE;
SELECT releases #- '{0,question}' AS releases, pure_epsilon::numeric(10, 6), delta FROM dp_agg.ledger WHERE event = 'charge' ORDER BY id DESC LIMIT 1;
SET ROLE selection_analyst;
RESET dp_agg.mechanism;
EXPLAIN (COSTS off) SELECT * FROM dp_noisy_max('visits', 'clinic', ARRAY['a', 'b'], 2);
EXPLAIN (COSTS off) SELECT * FROM dp_top('visits', 'clinic', 2);
EXPLAIN (COSTS off) SELECT * FROM dp_top('visits', 'clinic', 3);
EXPLAIN (COSTS off, VERBOSE) SELECT * FROM dp_above_threshold('visits', ARRAY['cost = 1', 'cost = 2'], 350);
SELECT count(*) FROM dp_top('people', 'city', 1);
SELECT aggregate, mechanism, epsilon, delta FROM dp_agg.last_release();
SELECT count(*) FROM dp_above_threshold('people', ARRAY['true', 'false'], 1);
SELECT aggregate, mechanism, epsilon, delta FROM dp_agg.last_release();
RESET ROLE;
-- the budget is charged what was said, and an auditor can add it up
SELECT releases #- '{0,question}' AS releases, pure_epsilon::numeric(10, 6), delta FROM dp_agg.ledger WHERE event = 'charge' ORDER BY id DESC LIMIT 2;
SELECT bool_and(abs(dp_accountant.pld_epsilon(releases, delta + 1e-12) - pure_epsilon) <= 0.011 * pure_epsilon) FROM dp_agg.ledger
	WHERE event = 'charge' AND NOT releases @? '$[*].releases[*] ? (@.mechanism == "gaussian" || @.mechanism == "laplace")';
SELECT * FROM dp_agg.verify_ledger();
SET ROLE selection_analyst;
SET dp_agg.epsilon = 10;

-- refused, and not charged
SELECT statements, refusals FROM dp_agg.budgets;
CREATE FUNCTION complain(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT * FROM ' || call;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
CREATE FUNCTION tell(int) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE WARNING ''told %'', $1; RETURN true; END';
CREATE VIEW counted AS SELECT city, dp_count(*) FROM people GROUP BY city;
SELECT call, complain(call) FROM (VALUES
	($$dp_noisy_max('people', 'city', ARRAY['a'], 0)$$),
	($$dp_noisy_max('people', 'city', ARRAY['a'], 2)$$),
	($$dp_noisy_max('people', 'city', ARRAY[]::text[])$$),
	($$dp_noisy_max('people', 'city', ARRAY['a', NULL])$$),
	($$dp_noisy_max('people', 'city', ARRAY['a', 'b', 'a'])$$),
	($$dp_noisy_max('people', 'code', ARRAY['a', 'b', 'a '])$$),
	($$dp_noisy_max('people', 'n', ARRAY[1.001, 1.002])$$),
	($$dp_noisy_max('people', 'city', ARRAY[['a'], ['b']])$$),
	($$dp_noisy_max('people', 'age', ARRAY['one'])$$),
	($$dp_noisy_max('people', 'doc', ARRAY['one'])$$),
	($$dp_noisy_max('people', 'city', ARRAY[ROW(1)])$$),
	($$dp_noisy_max('people', 'city', ARRAY['a', 'b'], NULL)$$),
	($$dp_noisy_max('people', 'city', NULL::text[])$$),
	($$dp_noisy_max('people', 'missing', ARRAY['a'])$$),
	($$dp_noisy_max('people', 'ctid', ARRAY['(0,1)'])$$),
	($$dp_noisy_max('open', 'city', ARRAY['a'])$$),
	($$dp_noisy_max('counted', 'city', ARRAY['a'])$$),
	($$dp_noisy_max('missing', 'city', ARRAY['a'])$$),
	($$dp_noisy_max('people', 'city', ARRAY['a'], epsilon => 0)$$),
	($$dp_noisy_max('people', 'city', ARRAY['a'], epsilon => 'NaN')$$),
	($$dp_noisy_max('people', 'city', ARRAY['a'], filter => 'tell(age)')$$),
	($$dp_noisy_max('people', 'city', ARRAY['a'], filter => 'true) GROUP BY 1 --')$$),
	($$dp_noisy_max('people', 'city', ARRAY['a'], filter => 'true GROUP BY 1')$$),
	($$dp_noisy_max('people', 'city', ARRAY(SELECT city FROM open))$$),
	($$open, dp_noisy_max('people', 'city', ARRAY[open.city])$$),
	($$dp_noisy_max('people', 'city', ARRAY['a']) WITH ORDINALITY$$),
	($$(SELECT dp_noisy_max('people', 'city', ARRAY['a'])) x$$),
	($$dp_top('people', 'city', 0)$$),
	($$dp_top('people', 'city', 1001)$$),
	($$dp_top('people', 'doc', 1)$$),
	($$dp_top('people', 'missing', 1)$$),
	($$dp_top('open', 'city', 1)$$),
	($$dp_top('people', 'city', NULL)$$),
	($$(SELECT dp_top('people', 'city', 1)) x$$),
	($$dp_above_threshold('people', ARRAY[]::text[], 1)$$),
	($$dp_above_threshold('people', array_fill('true'::text, '{257}'), 1)$$),
	($$dp_above_threshold('people', ARRAY['true', NULL], 1)$$),
	($$dp_above_threshold('people', ARRAY['true', 'age'], 1)$$),
	($$dp_above_threshold('people', ARRAY['true', 'age = 1, age = 2'], 1)$$),
	($$dp_above_threshold('people', ARRAY['true) THEN 1 END), (SELECT 1 WHERE (true'], 1)$$),
	($$dp_above_threshold('people', ARRAY['true', ''], 1)$$),
	($$dp_above_threshold('people', ARRAY['tell(age)'], 1)$$),
	($$dp_above_threshold('people', ARRAY['dp_count(*) > 1'], 1)$$),
	($$dp_above_threshold('people', ARRAY['age > (SELECT age - 1)'], 1)$$),
	($$dp_above_threshold('people', ARRAY['random() > 0.5'], 1)$$),
	($$dp_above_threshold('people', ARRAY['true'], NULL)$$),
	($$dp_above_threshold('people', ARRAY['true'], 1, filter => 'age')$$),
	($$dp_above_threshold('open', ARRAY['true'], 1)$$),
	($$(SELECT dp_above_threshold('people', ARRAY['true'], 1)) x$$)) v (call);
-- places of what is wrong are in the text they are in
SELECT 'éé', * FROM dp_top('people', 'city', 1, filter => 'age >');
SELECT 'éé', * FROM dp_top('people', 'city', 1, filter => 'missing > 1');
SELECT 'éé', * FROM dp_above_threshold('people', ARRAY['true', 'age >'], 1);
SELECT 'éé', * FROM dp_noisy_max('people', 'city', ARRAY['a'], 2);
SELECT statements, refusals FROM dp_agg.budgets;

-- nobody's function is called for an argument, or to show a category
CREATE FUNCTION one() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''told''; RETURN 1; END';
SELECT 'éé', * FROM dp_top('people', 'city', one());
SELECT 'éé', * FROM dp_top(k => abs(one()), relation => 'people', col => 'city');
SELECT count(*) FROM dp_top('people', 'city', abs(-2));
RESET ROLE;
CREATE TYPE tone AS ENUM ('low', 'high');
CREATE FUNCTION shown(tone) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''told''; RETURN 1; END';
CREATE CAST (tone AS text) WITH FUNCTION shown(tone);
CREATE TABLE tones (id int PRIMARY KEY, tone tone);
INSERT INTO tones SELECT i, 'low' FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('tones', 'id');
SET ROLE selection_analyst;
SELECT * FROM dp_top('tones', 'tone', 1);
SELECT * FROM dp_noisy_max('tones', 'tone', ARRAY['low', 'high']);

-- places as keys of one's own
SELECT dp_agg.place(city, ARRAY['city 9', 'nowhere', 'city 1']) AS place, abs(dp_count(*) - 500) < 450 AS some FROM people GROUP BY 1;
SELECT dp_agg.place(age, ARRAY[3, 4]) AS place, abs(dp_avg(age, 0, 10) - 3.5) < 1 AS right FROM people GROUP BY 1 ORDER BY 1 DESC;
SELECT dp_agg.place(city, ARRAY[city]), dp_count(*) FROM people GROUP BY 1;
SELECT dp_agg.place(city, ARRAY['a', 'a']), dp_count(*) FROM people GROUP BY 1;
SELECT dp_count(*) FROM people WHERE dp_agg.place(city, ARRAY['a', 'b']) = 1;
SELECT dp_agg.place(x, a) FROM (VALUES (1, ARRAY[1, 2]), (2, ARRAY[2, 1]), (2, ARRAY[1, 2]), (3, ARRAY[1, 2])) v (x, a);
SELECT dp_agg.place(1, ARRAY[1, NULL]);

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA selection CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE selection_analyst;
