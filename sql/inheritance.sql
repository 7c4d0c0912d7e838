--
-- inheritance: a protected table is read with its inheritance children, of any generation
--
-- A count at epsilon 1e6 is off by one or more with a probability below 1e-200.
--
CREATE EXTENSION dp_agg;
SET client_min_messages = warning;
CREATE ROLE inheritance_owner;
CREATE ROLE inheritance_stranger;
CREATE ROLE inheritance_analyst;
CREATE SCHEMA inheritance;
GRANT ALL ON SCHEMA inheritance TO inheritance_owner;
GRANT USAGE ON SCHEMA inheritance TO inheritance_analyst;
SET search_path = inheritance, public;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA dp_agg TO inheritance_owner;
SELECT dp_agg.set_budget('inheritance_analyst', 1e12, 1e-3);
SET ROLE inheritance_owner;
-- three generations; columns have other numbers, and children more of them
CREATE TABLE visits (gone int, no int PRIMARY KEY, person int NOT NULL, ward text, days int, cost numeric, CHECK (days >= 0));
CREATE TABLE visits_new () INHERITS (visits);
CREATE TABLE visits_old (note text DEFAULT 'old', more int UNIQUE) INHERITS (visits);
CREATE TABLE visits_oldest (last bool DEFAULT true) INHERITS (visits_old);
CREATE TABLE visits_came (cost numeric, was date, days int, person int NOT NULL, ward text, no int NOT NULL, lost text, CONSTRAINT visits_days_check CHECK (days >= 0));
CREATE TABLE visits_none () INHERITS (visits);
ALTER TABLE visits DROP COLUMN gone;
ALTER TABLE visits_came DROP COLUMN was, DROP COLUMN lost;
ALTER TABLE visits_came INHERIT visits;
CREATE INDEX ON visits_came (days);
CREATE INDEX ON visits_old (person);
INSERT INTO visits (no, person, ward, days, cost) SELECT i, i % 300, 'w' || i % 3, i % 11, i % 90 FROM generate_series(1, 200) i;
INSERT INTO visits_new (no, person, ward, days, cost) SELECT i, i % 300, 'w' || i % 3, i % 11, i % 90 FROM generate_series(1, 900) i;
INSERT INTO visits_old (no, person, ward, days, cost) SELECT i, i % 250, 'w' || i % 4, 2, i % 90 FROM generate_series(1, 700) i;
INSERT INTO visits_oldest (no, person, ward, days, cost) SELECT i, 1000 + i % 200, 'w' || i % 4, 2, i % 90 FROM generate_series(1, 600) i;
INSERT INTO visits_came (no, person, ward, days, cost) SELECT i, i % 300, 'w' || i % 5, i % 3, i % 90 FROM generate_series(1, 500) i;
-- each person, again in children
CREATE TABLE people (id int PRIMARY KEY, age int, town text);
CREATE TABLE people_abroad (id int NOT NULL, age int, town text);
ALTER TABLE people_abroad INHERIT people;
INSERT INTO people SELECT i, i % 90, 't' || i % 3 FROM generate_series(0, 299) i;
INSERT INTO people_abroad SELECT i, i % 90, 't' || i % 3 FROM generate_series(200, 1199) i;
-- all rows are in children of children
CREATE TABLE hollow (person int, n int);
CREATE TABLE hollow_in () INHERITS (hollow);
CREATE TABLE hollow_out () INHERITS (hollow_in);
INSERT INTO hollow_out SELECT i % 100, i % 7 FROM generate_series(1, 300) i;
CREATE TABLE towns (town text PRIMARY KEY, region text);
INSERT INTO towns VALUES ('t0', 'north'), ('t1', 'north'), ('t2', 'south'), ('t3', 'south');
GRANT SELECT ON towns TO inheritance_analyst;
SELECT dp_agg.protect('visits', 'person', max_rows => 20, max_groups => 20), dp_agg.protect('people', 'id', max_rows => 2, max_groups => 2),
	dp_agg.protect('hollow', 'person', max_rows => 3, max_groups => 3);
SELECT dp_agg.set_domain('visits', 'days', 0, 20), dp_agg.set_domain('visits', 'cost', 0, 100), dp_agg.set_domain('people', 'age', 0, 100),
	dp_agg.set_domain('hollow', 'n', 0, 10), dp_agg.set_domain('people', 'town', '{t0,t1,t2}'::text[]);
