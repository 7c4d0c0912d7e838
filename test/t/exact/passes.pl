# What passes of a model take of memory and files, and that they end soon when they are cancelled, charged and without a trace.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";
use Time::HiRes qw(time);

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('passes', conf => "log_temp_files = 0\nshared_buffers = 256MB\njit = off\nmax_parallel_workers_per_gather = 0\n");
my $rows = 800_000;
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE alone AS SELECT i AS unit, i % 1000 AS value, i % 7 AS key, i % 13 AS other, i % 3 = 0 AS y FROM generate_series(1, $rows) i;
CREATE TABLE few AS SELECT * FROM alone LIMIT 10;
ALTER TABLE alone ADD PRIMARY KEY (unit);
ALTER TABLE few ADD PRIMARY KEY (unit);
SELECT dp_agg.protect(t, 'unit') FROM unnest('{alone, few}'::regclass[]) t;
SELECT dp_agg.set_budget(r::regrole, 1e9, 1e-3) FROM unnest(ARRAY[current_user, 'ann']) r;
SQL
$node->safe_psql('postgres', 'VACUUM ANALYZE');

sub passes
{
	my ($table, $number) = @_;
	return "dp_logregr('$table', 'y', '{\"value\": [0, 1000], \"key\": [0, 6], \"other\": [0, 12]}', $number)";
}

# Kilobytes that a session grew by, at most, while it ran a call.
sub grown
{
	my ($work_mem, $number) = @_;
	my $status = q{regexp_replace(pg_read_file('/proc/self/status'), '.*VmHWM:\s+(\d+).*RssAnon:\s+(\d+).*RssFile:\s+(\d+).*RssShmem:\s+(\d+).*', '\1 \2 \3 \4')};
	my $output = $node->safe_psql('postgres', <<"SQL");
SET work_mem = '$work_mem';
SELECT count(*) FROM ${\passes('few', $number)};
SELECT sum(unit) FROM alone;
COPY (SELECT 5) TO PROGRAM 'cat > /proc/\$PPID/clear_refs';
SELECT $status;
SELECT count(*) FROM ${\passes('alone', $number)};
SELECT $status;
SQL
	my ($before, $after) = grep { /^\d+ \d+ \d+ \d+$/ } split /\n/, $output;
	my ($most, undef, $file, $shared) = split / /, $after;
	return $most - $file - $shared - (split / /, $before)[1];
}

SKIP:
{
	skip 'the kernel does not say what a process has had at most', 4
	  unless -w '/proc/self/clear_refs' && slurp_file('/proc/self/status') =~ /VmHWM/;

	# Records are 12 bytes: 9.6 MB of them.  A megabyte is the state of sums, and the executor's.
	my %kilobytes = ('64kB' => 64, '1MB' => 1024, '4MB' => 4096, '64MB' => 9600);
	for my $work_mem (sort { $kilobytes{$a} <=> $kilobytes{$b} } keys %kilobytes)
	{
		my $grown = grown($work_mem, 3);
		cmp_ok($grown, '<=', $kilobytes{$work_mem} + 1024, "$work_mem: passes take $grown kB");
	}
}

# Cancelled anywhere, a call stays charged, ends soon, and what it wrote is neither counted nor told.
my $temporary = 'SELECT temp_files, temp_bytes FROM pg_stat_database WHERE datname = current_database()';
my $before = $node->safe_psql('postgres', $temporary);
my $count = admitted($node);
my $log = -s $node->logfile;
my ($cancelled, $late) = (0, 0);
for my $try (1 .. 12)
{
	my $timeout = 60 * $try;
	my $began = time;
	my $answer = asked($node, [ "SET work_mem = '64kB'", 'SET client_min_messages = log', "SET statement_timeout = $timeout", "SELECT count(*) FROM ${\passes('alone', 8)}" ]);
	$late++ if time - $began > $timeout / 1000 + 1;
	$cancelled++ if $answer =~ /57014: canceling statement due to statement timeout/;
	unlike($answer, qr/temporary file/, "after $timeout ms: no word about files");
	cmp_ok(admitted($node), '<=', ++$count, 'charged once at most');
	$count = admitted($node);
}
cmp_ok($cancelled, '>=', 3, "$cancelled were cancelled");
is($late, 0, 'and each of them within a second, connecting included');
is(asked($node, [ "SET work_mem = '64kB'", "SELECT count(*) FROM ${\passes('alone', 8)}" ]), '4', 'left alone, it is answered');
is(admitted($node), $count + 1, 'and charged once');
cmp_ok(scalar(() = slurp_file($node->logfile, $log) =~ /temporary file/g), '>', 0, 'there were temporary files');
$node->safe_psql('postgres', 'SELECT pg_stat_force_next_flush()');
is($node->safe_psql('postgres', $temporary), $before, 'which are not counted');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_ls_tmpdir()}), '0', 'and none is left');

$node->stop;
done_testing();
