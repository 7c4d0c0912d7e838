--
-- distinct_values: count, sum and avg of DISTINCT values other than the unit
--
CREATE EXTENSION dp_agg;
CREATE ROLE distinct_values_analyst;
CREATE SCHEMA distinct_values;
GRANT ALL ON SCHEMA distinct_values TO distinct_values_analyst;
SET search_path = distinct_values, public;
SET client_min_messages = warning;
SELECT dp_agg.set_budget('distinct_values_analyst', 1e12, 1e-3);
CREATE TYPE mood AS ENUM ('sad', 'happy', 'curious');
-- 400 persons with 30 rows each, of values that many share and some that nobody shares
CREATE TABLE visits (person int, place text, amount int, big bigint, n numeric, exact numeric(12, 2), f float8, r real, day date, at timestamptz,
	name text, long text, code uuid, mood mood, ok bool, span interval, raw jsonb, tag char(3), fixed "char");
INSERT INTO visits SELECT p, 'place ' || (p + v) % 5, (p * v) % 97, (p * v) % 97 + 1000000000000, ((p * v) % 97) / 4.0, ((p * v) % 97) / 4.0, ((p * v) % 97) / 8.0, ((p * v) % 97) / 8.0,
	date '2024-01-01' + (p * v) % 97, timestamptz '2024-01-01 00:00:00Z' + (p * v) % 97 * interval '1 hour', 'name ' || (p * v) % 97,
	repeat(md5(((p * v) % 97)::text), 100), md5(((p * v) % 97)::text)::uuid, ('{sad,happy,curious}'::mood[])[1 + (p * v) % 3], (p + v) % 2 = 0,
	(p + v) * interval '1 hour', to_jsonb(v), 'abc', 'x' FROM generate_series(1, 400) p, generate_series(1, 30) v;
-- what only one has; rows without values, and of no unit
INSERT INTO visits (person, place, amount, n, f, name) SELECT p, 'place 0', 1000 + p, 1000 + p, 1000 + p, 'own ' || p FROM generate_series(1, 100) p;
INSERT INTO visits (person, place) SELECT p, 'place 1' FROM generate_series(1, 400) p;
INSERT INTO visits (place, amount, n, f, name) SELECT 'place 2', 5000 + v, 5000 + v, 5000 + v, 'nobody ' || v FROM generate_series(1, 50) v;
-- equal values that look different
INSERT INTO visits (person, place, n, f, r) VALUES (1, 'place 0', 1.0, -0.0, 'NaN'), (2, 'place 0', 1.00, 0.0, 'NaN'), (3, 'place 0', 1.000, 'NaN', '-0');
SELECT dp_agg.protect('visits', 'person', max_rows => 40, max_groups => 5);
SELECT dp_agg.set_domain('visits', 'amount', 0, 2000);
CREATE TABLE people (id int PRIMARY KEY, city text, age int, weight numeric);
ALTER TABLE people ADD ok bool;
INSERT INTO people SELECT i, 'city ' || i % 7, i % 50, i % 50 + 0.5, i % 3 = 0 FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_domain('people', 'age', 0, 100);
-- units of text
CREATE TABLE named (who text, value int);
INSERT INTO named SELECT 'person ' || i, v FROM generate_series(1, 50) i, generate_series(i, i + 9) v;
SELECT dp_agg.protect('named', 'who', max_rows => 10);
-- units that are equal, and look different
CREATE TABLE odd (who bpchar, value int);
INSERT INTO odd SELECT v % 10 || repeat(' ', v % 3), v FROM generate_series(1, 300) v;
SELECT dp_agg.protect('odd', 'who', max_rows => 4, max_values => 2);
SET ROLE distinct_values_analyst;
-- At epsilon 1,000,000 no answer here is off in a digit shown with a probability above 1e-10.
SET dp_agg.epsilon = 1000000;
SET dp_agg.max_groups = 5;
SET extra_float_digits = 0;

-- units cover all they have: what the owner's plain query says
PREPARE exact AS SELECT dp_count(DISTINCT amount) AS amount, dp_count(DISTINCT big) AS big, dp_count(DISTINCT n) AS n, dp_count(DISTINCT exact) AS exact, dp_count(DISTINCT f) AS f, dp_count(DISTINCT r) AS r,
	dp_count(DISTINCT day) AS day, dp_count(DISTINCT at) AS at, dp_count(DISTINCT name) AS name, dp_count(DISTINCT long) AS long, dp_count(DISTINCT code) AS code, dp_count(DISTINCT mood) AS mood, dp_count(DISTINCT ok) AS ok,
	dp_count(DISTINCT tag) AS tag, dp_count(DISTINCT fixed) AS fixed FROM visits;
