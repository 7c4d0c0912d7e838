# Compares an answer of large loss with what its twin computes without noise.
package FuzzTwin;

use strict;
use warnings;

use Exporter 'import';
use Math::BigInt;
use Time::HiRes qw(time);

use FuzzRoute qw(renumber);

our @EXPORT_OK = qw(copied_rows difference twin);

# Time spent on twins.
our $seconds = 0;

# How many values of each function were compared.
our %compared;

# Noise of scale b stays within this many b, but for a probability of exp(-70).
use constant FAR => 70;

# Gaussian noise at a loss of 5e5 or more and a delta of 1e-18: its standard
# deviation is below this many sensitivities; a mean's two parts included.
use constant GAUSSIAN => 0.004;

# Equal values of a key's type in one form.
sub normal
{
	my ($value, $type) = @_;
	return '~' unless defined $value;
	return length_of($value) if $type eq 'interval';
	return $value unless $type =~ /^(?:numeric|float)/;
	return $value if $value =~ /[a-z]/i && $value !~ /e[+-]?\d/i;
	return $value + 0 if $type =~ /float/ && $value == 0;
	return $value =~ s/^-?0(?:\.0*)?$/0/r if $type =~ /float/ || $value !~ /\./;
	return $value =~ s/\.?0+$//r =~ s/^-0?$/0/r;
}

