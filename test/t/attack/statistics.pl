# Attacks by what the server counts and logs: statistics of the transaction and of
# the server, buffers, locks, and messages of settings that a superuser has at
# their most talkative.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $conf = <<'CONF';
track_functions = all
track_io_timing = on
track_wal_io_timing = on
track_activity_query_size = 10000
pg_stat_statements.track = all
pg_stat_statements.track_planning = on
pg_stat_statements.track_utility = on
compute_query_id = on
log_temp_files = 0
log_lock_waits = on
log_parser_stats = off
log_min_duration_statement = 0
log_duration = on
log_error_verbosity = verbose
log_autovacuum_min_duration = 0
CONF

# What anybody may see of the counters that our tables and indexes move.
my $admin = <<'SQL';
CREATE EXTENSION pg_stat_statements;
CREATE VIEW ours AS
	SELECT c.oid, c.oid::regclass::text AS name FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
		LEFT JOIN pg_class t ON t.reltoastrelid = c.oid
	WHERE c.relnamespace = 'clinic'::regnamespace OR (c.relnamespace = 'pg_toast'::regnamespace AND t.relnamespace = 'clinic'::regnamespace);
GRANT SELECT ON ours TO PUBLIC;
SQL
my $analyst = <<'SQL';
CREATE FUNCTION asks() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM clinic.visits WHERE minutes > 5); END';
CREATE FUNCTION keyed() RETURNS SETOF text LANGUAGE plpgsql AS
	'BEGIN RETURN QUERY SELECT v.clinic FROM (SELECT clinic, dp_count(*) FROM clinic.visits GROUP BY clinic) v; END';
CREATE FUNCTION tossed() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM clinic.people WHERE note LIKE ''%x%''); END';
CREATE VIEW counted AS SELECT name, pg_stat_get_xact_numscans(oid) AS scans, pg_stat_get_xact_tuples_returned(oid) AS returned,
	pg_stat_get_xact_tuples_fetched(oid) AS fetched, pg_stat_get_xact_blocks_fetched(oid) AS blocks, pg_stat_get_xact_blocks_hit(oid) AS hits
	FROM clinic.ours_view ORDER BY name;
SQL
$admin =~ s/VIEW ours/VIEW clinic.ours_view/;
$admin =~ s/ON ours/ON clinic.ours_view/;

my $neighbours = new_neighbours('attack_statistics', conf => $conf, libraries => ['pg_stat_statements'], admin => $admin, analyst => $analyst);

my $ask_all = <<'SQL';
SELECT dp_count(*) FROM people;
SELECT dp_count(*) FROM people WHERE note LIKE '%x%';
SELECT dp_count(*) FROM people WHERE secret = 1;
SELECT clinic, dp_count(*), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
SELECT dp_count(*) FROM parts WHERE cost > 5;
SELECT dp_count(*) FROM lone;
SQL
my $parallel = <<'SQL';
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '64kB';
SET max_parallel_workers_per_gather = 4;
SQL

