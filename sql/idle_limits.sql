--
-- idle_limits: LIMIT and OFFSET that take nothing away, EXISTS and one row of constants by themselves,
-- counts of constants, and pages of rows under dp_agg.raw_reads.  At this epsilon noise vanishes: an answer is off by more
-- than half with a probability below 1e-9
--
CREATE EXTENSION dp_agg;
CREATE ROLE idle_analyst;
CREATE SCHEMA idle AUTHORIZATION idle_analyst;
SET search_path = idle, public;
CREATE DOMAIN nights AS int;
CREATE TABLE people (id int PRIMARY KEY, age int, stay nights DEFAULT 5);
INSERT INTO people SELECT i, 20 + i % 50 FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_domain('people', 'age', 0, 120);
SELECT dp_agg.set_budget('idle_analyst', 1e9, 1e-3);
SET client_min_messages = warning;
SET ROLE idle_analyst;
SET dp_agg.epsilon = 1048576;

-- The subquery is its rows.
SELECT count(*) FROM (SELECT "people"."id" FROM "people" WHERE 1=1 OFFSET 0) AS "sub";
SELECT count(*) FROM (SELECT id FROM people LIMIT ALL) s;
SELECT count(*) FROM (SELECT id FROM people LIMIT NULL OFFSET NULL) s;
SELECT count(*) FROM (SELECT id FROM people FETCH FIRST (NULL) ROWS ONLY) s;
SELECT count(*) FROM (SELECT id FROM people ORDER BY age OFFSET 1 - 1) s;
WITH w AS (SELECT id FROM people OFFSET 0) SELECT count(*) FROM (SELECT * FROM w OFFSET 0) s;
SELECT count(*) FROM people p WHERE id IN (SELECT id FROM people WHERE age = 30 OFFSET 0);
SELECT count(*) FROM (SELECT id FROM people GROUP BY id HAVING count(*) = 1 OFFSET 0) s;
SELECT dp_count(*) FROM (SELECT id FROM people LIMIT ALL OFFSET 0) s;
SELECT count(*) FROM (SELECT id FROM people LIMIT ALL) s JOIN (SELECT 1 AS id OFFSET 0) one USING (id);

-- A parameter is known by its value, whatever was bound before.
PREPARE paged(bigint, bigint) AS SELECT count(*) FROM (SELECT id FROM people LIMIT $1 OFFSET $2) s;
EXECUTE paged(NULL, 0); EXECUTE paged(NULL, 0); EXECUTE paged(NULL, 0); EXECUTE paged(NULL, 0); EXECUTE paged(NULL, 0);
EXECUTE paged(NULL, 0); EXECUTE paged(NULL, NULL);
EXECUTE paged(NULL, 1);
EXECUTE paged(10, 0);
EXECUTE paged(NULL, 0);
SET plan_cache_mode = force_generic_plan;
EXECUTE paged(NULL, 0);
RESET plan_cache_mode;

-- Other limits take rows away.
SELECT count(*) FROM (SELECT id FROM people OFFSET 1) s;
SELECT count(*) FROM (SELECT id FROM people LIMIT 10) s;
SELECT count(*) FROM (SELECT id FROM people LIMIT 10 OFFSET 0) s;
SELECT count(*) FROM (SELECT id FROM people OFFSET (SELECT 0)) s;
SELECT count(*) FROM (SELECT id FROM people ORDER BY age FETCH FIRST 1 ROW WITH TIES) s;

-- Is there anybody?
SELECT EXISTS (SELECT 1 FROM people WHERE age > 30 LIMIT 1), EXISTS (SELECT FROM people WHERE age > 200);
SELECT 1 AS "row_exists" FROM (SELECT 1 AS dummy_column) "dummy_table" WHERE EXISTS (SELECT 1 FROM people p WHERE p.age > 30) LIMIT 1;
SELECT 1 AS "row_exists" FROM (SELECT 1 AS dummy_column) "dummy_table" WHERE EXISTS (SELECT 1 FROM people p WHERE p.age > 300) LIMIT 1;
SELECT NOT EXISTS (SELECT * FROM (SELECT DISTINCT age FROM people WHERE age > 300) s LIMIT 1) AS none;
PREPARE someone(int) AS SELECT EXISTS (SELECT 1 FROM people WHERE age > $1);
EXECUTE someone(30); EXECUTE someone(30); EXECUTE someone(30); EXECUTE someone(30); EXECUTE someone(30); EXECUTE someone(30); EXECUTE someone(300);
PREPARE someone_of(text, bigint) AS SELECT EXISTS (SELECT id FROM people WHERE age::text = $1 LIMIT $2);
EXECUTE someone_of('30', 1); EXECUTE someone_of('30', 0);
SELECT aggregate, epsilon FROM dp_agg.price('SELECT EXISTS (SELECT FROM people)');
SELECT EXISTS (SELECT FROM people OFFSET 5);
SELECT a FROM generate_series(30, 90, 60) a WHERE EXISTS (SELECT FROM people WHERE age = a);
SELECT count(*) FROM people WHERE EXISTS (SELECT FROM people WHERE age > 200);
SET dp_agg.plain_aggregates = off;
SELECT EXISTS (SELECT FROM people);
RESET dp_agg.plain_aggregates;

