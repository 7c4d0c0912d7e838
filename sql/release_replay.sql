--
-- release_replay: one charge is one draw, however often the answer is read;
-- another execution is another charge and another draw
--
CREATE EXTENSION dp_agg;
CREATE ROLE replay_analyst;
CREATE SCHEMA replay AUTHORIZATION replay_analyst;
SET search_path = replay, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 3, i % 100 FROM generate_series(1, 3000) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget('replay_analyst', 1000, 1e-6);
SET ROLE replay_analyst;
CREATE FUNCTION statements() RETURNS bigint LANGUAGE sql AS
$$ SELECT statements FROM dp_agg.budgets $$;

-- Noise of deviation 1.4e6: a second draw would equal the first with a
-- probability of 2.5e-7, and all of eight draws the first with one of 4e-46.
SET dp_agg.epsilon = 1e-6;
SET work_mem = '64kB';

-- a nested loop reads the block a thousand times
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
EXPLAIN (COSTS OFF)
SELECT count(s.c) FROM generate_series(1, 1000) g LEFT JOIN
	(SELECT dp_count(*) AS c FROM people) s ON s.c IS NULL OR g > 0;
SELECT count(*), count(s.c), count(DISTINCT s.c) FROM generate_series(1, 1000) g LEFT JOIN
	(SELECT dp_count(*) AS c FROM people) s ON s.c IS NULL OR g > 0;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
SELECT statements();

-- uncorrelated subquery, correlated subquery whose block is not
SELECT count(*), count(DISTINCT (SELECT dp_count(*) FROM people)) FROM generate_series(1, 1000) g;
SELECT statements();
SELECT count(*), count(DISTINCT (SELECT s.c + g - g FROM (SELECT dp_count(*) AS c FROM people) s WHERE g > 0))
	FROM generate_series(1, 1000) g;
SELECT statements();
SELECT count(*), count(DISTINCT (SELECT dp_count(*) + g - g FROM people)) FROM generate_series(1, 1000) g;
SELECT statements();
SELECT count(*), count(DISTINCT s.c) FROM generate_series(1, 1000) g, LATERAL
	(SELECT dp_count(*) + g - g AS c FROM people) s;
SELECT statements();

-- a recursive query
WITH RECURSIVE r AS (
	SELECT 1 AS n, NULL::bigint AS c
	UNION ALL SELECT n + 1, s.c FROM r, (SELECT dp_count(*) AS c FROM people) s WHERE n < 100)
SELECT count(*), count(c), count(DISTINCT c) FROM r;
SELECT statements();

-- twice through a common table expression, materialized or not
WITH c AS (SELECT dp_count(*) FROM people)
SELECT count(DISTINCT a.dp_count), bool_and(a = b) FROM c a, c b;
SELECT statements();
WITH c AS NOT MATERIALIZED (SELECT dp_count(*) FROM people)
SELECT count(DISTINCT a.dp_count), bool_and(a = b) FROM c a, c b;
SELECT statements();

-- the same aggregate twice, here and in HAVING and ORDER BY, is one release
SELECT dp_count(*) = dp_count(*) FROM people HAVING dp_count(*) IS NOT NULL ORDER BY dp_count(*);
SELECT statements();
RESET ROLE;
SELECT jsonb_array_length(releases->0->'releases') FROM dp_agg.ledger ORDER BY id DESC LIMIT 1;
SET ROLE replay_analyst;

-- a subquery the planner would like to copy
SELECT s.c = s.d, s.c = (s.c + s.d) / 2 FROM
	(SELECT x AS c, x AS d FROM (SELECT (SELECT dp_count(*) FROM people) AS x) t) s;
SELECT statements();

-- a scrollable cursor, forwards and back
CREATE TABLE seen (c bigint);
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT dp_count(*) FROM people;
CREATE FUNCTION look(INOUT direction text, OUT c bigint) LANGUAGE plpgsql AS
$$ DECLARE cursor refcursor = 'c'; BEGIN
	IF direction = 'first' THEN FETCH FIRST FROM cursor INTO c;
	ELSIF direction = 'last' THEN FETCH LAST FROM cursor INTO c;
	ELSIF direction = 'prior' THEN FETCH PRIOR FROM cursor INTO c;
	ELSIF direction = 'absolute' THEN FETCH ABSOLUTE 1 FROM cursor INTO c;
	ELSE FETCH NEXT FROM cursor INTO c; END IF;
END $$;
SELECT direction, c = first_value(c) OVER (ORDER BY ordinality) AS same
	FROM unnest('{first,next,prior,last,absolute}'::text[]) WITH ORDINALITY AS d (name, ordinality), look(d.name)
	ORDER BY ordinality;
