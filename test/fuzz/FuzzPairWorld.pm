# The server on which features meet: tables of (u, k, v) of units, keys and values of
# every type, an analyst without a right to them, and other extensions preloaded.
#
# No unit is NULL, each has as many rows as may count, each key has many units and values lie
# within their domains, so that answers at a large epsilon are the owner's.
package FuzzPairWorld;

use strict;
use warnings;

use parent 'FuzzData';

use List::Util qw(shuffle);

# Units of every type, of number i.
our %UNITS = (
	bigint => 'i::bigint', smallint => 'i::smallint', uuid => 'md5(i::text)::uuid', text => q{'u' || i}, varchar => q{('u' || i)::varchar(20)}, date => q{date '2020-01-01' + i},
	numeric => '(i / 4.0)::numeric(12,2)', float8 => 'i / 2.0::float8', timestamptz => q{timestamptz '2020-01-01 00:00+00' + i * interval '1 hour'}, char => q{('u' || i)::char(8)},
	citext => q{(CASE WHEN i % 2 = 0 THEN 'U' ELSE 'u' END || i)::citext});

# Keys and values of row number i.
our %KEYS = (
	bool => 'i % 2 = 0', mood => q{(ARRAY['sad','ok','happy'])[i % 3 + 1]::mood}, int => 'i % 3', bigint => '(i % 3)::bigint', date => q{date '2020-01-01' + i % 3}, timestamptz => q{timestamptz '2020-01-01 00:00+00' + i % 3 * interval '1 day'},
	timestamp => q{timestamp '2020-01-01' + i % 3 * interval '1 day'}, numeric => '(i % 3)::numeric', float8 => '(i % 3)::float8', uuid => 'md5((i % 3)::text)::uuid', varchar => q{('k' || i % 3)::varchar(10)}, bpchar => q{('k' || i % 3)::char(10)},
	domain => '(i % 3)::named', interval => q{i % 3 * interval '1 day'}, time => q{time '00:00' + i % 3 * interval '1 hour'}, jsonb => q{to_jsonb(i % 3)}, array => 'ARRAY[i % 3]', range => 'int4range(i % 3, 9)', inet => q{'10.0.0.1'::inet + i % 3}, citext => q{(ARRAY['a','b','c'])[i % 3 + 1]::citext});
our %VALUES = (
	bigint => '(i % 100)::bigint', smallint => '(i % 100)::smallint', numeric => '(i % 100)::numeric(8,2)', float8 => '(i % 100)::float8', float4 => '(i % 100)::float4', bool => 'i % 3 = 0', date => q{date '2020-01-01' + i % 100}, domain => '(i % 100)::named', null => 'NULL::int');

