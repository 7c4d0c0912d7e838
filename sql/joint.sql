--
-- joint: where each row is a unit, counts, sums and means of a column are
-- answered from one release, if that costs less and no answer is less accurate
--
CREATE EXTENSION dp_agg;
CREATE ROLE joint_analyst;
CREATE SCHEMA joint AUTHORIZATION joint_analyst;
SET search_path = joint, public;
CREATE TABLE people (id int PRIMARY KEY, city text, ok boolean NOT NULL, age int NOT NULL, score int, weight float8, salary numeric);
INSERT INTO people SELECT i, 'city ' || i % 3, i % 2 = 0, i % 100, nullif(i % 20, 7), i % 50 + 0.5, i % 30 FROM generate_series(1, 3000) i;
CREATE TABLE visits (person int, age int);
INSERT INTO visits SELECT i % 100, i % 50 FROM generate_series(1, 300) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 3);
SELECT dp_agg.set_domain('people', 'weight', 0, 100);
SELECT dp_agg.set_budget('joint_analyst', 1e9, 1e-3);
SET ROLE joint_analyst;
SET dp_agg.epsilon = 0.1;
CREATE FUNCTION lines(list text, rest text DEFAULT 'FROM people') RETURNS TABLE (aggregate text, epsilon numeric, stddev numeric, width numeric, kept text) LANGUAGE sql AS $$
	SELECT aggregate, round(epsilon::numeric, 4), round(noise_stddev::numeric, 3), round(half_width_95::numeric, 3), kept
	FROM dp_agg.price(format('SELECT %s %s', list, rest)) $$;

-- the sum is one of the two totals of the mean, or a combination of them that needs more accuracy
SELECT * FROM lines('dp_sum(age, 0, 100), dp_avg(age, 0, 100)');
SELECT * FROM lines('dp_sum(weight, 20, 100), dp_avg(weight, 20, 100)');
-- so is the number of rows, that is, of values which are not NULL
SELECT * FROM lines('dp_avg(score, 0, 20), dp_count(score)');
SELECT * FROM lines('dp_count(*), dp_sum(age, 0, 100), dp_avg(age, 0, 100)');
-- the totals of a variance hold all of them
SELECT * FROM lines('dp_avg(weight, 0, 100), dp_stddev(weight, 0, 100), dp_sum(weight, 0, 100), dp_variance(weight, 0, 100)');
SELECT * FROM lines('dp_avg(age, 0, 100), dp_stddev(age, 0, 100, 0.3)');
-- but the number of rows with three times the variance: that costs more, at some orders
SELECT * FROM lines('dp_count(age), dp_stddev(age, 0, 100)');
SET dp_agg.mechanism = gaussian;
SELECT * FROM lines('dp_sum(age, 0, 100), dp_avg(age, 0, 100)');
SELECT * FROM lines('dp_sum(age, -50, 100), dp_avg(age, -50, 100), dp_stddev(age, -50, 100)');
RESET dp_agg.mechanism;
EXPLAIN (COSTS OFF) SELECT dp_sum(age, 0, 100), dp_avg(age, 0, 100) FROM people;

