
# What the keeper's tests share: servers with a budget, statements in the
# background with their SQLSTATEs, crowds of clients that write down what they
# were told, and checks that the books agree with it.
package KeeperTest;

use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use POSIX qw(WNOHANG);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(new_server prepare_database outcome start finish is_outcome
  keeper_pid pages_read wait_for_no_keeper start_crowd stop_crowd crowd_done
  books_balance receipts_are_in_the_books eventually answers is_back);

# Cost of a charge that fits many times into the budget of prepare_database.
our $SMALL = '0.001';

# Start a server with the library preloaded, and budgets in database postgres.
sub new_server
{
	my ($name, %options) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(%{ $options{init} // {} });
	$node->append_conf('postgresql.conf', <<"CONF");
shared_preload_libraries = 'dp_agg'
max_worker_processes = 16
max_connections = 60
CONF
	$node->append_conf('postgresql.conf', $options{conf}) if $options{conf};
	$node->start;
	prepare_database($node, 'postgres');
	return $node;
}

# Install the extensions; give roles ann and bob a budget of 1000 each.
sub prepare_database
{
	my ($node, $database) = @_;
	$node->safe_psql($database, <<'SQL');
CREATE EXTENSION dp_agg;
CREATE EXTENSION charge;
DO $$
BEGIN
	CREATE ROLE ann LOGIN;
	CREATE ROLE bob LOGIN;
EXCEPTION WHEN duplicate_object THEN
	NULL;
END
$$;
SELECT dp_agg.set_budget('ann', 1000, 1e-6), dp_agg.set_budget('bob', 1000, 1e-6);
SQL
	return;
}

# Start running SQL in a session of its own; see finish.
sub start
{
	my ($node, $sql, $database) = @_;
	my %run = (sql => $sql, out => '', err => '');
	my @command = (
		$node->installed_command('psql'), '-XAtq', '-v', 'VERBOSITY=verbose',
		'-d', $node->connstr($database // 'postgres'));
	push @command, map { ('-c', $_) } (ref $sql ? @$sql : $sql);
	$run{handle} = IPC::Run::start(\@command, '<', \undef, '>', \$run{out}, '2>', \$run{err},
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return \%run;
}

# What became of it: its last line of output, or "SQLSTATE: message".
sub finish
{
	my ($run) = @_;
	eval { IPC::Run::finish($run->{handle}); 1 } or return "hangs: $run->{sql}";
	return "$1: $2" if $run->{err} =~ /(?:ERROR|FATAL):\s+(\w{5}): ([^\n]*)/;
	return $run->{err} if $run->{err} =~ /connection|server closed/;
	my @lines = split /\n/, $run->{out};
	return $lines[-1] // '';
}

# Run SQL; each statement is a transaction of its own.
sub outcome
{
	return finish(start(@_));
}

# Check what a statement answers, by the beginning of its outcome.
sub is_outcome
{
	my ($node, $sql, $expected, $name, $database) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $outcome = outcome($node, $sql, $database);
	return ok(index($outcome, $expected) == 0 && ($expected =~ /:/ || $outcome eq $expected), $name)
	  || diag("expected $expected, got $outcome");
}

# Poll until the block returns true; false after the usual timeout.
sub eventually
{
	my ($code) = @_;
	my $end = time + $PostgreSQL::Test::Utils::timeout_default;
	while (time < $end)
	{
		return 1 if $code->();
		sleep 0.02;
	}
	return 0;
}

# Does a node answer?  (The query is no input: without a server psql would not read it.)
sub answers
{
	my ($node) = @_;
	my @psql = ($node->installed_command('psql'), '-XAtq', '-d', $node->connstr('postgres'), '-c', 'SELECT true');
	return IPC::Run::run(\@psql, '<', \undef, '>', \my $out, '2>', \my $err);
}

# Wait until it does.
sub is_back
{
	my ($node) = @_;
	return eventually(sub { answers($node) });
}

# The process number of a database's keeper, or ''.
sub keeper_pid
{
	my ($node, $database) = @_;
	$database //= 'postgres';
	return $node->safe_psql('postgres',
		"SELECT pid FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper' AND datname = '$database'");
}

# How many pages of these relations have been read, once all have said so.
sub pages_read
{
	my ($node, @relations) = @_;
	my $keeper = keeper_pid($node);
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($keeper, 60000)") if $keeper;
	return $node->safe_psql('postgres',
		"SELECT sum(pg_stat_get_blocks_fetched(unnest)) FROM unnest('{" . join(',', @relations) . "}'::regclass[])");
}

sub wait_for_no_keeper
{
	my ($node, $database) = @_;
	return eventually(sub { keeper_pid($node, $database) eq '' });
}

# Start clients that each charge ann's budget so many times, or until stop_crowd, and
# write down the name of every charge they are told was admitted.
#
# A client goes on after an error, until its connection is lost.
sub start_crowd
{
	my ($node, %options) = @_;
	my $clients = $options{clients} // 16;
	my $cost = $options{cost} // $SMALL;
	my $label = $options{label} // 'c';
	my $directory = PostgreSQL::Test::Utils::tempdir;
	my @crowd;

	for my $client (1 .. $clients)
	{
		my $out = "$directory/$client";
		my %client = (out => "$out.out", err => "$out.err", asked => "$out.asked", stop => "$directory/stop");
		$client{pid} = fork // die "could not fork: $!";
		if ($client{pid} == 0)
		{
			open STDOUT, '>', $client{out};
			open STDERR, '>', $client{err};
			my $asked = 0;
			my $done = eval
			{
				open my $psql, '|-', $node->installed_command('psql'), '-XAtq', '-v', 'VERBOSITY=verbose',
					'-d', $node->connstr('postgres') or die;
				until ($options{charges} ? $asked == $options{charges} : -e $client{stop})
				{
					my $id = "$label-$client-" . ++$asked;
					print $psql "SELECT '$id', test_charge_describing('ann', 'default', $cost, '$id');\n";
				}
				close $psql;
				append_to_file($client{asked}, $asked);
			};
			POSIX::_exit($done ? 0 : 1);
		}
		push @crowd, \%client;
	}
	return \@crowd;
}

# Let clients end that were not told how often to charge.
sub stop_crowd
{
	my ($crowd) = @_;
	append_to_file($crowd->[0]{stop}, '');
	return;
}

# Charges that all clients asked for, whose connections were not lost.
sub asked
{
	my ($crowd) = @_;
	my $sum = 0;
	$sum += slurp_file($_->{asked}) for @$crowd;
	return $sum;
}

# Wait until all clients are gone; false if some hang, which are killed.
sub crowd_done
{
	my ($crowd) = @_;
	my %left = map { $_->{pid} => 1 } @$crowd;
	return 1 if eventually(sub {
		delete @left{ grep { waitpid($_, WNOHANG) != 0 } keys %left };
		return !%left;
	});
	kill 'KILL', keys %left;
	waitpid($_, 0) for keys %left;
	return 0;
}

# The names of the charges clients were told of, by answer: t, f.
sub receipts
{
	my ($crowd, $answer) = @_;
	my @names;
	for my $client (@$crowd)
	{
		push @names, map { /^(.*)\|\Q$answer\E$/ ? $1 : () } split /\n/, slurp_file($client->{out});
	}
	return @names;
}

# The SQLSTATEs and messages clients got, with their numbers.
sub errors
{
	my ($crowd) = @_;
	my %count;
	for my $client (@$crowd)
	{
		$count{$_}++ for slurp_file($client->{err}) =~ /(?:ERROR|FATAL):\s+(\w{5})/g;
	}
	return \%count;
}

# Check that every charge a client was told of is in the ledger, once, as told.
sub receipts_are_in_the_books
{
	my ($node, $crowd, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my %entry = map { split /\|/, $_, 2 } split /\n/, $node->safe_psql('postgres',
		"SELECT statement, string_agg(admitted::text, ',') FROM dp_agg.ledger WHERE admitted IS NOT NULL GROUP BY 1");
	my @wrong = grep { ($entry{$_} // 'missing') ne 'true' } receipts($crowd, 't');
	push @wrong, grep { ($entry{$_} // 'missing') ne 'false' } receipts($crowd, 'f');
	return is("@wrong", '', $name);
}

# Check that each budget holds the sums of its ledger; curves are for verify_ledger.
sub books_balance
{
	my ($node, $name, $database) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return is($node->safe_psql($database // 'postgres', <<'SQL'), '', $name);
SELECT role, dataset, statements, refusals, pure_spent, l.*
FROM dp_agg.budget b
CROSS JOIN LATERAL (
	SELECT count(*) FILTER (WHERE admitted) AS admitted,
		count(*) FILTER (WHERE NOT admitted) AS refused,
		coalesce(sum(pure_epsilon) FILTER (WHERE admitted), 0) AS pure,
		coalesce(sum(delta) FILTER (WHERE admitted), 0) AS delta
	FROM dp_agg.ledger l WHERE l.budget = b.number) l
WHERE statements <> admitted OR refusals <> refused
	OR (pure_spent <> pure AND abs(pure_spent - pure) > 1e-9 * pure) OR abs(delta_spent - delta) > 1e-9 * delta
SQL
}

1;
