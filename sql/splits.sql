--
-- splits: rows made of the elements of an array, or of the parts of a text, against the owner's plain answers
--
CREATE EXTENSION dp_agg;
SET client_min_messages = warning;
CREATE ROLE splits_analyst;
CREATE SCHEMA splits;
SET search_path = splits, public;
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN labels AS text[];
CREATE TABLE people (id int PRIMARY KEY, city text);
INSERT INTO people SELECT i, (ARRAY['Aachen', 'Berlin', 'Chur'])[1 + i % 3] FROM generate_series(1, 600) i;
CREATE TABLE posts (id int PRIMARY KEY, dropped int, author int NOT NULL REFERENCES people, tags text, short varchar(20), codes int[], named labels, days date[], moods mood[], docs jsonb[], score int);
ALTER TABLE posts DROP COLUMN dropped;
INSERT INTO posts SELECT i, 1 + i % 600, (ARRAY['a,b', 'a', 'b,c,d', NULL, '', 'a,,b', 'Über ,  a'])[1 + i % 7], (ARRAY['x;y', 'x', NULL])[1 + i % 3],
	(ARRAY['{1,2}', '{3}', '{}', NULL, '{1,NULL,2}', '{{1,2},{3,4}}', '[5:6]={7,8}'])[1 + i % 7]::int[], ARRAY['n' || i % 2, 'm'], ARRAY[date '2024-01-01' + i % 3], '{sad}', ARRAY['1'::jsonb], i % 7 FROM generate_series(1, 1800) i;
CREATE TABLE notes (post int NOT NULL REFERENCES posts, words text);
INSERT INTO notes SELECT 1 + i % 1800, 'lorem w' || i % 3 || '  ipsum' FROM generate_series(1, 2000) i;
CREATE TABLE names (tag text PRIMARY KEY, label text);
INSERT INTO names VALUES ('a', 'A'), ('b', 'B'), ('z', 'Z');
SELECT dp_agg.protect('people', 'id', max_rows => 40, max_groups => 20), dp_agg.protect('posts', 'author', max_rows => 40, max_groups => 20),
	dp_agg.protect('notes', 'post', through => 'posts', max_rows => 40, max_groups => 20);
SELECT dp_agg.set_domain('posts', 'score', 0, 6);
CREATE VIEW parts AS SELECT id, author, unnest(string_to_array(tags, ',')) AS tag FROM posts;
GRANT USAGE ON SCHEMA splits TO splits_analyst;
GRANT SELECT ON names TO splits_analyst;
SELECT dp_agg.set_budget('splits_analyst', 1e15, 0.9);
\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/compare.sql'
\i :file
SET dp_agg.max_rows = 40;
SET dp_agg.max_groups = 20;

