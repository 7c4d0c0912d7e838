--
-- harden: what PostgreSQL itself shows every role about all tables, before and
-- after dp_agg.harden(true); and that clients go on working without it
--
-- In a database of its own: the privileges are the database's.
--
SELECT current_database() AS home \gset
CREATE ROLE harden_owner;
CREATE ROLE harden_analyst;
CREATE ROLE harden_monitor IN ROLE pg_monitor;
CREATE DATABASE dp_harden TEMPLATE template0;
\c dp_harden
CREATE SCHEMA private;
CREATE EXTENSION dp_agg SCHEMA private;
CREATE EXTENSION pg_stat_statements;
GRANT USAGE ON SCHEMA private TO harden_analyst;
CREATE SCHEMA app AUTHORIZATION harden_owner;
GRANT USAGE, CREATE ON SCHEMA app TO harden_analyst;
GRANT USAGE ON SCHEMA app TO harden_monitor;
SET SESSION AUTHORIZATION harden_owner;
-- two tables that differ in what is in them, and nothing else
CREATE TABLE app.less (id int PRIMARY KEY, note text, kind int) WITH (fillfactor = 50);
CREATE TABLE app.more (id int PRIMARY KEY, note text, kind int) WITH (fillfactor = 50);
INSERT INTO app.less SELECT i, 'x' FROM generate_series(1, 10) i;
INSERT INTO app.more SELECT i, repeat('x', i % 3000) FROM generate_series(1, 20000) i;
DELETE FROM app.more WHERE id > 15000;
CREATE INDEX ON app.less (kind);
BEGIN;
UPDATE app.more SET kind = 1 WHERE id = 10;
CREATE INDEX ON app.more (kind);
COMMIT;
SELECT count(*) FROM app.more WHERE id = 7;
CREATE TABLE app.open (id int PRIMARY KEY REFERENCES app.less, name text DEFAULT 'x' CHECK (name <> ''));
CREATE VIEW app.names AS SELECT name FROM app.open;
CREATE SEQUENCE app.numbers;
GRANT SELECT ON app.open, app.names TO harden_analyst;
RESET SESSION AUTHORIZATION;
SELECT lo_create(0) > 0 AS made;
VACUUM ANALYZE app.less, app.more;
SELECT pg_stat_force_next_flush();
SELECT dp_agg.protect('app.less', 'id'), dp_agg.protect('app.more', 'id'), dp_agg.set_budget('harden_analyst', 100, 1e-6);

-- what a statement gives: its value, or its SQLSTATE
CREATE FUNCTION app.try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE statement INTO result;
	RETURN COALESCE(result, 'null');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
-- every function that takes a relation, on both tables and their indexes: which tell them apart?
CREATE FUNCTION app.tell_apart() RETURNS SETOF text LANGUAGE plpgsql
	SET search_path = pg_catalog SET client_min_messages = error AS $$
DECLARE
	f record;
	said text[];
BEGIN
	FOR f IN SELECT p.oid, proname, proargtypes[0] AS type FROM pg_proc p
			 WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND pronargs BETWEEN 1 AND 2
			   AND (pronargs = 1 OR proargtypes[1] IN ('text'::regtype, 'bool'::regtype, 'int2'::regtype, 'int4'::regtype))
			   AND proargtypes[0] IN ('oid'::regtype, 'regclass'::regtype, 'text'::regtype)
			   AND (proargtypes[0] <> 'text'::regtype OR proname ~ '^(pg|to_reg)_')
			   AND proname !~ '^(lo|hash|oidsend|regclasssend|pg_sleep|pg_(read|ls)_|binary_upgrade|pg_advisory|set|textrecv|query|cursor|pg_collation_actual)'
			   AND has_function_privilege(p.oid, 'EXECUTE')
	LOOP
		SELECT array_agg(replace(replace(replace(app.try(format('SELECT to_jsonb(array_agg(q)) FROM pg_catalog.%I(%s::%s%s) q', f.proname,
								  CASE f.type WHEN 'text'::regtype THEN quote_literal(r) ELSE r::regclass::oid::text END, f.type::regtype,
								  (SELECT string_agg(CASE t WHEN 'text'::regtype THEN ', ''main''' WHEN 'bool'::regtype THEN ', true' ELSE ', 1' END, '')
								   FROM pg_proc p, unnest(proargtypes) WITH ORDINALITY u (t, i) WHERE p.oid = f.oid AND i = 2))),
									   r::regclass::oid::text, '?'), pg_relation_filenode(r::regclass)::text, '?'), substr(r, 5), '?'))
		INTO said FROM unnest('{app.less,app.more,app.less_pkey,app.more_pkey}'::text[]) r;
		IF said[1] <> replace(said[2], 'more', 'less') OR said[3] <> replace(said[4], 'more', 'less') THEN
			RETURN NEXT f.oid::regprocedure;
		END IF;
	END LOOP;
