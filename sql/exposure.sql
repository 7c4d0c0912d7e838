--
-- exposure: everything dp_agg.check_exposure finds, one after the other
--
-- In a database of its own, because privileges of catalogues are the database's.
--
SELECT current_database() AS home \gset
CREATE ROLE exposure_owner;
CREATE ROLE exposure_other;
CREATE ROLE "exposure group";
CREATE ROLE exposure_outer;
CREATE ROLE exposure_analyst;
CREATE DATABASE dp_exposure TEMPLATE template0;
\c dp_exposure
REVOKE CONNECT ON DATABASE dp_exposure FROM PUBLIC;
CREATE EXTENSION dp_agg;
CREATE SCHEMA app AUTHORIZATION exposure_owner;
GRANT USAGE ON SCHEMA app TO PUBLIC;
SET SESSION AUTHORIZATION exposure_owner;
CREATE TABLE app.city (id int PRIMARY KEY, name text);
CREATE TABLE app.people (id serial PRIMARY KEY, city int REFERENCES app.city, age int) PARTITION BY RANGE (id);
CREATE TABLE app.people_1 PARTITION OF app.people FOR VALUES FROM (1) TO (1000);
CREATE TABLE app.visits (person int REFERENCES app.people, at date);
CREATE TABLE app.plain (x int);
RESET SESSION AUTHORIZATION;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO exposure_owner;
SELECT dp_agg.protect('app.people', 'id');
SELECT dp_agg.set_budget('exposure_analyst', 1, 1e-6), dp_agg.set_dataset_cap('default', 5, 1e-6);

-- other databases: not every cluster has the same
CREATE VIEW found AS SELECT object, channel, risk, remedy FROM pg_roles r, dp_agg.check_exposure(r.oid)
	WHERE rolname = 'exposure_analyst' AND object !~ '^database (?!dp_exposure)';
