# What dp_agg.verify_ledger takes of memory does not grow with budgets, and it finds the
# same where these are too many for maintenance_work_mem.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_server('many_budgets', conf => "autovacuum = off\nfsync = off\n");

# Give budgets to so many new roles.
sub make_budgets
{
	my ($from, $to) = @_;
	$node->safe_psql('postgres', <<"SQL");
DO \$\$
BEGIN
	FOR i IN $from .. $to LOOP
		EXECUTE format('CREATE ROLE many_%s', i);
		PERFORM dp_agg.set_budget(format('many_%s', i)::regrole, 10, 1e-6);
		IF i % 100 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END \$\$
SQL
	return;
}

# What a verification finds, after some tampering, if maintenance_work_mem is so much.
sub found
{
	my ($memory, $tampering) = @_;
	return $node->safe_psql('postgres', <<"SQL");
SET maintenance_work_mem = '$memory';
BEGIN;
$tampering;
SELECT * FROM dp_agg.verify_ledger() ORDER BY id, problem;
ROLLBACK;
SQL
}

sub finds_the_same
{
	my ($tampering, $problem) = @_;
	my $found = found('1GB', $tampering);
	like($found, $problem, "$tampering: found");
	is(found('1MB', $tampering), $found, "$tampering: with little memory too");
	return;
}

# Kilobytes that a session grew by, at most, while it verified.
sub grown
{
	my $status = q{regexp_replace(pg_read_file('/proc/self/status'), '.*VmHWM:\s+(\d+).*RssAnon:\s+(\d+).*RssFile:\s+(\d+).*RssShmem:\s+(\d+).*', '\1 \2 \3 \4')};
	my ($before, $after) = grep { /^\d+ \d+ \d+ \d+$/ } split /\n/, $node->safe_psql('postgres', <<"SQL");
SET maintenance_work_mem = '1MB';
BEGIN;
DELETE FROM dp_agg.ledger WHERE id > 100;
DELETE FROM dp_agg.budget WHERE number > 50;
SELECT count(*) FROM dp_agg.verify_ledger();
ROLLBACK;
COPY (SELECT 5) TO PROGRAM 'cat > /proc/\$PPID/clear_refs';
SELECT $status;
SELECT count(*) FROM dp_agg.verify_ledger();
SELECT $status;
SQL
	my ($most, undef, $file, $shared) = split / /, $after;
	return $most - $file - $shared - (split / /, $before)[1];
}

my $has_peak = -w '/proc/self/clear_refs' && slurp_file('/proc/self/status') =~ /VmHWM/;
make_budgets(1, 1000);
my $few = $has_peak ? grown() : 0;

# A cap is of the first numbers, or of the last; a budget that pays of either.
$node->safe_psql('postgres', "SELECT test_charge('many_2', 'default', 0.25)");
$node->safe_psql('postgres', "SELECT dp_agg.set_dataset_cap('default', 100, 1e-6)");
make_budgets(1001, 6000);
$node->safe_psql('postgres', 'VACUUM ANALYZE');
$node->safe_psql('postgres', "SELECT test_charge(role, 'default', epsilon) FROM (VALUES ('many_1'::regrole, 0.5), ('many_6000', 0.5), ('many_3', 20), ('many_5999', 20), ('many_2', 0.25)) r (role, epsilon)");
$node->safe_psql('postgres', "SELECT dp_agg.drop_budget('many_4'), dp_agg.drop_budget('many_4000'), dp_agg.reset_budget('many_2'), dp_agg.set_budget('many_4', 1, 0)");
is(found('1GB', ''), '', 'the ledger verifies');
is(found('1MB', ''), '', 'with little memory too');

SKIP:
{
	skip 'the kernel does not say what a process has had at most', 1 unless $has_peak;
	my $many = grown();
	cmp_ok($many, '<', $few + 1024, "verifying takes no more of memory ($few kB, $many kB)");
}

my $charge = "(SELECT max(id) FROM dp_agg.ledger WHERE event = 'charge' AND payer = ";
finds_the_same("UPDATE dp_agg.budget SET pure_spent = 0 WHERE role::oid = 0", qr/cap \d+ on data set "default" has not spent/);
finds_the_same("UPDATE dp_agg.budget SET statements = 7 WHERE role IN ('many_1'::regrole, 'many_6000'::regrole)", qr/"many_1".*counts other statements.*\n.*"many_6000".*counts/);
finds_the_same("DELETE FROM dp_agg.ledger WHERE event = 'charge' AND payer = 'many_6000'", qr/missing/);
finds_the_same("UPDATE dp_agg.ledger SET pure_epsilon = 0 WHERE id IN (${charge}'many_1'), ${charge}'many_6000'))", qr/cost does not follow from releases.*cost does not follow from releases/s);
finds_the_same("UPDATE dp_agg.ledger SET admitted = NULL WHERE id = ${charge}'many_6000')", qr/both/);
finds_the_same("UPDATE dp_agg.ledger SET cap = 99999 WHERE id = ${charge}'many_1')", qr/its cap was never set/);
finds_the_same("UPDATE dp_agg.ledger SET cap = NULL WHERE id = ${charge}'many_6000')", qr/cap \d+ on data set "default" has not spent/);
finds_the_same("UPDATE dp_agg.ledger SET budget = NULL WHERE id = ${charge}'many_6000')", qr/row is about no budget/);
finds_the_same("UPDATE dp_agg.ledger SET budget = " . ($_ < 0 ? "($_)" : $_) . " WHERE id = ${charge}'many_6000')", qr/its budget was never set/)
  for 99999, '9223372036854775807', '-9223372036854775808';
