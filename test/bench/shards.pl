#!/usr/bin/perl
# shards.pl
#	A table whose rows lie on 1, 2 and 4 other servers, each asked by itself or all at the
#	same time (async_capable): ratios of elapsed times to that of one server, medians of
#	interleaved runs.
#
# The servers are databases of one server, each with a session of its own.  So they share its
# processors: where adding up is what takes the time, more of them than there
# are processors cannot be faster.  `waiting` shows what is left of servers that are elsewhere:
# there, each waits its share of four seconds, as for disks or a network, before it adds
# up a few rows.
#
# Needs a server reached by the usual PG* variables as a superuser, who needs no password, with
# dp_agg preloaded.
#
# usage: shards.pl [rows [runs]]		3,000,000 rows and 3 runs by default
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my ($rows, $runs) = ($ARGV[0] // 3_000_000, $ARGV[1] // 3);
my @servers = (1, 2, 4);
my $columns = 'unit int, key int, amount int';

# Run statements in the database that stands for a server.
sub query_there
{
	my ($number, $sql) = @_;
	local $ENV{PGOPTIONS} = '-c client_min_messages=warning';
	system('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', "shards_$number", '-c', $sql) == 0
	  or die "shards_$number failed\n";
	return;
}

# Of so many servers, one has the rows of every so manieth unit.
query('SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS dp_agg; CREATE EXTENSION IF NOT EXISTS postgres_fdw;');
for my $number (1 .. $servers[-1])
{
	query("DROP DATABASE IF EXISTS shards_$number WITH (FORCE);");
	query("CREATE DATABASE shards_$number;");
	query_there($number, 'CREATE EXTENSION dp_agg');
	for my $n (grep { $_ >= $number } @servers)
	{
		query_there($number, <<"SQL");
CREATE UNLOGGED TABLE rows_$n AS
SELECT u AS unit, (u * 7 + i / ($rows / 10) % 4 * 37 * (i % 3)) % 200 AS key, i % 300 AS amount
  FROM (SELECT i, i % ($rows / 10) AS u FROM generate_series(0, $rows - 1) i OFFSET 0) r
 WHERE u % $n = $number - 1;
CREATE VIEW waiting_$n AS SELECT r.* FROM (TABLE rows_$n LIMIT 1000) r, pg_sleep(4.0 / $n)
SQL
		query_there($number, "VACUUM (ANALYZE, FREEZE) rows_$n");
	}
}
my ($host, $port) = map { query("SHOW $_;") } qw(unix_socket_directories port);
my ($user) = query('SELECT quote_literal(current_user);');
query('DROP TABLE IF EXISTS ' . join(', ', map { ("rows_$_", "waiting_$_") } @servers) . ';');
query(<<"SQL") for 1 .. $servers[-1];
DROP SERVER IF EXISTS shards_$_ CASCADE;
CREATE SERVER shards_$_ FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host '$host', port '$port', dbname 'shards_$_', extensions 'dp_agg', fetch_size '10000', async_capable 'false');
CREATE USER MAPPING FOR CURRENT_USER SERVER shards_$_ OPTIONS (user $user, password_required 'false');
SQL
for my $n (@servers)
{
	for my $table ("rows_$n", "waiting_$n")
	{
		query("CREATE TABLE $table ($columns) PARTITION BY HASH (unit);");
		query("CREATE FOREIGN TABLE ${table}_$_ PARTITION OF $table FOR VALUES WITH (MODULUS $n, REMAINDER @{[$_ - 1]}) SERVER shards_$_ OPTIONS (table_name '$table');") for 1 .. $n;
		query("SELECT dp_agg.protect('$table', 'unit', max_rows => 10, max_groups => 10);");
	}
}
query(<<'SQL');
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SET dp_agg.delta = 1e-9; SET dp_agg.mechanism = laplace; SET dp_agg.clipping = fixed; SET dp_agg.epsilon = 0.1;
SET jit = off;
SET work_mem = '64MB';
SQL

# Medians of what each number of servers takes, asked one by one or together.
sub times_of
{
	my ($together, $table, $aggregate) = @_;

	query("ALTER SERVER shards_$_ OPTIONS (SET async_capable '$together');") for 1 .. $servers[-1];
	return medians($runs, map { "SELECT count(y) FROM (SELECT key, $aggregate FROM ${table}_$_ GROUP BY key) y" } @servers);
}

printf "%-26s %-12s %9s %8s %8s\n", 'query by group', 'asked', 'one/ms', 'two', 'four';
for my $case ([ 'rows', 'dp_count(*)' ], [ 'rows', 'dp_sum(amount, 0, 300)' ], [ 'rows', 'dp_median(amount, 0, 300)' ], [ 'waiting', 'dp_count(*)' ])
{
	for my $together ('false', 'true')
	{
		my ($one, @more) = times_of($together, @$case);
		printf "%-26s %-12s %9.0f %8.2f %8.2f\n", ($case->[0] eq 'rows' ? $case->[1] : "$case->[1], waiting"),
		  ($together eq 'true' ? 'together' : 'one by one'), $one, map { $_ / $one } @more;
		STDOUT->flush;
	}
}
query("DROP TABLE rows_$_, waiting_$_;") for @servers;
query("DROP SERVER shards_$_ CASCADE; DROP DATABASE shards_$_ WITH (FORCE);") for 1 .. $servers[-1];
