# Attacks by what PostgreSQL 16 to 19 brought, each where it exists: what
# counts reads, what plans show, columns that are computed when they are read, and
# rights that are new.  sql/newer has what takes a single server.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;
use PostgreSQL::Test::Cluster;
use Test::More;

# A release candidate counts as the release that it is one for.
my ($version) = PostgreSQL::Test::Cluster->new('probe')->pg_version =~ /^(\d+)/;
my $admin = <<'SQL';
CREATE MATERIALIZED VIEW clinic.copied AS SELECT id, age FROM clinic.people;
CREATE MATERIALIZED VIEW clinic.released AS SELECT 1 AS n;
CREATE TABLE clinic.letters (person int NOT NULL CONSTRAINT sent REFERENCES clinic.lone, pages int);
INSERT INTO clinic.letters SELECT id, 1 FROM clinic.lone;
ALTER TABLE clinic.letters OWNER TO olga;
SELECT dp_agg.protect('clinic.letters', 'person', through => 'clinic.lone', max_rows => 2);
SQL
my $analyst = <<'SQL';
CREATE TABLE seen (k text, v text);
CREATE FUNCTION aged(int) RETURNS bigint LANGUAGE sql AS 'SELECT dp_count(*) FROM clinic.people WHERE age < $1';
SQL

# Where the age is 0, or the tag the largest there is, these are errors; the last is
# 7319555000 for one person alone.
$admin .= <<'SQL' if $version >= 18;
ALTER TABLE clinic.people ADD share int GENERATED ALWAYS AS (1000 / age) VIRTUAL, ADD next int GENERATED ALWAYS AS (tag + 1) VIRTUAL,
	ADD small smallint GENERATED ALWAYS AS (tag) VIRTUAL, ADD grown boolean GENERATED ALWAYS AS (1000 / age < 50) VIRTUAL,
	ADD marked text GENERATED ALWAYS AS ('cnry ' || pg_size_pretty(secret)) VIRTUAL, ADD hidden bigint GENERATED ALWAYS AS (secret + 0) VIRTUAL;
CREATE VIEW clinic.computed AS SELECT id, city, share, next, grown FROM clinic.people WHERE next > 0;
ALTER VIEW clinic.computed OWNER TO olga;
SQL
my $neighbours = new_neighbours('new_versions', admin => $admin, analyst => $analyst, conf => "max_parallel_workers = 4\n",
	libraries => [ ('pg_overexplain') x ($version >= 18), ('pg_plan_advice', 'pg_stash_advice') x ($version >= 19) ]);
my $node = $neighbours->{node};

# Before 18 SQL functions are planned without the values of their arguments.
my $aged = $version >= 18 ? '3 |' : '0 | 0A000 0A000 0A000';
my $tests = $neighbours->attack(<<"ATTACKS");
\@ calls of an SQL function with an argument | $aged
SELECT aged(30) AS noisy;
SELECT aged(40) AS noisy;
SELECT aged(30) AS noisy FROM generate_series(1, 1);
ATTACKS

# When tables were scanned, and what reads are counted by whom.
$tests = $neighbours->attack(<<'ATTACKS') if $version >= 16;
@ when a table was read last | 2 |
SELECT dp_count(*) FROM visits;
SET enable_seqscan = off;
SELECT dp_count(*) FROM visits WHERE day > '2020-03-01';
SELECT pg_stat_force_next_flush();
SELECT relname, last_seq_scan IS NULL AS never, seq_scan, last_idx_scan IS NULL AS never_by_index, idx_scan FROM pg_stat_all_tables WHERE schemaname = 'clinic' ORDER BY 1;
SELECT indexrelname, last_idx_scan IS NULL AS never, idx_scan FROM pg_stat_all_indexes WHERE schemaname = 'clinic' ORDER BY 1;
@ JSON made of a row | 0 | 0A000 0A000
SELECT dp_count(*) FROM people WHERE JSON_OBJECT('a': secret RETURNING text) = '{}';
SELECT dp_count(*) FROM people WHERE JSON_ARRAY(secret, note FORMAT JSON RETURNING text) = '[]';
ATTACKS

# Groups above releases and below, functions that make rows of JSON.
$tests = $neighbours->attack(<<'ATTACKS') if $version >= 17;
@ EXPLAIN (ANALYZE, SERIALIZE) | 1 |
EXPLAIN (ANALYZE, SERIALIZE, WAL, TIMING OFF, SUMMARY OFF) SELECT clinic, dp_count(*) AS noisy FROM visits GROUP BY clinic;
@ a row of JSON for every protected row | 0 | 0A000
SELECT dp_count(*) FROM people, JSON_TABLE(to_jsonb(secret), '$' COLUMNS (n bigint PATH '$ ? (@ > 7319000000)' ERROR ON EMPTY));
ATTACKS

