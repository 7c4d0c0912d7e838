# Exactness: at a huge epsilon every answer over tables that find their unit through
# foreign keys equals a hand-written bounded query, on random data, joins, conditions,
# keys and bounds.
#
# At epsilon 2^20 noise of a count or sum of bound b over L groups has scale s = b L / 2^20,
# here 0.031 at most, and is not 0 with a probability below 2 e^-32: chance fails one
# of some thousands of groups with a probability below 1e-9.  A group of one unit is not
# released, one of two is, but for a probability of e^-100: the threshold lies between.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use Test::More;

use constant { CASES => 150, GROUPS => 40 };

my $node = new_gate('links_exact', conf => "jit = off\nmin_parallel_table_scan_size = 0\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\n");
my $seed = $ENV{DP_FUZZ_SEED} // time;
srand($seed);
note("seed $seed");
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE persons (id bigint PRIMARY KEY, region int);
CREATE TABLE orders (id int PRIMARY KEY, person int, day int);
CREATE TABLE items (id int PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders, product int, price int);
CREATE TABLE notes (item int NOT NULL REFERENCES items, len smallint);
CREATE TABLE slips (order_id int UNIQUE NOT NULL REFERENCES orders, sum int);
CREATE TABLE products (product int PRIMARY KEY, kind text);
INSERT INTO persons SELECT i, random() * 4 FROM generate_series(1, 300) i;
INSERT INTO orders SELECT i, CASE WHEN random() < 0.9 THEN floor(400 * random() ^ 3) END, random() * 6 FROM generate_series(1, 1500) i;
INSERT INTO items SELECT i, 1 + floor(1500 * random() ^ 2), CASE WHEN random() < 0.9 THEN random() * 9 END, CASE WHEN random() < 0.8 THEN random() * 200 - 50 END FROM generate_series(1, 4000) i;
INSERT INTO notes SELECT 1 + floor(4000 * random() ^ 2), random() * 30 FROM generate_series(1, 6000);
INSERT INTO slips SELECT id, random() * 50 FROM orders WHERE random() < 0.5;
INSERT INTO products SELECT i, 'kind ' || i % 3 FROM generate_series(0, 7) i;
GRANT SELECT ON products TO ann;
SELECT dp_agg.protect('persons', 'id', max_rows => 9), dp_agg.protect('orders', 'person');
SELECT dp_agg.protect('items', 'order_id', through => 'orders'), dp_agg.protect('slips', 'order_id', through => 'orders');
SELECT dp_agg.protect('notes', 'item', through => 'items');
SELECT dp_agg.set_budget('ann', 1e13, 1e-3);
ANALYZE;
SQL

# FROM as the analyst writes it, and what the other query adds to have the unit there;
# columns to count and group.
my ($up, $further) = ('JOIN orders o ON o.id = i.order_id', 'JOIN items i ON i.id = n.item JOIN orders o ON o.id = i.order_id');
my @i = qw(i.product i.price);
my @froms = (
	[ 'items i', $up, @i ],
	[ 'notes n', $further, 'n.len' ],
	[ 'slips s', 'JOIN orders o ON o.id = s.order_id', 's.sum' ],
	[ "items i $up", '', @i, 'o.day' ],
	[ "notes n $further", '', @i, qw(n.len o.day) ],
	[ 'notes n JOIN items i ON i.id = n.item', $up, @i, 'n.len' ],
	[ "persons p JOIN orders o ON o.person = p.id JOIN items i ON o.id = i.order_id", '', @i, qw(o.day p.region) ],
	[ 'items i JOIN slips s ON s.order_id = i.order_id', $up, @i, 's.sum' ],
	[ 'items i LEFT JOIN slips s ON s.order_id = i.order_id AND s.sum > 20', $up, @i, 's.sum' ],
	[ 'notes n LEFT JOIN items i ON i.id = n.item AND i.price > 0', 'JOIN items h ON h.id = n.item JOIN orders o ON o.id = h.order_id', qw(n.len i.price) ],
	[ 'slips s LEFT JOIN orders o ON o.id = s.order_id', '', qw(s.sum o.day) ],
	[ 'orders o LEFT JOIN slips s ON s.order_id = o.id', '', qw(s.sum o.day) ],
	[ 'items i JOIN products k ON k.product = i.product', $up, @i, 'k.kind' ],
	[ 'items i LEFT JOIN products k ON k.product = i.product', $up, @i, 'k.kind' ],
	[ '(SELECT order_id, price, product FROM items WHERE price > 10) i', $up, @i ]);

sub pick { return $_[ int rand @_ ] }

my $failed = 0;
for my $case (1 .. CASES)
{
	my ($from, $unit, @columns) = @{ $froms[ $case % @froms ] };
	my @numbers = grep { !/kind/ } @columns;
	my ($rows, $value) = (1 + int rand 12, pick(@numbers));
	my ($lower, $upper) = (-int rand 100, int rand 800);
	my @keys = rand() < 0.3 ? () : (pick(grep { !/price|sum/ } @columns));
	@keys = () if !defined $keys[0];
	my $where = pick('true', pick(@numbers) . ' > ' . int rand 30, pick(@numbers) . ' IS NOT NULL', pick(@columns) . ' IS NULL OR ' . pick(@numbers) . ' < 40');
	my ($key, $by) = @keys ? ("@keys AS key", 'GROUP BY 1') : ('0 AS key', '');
	my $private = 'SELECT ' . (@keys ? $key : '0') . ", dp_count(*), dp_count($value), dp_sum($value, $lower, $upper) FROM $from WHERE ($where) " . (@keys ? 'GROUP BY 1 ORDER BY 1' : '');
	my $plain = "SELECT key, COALESCE(sum(a), 0), COALESCE(sum(b), 0), COALESCE(sum(least(greatest(COALESCE(c, 0), $lower), $upper)), 0) FROM
		(SELECT o.person, $key, least(count(*), $rows) AS a, least(count($value), $rows) AS b, sum($value) AS c FROM $from $unit
		WHERE ($where) AND o.person IS NOT NULL GROUP BY 1, 2) u " . (@keys ? 'GROUP BY key HAVING count(*) >= 2 ORDER BY 1' : 'WHERE true');
	$plain = "SELECT 0, COALESCE(sum(b), 0), COALESCE(sum(c), 0), COALESCE(sum(d), 0) FROM ($plain GROUP BY key) x (a, b, c, d)" unless @keys;
	my $workers = pick(0, 2);
	my ($got, $wanted) = map { $node->safe_psql('postgres', $_) }
	  "SET ROLE ann; SET max_parallel_workers_per_gather = $workers; SET dp_agg.epsilon = 1048576; SET dp_agg.max_rows = $rows;
		SET dp_agg.max_groups = " . (@keys ? GROUPS : 0) . "; $private", $plain;
	next if $got eq $wanted;
	$failed++;
	diag("case $case of seed $seed:\n$private\n$plain\n$got\nnot\n$wanted") if $failed < 4;
}
is($failed, 0, CASES . ' random queries are exact');
$node->stop;
done_testing();
