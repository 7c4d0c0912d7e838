--
-- histogram: dp_histogram answers every bin, and its text arguments are one
-- column and one condition, whatever they look like
--
CREATE EXTENSION dp_agg;
CREATE ROLE histogram_analyst;
CREATE SCHEMA histogram AUTHORIZATION histogram_analyst;
SET search_path = histogram, public;
CREATE TABLE people (id int PRIMARY KEY, age int, small smallint, large bigint, f4 real, f8 float8, n numeric,
	city text, "odd ""name""" int, born date);
INSERT INTO people SELECT i, i % 100, i % 100, i % 100, i % 100, i % 100, i % 100, 'city ' || i % 2, i % 100, '2000-01-01'
	FROM generate_series(1, 1000) i;
-- outside, at the edges, and nowhere
INSERT INTO people (id, f8, n, f4, large) VALUES (1001, '-Infinity', '-Infinity', '-Infinity', -9223372036854775808),
	(1002, 'Infinity', 'Infinity', 'Infinity', 9223372036854775807), (1003, 'NaN', 'NaN', 'NaN', NULL),
	(1004, NULL, NULL, NULL, NULL), (1005, -5, -5, -5, -5), (1006, 100, 100, 100, 100), (1007, 1e308, 1e308, 1e38, 1000);
CREATE TABLE visits (person int, age int);
INSERT INTO visits SELECT p, b FROM generate_series(1, 100) p, generate_series(0, 90, 10) b, generate_series(1, 5) r;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 3, 2);
CREATE TABLE mixed (person int, age int, f float8);
INSERT INTO mixed SELECT p, CASE WHEN r = 1 THEN p % 20 END, CASE WHEN r = 1 THEN p % 20 WHEN r < 5 THEN 'NaN'::float8 END
	FROM generate_series(1, 200) p, generate_series(1, 9) r;
SELECT dp_agg.protect('mixed', 'person', 'default', 1, 1);
CREATE TABLE open (id int, age int);
GRANT SELECT ON open TO histogram_analyst;
CREATE TABLE "b"") GROUP BY 1 --" (id int PRIMARY KEY, "select" int, b int);
INSERT INTO "b"") GROUP BY 1 --" SELECT i, i % 100, i FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('"b"") GROUP BY 1 --"', 'id');
SELECT dp_agg.set_budget('histogram_analyst', 1e6, 1e-3);
SET ROLE histogram_analyst;
-- At epsilon 50 a bin is off by 10 or more with a probability of 4e-218.
SET dp_agg.epsilon = 50;

-- bins: numbers, edges, all of them, values outside in the end bins, NULL and NaN in none
SELECT bin, lower, upper, abs(count - 250) <= 10 AS right FROM dp_histogram('people', 'age', 0, 100, 4);
SELECT bin, lower, upper, abs(count - 252) <= 12 AS right FROM dp_histogram('people', 'f8', 0, 100, 4);
SELECT c.name, count(*), abs(min(count) - 250) <= 15 AS least, abs(max(count) - 250) <= 15 AS most FROM
	(SELECT 'small' AS name, * FROM dp_histogram('people', 'small', 0, 100, 4)
	 UNION ALL SELECT 'large', * FROM dp_histogram('people', 'large', 0, 100, 4)
	 UNION ALL SELECT 'f4', * FROM dp_histogram('people', 'f4', 0, 100, 4)
	 UNION ALL SELECT 'n', * FROM dp_histogram('people', 'n', 0, 100, 4)
	 UNION ALL SELECT 'odd', * FROM dp_histogram('people', 'odd "name"', 0, 100, 4)) c GROUP BY c.name ORDER BY c.name;
SELECT bin, lower, upper, abs(count) <= 10 AS empty FROM dp_histogram('people', 'age', 200, 300, 4) ORDER BY bin OFFSET 1;
SELECT bin, lower, upper, abs(count - CASE bin WHEN 1 THEN 1000 ELSE 0 END) <= 10 AS right
	FROM dp_histogram('people', 'age', 1e300, 2e300, 1);
