--
-- gate_routes: every way a statement reaches the executor passes the gate, and
-- the role outside any SECURITY DEFINER function pays
--
\set VERBOSITY sqlstate
CREATE EXTENSION dp_agg;
CREATE ROLE routes_analyst;
CREATE ROLE routes_colleague;
CREATE ROLE routes_team;
GRANT routes_team TO routes_analyst;
CREATE SCHEMA routes AUTHORIZATION routes_analyst;
GRANT ALL ON SCHEMA routes TO routes_colleague;
SET search_path = routes, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 2, i % 100 FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget('routes_analyst', 1e6, 1e-3), dp_agg.set_budget('routes_colleague', 1e6, 1e-3);
-- Counts at epsilon 50 are off by 10 or more with a probability of 4e-218.
SET dp_agg.epsilon = 50;
-- How many statements were admitted since this was last asked, by role.
CREATE TABLE before (role regrole, statements bigint);
CREATE FUNCTION paid(OUT analyst bigint, OUT colleague bigint, OUT others bigint) LANGUAGE plpgsql
SECURITY DEFINER SET search_path = routes, pg_temp AS $$
BEGIN
	SELECT sum(n) FILTER (WHERE role = 'routes_analyst'::regrole), sum(n) FILTER (WHERE role = 'routes_colleague'::regrole),
		sum(n) FILTER (WHERE role NOT IN ('routes_analyst'::regrole, 'routes_colleague'::regrole)) INTO analyst, colleague, others
		FROM (SELECT b.role, b.statements - COALESCE(p.statements, 0) AS n FROM dp_agg.budget b LEFT JOIN before p USING (role)) s;
	DELETE FROM before;
	INSERT INTO before SELECT b.role, b.statements FROM dp_agg.budget b;
END $$;
SELECT * FROM paid();
SET ROLE routes_analyst;

-- views, of the analyst's own and of others, over others
CREATE VIEW v AS SELECT city, dp_count(*) AS people, dp_avg(age, 0, 100) AS age FROM people GROUP BY city;
SELECT city, abs(people - 500) <= 10 AS right FROM v;
CREATE VIEW vv WITH (security_barrier) AS SELECT city FROM v WHERE people > 100;
GRANT SELECT ON vv TO routes_colleague;
SELECT * FROM vv;
SELECT * FROM paid();
SET ROLE routes_colleague;
SELECT * FROM vv;
SELECT * FROM v;
SELECT * FROM paid();
SET ROLE routes_team;
SELECT * FROM routes.vv;
SET ROLE routes_analyst;
CREATE VIEW h AS SELECT * FROM dp_histogram('people', 'age', 0, 100, 4);
SELECT bin, abs(count - 250) <= 10 AS right FROM h;
CREATE RECURSIVE VIEW r (n, people) AS SELECT 1, dp_count(*) FROM people UNION ALL SELECT n + 1, people FROM r WHERE n < 3;
SELECT count(*), max(people) = min(people) AS same FROM r;
-- a view of the table's owner needs a grant like any other, whatever it is over
RESET ROLE;
CREATE TABLE secret AS SELECT 4711 AS n;
CREATE VIEW owners AS SELECT dp_count(*), (SELECT max(n) FROM secret) AS secret FROM people;
CREATE VIEW over_view AS SELECT dp_count(*), (SELECT max(n) FROM secret) AS secret FROM (SELECT * FROM people) p;
CREATE VIEW plain AS SELECT * FROM secret;
CREATE VIEW rows AS SELECT * FROM people;
SET ROLE routes_analyst;
SELECT * FROM owners;
SELECT * FROM over_view;
SELECT dp_count(*), (SELECT max(n) FROM plain) FROM rows;
SELECT (SELECT secret FROM owners), dp_count(*) FROM rows;
SELECT dp_count(*), (SELECT max(n) FROM secret) FROM rows;
SELECT abs(dp_count(*) - 1000) <= 10 AS right FROM rows;
RESET ROLE;
GRANT SELECT ON owners TO routes_analyst;
SET ROLE routes_analyst;
SELECT abs(dp_count - 1000) <= 10 AS right, secret FROM owners;
SELECT * FROM paid();

