# Models, choices among models and synthetic rows of a world's table of rows, for neighbours.pl: cases, and
# what one unit may change of their answers.
#
# Of a regression, the totals that its answer is made of move together by no more than the sensitivity that was
# charged, in the norm of the noise.  So do those of each pass of a classifier, at the same weights (FuzzPasses).
#
# Of a choice, the owner adds up what each candidate loses, by SQL of his own.  Before and after, what is chosen is
# among the best there, as near as noise allows; and these losses, at the scale that was charged, make a law whose log
# probabilities move by no more than the epsilon that was charged.
#
# Of synthetic rows of two columns, how many are in each pair of cells moves by no more than the rows of a unit
# that count, all cells together.  Beside noise there is what rows are rounded by: a row for each cell, and one for each
# cell of a column.  Rare cells share their rows: these have less than three standard deviations each.
package FuzzModels;

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(max min sum0);

use FuzzExpr qw(pick chance);
use FuzzNear qw(parts_of norm reach selection_reach);
use FuzzPasses qw(rows_query compare_passes);

our @EXPORT_OK = qw(model_case compare_model compare_law compare_synthesis);

# How many standard deviations of noise a cell is allowed, of each of its two noise terms: three for noise, of which nine and
# more together exceed that with a probability below exp(-34), and three if it is rare.
use constant REACH => 6;

# Columns by name: as written in json, and coordinates of a row in SQL, each NULL where the row does not count.
my %COLUMNS = (
	b_i => [ '[-20, 20]', 'CASE WHEN b_i IS NOT NULL THEN least(greatest(b_i::float8, -20), 20) / 20 END' ],
	b_d => [ '[-50, 250]', q{CASE WHEN b_d <> 'NaN' THEN (least(greatest(b_d, -50), 250) - 100) / 150 END} ],
	b_n => [ '[0, 100]', q{CASE WHEN b_n <> 'NaN' THEN (least(greatest(b_n, 0), 100)::float8 - 50) / 50 END} ],
	b_b => [ 'true', '(CASE WHEN b_b THEN 1 WHEN NOT b_b THEN -1 END)' ],
	b_e => [ 'true', "(b_e = 'ok')::int", "(b_e = 'happy')::int" ],
	b_t => [ '["Lyon", "Paris", "Oslo"]', "CASE WHEN b_t IN ('Lyon', 'Paris', 'Oslo') THEN (b_t = 'Paris')::int END", "CASE WHEN b_t IN ('Lyon', 'Paris', 'Oslo') THEN (b_t = 'Oslo')::int END" ]);

# Cells of synthesis: a column as written, its type, and its cell in SQL.
my %CELLS = (
	b_i => [ '[-20, 20, 2]', 'int4', 'b_i >= 0', 3 ],
	b_d => [ '[-50, 250, 2]', 'float8', 'b_d >= 100', 3 ],
	b_b => [ 'true', 'bool', 'b_b', 3 ],
	b_e => [ 'true', 'mood', 'b_e', 4 ],
	b_t => [ '["Lyon", "nowhere else"]', 'text', 'b_t', 3 ],
	b_s => [ '["0", "32767"]', 'int2', 'b_s', 3 ]);

sub some_of
{
	my ($most, @names) = @_;
	my @some = sort { $a->[0] <=> $b->[0] } map { [ rand, $_ ] } @names;
	return map { $_->[1] } @some[ 0 .. min($most, scalar @some) - 1 ];
}

sub quoted
{
	my ($text) = @_;
	return "'" . $text =~ s/'/''/gr . "'";
}

sub json_of
{
	my ($of, @names) = @_;
	return quoted('{' . join(', ', map { qq("$_": $of->{$_}[0]) } @names) . '}');
}

sub regression_case
{
	my @names = some_of(1 + int rand 4, grep { $_ ne 'b_i' } sort keys %COLUMNS);
	return {
		shape => 'regression', model => 1,
		sql => 'SELECT term, shrunk IS NULL AS none FROM ' . "dp_linregr('w_base', 'b_i', -20, 20, " . json_of(\%COLUMNS, @names) . ')' };
}

# Which coordinates are numbers.
my %NUMBERS = map { $_ => 1 } qw(b_i b_d b_n);

