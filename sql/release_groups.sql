--
-- release_groups: which groups are released, and how their keys look
--
CREATE EXTENSION dp_agg;
CREATE ROLE groups_analyst;
CREATE SCHEMA groups AUTHORIZATION groups_analyst;
SET search_path = groups, public;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE people (id int PRIMARY KEY, city text, age int, f4 real, f8 float8, n numeric, n2 numeric(6,2),
	c bpchar, c4 char(4), v varchar(10), d date, b boolean, m mood, i interval, u uuid, j jsonb, a int[]);
INSERT INTO people SELECT i, 'city ' || i % 3, i % 100,
	CASE i % 2 WHEN 0 THEN '0' ELSE '-0' END::real, CASE i % 2 WHEN 0 THEN '0' ELSE '-0' END::float8,
	CASE i % 3 WHEN 0 THEN 1.0 WHEN 1 THEN 1.00 ELSE 1 END,
	1.5, CASE i % 2 WHEN 0 THEN 'x' ELSE 'x ' END, 'x', 'x', '2020-01-01', i % 2 = 0,
	CASE i % 3 WHEN 0 THEN 'sad' WHEN 1 THEN 'ok' ELSE 'happy' END::mood,
	CASE i % 2 WHEN 0 THEN '1 day' ELSE '24 hours' END::interval,
	'5a3f8bb4-90a4-4d9c-8d2a-2d6a2c3d7d10', CASE i % 2 WHEN 0 THEN '1.0' ELSE '1.00' END::jsonb, '{1}'
	FROM generate_series(1, 3000) i;
-- fifty cities of one person each, and one of nobody
INSERT INTO people (id, city, age, f8) SELECT 3000 + i, 'village ' || i, 200 + i, 'NaN' FROM generate_series(1, 50) i;
UPDATE people SET city = NULL WHERE city = 'city 2';
-- a thousand people with fifty rows each: five in each of ten cities
CREATE TABLE visits (person int, city text, minutes int);
INSERT INTO visits SELECT p, 'city ' || c, c FROM generate_series(1, 1000) p, generate_series(0, 9) c, generate_series(1, 5) r;
INSERT INTO visits SELECT NULL, 'nowhere', 5 FROM generate_series(1, 1000);
-- at most one row for each holder, and five hundred of no holder
CREATE TABLE cards (holder int UNIQUE);
INSERT INTO cards SELECT NULL FROM generate_series(1, 500);
INSERT INTO cards VALUES (1);
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 3, 2), dp_agg.protect('cards', 'holder');
SELECT dp_agg.set_budget('groups_analyst', 1e9, 1e-3, partition_share => 0.5);
SET ROLE groups_analyst;

-- Cities of a thousand are released but for a chance below 1e-300 at epsilon 1;
-- a group of one person with one of delta at most, 4e-10 for all that follow.
-- Counts are within 60 of the truth but for a chance of 1e-26.
SET dp_agg.epsilon = 1;
SET dp_agg.delta = 1e-13;
SELECT city, abs(dp_count(*) - 1000) <= 60 AS right FROM people GROUP BY city;
SELECT city, abs(dp_count(DISTINCT id) - 1000) <= 60 AS right FROM people GROUP BY city;
SELECT city, abs(dp_count(age) - 1000) <= 60 AS right FROM people GROUP BY city;
SELECT city, abs(dp_sum(age, 0, 1) - 990) <= 60 AS right FROM people GROUP BY city;
SELECT count(*) FROM (SELECT age, dp_count(*) FROM people WHERE id > 3000 GROUP BY age) s;
SELECT count(*) FROM (SELECT id, dp_count(*) FROM people GROUP BY id HAVING dp_count(*) > -1000) s;
-- without noise, but for a chance of 1e-400, one person is below the threshold, two are not
SET dp_agg.epsilon = 1000;
SELECT count(*) FROM (SELECT id, dp_count(*) FROM people WHERE id > 3000 GROUP BY id) s;
SELECT count(*), min(n), max(n) FROM (SELECT (id - 1) / 2 AS pair, dp_count(*) AS n FROM people WHERE id > 3000 GROUP BY 1) s;
SET dp_agg.epsilon = 1;
-- the count of units that decides is the statement's own where there is one,
-- else one more, with its own price
SELECT aggregate, epsilon, delta FROM dp_agg.price('SELECT city, dp_count(*) FROM people GROUP BY city');
SELECT aggregate, epsilon, delta FROM dp_agg.price('SELECT city, dp_sum(age, 0, 1), dp_count(DISTINCT id) FROM people GROUP BY city');
SELECT aggregate, epsilon, delta FROM dp_agg.price('SELECT city, dp_count(age) FROM people GROUP BY city');
SELECT aggregate, epsilon, delta FROM dp_agg.price('SELECT city, dp_count(*) FROM visits GROUP BY city');
SELECT aggregate, epsilon, delta FROM dp_agg.price('SELECT city, dp_count(*), dp_count(DISTINCT person) FROM visits GROUP BY city');

