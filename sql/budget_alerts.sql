--
-- thresholds of a budget's use, told of once in a period, and the view for monitoring
--
CREATE EXTENSION dp_agg;
CREATE EXTENSION charge;
CREATE ROLE alerts_ann;
CREATE ROLE alerts_team;
CREATE ROLE alerts_bob IN ROLE alerts_team;
CREATE ROLE alerts_cat IN ROLE alerts_team;
CREATE ROLE alerts_eve;
CREATE ROLE alerts_monitor;
CREATE SCHEMA alerts;
GRANT USAGE, CREATE ON SCHEMA alerts TO PUBLIC;
SET search_path = alerts, public;
CREATE TABLE people (id int PRIMARY KEY, city text);
INSERT INTO people SELECT i, 'city ' || i % 2 FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('people', 'id');
-- what the administrator sees
CREATE VIEW books AS SELECT role, dataset, round(used::numeric, 3) AS used, alert, alerted_at IS NOT NULL AS told, statements, refusals
	FROM dp_agg.budget_use ORDER BY dataset COLLATE "C", role::text COLLATE "C";

\echo the list is of percentages
SHOW dp_agg.budget_alerts;
ALTER SYSTEM SET dp_agg.budget_alerts = '0';
ALTER SYSTEM SET dp_agg.budget_alerts = '50, 100.5';
ALTER SYSTEM SET dp_agg.budget_alerts = '50,';
ALTER SYSTEM SET dp_agg.budget_alerts = '50 80';
ALTER SYSTEM SET dp_agg.budget_alerts = 'nan';
ALTER SYSTEM SET dp_agg.budget_alerts = '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17';
SET dp_agg.budget_alerts = '';

\echo each threshold is told of once, by the charge that comes to it
SELECT dp_agg.set_budget('alerts_ann', 1, 1e-6);
SET ROLE alerts_ann;
SELECT dp_count(1, 0.5) IS NOT NULL AS answered FROM people;
SELECT dp_count(1, 0.3125) IS NOT NULL AS answered FROM people;
SELECT dp_count(1, 0.0625) IS NOT NULL AS answered FROM people;
SELECT dp_count(1, 0.125) IS NOT NULL AS answered FROM people;
SELECT dp_count(1, 0.125) IS NOT NULL AS answered FROM people;
RESET ROLE;
TABLE books;

\echo both at once are one notice
SELECT dp_agg.reset_budget('alerts_ann');
TABLE books;
SET ROLE alerts_ann;
SELECT dp_count(1, 1) IS NOT NULL AS answered FROM people;
RESET ROLE;

\echo a limit that is set anew is told of anew
SELECT dp_agg.set_budget('alerts_ann', 1.125, 1e-6);
TABLE books;
SET ROLE alerts_ann;
SELECT dp_count(1, 0.0625) IS NOT NULL AS answered FROM people;
SELECT dp_count(1, 0.0625) IS NOT NULL AS answered FROM people;
RESET ROLE;

\echo and so is each period
SELECT dp_agg.set_budget('alerts_ann', 1, 1e-6, refresh => '1 microsecond');
TABLE books;
SET ROLE alerts_ann;
SELECT dp_count(1, 0.875) IS NOT NULL AS answered FROM people;
SELECT dp_count(1, 0.875) IS NOT NULL AS answered FROM people;
RESET ROLE;
TABLE books;
SELECT dp_agg.drop_budget('alerts_ann');

\echo what is refused for want of what was spent has used a budget up, if half of it is used
SELECT dp_agg.set_budget('alerts_ann', 1, 1e-6);
SELECT test_charge('alerts_ann', 'default', 0.4375), test_charge('alerts_ann', 'default', 0.75);
TABLE books;
SELECT test_charge('alerts_ann', 'default', 0.125), test_charge('alerts_ann', 'default', 1.5);
TABLE books;
SELECT test_charge('alerts_ann', 'default', 0.75);
TABLE books;
SELECT alerted_at AS first FROM dp_agg.budget_use \gset
SELECT test_charge('alerts_ann', 'default', 0.75), test_charge('alerts_ann', 'default', 0.3125);
SELECT alerted_at = :'first' AS not_again, alert FROM dp_agg.budget_use;
SELECT dp_agg.drop_budget('alerts_ann');

\echo the delta of private groups can be used up first
SELECT dp_agg.set_budget('alerts_ann', 10, 1e-6);
SET ROLE alerts_ann;
SET dp_agg.delta = 9e-8;
SELECT count(*) <= 2 AS answered FROM (SELECT city, dp_count(1, 0.5) FROM people GROUP BY city) s;
RESET dp_agg.delta;
RESET ROLE;
TABLE books;
SELECT dp_agg.drop_budget('alerts_ann');