SELECT relation, unit, max_rows FROM dp_agg.protected_tables ORDER BY relation::text;
-- protected by their parents, and asked about by these alone
SELECT dp_agg.protect('visits_new', 'person');
SELECT dp_agg.protect('visits_oldest', 'person');
RESET ROLE;
SET ROLE inheritance_analyst;
SELECT dp_count(*) FROM visits_oldest;
SELECT count(*) FROM visits_new;
SELECT * FROM visits_old;
RESET ROLE;

\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/compare.sql'
\i :file

-- the owner's answers, of all generations
-- (PostgreSQL 18.6 takes a table with its children and ONLY it for one, and drops one of them)
DO $$ BEGIN PERFORM set_config(name, 'off', false) FROM pg_settings WHERE name = 'enable_self_join_elimination'; END $$;
SET dp_agg.max_join_rows = 30;
COPY asked (statement) FROM stdin;
SELECT count(*), count(no), sum(days), count(DISTINCT person) FROM visits
SELECT count(*), sum(days), count(DISTINCT person) FROM ONLY visits
SELECT ward, count(*), sum(days), count(cost), count(DISTINCT person) FROM visits GROUP BY ward
SELECT days, count(*) FROM visits GROUP BY days HAVING count(*) > 0
SELECT count(*) FROM visits WHERE ward = 'w4' AND days BETWEEN 1 AND 2
SELECT ward, round(avg(days)) FROM visits GROUP BY ward
SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY days)) FROM visits
SELECT count(DISTINCT days) FROM visits
SELECT town, count(*), sum(age) FROM people GROUP BY town
SELECT town, count(*), count(DISTINCT id) FROM ONLY people GROUP BY town
SELECT count(*), count(DISTINCT id) FROM people
SELECT count(*), sum(n) FROM hollow
SELECT n, count(*), count(DISTINCT person) FROM hollow GROUP BY n HAVING count(*) > 0
SELECT count(*) FROM ONLY hollow
SELECT count(*) FROM visits a JOIN visits b ON a.person = b.person WHERE a.days > b.days AND a.ward = 'w1'
SELECT town, count(*) FROM people JOIN visits ON id = person GROUP BY town
SELECT count(*) FROM ONLY people JOIN visits ON id = person
SELECT count(*) FROM people LEFT JOIN ONLY visits ON id = person
SELECT region, count(*) FROM people JOIN towns USING (town) GROUP BY region
SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.id AND v.days > 9)
SELECT count(*) FROM people p WHERE p.id NOT IN (SELECT v.person FROM visits v)
SELECT count(*) FROM people p WHERE (SELECT count(*) FROM visits v WHERE v.person = p.id) > 6
SELECT n, count(*) FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) x GROUP BY n
SELECT sum(n) FROM (SELECT person, sum(days) AS n FROM visits GROUP BY person) x WHERE n <= 20
SELECT count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY days, cost, ward) AS r FROM visits) x WHERE r = 1
SELECT count(*) FROM (SELECT person, days, max(days) OVER (PARTITION BY person) AS most FROM visits) x WHERE days = most
SELECT count(*) FROM (SELECT person FROM visits UNION SELECT id FROM people) x
SELECT count(*) FROM (SELECT person FROM visits UNION ALL SELECT id FROM people) x
SELECT a.n, b.n FROM (SELECT count(*) AS n FROM hollow) a, (SELECT count(*) AS n FROM ONLY hollow) b
SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM ONLY people o WHERE o.id = p.id)
SELECT count(*) FROM ONLY people p WHERE EXISTS (SELECT FROM people o WHERE o.id = p.id AND o.age > 40)
WITH w AS (SELECT ward, count(*) AS n FROM visits GROUP BY ward) SELECT count(*) FROM visits WHERE ward IN (SELECT ward FROM w WHERE n > 500)
\.
SELECT * FROM compare();
SET ROLE inheritance_analyst;
SET dp_agg.epsilon = 1e6;
SELECT bin, count FROM dp_histogram('hollow', 'n', 0, 8, 2) ORDER BY bin;
SELECT candidate FROM dp_top('people', 'town', 1);
RESET ROLE;
-- and where conditions leave out children by their CHECK constraints
ALTER TABLE visits_oldest ADD CHECK (person >= 1000);
ALTER TABLE visits_old ADD CHECK (days = 2);
COPY asked (statement) FROM stdin;
SELECT count(*) FROM visits WHERE person < 900
SELECT count(*) FROM visits WHERE days = 3
SELECT ward, count(*) FROM visits WHERE person >= 1000 GROUP BY ward
\.
SELECT * FROM compare();