$tests = $neighbours->attack(<<'ATTACKS') if $version >= 18;
@ computed columns that fail: conditions | 6 |
SELECT dp_count(*) FROM people WHERE share > 20;
SELECT dp_count(*) FROM people WHERE share IS NULL;
SELECT dp_count(*) FROM people WHERE next > 5 OR small = 3;
SELECT dp_count(*) FROM people WHERE CASE WHEN secret = 7319000000 + 555000 THEN next > 0 ELSE true END;
SELECT dp_count(*) FROM people WHERE hidden = 7319000000 + 555000;
SELECT dp_count(*) FROM people WHERE grown;
@ computed columns that fail: arguments and keys | 5 |
SELECT dp_sum(share, 0, 100), dp_avg(next, 0, 100), dp_count(small) FROM people;
SELECT dp_median(share, 0, 100), dp_stddev(next, 0, 100) FROM people;
SELECT grown, dp_count(*) FROM people GROUP BY grown ORDER BY 1;
SELECT count(*) > 0 AS some FROM (SELECT share, dp_count(*) FROM people GROUP BY share) s;
SELECT dp_max(hidden, 0, 100) FROM people;
@ computed columns that fail: subqueries, views and joins | 5 |
SELECT dp_sum(m, 0, 100) FROM (SELECT id, max(share) AS m FROM people GROUP BY id) s;
SELECT dp_count(*) FROM (SELECT share + next AS x FROM people WHERE next > 3) s WHERE x > 0;
SELECT dp_count(next) FROM computed WHERE share > 10;
WITH w AS (SELECT * FROM people) SELECT dp_count(share) FROM w;
SELECT dp_count(p.share), dp_sum(p.next, 0, 5) FROM visits v LEFT JOIN people p ON p.id = v.person;
@ computed columns that fail: functions in FROM | 6 |
SELECT bin, count AS noisy, bar IS NULL AS no_bar FROM dp_histogram('people', 'share', 0, 100, 4);
SELECT count(*) AS keys FROM dp_histogram('people', 'next', ARRAY[1, 2, 3]);
SELECT count(*) > 0 AS some FROM dp_top('people', 'grown', 1);
SELECT candidate AS noisy FROM dp_noisy_max('people', 'small', ARRAY[1, 2]::smallint[]);
SELECT position FROM dp_above_threshold('people', ARRAY['share > 0', 'next > 0'], 500);
SELECT lower IS NULL AS noisy FROM dp_agg.suggest_bounds('people', 'share');
@ computed columns by functions that may not be called | 0 | 0A000 0A000 0A000
SELECT dp_count(*) FROM people WHERE marked > 'c';
SELECT marked, dp_count(*) FROM people GROUP BY marked;
SELECT dp_count(*) FROM people GROUP BY lower(marked);
@ what plans show of nodes beside a release | 0 |
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '1MB';
EXPLAIN (DEBUG, RANGE_TABLE) SELECT * FROM (SELECT clinic, dp_count(*) AS noisy FROM visits GROUP BY clinic) v JOIN doctors d USING (clinic);
EXPLAIN (DEBUG, RANGE_TABLE) SELECT dp_count(*) FROM visits v JOIN doctors d ON d.clinic = v.clinic WHERE v.day > '2020-06-01' UNION ALL SELECT count(*) FROM doctors;
EXPLAIN (DEBUG) SELECT (SELECT dp_count(*) FROM people), (SELECT count(*) FROM doctors) FROM doctors;
@ nodes that settings disable | 0 |
SET enable_seqscan = off;
SET enable_sort = off;
SET enable_hashagg = off;
EXPLAIN (DEBUG) SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
@ groups by releases, and by keys of releases | 6 |
SELECT (SELECT dp_count(*) FROM people WHERE secret = 7319000000 + 555000) AS noisy, count(*) FROM doctors GROUP BY 1;
SELECT count(*) FROM (SELECT (SELECT dp_count(*) FROM people) AS n, beds FROM doctors GROUP BY ROLLUP (1, 2)) s;
SELECT count(*) FROM (SELECT dp_count(*) AS n FROM visits GROUP BY clinic HAVING clinic < 'd' ORDER BY clinic) s;
SELECT age / 100 + 1 AS k, dp_count(*) FROM people GROUP BY age / 100 HAVING age / 100 < 5;
SELECT d.clinic, dp_count(*) FROM doctors d LEFT JOIN visits v ON v.clinic = d.clinic GROUP BY d.clinic HAVING d.clinic <> 'x';
SELECT count(*) AS n FROM (SELECT town, sum(n) FROM (SELECT clinic, dp_count(*) AS n FROM visits v GROUP BY clinic) v JOIN doctors USING (clinic) GROUP BY GROUPING SETS ((town), ())) s;
@ what a process counts of its own | 3 |
SELECT dp_count(*) FROM visits;
SELECT pg_stat_force_next_flush();
INSERT INTO seen SELECT object || context, (reads, read_bytes, writes, extends, evictions)::text FROM pg_stat_get_backend_io(pg_backend_pid());
SELECT pg_stat_force_next_flush();
SELECT clinic, dp_count(*) FROM visits GROUP BY clinic;
SET work_mem = '64kB';
SELECT dp_count(DISTINCT person) FROM visits;
SELECT pg_stat_force_next_flush();
SELECT k FROM seen LEFT JOIN pg_stat_get_backend_io(pg_backend_pid()) b ON k = object || context
	WHERE context <> 'normal' AND v <> (reads, read_bytes, writes, extends, evictions)::text;
