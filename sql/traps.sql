--
-- traps: the extension in a schema full of functions, operators, aggregates, types
-- and views that fit better than PostgreSQL's own wherever a name is looked up;
-- nothing of the extension depends on one, and none runs, whoever uses it
--
SELECT current_database() AS home \gset
CREATE ROLE traps_owner;
CREATE ROLE traps_analyst;
CREATE DATABASE dp_traps TEMPLATE template0;
\c dp_traps
SET client_min_messages = warning;
CREATE SCHEMA traps;
GRANT USAGE ON SCHEMA traps TO PUBLIC;
CREATE SEQUENCE traps.sprung;
-- what the script says: names, and operators
CREATE TEMP TABLE script AS SELECT pg_read_file(format('%s/extension/dp_agg--%s.sql', c.setting, e.default_version)) AS text
	FROM pg_config c, pg_available_extensions e WHERE c.name = 'SHAREDIR' AND e.name = 'dp_agg';
CREATE TEMP TABLE words AS SELECT DISTINCT w[1]::name AS word FROM script, regexp_matches(text, '[a-z_][a-z_0-9]*', 'g') w;
CREATE TEMP TABLE signs AS SELECT DISTINCT o.oprname AS sign FROM pg_operator o, script WHERE position(format(' %s ', o.oprname) IN text) > 0;
-- the types that its expressions have, and one that strings can be taken for
CREATE TYPE traps.lure AS ENUM ('dp_agg', '0', 'f', 'pg_catalog.pg_class');
CREATE TEMP TABLE types AS SELECT t::regtype::oid AS type FROM unnest('{oid,regclass,regprocedure,regrole,regnamespace,smallint,integer,bigint,
	double precision,numeric,text,name,boolean,"\"char\"",text[],name[],smallint[],oid[],bigint[],aclitem[],oidvector,int2vector,traps.lure}'::text[]) t;

-- a trap counts, whatever becomes of it, and fails
SET check_function_bodies = off;
CREATE FUNCTION pg_temp.arguments(oidvector) RETURNS text LANGUAGE sql AS
	'SELECT string_agg(format_type(t, NULL), '', '' ORDER BY i) FROM unnest($1) WITH ORDINALITY u (t, i)';
CREATE FUNCTION pg_temp.trap(name text, arguments text, result text) RETURNS text LANGUAGE sql AS $$
	SELECT format('CREATE FUNCTION traps.%I(%s) RETURNS %s LANGUAGE plpgsql SECURITY DEFINER AS %L', name, arguments, result,
		'BEGIN PERFORM pg_catalog.nextval(''traps.sprung''); RAISE EXCEPTION ''sprung''; END')
$$;
-- every signature that one of the other types at one place makes of a function, and any type in place of "any"
CREATE TEMP TABLE signatures AS
	SELECT DISTINCT ON (f.proname, s.arguments) f.proname, f.prokind, s.arguments,
		CASE WHEN r.typtype = 'p' THEN 'text' ELSE format_type(f.prorettype, NULL) END AS result
	FROM pg_proc f JOIN words w ON w.word = f.proname JOIN pg_type r ON r.oid = f.prorettype, types t, generate_series(1, greatest(f.pronargs, 1)) place,
	LATERAL (SELECT pg_temp.arguments(string_agg(CASE WHEN a.typtype = 'p' OR i = place THEN t.type ELSE a.oid END::text, ' ' ORDER BY i)::oidvector) AS arguments
		FROM unnest(f.proargtypes) WITH ORDINALITY u (arg, i) JOIN pg_type a ON a.oid = arg) s
	WHERE f.pronamespace = 'pg_catalog'::regnamespace AND f.prokind IN ('f', 'a') AND f.pronargs BETWEEN 1 AND 3 AND f.prolang <> 13
		AND NOT 'internal'::regtype = ANY (f.proargtypes::oid[]) AND r.typname NOT IN ('internal', 'trigger', 'cstring')
		AND NOT EXISTS (SELECT FROM pg_aggregate g WHERE g.aggfnoid = f.oid AND g.aggkind <> 'n')
	ORDER BY f.proname, s.arguments;
DO $$
DECLARE
	r record;
	l text;
