--
-- units_source: rows of many forms, read from tables and plans of many forms
--
-- Every statement compares with plain aggregates over the same rows.  At epsilon
-- 2^20 and over ten groups, the noise of a count of bound 1000 has scale 0.01, that of
-- a sum of bound 100,000 scale 0.95: it is beyond 60 with a probability of e^-63.
CREATE EXTENSION dp_agg;
CREATE SCHEMA source;
SET search_path = source, public;
SET dp_agg.epsilon = 1048576;
SET max_parallel_workers_per_gather = 0;

-- Columns of every length and alignment, before, between and behind those that
-- are wanted; rows with NULL and without; columns added later.
CREATE TABLE visits (flag "char", gone int8, unit int8, small int2, note text, half float4, name name,
	key text, id uuid, cost int4, long text, amount numeric, weight float8, ok bool);
ALTER TABLE visits ALTER long SET STORAGE EXTERNAL;
INSERT INTO visits SELECT 'x', i, i % 100, i % 7, repeat('n', i % 300), i, 'name', 'key ' || i % 5, md5((i % 50)::text)::uuid, i % 1000,
	'l', i % 1000, i % 1000, i % 2 = 0 FROM generate_series(1, 1000) i;
INSERT INTO visits SELECT NULL, i, i % 100, NULL, NULL, i, NULL, 'key ' || i % 5, md5((i % 50)::text)::uuid, i % 1000,
	repeat('l', 3000), i % 1000, NULL, NULL FROM generate_series(1, 1000) i;
INSERT INTO visits (unit, key, cost) SELECT NULLIF(i % 4, 3), NULLIF('key ' || i % 5, 'key 4'), NULL FROM generate_series(1, 100) i;
ALTER TABLE visits ADD never int;
INSERT INTO visits (unit, key, cost, never) SELECT i % 100, 'key 1', 5, i FROM generate_series(1, 200) i;
SELECT dp_agg.protect('visits', 'unit', max_rows => 1000, max_groups => 10);
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);

-- all groups of a statement against the plain one: no row means no difference
CREATE FUNCTION differences(private text, plain text) RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT * FROM (%s) a FULL JOIN (%s) b USING (k) WHERE (a.n - b.m BETWEEN -60 AND 60) IS NOT TRUE', private, plain);
END $$;
\set compare 'AS d(k text, n numeric, m numeric)'
SELECT * FROM differences('SELECT key AS k, dp_count(*)::numeric AS n FROM visits WHERE key IS NOT NULL GROUP BY key',
	'SELECT key AS k, count(*)::numeric AS m FROM visits WHERE unit IS NOT NULL AND key IS NOT NULL GROUP BY key') :compare;
SELECT * FROM differences('SELECT coalesce(key, ''none'') AS k, dp_sum(cost, 0, 100000)::numeric AS n FROM visits GROUP BY 1',
	'SELECT coalesce(key, ''none'') AS k, coalesce(sum(cost), 0)::numeric AS m FROM visits WHERE unit IS NOT NULL GROUP BY 1') :compare;
SELECT * FROM differences('SELECT small::text AS k, dp_sum(amount, 0, 100000) AS n FROM visits WHERE small IS NOT NULL GROUP BY small',
	'SELECT small::text AS k, sum(amount) AS m FROM visits WHERE small IS NOT NULL GROUP BY small') :compare;
SELECT * FROM differences('SELECT ''all'' AS k, dp_sum(weight, 0, 100000)::numeric AS n FROM visits',
	'SELECT ''all'' AS k, sum(weight)::numeric AS m FROM visits') :compare;
SELECT * FROM differences('SELECT ''all'' AS k, dp_sum(never, 0, 100000)::numeric AS n FROM visits',
	'SELECT ''all'' AS k, sum(never)::numeric AS m FROM visits') :compare;
SELECT * FROM differences('SELECT ''all'' AS k, dp_count(never)::numeric AS n FROM visits',
	'SELECT ''all'' AS k, count(never)::numeric AS m FROM visits') :compare;
SELECT * FROM differences('SELECT key AS k, dp_count(DISTINCT unit)::numeric AS n FROM visits WHERE key IS NOT NULL GROUP BY key',
	'SELECT key AS k, count(DISTINCT unit)::numeric AS m FROM visits WHERE key IS NOT NULL GROUP BY key') :compare;
