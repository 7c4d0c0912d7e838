--
-- extensions_shown: what extensions show is closed in a hardened database unless it is known to be harmless,
-- or is so by its kind; what comes later, too; and what analysts need is left
--
-- In a database of its own: the privileges are the database's.  Extension onlooker is in test/modules.
--
SELECT current_database() AS home \gset
CREATE ROLE shown_owner;
CREATE ROLE shown_keeper;
CREATE ROLE shown_analyst;
CREATE DATABASE dp_shown TEMPLATE template0;
\c dp_shown
CREATE EXTENSION dp_agg;
CREATE SCHEMA app AUTHORIZATION shown_owner;
GRANT USAGE ON SCHEMA app TO PUBLIC;
SET SESSION AUTHORIZATION shown_owner;
CREATE TABLE app.people (id int PRIMARY KEY, age int);
INSERT INTO app.people SELECT i, i FROM generate_series(1, 1000) i;
RESET SESSION AUTHORIZATION;
VACUUM ANALYZE app.people;
SELECT dp_agg.protect('app.people', 'id'), dp_agg.set_budget('shown_analyst', 10, 1e-6), dp_agg.set_dataset_cap('default', 10, 1e-6);
SELECT pg_stat_force_next_flush();
CREATE SCHEMA ext;
GRANT USAGE ON SCHEMA ext TO PUBLIC;
CREATE EXTENSION onlooker SCHEMA ext;
CREATE EXTENSION hstore SCHEMA ext;
CREATE EXTENSION pg_trgm SCHEMA ext;
CREATE EXTENSION intarray SCHEMA ext;
CREATE EXTENSION pgcrypto SCHEMA ext;

-- what a statement gives the analyst: what it is true for, or its SQLSTATE
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	SET LOCAL search_path = ext, app, public;
	SET LOCAL ROLE shown_analyst;
	EXECUTE statement INTO result;
	RESET ROLE;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
CREATE TABLE looks (n int, s text);
INSERT INTO looks SELECT row_number() OVER (), s FROM unnest(ARRAY[
	'SELECT look_rows(''app.people''::regclass) > 10', 'SELECT look_size(''app.people'', ''main'') > 1000', 'SELECT look_count(''app.people'')',
	'CALL look_into(''app.people'', NULL)', 'SELECT look_changed() >= 0', 'SELECT look_size_by(''app.people'', ''main'') > 1000',
	'SELECT reltuples FROM look_tables WHERE relname = ''people''', 'SELECT count(at) FROM look_log', 'UPDATE look_log SET n = 1 RETURNING 1', 'SELECT nextval(''look_turns'') > 0']) s;
CREATE TABLE uses (n int, s text);
INSERT INTO uses SELECT row_number() OVER (), s FROM unnest(ARRAY[
	'SELECT ''red''::colour = ''red''::colour', 'SELECT colour_length(''red'')', 'SELECT max(c) FROM unnest(''{red,green}''::colour[]) c', 'SELECT ''a'' ~~~ ''a%''',
	'SELECT (''red''::text)::colour', 'SELECT own_sum(1, 2)', 'SELECT own_count(''pg_namespace'') > 2', 'SELECT own_count(''app.people'') IS NOT NULL', 'SELECT count(*) FROM own_names WHERE relname = ''people''',
	'SELECT (''a => 1''::hstore) -> ''a''', 'SELECT similarity(''word'', ''words'') > 0', 'SELECT set_limit(0.3)', 'SELECT ''{1,2}''::int[] & ''{2,3}''::int[]', 'SELECT length(gen_random_bytes(3))']) s;

-- open, and listed: every kind that is not harmless, and nothing that is
SELECT s, try(s) FROM looks ORDER BY n;
SELECT s, try(s) FROM uses ORDER BY n;
SELECT channel, object, open, restore FROM dp_agg.side_channels() WHERE channel LIKE 'extension %';
SELECT object, channel, risk, remedy FROM dp_agg.check_exposure('shown_analyst') WHERE channel LIKE 'extension %';
SELECT channel, statement FROM dp_agg.harden() WHERE channel LIKE 'extension %';
-- without those who watch the server, and the owner of the database, who dumps it
CREATE FUNCTION privileges_but(c pg_class) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format('%s: %s', CASE grantee WHEN 0 THEN 'PUBLIC' ELSE 'owner' END, privilege_type), ', ' ORDER BY grantee, privilege_type)
	FROM aclexplode(COALESCE(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's'::"char" ELSE 'r' END, c.relowner)))
	WHERE grantee NOT IN ('pg_read_all_stats'::regrole, 'pg_database_owner'::regrole)
