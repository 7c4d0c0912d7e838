--
-- containers: what is asked of arrays, ranges and documents, against the owner's plain answers
--
CREATE EXTENSION dp_agg;
SET client_min_messages = warning;
SET datestyle = ISO;
CREATE ROLE containers_analyst;
CREATE SCHEMA containers;
SET search_path = containers, public;
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN labels AS text[];
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TYPE pair AS (a int, b int);
CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE letters AS RANGE (subtype = text);
CREATE TABLE people (id int PRIMARY KEY, code text, n int, x numeric, tags text[], short varchar(5)[], nums int[], grid int[], prices numeric[], days date[], named labels,
	stay daterange, span tsrange, score numrange, hours int4multirange, came timestamp, gone timestamp, born date, died date, doc jsonb,
	moods mood[], positives positive[], pairs pair[], docs jsonb[], letter letters, cased text[] COLLATE folded);
INSERT INTO people (id, code, n, x, tags, short, nums, grid, prices, days, named, stay, span, score, hours, came, gone, born, died, doc, moods, positives, pairs, docs, letter)
	SELECT i, 't' || i % 4, i % 5, i % 9 * 1.5, CASE WHEN i % 7 > 0 THEN ARRAY['t' || i % 3, 't' || i % 5, NULL] END, ARRAY['v' || i % 4]::varchar(5)[],
		CASE WHEN i % 6 = 0 THEN '{}' ELSE ARRAY[i % 3, i % 5, NULL, i % 4] END, CASE WHEN i % 3 = 0 THEN ARRAY[[1, 2], [3, i % 4]] ELSE '[3:4]={1,2}' END,
		ARRAY[i / 3.0, 1.5], ARRAY[date '2024-01-01' + i % 6], ARRAY['t' || i % 2],
		daterange(date '2024-01-01' + i % 10, date '2024-01-01' + i % 10 + i % 4),
		CASE WHEN i % 9 > 0 THEN tsrange(timestamp '2024-01-01' + i * interval '3h', CASE WHEN i % 5 > 0 THEN timestamp '2024-01-03' + i * interval '5h' END, '[]') END,
		numrange(i % 7, i % 7 + i % 3, '(]'), int4multirange(int4range(i % 5, i % 5 + 2), int4range(10, 12)),
		timestamp '2024-01-01' + i % 7 * interval '1 day', CASE WHEN i % 13 > 0 THEN timestamp '2024-01-01' + (i % 7 + i % 4) * interval '1 day' END,
		CASE WHEN i % 17 > 0 THEN date '2024-01-01' + i % 6 END, date '2024-01-01' + i % 6 + i % 3, jsonb_build_object('k', i % 4, 'a', jsonb_build_array(i % 3, 'b')),
		'{sad}', '{1}', ARRAY[(1, 2)::pair], ARRAY['1'::jsonb], '[a,b)' FROM generate_series(1, 300) i;
CREATE TABLE visits (no int PRIMARY KEY, person int NOT NULL REFERENCES people, code text, k int);
INSERT INTO visits SELECT i, 1 + i % 290, 't' || i % 6, i % 5 FROM generate_series(1, 900) i;
CREATE TABLE groups (code text PRIMARY KEY, w int, codes text[], span tsrange);
INSERT INTO groups VALUES ('t0', 1, '{t1,t2}', '[2024-01-01,2024-01-04)'), ('t1', 2, '{t0}', '[2024-01-02,)'), ('t2', 3, '{}', 'empty'), ('t3', 4, NULL, NULL);
ANALYZE groups;
SELECT dp_agg.protect('people', 'id', max_rows => 10), dp_agg.protect('visits', 'person', max_rows => 30, max_groups => 10);
GRANT USAGE ON SCHEMA containers TO containers_analyst;
GRANT SELECT ON groups TO containers_analyst;
SELECT dp_agg.set_budget('containers_analyst', 1e15, 0.9);
\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/test/regress/compare.sql'
\i :file

