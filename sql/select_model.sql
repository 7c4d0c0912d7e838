--
-- select_model: dp_select_model answers with which candidate errs little, never with how little
--
CREATE EXTENSION dp_agg;
CREATE ROLE model_analyst;
CREATE SCHEMA models AUTHORIZATION model_analyst;
SET search_path = models, public;
CREATE TYPE mood AS ENUM ('low', 'fair', 'high');
CREATE DOMAIN numeric_of_age AS numeric(5, 1);
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

-- grids of models
SELECT dp_agg.model_grid(1, 2, 3);
SELECT array_dims(dp_agg.model_grid(5, 2, 5)), array_dims(dp_agg.model_grid(15, 1, 2)), array_dims(dp_agg.model_grid(1, 1e300, 256)), dp_agg.model_grid(1, NULL, 2) IS NULL AS none;
SELECT min(x), max(x), count(DISTINCT x), avg(x) FROM unnest(dp_agg.model_grid(3, 7, 8)) x;
SELECT dp_agg.model_grid(15, 1, 3);
SELECT dp_agg.model_grid(0, 1, 2);
SELECT dp_agg.model_grid(65, 1, 2);
SELECT dp_agg.model_grid(1, 0, 2);
SELECT dp_agg.model_grid(1, 'NaN', 2);
SELECT dp_agg.model_grid(1, 1, 1);
SELECT dp_agg.model_grid(2147483647, 1, 2147483647);

-- linear models: that which loses least, held against the definition
RESET ROLE;
CREATE TABLE measured (id int PRIMARY KEY, well boolean, age numeric, born date, seen timestamptz, city text, mood mood, smokes boolean, pay float8, few numeric_of_age);
INSERT INTO measured SELECT i, i % 80 < 40 OR i % 7 = 0, i % 80, date '2000-01-01' + i % 80, timestamptz '2000-01-01 00:00+00' + (i % 80) * interval '1 day',
	CASE WHEN i % 4 < 2 THEN 'Aachen' WHEN i % 4 = 2 THEN 'Bremen' ELSE 'Celle' END, (ARRAY['low', 'fair', 'high'])[1 + i % 3]::mood, i % 5 = 0, 1000 + 25 * (i % 80) + i % 11, i % 80 FROM generate_series(1, 2000) i;
-- nobody of these counts: one value is missing, or none of its column's
INSERT INTO measured SELECT 3000 + i, CASE WHEN i % 5 <> 3 THEN i % 80 >= 40 END, CASE WHEN i % 5 > 0 THEN i % 80 ELSE 'NaN'::numeric END, NULL, NULL, CASE i % 5 WHEN 1 THEN 'Dresden' WHEN 2 THEN NULL ELSE 'Aachen' END, CASE WHEN i % 5 <> 3 THEN 'low'::mood END,
	CASE WHEN i % 5 <> 4 THEN true END, CASE WHEN i % 2 > 0 THEN 'NaN'::float8 ELSE NULL END, 1 FROM generate_series(1, 2000) i;
SELECT dp_agg.protect('measured', 'id');
-- a coordinate of each value, as documented: of a number, a boolean and keys
CREATE VIEW coordinates AS SELECT id, CASE WHEN well THEN 1 ELSE -1 END AS y, pay, greatest(-1, least(1, 2 * age::float8 / 60 - 1)) AS age, (city = 'Bremen')::int AS bremen, (city = 'Celle')::int AS celle, CASE WHEN smokes THEN 1 ELSE -1 END AS smokes
	FROM measured WHERE id <= 2000;
CREATE FUNCTION losses(models float8[], loss text, bound float8) RETURNS TABLE (n bigint, total float8) LANGUAGE sql AS $$
	SELECT m.n, sum(least(bound, CASE loss WHEN 'zero_one' THEN ((z > 0) <> (y > 0))::int WHEN 'logistic' THEN ln(1 + exp(-y * z)) WHEN 'hinge' THEN greatest(0, 1 - y * z)
		WHEN 'squared' THEN (pay - z) ^ 2 ELSE abs(pay - z) END))
	FROM generate_series(1, array_length(models, 1)) m (n), coordinates c,
		LATERAL (SELECT models[m.n][1] + models[m.n][2] * age + models[m.n][3] * bremen + models[m.n][4] * celle + models[m.n][5] * smokes AS z) s GROUP BY m.n $$;