-- One row of constants asks the same, as object-relational mappers do.
SELECT 1 AS one FROM people WHERE age > 30 LIMIT 1;
SELECT 1 AS one FROM people WHERE age > 300 LIMIT 1;
SELECT (1) AS "a", 'x' AS b, NULL::date FROM people p JOIN people q USING (id) WHERE p.age > 30 ORDER BY p.age, q.id FETCH FIRST ROW ONLY;
SELECT FROM people LIMIT 1;
SELECT * FROM (SELECT true AS any FROM people WHERE age > 300 LIMIT 1) t RIGHT JOIN (SELECT 1 AS x) o ON true;
(SELECT 'young' AS there FROM people WHERE age < 30 LIMIT 1) UNION ALL (SELECT 'old' FROM people WHERE age > 200 LIMIT 1);
WITH w AS (SELECT * FROM people WHERE age > 30) SELECT 1 AS one FROM w LIMIT 1;
WITH w AS (SELECT * FROM people WHERE age > 30) SELECT * FROM (SELECT 1 AS one FROM w LIMIT 1) s;
PREPARE one(int, bigint, text) AS SELECT $3 AS label FROM people WHERE age > $1 LIMIT $2;
EXECUTE one(30, 1, 'a'); EXECUTE one(30, 1, 'b'); EXECUTE one(30, 1, 'c'); EXECUTE one(30, 1, 'd'); EXECUTE one(30, 1, 'e'); EXECUTE one(30, 1, 'f');
EXECUTE one(300, 1, 'a'); EXECUTE one(30, 0, 'a');
EXECUTE one(30, 2, 'a');
EXECUTE one(30, NULL, 'a');
CREATE TEMP TABLE found AS SELECT 1 AS one FROM people WHERE age > 30 LIMIT 1;
SELECT * FROM found;
DROP TABLE found;
BEGIN;
DECLARE c CURSOR FOR SELECT 1 AS one FROM people WHERE age > 30 LIMIT 1;
FETCH ALL FROM c;
COMMIT;
SELECT aggregate, epsilon FROM dp_agg.price('SELECT 1 FROM people WHERE age > 30 LIMIT 1');
SELECT sum(statements) AS before FROM dp_agg.budgets WHERE role = 'idle_analyst'::regrole \gset
SELECT 1 AS one FROM people WHERE age > 30 LIMIT 1;
SELECT 1 AS one FROM people WHERE false LIMIT 1;
SELECT sum(statements) - :before AS charged FROM dp_agg.budgets WHERE role = 'idle_analyst'::regrole;

-- Anything else of rows is a row.
SELECT 1 AS one FROM people LIMIT 2;
SELECT 1 AS one FROM people LIMIT 1 OFFSET 1;
SELECT 1 AS one FROM people ORDER BY age FETCH FIRST 1 ROW WITH TIES;
SELECT 1 AS one FROM people;
SELECT id FROM people LIMIT 1;
SELECT 1 AS one, age FROM people LIMIT 1;
-- what folds to a constant may name columns all the same
SELECT age + NULL AS x FROM people WHERE stay > 3 LIMIT 1;
SELECT coalesce(1, age) AS x FROM people WHERE stay > 3 LIMIT 1;
SELECT false AND age > 3 AS x FROM people WHERE stay > 3 LIMIT 1;
SELECT count(*) OVER () * NULL AS x FROM people LIMIT 1;
SELECT CASE WHEN true THEN 1 ELSE (SELECT max(q.age) FROM people q WHERE q.id = p.id) END AS x FROM people p LIMIT 1;
SELECT s.x FROM (SELECT c.age + NULL AS x FROM people a JOIN people b USING (id) JOIN people c USING (id) LIMIT 1) s LEFT JOIN (SELECT 1 AS k) o ON true;
SELECT 1 + 2 * 3 AS x FROM people WHERE stay > 3 LIMIT 1;
SELECT DISTINCT 1 AS one FROM people WHERE age > 300 LIMIT 1;
SELECT random() FROM people LIMIT 1;
SELECT 1 AS one FROM people LIMIT 1 FOR UPDATE;
SELECT generate_series(1, 2) FROM people LIMIT 1;
SELECT a FROM generate_series(30, 90, 60) a, LATERAL (SELECT 1 FROM people WHERE age = a LIMIT 1) q;
SELECT dp_count(*) FROM (SELECT 1 FROM people LIMIT 1) q;
SET dp_agg.plain_aggregates = off;
SELECT 1 AS one FROM people LIMIT 1;
RESET dp_agg.plain_aggregates;

-- Constants of no type are texts.
SELECT count('*'), count(NULL), count('id'), count('x'::text), dp_count('x'), dp_count(NULL) FROM people;
SELECT count(DISTINCT 'x'), count(DISTINCT NULL) FROM people;
SELECT n, count(*) FROM (SELECT id, count('x') - count(NULL) AS n FROM people GROUP BY id) s GROUP BY n;

-- No page of rows is empty, which would look like the end of them.
SET dp_agg.raw_reads = empty;
RESET client_min_messages;
SELECT id FROM people LIMIT 10;
SELECT id FROM people OFFSET 10;
SELECT id, count(*) OVER () FROM people;
SELECT * FROM (SELECT id FROM people LIMIT 10) s;
PREPARE page(int) AS SELECT id FROM people LIMIT $1;
EXECUTE page(10);
EXECUTE page(0);
EXECUTE page(NULL);
SELECT id FROM people;
SELECT id FROM people LIMIT ALL OFFSET 0;
SELECT id FROM people LIMIT 0;
SELECT 1 AS one FROM people WHERE age > 30 LIMIT 1;
SELECT 1 AS one FROM people LIMIT 2;
SET dp_agg.raw_reads = empty_pages;
SELECT id FROM people LIMIT 10;
SELECT id, count(*) OVER () FROM people LIMIT 10;
RESET dp_agg.raw_reads;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA idle CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE idle_analyst;
