--
-- help: an analyst's first page inside psql
--
CREATE EXTENSION dp_agg;
CREATE SCHEMA helped;
CREATE SCHEMA closed;
CREATE ROLE help_analyst;
CREATE ROLE help_pool;
CREATE ROLE help_stranger;
GRANT help_pool TO help_analyst;
GRANT USAGE ON SCHEMA helped TO help_analyst, help_stranger;
SET search_path = helped, public;
CREATE TABLE clinics (id int PRIMARY KEY);
CREATE TABLE people (id int PRIMARY KEY, age int, city text, "Odd one" boolean, secret text, clinic int, born date);
CREATE TABLE parts (person int NOT NULL, note text, x float8, "a ""b""" int) PARTITION BY LIST (person);
CREATE TABLE parts_of_1 PARTITION OF parts FOR VALUES IN (1, 2, 3);
CREATE TABLE visits (visit int PRIMARY KEY, person int NOT NULL REFERENCES people (id), cost numeric(6, 2));
CREATE TABLE closed.people (id int PRIMARY KEY);
CREATE TABLE elsewhere (id int PRIMARY KEY);
INSERT INTO people SELECT i, 42, 'Celle', true, 'canary' FROM generate_series(1, 50) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 4, max_groups => 3, through => 'people'),
	dp_agg.protect('closed.people', 'id'), dp_agg.protect('elsewhere', 'id', 'other');
SELECT dp_agg.set_domain('people', 'age', 0, 100), dp_agg.set_domain('people', 'city', ARRAY(SELECT 'city ' || chr(64 + i) FROM generate_series(1, 12) i)),
	dp_agg.set_domain('people', 'clinic', refers_to => 'clinics.id'), dp_agg.hide_column('people', 'secret');
SELECT dp_agg.set_budget('help_analyst', 5, 0), dp_agg.set_budget('help_pool', 7, 1e-6, 'pooled'), dp_agg.set_budget('help_stranger', 3, 0, 'empty');

\echo hers: no table of another data set, nor of a schema that is closed to her
SET ROLE help_analyst;
SELECT * FROM dp_agg.help() WHERE topic <> 'function';
\echo what it tells her to ask can be asked
SELECT abs(dp_count(*)) < 1e9 AS asked FROM helped.people;
SELECT what FROM dp_agg.help() WHERE name = 'counts by group' \gset
\o /dev/null
:what
\o
SELECT count(*) AS charged FROM dp_agg.last_release();
SELECT name, what FROM dp_agg.help() WHERE topic = 'budget';
\echo functions are those that she may call, once each, with a line about each
SELECT count(*) > 40 AS many, count(*) = count(DISTINCT name) AS once, count(*) FILTER (WHERE what IS NULL OR what ~ E'\n' OR length(what) > 250) AS long, count(*) FILTER (WHERE what ~ ' \.$') AS cut,
	count(*) FILTER (WHERE name ~ 'dp_agg_internal|dp_accountant|set_budget|protect') AS not_hers FROM dp_agg.help() WHERE topic = 'function';
SELECT name, what FROM dp_agg.help() WHERE name ~ '^(dp_count|dp_avg|dp_agg\.price|dp_agg\.help)\(';
RESET ROLE;

\echo a role without a table, and one without a budget
SET ROLE help_stranger;
SELECT * FROM dp_agg.help() WHERE topic <> 'function';
RESET ROLE;
SELECT dp_agg.drop_budget('help_stranger', 'empty');
SET ROLE help_stranger;
SELECT * FROM dp_agg.help() WHERE topic <> 'function';
RESET ROLE;

\echo of one table: what may be asked, and questions to begin with
SELECT dp_agg.set_domain('people', 'born', '2018-01-01', '2019-12-31'), dp_agg.set_domain('visits', 'cost', 0, 100), dp_agg.set_budget('help_analyst', 50, 1e-6, 'other');
SELECT dp_agg.protect('parts', 'person', 'other', max_rows => 2), dp_agg.publish('people', 'people_seen', '{id,age}');
COMMENT ON TABLE people IS 'the owner''s own words';
SET ROLE help_analyst;
SELECT * FROM dp_agg.help('people');
SELECT * FROM dp_agg.help('visits');
SELECT * FROM dp_agg.help('parts_of_1');
SELECT obj_description('people'::regclass);
\echo each of these questions can be asked
SET client_min_messages = warning;
\o /dev/null
SELECT h.what FROM unnest(ARRAY['people', 'visits', 'parts_of_1']::regclass[]) t, dp_agg.help(t) h WHERE h.topic = 'how to ask' \gexec
\o
RESET client_min_messages;
SELECT statements > 10 AS asked FROM dp_agg.budgets WHERE dataset = 'default';
\echo a view of it, a table that is none, and one that she has no budget for
SELECT name, what FROM dp_agg.help('people_seen') WHERE topic = 'table';
SELECT * FROM dp_agg.help('clinics');
RESET ROLE;
SELECT dp_agg.drop_budget('help_analyst', 'other');
SET ROLE help_analyst;
SELECT * FROM dp_agg.help('parts') WHERE topic IN ('budget', 'table');
RESET ROLE;

\echo where catalogs are closed as dp_agg.harden closes them, and it charged nothing
BEGIN;
REVOKE SELECT ON pg_class FROM PUBLIC;
GRANT SELECT (oid, relname, relnamespace, relkind) ON pg_class TO PUBLIC;
SET ROLE help_analyst;
SELECT count(*) > 50 AS shown, (SELECT count(*) FROM dp_agg.help('people_seen')) > 10 AS of_one FROM dp_agg.help();
ROLLBACK;
SELECT DISTINCT event, role FROM dp_agg.ledger WHERE event = 'charge';
SELECT provolatile, proconfig FROM pg_proc WHERE oid = 'dp_agg.help(regclass)'::regprocedure;

SET client_min_messages = warning;
DROP SCHEMA helped, closed CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE help_analyst, help_pool, help_stranger;
