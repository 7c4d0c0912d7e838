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
-- a period that began is over, or lasts
CREATE FUNCTION shorten() RETURNS void LANGUAGE sql AS $$
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => '1 microsecond')
$$;
CREATE FUNCTION lengthen() RETURNS void LANGUAGE sql AS $$
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => '24 hours')
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
SELECT lengthen();
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT * FROM books();
SELECT shorten();
SELECT * FROM books();
SELECT test_peek('refresh_ann', 'default');
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT lengthen();
SELECT * FROM books();
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT * FROM dp_agg.verify_ledger();

\echo periods that nobody used do not add up
SELECT shorten();
SELECT pg_sleep(0.01);
SELECT test_charge('refresh_ann', 'default', 1.5);
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT lengthen();
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT event, admitted, pure_epsilon, epsilon_spent FROM dp_agg.ledger WHERE id > (SELECT max(id) FROM dp_agg.ledger WHERE event = 'reset') ORDER BY id;
SELECT * FROM dp_agg.verify_ledger();

\echo without refresh there is an end
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6);
SELECT * FROM books();
SELECT test_charge('refresh_ann', 'default', 0.75);
-- and a new beginning is not in the past
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => '1 hour');
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT shorten();
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT * FROM dp_agg.verify_ledger();

\echo whoever moves the beginning of a period is found out
CREATE TABLE began AS SELECT period_began FROM dp_agg.budget;
SELECT lengthen();
UPDATE dp_agg.budget SET period_began = period_began - interval '25 hours';
SELECT * FROM dp_agg.verify_ledger();
SELECT test_charge('refresh_ann', 'default', 0.75);
UPDATE dp_agg.budget SET period_began = began.period_began FROM began;
SELECT test_charge('refresh_ann', 'default', 0.75);
-- and a period that ends early, in the ledger too
BEGIN;
UPDATE dp_agg.ledger SET at = at - interval '1 hour' WHERE id = (SELECT max(id) FROM dp_agg.ledger WHERE event = 'refresh');
SELECT problem FROM dp_agg.verify_ledger() WHERE problem NOT LIKE 'hash%';
ROLLBACK;
SELECT * FROM dp_agg.verify_ledger();

\echo nor does it matter in which time zone who asks lives
-- of half a year, in which one of two hemispheres puts its clocks another way
SELECT dp_agg.set_budget('refresh_ann', 1, 1e-6, refresh => '6 months');
CREATE FUNCTION ends(zone text) RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('timezone', zone, true);
	RETURN (SELECT refreshes_at FROM dp_agg.budgets);
END $$;
SELECT count(DISTINCT ends(zone)) FROM unnest('{UTC,America/New_York,Australia/Sydney}'::text[]) zone;
-- nor when a period ends that began so many minutes from half a year ago
CREATE FUNCTION spent(zone text, minutes int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz := (now() AT TIME ZONE 'UTC' - interval '6 months') AT TIME ZONE 'UTC' + make_interval(mins => minutes);
BEGIN
	PERFORM set_config('timezone', zone, true);
	RETURN (SELECT dp_agg_internal.epsilon_spent(jsonb_populate_record(b, jsonb_build_object('period_began', began))) FROM dp_agg.budget b);
END $$;
SELECT minutes, count(DISTINCT spent(zone, minutes)) FROM unnest('{UTC,America/New_York,Australia/Sydney}'::text[]) zone, unnest('{-30,30}'::int[]) minutes GROUP BY minutes ORDER BY minutes;

\echo the ledger may give way to a checkpoint meanwhile
SELECT lengthen();
SELECT dp_agg.compact_ledger('infinity') > 0 AS removed;
SELECT test_charge('refresh_ann', 'default', 0.75);
UPDATE dp_agg.budget SET period_began = period_began - interval '25 hours';
SELECT * FROM dp_agg.verify_ledger();
SELECT test_charge('refresh_ann', 'default', 0.75);
UPDATE dp_agg.budget SET period_began = began.period_began FROM began;
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT shorten();
SELECT test_charge('refresh_ann', 'default', 0.75);
SELECT * FROM dp_agg.verify_ledger();

\echo a cap never refreshes
SELECT dp_agg.set_dataset_cap('default', 1.25, 1e-6);
SELECT test_charge('refresh_ann', 'default', 0.5);
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
DROP FUNCTION books, shorten, lengthen, ends, spent;
DROP TABLE began;
DROP EXTENSION charge;
DROP EXTENSION dp_agg;
DROP ROLE refresh_ann;
