--
-- suggest_bounds: bounds, max_rows and max_groups, estimated through the gate
-- and charged like any release
--
CREATE EXTENSION dp_agg;
CREATE ROLE suggest_analyst;
CREATE ROLE suggest_stranger;
CREATE ROLE suggest_poor;
CREATE SCHEMA suggest AUTHORIZATION suggest_analyst;
GRANT USAGE ON SCHEMA suggest TO suggest_stranger, suggest_poor;
SET search_path = suggest, public;
CREATE TABLE people (id int PRIMARY KEY, age int, owed smallint, large bigint, f4 real, f8 float8, n numeric,
	one int, zero int, none int, mixed float8, "odd ""name""" int, city text, born date);
-- sizes that fill whole powers of two
INSERT INTO people SELECT i, 1 + i % 100, -(1 + i % 100), (1 + i % 100)::bigint << 40, (1 + i % 100) / 1024.0, -(1 + i % 100) * 1024.0,
	(1 + i % 100) * 1e6, 1, 0, NULL, CASE i % 5 WHEN 0 THEN -3 WHEN 1 THEN 0 WHEN 2 THEN 0.375 WHEN 3 THEN NULL ELSE 'NaN' END,
	i, 'city ' || i % 2, '2000-01-01' FROM generate_series(1, 10000) i;
-- ends of the types, in bulk: each is the power of two it looks like
CREATE TABLE extremes (id int PRIMARY KEY, s smallint, i int, b bigint, f4 real, f8 float8, n numeric);
INSERT INTO extremes SELECT k, (ARRAY[-32768, 32767])[1 + k % 2], (ARRAY[-2147483648, 2147483647])[1 + k % 2],
	(ARRAY[-9223372036854775808, 9223372036854775807])[1 + k % 2], (ARRAY['-Infinity', 'Infinity'])[1 + k % 2]::real,
	(ARRAY['-1e308', 'Infinity'])[1 + k % 2]::float8, (ARRAY['-1e500', 'Infinity', '1e-500', 'NaN'])[1 + k % 4]::numeric FROM generate_series(1, 4000) k;
CREATE TABLE nobody (id int PRIMARY KEY, age int);
-- each of 2,000 persons, but the first, has 5 rows at 3 clinics, one of them NULL; the first has 5,000 and a large bill
CREATE TABLE visits (person int, cost numeric, clinic text);
INSERT INTO visits SELECT p, 10 + v, (ARRAY['a', 'b', NULL])[1 + v % 3] FROM generate_series(1, 2000) p, generate_series(1, 5) v;
INSERT INTO visits SELECT 1, 1e9, 'clinic ' || v FROM generate_series(1, 5000) v;
INSERT INTO visits SELECT NULL, -1e9, 'clinic ' || v FROM generate_series(1, 5000) v;
-- each of 2,000 has a row at one clinic, ten of them 5,000 at 40 clinics
CREATE TABLE heavy AS SELECT p AS person, 1 AS clinic FROM generate_series(1, 2000) p UNION ALL SELECT p, v % 40 FROM generate_series(1, 10) p, generate_series(1, 4999) v;
-- of 40 persons for each number n, each has n rows
CREATE TABLE people_rows AS SELECT n * 100 + p AS person, n FROM unnest('{1,2,3,4,5,8,9,16,17,1024,1025}'::int[]) n, generate_series(1, 40) p, generate_series(1, n) r;
CREATE TABLE open (id int PRIMARY KEY, age int);
GRANT SELECT ON open TO suggest_analyst;
CREATE TABLE "b"") s; --" ("select" int PRIMARY KEY, value int);
INSERT INTO "b"") s; --" SELECT i, 5 FROM generate_series(1, 2000) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('extremes', 'id'), dp_agg.protect('nobody', 'id'),
	dp_agg.protect('visits', 'person', 'default', 3, 2), dp_agg.protect('heavy', 'person'), dp_agg.protect('people_rows', 'person'), dp_agg.protect('"b"") s; --"', 'select');
SELECT dp_agg.set_budget('suggest_analyst', 1e6, 1e-3), dp_agg.set_budget('suggest_poor', 0.5, 1e-6);

