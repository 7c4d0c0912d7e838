--
-- the ledger: append-only, chained, verified, exported and shortened
--
CREATE EXTENSION dp_agg;
CREATE EXTENSION charge;
CREATE ROLE ledger_ann;
CREATE ROLE ledger_bob;
CREATE ROLE ledger_owner;
CREATE ROLE ledger_reader;

\echo what is entered
SELECT dp_agg.set_budget('ledger_ann', 1, 1e-6), dp_agg.set_budget('ledger_bob', 2, 1e-6);
SELECT test_charge('ledger_ann', 'default', 0.25);
SELECT test_charge('ledger_bob', 'default', 0.5);
SELECT test_charge('ledger_ann', 'default', 5);
SELECT dp_agg.set_dataset_cap('default', 2, 1e-6);
SELECT test_charge('ledger_bob', 'default', 0.75);
SELECT test_charge('ledger_bob', 'default', 0.625);
SELECT dp_agg.reset_budget('ledger_ann');
SELECT test_charge('ledger_ann', 'default', 0.125);
SELECT id, event, role = current_user AS by_me, payer, cap, admitted, pure_epsilon AS cost,
	epsilon_limit, epsilon_spent, length(hash) AS hash
	FROM dp_agg.ledger ORDER BY id;
SELECT * FROM dp_agg.verify_ledger();

\echo administrative acts are entered with their transaction, or not at all
BEGIN;
SAVEPOINT undone;
SELECT dp_agg.drop_budget('ledger_bob');
ROLLBACK TO undone;
SAVEPOINT done;
SELECT dp_agg.set_budget('ledger_bob', 3, 1e-6);
RELEASE done;
SELECT count(*) FROM dp_agg.ledger;
COMMIT;
BEGIN;
SELECT dp_agg.drop_budget('ledger_bob');
ROLLBACK;
DO $$
BEGIN
	PERFORM dp_agg.drop_budget('ledger_bob');
	RAISE 'never mind';
EXCEPTION WHEN raise_exception THEN
END $$;
SELECT id, event, payer, epsilon_limit FROM dp_agg.ledger WHERE id > 10 ORDER BY id;
BEGIN;
SELECT dp_agg.reset_budget('ledger_bob');
PREPARE TRANSACTION 'ledger';
SELECT * FROM dp_agg.verify_ledger();

\echo nobody but a superuser writes it
GRANT ALL ON dp_agg.ledger TO ledger_reader;
SET ROLE ledger_reader;
SELECT count(*) FROM dp_agg.ledger;
UPDATE dp_agg.ledger SET role = 'x';
DELETE FROM dp_agg.ledger WHERE false;
TRUNCATE dp_agg.ledger;
INSERT INTO dp_agg.ledger SELECT * FROM dp_agg.ledger;
COPY dp_agg.ledger FROM stdin;
\.
SELECT * FROM dp_agg.verify_ledger();
SELECT dp_agg.compact_ledger(now());
RESET ROLE;
REVOKE ALL ON dp_agg.ledger FROM ledger_reader;
GRANT EXECUTE ON FUNCTION dp_agg.compact_ledger(timestamptz) TO ledger_reader;
SET ROLE ledger_reader;
SELECT dp_agg.compact_ledger(now());
RESET ROLE;
-- nor anybody where nothing is to be written
BEGIN READ ONLY;
SELECT dp_agg.compact_ledger(now());
ROLLBACK;
BEGIN READ ONLY;
SELECT dp_agg.acknowledge_copy();
ROLLBACK;
BEGIN READ ONLY;
SELECT dp_agg.set_budget('ledger_reader', 1, 1e-6);
ROLLBACK;
BEGIN READ ONLY;
SELECT dp_agg.set_dataset_cap('default', 1, 1e-6);
ROLLBACK;
-- not even the tables' owner
BEGIN;
GRANT USAGE ON SCHEMA dp_agg TO ledger_owner;
ALTER TABLE dp_agg.ledger OWNER TO ledger_owner;
SET ROLE ledger_owner;
DELETE FROM dp_agg.ledger;
ROLLBACK;

