--
-- work: what a row may cost, whatever it holds
--
-- One row for each power of two, of a text of so many bytes with its header: how many
-- a function answers for tells up to which length it does.  At epsilon 2^20 a count is
-- off by one with a probability below e^-500000.
CREATE EXTENSION dp_agg;
CREATE SCHEMA work;
SET search_path = work, public;
SET dp_agg.epsilon = 1048576;
CREATE TABLE texts (id int PRIMARY KEY, t text COLLATE "C", other text COLLATE "C", apart text COLLATE "C", short varchar(100) COLLATE "C",
	price numeric(12, 2), n numeric, doc jsonb, at timestamptz);
ALTER TABLE texts ALTER apart SET STORAGE EXTERNAL;
INSERT INTO texts SELECT i, repeat('a', (1 << i) - 4), repeat('a', (1 << i) - 4), repeat('a', (1 << i) - 4), 'short', i, i, jsonb_build_object('k', i), '2024-01-01'
	FROM generate_series(6, 20) i;
CREATE TABLE places AS SELECT generate_series(1, 30) AS k;
ALTER TABLE places ADD PRIMARY KEY (k);
SELECT dp_agg.protect('texts', 'id'), dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);

-- The longest text that an expression answers for, beside others in the statement.
CREATE FUNCTION longest(expression text, beside text DEFAULT 'TRUE') RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
	EXECUTE format('SELECT dp_count(%s), dp_count(%s) FROM texts', expression, beside) INTO n;
	RETURN 2 ^ (n + 5);
EXCEPTION WHEN feature_not_supported THEN
	RETURN NULL;
END $$;

-- The statements that analysts write are answered for every text there may be, or long ones.
SELECT left(expression, 60) AS expression, longest(expression) FROM unnest(ARRAY[
	$$octet_length(t)$$,
	$$t = 'a'$$,
	$$t <> other$$,
	$$t < 'b'$$,
	$$t IN ('a', 'b', 'c')$$,
	$$t LIKE '%x%'$$,
	$$t LIKE '%some words%'$$,
	$$t LIKE '%some%' OR t LIKE '%more%' OR t LIKE '%words%'$$,
	$$t ILIKE '%some%'$$,
	$$lower(t)$$,
	$$lower(trim(t)) = 'a'$$,
	$$substr(t, 1, 3)$$,
	$$left(t, 3)$$,
	$$split_part(t, '@', 2)$$,
	$$position('@' IN t)$$,
	$$length(t)$$,
	$$lower(t COLLATE "en-x-icu")$$,
	$$t COLLATE "en-x-icu" < 'b'$$,
	$$initcap(t COLLATE "en-x-icu")$$,
	(SELECT string_agg($$t LIKE '%words%'$$, ' OR ') FROM generate_series(1, 3)),
	(SELECT string_agg($$t LIKE '%words%'$$, ' OR ') FROM generate_series(1, 10))
]) expression;

-- What makes more of a text than there was is limited by what comes of it.
SELECT left(expression, 60) AS expression, longest(expression) FROM unnest(ARRAY[
	$$t || other$$,
	$$lower(t || other)$$,
	$$lower(t || other || apart || t || other || apart || t || other || apart)$$,
	$$concat(t, ', ', other)$$,
	$$concat_ws(', ', t, other)$$,
	$$md5(t)$$,
	$$replace(t, 'a', 'b')$$,
	$$replace(t, 'some words', 'one')$$,
	format($$replace(t, 'a', '%s')$$, repeat('b', 500)),
	format($$lower(replace(t, 'a', '%s'))$$, repeat('b', 500)),
	$$lower(replace(replace(t, 'a', 'aaaa'), 'a', 'aaaa'))$$,
	$$translate(t, 'ab', 'xy')$$,
	format($$translate(t, '%s', 'a')$$, repeat('b', 100)),
	$$lpad(t, 20)$$,
	$$lpad(t, 20000, 'x')$$,
	$$rpad(t, 1000000)$$,
	$$t ~ 'x'$$,
	$$t ~* '^[a-z]+[0-9]{3,5}$'$$,
	$$t ~ 'a[^b][^c][^d][^e][^f][^g]{20}'$$,
	format($$t ~ '%s'$$, repeat('a', 250))
]) expression;

