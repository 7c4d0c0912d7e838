# Random statements of an analyst: valid ones compared with what the owner
# computes without noise, hostile ones for anything that should not come out.
#
#	DP_FUZZ_STATEMENTS	how many, 1000 by default
#	DP_FUZZ_SEED		what they are drawn from; printed, taken from the clock by default
#	DP_FUZZ_SESSION		run this session of that seed alone
#
# The noise is never seeded.  In sessions that compare, every loss is so large
# that an answer lies farther from the exact one than is allowed for with a
# probability below exp(-70) for each value, however many there are; sessions
# that attack keep losses small and delta at 1e-18: see FuzzData.  In both kinds,
# some blocks are asked beside hostile objects of the analyst's: see FuzzObjects.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use Time::HiRes qw(time);

use FuzzBlock;
use FuzzData;
use FuzzExpr qw(pick chance);
use FuzzHostile;
use FuzzObjects;
use FuzzOracle;
use FuzzRoute qw(routes step);
use FuzzTwin qw(copied_rows difference twin);

my $statements = $ENV{DP_FUZZ_STATEMENTS} // 1000;
my $seed = $ENV{DP_FUZZ_SEED} // int(time * 1000) % 1_000_000_000;
my $began = time;

# Where a number is asked for, tallies are shown even by a quiet harness.
my $tell = $ENV{DP_FUZZ_STATEMENTS} ? \&diag : \&note;
my $server = FuzzData->new('fuzz_queries');
my $can = FuzzBlock::probe($server);
my $oracle = FuzzOracle->new($server, own_error => \&is_own_error);
my $expressions = FuzzExpr->new($server);
my $objects = FuzzObjects->new($server);
my (%compared, %valid, %struck);
$tell->(sprintf 'DP_FUZZ_SEED=%d, server ready after %.1f s', $seed, time - $began);
$tell->('beside one table: ' . join ' ', sort keys %$can);

# Internal errors of PostgreSQL's own functions, whatever they are called by.
sub is_own_error
{
	my ($error) = @_;
	return $error->{R} =~ /^(?:AdjustIntervalForTypmod|intervaltypmodleastfield)$/;
}

# Settings that choose plans and nothing else.
my @plans = map { my $n = $_; map { "SET $n = $_" } qw(on off) }
  qw(enable_hashagg enable_sort enable_seqscan enable_indexscan enable_bitmapscan enable_partitionwise_aggregate enable_incremental_sort);
push @plans, 'SET max_parallel_workers_per_gather = 0', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0',
  (map { "SET $_->[0] = on" } grep { $_->[0] =~ /^(?:force_parallel_mode|debug_parallel_query)$/ } @{ $server->{settings} }),
  'SET work_mem = 64', 'SET plan_cache_mode = force_generic_plan';

# Settings that choose what values look like or mean, and so the twin's rows too.
my $meaning = qr/datestyle|intervalstyle|extra_float_digits|bytea_output|transform_null_equals|array_nulls|standard_conforming_strings|backslash_quote|escape_string|default_transaction|^transaction|xml|debug_print|max_stack_depth|client_min_messages/i;
my @harmless = grep { $_->[0] !~ $meaning } @{ $server->{settings} };

# A session whose answers are compared with their twins.
sub compare
{
	my ($count) = @_;
	my %block = (max_rows => 1 + int rand 4, max_groups => 16, default_epsilon => 1e6, epsilons => [ 1e6, 5e5, 1048576 ]);
	my $mechanism = pick(qw(laplace laplace laplace laplace gaussian));
	$oracle->{opening} = [
		"SET dp_agg.epsilon = 1e6; SET dp_agg.mechanism = $mechanism; SET dp_agg.max_rows = $block{max_rows}; SET dp_agg.max_groups = 16",
		(map { pick(@plans) } 1 .. int rand 4), map { FuzzHostile::any_setting({ settings => \@harmless })->{sql} } 1 .. pick(0, 0, 1, 3) ];
	$oracle->begin(@{ $oracle->{opening} });
	my $blocks = FuzzBlock->new($expressions, %block, can => $can, objects => $objects);
	for (1 .. $count)
	{
		if (chance(0.25)) { strike($blocks, $mechanism); next }
		my $parameters = chance(0.3) ? [] : undef;
		my $block = $blocks->block(params => $parameters);
		my $way = pick(FuzzRoute::names(1));
		for my $step (routes($way, $block->{dp}, $parameters))
		{
			my $answer = $oracle->run({ %$step, valid => 1 });
			$oracle->run(step('ROLLBACK', 0, way => 'transaction')) if $answer->{error} && $oracle->in_transaction;
			$valid{ $answer->{error} ? 'refused' : 'accepted' }++ if $step->{most};
			last if $answer->{error};
			next unless ($step->{rows} || $step->{copied}) && !$block->{loose};
			my ($verdict, $why) = difference($server, $block, $step, $answer, $mechanism);
			$compared{$verdict}++;
			$oracle->problem("differs from its twin: $why\n  twin: $block->{plain}", $step) if $verdict eq 'different';
		}
		clean_up();
	}
	return;
}

