-- What an analyst asks beside each neighbour: an answer of a large epsilon is word for word what it is without
-- the neighbour, and at a small one nothing but noise differs between databases that are one person apart.
--
-- Released values are in columns whose names begin with "noisy".  A line "\echo @ plan" says that what follows is
-- compared between the databases alone: the plan of another table may be the neighbour's.
\set VERBOSITY verbose
\set SHOW_CONTEXT always
\pset expanded on
\pset null (null)
SET dp_agg.epsilon = :epsilon;
SET dp_agg.max_rows = 4;
SET dp_agg.max_groups = 2;
SET dp_agg.max_join_rows = 4;
SET client_min_messages = :messages;

\echo @ counts, sums and means, in both forms
SELECT count(*) AS noisy FROM people;
SELECT dp_count(*) AS noisy FROM people;
SELECT dp_sum(age, 0, 100) AS noisy FROM people WHERE smoker;
SELECT sum(age) AS noisy, count(*) AS noisy_count FROM people WHERE age >= 30;
SELECT round(avg(age), 2) AS noisy FROM people;
SELECT clinic, count(*) AS noisy FROM visits GROUP BY clinic ORDER BY clinic;
SELECT clinic, dp_sum(minutes, 0, 100) AS noisy FROM visits GROUP BY clinic ORDER BY clinic;
SELECT smoker, count(*) AS noisy, sum(age) AS noisy_sum FROM people GROUP BY smoker ORDER BY smoker;
SELECT count(*) FILTER (WHERE smoker) AS noisy, count(*) FILTER (WHERE age > 40) AS noisy_other FROM people;
SELECT count(DISTINCT person) AS noisy FROM visits;
SELECT count(*) AS noisy FROM visits WHERE note LIKE 'v%' AND minutes BETWEEN 10 AND 40;
SELECT count(*) + 1 AS noisy, count(*) * 2 AS noisy_double FROM people WHERE city = 'Celle';

\echo @ joins
SELECT count(*) AS noisy FROM people p JOIN visits v ON v.person = p.id;
SELECT count(*) AS noisy FROM people p JOIN visits v ON v.person = p.id WHERE p.smoker AND v.minutes > 20;
SELECT count(*) AS noisy FROM visits v JOIN doctors d ON d.clinic = v.clinic WHERE d.beds > 10;
SELECT d.town, count(*) AS noisy FROM visits v JOIN doctors d USING (clinic) GROUP BY d.town ORDER BY d.town;
SELECT count(*) AS noisy FROM people p LEFT JOIN visits v ON v.person = p.id;
SELECT count(*) AS noisy FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.id AND v.minutes > 30);
SELECT count(*) AS noisy FROM people WHERE age IN (SELECT beds FROM doctors);
SELECT count(*) AS noisy FROM parts WHERE day >= '2020-06-01';

\echo @ subqueries, windows, sets
SELECT count(*) AS noisy FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) v WHERE n > 2;
SELECT round(avg(n), 1) AS noisy FROM (SELECT person, least(count(*), 4) AS n FROM visits GROUP BY person) v WHERE n >= 1;
SELECT count(*) AS noisy FROM (SELECT id, row_number() OVER (PARTITION BY id ORDER BY age) AS n FROM people) p WHERE n = 1;
SELECT count(*) AS noisy FROM (SELECT DISTINCT ON (person) person, minutes FROM visits ORDER BY person, minutes) v WHERE minutes > 20;
SELECT count(*) AS noisy FROM (SELECT id FROM people WHERE age < 40 UNION SELECT person FROM visits) q;
SELECT count(*) AS noisy FROM (SELECT id FROM people EXCEPT SELECT person FROM visits) q;
WITH grown AS (SELECT id, age FROM people WHERE age >= 18) SELECT count(*) AS noisy FROM grown WHERE age < 60;
SELECT (SELECT count(*) FROM people WHERE smoker) AS noisy, (SELECT max(beds) FROM doctors) AS beds;
SELECT clinic, count(*) AS noisy, rank() OVER (ORDER BY clinic) AS place FROM visits GROUP BY clinic ORDER BY clinic;
SELECT clinic, smoker, count(*) AS noisy FROM people JOIN visits ON person = id GROUP BY ROLLUP (clinic, smoker) ORDER BY 1, 2;
SELECT count(*) AS noisy FROM people UNION ALL SELECT count(*) FROM visits;
SELECT count(*) AS noisy FROM people WHERE age > (SELECT min(beds) FROM doctors);
SELECT count(*) AS noisy FROM people WHERE (id, age) IN (SELECT i, i % 60 + 20 FROM generate_series(1, 500) i);

\echo @ order statistics, models, histograms
SELECT dp_median(age, 0, 100) IS NULL AS noisy FROM people;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) IS NULL AS noisy FROM people;
SELECT count(*) AS terms FROM dp_linregr('people', 'age', 0, 100, '{"smoker": true}');
SELECT aggregate, epsilon FROM dp_agg.price('SELECT clinic, count(*) FROM visits GROUP BY clinic');

