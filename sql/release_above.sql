--
-- release_above: whatever is done to released values is free and the analyst's
-- own business
--
CREATE EXTENSION dp_agg;
CREATE ROLE above_analyst;
CREATE SCHEMA above AUTHORIZATION above_analyst;
SET search_path = above, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, salary numeric);
INSERT INTO people SELECT i, 'city ' || i % 3, i % 100, 1000 + i % 100 FROM generate_series(1, 3000) i;
INSERT INTO people SELECT 3000 + i, 'city 2', 50, 1050 FROM generate_series(1, 500) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget('above_analyst', 1e9, 1e-3);
SET ROLE above_analyst;
CREATE TABLE regions (city text, region text);
INSERT INTO regions VALUES ('city 0', 'north'), ('city 1', 'north'), ('city 2', 'south'), ('city 3', 'south');

-- At epsilon 50 a count is off by one or more with a probability of 4e-22; sums
-- and means are further from where they would be rounded otherwise than noise
-- reaches with one of 1e-15.
SET dp_agg.epsilon = 50;

-- expressions over keys and released values
SELECT upper(city) || '!' AS city, round(dp_count(*), -2) AS people, dp_count(*) / 100 AS hundreds,
	dp_avg(age, 0, 100) BETWEEN 48 AND 51 AS aged, round(dp_sum(age, 0, 100), -4) AS ages,
	CASE WHEN dp_count(*) > 1200 THEN 'large' ELSE 'small' END AS size
	FROM people GROUP BY city;
SELECT round(sqrt(dp_count(*)::float8)) AS root, to_char(round(dp_count(*), -2), '9G999') AS text,
	array[round(dp_count(*), -2)] AS list, row(round(dp_count(*), -2), 1) AS row FROM people;
SELECT round(dp_sum(salary, 0, 2000), -5) AS salaries, dp_avg(salary, 0, 2000) BETWEEN 1049 AND 1051 AS salary FROM people;
-- HAVING, ORDER BY, LIMIT, OFFSET, DISTINCT
SELECT city FROM people GROUP BY city HAVING dp_count(*) > 1200;
SELECT city FROM people GROUP BY city HAVING dp_count(*) < 1200 AND city <> 'city 0';
SELECT city FROM people GROUP BY city ORDER BY dp_count(*) DESC, city DESC LIMIT 2;
SELECT city FROM people GROUP BY city ORDER BY round(dp_count(*), -3) + dp_sum(age, 0, 0), city OFFSET 1 FETCH FIRST 1 ROW WITH TIES;
SELECT DISTINCT round(dp_count(*), -2) AS people FROM people GROUP BY city ORDER BY 1;
SELECT DISTINCT ON (round(dp_count(*), -2)) city FROM people GROUP BY city ORDER BY round(dp_count(*), -2), city DESC;
-- window functions
SELECT city, rank() OVER (ORDER BY round(dp_count(*), -2) DESC) AS rank,
	round(sum(dp_count(*)) OVER (ORDER BY city), -2) AS running,
	round(100.0 * dp_count(*) / sum(dp_count(*)) OVER ()) AS percent
	FROM people GROUP BY city ORDER BY city;
SELECT city, lag(city) OVER w AS before FROM people GROUP BY city WINDOW w AS (ORDER BY dp_count(*), city DESC) ORDER BY city;
-- set-returning functions
SELECT city, generate_series(1, dp_count(*) / 500) AS n FROM people GROUP BY city ORDER BY 1, 2;
-- subqueries: over other tables, over keys, over the answer
SELECT city, (SELECT region FROM regions r WHERE r.city = people.city) AS region, dp_count(*) / 100 AS hundreds
	FROM people GROUP BY city;
SELECT city FROM people GROUP BY city HAVING dp_count(*) > 0
	AND EXISTS (SELECT FROM regions r WHERE r.city = people.city AND r.region = 'south');
SELECT round(dp_count(*), -2) AS people, (SELECT count(*) FROM regions) AS regions FROM people;
SELECT (SELECT round(dp_count(*), -2) FROM people) + (SELECT count(*) FROM regions) AS sum;
SELECT * FROM regions WHERE city IN (SELECT city FROM people GROUP BY city HAVING dp_count(*) > 1200);
SELECT region FROM regions r WHERE 1 < ALL (SELECT dp_count(*) FROM people GROUP BY city) ORDER BY 1 LIMIT 1;
-- joins, aggregates, set operations, common table expressions
SELECT region, round(sum(people), -2) AS people, max(age) BETWEEN 40 AND 60 AS aged
	FROM (SELECT city, dp_count(*) AS people, dp_avg(age, 0, 100) AS age FROM people GROUP BY city) s JOIN regions USING (city)
	GROUP BY region ORDER BY region;
SELECT r.city, round(COALESCE(people, 0), -2) AS people FROM regions r LEFT JOIN
	(SELECT city, dp_count(*) AS people FROM people GROUP BY city) s ON s.city = r.city AND s.people > 0 ORDER BY 1;
SELECT 'old' AS class, round(dp_count(*), -2) AS people FROM people WHERE age >= 50
	UNION ALL SELECT 'young', round(dp_count(*), -2) FROM people WHERE age < 50
	UNION ALL SELECT 'none', 0 ORDER BY 1;
SELECT city FROM regions EXCEPT SELECT city FROM people GROUP BY city HAVING dp_count(*) > 0 ORDER BY 1;
WITH c AS (SELECT city, dp_count(*) AS people FROM people GROUP BY city),
	t AS (SELECT sum(people) AS total FROM c)
SELECT city, round(100 * people / total) AS percent FROM c, t ORDER BY city;
SELECT round(avg(people)) BETWEEN 1160 AND 1170 AS mean FROM (SELECT dp_count(*) AS people FROM people GROUP BY city) s;
SELECT count(*), bool_and(people > 900) FROM (SELECT * FROM (SELECT dp_count(*) AS people FROM people GROUP BY city) s) s;
SELECT s, s.people > 3000 AS many FROM (SELECT round(dp_count(*), -2) AS people FROM people) s;
SELECT grouping(city) AS g, city, round(sum(people), -2) AS people
	FROM (SELECT city, dp_count(*) AS people FROM people GROUP BY city) s GROUP BY ROLLUP (city) ORDER BY city;
-- the analyst's own functions and operators
CREATE FUNCTION halve(bigint) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN $1 / 2; END';
CREATE OPERATOR // (PROCEDURE = halve, RIGHTARG = bigint);
CREATE AGGREGATE gather (bigint) (SFUNC = array_append, STYPE = bigint[], INITCOND = '{}');
SELECT round(halve(dp_count(*)), -2) AS half, round(// dp_count(*), -2) AS half_again FROM people;
SELECT gather(round(people, -2)::bigint) FROM (SELECT dp_count(*) AS people FROM people GROUP BY city ORDER BY 1) s;
-- each was charged once
SELECT statements, refusals FROM dp_agg.budgets;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA above CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE above_analyst;
