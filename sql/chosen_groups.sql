--
-- chosen_groups: max_groups that is chosen privately, under automatic clipping
--
-- At epsilon 2^20 numbers of units in a class have noise of scale 2e-5 at most, so that one unit is seen,
-- and none where there is none, but for a probability of exp(-10^4).  Counts then have noise of scale
-- sqrt(16 m) clamps / 8e5, which is below 0.02 here.
CREATE EXTENSION dp_agg;
CREATE ROLE chosen_analyst;
CREATE SCHEMA chosen;
GRANT USAGE ON SCHEMA chosen TO chosen_analyst;
SET search_path = chosen, public;
-- each of 500 persons in 3 of 40 clinics, with 2 rows in each, one of them in 8; rows of nobody
CREATE TABLE people (id int PRIMARY KEY, city int NOT NULL);
INSERT INTO people SELECT i, i % 5 FROM generate_series(1, 500) i;
CREATE TABLE visits (unit int, clinic int, word text, kind int, cost int);
INSERT INTO visits SELECT u, (u + 7 * g) % 40, 'clinic ' || (u + 7 * g) % 40, g, (u + g) % 11
	FROM generate_series(1, 500) u, generate_series(1, 3) g, generate_series(1, 2);
INSERT INTO visits SELECT NULL, i % 40, 'clinic ' || i % 40, 1, 5 FROM generate_series(1, 100) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'unit', max_groups => 16, clip_max_rows => 100);
SELECT dp_agg.set_domain('visits', 'kind', ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]), dp_agg.set_domain('visits', 'cost', 0, 10);
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3), dp_agg.set_budget('chosen_analyst', 1e12, 1e-3);
SET dp_agg.clipping = auto;
SET dp_agg.epsilon = 1048576;
SET dp_agg.plain_aggregates = off;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION chosen() RETURNS text LANGUAGE sql AS
	$$ SELECT string_agg(DISTINCT least_groups || ' to ' || max_groups, ', ') FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) $$;

-- what is chosen is the least power of two for which nothing is cut, or the most
CREATE FUNCTION differences() RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM (SELECT word, dp_count(*) AS n, dp_sum(cost) AS s, dp_count(DISTINCT unit) AS u FROM visits GROUP BY word) a
		FULL JOIN (SELECT word, count(*) AS n, sum(cost) AS s, count(DISTINCT unit) AS u FROM visits WHERE unit IS NOT NULL GROUP BY word) b USING (word)
		WHERE (a.n = b.n AND abs(a.s - b.s) <= 1 AND a.u = b.u) IS NOT TRUE $$;
SELECT differences(), chosen();
INSERT INTO visits SELECT 1, i, 'clinic ' || i, 1, 1 FROM generate_series(0, 39, 8) i;
SELECT differences(), chosen();
INSERT INTO visits SELECT 1, i, 'clinic ' || i, 1, 1 FROM generate_series(9, 19) i;
SELECT differences() AS at_the_most, chosen();
DELETE FROM visits WHERE unit = 1;
SET dp_agg.mechanism = gaussian;
SELECT differences(), chosen();
RESET dp_agg.mechanism;
-- a unit's rows of no unit, and of no public key, are in no group
SELECT kind, dp_count(*) = CASE WHEN kind < 4 THEN 998 ELSE 0 END AS exact FROM visits GROUP BY kind;
SELECT chosen();
INSERT INTO visits SELECT 2, 1, 'clinic 1', i, 1 FROM generate_series(110, 130) i;
SELECT count(*) FROM (SELECT kind, dp_count(*) FROM visits GROUP BY kind) v;
SELECT chosen();
SELECT count(*) FROM (SELECT word, kind, dp_count(*) FROM visits WHERE kind < 100 GROUP BY word, kind) v;
SELECT chosen();
DELETE FROM visits WHERE kind >= 100;
-- where all are in one group; joins, histograms, subqueries, listed keys
SELECT count(*) FROM (SELECT city, dp_count(*) FROM visits JOIN people ON id = unit GROUP BY city) v;
SELECT chosen();
SELECT count(*) FROM dp_histogram('visits', 'cost', 0, 10, 5);
SELECT chosen();
SELECT count(*) FROM (SELECT clinic, dp_sum(n, 0, 10) FROM (SELECT unit, clinic, count(*) AS n FROM visits GROUP BY unit, clinic) v GROUP BY clinic) w;
SELECT chosen();
CREATE TABLE clinics AS SELECT i AS clinic FROM generate_series(0, 99) i;
ALTER TABLE clinics ADD PRIMARY KEY (clinic);
GRANT SELECT ON clinics TO chosen_analyst;
SELECT count(*), sum(n) BETWEEN 2990 AND 3000 AS near FROM (SELECT clinic, dp_count(v.unit) AS n FROM clinics LEFT JOIN visits v USING (clinic) GROUP BY clinic) w;
SELECT chosen();
-- each grouping set for itself, and the one of all rows has no groups
SELECT count(*) FROM (SELECT word, city, dp_count(*) FROM visits JOIN people ON id = unit GROUP BY GROUPING SETS ((word), (city), ())) v;
SELECT max_groups, least_groups, count(*) FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) GROUP BY 1, 2 ORDER BY 1, 2;

