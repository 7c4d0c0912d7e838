--
-- interval: where released values would lie without noise
--
CREATE EXTENSION dp_agg;
CREATE ROLE interval_analyst;
CREATE SCHEMA intervals AUTHORIZATION interval_analyst;
SET search_path = intervals, public;
CREATE TABLE people (id int PRIMARY KEY, city text, m boolean NOT NULL, i int, n numeric, d float8);
INSERT INTO people SELECT k, 'city ' || k % 3, k % 2 = 0, k % 50, k % 50, k % 50 FROM generate_series(1, 1000) k;
CREATE TABLE visits (person int, i int);
INSERT INTO visits SELECT k / 2, k % 50 FROM generate_series(1, 1000) k;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 2);
SELECT dp_agg.set_budget('interval_analyst', 1e9, 0.5, partition_share => 0.5);
SET ROLE interval_analyst;
SET dp_agg.epsilon = 1;

-- The interval belongs to the value beside it: one release, one draw, one price.
CREATE VIEW answered AS SELECT dp_count(*) AS c, dp_interval(dp_count(*)) AS ci, dp_sum(i, 0, 50) AS si, dp_interval(dp_sum(i, 0, 50), 0.5) AS sii,
	dp_sum(n, 0, 50) AS sn, dp_interval(dp_sum(n, 0, 50), 0.9) AS sni, dp_sum(d, 0, 50) AS sd, dp_interval(dp_sum(d, 0, 50), 0.9) AS sdi,
	dp_avg(d, 0, 50) AS a, dp_interval(dp_avg(d, 0, 50)) AS ai, dp_variance(i, 0, 50) AS v, dp_interval(dp_variance(i, 0, 50)) AS vi,
	dp_stddev(i, 0, 50) AS s, dp_interval(dp_stddev(i, 0, 50)) AS sti, dp_corr(i, d, 0, 50, 0, 50) AS r, dp_interval(dp_corr(i, d, 0, 50, 0, 50)) AS ri,
	dp_covar_pop(i, d, 0, 50, 0, 50) AS p, dp_interval(dp_covar_pop(i, d, 0, 50, 0, 50)) AS pi,
	dp_regr_slope(i, d, 0, 50, 0, 50) AS b, dp_interval(dp_regr_slope(i, d, 0, 50, 0, 50)) AS bi,
	dp_regr_intercept(i, d, 0, 50, 0, 50) AS t, dp_interval(dp_regr_intercept(i, d, 0, 50, 0, 50)) AS ti FROM people;
SELECT count(*) AS releases, round(sum(epsilon)::numeric, 3) AS epsilon FROM dp_agg.price('TABLE answered');
SELECT ci @> c::numeric AS c, sii @> si::numeric AS si, sni @> sn AS sn, sdi @> sd::numeric AS sd, ai @> a::numeric AS a, vi @> v::numeric AS v,
	sti @> s::numeric AS s, ri @> r::numeric AS r, pi @> p::numeric AS p, bi @> b::numeric AS b, ti @> t::numeric AS t FROM answered;
SELECT upper(ci) - c = half_width_95::numeric AS of_price, lower(ci) + upper(ci) = 2 * c AS symmetric
	FROM answered, dp_agg.last_release() WHERE aggregate = 'dp_count(*)';
SET dp_agg.mechanism = gaussian;
SELECT ci @> c::numeric AS c, sii @> si::numeric AS si, sni @> sn AS sn, sdi @> sd::numeric AS sd, ai @> a::numeric AS a, vi @> v::numeric AS v,
	sti @> s::numeric AS s, ri @> r::numeric AS r, pi @> p::numeric AS p, bi @> b::numeric AS b, ti @> t::numeric AS t FROM answered;
RESET dp_agg.mechanism;

-- Wider for more certainty; the level may be anything, as all above a release.
SELECT dp_interval(dp_avg(d, 0, 50), 0.99) @> dp_interval(dp_avg(d, 0, 50), 0.5) AS wider,
	dp_interval(dp_count(*), 0.5) <@ dp_interval(dp_count(*), 0.999999) AS narrower, dp_interval(dp_count(*), NULL) IS NULL AS unknown FROM people;
