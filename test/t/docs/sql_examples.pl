#!/usr/bin/perl
# What the documents print as SQL works as it stands there: each example of
# README.md, doc/sql.md, doc/admin.md and doc/accounting.md is run, and figures
# printed beside it are compared.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The indented blocks of a document, by the heading they stand under.
sub blocks
{
	my ($name) = @_;
	my %blocks;
	for my $part (split /\n(?=#+ )/, slurp_file($name))
	{
		my ($heading) = $part =~ /^#+ (.*)/;
		while ($part =~ /(?<=\n\n)((?: {4,}[^\n]*\n)+)/g)
		{
			$blocks{$heading} .= $1 =~ s/^ {4}//mgr;
		}
	}
	return %blocks;
}

# Run SQL as a role, one statement after the other, until one fails.
sub runs
{
	my ($node, $role, $sql, $what) = @_;
	my ($status, $stdout, $stderr) =
	  $node->psql('shop', $sql, on_error_stop => 1, extra_params => [ '-U', $role ]);
	is("$status $stderr", '0 ', $what) or diag($sql);
	return $stdout;
}

# Who reads the documents has set nothing.
my $defaults = "dp_agg.delta = 0\ndp_agg.mechanism = auto\ndp_agg.clipping = auto\ndp_agg.epsilon = 0\n";
my $node = PostgreSQL::Test::Cluster->new('examples');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\n$defaults");
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE shop; CREATE ROLE analyst LOGIN; CREATE ROLE helper; CREATE ROLE auditor; CREATE ROLE exporter;');

# README: the quick start, in a database with a table "people".
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my @started = slurp_file('README.md') =~ /-c "([^"]+)"/g;
$node->safe_psql('shop', 'CREATE TABLE people (id int PRIMARY KEY, age int); INSERT INTO people SELECT i, i % 90 FROM generate_series(1, 500) i');
is(scalar @started, 6, 'README: as many commands as are known here');
is(shift @started, "ALTER SYSTEM SET shared_preload_libraries = 'dp_agg'", 'README: the library is loaded by the configuration file');
my $answer = runs($node, $superuser, join(";\n", @started), 'README: the quick start runs');

# Gaussian noise at epsilon 0.5 has a standard deviation of 11.5: the count of 500 is off by more than 250 with probability 1e-100.
like($answer, qr/^\d+$/m, 'README: the analyst got an answer');
cmp_ok(abs(($answer =~ /(-?\d+)\s*$/)[0] - 500), '<', 250, 'README: near the number of people');
$node->safe_psql('shop', "DROP TABLE people; SELECT dp_agg.drop_budget('analyst', 'default')");

