--
-- bounded: what is done before a charge ends, in bounded memory, whoever asks
--
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE ROLE bounded_analyst;
CREATE SCHEMA bounded;
GRANT USAGE, CREATE ON SCHEMA bounded TO bounded_analyst;
SET search_path = bounded, public;
CREATE TABLE people (id int PRIMARY KEY, age int, city text, smoker bool);
INSERT INTO people SELECT i, i % 90, (ARRAY['Bern', 'Oslo', 'Rome'])[1 + i % 3], i % 4 = 0 FROM generate_series(1, 300) i;
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE TABLE cities (name text PRIMARY KEY);
INSERT INTO cities VALUES ('Bern'), ('Oslo'), ('Rome');
CREATE TABLE moods (id int PRIMARY KEY, mood mood, city text REFERENCES cities);
GRANT SELECT ON cities TO bounded_analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('moods', 'id'), dp_agg.set_domain('people', 'age', 0, 120),
	dp_agg.set_budget('bounded_analyst', 1e6, 1e-5);
SET ROLE bounded_analyst;
SET dp_agg.epsilon = 1;

-- how a statement ends: its SQLSTATE and message
CREATE FUNCTION ends(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 'ends';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;

-- a refused block with public keys, wherever its aggregate stands, and whatever makes the keys public
SET statement_timeout = '60s';
SELECT keys, place, ends(format(place, keys, of)) FROM (VALUES
	('smoker', 'people'), ('mood', 'moods'), ('city', 'moods')) t (keys, of), (VALUES
	('SELECT %1$s, (SELECT count(%2$s.id)) FROM %2$s GROUP BY %1$s'),
	('SELECT %1$s FROM %2$s GROUP BY %1$s HAVING (SELECT count(%2$s.id)) > 1'),
	('SELECT %1$s FROM %2$s GROUP BY %1$s ORDER BY (SELECT count(%2$s.id))'),
	('SELECT DISTINCT ON ((SELECT count(%2$s.id))) %1$s FROM %2$s GROUP BY %1$s'),
	('SELECT %1$s, (SELECT x FROM (SELECT sum(%2$s.id)) s (x)) FROM %2$s GROUP BY %1$s')) p (place) ORDER BY keys, place;

-- limits are looked at before what they limit is made
SELECT ends(format('SELECT percentile_cont(%L::float8[]) WITHIN GROUP (ORDER BY age) FROM people',
	(SELECT array_agg(i / 100000.0) FROM generate_series(0, 100000) i)));
SELECT ends(format('SELECT percentile_disc(%L::float8[][]) WITHIN GROUP (ORDER BY age) FROM people',
	(SELECT array_agg(ARRAY[i / 1000.0]) FROM generate_series(0, 1000) i)));

-- memory is bounded: planning any of these took gigabytes, or no end
SELECT ends('SELECT count(*) FROM (' || string_agg('SELECT id FROM people', ' UNION ') || ') x') FROM generate_series(1, 500);
SELECT ends('SELECT count(*) FROM (' || repeat('(SELECT id FROM people) EXCEPT (', 400) || 'SELECT id FROM people' || repeat(')', 400) || ') x');
SELECT ends('SELECT count(*) FROM people p0 ' || string_agg(format('FULL JOIN people p%s USING (id)', i), ' ')) FROM generate_series(1, 300) i;
SELECT ends('SELECT ' || (SELECT string_agg(format('count(*) FILTER (WHERE age > %s)', i), ', ') FROM generate_series(1, 500) i) ||
	' FROM people GROUP BY GROUPING SETS (' || (SELECT string_agg('(city)', ', ') FROM generate_series(1, 300)) || ')');
-- WITH queries that are referred to twice, each by the next: 2 ^ 30 copies
SELECT ends('WITH w0 AS (SELECT id FROM people), ' ||
	string_agg(format('w%s AS (SELECT id FROM w%s UNION ALL SELECT id FROM w%2$s)', i, i - 1), ', ') ||
	' SELECT count(*) FROM w30') FROM generate_series(1, 30) i;
-- the same where nothing is asked of the rows
SELECT ends('WITH w0 AS (SELECT id FROM people WHERE false), ' ||
	string_agg(format('w%s AS (SELECT id FROM w%s UNION ALL SELECT id FROM w%2$s)', i, i - 1), ', ') ||
	' SELECT id FROM w30') FROM generate_series(1, 30) i;
-- nor is it looked for more than once who may read them
RESET ROLE;
SELECT ends('WITH w0 AS (SELECT id FROM bounded.people WHERE false), ' ||
	string_agg(format('w%s AS (SELECT id FROM w%s UNION ALL SELECT id FROM w%2$s)', i, i - 1), ', ') ||
	' SELECT id FROM w20 UNION ALL SELECT count(*) FROM w20') FROM generate_series(1, 20) i;
SELECT event, left(statement, 60) AS statement FROM dp_agg.ledger WHERE statement IS NOT NULL;

-- many releases do not make PostgreSQL generate code for what is above them
SET ROLE bounded_analyst;
SET jit = on;
CREATE FUNCTION cost(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || statement INTO plan;
	RETURN plan #>> '{0,Plan,Total Cost}';
END $$;
SELECT cost('SELECT count(*) FROM people') AS one,
	cost('SELECT count(*) FROM people GROUP BY CUBE (smoker, age > 1, age > 2, age > 3, age > 4, age > 5, age > 6, age > 7, age > 8)')
	< 100000 AS cheap;
RESET ROLE;
DROP SCHEMA bounded CASCADE;
DROP EXTENSION dp_agg;
DROP OWNED BY bounded_analyst;
DROP ROLE bounded_analyst;
