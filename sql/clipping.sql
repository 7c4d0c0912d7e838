--
-- clipping: clamps of units' totals that are chosen privately
--
-- Statements compare with plain aggregates over the same rows.  At epsilon 2^20 and over ten
-- groups a clamp is chosen beyond which there is nobody, but for a probability of exp(-10^4): numbers of
-- units have noise of scale 5e-5, so that one is seen, and where none is no step above is taken; and
-- clip_max_rows is 1000: so the noise of a count has scale 0.012 at most, that of a sum whose rows are within
-- 10 scale 0.19, and that of a mean's total within 10 the same.  Sums are off by more than 12 with a
-- probability of e^-60, means of 100 rows by more than 0.3.
CREATE EXTENSION dp_agg;
CREATE ROLE clipping_analyst;
CREATE SCHEMA clipping;
GRANT USAGE ON SCHEMA clipping TO clipping_analyst;
SET search_path = clipping, public;
CREATE TABLE people (id int PRIMARY KEY, city int NOT NULL);
INSERT INTO people SELECT i, i % 5 FROM generate_series(1, 200) i;
-- units of 1 to 32 rows, one of 700, rows of nobody; values beyond bounds, of both signs, NULL and NaN
CREATE TABLE visits (unit int, key text, kind int, cost int, big int8, amount numeric, half float4, weight float8);
INSERT INTO visits SELECT 1 + i % 200, 'key ' || i % 5, i % 3, i % 11, i % 11 - 5, (i % 101) / 10.0, i % 11, i % 11
	FROM generate_series(1, 3200) i WHERE i % 200 < i / 16;
INSERT INTO visits SELECT 7, 'key ' || i % 5, i % 3, i % 11, i % 11 - 5, i % 11, i % 11, i % 11 FROM generate_series(1, 700) i;
INSERT INTO visits SELECT 1 + i % 200, 'key 1', NULL, NULL, -100, 100, '-infinity', 'NaN' FROM generate_series(1, 300) i;
INSERT INTO visits SELECT NULL, 'key 2', 1, 10, 10, 10, 10, 10 FROM generate_series(1, 100) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.protect('visits', 'unit', max_groups => 10, clip_max_rows => 1000);
SELECT relation, max_rows, clip_max_rows FROM dp_agg.protected_tables ORDER BY relation;
SELECT dp_agg.protect('visits', 'unit', clip_max_rows => 0);
SELECT dp_agg.protect('visits', 'unit', clip_max_rows => 1000000001);
SELECT dp_agg.set_domain('visits', 'kind', ARRAY[0, 1, 2]);
SELECT dp_agg.set_domain('visits', 'cost', 0, 10);
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SELECT dp_agg.set_budget('clipping_analyst', 1e12, 1e-3);
SHOW dp_agg.clipping;
SET dp_agg.clipping = sometimes;
SET dp_agg.clipping = auto;
SET dp_agg.epsilon = 1048576;
SET dp_agg.plain_aggregates = off;
SET max_parallel_workers_per_gather = 0;