BEGIN
	FOR r IN SELECT * FROM signatures LOOP
		IF r.prokind = 'f' THEN
			EXECUTE pg_temp.trap(r.proname, r.arguments, r.result);
		ELSE
			EXECUTE pg_temp.trap('step_of_' || r.proname, r.result || ', ' || r.arguments, r.result);
			EXECUTE format('CREATE AGGREGATE traps.%I(%s) (SFUNC = traps.%I, STYPE = %s)', r.proname, r.arguments, 'step_of_' || r.proname, r.result);
		END IF;
	END LOOP;
	-- operators of all pairs of these types
	FOR r IN SELECT format_type(a.type, NULL) AS a, format_type(b.type, NULL) AS b FROM types a, types b LOOP
		EXECUTE pg_temp.trap('compare', r.a || ', ' || r.b, 'boolean');
		EXECUTE pg_temp.trap('compute', r.a || ', ' || r.b, CASE WHEN r.a ~ 'text|name' THEN 'text' ELSE 'double precision' END);
		FOR l IN SELECT sign FROM signs LOOP
			EXECUTE format('CREATE OPERATOR traps.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = traps.%I)', l, r.a, r.b,
				CASE WHEN l ~ '[<=>~@]' THEN 'compare' ELSE 'compute' END);
		END LOOP;
	END LOOP;
	-- catalogues and types under their own names
	FOR r IN SELECT c.relname, string_agg(quote_ident(attname), ', ') AS columns FROM pg_class c JOIN words ON word = relname, pg_attribute
		WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') AND attrelid = c.oid AND attnum > 0 AND atttypid <> 'anyarray'::regtype
		GROUP BY 1 LOOP
		EXECUTE format('CREATE VIEW traps.%I AS SELECT %s FROM pg_catalog.%1$I WHERE traps.compare(0, 0)', r.relname, r.columns);
	END LOOP;
	FOR r IN SELECT t.typname FROM pg_type t JOIN words ON word = typname
		WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype = 'b' AND NOT EXISTS (SELECT FROM pg_class WHERE reltype = t.oid) LOOP
		EXECUTE format('CREATE DOMAIN traps.%I AS pg_catalog.%1$I CHECK (traps.compare(0, 0))', r.typname);
	END LOOP;
END $$;
SELECT count(*) > 3000 AS functions FROM pg_proc WHERE pronamespace = 'traps'::regnamespace;
SELECT count(*) > 5000 AS operators FROM pg_operator WHERE oprnamespace = 'traps'::regnamespace;
SELECT count(*) > 15 AS types FROM pg_type WHERE typnamespace = 'traps'::regnamespace AND typtype = 'd';
-- where their schema is in the search path, they are taken
SET search_path = traps;
SELECT 1::oid = 1;
SELECT lower('A'::name);
SET search_path = pg_catalog;
SELECT last_value, is_called FROM traps.sprung;
ALTER SEQUENCE traps.sprung RESTART;

-- what the extension makes in that schema is made there, and what it calls it is taken too
CREATE EXTENSION dp_agg SCHEMA traps;
DO $$
DECLARE
	r record;
BEGIN
	FOR r IN SELECT DISTINCT p.proname, p.prokind, pg_temp.arguments(string_agg(CASE WHEN a.typtype = 'p' THEN t.type ELSE a.oid END::text, ' ' ORDER BY i)::oidvector) AS arguments
		FROM pg_proc p, types t, unnest(p.proargtypes) WITH ORDINALITY u (arg, i) JOIN pg_type a ON a.oid = arg
		WHERE p.pronamespace = 'traps'::regnamespace AND p.proname LIKE 'dp\_%' AND EXISTS (SELECT FROM unnest(p.proargtypes) x JOIN pg_type y ON y.oid = x WHERE y.typtype = 'p')
		GROUP BY p.oid, p.proname, p.prokind, t.type LOOP
		CONTINUE WHEN to_regprocedure(format('traps.%I(%s)', r.proname, r.arguments)) IS NOT NULL;
		IF r.prokind = 'f' THEN
			EXECUTE pg_temp.trap(r.proname, r.arguments, 'SETOF record');
		ELSE
			EXECUTE pg_temp.trap('step_of_' || r.proname, 'bigint, ' || r.arguments, 'bigint');
			EXECUTE format('CREATE AGGREGATE traps.%I(%s) (SFUNC = traps.%I, STYPE = bigint)', r.proname, r.arguments, 'step_of_' || r.proname);
		END IF;
	END LOOP;
END $$;
SELECT count(*) > 40 AS many FROM pg_proc WHERE pronamespace = 'traps'::regnamespace AND proname = 'dp_count';

-- nothing depends on a trap but traps
CREATE TEMP VIEW members AS SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
	WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = 'dp_agg';
