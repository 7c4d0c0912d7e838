# Features of doc/sql.md and of PostgreSQL, each with every other, in one SELECT and nested both ways.
#
# Without DP_FUZZ_PAIRS, statements of several features each are drawn so that any two stand together in one of
# them.  With it, two features stand alone: in each way in which they can be nested.
#
#	DP_FUZZ_TRIPLES		how many random triples are asked besides, 300 by default
#	DP_FUZZ_PAIRS		which share of the pairs alone is asked: 1 for all
#	DP_FUZZ_PART		one of so many parts of it, as 1/4
#	DP_FUZZ_SEED		what is drawn by chance; printed, taken from the clock by default
#	DP_FUZZ_LIMIT		seconds after which what is left is not asked; 100 unless DP_FUZZ_PAIRS is given
#	DP_FUZZ_CASE		this case alone, as a failure names it
#	DP_FUZZ_LIBRARIES	what is preloaded beside dp_agg, by default pgaudit, pg_stat_statements and auto_explain
#
# The server preloads other people's extensions.  Each statement has two seconds and a limit of
# memory, and ends by an answer, or by a refusal that is listed: see FuzzBounds.  Answers are compared with
# the owner's but where a feature is documented to answer otherwise, or the noise of one answer decides about another.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use Time::HiRes qw(time);

use FuzzBounds;
use FuzzExpr qw(pick chance);
use FuzzFeatures;
use FuzzLevel;
use FuzzPairWorld;
use FuzzRoute qw(routes step);

my $seed = $ENV{DP_FUZZ_SEED} // int(time * 1000) % 1_000_000_000;
my $triples = $ENV{DP_FUZZ_TRIPLES} // 300;
my $share = $ENV{DP_FUZZ_PAIRS};
my $limit = $ENV{DP_FUZZ_LIMIT} // (defined $share ? 1e9 : 100);
my $began = time;
my $tell = $ENV{DP_FUZZ_TRIPLES} || $share || $ENV{DP_FUZZ_CASE} ? \&diag : \&note;
srand($seed);

# A stuck session must not take the machine, and a crash should leave its stack.
system "prlimit --pid $$ --as=4000000000 --core=unlimited 2>/dev/null";
my $server = FuzzPairWorld->new('fuzz_pairs');
my $judge = FuzzBounds->new($server, document => "$FindBin::RealBin/../../doc/sql.md", directory => $PostgreSQL::Test::Utils::tmp_check,
	# PostgreSQL has files of these names as well.
	own_files => { map { s{.*/}{}r => 1 } grep { !m{/(?:heap|policy|explain)\.c$} } split /\n/, `find $FindBin::RealBin/../../src -name '*.c'` });
$tell->(sprintf 'DP_FUZZ_SEED=%d, %s, ready after %.1f s', $seed, join(',', @{ $server->{libraries} }), time - $began);

my @opening = ('SET dp_agg.max_rows = 100', 'SET dp_agg.max_groups = 12', 'SET dp_agg.epsilon = 1e6', 'SET dp_agg.delta = 1e-6', 'SET client_min_messages = warning');
my (%cases, %compared);

# Features of which an answer is not the owner's word for word.
my $loose = qr/^(?:setting:(?:gaussian|sample|small|clip|raw_empty|raw_pages|max_rows|values|read_only|serializable|set_role|join_rows).*|place:(?:unit|on_right|on_full|function|lateral_function|lateral_values|bound|fraction|limit|offset|distinct_on|frame|partition|window.*)|base:(?:public_left|linked_alone|sampled|system|histogram.*|cumulative|noisy_max|top|above|select_model|linregr|logregr|svm|synthesize|suggest.*|measure|price|last_release|catalog)|level:(?:lateral_table|unequal_join|where_false|where_null|with_twice|union_itself|cross_join|lateral_series|rows_from|unnest|with_inner|with_search|public_multiplies|function_join|function_plpgsql|lateral_values|lateral_union|series_.*|public_right|right_join|limit.*|offset|ties|distinct_on.*|window.*|srf.*|lateral_limit|group_(?:place|bucket|percentile.*|quantiles|interval|lines|mode|extremes|moments|booleans|correlated|units|arrays|unknown))|expression:(?:date|arithmetic|mixed_aggregate|random|now|sequence|window.*|dp.*|predict|randomized|price|quantile|catalog|cursor_state|of_rows|of_subquery|release_limit))$/;

