# A hypertable of TimescaleDB is asked about like one table with the same rows, whatever its chunks are like, which of
# them TimescaleDB would read, and what its settings say; and what doc/admin.md says of meters works as it stands there.
#
# Skipped where TimescaleDB is not installed; test/prepare.sh installs it where Debian has it for this version of PostgreSQL.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('hypertable');
plan skip_all => 'TimescaleDB is not installed' if !-e $node->config_data('--pkglibdir') . '/timescaledb.so';
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'timescaledb,dp_agg'\nmax_worker_processes = 24\nautovacuum = off\ntimescaledb.telemetry_level = off\n");
$node->start;

# What is indented under a heading of a document.
sub block_under
{
	my ($name, $heading) = @_;
	my ($part) = grep { /^#+ \Q$heading\E\n/ } split /\n(?=#+ )/, slurp_file($name);
	return join '', map { s/^ {4}//mgr } ($part // '') =~ /(?<=\n\n)((?: {4,}[^\n]*\n)+)/g;
}

# Thirty chunks and more: the first ten have a column that has been dropped, so that numbers of columns differ, and lack values of
# one that came later; one has many rows, and the last is empty.
$node->safe_psql('postgres', <<'SQL');
SET client_min_messages = error;
CREATE EXTENSION timescaledb;
CREATE EXTENSION dp_agg;
CREATE ROLE ann LOGIN;
SELECT dp_agg.set_budget('ann', 1e15, 1e-3);
ALTER ROLE ann SET dp_agg.epsilon = 1e6;
ALTER ROLE ann SET client_min_messages = error;
CREATE TABLE meters (time timestamptz NOT NULL, person int, gone text, kwh int, price numeric, site text, working boolean);
SELECT create_hypertable('meters', 'time', chunk_time_interval => interval '10 days');
INSERT INTO meters SELECT timestamptz '2024-01-03 00:00+00' + i * interval '1 hour', nullif(i % 211, 0), 'x', i % 51, i % 700 / 100.0, 'site ' || i % 4, nullif(i % 3, 0) = 1
	FROM generate_series(0, 2399) i;
ALTER TABLE meters DROP COLUMN gone, ADD COLUMN phase int DEFAULT 7;
INSERT INTO meters SELECT timestamptz '2024-04-12 00:00+00' + i * interval '1 hour', nullif(i % 211, 0), i % 51, i % 700 / 100.0, 'site ' || i % 4, nullif(i % 3, 0) = 1, i % 3
	FROM generate_series(0, 4319) i;
INSERT INTO meters SELECT timestamptz '2025-06-01 00:00+00' + i * interval '1 minute', i % 211, i % 51, i % 700 / 100.0, 'site ' || i % 4, i % 2 = 0, i % 3 FROM generate_series(1, 5000) i;
INSERT INTO meters VALUES ('2025-12-24', 1, 1, 1, 'site 0', true, 1);
DELETE FROM meters WHERE time > '2025-12-01';
CREATE INDEX ON meters (person, time);
CREATE TABLE one AS SELECT * FROM meters;
CREATE INDEX ON one (person, time);
CREATE TABLE known AS SELECT * FROM one WHERE person IS NOT NULL;
CREATE TABLE sites (site text PRIMARY KEY, region int);
INSERT INTO sites SELECT 'site ' || i, i % 2 FROM generate_series(0, 5) i;
GRANT SELECT ON sites TO ann;
ANALYZE;
SELECT dp_agg.protect(t, 'person', max_rows => 60, max_groups => 30),
	dp_agg.set_domain(t, 'kwh', 0, 50), dp_agg.set_domain(t, 'price', 0, 10), dp_agg.set_domain(t, 'phase', 0, 7),
	dp_agg.set_domain(t, 'time', timestamptz '2024-01-01', timestamptz '2025-12-31') FROM unnest(ARRAY['meters', 'one']) t;
SQL
my $chunks = $node->safe_psql('postgres', q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'meters'::regclass});
cmp_ok($chunks, '>=', 30, "$chunks chunks");

# At this epsilon noise is a hundredth at most of what the last figure shown could be off by, so that it is seen with a probability below 1e-12.
my @questions = (
	'SELECT count(*), count(kwh), count(working), count(DISTINCT person) FROM %s',
	'SELECT sum(kwh), round(avg(price), 2), round(stddev(kwh)::numeric, 2) FROM %s',
	'SELECT count(*) FROM ONLY %s WHERE kwh < 0',
	q{SELECT count(*) FROM %s WHERE time < '2024-02-01'},
	q{SELECT sum(kwh) FROM %s WHERE time BETWEEN '2024-03-05 12:00+00' AND '2024-05-05' AND person > 100},
	q{SELECT count(*) FROM %s WHERE time > '2025-01-01'},
	q{SELECT count(*) FROM %s WHERE time > '2025-11-01'},
	'SELECT working, count(*), sum(phase) FROM %s GROUP BY 1',
	'SELECT site, count(*), sum(phase) FROM %s GROUP BY 1',
	q{SELECT date_trunc('month', time), count(*) FROM %s GROUP BY 1},
	q{SELECT s.region, count(*), sum(m.phase) FROM %s m JOIN sites s USING (site) GROUP BY 1},
	q{SELECT s.site, count(m.person) FROM sites s LEFT JOIN %s m ON m.site = s.site GROUP BY 1},
	'SELECT site, working, count(*) FROM %s GROUP BY GROUPING SETS ((site), (working), ())',
	'SELECT count(*) FROM (SELECT person, sum(kwh) AS s FROM %s GROUP BY person) x WHERE s > 500',
	'SELECT sum(n) FROM (SELECT person, least(count(*), 30) AS n FROM %s GROUP BY person) x',
	'SELECT count(*) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY time, kwh, site) AS r FROM %s) x WHERE r <= 3',
	'SELECT count(*) FROM %1$s a WHERE EXISTS (SELECT FROM %1$s b WHERE b.person = a.person AND b.kwh = a.kwh AND b.time < a.time)',
	'SELECT count(*) FROM (SELECT person, time FROM %1$s WHERE kwh < 9 UNION ALL SELECT person, time FROM %1$s WHERE phase = 2) x',
	'SELECT count(*) FROM (SELECT person FROM %1$s WHERE kwh < 2 EXCEPT SELECT person FROM %1$s WHERE kwh = 50) x',
	'SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY kwh)) FROM %s',
	'SELECT dp_count(DISTINCT site) FROM %s',
	'SELECT count(*) FROM %1$s WHERE kwh > (SELECT avg(kwh) FROM %1$s)',
	'SELECT key, count FROM dp_histogram(%2$s, \'site\', ARRAY[\'site 0\', \'site 3\', \'none\'])');

# What is set may choose plans, and nothing else.
my @settings = (
	'SET max_parallel_workers_per_gather = 0',
	'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0',
	'SET work_mem = 64; SET enable_hashagg = off',
	'SET enable_seqscan = off; SET constraint_exclusion = on',
	'SET constraint_exclusion = off; SET timescaledb.enable_optimizations = off; SET timescaledb.enable_chunk_append = off',
	'SET timescaledb.enable_columnarscan = off; SET timescaledb.enable_constraint_exclusion = off');

# Which of these settings has this version?
my %known = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', q{SELECT name FROM pg_settings});

sub asked
{
	my ($role, $set, $question, $table) = @_;
	my $text = sprintf $question, $table, "'$table'";
	my ($ret, $out, $err) = $node->psql('postgres', "$set; $text", extra_params => [ '-U', $role ]);
	return join("\n", sort split /\n/, $out) . $err;
}

for my $settings (@settings)
{
	my $set = join '; ', grep { /SET (\S+)/ && $known{$1} } split /; /, $settings;
	is(asked('ann', $set, $_, 'meters'), asked('ann', $set, $_, 'one'), "$set: $_") for @questions;
}

# No bound cuts anything, so that it is what the owner sees of rows that are somebody's.
my $owner = $node->safe_psql('postgres', 'SELECT current_user');
is(asked('ann', 'SET jit = off', $_, 'meters'), asked($owner, 'SET jit = off', $_, 'known'), "exact: $_") for grep { !/dp_|stddev|percentile|date_trunc/ } @questions;

# The walk-through of doc/admin.md, in a database of its own.
my $text = block_under('doc/admin.md', 'Hypertables');
like($text, qr/create_hypertable/, 'admin.md: meters');
$node->safe_psql('postgres', 'CREATE DATABASE house; CREATE ROLE analyst LOGIN');
$node->safe_psql('house', 'CREATE EXTENSION timescaledb; CREATE EXTENSION dp_agg');
my ($status, $out, $err) = $node->psql('house', "SET client_min_messages = error;\n$text", on_error_stop => 1);
is("$status $err", '0 ', 'admin.md: what is said of meters works');

# 12 weeks of 16,800 readings: at epsilon 25 each the noise of a count has a scale of 168 * 14 / 25 = 94, so that it is above 2,500 in one of
# them with a probability below 1e-10.
my @weeks = map { /^2024-\d\d-\d\d [^|]*\|(-?\d+)\|/ ? $1 : () } split /\n/, $out;
is(scalar(grep { abs($_ - 16800) < 2500 } @weeks), 12, 'admin.md: 12 weeks are answered');
$node->stop;
done_testing();
