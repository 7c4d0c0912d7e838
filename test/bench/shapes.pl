#!/usr/bin/perl
# shapes.pl
#	Speed of shapes of queries beyond an aggregate over a table's rows: ratios of elapsed
#	times to the plain query in the same number of processes, medians of interleaved runs.
#	A section for each shape.
#
# distinct	count, sum and average of distinct values: of few that many share, and of as many as a
#		fifth of the rows, in one group, in 200, and in 40,000; an integer, a text, a float8.
# sets		grouping sets, against GROUPING SETS of the plain query
# windows	window functions below an aggregate, in windows of a unit's rows, and DISTINCT ON
# united	UNION ALL, UNION and EXCEPT of two parts of the table, below an aggregate
# joins		that make several rows of one: of a unit's rows with each other, of units with their rows, with a
#		public table of ten intervals
# full		FULL JOIN of units with their rows, of two parts of the rows by unit and value, and of groups of these
# others	EXISTS, NOT EXISTS and IN over other rows of the same unit
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded and shared_buffers that hold the table, half a gigabyte for each million rows.
#
# usage: shapes.pl [rows [runs [pattern]]]		1,000,000 rows and 3 runs by default
#
# The pattern selects lines, such as 'distinct few 4MB 1'.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my ($rows, $runs, $pattern) = ($ARGV[0] // 1_000_000, $ARGV[1] // 3, $ARGV[2] // '');

query('SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS dp_agg;');
my ($made) = query("SELECT count(*) FROM pg_class WHERE oid = to_regclass('shapes') AND obj_description(oid) = '$rows rows';");
query(<<"SQL") unless $made;
DROP TABLE IF EXISTS shapes;
CREATE UNLOGGED TABLE shapes AS
SELECT i % ($rows / 10) * 31 AS unit, hashint4(i) & 127 AS few, hashint4(i) % ($rows / 5) AS many, 'name ' || hashint4(i) % ($rows / 5) AS name, (hashint4(i) % ($rows / 5)) / 7.0::float8 AS weight,
	i / ($rows / 10) * 20 + i % 20 AS key, i * 7 % 40000 AS fine
  FROM generate_series(0, $rows - 1) i ORDER BY hashint4(i + 1);
VACUUM (ANALYZE, FREEZE) shapes;
DROP TABLE IF EXISTS shape_units, shape_bands;
CREATE UNLOGGED TABLE shape_units AS SELECT DISTINCT unit, unit % 7 AS kind FROM shapes;
ALTER TABLE shape_units ADD PRIMARY KEY (unit);
CREATE TABLE shape_bands AS SELECT i AS band, i * 13 AS low, i * 13 + 12 AS high FROM generate_series(0, 9) i;
VACUUM (ANALYZE, FREEZE) shape_units, shape_bands;
COMMENT ON TABLE shapes IS '$rows rows';
SELECT dp_agg.protect('shapes', 'unit', max_rows => 20, max_groups => 10), dp_agg.protect('shape_units', 'unit');
SQL
query(<<'SQL');
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SET dp_agg.delta = 1e-9; SET dp_agg.mechanism = laplace; SET dp_agg.clipping = fixed; SET dp_agg.epsilon = 0.1;
SET jit = off;
SQL

# Name, key, plain and private aggregates.
my @cases = (
	[ 'distinct few', '', 'count(DISTINCT few)', 'dp_count(DISTINCT few)' ],
	[ 'distinct many', '', 'count(DISTINCT many)', 'dp_count(DISTINCT many)' ],
	[ 'distinct text', '', 'count(DISTINCT name)', 'dp_count(DISTINCT name)' ],
	[ 'distinct sum', '', 'sum(DISTINCT weight)', 'dp_sum(DISTINCT weight, 0, 10000)' ],
	[ 'distinct few by key', 'key', 'count(DISTINCT few)', 'dp_count(DISTINCT few)' ],
	[ 'distinct many by key', 'key', 'count(DISTINCT many)', 'dp_count(DISTINCT many)' ],
	[ 'distinct text by key', 'key', 'count(DISTINCT name)', 'dp_count(DISTINCT name)' ],
	[ 'distinct avg by key', 'key', 'avg(DISTINCT weight)', 'dp_avg(DISTINCT weight, 0, 10000)' ],
	[ 'distinct by fine key', 'fine', 'count(DISTINCT many)', 'dp_count(DISTINCT many)' ],
);