END $$;
-- and which columns of which catalogues and views, for rows that name one of them
-- (rows in the order of what they hold beside names and numbers; attoptions: recent minor releases keep there where in the log a column was made)
CREATE FUNCTION app.columns_apart() RETURNS SETOF text LANGUAGE plpgsql
	SET search_path = pg_catalog SET client_min_messages = error AS $$
DECLARE
	c record;
	less jsonb;
	more jsonb;
BEGIN
	FOR c IN SELECT r.relname, a.attname FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid
			 WHERE r.relnamespace = 'pg_catalog'::regnamespace AND r.relkind IN ('r', 'v') AND attnum > 0 AND atttypid = 'oid'::regtype
			   AND has_any_column_privilege(r.oid, 'SELECT') ORDER BY 1, 2
	LOOP
		BEGIN
			EXECUTE format('SELECT jsonb_agg(q ORDER BY regexp_replace(q::text, ''less|more|\d'', '''', ''g'')) FROM (SELECT * FROM pg_catalog.%I) q WHERE q.%I = ''app.less''::regclass', c.relname, c.attname) INTO less;
			EXECUTE format('SELECT jsonb_agg(q ORDER BY regexp_replace(q::text, ''less|more|\d'', '''', ''g'')) FROM (SELECT * FROM pg_catalog.%I) q WHERE q.%I = ''app.more''::regclass', c.relname, c.attname) INTO more;
		EXCEPTION WHEN insufficient_privilege THEN
			CONTINUE;
		END;
		RETURN QUERY SELECT DISTINCT format('%s.%s', c.relname, k) FROM jsonb_array_elements(less) WITH ORDINALITY f (f, n)
			JOIN jsonb_array_elements(more) WITH ORDINALITY m (m, n) USING (n), jsonb_object_keys(f) k
			WHERE f -> k <> m -> k AND k <> 'attoptions' ORDER BY 1;
	END LOOP;
END $$;

-- before: sizes, counts and statistics are there for all to see
SET SESSION AUTHORIZATION harden_analyst;
SELECT t, app.try(format('SELECT %s > 1000 FROM pg_catalog.pg_class WHERE oid = ''app.more''::regclass', t)) FROM unnest('{reltuples,pg_relation_size(oid)}'::text[]) t;
SELECT count(*) >= 10 AS many, count(*) FILTER (WHERE f IN ('pg_relation_size(regclass)', 'pg_table_size(regclass)', 'pg_stat_get_live_tuples(oid)', 'pg_stat_get_tuples_inserted(oid)')) AS known
	FROM app.tell_apart() f;
SELECT DISTINCT c FROM app.columns_apart() c WHERE c ~ '^pg_class.*(pages|tuples|visible)|^pg_index.indcheckxmin' ORDER BY 1;
RESET SESSION AUTHORIZATION;

