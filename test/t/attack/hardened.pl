# Attacks by what a stock PostgreSQL shows every role of every table, in databases
# that dp_agg.harden() has closed; and questions asked in them.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $neighbours = new_neighbours('attack_hardened', conf => "track_commit_timestamp = on\n", libraries => ['pg_stat_statements'],
	admin => "CREATE EXTENSION pg_stat_statements;\nSELECT count(*) FROM dp_agg.harden(true);\n",
	analyst => <<'SQL');
CREATE FUNCTION tried(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE 'SELECT ' || call INTO answer;
	RETURN answer;
EXCEPTION WHEN insufficient_privilege THEN
	RETURN 'denied';
END $$;
SQL

# A table's numbers, on whatever way they are asked for.
$neighbours->attack(<<'ATTACKS');
@ rows and pages in the catalogue | 0 |
SELECT relname, relpages, reltuples, relallvisible, relfrozenxid FROM pg_class WHERE relnamespace = 'clinic'::regnamespace ORDER BY relname;
SELECT c.* FROM pg_class c WHERE relname = 'visits';
TABLE pg_class LIMIT 0;
@ rows and pages in the catalogue, by whole rows | 0 | 42501 42501
SELECT row_to_json(c) FROM pg_class c WHERE relname = 'visits';
SELECT c FROM pg_class c WHERE relname = 'visits';
@ rows and pages in the catalogue, by functions and views of one's own | 0 |
CREATE VIEW classes AS SELECT * FROM pg_class;
SELECT tried('reltuples FROM ann.classes WHERE relname = ''visits''');
SELECT tried('relpages FROM pg_class WHERE relname = ''visits''');
SELECT tried('max(reltuples) FROM pg_class');
SELECT tried('query_to_xml(''SELECT relpages FROM pg_class WHERE relname = ''''visits'''''', true, false, '''')');
DROP VIEW classes;
@ rows and pages in the catalogue, by conditions and order | 0 |
SELECT relname FROM pg_class WHERE relname IN ('visits', 'people', 'lone', 'parts_3') AND reltuples > 5000;
SELECT relname FROM pg_class WHERE relname IN ('visits', 'people', 'lone', 'parts_3') ORDER BY relpages, relname;
SELECT relpages > 100 AS large, count(*) FROM pg_class WHERE relname IN ('visits', 'people', 'lone', 'parts_3') GROUP BY 1;
@ sizes | 0 |
SELECT tried(format('%s(''clinic.visits'')', f)), f FROM unnest('{pg_relation_size,pg_table_size,pg_total_relation_size,pg_indexes_size}'::text[]) f;
SELECT tried('pg_database_size(current_database())'), tried('pg_tablespace_size(''pg_default'')');
SELECT tried('pg_size_pretty(pg_table_size(''clinic.visits''))');
@ counters of every kind | 1 |
SELECT dp_count(*) FROM visits;
SELECT v, tried(format('count(*) FROM pg_catalog.%I', v)) FROM (SELECT relname AS v FROM pg_class WHERE relkind = 'v' AND relname ~ '^pg_(stat|statio)_' AND relnamespace = 'pg_catalog'::regnamespace) s WHERE v !~ 'ssl|gssapi' ORDER BY v;
@ functions behind the counters | 0 |
SELECT p.proname, tried(format('%s(''clinic.visits''::regclass)', p.proname)) FROM pg_proc p WHERE proname LIKE 'pg\_stat\_get\_%' AND pronargs = 1 AND proargtypes[0] = 'oid'::regtype AND NOT proretset ORDER BY 1;
@ locks and who waits for them | 1 |
SELECT dp_count(*) FROM visits;
SELECT tried('count(*) FROM pg_locks'), tried('pg_blocking_pids(1)'), tried('pg_safe_snapshot_blocking_pids(1)');
@ the log's position, and what else counts | 1 |
SELECT dp_count(*) FROM visits;
SELECT tried('pg_current_wal_lsn()'), tried('pg_current_wal_insert_lsn()'), tried('pg_current_wal_flush_lsn()'), tried('pg_last_committed_xact()'),
	tried('count(*) FROM pg_prepared_xacts'), tried('pg_notification_queue_usage()');
@ statements' counters | 1 |
SELECT dp_count(*) FROM visits;
SELECT tried('count(*) FROM pg_stat_statements'), tried('count(*) FROM pg_stat_statements(true)'), tried('count(*) FROM pg_stat_statements_info');
@ estimates of plans for what one may read | 0 |
EXPLAIN SELECT * FROM doctors;
EXPLAIN SELECT relname FROM pg_class WHERE reltuples > 1000;
EXPLAIN SELECT relname FROM pg_class WHERE relpages > (SELECT max(relpages) FROM pg_class);
@ questions of all kinds | 5 |
SELECT dp_count(*) FROM people WHERE 1 / age > 0;
SELECT clinic, dp_count(*), dp_avg(minutes, 0, 100) FROM visits GROUP BY clinic;
SELECT bin, count AS noisy FROM dp_histogram('visits', 'minutes', 0, 100, 3);
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) FROM visits;
CREATE TABLE made AS SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SELECT relname, reltuples FROM pg_class WHERE relname = 'made';
DROP TABLE made;
@ psql's own questions about tables | 0 |
\dt clinic.*
\d clinic.visits
\di clinic.*
\df dp_agg.protect
\dn
ATTACKS

$neighbours->finish;