-- children that come and go between executions
SET ROLE inheritance_analyst;
SET dp_agg.epsilon = 1e6;
PREPARE p AS SELECT count(*) FROM hollow;
EXECUTE p;
EXECUTE p;
RESET ROLE;
SET ROLE inheritance_owner;
CREATE TABLE hollow_more (extra int, n int, person int);
INSERT INTO hollow_more SELECT 1, 1, 1000 + i FROM generate_series(1, 50) i;
ALTER TABLE hollow_more INHERIT hollow_out;
SET ROLE inheritance_analyst;
EXECUTE p;
SET ROLE inheritance_owner;
ALTER TABLE hollow_out NO INHERIT hollow_in;
SET ROLE inheritance_analyst;
EXECUTE p;
SELECT count(*) FROM hollow;
SET ROLE inheritance_owner;
ALTER TABLE hollow_out INHERIT hollow;
DROP TABLE hollow_in;
SET ROLE inheritance_analyst;
EXECUTE p;
SET ROLE inheritance_owner;
DROP TABLE hollow_more;
SET ROLE inheritance_analyst;
EXECUTE p;
-- in a transaction that goes back
RESET ROLE;
BEGIN;
CREATE TABLE hollow_late () INHERITS (hollow);
ALTER TABLE hollow_late OWNER TO inheritance_owner;
INSERT INTO hollow_late SELECT 2000 + i, 1 FROM generate_series(1, 10) i;
SET LOCAL ROLE inheritance_analyst;
EXECUTE p;
ROLLBACK;
SET ROLE inheritance_analyst;
EXECUTE p;
-- kept answers know which tables they are of
SET dp_agg.kept_max_age = '1 day';
SELECT count(n) AS kept FROM hollow \gset
SELECT count(n) = :kept AS same FROM hollow;
RESET ROLE;
SELECT statements AS charged FROM dp_agg.budgets \gset
SET ROLE inheritance_analyst;
SELECT count(n) = :kept AS same FROM hollow;
SELECT count(n) AS own FROM ONLY hollow;
RESET ROLE;
SELECT statements - :charged AS charged FROM dp_agg.budgets;
SET ROLE inheritance_analyst;
RESET dp_agg.kept_max_age;
DEALLOCATE p;

-- a unit of the parent's key may have any number of rows in children
SET dp_agg.plain_aggregates = off;
EXPLAIN (COSTS OFF) SELECT dp_count(*), dp_sum(age, 0, 100) FROM people;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM ONLY people;
SET dp_agg.max_join_rows = 1;
-- nor does its key keep a join from making several rows of one
SELECT dp_count(*) FROM visits v JOIN people p ON p.id = v.person;
SELECT dp_count(*) FROM visits v JOIN visits w ON v.no = w.no AND v.person = w.person;
RESET dp_agg.max_join_rows;
RESET ROLE;
ALTER TABLE people_abroad NO INHERIT people;
SET ROLE inheritance_analyst;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM people;
RESET ROLE;
ALTER TABLE people_abroad INHERIT people;
-- a unit that is not NULL in the parent may be so in a child: such rows count for nobody
CREATE TABLE firm (person int NOT NULL CHECK (person > 0) NO INHERIT, n int NOT NULL);
CREATE TABLE loose (person int NOT NULL, n int NOT NULL);
ALTER TABLE firm OWNER TO inheritance_owner;
ALTER TABLE loose OWNER TO inheritance_owner;
ALTER TABLE loose INHERIT firm;
-- since 18 children inherit NOT NULL, unless that is told not to be inherited
DO $$
BEGIN
	IF current_setting('server_version_num')::int >= 180000 THEN
		EXECUTE 'ALTER TABLE firm ALTER CONSTRAINT firm_person_not_null NO INHERIT';
		EXECUTE 'ALTER TABLE firm ALTER CONSTRAINT firm_n_not_null NO INHERIT';
	END IF;
	ALTER TABLE loose ALTER person DROP NOT NULL, ALTER n DROP NOT NULL;
END $$;
INSERT INTO firm SELECT i, 1 FROM generate_series(1, 30) i;
INSERT INTO loose SELECT CASE WHEN i % 2 = 0 THEN -i END, CASE WHEN i % 4 <> 0 THEN 1 END FROM generate_series(1, 40) i;
SELECT dp_agg.protect('firm', 'person'), dp_agg.set_domain('firm', 'n', 0, 2);
SET ROLE inheritance_analyst;
SELECT dp_count(*), dp_count(n), dp_count(DISTINCT person), dp_count(*) FILTER (WHERE person < 0) AS below, dp_count(*) FILTER (WHERE n IS NULL) AS none FROM firm;
SELECT n, dp_count(*) FROM firm GROUP BY n ORDER BY n;
SELECT dp_count(*), dp_avg(n, 0, 2) BETWEEN 0.99 AND 1.01 AS mean FROM firm;
SELECT n + 1 AS k, dp_count(*) FROM firm GROUP BY 1 ORDER BY 1;

