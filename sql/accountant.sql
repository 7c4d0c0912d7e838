--
-- accountant: curves, conversions, calibration, composition, thresholds
--
CREATE EXTENSION dp_agg;
CREATE FUNCTION number(call text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	result float8;
BEGIN
	EXECUTE 'SELECT dp_accountant.' || call INTO result;
	RETURN result;
END $$;
CREATE FUNCTION complaint(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT dp_accountant.' || call;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;

-- never below the true value, and within 1e-10 of it
SELECT call, number(call) >= truth AND number(call) <= truth * (1 + 1e-10) AS holds
FROM (VALUES
	('rdp_gaussian(1000, 10)', 5),
	('rdp_gaussian(2, 1, 3)', 9),
	('rdp_laplace(1.01, 0.5)', 1.1434288530473946734),
	('rdp_laplace(1.01, 0.25, 0.5)', 1.1434288530473946734),
	('rdp_discrete_laplace(8, 1)', 0.95524837405486441138),
	('rdp_discrete_laplace(1.5, 1, 2)', 1.5711098637203832613),
	('rdp_discrete_laplace(1.5, 1099511627776, 1099511627776)', 0.51288351129450859560),
	('rdp_discrete_gaussian(3.7, 0.25)', 7.3930607232132959202),
	('rdp_discrete_gaussian(1.01, 0.25, 1)', 2.0172018955728967474),
	('rdp_pure(32, 1)', 0.98989478427360571503),
	('rdp_pure(1.01, 1e-6)', 5.0499999999995702532e-13),
	('rdp_randomized_response(100, 0.75)', 1.0957064091483947325),
	('rdp_exponential(3.7, 5)', 4.2028565819574441036),
	('rdp_subsampled_gaussian(8, 0.1, 2)', 0.013725430103219919584),
	('rdp_subsampled_gaussian(2.5, 0.001, 2)', 3.5508686445663234390e-7),
	('rdp_subsampled_laplace(100, 0.1, 3)', 0.030382414894340998626),
	('rdp_to_epsilon(32, 0.5, 1e-6)', 0.80211500023911478279),
	('rdp_to_delta(8, 0.5, 2)', 1.3516813580297722592e-6),
	('zcdp_to_epsilon(0.1, 1e-15)', 3.6008961294690623466),
	('zcdp_to_delta(1, 10)', 1.1714172313952303625e-10),
	('gaussian_delta(1, 5)', 5.7937216919194941042e-7),
	('gaussian_delta(10, 5, 10)', 5.7937216919194941042e-7),
	('gaussian_sigma(1, 1e-15)', 7.4870094679865954536),
	('gaussian_sigma(1, 1e-15, 2)', 14.9740189359731909072),
	('laplace_delta(0.1, 5)', 0.91791500137610118205),
	('laplace_delta(10, 0.5)', 0),
	('discrete_laplace_delta(10, 0.05)', 0.025603537098495455953),
	('discrete_laplace_delta(1, 0.99, 3)', 0.63479657068292417984),
	('discrete_gaussian_delta(100, 0.1)', 0.0087623539239480936113),
	('discrete_gaussian_delta(0.5, 0.1, 1)', 0.54121086666930649948),
	('advanced_composition_drv(0.01, 1000, 1e-15)', 2.7287625557201466207),
	('kov_optimal(0.05, 1e-9, 100, 1e-6)', 2.2230802628896476785),
	('kov_optimal(0.1, 0, 10, 1e-6)', 0.99937090572175878025),
	('gdp_to_delta(1, 5)', 5.7937216919194941042e-7),
	('discrete_laplace_threshold(10, 0.001)', 64),
	('discrete_laplace_threshold(10, 1e-15, 1)', 340),
	('discrete_gaussian_threshold(100, 1e-15)', 81),
	('discrete_gaussian_threshold(100, 1e-6, 10)', 54)) AS t(call, truth);

-- a budget is rounded down
SELECT rho <= 1.5392787638667285106 AND rho > 1.5392787638667285106 * (1 - 1e-10) AS holds
FROM dp_accountant.zcdp_max_rho(10, 1e-6) AS rho;

-- what is no bound is near
SELECT call, abs(number(call) / truth - 1) < 1e-14 AS holds
FROM (VALUES
	('discrete_laplace_variance(0.5)', 0.36203083048315523320),
	('discrete_gaussian_variance(4)', 4),
	('discrete_gaussian_variance(0.01)', 3.8574996959278395811e-22),
	('partition_select_probability(20, 0.5, 1e-6)', 0.033952125187811210554),
	('partition_select_probability(200, 0.5, 1e-6)', 1)) AS t(call, truth);

-- a million mechanisms in a moment, and too little delta
SELECT round(dp_accountant.kov_optimal(0.001, 0, 1000000, 1e-6)::numeric, 4) AS epsilon;
SELECT dp_accountant.kov_optimal(0.001, 1e-6, 1000, 1e-4);

-- there and back
SELECT abs(dp_accountant.gdp_to_epsilon(2, dp_accountant.gdp_to_delta(2, 3)) / 3 - 1) < 1e-10 AS gdp,
	   abs(dp_accountant.gaussian_delta(dp_accountant.gaussian_sigma(1, 1e-6), 1) / 1e-6 - 1) < 1e-10 AS gaussian,
	   abs(dp_accountant.zcdp_to_epsilon(dp_accountant.zcdp_max_rho(1, 1e-6), 1e-6) - 1) < 1e-10 AS zcdp;

-- pairs
SELECT * FROM dp_accountant.basic_composition('{0.5, 0.25}', '{0, 0.125}');
SELECT * FROM dp_accountant.basic_composition('{}', '{}');
SELECT * FROM dp_accountant.basic_composition('[5:6]={0.5, 0.25}', '{1, 1}');
SELECT round(epsilon::numeric, 10) AS epsilon, round(delta::numeric, 10) AS delta
FROM dp_accountant.advanced_composition(array_fill(0.1::float8, '{30}'), array_fill(0.001::float8, '{30}'), 0.02);
SELECT round(epsilon::numeric, 10) AS epsilon, round(delta::numeric, 10) AS delta
FROM dp_accountant.kov_bound(array_fill(0.01::float8, '{1000}'), array_fill(0::float8, '{1000}'), 1e-9);
SELECT round(epsilon::numeric, 10) AS epsilon, round(delta::numeric, 10) AS delta
FROM dp_accountant.kov_bound('{1, 0.1}', '{1e-3, 0}', 1e-6);
SELECT round(epsilon::numeric, 10) AS epsilon, round(delta::numeric, 10) AS delta
FROM dp_accountant.group_privacy(0.5, 1e-3, 4);
SELECT (dp_accountant.group_privacy(epsilon => 0.5, delta => 0.25, k => 1)).*;
SELECT dp_accountant.advanced_composition('{}', '{}', 0.5);

-- names and defaults
SELECT dp_accountant.rdp_gaussian(alpha => 2, sigma => 1) AS rdp,
	   dp_accountant.discrete_laplace_threshold(scale => 10, delta => 0.001, max_groups => 1) AS threshold;

-- null in, null out
SELECT dp_accountant.rdp_pure(2, NULL) IS NULL AND dp_accountant.group_privacy(NULL, 0, 1) IS NULL AS nothing;

-- arguments out of range
SELECT call, complaint(call) FROM (VALUES
	('rdp_gaussian(1, 1)'), ('rdp_gaussian(''NaN'', 1)'), ('rdp_gaussian(''Infinity'', 1)'),
	('rdp_gaussian(2, 0)'), ('rdp_gaussian(2, ''NaN'')'), ('rdp_gaussian(2, ''Infinity'')'),
	('rdp_gaussian(2, 1, 0)'), ('rdp_gaussian(2, 1, -1)'),
	('rdp_laplace(2, 0)'), ('rdp_laplace(2, 1, ''NaN'')'),
	('rdp_discrete_laplace(2, 0.0009)'), ('rdp_discrete_laplace(2, 1, 0)'),
	('rdp_discrete_gaussian(2, 0)'), ('rdp_discrete_gaussian(2, 1, -1)'),
	('rdp_pure(2, -1)'), ('rdp_pure(2, ''Infinity'')'), ('rdp_pure(1e10, 1)'),
	('rdp_randomized_response(2, 0)'), ('rdp_randomized_response(2, 1)'),
	('rdp_exponential(2, ''NaN'')'),
	('rdp_subsampled_gaussian(100001, 0.1, 1)'), ('rdp_subsampled_gaussian(2, 0, 1)'),
	('rdp_subsampled_gaussian(2, 1.5, 1)'), ('rdp_subsampled_gaussian(2, 0.1, -1)'),
	('rdp_subsampled_laplace(2, ''NaN'', 1)'), ('rdp_subsampled_laplace(2, 0.1, 0)'),
	('rdp_to_epsilon(2, -1, 0.1)'), ('rdp_to_epsilon(2, 1, 0)'), ('rdp_to_epsilon(2, 1, 1)'),
	('rdp_to_delta(2, ''Infinity'', 1)'), ('rdp_to_delta(2, 1, -1)'),
	('zcdp_to_epsilon(''NaN'', 0.1)'), ('zcdp_to_delta(-1, 1)'), ('zcdp_max_rho(1, 0)'),
	('gaussian_delta(0, 1)'), ('gaussian_delta(1, -1)'), ('gaussian_delta(1, 1, ''Infinity'')'),
	('gaussian_sigma(0, 0.1)'), ('gaussian_sigma(1, 0.6)'), ('gaussian_sigma(1, ''NaN'')'),
	('laplace_delta(''NaN'', 1)'), ('discrete_laplace_delta(1, 1, 0)'),
	('discrete_gaussian_delta(1e31, 1)'), ('discrete_gaussian_delta(1, 1e7)'),
	('discrete_laplace_variance(0)'), ('discrete_gaussian_variance(''NaN'')'),
	('advanced_composition_drv(1, 0, 0.1)'), ('advanced_composition_drv(1, 1, 0)'),
	('kov_optimal(-1, 0, 1, 0.1)'), ('kov_optimal(1, 1, 1, 0.1)'), ('kov_optimal(1, 0, 1000001, 0.1)'),
	('kov_optimal(1, 0, 1, 1)'), ('kov_optimal(1, 0, 1, ''NaN'')'),
	('group_privacy(1, 1.5, 1)'), ('group_privacy(1, 0, 0)'), ('group_privacy(''NaN'', 0, 1)'),
	('gdp_to_delta(0, 1)'), ('gdp_to_epsilon(1, 0)'), ('gdp_to_epsilon(''Infinity'', 0.1)'),
	('discrete_laplace_threshold(1, 0)'), ('discrete_laplace_threshold(1, 0.1, 0)'),
	('discrete_gaussian_threshold(1, 1)'), ('discrete_gaussian_threshold(1, 0.1, -1)'),
	('partition_select_probability(-1, 1, 0.1)'), ('partition_select_probability(1, 0, 0.1)'),
	('partition_select_probability(1, 1, 0)')) AS t(call);

-- arrays that are none of ours
SELECT call, complaint(call) FROM (VALUES
	('basic_composition(''{1, NULL}'', ''{0, 0}'')'),
	('basic_composition(''{{1, 2}}'', ''{0, 0}'')'),
	('basic_composition(''{1, 2}'', ''{0}'')'),
	('basic_composition(''{1, NaN}'', ''{0, 0}'')'),
	('basic_composition(''{1, Infinity}'', ''{0, 0}'')'),
	('basic_composition(''{1, -1}'', ''{0, 0}'')'),
	('basic_composition(''{1, 1}'', ''{0, 1.5}'')'),
	('basic_composition(array_fill(0::float8, ''{1000001}''), ''{}'')'),
	('advanced_composition(''{1}'', ''{NULL}'', 0.1)'),
	('advanced_composition(''{1}'', ''{0}'', 0)'),
	('kov_bound(''{1}'', ''{0}'', 1)'),
	('kov_bound(''{1}'', ''{0}'', ''NaN'')')) AS t(call);

-- everybody may call them, also inside parallel plans, and each says what it does
CREATE ROLE accountant_stranger;
SELECT count(*) AS functions,
	   bool_and(provolatile = 'i') AS immutable, bool_and(proisstrict) AS strict,
	   bool_and(proparallel = 's') AS parallel, bool_or(proleakproof) AS leakproof,
	   bool_and(has_function_privilege('accountant_stranger', oid, 'EXECUTE')) AS everybody,
	   bool_and(obj_description(oid, 'pg_proc') ~ 'Source: .* Errors: 22023') AS described
FROM pg_proc
WHERE pronamespace = 'dp_accountant'::regnamespace AND prosrc LIKE 'dp_accounting_sql_%';
SET ROLE accountant_stranger;
SELECT dp_accountant.rdp_gaussian(2, 1);
RESET ROLE;

DROP ROLE accountant_stranger;
DROP FUNCTION number, complaint;
DROP EXTENSION dp_agg;