SELECT * FROM differences('SELECT long AS k, dp_count(half)::numeric AS n FROM visits WHERE long IS NOT NULL GROUP BY long',
	'SELECT long AS k, count(half)::numeric AS m FROM visits WHERE long IS NOT NULL GROUP BY long') :compare;
SELECT * FROM differences('SELECT name::text AS k, dp_count(ok)::numeric AS n FROM visits WHERE name IS NOT NULL GROUP BY name',
	'SELECT name::text AS k, count(ok)::numeric AS m FROM visits WHERE name IS NOT NULL GROUP BY name') :compare;
-- a column that is key, value and unit at once
SELECT * FROM differences('SELECT small::text AS k, dp_sum(small, 0, 100000)::numeric AS n FROM visits WHERE small IS NOT NULL GROUP BY small',
	'SELECT small::text AS k, sum(small)::numeric AS m FROM visits WHERE small IS NOT NULL GROUP BY small') :compare;
SELECT * FROM differences('SELECT (unit % 10)::text AS k, dp_sum(unit, 0, 100000)::numeric AS n FROM visits GROUP BY unit % 10',
	'SELECT (unit % 10)::text AS k, sum(unit)::numeric AS m FROM visits WHERE unit IS NOT NULL GROUP BY unit % 10') :compare;
SELECT * FROM differences('SELECT ''all'' AS k, dp_count(DISTINCT unit) + dp_sum(unit, 0, 100000)::numeric AS n FROM visits',
	'SELECT ''all'' AS k, count(DISTINCT unit) + sum(unit)::numeric AS m FROM visits') :compare;
-- pairs of values of each type, of which either may be NULL or NaN, in small units
SELECT * FROM differences('SELECT ''all'' AS k, 1000 * dp_regr_slope(cost, small, 0, 1000, 0, 10)::numeric AS n FROM visits',
	'SELECT ''all'' AS k, 1000 * regr_slope(cost, small)::numeric AS m FROM visits') :compare;
SELECT * FROM differences('SELECT key AS k, 10 * dp_regr_intercept(half, small, 0, 1000, 0, 10)::numeric AS n FROM visits WHERE key < ''key 4'' GROUP BY key',
	'SELECT key AS k, 10 * regr_intercept(half, small)::numeric AS m FROM visits WHERE unit IS NOT NULL AND key < ''key 4'' GROUP BY key') :compare;
SELECT * FROM differences('SELECT ''all'' AS k, 1000 * dp_regr_slope(half, weight, 0, 1000, 0, 1000)::numeric AS n FROM visits',
	'SELECT ''all'' AS k, 1000 * regr_slope(half, weight)::numeric AS m FROM visits WHERE unit IS NOT NULL') :compare;
SELECT * FROM differences('SELECT ''all'' AS k, 1000 * dp_regr_intercept(amount, unit, 0, 1000, 0, 100)::numeric AS n FROM visits',
	'SELECT ''all'' AS k, 1000 * regr_intercept(amount::float8, unit)::numeric AS m FROM visits') :compare;
SELECT * FROM differences('SELECT ''all'' AS k, 1000 * dp_regr_slope(CASE WHEN small = 4 THEN ''NaN'' ELSE half END, CASE WHEN small = 3 THEN ''NaN'' ELSE weight END, 100, 800, 200, 900)::numeric AS n FROM visits',
	'SELECT ''all'' AS k, 1000 * regr_slope(least(greatest(half, 100), 800), least(greatest(weight, 200), 900))::numeric AS m FROM visits WHERE small NOT IN (3, 4)') :compare;
SELECT * FROM differences('SELECT ''all'' AS k, 1000 * dp_regr_intercept(7, cost, 0, 10, 0, 1000)::numeric + dp_covar_pop(small, small, 0, 10, 0, 10)::numeric AS n FROM visits',
	'SELECT ''all'' AS k, 7000 + covar_pop(small, small)::numeric AS m FROM visits') :compare;
-- the difference would be seen
SELECT k, round(n, -2) AS n, m FROM differences('SELECT key AS k, dp_count(*)::numeric AS n FROM visits WHERE key = ''key 2'' GROUP BY key',
	'SELECT key AS k, 0::numeric AS m FROM visits WHERE key = ''key 2'' GROUP BY key') :compare;

