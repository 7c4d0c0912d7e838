# Queries through the drivers, ORMs, data frames and generators of SQL that applications use: an
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
		'Malloy', [ 'test', '-d', (node_modules('pg', '@malloydata/malloy', '@malloydata/db-postgres') // '/nowhere') ],
		{
			cities => 'string number number', filtered => 'number', extremes => 'number number number', months => 'Date number number',
			stages => 'number number', keys => 'string'
		},
		[ 'node', "$clients/node.js", 'malloy' ]
	],
	[
		'PostGraphile', [ 'test', '-d', (node_modules('pg', 'postgraphile', '@graphile/pg-aggregates') // '/nowhere') ],
		{ count => 'number', aggregates => 'string number number string string', cities => 'string string string', filtered => 'number' },
		[ 'node', "$clients/node.js", 'postgraphile' ]
	],
	[
		'Prisma', [ 'test', '-e', (unpacked('prisma-client/index.js') // '/nowhere') ],
		{
			count => 'number', where => 'number', select => 'number number', aggregate => 'number number bigint Date number',
			groups => 'number number string', having => 'number string', prepared => 'number'
		},
		[ 'node', "$clients/orms.js", 'prisma' ]
	],
	[
		'TypeORM', [ 'test', '-d', (node_modules('pg', 'typeorm') // '/nowhere') ],
		{
			count => 'number', where => 'number', average => 'number', sum => 'number', minimum => 'number', exists => 'boolean',
			existsBy => 'boolean', groups => 'string string string', getCount => 'number'
		},
		[ 'node', "$clients/orms.js", 'typeorm' ]
	],
	[
		'Sequelize', [ 'test', '-d', (node_modules('pg', 'sequelize') // '/nowhere') ],
		{
			count => 'number', where => 'number', distinct => 'number', starred => 'string string', groups => 'string string string',
			grouped => 'string number', sum => 'number', min => 'number', max => 'number'
		},
		[ 'node', "$clients/orms.js", 'sequelize' ]
	],
	[
		'Kysely', [ 'test', '-d', (node_modules('pg', 'kysely') // '/nowhere') ],
		{
			count => 'string', groups => 'string string string', sums => 'string number Date', distinct => 'string', filtered => 'string',
			subquery => 'string', exists => 'boolean'
		},
		[ 'node', "$clients/orms.js", 'kysely' ]
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

# What doc/tools.md says an administrator does: its statements run, and the role asks and sees no row.
$node->safe_psql('postgres', 'CREATE DATABASE documented');
my ($documented) = PostgreSQL::Test::Utils::slurp_file('doc/tools.md') =~ /\n\n((?: {4}[^\n]+\n)+)/;
like($documented, qr/CREATE ROLE dashboard.*publish.*raw_reads/s, 'doc/tools.md has its statements');
$node->safe_psql('documented', <<"SQL");
CREATE EXTENSION dp_agg;
CREATE TABLE people (id int PRIMARY KEY, age int);
INSERT INTO people SELECT i, i % 90 FROM generate_series(1, 5000) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.set_domain('people', 'age', 0, 120);
$documented
SQL
my $answer = $node->safe_psql('documented', 'SELECT count(*) FROM people_seen', extra_params => [ '-U', 'dashboard' ]);

# Laplace noise of scale 20: off by 1,000 or more with a probability below 2e-22.
cmp_ok(abs($answer - 5000), '<', 1000, 'a role as in doc/tools.md is answered');
is($node->safe_psql('documented', 'SELECT * FROM people_seen', extra_params => [ '-U', 'dashboard' ]), '', 'and sees no row');

is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.verify_ledger()'), '0', 'the ledger holds');
$node->stop;
done_testing();
