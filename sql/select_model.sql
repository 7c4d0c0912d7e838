--
-- select_model: dp_select_model answers with which candidate errs little, never with how little
--
CREATE EXTENSION dp_agg;
CREATE ROLE model_analyst;
CREATE SCHEMA models AUTHORIZATION model_analyst;
SET search_path = models, public;
CREATE TABLE people (id int PRIMARY KEY, well boolean, age int, city text, doc xml);
-- 2,000 people, of whom those under 40 in Aachen are well; 200 more of whom that is not known
INSERT INTO people SELECT i, i % 80 < 40 AND i % 4 < 2, i % 80, CASE WHEN i % 4 < 2 THEN 'Aachen' ELSE 'Bremen' END FROM generate_series(1, 2000) i;
INSERT INTO people SELECT i, NULL, 70, 'Aachen' FROM generate_series(2001, 2200) i;
-- 100 patients with 3 visits each, well at two; one of them was there a thousand times more, never well
CREATE TABLE visits (person int, well boolean, ward int);
INSERT INTO visits SELECT p, v < 3, v FROM generate_series(1, 100) p, generate_series(1, 3) v;
INSERT INTO visits SELECT 1, false, 1 FROM generate_series(1, 1000);
CREATE TABLE nobody (id int PRIMARY KEY, well boolean);
CREATE TABLE open (id int PRIMARY KEY, well boolean);
GRANT SELECT ON open TO model_analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 3, 2), dp_agg.protect('nobody', 'id');
SELECT dp_agg.set_budget('model_analyst', 1e6, 1e-3);
SET ROLE model_analyst;
-- At epsilon 10 one that errs 25 rows more is named with a probability below exp(-250); one that errs 100 more, of units of three rows, exp(-333).
SET dp_agg.epsilon = 10;

-- conditions: the one that is right most often
SELECT * FROM dp_select_model('people', 'well', ARRAY['age < 40', 'city = ''Aachen''', 'age < 40 AND city = ''Aachen''', 'false']);
SELECT * FROM dp_select_model('people', 'NOT well', ARRAY['age < 40', 'city = ''Bremen''', 'age >= 40 OR city = ''Bremen'' -- x', 'true']);
-- a candidate that is null foretells false, and rows of which y is null do not count
SELECT * FROM dp_select_model('people', 'well', ARRAY['true', 'NULL']);
SELECT * FROM dp_select_model('people', 'well', ARRAY['age = 70 OR id % 20 = 0', 'id % 8 = 0']);
SELECT * FROM dp_select_model('people', 'well IS NULL', ARRAY['age = 0', 'age = 70 AND city = ''Aachen'' AND id > 2000'], filter => 'age >= 0');
-- two alike are two
SELECT "position" IN (2, 3), candidate FROM dp_select_model('people', 'well', ARRAY['age >= 40', 'age < 40', 'age < 40']);
SELECT "position" BETWEEN 1 AND 3 FROM dp_select_model('nobody', 'well', ARRAY['true', 'false', 'NULL']);
SELECT * FROM dp_select_model(candidates => '[5:6]={age < 40,age > 40}', y => 'well', relation => 'people', epsilon => 20);
PREPARE chosen(text, text[]) AS SELECT * FROM dp_select_model('people', $1, $2);
EXECUTE chosen('well', '{age > 60,age < 40}');
SELECT "position", candidate FROM dp_select_model('people', 'well', array_fill('age > 60'::text, '{255}') || 'age < 40'::text);
-- many rows a unit: three of one's count for each candidate
SELECT * FROM dp_select_model('visits', 'well', ARRAY['ward > 2', 'ward < 3']);
-- as a table: one draw, however often it is read
SELECT count(DISTINCT m.candidate) FROM generate_series(1, 100) LEFT JOIN
	(SELECT * FROM dp_select_model('nobody', 'well', ARRAY['true', 'false', 'id = 1', 'id = 2']) OFFSET 0) m ON true;
