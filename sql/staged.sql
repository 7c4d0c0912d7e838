--
-- staged: what one block releases, read by another block of the same statement
--
CREATE EXTENSION dp_agg;
CREATE ROLE staged_owner;
CREATE ROLE staged_analyst;
CREATE SCHEMA staged;
GRANT ALL ON SCHEMA staged TO staged_owner, staged_analyst;
SET search_path = staged, public;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO staged_owner;
SET ROLE staged_owner;
CREATE TABLE people (id int PRIMARY KEY, age int NOT NULL, town text, joined date NOT NULL);
INSERT INTO people SELECT i, 20 + i % 50, (ARRAY['Oslo', 'Rome', NULL, 'Bern', 'Oslo', 'Oslo', 'Rome'])[1 + i % 7], date '2024-01-01' + i % 300 FROM generate_series(1, 3000) i;
CREATE TABLE visits (person int NOT NULL, kind text, cost int NOT NULL, year int);
INSERT INTO visits SELECT i, (ARRAY['a', 'b', 'c'])[1 + (i + v) % 3], (i + 7 * v) % 100, 2020 + v FROM generate_series(1, 3000) i, generate_series(1, 3) v WHERE v <= i % 4;
CREATE TABLE strangers (id int PRIMARY KEY, age int);
INSERT INTO strangers SELECT i, i % 90 FROM generate_series(1, 500) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 3, max_groups => 3), dp_agg.protect('strangers', 'id', 'others');
SELECT dp_agg.set_domain('people', 'age', 0, 100), dp_agg.set_domain('visits', 'cost', 0, 100), dp_agg.set_domain('strangers', 'age', 0, 100);
RESET ROLE;
SELECT dp_agg.set_budget('staged_analyst', 1e12, 1e-3), dp_agg.set_budget('staged_analyst', 1e12, 1e-3, 'others');
CREATE TABLE staged.towns (name text PRIMARY KEY, country text);
INSERT INTO staged.towns VALUES ('Oslo', 'N'), ('Rome', 'I'), ('Bern', 'CH'), ('Nowhere', 'X');
GRANT SELECT ON towns TO staged_analyst, staged_owner;

\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/compare.sql'
\i :file
SET client_min_messages = warning;
-- A value: each is compared with what the owner is answered.
INSERT INTO asked (statement) VALUES
	('SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people)'),
	('SELECT count(*) FROM people WHERE age > 1.2 * (SELECT avg(age) FROM people WHERE town = ''Oslo'')'),
	('SELECT town, count(*) FROM people WHERE age > (SELECT avg(age) FROM people) GROUP BY town'),
	('SELECT count(*) FILTER (WHERE age > (SELECT avg(age) FROM people)) FROM people'),
	('SELECT sum(CASE WHEN age > (SELECT avg(age) FROM people) THEN 1 ELSE 0 END) FROM people'),
	('SELECT round(sum(greatest(least(age - (SELECT avg(age) FROM people), 100), -100))) = 0 FROM people'),
	('SELECT count(*) FROM people WHERE (age, town) = (SELECT round(avg(age))::int, ''Oslo'' FROM people)'),
	('SELECT count(*) FROM people WHERE age BETWEEN (SELECT round(avg(age)) - 5 FROM people) AND (SELECT round(avg(age)) + 5 FROM people)'),
	('SELECT count(*) FROM people WHERE age > (SELECT avg(cost) FROM visits)'),
	('SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people WHERE age > (SELECT avg(age) FROM people))'),
	('SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people) AND id IN (SELECT person FROM visits WHERE cost > (SELECT avg(cost) FROM visits))'),
	('SELECT town, round(count(*) * 100.0 / (SELECT count(*) FROM people)) FROM people GROUP BY town'),
	('SELECT count(*) FROM people p JOIN visits v ON v.person = p.id AND v.cost > (SELECT avg(cost) FROM visits)'),
	('SELECT count(*) FROM people p LEFT JOIN visits v ON v.person = p.id AND v.cost > (SELECT avg(cost) FROM visits)'),
	('SELECT count(*) FROM people WHERE age > (WITH x AS (SELECT age AS a FROM people) SELECT avg(a) FROM x)'),
	('SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people) AND age < 10 + (SELECT avg(age) FROM people)'),
	('WITH RECURSIVE r AS (SELECT avg(age) AS v, 1 AS i FROM people UNION ALL SELECT v + 1, i + 1 FROM r WHERE i < 3) SELECT count(*) FROM people, (SELECT max(v) AS v FROM r) q WHERE age > q.v'),
	('SELECT count(*) FROM (SELECT r.id, r.age AS v FROM people r WHERE (SELECT count(*) FROM people s WHERE r.town IS NOT NULL OR true) > 0) r'),
	('SELECT count(*) FROM people HAVING count(*) > (SELECT count(*) / 2 FROM visits)'),
	('SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people HAVING count(*) < 0)');