# doc/sql.md: its tables, with something in them, and then what analysts say.
my %sql = blocks('doc/sql.md');
delete $sql{'Row security'};	# an owner's: doc/admin.md has what is run
my $tables = delete $sql{'What a query may say'};
(my $first, $tables) = $tables =~ /^(.*?)(CREATE TABLE.*)/s;
runs($node, $superuser, $tables, 'sql.md: the tables of the examples');
$node->safe_psql('shop', <<'SQL');
INSERT INTO people SELECT i, 'town ' || i % 3, i % 90, date '1950-01-01' + i % 9000, i * 40 FROM generate_series(1, 3000) i;
INSERT INTO patients SELECT i, i % 90 FROM generate_series(1, 1000) i;
INSERT INTO clinics SELECT i, 'clinic ' || i, 'town ' || i % 2, 'region ' || i % 2, true FROM generate_series(1, 4) i;
INSERT INTO towns VALUES ('town 0', 'north', true), ('town 1', 'north', false), ('town 2', 'south', false), ('town 3', 'south', true);
INSERT INTO visits SELECT i % 1000, 1 + i % 4, CASE WHEN i % 5 > 1 THEN 'flu' ELSE 'asthma' END, i % 300, i % 120 FROM generate_series(1, 4000) i;
INSERT INTO notes SELECT i % 1000, 'fever  and cough', 'a,b', ARRAY[i % 3, 7] FROM generate_series(1, 3000) i;
INSERT INTO orders SELECT i, i % 1000, date '2025-01-01' + i % 7 FROM generate_series(1, 2000) i;
INSERT INTO order_items SELECT 1 + i % 2000, 'product ' || i % 3, i % 500 FROM generate_series(1, 4000) i;
SELECT dp_agg.set_budget('analyst', 1000, 1e-3, d) FROM unnest(ARRAY['default', 'clinics']) d;
SQL
runs($node, 'analyst', $first, 'sql.md: the first query');
my ($shown) = slurp_file('README.md') =~ /^    shop=> (SELECT clinic.*?;)$/ms;
$node->safe_psql('shop', q{SELECT dp_agg.set_domain('visits', 'cost', 0, 300)});
runs($node, 'analyst', 'SET client_min_messages = warning; ' . $shown =~ s/^    shop-> //mgr, 'README: the query shown');
cmp_ok(scalar keys %sql, '>=', 10, 'sql.md: examples were found');
for my $heading (sort keys %sql)
{
	my ($owner) = $sql{$heading} =~ /((?:^SELECT dp_agg\.set_domain\(.*;\n)+)/m;
	$sql{$heading} =~ s/\Q$owner\E// && runs($node, $superuser, $owner, "sql.md: what the owner declares in $heading") if $owner;
	$sql{$heading} = "SET client_min_messages = warning;\n$sql{$heading}" if $heading =~ /^(?:Plain SQL|Histograms|LATERAL|What another block releases|Intervals of arithmetic|Where noise is most of an answer)$/;
	runs($node, 'analyst', $sql{$heading}, "sql.md: $heading");
}
for my $statement ('SELECT dp_avg(income) FROM people', 'SELECT dp_avg(born, 0, 1) FROM people',
	'SELECT dp_avg(age, lower => 0, upper => 1) FROM people')
{
	my ($status, undef, $stderr) = $node->psql('shop', $statement, extra_params => [ '-U', 'analyst' ]);
	my ($message) = $stderr =~ /ERROR:  (.*)/;
	$message =~ s/\((\w+),.*/($1, ...)/;
	$message =~ s/"\w+"/"..."/;
	like(slurp_file('doc/sql.md'), qr/\Q$message\E/, "sql.md: explains the words of $statement");
}
runs($node, 'analyst', "SELECT dp_avg(born - date '2000-01-01', -30000, 30000), dp_avg(extract(epoch FROM born), 0, 1e9) FROM people",
	'sql.md: means of dates');

# doc/admin.md, in its order, in a database of its own; what needs other servers or extensions is
# test/t/exact/foreign, citus and hypertable.
my %admin = blocks('doc/admin.md');
delete @admin{'Partitions on other servers', 'Tables of Citus', 'Hypertables'};
my @first_steps = delete @admin{ 'First steps', 'And as analyst', 'Sharper answers' };
my ($created) = delete($admin{'Install'}) =~ /^(CREATE EXTENSION[^\n]*)/m;
$node->safe_psql('postgres', 'ALTER DATABASE shop RENAME TO sold; CREATE DATABASE shop');
runs($node, $superuser, <<"SQL", 'admin.md: install');
$created
CREATE TABLE visits (patient int, clinic text, day date, cost numeric, diagnosis text, note text);
CREATE TABLE visits_new (LIKE visits);
CREATE TABLE orders (id int PRIMARY KEY, customer int);
CREATE TABLE order_items (order_id int NOT NULL REFERENCES orders, price numeric);
SQL
my @headings = map { s/^#+ //r } slurp_file('doc/admin.md') =~ /^(#+ .*)/mg;
cmp_ok(scalar keys %admin, '>=', 5, 'admin.md: examples were found');
for my $heading (grep { exists $admin{$_} } @headings)
{
	my $asks = $heading eq 'Row security';
	my $answer = runs($node, $superuser, ($asks ? "SET client_min_messages = warning; SET dp_agg.epsilon = 5; SET dp_agg.clipping = fixed;\n" : '') . $admin{$heading}, "admin.md: $heading");
	next if !$asks;

	# Of the 1,000 entries of a team, 5 of a person, whose noise has a standard deviation of 7: it is more with a probability of 1e-40.
	# A clamp that is chosen would be far too large in one case of 900.
	my ($entries) = $answer =~ /^(\d+)\|/m;
	cmp_ok(abs(($entries // 0) - 1000), '<=', 100, 'admin.md: entries of a team, with noise');
}

# Its first steps, on a server of their own, with a file of people.
my $new = PostgreSQL::Test::Cluster->new('first');
$new->init;
$new->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\n$defaults");
$new->start;
my $directory = PostgreSQL::Test::Utils::tempdir();
append_to_file("$directory/people.csv", join "\n", 'id,city,age,income',
	map { "$_," . ($_ % 2 ? 'Aachen' : 'Bremen') . ',' . $_ % 90 . ',' . $_ * 40 } 1 .. 3000);
my ($status, undef, $complaint) = $new->psql('postgres', $first_steps[0] =~ s/people\.csv/$directory\/people.csv/r, on_error_stop => 1);
is("$status $complaint", '0 ', 'admin.md: first steps');
like(runs($new, 'analyst', $first_steps[1], 'admin.md: first steps as analyst'), qr/^people\|id\|default$/m, 'admin.md: the table can be asked about');

# What the document says of the epsilon, before the first charge.
my ($epsilon) = $first_steps[2] =~ /fit: ([0-9.]+) of this budget/;
like(runs($new, $superuser, "SET client_min_messages = warning; SELECT dp_agg.reset_budget('analyst');\n$first_steps[2]", 'admin.md: sharper answers'), qr/^\Q$epsilon\E/m,
	'admin.md: at which epsilon 100 counts fit');
is(runs($new, 'analyst', 'SHOW dp_agg.epsilon', 'admin.md: settings of the role'), $epsilon, 'admin.md: the role has this setting');

# At epsilon 0.24 Gaussian noise deviates by 25 at most: a city of 1,500 is thresholded with probability below exp(-500).
like(runs($new, 'analyst', 'SELECT city, dp_count(*) > 0 FROM people GROUP BY city', 'admin.md: groups'), qr/^Aachen\|t\nBremen\|t$/, 'admin.md: groups are answered');
$new->stop;

# doc/accounting.md: figures for an unspent budget of epsilon 1 and delta 1e-6.
my %accounting = blocks('doc/accounting.md');
$node->safe_psql('shop', "SELECT dp_agg.drop_budget('analyst', 'default'); SELECT dp_agg.set_budget('analyst', 1, 1e-6)");
my ($heading) = grep { /under five theorems/ } keys %accounting;
my ($loads, $planned) = $accounting{$heading} =~ /^(SELECT e AS.*?;)\n(.*)/s;
my @printed = slurp_file('doc/accounting.md') =~ /^\| epsilon_each .*\n\|[-|]*\n((?:\|.*\n)+)/m;
my @rows = map { s/^\| | \|$//gr =~ s/ *\| */|/gr } split /\n/, $printed[0];
is_deeply([ split /\n/, runs($node, 'analyst', $loads, 'accounting.md: loads under five theorems') ],
	\@rows, 'accounting.md: as printed');
like(runs($node, 'analyst', $planned, 'accounting.md: what_if'), qr/^t\|0\.9997\d*\|0\.95/, 'accounting.md: as printed');


# And how many counts budgets admit.
my ($columns, $budgets) =
  slurp_file('doc/accounting.md') =~ /^\| budget, delta 1e-6 \| counts admitted at epsilon (.*) \|\n\|[-|]*\n((?:\|.*\n)+)/m;
my @epsilons = split / \| /, $columns;
is(scalar(my @lines = split /\n/, $budgets), 4, 'accounting.md: budgets were found');
for my $line (@lines)
{
	my ($epsilon, $mechanism, $admitted) = $line =~ /^\| epsilon (\d), (\w+)[^|]*\| (.*) \|$/;
	my $epsilons = join ', ', @epsilons;
	$node->safe_psql('shop', "SELECT dp_agg.set_budget('analyst', $epsilon, 1e-6)");
	is($node->safe_psql('shop', "SET dp_agg.delta = 1e-9; SELECT string_agg(dp_agg.remaining('analyst', 'default', e, lower('$mechanism'))::text, ' | ' ORDER BY i)"
			. " FROM unnest(ARRAY[$epsilons]) WITH ORDINALITY u (e, i)"),
		$admitted =~ s/(?<=\d) (?=\d)//gr, "accounting.md: counts that epsilon $epsilon admits, $mechanism");
}

$node->stop;
done_testing();
