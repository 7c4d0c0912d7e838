# Whatever fails between a standby and its primary: an answer comes after a durable charge alone, nobody waits for
# ever, and no charge is made twice.  Twenty-two cases; struck has 38 more, ways 14 and promotion 6:
#
#	1 worker terminated before it sends				12 keeper killed, its decisions written
#	2 before the acknowledgement					13 keeper killed, with all committed
#	3 worker killed before it sends					14 primary stopped, fast
#	4 with the acknowledgement						15 primary stopped, at once
#	5 session cancelled								16 conninfo of a host that there is not
#	6 session terminated							17 conninfo that cannot be read
#	7 time for a charge passed						18 conninfo of a role that there is not
#	8 link cut while the primary commits			19 conninfo of a port where nobody listens
#	9 link cut while nobody asks					20 conninfo of a host, beside an address of the server's
#	10 keeper terminated while it commits			21 something swallows what the primary says
#	11 keeper killed with a request in hand			22 something swallows what the standby says
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
use Time::HiRes qw(time);

plan skip_all => 'built without the headers of libpq' if !has_link();
plan skip_all => 'built without injection points' if !has_points();

my $primary = new_primary('primary', conf => "restart_after_crash = on\n");
my $standby = new_standby($primary, 'standby', conf => "restart_after_crash = on\ndp_agg.charge_timeout = 20s\ndp_agg.keeper_idle_timeout = 10min\n");
mkdir $standby->data_dir . '/injection';
my (@asked, $run, $before);
my $unknown = qr/^08007: outcome of charging the budget of role "ann" on data set "default" is unknown/;
my $no_link = qr/^55000: could not charge the budget of role "ann" on data set "default": there is no link to the primary server/;
my $settled = 'SELECT dp_count(*) FROM people';

# Ask something of the standby that the ledger knows by its number.
sub ask_standby
{
	push @asked, ask($standby, @_);
	return $asked[-1];
}

# What the ledger has of it: how often, and as what.
sub in_ledger
{
	my ($run) = @_;
	my ($number) = $run->{query} =~ /(\d+)\) FROM people$/;
	return $primary->safe_psql('postgres', "SELECT count(*) FROM dp_agg.ledger WHERE event = 'charge' AND releases #>> '{0,releases,0,aggregate}' = 'dp_sum(age, 0, $number)'");
}

