# Random valid blocks, each with its twin: the plain query that computes, for
# the owner, the bounded answer the block has without noise.
#
# The twin first adds up what each unit holds in each group, bounds that, and
# then adds up units, in numeric: doc/architecture.md's second form, which for
# tables of one row per unit means the same as the first.  Beside each value it
# says what a comparison needs: weights, and whether values were too wild for
# the grid, which has 2^22 times the noise on either side of zero, or 2^62.
package FuzzBlock;

use strict;
use warnings;

use List::Util qw(max);

use FuzzData qw(%TABLES);
use FuzzExpr qw(pick chance quote_name quote_text);

# What not every version of the extension can do; tried before it is used.
my %probes = (
	join_public => 'SELECT dp_count(*) FROM people JOIN cities ON t = city',
	left_public => 'SELECT dp_count(*) FROM people LEFT JOIN cities ON t = city',
	join_units => 'SELECT dp_count(*) FROM people p JOIN visits v ON p.id = v.person',
	on_subquery => 'SELECT dp_count(*) FROM people p LEFT JOIN visits v ON p.id = v.person AND EXISTS (SELECT 1 FROM visits w WHERE w.person = v.person)',
	public_keys => 'SELECT city, dp_count(id) FROM cities LEFT JOIN people ON t = city GROUP BY city',
	per_unit => 'SELECT dp_avg(n, 0, 10) FROM (SELECT person, count(*) AS n FROM visits GROUP BY person) s',
	cte => 'WITH c AS (SELECT * FROM people) SELECT dp_count(*) FROM c',
	variance => 'SELECT dp_variance(i, 0, 10), dp_stddev(d, 0, 10) FROM people',
	quantile => 'SELECT dp_median(i, 0, 10), dp_quantile(d, 0.3, 0, 10) FROM people',
	pairs => 'SELECT dp_covar_samp(i, d, 0, 10, 0, 10), dp_corr(i, d, 0, 10, 0, 10) FROM people');

# A generator of blocks: `can` is what the server can, `epsilons` the losses to
# choose from, `default_epsilon` that of aggregates that name none, `objects` the
# analyst's own, which a block is asked to join by the option `hers`.
sub new
{
	my ($class, $expressions, %options) = @_;
	return bless { expressions => $expressions, max_rows => 1, max_groups => 1, %options }, $class;
}

# What this version of the extension can do, of the probes.
sub probe
{
	my ($server) = @_;
	my $analyst = $server->connect_as('analyst');
	my %can = map { $_ => 1 } grep { !$analyst->query($probes{$_})->{error} } sort keys %probes;
	$analyst->close;
	return \%can;
}

# FROM over one table: text, text of the twin, columns, unit.
sub from_table
{
	my ($self, $name) = @_;
	my $table = $TABLES{$name};
	my %from = (
		unit => quote_name($table->{unit}), unique => $table->{unique}, columns => { %{ $table->{columns} } });
	$from{dp} = $from{plain} = quote_name($name);
	if (chance(0.4))
	{
		$from{alias} = pick('a', 'p', '"Al Ias"', 'dp_release', 'dp_unit');
		$from{dp} = $from{plain} = "$from{dp} " . pick('', 'AS ') . $from{alias};
	}
	return \%from;
}

# FROM a subquery that filters, computes and renames.
sub from_subselect
{
	my ($self, $inner, $params) = @_;
	my $generator = $self->{expressions}->over($inner->{columns}, alias => $inner->{alias}, params => $params);
	my (%columns, @dp, @plain);
	my $unit = pick('u0', '"Unit"');
	for my $n (1 .. 2 + int rand 4)
	{
		my $type = pick(qw(int4 int8 numeric float8 text bool date timestamp int4 text));
		my $expression = $generator->typed($type, int rand 2);
		$columns{"c$n"} = $type;
		push @dp, "$expression->[0] AS c$n";
		push @plain, "$expression->[1] AS c$n";
	}
	my $shown = chance(0.7);
	unshift @dp, "$inner->{unit} AS $unit" if $shown;
	unshift @plain, "$inner->{unit} AS $unit";
	my $where = chance(0.5) ? $generator->typed('bool', 1 + int rand 2) : undef;
	return {
		dp => 'SELECT ' . join(', ', @dp) . " FROM $inner->{dp}" . ($where ? " WHERE $where->[0]" : ''),
		plain => 'SELECT ' . join(', ', @plain) . " FROM $inner->{plain}" . ($where ? " WHERE $where->[1]" : ''),
		unit => $unit, unit_hidden => !$shown, unique => $inner->{unique}, columns => \%columns,
		with_dp => $inner->{with_dp}, with_plain => $inner->{with_plain} };
}

