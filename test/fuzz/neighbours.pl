# The guarantee itself: random blocks over random tables (FuzzWorld, FuzzBlock), asked of
# databases that differ by one unit, at a loss so large that noise nearly vanishes.
#
# In each world the same statements are asked of four databases: as made; with one unit more,
# of hostile rows in most of the tables; without a unit that there was; and then with rows of
# no unit.  Of each two that differ by a unit, or by rows of none:
#
#	of every aggregate, the answers differ by no more than the sensitivity that EXPLAIN states,
#	together by no more than that of all groups the unit may count in, in the norm of the
#	noise, in no more groups than these, and in none that the unit is not in;
#	totals that share noise are nowhere nearer to 0 where there is one unit more;
#	there is no group in one of them alone that the unit is not in, nor one of hers alone;
#	all the rest is the same: whether there is an answer, errors and notices in full, columns,
#	EXPLAIN, and what the ledger says was released and charged.
#
# Of sums, means, variances and the like what is compared are the noisy totals they are made of:
# the functions that make an answer of these are wrapped by ones that tell them.  A mean then needs no
# bound of its own: it is a function of totals that move by their sensitivity.
#
# Where another unit is in more groups than count, which of them do is drawn afresh, and so
# answers differ by more than one unit's rows.  Therefore as many groups count as any unit of
# the first database has; the one more has more.
#
# Where max_groups is chosen that is the most.  With noise that nearly vanishes what is chosen is no less than
# any unit of the first database has, so that of other units none is cut from a group in either, and all the
# above holds as well.  Clamps are not chosen here: they may differ between neighbours, and answers with them.
#
# A quantile of the second database must lie where ranks in the first, of rows as they count there,
# are as near to the one asked for as noise and the score's sensitivity allow: what is chosen is among the best there,
# and each score moves by its sensitivity only.  Likewise what a selection names.  Models and synthetic rows: FuzzModels.
#
#	DP_FUZZ_CASES	how many pairs of answers are compared, 6000 by default
#	DP_FUZZ_SEED	what they are drawn from; printed, taken from the clock by default
#	DP_FUZZ_WORLD	make this world of that seed alone
#	DP_FUZZ_MODELS	the share of cases that are models, choices among them and synthetic rows, 0.1 by default
#
# The noise is never seeded; by what it is held against, a comparison fails by chance with a
# probability below exp(-47) (FuzzNear).  A group of one unit's own passes its threshold with a
# probability of at most delta, 1e-18.  Together that is below 1e-9 for 10^8 of each.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use JSON::PP qw(decode_json);
use List::Util qw(max sum0);
use Test::More;
use Time::HiRes qw(time);

use FuzzData;
use FuzzExpr qw(pick chance);
use FuzzModels qw(model_case compare_model compare_law compare_synthesis);
use FuzzNear qw(parts_of compare_values compare_directions selection_reach);
use FuzzPasses qw(weights_query);
use FuzzTwin;
use FuzzWorld;

my $cases = $ENV{DP_FUZZ_CASES} // 6000;
my $seed = $ENV{DP_FUZZ_SEED} // int(time * 1000) % 1_000_000_000;
my $models = $ENV{DP_FUZZ_MODELS} // 0.1;
my $began = time;
my $server = FuzzData->new('fuzz_neighbours', people => 10, visits => 40);
my $expressions = FuzzExpr->new($server);
my (%seen, %reached, %full, @problems);
note(sprintf 'DP_FUZZ_SEED=%d, server ready after %.1f s', $seed, time - $began);

# The loss of a block's aggregates that name none, and the delta of all.
my $EPSILON = 1e6;
my $DELTA = 1e-18;

# The most groups that a unit may have for its block to be asked.
my $MOST_GROUPS = 40;

# A block that reads what another releases (FuzzBlock).
my $STAGED = qr/dp_median\(id, 0, 1000\) AS n FROM people/;

# What models and the like are called.
my @SHAPES = ('regression', 'passes', 'linear models', 'conditions', 'synthesis');

# Settings that choose plans and nothing else.
my @plans = (
	'SET max_parallel_workers_per_gather = 0', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0', 'SET work_mem = 64; SET hash_mem_multiplier = 1',
	'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET work_mem = 64', 'SET enable_hashagg = off', 'SET enable_seqscan = off',
	'SET enable_partitionwise_join = on; SET enable_partitionwise_aggregate = on');

# A client that keeps with each row the totals that were told while it was made, and what
# describes the columns.
package Watched;

our @ISA = ('FuzzWire');

sub get_message
{
	my ($self) = @_;
	my ($type, $body) = $self->SUPER::get_message;
	return unless defined $type;
	$self->{columns} .= $body if $type eq 'T';
	if ($type eq 'D')
	{
		push @{ $self->{told} }, $self->{telling} // [];
		$self->{telling} = [];
	}
	if ($type eq 'N' && FuzzWire::fields($body)->{M} =~ /^totals ([0-9a-f]*)(?: of ([0-9a-f]*))?$/)
	{
		push @{ $self->{telling} }, $1;
		$self->{about} = $2;
	}
	return ($type, $body);
}