# A classifier with passes.
sub passes_case
{
	my ($rows) = @_;
	my %conditions = (b_b => 'b_b', b_i => 'b_i > 0', b_d => 'b_d < 100', b_t => "b_t = 'Lyon'", b_e => "b_e <> 'ok'");
	my $of = pick(sort keys %conditions);
	my $y = $conditions{$of};
	my @names = some_of(1 + int rand 3, grep { $_ ne $of } sort keys %COLUMNS);
	my @coordinates = map { my (undef, @of) = @{ $COLUMNS{$_} }; @of } @names;
	my ($function, $fit) = @{ pick([ 'dp_logregr', 'logistic_fit' ], [ 'dp_svm', 'svm_fit' ]) };
	my $passes = 1 + int rand 3;
	return {
		shape => 'passes', model => 1, passes => $passes, fit => $fit, coordinates => scalar @coordinates,
		numbers => [ map { my (undef, @of) = @{ $COLUMNS{$_} }; ($NUMBERS{$_}) x @of } @names ],
		sql => "SELECT term, coef IS NULL AS none FROM $function('w_base', ${\ quoted($y) }, ${\ json_of(\%COLUMNS, @names) }, $passes)", counts => rows_query($rows, $y, @coordinates) };
}

# What a row loses by a number z, and the condition or number that is foretold.
my %LOSSES = (
	logistic => 'CASE WHEN y * z > 30 THEN exp(-y * z) WHEN y * z < -30 THEN -y * z ELSE ln(1 + exp(-y * z)) END', hinge => 'greatest(0, 1 - y * z)',
	squared => '(y - z) ^ 2', absolute => 'abs(y - z)');

