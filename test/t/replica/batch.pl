# Requests that wait on a standby go to its primary in one call and are charged in one transaction, each with an answer of
# its own.
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
use Time::HiRes ();

plan skip_all => 'built without the headers of libpq' if !has_link();
plan skip_all => 'built without injection points' if !has_points();

my $query = 'SELECT dp_count(*) FROM people';
my $primary = new_primary('primary');
$primary->safe_psql('postgres', "SELECT dp_agg.set_budget('eve', 0.01, 0)");
my $standby = new_standby($primary, 'standby', conf => "dp_agg.charge_timeout = 60s\ndp_agg.keeper_idle_timeout = 10min\n");
my @asked;

# Ask as somebody else than ann.
sub ask_as
{
	my ($role, @sql) = @_;
	local $ENV{PGUSER} = $role;
	return KeeperTest::start($standby, [@sql]);
}

# How many sessions of the standby wait for a charge.
sub waiting
{
	return $standby->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND wait_event = 'Extension'");
}

# While the primary commits one, others come.
sub behind_one
{
	my (@others) = @_;
	stop_at($primary, 'committing');
	my $first = ask($standby);
	reached($primary, 'committing');
	my @runs = map { $_->() } @others;
	ok(eventually(sub { waiting() == 1 + @runs }), 'all wait');
	return ($first, @runs);
}

# In how many transactions the primary charged queries, and how many it charged.
sub transactions
{
	my (@runs) = @_;
	my @numbers = map { $_->{query} =~ /(\d+)\) FROM people$/ } @runs;
	return $primary->safe_psql('postgres', "SELECT count(DISTINCT xmin::text), count(*) FROM dp_agg.ledger WHERE releases #>> '{0,releases,0,aggregate}' = ANY (ARRAY[" . join(', ', map { "'dp_sum(age, 0, $_)'" } @numbers) . '])');
}
ok(relinked($standby), 'it answers');

# Eight of ann's, one that does not fit, one whose budget is locked, one of a role without a budget.
my $lock = $primary->background_psql('postgres');
$lock->query_safe("BEGIN; SELECT count(*) FROM (SELECT 1 FROM dp_agg.budget WHERE role = 'bob'::regrole FOR UPDATE) b");
my $refusals = refusals($primary, 'eve');
my ($first, @runs) = behind_one((sub { ask($standby) }) x 8, sub { ask_as('eve', $query) }, sub { ask_as('bob', $query) });
let_all_go($primary);
my $bob = pop @runs;
my $eve = pop @runs;
like(finish($first), qr/^\d+\|-?\d+$/, 'the first is answered');
like(finish($_), qr/^\d+\|-?\d+$/, 'one of the others') for @runs;
like(finish($eve), qr/^53400: privacy budget exhausted/, 'the one that does not fit is refused');
is(transactions(@runs), '1|8', 'all of ann\'s were charged in one transaction');
is(transactions($first, @runs), '2|9', 'another one than the first');
is(refusals($primary, 'eve') - $refusals, 1, 'the refusal is in the books');
like(finish($bob), qr/^55P03: budget of role "bob" on data set "default" is locked by another transaction/, 'one whose budget is locked is told in the end');
push @asked, $first, @runs;
($first, @runs) = behind_one(sub { ask_as('bob', $query) }, sub { ask($standby) });
let_all_go($primary);
like(finish($_), qr/^\d+\|-?\d+$/, 'while it waits, others are answered') for $first, $runs[1];
$lock->query_safe('COMMIT');
$lock->quit;
like(finish($runs[0]), qr/^-?\d+$/, 'and it, too, once its budget is not locked any more');
is(admitted($primary, 'bob'), 1, 'charged once');

# More than a call has; some of them are given up meanwhile.
($first, @runs) = behind_one((sub { ask($standby) }) x 40, sub { ask_as('bob', "SET dp_agg.charge_timeout = '1s'", $query) });
$bob = pop @runs;
like(finish($bob), qr/^55P03: canceling statement because its privacy budget was not charged in time/, 'one gives up before it is sent');
like($bob->{err}, qr/DETAIL:.*Nothing was charged/, 'and nothing was charged');
let_all_go($primary);
like(finish($_), qr/^\d+\|-?\d+$/, 'answered') for $first, @runs;
is(transactions(@runs), '1|40', 'forty at once');
is(admitted($primary, 'bob'), 1, 'without the one that was given up');
push @asked, $first, @runs;
invariants($primary, \@asked, 'in the end', twice => 1);

# The primary's own limit of time: what its keeper has not taken was not charged, and the worker hears that.
$primary->safe_psql('postgres', "ALTER ROLE dp_agg_replica SET dp_agg.charge_timeout = '300ms'");
$primary->safe_psql('postgres', 'SELECT pg_terminate_backend(' . link_of($primary) . ', 10000)');
ok(relinked($standby), 'another link');
my $before = admitted($primary);
stop_at($primary, 'queued');
like(finish(ask($standby)), qr/^55P03: could not charge the budget of role "ann" on data set "default": it was not charged in time/, 'not taken in time');
let_all_go($primary);
is(admitted($primary), $before, 'nothing was charged');
stop_at($primary, 'committing');
like(finish(ask($standby)), qr/^08007: outcome/, 'not committed in time');
let_all_go($primary);
ok(eventually(sub { admitted($primary) == $before + 1 }), 'which stands');

# Limits of time that the role has on the primary end nothing.
my @limits = map { "ALTER ROLE dp_agg_replica SET $_ = '100ms'" } split /\n/, $primary->safe_psql('postgres', "SELECT name FROM pg_settings WHERE name ~ '^(statement|lock|transaction|idle_session|idle_in_transaction_session)_timeout\$'");
cmp_ok(scalar(@limits), '>=', 4, 'there are such limits');
$primary->safe_psql('postgres', join(';', @limits, "ALTER ROLE dp_agg_replica SET dp_agg.charge_timeout = '60s'"));
$primary->safe_psql('postgres', 'SELECT pg_terminate_backend(' . link_of($primary) . ', 10000)');
ok(relinked($standby), 'yet another link');
my $link = link_of($primary);
stop_at($primary, 'committing');
my $run = ask($standby);
reached($primary, 'committing');
Time::HiRes::sleep(0.5);
let_all_go($primary);
like(finish($run), qr/^\d+\|-?\d+$/, 'a charge that takes longer is made');
is(link_of($primary), $link, 'over the same link');
invariants($primary, [$run], 'after limits of time', twice => 1);

done_testing();
