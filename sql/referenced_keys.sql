--
-- referenced_keys: keys of a column that a public table has, as the owner declares
--
CREATE EXTENSION dp_agg;
CREATE ROLE referenced_owner;
CREATE ROLE referenced_analyst;
CREATE SCHEMA referenced AUTHORIZATION referenced_owner;
GRANT USAGE ON SCHEMA referenced TO referenced_analyst;
SET search_path = referenced, public;
SET ROLE referenced_owner;
CREATE TABLE clinics (id int PRIMARY KEY, name text UNIQUE, town text, big bigint UNIQUE);
INSERT INTO clinics SELECT i, 'clinic ' || i, 'town ' || i % 2, i FROM generate_series(1, 4) i;
INSERT INTO clinics VALUES (9, NULL, 'nowhere');
CREATE TABLE "Kinds x" ("Kind.of" text PRIMARY KEY);
INSERT INTO "Kinds x" VALUES ('flu'), ('asthma'), ('gout');
CREATE TABLE people (id int PRIMARY KEY, clinic int, name text, age int);
INSERT INTO people SELECT i, 1 + i % 3, 'clinic ' || 1 + i % 3, i % 90 FROM generate_series(1, 900) i;
INSERT INTO people SELECT i, 77, 'clinic 77', 40 FROM generate_series(901, 1200) i;
INSERT INTO people SELECT i, NULL, NULL, 40 FROM generate_series(1201, 1500) i;
CREATE TABLE visits (person int, clinic int, kind text, cost int);
INSERT INTO visits SELECT i % 900, 1 + i % 3, CASE WHEN i % 3 = 0 THEN 'flu' ELSE 'asthma' END, i % 50 FROM generate_series(1, 1800) i;
CREATE TABLE last_visits AS SELECT DISTINCT ON (person) * FROM visits WHERE person > 300 ORDER BY person, cost;
ALTER TABLE last_visits ADD PRIMARY KEY (person);
CREATE TABLE prices (clinic int PRIMARY KEY, price int);
INSERT INTO prices VALUES (1, 10), (2, 20), (7, 70);
GRANT SELECT ON prices TO referenced_analyst;
RESET ROLE;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA dp_agg TO referenced_owner;
SET ROLE referenced_owner;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 4, max_groups => 3);
SELECT dp_agg.set_domain('people', 'clinic', refers_to => 'clinics.id'), dp_agg.set_domain('people', 'name', 'referenced.clinics.name'),
	dp_agg.set_domain('visits', 'clinic', 'clinics.id'), dp_agg.protect('last_visits', 'person'), dp_agg.set_domain('last_visits', 'clinic', 'clinics.id'), dp_agg.set_domain('visits', 'kind', '"Kinds x"."Kind.of"');
RESET ROLE;
SELECT dp_agg.set_budget('referenced_analyst', 1e9, 0.5);
SET ROLE referenced_analyst;
SELECT * FROM dp_agg.protected_columns WHERE refers_to IS NOT NULL ORDER BY relation::text COLLATE "C", "column";

-- without the right to the public table, of which nothing is read
SELECT clinic, dp_count(*) FROM people GROUP BY clinic;
SELECT dp_count(*) > 0 AS counted FROM people;
RESET ROLE;
GRANT SELECT (id) ON clinics TO referenced_analyst;
GRANT SELECT ON "Kinds x" TO referenced_analyst;
SET ROLE referenced_analyst;
SELECT name, dp_count(*) FROM people GROUP BY name;