SELECT * FROM compare();
-- A list.
INSERT INTO asked (statement) VALUES
	('SELECT count(*) FROM people WHERE town IN (SELECT town FROM people GROUP BY 1 ORDER BY count(*) DESC LIMIT 1)'),
	('SELECT count(*) FROM people WHERE town NOT IN (SELECT town FROM people WHERE town IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC LIMIT 1)'),
	('SELECT kind, count(*) FROM visits WHERE kind IN (SELECT kind FROM visits GROUP BY kind HAVING avg(cost) > 40) GROUP BY kind'),
	('SELECT count(*) FROM people WHERE age > ALL (SELECT avg(age) FROM people GROUP BY town)'),
	('SELECT count(*) FROM people WHERE town = ANY (ARRAY(SELECT town FROM people GROUP BY town ORDER BY count(*) LIMIT 2))'),
	('SELECT count(*) FROM people WHERE town IN (SELECT DISTINCT town FROM people WHERE age > 50)'),
	('SELECT country, count(*) FROM people JOIN towns ON name = town WHERE town IN (SELECT town FROM people GROUP BY 1 ORDER BY count(*) DESC LIMIT 2) GROUP BY 1'),
	('WITH top AS (SELECT town FROM people GROUP BY 1 ORDER BY count(*) DESC LIMIT 2) SELECT town, count(*) FROM people WHERE town IN (SELECT town FROM top) GROUP BY 1');
SELECT * FROM compare();
-- Public keys by themselves, of which nothing is released.
INSERT INTO asked (statement) VALUES
	('SELECT count(*) FROM people WHERE (age > 60) IN (SELECT age > 30 FROM people GROUP BY 1)'),
	('SELECT count(*) FROM people WHERE (age > 60) NOT IN (SELECT DISTINCT (age > 30) IS TRUE FROM people)'),
	('SELECT count(*) FROM people WHERE (age > 60) = (SELECT bool_and(old) FROM (SELECT age > 30 AS old FROM people GROUP BY 1) k)'),
	('SELECT count(*) FROM visits WHERE cost > (SELECT 20 * count(*) FROM (SELECT DISTINCT (age > 30) IS TRUE FROM people) k, (SELECT count(*) AS n FROM people) p)'),
	('SELECT count(*) FROM people WHERE town IN (SELECT t.name FROM towns t LEFT JOIN people p ON p.town = t.name GROUP BY t.name)');
SELECT * FROM compare();
-- A value of each group, which is that of groups joined.
INSERT INTO asked (statement) VALUES
	('SELECT count(*) FROM people p WHERE age > (SELECT avg(age) FROM people q WHERE q.town = p.town)'),
	('SELECT town, count(*) FROM people p WHERE age > 1.2 * (SELECT avg(q.age) FROM people q WHERE q.town = p.town) GROUP BY 1'),
	('SELECT kind, year, count(*) FROM visits v WHERE cost > 0.3 + (SELECT avg(w.cost) FROM visits w WHERE w.kind = v.kind AND w.year = v.year) GROUP BY 1, 2'),
	('SELECT count(*) FROM visits v WHERE cost * 3 > (SELECT sum(w.cost) / count(*) FROM visits w WHERE w.kind = v.kind AND w.year > 2021)'),
	('SELECT count(*) FROM people p JOIN visits v ON v.person = p.id WHERE v.cost > (SELECT avg(w.cost) FROM visits w WHERE w.kind = v.kind) AND p.age > (SELECT avg(age) FROM people)'),
	('SELECT (SELECT count(*) FROM people q WHERE q.town = p.town AND q.age > 200) AS n, count(*) FROM people p GROUP BY 1');
