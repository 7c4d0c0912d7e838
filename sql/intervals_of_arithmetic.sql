--
-- intervals_of_arithmetic: where arithmetic on released values would lie without noise
--
-- Intervals of probability 1 - 1e-11 hold the truth, but for a chance of 1e-11 each.
\set certain 0.99999999999
CREATE EXTENSION dp_agg;
CREATE ROLE arithmetic_analyst;
CREATE SCHEMA arithmetic AUTHORIZATION arithmetic_analyst;
SET search_path = arithmetic, public;
CREATE TABLE people (id int PRIMARY KEY, city text, m boolean NOT NULL, month int, i int, n numeric, d float8);
INSERT INTO people SELECT k, 'city ' || k % 3, k % 2 = 0, k % 4, k % 50, k % 50, k % 50 FROM generate_series(1, 1200) k;
CREATE TABLE visits (person int, i int);
INSERT INTO visits SELECT k / 2, k % 50 FROM generate_series(2, 1201) k;
CREATE TABLE areas (city text, area int);
INSERT INTO areas SELECT 'city ' || k, 10 * (k + 1) FROM generate_series(0, 2) k;
GRANT SELECT ON areas TO arithmetic_analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 2);
SELECT dp_agg.set_domain('people', c, 0, 50) FROM unnest(ARRAY['i', 'n', 'd']) c;
SELECT dp_agg.set_domain('visits', 'i', 0, 50);
SELECT dp_agg.set_budget('arithmetic_analyst', 1e9, 0.5, partition_share => 0.5);
SET ROLE arithmetic_analyst;
SET dp_agg.epsilon = 1;
SET client_min_messages = warning;

-- Plain aggregates, as ours: what they cost alone, in groups, in HAVING and ORDER BY.
SELECT (SELECT sum(epsilon) FROM dp_agg.price('SELECT count(*), sum(i), dp_interval(count(*)), dp_interval(sum(i)), dp_interval(sum(i) - 2.5 * count(*)) FROM people')) =
	(SELECT sum(epsilon) FROM dp_agg.price('SELECT count(*), sum(i) FROM people')) AS no_charge;
SELECT upper(dp_interval(count(*))) - count(*) = count(*) - lower(dp_interval(count(*))) AS around, dp_interval(count(*), :certain) @> 1200.0 AS c, dp_interval(sum(i), :certain) @> 29400.0 AS s,
	dp_interval(avg(d), :certain) @> 24.5 AS a, dp_interval(stddev(i), :certain) @> 14.43 AS sd, dp_interval(stddev_pop(d), :certain) @> 14.4309 AS sp,
	dp_interval(var_pop(i), :certain) @> 208.25 AS v, dp_interval(count(*) FILTER (WHERE m), :certain) @> 600.0 AS f, dp_interval(count(DISTINCT id), :certain) @> 1200.0 AS u FROM people;
SELECT month, dp_interval(count(*), :certain) @> 300.0 AS right FROM people GROUP BY month HAVING upper(dp_interval(count(*))) > 200 ORDER BY upper(dp_interval(count(*) FILTER (WHERE m))) > 100, month DESC;
SELECT upper(dp_interval(max(i))) = 50 AS max, lower(dp_interval(min(d))) = 0 AS min FROM people;

-- Arithmetic: linear, by constants and keys, casts, rounding.
SELECT dp_interval(count(*) + 1, :certain) @> 1201.0 AS plus, dp_interval(-count(*), :certain) @> -1200.0 AS minus, dp_interval(2 * count(*) - 7::int8, :certain) @> 2393.0 AS times,
	dp_interval(count(*) / 7, :certain) @> 171.0 AS whole, dp_interval(count(*) / 7.0, :certain) @> 171.428571428571428571 AS exact, dp_interval(0.1 * count(*)::numeric::float8, :certain) @> 120.0 AS tenth,
	dp_interval(round(count(*) / 7.0, 1), :certain) @> 171.4 AS rounded, dp_interval((count(*) / 7.0)::numeric(10, 2), :certain) @> 171.43 AS typed, dp_interval((count(*) / 7.0)::int, :certain) @> 171.0 AS cast,
	dp_interval(sqrt(count(*)), :certain) @> 34.641016151377545 AS root, dp_interval(greatest(count(*), 0), :certain) @> 1200.0 AS greatest, dp_interval(least(count(*), 5), :certain) AS least,
	dp_interval(sum(i) - sum(n)::int8 + sum(d)::int8, :certain) @> 29400.0 AS three FROM people;
