--
-- classification: dp_logregr and dp_svm, from totals of a model and of passes through its rows
--
CREATE EXTENSION dp_agg;
CREATE ROLE classes_analyst;
CREATE SCHEMA classes AUTHORIZATION classes_analyst;
SET search_path = classes, public;
CREATE DOMAIN answer AS boolean;
-- Whether someone bought follows age, sex and city by a logistic law.
CREATE TABLE people (id int PRIMARY KEY, age int, sex boolean, city text, score float8, bought boolean, agreed answer);
INSERT INTO people SELECT k, k % 65, k % 2 = 0, 'city ' || k % 3, (k % 101) / 100.0, (k * 7919) % 10007 < 10007 / (1 + exp(1.5 - 0.05 * (k % 65) + (k % 2) - CASE k % 3 WHEN 1 THEN 0.8 ELSE 0 END)), k % 2 = 0 FROM generate_series(1, 10000) k;
-- rows that do not count: of none of the keys, NULL, NaN, without an answer
INSERT INTO people SELECT 20000 + k, CASE WHEN k = 1 THEN NULL ELSE 64 END, CASE WHEN k <> 2 THEN true END, CASE k WHEN 3 THEN NULL WHEN 4 THEN 'city 7' ELSE 'city 1' END, CASE k WHEN 5 THEN 'NaN'::float8 ELSE 1 END, CASE WHEN k <> 6 THEN false END FROM generate_series(1, 6) k;
-- their visits, up to nine each, of which four count
CREATE TABLE visits (person int, x float8, late boolean);
INSERT INTO visits SELECT p, (p * k) % 33, (p * 7919 + k * 131) % 1009 < 1009 / (1 + exp(2 - 0.2 * ((p * k) % 33) + 0.2 * (p % 10))) FROM generate_series(1, 3000) p, generate_series(1, 9) k WHERE k <= p % 10;
INSERT INTO visits VALUES (5, NULL, true), (6, 'NaN', true), (7, 3, NULL), (NULL, 1, true);
CREATE VIEW grown AS SELECT id, age - 10 AS years, sex, bought AS paid FROM people WHERE age >= 18 AND id <= 10000;
CREATE TABLE public_table AS SELECT * FROM people WHERE id <= 10000;
CREATE TABLE weighted AS SELECT least(count(*) OVER w, 4) / (count(*) OVER w)::float8 AS weight, x, late
	FROM visits WHERE x <> 'NaN' AND late IS NOT NULL AND person IS NOT NULL WINDOW w AS (PARTITION BY person);
GRANT SELECT ON public_table, weighted TO classes_analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 4), dp_agg.set_domain('people', 'age', 0, 64),
	dp_agg.set_domain('people', 'city', '{city 0,city 1,city 2}'::text[]);
SELECT dp_agg.set_budget('classes_analyst', 1e12, 1e-2);
GRANT CREATE ON SCHEMA classes TO classes_analyst;
SET ROLE classes_analyst;

-- At epsilon 1048576 a total has noise of scale 1e-3 rows at most, beyond 0.1 with a chance of 1e-43: weights move by less than 1e-4.
-- The mean of each term's residuals is what is left to go.
SET dp_agg.epsilon = 1048576;
CREATE FUNCTION residuals(coef float8[]) RETURNS float8[] STABLE LANGUAGE sql AS $$
	SELECT ARRAY[avg(p - y), avg((p - y) * age) / 64, avg((p - y) * sex), avg((p - y) * one), avg((p - y) * two)] FROM (SELECT bought::int AS y, age, sex::int, (city = 'city 1')::int AS one, (city = 'city 2')::int AS two,
		dp_predict_prob(coef, ARRAY[1, age, sex::int, (city = 'city 1')::int, (city = 'city 2')::int]) AS p FROM public_table) r $$;
CREATE FUNCTION errors(coef float8[]) RETURNS float8 STABLE LANGUAGE sql AS $$
	SELECT avg(((dp_predict(coef, ARRAY[1, age, sex::int, (city = 'city 1')::int, (city = 'city 2')::int]) > 0) <> bought)::int) FROM public_table $$;
SELECT term, round(coef::numeric, 1) AS coef, std_err BETWEEN 0 AND 0.1 AS sure, p_value < 0.001 AS differs, z_stat = coef / std_err AS ratio, array_length(covariance, 1) AS terms
	FROM dp_logregr('people', 'bought', '{"age": [0, 64], "sex": true, "city": ["city 0", "city 1", "city 2"]}', 8);
