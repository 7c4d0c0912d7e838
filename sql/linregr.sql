--
-- linregr: linear regression from one release of moments
--
CREATE EXTENSION dp_agg;
CREATE ROLE linregr_analyst;
CREATE SCHEMA linregr AUTHORIZATION linregr_analyst;
SET search_path = linregr, public;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad');
CREATE DOMAIN town AS text;
-- What is between bounds of these is on the grid of coordinates: sums are exact.
CREATE TABLE people (id int PRIMARY KEY, age int, sex boolean, city text, "what's ""it"", {}" town, how mood, code numeric, blank char(3), f float8, g float8, born date, seen timestamp, logged timestamptz, woke time, tags text[], doc xml, income numeric, mix float8);
INSERT INTO people SELECT k, k % 65, k % 2 = 0, 'city ' || k % 3, 'c' || k % 5, (ARRAY['sad', 'ok', 'glad'])[1 + k % 3]::mood, k % 7, 'b' || k % 2, k % 9 - 4, k % 9 - 4, date '2000-01-01' + k % 129,
	timestamp '2000-01-01' + (k % 257) * interval '1 s', timestamptz '2000-01-01 00:00+00' + (k % 257) * interval '1 s', time '00:00' + (k % 129) * interval '1 s', NULL, NULL,
	100 + 10 * (k % 65) + 1000 * (k % 2) + CASE k % 3 WHEN 1 THEN 200 WHEN 2 THEN 300 ELSE 0 END,
	50 + 7 * (k % 3) + 10 * (k % 7) + 100 * (k % 2) + 200 * (k % 5) + k % 129 FROM generate_series(1, 5000) k;
-- rows that do not count: of none of the keys, NULL, NaN
INSERT INTO people SELECT 10000 + k, CASE WHEN k = 1 THEN NULL ELSE 3 END, CASE WHEN k <> 2 THEN true END, CASE k WHEN 3 THEN NULL WHEN 4 THEN 'city 7' ELSE 'city 0' END, 'c0', 'ok', 1, 'b1',
	1, CASE WHEN k = 6 THEN 'NaN'::float8 ELSE 1 END, '2000-01-01', '2000-01-01', '2000-01-01', '00:00', NULL, NULL, CASE k WHEN 5 THEN NULL ELSE 16384 END, NULL FROM generate_series(1, 6) k;
-- their visits, up to nine each, of which four count
CREATE TABLE visits (person int, x float8, y float8);
INSERT INTO visits SELECT p, (p * k) % 33, ((p * k) % 33 + p % 5) FROM generate_series(1, 1000) p, generate_series(1, 9) k WHERE k <= p % 10;
INSERT INTO visits VALUES (5, NULL, 3), (6, 'NaN', 3), (7, 3, NULL), (NULL, 1, 1);
CREATE VIEW grown AS SELECT id, age - 10 AS age, sex, income AS pay, how FROM people WHERE age >= 18 AND id <= 5000;
CREATE TABLE public_table AS SELECT * FROM people;
GRANT SELECT ON public_table TO linregr_analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 4), dp_agg.set_domain('people', 'age', 0, 64), dp_agg.set_domain('people', 'income', 0, 16384),
	dp_agg.set_domain('people', 'city', '{city 0,city 1,city 2}'::text[]), dp_agg.set_domain('people', 'born', '2000-01-01', date '2000-05-08'), dp_agg.hide_column('people', 'f');
SELECT dp_agg.set_budget('linregr_analyst', 1e12, 1e-2);
-- a unit's rows weigh four together where there are more
CREATE TABLE weighted AS SELECT least(count(*) OVER w, 4) / (count(*) OVER w)::float8 AS weight, x, y
	FROM visits WHERE x <> 'NaN' AND y IS NOT NULL AND person IS NOT NULL WINDOW w AS (PARTITION BY person);
CREATE TABLE right_line AS SELECT (sxy - sx * sy / n) / (sxx - sx * sx / n) AS slope, (sy - sx * (sxy - sx * sy / n) / (sxx - sx * sx / n)) / n AS intercept
	FROM (SELECT sum(weight) AS n, sum(weight * x) AS sx, sum(weight * y) AS sy, sum(weight * x * x) AS sxx, sum(weight * x * y) AS sxy FROM weighted) s;
