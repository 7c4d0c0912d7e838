--
-- domains: what owners declare of columns, bounds that follow from it, keys and hidden columns
--
CREATE EXTENSION dp_agg;
CREATE ROLE domains_owner;
CREATE ROLE domains_analyst;
CREATE SCHEMA domains AUTHORIZATION domains_owner;
SET search_path = domains, public;
GRANT USAGE ON SCHEMA domains TO domains_analyst;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO domains_owner;
SET ROLE domains_owner;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN percent AS int CHECK (VALUE >= 0);
CREATE TABLE people (id int PRIMARY KEY, email text, city text, grade varchar(5), floor smallint, age int, big bigint,
	n numeric, r real, d float8, born date, woke time, seen timestamp, logged timestamptz, how mood NOT NULL, ok boolean NOT NULL, part percent, other int);
INSERT INTO people SELECT i, 'p' || i || '@x.org', (ARRAY['Aachen', 'Berlin', 'Chur', 'Ulm'])[1 + i % 4], (ARRAY['a', 'b', 'zz'])[1 + i % 3],
	i % 5, i % 100, i, i / 8.0, i % 50, i % 50 - 25, date '1950-01-01' + i % 20000, time '06:00' + make_interval(mins => i % 120),
	timestamp '2020-01-01' + make_interval(hours => i), timestamptz '2020-01-01 00:00+00' + make_interval(hours => i),
	(ARRAY['sad', 'ok', 'happy'])[1 + i % 3]::mood, i % 2 = 0, i % 101, i FROM generate_series(1, 2000) i;
CREATE TABLE visits (person int, place text, cost int);
INSERT INTO visits SELECT i % 1000, (ARRAY['in', 'out', 'gone'])[1 + i % 3], i % 40 FROM generate_series(1, 6000) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'default', 4, 2);

-- Every type that has an order on a line, each in what it writes itself.
SELECT dp_agg.set_domain('people', 'floor', 0, 4), dp_agg.set_domain('people', 'age', 0, 120), dp_agg.set_domain('people', 'big', -1, '9000000000'),
	dp_agg.set_domain('people', 'n', 0, 250.5), dp_agg.set_domain('people', 'r', 0::numeric, 49.5), dp_agg.set_domain('people', 'd', -25, 25);
SET datestyle = 'German'; SET timezone = 'Asia/Tokyo';
SELECT dp_agg.set_domain('people', 'born', '1.12.1949', date '31.12.2009'), dp_agg.set_domain('people', 'woke', '06:00', time '08:00'),
	dp_agg.set_domain('people', 'seen', '2020-01-01', '2020-12-31 12:00'), dp_agg.set_domain('people', 'logged', timestamptz '2020-01-01 09:00', '2021-01-01');
RESET datestyle; RESET timezone;
SELECT dp_agg.set_domain('people', 'part', 0, 100);
SELECT dp_agg.set_domain('people', 'city', ARRAY['Aachen', 'Berlin', 'Bad Homburg, "v.d.H."', 'Chur']), dp_agg.set_domain('people', 'grade', keys => ARRAY['a', 'b', 'c']),
	dp_agg.set_domain('visits', 'place', '{out,in}'::text[]), dp_agg.set_domain('visits', 'cost', 0, 50);
SELECT dp_agg.hide_column('people', 'email');
SELECT * FROM dp_agg.protected_columns WHERE relation = 'people'::regclass;
-- as pg_dump writes them
SELECT objname, label FROM pg_seclabels WHERE provider = 'dp_agg_domain' AND objname LIKE '%people%' ORDER BY 1;
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.age IS NULL;
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.age IS 'lower="0" upper="120"';

