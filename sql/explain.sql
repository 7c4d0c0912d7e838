--
-- explain: a release shows its price and its noise, and nothing of what is below
--
CREATE EXTENSION dp_agg;
CREATE ROLE explain_analyst;
CREATE SCHEMA explain AUTHORIZATION explain_analyst;
CREATE SCHEMA explain_one;
CREATE SCHEMA explain_many;
GRANT USAGE ON SCHEMA explain_one, explain_many TO explain_analyst;
-- two databases as different as can be, under the same names: one row without
-- statistics, and thirty thousand with them
CREATE TABLE explain_one.people (id int PRIMARY KEY, city text, age int, weight float8);
CREATE TABLE explain_one.visits (person int, city text, age int, weight float8);
CREATE INDEX ON explain_one.people (age);
CREATE INDEX ON explain_one.people (city);
CREATE INDEX ON explain_one.visits (person);
INSERT INTO explain_one.people VALUES (1, 'city 1', 1, 1);
INSERT INTO explain_one.visits VALUES (1, 'city 1', 1, 1);
CREATE TABLE explain_many.people (id int PRIMARY KEY, city text, age int, weight float8);
CREATE TABLE explain_many.visits (person int, city text, age int, weight float8);
CREATE INDEX ON explain_many.people (age);
CREATE INDEX ON explain_many.people (city);
CREATE INDEX ON explain_many.visits (person);
INSERT INTO explain_many.people SELECT i, 'city ' || i % 50, i % 100, i FROM generate_series(1, 30000) i;
INSERT INTO explain_many.visits SELECT i % 1000, 'city ' || i % 50, i % 100, i FROM generate_series(1, 30000) i;
ANALYZE explain_many.people, explain_many.visits;
SELECT dp_agg.protect('explain_one.people', 'id'), dp_agg.protect('explain_one.visits', 'person', 'default', 5, 3),
	dp_agg.protect('explain_many.people', 'id'), dp_agg.protect('explain_many.visits', 'person', 'default', 5, 3);
SELECT dp_agg.set_budget('explain_analyst', 1e9, 1e-3);
SET ROLE explain_analyst;
SET search_path = explain_one, explain, public;
CREATE TABLE explain.regions (city text PRIMARY KEY, region text);
INSERT INTO explain.regions SELECT 'city ' || i, 'region ' || i % 5 FROM generate_series(0, 49) i;
ANALYZE explain.regions;