SELECT month, dp_interval((month + 1) * count(*), :certain) @> (300 * (month + 1))::numeric AS by_key, dp_interval(CASE WHEN month > 1 THEN count(*) ELSE -count(*) END, :certain) @> CASE WHEN month > 1 THEN 300.0 ELSE -300.0 END AS by_case
	FROM people GROUP BY month ORDER BY month;
-- What occurs twice is one unknown; whole numbers stay whole; a multiple is as many times as wide.
SELECT dp_interval(count(*) - count(*)) AS nothing, dp_interval(2 * count(*) - count(*)) = dp_interval(count(*)) AS once, dp_interval(count(*) + 1) = dp_interval(count(*) - -1) AS same,
	upper(dp_interval(3 * count(*))) - lower(dp_interval(3 * count(*))) = 3 * (upper(dp_interval(count(*))) - lower(dp_interval(count(*)))) AS multiple, dp_interval(count(*) * 1.0) = dp_interval(count(*)) AS one FROM people;
-- Different statistics of one release are two.
SELECT dp_interval(dp_variance(i, 0, 50) - dp_stddev(i, 0, 50), :certain) @> 194.0 AS right FROM people;
-- Ratios, shares, differences of means.
SELECT dp_interval(sum(d) / count(*), :certain) @> 24.5 AS mean, dp_interval(sum(i) / nullif(count(*), 0), :certain) @> 24.0 AS whole, dp_interval(100.0 * count(*) FILTER (WHERE m) / count(*), :certain) @> 50.0 AS share,
	dp_interval(avg(d) FILTER (WHERE m) - avg(d) FILTER (WHERE NOT m), :certain) @> -1.0 AS difference, dp_interval(count(*) * count(*) FILTER (WHERE m), :certain) @> 720000.0 AS product,
	dp_interval(count(*)::numeric / (count(*) - count(*) FILTER (WHERE m) * 2), :certain) AS by_nothing FROM people;
SELECT m, dp_interval(sum(d) / count(*), :certain) @> CASE WHEN m THEN 24.0 ELSE 25.0 END AS mean FROM people GROUP BY m ORDER BY m;
SELECT dp_interval(sum(i)::numeric / count(*), :certain) @> (SELECT 24.5) AS of_visits FROM visits;
-- means and sums that are answered from one release
SELECT dp_interval(sum(i) - 24.5 * count(*), :certain) @> 0.0 AS sum, dp_interval(avg(i) * count(*), :certain) @> 29400.0 AS product, dp_interval(stddev(i) / avg(i), :certain) @> 0.589 AS variation FROM people;

-- Windows: percentages of a total, year over year, moving averages, in listed and in private groups.
SELECT city, dp_interval(100 * count(*) / sum(count(*)) OVER (), :certain) @> 33.3333333333333333 AS percent, dp_interval(sum(count(*)) OVER (ORDER BY city), :certain) @> 400.0 * row_number() OVER (ORDER BY city) AS running,
	dp_interval(avg(count(*)) OVER (ORDER BY city ROWS 1 PRECEDING), :certain) @> 400.0 AS moving, lower(dp_interval(count(*))) >= 1 AS somebody FROM people GROUP BY city ORDER BY city;
SELECT month, dp_interval(x - lag(x) OVER w, :certain) @> 0.0 AS difference, dp_interval(x::numeric / lag(x) OVER w, :certain) @> 1.0 AS ratio, dp_interval(x - lag(x, 1, 0::int8) OVER w, :certain) @> CASE month WHEN 0 THEN 300.0 ELSE 0.0 END AS first,
	dp_interval(100.0 * (x - lag(x) OVER w) / lag(x) OVER w, :certain) @> 0.0 AS percent, dp_interval(x - first_value(x) OVER w + nth_value(x, 1) OVER w - last_value(x) OVER w) AS nothing
	FROM (SELECT month, count(*) AS x FROM people GROUP BY month) q WINDOW w AS (ORDER BY month) ORDER BY month;
