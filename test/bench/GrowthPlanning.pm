# GrowthPlanning.pm
#	How planning grows: with aggregates, blocks and terms of a chain, and with
#	partitions that the question leaves out.
#
# scenarios() returns a list of [name, code].  Each code is called with a package that
# has query() and both_medians() as Session.pm does, connected as a superuser
# to a server with dp_agg preloaded.  It prints one line for each thing that grows: sizes,
# milliseconds of a processor at both, their ratio, and the ratio divided by that of the sizes, which
# is 1 where the cost is in proportion.  Of partitions it prints locks held, too.
# It makes what it needs, and drops it.
#
#	for (GrowthPlanning::scenarios()) { my ($name, $code) = @$_; print "== $name\n"; $code->('Session'); }
package GrowthPlanning;

use strict;
use warnings;

my $runs = 5;
my ($few, $many) = (20, 2000);    # partitions

sub scenarios
{
	return (['planning by aggregates, blocks and terms', \&planning], ['partitions left out', \&partitions]);
}

sub do_all
{
	my ($session, @statements) = @_;
	$session->can('query')->("$_;") for 'SET client_min_messages = warning', @statements;
	return;
}

# A text with a part so many times, its number in place of #.
sub repeated
{
	my ($n, $part, $comma) = @_;
	return join($comma // '', map { $part =~ s/#/$_/gr } 1 .. $n);
}

sub chain
{
	my ($n, $before, $after) = @_;
	return 'SELECT dp_count(*) FROM bench_growth WHERE ' . repeated($n, $before) . 'name' . repeated($n, $after) . " = 'a'";
}

# What is asked at a size, and the sizes.  PostgreSQL's own search for joins, and what it does with UNION ALL, grow
# faster than their items: blocks are subqueries of a select list.
my @growing = (
	[ 'sums', sub { 'SELECT ' . repeated($_[0], 'dp_sum(age, 0, #)', ', ') . ' FROM bench_growth' }, 90, 900 ],
	[ 'filtered counts', sub { 'SELECT ' . repeated($_[0], 'dp_count(*) FILTER (WHERE age = #)', ', ') . ' FROM bench_growth' }, 90, 900 ],
	[ 'one sum, named often', sub { 'SELECT ' . repeated($_[0], 'dp_sum(age, 0, 9) + #', ', ') . ' FROM bench_growth' }, 90, 900 ],
	[ 'blocks', sub { 'SELECT ' . repeated($_[0], '(SELECT dp_sum(age, 0, #) FROM bench_growth)', ', ') }, 20, 200 ],
	[ 'OR', sub { 'SELECT dp_count(*) FROM bench_growth WHERE ' . repeated($_[0], 'age = #', ' OR ') }, 400, 4000 ],
	[ 'CASE with many cases', sub { 'SELECT dp_sum(CASE ' . repeated($_[0], 'WHEN age = # THEN # ') . 'END, 0, 9) FROM bench_growth' }, 400, 4000 ],
	[ 'CASE in CASE', sub { chain($_[0], 'CASE WHEN age = # THEN name ELSE ', ' END') }, 40, 400 ],
	[ 'COALESCE in COALESCE', sub { chain($_[0], 'coalesce(name, ', ')') }, 40, 400 ],
	[ 'lower of lower', sub { chain($_[0], 'lower(', ')') }, 40, 400 ],
	[ 'a + a + ...', sub { 'SELECT dp_sum(' . repeated($_[0], 'age', ' + ') . ', 0, 9) FROM bench_growth' }, 300, 3000 ],
	[ 'the same, plain', sub { 'SELECT sum(' . repeated($_[0], 'age', ' + ') . ') FROM bench_growth_plain' }, 300, 3000 ],
);

# Processor times of statements, after one another.
sub measured
{
	my ($session, @statements) = @_;
	return map { $_->[1] } $session->can('both_medians')->($runs, @statements);
}

sub show
{
	my ($name, $small, $large, @times) = @_;
	my $ratio = $times[1] / $times[0];

	printf "%-24s %5d %5d %9.3f %9.3f %8.2f %8.2f\n", $name, $small, $large, @times, $ratio, $ratio * $small / $large;
	return;
}

sub planning
{
	my ($session) = @_;

	do_all($session, 'CREATE EXTENSION IF NOT EXISTS dp_agg', 'DROP TABLE IF EXISTS bench_growth, bench_growth_plain',
		'CREATE TABLE bench_growth (id int PRIMARY KEY, age int, name text)', 'CREATE TABLE bench_growth_plain (id int PRIMARY KEY, age int, name text)',
		q{SELECT dp_agg.protect('bench_growth', 'id'), dp_agg.set_budget(current_user::regrole, 1e9, 1e-2)}, 'SET dp_agg.epsilon = 0.001');
	printf "%-24s %5s %5s %9s %9s %8s %8s\n", qw(EXPLAIN small large small/ms large/ms ratio /size);
	for (@growing)
	{
		my ($name, $text, $small, $large) = @$_;
		show($name, $small, $large, measured($session, map { 'EXPLAIN ' . $text->($_) } $small, $large));
	}
	do_all($session, 'RESET dp_agg.epsilon', 'DROP TABLE bench_growth, bench_growth_plain');
	return;
}

# A partitioned table, with so many partitions.
sub make_partitioned
{
	my ($session, $table, $n) = @_;

	do_all($session, "DROP TABLE IF EXISTS $table", "CREATE TABLE $table (id int, day int) PARTITION BY RANGE (day)");
	for (my $from = 1; $from <= $n; $from += 50)
	{
		do_all($session, "DO \$\$ BEGIN FOR i IN $from .. " . ($from + 49 < $n ? $from + 49 : $n) . " LOOP
			EXECUTE format('CREATE TABLE ${table}_%s PARTITION OF $table FOR VALUES FROM (%s) TO (%s)', i, i, i + 1); END LOOP; END \$\$");
	}
	do_all($session, "INSERT INTO $table SELECT i, 1 + i % $n FROM generate_series(1, 1000) i");
	return;
}

# How many locks of relations a statement leaves its transaction with.
sub locks
{
	my ($session, $sql) = @_;
	my $query = $session->can('query');

	$query->("BEGIN; $sql;");
	my ($locks) = $query->("SELECT count(*) - 1 FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation';");
	$query->('COMMIT;');
	return $locks;
}

sub partitions
{
	my ($session) = @_;

	do_all($session, 'CREATE EXTENSION IF NOT EXISTS dp_agg', 'SELECT dp_agg.set_budget(current_user::regrole, 1e9, 1e-2)');
	for my $n ($few, $many)
	{
		make_partitioned($session, "bench_$_$n", $n) for qw(plain private);
		do_all($session, "SELECT dp_agg.protect('bench_private$n', 'id')");
	}
	printf "%-24s %5s %5s %9s %9s %8s %8s %7s\n", qw(one_day few many few/ms many/ms ratio /size locks);
	for (['plain: EXPLAIN', 'EXPLAIN SELECT count(*) FROM bench_plain# WHERE day = 7'],
		['EXPLAIN', 'EXPLAIN SELECT dp_count(*) FROM bench_private# WHERE day = 7'],
		['price()', q{SELECT FROM dp_agg.price('SELECT dp_count(*) FROM bench_private# WHERE day = 7')}],
		['plain: asked', 'SELECT count(*) FROM bench_plain# WHERE day = 7'],
		['asked', 'SELECT dp_count(*) FROM bench_private# WHERE day = 7'])
	{
		my ($name, $sql) = @$_;
		my @statements = map { $sql =~ s/#/$_/r } $few, $many;

		my @locks = map { locks($session, $_) } @statements;
		my @times = measured($session, @statements);
		printf "%-24s %5d %5d %9.3f %9.3f %8.2f %8.2f %3d %3d\n", $name, $few, $many, @times, $times[1] / $times[0],
			$times[1] / $times[0] * $few / $many, @locks;
	}
	# Dropped by some at a time: each holds a lock.
	for my $table (map { ("bench_plain$_", "bench_private$_") } $few, $many)
	{
		my ($n) = $table =~ /(\d+)$/;
		for (my $from = 1; $from <= $n; $from += 50)
		{
			do_all($session, 'DROP TABLE ' . join(', ', map { "${table}_$_" } $from .. ($from + 49 < $n ? $from + 49 : $n)));
		}
		do_all($session, "DROP TABLE $table");
	}
	return;
}

1;