-- all groups of a statement against the plain one: no row means no difference
CREATE FUNCTION differences(private text, plain text, most numeric) RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT * FROM (%s) a FULL JOIN (%s) b USING (k) WHERE (abs(a.n - b.m) <= %s) IS NOT TRUE', private, plain, most);
END $$;
CREATE FUNCTION all_differences() RETURNS SETOF record LANGUAGE sql AS $$
	SELECT 1, d.* FROM differences('SELECT ''all'' AS k, dp_count(*)::numeric AS n FROM visits',
		'SELECT ''all'' AS k, count(*)::numeric AS m FROM visits WHERE unit IS NOT NULL', 1) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 2, d.* FROM differences('SELECT key AS k, dp_count(*)::numeric AS n FROM visits GROUP BY key',
		'SELECT key AS k, count(*)::numeric AS m FROM visits WHERE unit IS NOT NULL GROUP BY key', 1) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 3, d.* FROM differences('SELECT kind::text AS k, dp_count(cost)::numeric AS n FROM visits GROUP BY kind',
		'SELECT kind::text AS k, count(cost)::numeric AS m FROM visits WHERE unit IS NOT NULL AND kind IS NOT NULL GROUP BY kind', 1) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 4, d.* FROM differences('SELECT key AS k, dp_sum(cost)::numeric AS n FROM visits GROUP BY key',
		'SELECT key AS k, sum(cost)::numeric AS m FROM visits WHERE unit IS NOT NULL GROUP BY key', 12) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 5, d.* FROM differences('SELECT key AS k, dp_sum(big, -3, 10)::numeric AS n FROM visits GROUP BY key',
		'SELECT key AS k, sum(greatest(big, -3))::numeric AS m FROM visits WHERE unit IS NOT NULL GROUP BY key', 12) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 6, d.* FROM differences('SELECT key AS k, dp_sum(big, -10, -1)::numeric AS n FROM visits GROUP BY key',
		'SELECT key AS k, sum(least(greatest(big, -10), -1))::numeric AS m FROM visits WHERE unit IS NOT NULL GROUP BY key', 12) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 7, d.* FROM differences('SELECT kind::text AS k, dp_sum(amount, 0, 9) FILTER (WHERE cost > 3) AS n FROM visits GROUP BY kind',
		'SELECT kind::text AS k, sum(least(amount, 9)) FILTER (WHERE cost > 3) AS m FROM visits WHERE unit IS NOT NULL AND kind IS NOT NULL GROUP BY kind', 12) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 8, d.* FROM differences('SELECT ''all'' AS k, (dp_sum(half, 0, 10) + dp_sum(weight, -1, 10))::numeric AS n FROM visits',
		'SELECT ''all'' AS k, sum(greatest(half, 0) + coalesce(nullif(weight, ''NaN''), 0))::numeric AS m FROM visits WHERE unit IS NOT NULL', 24) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 9, d.* FROM differences('SELECT key AS k, dp_avg(cost)::numeric AS n FROM visits GROUP BY key',
		'SELECT key AS k, avg(cost) AS m FROM visits WHERE unit IS NOT NULL GROUP BY key', 0.3) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 10, d.* FROM differences('SELECT ''all'' AS k, dp_avg(amount, 2, 9)::numeric AS n FROM visits',
		'SELECT ''all'' AS k, avg(least(greatest(amount, 2), 9)) AS m FROM visits WHERE unit IS NOT NULL', 0.3) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 11, d.* FROM differences('SELECT city::text AS k, dp_sum(cost)::numeric AS n FROM visits JOIN people ON id = unit GROUP BY city',
		'SELECT city::text AS k, sum(cost)::numeric AS m FROM visits JOIN people ON id = unit GROUP BY city', 12) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 12, d.* FROM differences('SELECT key AS k, dp_sum(n, 0, 10)::numeric AS n FROM (SELECT unit, key, kind, count(*) AS n FROM visits GROUP BY unit, key, kind) v GROUP BY key',
		'SELECT key AS k, sum(least(n, 10))::numeric AS m FROM (SELECT unit, key, kind, count(*) AS n FROM visits GROUP BY unit, key, kind) v WHERE unit IS NOT NULL GROUP BY key', 12) AS d(k text, n numeric, m numeric)
	UNION ALL
	SELECT 13, d.* FROM differences('SELECT bin::text AS k, count::numeric AS n FROM dp_histogram(''visits'', ''cost'', 0, 10, 5)',
		'SELECT bin::text AS k, count(*)::numeric AS m FROM (SELECT 1 + least(cost / 2, 4) AS bin FROM visits WHERE unit IS NOT NULL AND cost IS NOT NULL) v GROUP BY bin', 1) AS d(k text, n numeric, m numeric)
$$;
SELECT * FROM all_differences() AS d(question int, k text, n numeric, m numeric);
-- with Gaussian noise: it has a standard deviation of 0.0011 clamps at most here
SET dp_agg.mechanism = gaussian;
SELECT * FROM all_differences() AS d(question int, k text, n numeric, m numeric) WHERE abs(n - m) IS NULL OR abs(n - m) > CASE WHEN question IN (9, 10) THEN 1 ELSE 160 END;
RESET dp_agg.mechanism;
-- a sample from which more than one unit is missing with a probability of 2e-8, and then with fewer rows than this
SET dp_agg.sample_rate = 0.999999;
SELECT abs(dp_count(*) - (SELECT count(*) FROM visits WHERE unit IS NOT NULL)) <= 801 AS near FROM visits;
RESET dp_agg.sample_rate;

