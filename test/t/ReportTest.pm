# What the tests of doc/report.sql share: a server whose people chose hostile names and texts, and an
# auditor with the grants that doc/admin.md names.
package ReportTest;

use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(report_server report_of hostile answered);

# Texts that would be markup, or move what stands beside them, if they were not taken for texts.
sub hostile
{
	return {
		role => q(<script>document.title='stolen'</script>&amp;'"),
		dataset => q("><img src=x onerror="document.title='stolen'">),
		table => q(a<b>&lt;'"</td></table>),
		column => q(<i>"x"),
		text => qq(</td></tr></table><script>document.title='stolen'</script><!-- &#60;b onclick='x'>\x{202e}\x{1b}[2J %s %1\$s),
	};
}

# Start a server with protected tables, budgets, a cap and some history of each.
sub report_server
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\nautovacuum = off\n");
	$node->start;
	my %named = map { my $text = hostile()->{$_}; utf8::encode($text); ($_ => $text) } keys %{ hostile() };
	my %quoted = map { ($_ => q(') . $named{$_} =~ s/'/''/gr . q(')) } keys %named;
	my %identifier = map { ($_ => q(") . $named{$_} =~ s/"/""/gr . q(")) } keys %named;
	my ($grants) = slurp_file('doc/admin.md') =~ /\n((?:    .*\n)*    GRANT SELECT ON dp_agg\.budget.*\n(?:    .*\n)*)/;
	my $contact = qq({"name": "Visits <b>", "contact": "a&b\\"'<script>"});
	$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION dp_agg;
CREATE ROLE auditor LOGIN;
CREATE ROLE ann LOGIN;
CREATE ROLE eve LOGIN;
CREATE ROLE $identifier{role} LOGIN;
$grants
CREATE TABLE people (id int PRIMARY KEY, age int, city text);
INSERT INTO people SELECT i, i % 90, 'city ' || i % 3 FROM generate_series(1, 1000) i;
CREATE TABLE $identifier{table} (id int PRIMARY KEY, $identifier{column} int);
SELECT dp_agg.protect('people', 'id'), dp_agg.protect(quote_ident($quoted{table})::regclass, 'id', dataset => $quoted{dataset});
SELECT dp_agg.set_domain('people', 'age', 0, 120), dp_agg.set_domain(quote_ident($quoted{table})::regclass, $quoted{column}, 0, 9);
SELECT dp_agg.set_dataset_cap('default', 6, 1e-5);
SELECT dp_agg.set_budget('ann', 2, 1e-6), dp_agg.set_budget(quote_ident($quoted{role})::regrole, 3, 1e-6, $quoted{dataset});
SELECT dp_agg.set_contact('default', '@{[$contact =~ s/'/''/gr]}');
SQL
	answered($node, 'ann', 'SET dp_agg.epsilon = 0.5; SELECT count(*) FROM people', 'SET dp_agg.epsilon = 0.3; SELECT city, avg(age) FROM people GROUP BY city',
		'SET dp_agg.epsilon = 5; SELECT count(*) FROM people WHERE age > 40');
	answered($node, 'ann', 'SET dp_agg.epsilon = 0.02; SELECT count(*) FROM people WHERE age < 10') for 1 .. 5;
	answered($node, $named{role}, "/* $named{text} */ SELECT dp_count(id, 1) FROM $identifier{table}");
	return $node;
}

# Ask as a role, whatever comes of it.
sub answered
{
	my ($node, $role, @statements) = @_;
	my $sink;
	IPC::Run::run([ 'psql', '-XqAt', '-h', $node->host, '-p', $node->port, '-U', $role, '-d', 'postgres', '-c', $_ ], '<', \undef, '>&', \$sink) for @statements;
	return;
}

# The report that a role makes, and what psql complained of.
sub report_of
{
	my ($node, $role, @options) = @_;
	my ($page, $errors) = ('', '');
	IPC::Run::run([ 'psql', '-XqAt', '-h', $node->host, '-p', $node->port, '-U', $role, '-d', 'postgres', '-f', 'doc/report.sql', @options ], '<', \undef, '>', \$page, '2>', \$errors);
	utf8::decode($page);
	return ($page, $errors);
}

1;
