# Plain queries through the drivers, ORMs and data frames that applications use: an
# analyst without rights gets the columns, types and answers that the owner gets, but for
# noise, and each statement is charged once.  Those that are not installed are skipped.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Test::More;

use ToolTest;

my $clients = "$FindBin::RealBin/clients";
my $python = '/usr/bin/python3';
my $jar = '/usr/share/java/postgresql.jar';
my $node = tools_server('drivers');

# Can this command be run?
sub can_run
{
	my (@command) = @_;
	return IPC::Run::run(\@command, \undef, '>', '/dev/null', '2>&1');
}

# The types of the answers that the clients of Python, but for pandas and Django, have in common.
my %python = (
	count => 'int', cities => 'str int Decimal', sums => 'int Decimal Decimal date int', units => 'int', keys => 'str', after => 'int');
my %without_after = map { $_ => $python{$_} } grep { $_ ne 'after' } keys %python;

my @drivers = (
	[ 'psycopg2', [ $python, '-c', 'import psycopg2' ], \%python, [ $python, "$clients/dbapi.py", 'psycopg2' ] ],
	[ 'psycopg 3', [ $python, '-c', 'import psycopg' ], \%python, [ $python, "$clients/dbapi.py", 'psycopg' ] ],
	[ 'psycopg 3, prepared', [ $python, '-c', 'import psycopg' ], \%python, [ $python, "$clients/dbapi.py", 'psycopg', 'prepared' ] ],
	[
		'SQLAlchemy', [ $python, '-c', 'import sqlalchemy, psycopg2' ],
		{ %without_after, having => 'str Decimal', subquery => 'int' }, [ $python, "$clients/sqlalchemy_core.py", 'alchemy' ]
	],
	[
		'pandas', [ $python, '-c', 'import pandas, sqlalchemy, psycopg2' ],
		{ count => 'int', cities => 'str int float', months => 'Timestamp int int' }, [ $python, "$clients/sqlalchemy_core.py", 'pandas' ]
	],
	[
		'Django', [ $python, '-c', 'import django, psycopg2' ],
		{ count => 'int', cities => 'str int float', sums => 'int int Decimal date int', filtered => 'int', keys => 'str' },
		[ $python, "$clients/django_orm.py" ]
	],
	[
		'JDBC', [ 'sh', '-c', "test -e $jar && java -version && javac -version" ],
		{
			count => 'Long', cities => 'String Long BigDecimal', sums => 'Long BigDecimal BigDecimal Date Integer', units => 'Long',
			keys => 'String', parts => 'String Long BigDecimal', after => 'Long'
		},
		[ 'java', '-cp', $jar, "$clients/Jdbc.java" ]
	],
	[
		'node-postgres', [ 'test', '-d', (node_modules('pg') // '/nowhere') ],
		{
			count => 'string', cities => 'string string string', prepared => 'string string string', sums => 'string string string Date number',
			keys => 'string', after => 'string'
		},
		[ 'node', "$clients/node.js", 'pg' ]
	],
	[
		'knex', [ 'test', '-d', (node_modules('pg', 'knex') // '/nowhere') ],
		{
			count => 'string', cities => 'string string string', sums => 'string string Date number', units => 'string', having => 'string',
			keys => 'string'
		},
		[ 'node', "$clients/node.js", 'knex' ]
	],
	[
		'drizzle', [ 'test', '-d', (node_modules('pg', 'drizzle-orm') // '/nowhere') ],
		{ count => 'number', cities => 'string number string', sums => 'string string number', units => 'number', keys => 'string' },
		[ 'node', "$clients/node.js", 'drizzle' ]
	],
	[
		'RPostgreSQL', [ 'Rscript', '-e', 'library(RPostgreSQL)' ],
		{ count => 'numeric', cities => 'character numeric numeric', sums => 'numeric numeric Date integer', keys => 'character', after => 'numeric' },
		[ 'Rscript', "$clients/rpostgresql.R", 'sql' ]
	],
	[
		'dbplyr', [ 'Rscript', '-e', 'library(RPostgreSQL); library(dbplyr)' ],
		{
			count => 'numeric', cities => 'character numeric numeric', filtered => 'numeric numeric', median => 'numeric', units => 'numeric',
			having => 'character numeric', joined => 'character numeric', keys => 'character'
		},
		[ 'Rscript', "$clients/rpostgresql.R", 'dplyr' ]
	]);

for my $driver (@drivers)
{
	my ($name, $probe, $types, $command) = @$driver;
	if (!can_run(@$probe))
	{
		diag("$name is not installed: skipped");
	  SKIP: { skip "$name is not installed", 1; }
		next;
	}
	subtest $name => sub { clients_agree($node, $types, @$command) };
}

is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.verify_ledger()'), '0', 'the ledger holds');
$node->stop;
done_testing();
