--
-- What is asked with no setting at all: Gaussian noise and chosen clamps where the budget has a delta,
-- Laplace noise and chosen clamps where it has none
--
CREATE EXTENSION dp_agg;
CREATE ROLE default_ann;
CREATE ROLE default_pure;
CREATE ROLE default_none;
CREATE ROLE default_team;
CREATE ROLE default_member IN ROLE default_team;
CREATE TABLE default_people (id int PRIMARY KEY, city text NOT NULL, age int);
INSERT INTO default_people SELECT n, 'city ' || n % 3, n % 90 FROM generate_series(1, 900) n;
CREATE TABLE default_visits (person int NOT NULL, clinic int NOT NULL, cost float8 NOT NULL);
INSERT INTO default_visits SELECT n, n % 2, 50 FROM generate_series(1, 2000) n, generate_series(1, 3);
SELECT dp_agg.protect('default_people', 'id'), dp_agg.protect('default_visits', 'person');
SELECT dp_agg.set_domain('default_visits', 'clinic', ARRAY[0, 1]), dp_agg.set_domain('default_visits', 'cost', 0, 100);
SELECT dp_agg.set_domain('default_people', 'age', 0, 120);
SELECT dp_agg.set_budget('default_ann', 2, 1e-6), dp_agg.set_budget('default_pure', 2, 0), dp_agg.set_budget('default_team', 2, 1e-6);
CREATE VIEW priced AS SELECT n, p.mechanism, p.epsilon::real, p.delta::real, p.noise_stddev::numeric(9, 1) AS stddev
	FROM (VALUES (1, 'SELECT count(*) FROM default_people'), (2, 'SELECT clinic, sum(cost) FROM default_visits GROUP BY clinic'),
		(3, 'SELECT avg(age) FROM default_people'), (4, 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM default_people'),
		(5, 'SELECT city, count(*) FROM default_people GROUP BY city'), (6, 'SELECT mode() WITHIN GROUP (ORDER BY clinic) FROM default_visits'),
		(7, 'SELECT dp_count(1, 0.3) FROM default_people')) q (n, query), dp_agg.price(query) p;
GRANT SELECT ON priced TO PUBLIC;

\echo those of the tests are set; the defaults are these
SELECT name, boot_val, setting FROM pg_settings WHERE name IN ('dp_agg.mechanism', 'dp_agg.clipping', 'dp_agg.epsilon', 'dp_agg.delta') ORDER BY name;
SET dp_agg.mechanism = auto;
SET dp_agg.clipping = auto;
SET dp_agg.epsilon = 0;
SET dp_agg.delta = 0;
SELECT count(*) FROM pg_settings WHERE name LIKE 'dp\_agg.%' AND name ~ '(mechanism|clipping|epsilon|delta)$' AND name <> 'dp_agg.high_epsilon' AND setting IS DISTINCT FROM boot_val;

\echo a budget with a delta: Gaussian noise at 0.5, anything else at 0.1, and an epsilon that is given is as it is given
SET ROLE default_ann;
SELECT * FROM priced ORDER BY n;
EXPLAIN (COSTS OFF) SELECT count(*) FROM default_people;
EXPLAIN (COSTS OFF) SELECT clinic, sum(cost) FROM default_visits GROUP BY clinic;
EXPLAIN (COSTS OFF) SELECT count(*), count(age) FROM default_people;
SELECT aggregate, clamp_epsilon::real, least_clamp, most_clamp FROM dp_agg.price_details('SELECT clinic, sum(cost), count(*) FROM default_visits GROUP BY clinic');

\echo a pure budget: Laplace noise at 0.1
SET ROLE default_pure;
SELECT * FROM priced WHERE n <> 5 ORDER BY n;
EXPLAIN (COSTS OFF) SELECT count(*) FROM default_people;
EXPLAIN (COSTS OFF) SELECT clinic, sum(cost) FROM default_visits GROUP BY clinic;

\echo without a budget it is refused
SET ROLE default_none;
SELECT count(*) FROM default_people;

\echo a pool decides for its members, and a cap without a delta for all
SET ROLE default_member;
SELECT * FROM priced WHERE n = 1;
RESET ROLE;
SELECT dp_agg.set_dataset_cap('default', 20, 0);
SET ROLE default_member;
SELECT * FROM priced WHERE n = 1;
RESET ROLE;
SELECT dp_agg.drop_dataset_cap('default');

\echo one of the two settings alone: the epsilon follows from the mechanism, and the mechanism from the budget
SET ROLE default_ann;
SET dp_agg.mechanism = laplace;
SELECT * FROM priced WHERE n IN (1, 4) ORDER BY n;
EXPLAIN (COSTS OFF) SELECT count(*) FROM default_people;
SET dp_agg.mechanism = auto;
SET dp_agg.epsilon = 0.2;
SELECT * FROM priced WHERE n IN (1, 4, 6) ORDER BY n;
SET dp_agg.epsilon = 0;
SET ROLE default_pure;
SET dp_agg.mechanism = gaussian;
SELECT * FROM priced WHERE n = 1;
SELECT count(*) FROM default_people;
SET dp_agg.mechanism = auto;

\echo the price is the same whatever is spent, and whatever rows there are
SET ROLE default_ann;
CREATE TEMP TABLE before AS SELECT * FROM priced;
SELECT count(c) > 0 AS answered FROM (SELECT count(*) AS c FROM default_people UNION ALL SELECT avg(age) FROM default_people) v;
SELECT mechanism, epsilon::real, delta::real FROM dp_agg.last_release();
RESET ROLE;
TRUNCATE default_people, default_visits;
SET ROLE default_ann;
SELECT count(*) AS changed FROM (TABLE before EXCEPT TABLE priced) d;
SELECT dp_count(1, 1.9) > -1e9 AS answered FROM default_people;
SELECT dp_count(1, 1.9) > -1e9 AS answered FROM default_people;
SELECT count(*) AS changed FROM (TABLE before EXCEPT TABLE priced) d;
DROP TABLE before;
RESET ROLE;
INSERT INTO default_people SELECT n, 'city ' || n % 3, n % 90 FROM generate_series(1, 900) n;
INSERT INTO default_visits SELECT n, n % 2, 50 FROM generate_series(1, 2000) n, generate_series(1, 3);
SELECT dp_agg.reset_budget('default_ann');

\echo about twenty statements fit, by either noise; dp_agg.plan plans with what would be chosen, and says so
SELECT dp_agg.remaining('default_ann', 'default', 0.5), dp_agg.remaining('default_pure', 'default', 0.1);
SELECT round(dp_agg.plan('default_ann', 'default', 20)::numeric, 2) AS gaussian, dp_agg.plan('default_pure', 'default', 20) AS laplace;
SELECT round(dp_agg.plan('default_ann', 'default', 20, 'laplace')::numeric, 2) AS laplace, dp_agg.plan('default_pure', 'default', 20, 'gaussian') AS gaussian;
SELECT admitted FROM dp_agg.what_if('default_ann', 'default', 20, 0.5);
SELECT dp_agg.plan('default_ann', 'default', 20, 'other');
SELECT what FROM dp_agg.help('default_people') WHERE topic = 'budget' AND name = 'default';
SET ROLE default_pure;
SELECT dp_agg_internal.in_force('default', 'default_ann');
RESET ROLE;

\echo helpers that ask in several steps, and what they suppose of later questions
SET ROLE default_ann;
SELECT mechanism, epsilon, delta::real FROM dp_agg_internal.in_force_of('default_visits');
SELECT dp_agg_internal.mean_noise('default_visits', NULL) = dp_agg_internal.mean_noise('default_visits', 0.5) AS as_in_force;
SELECT DISTINCT mechanism, round(epsilon::numeric, 3) AS epsilon FROM dp_agg.price(dp_agg.bounding_query('default_visits'));
SELECT mechanism, epsilon FROM dp_agg.price($$SELECT * FROM dp_histogram('default_people', 'age', 0, 120, 10)$$);
SELECT mechanism, epsilon FROM dp_agg.price($$SELECT * FROM dp_noisy_max('default_visits', 'clinic', ARRAY[0, 1])$$);
SELECT mechanism, epsilon FROM dp_agg.price($$SELECT * FROM dp_noisy_max('default_visits', 'clinic', ARRAY[0, 1], 2)$$);
SELECT mechanism, epsilon FROM dp_agg.price($$SELECT * FROM dp_noisy_max('default_visits', 'clinic', ARRAY[0, 1], 1, 0.4)$$);
SET ROLE default_pure;
SELECT mechanism, epsilon FROM dp_agg_internal.in_force_of('default_visits');
SELECT DISTINCT mechanism, round(epsilon::numeric, 3) AS epsilon FROM dp_agg.price(dp_agg.bounding_query('default_visits'));
SELECT mechanism, epsilon FROM dp_agg.price($$SELECT * FROM dp_noisy_max('default_visits', 'clinic', ARRAY[0, 1])$$);
RESET ROLE;

\echo how a ranking is drawn follows from limit and statement: few answers by permute and flip, many by the exponential mechanism, and more ranks than groups by noise where that is less
CREATE VIEW ranked AS SELECT v.epsilon AS asked, k, groups, p.mechanism, p.epsilon::real, p.noise_stddev::numeric(9, 2) AS stddev, p.half_width_95::numeric(9, 2) AS width
	FROM (VALUES (NULL, 1, 1), (0.5, 1, 1), (1, 1, 1), (NULL, 3, 1), (NULL, 3, 3), (1, 3, 3), (1, 10, 10), (1, 10, 2)) v (epsilon, k, groups),
	dp_agg.price(format($$SELECT * FROM dp_noisy_max('default_visits', 'person', ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], %s, %L) WHERE %s > 0$$, k, v.epsilon, groups)) p;
