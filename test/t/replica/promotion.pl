# Promotion in the middle, standbys of standbys, and servers that are no standby of the one they ask: an answer comes after a
# charge in the books of the one primary alone.  Six cases:
#
#	1 a standby of a standby, whose link leads there	4 a promotion while the primary commits
#	2 the same, whose link leads to the primary			5 a promotion while requests wait with the worker
#	3 servers that went their own way					6 a synchronous standby that takes over
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

my $query = 'SELECT dp_count(*) FROM people';
my $primary = new_primary('primary');
my $refused = qr/^55000: could not charge the budget of role "ann" on data set "default": /;
my $unknown = qr/^08007: outcome of charging the budget of role "ann" on data set "default" is unknown/;

# A standby of a standby: its own link leads to the primary, or to none.
my $standby = new_standby($primary, 'standby');
my $cascading = PostgreSQL::Test::Cluster->new('cascading');
$cascading->init_from_backup($primary, 'backup', has_streaming => 1);
$cascading->append_conf('postgresql.conf', "cluster_name = 'cascading'\nprimary_conninfo = '" . $standby->connstr . " application_name=cascading'\ndp_agg.primary_conninfo = 'user=dp_agg_replica'");
$cascading->start;
$standby->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_replication WHERE application_name = 'cascading'") or die;
like(asked($cascading, $query), qr/${refused}server that is to charge privacy budgets for a standby is itself a standby/, 'a standby charges for nobody');
my $before = admitted($primary);
$cascading->append_conf('postgresql.conf', "dp_agg.primary_conninfo = 'user=dp_agg_replica host=" . $primary->host . ' port=' . $primary->port . "'");
$cascading->reload;
ok(relinked($cascading), 'a standby of a standby answers, by a link to the primary');
is(admitted($primary), $before + 1, 'which has charged it');
$cascading->stop;

# A server that went its own way: promoted, and led on as a standby of the original is not; here it asks by hand.
sub call
{
	my ($node, $home, $releases) = @_;
	$releases //= '(SELECT releases FROM dp_agg.ledger WHERE event = $$charge$$ ORDER BY id DESC LIMIT 1)';
	return KeeperTest::outcome($node, "SELECT length(dp_agg.replica_charge(ARRAY['ann'::regrole], '{default}', ARRAY[$releases], '{by hand}', '$home', 'x')) > 0");
}
my $home = $primary->safe_psql('postgres', "SELECT home FROM dp_agg.budget WHERE role = 'ann'::regrole");
is(call($primary, $home), 't', 'a standby of this server is served');
for my $other ($home =~ s{/1$}{/2}r, "1$home", $home =~ s{/(\d+)/}{/1$1/}r, "$home/1", '', 'x')
{
	like(call($primary, $other), qr/^55000: server "x" does not follow the one that is to charge privacy budgets for it/, "not one of $other");
}

# A promotion while the primary commits: what comes of it counts for nothing.
$before = admitted($primary);
stop_at($primary, 'committing');
my $run = start_as($standby, $query);
reached($primary, 'committing');
$standby->promote;
like(finish($run), $unknown, 'promoted while the primary commits: no answer');
let_all_go($primary);
ok(eventually(sub { worker_pid($standby) eq '' && link_of($primary) eq '' }), 'the worker ends, and its session');
is(admitted($primary), $before + 1, 'the charge stands');
like(asked($standby, $query), qr/^55000: budgets on data set "default" may be behind in this copy of the database/, 'the keeper takes over, and knows a copy');
is($standby->safe_psql('postgres', "SELECT dp_agg.acknowledge_copy()"), '2', 'which is acknowledged');
like(asked($standby, $query), qr/^-?\d+$/, 'and answers');
is(admitted($primary), $before + 1, 'at its own expense');
invariants($standby, [], 'promoted');
invariants($primary, [], 'left behind');
$standby->stop;

# One that is promoted while requests wait with the worker: they are the keeper's.
my $second = new_standby($primary, 'second');
mkdir $second->data_dir . '/injection';
ok(relinked($second), 'second: answers');
$before = admitted($primary);
stop_at($second, 'replica_taken');
$run = start_as($second, $query);
my $pid = reached($second, 'replica_taken');
$second->promote;
kill 'TERM', $pid;
let_all_go($second);
like(finish($run), qr/^55000: budgets on data set "default" may be behind/, 'second: what is not sent is decided here, after a promotion');
is(admitted($primary), $before, 'and not there');
$second->stop;

# A synchronous standby that takes over goes on with all that was charged for it.
my $sync = new_standby($primary, 'sync');
$primary->append_conf('postgresql.conf', "synchronous_standby_names = 'sync'");
$primary->reload;
$primary->poll_query_until('postgres', "SELECT sync_state = 'sync' FROM pg_stat_replication WHERE application_name = 'sync'") or die;
ok(relinked($sync), 'sync: answers');
my @answers = map { asked($sync, $query) } 1 .. 5;
is(scalar(grep { /^-?\d+$/ } @answers), 5, 'sync: five times');
my $spent = admitted($primary);
$primary->stop('immediate');
$sync->promote;
like(asked($sync, $query), qr/^-?\d+$/, 'sync: takes over at once');
is(admitted($sync), $spent + 1, 'sync: on top of all that it had the primary charge');
invariants($sync, [], 'sync');

done_testing();
