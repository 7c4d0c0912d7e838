# A question has the same digest in a database restored from a dump, where every object that
# is not built in has another number.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('questions');
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION postgres_fdw;
CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'dp_agg');
DO $$ BEGIN EXECUTE format('CREATE USER MAPPING FOR %I SERVER far', current_user); END $$;
CREATE SCHEMA "Odd x";
CREATE TYPE "Odd x"."Mood ""m""" AS ENUM ('low', 'fair', 'high');
CREATE DOMAIN "Odd x".years AS int CHECK (VALUE > 0);
CREATE TABLE "Odd x".patients (gone int, id int PRIMARY KEY, also_gone text, mood "Odd x"."Mood ""m""", moods "Odd x"."Mood ""m"""[], age "Odd x".years, city text, born date, seen timestamptz);
ALTER TABLE "Odd x".patients DROP gone, DROP also_gone;
CREATE TABLE "Odd x".visits (person int, day date, cost numeric(9, 2), place text) PARTITION BY RANGE (day);
CREATE TABLE "Odd x".visits_2020 PARTITION OF "Odd x".visits FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE "Odd x".stays (person int, day date, cost int) PARTITION BY RANGE (day);
CREATE TABLE "Odd x".stays_2020 PARTITION OF "Odd x".stays FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE FOREIGN TABLE "Odd x".stays_2021 PARTITION OF "Odd x".stays FOR VALUES FROM ('2021-01-01') TO ('2022-01-01') SERVER far;
CREATE TABLE "Odd x".parcels (id int PRIMARY KEY, patient int NOT NULL REFERENCES "Odd x".patients, weight int);
CREATE TABLE "Odd x".towns (name text PRIMARY KEY, state text);
CREATE VIEW "Odd x".totals AS SELECT person, sum(cost) AS total, max(place) AS place FROM "Odd x".visits GROUP BY person;
SELECT dp_agg.protect('"Odd x".patients', 'id', max_groups => 2), dp_agg.protect('"Odd x".visits', 'person', max_rows => 3, max_groups => 2),
	dp_agg.protect('"Odd x".stays', 'person', max_rows => 3), dp_agg.protect('"Odd x".parcels', 'patient', through => '"Odd x".patients', max_rows => 3);
SELECT dp_agg.set_domain('"Odd x".visits', 'place', ARRAY['a', 'b', '\ {"x"}']), dp_agg.set_domain('"Odd x".visits', 'cost', 1, 300), dp_agg.hide_column('"Odd x".patients', 'seen');
SQL

my @queries = (
	'SELECT dp_count(*) FROM "Odd x".patients',
	'SELECT mood, dp_count(*) FROM "Odd x".patients GROUP BY mood',
	q{SELECT city, dp_count(*) FROM "Odd x".patients WHERE mood = 'fair' AND mood IN ('fair', 'high') AND age + 0 > 30 GROUP BY city},
	q{SELECT mood, city, dp_sum(age + 0, 0, 100) FROM "Odd x".patients WHERE mood::text <> 'x' GROUP BY mood, city},
	'SELECT place, dp_sum(cost), dp_median(cost, 0, 300) FROM "Odd x".visits GROUP BY place',
	'SELECT dp_avg(total, 0, 9) FROM "Odd x".totals JOIN "Odd x".patients ON id = person WHERE mood > \'low\'',
	'SELECT dp_sum(cost, 0, 9), dp_count(*) FROM "Odd x".stays WHERE day > \'2020-02-02\'',
	'SELECT dp_sum(weight, 0, 9) FROM "Odd x".parcels WHERE weight > 3',
	'SELECT name, dp_count(*) FROM "Odd x".towns LEFT JOIN "Odd x".patients ON city = name GROUP BY name',
	q{SELECT * FROM dp_top('"Odd x".patients', 'city', 3)},
	q{SELECT * FROM dp_noisy_max('"Odd x".patients', 'mood', ARRAY['low', 'high']::"Odd x"."Mood ""m"""[])},
	q{SELECT dp_count(*) FROM "Odd x".patients WHERE city < 'b' COLLATE "en-x-icu" AND born::text > '2'},
);

# The questions of all these in a database, a line each.
sub questions
{
	my ($database, $settings) = @_;
	return $node->safe_psql($database, join("\n", $settings,
		q{CREATE FUNCTION pg_temp.asked(query text, OUT question text, OUT relations text) RETURNS SETOF record AS '$libdir/dp_questions_test', 'test_questions' LANGUAGE C STRICT;},
		map { "SELECT * FROM pg_temp.asked(\$q\$$_\$q\$);" } @queries));
}

# Keys vouch for links when no transaction is left that began before them.
sub settle
{
	my ($database) = @_;
	$node->poll_query_until($database, 'SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_xmin IS NOT NULL)')
	  or die 'old snapshots remain';
}

settle('postgres');
my $before = questions('postgres', '');
is(scalar(split /\n/, $before), scalar @queries, 'each block has a question');
unlike($before, qr/^\|/m, 'and a digest');
is(scalar(() = $before =~ /"Odd x"\./g), 17, 'with the relations that it reads');

my $dump = PostgreSQL::Test::Utils::tempdir;
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->safe_psql('restored', join ' ', map { "CREATE TYPE t$_ AS ENUM ('x');" } 1 .. 30);
$node->command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', "$dump/dump.sql" ], 'the database is dumped');
$node->command_ok([ 'psql', '-XqAt', '-o', '/dev/null', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('restored'), '-f', "$dump/dump.sql" ], 'and restored');
my $numbers = q{SELECT string_agg(oid::text, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = '"Odd x"'::regnamespace};
isnt($node->safe_psql('restored', $numbers), $node->safe_psql('postgres', $numbers), 'where objects have other numbers');
settle('restored');
is(questions('restored', ''), $before, 'questions have the same digests');
isnt(questions('restored', 'SET dp_agg.epsilon = 0.5;'), $before, 'under the same settings');

done_testing();
