# Attacks on moments, on quantiles over many rows per unit, on samples, on intervals and
# on randomised answers: values that break arithmetic, ways to compute something of
# one's own on the way, and everything that could tell how many rows a unit has.
#
# Every attack is carried out in databases that differ by one person alone, the
# outlier with most of the rows; an analyst must be shown the same in all, but
# for noise.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";
use AttackTest;

my $server = new_neighbours('mechanisms', analyst => <<'SQL');
CREATE FUNCTION tell(float8) RETURNS float8 IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE NOTICE ''told %'', $1; RETURN $1; END';
CREATE FUNCTION tell_all(float8, float8) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS
	'BEGIN RAISE NOTICE ''told % %'', $1, $2; RETURN $1; END';
CREATE AGGREGATE heard(float8) (SFUNC = tell_all, STYPE = float8);
CREATE TABLE kept (x text);
SQL

$server->attack(<<'ATTACKS');
@ moments of huge, infinite and unknown values | 4 |
SELECT coalesce(dp_variance(score * 1e10, 0, 100), 0) AS noisy, coalesce(dp_stddev(pay / age, 0, 1), 0) AS noisy_2 FROM people;
SELECT coalesce(dp_corr(score * 'Infinity', pay, 0, 10, 0, 2000), 0) AS noisy, coalesce(dp_covar_pop(pay / age, score, 0, 10, 0, 10), 0) AS noisy_2 FROM people;
SELECT clinic, coalesce(dp_regr_slope(cost * cost, minutes, 0, 100, 0, 60), 0) AS noisy FROM visits WHERE clinic LIKE 'clinic%' GROUP BY clinic;
SELECT secret, coalesce(dp_stddev(age, 0, 100), 0) AS noisy, coalesce(dp_regr_intercept(age, secret, 0, 1, 0, 1), 0) AS noisy_2 FROM lone GROUP BY secret;
@ moments of one person, NULL or not | 3 |
SELECT coalesce(dp_variance(pay, 0, 1e10), 0) AS noisy FROM people WHERE id = 5000;
SELECT coalesce(dp_covar_samp(minutes, cost, 0, 1e9, 0, 1e9), 0) AS noisy, coalesce(dp_corr(minutes, cost, 0, 1, 0, 1), 0) AS noisy_2 FROM visits WHERE person = 5000;
SELECT coalesce(dp_regr_slope(CASE WHEN age = 0 THEN NULL ELSE score END, pay, 0, 10, 0, 1e10), 0) AS noisy FROM people WHERE age = 0;
@ moments of bounds without width, or with a huge one | 2 |
SELECT coalesce(dp_variance(age, 5, 5), 0) AS noisy, coalesce(dp_corr(age, pay, 5, 5, 1, 1), 0) AS noisy_2, coalesce(dp_regr_slope(age, pay, 0, 1, 3, 3), 0) AS noisy_3 FROM people;
SELECT coalesce(dp_stddev(score, -1e150, 1e150), 0) AS noisy, coalesce(dp_covar_pop(score, pay, -1e100, 1e100, 0, 1), 0) AS noisy_2 FROM people;
@ bounds and epsilon of moments from the data | 0 | 0A000 0A000 0A000
SELECT dp_covar_pop(age, pay, 0, tag, 0, 1) FROM people;
SELECT dp_corr(age, pay, 0, 1, 0, 1, score) FROM people;
SELECT dp_variance(age, 0, (SELECT max(age) FROM people)) FROM people;
@ moments: bounds out of range | 0 | 22023 22023 22023
= once | it is the bounds that are attacked
SELECT dp_corr(age, pay, 0, 1, 1, 0) FROM people;
SELECT dp_regr_slope(age, pay, 0, 'NaN', 0, 1) FROM people;
SELECT dp_covar_samp(age, pay, 0, 1, 0, 1, 'Infinity') FROM people;
@ functions of one's own within moments and quantiles | 0 | 0A000 0A000 0A000 0A000
SELECT dp_covar_pop(tell(age), pay, 0, 1, 0, 1) FROM people;
SELECT dp_corr(age, tell(pay::float8), 0, 1, 0, 1) FROM people;
SELECT dp_median(tell(minutes), 0, 1) FROM visits;
SELECT heard(age), dp_variance(age, 0, 1) FROM people;
@ moments that differ by a filter or an order | 1 | 0A000 0A000
SELECT dp_variance(age, 0, 1) FILTER (WHERE secret - 7319000000 = 555000) FROM people;
SELECT dp_corr(age, pay, 0, 1, 0, 1 ORDER BY secret) FROM people;
SELECT dp_variance(DISTINCT age, 0, 1) FROM people;
@ the exact aggregates beneath | 0 | 0A000 0A000 0A000 42501
SELECT dp_agg_internal.exact_cells(minutes, '\x00') FROM visits;
SELECT dp_agg_internal.exact_moments(age, '\x00') FROM people;
SELECT dp_agg_internal.exact_cells(minutes, '\x00'), dp_median(minutes, 0, 1) FROM visits;
SELECT dp_agg_internal.place_pair(score, score, '\x00') FROM people;
@ quantiles of many rows per unit | 5 |
SELECT dp_median(minutes, 0, 100) AS maybe FROM visits;
SELECT dp_median(minutes, 0, 2147483647) AS maybe, dp_max(minutes, 0, 2147483647) AS maybe_2, dp_min(cost, 0, 1e99) AS maybe_3 FROM visits;
SELECT dp_quantile(cost * 1e300, 0.99, 0, 1) AS maybe, dp_median(1 / (cost - 10), 0, 1) AS maybe_2 FROM visits;
SELECT dp_median(minutes, 0, 100) AS maybe FROM visits WHERE person = 5000;
SELECT dp_median(cost, 0, 100) AS maybe FROM parts WHERE day > '2022-01-01';
@ quantiles one inside the other, which are NULL together | 4 |
SELECT dp_quantile(minutes, 0.25, 0, 100) AS maybe, dp_median(minutes, 0, 100) AS maybe_2, dp_quantile(minutes, 0.75, 0, 100) AS maybe_3 FROM visits;
SELECT dp_quantile(minutes, 0.25, 0, 100) AS maybe, dp_median(minutes, 0, 100) AS maybe_2, dp_quantile(minutes, 0.75, 0, 100) AS maybe_3 FROM visits WHERE person = 5000;
SELECT num_nulls(low, middle, high) IN (0, 3) AND (low <= middle AND middle <= high) IS NOT FALSE AS together FROM (SELECT dp_quantile(pay, 0.25, 0, 2000) AS low, dp_median(pay, 0, 2000) AS middle, dp_quantile(pay, 0.75, 0, 2000) AS high FROM people WHERE id = 5000) q;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT dp_quantile(minutes, 0.25, 0, 100), dp_median(minutes, 0, 100), dp_quantile(minutes, 0.75, 0, 100) FROM visits WHERE minutes > 5;
@ quantiles of many rows that do not fit into memory | 4 |
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT dp_median(minutes, 0, 100) AS maybe FROM visits;
SELECT dp_median(cost, 0, 100) AS maybe, dp_median(minutes, 0, 100) AS maybe_2 FROM visits WHERE minutes > 5;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT dp_median(minutes, 0, 100) FROM visits;
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF, FORMAT JSON) SELECT dp_median(cost, 0, 100) FROM parts;
@ plans of moments and quantiles | 0 |
EXPLAIN (VERBOSE) SELECT dp_median(minutes, 0, 100) FROM visits WHERE minutes > 5;
EXPLAIN (VERBOSE) SELECT dp_corr(minutes, cost, 0, 100, 0, 100), dp_median(minutes, 0, 100) FROM visits WHERE minutes > 5;
EXPLAIN (BUFFERS, FORMAT JSON) SELECT dp_regr_slope(age, pay, 0, 100, 0, 2000) FROM people WHERE age = 0;
@ plans of moments and quantiles as they ran | 3 |
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT dp_corr(minutes, cost, 0, 100, 0, 100) FROM visits WHERE minutes > 5;
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT dp_regr_slope(age, pay, 0, 100, 0, 2000) FROM people WHERE age = 0;
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT dp_variance(age, 0, 100), dp_median(age, 0, 100) FROM people;
@ moments and quantiles with all messages | 2 |
SET client_min_messages = debug5;
SELECT dp_median(minutes, 0, 100) AS maybe FROM visits;
SELECT coalesce(dp_corr(minutes, cost, 0, 100, 0, 100), 0) AS noisy FROM visits;
RESET client_min_messages;
@ intervals are of what was released | 3 |
SELECT coalesce(dp_interval(dp_corr(age, pay, 0, 100, 0, 2000))::text, '') AS noisy, coalesce(dp_interval(dp_stddev(score, 0, 10), 0.5)::text, '') AS noisy_2 FROM people;
SELECT city, dp_interval(dp_count(*))::text AS noisy, dp_interval(dp_avg(pay, 0, 2000), 0.999)::text AS noisy_2 FROM people GROUP BY city;
SELECT upper_inf(dp_interval(dp_sum(minutes, 0, 100))) AS endless FROM visits WHERE person = 5000;
@ intervals of arithmetic are of what was released | 7 |
= 6 | 0A000 | terms are of dp_ aggregates
SELECT dp_interval(dp_count(*) * 2 - dp_sum(age, 0, 100) / 7)::text AS noisy, coalesce(dp_interval(dp_avg(age, 0, 100) - dp_avg(pay, 0, 2000))::text, '') AS noisy_2 FROM people;
SELECT city, dp_interval(100.0 * dp_count(*) / sum(dp_count(*)) OVER ())::text AS noisy, upper_inf(dp_interval(sum(dp_count(*)) OVER (ORDER BY city))) AS endless FROM people GROUP BY city;
SELECT clinic, dp_interval(n - lag(n, 1, 0::bigint) OVER (ORDER BY clinic))::text AS noisy FROM (SELECT clinic, dp_count(*) AS n FROM visits WHERE clinic IN ('clinic 0', 'clinic 1') GROUP BY clinic) q;
SELECT dp_interval(n - n) AS nothing, isempty(dp_interval(n)) AS empty FROM (SELECT dp_count(*) AS n FROM visits WHERE person = 5000) q;
WITH w AS (SELECT dp_count(*) AS n FROM people WHERE id = 5000) SELECT dp_interval(a.n - b.n) AS same FROM w a, w b;
SELECT length(dp_agg_internal.term(dp_count(*))) AS bytes FROM people WHERE age = 0;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT dp_interval(dp_count(*) * 2 - dp_sum(cost, 0, 100)) FROM visits WHERE person = 5000;
@ intervals of something else | 0 | 0A000 0A000 42803 0A000
SELECT dp_interval(dp_median(minutes, 0, 100)) FROM visits;
SELECT dp_interval(age) FROM people;
SELECT dp_interval(dp_count(*), score) FROM people;
SELECT dp_count(*) FROM people WHERE dp_interval(age) IS NOT NULL;
@ samples | 5 |
SET dp_agg.sample_rate = 0.5;
SELECT dp_count(*) AS noisy, coalesce(dp_variance(age, 0, 100), 0) AS noisy_2, dp_median(age, 0, 100) AS maybe_3 FROM people;
SELECT dp_median(minutes, 0, 100) AS maybe FROM visits;
SELECT clinic, dp_count(*) AS noisy FROM visits WHERE clinic IN ('clinic 0', 'clinic 1') GROUP BY clinic;
SELECT dp_count(*) AS noisy FROM people WHERE id = 5000;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) FROM visits WHERE person = 5000;
RESET dp_agg.sample_rate;
@ samples of one's own choice | 0 | 42501 42501 0A000 22023
SELECT dp_agg_internal.sampled(id, '\x00', 0) FROM people;
SELECT dp_agg_internal.sample_key() IS NULL FROM people;
SELECT dp_count(*) FROM people TABLESAMPLE BERNOULLI (50);
SET dp_agg.sample_rate = 0;
@ randomised answers are for tables of one's own | 0 | 42501 0A000 0A000 0A000
SELECT dp_randomize(active, 1) FROM people;
SELECT dp_randomized_estimate(active, 1) FROM people;
SELECT dp_count(*) FROM people WHERE dp_randomize(age = 0, 50);
SELECT dp_count(dp_randomize(city, ARRAY['Aachen', 'Bremen', 'Celle'], 50)) FROM people;
@ randomised answers on the way into a table | 0 | 42501 0A000
INSERT INTO kept SELECT dp_randomize(city, ARRAY['Aachen', 'Bremen', 'Celle'], 10) FROM people;
INSERT INTO kept SELECT dp_randomize(city, ARRAY['Aachen'], 10) FROM (SELECT city, dp_count(dp_randomize(city, ARRAY['Aachen', 'Celle'], 1)) FROM people GROUP BY city) x;
ATTACKS

$server->finish;
