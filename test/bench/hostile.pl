#!/usr/bin/perl
# hostile.pl
#	What statements that are made to be dear take before they are charged: memory of the
#	server's process at its peak, and how long after it is cancelled a statement ends.  Beside
#	it what PostgreSQL takes for the same text, asked by the tables' owner.
#
# Needs a server on this machine, reached by the usual PG* variables, on which dp_agg is preloaded,
# and the right to write /proc/PID/clear_refs of its processes (the server's own user has it).
# PostgreSQL is asked with jit = off: its compiler takes minutes for some of these, and is not cancelled.
#
# usage: hostile.pl [pattern]
use strict;
use warnings;

use IPC::Open2;
use Time::HiRes 'time';

my $pattern = $ARGV[0] // '';
my $LONGEST = 20_000;    # ms that a statement may take

# A psql session of its own: its pipes, and the process that serves it.
sub connect_as
{
	my ($user) = @_;
	my %session;

	$session{pid} = open2($session{out}, $session{in}, "psql -X -q -A -t -U '$user' 2>&1");
	($session{server}) = ask(\%session, 'SELECT pg_backend_pid()');
	return \%session;
}

# The lines that a statement returns, shortened, and whether the session survived it.
sub ask
{
	my ($session, $statement) = @_;
	my @lines;

	print { $session->{in} } "$statement;\n\\echo -- done\n";
	$session->{in}->flush;
	while (my $line = readline $session->{out})
	{
		return @lines if $line =~ /^-- done$/;
		chomp $line;
		push @lines, substr($line, 0, 200) if @lines < 20;
	}
	return (@lines, 'LOST');
}

sub megabytes
{
	my ($pid, $what) = @_;
	open my $file, '<', "/proc/$pid/status" or return 'NaN';
	my ($kilobytes) = map { /^$what:\s+(\d+)/ ? $1 : () } <$file>;
	return $kilobytes / 1024;
}