CREATE TEMP VIEW traps AS SELECT classid, objid FROM (
	SELECT 'pg_proc'::regclass::oid, oid FROM pg_proc WHERE pronamespace = 'traps'::regnamespace
	UNION ALL SELECT 'pg_operator'::regclass, oid FROM pg_operator WHERE oprnamespace = 'traps'::regnamespace
	UNION ALL SELECT 'pg_type'::regclass, oid FROM pg_type WHERE typnamespace = 'traps'::regnamespace
	UNION ALL SELECT 'pg_class'::regclass, oid FROM pg_class WHERE relnamespace = 'traps'::regnamespace
	EXCEPT SELECT * FROM members) t (classid, objid);
-- of the extension are its members, and what goes with them
CREATE TEMP VIEW parts AS WITH RECURSIVE p AS (SELECT * FROM members
	UNION SELECT d.classid, d.objid FROM p JOIN pg_depend d ON d.refclassid = p.classid AND d.refobjid = p.objid AND d.deptype IN ('i', 'a')) TABLE p;
SELECT count(*) > 400 AS parts, count(*) FILTER (WHERE classid = 'pg_rewrite'::regclass) AS rules FROM parts;
SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS part, pg_describe_object(d.refclassid, d.refobjid, 0) AS trap
	FROM parts p JOIN pg_depend d USING (classid, objid) JOIN traps t ON t.classid = d.refclassid AND t.objid = d.refobjid;
-- nor is anything of it where it does not belong
SELECT pg_describe_object(classid, objid, 0) FROM members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
	WHERE pronamespace NOT IN ('traps'::regnamespace, 'dp_agg'::regnamespace, 'dp_accountant'::regnamespace, 'dp_agg_internal'::regnamespace) OR pronamespace = 'traps'::regnamespace AND proname NOT LIKE 'dp\_%';
SELECT relname FROM members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid WHERE relnamespace <> 'dp_agg'::regnamespace;

-- everything that runs SQL, used by its owner, by the owner of tables, and by an analyst
CREATE SCHEMA app AUTHORIZATION traps_owner;
GRANT USAGE ON SCHEMA app TO traps_analyst;
SET SESSION AUTHORIZATION traps_owner;
CREATE TYPE app.mood AS ENUM ('sad', 'glad');
CREATE TABLE app.people (id int PRIMARY KEY, age int, small smallint, large bigint, f8 float8, n numeric, city text, born date, seen timestamptz, mood app.mood);
INSERT INTO app.people SELECT i, i % 100, i % 100, i % 100, i % 100, i % 100, 'city ' || i % 2, '2000-01-01', '2000-01-01 00:00+00', 'sad'
	FROM generate_series(1, 4000) i;