CREATE FUNCTION ranked(most int) RETURNS SETOF ranked LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_agg.max_groups', most::text, true);
	RETURN QUERY SELECT * FROM ranked WHERE groups = most;
END $$;
GRANT SELECT ON ranked TO PUBLIC;
SET ROLE default_ann;
CREATE TEMP TABLE before AS SELECT r.* FROM unnest(ARRAY[1, 2, 3, 10]) most, ranked(most) r;
TABLE before ORDER BY k, groups, asked;
EXPLAIN (COSTS OFF) SELECT * FROM dp_noisy_max('default_visits', 'clinic', ARRAY[0, 1], 1, 0.1);
EXPLAIN (COSTS OFF) SELECT * FROM dp_noisy_max('default_visits', 'clinic', ARRAY[0, 1], 1, 1);
SELECT mechanism, epsilon::real, noise_stddev::numeric(9, 2) AS stddev FROM dp_agg.price($$SELECT mode() WITHIN GROUP (ORDER BY clinic) FROM default_visits$$);
EXPLAIN (COSTS OFF) SELECT * FROM dp_top('default_visits', 'clinic', 2);
PREPARE greatest AS SELECT mechanism FROM dp_agg.price($$SELECT * FROM dp_noisy_max('default_visits', 'clinic', ARRAY[0, 1], 1, 0.5)$$);
EXECUTE greatest;
PREPARE named AS SELECT count(*) FROM dp_noisy_max('default_visits', 'clinic', ARRAY[0, 1], 1, 0.5);
EXECUTE named;
SELECT mechanism, epsilon FROM dp_agg.last_release();
\echo it is the same when half of the budget is spent, and another where the limit, or a cap, is
SELECT count(*) AS changed FROM (TABLE before EXCEPT SELECT r.* FROM unnest(ARRAY[1, 2, 3, 10]) most, ranked(most) r) d;
DROP TABLE before;
RESET ROLE;
SELECT dp_agg.set_budget('default_ann', 20, 1e-6);
SET ROLE default_ann;
EXECUTE named;
SELECT mechanism, epsilon FROM dp_agg.last_release();
RESET ROLE;
SELECT dp_agg.set_dataset_cap('default', 2, 1e-6);
SET ROLE default_ann;
EXECUTE greatest;
RESET ROLE;
SELECT dp_agg.drop_dataset_cap('default'), dp_agg.set_budget('default_ann', 2, 1e-6), dp_agg.reset_budget('default_ann');
SELECT releases #>> '{0,releases,0,mechanism}' AS mechanism FROM dp_agg.ledger WHERE event = 'charge' AND statement LIKE 'PREPARE named%' ORDER BY id;
SELECT * FROM dp_agg.verify_ledger();
\echo nor do orders and shares decide that a budget, or a cap, keeps from another limit, since it was spent from
CREATE ROLE default_early;
CREATE ROLE default_late;
CREATE VIEW chosen AS SELECT asked, p.mechanism FROM generate_series(0.05, 0.6, 0.005) asked,
	dp_agg.price(format($$SELECT * FROM dp_noisy_max('default_visits', 'clinic', ARRAY[0, 1], 1, %s)$$, asked)) p;
