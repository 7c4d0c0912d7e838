# Attacks by plans: EXPLAIN in all forms, plans that the server prints, and what
# a statement's plan does to the functions that run in it.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

# Functions that are told by errors or results what kind of statement they run in.
my $analyst = <<'SQL';
CREATE SEQUENCE steps;
CREATE TABLE notes (n bigint, what text);
CREATE FUNCTION writes() RETURNS boolean PARALLEL RESTRICTED LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''ann.steps''); RETURN true; END';
CREATE FUNCTION inserts() RETURNS boolean PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN INSERT INTO ann.notes VALUES (1); RETURN true; END';
CREATE FUNCTION sets() RETURNS text PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN RETURN set_config(''ann.x'', ''1'', true); END';
CREATE FUNCTION begins() RETURNS boolean PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN BEGIN RETURN true; EXCEPTION WHEN others THEN RETURN false; END; END';
CREATE FUNCTION asks() RETURNS bigint PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM clinic.visits); END';
CREATE FUNCTION explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) ' || query;
END $$;
CREATE TABLE big (k int, v text);
INSERT INTO big SELECT i, 'v ' || i FROM generate_series(1, 20000) i;
SQL

my $neighbours = new_neighbours('attack_plans', conf => $AUTO_EXPLAIN, libraries => ['auto_explain'], analyst => $analyst);

my $parallel = <<'SQL';
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '64kB';
SET min_parallel_index_scan_size = 0;
SET max_parallel_workers_per_gather = 4;
SQL

# The thresholds between which the sizes of the three databases lie.
my $narrow = $parallel =~ s/'64kB'/'1MB'/r;

