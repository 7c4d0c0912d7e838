# Attacks on dp_synthesize: json that breaks out, cells and numbers of rows that single a person out, rows that fail or are
# more than count, and ways to have rows drawn again without paying for them.
#
# Every attack is carried out in databases that differ by one person alone, the outlier with most of the rows; an
# analyst must be shown the same in all, but for noise.  Synthetic rows are noise: they are counted,
# or asked for by number.  Whether rows that are read twice are the same is told by the analyst's own functions.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";
use AttackTest;

my $server = new_neighbours('synthesizing', admin => q{SELECT dp_agg.set_budget('poor', 0.5, 1e-6);}, analyst => <<'SQL');
CREATE FUNCTION tell(int) RETURNS boolean IMMUTABLE COST 0.0001 LANGUAGE plpgsql AS
	'BEGIN RAISE NOTICE ''told''; RETURN true; END';
-- Texts of 40 rows, which two drawings share with a probability below 2^-1000.
CREATE FUNCTION shown() RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(score::text, ' ') FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean) $$;
CREATE FUNCTION scrolled(OUT same boolean, OUT different int) LANGUAGE plpgsql AS $$
DECLARE
	c SCROLL CURSOR FOR SELECT score FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean);
	r record;
	one text;
	two text;
BEGIN
	OPEN c;
	FOR i IN 1 .. 40 LOOP FETCH c INTO r; one := concat_ws(' ', one, r.score); END LOOP;
	MOVE ABSOLUTE 0 FROM c;
	FOR i IN 1 .. 40 LOOP FETCH c INTO r; two := concat_ws(' ', two, r.score); END LOOP;
	same := one = two;
	different := (SELECT count(DISTINCT x) > 20 FROM regexp_split_to_table(one, ' ') x)::int;
	CLOSE c;
END $$;
CREATE VIEW like_people AS SELECT * FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean);
CREATE TABLE kept (score float8 UNIQUE, active boolean);
SQL