GRANT SELECT ON chosen TO PUBLIC;
SELECT dp_agg.set_budget('default_early', 20, 1e-6, partition_share => 0.98, variance_share => 0, renyi_share => 0.02), dp_agg.set_budget('default_late', 2, 1e-6);
SET ROLE default_early;
SELECT count(n) FROM (SELECT dp_count(1, 0.01) AS n FROM default_people) v;
RESET ROLE;
SELECT dp_agg.set_budget('default_early', 2, 1e-6);
SELECT e.epsilon_limit = l.epsilon_limit AS same_limit, e.variance_share = l.variance_share AS same_shares, e.orders = l.orders AS same_orders
	FROM dp_agg.budget e, dp_agg.budget l WHERE e.role = 'default_early'::regrole AND l.role = 'default_late'::regrole;
SET ROLE default_late;
CREATE TEMP TABLE chosen_late AS TABLE chosen;
GRANT SELECT ON chosen_late TO default_early;
SELECT mechanism, count(*) FROM chosen_late GROUP BY mechanism ORDER BY mechanism;
SET ROLE default_early;
SELECT count(*) AS otherwise FROM (TABLE chosen EXCEPT TABLE chosen_late) d;
RESET ROLE;
SELECT dp_agg.set_budget('default_late', 1000, 1e-6), dp_agg.set_dataset_cap('default', 1000, 1e-6, partition_share => 0.98, variance_share => 0, renyi_share => 0.02);
SET ROLE default_late;
SELECT count(n) FROM (SELECT dp_count(1, 0.01) AS n FROM default_people) v;
RESET ROLE;
SELECT dp_agg.set_dataset_cap('default', 2, 1e-6);
SET ROLE default_late;
SELECT count(*) AS otherwise FROM (TABLE chosen EXCEPT TABLE chosen_late) d;
DROP TABLE chosen_late;
RESET ROLE;
DROP VIEW chosen;
SELECT dp_agg.drop_dataset_cap('default'), dp_agg.drop_budget('default_early'), dp_agg.drop_budget('default_late');
DROP ROLE default_early, default_late;

