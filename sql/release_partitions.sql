--
-- release_partitions: a partitioned table answers like the whole it is, in
-- serial and parallel plans of every shape, under both mechanisms
--
CREATE EXTENSION dp_agg;
CREATE ROLE partitions_analyst;
CREATE SCHEMA partitions AUTHORIZATION partitions_analyst;
SET search_path = partitions, public;
-- a unit's row in one partition
CREATE TABLE people (id int PRIMARY KEY, city text, age int, weight float8) PARTITION BY HASH (id);
CREATE TABLE people_0 PARTITION OF people FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE people_1 PARTITION OF people FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE people_2 PARTITION OF people FOR VALUES WITH (MODULUS 3, REMAINDER 2);
-- a unit's rows in many, two levels deep, columns in another order
CREATE TABLE visits (person int, city text, age int, weight float8, year int) PARTITION BY LIST (year);
CREATE TABLE visits_2020 PARTITION OF visits FOR VALUES IN (2020);
CREATE TABLE visits_2021 (weight float8, dropped int, year int, age int, city text, person int);
ALTER TABLE visits_2021 DROP dropped;
ALTER TABLE visits ATTACH PARTITION visits_2021 FOR VALUES IN (2021);
CREATE TABLE visits_late PARTITION OF visits DEFAULT PARTITION BY HASH (person);
CREATE TABLE visits_late_0 PARTITION OF visits_late FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE visits_late_1 PARTITION OF visits_late FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX ON people (age);
CREATE INDEX ON visits (age);
INSERT INTO people SELECT i, 'city ' || i % 4, i % 100, i % 100 FROM generate_series(1, 10000) i;
-- five thousand people, with six rows each in three cities of the four
INSERT INTO visits SELECT p, 'city ' || (p + y) % 4, p % 100, p % 100, 2020 + y
	FROM generate_series(1, 5000) p, generate_series(0, 2) y, generate_series(1, 2) r;
ANALYZE people, visits;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 2, 3);
SELECT dp_agg.set_budget('partitions_analyst', 1e9, 1e-3);
SET ROLE partitions_analyst;
-- What was released, against the truth.  At epsilon 20 Laplace noise is more
-- than 20 times its scale with a probability of 4e-18 for each of the numbers,
-- Gaussian noise at epsilon 20 and delta 1e-9 stays within the same bounds but
-- for one below 1e-18.
SET dp_agg.epsilon = 20;
CREATE VIEW answers AS
SELECT 1 AS n, 'people' AS what, abs(c - 10000) <= 20 AND abs(s - 495000) <= 2000 AND abs(a - 49.5) <= 1 AS ok
	FROM (SELECT dp_count(*) AS c, dp_sum(age, 0, 100) AS s, dp_avg(weight, 0, 100) AS a FROM people) s
UNION ALL SELECT 2, 'units', abs(c - 10000) <= 20 FROM (SELECT dp_count(DISTINCT id) AS c FROM people) s
UNION ALL SELECT 3, 'some', abs(c - 5000) <= 20 AND abs(a - 74.5) <= 1
	FROM (SELECT dp_count(age) AS c, dp_avg(age, 0, 100) AS a FROM people WHERE age >= 50) s
UNION ALL SELECT 4, 'few', abs(c - 100) <= 20 FROM (SELECT dp_count(*) AS c FROM people WHERE age = 7) s
UNION ALL SELECT 5, 'one', abs(c - 1) <= 20 FROM (SELECT dp_count(*) AS c FROM people WHERE id = 7) s
UNION ALL SELECT 6, 'cities', count(*) = 4 AND bool_and(abs(c - 2500) <= 20 AND abs(s - 123750) <= 6000 AND a BETWEEN 46 AND 53)
	FROM (SELECT city, dp_count(*) AS c, dp_sum(age, 0, 100) AS s, dp_avg(weight, 0, 100) AS a FROM people GROUP BY city) s
UNION ALL SELECT 7, 'visits', abs(c - 10000) <= 100 AND abs(u - 5000) <= 20 AND abs(s - 455800) <= 2000 AND abs(a - 49.5) <= 1
	FROM (SELECT dp_count(*) AS c, dp_count(DISTINCT person) AS u, dp_sum(age, 0, 100) AS s, dp_avg(weight, 0, 100) AS a FROM visits) s
UNION ALL SELECT 8, 'year', abs(c - 10000) <= 100 AND abs(u - 5000) <= 20
	FROM (SELECT dp_count(*) AS c, dp_count(DISTINCT person) AS u FROM visits WHERE year = 2021) s
UNION ALL SELECT 9, 'no year', abs(c) <= 100 FROM (SELECT dp_count(*) AS c FROM visits WHERE year = 2020 AND year > 2020) s
UNION ALL SELECT 10, 'visited', count(*) = 4 AND bool_and(abs(c - 7500) <= 400 AND abs(u - 3750) <= 200)
	FROM (SELECT city, dp_count(*) AS c, dp_count(DISTINCT person) AS u FROM visits GROUP BY city) s
UNION ALL SELECT 11, 'bins', count(*) = 10 AND bool_and(abs(count - 1000) <= 20) FROM dp_histogram('people', 'age', 0, 100, 10)
UNION ALL SELECT 12, 'bins of visits', count(*) = 10 AND bool_and(abs(count - 1000) <= 400) FROM dp_histogram('visits', 'age', 0, 100, 10);
-- The truth of visits in words: six rows of a person count as two, and a
-- person's total of ages is 100 at most, on average 91.16.
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
SELECT statements FROM dp_agg.budgets;
SET jit = off;
SET enable_partitionwise_aggregate = on;
SET enable_partitionwise_join = on;
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
SET enable_hashagg = off;
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
SET enable_seqscan = off;
SET work_mem = '64kB';
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
SET enable_sort = off;
SET enable_indexscan = off;
SET enable_hashagg = on;
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
RESET enable_seqscan;
RESET enable_sort;
RESET enable_indexscan;
-- in parallel, partition by partition or not
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
SET enable_partitionwise_aggregate = off;
SET work_mem = '4MB';
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
SET parallel_leader_participation = off;
SET enable_hashagg = off;
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
SELECT count(set_config(name, 'on', false)) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
SELECT count(set_config(name, 'off', false)) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SET dp_agg.mechanism = gaussian;
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
RESET enable_hashagg;
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
SET max_parallel_workers_per_gather = 0;
SELECT what FROM answers WHERE ok IS NOT TRUE ORDER BY n;
SELECT count(*) FROM answers;
RESET dp_agg.mechanism;

-- partitions come and go: plans made before notice
RESET ROLE;
CREATE TABLE visits_2023 PARTITION OF visits FOR VALUES IN (2023);
INSERT INTO visits SELECT p, 'city 9', 5, 5, 2023 FROM generate_series(10001, 11000) p;
SET ROLE partitions_analyst;
PREPARE units AS SELECT round(dp_count(DISTINCT person), -3) AS units FROM visits;
EXECUTE units;
RESET ROLE;
ALTER TABLE visits DETACH PARTITION visits_2023;
SET ROLE partitions_analyst;
EXECUTE units;
SELECT dp_count(*) FROM visits_2023;
\echo :SQLSTATE

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA partitions CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE partitions_analyst;