-- the same by other roads: in parallel, where neither rows nor groups fit memory, and one unit does not
CREATE TABLE many (unit int, key int, cost int);
INSERT INTO many SELECT i % 1000, i % 1000 % 97 + i / 1000 % 10 * 97, i % 11 FROM generate_series(1, 60000) i;
ALTER TABLE many SET (parallel_workers = 2);
ANALYZE many;
SELECT dp_agg.protect('many', 'unit', max_groups => 1000, clip_max_rows => 1000);
CREATE FUNCTION roads(private text) RETURNS TABLE (different bigint, chosen text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT count(*) FROM (SELECT key, %s AS n FROM many GROUP BY key) a FULL JOIN (SELECT key, count(*) AS n FROM many GROUP BY key) b USING (key)
		WHERE (abs(a.n - b.n) <= 1) IS NOT TRUE', private) INTO different;
	chosen := (SELECT string_agg(DISTINCT least_groups || ' to ' || max_groups, ', ') FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY));
	RETURN NEXT;
END $$;
SELECT * FROM roads('dp_count(*)');
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT * FROM roads('dp_count(*)');
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM roads('dp_count(*)');
RESET work_mem;
RESET hash_mem_multiplier;
SELECT * FROM roads('dp_count(*)');
-- 200,000 rows of one unit in 200,000 groups are more than memory holds; nobody else is in more than 10
INSERT INTO many SELECT 1, 1000 + i, 1 FROM generate_series(1, 200000) i;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT chosen, different > 199000 AS cut FROM roads('dp_count(*)');
SET max_parallel_workers_per_gather = 0;
SELECT chosen, different > 199000 AS cut FROM roads('dp_count(*)');
RESET work_mem;
RESET hash_mem_multiplier;

-- what has another noise keeps max_groups, and so do blocks with any of that; where a unit is in fewer than four there is no choice
CREATE FUNCTION groups_of(query text) RETURNS text LANGUAGE sql AS
	$$ SELECT string_agg(DISTINCT coalesce(least_groups || ' to ' || max_groups, max_groups::text, 'none'), ', ') FROM (dp_agg.price(query) WITH ORDINALITY NATURAL JOIN dp_agg.price_details(query) WITH ORDINALITY) $$;
SELECT query, groups_of(query) FROM unnest(ARRAY[
	'SELECT word, dp_count(*) FROM visits GROUP BY word', 'SELECT word, dp_avg(cost) FROM visits GROUP BY word',
	'SELECT word, dp_count(DISTINCT unit), dp_count(DISTINCT cost), dp_sum(DISTINCT cost) FROM visits GROUP BY word',
	'SELECT dp_count(*) FROM visits', 'SELECT word, dp_count(*), dp_median(cost) FROM visits GROUP BY word',
	'SELECT word, dp_variance(cost), dp_count(*) FROM visits GROUP BY word', 'SELECT city, dp_count(*) FROM people GROUP BY city',
	'SELECT * FROM dp_top(''visits'', ''word'', 3)', 'SELECT * FROM dp_cumulative(''visits'', ''cost'', 0, 10, 5)',
	'SELECT * FROM dp_noisy_max(''visits'', ''word'', ARRAY[''clinic 1'', ''clinic 2''])']) query;
