--
-- row_security: protected tables are asked under the policies of whoever asks
--
CREATE EXTENSION dp_agg;
CREATE ROLE row_security_owner;
CREATE ROLE row_security_analyst;
CREATE ROLE row_security_nurses;
CREATE ROLE row_security_all BYPASSRLS;
CREATE SCHEMA row_security;
GRANT ALL ON SCHEMA row_security TO row_security_owner, row_security_analyst;
GRANT USAGE ON SCHEMA row_security TO row_security_nurses, row_security_all;
SET search_path = row_security, public;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA dp_agg TO row_security_owner;
SELECT count(dp_agg.set_budget(role, 1e12::float8, 1e-3::float8)) FROM unnest('{row_security_owner,row_security_analyst,row_security_nurses,row_security_all}'::text[]::regrole[]) role;
SET ROLE row_security_owner;
-- person i of 120 is in ward i % 4, and has two stays; patients are the analyst's where i % 3 is 0
CREATE TABLE people (id int PRIMARY KEY, gone int, ward text, age int, nurse text, uid uuid);
CREATE TABLE stays (stay int PRIMARY KEY, person int NOT NULL REFERENCES people, days int);
CREATE TABLE notes (note int PRIMARY KEY, stay int NOT NULL REFERENCES stays, words int);
CREATE TABLE members (ward text, uid uuid, PRIMARY KEY (ward, uid));
INSERT INTO people SELECT i, 0, 'w' || i % 4, i, CASE WHEN i % 3 = 0 THEN 'row_security_analyst' ELSE 'somebody' END,
	('00000000-0000-0000-0000-00000000000' || i % 10)::uuid FROM generate_series(1, 120) i;
ALTER TABLE people DROP COLUMN gone;
INSERT INTO stays SELECT i, (i + 1) / 2, i % 7 FROM generate_series(1, 240) i;
INSERT INTO notes SELECT i, i, i % 5 FROM generate_series(1, 240) i;
INSERT INTO members VALUES ('w0', '00000000-0000-0000-0000-000000000001'), ('w1', '00000000-0000-0000-0000-000000000001'),
	('w2', '00000000-0000-0000-0000-000000000002');