-- At epsilon 50 a count of one row a unit is off by one or more with a probability of 4e-22.
SET dp_agg.epsilon = 50;
-- every key that the table has is answered, others are in no group, and no threshold is paid
SELECT clinic, dp_count(*) FROM people GROUP BY clinic ORDER BY 1;
SELECT clinic, dp_count(*), dp_avg(age, 0, 90) BETWEEN 0 AND 90 AS mean FROM people WHERE age < 45 GROUP BY 1 ORDER BY 1;
SELECT aggregate, epsilon, delta FROM dp_agg.price('SELECT clinic, dp_count(*) FROM people WHERE age < 45 GROUP BY clinic');
EXPLAIN (COSTS off) SELECT clinic, dp_count(*) FROM people GROUP BY clinic;
-- as the query that is meant
SELECT c.id, dp_count(p.id) FROM people p RIGHT JOIN clinics c ON c.id = p.clinic GROUP BY c.id ORDER BY 1;
-- above the release, in HAVING, in subqueries, beside aggregates of the column
SELECT clinic * 10 AS tens, (SELECT count(*) FROM clinics c WHERE c.id <= p.clinic) AS rank, dp_count(p.clinic), round(dp_avg(clinic, 0, 10), 1) AS mean
	FROM people p GROUP BY clinic HAVING clinic < 4 ORDER BY clinic DESC;
SELECT pg_typeof(clinic), count(*) FROM (SELECT clinic, dp_count(*) FROM people GROUP BY clinic) q GROUP BY 1;
CREATE TEMP VIEW seen AS SELECT id, clinic AS place, age FROM people;
SELECT place, dp_count(*) FROM seen WHERE age < 45 GROUP BY place ORDER BY 1;
WITH q AS (SELECT * FROM people) SELECT clinic, dp_count(*) FROM q GROUP BY clinic ORDER BY 1;
-- several keys, each of its own table; joins
SELECT clinic, kind, abs(dp_count(*) - CASE WHEN clinic = 1 AND kind = 'flu' OR clinic IN (2, 3) AND kind = 'asthma' THEN 600 ELSE 0 END) < 60 AS right
	FROM visits GROUP BY clinic, kind ORDER BY 1, 2;
SELECT v.clinic, dp_count(DISTINCT v.person) FROM visits v JOIN people p ON p.id = v.person WHERE p.age >= 0 GROUP BY v.clinic ORDER BY 1;
SELECT clinic, dp_count(DISTINCT v.person) FROM visits v JOIN prices USING (clinic) GROUP BY clinic ORDER BY 1;
SELECT v.clinic, dp_count(DISTINCT v.person) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY v.clinic ORDER BY 1;
SELECT v.clinic, p.clinic, dp_count(DISTINCT v.person) BETWEEN 0 AND 400 AS counted FROM visits v JOIN people p ON p.id = v.person GROUP BY v.clinic, p.clinic ORDER BY 1, 2 LIMIT 3;
-- keys alone are those of the tables, free of charge and of rows
SELECT sum(statements) AS statements FROM dp_agg.budgets \gset
SELECT DISTINCT clinic FROM visits ORDER BY clinic LIMIT 3;
-- a child that the table was given is not read
RESET ROLE;
CREATE TABLE "Kinds y" () INHERITS ("Kinds x");
INSERT INTO "Kinds y" VALUES ('cough');
SET ROLE referenced_analyst;
SELECT DISTINCT kind FROM visits ORDER BY kind;
SELECT kind, dp_count(*) FROM visits GROUP BY kind;
RESET ROLE;
DROP TABLE "Kinds y";
SET ROLE referenced_analyst;
SELECT kind, clinic % 2 AS odd FROM visits WHERE cost > 5 GROUP BY kind, clinic ORDER BY kind DESC, clinic LIMIT 2;
SELECT v.clinic FROM visits v JOIN people p ON p.id = v.person GROUP BY v.clinic HAVING v.clinic > 3 ORDER BY 1 LIMIT 2;
SELECT sum(statements) - :statements AS charged FROM dp_agg.budgets;
SELECT kind, dp_count(DISTINCT v.person) FROM clinics c JOIN visits v ON v.clinic = c.id GROUP BY kind ORDER BY 1;
-- with another key, in an expression, as a category, where an outer join puts NULLs: as if nothing were declared
SELECT v.clinic, dp_count(*) FROM people p LEFT JOIN last_visits v ON p.id = v.person WHERE p.id <= 900 GROUP BY v.clinic ORDER BY 1;
SELECT clinic, age < 45 AS young, dp_count(*) FROM people GROUP BY 1, 2 ORDER BY 1, 2;
SELECT clinic + 0 AS clinic, dp_count(*) FROM people GROUP BY 1 ORDER BY 1;
SELECT bin, key, count FROM dp_histogram('people', 'clinic', ARRAY[1, 77]);
SELECT candidate FROM dp_top('people', 'clinic', 1, filter => 'clinic > 70');
PREPARE by_clinic AS SELECT array_agg(clinic ORDER BY clinic) FROM (SELECT clinic, dp_count(*) FROM people GROUP BY clinic) q;
EXECUTE by_clinic;
RESET ROLE;
-- what the table lists is read when a query is answered; a plan follows what is called so
DELETE FROM clinics WHERE id = 9;
INSERT INTO clinics VALUES (77, 'clinic 77', 'town 1');
SET ROLE referenced_analyst;
EXECUTE by_clinic;
RESET ROLE;
ALTER TABLE clinics RENAME TO houses;
SET ROLE referenced_analyst;
EXECUTE by_clinic;
RESET ROLE;
ALTER TABLE houses RENAME TO clinics;
ALTER TABLE clinics RENAME id TO number;
SET ROLE referenced_analyst;
SELECT clinic, dp_count(*) FROM people GROUP BY clinic;
RESET ROLE;
ALTER TABLE clinics RENAME number TO id;
ALTER TABLE clinics DROP CONSTRAINT clinics_pkey;
SET ROLE referenced_analyst;
EXECUTE by_clinic;
RESET ROLE;
ALTER TABLE clinics ADD PRIMARY KEY (id);
SELECT dp_agg.protect('clinics', 'id');
SET ROLE referenced_analyst;
EXECUTE by_clinic;
RESET ROLE;
SELECT dp_agg.unprotect('clinics');
SET ROLE referenced_owner;
SELECT dp_agg.drop_domain('people', 'clinic');
SET ROLE referenced_analyst;
EXECUTE by_clinic;