SELECT bin, lower, upper, abs(count - CASE WHEN bin <= 2 THEN 0 ELSE 500 END) <= 20 AS right
	FROM dp_histogram('people', 'age', -100, 100, 4);
SELECT count(*), bool_and(abs(lower - (-0.1 + 0.1 * (bin - 1))) < 1e-15 AND abs(upper - (-0.1 + 0.1 * bin)) < 1e-15) AS edges
	FROM dp_histogram('people', 'age', -0.1, 0.2, 3);
SELECT count(*), min(bin), max(bin), abs(sum(count) - 1000) <= 100 AS right FROM dp_histogram('people', 'age', 0, 100, 1000);
SELECT bin, abs(count - 1000) <= 10 AS right FROM dp_histogram('people', 'age', 0, 100, 1);
-- a unit counts in max_groups bins, with max_rows rows in each
SELECT count(*), abs(sum(count) - 600) <= 60 AS right FROM dp_histogram('visits', 'age', 0, 100, 10);
-- values that are in no bin take none of these
SELECT bin, abs(count - 100) <= 10 AS right FROM dp_histogram('mixed', 'age', 0, 20, 2);
SELECT bin, abs(count - 100) <= 10 AS right FROM dp_histogram('mixed', 'f', 0, 20, 2);
SELECT bin, abs(count - 100) <= 10 AS right FROM dp_cumulative('mixed', 'age', 0, 20, 2);

-- as a table
SELECT h.bin + 1 AS next, h.lower FROM dp_histogram('people', 'age', 0, 100, 2) h ORDER BY h.bin DESC;
SELECT b, c > 0 AS some FROM dp_histogram('people', 'age', 0, 100, 2) AS h (b, l, u, c);
SELECT h IS NOT NULL AS whole FROM dp_histogram('people', 'age', 0, 100, 2) h;
SELECT a.bin, abs(a.count - b.count) <= 20 AS close FROM dp_histogram('people', 'age', 0, 100, 2) a
	JOIN dp_histogram('people', 'f8', 0, 100, 2) b USING (bin);
SELECT sum(count) > 900 AS many, (SELECT count(*) FROM dp_histogram('people', 'age', 0, 100, 7)) AS bins
	FROM dp_histogram('people', 'age', 0, 100, 2) WHERE bin > 0;
-- whatever the names are
SELECT bin, abs(count - 500) <= 10 AS right FROM dp_histogram('"b"") GROUP BY 1 --"', 'select', 0, 100, 2, filter => 'b > 0 AND "select" >= 0');
-- arguments by name, by default, as parameters
SELECT count(*) FROM dp_histogram(bins => 3, lower => 0, upper => 100, col => 'age', relation => 'people');
SELECT count(*) FROM dp_histogram('people', 'age', 0, 100, 3, epsilon => 1, filter => 'age > 5');
SELECT aggregate, epsilon FROM dp_agg.price($$ SELECT * FROM dp_histogram('people', 'age', 0, 100, 3, epsilon => 0.25) $$);
PREPARE h(regclass, name, float8, float8, int, float8, text) AS
	SELECT count(*), abs(sum(count) - 500) <= 50 AS right FROM dp_histogram($1, $2, $3, $4, $5, $6, $7);
EXECUTE h('people', 'age', 0, 100, 5, NULL, 'age >= 50');
EXECUTE h('people', 'f8', 0, 100, 50, 50, $$ city = 'city 0' $$);
EXECUTE h('people', 'n', 0, 100, 1, 50, 'age <= 49 AND 1 = 1');

