
# What the tests of the gate share: servers with protected tables and analysts
# without rights on them, and clients that write down the answers they got.
package GateTest;

use strict;
use warnings;

use Exporter 'import';
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_gate start_as asked start_clients answers_are_in_the_books
  admitted refusals count_lines);

# Start a server with the library preloaded, a protected table "people" of a
# thousand rows, and analysts without rights on it: ann and bob with budgets,
# eve without.  Nothing but the test takes snapshots, for which keys would be too new.
sub new_gate
{
	my ($name, %options) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(%{ $options{init} // {} });
	$node->append_conf('postgresql.conf', <<"CONF");
shared_preload_libraries = 'dp_agg'
max_worker_processes = 16
max_connections = 60
max_prepared_transactions = 5
autovacuum = off
CONF
	$node->append_conf('postgresql.conf', $options{conf}) if $options{conf};
	$node->start;
	$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE ROLE ann LOGIN;
CREATE ROLE bob LOGIN;
CREATE ROLE eve LOGIN;
CREATE TABLE people (id int PRIMARY KEY, city text, age int);
INSERT INTO people SELECT i, 'city ' || i % 2, i % 100 FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('people', 'id');
SELECT dp_agg.set_budget('ann', 1000, 1e-6), dp_agg.set_budget('bob', 1000, 1e-6);
SQL
	return $node;
}

# Start running SQL in a session of a role, by default ann; see KeeperTest's finish.
sub start_as
{
	my ($node, $sql, $role) = @_;
	local $ENV{PGUSER} = $role // 'ann';
	return KeeperTest::start($node, $sql);
}

# Run it; returns its last line of output, or "SQLSTATE: message".
sub asked
{
	return KeeperTest::finish(start_as(@_));
}

# How many statements of a role were admitted, and refused.
sub admitted
{
	my ($node, $role) = @_;
	$role //= 'ann';
	return $node->safe_psql('postgres', "SELECT statements FROM dp_agg.budget WHERE role = '$role'::regrole");
}

sub refusals
{
	my ($node, $role) = @_;
	$role //= 'ann';
	return $node->safe_psql('postgres', "SELECT refusals FROM dp_agg.budget WHERE role = '$role'::regrole");
}

# Start clients that each ask so many queries, no two of them alike: each sums
# ages up to a bound of its own, by which the ledger knows it.
#
# Like those of KeeperTest's start_crowd, they go on after an error until their
# connection is lost; wait for them with crowd_done.
sub start_clients
{
	my ($node, %options) = @_;
	my $clients = $options{clients} // 8;
	my $queries = $options{queries} // 1000;
	my $first = $options{first} // 1;
	my $directory = PostgreSQL::Test::Utils::tempdir;
	my @started;

	for my $client (1 .. $clients)
	{
		my $script = "$directory/$client.sql";
		open my $file, '>', $script or die "could not write $script: $!";
		print $file "SET dp_agg.epsilon = $options{epsilon};\n" if $options{epsilon};
		for my $n (1 .. $queries)
		{
			my $bound = $first + $client * 1_000_000 + $n;
			print $file "SELECT $bound, dp_sum(age, 0, $bound) FROM people;\n";
		}
		close $file or die "could not write $script: $!";
		my @command = (
			$node->installed_command('psql'), '-XAtq', '-v', 'VERBOSITY=verbose',
			'-U', $options{role} // 'ann', '-d', $node->connstr('postgres'), '-f', $script);
		my %client = (out => "$directory/$client.out", err => "$directory/$client.err");
		$client{pid} = fork // die "could not fork: $!";
		if ($client{pid} == 0)
		{
			open STDIN, '<', '/dev/null';
			open STDOUT, '>', $client{out};
			open STDERR, '>', $client{err};
			exec { $command[0] } @command or POSIX::_exit(1);
		}
		push @started, \%client;
	}
	return \@started;
}

# The bounds of the queries that were answered.
sub answered
{
	my ($clients) = @_;
	return map { slurp_file($_->{out}) =~ /^(\d+)\|-?\d+$/mg } @$clients;
}

# Check that each answer a client has is in the ledger, once, as admitted.
# Returns the number of answers.
sub answers_are_in_the_books
{
	my ($node, $clients, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my %entry = map { split /\|/, $_, 2 } split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT substring(releases #>> '{0,releases,0,aggregate}' FROM 'dp_sum\(age, 0, (\d+)\)'), string_agg(admitted::text, ',')
FROM dp_agg.ledger WHERE releases #>> '{0,releases,0,aggregate}' LIKE 'dp\_sum%' GROUP BY 1
SQL
	my @answered = answered($clients);
	my @wrong = grep { ($entry{$_} // 'missing') ne 'true' } @answered;
	is("@wrong[0 .. ($#wrong < 9 ? $#wrong : 9)]", '', $name);
	return scalar(@answered);
}

# How many lines of the clients' errors match.
sub count_lines
{
	my ($clients, $pattern) = @_;
	my $count = 0;
	$count += () = slurp_file($_->{err}) =~ /$pattern/g for @$clients;
	return $count;
}

1;