-- by how much the second best loses more than the best, in bounds: whoever is named otherwise has a probability below 242 exp(-100 times that)
CREATE FUNCTION least_loss(models float8[], loss text, bound float8, OUT best int, OUT gap int) LANGUAGE sql AS $$
	SELECT n, (lead(total) OVER (ORDER BY total) - total) / bound FROM losses(models, loss, bound) ORDER BY total LIMIT 1 $$;
SET ROLE model_analyst;
PREPARE model(float8[], text, float8) AS SELECT "position", model FROM
	dp_select_model('measured', CASE WHEN $2 IN ('squared', 'absolute') THEN 'pay' ELSE 'well' END, '{"age": [0, 60], "city": ["Aachen", "Bremen", "Celle"], "smokes": true}', $1, $2, $3);
CREATE FUNCTION asked(models float8[], loss text, bound float8, OUT chosen int, OUT model float8[]) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('EXECUTE model(%L, %L, %L)', models, loss, bound) INTO chosen, model;
END $$;
SET dp_agg.epsilon = 100;
SELECT a.* FROM asked(dp_agg.model_grid(4, 3, 3), 'zero_one', NULL) a;
SELECT a.* FROM asked(dp_agg.model_grid(4, 3, 3), 'logistic', 4) a;
SELECT a.* FROM asked(dp_agg.model_grid(4, 3, 3), 'hinge', 4) a;
SELECT a.* FROM asked(dp_agg.model_grid(4, 3, 3), 'hinge', 0.5) a;
SELECT a.* FROM asked('{{1900,700,0,0,0},{1750,750,0,0,0},{1755,750,0,0,0},{0,0,0,0,0},{1755,-750,0,0,9}}', 'squared', 250000) a;
SELECT a.* FROM asked('{{1900,700,0,0,0},{1750,750,0,0,0},{1755,750,0,0,0},{0,0,0,0,0},{1755,-750,0,0,9}}', 'absolute', 200) a;
RESET ROLE;
SELECT * FROM (VALUES ('zero_one', 1::float8), ('logistic', 4), ('hinge', 4), ('hinge', 0.5)) l (loss, bound), least_loss(dp_agg.model_grid(4, 3, 3), l.loss, l.bound);
SELECT * FROM (VALUES ('squared', 250000), ('absolute', 200)) l (loss, bound), least_loss('{{1900,700,0,0,0},{1750,750,0,0,0},{1755,750,0,0,0},{0,0,0,0,0},{1755,-750,0,0,9}}', l.loss, l.bound);
SET ROLE model_analyst;
SET dp_agg.epsilon = 10;
-- every type of column, and a list of columns whose values are declared
SELECT * FROM dp_select_model('measured', 'well', '{"born": ["2000-01-01", "2000-03-20"], "mood": true, "seen": ["2000-01-01 00:00+00", "2000-03-20 00:00+00"], "few": [0, 79], "pay": [0, 1e4]}',
	'[3:4][7:13]={{0,-1,0,0,-1,-1,0},{0,1,0,0,1,1,0}}'::float8[], 'zero_one');
SELECT * FROM dp_select_model('measured', 'NOT well', '["smokes", "mood"]', ARRAY[[1, 0, 0, 0], [-1, 0, 0, 0]], 'hinge', 2);
SELECT * FROM dp_select_model('measured', 'pay / 100 - 10', '{"age": [0, 60]}', ARRAY[[7.5, 7.5], [7.5, -7.5]], 'absolute', 5, filter => 'age < 60');
SELECT * FROM dp_select_model('measured', 'age', '{"pay": [1000, 3000]}', ARRAY[[40, 40], [0, 0]], 'squared', 100, epsilon => 20);
SELECT * FROM dp_select_model('measured', 'age > 40', '{"pay": [1000, 3000]}', dp_agg.model_grid(1, 1, 3), 'zero_one', 1);
-- what is the same for all rows
SELECT model FROM dp_select_model('people', 'true', '{"age": [0, 80]}', ARRAY[[-5, 0], [5, 0]], 'hinge', 2);
SELECT count(*) FROM dp_select_model('people', 'NULL::boolean', '{"age": [0, 80]}', ARRAY[[-5, 0], [5, 0]], 'zero_one');
-- units of several rows: those of the one with a thousand more weigh as three
SELECT * FROM dp_select_model('visits', 'well', '{"ward": [1, 3]}', ARRAY[[-1, 0], [1, -2]], 'zero_one');
SELECT * FROM dp_select_model('visits', 'well', '{"ward": [1, 3]}', ARRAY[[-1, 0], [0.5, -1]], 'hinge', 4, filter => 'person > 0');
EXPLAIN (COSTS off) SELECT position FROM dp_select_model('visits', 'well', '{"ward": [1, 3]}', ARRAY[[-1, 0], [0.5, -1]], 'hinge', 4);
-- the same by workers, and of nobody
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(set_config(name, 'on', false)) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SELECT * FROM dp_select_model('measured', 'well', '{"age": [0, 60]}', ARRAY[[0, 1], [0, -1], [0.01, -1]], 'zero_one', filter => 'smokes');
SELECT "position" BETWEEN 1 AND 3 FROM dp_select_model('nobody', 'well IS NULL', '{"well": true}', ARRAY[[0, 1], [0, -1], [0.1, -1]], 'logistic', 4);
SELECT count(set_config(name, 'off', false)) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SELECT "position" BETWEEN 1 AND 2 FROM dp_select_model('nobody', 'id IS NULL', '{"well": true}', ARRAY[[0, 1], [0, -1]], 'logistic', 4);

