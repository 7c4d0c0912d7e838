--
-- gate_from: what a block may not read
--
CREATE EXTENSION dp_agg;
-- What could multiply rows is refused as such: see fan_out.
SET dp_agg.max_join_rows = 1;
-- Plain aggregates have a topic of their own (plain).
SET dp_agg.plain_aggregates = off;
CREATE ROLE from_owner;
CREATE ROLE from_analyst;
CREATE SCHEMA from_where;
GRANT ALL ON SCHEMA from_where TO from_owner, from_analyst;
SET search_path = from_where, public;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO from_owner;
SELECT dp_agg.set_budget('from_analyst', 1e6, 1e-3);
SET ROLE from_owner;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
CREATE TABLE visits (person int, age int);
CREATE TABLE bounded (id int PRIMARY KEY, age int);
CREATE TABLE parent (id int PRIMARY KEY, age int);
CREATE TABLE parts (id int, age int) PARTITION BY RANGE (id);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (50);
CREATE TABLE parts_high PARTITION OF parts FOR VALUES FROM (50) TO (MAXVALUE);
INSERT INTO people SELECT i, 'city ' || i % 2, i FROM generate_series(1, 100) i;
INSERT INTO parts SELECT i, i FROM generate_series(1, 100) i;
INSERT INTO parent SELECT i, i FROM generate_series(1, 100) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person'), dp_agg.protect('bounded', 'id'),
	dp_agg.protect('parent', 'id'), dp_agg.protect('parts', 'id');
CREATE VIEW people_hidden AS SELECT * FROM people;
RESET ROLE;
CREATE TABLE stranger (id int PRIMARY KEY, age int);
SET ROLE from_analyst;
CREATE TABLE mine (id int PRIMARY KEY, x int);
INSERT INTO mine VALUES (1, 1);

-- joins that multiply rows, or keep others than protected ones
SELECT dp_count(*) FROM people, mine;
\echo :SQLSTATE
SELECT dp_count(*) FROM people NATURAL FULL JOIN mine;
\echo :SQLSTATE
SELECT dp_count(*) FROM people CROSS JOIN generate_series(1, 5);
\echo :SQLSTATE
SELECT dp_count(*) FROM people, LATERAL (SELECT people.age LIMIT 1) s;
\echo :SQLSTATE

\set VERBOSITY terse
-- what is no table
SELECT dp_count(*);
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT dp_count(*) FROM people) s;
\echo :SQLSTATE
WITH RECURSIVE c AS (SELECT id FROM people UNION SELECT id FROM c) SELECT dp_count(*) FROM c;
\echo :SQLSTATE
WITH c AS (SELECT dp_count(*) AS n FROM people) SELECT dp_count(*) FROM c;
\echo :SQLSTATE
SELECT dp_count(*) FROM generate_series(1, 5) g;
\echo :SQLSTATE
SELECT dp_count(*) FROM (VALUES (1), (2)) v;
\echo :SQLSTATE
SELECT dp_count(*) FROM dp_histogram('people', 'age', 0, 100, 5);
\echo :SQLSTATE
SELECT dp_count(*) FROM people TABLESAMPLE BERNOULLI (50);
\echo :SQLSTATE
SELECT dp_count(*) FROM people TABLESAMPLE SYSTEM (50) REPEATABLE (1);
\echo :SQLSTATE