-- What cannot be declared.
\set VERBOSITY terse
SELECT dp_agg.set_domain('people', 'age', 5, 1);
SELECT dp_agg.set_domain('people', 'age', 0, 1.5);
SELECT dp_agg.set_domain('people', 'age', 0, NULL);
SELECT dp_agg.set_domain('people', 'age', '0', 'much');
SELECT dp_agg.set_domain('people', 'd', 0, 'infinity');
SELECT dp_agg.set_domain('people', 'n', 'NaN', 'NaN');
SELECT dp_agg.set_domain('people', 'born', '1900-01-01', 'infinity');
SELECT dp_agg.set_domain('people', 'city', 'a', 'b');
SELECT dp_agg.set_domain('people', 'nothing', 0, 1);
SELECT dp_agg.set_domain('people', 'ctid', 0, 1);
SELECT dp_agg.set_domain('pg_class', 'relpages', 0, 1);
SELECT dp_agg.set_domain('people', 'city', '{}'::text[]);
SELECT dp_agg.set_domain('people', 'city', ARRAY['a', NULL]);
SELECT dp_agg.set_domain('people', 'city', ARRAY['a', 'b', 'a']);
SELECT dp_agg.set_domain('people', 'city', ARRAY[['a', 'b'], ['c', 'd']]);
SELECT dp_agg.set_domain('people', 'city', (SELECT array_agg(i::text) FROM generate_series(1, 10001) i));
SELECT dp_agg.set_domain('people', 'age', ARRAY['x']);
SELECT dp_agg.set_domain('people', 'email', 0, 1);
SELECT dp_agg.set_domain('people', 'email', ARRAY['a']);
SELECT dp_agg.drop_domain('people', 'email');
SELECT dp_agg.drop_domain('people', 'other');
SELECT dp_agg.hide_column('people', 'other', false);
SELECT dp_agg.hide_column('people', NULL);
SECURITY LABEL FOR dp_agg_domain ON TABLE people IS 'hidden';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.age IS 'Hidden';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.age IS 'lower="0" upper="0120"';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.age IS 'lower="0" upper="120" ';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.age IS 'lower="7" upper="1"';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.born IS 'lower="1.1.2000" upper="1.1.2001"';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.city IS 'keys={a,a}';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.city IS 'keys={"a"}';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.city IS 'lower="a" upper="b"';
RESET ROLE;
SELECT dp_agg.set_budget('domains_analyst', 1e12, 1e-3);
SET ROLE domains_analyst;
SELECT dp_agg.set_domain('people', 'age', 0, 1);
SELECT dp_agg.set_domain('people', 'age', ARRAY[1]);
SELECT dp_agg.drop_domain('people', 'age');
SELECT dp_agg.hide_column('people', 'email', false);
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.email IS NULL;