SELECT (SELECT candidate FROM dp_select_model('people', 'well', ARRAY['age < 40', 'age > 40'])) || '!' AS one,
	a."position", b."position" FROM dp_select_model('people', 'well', ARRAY['age > 40', 'age < 40']) a,
	dp_select_model('visits', 'well', ARRAY['ward < 3', 'ward > 2']) b;

-- what it costs: a quarter of the curve of permute and flip, but for a sample, of which that errs less
CREATE FUNCTION price(query text) RETURNS TABLE (aggregate text, mechanism text, epsilon float8, delta float8, noise_stddev numeric, half_width_95 numeric, max_rows int, sensitivity float8)
	LANGUAGE sql AS 'SELECT p.aggregate, p.mechanism, p.epsilon, p.delta, round(p.noise_stddev::numeric, 3), round(p.half_width_95::numeric, 3), p.max_rows, p.sensitivity FROM dp_agg.price(query) p';
SET dp_agg.epsilon = 0.5;
SELECT p.* FROM (VALUES
	($$SELECT * FROM dp_select_model('people', 'well', ARRAY['true', 'false'])$$),
	($$SELECT * FROM dp_select_model('people', 'well', ARRAY['true'])$$),
	($$SELECT * FROM dp_select_model('visits', 'well', ARRAY['true', 'false', 'ward = 1'], 0.25)$$)) q (query), price(query) p;
SET dp_agg.mechanism = gaussian;
SELECT p.* FROM price($$SELECT * FROM dp_select_model('people', 'well', ARRAY['true', 'false'])$$) p;
RESET dp_agg.mechanism;
SET dp_agg.sample_rate = 0.5;
EXPLAIN (COSTS off) SELECT * FROM dp_select_model('visits', 'well', ARRAY['true', 'false', 'ward = 1']);
RESET dp_agg.sample_rate;
EXPLAIN (COSTS off, VERBOSE) SELECT * FROM dp_select_model('visits', 'well', ARRAY['true', 'false', 'ward = 1']);
SELECT count(*) FROM dp_select_model('people', 'well', ARRAY['true', 'false']);
SELECT aggregate, mechanism, epsilon, delta FROM dp_agg.last_release();
RESET ROLE;
SELECT releases #- '{0,question}' AS releases, pure_epsilon::numeric(10, 6), delta FROM dp_agg.ledger WHERE event = 'charge' ORDER BY id DESC LIMIT 1;
-- the curve is that of bounded range epsilon, a quarter of randomised response at low orders; a unit's rows make no difference
SELECT dp_agg.reset_budget('model_analyst');
SET ROLE model_analyst;
SELECT count(*) FROM dp_select_model('visits', 'well', ARRAY['true', 'false', 'ward = 1']);
RESET ROLE;
SELECT abs(rdp_spent[1] / dp_agg.rdp_exponential(1.1, 0.5) - 1) < 1e-9 AND rdp_spent[1] < 0.3 * dp_agg.rdp_pure(1.1, 0.5) AS low,
	abs(rdp_spent[64] / dp_agg.rdp_exponential(4096, 0.5) - 1) < 1e-9 AS high FROM dp_agg.budget;
SELECT * FROM dp_agg.verify_ledger();
SET ROLE model_analyst;

