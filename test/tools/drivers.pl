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
my $perl = '/usr/bin/perl';
my $illuminate = '/usr/share/php/Illuminate/Database/autoload.php';
my $doctrine = '/usr/share/php/Doctrine/DBAL/autoload.php';
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
		{ count => 'int', cities => 'str int float', sums => 'int int Decimal date int', filtered => 'int', keys => 'str', exists => 'bool' },
		[ $python, "$clients/django_orm.py" ]
	],
	[
		'asyncpg', [ $python, '-c', 'import asyncpg' ],
		{
			count => 'int', cities => 'str int Decimal', prepared => 'str int Decimal', sums => 'int Decimal date int', limited => 'str int',
			there => 'int', cursor => 'str int Decimal', savepoint => 'int', copied => 'str str', after => 'int'
		},
		[ $python, "$clients/asyncpg_client.py" ]
	],
	[
		'peewee', [ $python, '-c', 'import peewee, psycopg2' ],
		{
			count => 'int', where => 'int', groups => 'str int Decimal', scalars => 'Decimal date int', distinct => 'int', joined => 'int',
			exists => 'bool', nobody => 'bool', after => 'int'
		},
		[ $python, "$clients/small_orms.py", 'peewee' ]
	],
	[
		'Pony', [ $python, '-c', 'import pony.orm, psycopg2' ],
		{
			count => 'int', where => 'int', sum => 'int', min => 'date', avg => 'float', groups => 'str int', cities => 'int'
		},
		[ $python, "$clients/small_orms.py", 'pony' ]
	],
	(map {
		[
			join(' ', 'psqlODBC', @$_), [ $python, '-c', 'import pyodbc; exit("PostgreSQL Unicode" not in pyodbc.drivers())' ],
			{ count => 'int', cities => 'str int float', sums => 'int Decimal date int', dates => 'int', keys => 'str', after => 'int' },
			[ $python, "$clients/odbc.py", @$_ ]
		]
	} [], [ 'UseDeclareFetch=1', 'Fetch=2' ]),
	[
		'ActiveRecord', [ 'ruby', '-e', 'require "pg"; require "active_record"' ],
		{
			count => 'Integer', where => 'Integer', distinct => 'Integer', sum => 'Integer', average => 'BigDecimal', minimum => 'Date',
			groups => 'String Integer', pluck => 'String Integer BigDecimal', keys => 'String', joins => 'Integer', eager_load => 'Integer',
			'exists?' => 'TrueClass', nobody => 'FalseClass', 'empty?' => 'FalseClass', nested => 'Integer', cached => 'Integer Integer'
		},
		[ 'ruby', "$clients/ruby.rb", 'activerecord' ]
	],
	[
		'Sequel', [ 'ruby', '-e', 'require "pg"; require "sequel"' ],
		{
			count => 'Integer', where => 'Integer', distinct => 'Integer', sum => 'BigDecimal', avg => 'BigDecimal', extremes => 'Integer Date',
			groups => 'String Integer', keys => 'String', filtered => 'Integer', joined => 'Integer', prepared => 'Integer', model => 'BigDecimal',
			'empty?' => 'FalseClass', nobody => 'TrueClass', total => 'Integer', cursor => 'String Integer', copied => 'String String'
		},
		[ 'ruby', "$clients/ruby.rb", 'sequel' ]
	],
	[
		'PDO', [ 'php', '-r', 'exit(extension_loaded("pdo_pgsql") ? 0 : 1);' ],
		{
			count => 'int', (map { $_ => 'string int string' } qw(cities emulated unprepared scrolled)), sums => 'string string int',
			limited => 'string int', there => 'int', copied => 'string string'
		},
		[ 'php', "$clients/php.php", 'pdo' ]
	],
	[
		'Eloquent', [ 'php', '-r', qq{exit(extension_loaded("pdo_pgsql") && file_exists("$illuminate") ? 0 : 1);} ],
		{
			(map { $_ => 'int' } 'count', 'where', 'distinct', 'year', 'pages', 'joined', 'has', 'has two', 'lacks', 'nested'),
			sum => 'string', avg => 'string', min => 'string', exists => 'bool', groups => 'string int string', keys => 'string'
		},
		[ 'php', "$clients/php.php", 'eloquent' ]
	],
	[
		'Doctrine', [ 'php', '-r', qq{exit(extension_loaded("pdo_pgsql") && file_exists("$doctrine") ? 0 : 1);} ],
		{ count => 'int', groups => 'string int string', typed => 'int', in => 'int', keys => 'string', pages => 'int' },
		[ 'php', "$clients/php.php", 'doctrine' ]
	],
	[
		'DBD::Pg', [ $perl, '-e', 'require DBD::Pg' ],
		{
			count => 'number', cities => 'text number number', sums => 'number number text number', array => 'number', direct => 'number',
			keys => 'text', there => 'number', asynchronous => 'number', copied => 'text number', after => 'number'
		},
		[ $perl, "$clients/perl.pl", 'dbd' ]
	],
	[
		'DBIx::Class', [ $perl, '-e', 'require DBD::Pg; require DBIx::Class' ],
		{
			(map { $_ => 'number' } qw(count where sum cities joined related pager nested)), min => 'text', groups => 'text number number', keys => 'text'
		},
		[ $perl, "$clients/perl.pl", 'dbic' ]
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

# Another database reads the tables through postgres_fdw.  With fdw_tuple_cost it sends aggregates and joins whole.
sub foreign_tables
{
	my $months = "SELECT date_trunc('month', at) AS month, count(*) AS n FROM visits GROUP BY 1";
	$node->safe_psql('postgres', "GRANT CREATE ON SCHEMA public TO ann; SET ROLE ann; CREATE VIEW months AS $months");
	$node->safe_psql('postgres', 'CREATE DATABASE hub');
	$node->safe_psql('hub', <<"SQL");
CREATE EXTENSION postgres_fdw;
CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host '127.0.0.1', port '@{[ $node->port ]}', dbname 'postgres', fdw_tuple_cost '1000000');
CREATE USER MAPPING FOR CURRENT_USER SERVER far OPTIONS (user 'ann', password_required 'false');
IMPORT FOREIGN SCHEMA public LIMIT TO (people, visits, months) FROM SERVER far INTO public;
SQL
	my $before = charges($node);
	my @answered = (
		'SELECT count(*) FROM people', 'SELECT city, count(*), max(age) FROM people WHERE age >= 30 GROUP BY city HAVING count(*) > 10 ORDER BY city',
		'SELECT count(*) FROM people JOIN visits ON person = id WHERE cost > 100', 'SELECT count(DISTINCT city), min(born) FROM people',
		'SELECT city FROM people GROUP BY city ORDER BY city');
	is($node->safe_psql('hub', $_), $node->safe_psql('postgres', $_), $_) for @answered;
	is($node->safe_psql('hub', 'SELECT month, n FROM months ORDER BY month'), $node->safe_psql('postgres', "$months ORDER BY 1"), 'a view');
	push @answered, 'the view';
	is(charges($node) - $before, @answered, 'one charge a statement');
	my (undef, undef, $refused) = $node->psql('hub', 'SELECT count(*) FROM people WHERE random() >= 0');
	like($refused, qr/permission denied for table people.*Ask for aggregates/s, 'what it would add up itself is refused');
	is(charges($node) - $before, @answered, 'for nothing');
	return;
}

SKIP:
{
	skip 'postgres_fdw is not installed', 1
	  if !$node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'");
	subtest 'postgres_fdw' => \&foreign_tables;
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