-- Bounds that follow, as price shows them: each expression's own.
SET dp_agg.epsilon = 100000;
CREATE FUNCTION pg_temp.bounds(expressions text[], aggregate text DEFAULT 'dp_avg') RETURNS TABLE (expression text, bounds text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH expression IN ARRAY expressions LOOP
		BEGIN
			SELECT p.aggregate INTO bounds FROM dp_agg.price(format('SELECT %s(%s) FROM people', aggregate, expression)) p;
			-- what stands after the value
			bounds := substring(regexp_replace(bounds, '''(-?[0-9.e+]+)''::\w+( precision)?', '\1', 'g') FROM ', ([-0-9.e+]+, [-0-9.e+]+)\)$');
		EXCEPTION WHEN OTHERS THEN
			bounds := SQLSTATE || ' ' || SQLERRM;
		END;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT * FROM pg_temp.bounds(ARRAY['floor', 'age', 'big', 'n', 'r', 'd', 'part', 'other', 'born', 'city', 'length(city)', 'email',
	'age + 1', '1 - age', 'age - floor', '-age', '+age', 'age * floor', 'floor * -2', 'd * d', 'n / 2', 'age / 7', 'age / floor', 'age / (floor + 1)', 'd / floor', '(age - 60) / 7', 'age % 7', '-age % 7', 'age % floor', 'mod(n, 2.5)',
	'abs(d)', 'abs(age + 5)', '@ d', 'sign(d)', 'floor(n)', 'ceil(n)', 'round(n)', 'round(n / 3)', 'round(n, -2)', 'trunc(d)', 'round(n, floor)',
	'greatest(age, 18)', 'least(age, 65)', 'least(greatest(age, 18), 65)', 'least(greatest(other, 18), 65)', 'greatest(other, 18)', 'abs(greatest(-5, least(7, sqrt(n))))', '0 * other', 'greatest(floor, age)', 'greatest(age, NULL)', 'coalesce(age, -1)', 'nullif(age, 0)',
	'CASE WHEN age > 18 THEN age ELSE 0 END', 'CASE WHEN ok THEN 1 END', 'CASE WHEN ok THEN age WHEN age > 1 THEN 500 ELSE n END', 'ok::int', '(age > 18)::int', '(age > 18 AND ok)::int', 'CASE WHEN ok THEN other END',
	'age::numeric', 'n::int', 'd::smallint', 'age::float8', 'n::numeric(6,1)', 'NULL::int', '7', '1.5', 'sqrt(n)',
	'extract(year FROM born)', 'extract(month FROM born)', 'extract(dow FROM seen)', 'extract(hour FROM woke)', 'extract(year FROM seen)', 'extract(epoch FROM born)', 'extract(epoch FROM seen)', 'date_part(''year'', seen)',
	'extract(century FROM born)', '2024 - extract(year FROM born)', 'born - date ''2000-01-01''', 'seen::date - born', 'date ''2024-01-01'' - born', '(born + 7) - born',
	'big * 4000000000']);
SELECT * FROM pg_temp.bounds(ARRAY['floor', 'age', 'n', 'd', 'age - 100', '100 - age', 'age + 1'], 'dp_sum');
-- the place of what is in the way
\set VERBOSITY default
SELECT dp_avg(age + other) FROM people;
SELECT dp_avg(age + length(city)) FROM people;
SELECT dp_quantile(other, 0.5) FROM people;
\set VERBOSITY terse

-- The answers are those with bounds written out; two of them are one release.
SELECT abs(dp_sum(age) - 99000) <= 1, abs(dp_avg(age) - 49.5) < 0.01, abs(dp_median(age) - 49.5) <= 1, abs(dp_quantile(age, 0.9) - 89) <= 1, dp_min(age) <= 1, dp_max(age) >= 98,
	abs(dp_variance(age) / 833.25 - 1) < 0.01, abs(dp_stddev(age) / sqrt(833.25) - 1) < 0.01, abs(dp_corr(age, age) - 1) < 0.01, abs(dp_regr_slope(d, r) - 1) < 0.01, abs(dp_regr_intercept(d, r) + 25) < 0.1,
	abs(dp_covar_pop(age, age) / 833.25 - 1) < 0.01, abs(dp_covar_samp(age, age) / 833.25 - 1) < 0.01 FROM people;
-- somebody beyond them moves a sum by no more than they say
RESET ROLE;
UPDATE people SET age = 1000000000 WHERE id = 100;
SET ROLE domains_analyst;
SELECT dp_sum(age) - 99000 BETWEEN 118 AND 122 FROM people;
RESET ROLE;
UPDATE people SET age = 0 WHERE id = 100;
SET ROLE domains_analyst;
SELECT count(*) FROM dp_agg.price('SELECT dp_sum(age), dp_sum(age, 0, 120), dp_interval(dp_sum(age), 0.9) FROM people HAVING dp_sum(age) > 0');
-- a unit's total is bounded by as many rows as count: 4 of 50, -4 of 50
SELECT aggregate FROM dp_agg.price('SELECT dp_sum(cost), dp_sum(-cost), dp_sum(cost - 25), dp_sum(cost + 1) FROM visits');
SET dp_agg.max_rows = 2;
SELECT aggregate FROM dp_agg.price('SELECT dp_sum(cost) FROM visits');
RESET dp_agg.max_rows;
-- through joins, subqueries and views; a unit's total is of as many rows as count
SELECT aggregate FROM dp_agg.price('SELECT dp_avg(x) FROM (SELECT age * 2 AS x, cost FROM people JOIN visits ON id = person) s');
SELECT aggregate FROM dp_agg.price('SELECT dp_avg(total) FROM (SELECT sum(cost) AS total FROM visits GROUP BY person) s');
SELECT count(*) FROM dp_agg.price('SELECT dp_avg(age, 0, 120), dp_avg(least(greatest(total, 0), 99)) FROM people LEFT JOIN (SELECT person, sum(cost) AS total FROM visits GROUP BY person) s ON id = person');

-- Declared keys: each is answered, and no threshold is paid.
SELECT city, abs(dp_count(*) - CASE WHEN city LIKE 'Bad%' THEN 0 ELSE 500 END) <= 1 AS right FROM people GROUP BY city ORDER BY city;
SELECT aggregate, delta FROM dp_agg.price('SELECT city, dp_count(*) FROM people GROUP BY city');
\echo a function of somebody else in a schema of the extension is not taken for ours
RESET ROLE;
CREATE FUNCTION dp_agg_internal.place(anyelement, anyarray) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$;
GRANT EXECUTE ON FUNCTION dp_agg_internal.place TO PUBLIC;
SET ROLE domains_analyst;
SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city) s;
RESET ROLE;
DROP FUNCTION dp_agg_internal.place;
SET ROLE domains_analyst;
EXPLAIN (COSTS OFF) SELECT city, dp_count(*) FROM people GROUP BY city;
SELECT grade, how, ok, abs(dp_count(*) - CASE WHEN grade = 'c' OR (grade = 'a') <> (how = 'sad') OR (grade = 'b') <> (how = 'ok') THEN 0 ELSE 333 END) <= 2 AS right
	FROM people GROUP BY grade, how, ok ORDER BY 1, 2, 3 LIMIT 4;