-- apart remain: other bounds, other columns, DISTINCT, rows that are not units, one that alone would cost less
SELECT count(kept) FROM lines('dp_sum(age, 0, 100), dp_avg(age, 0, 99)');
SELECT count(kept) FROM lines('dp_sum(age, 0, 100), dp_avg(score, 0, 100)');
SELECT count(kept) FROM lines('dp_sum(DISTINCT age, 0, 100), dp_avg(age, 0, 100)');
SELECT count(kept) FROM lines('dp_sum(age, 0, 100), dp_avg(DISTINCT age, 0, 100)');
SELECT count(kept) FROM lines('dp_sum(age, 0, 100), dp_avg(age, 0, 100)', 'FROM visits');
SELECT count(kept) FROM lines('dp_sum(age, 0, 100) FILTER (WHERE ok), dp_avg(age, 0, 100)');
SELECT count(kept) FROM lines('dp_sum(age, 0, 100, 3), dp_avg(age, 0, 100, 0.01)');
SELECT count(kept) FROM lines('dp_sum(age, 7, 7), dp_avg(age, 7, 7), dp_variance(age, 7, 7)');
SELECT count(kept) FROM lines('dp_sum(weight, 0, 1e-310), dp_avg(weight, 0, 1e-310)');
-- bounds near the ends of the doubles
SELECT count(kept) FROM lines('dp_sum(weight, 0, 1e300), dp_avg(weight, 0, 1e300)');
SELECT s = 0 AS sum, a = 0 AS mean FROM (SELECT dp_sum(weight, -1e-290, 1e-280) * 0 AS s, dp_avg(weight, -1e-290, 1e-280) * 0 AS a FROM people) r;
SELECT s BETWEEN 0 AND 1e304 AS sum FROM (SELECT dp_sum(1e300 + weight, 0, 1e300) AS s, dp_avg(1e300 + weight, 0, 1e300), dp_count(age) FROM people) r;
SELECT s = 9223372036854775807 AS sum FROM (SELECT dp_sum(age::bigint * 40000000000000000, 0, 4000000000000000000) AS s, dp_avg(age::bigint * 40000000000000000, 0, 4000000000000000000) FROM people) r;
-- counts of what may be NULL where the mean is not, and of NaN, which means leave out
SELECT count(kept) FROM lines('dp_count(*), dp_avg(score, 0, 20)');
SELECT count(kept) FROM lines('dp_count(weight), dp_avg(weight, 0, 20)');
SELECT count(kept) FROM lines('dp_count(salary), dp_avg(salary, 0, 20)');
-- the count that decides which private groups there are; public ones need none
SELECT * FROM lines('city, dp_count(*), dp_sum(age, 0, 100), dp_avg(age, 0, 100)', 'FROM people GROUP BY city');
SELECT * FROM lines('ok, dp_count(*), dp_sum(age, 0, 100), dp_avg(age, 0, 100)', 'FROM people GROUP BY ok');

-- a mean decides about private groups where it is asked alone: what is made of its totals would be off with it
SELECT * FROM lines('city, dp_avg(age, 0, 100)', 'FROM people GROUP BY city');
SELECT * FROM lines('city, dp_sum(age, 0, 100), dp_avg(age, 0, 100)', 'FROM people GROUP BY city');
-- clamps are chosen where a row is no unit, and nowhere else
SET dp_agg.clipping = auto;
SELECT aggregate, round(epsilon::numeric, 4) AS epsilon, round(clamp_epsilon::numeric, 4) AS clamp_epsilon, kept FROM (dp_agg.price('SELECT dp_count(age), dp_sum(age, 0, 100), dp_avg(age, 0, 100), dp_variance(age, 0, 100) FROM visits') WITH ORDINALITY NATURAL JOIN dp_agg.price_details('SELECT dp_count(age), dp_sum(age, 0, 100), dp_avg(age, 0, 100), dp_variance(age, 0, 100) FROM visits') WITH ORDINALITY) ORDER BY ordinality;
SELECT aggregate, round(epsilon::numeric, 4) AS epsilon, round(clamp_epsilon::numeric, 4) AS clamp_epsilon, kept FROM (dp_agg.price('SELECT dp_count(age), dp_sum(age, 0, 100), dp_avg(age, 0, 100), dp_variance(age, 0, 100) FROM people') WITH ORDINALITY NATURAL JOIN dp_agg.price_details('SELECT dp_count(age), dp_sum(age, 0, 100), dp_avg(age, 0, 100), dp_variance(age, 0, 100) FROM people') WITH ORDINALITY) ORDER BY ordinality;
RESET dp_agg.clipping;

-- no aggregate is less accurate than by itself, and all together cost no more
CREATE TABLE lists AS SELECT count, sum, avg, stddev, epsilon, lower, upper FROM
	(VALUES ('dp_count(age, %s)'), ('dp_count(*, %s)'), (NULL)) c(count), (VALUES ('dp_sum(age, %s, %s, %s)'), (NULL)) s(sum),
	(VALUES ('dp_avg(age, %s, %s, %s)'), (NULL)) a(avg), (VALUES ('dp_stddev(age, %s, %s, %s)'), (NULL)) d(stddev),
	(VALUES (0.01), (0.5), (8)) e(epsilon), (VALUES (0, 100), (-50, 100), (-100, 1), (40, 60), (0, 1)) b(lower, upper)
	WHERE num_nulls(count, sum, avg, stddev) < 3 AND count IS DISTINCT FROM 'dp_count(*, %s)';
CREATE FUNCTION aggregates(l lists) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_remove(ARRAY[format(l.count, l.epsilon), format(l.sum, l.lower, l.upper, l.epsilon),
		format(l.avg, l.lower, l.upper, l.epsilon), format(l.stddev, l.lower, l.upper, l.epsilon)], NULL) $$;
