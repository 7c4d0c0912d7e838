#!/usr/bin/perl
# tpch.pl
#	Speed of differentially private queries over the tables of TPC-H: ratios of elapsed
#	times to the plain query in the same session, medians of interleaved runs.
#
# Customers are the units.  An order has its customer's key; a line item finds its
# customer through its order, for which the plain query needs no join in Q1, Q6, Q14
# and Q19.  The tables are made here, by the distributions of the benchmark's
# specification (clause 4.2.3) and with its own keys, types and widths, but for
# columns that no query reads.  Questions are those of the specification, with its
# validation's values, except that Q3 asks by day of order, not by order, and that
# none sorts.
#
# Needs a server reached by the usual PG* variables as a superuser, with dp_agg
# preloaded and shared_buffers that hold the tables, two gigabytes at scale factor 1.
# The tables stay for the next run.
#
# usage: tpch.pl [scale [runs [pattern]]]		scale factor 0.1 and 5 runs by default
#
# The pattern selects lines, such as 'Q6 64MB 1'.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Session;

my ($scale, $runs, $pattern) = ($ARGV[0] // 0.1, $ARGV[1] // 5, $ARGV[2] // '');
my %rows = (supplier => 10_000, part => 200_000, customer => 150_000, orders => 1_500_000);
$_ = int($_ * $scale) for values %rows;

# An integer from the first number to the second, and one of these texts, at random for each row.
sub random_integer
{
	my ($least, $most) = @_;
	return "($least + floor(random() * ($most - $least + 1)))::int";
}

sub one_of
{
	my @texts = @_;
	return '(ARRAY[' . join(', ', map { "'$_'" } @texts) . '])[' . random_integer(1, scalar @texts) . ']';
}

# A comment whose length is between these.
sub comment
{
	my ($least, $most) = @_;
	return "left(repeat('furiously even deposits ', 6), " . random_integer($least, $most) . ')';
}

# Columns of a table, without its rows.
my %columns = (
	region => 'r_regionkey int PRIMARY KEY, r_name char(25) NOT NULL',
	nation => 'n_nationkey int PRIMARY KEY, n_name char(25) NOT NULL, n_regionkey int NOT NULL REFERENCES tpch.region',
	supplier => 's_suppkey int PRIMARY KEY, s_nationkey int NOT NULL REFERENCES tpch.nation, s_comment varchar(101) NOT NULL',
	part => 'p_partkey int PRIMARY KEY, p_brand char(10) NOT NULL, p_type varchar(25) NOT NULL, p_size int NOT NULL, '
	  . 'p_container char(10) NOT NULL, p_retailprice decimal(15,2) NOT NULL, p_comment varchar(55) NOT NULL',
	customer => 'c_custkey int PRIMARY KEY, c_nationkey int NOT NULL REFERENCES tpch.nation, c_acctbal decimal(15,2) NOT NULL, '
	  . 'c_mktsegment char(10) NOT NULL, c_comment varchar(157) NOT NULL',
	orders => 'o_orderkey int PRIMARY KEY, o_custkey int NOT NULL REFERENCES tpch.customer, o_orderstatus char(1) NOT NULL, '
	  . 'o_totalprice decimal(15,2) NOT NULL, o_orderdate date NOT NULL, o_orderpriority char(15) NOT NULL, o_clerk char(15) NOT NULL, '
	  . 'o_shippriority int NOT NULL, o_comment varchar(79) NOT NULL',
	lineitem => 'l_orderkey int NOT NULL, l_partkey int NOT NULL, l_suppkey int NOT NULL, l_linenumber int NOT NULL, '
	  . 'l_quantity decimal(15,2) NOT NULL, l_extendedprice decimal(15,2) NOT NULL, l_discount decimal(15,2) NOT NULL, '
	  . 'l_tax decimal(15,2) NOT NULL, l_returnflag char(1) NOT NULL, l_linestatus char(1) NOT NULL, l_shipdate date NOT NULL, '
	  . 'l_commitdate date NOT NULL, l_receiptdate date NOT NULL, l_shipinstruct char(25) NOT NULL, l_shipmode char(10) NOT NULL, '
	  . 'l_comment varchar(44) NOT NULL');

# Their rows.  Of 32 keys of orders 8 are in use; of three customers two have orders.
my $nations = 'ALGERIA ARGENTINA BRAZIL CANADA EGYPT ETHIOPIA FRANCE GERMANY INDIA INDONESIA IRAN IRAQ JAPAN JORDAN KENYA MOROCCO '
  . 'MOZAMBIQUE PERU CHINA ROMANIA SAUDI_ARABIA VIETNAM RUSSIA UNITED_KINGDOM UNITED_STATES';
my $regions = '0 1 1 1 4 0 3 3 2 2 4 4 2 4 0 0 0 1 2 3 4 2 3 3 1';
my ($brand, $size) = ("'Brand#' || " . random_integer(1, 5) . ' || ' . random_integer(1, 5), random_integer(1, 50));
my $type = join q( || ' ' || ), one_of(qw(STANDARD SMALL MEDIUM LARGE ECONOMY PROMO)),
  one_of(qw(ANODIZED BURNISHED PLATED POLISHED BRUSHED)), one_of(qw(TIN NICKEL BRASS STEEL COPPER));
my $container = join q( || ' ' || ), one_of(qw(SM LG MED JUMBO WRAP)), one_of(qw(CASE BOX BAG JAR PKG PACK CAN DRUM));
my $price = '(90000 + (i / 10) % 20001 + 100 * (i % 1000)) / 100.0';
my $customer = random_integer(0, int($rows{customer} / 3) - 1) . ' * 3 + ' . random_integer(1, 2);
my %made = (
	region => [ "SELECT i - 1, name FROM unnest(ARRAY['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST']) WITH ORDINALITY r(name, i)" ],
	nation => [ "SELECT i - 1, replace(name, '_', ' '), region::int FROM unnest(string_to_array('$nations', ' '), "
		  . "string_to_array('$regions', ' ')) WITH ORDINALITY n(name, region, i)" ],
	supplier => [ 'SELECT i, ' . random_integer(0, 24) . ', ' . comment(25, 100) . " FROM generate_series(1, $rows{supplier}) i" ],
	part => [ "SELECT i, $brand, $type, $size, $container, $price, " . comment(5, 22) . " FROM generate_series(1, $rows{part}) i" ],
	customer => [ 'SELECT i, ' . random_integer(0, 24) . ', ' . random_integer(-99999, 999999) . ' / 100.0, '
		  . one_of(qw(AUTOMOBILE BUILDING FURNITURE MACHINERY HOUSEHOLD)) . ', ' . comment(29, 116)
		  . " FROM generate_series(1, $rows{customer}) i" ],
	orders => [ "SELECT i / 8 * 32 + i % 8 + 1, $customer, 'O', " . random_integer(85000, 55000000) . " / 100.0, date '1992-01-01' + "
		  . random_integer(0, 2405) . ', ' . one_of('1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW') . ", 'Clerk#' || lpad("
		  . random_integer(1, int(1000 * $scale) || 1) . "::text, 9, '0'), 0, " . comment(19, 78)
		  . " FROM generate_series(0, $rows{orders} - 1) i" ],
	lineitem => [ "SELECT o_orderkey, partkey, (partkey + supply * ($rows{supplier} / 4 + (partkey - 1) / $rows{supplier})) % $rows{supplier} + 1, "
		  . 'line, quantity, quantity * ((90000 + (partkey / 10) % 20001 + 100 * (partkey % 1000)) / 100.0), discount / 100.0, tax / 100.0, '
		  . "CASE WHEN shipdate + receive > date '1995-06-17' THEN 'N' WHEN returned THEN 'R' ELSE 'A' END, "
		  . "CASE WHEN shipdate > date '1995-06-17' THEN 'O' ELSE 'F' END, shipdate, o_orderdate + commit, shipdate + receive, "
		  . one_of('DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN') . ', '
		  . one_of('REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB') . ', ' . comment(10, 43)
		  . ' FROM (SELECT o_orderkey, o_orderdate, line, ' . random_integer(1, $rows{part}) . ' AS partkey, ' . random_integer(0, 3) . ' AS supply, '
		  . random_integer(1, 50) . ' AS quantity, ' . random_integer(0, 10) . ' AS discount, ' . random_integer(0, 8) . ' AS tax, o_orderdate + '
		  . random_integer(1, 121) . ' AS shipdate, ' . random_integer(30, 90) . ' AS commit, ' . random_integer(1, 30) . ' AS receive, '
		  . 'random() < 0.5 AS returned FROM (SELECT *, ' . random_integer(1, 7)
		  . ' AS lines FROM tpch.orders OFFSET 0) o, generate_series(1, lines) line OFFSET 0) l' ]);

query('SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS dp_agg; SELECT setseed(0.5);');
my ($there) = query("SELECT count(*) FROM pg_namespace WHERE oid = to_regnamespace('tpch') AND obj_description(oid) = 'scale $scale';");
query('DROP SCHEMA IF EXISTS tpch CASCADE; CREATE SCHEMA tpch;') unless $there;
for my $name ($there ? () : qw(region nation supplier part customer orders lineitem))
{
	query("CREATE TABLE tpch.$name ($columns{$name}); INSERT INTO tpch.$name $made{$name}[0];");
}
query(<<"SQL") unless $there;
ALTER TABLE tpch.lineitem ADD FOREIGN KEY (l_orderkey) REFERENCES tpch.orders, ADD PRIMARY KEY (l_orderkey, l_linenumber);
VACUUM (ANALYZE, FREEZE) tpch.region, tpch.nation, tpch.supplier, tpch.part, tpch.customer, tpch.orders, tpch.lineitem;
SELECT dp_agg.protect('tpch.customer', 'c_custkey'), dp_agg.protect('tpch.orders', 'o_custkey');
SELECT dp_agg.protect('tpch.lineitem', 'l_orderkey', through => 'tpch.orders');
COMMENT ON SCHEMA tpch IS 'scale $scale';
SQL
query(<<'SQL');
SELECT dp_agg.set_budget(current_user::regrole, 1e12, 1e-3);
SET dp_agg.delta = 1e-9;
SET dp_agg.max_groups = 4;
SET dp_agg.max_rows = 40;
SET search_path = tpch, public;
SET jit = off;
SQL

# An aggregate of a value within bounds, plain or private.
sub aggregate
{
	my ($private, $name, $value, $most) = @_;
	return $private ? "dp_$name($value, 0, $most)" : "$name($value)";
}

# Name, goal, what is asked, given whether it is asked privately, FROM with WHERE, and key.
my $revenue = 'l_extendedprice * (1 - l_discount)';
my @cases = (
	[ 'Q1', 1.50, sub { my ($private) = @_; join ', ', (map { aggregate($private, @$_) }
				([ 'sum', 'l_quantity', 50 ], [ 'sum', 'l_extendedprice', 100000 ], [ 'sum', $revenue, 100000 ],
				[ 'sum', "$revenue * (1 + l_tax)", 110000 ], [ 'avg', 'l_quantity', 50 ], [ 'avg', 'l_extendedprice', 100000 ],
				[ 'avg', 'l_discount', 1 ])), $private ? 'dp_count(*)' : 'count(*)' },
		q(lineitem WHERE l_shipdate <= date '1998-09-02'), 'l_returnflag, l_linestatus' ],
	[ 'Q3', 1.00, sub { aggregate($_[0], 'sum', $revenue, 100000) },
		q(customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey WHERE c_mktsegment = 'BUILDING' )
		  . q(AND o_orderdate < date '1995-03-15' AND l_shipdate > date '1995-03-15'), 'o_orderdate, o_shippriority' ],
	[ 'Q5', 1.50, sub { aggregate($_[0], 'sum', $revenue, 100000) },
		'customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey JOIN supplier ON l_suppkey = s_suppkey '
		  . 'AND c_nationkey = s_nationkey JOIN nation ON s_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey '
		  . q(WHERE r_name = 'ASIA' AND o_orderdate >= date '1994-01-01' AND o_orderdate < date '1995-01-01'), 'n_name' ],
	[ 'Q6', 1.30, sub { aggregate($_[0], 'sum', 'l_extendedprice * l_discount', 10000) },
		q(lineitem WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24), q() ],
	[ 'Q12', 1.05, sub { my ($private) = @_; join ', ', map { aggregate($private, 'sum',
				"CASE WHEN o_orderpriority $_ ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END", 1) } 'IN', 'NOT IN' },
		q(orders JOIN lineitem ON o_orderkey = l_orderkey WHERE l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate )
		  . q(AND l_shipdate < l_commitdate AND l_receiptdate >= date '1994-01-01' AND l_receiptdate < date '1995-01-01'), 'l_shipmode' ],
	[ 'Q14', 1.30, sub { my ($private) = @_;
			aggregate($private, 'sum', "CASE WHEN p_type LIKE 'PROMO%' THEN $revenue ELSE 0 END", 100000) . ' * 100 / '
			  . aggregate($private, 'sum', $revenue, 100000) },
		q(lineitem JOIN part ON l_partkey = p_partkey WHERE l_shipdate >= date '1995-09-01' AND l_shipdate < date '1995-10-01'), q() ],
	[ 'Q19', 1.27, sub { aggregate($_[0], 'sum', $revenue, 100000) },
		q(lineitem JOIN part ON p_partkey = l_partkey WHERE l_shipmode IN ('AIR', 'REG AIR') AND l_shipinstruct = 'DELIVER IN PERSON' AND )
		  . '(' . join(' OR ', map { my ($brand, $size, $least, @containers) = @$_;
				"p_brand = '$brand' AND p_container IN (" . join(', ', map { "'$_'" } @containers)
				  . ") AND l_quantity >= $least AND l_quantity <= $least + 10 AND p_size BETWEEN 1 AND $size" }
				([ 'Brand#12', 5, 1, 'SM CASE', 'SM BOX', 'SM PACK', 'SM PKG' ],
				[ 'Brand#23', 10, 10, 'MED BAG', 'MED BOX', 'MED PKG', 'MED PACK' ],
				[ 'Brand#34', 15, 20, 'LG CASE', 'LG BOX', 'LG PACK', 'LG PKG' ])) . ')', q() ]);

sub statement
{
	my ($columns, $from, $key) = @_;
	return "SELECT count(y) FROM (SELECT " . ($key ? "$key, " : q()) . "$columns FROM $from" . ($key ? " GROUP BY $key" : q()) . ') y';
}

printf "%-6s %-8s %9s %10s %6s %6s\n", qw(query memory processes plain/ms goal ratio);
for my $processes (1, 3)
{
	for my $memory ('4MB', '64MB')
	{
		query("SET work_mem = '$memory'; SET max_parallel_workers_per_gather = " . ($processes - 1) . ';');
		for my $case (grep { "$_->[0] $memory $processes" =~ /(?:$pattern)/ } @cases)
		{
			my ($name, $goal, $columns, $from, $key) = @$case;
			my ($ms, $private_ms) = medians($runs, map { statement($columns->($_), $from, $key) } 0, 1);

			printf "%-6s %-8s %9d %10.1f %6.2f %6.3f\n", $name, $memory, $processes, $ms, $goal, $private_ms / $ms;
			STDOUT->flush;
		}
	}
}
