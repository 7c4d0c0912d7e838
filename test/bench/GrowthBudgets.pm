# Whether what a charge and a look at budgets take grows with what others leave: very
# many budgets, roles of which one is a member, versions of a row that somebody's
# transaction keeps from being removed.
#
# How it is called: scenarios() returns a list of [name, coderef].  Each coderef takes
# nothing, makes a database and roles of its own on the server that the usual PG* variables
# reach, as a superuser, drops them, and prints a line for each thing measured: the
# milliseconds at the small and at the large size, and their ratio.  Needs dp_agg preloaded,
# test/modules installed, and psql and pgbench.  DP_BENCH_SECONDS is how long each
# measurement takes, 3 by default.
package GrowthBudgets;

use strict;
use warnings;

use Exporter 'import';
use File::Temp;
use IPC::Open2;

our @EXPORT_OK = qw(scenarios);

my $database = 'dp_growth';

my $seconds = $ENV{DP_BENCH_SECONDS} // 3;

sub scenarios
{
	return (
		[ 'budgets of others', \&many_budgets ],
		[ 'memberships', \&many_memberships ],
		[ 'versions of a row that a transaction keeps', \&many_versions ],
		[ 'versions of kept answers', \&many_answers ]);
}

sub run_sql
{
	my ($where, @sql) = @_;
	system('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-d', $where,
		map { ('-c', $_) } 'SET client_min_messages = warning', @sql) == 0 or die;
	return;
}

