# A join below a release reads both its sides to the end, whether or not any row of
# the other passes WHERE, and no index is looked into for what another found: else
# the time it takes would tell whether somebody is there, for the price of the
# cheapest release.  Nor do values of public tables that lie out of line wait for
# a row to be joined with.
#
# Which pages a statement read is told by what the buffers hold after a restart.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('whole');
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pg_buffercache;
CREATE TABLE visits (id int, city text, cost int);
INSERT INTO visits SELECT i % 1000 + 1, 'city ' || i % 2, CASE WHEN i = 77 THEN 77 ELSE i % 10 END FROM generate_series(1, 5000) i;
UPDATE people SET city = '77' WHERE id = 77;
ALTER TABLE people ADD name text;
UPDATE people SET name = id + (id > 77)::int;
CREATE INDEX people_name ON people (name);
CREATE INDEX people_age ON people (age);
CREATE TABLE towns (age int PRIMARY KEY, size int, name text, long text);
ALTER TABLE towns ALTER long SET STORAGE EXTERNAL;
INSERT INTO towns SELECT i, i % 10, repeat('x', 50), CASE WHEN i < 100 THEN repeat('x', 5000) END FROM generate_series(0, 2000) i;
SELECT dp_agg.protect('visits', 'id', max_rows => 5);
GRANT CREATE ON SCHEMA public TO ann;
GRANT SELECT ON towns TO ann;
SELECT dp_agg.set_budget('ann', 1e6, 1e-6);
SET ROLE ann;
CREATE TABLE mine (age int PRIMARY KEY, size int, name text, long text);
ALTER TABLE mine ALTER long SET STORAGE EXTERNAL;
INSERT INTO mine SELECT i, i % 10, repeat('x', 50), CASE WHEN i < 100 THEN repeat('x', 5000) END FROM generate_series(0, 2000) i;
RESET ROLE;
VACUUM ANALYZE;
SQL

# How many pages of each table, of its values out of line, and of each index have
# been read since the server started.
sub pages
{
	return $node->safe_psql('postgres', <<'SQL');
SELECT string_agg(name || ' ' || n, ', ' ORDER BY name)
  FROM (SELECT coalesce(t.relname || ' values', c.relname) AS name, count(*) AS n
	      FROM pg_class c JOIN pg_buffercache b ON b.relfilenode = pg_relation_filenode(c.oid)
	           LEFT JOIN pg_class t ON t.reltoastrelid = c.oid
	     WHERE relforknumber = 0 AND coalesce(t.relname, c.relname) ~ '^(people|visits|towns|mine)'
	     GROUP BY 1) s
SQL
}

my $parallel = <<'SQL';
SET parallel_leader_participation = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SQL

# By which two indexes are intersected, where only the first finds few rows.
my $intersect = <<'SQL';
SET enable_seqscan = off;
SET enable_indexscan = off;
SET random_page_cost = 0;
SET seq_page_cost = 0;
SET cpu_index_tuple_cost = 0;
SET cpu_operator_cost = 0;
SET cpu_tuple_cost = 1e10;
SQL

