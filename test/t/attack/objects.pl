# Attacks by objects of the analyst's: views, tables, triggers, rules, indexes,
# functions, cursors, prepared transactions; and by commands on what is not hers.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $analyst = <<'SQL';
CREATE SEQUENCE s;
CREATE TABLE results (k text, n bigint, at int DEFAULT 0, twice bigint GENERATED ALWAYS AS (n * 0) STORED);
CREATE TABLE checked (n bigint CHECK (n < 0));
CREATE FUNCTION asks(text) RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT public.dp_count(*) FROM clinic.people WHERE city = $1); END';
CREATE FUNCTION reads(text) RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT secret FROM clinic.people WHERE city = $1 LIMIT 1); END';
CREATE FUNCTION rows() RETURNS TABLE (k text, noisy bigint) LANGUAGE sql STABLE AS 'SELECT clinic, dp_count(*) FROM clinic.visits GROUP BY clinic';
CREATE FUNCTION over(int) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM clinic.people WHERE age > $1); END';
CREATE FUNCTION before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'row %, noisy:%', NEW.k, NEW.n;
	RETURN NEW;
END $$;
CREATE TRIGGER before BEFORE INSERT ON results FOR EACH ROW EXECUTE FUNCTION before();
CREATE VIEW asking AS SELECT city, dp_count(*) FROM clinic.people GROUP BY city;
CREATE VIEW reading AS SELECT id, name, city, age FROM clinic.people;
CREATE VIEW barred WITH (security_barrier) AS SELECT clinic, dp_count(*) FROM clinic.visits GROUP BY clinic;
CREATE VIEW invoked WITH (security_invoker) AS SELECT clinic, dp_count(*) FROM clinic.visits GROUP BY clinic;
CREATE MATERIALIZED VIEW matted AS SELECT clinic, dp_count(*) FROM clinic.visits GROUP BY clinic WITH NO DATA;
CREATE TABLE later (a int);
CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM clinic, dp_count(*) FROM clinic.visits GROUP BY clinic; RETURN NULL; END';
CREATE CONSTRAINT TRIGGER later AFTER INSERT ON later DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION later();
CREATE FUNCTION leads() RETURNS bigint PARALLEL RESTRICTED LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM clinic.visits); END';
CREATE TABLE large (k int, v text);
INSERT INTO large SELECT i, 'v ' || i FROM generate_series(1, 20000) i;
ANALYZE large;
CREATE TABLE indexed (k text);
INSERT INTO indexed VALUES ('Aachen');
GRANT SELECT ON asking, reading, barred, invoked, matted TO PUBLIC;
CREATE FUNCTION diagnosed(query text) RETURNS TABLE (state text, message text, detail text, hint text, context text, col text, tab text, typ text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT,
		context = PG_EXCEPTION_CONTEXT, col = COLUMN_NAME, tab = TABLE_NAME, typ = PG_DATATYPE_NAME;
	RETURN NEXT;
END $$;
SQL

my $neighbours = new_neighbours('attack_objects', analyst => $analyst);

$neighbours->attack(<<'ATTACKS');
@ the table itself | 1 | 42501 42501
TABLE people;
SELECT 1 FROM people LIMIT 0;
SELECT EXISTS (SELECT FROM lone) AS noisy;
SELECT name FROM people FOR UPDATE;
@ partitions and views of the owner's | 0 | 42501 42501 42501
SELECT count(*) FROM parts_3;
SELECT * FROM grown;
SELECT dp_count(*) FROM parts_3;
@ views of the owner's, asked about | 2 |
SELECT dp_count(*) FROM guarded WHERE city = 'Aachen';
SELECT dp_count(*) FROM grown WHERE 1 / age > 0;
@ COPY | 0 | 42501 42501 42501 42501
COPY people TO STDOUT;
COPY people (name) TO STDOUT;
COPY (SELECT name FROM people) TO STDOUT;
COPY (SELECT dp_count(*) FROM people) TO '/tmp/x';
@ COPY of answers | 1 |
COPY (SELECT clinic FROM (SELECT clinic, dp_count(*) FROM visits GROUP BY clinic) s) TO STDOUT (FORMAT csv, HEADER);
@ changing the table | 0 | 42501 42501 42501 42501 42501
INSERT INTO people (id) VALUES (1);
UPDATE people SET age = 0;
DELETE FROM people WHERE id = 5000;
TRUNCATE people;
MERGE INTO people USING doctors ON true WHEN MATCHED THEN DELETE;
@ learning by conflicts | 0 | 42501 42501
INSERT INTO lone VALUES (5000) ON CONFLICT DO NOTHING;
INSERT INTO people (id) VALUES (5000) ON CONFLICT (id) DO NOTHING RETURNING *;
@ changing what it is | 0 | 42501 42501 42501 42501 42501 42501 42501 42501
ALTER TABLE people ADD COLUMN x int;
ALTER TABLE people ADD CONSTRAINT x CHECK (age > 0);
CREATE INDEX ON people (name);
CREATE UNIQUE INDEX ON lone (age);
CREATE STATISTICS st ON age, city FROM people;
CREATE TRIGGER t AFTER INSERT ON people FOR EACH ROW EXECUTE FUNCTION before();
CREATE RULE r AS ON SELECT TO lone DO INSTEAD SELECT 1;
CREATE POLICY p ON people USING (true);
@ referring to it | 0 | 42501 42501 42501 42501
CREATE TABLE child (id int REFERENCES lone);
CREATE TABLE heir () INHERITS (lone);
CREATE TABLE copy (LIKE people INCLUDING ALL);
CREATE TABLE part PARTITION OF parts FOR VALUES FROM ('2000-01-01') TO ('2001-01-01');
@ tending it | 0 | 42501 42501 42501 42501 42501
ANALYZE VERBOSE people;
VACUUM VERBOSE lone;
CLUSTER people USING people_pkey;
REINDEX TABLE people;
BEGIN;
LOCK TABLE people IN ACCESS SHARE MODE;
ROLLBACK;
COMMENT ON TABLE people IS 'x';
SECURITY LABEL FOR dp_agg ON COLUMN people.age IS 'dataset=default max_rows=1 max_groups=1';
@ functions that read tables by name | 0 | 42501 42501 42501 42501
SELECT query_to_xml('SELECT name FROM people', true, false, '');
SELECT table_to_xml('people', true, false, '');
SELECT ts_stat('SELECT to_tsvector(name) FROM people');
SELECT currtid2('people', '(0,1)');
@ functions that read a whole database | 0 |
SELECT length(schema_to_xml('clinic', true, false, '')::text) > 100 AS answered;
SELECT schema_to_xmlschema('clinic', true, false, '') IS NOT NULL AS answered;
@ functions that run a question by name | 2 |
SELECT query_to_xml('SELECT clinic FROM (SELECT clinic, dp_count(*) FROM visits GROUP BY clinic) s', true, false, '');
SELECT count(*) FROM ts_stat('SELECT to_tsvector(clinic) FROM (SELECT clinic, dp_count(*) FROM visits GROUP BY clinic) s');
@ functions that tend tables | 0 | 42809 42809
SELECT gin_clean_pending_list('people_pkey');
SELECT brin_summarize_new_values('people_age_idx');
@ views of one's own over it | 0 | 42501 42501
SELECT * FROM reading;
SELECT name FROM reading WHERE age > 5;
@ views of one's own over it, asked about | 1 |
SELECT dp_count(*) FROM reading WHERE city = 'Aachen';
@ views that ask | 4 |
SELECT * FROM asking;
SELECT clinic FROM barred WHERE clinic <> '';
SELECT clinic FROM invoked LIMIT 1;
SELECT city, 1 AS one FROM asking a WHERE EXISTS (SELECT FROM barred);
@ views that ask, by who may not | 0 | 42501 42501 42501
> eve
SELECT * FROM asking;
SELECT clinic FROM barred WHERE clinic <> '';
SELECT * FROM invoked;
@ materialized views | 2 |
SET client_min_messages = log;
REFRESH MATERIALIZED VIEW matted;
SELECT clinic FROM matted;
CREATE UNIQUE INDEX ON matted (clinic);
REFRESH MATERIALIZED VIEW CONCURRENTLY matted;
ANALYZE matted;
SELECT attname, null_frac, n_distinct FROM pg_stats WHERE tablename = 'matted' AND attname = 'clinic';
DROP INDEX matted_clinic_idx;
@ materialized views, refreshed by who may not ask | 0 | 42501
> admin
REFRESH MATERIALIZED VIEW ann.matted;
> eve
SELECT dp_count(*) FROM lone;
> ann
SELECT 1;
@ tables made of answers | 3 |
CREATE TABLE made AS SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
CREATE TEMP TABLE made_too AS SELECT * FROM asking;
SELECT clinic, dp_count(*) INTO made_three FROM visits GROUP BY clinic;
SELECT relname, relkind FROM pg_class WHERE relname LIKE 'made%' ORDER BY relname;
DROP TABLE made, made_too, made_three;
@ tables made of answers, without data | 0 |
CREATE TABLE made AS SELECT clinic, dp_count(*) FROM visits GROUP BY clinic WITH NO DATA;
DROP TABLE made;
@ tables made of answers where none may be made, or none can be | 0 | 42501 42501 42501 42501 42501 42501 42P07 42P07 42P07 42P07 42501 42601 42701 42704 22023 42P16 42710 25006
CREATE TABLE clinic.made AS SELECT dp_count(*) FROM visits;
SELECT dp_count(*) INTO clinic.made FROM visits;
CREATE MATERIALIZED VIEW clinic.made AS SELECT dp_count(*) FROM visits;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) CREATE TABLE clinic.made AS SELECT dp_count(*) FROM visits;
PREPARE counts AS SELECT dp_count(*) FROM visits;
CREATE TABLE clinic.made AS EXECUTE counts;
DO $$ BEGIN CREATE TABLE clinic.made AS SELECT dp_count(*) FROM clinic.visits; END $$;
CREATE TABLE results AS SELECT dp_count(*) FROM visits;
SELECT dp_count(*) INTO results FROM visits;
CREATE MATERIALIZED VIEW matted AS SELECT dp_count(*) FROM visits;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) CREATE TABLE results AS EXECUTE counts;
CREATE TABLE made TABLESPACE pg_global AS SELECT dp_count(*) FROM visits;
CREATE TABLE made (a, b) AS SELECT dp_count(*) FROM visits;
CREATE TABLE made AS SELECT dp_count(*) AS a, dp_count(*) AS a FROM visits;
CREATE TABLE made USING absent AS SELECT dp_count(*) FROM visits;
CREATE TABLE made WITH (absent = 1) AS SELECT dp_count(*) FROM visits;
CREATE TABLE made AS SELECT ROW(c) FROM (SELECT dp_count(*) AS c FROM visits) s;
CREATE TYPE made AS ENUM ();
CREATE TABLE made AS SELECT dp_count(*) FROM visits;
DROP TYPE made;
BEGIN READ ONLY;
CREATE TABLE made AS SELECT dp_count(*) FROM visits;
ROLLBACK;
DEALLOCATE counts;
@ answers that nobody may, or nobody can be given | 0 | 42501 42501 42703 42501 55000 428C9 25006 25P01 55000 42804 42601
COPY (SELECT dp_count(*) FROM visits) TO '/tmp/x';
COPY (SELECT dp_count(*) FROM visits) TO PROGRAM 'cat';
COPY (SELECT dp_count(*) FROM visits) TO STDOUT (FORMAT csv, FORCE_QUOTE (absent));
INSERT INTO clinic.doctors (clinic) SELECT dp_count(*)::text FROM visits;
INSERT INTO asking SELECT 'x', dp_count(*) FROM visits;
INSERT INTO results (twice) SELECT dp_count(*) FROM visits;
BEGIN READ ONLY;
INSERT INTO results (n) SELECT dp_count(*) FROM visits;
ROLLBACK;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM visits;
REFRESH MATERIALIZED VIEW CONCURRENTLY matted;
CREATE FUNCTION wrong() RETURNS SETOF text LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT dp_count(*) FROM clinic.visits; END';
SELECT * FROM wrong();
DROP FUNCTION wrong();
INSERT INTO results (n) SELECT dp_count(*), 1 FROM visits;
@ answers that their receiver throws away: hers to lose | 2 | 42601 22003
DO $$ BEGIN SELECT dp_count(*) FROM clinic.visits; END $$;
DO $$ DECLARE n smallint; BEGIN SELECT dp_count(*) + 40000 INTO n FROM clinic.visits; END $$;
@ tables filled with answers, under a trigger | 1 |
INSERT INTO results (k, n) SELECT clinic, dp_count(*) FROM visits GROUP BY clinic RETURNING k, n AS noisy, twice;
DELETE FROM results;
@ tables filled with answers that they refuse | 1 | 23514
DO $$ BEGIN INSERT INTO checked SELECT dp_count(*) FROM visits; EXCEPTION WHEN check_violation THEN RAISE EXCEPTION 'refused' USING ERRCODE = '23514'; END $$;
@ tables filled with rows | 0 | 42501 42501
INSERT INTO results (k) SELECT name FROM people;
INSERT INTO results (k, n) SELECT name, (SELECT dp_count(*) FROM visits) FROM people;
@ upserts, updates, deletes and merges with answers | 0 | 0A000 0A000 0A000 0A000
INSERT INTO results (n) SELECT dp_count(*) FROM visits ON CONFLICT DO NOTHING;
UPDATE results SET n = (SELECT dp_count(*) FROM visits);
DELETE FROM results WHERE n > (SELECT dp_count(*) FROM visits);
MERGE INTO results USING (SELECT dp_count(*) AS n FROM visits) s ON false WHEN NOT MATCHED THEN INSERT (n) VALUES (s.n);
@ modifying CTEs beside a question | 0 | 0A000
WITH w AS (INSERT INTO results (k, n) VALUES ('x', 0) RETURNING k) SELECT k, (SELECT dp_count(*) FROM visits) AS noisy FROM w;
DELETE FROM results;
@ rules that ask | 0 | 0A000
CREATE RULE r AS ON DELETE TO checked DO ALSO SELECT dp_count(*) FROM clinic.visits;
DELETE FROM checked WHERE n = (SELECT dp_count(*) FROM visits);
DROP RULE r ON checked;
@ rules that read | 0 | 42501
CREATE RULE r AS ON INSERT TO checked DO ALSO SELECT name FROM clinic.people;
INSERT INTO checked VALUES (-1);
DROP RULE r ON checked;
@ an index whose function asks | 1 |
CREATE INDEX asks ON indexed (asks(k));
DROP INDEX asks;
@ an index whose function reads | 0 | 42501
CREATE INDEX reads ON indexed (reads(k));
@ an index whose function asks, made by others | 1 | 42501
CREATE INDEX asks ON indexed (asks(k));
> admin
ANALYZE ann.indexed;
REINDEX INDEX ann.asks;
> eve
SELECT dp_count(*) FROM visits;
> ann
DROP INDEX asks;
@ statistics objects over answers | 1 |
CREATE TABLE made AS SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
CREATE STATISTICS made_statistics (ndistinct) ON clinic, (clinic || 'x') FROM made;
ANALYZE made;
SELECT attnames, n_distinct FROM pg_stats_ext WHERE statistics_name = 'made_statistics';
DROP TABLE made;
@ generated columns, defaults and checks that ask | 3 |
CREATE TABLE g (k text, noisy bigint GENERATED ALWAYS AS (asks(k)) STORED);
INSERT INTO g VALUES ('Aachen');
CREATE TABLE d (noisy bigint DEFAULT asks('Bremen'));
INSERT INTO d DEFAULT VALUES RETURNING noisy;
CREATE TABLE c (k text CHECK (asks(k) IS NOT NULL));
INSERT INTO c VALUES ('Celle');
DROP TABLE g, d, c;
@ row security of one's own that asks | 1 |
CREATE TABLE p (k text);
INSERT INTO p VALUES ('x');
ALTER TABLE p ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY asks ON p USING (asks('Aachen') > 5);
SELECT k FROM p;
DROP TABLE p;
@ cursors | 1 |
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
FETCH 2 FROM c;
FETCH PRIOR FROM c;
MOVE LAST FROM c;
FETCH ALL FROM c;
FETCH ABSOLUTE 1 FROM c;
MOVE BACKWARD ALL FROM c;
FETCH ALL FROM c;
COMMIT;
@ cursors that outlive their transaction | 1 |
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
COMMIT;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
CLOSE c;
@ cursors that are never read | 0 |
BEGIN;
DECLARE c CURSOR FOR SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
CLOSE c;
COMMIT;
@ cursors on the table | 0 | 42501
BEGIN;
DECLARE c CURSOR FOR SELECT name FROM people;
@ a cursor's current row | 0 | 24000
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM visits;
DELETE FROM results WHERE CURRENT OF c;
@ rolled back | 2 |
BEGIN;
SELECT dp_count(*) FROM visits;
ROLLBACK;
BEGIN;
SAVEPOINT s;
SELECT dp_count(*) FROM visits;
ROLLBACK TO s;
COMMIT;
@ rolled back with its batch | 1 | 22012
SELECT dp_count(*) FROM visits \; SELECT 1 / 0;
@ failing above the release | 2 | 22014 22016
SELECT ntile((dp_count(*) * 0)::int) OVER () FROM visits;
SELECT nth_value(1, (dp_count(*) * 0)::int) OVER () FROM visits;
@ failing in a function that hides it | 3 |
DO $$
BEGIN
	FOR i IN 1 .. 3 LOOP
		BEGIN
			PERFORM ntile((dp_count(*) * 0)::int) OVER () FROM clinic.visits;
		EXCEPTION WHEN data_exception THEN
			RAISE NOTICE '%: %', SQLSTATE, SQLERRM;
		END;
	END LOOP;
