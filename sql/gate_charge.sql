--
-- gate_charge: what is charged stays charged, whatever becomes of the
-- statement, its transaction or its answer
--
\set VERBOSITY sqlstate
CREATE EXTENSION dp_agg;
CREATE ROLE charge_analyst;
CREATE SCHEMA charge AUTHORIZATION charge_analyst;
SET search_path = charge, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 2, i FROM generate_series(1, 100) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget('charge_analyst', 1000, 1e-6);
SET ROLE charge_analyst;

-- Adding k statements at epsilon 1, each one count: pure epsilon is the sum.
CREATE FUNCTION charged(OUT statements bigint, OUT refusals bigint, OUT epsilon numeric)
LANGUAGE sql AS
$$ SELECT statements, refusals, round(epsilon_spent::numeric, 6) FROM dp_agg.budgets $$;
CREATE FUNCTION count_people() RETURNS bigint LANGUAGE plpgsql AS
$$ BEGIN RETURN (SELECT dp_count(*) FROM people); END $$;
SET dp_agg.epsilon = 1;
\pset format unaligned
\pset tuples_only on

-- answers are noise about 100, of deviation 1.4: within 60 but for a chance of 1e-26
\echo an ordinary statement
SELECT abs(dp_count(*) - 100) <= 60 FROM people;
SELECT * FROM charged();

\echo rolled back
BEGIN;
SELECT abs(dp_count(*) - 100) <= 60 FROM people;
SELECT * FROM charged();
ROLLBACK;
SELECT * FROM charged();

\echo rolled back to a savepoint
BEGIN;
SAVEPOINT s;
SELECT abs(dp_count(*) - 100) <= 60 FROM people;
ROLLBACK TO s;
SELECT * FROM charged();
COMMIT;
SELECT * FROM charged();

\echo swallowed by an exception block
DO $$
BEGIN
	PERFORM dp_count(*) FROM people;
	RAISE division_by_zero;
EXCEPTION WHEN division_by_zero THEN
	NULL;
END $$;
SELECT * FROM charged();

\echo failing above the release
SELECT ntile((dp_count(*) * 0)::int) OVER () FROM people;
SELECT * FROM charged();
SELECT count_people() / 0 > 0;
SELECT * FROM charged();

\echo timed out above the release
SET statement_timeout = 2000;
SELECT abs(dp_count(*) - 100) <= 60, pg_sleep(60) FROM people;
SET statement_timeout = 0;
SELECT * FROM charged();

\echo no row of the answer asked for: nothing is read, and nothing charged
SELECT dp_count(*) FROM people LIMIT 0;
SELECT * FROM charged();
SELECT * FROM (SELECT dp_count(*) FROM people) s WHERE false;
SELECT * FROM charged();
\echo no row of the answer wanted, of those that are read
SELECT dp_count(*) FROM people OFFSET 1;
SELECT * FROM charged();
SELECT count(*) FROM (SELECT dp_count(*) FROM people) s;
SELECT * FROM charged();

\echo a cursor never fetched from
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM people;
SELECT * FROM charged();
CLOSE c;
COMMIT;
SELECT * FROM charged();

\echo a cursor fetched from: charged once, at the first fetch
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT abs(dp_count(*) - 100) <= 60 FROM people;
FETCH c;
SELECT * FROM charged();
MOVE ABSOLUTE 0 c;
FETCH c;
COMMIT;
SELECT * FROM charged();

\echo a cursor that dies with its savepoint, fetched from and not
BEGIN;
SAVEPOINT s;
DECLARE c CURSOR FOR SELECT abs(dp_count(*) - 100) <= 60 FROM people;
FETCH c;
ROLLBACK TO s;
FETCH c;
ROLLBACK;
SELECT * FROM charged();
BEGIN;
SAVEPOINT s;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM people;
ROLLBACK TO s;
FETCH c;
ROLLBACK;
SELECT * FROM charged();

\echo a read only transaction
BEGIN READ ONLY;
SELECT abs(dp_count(*) - 100) <= 60 FROM people;
COMMIT;
SELECT * FROM charged();
SET default_transaction_read_only = on;
SELECT abs(dp_count(*) - 100) <= 60 FROM people;
RESET default_transaction_read_only;
SELECT * FROM charged();

\echo an old snapshot, in which the charge itself cannot be seen
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT abs(dp_count(*) - 100) <= 60 FROM people;
SELECT * FROM charged();
SELECT abs(dp_count(*) - 100) <= 60 FROM people;
COMMIT;
SELECT * FROM charged();

\echo two phases, rolled back in the second
BEGIN;
CREATE TABLE answer AS SELECT dp_count(*) AS people FROM people;
PREPARE TRANSACTION 'charge answer';
SELECT * FROM charged();
ROLLBACK PREPARED 'charge answer';
SELECT * FROM charged();

\echo serializable: refused, free
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT dp_count(*) FROM people;
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT dp_count(*) FROM people;
ROLLBACK;
SET default_transaction_isolation = serializable;
SELECT dp_count(*) FROM people;
RESET default_transaction_isolation;
SELECT * FROM charged();

\echo several blocks: one statement, the sum of their costs
SELECT a BETWEEN 40 AND 160 AND b BETWEEN 40 AND 160
	FROM (SELECT dp_count(*) FROM people) AS first (a),
		 (SELECT dp_count(*) FROM people) AS second (b);
SELECT * FROM charged();

\echo several statements in one message: each for itself
SELECT count(*) FROM (SELECT dp_count(*) FROM people) s \; SELECT count(*) FROM (SELECT dp_count(*) FROM people) s;
SELECT * FROM charged();

-- the ledger has a row for each, and adds up
RESET ROLE;
SELECT count(*), count(*) FILTER (WHERE admitted), round(sum(pure_epsilon)::numeric, 6)
	FROM dp_agg.ledger WHERE role = 'charge_analyst' AND admitted IS NOT NULL;
SELECT count(*) FROM dp_agg.ledger
	WHERE admitted AND releases @> '[{"releases": [{"aggregate": "dp_count(*)", "mechanism": "laplace", "epsilon": 1}]}]';

SET client_min_messages = warning;
DROP SCHEMA charge CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE charge_analyst;