# Run a statement; the answer has `columns` and, for each row, `told`, and of a model what is `about` it.
sub ask
{
	my ($self, $sql) = @_;
	@$self{qw(columns told telling)} = ('', [], []);
	my $answer = $self->query($sql);
	$answer->{notices} = [ grep { $_->{M} !~ /^totals / } @{ $answer->{notices} } ];
	@$answer{qw(columns told about)} = @$self{qw(columns told about)};
	return $answer;
}

package main;

# Wrap what makes an answer of totals.  Those of no rows, as far as can be told, are NULL.
sub wrap
{
	for ($server->admin_rows(<<'SQL'))
SELECT proname, pg_get_function_arguments(oid), pg_get_function_result(oid), prosrc, probin, (SELECT string_agg('$' || i, ', ') FROM generate_series(1, pronargs) i)
FROM pg_proc WHERE pronamespace = 'dp_agg_internal'::regnamespace AND proname IN ('released_bigint', 'released_numeric', 'released_float8',
	'released_mean_laplace', 'released_mean_gaussian', 'released_statistic', 'released_point', 'released_model', 'released_date', 'released_timestamp', 'released_timestamptz')
SQL
	{
		my ($name, $arguments, $result, $source, $library, $call) = @$_;
		my ($more, $about) = $name eq 'released_model' ? (' of %', q{, encode($2, 'hex')}) : ('', '');
		$server->admin_rows(<<"SQL");
CREATE FUNCTION try.$name($arguments) RETURNS $result AS '$library', '$source' LANGUAGE C IMMUTABLE STRICT;
GRANT USAGE ON SCHEMA try TO analyst;
CREATE OR REPLACE FUNCTION dp_agg_internal.$name($arguments) RETURNS $result LANGUAGE plpgsql IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE AS
	\$tell\$BEGIN RAISE NOTICE 'totals %$more', coalesce(encode(\$1, 'hex'), '')$about; RETURN try.$name($call); END\$tell\$
SQL
	}
	return;
}

# Remember what went wrong, with all that brings it back.
sub problem
{
	my ($world, $case, $why) = @_;
	push @problems, $world->{label};
	diag("$world->{label}: $why") if @problems > 3;
	diag("$world->{label}: $why\n$world->{statements};\n" . join(";\n", @{ $world->{steps} }) . ";\n$world->{settings}; $case->{set};\n$case->{sql}") if @problems <= 3;
	return;
}

# A query of the owner's, or nothing if it fails on these values or takes too long.
sub owner_rows
{
	my ($sql) = @_;
	my $answer = $server->{seer}->query($sql);
	die "the owner's query has no answer: $sql\n" if $answer->{lost};
	return $answer->{error} ? undef : $answer->{rows};
}

# One value for each key of a group.
sub key_of
{
	my ($case, $row) = @_;
	return join '|', map { FuzzTwin::normal($row->[$_], $case->{keys}[$_]) } 0 .. $#{ $case->{keys} };
}

# What kind of release an aggregate's is.
sub kind_of
{
	my ($text) = @_;
	return 'count' if $text =~ /^dp_count/;
	return 'sum' if $text =~ /^dp_sum/;
	return 'mean' if $text =~ /^dp_avg/;
	return 'quantile' if $text =~ /^dp_(?:median|quantile|min|max)/;
	return 'moments';
}

# A random block as a case: its text, and that of each aggregate by itself, for EXPLAIN.
sub block_case
{
	my ($world) = @_;
	my $block = $world->block;
	my ($from, $where, $keys) = @{ $block->{parts} };
	my @of = map { $_->{dp} } @{ $block->{aggregates} };
	return {
		%$block, sql => $block->{dp}, shape => $from->{shape}, unique => $from->{unique},
		kinds => [ map { kind_of($_) } @of ], integer => [ map { $_->{whole} } @{ $block->{aggregates} } ],
		explained => [ map { FuzzBlock::dp_text($from, $where, $keys, [$_]) } @{ $block->{aggregates} } ] };
}

# A histogram, all of whose bins a unit may count in.  The sensitivity of a tree
# is that of a level, however many bins the unit counts in.
sub histogram_case
{
	my ($world) = @_;
	my ($call, $bins) = @{ pick([ "dp_histogram('w_base', 'b_i', -20, 20, 8)", 8 ], [ "dp_histogram('w_base', 'b_d', -60, 320, 5)", 5 ],
		[ q{dp_histogram('w_base', 'b_t', ARRAY['Lyon', 'Paris', 'lima', '', 'nowhere'])}, 5 ],
		[ "dp_histogram('w_base', 'b_dt', date '2020-01-01', date '2020-02-01', 4)", 4 ]) };
	my $kind = 'count';
	($call, $bins, $kind) = ("dp_cumulative('w_base', 'b_i', -20, 20, 12)", 12, 'tree') if chance(0.4);
	my $sql = "SELECT bin, count FROM $call";

	# Buckets as groups share noise, which a histogram's do not.
	$sql = "SELECT dp_agg.bucket($1, $2) AS bin, dp_count(*) FROM w_base GROUP BY 1" if $kind eq 'count' && chance(0.7) && $call =~ /'w_base', '(b_[id])', (.*)\)$/;
	return {
		sql => $sql, keys => ['int4'], kinds => [$kind], integer => [1], explained => [$sql], shape => 'histogram', limit => $bins, leaves => $bins,
		unique => $world->{rows_unique}, public => 1 };
}