GRANT SELECT ON members TO PUBLIC;
CREATE FUNCTION uid() RETURNS uuid STABLE LANGUAGE sql AS
	$$SELECT (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid$$;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('stays', 'person', max_rows => 2, max_groups => 2);
SELECT dp_agg.protect('notes', 'stay', max_rows => 2, max_groups => 2, through => 'stays'), dp_agg.set_domain('people', 'age', 0, 200);
CREATE VIEW of_owner AS SELECT * FROM people WHERE age <= 100;
CREATE VIEW of_asker WITH (security_invoker) AS SELECT * FROM people WHERE age <= 100;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
-- What a statement answers to whom, under the policies that there are.
CREATE FUNCTION ask(statement text, VARIADIC roles text[] DEFAULT '{analyst}') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
	asker text;
BEGIN
	FOREACH asker IN ARRAY roles LOOP
		BEGIN
			EXECUTE format('SET LOCAL ROLE row_security_%s', asker);
			EXECUTE 'SELECT string_agg(q::text, '' '' ORDER BY q::text COLLATE "C") FROM (' || statement || ') q' INTO answer;
		EXCEPTION WHEN OTHERS THEN
			answer := 'ERROR: ' || SQLERRM;
		END;
		RETURN NEXT asker || ': ' || answer;
	END LOOP;
	RESET ROLE;
END $$;
-- The policy that there is, in place of the ones before.
CREATE PROCEDURE set_policy(condition text) LANGUAGE plpgsql AS $$
DECLARE
	name name;
BEGIN
	FOR name IN SELECT polname FROM pg_policy WHERE polrelid = 'people'::regclass LOOP
		EXECUTE format('DROP POLICY %I ON people', name);
	END LOOP;
	EXECUTE format('CREATE POLICY one ON people USING (%s)', condition);
END $$;
-- The number of people under it.
CREATE FUNCTION under(condition text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	CALL set_policy(condition);
	RETURN QUERY SELECT ask('SELECT count(*) FROM people');
END $$;
RESET ROLE;
SELECT count(dp_agg.set_budget(current_user::regrole, 1e12::float8, 1e-3::float8));
-- At epsilon 100,000 no answer here is off with a probability above 1e-200.
SET dp_agg.epsilon = 100000;
SET dp_agg.delta = 1e-6;
SET client_min_messages = warning;
SET request.jwt.claims = '{"sub": "00000000-0000-0000-0000-000000000001", "role": "nurse"}';

-- without a policy there is no row, but for whom it does not concern
SELECT ask('SELECT count(*) FROM people', 'analyst', 'all', 'owner');
ALTER TABLE people FORCE ROW LEVEL SECURITY;
SELECT ask('SELECT dp_count(*) FROM people', 'analyst', 'all', 'owner');
SELECT dp_count(*) FROM people;
ALTER TABLE people NO FORCE ROW LEVEL SECURITY;

-- what policies say
CALL set_policy('nurse = current_user');
SELECT ask('SELECT count(*), sum(age) FROM people', 'analyst', 'all', 'nurses');
SELECT under('uid = uid()');
SELECT under('uid = (SELECT uid())');
SELECT under($$uid::text = current_setting('request.jwt.claims')::jsonb ->> 'sub' OR current_setting('request.jwt.claims')::jsonb ->> 'role' = 'head'$$);
CALL set_policy($$pg_has_role(current_user, 'row_security_nurses', 'member')$$);
SELECT ask('SELECT count(*) FROM people', 'analyst', 'nurses');
SELECT under('ward IN (SELECT m.ward FROM members m WHERE m.uid = uid())');
SELECT under('uid() IN (SELECT m.uid FROM members m WHERE m.ward = people.ward)');
SELECT under('EXISTS (SELECT FROM members m WHERE m.ward = people.ward AND m.uid = uid())');
SELECT under('nurse = current_user OR EXISTS (SELECT FROM members m WHERE people.ward = m.ward AND m.uid = uid())');
-- rows of the same person
SELECT under('EXISTS (SELECT FROM stays s WHERE s.person = people.id AND s.days = 3)');
SELECT count(*) FROM people WHERE EXISTS (SELECT FROM stays s WHERE s.person = people.id AND s.days = 3);
-- the membership table has row security itself: it is read as whoever asks reads it
CALL set_policy('EXISTS (SELECT FROM members m WHERE m.ward = people.ward AND m.uid = uid())');
ALTER TABLE members ENABLE ROW LEVEL SECURITY;
SELECT ask('SELECT count(*) FROM people');
CREATE POLICY own ON members TO row_security_analyst USING (uid = uid() AND ward = 'w1');
SELECT ask('SELECT count(*) FROM people', 'analyst', 'nurses');
SELECT ask('SELECT m.ward, count(*) FROM people p JOIN members m USING (ward) GROUP BY 1');
REVOKE SELECT ON members FROM PUBLIC;
SELECT ask('SELECT count(*) FROM people');
GRANT SELECT ON members TO PUBLIC;
ALTER TABLE members DISABLE ROW LEVEL SECURITY;

-- wherever the table stands
SELECT ask('SELECT count(*), count(p.id) FROM stays s LEFT JOIN people p ON p.id = s.person');
SELECT ask('SELECT count(*), count(p.id) FROM people p RIGHT JOIN stays s ON p.id = s.person');
SELECT ask('SELECT count(*), count(p.id), count(s.stay) FROM stays s FULL JOIN people p ON p.id = s.person');
SELECT ask('SELECT count(*) FROM stays s JOIN people p ON p.id = s.person JOIN people q ON q.id = p.id AND q.age < 50');
SELECT ask('SELECT count(*) FROM stays s WHERE EXISTS (SELECT FROM people p WHERE p.id = s.person)');
SELECT ask('SELECT count(*) FROM stays s WHERE s.person NOT IN (SELECT p.id FROM people p)');
SELECT ask('SELECT count(*) FROM (SELECT id FROM people UNION ALL SELECT person FROM stays) x');
SELECT ask('WITH old AS (SELECT * FROM people WHERE age > 60) SELECT ward, count(*) FROM old GROUP BY ROLLUP (ward)');
SELECT ask('SELECT round(avg(n), 3) FROM (SELECT p.id, count(*) AS n FROM people p JOIN stays s ON s.person = p.id GROUP BY p.id) x');
SELECT ask('SELECT sum(r) FROM (SELECT p.id, row_number() OVER (PARTITION BY p.id ORDER BY s.stay) AS r FROM people p JOIN stays s ON s.person = p.id) x');
SELECT ask($$SELECT bin, count FROM dp_histogram('people', 'age', 0, 120, 2)$$);
SELECT ask('SELECT (SELECT count(*) FROM people) AS n, count(*) FROM stays');
-- views: plain ones by the policies of their owner, others by those of who asks
SELECT ask('SELECT count(*) FROM of_owner', 'analyst', 'all');
SELECT ask('SELECT count(*) FROM of_asker', 'analyst', 'all');
-- a table through which another finds its unit, and that is not asked about
SELECT ask('SELECT count(*) FROM notes');
SELECT ask('SELECT count(*) FROM notes JOIN stays USING (stay)');
SELECT ask('SELECT count(*) FROM notes JOIN stays USING (stay) JOIN people ON id = person');

-- permissive policies are ORed, restrictive ones ANDed, each for its roles and their members
DROP POLICY one ON people;
CREATE POLICY nurses ON people TO row_security_nurses USING (ward = 'w1');
CREATE POLICY all_of_w0 ON people USING (ward = 'w0');
CREATE POLICY writes ON people FOR INSERT WITH CHECK (true);
SELECT ask('SELECT count(*) FROM people', 'analyst', 'nurses');
CREATE POLICY grown ON people AS RESTRICTIVE USING (age >= 21);
SELECT ask('SELECT count(*) FROM people', 'analyst', 'nurses');
GRANT row_security_nurses TO row_security_analyst;
SELECT ask('SELECT count(*) FROM people', 'analyst', 'nurses');
REVOKE row_security_nurses FROM row_security_analyst;
DROP POLICY nurses ON people;
DROP POLICY all_of_w0 ON people;
SELECT ask('SELECT count(*) FROM people');

-- what may not stand there is refused by its name, and the owner is told at once
CALL set_policy('true');
SET ROLE row_security_owner;
CREATE FUNCTION watched(int) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''seen %'', $1; RETURN true; END';
CREATE POLICY watched ON people USING (watched(id));
ALTER POLICY watched ON people USING (random() < 0.5);
ALTER POLICY watched ON people USING (EXISTS (SELECT FROM stays s WHERE s.days = people.age));
ALTER POLICY watched ON people USING (age > (SELECT avg(days) FROM stays));
ALTER POLICY watched ON people USING (age > (SELECT dp_count(*) FROM stays));
ALTER POLICY watched ON people USING (ctid <> '(0,0)');
SELECT dp_agg.unprotect('people');
ALTER POLICY watched ON people USING (watched(id));
SELECT dp_agg.protect('people', 'id'), dp_agg.set_domain('people', 'age', 0, 200);
ALTER TABLE people DISABLE ROW LEVEL SECURITY;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
RESET ROLE;
SELECT ask('SELECT count(*) FROM people', 'analyst', 'all');
SELECT ask('SELECT dp_agg.price(''SELECT count(*) FROM people'')');
SET ROLE row_security_analyst;
SELECT dp_count(*) FROM people;
RESET ROLE;
ALTER POLICY watched ON people USING (age > (SELECT avg(days) FROM stays));
SELECT ask('SELECT count(*) FROM people');
ALTER POLICY watched ON people USING (age > (SELECT dp_count(*) FROM stays));
SET ROLE row_security_analyst;
SELECT dp_count(*) FROM people;
RESET ROLE;
-- an error of the server's about a policy does not stop the command that makes it
ALTER TABLE people FORCE ROW LEVEL SECURITY;
SET ROLE row_security_owner;
ALTER POLICY watched ON people USING (age > (SELECT max(age) FROM people));
SET row_security = off;
ALTER POLICY watched ON people USING (watched(id));
RESET row_security;
RESET ROLE;
ALTER TABLE people NO FORCE ROW LEVEL SECURITY;
ALTER POLICY watched ON people TO row_security_nurses;
SELECT ask('SELECT count(*) FROM people');
-- what fails on a row is not true of it
SELECT under('10 / (age - 5) > 0');
-- an error of its own is that of the policy, before the charge
SELECT under('age > current_setting(''row_security.nowhere'')::int');
CALL set_policy('ward = ''w0''');
SET ROLE row_security_analyst;
SELECT dp_count(ctid) FROM people;
SELECT dp_count(p) FROM people p;
SELECT dp_count(*) FROM people TABLESAMPLE SYSTEM (10);
SELECT dp_count(*) FROM people FOR UPDATE;
SET row_security = off;
SELECT dp_count(*) FROM people;
RESET row_security;

-- the role of a prepared statement, of a cursor
RESET ROLE;
CALL set_policy('nurse = current_user');
SET ROLE row_security_analyst;
PREPARE people AS SELECT dp_count(*) FROM people;
EXECUTE people;
RESET ROLE;
SET ROLE row_security_all;
EXECUTE people;
RESET ROLE;
SET ROLE row_security_analyst;
EXECUTE people;
SET row_security = off;
EXECUTE people;
RESET row_security;
BEGIN;
DECLARE people CURSOR FOR SELECT dp_count(*) FROM people;
RESET ROLE;
SET ROLE row_security_all;
FETCH people;
ROLLBACK;
RESET ROLE;
-- a role's policies change
CREATE POLICY nurses ON people TO row_security_nurses USING (nurse <> 'row_security_analyst');
SET ROLE row_security_analyst;
EXECUTE people;
RESET ROLE;
GRANT row_security_nurses TO row_security_analyst;
SET ROLE row_security_analyst;
EXECUTE people;
RESET ROLE;
REVOKE row_security_nurses FROM row_security_analyst;
SET ROLE row_security_analyst;
EXECUTE people;
RESET ROLE;
-- policies that change between validation and reading
CALL set_policy('ward = ''w0''');
CREATE FUNCTION turn(command text) RETURNS int VOLATILE SECURITY DEFINER LANGUAGE plpgsql AS 'BEGIN EXECUTE command; RETURN 1; END';
SET ROLE row_security_analyst;
BEGIN;
DECLARE people CURSOR FOR SELECT dp_count(*) FROM people;
SELECT turn('ALTER POLICY one ON row_security.people USING (true)');
FETCH people;
ROLLBACK;
BEGIN;
DECLARE people CURSOR FOR SELECT dp_count(*) FROM people;
SELECT turn('ALTER TABLE row_security.people DISABLE ROW LEVEL SECURITY');
FETCH people;
ROLLBACK;
BEGIN;
DECLARE people CURSOR FOR SELECT dp_count(*) FROM people;
SELECT turn('CREATE POLICY late ON row_security.people AS RESTRICTIVE USING (row_security.watched(id))');
FETCH people;
ROLLBACK;
BEGIN;
SELECT turn('ALTER TABLE row_security.people DISABLE ROW LEVEL SECURITY');
DECLARE people CURSOR FOR SELECT dp_count(*) FROM people;
SELECT turn('ALTER TABLE row_security.people ENABLE ROW LEVEL SECURITY');
FETCH people;
ROLLBACK;
SELECT dp_count(*) FROM people WHERE age >= (SELECT turn('ALTER POLICY one ON row_security.people USING (true)'));
SELECT dp_count(*) FROM people;
-- a kept answer is of the question with its policies
SET dp_agg.kept_max_age = '1 hour';
SELECT count(*) FROM people;
SELECT count(*) FROM people;
SELECT kept LIKE 'kept since%' AS kept FROM dp_agg.last_release();
RESET ROLE;
ALTER POLICY one ON people USING (ward = 'w0' AND age < 41);
SET ROLE row_security_analyst;
SELECT count(*) FROM people;
RESET ROLE;
ALTER POLICY one ON people USING (ward = 'w0');
SET ROLE row_security_analyst;
SELECT count(*) FROM people;
SELECT kept LIKE 'kept since%' AS kept FROM dp_agg.last_release();
RESET ROLE;
GRANT row_security_analyst TO row_security_all;
SET ROLE row_security_all;
SELECT count(*) FROM people;
RESET ROLE;
SET dp_agg.kept_max_age = 0;

-- who may read the rows reads them as ever
GRANT SELECT, UPDATE ON people TO row_security_nurses;
SET ROLE row_security_nurses;
SELECT count(*), count(ctid), count(p) FROM people p;
EXPLAIN (COSTS OFF) SELECT ward FROM people WHERE nurse = 'somebody';
UPDATE people SET age = age WHERE id <= 8;
SELECT id FROM people WHERE id <= 4 FOR UPDATE;
SELECT dp_count(*) FROM people;
SELECT n, count FROM (SELECT count(*) AS n FROM people) p, (SELECT dp_count(*) AS count FROM people) q;
RESET ROLE;
DROP SCHEMA row_security CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE row_security_owner, row_security_analyst, row_security_nurses, row_security_all;
