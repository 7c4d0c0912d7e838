#!/usr/bin/perl
# What doc/admin.md says surprises people does, and for the reason that it gives: each row of its table
# is tried, in the database of its first steps.
#
# Each assertion fails by chance with a probability of 1e-10 or less: numbers are bounded by 15 standard deviations of Gaussian
# noise or more, and where noise may choose another clamp or NULL, the middle one or most of several answers are looked at.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('surprises');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\ndp_agg.delta = 0\ndp_agg.mechanism = auto\ndp_agg.clipping = auto\ndp_agg.epsilon = 0\n");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE people (id int PRIMARY KEY, city text, age int, income numeric, member boolean);
INSERT INTO people SELECT i, 'city ' || i % 10, i % 90, i, i % 2 = 0 FROM generate_series(1, 1000) i;
CREATE TABLE other (id int PRIMARY KEY);
CREATE TABLE visits (person int, at int, cost int);
INSERT INTO visits SELECT i % 300, i / 300, 10 FROM generate_series(0, 5999) i;
CREATE EXTENSION dp_agg;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', 'clinics');
CREATE ROLE analyst LOGIN;
CREATE ROLE visitor LOGIN;
SELECT dp_agg.set_budget('analyst', epsilon => 1e6, delta => 1e-6), dp_agg.set_budget('analyst', epsilon => 1e6, delta => 1e-6, dataset => 'clinics'),
	dp_agg.set_budget('visitor', epsilon => 2, delta => 0);
SQL

