# Passes of dp_logregr and dp_svm for FuzzModels: what one unit may change of the totals of each of them.
#
# Weights of a pass are made of what was released before.  In neighbouring databases that differs, and so do
# weights and all totals by them.  Sensitivity is stated of totals at the same weights.  These come from the answer
# itself: it is cut off before a pass, and the function that fits coefficients to it says with which weights the
# pass began.  At these the owner adds up the totals of the neighbour's rows, by arithmetic of his own.
#
# Beside noise there is what coordinates and slopes are rounded by: 1 / G each, of which the score is off by
# the sum of the weights of numbers.
package FuzzPasses;

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(max min sum0);

use FuzzNear qw(parts_of norm reach);

our @EXPORT_OK = qw(weights_query rows_query compare_passes);

# Units of a coordinate, and what about a model is told of: where it says how many passes there are.
use constant {
	G => 2**14,
	PASSES_AT => 297
};

# Totals of a case's answer, noisy; how many of these are not of a pass.
sub told_parts
{
	my ($answer) = @_;
	return map { @{ parts_of($_) } } map { @$_ } @{ $answer->{told} };
}

sub before_passes
{
	my ($case, @parts) = @_;
	return @parts - $case->{passes} * ($case->{coordinates} + 2);
}

# With which weights of coordinates each pass of an answer began: a row for each.
sub weights_query
{
	my ($case, $answer) = @_;
	my $first = before_passes($case, told_parts($answer));
	my $totals = join '', map { @$_ } @{ $answer->{told} };
	my $terms = join ', ', ("'x'") x $case->{coordinates};
	my $scale = join ', ', ('0, 1') x ($case->{coordinates} + 1);
	my $at = PASSES_AT;
	return "SELECT (SELECT array_to_string(array_agg(coef), ' ') FROM dp_agg_internal.$case->{fit}(try.released_model(substring('\\x$totals'::bytea FROM 1 FOR 4 + 16 * ($first + pass * ($case->{coordinates} + 2))), "
	  . "overlay('\\x$answer->{about}'::bytea PLACING decode(lpad(to_hex(pass), 2, '0') || '000000', 'hex') FROM $at)), ARRAY[$terms], ARRAY[$scale]::float8[])) FROM generate_series(0, $case->{passes} - 1) pass ORDER BY pass";
}

# The rows that count, of units with so many at most: what each weighs, y, and coordinates.
sub rows_query
{
	my ($rows, $y, @coordinates) = @_;
	my $known = join ' AND ', map { "($_) IS NOT NULL" } $y, @coordinates;
	return "SELECT CASE WHEN r <= $rows THEN 1 ELSE floor(65536.0 * $rows / r) / 65536 END, " . join(', ', "CASE WHEN $y THEN 1 ELSE -1 END", @coordinates)
	  . " FROM (SELECT *, count(*) OVER (PARTITION BY b_u) AS r FROM w_base WHERE b_u IS NOT NULL AND $known) n";
}

# A row's slope and curvature by its score, and by how much they may be off if the score is off by so much.
sub logistic_slope
{
	my ($y, $z, $off) = @_;
	my $p = 1 / (1 + exp(-$z));
	return ($p - ($y > 0), 2 * $p * (1 - $p), $off / 4 + 2 / G, $off / 2 + 5 / G);
}

sub hinge_slope
{
	my ($y, $z, $off) = @_;
	my $inside = 1.5 - $y * $z;
	my $far = min(abs $inside, abs($inside - 1)) > 2 * $off + 2 / G;
	return (-$y * max(0, min(1, $inside)), $inside > 0 && $inside < 1 ? 0.5 : 0, $off + 2 / G, $far ? 0 : 0.5);
}

# Totals of a pass at these weights, and by how much the server's may differ from them, all together.
sub totals_at
{
	my ($case, $rows, @weight) = @_;
	my @total = (0) x (@weight + 1);
	my $off = sum0(map { abs $weight[$_] } grep { $case->{numbers}[ $_ - 1 ] } 1 .. $#weight) / G;
	my $slack = 0;
	for my $row (@$rows)
	{
		my ($weighs, $y, @x) = ($row->[0], $row->[1], 1, @$row[ 2 .. $#$row ]);
		my $z = sum0(map { $weight[$_] * $x[$_] } 0 .. $#weight);
		my ($slope, $curvature, $slope_off, $curvature_off) = $case->{fit} eq 'svm_fit' ? hinge_slope($y, $z, $off) : logistic_slope($y, $z, $off);
		$total[$_] += $weighs * $slope * $x[$_] for 0 .. $#weight;
		$total[-1] += $weighs * $curvature;
		$slack += $weighs * (@weight * ($slope_off + 1 / G) + $curvature_off);
	}
	return ($slack, @total);
}

# A noisy total as a number.
sub number_of
{
	my ($part) = @_;
	my $high = unpack 'q', pack 'Q', $part->[1];
	return $high * 2**64 + $part->[0];
}

# Hold the passes of an answer, and those that the owner finds by its weights, against the noise: those of the
# same rows, and those of rows that differ by a unit.  Returns what is wrong, and the share of what is allowed that was reached.
sub compare_at
{
	my ($case, $answer, $other, $some) = @_;
	my $noise = $case->{ledger}[1]{noise}[0];
	my $unit = 2**$noise->{grid};
	my $size = $case->{coordinates} + 2;
	my @parts = told_parts($answer);
	my @passes = splice @parts, before_passes($case, @parts);
	my $most = 0;
	for my $pass (0 .. $case->{passes} - 1)
	{
		my @weight = split / /, $answer->{weights}[$pass][0];
		my @noisy = map { number_of($_) * $unit } splice @passes, 0, $size;
		for my $asked ([ $answer, 0, 'by itself' ], [ $other, $some, 'of a neighbour' ])
		{
			my ($of, $differs, $name) = @$asked;
			my ($slack, @owners) = totals_at($case, $of->{counts}, @weight);
			my $change = norm(exists $noise->{sigma}, map { $noisy[$_] - $owners[$_] } 0 .. $size - 1);
			my $stated = $noise->{sensitivity} * $unit;
			my $reach = (reach($noise, $size) + $size) * $unit + $slack;
			return ("pass $pass $name: totals move by $change of " . $differs * $stated, 0) if $change > $differs * $stated + $reach;
			$most = max($most, $change / $stated) if $reach < 0.1 * $stated;
		}
	}
	return ('', $most);
}

# Passes of two answers.
sub compare_passes
{
	my ($case, $first, $second, $some) = @_;
	my $reached = 0;
	for my $pair ([ $first, $second ], [ $second, $first ])
	{
		my ($why, $most) = compare_at($case, @$pair, $some);
		return ($why, 0) if $why;
		$reached = max($reached, $most);
	}
	return ('', $reached);
}

1;