-- conditions: in WHERE, in FILTER, in CASE, and of an outer join's nullable side
CREATE TABLE conditions (n int GENERATED ALWAYS AS IDENTITY, condition text);
COPY conditions (condition) FROM stdin WITH (DELIMITER E'\x01');
't1' = ANY (tags)
code = ANY (tags)
't1' <> ALL (tags)
'v1' = ANY (short)
code < ALL (short)
't1' = ANY (named)
't1' > ANY (tags)
n = ANY (nums)
2 = ANY (grid)
n < ALL (nums)
n >= ANY (nums)
n::bigint = ANY (nums)
NULL = ANY (nums)
1.5 = ANY (prices)
x = ANY (prices)
born = ANY (days)
tags @> '{t1}'
tags @> '{}'
tags @> '{NULL}'
tags && '{t1,t2,NULL}'
tags <@ '{t1,t2}'
'{t1}' <@ tags
tags && named
short && '{v1,v2}'
short::text[] @> '{v1}'
nums && grid
nums @> grid
nums <@ grid
grid @> '{{2,1}}'
nums = '{1,2}'
grid = '{1,2}'
grid = '[3:4]={1,2}'
nums <> '{}'
nums IS DISTINCT FROM '{}'
prices @> '{1.50}'
days && ARRAY[date '2024-01-02', '2024-01-04']
tags IS NULL
tags IS NOT NULL
span IS NULL
COALESCE(tags, '{}') @> '{t1}'
't1' = ANY (COALESCE(tags, named))
array_length(nums, 1) = 4
array_length(grid, n) = 2
cardinality(nums) > 0
cardinality(nums) = cardinality(tags)
array_ndims(grid) = 2
nums[1] = 1
nums[n] > id % 3
nums[n - 3] IS NULL
nums[2147483647] IS NULL AND nums[-2147483648] IS NULL
nums[NULL] IS NULL
nums[nums[2]] = 2
grid[1][2] = 2
grid[3][1] IS NULL
grid[3] = 1
tags[2] = code
short[1] LIKE 'v%'
named[1] = 't1'
prices[1] > x
days[1]::timestamp < came
(COALESCE(tags, named))[1] = 't0'
('{5,6,NULL,7}'::int[])[n] = 6
('[0:1]={a,b}'::text[])[n] = 'b'
array_upper(grid, 2) = 2
array_lower(grid, 1) = 3
stay @> date '2024-01-04'
stay @> born
born <@ stay
stay && '[2024-01-02,2024-01-05)'
stay <@ '[2024-01-02,2024-01-09)'
stay @> '[2024-01-02,2024-01-03)'
stay = '[2024-01-02,2024-01-04)'
stay << '[2024-01-05,2024-01-07)'
stay &> '[2024-01-05,2024-01-07)'
span @> came
span && tsrange('2024-01-05', '2024-01-07')
upper(span) IS NULL
upper_inf(span)
lower_inc(span) AND NOT upper_inc(span)
isempty(stay)
lower(stay) > '2024-01-03'
upper(stay) - lower(stay) >= 2
lower(score) * 2 > 3
score @> x
score @> 3::numeric
x <@ score
score &< '(5,6)'
hours @> n
hours && int4range(1, 3)
hours @> '{[1,2),[10,11)}'::int4multirange
hours <@ '{[0,9),[10,20)}'::int4multirange
upper(hours) = 12
n <@ '{[1,2),[4,7)}'::int4multirange
tsrange(came, gone) @> timestamp '2024-01-05'
came <@ tsrange(came, gone)
timestamp '2024-01-04' <@ tsrange(came, gone, '[]')
timestamp '2024-01-04' <@ tsrange(came, gone, '()')
tsrange(came, gone) && tsrange('2024-01-03', '2024-01-06', '[]')
tsrange(came, gone) && 'empty'
tsrange(came, gone) && '(,)'
tsrange('2024-01-03', '2024-01-06') && tsrange(came, gone, '(]')
tsrange(came, gone, '(]') && tsrange(came + interval '1 day', gone + interval '1 day')
tsrange(came, gone, '[]') && tsrange(gone, NULL, '[]')
daterange(born, died) @> date '2024-01-03'
daterange(born, died) && daterange('2024-01-02', '2024-01-03')
daterange(born, died, '[]') && daterange('2024-01-02', '2024-01-03')
daterange(born, died, '[]') && daterange(NULL, '2024-01-03')
daterange(born, died, '(]') @> date '2024-01-04'
daterange(born, died, '()') @> born
int4range(n, 4) @> n
numrange(x, NULL) @> 3::numeric
numrange(NULL, x) && numrange(x, NULL, '()')
int8range(id, id + 5) @> 20::bigint
doc @> '{"k": 1}'
doc <@ '{"k": 1, "a": [1, "b", 0]}'
'{"k": 1}' <@ doc
'{"k": 1, "a": [1, "b", 0]}' @> doc
doc ? 'k'
doc ?| '{a,z}'
doc ?& '{a,k}'
doc -> 'a' ?| '{b}'
doc -> 'a' @> '2'
\.
INSERT INTO asked (statement) SELECT format('SELECT count(*) FROM people WHERE %s', condition) FROM conditions ORDER BY n;
INSERT INTO asked (statement) SELECT format('SELECT count(*) FILTER (WHERE %s), count(CASE WHEN (%1$s) IS NULL THEN 1 END) FROM people', condition) FROM conditions ORDER BY n;
INSERT INTO asked (statement) SELECT format('SELECT count(*) FROM visits v LEFT JOIN people p ON p.id = v.person AND p.n > 2 WHERE (%s) IS NOT TRUE', condition) FROM conditions
	WHERE condition !~ '\mcode\M' ORDER BY n;
