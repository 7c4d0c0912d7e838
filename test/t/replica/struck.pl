# Each process between a standby and its primary is killed at each point that a charge passes: an answer comes after a durable
# charge alone, no charge is lost or made twice, and who gets no answer gets an error.
#
# Thirty-six cases: each of six processes at each of six points.
#
#	worker	the standby's worker			taken		the worker has the request, and has not sent it
#	session	the session that asks			sent		it has sent it; the primary's keeper has not taken it
#	standby	the standby's postmaster		committing	the primary is about to commit
#	link	the primary's session of the worker	committed	it has committed, and acknowledged nothing
#	keeper	the primary's keeper			acknowledged	the worker knows, and has told nobody
#	primary	the primary's postmaster		charged		the session knows, and has drawn nothing
#
# In 37 a keeper is killed that has several charges of one call, in 38 a link that has.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ReplicaTest;
use Test::More;

plan skip_all => 'built without the headers of libpq' if !has_link();
plan skip_all => 'built without injection points' if !has_points();

my $conf = "restart_after_crash = on\ndp_agg.charge_timeout = 60s\ndp_agg.keeper_idle_timeout = 10min\n";
my $primary = new_primary('primary', conf => $conf);
my $standby = new_standby($primary, 'standby', conf => $conf);
mkdir $standby->data_dir . '/injection';
my @victims = qw(worker session standby link keeper primary);
my $answer = qr/^\d+\|-?\d+$/;
my $error = qr/^(?:08007|55000|57P0[123]|08006): |connection|server closed/;
my @asked;
my $case = 0;

# Where each point is: whose, by which names.
my %point = (
	taken => { standby => ['replica_taken'] },
	sent => { standby => ['replica_sent'], primary => ['queued'] },
	committing => { primary => ['committing'] },
	committed => { primary => ['committed'] },
	acknowledged => { standby => ['replica_acknowledged'] },
	charged => { standby => ['charged'] });

# For each victim, is there an answer (a), none (n), or perhaps (p), and how often is it charged?  Processes go on for a
# moment when their postmaster is gone.  Whatever is answered must be charged, once.
my %expected = (
	taken => [qw(n0 n0 p01 n0 n0 p01)],
	sent => [qw(n1 n1 p1 n0 n0 p01)],
	committing => [qw(n1 n1 p1 n0 n0 p01)],
	committed => [qw(n1 n1 p1 n1 n1 p1)],
	acknowledged => [qw(n1 n1 p1 a1 a1 a1)],
	charged => [qw(n1 n1 p1 a1 a1 a1)]);

sub pid_of_victim
{
	my ($victim) = @_;
	return worker_pid($standby) if $victim eq 'worker';
	return pid_of($standby, 'client') if $victim eq 'session';
	return link_of($primary) if $victim eq 'link';
	return pid_of($primary, 'keeper') if $victim eq 'keeper';
	return;
}

# Kill it; a server that is not up again by itself.  Its server ends those who are stopped there, if it still can.
sub kill_victim
{
	my ($victim, $pid, %stopped) = @_;
	my $node = $victim eq 'standby' ? $standby : $victim eq 'primary' ? $primary : undef;
	if ($node)
	{
		$node->kill9;
		return $node;
	}
	my $with = $stopped{ $victim eq 'link' || $victim eq 'keeper' ? 'primary' : 'standby' };
	kill 'KILL', $pid;
	eventually(sub { kill(0, $with) == 0 }) or die "$with does not end" if $with;
	return;
}

# How often the ledger has what was asked.
sub in_ledger
{
	my ($run) = @_;
	my ($number) = $run->{query} =~ /(\d+)\) FROM people$/;
	return $primary->safe_psql('postgres', "SELECT count(*) FROM dp_agg.ledger WHERE event = 'charge' AND releases #>> '{0,releases,0,aggregate}' = 'dp_sum(age, 0, $number)'");
}

sub try_case
{
	my ($name, $victim, $expected) = @_;
	my ($whether, $times) = $expected =~ /^(.)(.*)$/;
	$case++;
	for my $node ($standby, $primary)
	{
		stop_at($node, $_) for @{ $point{$name}{ $node->name } // [] };
	}
	my $run = ask($standby);
	push @asked, $run;
	my %stopped;
	for my $node ($standby, $primary)
	{
		$stopped{ $node->name } = reached($node, $_) for @{ $point{$name}{ $node->name } // [] };
	}
	my $down = kill_victim($victim, pid_of_victim($victim), %stopped);
	let_all_go($_) for $standby, $primary;
	my $outcome = finish($run);
	if ($down)
	{
		# Processes of the old one may have to end first.
		ok(eventually(sub { $down->{_pid} = undef; $down->start(fail_ok => 1) }), "case $case: " . $down->name . ' is started again');
	}
	ok(is_back($_), "case $case: " . $_->name . ' is there') for $primary, $standby;
	ok(relinked($standby), "case $case: the standby answers again");
	like($outcome, $whether eq 'a' ? $answer : $whether eq 'n' ? $error : qr/$answer|$error/, "case $case: $victim killed at $name: " . ($whether eq 'n' ? 'an error' : $whether eq 'a' ? 'an answer' : 'either'));
	return like(in_ledger($run), $outcome =~ $answer ? qr/^1$/ : qr/^[$times]$/, "case $case: charged as often as is said");
}
ok(relinked($standby), 'it answers');
for my $name (qw(taken sent committing committed acknowledged charged))
{
	try_case($name, $victims[$_], $expected{$name}[$_]) for 0 .. $#victims;
}

# Several of one call.
for my $victim (qw(keeper link))
{
	$case++;
	stop_at($primary, 'committing');
	my @runs = (ask($standby));
	my $keeper = reached($primary, 'committing');
	push @runs, map { ask($standby) } 1 .. 5;
	ok(eventually(sub { $standby->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND wait_event = 'Extension'") == 6 }), "case $case: six wait");
	let_all_go($primary);
	stop_at($primary, 'decided');
	$keeper = reached($primary, 'decided');
	like(finish($runs[0]), $answer, "case $case: the first is answered");
	kill_victim($victim, $victim eq 'keeper' ? $keeper : link_of($primary), primary => $keeper);
	let_all_go($primary);
	like(finish($_), qr/^08007: /, "case $case: $victim killed with several: unknown") for @runs[ 1 .. 5 ];
	ok(is_back($primary), "case $case: the primary is there");
	ok(relinked($standby), "case $case: the standby answers again");
	is(join(' ', map { in_ledger($_) } @runs), '1 0 0 0 0 0', "case $case: none of them is charged");
	push @asked, @runs;
}
invariants($primary, \@asked, 'in the end');

done_testing();