SELECT * FROM compare();
-- An item of FROM.
INSERT INTO asked (statement) VALUES
	('SELECT date_trunc(''month'', joined) AS __timestamp, town, count(*) AS count FROM people JOIN (SELECT town AS town__, count(*) AS mme_inner__ FROM people GROUP BY town ORDER BY mme_inner__ DESC LIMIT 2) AS series_limit ON town = town__ GROUP BY date_trunc(''month'', joined), town ORDER BY count DESC, 1 LIMIT 5'),
	('SELECT count(*) FROM people p, (SELECT count(*) FILTER (WHERE (r.id IN (SELECT person FROM visits))::int > 0) AS n FROM people r) t WHERE p.id < t.n'),
	('SELECT count(*) FROM people p, (SELECT count(*) FILTER (WHERE (r.id IN (SELECT person FROM visits))::int > 0) AS n FROM people r JOIN visits v ON v.person = r.id, towns x WHERE x.name = r.town) t WHERE p.id < t.n'),
	('WITH t AS (SELECT town, avg(age) AS a FROM people GROUP BY town) SELECT p.town, count(*) FROM people p JOIN t ON t.town = p.town AND p.age > t.a GROUP BY 1'),
	('WITH t AS (SELECT town, count(*) AS n FROM people GROUP BY town) SELECT p.town, t.n, count(*) FROM people p JOIN t USING (town) WHERE age > 40 GROUP BY 1, 2'),
	('SELECT count(*) FROM people p JOIN (SELECT town, avg(age) AS a FROM people GROUP BY 1) t ON p.town IS NOT DISTINCT FROM t.town WHERE p.age > t.a'),
	('SELECT count(*) FROM people p JOIN (SELECT town, avg(age) AS a FROM people GROUP BY 1) t ON (p.town = t.town OR (p.town IS NULL AND t.town IS NULL)) WHERE p.age > t.a'),
	('SELECT count(*), count(t.town) FROM people p LEFT JOIN (SELECT town, count(*) AS n FROM people GROUP BY 1 ORDER BY 2 DESC LIMIT 1) t ON p.town = t.town'),
	('SELECT count(*) FROM people p, (SELECT avg(age) AS a, stddev(age) AS s FROM people) t WHERE p.age BETWEEN t.a - t.s AND t.a + t.s'),
	('SELECT count(*) FROM people p CROSS JOIN (SELECT avg(age) AS a FROM people) t CROSS JOIN (SELECT avg(cost) AS c FROM visits) u WHERE p.age > t.a + u.c / 10'),
	('SELECT t.r, count(*) FROM people p JOIN (SELECT town, rank() OVER (ORDER BY count(*) DESC) AS r FROM people GROUP BY town) t ON p.town = t.town WHERE t.r <= 2 GROUP BY 1'),
	('SELECT t.town, count(*) FROM (SELECT town FROM people WHERE age > 40 GROUP BY town) t LEFT JOIN people p ON p.town = t.town AND p.age < 30 GROUP BY t.town HAVING t.town IS NOT NULL'),
	('SELECT s.town, count(*) FROM (SELECT p.* FROM people p JOIN (SELECT town, avg(age) AS a FROM people GROUP BY town) t ON p.town = t.town WHERE p.age > t.a) s GROUP BY 1'),
	('SELECT kind, count(*) FROM visits v JOIN (SELECT kind, year, count(*) AS n FROM visits GROUP BY kind, year) t USING (kind, year) WHERE t.n > 400 GROUP BY 1'),
	('WITH t AS (SELECT avg(age) AS a FROM people) SELECT count(*), (SELECT round(a) FROM t) FROM people, t WHERE age > t.a'),
	('WITH a AS (SELECT avg(age) AS v FROM people), b AS (SELECT avg(age) AS v FROM people, a WHERE age > a.v), c AS (SELECT avg(age) AS v FROM people, b WHERE age > b.v) SELECT count(*) FROM people, c WHERE age > c.v'),
	('SELECT town, round(count(*) * 100.0 / max(t.n)) FROM people, (SELECT count(*) AS n FROM people) t GROUP BY town'),
	('WITH t AS (SELECT count(*) AS n, avg(age) AS a FROM people) SELECT round(count(*) * 100.0 / min(t.n)), round(max(t.a)) FROM people CROSS JOIN t WHERE age > t.a'),
	('SELECT town, max(c.n), count(*) FROM people, (SELECT count(*) AS n FROM towns) c GROUP BY town HAVING max(c.n) > 3'),
	('SELECT x.town, round(x.n * 100.0 / y.n) FROM (SELECT town, count(*) AS n FROM people GROUP BY 1) x, (SELECT count(*) AS n FROM people WHERE age > (SELECT avg(age) FROM people)) y');
