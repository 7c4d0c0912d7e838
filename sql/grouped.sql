--
-- grouped: subqueries in FROM that group by the privacy unit
--
CREATE EXTENSION dp_agg;
CREATE ROLE grouped_owner;
CREATE ROLE grouped_analyst;
CREATE SCHEMA grouped;
GRANT ALL ON SCHEMA grouped TO grouped_owner, grouped_analyst;
SET search_path = grouped, public;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO grouped_owner;
SELECT dp_agg.set_budget('grouped_analyst', 1e12, 1e-3);
SET ROLE grouped_owner;
-- patient i has i % 4 visits at cost 10, 20, 30; of patient 4 nothing is known
CREATE TABLE visits (patient int, day date, clinic text, cost int, big bigint, n numeric, f float8, r real, ok bool, tz interval);
INSERT INTO visits SELECT i, date '2024-01-01' + v, 'clinic ' || v % 2, v * 10, v * 1000000000000, v / 4.0, v / 4.0, v / 4.0, v > 1, v * interval '1 day'
	FROM generate_series(1, 100) i, generate_series(1, 3) v WHERE v <= i % 4;
INSERT INTO visits (patient, cost) SELECT NULL, 1000 FROM generate_series(1, 50);
SELECT dp_agg.protect('visits', 'patient', max_rows => 5, max_groups => 2);
CREATE VIEW totals AS SELECT patient, sum(cost) AS total, count(*) AS visits FROM visits GROUP BY patient;
CREATE VIEW ordered WITH (security_barrier) AS SELECT patient AS p, max(day) AS last FROM visits GROUP BY 1 HAVING count(*) > 1 ORDER BY 2;
RESET ROLE;
CREATE VIEW strangers AS SELECT patient, sum(cost) AS total FROM visits GROUP BY patient;
SET ROLE grouped_analyst;
-- At epsilon 100,000 no answer here is off in a digit shown with a probability above 1e-10.
SET dp_agg.epsilon = 100000;
SET extra_float_digits = 0;

-- one row per unit: 75 patients, 25 each with a total of 10, 30 and 60
SELECT dp_count(*), dp_sum(total, 0, 100), dp_avg(total, 0, 100)::numeric(9, 2) AS avg, dp_avg(total, 0, 30)::numeric(9, 2) AS clamped
	FROM (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient) p;
SELECT visits, dp_count(*), dp_sum(total, 0, 100) FROM (SELECT sum(cost) AS total, count(*) AS visits FROM visits GROUP BY patient) p GROUP BY visits ORDER BY 1;
SELECT dp_count(DISTINCT who), dp_count(*) FROM (SELECT patient AS who, max(cost) FROM visits GROUP BY patient) p;
-- so max_rows is not in the price
SELECT aggregate, noise_stddev < 0.1 AS exact FROM dp_agg.price('SELECT dp_count(*) FROM (SELECT patient FROM visits GROUP BY patient) p');
-- expressions over aggregates and keys, filters inside, between and above
SELECT dp_sum(mean, 0, 100) FROM (SELECT sum(cost) / count(*) AS mean FROM visits WHERE cost <= 20 GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT patient, sum(cost) AS total FROM visits WHERE cost > 10 GROUP BY patient HAVING count(*) > 1 AND min(cost) < 30) p WHERE total >= 50;
SELECT dp_count(*) FROM (SELECT t + 1 AS u FROM (SELECT patient, sum(cost) AS t FROM visits GROUP BY patient HAVING patient < 50) x WHERE t < 60) y WHERE u > 11;
SELECT dp_count(*), dp_sum(c, 0, 9) FROM (SELECT CASE WHEN patient % 2 = 0 THEN count(*) END AS c FROM visits GROUP BY patient) p WHERE c IS NOT NULL;
SELECT dp_sum(first, 0, 9), dp_sum(second, 0, 9) FROM (SELECT count(*) FILTER (WHERE cost = 10) AS first, count(*) FILTER (WHERE cost = 20) AS second FROM visits GROUP BY patient) p;
SELECT dp_sum(clinics, 0, 9), dp_sum(days, 0, 9) FROM (SELECT count(DISTINCT clinic) AS clinics, count(DISTINCT day) AS days FROM visits GROUP BY patient) p;
-- each aggregate there is, of each type of number
SELECT dp_sum(a, 0, 100), round(dp_sum(b, 0, 1e14) / 1e11), dp_sum(c, 0, 100)::numeric(9, 1), dp_sum(d, 0, 100)::numeric(9, 1), dp_sum(e::float8, 0, 100)::numeric(9, 1), dp_sum(g::numeric, 0, 100)::numeric(9, 1)
	FROM (SELECT sum(cost::int2) AS a, sum(big) AS b, sum(n) AS c, sum(f) AS d, sum(r) AS e, avg(r) AS g FROM visits GROUP BY patient) p;