# What is asked of whom: somebody, or else nobody; and what is read all the same.
for my $case (
	[ 'the smaller table', 'v.cost', 'people p JOIN visits v USING (id)', q{p.city = '%s'}, 'visits' ],
	[ 'two conditions', 'p.age', 'people p', q{p.age < 70 AND p.name IN ('%s', 'a', 'b')}, 'people_age' ],
	[ 'two conditions, in one of two ways', 'p.age', 'people p', q{p.age > 1000 OR p.age < 70 AND p.name IN ('%s', 'a', 'b')}, 'people_age' ],
	[ 'the larger table', 'p.age', 'people p JOIN visits v USING (id)', q{v.cost = '%s'}, 'people' ],
	[ 'a side that keeps its rows', 'p.age', 'visits v LEFT JOIN people p USING (id)', q{v.cost = '%s'}, 'people' ],
	[ 'a side of FULL JOIN', 'p.age', 'visits v FULL JOIN people p USING (id)', q{v.cost = '%s'}, 'people' ],
	[ 'the other side of FULL JOIN', 'v.cost', 'visits v FULL JOIN people p USING (id)', q{p.city = '%s'}, 'visits' ],
	[ 'a public table', 't.size', 'people p JOIN towns t USING (age)', q{p.city = '%s'}, 'towns' ],
	[ 'a public table that may be missing', 't.size', 'people p LEFT JOIN towns t USING (age)', q{p.city = '%s'}, 'towns' ],
	[ q{the analyst's own table}, 't.size', 'people p JOIN mine t USING (age)', q{p.city = '%s'}, 'mine' ],
	[ q{the analyst's own table that may be missing}, 't.size', 'people p LEFT JOIN mine t USING (age)', q{p.city = '%s'}, 'mine' ],
	[ 'one row of a public table', 't.size', 'people p JOIN towns t ON t.age = 1990', q{p.city = '%s'}, 'towns' ],
	[ 'one person', 'v.cost', 'people p JOIN visits v USING (id)', q{p.id = 77 AND p.city = '%s'}, 'visits' ],
	[ 'long values of a public table', 'length(t.long)', 'people p JOIN towns t USING (age)', q{p.city = '%s'}, 'towns values' ],
	[ q{long values of the analyst's own table, in a condition}, 't.size', 'people p JOIN mine t USING (age)', q{p.city = '%s' AND length(t.long) > p.age}, 'mine values' ],
	[ 'a long value of one row', 'length(t.long)', 'people p JOIN towns t ON t.age = 5', q{p.city = '%s'}, 'towns values' ],
	[ 'three tables', 't.size', 'visits v JOIN people p USING (id) JOIN towns t USING (age)', q{v.cost = '%s'}, 'people.*towns' ],
	[ q{three tables, one the analyst's}, 't.size', 'visits v JOIN people p USING (id) JOIN mine t USING (age)', q{v.cost = '%s'}, 'mine.*people' ])
{
	my ($name, $value, $from, $where, $tables) = @$case;

	for my $settings ('', $parallel, 'SET enable_seqscan = off;', 'SET enable_hashjoin = off;', 'SET work_mem = 64;', 'SET enable_indexscan = off; SET enable_bitmapscan = off;', $intersect,
		$from eq 'people p' ? "$intersect $parallel" : 'SET enable_mergejoin = off;')
	{
		my $how = $settings =~ /^SET (\w+)/ ? $1 : 'no setting';
		my @read;

		# What is computed of several tables needs a join of PostgreSQL's.
		my $other = $value =~ /\bp\./ ? 'v.cost' : 'p.age';
		my $asked = $how eq 'enable_mergejoin' ? "CASE WHEN $other IS NOT NULL THEN $value END" : $value;

		# Only how tables are joined could change that.
		next if $name =~ /long value/ && $how !~ /^(?:no setting|enable_(?:hash|merge)join|parallel_leader_participation)$/;
		$how .= ', in parallel' if $settings eq "$intersect $parallel";
		for my $whom (77, 78)
		{
			$node->restart;
			is(asked($node, "$settings SELECT dp_sum($asked, 0, 10) IS NOT NULL FROM $from WHERE " . sprintf($where, $whom)), 't', "$name, $how: an answer");
			push @read, pages();
		}
		# Of a single table the page with the row, if an index leads to it.
		s/^people \d+, // for $from eq 'people p' ? @read : ();
		is($read[1], $read[0], "$name, $how: as much is read for nobody");
		like($read[1], qr/$tables/, "$name, $how: all tables are read");
		unlike($read[1], qr/values/, "$name, $how: but no long values that nobody asked for") unless "$value $where" =~ /long/;
	}
}

# Nor does it show in how often a long value was fetched whether its key is compared
# with any of the rows.
my $age = $node->safe_psql('postgres', 'SELECT age FROM people WHERE id = 77');
my @uses;
for my $whom (77, 78)
{
	$node->restart;
	is(asked($node, "SELECT count(*) FROM (SELECT t.long, dp_count(*) FROM towns t LEFT JOIN people p ON p.age = t.age AND p.city = '$whom' WHERE t.age = $age GROUP BY t.long) s"), '1', 'a listed key: an answer');
	push @uses, $node->safe_psql('postgres', <<'SQL');
SELECT string_agg(usagecount::text, ' ' ORDER BY relblocknumber) FROM pg_buffercache
 WHERE relfilenode = (SELECT pg_relation_filenode(reltoastrelid) FROM pg_class WHERE relname = 'towns')
SQL
}
isnt($uses[0], '', 'a listed key: its value is read');
is($uses[1], $uses[0], 'a listed key: as often for nobody');

# What is asked without our aggregates is planned as ever.
like($node->safe_psql('postgres', "$intersect EXPLAIN SELECT age FROM people WHERE age < 70 AND name IN ('77', 'a', 'b')"), qr/BitmapAnd/, 'other queries intersect indexes');
like($node->safe_psql('postgres', 'SET enable_mergejoin = off; SET enable_hashjoin = off; EXPLAIN SELECT * FROM people p JOIN towns t USING (age) WHERE p.id = 77'), qr/Nested Loop.*Index Scan using towns_pkey/s, 'and look up rows one by one');

$node->stop;
done_testing();