-- A difference of independent noises is narrower than that of their intervals, and wider than either: far above the threshold of private
-- groups, too, which some group of 300 is below by noise with a probability below 1e-9.
SET dp_agg.epsilon = 0.3;
SELECT count(*) AS narrower FROM (SELECT upper(dp_interval(x - lag(x) OVER w)) - lower(dp_interval(x - lag(x) OVER w)) AS r, upper(dp_interval(x)) - lower(dp_interval(x)) AS o
	FROM (SELECT month, count(*) AS x FROM people GROUP BY month) q WINDOW w AS (ORDER BY month)) q WHERE r < 1.7 * o AND r > o;
SELECT upper(r) - lower(r) < upper(o) - lower(o) + upper(p) - lower(p) AS narrower, upper(r) - lower(r) > upper(o) - lower(o) AS wider
	FROM (SELECT dp_interval(count(*) FILTER (WHERE m) - count(*) FILTER (WHERE id < 900)) AS r, dp_interval(count(*) FILTER (WHERE m)) AS o, dp_interval(count(*) FILTER (WHERE id < 900)) AS p FROM people) q;
SELECT count(*) AS narrower FROM (SELECT upper(dp_interval(sum(count(*)) OVER ())) - lower(dp_interval(sum(count(*)) OVER ())) AS r, upper(dp_interval(count(*))) - lower(dp_interval(count(*))) AS o FROM people GROUP BY month) q WHERE r < 3 * o AND r > o;
SET dp_agg.epsilon = 1;
-- A total of many rows is held once for all of them.  That of the same rows by parts, each of few, has the same interval: but for rounding of
-- what is no whole number, by itself, beside a few others, in windows that grow, of private groups, in other orders; and both are one number.
CREATE FUNCTION alike(a numrange, b numrange) RETURNS boolean LANGUAGE sql AS
	'SELECT upper_inf(a) = upper_inf(b) AND lower_inf(a) = lower_inf(b) AND coalesce(abs(upper(a) - upper(b)) + abs(lower(a) - lower(b)) <= 1e-10 * (1 + abs(upper(a)) + abs(lower(a))), true)';
\set by_parts '(sum(n) FILTER (WHERE k < 50) OVER () + sum(n) FILTER (WHERE k BETWEEN 50 AND 99) OVER () + sum(n) FILTER (WHERE k BETWEEN 100 AND 149) OVER () + sum(n) FILTER (WHERE k > 149) OVER ())'
\set groups '(SELECT id % 200 AS k, count(*) AS n, sum(d) AS s FROM people GROUP BY id % 200) q'
SET dp_agg.epsilon = 10;
SELECT count(*) = 200 AS all, bool_and(alike(t, p)) AS total, bool_and(alike(ts, ps)) AS share, bool_and(alike(td, pd)) AS difference, bool_and(alike(ta, pa)) AS deviation, bool_and(alike(tw, pw)) AS twice, bool_and(alike(tr, pr)) AS rest
	FROM (SELECT dp_interval(sum(n) OVER ()) AS t, dp_interval(:by_parts) AS p, dp_interval(100.0 * n / sum(n) OVER ()) AS ts, dp_interval(100.0 * n / :by_parts) AS ps,
		dp_interval(sum(n) OVER () - n) AS td, dp_interval(:by_parts - n) AS pd, dp_interval(n - avg(n) OVER ()) AS ta, dp_interval(n - :by_parts / count(*) OVER ()) AS pa,
		dp_interval(7 - 2 * (sum(n) OVER () - n)) AS tw, dp_interval(7 - 2 * (:by_parts - n)) AS pw, dp_interval(100.0 * n / (sum(n) OVER () - n)) AS tr, dp_interval(100.0 * n / (:by_parts - n)) AS pr FROM :groups) q;
