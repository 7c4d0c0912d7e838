--
-- public_reads: what reads no protected row, read by the asking role before the charge
--
CREATE EXTENSION dp_agg;
CREATE ROLE reads_owner;
CREATE ROLE reads_analyst;
CREATE SCHEMA reads;
GRANT ALL ON SCHEMA reads TO reads_owner, reads_analyst;
SET search_path = reads, public;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO reads_owner;
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
SET ROLE reads_analyst;
-- At epsilon 100,000 no answer here is off with a probability above 1e-200.
SET dp_agg.epsilon = 100000;
-- one row: parameters by the name of a WITH query, VALUES, a subquery, an aggregate
WITH p AS (SELECT date '2024-01-15' AS d0) SELECT dp_count(*) FROM visits, p WHERE day >= p.d0;
WITH p(d0, d1) AS (VALUES (date '2024-01-15', date '2024-01-25')) SELECT dp_count(*) FROM visits JOIN p ON day BETWEEN d0 AND d1;
WITH p AS MATERIALIZED (SELECT 'n' AS a, '%' AS b) SELECT dp_count(*) FROM visits v CROSS JOIN p WHERE note LIKE p.a || p.b;
SELECT dp_count(*), dp_sum(cost * m.top, 0, 1000) FROM visits, (SELECT max(id) AS top FROM clinics WHERE open) m WHERE clinic < m.top;
SELECT c.name, dp_count(*) FROM visits v JOIN clinics c ON c.id = v.clinic, (SELECT 15 AS low) p WHERE v.cost > p.low GROUP BY c.name;
SELECT c.name, dp_count(*) FROM (visits v CROSS JOIN (SELECT 15 AS low) p) LEFT JOIN clinics c ON c.id = v.clinic AND v.cost > p.low GROUP BY c.name;
SELECT dp_count(*) FROM visits, (SELECT id FROM clinics WHERE name = 'nowhere' LIMIT 1) none;
SELECT dp_count(*) FROM visits, (SELECT max(id) AS m FROM clinics HAVING count(*) > 100) none;
-- columns of domains, over containers too
CREATE DOMAIN reads.low AS int CHECK (VALUE > 0);
CREATE DOMAIN reads.lower AS low;
CREATE DOMAIN reads.lows AS int[];
CREATE DOMAIN reads.span AS int4range;
SELECT dp_count(*) FROM visits, (SELECT g, (10 * g)::lower AS a FROM generate_series(1, 3) g) p WHERE clinic = p.g AND cost > p.a - 1;
SELECT dp_count(*) FROM visits, (SELECT g, ARRAY[g, 20]::lows AS a FROM generate_series(1, 3) g) p WHERE clinic = p.g AND cost = ANY (p.a);
SELECT dp_count(*) FROM visits, (SELECT g, int4range(1, 10 * g)::span AS a FROM generate_series(1, 3) g) p WHERE clinic = p.g AND cost <@ p.a;
SELECT p.k, dp_count(*) FROM (SELECT 1 AS g, 'a' AS k, 2::low AS v) p LEFT JOIN LATERAL (SELECT v.cost FROM visits v WHERE v.clinic = p.g AND v.cost > p.v) j ON true GROUP BY p.k;
SELECT p.d0, dp_count(*) FROM visits, (SELECT date '2024-01-15' AS d0) p WHERE day > p.d0 GROUP BY p.d0 HAVING dp_count(*) > 10;
SELECT dp_count(*) FROM (SELECT v.* FROM visits v, (SELECT 15 AS low) p WHERE v.cost > p.low) s;
SELECT dp_sum(n, 0, 3) FROM (SELECT patient, count(*) AS n FROM visits, (SELECT 15 AS low) p WHERE cost > p.low GROUP BY patient) s;
-- constants by a name of their own are what they are, bounds too
WITH p AS (SELECT 0 AS lo, 20 AS hi, 100000 AS eps) SELECT dp_sum(cost, p.lo, p.hi, p.eps) FROM visits, p;
SELECT dp_sum(cost, lo, hi) FROM visits CROSS JOIN (VALUES (0, 4 * 5)) p(lo, hi);
SELECT dp_sum(cost, 0, hi) FROM visits, (SELECT max(id) AS hi FROM clinics) p;
PREPARE bounded(int) AS WITH p AS (SELECT $1 AS hi) SELECT dp_sum(cost, 0, p.hi) FROM visits, p;
EXECUTE bounded(20);
EXECUTE bounded(30);
-- several rows
SELECT dp_count(*), dp_sum(k.w, 0, 100) FROM visits JOIN (VALUES (1, 5), (3, 7)) k(id, w) ON k.id = clinic;
SELECT k.label, dp_count(*) FROM visits JOIN (VALUES (1, 'a'), (2, 'b'), (9, 'c')) k(id, label) ON k.id = clinic GROUP BY k.label;
SELECT k.label, dp_count(*) FROM (VALUES (1, 'a'), (2, 'b'), (9, 'c')) k(id, label) LEFT JOIN visits ON k.id = clinic GROUP BY k.label;
SELECT k.id, dp_count(*) FROM generate_series(1, 4) k(id) LEFT JOIN visits ON k.id = clinic GROUP BY k.id;
SELECT k.label, dp_count(*) FROM visits LEFT JOIN (VALUES (1, 'a'), (3, NULL)) k(id, label) ON k.id = clinic GROUP BY k.label;
SELECT dp_count(*) FROM visits JOIN unnest(ARRAY[1, 3]) u ON u = clinic;
SELECT r.total, dp_count(*) FROM visits JOIN (SELECT clinic, sum(rate)::int AS total FROM rates GROUP BY clinic) r USING (clinic) GROUP BY r.total;
SELECT dp_count(*) FROM visits JOIN (SELECT DISTINCT clinic FROM rates WHERE year = 2024) r USING (clinic);
SELECT dp_sum(r.rate, 0, 100) FROM visits JOIN (SELECT clinic, rate FROM rates WHERE year = 2024) r USING (clinic);
SELECT dp_sum(r.rate, 0, 100) FROM visits JOIN (SELECT clinic, rate FROM rates) r USING (clinic);
SELECT dp_count(*) FROM visits JOIN (SELECT clinic FROM rates UNION SELECT 5) r USING (clinic);
SELECT dp_count(*) FROM visits JOIN (SELECT clinic FROM rates WHERE rate > 1 ORDER BY clinic LIMIT 2) r USING (clinic);
SELECT r.place, dp_count(*) FROM visits JOIN (SELECT id, row_number() OVER (ORDER BY name) AS place FROM clinics) r ON r.id = clinic GROUP BY r.place;
WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 3) SELECT t.i, dp_count(*) FROM t LEFT JOIN visits ON t.i = clinic GROUP BY t.i;
WITH base AS (SELECT * FROM rates WHERE year = 2024), r AS (SELECT clinic, max(rate) AS m FROM base GROUP BY clinic) SELECT dp_count(*) FROM visits JOIN r USING (clinic) WHERE r.m > 2;
WITH r AS (SELECT DISTINCT clinic FROM rates WHERE year = 2024) SELECT dp_count(*) FROM (WITH q AS (SELECT clinic FROM r WHERE clinic < 3) SELECT v.* FROM visits v JOIN q USING (clinic)) s;
WITH a AS (SELECT 1 AS x), r AS (SELECT clinic, count(*) AS n FROM rates GROUP BY clinic) SELECT dp_count(*), (SELECT count(*) FROM r) AS beside FROM visits JOIN r USING (clinic);
WITH r AS (SELECT 9 AS clinic) SELECT dp_count(*) FROM (WITH s AS (SELECT 2 AS clinic), r AS (SELECT DISTINCT clinic FROM rates) SELECT v.* FROM visits v JOIN (SELECT clinic FROM r EXCEPT SELECT clinic FROM s) q USING (clinic)) x, r WHERE x.clinic < r.clinic;
SELECT k.town, dp_count(*) FROM (VALUES ('North'), ('West')) k(town) LEFT JOIN (SELECT v.*, c.town FROM visits v JOIN clinics c ON c.id = v.clinic) v USING (town) GROUP BY k.town;
SELECT dp_count(*) FROM visits JOIN (SELECT NULL::int AS clinic WHERE false) n USING (clinic);
SELECT count(*) FROM (SELECT k.id, dp_count(*) FROM generate_series(1, 1001) k(id) LEFT JOIN visits ON k.id = clinic GROUP BY k.id) s;
SELECT dp_count(*) FROM visits JOIN generate_series(1, 2000) k(id) ON k.id = clinic;
-- a row has at most one match, as the text says, or as many as dp_agg.max_join_rows allows
SET dp_agg.max_rows = 30;
SELECT dp_count(*) FROM visits JOIN (SELECT clinic, max(rate) FROM rates GROUP BY clinic, year) r USING (clinic);
SELECT dp_count(*) FROM visits JOIN (VALUES (1), (1)) k(id) ON k.id = clinic;
SELECT dp_count(*) FROM visits JOIN (VALUES (1), (2)) k(id) ON k.id < clinic;
SELECT dp_count(*) FROM visits, (VALUES (1), (2)) k(id);
SELECT dp_count(*) FROM visits JOIN (VALUES (NULL::int), (NULL), (2)) k(id) ON k.id = clinic;
SELECT dp_count(*) FROM visits JOIN (VALUES (1, 10), (1, 20), (2, 20)) k(id, cost) USING (cost) WHERE k.id = clinic;
RESET dp_agg.max_rows;
-- expressions: subqueries that name no column around them, IN, ANY, ALL, EXISTS, ARRAY
SELECT dp_count(*) FROM visits WHERE cost > (SELECT avg(rate) FROM rates);
SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM clinics WHERE open);
SELECT dp_count(*) FROM visits WHERE clinic NOT IN (SELECT id FROM clinics WHERE open);
SELECT dp_count(*) FROM visits WHERE clinic NOT IN (SELECT clinic FROM rates WHERE year = 2023 OR clinic IS NULL);
SELECT dp_count(*) FROM visits WHERE clinic NOT IN (SELECT id FROM clinics WHERE false);
SELECT dp_count(*) FROM visits WHERE cost >= ALL (SELECT id * 10 FROM clinics WHERE id < 3);
SELECT dp_count(*) FROM visits WHERE patient IN (SELECT id::bigint FROM clinics);
SELECT dp_count(*) FROM visits WHERE note LIKE ANY (SELECT 'n' || id FROM clinics WHERE open);
SELECT dp_count(*) FROM visits WHERE clinic = ANY (ARRAY(SELECT id FROM clinics WHERE open));
SELECT dp_count(*) FROM visits WHERE EXISTS (SELECT FROM clinics WHERE open) AND NOT EXISTS (SELECT FROM clinics WHERE town = 'West');
SELECT dp_sum(cost * (SELECT max(rate) FROM rates), 0, 1000), dp_count(*) FILTER (WHERE clinic IN (SELECT id FROM clinics WHERE NOT open)) FROM visits;
SELECT CASE WHEN clinic IN (SELECT id FROM clinics WHERE open) THEN 'open' ELSE 'closed' END AS state, dp_count(*) FROM visits GROUP BY 1 HAVING dp_count(*) > (SELECT max(id) FROM clinics);
SELECT clinic + (SELECT 100) AS c, clinic + (SELECT 100) + 1 AS d, dp_count(*) * (SELECT 2) AS twice FROM visits GROUP BY clinic + (SELECT 100) ORDER BY clinic + (SELECT 100) DESC;
SELECT clinic, dp_count(*), sum(dp_count(*)) OVER (ORDER BY clinic ROWS BETWEEN (SELECT 1) PRECEDING AND CURRENT ROW) AS running FROM visits WHERE cost > (SELECT 5) GROUP BY 1 ORDER BY 1 LIMIT (SELECT 2) OFFSET (SELECT 1);
SELECT dp_count(*) FROM visits v LEFT JOIN clinics c ON c.id = v.clinic AND c.id IN (SELECT clinic FROM rates WHERE year = 2023) WHERE c.id IS NULL;
SELECT dp_count(*) FROM (SELECT * FROM visits WHERE clinic IN (SELECT id FROM clinics WHERE open)) s;
SELECT dp_sum(n, 0, 3) FROM (SELECT patient, count(*) AS n FROM visits WHERE clinic IN (SELECT id FROM clinics WHERE open) GROUP BY patient HAVING count(*) > (SELECT 1)) s;
WITH w AS (SELECT id FROM clinics WHERE open) SELECT dp_count(*) FROM (SELECT * FROM visits WHERE clinic IN (SELECT id FROM w)) s WHERE clinic < (SELECT max(id) FROM w);
WITH p AS (SELECT 2 AS least) SELECT dp_count(*) FROM visits, p WHERE clinic IN (SELECT id FROM clinics WHERE id >= p.least);
-- long lists are joined where all conditions have to hold, and too long elsewhere
SELECT dp_count(*) FROM visits WHERE visit IN (SELECT i FROM generate_series(1, 50000) i UNION ALL SELECT i FROM generate_series(1, 500) i UNION ALL SELECT NULL);
SELECT dp_count(*) FROM visits v LEFT JOIN clinics c ON c.id = v.clinic AND c.open WHERE v.clinic IN (SELECT i FROM generate_series(2, 50000) i) AND c.id IS NOT NULL AND v.note IN (SELECT 'n' || i FROM generate_series(1, 20000) i);
SELECT dp_sum(n, 0, 3) FROM (SELECT patient, count(*) AS n FROM visits WHERE clinic IN (SELECT i FROM generate_series(2, 50000) i) GROUP BY patient) s;
SELECT c.name, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE c.id IN (SELECT i FROM generate_series(2, 50000) i) GROUP BY c.name;
SELECT dp_count(*) FROM visits WHERE clinic NOT IN (SELECT i FROM generate_series(2, 50000) i);
SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT i FROM generate_series(2, 50000) i) OR cost > 10;
PREPARE asked(int) AS SELECT dp_count(*) FROM visits WHERE clinic <= (SELECT max(id) FROM clinics WHERE id <= $1);
EXECUTE asked(1);
EXECUTE asked(2);
EXECUTE asked(NULL);
-- functions that depend on no row
SELECT dp_count(*) FROM visits WHERE day >= to_date('2024-01-15', 'YYYY-MM-DD') AND note LIKE concat('%', 'n', '%') AND note < 'n' || 'z';
SET reads.low = 15;
SELECT dp_count(*) FROM visits WHERE cost > current_setting('reads.low')::int;
SELECT dp_count(*) FROM visits WHERE day > '2024-01-15'::text::date;
SELECT dp_count(*) FROM visits WHERE round(cost::numeric, (SELECT 0)) > 10 AND lpad(cost::text, (SELECT 4), (SELECT '0')) > '0010' AND cost::text ~ (SELECT '^[0-9]+$');
SELECT dp_count(*) FROM visits WHERE cost::text ~ (SELECT '(1)\1');
SELECT dp_count(*) FROM visits WHERE day < now() - interval '1 month' AND day < CURRENT_DATE;
CREATE FUNCTION lowest() RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN 15; END';
CREATE FUNCTION counted() RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RAISE NOTICE ''called''; RETURN 15; END';
CREATE FUNCTION twice(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 * 2; END';
SELECT dp_count(*) FROM visits WHERE cost > lowest() AND cost < twice(lowest());
SELECT dp_count(*) FROM visits WHERE note LIKE '%' || substr(current_setting('reads.low'), 1, 0) || '3';
SELECT dp_count(*) FROM visits WHERE cost > (SELECT counted());
SELECT dp_count(*) FROM visits WHERE CASE current_user WHEN 'reads_analyst' THEN cost > 15 ELSE false END;
-- functions of rows that are not built in, volatile ones, and what names columns around
SELECT dp_count(*) FROM visits WHERE cost > twice(clinic);
SELECT dp_count(*) FROM visits WHERE cost > counted();
SELECT dp_count(*) FROM visits v WHERE EXISTS (SELECT FROM clinics c WHERE c.id = v.clinic);
SELECT dp_count(*) FROM visits v WHERE cost > (SELECT c.id FROM clinics c WHERE c.id = v.clinic);
SELECT dp_sum(cost, 0, (SELECT 100)) FROM visits;
SELECT dp_sum(cost, (SELECT min(rate) FROM rates), (SELECT max(rate) FROM rates)) FROM visits;
SELECT min(rate) AS low, max(rate) AS high FROM rates \gset
SELECT dp_sum(cost, :low, :high) FROM visits;
SELECT dp_sum(cost, 0, cost) FROM visits;
SELECT dp_count(*) FROM visits WHERE (clinic, cost) IN (SELECT id, 10 FROM clinics);
SELECT dp_count(*) FROM visits WHERE patient IN (SELECT id FROM patients);
SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT region FROM hidden);
SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM clinics FOR UPDATE);
SELECT dp_count(*) FROM visits WHERE cost > (SELECT 1 / (id - 1) FROM clinics WHERE id = 1);
SELECT dp_count(*) FROM visits WHERE cost > (SELECT id FROM clinics);
SELECT dp_count(*) FROM visits WHERE note LIKE (SELECT 'n\');
SELECT dp_count(*) FROM visits WHERE note LIKE (SELECT repeat('a', 2000));
SELECT dp_count(*) FROM visits WHERE note = (SELECT repeat('a', 600000));
SELECT dp_count(*) FROM (SELECT DISTINCT id FROM clinics) c;
SELECT dp_count(*) FROM (VALUES (1)) v(i);
SELECT k.id, dp_count(*) FROM visits JOIN (SELECT id, ARRAY[id] AS ids FROM clinics LIMIT 9) k ON k.id = clinic WHERE k.ids IS NOT NULL GROUP BY k.id;
SELECT dp_count(*) FROM visits JOIN (SELECT repeat('x', 10000000) || i AS x, i FROM generate_series(1, 8) i) big ON i = clinic WHERE x > 'y';
-- plain aggregates
SELECT count(*), avg(least(greatest(cost, 0), 100)) BETWEEN 13.9 AND 14.1 AS mean FROM visits WHERE clinic IN (SELECT id FROM clinics WHERE open) AND cost < (SELECT 1000);
WITH p AS (SELECT date '2024-01-15' AS d0) SELECT count(*) FROM visits, p WHERE day >= p.d0;
SELECT k.label, count(*) FROM visits JOIN (VALUES (1, 'a'), (2, 'b')) k(id, label) ON k.id = clinic GROUP BY k.label;
-- what the asking role may read: its own tables, those it sees by row security, what a view shows
RESET ROLE;
CREATE TABLE guarded (id int, who name);
INSERT INTO guarded VALUES (1, 'reads_analyst'), (2, 'somebody'), (3, 'reads_analyst');
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON guarded USING (who = current_user);
GRANT SELECT ON guarded TO reads_analyst;
CREATE VIEW shown AS SELECT region, name FROM hidden WHERE region < 3;
GRANT SELECT ON shown TO reads_analyst;
SET ROLE reads_analyst;
CREATE TEMP TABLE mine (id int);
INSERT INTO mine VALUES (1), (2);
SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM guarded);
SELECT dp_count(*) FROM visits JOIN (SELECT id FROM guarded LIMIT 10) g ON g.id = clinic;
SELECT dp_count(*) FROM visits JOIN (SELECT id FROM mine) m ON m.id = clinic;
SELECT dp_count(*) FROM visits JOIN shown ON region = clinic;
SELECT dp_count(*) FROM visits JOIN (SELECT name FROM hidden LIMIT 10) h ON h.name = note;
-- other tables by their names
SELECT dp_count(*) FROM visits JOIN mine ON mine.id = clinic;
SELECT dp_count(*), dp_count(g.who) FROM visits LEFT JOIN guarded g ON g.id = clinic;
SELECT dp_count(*) FROM visits v, mine m WHERE m.id < v.clinic;
SELECT dp_count(*) FROM mine;
-- read when the statement is opened, under its snapshot, once; not by EXPLAIN, price() or what is not fetched
EXPLAIN (COSTS OFF, VERBOSE) SELECT dp_count(*) FROM visits WHERE cost > (SELECT counted());
SELECT aggregate, epsilon FROM dp_agg.price('SELECT dp_count(*) FROM visits WHERE cost > (SELECT counted())');
SELECT dp_count(*) FROM visits WHERE cost > (SELECT counted()) LIMIT 0;
SELECT a.n - b.n AS same FROM (SELECT dp_count(*) AS n FROM visits WHERE cost > (SELECT counted())) a, (SELECT dp_count(*) AS n FROM visits WHERE cost > (SELECT counted())) b;
BEGIN;
DECLARE here SCROLL CURSOR FOR SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM mine);
DECLARE there CURSOR FOR SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM mine);
FETCH here;
DELETE FROM mine WHERE id = 1;
FETCH FIRST FROM here;
FETCH there;
SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM mine);
DECLARE changed CURSOR FOR SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM mine);
ALTER TABLE mine ALTER id TYPE text;
FETCH changed;
ROLLBACK;
BEGIN;
DECLARE gone CURSOR FOR SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM mine);
DROP TABLE mine;
FETCH gone;
ROLLBACK;
-- a function that reads does not go on as another role, nor does it change what was priced
CREATE FUNCTION as_owner() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('role', 'none', false); RETURN 1; END $$;
CREATE FUNCTION finer() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('dp_agg.epsilon', '1', false), set_config('timezone', 'Asia/Tokyo', false); RETURN 15; END $$;
SELECT dp_count(*) FROM visits WHERE cost > (SELECT as_owner());
SELECT dp_count(*) FROM visits WHERE cost > (SELECT finer());
SELECT aggregate, epsilon FROM dp_agg.last_release();
RESET dp_agg.epsilon;
SET dp_agg.epsilon = 100000;
-- prepared statements read anew
CREATE TABLE chosen (id int);
INSERT INTO chosen VALUES (1);
PREPARE again AS SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM chosen);
EXECUTE again;
EXECUTE again;
INSERT INTO chosen VALUES (2);
EXECUTE again;
-- a kept answer is that of the values it was asked with
SET dp_agg.kept_max_age = '1 day';
SET dp_agg.epsilon = 100001;
CREATE FUNCTION costs(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT sum(statements) FROM dp_agg.budgets);
BEGIN
	EXECUTE query;
	PERFORM dp_agg.price('SELECT dp_count(*) FROM visits');
	RETURN (SELECT sum(statements) FROM dp_agg.budgets) - before;