-- Long patterns and sets and many calls are answered for short texts, or refused.
SELECT left(expression, 30) AS expression, longest(expression) FROM unnest(ARRAY[
	format($$t LIKE '%%%s%%'$$, repeat('a', 100)),
	format($$t LIKE '%%%s%%'$$, repeat('a', 990)),
	format($$t LIKE '%%%s%%'$$, repeat('a%', 60)),
	format($$btrim(t, '%s')$$, repeat('b', 100)),
	format($$position('%s' IN t)$$, repeat('a', 900)),
	format($$split_part(t, '%s', 1)$$, repeat('a', 900))
]) expression;
-- So are patterns that are no constants, whatever they hold: those of 252 bytes at most.
SELECT expression, longest(expression) FROM unnest(ARRAY[
	$$t LIKE short$$,
	$$t NOT LIKE left(apart, 10) || '%'$$,
	$$left(other, 50) LIKE t$$,
	$$t ILIKE '%' || short || '%'$$,
	$$position(short IN t)$$,
	$$position(t IN short)$$
]) expression;
SELECT calls, longest(any_of) FROM unnest('{1,2,4,8,16,32,64,128,256}'::int[]) calls,
	LATERAL (SELECT string_agg(format($$t LIKE '%%some words %s%%'$$, 100 + i), ' OR ') FROM generate_series(1, calls) i) s (any_of);
SELECT patterns, longest(format('t LIKE ANY (array_fill(''%%abcde%%''::text, ''{%s}''))', patterns)) FROM unnest('{1,10,100,1000}'::int[]) patterns;
SELECT longest(format($$btrim(t, '%s')$$, repeat('b', 900)));
SELECT dp_count(t LIKE ANY (array_fill('%abcde%'::text, '{1000}'))) FROM texts;