\x
SELECT * FROM compare();
\x

-- as keys and values; below subqueries, set operations and joins
INSERT INTO asked (statement) VALUES
	('SELECT cardinality(nums), count(*) FROM people GROUP BY 1'),
	('SELECT array_length(grid, 1), upper(hours), count(*) FROM people GROUP BY 1, 2'),
	('SELECT CASE WHEN tags @> ''{t1}'' THEN ''a'' WHEN tags && ''{t2}'' THEN ''b'' END, count(*) FROM people GROUP BY 1'),
	('SELECT lower(stay), count(*) FROM people GROUP BY 1'),
	('SELECT nums[1], short[1], count(*) FROM people GROUP BY 1, 2'),
	('SELECT sum(least(greatest(nums[2], 0), 4)), round(avg(least(greatest(nums[4], 0), 3)), 3), count(DISTINCT tags[1]), count(prices[1]) FROM people WHERE nums[2] BETWEEN 0 AND 4'),
	('SELECT count(*) FROM people p JOIN groups g ON g.code = p.tags[1]'),
	('SELECT count(*) FROM people p JOIN groups g ON g.codes[1] = p.code'),
	('SELECT count(*) FROM people p JOIN groups g USING (code) WHERE g.codes[n] = p.tags[1]'),
	('SELECT upper(hours) - lower(hours), count(*) FROM people WHERE n = ANY (nums) GROUP BY 1'),
	('SELECT count(*) FROM people p JOIN groups g ON g.code = ANY (p.tags)'),
	('SELECT count(*) FROM people p JOIN groups g ON p.code = ANY (g.codes)'),
	('SELECT count(*) FROM people p JOIN groups g USING (code) WHERE p.came <@ g.span'),
	('SELECT count(*) FROM people p JOIN groups g ON p.span && g.span'),
	('SELECT count(*) FROM people p JOIN (SELECT code, span FROM groups WHERE w > 0 ORDER BY w LIMIT 3) g ON p.code = g.code AND p.came <@ g.span'),
	('WITH c AS (SELECT ARRAY[''t1'', ''t2''] AS list) SELECT count(*) FROM people, c WHERE code = ANY (c.list)'),
	('WITH c AS (SELECT ARRAY[''t1'', ''t2''] AS list) SELECT count(*) FROM people, c WHERE tags @> c.list'),
	('WITH c AS (SELECT array_agg(code) AS list FROM groups WHERE w < 3) SELECT count(*) FROM people, c WHERE code = ANY (c.list)'),
	('SELECT count(*) FROM people p JOIN visits v ON v.person = p.id AND v.code = ANY (p.tags)'),
	('SELECT count(*) FROM people p LEFT JOIN visits v ON v.person = p.id AND v.k = ANY (p.nums) WHERE v.no IS NULL'),
	('SELECT count(*) FROM (SELECT id, tags FROM people WHERE n > 1) p WHERE ''t1'' = ANY (tags)'),
	('SELECT count(*) FROM (SELECT person, bool_or(p.tags @> ''{t1}'') AS any FROM visits v JOIN people p ON p.id = v.person GROUP BY person) s WHERE any'),
	('SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM people q WHERE q.id = p.id AND q.tags @> ''{t2}'')'),
	('SELECT count(*) FROM (SELECT id FROM people WHERE tags @> ''{t1}'' INTERSECT SELECT id FROM people WHERE 2 = ANY (nums)) s');
\x
SELECT * FROM compare();
\x