sub holds
{
	my ($name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok(relinked($standby), "$name: the standby answers again");
	return invariants($primary, [@asked], $name);
}
ok(relinked($standby), 'it answers');

# The worker is stopped before it sends, and terminated there: the charge goes back and is made by the next one.
stop_at($standby, 'replica_taken');
$run = ask_standby();
my $pid = reached($standby, 'replica_taken');
kill 'TERM', $pid;
let_all_go($standby);
like(finish($run), qr/^\d+\|-?\d+$/, 'worker terminated before it sends: answered');
is(in_ledger($run), 1, 'and charged once');
holds('worker terminated before it sends');

# Terminated when the primary has charged, and it has not heard of that.
stop_at($primary, 'committing');
$run = ask_standby();
reached($primary, 'committing');
kill 'TERM', worker_pid($standby);
like(finish($run), $unknown, 'worker terminated before the acknowledgement: unknown');
like($run->{err}, qr/DETAIL:.*may stand/, 'and said so');
let_all_go($primary);
holds('worker terminated before the acknowledgement');
is(in_ledger($run), 1, 'it stands');

# Killed: the server starts anew.
for my $point (qw(replica_taken replica_acknowledged))
{
	stop_at($standby, $point);
	$run = ask_standby();
	kill 'KILL', reached($standby, $point);
	like(finish($run), qr/connection|57P02/, "worker killed at $point: no answer");
	let_all_go($standby);
	is_back($standby);
	is(in_ledger($run), $point eq 'replica_taken' ? 0 : 1, "$point: charged or not");
	holds("worker killed at $point");
}

# A cancel, a timeout of the session's, its end: nothing hangs, the charge may stand.
for my $how (qw(pg_cancel_backend pg_terminate_backend))
{
	stop_at($primary, 'committing');
	$run = ask_standby();
	reached($primary, 'committing');
	$standby->safe_psql('postgres', "SELECT $how(pid) FROM pg_stat_activity WHERE usename = 'ann' AND state = 'active'");
	like(finish($run), qr/^57|terminat|connection/, "$how: no answer");
	let_all_go($primary);
	holds($how);
}
stop_at($primary, 'committing');
$run = ask_standby("SET dp_agg.charge_timeout = '500ms'");
reached($primary, 'committing');
like(finish($run), qr/^55P03: canceling statement because its privacy budget was not charged in time/, 'charge_timeout: no answer');
like($run->{err}, qr/DETAIL:.*may stand/, 'and said that it may stand');
let_all_go($primary);
holds('charge_timeout');

# The session on the primary is terminated while the keeper commits.
stop_at($primary, 'committing');
$run = ask_standby();
reached($primary, 'committing');
$primary->safe_psql('postgres', 'SELECT pg_terminate_backend(' . link_of($primary) . ')');
like(finish($run), $unknown, 'link cut at the primary: unknown');
let_all_go($primary);
holds('link cut at the primary');

# While nobody asks: the next one is answered.
$primary->safe_psql('postgres', 'SELECT pg_terminate_backend(' . link_of($primary) . ', 10000)');
like(finish(ask_standby()), qr/^\d+\|-?\d+$/, 'link cut while nobody asks: answered');

# The keeper of the primary is terminated, and killed.
stop_at($primary, 'committing');
$run = ask_standby();
kill 'TERM', reached($primary, 'committing');
let_all_go($primary);
like(finish($run), qr/^08007: outcome/, 'keeper terminated while it commits: unknown');
holds('keeper terminated');
for my $point (qw(taken decided committed))
{
	stop_at($primary, $point);
	$run = ask_standby();
	kill 'KILL', reached($primary, $point);
	like(finish($run), $unknown, "keeper killed at $point: unknown");
	let_all_go($primary);
	is_back($primary);
	holds("keeper killed at $point");
}

# The primary is stopped.
for my $mode (qw(fast immediate))
{
	stop_at($primary, 'decided');
	$run = ask_standby();
	reached($primary, 'decided');
	system('pg_ctl', '-s', '-D', $primary->data_dir, '-m', $mode, '-W', 'stop');
	let_all_go($primary);
	like(finish($run), qr/^(?:08007|08006)/, "primary stopped, $mode: no answer");
	eventually(sub { !-e $primary->data_dir . '/postmaster.pid' });
	$primary->{_pid} = undef;
	my $start = time;
	$run = ask_standby();
	like(finish($run), $no_link, "primary stopped, $mode: no link, no answer");
	like($run->{err}, qr/DETAIL:.*Nothing was charged/, 'and nothing charged');
	cmp_ok(time - $start, '<', 20, 'within the time for a charge');
	$primary->start;
	is(in_ledger($run), 0, 'nothing, indeed');
	holds("primary stopped, $mode");
}

# A conninfo that leads nowhere, one that cannot be read, one of a role that there is not.
sub reconnect
{
	my ($conninfo) = @_;
	$standby->append_conf('postgresql.conf', "dp_agg.primary_conninfo = '$conninfo'");
	$standby->reload;
	$standby->poll_query_until('postgres', "SELECT current_setting('dp_agg.primary_conninfo') = '$conninfo'") or die;
	eventually(sub { link_of($primary) eq '' });
	return;
}
for my $conninfo ('user=dp_agg_replica host=/nowhere', 'no sense', 'user=nobody', 'user=dp_agg_replica port=1')
{
	reconnect($conninfo);
	like(finish(ask_standby()), $no_link, "conninfo $conninfo: no link");
}

# Another host is gone to by its own name, whatever address the server's own connection has.
$standby->append_conf('postgresql.conf', "primary_conninfo = 'hostaddr=127.0.0.1 port=1'");
reconnect('user=dp_agg_replica host=' . $primary->host . ' port=' . $primary->port);
ok(relinked($standby), 'a host of its own, beside an address of the server: answered');
$standby->append_conf('postgresql.conf', "primary_conninfo = '" . $primary->connstr . "'");
reconnect('user=dp_agg_replica');
holds('the host of the server');

# Something in between that swallows what it should pass on.
my $proxy = start_proxy($primary);
reconnect($proxy->{conninfo});
ok(relinked($standby), 'through a proxy: answered');
for my $from (qw(primary standby))
{
	swallow($proxy, $from, 1);
	$run = ask_standby("SET dp_agg.charge_timeout = '1s'");
	like(finish($run), qr/^55P03/, "a proxy that swallows what the $from says: no answer");
	like($run->{err}, qr/DETAIL:.*may stand/, 'and may stand');
	is(in_ledger($run), $from eq 'primary' ? 1 : 0, 'charged or not');
	$standby->append_conf('postgresql.conf', "dp_agg.charge_timeout = 1s");
	$standby->reload;
	ok(eventually(sub { $standby->safe_psql('postgres', "SELECT query FROM pg_stat_activity WHERE backend_type = 'dp_agg replica'") =~ /no link/ }), 'the worker gives the link up');
	$run = ask_standby("SET dp_agg.charge_timeout = '10s'");
	like(finish($run), $no_link, 'a link that is not made in time is none');
	swallow($proxy, $from, 0);
	$standby->append_conf('postgresql.conf', "dp_agg.charge_timeout = 20s");
	$standby->reload;
	holds("a proxy that swallows what the $from says");
}
kill 'KILL', $proxy->{pid};
waitpid $proxy->{pid}, 0;
reconnect('user=dp_agg_replica');
holds('without a proxy');

done_testing();