$server->attack(<<'ATTACKS');
@ how many rows there are, never exactly | 5 |
SELECT count(*) AS noisy FROM dp_synthesize('people', '{"age": [0, 100, 5], "active": true}') AS (age int, active boolean);
SELECT count(*) AS noisy, count(city) AS noisy_2, min(age) AS maybe FROM dp_synthesize('lone', '{"age": [0, 100, 5], "city": ["Zwies_l", "Aachen"]}') AS (age int, city text);
SELECT count(*) AS noisy FROM dp_synthesize('visits', '{"minutes": [0, 100, 5], "cost": [0, 100, 2], "day": ["2020-01-01", "2021-01-01", 4]}') AS (minutes int, cost numeric, day date);
SELECT count(*) AS noisy FROM dp_synthesize('parts', '{"cost": [0, 100, 5], "day": ["2020-01-01", "2021-01-01", 4]}') AS (cost int, day date);
SELECT count(*) FROM dp_synthesize('visits', '{"minutes": [0, 100, 5], "clinic": ["clinic 0", "clinic 1"]}', 50) AS (minutes int, clinic text);
@ values that are beyond all bounds | 3 |
SELECT count(*), count(born) AS noisy, count(*) FILTER (WHERE isfinite(seen)) AS noisy_2, bool_and(born BETWEEN '1950-01-01' AND '1980-01-01') AS maybe_3 FROM dp_synthesize('people', '{"born": ["1950-01-01", "1980-01-01", 3], "seen": ["2020-01-01 00:00+00", "2020-02-01 00:00+00", 2]}', 100) AS (born date, seen timestamptz);
SELECT count(*), count(score) AS noisy, max(score) <= 10 AND max(pay) <= 2000 AS maybe FROM dp_synthesize('people', '{"score": [0, 10, 3], "pay": [0, 2000, 2]}', 100) AS (score float8, pay numeric(12, 2));
SELECT count(*), count(cost) AS noisy FROM dp_synthesize('visits', '{"cost": [0, 1e-9, 3], "minutes": [-2147483647, 2147483647, 2]}', 100) AS (cost numeric, minutes int);
@ a person alone in her cell | 3 |
SELECT count(*), count(*) FILTER (WHERE tag > 1) AS noisy FROM dp_synthesize('people', '{"tag": [0, 2, 2], "secret": [0, 1e12, 1]}', 100, 0.001) AS (tag int, secret bigint);
SELECT count(*), count(city) AS noisy FROM dp_synthesize('people', '{"city": ["Zwies_l"], "age": [0, 1, 1]}', 100, 0.001, 'id = 5000') AS (city text, age int);
SELECT count(*) AS noisy FROM dp_synthesize('lone', '{"age": [0, 1, 1], "city": ["Zwies_l"]}', NULL, 0.001, 'city LIKE ''Zwies_l''') AS (age int, city text);
@ errors of rows | 3 |
SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 1, 1], "score": [0, 1, 1]}', 7, 5, '1 / age > 0 OR sqrt(score - 1e307) IS NULL') AS (age int, score float8);
SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 1, 1], "code": ["100"]}', 7, 5, 'code::int > 5 AND date_trunc(''year'', born) IS NOT NULL') AS (age int, code text);
SELECT count(*) FROM dp_synthesize('people', '{"pay": [0, 1e-300, 1000], "score": [-1e308, 1e307, 1000]}', 7) AS (pay numeric(12, 2), score float8);
@ numbers of rows | 3 | 22023 22023 22023 22003 22P02
SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 1, 1], "active": true}', 0) AS (age int, active boolean);
SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 1, 1], "active": true}', -9223372036854775808) AS (age int, active boolean);
SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 1, 1], "active": true}', 10000001) AS (age int, active boolean);
SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 1, 1], "active": true}', '9223372036854775808') AS (age int, active boolean);
SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 1, 1], "active": true}', 'many') AS (age int, active boolean);
SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 1, 1], "active": true}', 1) AS (age int, active boolean);
SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 1, 1], "active": true}', 100000) AS (age int, active boolean);
SELECT count(*) FROM (SELECT FROM dp_synthesize('lone', '{"age": [0, 1, 1], "city": ["a"]}', 100000, 1e-6) AS (age int, city text) LIMIT 5) s;
@ json that is no list of columns | 0 | 22P02 22023 22023 22023 42703 22023 22023 22023 22023 0A000 22023 22023
SELECT * FROM dp_synthesize('people', '[') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', NULL) AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '7') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '{"age": [0, 1], "age": [0, 1]}') AS (age int, age2 int);
SELECT * FROM dp_synthesize('people', '{"age\" FROM people --": [0, 1], "active": true}') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '{"age": {"a": [0, 1]}, "active": true}') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '{"age": [0, 1e400], "active": true}') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '{"age": [1, 0], "active": true}') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '{"age": [0, 1, 1024], "active": true}') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '{"id": [0, 1], "active": true}') AS (id int, active boolean);
SELECT * FROM dp_synthesize('people', '{"city": true, "active": true}') AS (city text, active boolean);
SELECT * FROM dp_synthesize('people', '["active"]') AS (active boolean);
@ keys that are equal in the column's type, or none | 0 | 22023 22023 22P02 22P05 22023
SELECT * FROM dp_synthesize('people', '{"age": ["1", "01"], "active": true}') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '{"pay": ["1", "1.0"], "active": true}') AS (pay numeric(12, 2), active boolean);
SELECT * FROM dp_synthesize('people', '{"age": ["1", "cnr"], "active": true}') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '{"city": ["\u0000"], "active": true}') AS (city text, active boolean);
SELECT * FROM dp_synthesize('people', '{"city": [], "active": true}') AS (city text, active boolean);
@ keys that are text to break out with | 1 |
SELECT count(*) FROM dp_synthesize('people', '{"city": ["''", "\"", "{", "},{", "\\", "$1", ")", "\n--", "NULL", ""], "active": true}', 7) AS (city text, active boolean);
@ lists of columns | 0 | 42804 42804 42804 42601 42804 42704
SELECT * FROM dp_synthesize('people', '{"age": [0, 1], "active": true}') AS (age bigint, active boolean);
SELECT * FROM dp_synthesize('people', '{"age": [0, 1], "active": true}') AS (active boolean, age int);
SELECT * FROM dp_synthesize('people', '{"age": [0, 1], "active": true}') AS (age int, active boolean, secret bigint);
SELECT * FROM dp_synthesize('people', '{"age": [0, 1], "active": true}');
SELECT * FROM dp_synthesize('people', '{"age": [0, 1], "city": ["a"]}') AS (age int, city people);
SELECT * FROM dp_synthesize('people', '{"age": [0, 1], "active": true}') AS (age int, active nothing);
@ functions of one's own, and texts that end early | 0 | 0A000 42601 0A000 42803
SELECT * FROM dp_synthesize('people', '{"age": [0, 1], "active": true}', 5, 5, 'tell(age)') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '{"age": [0, 1], "active": true}', 5, 5, 'true) OR (true') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '{"age": [0, 1], "active": true}', 5, 5, 'age > (SELECT min(age) FROM people)') AS (age int, active boolean);
SELECT * FROM dp_synthesize('people', '{"age": [0, 1], "active": true}', 5, 5, 'sum(age) > 0') AS (age int, active boolean);
@ a function of one's own above, on synthetic rows | 1 |
SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 1, 1], "active": true}', 3) AS (age int, active boolean) WHERE tell(age) OR age IS NULL OR true;
@ arguments of other rows | 0 | 0A000 0A000 0A000
SELECT count(*) FROM generate_series(1, 3) i, dp_synthesize('people', '{"age": [0, 1], "active": true}', i) AS (age int, active boolean);
SELECT count(*) FROM doctors, dp_synthesize('people', json_build_object('age', json_build_array(0, beds), 'active', true)) AS (age int, active boolean);
SELECT dp_synthesize('people', '{"age": [0, 1], "active": true}');
@ the tables by hand | 0 | 0A000 0A000 42501 0A000
SELECT dp_agg_internal.pair_tables(ARRAY[dp_agg.bucket(age, 0, 60, 6), dp_agg.bucket(tag, 0, 60, 6)], 1) FROM people;
SELECT dp_agg_internal.exact_pair_tables('\x'::bytea, 1, age, tag) FROM people;
SELECT dp_agg_internal.synthetic_cell(note::bytea, 0) FROM people;
SELECT dp_count(*) FROM people WHERE dp_agg_internal.synthetic_cell(decode(code, 'escape'), 0) > 0;
@ relations that are not protected | 0 | 42501 42501
SELECT * FROM dp_synthesize('doctors', '{"beds": [0, 100], "town": ["town 0"]}') AS (beds int, town text);
SELECT * FROM dp_synthesize('pg_class', '{"relpages": [0, 100], "relhasindex": true}') AS (relpages int, relhasindex boolean);
@ one statement draws once, however often it reads | 5 |
SELECT count(DISTINCT s.all) AS drawn_1 FROM generate_series(1, 5) i, LATERAL (SELECT string_agg(score::text, ' ') AS all FROM (
	SELECT score FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean) OFFSET 0) r WHERE i > 0) s;