-- the bucket number as a key of one's own, in any order
SELECT dp_agg.bucket(age, 0, 100, 4) AS bin, abs(dp_count(*) - 250) <= 10 AS right FROM people GROUP BY 1;
SELECT dp_agg.bucket(age, 0, 100, 4) AS bin, abs(dp_count(*) - 250) <= 10 AS right FROM people GROUP BY 1 ORDER BY 1 DESC;
SELECT dp_agg.bucket(age, 0, 100, 4) AS bin, abs(dp_count(*) - 250) <= 10 AS right FROM people GROUP BY 1 ORDER BY 1 NULLS FIRST;
SELECT dp_agg.bucket(age, 0, 100, 4) AS bin, abs(dp_avg(age, 0, 100) - 50) <= 50 AS right FROM people GROUP BY 1;
SELECT dp_agg.bucket(age, 200, 300, 4) AS bin, abs(dp_count(*)) <= 1010 AS right FROM people GROUP BY 1;
SELECT dp_agg.bucket(age, lower, 100, 4), dp_count(*) FROM people, (VALUES (0.0)) v (lower) GROUP BY 1;
\echo :SQLSTATE
SELECT dp_agg.bucket(age, 0, id, 4), dp_count(*) FROM people GROUP BY 1;
\echo :SQLSTATE
SELECT dp_agg.bucket(age, 0, 100, 0), dp_count(*) FROM people GROUP BY 1;
\echo :SQLSTATE
SELECT dp_agg.bucket(age, 0, 100, 4), city, dp_count(*) FROM people GROUP BY 1, 2;
\echo :SQLSTATE
SELECT dp_count(*) FROM people WHERE dp_agg.bucket(age, 0, 100, 4) = 1;
\echo :SQLSTATE

-- filters are conditions of the gate, as in WHERE
SELECT count(*), abs(sum(count) - 250) <= 50 AS right FROM dp_histogram('people', 'age', 0, 100, 10,
	filter => $$ age < 50 AND city = 'city 0' -- AND age > 1000 $$);
SELECT count(*), abs(sum(count) - 500) <= 50 AS right FROM dp_histogram('people', 'age', 0, 100, 10,
	filter => $$ people.age IN (1, 2) OR (age < 50) /* ) GROUP BY 1 */ $$);
SELECT count(*), abs(sum(count) - 1000) <= 50 AS right FROM dp_histogram('people', 'age', 0, 100, 10,
	filter => $$ city <> ') GROUP BY 1 --' $$);