-- what it costs: a quarter of the curve of permute and flip, of a sample too
CREATE FUNCTION price(query text) RETURNS TABLE (aggregate text, mechanism text, epsilon float8, delta float8, noise_stddev numeric, half_width_95 numeric, max_rows int, sensitivity float8)
	LANGUAGE sql AS 'SELECT p.aggregate, p.mechanism, p.epsilon, p.delta, round(p.noise_stddev::numeric, 3), round(p.half_width_95::numeric, 3), p.max_rows, p.sensitivity FROM (dp_agg.price(query) WITH ORDINALITY NATURAL JOIN dp_agg.price_details(query) WITH ORDINALITY) p ORDER BY p.ordinality';
SET dp_agg.epsilon = 0.5;
SELECT p.* FROM (VALUES
	($$SELECT * FROM dp_select_model('people', 'well', ARRAY['true', 'false'])$$),
	($$SELECT * FROM dp_select_model('people', 'well', ARRAY['true'])$$),
	($$SELECT * FROM dp_select_model('visits', 'well', ARRAY['true', 'false', 'ward = 1'], 0.25)$$),
	($$SELECT * FROM dp_select_model('measured', 'well', '{"age": [0, 60]}', ARRAY[[0, 1], [0, -1]], 'logistic', 4)$$),
	($$SELECT * FROM dp_select_model('measured', 'pay', '{"age": [0, 60]}', ARRAY[[0, 1], [0, -1]], 'squared', 100)$$),
	($$SELECT * FROM dp_select_model('visits', 'well', '{"ward": [1, 3]}', dp_agg.model_grid(1, 1, 3), 'zero_one', epsilon => 0.25)$$)) q (query), price(query) p;
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
SELECT abs(rdp_spent[1] / dp_accountant.rdp_exponential(1.1, 0.5) - 1) < 1e-9 AND rdp_spent[1] < 0.3 * dp_accountant.rdp_pure(1.1, 0.5) AS low,
	abs(rdp_spent[64] / dp_accountant.rdp_exponential(4096, 0.5) - 1) < 1e-9 AS high FROM dp_agg.budget;
SELECT * FROM dp_agg.verify_ledger();
SET ROLE model_analyst;

-- kept answers: the same candidates in the same order are the same question
SET dp_agg.kept_max_age = '1 day';
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
SELECT count(*) FROM dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1], [0, -1]], 'hinge', 2);
SELECT count(*) FROM dp_select_model('visits', 'well', '{"ward": [1, 3]}', ARRAY[[0, 1], [0, -1]], 'hinge', 2);
SELECT is_free(q), q FROM (VALUES
	($$SELECT model FROM dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1], [0, -1]], 'hinge', 2, 0.5)$$),
	($$SELECT model FROM dp_select_model('visits', 'well', '{"ward": [1, 3]}', ARRAY[[0, 1], [0, -1]], 'hinge', 2)$$),
	($$SELECT model FROM dp_select_model('people', 'well', '{"age": [0, 81]}', ARRAY[[0, 1], [0, -1]], 'hinge', 2)$$),
	($$SELECT model FROM dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, -1], [0, 1]], 'hinge', 2)$$),
	($$SELECT model FROM dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1], [0, -2]], 'hinge', 2)$$),
	($$SELECT model FROM dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1], [0, -1]], 'hinge', 3)$$),
	($$SELECT model FROM dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1], [0, -1]], 'logistic', 2)$$),
	($$SELECT model FROM dp_select_model('people', 'NOT well', '{"age": [0, 80]}', ARRAY[[0, 1], [0, -1]], 'hinge', 2)$$),
	($$SELECT model FROM dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1], [0, -1]], 'hinge', 2, 0.6)$$)) v (q);
