--
-- public_values: what is read of public rows takes memory as arrays do, whatever it is used for
--
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE SCHEMA public_values;
SET search_path = public_values, public;
CREATE TABLE people (id int PRIMARY KEY, age int, name text);
INSERT INTO people SELECT i, i % 100, md5(i::text) FROM generate_series(1, 2000) i;
CREATE TABLE pairs AS SELECT i AS x, i AS y FROM generate_series(1, 300000) i;
VACUUM ANALYZE people, pairs;
CREATE ROLE public_values_analyst;
GRANT USAGE ON SCHEMA public_values TO public_values_analyst;
GRANT SELECT ON pairs TO public_values_analyst;
GRANT pg_read_server_files TO public_values_analyst;
GRANT EXECUTE ON FUNCTION pg_read_file(text) TO public_values_analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.set_budget('public_values_analyst', 1e12, 1e-3);

-- Megabytes that this session has had at most: Linux counts them.  Shared buffers that it touched are left out, for
-- they depend on what ran before.  At epsilon 100,000 no answer here is off with a probability above 1e-200.
CREATE FUNCTION most() RETURNS int LANGUAGE sql AS $$
	SELECT ((regexp_match(s, 'VmHWM:\s+(\d+)'))[1]::int - (regexp_match(s, 'RssShmem:\s+(\d+)'))[1]::int) / 1024 FROM pg_read_file('/proc/self/status') s $$;
CREATE FUNCTION taken(query text, megabytes int, OUT n bigint, OUT held text) LANGUAGE plpgsql AS $$
DECLARE before int := public_values.most();
BEGIN
	EXECUTE query INTO n;
	held := public_values.most() - before;
	IF held::int <= megabytes THEN held := 'little'; END IF;
END $$;
SET dp_agg.epsilon = 100000;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET ROLE public_values_analyst;
SELECT * FROM taken('SELECT count(*) FROM people WHERE age IN (SELECT 5)', 20);
SELECT * FROM taken('SELECT count(*) FROM people WHERE age IN (SELECT i FROM generate_series(1, 500000) i)', 40);
SELECT * FROM taken('SELECT count(*) FROM people WHERE age = ANY (ARRAY(SELECT i FROM generate_series(1, 500000) i))', 30);
SELECT * FROM taken('SELECT count(*) FROM people WHERE (age, id) IN (SELECT i, i FROM generate_series(1, 300000) i)', 50);
SELECT * FROM taken('SELECT count(*) FROM people WHERE (age, id) NOT IN (SELECT i, i FROM generate_series(1, 300000) i)', 60);
SELECT * FROM taken('SELECT count(*) FROM people WHERE (age, id, age + 1) NOT IN (SELECT i, i, i FROM generate_series(1, 150000) i)', 100);
SELECT * FROM taken('SELECT count(*) FROM people JOIN (SELECT DISTINCT g FROM generate_series(1, 500000) g) s ON s.g = people.age', 30);
SELECT * FROM taken('SELECT count(*) FROM people WHERE EXISTS (SELECT FROM pairs WHERE pairs.x = people.age)', 30);
SELECT * FROM taken('SELECT count(*) FROM people WHERE name IN (SELECT md5(i::text) FROM generate_series(1001, 300000) i)', 70);
SELECT * FROM taken('SELECT count(*) FROM (SELECT k.x, k.y, count(people.id) FROM (SELECT DISTINCT x, y FROM pairs) k LEFT JOIN people ON people.age = k.x GROUP BY k.x, k.y) s', 60);

-- Nearly as much as there may be.
SELECT count(*) FROM people WHERE name = ANY (ARRAY(SELECT repeat('x', 1000) || i FROM generate_series(1, 55000) i));
-- More than 64 MB is not read to its end.  Values that are small count four bytes each.
SELECT count(*) FROM people WHERE (age, name) IN (SELECT i, repeat(md5(i::text), 32) FROM generate_series(1, 70000) i);
SELECT count(*) FROM people WHERE (age = 1) = ANY (ARRAY(SELECT generate_series(1, 17000000) > 0));
RESET ROLE;
SELECT CASE WHEN most() < 430 THEN 'little' ELSE most() || ' MB' END AS held;