-- whose it is
SET SESSION AUTHORIZATION harden_analyst;
SELECT * FROM dp_agg.harden();
SELECT * FROM dp_agg.side_channels();
RESET SESSION AUTHORIZATION;
GRANT EXECUTE ON FUNCTION dp_agg.harden, dp_agg.side_channels TO harden_owner;
SET SESSION AUTHORIZATION harden_owner;
SELECT count(*) FROM dp_agg.harden();
SELECT count(*) FROM dp_agg.harden(true);
RESET SESSION AUTHORIZATION;
REVOKE EXECUTE ON FUNCTION dp_agg.harden, dp_agg.side_channels FROM harden_owner;

-- listed, then applied, then nothing left
SELECT channel, substr(statement, 1, 38) AS begins, statement LIKE '%; GRANT %' AS kept_for_monitors, reason FROM dp_agg.harden();
SELECT count(*), bool_and(open) AS open FROM dp_agg.side_channels() \gset before_
\echo :before_open
CREATE TABLE listed AS SELECT * FROM dp_agg.harden();
SELECT count(*) = (SELECT count(*) FROM listed) AS as_listed FROM dp_agg.harden(true) JOIN listed USING (channel, statement, reason);
SELECT * FROM dp_agg.harden();
SELECT * FROM dp_agg.harden(true);

-- after: nothing tells the tables apart but names, and numbers of the catalogues' own
SET SESSION AUTHORIZATION harden_analyst;
SELECT app.tell_apart();
SELECT DISTINCT c FROM app.columns_apart() c ORDER BY 1;
-- denied
SELECT s, app.try('SELECT ' || s) FROM unnest(ARRAY[
	'count(*) FROM pg_stat_activity', 'sum(n_live_tup) FROM pg_stat_all_tables', 'sum(n_live_tup) FROM pg_stat_user_tables', 'sum(seq_scan) FROM pg_stat_xact_all_tables',
	'sum(heap_blks_hit) FROM pg_statio_all_tables', 'sum(idx_scan) FROM pg_stat_all_indexes', 'sum(calls) FROM pg_stat_user_functions',
	'sum(tup_inserted) FROM pg_stat_database', 'count(*) FROM pg_locks', 'count(*) FROM pg_prepared_xacts', 'sum(wal_bytes) FROM pg_stat_wal',
	'sum(buffers_alloc) FROM pg_stat_bgwriter', 'sum(blks_hit) FROM pg_stat_slru', 'count(*) FROM pg_stat_progress_vacuum', 'count(*) FROM pg_stat_progress_create_index',
	'count(*) FROM pg_stat_ssl', 'count(*) FROM pg_replication_slots', 'count(*) FROM pg_largeobject_metadata', 'count(*) FROM pg_stat_statements',
	'count(*) FROM pg_stat_statements(true)', 'count(*) FROM pg_stat_statements_info', 'pg_stat_get_live_tuples(0)', 'pg_current_wal_lsn()', 'pg_current_wal_insert_lsn()',
	'pg_logical_emit_message(false, '''', '''')', 'pg_control_checkpoint()', 'pg_blocking_pids(1)', 'pg_xact_status(''3'')', 'txid_status(3)', 'pg_get_multixact_members(''1'')',
	'pg_last_committed_xact()', 'count(c) FROM pg_class c', 'max(ctid) FROM pg_class', 'count(i) FROM pg_index i', 'max(ctid) FROM pg_index', 'count(*) FROM pg_statistic', 'count(*) FROM pg_authid']) s;
-- unknown
SELECT relname, relpages, reltuples, relallvisible, relfrozenxid, relminmxid, pg_relation_size(oid), pg_relation_size(oid, 'main'), pg_table_size(oid),
	pg_indexes_size(oid), pg_total_relation_size(oid::regclass) FROM pg_class WHERE relname IN ('less', 'more', 'open') ORDER BY 1;