RESET dp_agg.kept_max_age;

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
	($$(SELECT dp_select_model('people', 'well', ARRAY['true'])) x$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1]], 'hinge')$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1]], 'hinge', 'NaN')$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1]], 'logistic', 65537)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1]], 'zero_one', 2)$$),
	($$dp_select_model('people', 'id', '{"age": [0, 80]}', ARRAY[[0, 1]], 'squared', 0)$$),
	($$dp_select_model('people', 'id', '{"age": [0, 80]}', ARRAY[[0, 1]], 'absolute', 'Infinity')$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1]], 'perceptron', 1)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1]], NULL, 1)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', NULL, 'hinge', 1)$$),
	($$dp_select_model('people', 'well', NULL::json, ARRAY[[0, 1]], 'hinge', 1)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[0, 1], 'hinge', 1)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', '{}', 'hinge', 1)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1, 2]], 'hinge', 1)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, NULL]], 'hinge', 1)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[[0, 1025]], 'hinge', 1)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', ARRAY[['NaN', 1]]::float8[], 'hinge', 1)$$),
	($$dp_select_model('people', 'id', '{"age": [0, 80]}', ARRAY[[0, 102401]], 'squared', 10000)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', array_fill(0::float8, ARRAY[65537, 2]), 'hinge', 1)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80], "city": ["a", "b", "c", "d", "e", "f", "g"]}', array_fill(0::float8, ARRAY[50001, 8]), 'hinge', 1)$$),
	($$dp_select_model('people', 'well', '{"city": ["a"]}', ARRAY[[0]], 'hinge', 1)$$),
	($$dp_select_model('people', 'well', '{"age": true}', ARRAY[[0, 1]], 'hinge', 1)$$),
	($$dp_select_model('people', 'well', '{"well": true}', ARRAY[[0, 1]], 'hinge', 1)$$),
	($$dp_select_model('people', 'well', '{"id": [0, 1]}', ARRAY[[0, 1]], 'hinge', 1)$$),
	($$dp_select_model('people', 'age', '{"age": [0, 80]}', ARRAY[[0, 1]], 'hinge', 1)$$),
	($$dp_select_model('people', 'city', '{"age": [0, 80]}', ARRAY[[0, 1]], 'squared', 1)$$),
	($$dp_select_model('people', 'age, age', '{"age": [0, 80]}', ARRAY[[0, 1]], 'squared', 1)$$),
	($$dp_select_model('people', 'count(*)', '{"age": [0, 80]}', ARRAY[[0, 1]], 'squared', 1)$$),
	($$dp_select_model('people', 'generate_series(1, age)', '{"age": [0, 80]}', ARRAY[[0, 1]], 'squared', 1)$$),
	($$dp_select_model('people', 'age::text::int', '{"age": [0, 80]}', dp_agg.model_grid(2, 1, 2), 'squared', 1)$$),
	($$dp_select_model('people', 'random()', '{"age": [0, 80]}', ARRAY[[0, 1]], 'squared', 1)$$),
	($$dp_select_model('people', 'well', '{"age": [0, 80]}', dp_agg.model_grid(1, random(), 2), 'hinge', 1)$$),
	($$dp_select_model('open', 'well', '{"id": [0, 80]}', ARRAY[[0, 1]], 'hinge', 1)$$),
	($$(SELECT dp_agg_internal.losses('', 1, 1, well, age) FROM people) x$$)) v (call);
-- places of what is wrong are in the text they are in
SELECT 'éé', * FROM dp_select_model('people', 'well', ARRAY['true', 'age >']);
SELECT 'éé', * FROM dp_select_model('people', 'well AND', ARRAY['true']);
SELECT statements, refusals FROM dp_agg.budgets;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA models CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE model_analyst;
