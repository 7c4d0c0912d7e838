-- Subqueries of every kind in what windows, DISTINCT, grouping, set operations, full joins and LATERAL
-- are made of, over columns of subqueries further in: an answer or a refusal, never an error within the server.
-- At epsilon 100,000 these answers carry noise with probability below 1e-200.
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE ROLE nested_owner;
CREATE ROLE nested_analyst;
GRANT CREATE ON SCHEMA public TO nested_owner, nested_analyst;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO nested_owner;

SET ROLE nested_owner;
CREATE TABLE people (id int PRIMARY KEY, age int, smoker boolean);
INSERT INTO people SELECT i, i % 90, i % 3 = 0 FROM generate_series(1, 900) i;
SELECT dp_agg.protect('people', 'id');
CREATE TABLE visits (patient int, clinic int);
INSERT INTO visits SELECT i % 900 + 1, i % 5 FROM generate_series(1, 1500) i;
SELECT dp_agg.protect('visits', 'patient', max_rows => 10, max_groups => 5);
CREATE TABLE clinics (k int PRIMARY KEY);
INSERT INTO clinics SELECT generate_series(0, 49);
GRANT SELECT ON clinics TO PUBLIC;
RESET ROLE;
SELECT dp_agg.set_budget('nested_analyst', 1e9, 1e-5);

SET ROLE nested_analyst;
SET dp_agg.epsilon = 100000;

-- windows, DISTINCT and set operations by number of rows, over subqueries that name columns of an inner one
SELECT count(*) FROM (SELECT id, row_number() OVER (PARTITION BY id), (SELECT id) FROM (SELECT id FROM people) x) y;
SELECT count(*) FROM (SELECT id, row_number() OVER (PARTITION BY id), id IN (SELECT k FROM clinics WHERE k = id) FROM (SELECT id FROM people) x) y;
SELECT count(*) FROM (SELECT DISTINCT ON (id) id, age FROM (SELECT id, age FROM people) x ORDER BY id, (SELECT age)) y;
SELECT count(*) FROM (SELECT DISTINCT ON (id) id, age FROM (SELECT id, (SELECT age + id) AS age FROM people) x ORDER BY id, age) y;
SELECT count(*) FROM (SELECT id, (SELECT age) FROM people EXCEPT ALL SELECT id, age FROM people WHERE age > 80) y;
SELECT count(*) FROM (SELECT id, ARRAY(SELECT age) AS a FROM people INTERSECT ALL SELECT id, ARRAY[age] FROM people) y;
SELECT count(*) FROM (SELECT id, sum((SELECT age)) OVER (PARTITION BY id) FROM (SELECT id, age FROM people) x) y;

-- what is the same for every row is read, and answered
SELECT count(*) FROM (SELECT id, row_number() OVER (PARTITION BY id), (SELECT c) FROM (SELECT id, 5 AS c FROM people) x) y;
SELECT count(*) FROM (SELECT id, row_number() OVER (PARTITION BY id) AS n, (SELECT max(k) FROM clinics) AS most FROM (SELECT id FROM people) x) y WHERE most > n;

-- LATERAL items name columns of a FULL JOIN, and of what is computed on the nullable side of an outer join
SELECT count(*) FROM people a FULL JOIN people b ON a.id = b.id JOIN LATERAL (SELECT b.age) l(age) ON true WHERE l.age > 80;
SELECT count(*) FROM people a FULL JOIN people b ON a.id = b.id CROSS JOIN LATERAL (VALUES (b.age + a.age)) l(age) WHERE l.age > 160;
SELECT count(*) FROM (SELECT DISTINCT ON (id) id, l.u FROM people a FULL JOIN people b USING (id) LEFT JOIN LATERAL (SELECT b.age + 1, a.age) l(u, v) ON true ORDER BY id, u) y WHERE u > 81;
SELECT count(*) FROM people a FULL JOIN people b USING (id), LATERAL (SELECT b.age) l(age), LATERAL (SELECT l.age + id) m(c) WHERE c > 100 AND l.age < 5;
SELECT count(*) FROM people p LEFT JOIN (SELECT id, age + 1 AS c FROM people WHERE smoker) s ON s.id = p.id, LATERAL (SELECT s.c + 1) l(d) WHERE d > 80;
SELECT count(*) FROM people p LEFT JOIN (SELECT id, age + 1 AS c FROM people WHERE smoker) s ON s.id = p.id, LATERAL (SELECT l.d FROM (SELECT s.c + p.age) l(d)) m(d) WHERE d > 160;
RESET ROLE;
SELECT count(*) FILTER (WHERE age > 80) AS above_80, count(*) FILTER (WHERE age * 2 > 160) AS twice_above_160,
	count(*) FILTER (WHERE age + 1 > 81) AS one_more_above_81, count(*) FILTER (WHERE age + id > 100 AND age < 5) AS of_both,
	count(*) FILTER (WHERE smoker AND age + 2 > 80) AS smokers, count(*) FILTER (WHERE smoker AND age + 1 + age > 160) AS smokers_twice FROM people;