SELECT DISTINCT pg_database_size(oid), pg_database_size(datname) FROM pg_database;
SELECT DISTINCT pg_tablespace_size(oid), pg_tablespace_size(spcname) FROM pg_tablespace;
SELECT * FROM pg_table_size('app.more');
SELECT indexrelid::regclass, indcheckxmin, indisprimary FROM pg_index WHERE indrelid IN ('app.less'::regclass, 'app.more'::regclass) ORDER BY 1;
SELECT count(i.*) FROM pg_index i;
SELECT x, i.indcheckxmin FROM (VALUES ('app.more_kind_idx'::regclass), ('app.more'::regclass)) v (x) LEFT JOIN pg_index i ON i.indexrelid = x ORDER BY i.indcheckxmin;
SELECT count(*) FROM pg_index WHERE indcheckxmin AND indrelid = 'app.more'::regclass;
SELECT c.relname, c.reltuples, i.indcheckxmin FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE i.indrelid = 'app.more'::regclass ORDER BY 1;
-- also where there is a choice of rows by it, in joins, subqueries and aggregates
SELECT count(*) FROM pg_class WHERE reltuples > 0 OR relpages > 0;
SELECT x, c.reltuples FROM (VALUES ('less'), ('none')) v (x) LEFT JOIN pg_class c ON relname = x ORDER BY 1;
SELECT x, c.reltuples FROM pg_class c RIGHT JOIN (VALUES ('less'), ('none')) v (x) ON relname = x ORDER BY c.reltuples, 1;
SELECT DISTINCT reltuples, relpages FROM (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace) j;
SELECT a.relname, b.reltuples FROM pg_class a NATURAL JOIN pg_class b WHERE a.relname = 'more';
SELECT (SELECT max(reltuples) FROM pg_class d WHERE d.oid = c.oid AND c.relpages = 0) FROM pg_class c WHERE relname = 'more';
SELECT (SELECT c.reltuples), (SELECT c.relpages + max(n) FROM generate_series(1, 1) n), l.* FROM pg_class c, LATERAL (SELECT c.relallvisible WHERE c.relpages = 0) l WHERE relname = 'more';
WITH w AS MATERIALIZED (SELECT * FROM pg_class) SELECT max(reltuples), sum(relpages) FROM w;
SELECT reltuples, count(*) > 100 AS many FROM pg_class GROUP BY reltuples HAVING max(relpages) = 0;
SELECT relname FROM pg_class WHERE relname IN ('less', 'more') ORDER BY reltuples DESC, relpages, pg_table_size(oid) DESC, relname;
SELECT max(reltuples) OVER (PARTITION BY relpages) FROM pg_class WHERE relname = 'more';
SELECT reltuples FROM pg_class WHERE relname = 'more' UNION SELECT relpages FROM pg_class;
CREATE TABLE app.mine AS SELECT relname, reltuples FROM pg_class;
SELECT max(reltuples) FROM app.mine;
CREATE FUNCTION app.plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE 'EXPLAIN (VERBOSE, COSTS off) ' || query;
END $$;
SELECT count(*) > 2 AS plan, bool_or(line ~ 'reltuples|size') AS reads
	FROM app.plan($$SELECT reltuples, pg_table_size(oid) FROM pg_class WHERE relname = 'more'$$) line;
CREATE FUNCTION app.tuples() RETURNS real LANGUAGE sql AS 'SELECT reltuples FROM pg_class WHERE relname = ''more''';
SELECT app.tuples(), (SELECT t FROM app.tuples() t);
-- views of its own and row locks: not reached, denied
CREATE VIEW app.counts AS SELECT relname, reltuples FROM pg_class;
SELECT app.try('SELECT max(reltuples) FROM app.counts'), app.try('SELECT reltuples FROM pg_class FOR UPDATE');
DROP VIEW app.counts;
DROP FUNCTION app.tuples();
DROP TABLE app.mine;
-- a plan is for the role it was made for
PREPARE tuples AS SELECT reltuples, pg_table_size(oid) > 0 AS sized FROM pg_class WHERE relname = 'less';
EXECUTE tuples;
RESET SESSION AUTHORIZATION;
PREPARE tuples_of AS SELECT reltuples, pg_table_size(oid) > 0 AS sized FROM pg_class WHERE relname = $1;
EXECUTE tuples;
EXECUTE tuples_of('less');
SET ROLE harden_analyst;
EXECUTE tuples;
EXECUTE tuples_of('less');
SET ROLE harden_monitor;
EXECUTE tuples;
EXECUTE tuples_of('less');
SELECT pg_relation_size('app.less') > 0 AS sized, (SELECT count(*) > 0 FROM pg_locks) AS locks, (SELECT count(*) > 0 FROM pg_stat_activity) AS activity,
	(SELECT n_live_tup > 0 FROM pg_stat_all_tables WHERE relname = 'less') AS live;