END $$;
@ diagnostics of what fails, is refused, is denied | 1 |
= 2 | | bounds come from the domain, and are in order
SELECT * FROM diagnosed('SELECT ntile((dp_count(*) * 0)::int) OVER () FROM clinic.people WHERE 1 / age > 0');
SELECT * FROM diagnosed('SELECT dp_count(*) FROM clinic.people WHERE name::interval IS NULL');
SELECT * FROM diagnosed('SELECT name FROM clinic.people');
SELECT * FROM diagnosed('SELECT dp_sum(age, 1, 0) FROM clinic.people');
@ two-phase commit | 2 |
BEGIN;
SELECT dp_count(*) FROM visits;
PREPARE TRANSACTION 'attack';
ROLLBACK PREPARED 'attack';
BEGIN;
INSERT INTO results (k, n) SELECT 'x', dp_count(*) FROM visits;
PREPARE TRANSACTION 'attack';
SELECT gid, owner FROM pg_prepared_xacts WHERE database = current_database();
COMMIT PREPARED 'attack';
DELETE FROM results;
@ snapshots of others | 2 |
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT dp_count(*) FROM lone;
SELECT pg_export_snapshot() IS NOT NULL AS exported;
SELECT dp_count(*) FROM lone;
COMMIT;
@ LISTEN and NOTIFY | 1 |
LISTEN answers;
SELECT pg_notify('answers', 'noisy:' || dp_count(*)) FROM visits;
SELECT 1;
UNLISTEN answers;
@ large objects | 1 |
BEGIN;
SELECT lo_from_bytea(0, dp_count::text::bytea) > 0 AS made FROM (SELECT dp_count(*) FROM visits) s;
ROLLBACK;
@ large objects of files and rows | 0 | 42501 42501
SELECT lo_import('/etc/passwd');
SELECT lo_from_bytea(0, name::bytea) FROM people;
@ sequences and advisory locks above the release | 2 |
SELECT nextval('s'), clinic, dp_count(*) FROM visits GROUP BY clinic;
SELECT pg_try_advisory_xact_lock(1), dp_count(*) FROM visits;
SELECT last_value FROM s;
ALTER SEQUENCE s RESTART;
@ sequences and advisory locks below the release | 0 | 0A000 0A000
SELECT dp_count(*) FROM people WHERE nextval('s') > 0;
SELECT dp_count(*) FROM people WHERE pg_try_advisory_lock(id);
SELECT is_called FROM s;
@ functions that ask | 4 |
SELECT k FROM rows();
SELECT over(30) IS NOT NULL AS answered, over(40) IS NOT NULL AS answered_too;
SELECT r.k, d.town FROM rows() r JOIN doctors d ON d.clinic = r.k;
@ functions that ask for each row | 4 |
SELECT d.clinic, over(beds) IS NOT NULL AS answered FROM doctors d ORDER BY clinic;
@ blocks of code | 2 |
DO $$
DECLARE
	r record;
	n bigint;
