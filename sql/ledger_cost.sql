--
-- what the ledger says of statements: their text, what they ask, and releases that their
-- cost follows from
--
CREATE EXTENSION dp_agg;
CREATE SCHEMA asked;
SET search_path = asked, dp_agg, public;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, height float8, born date, team int NOT NULL);
INSERT INTO people SELECT i, 'city ' || i % 3, i % 90, i % 200, '2000-01-01'::date + i, i % 4 FROM generate_series(1, 400) i;
CREATE TABLE visits (person int, place text, spent numeric);
INSERT INTO visits SELECT i % 400 + 1, 'place ' || i % 5, i % 50 FROM generate_series(1, 900) i;
CREATE TABLE teams (id int PRIMARY KEY, name text UNIQUE NOT NULL);
INSERT INTO teams SELECT i, 'team ' || i FROM generate_series(0, 3) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 20, max_groups => 3);
CREATE VIEW grown AS SELECT * FROM people WHERE age >= 18;
CREATE ROLE asked_analyst;
GRANT USAGE ON SCHEMA asked, dp_agg TO asked_analyst;
GRANT SELECT ON teams, grown TO asked_analyst;
SELECT dp_agg.set_budget('asked_analyst', 1e6, 0.1);

\echo every mechanism and form
SET ROLE asked_analyst;
\o /dev/null
SELECT dp_count(*) FROM people;
SELECT dp_count(*), dp_count(*), dp_count(age), dp_sum(age, 0, 100), dp_avg(age, 0, 100), dp_avg(height, 0, 250) FROM people WHERE age > 30 AND city <> 'x';
SELECT city, dp_count(*), dp_sum(age, 0, 100) FROM people GROUP BY city HAVING dp_count(*) > 10;
SELECT place, dp_count(DISTINCT person), dp_sum(spent, 0, 50) FROM visits GROUP BY place;
SELECT dp_median(age, 0, 100), dp_quantile(age, 0.25, 0, 100), dp_min(age, 0, 100), dp_max(height, 0, 250) FROM people;
SELECT dp_median(age, 0, 100), dp_quantile(age, 0.25, 0, 100), dp_quantile(age, 0.75, 0, 100), dp_quantile(age, 0.9, 0, 100) FROM people;
SELECT dp_variance(age, 0, 100), dp_stddev(height, 0, 250), dp_covar_pop(age, height, 0, 100, 0, 250), dp_corr(age, height, 0, 100, 0, 250),
	dp_regr_slope(age, height, 0, 100, 0, 250) FROM people;
SELECT * FROM dp_histogram('people', 'age', 0, 100, 10);
SELECT * FROM dp_histogram('people', 'age', 0, 100, bins => 10, filter => 'height > 30');
SELECT * FROM dp_cumulative('people', 'age', 0, 100, 8);
SELECT * FROM dp_top('people', 'city', 2);
SELECT * FROM dp_top('visits', 'place', 5);
SELECT * FROM dp_noisy_max('people', 'city', ARRAY['city 1', 'city 2']);
SELECT * FROM dp_noisy_max('visits', 'place', ARRAY['place 1', 'place 2', 'place 3'], 2);
SELECT * FROM dp_above_threshold('people', ARRAY['age > 89', 'age > 20'], 100);
SELECT * FROM suggest_bounds('people', 'age');
SELECT count(*), avg(least(greatest(age, 0), 100)) FROM people;
SELECT a.n, b.n FROM (SELECT dp_count(*) AS n FROM people WHERE age > 50) a, (SELECT dp_count(*) AS n FROM grown) b;
SET dp_agg.mechanism = gaussian;
SELECT dp_count(*), dp_sum(age, 0, 100), dp_avg(age, 0, 100), dp_variance(age, 0, 100) FROM people;
SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM people GROUP BY city;
SELECT * FROM dp_cumulative('people', 'age', 0, 100, 8);
SELECT * FROM dp_top('visits', 'place', 3);
SET dp_agg.sample_rate = 0.1;
SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM people GROUP BY city;
RESET dp_agg.mechanism;
SELECT dp_count(*), dp_median(age, 0, 100) FROM people;
RESET dp_agg.sample_rate;
SELECT dp_count(CASE WHEN city = 'a city with a long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long name' THEN 1 END),
	dp_count(CASE WHEN city = 'a city with a long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long name, too' THEN 1 END) FROM people;
