# Backends, keepers, the checkpointer and the postmaster killed at each step of a
# statement, from its charge in the queue to its noise.  Before the commit
# nothing is charged, after it the charge stands, and no answer is unpaid.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs a build with -DDP_INJECTION' unless has_points();
my $node = new_faulty('killed');

# Killed before these, a statement is not charged; from the rest on it is.
my %early = map { $_ => 1 } qw(queued taken decided committing);
my @clients;

# Stop a query at a point, kill somebody, and look.
sub kill_at
{
	my ($point, $victim) = @_;
	my $name = "$victim killed at $point";
	my $before = charged($node);

	stop_at($node, $point);
	my $run = ask($node);
	push @clients, $run;
	my $stopped = reached($node, $point);
	my $pid = $victim eq 'postmaster' ? (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0] : pid_of($node, $victim);
	if ($pid !~ /^\d+$/)
	{
		let_go($node, $point);
		return fail("$name: is there to be killed");
	}
	kill 'KILL', $pid;
	if ($victim eq 'postmaster')
	{
		# The others notice when they wait for something, and leave.
		let_go($node, $point);
		ok(eventually(sub { !processes() }), "$name: all leave");
		forget_postmaster();
		$node->start;
	}
	else
	{
		# The postmaster sees to it that nobody gets any further.
		like(finish($run), qr/^(57P0[123]: |.*(connection|server closed))/s, "$name: no answer");
		eventually(sub { !kill 0, $stopped }) or die "process $stopped stays";
		let_go($node, $point);
		ok(is_back($node), "$name: the server is back");
		is(charged($node), $before + ($early{$point} ? 0 : 1), "$name: " . ($early{$point} ? 'not charged' : 'charged once'));
	}
	finish($run);
	invariants($node, \@clients, $name);
	return;
}

# Processes whose working directory is the server's.
sub processes
{
	my $directory = $node->data_dir;
	return grep { (readlink("$_/cwd") // '') eq $directory } glob('/proc/[0-9]*');
}

# A killed postmaster leaves its lock files behind, and perhaps a zombie that
# looks alive.
sub forget_postmaster
{
	$node->{_pid} = undef;
	unlink $node->data_dir . '/postmaster.pid', glob($node->host . '/.s.PGSQL.*.lock');
	return;
}

for my $point (@POINTS)
{
	kill_at($point, 'client');
	kill_at($point, 'keeper');
}
kill_at($_, 'checkpointer') for qw(queued decided committing committed exact);
kill_at($_, 'postmaster') for qw(queued committing committed noise);

$node->stop;
done_testing();