-- What a grant opens: found after it, and gone again after its remedy
-- as it was found, if that is complete, or else after `undo`.
CREATE PROCEDURE opens(open text, undo text DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
	f record;
	n int := 0;
BEGIN
	RAISE NOTICE '%', open;
	EXECUTE open;
	FOR f IN SELECT * FROM found LOOP
		RAISE NOTICE '  % | % | % | %', f.object, f.channel, f.risk, f.remedy;
		n := n + 1;
		IF undo IS NULL THEN
			EXECUTE f.remedy;
		END IF;
	END LOOP;
	IF n = 0 THEN
		RAISE WARNING 'nothing found';
	END IF;
	IF undo IS NOT NULL THEN
		EXECUTE undo;
	END IF;
	FOR f IN SELECT * FROM found LOOP
		RAISE WARNING 'still: % | % | % | %', f.object, f.channel, f.risk, f.remedy;
	END LOOP;
END $$;

-- an open database
SELECT channel, risk, remedy FROM found ORDER BY channel COLLATE "C";
SELECT count(*) > 0 AS hardened FROM dp_agg.harden(true);
-- a closed one: nothing but the databases that PUBLIC may connect to
SELECT * FROM found;
SELECT DISTINCT channel, risk FROM dp_agg.check_exposure('exposure_analyst') WHERE object ~ '^database ';
SELECT object, remedy FROM dp_agg.check_exposure('exposure_analyst') WHERE object = format('database %I', :'home');

-- who may ask, and about whom
SET SESSION AUTHORIZATION exposure_analyst;
SELECT * FROM dp_agg.check_exposure('exposure_analyst');
RESET SESSION AUTHORIZATION;
GRANT EXECUTE ON FUNCTION dp_agg.check_exposure(regrole) TO exposure_owner;
SET SESSION AUTHORIZATION exposure_owner;
SELECT object, channel, risk FROM dp_agg.check_exposure('exposure_owner') WHERE object !~ '^database ';
RESET SESSION AUTHORIZATION;
REVOKE EXECUTE ON FUNCTION dp_agg.check_exposure(regrole) FROM exposure_owner;
SELECT * FROM dp_agg.check_exposure('nobody');
SELECT * FROM dp_agg.check_exposure(0::regrole);
SELECT * FROM dp_agg.check_exposure(987654321::oid::regrole);
SELECT * FROM dp_agg.check_exposure(NULL);
SELECT channel, risk FROM dp_agg.check_exposure(current_user::regrole) WHERE object = format('role %I', current_user) AND channel = 'superuser';

\set VERBOSITY terse
-- protected tables: to the role, to PUBLIC, through memberships, by column, on a partition
CALL opens('GRANT SELECT ON app.people TO exposure_analyst');
CALL opens('GRANT SELECT ON app.people TO PUBLIC');
CALL opens('GRANT SELECT ON app.people_1 TO exposure_analyst');
CALL opens('GRANT SELECT (age, id) ON app.people TO exposure_analyst', 'REVOKE SELECT (age, id) ON app.people FROM exposure_analyst');
CALL opens('GRANT SELECT (age) ON app.people TO PUBLIC', 'REVOKE SELECT (age) ON app.people FROM PUBLIC');
GRANT SELECT ON app.people TO "exposure group";
CALL opens('GRANT "exposure group" TO exposure_analyst', 'REVOKE "exposure group" FROM exposure_analyst');
GRANT exposure_outer TO exposure_analyst;
CALL opens('GRANT "exposure group" TO exposure_outer', 'REVOKE "exposure group" FROM exposure_outer');
ALTER ROLE exposure_analyst NOINHERIT;
CALL opens('GRANT "exposure group" TO exposure_outer', 'REVOKE "exposure group" FROM exposure_outer');
ALTER ROLE exposure_analyst INHERIT;
REVOKE exposure_outer FROM exposure_analyst;
REVOKE SELECT ON app.people FROM "exposure group";
CALL opens('GRANT INSERT ON app.people TO exposure_analyst');
CALL opens('GRANT INSERT (id), UPDATE (age) ON app.people TO exposure_analyst', 'REVOKE INSERT (id), UPDATE (age) ON app.people FROM exposure_analyst');
CALL opens('GRANT UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON app.people TO exposure_analyst');
CALL opens('ALTER DEFAULT PRIVILEGES FOR ROLE exposure_owner GRANT SELECT ON TABLES TO exposure_analyst');
CALL opens('ALTER DEFAULT PRIVILEGES FOR ROLE exposure_owner IN SCHEMA app GRANT SELECT ON TABLES TO PUBLIC');

-- its query is too large to be worth compiling, whatever the planner thinks of its cost
SELECT proconfig FROM pg_proc WHERE oid = 'dp_agg.check_exposure(regrole)'::regprocedure;

-- ownership
CALL opens('ALTER TABLE app.people OWNER TO exposure_analyst', 'ALTER TABLE app.people OWNER TO exposure_owner');
CALL opens('GRANT exposure_owner TO exposure_analyst', 'REVOKE exposure_owner FROM exposure_analyst');
CALL opens('ALTER SCHEMA app OWNER TO exposure_analyst', 'ALTER SCHEMA app OWNER TO exposure_owner; GRANT USAGE ON SCHEMA app TO PUBLIC');
CALL opens('ALTER DATABASE dp_exposure OWNER TO exposure_analyst', format('ALTER DATABASE dp_exposure OWNER TO %I', current_user));

-- the role itself
CALL opens('ALTER ROLE exposure_analyst REPLICATION');
CALL opens('ALTER ROLE exposure_analyst CREATEROLE');
CALL opens('ALTER ROLE exposure_analyst BYPASSRLS');
ALTER ROLE exposure_analyst CREATEDB;
CALL opens('ALTER DATABASE dp_exposure IS_TEMPLATE true');
ALTER ROLE exposure_analyst NOCREATEDB;
CALL opens('ALTER ROLE exposure_analyst SUPERUSER', 'ALTER ROLE exposure_analyst NOSUPERUSER');
ALTER ROLE "exposure group" SUPERUSER;
CALL opens('GRANT "exposure group" TO exposure_analyst', 'REVOKE "exposure group" FROM exposure_analyst');
ALTER ROLE "exposure group" NOSUPERUSER;
CALL opens('GRANT pg_read_all_data TO exposure_analyst');
CALL opens('GRANT pg_write_all_data TO exposure_analyst');
CALL opens('GRANT pg_read_server_files TO exposure_analyst');
CALL opens('GRANT pg_write_server_files TO exposure_analyst');
CALL opens('GRANT pg_execute_server_program TO exposure_analyst');
CALL opens('GRANT pg_read_all_stats TO exposure_analyst');
CALL opens('GRANT pg_monitor TO exposure_analyst', 'REVOKE pg_monitor FROM exposure_analyst');
CALL opens('GRANT pg_signal_backend TO exposure_analyst');
CALL opens('GRANT pg_checkpoint TO exposure_analyst');
CALL opens('GRANT pg_read_all_settings TO exposure_analyst');
CALL opens('GRANT pg_stat_scan_tables TO exposure_analyst');
-- every role that PostgreSQL has, whatever its version, but that of a database's owner
SELECT rolname FROM pg_roles r WHERE rolname ~ '^pg_' AND rolname <> 'pg_database_owner' AND NOT EXISTS (SELECT FROM dp_agg.check_exposure(r.oid) f WHERE f.object = 'role ' || rolname AND channel = 'membership');

-- views, copies and rules
SET SESSION AUTHORIZATION exposure_owner;
CREATE VIEW app.seen AS SELECT id, age FROM app.people;
CREATE VIEW app.farther AS SELECT age FROM app.seen;
CREATE MATERIALIZED VIEW app.stored AS SELECT count(*) FROM app.people_1;
CREATE VIEW app.own AS SELECT * FROM app.people;
ALTER VIEW app.own SET (security_invoker = true);
CREATE VIEW app.counted AS SELECT dp_count(*) FROM app.people;
CREATE RULE copied AS ON INSERT TO app.plain DO ALSO SELECT count(*) FROM app.people;
RESET SESSION AUTHORIZATION;
CALL opens('GRANT SELECT ON app.seen TO exposure_analyst');
CALL opens('GRANT SELECT (age) ON app.farther TO PUBLIC', 'REVOKE SELECT (age) ON app.farther FROM PUBLIC');
CALL opens('GRANT DELETE ON app.seen TO exposure_analyst');
CALL opens('GRANT SELECT ON app.stored TO exposure_analyst');
GRANT SELECT ON app.own TO exposure_analyst;
SELECT * FROM found;
REVOKE SELECT ON app.own FROM exposure_analyst;
CALL opens('GRANT SELECT ON app.counted TO exposure_analyst');
CALL opens('GRANT INSERT ON app.plain TO exposure_analyst');
DROP RULE copied ON app.plain;

-- keys and sequences
CALL opens('GRANT SELECT ON app.visits TO exposure_analyst');
CALL opens('GRANT INSERT ON app.visits TO exposure_analyst');
CALL opens('GRANT DELETE, UPDATE (id) ON app.city TO exposure_analyst', 'REVOKE DELETE, UPDATE (id) ON app.city FROM exposure_analyst');
GRANT SELECT ON app.city TO exposure_analyst;
SELECT * FROM found;
REVOKE SELECT ON app.city FROM exposure_analyst;
CALL opens('GRANT USAGE, SELECT ON SEQUENCE app.people_id_seq TO exposure_analyst');

-- functions with others' rights
CREATE FUNCTION app.definer() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT 1::bigint';
REVOKE EXECUTE ON FUNCTION app.definer FROM PUBLIC;
ALTER ROLE "exposure group" SUPERUSER;
ALTER FUNCTION app.definer OWNER TO "exposure group";
CALL opens('GRANT EXECUTE ON FUNCTION app.definer TO exposure_analyst');
ALTER FUNCTION app.definer OWNER TO exposure_owner;
ALTER ROLE "exposure group" NOSUPERUSER;
CALL opens('GRANT EXECUTE ON FUNCTION app.definer TO PUBLIC');
ALTER FUNCTION app.definer OWNER TO exposure_other;
GRANT EXECUTE ON FUNCTION app.definer TO PUBLIC;
SELECT * FROM found;
CALL opens('GRANT SELECT (age) ON app.people TO exposure_other', 'REVOKE SELECT (age) ON app.people FROM exposure_other');
CREATE FUNCTION app.handler() RETURNS language_handler LANGUAGE c AS '$libdir/plpgsql', 'plpgsql_call_handler';
CREATE LANGUAGE untrusted HANDLER app.handler;
CREATE FUNCTION app.unsafe() RETURNS int LANGUAGE untrusted AS 'BEGIN RETURN 1; END';
SELECT * FROM found WHERE object = 'app.unsafe()';
DROP LANGUAGE untrusted CASCADE;

-- servers, this one included
CREATE EXTENSION postgres_fdw;
CREATE SERVER loop FOREIGN DATA WRAPPER postgres_fdw OPTIONS (dbname 'dp_exposure');
CALL opens('GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO exposure_analyst');
CALL opens('GRANT USAGE ON FOREIGN SERVER loop TO exposure_analyst');
CALL opens('CREATE USER MAPPING FOR exposure_analyst SERVER loop');
CALL opens('CREATE USER MAPPING FOR PUBLIC SERVER loop');
CREATE FOREIGN TABLE app.remote (id int) SERVER loop;
CALL opens('GRANT SELECT ON app.remote TO exposure_analyst');
CREATE TABLE app.wide (id int) PARTITION BY LIST (id);
CREATE FOREIGN TABLE app.wide_far PARTITION OF app.wide DEFAULT SERVER loop;
SELECT dp_agg.protect('app.wide', 'id');
CALL opens('GRANT USAGE ON FOREIGN SERVER loop TO exposure_analyst');
CALL opens('CREATE USER MAPPING FOR PUBLIC SERVER loop');
CALL opens('GRANT SELECT ON app.wide_far TO exposure_analyst');
DROP TABLE app.wide;
SET client_min_messages = warning;
CREATE EXTENSION dblink SCHEMA app;
RESET client_min_messages;
CALL opens('GRANT EXECUTE ON FUNCTION app.dblink(text, text), app.dblink_connect(text) TO exposure_analyst');
DROP EXTENSION dblink;
DROP EXTENSION postgres_fdw CASCADE;

-- settings of superusers
CALL opens('GRANT SET ON PARAMETER log_statement_stats TO exposure_analyst');

-- the extension itself, and budgets
CALL opens('GRANT EXECUTE ON FUNCTION dp_agg.set_budget TO exposure_analyst');
CALL opens('GRANT EXECUTE ON FUNCTION dp_agg.reset_budget, dp_agg.drop_budget, dp_agg.set_dataset_cap, dp_agg.drop_dataset_cap, dp_agg.acknowledge_copy TO PUBLIC');
CALL opens('GRANT UPDATE ON dp_agg.budget TO exposure_analyst');
CALL opens('GRANT INSERT, DELETE ON dp_agg.ledger TO exposure_analyst');
CALL opens('GRANT CREATE ON SCHEMA dp_agg TO exposure_analyst');
CALL opens('GRANT CREATE ON SCHEMA dp_agg_internal TO exposure_analyst');
CALL opens('GRANT CREATE ON SCHEMA dp_accountant TO exposure_analyst');
CALL opens('GRANT CREATE ON SCHEMA public TO exposure_analyst');
CALL opens('GRANT CREATE ON SCHEMA public TO PUBLIC');
CALL opens('ALTER SCHEMA public OWNER TO exposure_analyst', 'ALTER SCHEMA public OWNER TO pg_database_owner');
CALL opens('ALTER SCHEMA dp_agg OWNER TO exposure_analyst', format('ALTER SCHEMA dp_agg OWNER TO %I', current_user));
CALL opens('GRANT INSERT, DELETE, TRUNCATE ON dp_agg.budget TO PUBLIC');
CALL opens('GRANT UPDATE (epsilon_limit) ON dp_agg.budget TO exposure_analyst', 'REVOKE UPDATE (epsilon_limit) ON dp_agg.budget FROM exposure_analyst');
CALL opens('GRANT EXECUTE ON FUNCTION dp_agg.compact_ledger, dp_agg.check_exposure(regrole) TO exposure_analyst');
CALL opens('GRANT SELECT ON dp_agg.budget TO exposure_analyst');
CALL opens('GRANT SELECT ON dp_agg.ledger TO exposure_analyst');
CALL opens('GRANT SELECT (statement) ON dp_agg.ledger TO PUBLIC', 'REVOKE SELECT (statement) ON dp_agg.ledger FROM PUBLIC');
CALL opens('GRANT SELECT ON dp_agg.kept_answer TO exposure_analyst');
CALL opens('GRANT SELECT ON dp_agg.contact TO exposure_analyst');
CREATE VIEW app.asked AS SELECT dataset, statement FROM dp_agg.ledger;
CREATE VIEW app.asked_by AS SELECT statement FROM app.asked;
CREATE VIEW app.own_budgets AS SELECT * FROM dp_agg.budgets;
CREATE VIEW app.by_own_rights WITH (security_invoker = true) AS SELECT statement FROM dp_agg.ledger;
GRANT SELECT ON app.own_budgets, app.by_own_rights TO PUBLIC;
SELECT * FROM found;
CALL opens('GRANT SELECT ON app.asked_by TO exposure_analyst');
CALL opens('GRANT SELECT (statement) ON app.asked TO PUBLIC', 'REVOKE SELECT (statement) ON app.asked FROM PUBLIC');
DROP VIEW app.asked, app.asked_by, app.own_budgets, app.by_own_rights;
CALL opens('GRANT REFERENCES ON dp_agg.budget TO exposure_analyst');
CALL opens('GRANT REFERENCES (number) ON dp_agg.budget TO PUBLIC', 'REVOKE REFERENCES (number) ON dp_agg.budget FROM PUBLIC');
-- an auditor has no budget, nor a pool's; answers are not for auditors
GRANT SELECT ON dp_agg.budget, dp_agg.ledger TO exposure_other;
SELECT object, channel, risk FROM dp_agg.check_exposure('exposure_other') WHERE object !~ '^database (?!dp_exposure)';
GRANT exposure_analyst TO exposure_other;
SELECT object, channel, risk FROM dp_agg.check_exposure('exposure_other') WHERE object !~ '^database (?!dp_exposure)';
REVOKE exposure_analyst FROM exposure_other;
GRANT SELECT ON dp_agg.kept_answer TO exposure_other;
SELECT object, channel, risk FROM dp_agg.check_exposure('exposure_other') WHERE object !~ '^database (?!dp_exposure)';
REVOKE SELECT ON dp_agg.kept_answer, dp_agg.budget, dp_agg.ledger FROM exposure_other;
-- schemas of protected tables, and new ones
CALL opens('GRANT CREATE ON SCHEMA app TO exposure_analyst');
CALL opens('GRANT CREATE ON SCHEMA app TO PUBLIC');
CALL opens('GRANT CREATE ON DATABASE dp_exposure TO exposure_analyst');
CALL opens('SELECT dp_agg.drop_dataset_cap(''default'')', 'SELECT dp_agg.set_dataset_cap(''default'', 5, 1e-6)');
SELECT dp_agg.drop_dataset_cap('default');
SELECT dp_agg.set_budget('exposure_other', 2, 0);
SELECT object, channel, risk, remedy FROM found;
SELECT dp_agg.set_dataset_cap('default', 5, 1e-6);
SELECT dp_agg.set_budget('exposure_analyst', 1, 1e-6, refresh => '30 days');
SELECT object, channel, risk, remedy FROM found;
SELECT dp_agg.set_budget('exposure_analyst', 1, 1e-6);
SELECT * FROM found;

-- what was closed, opened to one role
CALL opens('GRANT EXECUTE ON FUNCTION pg_relation_size(regclass, text) TO exposure_analyst');
CALL opens('GRANT SELECT ON pg_class TO exposure_analyst');
CALL opens('GRANT SELECT (reltuples) ON pg_class TO exposure_analyst', 'REVOKE SELECT (reltuples) ON pg_class FROM exposure_analyst');
CALL opens('GRANT EXECUTE ON FUNCTION pg_lock_status() TO PUBLIC');
-- what was not everybody's from the start
CALL opens('GRANT EXECUTE ON FUNCTION pg_read_file(text), pg_read_binary_file(text, bigint, bigint), pg_ls_dir(text) TO exposure_analyst');
CALL opens('GRANT EXECUTE ON FUNCTION lo_import(text), lo_export(oid, text), pg_reload_conf TO PUBLIC');
CALL opens('GRANT SELECT ON pg_statistic, pg_authid, pg_user_mapping, pg_subscription, pg_largeobject, pg_hba_file_rules TO exposure_analyst');
CALL opens('GRANT SELECT (starelid, stavalues1) ON pg_statistic TO exposure_analyst', 'REVOKE SELECT (starelid, stavalues1) ON pg_statistic FROM exposure_analyst');
CREATE EXTENSION amcheck SCHEMA app;
CALL opens('GRANT EXECUTE ON FUNCTION app.bt_index_check(regclass) TO exposure_analyst');
DROP EXTENSION amcheck;
CALL opens('GRANT SELECT ON pg_index TO exposure_analyst');
-- the worst comes first
GRANT SELECT ON app.people TO exposure_analyst;
GRANT SELECT ON app.counted TO exposure_analyst;
GRANT DELETE ON app.people TO exposure_analyst;
GRANT pg_monitor TO exposure_analyst;
SELECT split_part(risk, ':', 1) AS risk, object, channel FROM found;


-- every role that can ask: those with a budget, and who is a member of one that has; what all can through PUBLIC once
GRANT SELECT ON app.plain TO exposure_analyst;
REVOKE SELECT ON app.people FROM exposure_analyst;
REVOKE pg_monitor FROM exposure_analyst;
GRANT SELECT ON app.people TO exposure_outer;
GRANT SELECT ON app.people_1 TO "exposure group", PUBLIC;
SELECT dp_agg.set_budget('exposure_other', 1, 1e-6);
SELECT dp_agg.set_budget('exposure_outer', 1, 1e-6, 'default', '30 days');
GRANT exposure_outer TO "exposure group";
CREATE VIEW all_found AS SELECT role, object, channel, risk, remedy FROM dp_agg.check_exposure() WHERE object !~ '^database (?!dp_exposure)';
SELECT * FROM all_found;
SELECT count(*) FROM (SELECT object, channel, risk, remedy FROM all_found EXCEPT
	SELECT f.* FROM pg_roles r, dp_agg.check_exposure(r.oid) f WHERE rolname IN ('exposure_analyst', 'exposure_other', 'exposure_outer', 'exposure group')) x;
SET SESSION AUTHORIZATION exposure_analyst;
SELECT * FROM dp_agg.check_exposure();
RESET SESSION AUTHORIZATION;

-- each role that is reached is walked through once, however many ways lead to it, and named by one of the shortest
DO $$
BEGIN
	FOR i IN 1 .. 40 LOOP
		FOR j IN 1 .. 2 LOOP
			EXECUTE format('CREATE ROLE exposure_%s_%s', i, j);
			IF i > 1 THEN
				EXECUTE format('GRANT exposure_%1$s_%2$s TO exposure_%3$s_1, exposure_%3$s_2', i, j, i - 1);
			END IF;
		END LOOP;
	END LOOP;
END $$;
GRANT SELECT ON app.people TO exposure_40_2;
SET statement_timeout = '30s';
SELECT count(*), count(DISTINCT member_of) AS roles, max(cardinality(path)) AS longest, bool_and(path[39] IN ('exposure_40_1', 'exposure_40_2')) AS last
	FROM dp_agg_internal.memberships('exposure_1_1'::regrole);
SELECT object, regexp_count(channel, 'exposure_') AS roles, risk, remedy FROM dp_agg.check_exposure('exposure_1_1') WHERE channel ~ '^SELECT through .*, exposure_40_2$';
RESET statement_timeout;

\c :home
DROP DATABASE dp_exposure;
DO $$
DECLARE
	name text;
BEGIN
	FOR name IN SELECT rolname FROM pg_roles WHERE rolname ~ '^exposure_\d+_\d$' LOOP
		EXECUTE format('DROP ROLE %I', name);
	END LOOP;
END $$;
DROP ROLE exposure_analyst;
DROP ROLE exposure_outer;
DROP ROLE "exposure group";
DROP ROLE exposure_other;
DROP ROLE exposure_owner;