# Tables of so many units, with three rows each where there are several.
sub tables_sql
{
	my ($units) = @_;
	my $keys = join ', ', map { "$KEYS{$_} AS k_$_" } sort keys %KEYS;
	my $values = join ', ', map { "$VALUES{$_} AS v_$_" } sort keys %VALUES;
	my $own = q{(ARRAY['a','b','c'])[i % 3 + 1] AS k, i * 7 % 100 AS v, i * 11 % 100 AS w};
	my $sql = <<"SQL";
SET client_min_messages = warning;
CREATE EXTENSION citext;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN named AS int;
GRANT ALL ON SCHEMA public TO analyst;
CREATE SCHEMA owners;
CREATE ROLE helper;
GRANT helper TO analyst;
CREATE TABLE people AS SELECT i AS u, $own, $keys, $values FROM generate_series(1, $units) i;
ALTER TABLE people ADD PRIMARY KEY (u), ALTER v SET NOT NULL, ALTER k SET NOT NULL;
CREATE TABLE visits AS SELECT i AS id, i % $units + 1 AS u, $own, $keys, $values FROM generate_series(1, 3 * $units) i;
ALTER TABLE visits ADD PRIMARY KEY (id);
ALTER TABLE visits ALTER u SET NOT NULL, ALTER v SET NOT NULL, ALTER k SET NOT NULL;
CREATE TABLE linked AS SELECT i AS ref, $own FROM generate_series(1, 3 * $units) i;
ALTER TABLE linked ALTER ref SET NOT NULL, ALTER v SET NOT NULL, ALTER k SET NOT NULL, ADD FOREIGN KEY (ref) REFERENCES visits;
CREATE TABLE parts (u int PRIMARY KEY, k text NOT NULL, v int NOT NULL, w int) PARTITION BY RANGE (u);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (50);
CREATE TABLE parts_high PARTITION OF parts FOR VALUES FROM (50) TO (MAXVALUE);
INSERT INTO parts SELECT u, k, v, w FROM people;
CREATE TABLE secured AS SELECT u, k, v, w FROM people;
ALTER TABLE secured ADD PRIMARY KEY (u), ALTER v SET NOT NULL, ALTER k SET NOT NULL, ENABLE ROW LEVEL SECURITY;
CREATE TABLE closed AS SELECT u, k, v FROM people;
CREATE TABLE shops AS SELECT * FROM (VALUES (1, 'a', 5), (2, 'b', 20), (3, 'c', 90), (4, 'none', 0)) s (u, k, v);
ALTER TABLE shops ADD PRIMARY KEY (k);
GRANT SELECT ON shops TO analyst, helper;
-- policies that all rows pass, of each kind
CREATE POLICY looked_up ON secured USING (EXISTS (SELECT FROM shops s WHERE s.k = secured.k AND s.v > 0) AND v < 50);
CREATE POLICY asked ON secured USING (current_user IN ('analyst', 'helper') AND v >= 50);
CREATE POLICY tied ON secured AS RESTRICTIVE USING (EXISTS (SELECT FROM visits x WHERE x.u = secured.u));
CREATE VIEW shown AS SELECT u, k, v FROM people WHERE v >= 0;
CREATE VIEW shown_barrier WITH (security_barrier) AS SELECT u, k, v FROM people WHERE v >= 0;
CREATE VIEW shown_invoker WITH (security_invoker) AS SELECT u, k, v FROM people;
GRANT SELECT ON shown, shown_barrier, shown_invoker TO analyst;
SELECT dp_agg.protect('people', 'u'), dp_agg.protect('visits', 'u', max_rows => 3, max_groups => 3), dp_agg.protect('parts', 'u'), dp_agg.protect('secured', 'u'),
	dp_agg.protect('linked', 'ref', through => 'visits', max_rows => 3, max_groups => 3);
SELECT dp_agg.publish('people', 'people_public', ARRAY['u', 'k', 'v']);
SQL
	$sql .= "SELECT dp_agg.set_domain('$_', 'v', 0, 100), dp_agg.set_domain('$_', 'k', ARRAY['a', 'b', 'c']);\n" for qw(people visits parts linked secured);
	$sql .= "SELECT dp_agg.set_domain('people', 'w', 0, 100), dp_agg.set_domain('people', 'k_citext', ARRAY['A', 'b', 'C']);\n";
	for my $type (sort keys %UNITS)
	{
		# Each row of a unit of citext spells it in its own way.
		my $more = $type eq 'citext' ? q{(CASE WHEN j = 1 THEN 'u' ELSE 'U' END || i)::citext} : $UNITS{$type};
		$sql .= "CREATE TABLE units_$type AS SELECT $UNITS{$type} AS u, $own FROM generate_series(1, $units) i; ALTER TABLE units_$type ADD PRIMARY KEY (u), ALTER v SET NOT NULL, ALTER k SET NOT NULL;\n"
		  . "CREATE TABLE more_$type AS SELECT $more AS u, $own FROM generate_series(1, $units) i, generate_series(1, 3) j; ALTER TABLE more_$type ALTER u SET NOT NULL, ALTER v SET NOT NULL, ALTER k SET NOT NULL;\n"
		  . "SELECT dp_agg.protect('units_$type', 'u'), dp_agg.protect('more_$type', 'u', max_rows => 3, max_groups => 3), dp_agg.set_domain('units_$type', 'v', 0, 100), dp_agg.set_domain('more_$type', 'v', 0, 100);\n";
	}
	return $sql . "ANALYZE;\nSELECT dp_agg.set_budget('analyst', 1e15, 0.9), dp_agg.set_budget(current_user::regrole, 1e15, 0.9), dp_agg.set_budget('helper', 1e15, 0.9);\n";
}