# A block over the analyst's own tables while her code changes them: compared, if a mechanism is
# told, by what the tables are before and after, and else held against what it may be at most.
sub strike
{
	my ($blocks, $mechanism) = @_;
	$oracle->aside($objects->reset, @{ $oracle->{opening} }, $objects->round);
	my $deed = $objects->{deed};
	my $block = $mechanism || chance(0.3) ? $blocks->block(hers => 1) : $objects->amplified($blocks->{default_epsilon});
	my $before = $mechanism && twin($server, $block);
	my $since = $objects->strikes;
	my @answers;
	for my $step (map { { %$_, valid => 1 } } $objects->routes($block->{dp}))
	{
		my $strikes = $objects->strikes;
		my $answer = $oracle->run({ %$step, beside => sub { my $n = $objects->strikes - $strikes; return ($n * ($deed->{charges} // 0), $n) } });
		$struck{ $answer->{error} ? 'refused' : 'answered' }{ $objects->strikes > $since ? 'struck' : 'not struck' }++ if $step->{most};
		last if $answer->{error};
		push @answers, [ $step, $answer, $objects->strikes > $since ] if ($step->{rows} || $step->{copied}) && !$answer->{lost};
	}
	# Whatever is asked next is asked under the session's own settings again.
	$oracle->aside($objects->reset, @{ $oracle->{opening} });
	return check_bounds($block, $deed, \@answers) if exists $block->{most};
	check_twins($block, $mechanism, $deed, $before, \@answers) if $mechanism && !$block->{loose};
	return;
}

# No answer is beyond what protected rows can amount to, by more than noise.
sub check_bounds
{
	my ($block, $deed, $answers) = @_;
	for (@$answers)
	{
		my ($step, $answer, $struck) = @$_;
		my @values = map { $_->[0] } $step->{copied} ? copied_rows($answer->{copied}) : @{ $answer->{rows} };
		$struck{bounded}{ $struck ? 'struck' : 'not struck' } += @values;
		my ($beyond) = grep { defined && ($_ < $block->{least} || $_ > $block->{most}) } @values;
		$oracle->problem("$beyond is not from $block->{least} to $block->{most}\n  deed: $deed->{sql}", $step) if defined $beyond;
	}
	return;
}

# Each answer is by the tables of before, or of after where that may be.
sub check_twins
{
	my ($block, $mechanism, $deed, $before, $answers) = @_;
	my $after;
	for (@$answers)
	{
		my ($step, $answer, $struck) = @$_;
		if ($struck && $deed->{loose}) { $compared{'with another meaning'}++; next }
		my ($verdict, $why) = difference($server, $block, $step, $answer, $mechanism, $before);
		($verdict) = difference($server, $block, $step, $answer, $mechanism, $after //= twin($server, $block)) if $verdict ne 'same' && $struck && $deed->{after};
		$compared{ $struck ? "$verdict, struck" : $verdict }++;
		$oracle->problem("differs from its twin: $why\n  twin: $block->{plain}\n  deed: $deed->{sql}, " . ($struck ? 'done' : 'not done'), $step) if $verdict eq 'different';
	}
	return;
}

# Leave nothing behind that a failed way made.
sub clean_up
{
	$oracle->{session}->query('ROLLBACK') if $oracle->in_transaction;
	$oracle->{session}->query('SET client_min_messages = error; DROP TABLE IF EXISTS kept') if chance(0.1);
	return;
}

# A valid block, on its way; in a transaction block COMMIT would be what pays for a cursor WITH HOLD.
sub valid_steps
{
	my ($blocks) = @_;
	my $parameters = chance(0.2) ? [] : undef;
	my $block = $blocks->block(params => $parameters);
	my @ways = grep { $_ ne 'held' || !$oracle->in_transaction } FuzzRoute::names(0);
	return map { { %$_, valid => 1 } } routes(pick(@ways), $block->{dp}, $parameters);
}

# A text broken in some places: what it pays depends on what is left of it.
sub broken_step
{
	my ($blocks) = @_;
	my @texts = map { (routes(pick(FuzzRoute::names(0)), $blocks->block->{dp}))[0]{sql} } 1, 2;
	my $sql = FuzzHostile::broken(@texts);
	return step($sql, 0, most => undef, way => 'broken', many => 1);
}

# A session of everything else.
sub attack
{
	my ($count) = @_;
	my $epsilon = pick(0.5, 1, 1);
	my %block = (max_rows => 1, max_groups => 1, default_epsilon => $epsilon, epsilons => [ 0.01, 0.5, 1, 0.1 ]);
	$oracle->{opening} = ["SET dp_agg.epsilon = $epsilon; SET statement_timeout = '10s'"];
	$oracle->begin(@{ $oracle->{opening} });
	my $blocks = FuzzBlock->new($expressions, %block, can => $can, objects => $objects);
	my $done = $oracle->{statements} + $count;
	while ($oracle->{statements} < $done)
	{
		if ($oracle->in_failed_transaction && chance(0.7)) { $oracle->run(step('ROLLBACK', 0, way => 'transaction')); next }
		if (chance(0.1)) { strike($blocks); next }
		my $what = rand;
		my @steps = $what < 0.55 ? valid_steps($blocks)
		  : $what < 0.75 ? step(FuzzHostile::planted(), 0, most => undef, way => 'planted')
		  : $what < 0.78 ? step(FuzzHostile::large($statements < 5000 ? 300 : 3000), 0, most => 1, way => 'large')
		  : $what < 0.80 ? step(FuzzHostile::bytes(), 0, way => 'bytes')
		  : $what < 0.85 ? broken_step($blocks)
		  : $what < 0.90 ? FuzzHostile::direct()
		  : $what < 0.93 ? FuzzHostile::setting()
		  : $what < 0.96 ? FuzzHostile::any_setting($server) : FuzzHostile::transaction();
		for my $step (@steps)
		{
			my $answer = $oracle->run($step);
			check_paid($answer, $step) if $step->{way} =~ /^(?:planted|broken)$/;
			last if $answer->{error} && $step->{way} ne 'cancelled';
		}
	}
	return;
}

# A free-form text that returned rows and asks about protected ones has paid, unless no row of theirs was asked for.
sub check_paid
{
	my ($answer, $step) = @_;
	return if $answer->{error} || $answer->{lost} || $answer->{paid} > 0;
	return unless FuzzOracle::mentions_aggregate($step->{sql}) && grep { /^(?:SELECT|FETCH|COPY)/ } @{ $answer->{tags} };
	return if !@{ $answer->{rows} } && $answer->{copied} eq '';
	return if $step->{sql} =~ /dp_count\(note, note\)|PREPARE|WHERE\s+false|LIMIT\s+0\b|CURSOR|VIEW/;
	$oracle->problem('answered and not paid for', $step);
	return;
}

my @sessions = defined $ENV{DP_FUZZ_SESSION} ? $ENV{DP_FUZZ_SESSION} : 0 .. 1_000_000;
for my $session (@sessions)
{
	last if ($oracle->{statements} // 0) >= $statements;
	srand($seed + 1_000_003 * $session);
	$oracle->{label} = "DP_FUZZ_SEED=$seed DP_FUZZ_SESSION=$session";
	$session % 2 ? attack(60) : compare(25);
}

my ($ledger, $damage, $deaths) = $oracle->finish;
$tell->($_) for $oracle->table;
$tell->('compared with their twins: ' . join ', ', map { "$compared{$_} $_" } sort keys %compared);
for my $what (sort keys %struck)
{
	$tell->("beside her own tables, $what: " . join ', ', map { "$struck{$what}{$_} $_" } sort keys %{ $struck{$what} });
}
$tell->(sprintf 'valid statements: %d accepted, %d refused', $valid{accepted} // 0, $valid{refused} // 0);
my %reasons = %{ $oracle->{reasons} // {} };
note "  $reasons{$_} $_" for (sort { $reasons{$b} <=> $reasons{$a} } keys %reasons)[ 0 .. (keys %reasons > 12 ? 11 : keys(%reasons) - 1) ];
is(scalar @{ $oracle->{problems} }, 0, "$oracle->{statements} statements without a problem");
is($ledger, $oracle->{charged}, 'the ledger holds what was charged');
is("@$damage", '', 'the ledger verifies');
is("@$deaths", '', 'no process died');
if (!defined $ENV{DP_FUZZ_SESSION})
{
	cmp_ok($oracle->share_accepted, '>=', 0.4, sprintf 'of statements with dp aggregates, %.0f %% were accepted', 100 * $oracle->share_accepted);
	cmp_ok($compared{same} // 0, '>', $statements / 20, 'answers were compared');
}
if ($oracle->{kept})
{
	my $file = "$PostgreSQL::Test::Utils::log_path/fuzz_sessions.sql";
	open my $out, '>', $file or die "could not write $file: $!";
	binmode $out;
	print $out $oracle->{kept};
	close $out;
	diag "sessions with problems are in $file";
}
my %seconds = %{ $oracle->{seconds} };
note 'seconds: ' . join ' ', map { sprintf '%s:%.1f', $_, $seconds{$_} } (sort { $seconds{$b} <=> $seconds{$a} } keys %seconds)[ 0 .. 14 ];
note sprintf 'twins: %.1f s, all: %.1f s', $FuzzTwin::seconds, time - $began;
$server->{node}->stop('fast');
done_testing();