-- Whatever the statement orders by, groups come in the order of their keys, and
-- a key is there once.
SELECT city FROM people GROUP BY city HAVING dp_count(*) > 0;
SELECT city FROM people GROUP BY city HAVING dp_count(*) > 0 ORDER BY city DESC;
SELECT city FROM people GROUP BY city HAVING dp_count(*) > 0 ORDER BY city NULLS FIRST;
SELECT b, city FROM people GROUP BY b, city HAVING dp_count(*) > 0;
SELECT city, b FROM people GROUP BY b, city HAVING dp_count(*) > 0 ORDER BY b DESC, city;
SELECT age < 50 AS young, city IS NULL AS homeless, abs(dp_count(*) - 750) <= 450 AS right FROM people GROUP BY 1, 2;
SELECT CASE WHEN age < 30 THEN 'young' WHEN age < 60 THEN 'older' END AS class, dp_count(*) > 0 AS some FROM people GROUP BY 1;
SELECT COALESCE(city, 'none') AS city, dp_count(*) > 0 AS some FROM people GROUP BY COALESCE(city, 'none');
SELECT dp_count(*) > 0 AS some FROM people GROUP BY city, age < 50;
SELECT m, dp_count(*) > 0 AS some FROM people GROUP BY m ORDER BY m DESC;

-- One form for each key: equal values that look different would tell which of
-- the rows was looked at.
SELECT f4, f8, float4send(f4) AS bytes4, float8send(f8) AS bytes8, dp_count(*) > 0 AS some
	FROM people WHERE id <= 3000 GROUP BY f4, f8;
-- a scale or length that stands for none leaves values as they are
SELECT k, dp_count(*) > 0 AS some FROM (SELECT pg_catalog.numeric(n, 1) AS k FROM people WHERE id <= 3000) s GROUP BY k;
SELECT pg_catalog.numeric(n, 1), dp_count(*) > 0 AS some FROM people WHERE id <= 3000 GROUP BY 1;
SELECT -f8 AS f8, float8send(-f8) AS bytes, dp_count(*) > 0 AS some FROM people WHERE id <= 3000 GROUP BY -f8;
SELECT f8, float8send(f8) AS bytes, dp_count(*) > 0 AS some FROM
	(SELECT CASE WHEN id = 1 THEN 'NaN' ELSE - 'NaN'::float8 END AS f8, id FROM people) s GROUP BY f8;
SELECT f8, float8send(f8) AS bytes, dp_count(*) > 0 AS some FROM
	(SELECT CASE WHEN id = 1 THEN - 'NaN'::float8 ELSE 'NaN' END AS f8, id FROM people) s GROUP BY f8;
SELECT f4, float4send(f4) AS bytes, dp_count(*) > 0 AS some FROM
	(SELECT CASE WHEN id > 1 THEN 'NaN' ELSE - 'NaN'::real END AS f4, id FROM people) s GROUP BY f4;
