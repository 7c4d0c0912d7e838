--
-- shared_noise: counts and sums of one row, or of all groups, share a part of Gaussian noise
--
CREATE EXTENSION dp_agg;
CREATE ROLE shared_noise_analyst;
CREATE SCHEMA shared_noise AUTHORIZATION shared_noise_analyst;
GRANT USAGE ON SCHEMA shared_noise TO shared_noise_analyst;
SET search_path = shared_noise, public;
CREATE TABLE people (id int PRIMARY KEY, m boolean, n boolean, city text, month int, age int, debt float8);
INSERT INTO people SELECT i, i % 2 = 0, i % 3 = 0, 'city ' || i % 5, i % 4, i % 100, - (i % 10) FROM generate_series(1, 12000) i;
CREATE TABLE visits (person int, day int, minutes int);
INSERT INTO visits SELECT i % 1000, i % 7, i % 60 FROM generate_series(1, 5000) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 5, 3);
SELECT dp_agg.set_domain('people', 'month', ARRAY[0, 1, 2, 3]), dp_agg.set_domain('people', 'age', 0, 100),
	dp_agg.set_domain('people', 'debt', -10, 0);
SELECT dp_agg.set_budget('shared_noise_analyst', 1e9, 1e-3);
-- what is told of a statement's noise, with noise shared and without
CREATE FUNCTION noise(query text, OUT aggregate text, OUT mechanism text, OUT epsilon float8, OUT stddev numeric, OUT alone numeric, OUT price text)
RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
	before float8[];
	after float8;
BEGIN
	SET LOCAL dp_agg.shared_noise = off;
	SELECT array_agg(p.noise_stddev), max(p.epsilon_spent_after) INTO before, after FROM dp_agg.price(query) p;
	SET LOCAL dp_agg.shared_noise = on;
	RETURN QUERY SELECT p.aggregate, p.mechanism, p.epsilon, round(p.noise_stddev::numeric, 4), round(before[p.n]::numeric, 4),
			CASE WHEN abs(p.epsilon_spent_after - after) <= 1e-9 * after THEN 'as without' ELSE format('%s, without %s', p.epsilon_spent_after, after) END
		FROM dp_agg.price(query) WITH ORDINALITY p (aggregate, mechanism, epsilon, delta, noise_stddev, half_width_95, epsilon_spent_after, admitted,
			kept, max_rows, max_groups, at_rows, rows_as_of, n);
END $$;
SET ROLE shared_noise_analyst;
SET search_path = shared_noise, public;
SET dp_agg.mechanism = gaussian; SET dp_agg.epsilon = 0.5; SET dp_agg.delta = 1e-9; SET dp_agg.noise_notice = off;

-- two, four and ten: 0.8536, 0.75 and 0.6581 of the noise, at the same price
SELECT * FROM noise('SELECT count(*) FILTER (WHERE m), count(*) FROM people');
SELECT count(*), min(stddev / alone)::numeric(6, 4) AS least, max(stddev / alone)::numeric(6, 4) AS most, min(price) AS price FROM (VALUES (4), (10), (100)) v (d),
	noise((SELECT 'SELECT ' || string_agg(format('count(*) FILTER (WHERE age < %s)', i), ', ') || ' FROM people' FROM generate_series(1, d) i)) GROUP BY d ORDER BY d;