SELECT level, dp_interval @> dp_count::numeric AS within FROM (VALUES (0.5), (0.9)) l(level), LATERAL
	(SELECT dp_count(*), dp_interval(dp_count(*), 0.5) FROM people) q;
PREPARE at (float8) AS SELECT dp_interval(dp_sum(n, 0, 50), $1) @> dp_sum(n, 0, 50) AS within FROM people;
EXECUTE at (0.9);
-- Truth is within, but for a chance of 1e-11 each.
SELECT dp_interval(dp_count(*), 0.99999999999) @> 1000::numeric AS c, dp_interval(dp_avg(i, 0, 50), 0.99999999999) @> 24.5 AS a,
	dp_interval(dp_variance(d, 0, 50), 0.99999999999) @> 208.46 AS v, dp_interval(dp_corr(i, d, 0, 50, 0, 50), 0.99999999999) @> 1.0 AS r FROM people;
SELECT dp_interval(dp_count(*), 0.99999999999) @> 1000::numeric AS c, dp_interval(dp_avg(i, 0, 50), 0.99999999999) @> 24.5 AS a FROM visits;
-- in groups, in HAVING and ORDER BY
SELECT m, dp_interval(dp_avg(i, 0, 50), 0.99999999999) @> CASE WHEN m THEN 24 ELSE 25 END::numeric AS right FROM people GROUP BY m;
SELECT city, dp_interval(dp_count(*), 0.99999999999) && numrange(333, 334, '[]') AS right FROM people GROUP BY city
	HAVING dp_interval(dp_count(*), 0.99999999999) @> 300.0 IS NOT NULL ORDER BY city DESC, dp_interval(dp_count(*));
SELECT city, dp_interval(dp_stddev(i, 0, 50), 0.99999999999) @> 14.43 AS right FROM people GROUP BY city;
-- A count that decides on its group is one of somebody: of two hundred groups of one, each answered with probability 0.1,
-- some are, but for a chance of 1e-9, and none is said to be empty.
SET dp_agg.delta = 0.1;
SELECT count(*) > 0 AS some, bool_and(lower(r) >= 1 AND upper(r) >= lower(r)) AS somebody
	FROM (SELECT dp_interval(dp_count(*)) AS r FROM people WHERE id <= 200 GROUP BY id) q;
RESET dp_agg.delta;

-- Quantiles: between others of the same values, where a count tells how many ranks apart they are.  Ranks are 200 apart here, and off
-- by more than 50 with a probability below 51 exp(-36): so these are the ones taken, and their values in order.
CREATE VIEW ranked AS SELECT dp_count(*) AS c, dp_quantile(i, 0.3, 0, 50) AS low, dp_median(i, 0, 50) AS m, dp_quantile(i, 0.7, 0, 50) AS high, dp_interval(dp_median(i, 0, 50)) AS mi,
	dp_interval(dp_median(i, 0, 50), 0.99999999999) AS certain, dp_interval(dp_quantile(i, 0.3, 0, 50)) AS li, dp_interval(dp_max(i, 0, 50)) AS greatest, dp_max(i, 0, 50) AS max,
	dp_interval(dp_min(i, 0, 50)) AS least, dp_min(i, 0, 50) AS min FROM people WHERE i IS NOT NULL;
SELECT count(*) AS releases, sum(epsilon) AS epsilon FROM dp_agg.price('TABLE ranked');
SELECT lower(mi) = low::numeric AND upper(mi) = high::numeric AS between, mi @> m::numeric AS within, certain @> 24.0 AS right, lower(li) = min::numeric AND upper(li) = m::numeric AS of_low,
	lower(greatest) = max::numeric AND upper(greatest) = 50 AS of_max, upper(least) = min::numeric AND lower(least) = 0 AS of_min FROM ranked;