-- bounds in the wrong order are an error to the owner; here they are NULL
UPDATE people SET came = '2024-02-01', gone = '2024-01-01', born = '2024-02-01', died = '2024-01-01', n = 9 WHERE id <= 7;
SELECT count(*) FROM people WHERE tsrange(came, gone) @> timestamp '2024-01-15';
SET ROLE containers_analyst;
SET dp_agg.epsilon = 1e6;
SELECT round(dp_count(*) FILTER (WHERE (came <@ tsrange(came, gone)) IS NULL)) AS elements, round(dp_count(*) FILTER (WHERE (tsrange(came, gone) && '(,)') IS NULL)) AS ranges,
	round(dp_count(*) FILTER (WHERE (daterange(born, died, '[]') && daterange('2024-01-02', NULL)) IS NULL)) AS days, round(dp_count(*) FILTER (WHERE (int4range(n, 8) @> 8) IS NULL)) AS numbers FROM people;
RESET ROLE;

-- what is long is NULL, and so is what is much of nothing
UPDATE people SET nums = array_fill(1, ARRAY[300000]) WHERE id = 8;
UPDATE people SET nums = array_fill(NULL::int, ARRAY[600000]) WHERE id = 9;
UPDATE people SET nums = array_fill(NULL::int, ARRAY[2000]) || 1 WHERE id = 10;
UPDATE people SET nums = array_fill(1, ARRAY[10, 10, 10]) WHERE id = 11;
UPDATE people SET doc = jsonb_build_object('k', repeat('x', 600000)) WHERE id = 12;
SET ROLE containers_analyst;
SELECT round(dp_count(*) FILTER (WHERE cardinality(nums) IS NULL)) AS cardinality, round(dp_count(*) FILTER (WHERE (1 = ANY (nums)) IS NULL AND array_length(nums, 1) > 3)) AS any,
	round(dp_count(*) FILTER (WHERE (nums @> '{1}') IS NULL)) AS contains, round(dp_count(*) FILTER (WHERE nums IS NULL)) AS null, round(dp_count(*) FILTER (WHERE (doc ?| '{k}') IS NULL)) AS doc
	FROM people WHERE id BETWEEN 8 AND 12;
SELECT round(dp_count(*) FILTER (WHERE nums[1] IS NULL)) AS first, round(dp_count(*) FILTER (WHERE nums[2001] = 1)) AS last, round(dp_count(*) FILTER (WHERE nums[2][3][4] = 1)) AS cube FROM people WHERE id BETWEEN 8 AND 12;
-- the more is compared, the shorter: work is limited, whatever it is called
SELECT dp_count(*) FROM people WHERE nums && grid AND grid && nums AND nums <@ grid AND nums @> grid AND 'x' = ANY (tags) AND tags && named AND named <@ tags AND tags @> named AND nums && '{1,2}' AND nums = grid
	AND prices && ARRAY[1, 2, 3]::numeric[] AND x = ANY (prices) AND code < ALL (tags) AND nums && grid AND grid && nums AND nums <@ grid AND nums @> grid AND 'x' = ANY (tags) AND tags && named AND score @> x;
SELECT dp_count(*) FROM people WHERE nums && (SELECT array_agg(i) FROM generate_series(1, 60000) i);
PREPARE long AS SELECT dp_count(*) FROM people WHERE nums && $1;
DO $$
BEGIN
	EXECUTE format('EXECUTE long (%L)', array_fill(1, ARRAY[100000]));
EXCEPTION WHEN OTHERS THEN
	RAISE WARNING '%', SQLERRM;
END $$;
RESET ROLE;

