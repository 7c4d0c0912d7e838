# Processes of a parallel plan that come late, or are ended while others wait for them:
# answers are exact, nobody hangs, and neither files nor memory nor processes are left.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# So little memory that rows go to files while they are read, and groups have ids.
my $node = new_gate('workers', conf => <<'CONF');
dynamic_shared_memory_type = mmap
log_temp_files = 0
log_line_prefix = '[%p] '
jit = off
work_mem = 64kB
min_parallel_table_scan_size = 0
parallel_setup_cost = 0
parallel_tuple_cost = 0
CONF
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE crowd AS SELECT i % 100000 AS u, i % 9973 AS k FROM generate_series(0, 2999999) i;
ANALYZE crowd;
SELECT dp_agg.protect('crowd', 'u', 'default', 30, 30);
SELECT dp_agg.set_budget('ann', 1e13, 1e-3);
SQL

# Each unit has thirty rows, each in a group of its own.  Noise has a scale of 30 / 2^20 at
# most, and rounds to nothing but for a probability of e^-30000 a group.
my @ask = ('SET client_min_messages = log', 'SET dp_agg.epsilon = 1048576', 'SET dp_agg.delta = 1e-9');
my @all = ('SELECT dp_count(DISTINCT u), dp_count(*) FROM crowd', '100000|3000000');
my @groups = ('SELECT count(*), sum(n), sum(c) FROM (SELECT k, dp_count(DISTINCT u) AS n, dp_count(*) AS c FROM crowd GROUP BY k) s',
	'9973|3000000|3000000');
my $monitor = $node->background_psql('postgres', on_error_stop => 0);