$neighbours->attack(<<"ATTACKS");
@ counters of the transaction | 6 |
SELECT pg_stat_force_next_flush();
BEGIN;
$ask_all
SELECT * FROM counted;
COMMIT;
@ counters of the transaction: pg_stat_xact views | 6 |
SELECT pg_stat_force_next_flush();
BEGIN;
$ask_all
SELECT * FROM pg_stat_xact_all_tables WHERE schemaname IN ('clinic', 'pg_toast') AND relid IN (SELECT oid FROM clinic.ours_view) ORDER BY relname;
SELECT * FROM pg_stat_xact_user_functions ORDER BY funcname;
SELECT * FROM pg_stat_xact_all_tables WHERE relname IN ('pg_statistic', 'pg_seclabel', 'pg_index', 'pg_inherits', 'pg_partitioned_table') ORDER BY relname;
COMMIT;
@ counters of the transaction, by index | 2 |
BEGIN;
SET LOCAL enable_seqscan = off;
SELECT dp_count(*) FROM people WHERE secret > 7319000000 + 554000;
SELECT dp_count(*) FROM visits WHERE day > '2021-01-01';
SELECT * FROM counted;
COMMIT;
@ counters of the transaction, by parallel workers | 2 |
$parallel
BEGIN;
SELECT dp_count(*) FROM visits;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SELECT * FROM counted;
COMMIT;
@ counters of the transaction, rolled back and failed | 3 | 22014
BEGIN;
SAVEPOINT s;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
ROLLBACK TO s;
SELECT ntile((dp_count(*) * 0)::int) OVER () FROM visits;
ROLLBACK TO s;
SELECT dp_count(*) FROM people WHERE 1 / age > 0;
SELECT * FROM counted;
COMMIT;
@ counters of the transaction, under cursors | 2 |
BEGIN;
DECLARE a CURSOR FOR SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
DECLARE b CURSOR FOR SELECT dp_count(*) FROM people WHERE secret = 1;
FETCH a;
SELECT * FROM counted;
FETCH b;
SELECT * FROM counted;
COMMIT;
@ counters of the transaction, within the statement | 1 |
SELECT name, scans, returned, blocks FROM (SELECT dp_count(*) AS noisy FROM visits OFFSET 0) s, LATERAL (SELECT * FROM counted WHERE noisy IS NOT NULL OFFSET 0) c;
@ counters of the server | 6 |
$ask_all
SELECT pg_stat_force_next_flush();
SELECT * FROM pg_stat_all_tables WHERE relid IN (SELECT oid FROM clinic.ours_view) ORDER BY relname;
SELECT * FROM pg_statio_all_tables WHERE relid IN (SELECT oid FROM clinic.ours_view) ORDER BY relname;
SELECT * FROM pg_stat_all_indexes WHERE relid IN (SELECT oid FROM clinic.ours_view) ORDER BY indexrelname;
SELECT * FROM pg_statio_all_indexes WHERE relid IN (SELECT oid FROM clinic.ours_view) ORDER BY indexrelname;
@ counters of the server, by functions and parallel workers | 3 |
$parallel
SELECT asks() AS noisy;
SELECT dp_count(*) FROM visits WHERE 1000 / minutes > 5;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SELECT pg_stat_force_next_flush();
SELECT funcname, calls FROM pg_stat_user_functions WHERE calls > 0 ORDER BY funcname;
SELECT * FROM pg_stat_all_tables WHERE relid IN (SELECT oid FROM clinic.ours_view) ORDER BY relname;
@ counters of the server: temporary files of a database | 2 |
SET work_mem = '64kB';
SET enable_hashagg = off;
SELECT clinic, dp_count(DISTINCT person), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
SET enable_hashagg = on;
SELECT dp_count(DISTINCT person), dp_sum(minutes, 0, 100) FROM visits;
SELECT pg_stat_force_next_flush();
SELECT temp_files, temp_bytes FROM pg_stat_database WHERE datname = current_database();
@ messages about temporary files of one's own, after a question's | 2 |
SET work_mem = '64kB';
SET enable_hashagg = off;
SELECT clinic, dp_count(DISTINCT person), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
SELECT dp_median(minutes, 0, 100) FROM visits;
SELECT count(*) FROM (SELECT g FROM generate_series(1, 30000) g ORDER BY -g OFFSET 0) s;
@ counters of the server: what statements used | 8 |
$ask_all
SET work_mem = '64kB';
SET enable_hashagg = off;
SELECT clinic, dp_count(DISTINCT person), dp_sum(minutes, 0, 100) FROM visits GROUP BY clinic;
$parallel
SELECT dp_count(*), dp_sum(minutes, 0, 50) FROM visits;
RESET work_mem;
SELECT query, calls, rows, shared_blks_hit + shared_blks_read AS blocks, shared_blks_dirtied, shared_blks_written, local_blks_hit, temp_blks_read,
	temp_blks_written, wal_records, jit_functions FROM pg_stat_statements
	WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND userid = 'ann'::regrole AND query LIKE '%dp_%(%' AND query NOT LIKE '%CREATE%' ORDER BY query COLLATE "C";
@ counters of the server: what others' statements used | 1 |
> bob
SET ROLE team;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
> ann
SELECT calls, rows, shared_blks_hit + shared_blks_read AS blocks, temp_blks_written, query FROM pg_stat_statements
	WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND userid IN ('bob'::regrole, 'team'::regrole) ORDER BY calls, rows, 3, 4;
@ buffers around a function | 3 |
EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT asks() IS NOT NULL;
EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT * FROM keyed();
EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF, FORMAT JSON) SELECT tossed() IS NOT NULL;
@ buffers around a function that spills, or has workers | 2 |
SET work_mem = '64kB';
SET enable_hashagg = off;
EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT * FROM keyed();
RESET work_mem;
$parallel
EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT asks() IS NOT NULL;
@ buffers around a function that fails | 1 |
CREATE FUNCTION fails() RETURNS boolean LANGUAGE plpgsql AS \$\$
BEGIN
	PERFORM ntile((dp_count(*) * 0)::int) OVER () FROM clinic.visits;
	RETURN true;
EXCEPTION WHEN data_exception THEN
	RETURN false;