-- links lead neither from nor to a table with children
RESET ROLE;
SET ROLE inheritance_owner;
CREATE TABLE persons (id int PRIMARY KEY);
CREATE TABLE notes (note int PRIMARY KEY, person int NOT NULL REFERENCES persons, n int);
CREATE TABLE lines (note int NOT NULL REFERENCES notes, n int);
INSERT INTO persons SELECT generate_series(1, 50);
INSERT INTO notes SELECT i, i % 50 + 1, 1 FROM generate_series(1, 100) i;
INSERT INTO lines SELECT i % 100 + 1, 1 FROM generate_series(1, 200) i;
SELECT dp_agg.protect('persons', 'id'), dp_agg.protect('notes', 'person', through => 'persons', max_rows => 4);
SELECT dp_agg.protect('lines', 'note', through => 'notes', max_rows => 9);
CREATE TABLE lines_more () INHERITS (lines);
SET ROLE inheritance_analyst;
SELECT dp_count(*) FROM lines;
SELECT dp_count(*) FROM notes;
SET ROLE inheritance_owner;
DROP TABLE lines_more;
CREATE TABLE persons_more () INHERITS (persons);
SET ROLE inheritance_analyst;
SELECT dp_count(*) FROM lines;
SELECT dp_count(*) FROM notes;
SELECT dp_count(*) FROM persons;
SET ROLE inheritance_owner;
DROP TABLE persons_more;
SET ROLE inheritance_analyst;
SELECT dp_count(*) FROM lines;
SET ROLE inheritance_owner;
CREATE TABLE notes_more () INHERITS (notes);
CREATE TABLE further (note int NOT NULL REFERENCES notes);
SELECT dp_agg.protect('further', 'note', through => 'notes');
DROP TABLE further, lines, notes_more;
-- nor does a key, or a foreign key to one, name the unit of rows of children
ALTER TABLE notes ADD UNIQUE (note, person);
CREATE TABLE marks (note int NOT NULL, person int NOT NULL, n int, FOREIGN KEY (note, person) REFERENCES notes (note, person));
INSERT INTO marks SELECT note, person, 1 FROM notes, generate_series(1, 2);
SELECT dp_agg.protect('marks', 'person', max_rows => 9);
SET ROLE inheritance_analyst;
SELECT dp_count(*) FROM (SELECT note, count(*) AS n FROM marks GROUP BY note) x;
SELECT dp_count(*) FROM notes n WHERE EXISTS (SELECT FROM marks m WHERE m.note = n.note AND m.n > 0);
SET ROLE inheritance_owner;
CREATE TABLE marks_more () INHERITS (marks);
INSERT INTO marks_more SELECT 1, i, 1 FROM generate_series(1, 20) i;
SET ROLE inheritance_analyst;
SELECT dp_count(*) FROM (SELECT note, count(*) AS n FROM marks GROUP BY note) x;
SELECT dp_count(*) FROM notes n WHERE EXISTS (SELECT FROM marks m WHERE m.note = n.note AND m.n > 0);
SELECT dp_count(*) FROM (SELECT no, count(*) AS n FROM visits GROUP BY no) x;
SELECT dp_count(*) FROM marks;
SET ROLE inheritance_owner;
DROP TABLE marks_more;
CREATE TABLE notes_more () INHERITS (notes);
SET ROLE inheritance_analyst;
SELECT dp_count(*) FROM (SELECT note, count(*) AS n FROM marks GROUP BY note) x;
SELECT dp_count(*) FROM notes n WHERE EXISTS (SELECT FROM marks m WHERE m.note = n.note AND m.n > 0);
SET ROLE inheritance_owner;
DROP TABLE marks, notes_more, notes, persons;

-- policies of the parent are for rows of all children
ALTER TABLE visits ENABLE ROW LEVEL SECURITY;
CREATE POLICY short ON visits TO inheritance_analyst USING (days < 2);
RESET ROLE;
SELECT count(*) AS own, (SELECT count(*) FROM visits_new WHERE days < 2) AS new, (SELECT count(*) FROM visits WHERE days < 2 AND person IS NOT NULL) AS all
	FROM ONLY visits WHERE days < 2;