SELECT count(*), abs(sum(count)) <= 50 AS none FROM dp_histogram('people', 'age', 0, 100, 10, filter => 'NULL');
SELECT statements, refusals FROM dp_agg.budgets;
-- and nothing but one condition
CREATE FUNCTION complaint(filter text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM * FROM dp_histogram('people', 'age', 0, 100, 10, filter => filter);
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
CREATE FUNCTION tell(int) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE WARNING ''told %'', $1; RETURN true; END';
SELECT filter, complaint(filter) FROM unnest(ARRAY[
	'true) GROUP BY 1 --',
	'true) GROUP BY 1) b; DROP TABLE people --',
	'1 = 1; DROP TABLE people',
	'true; SELECT 1',
	'true) OR (true',
	'true) UNION ALL (SELECT 1, 1, 1',
	'true FROM people',
	'true WHERE true',
	'true GROUP BY age',
	'true ORDER BY 1',
	'true LIMIT 1',
	'true FOR UPDATE',
	'true UNION SELECT true',
	'true INTO copied',
	'true AS condition',
	'true condition',
	'age > 5, age < 10',
	'DISTINCT true',
	'ALL true',
	'*',
	'people.*',
	'',
	' ',
	'--',
	'/*',
	'true /*',
	'$1',
	':age',
	'age > $2',
	'true \',
	'''unfinished',
	'$tag$ unfinished',
	'"unfinished',
	'E''\',
	'TABLE people',
	'DROP TABLE people',
	'age > (SELECT max(open.id) FROM open WHERE open.id < people.age)',
	'EXISTS (SELECT FROM open WHERE open.id = people.age)',
	'age IN (SELECT open.id FROM open WHERE open.id < people.age)',
	'dp_count(*) > 5',
	'count(*) > 5',
	'rank() OVER () > 5',
	'generate_series(1, 5) > 5',
	'b.bin > 1',
	'missing > 1',
	'age',
	'tell(age)',
	'random() > 0.5',
	'pg_sleep(0) IS NULL',
	'ctid IS NOT NULL',
	'x IS NOT NULL',
	'people IS NOT NULL',
	'id = xmin::text::int']) AS filter;
SELECT complaint(repeat('(', 20000) || 'true' || repeat(')', 20000)) <> 'none' AS refused;

-- other arguments
CREATE FUNCTION complain(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT * FROM dp_histogram(' || call || ')';
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
SELECT arguments, complain(arguments) FROM (VALUES
	($$'people', 'missing', 0, 100, 10$$),
	($$'people', 'city', 0, 100, 10$$),
	($$'people', 'born', 0, 100, 10$$),
	($$'people', 'ctid', 0, 100, 10$$),
	($$'people', 'age + 1', 0, 100, 10$$),
	($$'people', 'age, 0, 1, 1), dp_agg.bucket(x.id', 0, 100, 10$$),
	($$'open', 'age', 0, 100, 10$$),
	($$'missing', 'age', 0, 100, 10$$),
	($$0, 'age', 0, 100, 10$$),
	($$'pg_class', 'relpages', 0, 100, 10$$),
	($$'people', 'age', 100, 0, 10$$),
	($$'people', 'age', 0, 0, 10$$),
	($$'people', 'age', 'NaN', 0, 10$$),
	($$'people', 'age', 0, 'Infinity', 10$$),
	($$'people', 'age', -1.7e308, 1.7e308, 10$$),
	($$'people', 'age', 0, 100, 0$$),
	($$'people', 'age', 0, 100, -5$$),
	($$'people', 'age', 0, 100, 1000001$$),
	($$NULL, 'age', 0, 100, 10$$),
	($$'people', NULL, 0, 100, 10$$),
	($$'people', 'age', NULL, 100, 10$$),
	($$'people', 'age', 0, 100, NULL$$)) v (arguments);
SELECT h.* FROM open, dp_histogram('people', 'age', 0, open.age, 10) h;
\echo :SQLSTATE
SELECT (SELECT count(*) FROM dp_histogram('people', 'age', 0, open.age, 10)) FROM open;
\echo :SQLSTATE
SELECT * FROM dp_histogram('people', 'age', 0, 100, (random() * 10)::int);
\echo :SQLSTATE
SELECT * FROM dp_histogram('people', 'age', 0, 100, 10, filter => (SELECT 'true'));
\echo :SQLSTATE
-- other places
SELECT dp_histogram('people', 'age', 0, 100, 10);
\echo :SQLSTATE
SELECT (dp_histogram('people', 'age', 0, 100, 10)).count;
\echo :SQLSTATE
SELECT * FROM dp_histogram('people', 'age', 0, 100, 10) WITH ORDINALITY;
\echo :SQLSTATE
SELECT * FROM ROWS FROM (dp_histogram('people', 'age', 0, 100, 10), generate_series(1, 10));
\echo :SQLSTATE
SELECT * FROM open ORDER BY dp_histogram('people', 'age', 0, 100, 10);
\echo :SQLSTATE
SELECT statements, refusals FROM dp_agg.budgets;

-- dates and times: edges in whole days and microseconds, values outside and infinities in the end bins
RESET ROLE;
CREATE TABLE events (id int PRIMARY KEY, day date, at timestamp, seen timestamptz, kind text);
INSERT INTO events SELECT i, date '2020-01-01' + i % 366, timestamp '2020-01-01' + i % 366 * interval '1 day', timestamptz '2020-01-01 00:00+00' + i % 366 * interval '1 day',
	'kind ' || i % 4 FROM generate_series(0, 3659) i;
INSERT INTO events VALUES (-1, '-infinity', '-infinity', '-infinity', NULL), (-2, 'infinity', 'infinity', 'infinity', ''), (-3, NULL, NULL, NULL, 'KIND 1'),
	(-4, '4713-01-01 BC', '4713-01-01 BC', '4713-01-01 BC', 'kind 1 '), (-5, '5874897-12-31', '294276-12-31', '294276-12-31', 'other');
SELECT dp_agg.protect('events', 'id');
SET ROLE histogram_analyst;
SET timezone = 'UTC';
SET datestyle = 'ISO, YMD';
SELECT bin, lower, upper, abs(count - 10 * (upper - lower) - CASE bin WHEN 2 THEN 0 ELSE 2 END) <= 10 AS right
	FROM dp_histogram('events', 'day', date '2020-01-01', date '2021-01-01', 3);
SELECT bin, lower, upper, abs(count - 10 * CASE bin WHEN 2 THEN 91 ELSE 92 END - CASE WHEN bin IN (1, 4) THEN 2 ELSE 0 END) <= 10 AS right
	FROM dp_histogram('events', 'at', timestamp '2020-01-01', timestamp '2021-01-01', 4);
SELECT bin, lower, upper, abs(count - CASE bin WHEN 2 THEN 0 ELSE 1832 END) <= 10 AS right
	FROM dp_histogram('events', 'seen', timestamptz '2020-07-01 22:00+00', timestamptz '2020-07-01 23:00+00', 3);
SELECT bin, lower, upper FROM dp_histogram('events', 'day', date '2020-01-01', date '2020-01-03', 4);
SET datestyle = 'SQL, DMY';
SET timezone = 'Asia/Kolkata';
SELECT bin, lower, upper FROM dp_histogram('events', 'seen', timestamptz '2020-07-01 22:00+00', timestamptz '2020-07-02 23:00+00', 2);
RESET datestyle;
RESET timezone;
SELECT bool_and(dp_agg.bucket(x, date '2020-01-01', date '2020-03-01', 7) = b AND dp_agg.bucket(x - 1, date '2020-01-01', date '2020-03-01', 7) = greatest(b - 1, 1)) AS edges_hold
	FROM (SELECT b, dp_agg.bucket_edge(date '2020-01-01', '2020-03-01', 7, b - 1) AS x FROM generate_series(1, 7) b) s;
SELECT bool_and(dp_agg.bucket(x, lower, upper, 1000000) = b AND dp_agg.bucket(x - interval '1 microsecond', lower, upper, 1000000) = greatest(b - 1, 1)) AS edges_hold
	FROM (VALUES (timestamp '4713-01-01 BC', timestamp '294276-12-31 23:59:59.999999'), ('2020-01-01', '2020-01-01 00:00:01.000001')) v (lower, upper), generate_series(1, 1000000, 999) b,
	LATERAL (SELECT dp_agg.bucket_edge(lower, upper, 1000000, b - 1) AS x) s;

-- categories: every key is answered, what is none of them counts nowhere
SELECT bin, key, abs(count - CASE bin WHEN 2 THEN 0 ELSE 915 END) <= 10 AS right FROM dp_histogram('events', 'kind', ARRAY['kind 1', 'kind', 'kind 0']);
SELECT bin, key, abs(count - CASE bin WHEN 1 THEN 10 WHEN 2 THEN 0 ELSE 1 END) <= 10 AS right FROM dp_histogram('events', 'day', ARRAY['2020-02-29', '2021-02-28', 'infinity']::date[]);
SELECT bin, key, abs(count - CASE bin WHEN 2 THEN 1 ELSE 10 END) <= 10 AS right FROM dp_histogram('people', 'f8', ARRAY[5, 'NaN', 0.0], filter => 'id > 0');
SELECT key, count > 100 AS many FROM dp_histogram('visits', 'age', '{0,1}'::bigint[], filter => 'age < 20');
SELECT bin, key FROM dp_histogram('visits', 'age', '20 30'::int2vector);
SELECT bin, key FROM dp_histogram('visits', 'age', '[7:8]={20,30}'::smallint[]);
SELECT count(*), abs(sum(count) - 1000) <= 1000 AS right FROM dp_histogram('people', 'city', (SELECT array_agg('city ' || i) FROM generate_series(1, 100) i));
\echo :SQLSTATE
SELECT count(*), abs(sum(count) - 500) <= 100 AS right FROM dp_histogram('people', 'city', string_to_array('city 1,city 2,city 3', ','));
SELECT aggregate, mechanism, delta FROM dp_agg.price($$ SELECT * FROM dp_histogram('events', 'kind', ARRAY['a', 'b'], 0.5) $$);

-- bars: of what was released, the largest count forty wide
SELECT bool_and(bar = repeat('#', greatest(round(40.0 * count / m)::int, 0))) AS right FROM
	(SELECT *, max(count) OVER () AS m FROM dp_histogram('people', 'age', 20, 40, 7)) s;
SELECT bin, bar FROM dp_histogram('people', 'age', 0, 100, 2, filter => 'age < 50') WHERE bin = 1;
SELECT DISTINCT length(bar) FROM dp_histogram('people', 'age', 0, 100, 1);
SELECT dp_agg.bar(1, 2), dp_agg.bar(-1, 2), dp_agg.bar(1, 0), dp_agg.bar(3, 2) = dp_agg.bar(2, 2) AS whole, dp_agg.bar(NULL, 1);

-- counts of a tree, made consistent: at epsilon 50 over 4 levels, 19 nodes, one is off by 10 or more with a probability of 1e-50
-- Gaussian noise of a tree: what a unit in L0 bins moves, squared, is L0 min(L0, bins of a node) on each level, not L0^2
CREATE FUNCTION tree_noise(groups int, how text) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('dp_agg.epsilon', '0.1', true), set_config('dp_agg.max_groups', groups::text, true), set_config('dp_agg.mechanism', how, true), set_config('dp_agg.delta', '1e-6', true);
	RETURN (SELECT noise_stddev FROM dp_agg.price($q$ SELECT * FROM dp_cumulative('visits', 'age', 0, 100, 16) $q$));
END $$;
SELECT how, groups, round((tree_noise(groups, how) / tree_noise(1, how))::numeric, 3) AS noise FROM unnest('{gaussian,laplace}'::text[]) how, unnest('{1,2,16,1000}'::int[]) groups;
SELECT bin, lower, upper, abs(count - 100) <= 20 AS right, abs(cumulative - 100 * bin) <= 50 AS sum FROM dp_cumulative('people', 'age', 0, 100, 10);
SELECT bin, lower, upper, abs(count - 1831) <= 20 AS right, abs(cumulative - 1831 * bin) <= 30 AS sum
	FROM dp_cumulative('events', 'day', date '2020-01-01', date '2020-12-31', 2, filter => 'day < ''2020-12-31'' OR kind = ''kind 1'' OR true');
SELECT count(*), max(lower), abs(max(cumulative) - 3664) < 200 AS right FROM dp_cumulative('events', 'at', timestamp '2020-01-01', timestamp '2021-01-01', 366);
SELECT count(*), abs(max(cumulative) - 3664) < 200 AS right FROM dp_cumulative('events', 'seen', timestamptz '2020-01-01', timestamptz '2021-01-01', 1);
SELECT count(*), abs(sum(count) - 600) < 200 AS right FROM dp_cumulative('visits', 'age', 0, 100, 10);
SELECT aggregate, mechanism, epsilon, delta, round(noise_stddev::numeric, 4) AS noise_stddev FROM dp_agg.price($$ SELECT * FROM dp_cumulative('people', 'age', 0, 100, 64, 0.5) $$);
SELECT aggregate, mechanism, epsilon, delta, round(noise_stddev::numeric, 4) AS noise_stddev FROM dp_agg.price($$ SELECT * FROM dp_cumulative('visits', 'age', 0, 100, 64, 0.5) $$);
DO $$
DECLARE
	line text;
BEGIN
	FOR line IN EXPLAIN (COSTS off) SELECT * FROM dp_cumulative('people', 'age', 0, 100, 64, 0.5) LOOP
		IF line ~ 'DpRelease|: ' AND line !~ 'Window: |Sort Key: ' THEN
			RAISE NOTICE '%', ltrim(line, ' ->');
		END IF;
	END LOOP;
END $$;
-- least squares: exact where the counts agree, and else the estimate with the least squares
SELECT dp_agg_internal.consistent_counts('{10,3,7,1,2,3,4}', 4, 2), dp_agg_internal.consistent_counts('{10,6,4,1,2,3,4}', 4, 2);
SELECT dp_agg_internal.consistent_counts('{10}', 1, 2), dp_agg_internal.consistent_counts('{9,1,2,3}', 3, 5);
SELECT array_agg(round(c::numeric, 9)) FROM unnest(dp_agg_internal.consistent_counts('{12,5,8,1,2,3}', 3, 2)) c;
SELECT dp_agg_internal.consistent_counts('{10,6,4,1,2,3}', 4, 2);
\echo :SQLSTATE
SELECT dp_agg_internal.consistent_counts('{10,6,4,1,2,3,NULL}', 4, 2);
\echo :SQLSTATE
SELECT dp_agg_internal.consistent_counts('{1}', 0, 2);
\echo :SQLSTATE
SELECT dp_agg_internal.consistent_counts('{1}', 1, 1);
-- trees as wide as integers are, of arrays that hold no such tree
SELECT dp_agg_internal.consistent_counts('{1}', 2, 2147483647);
\echo :SQLSTATE
SELECT dp_agg_internal.consistent_counts('{1}', 2147483647, 2147483647);
\echo :SQLSTATE
SELECT dp_agg_internal.consistent_counts('{1}', 2147483647, 2);
\echo :SQLSTATE
SELECT dp_agg_internal.consistent_counts('{10,6,4}', 2, 2147483647);
\echo :SQLSTATE
SELECT arguments, complain(arguments) FROM (VALUES
	($$'events', 'day', date '2020-01-02', date '2020-01-01', 10$$),
	($$'events', 'day', date '2020-01-01', date 'infinity', 10$$),
	($$'events', 'at', timestamp '-infinity', timestamp '2020-01-01', 10$$),
	($$'events', 'day', timestamp '2020-01-01', timestamp '2020-01-02', 10$$),
	($$'events', 'seen', timestamp '2020-01-01', timestamp '2020-01-02', 10$$),
	($$'events', 'kind', date '2020-01-01', date '2020-01-02', 10$$),
	($$'events', 'missing', date '2020-01-01', date '2020-01-02', 10$$),
	($$'events', 'day', date '2020-01-01', date '2020-01-02', 0$$),
	($$'events', 'day', 0, 1, 10$$),
	($$'events', 'kind', ARRAY['a', 'a']$$),
	($$'events', 'day', ARRAY['x']$$),
	($$'events', 'missing', ARRAY['x']$$),
	($$'events', 'kind', ARRAY['x'], filter => 'true) GROUP BY 1 --'$$)) v (arguments);
-- a filter that is no SQL has its place in the text it was tried in
SELECT 'éé', * FROM dp_histogram('people', 'age', 0, 100, 10, filter => 'age >');
SELECT dp_agg.bucket(day, '2020-01-01', '2020-01-01', 3), dp_count(*) FROM events GROUP BY 1;

-- buckets of any bounds: none without finite ones, and all in order however far they are apart
SELECT dp_agg.bucket(x, lower, upper, 10) AS bucket, x, lower, upper FROM (VALUES
	(1::float8, '-Infinity'::float8, 'Infinity'::float8), (1, 0, 'Infinity'), (1, '-Infinity', 10), (-1, '-Infinity', 'Infinity'), ('Infinity', '-Infinity', 'Infinity'),
	(-1.7e308, -1.7e308, 1.7e308), (-0.4e308, -1.7e308, 1.7e308), (0, -1.7e308, 1.7e308), (1.6e308, -1.7e308, 1.7e308), (1.7e308, -1.7e308, 1.7e308),
	('Infinity', -1.7e308, 1.7e308), ('-Infinity', -1.7e308, 1.7e308), (0, 0, 4.9406564584124654e-324), (4.9406564584124654e-324, 0, 4.9406564584124654e-324)) v (x, lower, upper);
-- a place among the candidates there are now
DO $$
DECLARE
	candidates int[];
BEGIN
	FOREACH candidates SLICE 1 IN ARRAY '{{3,2},{3,4},{4,5},{2,1}}'::int[] LOOP
		RAISE NOTICE '% among %', dp_agg.place(2, candidates), candidates;
	END LOOP;
END $$;
SELECT dp_agg.place(x, '{3,2}'::int[]) FROM generate_series(1, 3) x;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA histogram CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE histogram_analyst;