END \$\$;
EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT fails();
DROP FUNCTION fails();
@ sorts traced | 2 |
SET trace_sort = on;
SET enable_hashagg = off;
SET work_mem = '64kB';
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SELECT dp_count(DISTINCT person) FROM visits;
@ sorts traced, in workers | 1 |
SET trace_sort = on;
SET enable_hashagg = off;
$parallel
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
@ temporary files logged after a failure | 1 | 22014
SET enable_hashagg = off;
SET work_mem = '64kB';
SELECT ntile((dp_count(DISTINCT person) * 0)::int) OVER () FROM visits;
@ temporary files logged after a cancel | 1 | 57014
SET enable_hashagg = off;
SET work_mem = '64kB';
SELECT pg_cancel_backend(pg_backend_pid()), dp_count(DISTINCT person) AS noisy FROM visits;
SELECT 1;
@ locks kept until the end of the transaction | 4 |
BEGIN;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SELECT dp_count(*) FROM people WHERE secret > 5 AND note LIKE '%x%';
SELECT dp_count(*) FROM parts WHERE day > '2021-05-05';
SELECT dp_count(*) FROM lone;
SELECT locktype, relation::regclass, mode, granted, fastpath FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN (SELECT oid FROM clinic.ours_view) ORDER BY 2, 3;
SELECT locktype, mode, count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype <> 'relation' GROUP BY 1, 2 ORDER BY 1, 2;
COMMIT;
@ locks seen by another session | 1 |
BEGIN;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
> ann2
SELECT locktype, relation::regclass, mode, granted, fastpath FROM pg_locks WHERE relation IN (SELECT oid FROM clinic.ours_view)
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY 2, 3, 4, 5;
> ann
COMMIT;
@ predicate locks | 0 | 0A000
BEGIN ISOLATION LEVEL SERIALIZABLE;
EXPLAIN SELECT dp_count(*) FROM people WHERE secret > 5;
SELECT dp_count(*) FROM people WHERE secret > 5;
> ann2
SELECT locktype, relation::regclass, page, tuple, mode FROM pg_locks WHERE mode = 'SIReadLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
@ predicate locks of a price | 0 |
SET default_transaction_isolation = serializable;
BEGIN;
SELECT epsilon FROM dp_agg.price('SELECT dp_count(*) FROM people WHERE secret > 5 AND age < 90');
SELECT locktype, relation::regclass, page, tuple, mode FROM pg_locks WHERE mode = 'SIReadLock' AND relation IN (SELECT oid FROM clinic.ours_view);
@ predicate locks of the dead | 0 | 0A000
SET default_transaction_isolation = serializable;
SELECT asks() AS noisy;
SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' AND relation IN (SELECT oid FROM clinic.ours_view);
@ what another session sees of a question being asked | 1 |
SELECT state, wait_event_type, backend_xid IS NULL AS reads, query FROM (SELECT dp_count(*) AS noisy FROM visits OFFSET 0) s,
	LATERAL (SELECT * FROM pg_stat_activity WHERE pid = pg_backend_pid() AND noisy IS NOT NULL OFFSET 0) a;
SELECT backend_type, query, wait_event_type FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper' AND query <> '';
SELECT relid::regclass, phase FROM pg_stat_progress_vacuum;
SELECT relid::regclass, phase FROM pg_stat_progress_create_index;
@ memory of the session | 1 | 42501 42501
SELECT dp_count(*) FROM visits;
SELECT count(*) FROM pg_backend_memory_contexts;
SELECT pg_log_backend_memory_contexts(pg_backend_pid());
@ memory and files of the server | 0 | 42501 42501 42501 42501
SELECT * FROM pg_shmem_allocations;
SELECT pg_ls_tmpdir();
SELECT pg_read_file('postgresql.conf');
SELECT pg_ls_logdir();
@ statistics of columns | 0 | 42501 42501
SELECT * FROM pg_stats WHERE schemaname = 'clinic' AND tablename <> 'doctors';
SELECT * FROM pg_stats_ext WHERE schemaname = 'clinic';
SELECT * FROM pg_stats_ext_exprs WHERE schemaname = 'clinic';
SELECT * FROM pg_statistic;
SELECT * FROM pg_statistic_ext_data;
@ the state of random() | 2 |
SELECT setseed(0.5);
SELECT dp_count(*) FROM visits;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SELECT random();
@ numbers of transactions, and whether one is assigned | 3 |
BEGIN;
SELECT dp_count(*) FROM visits;
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SELECT asks() AS noisy;
SELECT pg_current_xact_id_if_assigned();
COMMIT;
@ the session's other state | 2 |
BEGIN;
DECLARE a CURSOR FOR SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
FETCH a;
SELECT dp_count(*) FROM people;
SELECT name, is_holdable, is_scrollable FROM pg_cursors;
SELECT * FROM pg_prepared_statements;
SELECT pg_trigger_depth(), pg_my_temp_schema(), pg_notification_queue_usage();
SELECT count(*) FROM pg_listening_channels();
COMMIT;
@ settings while a question is answered | 1 |
SELECT name, setting FROM (SELECT dp_count(*) AS noisy FROM visits OFFSET 0) s,
	LATERAL (SELECT * FROM pg_settings WHERE name IN ('track_counts', 'track_functions', 'client_min_messages', 'trace_sort') AND noisy IS NOT NULL OFFSET 0) a ORDER BY name;
@ settings after a failure | 1 | 22014
SELECT ntile((dp_count(*) * 0)::int) OVER () FROM visits;
SELECT name, setting, source FROM pg_settings WHERE name IN ('track_counts', 'track_functions', 'track_io_timing', 'client_min_messages', 'trace_sort') ORDER BY name;
@ counting goes on after a failure below | 1 | 22014
SELECT pg_stat_force_next_flush();
SELECT ntile((dp_count(*) * 0)::int) OVER () FROM visits;
BEGIN;
SELECT count(*) FROM doctors;
SELECT seq_scan, seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'doctors';
COMMIT;
ATTACKS

$neighbours->finish;
