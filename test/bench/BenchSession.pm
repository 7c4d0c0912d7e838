# One psql session in which statements are timed in turns, so that all of them see
# the same state.
package BenchSession;

use strict;
use warnings;
use IPC::Open2;

# Start it; `runs` of each statement count.
sub new
{
	my ($class, $runs) = @_;
	my $self = bless { runs => $runs }, $class;
	open2($self->{out}, $self->{in}, 'psql', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1');
	return $self;
}

sub DESTROY
{
	my ($self) = @_;
	close $self->{in};
	return;
}

# Run statements; return their output up to a marker.
sub query
{
	my ($self, $sql) = @_;
	my @lines;
	my $out = $self->{out};
	print { $self->{in} } "$sql\n\\echo -- done\n";
	$self->{in}->flush;
	while (my $line = <$out>)
	{
		chomp $line;
		return @lines if $line eq '-- done';
		push @lines, $line;
	}
	die "session lost in: $sql\n";
}

# Milliseconds a statement takes, as psql's \timing reports it.
sub milliseconds
{
	my ($self, $sql) = @_;
	my ($time) = map { /^Time: ([\d.]+) ms/ ? $1 : () } $self->query("\\timing on\n$sql\n\\timing off");
	return $time;
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	return $sorted[ $#sorted / 2 ];
}

# The plain statement's median, and the ratio of the private one's to it.  The
# first round warms up.
sub ratio
{
	my ($self, @statements) = @_;
	my @times = map { [] } @statements;
	for my $round (0 .. $self->{runs})
	{
		for my $i (0 .. $#statements)
		{
			my $time = $self->milliseconds($statements[$i]);
			push @{ $times[$i] }, $time if $round;
		}
	}
	my ($plain, $private) = map { median(@$_) } @times;
	return ($plain, $private / $plain);
}

1;
