--
-- rollup_listed: kept answers whose keys public tables list, added up
--
SET client_min_messages = warning;
CREATE EXTENSION dp_agg;
CREATE ROLE listed_ann;
CREATE ROLE listed_bob;
CREATE ROLE listed_team;
CREATE SCHEMA listed;
SET search_path = listed, public;
CREATE TYPE kind AS ENUM ('small', 'large');
CREATE TABLE regions (id int PRIMARY KEY, title text, north bool NOT NULL);
CREATE TABLE clinics (id int PRIMARY KEY, code text UNIQUE, town text, kind kind, region int, size numeric, weight float8, beds int, open bool NOT NULL, notes text);
CREATE TABLE people (id int PRIMARY KEY, clinic int, code text, age int, active bool NOT NULL);
CREATE TABLE visits (id int PRIMARY KEY, person int NOT NULL, clinic int, cost int, paid bool NOT NULL);
INSERT INTO regions VALUES (1, 'North', true), (2, 'South', false), (3, 'Sea', true), (4, NULL, false);
INSERT INTO clinics SELECT i, 'c' || i, (ARRAY['Aachen', 'Bremen', 'Celle', NULL])[1 + i % 4], (ARRAY['small', 'large', NULL]::kind[])[1 + i % 3], 1 + i % 3,
	(i % 3) * 1.50, CASE i % 3 WHEN 0 THEN '-0'::float8 ELSE i % 3 END, i * 10, i % 5 > 0, repeat('n', i) FROM generate_series(1, 12) i;
INSERT INTO people SELECT i, 1 + i % 14, 'c' || (1 + i % 13), i % 90, i % 3 = 0 FROM generate_series(1, 2000) i;
INSERT INTO visits SELECT i, i % 700, 1 + i % 12, i % 17, i % 5 < 2 FROM generate_series(1, 4000) i;
CREATE VIEW shown AS SELECT id, town FROM clinics;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 3, max_groups => 20);
GRANT USAGE ON SCHEMA listed TO listed_ann, listed_bob, listed_team;
GRANT SELECT ON regions, clinics, shown TO listed_ann, listed_bob, listed_team;
SELECT dp_agg.set_budget('listed_ann', 1e12, 0.1), dp_agg.set_budget('listed_team', 1e12, 0.1);
GRANT listed_team TO listed_bob;

-- A statement as a role: its rows as text, and what is said of its answer.
CREATE FUNCTION ask(query text, OUT rows text, OUT note text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO rows;
	SELECT string_agg(DISTINCT coalesce(regexp_replace(kept, 'since .*, no', 'since TIME, no'), 'drawn'), '; ') INTO note FROM dp_agg.last_release();
END $$;
-- Wait until no other session has a snapshot for which what was changed would be too new.
CREATE PROCEDURE settle() LANGUAGE plpgsql AS $$
BEGIN
	COMMIT;
	WHILE EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)) LOOP
		COMMIT;
		PERFORM pg_sleep(0.01);
	END LOOP;
END $$;
-- Ask a finer and then a coarser question, and that once more with noise of its own; between them something may be changed.
CREATE PROCEDURE try(finer text, change text, undo text, asked text, settings text, INOUT note text, INOUT same text, INOUT planned text) LANGUAGE plpgsql AS $$
DECLARE
	added text;
	drawn text;
	again text;
BEGIN
	PERFORM dp_agg.forget_kept();
	COMMIT;
	PERFORM set_config('dp_agg.kept_max_age', '1 day', true), set_config('dp_agg.kept_rollup', '1000', true), set_config('role', 'listed_ann', true);
	PERFORM set_config(split_part(s, '=', 1), split_part(s, '=', 2), true) FROM string_to_table(settings, ';') s WHERE s <> '';
	PERFORM ask(finer);
	IF change <> '' THEN
		PERFORM set_config('role', 'none', true);
		EXECUTE change;
		IF undo <> '' THEN
			CALL settle();
			PERFORM set_config('dp_agg.kept_max_age', '1 day', true), set_config('dp_agg.kept_rollup', '1000', true);
		END IF;
		PERFORM set_config('role', 'listed_ann', true);
	END IF;
	SELECT string_agg(DISTINCT coalesce(regexp_replace(kept, 'since .*, no', 'since TIME, no'), 'drawn'), '; ') INTO planned FROM dp_agg.price(asked);
	SELECT * INTO added, note FROM ask(asked);
	SELECT a.rows INTO again FROM ask(asked) a;
	PERFORM set_config('dp_agg.kept_max_age', '0', true);
	SELECT a.rows INTO drawn FROM ask(asked) a;
	IF change <> '' AND undo = '' THEN
		ROLLBACK;
	ELSE
		COMMIT;
		EXECUTE coalesce(nullif(undo, ''), 'SELECT');
		CALL settle();
	END IF;
	same := CASE WHEN note NOT LIKE 'added%' THEN '' WHEN again IS DISTINCT FROM added THEN 'not the same again: ' || again
		WHEN added = drawn THEN 'same' ELSE added || ' instead of ' || drawn END;
	planned := CASE WHEN planned IS NOT DISTINCT FROM note THEN 'so' ELSE planned END;
END $$;

