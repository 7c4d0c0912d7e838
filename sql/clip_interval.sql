--
-- clip_interval: what a clamp that was chosen cuts, in intervals and in a notice
--
-- Noise is on whole numbers of units and rows, and none at epsilon 1000, but for a probability below 1e-80.
CREATE EXTENSION dp_agg;
CREATE SCHEMA clip_interval;
SET search_path = clip_interval, public;
-- a thousand units of one row, each in a place of its own, and one of 64 rows more: over a thousand places noise weighs more than these
CREATE TABLE visits (unit int, place int, x int);
INSERT INTO visits SELECT i, i, 1 FROM generate_series(1, 1000) i;
INSERT INTO visits SELECT 1001, 1, 1 FROM generate_series(1, 64);
SELECT dp_agg.protect('visits', 'unit', max_rows => 1, max_groups => 1, clip_max_rows => 1000);
SELECT dp_agg.set_domain('visits', 'place', (SELECT array_agg(i) FROM generate_series(1, 1000) i));
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SET dp_agg.clipping = auto;
SET dp_agg.epsilon = 1000;
SET client_min_messages = warning;
CREATE FUNCTION ends(query text) RETURNS TABLE (place int, value numeric, ends numrange) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE 'SELECT k, n::numeric, i FROM (' || query || ') v (k, n, i)';
END $$;
-- the interval holds the truth, 65, though the clamp is 1: up to 63 rows are seen to be cut
SELECT value, 65.0 <@ ends AS holds, lower(ends), upper(ends)
	FROM ends('SELECT place, dp_count(*), dp_interval(dp_count(*)) FROM visits GROUP BY place') WHERE place = 1;
-- all groups have one clamp, and any might be cut so much
SELECT count(*), count(*) FILTER (WHERE lower(ends) = value - 1 AND upper(ends) = value + 1 + 63) AS likewise
	FROM ends('SELECT place, dp_count(*), dp_interval(dp_count(*)) FROM visits GROUP BY place') WHERE place > 1;
-- sums, and those that may be cut either way
SELECT value > 0 AS near, 65.0 <@ ends AS holds, lower(ends) > 0 AS lower
	FROM ends('SELECT place, dp_sum(x, 0, 1), dp_interval(dp_sum(x, 0, 1)) FROM visits GROUP BY place') WHERE place = 1;
SELECT value > 0 AS near, 65.0 <@ ends AS holds, lower(ends) < -40 AS lower
	FROM ends('SELECT place, dp_sum(x, -1, 1), dp_interval(dp_sum(x, -1, 1)) FROM visits GROUP BY place') WHERE place = 1;
-- and so of arithmetic: what is cut of an answer is one number wherever that occurs
SELECT 65.0 <@ ends AS holds, lower(ends) = value - 1 AS lower, upper(ends) - value BETWEEN 64 AND 70 AS upper
	FROM ends('SELECT place, dp_count(*), dp_interval(dp_count(*) - 0) FROM visits GROUP BY place') WHERE place = 1;