-- EXPLAIN as versions before 17 and 18 print it: with the output of sub-plans,
-- whole numbers of rows, without windows and what is disabled
CREATE FUNCTION explain.plan(options text, statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	plan text;
BEGIN
	FOR plan IN EXECUTE format('EXPLAIN (%s) %s', options, statement) LOOP
		RETURN QUERY SELECT regexp_replace(regexp_replace(line, '(InitPlan) .*', '\1'), '(rows=\d+)\.00', '\1')
			FROM regexp_split_to_table(rtrim(plan), E' *\n') line WHERE line !~* '^\W*(disabled\W|window: )';
	END LOOP;
END $$;

-- in all formats
EXPLAIN SELECT dp_count(*) FROM people;
EXPLAIN (COSTS OFF) SELECT dp_count(*), dp_count(age), dp_count(DISTINCT id), dp_sum(age, 0, 100),
	dp_sum(weight, -10, 25.5, 0.5), dp_avg(age, 0, 100) FROM people WHERE age > 30;
EXPLAIN (COSTS OFF) SELECT city, dp_sum(age, 0, 100) FROM people GROUP BY city;
EXPLAIN (COSTS OFF) SELECT city, dp_count(*) FROM people GROUP BY city HAVING dp_count(*) > 5 ORDER BY 2 DESC LIMIT 3;
EXPLAIN (COSTS OFF) SELECT city, dp_count(*), dp_count(DISTINCT person), dp_avg(weight, 0, 100) FROM visits GROUP BY city;
SELECT * FROM explain.plan('COSTS OFF', $$SELECT * FROM dp_histogram('visits', 'age', 0, 100, 10)$$);
EXPLAIN (COSTS OFF, VERBOSE) SELECT city || '!', 2 * dp_sum(age, 0, 100) FROM people WHERE age < 77 GROUP BY city;
SELECT * FROM explain.plan('COSTS OFF, FORMAT JSON', 'SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM people GROUP BY city');
SELECT * FROM explain.plan('COSTS OFF, FORMAT YAML', 'SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM people GROUP BY city');
SELECT * FROM explain.plan('COSTS OFF, FORMAT XML', 'SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM people GROUP BY city');
SET dp_agg.mechanism = gaussian;
EXPLAIN (COSTS OFF) SELECT city, dp_count(*), dp_sum(weight, 0, 100), dp_avg(age, 0, 100) FROM people GROUP BY city;
RESET dp_agg.mechanism;
-- two blocks, one price
SELECT * FROM explain.plan('COSTS OFF', 'SELECT (SELECT dp_count(*) FROM people), dp_sum(age, 0, 1) FROM people');
-- a prepared statement, a cursor, and what runs a query
PREPARE older(int) AS SELECT dp_count(*) FROM people WHERE age > $1;
EXPLAIN (COSTS OFF) EXECUTE older(5);
EXPLAIN (COSTS OFF) DECLARE c CURSOR FOR SELECT dp_count(*) FROM people;
EXPLAIN (COSTS OFF) CREATE TABLE t AS SELECT dp_count(*) FROM people;

-- EXPLAIN is free, EXPLAIN ANALYZE costs what the statement costs
SELECT statements, refusals FROM dp_agg.budgets;
SELECT * FROM explain.plan('ANALYZE, BUFFERS OFF, COSTS OFF, TIMING OFF, SUMMARY OFF', 'SELECT dp_count(*) FROM people');
SELECT * FROM explain.plan('ANALYZE, BUFFERS OFF, COSTS OFF, TIMING OFF, SUMMARY OFF, WAL, SETTINGS, VERBOSE',
	$$SELECT count(*) FROM dp_histogram('people', 'age', 0, 100, 10) h$$);
SELECT statements, refusals, round(epsilon_spent::numeric, 6) AS epsilon FROM dp_agg.budgets;

-- Every plan is the same for both databases, byte by byte.
CREATE FUNCTION explain.plan(schema text, options text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text := '';
BEGIN
	PERFORM set_config('search_path', schema || ', explain, public', true);
	FOR line IN EXECUTE 'EXPLAIN (' || options || ') ' || query LOOP
		lines := lines || line || E'\n';
	END LOOP;
	PERFORM set_config('search_path', 'explain, public', true);
	RETURN lines;
END $$;
CREATE TABLE explain.queries (query text);
INSERT INTO explain.queries VALUES
	('SELECT dp_count(*) FROM people'),
	('SELECT dp_count(*), dp_sum(age, 0, 100), dp_avg(weight, 0, 1) FROM people WHERE age > 50'),
	('SELECT dp_count(*) FROM people WHERE id = 5'),
	('SELECT dp_count(*) FROM people WHERE age = 7 AND city = ''city 7'''),
	('SELECT dp_count(*) FROM people WHERE false'),
	('SELECT dp_count(*) FROM visits'),
	('SELECT dp_count(*), dp_count(DISTINCT person), dp_avg(weight, 0, 1) FROM visits WHERE city LIKE ''city 1%'''),
	('SELECT count(*) FROM dp_histogram(''people'', ''age'', 0, 100, 20) h'),
	('SELECT count(*) FROM dp_histogram(''visits'', ''weight'', 0, 100, 20, filter => ''age > 5'') h'),
	('SELECT count(*) FROM generate_series(1, 1000) g, (SELECT dp_count(*) AS c FROM people) s WHERE g > 0 OR c = 0'),
	('SELECT (SELECT dp_count(*) FROM people), (SELECT dp_count(*) FROM visits)');
CREATE TABLE explain.grouped (query text);
INSERT INTO explain.grouped VALUES
	('SELECT city, dp_count(*) FROM people GROUP BY city'),
	('SELECT city, age, dp_sum(weight, 0, 1) FROM people GROUP BY city, age ORDER BY 3 DESC LIMIT 7'),
	('SELECT city, dp_count(DISTINCT person) FROM visits WHERE age < 10 GROUP BY city HAVING dp_count(*) > 5'),
	('SELECT DISTINCT dp_count(*) FROM visits GROUP BY age'),
	('SELECT region, sum(c) FROM (SELECT city, dp_count(*) AS c FROM people GROUP BY city) s JOIN regions USING (city) GROUP BY region'),
	('SELECT * FROM regions r WHERE EXISTS (SELECT FROM (SELECT city, dp_count(*) AS c FROM people GROUP BY city) s WHERE s.city = r.city AND c > 5)'),
	('SELECT * FROM regions LEFT JOIN (SELECT city, dp_count(*) AS c FROM visits GROUP BY city) s USING (city) WHERE c > 100'),
	('SELECT city FROM regions EXCEPT SELECT city FROM people GROUP BY city HAVING dp_count(*) > 0'),
	('SELECT a.city FROM (SELECT city, dp_count(*) FROM people GROUP BY city) a JOIN (SELECT city, dp_count(*) FROM visits GROUP BY city) b USING (city)');
-- What differs between the two, among plans with the given options.
CREATE FUNCTION explain.compare(options text, queries regclass)
RETURNS TABLE (plans bigint, with_release bigint, with_table bigint, different bigint) LANGUAGE plpgsql AS $$
BEGIN
	-- once without running it, so that the catalog's caches are full
	EXECUTE format('SELECT count(explain.plan(s, ''COSTS'', query)) FROM %s, unnest(''{explain_one,explain_many}''::text[]) s',
				   queries);
	RETURN QUERY EXECUTE format($q$
		SELECT count(*), count(*) FILTER (WHERE one ~ 'DpRelease' AND one ~ '[Ee]psilon'),
			count(*) FILTER (WHERE many ~ '(Scan( using \S+)? on|Relation.Name).{1,5}(people|visits)' OR many ~ 'explain_many'),
			count(*) FILTER (WHERE one <> many)
		FROM (SELECT explain.plan('explain_one', %1$L, query) AS one,
					 explain.plan('explain_many', %1$L, query) AS many FROM %2$s) p $q$,
		options, queries);
END $$;
CREATE VIEW explain.all_queries AS TABLE explain.queries UNION ALL TABLE explain.grouped;
CREATE VIEW explain.some_queries AS TABLE explain.queries LIMIT 3;
CREATE FUNCTION explain.report(VARIADIC options text[])
RETURNS TABLE (options text, plans bigint, with_release bigint, with_table bigint, different bigint) LANGUAGE sql AS $$
	SELECT o, c.* FROM unnest(options) WITH ORDINALITY o (o, n), LATERAL
		explain.compare(o, CASE WHEN o ~ 'ANALYZE' THEN 'explain.queries' ELSE 'explain.all_queries' END) c
	ORDER BY o.n $$;
SET dp_agg.epsilon = 50;
SELECT * FROM explain.report('COSTS', 'COSTS, VERBOSE', 'COSTS, BUFFERS', 'COSTS, VERBOSE, FORMAT JSON',
	'COSTS, VERBOSE, FORMAT YAML', 'COSTS, VERBOSE, FORMAT XML', 'ANALYZE, BUFFERS, WAL, VERBOSE, TIMING OFF, SUMMARY OFF',
	'ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF, FORMAT JSON');
-- where parallel workers cost nothing
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET max_parallel_workers_per_gather = 4;
SELECT * FROM explain.report('COSTS, VERBOSE', 'ANALYZE, BUFFERS, WAL, VERBOSE, TIMING OFF, SUMMARY OFF');
-- with little memory, and other plans below
SET work_mem = '64kB';
SET enable_seqscan = off;
SET enable_hashagg = off;
SET enable_partitionwise_aggregate = on;
SELECT * FROM explain.report('COSTS, VERBOSE', 'ANALYZE, BUFFERS, WAL, VERBOSE, TIMING OFF, SUMMARY OFF');
RESET work_mem;
RESET enable_seqscan;
RESET enable_hashagg;
-- where code is generated for everything, and where for the larger table alone
SET jit = on;
SET jit_above_cost = 0;
SET jit_inline_above_cost = -1;
SET jit_optimize_above_cost = -1;
SELECT * FROM explain.report('COSTS, VERBOSE');
SELECT * FROM explain.compare('ANALYZE, BUFFERS, WAL, VERBOSE, TIMING OFF, SUMMARY OFF', 'explain.some_queries');
SET jit_above_cost = 300;
SELECT * FROM explain.compare('ANALYZE, BUFFERS, WAL, VERBOSE, TIMING OFF, SUMMARY OFF', 'explain.some_queries');
RESET jit;
-- what it would be if the plans below were shown
RESET ROLE;
CREATE TABLE explain.plain AS SELECT replace(query, 'dp_count(', 'count(') AS query
	FROM explain.all_queries WHERE query !~ 'dp_(sum|avg|histogram)';
SELECT plans, with_release, with_table >= 14 AS most_with_table, different FROM explain.compare('COSTS', 'explain.plain');
SET ROLE explain_analyst;

-- plans printed by the server itself hold no plan of the exact query
SET search_path = explain_many, explain, public;
SET debug_print_plan = on;
SELECT dp_count(*) IS NOT NULL AS answered FROM people;
\echo :SQLSTATE
RESET debug_print_plan;

-- so many subqueries that workers of their own, if their table is large enough for any,
-- would take more parameters than most statements have
CREATE TABLE explain.joined AS
	SELECT 'SELECT dp_count(*) FROM (SELECT person FROM visits GROUP BY person) v0' ||
		string_agg(format(' JOIN (SELECT person FROM visits GROUP BY person) v%s ON v%1$s.person = v0.person', i), '') AS query
	FROM generate_series(1, 109) i;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '80kB';
SELECT explain.plan('explain_one', 'COSTS', query) = explain.plan('explain_many', 'COSTS', query) AS same FROM explain.joined;
RESET min_parallel_table_scan_size;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA explain, explain_one, explain_many CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE explain_analyst;