SELECT dp_count(age, 1e6) FROM people WHERE age < 50;
PREPARE older AS SELECT dp_count(*) FROM people WHERE age > $1 AND city LIKE $2;
EXECUTE older(30, 'city %');
SELECT 1; SELECT dp_count(*) FROM people WHERE age > 1; SELECT 2;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) FROM people WHERE age > 2;
/*+ SeqScan(people) */ SELECT dp_count(*) FROM people WHERE age > 4;
SELECT 1 /* no */\; /* a /* hint */ */ /*+ Set(x 1) */
	SELECT dp_count(*) FROM people WHERE age > 5\; SELECT 2;
BEGIN; DECLARE c CURSOR FOR SELECT dp_count(*) FROM people WHERE age > 3; FETCH c; COMMIT;
DO $$ BEGIN PERFORM dp_count(*) FROM people WHERE age > 4; END $$;
SELECT n, (SELECT max(name) FROM teams) FROM (SELECT t.name, dp_count(*) AS n FROM people p JOIN teams t ON p.team = t.id WHERE p.age > 5 GROUP BY t.name) s;
SELECT dp_avg(least(n, 5), 0, 5) FROM (SELECT person, count(*) AS n FROM visits WHERE spent > 6 GROUP BY person) v;
\o
RESET ROLE;
SELECT * FROM dp_agg.verify_ledger();
SELECT DISTINCT r->>'mechanism' AS mechanism, jsonb_array_length(r->'noise') AS terms, r ? 'totals' AS totals, r ? 'threshold' AS threshold,
	r ? 'times' AS times, b ? 'sample_rate' AS sample, b ? 'call' AS call
	FROM dp_agg.ledger, jsonb_path_query(releases, '$[*]') b, jsonb_path_query(b, '$.releases[*]') r WHERE admitted IS NOT NULL ORDER BY 1, 2, 3, 4, 5, 6, 7;
SELECT event, curve IS NULL AS without, count(*) FROM dp_agg.ledger GROUP BY 1, 2 ORDER BY 1;

