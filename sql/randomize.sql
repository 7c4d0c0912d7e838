-- answers randomised before they are stored, and what they tell
CREATE EXTENSION dp_agg;
CREATE ROLE randomize_analyst;
SET ROLE randomize_analyst;

-- with a large epsilon all tell the truth, with a small one none can be believed
SELECT count(*) FILTER (WHERE dp_randomize(i % 3 = 0, 1e3) = (i % 3 = 0)) AS truths FROM generate_series(1, 1000) i;
SELECT count(*) FILTER (WHERE dp_randomize(chr(96 + i % 26 + 1), ARRAY(SELECT chr(96 + j) FROM generate_series(1, 26) j), 1e3) = chr(96 + i % 26 + 1)) AS truths FROM generate_series(1, 1000) i;
SELECT count(DISTINCT dp_randomize('a', '{a,b,c}', 1e-9)) AS told FROM generate_series(1, 1000) i;
SELECT count(*) FILTER (WHERE dp_randomize('', '{"",b}', 1048576) = '') AS truths FROM generate_series(1, 100);
-- a domain of its own in each row
SELECT string_agg(dp_randomize(i::text, ARRAY[i::text, (i + 1)::text], 1e3), ' ' ORDER BY i) FROM generate_series(1, 5) i;

-- estimates: those of answers known to be true, and exact formulas
SELECT (dp_randomized_estimate(i <= 30, 1e3)).* FROM generate_series(1, 100) i;
SELECT e.* FROM (SELECT dp_randomized_estimate(substr('aabbbccccc', i, 1), '{c,b,a,z}', 1e3) FROM generate_series(1, 10) i) s (a), unnest(a) e;
WITH formula AS (SELECT exp(1.5) / (exp(1.5) + 2) AS p, 1 / (exp(1.5) + 2) AS q, 0.5 AS f, 400 AS n),
	share AS (SELECT *, (f - q) / (p - q) AS r FROM formula),
	estimate AS (SELECT (dp_randomized_estimate((ARRAY['a','a','b','c'])[i % 4 + 1], '{a,b,c}', 1.5))[1].* FROM generate_series(1, 400) i)
SELECT told, abs(proportion - r) < 1e-12 AS proportion,
	abs(standard_error - sqrt((r * p * (1 - p) + (1 - r) * q * (1 - q)) / n) / (p - q)) < 1e-12 AS standard_error FROM share, estimate;
SELECT abs(proportion - (0.25 - 1 / (exp(1) + 1)) / ((exp(1) - 1) / (exp(1) + 1))) < 1e-12 AS proportion,
	abs(standard_error - sqrt(exp(1) / 100) / (exp(1) - 1)) < 1e-12 AS standard_error
FROM (SELECT (dp_randomized_estimate(i % 4 = 0, 1)).* FROM generate_series(1, 100) i) s;
SELECT dp_randomized_estimate(NULL::boolean, 1), dp_randomized_estimate(NULL, '{a,b}', 1) FROM generate_series(1, 3);
SELECT dp_randomized_estimate(true, 1) FROM generate_series(1, 0);
SELECT told FROM (SELECT (dp_randomized_estimate(CASE WHEN i > 5 THEN true END, 1)).* FROM generate_series(1, 20) i) s;
RESET ROLE;

-- in parallel
CREATE TABLE survey (answer text, yes boolean);
INSERT INTO survey SELECT (ARRAY['a','b','b',NULL])[i % 4 + 1], i % 5 = 0 FROM generate_series(1, 10000) i;
ALTER TABLE survey SET (parallel_workers = 2);
GRANT SELECT ON survey TO randomize_analyst;
SET ROLE randomize_analyst;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT dp_randomized_estimate(answer, '{a,b,c}', 1000), dp_randomized_estimate(yes, 1000) FROM survey;
SELECT dp_randomized_estimate(answer, '{a,b,c}', 1000), dp_randomized_estimate(yes, 1000) FROM survey;

-- errors say nothing about values
SELECT dp_randomize(NULL::boolean, 1);
SELECT dp_randomize(NULL, '{a,b}', 1);
SELECT dp_randomize('secret', '{a,b}', 1);
SELECT dp_randomize('a', '{a}', 1);
SELECT dp_randomize('a', '{a,a}', 1);
SELECT dp_randomize('a', '{a,NULL}', 1);
SELECT dp_randomize('a', NULL, 1);
SELECT dp_randomize('a', ARRAY(SELECT i::text FROM generate_series(1, 10001) i), 1);
SELECT dp_randomize(true, NULL);
SELECT dp_randomize(true, e) FROM unnest('{0}'::float8[]) e;
SELECT dp_randomize(true, e) FROM unnest('{NaN}'::float8[]) e;
SELECT dp_randomize(true, e) FROM unnest('{Infinity}'::float8[]) e;
SELECT dp_randomized_estimate(true, i) FROM generate_series(1, 2) i;
SELECT dp_randomized_estimate('a', CASE i WHEN 1 THEN '{a,b}' ELSE '{b,a}' END::text[], 1) FROM generate_series(1, 2) i;
SELECT dp_randomized_estimate('secret', '{a,b}', 1);
-- no way round the gate
RESET ROLE;
CREATE TABLE people (id int PRIMARY KEY, smokes boolean);
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget('randomize_analyst', 10, 1e-6);
SET ROLE randomize_analyst;
SELECT dp_randomize(smokes, 1e3) FROM people;
SELECT dp_count(*) FROM people WHERE dp_randomize(smokes, 1e3);
SELECT dp_count(*), dp_randomized_estimate(smokes, 1e3) FROM people;
RESET ROLE;

DROP TABLE people, survey;
DROP EXTENSION dp_agg;
DROP ROLE randomize_analyst;