GRANT SELECT ON right_line TO linregr_analyst;
GRANT CREATE ON SCHEMA linregr TO linregr_analyst;
SET ROLE linregr_analyst;

-- At epsilon 1048576 a total has noise of scale 1e-4 rows at most, beyond 0.01 with a chance of 1e-43; that moves coefficients by
-- less than 1e-3 of the spread of y.
SET dp_agg.epsilon = 1048576;
SELECT term, round(coef::numeric) AS coef, std_err < 1 AS sure, p_value < 0.001 AS differs, coef BETWEEN lower - 0.01 AND upper + 0.01 AS inside, shrunk, array_length(covariance, 1) AS terms
	FROM dp_linregr('people', 'income', 0, 16384, '{"age": [0, 64], "sex": true, "city": ["city 0", "city 1", "city 2"], "g": [-8, 8]}') WHERE term <> '(sigma)';
SELECT coef < 30 AS small, lower <= coef AND coef <= upper AS inside, t_stat, covariance FROM dp_linregr('people', 'income', 0, 16384, '{"age": [0, 64], "sex": true, "city": ["city 0", "city 1", "city 2"], "g": [-8, 8]}') WHERE term = '(sigma)';
-- the same of what is declared, in another order, in a view, and in part
SELECT term, round(coef::numeric) AS coef FROM dp_linregr('people', 'income', '["city", "age", "sex"]', filter => 'id <= 5000') WHERE term <> '(sigma)';
SELECT term, round(coef::numeric) AS coef FROM dp_linregr('people', 'income', columns => '["sex", "age"]', filter => 'city = ''city 1''') WHERE term <> '(sigma)';
SELECT term, round(coef::numeric) AS coef FROM dp_linregr('grown', 'pay', 0, 16384, '{"age": true, "sex": true, "how": true}') WHERE term <> '(sigma)';
SELECT term, round(coef::numeric) AS coef FROM dp_linregr('people', 'income', '{"city": ["city 2", "city 0"], "age": true, "sex": ["false", "true"]}', filter => 'id <= 5000') WHERE term <> '(sigma)';
-- variances that are too small for a double: no error of 0, and no coefficient beyond all doubt
CREATE VIEW minute AS SELECT id, age, age * 1e-202::float8 AS tiny FROM people WHERE id <= 5000;
SELECT term, abs(coef) < 1e-199 AS small, std_err, t_stat, p_value, lower IS NULL AS unknown, covariance FROM dp_linregr('minute', 'tiny', 0, 1e-200, '{"age": [0, 64]}');
SELECT term, std_err IS NULL AS unknown, t_stat BETWEEN -1e6 AND 1e6 AS bounded, p_value IS NULL AS p_unknown FROM dp_linregr('minute', 'tiny', 0, 1e-100, '{"age": [0, 1e100]}');
SELECT term, std_err IS NULL AS unknown, z_stat IS NULL AS z_unknown, p_value IS NULL AS p_unknown, abs(covariance[2]) < 1e-200 AS small FROM dp_logregr('minute', 'age > 30', '{"tiny": [0, 1e200]}');
SELECT lower < -1e-160 AND upper > 1e-160 AS not_surer FROM (SELECT (dp_predict_interval(coef, covariance, 1e-200, ARRAY[1, 5])).*
	FROM (SELECT array_agg(coef) AS coef, array_agg(covariance) AS covariance FROM dp_linregr('minute', 'tiny', 0, 1e-200, '{"age": [0, 64]}') WHERE term <> '(sigma)') m) p;
-- a view's column that is the same in all rows
CREATE VIEW alike AS SELECT id, age, 5 AS five, NULL::int AS nothing, income AS pay FROM people WHERE id <= 5000;
SELECT term, coef IS NOT NULL AS answered FROM dp_linregr('alike', 'pay', 0, 16384, '{"age": [0, 64], "five": [0, 10]}') WHERE term <> '(sigma)';
SELECT term, coef IS NOT NULL AS answered FROM dp_linregr('alike', 'pay', 0, 16384, '{"nothing": [0, 10]}') WHERE term <> '(sigma)';
-- each type of column
SELECT term, round(coef::numeric) AS coef FROM dp_linregr('people', 'mix', 0, 16384, '{"how": ["ok", "sad"], "code": ["0", "1.0", "2.00", "3"], "blank": ["b0", "b1 "], "what''s \"it\", {}": ["c0", "c1", "c2", "c3", "c4"], "born": true}') WHERE term <> '(sigma)';
SELECT term FROM dp_linregr('people', 'age', 0, 64, '{"seen": ["2000-01-01", "2000-01-01 00:04:16"], "logged": ["2000-01-01 00:00+00", "2000-01-01 00:04:16+00"], "woke": ["00:00", "00:02:08", 4]}');
-- beyond bounds values are at one
SELECT abs(max(coef) FILTER (WHERE term = 'age') - (SELECT regr_slope(income, least(age, 32)) FROM public_table WHERE id <= 5000)) < 0.01 AS clamped
	FROM dp_linregr('people', 'income', 0, 16384, '{"age": [0, 32]}', filter => 'id <= 5000');
