--
-- counters: what PostgreSQL counts whatever the settings say (pages read and
-- looked up, commit states looked up) tells nothing about protected rows
--
CREATE EXTENSION dp_agg;
CREATE ROLE counters_analyst;
CREATE SCHEMA counters;
SET search_path = counters, public;
-- 6,000 rows of as many transactions, two to a page; three times the same
CREATE TABLE people (id int, filler char(3500)) WITH (autovacuum_enabled = off);
ALTER TABLE people ALTER filler SET STORAGE PLAIN;
CREATE TABLE visible (LIKE people INCLUDING STORAGE) WITH (autovacuum_enabled = off);
CREATE TABLE unread (LIKE people INCLUDING STORAGE) WITH (autovacuum_enabled = off);
CREATE TABLE few (id int PRIMARY KEY);
DO $$
BEGIN
	FOR i IN 1 .. 6000 LOOP
		BEGIN
			INSERT INTO people VALUES (i, '');
			INSERT INTO visible VALUES (i, '');
			INSERT INTO unread VALUES (i, '');
		EXCEPTION WHEN division_by_zero THEN
		END;
	END LOOP;
END $$;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('unread', 'id'), dp_agg.protect('few', 'id');
SELECT dp_agg.set_budget('counters_analyst', 1e6, 1e-3);
GRANT USAGE ON SCHEMA counters TO counters_analyst;
GRANT SELECT ON visible TO counters_analyst;

-- Commit states, pages of sessions and of background workers (since 16), pages of this
-- session (since 18); where there is no such view, the count is always zero.
CREATE FUNCTION counted(OUT states bigint, OUT pages bigint, OUT worker_pages bigint, OUT own_pages bigint) LANGUAGE plpgsql AS $$
BEGIN
	SELECT sum(blks_hit + blks_read) INTO states FROM pg_stat_slru;
	pages := 0;
	worker_pages := 0;
	own_pages := 0;
	IF to_regclass('pg_stat_io') IS NOT NULL THEN
		EXECUTE $q$SELECT sum(hits + reads) FILTER (WHERE backend_type = 'client backend'),
			sum(hits + reads) FILTER (WHERE backend_type = 'background worker') FROM pg_stat_io$q$ INTO pages, worker_pages;
	END IF;
	IF to_regproc('pg_stat_get_backend_io') IS NOT NULL THEN
		EXECUTE 'SELECT sum(hits + reads) FROM pg_stat_get_backend_io(pg_backend_pid())' INTO own_pages;
	END IF;
END $$;
-- Which counters went up by 2,800 or more since the last call?  A table has 3,000 pages; a
-- statement with its catalogs takes some hundred.  Pages of workers are looked at by parallel
-- queries alone, since a keeper is a background worker too: each that starts takes a
-- thousand of a database like that of these tests, and adds them when it likes.
CREATE TABLE last AS SELECT * FROM counted();
CREATE FUNCTION went_up(OUT states boolean, OUT pages boolean, OUT worker_pages boolean, OUT own_pages boolean) LANGUAGE plpgsql AS $$
BEGIN
	SELECT c.states - l.states >= 2800, c.pages - l.pages >= 2800, c.worker_pages - l.worker_pages >= 2800, c.own_pages - l.own_pages >= 2800
	INTO states, pages, worker_pages, own_pages FROM counted() c, last l;
	DELETE FROM last;
	INSERT INTO last SELECT * FROM counted();
END $$;
GRANT SELECT, INSERT, DELETE ON last TO counters_analyst;
-- Counters a version lacks count as seen.
CREATE FUNCTION saw(OUT states boolean, OUT pages boolean, OUT worker_pages boolean, OUT own_pages boolean) LANGUAGE plpgsql AS $$
BEGIN
	SELECT u.states, u.pages OR to_regclass('pg_stat_io') IS NULL, u.worker_pages OR to_regclass('pg_stat_io') IS NULL,
		u.own_pages OR to_regproc('pg_stat_get_backend_io') IS NULL
	INTO states, pages, worker_pages, own_pages FROM went_up() u;
END $$;

SET ROLE counters_analyst;
SET dp_agg.epsilon = 50;
SET max_parallel_workers_per_gather = 0;
-- catalogs are read once
SELECT dp_count(*) IS NOT NULL AS answered FROM few;
SELECT pg_stat_force_next_flush();
SELECT went_up() IS NOT NULL AS began;

-- a release
SELECT abs(dp_count(*) - 6000) <= 10 AS "right" FROM people;
SELECT pg_stat_force_next_flush();
SELECT states, pages, own_pages FROM went_up();
-- a release that fails
RESET ROLE;
SET temp_file_limit = 0;
SET ROLE counters_analyst;
SET work_mem = '64kB';
SELECT dp_count(*) FROM people GROUP BY id, filler;
\echo :SQLSTATE
SELECT pg_stat_force_next_flush();
SELECT states, pages, own_pages FROM went_up();
RESET work_mem;
-- and one after it, over rows whose commit states were not looked up yet
SELECT abs(dp_count(*) - 6000) <= 10 AS "right" FROM unread;
SELECT pg_stat_force_next_flush();
SELECT states, pages, own_pages FROM went_up();
-- a release within the planning of another statement
RESET ROLE;
RESET temp_file_limit;
GRANT CREATE ON SCHEMA counters TO counters_analyst;
SET ROLE counters_analyst;
CREATE FUNCTION folded() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS
	'BEGIN RETURN (SELECT abs(dp_count(*) - 6000) <= 10 FROM people); END';