-- By other plans: an index, a bitmap, a table with a column dropped, one of another
-- unit, and partitions of unlike columns.
CREATE INDEX ON visits (unit);
SET enable_seqscan = off;
SELECT * FROM differences('SELECT key AS k, dp_sum(cost, 0, 100000)::numeric AS n FROM visits WHERE key IS NOT NULL AND unit BETWEEN 5 AND 90 GROUP BY key',
	'SELECT key AS k, sum(cost)::numeric AS m FROM visits WHERE key IS NOT NULL AND unit BETWEEN 5 AND 90 GROUP BY key') :compare;
SET enable_indexscan = off;
SELECT * FROM differences('SELECT key AS k, dp_sum(cost, 0, 100000)::numeric AS n FROM visits WHERE key IS NOT NULL AND unit BETWEEN 5 AND 90 GROUP BY key',
	'SELECT key AS k, sum(cost)::numeric AS m FROM visits WHERE key IS NOT NULL AND unit BETWEEN 5 AND 90 GROUP BY key') :compare;
RESET enable_seqscan;
RESET enable_indexscan;
-- with columns of which old rows know nothing
ALTER TABLE visits ADD late int DEFAULT 7;
INSERT INTO visits (unit, key, cost, late) SELECT i % 100, 'key 3', 5, i FROM generate_series(1, 200) i;
SELECT * FROM differences('SELECT key AS k, dp_sum(late, 0, 100000)::numeric AS n FROM visits GROUP BY key HAVING key IS NOT NULL',
	'SELECT key AS k, sum(late)::numeric AS m FROM visits WHERE unit IS NOT NULL AND key IS NOT NULL GROUP BY key') :compare;
ALTER TABLE visits DROP gone;
SELECT * FROM differences('SELECT key AS k, dp_sum(late, 0, 100000)::numeric AS n FROM visits WHERE key IS NOT NULL GROUP BY key',
	'SELECT key AS k, sum(late)::numeric AS m FROM visits WHERE unit IS NOT NULL AND key IS NOT NULL GROUP BY key') :compare;
SELECT dp_agg.unprotect('visits');
SELECT dp_agg.protect('visits', 'id', max_rows => 1000, max_groups => 10);
SELECT * FROM differences('SELECT key AS k, dp_sum(cost, 0, 100000)::numeric AS n FROM visits WHERE key IS NOT NULL GROUP BY key',
	'SELECT key AS k, sum(cost)::numeric AS m FROM visits WHERE key IS NOT NULL AND id IS NOT NULL GROUP BY key') :compare;
CREATE TABLE parts (unit int, key text, cost int) PARTITION BY LIST (key);
CREATE TABLE part_one PARTITION OF parts FOR VALUES IN ('one');
CREATE TABLE part_two (cost int, gone text, key text, unit int);
ALTER TABLE part_two DROP gone;
ALTER TABLE parts ATTACH PARTITION part_two FOR VALUES IN ('two');
INSERT INTO parts SELECT i % 50, CASE i % 2 WHEN 0 THEN 'one' ELSE 'two' END, i FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('parts', 'unit', max_rows => 1000, max_groups => 10);
SELECT * FROM differences('SELECT key AS k, dp_sum(cost, 0, 100000)::numeric AS n FROM parts GROUP BY key',
	'SELECT key AS k, sum(cost)::numeric AS m FROM parts GROUP BY key') :compare;

