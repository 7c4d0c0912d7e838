# With a loss so large that noise vanishes every aggregate equals a bounded query
# written by hand: nested GROUP BYs with row_number() between them, on random
# tables, data and blocks (FuzzWorld, FuzzBlock).
#
#	DP_FUZZ_CASES	how many answers are compared at least, 560 by default
#	DP_FUZZ_HYPERTABLES	1 has tables be hypertables of TimescaleDB where they can be, which has to be installed
#	DP_FUZZ_SEED	what they are drawn from; printed, taken from the clock by default
#	DP_FUZZ_WORLD	make this world of that seed alone
#
# The noise is never seeded: a value lies farther from the exact one than is
# allowed for with a probability below exp(-70).  Most blocks let a unit count in
# all its groups, as only then there is one answer; of those that limit it the
# number of units that count is compared, which is exact as well.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum0);
use Test::More;
use Time::HiRes qw(time);

use FuzzData;
use FuzzExpr qw(pick chance);
use FuzzTwin qw(difference);
use FuzzWorld;

# What a hundredth of the answers is to be about, each.
use constant SHAPES => ('rows', 'persons', 'grouped rows', 'listed keys', 'links', 'windows', 'united rows', 'texts', 'full joins');

my $cases = $ENV{DP_FUZZ_CASES} // 560;
my $seed = $ENV{DP_FUZZ_SEED} // int(time * 1000) % 1_000_000_000;
my $began = time;
my @timescale = $ENV{DP_FUZZ_HYPERTABLES} ? (libraries => 'timescaledb,dp_agg', conf => "timescaledb.telemetry_level = off\n") : ();
my $server = FuzzData->new('fuzz_exactness', people => 10, visits => 40, @timescale);
$server->admin_rows('SET client_min_messages = error; CREATE EXTENSION timescaledb') if @timescale;
my $expressions = FuzzExpr->new($server);
my (%seen, %shapes, @problems);
note(sprintf 'DP_FUZZ_SEED=%d, server ready after %.1f s', $seed, time - $began);

# Settings that choose plans and nothing else.
my @plans = (
	'SET max_parallel_workers_per_gather = 0', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0', 'SET work_mem = 64; SET hash_mem_multiplier = 1',
	'SET jit = on; SET jit_above_cost = 0; SET jit_optimize_above_cost = -1', 'SET enable_hashagg = off', 'SET enable_seqscan = off',
	'SET enable_partitionwise_join = on; SET enable_partitionwise_aggregate = on');

# Remember what went wrong, with all that brings it back.
sub problem
{
	my ($label, $world, $settings, $text, $why) = @_;
	push @problems, $label;
	diag("$label: $why\n$world->{statements};\n$settings;\n$text->{dp}\nshould be\n$text->{plain}") if @problems <= 3;
	return;
}

# The most groups that a unit has in a block.
sub groups_needed
{
	my ($parts) = @_;
	my $held = FuzzBlock::held_text(@$parts);
	my $answer = $server->{seer}->query("SELECT COALESCE(max(n), 0) FROM (SELECT count(*) AS n FROM ($held) held GROUP BY unit_of) units");
	return $answer->{error} ? undef : $answer->{rows}[0][0];
}

# Compare a block with its twin; what came of it.
sub compare
{
	my ($world, $session, $label, $settings, $mechanism) = @_;
	my $block = $world->block;
	my $needed = @{ $block->{keys} } ? groups_needed($block->{parts}) : 1;
	return 'without twin' if !defined $needed;
	return 'too many groups' if $needed > $world->{max_groups};
	my $set = "SET dp_agg.max_groups = $world->{max_groups}";
	$session->query($set);
	my $answer = $session->query($block->{dp});
	if ($answer->{error} || $answer->{lost})
	{
		my $error = $answer->{lost} ? 'lost' : "$answer->{error}{C} $answer->{error}{M}";
		# 54000: what lpad and rpad say of constants, as PostgreSQL computes these before it plans
		return 'refused' if $error =~ /^(?:0A000|22...|54000) /;
		problem($label, $world, "$settings; $set", $block, $error);
		return 'failed';
	}
	return 'fewer joined' if grep { $_->{M} =~ /fewer than max_join_rows/ } @{ $answer->{notices} };
	my ($verdict, $why) = difference($server, $block, {}, $answer, $mechanism);
	problem($label, $world, "$settings; $set", $block, $why) if $verdict eq 'different';
	$shapes{ $block->{parts}[0]{shape} }++ if $verdict eq 'same' && @{ $answer->{rows} } && $needed;
	return $verdict;
}