$$;
CREATE TABLE privileges AS
	SELECT p.oid::regprocedure::text AS member, p.proacl::text AS acl, has_function_privilege('public', p.oid, 'EXECUTE') AS open FROM pg_proc p WHERE pronamespace = 'ext'::regnamespace
	UNION ALL SELECT c.oid::regclass::text, privileges_but(c), NULL FROM pg_class c WHERE relnamespace = 'ext'::regnamespace
	UNION ALL SELECT attrelid::regclass || '.' || attname, attacl::text, NULL FROM pg_attribute WHERE attrelid = 'ext.look_log'::regclass AND attnum > 0;

-- closed
SELECT count(*) > 0 AS hardened FROM dp_agg.harden(true);
SELECT s, try(s) FROM looks ORDER BY n;
SELECT s, try(s) FROM uses ORDER BY n;
SELECT count(*) FROM dp_agg.harden();
SELECT object, channel, risk, remedy FROM dp_agg.check_exposure('shown_analyst') WHERE object !~ '^database ';
-- whoever watches the server goes on
SET ROLE pg_monitor;
SELECT ext.look_rows('app.people'::regclass) > 10 AS counted, (SELECT count(*) > 10 FROM ext.look_tables) AS listed;
RESET ROLE;

-- what is granted again is found, and closed again, and so is what the owner of the object did not grant
GRANT EXECUTE ON FUNCTION ext.look_rows TO PUBLIC;
SELECT object, channel, risk, remedy FROM dp_agg.check_exposure('shown_analyst') WHERE object !~ '^database ';
SELECT channel, statement FROM dp_agg.harden(true);
GRANT EXECUTE ON FUNCTION ext.look_rows TO shown_keeper WITH GRANT OPTION;
GRANT SELECT ON ext.look_tables TO shown_keeper WITH GRANT OPTION;
SET ROLE shown_keeper;
GRANT EXECUTE ON FUNCTION ext.look_rows TO PUBLIC;
GRANT SELECT ON ext.look_tables TO PUBLIC;
RESET ROLE;
SELECT count(*) FROM dp_agg.harden(true);
SELECT object, channel, risk, remedy FROM dp_agg.check_exposure('shown_analyst') WHERE channel ~ 'granted by';
DO $$
DECLARE
	remedy text;
BEGIN
	FOR remedy IN SELECT f.remedy FROM dp_agg.check_exposure('shown_analyst') f WHERE channel ~ 'granted by' LOOP
		EXECUTE remedy;
	END LOOP;
END $$;
SELECT object, channel, risk, remedy FROM dp_agg.check_exposure('shown_analyst') WHERE object !~ '^database ';
REVOKE ALL ON ext.look_tables FROM shown_keeper;
REVOKE ALL ON FUNCTION ext.look_rows FROM shown_keeper;
-- to one role
GRANT EXECUTE ON FUNCTION ext.look_rows TO shown_analyst;
GRANT EXECUTE ON PROCEDURE ext.look_into TO shown_analyst;
GRANT SELECT ON ext.look_tables TO shown_analyst;
SELECT object, channel, risk, remedy FROM dp_agg.check_exposure('shown_analyst') WHERE object !~ '^database ';
REVOKE EXECUTE ON FUNCTION ext.look_rows FROM shown_analyst;
REVOKE EXECUTE ON PROCEDURE ext.look_into FROM shown_analyst;
REVOKE SELECT ON ext.look_tables FROM shown_analyst;

-- undone: as it was
DO $$
DECLARE
	statement text;
BEGIN
	FOR statement IN SELECT restore FROM dp_agg.side_channels() WHERE NOT open LOOP
		EXECUTE statement;
	END LOOP;
END $$;
SELECT s, try(s) FROM looks ORDER BY n;
SELECT member, p.acl, q.acl FROM privileges p FULL JOIN (
	SELECT c.oid::regclass::text AS member, privileges_but(c) AS acl FROM pg_class c WHERE relnamespace = 'ext'::regnamespace
	UNION ALL SELECT attrelid::regclass || '.' || attname, attacl::text FROM pg_attribute WHERE attrelid = 'ext.look_log'::regclass AND attnum > 0) q USING (member)
	WHERE p.open IS NULL AND p.acl IS DISTINCT FROM q.acl;
SELECT bool_and(has_function_privilege('public', p.oid, 'EXECUTE') = q.open) AS functions FROM pg_proc p JOIN privileges q ON p.oid::regprocedure::text = q.member;