-- what is made of noisy counts: a threshold that noise passes in none of the
-- bins with a probability of 0.999, and 0.5 % left out at each end
SELECT * FROM dp_agg_internal.occupied_bins('{0,0,5,1000,1000,6,0}', 'laplace', 0);
SELECT * FROM dp_agg_internal.occupied_bins('{0,0,15,1000,1000,16,0}', 'laplace', 0);
SELECT * FROM dp_agg_internal.occupied_bins('{-5,20,-7}', 'laplace', 1), dp_agg_internal.occupied_bins('{-5,2,-7}', 'laplace', 1) x (l, h);
SELECT * FROM dp_agg_internal.occupied_bins('{}', 'laplace', 1), dp_agg_internal.occupied_bins(NULL, 'laplace', 1) x (l, h);
-- the least count that matters is the least whose chance, by the exact tail, is small enough
SELECT bool_and(q ^ t / (1 + q) <= 0.001 / 100 AND q ^ (t - 1) / (1 + q) > 0.001 / 100) AS exact FROM
	(SELECT epsilon, exp(-epsilon) AS q, min(t) AS t FROM unnest('{0.01,0.1,0.5,1,3}'::float8[]) epsilon, generate_series(1, 2000) t
	 WHERE (dp_agg_internal.occupied_bins(array_fill(0::bigint, '{99}') || t::bigint, 'laplace', sqrt(dp_accountant.discrete_laplace_variance(1 / epsilon)))).lowest IS NOT NULL
	 GROUP BY epsilon) x;
SELECT min(t) FROM generate_series(1, 2000) t WHERE (dp_agg_internal.occupied_bins(array_fill(0::bigint, '{99}') || t::bigint, 'gaussian', 10)).lowest IS NOT NULL;
-- noise too small to be squared
SELECT * FROM dp_agg_internal.occupied_bins('{0,3,0}', 'laplace', 1e-200);
SELECT dp_agg_internal.balanced_power('{0,3,0}', 'laplace', 1e-200, '{0,0}'), dp_agg_internal.balanced_power('{0,3,0}', 'gaussian', 1e-200, '{0,0}');
-- what is made of them for max_rows and max_groups: more units above a power than
-- the aim, and than noise would make, in up to four bins next to each other
SELECT dp_agg_internal.balanced_power('{900,0,0,12,0,0}', 'laplace', 0, array_fill(a::float8, '{5}')) AS aimed FROM unnest('{1,12,12.1}'::float8[]) a;
SELECT dp_agg_internal.balanced_power('{0,6,6,6,6,0,0,0}', 'laplace', 0, array_fill(a::float8, '{7}')) AS aimed FROM unnest('{6,7,12,13,24,25}'::float8[]) a;
SELECT dp_agg_internal.balanced_power('{0,0,0,0}', 'laplace', 1, '{0,0,0}') AS nobody, dp_agg_internal.balanced_power('{9,0,0,0}', 'laplace', 1, '{0,0,0}') AS one,
	dp_agg_internal.balanced_power('{9,3,0,0}', 'laplace', 1, '{0,0,0}') AS noise, dp_agg_internal.balanced_power(NULL, 'laplace', 1, '{0,0,0}') AS none;
-- what noise reaches, against exact tails: of a bin it is exact, of several a bound
SELECT bins, round(q::numeric, 3) AS reached, p <= exp(-3.0::float8) AS bounded, p > exp(-3.0::float8) / 20 AS of_use
	FROM (SELECT bins, q, (SELECT sum(w) FROM (SELECT exp(-q) / 2 * CASE bins WHEN 1 THEN 1 ELSE 1 + q / 2 END AS w) x) AS p
		FROM unnest('{1,2}'::int[]) bins, dp_agg_internal.noise_quantile('laplace', sqrt(2 * 1e12), bins, 3) y, LATERAL (SELECT y / 1e6 AS q) z) z;
SELECT dp_agg_internal.noise_quantile('gaussian', 2, 4, 8) AS gaussian, dp_agg_internal.noise_quantile('laplace', 0, 4, 8) AS none;
-- Gaussian noise of a standard deviation of 0.18 is rounded to a count of 1 in 3 bins of 1,000, which says nothing, and to 2 in none
SELECT top.units, dp_agg_internal.balanced_power(top.counts, 'gaussian', 0.18, array_fill(0.14::float8, '{29}')) AS power,
	b.lowest, b.highest
	FROM (SELECT t AS units, array_fill(0::bigint, '{5}') || 300::bigint || array_fill(0::bigint, '{10}') || t || array_fill(0::bigint, '{13}') AS counts
		FROM unnest('{0,1,2}'::bigint[]) t) top, dp_agg_internal.occupied_bins(top.counts[7:], 'gaussian', 0.18) b ORDER BY 1;
-- the noise of a count: 1 / sinh(epsilon) is the mean of |z| under exp(-epsilon |z|)
SELECT bool_and(abs(dp_agg_internal.mean_noise(NULL, e) * (1 + exp(-e)) / (1 - exp(-e)) - (SELECT sum(2 * z * exp(-e * z)) FROM generate_series(1, (100 / e)::int) z)) < 1e-9) AS laplace
	FROM unnest('{0.02,0.5,3}'::float8[]) e;
