--
-- no budget, no work: who has neither budget nor the right to read is refused before anything is read
--
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE ROLE no_budget_owner;
CREATE ROLE no_budget_none;
CREATE ROLE no_budget_pool;
CREATE ROLE no_budget_member IN ROLE no_budget_pool;
CREATE ROLE no_budget_other;
CREATE ROLE no_budget_columns;
CREATE SCHEMA no_budget;
GRANT ALL ON SCHEMA no_budget TO no_budget_owner, no_budget_none;
GRANT USAGE ON SCHEMA no_budget TO no_budget_member, no_budget_other, no_budget_columns;
SET search_path = no_budget, public;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO no_budget_owner;
SELECT dp_agg.set_budget('no_budget_pool', 100, 1e-3), dp_agg.set_budget('no_budget_other', 100, 1e-3, 'elsewhere');
SET ROLE no_budget_owner;
CREATE TABLE people (id int PRIMARY KEY, age int, smoker bool);
CREATE TABLE towns (name text PRIMARY KEY);
INSERT INTO people SELECT i, i, i % 2 = 0 FROM generate_series(1, 100) i;
CREATE VIEW adults AS SELECT * FROM people WHERE age >= 18;
SELECT dp_agg.protect('people', 'id');
GRANT SELECT ON towns TO PUBLIC;
GRANT SELECT (id, age) ON people TO no_budget_columns;
RESET ROLE;
-- says that it was called: what may not be worked on does not call it
CREATE FUNCTION called() RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'called'; RETURN NEXT 20; END $$;
CREATE FUNCTION folded(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'folded'; RETURN $1; END $$;
CREATE FUNCTION many() RETURNS SETOF bigint STABLE LANGUAGE sql AS 'SELECT count(*) FROM no_budget.people';
CREATE FUNCTION many_by_dp() RETURNS SETOF bigint STABLE LANGUAGE sql AS 'SELECT dp_count(*) FROM no_budget.people';

SET ROLE no_budget_none;
\echo each route
SELECT count(*) FROM people WHERE age IN (SELECT called());
SELECT dp_count(*) FROM people WHERE age IN (SELECT called());
SELECT dp_count(*) FROM people WHERE age > folded(3);
EXPLAIN SELECT count(*) FROM people WHERE age > folded(3);
EXPLAIN SELECT dp_count(*) FROM people;
SELECT * FROM dp_agg.price('SELECT dp_count(*) FROM people');
SELECT count(*) FROM adults;
WITH w AS (SELECT * FROM people) SELECT count(*) FROM w;
SELECT (SELECT count(*) FROM people) FROM towns;
SELECT smoker FROM people GROUP BY smoker;
SELECT DISTINCT smoker FROM people;
SELECT count(*) FROM towns UNION ALL SELECT dp_count(*) FROM people;
SELECT * FROM many();
SELECT * FROM many_by_dp(), called();
SELECT * FROM dp_histogram('people', 'age', 0, 100, 10);
SELECT * FROM dp_histogram('people'::text::regclass, 'age', 0, 100, 10, filter => 'age > no_budget.folded(3)');
EXPLAIN SELECT * FROM dp_linregr('people', 'age', '{}');
SELECT * FROM dp_noisy_max('people', 'age', '{1, 2}');
SELECT * FROM dp_agg.suggest_bounds('people', 'age');
PREPARE asks (int) AS SELECT dp_count(*) FROM people WHERE age > $1;
EXECUTE asks (3);
SET plan_cache_mode = force_generic_plan;
EXECUTE asks (3);
RESET plan_cache_mode;
DO $$ BEGIN PERFORM count(*) FROM no_budget.people; END $$;
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) FROM people;
ROLLBACK;
COPY (SELECT count(*) FROM people) TO STDOUT;
CREATE TABLE taken AS SELECT count(*) FROM people;
CREATE MATERIALIZED VIEW held AS SELECT count(*) FROM people WITH NO DATA;
REFRESH MATERIALIZED VIEW held;
RESET ROLE;
REFRESH MATERIALIZED VIEW no_budget.held;

\echo before what would be refused for its form, and before what takes long
SET ROLE no_budget_none;
SELECT dp_count(*) FROM people, people p, towns, called();
SELECT dp_count(*) FROM people WHERE age IN (SELECT i FROM generate_series(1, 1000000000) i);
DO $$
DECLARE
	started timestamptz := clock_timestamp();
	text text := 'SELECT * FROM no_budget.people';
BEGIN
	-- every reference doubles what is read
	FOR i IN 1 .. 60 LOOP
		text := format('WITH c AS (%s) SELECT a.* FROM c a, c b', text);
	END LOOP;
	BEGIN
		EXECUTE format('SELECT count(*) FROM (%s) x', text);
	EXCEPTION WHEN insufficient_privilege THEN
		RAISE WARNING '%', SQLERRM;
	END;
	RAISE WARNING 'in time: %', clock_timestamp() - started < interval '10 s';
END $$;

\echo what is no question is for PostgreSQL to deny
SELECT * FROM people;
SELECT age FROM people WHERE id = 1 LIMIT 0;
SET dp_agg.plain_aggregates = off;
SELECT count(*) FROM people;
RESET dp_agg.plain_aggregates;
SELECT count(*) FROM towns;
WITH unused AS (SELECT * FROM people) SELECT count(*) FROM towns;

\echo nor is anything worked on without a protected table
SELECT dp_count(*) FROM towns, called() c WHERE c > folded(1);
SELECT dp_count(*) FROM called() c WHERE c > folded(1);
SELECT * FROM dp_histogram('towns', 'name', 0, 100, 10, filter => 'folded(1) = 1');

\echo a budget on another data set is none
SET ROLE no_budget_other;
SELECT count(*) FROM people WHERE age > folded(3);

\echo who may read may have it explained, and is refused by the charge
SET ROLE no_budget_owner;
SELECT epsilon, epsilon_spent_after, admitted FROM dp_agg.price('SELECT dp_count(*) FROM people');
SELECT count(*) FROM people;
SELECT dp_count(*) FROM people;
SET ROLE no_budget_columns;
SELECT count(*) FROM people WHERE age > 0;
SELECT admitted FROM dp_agg.price('SELECT dp_count(*) FROM people WHERE age > 3');
SELECT admitted FROM dp_agg.price('SELECT dp_count(*) FROM people WHERE smoker');

\echo the budget of a pool is one, as long as it is there
SET ROLE no_budget_member;
SELECT admitted FROM dp_agg.price('SELECT dp_count(*) FROM people');
PREPARE pooled AS SELECT dp_count(*) IS NOT NULL AS answered FROM people;
EXECUTE pooled;
RESET ROLE;
REVOKE no_budget_pool FROM no_budget_member;
SET ROLE no_budget_member;
EXECUTE pooled;
SELECT dp_count(*) FROM people WHERE age > folded(3);
RESET ROLE;
SELECT dp_agg.set_budget('no_budget_member', 100, 0);
SET ROLE no_budget_member;
EXECUTE pooled;
SELECT dp_count(*) IS NOT NULL AS answered FROM people;

RESET ROLE;
SELECT count(*) FROM dp_agg.ledger WHERE event <> 'budget' AND role <> 'no_budget_member';
DROP SCHEMA no_budget CASCADE;
DROP EXTENSION dp_agg;
DROP OWNED BY no_budget_owner, no_budget_none;
DROP ROLE no_budget_owner, no_budget_none, no_budget_pool, no_budget_member, no_budget_other, no_budget_columns;
