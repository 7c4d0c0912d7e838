--
-- subselects: EXISTS, IN and values of subqueries over rows of the same unit, joined to the query
--
CREATE EXTENSION dp_agg;
CREATE ROLE sub_owner;
CREATE ROLE sub_analyst;
CREATE SCHEMA sub AUTHORIZATION sub_owner;
SET search_path = sub, public;
GRANT USAGE ON SCHEMA sub TO sub_analyst;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO sub_owner;
SET ROLE sub_owner;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, friend int, height float8);
INSERT INTO people SELECT i, (ARRAY['Aachen', 'Berlin', 'Chur'])[1 + i % 3], i % 100, i + 1, i FROM generate_series(1, 600) i;
CREATE TABLE visits (person int, day int, kind text, cost int);
INSERT INTO visits SELECT i, d * 10 + i % 3, (ARRAY['a', 'b', NULL])[1 + (i + d) % 3], d FROM generate_series(1, 600) i, generate_series(1, 4) d
	WHERE d <= i % 5;
INSERT INTO visits VALUES (NULL, 1, 'a', 1);
CREATE TABLE bills (person bigint NOT NULL, kind text NOT NULL, paid bool, amount numeric(10, 2));
INSERT INTO bills SELECT i, (ARRAY['a', 'b'])[1 + i % 2], i % 3 = 0, i % 50 FROM generate_series(1, 600, 2) i;
CREATE TABLE cities (name text PRIMARY KEY, country text, founded timestamp);
INSERT INTO cities VALUES ('Aachen', 'D', '2023-03-26 02:30'), ('Chur', 'CH', '2023-03-26 03:30');
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 4, 4), dp_agg.protect('bills', 'person', 'default', 2, 2);
CREATE TABLE strangers (id int PRIMARY KEY, age int);
SELECT dp_agg.protect('strangers', 'id', 'others');
RESET ROLE;
SELECT dp_agg.set_budget('sub_analyst', 1e9, 1e-3);
GRANT SELECT ON cities TO sub_analyst;