RESET ROLE;
DEALLOCATE ALL;
-- who may read one of the columns is shown that
GRANT SELECT (relpages) ON pg_class TO harden_analyst;
SET ROLE harden_analyst;
SELECT relpages > 100 AS pages, reltuples FROM pg_class WHERE relname = 'more';
RESET ROLE;
REVOKE SELECT (relpages) ON pg_class FROM harden_analyst;
-- owners of protected tables need pg_class whole, for pg_dump
SET ROLE harden_owner;
SELECT count(c), max(reltuples) FROM pg_class c WHERE relname = 'less';
SELECT count(i), bool_or(indcheckxmin) AS updated FROM pg_index i WHERE indrelid = 'app.more'::regclass;
RESET ROLE;

-- a client's commands: nothing but what goes wrong is shown
SET SESSION AUTHORIZATION harden_analyst;
\t on
\dt app.*
\t off
\d app.open
\o /dev/null
\d
\d+
\d app.*
\d+ app.*
\d pg_catalog.pg_class
\dt
\dt+ *.*
\di+ *.*
\dv+ *.*
\dm+
\ds+ *.*
\dS
\dE+
\dP+
\dp *.*
\dn
\dn+
\df
\df+ app.*
\da
\du
\du+
\dg
\drds
\ddp
\l
\l+
\db
\db+
\dT+
\dD
\do
\dc
\dC
\dO
\dd
\dx
\dx+
\dy
\dX
\dL
\dA+
\dAc
\dAf
\dAo
\dAp
\dF+
\dFd+
\dFp+
\dFt+
\des+
\det+
\deu+
\dew+
\dRp
\dRs
\dconfig
\sf app.try
\sv app.names
\z app.*
\o
-- but for large objects
\lo_list

-- what graphical clients and drivers ask of the catalogues
SELECT c.oid, c.*, d.description, pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS partition_expr, pg_catalog.pg_get_partkeydef(c.oid) AS partition_key
	FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
	WHERE c.relnamespace = 'app'::regnamespace AND c.relkind NOT IN ('i', 'I', 'c') \g /dev/null
SELECT c.relname, a.*, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) AS def_value, dsc.description
	FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON a.attrelid = c.oid
	LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
	LEFT OUTER JOIN pg_catalog.pg_description dsc ON c.oid = dsc.objoid AND a.attnum = dsc.objsubid WHERE NOT a.attisdropped \g /dev/null
SELECT i.*, c.relnamespace, c.relam, c.relpages, c.xmin::text, pg_catalog.age(c.xmin) FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid \g /dev/null
SELECT db.oid, db.*, pg_catalog.shobj_description(db.oid, 'pg_database') FROM pg_catalog.pg_database db WHERE datallowconn \g /dev/null
SELECT n.oid, n.*, d.description FROM pg_catalog.pg_namespace n LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = n.oid \g /dev/null
SELECT p.oid, p.*, pg_catalog.pg_get_expr(p.proargdefaults, 0), l.lanname FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_language l ON l.oid = p.prolang \g /dev/null
SELECT t.oid, t.*, c.relkind, pg_catalog.format_type(nullif(t.typbasetype, 0), t.typtypmod) FROM pg_catalog.pg_type t LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid = t.typrelid \g /dev/null
SELECT rel.oid, rel.relname AS name, (SELECT pg_catalog.count(*) FROM pg_catalog.pg_trigger WHERE tgrelid = rel.oid AND tgisinternal = false) AS triggercount,
	rel.reltablespace, rel.relacl, rel.relhassubclass, rel.reltuples::bigint, pg_catalog.pg_get_userbyid(rel.relowner) AS relowner, con.conname, con.conkey,
	pg_catalog.array_to_string(rel.reloptions, ',') FROM pg_catalog.pg_class rel
	LEFT OUTER JOIN pg_catalog.pg_constraint con ON con.conrelid = rel.oid AND con.contype = 'p' WHERE rel.relkind IN ('r', 's', 't', 'p') ORDER BY rel.relname \g /dev/null
