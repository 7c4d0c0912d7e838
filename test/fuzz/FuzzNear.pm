# What one unit may change: two releases of the same block, of databases that differ
# by a unit, held against the sensitivity that was stated.
#
# Noise.  With a release's k terms of both databases together, of scale b (Laplace) or
# standard deviation s (Gaussian), in the norm in which sensitivity is stated:
#
#	Laplace, L1: E exp(|X| / 2b) <= 2, discrete or not, so that the sum exceeds
#		2b (k ln 2 + 50) with probability at most exp(-50);
#	Gaussian, L2: E exp(X^2 / 4s^2) <= sqrt(2), the discrete one being sub-Gaussian, so
#		that the sum of squares exceeds 4s^2 (k/2 ln 2 + 50) with probability at most exp(-50);
#		the norm of differences is at most sqrt(2) times that of all terms.
#
# Of a selection, of at most e^12 alternatives: one that is 60 scales behind the best is
# taken with probability at most exp(-48).  Fewer than 10^8 comparisons: together below 1e-12.
package FuzzNear;

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(max min sum0);

our @EXPORT_OK = qw(parts_of norm reach compare_values compare_directions selection_reach);

# The integers in the totals that a release left, as pairs of unsigned halves of 128 bits: none where it is NULL.
sub parts_of
{
	my ($hex) = @_;
	return [] if $hex eq '';
	my @halves = unpack 'x4 Q*', pack 'H*', $hex;
	return [ map { [ @halves[ 2 * $_, 2 * $_ + 1 ] ] } 0 .. @halves / 2 - 1 ];
}

# The absolute difference of two of them, to a double's precision.
sub distance
{
	my ($x, $y) = @_;
	my ($low, $high);
	($x, $y) = ($y, $x) if ($y->[1] ^ 1 << 63) > ($x->[1] ^ 1 << 63) || ($x->[1] == $y->[1] && $y->[0] > $x->[0]);
	{
		use integer;
		$low = $x->[0] - $y->[0];
		$high = $x->[1] - $y->[1];
	}
	$high = ($high & ~0) - ($y->[0] > $x->[0] ? 1 : 0);
	return ($high & ~0) * 2**64 + ($low & ~0);
}

# In L1 for Laplace noise, in L2 for Gaussian.
sub norm
{
	my ($gaussian, @changes) = @_;
	return $gaussian ? sqrt(sum0(map { $_**2 } @changes)) : sum0(map { abs } @changes);
}

# Scale or standard deviation of a noise term of the ledger, in its grid units.
sub scale_of
{
	my ($noise) = @_;
	return $noise->{sigma} // $noise->{scale_num} / $noise->{scale_den};
}

# How far noise carries the norm of the differences of this many numbers.
sub reach
{
	my ($noise, $numbers) = @_;
	my $scale = scale_of($noise);
	return 0 if $numbers == 0;
	return 2 * $scale * (2 * $numbers * log(2) + 50) unless exists $noise->{sigma};
	return sqrt(2) * 2 * $scale * sqrt($numbers * log(2) + 50);
}

# The same for what a release is made of.  The estimates of a tree's leaves are least-squares ones, each no less certain
# than the leaf's own count: a combination of the noise of all nodes, of which there are
# less than three for a leaf, with coefficients of norm 1 at most; so each is off by their norm at most.
sub reach_of
{
	my ($release, $noise, $numbers) = @_;
	return reach($noise, $numbers) unless $release->{kind} eq 'tree';
	return $numbers * reach($noise, 3 * $release->{leaves});
}

# How far the alternative that was drawn may be behind.
sub selection_reach
{
	my ($noise) = @_;
	return 60 * scale_of($noise) * 2**$noise->{grid};
}

# What of a release is held against which of its noise terms: parts that share one, and
# whether it is the answer itself that is looked at.
sub pieces
{
	my ($release, $row, $n) = @_;
	return { noise => $release->{noise}[0], at => [0], visible => 1 } if $release->{kind} =~ /^(?:count|tree)$/;
	my $parts = @{ $row->{parts}[$n] };
	return map { { noise => $release->{noise}[$_], at => [$_] } } 0, 1 if $release->{kind} eq 'mean' && $release->{gaussian};
	return ({ noise => $release->{noise}[0], at => [ 0 .. $parts - 1 ] }, $release->{kind} eq 'sum' ? { noise => $release->{noise}[0], at => [0], visible => 1 } : ());
}