-- Too few rows for such fractions: the bounds.  Those that are closer than 8 ranks are left out, for others.
SELECT dp_interval(dp_median(i, 0, 50)) AS few FROM people WHERE id <= 70 HAVING dp_count(i) > 0 AND dp_quantile(i, 0.4, 0, 50) < dp_quantile(i, 0.6, 0, 50) IS NOT NULL;
SELECT lower(r) = a::numeric AND upper(r) = b::numeric AS further FROM (SELECT dp_interval(dp_median(i, 0, 50)) AS r, dp_count(i) AS c, dp_quantile(i, 0.1, 0, 50) AS a, dp_quantile(i, 0.495, 0, 50) AS near,
	dp_quantile(i, 0.505, 0, 50) AS near_too, dp_quantile(i, 0.9, 0, 50) AS b FROM people) q;
-- in groups, by Gaussian counts, of many rows of a person; the extremes without a count
SET dp_agg.mechanism = gaussian;
SELECT city, dp_interval(dp_median(i, 0, 50), 0.99999) @> 24.0 AS right, dp_quantile(i, 0.2, 0, 50) < dp_quantile(i, 0.8, 0, 50) AS apart FROM people GROUP BY city HAVING dp_count(i) > 0;
RESET dp_agg.mechanism;
SELECT dp_interval(dp_quantile(i, 0.4, 0, 50)) @> 19.0 AS right, dp_count(i) > 0 AS some, dp_quantile(i, 0.1, 0, 50) < dp_quantile(i, 0.9, 0, 50) AS apart FROM visits;
SELECT lower(dp_interval(dp_max(n, 0, 50))) = dp_max(n, 0, 50)::numeric AS greatest, dp_interval(dp_max(n, 0, 50), 0.9999) AS too_certain FROM people;
SELECT dp_interval(dp_max(n, 0, 50)) AS nobody FROM people WHERE id < 0 HAVING dp_max(n, 0, 50) IS NULL;

-- What is refused.
SELECT dp_interval(1);
\echo :SQLSTATE
SELECT dp_interval(dp_median(i, 0, 50)) FROM people;
\echo :SQLSTATE
SELECT dp_interval(dp_median(i, 0, 50)), dp_count(*), dp_quantile(i, 0.4, 0, 50), dp_quantile(i, 0.6, 0, 50) FROM people;
\echo :SQLSTATE
SELECT dp_interval(dp_median(i, 0, 50)), dp_count(i), dp_quantile(i, 0.4, 0, 60), dp_quantile(n, 0.6, 0, 50) FROM people;
\echo :SQLSTATE
SELECT dp_interval(dp_median(i, 0, 50)), dp_count(DISTINCT i), dp_quantile(i, 0.4, 0, 50) FROM people;
\echo :SQLSTATE
SELECT dp_agg_internal.interval_between(ARRAY[1], 1, '\x00', 0.5);
\echo :SQLSTATE
SELECT dp_agg_internal.interval_between(ARRAY[1], 1, decode(repeat('00', 120), 'hex'), 0.5);
\echo :SQLSTATE
SELECT dp_interval(i) FROM people;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE dp_interval(i) IS NULL;
\echo :SQLSTATE
SELECT dp_interval(dp_count(*), 1) FROM people;
\echo :SQLSTATE
SELECT dp_interval(dp_count(*), 'NaN') FROM people;
\echo :SQLSTATE
-- what is known after the charge alone is no error
SELECT dp_interval(dp_count(*), random() + 1), dp_interval(dp_count(*), dp_count(*)), dp_interval(dp_count(*) - 1, dp_count(*)) FROM people;
\echo :SQLSTATE
SELECT (SELECT dp_interval(dp_count(p.i))) FROM people p;
\echo :SQLSTATE
SELECT dp_agg_internal.interval_around(1, '\x00', 0.5);
\echo :SQLSTATE
SELECT dp_agg_internal.interval_clamped(1, '\x00', 0.5, '\x00');
\echo :SQLSTATE

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA intervals CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE interval_analyst;