-- while the database is open, what comes is open
DROP EXTENSION onlooker;
CREATE EXTENSION onlooker SCHEMA ext;
SELECT bool_and(open) AS open FROM dp_agg.side_channels() WHERE channel LIKE 'extension %';
SELECT count(*) > 0 AS hardened FROM dp_agg.harden(true);

-- once it is closed, it is closed by the same command, by whatever way: by itself, in a function, by the owner of the
-- database, with another, by being added; harmless ones are left, and nothing is said
DROP EXTENSION onlooker;
CREATE EXTENSION onlooker SCHEMA ext;
SELECT s, try(s) FROM looks ORDER BY n;
SELECT bool_or(open) AS open FROM dp_agg.side_channels();
DROP EXTENSION onlooker;
DO $$ BEGIN EXECUTE 'CREATE EXTENSION onlooker SCHEMA ext'; END $$;
SELECT bool_or(open) AS open FROM dp_agg.side_channels();
DROP EXTENSION onlooker;
CREATE EXTENSION onlooker_twice SCHEMA ext CASCADE;
SELECT channel, count(*), bool_or(open) AS open FROM dp_agg.side_channels() WHERE channel LIKE 'extension %' GROUP BY channel ORDER BY 1;
DROP EXTENSION onlooker CASCADE;
DROP EXTENSION hstore;
CREATE EXTENSION hstore SCHEMA ext;
GRANT CREATE ON DATABASE dp_shown TO shown_keeper;
GRANT CREATE ON SCHEMA ext TO shown_keeper;
SET SESSION AUTHORIZATION shown_keeper;
CREATE EXTENSION onlooker SCHEMA ext;
SELECT current_user, session_user, current_setting('search_path');
RESET SESSION AUTHORIZATION;
SELECT bool_or(open) AS open FROM dp_agg.side_channels();
SELECT try('SELECT look_count(''app.people'')'), try('SELECT colour_length(''red'')');
CREATE FUNCTION ext.look_beside(oid) RETURNS bigint LANGUAGE internal STABLE STRICT AS 'pg_stat_get_live_tuples';
SELECT object, channel, risk, remedy FROM dp_agg.check_exposure('shown_analyst') WHERE object !~ '^database ';
ALTER EXTENSION onlooker ADD FUNCTION ext.look_beside(oid);
SELECT bool_or(open) AS open FROM dp_agg.side_channels();
-- what the administrator has granted stays when something else comes
GRANT EXECUTE ON FUNCTION ext.look_rows, ext.look_beside TO PUBLIC;
SET client_min_messages = warning;
CREATE EXTENSION pageinspect SCHEMA ext;
CREATE EXTENSION pg_prewarm SCHEMA ext;
RESET client_min_messages;
SELECT object FROM dp_agg.side_channels() WHERE open;
-- and in an update, but not what that grants or makes anew
ALTER EXTENSION onlooker UPDATE TO '1.1';
SELECT object FROM dp_agg.side_channels() WHERE open;
SELECT try('SELECT relpages > 0 FROM look_tables WHERE relname = ''people'''), try('SELECT look_rows_again(''app.people''::regclass) > 10'), try('SELECT count(what) FROM look_log'), try('SELECT colour_half(''red'')');
-- undone with the transaction
BEGIN;
DROP EXTENSION pg_prewarm;
SET LOCAL client_min_messages = warning;
CREATE EXTENSION pg_prewarm SCHEMA ext;
ROLLBACK;
-- nothing comes
CREATE EXTENSION onlooker;
CREATE EXTENSION IF NOT EXISTS onlooker;
SELECT current_user = session_user AS self, current_setting('search_path');

-- Where the extension is gone, a schema of its name is anybody's.
SET client_min_messages = error;
DROP EXTENSION dp_agg CASCADE;
RESET client_min_messages;
SET SESSION AUTHORIZATION shown_keeper;
CREATE SCHEMA dp_agg;
GRANT USAGE ON SCHEMA dp_agg TO PUBLIC;
CREATE FUNCTION dp_agg.side_channels(OUT channel text, OUT object text, OUT open boolean, OUT revoke text, OUT restore text, OUT reason text)
RETURNS SETOF record LANGUAGE plpgsql AS 'BEGIN RAISE ''called as %'', current_user; END';
RESET SESSION AUTHORIZATION;
CREATE EXTENSION pgrowlocks SCHEMA ext;

\c :home
DROP DATABASE dp_shown;
DROP ROLE shown_analyst;
DROP ROLE shown_keeper;
DROP ROLE shown_owner;
