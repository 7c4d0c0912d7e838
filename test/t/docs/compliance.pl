#!/usr/bin/perl
# doc/compliance.md: every answer to a hazard names tests that are run, the table of
# what epsilon means is what the functions say, the record has the keys documented and
# no others, and what was told for it survives a dump.
use strict;
use warnings;

use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $document = slurp_file('doc/compliance.md');

# The rows of the tables whose header matches, each an array of cells.
sub rows
{
	my ($header) = @_;
	my @rows;
	while ($document =~ /^$header\n\|[-|]+\n((?:\|.*\n)+)/mg)
	{
		push @rows, map { [ map { s/^\s+|\s+$//gr } split /\|/, s/^\|//r ] } split /\n/, $1;
	}
	return @rows;
}

# Tests that answers name: each is there, and something runs it.
my %regress = map { $_ => 1 } map { split } slurp_file('Makefile') =~ /^REGRESS \+= (.*)/mg;
my (@untested, @unrun);
my @answers = rows(qr/\|.*\| shown by \|/);
cmp_ok(scalar @answers, '>=', 24, 'answers were found');
for my $answer (@answers)
{
	my @tests = $answer->[-1] =~ /\]\(\.\.\/([^)]+)\)/g;
	push @untested, $answer->[0] unless @tests;
	for my $test (@tests)
	{
		my ($topic) = $test =~ m{^sql/(\w+)\.sql$};
		push @unrun, $test unless -e $test && (defined $topic ? $regress{$topic} : $test =~ m{^test/(?:unit|t/\w+|statistical|fuzz)/\w+\.(?:pl|c)$});
	}
}
is_deeply(\@untested, [], 'every answer names a test');
is_deeply(\@unrun, [], 'and these are run');

my $node = PostgreSQL::Test::Cluster->new('compliance');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE ROLE analyst;
CREATE TABLE people (id int PRIMARY KEY, age int);
INSERT INTO people SELECT i, i % 90 FROM generate_series(1, 100) i;
SELECT dp_agg.protect('people', 'id'), dp_agg.set_domain('people', 'age', 0, 120);
SELECT dp_agg.set_budget('analyst', 2, 1e-6), dp_agg.set_dataset_cap('default', 2, 1e-6);
ALTER ROLE analyst SET dp_agg.epsilon = 0.2;
SET ROLE analyst;
SELECT dp_avg(age) FROM people;
SQL

# What epsilon means, in percent, rounded up in the third place.
my @printed = map { join ' ', @$_ } rows(qr/\| epsilon \|.*\|/);
is(scalar @printed, 6, 'lines of the table were found');
is_deeply(\@printed, [ split /\n/, $node->safe_psql('postgres', <<'SQL') ], 'the table is what the functions say');
SELECT concat_ws(' ', e,
	(SELECT string_agg(trim_scale(ceil(1e5 * dp_accountant.max_posterior(p, e)::numeric) / 1e3)::text, ' ' ORDER BY p) FROM unnest(ARRAY[0.01, 0.1, 0.5]) p),
	(SELECT string_agg(trim_scale(ceil(1e5 * dp_accountant.max_posterior(p, v.epsilon, v.delta)::numeric) / 1e3)::text, ' ' ORDER BY p)
	   FROM unnest(ARRAY[0.01, 0.1, 0.5]) p, dp_accountant.group_privacy(e, 0, 2) v))
  FROM unnest(ARRAY[0.1, 0.5, 1, 2, 5, 10]) e
SQL
is($node->safe_psql('postgres', 'SELECT bool_and(abs(dp_accountant.max_guess(0.5, e) - dp_accountant.max_posterior(0.5, e)) < 1e-15) FROM unnest(ARRAY[0.1, 0.5, 1, 2, 5, 10]) e'),
	't', 'and at even odds the best guess is right as often');

# The examples.
my @examples = $document =~ /(?<=\n\n)((?: {4,}[^\n]*\n)+)/g;
is(scalar @examples, 2, 'examples were found');
for my $example (@examples)
{
	my ($status, undef, $stderr) = $node->psql('postgres', $example, on_error_stop => 1);
	is("$status $stderr", '0 ', 'an example runs');
}

# Keys, with [] behind those of arrays.
sub paths
{
	my ($value, $path) = @_;
	return map { paths($_, "${path}[]") } @$value if ref $value eq 'ARRAY' && grep { ref } @$value;
	return map { paths($value->{$_}, $path eq '' ? $_ : "$path.$_") } keys %$value if ref $value eq 'HASH';
	return $path;
}

# The documented ones, and of these what people tell.
my (%documented, %told);
for my $row (rows(qr/\| key \| meaning \|/))
{
	for my $key ($row->[0] =~ /`([^`]+)`/g)
	{
		$documented{$key}++;
		$told{ $key =~ s/.*\.//r } = 1 if $row->[1] =~ /^fields/;
	}
}
cmp_ok(scalar keys %documented, '>=', 90, 'keys were found');
is_deeply([ grep { $documented{$_} > 1 } keys %documented ], [], 'each once');
my $record = decode_json($node->safe_psql('postgres', q{SELECT dp_agg.deployment_record('default')}));
my %there = map { $_ => 1 } paths($record, '');
is_deeply([ sort keys %there ], [ sort keys %documented ], 'the record has the keys documented and no others');

# What may be told is what is documented so, and all of it comes back.
my ($known) = slurp_file('sql/dp_agg--1.0.sql') =~ /known CONSTANT text\[\] := '\{(.*?)\}'/;
is_deeply([ sort split /,/, $known ], [ sort keys %told ], 'fields that may be told are those documented');
my %fields = map { $_ => /curators|authors/ ? ["told of $_"] : "told of $_" } keys %told;
my $json = JSON::PP->new->canonical;
$node->safe_psql('postgres', "SELECT dp_agg.set_contact('default', '" . $json->encode(\%fields) . "')");
my $full = $node->safe_psql('postgres', q{SELECT dp_agg.deployment_record('default')});
is_deeply([ grep { $full !~ /"told of $_"/ } sort keys %told ], [], 'and are in the record');

# Without budgets, contact and ledger the keys are the same, but for arrays and a cap that have none.
$node->safe_psql('postgres', 'CREATE DATABASE bare');
$node->safe_psql('bare', q{CREATE EXTENSION dp_agg; CREATE TABLE people (id int); SELECT dp_agg.protect('people', 'id')});
my $bare = decode_json($node->safe_psql('bare', q{SELECT dp_agg.deployment_record('default')}));
my %bare = map { $_ => 1 } paths($bare, '');
is_deeply([ grep { !$bare{$_} && !/^(?:budgets|mechanisms|role_settings)\[\]|^cap\./ } sort keys %documented ], [], 'where nothing was set up keys are there too');

# What was told is dumped.
my $dump = $node->basedir . '/dump.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, $node->connstr('postgres') ], 'dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('restored') ], 'restore');
my $kept = decode_json($node->safe_psql('restored', q{SELECT dp_agg.deployment_record('default')}));
my $before = decode_json($full);
ok($kept->{budgets}[0]{may_be_behind}, 'a restored copy says that it may be behind');
delete @{$_}{qw(made_at role_settings)} for $kept, $before;
# Other databases are an exposure, too.
delete @{$_}{qw(may_be_behind exposure)} for map { ($_->{budgets}[0], $_->{cap}) } $kept, $before;
is_deeply($kept, $before, 'and is otherwise the same');

$node->stop;
done_testing();