# What there is of statements: files, processes, and how many pieces of shared memory.
sub left_behind
{
	my @files = glob($node->data_dir . '/base/pgsql_tmp/*');
	my @memory = glob($node->data_dir . '/pg_dynshmem/mmap.*');
	return join ' ', (map { s/.*\///r } @files), workers(), leader(), scalar(@memory);
}

# Process numbers of this server's parallel workers, which say so from the beginning.
my ($postmaster) = split /\n/, slurp_file($node->data_dir . '/postmaster.pid');

sub workers
{
	my @pids;
	for my $directory (glob '/proc/[0-9]*')
	{
		my ($line, $status) = map { eval { slurp_file("$directory/$_") } // '' } 'cmdline', 'status';
		push @pids, substr($directory, length '/proc/') if $line =~ /^postgres: .*parallel worker/ && $status =~ /^PPid:\s+$postmaster$/m;
	}
	return @pids;
}

sub leader
{
	return scalar $monitor->query("SELECT pid FROM pg_stat_activity WHERE usename = 'ann' AND backend_type = 'client backend'");
}

# Files that the process with this number shares.
sub shared_files
{
	my ($number) = @_;
	return scalar(() = glob($node->data_dir . "/base/pgsql_tmp/*.fileset/units.$number.*"));
}

# Who waits, and what for.
sub waiting
{
	my ($type) = @_;
	return scalar $monitor->query("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = '$type' AND backend_type IN ('client backend', 'parallel worker')");
}

# Let processes sleep so many seconds when they begin.
sub delay_processes
{
	my ($seconds) = @_;
	$monitor->query("ALTER SYSTEM SET post_auth_delay = $seconds");
	$monitor->query('SELECT pg_reload_conf()');
	return;
}

# Statistics, too, are in shared memory, and take more of it when there are new ones.
for my $query (\@all, \@groups)
{
	is(asked($node, [ @ask, 'SET max_parallel_workers_per_gather = 2', $query->[0] ]), $query->[1], "answered: $query->[0]");
}
eventually(sub { leader() eq '' }) or die 'still there';
my $nothing = left_behind();

# Files are not counted, but for the one that has the released groups.
sub counted
{
	$monitor->query('SELECT pg_stat_force_next_flush()');
	return scalar $monitor->query('SELECT temp_files FROM pg_stat_database WHERE datname = current_database()');
}
my $counted = counted();

# Is a statement's outcome one of these, in so many seconds, with nothing left behind, and
# nothing told or counted?
sub is_clean
{
	my ($run, $expected, $name, $seconds) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $began = time;
	my $outcome = finish($run);
	cmp_ok(time - $began, '<', $seconds // 60, "$name: soon");
	my ($found) = grep { $_ eq $outcome } ref $expected ? @$expected : $expected;
	ok(defined $found, $name) or diag($outcome);
	my $end = time + 20;
	sleep 0.02 while left_behind() ne $nothing && time < $end;
	is(left_behind(), $nothing, "$name: nothing is left behind");
	unlike($run->{err}, qr/LOG:  (?!00000: statement: )/, "$name: no message about the data below") or diag($run->{err});
	$counted++ if $outcome eq $groups[1];

	# One that is cancelled may have released its groups by then.
	my $now = counted();
	$counted++ if $now == $counted + 1 && $outcome =~ /^57014: .*user request/;
	is($now, $counted, "$name: no files are counted");
	return;
}

for my $query (\@all, \@groups)
{
	is_clean(start_as($node, [ @ask, 'SET max_parallel_workers_per_gather = 2', $query->[0] ]), $query->[1], 'in time');
}

# Start a statement whose workers are stopped before they do anything.
sub start_stopped
{
	my ($workers, @sql) = @_;
	delay_processes(1);
	my $run = start_as($node, [ @ask, "SET max_parallel_workers_per_gather = $workers", @sql ]);
	my @stopped;
	eventually(sub { @stopped = workers(); @stopped == $workers }) or die 'no workers';
	kill 'STOP', @stopped;
	delay_processes(0);
	return ($run, @stopped);
}

# A worker that comes when all has been done.
for my $query (\@all, \@groups)
{
	my ($run, $worker) = start_stopped(1, $query->[0]);
	ok(eventually(sub { waiting('IPC') == 1 }), 'late: the leader has done it all');
	kill 'CONT', $worker;
	is_clean($run, $query->[1], "late, of one: $query->[0]");

	($run, my @workers) = start_stopped(2, 'SET parallel_leader_participation = off', $query->[0]);
	kill 'CONT', $workers[0];
	ok(eventually(sub { workers() == 1 }), 'late: a worker has done it all');
	kill 'CONT', $workers[1];
	is_clean($run, $query->[1], "late, of two: $query->[0]");
}

# One that comes when all has been read, but not all is added up: its files tell that it
# took part.  The leader stops meanwhile, having written down what it knows.
my $took_part = 0;
for my $try (1 .. 10)
{
	last if $took_part;
	my ($run, $worker) = start_stopped(1, $groups[0]);
	my $leader = leader();
	my $log = -s $node->logfile;
	eventually(sub { shared_files(0) >= 3 }) or die 'no files';
	kill 'STOP', $leader;
	kill 'CONT', $worker;
	sleep 3;
	kill 'CONT', $leader;
	is_clean($run, $groups[1], "late, while others add up: try $try");
	$took_part = slurp_file($node->logfile, $log) =~ /^\[$worker\] LOG:  temporary file: path "base\/pgsql_tmp\/pgsql_tmp$worker\./m;
}
ok($took_part, 'late: the worker took part');

# Start a statement, and stop a worker that is reading: returns it, and one that waits, or
# nothing where it was too late for that.
sub start_waiting
{
	my ($query, @settings) = @_;
	my $run = start_as($node, [ @ask, 'SET max_parallel_workers_per_gather = 2', @settings, $query ]);
	eventually(sub { shared_files(0) && shared_files(1) && shared_files(2) }) or die 'no files';
	my @workers = workers();
	kill 'STOP', $workers[0];
	my $end = time + 10;
	while (time < $end)
	{
		return ($run, @workers) if waiting('Extension') == 2;
		sleep 0.05;
	}
	kill 'CONT', $workers[0];
	$counted++ if finish($run) eq $groups[1];
	return;
}

# What befalls a statement whose processes wait for one of them.
sub while_waiting
{
	my ($name, $expected, $fault, @settings) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	for my $query (\@all, \@groups)
	{
		my ($run, @workers);
		for my $try (1 .. 10)
		{
			($run, @workers) = start_waiting($query->[0], @settings);
			last if $run;
		}
		ok($run, "$name: they wait") or next;
		$fault->(leader(), $workers[1]);
		kill 'CONT', $workers[0];
		is_clean($run, $expected // $query->[1], "$name: $query->[0]");
	}
	return;
}

while_waiting('stopped', undef, sub { sleep 0.5 });
while_waiting('cancelled', '57014: canceling statement due to user request', sub { $monitor->query("SELECT pg_cancel_backend($_[0])") });
while_waiting('terminated', '57P01: terminating connection due to administrator command',
	sub { $monitor->query("SELECT pg_terminate_backend($_[0])") });
while_waiting('timed out', '57014: canceling statement due to statement timeout',
	sub { sleep 5 }, 'SET statement_timeout = 5000');
# Its rows are gone with it, which another process may be the first to tell.
while_waiting('a worker that waits is terminated', [ '57P01: terminating background worker "parallel worker" due to administrator command',
		'58000: the differentially private release failed' ],
	sub { $monitor->query("SELECT pg_terminate_backend($_[1])") });

# Wherever they are, processes look at interrupts.
for my $workers (0, 2)
{
	for my $tenths (2, 4, 6, 8, 10, 13, 16)
	{
		my $run = start_as($node, [ @ask, "SET max_parallel_workers_per_gather = $workers", $groups[0] ]);
		sleep $tenths / 10;
		$monitor->query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'ann' AND backend_type = 'client backend'");
		is_clean($run, [ '57014: canceling statement due to user request', $groups[1] ], "cancelled after $tenths tenths of a second, $workers workers", 5);
	}
}

# Processes that may not write as much as they would.
$monitor->query("ALTER ROLE ann SET temp_file_limit = '1MB'");
for my $query (\@all, \@groups)
{
	my $run = start_as($node, [ @ask, 'SET max_parallel_workers_per_gather = 2', $query->[0] ]);
	is_clean($run, '53000: not enough resources for the differentially private release', "no more files: $query->[0]");
}
$monitor->query('ALTER ROLE ann RESET temp_file_limit');

# The server has not come to harm.
is(asked($node, [ @ask, $groups[0] ]), $groups[1], 'the next query is answered');
unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal|TRAP|server process/, 'no process crashed');
$monitor->quit;
$node->stop;
done_testing();