# The number of rows of each candidate, as they count.
sub candidate_counts
{
	my ($rows, $condition) = @_;
	return "SELECT c, (SELECT COALESCE(sum(least(n, $rows)), 0) FROM (SELECT count(*) AS n FROM w_base WHERE b_u IS NOT NULL AND $condition GROUP BY b_u) s)";
}

# A selection; `counts` are what it chooses by, which one unit can change by as much as there is between a
# condition's and the threshold.
sub selection_case
{
	my ($world) = @_;
	my $rows = $world->{rows_unique} ? 1 : $world->{max_rows};
	my @names = ('Lyon', 'Paris', 'lima', '', 'nowhere else');
	my $list = join ', ', map { "'$_'" } @names;
	my $ranks = 1 + int rand 2;
	my %case = (keys => [], shape => 'selection', limit => 10, kinds => [], selection => 1, unique => $world->{rows_unique});
	my $of = candidate_counts($rows, 'b_t = c') . " FROM unnest(ARRAY[$list, 'Oslo', 'a', repeat('x', 300)]) c";
	return { %case, sql => "SELECT candidate FROM dp_noisy_max('w_base', 'b_t', ARRAY[$list], $ranks)", counts => "$of WHERE c IN ($list)" } if chance(0.4);
	return { %case, sql => "SELECT candidate FROM dp_top('w_base', 'b_t', $ranks)", counts => $of } if chance(0.4);
	my @conditions = map { pick('b_i > 5', 'b_b', 'b_d < 0', 'b_s IS NOT NULL', 'b_l > 0', "b_t = 'Lyon'") } 1 .. 3;
	my $near = owner_rows(candidate_counts($rows, pick(@conditions)) =~ s/SELECT c/SELECT 1/r)->[0][1];
	my $level = max(1, $near + pick(-1, 0, 1) * int rand 2 * $rows + 2);
	my $text = join ', ', map { "'" . s/'/''/gr . "'" } @conditions;
	return {
		%case, sql => qq{SELECT "position" FROM dp_above_threshold('w_base', ARRAY[$text], $level)}, level => $level,
		counts => join ' UNION ALL ', map { candidate_counts($rows, $conditions[$_]) =~ s/SELECT c/'SELECT ' . ($_ + 1)/er } 0 .. 2 };
}

# Which groups a unit is in: the number of others in each group, and whether it is there; undef if the owner
# cannot tell.
sub look_at_groups
{
	my ($case, $unit) = @_;
	return {} if !$case->{parts} || !@{ $case->{keys} };

	# What a function makes of a text is NULL where that is longer than a join leaves time for, of which the owner knows nothing.
	return undef if $case->{parts}[0]{dp} =~ /JOIN|LATERAL|, / && grep { $case->{parts}[2][$_][1] =~ /\w\(.*_[tcv]\b/ } 0 .. $#{ $case->{keys} };
	my $held = FuzzBlock::held_text(@{ $case->{parts} });
	my $names = join ', ', map { "k$_" } 1 .. @{ $case->{keys} };
	my $rows = owner_rows("SELECT $names, count(*) FILTER (WHERE unit_of IS DISTINCT FROM $unit), COALESCE(bool_or(unit_of = $unit), false) FROM ($held) held GROUP BY $names");
	return $rows unless $rows;
	my %groups;
	for my $row (@$rows)
	{
		my $group = $groups{ key_of($case, $row) } //= { others => 0, here => 0 };
		$group->{others} += $row->[-2];
		$group->{here} ||= $row->[-1] eq 't';
	}

	# An array that is longer than a function's limit counts as NULL, and so may what is made of it.
	my @here = grep { $_->[-1] eq 't' } @$rows;
	for my $n (grep { $case->{parts}[2][$_][1] =~ /_a[it]\b.*\W|\W.*_a[it]\b/ } 0 .. $#{ $case->{keys} })
	{
		push @here, map { my @row = @$_; $row[$n] = undef; \@row } @here;
	}
	($groups{ key_of($case, $_) } //= { others => 0 })->{here} = 1 for @here;
	return \%groups;
}

sub groups_needed
{
	my ($case) = @_;
	return 1 if !@{ $case->{keys} } || !$case->{parts};
	my $rows = owner_rows('SELECT COALESCE(max(n), 0) FROM (SELECT count(*) AS n FROM (' . FuzzBlock::held_text(@{ $case->{parts} }) . ') held GROUP BY unit_of) units');
	return $rows ? $rows->[0][0] : undef;
}

# The most values that a unit may have in a group, of which distinct ones count: so many cover them all, but for
# the one unit more.  The order in which units cover values is drawn afresh.
sub values_needed
{
	my ($case) = @_;
	return 1 if !grep { $_->{values} } @{ $case->{aggregates} // [] };
	my $held = FuzzBlock::held_text(@{ $case->{parts} }, 'count(*) AS n');
	my $rows = owner_rows("SELECT COALESCE(max(n), 0) FROM ($held) held");
	return $rows ? max(1, $rows->[0][0]) : undef;
}

# Is max_groups chosen in a block where clipping is automatic, and no clamp?  Where bounds are one number, noise of whole
# grid units is not little beside what a unit moves by, and fewer groups may be chosen than units have.
sub can_choose
{
	my ($case) = @_;
	my @aggregates = map { $_->{dp} } @{ $case->{aggregates} // [] };
	return if grep { /, ([^,]+), \1[,)]/ } @aggregates;
	return @aggregates && @{ $case->{keys} } && !$case->{unique} && !grep { !/^dp_(?:count|sum|avg)\(DISTINCT\b/ } @aggregates;
}

# Cases of a world, each with as many groups as any unit has.
sub cases_of
{
	my ($world) = @_;
	my @cases;
	for (1 .. 40)
	{
		my $way = rand;
		my $case = chance($models) ? model_case($world->{rows_unique}, $world->{rows_unique} ? 1 : $world->{max_rows}) : $way < 0.84 ? block_case($world) : $way < 0.92 ? histogram_case($world) : selection_case($world);
		my $needed = groups_needed($case);
		if (!defined $needed || $needed > $MOST_GROUPS) { $seen{ defined $needed ? 'too many groups' : 'without twin' }++; next }
		my $values = values_needed($case);
		if (!defined $values) { $seen{'without twin'}++; next }
		$case->{limit} //= max(1, $needed + pick(0, 0, 0, 1));
		# Public groups share noise where a unit may count in about half of them.
		$case->{limit} = $MOST_GROUPS if @{ $case->{keys} } && !$case->{selection} && chance(0.3);
		my $clipping = can_choose($case) && chance(0.7) ? 'auto' : 'fixed';
		$case->{limit} = max(4, $case->{limit}) if $clipping eq 'auto';
		$case->{set} = "SET dp_agg.max_groups = $case->{limit}; SET dp_agg.max_values = $values; SET dp_agg.clipping = $clipping";
		$case->{most} = $case->{unique} || !@{ $case->{keys} } ? 1 : $case->{limit};
		push @cases, $case;
	}
	return @cases;
}

# All that a client is told of an answer but its rows, and what is said once a session and table
# (sql/bounds shows that it depends on no row).
sub rest_of
{
	my ($answer) = @_;
	my @told = map { my $fields = $_; join ' ', map { "$_=$fields->{$_}" } sort keys %$fields } $answer->{error} // {}, grep { ($_->{R} // '') !~ /^(?:dp_statement_tell_of_bounds|tell_of_join)$/ } @{ $answer->{notices} };
	my @tags = map { s/^(SELECT) \d+$/$1/r } @{ $answer->{tags} };
	return join "\n", @told, "@tags", unpack('H*', $answer->{columns}), $answer->{lost} // '', $answer->{state};
}

# Which aggregates of a case have told their totals, of as many as did in a row: those of counts come as
# totals or as numbers, but counts of units as numbers whenever some of them do.
sub tellers
{
	my ($case, $told) = @_;
	my @kinds = @{ $case->{kinds} };
	my @silent = grep { $kinds[$_] =~ /^(?:count|tree)$/ } 0 .. $#kinds;
	@silent = () if $told == @kinds;
	@silent = grep { $case->{aggregates}[$_]{dp} =~ /^\w+\(DISTINCT\b/ } @silent if $told > @kinds - @silent;
	my %silent = map { $_ => 1 } @silent;
	return map { !$silent{$_} } 0 .. $#kinds;
}

# Rows by their keys: values, and of aggregates that are made of totals their parts.
sub rows_of
{
	my ($case, $answer) = @_;
	my %rows;
	for my $i (0 .. $#{ $answer->{rows} })
	{
		my $row = $answer->{rows}[$i];
		my @told = @{ $answer->{told}[$i] };

		# What another block releases for this one is told before the first row.
		shift @told if $i == 0 && $case->{sql} =~ $STAGED;
		@told = () if $case->{kinds}[0] eq 'tree';
		my @parts = map { $_ ? parts_of(shift @told // '') : undef } tellers($case, scalar @told);
		my $key = key_of($case, $row);
		return if $rows{$key} || @told;
		$rows{$key} = { values => [ @$row[ @{ $case->{keys} } .. $#$row ] ], parts => \@parts };
	}
	return \%rows;
}

# Rows of the ledger since one.
sub ledger_since
{
	my ($before) = @_;
	return $server->admin_rows("SELECT releases, pure_epsilon, delta, event, admitted, role FROM dp_agg.ledger WHERE id > $before ORDER BY id");
}

# Ask all cases of the database as it is now; what came, with the ledger's rows.  Values that a block releases
# are known once it is paid for, and what public rows make of them may be an error.
sub ask_all
{
	my ($world, $session, @cases) = @_;
	my $before = $server->{admin}->query('SELECT COALESCE(max(id), 0) FROM dp_agg.ledger')->{rows}[0][0];
	my (@answers, %paid);
	for my $case (@cases)
	{
		$session->query($case->{set});
		my $explained = $session->ask("EXPLAIN $case->{sql}");
		my $answer = $session->ask($case->{sql});
		push @answers, { rest => rest_of($answer), error => $answer->{error} || $answer->{lost}, explained => rest_of($explained) . join "\n", map { $_->[0] } @{ $explained->{rows} } };
		problem($world, $case, $answer->{lost} ? 'lost' : "$answer->{error}{C} $answer->{error}{M}") if $answer->{lost} || ($answer->{error} && $answer->{error}{C} !~ /^(?:0A000|22...|54000)$/);
		if ($answers[-1]{error})
		{
			my $charged = keys(%paid) + grep { !$_->{error} } @answers;
			$paid{$charged} = 1 if $case->{sql} =~ $STAGED && ledger_since($before) > $charged;
			next;
		}
		$answers[-1]{names} = [ map { $_->[0] } @{ $answer->{rows} } ];
		@{ $answers[-1] }{qw(told about table)} = ($answer->{told}, $answer->{about}, $answer->{rows});
		$answers[-1]{rows} = rows_of($case, $answer) // problem($world, $case, 'a group came twice, or totals of none') unless $case->{selection} || $case->{model} || $case->{synthesis};
	}
	my @ledger = ledger_since($before);
	@ledger = @ledger[ grep { !$paid{$_} } 0 .. $#ledger ];
	my @answered = grep { !$_->{error} } @answers;
	if (@ledger == @answered) { $answered[$_]{ledger} = $ledger[$_] for 0 .. $#ledger }
	else { problem($world, $cases[0], @ledger . ' charges for ' . @answered . ' answers of a session') }
	return \@answers;
}

# What EXPLAIN states of the first release of a statement.
sub explained_release
{
	my ($session, $case, $n) = @_;
	$session->query($case->{set});
	my $answer = $session->query("EXPLAIN $case->{explained}[$n]");
	my $text = join "\n", map { $_->[0] } @{ $answer->{rows} };
	return { label => $1, mechanism => $2, stated => $3 } if $text =~ /Release: (.*?): (laplace|gaussian|exponential|permute_and_flip|above_threshold), .*?sensitivity ([^,]+),/s;
	return;
}

# Is noise shared by all groups?
sub of_groups
{
	my ($shared) = @_;
	return $shared && $shared->{aggregate} eq 'noise that groups share';
}

# What a total has for itself of noise that is shared is on twice that total, in halves of grid units, or on 64 times, in as small parts.  There, what a
# unit moves a total by where it counts, and where it does not, is together as many times that by which it moves the total.  All noise has at most
# twice the variance of that.
sub own_noise
{
	my ($shared, $here, $elsewhere) = @_;
	my $bits = of_groups($shared) ? 6 : 1;
	return { %$here, grid => $here->{grid} + $bits, sensitivity => ($here->{sensitivity} + ($elsewhere // $here)->{sensitivity}) / 2**$bits, sigma => 2 * $here->{sigma} / 2**$bits };
}

# What is known of the releases of a case: the ledger's, with EXPLAIN's sensitivities.
sub releases_of
{
	my ($session, $case, $answer) = @_;
	my $ledger = [ map { @{ $_->{releases} } } @{ decode_json($answer->{ledger}[0]) } ];
	$case->{ledger} = $ledger;
	$case->{chosen} = grep { exists $_->{chooses} } @$ledger;
	($case->{threshold}) = grep { exists $_->{threshold} } @$ledger;
	for my $n (0 .. $#{ $case->{kinds} })
	{
		my $release = explained_release($session, $case, $n) or next;
		my @same = grep { $_->{aggregate} eq $release->{label} } @$ledger;
		@same = @$ledger if !@same && @$ledger == 1;
		$seen{ @same == 1 ? 'releases' : 'releases not found' }++;
		next unless @same == 1;

		my ($shared) = grep { my $with = $_->{with} // []; !exists $_->{epsilon} && grep { $_ eq $release->{label} } @$with } @$ledger;
		$seen{'releases of groups that share noise'}++ if of_groups($shared);
		$case->{releases}[$n] = {
			%$release, noise => $shared ? [ own_noise($shared, @{ $same[0]{noise} }) ] : $same[0]{noise}, kind => $case->{kinds}[$n], integer => $case->{integer}[$n], shares => defined $shared,
			gaussian => $same[0]{mechanism} eq 'gaussian', leaves => $case->{leaves} };
	}
	return;
}

# In how many groups a unit counts, by what is charged: in fewer than it may where no more are answered, whatever rows there are.
sub limit_groups
{
	my ($world, $case, $rows) = @_;
	my @groups = map { $_->{noise}[0]{groups} } grep { $_ && $_->{kind} ne 'tree' } @{ $case->{releases} // [] };
	return if !@groups || max(@groups) >= $case->{most};
	$case->{most} = max(@groups);
	$seen{'with fewer groups than max_groups'}++;
	problem($world, $case, "a charge for $case->{most} groups, of " . keys(%$rows) . ' that are answered') if keys(%$rows) > $case->{most};
	return;
}

# EXPLAIN's sensitivity is the ledger's.  Of slopes and correlations it is divided by the width of
# values, which the ledger does not have.
sub check_stated
{
	my ($world, $case) = @_;
	for my $release (grep { $_ } @{ $case->{releases} })
	{
		next if $release->{label} =~ /^dp_(?:corr|regr)/;
		my $noise = $release->{noise}[0];
		my $exact = $noise->{sensitivity} * 2**$noise->{grid};
		problem($world, $case, "$release->{label}: EXPLAIN states a sensitivity of $release->{stated}, the ledger one of $exact") if abs($release->{stated} - $exact) > 1e-5 * $exact;
	}
	return;
}

# Are these the groups that the unit may have changed?  Where `threshold` is near, noise decides.
sub check_groups
{
	my ($world, $case, $first, $second, $groups) = @_;
	my $threshold = $case->{threshold} or return;
	my $noise = $threshold->{noise}[0];
	my $at = $threshold->{threshold} * 2**$noise->{grid};
	my $reach = FuzzNear::reach($noise, 1) * 2**$noise->{grid};
	$reach = int $reach unless exists $noise->{sigma};
	my $changed = 0;
	for my $key (keys %{ { %$first, %$second } })
	{
		my $group = $groups->{$key} // { others => 0, here => 0 };
		return problem($world, $case, "there is a group '$key', of that unit alone") if $group->{others} == 0;
		next if $first->{$key} && $second->{$key};
		$changed++ if $group->{here};
		next if $group->{here} || ($reach > 0 && abs($group->{others} - $at) <= $reach);
		return problem($world, $case, "group '$key' of $group->{others} others is in one database alone");
	}
	problem($world, $case, "$changed groups come and go by one unit, which counts in $case->{most}") if $changed > $case->{most} && !exists $noise->{sigma};
	return;
}

# Of a case's answers of two databases, all but the rows.
sub check_rest
{
	my ($world, $case, $first, $second) = @_;
	for my $what (qw(rest explained))
	{
		return problem($world, $case, "what a client is told differs:\n$first->{$what}\nand\n$second->{$what}") if $first->{$what} ne $second->{$what};
	}
	my @charged = map { join ' ', map { $_ // '~' } @{ $_->{ledger} // [] } } $first, $second;
	return problem($world, $case, "charged differently:\n" . join "\n", @charged) if $charged[0] ne $charged[1];
	return 1;
}

# Hold two answers against each other; `groups`: those the unit is in, if they are known.
sub check_pair
{
	my ($world, $case, $first, $second, $groups) = @_;
	check_rest($world, $case, $first, $second) or return;
	if ($first->{error}) { $seen{refused}++; return }
	check_model($world, $case, $first, $second) if $case->{law} || $case->{model} || $case->{synthesis};
	return check_selection($world, $case, $first, $second) if $case->{selection};
	return unless $first->{rows} && $second->{rows};
	if (!$groups) { $seen{'groups not known'}++; return }
	my $allowed = $case->{public} || !@{ $case->{keys} } ? undef : { map { $_ => 1 } grep { $groups->{$_}{here} } keys %$groups };
	check_groups($world, $case, $first->{rows}, $second->{rows}, $groups) if @{ $case->{keys} } && !$case->{public};
	for my $n (0 .. $#{ $case->{kinds} })
	{
		my $release = $case->{releases}[$n] or next;
		next if $release->{kind} eq 'quantile';
		my ($why, $reached) = compare_values($release, $n, $first->{rows}, $second->{rows}, $allowed, $world->{nobody} ? 0 : $case->{most});
		problem($world, $case, "$release->{label}: $why") if $why;
		check_direction($world, $case, $n, $first->{rows}, $second->{rows}) if $release->{shares};
		count_case($world, $release, $case, $reached, ($case->{aggregates} // [])->[$n]{values} ? 'distinct ' : '');
	}
	$seen{compared}++;
	$seen{'with max_groups chosen'}++ if $case->{chosen};
	return;
}

# A total that shares noise moves the way that it may.
sub check_direction
{
	my ($world, $case, $n, $first, $second) = @_;
	my $why = compare_directions($case->{releases}[$n], $n, $world->{comes} ? ($first, $second) : ($second, $first));
	problem($world, $case, "$case->{releases}[$n]{label}: $why") if $why;
	$seen{'totals that share noise'}++;
	return;
}

# Remember how much of what is allowed was reached, and in which worlds it was most of it.
sub count_case
{
	my ($world, $release, $case, $reached, $values) = @_;
	my $name = "$release->{mechanism} $values$release->{kind}";
	$reached{$name} = max($reached{$name} // 0, $reached);
	return unless $reached > 0.6;
	$full{$_}{ $world->{label} } = 1 for "$values$release->{kind}", $case->{shape}, $release->{mechanism}, $case->{most} > 1 ? 'more groups than one' : ();
	return;
}

# Hold answers of models, choices among them, or synthetic rows against each other.
sub check_model
{
	my ($world, $case, $first, $second) = @_;
	return if $case->{counts} && !($first->{counts} && $second->{counts});
	my ($why, $reached) = ($case->{law} ? \&compare_law : $case->{model} ? \&compare_model : \&compare_synthesis)->($case, $first, $second, $world->{nobody} ? 0 : 1);
	problem($world, $case, "$case->{shape}: $why") if $why;
	$reached{ $case->{shape} } = max($reached{ $case->{shape} } // 0, $reached);
	$full{ $case->{shape} }{ $world->{label} } = 1 if $reached > 0.6;
	$seen{ $case->{shape} }++;
	return;
}

# What a selection named in the first database is behind in the second by no more than it may be.
sub check_selection
{
	my ($world, $case, $first, $second) = @_;
	my $noise = $case->{ledger}[0]{noise}[0];
	my $halves = $case->{ledger}[0]{mechanism} eq 'exponential' ? 2 : 1;
	my $slack = ($halves * $noise->{sensitivity} * 2**$noise->{grid} + selection_reach($noise)) * ($case->{unit} // 1);
	my %count = map { $_->[0] => $_->[1] } @{ $second->{counts} };
	my @names = @{ $first->{names} };
	$slack += $case->{inexact} * (2 + max(map { $_->[2] } @{ $first->{counts} }, @{ $second->{counts} })) if $case->{inexact};
	$seen{selections}++;
	return check_position($world, $case, $names[0], $slack, %count) if exists $case->{level};
	my @best = sort { $b <=> $a } values %count;
	for my $rank (0 .. $#names)
	{
		my $behind = $best[$rank] - $count{ $names[$rank] };
		problem($world, $case, "'$names[$rank]' is $behind rows behind, $slack are allowed") if $behind > $slack;
	}
	return;
}

# The first condition that is fulfilled often enough, or none.
sub check_position
{
	my ($world, $case, $position, $slack, %count) = @_;
	for my $i (sort keys %count)
	{
		last if defined $position && $i > $position;
		my $is_it = defined $position && $i == $position;
		my $short = $is_it ? $case->{level} - $count{$i} : $count{$i} - $case->{level};
		problem($world, $case, "condition $i is " . ($is_it ? '' : 'not ') . "named, being off by $short rows of $slack") if $short > $slack;
	}
	return;
}

# For each quantile, between which values it may lie in a neighbour of this database, by group.
sub look_at_ranks
{
	my ($case) = @_;
	my ($from, $where, $keys) = @{ $case->{parts} // return };
	my @numbers = grep { $case->{kinds}[$_] eq 'quantile' && $case->{releases}[$_] } 0 .. $#{ $case->{kinds} } or return;
	my @aggregates;
	for my $n (@numbers)
	{
		my $release = $case->{releases}[$n];
		my $slack = $release->{stated} * 1.00001 + selection_reach($release->{noise}[0]);
		my %aggregate = %{ $case->{aggregates}[$n] };
		$aggregate{outer} =~ s/, [^,]+\)$/, $slack)/;
		push @aggregates, \%aggregate;
	}
	my $rows = owner_rows(FuzzBlock::plain_text($from, $where, $keys, \@aggregates, $case->{limit})) or return;
	for my $row (@$rows)
	{
		my $at = @{ $case->{keys} } + 1;
		$case->{ranks}{ key_of($case, $row) }{ $numbers[$_] } = $row->[ $at + 3 * $_ ] for 0 .. $#numbers;
	}
	return;
}

# Quantiles of a neighbour lie there.
sub check_ranks
{
	my ($world, $case, $answer) = @_;
	return unless $case->{ranks} && $answer->{rows};
	for my $key (grep { $answer->{rows}{$_} } keys %{ $case->{ranks} })
	{
		for my $n (keys %{ $case->{ranks}{$key} })
		{
			my ($low, $high) = ($case->{ranks}{$key}{$n} // '') =~ /^\{([^,]+),([^,]+)\}$/ or next;
			next if $low eq 'NULL' || $high eq 'NULL';
			my ($value, $range) = ($answer->{rows}{$key}{values}[$n], $case->{aggregates}[$n]{range});

			# The unit may have been all there was.
			next unless defined $value;
			$seen{quantiles}++;
			problem($world, $case, "quantile $n of group '$key' is $value, not within $low and $high")
			  unless $low - 1.01 * $range - 1e-9 * abs $low <= $value && $value <= $high + 1.01 * $range + 1e-9 * abs $high;
		}
	}
	return;
}

# Change the database.
sub change
{
	my ($world, @statements) = @_;
	push @{ $world->{steps} }, @statements;
	for (@statements)
	{
		my $answer = $server->{admin}->query($_);
		die "$world->{label}: $answer->{error}{M}\n$world->{statements};\n" . join(";\n", @{ $world->{steps} }) if $answer->{error};
	}
	return;
}

# A unit that there is, as the others see it.
sub some_unit
{
	my ($world) = @_;
	my $rows = owner_rows('SELECT u FROM (SELECT b_u AS u FROM w_base UNION SELECT p_u FROM w_person) x WHERE u IS NOT NULL ORDER BY md5(u::text || ' . int(rand 1e9) . ') LIMIT 1');
	return @$rows ? FuzzExpr::quote_text($rows->[0][0]) . "::$world->{unit_type}" : undef;
}

# What selections choose by, and what passes go through and with which weights, now.
sub ask_owner
{
	my ($cases, $answers) = @_;
	for my $i (grep { $cases->[$_]{counts} } 0 .. $#$cases)
	{
		my ($case, $answer) = ($cases->[$i], $answers->[$i]);
		$answer->{counts} = owner_rows($case->{counts});
		$answer->{weights} = owner_rows(weights_query($case, $answer)) if $case->{passes} && !$answer->{error};
	}
	return;
}

# Ask, and hold against what was asked before, of a database that differs by a unit.
sub step
{
	my ($world, $session, $cases, $before, $groups) = @_;
	my $after = ask_all($world, $session, @$cases);
	ask_owner($cases, $after);
	for my $i (0 .. $#$cases)
	{
		check_pair($world, $cases->[$i], $before->[$i], $after->[$i], $groups->[$i]);
		check_pair($world, $cases->[$i], $after->[$i], $before->[$i], $groups->[$i]) if $cases->[$i]{selection};
		check_ranks($world, $cases->[$i], $after->[$i]) unless $world->{nobody};
	}
	return $after;
}

# One world, and the databases next to it.
sub explore
{
	my ($number) = @_;
	srand($seed + 1_000_003 * $number);
	$seen{worlds}++;
	my $world = FuzzWorld->new($expressions, can => { variance => 1, quantile => 1, distinct => 1, pairs => 1 }, max_groups => 1, default_epsilon => $EPSILON, epsilons => [ $EPSILON, 5e5, 1048576 ]);
	@$world{qw(label steps)} = ("DP_FUZZ_SEED=$seed DP_FUZZ_WORLD=$number", []);
	my $made = $server->{admin}->query($world->create);
	die "$world->{label}: $made->{error}{M}\n$world->{statements}\n" if $made->{error};
	my $mechanism = pick(qw(laplace laplace gaussian));
	$world->{settings} = join '; ', "SET dp_agg.epsilon = $EPSILON; SET dp_agg.delta = $DELTA; SET dp_agg.mechanism = $mechanism", map { pick(@plans) } 1 .. int rand 3;
	if (!$world->{rows_unique} && chance(0.3))
	{
		$world->{max_rows} = pick(1, 2, 7, 50);
		$world->{rows_set} = 1;
		$world->{settings} .= "; SET dp_agg.max_rows = $world->{max_rows}";
	}
	my $session = bless $server->connect_as('analyst'), 'Watched';
	$session->query($world->{settings});

	my $one_more = chance(0.3) ? 0 : $world->{numbers} + int rand 5;
	my $more = $world->unit_of($one_more);
	change($world, $world->without_unit($more));
	my $less = some_unit($world);
	my @cases = cases_of($world);
	my $as_made = ask_all($world, $session, @cases);
	ask_owner(\@cases, $as_made);
	for my $i (grep { $as_made->[$_]{ledger} } 0 .. $#cases)
	{
		releases_of($session, $cases[$i], $as_made->[$i]);
		limit_groups($world, $cases[$i], $as_made->[$i]{rows}) if $as_made->[$i]{rows};
		check_stated($world, $cases[$i]);
		look_at_ranks($cases[$i]);
	}
	my @with_less = map { $less ? look_at_groups($_, $less) : {} } @cases;
	change($world, $world->with_unit($one_more));
	$world->{comes} = 1;
	step($world, $session, \@cases, $as_made, [ map { look_at_groups($_, $more) } @cases ]);
	$world->{comes} = 0;
	if ($less)
	{
		change($world, $world->without_unit($more), $world->without_unit($less));
		my $without = step($world, $session, \@cases, $as_made, \@with_less);
		my @nobody = $world->without_owner;
		change($world, @nobody);
		local $world->{nobody} = 1;
		step($world, $session, \@cases, $without, [ map { look_at_groups($_, $less) } @cases ]) if @nobody;
	}
	$session->close;
	return;
}

wrap();
$server->{seer}->query("SET statement_timeout = '30s'");
for my $world ($ENV{DP_FUZZ_WORLD} // (0 .. 1_000_000))
{
	explore($world);
	last if ($seen{compared} // 0) + sum0(map { $seen{$_} // 0 } @SHAPES) >= $cases || @problems > 20 || $world > $cases;
}
note(join ', ', map { "$seen{$_} $_" } sort keys %seen);
note('at most, of what is allowed: ' . join ', ', map { sprintf '%.3f of %s', $reached{$_}, $_ } sort keys %reached);
note("near to that, of $seen{worlds} worlds: " . join ', ', map { keys(%{ $full{$_} }) . " of $_" } sort keys %full);
is(scalar @problems, 0, ($seen{compared} // 0) . ' pairs of answers differ by no more than was stated');
if (!defined $ENV{DP_FUZZ_WORLD} && $cases >= 6000)
{
	cmp_ok($seen{'with fewer groups than max_groups'} // 0, '>=', 1, 'some are of fewer groups than max_groups') if $models < 1;
	# Each in more than half of all worlds, of which there are more than fifty.
	cmp_ok(scalar keys %{ $full{$_} // {} }, '>=', 1, "most of what is allowed is reached by $_") for $models < 1 ? (qw(count sum mean rows persons), 'listed keys') : grep { $_ ne 'synthesis' } @SHAPES;
}
note(sprintf 'all: %.1f s', time - $began);
$server->{node}->stop('fast');
done_testing();
