---
-- stars: joins that the node over units makes by itself
---
CREATE EXTENSION dp_agg;
CREATE ROLE stars_owner;
CREATE ROLE stars_analyst;
CREATE SCHEMA stars;
GRANT ALL ON SCHEMA stars TO stars_owner, stars_analyst;
SET search_path = stars, public;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO stars_owner;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO stars_owner;
SELECT dp_agg.set_budget('stars_analyst', 1e12, 1e-3);
SET client_min_messages = warning;
CREATE FUNCTION plan_below(query text) RETURNS text AS '$libdir/dp_validate_test', 'test_plan_below' LANGUAGE C;
SET ROLE stars_owner;
-- patient i from -999 on, of whom 3 in 4 have i % 4 visits; a few of nobody, and in clinics that are none
CREATE TABLE patients (id bigint PRIMARY KEY, sex text, region int, weight float8);
INSERT INTO patients SELECT i, CASE WHEN i % 3 = 0 THEN 'f' WHEN i % 3 = 1 THEN repeat('long ', 500) END, NULLIF(i % 7, 3), i / 10.0
	FROM generate_series(-999, 1000) i;
CREATE TABLE visits (visit int PRIMARY KEY, patient int, clinic smallint, cost numeric(8, 2), reason text, token uuid, old char(9));
INSERT INTO visits SELECT 10 * i + v, NULLIF(i, 17), NULLIF(i * v % 13, 5), i * v % 11, CASE WHEN i % 5 > 0 THEN 'reason ' || i % 5 END,
	md5(NULLIF(i % 13, 5)::text)::uuid, 'reason ' || i % 3
	FROM generate_series(-1200, 1200) i, generate_series(1, 3) v WHERE v <= abs(i) % 4;
CREATE TABLE consents (id int PRIMARY KEY, given boolean);
INSERT INTO consents SELECT i, i > 0 FROM generate_series(-500, 900) i;
CREATE TABLE remarks (visit int NOT NULL REFERENCES visits, stars int);
INSERT INTO remarks SELECT visit, n FROM visits, generate_series(1, 2) n WHERE patient IS NOT NULL;
CREATE TABLE letters (patient int, visit int, UNIQUE (patient, visit));
CREATE TABLE clinics (clinic int PRIMARY KEY, town text, beds bigint);
INSERT INTO clinics SELECT i, NULLIF('town ' || i % 4, 'town 3'), NULLIF(i, 8) FROM generate_series(1, 12) i;
CREATE TABLE regions (region int8 PRIMARY KEY, name varchar);
INSERT INTO regions SELECT i, 'region ' || i FROM generate_series(-6, 5) i;
CREATE TABLE towns (town text PRIMARY KEY, size int);
INSERT INTO towns SELECT 'town ' || i, i FROM generate_series(0, 2) i;
CREATE TABLE spare (n int UNIQUE, label text);
INSERT INTO spare VALUES (NULL, 'none'), (1, 'one'), (NULL, 'none'), (-2147483648, 'least');
CREATE TABLE sexes (sex text PRIMARY KEY, name text);
INSERT INTO sexes VALUES ('f', 'female'), ('m', 'male'), (repeat('long ', 500), 'long'), ('', 'empty');
CREATE TABLE reasons (reason varchar PRIMARY KEY, weight int, old char(9) UNIQUE);
INSERT INTO reasons SELECT 'reason ' || i, i, 'reason ' || i FROM generate_series(-1, 3) i;
CREATE TABLE tokens (token uuid PRIMARY KEY, kind int);
INSERT INTO tokens SELECT md5(i::text)::uuid, i % 4 FROM generate_series(0, 9) i;
GRANT SELECT ON clinics, regions, towns, spare, sexes, reasons, tokens TO stars_analyst;
SELECT dp_agg.protect('patients', 'id'), dp_agg.protect('visits', 'patient', max_rows => 2, max_groups => 100), dp_agg.protect('letters', 'patient'), dp_agg.protect('consents', 'id'),
	dp_agg.protect('remarks', 'visit', through => 'visits', max_rows => 3, max_groups => 100);
ANALYZE patients, visits, consents, remarks, letters, clinics, regions, towns, spare, sexes, reasons, tokens;
SET ROLE stars_analyst;
SET dp_agg.epsilon = 1e6; SET dp_agg.delta = 1e-12;
SET max_parallel_workers_per_gather = 0;