END $$;
SELECT costs('SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM chosen)') AS asked, costs('SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM chosen)') AS again;
SELECT costs('SELECT dp_count(*) FROM visits WHERE clinic IN (2, 1)') AS the_same;
INSERT INTO chosen VALUES (3);
SELECT costs('SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM chosen)') AS changed, costs('SELECT dp_count(*) FROM visits WHERE clinic IN (SELECT id FROM chosen)') AS again;
SELECT costs('SELECT k.w, dp_count(*) FROM visits JOIN (VALUES (1, 5), (2, 6)) k(id, w) ON k.id = clinic GROUP BY k.w') AS asked,
	costs('SELECT k.w, dp_count(*) FROM visits JOIN (VALUES (1, 5), (2, 6)) k(id, w) ON k.id = clinic GROUP BY k.w') AS again,
	costs('SELECT k.w, dp_count(*) FROM visits JOIN (VALUES (1, 5), (2, 7)) k(id, w) ON k.id = clinic GROUP BY k.w') AS other_values,
	costs('SELECT k.w, dp_count(*) FROM visits JOIN (VALUES (5, 1), (6, 2)) k(w, id) ON k.w = clinic GROUP BY k.w') AS other_columns,
	costs('SELECT k.w, dp_count(*) FROM visits JOIN (VALUES (1, NULL::int), (2, 6)) k(id, w) ON k.id = clinic GROUP BY k.w') AS with_null,
	costs('SELECT k.w, dp_count(*) FROM visits JOIN (VALUES (1, 5::int8), (2, 6)) k(id, w) ON k.id = clinic GROUP BY k.w') AS other_type;
SELECT costs('SELECT dp_count(*) FROM visits, (SELECT 15 AS low) p WHERE cost > p.low') AS asked, costs('SELECT dp_count(*) FROM visits WHERE cost > 15') AS the_same;
SELECT costs('SELECT dp_count(*) FROM visits WHERE cost > (SELECT (random() * 1e9)::int)') AS random, costs('SELECT dp_count(*) FROM visits WHERE cost > (SELECT (random() * 1e9)::int)') AS another;
RESET dp_agg.kept_max_age;
-- what the ledger says
SELECT dp_count(*) FROM visits v JOIN (SELECT DISTINCT clinic FROM rates WHERE year = 2024) r USING (clinic), (SELECT 5 AS low) p WHERE v.cost > p.low AND v.cost < (SELECT max(id) * 100 FROM clinics) AND note LIKE concat('n', '%');
RESET ROLE;
SELECT releases->0->'relations' AS relations, releases->0->>'where' AS conditions FROM dp_agg.ledger ORDER BY id DESC LIMIT 1;
SET client_min_messages = warning;
DROP SCHEMA reads CASCADE;
DROP OWNED BY reads_owner, reads_analyst;
DROP EXTENSION dp_agg;
DROP ROLE reads_owner, reads_analyst;
