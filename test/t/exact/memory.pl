# What a session takes of memory for adding up units: no more than work_mem *
# hash_mem_multiplier and a megabyte, whatever the rows are.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'the kernel does not say what a process has had at most'
  unless -w '/proc/self/clear_refs' && slurp_file('/proc/self/status') =~ /VmHWM/;

my $node = new_gate('memory', conf => "shared_buffers = 256MB\njit = off\nmax_parallel_workers_per_gather = 0\n");
my $rows = 600_000;
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE dense AS SELECT i % 60000 AS unit, (i / 60000 + i) % 200 AS key, 'group number ' || (i / 60000 + i) % 200 AS name, i % 1000 AS value FROM generate_series(1, $rows) i;
CREATE TABLE alone AS SELECT i AS unit, i % 50 AS key, 'group number ' || i % 50 AS name, i % 1000 AS value FROM generate_series(1, $rows) i;
CREATE TABLE half AS SELECT CASE WHEN i % 2 = 0 THEN 0 ELSE i END AS unit, i % 3000 AS key, 'group number ' || i % 3000 AS name, i % 1000 AS value FROM generate_series(1, $rows) i;
CREATE TABLE many AS SELECT i % 60000 AS unit, i % 100003 AS key, 'group number ' || i % 100003 AS name, i % 1000 AS value FROM generate_series(1, $rows) i;
CREATE TABLE few (unit int, key int, name text, value int);
SELECT dp_agg.protect(t, 'unit', max_rows => 100, max_groups => 100) FROM unnest('{dense, alone, half, many, few}'::regclass[]) t;
CREATE TABLE letters AS SELECT i % 20 AS unit, repeat(chr(97 + i % 5), 400000) AS note, 1 AS key FROM generate_series(1, 400) i;
CREATE TABLE no_letters (unit int, note text, key int);
CREATE TABLE senders AS SELECT repeat(chr(97 + i % 20), 400000) AS unit, 1 AS key FROM generate_series(1, 400) i;
SELECT dp_agg.protect(t, 'unit', max_rows => 100, max_groups => 100) FROM unnest('{letters, no_letters, senders}'::regclass[]) t;
SELECT dp_agg.set_budget(current_user::regrole, 1e9, 1e-3);
SQL
$node->safe_psql('postgres', 'VACUUM ANALYZE');

# Kilobytes that a session grew by, at most, while it ran a query: what it shares with
# others, and had taken before, left out.
sub grown
{
	my ($work_mem, $query) = @_;
	my ($table) = $query =~ /FROM (?:dp_\w+\(')?(\w+)/;
	my $few = $query =~ /note/ ? 'no_letters' : 'few';
	my $status = q{regexp_replace(pg_read_file('/proc/self/status'), '.*VmHWM:\s+(\d+).*RssAnon:\s+(\d+).*RssFile:\s+(\d+).*RssShmem:\s+(\d+).*', '\1 \2 \3 \4')};
	my $output = $node->safe_psql('postgres', <<"SQL");
SET dp_agg.delta = 1e-9;
SET work_mem = '$work_mem';
SET hash_mem_multiplier = 2;
SELECT count(*) FROM (${\($query =~ s/\b$table\b/$few/r)}) q;
SELECT count(unit) FROM $table;
COPY (SELECT 5) TO PROGRAM 'cat > /proc/\$PPID/clear_refs';
SELECT $status;
SELECT count(*) FROM ($query) q;
SELECT $status;
SQL
	my ($before, $after) = grep { /^\d+ \d+ \d+ \d+$/ } split /\n/, $output;
	my ($most, undef, $file, $shared) = split / /, $after;
	return $most - $file - $shared - (split / /, $before)[1];
}

# Of released rows PostgreSQL's store holds work_mem besides; of a quantile there are
# eight bytes for each point, and blocks that hold them.  An eighth of a megabyte is the
# executor's, and varies.
my %kilobytes = ('64kB' => 64, '1MB' => 1024, '4MB' => 4096, '32MB' => 32768);
for my $work_mem (sort { $kilobytes{$a} <=> $kilobytes{$b} } keys %kilobytes)
{
	for my $table ('dense', 'alone', 'half', 'many')
	{
		for my $key ('key', 'name', '')
		{
			for my $aggregate ('dp_sum(value, 0, 1000)', 'dp_median(value, 0, 1000, 0.1, 1)')
			{
				my $most = 2 * $kilobytes{$work_mem} + 1024 + 128 + ($table eq 'many' ? $kilobytes{$work_mem} : 0) + ($aggregate =~ /median/ ? 64 : 0);
				my $grown = grown($work_mem, $key ? "SELECT $key, $aggregate FROM $table GROUP BY $key" : "SELECT $aggregate FROM $table");
				cmp_ok($grown, '<=', $most, "$work_mem: $aggregate of $table" . ($key ? " by $key" : ''));
			}
		}
	}
}

# Long values of a page's rows are not held together: a megabyte of them, one that goes beyond, and keys that are released.
for my $query ('SELECT note, dp_count(*) FROM letters GROUP BY note', 'SELECT dp_count(DISTINCT note) FROM letters',
	'SELECT note, key, dp_count(*) FROM letters WHERE key > 0 GROUP BY note, key', 'SELECT dp_count(*) FROM senders')
{
	my $grown = grown('1MB', $query);
	cmp_ok($grown, '<=', 2 * 1024 + 1024 + 128 + 4 * 1024, "$query: $grown kB");
}

# Models and synthetic rows: rows are sorted by their units within work_mem, and those of one unit kept within as much; the released
# rows take as much again.  Losses take sixteen bytes a model in each of three steps, tables eight bytes a cell in four.
my @calls = (
	[ 'regression', 0, q{dp_linregr('%s', 'value', 0, 1000, '{"key": [0, 3000]}')} ],
	[ 'choice among models', 3 * 16 * 0.5, q{dp_select_model('%s', 'value > 500', '{"key": [0, 3000]}', dp_agg.model_grid(1, 2, 21), 'logistic', 4)} ],
	[ 'synthetic rows', 4 * 8 * 0.3, q{dp_synthesize('%s', '{"key": [0, 3000, 10], "value": [0, 1000, 10], "name": ["group number 1"]}', 1000) AS (key int, value int, name text)} ],
	[ 'synthetic rows of many cells', 4 * 8 * 1050, q{dp_synthesize('%s', '{"key": [0, 3000, 1023], "value": [0, 1000, 1023]}', 1000) AS (key int, value int)} ]);
for my $work_mem ('64kB', '4MB', '32MB')
{
	for my $table ('dense', 'half')
	{
		for my $call (@calls)
		{
			my ($name, $more, $text) = @$call;
			my $most = 3 * $kilobytes{$work_mem} + 1024 + 128 + $more;
			my $grown = grown($work_mem, sprintf "SELECT * FROM $text", $table);
			cmp_ok($grown, '<=', $most, "$work_mem: $name of $table: $grown kB");
		}
	}
}

$node->stop;
done_testing();