SET ROLE inheritance_analyst;
SELECT dp_count(*), dp_count(*) FILTER (WHERE days > 1) AS hidden FROM visits;
SELECT dp_count(*) FROM ONLY visits;
SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.id AND v.days > 1);
RESET ROLE;
DROP POLICY short ON visits;
ALTER TABLE visits DISABLE ROW LEVEL SECURITY;

-- What a child may not be.  Each is refused before anything is charged, as a table to protect and as one to ask about.
SELECT statements AS charged FROM dp_agg.budgets \gset
CREATE PROCEDURE try(change text, back text) LANGUAGE plpgsql AS $$
DECLARE
	attempt text;
	hint text;
BEGIN
	EXECUTE change;
	FOREACH attempt IN ARRAY '{SELECT dp_count(*) FROM hollow,SELECT dp_count(*) FROM ONLY hollow,"SELECT dp_agg.protect(''hollow'', ''person'')"}'::text[] LOOP
		BEGIN
			IF attempt LIKE '%protect%' THEN
				PERFORM dp_agg.unprotect('hollow');
			ELSE
				SET LOCAL ROLE inheritance_analyst;
			END IF;
			EXECUTE attempt;
			RAISE WARNING 'done: %', attempt;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
			RAISE INFO '% (% %)', SQLERRM, SQLSTATE, hint;
		END;
		RESET ROLE;
	END LOOP;
	EXECUTE back;
END $$;
CREATE TABLE hollow_deep () INHERITS (hollow_out);
ALTER TABLE hollow_deep OWNER TO inheritance_owner;
CREATE TABLE other (person int, n int);
GRANT ALL ON SCHEMA inheritance TO inheritance_stranger;
CREATE FUNCTION look(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE FOREIGN DATA WRAPPER inheritance_wrapper;
CREATE SERVER inheritance_server FOREIGN DATA WRAPPER inheritance_wrapper;
\set VERBOSITY terse
CALL try('ALTER TABLE hollow_deep OWNER TO inheritance_stranger', 'ALTER TABLE hollow_deep OWNER TO inheritance_owner');
CALL try('ALTER TABLE hollow_deep ENABLE ROW LEVEL SECURITY', 'ALTER TABLE hollow_deep DISABLE ROW LEVEL SECURITY');
CALL try('ALTER TABLE hollow_deep INHERIT other', 'ALTER TABLE hollow_deep NO INHERIT other');
CALL try('CREATE TEMP TABLE hollow_temp () INHERITS (hollow_deep)', 'DROP TABLE hollow_temp');
CALL try('CREATE FOREIGN TABLE hollow_far () INHERITS (hollow_deep) SERVER inheritance_server', 'DROP FOREIGN TABLE hollow_far');
CALL try('ALTER FUNCTION look OWNER TO inheritance_stranger; CREATE INDEX hollow_look ON hollow_deep (look(n))', 'DROP INDEX hollow_look');
CALL try('ALTER FUNCTION noted OWNER TO inheritance_stranger; CREATE TRIGGER noted AFTER INSERT ON hollow_deep EXECUTE FUNCTION noted()', 'DROP TRIGGER noted ON hollow_deep');
CALL try('ALTER TABLE hollow_deep NO INHERIT hollow_out; SELECT dp_agg.protect(''hollow_deep'', ''person''); ALTER TABLE hollow_deep INHERIT hollow_out',
	'SELECT dp_agg.unprotect(''hollow_deep'')');
\set VERBOSITY default
SELECT statements - :charged AS charged FROM dp_agg.budgets;
SET ROLE inheritance_analyst;
SELECT dp_count(*) FROM hollow;
RESET ROLE;

-- in the middle of a cursor
BEGIN;
SET LOCAL ROLE inheritance_analyst;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM hollow;
SET LOCAL ROLE inheritance_owner;
ALTER TABLE hollow_deep ENABLE ROW LEVEL SECURITY;
SET LOCAL ROLE inheritance_analyst;
FETCH c;
ROLLBACK;
SELECT statements - :charged AS charged FROM dp_agg.budgets;

-- what others may see of children is looked at as of their parent
GRANT SELECT ON hollow_deep TO inheritance_analyst;
SELECT object, channel FROM dp_agg.check_exposure('inheritance_analyst') WHERE object LIKE '%hollow%' ORDER BY 1, 2;

SET client_min_messages = warning;
DROP SCHEMA inheritance CASCADE;
DROP FOREIGN DATA WRAPPER inheritance_wrapper CASCADE;
DROP EXTENSION dp_agg;
DROP OWNED BY inheritance_owner, inheritance_stranger;
DROP ROLE inheritance_owner, inheritance_stranger, inheritance_analyst;
