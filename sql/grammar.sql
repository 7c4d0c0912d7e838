--
-- grammar: what costs little to allow, against the owner's plain answers
--
CREATE EXTENSION dp_agg;
SET client_min_messages = warning;
CREATE ROLE grammar_analyst;
CREATE SCHEMA grammar;
SET search_path = grammar, public;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE people (id int PRIMARY KEY, name text, town varchar(20), code char(4), mood mood, member boolean, score int,
	born date, note text, tags jsonb, marks int[]);
CREATE TABLE visits (no int PRIMARY KEY, person int NOT NULL REFERENCES people, clinic int, cost int, stay interval, came timestamp);
CREATE TABLE clinics (id int PRIMARY KEY, name text, town varchar(20), open boolean);
INSERT INTO clinics SELECT i, 'clinic ' || i, 'town ' || i % 3, i % 2 = 0 FROM generate_series(1, 6) i;
INSERT INTO people SELECT i, 'name ' || i % 9, CASE WHEN i % 11 > 0 THEN 'town ' || i % 3 END, 'c' || i % 4,
	(enum_range(NULL::mood))[1 + i % 3], i % 2 = 0, i % 10, date '1980-01-01' + i % 5 * 400,
	(ARRAY['12', ' 7', '3.25', 'x', '2024-02-29', '2024-02-30', '20240229', '1e3', '', '-0', 'infinity', '99999999999', 'true', '29.02.2024', '2024-02-29 10:11:12'])[1 + i % 15],
	jsonb_build_object('k', i % 4, 'a', jsonb_build_array(i % 3, 'b')), ARRAY[i % 3, i % 5] FROM generate_series(1, 300) i;
INSERT INTO visits SELECT i, 1 + i % 290, 1 + i % 5, i % 40, make_interval(days => i % 3, hours => i % 2 * 24), timestamp '2024-01-01' + i % 50 * interval '13 hours'
	FROM generate_series(1, 900) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 10, max_groups => 10);
SELECT dp_agg.set_domain('visits', 'cost', 0, 40), dp_agg.set_domain('people', 'score', 0, 10);
GRANT USAGE ON SCHEMA grammar TO grammar_analyst;
GRANT SELECT ON clinics TO grammar_analyst;
SELECT dp_agg.set_budget('grammar_analyst', 1e15, 0.9);
CREATE TABLE asked (n int GENERATED ALWAYS AS IDENTITY, statement text);
CREATE TABLE answers (n int, role text, answer text);
GRANT SELECT ON asked TO grammar_analyst;
GRANT SELECT, INSERT ON answers TO grammar_analyst;
-- what a statement answers, row by row, or how it fails
CREATE FUNCTION answer(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
	hint text;
BEGIN
	EXECUTE 'SELECT string_agg(q::text, E''\n'' ORDER BY q::text COLLATE "C") FROM (' || statement || ') q' INTO answer;
	RETURN answer;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN 'ERROR: ' || SQLERRM || coalesce(' HINT: ' || nullif(hint, ''), '');
END $$;
-- ask everything as the owner and as the analyst, at a loss that leaves no noise; show what differs
CREATE FUNCTION compare(OUT asked bigint, OUT empty bigint, OUT differ text) LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM answers;
	INSERT INTO answers SELECT n, 'owner', answer(statement) FROM asked;
	SET ROLE grammar_analyst;
	SET dp_agg.epsilon = 1e6;
	SET dp_agg.delta = 1e-9;
	INSERT INTO answers SELECT n, 'analyst', answer(statement) FROM asked;
	RESET ROLE;
	SELECT count(*), count(*) FILTER (WHERE coalesce(o.answer, '') = ''),
		string_agg(format(E'%s\n%s\n---\n%s', q.statement, a.answer, o.answer), E'\n\n') FILTER (WHERE a.answer IS DISTINCT FROM o.answer)
		INTO asked, empty, differ
		FROM asked q JOIN answers a USING (n) JOIN answers o USING (n) WHERE a.role = 'analyst' AND o.role = 'owner';
	DELETE FROM asked;
END $$;

-- columns that a primary key in GROUP BY determines
INSERT INTO asked (statement) VALUES
	('SELECT c.id, c.name, c.open, count(*) FROM visits v JOIN clinics c ON c.id = v.clinic GROUP BY c.id'),
	('SELECT c.id, upper(c.name) AS name, sum(v.cost) FROM visits v JOIN clinics c ON c.id = v.clinic GROUP BY c.id HAVING c.open AND count(*) > 3'),
	('SELECT c.name, count(*) FROM visits v JOIN clinics c ON c.id = v.clinic GROUP BY c.id ORDER BY c.town, c.name LIMIT 3'),
	('SELECT c.name, c.town, count(v.no) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY c.id'),
	('SELECT c.id, c.name || c.town AS place, count(v.no) FROM clinics c LEFT JOIN visits v ON v.clinic = c.id GROUP BY c.id, c.name'),
	('SELECT sum(score), count(*) FROM (SELECT p.id, p.score, p.town, p.mood, p.member, count(*) AS n FROM people p JOIN visits v ON v.person = p.id GROUP BY p.id HAVING p.member) s WHERE town = ''town 1'' AND mood > ''sad'''),
	('SELECT town, mood, count(*) FROM (SELECT p.id, p.town, p.mood, p.tags, count(*) AS n FROM people p JOIN visits v ON v.person = p.id GROUP BY p.id) s WHERE n > 2 GROUP BY town, mood');
SELECT * FROM compare();
SET ROLE grammar_analyst;
-- one row for each unit, as without the column
SELECT aggregate, round(noise_stddev) AS noise FROM dp_agg.price('SELECT dp_count(*) FROM (SELECT p.id, p.score, p.code, p.marks, count(*) FROM people p JOIN visits v ON v.person = p.id GROUP BY p.id) s');
-- what has no order is no key
SELECT p.id, p.marks, dp_count(*) FROM people p GROUP BY p.id;
RESET ROLE;

DROP SCHEMA grammar CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE grammar_analyst;