# A choice among linear models.
sub linear_case
{
	my ($rows) = @_;
	my $loss = pick(sort keys %LOSSES);
	my $bound = pick(1, 4, 8);
	my $number = $loss =~ /squared|absolute/;
	my @names = some_of(1 + int rand 2, grep { $_ ne ($number ? 'b_i' : 'b_b') } sort keys %COLUMNS);
	my @coordinates = map { my (undef, @of) = @{ $COLUMNS{$_} }; @of } @names;
	my @models = map { [ map { (int rand 9) - 4 } 0 .. @coordinates ] } 1 .. 2 + int rand 5;
	my $models = 'ARRAY[' . join(', ', map { '[' . join(', ', @$_) . ']' } @models) . ']';
	my $y = $number ? 'b_i::float8' : "(CASE WHEN b_b THEN 1 WHEN NOT b_b THEN -1 END)";
	my $cut = $number ? "greatest(-1024 * $bound, least(1024 * $bound, b_i::float8))" : $y;
	my $known = join ' AND ', map { "$_ IS NOT NULL" } $y, @coordinates;
	my @sums = map { my $m = $models[$_]; 'SELECT ' . ($_ + 1) . ' AS c, ' . join(' + ', $m->[0], map { "$m->[$_] * ($coordinates[$_ - 1])" } 1 .. $#$m) . " AS z, $cut AS y, w FROM counted" } 0 .. $#models;
	return {
		shape => 'linear models', selection => 1, law => 1, candidates => scalar @models, inexact => 1e-3 * $bound, unit => $bound,
		sql => sprintf(q{SELECT "position" FROM dp_select_model('w_base', '%s', %s, %s, '%s', %d)}, $number ? 'b_i' : 'b_b', json_of(\%COLUMNS, @names), $models, $loss, $bound),
		counts => "WITH counted AS (SELECT *, CASE WHEN r <= $rows THEN 1 ELSE floor(65536.0 * $rows / r) / 65536 END AS w FROM (SELECT *, count(*) OVER (PARTITION BY b_u) AS r FROM w_base WHERE b_u IS NOT NULL AND $known) n), "
		  . 'l AS (' . join(' UNION ALL ', @sums) . ") SELECT n, COALESCE((SELECT -sum(w * least($bound, $LOSSES{$loss})) FROM l WHERE c = n), 0), COALESCE((SELECT sum(w) FROM counted), 0) FROM generate_series(1, ${\ scalar @models}) n" };
}

# A choice among conditions.
sub condition_case
{
	my ($rows) = @_;
	my @all = ('b_i > 5', 'b_b', 'b_d < 0', 'b_s IS NOT NULL', 'b_l > 0', "b_t = 'Lyon'", 'b_i > b_s', 'NULL::bool');
	my $y = pick(@all[ 0 .. 5 ]);
	my @candidates = map { pick(@all) } 1 .. 2 + int rand 4;
	my $errors = sub { "SELECT sum(least(n, $rows)) FROM (SELECT count(*) AS n FROM w_base WHERE b_u IS NOT NULL AND ($y) <> COALESCE($_[0], false) GROUP BY b_u) s" };
	return {
		shape => 'conditions', selection => 1, law => 1, candidates => scalar @candidates, inexact => 0, unit => 1,
		sql => qq{SELECT "position" FROM dp_select_model('w_base', ${\ quoted($y) }, ARRAY[${\ join(', ', map { quoted($_) } @candidates) }])},
		counts => join(' UNION ALL ', map { 'SELECT ' . ($_ + 1) . ', -COALESCE((' . $errors->($candidates[$_]) . '), 0), 0' } 0 .. $#candidates) };
}

sub synthesis_case
{
	my @names = some_of(2, sort keys %CELLS);
	my @columns = map { $CELLS{$_} } @names;
	my $list = join ', ', map { "$names[$_] $columns[$_][1]" } 0, 1;
	return {
		shape => 'synthesis', synthesis => 1, cells => [ map { $_->[3] } @columns ],
		sql => "SELECT json_build_array($columns[0][2], $columns[1][2]), count(*) FROM dp_synthesize('w_base', ${\ json_of(\%CELLS, @names) }) AS ($list) GROUP BY $columns[0][2], $columns[1][2]" };
}

# A case; `rows`: how many rows of a unit count.
sub model_case
{
	my ($unique, $rows) = @_;
	my $way = rand;
	my $case = $way < 0.25 ? regression_case() : $way < 0.45 ? passes_case($rows) : $way < 0.6 ? linear_case($rows) : $way < 0.75 ? condition_case($rows) : synthesis_case();
	return { %$case, keys => [], kinds => [], limit => 10, unique => $unique };
}

# Totals that two models are made of, and their passes; `some`: does a unit differ at all?  Returns what is wrong, and
# the share of what is allowed that was reached, of passes if there are any.
sub compare_model
{
	my ($case, $first, $second, $some) = @_;
	my $noise = $case->{ledger}[0]{noise}[0];
	my $totals = $case->{ledger}[0]{totals};
	my $all = $totals + ($case->{passes} // 0) * (($case->{coordinates} // 0) + 2);
	my ($one, $other) = map { [ map { @{ parts_of($_) } } map { @$_ } @{ $_->{told} } ] } $first, $second;
	return ('totals of ' . @$one . ' and ' . @$other . ", $all are in the ledger", 0) if grep { @$_ != $all } $one, $other;
	my $change = norm(exists $noise->{sigma}, map { FuzzNear::distance($one->[$_], $other->[$_]) } 0 .. $totals - 1);
	my $reach = reach($noise, $totals);
	return ("totals move by $change of $noise->{sensitivity}", 0) if $change > $some * $noise->{sensitivity} + $reach;
	return compare_passes($case, $first, $second, $some) if $case->{passes};
	return ('', $reach < 0.1 * $noise->{sensitivity} ? $change / $noise->{sensitivity} : 0);
}

# The logarithm of a sum of exponentials.
sub log_sum
{
	my $most = max(@_);
	return $most + log sum0(map { exp($_ - $most) } @_);
}

# The laws by which two databases' owners say that candidates are drawn.
sub compare_law
{
	my ($case, $first, $second, $some) = @_;
	my ($release) = @{ $case->{ledger} };
	my $noise = $release->{noise}[0];
	# Ledgers have a scale for scores that move both ways, of which these are half, in units of the bound.
	my $scale = FuzzNear::scale_of($noise) * 2**$noise->{grid} * $case->{unit};
	my $inexact = $case->{inexact} * (2 + max(map { $_->[2] } @{ $first->{counts} }, @{ $second->{counts} }));
	my @laws;
	for my $counts (map { $_->{counts} } $first, $second)
	{
		my @of = map { $_->[1] / $scale } sort { $a->[0] <=> $b->[0] } @$counts;
		my $all = log_sum(@of);
		push @laws, [ map { $_ - $all } @of ];
	}
	my $loss = max(map { abs($laws[0][$_] - $laws[1][$_]) } 0 .. $case->{candidates} - 1);
	return ("log probabilities move by $loss of $release->{epsilon}", 0) if $loss > ($some * $release->{epsilon} + 2 * $inexact / $scale) * (1 + 1e-6);
	return ('', $inexact * 10 < $scale * $release->{epsilon} ? $loss / $release->{epsilon} : 0);
}

# How many synthetic rows are in each pair of cells.
sub compare_synthesis
{
	my ($case, $first, $second, $some) = @_;
	my ($pair, $margin) = map { $_->{sigma} * 2**$_->{grid} } @{ $case->{ledger}[0]{noise} };
	my $rows = $case->{ledger}[0]{noise}[0]{sensitivity} * 2**$case->{ledger}[0]{noise}[0]{grid};
	my ($one, $other) = @{ $case->{cells} };
	my ($cells, $sides) = ($one * $other, $one + $other);
	my $slack = 2 * ($cells + $sides + 1 + REACH * $cells * ($pair + $margin));
	my %count;
	$count{ $_->[0] } += $_->[1] for @{ $first->{table} };
	$count{ $_->[0] } -= $_->[1] for @{ $second->{table} };
	my $change = sum0(map { abs } values %count);
	return ("numbers of rows move by $change, $rows and $slack for noise and rounding are allowed", 0) if $change > $some * $rows + $slack;
	return ('', $slack < 0.5 * $rows ? $change / $rows : 0);
}

1;