SELECT dp_agg_internal.mean_noise(NULL, NULL) = dp_agg_internal.mean_noise(NULL, current_setting('dp_agg.epsilon')::float8) AS as_set;

SET ROLE suggest_analyst;
-- At epsilon 50 a bin is off by 10 or more with a probability of 4e-218, and of
-- 257 bins one has any noise at all with one of 1e-19.
SET dp_agg.epsilon = 50;
SELECT * FROM dp_agg.suggest_bounds('people', 'age');
SELECT * FROM dp_agg.suggest_bounds('people', 'owed');
SELECT * FROM dp_agg.suggest_bounds('people', 'large');
SELECT lower * 1024 AS lower, upper * 1024 AS upper FROM dp_agg.suggest_bounds('people', 'f4');
SELECT lower / 1024 AS lower, upper / 1024 AS upper FROM dp_agg.suggest_bounds('people', 'f8');
SELECT log(2, lower::numeric)::int AS lower, log(2, upper::numeric)::int AS upper FROM dp_agg.suggest_bounds('people', 'n');
SELECT * FROM dp_agg.suggest_bounds('people', 'one');
SELECT * FROM dp_agg.suggest_bounds('people', 'zero');
SELECT * FROM dp_agg.suggest_bounds('people', 'none');
SELECT * FROM dp_agg.suggest_bounds('people', 'mixed');
SELECT * FROM dp_agg.suggest_bounds('people', 'odd "name"');
SELECT * FROM dp_agg.suggest_bounds('nobody', 'age');
SELECT * FROM dp_agg.suggest_bounds('"b"") s; --"', 'value');
SELECT * FROM dp_agg.suggest_bounds('"b"") s; --"', 'select', filter => '"select" < 1024 AND value = 5');
SELECT * FROM dp_agg.suggest_bounds('extremes', 's');
SELECT * FROM dp_agg.suggest_bounds('extremes', 'i');
SELECT lower::bigint, upper::bigint FROM dp_agg.suggest_bounds('extremes', 'b');
SELECT - lower = 2::float8 ^ 64 AS lower, upper = 2::float8 ^ 64 AS upper FROM dp_agg.suggest_bounds('extremes', 'f4');
SELECT - lower = 2::float8 ^ 64 AS lower, upper = 2::float8 ^ 64 AS upper FROM dp_agg.suggest_bounds('extremes', 'f8');
SELECT - lower = 2::float8 ^ 64 AS lower, upper = 2::float8 ^ 64 AS upper FROM dp_agg.suggest_bounds('extremes', 'n');
SELECT * FROM dp_agg.suggest_bounds('extremes', 'n', filter => 'id % 4 = 2');
SELECT * FROM dp_agg.suggest_bounds('extremes', 'n', filter => 'id % 4 = 3');
-- what they are for
SELECT abs(dp_avg(age, 1, 127) - 50.5) < 0.1 AS right FROM people;
-- every power of two in its own bin
RESET ROLE;
CREATE TABLE powers AS SELECT 1000 * k + i AS id, 2::float8 ^ k AS f, - (2::float8 ^ k) AS g, k FROM generate_series(-64, 63) k, generate_series(1, 20) i;
ALTER TABLE powers ADD PRIMARY KEY (id);
SELECT dp_agg.protect('powers', 'id');
SET ROLE suggest_analyst;
SELECT count(*), bool_and(f.lower = 2::float8 ^ k AND f.upper = 2::float8 ^ (k + 1)) AS right, bool_and(g.upper = - f.lower AND g.lower = - f.upper) AS mirrored
	FROM generate_series(-64, 63) k, LATERAL dp_agg.suggest_bounds('powers', 'f', filter => 'k = ' || k) f,
	LATERAL dp_agg.suggest_bounds('powers', 'g', filter => 'k = ' || k) g;

-- many rows per unit: units count, not rows, and one of them moves nothing
SELECT * FROM dp_agg.suggest_bounds('visits', 'cost');
SELECT dp_agg.suggest_max_rows('visits', query_epsilon => 0.5);
SELECT dp_agg.suggest_max_groups('visits', 'clinic', query_epsilon => 0.5);
-- where noise is nothing, one is worth the bound
SELECT dp_agg.suggest_max_rows('visits'), dp_agg.suggest_max_groups('visits', 'clinic');
-- ten units of 5,000 rows are worth more rows, and groups, as long as the noise is that of fewer
SELECT q, dp_agg.suggest_max_rows('heavy', query_epsilon => q) AS rows, dp_agg.suggest_max_groups('heavy', 'clinic', query_epsilon => q) AS groups,
	dp_agg.suggest_max_groups('heavy', 'clinic', query_epsilon => q, groups => 1) AS of_one FROM unnest('{1,0.2,0.05,0.001}'::float8[]) q;