SELECT dp_sum(a, 0, 100)::numeric(9, 1), round(dp_sum(b, 0, 1e14) / 1e11), dp_sum(c, 0, 100)::numeric(9, 1), dp_sum(d, 0, 100)::numeric(9, 1) FROM (SELECT avg(cost) AS a, avg(big) AS b, avg(n) AS c, avg(f) AS d FROM visits GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT min(clinic) AS a, max(day) AS b, bool_and(ok) AS c, bool_or(ok) AS d, every(ok) AS e, min(f) AS f, max(n) AS n
	FROM visits GROUP BY patient) p WHERE a = 'clinic 0' AND b > date '2024-01-03' AND NOT c AND d AND NOT e AND f = 0.25 AND n = 0.75;
-- grouped again; with more keys the unit has several rows
SELECT dp_sum(top, 0, 100) FROM (SELECT patient, max(total) AS top FROM (SELECT patient, clinic, sum(cost) AS total FROM visits GROUP BY patient, clinic) x GROUP BY patient) y;
SELECT clinic, dp_count(*), dp_count(DISTINCT patient), dp_sum(total, 0, 100) FROM (SELECT patient, clinic, sum(cost) AS total FROM visits GROUP BY patient, clinic) p GROUP BY clinic ORDER BY 1;
SET dp_agg.epsilon = 1;
SELECT aggregate, noise_stddev > 1.36 * 4 AS of_five_rows FROM dp_agg.price('SELECT dp_count(*) FROM (SELECT patient, clinic FROM visits GROUP BY patient, clinic) p');
SET dp_agg.epsilon = 100000;
SELECT dp_count(*), dp_count(DISTINCT patient) FROM (SELECT DISTINCT patient, clinic FROM visits) p;
SELECT dp_count(*) FROM (SELECT DISTINCT patient FROM visits ORDER BY patient) p;
-- a unit's key in one form, whatever its rows look like
SELECT dp_count(*) FROM (SELECT patient, n * 1.00 AS n FROM visits GROUP BY patient, n * 1.00) p WHERE n::text = '0.5';
-- views of the owner's, and WITH
SELECT visits, dp_count(*) FROM totals WHERE total > 10 GROUP BY visits ORDER BY 1;
SELECT dp_count(*) FROM ordered WHERE last > date '2024-01-03';
SELECT * FROM totals;
SELECT dp_count(*) FROM strangers;
WITH t AS (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient), u AS MATERIALIZED (SELECT total FROM t WHERE total > 10)
	SELECT dp_count(*), (SELECT dp_count(*) FROM t WHERE total > 30), (SELECT dp_count(*) FROM u WHERE total > 30) FROM u;
WITH t AS (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient) SELECT * FROM (WITH u AS (SELECT * FROM t) SELECT dp_count(*) FROM u) s;
WITH t AS (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient) SELECT dp_count(*), (SELECT count(*) FROM t) FROM t;
CREATE TABLE kept AS WITH t AS (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient) SELECT dp_count(*) AS n FROM t;
INSERT INTO kept WITH t AS (SELECT patient FROM visits GROUP BY patient) SELECT dp_count(*) FROM t;
WITH t AS (SELECT patient FROM visits GROUP BY patient) INSERT INTO kept SELECT dp_count(*) FROM t;
SELECT * FROM kept;