-- the same by other roads: in parallel, and where neither rows nor groups fit memory
CREATE TABLE many (unit int, key int, cost int);
INSERT INTO many SELECT i % 1000, i % 1000 % 97 + i / 1000 % 10 * 97, i % 11 FROM generate_series(1, 60000) i;
ALTER TABLE many SET (parallel_workers = 2);
ANALYZE many;
SELECT dp_agg.protect('many', 'unit', max_groups => 10, clip_max_rows => 1000);
CREATE FUNCTION roads() RETURNS SETOF record LANGUAGE sql AS $$
	SELECT 1, d.* FROM differences('SELECT key AS k, dp_count(*) + 1000 * dp_sum(cost, 0, 10)::numeric AS n FROM many GROUP BY key',
		'SELECT key AS k, count(*) + 1000 * sum(cost)::numeric AS m FROM many GROUP BY key', 12000) AS d(k int, n numeric, m numeric)
	UNION ALL
	SELECT 2, d.* FROM differences('SELECT key AS k, dp_sum(cost - 5, -5, 5)::numeric + 100 * dp_avg(cost, 0, 10)::numeric AS n FROM many GROUP BY key',
		'SELECT key AS k, sum(cost - 5)::numeric + 100 * avg(cost)::numeric AS m FROM many GROUP BY key', 100) AS d(k int, n numeric, m numeric)
$$;
SELECT * FROM roads() AS d(question int, k int, n numeric, m numeric);
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT * FROM roads() AS d(question int, k int, n numeric, m numeric);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM roads() AS d(question int, k int, n numeric, m numeric);
RESET work_mem;
RESET hash_mem_multiplier;
SELECT * FROM roads() AS d(question int, k int, n numeric, m numeric);
SELECT * FROM all_differences() AS d(question int, k text, n numeric, m numeric);
SET max_parallel_workers_per_gather = 0;

-- where each row is a unit (and one release answers all three), distinct values and units are counted, and quantiles and moments, all is as before
SET dp_agg.epsilon = 1;
SELECT aggregate, round(epsilon::numeric, 4) AS epsilon, max_rows, sensitivity, clamp_epsilon, least_clamp, most_clamp FROM (dp_agg.price(
	'SELECT dp_count(*), dp_sum(city, 0, 9), dp_avg(city, 0, 9) FROM people') WITH ORDINALITY NATURAL JOIN dp_agg.price_details(
	'SELECT dp_count(*), dp_sum(city, 0, 9), dp_avg(city, 0, 9) FROM people') WITH ORDINALITY) ORDER BY ordinality;
SELECT aggregate, epsilon, max_rows, clamp_epsilon FROM (dp_agg.price(
	'SELECT dp_count(DISTINCT unit), dp_count(DISTINCT cost), dp_sum(DISTINCT cost), dp_median(cost), dp_variance(cost) FROM visits') WITH ORDINALITY NATURAL JOIN dp_agg.price_details(
	'SELECT dp_count(DISTINCT unit), dp_count(DISTINCT cost), dp_sum(DISTINCT cost), dp_median(cost), dp_variance(cost) FROM visits') WITH ORDINALITY) ORDER BY ordinality;
SELECT aggregate, max_rows, clamp_epsilon FROM (dp_agg.price('SELECT * FROM dp_cumulative(''visits'', ''cost'', 0, 10, 5)') WITH ORDINALITY NATURAL JOIN dp_agg.price_details('SELECT * FROM dp_cumulative(''visits'', ''cost'', 0, 10, 5)') WITH ORDINALITY) ORDER BY ordinality;
SELECT aggregate, max_rows, clamp_epsilon FROM (dp_agg.price('SELECT * FROM dp_noisy_max(''visits'', ''key'', ARRAY[''key 1'', ''key 2''])') WITH ORDINALITY NATURAL JOIN dp_agg.price_details('SELECT * FROM dp_noisy_max(''visits'', ''key'', ARRAY[''key 1'', ''key 2''])') WITH ORDINALITY) ORDER BY ordinality;

-- what it costs, and among what is chosen; sensitivity is the greatest clamp
SELECT aggregate, mechanism, epsilon, noise_stddev, half_width_95, max_rows, max_groups, sensitivity, clamp_epsilon, least_clamp, most_clamp
	FROM (dp_agg.price('SELECT key, dp_count(*), dp_sum(cost), dp_sum(amount, -3, 20), dp_avg(cost) FROM visits GROUP BY key') WITH ORDINALITY NATURAL JOIN dp_agg.price_details('SELECT key, dp_count(*), dp_sum(cost), dp_sum(amount, -3, 20), dp_avg(cost) FROM visits GROUP BY key') WITH ORDINALITY) ORDER BY ordinality;