SELECT passes, (SELECT max(abs(r)) FROM unnest(residuals(coef)) r) < CASE WHEN passes = 0 THEN 0.02 WHEN passes = 1 THEN 0.004 ELSE 0.002 END AS fits FROM (
	SELECT 0 AS passes, array_agg(coef) AS coef FROM dp_logregr('people', 'bought', '["age", "sex", "city"]', 0, filter => 'id <= 10000')
	UNION ALL SELECT 1, array_agg(coef) FROM dp_logregr('people', 'bought', '["age", "sex", "city"]', 1, filter => 'id <= 10000')
	UNION ALL SELECT 2, array_agg(coef) FROM dp_logregr('people', 'bought', '["age", "sex", "city"]', filter => 'id <= 10000')
	UNION ALL SELECT 8, array_agg(coef) FROM dp_logregr('people', 'bought', '["age", "sex", "city"]', 8, filter => 'id <= 10000')) m ORDER BY 1;
-- errors are not known without passes
SELECT term, std_err, z_stat, p_value, covariance FROM dp_logregr('people', 'bought', '["age", "sex"]', passes => 0);
SELECT bool_and(errors(coef) < least(errors('{1,0,0,0,0}'), errors('{-1,0,0,0,0}')) - 0.05) AS better_than_nothing FROM (
	SELECT array_agg(coef) AS coef FROM dp_svm('people', 'bought', '["age", "sex", "city"]', 0) UNION ALL SELECT array_agg(coef) FROM dp_svm('people', 'bought', '["age", "sex", "city"]')
	UNION ALL SELECT array_agg(coef) FROM dp_svm('people', 'bought', '["age", "sex", "city"]', 8)) m;
-- a condition, NULL of which does not count; a domain type; a view
SELECT term, round(coef::numeric, 1) AS coef FROM dp_logregr('people', 'NOT bought AND score < 2', '["sex", "age"]', filter => 'city = ''city 1''');
SELECT term, abs(coef) > 3 AS apart FROM dp_logregr('people', 'agreed', '["sex"]', 8);
SELECT term, round(coef::numeric, 1) AS coef FROM dp_logregr('grown', 'paid', '{"years": [0, 64], "sex": true}', 4);
-- what is the same for all rows, and what is never known
SELECT term, coef > 5 AS sure FROM dp_logregr('people', 'true', '{"age": [0, 64]}', 2) WHERE term = '(intercept)';
SELECT count(*) FROM dp_svm('people', 'NULL::boolean', '{"age": [0, 64]}', 2);
CREATE VIEW alike AS SELECT id, 5 AS five, true AS yes, NULL::int AS nothing, bought FROM people;
SELECT count(*) FROM dp_logregr('alike', 'bought', '{"five": [0, 10], "yes": true}', 2) a, dp_svm('alike', 'bought', '{"nothing": [0, 10]}', 0) b;
-- scores, of which one is NaN, tell nothing
SELECT term, abs(coef) < 0.5 AS none FROM dp_logregr('people', 'bought', '{"score": [0, 1]}') WHERE term = 'score';
-- a unit's rows weigh four together where there are more
SELECT abs(avg(weight * (dp_predict_prob(coef, ARRAY[1, x]) - late::int))) < 0.001 AS intercept, abs(avg(weight * (dp_predict_prob(coef, ARRAY[1, x]) - late::int) * x)) / 32 < 0.001 AS x
	FROM weighted, (SELECT array_agg(coef) AS coef FROM dp_logregr('visits', 'late', '{"x": [0, 32]}', 8)) m GROUP BY coef;
SELECT abs(avg((dp_predict_prob(coef, ARRAY[1, x]) - late::int))) > 0.002 AS differs
	FROM weighted, (SELECT array_agg(coef) AS coef FROM dp_logregr('visits', 'late', '{"x": [0, 32]}', 8)) m GROUP BY coef;
-- 120 kB of rows, which do not fit memory
SET work_mem = '64kB';
SELECT max(abs(r)) < 0.002 AS fits FROM (SELECT array_agg(coef) AS coef FROM dp_logregr('people', 'bought', '["age", "sex", "city"]', 8, filter => 'id <= 10000')) m, unnest(residuals(coef)) r;
RESET work_mem;
SET dp_agg.mechanism = gaussian;
SELECT max(abs(r)) < 0.002 AS fits FROM (SELECT array_agg(coef) AS coef FROM dp_logregr('people', 'bought', '["age", "sex", "city"]', 8, filter => 'id <= 10000')) m, unnest(residuals(coef)) r;
RESET dp_agg.mechanism;
-- nobody, and noise alone
SELECT term, coef, std_err FROM dp_logregr('people', 'bought', '["age"]', filter => 'false') WHERE coef <> 0 AND std_err < 1;
SELECT count(*), bool_and(abs(coef) < 1e4 AND std_err IS DISTINCT FROM 'NaN' AND z_stat IS DISTINCT FROM 'NaN' AND p_value IS DISTINCT FROM 'NaN') AS numbers
	FROM generate_series(1, 20) i, dp_logregr('people', 'bought', '["age", "sex"]', 2, 0.0001, 'id < 10');