-- kept answers: the same question, and others
SET ROLE containers_analyst;
SET dp_agg.kept_max_age = '1 day';
CREATE FUNCTION pg_temp.was_kept(condition text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	kept boolean;
BEGIN
	EXECUTE 'SELECT dp_count(*) FROM people WHERE ' || condition;
	SELECT r.kept IS NOT NULL INTO kept FROM dp_agg.last_release() r;
	RETURN kept;
END $$;
SELECT condition, pg_temp.was_kept(condition) AS first, pg_temp.was_kept(condition) AS again FROM (VALUES ('1 = ANY (nums)'), ('1 = ALL (nums)'), ('1 = ANY (grid)'), ('2 = ANY (nums)'), ('1 < ANY (nums)'),
	('n = ANY (nums)'), ('1 = ANY (COALESCE(nums, grid))'), ('1 = ANY (COALESCE(grid, nums))'), ('''t1'' = ANY (short)'), ('''t1'' = ANY (tags)'), ('nums @> ''{1}'''), ('nums <@ ''{1}'''), ('nums && ''{1}'''),
	('nums && ''{2}'''), ('nums @> grid'), ('grid @> nums'), ('came <@ tsrange(came, gone)'), ('came <@ tsrange(came, gone, ''[]'')'), ('came <@ tsrange(gone, came)'), ('stay @> born'), ('stay @> died'),
	('nums[1] = 1'), ('nums[2] = 1'), ('nums[1][1] = 1'), ('grid[1] = 1'), ('grid[1][1] = 1'), ('cardinality(nums) = 1'), ('cardinality(grid) = 1'), ('array_length(nums, 1) = 1'), ('array_length(nums, 2) = 1'), ('lower(stay) = born'), ('upper(stay) = born')) c (condition);
SET dp_agg.kept_max_age = 0;
RESET ROLE;

-- refused
SET ROLE containers_analyst;
CREATE FUNCTION pg_temp.refusal(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE 'SELECT dp_count(*) FROM containers.people WHERE ' || condition;
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ' ' || SQLERRM || CASE WHEN SQLSTATE = '42883' THEN '' ELSE E'\n\t' || hint END;
END $$;
\t
\a
SELECT c || E'\n\t' || pg_temp.refusal(c) FROM unnest(ARRAY['''sad'' = ANY (moods)', 'moods @> ''{sad}''', '1 = ANY (positives)', 'positives @> ARRAY[1::containers.positive]', 'pairs IS NULL', '(1, 2)::containers.pair = ANY (pairs)',
	'''1'' = ANY (docs)', 'docs @> ARRAY[doc]', 'cardinality(docs) = 1', 'letter @> ''a''::text', 'letter IS NULL', 'lower(letter) = ''a''', 'docs[1] = doc', 'moods[1] = ''sad''', 'cased[1] IS NULL', 'pairs[1] IS NULL', 'doc[code] IS NULL', 'nums[1:2][2] = 1', 'nums[1:2] = ''{1}''', 'array_position(nums, 1) = 1',
	'nums || 1 = ''{1}''', 'array_to_string(tags, '','') = ''x''', 'EXISTS (SELECT FROM unnest(nums) u WHERE u = 1)', 'nums < ''{1}''', 'stay -|- ''[2024-01-01,2024-01-02)''', 'isempty(stay * ''[2024-01-01,2024-01-02)'')',
	'stay && daterange(born, died)', 'daterange(born, died, ''()'') && ''[2024-01-01,2024-01-09)''', 'daterange(born, died, code) @> born', 'daterange(born, died, ''[['') @> born', 'tsrange(came, gone) @> tsrange(came, gone)',
	'isempty(tsrange(came, gone))', 'CASE WHEN n > 1 THEN nums ELSE grid END @> ''{1}''', 'COALESCE(tags, ARRAY[code]) @> ''{t1}''', 'n = ANY (ARRAY[n, 1])', '1.5 = ANY (nums)', '''t1'' LIKE ANY (tags)', 'doc ? ANY (tags)',
	'doc @> doc', 'tags COLLATE containers.folded @> ''{t1}''', '''t1'' = ANY (tags COLLATE containers.folded)', 'cased @> ''{t1}''', '''t1'' = ANY (cased)', 'GREATEST(nums, grid) = ''{1}''', 'nums IN (SELECT ''{1}''::int[])', 'came <@ tstzrange(came, gone)']) c;
SELECT pg_temp.refusal('tags @> ''{a}'' GROUP BY tags');
SELECT pg_temp.refusal('true HAVING dp_count(nums) > 0');
\a
\t
SELECT dp_count(*) FROM people p JOIN groups g ON p.tags && g.codes;
SELECT dp_count(*) FROM people p JOIN (SELECT code, codes, w FROM groups ORDER BY w LIMIT 3) g ON p.code = ANY (g.codes);
SELECT dp_count(*) FROM (SELECT id, tags, row_number() OVER (PARTITION BY id ORDER BY n) AS r FROM people) p WHERE 't1' = ANY (tags);
SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.id AND v.code = ANY (p.tags));
SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM people q WHERE q.id = p.id AND q.tags = p.tags);
SELECT dp_count(*) FROM people p WHERE EXISTS (SELECT FROM people q WHERE q.id = p.id AND q.span && p.span);
RESET ROLE;

RESET dp_agg.plain_aggregates;
DROP SCHEMA containers CASCADE;
DROP OWNED BY containers_analyst;
DROP EXTENSION dp_agg;
DROP ROLE containers_analyst;