SELECT count(DISTINCT (SELECT string_agg(score::text, ' ') FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean) WHERE i > 0)) AS drawn_2 FROM generate_series(1, 5) i;
SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT count(*), count(DISTINCT (a.score)) <= 41 AS few FROM generate_series(1, 5) i JOIN dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS a (score float8, active boolean) ON a.score IS NULL OR a.score >= i - 10;
WITH s AS NOT MATERIALIZED (SELECT * FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean))
SELECT count(*), (SELECT count(*) FROM s a JOIN s b ON a.score = b.score) > 100 AS same FROM s a, s b;
WITH RECURSIVE s AS (SELECT 1 AS i, NULL::float8 AS score UNION ALL SELECT i + 1, d.score FROM s, LATERAL (SELECT max(score) AS score FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean)) d WHERE i < 5)
SELECT count(DISTINCT score) <= 1 AS one FROM s;
~ ^drawn_1\|1$
~ ^drawn_2\|1$
~ ^few\|t$
~ ^one\|t$
@ each that is written is paid for | 2 |
SELECT a.score IS NOT DISTINCT FROM b.score AS maybe FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 1) AS a (score float8, active boolean), dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 1) AS b (score float8, active boolean);
SELECT aggregate, epsilon, delta FROM dp_agg.last_release();
SELECT count(*) FROM (SELECT * FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 1) AS a (score float8, active boolean) UNION ALL SELECT * FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 1) AS b (score float8, active boolean)) s;
SELECT count(*) FROM dp_agg.last_release();
@ never read, or not to its end: paid for where anything of it is looked at | 1 |
SELECT count(*) FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean) WHERE false;
SELECT CASE WHEN 1 > 2 THEN (SELECT count(*) FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean)) END;
SELECT FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean) LIMIT 0;
SELECT EXISTS (SELECT FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean));
SELECT count(*) FROM doctors WHERE beds < 0 AND EXISTS (SELECT FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean) WHERE score > beds);
@ what EXPLAIN shows | 2 |
EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM dp_synthesize('visits', '{"minutes": [0, 100, 5], "clinic": ["clinic 0", "clinic 1"]}', 50) AS (minutes int, clinic text);
EXPLAIN (ANALYZE, BUFFERS, WAL, SETTINGS) SELECT * FROM dp_synthesize('visits', '{"minutes": [0, 100, 5], "clinic": ["clinic 0", "clinic 1"]}', 50) AS (minutes int, clinic text);
EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT count(*) FROM dp_synthesize('people', '{"age": [0, 100, 5], "city": ["Aachen", "Zwies_l"]}', 50) AS (age int, city text);
@ cursors show the rows that were drawn | 2 |
~ ^same\|t$
~ ^different\|1$
SELECT * FROM scrolled();
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT count(*) OVER (), 1 FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 3) AS (score float8, active boolean);
FETCH 2 c;
MOVE BACKWARD ALL c;
FETCH ALL c;
COMMIT;
FETCH PRIOR c;
CLOSE c;
@ what is rolled back is paid for | 4 |
BEGIN;
SELECT length(shown()) > 0 AS noisy;
SAVEPOINT s;
SELECT length(shown()) > 0 AS noisy;
ROLLBACK TO s;
SELECT length(shown()) > 0 AS noisy;
ROLLBACK;
SELECT length(shown()) > 0 AS noisy;
@ a table of rows is read for nothing | 2 |
CREATE TABLE mine_1 AS SELECT * FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean);
SELECT count(*) FROM mine_1;
SELECT count(*) FROM mine_1 a JOIN mine_1 b ON (a.*) IS NOT DISTINCT FROM (b.*);
SELECT score, active INTO mine_2 FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean);
~ ^shared\|0$
SELECT count(*) AS shared FROM (SELECT score FROM mine_1 INTERSECT SELECT score FROM mine_2) s WHERE score IS NOT NULL;
DROP TABLE mine_1, mine_2;
@ a view draws anew each time | 2 |
CREATE TEMP TABLE first AS SELECT * FROM like_people;
~ ^shared\|0$
SELECT count(*) AS shared FROM (SELECT score FROM first INTERSECT SELECT score FROM like_people) s WHERE score IS NOT NULL;
DROP TABLE first;
@ prepared statements draw anew each time | 5 | 0A000 22023
SET plan_cache_mode = force_generic_plan;
CREATE TEMP TABLE first (score float8, active boolean);
PREPARE p(json, bigint) AS INSERT INTO first SELECT * FROM dp_synthesize('people', $1, $2) AS (score float8, active boolean);
PREPARE q AS INSERT INTO first SELECT * FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean);
EXECUTE q;
EXECUTE q;
EXECUTE p('{"score": [0, 10, 2], "active": true}', 40);
SET plan_cache_mode = force_custom_plan;
EXECUTE q;
EXECUTE p('{"score": [0, 10, 2], "active": true}', 40);
EXECUTE p('{"score": [0, 10, 2], "active": true}', 10);
~ ^different\|t$
SELECT count(*), count(score) = count(DISTINCT score) AS different FROM first;
EXECUTE p('{"score": [0, 10, 2], "active": true}', 0);
DROP TABLE first;
DEALLOCATE ALL;
@ in statements that write | 1 | 0A000 0A000 0A000
INSERT INTO kept SELECT DISTINCT score, true FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean);
INSERT INTO kept SELECT DISTINCT score, true FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean) WHERE score IS NOT NULL ON CONFLICT DO NOTHING;
UPDATE kept SET active = NULL FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS s (score float8, active boolean) WHERE kept.score = s.score;
DELETE FROM kept WHERE score IN (SELECT score FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS s (score float8, active boolean));
SELECT count(active) > 20 AS most FROM kept;
TRUNCATE kept;
@ COPY | 1 |
COPY (SELECT count(*) FROM dp_synthesize('people', '{"score": [0, 10, 2], "active": true}', 40) AS (score float8, active boolean)) TO STDOUT;
@ kept answers | 1 |
SET dp_agg.kept_max_age = '1 day';
CREATE TEMP TABLE first AS SELECT * FROM dp_synthesize('people', '{"score": [0, 10, 3], "active": true}', 41) AS (score float8, active boolean);
CREATE TEMP TABLE second AS SELECT * FROM dp_synthesize('people', '{"score": [0, 10, 3], "active": true}', 41) AS (score float8, active boolean);
~ ^changed\|0$
SELECT count(*) AS changed FROM (TABLE first EXCEPT ALL TABLE second) s;
DROP TABLE first, second;
@ until the budget is spent | 1+2 | 53400 53400
> poor
SELECT count(*) FROM dp_synthesize('lone', '{"age": [0, 100, 5], "city": ["a"]}', 5, 0.3) AS (age int, city text);
SELECT count(*) FROM dp_synthesize('lone', '{"age": [0, 100, 5], "city": ["a"]}', 5, 3) AS (age int, city text);
SELECT 1 FROM dp_synthesize('lone', '{"age": [0, 100, 5], "city": ["a"]}', 1, 3) AS (age int, city text) LIMIT 1;
@ without a budget | 0 | 42501
> eve
SELECT count(*) FROM dp_synthesize('lone', '{"age": [0, 100, 5], "city": ["a"]}', 5, 0.3) AS (age int, city text);
ATTACKS

$server->finish;
