--
-- release_rows: what the planner is told of a release's rows, from what everybody knows
--
CREATE EXTENSION dp_agg;
CREATE ROLE rows_analyst;
CREATE SCHEMA rows_one;
CREATE SCHEMA rows_many;
CREATE TYPE rows_kind AS ENUM ('a', 'b', 'c');
CREATE TABLE rows_one.visits (person int, town text, kind rows_kind, late boolean, ward text, clinic int);
CREATE TABLE rows_many.visits (LIKE rows_one.visits);
CREATE INDEX ON rows_many.visits (town);
INSERT INTO rows_one.visits VALUES (1, 'x', 'a', true, 'one', 1);
INSERT INTO rows_many.visits SELECT i, 'town ' || i % 7, 'b', i % 2 = 0, 'two', i % 30 FROM generate_series(1, 30000) i;
CREATE TABLE clinics (id int PRIMARY KEY, region text);
INSERT INTO clinics SELECT i, 'region ' || i % 5 FROM generate_series(1, 300) i;
CREATE TABLE towns (town text PRIMARY KEY, land text);
INSERT INTO towns SELECT 'town ' || i, 'land' FROM generate_series(1, 50000) i;
ANALYZE rows_many.visits, clinics, towns;
SELECT dp_agg.protect(t || '.visits', 'person', max_rows => 1, max_groups => 1),
	dp_agg.set_domain(t || '.visits', 'ward', '{one,two,three,four}'::text[])
	FROM unnest('{rows_one,rows_many}'::text[]) t;
GRANT USAGE ON SCHEMA rows_one, rows_many TO rows_analyst;
GRANT SELECT ON clinics, towns TO rows_analyst;
SELECT dp_agg.set_budget('rows_analyst', 1e9, 1e-3);
CREATE FUNCTION rows_of(statement text) RETURNS text LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || statement INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
-- the types of the nodes of a plan, outermost first
CREATE FUNCTION nodes_of(statement text) RETURNS SETOF text LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
		CONTINUE WHEN line !~ '^ *(->|[A-Z][a-z]+ (Join|Left Join)|Nested Loop)';
		RETURN NEXT regexp_replace(line, '^ *(-> +)?', '');
	END LOOP;
END $$;

SET ROLE rows_analyst;
-- the same of any data
CREATE TEMP TABLE asked (n int, statement text);
INSERT INTO asked VALUES
	(1, 'SELECT dp_count(*) FROM visits'),
	(2, 'SELECT late, dp_count(*) FROM visits GROUP BY 1'),
	(3, 'SELECT kind, late, dp_count(*) FROM visits WHERE late IS NOT NULL GROUP BY 1, 2'),
	(4, 'SELECT ward, dp_count(*) FROM visits GROUP BY 1'),
	(5, 'SELECT town, dp_count(*) FROM visits GROUP BY 1'),
	(6, 'SELECT town, late, dp_count(*) FROM visits GROUP BY 1, 2'),
	(7, 'SELECT town, kind, dp_count(*) FROM visits GROUP BY 1, 2'),
	(8, 'SELECT town, ward, dp_count(*) FROM visits GROUP BY 1, 2'),
	(9, 'SELECT town, clinic, dp_count(*) FROM visits GROUP BY 1, 2'),
	(10, 'SELECT c.id, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY 1'),
	(11, 'SELECT c.id, c.region, dp_count(*) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY 1, 2'),
	(12, 'SELECT * FROM dp_top(''visits'', ''town'', 7)'),
	(13, 'SELECT town, 1 AS one, dp_count(*) FROM visits GROUP BY 1, 2');
SET search_path = rows_one, public, pg_temp;
CREATE TEMP TABLE estimated AS SELECT n, rows_of(statement) AS rows FROM asked;
SET search_path = rows_many, public, pg_temp;
SELECT n, rows, rows = rows_of(statement) AS same, statement FROM asked JOIN estimated USING (n) ORDER BY n;
-- what is joined with many groups is hashed, not looped over
SELECT nodes_of('SELECT * FROM (SELECT town, clinic, dp_count(*) FROM visits GROUP BY 1, 2) v JOIN (SELECT town, clinic, dp_count(*) FROM visits GROUP BY 1, 2) w USING (town, clinic)');
SELECT nodes_of('SELECT * FROM towns JOIN (SELECT town, clinic, dp_count(*) FROM visits GROUP BY 1, 2) v USING (town)');
RESET ROLE;
SET client_min_messages = error;
DROP EXTENSION dp_agg;
DROP SCHEMA rows_one, rows_many CASCADE;
DROP TABLE clinics, towns;
DROP FUNCTION rows_of, nodes_of;
DROP TYPE rows_kind;
DROP OWNED BY rows_analyst;
DROP ROLE rows_analyst;
