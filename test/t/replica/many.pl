# Many charges from two standbys at once, while the primary charges as fast as it can: none is lost, none is made twice.
#
# DP_CHARGES is how many come from standbys, 3,000 by default; 100,000 take some minutes.
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

my $clients = 16;
my $each = int(($ENV{DP_CHARGES} // 3000) / (2 * $clients));
$each = 1 if $each == 0;
$PostgreSQL::Test::Utils::timeout_default = 3600 if $each > 1000;

my $primary = new_primary('primary', conf => "max_wal_size = 4GB\n");
$primary->safe_psql('postgres', "CREATE EXTENSION charge; SELECT dp_agg.set_budget('ann', 1e6, 1e-6)");
$primary->safe_psql('postgres', "ALTER SYSTEM SET log_statement = 'none'");
$primary->reload;
my @standbys = map { new_standby($primary, $_, conf => "log_statement = none\nmax_standby_streaming_delay = -1\n") } qw(one two);
ok(relinked($_), $_->name . ' answers') for @standbys;
my $before = $primary->safe_psql('postgres', 'SELECT max(id) FROM dp_agg.ledger');

# Names and answers come from psql alone; the ledger has the names as statements.
my $start = time;
my $load = start_crowd($primary, clients => 8, label => 'load');
my @crowds = map { start_crowd($standbys[$_], clients => $clients, charges => $each, label => $standbys[$_]->name) } 0 .. 1;
ok(crowd_done($_), 'all clients are done') for @crowds;
my $seconds = time - $start;
stop_crowd($load);
ok(crowd_done($load), 'and those of the primary');
my $asked = 2 * $clients * $each;
my $beside = KeeperTest::asked($load);
my $commits = $primary->safe_psql('postgres', 'SELECT keeper_charges::float8 / keeper_commits FROM dp_agg.budget_use LIMIT 1');
note(sprintf '%d charges of standbys and %d of the primary in %.0f s, %.0f and %.0f a second, %.1f a commit', $asked, $beside, $seconds, $asked / $seconds, $beside / $seconds, $commits);

for my $crowd (@crowds, $load)
{
	is(join(', ', %{ KeeperTest::errors($crowd) }), '', 'no error');
	receipts_are_in_the_books($primary, $crowd, 'what a client was told of is in the ledger, once, as it was told');
}
is(scalar(map { KeeperTest::receipts($_, 't') } @crowds), $asked, 'all were admitted');
is($primary->safe_psql('postgres', <<"SQL"), "one|@{[ $clients * $each ]}|@{[ $clients * $each ]}\ntwo|@{[ $clients * $each ]}|@{[ $clients * $each ]}\n|$beside|$beside", 'the ledger has them all, none twice, each of its server');
SELECT releases -> 0 ->> 'read_on', count(*), count(DISTINCT statement) FROM dp_agg.ledger
WHERE id > $before AND admitted GROUP BY 1 ORDER BY 1
SQL
is($primary->safe_psql('postgres', "SELECT count(*) FROM dp_agg.ledger WHERE id > $before"), $asked + $beside, 'and no more');
books_balance($primary, 'the budget is what its ledger adds up to');
is($primary->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'and so says its audit');
caught_up($primary, @standbys);
is($_->safe_psql('postgres', "SELECT count(*) FROM dp_agg.ledger WHERE id > $before"), $asked + $beside, $_->name . ' has replayed them') for @standbys;

done_testing();
