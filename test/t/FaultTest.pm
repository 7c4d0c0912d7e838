
# What the tests of faults share: points at which a process is stopped, cancelled or
# runs out of memory, queries that are known by their text, and what must hold
# whatever went wrong.
package FaultTest;

use strict;
use warnings;

use Exporter 'import';
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_faulty has_points stop_at cancel_at fail_at full_at let_go let_all_go reached
  query ask answers_of invariants problems charged pid_of @POINTS);

# Every point at which a statement can be stopped, in the order it passes them.
our @POINTS = qw(queued taken decided committing committed answered charged exact noise);

# The number of the next query.
my $next = 0;

# The library under test.
sub library
{
	my ($directory) = PostgreSQL::Test::Utils::run_command([ 'pg_config', '--pkglibdir' ]);
	return "$directory/dp_agg.so";
}

# Was it built with points?
sub has_points
{
	return slurp_file(library()) =~ /dp_injection_point/;
}

# Start a server as new_gate does, with small caches so that it is up again soon;
# only a commit writes WAL, so that what was not waited for is lost in a crash.
sub new_faulty
{
	my ($name, %options) = @_;
	my $conf = $options{conf} // '';
	my $node = new_gate($name, conf => <<"CONF");
restart_after_crash = on
shared_buffers = 16MB
max_wal_size = 128MB
wal_writer_delay = 10s
synchronous_commit = off
dp_agg.keeper_idle_timeout = 10min
dp_agg.charge_timeout = 60s
$conf
CONF
	mkdir $node->data_dir . '/injection' or die "could not make a directory for points: $!";
	$node->safe_psql('postgres', 'CHECKPOINT');
	return $node;
}

sub arm
{
	my ($node, $point, $action) = @_;
	append_to_file($node->data_dir . "/injection/$point.new", $action);
	rename $node->data_dir . "/injection/$point.new", $node->data_dir . "/injection/$point"
	  or die "could not arm $point: $!";
	return;
}

# Stop whoever comes to a point, cancel it, or let it run out of memory there.
sub stop_at { return arm(@_, 'stop') }
sub cancel_at { return arm(@_, 'cancel') }
sub fail_at { return arm(@_, 'fail') }

# Let whoever comes to a point find the disk full.
sub full_at { return arm(@_, 'full') }

sub let_go
{
	my ($node, $point) = @_;
	unlink glob($node->data_dir . "/injection/$point*");
	return;
}

sub let_all_go
{
	my ($node) = @_;
	unlink glob($node->data_dir . '/injection/*');
	return;
}

# Wait until somebody is stopped at a point; who it is.
sub reached
{
	my ($node, $point) = @_;
	my $pid;
	eventually(sub {
		($pid) = map { /\.(\d+)$/ } glob($node->data_dir . "/injection/$point.*");
		return defined $pid;
	}) or die "nobody comes to $point";
	return $pid;
}

# A query that the ledger knows by its number.
sub query
{
	$next++;
	return "SELECT $next, dp_sum(age, 0, $next) FROM people";
}

# Start asking one, as ann, perhaps after some settings.
sub ask
{
	my ($node, @before) = @_;
	my $query = query();
	my $run = start_as($node, [ @before, $query ]);
	$run->{query} = $query;
	return $run;
}

# The numbers of the queries that were answered, by ask or start_clients.
sub answers_of
{
	return map { /^(\d+)\|-?\d+$/mg } map { ref $_->{handle} ? $_->{out} : slurp_file($_->{out}) } @_;
}

# How many statements of ann's were admitted.
sub charged
{
	my ($node) = @_;
	return $node->safe_psql('postgres', "SELECT statements FROM dp_agg.budget WHERE role = 'ann'::regrole");
}

# The process number of somebody: a keeper, the checkpointer, ann's session.
sub pid_of
{
	my ($node, $who) = @_;
	my $condition = { keeper => "backend_type = 'dp_agg keeper' AND datname = 'postgres'", checkpointer => "backend_type = 'checkpointer'",
		client => "usename = 'ann' AND backend_type = 'client backend' AND state = 'active'" }->{$who};
	return $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE $condition ORDER BY backend_start DESC LIMIT 1");
}

# What does not hold, as a list of complaints:
#
#	an answer that a client received and that is not in the ledger as admitted;
#	a query that is in the ledger more often than it was asked;
#	a budget that is not what its ledger adds up to, a chain that is broken;
#	somebody who waits for a charge that nobody makes;
#	a next query that does not work.
#
# Clients are those that ask and start_clients returned; all must be done.
# Options: database, role (who asks the next query; '' for none), twice (queries
# that may have been asked more than once).
sub problems
{
	my ($node, $clients, %options) = @_;
	my $database = $options{database} // 'postgres';
	my $role = $options{role} // 'ann';
	my @problems;

	my %entry = map { split /\|/, $_, 2 } split /\n/, $node->safe_psql($database, <<'SQL');
SELECT substring(releases #>> '{0,releases,0,aggregate}' FROM 'dp_sum\(age, 0, (\d+)\)'), string_agg(admitted::text, ',')
FROM dp_agg.ledger WHERE releases #>> '{0,releases,0,aggregate}' LIKE 'dp\_sum(age, 0, %' GROUP BY 1
SQL
	push @problems, map { ($entry{$_} // 'missing') ne 'true' ? "answer $_ is " . ($entry{$_} // 'missing') : () } answers_of(@$clients);
	push @problems, map { $entry{$_} =~ /,/ ? "query $_ is in the ledger twice" : () } sort keys %entry unless $options{twice};
	push @problems, map { "verify_ledger: $_" } split /\n/, $node->safe_psql($database, 'SELECT * FROM dp_agg.verify_ledger()');
	push @problems, map { "hangs: $_" } split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT pid, query FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%dp\_%(%'
SQL
	if ($role ne '')
	{
		local $ENV{PGUSER} = $role;
		my $outcome = KeeperTest::outcome($node, 'SELECT dp_count(*) FROM people', $database);
		push @problems, "next query: $outcome" if $outcome !~ /^-?\d+$/;
	}
	return @problems;
}

# Check that everything holds: see problems.
sub invariants
{
	my ($node, $clients, $name, %options) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @problems = problems($node, $clients, %options);
	splice @problems, 10 if @problems > 10;
	return is(join("\n", @problems), '', "$name: everything holds");
}

1;