-- of how many lists the price is lower, the greatest epsilon and errors relative to those apart
CREATE FUNCTION compared(OUT cheaper bigint, OUT dearest boolean, OUT worse boolean) LANGUAGE sql AS $$
	WITH together AS (SELECT l, t.* FROM lists l, dp_agg.price('SELECT ' || array_to_string(aggregates(l), ', ') || ' FROM people') t),
	apart AS (SELECT l, a.* FROM lists l, unnest(aggregates(l)) u, dp_agg.price(format('SELECT %s FROM people', u)) a)
	SELECT (SELECT count(*) FROM (SELECT l, sum(epsilon) AS e FROM together GROUP BY l) t JOIN (SELECT l, sum(epsilon) AS e FROM apart GROUP BY l) a USING (l) WHERE t.e < a.e * 0.999),
		(SELECT bool_or(t.e > a.e * (1 + 1e-9)) FROM (SELECT l, sum(epsilon) AS e FROM together GROUP BY l) t JOIN (SELECT l, sum(epsilon) AS e FROM apart GROUP BY l) a USING (l)),
		(SELECT bool_or(t.noise_stddev > a.noise_stddev * (1 + 1e-6) OR t.half_width_95 > a.half_width_95 * (1 + 1e-6) + 1) FROM together t JOIN apart a USING (l, aggregate)) $$;
SELECT * FROM compared();
SET dp_agg.mechanism = gaussian; SET dp_agg.delta = 1e-7;
SELECT * FROM compared();
RESET dp_agg.mechanism; RESET dp_agg.delta;

-- Answers: noise is beyond 40 times its standard deviation less than once in 10^20 times.
CREATE FUNCTION far(query text, truth float8[]) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	noisy float8[];
BEGIN
	EXECUTE query INTO noisy;
	RETURN (SELECT array_agg(n) FROM unnest(noisy, truth, current_setting('joint.widths')::float8[]) u(n, t, w) WHERE abs(n - t) > w);
END $$;
SET dp_agg.epsilon = 10;
SET joint.widths = '{6, 600, 0.2, 10}';
SELECT far('SELECT ARRAY[dp_count(age), dp_sum(age, 0, 100), dp_avg(age, 0, 100)] FROM people', '{3000, 148500, 49.5}');
SELECT far('SELECT ARRAY[dp_count(*), dp_sum(age, -50, 100), dp_avg(age, -50, 100)] FROM people', '{3000, 148500, 49.5}');
SELECT far('SELECT ARRAY[dp_count(score), dp_sum(score, -50, 100), dp_avg(score, -50, 100)] FROM people', '{2850, 27450, 9.6316}');
SELECT far('SELECT ARRAY[0, dp_sum(weight, 0, 100), dp_avg(weight, 0, 100)] FROM people', '{0, 75000, 25}');
SELECT far('SELECT ARRAY[dp_count(age), dp_sum(age, 0, 100), dp_avg(age, 0, 100), dp_stddev(age, 0, 100)] FROM people', '{3000, 148500, 49.5, 28.87}');
SELECT far('SELECT ARRAY[0, dp_sum(weight, -20, 100), dp_avg(weight, -20, 100), dp_stddev(weight, -20, 100)] FROM people', '{0, 75000, 25, 14.43}');
SELECT far('SELECT ARRAY[0, dp_sum(salary, 0, 100), dp_avg(salary, 0, 100)] FROM people', '{0, 43500, 14.5}');
SET dp_agg.mechanism = gaussian;
SET joint.widths = '{60, 6000, 2, 100}';
SELECT far('SELECT ARRAY[dp_count(age), dp_sum(age, -50, 100), dp_avg(age, -50, 100), dp_stddev(age, -50, 100)] FROM people', '{3000, 148500, 49.5, 28.87}');
SELECT far('SELECT ARRAY[dp_count(age), dp_sum(age, -50, 100), dp_avg(age, -50, 100)] FROM people', '{3000, 148500, 49.5}');
RESET dp_agg.mechanism;
SET dp_agg.epsilon = 0.01;
-- they fit each other, though their noise is far beyond what rounding can do
SELECT abs(c * a - s) <= abs(a) + 1e-6 AS fit FROM (SELECT dp_count(age) AS c, dp_sum(age, -50, 100) AS s, dp_avg(age, -50, 100) AS a FROM people WHERE age >= 0) r;
-- intervals of all of them
SELECT dp_interval(dp_count(age), 0.9999999999) @> 3000.0 AS count, dp_interval(dp_sum(age, -50, 100), 0.9999999999) @> 148500.0 AS sum,
	dp_interval(dp_avg(age, -50, 100), 0.9999999999) @> 49.5 AS avg FROM people;