-- at exact powers of two
SELECT n, dp_agg.suggest_max_rows('people_rows', filter => 'n = ' || n) FROM unnest('{1,2,3,4,5,8,9,16,17,1024,1025}'::int[]) n;
SELECT dp_agg.suggest_max_rows('visits', filter => 'cost < 12'), dp_agg.suggest_max_groups('visits', 'clinic', filter => 'clinic IS NULL');
SELECT dp_agg.suggest_max_rows('people'), dp_agg.suggest_max_groups('people', 'city');
SELECT dp_agg.suggest_max_rows('nobody'), dp_agg.suggest_max_groups('nobody', 'age');

-- filters
SELECT * FROM dp_agg.suggest_bounds('people', 'age', filter => $$ age > 64 AND people.city = 'city 0' -- $$);
SELECT * FROM dp_agg.suggest_bounds('people', 'age', filter => 'false');

-- each is charged once, at its epsilon or the setting
CREATE FUNCTION charged(call text, OUT statements bigint, OUT epsilon numeric) LANGUAGE plpgsql AS $$
DECLARE
	b record;
BEGIN
	SELECT * INTO b FROM dp_agg.budgets;
	EXECUTE call;
	SELECT x.statements - b.statements, round((x.epsilon_spent - b.epsilon_spent)::numeric, 3) INTO statements, epsilon FROM dp_agg.budgets x;
END $$;
SET dp_agg.epsilon = 20;
SELECT c.* FROM unnest(ARRAY[
	$$ SELECT dp_agg.suggest_bounds('people', 'age') $$,
	$$ SELECT dp_agg.suggest_bounds('people', 'age', 10) $$,
	$$ SELECT dp_agg.suggest_bounds('people', 'age', 10, 'age > 500') $$,
	$$ SELECT dp_agg.suggest_bounds('nobody', 'age', 10) $$,
	$$ SELECT dp_agg.suggest_bounds('visits', 'cost', 10) $$,
	$$ SELECT dp_agg.suggest_max_rows('visits', 10) $$,
	$$ SELECT dp_agg.suggest_max_groups('visits', 'clinic', 10) $$]) call, charged(call) c;
SELECT aggregate, mechanism, epsilon, delta FROM dp_agg.last_release();
-- whatever becomes of the transaction
SELECT statements AS before FROM dp_agg.budgets \gset
BEGIN;
SELECT * FROM dp_agg.suggest_bounds('people', 'age', 10);
ROLLBACK;
SELECT statements - :before AS charged FROM dp_agg.budgets;
SET dp_agg.mechanism = gaussian;
SELECT * FROM dp_agg.suggest_bounds('people', 'age', 10);
SELECT mechanism, epsilon, delta FROM dp_agg.last_release();
-- at epsilon 10000 its standard deviation is 0.0071
SET dp_agg.delta = 1e-6;
SELECT q, dp_agg.suggest_max_rows('heavy', 10000, query_epsilon => q) AS rows, dp_agg.suggest_max_groups('heavy', 'clinic', 10000, query_epsilon => q) AS groups FROM unnest('{5,0.5,0.02}'::float8[]) q;
RESET dp_agg.delta;
RESET dp_agg.mechanism;