# Seconds that a statement takes, megabytes by which the process grew, and how it ended.
sub run
{
	my ($user, $settings, $statement) = @_;
	my $session = connect_as($user);

	# What a session loads with its first question is no part of it.
	ask($session, "SET client_min_messages = error; $settings; SELECT count(*) FROM hostile.people WHERE id = 1");
	open my $peak, '>', "/proc/$session->{server}/clear_refs" or die "could not reset the peak: $!\n";
	print $peak '5';
	close $peak or die "could not reset the peak: $!\n";
	my $before = megabytes($session->{server}, 'VmRSS');
	my $began = time;
	my @lines = ask($session, $statement);
	my $took = time - $began;
	my $grown = megabytes($session->{server}, 'VmHWM') - $before;
	close $session->{in};
	waitpid $session->{pid}, 0;
	my ($error) = grep { /^(?:psql:\S+ )?ERROR|^LOST/ } @lines;
	$error =~ s/.*ERROR:\s+// if $error;
	return ($took, $grown, $error // 'answered');
}

sub numbered
{
	my ($count, $format, $between) = @_;
	return join $between, map { my $text = $format; $text =~ s/#/$_/g; $text } 1 .. $count;
}

my @shapes = (
	[ 'an outer aggregate in a subquery', 'SELECT smoker, (SELECT count(people.id)) FROM people GROUP BY smoker' ],
	[ '2,000 fractions', 'SELECT percentile_cont(ARRAY[' . numbered(2000, '#/2000.0', ',') . ']) WITHIN GROUP (ORDER BY age) FROM people' ],
	[ '90,000 fractions', 'SELECT percentile_cont(ARRAY[' . numbered(90000, '#/9e4', ',') . ']) WITHIN GROUP (ORDER BY age) FROM people' ],
	[ '500 UNIONs of rows', 'SELECT count(*) FROM (' . numbered(500, 'SELECT id FROM people', ' UNION ') . ') x' ],
	[ '500 UNIONs of answers', numbered(500, 'SELECT count(*) FROM people', ' UNION ') ],
	[ '500 UNION ALLs', 'SELECT count(*) FROM (' . numbered(500, 'SELECT id FROM people', ' UNION ALL ') . ') x' ],
	[ '200 INTERSECTs', 'SELECT count(*) FROM (' . numbered(200, 'SELECT id FROM people WHERE age > #', ' INTERSECT ') . ') x' ],
	[ 'EXCEPT 400 deep', 'SELECT count(*) FROM (' . '(SELECT id FROM people) EXCEPT (' x 400 . 'SELECT id FROM people' . ')' x 400 . ') x' ],
	[ '300 FULL JOINs', 'SELECT count(*) FROM people p0 ' . numbered(300, 'FULL JOIN people p# USING (id)', ' ') ],
	[ '100 FULL JOINs of answers', 'SELECT * FROM (SELECT 1 x, count(*) FROM people) p0 ' . numbered(100, 'FULL JOIN (SELECT 1 x, count(*) FROM people) p# ON p#.x = p0.x', ' ') ],
	[ '300 inner joins', 'SELECT count(*) FROM people p0 ' . numbered(300, 'JOIN people p# USING (id)', ' ') ],
	[ '200 LEFT JOINs', 'SELECT count(*) FROM people p0 ' . numbered(200, 'LEFT JOIN people p# ON p#.id = p0.id', ' ') ],
	[ '500 LATERAL subqueries', 'SELECT count(*) FROM people p ' . numbered(500, 'CROSS JOIN LATERAL (SELECT p.age + # a#) l#', ' ') ],
	[ '500 FILTERs in 300 sets', 'SELECT ' . numbered(500, 'count(*) FILTER (WHERE age > #)', ',') . ' FROM people GROUP BY GROUPING SETS (' . numbered(300, '(city)', ',') . ')' ],
	[ '1,000 grouping sets', 'SELECT age % 10, city, count(*) FROM people GROUP BY GROUPING SETS (' . numbered(1000, '(age % 10, city)', ',') . ')' ],
	[ 'CUBE of 9 keys', 'SELECT count(*) FROM people GROUP BY CUBE (city, smoker, ' . numbered(7, 'age > #', ',') . ')' ],
	[ '1,000 keys', 'SELECT count(*) FROM people GROUP BY ' . numbered(1000, 'age + #', ',') ],
	[ '1,600 aggregates', 'SELECT ' . numbered(1600, 'count(*) FILTER (WHERE age = #)', ',') . ' FROM people' ],
	[ '300 scalar subqueries', 'SELECT ' . numbered(300, '(SELECT count(*) FROM people WHERE age = #)', ',') ],
	[ '200 EXISTS', 'SELECT count(*) FROM people p WHERE ' . numbered(200, 'EXISTS (SELECT FROM visits v WHERE v.patient = p.id AND v.cost > #)', ' AND ') ],
	[ '1,000 conditions', 'SELECT count(*) FROM people WHERE ' . numbered(1000, 'age <> #', ' AND ') ],
	[ '50,000 alternatives', 'SELECT count(*) FROM people WHERE ' . numbered(50000, 'age = #', ' OR ') ],
	[ 'NOT 3,000 deep', 'SELECT count(*) FROM people WHERE ' . 'NOT (' x 3000 . 'age = 1' . ')' x 3000 ],
	[ 'sum 2,000 deep', 'SELECT sum(' . '(' x 2000 . 'age' . ' + 1)' x 2000 . ') FROM people' ],
	[ 'COALESCE of 5,000', 'SELECT sum(COALESCE(' . numbered(5000, 'NULLIF(age, #)', ',') . ')) FROM people' ],
	[ 'CASE of 5,000', 'SELECT sum(CASE ' . numbered(5000, 'WHEN age = # THEN 1', ' ') . ' ELSE 0 END) FROM people' ],
	[ 'a key by CASE of 5,000', 'SELECT CASE ' . numbered(5000, 'WHEN age = # THEN #', ' ') . ' ELSE 0 END, count(*) FROM people GROUP BY 1' ],
	[ 'IN 100,000 numbers', 'SELECT count(*) FROM people WHERE id IN (' . numbered(100000, '#', ',') . ')' ],
	[ 'IN 50,000 texts', 'SELECT count(*) FROM people WHERE city IN (' . numbered(50000, "'c#'", ',') . ')' ],
	[ 'VALUES of 20,000', 'SELECT count(*) FROM people JOIN (VALUES ' . numbered(20000, '(#)', ',') . ') v (x) ON v.x = people.id' ],
	[ 'a constant of 900 kB', "SELECT count(*) FROM people WHERE city = '" . 'x' x 900000 . q{'} ],
	[ 'subqueries 500 deep', 'SELECT count(*) FROM ' . '(SELECT id FROM ' x 500 . 'people' . ') x' x 500 ],
	[ '500 WITH queries', 'WITH ' . numbered(500, 'c# AS (SELECT id FROM people)', ',') . ' SELECT ' . numbered(500, '(SELECT count(*) FROM c#)', ',') ],
	[ 'WITH queries doubled 20 times', 'WITH c0 AS (SELECT id FROM people WHERE id = 1)' . join('', map { my $n = $_ - 1; ", c$_ AS (SELECT id FROM c$n UNION ALL SELECT id FROM c$n)" } 1 .. 20) . ' SELECT count(*) FROM c20' ],
	[ '200 windows', 'SELECT count(*) FROM (SELECT ' . numbered(200, 'sum(cost) OVER (PARTITION BY patient ORDER BY day, #) w#', ',') . ' FROM visits) x' ],
	[ '500 columns of DISTINCT ON', 'SELECT count(*) FROM (SELECT DISTINCT ON (id, ' . numbered(500, 'age + #', ',') . ') id FROM people) x' ],
	[ 'NOT IN 300,000 pairs', 'SELECT count(*) FROM people WHERE (age, id) NOT IN (SELECT i, i FROM generate_series(1, 300000) i)' ],
	[ 'IN 2 million rows', 'SELECT count(*) FROM people WHERE id IN (SELECT g FROM generate_series(1, 2000000) g)' ],
	[ '4 million rows joined', 'SELECT count(*) FROM people JOIN (SELECT DISTINCT g FROM generate_series(1, 4000000) g) t ON t.g = people.id' ],
	[ '1 million listed keys', 'SELECT b.g, b.h, count(p.id) FROM big b LEFT JOIN people p ON p.id = b.g AND p.age = b.h GROUP BY b.g, b.h' ],
);

my $owner = connect_as($ENV{PGUSER} // getpwuid $<);
ask($owner, $_) for 'SET client_min_messages = error', 'CREATE EXTENSION IF NOT EXISTS dp_agg', 'CREATE ROLE hostile_analyst LOGIN',
  'CREATE SCHEMA hostile', 'GRANT USAGE ON SCHEMA hostile TO PUBLIC', 'SET search_path = hostile, public',
  'CREATE TABLE people (id int PRIMARY KEY, age int, smoker bool, city text)',
  q{INSERT INTO people SELECT i, i % 90, i % 2 = 0, (ARRAY['Bern', 'Oslo', 'Rome'])[1 + i % 3] FROM generate_series(1, 20000) i},
  'CREATE TABLE visits (patient int REFERENCES people, day date, cost int)',
  q{INSERT INTO visits SELECT 1 + i % 20000, date '2024-01-01' + i % 300, i % 1000 FROM generate_series(1, 60000) i},
  'CREATE TABLE big (g int, h int, PRIMARY KEY (g, h))', 'INSERT INTO big SELECT g, g % 90 FROM generate_series(1, 1000000) g',
  'GRANT SELECT ON big TO PUBLIC',
  q{SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'patient'), dp_agg.set_domain('people', 'age', 0, 120), dp_agg.set_domain('visits', 'cost', 0, 1000)},
  q{SELECT dp_agg.set_budget('hostile_analyst', 1e7, 1e-3)}, 'VACUUM ANALYZE people, visits, big';

printf "| %s | %s | %s | %s | %s | %s |\n", 'shape', 'ends', 'MB', 'PostgreSQL: MB', 's', 'ends after a cancel, ms';
print '|---' x 6, "|\n";
my $settings = "SET search_path = hostile, public; SET dp_agg.epsilon = 1; SET statement_timeout = $LONGEST";
for my $shape (grep { $_->[0] =~ /$pattern/ } @shapes)
{
	my ($name, $statement) = @$shape;
	my ($took, $grown, $end) = run('hostile_analyst', $settings, $statement);
	my (undef, $plain) = run($ENV{PGUSER} // getpwuid $<, "$settings; SET jit = off", $statement);
	my $late = '';
	if ($took > 0.2)
	{
		my $moment = int(500 * $took);
		$moment = 5000 if $moment > 5000;
		my ($then, undef, $how) = run('hostile_analyst', "$settings; SET statement_timeout = $moment", $statement);
		$late = sprintf '%.0f', 1000 * $then - $moment if $how =~ /canceling/;
	}
	printf "| %s | %s | %.0f | %.0f | %.1f | %s |\n", $name, $end, $grown, $plain, $took, $late;
}
ask($owner, $_) for 'SET client_min_messages = error', 'DROP SCHEMA hostile CASCADE', q{SELECT dp_agg.drop_budget('hostile_analyst')}, 'DROP OWNED BY hostile_analyst', 'DROP ROLE hostile_analyst';