SELECT upper(c) - lower(c) BETWEEN 550 AND 650 AS count, upper(s) - lower(s) BETWEEN 40000 AND 55000 AS sum FROM
	(SELECT dp_interval(dp_count(age)) AS c, dp_interval(dp_sum(age, -50, 100)) AS s, dp_avg(age, -50, 100) FROM people WHERE age > -1) r;
SET dp_agg.epsilon = 1;
SELECT dp_interval(dp_sum(weight, 0, 100), 0.9999999999) @> 75000.0 AS sum, dp_interval(dp_avg(weight, 0, 100), 0.9999999999) @> 25.0 AS avg,
	dp_interval(dp_stddev(weight, 0, 100), 0.9999999999) @> stddev_samp AS stddev FROM people, LATERAL (SELECT 14.4337569::numeric) t(stddev_samp) GROUP BY stddev_samp;

-- Of nobody means and variances are NULL, and so are their intervals; counts and sums of the same totals are
-- numbers, and near 0.  So little noise takes no row for none, nor none for one; rounding hides it.
SET dp_agg.epsilon = 1e5;
CREATE FUNCTION of_nobody(list text, filter text DEFAULT 'age < 0', digits int DEFAULT 0, rest text DEFAULT '') RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM dp_agg.price(format('SELECT %s FROM people WHERE %s %s', list, filter, rest)) WHERE kept LIKE 'part of%') THEN
		RAISE 'not one release: %', list;
	END IF;
	RETURN QUERY EXECUTE format('SELECT (SELECT string_agg(coalesce(round(n, %s)::text, ''NULL''), '' '') FROM unnest(a) n) FROM (SELECT ARRAY[%s]::numeric[] FROM people WHERE %s %s) r (a)', digits, list, filter, rest);
END $$;
SELECT of_nobody('dp_sum(weight, -20, 100), dp_avg(weight, -20, 100)');
SELECT of_nobody('dp_count(*), dp_avg(age, 0, 100), dp_variance(age, 0, 100), dp_sum(age, 0, 100)');
SELECT of_nobody('dp_sum(weight, 0, 100), dp_avg(weight, 0, 100), dp_stddev(weight, 0, 100)');
SELECT of_nobody('dp_sum(weight, -20, 100), dp_avg(weight, -20, 100)', 'id = 99', 1);
SELECT of_nobody('dp_count(*), dp_sum(age, 0, 100), dp_avg(age, 0, 100), dp_stddev(age, 0, 100)', 'id = 99');
-- of public groups some have nobody
SELECT of_nobody('dp_sum(age, 0, 200), dp_avg(age, 0, 200)', 'id < 7 AND ok', 0, 'GROUP BY ok');
SELECT s IS NULL AS sum, a IS NULL AS mean, c IS NULL AS count FROM
	(SELECT dp_interval(dp_sum(age, 0, 100)) AS s, dp_interval(dp_avg(age, 0, 100)) AS a, dp_interval(dp_count(age)) AS c FROM people WHERE age < 0) r;
SET dp_agg.mechanism = gaussian;
SELECT of_nobody('dp_sum(weight, 0, 100), dp_avg(weight, 0, 100)', digits => -1);
SELECT of_nobody('dp_sum(weight, 0, 100), dp_avg(weight, 0, 100), dp_stddev(weight, 0, 100)', digits => -1);
SELECT of_nobody('dp_sum(age, 0, 100), dp_avg(age, 0, 100)', 'age = 99', -1);
RESET dp_agg.mechanism;
-- at any noise: a mean of nobody is a number once in 100 times, and so 20 times of 100 less than once in 10^17 times
SET dp_agg.epsilon = 0.1;
CREATE FUNCTION shown(list text) RETURNS TABLE (others boolean, mean boolean) LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM dp_agg.price(format('SELECT %s FROM people', list)) WHERE kept LIKE 'part of%') THEN
		RAISE 'not one release: %', list;
	END IF;
	RETURN QUERY EXECUTE format('SELECT count(c) = 100 AND count(s) = 100, count(a) < 20 FROM (%s) q', (SELECT string_agg(format('SELECT %s FROM people WHERE age < %s', list, -i), ' UNION ALL ') FROM generate_series(1, 100) i));