SELECT n, n2, dp_count(*) > 0 AS some FROM people GROUP BY n, n2;
SELECT CASE WHEN age < 50 THEN 1.50 ELSE 1.5 END AS n, dp_count(*) > 0 AS some FROM people GROUP BY 1;
SELECT CASE WHEN age < 50 THEN n2 ELSE 1.5000 END AS n, dp_count(*) > 0 AS some FROM people WHERE id <= 3000 GROUP BY 1;
SELECT GREATEST(n, 0.0000) AS n, dp_count(*) > 0 AS some FROM people GROUP BY 1;
SELECT d, c4, v, u, dp_count(*) > 0 AS some FROM people GROUP BY d, c4, v, u;
SELECT i, dp_count(*) > 0 AS some FROM people GROUP BY i;
\echo :SQLSTATE
SELECT c, dp_count(*) FROM people GROUP BY c;
\echo :SQLSTATE
SELECT j, dp_count(*) FROM people GROUP BY j;
\echo :SQLSTATE
SELECT a, dp_count(*) FROM people GROUP BY a;
\echo :SQLSTATE
SELECT ROW(city, age), dp_count(*) FROM people GROUP BY ROW(city, age);
\echo :SQLSTATE

-- Nor does it show how that row has the value stored.
RESET ROLE;
CREATE TABLE stored (id int PRIMARY KEY, note text, x int);
ALTER TABLE stored ALTER note SET STORAGE EXTERNAL;
INSERT INTO stored VALUES (1, repeat('note ', 600), 1);
ALTER TABLE stored ALTER note SET STORAGE EXTENDED;
INSERT INTO stored SELECT i, repeat('note ', 600), i FROM generate_series(2, 3000) i;
SELECT dp_agg.protect('stored', 'id');
SET ROLE groups_analyst;
SELECT pg_column_size(note), pg_column_compression(note) AS compression FROM (SELECT note, dp_median(x, 0, 100) FROM stored GROUP BY note) s;
SELECT pg_column_size(note), pg_column_compression(note) AS compression FROM (SELECT note, dp_median(x, 0, 100) FROM stored WHERE id > 1 GROUP BY note) s;
RESET ROLE;
DROP TABLE stored;
SET ROLE groups_analyst;

-- A unit counts in max_groups groups of its ten, max_rows rows of its five: at
-- epsilon 50 sums over groups are within 10 but for a chance below 1e-20.
SET dp_agg.epsilon = 50;
CREATE VIEW visited AS SELECT city, dp_count(DISTINCT person) AS people, dp_count(*) AS rows,
	dp_sum(minutes, 0, 1000) AS minutes FROM visits GROUP BY city;
SELECT count(*), abs(sum(people) - 2000) <= 10 AS people, abs(sum(rows) - 6000) <= 60 AS rows FROM visited;
SET dp_agg.max_groups = 1;
SELECT count(*), abs(sum(people) - 1000) <= 10 AS people, abs(sum(rows) - 3000) <= 60 AS rows FROM visited;
SET dp_agg.max_groups = 100;
SET dp_agg.max_rows = 1;
SELECT count(*), abs(sum(people) - 10000) <= 100 AS people, abs(sum(rows) - 10000) <= 100 AS rows FROM visited;
RESET dp_agg.max_groups;
RESET dp_agg.max_rows;
-- The choice is even and made afresh: each city gets a fifth of 1000 within 110
-- but for a chance of 1e-13, and the same number eight times with one of 4e-11.
SELECT count(*), bool_and(abs(people - 200) <= 110) AS even FROM visited;
SELECT count(DISTINCT people) > 1 AS fresh FROM (
	(SELECT people FROM visited LIMIT 1) UNION ALL (SELECT people FROM visited LIMIT 1) UNION ALL
	(SELECT people FROM visited LIMIT 1) UNION ALL (SELECT people FROM visited LIMIT 1) UNION ALL
	(SELECT people FROM visited LIMIT 1) UNION ALL (SELECT people FROM visited LIMIT 1) UNION ALL
	(SELECT people FROM visited LIMIT 1) UNION ALL (SELECT people FROM visited LIMIT 1)) s;
