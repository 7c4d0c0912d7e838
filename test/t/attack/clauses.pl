# Attacks by the shape of a query: clauses that would let rows through beside the
# aggregates, re-read what was answered, or change what was checked.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

my $analyst = <<'SQL';
CREATE TABLE mine (id int PRIMARY KEY, clinic text, n int);
INSERT INTO mine SELECT i, 'clinic ' || i, i FROM generate_series(0, 3) i;
CREATE TABLE yours (id int, note text);
SQL
my $neighbours = new_neighbours('attack_shapes', analyst => "$analyst GRANT SELECT, UPDATE ON mine TO bob;");

$neighbours->attack(<<'ATTACKS');
@ columns beside the aggregate | 1 | 42803 42803
= 0 | 42803 42803 42501 | rows of single units are nothing but rows
SELECT name, dp_count(*) FROM people;
SELECT dp_count(*) FROM people HAVING name < 'x';
SELECT name, dp_count(*) FROM people GROUP BY id;
@ columns that depend on the key | 2 |
= 0 | 42501 42501 | rows of single units are nothing but rows
SELECT id, name, secret, dp_count(*) FROM people GROUP BY id;
SELECT dp_count(*) FROM people GROUP BY id ORDER BY secret;
@ whole rows | 1 | 0A000 0A000
SELECT dp_count(p) FROM people p;
SELECT p, dp_count(*) FROM people p GROUP BY p;
SELECT dp_count(*) FROM people p WHERE p IS NOT NULL;
@ fields of whole rows | 1 | 0A000
SELECT dp_count((p).age) FROM (SELECT people AS p FROM people) s;
SELECT dp_count(*) FROM people p WHERE to_jsonb(p) ->> 'age' = '0';
@ system columns | 0 | 0A000 0A000 0A000 0A000 0A000
SELECT dp_count(ctid) FROM people;
SELECT xmin, dp_count(*) FROM people GROUP BY xmin;
SELECT dp_count(*) FROM people WHERE ctid = '(0,1)';
SELECT tableoid, dp_count(*) FROM parts GROUP BY tableoid;
SELECT dp_count(*) FROM people WHERE cmax::text = '0';
@ sampling | 0 | 0A000 0A000 0A000
SELECT dp_count(*) FROM people TABLESAMPLE SYSTEM (10) REPEATABLE (1);
SELECT dp_count(*) FROM people TABLESAMPLE BERNOULLI (100);
SELECT count(*) FROM people TABLESAMPLE SYSTEM (100);
@ row security | 1 | 42501
SELECT dp_count(*) FROM secured;
SELECT * FROM secured;
@ row security switched off | 0 | 42501 42501
SET row_security = off;
SELECT dp_count(*) FROM secured;
SELECT row_security_active('secured');
SELECT * FROM secured;
@ row locks | 0 | 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM people FOR UPDATE;
SELECT * FROM (SELECT dp_count(*) FROM people) s, mine FOR UPDATE OF mine;
SELECT * FROM mine WHERE n < (SELECT dp_count(*) FROM people) FOR SHARE;
SELECT * FROM mine, (SELECT city, dp_count(*) FROM people GROUP BY city) s FOR NO KEY UPDATE OF mine SKIP LOCKED;
@ row locks by a view | 0 | 0A000
CREATE VIEW locking AS SELECT * FROM mine FOR UPDATE;
SELECT id, (SELECT dp_count(*) FROM people) FROM locking;
DROP VIEW locking;
@ re-execution after a concurrent update | 1 | 0A000
BEGIN;
UPDATE mine SET n = n + 1 WHERE id = 0;
> bob
SET lock_timeout = '100ms';
SELECT id FROM ann.mine WHERE n < (SELECT dp_count(*) FROM clinic.people) FOR UPDATE;
> ann
ROLLBACK;
SELECT dp_count(*) FROM lone;
@ window functions | 0 | 0A000 0A000 42803
= 0 | 42501 42501 42803 | a plain window function shows rows
SELECT dp_count(*) OVER () FROM people;
SELECT dp_sum(age, 0, 100) OVER (PARTITION BY name) FROM people;
SELECT dp_count(row_number() OVER ()) FROM (SELECT id FROM people) s;
@ window functions above and below | 1 | 0A000
SELECT city, row_number() OVER (ORDER BY city), dp_count(*) FROM people GROUP BY city;
SELECT dp_count(*) FROM (SELECT id, row_number() OVER (ORDER BY secret) AS r FROM people) s WHERE r = 1;
@ DISTINCT | 3 |
SELECT DISTINCT dp_count(*) > -1000000 AS one FROM people GROUP BY city;
SELECT dp_count(DISTINCT name) FROM people;
SELECT dp_sum(DISTINCT age, 0, 100) FROM people;
@ windows below, of one unit's rows | 7 |
SELECT dp_count(*) FROM (SELECT *, row_number() OVER (PARTITION BY person ORDER BY day) AS n FROM visits) v WHERE n = 1;
SELECT dp_sum(x, 0, 100) FROM (SELECT sum(minutes) OVER (PARTITION BY person ORDER BY day ROWS 3 PRECEDING) AS x FROM visits) v;
SELECT dp_sum(x, 0, 100) FROM (SELECT sum(cost) OVER (PARTITION BY person) AS x FROM visits) v;
SELECT dp_avg(x, 0, 100) FROM (SELECT avg(score) OVER (PARTITION BY id ORDER BY secret) + 1 / (age - 33) AS x FROM people) v;
SELECT dp_count(*) FROM (SELECT lag(note, 30000) OVER (PARTITION BY id) AS x, lead(code, 2, 'x') OVER (PARTITION BY id) AS y FROM people) v WHERE x IS NULL AND y = 'x';
SELECT dp_count(*) FROM (SELECT count(*) OVER (PARTITION BY person ORDER BY minutes RANGE 2147483647 PRECEDING) AS x FROM visits) v WHERE x > 3;
SELECT dp_count(*) FROM (SELECT DISTINCT ON (person) * FROM visits ORDER BY person, note DESC, cost) v WHERE minutes > 10;
@ windows below, of everybody's rows | 0 | 0A000 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM (SELECT row_number() OVER (ORDER BY secret) AS n FROM people) v WHERE n > 3000;
SELECT dp_count(*) FROM (SELECT age, lag(secret) OVER (PARTITION BY city ORDER BY secret) AS x FROM people) v WHERE x > 0;
SELECT dp_count(*) FROM (SELECT count(*) OVER (PARTITION BY id % 1) AS n FROM people) v WHERE n > 3000;
SELECT dp_count(*) FROM (SELECT row_number() OVER (PARTITION BY id) AS n, count(*) OVER () AS m FROM people) v WHERE m > 3000;
SELECT dp_count(*) FROM (SELECT sum(n) OVER (ORDER BY id) AS m FROM (SELECT id, row_number() OVER (PARTITION BY id) AS n FROM people) v) w WHERE m > 3000;
@ windows below that fail by a row | 0 | 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM (SELECT ntile(age) OVER (PARTITION BY id) AS n FROM people) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT nth_value(age, age) OVER (PARTITION BY id) AS n FROM people) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT count(*) OVER (PARTITION BY person ORDER BY day RANGE '1 month' PRECEDING) AS n FROM visits) v WHERE n = 1;
SELECT dp_count(*) FROM (SELECT count(*) OVER (PARTITION BY person ORDER BY minutes RANGE -1 PRECEDING) AS n FROM visits) v WHERE n = 1;
@ DISTINCT below | 0 | 0A000 0A000
= 1 | 0A000 | what is distinct is released, and counted exactly
SELECT dp_count(*) FROM (SELECT DISTINCT secret FROM people) s;
SELECT dp_count(*) FROM (SELECT DISTINCT ON (city) id FROM people ORDER BY city, secret) s;
@ LIMIT, OFFSET and ORDER BY below | 0 | 0A000 0A000 0A000
SELECT dp_count(*) FROM (SELECT id FROM people ORDER BY secret LIMIT 1) s;
SELECT dp_count(*) FROM (SELECT id FROM people OFFSET 3000) s;
SELECT dp_sum(age, 0, 100) FROM (SELECT age FROM people ORDER BY secret FETCH FIRST 1 ROW WITH TIES) s;
@ grouping sets | 5 |
SELECT city, age, dp_count(*) > -1000000 AS one FROM people GROUP BY GROUPING SETS ((city), (age), ()) ORDER BY 1, 2;
SELECT city, dp_count(*) FROM people GROUP BY ROLLUP (city) ORDER BY city;
SELECT city, age, GROUPING(city, age), dp_count(*) FROM people GROUP BY CUBE (city, age) HAVING dp_count(*) > 200 ORDER BY 1, 2;
SELECT city, GROUPING(city), dp_count(*) FROM people GROUP BY city ORDER BY city;
SELECT 10 / age AS tenth, dp_count(*) FROM people GROUP BY ROLLUP (10 / age) ORDER BY GROUPING(10 / age);
@ plain aggregates beside ours | 1 | 22023 0A000 0A000
SELECT count(*) AS noisy, dp_count(*) FROM people;
SELECT dp_count(*) FROM people HAVING max(secret) > 0;
SELECT city, dp_count(*) FROM people GROUP BY city ORDER BY min(name);
SELECT dp_count(*), string_agg(name, ',') FROM people;
@ plain aggregates in FILTER, WITHIN GROUP and ORDER BY | 2 | 42803
SELECT dp_count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY age) AS maybe FROM people;
SELECT dp_count(*) FILTER (WHERE age = 0) FROM people;
SELECT dp_count(max(age)) FROM people;
@ our aggregates within another | 0 | 42803 42803
SELECT dp_sum(dp_count(*), 0, 1) FROM people;
SELECT max(dp_count(*)) FROM people;
@ joins of units | 3 |
SELECT dp_count(*) FROM people, visits WHERE id = person AND 1 / age > 0;
SELECT dp_count(*) FROM people a JOIN people b USING (id) WHERE a.tag + b.tag > 0;
SELECT clinic, dp_count(*), dp_count(DISTINCT person), dp_avg(minutes / age, 0, 100) FROM visits LEFT JOIN people ON person = id GROUP BY clinic;
@ joins of anything else | 0 | 0A000 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM people, visits;
SELECT dp_count(*) FROM people JOIN visits ON age = minutes;
SELECT dp_count(*) FROM people a, people b WHERE a.city = b.city;
SELECT dp_count(*) FROM people a JOIN visits v ON a.id = v.person OR a.age = v.minutes;
SELECT dp_count(*) FROM people, generate_series(1, 1000);
@ FULL JOIN by units | 5 |
SELECT dp_count(*), dp_count(DISTINCT id) FROM people FULL JOIN lone USING (id);
SELECT dp_count(*) FROM people p FULL JOIN visits v ON v.person = p.id AND 1 / p.age > v.cost;
SELECT count(*) FROM (SELECT coalesce(p.id, v.person) AS u, dp_count(*) FROM people p FULL JOIN visits v ON v.person = p.id GROUP BY 1) s;
SELECT p.age IS NULL AS gone, dp_count(v.minutes / p.age) FROM (SELECT id, age / tag AS age FROM people) p FULL JOIN visits v ON v.person = p.id GROUP BY 1;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS OFF, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) FROM people p FULL JOIN (SELECT person AS id, clinic FROM visits) v USING (id);
@ FULL JOIN of anything else | 0 | 0A000 0A000 0A000 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM people FULL JOIN mine USING (id);
SELECT dp_count(*) FROM people a FULL JOIN people b ON a.tag = b.tag;
SELECT dp_count(*) FROM people p FULL JOIN visits v ON v.person = p.id OR v.minutes = p.age;
SELECT dp_count(*) FROM people p FULL JOIN visits v ON v.person = p.id JOIN visits w ON w.minutes = p.id;
SELECT dp_count(*) FROM people FULL JOIN (SELECT person AS id FROM visits UNION ALL SELECT id FROM mine) v USING (id);
SELECT dp_count(*) FROM people p FULL JOIN (SELECT coalesce(person, 1) AS id FROM visits) v USING (id);
SELECT dp_count(*) FROM people p FULL JOIN (SELECT v.person AS id, m.n FROM visits v JOIN mine m ON m.clinic = v.clinic) v ON v.id = p.id AND v.n < p.age;
@ outer joins | 2 |
SELECT dp_count(*) FROM people NATURAL JOIN lone;
SELECT dp_count(*) FROM mine LEFT JOIN people ON people.id = mine.id;
@ joins that multiply rows | 4 | 54000 0A000
SET dp_agg.max_join_rows = 100;
SELECT dp_count(*) FROM visits a JOIN visits b ON a.person = b.person;
SELECT dp_count(*) FROM people p LEFT JOIN visits v ON v.person = p.id;
SELECT dp_count(*) FROM people, generate_series(1, 100);
SELECT dp_count(*) FROM visits v JOIN mine m ON m.n < v.cost;
SELECT dp_count(*) FROM people, generate_series(1, 101);
SELECT dp_count(*) FROM visits a JOIN visits b ON a.cost = b.cost;
@ joins with public tables | 3 | 0A000
SELECT d.town, dp_count(*) FROM visits v JOIN doctors d ON d.clinic = v.clinic GROUP BY d.town;
SELECT dp_sum(d.beds / minutes, 0, 100) FROM visits v LEFT JOIN doctors d ON d.clinic = v.clinic;
SELECT d.clinic, dp_count(*) FROM doctors d LEFT JOIN visits v ON d.clinic = v.clinic GROUP BY d.clinic;
SELECT dp_count(*) FROM visits v JOIN doctors d ON d.beds > v.minutes;
@ keys that a table of one's own lists, which one person alone has | 5 |
INSERT INTO mine VALUES (2147483647, 'x', 9), (100, NULL, NULL);
SELECT m.id, dp_count(*), dp_sum(p.age, 0, 100) FROM mine m LEFT JOIN people p ON p.tag = m.id GROUP BY m.id;
SELECT m.n, m.clinic, dp_count(DISTINCT v.person) FROM mine m LEFT JOIN visits v ON v.minutes = m.id AND v.cost > 1e50 GROUP BY 1, 2;
SELECT count(*) FROM (SELECT m.id / m.n, dp_count(*) FROM mine m LEFT JOIN people p ON p.tag = m.id AND p.age = 0 GROUP BY 1) s;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS OFF, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT m.id, dp_count(*) FROM mine m LEFT JOIN people p ON p.tag = m.id GROUP BY m.id;
EXPLAIN SELECT m.id, dp_count(*) FROM mine m LEFT JOIN visits v ON v.minutes = m.id GROUP BY m.id;
SELECT m.id, dp_count(*) FROM mine m LEFT JOIN people p ON p.tag = m.id WHERE p.tag = 2147483647 GROUP BY m.id;
DELETE FROM mine WHERE id > 3;
@ joins with a table of one's own whose policy is a function of one's own, called for each of its rows | 1 |
CREATE TABLE keyed (clinic text PRIMARY KEY, n int);
INSERT INTO keyed SELECT 'clinic ' || i, i FROM generate_series(0, 3) i;
CREATE SEQUENCE calls;
CREATE FUNCTION called(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS 'BEGIN PERFORM nextval(''ann.calls''); RETURN true; END';
ALTER TABLE keyed ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY p ON keyed USING (called(clinic));
SELECT dp_count(*) FROM visits v JOIN keyed k ON k.clinic = v.clinic;
SELECT last_value AS calls FROM calls;
~ calls\|4
DROP TABLE keyed;
DROP FUNCTION called(text);
DROP SEQUENCE calls;
@ joins with a view of one's own over functions of one's own, which see the public table alone | 1 |
SET dp_agg.max_join_rows = 100;
CREATE FUNCTION called(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN $1; END';
CREATE VIEW seen AS SELECT called(clinic) AS clinic, beds FROM doctors;
SELECT dp_count(*) FROM visits v JOIN seen k ON k.clinic = v.clinic;
DROP VIEW seen;
DROP FUNCTION called(text);
@ joins with keys that are unique only at commit | 0 | 0A000
CREATE TABLE keyed (clinic text UNIQUE DEFERRABLE INITIALLY DEFERRED, n int);
BEGIN;
INSERT INTO keyed SELECT 'clinic 1', i FROM generate_series(0, 300) i;
SELECT dp_count(*) FROM visits v JOIN keyed k ON k.clinic = v.clinic;
ROLLBACK;
DROP TABLE keyed;
@ joins with keys that are unique in part, or by an expression | 0 | 0A000 0A000
CREATE TABLE keyed (clinic text, n int);
CREATE UNIQUE INDEX ON keyed (clinic) WHERE n > 0;
CREATE UNIQUE INDEX ON keyed (lower(clinic));
SELECT dp_count(*) FROM visits v JOIN keyed k ON k.clinic = v.clinic;
SELECT dp_count(*) FROM visits v JOIN keyed k ON k.clinic = lower(v.clinic);
DROP TABLE keyed;
@ joins with keys that could not be made unique | 0 | 23505 0A000
CREATE TABLE keyed (clinic text, n int);
INSERT INTO keyed SELECT 'clinic 1', i FROM generate_series(0, 300) i;
CREATE UNIQUE INDEX CONCURRENTLY bad ON keyed (clinic);
SELECT dp_count(*) FROM visits v JOIN keyed k ON k.clinic = v.clinic;
DROP TABLE keyed;
@ joins with keys that are unique but were not when the snapshot was taken: an error tells if rows are multiplied | * |
CREATE TABLE keyed (city text, n int);
INSERT INTO keyed SELECT 'Aachen', i FROM generate_series(0, 300) i;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM doctors;
> ann2
DELETE FROM keyed WHERE n > 0;
CREATE UNIQUE INDEX ON keyed (city);
> ann
SELECT count(*) FROM keyed;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SET enable_indexonlyscan = off;
SELECT 1 / (dp_count(*) < 2000)::int AS right FROM people p JOIN keyed k ON k.city = p.city;
COMMIT;
DROP TABLE keyed;
@ joins with parents of unique children | 0 | 0A000
CREATE TABLE keyed (clinic text PRIMARY KEY, n int);
CREATE TABLE heir () INHERITS (keyed);
INSERT INTO heir SELECT 'clinic 1', i FROM generate_series(0, 300) i;
SELECT dp_count(*) FROM visits v JOIN keyed k ON k.clinic = v.clinic;
DROP TABLE keyed CASCADE;
@ joins with keys under another collation or operator | 0 | 0A000 0A000
CREATE COLLATION odd (provider = icu, locale = 'und', deterministic = false);
CREATE TABLE keyed (clinic text COLLATE odd PRIMARY KEY, n int);
SELECT dp_count(*) FROM visits v JOIN keyed k ON k.clinic = v.clinic;
SELECT dp_count(*) FROM visits v JOIN keyed k ON v.clinic LIKE 'c%' AND k.n = 1;
DROP TABLE keyed;
DROP COLLATION odd;
@ joins with null keys that are distinct | 0 | 0A000
CREATE TABLE keyed (clinic text UNIQUE, n int);
INSERT INTO keyed SELECT NULL, i FROM generate_series(0, 300) i;
SELECT dp_count(*) FROM visits v JOIN keyed k ON k.clinic IS NOT DISTINCT FROM v.clinic;
DROP TABLE keyed;
@ joins with tables that one may not read | 0 | 42501
> admin
CREATE TABLE clinic.hidden (clinic text PRIMARY KEY, n int);
> ann
SELECT dp_count(*) FROM visits v JOIN clinic.hidden k ON k.clinic = v.clinic;
> admin
DROP TABLE clinic.hidden;
@ joins explained, and the parameters above them | 0 |
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '1MB';
SET enable_hashjoin = off;
EXPLAIN (VERBOSE) SELECT (SELECT dp_count(*) FROM people JOIN visits ON id = person), (SELECT dp_count(*) FROM visits v JOIN doctors d ON d.clinic = v.clinic), (SELECT 1 FROM doctors LIMIT 1);
SET enable_mergejoin = off;
EXPLAIN SELECT (SELECT dp_count(*) FROM people JOIN visits ON id = person WHERE age = 0), (SELECT dp_count(*) FROM lone), (SELECT 1 FROM doctors LIMIT 1);
@ LATERAL and outer references | 0 | 0A000 0A000 0A000
SELECT d.clinic, s.* FROM doctors d, LATERAL (SELECT dp_count(*) FROM visits v WHERE v.clinic = d.clinic) s;
SELECT d.clinic, (SELECT dp_count(*) FROM visits v WHERE v.clinic = d.clinic) FROM doctors d;
SELECT d.clinic, (SELECT dp_sum(minutes, 0, d.beds) FROM visits v) FROM doctors d;
@ LATERAL above: one answer, however often it is read | 1 |
SELECT count(DISTINCT noisy) AS draws FROM doctors d, LATERAL (SELECT dp_count(*) AS noisy FROM visits OFFSET d.beds * 0) s;
@ an outer query's aggregate | 0 | 0A000
SELECT (SELECT dp_count(p.age) FROM doctors LIMIT 1) FROM people p;
@ subqueries in conditions, keys and arguments | 4 |
SELECT dp_count(*) FROM people WHERE city IN (SELECT town FROM doctors);
SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.id);
SELECT (SELECT town FROM doctors WHERE clinic = p.city), dp_count(*) FROM people p GROUP BY 1;
SELECT dp_sum((SELECT 1), 0, 1) FROM people;
@ subqueries above: existence of one row | 0 | 42501 42501
SELECT dp_count(*), (SELECT name FROM people LIMIT 1) FROM people;
SELECT dp_count(*) FROM lone HAVING EXISTS (SELECT FROM people WHERE age = 0);
@ set operations | 2 | 42501
SELECT city, dp_count(*) FROM people GROUP BY city UNION ALL SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SELECT 'x' AS k, dp_count(*) * 0 AS n FROM lone INTERSECT SELECT 'x', 0;
SELECT dp_count(*) FROM people EXCEPT ALL SELECT secret FROM people;
@ set operations below, each part with its unit | 6 |
SELECT dp_count(*) FROM (SELECT id FROM people UNION ALL SELECT id FROM people) s;
SELECT dp_count(*) FROM (SELECT person, day FROM visits UNION SELECT person, day FROM parts UNION ALL SELECT id, born FROM people) s;
SELECT dp_sum(x, 0, 100) FROM (SELECT person, minutes / (cost - 20) AS x FROM visits UNION ALL SELECT id, score FROM people) s;
SELECT dp_count(*) FROM (SELECT person, cost FROM visits INTERSECT SELECT person, cost FROM parts) s;
SELECT dp_count(*) FROM (SELECT id, code FROM people EXCEPT SELECT id, city FROM lone) s;
SELECT dp_count(*) FROM (SELECT person, lag(x) OVER (PARTITION BY person ORDER BY x) AS before FROM (SELECT person, day AS x FROM visits UNION ALL SELECT id, born FROM people) u) s WHERE before IS NULL;
@ units kept beside rows that do not show them | 2 |
SELECT dp_count(*) FROM (SELECT id, 1 AS x FROM people UNION ALL SELECT 1, id FROM lone) s;
SELECT dp_count(*) FROM (SELECT id FROM people UNION ALL SELECT id % 10 FROM lone) s;
@ set operations below that mix units | 0 | 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM (SELECT id FROM people EXCEPT SELECT id FROM mine) s;
SELECT dp_count(*) FROM (SELECT city FROM people EXCEPT SELECT city FROM lone) s;
SELECT dp_count(*) FROM (SELECT id, 1 AS x FROM people UNION SELECT 1, id FROM lone) s;
SELECT dp_count(*) FROM (SELECT id FROM people EXCEPT ALL SELECT minutes FROM visits) s;
@ CTEs | 2 |
WITH a AS (SELECT city, dp_count(*) AS noisy FROM people GROUP BY city) SELECT x.city, x.noisy = y.noisy AS same FROM a x JOIN a y USING (city);
WITH a AS MATERIALIZED (SELECT dp_count(*) AS noisy FROM visits) SELECT x.noisy = y.noisy AS same FROM a x, a y;
@ CTEs that are not read | 0 |
WITH a AS (SELECT city, dp_count(*) AS noisy FROM people GROUP BY city) SELECT 1;
@ recursive CTEs | 1 |
WITH RECURSIVE r AS (SELECT 1 AS i, 0::bigint AS noisy UNION ALL SELECT i + 1, s.noisy FROM r, (SELECT dp_count(*) AS noisy FROM visits) s WHERE i < 5)
	SELECT count(*), count(DISTINCT noisy) FROM r;
@ rows by CTEs | 1 | 42501
WITH a AS (SELECT * FROM people) SELECT dp_count(*) FROM a GROUP BY name;
WITH a AS MATERIALIZED (SELECT * FROM people) SELECT name FROM a;
@ what is never read is not paid, and what is paid is read once | 2 |
SELECT 1 FROM (SELECT dp_count(*) FROM visits) s WHERE false;
SELECT dp_count(*) FROM visits LIMIT 0;
SELECT CASE WHEN true THEN 1 ELSE (SELECT dp_count(*) FROM visits) END;
SELECT d.clinic, (SELECT dp_count(*) FROM visits) IS NOT NULL AS answered FROM doctors d ORDER BY 1;
SELECT count(*) FROM doctors d WHERE d.beds < (SELECT dp_count(*) FROM visits);
@ re-reading by nested loops | 1 |
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT count(*), count(DISTINCT (s.clinic, s.noisy)) AS draws FROM doctors d, (SELECT clinic, dp_count(*) AS noisy FROM visits GROUP BY clinic) s WHERE d.clinic <> s.clinic;
@ subqueries that only rename | 1 |
SELECT dp_count(*) FROM (SELECT k AS l FROM (SELECT 1 / age AS k FROM people WHERE age < 90) a WHERE k < 5) b WHERE l IS NULL;
@ subqueries that do more | 0 | 0A000 0A000 0A000
= 0 | 22023 0A000 0A000 | the first subquery is a block
SELECT dp_count(*) FROM (SELECT city, max(secret) AS m FROM people GROUP BY city) s WHERE m > 5;
SELECT dp_count(*) FROM (SELECT random() AS r FROM people) s WHERE r < 5;
SELECT dp_count(*) FROM (SELECT unnest(ARRAY[1, 2]) FROM people) s;
@ subqueries that group by the unit: sums that overflow | 4 |
SELECT dp_avg(m, 0, 100) FROM (SELECT person, sum(minutes) AS m FROM visits GROUP BY person) s;
SELECT dp_avg(m, 0, 100) FROM (SELECT person, sum(cost * cost) * 1e300 AS m FROM visits GROUP BY person) s;
SELECT dp_avg(m, 0, 100) FROM (SELECT id, sum(score * 10) AS m FROM people GROUP BY id) s;
SELECT dp_avg(m, 0, 100) FROM (SELECT person, avg(minutes::float4 * 1e30::float4) AS m FROM visits GROUP BY person) s;
@ subqueries that group by the unit: failing after they have grouped | 3 |
SELECT dp_avg(m, 0, 100) FROM (SELECT person, sum(minutes) / count(*) FILTER (WHERE minutes < 100) AS m FROM visits GROUP BY person) s;
SELECT dp_count(*) FROM (SELECT id FROM people GROUP BY id HAVING 1 / min(age) >= 0) s;
SELECT dp_count(*) FROM (SELECT person, sum(minutes) AS m FROM visits GROUP BY person) s WHERE m::int + 1 > 0;
@ subqueries that group by the unit: values of one person as keys | 3 |
SELECT top, dp_count(*) FROM (SELECT person, max(note) AS top FROM visits GROUP BY person) s GROUP BY top;
SELECT k, dp_count(*) FROM (SELECT person, count(DISTINCT clinic) AS k FROM visits GROUP BY person) s GROUP BY k;
SELECT k, dp_count(DISTINCT person) FROM (SELECT person, clinic AS k, bool_or(1 / (minutes - 10) > 0) AS b FROM visits GROUP BY person, clinic) s GROUP BY k;
@ subqueries that group by the unit: what they may not hold | 0 | 0A000 0A000 0A000 0A000 0A000
= 1 | 0A000 0A000 0A000 0A000 | the last subquery is a block
SELECT dp_count(*) FROM (SELECT person, string_agg(note, ',') AS m FROM visits GROUP BY person) s WHERE m < 'x';
SELECT dp_count(*) FROM (SELECT person, array_agg(note) AS m FROM visits GROUP BY person) s;
SELECT dp_count(*) FROM (SELECT person FROM visits GROUP BY person ORDER BY max(note) LIMIT 1) s;
SELECT dp_count(*) FROM (SELECT person, max(note) OVER () AS m FROM visits GROUP BY person, note) s;
SELECT dp_count(*) FROM (SELECT clinic, count(*) AS m FROM visits GROUP BY clinic) s WHERE m > 1000;
@ subqueries that group by the unit, explained and priced | 1 |
EXPLAIN (VERBOSE) SELECT k, dp_count(*), dp_avg(m, 0, 100) FROM (SELECT person, clinic AS k, sum(minutes) AS m FROM visits WHERE 1000 / minutes > 5 GROUP BY person, clinic) s GROUP BY k;
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT dp_avg(m, 0, 100) FROM (SELECT person, sum(minutes) AS m FROM visits GROUP BY person) s;
SELECT * FROM dp_agg.price('SELECT dp_avg(m, 0, 100) FROM (SELECT person, sum(minutes) AS m FROM visits GROUP BY person) s');
@ several subqueries and their parameters | 0 |
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '1MB';
EXPLAIN SELECT (SELECT dp_avg(m, 0, 100) FROM (SELECT person, sum(minutes) AS m FROM visits GROUP BY person) s), (SELECT dp_count(*) FROM grown), (SELECT 1 FROM doctors LIMIT 1);
@ a block over a block | 0 | 0A000
SELECT dp_sum(c, 0, 1) FROM (SELECT dp_count(*) AS c FROM people GROUP BY city) s;
@ tables that are not protected | 0 | 42501 42501 42501 42501
= 0 | 42501 42501 | a plain aggregate of what she may read is one
SELECT dp_count(*) FROM mine;
SELECT dp_count(*) FROM pg_class;
SELECT dp_count(*) FROM pg_statistic;
SELECT dp_count(*) FROM dp_agg.budget;
@ no table at all | 0 | 0A000 0A000 0A000
= 0 | | a plain aggregate of what she may read is one
SELECT dp_count(*);
SELECT dp_count(*) FROM generate_series(1, 5);
SELECT dp_count(*) FROM (VALUES (1)) v;
@ dp_histogram where it does not belong | 0 | 0A000 0A000 0A000 0A000
SELECT dp_histogram('people', 'age', 0, 100, 5);
SELECT * FROM mine, LATERAL dp_histogram('people', 'age', 0, mine.n, 5);
SELECT * FROM ROWS FROM (dp_histogram('people', 'age', 0, 100, 5), generate_series(1, 5)) r;
SELECT * FROM dp_histogram((SELECT 'people'::regclass), 'age', 0, 100, 5);
@ dp_histogram's arguments | 0 | 42501 42703 42P01 22023 22023
SELECT * FROM dp_histogram('mine', 'n', 0, 100, 5);
SELECT * FROM dp_histogram('people', 'nothing', 0, 100, 5);
SELECT * FROM dp_histogram('nothing', 'n', 0, 100, 5);
SELECT * FROM dp_histogram('people', 'age', 0, 100, 0);
SELECT * FROM dp_histogram('people', 'age', 100, 0, 5);
@ dp_histogram's filter | 1 | 0A000 0A000 42601 22023
SELECT bin FROM dp_histogram('people', 'age', 0, 100, 2, 5, '1 / age > 0 OR name LIKE ''%x''');
SELECT bin FROM dp_histogram('people', 'age', 0, 100, 2, 5, 'age > (SELECT max(secret) FROM people)');
SELECT bin FROM dp_histogram('people', 'age', 0, 100, 2, 5, 'random() < 1');
SELECT bin FROM dp_histogram('people', 'age', 0, 100, 2, 5, 'true) OR (true');
SELECT bin FROM dp_histogram('people', 'age', 0, 100, 2, 5, 'true GROUP BY name');
@ many bins | 1 |
SELECT count(*), sum(count) IS NOT NULL AS answered FROM dp_histogram('lone', 'secret', 7e9, 8e9, 20000);
@ many blocks | 1 |
SELECT count(*) FROM (SELECT dp_count(*) FROM lone UNION ALL SELECT dp_count(*) FROM lone UNION ALL SELECT dp_count(*) FROM people UNION ALL SELECT dp_count(*) FROM visits) s;
@ the end of the stack: how deep a question can still be asked | * |
CREATE FUNCTION deep(n int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	RETURN deep(n + 1);
EXCEPTION WHEN statement_too_complex THEN
	PERFORM dp_count(*) FROM clinic.people WHERE note LIKE '%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c%c' AND 1 / age > 0;
	RETURN n;
END $$;
SET client_min_messages = log;
SELECT deep(1);
DROP FUNCTION deep(int);
@ parameters of all kinds | 3 |
PREPARE a(int, text) AS SELECT dp_count(*) FROM people WHERE age > $1 AND city = $2;
EXECUTE a(5, 'Aachen');
EXECUTE a(NULL, NULL);
PREPARE b(float8) AS SELECT dp_sum(age, 0, $1) FROM people;
EXECUTE b(100);
@ parameters that make no sense | 0 | 22023 22023
PREPARE b(float8) AS SELECT dp_sum(score, 0, $1) FROM people;
EXECUTE b('NaN');
EXECUTE b(NULL);
@ two data sets in one statement | 0 | 0A000
> admin
SET ROLE olga;
SELECT dp_agg.protect('clinic.lone', 'id', 'other');
RESET ROLE;
> ann
SELECT dp_count(*), (SELECT dp_count(*) FROM lone) FROM people;
> admin
SET ROLE olga;
SELECT dp_agg.protect('clinic.lone', 'id');
RESET ROLE;
ATTACKS

$neighbours->finish;