SELECT bool_and(abs(coef - CASE term WHEN '(intercept)' THEN intercept ELSE slope END) < 0.001) AS weighted
	FROM dp_linregr('visits', 'y', 0, 64, '{"x": [0, 32]}'), right_line WHERE term <> '(sigma)';
SET dp_agg.mechanism = gaussian;
SELECT bool_and(abs(coef - CASE term WHEN '(intercept)' THEN intercept ELSE slope END) < 0.01) AS weighted
	FROM dp_linregr('visits', 'y', 0, 64, '{"x": [0, 32]}'), right_line WHERE term <> '(sigma)';
RESET dp_agg.mechanism;
-- nobody, and noise alone
SELECT term, coef, std_err, t_stat, p_value, lower, upper, shrunk FROM dp_linregr('people', 'income', 0, 16384, '{"age": [0, 64]}', filter => 'false') WHERE shrunk AND coef <> 'NaN' AND std_err > 1e6;
SELECT count(*), bool_and(coef <> 'NaN' AND std_err IS DISTINCT FROM 'NaN' AND t_stat IS DISTINCT FROM 'NaN' AND p_value IS DISTINCT FROM 'NaN' AND lower <> 'NaN' AND upper <> 'NaN') AS numbers
	FROM generate_series(1, 20) i, dp_linregr('people', 'income', 0, 16384, '{"age": [0, 64], "sex": true}', 0.0001, 'id < 10');

-- predictions
SELECT dp_predict(coef, ARRAY[1, 40, 1, 0, 1]) BETWEEN 799 AND 801 AS predicted, (dp_predict_interval(coef, covariance, sigma, ARRAY[1, 40, 1, 0, 1])).lower BETWEEN 700 AND 800 AS lower,
		(dp_predict_interval(coef, covariance, sigma, ARRAY[1, 40, 1, 0, 1], 0.999)).upper BETWEEN 800 AND 900 AS upper
	FROM (SELECT array_agg(coef) FILTER (WHERE term <> '(sigma)') AS coef, array_agg(covariance) FILTER (WHERE term <> '(sigma)') AS covariance, max(upper) FILTER (WHERE term = '(sigma)') AS sigma
		FROM dp_linregr('people', 'income', '["age", "sex", "city"]', filter => 'id <= 5000')) m;
SELECT dp_predict('{1,2,3}', '{1,10,100}'), dp_predict_prob('{0.5,-0.5}', '{1,1}'), dp_predict_prob('{1e300,1e300}', '{1,1e300}'), dp_predict('{-1e300,1}', '{1e300,0}'), dp_predict(NULL, '{1}');
SELECT round(lower::numeric, 4) AS lower, round(upper::numeric, 4) AS upper FROM dp_predict_interval('{1,2}', '{{0.01,0},{0,0.04}}', 0.5, '{1,3}');
SELECT * FROM dp_predict_interval('{1,2}', '{{Infinity,0},{0,Infinity}}', 0, '{1,3}');
SELECT dp_predict('{1,2}', '{1}');
SELECT dp_predict('{}', '{}');
SELECT dp_predict('{1,NULL}', '{1,1}');
SELECT dp_predict('{1,NaN}', '{1,1}');
SELECT dp_predict_interval('{1,2}', '{1,2,3}', 1, '{1,3}');
SELECT dp_predict_interval('{1,2}', '{1,2,3,4}', -1, '{1,3}');
SELECT dp_predict_interval('{1,2}', '{1,2,3,4}', 1, '{1,3}', 1);