EXECUTE exact;
RESET ROLE;
SELECT count(DISTINCT amount) AS amount, count(DISTINCT big) AS big, count(DISTINCT n) AS n, count(DISTINCT exact) AS exact, count(DISTINCT f) AS f, count(DISTINCT r) AS r,
	count(DISTINCT day) AS day, count(DISTINCT at) AS at, count(DISTINCT name) AS name, count(DISTINCT long) AS long, count(DISTINCT code) AS code, count(DISTINCT mood) AS mood, count(DISTINCT ok) AS ok,
	count(DISTINCT tag) AS tag, count(DISTINCT fixed) AS fixed FROM visits WHERE person IS NOT NULL;
SET ROLE distinct_values_analyst;
-- beside all other kinds, in groups, filtered, of expressions, and above
SELECT place, dp_count(DISTINCT name) AS names, dp_count(*) AS rows, dp_sum(DISTINCT amount, 0, 100) AS sum, round(dp_avg(DISTINCT amount, 0, 100)::numeric, 1) AS avg, dp_count(DISTINCT person) AS persons,
	dp_sum(amount, 0, 10000) AS all, dp_count(DISTINCT amount / 10) FILTER (WHERE amount < 50) AS tens, dp_quantile(amount, 0.5, 0, 100) BETWEEN 44 AND 52 AS median
	FROM visits WHERE amount < 97 GROUP BY place HAVING dp_count(DISTINCT name) > 10 ORDER BY 1;
RESET ROLE;
SELECT place, count(DISTINCT name) AS names, count(*) AS rows, sum(DISTINCT amount) AS sum, round(avg(DISTINCT amount), 1) AS avg, count(DISTINCT person) AS persons,
	sum(amount) AS all, count(DISTINCT amount / 10) FILTER (WHERE amount < 50) AS tens, percentile_disc(0.5) WITHIN GROUP (ORDER BY amount) BETWEEN 44 AND 52 AS median
	FROM visits WHERE amount < 97 AND person IS NOT NULL GROUP BY place HAVING count(DISTINCT name) > 10 ORDER BY 1;
SET ROLE distinct_values_analyst;
-- by two keys, of many groups, where some memory is too little
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SET dp_agg.max_groups = 200;
SET dp_agg.max_values = 3;
SELECT count(*), sum(n), abs(sum(s) - 277.5) < 1 AS s, abs(sum(a) - 13968) < 50 AS a FROM (SELECT day, mood, dp_count(DISTINCT name) AS n, dp_sum(DISTINCT f, 0, 1) AS s, dp_avg(DISTINCT amount, 0, 100) AS a FROM visits WHERE amount < 97 GROUP BY day, mood) g;
RESET dp_agg.max_values;
RESET ROLE;
SELECT count(*), sum(n), sum(s), sum(a)::int FROM (SELECT day, mood, count(DISTINCT name) AS n, sum(DISTINCT least(f, 1)) AS s, avg(DISTINCT amount) AS a FROM visits WHERE amount < 97 AND person IS NOT NULL GROUP BY day, mood) g;
SET ROLE distinct_values_analyst;
RESET work_mem;
RESET hash_mem_multiplier;
SET dp_agg.max_groups = 5;
-- the same in parallel plans
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXECUTE exact;
SELECT place, dp_count(DISTINCT name) AS names, dp_sum(DISTINCT amount, 0, 100) AS sum FROM visits WHERE amount < 97 GROUP BY place ORDER BY 1;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- units of other types, subqueries, joins
SELECT dp_count(DISTINCT value), dp_sum(DISTINCT value, 0, 100), dp_avg(DISTINCT value, 0, 100)::numeric(9, 2) FROM named;
SELECT dp_count(DISTINCT total) FROM (SELECT person, sum(amount) AS total FROM visits GROUP BY person) p;
RESET ROLE;
SELECT count(DISTINCT value), sum(DISTINCT value), avg(DISTINCT value)::numeric(9, 2) FROM named;
SELECT count(DISTINCT total) FROM (SELECT person, sum(amount) AS total FROM visits WHERE person IS NOT NULL GROUP BY person) p;
SET ROLE distinct_values_analyst;
-- values are clamped once they are told apart: 100 of them above 1000
SELECT dp_sum(DISTINCT amount, 0, 10) = 9 * 10 / 2 + 10 * (97 - 10 + 100) AS clamped, dp_avg(DISTINCT amount, 0, 10)::numeric(9, 1) = ((9 * 10 / 2 + 10 * (97 - 10 + 100)) / 197.0)::numeric(9, 1) AS mean FROM visits;
-- rows that are units
SELECT dp_count(DISTINCT city), dp_count(DISTINCT age), dp_sum(DISTINCT age, 0, 100), dp_avg(DISTINCT weight, 0, 100)::numeric(9, 2), dp_count(*) FROM people;
SELECT city, dp_count(DISTINCT age), dp_sum(DISTINCT age, 0, 100), dp_avg(DISTINCT weight, 0, 100)::numeric(9, 2), dp_count(*), dp_sum(age, 0, 100) FROM people GROUP BY city ORDER BY 1;
RESET ROLE;
SELECT city, count(DISTINCT age), sum(DISTINCT age), avg(DISTINCT weight)::numeric(9, 2), count(*), sum(age) FROM people GROUP BY city ORDER BY 1;
SET ROLE distinct_values_analyst;