# Name, FROM and the rest, plain and private aggregates, of which FROM is the same.
my $half = 'SELECT unit, few, key FROM shapes WHERE many % 2 =';
my @others = (
	[ 'sets rollup', 'SELECT key, few, %s FROM shapes GROUP BY ROLLUP (key, few)', 'sum(many)', 'dp_sum(many, 0, 1000000)' ],
	[ 'windows number', 'SELECT %s FROM (SELECT *, row_number() OVER (PARTITION BY unit ORDER BY fine) AS n FROM shapes) s WHERE n <= 3', 'sum(few)', 'dp_sum(few, 0, 2000)' ],
	[ 'windows lag', 'SELECT %s FROM (SELECT few, few - lag(few) OVER (PARTITION BY unit ORDER BY fine) AS step FROM shapes) s WHERE step > 0', 'count(*)', 'dp_count(*)' ],
	[ 'windows running', 'SELECT %s FROM (SELECT key, sum(few) OVER (PARTITION BY unit ORDER BY fine) AS total FROM shapes) s WHERE total > 100', 'count(*)', 'dp_count(*)' ],
	[ 'windows two', 'SELECT %s FROM (SELECT row_number() OVER (PARTITION BY unit ORDER BY fine) AS n, row_number() OVER (PARTITION BY unit ORDER BY few) AS m FROM shapes) s WHERE n < m', 'count(*)', 'dp_count(*)' ],
	[ 'windows distinct on', 'SELECT %s FROM (SELECT DISTINCT ON (unit) unit, few FROM shapes ORDER BY unit, fine) s', 'sum(few)', 'dp_sum(few, 0, 2000)' ],
	[ 'united all', "SELECT %s FROM ($half 0 UNION ALL $half 1) s", 'sum(few)', 'dp_sum(few, 0, 2000)' ],
	[ 'united all by key', "SELECT key, %s FROM ($half 0 UNION ALL $half 1) s GROUP BY key", 'sum(few)', 'dp_sum(few, 0, 2000)' ],
	[ 'united distinct', "SELECT %s FROM ($half 0 UNION $half 1) s", 'count(*)', 'dp_count(*)' ],
	[ 'joins self', 'SELECT %s FROM shapes s JOIN shapes w ON w.unit = s.unit AND w.fine > s.fine', 'count(*)', 'dp_count(*)' ],
	[ 'joins child', 'SELECT kind, %s FROM shape_units u LEFT JOIN shapes s ON s.unit = u.unit AND s.few < 100 GROUP BY kind', 'sum(s.few)', 'dp_sum(s.few, 0, 2000)' ],
	[ 'joins public', 'SELECT band, %s FROM shapes JOIN shape_bands ON few BETWEEN low AND high GROUP BY band', 'sum(few)', 'dp_sum(few, 0, 2000)' ],
	[ 'full units', 'SELECT %s FROM shape_units u FULL JOIN shapes s ON s.unit = u.unit', 'sum(s.few)', 'dp_sum(s.few, 0, 2000)' ],
	[ 'full rows', "SELECT %s FROM ($half 0) a FULL JOIN ($half 1) b ON a.unit = b.unit AND a.few = b.few", 'count(*)', 'dp_count(*)' ],
	[ 'full groups', "SELECT %s FROM (SELECT unit, key FROM ($half 0) a GROUP BY unit, key) a FULL JOIN (SELECT unit, key FROM ($half 1) b GROUP BY unit, key) b USING (unit, key)", 'count(*)', 'dp_count(*)' ],
	[ 'others exists', 'SELECT %s FROM shapes s WHERE EXISTS (SELECT 1 FROM shapes w WHERE w.unit = s.unit AND w.few > 110)', 'count(*)', 'dp_count(*)' ],
	[ 'others not exists', 'SELECT %s FROM shapes s WHERE NOT EXISTS (SELECT 1 FROM shapes w WHERE w.unit = s.unit AND w.fine < s.fine)', 'count(*)', 'dp_count(*)' ],
	[ 'others in', 'SELECT %s FROM shape_units WHERE unit IN (SELECT unit FROM shapes WHERE few > 110)', 'count(*)', 'dp_count(*)' ],
	[ 'united except', "SELECT %s FROM ($half 0 EXCEPT $half 1) s", 'count(*)', 'dp_count(*)' ],
);

sub statement
{
	my ($key, $columns) = @_;

	return 'SELECT count(y) FROM (SELECT ' . ($key ? "$key, " : q()) . "$columns FROM shapes" . ($key ? " GROUP BY $key" : q()) . ') y';
}

printf "%-22s %-6s %9s %10s %6s\n", qw(query memory processes plain/ms ratio);
for my $processes (1, 3)
{
	for my $memory ('64kB', '4MB', '64MB', '1GB')
	{
		query("SET work_mem = '$memory'; SET max_parallel_workers_per_gather = " . ($processes - 1) . ";");
		for my $case (@cases)
		{
			my ($name, $key, $plain, $private) = @$case;

			next unless "$name $memory $processes" =~ /(?:$pattern)/;
			my ($ms, $private_ms) = medians($runs, statement($key, $plain), statement($key, $private));
			printf "%-22s %-6s %9d %10.1f %6.3f\n", $name, $memory, $processes, $ms, $private_ms / $ms;
			STDOUT->flush;
		}
		for my $case (@others)
		{
			my ($name, $form, @aggregates) = @$case;

			next unless "$name $memory $processes" =~ /(?:$pattern)/;
			my ($ms, $private_ms) = medians($runs, map { 'SELECT count(y) FROM (' . sprintf($form =~ s/% 2/%% 2/gr, $_) . ') y' } @aggregates);
			printf "%-22s %-6s %9d %10.1f %6.3f\n", $name, $memory, $processes, $ms, $private_ms / $ms;
			STDOUT->flush;
		}
	}
}