-- subqueries and views that do more than filter and rename
SELECT dp_count(*) FROM (SELECT * FROM people LIMIT 5) s;
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT DISTINCT city FROM people) s;
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT city FROM people GROUP BY city) s;
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT count(*) FROM people) s;
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT id, rank() OVER (ORDER BY age) FROM people) s;
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT id, generate_series(1, age) FROM people) s;
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT id, random() AS r FROM people) s WHERE r < 0.5;
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT * FROM people, mine) s;
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT * FROM people FOR UPDATE) s;
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT * FROM people TABLESAMPLE SYSTEM (50)) s;
\echo :SQLSTATE
SELECT dp_count(m) FROM (SELECT *, (SELECT max(x) FROM mine WHERE mine.id + people.id = 3) AS m FROM people) s;
\echo :SQLSTATE
SELECT dp_count(*) FROM (SELECT * FROM people WHERE EXISTS (SELECT FROM mine WHERE mine.id + people.id = 3)) s;
\echo :SQLSTATE
CREATE FUNCTION tell(int) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE WARNING ''told %'', $1; RETURN true; END';
SELECT dp_count(*) FROM (SELECT * FROM people WHERE tell(age)) s;
\echo :SQLSTATE
SELECT dp_count(t) FROM (SELECT tell(age) AS t FROM people) s;
\echo :SQLSTATE
SELECT t, dp_count(*) FROM (SELECT tell(age) AS t FROM people) s GROUP BY t;
\echo :SQLSTATE
CREATE VIEW telling AS SELECT id, city, tell(age) AS told FROM people;
SELECT dp_count(*) FROM telling WHERE told;
\echo :SQLSTATE
CREATE VIEW guarded WITH (security_barrier) AS SELECT * FROM people WHERE tell(age);
SELECT dp_count(*) FROM guarded;
\echo :SQLSTATE
-- a view of someone else's, over a table of the owner's
RESET ROLE;
CREATE VIEW foreign_view AS SELECT * FROM people;
SET ROLE from_analyst;
SELECT dp_count(*) FROM foreign_view;
\echo :SQLSTATE
-- what is merged grants nothing beside the block
SELECT dp_count(*), (SELECT count(*) FROM people_hidden) FROM people_hidden;
\echo :SQLSTATE

-- tables that are not protected
SELECT dp_count(*) FROM mine;
\echo :SQLSTATE
SELECT dp_count(*) FROM stranger;
\echo :SQLSTATE
SELECT dp_count(*) FROM pg_authid;
\echo :SQLSTATE
SELECT dp_count(*) FROM missing;
\echo :SQLSTATE
-- a partition, apart from the table it is part of
SELECT dp_count(*) FROM parts_low;
\echo :SQLSTATE
SELECT count(*) FROM parts_low;
\echo :SQLSTATE

-- tables changed since they were protected
RESET ROLE;
CREATE TABLE child () INHERITS (parent);
SET ROLE from_analyst;
SELECT dp_count(*) FROM parent;
\echo :SQLSTATE
SELECT dp_count(*) FROM ONLY parent;
\echo :SQLSTATE
SELECT dp_count(*) FROM child;
\echo :SQLSTATE
SELECT statements, refusals FROM dp_agg.budgets;
RESET ROLE;
ALTER TABLE child OWNER TO from_owner;
INSERT INTO child SELECT i, i FROM generate_series(101, 300) i;
SET ROLE from_analyst;

-- and what may be read: under another name, only this table, all partitions
SET dp_agg.epsilon = 50;
-- off by 10 or more with a probability of 4e-218
SELECT abs(dp_count(*) - 100) <= 10 AS right FROM people AS p (key, place, years) WHERE p.years > 0;
SELECT abs(dp_count(*) - 100) <= 10 AS right FROM ONLY people;
SELECT abs(dp_count(*) - 100) <= 10 AS right FROM from_where.people *;
SELECT abs(dp_count(*) - 100) <= 10 AS right FROM parts;
SELECT abs(dp_count(*)) <= 10 AS right FROM ONLY parts;
SELECT abs(dp_count(*) - 300) <= 10 AS right FROM parent;
SELECT abs(dp_count(*) - 100) <= 10 AS right FROM ONLY parent;
-- whose rights the owner reads with: those of the owner at the time
RESET ROLE;
ALTER TABLE people OWNER TO from_analyst;
REVOKE ALL ON people FROM from_analyst;
SET ROLE from_analyst;
SELECT dp_count(*) FROM people;
\echo :SQLSTATE
RESET ROLE;
ALTER TABLE people OWNER TO from_owner;
GRANT ALL ON people TO from_owner;
SET ROLE from_analyst;
SELECT abs(dp_count(*) - 100) <= 10 AS right FROM people;
SELECT count(*) FROM people;
\echo :SQLSTATE

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA from_where CASCADE;
DROP OWNED BY from_owner;
DROP EXTENSION dp_agg;
DROP ROLE from_owner, from_analyst;