\echo a pool tells whoever crosses, who sees it
SELECT dp_agg.set_budget('alerts_team', 1, 1e-6), dp_agg.set_budget('alerts_ann', 1, 1e-6);
SET ROLE alerts_bob;
SELECT dp_count(1, 0.75) IS NOT NULL AS answered FROM people;
SET ROLE alerts_cat;
SELECT dp_count(1, 0.0625) IS NOT NULL AS answered FROM people;
SET ROLE alerts_bob;
SELECT dp_count(1, 0.0625) IS NOT NULL AS answered FROM people;
SELECT role, round(used::numeric, 3) AS used, alert FROM dp_agg.budget_use;
RESET ROLE;

\echo a cap tells no role, but whoever sees all
SELECT dp_agg.set_dataset_cap('default', 2, 1e-6);
SET ROLE alerts_ann;
SELECT dp_count(1, 0.75) IS NOT NULL AS answered FROM people;
SELECT dp_count(1, 0.125) IS NOT NULL AS answered FROM people;
SELECT role, round(used::numeric, 3) AS used, alert FROM dp_agg.budget_use;
RESET ROLE;
TABLE books;

\echo nobody sees the use of others, nor what keepers do for them
SET ROLE alerts_eve;
SELECT count(*) FROM dp_agg.budget_use;
SELECT count(*) FROM dp_agg_internal.visible_use();
SELECT has_table_privilege('dp_agg.budget', 'SELECT'), has_table_privilege('dp_agg.ledger', 'SELECT');
SET ROLE alerts_cat;
SELECT role, statements, per_day, statements_left, days_left, keeper_charges, keeper_wait, keeper_commits, keeper_commit_time FROM dp_agg.budget_use;
SET ROLE alerts_ann;
SELECT count(*), count(keeper_charges) FROM dp_agg_internal.visible_use();
SELECT count(*) FROM dp_agg_internal.visible_use() WHERE (budget).role::text <> 'alerts_ann';
RESET ROLE;

\echo one grant lets a role for monitoring see that, and nothing else
GRANT SELECT ON dp_agg.budget TO alerts_monitor;
SET ROLE alerts_monitor;
SELECT role, dataset, statements, alert, keeper_charges > 0 AS charges, keeper_wait > 0 AS waited, keeper_commits > 0 AS commits,
	keeper_commit_time > 0 AND keeper_commit_time <= keeper_wait AS within
	FROM dp_agg.budget_use ORDER BY role::text COLLATE "C";
SELECT count(*) FROM dp_agg.kept;
SELECT count(*) FROM dp_agg.ledger;
SELECT count(*) FROM dp_agg.kept_answer;
SELECT dp_count(*) FROM people;
SELECT count(*) FROM people;
RESET ROLE;

\echo the rest is what dp_agg.remaining says, where all statements cost the same
SELECT dp_agg.drop_dataset_cap('default'), dp_agg.reset_budget('alerts_ann');
SELECT dp_agg.set_budget('alerts_eve', 1, 1e-6);
SELECT count(*) FROM generate_series(1, 5) WHERE test_charge('alerts_eve', 'default', 0.0625);
SELECT u.statements, u.per_day, u.statements_left, u.statements_left = dp_agg.remaining('alerts_eve', 'default', 0.0625) AS as_planned,
	round(u.days_left::numeric, 3) AS days_left
	FROM dp_agg.budget_use u WHERE role = 'alerts_eve'::regrole;
-- not if a new period begins before
SELECT dp_agg.set_budget('alerts_eve', 1, 1e-6, refresh => '1 day');
SELECT statements_left, days_left FROM dp_agg.budget_use WHERE role = 'alerts_eve'::regrole;
SELECT dp_agg.set_budget('alerts_eve', 1, 1e-6, refresh => '30 days');
SELECT statements_left, round(days_left::numeric, 3) AS days_left FROM dp_agg.budget_use WHERE role = 'alerts_eve'::regrole;
-- what was refused costs nothing
SELECT test_charge('alerts_eve', 'default', 0.9375);
SELECT statements_left FROM dp_agg.budget_use WHERE role = 'alerts_eve'::regrole;
-- a row that makes no sense has no use
BEGIN;
UPDATE dp_agg.budget SET orders = '{}' WHERE role = 'alerts_eve'::regrole;
SELECT role, used, alert, statements_left FROM dp_agg.budget_use WHERE role = 'alerts_eve'::regrole;
ROLLBACK;
SELECT * FROM dp_agg.verify_ledger();

SET client_min_messages = warning;
DROP SCHEMA alerts CASCADE;
SELECT dp_agg.drop_budget(role, dataset) FROM dp_agg.budgets;
DROP EXTENSION charge;
DROP EXTENSION dp_agg;
DROP ROLE alerts_ann, alerts_bob, alerts_cat, alerts_team, alerts_eve, alerts_monitor;