-- With so little noise that nothing is left of it, sums are what would be drawn; the number is that of groups added up.
SET dp_agg.epsilon = 1000000;
SET dp_agg.kept_rollup = 1000;
CREATE TABLE cases (n int GENERATED ALWAYS AS IDENTITY, finer text, change text DEFAULT '', undo text DEFAULT '', asked text, groups text, settings text DEFAULT '', note text, same text, planned text);
\set measures 'dp_count(*) AS n, dp_sum(age, 0, 50) AS age, dp_avg(age, 0, 100) AS mean'
CREATE PROCEDURE try_all() LANGUAGE plpgsql AS $$
DECLARE
	c record;
BEGIN
	FOR c IN SELECT * FROM cases WHERE note IS NULL ORDER BY n LOOP
		CALL try(c.finer, c.change, c.undo, c.asked, c.settings, c.note, c.same, c.planned);
		UPDATE cases SET note = c.note, same = c.same, planned = c.planned WHERE n = c.n;
		COMMIT;
	END LOOP;
END $$;
COPY cases (asked, groups) FROM stdin (DELIMITER '|');
SELECT town, % FROM @ GROUP BY town|12
SELECT kind, % FROM @ GROUP BY kind|12
SELECT open, % FROM @ GROUP BY open|12
SELECT open, town, % FROM @ GROUP BY open, town|12
SELECT open, kind, town, % FROM @ GROUP BY open, kind, town|12
SELECT town, % FROM people p RIGHT JOIN clinics c ON p.clinic = c.id GROUP BY town|12
SELECT town, % FROM shown s LEFT JOIN people p ON p.clinic = s.id GROUP BY town|12
SELECT % FROM @|12
SELECT % FROM people p JOIN clinics c ON c.id = p.clinic|12
SELECT open, % FROM people p, clinics c WHERE c.id = p.clinic GROUP BY open|12
SELECT open, % FROM people p JOIN clinics c ON c.id = p.clinic WHERE kind = 'small' AND open IS NOT NULL GROUP BY open|4
SELECT open, % FROM people p JOIN clinics c ON c.id = p.clinic GROUP BY open|12
SELECT kind, % FROM people p JOIN clinics c ON c.id = p.clinic GROUP BY kind|12
SELECT kind, % FROM people p JOIN clinics c ON c.id = p.clinic WHERE town = 'Celle' GROUP BY kind|3
SELECT % FROM people p JOIN clinics c ON c.id = p.clinic WHERE town = 'Celle' AND kind = 'large'|1
SELECT % FROM @ WHERE town = 'Aachen'|3
SELECT % FROM @ AND town = 'Aachen'|3
SELECT % FROM @ WHERE town IS NULL|3
SELECT % FROM @ WHERE town > 'B' AND open|4
SELECT % FROM @ WHERE town LIKE '%e%' AND kind IS NULL|3
SELECT town, % FROM @ WHERE town IN ('Aachen', 'Bremen', 'Dresden') GROUP BY town|6
SELECT town, % FROM @ AND town IN ('Aachen', 'Bremen', 'Dresden') GROUP BY town|6
SELECT town, % FROM @ WHERE NOT open GROUP BY town|2
SELECT town, % FROM @ AND NOT open GROUP BY town|2
SELECT kind, town, % FROM @ WHERE coalesce(kind, 'small') = 'small' GROUP BY kind, town|8
SELECT town, % FROM @ GROUP BY town HAVING dp_count(*) > 300|12
SELECT x.town, sum(n) AS n FROM (SELECT town, kind, dp_count(*) AS n FROM @ GROUP BY town, kind) x GROUP BY 1|12
SELECT % FROM @ WHERE town = 'Dresden'|drawn
SELECT town, % FROM @ WHERE region = 1 GROUP BY town|drawn
SELECT town, % FROM @ AND region = 1 GROUP BY town|drawn
SELECT % FROM @ WHERE c.id = 5|drawn
SELECT % FROM @ WHERE town > c.code|drawn
SELECT town, % FROM @ AND age > 30 GROUP BY town|drawn
SELECT town, % FROM @ WHERE length(notes) > 3 GROUP BY town|drawn
SELECT region, % FROM @ GROUP BY region|drawn
SELECT town, region, % FROM @ GROUP BY town, region|drawn
SELECT upper(town), % FROM @ GROUP BY upper(town)|drawn
SELECT active, % FROM people p JOIN clinics c ON c.id = p.clinic GROUP BY active|drawn
SELECT town, % FROM clinics c LEFT JOIN people p ON p.code = c.code GROUP BY town|drawn
SELECT town, % FROM clinics c JOIN regions r ON r.id = c.region LEFT JOIN people p ON p.clinic = c.id GROUP BY town|drawn
SELECT town, dp_sum(age, 0, 49) FROM @ GROUP BY town|drawn
SELECT town, dp_sum(beds, 0, 50) FROM @ GROUP BY town|drawn
SELECT town, dp_count(*), dp_median(age, 0, 100) IS NULL FROM @ GROUP BY town|drawn
SELECT town, dp_interval(dp_count(*)) FROM @ GROUP BY town|drawn
\.
UPDATE cases SET finer = 'SELECT town, kind, open, % FROM @ GROUP BY town, kind, open';
COPY cases (finer, asked, groups) FROM stdin (DELIMITER '|');
SELECT town, % FROM @ WHERE open GROUP BY town|SELECT % FROM @ WHERE open AND town = 'Aachen'|1
SELECT town, % FROM @ WHERE open GROUP BY town|SELECT town, % FROM @ AND open GROUP BY town|4
SELECT town, % FROM @ WHERE open GROUP BY town|SELECT % FROM @|drawn
SELECT town, % FROM @ WHERE kind = 'small' GROUP BY town|SELECT % FROM @ WHERE kind = 'small'|4
SELECT town, % FROM @ WHERE kind = 'small' AND town < 'C' GROUP BY town|SELECT town, % FROM @ AND kind = 'small' AND town < 'C' GROUP BY town|drawn
SELECT town, % FROM @ AND kind = 'small' AND town < 'C' GROUP BY town|SELECT town, % FROM @ WHERE kind = 'small' AND town < 'C' GROUP BY town|2
SELECT town, kind, % FROM @ AND age > 30 GROUP BY town, kind|SELECT town, % FROM @ AND 30 < age GROUP BY town|12
SELECT town, kind, % FROM @ AND age > 30 GROUP BY town, kind|SELECT % FROM people p JOIN clinics c ON c.id = p.clinic WHERE age > 30|12
SELECT c.id, town, % FROM @ GROUP BY c.id, town|SELECT % FROM @ WHERE c.id IN (3, 4)|2
SELECT c.id, town, % FROM @ GROUP BY c.id, town|SELECT town, % FROM @ AND p.clinic < 5 GROUP BY town|4
SELECT c.id, town, % FROM @ GROUP BY c.id, town|SELECT p.clinic, % FROM people p JOIN clinics c ON c.id = p.clinic GROUP BY p.clinic|drawn
SELECT c.code, kind, % FROM clinics c LEFT JOIN people p ON p.code = c.code GROUP BY c.code, kind|SELECT kind, % FROM clinics c LEFT JOIN people p ON p.code = c.code WHERE c.code LIKE 'c1_' GROUP BY kind|3
SELECT size, weight, town, % FROM @ GROUP BY size, weight, town|SELECT size, % FROM @ GROUP BY size|12
SELECT size, weight, town, % FROM @ GROUP BY size, weight, town|SELECT weight, % FROM @ WHERE town = 'Celle' GROUP BY weight|3
SELECT size, weight, town, % FROM @ GROUP BY size, weight, town|SELECT size, % FROM @ WHERE weight < 2 GROUP BY size|drawn
SELECT beds / 40 AS b, open, % FROM @ GROUP BY beds / 40, open|SELECT beds / 40 AS b, % FROM @ GROUP BY beds / 40|6
SELECT beds / 40 AS b, open, % FROM @ GROUP BY beds / 40, open|SELECT % FROM @ WHERE beds / 40 = 1|2
SELECT beds / 40 AS b, open, % FROM @ GROUP BY beds / 40, open|SELECT % FROM @ WHERE beds = 40|drawn
SELECT upper(town), kind, % FROM @ GROUP BY upper(town), kind|SELECT kind, % FROM @ GROUP BY kind|drawn
SELECT upper(town), kind, % FROM @ GROUP BY upper(town), kind|SELECT upper(town), % FROM @ GROUP BY upper(town)|drawn
SELECT length(town), kind, % FROM @ GROUP BY length(town), kind|SELECT length(town), % FROM @ GROUP BY length(town)|drawn
SELECT town IS NULL AS none, kind, % FROM @ GROUP BY town IS NULL, kind|SELECT kind, % FROM @ GROUP BY kind|drawn
SELECT title, town, north, % FROM regions r JOIN clinics c ON c.region = r.id LEFT JOIN people p ON p.clinic = c.id GROUP BY title, town, north|SELECT north, % FROM regions r JOIN clinics c ON c.region = r.id LEFT JOIN people p ON p.clinic = c.id GROUP BY north|12
SELECT title, town, north, % FROM regions r JOIN clinics c ON c.region = r.id LEFT JOIN people p ON p.clinic = c.id GROUP BY title, town, north|SELECT town, % FROM clinics c JOIN regions r ON c.region = r.id LEFT JOIN people p ON p.clinic = c.id WHERE title = 'North' GROUP BY town|4
SELECT title, town, % FROM clinics c LEFT JOIN regions r ON r.id = c.region AND r.north LEFT JOIN people p ON p.clinic = c.id GROUP BY title, town|SELECT title, % FROM clinics c LEFT JOIN regions r ON r.id = c.region AND r.north LEFT JOIN people p ON p.clinic = c.id GROUP BY title|12
SELECT title, town, % FROM clinics c LEFT JOIN regions r ON r.id = c.region AND r.north LEFT JOIN people p ON p.clinic = c.id GROUP BY title, town|SELECT title, % FROM clinics c LEFT JOIN regions r ON r.id = c.region LEFT JOIN people p ON p.clinic = c.id GROUP BY title|drawn
SELECT title, north, % FROM regions r LEFT JOIN (clinics c JOIN people p ON p.clinic = c.id) ON c.region = r.id GROUP BY title, north|SELECT north, % FROM regions r LEFT JOIN (clinics c JOIN people p ON p.clinic = c.id) ON c.region = r.id GROUP BY north|4
SELECT kind, open, % FROM people p, clinics c WHERE c.id = p.clinic GROUP BY kind, open|SELECT kind, % FROM @ GROUP BY kind|drawn
SELECT town, dp_count(*), dp_sum(cost, 0, 20) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY town|SELECT dp_count(*), dp_sum(cost, 0, 20) FROM visits v JOIN clinics c ON v.clinic = c.id WHERE town = 'Aachen'|1
SELECT town, dp_count(*), dp_sum(cost, 0, 20) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY town|SELECT town, dp_sum(cost, 0, 20) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE town < 'C' GROUP BY town|2
SELECT town, dp_count(*), dp_sum(cost, 0, 20) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY town|SELECT dp_sum(cost, 0, 20) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE town < 'C'|drawn
SELECT town, kind, dp_sum(cost, 0, 20) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY town, kind|SELECT town, dp_sum(cost, 0, 20) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY town|drawn
\.
COPY cases (finer, asked, groups, settings) FROM stdin (DELIMITER '|');
SELECT town, kind, dp_sum(cost, 0, 20) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY town, kind|SELECT town, dp_sum(cost, 0, 20) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE kind = 'small' GROUP BY town|4|
SELECT town, kind, dp_sum(cost, 0, 20) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY town, kind|SELECT town, dp_sum(cost, 0, 20) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id WHERE kind = 'small' GROUP BY town|drawn|dp_agg.max_groups=11
SELECT town, kind, % FROM @ GROUP BY town, kind|SELECT town, % FROM @ GROUP BY town|12|dp_agg.max_groups=1
SELECT town, kind, % FROM @ GROUP BY town, kind|SELECT town, % FROM @ GROUP BY town|drawn|dp_agg.kept_rollup=1.7;dp_agg.epsilon=1
SELECT town, kind, % FROM @ GROUP BY town, kind|SELECT town, % FROM @ GROUP BY town|drawn|dp_agg.kept_rollup=0
SELECT town, kind, % FROM @ GROUP BY town, kind|SELECT town, % FROM @ GROUP BY town|drawn|dp_agg.sample_rate=0.99999
\.
-- What the public tables, and rights on them, have become since: answers are added up as long as they hold the same.
COPY cases (change, undo, asked, groups) FROM stdin (DELIMITER '|');
INSERT INTO clinics (id, town, region, open) VALUES (13, 'Dresden', 1, true)||SELECT town, % FROM @ GROUP BY town|drawn
INSERT INTO clinics (id, town, region, open) VALUES (13, 'Dresden', 1, true)||SELECT % FROM @|drawn
INSERT INTO clinics (id, town, region, open) VALUES (13, 'Dresden', 1, true)||SELECT % FROM @ WHERE town = 'Aachen'|drawn
INSERT INTO clinics SELECT 13, 'c13', town, kind, region, size, weight, beds, open FROM clinics WHERE id = 1||SELECT town, % FROM @ GROUP BY town|drawn
INSERT INTO clinics SELECT 13, 'c13', town, kind, region, size, weight, beds, open FROM clinics WHERE id = 1||SELECT % FROM people p JOIN clinics c ON c.id = p.clinic|drawn
UPDATE clinics SET kind = 'small' WHERE id = 4||SELECT town, % FROM @ GROUP BY town|drawn
UPDATE clinics SET town = CASE town WHEN 'Aachen' THEN 'Bremen' ELSE 'Aachen' END WHERE town < 'C'||SELECT town, % FROM @ GROUP BY town|drawn
UPDATE clinics SET town = NULL WHERE town = 'Aachen'||SELECT town, % FROM @ GROUP BY town|drawn
DELETE FROM clinics WHERE id = 12||SELECT town, % FROM @ GROUP BY town|drawn
DELETE FROM clinics||SELECT town, % FROM @ GROUP BY town|drawn
DELETE FROM clinics||SELECT % FROM @|drawn
DELETE FROM clinics||SELECT open, % FROM people p, clinics c WHERE c.id = p.clinic GROUP BY open|drawn
CREATE TABLE c AS TABLE clinics; DELETE FROM clinics; INSERT INTO clinics SELECT * FROM c ORDER BY id DESC||SELECT town, % FROM @ GROUP BY town|12
UPDATE clinics SET notes = repeat('x', 1000), beds = 7, code = NULL, region = 3||SELECT town, % FROM @ GROUP BY town|12
TRUNCATE regions||SELECT town, % FROM @ GROUP BY town|12
ALTER TABLE clinics ADD new text DEFAULT 'x', DROP notes|ALTER TABLE clinics DROP new, ADD notes text|SELECT town, % FROM @ GROUP BY town|12
ALTER TABLE clinics RENAME kind TO sort|ALTER TABLE clinics RENAME sort TO kind|SELECT town, % FROM @ GROUP BY town|drawn
ALTER TABLE clinics ALTER kind TYPE text|ALTER TABLE clinics ALTER kind TYPE kind USING kind::kind|SELECT town, % FROM @ GROUP BY town|drawn
ALTER TYPE kind RENAME VALUE 'small' TO 'tiny'|ALTER TYPE kind RENAME VALUE 'tiny' TO 'small'|SELECT kind, % FROM @ GROUP BY kind|drawn
ALTER TABLE clinics RENAME TO gone; CREATE TABLE clinics (LIKE gone INCLUDING ALL); GRANT SELECT ON clinics TO listed_ann|DROP TABLE clinics; ALTER TABLE gone RENAME TO clinics|SELECT town, % FROM @ GROUP BY town|drawn
ALTER TABLE clinics RENAME TO gone; CREATE TABLE clinics (LIKE gone INCLUDING ALL); INSERT INTO clinics SELECT * FROM gone WHERE id < 12; GRANT SELECT ON clinics TO listed_ann|DROP TABLE clinics; ALTER TABLE gone RENAME TO clinics|SELECT town, % FROM @ GROUP BY town|drawn
ALTER TABLE clinics RENAME TO gone; CREATE TABLE clinics (LIKE gone INCLUDING ALL); INSERT INTO clinics SELECT * FROM gone; GRANT SELECT ON clinics TO listed_ann|DROP TABLE clinics; ALTER TABLE gone RENAME TO clinics|SELECT town, % FROM @ GROUP BY town|12
ALTER TABLE clinics RENAME TO gone; CREATE VIEW clinics AS TABLE gone; GRANT SELECT ON clinics TO listed_ann|DROP VIEW clinics; ALTER TABLE gone RENAME TO clinics|SELECT town, % FROM @ GROUP BY town|drawn
REVOKE ALL ON clinics FROM listed_ann; GRANT SELECT (id, town, kind, open) ON clinics TO listed_ann|GRANT SELECT ON clinics TO listed_ann|SELECT town, % FROM @ GROUP BY town|12
REVOKE ALL ON clinics FROM listed_ann; GRANT SELECT (id, town, kind) ON clinics TO listed_ann|GRANT SELECT ON clinics TO listed_ann|SELECT town, % FROM @ GROUP BY town|drawn
REVOKE ALL ON clinics FROM listed_ann; GRANT SELECT (id, town, kind) ON clinics TO listed_ann|GRANT SELECT ON clinics TO listed_ann|SELECT % FROM @ WHERE town = 'Aachen'|drawn
REVOKE ALL ON clinics FROM listed_ann; GRANT SELECT (id, town) ON clinics TO listed_ann|GRANT SELECT ON clinics TO listed_ann|SELECT town, % FROM shown s LEFT JOIN people p ON p.clinic = s.id GROUP BY town|drawn
UPDATE clinics SET town = repeat('x', 253) WHERE id = 1||SELECT town, % FROM @ GROUP BY town|drawn
\.
UPDATE cases SET finer = 'SELECT town, kind, open, % FROM @ GROUP BY town, kind, open' WHERE finer IS NULL;
-- Values that may be limited: only as long as none of those that are mentioned is, and tables have no more rows than answers may.
CREATE TABLE places AS SELECT id, repeat('n', 230 + id) AS name, open, repeat('n', 242 + id) AS notes FROM clinics;
ALTER TABLE places ADD PRIMARY KEY (id);
CREATE TABLE many AS SELECT i AS id, i % 2 = 0 AS open FROM generate_series(1, 100000) i;
ALTER TABLE many ADD PRIMARY KEY (id);
CREATE TABLE more AS SELECT i AS id, i % 2 = 0 AS open FROM generate_series(1, 100001) i;
ALTER TABLE more ADD PRIMARY KEY (id);
GRANT SELECT ON places, many, more TO listed_ann;
COPY cases (finer, asked, groups) FROM stdin (DELIMITER '|');
SELECT name, open, % FROM places c LEFT JOIN people p ON p.clinic = c.id GROUP BY name, open|SELECT open, % FROM places c LEFT JOIN people p ON p.clinic = c.id GROUP BY open|12
SELECT notes, open, % FROM places c LEFT JOIN people p ON p.clinic = c.id GROUP BY notes, open|SELECT open, % FROM places c LEFT JOIN people p ON p.clinic = c.id GROUP BY open|drawn
SELECT name, open, % FROM places c LEFT JOIN people p ON p.clinic = c.id WHERE notes <> 'x' GROUP BY name, open|SELECT open, % FROM places c LEFT JOIN people p ON p.clinic = c.id WHERE notes <> 'x' GROUP BY open|drawn
SELECT m.id / 100000 AS part, open, dp_count(*) FROM many m LEFT JOIN people p USING (id) GROUP BY m.id / 100000, open|SELECT open, dp_count(*) FROM many m LEFT JOIN people p USING (id) GROUP BY open|3
SELECT m.id / 100000 AS part, open, dp_count(*) FROM more m LEFT JOIN people p USING (id) GROUP BY m.id / 100000, open|SELECT open, dp_count(*) FROM more m LEFT JOIN people p USING (id) GROUP BY open|drawn
\.
UPDATE cases SET finer = replace(replace(finer, ' % FROM', ' ' || :'measures' || ' FROM'), '@', 'clinics c LEFT JOIN people p ON p.clinic = c.id'),
	asked = replace(replace(asked, ' % FROM', ' ' || :'measures' || ' FROM'), '@', 'clinics c LEFT JOIN people p ON p.clinic = c.id');