sub set_up
{
	my (@sql) = @_;
	# Machines may stop for longer than a charge may take.
	clean_up();
	run_sql('postgres', "CREATE DATABASE $database", "ALTER DATABASE $database SET dp_agg.charge_timeout = 0");
	run_sql($database, 'CREATE EXTENSION dp_agg', 'CREATE EXTENSION charge', <<'SQL', @sql);
CREATE FUNCTION growth_charge(role regrole) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RETURN test_charge(role, 'default', 1e-6);
EXCEPTION WHEN insufficient_privilege THEN
	RETURN NULL;
END $$;
CREATE PROCEDURE growth_charge_often(role regrole, times int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. times LOOP
		PERFORM test_charge(role, 'default', 1e-6);
		COMMIT;
	END LOOP;
END $$;
SQL
	return;
}

# Drop the database, and the roles that scenarios make, also those that one left that failed.
sub clean_up
{
	run_sql('postgres', "DROP DATABASE IF EXISTS $database WITH (FORCE)", <<'SQL');
DO $$
DECLARE
	name name;
BEGIN
	FOR name IN SELECT rolname FROM pg_roles WHERE rolname LIKE 'dp\_growth\_%' LOOP
		EXECUTE format('DROP ROLE %I', name);
		COMMIT;
	END LOOP;
END $$
SQL
	return;
}

# Make roles of a prefix and these numbers, and do something with each.
sub make_roles
{
	my ($prefix, $from, $to, $do) = @_;
	run_sql($database, <<"SQL");
DO \$\$
BEGIN
	FOR i IN $from .. $to LOOP
		EXECUTE format('CREATE ROLE %I', '$prefix' || i);
		EXECUTE format(\$do\$$do\$do\$, '$prefix' || i);
		IF i % 20 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END \$\$
SQL
	return;
}

# A script for pgbench.
sub script
{
	my ($sql) = @_;
	my $file = File::Temp->new;
	print $file "$sql;\n";
	close $file;
	return $file;
}

# Milliseconds that a statement takes on average, of one session.
sub latency
{
	my ($sql) = @_;
	my $file = script($sql);
	my $told = qx(pgbench -n -c 1 -T $seconds -f $file $database 2>&1);
	return $told =~ /^latency average = ([\d.]+) ms/m ? $1 : die "pgbench failed:\n$told";
}

# The same beside eight sessions that ask something else all the time.
sub latency_beside
{
	my ($sql, $beside) = @_;
	my $file = script($beside);
	my $others = fork // die;
	if ($others == 0)
	{
		open STDOUT, '>', '/dev/null';
		exec 'pgbench', '-n', '-c', 8, '-j', 1, '-T', $seconds + 2, '-f', $file, $database or die;
	}
	sleep 1;
	my $latency = latency($sql);
	waitpid $others, 0;
	return $latency;
}

# Milliseconds of a processor's time that the keeper takes for a charge, of eight sessions
# at once; zero where the system does not say.
sub keeper_time
{
	my ($sql) = @_;
	my $keeper = qx(psql -XAt -d $database -c "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dp_agg keeper' AND datname = '$database'");
	chomp $keeper;
	my $ran = sub {
		open my $file, '<', "/proc/$keeper/schedstat" or return 0;
		return (split / /, <$file>)[0];
	};
	my $file = script($sql);
	my $before = $ran->();
	my $told = qx(pgbench -n -c 8 -j 1 -T $seconds -f $file $database 2>&1);
	my ($charges) = $told =~ /^number of transactions actually processed: (\d+)/m or die "pgbench failed:\n$told";
	return ($ran->() - $before) / 1e6 / $charges;
}

# What is measured of a statement: how long it takes, unless something else is asked for.
sub measure
{
	my (undef, $sql, $how) = @{ $_[0] };
	return ($how // \&latency)->($sql);
}

sub report
{
	my ($what, $small, $large) = @_;
	printf "%-60s %10.3f %10.3f %8.2f\n", $what, $small, $large, $small ? $large / $small : 0;
	return;
}

# Measure statements, do something, and measure them again; names and statements take turns.
# A third element makes eight sessions ask that beside.
sub compare
{
	my ($do, @what) = @_;
	my $measure = sub { return map { defined $_->[2] ? latency_beside(@$_[ 1, 2 ]) : latency($_->[1]) } @what };
	my @small = $measure->();
	$do->();
	my @large = $measure->();
	report($what[$_][0], $small[$_], $large[$_]) for 0 .. $#what;
	return;
}

my $charge = "SELECT growth_charge('dp_growth_1')";

sub many_budgets
{
	my ($few, $many) = (100, 20_000);
	my $grant = "SELECT dp_agg.set_budget('%1\$I'::regrole, 1e6, 1e-6)";

	set_up();
	make_roles('dp_growth_', 1, $few, $grant);
	run_sql($database, 'VACUUM ANALYZE', 'CREATE ROLE dp_growth_nobody', 'CREATE ROLE dp_growth_member IN ROLE dp_growth_2',
		'CREATE ROLE dp_growth_members IN ROLE dp_growth_2, dp_growth_3');
	print "$few and $many budgets\n";
	compare(
		sub { make_roles('dp_growth_', $few + 1, $many, $grant); run_sql($database, 'VACUUM ANALYZE'); },
		[ 'a charge', $charge ],
		[ 'a charge to a pool', "SELECT growth_charge('dp_growth_member')" ],
		[ 'a refusal of who has no budget', "SELECT growth_charge('dp_growth_nobody')" ],
		[ 'a refusal of who has several pools', "SELECT growth_charge('dp_growth_members')" ],
		[ 'a look at one\'s own', 'SET ROLE dp_growth_1; SELECT * FROM dp_agg.budgets' ],
		[ 'a charge beside eight without a budget', $charge, "SELECT growth_charge('dp_growth_nobody')" ],
		[ 'a charge beside eight of a pool', $charge, "SELECT growth_charge('dp_growth_member')" ]);
	clean_up();
	return;
}

sub many_memberships
{
	my ($few, $many) = (1, 1000);

	set_up();
	make_roles('dp_growth_', 1, 2, "SELECT dp_agg.set_budget('%1\$I'::regrole, 1e6, 1e-6)");
	run_sql($database, 'CREATE ROLE dp_growth_member IN ROLE dp_growth_2');
	print "$few and $many roles that a member of a pool is in\n";
	compare(
		sub { make_roles('dp_growth_more_', $few + 1, $many, 'GRANT %1$I TO dp_growth_member'); },
		[ 'a charge of the member', "SELECT growth_charge('dp_growth_member')" ],
		[ 'a charge beside eight of the member', $charge, "SELECT growth_charge('dp_growth_member')" ]);
	clean_up();
	return;
}

# Measure statements before versions are made, while a transaction keeps them, and after it
# and a VACUUM.
sub compare_versions
{
	my ($make, $many, $vacuum, @what) = @_;
	my $holder = open2(my $out, my $in, 'psql', '-X', '-q', '-d', $database);
	my @small = map { measure($_) } @what;
	print $in "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;\n";
	$in->flush;
	my $line = <$out>;
	$make->();
	my @large = map { measure($_) } @what;
	close $in;
	waitpid $holder, 0;
	run_sql($database, $vacuum);
	my @after = map { measure($_) } @what;
	print "none and $many versions that a transaction keeps\n";
	report($what[$_][0], $small[$_], $large[$_]) for 0 .. $#what;
	print "the same after that transaction and a VACUUM\n";
	report($what[$_][0], $small[$_], $after[$_]) for 0 .. $#what;
	clean_up();
	return;
}

sub many_versions
{
	my ($few, $many) = (100, $ENV{DP_BENCH_VERSIONS} // 20_000);

	set_up();
	make_roles('dp_growth_', 1, 2, "SELECT dp_agg.set_budget('%1\$I'::regrole, 1e6, 1e-6)");
	run_sql($database, 'CREATE TABLE growth AS SELECT i FROM generate_series(1, 10) i', "SELECT dp_agg.protect('growth', 'i')",
		'GRANT dp_growth_1 TO dp_growth_2');
	run_sql($database, "CALL growth_charge_often('dp_growth_1', $few)");
	compare_versions(
		sub { run_sql($database, "CALL growth_charge_often('dp_growth_1', $many)") }, $many,
		'VACUUM dp_agg.budget, dp_agg.ledger',
		[ 'a charge', $charge ],
		[ 'the keeper for a charge, of eight sessions', $charge, \&keeper_time ],
		[ 'a price', "SET ROLE dp_growth_1; SELECT * FROM dp_agg.price('SELECT dp_count(*) FROM growth')" ],
		[ 'a look at one\'s own', 'SET ROLE dp_growth_1; SELECT * FROM dp_agg.budgets' ],
		[ 'an administrator\'s look at all', 'SELECT * FROM dp_agg.budgets' ]);
	return;
}

sub many_answers
{
	my $many = $ENV{DP_BENCH_VERSIONS} // 20_000;
	my ($count, $groups) = ('SELECT dp_count(*) FROM growth', 'SELECT well, dp_sum(age, 0, 90) FROM growth GROUP BY well');
	my $again = "SET dp_agg.kept_max_age = '1 day'; SET dp_agg.kept_rollup = 2;";

	set_up();
	run_sql($database, 'CREATE TABLE growth AS SELECT i, i % 2 = 0 AS well, i % 90 AS age FROM generate_series(1, 100) i', 'ALTER TABLE growth ADD PRIMARY KEY (i)',
		"SELECT dp_agg.protect('growth', 'i'), dp_agg.set_budget(current_user::regrole, 1e6, 1e-3)", $count, $groups);
	compare_versions(
		sub {
			my $file = script("$count;\n$groups");
			system("pgbench -n -c 1 -t $many -f $file $database >/dev/null 2>&1") == 0 or die;
		}, "twice $many", 'VACUUM dp_agg.budget, dp_agg.ledger, dp_agg.kept_answer',
		[ 'an answer shown again', "$again $count" ],
		[ 'one added up', "$again SELECT dp_sum(age, 0, 90) FROM growth" ],
		[ 'a look at one\'s answers', 'SELECT * FROM dp_agg.kept' ]);
	return;
}

1;