SELECT pg_typeof(grade), count(*), count(grade) FROM (SELECT grade, dp_count(*) FROM people GROUP BY grade) s GROUP BY 1;
SELECT count(*) FROM (SELECT grade, how, ok, dp_count(*) FROM people GROUP BY grade, how, ok) s;
-- rows of no key take no place among a unit's two groups: every unit is in all three
SELECT place, abs(dp_count(DISTINCT person) - 1000) <= 1 AS right FROM visits GROUP BY place;
-- an expression of the column is private as ever; so is a column beside it without keys
SELECT count(*) FROM (SELECT upper(city), dp_count(*) FROM people GROUP BY 1) s;
SELECT count(*) FROM (SELECT city, floor, dp_count(*) FROM people GROUP BY 1, 2) s;
-- a category of numbers has bounds as well
RESET ROLE;
SELECT dp_agg.set_domain('domains.people', 'floor', ARRAY[3, 0, 9]);
SET ROLE domains_analyst;
SELECT floor, abs(dp_count(*) - CASE floor WHEN 9 THEN 0 ELSE 400 END) <= 1 AS right FROM people GROUP BY floor ORDER BY floor;
SELECT * FROM pg_temp.bounds(ARRAY['floor']);

-- Hidden columns: no mention, anywhere below a release.
\set VERBOSITY default
SELECT dp_count(email) FROM people;
\set VERBOSITY terse
SELECT dp_count(*) FROM people WHERE email LIKE 'p1%';
SELECT dp_count(*) FROM people GROUP BY email;
SELECT dp_count(*) FROM people GROUP BY left(email, 1);
SELECT dp_count(*) FROM people WHERE (people).email IS NULL;
SELECT dp_count(*) FROM people p JOIN visits v ON p.id = v.person AND p.email = v.place;
SELECT dp_count(*) FROM (SELECT id, email AS e FROM people) s WHERE e = 'x';
SELECT dp_avg(n, 0, 9) FROM (SELECT id, count(email) AS n FROM people GROUP BY id) s;
SELECT dp_avg(n, 0, 9) FROM (SELECT id, count(*) AS n FROM people GROUP BY id, email) s;
SELECT dp_sum(age) FROM people HAVING dp_count(email) > 0;
SELECT * FROM dp_histogram('people', 'email', ARRAY['a', 'b']);
SELECT * FROM dp_top('people', 'email', 1);
-- what does not use it may be asked, whatever else there is to see
SELECT abs(dp_count(*) - 2000) <= 1, abs(dp_count(p.*) - 2000) <= 1 FROM people p;
SELECT abs(dp_count(*) - 2000) <= 1 FROM (SELECT * FROM people) s;
SELECT abs(dp_count(*) - 2000) <= 1 FROM (SELECT id, email FROM people) s;
RESET ROLE;
SELECT dp_agg.hide_column('people', 'email', hidden => false);
SET ROLE domains_analyst;
SELECT abs(dp_count(email) - 2000) <= 1 FROM people;