SELECT count(DISTINCT r) AS one, min(r::text) AS nothing FROM (SELECT dp_interval(sum(n) OVER () - :by_parts) AS r FROM :groups) q;
SELECT count(DISTINCT r) AS one, min(r::text) AS nothing FROM (SELECT dp_interval(sum(n) OVER () - n - sum(n) OVER () + n + 0.5) AS r FROM :groups) q;
SELECT bool_and(alike(g, p)) AS grown FROM (SELECT k, dp_interval(sum(n) OVER (ORDER BY k)) AS g, dp_interval(:by_parts) AS p FROM :groups) q WHERE k = 199;
SELECT bool_and(alike(r, s)) AS backwards FROM (SELECT dp_interval(g) AS r, dp_interval(t - h) AS s FROM (SELECT k, sum(n) OVER (ORDER BY k) AS g, sum(n) OVER () AS t, sum(n) OVER (ORDER BY k DESC) - n AS h FROM :groups ORDER BY k DESC) q) q;
SELECT bool_and(alike(t, p)) AS of_several, bool_and(alike(td, pd)) AS mixed FROM (SELECT dp_interval(sum(s) OVER () - 3 * sum(n) OVER ()) AS t, dp_interval(sum(s) FILTER (WHERE k < 60) OVER () + sum(s) FILTER (WHERE k BETWEEN 60 AND 119) OVER () + sum(s) FILTER (WHERE k BETWEEN 120 AND 179) OVER () + sum(s) FILTER (WHERE k > 179) OVER () - 3 * :by_parts) AS p,
	dp_interval(sum(n) OVER () - 500 * s) AS td, dp_interval(:by_parts - 500 * s) AS pd FROM :groups) q;
SELECT bool_and(x @> 6.0 * 200 AND d @> 0.0) AS right FROM (SELECT dp_interval(sum(n) OVER (), :certain) AS x, dp_interval(n - avg(n) OVER (), :certain) AS d FROM :groups) q;
SELECT bool_and(alike(t, p)) AS of_ratios FROM (SELECT dp_interval(sum(n / 2.0 / nullif(k, 0)) OVER ()) AS t, dp_interval(sum(0.5 / nullif(k, 0) * n) OVER ()) AS p FROM :groups) q;
SET dp_agg.mechanism = gaussian;
SELECT bool_and(alike(t, p)) AS total, bool_and(alike(ta, pa)) AS deviation FROM (SELECT dp_interval(sum(n) OVER ()) AS t, dp_interval(:by_parts) AS p, dp_interval(n - avg(n) OVER ()) AS ta, dp_interval(n - :by_parts / count(*) OVER ()) AS pa FROM :groups) q;
RESET dp_agg.mechanism;
SET dp_agg.epsilon = 1;
SET dp_agg.delta = 0.1;
SELECT bool_and(alike(t, p)) AS total, bool_and(alike(td, pd)) AS difference FROM (SELECT dp_interval(sum(n) OVER ()) AS t, dp_interval(:by_parts) AS p, dp_interval(sum(n) OVER () - n) AS td, dp_interval(:by_parts - n) AS pd FROM (SELECT id % 200 AS k, count(*) AS n FROM people GROUP BY id % 200) q) q;
RESET dp_agg.delta;
DROP FUNCTION alike;
-- Near it they hold given that there are answers: of two groups of one, nobody is said to be nowhere.
SET dp_agg.delta = 0.1;
SELECT count(*) > 0 AS some, bool_and(lower(r) >= 2 AND upper(r) >= 2) AS somebody FROM (SELECT dp_interval(x + lag(x) OVER (ORDER BY id)) AS r FROM (SELECT id, dp_count(*) AS x FROM people GROUP BY id) q) q WHERE r IS NOT NULL;
RESET dp_agg.delta;