# What a role is answered, or told: rows, errors and notices.
sub told
{
	my ($sql, $role) = @_;
	my ($status, $rows, $said) = $node->psql('postgres', $sql, extra_params => [ '-U', $role // 'analyst' ]);
	return join "\n", grep { $_ ne '' } $rows, $said;
}

# The middle one of so many whole numbers that a query is answered.  If one is beyond a bound with probability p, so is this with
# 2^(n - 1) p^((n + 1) / 2) at most.
sub middle
{
	my ($times, $set, $query) = @_;
	my @answers = sort { $a <=> $b } told("$set;\n" . "$query;\n" x $times) =~ /^(-?\d+)$/mg;
	return @answers == $times ? $answers[ $times / 2 ] : undef;
}

my ($table) = slurp_file('doc/admin.md') =~ /^\| what surprises \| why \|\n\|[-|]+\n((?:\|.*\n)+)/m;
my %why = map { /^\| (.*?) \| (.*) \|$/ } split /\n/, $table;

my %tried = (
	'`permission denied for table people`' => sub {
		my ($why) = @_;
		my $denied = qr/permission denied for table people/;
		like(told('SELECT * FROM people LIMIT 3'), $denied, 'rows are denied');
		like(told('SELECT count(*) FROM people'), qr/^\d+$/m, 'aggregates are answered');
		like(told('SELECT count(*) FROM other'), qr/permission denied for table other/, 'unless the table is not protected');
		my ($setting) = $why =~ /`(dp_agg\.\w+)` is off/;
		like(told("SET $setting = off; SELECT count(*) FROM people"), $denied, 'or the setting is off');
		like(told("SET $setting = off; SELECT dp_count(*) FROM people"), qr/^\d+$/m, 'and the aggregates are not the dp_ ones');
	},
	'`no bounds are declared for column "age"`' => sub {
		my ($why) = @_;
		my ($declares, $has) = $why =~ /`(dp_agg\.set_domain\(.*?\))`.*`(dp_avg\(.*?\))`/;
		like(told("SELECT $_ FROM people"), qr/no bounds are declared for column "age"/, "$_ needs bounds") for 'avg(age)', 'dp_avg(age)', 'sum(age)', 'max(age)', 'stddev(age)';
		like(told('SELECT count(age) FROM people'), qr/^\d+$/m, 'a count needs none');
		like(told("SET dp_agg.epsilon = 100; SELECT $has FROM people"), qr/^4[34]\./, 'the query has them');
		$node->safe_psql('postgres', "SELECT $declares");
		like(told('SET dp_agg.epsilon = 100; SELECT avg(age) FROM people'), qr/^4[34]\./, 'or the owner declares them');
	},
	'GROUP BY answers no rows, or few' => sub {
		my ($why) = @_;
		my $query = 'SELECT city, count(*) FROM people GROUP BY city';
		my @pairs = $why =~ /([\d.]+ at (?:epsilon )?[\d.]*\d)/g;
		is(scalar @pairs, 2, 'two thresholds');
		for my $pair (@pairs)
		{
			my ($threshold, $epsilon) = $pair =~ /^([\d.]+) at (?:epsilon )?(.*)/;
			like(told("SET dp_agg.epsilon = $epsilon; EXPLAIN $query"), qr/threshold \Q$threshold\E\d*$/m, "the threshold is $pair");
		}
		is(scalar(() = told('SET dp_agg.delta = 1e-12; SELECT city, count(*) FROM people WHERE id < 10 GROUP BY city') =~ /^city/mg), 0, 'groups of one are not answered');
		is(scalar(() = told("SET dp_agg.epsilon = 2; $query") =~ /^city/mg), 10, 'but at a larger epsilon');
		is(scalar(() = told('SELECT member, count(*) FROM people WHERE id < 9 GROUP BY member') =~ /^[tf]\|/mg), 2, 'those by a boolean are public');
		is(scalar(() = told("SELECT key, count FROM dp_histogram('people', 'city', ARRAY['city 1', 'none'])") =~ /\|/g), 2, 'and so are those of dp_histogram');
		$node->safe_psql('postgres', q(SELECT dp_agg.set_domain('people', 'city', ARRAY['city 1', 'city 2'])));
		is(scalar(() = told("SET dp_agg.epsilon = 0.2; $query") =~ /^city/mg), 2, 'and those that are declared');
	},
	'a mean, variance or quantile is NULL' => sub {
		# Noise shows a value in one case of 100, and so in 8 of 15 with a probability of 1e-12.
		for ('dp_avg', 'dp_variance', 'dp_median')
		{
			my $answers = told("SET client_min_messages = warning;\n" . "SELECT coalesce($_(age, 0, 100)::text, 'NULL') FROM people WHERE age > 95;\n" x 15);
			cmp_ok(scalar(() = $answers =~ /^NULL$/mg), '>=', 8, "$_ of nobody is NULL");
		}
	},
	'counts and sums are far too small' => sub {
		my ($why) = @_;
		my ($set) = $why =~ /`(SET dp_agg\.clipping = fixed)`/;
		my $by_group = told('SET dp_agg.epsilon = 50; SELECT at % 2 = 0, count(*) FROM visits GROUP BY 1');
		like($by_group, qr/NOTICE:  each privacy unit of "visits" counts in one group only/, 'people count in one group, and a NOTICE warns');
		# A clamp of 64 or more, by noise on the units there, takes one answer in 3,000 beyond these bounds.
		my $all = middle(9, 'SET dp_agg.epsilon = 50', 'SELECT count(*) FROM visits');
		cmp_ok(abs($all - 6000), '<', 100, 'a clamp that is chosen counts all rows');
		like(told("SET dp_agg.epsilon = 50; $set; SELECT count(*) FROM visits"), qr/^(?:29\d|30\d)\s.*NOTICE:  only one row of each privacy unit of "visits" counts/s, 'else one row a person counts, and a NOTICE warns');
		my ($least) = $why =~ /fewer than (\d+) \/ epsilon people/;
		# The clamp is 32 or more, with a noise of 4000 or more, in one case of 22; 3000 or more are answered in one of 28.
		my $most = middle(25, 'SET dp_agg.epsilon = 0.05', 'SELECT count(*) FROM visits');
		cmp_ok($most, '<', 6000 / 2, "and of fewer than $least / epsilon people, as 300 at 0.05, most are cut");

		# Noise of a standard deviation of 0.05 makes a unit of none with a probability of 1e-23.
		like(told("SET dp_agg.epsilon = 300; SELECT $_('visits')"), qr/^(?:16|32)$/m, "$_ knows") for 'dp_agg.suggest_max_rows';
		like(told("SET dp_agg.epsilon = 1000; SELECT rows_cut FROM dp_agg.measure_bounding('visits')"), qr/^0\.9/, 'and measure_bounding tells how much is cut');
	},
	'a count is negative, a mean is far off' => sub {
		my $counts = told("SELECT dp_count(id, 0.001) FROM people WHERE age > 95;\n" x 60);
		like($counts, qr/^-\d/m, 'of sixty counts of nobody one is negative');
		like(told("SELECT half_width_95 > 1000 FROM dp_agg.price('SELECT dp_count(id, 0.001) FROM people')"), qr/^t/, 'which half_width_95 tells beforehand');
		like(told("SELECT half_width_95 > 20 FROM dp_agg.price('SELECT dp_avg(age, 0, 100, 0.01) FROM people')"), qr/^t/, 'and how far off a mean may be');
	},
	'`table "..." is not protected`' => sub {
		like(told('SELECT dp_count(*) FROM other'), qr/table "other" is not protected/, 'a table that is not');
		$node->safe_psql('postgres', q(CREATE DATABASE elsewhere; SELECT dp_agg.unprotect('people')));
		like(told('SELECT dp_count(*) FROM people'), qr/table "people" is not protected/, 'nor one that was taken back');
		$node->safe_psql('postgres', q(SELECT dp_agg.protect('people', 'id')));
	},
	'`role "..." has no budget on data set "..."`' => sub {
		my ($why) = @_;
		my ($default) = $why =~ /`(\w+)` unless/;
		like(told('SELECT count(*) FROM visits', 'visitor'), qr/role "visitor" has no budget on data set "clinics"/, 'no budget on that data set');
		is(told(q(SELECT dataset FROM dp_agg.protected_tables WHERE relation = 'people'::regclass), 'visitor'), $default, 'the name of the usual one');
	},
	'`privacy budget exhausted`' => sub {
		my $refused = told('SELECT dp_count(id, 5) FROM people', 'visitor');
		like($refused, qr/privacy budget exhausted on data set "default"/, 'a query that is too expensive');
		my ($fits) = $refused =~ /An epsilon of ([\d.]+) for each aggregate would fit/;
		is(told("SELECT epsilon_spent FROM dp_agg.budgets", 'visitor'), '0', 'costs nothing');
		like(told("SELECT dp_count(id, $fits) FROM people", 'visitor'), qr/^\d+$/m, 'and what the hint says fits');
	},
	'the same query answers anew each time' => sub {
		my ($why) = @_;
		my ($set) = $why =~ /`(SET dp_agg\.kept_max_age = .*?)`/;
		my $query = "SELECT dp_count(id, 0.001) FROM people WHERE age < 50;\n";
		my %seen = map { $_ => 1 } told($query x 12) =~ /^(-?\d+)$/mg;
		cmp_ok(scalar keys %seen, '>', 1, 'twelve answers are not the same');
		my @kept = told("$set; " . $query x 3) =~ /^(-?\d+)$/mg;
		is("@kept", "@{[ ($kept[0]) x 3 ]}", 'but those that are kept');
		is(told('SELECT replays >= 2 FROM dp_agg.budgets WHERE replays > 0'), 't', 'at no cost');
	},
);
is_deeply([ sort keys %why ], [ sort keys %tried ], 'each row is tried');
$tried{$_}->($why{$_}) for sort grep { $why{$_} } keys %tried;

$node->stop;
done_testing();
