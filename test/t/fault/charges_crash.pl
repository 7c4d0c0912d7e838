# Crashes under load: whatever a client was told is in the books, the books
# balance, nobody hangs, and the next charge works.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Only a commit writes WAL: what was not waited for is lost in a crash.
my $node = new_server('crash', conf => <<'CONF');
restart_after_crash = on
wal_writer_delay = 10s
synchronous_commit = off
CONF

sub entries
{
	return $node->safe_psql('postgres', 'SELECT count(admitted) FROM dp_agg.ledger');
}

# Let a crowd loose and break something while it is busy.
sub crash
{
	my ($name, $round, $break) = @_;
	my $start = entries();
	my $crowd = start_crowd($node, clients => 16, charges => 3000, label => "$name$round");

	eventually(sub { entries() > $start + 150 * $round }) or die 'the crowd does not move';
	$break->();
	ok(crowd_done($crowd), "$name $round: no client hangs");
	ok(is_back($node), "$name $round: the server is back");
	receipts_are_in_the_books($node, $crowd, "$name $round: what clients were told is in the ledger");
	my @received = KeeperTest::receipts($crowd, 't');
	cmp_ok(scalar(@received), '>', 100, "$name $round: that is much");
	cmp_ok(scalar(@received), '<', 16 * 3000, "$name $round: but not all");
	books_balance($node, "$name $round: the books balance");
	is_outcome($node, "SELECT test_charge('ann', 'default', 0.001)", 't', "$name $round: the next charge works");
}

for my $round (1 .. 3)
{
	crash('keeper-killed', $round, sub { kill 'KILL', keeper_pid($node) });
	crash('client-killed', $round, sub {
		kill 'KILL', $node->safe_psql('postgres',
			"SELECT pid FROM pg_stat_activity WHERE query ~ 'test_charge' AND pid <> pg_backend_pid() AND backend_type = 'client backend' LIMIT 1");
	});
	crash('immediate-stop', $round, sub { $node->stop('immediate'); $node->start });
}

$node->stop;
done_testing();