-- Every kind of subquery in every place of every kind of subquery in FROM, over each kind of inner one.
CREATE TABLE sublinks (kind text, expr text);
INSERT INTO sublinks VALUES
	('scalar', '(SELECT v)'), ('scalar, deeper', '(SELECT (SELECT v + u))'), ('scalar, FROM', '(SELECT z FROM (SELECT v AS z) q)'),
	('scalar, public', '(SELECT max(k) FROM clinics WHERE k = v)'), ('scalar, protected', '(SELECT count(*)::int FROM visits WHERE patient = u)'),
	('scalar, aggregate', '(SELECT count(v)::int)'), ('scalar, window', '(SELECT row_number() OVER (ORDER BY v)::int)'),
	('scalar, WITH', '(WITH w AS (SELECT v AS z) SELECT z FROM w)'), ('scalar, VALUES', '(VALUES (v))'), ('scalar, UNION', '(SELECT v UNION SELECT u)'),
	('scalar, LATERAL', '(SELECT z FROM clinics, LATERAL (SELECT k + v AS z) l LIMIT 1)'),
	('EXISTS', 'EXISTS (SELECT v)::int'), ('EXISTS, public', 'EXISTS (SELECT FROM clinics WHERE k = v)::int'), ('EXISTS, protected', 'EXISTS (SELECT FROM visits WHERE patient = u)::int'),
	('IN', '(v IN (SELECT u))::int'), ('IN, public', '(v IN (SELECT k FROM clinics))::int'), ('IN, public and tied', '(v IN (SELECT k FROM clinics WHERE k > u))::int'),
	('IN, protected', '(u IN (SELECT patient FROM visits))::int'), ('IN, of two', '((u, v) IN (SELECT k, k FROM clinics))::int'), ('ALL', '(v > ALL (SELECT k FROM clinics WHERE k < u))::int'),
	('row', '((u, v) = (SELECT u, v))::int'), ('ARRAY', '(ARRAY(SELECT v))[1]');
CREATE TABLE inners (kind text, query text);
INSERT INTO inners VALUES
	('table', 'SELECT id AS u, age AS v FROM people'), ('subquery', 'SELECT * FROM (SELECT id AS u, age + 1 AS v FROM people) i'), ('window', 'SELECT id AS u, row_number() OVER (PARTITION BY id)::int AS v FROM people'),
	('grouped', 'SELECT patient AS u, count(*)::int AS v FROM visits GROUP BY patient'), ('DISTINCT', 'SELECT DISTINCT patient AS u, clinic AS v FROM visits'),
	('UNION ALL', 'SELECT id AS u, age AS v FROM people UNION ALL SELECT patient, clinic FROM visits'), ('FULL JOIN', 'SELECT COALESCE(id, patient) AS u, age AS v FROM people FULL JOIN visits ON id = patient'),
	('LATERAL', 'SELECT id AS u, l.v FROM people, LATERAL (SELECT age + 1 AS v) l'), ('LATERAL over FULL JOIN', 'SELECT a.id AS u, l.v FROM people a FULL JOIN people b ON a.id = b.id, LATERAL (SELECT b.age AS v) l'),
	('WITH', 'WITH w AS (SELECT id AS u, age AS v FROM people) SELECT * FROM w');