\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/shown.sql'
\i :file
SET dp_agg.epsilon = 1000;
SET client_min_messages = warning;
SELECT * FROM shown('SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id)');
SELECT * FROM shown('SELECT city, count(*) FROM people p WHERE NOT EXISTS (SELECT FROM visits v WHERE v.person = p.id AND v.cost > 2) GROUP BY city');
SELECT * FROM shown('SELECT count(*) FROM people WHERE id IN (SELECT person FROM visits WHERE kind = ''a'' AND day > 20)');
SELECT * FROM shown('SELECT count(*) FROM people WHERE id NOT IN (SELECT person FROM visits WHERE person IS NOT NULL)');
SELECT * FROM shown('SELECT count(*) FROM visits WHERE person IN (SELECT id FROM people WHERE age < 50)');
SELECT * FROM shown('SELECT count(*) FROM people WHERE id IN (SELECT person FROM bills)');
SELECT * FROM shown('SELECT count(*) FROM people WHERE id IN (SELECT person FROM visits GROUP BY person HAVING count(*) > 2)');
SELECT * FROM shown('SELECT count(*) FROM visits WHERE (person, kind) IN (SELECT person, kind FROM bills)');
SELECT * FROM shown('SELECT count(*) FROM visits v WHERE (person, kind) IN (SELECT person, kind FROM bills GROUP BY person, kind HAVING max(amount) > 10)');
-- Three-valued, as SQL has it.
SELECT * FROM shown('SELECT count(*) FROM visits v WHERE kind IN (SELECT b.kind FROM bills b WHERE b.person = v.person)');
SELECT * FROM shown('SELECT count(*) FROM visits v WHERE kind NOT IN (SELECT b.kind FROM bills b WHERE b.person = v.person)');
SELECT * FROM shown('SELECT kind IN (SELECT b.kind FROM bills b WHERE b.person = v.person) AS k, count(*) FROM visits v GROUP BY k');
SELECT * FROM shown('SELECT count(*) FROM bills b WHERE kind NOT IN (SELECT v.kind FROM visits v WHERE b.person = v.person)');
SELECT * FROM shown('SELECT count(*) FROM bills b WHERE (kind IN (SELECT v.kind FROM visits v WHERE b.person = v.person)) IS NULL');
-- By a comparison besides: the least or greatest decides.
SELECT * FROM shown('SELECT count(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.person = v.person AND w.day < v.day AND w.kind = ''a'')');
SELECT * FROM shown('SELECT count(*) FROM visits v WHERE NOT EXISTS (SELECT 1 FROM visits w WHERE w.person = v.person AND v.day + 5 <= w.day)');
SELECT * FROM shown('SELECT count(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.person = v.person AND w.kind <> v.kind)');
-- Values.
SELECT * FROM shown('SELECT (SELECT count(*) FROM visits v WHERE v.person = p.id) AS n, count(*) FROM people p GROUP BY n');
SELECT * FROM shown('SELECT (SELECT count(*) FROM visits v WHERE v.person = p.id AND cost > 1) * 2 + age % 2 AS n, count(*) FROM people p GROUP BY 1 ORDER BY 1');
SELECT * FROM shown('SELECT count(*) FROM people p WHERE (SELECT coalesce(sum(cost), 0) + count(*) FROM visits v WHERE v.person = p.id) < 4');
SELECT * FROM shown('SELECT count(*) FROM people p WHERE age > (SELECT avg(cost) * 20 FROM visits v WHERE p.id = v.person)');
SELECT * FROM shown('SELECT count(*) FROM visits v WHERE cost = (SELECT max(w.cost) FROM visits w WHERE w.person = v.person AND w.kind = v.kind)');
SELECT * FROM shown('SELECT (SELECT p.city FROM people p WHERE p.id = v.person) AS city, count(*) FROM visits v GROUP BY city');
SELECT * FROM shown('SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id AND cost = 4)) AS a, round(avg((SELECT least(count(*), 4) FROM visits v WHERE v.person = p.id)), 1) AS b FROM people p');
SELECT * FROM shown('SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id HAVING count(*) > 2)');
SELECT * FROM shown('SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id HAVING count(*) = 0)');
-- In a subquery of FROM, and inside of each other.
SELECT * FROM shown('SELECT been, count(*) FROM (SELECT city, EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id) AS been FROM people p) q GROUP BY been');
SELECT * FROM shown('SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id AND v.kind IN (SELECT b.kind FROM bills b WHERE b.person = v.person))');
SELECT * FROM shown('WITH w AS (SELECT * FROM people p WHERE id IN (SELECT person FROM visits)) SELECT city, count(*) FROM w WHERE EXISTS (SELECT 1 FROM bills b WHERE b.person = w.id) GROUP BY city');
SELECT * FROM shown('SELECT n, count(*) FROM (SELECT v.person, count(*) AS n FROM visits v WHERE EXISTS (SELECT 1 FROM bills b WHERE b.person = v.person AND paid) GROUP BY v.person) q GROUP BY n');
SELECT * FROM shown('SELECT count(*) FROM people p JOIN bills b ON b.person = p.id WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id AND v.kind = b.kind)');
SET ROLE sub_analyst;
-- The same by our own names.
SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id);
SELECT dp_sum((SELECT coalesce(sum(cost), 0) FROM visits v WHERE v.person = p.id), 0, 10) BETWEEN 2390 AND 2410 FROM people p;
SELECT aggregate, admitted FROM dp_agg.price('SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id)');
EXPLAIN (COSTS OFF) SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id);
-- Each question is its own, and answered again for nothing if it is the same.
SET dp_agg.epsilon = 1;
SET dp_agg.kept_max_age = '1 hour';
SELECT statements AS before FROM dp_agg.budgets \gset
SELECT count(*) AS a FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id) \gset
SELECT count(*) AS b FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id) \gset
SELECT :a = :b AS same, statements - :before AS charged FROM dp_agg.budgets;
SELECT count(*) AS a FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id AND cost > 1) \gset
SELECT count(*) AS a FROM people p WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id) \gset
SELECT count(*) AS a FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.person = v.person AND w.day < v.day) \gset
SELECT count(*) AS a FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.person = v.person AND w.day <= v.day) \gset
SELECT statements - :before AS charged FROM dp_agg.budgets;
-- What is not of the same unit, or is everybody's, stays refused.
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.friend);
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.cost = p.age);
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v);
SELECT count(*) FROM people p WHERE friend IN (SELECT person FROM visits);
SELECT count(*) FROM people p WHERE city IN (SELECT kind FROM visits);
SELECT count(*) FROM people p WHERE age > (SELECT max(cost) FROM visits);
SELECT count(*) FROM people p WHERE age > ALL (SELECT cost FROM visits v WHERE v.person = p.id);
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.id OR v.cost = 3);
SELECT count(*) FROM people p WHERE id IN (SELECT person FROM visits ORDER BY cost LIMIT 5);
SELECT count(*) FROM people p WHERE id IN (SELECT id FROM strangers);
SELECT count(*) FROM people p WHERE age = (SELECT cost FROM visits v WHERE v.person = p.id ORDER BY day LIMIT 1);
SELECT count(*) FILTER (WHERE (id IN (SELECT person FROM visits v WHERE v.kind = p.city)) IS NULL) FROM people p;
SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT dp_count(*) FROM visits v WHERE v.person = p.id);
-- Two local times may be one moment.
SET timezone = 'Europe/Berlin';
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM cities c WHERE c.founded = timestamptz '2023-03-26 01:30+00' + age * interval '0');
RESET ROLE;
DROP SCHEMA sub CASCADE;
SELECT dp_agg.drop_budget('sub_analyst');
DROP OWNED BY sub_owner, sub_analyst;
DROP ROLE sub_owner, sub_analyst;
DROP EXTENSION dp_agg;