# What is the analyst's.
sub own_sql
{
	return <<'SQL';
SET client_min_messages = warning;
CREATE TABLE mine (u int, k text, v int);
INSERT INTO mine SELECT i, 'a', i % 5 FROM generate_series(1, 6) i;
CREATE TABLE target (u int PRIMARY KEY, k text, v int);
CREATE TABLE written (u int, k text, v int);
INSERT INTO written VALUES (1, 'a', 1);
CREATE SEQUENCE counter;
CREATE TYPE pair AS (a int, b int);
CREATE DOMAIN small AS int CHECK (VALUE < 5);
CREATE AGGREGATE gather(text) (SFUNC = textcat, STYPE = text, INITCOND = '');
CREATE FUNCTION some_rows(int) RETURNS TABLE (n int) LANGUAGE sql IMMUTABLE AS 'SELECT generate_series(1, least($1, 1000))';
CREATE FUNCTION inlined(int) RETURNS TABLE (x int) LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE FUNCTION plpgsql_rows(int) RETURNS SETOF int LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT generate_series(1, $1); END';
CREATE FUNCTION plus_one(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE FUNCTION plpgsql_plus(int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN $1 + 1; END';
CREATE FUNCTION asks() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM people); END';
CREATE FUNCTION asks_of(int) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM people WHERE v > $1); END';
CREATE FUNCTION sql_asks() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM people';
CREATE FUNCTION parallel_asks() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN RETURN (SELECT count(*) FROM people); END';
GRANT ALL ON mine, target, written, counter TO helper;
-- removes what a route that failed has left
CREATE FUNCTION clear() RETURNS void LANGUAGE plpgsql AS $$
DECLARE d text;
BEGIN
	FOR d IN SELECT format('DROP %s IF EXISTS %s CASCADE', CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END, oid::regclass)
		FROM pg_class WHERE relnamespace <> 'dp_agg'::regnamespace AND relname IN ('seen', 'kept', 'guarded') AND relkind IN ('r', 'v', 'm')
		UNION ALL SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', oid::regprocedure) FROM pg_proc WHERE proname IN ('fr', 'pr') LOOP
		EXECUTE d;
	END LOOP;
END $$;
SQL
}

# Start it, with what is preloaded in any order; libraries that this installation lacks are left out.
sub new
{
	my ($class, $name, %options) = @_;
	chomp(my $lib = `${\($ENV{PG_CONFIG} // 'pg_config')} --pkglibdir`);
	my @libraries = grep { $_ eq 'dp_agg' || -e "$lib/$_.so" } split /,/, $ENV{DP_FUZZ_LIBRARIES} // 'pgaudit,pg_stat_statements,auto_explain';
	@libraries = shuffle(@libraries, 'dp_agg');
	my %has = map { $_ => 1 } @libraries;
	my $conf = "shared_buffers = 16MB\nmax_connections = 20\n";
	$conf .= "pgaudit.log = 'all'\npgaudit.log_relation = on\npgaudit.log_rows = on\npgaudit.log_parameter = on\npgaudit.log_level = debug5\n" if $has{pgaudit};
	$conf .= "pg_stat_statements.track = all\n" if $has{pg_stat_statements};
	$conf .= "auto_explain.log_min_duration = 0\nauto_explain.log_analyze = on\nauto_explain.log_verbose = on\nauto_explain.log_buffers = on\nauto_explain.log_settings = on\n"
	  . "auto_explain.log_nested_statements = on\nauto_explain.log_level = debug5\n" if $has{auto_explain};
	my $self = $class->SUPER::new($name, libraries => join(',', @libraries), conf => $conf, tables => tables_sql(120), traps => own_sql(), functions => 0);
	$self->{libraries} = \@libraries;
	return $self;
}

1;