-- in FROM
COPY asked (statement) FROM stdin WITH (DELIMITER E'\x01');
SELECT count(*) FROM posts p, unnest(string_to_array(p.tags, ',')) t
SELECT tag, count(*) FROM posts p, unnest(string_to_array(p.tags, ',')) t (tag) GROUP BY tag
SELECT t, count(*) FROM posts CROSS JOIN LATERAL string_to_table(tags, ',') t GROUP BY t
SELECT t, count(*) FROM posts, string_to_table(tags, ',', 'a') t GROUP BY t
SELECT t, count(*) FROM posts, string_to_table(short, NULL) t GROUP BY t
SELECT t, count(*) FROM posts, string_to_table(tags, '') t GROUP BY t
SELECT t, count(*) FROM posts JOIN string_to_table(tags, ',') t ON t > 'a' GROUP BY t
SELECT t, count(*) FROM posts LEFT JOIN LATERAL unnest(string_to_array(lower(trim(tags)), ',')) t ON true GROUP BY t
SELECT t, count(*) FROM posts LEFT JOIN string_to_table(tags, ',') t ON true WHERE t IS NULL OR t LIKE '%a%' GROUP BY t
SELECT c, count(*) FROM posts, unnest(codes) c GROUP BY c
SELECT count(*), count(c) FROM posts p LEFT JOIN unnest(p.codes) c ON true
SELECT c, count(*) FROM posts, unnest(named) c WHERE c IN ('n1', 'm') GROUP BY c
SELECT c, count(*) FROM posts, unnest(days) c WHERE c > '2024-01-01' GROUP BY c
SELECT c, count(*) FROM posts, unnest(coalesce(codes, '{9}')) c GROUP BY c
SELECT sum(least(greatest(c, 0), 10)) FROM posts, unnest(codes) c WHERE score > 2
SELECT t, count(*) FROM posts, regexp_split_to_table(tags, '\s*,\s*') t GROUP BY t
SELECT t, count(*) FROM posts, unnest(regexp_split_to_array(tags, '[B,]+', 'i')) t GROUP BY t
SELECT t, count(*) FROM posts, regexp_split_to_table(short, ';') t GROUP BY t
SELECT t, count(*) FROM posts, regexp_split_to_table(tags, 'B', 'i') t GROUP BY t
SELECT t, c, count(*) FROM posts, unnest(codes) c, unnest(string_to_array(tags, ',')) t GROUP BY t, c
SELECT c, d, count(*) FROM posts, unnest(codes) c, unnest(days) d WHERE 2 = ANY (codes) AND 'n1' = ANY (named) GROUP BY c, d
SELECT t, c, count(*) FROM posts LEFT JOIN unnest(codes) c ON true LEFT JOIN string_to_table(tags, ',') t ON true GROUP BY t, c
SELECT x, count(*) FROM posts, unnest(string_to_array(tags, ',')) t, string_to_table(t, ' ') x GROUP BY x
SELECT x, count(*) FROM posts, unnest(string_to_array(tags, ',')) t, LATERAL (SELECT upper(t) || score AS x) s WHERE t = 'a' GROUP BY x
\.
-- in subqueries, LATERAL ones and others, and in the select list of the block itself
COPY asked (statement) FROM stdin WITH (DELIMITER E'\x01');
SELECT unnest(string_to_array(tags, ',')) AS tag, count(*) FROM posts GROUP BY 1
SELECT unnest(string_to_array(tags, ',')) AS tag, count(*) FROM posts WHERE score = 2 GROUP BY tag HAVING count(*) > 5
SELECT trim(unnest(string_to_array(tags, ','))) AS tag, count(*) FROM posts GROUP BY 1
SELECT regexp_split_to_table(tags, ',') AS tag, city, count(*) FROM posts JOIN people p ON p.id = author GROUP BY 1, 2
SELECT tag, count(*) FROM (SELECT unnest(string_to_array(tags, ',')) AS tag FROM posts) t GROUP BY tag
SELECT tag, count(*) FROM (SELECT unnest(codes) + 1 AS tag, score FROM posts WHERE score > 1) t WHERE score < 6 GROUP BY tag
SELECT tag, count(DISTINCT author) FROM (SELECT author, string_to_table(tags, ',') AS tag FROM posts) t WHERE tag <> '' GROUP BY 1
WITH t AS (SELECT unnest(string_to_array(tags, ',')) AS tag, author FROM posts) SELECT tag, count(*) FROM t GROUP BY tag
SELECT tag, count(*) FROM (SELECT DISTINCT author, unnest(string_to_array(tags, ',')) AS tag FROM posts) t GROUP BY tag
SELECT n, count(*) FROM (SELECT author, count(*) AS n FROM posts, unnest(string_to_array(tags, ',')) t GROUP BY author) x GROUP BY n
SELECT tag, count(*) FROM parts GROUP BY tag
SELECT city, count(*) FROM parts JOIN people p ON p.id = author WHERE tag = 'b' GROUP BY city
SELECT t, count(*) FROM posts, LATERAL (SELECT unnest(string_to_array(tags, ',')) AS t) x GROUP BY 1
SELECT t, count(*) FROM posts p LEFT JOIN LATERAL (SELECT unnest(string_to_array(p.tags, ',')) AS t) x ON true GROUP BY 1
SELECT t, count(*) FROM posts p CROSS JOIN LATERAL (SELECT trim(unnest(string_to_array(p.tags, ','))) || p.score AS t) x GROUP BY 1
SELECT t, count(*) FROM posts p JOIN LATERAL (SELECT trim(y) AS t FROM string_to_table(p.tags, ',') y WHERE y <> '') x ON t <> 'b' GROUP BY 1
SELECT t, count(*) FROM posts p LEFT JOIN LATERAL (SELECT y AS t FROM string_to_table(p.tags, ',') y) x ON true GROUP BY 1
SELECT tag, count(*) FROM (SELECT author, unnest(string_to_array(tags, ',')) AS tag FROM posts UNION ALL SELECT id, city FROM people) t GROUP BY tag
\.
-- beside joins
COPY asked (statement) FROM stdin WITH (DELIMITER E'\x01');
SELECT label, count(*) FROM posts p JOIN people q ON q.id = p.author, unnest(string_to_array(tags, ',')) t JOIN names m ON m.tag = t GROUP BY label
SELECT city, t, count(*) FROM people q JOIN posts p ON q.id = p.author CROSS JOIN unnest(string_to_array(tags, ',')) t GROUP BY 1, 2
SELECT label, t, count(*) FROM (posts p JOIN people q ON q.id = p.author) JOIN string_to_table(p.tags, ',') t ON true LEFT JOIN names m ON m.tag = t GROUP BY 1, 2
SELECT city, count(*) FROM people q LEFT JOIN (SELECT author, unnest(codes) AS c FROM posts) p ON p.author = q.id GROUP BY city
SELECT w, count(*) FROM notes, string_to_table(words, ' ') w GROUP BY w
SELECT w, count(*) FROM notes n JOIN posts p ON p.id = n.post, regexp_split_to_table(n.words, '\s+') w WHERE p.score > 2 GROUP BY w
SELECT t, count(*) FROM notes n JOIN posts p ON p.id = n.post, unnest(string_to_array(p.tags, ',')) t GROUP BY t
SELECT t, n, count(*) FROM (SELECT author, tags, row_number() OVER (PARTITION BY author ORDER BY id) AS n FROM posts) p, string_to_table(tags, ',') t GROUP BY 1, 2
SELECT t, max FROM (SELECT t, count(*) AS max FROM (SELECT author, max(tags) AS tags FROM posts GROUP BY author) p, string_to_table(tags, ',') t GROUP BY 1) x
\.
SELECT * FROM compare();
SELECT answer FROM answers WHERE coalesce(answer, '') = '' OR answer LIKE 'ERROR%';