-- Plans follow declarations.
SET plan_cache_mode = force_generic_plan;
PREPARE mean AS SELECT round(dp_avg(age)) FROM people;
PREPARE cities AS SELECT count(*) FROM (SELECT city, dp_count(*) FROM people GROUP BY city) s;
EXECUTE mean;
EXECUTE cities;
RESET ROLE;
SELECT dp_agg.set_domain('people', 'age', 0, 10), dp_agg.set_domain('people', 'city', ARRAY['Ulm']);
SET ROLE domains_analyst;
EXECUTE mean;
EXECUTE cities;
RESET ROLE;
SELECT dp_agg.drop_domain('people', 'age'), dp_agg.hide_column('people', 'city');
SET ROLE domains_analyst;
EXECUTE mean;
EXECUTE cities;
RESET ROLE;
-- A column that became another one: an error about the declaration, never none; it goes with the column.
ALTER TABLE people ALTER n TYPE text;
ALTER TABLE visits ALTER place TYPE int USING 1;
SET ROLE domains_analyst;
SELECT dp_avg(n::numeric) FROM people;
SELECT dp_count(*) FROM visits GROUP BY place;
RESET ROLE;
ALTER TABLE people DROP n;
SELECT count(*) FROM pg_seclabel WHERE provider = 'dp_agg_domain' AND objoid = 'people'::regclass AND label LIKE '%250.5%';
SELECT dp_agg.unprotect('people');
SELECT count(*) FROM dp_agg.protected_columns WHERE relation = 'people'::regclass;

-- A constant that is none of a column's declared keys is said, once for a column, and changes nothing.
SET ROLE domains_owner;
CREATE TABLE stays (person int PRIMARY KEY, department varchar(20), ward bigint, kind char(3), floor int);
INSERT INTO stays SELECT i, (ARRAY['Cardiology', 'Oncology'])[1 + i % 2], i % 3, 'abc', i % 4 FROM generate_series(1, 300) i;
SELECT dp_agg.protect('stays', 'person'), dp_agg.set_domain('stays', 'department', ARRAY['Cardiology', 'Oncology']), dp_agg.set_domain('stays', 'ward', ARRAY[0, 1, 2]),
	dp_agg.set_domain('stays', 'kind', ARRAY['abc', 'x']), dp_agg.set_domain('stays', 'floor', 0, 4);
RESET ROLE;
SET ROLE domains_analyst;
SELECT statements AS before, epsilon_spent AS spent FROM dp_agg.budgets WHERE dataset = 'default' \gset
SELECT count(*) FROM stays WHERE department = 'Cardiology' AND ward = 1 AND kind = 'x' AND floor = 9;
SELECT count(*) FROM stays WHERE department = 'cardiology';
SELECT count(*) FROM stays WHERE 'cardiology' = department OR department = 'oncology';
SELECT count(*) FROM stays WHERE department IN ('Oncology', 'oncology') AND ward NOT IN (2, 7);
SELECT count(*) FROM stays WHERE department <> 'X' AND 5::smallint = ward AND kind = 'x  ';
SELECT count(*) FILTER (WHERE ward = 4) AS filtered, count(CASE WHEN kind = 'y' THEN 1 END) AS cased FROM stays;
SELECT count(*) FROM (SELECT person, max(floor) AS m FROM stays WHERE department = 'radiology' GROUP BY person) s WHERE m > 1;
SELECT s.department, count(*) FROM stays s JOIN stays v ON v.person = s.person AND v.department = 'Cardio' GROUP BY 1;
SELECT count(*) FROM stays WHERE lower(department) = 'cardiology' AND department > 'cardiology' AND ward IS NOT NULL;
PREPARE of_department (text) AS SELECT count(*) FROM stays WHERE department = $1;
SET plan_cache_mode = force_custom_plan;
EXECUTE of_department ('cardiology');
EXECUTE of_department ('Cardiology');
RESET plan_cache_mode;
-- So is one that no row of a public table has, which lists the keys or is joined; for whom may read it, and where it can be seen at little cost.
RESET ROLE;
SET ROLE domains_owner;
CREATE TABLE wings (id int PRIMARY KEY, name varchar(20) COLLATE "C", note text);
INSERT INTO wings SELECT i, 'wing ' || i, 'n' FROM generate_series(1, 4) i;
CREATE TABLE beds (person int PRIMARY KEY, wing int);
INSERT INTO beds SELECT i, 1 + i % 4 FROM generate_series(1, 300) i;
SELECT dp_agg.protect('beds', 'person'), dp_agg.set_domain('beds', 'wing', refers_to => 'wings.id');
GRANT SELECT ON wings TO domains_analyst;
CREATE FUNCTION named(name text, OUT n numeric) LANGUAGE plpgsql SECURITY DEFINER SET search_path = domains, public
	AS $$ BEGIN EXECUTE 'SELECT dp_count(*) FROM beds b JOIN wings w ON w.id = b.wing WHERE w.name = $1 AND b.wing <> 9' INTO n USING name; END $$;