-- Columns of subqueries, views and WITH, joined, added up; the interval is of the answers that stand beside it.
CREATE VIEW monthly AS SELECT month, count(*) AS x, avg(d) AS a, count(*)::numeric / 10 AS tenth FROM people GROUP BY month;
SELECT month, dp_interval(x) @> x::numeric AS beside, dp_interval(x, :certain) @> 300.0 AS x, dp_interval(tenth, :certain) @> 30.0 AS tenth, dp_interval(a, :certain) @> (24 + month % 2)::numeric IS NOT NULL AS a FROM monthly ORDER BY month;
SELECT month, dp_interval(x + 0) = dp_interval(x) AS same FROM (SELECT month, x FROM (SELECT * FROM monthly) q) q ORDER BY month;
SELECT dp_interval(sum(x), :certain) @> 1200.0 AS sum, dp_interval(avg(x), :certain) @> 300.0 AS avg, dp_interval(sum(x) FILTER (WHERE month = 1) - sum(x) FILTER (WHERE month = 2), :certain) @> 0.0 AS pivot,
	dp_interval(sum(CASE WHEN month < 2 THEN x END)::numeric / sum(x), :certain) @> 0.5 AS share FROM monthly;
SELECT month % 2 AS half, dp_interval(sum(x), :certain) @> 600.0 AS sum FROM monthly GROUP BY month % 2 ORDER BY half;
SELECT month % 2 AS half, count(*) FILTER (WHERE upper(dp_interval(x + month)) > 0) AS of_three, max(upper(dp_interval(x - x + month))) AS last FROM monthly GROUP BY month % 2 ORDER BY half;
WITH w AS (SELECT month, count(*) AS x FROM people GROUP BY month) SELECT a.month, dp_interval(a.x - b.x, :certain) @> 0.0 AS difference, dp_interval(a.x - a.x) AS nothing, dp_interval(b.x) @> b.x::numeric AS beside
	FROM w a JOIN w b ON b.month = a.month + 1 ORDER BY 1;
SELECT city, dp_interval(x::numeric / area, :certain) @> 400.0 / area AS density FROM (SELECT city, count(*) AS x FROM people GROUP BY city) q JOIN areas USING (city) ORDER BY city;
SELECT l.level, dp_interval(x, 0.5) <@ dp_interval(x, l.level) AS wider FROM (SELECT count(*) AS x FROM people) q, (VALUES (0.6::float8), (0.99)) l(level) ORDER BY 1;
-- grouping sets, LATERAL, an interval in a subquery
SELECT month, m, dp_interval(count(*) * 1, :certain) @> CASE WHEN month IS NULL THEN 1200.0 WHEN m IS NULL THEN 300.0 ELSE 0.0 END AS right FROM people GROUP BY ROLLUP (month, m) HAVING m IS NULL ORDER BY 1, 2;
SELECT c, w FROM (SELECT upper(dp_interval(count(*) * 2)) - 2 * count(*) > 0 AS w, true AS c FROM people) q;
-- calls in FROM: bins are groups, nodes of a tree are not
SELECT bin, dp_interval(count, :certain) @> 240.0 AS bin_right, dp_interval(count / sum(count) OVER (), :certain) @> 0.2 AS share FROM dp_histogram('people', 'i', 0, 50, 5) ORDER BY bin;
SELECT dp_interval(count) FROM dp_cumulative('people', 'i', 0, 50, 5);
\echo :SQLSTATE
-- Prepared, with a level that comes later, and a number.
PREPARE at_level (float8, numeric) AS SELECT dp_interval($2 * count(*), $1) @> $2 * count(*) AS within FROM people;
EXECUTE at_level (0.9, 3);
EXECUTE at_level (0.5, -0.3);
EXECUTE at_level (1, 3);
\echo :SQLSTATE
-- Of one draw: kept answers have the intervals that they had.
SET dp_agg.kept_max_age = '1 hour';
CREATE TEMP TABLE first AS SELECT month, count(*) AS x, dp_interval(count(*) * 2) AS r, dp_interval(avg(i) - lag(avg(i)) OVER (ORDER BY month)) AS a FROM people GROUP BY month;
CREATE TEMP TABLE second AS SELECT month, count(*) AS x, dp_interval(count(*) * 2) AS r, dp_interval(avg(i) - lag(avg(i)) OVER (ORDER BY month)) AS a FROM people GROUP BY month;
SELECT count(*) AS same FROM (TABLE first INTERSECT TABLE second) q;
-- One answer may stand for two blocks, which then have the same noise: a sum of both is as far off as twice one.
SET dp_agg.epsilon = 0.1;
SELECT upper(dp_interval(a.x + b.x)) - lower(dp_interval(a.x + b.x)) >= upper(dp_interval(2 * a.x)) - lower(dp_interval(2 * a.x)) AS as_twice, a.x = b.x AS same
	FROM (SELECT count(*) AS x FROM people WHERE id < 700) a, (SELECT count(*) AS x FROM people WHERE id < 700) b;
