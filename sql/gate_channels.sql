--
-- gate_channels: what could be learnt beside the answer: from counters,
-- messages and plans, and by functions of one's own in the right place
--
\set VERBOSITY sqlstate
CREATE EXTENSION dp_agg;
CREATE ROLE channels_analyst;
CREATE SCHEMA channels AUTHORIZATION channels_analyst;
SET search_path = channels, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, weight float8);
CREATE TABLE visits (person int, city text, age int);
CREATE INDEX ON people (age);
CREATE INDEX ON visits (person);
INSERT INTO people SELECT i, 'city ' || i % 2, i % 100, i FROM generate_series(1, 2000) i;
INSERT INTO people SELECT 2000 + i, 'village ' || i, 200, i FROM generate_series(1, 50) i;
INSERT INTO visits SELECT i % 1000, 'city ' || i % 2, i % 100 FROM generate_series(1, 20000) i;
ANALYZE people, visits;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 30, 3);
SELECT dp_agg.set_budget('channels_analyst', 1e6, 1e-3);
CREATE VIEW counted AS
	SELECT sum(pg_stat_get_xact_numscans(c.oid) + pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid)
			   + pg_stat_get_xact_blocks_fetched(c.oid) + pg_stat_get_xact_blocks_hit(c.oid)) AS tables,
		(SELECT COALESCE(sum(calls), 0) FROM pg_stat_xact_user_functions
		 WHERE schemaname IN ('dp_agg', 'dp_agg_internal', 'public') AND funcname NOT LIKE 'released%') AS functions
	FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
	WHERE 'channels.people'::regclass IN (c.oid, i.indrelid) OR 'channels.visits'::regclass IN (c.oid, i.indrelid);
CREATE FUNCTION scans(OUT sequential numeric, OUT by_index numeric, OUT rows numeric, OUT functions bigint) LANGUAGE sql AS $$
	SELECT sum(seq_scan), sum(idx_scan), sum(seq_tup_read + idx_tup_fetch),
		(SELECT count(*) FROM pg_stat_user_functions
		 WHERE schemaname IN ('dp_agg', 'dp_agg_internal') AND calls > 0 AND funcname NOT LIKE 'released%')
	FROM pg_stat_user_tables WHERE schemaname = 'channels' AND relname IN ('people', 'visits') $$;
GRANT SELECT ON counted TO channels_analyst;
SELECT pg_stat_force_next_flush();
-- a new session has counted nothing
\c -
-- Plain aggregates have a topic of their own (plain).
SET dp_agg.plain_aggregates = off;
SET search_path = channels, public;
CREATE TABLE before AS SELECT * FROM scans();
-- settings of a superuser's, at their most talkative
SET track_functions = 'all';
SET track_io_timing = on;
SET track_wal_io_timing = on;
SET log_temp_files = 0;
SET ROLE channels_analyst;
-- Answers at epsilon 50 are off by 10 or more with a probability of 4e-218.
SET dp_agg.epsilon = 50;

-- counters: of the tables, their indexes, and the functions below; those above
-- the release are called for what was released
BEGIN;
SELECT dp_count(*) BETWEEN 2040 AND 2060 AS right FROM people;
SELECT dp_count(*) BETWEEN 10 AND 30 AS right FROM people WHERE age = 7;
SELECT dp_count(*) BETWEEN -9 AND 11 AS right FROM people WHERE id = 7;
SELECT city, dp_count(DISTINCT person) BETWEEN 490 AND 510 AS right FROM visits GROUP BY city;
SELECT sum(count) BETWEEN 2010 AND 2090 AS right FROM dp_histogram('people', 'age', 0, 100, 4);
SET LOCAL enable_seqscan = off;
SELECT dp_count(*) BETWEEN 10 AND 30 AS right FROM people WHERE age = 7;
TABLE counted;
COMMIT;
-- also where the table is opened between the start of the statement and its
-- release: under a cursor, or by a function that runs first
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) BETWEEN 2040 AND 2060 AS right FROM people;
DECLARE v CURSOR FOR SELECT city, dp_count(DISTINCT person) BETWEEN 490 AND 510 AS right FROM visits GROUP BY city;
SET LOCAL enable_seqscan = off;
DECLARE i CURSOR FOR SELECT dp_count(*) BETWEEN 10 AND 30 AS right FROM people WHERE age = 7;
PREPARE opening AS SELECT * FROM people, visits;
FETCH c;
FETCH v;
FETCH i;
TABLE counted;
COMMIT;
DEALLOCATE opening;
CREATE FUNCTION open_people() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'PREPARE opening AS SELECT * FROM people, visits';
	EXECUTE 'DEALLOCATE opening';
	RETURN true;