-- who takes part: counts of rows and of units, sums whose bounds have one sign, of any groups
SELECT * FROM noise('SELECT count(DISTINCT id), sum(age), sum(debt), count(debt) FILTER (WHERE n), dp_sum(debt, -10, 10) FROM people');
SELECT * FROM noise('SELECT month, count(*) FILTER (WHERE m), count(*) FILTER (WHERE n) FROM people GROUP BY month');
-- who does not: the count that decides about private groups, means and what they answer, distinct values, quantiles
SELECT * FROM noise('SELECT city, count(*), count(*) FILTER (WHERE m), count(*) FILTER (WHERE n) FROM people GROUP BY city');
SELECT * FROM noise('SELECT city, count(*), count(*) FILTER (WHERE m) FROM people GROUP BY city');
SELECT * FROM noise('SELECT avg(age), sum(age), count(DISTINCT city), count(*) FILTER (WHERE m), dp_median(age, 0, 100) FROM people');
SELECT * FROM noise('SELECT count(*) FROM people');
-- of several prices, those of the most frequent one
SELECT * FROM noise('SELECT dp_count(id, 0.1), dp_count(m, 0.5), dp_count(age, 0.5) FILTER (WHERE m), dp_count(n, 0.1), dp_count(debt, 0.1) FILTER (WHERE n) FROM people');
-- clamps and numbers of groups that are chosen, and not; grouping sets
SET dp_agg.clipping = auto;
SELECT * FROM noise('SELECT count(*) FILTER (WHERE day < 3), count(*), dp_sum(minutes, 0, 60), count(DISTINCT person), count(DISTINCT person) FILTER (WHERE day < 3) FROM visits');
SET dp_agg.max_groups = 8;
SELECT aggregate, mechanism FROM dp_agg.price('SELECT day, count(DISTINCT person), count(DISTINCT person) FILTER (WHERE minutes > 3), count(DISTINCT person) FILTER (WHERE minutes > 5) FROM visits GROUP BY day');
RESET dp_agg.max_groups;
SET dp_agg.clipping = fixed;
SELECT * FROM noise('SELECT count(*) FILTER (WHERE day < 3), count(*), dp_sum(minutes, 0, 60), count(DISTINCT person) FROM visits');
SELECT * FROM noise('SELECT day, count(*), count(*) FILTER (WHERE minutes > 3), count(DISTINCT person) FILTER (WHERE minutes > 3) FROM visits GROUP BY GROUPING SETS ((day), ())');
RESET dp_agg.clipping;
-- samples, and Laplace noise
SET dp_agg.sample_rate = 0.5;
SELECT * FROM noise('SELECT count(*) FILTER (WHERE m), count(*) FROM people');
RESET dp_agg.sample_rate;
SET dp_agg.mechanism = laplace;
SELECT * FROM noise('SELECT count(*) FILTER (WHERE m), count(*) FROM people');
SET dp_agg.mechanism = gaussian;
EXPLAIN (COSTS OFF) SELECT dp_count(*), dp_sum(debt, -10, 0) FROM people;
SET dp_agg.shared_noise = off;
EXPLAIN (COSTS OFF) SELECT dp_count(*), dp_sum(debt, -10, 0) FROM people;
RESET dp_agg.shared_noise;

-- intervals know what is shared: a difference is nearer, a total farther off, and a sum of values below zero goes the other way
CREATE FUNCTION widths(query text, OUT ratio numeric) LANGUAGE plpgsql AS $$
DECLARE
	width numeric;
	alone numeric;
BEGIN
	SET LOCAL dp_agg.shared_noise = off;
	EXECUTE 'SELECT upper(r) - lower(r) FROM (' || query || ') s (r)' INTO alone;
	SET LOCAL dp_agg.shared_noise = on;
	EXECUTE 'SELECT upper(r) - lower(r) FROM (' || query || ') s (r)' INTO width;
	ratio := round(width / nullif(alone, 0), 2);
END $$;
SET dp_agg.epsilon = 0.01;
SELECT q, w AS ratio FROM (VALUES ('count(*)'), ('count(*) - count(*) FILTER (WHERE m)'), ('count(*) + count(*) FILTER (WHERE m)'), ('count(*) + sum(debt) / 10'),
	('count(*) - sum(debt) / 10'), ('count(*) - count(*)'), ('3 * count(*) - 2 * count(*) FILTER (WHERE m) - count(*) FILTER (WHERE n)')) v (q),
	LATERAL widths('SELECT dp_interval(' || q || ') FROM people HAVING count(*) FILTER (WHERE m) IS NOT NULL AND count(*) FILTER (WHERE n) IS NOT NULL AND sum(debt) IS NOT NULL') w;
-- rows have noise of their own
SELECT w AS ratio FROM widths('SELECT dp_interval(sum(a) - sum(b)) FROM (SELECT month, count(*) AS a, count(*) FILTER (WHERE m) AS b FROM people GROUP BY month) s') w;
SELECT w AS ratio FROM widths('SELECT dp_interval(a - lag(b) OVER (ORDER BY month)) FROM (SELECT month, count(*) AS a, count(*) FILTER (WHERE m) AS b FROM people GROUP BY month) s ORDER BY month DESC LIMIT 1') w;
-- totals of many rows, that statements hold, and others beside them
SELECT w AS ratio FROM (VALUES ('sum(a) OVER () - sum(b) OVER ()'), ('sum(a) OVER () + sum(b) OVER ()'), ('sum(a) OVER () - a'), ('sum(a) OVER () - b'), ('sum(a) OVER () + b'), ('sum(a) OVER () - 100 * b'), ('sum(a - b) OVER () + a - b'),
	('sum(a) OVER () - 150 * b')) v (q),
	LATERAL widths('SELECT dp_interval(' || q || ') FROM (SELECT dp_agg.bucket(age, 0, 150, 150) AS k, count(*) AS a, count(*) FILTER (WHERE m) AS b FROM people GROUP BY 1) s ORDER BY k LIMIT 1') w;