ATTACKS

# Advice of the analyst's reaches no exact plan, and says nothing of one.  Her own tables it may.
$tests = $neighbours->attack(<<'ATTACKS') if $version >= 19;
@ advice on how to read and join protected tables | 5 |
SET pg_plan_advice.feedback_warnings = on;
SET pg_plan_advice.trace_mask = on;
SET pg_plan_advice.always_store_advice_details = on;
SET pg_stash_advice.stash_name = 'hers';
SET pg_plan_advice.advice = 'JOIN_ORDER(v d) NESTED_LOOP_PLAIN(d) INDEX_SCAN(v clinic.visits_person_idx)';
SELECT dp_count(*) FROM visits v JOIN doctors d ON d.clinic = v.clinic;
SELECT d.town, dp_count(*) AS noisy FROM visits v JOIN doctors d ON d.clinic = v.clinic GROUP BY d.town ORDER BY 1;
SET pg_plan_advice.advice = 'GATHER(v) BITMAP_HEAP_SCAN(v) NO_GATHER(d) DO_NOT_SCAN(people)';
SELECT dp_count(*) FROM visits v WHERE v.day > '2020-03-01';
SELECT dp_count(*) FROM people WHERE age > 30;
EXPLAIN (ANALYZE, PLAN_ADVICE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) AS noisy FROM visits v JOIN doctors d ON d.clinic = v.clinic;
@ advice that a plan gives | 0 |
EXPLAIN (PLAN_ADVICE, VERBOSE) SELECT dp_count(*) FROM visits v JOIN doctors d ON d.clinic = v.clinic WHERE v.day > '2020-06-01';
EXPLAIN (PLAN_ADVICE, FORMAT JSON) SELECT * FROM (SELECT clinic, dp_count(*) AS noisy FROM visits GROUP BY clinic) v JOIN doctors d USING (clinic);
EXPLAIN (PLAN_ADVICE) SELECT (SELECT dp_count(*) FROM people), (SELECT count(*) FROM doctors) FROM doctors;
@ reads ahead of tables | 2 |
EXPLAIN (ANALYZE, IO, TIMING OFF, SUMMARY OFF) SELECT dp_count(*) AS noisy FROM visits;
EXPLAIN (ANALYZE, IO, VERBOSE, TIMING OFF, SUMMARY OFF) SELECT * FROM (SELECT clinic, dp_count(*) AS noisy FROM visits GROUP BY clinic) v JOIN doctors d USING (clinic);
@ aggregates that begin before a join | 3 |
SET min_eager_agg_group_size = 0;
SELECT d.town, dp_count(*), dp_sum(v.minutes, 0, 100) FROM visits v JOIN doctors d ON d.clinic = v.clinic GROUP BY d.town ORDER BY 1;
SELECT dp_sum(n, 0, 100) FROM (SELECT v.person, count(*) AS n, max(1000 / v.minutes) AS m FROM visits v JOIN doctors d ON d.clinic = v.clinic GROUP BY v.person) s;
SELECT dp_sum(n, 0, 100) FROM (SELECT v.person, count(*) FILTER (WHERE 1000 / v.minutes > 1) AS n FROM visits v JOIN doctors d ON d.clinic = v.clinic WHERE d.beds > 5 GROUP BY v.person) s;
@ windows that pass over NULLs | 0 | 0A000 0A000 0A000
SELECT dp_sum(x, 0, 100) FROM (SELECT id, lag(age) IGNORE NULLS OVER (PARTITION BY id ORDER BY age) AS x FROM people) s;
SELECT dp_sum(x, 0, 100) FROM (SELECT person, first_value(minutes) IGNORE NULLS OVER (PARTITION BY person ORDER BY day) AS x FROM visits) s;
SELECT dp_count(*) FROM (SELECT person, row_number() RESPECT NULLS OVER (PARTITION BY person ORDER BY day) AS x FROM visits) s WHERE x = 1;
@ functions that are new | 0 | 0A000 0A000 0A000 0A000 0A000
SELECT dp_count(*) FROM people WHERE error_on_null(age) >= 0;
SELECT dp_count(*) FROM people WHERE tid_block(ctid) > 100;
SELECT dp_count(*) FROM people WHERE random(born, date '2020-01-01') > '2000-01-01';
SELECT dp_count(*) FROM people WHERE secret::text::oid8::text = (7319000000 + 555000)::text;
SELECT dp_count(*) FROM people, range_minus_multi(int4range(0, age), int4range(3, 5)) r WHERE r IS NOT NULL;
@ rows of a subquery as JSON | 0 | 0A000 0A000 0A000
SELECT dp_count(*) FROM people p WHERE JSON_ARRAY(SELECT p.secret RETURNING text) = '[1]';
SELECT JSON_ARRAY(SELECT secret FROM people);
SELECT dp_count(*) FROM people p WHERE JSON_ARRAY(SELECT p.note FORMAT JSON RETURNING text) = '[]';
@ rows that are there already | 0 | 0A000 42501 42501
CREATE TABLE IF NOT EXISTS numbers (n bigint PRIMARY KEY, noisy bigint);
INSERT INTO numbers SELECT 1, dp_count(*) FROM people ON CONFLICT (n) DO SELECT RETURNING noisy;
INSERT INTO people (id) VALUES (5000) ON CONFLICT (id) DO SELECT RETURNING *;
INSERT INTO lone AS l (id) VALUES (5000) ON CONFLICT (id) DO SELECT FOR UPDATE WHERE l.age = 0 RETURNING 1;
@ tables written anew | 0 | 42501 42501 42501
REPACK people;
REPACK (VERBOSE, ANALYZE) visits;
REPACK people USING INDEX people_age_idx;
ATTACKS

