# One psql session for a benchmark, so that all its queries see the same state,
# and the times they take.  Needs a server reached by the usual PG* variables.
package Session;

use strict;
use warnings;

use Exporter 'import';
use IPC::Open2;

our @EXPORT = qw(query medians);

my $pid = open2(my $out, my $in, 'psql', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1');
END { close $in if $in; }

# Run statements; return their output.
sub query
{
	my ($sql) = @_;
	my @lines;

	print $in "$sql\n\\echo -- done\n";
	$in->flush;
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
	my ($sql) = @_;
	my ($time) = map { /^Time: ([\d.]+) ms/ ? $1 : () } query("\\timing on\n$sql;\n\\timing off");
	return $time;
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	return $sorted[ $#sorted / 2 ];
}

# Interleaved runs of several statements; their medians.  The first round warms
# up.
sub medians
{
	my ($runs, @statements) = @_;
	my @times = map { [] } @statements;

	for my $run (0 .. $runs)
	{
		for my $i (0 .. $#statements)
		{
			my $time = milliseconds($statements[$i]);
			push @{ $times[$i] }, $time if $run;
		}
	}
	return map { median(@$_) } @times;
}

1;