# What ON of a left join may say of rows of either side.
my @on = (
	'EXISTS (SELECT 1 FROM visits w WHERE w.person = v.person AND w.i > 3)', 'NOT EXISTS (SELECT 1 FROM visits w WHERE w.person = v.person AND w.d < v.vd)',
	'v.person IN (SELECT person FROM visits WHERE d > 0)', 'id NOT IN (SELECT person FROM visits WHERE i > 5 AND person IS NOT NULL)',
	'(SELECT count(*) FROM visits w WHERE w.person = people.id) > 1', '(vt, vi) NOT IN (SELECT city, size FROM cities)', 'vt IN (SELECT city FROM cities)');

sub from_join
{
	my ($self) = @_;
	my $way = pick(grep { $self->{can}{$_} } qw(join_public left_public join_units on_subquery public_keys per_unit)) or return;
	my %people = %{ $TABLES{people}{columns} };
	my $both = sub { my %from = (unit => 'id', unique => 1, @_); $from{plain} //= $from{dp}; return \%from };
	my %cities = (city => 'text', region => 'text', size => 'int4');
	return $both->(dp => 'people ' . pick('', 'INNER ') . 'JOIN cities ON t = city', columns => { %people, %cities }) if $way eq 'join_public';
	return $both->(dp => 'people LEFT JOIN cities ON t = city', columns => { %people, %cities }) if $way eq 'left_public';
	return $both->(dp => 'people JOIN (SELECT person, i AS vi, d AS vd, t AS vt FROM visits) v ON id = person', unique => 0,
		columns => { %people, vi => 'int4', vd => 'float8', vt => 'text' }) if $way eq 'join_units';
	return $both->(dp => 'people LEFT JOIN (SELECT ' . pick(
			'person, i AS vi, d AS vd, t AS vt FROM visits', 'v.person, v.i AS vi, v.d AS vd, w.t AS vt FROM visits v JOIN people w ON w.id = v.person') .
			') v ON id = person AND ' . pick(@on), unique => 0, columns => { %people, vi => 'int4', vd => 'float8', vt => 'text' }) if $way eq 'on_subquery';
	return $both->(dp => 'cities LEFT JOIN people ON t = city', plain => 'cities JOIN people ON t = city', columns => { %people, %cities },
		listing => 'cities', listed => \%cities) if $way eq 'public_keys';
	return $both->(dp => '(SELECT person, count(*) AS n, sum(i) AS total, max(d) AS most FROM visits GROUP BY person) s',
		unit => 'person', columns => { person => 'int4', n => 'int8', total => 'int8', most => 'float8' });
}

sub from
{
	my ($self, $params) = @_;
	if (chance(0.2)) { my $join = $self->from_join; return $join if $join }
	return { dp => 'grown', plain => 'grown', unit => 'id', unique => 1,
		columns => { id => 'int4', age => 'int4', t => 'text', d => 'float8' } } if chance(0.05);
	my $from = $self->from_table(pick(qw(people people people visits visits parts), "weird \"Täble\""));
	while (chance(0.2))
	{
		$from = $self->from_subselect($from, $params);
		my $alias = pick('s', '"S s"', 'q');
		$from->{alias} = $alias;
		if ($self->{can}{cte} && !$from->{with_dp} && chance(0.3))
		{
			$from->{with_dp} = "WITH $alias AS ($from->{dp}) ";
			$from->{with_plain} = "WITH $alias AS ($from->{plain}) ";
			$from->{dp} = $from->{plain} = $alias;
		}
		else { $_ = "($_) $alias" for $from->{dp}, $from->{plain} }
	}
	return $from;
}

my %bounds = (
	int => [ [ 0, 100 ], [ -5, 5 ], [ 0, 1 ], [ 7, 7 ], [ -1000000, 1000000 ], [ 10, 1000000000000 ], [ -30, -20 ], [ 0, 0 ] ],
	numeric => [ [ '0', '100' ], [ '-0.5', '0.5' ], [ '0.125', '1e6' ], [ '3.3', '3.3' ], [ '-1e9', '0' ] ],
	date => [ [ '1990-01-01', '2010-01-01' ], [ '2024-02-28', '2024-03-02' ], [ '2000-01-01', '2000-01-01' ], [ '0001-01-01', '3000-01-01' ] ],
	float8 => [ [ '0', '100' ], [ '-0.5', '0.5' ], [ '1e-3', '1e6' ], [ '2.5', '2.5' ], [ '-1e9', '1e9' ], [ '-20', '-10' ] ]);

# A bound or epsilon, perhaps as a parameter.
sub number
{
	my ($value, $type, $params) = @_;
	if ($params && chance(0.3))
	{
		push @$params, $value;
		return '$' . @$params . "::$type";
	}
	return $value =~ /^-?\d+$/ || $type eq 'numeric' ? $value : "'$value'::$type" if chance(0.7);
	return "'$value'::$type";
}

# A value as a numeric, NULL where it does not count.
sub numeric_text
{
	my ($type, $plain) = @_;
	return $type eq 'float4' ? "NULLIF(($plain)::float8::numeric, 'NaN')" : "NULLIF(($plain)::numeric, 'NaN')";
}

# The same within bounds.
sub place_text
{
	my ($value, $low, $high) = @_;
	return "CASE WHEN $value IS NOT NULL THEN LEAST(GREATEST($value, '$low'::numeric), '$high'::numeric) END";
}

# A quantile: the twin keeps the rows of each unit with what each weighs, and finds the
# least and the greatest value that are as near to the rank as the noise allows, which is
# more than dp_min and dp_max aim inside.
sub quantile
{
	my ($dp, $place, $low, $high, $bounds, $rows, $scale, $integral) = @_;
	my %fraction = (dp_median => 0.5, dp_min => 0, dp_max => 1);
	my $name = pick(qw(dp_median dp_quantile dp_quantile dp_min dp_max));
	my $fraction = $fraction{$name} // pick(qw(0.1 0.25 0.5 0.9 0.99));
	my $aggregate = exists $fraction{$name} ? "$name($dp, $bounds)" : "$name($dp, $fraction, $bounds)";
	my $step = ($high - $low) / 16384;
	return {
		dp => $aggregate, inner => "array_remove(array_agg($place), NULL)",
		weight => "least(count($place), $rows)::numeric / NULLIF(count($place), 0)",
		range => $integral && $step < 1 ? 1 : $step,
		outer => "try.around(jsonb_agg(jsonb_build_array(to_jsonb(vN), wN)), $fraction, " . 170 * $scale . ')' };
}

# A quantile of dates or timestamps, in days since 2000.
sub quantile_of_days
{
	my ($type, $of, $bounds, $rows, $scale, $text, $params) = @_;
	my $within = "LEAST(GREATEST($of->[1], $type '$bounds->[0]'), $type '$bounds->[1]') - $type '2000-01-01'";
	my $days = $type eq 'date' ? $within : "extract(epoch FROM $within) / 86400";
	my ($low, $high) = map { my ($y, $m, $d) = split /-/; $y * 365 + $m * 30 + $d } @$bounds;
	my $quantile = quantile($of->[0], "CASE WHEN $of->[1] IS NOT NULL THEN ($days)::numeric END", $low, $high,
		join(', ', map { number($_, $type, $params) } @$bounds) . $text, $rows, $scale, 1);
	$quantile->{dp} .= ($type eq 'date' ? '' : '::date') . " - date '2000-01-01'";
	$quantile->{range} = 2 + ($high - $low) / 16384;
	return $quantile;
}

# What moments add up to: the twin has sums of products of places, scaled down as rows
# are, in an array for each unit.  Noise is said of a width of one, with the grid's
# rounding, as a share of the width.
sub moments
{
	my ($rows, $noise, $places, $statistic, @list) = @_;
	my $all = join ' AND ', map { "$_ IS NOT NULL" } @$places;
	my $count = "count(*) FILTER (WHERE $all)";
	my $weight = "least($count, $rows)";
	my $scaled = "$weight / NULLIF($count, 0)::numeric";
	return (
		noise => 4 * $noise, weight => $weight,
		inner => 'ARRAY[' . join(', ', map { "sum($_) FILTER (WHERE $all) * $scaled" } @list) . ']',
		outer => "try.statistic('$statistic', sum(wN), ARRAY[" . join(', ', map { "sum(vN[$_])" } 1 .. @list) . '])');
}

# Variance or standard deviation, in widths of the bounds.
sub variance
{
	my ($name, $dp, $bounds, $rows, $noise, $place, $low, $high) = @_;
	my $x = unit_text($place, $low, $high);
	return {
		moments($rows, $noise, [$x], $name, $x, "$x * $x"), dp => "$name($dp, $bounds)",
		width => $name eq 'dp_stddev' ? $high - $low : ($high - $low)**2, root => $name eq 'dp_stddev' };
}

# From 0 to 1.
sub unit_text
{
	my ($place, $low, $high) = @_;
	return $low == $high ? "($place - '$low'::numeric)" : "(($place - '$low'::numeric) / ('$high'::numeric - '$low'::numeric))";
}

# A statistic of two values, the second chosen here.
sub pair
{
	my ($self, $generator, $type, $dp, $place, $low, $high, $bounds, $text, $rows, $noise, $params) = @_;
	my $name = pick(qw(dp_covar_pop dp_covar_samp dp_corr dp_regr_slope dp_regr_intercept));
	my $other = $generator->typed('float8', int rand 3);
	my ($x_low, $x_high) = @{ pick([ 0, 100 ], [ -50, 50 ], [ -1, 3 ]) };
	my $x_place = place_text(numeric_text('float8', $other->[1]), $x_low, $x_high);
	my ($y, $x) = (unit_text($place, $low, $high), unit_text($x_place, $x_low, $x_high));
	my %width = (dp_corr => 1, dp_regr_slope => ($high - $low) / ($x_high - $x_low));
	return {
		moments($rows, $noise, [ $y, $x ], $name, $x, "$x * $x", $y, "$x * $y", "$y * $y"),
		dp => "$name(" . as_float8($type, $dp) . ", $other->[0], " . join(', ', $bounds, number($x_low, 'float8', $params), number($x_high, 'float8', $params)) . "$text)",
		width => $width{$name} // ($high - $low) * ($x_high - $x_low), ratio => exists $width{$name} };
}

# As an argument of type float8.
sub as_float8
{
	my ($type, $text) = @_;
	return $type eq 'float8' ? $text : "CAST($text AS float8)";
}

# One aggregate: its text, what the twin computes per unit and over units, and
# how far the noise may carry it.
sub aggregate
{
	my ($self, $from, $generator, $grouped, $params) = @_;
	my $epsilon = chance(0.5) ? pick(@{ $self->{epsilons} }) : undef;
	my $loss = $epsilon // $self->{default_epsilon};
	my $text = $epsilon ? ', ' . number($epsilon, 'float8', $params) : '';
	my $rows = $from->{unique} ? 1 : $self->{max_rows};
	my $groups = $from->{unique} || !$grouped ? 1 : $self->{max_groups};
	my $scale = $groups / $loss;
	my $way = int rand 10;
	return { dp => 'dp_count(*)', inner => "least(count(*), $rows)", noise => $rows * $groups / $self->{default_epsilon}, whole => 1 } if $way < 2;
	return { dp => "dp_count(DISTINCT $from->{unit}$text)", inner => '1', noise => $scale, whole => 1 }
	  if $way == 2 && !$from->{unit_hidden} && !$from->{loose};
	if ($self->{can}{distinct} && chance(0.15))
	{
		my $of = $generator->typed(pick(qw(int4 text bool float8 numeric date)), int rand 3);
		my $more = chance(0.3) ? ', ' . $generator->typed(pick(qw(int4 text bool float8 numeric date)), 1)->[0] : '';
		return { dp => 'dp_count(DISTINCT ' . ($more || chance(0.1) ? "ROW($of->[0]$more)" : $of->[0]) . "$text)", inner => '1', noise => $rows * $scale, whole => 1, values => 1 };
	}
	if ($way < 5)
	{
		my $of = $generator->typed(pick(qw(int4 text bool float8 date jsonb)), int rand 3);
		return { dp => "dp_count($of->[0]$text)", inner => "least(count($of->[1]), $rows)", noise => $rows * $scale, whole => 1 };
	}
	if ($self->{can}{quantile} && chance(0.06))
	{
		my $time = pick(qw(date timestamp));
		return quantile_of_days($time, $generator->typed($time, int rand 3), pick(@{ $bounds{date} }), $rows, $rows * $scale, $text, $params);
	}
	my $type = pick(qw(int2 int4 int4 int8 numeric float4 float8 float8));
	my $kind = $type =~ /^int/ ? 'int' : $type =~ /^float/ ? 'float8' : $type;
	my $bound_type = $kind eq 'int' ? 'int8' : $kind;
	my $of = $generator->typed($type, int rand 3);
	my ($low, $high) = @{ pick(@{ $bounds{$kind} }) };
	my $bounds = number($low, $bound_type, $params) . ', ' . number($high, $bound_type, $params);
	my $value = numeric_text($type, $of->[1]);
	my $clamped = "LEAST(GREATEST(%s, '$low'::numeric), '$high'::numeric)";
	my $place = sprintf $clamped, $value;
	my $counted = place_text($value, $low, $high);
	return quantile($of->[0], $counted, $low, $high, "$bounds$text", $rows, $rows * $scale, $kind eq 'int')
	  if $self->{can}{quantile} && chance(0.15);
	return variance(pick(qw(dp_variance dp_stddev)), $of->[0], "$bounds$text", $rows, $rows * $scale, $counted, $low, $high)
	  if $self->{can}{variance} && chance(0.15);
	return $self->pair($generator, $type, $of->[0], $counted, $low, $high, $bounds, $text, $rows, $rows * $scale, $params)
	  if $self->{can}{pairs} && chance(0.15);
	if ($self->{can}{distinct} && chance(0.25))
	{
		my $name = pick(qw(dp_sum dp_avg));
		return { dp => "$name(DISTINCT $of->[0], $bounds$text)", inner => '1', noise => 1, whole => $name eq 'dp_sum' && $kind eq 'int', values => 1 };
	}
	my $name = pick(qw(dp_sum dp_avg));
	my %result = (dp => "$name($of->[0], $bounds$text)");
	if ($name eq 'dp_sum')
	{
		my $bound = max(abs $low, abs $high);
		my $total = sprintf $clamped, "sum($value)";
		return {
			%result, inner => "CASE WHEN sum($value) IS NOT NULL THEN $total END", noise => $bound * $scale, size => $bound,
			whole => $kind eq 'int', wild => "count(*) > 1 AND max(abs($value)) > " . ($bound || 1) * $scale * 2**21 };
	}
	return {
		%result, mean => 1, low => $low, noise => ($high - $low) * $rows * $scale, size => max(abs $low, abs $high),
		inner => "sum(CASE WHEN $value IS NOT NULL THEN $place - '$low'::numeric END)"
		  . " * least(count($value), $rows) / NULLIF(count($value), 0)",
		weight => "least(count($value), $rows)" };
}

# A block, its twin, and what its columns are.
sub block
{
	my ($self, %options) = @_;
	my $params = $options{params};
	my $from = $options{hers} ? $self->{objects}->from : $self->from($params);
	local $self->{max_rows} = $from->{max_rows} // $self->{max_rows};
	my $generator = $self->{expressions}->over($from->{columns}, alias => $from->{alias}, params => $params);
	my $chooser = $from->{listing} ? $self->{expressions}->over($from->{listed}, params => $params) : $generator;
	my $nkeys = $options{scalar} ? 0 : pick(0, 0, 0, 1, 1, 1, 1, 2, 2, 3);
	my @types = map { pick(@FuzzExpr::KEY_TYPES) } 1 .. $nkeys;
	my @keys = map { $chooser->typed($_, int rand 3) } @types;
	($types[0], $keys[0]) = ('int4', [ 'd_k', 'd_k' ]) if $nkeys > 1 && ($from->{listed} // {})->{d_k} && chance(0.3);
	@keys = map { $types[$_] eq 'interval' ? [ $keys[$_][0], "dp_agg_internal.canonical($keys[$_][1])" ] : $keys[$_] } 0 .. $#keys;
	my @aggregates = map { $self->aggregate($from, $generator, $nkeys > 0, $params) } 1 .. ($options{scalar} ? 1 : 1 + int rand 3);
	my $where = chance(0.6) ? $chooser->typed('bool', 1 + int rand 3) : undef;
	$where = with_computed($chooser, \@types, \@keys, $where) if $nkeys == 1 && chance(0.2);
	$where = with_released($chooser, $where) if chance(0.1);
	return {
		parts => [ $from, $where, \@keys ], listing => $nkeys && $from->{listing} ? listing_text($from, $where, \@keys) : undef,
		keys => \@types, aggregates => \@aggregates, params => $params, loose => $from->{loose} || scalar(grep { $_->{loose} } @aggregates),
		dp => dp_text($from, $where, \@keys, \@aggregates, $options{arm}),
		plain => plain_text($from, $where, \@keys, \@aggregates, $self->{max_groups}), arm => $options{arm} };
}

# Keys that are computed of a column C within bounds, and these.
my %computed = (
	int4 => [ 'BETWEEN -25 AND 60', [ 'C', 'int4' ], [ 'C / 7', 'int4' ], [ 'C % 5', 'int4' ], [ 'abs(C - 3) / 2', 'int4' ], [ 'CASE WHEN C > 9 THEN 9 ELSE C / 2 END', 'int4' ], [ 'width_bucket(C, -20, 20, 6)', 'int4' ] ],
	int8 => [ 'BETWEEN -100 AND 3000', [ 'C / 500', 'int8' ], [ 'C % 3', 'int8' ] ],
	numeric => [ 'BETWEEN -50 AND 80.5', [ 'floor(C / 3)', 'numeric' ], [ 'round(C, -1)', 'numeric' ], [ 'C::int4', 'int4' ] ],
	float8 => [ 'BETWEEN -60 AND 320', [ 'floor(C / 20)', 'float8' ], [ 'width_bucket(C, -60, 320, 4)', 'int4' ], [ 'C::int4', 'int4' ] ],
	date => [ q{BETWEEN '2019-10-03' AND '2020-09-05'}, [ 'C', 'date' ], [ q{date_trunc('month', C)}, 'timestamptz' ], [ 'extract(dow FROM C)', 'numeric' ], [ q{to_char(C, 'YYYY-MM')}, 'text' ] ],
	timestamp => [ q{BETWEEN '2019-10-03 07:30' AND '2020-09-05'}, [ q{date_trunc('week', C)}, 'timestamp' ], [ 'extract(hour FROM C)', 'numeric' ], [ 'C::date', 'date' ], [ 'extract(dow FROM C) * 100 + extract(hour FROM C)', 'numeric' ] ],
	timestamptz => [ q{BETWEEN '2019-10-03 07:30+00' AND '2020-09-05 00:00+00'}, [ q{date_trunc('month', C)}, 'timestamptz' ], [ 'extract(hour FROM C)', 'numeric' ], [ 'C::date', 'date' ], [ q{date_trunc('day', C AT TIME ZONE 'Europe/Vienna')}, 'timestamp' ] ]);

# Put such a key in place of the first, and its bounds beside the condition, where there is a column for it.
sub with_computed
{
	my ($chooser, $types, $keys, $where) = @_;
	my $type = pick(grep { @{ $chooser->{columns}{$_} // [] } } sort keys %computed) or return $where;
	my $column = pick(@{ $chooser->{columns}{$type} });
	my ($bounds, @of) = @{ $computed{$type} };
	my $key = pick(@of);
	$types->[0] = $key->[1];
	$keys->[0] = [ ($key->[0] =~ s/\bC\b/$column/gr) x 2 ];
	return $where ? [ map { "($_) AND $column $bounds" } @$where ] : [ ("$column $bounds") x 2 ];
}

# A condition and one besides that compares with what another block releases, as a value or a list: a constant, since the
# median there is multiplied by nothing.
sub with_released
{
	my ($chooser, $where) = @_;

	# Of constants alone all of WHERE would be read after the charge, with the errors of its functions.
	my $columns = join '|', map { quotemeta } @{ $chooser->{columns}{int4} // [] };
	my ($value) = grep { $columns && $_->[0] =~ /$columns/ } map { $chooser->typed('int4', int rand 2) } 1 .. 9;
	return $where unless $value;
	my $constant = pick(-1, 0, 3, 50);
	my $compare = pick('>', '<=', '<>');
	my $released = "$constant + 0 * dp_median(id, 0, 1000) AS n FROM people";
	my @released = pick(
		[ "$compare (SELECT $released)", "$compare $constant" ], [ "IN (SELECT $released)", "= $constant" ],
		[ "NOT IN (SELECT n FROM (SELECT $released) r)", "<> $constant" ])->@*;
	my @own = map { "($value->[$_]) $released[$_]" } 0, 1;
	return $where ? [ map { "($where->[$_]) AND $own[$_]" } 0, 1 ] : \@own;
}

# GROUP BY in one of its spellings; of a table with a primary key or not.
sub grouping
{
	my ($keys, $arm, $keyed) = @_;
	my $shift = defined $arm ? 1 : 0;

	# What a primary key determines may be left out.
	my $determined = $keyed && $keys->[0][0] eq 'd_k' && chance(0.7);
	return join ', ', map {
		my $key = $keys->[ $_ - 1 ][0];
		my $way = int rand 3;
		$way == 0 && $key =~ /\D/ && $key !~ /^\$/ && $key =~ /[(.]|^"|^[a-z]/i && $key !~ /^(?:E'|NULL)/ ? $key : $way == 1 ? "key$_" : $_ + $shift
	} grep { !($determined && $_ > 1 && $keys->[ $_ - 1 ][0] =~ /^d_\w+$/) } 1 .. @$keys;
}

sub dp_text
{
	my ($from, $where, $keys, $aggregates, $arm) = @_;
	my @list = map { "$keys->[$_ - 1][0] AS key$_" } 1 .. @$keys;
	unshift @list, "$arm AS arm" if defined $arm;
	push @list, map {
		my $text = $aggregates->[ $_ - 1 ]{dp};
		$text = pick("$text + 0", "-(-($text))", "($text)") if chance(0.1);
		"$text AS agg$_"
	} 1 .. @$aggregates;
	my $text = ($from->{with_dp} // '') . 'SELECT ' . join(', ', @list) . " FROM $from->{dp}" . ($where ? " WHERE $where->[0]" : '');
	$text .= ' GROUP BY ' . grouping($keys, $arm, $from->{dp} !~ /FROM w_place/) if @$keys;
	$text .= " HAVING $aggregates->[0]{dp} IS NOT NULL OR true" if chance(0.1);
	return $text;
}

# The keys that public tables list, as the owner reads them.
sub listing_text
{
	my ($from, $where, $keys) = @_;
	return 'SELECT DISTINCT ' . join(', ', map { $_->[1] } @$keys) . " FROM $from->{listing}" . ($where ? " WHERE $where->[1]" : '');
}

# What each unit holds in each group: the keys, the unit, and other columns.
sub held_text
{
	my ($from, $where, $keys, @columns) = @_;
	my $unit = defined $from->{alias} ? "$from->{alias}.$from->{unit}" : $from->{unit};
	my $condition = "$unit IS NOT NULL" . ($where ? " AND $where->[1]" : '');
	return 'SELECT ' . join(', ', (map { "$keys->[$_ - 1][1] AS k$_" } 1 .. @$keys), "$unit AS unit_of", @columns)
	  . " FROM $from->{plain} WHERE $condition GROUP BY " . join ', ', 1 .. @$keys + 1;
}

# Each unit holds at most max_groups groups, of which a comparison needs all.
sub plain_text
{
	my ($from, $where, $keys, $aggregates, $max_groups) = @_;
	my (@inner, @outer);
	for my $n (1 .. @$aggregates)
	{
		my $aggregate = $aggregates->[ $n - 1 ];
		push @inner, "$aggregate->{inner} AS v$n";
		push @inner, ($aggregate->{wild} // 'false') . " AS x$n", ($aggregate->{weight} // '1') . " AS w$n";
		my $value = "COALESCE(sum(v$n), 0)";
		$value = "'$aggregate->{low}'::numeric + sum(v$n) / NULLIF(sum(w$n), 0)" if $aggregate->{mean};
		$value = $aggregate->{outer} =~ s/\b([vw])N\b/$1$n/gr if $aggregate->{outer};
		push @outer, $value, "bool_or(x$n)", "COALESCE(sum(w$n), 0)";
	}
	my @names = map { "k$_" } 1 .. @$keys;
	my $text = ($from->{with_plain} // '') . 'SELECT ' . join(', ', @names, 'count(*)', @outer)
	  . ' FROM (SELECT *, row_number() OVER (PARTITION BY unit_of) AS place FROM (' . held_text($from, $where, $keys, @inner)
	  . ") held) twin WHERE place <= $max_groups";
	$text .= ' GROUP BY ' . join ', ', @names if @$keys;
	return $text;
}

1;
