--
-- planning: how large releases may be, and how many more fit
--
CREATE EXTENSION dp_agg;
CREATE EXTENSION charge;
CREATE ROLE plan_ann;
CREATE ROLE plan_bob;
CREATE ROLE plan_team;
CREATE ROLE plan_member IN ROLE plan_team;
CREATE TABLE plan_people AS SELECT n AS id FROM generate_series(1, 100) n;
SELECT dp_agg.protect('plan_people', 'id');

\echo pure budgets are shared out in full
SELECT dp_agg.set_budget('plan_ann', 1, 0);
SELECT n, dp_agg.plan('plan_ann', 'default', n) AS epsilon FROM (VALUES (1), (2), (5), (10), (100)) v (n);
SELECT epsilon, dp_agg.remaining('plan_ann', 'default', epsilon) AS n FROM (VALUES (2), (1), (0.5), (0.3), (0.1)) v (epsilon);
SELECT dp_agg.plan('plan_ann', 'default', 1, 'gaussian'), dp_agg.remaining('plan_ann', 'default', 0.1, 'gaussian');

\echo what is planned fits, and no more
CREATE FUNCTION spend(epsilon float8, mechanism text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint := 0;
BEGIN
	PERFORM set_config('dp_agg.mechanism', mechanism, true), set_config('dp_agg.epsilon', epsilon::text, true);
	LOOP
		PERFORM dp_count(*) FROM plan_people;
		n := n + 1;
	END LOOP;
EXCEPTION WHEN configuration_limit_exceeded THEN
	RETURN n;
END $$;
CREATE FUNCTION spend_as_planned(n int, plan_mechanism text) RETURNS TABLE (fitted bigint, foretold bigint)
LANGUAGE plpgsql AS $$
DECLARE
	epsilon float8 := dp_agg.plan(current_user::regrole, 'default', n, plan_mechanism);
BEGIN
	foretold := dp_agg.remaining(current_user::regrole, 'default', epsilon, plan_mechanism);
	fitted := spend(epsilon, plan_mechanism);
	RETURN NEXT;
END $$;
SET ROLE plan_ann;
SELECT * FROM spend_as_planned(7, 'laplace');
SELECT coalesce(dp_agg.plan('plan_ann', 'default', 1), 0) < 1e-6 AS next_to_nothing_left;
RESET ROLE;
SELECT dp_agg.reset_budget('plan_ann'), dp_agg.set_budget('plan_ann', 1, 1e-6);
SET ROLE plan_ann;
SELECT * FROM spend_as_planned(40, 'laplace');
RESET ROLE;
SELECT dp_agg.reset_budget('plan_ann');
SET ROLE plan_ann;
SELECT * FROM spend_as_planned(40, 'gaussian');
RESET ROLE;
SELECT dp_agg.reset_budget('plan_ann');
-- more than the same total loss, where there is a delta
SELECT dp_agg.plan('plan_ann', 'default', 1000) > 5 * 0.001 AS better_than_basic,
	dp_agg.plan('plan_ann', 'default', 1000, 'gaussian') > dp_agg.plan('plan_ann', 'default', 1000) AS gaussian_better;

\echo caps and pools count
SELECT dp_agg.set_budget('plan_bob', 1, 0), dp_agg.set_budget('plan_team', 1, 0);
SELECT dp_agg.set_dataset_cap('default', 0.5, 0);
SELECT dp_agg.plan('plan_bob', 'default', 5), dp_agg.remaining('plan_bob', 'default', 0.1);
SELECT dp_agg.plan('plan_member', 'default', 5);
SELECT dp_agg.drop_dataset_cap('default');
SELECT dp_agg.plan('plan_member', 'default', 5);
SELECT statements FROM dp_agg.budgets WHERE role = 'plan_bob'::regrole;

\echo what a load would cost, by the filter and exactly
SELECT admitted, round(epsilon_enforced::numeric, 6) AS enforced, epsilon_exact BETWEEN 0.4999 AND 1.01 * 0.5 AS exact
	FROM dp_agg.what_if('plan_bob', 'default', 5, 0.1);
SELECT admitted, round(epsilon_enforced::numeric, 3) AS enforced, round(epsilon_exact::numeric, 2) AS exact,
	epsilon_exact / dp_accountant.pld_discrete_laplace(1 / 0.01, 1, n, 1e-6) BETWEEN 0.99 AND 1.01 AS as_by_pld
	FROM unnest(ARRAY[50, 517, 518]) n, dp_agg.what_if('plan_ann', 'default', n, 0.01);
SELECT n = dp_agg.remaining('plan_ann', 'default', 0.01, 'gaussian') AS last, admitted,
	epsilon_enforced <= 1 AS within, epsilon_exact BETWEEN 0.9 * epsilon_enforced AND 0.99 * epsilon_enforced AS adaptivity_costs
	FROM dp_agg.remaining('plan_ann', 'default', 0.01, 'gaussian') most, unnest(ARRAY[most, most + 1]) n,
		dp_agg.what_if('plan_ann', 'default', n::int, 0.01, 'gaussian') ORDER BY n;
-- what is spent, and the cap, tell whether it fits now, not what it costs
SELECT test_charge('plan_bob', 'default', 0.75);
SELECT admitted, round(epsilon_enforced::numeric, 6) AS enforced FROM dp_agg.what_if('plan_bob', 'default', 1, 0.5);
SELECT dp_agg.set_budget('plan_bob', 2, 0), dp_agg.set_dataset_cap('default', 1.25, 0);
SELECT admitted FROM unnest(ARRAY[0.5, 0.625]) e, dp_agg.what_if('plan_bob', 'default', 1, e) ORDER BY e;
SELECT dp_agg.drop_dataset_cap('default');
SELECT statements, refusals FROM dp_agg.budgets WHERE role = 'plan_bob'::regrole;

\echo who may ask
SET ROLE plan_bob;
SELECT admitted FROM dp_agg.what_if('plan_bob', 'default', 1, 0.1);
SELECT * FROM dp_agg.what_if('plan_ann', 'default', 1, 0.1);
SELECT dp_agg.plan('plan_bob', 'default', 4);
SELECT dp_agg.plan('plan_ann', 'default', 4);
SELECT dp_agg.remaining('plan_ann', 'default', 0.1);
SET ROLE plan_member;
SELECT dp_agg.plan('plan_team', 'default', 4);
RESET ROLE;

\echo arguments
SELECT dp_agg.plan('plan_ann', 'default', 0);
SELECT dp_agg.plan('plan_ann', 'default', 1, 'exponential');
SELECT dp_agg.plan('plan_ann', 'elsewhere', 1);
SELECT dp_agg.plan(4000000000::oid::regrole, 'default', 1);
SELECT dp_agg.remaining('plan_ann', 'default', 0);
SELECT dp_agg.remaining('plan_ann', 'default', 'NaN');
SELECT dp_agg.remaining('plan_ann', 'default', 1e9);
SELECT dp_agg.what_if('plan_ann', 'default', 0, 0.1);
SELECT dp_agg.what_if('plan_ann', 'default', 1, 0);
SELECT dp_agg.what_if('plan_ann', 'default', 1, 0.1, 'exponential');
SELECT dp_agg.what_if('plan_ann', 'elsewhere', 1, 0.1);

SET client_min_messages = warning;
DROP TABLE plan_people;
DROP FUNCTION spend, spend_as_planned;
DROP EXTENSION charge;
DROP EXTENSION dp_agg;
DROP ROLE plan_ann, plan_bob, plan_team, plan_member;