-- functions
CREATE FUNCTION f_sql() RETURNS bigint LANGUAGE sql AS 'SELECT dp_count(*) FROM people';
CREATE FUNCTION f_atomic() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT dp_count(*) FROM people; END;
CREATE FUNCTION f_set() RETURNS TABLE (city text, people bigint) LANGUAGE sql AS
	'SELECT city, dp_count(*) FROM people GROUP BY city';
CREATE FUNCTION f_plpgsql(older int) RETURNS bigint LANGUAGE plpgsql AS
	'BEGIN RETURN (SELECT dp_count(*) FROM people WHERE age >= older); END';
CREATE FUNCTION f_assigned() RETURNS bigint LANGUAGE plpgsql AS
	'DECLARE n bigint := dp_count(*) FROM people; BEGIN RETURN n; END';
CREATE FUNCTION f_dynamic(query text) RETURNS bigint LANGUAGE plpgsql AS
	'DECLARE n bigint; BEGIN EXECUTE query INTO n USING 50; RETURN n; END';
CREATE FUNCTION f_loop() RETURNS bigint LANGUAGE plpgsql AS
	'DECLARE n bigint := 0; r record; BEGIN FOR r IN SELECT city, dp_count(*) AS people FROM people GROUP BY city LOOP n := n + r.people; END LOOP; RETURN n; END';
SELECT abs(f_sql() - 1000) <= 10, abs(f_atomic() - 1000) <= 10, (SELECT count(*) FROM f_set()) = 2,
	abs(f_plpgsql(50) - 500) <= 10, abs(f_assigned() - 1000) <= 10,
	abs(f_dynamic('SELECT dp_count(*) FROM people WHERE age < $1') - 500) <= 10, abs(f_loop() - 1000) <= 10;
SELECT * FROM paid();
-- once for each call
SELECT count(f_plpgsql(g)) FROM generate_series(1, 8) g;
SELECT * FROM paid();
DO $$ BEGIN PERFORM dp_count(*) FROM people; END $$;
CREATE PROCEDURE p(INOUT n bigint) LANGUAGE plpgsql AS
	'BEGIN SELECT dp_count(*) INTO n FROM people; COMMIT; SELECT n + dp_count(*) INTO n FROM people; ROLLBACK; END';
CALL p(NULL) \gset
SELECT abs(:n - 2000) <= 20 AS right;
SELECT * FROM paid();

-- SECURITY DEFINER: the caller pays, and needs a budget of its own
ALTER FUNCTION f_plpgsql(int) SECURITY DEFINER SET search_path = routes, public, pg_temp;
SET ROLE routes_colleague;
SELECT abs(f_plpgsql(50) - 500) <= 10 AS right;
SELECT * FROM paid();
SET ROLE routes_team;
SELECT routes.f_plpgsql(50);
RESET ROLE;
SELECT routes.f_plpgsql(50);
CREATE FUNCTION f_owner() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = routes, public, pg_temp
	AS 'SELECT dp_count(*) FROM people';
SET ROLE routes_analyst;
SELECT abs(f_owner() - 1000) <= 10 AS right;
SELECT * FROM paid();
-- SET ROLE: the role in effect pays, membership alone gives nothing
SET ROLE routes_team;
SELECT dp_count(*) FROM routes.people;
RESET ROLE;
GRANT USAGE ON SCHEMA routes TO routes_team;
SET ROLE routes_team;
SELECT dp_count(*) FROM routes.people;
RESET ROLE;
SELECT dp_agg.set_budget('routes_team', 100, 1e-3);
SET ROLE routes_team;
SELECT abs(dp_count(*) - 1000) <= 10 AS right FROM routes.people;
SET ROLE routes_analyst;
SELECT * FROM paid();
-- a statement planned for one role and run by another
PREPARE counting AS SELECT abs(dp_count(*) - 1000) <= 10 AS right FROM people;
EXECUTE counting;
SET ROLE routes_colleague;
EXECUTE counting;
SET ROLE routes_team;
EXECUTE counting;
SET ROLE routes_analyst;
SELECT * FROM paid();