CALL try_all();
SELECT n, nullif(change, '') AS change, regexp_replace(asked, 'dp_count.* AS mean', '%') AS asked, groups, note, same, planned FROM cases
	WHERE note IS DISTINCT FROM CASE groups WHEN 'drawn' THEN groups ELSE 'added up from ' || groups || CASE groups WHEN '1' THEN ' group' ELSE ' groups' END || ' kept since TIME, no charge' END
		OR same IS DISTINCT FROM CASE groups WHEN 'drawn' THEN '' ELSE 'same' END OR planned IS DISTINCT FROM 'so' ORDER BY n;

-- Questions at random: what is added up is what would be drawn.
CREATE TABLE parts (key text, expr text, conditions text[]);
INSERT INTO parts VALUES
	('town', 'town', ARRAY['town = ''Aachen''', 'town IN (''Aachen'', ''Celle'')', 'town > ''B''', 'town IS NULL', 'town IS NOT NULL', 'coalesce(town, ''Aachen'') = ''Aachen''', 'upper(town) LIKE ''%E%''']),
	('kind', 'kind', ARRAY['kind = ''small''', 'kind IS NULL', 'kind > ''small''', 'kind IS DISTINCT FROM ''large''']),
	('open', 'open', ARRAY['open', 'NOT open', 'open IS NOT NULL']),
	('region', 'region', ARRAY['region = 1', 'region IN (1, 3)', 'region + 1 > 2']),
	('beds', 'beds / 40', ARRAY['beds / 40 = 1', 'beds / 40 < 2', 'beds > 30']),
	('', '', ARRAY['p.age > 30', 'p.active', 'length(c.code) > 2']);