-- parameters
PREPARE r AS SELECT term, round(coef::numeric, 1) AS coef FROM dp_logregr($1, $2, $3, $4, $5, $6);
EXECUTE r ('people', 'bought', '["sex"]', 1, NULL, 'city = ''city 0''');
EXECUTE r ('people', 'bought', '["sex"]', 9, NULL, NULL);
EXECUTE r ('people', 'bought', '["sex"]', NULL, NULL, NULL);
DEALLOCATE r;

-- what it costs, and what is told
SET dp_agg.epsilon = 0.5;
SELECT aggregate, mechanism, epsilon, delta, max_rows, sensitivity FROM (dp_agg.price($$ SELECT * FROM dp_logregr('people', 'bought', '["age", "sex"]') a, dp_svm('visits', 'late', '{"x": [0, 32]}', 8, 2) b, dp_svm('people', 'bought', '["age"]', 0) c $$) WITH ORDINALITY NATURAL JOIN dp_agg.price_details($$ SELECT * FROM dp_logregr('people', 'bought', '["age", "sex"]') a, dp_svm('visits', 'late', '{"x": [0, 32]}', 8, 2) b, dp_svm('people', 'bought', '["age"]', 0) c $$) WITH ORDINALITY) ORDER BY ordinality;
SET dp_agg.mechanism = gaussian;
EXPLAIN (COSTS OFF) SELECT coef FROM dp_logregr('visits', 'late', '{"x": [0, 32]}', 1, 2);
SELECT count(*) FROM dp_logregr('visits', 'late', '{"x": [0, 32]}', 3, 2);
SELECT aggregate, mechanism, epsilon, delta, admitted, max_rows, round(sensitivity::numeric, 6) AS sensitivity FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) ORDER BY ordinality;
RESET dp_agg.mechanism;
SELECT count(*) FROM dp_logregr('people', 'bought', '["age", "sex"]', 4), dp_svm('people', 'bought', '["age", "sex"]', 0);
SELECT aggregate, epsilon FROM dp_agg.last_release();
RESET ROLE;
-- Passes have half of epsilon: of T of them, a unit with one row of two columns moves each by 3; the model has 7.5.  Under Gaussian noise they have half
-- of the squares.
SELECT id - min(id) OVER () AS n, release ->> 'aggregate' AS aggregate, release ->> 'mechanism' AS mechanism, round((release ->> 'epsilon')::numeric, 4) AS epsilon, release ->> 'totals' AS totals, noise ->> 'groups' AS groups,
	round(((noise ->> 'sensitivity')::numeric * 2 ^ (noise ->> 'grid')::int)::numeric, 4) AS sensitivity,
	round(((noise ->> 'groups')::numeric * (noise ->> 'sensitivity')::numeric * (noise ->> 'scale_den')::numeric / (noise ->> 'scale_num')::numeric), 4) AS pure,
	round(((noise ->> 'groups')::numeric * ((noise ->> 'sensitivity')::numeric / (noise ->> 'sigma')::numeric) ^ 2), 4) AS squares
	FROM (SELECT * FROM dp_agg.ledger ORDER BY id DESC LIMIT 2) l, jsonb_array_elements(releases) block, jsonb_array_elements(block -> 'releases') release, jsonb_array_elements(release -> 'noise') noise ORDER BY 1, release ->> 'aggregate';
SELECT releases -> 0 ->> 'call' AS call FROM dp_agg.ledger ORDER BY id DESC LIMIT 1;
SELECT count(*) AS problems FROM dp_agg.verify_ledger();
SET ROLE classes_analyst;

