--
-- warnings: what is declared and may not be meant is done, and said
--
CREATE EXTENSION dp_agg;
-- before any table is protected, budgets may be on what is to come
CREATE ROLE warnings_ann;
SELECT dp_agg.set_budget('warnings_ann', 1, 1e-6, dataset => 'hospitl');
SELECT dp_agg.drop_budget('warnings_ann', 'hospitl');
CREATE SCHEMA warnings;
SET search_path = warnings, public;
CREATE ROLE warnings_bob;
CREATE ROLE "warnings Eve";
CREATE ROLE warnings_super SUPERUSER;

-- every row a unit of its own: told where another column may say whose row it is
CREATE TABLE people (id int PRIMARY KEY, name text, account_no int, ssn text UNIQUE);
CREATE TABLE patient_list (patient_no int PRIMARY KEY, account_no int);
CREATE TABLE visits (visitno int PRIMARY KEY, "patientId" int, cost numeric);
CREATE TABLE calls (no int UNIQUE NOT NULL, customers int);
CREATE TABLE stays (no int PRIMARY KEY, "user" int UNIQUE, department_id int, paid boolean);
CREATE TABLE orders (id int PRIMARY KEY, who int REFERENCES people);
CREATE TABLE partial (id int NOT NULL, customer_id int);
CREATE UNIQUE INDEX ON partial (id) WHERE customer_id > 0;
SELECT dp_agg.protect('visits', 'visitno');
SELECT dp_agg.protect('calls', 'no');
SELECT dp_agg.protect('orders', 'id');
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.protect('orders', 'id');
-- and not where none does, the unit is named after people, or is no key
ALTER TABLE people DROP COLUMN account_no;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('patient_list', 'patient_no'), dp_agg.protect('stays', 'no'),
	dp_agg.protect('partial', 'id'), dp_agg.protect('orders', 'who'), dp_agg.protect('visits', 'patientId');

-- rows without a unit
CREATE TABLE notes (person int, body text);
SELECT dp_agg.protect('notes', 'person');
INSERT INTO notes SELECT i, 'a' FROM generate_series(1, 100) i;
SELECT dp_agg.protect('notes', 'person');
INSERT INTO notes VALUES (NULL, 'b');
SELECT dp_agg.protect('notes', 'person');
CREATE TABLE more_notes () INHERITS (notes);
UPDATE notes SET person = 1 WHERE person IS NULL;
INSERT INTO more_notes VALUES (NULL, 'c');
SELECT dp_agg.protect('notes', 'person');
DELETE FROM more_notes;
SELECT dp_agg.protect('notes', 'person');
CREATE TABLE parted (body text, person int) PARTITION BY LIST (body);
CREATE TABLE part_a (person int, body text);
ALTER TABLE parted ATTACH PARTITION part_a FOR VALUES IN ('a');
INSERT INTO parted VALUES ('a', NULL);
SELECT dp_agg.protect('parted', 'person');
-- reading them is not counted
SELECT pg_stat_get_xact_numscans('notes'::regclass) AS before \gset
SELECT dp_agg.protect('notes', 'person');
SELECT pg_stat_get_xact_numscans('notes'::regclass) - :before AS counted;

-- names that are not there
SELECT dp_agg.protect('visits', 'patientid');
SELECT dp_agg.protect('visits', 'cots');
SELECT dp_agg.protect('visits', 'entirely_else');
SELECT dp_agg.protect('visits', 'ctids');
SELECT dp_agg.set_domain('visits', 'COST', 0, 100);
SELECT dp_agg.set_domain('visits', 'cost', 'warnings.people.nmae');
SELECT dp_agg.hide_column('visits', 'patient id');
SELECT dp_agg.publish('visits', 'shown', '{costs}');
\set VERBOSITY terse
SELECT dp_agg.publish('visits', 'shown', '{ctid}');
SELECT dp_agg.publish('visits', 'shown', '{NULL}');
\set VERBOSITY default
SELECT * FROM dp_histogram('visits', 'costs', 0, 100, 5);
SELECT * FROM dp_histogram('visits', 'entirely_else', 0, 100, 5);
SELECT dp_agg_internal.missing_column('visits', 'cost'), dp_agg_internal.missing_column(0, 'cost');
ALTER TABLE visits DROP COLUMN cost;
SELECT dp_agg.protect('visits', 'costs');
ALTER TABLE visits ADD cost numeric;