EXPLAIN (COSTS OFF) SELECT dp_count(*), dp_avg(cost) FROM visits;
CREATE FUNCTION planned(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (COSTS OFF, FORMAT JSON) ' || query INTO plan;
	RETURN plan #> '{0,Plan,Plans,0,Releases}';
END $$;
SELECT planned('SELECT dp_count(*) FROM visits');
-- what was chosen; at this epsilon the least beyond which there is nobody, but for a probability of e^-100
SET dp_agg.epsilon = 10000;
SELECT kind, dp_count(*) > 0 AS shown FROM visits GROUP BY kind;
SELECT clamp_epsilon, least_clamp = (SELECT 2 ^ ceil(log(2.0, max(n))) FROM (SELECT count(*) AS n FROM visits GROUP BY unit, kind HAVING unit IS NOT NULL AND kind IS NOT NULL) v) AS holds_all, least_clamp = most_clamp AS one, most_clamp = sensitivity AS clamp,
	noise_stddev BETWEEN 1.3 * most_clamp * sqrt(max_groups * 3) / 10000 AND 1.87 * most_clamp * sqrt(max_groups * 3) / 10000 AS noise, half_width_95 IS NOT NULL AS width
	FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) WHERE aggregate = 'dp_count(*)';
-- of private groups those that are answered have a say, and of public keys all: one person alone in a group, with many rows
CREATE TABLE apart (unit int, key text, kind int);
INSERT INTO apart SELECT i % 100, 'many', 0 FROM generate_series(1, 400) i UNION ALL SELECT 0, 'one', 1 FROM generate_series(1, 600);
SELECT dp_agg.protect('apart', 'unit', max_groups => 2, clip_max_rows => 1000);
SELECT dp_agg.set_domain('apart', 'kind', ARRAY[0, 1]);
SELECT key, dp_count(*) BETWEEN 399 AND 401 AS near FROM apart GROUP BY key;
SELECT least_clamp, most_clamp FROM dp_agg.last_release_details() WHERE aggregate = 'dp_count(*)';
SELECT kind, dp_count(*) > 300 AS near FROM apart GROUP BY kind;
SELECT least_clamp, most_clamp FROM dp_agg.last_release_details();
-- each grouping set by itself
TRUNCATE apart;
INSERT INTO apart SELECT i % 100, 'many', i % 1000 / 500 FROM generate_series(1, 1000) i;
SELECT kind, dp_count(*) BETWEEN 499 AND 1001 AS near FROM apart GROUP BY ROLLUP (kind) ORDER BY kind;
SELECT least_clamp, most_clamp FROM dp_agg.last_release_details() ORDER BY least_clamp;
-- groups that wait are more than memory holds
SET work_mem = '64kB';
SELECT count(*), count(*) FILTER (WHERE n BETWEEN m - 2 AND m + 2) AS near FROM (SELECT key, dp_count(*) AS n FROM many GROUP BY key) v JOIN (SELECT key, count(*) AS m FROM many GROUP BY key) w USING (key);
RESET work_mem;
-- an interval is as wide as the clamp makes it: ln 20 / 0.8 times that, and above it by what is cut
SET dp_agg.epsilon = 1;
SELECT (n - lower(i)) / most_clamp BETWEEN 3.7 AND 3.8 + 1 / most_clamp AS count,
	(s - lower(j)) / other_clamp BETWEEN 3.7 AND 3.8 AS sum
	FROM (SELECT dp_count(*) AS n, dp_interval(dp_count(*)) AS i, dp_sum(amount, 0, 10) AS s, dp_interval(dp_sum(amount, 0, 10)) AS j FROM visits) v,
	(SELECT min(most_clamp) FILTER (WHERE aggregate ~ 'count') AS most_clamp, min(most_clamp) FILTER (WHERE aggregate ~ 'sum') AS other_clamp
	 FROM dp_agg.last_release_details()) r;

