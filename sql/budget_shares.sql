--
-- shares of delta: what a budget begins with, and what stays of that when its limit changes
--
CREATE EXTENSION dp_agg;
CREATE EXTENSION charge;
CREATE ROLE shares_ann;
CREATE ROLE shares_bob;
CREATE ROLE shares_cat;
CREATE VIEW shares AS
	SELECT role, delta_limit, partition_share, variance_share, renyi_share, cardinality(orders) AS orders,
		md5(orders::text || weights::text) AS filter FROM dp_agg.budget WHERE dataset = 'default';

\echo a tenth is for private groups, unless something else is asked for; what is not named has the rest
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6);
SELECT partition_share, variance_share, renyi_share FROM dp_agg.budgets;
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, partition_share => 0.5);
SELECT partition_share, variance_share, renyi_share FROM dp_agg.budgets;
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, variance_share => 0.9);
SELECT partition_share, variance_share, renyi_share FROM dp_agg.budgets;
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, partition_share => 0, renyi_share => 0.25);
SELECT partition_share, variance_share, renyi_share FROM dp_agg.budgets;
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, partition_share => 0.25, variance_share => 0.25, renyi_share => 0.25);
SELECT partition_share, variance_share, renyi_share FROM dp_agg.budgets;
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, partition_share => 1);
SELECT partition_share, variance_share, renyi_share FROM dp_agg.budgets;
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, partition_share => 1.1);
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, variance_share => -0.1);
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, renyi_share => 'NaN');
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, variance_share => 0.5, renyi_share => 0.5);
SELECT dp_agg.set_dataset_cap('default', 1, 1e-6, partition_share => 0.5, variance_share => 0.75);

\echo what private groups may spend is their share, and the two rules need theirs
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6);
SELECT dp_agg.remaining('shares_ann', 'default', 0.01) AS all_rules, dp_agg.remaining('shares_ann', 'default', 0.01, 'gaussian') AS gaussian;
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, variance_share => 0);
SELECT dp_agg.remaining('shares_ann', 'default', 0.01) AS no_variance, dp_agg.remaining('shares_ann', 'default', 0.01, 'gaussian') AS gaussian;
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, renyi_share => 0);
SELECT dp_agg.remaining('shares_ann', 'default', 0.01) AS no_renyi, dp_agg.remaining('shares_ann', 'default', 0.01, 'gaussian') AS gaussian;
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6, partition_share => 1);
SELECT dp_agg.remaining('shares_ann', 'default', 0.01) AS pure_alone, dp_agg.remaining('shares_ann', 'default', 0.01, 'gaussian') AS gaussian;

\echo once something is spent, a limit changes and what it began with does not
SELECT dp_agg.set_budget('shares_ann', 1, 1e-6);
CREATE TABLE began AS SELECT * FROM shares;
SELECT test_charge('shares_ann', 'default', 0.01);
SELECT dp_agg.set_budget('shares_ann', 5, 1e-9);
SELECT s.delta_limit, s.partition_share, s.variance_share, s.renyi_share, s.filter = b.filter AS same_filter FROM shares s, began b;
SELECT dp_agg.set_budget('shares_ann', 5, 1e-9, partition_share => 0.1);
SELECT dp_agg.set_budget('shares_ann', 5, 1e-6, partition_share => 0.2);
SELECT dp_agg.set_budget('shares_ann', 5, 1e-6, variance_share => 0.5);
SELECT dp_agg.set_budget('shares_ann', 5, 1e-6, renyi_share => 0.1);
SELECT epsilon_limit, delta_limit FROM dp_agg.budgets;
-- A budget of the same limits that begins with them has another filter.
SELECT dp_agg.set_budget('shares_bob', 5, 1e-9);
SELECT count(DISTINCT filter) AS filters FROM shares;
-- The other rule does not depend on orders: what it admits follows the limit.
SELECT a::float8 / b BETWEEN 0.99 AND 1 AS as_many FROM dp_agg.remaining('shares_ann', 'default', 0.01, 'gaussian') a, dp_agg.remaining('shares_bob', 'default', 0.01, 'gaussian') b;
SELECT * FROM dp_agg.verify_ledger();
SELECT dp_agg.reset_budget('shares_ann');
SELECT dp_agg.set_budget('shares_ann', 5, 1e-9, partition_share => 0.2);
SELECT partition_share, variance_share, renyi_share FROM dp_agg.budgets WHERE role = 'shares_ann'::regrole;
SELECT dp_agg.set_budget('shares_ann', 5, 1e-9);
SELECT count(DISTINCT filter) AS filters FROM shares;

