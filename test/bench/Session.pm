# One psql session for a benchmark, so that all its queries see the same state,
# and the times they take.  Needs a server reached by the usual PG* variables.
package Session;

use strict;
use warnings;

use Exporter 'import';
use IPC::Open2;
use Time::HiRes 'time';

our @EXPORT = qw(query medians both_medians);

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

# What a measure tells of statements in interleaved runs, a list for each of them.
# Each follows an untimed run of the same statement: the processor's caches hold
# nothing of the others then, and the memory it needs is there.  Virtual machines
# may have to get back from their host what was left free for a second or two, at
# many times the price.
sub interleaved
{
	my ($runs, $measure, @statements) = @_;
	my @measured = map { [] } @statements;

	for (1 .. $runs)
	{
		for my $i (0 .. $#statements)
		{
			query("$statements[$i];");
			push @{ $measured[$i] }, [ $measure->($statements[$i]) ];
		}
	}
	return @measured;
}

# The median of one of the numbers each run was measured by.
sub median_of
{
	my ($number, $measured) = @_;
	return median(map { $_->[$number] } @$measured);
}

# Milliseconds that each statement takes: medians.
sub medians
{
	my ($runs, @statements) = @_;
	return map { median_of(0, $_) } interleaved($runs, \&milliseconds, @statements);
}

# The words of a file in /proc; none if there is no such file.
sub words
{
	my ($name) = @_;
	open my $file, '<', "/proc/$name" or return ();
	return split ' ', <$file>;
}

# Milliseconds the session's server process has had of a processor, with the
# server's children that have ended: the parallel workers among them, to the
# hundredth of a second.  0 if the system does not tell.
my ($backend, $server);

sub processor
{
	($backend) = query('SELECT pg_backend_pid();') unless $backend;
	$server //= (words("$backend/stat"))[3] // return 0;
	return ((words("$backend/schedstat"))[0] // return 0) / 1e6 + 10 * ((words("$server/stat"))[15] + (words("$server/stat"))[16]);
}

# Milliseconds a statement takes: elapsed, and of a processor.
sub both_times
{
	my ($sql) = @_;
	my ($elapsed, $processor) = (time, processor());

	query("$sql;");
	return (1000 * (time - $elapsed), processor() - $processor);
}

# For each statement the medians of both times.
sub both_medians
{
	my ($runs, @statements) = @_;
	return map { [ median_of(0, $_), median_of(1, $_) ] } interleaved($runs, \&both_times, @statements);
}

1;