SELECT value, ends FROM ends('SELECT place, dp_count(*) - dp_count(*), dp_interval(dp_count(*) - dp_count(*)) FROM visits GROUP BY place') WHERE place = 1;
SELECT value, 64.0 <@ ends AS holds, lower(ends) BETWEEN -72 AND -60 AS lower, upper(ends) BETWEEN 64 AND 72 AS upper
	FROM ends('SELECT place, n - lag(n) OVER (ORDER BY place DESC), dp_interval(n - lag(n) OVER (ORDER BY place DESC))
		FROM (SELECT place, dp_count(*) AS n FROM visits GROUP BY place) v') WHERE place = 1;
SELECT 130.0 <@ ends AS holds, lower(ends) < -80 AS lower
	FROM ends('SELECT place, 2 * dp_sum(x, -1, 1), dp_interval(2 * dp_sum(x, -1, 1)) FROM visits GROUP BY place') WHERE place = 1;
-- where no unit is seen beyond the clamp, and noise could hide none, the interval is that of noise
SELECT n, dp_interval FROM (SELECT dp_count(*) AS n, dp_interval(dp_count(*)) FROM visits WHERE unit <= 1000) v;
SELECT n, dp_interval FROM (SELECT dp_count(*) AS n, dp_interval(dp_count(*)) FROM visits) v;
SELECT n, dp_interval FROM (SELECT dp_count(*) AS n, dp_interval(dp_count(*)) FROM visits WHERE unit > 5000) v;
-- of units that noise hides nothing is known: an end is open, unless noise feigns some, in 19 of 20 answers
SET dp_agg.epsilon = 0.1;
DO $$
DECLARE
	open int = 0;
	below int = 0;
	up numrange;
	either numrange;
BEGIN
	FOR i IN 1..20 LOOP
		EXECUTE 'SELECT dp_interval(dp_count(*)), dp_interval(dp_sum(x, -1, 1)) FROM visits WHERE unit > 5000' INTO up, either;
		open := open + (upper_inf(up) AND NOT lower_inf(up))::int;
		below := below + (upper_inf(either) AND lower_inf(either))::int;
	END LOOP;
	RAISE WARNING 'open above: %, both ways: %', open > 5, below > 5;
END $$;
SET dp_agg.epsilon = 1000;
-- but what the greatest clamp counts
CREATE TABLE once (unit int, x int);
INSERT INTO once SELECT i, 1 FROM generate_series(1, 10) i;
SELECT dp_agg.protect('once', 'unit', clip_max_rows => 1);
SELECT n, dp_interval FROM (SELECT dp_count(*) AS n, dp_interval(dp_count(*)) FROM once WHERE unit > 5000) v;
-- by groups whose number is chosen, units in more than count may be missing as well
SET dp_agg.max_groups = 1000;
SELECT count(*), count(*) FILTER (WHERE upper(ends) - value BETWEEN 2 AND 6) AS wider
	FROM ends('SELECT place, dp_count(*), dp_interval(dp_count(*)) FROM visits WHERE unit <= 1000 GROUP BY place');
SELECT least_groups FROM dp_agg.last_release_details() WHERE aggregate ~ 'count';
RESET dp_agg.max_groups;
SELECT count(*), count(*) FILTER (WHERE upper(ends) - value = 1) AS narrow
	FROM ends('SELECT place, dp_count(*), dp_interval(dp_count(*)) FROM visits WHERE unit <= 1000 GROUP BY place');

-- a notice once a statement, of what may be far more than noise
RESET client_min_messages;
SET dp_agg.clipping_notice = on;
\set VERBOSITY terse
SELECT max(n) AS most FROM (SELECT place, dp_count(*) AS n FROM visits GROUP BY place) v;
SELECT count(*) FROM (SELECT place, dp_count(*) AS n, dp_count(x) AS m FROM visits GROUP BY place) v;
SELECT round(max(m), 4) AS most FROM (SELECT place, dp_sum(x, 0, 1) AS m FROM visits GROUP BY place) v;
SELECT max(n) AS most FROM (SELECT place, dp_count(*) AS n FROM visits
	WHERE unit > (SELECT min(m) - 2 FROM (SELECT place, dp_count(*) AS m FROM visits GROUP BY place) w) GROUP BY place) v;
-- not where little is cut, nor where the greatest clamp counts, nor of what is declared
SELECT dp_count(*) FROM visits;
SELECT dp_count(*) FROM once;
SET dp_agg.max_rows = 1;
SET dp_agg.clipping = fixed;
SELECT max(n) AS most FROM (SELECT place, dp_count(*) AS n FROM visits GROUP BY place) v;
RESET dp_agg.max_rows;
SET dp_agg.clipping = auto;
-- what is cut is no noise, of which another notice tells
CREATE TABLE stays AS SELECT i AS unit, i AS place FROM generate_series(1, 1000) i, generate_series(1, 16)
	UNION ALL SELECT 1001, 1 FROM generate_series(1, 80);
SELECT dp_agg.protect('stays', 'unit', max_rows => 1, max_groups => 1, clip_max_rows => 1000);
SELECT dp_agg.set_domain('stays', 'place', (SELECT array_agg(i) FROM generate_series(1, 1000) i));
SET dp_agg.noise_notice = on;
SELECT min(n) BETWEEN 15 AND 17 AS held FROM (SELECT place, dp_count(*) AS n FROM stays GROUP BY place) v;
SET dp_agg.noise_notice = off;
-- EXPLAIN draws nothing, and tells nothing
EXPLAIN (COSTS OFF) SELECT place, dp_count(*) FROM visits GROUP BY place;
-- a kept answer has its interval, but no notice again
SET dp_agg.kept_max_age = '1 day';
CREATE FUNCTION answers() RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(v::text, ' ' ORDER BY place) FROM (SELECT place, dp_count(*) AS n, dp_interval(dp_count(*)) AS i FROM visits WHERE unit > 0 GROUP BY place) v
$$;
SELECT left(answers(), 40) AS first;
SELECT left(answers(), 40) AS again;
SELECT kept ~ '^kept since' AS kept FROM dp_agg.last_release();
RESET dp_agg.kept_max_age;
-- it can be switched off
SET dp_agg.clipping_notice = off;
SELECT max(n) AS most FROM (SELECT place, dp_count(*) AS n FROM visits GROUP BY place) v;

-- what holds no description is refused
SELECT dp_agg_internal.interval_clamped(1, '\x00', 0.5, '\x00');
SELECT dp_agg_internal.term_clamped(decode(repeat('00', 20), 'hex'), 1, 1, '\x00', '\x00');
SELECT dp_agg_internal.released_clamped('\x00');
DROP SCHEMA clip_interval CASCADE;
SELECT dp_agg.drop_budget(current_user::regrole, 'default');
DROP EXTENSION dp_agg;