SELECT dp_count(*) IS NOT NULL AS answered, folded() FROM few;
SELECT pg_stat_force_next_flush();
SELECT states, pages, own_pages FROM went_up();
-- parallel workers, which a table without statistics would not get
RESET ROLE;
ANALYZE people;
SET ROLE counters_analyst;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT dp_count(*) IS NOT NULL AS answered FROM few;
SELECT pg_stat_force_next_flush();
SELECT went_up() IS NOT NULL AS began;
-- the least of three times: it is not at each that keepers add theirs
SELECT abs(dp_count(*) - 6000) <= 10 AS "right" FROM people;
SELECT pg_stat_force_next_flush();
SELECT * FROM went_up() \gset first_
SELECT abs(dp_count(*) - 6000) <= 10 AS "right" FROM people;
SELECT pg_stat_force_next_flush();
SELECT * FROM went_up() \gset second_
SELECT abs(dp_count(*) - 6000) <= 10 AS "right" FROM people;
SELECT pg_stat_force_next_flush();
SELECT states, pages, worker_pages AND :'first_worker_pages' AND :'second_worker_pages' AS worker_pages, own_pages FROM went_up();
SELECT :'first_states' OR :'second_states' AS states, :'first_pages' OR :'second_pages' AS pages, :'first_own_pages' OR :'second_own_pages' AS own_pages;
-- what is read otherwise is counted
SET max_parallel_workers_per_gather = 0;
SELECT count(*) FROM visible;
SELECT pg_stat_force_next_flush();
SELECT states, pages, own_pages FROM saw();
-- by workers as well
RESET ROLE;
ANALYZE visible;
SET ROLE counters_analyst;
SET max_parallel_workers_per_gather = 2;
SELECT pg_stat_force_next_flush();
SELECT went_up() IS NOT NULL AS began;
SELECT count(*) FROM visible;
SELECT pg_stat_force_next_flush();
SELECT worker_pages FROM saw();
SET max_parallel_workers_per_gather = 0;

-- Numbers that samples are drawn by come from the same generator as the names of what
-- workers share; how many of them a release took does not show in the next sample.
RESET ROLE;
CREATE FUNCTION test_seed(bigint) RETURNS void AS '$libdir/dp_validate_test', 'test_seed' LANGUAGE C;
CREATE FUNCTION test_numbers_drawn(bigint) RETURNS int AS '$libdir/dp_validate_test', 'test_numbers_drawn' LANGUAGE C;
CREATE FUNCTION test_number() RETURNS bigint AS '$libdir/dp_validate_test', 'test_number' LANGUAGE C;
SET ROLE counters_analyst;
SELECT test_seed(1);
SELECT test_numbers_drawn(1);
SELECT dp_count(*) IS NOT NULL AS answered FROM people;
SELECT test_numbers_drawn(1);
SELECT test_number() AS number \gset
SET max_parallel_workers_per_gather = 2;
SELECT test_seed(1);
SELECT dp_count(*) IS NOT NULL AS answered FROM people;
SELECT test_numbers_drawn(1);
SELECT test_number() = :number AS same_number;
RESET max_parallel_workers_per_gather;

-- Temporary files and tables go to several tablespaces by turns; how many files a
-- release wrote, or one that failed, does not show in where the next table goes.
RESET ROLE;
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE counters_turns LOCATION '';
GRANT CREATE ON TABLESPACE counters_turns TO counters_analyst;
CREATE FUNCTION turns_taken(query text, times int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	taken int := 0;
BEGIN
	FOR i IN 1 .. times LOOP
		CREATE TEMP TABLE before ();
		BEGIN
			EXECUTE query;
		EXCEPTION WHEN insufficient_resources THEN
		END;
		CREATE TEMP TABLE after ();
		taken := taken + (SELECT count(DISTINCT reltablespace) - 1 FROM pg_class WHERE oid IN ('before'::regclass, 'after'::regclass));
		DROP TABLE before, after;
	END LOOP;
	RETURN taken;
END $$;
SET ROLE counters_analyst;
SET temp_tablespaces = counters_turns, pg_default;
SELECT turns_taken('SELECT', 50);
-- neither always nor never, but for one time in 2 ^ 49
SELECT turns_taken('SELECT dp_count(*) FROM few', 50) BETWEEN 1 AND 49 AS by_chance;
SELECT turns_taken('SELECT dp_count(*) FROM people GROUP BY filler', 50) BETWEEN 1 AND 49 AS by_chance;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA counters CASCADE;
DROP TABLESPACE counters_turns;
DROP EXTENSION dp_agg;
DROP ROLE counters_analyst;
