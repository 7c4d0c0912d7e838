# Whether what administrators look at takes longer than what there is of it grows: tables in a
# database, budgets in a ledger.
#
# How it is called: see test/bench/growth.pl.  Makes a database and roles of its own, and drops them.
package GrowthExposure;

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes 'time';

our @EXPORT_OK = qw(scenarios);

my $database = 'dp_growth';

sub scenarios
{
	return ([ 'tables of a database', \&many_tables ], [ 'budgets in a ledger', \&many_entries ]);
}

sub run_sql
{
	my ($where, @sql) = @_;
	system('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-d', $where,
		map { ('-c', $_) } 'SET client_min_messages = warning', @sql) == 0 or die;
	return;
}

# Milliseconds that a statement takes in a session of its own, of three the least.
sub least
{
	my ($sql) = @_;
	my @times;
	for (1 .. 3)
	{
		my $start = time;
		run_sql($database, $sql);
		push @times, 1000 * (time - $start);
	}
	return (sort { $a <=> $b } @times)[0];
}

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

sub set_up
{
	clean_up();
	run_sql('postgres', "CREATE DATABASE $database", 'CREATE ROLE dp_growth_analyst');
	run_sql($database, 'CREATE EXTENSION dp_agg');
	return;
}

# Measure statements where there is little and where there is more, which the last argument makes.
sub compare
{
	my ($few, $many, $what, $make, @statements) = @_;
	set_up();
	$make->(1, $few);
	my @small = map { least($_) } @statements;
	$make->($few + 1, $many);
	my @large = map { least($_) } @statements;
	print "$few and $many $what\n";
	printf "%-60s %10.1f %10.1f %8.2f\n", $statements[$_], $small[$_], $large[$_], $large[$_] / $small[$_] for 0 .. $#statements;
	clean_up();
	return;
}

sub many_tables
{
	my $make = sub {
		my ($from, $to) = @_;
		run_sql($database, <<"SQL", 'VACUUM ANALYZE');
DO \$\$
BEGIN
	FOR i IN $from .. $to LOOP
		EXECUTE format('CREATE TABLE growth_%s (id int PRIMARY KEY, age int, city text)', i);
		PERFORM dp_agg.protect(format('growth_%s', i)::regclass, 'id');
		IF i % 100 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END \$\$
SQL
	};
	compare(100, 10_000, 'protected tables', $make, "SELECT * FROM dp_agg.check_exposure('dp_growth_analyst')",
		"SELECT * FROM dp_agg.protected_tables WHERE relation = 'growth_7'::regclass", 'SELECT * FROM dp_agg.protected_tables');
	return;
}

sub many_entries
{
	my $make = sub {
		my ($from, $to) = @_;
		run_sql($database, <<"SQL", 'VACUUM ANALYZE');
DO \$\$
BEGIN
	FOR i IN $from .. $to LOOP
		EXECUTE format('CREATE ROLE dp_growth_%s', i);
		PERFORM dp_agg.set_budget(format('dp_growth_%s', i)::regrole, 10, 1e-6);
		IF i % 100 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END \$\$
SQL
	};
	compare(100, 10_000, 'budgets', $make, 'SELECT * FROM dp_agg.verify_ledger()', 'SET ROLE dp_growth_7; SELECT * FROM dp_agg.budgets');
	return;
}

1;