-- The first parts of each row count, so many as max_join_rows says, or of several items its share.
SET dp_agg.max_join_rows = 2;
SET ROLE splits_analyst;
SET dp_agg.epsilon = 1e6;
SET dp_agg.delta = 1e-9;
SELECT t, count(*) FROM posts, string_to_table(tags, ',') t GROUP BY t ORDER BY t;
SELECT c, count(*) FROM posts, unnest(codes) c GROUP BY c ORDER BY c;
SET dp_agg.max_join_rows = 7;
SELECT count(*) FROM posts, unnest(codes) c, string_to_table(tags, ',') t;
SET dp_agg.max_join_rows = 1;
SELECT count(*) FROM posts, unnest(codes) c;
RESET dp_agg.max_join_rows;
RESET ROLE;
SELECT sum(least(cardinality(codes), 2) * least(cardinality(string_to_array(tags, ',')), 2)) FROM posts WHERE codes IS NOT NULL AND tags IS NOT NULL;

-- Texts and arrays that are long count as NULL; their number of parts is as bounded as any.
INSERT INTO people SELECT i, 'Ulm' FROM generate_series(1001, 1006) i;
INSERT INTO posts (id, author, tags, codes) VALUES (5001, 1001, repeat('a,', 10000), array_fill(1, ARRAY[10000])), (5002, 1002, repeat('b,', 2000), array_fill(2, ARRAY[90000])),
	(5003, 1003, repeat('c,', 100), array_fill(3, ARRAY[50, 10])), (5004, 1004, repeat('c,', 110), array_fill(3, ARRAY[500]));