\echo @ prepared, PL/pgSQL, DO
PREPARE of_age(int) AS SELECT count(*) AS noisy FROM people WHERE age > $1;
EXECUTE of_age(30);
SET plan_cache_mode = force_generic_plan;
EXECUTE of_age(50);
RESET plan_cache_mode;
DEALLOCATE of_age;
SELECT asks() AS noisy;
SELECT asks_of(40) AS noisy;
SELECT sql_asks() AS noisy;
SELECT * FROM asks_rows() AS noisy_rows (noisy);
DO 'BEGIN PERFORM count(*) FROM people WHERE age > 20; END';
DO 'DECLARE n bigint; r record; BEGIN SELECT count(*) INTO n FROM people; FOR r IN SELECT clinic, count(*) FROM visits GROUP BY clinic LOOP n := n + 1; END LOOP; END';
DO 'DECLARE n bigint; BEGIN EXECUTE ''SELECT count(*) FROM people WHERE age > $1'' INTO n USING 30; END';
DO 'BEGIN PERFORM count(*) FROM people; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN PERFORM dp_count(*) FROM visits; END';

\echo @ cursors of every kind
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) AS noisy FROM people;
FETCH c;
COMMIT;
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT count(*) AS noisy FROM people WHERE age > 50;
COMMIT;
FETCH c;
CLOSE c;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT clinic, count(*) AS noisy FROM visits GROUP BY clinic ORDER BY clinic;
FETCH LAST c;
FETCH FIRST c;
MOVE ABSOLUTE 2 c;
FETCH BACKWARD c;
COMMIT;
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT clinic, count(*) AS noisy FROM visits GROUP BY clinic ORDER BY clinic;
DECLARE d CURSOR WITH HOLD FOR SELECT count(*) AS noisy FROM people;
SAVEPOINT s;
DECLARE e CURSOR WITH HOLD FOR SELECT count(*) AS noisy FROM visits;
FETCH e;
ROLLBACK TO s;
COMMIT;
FETCH ALL c;
FETCH ALL d;
CLOSE ALL;
SELECT by_cursor() AS noisy;
BEGIN;
SELECT opens('c');
FETCH ALL c;
COMMIT;
DO 'DECLARE c CURSOR FOR SELECT count(*) FROM people; n bigint; BEGIN OPEN c; FETCH c INTO n; CLOSE c; END';
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) AS noisy FROM people;
FETCH c;
SELECT 1 / 0;
ROLLBACK;

\echo @ views, made of questions and asked
SELECT count(*) AS noisy FROM grown WHERE age < 50;
CREATE VIEW counted AS SELECT count(*) AS noisy FROM people;
SELECT noisy FROM counted;
DROP VIEW counted;
CREATE MATERIALIZED VIEW kept_view AS SELECT clinic, count(*) AS noisy FROM visits GROUP BY clinic;
SELECT clinic, noisy FROM kept_view ORDER BY clinic;
REFRESH MATERIALIZED VIEW kept_view;
DROP MATERIALIZED VIEW kept_view;
CREATE TEMP TABLE answers AS SELECT clinic, count(*) AS noisy FROM visits GROUP BY clinic;
INSERT INTO answers SELECT clinic, dp_count(*) FROM visits GROUP BY clinic RETURNING clinic, noisy;
DROP TABLE answers;
COPY (SELECT clinic, count(*) > -1000 FROM visits GROUP BY clinic ORDER BY clinic) TO STDOUT;

\echo @ kept answers
SET dp_agg.kept_max_age = '1 hour';
SELECT clinic, count(*) AS noisy FROM visits WHERE minutes > 10 GROUP BY clinic ORDER BY clinic;
SELECT clinic, count(*) AS noisy FROM visits WHERE minutes > 10 GROUP BY clinic ORDER BY clinic;
SELECT sum(noisy) > -1000 AS enough FROM (SELECT clinic, count(*) AS noisy FROM visits WHERE minutes > 10 GROUP BY clinic) q;
RESET dp_agg.kept_max_age;

\echo @ parallel
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*) AS noisy FROM visits WHERE minutes > 5;
SELECT count(*) AS noisy, (SELECT sum(g) FROM big) AS total FROM people;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

\echo @ refused and denied
SELECT * FROM people;
SELECT id FROM people LIMIT 1;
SELECT count(*) OVER () FROM people;
SELECT count(*) FROM people WHERE random() < 0.5;
SELECT max(note) FROM people;
SELECT count(*) FROM people GROUP BY note;
INSERT INTO people (id) VALUES (1);
UPDATE people SET age = 1;
COPY people TO STDOUT;
TABLE visits;
EXPLAIN SELECT * FROM people;
ANALYZE people;
CREATE INDEX ON people (age);
CREATE STATISTICS stolen ON age, smoker FROM people;
SELECT pg_get_viewdef('grown'::regclass) IS NULL AS shown;

\echo @ plan
EXPLAIN (COSTS OFF) SELECT count(*) FROM people;
EXPLAIN SELECT clinic, count(*) FROM visits GROUP BY clinic;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) SELECT clinic, count(*) AS noisy FROM visits GROUP BY clinic;
EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT count(*) FROM people p JOIN visits v ON v.person = p.id;
EXPLAIN (VERBOSE, FORMAT JSON) SELECT count(*) FROM people WHERE age > 30;
EXPLAIN EXECUTE nothing;
SELECT count(*) AS noisy_statements FROM pg_stat_activity WHERE query LIKE '%people%' AND pid = pg_backend_pid();
\echo @ end
