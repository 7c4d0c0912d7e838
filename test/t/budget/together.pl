# A budget of one's own, a pool and a cap, charged by crowds at once, while
# administrators set, reset and drop budgets: none is ever exceeded, nobody
# hangs, and the ledger verifies.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('together');
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE team;
CREATE ROLE m1 IN ROLE team;
CREATE ROLE m2 IN ROLE team;
CREATE ROLE m3 IN ROLE team;
CREATE ROLE own IN ROLE team;
CREATE ROLE other;
SELECT dp_agg.set_budget('team', 1.5, 0), dp_agg.set_budget('own', 1, 0), dp_agg.set_budget('other', 1000, 0),
	dp_agg.set_budget('other', 1000, 0, 'elsewhere');
SELECT dp_agg.set_dataset_cap('default', 3, 0);
SQL

# Multiples of 2^-10 add up exactly, so that limits are met exactly.
my $cost = 1 / 1024;

# Start clients that charge for a role so many times each.
sub start_charging
{
	my ($role, $dataset, $clients, $charges) = @_;
	my $sql = "SELECT count(*) FILTER (WHERE test_charge('$role', '$dataset', $cost)) FROM generate_series(1, $charges)";
	return map { start($node, $sql) } 1 .. $clients;
}

sub admitted
{
	my $admitted = 0;
	for my $run (@_)
	{
		my $outcome = finish($run);
		like($outcome, qr/^\d+$/, 'a client gets its answers');
		$admitted += $outcome if $outcome =~ /^\d+$/;
	}
	return $admitted;
}

