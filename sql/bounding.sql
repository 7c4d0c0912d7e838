--
-- measure_bounding: what max_rows and max_groups cut, measured through the gate
--
CREATE EXTENSION dp_agg;
CREATE ROLE bounding_analyst;
CREATE ROLE bounding_stranger;
CREATE ROLE bounding_poor;
CREATE SCHEMA bounding AUTHORIZATION bounding_analyst;
GRANT USAGE ON SCHEMA bounding TO bounding_stranger, bounding_poor;
SET search_path = bounding, public;
-- of 1,200 persons, the p-th has 1 + p % 12 rows, each at one of seven clinics, one of them NULL; and nobody has 5,000
CREATE TABLE visits (person int, cost int, clinic text);
INSERT INTO visits SELECT p, v, nullf FROM generate_series(1, 1200) p, generate_series(1, 1 + p % 12) v, LATERAL (SELECT CASE (v + p) % 7 WHEN 0 THEN NULL ELSE 'c' || (v + p) % 7 END AS nullf) n;
INSERT INTO visits SELECT NULL, 1, 'c1' FROM generate_series(1, 5000);
CREATE TABLE people (id int PRIMARY KEY, age int);
INSERT INTO people SELECT i, i % 100 FROM generate_series(1, 500) i;
CREATE TABLE parcels (id int, person int NOT NULL REFERENCES people, weight int);
INSERT INTO parcels SELECT i, 1 + i % 250, i FROM generate_series(1, 1000) i;
CREATE TABLE nobody (id int, age int);
CREATE TABLE open (id int, age int);
GRANT SELECT ON open TO bounding_analyst;
CREATE TABLE "b"") s; --" ("select" int, "odd ""col" int);
INSERT INTO "b"") s; --" SELECT i / 2, i FROM generate_series(0, 999) i;
-- one of 1,000 has a million rows
CREATE TABLE giant AS SELECT p AS person FROM generate_series(1, 1000) p UNION ALL SELECT 1 FROM generate_series(1, 999999);
SELECT dp_agg.protect('visits', 'person', 'default', 3, 2), dp_agg.protect('people', 'id'), dp_agg.protect('nobody', 'id'),
	dp_agg.protect('"b"") s; --"', 'select'), dp_agg.protect('giant', 'person');
SELECT dp_agg.protect('parcels', 'person', through => 'people');
SELECT dp_agg.set_budget('bounding_analyst', 1e6, 1e-3), dp_agg.set_budget('bounding_poor', 1, 1e-6);

-- shares of noisy totals: all that noise leaves possible
SELECT * FROM dp_agg_internal.noisy_share(25, 75, 0, 0), dp_agg_internal.noisy_share(0, 0, 1, 1) n (s, l, h), dp_agg_internal.noisy_share(-5, 100, 1, 1) m (s, l, h), dp_agg_internal.noisy_share(1, 1, 1, 1) f (s, l, h);
-- both ends are where the noise would be as large as its 95 % quantile
SELECT bool_and(abs(abs((1 - s) * part - s * rest) - ln(20.0) / sqrt(2.0) * sqrt(((1 - s) * psd) ^ 2 + (s * rsd) ^ 2)) < 1e-9) AS right, bool_and(low < share AND share < high) AS around
	FROM (VALUES (250::float8, 700::float8, 8::float8, 30::float8), (400, 30, 11, 2)) t (part, rest, psd, rsd), dp_agg_internal.noisy_share(part, rest, psd, rsd), unnest(ARRAY[low, high]) s;

SET ROLE bounding_analyst;
-- At epsilon 300 a bin of units is off at all with a probability of 1e-43, a sum of
-- rows by more than 0.25 of its power of two with one of 1e-10.
SET dp_agg.epsilon = 300;
CREATE FUNCTION shown(call text) RETURNS TABLE (rows_bound int, groups_bound int, most_rows bigint, units_cut numeric, rows_cut numeric, within boolean, narrow boolean)
LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE 'SELECT rows_bound, groups_bound, most_rows, round(units_cut::numeric, 2), round(rows_cut::numeric, 2), '
		'units_cut BETWEEN units_cut_low AND units_cut_high AND rows_cut BETWEEN rows_cut_low AND rows_cut_high, '
		'units_cut_high - units_cut_low < 0.05 AND rows_cut_high - rows_cut_low < 0.05 FROM dp_agg.measure_bounding(' || call || ') b';
END $$;
RESET ROLE;
-- what is right
CREATE VIEW truth AS SELECT r, g, round(avg((n > r)::int), 4) AS units, round(1 - sum(least(n, r)) / sum(n), 4) AS rows,
		round(avg((k < n)::int), 4) AS units_of_groups, round(1 - sum(k) / sum(n), 4) AS rows_of_groups
	FROM (VALUES (3, 2), (1, 1), (6, 3), (2, 7), (12, 7)) b (r, g), LATERAL (SELECT sum(n) AS n, sum(least(n, r)) * least(1, g::numeric / count(*)) AS k
		FROM (SELECT person, count(*) AS n FROM visits WHERE person IS NOT NULL GROUP BY person, clinic) c GROUP BY person) u GROUP BY 1, 2;
