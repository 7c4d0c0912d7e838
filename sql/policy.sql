--
-- policy: protect, unprotect, the label behind them, the view
--
CREATE EXTENSION dp_agg;
CREATE FUNCTION complaint(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT ' || call;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
CREATE ROLE policy_owner;
CREATE ROLE policy_stranger;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO policy_owner, policy_stranger;
GRANT EXECUTE ON FUNCTION dp_agg.unprotect(regclass) TO policy_owner;
CREATE SCHEMA policy AUTHORIZATION policy_owner;
SET search_path = policy, public;
SET ROLE policy_owner;
CREATE TABLE people (id int PRIMARY KEY, email text, visits int);

-- declaring, and declaring again: the last word counts, the unit moves
SELECT dp_agg.protect('people', 'email');
SELECT * FROM dp_agg.protected_tables;
SELECT dp_agg.protect('people', 'email', 'sales', 4, 2);
SELECT * FROM dp_agg.protected_tables;
SELECT dp_agg.protect('people', 'id', max_rows => 3);
SELECT * FROM dp_agg.protected_tables;
-- said unless it is said, by whatever calls it
SELECT dp_agg.protect('people', 'id', max_rows => 3, max_groups => 1), dp_agg.protect('people', 'id', 'default', 3, 1);
PREPARE protecting(int, int) AS SELECT dp_agg.protect('people', 'id', max_rows => $1, max_groups => $2);
EXECUTE protecting(3, 1);
DO $$ DECLARE bound int := 1; BEGIN PERFORM dp_agg.protect('people', 'id', max_rows => 3, max_groups => bound); PERFORM dp_agg.protect('people', 'id', 'default', 3); END $$;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('people', 'email', 'twice');
SELECT objname, label FROM pg_seclabels WHERE provider = 'dp_agg';

-- any data set name survives, quotes and spaces too
SELECT dp_agg.protect('people', 'id', 'a "b" max_rows=9 \');
SELECT * FROM dp_agg.protected_tables;
SELECT label FROM pg_seclabels WHERE provider = 'dp_agg';
SELECT dp_agg.protect('people', 'id', repeat('x', 63), 1000000000, 1000000);
SELECT * FROM dp_agg.protected_tables;

-- bad arguments change nothing
SELECT complaint($$ dp_agg.protect('people', 'id', repeat('x', 64)) $$);
SELECT complaint($$ dp_agg.protect('people', 'id', NULL) $$);
SELECT complaint($$ dp_agg.protect('people', 'id', through => to_regclass('nowhere')) $$);
SELECT complaint($$ dp_agg.protect('people', 'id', E'two\nlines') $$);
SELECT complaint($$ dp_agg.protect('people', 'id', 'x', 0) $$);
SELECT complaint($$ dp_agg.protect('people', 'id', 'x', 1000000001) $$);
SELECT complaint($$ dp_agg.protect('people', 'id', 'x', 1, -1) $$);
SELECT complaint($$ dp_agg.protect('people', 'id', 'x', 1, 1000001) $$);
SELECT complaint($$ dp_agg.protect('people', 'id', max_values => -1) $$);
SELECT complaint($$ dp_agg.protect('people', 'id', max_values => 1000000001) $$);
SELECT complaint($$ dp_agg.protect('people', 'id', max_join_rows => 0) $$);
SELECT complaint($$ dp_agg.protect('people', 'id', max_join_rows => 100001) $$);
SELECT complaint($$ dp_agg.protect('people', 'id', max_rows => NULL) $$);
SELECT complaint($$ dp_agg.protect(NULL, 'id') $$);
SELECT complaint($$ dp_agg.unprotect(NULL) $$);
SELECT complaint($$ dp_agg.protect('people', 'nobody') $$);
SELECT complaint($$ dp_agg.protect('people', 'ctid') $$);
SELECT complaint($$ dp_agg.protect(0, 'id') $$);
\set VERBOSITY terse
SELECT relation, unit, max_rows, max_groups FROM dp_agg.protected_tables;
BEGIN READ ONLY;
SELECT dp_agg.protect('people', 'id');
ROLLBACK;
BEGIN READ ONLY;
SELECT dp_agg.unprotect('people');
ROLLBACK;

-- the owner and nobody else, by function or by label
RESET ROLE;
GRANT USAGE ON SCHEMA policy TO policy_stranger;
SET ROLE policy_stranger;
\set VERBOSITY sqlstate
SELECT dp_agg.protect('policy.people', 'email');
SELECT dp_agg.unprotect('policy.people');
SECURITY LABEL FOR dp_agg ON COLUMN policy.people.id IS NULL;
\set VERBOSITY terse
SELECT relation, unit FROM dp_agg.protected_tables;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION dp_agg.protect FROM policy_owner;
SET ROLE policy_owner;
SELECT dp_agg.protect('people', 'id');
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset=default max_rows=1 max_groups=1';
RESET ROLE;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO policy_owner;
SET ROLE policy_owner;

-- renaming keeps it, dropping column or table drops it
ALTER TABLE people RENAME TO persons;
ALTER TABLE persons RENAME COLUMN id TO person;
SELECT relation, unit FROM dp_agg.protected_tables;
ALTER TABLE persons DROP COLUMN person;
SELECT relation, unit FROM dp_agg.protected_tables;
SELECT dp_agg.protect('persons', 'email');
SELECT relation, unit FROM dp_agg.protected_tables;
DROP TABLE persons;
SELECT count(*) FROM pg_seclabel WHERE provider = 'dp_agg';

-- what may not be meant: rows that are units though they refer to somebody
CREATE TABLE persons (id int PRIMARY KEY);
CREATE TABLE visits (id int PRIMARY KEY, person int REFERENCES persons, day date);
CREATE TABLE passports (person int PRIMARY KEY REFERENCES persons, number text);
CREATE TABLE stays (person int REFERENCES persons, day date, PRIMARY KEY (person, day));
\set VERBOSITY default
SELECT dp_agg.protect('persons', 'id'), dp_agg.protect('passports', 'person'), dp_agg.protect('stays', 'person'), dp_agg.protect('stays', 'day', max_rows => 2);
SELECT dp_agg.protect('visits', 'id');
SELECT dp_agg.unprotect('persons'), dp_agg.protect('visits', 'id');
SELECT dp_agg.protect('visits', 'person');
SELECT dp_agg.protect('visits', 'person', max_rows => 2);
SELECT dp_agg.protect('visits', 'person', through => 'persons');
\set VERBOSITY terse
DROP TABLE persons, visits, passports, stays;

-- unprotect
CREATE TABLE people (id int, email text);
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.unprotect('people');
SELECT count(*) FROM dp_agg.protected_tables;
SELECT dp_agg.unprotect('people');

-- what dump and restore replay: the label as it was written, nothing else
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset="a ""b"" c" max_rows=7 max_groups=2';
SELECT * FROM dp_agg.protected_tables;
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset=default max_rows=7 max_groups=2';
SECURITY LABEL FOR dp_agg ON COLUMN people.email IS 'dataset=default max_rows=1 max_groups=1';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset="default" max_rows=1 max_groups=1';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset=default max_rows=01 max_groups=1';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset=default max_rows=1 max_groups=1 ';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset=default max_rows=+1 max_groups=1';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset=default max_rows=1 max_groups=4294967297';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset=default max_rows=0 max_groups=1';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset= max_rows=1 max_groups=1';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset="" max_rows=1 max_groups=1';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset="a max_rows=1 max_groups=1';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS 'dataset=a';
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS '';
SECURITY LABEL FOR dp_agg ON TABLE people IS 'dataset=default max_rows=1 max_groups=1';
SECURITY LABEL FOR dp_agg ON SCHEMA policy IS 'dataset=default max_rows=1 max_groups=1';
SELECT * FROM dp_agg.protected_tables;
SECURITY LABEL FOR dp_agg ON COLUMN people.id IS NULL;
SELECT count(*) FROM dp_agg.protected_tables;

-- only whole, permanent tables; children with what they inherit from
CREATE VIEW people_view AS SELECT * FROM people;
CREATE MATERIALIZED VIEW people_matview AS SELECT * FROM people;
CREATE TEMP TABLE people_temp (id int);
CREATE TABLE parent (id int);
CREATE TABLE child () INHERITS (parent);
CREATE TABLE tree (id int, region int) PARTITION BY LIST (region);
CREATE TABLE branch PARTITION OF tree FOR VALUES IN (1, 2) PARTITION BY LIST (region);
CREATE TABLE leaf PARTITION OF branch FOR VALUES IN (1);
CREATE UNLOGGED TABLE quick (id int);
SELECT dp_agg.protect('people_view', 'id');
SELECT dp_agg.protect('people_matview', 'id');
SELECT dp_agg.protect('people_temp', 'id');
SELECT dp_agg.protect('parent', 'id');
SELECT dp_agg.protect('child', 'id');
SELECT dp_agg.protect('branch', 'id');
SELECT dp_agg.protect('leaf', 'id');
SECURITY LABEL FOR dp_agg ON COLUMN leaf.id IS 'dataset=default max_rows=1 max_groups=1';
SECURITY LABEL FOR dp_agg ON COLUMN people_view.id IS 'dataset=default max_rows=1 max_groups=1';
SELECT dp_agg.protect('tree', 'id');
SELECT dp_agg.protect('quick', 'id');
SELECT relation, unit FROM dp_agg.protected_tables ORDER BY relation::text;
DROP TABLE tree, quick, child, parent;
RESET ROLE;
SELECT dp_agg.protect('pg_class', 'oid');
CREATE FOREIGN DATA WRAPPER policy_wrapper;
CREATE SERVER policy_server FOREIGN DATA WRAPPER policy_wrapper;
CREATE FOREIGN TABLE far (id int) SERVER policy_server;
SELECT dp_agg.protect('far', 'id');
CREATE TABLE tree (id int) PARTITION BY LIST (id);
CREATE FOREIGN TABLE far_leaf PARTITION OF tree FOR VALUES IN (1) SERVER policy_server;
SELECT dp_agg.protect('tree', 'id');
DROP TABLE tree;
DROP FOREIGN TABLE far;
DROP SERVER policy_server;
DROP FOREIGN DATA WRAPPER policy_wrapper;

-- only columns whose equality is PostgreSQL's own
SET ROLE policy_owner;
CREATE DOMAIN policy_domain AS int;
CREATE TYPE policy_pair AS (a int, b int);
CREATE TYPE policy_enum AS ENUM ('a', 'b');
CREATE TYPE policy_range AS RANGE (subtype = int);
CREATE COLLATION policy_copy FROM "C";
CREATE TABLE kinds (c_domain policy_domain, c_pair policy_pair, c_range policy_range, c_array int[],
	c_json json, c_point point, c_copy text COLLATE policy_copy, c_enum policy_enum, c_uuid uuid,
	c_text text COLLATE "C", c_numeric numeric, c_varchar varchar(9), c_time timestamptz);
DO $$
DECLARE c name;
BEGIN
	FOR c IN SELECT attname FROM pg_attribute WHERE attrelid = 'kinds'::regclass AND attnum > 0 ORDER BY attnum LOOP
		BEGIN
			PERFORM dp_agg.protect('kinds', c);
			RAISE INFO '% accepted', c;
		EXCEPTION WHEN datatype_mismatch THEN
			RAISE INFO '%', SQLERRM;
		END;
	END LOOP;
END $$;
RESET ROLE;

-- labels that make no sense, as somebody may have written into the catalog: an
-- error for everybody, never a table that is not protected, or by another column
CREATE TABLE policy.broken (id int PRIMARY KEY, email text);
SELECT dp_agg.protect('policy.broken', 'id');
CREATE FUNCTION policy.attempt(change text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE change;
	EXECUTE 'SELECT dp_count(*) FROM policy.broken';
	RETURN 'answered';
EXCEPTION WHEN invalid_object_definition THEN
	RETURN regexp_replace(SQLERRM, '\d+', 'N');
	WHEN insufficient_privilege THEN
	RETURN 'protected, but not paid for';
END $$;
SET allow_system_table_mods = on;
SELECT policy.attempt('SELECT 1');
SELECT policy.attempt('INSERT INTO pg_seclabel SELECT objoid, classoid, 2, provider, label FROM pg_seclabel WHERE objoid = ''policy.broken''::regclass');
SELECT policy.attempt('UPDATE pg_seclabel SET objsubid = 0 WHERE objoid = ''policy.broken''::regclass');
SELECT policy.attempt('UPDATE pg_seclabel SET label = label || '' later=1'' WHERE objoid = ''policy.broken''::regclass');
SELECT policy.attempt('UPDATE pg_seclabel SET label = ''dataset=default'' WHERE objoid = ''policy.broken''::regclass');
SELECT policy.attempt('UPDATE pg_seclabel SET label = ''dataset='' || repeat(''a'', 5000) || '' max_rows=1 max_groups=1'' WHERE objoid = ''policy.broken''::regclass');
RESET allow_system_table_mods;
DROP OWNED BY policy_stranger;
DROP ROLE policy_stranger;
DROP SCHEMA policy CASCADE;
SELECT count(*) FROM dp_agg.protected_tables;
DROP OWNED BY policy_owner;
DROP ROLE policy_owner;

-- documented for whoever looks with \df+
SELECT oid::regprocedure FROM pg_proc
	WHERE prosrc IN ('dp_policy_protect', 'dp_policy_unprotect', 'dp_policy_policy_fields')
	AND obj_description(oid, 'pg_proc') IS NULL;
DROP FUNCTION complaint;
DROP EXTENSION dp_agg;
