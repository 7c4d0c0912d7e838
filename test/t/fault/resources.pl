# Resources that run out: the disk under the WAL and under the ledger, memory in
# a release, background workers.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

# A library that stands between the server and its files: writes to those whose
# path contains what a file says fail for want of space.
my $directory = PostgreSQL::Test::Utils::tempdir;
my $full = "$directory/full";
append_to_file("$directory/full.c", <<'C');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Is a file one of those that have no space? */
static int
is_full(int fd)
{
	const char *list = getenv("DP_FULL");
	char		link[64];
	char		path[4096];
	char		part[4096];
	ssize_t		length;
	int			file;

	if (list == NULL || access(list, F_OK) != 0)
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	file = open(list, O_RDONLY);
	if (length < 0 || file < 0)
		return 0;
	path[length] = '\0';
	length = read(file, part, sizeof(part) - 1);
	close(file);
	part[length > 0 ? length : 0] = '\0';
	return length > 0 && strstr(path, part) != NULL;
}

#define FULL(name, parameters, arguments) \
ssize_t name parameters \
{ \
	static ssize_t (*real) parameters; \
	if (real == NULL) \
		real = dlsym(RTLD_NEXT, #name); \
	if (is_full(fd)) \
	{ \
		errno = ENOSPC; \
		return -1; \
	} \
	return real arguments; \
}

FULL(pwrite, (int fd, const void *data, size_t size, off_t offset), (fd, data, size, offset))
FULL(pwritev, (int fd, const struct iovec *parts, int count, off_t offset), (fd, parts, count, offset))

/* This one returns the error. */
int
posix_fallocate(int fd, off_t offset, off_t length)
{
	static int	(*real) (int, off_t, off_t);

	if (real == NULL)
		real = dlsym(RTLD_NEXT, "posix_fallocate");
	return is_full(fd) ? ENOSPC : real(fd, offset, length);
}
C
PostgreSQL::Test::Utils::system_or_bail('cc', '-shared', '-fPIC', '-o', "$directory/full.so", "$directory/full.c", '-ldl');

$ENV{DP_FULL} = $full;
my $node;
{
	local $ENV{LD_PRELOAD} = "$directory/full.so";
	$node = new_faulty('resources', conf => "wal_recycle = off\nmin_wal_size = 32MB\n");
}
my @clients;

sub no_space_for
{
	my ($part) = @_;
	append_to_file("$full.new", $part);
	rename "$full.new", $full or die;
	return;
}

# The ledger cannot grow: statements fail, nothing is charged, the server lives.
my @files = split /\n/, $node->safe_psql('postgres', "SELECT pg_relation_filepath('dp_agg.ledger')");
push @clients, ask($node) for 1 .. 3;
finish($_) for @clients;
no_space_for("/$files[0]");
my $failures = 0;
my $count = charged($node);
for (1 .. 30)
{
	my $run = ask($node);
	my $outcome = finish($run);
	push @clients, $run;
	$failures++ if $outcome =~ /^53100: could not charge the budget of role "ann" on data set "default": could not extend file/;
}
cmp_ok($failures, '>', 0, 'ledger: its disk is full');
is(charged($node) - $count, 30 - $failures, 'ledger: what failed was not charged');
unlink $full;
invariants($node, \@clients, 'ledger: space again');

# Crowds meet it too: in batches, of which each member is told.
no_space_for("/$files[0]");
my $crowd = start_clients($node, clients => 8, queries => 40, first => 500_000_000, epsilon => 0.001);
ok(crowd_done($crowd), 'ledger: no client hangs');
cmp_ok(count_lines($crowd, qr/ERROR:  53100: /), '>', 0, 'ledger: a crowd is told');
unlink $full;
push @clients, @$crowd;
invariants($node, \@clients, 'ledger: a crowd');

# WAL cannot be written: PostgreSQL stops, comes back, and finds what it had.
no_space_for('/pg_wal/');
$crowd = start_clients($node, clients => 8, queries => 3000, first => 700_000_000, epsilon => 0.001);
ok(eventually(sub { slurp_file($node->logfile) =~ /PANIC:.*No space left on device/ }), 'WAL: its disk is full');
unlink $full;
ok(crowd_done($crowd), 'WAL: no client hangs');
# If there was no space for recovery either, the server has stopped for good.
if (!eventually(sub { answers($node) || system_is_down() }) || system_is_down())
{
	$node->{_pid} = undef;
	local $ENV{LD_PRELOAD} = "$directory/full.so";
	$node->start;
}
push @clients, @$crowd;
cmp_ok(scalar(FaultTest::answers_of(@$crowd)), '<', 8 * 3000, 'WAL: the crowd was cut off');
invariants($node, \@clients, 'WAL: space again');

sub system_is_down
{
	return !-e $node->data_dir . '/postmaster.pid';
}

# A release that runs out of memory: real, by a limit on its session alone.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE visits (person int, note text, age int);
INSERT INTO visits SELECT i, 'note ' || i, i % 100 FROM generate_series(1, 200000) i;
ANALYZE visits;
SELECT dp_agg.protect('visits', 'person', 'default', 5, 5);
SQL
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query("SET SESSION AUTHORIZATION ann; SET work_mem = '1GB'; SET max_parallel_workers_per_gather = 0; SET enable_sort = off; SET jit = off; SET client_min_messages = debug5");
like($session->query('SELECT dp_count(*) FROM people'), qr/-?\d/, 'memory: the session works');
my $pid = $session->query('SELECT pg_backend_pid()');
my ($used) = slurp_file("/proc/$pid/status") =~ /^VmSize:\s+(\d+)/m;
is(system('prlimit', '--pid', $pid, '--as=' . ($used + 3000) * 1024), 0, 'memory: it gets three megabytes more');
$session->{stderr} = '';
$count = charged($node);
$session->query('SELECT note, dp_count(*), dp_count(DISTINCT person) FROM visits GROUP BY note');
like($session->{stderr}, qr/ERROR:  not enough resources for the differentially private release/, 'memory: the release fails, in fixed words');
unlike($session->{stderr}, qr/Failed on request|note \d|TopMemoryContext/, 'memory: and no others');
is(charged($node), $count + 1, 'memory: charged');
$session->{stderr} = '';
like($session->query('SELECT dp_count(*) FROM people'), qr/-?\d/, 'memory: the session goes on');
$session->quit;
invariants($node, \@clients, 'memory');

# Rows of many long keys take the memory of a few, not of a batch: 64 of twenty megabytes each.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE letters (person int, text text);
INSERT INTO letters SELECT i, repeat('letter', 80000) FROM generate_series(1, 64) i;
SELECT dp_agg.protect('letters', 'person');
SQL
$session = $node->background_psql('postgres', on_error_stop => 0);
$session->query("SET SESSION AUTHORIZATION ann; SET max_parallel_workers_per_gather = 0; SET jit = off");
like($session->query('SELECT dp_count(*) FROM people'), qr/-?\d/, 'long keys: the session works');
$pid = $session->query('SELECT pg_backend_pid()');
($used) = slurp_file("/proc/$pid/status") =~ /^VmSize:\s+(\d+)/m;
is(system('prlimit', '--pid', $pid, '--as=' . ($used + 800_000) * 1024), 0, 'long keys: it gets eight hundred megabytes more');
$session->{stderr} = '';
$session->query('SELECT dp_count(*) FROM letters GROUP BY ' . join ', ', map { "CASE WHEN person > -$_ THEN text END" } 1 .. 40);
unlike($session->{stderr}, qr/ERROR/, 'long keys: they are grouped by');
$session->quit;
invariants($node, \@clients, 'long keys');

# No background worker is free: refused at once, in however many sessions, and
# answered once one is.
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE backend_type = \'dp_agg keeper\'');
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', "CREATE EXTENSION dp_agg; CREATE TABLE people (id int PRIMARY KEY); SELECT dp_agg.protect('people', 'id'), dp_agg.set_budget('ann', 1000, 1e-6)");
$node->append_conf('postgresql.conf', 'max_worker_processes = 2');
{
	local $ENV{LD_PRELOAD} = "$directory/full.so";
	$node->restart;
}
local $ENV{PGUSER} = 'ann';
like(outcome($node, 'SELECT dp_count(*) FROM people', 'other'), qr/^-?\d+$/, 'workers: one takes the last');
my @refused = map { ask($node) } 1 .. 8;
like(finish($_), qr/^53000: could not charge the privacy budget because no background worker is free/, 'workers: others are refused') for @refused;
delete $ENV{PGUSER};
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE backend_type = \'dp_agg keeper\'');
invariants($node, [ @clients, @refused ], 'workers: one that is free again');

$node->stop;
done_testing();
