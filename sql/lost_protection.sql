--
-- protection belongs to a table, not to its name: what is put in its place is warned of
--
CREATE EXTENSION dp_agg;
CREATE ROLE regress_etl_ann;
CREATE ROLE regress_etl_olga;
CREATE SCHEMA etl AUTHORIZATION regress_etl_olga;
GRANT USAGE ON SCHEMA etl TO regress_etl_ann;
GRANT EXECUTE ON FUNCTION dp_agg.protect, dp_agg.protect_like TO regress_etl_olga;
SELECT dp_agg.set_budget('regress_etl_ann', 1e7, 1e-6);
SET ROLE regress_etl_olga;
SET search_path = etl;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
SELECT dp_agg.protect('people', 'id', 'folk', 7, 3, 2, 9, 11), dp_agg.set_domain('people', 'age', 0, 100), dp_agg.hide_column('people', 'city');

-- renamed, and another in its place: the label went along
CREATE TABLE people_new (LIKE people INCLUDING ALL);
BEGIN;
ALTER TABLE people RENAME TO people_old;
ALTER TABLE people_new RENAME TO people;
COMMIT;
SELECT relation, unit, dataset FROM dp_agg.protected_tables;
-- which fails closed, and is said once
CREATE TABLE whatever ();
DROP TABLE whatever;
SET ROLE regress_etl_ann;
SELECT public.dp_count(*) FROM people;
RESET ROLE;
SET ROLE regress_etl_olga;

-- protected before it takes the place: nothing to warn of
DROP TABLE people;
ALTER TABLE people_old RENAME TO people;
CREATE TABLE people_new (LIKE people INCLUDING ALL);
SELECT dp_agg.protect_like('people_new', 'people');
SELECT relation, unit, dataset, max_rows, max_groups, max_values, max_join_rows, clip_max_rows FROM dp_agg.protected_tables ORDER BY 1;
SELECT relation, "column", lower, upper, hidden, is_unit FROM dp_agg.protected_columns ORDER BY 1, 2;
BEGIN;
ALTER TABLE people RENAME TO people_old;
ALTER TABLE people_new RENAME TO people;
COMMIT;
DROP TABLE people_old;
SELECT relation, unit, dataset FROM dp_agg.protected_tables;

-- dropped and made anew, by whatever command; rolled back there is nothing to say
DROP TABLE people;
CREATE TABLE people AS SELECT 1 AS id, 'x'::text AS city, 2 AS age;
SELECT dp_agg.protect('people', 'id');
BEGIN;
DROP TABLE people;
ROLLBACK;
CREATE TABLE whatever ();
DO $$ BEGIN DROP TABLE people; CREATE TABLE people (id int); END $$;
SELECT dp_agg.protect('people', 'id');
ALTER TABLE people SET SCHEMA public;
RESET ROLE;
GRANT CREATE ON SCHEMA public TO regress_etl_olga;
SET ROLE regress_etl_olga;
ALTER INDEX people RENAME TO renamed;
CREATE MATERIALIZED VIEW people AS SELECT 1 AS id;
DROP MATERIALIZED VIEW people;
ALTER TABLE renamed RENAME TO people;
ALTER TABLE people SET SCHEMA public;
CREATE TABLE people (id int);
DROP TABLE people, public.people;
RESET ROLE;
ALTER SCHEMA etl RENAME TO etl_old;
CREATE SCHEMA etl AUTHORIZATION regress_etl_olga;
CREATE TABLE etl.people (id int, city text);
SELECT dp_agg.protect('etl.people', 'id');
ALTER SCHEMA etl RENAME TO etl_older;
CREATE SCHEMA etl CREATE TABLE people (id int, city text);
DROP SCHEMA etl CASCADE;
ALTER SCHEMA etl_older RENAME TO etl;
-- a view in the place of a table is not a table
ALTER TABLE etl.people RENAME TO people_1;
CREATE VIEW etl.people AS SELECT * FROM etl.people_1;

-- a table is no longer protected without its column
CREATE TABLE etl.orders (id int PRIMARY KEY, person int, amount int);
SELECT dp_agg.protect('etl.orders', 'person');
ALTER TABLE etl.orders DROP COLUMN amount;
ALTER TABLE etl.orders DROP COLUMN person;
SELECT relation FROM dp_agg.protected_tables;

-- check_exposure finds copies that a role can read, by all their columns
CREATE TABLE etl.people_copy AS TABLE etl.people_1;
CREATE TABLE etl.wider AS SELECT *, 1 AS n FROM etl.people_1;
CREATE TABLE etl.narrower AS SELECT id FROM etl.people_1;
CREATE TABLE etl.other AS SELECT id, city::varchar FROM etl.people_1;
CREATE TABLE etl.closed AS TABLE etl.people_1;
GRANT SELECT ON etl.people_copy, etl.narrower, etl.other TO regress_etl_ann;
GRANT SELECT (city) ON etl.wider TO regress_etl_ann;
SELECT * FROM dp_agg.check_exposure('regress_etl_ann') WHERE risk LIKE '%has all columns%';

-- protect_like: what it refuses
SELECT dp_agg.protect_like('etl.people_copy', NULL);
SELECT dp_agg.protect_like('etl.people_copy', 'etl.closed');
SELECT dp_agg.protect_like('etl.orders', 'etl.people_copy');
SELECT dp_agg.set_domain('etl.people_1', 'city', ARRAY['x', 'it''s']);
SELECT dp_agg.protect_like('etl.narrower', 'etl.people_1');
SELECT relation FROM dp_agg.protected_tables;
GRANT USAGE ON SCHEMA etl TO regress_etl_ann;
SET ROLE regress_etl_ann;
SELECT dp_agg.protect_like('etl.people_copy', 'etl.people_1');
SET ROLE regress_etl_olga;
SELECT dp_agg.protect_like('etl.people_copy', 'etl.people_1');
RESET ROLE;
-- of a linked table
ALTER TABLE etl.people_1 ADD PRIMARY KEY (id);
CREATE TABLE etl.visits (n int, person int NOT NULL REFERENCES etl.people_1);
SELECT dp_agg.protect('etl.visits', 'person', through => 'etl.people_1', max_rows => 5);
CREATE TABLE etl.visits_new (LIKE etl.visits);
SELECT dp_agg.protect_like('etl.visits_new', 'etl.visits');
ALTER TABLE etl.visits_new ADD FOREIGN KEY (person) REFERENCES etl.people_1;
SELECT dp_agg.protect_like('etl.visits_new', 'etl.visits');
SELECT relation, unit, through, max_rows FROM dp_agg.protected_tables ORDER BY 1;

SELECT dp_agg.drop_budget('regress_etl_ann');
SET client_min_messages = error;
DROP SCHEMA etl, etl_old CASCADE;
REVOKE ALL ON SCHEMA public FROM regress_etl_olga;
DROP EXTENSION dp_agg;
DROP ROLE regress_etl_ann, regress_etl_olga;