# One level of features, its order such that groups come first.
sub fill
{
	my ($level, @features) = @_;
	for (sort { $a->[0] <=> $b->[0] } map { [ FuzzFeatures::rank(@$_[0, 1]), $_ ] } @features)
	{
		my ($name, $place, $expression, $within) = @{ $_->[1] };
		if (!defined $place) { $FuzzFeatures::LEVELS{$name}->($level); next }
		my $second = $level->{second};
		my $inner = $within ? sub { $FuzzFeatures::EXPRESSIONS{$within}->($_[0], $_[0]{v}, $second) } : sub { $_[0]{v} };
		$FuzzFeatures::PLACES{$place}->($level, sub { $FuzzFeatures::EXPRESSIONS{$expression}->($_[0], $inner->($_[0]), $second) });
	}
	return $level;
}

# The statement of a case: levels from the bottom up, each a list of features.
sub statement
{
	my ($case, $form) = @_;
	FuzzFeatures::restart_names();
	my ($from, $second, $released) = @{ $FuzzFeatures::BASES{ $case->{base} } };
	my $level = FuzzLevel->new($from, second => $second, form => $form, released => $released);
	my @levels = @{ $case->{levels} };
	fill($level, @{ shift @levels }) if @levels;
	for (@levels) { $level = fill($level->over, @$_) }
	my $text = $level->text;
	return ($text, $level->{before}, $level->{afterwards}) if $level->{released} || $case->{bare};
	my $top = FuzzLevel->new($text, form => $form, second => $second, before => $level->{before}, afterwards => $level->{afterwards});
	$FuzzFeatures::LEVELS{ $case->{terminal} }->($top);
	return ($top->text, $top->{before}, $top->{afterwards});
}