-- All of a statement's expressions share what a row may cost, wherever they stand.
CREATE FUNCTION lowered(rest text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
	EXECUTE format('SELECT sum(n) FROM (SELECT dp_count(lower(t)) AS n FROM %s) s', replace(rest, '#', repeat('a', 300))) INTO n;
	RETURN 2 ^ (n + 5);
END $$;
SELECT rest, lowered(rest) FROM unnest(ARRAY[
	$$texts$$,
	$$texts WHERE t LIKE '%#%' IS NOT NULL OR id > 0$$,
	$$(SELECT *, t LIKE '%#%' AS found FROM texts) x WHERE found IS NOT NULL OR id > 0$$,
	$$(SELECT id, max(t) AS t, count(CASE WHEN t LIKE '%#%' THEN 1 END) AS found FROM texts GROUP BY id) x WHERE found = 0 OR id > 0$$,
	$$texts x JOIN places p ON p.k = x.id AND (p.k > 0 OR x.t LIKE '%#%')$$,
	$$texts GROUP BY id < 0 AND t LIKE '%#%'$$
]) rest;

-- Whichever way a value comes: a constant chosen for one row, or the longest.
CREATE FUNCTION counted(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint; BEGIN EXECUTE query INTO n; RETURN n; END $$;
SELECT way, counted(format('SELECT dp_count(%s LIKE ''%%%s%%'') FROM texts', value, repeat('a', 90))) FROM (VALUES
	('a short constant', $$CASE WHEN id = 7 THEN 'a' END$$),
	('a long constant', $$CASE WHEN id = 7 THEN repeat('a', 500000) END$$),
	('coalesced', $$coalesce(NULLIF(t, t), CASE WHEN id = 7 THEN repeat('a', 500000) END)$$),
	('greatest', $$greatest(CASE WHEN id = 7 THEN repeat('a', 500000) END)$$),
	('not equal', $$NULLIF(CASE WHEN id = 7 THEN repeat('a', 500000) END, 'b')$$),
	('case of a value', $$CASE id WHEN 7 THEN repeat('a', 500000) END$$),
	('folded', $$lower(CASE WHEN id = 7 THEN repeat('a', 500000) END)$$),
	('collated', $$CASE WHEN id = 7 THEN repeat('a', 500000) END COLLATE "C"$$),
	('of the row', $$CASE WHEN id = 20 THEN t END$$),
	('out of line', $$CASE WHEN id = 20 THEN apart END$$)) v (way, value);
CREATE TABLE novels (k int PRIMARY KEY, chapter text COLLATE "C", title varchar(80) COLLATE "C");
INSERT INTO novels SELECT i, repeat('a', 500000), 'a' FROM generate_series(6, 20) i;
SELECT dp_count(n.chapter LIKE '%abc%') AS chapters, dp_count(n.title LIKE '%abc%') AS titles, dp_count(n.chapter) AS there,
	dp_count(n.chapter < m.chapter) AS compared, dp_count(n.chapter = m.chapter) AS equal, dp_count(n.chapter = 'a') AS constant
	FROM texts x JOIN novels n ON n.k = x.id JOIN novels m ON m.k = x.id;
SELECT dp_count(s.least) AS least, dp_count(s.chapters) AS chapters FROM (SELECT x.id, min(n.chapter) AS least, count(DISTINCT n.chapter) AS chapters FROM texts x JOIN novels n ON n.k = x.id GROUP BY x.id) s WHERE s.chapters > 0 OR s.least IS NOT NULL;

-- Columns of a declared length are never limited, nor are numbers, times and documents of ordinary size.
SELECT counted(format('SELECT dp_count((%s)) FROM texts', expression)) AS rows, left(expression, 60) AS expression FROM unnest(ARRAY[
	(SELECT string_agg(format($$short LIKE '%%some words %s%%'$$, i), ' OR ') FROM generate_series(1, 30) i),
	(SELECT string_agg(format($$price * %s > n + 1$$, i), ' OR ') FROM generate_series(1, 100) i),
	(SELECT string_agg(format($$n / %s > price / 7.5$$, i), ' OR ') FROM generate_series(1, 100) i),
	(SELECT string_agg(format($$price / (price + %s) > 0.5$$, i), ' OR ') FROM generate_series(1, 10) i),
	(SELECT string_agg(format($$doc ->> 'k' = '%s'$$, i), ' OR ') FROM generate_series(1, 60) i),
	(SELECT string_agg(format($$extract(month FROM at) = %s$$, i), ' OR ') FROM generate_series(1, 200) i),
	(SELECT string_agg(format($$to_char(at, 'YYYY-MM') = '%s'$$, i), ' OR ') FROM generate_series(1, 100) i),
	(SELECT string_agg(format($$short = '%s'$$, i), ' OR ') FROM generate_series(1, 2000) i),
	(SELECT format($$id IN (%s)$$, string_agg(i::text, ',')) FROM generate_series(1, 10000) i),
	(SELECT format($$short IN (%s)$$, string_agg(quote_literal(i), ',')) FROM generate_series(1, 5000) i)
]) expression;

-- What costs much however short values are is refused when there is too much of it.
SELECT counted(format('SELECT dp_count((%s)) FROM texts', expression)) AS rows, left(expression, 60) AS expression FROM unnest(ARRAY[
	(SELECT string_agg(format($$ln(n) = %s$$, i), ' OR ') FROM generate_series(1, 8) i)
]) expression;
CREATE FUNCTION refused(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN EXECUTE query; RETURN 'answered'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END $$;
SELECT refused(format('SELECT dp_count((%s)) FROM texts', expression)), left(expression, 60) AS expression FROM unnest(ARRAY[
	(SELECT string_agg(format($$ln(n) = %s$$, i), ' OR ') FROM generate_series(1, 20) i),
	(SELECT string_agg(format($$log(2, n) = %s$$, i), ' OR ') FROM generate_series(1, 20) i),
	(SELECT string_agg(format($$n %% (n + %s) = 1$$, i), ' OR ') FROM generate_series(1, 40) i),
	(SELECT string_agg(format($$1e500 %% NULLIF(n, %s) = 1$$, i), ' OR ') FROM generate_series(1, 40) i),
	(SELECT string_agg(format($$doc ->> 'k' = '%s'$$, i), ' OR ') FROM generate_series(1, 200) i),
	(SELECT string_agg(format($$to_char(at, repeat('J', 1000)) = '%s'$$, i), ' OR ') FROM generate_series(1, 100) i),
	(SELECT string_agg(format($$id / %s = 1$$, i), ' OR ') FROM generate_series(1, 1000) i),
	(SELECT format($$id IN (%s)$$, string_agg(i::text, ',')) FROM generate_series(1, 100000) i),
	(SELECT format($$id < ANY ('{%s}')$$, string_agg(i::text, ',')) FROM generate_series(1, 100000) i),
	-- numbers that have one place in a hash table: of two thousand ten take no longer
	(SELECT format($$id IN (%s)$$, string_agg(i::text, ',')) FROM (SELECT i FROM generate_series(1, 1500000) i WHERE hashint4(i) & 2047 < 8 LIMIT 2000) x)
]) expression;
SELECT refused(format('SELECT dp_agg.place(id, ''{%s}''), dp_count(*) FROM texts GROUP BY 1', string_agg(i::text, ',')))
	FROM (SELECT i FROM generate_series(1, 1500000) i WHERE hashint4(i) & 8191 < 8 LIMIT 1000) x;
SELECT refused(format('SELECT dp_agg.place(id, ''{%s}''), dp_count(*) FROM texts GROUP BY 1', string_agg(i::text, ',')))
	FROM generate_series(1, 1000) i;

-- Private keys are kept whole, columns as they stand and what is made of them within limits.
SET dp_agg.computed_keys = off;
SELECT refused($$SELECT t, dp_count(*) FROM texts GROUP BY 1$$) AS column, refused($$SELECT coalesce(t, 'x'), dp_count(*) FROM texts GROUP BY 1$$) AS computed,
	refused($$SELECT CASE WHEN id = 7 THEN repeat('x', 350000) END, dp_count(*) FROM texts GROUP BY 1$$) AS constant,
	refused($$SELECT CASE WHEN id = 7 THEN repeat('x', 450000) END, dp_count(*) FROM texts GROUP BY 1$$) AS longer;
RESET dp_agg.computed_keys;

-- Chains of calls fail once, whichever of them does.
SELECT counted(format('SELECT dp_count(id%s) FROM texts', repeat(' + 1', 1500)));

-- Numbers of many digits in few bytes, and texts of documents that have them.
CREATE TABLE numbers (id int PRIMARY KEY, n numeric, doc jsonb);
INSERT INTO numbers VALUES (1, 7, '{"k": 7}'), (2, 1e500, '{"k": 1e500}'), (3, 1e600, '{"k": 1e600}'), (4, 1e-600, '{"k": [1e600]}'),
	(5, 'Infinity', '{"k": [1e500, "a"]}'), (6, repeat('7', 400)::numeric, '{"k": null}'), (7, 1e130, '{"k": "\u0001"}'), (8, 1e-130, jsonb_build_object('k', array_fill(1, '{1000}')));
SELECT dp_agg.protect('numbers', 'id');
SELECT dp_count(n) AS n, dp_count(n + 1) AS plus, dp_count(n % 7) AS modulo, dp_count(n / 7) AS quotient, dp_count(n::text) AS text,
	dp_count(sqrt(n)) AS sqrt, dp_count(ln(n)) AS ln, dp_count(log(2, n)) AS log, dp_count(n > 5) AS compared,
	dp_count(doc ->> 'k') AS texts, dp_count(doc -> 'k') AS values, dp_count((doc -> 'k')::numeric) AS numbers FROM numbers;
-- the texts of documents are the same as ever
CREATE TABLE documents AS SELECT row_number() OVER () AS id, doc FROM unnest(ARRAY['{"k": "text"}', '{"k": 1.50}', '{"k": true}', '{"k": false}', '{"k": null}', '{"k": {"a": [1, "b\u0007\"", {}]}}',
	'{}', '[]', '[5]', '["a", [1, {"b": null}], -2.5e10]', '7', '"k"', 'null']::jsonb[]) doc;
ALTER TABLE documents ADD PRIMARY KEY (id);
SELECT dp_agg.protect('documents', 'id');
SELECT count(*) AS texts, sum(counted(format('SELECT dp_count(*) FROM documents WHERE id = %s AND %s IS NOT DISTINCT FROM %L', d.id, v.f, v.plain))) AS alike
	FROM documents d, LATERAL (VALUES ('doc ->> ''k''', d.doc ->> 'k'), ('doc ->> 0', d.doc ->> 0), ('doc ->> -1', d.doc ->> -1), ('doc ->> -4', d.doc ->> -4), ('doc ->> 9', d.doc ->> 9)) v (f, plain);

-- expressions within expressions: planning takes them apart once each, not by the power of how deep they are
CREATE FUNCTION nested(expression text, depth int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	whole text := 't';
	line text;
BEGIN
	FOR i IN 1 .. depth LOOP
		whole := replace(expression, '%', whole);
	END LOOP;
	FOR line IN EXECUTE format('EXPLAIN SELECT dp_count(*) FROM texts WHERE %s = ''x''', whole) LOOP
		EXIT;
	END LOOP;
	RETURN 'planned';
EXCEPTION WHEN feature_not_supported THEN
	RETURN sqlerrm;
END $$;
SELECT e AS expression, nested(e, 50) FROM unnest(ARRAY['upper(%)', 'coalesce(t, %)', 'greatest(%, t)', 'nullif(%, other)', 'CASE WHEN id > 3 THEN t ELSE % END', 'CASE WHEN id > 3 THEN % END', 'CASE % WHEN t THEN t END',
	'(% COLLATE "C")', 'replace(%, ''a'', ''bb'')', '% || t', 'lpad(%, 100)', 'translate(%, ''a'', ''é'')', 'md5(%)', 'left(%, 100)']) e;

-- the wrapper itself
SELECT dp_agg_internal.at_most('abc'::text, 7), dp_agg_internal.at_most('abc'::text, 6) IS NULL AS longer, dp_agg_internal.at_most('abc'::text, -1) IS NULL AS negative,
	(SELECT count(dp_agg_internal.at_most(t, 1048576)) FROM texts) AS stored, (SELECT count(dp_agg_internal.at_most(apart, 1048575)) FROM texts) AS apart;
SELECT dp_agg_internal.at_most(7, 7);

-- Arrays: each element may be compared with each of another.
CREATE TABLE lists (id int PRIMARY KEY, a int[], b int[], t text[] COLLATE "C", n numeric[], v numeric, nothing int[], r numrange, m int4multirange, doc jsonb);
INSERT INTO lists SELECT i, array_fill(1, ARRAY[((1 << i) - 24) / 4]), array_fill(2, ARRAY[((1 << i) - 24) / 4]), array_fill('a'::text, ARRAY[((1 << i) - 24) / 8]),
	array_fill(1::numeric, ARRAY[((1 << i) - 24) / 12]), 7, array_fill(NULL::int, ARRAY[1 << i]), numrange(1, 2),
	(SELECT range_agg(int4range(k * 3, k * 3 + 1)) FROM generate_series(1, (1 << i) / 13) k), jsonb_build_object('k', repeat('x', (1 << i) - 20)) FROM generate_series(6, 20) i;
SELECT dp_agg.protect('lists', 'id');
CREATE FUNCTION longest_list(expression text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
	EXECUTE format('SELECT dp_count(%s) FROM lists', expression) INTO n;
	RETURN 2 ^ (n + 5);
EXCEPTION WHEN feature_not_supported THEN
	RETURN NULL;
END $$;
SELECT left(expression, 60) AS expression, longest_list(expression) FROM unnest(ARRAY[
	$$cardinality(a)$$,
	$$array_length(nothing, 1)$$,
	$$a[1]$$,
	$$t[1]$$,
	(SELECT string_agg(format($$a[%s] = 1$$, i), ' OR ') FROM generate_series(1, 40) i),
	$$3 = ANY (a)$$,
	$$a = '{1}'$$,
	$$'x' = ANY (t)$$,
	$$'x' < ALL (t)$$,
	$$v = ANY (n)$$,
	$$a @> '{3}'$$,
	$$a && '{3,4,5,6,7,8,9,10,11,12}'$$,
	$$t && '{c,d,e,f,g,h,i,j,k,l}'$$,
	$$nothing @> '{3}'$$,
	$$a && b$$,
	$$a && b AND b && a AND a @> b$$,
	(SELECT string_agg($$a && b$$, ' OR ') FROM generate_series(1, 40)),
	format($$a && %L$$, array_fill(3, ARRAY[1000])),
	format($$a && %L$$, array_fill(3, ARRAY[50000])),
	$$m @> 5$$,
	$$m && m$$,
	$$upper(r) > v$$,
	$$doc <@ '{"k": 1}'$$,
	$$doc ?| '{a,b}'$$
]) expression;


DROP SCHEMA work CASCADE;
SELECT dp_agg.drop_budget(current_user::regrole, 'default');
DROP EXTENSION dp_agg;