-- in groups of public keys, whose number is known
SELECT ok, dp_count(DISTINCT age), dp_sum(DISTINCT age, 0, 100), dp_count(DISTINCT 5) FROM people GROUP BY ok ORDER BY ok;
SELECT ok, dp_count(DISTINCT name) FROM visits GROUP BY ok ORDER BY ok;
-- each unit covers so many values, and values that others have cost it none
SET dp_agg.max_values = 1;
SELECT dp_count(DISTINCT amount) BETWEEN 99 AND 197 AS most, dp_count(DISTINCT person % 7) AS seven, dp_count(DISTINCT amount + person * 1000) AS one_each FROM visits;
SELECT dp_sum(DISTINCT amount + person * 0, 0, 1) BETWEEN 1 AND 197 AS fewer FROM visits;
SET dp_agg.max_values = 3;
SELECT dp_count(DISTINCT amount + person * 1000) = 396 * 3 AS three_each, dp_sum(DISTINCT amount * 0 + 1, 0, 1) AS one FROM visits WHERE amount < 97 AND person % 97 <> 0;
SET dp_agg.max_values = 2;
SELECT place, dp_count(DISTINCT amount + person * 1000) AS two_each FROM visits WHERE amount < 97 AND person % 97 <> 0 GROUP BY place ORDER BY 1;
RESET dp_agg.max_values;

-- prices: noise is for so many values; otherwise for as many as rows
SET dp_agg.epsilon = 1;
SET dp_agg.max_values = 3;
SELECT aggregate, noise_stddev::numeric(9, 1) FROM dp_agg.price('SELECT dp_count(DISTINCT name), dp_sum(DISTINCT amount, -1, 10), dp_avg(DISTINCT amount, 0, 10), dp_count(*) FROM visits', rows => 1);
RESET dp_agg.max_values;
SELECT aggregate, noise_stddev::numeric(9, 1) FROM dp_agg.price('SELECT dp_count(DISTINCT name), dp_count(*), dp_count(DISTINCT person) FROM visits');
SET dp_agg.max_values = 3;
SELECT aggregate, noise_stddev::numeric(9, 1) FROM dp_agg.price('SELECT dp_count(DISTINCT city), dp_sum(DISTINCT age, -1, 10) FROM people');
EXPLAIN (COSTS OFF) SELECT place, dp_count(DISTINCT name), sum(DISTINCT amount) FROM visits GROUP BY place;
SELECT upper(dp_interval(dp_count(DISTINCT name), 0.95)) - lower(dp_interval(dp_count(DISTINCT name), 0.95)) BETWEEN 12 AND 24 AS of_three FROM visits;
SELECT count(*) AS none_below_the_threshold FROM (SELECT place, dp_count(DISTINCT name) FROM visits WHERE person < 3 GROUP BY place) g;

-- plain SQL
SET dp_agg.epsilon = 1000000;
RESET dp_agg.max_values;
SELECT count(DISTINCT name), count(DISTINCT n) FILTER (WHERE ok), sum(DISTINCT amount), avg(DISTINCT amount)::numeric(9, 3) FROM visits;
SELECT place, count(DISTINCT name) AS names FROM visits GROUP BY place ORDER BY names DESC, place LIMIT 2;
RESET ROLE;
SELECT count(DISTINCT name), count(DISTINCT n) FILTER (WHERE ok), sum(DISTINCT amount), avg(DISTINCT amount)::numeric(9, 3) FROM visits WHERE person IS NOT NULL;
SET ROLE distinct_values_analyst;
SELECT sum(DISTINCT n) FROM visits;
SELECT min(DISTINCT amount), bool_or(DISTINCT ok) FROM visits;
SELECT regr_count(DISTINCT amount, amount) FROM visits;