-- rows of nobody are in no group
SELECT count(*) FROM visited WHERE city = 'nowhere';
SELECT abs(dp_count(*) - 3000) <= 10 AS right FROM visits;
SELECT abs(dp_count(*)) <= 1 AS right FROM visits WHERE city = 'nowhere';
SELECT abs(dp_count(*) - 1) <= 1 AS right FROM cards;
SELECT holder IS NULL AS nobody, abs(dp_count(*) - CASE WHEN holder IS NULL THEN 0 ELSE 1 END) <= 1 AS right FROM cards GROUP BY 1;

-- The mean of integers keeps its fractions where a person's fifty rows weigh
-- three: one in ten of them is 1.  Noise moves it by 0.01 with a chance below 1e-100.
SELECT abs(dp_avg(CASE minutes WHEN 0 THEN 1 ELSE 0 END, 0, 1, 100) - 0.1) < 0.01 AS right FROM visits;

-- Keys keep the lengths and precisions they were declared with, in every description.
PREPARE typed AS SELECT n2, c4, v, n2::numeric(4,1) AS short, dp_count(*) > 0 AS some FROM people WHERE age < 100 GROUP BY 1, 2, 3, 4;
EXECUTE typed;
CREATE TABLE typed AS EXECUTE typed;
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'typed'::regclass AND attnum > 0 ORDER BY attnum;

-- More columns than a tuple can have cost nothing.
SELECT statements AS before FROM dp_agg.budgets WHERE role = 'groups_analyst'::regrole \gset
SELECT format('SELECT count(*) FROM (SELECT dp_count(*) FROM people WHERE %s GROUP BY %s) s',
	string_agg(format('age + %s < age + %s', i, i + 1), ' AND ') FILTER (WHERE i <= 20), string_agg('age + ' || i, ', ')) AS wide
FROM generate_series(1, 1640) i \gset
\set ECHO none
:wide;
\set ECHO all
\echo :SQLSTATE
SELECT statements - :before AS charged FROM dp_agg.budgets WHERE role = 'groups_analyst'::regrole;

-- the Gaussian mechanism, at its own thresholds
SET dp_agg.mechanism = gaussian;
SELECT count(*), bool_and(abs(people - 200) <= 120) AS even FROM visited;
SET dp_agg.epsilon = 1;
SELECT city, abs(dp_count(*) - 1000) <= 120 AS right FROM people GROUP BY city;
SELECT count(*) FROM (SELECT age, dp_count(*) FROM people WHERE id > 3000 GROUP BY age) s;

-- An Oid with its highest bit set is one key, and its people count once, whether it comes
-- from a table or from a constant.
RESET ROLE;
CREATE TABLE numbered (id int, number oid);
INSERT INTO numbered SELECT i % 100, CASE WHEN i < 100 THEN 4294967295 END FROM generate_series(0, 199) i;
SELECT dp_agg.protect('numbered', 'id', max_rows => 2, max_groups => 2);
SET ROLE groups_analyst;
SET dp_agg.mechanism = laplace;
SELECT coalesce(number, 4294967295) AS number, dp_count(DISTINCT id, 1000) FROM numbered GROUP BY 1;
SELECT coalesce(number, 4294967295) AS number, id - id AS zero, dp_count(DISTINCT id, 1000)
FROM numbered GROUP BY 1, 2;

-- A person's groups that do not count do not exist: of so many, noise would else take a hundred
-- above the threshold, and none with a probability of 1e-45.
RESET ROLE;
CREATE TABLE wanderers (id int, place int);
INSERT INTO wanderers SELECT 1, generate_series(1, 1000);
SELECT dp_agg.protect('wanderers', 'id'), dp_agg.set_budget('groups_analyst', 1e9, 0.9);
SET ROLE groups_analyst;
SET dp_agg.epsilon = 0.001;
SET dp_agg.delta = 0.1;
SELECT count(*) <= 1 AS of_one FROM (SELECT place, dp_count(*) FROM wanderers GROUP BY place) s;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA groups CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE groups_analyst;