-- one epsilon in all, which the ledger's words tell of: the noise's share, and the choice's
SELECT pure_spent FROM dp_agg.budget WHERE role = 'clipping_analyst'::regrole;
SET ROLE clipping_analyst;
SET dp_agg.epsilon = 1;
SELECT dp_count(*) IS NOT NULL AS counted FROM visits;
SELECT count(*) FROM (SELECT kind, dp_count(*), dp_sum(cost), dp_avg(cost) FROM visits GROUP BY kind) v;
RESET ROLE;
SELECT round(pure_spent::numeric, 6) AS spent FROM dp_agg.budget WHERE role = 'clipping_analyst'::regrole;
SELECT r ->> 'aggregate' AS aggregate, r ->> 'mechanism' AS mechanism, r ->> 'epsilon' AS epsilon, r #> '{noise, 0, groups}' AS groups
	FROM dp_agg.ledger l, jsonb_array_elements(l.releases) b, jsonb_array_elements(b -> 'releases') r
	WHERE role = 'clipping_analyst' ORDER BY l.id, r ->> 'aggregate';
SELECT * FROM dp_agg.verify_ledger();

-- kept answers: a clamp that is chosen is another question than one that is fixed, and no sum of finer answers
SET ROLE clipping_analyst;
SET dp_agg.kept_max_age = '1 hour';
SET dp_agg.kept_rollup = 1000;
SELECT count(*) FROM (SELECT kind, dp_count(*) FROM visits GROUP BY kind) v;
SELECT kept IS NULL AS asked FROM dp_agg.price('SELECT dp_count(*) FROM visits WHERE kind = 1');
SELECT left(kept, 10) AS kept FROM dp_agg.price('SELECT kind, dp_count(*) FROM visits GROUP BY kind');
SET dp_agg.clipping = fixed;
SELECT kept FROM dp_agg.price('SELECT kind, dp_count(*) FROM visits GROUP BY kind');
SET dp_agg.max_rows = 1024;
SELECT kept FROM dp_agg.price('SELECT kind, dp_count(*) FROM visits GROUP BY kind');
SELECT count(*) FROM (SELECT kind, dp_count(*) FROM visits GROUP BY kind) v;
SELECT left(kept, 7) AS kept FROM dp_agg.price('SELECT dp_count(*) FROM visits WHERE kind = 1');
SET dp_agg.clipping = auto;
SELECT kept FROM dp_agg.price('SELECT dp_count(*) FROM visits WHERE kind = 1');
CREATE TEMP TABLE kept AS SELECT kind, dp_count(*) AS n, dp_interval(dp_count(*)) AS i FROM visits GROUP BY kind;
CREATE TEMP TABLE again AS SELECT kind, dp_count(*) AS n, dp_interval(dp_count(*)) AS i FROM visits GROUP BY kind;
SELECT count(*) AS others FROM (TABLE kept EXCEPT TABLE again) v;
SELECT left(kept, 10) AS kept, noise_stddev FROM dp_agg.last_release() WHERE aggregate = 'dp_count(*)';
RESET ROLE;

-- the setting is part of a plan: a prepared statement is priced anew
RESET dp_agg.kept_max_age;
PREPARE counted AS SELECT dp_count(*) IS NOT NULL AS counted FROM visits;
EXECUTE counted;
SET dp_agg.clipping = fixed;
EXECUTE counted;
SELECT max_rows, clamp_epsilon FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) ORDER BY ordinality;
RESET dp_agg.max_rows;
-- bounds of a row, and of a total
EXPLAIN (COSTS OFF) SELECT dp_sum(cost) FROM visits;
SET dp_agg.clipping = auto;
EXPLAIN (COSTS OFF) SELECT dp_sum(cost) FROM visits;
SELECT dp_sum(weight, -1e308, 1e308) FROM visits;
SELECT dp_count(1, 1e-9) FROM visits;

-- of nobody and nothing
CREATE TABLE nothing (LIKE visits);
SELECT dp_agg.protect('nothing', 'unit');
SET dp_agg.epsilon = 1048576;
SELECT dp_count(*), dp_sum(cost, 0, 10), coalesce(dp_avg(weight, 0, 10), 0) BETWEEN 0 AND 10 AS mean FROM nothing;
SELECT dp_sum(cost, 0, 0) FROM visits;

DROP SCHEMA clipping CASCADE;
SELECT dp_agg.drop_budget('clipping_analyst', 'default');
SELECT dp_agg.drop_budget(current_user::regrole, 'default');
DROP TABLE kept, again;
DROP EXTENSION dp_agg;
DROP ROLE clipping_analyst;