SET dp_agg.max_groups = 3;
SELECT groups_of('SELECT word, dp_count(*) FROM visits GROUP BY word');
SET dp_agg.max_groups = 4;
SELECT groups_of('SELECT word, dp_count(*) FROM visits GROUP BY word');
SET dp_agg.max_groups = 100;
SELECT groups_of('SELECT word, dp_count(*) FROM visits GROUP BY word');
RESET dp_agg.max_groups;
SET dp_agg.clipping = fixed;
SELECT groups_of('SELECT word, dp_count(*) FROM visits GROUP BY word');
SET dp_agg.clipping = auto;

-- what it costs: one epsilon in all, of which the choice has a part, and noise as of the most or less
SET dp_agg.epsilon = 1;
SELECT aggregate, mechanism, epsilon, delta, noise_stddev, half_width_95, max_groups, least_groups, least_noise_stddev, threshold
	FROM (dp_agg.price('SELECT word, dp_count(*), dp_count(DISTINCT unit) FROM visits GROUP BY word') WITH ORDINALITY NATURAL JOIN dp_agg.price_details('SELECT word, dp_count(*), dp_count(DISTINCT unit) FROM visits GROUP BY word') WITH ORDINALITY) ORDER BY ordinality;
SELECT round(sum(epsilon)::numeric, 12) AS epsilon FROM dp_agg.price('SELECT word, dp_count(*), dp_sum(cost), dp_avg(cost) FROM visits GROUP BY word');
SELECT round(sum(epsilon)::numeric, 12) AS epsilon FROM dp_agg.price('SELECT kind, dp_count(1, 0.5), dp_sum(cost) FROM visits GROUP BY kind');
EXPLAIN (COSTS OFF) SELECT word, dp_count(*), dp_count(DISTINCT unit) FROM visits GROUP BY word;
CREATE FUNCTION planned(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (COSTS OFF, FORMAT JSON) ' || query INTO plan;
	RETURN plan #> '{0,Plan,Plans,0,Releases}';
END $$;
SELECT jsonb_pretty(planned('SELECT kind, dp_count(DISTINCT unit) FROM visits GROUP BY kind'));
-- with Gaussian noise the squares of sensitivity over sigma are, for all that may be chosen, what they are of max_groups 16 alone
SET dp_agg.mechanism = gaussian;
CREATE FUNCTION squares(query text) RETURNS numeric LANGUAGE sql AS
	$$ SELECT round(sum(CASE aggregate WHEN 'groups of a unit' THEN 1 ELSE max_groups END / noise_stddev ^ 2)::numeric, 10) FROM dp_agg.price(query) $$;
SELECT squares('SELECT kind, dp_count(DISTINCT unit) FROM visits GROUP BY kind') AS chosen;
SELECT round((least_noise_stddev ^ 2 / least_groups / (noise_stddev ^ 2 / max_groups))::numeric, 9) AS alike FROM (dp_agg.price('SELECT kind, dp_count(DISTINCT unit) FROM visits GROUP BY kind') WITH ORDINALITY NATURAL JOIN dp_agg.price_details('SELECT kind, dp_count(DISTINCT unit) FROM visits GROUP BY kind') WITH ORDINALITY) WHERE aggregate ~ 'DISTINCT';
SET dp_agg.clipping = fixed; SET dp_agg.shared_noise = off;
SELECT squares('SELECT kind, dp_count(DISTINCT unit) FROM visits GROUP BY kind') AS fixed;
SET dp_agg.clipping = auto; RESET dp_agg.shared_noise;
RESET dp_agg.mechanism;

-- what was charged: the choice and, at each order, the most that a max_groups costs; the ledger's words tell of all of them
SET ROLE chosen_analyst;
SELECT count(*) FROM (SELECT kind, dp_count(DISTINCT unit) FROM visits GROUP BY kind) v;
RESET ROLE;
SELECT round(pure_spent::numeric, 9) AS spent FROM dp_agg.budget WHERE role = 'chosen_analyst'::regrole;
SELECT r ->> 'aggregate' AS aggregate, r ->> 'chooses' AS chooses, r ->> 'epsilon' AS epsilon, r -> 'noise' AS noise
	FROM dp_agg.ledger l, jsonb_array_elements(l.releases -> 0 -> 'releases') r WHERE role = 'chosen_analyst';
SELECT o -> 'max_groups' AS max_groups, r ->> 'aggregate' AS aggregate, r -> 'noise' AS noise
	FROM dp_agg.ledger l, jsonb_array_elements(l.releases -> 0 -> 'or') o, jsonb_array_elements(o -> 'releases') r WHERE role = 'chosen_analyst';
-- at each order of the grid the curve is that of integer Laplace noise for the choice, and the greatest for any max_groups m
CREATE VIEW spent AS SELECT (ARRAY[1.1, 1.15, 1.2, 1.3, 1.45, 1.7, 2, 2.125, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 22, 25, 28, 32, 36, 41, 47, 53, 60, 68, 77, 87,
	100, 112, 128, 145, 165, 187, 212, 241, 273, 310, 352, 400, 455, 517, 587, 720, 880, 1080, 1330, 1640, 2048, 2580, 3250, 4096])[n]::float8 AS alpha, s AS spent
	FROM dp_agg.budget, unnest(rdp_spent) WITH ORDINALITY x(s, n) WHERE role::text = 'chosen_analyst';
CREATE VIEW noises AS SELECT r ? 'chooses' AS chooses, (r #> '{noise, 0, groups}')::int AS m, (r #> '{noise, 0, scale_num}')::float8 / (r #> '{noise, 0, scale_den}')::float8 AS scale
	FROM dp_agg.ledger l, LATERAL (SELECT r FROM jsonb_array_elements(l.releases -> 0 -> 'releases') r
		UNION ALL SELECT r FROM jsonb_array_elements(l.releases -> 0 -> 'or') o, jsonb_array_elements(o -> 'releases') r) x WHERE role = 'chosen_analyst';
SELECT count(*) AS orders, bool_and(abs(spent / (choice + most) - 1) < 1e-9) AS charged, max(round((most / at_most)::numeric, 9)) AS over_most FROM
	(SELECT spent, dp_accountant.rdp_discrete_laplace(alpha, c.scale) AS choice, w.most, w.at_most FROM spent, noises c,
		LATERAL (SELECT max(m * dp_accountant.rdp_discrete_laplace(alpha, scale)) AS most, max(m * dp_accountant.rdp_discrete_laplace(alpha, scale)) FILTER (WHERE m = 16) AS at_most FROM noises WHERE NOT chooses) w WHERE c.chooses) x;
SELECT * FROM dp_agg.verify_ledger();
-- other words tell of another charge: without what may be chosen, with less noise there, or where nothing or all chooses
CREATE FUNCTION finds(changes text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	found boolean;
BEGIN
	EXECUTE format('UPDATE dp_agg.ledger SET releases = %s WHERE role = ''chosen_analyst'' AND admitted', changes);
	SELECT bool_or(v.problem NOT LIKE 'hash%') INTO found FROM dp_agg.verify_ledger() v;
	RAISE EXCEPTION USING message = coalesce(found, false)::text;
EXCEPTION WHEN raise_exception THEN
	RETURN SQLERRM::boolean;
END $$;
SELECT changes, finds(changes) FROM unnest(ARRAY['releases', 'releases #- ''{0,or,0}''', 'releases #- ''{0,or}''', 'jsonb_set(releases, ''{0,or}'', ''{}'')',
	'jsonb_set(releases, ''{0,or,0,max_groups}'', ''0'')', 'releases #- ''{0,or,0,max_groups}''', 'releases #- ''{0,or,0,releases}''', 'jsonb_set(releases, ''{0,or,0,other}'', ''1'')',
	'jsonb_set(releases, ''{0,or,2,releases,0,noise,0,scale_den}'', to_jsonb((releases #> ''{0,or,2,releases,0,noise,0,scale_den}'')::numeric * 3))',
	'jsonb_set(releases, ''{0,releases,1,noise,0,scale_den}'', to_jsonb((releases #> ''{0,releases,1,noise,0,scale_den}'')::numeric * 3))',
	'releases #- ''{0,releases,1}''', 'jsonb_set(releases, ''{0,or,0,releases,0,chooses}'', ''"max_groups"'')', 'jsonb_set(releases, ''{0,releases,0,chooses}'', ''"max_groups"'')']) changes;
DROP FUNCTION finds;

-- kept answers tell what was chosen for them, and so do answers that are drawn once for two; no sum is made of them
SET ROLE chosen_analyst;
SET dp_agg.epsilon = 10;
SET dp_agg.kept_max_age = '1 hour';
SET dp_agg.kept_rollup = 2;
CREATE TEMP TABLE kept AS SELECT kind, dp_count(DISTINCT unit) AS n, dp_interval(dp_count(DISTINCT unit)) AS i, dp_avg(cost) AS a, dp_interval(dp_avg(cost)) AS j FROM visits GROUP BY kind;
SELECT aggregate, max_groups = least_groups AS chosen, kept IS NULL AS new FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) ORDER BY ordinality;
CREATE TEMP TABLE widths AS SELECT half_width_95 AS width, max_groups FROM dp_agg.last_release() WHERE aggregate ~ 'DISTINCT';
CREATE TEMP TABLE again AS SELECT kind, dp_count(DISTINCT unit) AS n, dp_interval(dp_count(DISTINCT unit)) AS i, dp_avg(cost) AS a, dp_interval(dp_avg(cost)) AS j FROM visits GROUP BY kind;
SELECT aggregate, r.max_groups = w.max_groups AND least_groups = w.max_groups AS as_then, left(kept, 10) AS kept FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) r, widths w;
SELECT count(*) AS others FROM (TABLE kept EXCEPT TABLE again) v;
SELECT bool_and((upper(i) - lower(i)) / 2 = width) AS as_wide FROM kept, widths;
SELECT kept IS NULL AS asked FROM dp_agg.price('SELECT dp_count(DISTINCT unit) FROM visits WHERE kind = 1');
CREATE TEMP TABLE twice AS SELECT a.n AS n, b.n AS m FROM (SELECT kind, dp_count(1, 11) AS n FROM visits GROUP BY kind) a JOIN (SELECT kind, dp_count(1, 11) AS n FROM visits GROUP BY kind) b USING (kind);
SELECT count(*) FILTER (WHERE n <> m) AS different FROM twice;
SELECT count(DISTINCT max_groups) AS of_one, bool_and(max_groups = least_groups) AS chosen, count(kept) AS free FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) WHERE aggregate ~ 'count';
-- with another greatest max_groups it is another question
SELECT left(kept, 10) AS kept FROM dp_agg.price('SELECT kind, dp_count(DISTINCT unit), dp_avg(cost) FROM visits GROUP BY kind');
SET dp_agg.max_groups = 15;
SELECT left(kept, 10) AS kept FROM dp_agg.price('SELECT kind, dp_count(DISTINCT unit), dp_avg(cost) FROM visits GROUP BY kind');
RESET dp_agg.max_groups;
RESET dp_agg.kept_max_age;
RESET ROLE;

