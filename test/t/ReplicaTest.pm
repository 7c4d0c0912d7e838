# What tests of standbys share that answer, with charges on their primary: a pair of servers, and what must hold.
package ReplicaTest;

use strict;
use warnings;

use Exporter 'import';
use FaultTest;
use GateTest;
use IO::Select;
use IO::Socket::UNIX;
use KeeperTest;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(has_link new_primary new_standby caught_up worker_pid link_of relinked start_proxy swallow $SIGNATURE);

our $SIGNATURE = 'dp_agg.replica_charge(oid[], text[], jsonb[], text[], text, text)';

# Is there the library that links a standby to its primary?
sub has_link
{
	return -e FaultTest::library() =~ s/dp_agg\.so$/dp_agg_replica.so/r;
}

# A primary that standbys may have budgets charged on.
sub new_primary
{
	my ($name, %options) = @_;
	my $node = new_gate($name, conf => <<"CONF" . ($options{conf} // ''), init => { allows_streaming => 1 });
shared_buffers = 16MB
max_connections = 100
dp_agg.keeper_idle_timeout = 10min
CONF
	mkdir $node->data_dir . '/injection' or die "could not make a directory for points: $!";
	$node->safe_psql('postgres', "CREATE ROLE dp_agg_replica LOGIN; GRANT EXECUTE ON FUNCTION $SIGNATURE TO dp_agg_replica");
	$node->backup('backup');
	return $node;
}

# A standby of it.
sub new_standby
{
	my ($primary, $name, %options) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init_from_backup($primary, 'backup', has_streaming => 1);
	$node->append_conf('postgresql.conf', "cluster_name = '$name'\ndp_agg.primary_conninfo = '" . ($options{conninfo} // 'user=dp_agg_replica') . "'\n" . ($options{conf} // ''));
	$node->start;
	caught_up($primary, $node);
	return $node;
}

# Wait until standbys have replayed what the primary wrote.
sub caught_up
{
	my ($primary, @standbys) = @_;
	$primary->wait_for_catchup($_, 'replay', $primary->lsn('insert')) for @standbys;
	return;
}

# The worker of a standby, or ''.
sub worker_pid
{
	my ($standby) = @_;
	return $standby->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dp_agg replica'");
}

# The sessions that standbys have on their primary.
sub link_of
{
	my ($primary) = @_;
	return $primary->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE usename = 'dp_agg_replica'");
}

# Does a standby answer, sooner or later?
sub relinked
{
	my ($standby, $query) = @_;
	return eventually(sub { asked($standby, $query // 'SELECT dp_count(*) FROM people') =~ /^-?\d+$/ });
}

# Something between a standby and its primary's socket, that passes on what comes until it swallows all of one direction.
# A conninfo that leads to it.
sub start_proxy
{
	my ($primary) = @_;
	my $directory = PostgreSQL::Test::Utils::tempdir_short;
	my $port = $primary->port;
	my $listening = IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => "$directory/.s.PGSQL.$port", Listen => 16) or die "could not listen: $!";
	my $pid = fork // die "could not fork: $!";

	if ($pid == 0)
	{
		eval { pass_on($directory, $listening, $primary->host . "/.s.PGSQL.$port") };
		POSIX::_exit(0);
	}
	return { pid => $pid, directory => $directory, conninfo => "user=dp_agg_replica host=$directory" };
}

sub pass_on
{
	my ($directory, $listening, $to) = @_;
	my $select = IO::Select->new($listening);
	my (%other, %from);

	while (my @ready = $select->can_read)
	{
		for my $socket (@ready)
		{
			if ($socket == $listening)
			{
				my $client = $listening->accept;
				my $server = IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => $to) or next;
				@other{ $client, $server } = ($server, $client);
				@from{ $client, $server } = qw(standby primary);
				$select->add($client, $server);
			}
			elsif (sysread $socket, my $bytes, 65536)
			{
				syswrite $other{$socket}, $bytes if !-e "$directory/swallow.$from{$socket}";
			}
			elsif (!-e "$directory/swallow.$from{$socket}")
			{
				$select->remove($socket, $other{$socket});
				$_->close for $other{$socket}, $socket;
			}
			else
			{
				$select->remove($socket);
			}
		}
	}
	return;
}

# Swallow from now on what one of the two says, or no more.
sub swallow
{
	my ($proxy, $from, $on) = @_;
	$on ? append_to_file("$proxy->{directory}/swallow.$from", '') : unlink "$proxy->{directory}/swallow.$from";
	return;
}

1;