-- parameters
PREPARE r AS SELECT term, round(coef::numeric) AS coef FROM dp_linregr($1, $2, 0, $3, $4, $5, $6) WHERE term <> '(sigma)';
EXECUTE r ('people', 'income', 16384, '{"age": [0, 64], "sex": true}', NULL, 'city = ''city 0'' AND id <= 5000');
EXECUTE r ('people', 'age', 64, '["city"]', 1048576, 'false');
EXECUTE r ('people', 'income', 16384, NULL, NULL, NULL);
DEALLOCATE r;

-- what it costs, and what is told
SET dp_agg.epsilon = 0.5;
SELECT aggregate, mechanism, epsilon, delta, max_rows, sensitivity, at_rows FROM (dp_agg.price($$ SELECT * FROM dp_linregr('people', 'income', '["age", "sex"]') a, dp_linregr('visits', 'y', 0, 64, '{"x": [0, 32]}', 2) b $$) WITH ORDINALITY NATURAL JOIN dp_agg.price_details($$ SELECT * FROM dp_linregr('people', 'income', '["age", "sex"]') a, dp_linregr('visits', 'y', 0, 64, '{"x": [0, 32]}', 2) b $$) WITH ORDINALITY) ORDER BY ordinality;
SET dp_agg.mechanism = gaussian;
EXPLAIN (COSTS OFF) SELECT coef FROM dp_linregr('visits', 'y', 0, 64, '{"x": [0, 32]}', 2);
SELECT count(*) FROM dp_linregr('visits', 'y', 0, 64, '{"x": [0, 32]}', 2);
SELECT aggregate, mechanism, epsilon, delta, admitted, max_rows, round(sensitivity::numeric, 6) AS sensitivity FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) ORDER BY ordinality;
RESET dp_agg.mechanism;
-- of several in a statement all are charged
SELECT count(*) FROM dp_linregr('people', 'income', '["age"]', 0.25) a, dp_linregr('people', 'age', '["sex"]', 0.125) b;
SELECT aggregate, epsilon FROM dp_agg.last_release();
RESET ROLE;
SELECT jsonb_array_length(releases) AS blocks, releases -> 0 -> 'releases' -> 0 ->> 'totals' AS totals, releases -> 0 ->> 'call' AS call FROM dp_agg.ledger ORDER BY id DESC LIMIT 1;
SELECT count(*) AS problems FROM dp_agg.verify_ledger();
SET ROLE linregr_analyst;

