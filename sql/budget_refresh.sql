--
-- limits that change, and budgets that refresh
--
CREATE EXTENSION dp_agg;
CREATE EXTENSION charge;
CREATE ROLE refresh_ann;
CREATE FUNCTION books() RETURNS TABLE (epsilon_limit float8, epsilon_spent float8, statements bigint, refusals bigint, refresh interval, due boolean)
LANGUAGE sql AS $$
SELECT epsilon_limit, epsilon_spent, statements, refusals, refresh, refreshes_at <= now() FROM dp_agg.budgets
$$;
-- let time pass: periods begin earlier
CREATE FUNCTION pass(elapsed interval) RETURNS void LANGUAGE sql AS $$
UPDATE dp_agg.budget SET period_began = period_began - elapsed
$$;

\echo limits are raised and lowered, spent amounts are kept
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6);
SELECT test_charge('refresh_ann', 'default', 0.5);
SELECT dp_agg.set_budget('refresh_ann', 2, 1e-6, 'default');
SELECT test_charge('refresh_ann', 'default', 1.25);
SELECT * FROM books();
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6);
SELECT test_charge('refresh_ann', 'default', 0.000001);
SELECT * FROM books();
SELECT dp_agg.set_budget('refresh_ann', 1.875, 0);
SELECT test_charge('refresh_ann', 'default', 0.25);
SELECT test_charge('refresh_ann', 'default', 0.125);
SELECT * FROM books();
SELECT * FROM dp_agg.verify_ledger();

\echo a period passes
SELECT dp_agg.reset_budget('refresh_ann');
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => '24 hours');
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT pass('23 hours');
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT * FROM books();
SELECT pass('1 hour');
SELECT * FROM books();
SELECT test_peek('refresh_ann', 'default');
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT * FROM books();
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT * FROM dp_agg.verify_ledger();

\echo periods that nobody used do not add up
SELECT pass('10 days');
SELECT test_charge('refresh_ann', 'default', 1.5);
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT event, admitted, pure_epsilon, epsilon_spent FROM dp_agg.ledger WHERE id > (SELECT max(id) FROM dp_agg.ledger WHERE event = 'set') ORDER BY id;
SELECT * FROM dp_agg.verify_ledger();

\echo a new limit leaves the period alone, a new length counts from its beginning
SELECT pass('12 hours');
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => '24 hours');
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => '12 hours');
SELECT test_charge('refresh_ann', 'default', 0.75);

\echo without refresh there is an end
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6);
SELECT * FROM books();
SELECT pass('1000 years');
SELECT test_charge('refresh_ann', 'default', 0.75);
-- and a new beginning is not in the past
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => '1 hour');
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT pass('1 hour');
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT * FROM dp_agg.verify_ledger();

\echo a cap never refreshes
SELECT dp_agg.set_dataset_cap('default', 1.25, 1e-6);
SELECT pass('24 hours');
SELECT test_charge('refresh_ann', 'default', 0.5);
SELECT pass('24 hours');
SELECT test_charge('refresh_ann', 'default', 0.5);
SELECT event FROM dp_agg.ledger ORDER BY id DESC LIMIT 2;
SELECT epsilon_spent FROM dp_agg.dataset_caps;
SELECT * FROM dp_agg.verify_ledger();

\echo arguments
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => '0');
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => '-1 day');
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => '1 month -29 days');
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => NULL);
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, 'default', '1 month 1 day 1 second');
SELECT * FROM books();

SET client_min_messages = warning;
DROP FUNCTION books, pass;
DROP EXTENSION charge;
DROP EXTENSION dp_agg;
DROP ROLE refresh_ann;