CREATE TABLE places (kind text, query text);
INSERT INTO places VALUES
	('select list', 'SELECT u, {s} FROM ({i}) x'), ('WHERE', 'SELECT u, v FROM ({i}) x WHERE {s} > 3'), ('window beside', 'SELECT u, row_number() OVER (PARTITION BY u), {s} FROM ({i}) x'),
	('window of', 'SELECT u, sum({s}) OVER (PARTITION BY u) FROM ({i}) x'), ('window''s FILTER', 'SELECT u, count(*) FILTER (WHERE {s} > 3) OVER (PARTITION BY u) FROM ({i}) x'),
	('PARTITION BY', 'SELECT u, count(*) OVER (PARTITION BY u, {s}) FROM ({i}) x'), ('window''s ORDER BY', 'SELECT u, sum(v) OVER (PARTITION BY u ORDER BY {s}) FROM ({i}) x'),
	('window around', 'SELECT u, row_number() OVER (PARTITION BY u ORDER BY w) FROM (SELECT u, row_number() OVER (PARTITION BY u) AS n, {s} AS w FROM ({i}) x) y'),
	('DISTINCT', 'SELECT DISTINCT u, {s} FROM ({i}) x'), ('DISTINCT ON', 'SELECT DISTINCT ON (u) u, {s} FROM ({i}) x ORDER BY u, v'), ('its ORDER BY', 'SELECT DISTINCT ON (u) u, v FROM ({i}) x ORDER BY u, {s}'),
	('grouped', 'SELECT u, count(*), max({s}) FROM ({i}) x GROUP BY u'), ('GROUP BY', 'SELECT u, {s}, count(*) FROM ({i}) x GROUP BY u, {s}'), ('HAVING', 'SELECT u FROM ({i}) x GROUP BY u, v HAVING {s} > 3'),
	('UNION', 'SELECT u, {s} FROM ({i}) x UNION SELECT id, age FROM people'), ('UNION ALL', 'SELECT id, age FROM people UNION ALL SELECT u, {s} FROM ({i}) x'),
	('EXCEPT', 'SELECT u, {s} FROM ({i}) x EXCEPT SELECT id, age FROM people'), ('EXCEPT ALL', 'SELECT u, {s} FROM ({i}) x EXCEPT ALL SELECT id, age FROM people'), ('INTERSECT ALL', 'SELECT id, age FROM people INTERSECT ALL SELECT u, {s} FROM ({i}) x'),
	('side of FULL JOIN', 'SELECT u FROM (SELECT u, {s} AS w FROM ({i}) x) y FULL JOIN people ON id = u WHERE w > 3'), ('ON of FULL JOIN', 'SELECT u FROM ({i}) x FULL JOIN people ON id = u AND {s} = age'),
	('ON of LEFT JOIN', 'SELECT id FROM people LEFT JOIN ({i}) x ON id = u AND {s} > 3'), ('nullable side', 'SELECT id, w FROM people LEFT JOIN (SELECT u, {s} AS w FROM ({i}) x) y ON id = u'),
	('LATERAL', 'SELECT u, w FROM ({i}) x, LATERAL (SELECT {s} AS w) l'), ('LATERAL, filtered', 'SELECT u, w FROM ({i}) x JOIN LATERAL (SELECT k AS w FROM clinics WHERE k = v AND {s} > 3) l ON true'),
	('LATERAL over FULL JOIN', 'SELECT u, w FROM ({i}) x FULL JOIN people ON id = u CROSS JOIN LATERAL (SELECT {s} + age AS w) l'), ('WITH', 'WITH c AS (SELECT u, {s} AS w FROM ({i}) x) SELECT * FROM c WHERE w > 3');
GRANT SELECT ON sublinks, inners, places TO nested_analyst;

SET ROLE nested_analyst;
CREATE FUNCTION attempt(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || statement LOOP END LOOP;
	RETURN 'answered';
EXCEPTION WHEN feature_not_supported THEN
	RETURN 'refused';
WHEN insufficient_privilege THEN
	RETURN 'denied';
WHEN grouping_error THEN
	RETURN 'not SQL';
WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM || ': ' || statement;
END $$;
CREATE TEMPORARY TABLE outcomes AS
	SELECT p.kind AS place, s.kind AS sublink, i.kind AS inner,
		attempt('SELECT count(*) FROM (' || replace(replace(p.query, '{s}', s.expr), '{i}', i.query) || ') z') AS outcome
	FROM places p, sublinks s, inners i;
SELECT count(*) = (SELECT count(*) FROM places) * (SELECT count(*) FROM sublinks) * (SELECT count(*) FROM inners) AS ended FROM outcomes;
SELECT DISTINCT outcome FROM outcomes WHERE outcome NOT IN ('answered', 'refused', 'denied', 'not SQL');
SELECT sublink, count(*) FILTER (WHERE outcome = 'answered') > 0 AS answered, count(*) FILTER (WHERE outcome = 'refused') > 0 AS refused
	FROM outcomes GROUP BY sublink ORDER BY sublink COLLATE "C";

RESET ROLE;
DROP OWNED BY nested_analyst, nested_owner;
DROP TABLE sublinks, inners, places;
DROP EXTENSION dp_agg CASCADE;
DROP ROLE nested_analyst, nested_owner;