-- intervals and thresholds of private groups are those for what was chosen
SET dp_agg.epsilon = 1;
CREATE TEMP TABLE once AS SELECT kind, dp_count(DISTINCT unit) AS n, dp_interval(dp_count(DISTINCT unit)) AS i FROM visits GROUP BY kind;
SELECT bool_and(i = numrange((n - half_width_95)::numeric, (n + half_width_95)::numeric, '[]')) AS intervals FROM once, dp_agg.last_release() WHERE aggregate ~ 'DISTINCT';
SET dp_agg.epsilon = 10;
CREATE TEMP TABLE before AS SELECT max_groups, threshold FROM (dp_agg.price('SELECT word, dp_count(DISTINCT unit) FROM visits GROUP BY word') WITH ORDINALITY NATURAL JOIN dp_agg.price_details('SELECT word, dp_count(DISTINCT unit) FROM visits GROUP BY word') WITH ORDINALITY) WHERE aggregate = 'private groups';
CREATE TEMP TABLE groups AS SELECT word, dp_count(DISTINCT unit) AS n, dp_interval(dp_count(DISTINCT unit)) AS i FROM visits GROUP BY word;
SELECT bool_and(CASE WHEN r.max_groups = b.max_groups THEN r.threshold = b.threshold ELSE r.threshold < b.threshold END) AS thresholds, (min(n) < min(r.threshold)) IS NOT TRUE AS shown,
	(max(n - lower(i)) FILTER (WHERE lower(i) > 1) - min(half_width_95) > sqrt(min(r.max_groups))) IS NOT TRUE AS lower_ends
	FROM before b, (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY) r LEFT JOIN groups ON true WHERE aggregate = 'private groups';