-- several columns together, of which a row of NULLs counts, too; and groups, which are counted as these are
CREATE FUNCTION pg_temp.answers(query text, OUT answer text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO answer;
END
$$;
CREATE TEMP TABLE pairs (number serial, query text);
INSERT INTO pairs (query) VALUES ('SELECT count(DISTINCT (name, place)) FROM visits WHERE person IS NOT NULL'), ('SELECT count(DISTINCT ROW(name)), count(DISTINCT name) FROM visits WHERE person IS NOT NULL'),
	('SELECT count(DISTINCT (n, f, r)), count(DISTINCT (exact, day, at, code, mood, ok, span)) FROM visits WHERE person IS NOT NULL'), ('SELECT count(DISTINCT (tag, fixed, big, name, place)) FROM visits WHERE person IS NOT NULL'),
	('SELECT count(DISTINCT (CASE WHEN ok THEN name END, CASE WHEN NOT ok THEN name END)) FROM visits WHERE person IS NOT NULL'),
	('SELECT count(DISTINCT (mood, name)) FILTER (WHERE amount < 50), count(DISTINCT (mood, ok)) FROM visits WHERE person IS NOT NULL'),
	('SELECT count(*) FROM (SELECT DISTINCT name, amount FROM visits WHERE person IS NOT NULL) t'), ('SELECT count(*) FROM (SELECT DISTINCT name FROM visits WHERE person IS NOT NULL) t'),
	('SELECT count(1), count(name), count(DISTINCT name), count(NULL) FROM (SELECT name, day FROM visits WHERE person IS NOT NULL GROUP BY day, name ORDER BY 2) t WHERE name IS NULL OR name > ''name 3'''),
	('SELECT mood, count(*) FROM (SELECT DISTINCT mood, name FROM visits WHERE person IS NOT NULL AND amount < 97) t GROUP BY mood HAVING count(*) > 5'),
	('WITH t AS (SELECT DISTINCT name, mood FROM visits WHERE person IS NOT NULL) SELECT count(*) FILTER (WHERE mood = ''sad''), count(*) AS n FROM t'),
	('SELECT count(*) * 2, max(amount) FROM (SELECT DISTINCT amount / 10 AS amount FROM visits WHERE person IS NOT NULL) t');
SELECT query, pg_temp.answers(query) AS answer FROM pairs ORDER BY number \g (format=unaligned tuples_only)
RESET ROLE;
SELECT query, pg_temp.answers(query) AS answer FROM pairs ORDER BY number \g (format=unaligned tuples_only)
DROP TABLE pairs;
DROP FUNCTION pg_temp.answers;
-- keys that are public are all released, and counted as they are
SELECT dp_agg.set_domain('visits', 'place', ARRAY['place 0', 'place 1', 'place 2', 'place 3', 'place 4', 'place 5']);
SET ROLE distinct_values_analyst;
SELECT statements AS before FROM dp_agg.budgets \gset
SELECT count(*) FROM (SELECT DISTINCT place FROM visits) t;
SELECT count(*) FROM (SELECT place FROM visits GROUP BY place) t WHERE place > 'place 2';
SELECT count(*) FROM (SELECT DISTINCT mood, ok FROM visits) t;
SELECT statements - :before AS charged FROM dp_agg.budgets;
-- where groups are private, and what is asked of them has no other answer, a NOTICE tells; a count has one
SET client_min_messages = notice;
SELECT count(*) > 90 AS many FROM (SELECT DISTINCT name FROM visits) t;
SELECT count(*) > 90 AS many, avg(n) > 1 AS avg FROM (SELECT name, count(*) AS n FROM visits WHERE amount < 97 GROUP BY name) t;
SELECT count(*) > 90 AS many FROM (SELECT name, count(*) AS n FROM visits WHERE amount < 97 GROUP BY name) t;
SELECT count(*) FROM (SELECT name FROM visits WHERE amount < 97 GROUP BY name LIMIT 5) t;
SELECT name, count(*) > 10 AS many FROM visits WHERE name = 'name 5' GROUP BY name;
SET client_min_messages = warning;
-- what stays refused
SELECT dp_count(DISTINCT raw) FROM visits;
SELECT dp_count(DISTINCT (name, raw)) FROM visits;
SELECT dp_count(DISTINCT visits) FROM visits;
\set VERBOSITY terse
SELECT count(DISTINCT name, place) FROM visits;
\set VERBOSITY default
SELECT dp_count(DISTINCT name COLLATE "C") >= 0 AS collated FROM visits;
SELECT dp_variance(DISTINCT amount, 0, 100) FROM visits;
SELECT dp_median(DISTINCT amount, 0, 100) FROM visits;
SET dp_agg.max_values = 1000000000;
SELECT dp_sum(DISTINCT f, 0, 1e305) FROM visits;
SELECT dp_avg(DISTINCT f, 0, 1e305) FROM visits;
RESET dp_agg.max_values;
SELECT dp_count(DISTINCT name), dp_quantile(f, 0.5, 0, 1000000, 1, 1), dp_quantile(f, 0.5, 0, 1000001, 1, 1), dp_quantile(f, 0.5, 0, 1000002, 1, 1), dp_quantile(f, 0.5, 0, 1000003, 1, 1), dp_quantile(f, 0.5, 0, 1000004, 1, 1) FROM visits;
-- as declared, and with another setting
SELECT dp_count(DISTINCT value), dp_count(DISTINCT who), dp_count(*) FROM odd;
SET dp_agg.max_values = 3;
SELECT dp_count(DISTINCT value) FROM odd;
RESET dp_agg.max_values;
SELECT dp_count(DISTINCT value) FROM (SELECT who, value FROM odd UNION ALL SELECT who, value + 1000 FROM odd) u;

-- kept answers: none of another question, nor added up from groups'
SET dp_agg.kept_max_age = '1 day';
SET dp_agg.kept_rollup = 2;
SET dp_agg.epsilon = 0.001;
RESET ROLE;
CREATE FUNCTION answers(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN (SELECT string_agg(DISTINCT CASE WHEN kept IS NULL THEN 'drawn' ELSE 'kept' END, ', ') FROM dp_agg.last_release());
END $$;
SET ROLE distinct_values_analyst;
SELECT query, answers('SELECT ' || query) FROM (VALUES (1, 'dp_count(DISTINCT name) FROM visits'), (2, 'dp_count(DISTINCT name) FROM visits'), (3, 'dp_count(name) FROM visits'), (4, 'dp_count(DISTINCT place) FROM visits'),
	(5, 'count(DISTINCT place) FROM visits'), (6, 'dp_sum(DISTINCT amount, 0, 9) FROM visits'), (7, 'dp_sum(amount, 0, 9) FROM visits'), (8, 'dp_sum(DISTINCT amount, 0, 9) FROM visits'), (9, 'dp_avg(DISTINCT amount, 0, 9) FROM visits'),
	(10, 'dp_count(DISTINCT amount) FROM visits'), (11, 'dp_count(amount) FROM visits'),
	(12, 'dp_count(DISTINCT city) FROM people'), (13, 'dp_count(city) FROM people'), (14, 'dp_count(DISTINCT city) FROM people'), (15, 'city, dp_count(DISTINCT age) FROM people GROUP BY city'), (16, 'city, dp_count(age) FROM people GROUP BY city'),
	(17, 'city, dp_sum(DISTINCT age, 0, 9) FROM people GROUP BY city'), (18, 'city, dp_sum(age, 0, 9) FROM people GROUP BY city'), (19, 'city, dp_sum(DISTINCT age, 0, 9) FROM people GROUP BY city'),
	(20, 'ok, dp_count(DISTINCT name), dp_sum(DISTINCT amount, 0, 9) FROM visits GROUP BY ok'), (21, 'dp_sum(DISTINCT amount, 0, 9) FROM visits WHERE ok'), (22, 'dp_count(DISTINCT name) FROM visits WHERE ok'),
	(23, 'ok, dp_count(name) FROM visits GROUP BY ok'), (24, 'dp_count(name) FROM visits WHERE ok')) q (n, query) ORDER BY n;
SET dp_agg.max_values = 2;
SELECT answers('SELECT dp_count(DISTINCT name) FROM visits') AS other_setting, answers('SELECT dp_count(name) FROM visits') AS no_matter;
RESET ROLE;
DROP SCHEMA distinct_values CASCADE;
DROP EXTENSION dp_agg CASCADE;
DROP ROLE distinct_values_analyst;