SELECT * FROM compare();
-- Any aggregate, over what is released and over public rows beside it.
INSERT INTO asked (statement) VALUES
	('SELECT kind, string_agg(year::text, '', '' ORDER BY year) FROM (SELECT kind, year, count(*) FROM visits GROUP BY 1, 2) t GROUP BY kind'),
	('SELECT array_agg(town ORDER BY n DESC, town), json_agg(town ORDER BY town) FROM (SELECT town, count(*) AS n FROM people GROUP BY town) t'),
	('SELECT jsonb_object_agg(t.town, t.n), string_agg(c.country, ''-'' ORDER BY c.country) FROM (SELECT town, count(*) AS n FROM people GROUP BY town) t JOIN towns c ON c.name = t.town'),
	('SELECT c.country, array_agg(t.n ORDER BY t.n) FROM towns c LEFT JOIN (SELECT town, count(*) AS n FROM people GROUP BY town) t ON c.name = t.town GROUP BY 1'),
	('SELECT (SELECT string_agg(name, '','' ORDER BY name) FROM towns), count(*) FROM people'),
	('SELECT count(*) FROM people WHERE town = ANY (SELECT unnest(array_agg(town)) FROM (SELECT town FROM people GROUP BY 1 ORDER BY count(*) DESC LIMIT 2) t)'),
	('SELECT min(v), max(v) FROM (SELECT town AS v FROM people GROUP BY 1) t'),
	('SELECT kind, max(v) FROM (SELECT v.kind, p.town AS v FROM visits v JOIN people p ON p.id = v.person GROUP BY 1, 2) t GROUP BY kind');