# Where a unit may count in fewer groups than it has, the number of units over all
# groups is what it may; no group has more than it would have.
sub limit
{
	my ($world, $session, $label, $settings) = @_;
	my ($block, $from, $where, $keys, $needed);
	for (1 .. 20)
	{
		$block = $world->block;
		($from, $where, $keys) = @{ $block->{parts} };
		$needed = $block->{listing} && !$from->{unique} ? groups_needed($block->{parts}) // 0 : 0;
		last if $needed > 1;
	}
	return 'unlimited' if $needed < 2;
	my $most = 1 + int rand($needed - 1);
	my $held = FuzzBlock::held_text($from, $where, $keys);
	my %text = (
		dp => 'SELECT sum(agg1) FROM (' . FuzzBlock::dp_text($from, $where, $keys, [ { dp => "dp_count(DISTINCT $from->{unit})" } ]) . ') s',
		plain => "SELECT sum(least(n, $most)) FROM (SELECT count(*) AS n FROM ($held) held GROUP BY unit_of) units");
	my $answer = $session->query("SET dp_agg.max_groups = $most; $text{dp}");
	return 'refused' if $answer->{error};
	my $should = $server->{seer}->query($text{plain})->{rows}[0][0];
	return 'same' if $answer->{rows}[0][0] == $should;
	problem($label, $world, "$settings; SET dp_agg.max_groups = $most", \%text, "$answer->{rows}[0][0] units count, not $should");
	return 'different';
}

# One world and some blocks over it.
sub explore
{
	my ($number) = @_;
	my $label = "DP_FUZZ_SEED=$seed DP_FUZZ_WORLD=$number";
	srand($seed + 1_000_003 * $number);
	my $world = FuzzWorld->new($expressions, can => { variance => 1, quantile => 1, pairs => 1 }, max_groups => pick(1, 2, 3, 5, 16), hypertables => scalar @timescale, default_epsilon => 1e6, epsilons => [ 1e6, 5e5, 1048576 ]);
	my $made = $server->{admin}->query($world->create);
	die "$label: $made->{error}{M}\n$world->{statements}\n" if $made->{error};
	my $mechanism = pick(qw(laplace laplace laplace gaussian));
	my $settings = join '; ', "SET dp_agg.epsilon = 1e6; SET dp_agg.mechanism = $mechanism", $plans[ $number % @plans ], map { pick(@plans) } 1 .. int rand 3;
	my $session = $server->connect_as('analyst');
	$session->query($settings);
	for my $case (1 .. 50)
	{
		my $verdict = chance(0.1) ? 'limit: ' . limit($world, $session, $label, $settings)
		  : compare($world, $session, $label, $settings, $mechanism);
		$seen{$verdict}++;
	}
	$session->close;
	return;
}

# Has there been enough of everything?  Shapes are as worlds are, and some are in few of these.
sub enough
{
	my $same = $seen{same} // 0;
	return $same >= 20 * $cases || $same >= $cases && $seen{'limit: same'} && !grep { ($shapes{$_} // 0) < $cases / 100 } SHAPES;
}

for my $world ($ENV{DP_FUZZ_WORLD} // (0 .. 1_000_000))
{
	explore($world);
	last if enough() || @problems > 20 || $world > $cases;
}
note(join ', ', map { "$seen{$_} $_" } sort keys %seen);
note('values: ' . join ', ', map { "$FuzzTwin::compared{$_} of $_" } sort keys %FuzzTwin::compared);
note('not empty: ' . join ', ', map { "$shapes{$_} of $_" } sort keys %shapes);
is(scalar @problems, 0, ($seen{same} // 0) . ' answers are what the bounded query computes');
if (!defined $ENV{DP_FUZZ_WORLD})
{
	cmp_ok($seen{same} // 0, '>=', $cases, 'enough of them');
	cmp_ok($shapes{$_} // 0, '>=', $cases / 100, "enough over $_") for SHAPES;
	cmp_ok($seen{'limit: same'} // 0, '>=', 1, 'some with a limit on groups');
	cmp_ok(sum0(@FuzzTwin::compared{grep { /$_/ } keys %FuzzTwin::compared}), '>=', 1, "values of $_")
	  for 'count', 'sum', 'avg', 'variance|stddev', 'covar', 'median|quantile';
}
note(sprintf 'twins: %.1f s, all: %.1f s', $FuzzTwin::seconds, time - $began);
$server->{node}->stop('fast');
done_testing();
