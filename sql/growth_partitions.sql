--
-- growth_partitions: partitions that the question leaves out are neither locked nor looked at
--
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE SCHEMA growth_partitions;
SET search_path = growth_partitions, public;
CREATE FUNCTION looked_at() RETURNS bigint AS '$libdir/dp_questions_test', 'test_partitions_looked_at' LANGUAGE C;
CREATE FUNCTION is_unique(regclass, name) RETURNS bool AS '$libdir/dp_validate_test', 'test_unit_is_unique' LANGUAGE C STRICT;
CREATE TABLE visits (person int, day int, cost int) PARTITION BY RANGE (day);
CREATE TABLE people (id int PRIMARY KEY, age int) PARTITION BY RANGE (id);
-- the same as visits, read as it is
CREATE TABLE plain (person int, day int, cost int) PARTITION BY RANGE (day);
DO $$
BEGIN
	FOR i IN 0 .. 49 LOOP
		EXECUTE format('CREATE TABLE visits_%1$s PARTITION OF visits FOR VALUES FROM (%2$s) TO (%3$s);
			CREATE TABLE people_%1$s PARTITION OF people FOR VALUES FROM (%2$s) TO (%3$s);
			CREATE TABLE plain_%1$s PARTITION OF plain FOR VALUES FROM (%2$s) TO (%3$s)', i, 10 * i, 10 * i + 10);
	END LOOP;
END $$;
CREATE TABLE visits_late PARTITION OF visits FOR VALUES FROM (500) TO (1000) PARTITION BY LIST (day);
CREATE TABLE visits_500 PARTITION OF visits_late FOR VALUES IN (500);
INSERT INTO visits SELECT i, i % 500, 1 FROM generate_series(1, 1000) i;
INSERT INTO people SELECT i, i % 90 FROM generate_series(1, 499) i;
INSERT INTO plain SELECT * FROM visits;
SELECT dp_agg.protect('visits', 'person'), dp_agg.protect('people', 'id', max_rows => 3), dp_agg.set_budget(current_user::regrole, 1e6, 1e-5);

-- what a statement locks of tables and indexes here, but for indexes of partitioned tables, which later versions lock with them
CREATE FUNCTION locks(query text, OUT locks text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	SELECT string_agg(relation::regclass::text, ' ' ORDER BY relation::regclass::text) INTO locks FROM pg_locks JOIN pg_class c ON c.oid = relation
		WHERE pid = pg_backend_pid() AND relnamespace = 'growth_partitions'::regnamespace AND relkind <> 'I';
	RAISE 'undo';
EXCEPTION WHEN raise_exception THEN
	NULL;
END $$;
SELECT n, what, locks(query) FROM (VALUES
	(1, 'plain', 'EXPLAIN SELECT count(*) FROM plain WHERE day = 7'),
	(2, 'explained', 'EXPLAIN SELECT dp_count(*) FROM visits WHERE day = 7'),
	(3, 'priced', $$SELECT FROM dp_agg.price('SELECT dp_count(*) FROM visits WHERE day = 7')$$),
	(4, 'all priced', $$SELECT FROM dp_agg.price('SELECT dp_count(*) FROM visits')$$),
	(5, 'asked', 'SELECT dp_count(*) FROM visits WHERE day = 7'),
	(6, 'two of them', 'SELECT dp_count(*) FROM visits WHERE day IN (7, 490)'),
	(7, 'a level down', 'SELECT dp_count(*) FROM visits WHERE day = 500'),
	(8, 'none', 'SELECT dp_count(*) FROM visits WHERE day = 2000'),
	(9, 'by a unique key', 'SELECT dp_sum(age, 0, 100) FROM people WHERE id = 7'),
	(10, 'explained', 'EXPLAIN SELECT dp_sum(age, 0, 100) FROM people WHERE id = 7'),
	(11, 'joined', 'SELECT dp_count(*) FROM visits JOIN people ON id = person WHERE day = 7 AND id = 7')) queries (n, what, query) ORDER BY n;

-- Once known, they are not looked up for every statement, but again when one changes
CREATE FUNCTION looked_at_for(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before bigint := looked_at();
BEGIN
	PERFORM FROM dp_agg.price(query);
	RETURN looked_at() - before;
END $$;
CREATE PROCEDURE step(what text, query text, change text DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
	known bigint;
	after bigint;
BEGIN
	-- autovacuum may change one of them meanwhile, but not each time
	SELECT min(looked_at_for(query)) INTO known FROM generate_series(1, 5);
	IF change IS NOT NULL THEN
		EXECUTE change;
	END IF;
	after := looked_at_for(query);
	RAISE INFO '%: %', what, CASE WHEN known IS NULL THEN true ELSE known <= 4 AND (change IS NULL OR after > 50) END;
END $$;
CALL step('nothing', 'SELECT dp_count(*) FROM visits WHERE day = 7');
CALL step('nothing', 'SELECT dp_count(*) FROM people');
CALL step('analyze', 'SELECT dp_count(*) FROM people', 'ANALYZE growth_partitions.people_7');
CALL step('truncate', 'SELECT dp_count(*) FROM people', 'TRUNCATE growth_partitions.people_49');
CALL step('attach', 'SELECT dp_count(*) FROM people', 'CREATE TABLE growth_partitions.people_50 PARTITION OF growth_partitions.people FOR VALUES FROM (500) TO (510)');
CALL step('detach', 'SELECT dp_count(*) FROM people', 'ALTER TABLE growth_partitions.people DETACH PARTITION growth_partitions.people_50');
CALL step('attach a level down', 'SELECT dp_count(*) FROM visits', 'CREATE TABLE growth_partitions.visits_501 PARTITION OF growth_partitions.visits_late FOR VALUES IN (501)');
CALL step('reindex', 'SELECT dp_count(*) FROM people', 'REINDEX INDEX growth_partitions.people_7_pkey');

-- What is known does not outlive a change: a foreign partition, at any depth
CREATE FOREIGN DATA WRAPPER growth_wrapper;
CREATE SERVER growth_server FOREIGN DATA WRAPPER growth_wrapper;
CREATE FOREIGN TABLE visits_away PARTITION OF visits_late FOR VALUES IN (600) SERVER growth_server;
SELECT dp_count(*) FROM visits WHERE day = 7;
SELECT * FROM dp_agg.price('SELECT dp_count(*) FROM visits WHERE day = 7');
ALTER TABLE visits_late DETACH PARTITION visits_away;
SELECT dp_count(*) > -10000 AS answered FROM visits WHERE day = 7;
BEGIN;
ALTER TABLE visits_late ATTACH PARTITION visits_away FOR VALUES IN (600);
SAVEPOINT attached;
SELECT dp_count(*) FROM visits WHERE day = 7;
ROLLBACK;
SELECT dp_count(*) > -10000 AS answered FROM visits WHERE day = 7;
-- a partition that was emptied, or is new: whether a person has one row is seen by how much a person may count
CREATE FUNCTION sensitivity() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	shown json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) SELECT dp_count(*) FROM growth_partitions.people WHERE id = 7' INTO shown;
	RETURN (jsonb_path_query_first(shown::jsonb, '$.**.Sensitivity'))::numeric;
END $$;
-- an index counts once nobody's snapshot is older: wait for whoever has one
CREATE PROCEDURE settle() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 600 LOOP
		EXIT WHEN is_unique('growth_partitions.people', 'id');
		PERFORM pg_sleep(0.1);
		COMMIT;
	END LOOP;
END $$;
CALL settle();
SELECT sensitivity();
BEGIN;
TRUNCATE people_48;
SELECT sensitivity();
ROLLBACK;
SELECT sensitivity();
BEGIN;
CREATE TABLE people_51 PARTITION OF people FOR VALUES FROM (510) TO (520);
SELECT sensitivity();
ROLLBACK;
SELECT sensitivity();

DROP SERVER growth_server CASCADE;
DROP FOREIGN DATA WRAPPER growth_wrapper;
DROP SCHEMA growth_partitions CASCADE;
SELECT dp_agg.drop_budget(current_user::regrole);
DROP EXTENSION dp_agg;