CREATE FUNCTION question(keys text[], wanted text[], form int) RETURNS text LANGUAGE sql AS $$
	SELECT concat('SELECT dp_count(*) AS n, dp_sum(age, 0, 50) AS age', string_agg(', ' || expr || ' AS ' || key, '' ORDER BY key),
		CASE form WHEN 0 THEN ' FROM clinics c LEFT JOIN people p ON p.clinic = c.id WHERE ' WHEN 1 THEN ' FROM people p RIGHT JOIN clinics c ON p.clinic = c.id AND ' ELSE ' FROM people p JOIN clinics c ON p.clinic = c.id WHERE ' END,
		coalesce(array_to_string(wanted, ' AND '), 'true'), ' GROUP BY ' || string_agg(expr, ', ' ORDER BY key)) FROM parts WHERE key = ANY (keys) $$;
CREATE FUNCTION pick(share float8, keys text[]) RETURNS text[] LANGUAGE sql VOLATILE AS $$
	SELECT array_agg(conditions[1 + floor(random() * cardinality(conditions))]) FROM parts WHERE key = ANY (keys) AND random() < share $$;
SELECT setseed(0.26);
DO $$
DECLARE
	finer text[];
	asked text[];
	given text[];
BEGIN
	DELETE FROM cases;
	FOR i IN 1 .. 200 LOOP
		finer := ARRAY(SELECT key FROM parts WHERE key <> '' ORDER BY random() LIMIT 1 + i % 4);
		asked := ARRAY(SELECT k FROM unnest(finer) k WHERE random() < 0.5);
		given := pick(0.1, ARRAY['', 'town', 'kind', 'open', 'region', 'beds']);
		INSERT INTO cases (finer, asked, groups) VALUES (question(finer, given, i % 2),
			question(asked, given || pick(0.4, finer) || pick(0.05, ARRAY['', 'town', 'kind']), floor(random() * CASE asked WHEN '{}' THEN 3 ELSE 2 END)::int), '');
	END LOOP;
