--
-- membership: what epsilon and delta leave to somebody who guesses
--
CREATE EXTENSION dp_agg;
CREATE FUNCTION complaint(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT dp_accountant.' || call;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;

-- never below the true value, and within 1e-15 of it
SELECT call, result >= truth AND result <= truth * (1 + 1e-15) AS holds
FROM (VALUES
	('a pure promise', dp_accountant.max_posterior(0.1, 1), 0.2319693166840739),
	('delta and risk', dp_accountant.max_posterior(0.5, 1, 1e-3, 0.5), 0.7314520141186869),
	('the default risk', dp_accountant.max_posterior(0.5, 1, 1e-6), 0.7312552434545638),
	('a guess', dp_accountant.max_guess(0.5, 1), 0.7310585786300048),
	('a guess with delta', dp_accountant.max_guess(0.5, 1, 0.1), 0.7579527207670044)) AS t(call, result, truth);
SELECT dp_accountant.max_posterior(0.25, 0) AS nothing_learnt, dp_accountant.max_posterior(0.25, 1, 1e-3, 1e-3) AS may_tell_all,
	dp_accountant.max_guess(0.25, 0) AS best_blind, dp_accountant.max_posterior(NULL, 1) AS "null";

-- of a role's budget, of two values of a unit that is known to be there, and by everybody
SELECT dp_agg.set_budget('pg_signal_backend', 1, 1e-6);
SELECT round(dp_accountant.max_posterior(0.1, epsilon_limit, delta_limit)::numeric, 4) AS posterior,
	round(dp_accountant.max_posterior(0.1, v.epsilon, v.delta)::numeric, 4) AS of_a_value
FROM dp_agg.budgets, dp_accountant.group_privacy(epsilon_limit, delta_limit, 2) v;
SELECT dp_agg.drop_budget('pg_signal_backend');
SELECT p.oid::regprocedure AS function, provolatile, proparallel, has_function_privilege('pg_signal_backend', p.oid, 'EXECUTE') AS anybody
FROM pg_proc p WHERE proname LIKE 'max\_%' AND pronamespace = 'dp_accountant'::regnamespace ORDER BY 1::text;

-- what is no argument
SELECT call, complaint(call) FROM unnest(ARRAY[
	'max_posterior(-0.1, 1)', 'max_posterior(1.1, 1)', 'max_posterior(''NaN'', 1)', 'max_posterior(0.1, -1)',
	'max_posterior(0.1, ''Infinity'')', 'max_posterior(0.1, 1, -1)', 'max_posterior(0.1, 1, 2)',
	'max_posterior(0.1, 1, 0, 0)', 'max_posterior(0.1, 1, 0, 0.6)', 'max_posterior(0.1, 1, 0, ''NaN'')',
	'max_guess(-1, 1)', 'max_guess(0.1, ''NaN'')', 'max_guess(0.1, 1, 1.5)']) AS call;
DROP FUNCTION complaint(text);
DROP EXTENSION dp_agg;