-- of a sample nothing is chosen
SET dp_agg.epsilon = 1;
SET dp_agg.sample_rate = 0.1;
SELECT groups_of('SELECT kind, dp_count(*) FROM visits GROUP BY kind');
RESET dp_agg.sample_rate;
-- a refusal says what would fit, at the epsilon that was asked
SELECT dp_agg.set_budget('chosen_analyst', 1e-3, 0);
SELECT dp_agg.reset_budget('chosen_analyst', 'default');
SELECT dp_agg.set_budget('chosen_analyst', 1, 0);
SET ROLE chosen_analyst;
SELECT kind, dp_count(1, 2), dp_sum(cost, 0, 10, 2) FROM visits GROUP BY kind;
SELECT count(*) FROM (SELECT kind, dp_count(1, 0.499), dp_sum(cost, 0, 10, 0.499) FROM visits GROUP BY kind) v;
RESET ROLE;
-- so small an epsilon that there is no noise for the choice
SELECT groups_of('SELECT kind, dp_count(DISTINCT unit) FROM visits GROUP BY kind') FROM set_config('dp_agg.epsilon', '1e-9', true);
-- prepared, and run again
PREPARE counted AS SELECT count(*) FROM (SELECT kind, dp_count(*) FROM visits GROUP BY kind) v;
EXECUTE counted;
EXECUTE counted;
EXECUTE counted;
SET dp_agg.max_groups = 2;
EXECUTE counted;
SELECT DISTINCT max_groups, least_groups FROM (dp_agg.last_release() WITH ORDINALITY NATURAL JOIN dp_agg.last_release_details() WITH ORDINALITY);
RESET dp_agg.max_groups;
-- nothing shows what the two passes had to read
CREATE FUNCTION shown(query text) RETURNS TABLE (member text, value jsonb) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || query INTO plan;
	RETURN QUERY SELECT p.key, round(p.value::numeric)::text::jsonb FROM jsonb_each((plan #> '{0,Plan}')::jsonb) p WHERE key ~ 'Blocks|Actual';
END $$;
SELECT string_agg(member || ' ' || value, ', ' ORDER BY member) AS shown, bool_and(value = '0' OR member ~ 'Actual') AS nothing FROM shown('SELECT kind, dp_count(DISTINCT unit) FROM visits GROUP BY kind');
-- descriptions that are none
SELECT dp_agg_internal.of_class('\x00', '\x00');
-- of nobody
CREATE TABLE nothing (LIKE visits);
SELECT dp_agg.protect('nothing', 'unit', max_groups => 8), dp_agg.set_domain('nothing', 'kind', ARRAY[1, 2, 3, 4, 5, 6, 7, 8]);
SET dp_agg.epsilon = 1048576;
SELECT kind, dp_count(*), dp_sum(cost, 0, 10) FROM nothing GROUP BY kind;
SELECT chosen();
SELECT clinic, dp_count(*), dp_sum(cost, 0, 10) FROM nothing GROUP BY clinic;
SELECT * FROM dp_agg.verify_ledger();

DROP SCHEMA chosen CASCADE;
SELECT dp_agg.drop_budget('chosen_analyst', 'default');
SELECT dp_agg.drop_budget(current_user::regrole, 'default');
DROP TABLE kept, again, widths, twice, once, before, groups;
DROP EXTENSION dp_agg;
DROP ROLE chosen_analyst;