-- what a unit's rows can make an aggregate do: nothing
RESET ROLE;
INSERT INTO visits (patient, cost, big, n, f, r) VALUES
	(1001, 2147483647, 9223372036854775807, '9e131071', '1e308', '3e38'), (1001, 2147483647, 9223372036854775807, '9e131071', '1e308', '3e38'),
	(1002, 1, 1, 'NaN', 'NaN', 'NaN'), (1002, 1, 1, 'Infinity', 'Infinity', 'Infinity'), (1002, 1, 1, '-Infinity', '-Infinity', '-Infinity'), (1002, 1, 1, 2, 2, 2),
	(1003, -2147483648, -9223372036854775808, '-9e131071', '-1e308', '-3e38'), (1003, -2147483648, -9223372036854775808, '-9e131071', '-1e308', '-3e38');
SET ROLE grouped_analyst;
SELECT dp_count(a), dp_count(b), dp_count(c), dp_count(d), dp_count(e) FROM (SELECT sum(cost) AS a, sum(big) AS b, sum(n) AS c, sum(f) AS d, sum(r) AS e FROM visits GROUP BY patient HAVING min(patient) > 1000) p;
SELECT dp_count(a), dp_count(b), dp_count(c), dp_count(d), dp_count(e) FROM (SELECT avg(cost) AS a, avg(big) AS b, avg(n) AS c, avg(f) AS d, avg(r) AS e FROM visits GROUP BY patient HAVING patient > 1000) p;
SELECT dp_sum(a, 0, 9), dp_sum(b, 0, 9) FROM (SELECT max(cost) + 1 AS a, sum(cost) / (count(*) - 1) AS b FROM visits WHERE patient > 1000 GROUP BY patient) p WHERE b < 9;
-- floats are added up in no order: of 1e308, 1 and -1e308 comes 1, or nothing, but always the same
RESET ROLE;
DELETE FROM visits WHERE patient > 1000;
INSERT INTO visits (patient, f) SELECT 2000 + i, CASE (i + v) % 3 WHEN 0 THEN 1e15 WHEN 1 THEN 1 ELSE -1e15 END FROM generate_series(0, 99) i, generate_series(0, 2) v;
SELECT count(DISTINCT s) > 1 AS plain_differ FROM (SELECT sum(f + 0.1) AS s FROM visits WHERE patient >= 2000 GROUP BY patient) p;
SET ROLE grouped_analyst;
SELECT s, dp_count(*) FROM (SELECT sum(f) AS s FROM visits WHERE patient >= 2000 GROUP BY patient) p GROUP BY s;
SELECT s, dp_count(*) FROM (SELECT sum(f + 0.1) AS s FROM visits WHERE patient >= 2000 GROUP BY patient) p GROUP BY s;