-- answers are what they are without noise, but for that
SET dp_agg.epsilon = 1000;
SELECT abs(count(*) FILTER (WHERE m) - 6000) < 5 AS count, abs(sum(debt) + 54000) < 50 AS down, abs(sum(age) - 594000) < 500 AS up,
	abs(count(DISTINCT id) - 12000) < 5 AS units FROM people;
SELECT month, abs(count(*) FILTER (WHERE m) - CASE WHEN month % 2 = 0 THEN 3000 ELSE 0 END) < 5 AS m, abs(count(*) FILTER (WHERE n) - 1000) < 5 AS n FROM people GROUP BY month ORDER BY month;

-- kept answers are of the noise that they have, and others are drawn
SET dp_agg.epsilon = 0.5; SET dp_agg.kept_max_age = '1 day';
SELECT count(*) AS n, count(*) FILTER (WHERE m) AS m FROM people \gset one_
SELECT count(*) AS n, count(*) FILTER (WHERE m) AS m FROM people \gset two_
SELECT :one_n = :two_n AND :one_m = :two_m AS kept;
SELECT count(*) FILTER (WHERE m) AS m, count(*) AS n FROM people \gset two_
SELECT :one_n = :two_n AND :one_m = :two_m AS in_another_order;
SELECT dp_interval(count(*)) IS NOT NULL AS i, count(*) FILTER (WHERE m) = :one_m AS kept FROM people;
SELECT count(*) AS drawn FROM dp_agg.price('SELECT count(*) FROM people') WHERE kept LIKE '%no charge%';
SET dp_agg.shared_noise = off;
SELECT count(*) AS drawn FROM dp_agg.price('SELECT count(*) AS n, count(*) FILTER (WHERE m) AS m FROM people') WHERE kept LIKE '%no charge%';
RESET dp_agg.shared_noise;
-- a sum of several groups of them has the noise of as many, which are independent
SELECT count(*) AS rows FROM (SELECT month, count(*), count(*) FILTER (WHERE m) FROM people GROUP BY month) s;
SET dp_agg.kept_rollup = 4;
SELECT aggregate, mechanism, round(noise_stddev::numeric, 3) AS stddev, kept ~ 'added up from 4 groups' AS added_up
	FROM dp_agg.price('SELECT count(*) FILTER (WHERE m), count(*) FROM people WHERE month IN (0, 1, 2, 3)');
RESET dp_agg.kept_rollup; RESET dp_agg.kept_max_age;
RESET ROLE;

