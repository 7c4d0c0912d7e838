--
-- parallel_outer: releases in statements of which other parts are read by parallel workers
--
CREATE EXTENSION dp_agg;
CREATE ROLE outer_team;
CREATE ROLE outer_ann;
CREATE ROLE outer_bob IN ROLE outer_team;
CREATE SCHEMA outer_plans;
GRANT ALL ON SCHEMA outer_plans TO outer_ann, outer_bob;
SET search_path = outer_plans, public;
CREATE TABLE people (id int PRIMARY KEY, age int, smoker boolean, city text);
INSERT INTO people SELECT i, i % 65, i % 2 = 0, 'city ' || i % 3 FROM generate_series(1, 1500) i;
CREATE TABLE visits (patient int NOT NULL REFERENCES people, cost int);
INSERT INTO visits SELECT 1 + i % 1500, i % 50 FROM generate_series(1, 4500) i;
CREATE TABLE cities AS SELECT 'city ' || i AS city FROM generate_series(0, 3) i;
CREATE TABLE numbers AS SELECT generate_series(1, 5000) AS g;
ANALYZE numbers;
GRANT SELECT ON cities, numbers TO outer_ann, outer_bob;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'patient', 'default', 3, 3);
SELECT dp_agg.set_domain('people', 'age', 0, 64), dp_agg.set_domain('visits', 'cost', 0, 50);
SELECT dp_agg.set_budget('outer_ann', 1e9, 1e-3), dp_agg.set_budget('outer_team', 1e9, 1e-3), dp_agg.set_dataset_cap('default', 1e10, 1e-2);

-- Noise at this epsilon is beyond a row with a probability of 4e-22.
SET dp_agg.epsilon = 50;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET client_min_messages = warning;

-- each way to ask, as a scalar
CREATE TABLE questions (n serial, question text);
INSERT INTO questions (question) VALUES
	('SELECT count(*) > 1490 FROM people'),
	('SELECT dp_count(*) > 1490 FROM people'),
	('SELECT sum(cost) > 100000 FROM visits'),
	('SELECT count(DISTINCT patient) > 1490 FROM visits'),
	('SELECT avg(age) BETWEEN 30 AND 34 FROM people'),
	('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) BETWEEN 30 AND 34 FROM people'),
	('SELECT min(age) <= 1 FROM people'),
	('SELECT stddev(age) > 1 FROM people'),
	('SELECT dp_interval(dp_count(*), 0.9) IS NOT NULL FROM people'),
	('SELECT count(*) = 3 FROM (SELECT smoker, count(*) FROM people GROUP BY smoker) s'),
	('SELECT count(*) = 3 FROM (SELECT city, count(*) FROM people GROUP BY city) s'),
	('SELECT count(*) = 4 FROM (SELECT c.city, count(p.id) FROM cities c LEFT JOIN people p ON p.city = c.city GROUP BY c.city) s'),
	('SELECT count(*) = 4 FROM (SELECT city, smoker, count(*) FROM people GROUP BY GROUPING SETS ((smoker), (city))) s WHERE smoker OR city IS NOT NULL'),
	('SELECT count(*) > 1490 FROM people WHERE age < (SELECT max(g) FROM numbers)'),
	('SELECT count(*) > 490 FROM people WHERE city IN (SELECT city FROM cities WHERE city LIKE ''%1'')'),
	('SELECT count(*) > 1490 FROM people WHERE EXISTS (SELECT FROM visits v WHERE v.patient = people.id)'),
	('SELECT count(*) > 4400 FROM visits JOIN people ON patient = id'),
	('SELECT count(*) > 0 FROM (SELECT patient, row_number() OVER (PARTITION BY patient ORDER BY cost) AS r FROM visits) s WHERE r = 1'),
	('SELECT bool_and(count >= 0) FROM dp_histogram(''people'', ''age'', 0, 64, 4)'),
	('SELECT count(*) = 1 FROM dp_select_model(''people'', ''smoker'', ARRAY[''age = 1'', ''id % 2 = 0''])'),
	('SELECT count(*) > 0 FROM dp_linregr(''people'', ''age'', 0, 64, ''{"smoker": true}'')'),
	('SELECT count(*) > 0 FROM dp_synthesize(''people'', ''{"smoker": true, "age": [0, 64, 2]}'', 10) AS (smoker boolean, age int)');