-- refusals: fixed words, and nothing charged
SELECT statements AS before FROM dp_agg.budgets \gset
CREATE FUNCTION complaint(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE 'SELECT * FROM dp_agg.suggest_' || call;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE || ': ' || SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;
SELECT call, complaint(call) FROM unnest(ARRAY[
	$$bounds('people', 'missing')$$,
	$$bounds('people', 'city')$$,
	$$bounds('people', 'born')$$,
	$$bounds('people', 'ctid')$$,
	$$bounds('people', 'age + 1')$$,
	$$bounds('missing', 'age')$$,
	$$bounds('open', 'age')$$,
	$$bounds('pg_class', 'relpages')$$,
	$$bounds(0, 'age')$$,
	$$max_groups(0, 'age')$$,
	$$bounds(NULL, 'age')$$,
	$$bounds('people', NULL)$$,
	$$bounds('people', 'age', 0)$$,
	$$bounds('people', 'age', 'NaN')$$,
	$$bounds('people', 'age', 1e9)$$,
	$$bounds('people', 'age', filter => 'true) OR (true')$$,
	$$bounds('people', 'age', filter => 'true))) s GROUP BY 1) b; CREATE TABLE suggest.injected (); SELECT ''{1}''::bigint[] FROM (SELECT 1 FROM (SELECT 1 FROM suggest.open people WHERE ((true')$$,
	$$bounds('people', 'age', filter => 'true; SELECT 1')$$,
	$$bounds('people', 'age', filter => 'true GROUP BY age')$$,
	$$bounds('people', 'age', filter => 'true UNION SELECT true')$$,
	$$bounds('people', 'age', filter => 'true, false')$$,
	$$bounds('people', 'age', filter => '*')$$,
	$$bounds('people', 'age', filter => '')$$,
	$$bounds('people', 'age', filter => 'age')$$,
	$$bounds('people', 'age', filter => 'missing > 1')$$,
	$$bounds('people', 'age', filter => 'suggest.complaint(age::text) IS NULL')$$,
	$$bounds('people', 'age', filter => 'random() > 0.5')$$,
	$$bounds('people', 'age', filter => 'EXISTS (SELECT FROM suggest.open WHERE people.age > 1)')$$,
	$$max_rows(NULL)$$,
	$$max_rows('open')$$,
	$$max_rows('people', -1)$$,
	$$max_rows('people', filter => 'count(*) > 5')$$,
	$$max_rows('people', filter => 'true) OR (true')$$,
	$$max_rows('people', query_epsilon => 0)$$,
	$$max_rows('people', query_epsilon => 'NaN')$$,
	$$max_rows('people', query_epsilon => 1e9)$$,
	$$max_groups('people', 'city', query_epsilon => -1)$$,
	$$max_groups('people', 'city', groups => 0)$$,
	$$max_groups('people', NULL)$$,
	$$max_groups(NULL, 'age')$$,
	$$max_groups('open', 'age')$$,
	$$max_groups('people', 'missing')$$]) call;
SELECT statements - :before AS charged FROM dp_agg.budgets;
SELECT to_regclass('injected') AS injected;
SELECT * FROM people;

-- they run as whoever calls them
SELECT proname, prosecdef, proconfig FROM pg_proc WHERE pronamespace IN ('dp_agg'::regnamespace, 'dp_agg_internal'::regnamespace)
	AND proname IN ('suggest_bounds', 'suggest_max_rows', 'suggest_max_groups', 'magnitudes', 'occupied_bins') ORDER BY 1;

-- without a budget, and beyond it
GRANT EXECUTE ON FUNCTION complaint(text) TO suggest_stranger, suggest_poor;
RESET ROLE;
SET ROLE suggest_stranger;
SELECT complaint($$bounds('people', 'age')$$);
SELECT complaint($$max_rows('visits')$$);
SELECT complaint($$max_groups('visits', 'clinic')$$);
RESET ROLE;
SET ROLE suggest_poor;
SET dp_agg.epsilon = 0.3;
SELECT complaint($$bounds('nobody', 'age', 0.3)$$);
SELECT complaint($$bounds('people', 'age')$$) LIKE '53400: %' AS exhausted;
SELECT complaint($$max_rows('people')$$) LIKE '53400: %' AS exhausted;
SELECT statements, refusals FROM dp_agg.budgets;
RESET ROLE;

-- names are looked up nowhere but where they should be
CREATE FUNCTION suggest.floor(float8) RETURNS float8 LANGUAGE sql AS 'SELECT -5.0::float8';
CREATE FUNCTION suggest.dp_count("any") RETURNS bigint LANGUAGE internal AS 'int4pl';
SET ROLE suggest_analyst;
SET search_path = suggest, pg_catalog, public;
SELECT * FROM dp_agg.suggest_bounds('people', 'age', 50);

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA suggest CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE suggest_analyst, suggest_stranger, suggest_poor;
RESET search_path;
-- in a schema of its own
CREATE SCHEMA "odd %s schema";
CREATE EXTENSION dp_agg SCHEMA "odd %s schema";
CREATE TABLE suggest_people (id int PRIMARY KEY, age int);
INSERT INTO suggest_people SELECT i, 5 FROM generate_series(1, 2000) i;
SELECT dp_agg.protect('suggest_people', 'id'), dp_agg.set_budget(current_user::regrole, 1000, 1e-6);
SELECT * FROM dp_agg.suggest_bounds('suggest_people', 'age', 50), dp_agg.suggest_max_rows('suggest_people', 50);
DROP TABLE suggest_people;
SELECT dp_agg.drop_budget(current_user::regrole);
DROP EXTENSION dp_agg;
DROP SCHEMA "odd %s schema";