-- Which rows an index finds does not depend on others, where it is not in the order
-- asked for: of local times in a gap of the session's time zone.
CREATE TABLE times (unit int, at timestamp);
CREATE INDEX ON times (at);
INSERT INTO times SELECT i, '2011-12-30 12:00' FROM generate_series(1, 50) i;
INSERT INTO times SELECT i, '2012-01-05 12:00' FROM generate_series(51, 100) i;
SELECT dp_agg.protect('times', 'unit');
SET TimeZone = 'Pacific/Apia';
SET enable_seqscan = off;
SELECT dp_count(*) FROM times WHERE at >= timestamptz '2011-12-31 10:00+14';
INSERT INTO times VALUES (101, '2011-12-31 06:00');
SELECT dp_count(*) FROM times WHERE at >= timestamptz '2011-12-31 10:00+14';
SELECT dp_count(*) FROM times WHERE at IN (timestamptz '2011-12-31 10:00+14', timestamptz '2012-01-05 12:00+14');
SELECT dp_count(*) FROM times WHERE at::timestamptz IN (timestamptz '2011-12-31 12:00+14', timestamptz '2012-01-05 12:00+14');
RESET enable_seqscan;
RESET TimeZone;
-- One value is one group, whether it comes from a row or from the statement: of unsigned
-- numbers they look different to the machine.
CREATE TABLE things (unit int, known bool, owner oid);
INSERT INTO things SELECT i, known, 3000000000 FROM generate_series(1, 20) i, unnest('{t,f}'::bool[]) known;
SELECT dp_agg.protect('things', 'unit', max_rows => 1, max_groups => 2);
SELECT CASE WHEN known THEN owner ELSE 3000000000::oid END AS owner, dp_count(DISTINCT unit), dp_count(*) FROM things GROUP BY 1;
-- Nor does a unit of a negative number have two looks, one where compiled code has taken it
-- from a row.
CREATE TABLE debts (unit int, key int, cost int, note text);
INSERT INTO debts SELECT -i, -5, 1, CASE n WHEN 1 THEN 'paid' END FROM generate_series(1, 20) i, generate_series(1, 2) n;
SELECT dp_agg.protect('debts', 'unit', max_rows => 1, max_groups => 2);
SET jit = on; SET jit_above_cost = 0;
SELECT key, dp_count(DISTINCT unit), dp_count(*), dp_count(note) FROM debts WHERE cost > 0 GROUP BY key;
SELECT dp_count(DISTINCT unit), dp_count(*), dp_count(note) FROM debts WHERE cost > 0;
RESET jit; RESET jit_above_cost;
-- Values too long for a function give NULL, however they are stored, and so do results; and
-- a key of more than half a megabyte is NULL, so that no row's keys are too long together.
CREATE TABLE letters (unit int PRIMARY KEY, plain text, packed text, apart text);
ALTER TABLE letters ALTER apart SET STORAGE EXTERNAL;
INSERT INTO letters SELECT i, 'a', repeat('a', n), repeat('a', n) FROM (SELECT i, CASE WHEN i <= 20 THEN 530000 ELSE 500000 END AS n FROM generate_series(1, 30) i) l;
SELECT dp_agg.protect('letters', 'unit');
-- three calls share what a row may cost, which is far less than half a megabyte folded
SELECT dp_count(lower(plain)), dp_count(lower(packed)), dp_count(lower(apart)), dp_count(apart) FROM letters;
SELECT dp_count(packed < 'b' COLLATE "C"), dp_count(apart = 'a'), dp_count(octet_length(packed)) FROM letters;
SELECT length(packed), length(apart), dp_count(*) FROM letters GROUP BY packed, apart;

-- Keys are told apart wherever they differ, the longest and the shortest and none.
CREATE TABLE tags (unit int, tag text, id uuid);
INSERT INTO tags SELECT i, tag, (CASE WHEN tag LIKE '%one%' THEN '00000000-0001-0000-0000-000000000000' ELSE '00000000-0002-0000-0000-000000000000' END)::uuid
  FROM generate_series(1, 30) i, unnest(ARRAY['it begins as one that ends alike', 'it begins as two that ends alike', '', 'x', 'two', 'one', NULL]) tag
 WHERE i <= 20 OR tag LIKE '%one%';
SELECT dp_agg.protect('tags', 'unit', max_rows => 10, max_groups => 10);
SELECT tag, dp_count(*) FROM tags GROUP BY tag ORDER BY tag;
SELECT id, dp_count(*) FROM tags GROUP BY id ORDER BY id;
SELECT upper(tag), dp_count(*) FROM tags GROUP BY 1 ORDER BY 1;

-- Units of two words differ in either.
CREATE TABLE devices (unit uuid, key int);
INSERT INTO devices SELECT (first || '-0000-0000-0000-00000000000' || last)::uuid, first::int FROM unnest('{00000001,00000002}'::text[]) first, generate_series(1, 9) last;
SELECT dp_agg.protect('devices', 'unit');
SELECT dp_count(*), dp_count(DISTINCT unit) FROM devices;
SELECT key, dp_count(*) FROM devices GROUP BY key;