$neighbours->attack(<<"ATTACKS");
@ EXPLAIN | 0 |
EXPLAIN SELECT dp_count(*), dp_sum(age, 0, 100) FROM people WHERE age > 5;
EXPLAIN SELECT clinic, dp_count(*), dp_avg(minutes, 0, 100) FROM visits GROUP BY clinic;
EXPLAIN SELECT clinic, dp_count(*) FROM visits WHERE note = 'x' AND day > '2020-02-02' GROUP BY clinic;
@ EXPLAIN of conditions of all selectivities | 0 |
EXPLAIN SELECT dp_count(*) FROM people WHERE city = 'Aachen';
EXPLAIN SELECT dp_count(*) FROM people WHERE city = 'Zwie' || 'sel';
EXPLAIN SELECT dp_count(*) FROM people WHERE age = 0;
EXPLAIN SELECT dp_count(*) FROM people WHERE secret > 7319000000 + 554000;
EXPLAIN SELECT dp_count(*) FROM people WHERE active IS NULL;
@ EXPLAIN VERBOSE | 0 |
EXPLAIN (VERBOSE) SELECT city, dp_count(*), dp_sum(age, 0, 100), dp_avg(pay, 0, 2000) FROM people WHERE age > 5 GROUP BY city;
EXPLAIN (VERBOSE) SELECT clinic, dp_count(*), dp_sum(minutes, 0, 100), dp_avg(cost, 0, 2000) FROM visits WHERE minutes > 5 GROUP BY clinic;
EXPLAIN (VERBOSE) SELECT clinic, dp_median(minutes, 0, 100), dp_max(cost, 0, 2000) FROM visits WHERE minutes > 5 GROUP BY clinic;
@ EXPLAIN without costs, with settings | 0 |
SET work_mem = '64kB';
EXPLAIN (COSTS OFF, SETTINGS) SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
@ EXPLAIN of buffers, without running | 0 |
EXPLAIN (BUFFERS) SELECT clinic, dp_count(*) FROM visits WHERE day > '2021-01-01' GROUP BY clinic;
EXPLAIN (BUFFERS) SELECT dp_count(*) FROM people WHERE secret > 7319000000 + 554000 AND age < 90;
@ EXPLAIN as JSON | 0 |
EXPLAIN (VERBOSE, BUFFERS, FORMAT JSON) SELECT clinic, dp_count(*), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
@ EXPLAIN as XML | 0 |
EXPLAIN (VERBOSE, BUFFERS, FORMAT XML) SELECT clinic, dp_count(*), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
@ EXPLAIN as YAML | 0 |
EXPLAIN (VERBOSE, BUFFERS, FORMAT YAML) SELECT clinic, dp_count(*), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
@ EXPLAIN ANALYZE | 2 |
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT dp_median(pay, 0, 2000) IS NULL FROM people;
EXPLAIN (ANALYZE) SELECT clinic, dp_count(*), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
@ EXPLAIN ANALYZE of everything | 1 |
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, SETTINGS, TIMING OFF, SUMMARY OFF) SELECT clinic, dp_count(*), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
@ EXPLAIN ANALYZE as JSON, YAML and XML | 3 |
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF, FORMAT JSON) SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF, FORMAT YAML) SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF, FORMAT XML) SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
@ EXPLAIN ANALYZE of spills, in all formats | 2 |
SET work_mem = '64kB';
SET enable_hashagg = off;
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT clinic, dp_count(DISTINCT person) FROM visits GROUP BY clinic;
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF, FORMAT JSON) SELECT dp_count(DISTINCT person) FROM visits;
@ EXPLAIN ANALYZE of an index scan | 1 |
SET enable_seqscan = off;
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) FROM people WHERE secret = 7319000000 + 555000;
@ EXPLAIN ANALYZE in parallel | 2 |
$parallel
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) FROM visits;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
@ EXPLAIN ANALYZE with JIT | 2 |
SET jit = on;
SET jit_above_cost = 0;
SET jit_inline_above_cost = -1;
SET jit_optimize_above_cost = -1;
EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) FROM lone WHERE age > 5;
SET jit_above_cost = 500;
EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) FROM visits WHERE minutes > 5;
@ EXPLAIN ANALYZE in parallel with JIT | 1 |
$parallel
SET jit = on;
SET jit_above_cost = 0;
SET jit_inline_above_cost = -1;
SET jit_optimize_above_cost = -1;
EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) FROM visits WHERE minutes > 5;
@ what a session says when it first generates code, after a question dear enough for it in one database | 1 |
> ann9
SET jit = on;
SET jit_inline_above_cost = -1;
SET jit_optimize_above_cost = -1;
SET cpu_tuple_cost = 1;
SET jit_above_cost = 15000;
SELECT dp_count(*) FROM visits WHERE minutes > 5;
SET jit_above_cost = 0;
SELECT count(*) FROM doctors WHERE beds > 5;
@ EXPLAIN of joins above the release | 0 |
EXPLAIN SELECT * FROM doctors JOIN (SELECT clinic, dp_count(*) FROM visits GROUP BY clinic) s USING (clinic) ORDER BY town;
EXPLAIN SELECT * FROM big JOIN (SELECT age AS k, dp_count(*) FROM people GROUP BY age) s USING (k) WHERE k < 100;
EXPLAIN SELECT city, count(*) FROM (SELECT city, age, dp_count(*) FROM people GROUP BY city, age) s GROUP BY city;
@ EXPLAIN of conditions above the release: no statistics of the keys | 0 |
EXPLAIN SELECT * FROM (SELECT age, dp_count(*) FROM people GROUP BY age) s WHERE age = 0;
EXPLAIN SELECT * FROM (SELECT age, dp_count(*) FROM people GROUP BY age) s WHERE age < 25 AND dp_count > 3;
EXPLAIN SELECT DISTINCT age % 2 FROM (SELECT age, dp_count(*) FROM people GROUP BY age) s;
@ EXPLAIN of several blocks: numbers of parameters and sub-plans | 0 |
$narrow
EXPLAIN (VERBOSE) SELECT (SELECT dp_count(*) FROM visits), (SELECT dp_count(*) FROM people), (SELECT dp_count(*) FROM parts), (SELECT 1 FROM big LIMIT 1);
EXPLAIN (VERBOSE) WITH a AS MATERIALIZED (SELECT dp_count(*) AS n FROM visits), b AS MATERIALIZED (SELECT dp_count(*) AS n FROM parts) SELECT (SELECT n FROM a), (SELECT n FROM b), (SELECT max(k) FROM big);
EXPLAIN SELECT * FROM big WHERE k = (SELECT dp_count(*) FROM visits) AND v = (SELECT max(v) FROM big);
@ numbers of parameters, chosen by selectivities | 0 |
$parallel
SET parallel_tuple_cost = 1;
EXPLAIN SELECT (SELECT dp_sum(secret, 0, 1) FROM people WHERE age = 0 GROUP BY secret LIMIT 1), (SELECT dp_count(*) FROM people);
EXPLAIN SELECT (SELECT dp_count(*) FROM visits WHERE minutes > 1000 GROUP BY clinic LIMIT 1), (SELECT dp_count(*) FROM people);
@ EXPLAIN of partitions | 1 |
EXPLAIN (VERBOSE) SELECT dp_count(*) FROM parts;
EXPLAIN (VERBOSE) SELECT dp_count(*) FROM parts WHERE day < '2020-05-05';
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT day > '2022-01-01' AS key, dp_count(*) FROM parts WHERE day >= '2021-01-01' GROUP BY 1;
@ EXPLAIN of a histogram | 1 |
EXPLAIN (VERBOSE) SELECT * FROM dp_histogram('visits', 'minutes', 0, 100, 5);
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT bin, lower, upper FROM dp_histogram('visits', 'minutes', 0, 100, 5);
@ EXPLAIN EXECUTE | 1 |
PREPARE q(int) AS SELECT city, dp_count(*) FROM people WHERE age > \$1 GROUP BY city;
EXPLAIN EXECUTE q(5);
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) EXECUTE q(0);
EXPLAIN EXECUTE q(0);
@ EXPLAIN of other commands | 2 |
EXPLAIN CREATE TABLE x AS SELECT dp_count(*) FROM visits;
EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) CREATE TABLE x AS SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
EXPLAIN DECLARE c CURSOR FOR SELECT dp_count(*) FROM visits;
EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) INSERT INTO notes SELECT dp_count(*) FROM visits;
DROP TABLE x;
@ EXPLAIN of what is denied | 0 | 42501 42501 42501
EXPLAIN SELECT * FROM people WHERE name < 'x';
EXPLAIN SELECT name FROM people ORDER BY age;
EXPLAIN (ANALYZE) SELECT * FROM visits JOIN doctors USING (clinic);
@ EXPLAIN of what is refused | 0 | 0A000 42803
EXPLAIN SELECT dp_count(*) FROM people WHERE random() < 0.5;
EXPLAIN (ANALYZE) SELECT name, dp_count(*) FROM people;
@ EXPLAIN by a function, and buffers around it | 2 |
SELECT * FROM explained('SELECT dp_count(*) FROM visits');
EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT asks() AS noisy;
@ plan of a statement that asks by a function, nested | 3 |
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT asks() + dp_count(*) FROM parts WHERE cost > 5;
SELECT asks() AS noisy;
@ parallel mode: a function that writes | 1 |
$narrow
SELECT writes(), dp_count(*) FROM visits;
@ parallel mode: functions above groups | 1 |
$narrow
SELECT clinic, inserts(), sets(), dp_count(*) FROM visits GROUP BY clinic;
@ parallel mode: a sub-transaction | 1 |
$narrow
SELECT begins(), dp_count(*) FROM visits;
@ parallel mode: chosen by a selectivity | 3 |
$parallel
SET parallel_tuple_cost = 0.3;
SELECT writes(), dp_count(*) FROM people WHERE age = 0;
SELECT writes(), dp_count(*) FROM people WHERE secret > 7319000000 + 554000;
SELECT writes(), dp_count(*) FROM visits WHERE minutes > 1000;
@ parallel mode: by all possible thresholds | 4 |
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 100;
SELECT writes(), dp_count(*) FROM visits;
SET parallel_setup_cost = 300;
SELECT writes(), dp_count(*) FROM visits;
SET parallel_setup_cost = 1000;
SELECT writes(), dp_count(*) FROM visits;
SET parallel_setup_cost = 3000;
SELECT writes(), dp_count(*) FROM visits;
@ parallel mode, forced | 2 |
DO \$\$ BEGIN PERFORM set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query'); END \$\$;
SELECT dp_count(*) FROM visits;
DO \$\$ BEGIN PERFORM set_config(name, 'regress', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query'); END \$\$;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
@ a question asked in a parallel worker | 0 | 25000
SET client_min_messages = log;
$parallel
SET parallel_leader_participation = off;
SELECT sum(asks()) AS noisy FROM big WHERE k < 3;
@ plan trees printed | 1 | 42501
SET debug_print_plan = on;
SELECT dp_count(*) FROM people;
SELECT name FROM people;
@ parse trees printed | 1 |
SET debug_print_parse = on;
SET debug_print_rewritten = on;
SELECT dp_count(*) FROM lone;
@ plan trees printed for a question asked by a function | 1 |
SET debug_print_plan = on;
SELECT asks() AS noisy;
@ plan trees printed for a question asked by a function, planned before | 2 |
SELECT asks() AS noisy;
SET debug_print_plan = on;
SELECT asks() AS noisy;
@ plans not made for the values given | 0 | 0A000
SET plan_cache_mode = force_generic_plan;
PREPARE q(int) AS SELECT dp_count(*) FROM people WHERE age > \$1;
EXECUTE q(5);
@ plans made for the values given | 7 |
PREPARE q(int) AS SELECT dp_count(*) FROM people WHERE age > \$1;
EXECUTE q(1);
EXECUTE q(2);
EXECUTE q(3);
EXECUTE q(4);
EXECUTE q(5);
EXECUTE q(6);
EXECUTE q(0);
SELECT generic_plans, custom_plans FROM pg_prepared_statements;
@ the planner's settings | 6 |
SET jit = off;
SET enable_seqscan = off;
SELECT dp_count(*) FROM people WHERE secret > 7319000000 + 554000;
SET enable_indexscan = off;
SELECT dp_count(*) FROM people WHERE secret > 7319000000 + 554000;
SET enable_bitmapscan = off;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SET enable_partitionwise_aggregate = on;
SELECT dp_count(*) FROM parts;
SET enable_sort = off;
SET enable_hashagg = off;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SET cursor_tuple_fraction = 0.0001;
SET seq_page_cost = 1e10;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
@ order of groups, sorted or hashed or in parallel | 4 |
SET enable_sort = off;
SELECT age, dp_count(*) FROM people GROUP BY age LIMIT 5;
SET enable_sort = on;
SET enable_hashagg = off;
SELECT age, dp_count(*) FROM people GROUP BY age LIMIT 5;
$parallel
SELECT age, dp_count(*) FROM people GROUP BY age LIMIT 5;
SET enable_indexonlyscan = off;
SELECT age, city, dp_count(*) FROM people GROUP BY city, age LIMIT 5;
@ order of groups is that of their keys: an error tells if it is not | 3 |
SET enable_sort = off;
SELECT 1 / bool_and(age > before)::int AS sorted FROM (SELECT age, lag(age, 1, -1) OVER () AS before FROM (SELECT age, dp_count(*) FROM people GROUP BY age) s) s;
$parallel
SELECT 1 / bool_and(age > before)::int AS sorted FROM (SELECT age, lag(age, 1, -1) OVER () AS before FROM (SELECT age, dp_count(*) FROM people GROUP BY age) s) s;
SELECT 1 / bool_and(clinic > before)::int AS sorted FROM (SELECT clinic, lag(clinic, 1, '') OVER () AS before FROM (SELECT clinic, dp_count(*) FROM visits GROUP BY clinic) s) s;
@ order of rows joined above | 2 |
SELECT k, dp_count FROM big JOIN (SELECT age AS k, dp_count(*) FROM people GROUP BY age) s USING (k) LIMIT 5;
SET enable_hashjoin = off;
SELECT k, dp_count FROM big JOIN (SELECT age AS k, dp_count(*) FROM people GROUP BY age) s USING (k) LIMIT 5;
@ price | 0 |
SELECT * FROM dp_agg.price('SELECT clinic, dp_count(*), dp_avg(minutes, 0, 100) FROM visits GROUP BY clinic');
SELECT * FROM dp_agg.price('SELECT dp_count(*) FROM people WHERE 1 / age > 0');
@ price of what is denied or refused | 0 | 42501 0A000 0A000
SELECT * FROM dp_agg.price('SELECT name FROM people');
SELECT * FROM dp_agg.price('SELECT dp_count(*) FROM people WHERE random() < 1');
SELECT * FROM dp_agg.price('EXPLAIN ANALYZE SELECT dp_count(*) FROM people');
@ the planner's buffers around a price | 0 |
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT epsilon FROM dp_agg.price('SELECT clinic, dp_count(*) FROM visits WHERE day > ''2021-01-01'' GROUP BY clinic');
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT epsilon FROM dp_agg.price('SELECT dp_count(*) FROM people WHERE secret > 7319000000 + 554000');
ATTACKS

$neighbours->finish;