CREATE VIEW in_wings AS SELECT b.*, w.name FROM beds b JOIN wings w ON w.id = b.wing;
GRANT SELECT ON in_wings TO domains_analyst;
RESET ROLE;
SET ROLE domains_analyst;
SELECT count(*) FROM beds WHERE wing = 5 OR wing IN (1, 2, 7, 8);
SELECT count(*) FROM beds WHERE wing = 4 AND wing NOT IN (1, 2);
SELECT count(*) FROM beds b JOIN wings w ON w.id = b.wing WHERE w.name = 'Wing 1' AND w.note <> 'x' AND w.id > 9;
SELECT w.name, count(b.person) FROM wings w LEFT JOIN beds b ON b.wing = w.id AND w.name IN ('wing 1', 'wing 2') WHERE w.name <> 'wing 6' GROUP BY w.name ORDER BY 1;
SELECT count(*) FROM beds b JOIN wings w ON w.id = b.wing WHERE w.name = 'wing 1' AND w.note = 'n';
SELECT count(*) FROM stays WHERE department = 'cardiology' AND (SELECT count(*) FROM beds WHERE wing = 12) > 5;
EXPLAIN (COSTS OFF) SELECT count(*) FROM beds WHERE wing = 5;
-- in another's function only what she may read herself is said: columns of tables, too
SELECT named('wing x');
RESET ROLE;
REVOKE SELECT ON wings FROM domains_analyst;
GRANT SELECT (id) ON wings TO domains_analyst;
SET ROLE domains_analyst;
SELECT named('wing y');
SELECT count(*) FROM beds WHERE wing = 5 AND wing <> 3;
RESET ROLE;
REVOKE SELECT (id) ON wings FROM domains_analyst;
SET ROLE domains_analyst;
SELECT named('wing z');
SELECT count(*) FROM in_wings WHERE name = 'wing z';
SELECT count(*) FROM beds WHERE wing = 5 AND wing <> 0;
RESET ROLE;
-- nor where it has row security, calls somebody's code, or is large and has no index
GRANT SELECT ON wings TO domains_analyst;
ALTER TABLE wings ENABLE ROW LEVEL SECURITY;
SET ROLE domains_analyst;
SELECT count(*) FROM beds WHERE wing = 5 AND wing <> 1;
RESET ROLE;
ALTER TABLE wings DISABLE ROW LEVEL SECURITY;
CREATE FUNCTION told(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'told'; RETURN 1; END $$;
CREATE INDEX by_told ON wings (told(id));
SET ROLE domains_analyst;
SELECT count(*) FROM beds WHERE wing = 5 AND wing <> 2;
RESET ROLE;
DROP INDEX by_told;
ALTER TABLE wings ALTER note SET STORAGE PLAIN;
INSERT INTO wings SELECT i, repeat('x', 20), repeat('y', 5000) FROM generate_series(100, 1200) i;
SET ROLE domains_analyst;
SELECT count(*) FROM beds b JOIN wings w ON w.id = b.wing WHERE w.name = 'Wing 1' AND b.wing = 99;
PREPARE of_wing AS SELECT count(*) FROM beds WHERE wing = 6;
EXECUTE of_wing;
RESET ROLE;
ALTER TABLE wings RENAME TO blocks;
SET ROLE domains_analyst;
SELECT count(*) FROM beds WHERE wing = 6 AND wing <> 1;
RESET ROLE;
DROP FUNCTION named, told(int);
DROP VIEW in_wings;
DROP TABLE beds, blocks;
SET ROLE domains_analyst;
EXECUTE of_wing;
RESET ROLE;
SET ROLE domains_analyst;
SELECT statements - :before AS charged FROM dp_agg.budgets WHERE dataset = 'default';
RESET ROLE;
DROP TABLE stays;
DROP FUNCTION pg_temp.bounds;
DROP SCHEMA domains CASCADE;
SELECT dp_agg.drop_budget('domains_analyst');
REVOKE ALL ON FUNCTION dp_agg.protect FROM domains_owner;
DROP ROLE domains_owner, domains_analyst;
DROP EXTENSION dp_agg CASCADE;
