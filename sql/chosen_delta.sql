--
-- delta chosen from the budget: a thousandth of what it has for private groups
--
CREATE EXTENSION dp_agg;
CREATE ROLE delta_ann;
CREATE ROLE delta_bob;
CREATE ROLE delta_team;
CREATE ROLE delta_member IN ROLE delta_team;
CREATE TABLE delta_people (id int PRIMARY KEY, city text);
INSERT INTO delta_people SELECT n, 'city ' || n % 3 FROM generate_series(1, 300) n;
SELECT dp_agg.protect('delta_people', 'id');
SELECT dp_agg.set_budget('delta_ann', 10, 1e-6), dp_agg.set_budget('delta_team', 10, 1e-5);
\set city 'SELECT city, dp_count(*) FROM delta_people GROUP BY city'
CREATE VIEW price AS SELECT delta::real FROM dp_agg.price('SELECT city, dp_count(*) FROM delta_people GROUP BY city');
GRANT SELECT ON price TO PUBLIC;

\echo that of the tests is set, the default is zero
SHOW dp_agg.delta;
SELECT boot_val, min_val FROM pg_settings WHERE name = 'dp_agg.delta';
SET dp_agg.delta = 1e-31;
SET dp_agg.delta = -1;
SET dp_agg.delta = 0;

\echo a thousandth of a tenth, of the own budget or the pool; the rule is in EXPLAIN and plan
SET ROLE delta_ann;
TABLE price;
EXPLAIN (COSTS OFF) :city;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM delta_people;
SELECT dp_agg.plan('delta_ann', 'default', 10);
SET ROLE delta_member;
TABLE price;
SELECT dp_agg.plan('delta_team', 'default', 10);
RESET ROLE;

\echo it is what is charged, whatever was spent before: a statement costs the same each time
SET ROLE delta_ann;
SELECT count(*) FROM (:city) v;
SELECT count(*) FROM (:city) v;
TABLE price;
RESET ROLE;
SELECT delta, delta_spent FROM dp_agg.ledger WHERE role = 'delta_ann' AND admitted ORDER BY id;

\echo of Gaussian noise it is the same
SET ROLE delta_ann;
SET dp_agg.mechanism = gaussian;
SELECT aggregate, delta FROM dp_agg.price('SELECT city, dp_count(*) FROM delta_people GROUP BY city');
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM delta_people;
SELECT dp_agg.plan('delta_ann', 'default', 10, 'gaussian') > 0 AS planned;
RESET dp_agg.mechanism;

\echo a delta that is set is as it is set, and nothing is said of the rule
SET dp_agg.delta = 1e-12;
TABLE price;
EXPLAIN (COSTS OFF) :city;
SELECT dp_agg.plan('delta_ann', 'default', 10) > 0 AS planned;
SET dp_agg.delta = 0;
RESET ROLE;

\echo the cap, if it is less; the share of private groups counts, and there is a limit
SELECT dp_agg.set_dataset_cap('default', 20, 1e-7);
SET ROLE delta_ann;
TABLE price;
RESET ROLE;
SELECT dp_agg.drop_dataset_cap('default');
SELECT dp_agg.set_budget('delta_bob', 10, 1e-6, partition_share => 0.5);
SET ROLE delta_bob;
TABLE price;
RESET ROLE;
SELECT dp_agg.set_budget('delta_bob', 10, 0.5);
SET ROLE delta_bob;
TABLE price;
RESET ROLE;

\echo a budget without delta has none to choose from: the statement is priced, and refused
SELECT dp_agg.set_budget('delta_bob', 10, 0);
SET ROLE delta_bob;
TABLE price;
:city;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM delta_people;
RESET ROLE;

\echo a prepared statement follows the budget, and the role
SELECT dp_agg.set_budget('delta_bob', 10, 1e-6);
SET ROLE delta_bob;
PREPARE cities AS SELECT count(*) FROM (:city) v;
EXECUTE cities;
EXECUTE cities;
RESET ROLE;
SELECT dp_agg.set_budget('delta_bob', 10, 1e-7);
SET ROLE delta_bob;
EXECUTE cities;
SET ROLE delta_member;
EXECUTE cities;
RESET ROLE;
SELECT role, delta FROM dp_agg.ledger WHERE role IN ('delta_bob', 'delta_member') AND admitted AND delta > 0 ORDER BY id;

\echo one planned before the limit was lowered, and fetched from afterwards, is planned anew
GRANT EXECUTE ON FUNCTION dp_agg.set_budget TO delta_bob;
SET ROLE delta_bob;
BEGIN;
DECLARE early CURSOR FOR :city;
SELECT dp_agg.set_budget('delta_bob', 10, 1e-8);
FETCH early;
ROLLBACK;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION dp_agg.set_budget FROM delta_bob;

\echo a kept answer is shown again as long as the limits stay
SET ROLE delta_ann;
SET dp_agg.kept_max_age = '1 day';
SELECT kept LIKE 'kept since%' AS kept FROM dp_agg.price('SELECT city, dp_count(*) FROM delta_people GROUP BY city');
RESET ROLE;
SELECT dp_agg.set_budget('delta_ann', 20, 1e-6);
SET ROLE delta_ann;
SELECT kept LIKE 'kept since%' AS kept FROM dp_agg.price('SELECT city, dp_count(*) FROM delta_people GROUP BY city');
RESET ROLE;
SELECT dp_agg.set_budget('delta_ann', 20, 2e-6);
SET ROLE delta_ann;
SELECT kept LIKE 'kept since%' AS kept FROM dp_agg.price('SELECT city, dp_count(*) FROM delta_people GROUP BY city');
RESET dp_agg.kept_max_age;
RESET ROLE;

\echo a thousand such statements fit, and no more
SELECT dp_agg.set_budget('delta_bob', 1e6, 1e-6), dp_agg.reset_budget('delta_bob');
CREATE FUNCTION pg_temp.ask(epsilon float8) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int := 0;
BEGIN
	PERFORM set_config('dp_agg.epsilon', epsilon::text, true);
	LOOP
		PERFORM city, dp_count(*) FROM delta_people GROUP BY city;
		n := n + 1;
		IF n > 1100 THEN RETURN n; END IF;
	END LOOP;
EXCEPTION WHEN configuration_limit_exceeded THEN
	RETURN n;
END $$;
SET ROLE delta_bob;
SET client_min_messages = warning;
SELECT pg_temp.ask(0.01);
RESET client_min_messages;
RESET ROLE;

SET client_min_messages = warning;
DROP VIEW price;
DROP TABLE delta_people;
DROP EXTENSION dp_agg;
DROP ROLE delta_ann, delta_bob, delta_team, delta_member;
