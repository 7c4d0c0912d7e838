--
-- budgets that serve the members of a role
--
CREATE EXTENSION dp_agg;
CREATE EXTENSION charge;
CREATE ROLE pools_team;
CREATE ROLE pools_other;
CREATE ROLE pools_sub IN ROLE pools_team;
CREATE ROLE pools_ann IN ROLE pools_team;
CREATE ROLE pools_bob IN ROLE pools_sub;
CREATE ROLE pools_cat NOINHERIT IN ROLE pools_team;
CREATE ROLE pools_dan;
CREATE ROLE pools_super SUPERUSER IN ROLE pools_team;
SELECT dp_agg.set_budget('pools_team', 1, 1e-6);

\echo members draw on it, through roles that inherit
SELECT test_charge('pools_ann', 'default', 0.25), test_charge('pools_bob', 'default', 0.125);
SELECT test_charge('pools_team', 'default', 0.125);
SELECT test_charge('pools_cat', 'default', 0.001);
SELECT test_charge('pools_dan', 'default', 0.001);
SELECT test_charge('pools_super', 'default', 0.001);
SELECT test_charge('pools_ann', 'elsewhere', 0.001);
SELECT test_charge('pools_ann', 'default', 0.75);
SELECT role, payer, admitted, pure_epsilon AS cost, epsilon_spent FROM dp_agg.ledger WHERE admitted IS NOT NULL ORDER BY id;

\echo each sees what it draws on
SET ROLE pools_ann;
SELECT role, epsilon_spent, statements, refusals FROM dp_agg.budgets;
SET ROLE pools_bob;
SELECT role, epsilon_spent, statements, refusals FROM dp_agg.budgets;
SET ROLE pools_dan;
SELECT role, epsilon_spent, statements, refusals FROM dp_agg.budgets;
RESET ROLE;
SELECT test_peek('pools_ann', 'default'), test_peek('pools_cat', 'default'), test_peek('pools_dan', 'default');

\echo memberships count as they are
GRANT pools_team TO pools_dan;
SELECT test_charge('pools_dan', 'default', 0.0625);
REVOKE pools_team FROM pools_dan;
SELECT test_charge('pools_dan', 'default', 0.0625);
SELECT test_peek('pools_dan', 'default');
ALTER ROLE pools_cat INHERIT;
REVOKE pools_team FROM pools_cat;
GRANT pools_team TO pools_cat;
SELECT test_charge('pools_cat', 'default', 0.0625);

\echo several pools: none pays
SELECT dp_agg.set_budget('pools_other', 1, 1e-6);
GRANT pools_other TO pools_ann;
SELECT test_charge('pools_ann', 'default', 0.001);
SELECT test_peek('pools_ann', 'default');
SELECT test_charge('pools_bob', 'default', 0.001);
SELECT dp_agg.drop_budget('pools_other');
SELECT test_charge('pools_ann', 'default', 0.001);
-- a pool beneath a pool is another one
SELECT dp_agg.set_budget('pools_sub', 1, 1e-6);
SELECT test_charge('pools_bob', 'default', 0.001);
SELECT test_charge('pools_sub', 'default', 0.001);
SELECT dp_agg.reset_budget('pools_sub'), dp_agg.drop_budget('pools_sub');

\echo a budget of its own comes first, spent or not
SELECT dp_agg.set_budget('pools_ann', 0.25, 0);
SELECT test_charge('pools_ann', 'default', 0.125);
SELECT test_charge('pools_ann', 'default', 0.25);
SELECT role, payer, admitted FROM dp_agg.ledger ORDER BY id DESC LIMIT 2;
SELECT test_peek('pools_ann', 'default'), test_peek('pools_team', 'default');
-- without it the pool would pay for more: not before that is meant
SELECT dp_agg.drop_budget('pools_ann');
BEGIN;
REVOKE pools_team FROM pools_ann;
SELECT dp_agg.drop_budget('pools_ann');
ROLLBACK;
SELECT dp_agg.reset_budget('pools_ann');
SELECT dp_agg.drop_budget('pools_ann');

\echo a cap counts a pool once
SELECT dp_agg.set_dataset_cap('default', 0.75, 1e-6);
SELECT epsilon_spent FROM dp_agg.dataset_caps;
SELECT test_charge('pools_ann', 'default', 0.0625), test_charge('pools_bob', 'default', 0.0625);
SELECT epsilon_spent, statements, refusals FROM dp_agg.dataset_caps;
SELECT * FROM dp_agg.verify_ledger();

\echo a query says nothing else than that it is paid
CREATE TABLE pools_people AS SELECT n AS id FROM generate_series(1, 100) n;
SELECT dp_agg.protect('pools_people', 'id');
SET ROLE pools_bob;
SET dp_agg.epsilon = 0.03125;
SELECT epsilon, admitted FROM dp_agg.price('SELECT dp_count(*) FROM pools_people');
SELECT dp_count(*) IS NOT NULL AS answered FROM pools_people;
SET ROLE pools_ann;
SELECT dp_count(*) FROM pools_people;
RESET ROLE;
SELECT role, payer, event FROM dp_agg.ledger ORDER BY id DESC LIMIT 2;
SELECT * FROM dp_agg.verify_ledger();

SET client_min_messages = warning;
DROP TABLE pools_people;
DROP EXTENSION charge;
DROP EXTENSION dp_agg;
DROP ROLE pools_team, pools_other, pools_sub, pools_ann, pools_bob, pools_cat, pools_dan, pools_super;