SELECT NULL AS table_cat, n.nspname AS table_schem, ct.relname AS table_name, NOT i.indisunique AS non_unique, ci.relname AS index_name, am.amname,
	ci.reltuples AS cardinality, ci.relpages AS pages, pg_catalog.pg_get_expr(i.indpred, i.indrelid) AS filter_condition, ci.oid AS ci_oid,
	(information_schema._pg_expandarray(i.indkey)).n AS a_attnum
	FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_namespace n ON ct.relnamespace = n.oid JOIN pg_catalog.pg_index i ON ct.oid = i.indrelid
	JOIN pg_catalog.pg_class ci ON ci.oid = i.indexrelid JOIN pg_catalog.pg_am am ON ci.relam = am.oid \g /dev/null
SELECT nspname, relname, pg_catalog.pg_total_relation_size(c.oid), pg_catalog.pg_size_pretty(pg_catalog.pg_relation_size(c.oid))
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace \g /dev/null
SELECT rolname, rolsuper, pg_catalog.pg_has_role(oid, 'MEMBER') FROM pg_catalog.pg_roles \g /dev/null
SELECT name, setting, unit, short_desc FROM pg_catalog.pg_settings \g /dev/null
SELECT version(), current_database(), current_setting('server_version_num') > '0', pg_is_in_recovery(), pg_postmaster_start_time() < now(), txid_current() > 0 \g /dev/null
-- every view of the information schema, and every catalogue and view with nothing of the above
CREATE FUNCTION app.unreadable(schema regnamespace) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	r text;
BEGIN
	FOR r IN SELECT relname FROM pg_class WHERE relnamespace = schema AND relkind IN ('r', 'v') AND has_any_column_privilege(oid, 'SELECT') ORDER BY 1 LOOP
		IF app.try(format('SELECT count(q::text) FROM (SELECT * FROM %s.%I) q', schema, r)) = '42501' THEN
			RETURN NEXT r;
		END IF;
	END LOOP;
END $$;
SELECT app.unreadable('information_schema');
SELECT u FROM app.unreadable('pg_catalog') u WHERE u !~ '^pg_stat(io|_|$)';
-- our own queries go on
SELECT count(*) FROM (SELECT private.dp_count(*) FROM app.more) q;
SELECT relation, unit FROM dp_agg.protected_tables ORDER BY 1;
RESET SESSION AUTHORIZATION;

-- what is made later is closed at once, and what is granted is found
DROP EXTENSION pg_stat_statements;
CREATE EXTENSION pg_stat_statements;
SELECT * FROM dp_agg.harden();
GRANT SELECT ON pg_stat_statements TO PUBLIC;
SELECT channel FROM dp_agg.harden(true);
SELECT * FROM dp_agg.harden();
-- and undone
DO $$
DECLARE
	statement text;
BEGIN
	FOR statement IN SELECT restore FROM dp_agg.side_channels() WHERE NOT open LOOP
		EXECUTE statement;
	END LOOP;
END $$;
SELECT count(*) = :before_count AS all, bool_and(open) AS open FROM dp_agg.side_channels();
SET SESSION AUTHORIZATION harden_analyst;
SELECT count(c) > 0 AS whole, max(reltuples) > 1000 AS counted, max(pg_table_size(oid)) > 10000 AS sized FROM pg_class c WHERE relname = 'more';
RESET SESSION AUTHORIZATION;

\c :home
DROP DATABASE dp_harden;
DROP ROLE harden_owner;
DROP ROLE harden_analyst;
DROP ROLE harden_monitor;
