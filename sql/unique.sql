--
-- unique: which tables have one row per privacy unit, and which stay protectable
--
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE FUNCTION is_unique(regclass, name) RETURNS bool
	AS '$libdir/dp_validate_test', 'test_unit_is_unique' LANGUAGE C STRICT;
CREATE FUNCTION policy(regclass) RETURNS text
	AS '$libdir/dp_validate_test', 'test_policy' LANGUAGE C STRICT;
CREATE FUNCTION obstacle(regclass, name) RETURNS text
	AS '$libdir/dp_validate_test', 'test_obstacle' LANGUAGE C STRICT;
CREATE SCHEMA uniqueness;
SET search_path = uniqueness, public;

-- an index counts once nobody's snapshot is older: wait for whoever has one
CREATE PROCEDURE settle() LANGUAGE plpgsql AS $$
BEGIN
	CREATE TABLE settled (id int PRIMARY KEY);
	COMMIT;
	FOR i IN 1 .. 600 LOOP
		EXIT WHEN is_unique('settled', 'id');
		PERFORM pg_sleep(0.1);
		COMMIT;
	END LOOP;
	DROP TABLE settled;
END $$;

CREATE COLLATION copied FROM "C";
CREATE FUNCTION half(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1 / 2';
CREATE TABLE t (pk int PRIMARY KEY, late int UNIQUE DEFERRABLE, plain int, part int, expr int, pair int, inc int,
	hashed int, excluded int, again text, other text COLLATE "C", pattern text, word text UNIQUE, same text COLLATE "C" UNIQUE,
	short varchar(9) UNIQUE, absent int UNIQUE NULLS NOT DISTINCT, bad int, EXCLUDE (excluded WITH =));
CREATE INDEX ON t (plain);
CREATE UNIQUE INDEX ON t (part) WHERE part > 0;
CREATE UNIQUE INDEX ON t (half(expr));
CREATE UNIQUE INDEX ON t (pair, pk);
CREATE UNIQUE INDEX ON t (inc) INCLUDE (pk, pair);
CREATE INDEX ON t USING hash (hashed);
CREATE UNIQUE INDEX ON t (again COLLATE "C");
CREATE UNIQUE INDEX ON t (other COLLATE copied);
CREATE UNIQUE INDEX ON t (pattern text_pattern_ops);
CALL settle();
SELECT attname, is_unique('t', attname) FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 ORDER BY attnum;

-- an index that could not be built proves nothing
INSERT INTO t (pk, absent, bad) VALUES (1, 1, 7), (2, 2, 7);
CREATE UNIQUE INDEX CONCURRENTLY bad_index ON t (bad);
SELECT indisvalid FROM pg_index WHERE indexrelid = 'bad_index'::regclass;
CALL settle();
SELECT is_unique('t', 'bad');
DELETE FROM t;
REINDEX INDEX CONCURRENTLY bad_index;
CALL settle();
SELECT is_unique('t', 'bad');

-- nor does one of this transaction's own, nor one that is gone
BEGIN;
CREATE UNIQUE INDEX own_index ON t (plain);
SELECT is_unique('t', 'plain');
COMMIT;
CALL settle();
SELECT is_unique('t', 'plain');
DROP INDEX own_index;
SELECT is_unique('t', 'plain');

-- partitions: the whole tree, and long enough
CREATE TABLE tree (id int, word text) PARTITION BY RANGE (id);
CREATE TABLE low PARTITION OF tree FOR VALUES FROM (0) TO (10);
CREATE UNIQUE INDEX tree_id ON ONLY tree (id);
CREATE UNIQUE INDEX low_id ON low (id);
CREATE UNIQUE INDEX low_word ON low (word);
CALL settle();
SELECT is_unique('tree', 'id'), is_unique('low', 'id'), is_unique('tree', 'word');
ALTER INDEX tree_id ATTACH PARTITION low_id;
CALL settle();
SELECT is_unique('tree', 'id');
CREATE TABLE high (id int PRIMARY KEY, word text);
CALL settle();
BEGIN;
ALTER TABLE tree ATTACH PARTITION high FOR VALUES FROM (10) TO (20);
SELECT is_unique('tree', 'id');
COMMIT;
CALL settle();
SELECT is_unique('tree', 'id');
-- an index of a partition that is not in force, as that of a deferrable constraint may be
SET allow_system_table_mods = on;
UPDATE pg_index SET indimmediate = false WHERE indexrelid = 'low_id'::regclass;
CALL settle();
SELECT is_unique('tree', 'id');
UPDATE pg_index SET indimmediate = true WHERE indexrelid = 'low_id'::regclass;
CALL settle();
SELECT is_unique('tree', 'id');
RESET allow_system_table_mods;

-- the policy as the planner reads it
SELECT policy('t');
SELECT dp_agg.protect('t', 'word', 'some data', 3, 2);
SELECT policy('t');
ALTER TABLE t DROP COLUMN pk;
SELECT policy('t');
SELECT dp_agg.unprotect('t');
SELECT policy('t');

-- labels that did not come through the provider close the table
SELECT dp_agg.protect('t', 'word');
SET allow_system_table_mods = on;
INSERT INTO pg_seclabel SELECT objoid, classoid, 3, provider, label FROM pg_seclabel WHERE provider = 'dp_agg';
DO $$ BEGIN PERFORM policy('t'); EXCEPTION WHEN invalid_object_definition THEN RAISE WARNING '%', regexp_replace(SQLERRM, '\d+', 'N'); END $$;
DELETE FROM pg_seclabel WHERE provider = 'dp_agg' AND objsubid = 3;
SELECT policy('t');
UPDATE pg_seclabel SET label = 'dataset=default max_rows=1' WHERE provider = 'dp_agg';
DO $$ BEGIN PERFORM policy('t'); EXCEPTION WHEN invalid_object_definition THEN RAISE WARNING '%', regexp_replace(SQLERRM, '\d+', 'N'); END $$;
SELECT * FROM dp_agg.protected_tables;
-- its owner can declare it again
BEGIN;
SELECT dp_agg.protect('t', 'word');
SELECT policy('t');
ROLLBACK;
UPDATE pg_seclabel SET label = 'dataset=default max_rows=1 max_groups=1', objsubid = 0 WHERE provider = 'dp_agg';
DO $$ BEGIN PERFORM policy('t'); EXCEPTION WHEN invalid_object_definition THEN RAISE WARNING '%', regexp_replace(SQLERRM, '\d+', 'N'); END $$;
SELECT dp_agg.unprotect('t');
SELECT policy('t');

-- what may have become of a table since it was protected
CREATE TABLE alone (id int);
SELECT dp_agg.protect('alone', 'id');
SELECT obstacle('alone', 'id');
-- a child may have any rows, whatever key its parent has
ALTER TABLE alone ADD PRIMARY KEY (id);
CALL settle();
SELECT is_unique('alone', 'id');
CREATE TABLE child () INHERITS (alone);
SELECT obstacle('alone', 'id'), policy('alone'), is_unique('alone', 'id');
ALTER TABLE child ENABLE ROW LEVEL SECURITY;
SELECT obstacle('alone', 'id'), policy('alone');
DROP TABLE child;
CALL settle();
SELECT obstacle('alone', 'id'), is_unique('alone', 'id');
ALTER TABLE alone DROP CONSTRAINT alone_pkey;
ALTER TABLE alone ADD COLUMN word text;
ALTER TABLE tree ATTACH PARTITION alone FOR VALUES FROM (20) TO (30);
SELECT obstacle('alone', 'id'), policy('alone');
SELECT dp_agg.unprotect('alone');
SELECT obstacle('tree', 'id');
CREATE FOREIGN DATA WRAPPER uniqueness_wrapper;
CREATE SERVER uniqueness_server FOREIGN DATA WRAPPER uniqueness_wrapper;
CREATE TABLE wide (id int) PARTITION BY LIST (id);
CREATE TABLE branch PARTITION OF wide FOR VALUES IN (1, 2) PARTITION BY LIST (id);
CREATE FOREIGN TABLE far PARTITION OF branch FOR VALUES IN (1) SERVER uniqueness_server;
SELECT obstacle('wide', 'id');

DROP SCHEMA uniqueness CASCADE;
DROP FOREIGN DATA WRAPPER uniqueness_wrapper CASCADE;
DROP FUNCTION is_unique, policy, obstacle;
DROP EXTENSION dp_agg;
