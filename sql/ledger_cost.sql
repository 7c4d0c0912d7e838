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
SELECT dp_median(age, 0, 100), dp_quantile(0.25, age, 0, 100), dp_min(age, 0, 100), dp_max(height, 0, 250) FROM people;
SELECT dp_variance(age, 0, 100), dp_stddev(height, 0, 250), dp_covar_pop(age, 0, 100, height, 0, 250), dp_corr(age, 0, 100, height, 0, 250),
	dp_regr_slope(age, 0, 100, height, 0, 250) FROM people;
SELECT * FROM dp_histogram('people', 'age', 0, 100, 10);
SELECT * FROM dp_histogram('people', 'age', 0, 100, bins => 10, filter => 'height > 30');
SELECT * FROM dp_cumulative('people', 'age', 0, 100, 8);
SELECT * FROM dp_top('people', 'city', 2);
SELECT * FROM dp_top('visits', 'place', 5);
SELECT dp_noisy_max('people', ARRAY['age > 30', 'age <= 30']);
SELECT * FROM dp_noisy_max('people', ARRAY['age > 30', 'age <= 30']);
SELECT * FROM dp_above_threshold('people', ARRAY['age > 89', 'age > 20'], 100);
SELECT * FROM suggest_bounds('people', 'age');
SELECT count(*), avg(least(age, 100)) FROM people;
SELECT a.n, b.n FROM (SELECT dp_count(*) AS n FROM people WHERE age > 50) a, (SELECT dp_count(*) AS n FROM grown) b;
SET dp_agg.mechanism = gaussian;
SELECT dp_count(*), dp_sum(age, 0, 100), dp_avg(age, 0, 100), dp_variance(age, 0, 100) FROM people;
SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM people GROUP BY city;
SELECT * FROM dp_cumulative('people', 'age', 0, 100, 8);
SET dp_agg.sample_rate = 0.1;
SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM people GROUP BY city;
RESET dp_agg.mechanism;
SELECT dp_count(*), dp_median(age, 0, 100) FROM people;
RESET dp_agg.sample_rate;
SELECT dp_count(*, 1e6) FROM people;
SELECT dp_count(*, 1e6) FROM people WHERE age = 1;
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
	SELECT bool_or(v.problem IN ('cost does not follow from releases', 'releases make no sense')) OR changed IS NULL INTO found
		FROM dp_agg.verify_ledger() v WHERE v.id = ledger_id;
	RAISE EXCEPTION USING message = coalesce(found, false)::text;
EXCEPTION WHEN raise_exception THEN
	RETURN SQLERRM::boolean;
END $$;
CREATE TEMP TABLE release AS SELECT l.id, l.releases, ARRAY[(b.i - 1)::text, 'releases', (r.i - 1)::text] AS path, r.value AS release
	FROM dp_agg.ledger l, jsonb_array_elements(releases) WITH ORDINALITY b (value, i),
		jsonb_array_elements(b.value -> 'releases') WITH ORDINALITY r (value, i) WHERE l.admitted IS NOT NULL;
CREATE TEMP TABLE kind AS SELECT DISTINCT ON (release ->> 'mechanism', jsonb_array_length(release -> 'noise'), release ? 'totals', release ? 'threshold', release ? 'times') *
	FROM release ORDER BY release ->> 'mechanism', jsonb_array_length(release -> 'noise'), release ? 'totals', release ? 'threshold', release ? 'times', id;
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
SELECT statement, jsonb_pretty((SELECT jsonb_agg(b - 'releases') FROM jsonb_array_elements(releases) b)) AS asked FROM dp_agg.ledger WHERE admitted ORDER BY id;

DROP FUNCTION finds;
SET client_min_messages = warning;
DROP SCHEMA asked CASCADE;
DROP EXTENSION dp_agg;
DROP ROLE asked_analyst;