SELECT * FROM compare();
SET ROLE staged_analyst;
SET dp_agg.epsilon = 1e5;
-- One charge for all, and what it is for: price, EXPLAIN, the ledger and the last release.
SELECT sum(statements) AS before FROM dp_agg.budgets \gset
SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people WHERE town IN (SELECT town FROM people GROUP BY 1 ORDER BY count(*) DESC LIMIT 2));
SELECT sum(statements) - :before AS charges FROM dp_agg.budgets;
SELECT aggregate, epsilon, kept FROM dp_agg.last_release();
SELECT aggregate, epsilon FROM dp_agg.price('SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people WHERE town IN (SELECT town FROM people GROUP BY 1 ORDER BY count(*) DESC LIMIT 2))');
EXPLAIN (COSTS OFF) SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people WHERE town IN (SELECT town FROM people GROUP BY 1 ORDER BY count(*) DESC LIMIT 2));
RESET ROLE;
SELECT block -> 'relations' AS relations, block -> 'keys' AS keys, block -> 'where' AS "where" FROM (SELECT releases FROM dp_agg.ledger ORDER BY id DESC LIMIT 1) l, jsonb_array_elements(releases) block;
SET ROLE staged_analyst;
-- every road to a statement
PREPARE above(int) AS SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people WHERE age > $1);
EXECUTE above(0);
EXECUTE above(60);
CREATE TABLE staged.answer AS SELECT count(*) AS n FROM people WHERE age > (SELECT avg(age) FROM people);
INSERT INTO staged.answer SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people);
SELECT * FROM staged.answer;
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT town, count(*) FROM people WHERE age > (SELECT avg(age) FROM people) GROUP BY town ORDER BY 1;
FETCH 1 FROM c;
COMMIT;
FETCH ALL FROM c;
FETCH BACKWARD 2 FROM c;
CLOSE c;
CREATE FUNCTION staged.asks() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people)); END $$;
SELECT staged.asks();
-- What is refused is so before the charge, whatever is released.
SELECT sum(statements) AS before FROM dp_agg.budgets \gset
SELECT count(*) FROM people p, (SELECT town, count(*) AS n FROM people GROUP BY town) t WHERE p.age > 20;
SELECT count(*) FROM visits v JOIN (SELECT kind, year, count(*) AS n FROM visits GROUP BY kind, year) t ON t.kind = v.kind;
SELECT count(*) FROM (SELECT town, count(*) AS n FROM people GROUP BY town ORDER BY generate_series(1, 2)) t JOIN people p ON p.town = t.town;
SELECT count(*) FROM (SELECT count(*) AS n FROM people ORDER BY generate_series(1, 2)) t, people p WHERE p.age < t.n;
SELECT count(*) FROM people p WHERE age > (SELECT avg(age) FROM people q WHERE q.age > p.age);
SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM people q WHERE q.town = p.town AND q.age > 60);
SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM strangers);
SELECT sum(greatest(age, (SELECT avg(age) FROM people))) FROM people;
SELECT dp_sum(age, 0, (SELECT avg(age) FROM people)) FROM people;
SELECT dp_count(*) FROM (SELECT avg(age) FROM people) t;
SELECT count(*) FROM people WHERE int4div(30, 0) <> (SELECT avg(age) FROM people);
SELECT sum(statements) - :before AS charges FROM dp_agg.budgets;
-- A statement that the budget does not admit draws nothing of it.
RESET ROLE;
CREATE ROLE staged_poor;
GRANT USAGE ON SCHEMA staged TO staged_poor;
SELECT dp_agg.set_budget('staged_poor', 1.5, 1e-6);
SET ROLE staged_poor;
SET dp_agg.epsilon = 1;
SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people);
SELECT statements, epsilon_spent FROM dp_agg.budgets;
RESET dp_agg.epsilon;
SET ROLE staged_analyst;
-- Kept answers compose: the value is the same, so the question that it is part of is.
SET dp_agg.kept_max_age = '1 hour';
SET dp_agg.epsilon = 1;
SELECT sum(statements) AS before FROM dp_agg.budgets \gset
DO $$
DECLARE
	first text;
	again text;
BEGIN
	FOR i IN 1 .. 1000 LOOP
		SELECT string_agg(q::text, ' ' ORDER BY q::text) INTO again FROM (
			SELECT date_trunc('month', joined) AS month, town, count(*) FROM people JOIN (SELECT town AS t, count(*) AS n FROM people GROUP BY town ORDER BY n DESC LIMIT 2) AS top ON town = t GROUP BY 1, 2) q;
		first := coalesce(first, again);
		IF again IS DISTINCT FROM first THEN
			RAISE 'answer % differs', i;
		END IF;
	END LOOP;