\echo neither do those of a cap, which begins with what roles have spent
SELECT test_charge('shares_ann', 'default', 0.01), test_charge('shares_bob', 'default', 0.02);
SELECT dp_agg.set_dataset_cap('default', 1, 1e-6, variance_share => 0.5);
SELECT dp_agg.set_dataset_cap('default', 2, 1e-6);
SELECT dp_agg.set_dataset_cap('default', 2, 1e-6, variance_share => 0.4);
SELECT epsilon_limit, partition_share, variance_share, renyi_share FROM dp_agg.dataset_caps;

\echo variances add up, of coarseness the greatest counts, and a period or a reset begins with none
SELECT cap.variance_spent / sum(b.variance_spent) BETWEEN 1 - 1e-12 AND 1 + 1e-12 AS sum, cap.coarseness = max(b.coarseness) AS greatest,
	max(b.variance_spent) / (8 * ln(cosh(0.01))) BETWEEN 1 - 1e-8 AND 1 + 1e-8 AS of_two_hundredths
	FROM dp_agg.budget cap, dp_agg.budget b WHERE cap.role::oid = 0 AND b.role::oid <> 0 GROUP BY cap.variance_spent, cap.coarseness;
SELECT dp_agg.set_budget('shares_cat', 1, 1e-6, refresh => '1 microsecond'), dp_agg.drop_dataset_cap('default');
SELECT test_charge('shares_cat', 'default', 0.01), test_charge('shares_cat', 'default', 0.01);
SELECT c.variance_spent = b.variance_spent / 4 OR abs(c.variance_spent * 4 / b.variance_spent - 1) < 1e-3 AS of_one_charge
	FROM dp_agg.budget c, dp_agg.budget b WHERE c.role = 'shares_cat'::regrole AND b.role = 'shares_bob'::regrole;
SELECT dp_agg.reset_budget('shares_cat');
SELECT variance_spent, coarseness FROM dp_agg.budget WHERE role = 'shares_cat'::regrole;

\echo a row without them has an infinite variance, and goes on by the other rules
SELECT adsrc FROM (SELECT attname, pg_get_expr(adbin, adrelid) AS adsrc FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
	WHERE adrelid = 'dp_agg.budget'::regclass) d WHERE attname = 'variance_spent';
SELECT dp_agg.set_budget('shares_cat', 1, 1e-6);
SELECT dp_agg.remaining('shares_cat', 'default', 0.01, 'gaussian') AS with_variance;
UPDATE dp_agg.budget SET variance_spent = DEFAULT WHERE role = 'shares_cat'::regrole;
SELECT dp_agg.remaining('shares_cat', 'default', 0.01, 'gaussian') AS without;
UPDATE dp_agg.budget SET variance_spent = 0 WHERE role = 'shares_cat'::regrole;

\echo the ledger has it all
SELECT releases - 'orders' - 'weights' AS terms, cardinality(curve) FROM dp_agg.ledger WHERE event = 'set' ORDER BY id DESC LIMIT 1;
SELECT * FROM dp_agg.verify_ledger();
SELECT dp_agg.compact_ledger('infinity') > 0 AS compacted;
SELECT test_charge('shares_bob', 'default', 0.02);
SELECT * FROM dp_agg.verify_ledger();
BEGIN;
UPDATE dp_agg.budget SET variance_spent = variance_spent / 2 WHERE role = 'shares_bob'::regrole;
SELECT problem LIKE '%has not spent what the ledger adds up to' AS found FROM dp_agg.verify_ledger();
ROLLBACK;

SET client_min_messages = warning;
DROP VIEW shares;
DROP TABLE began;
DROP EXTENSION charge;
DROP EXTENSION dp_agg;
DROP ROLE shares_ann, shares_bob, shares_cat;