# What is gone when its statement is run; another session's plan knows.
my $letters = $node->background_psql('nobody', on_error_stop => 0);
$letters->query('SET ROLE ann');
$letters->query('PREPARE letters AS SELECT dp_count(*) FROM letters');
like($letters->query('EXECUTE letters'), qr/^-?\d+$/, 'a linked table is asked about');
my $loosen = $version >= 18 ? 'ALTER CONSTRAINT sent NOT ENFORCED' : 'DROP CONSTRAINT sent';
$node->safe_psql('nobody', "ALTER TABLE clinic.letters $loosen");
is($letters->query('EXECUTE letters'), '', 'and is not once its foreign key is not enforced');
like($letters->{stderr}, qr/is not enforced|no foreign key|has no/, 'which the error says');
$letters->quit;

# Rights that are new.
if ($version >= 16)
{
	$node->safe_psql('nobody', <<'SQL');
CREATE ROLE pool;
CREATE ROLE carl LOGIN;
SELECT dp_agg.drop_budget('ann'), dp_agg.drop_budget('team');
SELECT dp_agg.set_budget('pool', 100, 1e-6);
GRANT pool TO carl WITH INHERIT FALSE, SET FALSE, ADMIN TRUE;
SQL
	my $asks = sub { return $node->psql('nobody', 'SET ROLE carl; SELECT dp_count(*) FROM people', on_error_stop => 1) == 0 };
	ok(!$asks->(), 'a grant that may only be passed on pays for nothing');
	$node->safe_psql('nobody', 'GRANT pool TO carl WITH SET TRUE');
	ok(!$asks->(), 'nor does one that is not inherited');
	$node->safe_psql('nobody', 'GRANT pool TO carl WITH INHERIT TRUE');
	ok($asks->(), 'one that is does');
}
if ($version >= 17)
{
	my $found = "SELECT object, channel FROM dp_agg.check_exposure('bob') WHERE channel ~ '(?i)maintain' ORDER BY 1";
	is($node->safe_psql('nobody', $found), '', 'nothing that may be maintained is found');
	$node->safe_psql('nobody', 'GRANT MAINTAIN ON people, copied, released TO bob; GRANT pg_maintain TO bob');
	is($node->safe_psql('nobody', $found), "clinic.copied|MAINTAIN\nclinic.people|MAINTAIN\nrole pg_maintain|membership through pg_maintain",
		'a table, a copy of it, and all of them');
	$node->safe_psql('nobody', $_)
	  for split /\n/, $node->safe_psql('nobody', "SELECT remedy FROM dp_agg.check_exposure('bob') WHERE channel ~ '(?i)maintain'");
	is($node->safe_psql('nobody', $found), '', 'and nothing after what closes it');
}

AttackTest::finish($neighbours);