END $$;
SELECT * FROM shown('dp_count(age) AS c, dp_sum(age, 0, 100) AS s, dp_avg(age, 0, 100) AS a');
SELECT * FROM shown('dp_sum(age, 0, 100) AS c, dp_sum(age, 0, 100) + 1 AS s, coalesce(dp_avg(age, 0, 100), dp_stddev(age, 0, 100)) AS a');
SET dp_agg.mechanism = gaussian;
SELECT * FROM shown('dp_sum(age, 0, 100) AS c, dp_sum(age, 0, 100) + 1 AS s, dp_avg(age, 0, 100) AS a');
RESET dp_agg.mechanism;
-- a cursor that goes back
SET dp_agg.epsilon = 1e5;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT ok, dp_sum(age, 0, 100) AS sum, round(dp_avg(age, 0, 100)) AS mean FROM people WHERE age = 99 AND NOT ok GROUP BY ok;
FETCH ALL IN c;
FETCH BACKWARD ALL IN c;
COMMIT;
-- quantiles know by a count of others' totals how many rows there are
SET dp_agg.epsilon = 0.5;
SELECT i @> 49.0 AS median, upper(i) - lower(i) < 60 AS close FROM (SELECT dp_interval(dp_median(age, 0, 100), 0.9999999999) AS i,
	dp_quantile(age, 0.4, 0, 100), dp_quantile(age, 0.6, 0, 100), dp_count(age), dp_sum(age, 0, 100), dp_avg(age, 0, 100) FROM people) r;
SELECT aggregate, kept FROM dp_agg.last_release() WHERE kept IS NOT NULL;
-- What is kept is the totals: counts and sums of them remain numbers, and means NULL, however they are asked again or added up.
CREATE FUNCTION again(query text, OUT rows text, OUT answers text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO rows;
	SELECT string_agg(regexp_replace(coalesce(kept, 'drawn'), 'since .*, no', 'since TIME, no'), '; ') INTO answers FROM dp_agg.last_release();
END $$;
SET dp_agg.epsilon = 1e5; SET dp_agg.kept_max_age = '1 hour'; SET dp_agg.kept_rollup = 2;
SELECT * FROM again('SELECT dp_sum(age, 0, 100), round(dp_avg(age, 0, 100)) FROM people WHERE age < 0');
SELECT * FROM again('SELECT round(dp_avg(age, 0, 100)) FROM people WHERE age < 0');
SELECT * FROM again('SELECT round(dp_avg(age, 0, 100)), dp_sum(age, 0, 100) FROM people WHERE age < 0');
SELECT * FROM again('SELECT ok, dp_sum(age, 0, 100), round(dp_avg(age, 0, 100)) FROM people WHERE age = 99 GROUP BY ok');
SELECT * FROM again('SELECT dp_sum(age, 0, 100), round(dp_avg(age, 0, 100)) FROM people WHERE age = 99');
SELECT * FROM again('SELECT dp_sum(age, 0, 100), round(dp_avg(age, 0, 100)) FROM people WHERE age = 99 AND ok');
RESET dp_agg.kept_rollup;

-- charged is one release, which an auditor works out from the ledger
SET dp_agg.epsilon = 0.1;
SET dp_agg.kept_max_age = '1 hour';
SELECT count(*) FROM (SELECT dp_sum(age, 0, 100), dp_avg(age, 0, 100) FROM people WHERE age < 98) r;
SELECT aggregate, epsilon, kept FROM dp_agg.last_release();
-- and the answer to the mean by itself, which comes from the same totals
SELECT aggregate, epsilon, kept IS NOT NULL AS kept FROM dp_agg.price('SELECT dp_avg(age, 0, 100) FROM people WHERE age < 98');
SELECT aggregate, epsilon FROM dp_agg.price('SELECT dp_sum(age, 0, 100) FROM people WHERE age < 98');
-- what is asked with another accuracy is another question
SELECT aggregate, round(epsilon::numeric, 4) AS epsilon, kept FROM dp_agg.price('SELECT dp_count(age), dp_sum(age, 0, 100), dp_avg(age, 0, 100) FROM people WHERE age < 98');
RESET ROLE;
SELECT jsonb_path_query(releases, '$[*].releases[*].answers') AS answers FROM dp_agg.ledger ORDER BY id DESC LIMIT 1;
SELECT count(*) FROM dp_agg.verify_ledger();

-- plain aggregates likewise
SET ROLE joint_analyst;
SET dp_agg.plain_aggregates = on;
SELECT * FROM lines('sum(weight), avg(weight), stddev(weight)');
RESET ROLE;

-- bytes that are no weights
SELECT dp_agg_internal.joint_total('\x00', '\x00');
SET client_min_messages = warning;
DROP SCHEMA joint CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE joint_analyst;