MOVE BACKWARD ALL IN c;
INSERT INTO seen SELECT c FROM look('next');
COMMIT;
SELECT statements();

-- a cursor that outlives its transaction
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT dp_count(*) FROM people;
SELECT c - c FROM look('next');
COMMIT;
SELECT count(DISTINCT c), count(*) FROM unnest('{first,absolute,last}'::text[]) d, look(d);
CLOSE c;
SELECT statements();

-- groups: about 1000 people each, noise of deviation 28, threshold near 410; a
-- group is missed with a probability of 1e-13
SET dp_agg.epsilon = 0.05;
WITH s AS (SELECT city, dp_count(*) AS c FROM people GROUP BY city)
SELECT count(*), bool_and(a.c = b.c) FROM s a JOIN s b USING (city);
SELECT count(*), count(DISTINCT (city, c)) FROM generate_series(1, 50) g LEFT JOIN
	(SELECT city, dp_count(*) AS c FROM people GROUP BY city) s ON s.c > g - 100000;
SELECT statements();
SET dp_agg.epsilon = 1e-6;

-- eight executions: eight charges, eight draws
TRUNCATE seen;
PREPARE counting AS INSERT INTO seen SELECT dp_count(*) FROM people;
EXECUTE counting; EXECUTE counting; EXECUTE counting; EXECUTE counting;
EXECUTE counting; EXECUTE counting; EXECUTE counting; EXECUTE counting;
SELECT statements();
SELECT count(*), count(DISTINCT c) > 1 AS independent FROM seen;

-- the same with a parameter, whose plan is made for its value each time
PREPARE older(int) AS INSERT INTO seen SELECT dp_count(*) FROM people WHERE age >= $1;
TRUNCATE seen;
EXECUTE older(1); EXECUTE older(1); EXECUTE older(1); EXECUTE older(1);
EXECUTE older(1); EXECUTE older(1); EXECUTE older(1); EXECUTE older(1);
SELECT statements();
SELECT count(*), count(DISTINCT c) > 1 AS independent FROM seen;
SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = 'older';

-- loops of a procedural language
TRUNCATE seen;
DO $$ BEGIN
	FOR i IN 1 .. 8 LOOP
		INSERT INTO seen SELECT dp_count(*) FROM people WHERE age >= i;
	END LOOP;
END $$;
SELECT statements();
SELECT count(*), count(DISTINCT c) > 1 AS independent FROM seen;

-- the value of the parameter is what is asked: within 60 of the truth but for
-- a chance of 1e-26
SET dp_agg.epsilon = 1;
PREPARE aged(int) AS SELECT abs(dp_count(*) - 30 * (100 - $1)) <= 60 AS right FROM people WHERE age >= $1;
EXECUTE aged(0);
EXECUTE aged(50);
EXECUTE aged(100);
EXECUTE aged(NULL);
PREPARE bounded(int, int, float8) AS
	SELECT abs(dp_avg(age, $1, $2, $3) - 49.5) <= 30 AS right FROM people;
EXECUTE bounded(0, 100, 1);
EXECUTE bounded(100, 0, 1);
EXECUTE bounded(0, 100, 0);
EXECUTE bounded(NULL, 100, 1);

-- a plan made without the values is not run, not even by someone who may read
SELECT statements();
SET plan_cache_mode = force_generic_plan;
EXECUTE aged(50);
\echo :SQLSTATE
EXPLAIN EXECUTE aged(50);
\echo :SQLSTATE
RESET ROLE;
EXECUTE aged(50);
\echo :SQLSTATE
SET ROLE replay_analyst;
RESET plan_cache_mode;
EXECUTE aged(50);
SELECT statements();

-- a plan is made again when what it was priced by changes
PREPARE priced AS SELECT abs(dp_count(*) - 3000) <= 60000 AS right FROM people;
CREATE FUNCTION cost() RETURNS numeric LANGUAGE sql AS
$$ SELECT round(sum(epsilon)::numeric, 6) FROM dp_agg.last_release() $$;
EXECUTE priced;
SELECT cost();
SET dp_agg.epsilon = 2;
EXECUTE priced;
SELECT cost();
BEGIN;
SET LOCAL dp_agg.epsilon = 0.01;
EXECUTE priced;
SELECT cost();
ROLLBACK;
EXECUTE priced;
SELECT cost();
SET dp_agg.mechanism = gaussian;
EXECUTE priced;
SELECT mechanism FROM dp_agg.last_release();
RESET dp_agg.mechanism;
EXECUTE priced;
SELECT mechanism FROM dp_agg.last_release();

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA replay CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE replay_analyst;