-- what is refused
\set VERBOSITY default
CREATE TABLE mine (id int PRIMARY KEY, x int);
SELECT statements AS before FROM dp_agg.budgets \gset
SELECT dp_count(*) FROM (SELECT clinic, sum(cost) FROM visits GROUP BY clinic) p;
SELECT dp_count(*) FROM (SELECT patient + 1, sum(cost) FROM visits GROUP BY patient + 1) p;
SELECT dp_count(*) FROM (SELECT sum(cost) AS t FROM visits) p;
SELECT dp_count(*) FROM (SELECT patient FROM visits HAVING count(*) > 5) p;
SELECT dp_count(*) FROM (SELECT DISTINCT clinic FROM visits) p;
SELECT dp_count(*) FROM (SELECT max(total) FROM (SELECT patient, sum(cost) AS total FROM visits GROUP BY patient) x GROUP BY total) y;
SELECT dp_count(*) FROM (SELECT patient, count(*) FROM visits GROUP BY patient LIMIT 5) p;
SELECT dp_count(*) FROM (SELECT patient, count(*) FROM visits GROUP BY patient OFFSET 5) p;
SELECT dp_count(*) FROM (SELECT patient, rank() OVER (ORDER BY count(*)) FROM visits GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT patient, generate_series(1, count(*)) FROM visits GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT patient, clinic FROM visits GROUP BY ROLLUP (patient, clinic)) p;
SELECT dp_count(*) FROM (SELECT count(*), patient FROM visits GROUP BY patient UNION ALL SELECT 1, 1) p;
SELECT dp_count(*) FROM (SELECT patient, string_agg(clinic, ',') FROM visits GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT patient, array_agg(cost) FROM visits GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT patient, stddev(cost) FROM visits GROUP BY patient) p;
SELECT dp_count(s) FROM (SELECT patient, stddev(cost) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(s) FROM (SELECT sum(tz) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(s) FROM (SELECT max(clinic::bpchar) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(s) FROM (SELECT count(DISTINCT clinic::bpchar) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(s) FROM (SELECT sum(DISTINCT cost) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(s) FROM (SELECT sum(cost ORDER BY day) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(s) FROM (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY cost) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(s) FROM (SELECT patient, GROUPING(patient) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT patient, repeat(clinic, 2) FROM visits GROUP BY patient, repeat(clinic, 2)) p;
SELECT dp_count(*) FROM (SELECT patient, clinic::bpchar FROM visits GROUP BY patient, clinic::bpchar) p;
SELECT dp_count(*) FROM (SELECT patient, random() AS r FROM visits GROUP BY patient) p WHERE r < 0.5;
SELECT dp_count(*) FROM (SELECT patient, count(*) FILTER (WHERE random() < 0.5) AS r FROM visits GROUP BY patient) p WHERE r > 0;
SELECT dp_count(*) FROM (SELECT patient, sum(cost) AS s FROM visits WHERE cost IN (SELECT x FROM mine WHERE mine.id + visits.patient = 3) GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT patient, sum((SELECT max(x) FROM mine WHERE mine.id + visits.cost = 3)) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT patient, (SELECT max(x) FROM mine WHERE mine.id + visits.patient = 3) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT patient FROM visits GROUP BY patient HAVING count(*) > (SELECT max(x) FROM mine WHERE mine.id + visits.patient = 3)) p;
SELECT dp_count(*) FROM (SELECT patient, max(ctid) FROM visits GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT patient, count(v) FROM visits v GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT patient, count(*) FROM visits TABLESAMPLE SYSTEM (50) GROUP BY patient) p;
SELECT dp_count(*) FROM (SELECT id, sum(x) FROM mine GROUP BY id) p;
SELECT dp_count(*) FROM (SELECT patient, dp_count(*) FROM visits GROUP BY patient) p;
SELECT dp_count(*) FROM mine, LATERAL (SELECT patient FROM visits WHERE cost = mine.x GROUP BY patient) p;
SELECT x, (SELECT dp_count(*) FROM (SELECT patient FROM visits GROUP BY patient HAVING count(*) > x) p) FROM mine;
WITH RECURSIVE t AS (SELECT patient FROM visits UNION ALL SELECT patient FROM t) SELECT dp_count(*) FROM t;
-- one's own aggregates, and operators under those names
CREATE FUNCTION tell(int, int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''told %'', $2; RETURN $2; END';
CREATE AGGREGATE sum(int) (SFUNC = tell, STYPE = int);
CREATE AGGREGATE peek(int) (SFUNC = tell, STYPE = int);
SELECT dp_count(s) FROM (SELECT grouped.sum(cost) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(s) FROM (SELECT peek(cost) AS s FROM visits GROUP BY patient) p;
SELECT dp_count(s) FROM (SELECT patient, max(tell(1, cost)) AS s FROM visits GROUP BY patient) p;
-- rights over aggregates are asked for when planning
RESET ROLE;
REVOKE EXECUTE ON FUNCTION pg_catalog.max(int) FROM PUBLIC;
SET ROLE grouped_analyst;
SELECT dp_count(s) FROM (SELECT max(cost) AS s FROM visits GROUP BY patient) p;
RESET ROLE;
GRANT EXECUTE ON FUNCTION pg_catalog.max(int) TO PUBLIC;
SET ROLE grouped_analyst;
-- nothing was charged
SELECT statements = :before AS free FROM dp_agg.budgets;

-- a unit that is not there moves one row, however much it did: at epsilon 1 noise of one count
SET dp_agg.epsilon = 1;
SELECT epsilon, round(noise_stddev, 2) AS noise, half_width_95 < 4 AS one_row
	FROM (SELECT aggregate, epsilon, noise_stddev::numeric, half_width_95 FROM dp_agg.price('SELECT dp_count(*), dp_sum(t, 0, 1) FROM (SELECT sum(cost) AS t FROM visits GROUP BY patient) p')) p;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA grouped CASCADE;
DROP OWNED BY grouped_owner, grouped_analyst;
DROP EXTENSION dp_agg;
DROP ROLE grouped_owner, grouped_analyst;