# An interval as PostgreSQL compares it: days and microseconds.
sub length_of
{
	my ($value) = @_;
	return $value if $value =~ /infinity/;
	my %days = (year => 360, mon => 30, day => 1);
	my $days = Math::BigInt->new(0);
	$days += Math::BigInt->new($1) * $days{$2} while $value =~ /([-+]?\d+) (year|mon|day)s?/g;
	my $time = Math::BigInt->new(0);
	if ($value =~ /([-+]?)(\d+):(\d+):(\d+)(?:\.(\d+))?/)
	{
		$time = (Math::BigInt->new($2) * 3600 + $3 * 60 + $4) * 1000000 + substr(($5 // '') . '000000', 0, 6);
		$time = -$time if $1 eq '-';
	}
	return 'P' . ($days * 86400000000 + $time)->bstr;
}

# The lines of a COPY in text format, as rows.
sub copied_rows
{
	my ($text) = @_;
	my %escape = (n => "\n", t => "\t", r => "\r", b => "\b", f => "\f", v => "\x0b", '\\' => '\\');
	return map {
		[ map { $_ eq '\\N' ? undef : s/\\(.)/$escape{$1}/gr } split /\t/, $_, -1 ]
	} split /\n/, $text;
}

# The same of what is made of moments.  A share of the widths of the bounds, to first
# order in the noise; quotients by a variance have one of 2 % of the width at least.
sub moments_tolerance
{
	my ($aggregate, $twin, $weight, $mechanism, $noise) = @_;
	return if !defined $twin || $weight < 2;
	return if $mechanism eq 'gaussian' && $weight < 200;
	my $share = 4 * $noise / $weight + 1e-5;
	return if $aggregate->{ratio} && $share > 1e-3;
	$share *= 225 if $aggregate->{ratio};
	return abs($aggregate->{width}) * ($aggregate->{root} ? sqrt $share : $share) + 1e-9;
}

# How far a value may lie from the twin's, or nothing if that cannot be said.
sub tolerance
{
	my ($aggregate, $twin, $wild, $weight, $units, $mechanism) = @_;
	my $noise = FAR * $aggregate->{noise};
	$noise = FAR * GAUSSIAN * $aggregate->{noise} * 1e6 if $mechanism eq 'gaussian';
	return moments_tolerance($aggregate, $twin, $weight, $mechanism, $noise) if exists $aggregate->{width};
	my $rounding = 1e-9 * (1 + ($aggregate->{size} // 1)) * ($aggregate->{mean} ? 1 : 1 + $units);
	return if $wild eq 't';
	if ($aggregate->{mean})
	{
		return if !defined $twin || $weight < 1;
		# Both parts of a mean are noisy, and it is divided by a noisy number of rows.
		my $relative = 4 * $noise / $weight;
		return if $mechanism eq 'gaussian' && $weight < 200;
		return $relative + $rounding;
	}
	return 0 if $aggregate->{whole} && $noise < 0.5 && ($aggregate->{size} // 1) < 1e15;
	return $noise + $rounding;
}

# The keys that public tables list, if they do; nothing if they cannot be read.
sub listed_keys
{
	my ($server, $block) = @_;
	return {} unless $block->{listing};
	my $answer = $server->{seer}->query($block->{listing});
	return if $answer->{error};
	my @types = @{ $block->{keys} };
	return { map { my $row = $_; (join('|', map { normal($row->[$_], $types[$_]) } 0 .. $#types) => 1) } @{ $answer->{rows} } };
}

# Are all groups of a block answered, as EXPLAIN has it, whether they have units or not?
sub has_public_keys
{
	my ($server, $block) = @_;
	my $plan = $server->{admin}->execute(renumber("EXPLAIN $block->{dp}", $block->{params} // []));
	die "no plan of $block->{dp}: $plan->{error}{M}" if $plan->{error} && $plan->{error}{C} =~ /^(?:42P02|08P01)$/;
	return scalar grep { $_->[0] =~ /Keys: public/ } @{ $plan->{rows} // [] };
}

# What the owner computes of a block as the tables are now: rows, and keys that are listed.
sub twin
{
	my ($server, $block) = @_;
	my $began = time;
	my $twin = $server->{seer}->query($block->{plain});
	$twin->{listed} = listed_keys($server, $block) unless $twin->{error};
	$twin->{public} = has_public_keys($server, $block) unless $twin->{error};
	$seconds += time - $began;
	return $twin;
}

# Compare with a twin, that of now by default; returns "same", "different" with the reason, or
# what kept it from that.
sub difference
{
	my ($server, $block, $step, $answer, $mechanism, $twin) = @_;
	$twin //= twin($server, $block);
	return ("without twin ($twin->{error}{C})", $twin->{error}{M}) if $twin->{error};
	my @types = @{ $block->{keys} };

	# Then every value is answered, whether it has units or not.
	my $public = $twin->{public} || @types && !grep { !/^(?:bool|mood)$/ } @types;
	my @rows = $step->{copied} ? copied_rows($answer->{copied}) : @{ $answer->{rows} };
	my (%answer, %twin);
	for my $row (@rows)
	{
		my @key = map { normal($row->[$_], $types[$_]) } 0 .. $#types;
		my $key = join '|', @key;
		return ('different', "key $key came twice") if $answer{$key};
		$answer{$key} = [ @$row[ scalar(@types) .. $#$row ] ];
	}
	for my $row (@{ $twin->{rows} })
	{
		my $key = join '|', map { normal($row->[$_], $types[$_]) } 0 .. $#types;
		$twin{$key} = { units => $row->[@types], values => [ @$row[ @types + 1 .. $#$row ] ] };
	}
	my $by_mean = @{ $block->{aggregates} } == 1 && $block->{aggregates}[0]{dp} =~ /^dp_avg\((?!DISTINCT)/;
	my $listed = $twin->{listed} or return ('without twin (keys)');
	$twin{$_} //= { units => 0, values => [ (0, 'f', 0) x @{ $block->{aggregates} } ] } for keys %$listed;
	for my $key (sort keys %twin)
	{
		my $there = exists $answer{$key};
		return ('different', "listed key $key is missing") if $listed->{$key} && !$there;
		# Half of the Gaussian noise takes two units below a threshold of two.
		my $doubtful = $mechanism eq 'gaussian' ? 2 : 1;
		next if @types && $twin{$key}{units} <= $doubtful && !$there;

		# A mean that is alone may decide by the units that have a value.
		next if @types && $by_mean && !$there && $twin{$key}{values}[2] <= $doubtful;
		return ('different', "group $key of $twin{$key}{units} units is " . ($there ? 'there' : 'missing'))
		  if @types && $there != ($twin{$key}{units} >= 2) && !(($public || $listed->{$key}) && $there);
		my $why = differing_values($block, $answer{$key}, $twin{$key}, $mechanism);
		return ('different', "group $key: $why") if $why;
	}
	for my $key (sort keys %answer)
	{
		return ('different', "group $key is not the twin's") unless $twin{$key} || ($public && !$block->{listing});
	}
	return 'same';
}

sub count_value
{
	my ($aggregate) = @_;
	$compared{$1}++ if $aggregate->{dp} =~ /^(\w+)/;
	return;
}

# Why the values of a group differ, or nothing.
sub differing_values
{
	my ($block, $values, $twin, $mechanism) = @_;
	for my $n (0 .. $#{ $block->{aggregates} })
	{
		my $aggregate = $block->{aggregates}[$n];
		my ($exact, $wild, $weight) = @{ $twin->{values} }[ 3 * $n .. 3 * $n + 2 ];
		if (exists $aggregate->{range})
		{
			my ($low, $high) = ($exact // '') =~ /^\{([^,]+),([^,]+)\}$/ or next;
			next if $low eq 'NULL' || $high eq 'NULL';
			my ($least, $most) = ($low - 1.01 * $aggregate->{range} - 1e-9 * abs $low, $high + 1.01 * $aggregate->{range} + 1e-9 * abs $high);

			# In a public group of so few, or where noise may hide all ranks, it may be noise that there is nobody.
			next if !defined $values->[$n] && ($twin->{units} < 2 || ($low eq '-Infinity' && $high eq 'Infinity'));
			count_value($aggregate);
			return "$aggregate->{dp} is NULL, not $exact" unless defined $values->[$n];
			return "$aggregate->{dp} is $values->[$n], not within $exact" unless $least <= $values->[$n] && $values->[$n] <= $most;
			next;
		}
		$exact *= $aggregate->{width} if defined $exact && exists $aggregate->{width};
		my $tolerance = tolerance($aggregate, $exact, $wild // 'f', $weight, $twin->{units}, $mechanism);
		next unless defined $tolerance;
		count_value($aggregate);
		my $value = $values->[$n];
		return "$aggregate->{dp} is NULL, not $exact" unless defined $value;
		return "$aggregate->{dp} is $value, not $exact within $tolerance" unless abs($value - $exact) <= $tolerance;
	}
	return;
}

1;
