--
-- public_reads: what reads no protected row, read by the asking role before the charge
--
CREATE EXTENSION dp_agg;
CREATE ROLE reads_owner;
CREATE ROLE reads_analyst;
CREATE SCHEMA reads;
GRANT ALL ON SCHEMA reads TO reads_owner, reads_analyst;
SET search_path = reads, public;
GRANT EXECUTE ON FUNCTION dp_agg.protect(regclass, name, text, int, int) TO reads_owner;
SELECT dp_agg.set_budget('reads_analyst', 1e12, 1e-3);
SET ROLE reads_owner;
-- patient i has i % 4 visits, to clinics 1, 2 and 3 of 5, on three days of January
CREATE TABLE patients (id bigint PRIMARY KEY, sex text, region int);
CREATE TABLE visits (visit int PRIMARY KEY, patient int, clinic int, cost int, day date, note text);
CREATE TABLE clinics (id int PRIMARY KEY, name text UNIQUE, town text, open bool NOT NULL);
CREATE TABLE rates (clinic int, year int, rate int);
CREATE TABLE hidden (region int PRIMARY KEY, name text);
INSERT INTO patients SELECT i, CASE WHEN i <= 40 THEN 'f' ELSE 'm' END, i % 4 FROM generate_series(1, 100) i;
INSERT INTO visits SELECT 10 * i + v, i, v, v * 10, date '2024-01-01' + v * 10, 'n' || v FROM generate_series(1, 100) i, generate_series(1, 3) v WHERE v <= i % 4;
INSERT INTO clinics VALUES (1, 'one', 'North', true), (2, 'two', 'North', true), (3, 'three', 'South', false), (4, 'four', 'South', true), (5, 'five', NULL, false);
INSERT INTO rates VALUES (1, 2023, 1), (1, 2024, 2), (2, 2024, 4), (3, 2024, 8), (NULL, 2024, 16);
INSERT INTO hidden SELECT i, 'region ' || i FROM generate_series(0, 4) i;
GRANT SELECT ON clinics, rates TO reads_analyst;
SELECT dp_agg.protect('patients', 'id'), dp_agg.protect('visits', 'patient', max_rows => 5, max_groups => 5);
RESET ROLE;
CREATE TABLE answers (query text, answer text);
GRANT ALL ON answers TO reads_analyst;
SET ROLE reads_analyst;
-- At epsilon 100,000 no answer here is off with a probability above 1e-200.
SET dp_agg.epsilon = 100000;
-- one row: parameters by the name of a WITH query, VALUES, a sub-select, an aggregate
WITH p AS (SELECT date '2024-01-15' AS d0) SELECT dp_count(*) FROM visits, p WHERE day >= p.d0;
WITH p(d0, d1) AS (VALUES (date '2024-01-15', date '2024-01-25')) SELECT dp_count(*) FROM visits JOIN p ON day BETWEEN d0 AND d1;
WITH p AS MATERIALIZED (SELECT 'n' AS a, '%' AS b) SELECT dp_count(*) FROM visits v CROSS JOIN p WHERE note LIKE p.a || p.b;
SELECT dp_count(*), dp_sum(cost * m.top, 0, 1000) FROM visits, (SELECT max(id) AS top FROM clinics WHERE open) m WHERE clinic < m.top;
SELECT c.name, dp_count(*) FROM visits v JOIN clinics c ON c.id = v.clinic, (SELECT 15 AS low) p WHERE v.cost > p.low GROUP BY c.name;
SELECT c.name, dp_count(*) FROM (visits v CROSS JOIN (SELECT 15 AS low) p) LEFT JOIN clinics c ON c.id = v.clinic AND v.cost > p.low GROUP BY c.name;
SELECT dp_count(*) FROM visits, (SELECT id FROM clinics WHERE name = 'nowhere' LIMIT 1) none;
SELECT dp_count(*) FROM visits, (SELECT max(id) AS m FROM clinics HAVING count(*) > 100) none;
SELECT p.d0, dp_count(*) FROM visits, (SELECT date '2024-01-15' AS d0) p WHERE day > p.d0 GROUP BY p.d0 HAVING dp_count(*) > 10;
SELECT dp_count(*) FROM (SELECT v.* FROM visits v, (SELECT 15 AS low) p WHERE v.cost > p.low) s;
SELECT dp_sum(n, 0, 3) FROM (SELECT patient, count(*) AS n FROM visits, (SELECT 15 AS low) p WHERE cost > p.low GROUP BY patient) s;
-- several rows
SELECT dp_count(*), dp_sum(k.w, 0, 100) FROM visits JOIN (VALUES (1, 5), (3, 7)) k(id, w) ON k.id = clinic;
SELECT k.label, dp_count(*) FROM visits JOIN (VALUES (1, 'a'), (2, 'b'), (9, 'c')) k(id, label) ON k.id = clinic GROUP BY k.label;
SELECT k.label, dp_count(*) FROM (VALUES (1, 'a'), (2, 'b'), (9, 'c')) k(id, label) LEFT JOIN visits ON k.id = clinic GROUP BY k.label;
SELECT k.id, dp_count(*) FROM generate_series(1, 4) k(id) LEFT JOIN visits ON k.id = clinic GROUP BY k.id;
SELECT k.label, dp_count(*) FROM visits LEFT JOIN (VALUES (1, 'a'), (3, NULL)) k(id, label) ON k.id = clinic GROUP BY k.label;
SELECT dp_count(*) FROM visits JOIN unnest(ARRAY[1, 3]) u ON u = clinic;
SELECT r.total, dp_count(*) FROM visits JOIN (SELECT clinic, sum(rate)::int AS total FROM rates GROUP BY clinic) r USING (clinic) GROUP BY r.total;
SELECT dp_count(*) FROM visits JOIN (SELECT DISTINCT clinic FROM rates WHERE year = 2024) r USING (clinic);
SELECT dp_count(*) FROM visits JOIN (SELECT clinic FROM rates UNION SELECT 5) r USING (clinic);
SELECT dp_count(*) FROM visits JOIN (SELECT clinic FROM rates WHERE rate > 1 ORDER BY clinic LIMIT 2) r USING (clinic);
SELECT r.place, dp_count(*) FROM visits JOIN (SELECT id, row_number() OVER (ORDER BY name) AS place FROM clinics) r ON r.id = clinic GROUP BY r.place;
WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 3) SELECT t.i, dp_count(*) FROM t LEFT JOIN visits ON t.i = clinic GROUP BY t.i;
WITH base AS (SELECT * FROM rates WHERE year = 2024), r AS (SELECT clinic, max(rate) AS m FROM base GROUP BY clinic) SELECT dp_count(*) FROM visits JOIN r USING (clinic) WHERE r.m > 2;
WITH r AS (SELECT clinic FROM rates WHERE year = 2024) SELECT dp_count(*) FROM (WITH q AS (SELECT clinic FROM r WHERE clinic < 3) SELECT v.* FROM visits v JOIN q USING (clinic)) s;
WITH a AS (SELECT 1 AS x), r AS (SELECT clinic, count(*) AS n FROM rates GROUP BY clinic) SELECT dp_count(*), (SELECT count(*) FROM r) AS beside FROM visits JOIN r USING (clinic);
-- a row has at most one match, or the rows of the sub-select are refused as they are read
SELECT dp_count(*) FROM visits JOIN (SELECT clinic, max(rate) FROM rates GROUP BY clinic, year) r USING (clinic);
SELECT dp_count(*) FROM visits JOIN (VALUES (1), (1)) k(id) ON k.id = clinic;
SELECT dp_count(*) FROM visits JOIN (VALUES (1), (2)) k(id) ON k.id < clinic;
SELECT dp_count(*) FROM visits, (VALUES (1), (2)) k(id);
SELECT dp_count(*) FROM visits JOIN (VALUES (NULL::int), (NULL), (2)) k(id) ON k.id = clinic;
SELECT dp_count(*) FROM visits JOIN (VALUES (1, 10), (1, 20), (2, 20)) k(id, cost) USING (cost) WHERE k.id = clinic;