-- what may not be declared
SET ROLE referenced_owner;
SELECT dp_agg.set_domain('people', 'clinic', 'id');
SELECT dp_agg.set_domain('people', 'clinic', 'clinics.');
SELECT dp_agg.set_domain('people', 'clinic', 'nowhere.id');
SELECT dp_agg.set_domain('people', 'clinic', 'clinics.ID');
SELECT dp_agg.set_domain('people', 'clinic', 'clinics.nothing');
SELECT dp_agg.set_domain('people', 'clinic', 'clinics.ctid');
SELECT dp_agg.set_domain('people', 'clinic', 'clinics.big');
SELECT dp_agg.set_domain('people', 'name', 'clinics.town');
SELECT dp_agg.set_domain('people', 'clinic', 'visits.clinic');
SELECT dp_agg.set_domain('people', 'clinic', 'pg_catalog.pg_tables.schemaname');
SELECT dp_agg.set_domain('people', 'clinic', NULL::text);
SELECT dp_agg.hide_column('people', 'clinic');
SELECT dp_agg.set_domain('people', 'clinic', 'clinics.id');
-- labels as dumps have them: of what may not be there yet, or be called otherwise
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.clinic IS 'refers_to=nowhere."No table".x';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.clinic IS 'refers_to=clinics.id';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.clinic IS 'refers_to=a.b.c.d';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.clinic IS 'refers_to=a.B.c';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.clinic IS 'refers_to=';
SECURITY LABEL FOR dp_agg_domain ON COLUMN people.clinic IS 'refers_to="a.b.c';
SET ROLE referenced_analyst;
SELECT clinic, dp_count(*) FROM people GROUP BY clinic;
SELECT dp_avg(clinic) FROM people;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA referenced CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE referenced_analyst;
DROP OWNED BY referenced_owner;
DROP ROLE referenced_owner;