-- statements that keep the answer
CREATE TABLE t AS SELECT city, dp_count(*) AS people FROM people GROUP BY city;
SELECT dp_count(*) AS people INTO t2 FROM people;
INSERT INTO t SELECT 'all', dp_count(*) FROM people RETURNING city, abs(people - 1000) <= 10 AS right;
INSERT INTO t VALUES ('young', (SELECT dp_count(*) FROM people WHERE age < 50));
WITH c AS (SELECT dp_count(*) AS n FROM people) INSERT INTO t SELECT 'twice', 2 * n FROM c;
INSERT INTO t SELECT 'bins', sum(count) FROM dp_histogram('people', 'age', 0, 100, 4);
SELECT city, round(people, -2) FROM t UNION ALL SELECT 't2', round(people, -2) FROM t2 ORDER BY 1;
SELECT * FROM paid();
CREATE TABLE t3 AS EXECUTE counting;
CREATE MATERIALIZED VIEW m AS SELECT city, dp_count(*) AS people FROM people GROUP BY city;
SELECT city, abs(people - 500) <= 10 AS right FROM m;
SELECT * FROM paid();
REFRESH MATERIALIZED VIEW m;
CREATE UNIQUE INDEX ON m (city);
REFRESH MATERIALIZED VIEW CONCURRENTLY m;
SELECT * FROM paid();
REFRESH MATERIALIZED VIEW m WITH NO DATA;
CREATE TABLE t4 AS SELECT dp_count(*) FROM people WITH NO DATA;
CREATE MATERIALIZED VIEW m2 AS SELECT dp_count(*) FROM people WITH NO DATA;
SELECT * FROM paid();
COPY (SELECT city, abs(dp_count(*) - 500) <= 10 FROM people GROUP BY city) TO STDOUT;
COPY (SELECT abs(sum(count) - 1000) <= 40 FROM dp_histogram('people', 'age', 0, 100, 4)) TO STDOUT WITH (FORMAT csv, HEADER);
SELECT * FROM paid();
-- rules, triggers, defaults, check options
CREATE TABLE log (n bigint);
CREATE RULE log AS ON INSERT TO t2 DO ALSO INSERT INTO log SELECT dp_count(*) FROM people;
INSERT INTO t2 VALUES (1);
SELECT * FROM paid();
CREATE FUNCTION count_people() RETURNS trigger LANGUAGE plpgsql AS
	'BEGIN NEW.n := (SELECT dp_count(*) FROM people); RETURN NEW; END';
CREATE TRIGGER count_people BEFORE INSERT ON log FOR EACH ROW EXECUTE FUNCTION count_people();
INSERT INTO log VALUES (1), (2);
ALTER TABLE log ALTER n SET DEFAULT f_sql();
INSERT INTO log DEFAULT VALUES;
SELECT count(*), bool_and(abs(n - 1000) <= 10) AS right FROM log;
SELECT * FROM paid();
-- cursors
BEGIN;
DECLARE c CURSOR FOR SELECT city, abs(dp_count(*) - 500) <= 10 FROM people GROUP BY city;
FETCH 1 FROM c;
FETCH 1 FROM c;
FETCH 1 FROM c;
COMMIT;
SELECT * FROM paid();
-- a function the planner runs
CREATE FUNCTION f_immutable() RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS
	'BEGIN RETURN (SELECT dp_count(*) FROM people); END';
SELECT abs(f_immutable() - 1000) <= 10 AS right;
SELECT abs(dp_count(*) - f_immutable()) <= 10 AS right FROM people;
SELECT * FROM paid();
EXPLAIN (COSTS OFF) SELECT f_immutable() > 0;
SELECT * FROM paid();

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA routes CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE routes_analyst, routes_colleague, routes_team;