SET ROLE splits_analyst;
SET dp_agg.max_rows = 1000;
SELECT c, count(*) FROM posts, string_to_table(tags, ',') c WHERE author > 1000 GROUP BY c;
SELECT count(*) FROM posts, string_to_table(tags, ',') c WHERE author > 1000;
SELECT count(*) FROM posts, regexp_split_to_table(tags, ',') c WHERE author > 1000;
SELECT count(*) FROM posts, unnest(codes) c WHERE author > 1000;
SET dp_agg.max_rows = 40;
SELECT count(*) FROM posts, unnest(codes) c WHERE author > 1000;
-- What is asked and what it costs; the same question under another spelling is answered by what is kept.
SET client_min_messages = notice;
RESET dp_agg.max_rows;
EXPLAIN (COSTS OFF) SELECT t, count(*) FROM posts, string_to_table(tags, ',') t GROUP BY t;
SELECT aggregate, mechanism, max_rows, max_groups FROM dp_agg.price('SELECT unnest(codes) AS c, count(*) FROM posts GROUP BY 1');
SELECT count(*) > 0 AS told FROM posts, unnest(codes) c;
SELECT count(*) FROM posts, regexp_split_to_table(lower(tags), ',') c WHERE c ~ 'x+y' OR c ~ 'y+x' OR c ~ 'z+x';
SET client_min_messages = warning;
-- A row that is its unit's only one becomes several, which count as those of a unit with several rows.
RESET ROLE;
CREATE TABLE cards (id int PRIMARY KEY, codes int[]);
INSERT INTO cards SELECT i, ARRAY[1, 2, 3] FROM generate_series(1, 100) i;
INSERT INTO cards SELECT 1000, array_fill(1, ARRAY[10000]);
SELECT dp_agg.protect('cards', 'id', max_rows => 10, max_groups => 2);
SET ROLE splits_analyst;
SELECT aggregate, max_rows, max_groups FROM dp_agg.price('SELECT count(*) FROM cards');
SELECT aggregate, max_rows, max_groups FROM dp_agg.price('SELECT count(*) FROM cards, unnest(codes) c');
-- An answer that is kept is that of the same split, by however many at most.
SET dp_agg.kept_max_age = '1 day';
SELECT count(*) FROM cards;
SELECT count(*) FROM cards, unnest(codes) c;
SELECT count(*) FROM cards LEFT JOIN unnest(codes) c ON true;
SET dp_agg.max_join_rows = 2;
SELECT count(*) FROM cards, unnest(codes) c;
RESET dp_agg.max_join_rows;
SELECT count(*) FROM cards CROSS JOIN LATERAL (SELECT unnest(codes) AS c) l;
SELECT aggregate, kept IS NOT NULL AS was_kept FROM dp_agg.last_release();
RESET dp_agg.kept_max_age;
SELECT count(DISTINCT id) FROM cards, unnest(codes) c WHERE c > 1;
SELECT c, count(*) FROM cards, unnest(codes) c WHERE id = 1000 OR id < 10 GROUP BY c;
-- A constant is a parameter's too, and what is public is read before.
PREPARE by_separator (text) AS SELECT count(*) FROM posts, string_to_table(tags, $1) t WHERE author < 1000;
EXECUTE by_separator(',');
EXECUTE by_separator('b');
SELECT count(*) FROM posts, unnest(ARRAY[1, 2]) c WHERE author < 1000;

-- Refused, at no cost.
CREATE FUNCTION pg_temp.refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ' ' || SQLERRM || E'\n  ' || hint;
END
$$;
RESET ROLE;
SELECT epsilon_spent AS before FROM dp_agg.budgets \gset
SET ROLE splits_analyst;
\a \t
SELECT pg_temp.refused('SELECT count(*) FROM posts, unnest(moods) c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, unnest(docs) c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, string_to_table(docs::text, ''a'') c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, regexp_split_to_table(codes::text, ''a'') c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, string_to_table(tags, short) c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, string_to_table(tags, repeat(''x'', 300)) c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, regexp_split_to_table(tags, short) c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, regexp_split_to_table(tags, ''['') c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, regexp_split_to_table(tags, ''b.*c|a'') c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, regexp_split_to_table(tags, ''a(?=b)'') c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, regexp_split_to_table(tags, '','', ''x'') c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, regexp_split_to_table(tags, '','', short) c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, unnest(array_append(codes, 1)) c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, unnest(codes, days) c');
SELECT pg_temp.refused('SELECT count(*) FROM posts, unnest(codes) WITH ORDINALITY c');
SELECT pg_temp.refused('SELECT count(*) FROM posts p JOIN people q ON q.id = author, unnest(string_to_array(p.tags || q.city, '','')) c');
SELECT pg_temp.refused('SELECT count(*) FROM posts LEFT JOIN unnest(codes) c ON c > 1');
SELECT pg_temp.refused('SELECT count(*) FROM people q LEFT JOIN posts p ON p.author = q.id, unnest(p.codes) c');
SELECT pg_temp.refused('SELECT count(*) FROM (SELECT (SELECT count(*) FROM posts)::text AS n FROM posts) p, unnest(string_to_array(p.n, ''1'')) j');
SELECT pg_temp.refused('SELECT count(*), generate_series(1, (SELECT count(*)::int FROM posts) % 3) FROM posts GROUP BY 2');
SELECT pg_temp.refused('SELECT count(*), unnest(codes) FROM posts GROUP BY codes');
SELECT pg_temp.refused('SELECT count(*) FROM (SELECT unnest(codes), unnest(days) FROM posts) x');
SELECT pg_temp.refused('SELECT count(c) FROM (SELECT author, unnest(codes) AS c, rank() OVER (PARTITION BY author ORDER BY id) FROM posts) x');
\a \t
RESET ROLE;
SELECT epsilon_spent = :before AS free FROM dp_agg.budgets;
DROP SCHEMA splits CASCADE;
DROP OWNED BY splits_analyst;
DROP EXTENSION dp_agg;
DROP ROLE splits_analyst;
