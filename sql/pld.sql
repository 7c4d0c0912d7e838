--
-- pld: exact composition by privacy-loss distributions
--
CREATE EXTENSION dp_agg;
\pset format unaligned
\pset tuples_only on

-- Is an epsilon never below the reference, nor more than 1 % above it?
CREATE FUNCTION certified(epsilon float8, reference numeric) RETURNS boolean LANGUAGE sql AS
$$ SELECT epsilon >= reference::float8 AND epsilon <= reference * 1.01 $$;
CREATE FUNCTION complaint(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE 'SELECT ' || call INTO result;
	RETURN 'none: ' || coalesce(result, 'null');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;

\echo references at 20 digits
SELECT certified(dp_accountant.pld_discrete_laplace(10, 1, 1, 1e-6), 0.099998095160767758942),
	certified(dp_accountant.pld_discrete_laplace(10, 1, 10, 1e-6), 0.99937090572175872473),
	certified(dp_accountant.pld_discrete_laplace(20, 3, 1, 1e-6), 0.14999804876867184868),
	certified(dp_accountant.pld_gaussian(10, 100, 1e-6), 4.8865541174622120059),
	certified(dp_accountant.pld_gaussian(10, 1000, 1e-6), 19.423656474031051503);
SELECT certified(dp_accountant.pld_epsilon(format('[{"mechanism": "pure", "epsilon": %s, "delta": %s, "count": %s}]',
										   epsilon, delta, k)::jsonb, delta_total), reference)
	FROM (VALUES (0.05, 1e-9, 100, 1e-6, 2.2230802628896476785), (0.001, 0, 500, 1e-15, 0.15954365362744775448),
				 (0.1, 0, 100, 1e-15, 7.6310741532292826458), (0.01, 0, 1000, 1e-15, 2.4181871954448418521),
				 (0.1, 0, 10, 1e-6, 0.99937090572175878025)) AS kov(epsilon, delta, k, delta_total, reference);

\echo the forms of a release, and what is alike
SELECT dp_accountant.pld_epsilon('[{"mechanism": "discrete_laplace", "scale": 10, "sensitivity": 2, "count": 5}]', 1e-9) =
	dp_accountant.pld_discrete_laplace(10, 2, 5, 1e-9);
SELECT dp_accountant.pld_epsilon('[{"mechanism": "gaussian", "sigma": 30, "sensitivity": 1.5, "count": 7}]', 1e-9) =
	dp_accountant.pld_gaussian(20, 7, 1e-9);
SELECT dp_accountant.pld_epsilon('[[{"mechanism": "discrete_laplace", "scale": 10}, []],
							{"mechanism": "discrete_laplace", "scale": 10.0, "sensitivity": 1e0, "count": 4}]', 1e-9) =
	dp_accountant.pld_discrete_laplace(10, 1, 5, 1e-9);
SELECT dp_accountant.pld_epsilon('[{"mechanism": "discrete_gaussian", "sigma": 20, "sensitivity": 2, "count": 4}]', 1e-6)
	BETWEEN dp_accountant.pld_gaussian(10, 4, 1e-6) * 0.9999 AND dp_accountant.pld_gaussian(10, 4, 1e-6) * 1.01;
SELECT certified(dp_accountant.pld_epsilon('[{"mechanism": "gaussian", "sigma": 20, "count": 3},
	{"mechanism": "discrete_laplace", "scale": 10, "count": 5}, {"mechanism": "pure", "epsilon": 0.1, "count": 10}]', 1e-6),
	1.551669507092002189746);
SELECT dp_accountant.pld_epsilon('[]', 1e-9);
SELECT dp_accountant.pld_epsilon('[{"mechanism": "pure", "epsilon": 0.5, "delta": 1e-6}]', 1e-7);
SELECT dp_accountant.pld_epsilon(NULL, 1e-9) IS NULL, dp_accountant.pld_gaussian(1, NULL, 1e-9) IS NULL;

\echo refusals
\pset format aligned
\pset tuples_only off
SELECT call, complaint('dp_accountant.' || call) FROM (VALUES
	('pld_discrete_laplace(0, 1, 1, 1e-6)'), ('pld_discrete_laplace(''NaN'', 1, 1, 1e-6)'),
	('pld_discrete_laplace(''Infinity'', 1, 1, 1e-6)'), ('pld_discrete_laplace(10, 0, 1, 1e-6)'),
	('pld_discrete_laplace(10, -1, 1, 1e-6)'), ('pld_discrete_laplace(10, 9223372036854775807, 1, 1e-6)'),
	('pld_discrete_laplace(10, 1, 0, 1e-6)'), ('pld_discrete_laplace(10, 1, 1, 0)'),
	('pld_discrete_laplace(10, 1, 1, 1)'), ('pld_discrete_laplace(10, 1, 1, ''NaN'')'),
	('pld_gaussian(0, 1, 1e-6)'), ('pld_gaussian(-1, 1, 1e-6)'), ('pld_gaussian(''Infinity'', 1, 1e-6)'),
	('pld_gaussian(1, -1, 1e-6)'), ('pld_gaussian(1, 1, 2)')) AS bad(call);
SELECT list, complaint(format('dp_accountant.pld_epsilon(%L, 1e-6)', list)) FROM (VALUES
	('{}'), ('1'), ('[1]'), ('[{}]'), ('[null]'), ('[{"mechanism": "laplace", "scale": 1}]'),
	('[{"mechanism": "pure"}]'), ('[{"mechanism": "pure", "epsilon": "1"}]'), ('[{"mechanism": "pure", "epsilon": -1}]'),
	('[{"mechanism": "pure", "epsilon": 1e999}]'), ('[{"mechanism": "pure", "epsilon": 1, "delta": 2}]'),
	('[{"mechanism": "pure", "epsilon": 1, "count": 0}]'), ('[{"mechanism": "pure", "epsilon": 1, "count": 1.5}]'),
	('[{"mechanism": "pure", "epsilon": 1, "count": 1e30}]'), ('[{"mechanism": "pure", "epsilon": 1, "count": 3e9}]'),
	('[{"mechanism": "pure", "epsilon": 1, "sensitivity": 1}]'),
	('[{"mechanism": "discrete_laplace", "scale": 1, "sensitivity": 0}]'),
	('[{"mechanism": "discrete_laplace", "scale": 1, "sensitivity": 1.5}]'),
	('[{"mechanism": "discrete_laplace", "scale": 1e-9}]'), ('[{"mechanism": "gaussian", "sigma": 1, "sensitivity": 0}]'),
	('[{"mechanism": "gaussian", "sigma": 0}]'),
	('[{"mechanism": "discrete_gaussian", "sigma": 1, "sensitivity": 2.5}]'),
	('[{"mechanism": "laplace", "noise": 1}]'), ('[{"mechanism": "laplace", "noise": []}]'),
	('[{"mechanism": "laplace", "noise": [1]}]'), ('[{"mechanism": "pure", "noise": [{}]}]'),
	('[{"mechanism": "laplace", "noise": [{"groups": 1, "sensitivity": 1, "sigma": 5}]}]'),
	('[{"mechanism": "gaussian", "noise": [{"groups": 1, "sensitivity": 1, "scale_num": 5, "scale_den": 1}]}]'),
	('[{"mechanism": "laplace", "noise": [{"groups": 1, "sensitivity": 1, "scale_num": 5}]}]'),
	('[{"mechanism": "laplace", "noise": [{"groups": 1, "sensitivity": 1, "scale_num": 5, "scale_den": 1, "other": 2}]}]'),
	('[{"mechanism": "laplace", "other": 1, "noise": [{"groups": 1, "sensitivity": 1, "scale_num": 5, "scale_den": 1}]}]'),
	('[{"releases": [], "or": []}]'), ('[{"mechanism": "laplace", "chooses": "max_groups", "noise": [{"groups": 1, "sensitivity": 1, "scale_num": 5, "scale_den": 1}]}]'), ('[{"mechanism": "laplace", "times": 70000, "noise": [{"groups": 70000, "sensitivity": 1, "scale_num": 5, "scale_den": 1}]}]')
	) AS bad(list);

\echo what the ledger says of a release beside its noise costs nothing
SELECT dp_accountant.pld_epsilon(jsonb_build_array(r || '{"answers": ["dp_count(x)"], "totals": 2, "with": ["dp_avg(x)"], "threshold": 200}'), 1e-6) =
	dp_accountant.pld_epsilon(jsonb_build_array(r), 1e-6) AS same
FROM (SELECT '{"mechanism": "laplace", "noise": [{"groups": 1, "sensitivity": 1, "grid": 0, "scale_num": 10, "scale_den": 1}]}'::jsonb) s (r);

\echo a long computation can be interrupted
\set VERBOSITY terse
SET statement_timeout = 100;
SELECT dp_accountant.pld_epsilon(jsonb_agg(jsonb_build_object('mechanism', 'discrete_laplace', 'scale', 1e7 + i, 'sensitivity', 900,
													   'count', 1000000 + i)), 1e-6)
	FROM generate_series(1, 1000) i;
RESET statement_timeout;

\echo an auditor evaluates the ledger
CREATE ROLE pld_analyst;
CREATE SCHEMA pld AUTHORIZATION pld_analyst;
SET search_path = pld, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
CREATE TABLE visits (person int, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 3, i % 100 FROM generate_series(1, 300) i;
INSERT INTO visits SELECT i % 100, 'city ' || i % 3, i % 100 FROM generate_series(1, 300) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 5, 3);
SELECT dp_agg.set_budget('pld_analyst', 50, 1e-5);
SET ROLE pld_analyst;
SET dp_agg.epsilon = 0.1;
SET dp_agg.delta = 1e-9;
\o /dev/null
SELECT dp_count(*), dp_sum(age, 0, 100, 0.2) FROM people;
SELECT dp_avg(age, 0, 100) FROM people;
SELECT city, dp_count(*) FROM people GROUP BY city;
SELECT dp_count(*), dp_count(*) FROM people UNION ALL SELECT dp_count(*), dp_count(*) FROM people;
SELECT city, dp_count(*), dp_count(DISTINCT person) FROM visits GROUP BY city;
SET dp_agg.mechanism = gaussian;
SELECT dp_avg(age, 0, 100) FROM people;
SELECT city, dp_sum(age, 0, 100) FROM visits GROUP BY city;
\o
RESET ROLE;
-- what each statement spent, against its releases composed as a list of mechanisms
WITH statement AS (
	SELECT row_number() OVER (ORDER BY id) AS n, dp_accountant.pld_epsilon(releases, 1e-6) AS epsilon
	FROM dp_agg.ledger WHERE role = 'pld_analyst' AND event = 'charge')
SELECT n, round(epsilon::numeric, 4) AS epsilon, epsilon BETWEEN expected AND expected * 1.01 AS as_expected
	FROM statement JOIN (VALUES
		(1, dp_accountant.pld_epsilon('[{"mechanism": "pure", "epsilon": 0.1}, {"mechanism": "discrete_laplace", "scale": 500, "sensitivity": 100}]', 1e-6) * 0.9999),
		(2, dp_accountant.pld_discrete_laplace(1000, 100, 1, 1e-6) * 0.9999),
		(3, dp_accountant.pld_epsilon('[{"mechanism": "pure", "epsilon": 0.1, "delta": 1e-9}]', 1e-6) * 0.9999),
		(4, dp_accountant.pld_discrete_laplace(10, 1, 2, 1e-6) * 0.9999),
		(5, dp_accountant.pld_epsilon('[{"mechanism": "discrete_laplace", "scale": 150, "sensitivity": 5, "count": 3}, {"mechanism": "pure", "epsilon": 0.0333333333, "count": 3, "delta": 1e-9}]', 1e-6) * 0.999))
		AS list(n, expected) USING (n) ORDER BY n;
-- Gaussian noise is calibrated to be (0.1, 1e-9)-private, a mean's two totals together
SELECT round(dp_accountant.pld_epsilon(releases, 1e-9)::numeric, 8) FROM dp_agg.ledger
	WHERE role = 'pld_analyst' AND event = 'charge' AND releases#>>'{0,releases,0,aggregate}' LIKE 'dp_avg%'
		AND releases#>>'{0,releases,0,mechanism}' = 'gaussian';
-- a sum and the count that selects groups: one release each over three groups, and the threshold's delta
SELECT dp_accountant.pld_epsilon(releases, 1e-6) BETWEEN expected AND expected * 1.000001
	FROM dp_agg.ledger,
		dp_accountant.pld_epsilon(jsonb_build_array(
			'{"mechanism": "pure", "epsilon": 0, "delta": 1e-9}'::jsonb,
			jsonb_build_object('mechanism', 'gaussian', 'count', 3, 'sigma', releases#>'{0,releases,0,noise,0,sigma}',
							   'sensitivity', releases#>'{0,releases,0,noise,0,sensitivity}'),
			jsonb_build_object('mechanism', 'gaussian', 'count', 3, 'sigma', releases#>'{0,releases,1,noise,0,sigma}',
							   'sensitivity', releases#>'{0,releases,1,noise,0,sensitivity}')), 1e-6) AS expected
	WHERE role = 'pld_analyst' AND event = 'charge' AND releases#>>'{0,releases,1,mechanism}' = 'gaussian';
-- as a whole: less than what the budget, which adaptive analysts cannot evade, says was spent
SELECT n, epsilon BETWEEN 0.3 * spent AND spent AS below_spent
	FROM (SELECT count(*) AS n, dp_accountant.pld_epsilon(jsonb_agg(releases), 1e-5) AS epsilon, max(epsilon_spent) AS spent
		  FROM dp_agg.ledger WHERE role = 'pld_analyst' AND event = 'charge') AS history;
SELECT dp_accountant.pld_epsilon(jsonb_agg(releases), 1e-10) FROM dp_agg.ledger WHERE role = 'pld_analyst' AND event = 'charge';
\echo selections and samples: no more than is spent, and less than as randomised response of everybody
CREATE ROLE pld_medians;
CREATE ROLE pld_samples;
CREATE ROLE pld_sampled_medians;
CREATE ROLE pld_thresholds;
GRANT USAGE ON SCHEMA pld TO pld_medians, pld_samples, pld_sampled_medians, pld_thresholds;
SELECT dp_agg.set_budget(r, 50, 1e-5) IS NOT NULL AS set FROM unnest(ARRAY['pld_medians', 'pld_samples', 'pld_sampled_medians', 'pld_thresholds']::regrole[]) r;
CREATE PROCEDURE ask(statement text) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 30 LOOP
		EXECUTE format(statement, 70 + i);
	END LOOP;
END $$;
RESET dp_agg.mechanism;
SET ROLE pld_medians;
CALL ask('SELECT dp_median(age, 0, 100, 0.1) FROM people WHERE age < %s');
SET ROLE pld_thresholds;
CALL ask('SELECT * FROM dp_above_threshold(''people'', ARRAY[''age < %s''], 100)');
SET ROLE pld_samples;
SET dp_agg.sample_rate = 0.02;
CALL ask('SELECT dp_count(id, 2) FROM people WHERE age < %s');
SET ROLE pld_sampled_medians;
CALL ask('SELECT dp_median(age, 0, 100, 2) FROM people WHERE age < %s');
RESET ROLE;
RESET dp_agg.sample_rate;
SELECT role, n, shown <= spent AS no_more_than_spent, shown > 0.6 * spent AS about, round((shown / pure)::numeric, 2) AS of_pure,
	shown < 0.9 * dp_accountant.kov_optimal(each, 0, n, 1e-5) AS less_than_randomised_response
FROM (SELECT l.role, count(*)::int AS n, dp_accountant.pld_epsilon(jsonb_agg(releases), 1e-5) AS shown, max(l.epsilon_spent) AS spent,
		sum((releases#>>'{0,releases,0,epsilon}')::float8) AS pure, max((releases#>>'{0,releases,0,epsilon}')::float8) AS each
	  FROM dp_agg.ledger l WHERE role IN ('pld_medians', 'pld_samples', 'pld_sampled_medians', 'pld_thresholds') AND event = 'charge' GROUP BY l.role) history ORDER BY role;
-- a block of a sample is one of its rate, and has the ledger's releases alone
SELECT list, complaint(format('dp_accountant.pld_epsilon(%L, 1e-6)', list)) FROM (VALUES
	('[{"sample_rate": 0, "releases": []}]'), ('[{"sample_rate": 2, "releases": []}]'), ('[{"sample_rate": "1", "releases": []}]'),
	('[{"sample_rate": 0.1, "releases": [{"mechanism": "pure", "epsilon": 1}]}]'), ('[{"releases": [[]]}]')) AS bad(list);
SELECT proname, provolatile, proisstrict, proparallel, obj_description(oid, 'pg_proc') IS NOT NULL AS described
	FROM pg_proc WHERE pronamespace = 'dp_accountant'::regnamespace AND proname LIKE 'pld%' ORDER BY 1;

SET client_min_messages = warning;
DROP SCHEMA pld CASCADE;
SELECT dp_agg.drop_budget(r) FROM unnest(ARRAY['pld_medians', 'pld_samples', 'pld_sampled_medians', 'pld_thresholds']::regrole[]) r;
DROP ROLE pld_medians, pld_samples, pld_sampled_medians, pld_thresholds;
DROP FUNCTION certified, complaint;
DROP EXTENSION dp_agg;
DROP ROLE pld_analyst;