-- NULL in any column, before those that are wanted and behind them.
CREATE TABLE holes (unit int);
SELECT format('ALTER TABLE holes ADD c%s %s', j, CASE j % 5 WHEN 0 THEN 'int8' WHEN 1 THEN 'int2' WHEN 2 THEN 'numeric' WHEN 3 THEN 'float4' ELSE 'int4' END) FROM generate_series(1, 17) j \gexec
INSERT INTO holes SELECT i % 50, c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12], c[13], c[14], c[15], c[16], c[17]
  FROM (SELECT i, array_agg(CASE WHEN i % 3 < 2 AND (i * 7 + j * j * 5) % 19 > 1 + i % 2 * 16 THEN j * 10 + i % 10 END ORDER BY j) AS c FROM generate_series(1, 600) i, generate_series(1, 17) j GROUP BY i) r;
SELECT dp_agg.protect('holes', 'unit', max_rows => 1000, max_groups => 10);
SELECT d.* FROM generate_series(1, 17) j, differences(format('SELECT %1$L AS k, dp_sum(c%1$s, 0, 100000)::numeric AS n FROM holes', j),
	format('SELECT %1$L AS k, sum(c%1$s)::numeric AS m FROM holes', j)) :compare;
SELECT d.* FROM generate_series(1, 17) j, differences(format('SELECT %1$L AS k, dp_count(c%1$s)::numeric AS n FROM holes WHERE unit <> 7 AND c%2$s IS DISTINCT FROM 15', j, 18 - j),
	format('SELECT %1$L AS k, count(c%1$s)::numeric AS m FROM holes WHERE unit <> 7 AND c%2$s IS DISTINCT FROM 15', j, 18 - j)) :compare;
-- keys of several columns, some of them NULL or of a default that old rows do not have
ALTER TABLE visits ADD tail text DEFAULT 'tail';
SELECT * FROM differences('SELECT concat_ws(''/'', key, small, ok) AS k, n FROM (SELECT key, small, ok, dp_count(*)::numeric AS n FROM visits GROUP BY key, small, ok) g WHERE key IS NOT NULL',
	'SELECT concat_ws(''/'', key, small, ok) AS k, count(*)::numeric AS m FROM visits WHERE id IS NOT NULL AND key IS NOT NULL GROUP BY key, small, ok') :compare;
SELECT * FROM differences('SELECT concat_ws(''/'', key, tail) AS k, n FROM (SELECT key, tail, dp_sum(cost, 0, 100000)::numeric AS n FROM visits GROUP BY key, tail) g WHERE key IS NOT NULL',
	'SELECT concat_ws(''/'', key, tail) AS k, sum(cost)::numeric AS m FROM visits WHERE id IS NOT NULL AND key IS NOT NULL GROUP BY key, tail') :compare;
-- values that the plan makes row by row, in their own memory
SELECT * FROM differences('SELECT upper(key) AS k, dp_count(DISTINCT id)::numeric AS n FROM visits WHERE key IS NOT NULL GROUP BY 1',
	'SELECT upper(key) AS k, count(DISTINCT id)::numeric AS m FROM visits WHERE key IS NOT NULL GROUP BY 1') :compare;
SELECT * FROM differences('SELECT upper(key) AS k, dp_sum(amount + 1, 0, 100000)::numeric AS n FROM visits WHERE key IS NOT NULL GROUP BY 1',
	'SELECT upper(key) AS k, sum(amount + 1)::numeric AS m FROM visits WHERE id IS NOT NULL AND key IS NOT NULL GROUP BY 1') :compare;
-- a column that the table computes: as it is read, where PostgreSQL can do that
SELECT CASE WHEN current_setting('server_version_num')::int >= 180000 THEN 'VIRTUAL' ELSE 'STORED' END AS form \gset
CREATE TABLE computed (unit int, cost int, twice int GENERATED ALWAYS AS (cost * 2) :form, note text);
INSERT INTO computed (unit, cost, note) SELECT i % 50, i, 'note ' || i % 5 FROM generate_series(1, 500) i;
SELECT dp_agg.protect('computed', 'unit', max_rows => 1000, max_groups => 10);
SELECT * FROM differences('SELECT note AS k, dp_sum(twice, 0, 100000)::numeric AS n FROM computed GROUP BY note',
	'SELECT note AS k, sum(twice)::numeric AS m FROM computed GROUP BY note') :compare;

DROP SCHEMA source CASCADE;
SELECT dp_agg.drop_budget(current_user::regrole, 'default');
DROP EXTENSION dp_agg;