END $$;
SELECT sum(statements) - :before AS charges FROM dp_agg.budgets;
SELECT aggregate, epsilon, kept IS NOT NULL AS kept FROM dp_agg.last_release();
-- The same question twice in a statement is drawn once.
SELECT count(*) IS NOT NULL AS asked FROM people WHERE age > (SELECT avg(age) FROM people) AND age < 10 + (SELECT avg(age) FROM people);
SELECT aggregate, epsilon, kept IS NOT NULL AS kept FROM dp_agg.last_release();
-- The inner question may be kept of a statement of its own: then the outer one alone is paid for.
SELECT count(*) > 0 AS asked FROM (SELECT avg(cost) FROM visits) q;
SELECT count(*) BETWEEN 0 AND 3000 AS asked FROM people WHERE age > (SELECT avg(cost) FROM visits);
SELECT aggregate, epsilon, kept IS NOT NULL AS kept FROM dp_agg.last_release();
SET dp_agg.kept_max_age = 0;
RESET ROLE;
SELECT block -> 'reads_released' AS reads_released, block ? 'question' AS known, count(*) FROM dp_agg.ledger l, jsonb_array_elements(releases) block WHERE role = 'staged_analyst' AND statement LIKE '%AS top ON town%' GROUP BY 1, 2 ORDER BY 1, 2;
SELECT problem FROM dp_agg.verify_ledger() WHERE problem LIKE '%kept%';
SET ROLE staged_analyst;
-- What does not depend on a released value is computed apart from it, and fails as in a block of one stage.
SELECT count(*) < 1000 AS answered FROM people WHERE timestamptz '2021-03-28 01:30+00' - interval '178956970 years' <> timestamp '2021-01-01' AND 1 > (SELECT 0 * avg(age) FROM people);
-- Code of hers may run between the stages.  The charge is kept if the statement fails there, and nothing is answered.
SET dp_agg.epsilon = 1e5;
CREATE FUNCTION staged.fails(v numeric) RETURNS numeric LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'between the stages: %', round(v); END $$;
SELECT sum(statements) AS before FROM dp_agg.budgets \gset
SELECT count(*) FROM people WHERE age > (SELECT staged.fails(avg(age)) FROM people);
SELECT sum(statements) - :before AS charges FROM dp_agg.budgets;
DO $$
DECLARE
	n bigint;
BEGIN
	DECLARE c CURSOR FOR SELECT count(*) FROM people WHERE age > (SELECT staged.fails(avg(age)) FROM people);
	BEGIN
		OPEN c;
		FETCH c INTO n;
	EXCEPTION WHEN raise_exception THEN
		RAISE INFO '%', SQLERRM;
	END;
END $$;
-- Settings that she changes there change nothing of what was priced.
CREATE FUNCTION staged.changes(v numeric) RETURNS numeric LANGUAGE plpgsql AS $$
BEGIN
	SET dp_agg.epsilon = 1e-3;
	SET dp_agg.max_rows = 1;
	RETURN v;
END $$;
SELECT count(*) FROM people WHERE age > (SELECT staged.changes(avg(age)) FROM people);
SELECT aggregate, epsilon FROM dp_agg.last_release();
RESET dp_agg.max_rows;
SET dp_agg.epsilon = 1e5;
-- Nor can she ask within it what would be drawn for the same charge: that is a statement of its own.
CREATE FUNCTION staged.asks_too(v numeric) RETURNS numeric LANGUAGE plpgsql AS $$ BEGIN RETURN v + 0 * (SELECT count(*) FROM people WHERE age > (SELECT avg(age) FROM people)); END $$;
SELECT sum(statements) AS before FROM dp_agg.budgets \gset
SELECT count(*) FROM people WHERE age > (SELECT staged.asks_too(avg(age)) FROM people);
SELECT sum(statements) - :before AS charges FROM dp_agg.budgets;
-- A policy that changes between the stages ends the statement.
RESET ROLE;
CREATE FUNCTION staged.alters(v numeric) RETURNS numeric LANGUAGE plpgsql SECURITY DEFINER SET search_path = staged, public AS $$ BEGIN PERFORM dp_agg.set_domain('people', 'age', 0, 50); RETURN v; END $$;
SET ROLE staged_analyst;
SELECT sum(age) FROM people WHERE age > (SELECT staged.alters(avg(age)) FROM people);
RESET ROLE;
-- Arithmetic that fails by noise alone is NULL, there as anywhere above a release.
SET ROLE staged_analyst;
SELECT count(*) FROM people WHERE age > (SELECT avg(age) / (count(*) - count(*)) FROM people);
RESET ROLE;
DROP SCHEMA staged CASCADE;
SELECT dp_agg.drop_budget('staged_analyst'), dp_agg.drop_budget('staged_analyst', 'others'), dp_agg.drop_budget('staged_poor');
DROP ROLE staged_poor;
DROP OWNED BY staged_owner, staged_analyst;
DROP ROLE staged_owner, staged_analyst;
DROP EXTENSION dp_agg;
