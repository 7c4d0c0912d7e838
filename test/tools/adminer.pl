# Adminer, over HTTP as an analyst without any right on the tables: the schema is
# browsed, aggregates are selected by its forms, and a page of rows is refused in words.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Test::More;

use ToolTest;

my $home = unpacked('usr/share/adminer');
$home && IPC::Run::run([ 'php', '-r', 'exit(extension_loaded("pgsql") ? 0 : 1);' ], \undef, '>', '/dev/null', '2>&1')
  or plan skip_all => 'Adminer is not installed: see test/tools/install';

my $node = tools_server('adminer');
my $port = PostgreSQL::Test::Cluster::get_free_port();
serve("$PostgreSQL::Test::Utils::log_path/adminer_php.log", {}, 'php', '-d', "opcache.lockfile_path=$PostgreSQL::Test::Utils::tmp_check", '-S', "127.0.0.1:$port", '-t', $home);
my $address = "http://127.0.0.1:$port/adminer.php";
my $login = 'pgsql=127.0.0.1%3A' . $node->port . '&username=ann&db=postgres';
my $browser = browser();

# One page of the database's; what it says is plain text from here on.
sub page
{
	my ($path) = @_;
	my $answer = $browser->get("$address?$login&ns=public&$path");
	is($answer->{status}, 200, "page $path");
	return $answer->{content};
}

# The rows of the table of results, and of names, in a page.
sub rows
{
	my ($html) = @_;
	my ($table) = $html =~ m{(<table id='table'.*?</table>)}s or return [];
	return [ map { [ m{<td id='val[^>]*>(.*?)</td>}gs ] } grep { /<td id='val/ } split /<tr/, $table ];
}

# What a page says went wrong.
sub complaint
{
	my ($html) = @_;
	return join ' ', $html =~ m{<p class='error'>(.*?)\n}gs;
}

# A page of aggregates: check its numbers against the owner's answer to $sql, and that it cost one charge.
sub aggregates
{
	my ($name, $path, $sql) = @_;
	my $before = charges($node);
	my $html = page($path);
	is(complaint($html), '', "$name: no complaint");
	my @rows = sort { $a->[0] cmp $b->[0] } @{ rows($html) };
	my @exact = map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres', "SET ROLE clinic; $sql");
	is_near(\@rows, \@exact, "$name: numbers");
	is(charges($node) - $before, 1, "$name: one charge");
	return;
}

# Parts of an address that choose columns, each a function and a column's name.
sub columns
{
	my @parts;
	push @parts, sprintf 'columns[%d][fun]=%s&columns[%1$d][col]=%s', scalar @parts, @$_ for @_;
	return join '&', @parts;
}

wait_for_http($address);
my $answer = $browser->post_form($address,
	{ 'auth[driver]' => 'pgsql', 'auth[server]' => '127.0.0.1:' . $node->port, 'auth[username]' => 'ann', 'auth[password]' => 'none', 'auth[db]' => 'postgres' });
is($answer->{status}, 302, 'the analyst logs in');

my $tables = page('');
is(join(' ', sort $tables =~ /id='Table-(\w+)'/g), 'people_seen visits_seen', 'the published views are listed');
my $view = page('table=people_seen');
is(join(' ', $view =~ m{<tr[^>]*><th>(\w+)<td>}g), 'Column id city age', 'the published view has its columns');
is(charges($node), 0, 'the schema costs nothing');

aggregates('bars', 'select=people&' . columns([ '', 'city' ], [ 'count', '' ]), 'SELECT city, count(*) FROM people GROUP BY city ORDER BY city');
aggregates('bars of the view', 'select=people_seen&' . columns([ '', 'city' ], [ 'count', '' ]), 'SELECT city, count(*) FROM people GROUP BY city ORDER BY city');
aggregates(
	'means and extremes', 'select=people&' . columns([ '', 'city' ], [ 'avg', 'age' ], [ 'min', 'age' ], [ 'max', 'age' ]),
	'SELECT city, avg(age), min(age), max(age) FROM people GROUP BY city ORDER BY city');
aggregates(
	'a filter', 'select=people&' . columns([ '', 'city' ], [ 'sum', 'points' ]) . '&where[0][col]=age&where[0][op]=%3E%3D&where[0][val]=50&order[0]=city',
	q(SELECT city, sum(points) FROM people WHERE age >= '50' GROUP BY city ORDER BY city));
aggregates('people', 'select=people&' . columns([ 'count+distinct', 'id' ]), 'SELECT count(DISTINCT id) FROM people');

# The page for statements of one's own, with what Adminer needs to know that the form is its own.
sub typed
{
	my ($sql) = @_;
	my ($token) = page('sql=') =~ /name='token' value='([^']+)'/;
	return $browser->post_form("$address?$login&ns=public&sql=", { query => $sql, token => $token })->{content};
}
my $before = charges($node);
my $list = typed('SELECT DISTINCT city FROM people ORDER BY city');
my ($result) = $list =~ m{(<table cellspacing='0' class='nowrap'>.*?</table>)}s;
is(join(' ', ($result // '') =~ m{<td>([^<]+)}g), 'Graz Linz Wien', 'a filter list');
is(charges($node) - $before, 1, 'is one charge');

# Rows are refused with an aggregate to ask for instead, or there are none: as the role's settings say.
$before = charges($node);
my $refusal = complaint(page('select=people'));
like($refusal, qr/permission denied for table people/, 'a page of rows is refused in words');
my ($instead) = $refusal =~ /(SELECT [^;]+)/;
$node->safe_psql('postgres', 'ALTER ROLE ann SET dp_agg.raw_reads = empty_pages');
my $rows = page('select=people');
is(complaint($rows), '', 'with dp_agg.raw_reads = empty_pages nothing is refused');
is_deeply(rows($rows), [], 'and no row is there');
ok($rows !~ /Graz|Linz|Wien/, 'nor any value');
is(charges($node), $before, 'for nothing');
unlike(typed($instead // 'SELECT nothing'), qr/class='error'/, 'what the refusal proposes is answered');
is(charges($node) - $before, 1, 'and charged once');

is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.verify_ledger()'), '0', 'the ledger holds');
$node->stop;
done_testing();