\echo of a pure budget permute and flip, and Laplace noise where ranks are more than groups; a sample, and conditions
SET ROLE default_pure;
SELECT r.* FROM unnest(ARRAY[1, 2, 3, 10]) most, ranked(most) r ORDER BY k, groups, asked;
SET ROLE default_ann;
SET dp_agg.sample_rate = 0.01;
SELECT r.* FROM unnest(ARRAY[1, 2, 3, 10]) most, ranked(most) r ORDER BY k, groups, asked;
RESET dp_agg.sample_rate;
RESET ROLE;
DROP FUNCTION ranked;
DROP VIEW ranked;

\echo clamps are chosen: a person''s three visits count though nobody said how many they may be; noise vanishes at this epsilon
SELECT dp_agg.set_budget('default_ann', 1e9, 1e-6);
SET ROLE default_ann;
SELECT dp_count(1, 1000) BETWEEN 5990 AND 6010 AS counted, dp_sum(cost, 0, 100, 1000) BETWEEN 299000 AND 301000 AS added_up FROM default_visits;
RESET ROLE;

\echo a prepared statement follows the limit, when it gains a delta or loses it, though delta is set
SET dp_agg.delta = 1e-9;
SELECT dp_agg.set_budget('default_ann', 100, 0), dp_agg.reset_budget('default_ann');
SET ROLE default_ann;
PREPARE people AS SELECT count(n) FROM (SELECT count(*) AS n FROM default_people) v;
EXECUTE people;
SELECT mechanism, epsilon FROM dp_agg.last_release();
RESET ROLE;
SELECT dp_agg.set_budget('default_ann', 100, 1e-6);
SET ROLE default_ann;
EXECUTE people;
SELECT mechanism, epsilon FROM dp_agg.last_release();
RESET ROLE;
SELECT dp_agg.set_budget('default_ann', 100, 0);
SET ROLE default_ann;
EXECUTE people;
SELECT mechanism, epsilon FROM dp_agg.last_release();
RESET ROLE;

\echo one planned while the budget had a delta, and fetched from afterwards, is planned anew
SET dp_agg.delta = 0;
SELECT dp_agg.set_budget('default_ann', 100, 1e-6);
GRANT EXECUTE ON FUNCTION dp_agg.set_budget TO default_ann;
SET ROLE default_ann;
BEGIN;
DECLARE early CURSOR FOR SELECT count(*) FROM default_people;
SELECT dp_agg.set_budget('default_ann', 100, 0);
FETCH early;
ROLLBACK;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION dp_agg.set_budget FROM default_ann;

\echo what is kept of one mechanism is not shown for the other
SET ROLE default_ann;
SET dp_agg.kept_max_age = '1 day';
SELECT count(n) FROM (SELECT count(*) AS n FROM default_people WHERE age < 50) v;
SELECT kept LIKE 'kept since%' AS kept FROM dp_agg.price('SELECT count(*) FROM default_people WHERE age < 50');
SET dp_agg.mechanism = laplace;
SELECT kept LIKE 'kept since%' AS kept FROM dp_agg.price('SELECT count(*) FROM default_people WHERE age < 50');
SET dp_agg.mechanism = gaussian;
SELECT kept LIKE 'kept since%' AS kept FROM dp_agg.price('SELECT count(*) FROM default_people WHERE age < 50');
RESET dp_agg.kept_max_age;
SET dp_agg.mechanism = auto;
RESET ROLE;

SET client_min_messages = warning;
DROP VIEW priced;
DROP TABLE default_people, default_visits;
DROP EXTENSION dp_agg;
DROP ROLE default_ann, default_pure, default_none, default_team, default_member;