-- NULL, none, texts of any length, numbers by value and by reference: the arrays are those that PostgreSQL makes.
SET ROLE public_values_analyst;
SELECT count(*) FROM people JOIN (SELECT DISTINCT nullif(g, 3) AS g FROM generate_series(1, 5) g) s ON s.g = people.age;
SELECT count(*) FROM people JOIN (SELECT DISTINCT g, NULL::text AS t FROM generate_series(1, 20) g) s ON s.g = people.age WHERE t IS NULL;
SELECT count(*) FROM people JOIN (SELECT DISTINCT g FROM generate_series(1, 0) g) s ON s.g = people.age;
SELECT count(*) FROM people WHERE age = ANY (ARRAY(SELECT g FROM generate_series(1, 0) g));
SELECT count(*) FROM people WHERE age <> ALL (ARRAY(SELECT g FROM generate_series(1, 0) g));
SELECT count(*) FROM people WHERE age <> ALL (ARRAY(SELECT nullif(g, 3) FROM generate_series(1, 5) g));
SELECT count(*) FROM people WHERE age::numeric = ANY (ARRAY(SELECT g + 0.0 FROM generate_series(1, 5) g));
SELECT count(*) FROM people WHERE age::int2 = ANY (ARRAY(SELECT g::int2 FROM generate_series(1, 20000) g));
SELECT count(*) FROM people JOIN (SELECT DISTINCT CASE WHEN g > 2 THEN md5(g::text) ELSE repeat('x', g * 50000) END AS t, g % 2 = 0 AS even, g::float8 AS f FROM generate_series(1, 9) g) s ON s.t = people.name WHERE even AND f < 7;
WITH w AS (SELECT g FROM generate_series(1, 5) g) SELECT count(*) FROM people WHERE age = ANY (ARRAY(SELECT g FROM w ORDER BY g DESC LIMIT 2));
SELECT count(*) FROM people WHERE age IN (SELECT generate_series(1, 3)) OR age = ANY (ARRAY(SELECT array_agg(g) FROM generate_series(1, 3) g));
-- Many values are part of the question as few are: as a list their order does not count, as rows it does.  A list is rows in order.
SET dp_agg.kept_max_age = '1 day';
SELECT count(*) FROM people WHERE age IN (SELECT i FROM generate_series(51, 40000) i);
SELECT count(*) FROM people WHERE age IN (SELECT i FROM generate_series(40000, 51, -1) i);
SELECT count(*) FROM people WHERE age IN (SELECT i FROM generate_series(51, 40000) i, generate_series(1, 2));
SELECT count(*) FROM people WHERE age IN (SELECT i FROM generate_series(51, 40001) i);
SELECT count(*) FROM people WHERE age IN (SELECT i FROM generate_series(51, 40000) i WHERE i <> 5000);
SELECT count(*) FROM people WHERE age IN (SELECT nullif(i, 40001) FROM generate_series(51, 40001) i);
SELECT count(*) FROM people JOIN generate_series(51, 40000) i ON i = age;
SELECT count(*) FROM people JOIN generate_series(51, 40000) i ON i = age;
SELECT count(*) FROM people JOIN generate_series(40000, 51, -1) i ON i = age;
RESET ROLE;
SELECT count(*) AS drawn FROM dp_agg.ledger WHERE admitted AND statement LIKE '%4000%';
SET client_min_messages = warning;
DROP SCHEMA public_values CASCADE;
SELECT dp_agg.drop_budget('public_values_analyst');
DROP OWNED BY public_values_analyst;
DROP ROLE public_values_analyst;
DROP EXTENSION dp_agg;
