#!/usr/bin/perl
# refusals.pl
#	What one session's charges take beside eight others that ask in a loop, where
#	there are very many budgets: nobody; roles with budgets; roles without; members
#	of a pool, admitted, and members of two, refused.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded and test/modules installed.  Makes a database and roles of its own,
# and drops them.
#
# usage: refusals.pl [budgets [seconds]]		20000 and 5 by default
use strict;
use warnings;

my $budgets = $ARGV[0] // 20000;
my $seconds = $ARGV[1] // 5;
my $directory = `mktemp -d`;
chomp $directory;

sub run_sql
{
	my ($database, @sql) = @_;
	system('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-d', $database,
		map { ('-c', $_) } 'SET client_min_messages = warning', @sql) == 0 or die;
	return;
}

# A script for pgbench: a role that charges; errors are for it to bear.
sub script
{
	my ($name, $role) = @_;
	my $file = "$directory/$name";
	open my $out, '>', $file or die;
	print $out "SELECT bench_charge('$role');\n";
	close $out or die;
	return $file;
}

run_sql('postgres', 'DROP DATABASE IF EXISTS dp_bench WITH (FORCE)', 'CREATE DATABASE dp_bench');
run_sql('dp_bench', 'CREATE EXTENSION dp_agg', 'CREATE EXTENSION charge', <<"SQL", <<'SQL', 'VACUUM ANALYZE');
DO \$\$ BEGIN
	FOR i IN 1 .. $budgets LOOP
		EXECUTE format('CREATE ROLE dp_bench_%s', i);
		PERFORM dp_agg.set_budget(format('dp_bench_%s', i)::regrole, 1e6, 1e-6);
		COMMIT;
	END LOOP;
END \$\$;
SQL
CREATE ROLE dp_bench_nobody;
CREATE ROLE dp_bench_member IN ROLE dp_bench_2;
CREATE ROLE dp_bench_members IN ROLE dp_bench_2, dp_bench_3;
CREATE FUNCTION bench_charge(role regrole) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RETURN test_charge(role, 'default', 1e-6);
EXCEPTION WHEN insufficient_privilege THEN
	RETURN NULL;
END $$;
SQL

# Milliseconds a charge takes on average beside eight sessions of a role.
sub latency
{
	my ($role) = @_;
	my $others = defined $role ? fork // die : undef;
	if (defined $others && $others == 0)
	{
		open STDOUT, '>', '/dev/null';
		exec 'pgbench', '-n', '-c', 8, '-j', 1, '-T', $seconds + 2, '-f', script('others', $role), 'dp_bench' or die;
	}
	sleep 1 if defined $others;
	my $file = script('mine', 'dp_bench_1');
	my ($latency) = `pgbench -n -c 1 -T $seconds -f $file dp_bench` =~ /latency average = ([\d.]+) ms/;
	waitpid $others, 0 if defined $others;
	return $latency;
}

printf "%-42s %10s\n", "beside, with $budgets budgets", 'ms';
printf "%-42s %10.2f\n", @$_
  for map { [ $_->[0], latency($_->[1]) ] } [ 'nobody' ], [ 'eight of a role with a budget', 'dp_bench_2' ], [ 'eight without', 'dp_bench_nobody' ],
  [ 'eight of a pool', 'dp_bench_member' ], [ 'eight of two pools', 'dp_bench_members' ];

run_sql('postgres', 'DROP DATABASE dp_bench WITH (FORCE)',
	"DO \$\$ BEGIN FOR i IN 1 .. $budgets LOOP EXECUTE format('DROP ROLE dp_bench_%s', i); COMMIT; END LOOP; END \$\$",
	'DROP ROLE dp_bench_nobody, dp_bench_member, dp_bench_members');
system('rm', '-rf', $directory);
