# Rows of a parallel plan in segments of shared memory: no file while they fit, files for the
# rest, and for all of it where no segment is to be had; and no segment that outlives its
# statement, whatever happens to the processes.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

plan skip_all => 'the library has no points to stop at' unless has_points();

# Shared memory that is seen as files.
my $node = new_gate('segments', conf => <<'CONF');
dynamic_shared_memory_type = mmap
restart_after_crash = on
log_temp_files = 0
log_line_prefix = '[%p] '
jit = off
min_parallel_table_scan_size = 0
parallel_setup_cost = 0
parallel_tuple_cost = 0
CONF
mkdir $node->data_dir . '/injection' or die;
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE crowd AS SELECT i % 20000 AS u, i % 997 AS k, 'a key that is longer than an id, ' || i % 997 AS t, i % 128 AS v FROM generate_series(0, 599999) i;
ANALYZE crowd;
SELECT dp_agg.protect('crowd', 'u', 'default', 30, 30);
SELECT dp_agg.set_budget('ann', 1e13, 1e-3);
SQL

# Noise rounds to nothing, but for a probability of e^-30000 a group.
my @ask = ('SET dp_agg.epsilon = 1048576', 'SET dp_agg.delta = 1e-9', 'SET max_parallel_workers_per_gather = 2');
my @queries = (
	[ 'SELECT dp_count(DISTINCT u), dp_count(*) FROM crowd', '20000|600000' ],
	[ 'SELECT count(*), sum(n), sum(c) FROM (SELECT k, dp_count(DISTINCT u) AS n, dp_count(*) AS c FROM crowd GROUP BY k) s', '997|600000|600000' ],
	[ 'SELECT count(*), sum(n), sum(c) FROM (SELECT t, dp_count(DISTINCT u) AS n, dp_count(*) AS c FROM crowd GROUP BY t) s', '997|600000|600000' ]);
my $many = '64MB';
my $few = '64kB';

sub segments
{
	return scalar(() = glob($node->data_dir . '/pg_dynshmem/mmap.*'));
}

sub files
{
	return join ' ', glob($node->data_dir . '/base/pgsql_tmp/*');
}

# Ask everything with so much memory; returns how many files were written for rows, and how many workers there were.
sub ask_all
{
	my ($name, $memory) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $from = -s $node->logfile;

	for my $query (@queries)
	{
		is(asked($node, [ @ask, "SET work_mem = '$memory'", $query->[0] ]), $query->[1], "$name: $query->[0]");
	}
	my $log = slurp_file($node->logfile, $from);
	return (scalar(() = $log =~ /temporary file: .*units\.\d/g), scalar(() = $log =~ /LOG:  (?:00000: )?temporary file: /g));
}

# Statistics are in shared memory, too, and take more of it when there are new ones.
ask_all('before', $_) for $many, $few;
sleep 0.5;
my $nothing = segments();

my @written = ask_all('in memory', $many);
is($written[0], 0, 'no file for an answer that fits in memory');
is($written[1], 0, 'none of any kind');
@written = ask_all('beyond memory', $few);
cmp_ok($written[0], '>=', 3, 'files for what is beyond memory');

# No segment is to be had, in any process: then there are files as without them.
fail_at($node, 'segment');
my $from = -s $node->logfile;
@written = ask_all('without segments', $many);
cmp_ok($written[0], '>=', 3, 'files where no segment is to be had');
ask_all('without segments, beyond memory', $few);
unlike(slurp_file($node->logfile, $from), qr/ERROR|WARNING|leak/, 'nobody is told');
let_go($node, 'segment');

# An error that is no want of resources is one.
cancel_at($node, 'segment');
is(outcome_of(start_all($queries[1][0])), '57014: canceling statement due to user request', 'cancelled where a segment is made');
let_go($node, 'segment');
left_nothing('cancelled where a segment is made');

sub start_all
{
	my ($query, $memory) = @_;
	return start_as($node, [ @ask, "SET work_mem = '" . ($memory // $many) . "'", $query ]);
}

sub outcome_of
{
	my ($run) = @_;
	return finish($run);
}

sub left_nothing
{
	my ($name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok(eventually(sub { segments() == $nothing && files() eq '' }), "$name: nothing is left behind") or diag(segments() . " segments, not $nothing; " . files());
	return;
}

# All processes have collected rows and wait: returns the run, its leader and its workers.
sub start_stopped
{
	my ($query, $memory) = @_;
	stop_at($node, 'rows_read');
	my $run = start_all($query, $memory);
	my @at;
	eventually(sub { @at = map { /\.(\d+)$/ } glob($node->data_dir . '/injection/rows_read.*'); return @at == 3 }) or die 'not all come';
	my ($leader) = $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE usename = 'ann' AND backend_type = 'client backend' AND state = 'active'");
	return ($run, $leader, grep { $_ != $leader } @at);
}

# What befalls them there, and what comes of it; undef: the answer.
my $crashed = qr/connection|server/;
my @faults = (
	[ 'a worker finds that the others have taken all', undef, sub { my ($leader, @workers) = @_; kill 'STOP', $workers[0]; let_go($node, 'rows_read');
		ok(eventually(sub { workers_of($leader) == 1 }), 'the other worker is done'); kill 'CONT', $workers[0] } ],
	[ 'the leader finds that workers have taken all', undef, sub { my ($leader, @workers) = @_; kill 'STOP', $leader; let_go($node, 'rows_read');
		sleep 1; kill 'CONT', $leader } ],
	[ 'cancelled', qr/^57014: canceling statement due to user request/, sub { $node->safe_psql('postgres', "SELECT pg_cancel_backend($_[0])") } ],
	[ 'terminated', qr/^57P01: terminating connection/, sub { $node->safe_psql('postgres', "SELECT pg_terminate_backend($_[0])") } ],
	[ 'a worker is terminated', qr/^57P01: terminating background worker/, sub { $node->safe_psql('postgres', "SELECT pg_terminate_backend($_[1])") } ],
	[ 'a worker is killed', $crashed, sub { kill 'KILL', $_[1] } ],
	[ 'the leader is killed', $crashed, sub { kill 'KILL', $_[0] } ]);

sub workers_of
{
	my ($leader) = @_;
	return $node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE leader_pid = $leader AND backend_type = 'parallel worker'");
}

# Statistics begin anew.
sub after_crash
{
	unlink glob($node->data_dir . '/injection/*');
	is_back($node);
	ask_all('after a crash', $_) for $many, $few;
	sleep 0.5;
	$nothing = segments() if segments() < $nothing;
	return;
}

for my $fault (@faults)
{
	my ($name, $expected, $befall) = @$fault;
	my $crashes = $expected && $expected eq $crashed;
	for my $memory ($many, $few)
	{
		for my $query (@queries[ 1, 2 ])
		{
			my ($run, @processes) = start_stopped($query->[0], $memory);
			cmp_ok(segments(), '>=', $nothing + 3, "$name, $memory: each has a segment");
			$befall->(@processes);
			let_go($node, 'rows_read');
			like(finish($run), $expected // qr/^\Q$query->[1]\E$/, "$name, $memory");
			after_crash() if $crashes;
			left_nothing("$name, $memory");
		}
	}
}

ask_all('afterwards', $many);
left_nothing('afterwards');
unlike(slurp_file($node->logfile), qr/PANIC|TRAP|leak/, 'no assertion failed, and no leak was found');
$node->stop;
done_testing();