finds_the_same("UPDATE dp_agg.ledger SET budget = 5 WHERE event = 'set' AND payer = 'many_6000'", qr/is another's|is not in the ledger/);
finds_the_same("DELETE FROM dp_agg.budget WHERE role IN ('many_7'::regrole, 'many_5000'::regrole)", qr/"many_5000".*is gone.*"many_7".*is gone/s);
finds_the_same('INSERT INTO dp_agg.budget SELECT b.* FROM dp_agg.budget a, LATERAL (SELECT (jsonb_populate_record(a, jsonb_build_object(\'number\', 9223372036854775807, \'dataset\', \'x\'))).*) b WHERE a.role = \'many_9\'::regrole', qr/is not in the ledger/);
finds_the_same("UPDATE dp_agg.budget SET rdp_spent = rdp_spent[1:3] WHERE role = 'many_6000'::regrole", qr/makes no sense/);

# Nor is the ledger walked more often where numbers lie far apart.
sub pages
{
	my ($pages) = $node->safe_psql('postgres', "SET maintenance_work_mem = '1MB'; EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) SELECT * FROM dp_agg.verify_ledger()") =~ /Buffers: shared hit=(\d+)/;
	return $pages;
}

my $dense = pages();
# Each is set after one of a far greater number, which then goes.
my $columns = $node->safe_psql('postgres', "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'dp_agg.budget'::regclass AND attnum > 0 AND attname NOT IN ('number', 'dataset')");
$node->safe_psql('postgres', <<"SQL");
DO \$\$
BEGIN
	FOR i IN 6001 .. 6300 LOOP
		EXECUTE format('CREATE ROLE many_%s', i);
		INSERT INTO dp_agg.budget (number, dataset, $columns)
			SELECT number + 1000000, 'far', $columns FROM dp_agg.budget ORDER BY number DESC LIMIT 1;
		PERFORM dp_agg.set_budget(format('many_%s', i)::regrole, 10, 1e-6);
		DELETE FROM dp_agg.budget WHERE dataset = 'far';
		COMMIT;
	END LOOP;
END \$\$
SQL
my $sparse = pages();
cmp_ok($sparse, '<', 2 * $dense, "pages that are read ($dense, $sparse)");

# Of rows that were removed, too.
$node->safe_psql('postgres', "SELECT dp_agg.compact_ledger('infinity')");
$node->safe_psql('postgres', "SELECT test_charge('many_6000', 'default', 0.5)");
is(found($_, ''), '', "$_: a compacted ledger verifies") for '1GB', '1MB';
is($node->safe_psql('postgres', "SELECT count(*) = (SELECT (count(*) + 63) / 64 FROM dp_agg.budget), max(jsonb_array_length(releases -> 'budgets')) FROM dp_agg.ledger WHERE event = 'checkpoint'"), 't|64', 'no row of a checkpoint grows with budgets');
SKIP:
{
	skip 'the kernel does not say what a process has had at most', 1 unless $has_peak;
	my $many = grown();
	cmp_ok($many, '<', $few + 1024, "verifying takes no more of memory from a checkpoint ($few kB, $many kB)");
}
my $last = "(SELECT max(id) FROM dp_agg.ledger WHERE event = 'checkpoint')";
for my $tampering ("DELETE FROM dp_agg.ledger WHERE id = $last", "DELETE FROM dp_agg.ledger WHERE id = $last - 7", "DELETE FROM dp_agg.ledger WHERE id < $last - 7",
	"UPDATE dp_agg.ledger SET event = 'reset' WHERE id = $last - 7", "UPDATE dp_agg.ledger SET releases = jsonb_set(releases, '{part}', '1') WHERE id = $last")
{
	my ($ret, $out, $err) = $node->psql('postgres', "BEGIN; $tampering; SELECT count(*) FROM dp_agg.verify_ledger(); ROLLBACK");
	like($err, qr/checkpoint of the ledger makes no sense/, "$tampering: found");
}
finds_the_same("UPDATE dp_agg.ledger SET releases = jsonb_set(releases, '{budgets,5,pure}', '0.125') WHERE id IN ($last, $last - 7)", qr/hash does not match/);
finds_the_same("UPDATE dp_agg.budget SET refusals = 0", qr/"many_3".*counts other statements.*"many_5999".*counts/s);
finds_the_same("DELETE FROM dp_agg.budget WHERE role IN ('many_7'::regrole, 'many_5000'::regrole)", qr/"many_5000".*is gone.*"many_7".*is gone/s);
$node->stop;
done_testing();