END $$;
BEGIN;
SELECT o, s.c BETWEEN 2040 AND 2060 AS right FROM open_people() o JOIN LATERAL (SELECT dp_count(*) AS c FROM people) s ON true;
TABLE counted;
COMMIT;
SELECT pg_stat_force_next_flush();
RESET ROLE;
TABLE before EXCEPT SELECT * FROM scans();
-- what is read otherwise is counted
BEGIN;
SELECT count(*) FROM people;
SELECT tables > 2000 AS tables FROM counted;
COMMIT;
SET ROLE channels_analyst;

-- messages: none comes from below, whatever the session asks for
SET trace_sort = on;
SET client_min_messages = log;
SET work_mem = '64kB';
SET enable_hashagg = off;
SELECT city, dp_count(DISTINCT person) BETWEEN 490 AND 510 AS right FROM visits GROUP BY city;
RESET trace_sort;
RESET client_min_messages;
RESET work_mem;
RESET enable_hashagg;

-- an error on a row's value is trapped even where the session asks to end with
-- any error, in parallel workers too
SET exit_on_error = on;
SELECT dp_count(*) > 0 AS alive FROM people WHERE 1 / (age - 40) IS NOT NULL;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
DO $$ BEGIN PERFORM set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query'); END $$;
SELECT dp_count(*) > 0 AS alive FROM people WHERE 1 / (age - 40) IS NOT NULL;
DO $$ BEGIN PERFORM set_config(name, 'off', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query'); END $$;
RESET min_parallel_table_scan_size;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;
RESET exit_on_error;

-- plans printed by the server hold estimates: none of protected rows for our statements
-- (test/t/attack/plans.pl compares what is printed), and nothing for those denied anyway
SET debug_print_plan = on;
SELECT dp_count(*) IS NOT NULL AS answered FROM people WHERE age < 5;
SET client_min_messages = log;
SELECT count(*) FROM people WHERE age < 5;
RESET client_min_messages;
PREPARE older(int) AS SELECT dp_count(*) IS NOT NULL AS answered FROM people WHERE age > $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE older(5);
RESET plan_cache_mode;
EXECUTE older(5);
RESET debug_print_plan;
CREATE FUNCTION print() RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT set_config('debug_print_plan', 'on', false);
$$;
BEGIN;
SELECT dp_count(*) IS NOT NULL AS answered, print() FROM people WHERE age < 5;
ROLLBACK;
BEGIN;
SELECT count(*), print() FROM people WHERE age < 5;
ROLLBACK;

-- A function of one's own sees released rows alone, wherever it stands and
-- however cheap, immutable or leakproof it claims to be.  It keeps what it saw in
-- a setting, since below a release its messages would be lost.
CREATE FUNCTION look(text) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('channels.seen', COALESCE(current_setting('channels.seen', true), '') || COALESCE($1, 'NULL') || ';', false);
	RETURN true;
END $$;
CREATE FUNCTION look_pair(text, text) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RETURN look($1) AND look($2); END';
CREATE OPERATOR === (PROCEDURE = look_pair, LEFTARG = text, RIGHTARG = text, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE FUNCTION seen() RETURNS TABLE (places bigint, villages bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT count(DISTINCT p) FILTER (WHERE p NOT IN ('', 'x')), count(*) FILTER (WHERE p LIKE 'village%')
		FROM regexp_split_to_table(rtrim(current_setting('channels.seen', true), ';'), ';') p;
	PERFORM set_config('channels.seen', '', false);
END $$;
RESET ROLE;
CREATE FUNCTION look_leakproof(text) RETURNS boolean IMMUTABLE LEAKPROOF COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RETURN channels.look($1); END';
SET ROLE channels_analyst;
CREATE TABLE places (city text);
INSERT INTO places VALUES ('x');
SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city) s WHERE look(city);
SELECT * FROM seen();
SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city) s WHERE look_leakproof(city);
SELECT * FROM seen();
SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city HAVING look(city)) s;
SELECT * FROM seen();
SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city HAVING look_leakproof(city) OFFSET 0) s;
SELECT * FROM seen();
SELECT count(*) FROM (SELECT look(city), dp_count(*) FROM people GROUP BY city) s;
SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city ORDER BY look(city) OFFSET 0) s;
SELECT * FROM seen();
SELECT count(*) FROM (SELECT city, rank() OVER (PARTITION BY look(city)) AS r, dp_count(*) FROM people GROUP BY city) s WHERE r > 0;
SELECT * FROM seen();
SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city) s JOIN places p ON look(s.city || p.city);
SELECT * FROM seen();
SELECT count(*) FROM places p WHERE EXISTS (SELECT FROM (SELECT city, dp_count(*) FROM people GROUP BY city) s WHERE look(s.city));
SELECT * FROM seen();
SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city) s WHERE city === 'x';
SELECT * FROM seen();
SELECT count(*) FROM (SELECT city, dp_count(*) FROM visits GROUP BY city) s, LATERAL (SELECT look(s.city) AS l OFFSET 0) l WHERE l;
SELECT * FROM seen();
CREATE VIEW cities AS SELECT city, dp_count(*) FROM people GROUP BY city;
SELECT count(*) FROM cities WHERE look_leakproof(city) AND city <> '';
SELECT * FROM seen();
-- and none of them the planner's statistics
EXPLAIN (COSTS OFF) SELECT * FROM (SELECT city, dp_count(*) FROM people GROUP BY city) s WHERE city === 'x';
EXPLAIN (COSTS OFF) SELECT * FROM (SELECT city, dp_count(*) FROM people GROUP BY city) s JOIN places p ON s.city === p.city;
SELECT * FROM seen();
RESET ROLE;
EXPLAIN (COSTS OFF) SELECT * FROM people WHERE city === 'x';
SELECT places > 0 AS places FROM seen();
SET ROLE channels_analyst;