CREATE FUNCTION all_asked() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('SELECT %s AS n, (%s) AS answered, s FROM (SELECT sum(g) AS s FROM numbers) s', n, question) FROM questions ORDER BY n $$;
GRANT SELECT ON questions TO outer_ann, outer_bob;
\pset tuples_only on
SET ROLE outer_ann;
-- a plan as every version shows it
CREATE FUNCTION plan(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
		RETURN NEXT regexp_replace(line, ' \(returns \$\d+\)', '');
	END LOOP;
END $$;
SELECT plan('SELECT (SELECT count(*) > 1490 FROM people) AS answered, s FROM (SELECT sum(g) AS s FROM numbers) s');
SELECT * FROM all_asked() \gexec
-- kept, and shown again, by who has a budget and who has a pool's; finer groups added up
SET dp_agg.kept_max_age = '1 day';
SELECT * FROM all_asked() \gexec
SELECT * FROM all_asked() \gexec
SELECT bool_and(kept LIKE 'kept%') FROM dp_agg.last_release();
SET dp_agg.kept_rollup = 2;
SELECT (SELECT count(*) > 490 FROM people WHERE city = 'city 1'), s FROM (SELECT sum(g) AS s FROM numbers) s;
RESET dp_agg.kept_rollup;
RESET ROLE;
SET ROLE outer_bob;
SELECT * FROM all_asked() \gexec
SELECT * FROM all_asked() \gexec
RESET dp_agg.kept_max_age;
-- chosen clamps and numbers of groups, samples, Gaussian noise, intervals of time
SET dp_agg.clipping = auto;
SELECT (SELECT sum(cost) > 0 FROM visits), s FROM (SELECT sum(g) AS s FROM numbers) s;
RESET dp_agg.clipping;
SET dp_agg.sample_rate = 0.5;
SELECT (SELECT count(*) > 0 FROM visits), s FROM (SELECT sum(g) AS s FROM numbers) s;
RESET dp_agg.sample_rate;
SET dp_agg.mechanism = gaussian;
SELECT (SELECT count(*) > 0 FROM visits), s FROM (SELECT sum(g) AS s FROM numbers) s;
RESET dp_agg.mechanism;
-- what the views show of budgets and answers
SELECT (SELECT count(*) > 0 FROM dp_agg.budgets), (SELECT count(*) > 0 FROM dp_agg.kept), s FROM (SELECT sum(g) AS s FROM numbers) s;
-- public code that may not run beside workers: then there are none
CREATE SEQUENCE drawn;
CREATE FUNCTION counting() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN nextval(''drawn'') + 100; END';
SELECT plan('SELECT (SELECT count(*) > 1490 FROM people WHERE age < (SELECT counting())), s FROM (SELECT sum(g) AS s FROM numbers) s');
SELECT (SELECT count(*) > 1490 FROM people WHERE age < (SELECT counting())), s FROM (SELECT sum(g) AS s FROM numbers) s;
DROP FUNCTION counting;
DROP SEQUENCE drawn;
RESET ROLE;
SELECT * FROM dp_agg.verify_ledger();
SET client_min_messages = error;
DROP SCHEMA outer_plans CASCADE;
SELECT dp_agg.drop_budget('outer_ann'), dp_agg.drop_budget('outer_team'), dp_agg.drop_dataset_cap('default');
DROP EXTENSION dp_agg;
DROP ROLE outer_ann, outer_bob, outer_team;