END $$;
CALL try_all();
SELECT finer, asked, note, same, planned FROM cases WHERE same NOT IN ('same', '') OR note !~ '^(added|kept since|drawn)' OR planned <> 'so' ORDER BY n;
SELECT count(*) FILTER (WHERE same = 'same') > 50 AS many_added, count(*) FILTER (WHERE note = 'drawn') > 30 AS many_drawn FROM cases;

-- Keys that a column's owner has declared to be those of a public table.
SELECT dp_agg.forget_kept() > 0 AS forgotten;
SELECT dp_agg.set_domain('people', 'clinic', refers_to => 'clinics.id'), dp_agg.set_domain('people', 'code', refers_to => 'clinics.code'), dp_agg.set_domain('visits', 'clinic', refers_to => 'clinics.id');
DELETE FROM cases;
COPY cases (asked, groups) FROM stdin (DELIMITER '|');
SELECT clinic, dp_count(*), dp_sum(age, 0, 50) FROM people WHERE clinic IN (2, 3, 13) GROUP BY clinic|2
SELECT clinic, dp_count(*), dp_sum(age, 0, 50) FROM people WHERE active GROUP BY clinic|drawn
SELECT clinic, dp_count(*) FROM people GROUP BY clinic HAVING dp_count(*) > 100|12
SELECT dp_count(*) FROM people WHERE clinic = 3|1
SELECT dp_count(*) FROM people WHERE clinic IN (3, 4, 5)|3
SELECT dp_count(*) FROM people WHERE clinic IN (3, 4, 13)|drawn
SELECT dp_count(*) FROM people WHERE clinic = 13|drawn
SELECT dp_count(*) FROM people WHERE clinic < 3|drawn
SELECT dp_count(*) FROM people|drawn
SELECT dp_count(*) FROM people p JOIN clinics c ON c.id = p.clinic|drawn
SELECT c.id, dp_count(*) FROM clinics c LEFT JOIN people p ON c.id = p.clinic GROUP BY c.id|drawn
\.
UPDATE cases SET finer = 'SELECT clinic, dp_count(*), dp_sum(age, 0, 50) FROM people GROUP BY clinic';
COPY cases (finer, asked, groups) FROM stdin (DELIMITER '|');
SELECT clinic, code, dp_count(*) FROM people GROUP BY clinic, code|SELECT clinic, dp_count(*) FROM people WHERE code = 'c7' GROUP BY clinic|12
SELECT clinic, code, dp_count(*) FROM people GROUP BY clinic, code|SELECT clinic, dp_count(*) FROM people GROUP BY clinic|drawn
SELECT clinic, code, dp_count(*) FROM people GROUP BY clinic, code|SELECT code, dp_count(*) FROM people WHERE clinic IN (1, 2) AND code LIKE 'c1_' GROUP BY code|6
SELECT code, dp_count(*) FROM people WHERE length(code) < 9 GROUP BY code|SELECT dp_count(*) FROM people WHERE code = 'c1' AND length(code) < 9|1
SELECT clinic, dp_count(north) FROM people p LEFT JOIN regions r ON r.id = p.clinic GROUP BY clinic|SELECT dp_count(north) FROM people p LEFT JOIN regions r ON r.id = p.clinic WHERE clinic = 1|1
SELECT clinic, dp_count(*) FROM people p JOIN regions r ON r.id = p.clinic GROUP BY clinic|SELECT dp_count(*) FROM regions r JOIN people p ON r.id = p.clinic WHERE clinic = 1|1
SELECT v.clinic, dp_sum(cost, 0, 20) FROM visits v JOIN people p ON p.id = v.person GROUP BY v.clinic|SELECT dp_sum(cost, 0, 20) FROM visits v JOIN people p ON p.id = v.person WHERE v.clinic = 4|1
SELECT v.clinic, dp_sum(cost, 0, 20) FROM visits v JOIN people p ON p.id = v.person GROUP BY v.clinic|SELECT dp_sum(cost, 0, 20) FROM visits v JOIN people p ON p.id = v.person WHERE v.clinic IN (4, 5)|drawn
\.
COPY cases (finer, change, undo, asked, groups) FROM stdin (DELIMITER '|');
SELECT clinic, dp_count(*) FROM people GROUP BY clinic|INSERT INTO clinics (id, open) VALUES (13, true)||SELECT clinic, dp_count(*) FROM people WHERE clinic IN (2, 3, 13) GROUP BY clinic|drawn
SELECT clinic, dp_count(*) FROM people GROUP BY clinic|INSERT INTO clinics (id, open) VALUES (13, true)||SELECT dp_count(*) FROM people WHERE clinic IN (2, 3)|2
SELECT clinic, dp_count(*) FROM people GROUP BY clinic|INSERT INTO clinics (id, open) VALUES (13, true)||SELECT dp_count(*) FROM people WHERE clinic IN (2, 13)|drawn
SELECT clinic, dp_count(*) FROM people GROUP BY clinic|DELETE FROM clinics WHERE id < 4||SELECT clinic, dp_count(*) FROM people WHERE clinic IN (2, 3, 12) GROUP BY clinic|1
SELECT clinic, dp_count(*) FROM people GROUP BY clinic|SELECT listed.declare(NULL)|SELECT listed.declare('clinics.id')|SELECT dp_count(*) FROM people WHERE clinic IN (2, 3)|2
\.
CREATE FUNCTION declare(refers text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF refers IS NULL THEN
		PERFORM dp_agg.drop_domain('listed.people', 'clinic');
	ELSE
		PERFORM dp_agg.set_domain('listed.people', 'clinic', refers_to => refers);
	END IF;
END $$;
CALL try_all();
SELECT n, change, asked, groups, note, same, planned FROM cases
	WHERE note IS DISTINCT FROM CASE groups WHEN 'drawn' THEN groups ELSE 'added up from ' || groups || CASE groups WHEN '1' THEN ' group' ELSE ' groups' END || ' kept since TIME, no charge' END
		OR same IS DISTINCT FROM CASE groups WHEN 'drawn' THEN '' ELSE 'same' END OR planned IS DISTINCT FROM 'so' ORDER BY n;
SELECT dp_agg.drop_domain('people', 'clinic'), dp_agg.drop_domain('people', 'code'), dp_agg.drop_domain('visits', 'clinic');

-- With noise: sums of what was shown, and the noise of such sums.
SET dp_agg.epsilon = 1;
SET dp_agg.kept_max_age = '1 day';
SET dp_agg.kept_rollup = 2;
GRANT CREATE ON SCHEMA listed TO listed_ann;
SET ROLE listed_ann;
CREATE TABLE seen AS SELECT town, kind, dp_count(*) AS n, dp_sum(age, 0, 100) AS age FROM clinics c LEFT JOIN people p ON p.clinic = c.id GROUP BY town, kind;
CREATE VIEW before AS SELECT epsilon_spent FROM dp_agg.budgets WHERE role::text = 'listed_ann';
CREATE TABLE spent AS TABLE before;
SELECT count(*) AS towns, bool_and(n = sn) AS n, bool_and(age = sage) AS age
FROM (SELECT town, dp_count(*) AS n, dp_sum(age, 0, 100) AS age FROM clinics c LEFT JOIN people p ON p.clinic = c.id GROUP BY town) asked
	JOIN (SELECT town AS t, sum(n) AS sn, sum(age) AS sage FROM seen GROUP BY town) s ON town IS NOT DISTINCT FROM t;
\set masked 'SELECT aggregate, epsilon, round(noise_stddev::numeric, 4) AS noise_stddev, round(half_width_95::numeric, 4) AS half_width_95, regexp_replace(kept, ''since .*, no'', ''since TIME, no'') AS kept FROM'
:masked dp_agg.last_release();
:masked dp_agg.price('SELECT dp_count(*), dp_sum(age, 0, 100) FROM clinics c LEFT JOIN people p ON p.clinic = c.id WHERE town = ''Celle''');
SELECT regexp_replace(note, 'since .*, no', 'since TIME, no') FROM ask('SELECT dp_count(*) FROM people p JOIN clinics c ON p.clinic = c.id WHERE town < ''B''');
-- twelve groups have more noise than who asks wants, but for who asks for less
SELECT note FROM ask('SELECT dp_count(*) FROM clinics c LEFT JOIN people p ON p.clinic = c.id');
SELECT note FROM ask('SELECT dp_sum(age, 0, 100, 0.25) FROM clinics c LEFT JOIN people p ON p.clinic = c.id');
-- what is added up is as old as what it was added up from, whatever has become of protected rows since
RESET ROLE;
DELETE FROM people WHERE id > 1000;
SET ROLE listed_ann;
SELECT kind, asked.n = (SELECT sum(n) FROM seen s WHERE s.kind IS NOT DISTINCT FROM asked.kind AND s.town > 'A') AS same
FROM (SELECT kind, dp_count(*) AS n FROM clinics c LEFT JOIN people p ON p.clinic = c.id WHERE town > 'A' GROUP BY kind) asked;
SELECT question, rows, replays > 2 AS replayed FROM dp_agg.kept WHERE question LIKE '%c.town, c.kind';
SELECT (TABLE before) - epsilon_spent AS spent FROM spent;
-- a statement that is prepared, rows that come meanwhile, and a snapshot that does not see them
PREPARE q (text) AS SELECT dp_count(*) - (SELECT sum(n) FROM seen WHERE town = $1) AS n FROM clinics c LEFT JOIN people p ON p.clinic = c.id WHERE town = $1;
EXECUTE q ('Aachen');
EXECUTE q ('Bremen');
RESET ROLE;
INSERT INTO clinics (id, town, open) VALUES (13, 'Celle', true);
SET ROLE listed_ann;
EXECUTE q ('Celle') \g /dev/null
SELECT kept IS NULL AS drawn FROM dp_agg.last_release();
RESET ROLE;
DELETE FROM clinics WHERE id = 13;
-- members of a pool have what it paid for, as far as they may read what lists its keys
SET ROLE listed_bob;
SELECT town, kind, dp_count(*) FROM clinics c LEFT JOIN people p ON p.clinic = c.id GROUP BY town, kind \g /dev/null
SELECT kept IS NULL AS drawn FROM dp_agg.last_release();
RESET ROLE;
SET ROLE listed_team;
SELECT note FROM ask('SELECT kind, dp_count(*) FROM clinics c LEFT JOIN people p ON p.clinic = c.id WHERE town < ''C'' GROUP BY kind');
RESET ROLE;
REVOKE ALL ON clinics FROM listed_bob, listed_team;
GRANT SELECT (id, kind) ON clinics TO listed_bob;
SET ROLE listed_bob;
SELECT note FROM ask('SELECT kind, dp_count(*) FROM clinics c LEFT JOIN people p ON p.clinic = c.id GROUP BY kind');
RESET ROLE;
GRANT SELECT (town) ON clinics TO listed_bob;
SET ROLE listed_bob;
SELECT note FROM ask('SELECT town, dp_count(*) FROM clinics c LEFT JOIN people p ON p.clinic = c.id GROUP BY town');
-- what is kept of it is under the row's hash
RESET ROLE;
SELECT problem FROM dp_agg.verify_ledger();

-- what is counted of replays is written before the extension is gone
DO $$
BEGIN
	FOR i IN 1 .. 600 LOOP
		EXIT WHEN (SELECT sum(a.replays) FROM dp_agg.kept_answer a) = (SELECT sum(a.replays) FROM dp_agg.kept a);
		PERFORM pg_sleep(0.1);
	END LOOP;
END $$;
SET client_min_messages = warning;
DROP SCHEMA listed CASCADE;
SELECT dp_agg.drop_budget('listed_ann'), dp_agg.drop_budget('listed_team');
DROP EXTENSION dp_agg;
DROP ROLE listed_ann, listed_bob, listed_team;