-- functions of the plans below, as anybody may call them
SELECT dp_agg_internal.detoasted(1);
SELECT dp_agg_internal.detoasted(city) FROM places;
SELECT dp_agg_internal.detoasted(age) FROM people;
SELECT (SELECT dp_count(*) FROM people) IS NOT NULL, dp_agg_internal.detoasted(1);
SELECT count(*) FROM (SELECT dp_agg_internal.detoasted(city), dp_count(*) FROM people GROUP BY city) s;
SELECT dp_agg_internal.exact_sum(1, '');
SELECT dp_agg_internal.exact_sum(1, NULL);
SELECT dp_agg_internal.exact_sum(age, '') FROM people;
SELECT dp_agg_internal.released_bigint('\xdeadbeef', 0);
SELECT dp_agg_internal.random_priority() <> dp_agg_internal.random_priority() AS fresh;
SELECT dp_agg.bucket(7, 0, 10, 5), dp_agg.bucket('NaN'::float8, 0, 10, 5), dp_agg.bucket(7, 10, 0, 5), dp_agg.bucket(7, 'NaN', 0, 5),
	dp_agg.bucket(7, 0, 10, 0), dp_agg.bucket(9223372036854775807, -1e9, 1e9, 2147483647);
SELECT encode(float8send(dp_agg_internal.canonical(-x)), 'hex') AS canonical FROM unnest('{0,-0,NaN,Infinity,1}'::float8[]) x;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA channels CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE channels_analyst;