# Ask what a case is, by its route, under its settings.
sub ask
{
	my ($case) = @_;
	my ($text, $before, $afterwards) = statement($case, $case->{form});
	$judge->{features} = $case->{features};
	$judge->{history} = [];
	$judge->{label} = "DP_FUZZ_CASE='$case->{label}'";
	my @settings = $case->{setting} ? @{ $FuzzFeatures::SETTINGS{ $case->{setting} } } : ();
	my @steps = ((map { step($_, 0, way => 'setting') } @settings), (map { step($_, 0, most => 1, way => 'object') } @$before));
	push @steps, $case->{route} ? map { { %$_, way => "route $case->{route}" } } FuzzFeatures::route($case->{route}, $text) : step($text, 1, way => $case->{kind}, rows => 1);
	$_->{most} = $case->{asks} ? undef : $_->{most} for @steps;
	my $twin;
	@$judge{qw(own asks)} = @$case{qw(own asks)};
	my $form = $case->{form} eq 'dp' ? 'clamped' : 'plain';
	$judge->{twin} = sub { $twin //= do { my ($plain, $made) = statement($case, $form); $judge->owner_asks($made, $plain) } };
	$judge->{way} = sub { my ($plain, $made) = statement($case, $form); (@settings, @$made, $case->{route} ? map { $_->{sql} } FuzzFeatures::route($case->{route}, $plain) : $plain) };
	my $failed;
	for my $step (@steps)
	{
		my $answer = $judge->run($step);
		$failed = $answer->{error} || $answer->{lost};
		last if $failed && !$step->{planned};
		next unless $step->{rows} && !$failed && !$case->{loose};
		$compared{ $judge->compare($answer, $step) }++;
	}
	$cases{ $case->{kind} }{ $failed ? 'refused' : 'answered' }++;
	clean_up($case, $failed, $afterwards) if $failed || $case->{route} || @settings || @$before || $case->{label} =~ /with_insert/;
	return;
}

# Leave nothing behind: transactions, settings, cursors, prepared statements and objects.
sub clean_up
{
	my ($case, $failed, $afterwards) = @_;
	my $session = $judge->{session};
	$session->query('ROLLBACK') if $session->{state} ne 'I';
	$session->query('RESET ROLE; RESET ALL; SET statement_timeout = ' . FuzzBounds::TIMEOUT . join '', map { "; $_" } @opening) if $case->{setting} || $case->{route} && $failed;
	$session->query(join '; ', 'SET client_min_messages = error', reverse(@$afterwards), 'SET client_min_messages = warning') if @$afterwards;
	$session->query(q{DELETE FROM target; DELETE FROM written; INSERT INTO written VALUES (1, 'a', 1)}) if grep { /^route:.*(?:insert|returning|rule|update|merge|delete)|^level:with_insert/ } @{ $case->{features} };
	return if !$case->{route};
	$session->query('CLOSE ALL; DEALLOCATE ALL' . ($failed ? '; SELECT clear()' : ''));
	$judge->{charged} = $server->charged;
	return;
}

# All pairs of features, as cases that are made when their turn comes.
sub pairs
{
	my @levels = sort keys %FuzzFeatures::LEVELS;
	my @expressions = sort keys %FuzzFeatures::EXPRESSIONS;
	my @places = sort keys %FuzzFeatures::PLACES;
	my @bases = sort keys %FuzzFeatures::BASES;
	my @routes = sort +FuzzFeatures::route_names();
	my @settings = sort keys %FuzzFeatures::SETTINGS;
	my @cases;
	my $add = sub { push @cases, {@_} if chance($share) };
	for my $x (@levels)
	{
		$add->(base => $_, levels => [ [ [$x] ] ]) for @bases;
		$add->(route => $_, levels => [ [ [$x] ] ]) for @routes;
		$add->(setting => $_, levels => [ [ [$x] ] ]) for @settings;
		for my $y (@levels)
		{
			$add->(levels => [ [ [$x] ], [ [$y] ] ]);
			$add->(levels => [ [ [$x], [$y] ] ]) if $x lt $y;
		}
		for my $e (@expressions)
		{
			$add->(levels => [ [ [$x] ], [ [ '', pick(@places), $e ] ] ]);
			$add->(levels => [ [ [ '', pick(@places), $e ] ], [ [$x] ] ]);
			$add->(levels => [ [ [$x], [ '', pick(@places), $e ] ] ]);
		}
	}
	for my $e (@expressions)
	{
		$add->(levels => [ [ [ '', $_, $e ] ] ]) for @places;
		$add->(levels => [ [ [ '', pick(@places), $e, $_ ] ] ]) for @expressions;
		$add->(base => $_, levels => [ [ [ '', pick(@places), $e ] ] ]) for @bases;
		$add->(route => $_, levels => [ [ [ '', pick(@places), $e ] ] ]) for @routes;
		$add->(setting => $_, levels => [ [ [ '', pick(@places), $e ] ] ]) for @settings;
	}
	for my $route (@routes)
	{
		$add->(route => $route, base => $_, levels => []) for @bases;
		$add->(route => $route, setting => $_, levels => []) for @settings;
	}
	for my $base (@bases) { $add->(base => $base, setting => $_, levels => []) for @settings }
	return @cases;
}

# Draw statements of several features until any two features have met.  Of what a statement may have once, such
# as a route, it has one; what would meet the most that it has not met is taken of a few.
sub packed
{
	my %all = (base => [ sort keys %FuzzFeatures::BASES ], level => [ sort keys %FuzzFeatures::LEVELS ], expression => [ sort keys %FuzzFeatures::EXPRESSIONS ],
		place => [ sort keys %FuzzFeatures::PLACES ], route => [ sort +FuzzFeatures::route_names() ], setting => [ sort keys %FuzzFeatures::SETTINGS ]);
	my %once = map { $_ => 1 } qw(base place route setting);
	my @features = map { my $kind = $_; map { "$kind:$_" } @{ $all{$kind} } } sort keys %all;
	my (%met, @cases);
	my $key = sub { $_[0] lt $_[1] ? "$_[0] $_[1]" : "$_[1] $_[0]" };
	my @wanted;
	for my $i (0 .. $#features)
	{
		for my $j ($i + 1 .. $#features)
		{
			my ($kind, $other) = map { $features[$_] =~ s/:.*//r } $i, $j;
			push @wanted, [ @features[ $i, $j ] ] unless $kind eq $other && $once{$kind};
		}
	}
	for my $pair (map { $wanted[ $_->[1] ] } sort { $a->[0] <=> $b->[0] } map { [ rand, $_ ] } 0 .. $#wanted)
	{
		next if $met{ $key->(@$pair) };
		my @has = @$pair;
		my $count = sub { scalar grep { /^$_[0]:/ } @has };
		my %needs = (level => 2, expression => 1, place => 1, base => 1, route => chance(0.6), setting => chance(0.3));
		for my $kind (sort keys %needs)
		{
			while ($count->($kind) < $needs{$kind})
			{
				my ($best, $most);
				for my $try (map { "$kind:" . pick(@{ $all{$kind} }) } 1 .. 6)
				{
					my $new = grep { !$met{ $key->($try, $_) } } @has;
					($best, $most) = ($try, $new) if !defined $most || $new > $most;
				}
				push @has, $best;
			}
		}
		for my $i (0 .. $#has) { $met{ $key->(@has[ $i, $_ ]) } = 1 for $i + 1 .. $#has }
		push @cases, arranged(@has);
	}
	return @cases;
}

# A case of features: levels and expressions in any order and nesting.
sub arranged
{
	my %of;
	for (@_) { my ($kind, $name) = split /:/; push @{ $of{$kind} }, $name }
	my ($first, @within) = @{ $of{expression} };
	my @features = ((map { [$_] } @{ $of{level} }), [ '', $of{place}[0], $first, @within ]);
	my @levels = ([]);
	for (map { $features[ $_->[1] ] } sort { $a->[0] <=> $b->[0] } map { [ rand, $_ ] } 0 .. $#features)
	{
		push @levels, [] if @{ $levels[-1] } && chance(0.6);
		push @{ $levels[-1] }, $_;
	}
	return { base => $of{base}[0], levels => \@levels, map { $of{$_} ? ($_ => $of{$_}[0]) : () } qw(route setting) };
}

# A triple, or more: several levels of a feature or two.
sub triple
{
	my %case = (base => pick(sort keys %FuzzFeatures::BASES));
	my @features = map { chance(0.4) ? [ '', pick(sort keys %FuzzFeatures::PLACES), pick(sort keys %FuzzFeatures::EXPRESSIONS), chance(0.5) ? pick(sort keys %FuzzFeatures::EXPRESSIONS) : () ]
		: [ pick(sort keys %FuzzFeatures::LEVELS) ] } 1 .. pick(2, 3, 3, 3);
	$case{base} = pick(qw(people people visits)) if chance(0.5);
	$case{route} = pick(sort +FuzzFeatures::route_names()) if chance(0.3);
	$case{setting} = pick(sort keys %FuzzFeatures::SETTINGS) if chance(0.3);
	my @levels = ([]);
	for (@features) { push @levels, [] if @{ $levels[-1] } && chance(0.5); push @{ $levels[-1] }, $_ }
	return { %case, levels => \@levels };
}

# Give a case what is not said of it, and a label by which it is made again.
sub complete
{
	my ($case) = @_;
	$case->{base} //= pick(qw(people people visits));
	$case->{form} //= pick(qw(plain plain dp));
	$case->{terminal} //= pick(map { "group_$_" } qw(total by_key total by_key rollup units filter));
	$case->{bare} //= chance(0.1) ? 1 : 0;
	my $levels = join ';', map { join ',', map { join '/', @$_ } @$_ } @{ $case->{levels} };
	$case->{label} = join ' ', $case->{base}, $levels eq '' ? '-' : $levels, $case->{form}, $case->{bare} ? '-' : $case->{terminal}, $case->{route} // '-', $case->{setting} // '-';
	my @names = ("base:$case->{base}");
	for (map { @$_ } @{ $case->{levels} }) { my (undef, $place, @e) = @$_; push @names, defined $place ? ("place:$place", map { "expression:$_" } @e) : "level:$_->[0]" }
	$case->{features} = [ @names, map { $case->{$_} ? "$_:$case->{$_}" : () } qw(route setting) ];
	push @{ $case->{features} }, "level:$case->{terminal}" unless $case->{bare};
	# Groups of public keys that nobody is in count where groups are counted; conditions on noisy values hold or not.
	$case->{loose} = 1 if @{ $case->{levels} } > 1 && grep({ /^level:group_|^place:(?:having|shown_of_group|beside_group|order_of_group|group|argument|filter)/ } @names) || grep({ /$loose/ } @{ $case->{features} }) || 1 < grep { /^level:group_(?!total|by_unit|filter|units)|^place:(?:having|shown_of_group|order_of_group|group)/ } @{ $case->{features} };
	# Functions that ask by themselves are charged whenever they are called.
	$case->{asks} = grep { /^expression:(?:asking|sql_ask|price)|^base:(?:suggest|measure)|^level:as_(?:plpgsql|caught|volatile|definer)/ } @{ $case->{features} };
	# Code of the statement's own that fails by what it is given, or asks by itself.
	$case->{own} = 1 if grep({ /^expression:random$/ } @names) && grep { /^expression:(?:modulo|division)$/ } @names;
	$case->{own} = 1 if grep { /^expression:(?:outer_sum|overflow|domain|sequence|text_number|predict|price|bad_constant|asking.*|sql_ask.*|plpgsql.*)|^place:(?:fraction|limit|offset|frame)|^level:(?:limit_release|as_(?:plpgsql|caught|volatile|definer|table|matview))|^base:(?:suggest|measure|last_release|price)|^route:(?:insert|returning|copy_insert|rule)/ } @{ $case->{features} };
	# What she divides by the results of a call that released them.
	$case->{own} = 1 if ($FuzzFeatures::BASES{ $case->{base} }[2] // '') eq 'released' && grep { /^expression:division$/ } @names;
	# Rows of public tables that an outer join keeps are nobody's, and do not count.
	my $public = $case->{base} =~ /^(?:public|mine|values|series|catalog|nothing)$/ || grep { /^level:as_(?:plpgsql|caught|volatile|definer|table|matview)/ } @names;
	$case->{loose} = 1 if $public && grep { /^level:(?:left|grouped|joined|natural|full)_join|^place:on(?:_nullable|_right|_full)?$/ } @names;
	# Noise decides whether a condition on it holds, and whether two answers are equal.
	$case->{loose} = 1 if grep { /^place:having|^level:(?:except|intersect|union)(?:_itself|_all)?$/ } @{ $case->{features} } and grep { /^level:group_|^place:(?:having|shown_of_group|beside_group)/ } @{ $case->{features} };
	# All keys of a public column are counted, whether anybody has them or not.
	$case->{loose} = 1 if $case->{base} =~ /^key_(?:bool|mood)$/ && grep { /^expression:array_release$/ } @names;
	# DISTINCT of what is no unit's is a release of its own, of keys that several units have.
	$case->{loose} = 1 if 2 == grep { /^level:(?:distinct|hidden_unit)$/ } @{ $case->{features} };
	my %kinds = map { (s/:.*//r => 1) } grep { !/^place|^base:(?:people|visits)$/ } @names, map { $case->{$_} ? $_ : () } qw(route setting);
	$case->{kind} = join ' x ', sort keys %kinds;
	return $case;
}

# The case of a label.
sub labelled
{
	my ($label) = @_;
	my ($base, $levels, $form, $terminal, $route, $setting) = split / /, $label;
	return complete({ base => $base, form => $form, terminal => $terminal eq '-' ? 'group_total' : $terminal, bare => $terminal eq '-' ? 1 : 0, route => $route eq '-' ? undef : $route,
		setting => $setting eq '-' ? undef : $setting, levels => $levels eq '-' ? [] : [ map { [ map { [ split m{/}, $_ ] } split /,/, $_ ] } split /;/, $levels ] });
}

my @cases = defined $ENV{DP_FUZZ_CASE} ? labelled($ENV{DP_FUZZ_CASE}) : ((map { complete($_) } defined $share ? pairs() : packed()), map { complete(triple()) } 1 .. $triples);
if (my ($part, $parts) = ($ENV{DP_FUZZ_PART} // '') =~ m{^(\d+)/(\d+)$}) { @cases = @cases[ grep { $_ % $parts == $part - 1 } 0 .. $#cases ] }
@cases = map { $cases[ $_->[1] ] } sort { $a->[0] <=> $b->[0] } map { [ rand, $_ ] } 0 .. $#cases;
my $asked = 0;
my $asking = time;
for my $case (@cases)
{
	last if time - $asking > $limit;
	$judge->begin(@opening) if $asked++ % 500 == 0;
	ask($case);
	diag sprintf '%d of %d, %.0f s', $asked, scalar @cases, time - $began if $tell == \&diag && $asked % 2000 == 0;
}

for my $key (sort { $judge->{failures}{$b}{count} <=> $judge->{failures}{$a}{count} } keys %{ $judge->{failures} })
{
	my $of = $judge->{failures}{$key};
	my @in = (sort { $of->{in}{$b} <=> $of->{in}{$a} || $a cmp $b } keys %{ $of->{in} })[ 0 .. 5 ];
	diag sprintf "%d times: %s\n  mostly with %s\n  %s\n    %s", $of->{count}, $of->{what}, join(' ', map { $_ // () } @in), $of->{label}, $of->{sql};
}
is(scalar keys %{ $judge->{failures} }, 0, "$judge->{statements} statements of $asked of " . scalar(@cases) . ' cases without a failure');
my @damage = map { "@{[ map { $_ // '' } @$_ ]}" } $server->admin_rows('SELECT * FROM dp_agg.verify_ledger() LIMIT 5');
is("@damage", '', 'the ledger verifies');
for my $kind (sort keys %cases) { $tell->(sprintf '%-40s %6d answered %6d refused', $kind, map { $cases{$kind}{$_} // 0 } qw(answered refused)) }
$tell->('outcomes: ' . join ' ', map { "$_:$judge->{tally}{$_}" } sort keys %{ $judge->{tally} });
$tell->('compared: ' . join ', ', map { "$compared{$_} $_" } sort keys %compared);
my %seconds = %{ $judge->{seconds} // {} };
note 'seconds: ' . join ', ', map { sprintf '%s %.1f', $_, $seconds{$_} } grep { defined } (sort { $seconds{$b} <=> $seconds{$a} } keys %seconds)[ 0 .. 19 ];
$tell->(sprintf 'all took %.0f s', time - $began);
$server->{node}->stop('fast');
done_testing();
