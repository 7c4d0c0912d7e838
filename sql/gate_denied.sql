--
-- gate_denied: what a role without rights on a protected table cannot do, and
-- that it costs nothing
--
\set VERBOSITY sqlstate
CREATE EXTENSION dp_agg;
-- Plain aggregates have a topic of their own (plain).
SET dp_agg.plain_aggregates = off;
CREATE ROLE denied_analyst;
CREATE ROLE denied_stranger;
CREATE SCHEMA denied;
GRANT ALL ON SCHEMA denied TO denied_analyst;
GRANT USAGE ON SCHEMA denied TO denied_stranger;
SET search_path = denied, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 2, i FROM generate_series(1, 100) i;
CREATE TABLE open (id int PRIMARY KEY, age int);
INSERT INTO open SELECT i, i FROM generate_series(1, 100) i;
GRANT SELECT ON open TO denied_analyst;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget('denied_analyst', 1000, 1e-6);

-- without a dp aggregate the privileges decide, by whatever road
SET ROLE denied_analyst;
SET dp_agg.epsilon = 50;
SELECT * FROM people;
SELECT count(*) FROM people;
SELECT city, avg(age) FROM people GROUP BY city;
SELECT FROM people;
TABLE people;
SELECT EXISTS (SELECT FROM people WHERE id = 1);
EXPLAIN SELECT * FROM people;
COPY people TO STDOUT;
COPY (SELECT age FROM people) TO STDOUT;
DECLARE c CURSOR WITH HOLD FOR SELECT * FROM people;
CREATE TABLE copied AS SELECT * FROM people;
CREATE MATERIALIZED VIEW copied AS SELECT * FROM people;
INSERT INTO people VALUES (101);
UPDATE people SET age = 0;
DELETE FROM people;
TRUNCATE people;
BEGIN;
LOCK TABLE people IN ACCESS SHARE MODE;
ROLLBACK;
SET client_min_messages = error;
ANALYZE people;
RESET client_min_messages;
SELECT count(*) FROM pg_stats WHERE tablename = 'people';
CREATE INDEX ON people (age);
CREATE VIEW people_view AS SELECT * FROM people;
SELECT * FROM people_view;
PREPARE everything AS SELECT * FROM people;
EXECUTE everything;
DEALLOCATE everything;
DO $$ BEGIN PERFORM * FROM people; END $$;

-- beside a dp aggregate nothing is granted but the block that was validated
SELECT dp_count(*), max(age) FROM people;
SELECT dp_count(*), (SELECT max(age) FROM people) FROM people;
SELECT dp_count(*) FROM people UNION ALL SELECT age FROM people;
WITH counted AS (SELECT dp_count(*) FROM people) SELECT * FROM counted, people;
SELECT * FROM people WHERE age > (SELECT dp_count(*) FROM people);

-- a table that is not protected is not our business, whatever the rights
SELECT dp_count(*) FROM open;
SELECT dp_count(*) FROM pg_class;
SELECT dp_count(*) FROM dp_agg.ledger;

-- none of it was charged, or counted as refused
SELECT statements, refusals, epsilon_spent FROM dp_agg.budgets;

-- the gate itself is open: this answers, within 10 but for a chance of 4e-218
SELECT abs(dp_count(*) - 100) <= 10 AS answered FROM people;
SELECT statements, refusals FROM dp_agg.budgets;

-- the tables of the keeper are closed, and so is administration
SELECT * FROM dp_agg.budget;
SELECT * FROM dp_agg.ledger;
SELECT dp_agg.set_budget('denied_analyst', 1e6, 1e-6);
SELECT dp_agg.reset_budget('denied_analyst');
SELECT dp_agg.drop_budget('denied_analyst');
SELECT dp_agg.protect('open', 'id');
SELECT dp_agg.unprotect('people');

-- a role without a budget gets no answer, and sees no other's budget
SET ROLE denied_stranger;
SELECT dp_count(*) FROM people;
SELECT city, dp_avg(age, 0, 100) FROM people GROUP BY city;
SELECT count(*) FROM dp_agg.budgets;

-- without the schema there is no table
RESET ROLE;
REVOKE USAGE ON SCHEMA denied FROM denied_analyst;
SET ROLE denied_analyst;
SELECT dp_count(*) FROM denied.people;
RESET ROLE;
GRANT USAGE ON SCHEMA denied TO denied_analyst;

-- protection withdrawn: closed again at once, plans made before included
SET ROLE denied_analyst;
PREPARE counting AS SELECT abs(dp_count(*) - 100) <= 10 AS answered FROM people;
EXECUTE counting;
RESET ROLE;
SELECT dp_agg.unprotect('people');
SET ROLE denied_analyst;
EXECUTE counting;
RESET ROLE;
SELECT dp_agg.protect('people', 'id', 'elsewhere');
SET ROLE denied_analyst;
EXECUTE counting;
RESET ROLE;
SELECT dp_agg.protect('people', 'id');
SET ROLE denied_analyst;
EXECUTE counting;

-- and so is a budget that is dropped
RESET ROLE;
SELECT dp_agg.drop_budget('denied_analyst');
SET ROLE denied_analyst;
EXECUTE counting;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA denied CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE denied_analyst, denied_stranger;
