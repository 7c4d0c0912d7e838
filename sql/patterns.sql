--
-- patterns: LIKE, ILIKE and position() of patterns that are no constants, of public tables above all
--
CREATE DATABASE dp_patterns ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;
\c dp_patterns
SET client_encoding = 'UTF8';
CREATE EXTENSION dp_agg;
CREATE ROLE patterns_owner;
CREATE ROLE patterns_analyst;
CREATE SCHEMA patterns;
GRANT ALL ON SCHEMA patterns TO patterns_owner, patterns_analyst;
SET search_path = patterns, public;

-- What runs is the same as PostgreSQL's own, for all short texts and patterns.
CREATE FUNCTION words(letters text[], most int) RETURNS SETOF text LANGUAGE sql AS $$
	WITH RECURSIVE w AS (SELECT '' AS word, 0 AS n UNION ALL SELECT word || letter, n + 1 FROM w, unnest(letters) letter WHERE n < most)
	SELECT word FROM w $$;
CREATE TABLE pairs AS SELECT s, p, p ~ '(?<!\\)(\\\\)*\\$' AS broken FROM words(ARRAY['a', 'B', U&'\00E9', U&'\65E5'], 4) s, words(ARRAY['a', 'b', U&'\00E9', '%', '_', '\'], 4) p;
CREATE FUNCTION tried(function regprocedure, s text, p text, result anyelement) RETURNS anyelement LANGUAGE sql IMMUTABLE AS $$ SELECT dp_agg_internal.attempt_as(result, function, s, p) $$;
SELECT count(*) FILTER (WHERE s LIKE p) AS matches, count(*) FILTER (WHERE tried('textlike(text,text)', s, p, true) IS DISTINCT FROM s LIKE p) AS likes,
	count(*) FILTER (WHERE tried('notlike(text,text)', s, p, true) IS DISTINCT FROM s NOT LIKE p) AS not_likes,
	count(*) FILTER (WHERE s ILIKE p) AS folded, count(*) FILTER (WHERE tried('texticlike(text,text)', s, p, true) IS DISTINCT FROM s ILIKE p) AS ilikes,
	count(*) FILTER (WHERE tried('texticnlike(text,text)', s, p, true) IS DISTINCT FROM s NOT ILIKE p) AS not_ilikes
	FROM pairs WHERE NOT broken;
SELECT count(*) FILTER (WHERE strpos(s, p) > 0) AS found, count(*) FILTER (WHERE tried('strpos(text,text)', s, p, 0) IS DISTINCT FROM strpos(s, p)) AS positions FROM pairs;
-- A pattern that ends in an escape character matches nothing, whatever the text is: an error in PostgreSQL.
SELECT count(*), count(*) FILTER (WHERE tried('textlike(text,text)', s, p, true)) AS likes, count(*) FILTER (WHERE tried('texticnlike(text,text)', s, p, true)) AS not_ilikes FROM pairs WHERE broken;
-- All of the words that hold a state, and one more byte than there may be.
SELECT n, tried('textlike(text,text)', repeat('ab', n), '%' || repeat('ab', n - 1) || '_b', true), tried('textlike(text,text)', repeat('ab', n), '_' || repeat('ba', n - 1) || '%', true),
	tried('strpos(text,text)', repeat('a', n) || 'b', repeat('a', n - 1) || 'b', 0) FROM unnest('{31,32,33,64,126,127,255,480,511,512,1020,1021}'::int[]) n;

GRANT EXECUTE ON FUNCTION dp_agg.protect TO patterns_owner;
SET ROLE patterns_owner;
CREATE TABLE articles (author int NOT NULL, title text, body varchar(60), size int NOT NULL, lang text);
INSERT INTO articles SELECT i % 1500, (ARRAY['Of cats and dogs', 'A dog''s life', '100% cotton', 'Nothing', NULL])[1 + i % 5] || CASE WHEN i % 7 = 0 THEN ', revised' ELSE '' END,
	'text ' || i % 10, i % 100, (ARRAY['dogs', '%life', 'cotton'])[1 + i % 3] FROM generate_series(1, 4500) i;
SELECT dp_agg.protect('articles', 'author', max_rows => 4, max_groups => 4);
SELECT dp_agg.set_domain('articles', 'size', 0, 100);
RESET ROLE;
SELECT dp_agg.set_budget('patterns_analyst', 1e12, 1e-3);
CREATE TABLE keywords (word text PRIMARY KEY, pattern text, kind varchar(10));
INSERT INTO keywords VALUES ('dog', '%dog%', 'animal'), ('cat', '%CAT%', 'animal'), ('100%', '100\%%', 'other'), ('Nothing', 'nothing%', 'other'), ('unused', '%unused%', 'none'), ('null', NULL, 'none');
GRANT SELECT ON keywords TO patterns_analyst, patterns_owner;
GRANT USAGE ON SCHEMA patterns TO patterns_owner;

\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/compare.sql'
\i :file
SET client_min_messages = warning;
SET dp_agg.max_rows = 24;
SET dp_agg.max_groups = 6;
INSERT INTO asked (statement) VALUES
	('SELECT k.word, count(*) FROM articles a JOIN keywords k ON a.title LIKE ''%'' || k.word || ''%'' GROUP BY 1'),
	('SELECT k.kind, count(*), sum(a.size) FROM articles a JOIN keywords k ON a.title ILIKE k.pattern GROUP BY 1'),
	('SELECT count(*) FROM articles a, keywords k WHERE a.title NOT LIKE ''%'' || k.word || ''%'''),
	('SELECT count(*) FROM articles a, keywords k WHERE a.title NOT ILIKE k.pattern AND kind = ''animal'''),
	('SELECT k.word, count(*) FROM articles a CROSS JOIN keywords k WHERE strpos(a.title, k.word) > 0 GROUP BY 1'),
	('SELECT k.word, round(avg(least(greatest(position(k.word IN a.title), 0), 100))) FROM articles a JOIN keywords k ON k.word = ''dog'' GROUP BY 1'),
	('SELECT count(*) FROM articles a JOIN keywords k ON starts_with(a.title, k.word)'),
	('SELECT count(*) FROM articles a JOIN keywords k ON lower(a.title) LIKE lower(k.word) || ''%'''),
	('SELECT count(*) FROM articles a JOIN keywords k ON a.title ~~ (k.word || ''%'')'),
	('SELECT count(*) FROM articles a JOIN keywords k ON left(a.title, length(k.word)) = k.word'),
	('SELECT count(*), count(k.word) FROM articles a LEFT JOIN keywords k ON a.title LIKE ''%'' || k.word || ''%'' AND k.kind = ''other'''),
	('SELECT k.word, count(a.author) FROM keywords k LEFT JOIN articles a ON a.title LIKE ''%'' || k.word || ''%'' WHERE k.kind = ''other'' GROUP BY 1'),
	('SELECT count(*) FROM articles a JOIN (VALUES (''dog%''), (''%dog%'')) v (p) ON a.title LIKE v.p'),
	('SELECT count(*) FROM articles a JOIN (SELECT max(pattern) AS p FROM keywords) m ON a.title ILIKE m.p'),
	('SELECT count(*) FROM articles a WHERE a.title ILIKE (SELECT pattern FROM keywords WHERE word = ''dog'')'),
	('SELECT count(*) FROM articles a WHERE a.title LIKE ''%'' || (SELECT word FROM keywords WHERE word = ''dog'') || ''%'''),
	('SELECT count(*) FROM articles a WHERE a.title LIKE ANY (SELECT pattern FROM keywords)'),
	('SELECT CASE WHEN a.title ILIKE k.pattern THEN k.kind ELSE ''-'' END, count(*) FROM articles a, keywords k WHERE k.word = ''cat'' GROUP BY 1'),
	('SELECT count(*) FROM articles WHERE body LIKE ''%'' || size % 10'),
	('SELECT count(*) FROM articles WHERE title LIKE ''%'' || lang || ''%'' OR body LIKE lang'),
	('SELECT substring(title FROM strpos(title, '' '') + 1), count(*) FROM articles WHERE strpos(title, '' '') > 0 GROUP BY 1'),
	('SELECT split_part(title, '' '', 1 + size % 2), count(*) FROM articles GROUP BY 1'),
	('SELECT count(*) FROM articles WHERE right(body, -strpos(body, '' '')) = ''7''');
SELECT * FROM compare();
-- Is there one that matches?  And lists of patterns, with or without regard to case.
INSERT INTO asked (statement) VALUES
	('SELECT count(*) FROM articles a WHERE EXISTS (SELECT 1 FROM keywords k WHERE a.title LIKE ''%'' || k.word || ''%'')'),
	('SELECT lang, count(*) FROM articles a WHERE NOT EXISTS (SELECT FROM keywords WHERE title ILIKE pattern AND kind = ''animal'') GROUP BY 1'),
	('SELECT sum(CASE WHEN EXISTS (SELECT 1 FROM keywords k WHERE a.title ILIKE k.pattern ORDER BY word) THEN size END) FROM articles a'),
	('SELECT count(*) FROM articles a WHERE EXISTS (SELECT 1 FROM keywords k WHERE length(k.word) > a.size / 10) OR size = 99'),
	('WITH w AS (SELECT DISTINCT word FROM keywords WHERE kind = ''other'') SELECT count(*) FROM articles WHERE EXISTS (SELECT FROM w WHERE title NOT LIKE word || ''%'')'),
	('WITH w AS (SELECT DISTINCT word FROM keywords WHERE kind = ''other'') SELECT count(*) FROM articles WHERE EXISTS (SELECT FROM w WHERE title LIKE word)'),
	('SELECT count(*) FROM articles WHERE title ILIKE ANY (SELECT pattern FROM keywords)'),
	('SELECT count(*) FROM articles WHERE title NOT ILIKE ALL (SELECT upper(pattern) FROM keywords WHERE kind = ''animal'' UNION SELECT ''x%'')'),
	('SELECT count(*) FROM articles WHERE title ILIKE ANY (ARRAY[''%DOG%'', ''NOTHING%'', NULL])'),
	('SELECT count(*) FROM articles WHERE title NOT ILIKE ALL (''{%DOG%,nothing%}'')'),
	('SELECT count(*) FROM articles WHERE (title ILIKE ALL (''{%DOG%,of%}'')) IS TRUE');
SELECT * FROM compare();
-- Released values are public.
INSERT INTO asked (statement) VALUES
	('SELECT count(*) FROM articles a JOIN (SELECT max(lang) AS lang FROM (SELECT lang, count(*) FROM articles GROUP BY lang) l) t ON a.title LIKE ''%'' || t.lang || ''%'''),
	('SELECT count(*) FROM articles WHERE title LIKE ''%'' || (SELECT lang FROM articles GROUP BY lang ORDER BY count(*) DESC, lang LIMIT 1) || ''%''');
SELECT * FROM compare();

-- Neither a pattern that is an error in PostgreSQL, nor a long one, is one here, whichever rows there are.
INSERT INTO keywords VALUES ('broken', '%dog\', 'bad'), ('long', repeat('%', 249) || 'do%', 'bad'), ('too long', repeat('%', 250) || 'do%', 'bad');
SET ROLE patterns_analyst;
SELECT k.word, count(*) FROM articles a JOIN keywords k ON a.title LIKE k.pattern WHERE kind = 'bad' GROUP BY 1;
SELECT k.word, count(*) FROM articles a JOIN keywords k ON a.title NOT ILIKE k.pattern WHERE kind = 'bad' AND size < 0 GROUP BY 1;
-- What is read before the charge is looked at then.
\set VERBOSITY terse
SELECT sum(statements) AS before FROM dp_agg.budgets \gset
SELECT count(*) FROM articles WHERE title LIKE (SELECT pattern FROM keywords WHERE word = 'broken');
SELECT count(*) FROM articles WHERE title LIKE ANY (SELECT pattern FROM keywords WHERE word = 'broken');
\set VERBOSITY default
-- Patterns of other kinds are constants.
SELECT count(*) FROM articles a JOIN keywords k ON a.title ~ k.word;
SELECT count(*) FROM articles a JOIN keywords k ON a.title SIMILAR TO k.pattern;
SELECT count(*) FROM articles a JOIN keywords k ON replace(a.title, k.word, '') <> a.title;
SELECT count(*) FROM articles a JOIN keywords k ON a.title LIKE k.pattern ESCAPE '!';
-- EXISTS of rows that others may have matched, or that two comparisons tie.
SELECT count(*) FROM articles a WHERE EXISTS (SELECT 1 FROM articles b WHERE a.title LIKE b.title);
SELECT count(*) FROM articles a WHERE EXISTS (SELECT 1 FROM keywords k JOIN articles b ON b.title = k.word WHERE a.title LIKE k.pattern);
SELECT count(*) FROM articles a WHERE EXISTS (SELECT 1 FROM keywords k JOIN keywords l ON l.word < a.title WHERE a.title LIKE k.pattern);
SELECT count(*) FROM articles a WHERE EXISTS (SELECT 1 FROM keywords k WHERE a.title LIKE k.pattern AND a.lang > k.word);
SELECT sum(statements) - :before AS charges FROM dp_agg.budgets;
RESET ROLE;
\c contrib_regression
DROP DATABASE dp_patterns;
DROP ROLE patterns_owner, patterns_analyst;
