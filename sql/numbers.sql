--
-- numbers of budgets: used once, by nobody else, and given by nothing that others may write
--
CREATE EXTENSION dp_agg;
CREATE EXTENSION charge;
CREATE ROLE numbers_ann;
CREATE ROLE numbers_bob;
CREATE ROLE numbers_cat;
CREATE ROLE numbers_writer;
GRANT pg_write_all_data, pg_read_all_data TO numbers_writer;
GRANT USAGE ON SCHEMA dp_agg TO numbers_writer;
CREATE FUNCTION numbers() RETURNS text LANGUAGE sql AS $$
SELECT string_agg(format('%s %s', CASE WHEN role::oid = 0 THEN 'cap' ELSE substr(role::text, 9) END, number), ', ' ORDER BY number) FROM dp_agg.budget
$$;

\echo one after the other, whatever else is done to budgets
SELECT dp_agg.set_budget('numbers_ann', 1, 0), dp_agg.set_budget('numbers_bob', 1, 0);
SELECT dp_agg.set_budget('numbers_ann', 2, 0), dp_agg.reset_budget('numbers_ann'), dp_agg.set_budget('numbers_ann', 3, 0);
SELECT dp_agg.set_dataset_cap('default', 3, 0), dp_agg.set_dataset_cap('default', 4, 0);
SELECT numbers();

\echo none is used again: not that of the last one
SELECT dp_agg.drop_dataset_cap('default');
SELECT dp_agg.set_dataset_cap('default', 3, 0);
SELECT dp_agg.drop_dataset_cap('default'), dp_agg.drop_budget('numbers_bob');
SELECT dp_agg.set_budget('numbers_bob', 1, 0);
SELECT numbers();
-- within a transaction
BEGIN;
SELECT dp_agg.set_budget('numbers_cat', 1, 0), dp_agg.drop_budget('numbers_cat');
SELECT dp_agg.set_budget('numbers_cat', 1, 0), dp_agg.drop_budget('numbers_cat');
SELECT dp_agg.set_budget('numbers_cat', 1, 0);
COMMIT;
SELECT numbers();
-- nor where the ledger knows of it no more
SELECT dp_agg.drop_budget('numbers_cat'), dp_agg.drop_budget('numbers_bob');
SELECT dp_agg.compact_ledger('infinity') > 0 AS removed;
SELECT dp_agg.compact_ledger('infinity') > 0 AS removed;
SELECT max(budget) IS NULL AS forgotten FROM dp_agg.ledger;
SELECT dp_agg.set_budget('numbers_bob', 1, 0);
SELECT numbers();
SELECT * FROM dp_agg.verify_ledger();

\echo no sequence tells what comes next, and no two have the same
SELECT count(*) FROM pg_class WHERE relkind = 'S' AND relnamespace IN ('dp_agg'::regnamespace, 'dp_agg_internal'::regnamespace);
SET ROLE numbers_writer;
UPDATE dp_agg.budget SET number = 1;
RESET ROLE;
UPDATE dp_agg.budget SET number = 1 WHERE role = 'numbers_bob'::regrole;
INSERT INTO dp_agg.budget SELECT (jsonb_populate_record(b, '{"dataset": "other"}')).* FROM dp_agg.budget b WHERE number = 1;
-- there is an end
BEGIN;
UPDATE dp_agg.budget SET number = 9223372036854775807 WHERE role = 'numbers_bob'::regrole;
SELECT dp_agg.set_budget('numbers_cat', 1, 0);
ROLLBACK;

\echo whoever gets the number of somebody else is not shown what that one was answered
SELECT dp_agg.drop_budget('numbers_bob');
SELECT dp_agg.set_budget('numbers_ann', 50, 0), dp_agg.set_budget('numbers_bob', 50, 0);
CREATE TABLE people AS SELECT g AS id FROM generate_series(1, 1000) g;
ALTER TABLE people ALTER id SET NOT NULL;
SELECT dp_agg.protect('people', 'id');
CREATE FUNCTION asked(role text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer bigint;
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', role);
	SET LOCAL dp_agg.kept_max_age = '1h';
	answer := (SELECT dp_count(*) FROM people);
	RESET ROLE;
	RETURN answer;
EXCEPTION WHEN data_corrupted THEN
	RETURN SQLERRM;
END $$;
SELECT asked('numbers_ann') = asked('numbers_ann') AS kept;
SELECT replays FROM dp_agg.kept;
UPDATE dp_agg.budget SET number = number + 100 WHERE role = 'numbers_ann'::regrole;
UPDATE dp_agg.budget SET number = 1 WHERE role = 'numbers_bob'::regrole;
SELECT asked('numbers_bob');

SET client_min_messages = warning;
DROP TABLE people;
DROP FUNCTION numbers, asked;
DROP EXTENSION charge;
SELECT count(*) FROM pg_shseclabel l JOIN pg_database d ON d.oid = l.objoid WHERE datname = current_database() AND provider = 'dp_agg_database';
DROP EXTENSION dp_agg;
SELECT count(*) FROM pg_shseclabel l JOIN pg_database d ON d.oid = l.objoid WHERE datname = current_database() AND provider = 'dp_agg_database';
DROP ROLE numbers_ann, numbers_bob, numbers_cat, numbers_writer;