-- answers that are kept: to the same question, and to no other
SET dp_agg.kept_max_age = '1 day';
SET dp_agg.epsilon = 0.25;
CREATE TABLE first AS SELECT * FROM dp_linregr('people', 'income', 0, 16384, '{"age": [0, 64], "city": ["city 0", "city 1"]}');
CREATE FUNCTION is_kept(asked text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE same boolean;
BEGIN
	EXECUTE 'SELECT count(*) = 0 FROM (SELECT coef, std_err, covariance FROM (' || asked || ') a EXCEPT SELECT coef, std_err, covariance FROM first) d' INTO same;
	RETURN same;
END $$;
SELECT is_kept('SELECT * FROM dp_linregr(''people'', ''income'', 0, 16384, ''{"age":[0,64],"city":["city 0","city 1"]}'')') AS same,
	is_kept('SELECT * FROM dp_linregr(''people'', ''income'', columns => ''{"age": true,"city":["city 0","city 1"]}'')') AS declared;
SELECT is_kept('SELECT * FROM dp_linregr(''people'', ''income'', 0, 16384, ''{"city":["city 0","city 1"],"age":[0,64]}'')') AS order, is_kept('SELECT * FROM dp_linregr(''people'', ''income'', 0, 16384, ''{"age":[0,65],"city":["city 0","city 1"]}'')') AS bounds,
	is_kept('SELECT * FROM dp_linregr(''people'', ''income'', 0, 16385, ''{"age":[0,64],"city":["city 0","city 1"]}'')') AS y_bounds, is_kept('SELECT * FROM dp_linregr(''people'', ''income'', 0, 16384, ''{"age":[0,64],"city":["city 1","city 0"]}'')') AS keys,
	is_kept('SELECT * FROM dp_linregr(''people'', ''income'', 0, 16384, ''{"age":[0,64],"city":["city 0","city 1"]}'', filter => ''id > 0'')') AS filter, is_kept('SELECT * FROM dp_linregr(''people'', ''income'', 0, 16384, ''{"age":[0,64],"city":["city 0","city 1"]}'', 0.26)') AS epsilon;
RESET dp_agg.kept_max_age;

-- a sample of units
SET dp_agg.sample_rate = 0.5;
SET dp_agg.epsilon = 1048576;
SELECT term, round(coef::numeric) AS coef FROM dp_linregr('people', 'income', '["age", "sex", "city"]', filter => 'id <= 5000') WHERE term <> '(sigma)';
RESET dp_agg.sample_rate;

-- what is refused
SET dp_agg.epsilon = 1;
\set VERBOSITY default
SELECT dp_linregr('people', 'income', 0, 1, '{"age": [0, 64]}');
SELECT * FROM dp_linregr('public_table', 'income', 0, 1, '{"age": [0, 64]}');
SELECT * FROM dp_linregr('people', 'missing', 0, 1, '{"age": [0, 64]}');
SELECT * FROM dp_linregr('people', 'income', 1, 1, '{"age": [0, 64]}');
SELECT * FROM dp_linregr('people', 'income', 0, 'Infinity', '{"age": [0, 64]}');
SELECT * FROM dp_linregr('people', 'income', float8 'NaN', 1, '{"age": [0, 64]}');
SELECT * FROM dp_linregr('people', 'income', -1e308, 1e308, '{"age": [0, 64]}');
SELECT * FROM dp_linregr('people', 'income', 0, 1e-310, '{"age": [0, 64]}');
SELECT * FROM dp_linregr('people', 'city', 0, 1, '{"age": [0, 64]}');
SELECT * FROM dp_linregr('people', 'born', '["age"]');
SELECT * FROM dp_linregr('people', 'sex', '["age"]');
SELECT * FROM dp_linregr('people', 'code', '["age"]');
SELECT * FROM dp_linregr('people', 'id', 0, 1, '["age"]');
SELECT * FROM dp_linregr('people', 'income', '["age"]', 0);
SELECT * FROM dp_linregr('people', 'income', '["age"]', filter => 'true) OR (true');
SELECT * FROM dp_linregr('people', 'income', '["age"]', filter => 'city');
SELECT * FROM dp_linregr('people', 'income', '["missing"]');
SELECT * FROM dp_linregr('people', 'income', '["ctid"]');
SELECT * FROM dp_linregr('people', 'income', '["age", "income"]');
SELECT * FROM dp_linregr('people', 'income', '["age", "age"]');
SELECT * FROM dp_linregr('people', 'income', '{"age": [0, 64], "sex": true, "age": [0, 64]}');
SELECT * FROM dp_linregr('people', 'income', '["id"]');
SELECT * FROM dp_linregr('grown', 'pay', 0, 1, '{"id": [0, 1]}');
SELECT * FROM dp_linregr('people', 'income', '["f"]');
SELECT * FROM dp_linregr('people', 'income', '{"f": [0, 1]}');
SELECT * FROM dp_linregr('people', 'income', '{"tags": ["{a}"]}');
SELECT * FROM dp_linregr('people', 'income', '{"doc": ["a"]}');
SELECT * FROM dp_linregr('people', 'income', '["code"]');
SELECT * FROM dp_linregr('people', 'income', '["blank"]');
SELECT * FROM dp_linregr('people', 'income', '["seen"]');
SELECT * FROM dp_linregr('people', 'income', '[]');
SELECT * FROM dp_linregr('people', 'income', '{}');
SELECT * FROM dp_linregr('people', 'income', '"age"');
SELECT * FROM dp_linregr('people', 'income', 'null');
SELECT * FROM dp_linregr('people', 'income', '[["age"]]');
SELECT * FROM dp_linregr('people', 'income', '{"age": {"lower": 0}}');
SELECT * FROM dp_linregr('people', 'income', '{"age": [[0, 64]]}');
SELECT * FROM dp_linregr('people', 'income', '{"age": [0, null]}');
SELECT * FROM dp_linregr('people', 'income', '{"age": null}');
SELECT * FROM dp_linregr('people', 'income', '{"age": false}');
SELECT * FROM dp_linregr('people', 'income', '{"age": "0"}');
SELECT * FROM dp_linregr('people', 'income', '["age", 3]');
SELECT * FROM dp_linregr('people', 'income', '{"age": []}');
SELECT * FROM dp_linregr('people', 'income', '{"age": [0]}');
SELECT * FROM dp_linregr('people', 'income', '{"age": [0, 64, 5, 6]}');
SELECT * FROM dp_linregr('people', 'income', '{"age": [64, 0]}');
SELECT * FROM dp_linregr('people', 'income', '{"age": [0, 1e400]}');
SELECT * FROM dp_linregr('people', 'income', '{"age": [0, 64, 0.5]}');
SELECT * FROM dp_linregr('people', 'income', '{"age": [0, "64"]}');
SELECT * FROM dp_linregr('people', 'income', '{"city": [0, 1]}');
SELECT * FROM dp_linregr('people', 'income', '{"born": [0, 1]}');
SELECT * FROM dp_linregr('people', 'income', '{"born": ["2000-01-01", "infinity"]}');
SELECT * FROM dp_linregr('people', 'income', '{"city": ["one"]}');
SELECT * FROM dp_linregr('people', 'age', 0, 64, format('{"id": [0, 1], "city": %s}', (SELECT json_agg('k' || k) FROM generate_series(1, 66) k))::json);
SELECT * FROM dp_linregr('people', 'age', 0, 64, '{"city": ["k1","k2","k3","k4","k5","k6","k7","k8","k9","k10","k11","k12","k13","k14","k15","k16","k17","k18","k19","k20","k21","k22","k23","k24","k25","k26","k27","k28","k29","k30","k31","k32","k33","k34","k35","k36","k37","k38","k39","k40","k41","k42","k43","k44","k45","k46","k47","k48","k49","k50","k51","k52","k53","k54","k55","k56","k57","k58","k59","k60","k61","k62","k63","k64","k65","k66"]}');
SELECT json_build_object('city', json_agg('k' || k)) AS many FROM generate_series(1, 10001) k \gset
SELECT * FROM dp_linregr('people', 'income', :'many');
SELECT json_agg('k' || k) AS many FROM generate_series(1, 65) k \gset
SELECT * FROM dp_linregr('people', 'income', :'many');
-- keys that are equal to their type, and keys that are none
SELECT * FROM dp_linregr('people', 'income', '{"age": ["1", "01"]}');
SELECT * FROM dp_linregr('people', 'income', '{"code": ["1", "1.0"]}');
SELECT * FROM dp_linregr('people', 'income', '{"blank": ["a", "a "]}');
SELECT * FROM dp_linregr('people', 'income', '{"sex": ["true", "t"]}');
SELECT * FROM dp_linregr('people', 'income', '{"how": ["ok", "angry"]}');
SELECT * FROM dp_linregr('people', 'income', '{"age": ["one"]}');
-- hostile texts
SELECT * FROM dp_linregr('people', 'income', '{"age\"; DROP TABLE people; --": [0, 1]}');
SELECT * FROM dp_linregr('people', 'income', '{"age\u0000": [0, 1]}');
SELECT * FROM dp_linregr('people', 'income', '{"\ud800": [0, 1]}');
SELECT length(term) FROM dp_linregr('people', 'age', 0, 64, '{"city": ["''; SELECT 1; --", "$$", "$1", "\\", "\"", "\n", "\u00e9"]}', 1);
-- what only the extension may call
SELECT dp_agg_internal.model('\x00', 1.0, 3) FROM people;
SELECT dp_agg_internal.exact_model('\x00', 1, 3);
SELECT dp_agg_internal.exact_model(decode(repeat('00', 272), 'hex'), 1, 3);
SELECT * FROM dp_agg_internal.linear_fit('\x00', '{}', '{}');
SELECT dp_agg_internal.released_model('\x00', '\x00');
-- more rows than a unit may have: as many as it is charged for, whatever one has
SET dp_agg.max_rows = 1000000000;
SELECT count(*) FROM dp_linregr('visits', 'y', 0, 64, '{"x": [0, 32]}', 1);
SET dp_agg.mechanism = gaussian;
SELECT count(*) FROM dp_linregr('visits', 'y', 0, 64, '{"x": [0, 32]}', 1e-3);
SELECT count(*) FROM dp_linregr('visits', 'y', 0, 64, '{"x": [0, 32]}', 1e-9);

RESET ROLE;
\set VERBOSITY terse
SET client_min_messages = warning;
DROP SCHEMA linregr CASCADE;
SELECT dp_agg.drop_budget('linregr_analyst');
DROP ROLE linregr_analyst;
DROP EXTENSION dp_agg;