\echo whoever tampers with it is found out
CREATE FUNCTION problems(tampering text) RETURNS TABLE (id bigint, problem text)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE tampering;
	RETURN QUERY SELECT * FROM dp_agg.verify_ledger() v ORDER BY v.id, v.problem;
END $$;
-- every column of a row, one after the other
CREATE FUNCTION tamper_column(name text, value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	SELECT string_agg(p.id || ': ' || p.problem, '; ') INTO found
		FROM problems(format('UPDATE dp_agg.ledger SET %I = %s WHERE id = 4', name, value)) p
		WHERE p.problem LIKE 'hash%';
	RAISE EXCEPTION USING message = coalesce(found, 'nothing found');
EXCEPTION WHEN raise_exception THEN
	RETURN SQLERRM;
END $$;
SELECT name, tamper_column(name, value) FROM (VALUES
	('at', 'at + interval ''1 microsecond'''), ('event', '''refusal'''), ('role', '''ledger_ann'''),
	('dataset', '''other'''), ('budget', '1'), ('payer', '''ledger_ann'''), ('payer', 'NULL'), ('cap', '1'),
	('admitted', 'false'), ('admitted', 'NULL'), ('statement', '''SELECT 1'''), ('statement', ''''''),
	('releases', 'jsonb_set(releases, ''{0,where}'', ''"true"'')'), ('curve', 'ARRAY[1.0]'), ('pure_epsilon', '0.4999999999999999'),
	('delta', '1e-300'), ('epsilon_limit', '3'), ('delta_limit', '0'), ('epsilon_spent', '0'),
	('delta_spent', '1'), ('cap_epsilon_spent', '0'), ('cap_delta_spent', '0'), ('hash', 'sha256(''x'')'), ('hash', ''''''), ('hash', 'hash || ''\x00''')) v (name, value);
-- a curve, too, where a row has one
BEGIN; SELECT * FROM problems('UPDATE dp_agg.ledger SET curve = curve[1:63] || 1e-300 WHERE id = 1') WHERE problem LIKE 'hash%'; ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.ledger SET curve = (''[2:67]='' || curve::text)::float8[] WHERE id = 1') WHERE problem LIKE 'hash%'; ROLLBACK;
-- and the row after one whose hash was changed alone
BEGIN; SELECT * FROM problems('UPDATE dp_agg.ledger SET hash = sha256(hash) WHERE id = 4'); ROLLBACK;

\echo what a row says must make sense too, if somebody computes the chain anew
CREATE FUNCTION tamper_row(tampering text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	SELECT string_agg(coalesce(p.id::text, 'budgets') || ': ' || p.problem, '; ') INTO found
		FROM problems('UPDATE dp_agg.ledger SET ' || tampering) p WHERE p.problem NOT LIKE 'hash%';
	RAISE EXCEPTION USING message = coalesce(found, 'nothing found');
EXCEPTION WHEN raise_exception THEN
	RETURN split_part(SQLERRM, ';', 1);
END $$;
SELECT tampering, tamper_row(tampering) FROM (VALUES
	('cap = 99 WHERE id = 7'), ('cap = NULL WHERE id = 8'), ('admitted = false WHERE id = 4'), ('admitted = NULL WHERE id = 4'),
	('admitted = true WHERE id = 5'), ('curve = ARRAY[0.1] WHERE id = 5'), ('releases = NULL WHERE id = 5'),
	('releases = ''{}'' WHERE id = 5'), ('releases = ''[]'' WHERE id = 5'), ('releases = ''[1]'' WHERE id = 5'), ('pure_epsilon = NULL WHERE id = 5'),
	('pure_epsilon = ''NaN'' WHERE id = 5'), ('delta = NULL WHERE id = 5'), ('delta = ''Infinity'' WHERE id = 5'),
	('event = ''present'' WHERE id = 5'), ('budget = NULL WHERE id = 5'), ('budget = 99 WHERE id = 5'),
	('pure_epsilon = 0.25 WHERE id = 1'), ('curve = NULL WHERE id = 1'), ('curve[3] = -1 WHERE id = 1'),
	('curve[3] = ''NaN'' WHERE id = 1'), ('curve = curve[1:63] WHERE id = 1'), ('curve[3] = 1e-8 WHERE id = 1'), ('epsilon_limit = NULL WHERE id = 1'),
	('delta_limit = NULL WHERE id = 1'), ('releases = NULL WHERE id = 1'),
	('pure_epsilon = 0 WHERE id = 6'), ('pure_epsilon = 0.125 WHERE id = 9'), ('pure_epsilon = NULL WHERE id = 9'),
	('releases = jsonb_set(releases, ''{refusals}'', ''0'') WHERE id = 9'), ('releases = NULL WHERE id = 9'),
	('pure_epsilon = 0 WHERE id = 11')) t (tampering);

\echo rows removed, reordered, inserted
BEGIN; SELECT * FROM problems('DELETE FROM dp_agg.ledger WHERE id = 1'); ROLLBACK;
BEGIN; SELECT * FROM problems('DELETE FROM dp_agg.ledger WHERE id IN (4, 5)'); ROLLBACK;
BEGIN; SELECT * FROM problems('DELETE FROM dp_agg.ledger WHERE id = 11'); ROLLBACK;
BEGIN; SELECT * FROM problems('DELETE FROM dp_agg.ledger WHERE id >= 10'); ROLLBACK;
BEGIN; SELECT * FROM problems('DELETE FROM dp_agg.ledger'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.ledger SET id = 9 - id + 10000 WHERE id IN (4, 5); UPDATE dp_agg.ledger SET id = id - 10000 WHERE id > 10000'); ROLLBACK;
BEGIN; SELECT * FROM problems('INSERT INTO dp_agg.ledger SELECT 12, at, event, role, dataset, budget, payer, cap, admitted, statement, releases, curve, pure_epsilon, delta, epsilon_limit, delta_limit, epsilon_spent, delta_spent, cap_epsilon_spent, cap_delta_spent, hash FROM dp_agg.ledger WHERE id = 10'); ROLLBACK;

\echo budgets and caps that are not what the ledger adds up to
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET pure_spent = pure_spent - 0.1 WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET rdp_spent[64] = 0 WHERE number = 1'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET variance_spent = variance_spent / 2 WHERE number = 1'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET coarseness = 0 WHERE number = 1'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET delta_spent = 1e-9 WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET statements = 0 WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET refusals = 0 WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET entries = 0 WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET epsilon_limit = 9 WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET delta_limit = delta_limit * 2 WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET variance_share = 0.9, renyi_share = 0 WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET weights[1] = weights[1] / 2 WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET refresh = ''1 day'', period_began = now() WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET dataset = ''other'' WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET role = ''ledger_reader'' WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET weights = NULL WHERE false; UPDATE dp_agg.budget SET rdp_spent = rdp_spent[1:3] WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('DELETE FROM dp_agg.budget WHERE number = 2'); ROLLBACK;
BEGIN; SELECT * FROM problems('DELETE FROM dp_agg.budget WHERE number = 2; SELECT dp_agg.set_budget(''ledger_bob'', 3, 1e-6)'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET pure_spent = 0 WHERE role::oid = 0'); ROLLBACK;
BEGIN; SELECT * FROM problems('DELETE FROM dp_agg.budget WHERE role::oid = 0'); ROLLBACK;
BEGIN; SELECT * FROM problems('UPDATE dp_agg.budget SET role = ''ledger_reader'' WHERE role::oid = 0'); ROLLBACK;
-- one beside another of its number
BEGIN; SELECT * FROM problems('ALTER ROLE ledger_ann RENAME TO ledger_former; INSERT INTO dp_agg.budget SELECT b.* FROM dp_agg.budget a, LATERAL (SELECT (jsonb_populate_record(a, jsonb_build_object(''role'', ''ledger_reader''))).*) b WHERE a.number = 1'); ROLLBACK;
SELECT * FROM dp_agg.verify_ledger();

\echo roles may be renamed, and go
ALTER ROLE ledger_bob RENAME TO ledger_robert;
SELECT * FROM dp_agg.verify_ledger();
SELECT test_charge('ledger_robert', 'default', 0.001);
SELECT role, payer FROM dp_agg.ledger ORDER BY id DESC LIMIT 1;
SELECT * FROM dp_agg.verify_ledger();

\echo a ledger without an end is not continued
CREATE TABLE kept AS SELECT id, hash FROM dp_agg.ledger WHERE id = 12;
UPDATE dp_agg.ledger SET hash = '' WHERE id = 12;
SELECT test_charge('ledger_robert', 'default', 0.001);
SELECT dp_agg.reset_budget('ledger_ann');
UPDATE dp_agg.ledger l SET hash = k.hash FROM kept k WHERE l.id = k.id;
SELECT dp_agg.drop_budget('ledger_robert'), dp_agg.drop_dataset_cap('default');
SELECT dp_agg.set_budget('ledger_robert', 1, 1e-6);
SELECT * FROM dp_agg.verify_ledger();

\echo old rows give way to a checkpoint
SELECT dp_agg.compact_ledger('-infinity');
SELECT dp_agg.compact_ledger((SELECT at FROM dp_agg.ledger WHERE id = 5));
SELECT id, event, releases -> 'through' AS through, jsonb_array_length(releases -> 'budgets') AS budgets
	FROM dp_agg.ledger WHERE event = 'checkpoint' OR id < 7 ORDER BY id;
SELECT * FROM dp_agg.verify_ledger();
-- of two checkpoints the newer counts
SELECT dp_agg.compact_ledger((SELECT at FROM dp_agg.ledger WHERE id = 8));
SELECT * FROM dp_agg.verify_ledger();
SELECT test_charge('ledger_robert', 'default', 0.5), test_charge('ledger_ann', 'default', 0.5);
SELECT dp_agg.compact_ledger('infinity') > 0 AS compacted;
SELECT count(*), min(id) = max(id) - 1 AS newest_and_checkpoint FROM dp_agg.ledger;
SELECT * FROM dp_agg.verify_ledger();
SELECT test_charge('ledger_ann', 'default', 0.125);
SELECT dp_agg.compact_ledger('infinity') > 0 AS compacted;
SELECT * FROM dp_agg.verify_ledger();
BEGIN;
SELECT count(*) > 0 AS found FROM problems('UPDATE dp_agg.ledger SET releases = jsonb_set(releases, ''{budgets,0,pure}'', ''0'') WHERE event = ''checkpoint''');
ROLLBACK;
BEGIN;
SELECT count(*) > 0 AS found FROM problems('DELETE FROM dp_agg.ledger WHERE event = ''checkpoint''');
ROLLBACK;
-- what does not verify is not removed
SELECT test_charge('ledger_ann', 'default', 0.125);
SELECT test_charge('ledger_ann', 'default', 0.0625);
BEGIN;
UPDATE dp_agg.ledger SET pure_epsilon = 0 WHERE id = (SELECT min(id) FROM dp_agg.ledger);
SELECT dp_agg.compact_ledger('infinity');
ROLLBACK;

\echo an administrator exports it
COPY (SELECT event, role, dataset, admitted FROM dp_agg.ledger WHERE admitted ORDER BY id LIMIT 1) TO stdout (FORMAT csv, HEADER);
COPY (SELECT to_jsonb(l) - 'curve' - 'hash' - 'at' - 'id' - 'releases' FROM dp_agg.ledger l WHERE admitted ORDER BY id LIMIT 1) TO stdout;

\echo a cap set again keeps what is spent
SELECT dp_agg.set_dataset_cap('again', 1, 1e-6), dp_agg.set_budget('ledger_ann', 1, 1e-6, 'again');
SELECT test_charge('ledger_ann', 'again', 0.5);
SELECT dp_agg.set_dataset_cap('again', 2, 1e-6);
SELECT tamper_row(format('pure_epsilon = 0 WHERE id = %s', max(id))) LIKE '%: spent amounts are not what the ledger adds up to' AS found FROM dp_agg.ledger;
SELECT dp_agg.drop_budget('ledger_ann', 'again');
SELECT tamper_row(format('budget = budget + 1000 WHERE id = %s', max(id))) LIKE '%: its budget was never set' AS found FROM dp_agg.ledger;

\echo a budget is missed while there is a role of its name: dumps leave out those of roles that are gone
CREATE ROLE ledger_gone;
SELECT dp_agg.set_budget('ledger_gone', 1, 0);
BEGIN;
DELETE FROM dp_agg.budget WHERE role = 'ledger_gone'::regrole;
SELECT problem LIKE '%is gone, but was not dropped' AS missed FROM dp_agg.verify_ledger();
ALTER ROLE ledger_gone RENAME TO ledger_else;
SELECT * FROM dp_agg.verify_ledger();
ROLLBACK;

\echo text does not move from column to column
CREATE ROLE U&"ledger\0001ann";
SELECT dp_agg.set_budget(U&'"ledger\0001ann"', 1, 0, 'set');
SELECT test_charge(U&'"ledger\0001ann"', 'set', 0.5);
BEGIN;
SELECT p.problem FROM (SELECT max(id) AS id FROM dp_agg.ledger) l,
	problems(format('UPDATE dp_agg.ledger SET role = ''ledger'', dataset = %L WHERE id = %s', U&'ann\0001set', l.id)) p
	WHERE p.id = l.id AND p.problem LIKE 'hash%';
ROLLBACK;

-- nor a number, from one that says nothing
BEGIN;
SELECT p.problem FROM (SELECT max(id) AS id FROM dp_agg.ledger WHERE event = 'set' AND payer IS NULL) l,
	problems(format('UPDATE dp_agg.ledger SET budget = NULL, cap = budget WHERE id = %s', l.id)) p
	WHERE p.id = l.id AND p.problem LIKE 'hash%';
ROLLBACK;

\echo what is tampered with does not pass for lost with its budget
SELECT test_charge('ledger_ann', 'default', 0.03125);
DELETE FROM dp_agg.ledger WHERE id = (SELECT max(id) FROM dp_agg.ledger);
SELECT dp_agg.reset_budget('ledger_ann');
SELECT problem FROM dp_agg.verify_ledger();
SELECT test_charge('ledger_robert', 'default', 9);
DELETE FROM dp_agg.ledger WHERE id = (SELECT max(id) FROM dp_agg.ledger);
SELECT dp_agg.drop_budget('ledger_robert');
SELECT problem FROM dp_agg.verify_ledger();

\echo the chain goes on from where it ends, whatever the keeper saw before
SELECT test_charge('ledger_ann', 'default', 0.03125) AS one, test_charge('ledger_ann', 'default', 0.03125) AS two;
SELECT max(id) AS last FROM dp_agg.ledger \gset
DELETE FROM dp_agg.ledger WHERE id > :last - 2;
SELECT test_charge('ledger_ann', 'default', 0.03125);
SELECT max(id) - :last AS next FROM dp_agg.ledger;

\echo an act is entered if what it did stands, whatever was undone beside it
BEGIN;
SELECT dp_agg.set_budget('ledger_ann', 1, 0, 'nested');
SAVEPOINT outer_one;
SAVEPOINT inner_one;
SELECT dp_agg.reset_budget('ledger_ann', 'nested');
RELEASE inner_one;
ROLLBACK TO outer_one;
COMMIT;
SELECT event FROM dp_agg.ledger WHERE dataset = 'nested' ORDER BY id;
SELECT dp_agg.drop_budget('ledger_ann', 'nested');

\echo a chain that holds is not removed if what it says does not
TRUNCATE dp_agg.ledger;
SELECT test_charge('ledger_ann', 'default', 0.03125);
SELECT test_charge('ledger_ann', 'default', 0.03125);
SELECT dp_agg.compact_ledger('infinity');

\echo an act and its ledger may go together
SET client_min_messages = warning;
DROP TABLE kept;
DROP FUNCTION problems, tamper_column, tamper_row;
DROP EXTENSION charge;
BEGIN;
SELECT dp_agg.reset_budget('ledger_ann');
DROP EXTENSION dp_agg;
COMMIT;
DROP ROLE ledger_ann, ledger_robert, ledger_gone, ledger_owner, ledger_reader, U&"ledger\0001ann";