# What rounding of the value itself adds to its difference, in the grid's units: of a count
# on a finer grid a half each time, of a sum its digits.
sub rounding
{
	my ($release, $piece, @values) = @_;
	return 0 unless $piece->{visible};
	my $unit = 2**$piece->{noise}{grid};
	return scale_of($piece->{noise}) * $unit * 20 < 0.5 && $unit <= 1 ? 0 : max(1, $unit) / $unit if $release->{kind} eq 'count';
	return 1e-6 / $unit if $release->{kind} eq 'tree';
	return 2 + ($release->{integer} ? 1 / $unit : 0) + 1e-12 * max(map { abs } @values) / $unit;
}

# The changes of a piece in a group, in grid units, and the rounding among them.
sub changes
{
	my ($release, $piece, $n, $x, $y) = @_;
	return ([ map { distance($x->{parts}[$n][$_], $y->{parts}[$n][$_]) } @{ $piece->{at} } ], 0) unless $piece->{visible};
	my @values = map { $_->{values}[$n] } $x, $y;
	return ([ abs($values[0] - $values[1]) / 2**$piece->{noise}{grid} ], rounding($release, $piece, @values));
}

# Is the n-th aggregate of all these rows told, in totals or not?
sub has_totals
{
	my ($n, @rows) = @_;
	return !grep { $_->{parts}[$n] && !@{ $_->{parts}[$n] } } @rows;
}

# A total that shares noise is moved by a unit away from 0 alone: so it is in the database with one unit less nowhere farther off than
# in the one with one more.  Returns what is wrong.
sub compare_directions
{
	my ($release, $n, $less, $more) = @_;
	for my $key (grep { $more->{$_} && defined $less->{$_}{values}[$n] && defined $more->{$_}{values}[$n] } keys %$less)
	{
		my @values = map { $_->{$key}{values}[$n] } $less, $more;
		my ($noise) = @{ $release->{noise} };
		my $fall = (abs($values[0]) - abs($values[1])) / 2**$noise->{grid};
		return "group '$key' falls by $fall where a unit comes"
		  if $fall > reach_of($release, $noise, 1) + rounding($release, { noise => $noise, visible => 1 }, @values);
	}
	return '';
}

# Hold the n-th aggregate of two answers against what was stated.  `$allowed`: groups that the
# unit is in, or nothing if that is not known; `$most`: in how many it counts.  Returns what
# is wrong, and the share of what is allowed that was reached.
sub compare_values
{
	my ($release, $n, $first, $second, $allowed, $most) = @_;
	my @keys = grep { has_totals($n, $first->{$_}, $second->{$_}) } grep { $second->{$_} } keys %$first or return ('', 0);
	my $gaussian = $release->{gaussian};
	my $reached = 0;
	for my $piece (pieces($release, $first->{ $keys[0] }, $n))
	{
		my ($stated, $noise) = (stated($release, $piece), $piece->{noise});
		my (@all, @strangers, $rounded, %moved);
		for my $key (@keys)
		{
			my ($changes, $rounding) = changes($release, $piece, $n, $first->{$key}, $second->{$key});
			my $change = norm($gaussian, @$changes);
			$rounded += $rounding;
			push @all, @$changes;
			push @strangers, @$changes if $allowed && !$allowed->{$key};
			$moved{$key} = 1 if $change > reach_of($release, $noise, scalar @$changes) + $rounding;
			return ("group '$key' moves by $change of $stated", 0) if $change > $stated + reach_of($release, $noise, scalar @$changes) + $rounding;
		}
		my $whole = norm($gaussian, ($stated) x ($release->{kind} eq 'tree' ? min($most, 1) : $most));
		my $change = norm($gaussian, @all);
		return ('groups that the unit is not in move by ' . norm($gaussian, @strangers), 0)
		  if norm($gaussian, @strangers) > reach_of($release, $noise, scalar @strangers) + $rounded;
		return (keys(%moved) . " groups of $most move: " . join(' ', map { "'$_'" } sort keys %moved), 0) if keys %moved > $most;
		return ("together they move by $change of $whole", 0) if $change > $whole + reach_of($release, $noise, scalar @all) + $rounded;
		$reached = max($reached, $change / $whole) if reach_of($release, $noise, scalar @all) + $rounded < 0.1 * $whole;
	}
	return ('', $reached);
}

# The sensitivity that is stated of a piece, in grid units: that of EXPLAIN, which has six
# digits, for an answer, and for parts the ledger's, which is EXPLAIN's.
sub stated
{
	my ($release, $piece) = @_;
	return $release->{stated} * (1 + 1e-5) / 2**$piece->{noise}{grid} if $piece->{visible};
	return $piece->{noise}{sensitivity};
}

1;