RESET dp_agg.kept_max_age;
SET dp_agg.epsilon = 1;
-- Noise of another mechanism, chosen clamps, chosen max_groups.
SET dp_agg.mechanism = gaussian;
SELECT dp_interval(count(*) - count(*) FILTER (WHERE m), :certain) @> 600.0 AS difference, dp_interval(sum(d) / count(*), :certain) @> 24.5 AS mean FROM people;
SELECT city, dp_interval(100 * count(*) / sum(count(*)) OVER (), :certain) @> 33.3333333333333333 AS percent FROM people GROUP BY city ORDER BY city;
RESET dp_agg.mechanism;
SET dp_agg.clipping = auto;
SELECT dp_interval(count(*) - 1, :certain) IS NOT NULL AS count, dp_interval(sum(i) * 2) @> 2.0 * sum(i) AS sum FROM visits;
SELECT m, dp_interval(n - lag(n) OVER (ORDER BY m)) @> (n - lag(n) OVER (ORDER BY m))::numeric AS beside FROM (SELECT i % 2 = 0 AS m, count(*) AS n FROM visits GROUP BY i % 2 = 0) q ORDER BY m;
RESET dp_agg.clipping;
-- Nobody there: no mean, no interval of what it is part of.
SELECT dp_interval(avg(d) - 1) AS nobody FROM people WHERE id < 0;
-- EXPLAIN and last_release tell of the same releases.
CREATE FUNCTION price_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP IF line ~ 'epsilon' THEN RETURN NEXT regexp_replace(line, '^\s+', ''); END IF; END LOOP;
END $$;
SELECT count(*) AS releases FROM price_of('SELECT month, dp_interval(x - lag(x) OVER (ORDER BY month)) FROM (SELECT month, dp_count(*) AS x FROM people GROUP BY month) q');