sub verifies
{
	my ($name, $database) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return is($node->safe_psql($database // 'postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', $name);
}

my %run = map { $_ => [ start_charging($_, 'default', 2, 500) ] } qw(m1 m2 m3 own other);
my @elsewhere = start_charging('other', 'elsewhere', 2, 500);
my %admitted = map { $_ => admitted(@{ $run{$_} }) } sort keys %run;
is(admitted(@elsewhere), 1000, 'a data set without a cap is not held up');
my $pool = $admitted{m1} + $admitted{m2} + $admitted{m3};
cmp_ok($pool, '<=', 1536, 'the pool is not exceeded');
cmp_ok($admitted{own}, '<=', 1024, 'nor is a budget');
is($pool + $admitted{own} + $admitted{other}, 3072, 'the cap is spent exactly');
is($node->safe_psql('postgres', "SELECT pure_spent * 1024 FROM dp_agg.budget WHERE role = 'team'::regrole"), $pool, 'the pool has what its members spent');
is($node->safe_psql('postgres', "SELECT pure_spent * 1024, statements FROM dp_agg.budget WHERE role::oid = 0"), '3072|3072', 'the cap has what all spent');
is($node->safe_psql('postgres', "SELECT count(DISTINCT role) FROM dp_agg.ledger WHERE payer = 'team' AND admitted"),
	scalar(grep { $admitted{$_} } qw(m1 m2 m3)), 'the ledger says who asked');
verifies('the ledger verifies');

# The same below the cap: each limit is met exactly.
$node->safe_psql('postgres', "SELECT dp_agg.set_dataset_cap('default', 1000, 0), dp_agg.reset_budget('team'), dp_agg.reset_budget('own')");
%run = map { $_ => [ start_charging($_, 'default', 2, 600) ] } qw(m1 m2 m3 own);
%admitted = map { $_ => admitted(@{ $run{$_} }) } sort keys %run;
is($admitted{m1} + $admitted{m2} + $admitted{m3}, 1536, 'a pool is spent exactly');
is($admitted{own}, 1024, 'so is a budget');
verifies('the ledger verifies');

# Administrators at work meanwhile, some of whose transactions fail.
my @crowd = (start_charging('m1', 'default', 2, 1500), start_charging('other', 'default', 2, 1500));
my @administrators = map {
	start($node, [ map { ("SELECT dp_agg.set_budget('other', 1000 + $_, 0)", "SELECT dp_agg.reset_budget('team')",
		'DO $$ BEGIN PERFORM dp_agg.reset_budget(\'own\'); RAISE \'no\'; EXCEPTION WHEN raise_exception THEN END $$',
		"BEGIN; SELECT dp_agg.set_dataset_cap('default', 2000 + $_, 0); SELECT dp_agg.drop_budget('other', 'elsewhere'); ROLLBACK",
		"SELECT dp_agg.set_dataset_cap('elsewhere', 2000 + $_, 0)") } 1 .. 30 ])
} 1 .. 2;
is(finish($_), '', 'an administrator gets through') for @administrators;
admitted(@crowd);
verifies('the ledger verifies');
is($node->safe_psql('postgres', "SELECT count(*) FROM dp_agg.ledger WHERE event = 'reset' AND payer = 'team'"), 61, 'it has what administrators did');

# A cap is set while charges are decided: it has all of them.
$node->safe_psql('postgres', "SELECT dp_agg.drop_dataset_cap('default'), dp_agg.reset_budget('team'), dp_agg.reset_budget('own'), dp_agg.reset_budget('other')");
my @before = start_charging('other', 'default', 4, 1000);
for my $limit (1 .. 20)
{
	$node->safe_psql('postgres', "SELECT dp_agg.set_dataset_cap('default', 1000, 0)");
	is($node->safe_psql('postgres', "SELECT c.pure_spent = sum(b.pure_spent) FROM dp_agg.budget c JOIN dp_agg.budget b USING (dataset) WHERE c.role::oid = 0 AND b.role::oid <> 0 AND dataset = 'default' GROUP BY c.pure_spent"),
		't', 'a cap set meanwhile has all charges');
	$node->safe_psql('postgres', "SELECT dp_agg.drop_dataset_cap('default')") if $limit < 20;
}
is(admitted(@before), 4000, 'and stops none');
verifies('the ledger verifies');

# An administrator who takes time stops nobody but whom it is about.
my $slow = $node->background_psql('postgres');
$slow->query_safe("BEGIN; SELECT dp_agg.set_budget('own', 5, 0)");
is_outcome($node, "SELECT test_charge('other', 'default', $cost)", 't', 'others are charged meanwhile');
is_outcome($node, "SELECT test_charge('own', 'default', $cost)", '55P03: budget of role "own" on data set "default" is locked', 'whom it is about waits');
$slow->query_safe('COMMIT');
is_outcome($node, "SELECT test_charge('own', 'default', $cost)", 't', 'until it is done');
$slow->query_safe("BEGIN; SELECT dp_agg.set_dataset_cap('elsewhere', 4000, 0)");
is_outcome($node, "SELECT test_charge('other', 'default', $cost)", '55P03: ', 'while a cap is set nobody is charged');
$slow->query_safe('ROLLBACK');
is_outcome($node, "SELECT test_charge('other', 'default', $cost)", 't', 'until that is done');
$slow->quit;
verifies('the ledger verifies');

# The ledger is shortened, and verified, while it grows.
@crowd = start_charging('other', 'elsewhere', 4, 800);
my $shortened = 0;
for (1 .. 8)
{
	$shortened += $node->safe_psql('postgres', 'SELECT dp_agg.compact_ledger(clock_timestamp())');
	verifies('the ledger verifies while it grows');
}
is(admitted(@crowd), 3200, 'and grows while it is shortened');
cmp_ok($shortened, '>', 4000, 'it was shortened');
verifies('the ledger verifies');

# A crash: what was entered was committed, and what was committed was entered.
@crowd = start_charging('other', 'elsewhere', 4, 5000);
my $count = $node->safe_psql('postgres', 'SELECT max(id) FROM dp_agg.ledger');
eventually(sub { $node->safe_psql('postgres', 'SELECT max(id) FROM dp_agg.ledger') > $count + 200 });
$node->stop('immediate');
finish($_) for @crowd;
$node->start;
verifies('the ledger verifies after a crash');
is_outcome($node, "SELECT test_charge('other', 'default', $cost)", 't', 'and goes on');
verifies('and verifies');

$node->stop;
done_testing();