-- answers that are kept: to the same question, and to no other
SET dp_agg.kept_max_age = '1 day';
SET dp_agg.epsilon = 0.25;
CREATE TABLE first AS SELECT * FROM dp_logregr('people', 'bought', '{"age": [0, 64], "sex": true}', 2);
CREATE FUNCTION is_kept(asked text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE same boolean;
BEGIN
	EXECUTE 'SELECT count(*) = 0 FROM (SELECT term, coef FROM (' || asked || ') a EXCEPT SELECT term, coef FROM first) d' INTO same;
	RETURN same AND (SELECT bool_and(kept LIKE 'kept since%') FROM dp_agg.last_release());
END $$;
SELECT is_kept('SELECT * FROM dp_logregr(''people'', ''bought'', ''{"age":[0,64],"sex":true}'')') AS same, is_kept('SELECT * FROM dp_logregr(''people'', ''(bought)'', columns => ''["age", "sex"]'')') AS declared;
SELECT is_kept('SELECT * FROM dp_logregr(''people'', ''bought'', ''{"age":[0,64],"sex":true}'', 3)') AS passes, is_kept('SELECT * FROM dp_svm(''people'', ''bought'', ''{"age":[0,64],"sex":true}'')') AS svm,
	is_kept('SELECT * FROM dp_logregr(''people'', ''bought'', ''{"age":[0,65],"sex":true}'')') AS bounds, is_kept('SELECT * FROM dp_logregr(''people'', ''NOT bought'', ''{"age":[0,64],"sex":true}'')') AS y,
	is_kept('SELECT * FROM dp_logregr(''people'', ''bought'', ''{"age":[0,64],"sex":true}'', 2, 0.26)') AS epsilon, is_kept('SELECT * FROM dp_logregr(''people'', ''bought'', ''{"age":[0,64],"sex":true}'', filter => ''id > 0'')') AS filter;
-- Without passes all that is released is totals of the model, which serve both.
SELECT count(*) FROM dp_logregr('people', 'bought', '["age"]', 0);
SELECT count(*) FROM dp_svm('people', 'bought', '["age"]', 0);
SELECT kept LIKE 'kept since%' AS kept FROM dp_agg.last_release();
RESET dp_agg.kept_max_age;

-- a sample of units
SET dp_agg.sample_rate = 0.5;
SET dp_agg.epsilon = 1048576;
SELECT max(abs(r)) < 0.05 AS fits FROM (SELECT array_agg(coef) AS coef FROM dp_logregr('people', 'bought', '["age", "sex", "city"]', 4, filter => 'id <= 10000')) m, unnest(residuals(coef)) r;
RESET dp_agg.sample_rate;
RESET ROLE;
SELECT count(*) AS problems FROM dp_agg.verify_ledger();
SET ROLE classes_analyst;

-- what is refused
SET dp_agg.epsilon = 1;
\set VERBOSITY default
SELECT dp_logregr('people', 'bought', '["age"]');
SELECT * FROM dp_svm('public_table', 'bought', '{"age": [0, 64]}');
SELECT * FROM dp_logregr('people', 'bought', '["age"]', -1);
SELECT * FROM dp_svm('people', 'bought', '["age"]', 9);
SELECT * FROM dp_logregr('people', 'bought', '["age"]', NULL);
SELECT * FROM dp_logregr('people', NULL, '["age"]');
SELECT * FROM dp_logregr('people', 'age', '["sex"]');
SELECT * FROM dp_logregr('people', 'bought, sex', '["age"]');
SELECT * FROM dp_logregr('people', 'bought) OR (true', '["age"]');
SELECT * FROM dp_logregr('people', 'missing', '["age"]');
SELECT * FROM dp_logregr('people', 'count(*) > 5', '["age"]');
SELECT * FROM dp_logregr('people', 'age > (SELECT avg(age) FROM people)', '["age"]');
SELECT * FROM dp_logregr('people', 'bought', '["bought", "age"]');
SELECT * FROM dp_logregr('people', 'bought', '["id"]');
SELECT * FROM dp_logregr('people', 'bought', '["score"]');
SELECT * FROM dp_logregr('people', 'bought', '[]');
SELECT * FROM dp_svm('people', 'bought', '{"age": ["7"]}');
SELECT * FROM dp_logregr('people', 'bought', '["age"]', 2, 0);
SELECT * FROM dp_logregr('people', 'bought', '["age"]', 2, 1, 'true) OR (true');
SELECT count(*) FROM people, dp_logregr('people', 'bought', '["age"]', people.age);
\set VERBOSITY terse
-- by hand
SELECT dp_agg_internal.model('', 1, age) FROM people;
SELECT dp_agg_internal.model_row('', 1, 1);
SELECT dp_agg_internal.model_row(NULL, 1, 1);
SELECT dp_count(*) FROM people WHERE dp_agg_internal.model_row('', 1, age) IS NOT NULL;
SELECT dp_agg_internal.logistic_fit('', '{a}', '{1,1,1,1}');
SELECT dp_agg_internal.svm_fit(decode(repeat('ff', 400), 'hex'), '{a}', '{1,1,1,1}');
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA classes CASCADE;
SELECT dp_agg.drop_budget('classes_analyst');
DROP ROLE classes_analyst;
DROP EXTENSION dp_agg;
