# A protected table that cannot be read: an error on the way says so in fixed
# words, without names, places or values; and what is refused, priced or
# explained never meets it, because it reads nothing.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('damage');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE secret (id int, city text, age int);
INSERT INTO secret SELECT i, 'city ' || i % 2, i % 100 FROM generate_series(1, 10000) i;
SELECT dp_agg.protect('secret', 'id', 'default', 2, 2);
SQL
like(asked($node, 'SELECT dp_count(*) FROM secret'), qr/^-?\d+$/, 'sound, it answers');

# Overwrite its third page.
my $path = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('secret')");
$node->stop;
open my $file, '+<', $path or die "could not open $path: $!";
binmode $file;
seek $file, 2 * 8192, 0;
print $file "\xff" x 8192;
close $file or die "could not write $path: $!";
$node->start;
like(KeeperTest::outcome($node, 'SELECT count(*) FROM secret'), qr/^XX001: invalid page in block 2 of relation "?base/,
	'the damage is there for its owner');

my $failed = '58000: the differentially private release failed';
for my $query (
	'SELECT dp_count(*) FROM secret',
	'SELECT dp_sum(age, 0, 100) FROM secret WHERE age > 5',
	'SELECT city, dp_count(*), dp_avg(age, 0, 100) FROM secret GROUP BY city',
	"SELECT * FROM dp_histogram('secret', 'age', 0, 100, 10)",
	'EXPLAIN ANALYZE SELECT dp_count(*) FROM secret')
{
	for my $settings ('', 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_tuple_cost = 0;')
	{
		my $before = admitted($node);
		my $run = start_as($node, [ 'SET client_min_messages = debug5', split(/(?<=;) /, $settings), $query ]);
		my $name = $query . ($settings ? ' in parallel' : '');
		is(finish($run), $failed, "$name: fails in fixed words");
		unlike($run->{err}, qr/base\/|invalid page|block \d|CONTEXT/, "$name: and no others");
		is(admitted($node), $before + 1, "$name: charged");
	}
}
is(asked($node, <<'SQL'), 't', 'the session goes on');
DO $$
BEGIN
	PERFORM dp_count(*) FROM secret;
EXCEPTION WHEN system_error THEN
	NULL;
END $$;
SELECT dp_count(*) IS NOT NULL FROM people;
SQL
my $after = start_as($node, [ 'SELECT dp_count(*) FROM secret', 'SELECT dp_agg_internal.detoasted(1)' ]);
finish($after);
like($after->{err}, qr/ERROR: +58000: .*ERROR: +42501: exact totals are only available/s, 'and is under no release any more');

# Nothing is read for a price, a plan, a refusal, or an error in the text.
my $before = admitted($node);
is(asked($node, "SELECT admitted FROM dp_agg.price('SELECT dp_count(*) FROM secret')"), 't', 'a price reads nothing');
like(asked($node, 'EXPLAIN SELECT dp_count(*) FROM secret'), qr/Statement Price/, 'nor does EXPLAIN');
like(asked($node, [ 'SET dp_agg.epsilon = 10000', 'SELECT dp_count(*) FROM secret' ]), qr/^53400: privacy budget exhausted/,
	'nor does what is refused for want of budget');
like(asked($node, 'SELECT dp_count(*) FROM secret', 'eve'), qr/^42501: role "eve" has no budget/, 'nor for want of a budget');
like(asked($node, 'SELECT dp_count(*) FROM secret WHERE random() < 1'), qr/^0A000: /, 'nor what is not allowed');
like(asked($node, 'SELECT dp_count(age, 0) FROM secret'), qr/^22023: /, 'nor what makes no sense');
like(asked($node, [ 'BEGIN ISOLATION LEVEL SERIALIZABLE', 'SELECT dp_count(*) FROM secret' ]), qr/^0A000: /, 'nor what is serializable');
is(asked($node, [ 'BEGIN', 'DECLARE c CURSOR FOR SELECT dp_count(*) FROM secret', 'CLOSE c', 'COMMIT', 'SELECT 1' ]), '1',
	'nor a cursor that is never fetched from');
is(admitted($node), $before, 'and none of these is charged');
books_balance($node, 'the books balance');

$node->stop;
done_testing();
