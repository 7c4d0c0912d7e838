#!/usr/bin/perl
# peers.pl
#	What a private answer takes beside DuckDB, which an engineer would let rewrite the same
#	question: rows added up per unit and group, groups of a unit limited at random, added up
#	by group, without noise.  Ratios of elapsed times to PostgreSQL's plain query, medians of
#	interleaved runs; one process, and one thread.
#
# The tables are those of roads.pl; DuckDB has a copy of them in a file of its own.  Where
# DuckDB runs out of memory the table says so.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded and shared_buffers that hold the tables, and DuckDB: the command DP_DUCKDB, or
# duckdb.  Without it nothing is measured.
#
# usage: peers.pl [rows [runs [pattern]]]		3,000,000 rows and 3 runs by default
#
# The pattern selects lines, such as 'sum by integer dense 4MB'.
use strict;
use warnings;

use File::Temp;
use FindBin;
use IPC::Open2;
use lib $FindBin::RealBin;

use Session;

my ($rows, $runs, $pattern) = ($ARGV[0] // 3_000_000, $ARGV[1] // 3, $ARGV[2] // '');
my $duckdb = $ENV{DP_DUCKDB} // 'duckdb';
my ($version) = qx($duckdb --version 2>/dev/null);
unless ($version)
{
	print "# skipped: there is no DuckDB here\n";
	exit;
}

my @tables = qw(dense sparse single half);
my %clamped = (amount => 'least(greatest(amount, 0), 1000)');

# Name, key, plain and private aggregates, and DuckDB's two: of a unit and group, and of these.
my @cases = (
	[ 'sum by integer', 'key', 'sum(amount)', 'dp_sum(amount, 0, 1000)', "sum($clamped{amount})", 'sum(a)' ],
	[ 'sum by text', 'name', 'sum(amount)', 'dp_sum(amount, 0, 1000)', "sum($clamped{amount})", 'sum(a)' ],
	[ 'units by integer', 'key', 'count(DISTINCT unit)', 'dp_count(DISTINCT unit)', 'count(*)', 'count(*)' ],
	[ 'sum', '', 'sum(amount)', 'dp_sum(amount, 0, 1000)', "sum($clamped{amount})", 'sum(a)' ],
	[ 'count', '', 'count(*)', 'dp_count(*)', 'least(count(*), 1000)', 'sum(a)' ],
);

# Memory of PostgreSQL's work_mem, and of all that DuckDB has.
my @memory = ([ '4MB', '100MB' ], [ '64MB', '100MB' ], [ '64MB', '2GB' ]);

my $directory = File::Temp->newdir;
my $peer = open2(my $out, my $in, "$duckdb -csv -noheader $directory/peer.db 2>&1");

# Run statements in DuckDB; return what it printed.
sub peer
{
	my ($sql) = @_;
	my @lines;

	print $in "$sql\nSELECT '-- done';\n";
	$in->flush;
	while (my $line = <$out>)
	{
		chomp $line;
		return @lines if $line =~ /-- done/ && $line !~ /SELECT/;
		push @lines, $line;
	}
	die "DuckDB is gone in: $sql\n";
}

# Milliseconds that a statement takes in DuckDB; undef if it fails.
sub peer_ms
{
	my ($sql) = @_;
	my @said = peer(".timer on\n$sql;\n.timer off");
	my ($seconds) = map { /real ([\d.]+)/ ? $1 : () } @said;

	return undef if grep { /Out of Memory Error/ } @said;
	return defined $seconds ? 1000 * $seconds : die "DuckDB said: @said\n";
}

# The rewritten question.
sub rewritten
{
	my ($table, $key, $of_unit, $of_all) = @_;

	return "SELECT count(y) FROM (SELECT $of_all AS y FROM (SELECT unit, $of_unit AS a FROM roads_$table GROUP BY unit))" unless $key;
	return "SELECT count(y) FROM (SELECT $key, $of_all AS y FROM (SELECT $key, a, row_number() OVER (PARTITION BY unit ORDER BY coin) AS nth"
	  . " FROM (SELECT unit, $key, random() AS coin, $of_unit AS a FROM roads_$table GROUP BY unit, $key)) WHERE nth <= 30 GROUP BY $key)";
}

sub plain
{
	my ($table, $key, $columns) = @_;

	return "SELECT count(y) FROM (SELECT " . ($key ? "$key, " : q()) . "$columns AS y FROM roads_$table" . ($key ? " GROUP BY $key" : q()) . ') t';
}

# The median of a list; nothing if one is missing.
sub middle
{
	my @sorted = sort { $a <=> $b } grep { defined } @_;

	return @sorted == @_ ? $sorted[ $#sorted / 2 ] : undef;
}

# A ratio as the table shows it.
sub ratio
{
	my ($ms, $plain) = @_;

	return defined $ms ? sprintf('%.2f', $ms / $plain) : 'none';
}

for my $table (@tables)
{
	my ($made) = query("SELECT count(*) FROM pg_class WHERE oid = to_regclass('roads_$table') AND obj_description(oid) = '$rows rows';");
	die "let roads.pl make its tables first: roads.pl $rows 1 none\n" unless $made;
	query("\\copy roads_$table TO '$directory/$table.csv' CSV");
	peer("CREATE TABLE roads_$table AS SELECT * FROM read_csv('$directory/$table.csv', header = false,"
		  . " columns = {'unit': 'INTEGER', 'key': 'INTEGER', 'name': 'VARCHAR', 'amount': 'INTEGER', 'weight': 'DOUBLE'}); CHECKPOINT;");
	my ($copied) = peer("SELECT count(*) FROM roads_$table;");
	die "DuckDB has $copied rows of $table\n" unless $copied eq $rows;
	unlink "$directory/$table.csv";
}
query(<<'SQL');
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SET dp_agg.delta = 1e-9; SET dp_agg.mechanism = laplace; SET dp_agg.clipping = fixed; SET dp_agg.epsilon = 0.1;
SET jit = off; SET max_parallel_workers_per_gather = 0;
SQL
peer('SET threads = 1;');

printf "# $version# rows are columns in DuckDB; ratios are to PostgreSQL's plain query; none: out of memory\n";
printf "%-18s %-7s %-6s %-6s %10s %8s %8s %8s\n", qw(query table work_mem limit plain/ms private rewritten peer-plain);
for my $memory (@memory)
{
	query("SET work_mem = '$memory->[0]';");
	peer("SET memory_limit = '$memory->[1]';");
	for my $case (@cases)
	{
		for my $table (@tables)
		{
			my ($name, $key, $plain, $private, @rewritten) = @$case;
			next unless "$name $table $memory->[0]" =~ /(?:$pattern)/;
			my $rewritten = rewritten($table, $key, @rewritten);
			my ($ms, $private_ms) = medians($runs, plain($table, $key, $plain), plain($table, $key, $private));
			my @peer = map { my $sql = $_; peer_ms($sql); middle(map { peer_ms($sql) } 1 .. $runs) } $rewritten, plain($table, $key, $plain);

			printf "%-18s %-7s %-6s %-6s %10.1f %8.2f %8s %8s\n", $name, $table, @$memory, $ms, $private_ms / $ms, map { ratio($_, $ms) } @peer;
			STDOUT->flush;
		}
	}
}
close $in;
waitpid $peer, 0;