SELECT * FROM truth ORDER BY 1, 2;
SET ROLE bounding_analyst;
SELECT b, (shown(format('''visits'', max_rows => %s', r))).* FROM (VALUES (3, 2), (1, 1), (6, 3), (2, 7), (12, 7)) b (r, g) ORDER BY r, g;
SELECT b, (shown(format('''visits'', max_rows => %s, max_groups => %s, col => ''clinic''', r, g))).* FROM (VALUES (3, 2), (1, 1), (6, 3), (2, 7), (12, 7)) b (r, g) ORDER BY r, g;
-- as declared, and as set; without keys there is one group, unless all groups together are asked for
SELECT * FROM shown('''visits''');
SELECT * FROM shown('''visits'', col => ''clinic''');
SELECT * FROM shown('''visits'', max_groups => 4');
SET dp_agg.max_rows = 6;
SET dp_agg.max_groups = 3;
SELECT * FROM shown('''visits''');
SELECT * FROM shown('''visits'', col => ''clinic''');
RESET dp_agg.max_rows;
RESET dp_agg.max_groups;
-- a row per unit, nobody, filters, links, names
SELECT * FROM shown('''people''');
SELECT * FROM shown('''nobody''');
-- of nobody the 95 % interval says that rows are cut in less than 16 of 40 measurements, with a probability above 1 - 1e-10
SELECT count(*) FILTER (WHERE rows_cut_low > 0) < 16 AS few, count(*) FROM generate_series(1, 40) i, dp_agg.measure_bounding('nobody', 0.5 + i / 1e9);
SELECT * FROM shown('''visits'', filter => $f$ cost < 3 -- $f$, max_rows => 2');
SELECT * FROM shown('''visits'', filter => ''false''');
SELECT * FROM shown('''parcels'', max_rows => 2');
SELECT * FROM shown('''parcels'', max_groups => 2, col => ''weight''');
SELECT * FROM shown('''"b"") s; --"'', max_rows => 1');
SELECT * FROM shown('''"b"") s; --"'', col => ''odd "col''');
-- generous bounds: nobody has as many, as far as noise lets see
SELECT * FROM shown('''visits'', max_rows => 1000000000');
-- one unit where there is next to no noise
SELECT most_rows, units_cut, rows_cut_low > 0.9 AS low, rows_cut_high <= 1 AS high FROM dp_agg.measure_bounding('giant', 3000);
-- one that noise hides is left out: it is most_rows that tells
SELECT * FROM dp_agg_internal.shares_cut(array_fill(0::bigint, '{62}'), array_fill(0::float8, '{62}'), array_fill(0::float8, '{62}'), '{1,1,1}', 0, 1, NULL);
SELECT t, s.* FROM unnest('{0,1,2,4}'::int[]) t, dp_agg_internal.shares_cut('{900}'::bigint[] || array_fill(0::bigint, '{30}') || '{0,90,10,0,1}'::bigint[] || array_fill(0::bigint, '{26}'),
	'{900}'::float8[] || array_fill(0::float8, '{30}') || '{0,90,10,0,1}'::float8[] || array_fill(0::float8, '{26}'),
	array_fill(0::float8, '{31}') || '{0,45,7.5,0,0.9375}'::float8[] || array_fill(0::float8, '{26}'), '{0,0,0}', 0, 1, t) s;
SET dp_agg.mechanism = gaussian;
SET dp_agg.epsilon = 100000;
SELECT * FROM shown('''visits''');
RESET dp_agg.mechanism;
SET dp_agg.epsilon = 300;

-- one statement, three shares of epsilon, what was asked in words
SELECT mechanism, round(sum(epsilon)::numeric, 6) AS epsilon, sum(delta) AS delta, count(*) FROM dp_agg.price(dp_agg.bounding_query('visits', 0.6)) GROUP BY 1;
SELECT statements AS before FROM dp_agg.budgets \gset
SELECT FROM dp_agg.measure_bounding('visits', 0.6, max_rows => 4);
SELECT mechanism, round(sum(epsilon)::numeric, 6) AS epsilon, sum(delta) AS delta, count(*) FROM dp_agg.last_release() GROUP BY 1;
BEGIN;
SELECT FROM dp_agg.measure_bounding('visits', 0.6);
ROLLBACK;
SELECT statements - :before AS charged FROM dp_agg.budgets;
RESET ROLE;
SELECT b ->> 'call' AS call FROM (SELECT * FROM dp_agg.ledger ORDER BY id DESC LIMIT 2) l, jsonb_array_elements(releases) b;
SELECT * FROM dp_agg.verify_ledger();
SET ROLE bounding_analyst;
-- kept: the same question again is not asked again; other bounds are another one
SET dp_agg.kept_max_age = '1 day';
SELECT a IS NOT DISTINCT FROM b AS same FROM dp_agg.measure_bounding('visits', 0.3) a, dp_agg.measure_bounding('visits', 0.3) b;
SELECT statements - :before AS charged FROM dp_agg.budgets;
SELECT FROM dp_agg.measure_bounding('visits', 0.3, max_rows => 5);
SELECT FROM dp_agg.measure_bounding('visits', 0.3, col => 'clinic');
SELECT statements - :before AS charged FROM dp_agg.budgets;
RESET dp_agg.kept_max_age;

-- refusals: fixed words, and nothing charged
SELECT statements AS before FROM dp_agg.budgets \gset
CREATE FUNCTION complaint(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE 'SELECT * FROM dp_agg.measure_bounding(' || call || ')';
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE || ': ' || SQLERRM, nullif(hint, ''));
END $$;
SELECT call, complaint(call) FROM unnest(ARRAY[
	$$NULL$$,
	$$'missing'$$,
	$$'open'$$,
	$$'pg_class'$$,
	$$0$$,
	$$'visits', 0$$,
	$$'visits', -1$$,
	$$'visits', 'NaN'$$,
	$$'visits', 1e9$$,
	$$'visits', max_rows => 0$$,
	$$'visits', max_rows => 1000000001$$,
	$$'visits', max_groups => 0$$,
	$$'visits', max_groups => 1000001$$,
	$$'visits', col => 'missing'$$,
	$$'visits', col => 'cost, person'$$,
	$$'visits', col => 'cost) g; DROP TABLE visits; --'$$,
	$$'visits', col => 'ctid'$$,
	$$'visits', filter => 'true) OR (true'$$,
	$$'visits', filter => 'true))) u GROUP BY 1; CREATE TABLE bounding.injected (); SELECT ((true'$$,
	$$'visits', filter => 'true; SELECT 1'$$,
	$$'visits', filter => 'true GROUP BY person'$$,
	$$'visits', filter => 'true UNION SELECT true'$$,
	$$'visits', filter => 'true, false'$$,
	$$'visits', filter => '*'$$,
	$$'visits', filter => ''$$,
	$$'visits', filter => 'cost'$$,
	$$'visits', filter => 'missing > 1'$$,
	$$'visits', filter => 'count(*) > 5'$$,
	$$'visits', filter => 'bounding.complaint(clinic) IS NULL'$$,
	$$'visits', filter => 'random() > 0.5'$$,
	$$'visits', filter => 'EXISTS (SELECT FROM bounding.open WHERE visits.cost > 1)'$$]) call;
SELECT statements - :before AS charged FROM dp_agg.budgets;
SELECT to_regclass('injected') AS injected;
SELECT proname, prosecdef, proconfig FROM pg_proc WHERE pronamespace IN ('dp_agg'::regnamespace, 'dp_agg_internal'::regnamespace) AND proname ~ 'bounding|shares_cut|noisy_share|rows_asked|bounds_in_force' ORDER BY 1;

-- without a budget, and beyond it
GRANT EXECUTE ON FUNCTION complaint(text) TO bounding_stranger, bounding_poor;
RESET ROLE;
SET ROLE bounding_stranger;
SELECT complaint($$'visits', 0.1$$);
RESET ROLE;
SET ROLE bounding_poor;
SELECT complaint($$'visits', 0.6$$);
SELECT complaint($$'visits', 0.6$$) LIKE '53400: %' AS exhausted;
SELECT statements, refusals FROM dp_agg.budgets;
RESET ROLE;

-- names are looked up nowhere but where they should be
CREATE FUNCTION bounding.floor(float8) RETURNS float8 LANGUAGE sql AS 'SELECT -5.0::float8';
CREATE FUNCTION public.dp_sum(float8, int, int, float8) RETURNS float8 LANGUAGE sql AS 'SELECT 0::float8';
CREATE FUNCTION bounding.less(float8, float8) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR bounding.< (LEFTARG = float8, RIGHTARG = float8, FUNCTION = bounding.less);
SET ROLE bounding_analyst;
SET search_path = bounding, pg_catalog, public;
SELECT rows_bound, most_rows, round(units_cut::numeric, 2) AS units_cut, round(rows_cut::numeric, 2) AS rows_cut FROM dp_agg.measure_bounding('visits');
SELECT count(*) FROM dp_agg.price(dp_agg.bounding_query('visits', 0.6));

RESET ROLE;
SET client_min_messages = warning;
DROP FUNCTION public.dp_sum(float8, int, int, float8);
DROP SCHEMA bounding CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE bounding_analyst, bounding_stranger, bounding_poor;