-- all groups share noise, where they are public and units count in many of them
CREATE TABLE trips (person int, month int, town text, far boolean, minutes int);
INSERT INTO trips SELECT i % 800, i / 800, 'town ' || i % 3, i % 7 = 0, i % 60 FROM generate_series(0, 3999) i;
CREATE TABLE towns (name text PRIMARY KEY);
INSERT INTO towns SELECT 'town ' || i FROM generate_series(1, 8) i;
SELECT dp_agg.protect('trips', 'person', 'default', 1, 12);
SELECT dp_agg.set_domain('trips', 'month', ARRAY[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), dp_agg.set_domain('trips', 'minutes', 0, 60);
GRANT SELECT ON towns TO shared_noise_analyst;
CREATE FUNCTION noise_of(groups int, query text, OUT aggregate text, OUT mechanism text, OUT ratio numeric, OUT price text) RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_agg.max_groups', groups::text, true);
	RETURN QUERY SELECT n.aggregate, n.mechanism, round(n.stddev / n.alone, 3), n.price FROM noise(query) n;
END $$;
-- the rows of an answer, as they are read once more
CREATE FUNCTION stays(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	answer refcursor;
	one record;
	first text[];
	again text[];
BEGIN
	OPEN answer SCROLL FOR EXECUTE query;
	FOR i IN 1 .. 12 LOOP FETCH answer INTO one; first := first || one::text; END LOOP;
	MOVE ABSOLUTE 0 IN answer;
	FOR i IN 1 .. 12 LOOP FETCH answer INTO one; again := again || one::text; END LOOP;
	RETURN first = again AND first[12] IS NOT NULL;
END $$;
SET ROLE shared_noise_analyst;
SET client_min_messages = warning;
SET dp_agg.epsilon = 0.5; SET dp_agg.clipping = fixed;
SELECT * FROM noise('SELECT month, count(*) FROM trips GROUP BY month');
SELECT * FROM noise('SELECT month, count(*), sum(minutes), count(*) FILTER (WHERE far), avg(minutes) FROM trips GROUP BY month');
SELECT g AS max_groups, n.mechanism, n.ratio, n.price FROM unnest(ARRAY[1, 2, 6, 7, 9, 12, 30]) g, noise_of(g, 'SELECT month, count(*) FROM trips GROUP BY month') n;
-- two aggregates: by row, unless units are in many groups
SELECT g AS max_groups, n.mechanism, n.ratio, n.price FROM unnest(ARRAY[1, 6, 8, 9, 12]) g, noise_of(g, 'SELECT month, count(*), sum(minutes) FROM trips GROUP BY month') n WHERE n.aggregate ~ 'count';
-- buckets, keys that are computed, several keys, and each of grouping sets by itself
SELECT k, mechanism, round(stddev / alone, 3) AS ratio, price FROM (VALUES ('dp_agg.bucket(minutes, 0, 60, 12)'), ('minutes / 10'), ('month, far'), ('GROUPING SETS ((month), (far), ())')) v (k),
	noise('SELECT count(*) FROM trips GROUP BY ' || k);
-- not private ones, or those that tables list: it is not known how many there are; not what the statement adds up
SELECT mechanism, count(*) FROM (VALUES ('SELECT town, count(*) FROM trips GROUP BY town'), ('SELECT t.name, count(person) FROM towns t LEFT JOIN trips ON town = t.name GROUP BY 1'),
	('SELECT sum(n) FROM (SELECT month, count(*) AS n FROM trips GROUP BY month) s'), ('SELECT month, avg(minutes) FROM trips GROUP BY month'), ('SELECT month, count(DISTINCT town) FROM trips GROUP BY month'),
	('SELECT count(*) FROM trips')) v (q), noise(q) GROUP BY mechanism;
EXPLAIN (COSTS OFF) SELECT month, count(*) FROM trips GROUP BY month;

-- intervals know that: of differences of groups, and of totals
SET dp_agg.epsilon = 0.01;
SELECT q, w AS ratio FROM (VALUES ('n'), ('n - lag(n) OVER (ORDER BY month)'), ('n + lag(n) OVER (ORDER BY month)'), ('sum(n) OVER ()'), ('sum(n) OVER () - 12 * n'), ('n - lag(c) OVER (ORDER BY month)'), ('n - c'), ('sum(n - c) OVER ()'),
	('sum(n) OVER () - sum(c) OVER ()'), ('sum(n) OVER () - n'), ('sum(n) OVER () - c'), ('sum(n) OVER () + 100 * n')) v (q),
	LATERAL widths('SELECT dp_interval(' || q || ') FROM (SELECT month, count(*) AS n, count(*) FILTER (WHERE far) AS c FROM trips GROUP BY month) s ORDER BY month DESC LIMIT 1') w;
-- and of totals that statements hold
SET dp_agg.max_groups = 100;
SELECT q, w AS ratio FROM (VALUES ('n'), ('sum(n) OVER ()'), ('sum(n) OVER () - n'), ('sum(n) OVER () - 100 * n'), ('n - lag(n) OVER (ORDER BY k)')) v (q),
	LATERAL widths('SELECT dp_interval(' || q || ') FROM (SELECT dp_agg.bucket(minutes, 0, 60, 100) AS k, count(*) AS n FROM trips GROUP BY 1) s ORDER BY k DESC LIMIT 1') w;
RESET dp_agg.max_groups;
-- two blocks have noise of their own, but might be one kept answer
SELECT w AS ratio FROM widths('SELECT dp_interval(a.n - b.n) FROM (SELECT month, count(*) AS n FROM trips GROUP BY month) a JOIN (SELECT month, count(*) AS n FROM trips GROUP BY month) b ON a.month = b.month + 1 ORDER BY a.month DESC LIMIT 1') w;

-- answers are what they are without noise, but for that, also of groups without rows, and stay what they are
SET dp_agg.epsilon = 1000;
SELECT month, abs(n - CASE WHEN month < 5 THEN 800 ELSE 0 END) <= 5 AS n, abs(m - CASE WHEN month < 5 THEN 23600 ELSE 0 END) <= 500 AS m FROM (SELECT month, count(*) AS n, sum(minutes) AS m FROM trips GROUP BY month) s ORDER BY month;
SELECT stays('SELECT month, count(*) FROM trips GROUP BY month ORDER BY month');

-- kept answers are of such noise, and serve finer questions, as those of others do
SET dp_agg.epsilon = 0.5; SET dp_agg.kept_max_age = '1 day'; SET dp_agg.kept_rollup = 4;
SELECT month, count(*) AS n FROM trips GROUP BY month ORDER BY month OFFSET 11 \gset one_
SELECT month, count(*) AS n FROM trips GROUP BY month ORDER BY month OFFSET 11 \gset two_
SELECT :one_n = :two_n AS kept;
SELECT month, count(*) AS n FROM trips WHERE month > 9 GROUP BY month ORDER BY month OFFSET 11 \gset two_
SELECT :one_n = :two_n AS kept, p.mechanism, p.kept ~ 'added up' AS added_up FROM dp_agg.price('SELECT month, count(*) AS n FROM trips WHERE month > 9 GROUP BY month') p;
SELECT count(*) AS drawn FROM dp_agg.price('SELECT count(*) FROM trips WHERE month IN (10, 11)') p WHERE p.kept ~ 'no charge';
RESET dp_agg.kept_rollup; SET dp_agg.shared_noise = off;
SELECT count(*) AS drawn FROM dp_agg.price('SELECT month, count(*) FROM trips GROUP BY month') p WHERE p.kept ~ 'no charge';
RESET dp_agg.shared_noise; RESET dp_agg.kept_max_age;

-- what is drawn is charged: where a unit counts, where it does not, and what all groups share
SET dp_agg.max_groups = 9;
SELECT month, count(*) AS n, sum(minutes) AS m FROM trips GROUP BY month ORDER BY month OFFSET 11 \gset one_
RESET dp_agg.max_groups; RESET dp_agg.clipping; RESET client_min_messages;
RESET ROLE;
SELECT r ->> 'aggregate' AS aggregate, r ->> 'mechanism' AS mechanism, r -> 'with' AS shares, n ->> 'groups' AS groups, n ->> 'grid' AS grid,
	((n ->> 'sensitivity')::float8 * 2 ^ (n ->> 'grid')::int)::numeric(10, 4) AS sensitivity, round(((n ->> 'sigma')::numeric / (n ->> 'sensitivity')::numeric), 4) AS ratio
	FROM (SELECT releases FROM dp_agg.ledger WHERE releases::text LIKE '%groups share%' ORDER BY id DESC LIMIT 1) l, jsonb_array_elements(releases -> 0 -> 'releases') r, jsonb_array_elements(r -> 'noise') n;
SELECT round(dp_accountant.pld_epsilon(releases, 1e-6)::numeric, 2) AS exact FROM dp_agg.ledger WHERE releases::text LIKE '%groups share%' ORDER BY id DESC LIMIT 1;

-- the ledger has all noises, which its costs follow from
SELECT * FROM dp_agg.verify_ledger();
SELECT r ->> 'aggregate' AS aggregate, r ->> 'mechanism' AS mechanism, r ? 'epsilon' AS epsilon, r -> 'with' AS shares, n ->> 'groups' AS groups,
	round(((n ->> 'sigma')::numeric / (n ->> 'sensitivity')::numeric), 4) AS ratio
	FROM (SELECT releases FROM dp_agg.ledger WHERE releases::text LIKE '%aggregates share%' ORDER BY id LIMIT 1) l, jsonb_array_elements(releases -> 0 -> 'releases') r, jsonb_array_elements(r -> 'noise') n;
SELECT round(dp_accountant.pld_epsilon(releases, 1e-6)::numeric, 2) AS exact FROM dp_agg.ledger WHERE releases::text LIKE '%aggregates share%' ORDER BY id DESC LIMIT 1;

SET client_min_messages = warning;
DROP SCHEMA shared_noise CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE shared_noise_analyst;