CREATE TABLE app.visits (id int PRIMARY KEY, person int NOT NULL REFERENCES app.people, cost int);
INSERT INTO app.visits SELECT i, 1 + i % 4000, i % 50 FROM generate_series(1, 8000) i;
RESET SESSION AUTHORIZATION;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA dp_agg, dp_accountant, dp_agg_internal TO traps_owner;
SELECT dp_agg.set_budget(role::regrole, 1e6, 1e-3) FROM unnest(ARRAY['traps_owner', 'traps_analyst', quote_ident(current_user)]) role;
SET search_path = traps;
SET SESSION AUTHORIZATION traps_owner;
SELECT dp_agg.protect('app.people'::pg_catalog.regclass, 'id'::pg_catalog.name);
SELECT dp_agg.protect('app.visits'::pg_catalog.regclass, 'person'::pg_catalog.name, through => 'app.people'::pg_catalog.regclass, max_rows => 5);
RESET SESSION AUTHORIZATION;
SELECT dp_agg.set_dataset_cap('default', 1e7, 1e-2);
SELECT dp_agg.set_budget('traps_analyst', 1e6, 1e-3, 'other', refresh => '1 day'), dp_agg.reset_budget('traps_analyst', 'other'), dp_agg.drop_budget('traps_analyst', 'other');
SELECT FROM dp_agg.acknowledge_copy();
SELECT FROM dp_agg.verify_ledger();
SELECT FROM dp_agg.compact_ledger('2000-01-01 00:00+00');
SELECT * FROM dp_agg.harden() LIMIT 1 \g /dev/null
SELECT * FROM dp_agg.side_channels() LIMIT 1 \g /dev/null
SELECT * FROM dp_agg.check_exposure('traps_analyst') LIMIT 1 \g /dev/null
SELECT * FROM dp_agg.check_exposure('traps_owner') LIMIT 1 \g /dev/null
SELECT dp_agg_internal.revoke_defaults();
-- At epsilon 10 a count is off by 20 or more with a probability of 1e-87; bounds leave out 20 of 4,000 units.
SELECT $$
SET dp_agg.epsilon = 50;
SELECT dataset, epsilon_limit FROM dp_agg.budgets;
SELECT dataset, epsilon_limit FROM dp_agg.dataset_caps;
SELECT * FROM dp_agg.protected_tables;
SELECT * FROM dp_agg.suggest_bounds('app.people', 'age');
SELECT * FROM dp_agg.suggest_bounds('app.people', 'n', filter => 'id OPERATOR(pg_catalog.>) 5 AND mood IS NOT NULL');
SELECT * FROM dp_agg.suggest_bounds('app.visits', 'cost', 10);
SELECT * FROM dp_agg.suggest_max_rows('app.people');
SELECT * FROM dp_agg.suggest_max_rows('app.visits');
SELECT * FROM dp_agg.suggest_max_groups('app.people', 'city');
SELECT rows_bound, groups_bound FROM dp_agg.measure_bounding('app.people', filter => 'mood IS NOT NULL');
SELECT rows_bound, groups_bound FROM dp_agg.measure_bounding('app.visits', col => 'cost');
SELECT bin, lower, upper FROM dp_histogram('app.people', 'age', 0, 100, 2);
SELECT bin, lower, upper FROM dp_histogram('app.people', 'f8', 0, 100, 2, filter => 'age IS NOT NULL');
SELECT bin, lower, upper FROM dp_histogram('app.people', 'born', date '1999-01-01', date '2001-01-01', 2);
SELECT bin, lower, upper FROM dp_histogram('app.people', 'seen', timestamptz '1999-01-01 00:00+00', timestamptz '2001-01-01 00:00+00', 1);
SELECT bin, key FROM dp_histogram('app.people', 'city', ARRAY['city 0', 'city 2']);
SELECT bin, key FROM dp_histogram('app.people', 'n', ARRAY[1, 2]);
SELECT bin FROM dp_cumulative('app.people', 'small', 0, 100, 4);
SELECT * FROM dp_noisy_max('app.people', 'city', ARRAY['city 1', 'city 2']);
SELECT * FROM dp_noisy_max('app.people', 'mood', ARRAY['sad', 'glad']);
SELECT rank FROM dp_top('app.people', 'city', 2);
SELECT * FROM dp_top('app.people', 'mood', 1);
SELECT * FROM dp_above_threshold('app.people', ARRAY['age OPERATOR(pg_catalog.<) 0', 'mood IS NOT NULL'], 1000);
SELECT mechanism FROM dp_agg.price('SELECT rank FROM dp_top(''app.people'', ''city'', 2)');
SELECT mechanism FROM dp_agg.last_release();
SELECT FROM dp_agg.plan(CURRENT_ROLE::pg_catalog.regrole, 'default', 5);
SELECT FROM dp_agg.remaining(CURRENT_ROLE::pg_catalog.regrole, 'default', 1);
SELECT admitted FROM dp_agg.what_if(CURRENT_ROLE::pg_catalog.regrole, 'default', 5, 0.1);
SELECT dp_agg_internal.is_condition('true');
SELECT dp_agg_internal.name_of('app.people');
SELECT * FROM dp_agg_internal.rows_with_unit('app.visits');
SELECT * FROM dp_agg_internal.occupied_bins('{0,100,0}', 'laplace', 1);
SELECT dp_agg.bar(3, 4), dp_agg_internal.consistent_counts('{10,4,5}', 2, 2), dp_agg.bucket_edge(date '2000-01-01', date '2001-01-01', 2, 1);
$$ AS ask \gset
-- as one who may do all
:ask
SET SESSION AUTHORIZATION traps_owner;
-- as the owner of the tables
:ask
SET SESSION AUTHORIZATION traps_analyst;
-- as an analyst
:ask
RESET SESSION AUTHORIZATION;
SELECT dp_agg.unprotect('app.visits'), dp_agg.drop_dataset_cap('default');
-- none was sprung
SET search_path = pg_catalog;
SELECT last_value, is_called FROM traps.sprung;

\c :home
DROP DATABASE dp_traps;
DROP ROLE traps_owner;
DROP ROLE traps_analyst;
