# Attacks by what a session looks up for the first row that wants it, and keeps.
#
# While a session of hers sleeps in a transaction, another one fills the queue of
# invalidations, so that all that the first has looked up is forgotten.  If then a row
# of person 5000 makes it look something up, the next statement need not; how many
# buffers that one touches, EXPLAIN tells.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use AttackTest;

# When a session learns of invalidations varies.
$AttackTest::messages = 'log';

# What is looked up for a row is the exact query's, whatever the aggregate was called.
$AttackTest::plain_too = 0;

my $admin = <<'SQL';
CREATE FUNCTION public.until_it_waits() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		EXIT WHEN EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE NOT granted AND datname = current_database());
		PERFORM pg_sleep(0.01);
	END LOOP;
END $$;
-- Wait until a question waits for its charge.
CREATE FUNCTION public.until_it_asks() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		PERFORM pg_stat_clear_snapshot();
		EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND usename = 'ann' AND state = 'active' AND wait_event_type = 'Extension');
		PERFORM pg_sleep(0.01);
	END LOOP;
END $$;
SET ROLE olga;
CREATE TYPE clinic.mood AS ENUM ('calm', 'sad');
ALTER TYPE clinic.mood ADD VALUE 'glad' BEFORE 'sad';
CREATE TABLE clinic.more (id int PRIMARY KEY, at time, device macaddr8, net inet, tags int[], data jsonb, during int4range, span interval, mood clinic.mood, bits bit(8), key uuid, keys macaddr[]);
INSERT INTO clinic.more SELECT i, '12:00', '08:00:2b:01:02:03:04:05', '10.0.0.1', '{1,2}', '{"a": 1}', '[1,5)', '1 day', 'calm', B'10101010', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{08:00:2b:01:02:03}' FROM generate_series(1, 100) i;
SELECT dp_agg.protect('clinic.more', 'id');
RESET ROLE;
SQL
my %person = map { $_ => q{INSERT INTO clinic.more VALUES (5000, '13:00', '08:00:2b:01:02:03:04:06', '10.0.0.2', '{3,4}', '{"b": 2}', '[7,9)', '2 days', 'glad', B'11111111', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12', '{08:00:2b:01:02:04}');} } qw(somebody outlier);

# What a query looks up is counted while it is parsed, planned and run within a function.
my $analyst = <<'SQL';
CREATE FUNCTION probe(query text) RETURNS void LANGUAGE plpgsql AS 'BEGIN EXECUTE query; END';
CREATE FUNCTION pages(query text, OUT pages bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT probe(%L)', query) INTO plan;
	pages := (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
END $$;
CREATE FUNCTION waits() RETURNS int VOLATILE LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_lock(1), pg_advisory_unlock(1); RETURN 1; END';
CREATE FUNCTION flood() RETURNS void LANGUAGE plpgsql SET client_min_messages = warning AS $$
BEGIN
	EXECUTE format('CREATE TABLE ann.wave (%s)', (SELECT string_agg(format('c%s int', i), ', ') FROM generate_series(1, 1500) i));
	DROP TABLE ann.wave;
END $$;
CREATE TABLE likeness (id int, name text, city text, age int, pay numeric(12, 2), score float8, born date, seen timestamptz, code text, tag int, active boolean, secret bigint, note text);
INSERT INTO likeness VALUES (5000, 'n', 'c', 33, 1003, 3.5, '1960-01-01', '2020-01-02 00:00:00+00', '123', 7, true, 5, 'note');
CREATE TABLE likeness_too (id int, at time, device macaddr8, net inet, tags int[], data jsonb, during int4range, span interval, mood clinic.mood, bits bit(8), key uuid, keys macaddr[]);
INSERT INTO likeness_too VALUES (5000, '13:00', '08:00:2b:01:02:03:04:06', '10.0.0.2', '{3,4}', '{"b": 2}', '[7,9)', '2 days', 'glad', B'11111111', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12', '{08:00:2b:01:02:04}');
SQL
my $neighbours = new_neighbours('attack_caches', conf => "dp_agg.keeper_idle_timeout = 10min\n", admin => $admin, analyst => $analyst, person => \%person);

# What the first row of a block looks up, and what tells, four times: with all forgotten
# before anything is read, after a block before, and while the charge is waited for; and
# in a session that is new.  A lock
# makes the session hear of it.  Each attack has a session of its own, since in other
# databases there are floods as well.
my $forget = <<'SQL';
> ann2
SELECT pg_advisory_lock(1);
> ann &
SELECT waits();
> admin
SELECT until_it_waits();
> ann2
SELECT flood();
SELECT pg_advisory_unlock(1);
> ann
LOCK TABLE likeness IN ACCESS SHARE MODE;
SQL

# The tables' columns are cleared away, and what new sessions begin with is made anew.
my $tidy = <<'SQL';
> admin
VACUUM pg_attribute;
\c -
SQL

sub forgetting
{
	my ($name, $block, @queries) = @_;
	my $probes = join '', map { "SELECT pages(\$q\$$_\$q\$);\n" } @queries;
	return <<"ATTACKS";
@ $name, forgotten before the first row is read | 1 |
\\c -
BEGIN;
DECLARE c CURSOR FOR $block;
$forget
FETCH ALL FROM c;
${probes}COMMIT;
$tidy~ pages\\|\\d\\d
@ $name, forgotten between two blocks | 1 |
\\c -
BEGIN;
DECLARE c CURSOR FOR SELECT 1 AS one FROM (SELECT dp_count(*) FROM lone) s UNION ALL SELECT 2 FROM ($block) s;
FETCH c;
$forget
FETCH ALL FROM c;
${probes}COMMIT;
$tidy~ pages\\|\\d\\d
@ $name, forgotten between the plan and the first row | 1 |
\\c -
> admin
BEGIN;
SELECT FROM dp_agg.budget WHERE role::oid = 'ann'::regrole FOR UPDATE;
> ann &
$block;
> admin
SELECT until_it_asks();
> ann2
SELECT flood();
> admin
COMMIT;
> ann
$probes
$tidy~ pages\\|\\d\\d
@ $name, in a session that knows nothing yet | 1 |
\\c -
$block;
$probes
~ pages\\|\\d\\d
ATTACKS
}

# The same of a statement whose plan is kept, and whose rows need nothing that is not known yet.
sub forgetting_kept
{
	my ($name, $block, @queries) = @_;
	my $probes = join '', map { "SELECT pages(\$q\$$_\$q\$);\n" } @queries;
	return <<"ATTACKS";
@ $name, forgotten between two runs of a kept plan | 5 |
\\c -
PREPARE kept AS $block;
EXECUTE kept;
EXECUTE kept;
EXECUTE kept;
EXECUTE kept;
BEGIN;
$forget
EXECUTE kept;
${probes}COMMIT;
$tidy~ pages\\|\\d\\d
ATTACKS
}

# Conditions that are worked out for person 5000 alone, and then for a row of hers.
sub conditions
{
	my ($table, $likeness, %conditions) = @_;
	return join '', map { one_kind($table, $likeness, $_, @{ $conditions{$_} }) } sort keys %conditions;
}

sub one_kind
{
	my ($table, $likeness, $kind, @conditions) = @_;
	my @values = map { "CASE WHEN id = 5000 THEN $_ END" } @conditions;
	my $number = 0;
	return forgetting($kind, 'SELECT ' . join(', ', map { "dp_count($_) AS noisy_" . $number++ } @values) . " FROM $table",
		map { "SELECT count($_) FROM $likeness" } @values);
}

# The first look at rows of a catalog may mark what is dead there: it is not compared.
my $toast = 'SELECT pg_relation_is_updatable(reltoastrelid, false) FROM pg_class WHERE relname IN ($v$parts_1$v$, $v$parts_2$v$, $v$parts_3$v$)';
$neighbours->attack(<<"ATTACKS");
@ a look at the catalogs, not compared | 0 |
SELECT pages(\$q\$$toast\$q\$) AS noisy_pages;
SELECT pages(\$q\$$toast\$q\$) AS noisy_pages;
ATTACKS

$neighbours->attack(conditions('people', 'likeness',
	'functions that may fail' => [ 'age / 2 > 5', 'tag % 7 = 1', 'score / 2 > 1', 'pay / 3 > 1', 'score::int > 1', q{substr(name, 1, 2) = 'ab'} ],
	'functions of numbers' => [ 'pay * 2 + 1 > 5', 'score::numeric > 1', 'pay::int > 5', 'power(score, 2) > 5', 'sqrt(pay) > 1', 'width_bucket(score, 0, 10, 5) > 2' ],
	'functions of times' => [ 'extract(year FROM born) > 1900', 'extract(epoch FROM seen) > 5', q{date_trunc('month', seen) > '2020-01-01'},
		q{(seen AT TIME ZONE 'Europe/Berlin')::date > '2020-01-01'}, q{born + interval '1 day' > '2000-01-01'}, q{age(seen) > interval '1 year'} ],
	'lists' => [ 'age IN (1, 2)', 'tag IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)', q{city IN ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k')},
		'pay IN (1, 2, 3)', q{born = ANY ('{2000-01-01,2000-01-02}'::date[])} ],
	'patterns' => [ q{name LIKE '%50_0'}, q{name ILIKE '%N%'}, 'upper(city) > lower(code)' ],
	'collations' => [ q{city > 'b' COLLATE "C"}, q{name > 'b' COLLATE "POSIX"}, q{code > 'b'} ],
	'values out of line' => [ q{note > 'a'}, 'length(note) > 5', q{note LIKE '%a'} ],
	'values as text' => [ q{age::text = '33'}, q{born::text > '1'}, q{pay::text > '1'}, q{score::text > '1'}, q{seen::text > '1'} ],
	'comparisons' => [ 'LEAST(pay, 5) > 1', 'GREATEST(1.0, score::numeric) > 1', q{NULLIF(city, 'x') IS NULL}, 'pay IS DISTINCT FROM 5',
		q{CASE city WHEN 'a' THEN 1 WHEN 'b' THEN 2 END = 1}, q{born BETWEEN '2000-01-01' AND now()} ]));
$neighbours->attack(conditions('more', 'likeness_too',
	'enums' => [ q{mood > 'calm'}, q{mood IN ('glad', 'sad')}, q{mood::text = 'glad'} ],
	'arrays' => [ '3 = ANY (tags)', q{tags @> '{3}'}, 'cardinality(tags) > 1', q{tags = '{3,4}'} ],
	'arrays of a rare type' => [ q{keys @> '{08:00:2b:01:02:04}'}, q{keys = '{08:00:2b:01:02:04}'} ],
	'ranges' => [ 'during @> 8', q{during && '[8,9)'}, 'lower(during) > 3', 'int4range(id, id + 1) @> 5' ],
	'several ranges' => [ q{id <@ '{[1,2),[4,5)}'::int4multirange}, q{during && '{[1,2),[4,5)}'::int4multirange} ],
	'jsonb' => [ q{data ->> 'b' = '2'}, q{(data -> 'b')::int = 2} ],
	'rare types' => [ q{span > interval '1 hour'}, q{at > time '12:30'}, q{device > '08:00:2b:01:02:03:04:05'}, q{key > 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'},
		'extract(hour FROM at) = 13' ]));

# What values are grouped by, sorted and joined.
$neighbours->attack(join '', map { forgetting("groups by $_", "SELECT dp_count(*) AS noisy, 1 AS one FROM people WHERE id = 5000 GROUP BY $_",
			"SELECT $_, count(*) FROM likeness GROUP BY $_", "SELECT count(DISTINCT $_) FROM likeness") } qw(name pay born seen score active));
$neighbours->attack(forgetting('medians', 'SELECT dp_median(pay, 0, 2000) IS NULL AS noisy, dp_median(score, 0, 10) IS NULL AS noisy_too FROM people WHERE id = 5000',
		'SELECT count(DISTINCT pay) FROM likeness', 'SELECT count(DISTINCT score) FROM likeness')
  . forgetting('a join by text', 'SELECT dp_count(*) AS noisy FROM people p JOIN doctors d ON d.clinic = CASE WHEN p.id = 5000 THEN p.city END',
		'SELECT count(*) FROM likeness p JOIN doctors d ON d.clinic = p.city')
  . forgetting('a join of protected tables', 'SELECT dp_count(*) AS noisy FROM people p JOIN visits v ON v.person = p.id WHERE p.id = 5000 AND p.city < v.clinic',
		'SELECT count(*) FROM likeness p JOIN doctors d ON d.clinic > p.city')
  . forgetting('partitions', q{SELECT dp_count(*) AS noisy FROM parts WHERE person = 5000 AND note > 'a'}, q{SELECT count(*) FROM likeness WHERE note > 'a'},
		$toast)
  . forgetting('a histogram', q{SELECT count AS noisy FROM dp_histogram('people', 'pay', 0, 2000, 3, filter => 'id = 5000')}, 'SELECT count(DISTINCT width_bucket(pay, 0, 2000, 3)) FROM likeness')
  . forgetting('a model', q{SELECT 1 AS one FROM dp_linregr('people', 'pay', 0, 2000, '{"score": [0, 10], "city": ["a", "b"], "seen": ["2020-01-01", "2020-12-31"], "active": true}', filter => 'id = 5000')},
		'SELECT regr_slope(pay, score), max(city), max(seen), bool_or(active) FROM likeness')
  . forgetting('a model of units of several rows', q{SELECT 1 AS one FROM dp_linregr('visits', 'minutes', 0, 2000, '{"cost": [0, 10], "clinic": ["a", "b"]}', filter => 'person = 5000')},
		'SELECT count(*) OVER (PARTITION BY id), pay, city FROM likeness')
  . forgetting('passes', q{SELECT 1 AS one FROM dp_logregr('people', 'pay > 500 AND name > ''a''', '{"score": [0, 10], "city": ["a", "b"], "seen": ["2020-01-01", "2020-12-31"], "active": true}', 2, filter => 'id = 5000')},
		'SELECT regr_slope(pay, score), max(city), max(seen), bool_or(active), max(name) FROM likeness')
  . forgetting('passes of units of several rows', q{SELECT 1 AS one FROM dp_svm('visits', 'minutes > 60', '{"cost": [0, 10], "clinic": ["a", "b"]}', 2, filter => 'person = 5000')},
		'SELECT count(*) OVER (PARTITION BY id), pay, city FROM likeness')
  . forgetting('most frequent values', q{SELECT 1 AS one FROM dp_top('people', 'pay', 3, filter => 'id = 5000') OFFSET 1000}, 'SELECT count(DISTINCT pay) FROM likeness')
  . forgetting('an index', 'SELECT dp_count(*) AS noisy FROM people WHERE secret = 7319000000 + 555000', 'SELECT count(*) FROM likeness WHERE secret = 1'));

$neighbours->attack(forgetting_kept('functions', q{SELECT dp_count(CASE WHEN id = 5000 THEN age / 2 > 5 END) AS noisy, dp_count(CASE WHEN id = 5000 THEN substr(name, 1, 2) = 'ab' END) AS noisy_too FROM people},
		'SELECT count(age / 2 > 5) FROM likeness', q{SELECT count(substr(name, 1, 2) = 'ab') FROM likeness})
  . forgetting_kept('values out of line', q{SELECT dp_count(CASE WHEN id = 5000 THEN note > 'a' END) AS noisy FROM people}, q{SELECT count(note > 'a') FROM likeness}, $toast)
  . forgetting_kept('groups by pay', 'SELECT dp_count(*) AS noisy, 1 AS one FROM people WHERE id = 5000 GROUP BY pay', 'SELECT pay, count(*) FROM likeness GROUP BY pay')
  . forgetting_kept('medians', 'SELECT dp_median(pay, 0, 2000) IS NULL AS noisy FROM people WHERE id = 5000', 'SELECT count(DISTINCT pay) FROM likeness')
  . forgetting_kept('a join by text', 'SELECT dp_count(*) AS noisy FROM people p JOIN doctors d ON d.clinic = CASE WHEN p.id = 5000 THEN p.city END',
		'SELECT count(*) FROM likeness p JOIN doctors d ON d.clinic = p.city'));

$neighbours->finish;