\echo whatever a cost follows from is looked at
CREATE FUNCTION finds(ledger_id bigint, changed jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	found boolean;
BEGIN
	UPDATE dp_agg.ledger SET releases = changed WHERE id = ledger_id;
	SELECT bool_or(v.problem NOT LIKE 'hash%') OR changed IS NULL INTO found FROM dp_agg.verify_ledger() v;
	RAISE EXCEPTION USING message = coalesce(found, false)::text;
EXCEPTION WHEN raise_exception THEN
	RETURN SQLERRM::boolean;
END $$;
CREATE TEMP TABLE release AS SELECT l.id, l.releases, ARRAY[(b.i - 1)::text, 'releases', (r.i - 1)::text] AS path, r.value AS release
	FROM dp_agg.ledger l, jsonb_array_elements(releases) WITH ORDINALITY b (value, i),
		jsonb_array_elements(b.value -> 'releases') WITH ORDINALITY r (value, i) WHERE l.admitted;
CREATE TEMP TABLE kind AS SELECT DISTINCT ON (release ->> 'mechanism', jsonb_array_length(release -> 'noise'), release ? 'totals', release ? 'threshold', release ? 'times', releases @? '$[*].sample_rate') *
	FROM release ORDER BY release ->> 'mechanism', jsonb_array_length(release -> 'noise'), release ? 'totals', release ? 'threshold', release ? 'times', releases @? '$[*].sample_rate', id;
SELECT k.release ->> 'mechanism' AS mechanism, m.name, bool_and(finds(k.id, jsonb_set(k.releases, k.path || ARRAY['noise', '0', m.name],
		to_jsonb((k.release #>> ARRAY['noise', '0', m.name])::numeric * 3)))) AS found
	FROM kind k, unnest(ARRAY['groups', 'sensitivity', 'scale_num', 'scale_den', 'sigma']) m (name) WHERE k.release #> ARRAY['noise', '0', m.name] IS NOT NULL
	GROUP BY 1, 2 ORDER BY 1, 2;
SELECT m.name, m.value, bool_and(finds(k.id, CASE WHEN m.value IS NULL THEN k.releases #- (k.path || m.name) ELSE jsonb_set(k.releases, k.path || m.name, m.value) END)) AS found
	FROM kind k, (VALUES ('mechanism', '"exponential"'::jsonb), ('mechanism', '"pure"'), ('mechanism', NULL), ('noise', '[]'), ('noise', '[{}]'), ('noise', NULL), ('noise', '3'),
		('times', '7'), ('times', '0'), ('times', '1.5'), ('times', '"2"'), ('threshold_delta', '1e-3'), ('threshold_delta', '-1'), ('threshold_delta', 'null'), ('other', '1')) m (name, value)
	WHERE k.release ->> 'mechanism' IS DISTINCT FROM m.value #>> '{}' GROUP BY 1, 2 ORDER BY 1, 2;
-- the other term of a pair that is charged for both, delta of groups, and times
SELECT bool_and(finds(id, jsonb_set(releases, path || '{noise,1,sigma}', '12345'))) FROM kind WHERE release #> '{noise,1,sigma}' IS NOT NULL;
SELECT bool_and(finds(id, releases #- (path || '{threshold_delta}'))) FROM kind WHERE release ? 'threshold_delta';
SELECT bool_and(finds(id, releases #- (path || '{times}'))) FROM kind WHERE release ? 'times';
SELECT bool_and(finds(id, releases #- '{0,sample_rate}')), bool_and(finds(id, jsonb_set(releases, '{0,sample_rate}', '0.2'))), bool_and(finds(id, jsonb_set(releases, '{0,sample_rate}', '0'))),
	bool_and(finds(id, jsonb_set(releases, '{0,sample_rate}', '2'))) FROM kind WHERE releases #> '{0,sample_rate}' IS NOT NULL;
SELECT bool_and(finds(id, releases - 0)) AS gone, bool_and(finds(id, releases || (releases -> 0))) AS more, bool_and(finds(id, jsonb_set(releases, '{0,other}', '1'))) AS unknown,
	bool_and(finds(id, releases #- '{0,releases}')) AS nothing FROM kind;

\echo what was asked
\pset format unaligned
\pset tuples_only
SELECT statement, releases FROM (SELECT id, statement, (SELECT jsonb_agg(b - 'releases' - 'question') FROM jsonb_array_elements(releases) b) AS releases FROM dp_agg.ledger WHERE admitted IS NOT NULL) l ORDER BY id;
SELECT DISTINCT b ->> 'question' ~ '^[0-9a-f]{64}$' AS question FROM dp_agg.ledger, jsonb_array_elements(releases) b WHERE admitted;

\echo without the text of statements, if the administrator wants none
ALTER ROLE asked_analyst SET dp_agg.ledger_statements = off;
SET ROLE asked_analyst;
SET dp_agg.ledger_statements = off;
RESET ROLE;
SET dp_agg.ledger_statements = off;
SET ROLE asked_analyst;
SELECT dp_count(*) IS NOT NULL FROM people WHERE age = 7;
RESET ROLE;
RESET dp_agg.ledger_statements;
SELECT statement IS NULL, releases #>> '{0,where}' FROM dp_agg.ledger ORDER BY id DESC LIMIT 1;

\echo text is cut between characters
SET ROLE asked_analyst;
SELECT format('SELECT dp_count(*) IS NOT NULL FROM people WHERE city <> %L', repeat('é', 5000)) AS long \gset
:long;
RESET ROLE;
SELECT length(statement), octet_length(statement), octet_length(releases #>> '{0,where}'), releases #>> '{0,where}' LIKE '%é...' FROM dp_agg.ledger ORDER BY id DESC LIMIT 1;

\echo as many aggregates as the ledger describes, and no more, whatever is asked of them
SELECT 'SELECT ' || string_agg(format('dp_sum(age + %s, 0, 100)', i), ', ' ORDER BY i) || ' FROM people' AS sums FROM generate_series(1, 300) i \gset
SELECT format('SELECT 1 AS answered FROM (SELECT %s FROM people) a, (SELECT %s FROM people) b', c, c) AS most, format('SELECT 1 AS answered FROM (SELECT %s FROM people) a, (SELECT %s, dp_count(*) FROM people) b', c, c) AS many
	FROM (SELECT string_agg(format('dp_count(CASE WHEN age = %s THEN 1 END)', i), ', ' ORDER BY i) AS c FROM generate_series(1, 500) i) s \gset
SET ROLE asked_analyst;
\o /dev/null
:sums;
\o
:most;
:many;
EXPLAIN :many;
SELECT * FROM dp_agg.price(:'many');
RESET ROLE;
SELECT jsonb_array_length(releases #> '{0,releases}'), length(releases::text) > 8192 FROM dp_agg.ledger ORDER BY id DESC LIMIT 2;
SELECT * FROM dp_agg.verify_ledger();

\echo a checkpoint stands for them, though they have no pure epsilon
SELECT dp_agg.compact_ledger('infinity') > 0 AS compacted;
SELECT releases #> '{budgets,0,pure}' AS pure FROM dp_agg.ledger WHERE event = 'checkpoint';
SELECT * FROM dp_agg.verify_ledger();

DROP FUNCTION finds;
SET client_min_messages = warning;
DROP SCHEMA asked CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE asked_analyst;