BEGIN
	FOR r IN SELECT clinic, dp_count(*) FROM clinic.visits GROUP BY clinic LOOP
		RAISE NOTICE '%', r.clinic;
	END LOOP;
	EXECUTE 'SELECT dp_count(*) FROM clinic.people WHERE age > $1' INTO n USING 5;
	RAISE NOTICE 'noisy:%', n;
END $$;
@ a procedure that commits between questions | 3 |
CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 3 LOOP
		PERFORM dp_count(*) FROM clinic.lone;
		IF i = 2 THEN ROLLBACK; ELSE COMMIT; END IF;
	END LOOP;
END $$;
CALL commits();
DROP PROCEDURE commits();
@ event triggers, languages, casts, operator classes | 0 | 42501 42501 42501 42501
CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION before();
CREATE LANGUAGE l HANDLER plpgsql_call_handler;
CREATE OPERATOR CLASS c DEFAULT FOR TYPE text USING btree AS OPERATOR 1 <;
CREATE FUNCTION c(internal) RETURNS internal LANGUAGE c AS 'dp_agg', 'dp_exact_detoasted';
@ publications, subscriptions, servers | 0 | 42501 42501 42501
CREATE PUBLICATION p FOR TABLE people;
CREATE SUBSCRIPTION x CONNECTION '' PUBLICATION p;
SELECT pg_create_logical_replication_slot('s', 'test_decoding');
@ parallel: in cursors, held ones too | 3 |
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '64kB';
BEGIN;
DECLARE a CURSOR FOR SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
DECLARE b SCROLL CURSOR WITH HOLD FOR SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
DECLARE c CURSOR WITH HOLD FOR SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
FETCH a;
FETCH b;
SAVEPOINT s;
FETCH a;
ROLLBACK TO s;
COMMIT;
FETCH ALL FROM b;
FETCH ALL FROM c;
CREATE TABLE x (a int);
DROP TABLE x;
@ parallel: at commit, in triggers | 2 |
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '64kB';
INSERT INTO later VALUES (1);
BEGIN;
INSERT INTO later VALUES (2);
PREPARE TRANSACTION 'p';
ROLLBACK PREPARED 'p';
@ parallel: what is for exact plans alone | 0 | 42501 42501
SET client_min_messages = log;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT count(*) FROM large WHERE k < 100 AND v <> '';
SELECT sum(dp_agg_internal.detoasted(k)) FROM large;
SET max_parallel_workers_per_gather = 0;
SELECT sum(dp_agg_internal.detoasted(k)) FROM large;
@ parallel: in CREATE TABLE AS, INSERT, REFRESH, COPY | 4 |
SET client_min_messages = log;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '64kB';
CREATE TABLE x AS SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
INSERT INTO x SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
REFRESH MATERIALIZED VIEW matted;
COPY (SELECT clinic FROM (SELECT clinic, dp_count(*) FROM visits GROUP BY clinic) s) TO STDOUT;
DROP TABLE x;
@ parallel: in loops that write | 5 | 22012
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '64kB';
DO $$
DECLARE r record;
BEGIN
	FOR r IN SELECT clinic, dp_count(*) FROM clinic.visits GROUP BY clinic LOOP
		INSERT INTO ann.large VALUES (1, r.clinic);
	END LOOP;
	FOR i IN 1 .. 2 LOOP
		BEGIN
			PERFORM ntile((dp_count(*) * 0)::int) OVER () FROM clinic.visits;
		EXCEPTION WHEN data_exception THEN
			INSERT INTO ann.large VALUES (1, 'x');
		END;
	END LOOP;
END $$;
SELECT leads() AS noisy, 1 / 0 FROM large;
SELECT leads() + dp_count(*) AS noisy FROM visits;
DELETE FROM large WHERE k = 1;
@ parallel: asked within a parallel query | 1 |
SET client_min_messages = log;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '64kB';
SELECT count(*) FROM large WHERE k < 100 AND v <> '' AND (SELECT leads()) IS NOT NULL;
EXPLAIN (COSTS OFF) SELECT count(*) FROM large WHERE k < 100 AND v <> '' AND (SELECT leads()) IS NOT NULL;
@ parallel: messages of the role's | 2 |
ALTER ROLE ann SET client_min_messages = debug5;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '64kB';
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SELECT dp_count(*) FROM visits;
ALTER ROLE ann RESET client_min_messages;
@ parallel: cancelled | 1 | 57014
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '64kB';
SELECT pg_cancel_backend(pg_backend_pid()), dp_count(*) AS noisy FROM visits;
ATTACKS

$neighbours->finish;
