# Links through foreign keys survive pg_dump in either format, though labels are
# restored before foreign keys; so do domains of columns, and the answers.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('links');
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA "Shop x";
CREATE TABLE "Shop x".orders (id int PRIMARY KEY, customer int);
CREATE TABLE "Shop x"."Line ""items""" (id int, place text, "order" int NOT NULL REFERENCES "Shop x".orders, PRIMARY KEY (id, place)) PARTITION BY LIST (place);
CREATE TABLE "Shop x".items_a PARTITION OF "Shop x"."Line ""items""" FOR VALUES IN ('a');
CREATE TABLE "Shop x".items_b PARTITION OF "Shop x"."Line ""items""" DEFAULT;
CREATE TABLE "Shop x".parcels (place text NOT NULL, item int NOT NULL, FOREIGN KEY (item, place) REFERENCES "Shop x"."Line ""items""");
INSERT INTO "Shop x".orders SELECT i, i / 2 FROM generate_series(1, 100) i;
INSERT INTO "Shop x"."Line ""items""" SELECT i, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END, i % 100 + 1 FROM generate_series(1, 300) i;
INSERT INTO "Shop x".parcels SELECT place, id FROM "Shop x"."Line ""items""" WHERE id % 3 = 0;
SELECT dp_agg.protect('"Shop x".orders', 'customer'), dp_agg.protect('"Shop x"."Line ""items"""', 'order', through => '"Shop x".orders', max_rows => 8),
	dp_agg.protect('"Shop x".parcels', 'item', through => '"Shop x"."Line ""items"""', max_rows => 8, max_values => 5, max_join_rows => 7, clip_max_rows => 9);
SELECT dp_agg.set_domain('"Shop x"."Line ""items"""', 'place', ARRAY['a', 'b', '\ {"x"}']), dp_agg.set_domain('"Shop x"."Line ""items"""', 'id', 1, 300),
	dp_agg.hide_column('"Shop x".parcels', 'place');
CREATE TABLE "Shop x"."A kind" (id int PRIMARY KEY, "other id" int UNIQUE);
INSERT INTO "Shop x"."A kind" VALUES (3, 30), (-1, -10);
SELECT dp_agg.set_domain('"Shop x".parcels', 'item', refers_to => '"Shop x"."A kind".id'), dp_agg.set_domain('"Shop x".orders', 'id', '"Shop x"."A kind"."other id"');
GRANT SELECT ON "Shop x"."A kind" TO ann;
GRANT USAGE ON SCHEMA "Shop x" TO ann;
SQL

# At epsilon 10 each answer is within 30 but for a probability of e^-37.
my $state = 'SELECT * FROM dp_agg.protected_tables ORDER BY relation::text COLLATE "C"';
my @questions = (
	[ 'SELECT abs(dp_count(1, 10) - 300) <= 30 FROM "Shop x"."Line ""items"""', 'a linked table' ],
	[ 'SELECT abs(dp_count(1, 10) - 100) <= 30 FROM "Shop x".parcels', 'one linked through it' ],
	[ 'SELECT count(*) = 3 FROM (SELECT place, dp_count(1, 10) FROM "Shop x"."Line ""items"""  GROUP BY place) s', 'declared keys' ],
	[ 'SELECT array_agg(item ORDER BY item) = ARRAY[-1, 3] FROM (SELECT item, dp_count(1, 10) FROM "Shop x".parcels GROUP BY item) s', 'keys that a public table has' ]);
my $declared = 'SELECT * FROM dp_agg.protected_columns ORDER BY relation::text COLLATE "C", "column"';
my $before = $node->safe_psql('postgres', $state);
my $columns = $node->safe_psql('postgres', $declared);
like($columns, qr/\|1\|300\|.*\{a,b,.*\|t\|f$/ms, 'so is what is declared of columns');
like($before, qr/^"Shop x"\.parcels\|item\|default\|8\|1\|"Shop x"\."Line ""items"""\|5\|7\|9$/m, 'links are shown');
is(asked($node, $_->[0]), 't', $_->[1]) for @questions;

my $dump = PostgreSQL::Test::Utils::tempdir;
for my $format ('plain', 'custom')
{
	$node->safe_psql('postgres', "CREATE DATABASE restored");
	$node->command_ok([ 'pg_dump', "--format=$format", '-d', $node->connstr('postgres'), '-f', "$dump/$format" ], "dumped: $format");
	$node->command_ok($format eq 'plain' ? [ 'psql', '-XqAt', '-o', '/dev/null', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('restored'), '-f', "$dump/$format" ]
		: [ 'pg_restore', '--exit-on-error', '-d', $node->connstr('restored'), "$dump/$format" ], 'restored');
	is($node->safe_psql('restored', $state), $before, 'links are the same');
	is($node->safe_psql('restored', $declared), $columns, 'and what is declared of columns');
	$node->safe_psql('restored', 'SELECT dp_agg.acknowledge_copy()');
	for my $question (@questions)
	{
		local $ENV{PGUSER} = 'ann';
		is($node->safe_psql('restored', $question->[0]), 't', "$question->[1], restored");
	}
	$node->safe_psql('restored', 'ALTER TABLE "Shop x".parcels DROP CONSTRAINT parcels_item_place_fkey');
	is($node->safe_psql('restored', "SELECT through FROM dp_agg.protected_tables WHERE relation = '\"Shop x\".parcels'::regclass"), '-', 'without its foreign key it leads nowhere');
	$node->safe_psql('postgres', 'DROP DATABASE restored WITH (FORCE)');
}

# Without the rows of a foreign key that was not checked: what bypassed it does not count.
$node->safe_psql('postgres', <<'SQL');
SET session_replication_role = replica;
INSERT INTO "Shop x".parcels SELECT 'a', -i FROM generate_series(1, 10000) i;
SQL
is(asked($node, $questions[1][0]), 't', 'rows without a parent do not count');
$node->stop;
done_testing();
