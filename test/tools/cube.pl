# Cube, a server that BI front ends draw charts through, over its HTTP interface as an
# analyst without any right on the tables: it browses the schema and draws a bar chart,
# an average, a time series and a filter list, by SQL of its own making.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use HTTP::Tiny;
use JSON::PP;
use Test::More;

use ToolTest;

my $modules = node_modules('@cubejs-backend/server', '@cubejs-backend/postgres-driver')
  or plan skip_all => 'Cube is not installed: see test/tools/install';

my $node = tools_server('cube');
my $port = PostgreSQL::Test::Cluster::get_free_port();
my $http = HTTP::Tiny->new(timeout => 60);

# Memory alone is used between requests, and the developer's pages show the schema.
my $directory = PostgreSQL::Test::Utils::tempdir;
my $log = "$PostgreSQL::Test::Utils::log_path/cube_server.log";
serve(
	$log,
	{
		HOME => $directory, NODE_PATH => $modules, PORT => $port, CUBEJS_DEV_MODE => 'true', CUBEJS_TELEMETRY => 'false',
		CUBEJS_CACHE_AND_QUEUE_DRIVER => 'memory', CUBEJS_SCHEMA_PATH => 'cube', CUBEJS_API_SECRET => 'secret',
		CUBEJS_DB_TYPE => 'postgres', CUBEJS_DB_HOST => '127.0.0.1', CUBEJS_DB_PORT => $node->port, CUBEJS_DB_NAME => 'postgres',
		CUBEJS_DB_USER => 'ann', CUBEJS_DB_PASS => 'none is asked for'
	},
	'sh', '-c', "cp -r $FindBin::RealBin/cube $directory && cd $directory && exec node $modules/.bin/cubejs-server server");

# The document that a page answers.
sub page
{
	my ($path) = @_;
	my $answer = $http->get("http://127.0.0.1:$port$path");
	return eval { decode_json($answer->{content}) } // { error => $answer->{content} };
}

# Draw a chart, and check its numbers against the owner's answer to $sql, and that it cost
# one charge.  Cube says "Continue wait" while the answer is under way.
sub chart
{
	my ($name, $query, $members, $sql) = @_;
	my $before = charges($node);
	my $answer;
	for (1 .. 20)
	{
		$answer = page('/cubejs-api/v1/load?' . $http->www_form_urlencode({ query => encode_json($query) }));
		last if ($answer->{error} // '') ne 'Continue wait';
	}
	is($answer->{error} // '', '', "$name: answered");
	my @rows = sort { $a->[0] cmp $b->[0] } map { my $row = $_; [ map { $row->{$_} } @$members ] } @{ $answer->{data} // [] };
	my @exact = map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres', "SET timezone = 'UTC'; SET ROLE clinic; $sql");
	is_near(\@rows, \@exact, "$name: numbers");
	is(charges($node) - $before, 1, "$name: one charge");
	return;
}

wait_for_http("http://127.0.0.1:$port/livez");

# A table's columns and their types, in the order of names.
sub columns
{
	my ($tables, $name) = @_;
	return join ', ', sort map { "$_->{name} $_->{type}" } @{ $tables->{$name} // [] };
}
my $tables = page('/playground/db-schema')->{tablesSchema}{public};
is(columns($tables, 'people_seen'), 'age integer, city text, id integer', 'a published view is listed with its columns');
is(columns($tables, 'visits_seen'), 'at timestamp with time zone, cost integer, person integer', 'and the other');
is(charges($node), 0, 'the schema costs nothing');

chart('bar chart', { measures => ['People.count'], dimensions => ['People.city'] }, [ 'People.city', 'People.count' ],
	'SELECT city, count(*) FROM people GROUP BY city ORDER BY city');
my $paid = charges($node);
page('/cubejs-api/v1/load?' . $http->www_form_urlencode({ query => encode_json({ measures => ['People.count'], dimensions => ['People.city'] }) })) for 1 .. 2;
is(charges($node), $paid, 'what Cube has kept costs nothing when it is shown again');
chart('average', { measures => ['People.age'], dimensions => ['People.city'] }, [ 'People.city', 'People.age' ],
	'SELECT city, avg(age) FROM people GROUP BY city ORDER BY city');
chart(
	'filtered number',
	{ measures => ['People.count'], filters => [ { member => 'People.city', operator => 'equals', values => [ 'Graz', 'Linz' ] } ] },
	['People.count'], q(SELECT count(*) FROM people WHERE city IN ('Graz', 'Linz')));
chart(
	'time series',
	{
		measures => [ 'Visits.count', 'Visits.cost' ],
		timeDimensions => [ { dimension => 'Visits.at', granularity => 'month', dateRange => [ '2025-01-01', '2025-12-31' ] } ]
	},
	[ 'Visits.at.month', 'Visits.count', 'Visits.cost' ],
	q(SELECT to_char(date_trunc('month', at), 'YYYY-MM-DD"T"HH24:MI:SS.MS'), count(*), sum(cost) FROM visits GROUP BY 1 ORDER BY 1));
chart('filter list', { dimensions => ['People.city'] }, ['People.city'], 'SELECT DISTINCT city FROM people ORDER BY city');

# Rows have a key in Cube, too: one that asks for it sees no row.
my $before = charges($node);
my $rows = page('/cubejs-api/v1/load?' . $http->www_form_urlencode({ query => encode_json({ dimensions => [ 'People.id', 'People.city' ] }) }));
is(scalar(@{ $rows->{data} // [] }), 0, 'a table of rows shows none');

is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.verify_ledger()'), '0', 'the ledger holds');
$node->stop;
done_testing();