-- kept answers: the same candidates in the same order are the same question
SET dp_agg.reuse = '1 day';
CREATE FUNCTION is_free(query text) RETURNS boolean LANGUAGE sql AS 'SELECT bool_and(epsilon = 0) FROM dp_agg.price(query)';
SELECT count(*) FROM dp_select_model('people', 'well', ARRAY['age < 40', 'age < 20', 'age < 10']);
SELECT is_free(q), q FROM (VALUES
	($$SELECT * FROM dp_select_model('people', 'well', ARRAY['age < 40', 'age < 20', 'age < 10'])$$),
	($$SELECT candidate FROM dp_select_model('people', 'well', ARRAY['40 > age', 'age < 20', 'age < 10'], 0.5)$$),
	($$SELECT * FROM dp_select_model('people', 'well', ARRAY['age < 20', 'age < 40', 'age < 10'])$$),
	($$SELECT * FROM dp_select_model('people', 'NOT well', ARRAY['age < 40', 'age < 20', 'age < 10'])$$),
	($$SELECT * FROM dp_select_model('people', 'well', ARRAY['age < 40', 'age < 20'])$$),
	($$SELECT * FROM dp_select_model('people', 'well', ARRAY['age < 40', 'age < 20', 'age < 10'], 0.6)$$),
	($$SELECT * FROM dp_select_model('people', 'well', ARRAY['age < 40', 'age < 20', 'age < 10'], filter => 'id > 0')$$)) v (q);
RESET dp_agg.reuse;

-- refused, and not charged
SELECT statements, refusals FROM dp_agg.budgets;
CREATE FUNCTION complain(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE 'SELECT * FROM ' || call;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ': ' || SQLERRM || CASE WHEN hint <> '' THEN ' / ' || hint ELSE '' END;
END $$;
CREATE FUNCTION tell(int) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE WARNING ''told %'', $1; RETURN true; END';
SELECT call, complain(call) FROM (VALUES
	($$dp_select_model('people', 'well', ARRAY[]::text[])$$),
	($$dp_select_model('people', 'well', array_fill('true'::text, '{257}'))$$),
	($$dp_select_model('people', 'well', ARRAY[['true'], ['false']])$$),
	($$dp_select_model('people', 'well', ARRAY['true', NULL])$$),
	($$dp_select_model('people', 'well', NULL)$$),
	($$dp_select_model('people', NULL, ARRAY['true'])$$),
	($$dp_select_model('people', 'age', ARRAY['true'])$$),
	($$dp_select_model('people', 'well, age', ARRAY['true'])$$),
	($$dp_select_model('people', '', ARRAY['true'])$$),
	($$dp_select_model('people', 'missing', ARRAY['true'])$$),
	($$dp_select_model('people', 'well', ARRAY['true', 'age'])$$),
	($$dp_select_model('people', 'well', ARRAY['true', 'age = 1, age = 2'])$$),
	($$dp_select_model('people', 'well', ARRAY['true', ''])$$),
	($$dp_select_model('people', 'well', ARRAY['true) THEN 1 END), (SELECT 1 WHERE (true'])$$),
	($$dp_select_model('people', 'well) <> (true', ARRAY['true'])$$),
	($$dp_select_model('people', 'well', ARRAY['tell(age)'])$$),
	($$dp_select_model('people', 'tell(age)', ARRAY['true'])$$),
	($$dp_select_model('people', 'well', ARRAY['dp_count(*) > 1'])$$),
	($$dp_select_model('people', 'well', ARRAY['age > (SELECT age - 1)'])$$),
	($$dp_select_model('people', 'well', ARRAY['random() > 0.5'])$$),
	($$dp_select_model('people', 'well', ARRAY['true'], 0)$$),
	($$dp_select_model('people', 'well', ARRAY['true'], filter => 'age')$$),
	($$dp_select_model('people', 'well', ARRAY(SELECT 'true' FROM open))$$),
	($$open, dp_select_model('people', 'well', ARRAY[open.well::text])$$),
	($$dp_select_model('open', 'well', ARRAY['true'])$$),
	($$dp_select_model('people', 'well', ARRAY['true']) WITH ORDINALITY$$),
	($$(SELECT dp_select_model('people', 'well', ARRAY['true'])) x$$)) v (call);
-- places of what is wrong are in the text they are in
SELECT 'éé', * FROM dp_select_model('people', 'well', ARRAY['true', 'age >']);
SELECT 'éé', * FROM dp_select_model('people', 'well AND', ARRAY['true']);
SELECT statements, refusals FROM dp_agg.budgets;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA models CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE model_analyst;