-- the answers of both ways, to whole numbers; noise nearly vanishes
CREATE TABLE queries (n int GENERATED ALWAYS AS IDENTITY, query text);
CREATE FUNCTION answers(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT count(*) || '' '' || COALESCE(md5(string_agg(s::text, '';'' ORDER BY s::text)), '''') FROM (%s) s', query) INTO result;
	RETURN result;
END $$;
CREATE FUNCTION both_ways() RETURNS TABLE (n int, star text, groups text, same boolean) LANGUAGE plpgsql AS $$
DECLARE
	q record;
	one text;
	other text;
BEGIN
	FOR q IN SELECT * FROM queries ORDER BY queries.n LOOP
		SET LOCAL enable_hashjoin = off;
		one := answers(q.query);
		SET LOCAL enable_hashjoin = on;
		other := answers(q.query);
		RETURN QUERY SELECT q.n, substring(plan_below(q.query) FROM 'star of \d+'), split_part(other, ' ', 1), one = other;
	END LOOP;
END $$;
INSERT INTO queries (query) VALUES
	-- 1: what the side is needed for is that there is a row
	('SELECT reason, dp_count(*) FROM visits v JOIN patients p ON p.id = v.patient GROUP BY 1'),
	-- 2: a key and a value of the side
	('SELECT sex, round(dp_sum(cost, 0, 10)), round(dp_avg(weight, -100, 100)::numeric, 2) FROM visits v JOIN patients p ON p.id = v.patient GROUP BY 1'),
	-- 3: keys of both, conditions of both
	('SELECT reason, region, dp_count(*), dp_count(DISTINCT v.patient) FROM visits v JOIN patients p ON p.id = v.patient WHERE cost > 3 AND weight < 50 GROUP BY 1, 2'),
	-- 4: a public table
	('SELECT town, dp_count(*), dp_sum(beds, 0, 20) FROM visits JOIN clinics USING (clinic) GROUP BY 1'),
	-- 5: two sides
	('SELECT town, sex, round(dp_sum(cost, 0, 10)) FROM visits v JOIN clinics USING (clinic) JOIN patients p ON p.id = v.patient GROUP BY 1, 2'),
	-- 6: all rows together
	('SELECT dp_count(*), round(dp_sum(cost, 0, 10)) FROM visits v JOIN clinics USING (clinic)'),
	-- 7: rows that are units
	('SELECT name, dp_count(*), dp_sum(weight::int, -100, 100) FROM patients JOIN regions USING (region) GROUP BY 1'),
	-- 8: units of the side
	('SELECT stars, dp_count(*) FROM remarks r JOIN visits v USING (visit) GROUP BY 1'),
	-- 9: nothing matches
	('SELECT dp_count(*), round(dp_sum(cost, 0, 10)) FROM visits v JOIN patients p ON p.id = v.patient WHERE p.id > 1100'),
	-- 10: both sides by one column of the base
	('SELECT given, sex, dp_count(*) FROM visits v JOIN patients p ON p.id = v.patient JOIN consents c ON c.id = p.id GROUP BY 1, 2'),
	-- 11: expressions over one of them
	('SELECT upper(town), beds + 1, dp_avg(cost + 1, 0, 10)::int FROM visits JOIN clinics USING (clinic) GROUP BY 1, 2'),
	-- 12: moments
	('SELECT reason, round(dp_variance(weight, -100, 100)::numeric, -1) FROM visits v JOIN patients p ON p.id = v.patient GROUP BY 1'),
	-- 13: rows that match nothing stay, with NULL
	('SELECT town, dp_count(*), dp_count(beds), dp_sum(beds, 0, 20) FROM visits LEFT JOIN clinics USING (clinic) GROUP BY 1'),
	-- 14: beside those that do not, and less of the side
	('SELECT sex, town, given, dp_count(*) FROM visits v JOIN patients p ON p.id = v.patient LEFT JOIN clinics c ON c.clinic = v.clinic AND beds > 3
		LEFT JOIN consents o ON o.id = v.patient GROUP BY 1, 2, 3'),
	-- 15: conditions on the base
	('SELECT town, dp_count(*) FROM visits LEFT JOIN clinics USING (clinic) WHERE cost > 5 AND reason IS NOT NULL GROUP BY 1'),
	-- 16: NULL is not 0
	('SELECT name, dp_count(*) FROM patients LEFT JOIN regions USING (region) GROUP BY 1'),
	-- 17: a side of more rows than the base
	('SELECT reason, dp_count(*) FROM visits v JOIN patients p ON p.id = v.patient WHERE visit BETWEEN 1 AND 900 GROUP BY 1'),
	-- 18: nor is it in the side
	('SELECT label, dp_count(*) FROM patients JOIN spare ON n = region GROUP BY 1'),
	-- 19: texts, of which some are long
	('SELECT s.name, dp_count(*) FROM patients p JOIN sexes s USING (sex) GROUP BY 1'),
	('SELECT reason, weight, dp_count(*) FROM visits LEFT JOIN reasons USING (reason) GROUP BY 1, 2'),
	-- 21: uuids, with texts and integers
	('SELECT kind, town, weight, dp_count(*) FROM visits JOIN tokens USING (token) JOIN clinics USING (clinic) JOIN reasons USING (reason) GROUP BY 1, 2, 3');
SELECT * FROM both_ways();
-- in several processes, each with the sides of its own
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT * FROM both_ways();
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
SET max_parallel_workers_per_gather = 0;
-- and where compiled code takes negative keys from rows
SET jit = on; SET jit_above_cost = 0;
SELECT * FROM both_ways() WHERE n IN (1, 7);
RESET jit; RESET jit_above_cost;
-- with little memory: sides that are known not to fit, whose rows turn out not to, nor their index, that leave little for units, and long texts
SET work_mem = '64kB'; SET hash_mem_multiplier = 1;
SELECT * FROM both_ways() WHERE n IN (1, 4);
TRUNCATE queries RESTART IDENTITY;
INSERT INTO queries (query) VALUES
	('SELECT reason, dp_count(weight) FROM visits v JOIN patients p ON p.id = v.patient WHERE p.id % 1 = 0 GROUP BY 1'),
	('SELECT reason, dp_count(weight) FROM visits v JOIN patients p ON p.id = v.patient WHERE p.id % 1 = 0 AND p.id BETWEEN -999 AND 250 GROUP BY 1'),
	('SELECT reason, dp_count(weight) FROM visits v JOIN patients p ON p.id = v.patient WHERE p.id % 1 = 0 AND p.id BETWEEN -149 AND 1000 GROUP BY 1'),
	('SELECT sex, dp_count(*) FROM visits v JOIN patients p ON p.id = v.patient WHERE p.id % 1 = 0 AND p.id BETWEEN 0 AND 30 GROUP BY 1');
SELECT * FROM both_ways();
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT * FROM both_ways();
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
RESET work_mem; RESET hash_mem_multiplier;
-- what is no star: conditions on rows that may be missing, or on the rows that keep theirs, what is computed of them, keys whose equal values look different, of several columns, or a constant,
-- conditions and expressions about several tables, subqueries, and sides that are joined with each other; but what lies between the last two is joined first
SET max_parallel_workers_per_gather = 0;
TRUNCATE queries RESTART IDENTITY;
INSERT INTO queries (query) VALUES
	('SELECT reason, dp_count(*) FROM visits LEFT JOIN clinics USING (clinic) WHERE town IS NULL GROUP BY 1'),
	('SELECT town, dp_count(*) FROM visits v LEFT JOIN clinics c ON c.clinic = v.clinic AND cost > 3 GROUP BY 1'),
	('SELECT COALESCE(beds, 1), dp_count(*) FROM visits LEFT JOIN clinics USING (clinic) GROUP BY 1'),
	('SELECT name, dp_count(*) FROM visits v LEFT JOIN patients p ON p.id = v.patient LEFT JOIN regions USING (region) GROUP BY 1'),
	('SELECT weight, dp_count(*) FROM visits v JOIN reasons r ON r.old = v.old GROUP BY 1'),
	('SELECT size, dp_count(*) FROM visits JOIN clinics USING (clinic) JOIN towns USING (town) GROUP BY 1'),
	('SELECT dp_count(*) FROM visits v JOIN letters l USING (patient, visit)'),
	('SELECT town, dp_count(*) FROM visits JOIN clinics USING (clinic) WHERE clinic = 7 GROUP BY 1'),
	('SELECT town, dp_count(*) FROM visits JOIN clinics USING (clinic) WHERE cost < beds GROUP BY 1'),
	('SELECT sex, dp_count(*) FROM visits v JOIN patients p ON p.id = v.patient JOIN clinics c ON c.clinic = v.clinic AND c.beds = p.region GROUP BY 1'),
	('SELECT CASE WHEN cost > 5 THEN reason ELSE town END, dp_count(*) FROM visits JOIN clinics USING (clinic) GROUP BY 1'),
	('SELECT n, dp_count(*) FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) v JOIN patients p ON p.id = v.patient GROUP BY 1'),
	('SELECT name, dp_count(*) FROM visits v JOIN patients p ON p.id = v.patient JOIN regions USING (region) GROUP BY 1');
SELECT * FROM both_ways();
-- a side of a base that is joined: where conditions and what is computed are about several tables of that alone, and the side joins each row
TRUNCATE queries RESTART IDENTITY;
INSERT INTO queries (query) VALUES
	('SELECT dp_sum(CASE WHEN stars > beds THEN 1 ELSE 2 END, 0, 20) FROM remarks JOIN clinics ON clinic = stars'),
	('SELECT stars, dp_sum(CASE WHEN stars > beds THEN 1 ELSE 2 END, 0, 20), dp_count(DISTINCT town) FROM remarks JOIN clinics ON clinic = stars GROUP BY 1'),
	('SELECT stars, town, dp_count(*) FROM remarks JOIN clinics ON clinic = stars WHERE stars = 1 AND town = ''town 1'' OR stars = 2 AND beds = 2 GROUP BY 1, 2'),
	('SELECT stars, dp_sum(CASE WHEN stars > beds THEN 1 ELSE 2 END, 0, 20) FROM remarks LEFT JOIN clinics ON clinic = stars GROUP BY 1');
SELECT * FROM both_ways();
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT * FROM both_ways();
SET max_parallel_workers_per_gather = 0;

RESET ROLE;
DROP SCHEMA stars CASCADE;
DROP OWNED BY stars_analyst, stars_owner;
DROP EXTENSION dp_agg;
DROP ROLE stars_analyst, stars_owner;