-- What is refused, before anything is charged: what noise decides on, and what has no interval.
CREATE TEMP VIEW spent AS SELECT epsilon_spent FROM dp_agg.budgets WHERE role::text = 'arithmetic_analyst';
SELECT epsilon_spent AS before FROM spent \gset
\set VERBOSITY default
SELECT dp_interval(month * 2) FROM people GROUP BY month;
\echo :SQLSTATE
SELECT dp_interval(count(*)) FROM areas;
\echo :SQLSTATE
SELECT dp_interval(CASE WHEN count(*) > 5 THEN count(*) END) FROM people;
\echo :SQLSTATE
SELECT dp_interval(coalesce(count(*), 0)) FROM people;
\echo :SQLSTATE
SELECT dp_interval(ln(count(*))) FROM people;
\echo :SQLSTATE
SELECT dp_interval(median + 1) FROM (SELECT dp_median(i, 0, 50) AS median FROM people) q;
\echo :SQLSTATE
SELECT dp_interval(x - lag(x) OVER (ORDER BY x)) FROM (SELECT month, count(*) AS x FROM people GROUP BY month) q;
\echo :SQLSTATE
SELECT dp_interval(sum(x) OVER (PARTITION BY x > 5)) FROM (SELECT month, count(*) AS x FROM people GROUP BY month) q;
\echo :SQLSTATE
SELECT dp_interval(sum(x) FILTER (WHERE x > 5)) FROM (SELECT month, count(*) AS x FROM people GROUP BY month) q;
\echo :SQLSTATE
SELECT dp_interval(sum(x)) FROM (SELECT month, count(*) AS x FROM people GROUP BY month) q GROUP BY x;
\echo :SQLSTATE
SELECT dp_interval(max(x)) FROM (SELECT month, count(*) AS x FROM people GROUP BY month) q;
\echo :SQLSTATE
SELECT dp_interval(x) FROM (SELECT DISTINCT count(*) AS x FROM people GROUP BY month) q;
\echo :SQLSTATE
SELECT dp_interval(x) FROM (SELECT count(*) AS x FROM people UNION ALL SELECT count(*) FROM people) q;
\echo :SQLSTATE
SELECT dp_interval(x), q FROM (SELECT count(*) AS x FROM people) q;
\echo :SQLSTATE
WITH q AS (SELECT count(*) AS x FROM people) SELECT dp_interval(a.x), b FROM q a, q b;
\echo :SQLSTATE
WITH q AS (SELECT count(*) AS x FROM people) SELECT y.*, (SELECT max(b::text) FROM q b) FROM (SELECT dp_interval(x) FROM q) y;
\echo :SQLSTATE
SELECT dp_interval(count(*) - max(x)) FROM people, (SELECT count(*) AS x FROM people) q GROUP BY month;
\echo :SQLSTATE
SELECT dp_interval(count(*)::numeric / (SELECT count(*) FROM people)) FROM people WHERE m;
\echo :SQLSTATE
SELECT dp_interval(y) FROM (SELECT array_agg(x) AS a FROM monthly) q, unnest(a) y;
\echo :SQLSTATE
SELECT dp_interval(count(*) + 1, 2) FROM people;
\echo :SQLSTATE
-- versions differ in its position
\set VERBOSITY sqlstate
SELECT dp_interval(count(*) - x) FROM people, (SELECT count(*) AS x FROM visits) q GROUP BY x;
\set VERBOSITY default
SELECT dp_agg_internal.term(1);
\echo :SQLSTATE
SELECT epsilon_spent = :before AS nothing_spent FROM spent;
-- Terms are values like others: whatever they are made of is read with care.
SELECT dp_agg_internal.term_interval('\x00', 0.5);
\echo :SQLSTATE
SELECT dp_agg_internal.term_interval('', 0.5);
\echo :SQLSTATE
SELECT dp_agg_internal.term_interval(decode(repeat('01', 1600), 'hex'), 0.5);
\echo :SQLSTATE
SELECT dp_agg_internal.term_interval(decode('01000000' || 'e0000000' || repeat('00', 224), 'hex'), 0.5);
\echo :SQLSTATE
SELECT dp_agg_internal.term_interval(decode('0c00000008000000' || repeat('ff', 8), 'hex'), 0.5);
\echo :SQLSTATE
SELECT dp_agg_internal.term_interval(decode('0e00000018000000' || repeat('01', 24), 'hex'), 0.5);
SELECT dp_agg_internal.term_interval(decode('0e00000010000000' || repeat('01', 16), 'hex'), 0.5);
\echo :SQLSTATE
SELECT dp_agg_internal.term_operation(4, dp_agg_internal.term_constant(1::numeric));
\echo :SQLSTATE
SELECT dp_agg_internal.term_operation(99, '', '');
\echo :SQLSTATE
SELECT dp_agg_internal.term_around('\x00', 1, 1, '\x00');
\echo :SQLSTATE
SELECT dp_agg_internal.term_of('\x00', 1, '\x00', '\x00');
\echo :SQLSTATE
SELECT dp_agg_internal.term_interval(dp_agg_internal.term_operation(7, dp_agg_internal.term_constant(0.1), dp_agg_internal.term_constant(3::float8)), 0.5) @> 0.3 AS product,
	dp_agg_internal.term_interval(dp_agg_internal.term_operation(8, dp_agg_internal.term_constant(1::numeric), dp_agg_internal.term_constant(0::numeric)), 0.5) AS by_zero,
	dp_agg_internal.term_interval(dp_agg_internal.term_constant('NaN'::float8), 0.5) AS no_number;

RESET ROLE;
DROP TABLE first, second;
DROP VIEW spent;
DROP SCHEMA arithmetic CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE arithmetic_analyst;
