--
-- units_quantiles: the node over units weighs rows as aggregates over the rows of each unit do
--
CREATE EXTENSION dp_agg;
SET client_min_messages = warning;
CREATE ROLE quantiles_analyst;
CREATE SCHEMA quantiles;
GRANT USAGE ON SCHEMA quantiles TO quantiles_analyst;
SET search_path = quantiles, public;

CREATE TABLE visits AS SELECT md5((n % 997)::text) AS unit, (n * n % 97) % 9 AS clinic, (n % 8)::text || repeat(' long name', n % 3) AS name,
		nullif(n * 31 % 1013, 7) / 10.0 AS cost, (CASE n % 11 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' ELSE (n % 401)::text END)::float8 AS wait,
		date '2020-01-01' + n % 11 * 50 AS day, timestamp '2020-01-01' + n % 7 * interval '4 days' AS at, n * 7 % 13 AS score
	FROM generate_series(1, 30000) n;
-- one unit has a third of the rows, others have few
INSERT INTO visits SELECT md5('0'), n % 9, (n % 8)::text || repeat(' long name', n % 3), n % 100, n % 400, '2021-01-01', '2020-01-02', n % 5 FROM generate_series(1, 15000) n;
INSERT INTO visits SELECT md5('few' || n), n % 9, (n % 8)::text || repeat(' long name', n % 3), NULL, n % 400, '2021-01-01', '2020-01-02', n % 11 FROM generate_series(1, 3000) n;
ANALYZE visits;
SELECT dp_agg.protect('visits', 'unit', max_rows => 5, max_groups => 300);
SELECT dp_agg.set_budget('quantiles_analyst', 1e12, 1e-3);

-- Epsilon is such that no noise is as likely as one in 1e20: answers are exact, unless two points are as near to the quantile.
CREATE FUNCTION adds_up_units(query text) RETURNS boolean AS '$libdir/dp_validate_test', 'test_adds_up_units' LANGUAGE C;
-- Beside quantiles of so many points units are left to PostgreSQL's own nodes.
CREATE FUNCTION many_points() RETURNS text RETURN (SELECT string_agg(format(', dp_quantile(score, 0.5, 0, %s, 1e6, 1) AS many_%s', 1000000 + i, i), '') FROM generate_series(0, 4) i);
CREATE FUNCTION answers(query text, more text, OUT answers text, OUT node boolean) LANGUAGE plpgsql AS $$
DECLARE
	answer jsonb;
BEGIN
	answers := '';
	query := replace(query, ' FROM', more || ' FROM');
	node := adds_up_units(query);
	FOR answer IN EXECUTE 'SELECT to_jsonb(q) FROM (' || query || ') q' LOOP
		answers := answers || (answer - ARRAY['many_0', 'many_1', 'many_2', 'many_3', 'many_4'])::text;
	END LOOP;
END
$$;
CREATE TABLE questions (n serial, question text);
INSERT INTO questions (question) VALUES
	('SELECT dp_median(cost, 0, 100, 1e6) FROM visits'),
	('SELECT dp_quantile(wait, 0.9, -10, 300, 1e6), dp_median(cost, 0, 90, 1e6), dp_max(cost, 10, 95, 1e6) FROM visits'),
	('SELECT dp_median(cost, 0, 100, 1e6), round(dp_sum(wait, 0, 10, 1e6)), dp_count(*), dp_count(cost) FROM visits'),
	('SELECT clinic, dp_median(cost, 0, 100, 1e6) FROM visits GROUP BY clinic ORDER BY clinic'),
	('SELECT clinic, dp_quantile(wait, 0.1, 0, 1e6, 1e6), round(dp_avg(wait, 0, 10, 1e6)::numeric, 3), dp_quantile(cost, 0.75, 0, 60, 1e6) FROM visits GROUP BY clinic ORDER BY clinic'),
	('SELECT name, dp_min(day, ''2020-03-01'', ''2022-01-01'', 1e6), dp_quantile(at, 0.41, ''2020-01-01'', ''2020-02-01'', 1e6) FROM visits GROUP BY name ORDER BY name'),
	('SELECT clinic, name, dp_count(*), dp_quantile(score, 0.43, 0, 12, 1e6) FROM visits GROUP BY clinic, name ORDER BY clinic, name'),
	('SELECT clinic, dp_median(cost, 0, 100, 1e6) FROM visits WHERE wait < 0 GROUP BY clinic ORDER BY clinic');
GRANT SELECT ON questions TO quantiles_analyst;
SET ROLE quantiles_analyst;
SET dp_agg.epsilon = 1e6;
SELECT n, a.node, b.node AS other, length(a.answers) > 3 AS any, a.answers = b.answers AS same
	FROM questions, answers(question, '') a, answers(question, many_points()) b ORDER BY n;
-- with files, and groups that are too many for numbers
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT n, a.answers = b.answers AS same FROM questions, answers(question, '') a, answers(question, many_points()) b ORDER BY n;
-- in several processes
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT n, a.answers = b.answers AS same FROM questions, answers(question, '') a, answers(question, many_points()) b ORDER BY n;
RESET work_mem;
RESET hash_mem_multiplier;
SELECT n, a.answers = b.answers AS same FROM questions, answers(question, '') a, answers(question, many_points()) b ORDER BY n;
RESET ROLE;
DROP SCHEMA quantiles CASCADE;
SELECT dp_agg.drop_budget('quantiles_analyst', 'default');
DROP ROLE quantiles_analyst;
DROP EXTENSION dp_agg;