-- data sets that no table belongs to
SELECT dp_agg.protect('visits', 'patientId', dataset => 'hospital');
SELECT dp_agg.set_budget('warnings_ann', 1, 1e-6, dataset => 'hospitl');
SELECT dp_agg.set_budget('warnings_ann', 1, 1e-6, dataset => 'Hospital');
SELECT dp_agg.set_dataset_cap('hospitals', 1, 1e-6);
SELECT dp_agg.set_budget('warnings_ann', 1, 1e-6, dataset => 'elsewhere');
SELECT dp_agg.set_budget('warnings_ann', 1, 1e-6, dataset => 'hospital'), dp_agg.set_dataset_cap('default', 1, 1e-6);
SELECT dp_agg.drop_dataset_cap('hospitals'), dp_agg.drop_dataset_cap('default');

-- an epsilon that promises nothing
SHOW dp_agg.high_epsilon;
SET dp_agg.high_epsilon = 20;
SELECT dp_agg.set_budget('warnings_ann', 20, 1e-6);
SELECT dp_agg.set_budget('warnings_ann', 20.5, 1e-6);
SELECT dp_agg.set_budget('warnings_ann', 1000, 1e-6);
SELECT dp_agg.set_dataset_cap('default', 1000, 1e-6);
SET dp_agg.high_epsilon = 10;
SELECT dp_agg.set_budget('warnings_ann', 11, 1e-6);
SET dp_agg.high_epsilon = 0;
SELECT dp_agg.set_budget('warnings_ann', 1e6, 1e-6);
SELECT dp_agg.drop_dataset_cap('default');

-- rights to read what is protected
CREATE TABLE unprotected (a int);
CREATE VIEW shown AS SELECT dp_count(*) FROM visits;
GRANT SELECT ON visits TO warnings_ann;
GRANT SELECT (cost), UPDATE ON visits TO warnings_ann, "warnings Eve";
GRANT ALL (cost) ON visits TO warnings_bob;
GRANT ALL ON notes, visits, unprotected TO warnings_bob WITH GRANT OPTION;
GRANT SELECT ON more_notes TO PUBLIC;
GRANT SELECT ON part_a TO warnings_bob;
GRANT SELECT ON ALL TABLES IN SCHEMA warnings TO warnings_bob;
REVOKE ALL ON ALL TABLES IN SCHEMA warnings FROM PUBLIC, warnings_ann, warnings_bob, "warnings Eve" CASCADE;
GRANT UPDATE, INSERT ON visits TO warnings_ann;
GRANT SELECT ON visits TO warnings_super, CURRENT_USER;
GRANT SELECT ON shown, unprotected TO warnings_ann;
GRANT warnings_ann TO warnings_bob;
GRANT SELECT ON ALL TABLES IN SCHEMA pg_toast TO warnings_ann;
-- nothing is said of a grant that gives nothing
GRANT USAGE ON SCHEMA warnings TO warnings_ann;
GRANT UPDATE ON visits TO warnings_ann WITH GRANT OPTION;
SET ROLE warnings_ann;
GRANT SELECT, UPDATE ON visits TO warnings_bob;
GRANT SELECT ON visits TO PUBLIC;
RESET ROLE;
-- and what is there when a table is protected
ALTER DEFAULT PRIVILEGES IN SCHEMA warnings GRANT SELECT ON TABLES TO warnings_ann, PUBLIC;
CREATE TABLE tomorrow (person int);
SELECT dp_agg.protect('tomorrow', 'person');

-- a role that has budgets
CREATE ROLE warnings_dan;
SELECT dp_agg.set_budget('"warnings Eve"', 1, 1e-6), dp_agg.set_budget('"warnings Eve"', 1, 1e-6, 'hospital');
DROP ROLE warnings_dan, "warnings Eve";
SELECT count(dp_agg.drop_budget(role, dataset)) FROM dp_agg.budgets WHERE role = '"warnings Eve"'::regrole;
DROP ROLE "warnings Eve", warnings_dan;
-- nothing of that for a role that something else depends on, or that may not be dropped
GRANT USAGE ON SCHEMA warnings TO warnings_bob;
DROP ROLE warnings_bob;
SET ROLE warnings_bob;
-- versions differ in their detail
\set VERBOSITY terse
DROP ROLE warnings_ann;
\set VERBOSITY default
RESET ROLE;
SELECT count(dp_agg.drop_budget(role, dataset)) FROM dp_agg.budgets WHERE role = 'warnings_ann'::regrole;

SET client_min_messages = warning;
ALTER DEFAULT PRIVILEGES IN SCHEMA warnings REVOKE SELECT ON TABLES FROM warnings_ann, PUBLIC;
DROP SCHEMA warnings CASCADE;
REVOKE SELECT ON ALL TABLES IN SCHEMA pg_toast FROM warnings_ann;
DROP ROLE warnings_ann, warnings_bob, warnings_super;
DROP EXTENSION dp_agg;
