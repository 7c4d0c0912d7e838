# Ways for a query with blocks to reach the executor.
#
# A way is a list of steps, each a statement with the number of charges it makes
# when it succeeds (least and most), and whether its rows are the query's.
package FuzzRoute;

use strict;
use warnings;

use Exporter 'import';

use FuzzExpr qw(pick chance quote_text);

our @EXPORT_OK = qw(renumber routes step explain_options);

sub step
{
	my ($sql, $charges, %more) = @_;
	return { sql => $sql, least => $charges, most => $charges, %more };
}

# Options of EXPLAIN; every other one runs the query.
sub explain_options
{
	my ($analyze) = @_;
	my @options = grep { chance(0.4) } qw(VERBOSE COSTS SETTINGS), 'COSTS OFF', 'SUMMARY', 'FORMAT ' . pick(qw(TEXT XML JSON YAML));
	push @options, 'ANALYZE', grep { chance(0.4) } qw(BUFFERS WAL), 'TIMING OFF' if $analyze;
	my %seen;
	return join ', ', grep { !$seen{ (split)[0] }++ } @options;
}

my %ways = (
	plain => sub { step($_[0], 1, rows => 1) },
	semicolon => sub { step("/* a */ $_[0]; -- b", 1, rows => 1) },
	from => sub { step('SELECT * FROM (' . $_[0] . ') AS ' . pick('q', '"Q q"') . pick('', '', ' ORDER BY 1', ' OFFSET 0'), 1, rows => 1) },
	cte => sub { step('WITH w AS ' . pick('', 'MATERIALIZED ', 'NOT MATERIALIZED ') . "($_[0]) SELECT * FROM w", 1, rows => 1) },
	lateral => sub { step("SELECT q.* FROM (VALUES (1)) v (x), LATERAL ($_[0]) q", 1, rows => 1) },
	joined => sub { step("SELECT q.* FROM mine JOIN ($_[0]) q ON mine.id = 1", 1, rows => 1) },
	union => sub { step("($_[0]) UNION ALL ($_[0] LIMIT 0)", 1, rows => 1) },
	ctas => sub {
		step('CREATE ' . pick('TEMP ', 'UNLOGGED ', '') . "TABLE kept AS $_[0]", 1), step('SELECT * FROM kept', 0, rows => 1),
		step('DROP TABLE kept', 0) },
	into => sub { step("WITH w AS ($_[0]) SELECT * INTO TEMP kept FROM w", 1), step('TABLE kept', 0, rows => 1), step('DROP TABLE kept', 0) },
	matview => sub {
		step("CREATE MATERIALIZED VIEW kept AS $_[0]", 1), step('REFRESH MATERIALIZED VIEW kept', 1),
		step('SELECT * FROM kept', 0, rows => 1), step('DROP MATERIALIZED VIEW kept', 0) },
	view => sub {
		step('CREATE ' . pick('', 'TEMP ') . 'VIEW seen ' . pick('', 'WITH (security_barrier) ') . "AS $_[0]", 0),
		step('SELECT * FROM seen', 1, rows => 1), step('DROP VIEW seen', 0) },
	cursor => sub {
		step('BEGIN', 0), step('DECLARE c ' . pick('', 'SCROLL ', 'NO SCROLL ') . "CURSOR FOR $_[0]", 0),
		step('FETCH ALL FROM c', 1, rows => 1), step(pick('COMMIT', 'ROLLBACK', 'CLOSE c; COMMIT'), 0) },
	held => sub {
		step("DECLARE c SCROLL CURSOR WITH HOLD FOR $_[0]", 1), step('FETCH ALL FROM c', 0, rows => 1),
		step('FETCH BACKWARD ALL FROM c', 0), step('MOVE FIRST FROM c; FETCH ALL FROM c', 0), step('CLOSE c', 0) },
	savepoint => sub {
		step('BEGIN', 0), step('SAVEPOINT a', 0), step($_[0], 1, rows => 1), step('ROLLBACK TO a', 0),
		step($_[0], 1), step('ROLLBACK', 0) },
	read_only => sub { step('BEGIN READ ONLY', 0), step($_[0], 1, rows => 1), step('COMMIT', 0) },
	repeatable => sub { step('BEGIN ISOLATION LEVEL REPEATABLE READ', 0), step($_[0], 1, rows => 1), step('COMMIT', 0) },
	prepared => sub {
		step("PREPARE p AS $_[0]", 0), step('EXECUTE p', 1, rows => 1), step('EXECUTE p', 1), step('DEALLOCATE p', 0) },
	explain => sub { my $o = explain_options(0); step('EXPLAIN ' . ($o && "($o) ") . $_[0], 0) },
	analyze => sub { step('EXPLAIN (' . explain_options(1) . ") $_[0]", 1) },
	copy => sub { step("COPY ($_[0]) TO STDOUT", 1, copied => 1) },
	copy_csv => sub { step("COPY ($_[0]) TO STDOUT WITH (FORMAT " . pick('csv, HEADER', 'binary', "csv, FORCE_QUOTE *") . ')', 1) },
	portal => sub { step($_[0], 1, extended => 1, limit => pick(1, 2, 0), describe => pick(0, 1)) },
	binary => sub { step($_[0], 1, extended => 1, describe => 1, rows => 1) },
	perform => sub { step('DO $do$ BEGIN PERFORM * FROM (' . $_[0] . ') q; END $do$', 1) },
	trapped => sub {
		step('DO $do$ BEGIN BEGIN PERFORM * FROM (' . $_[0] . ") q; RAISE EXCEPTION 'x'; EXCEPTION WHEN OTHERS THEN END; END \$do\$", 0, most => 1) },
	looped => sub { step('DO $do$ DECLARE r record; BEGIN FOR r IN ' . $_[0] . ' LOOP PERFORM r; END LOOP; END $do$', 1) },
	dynamic => sub { step('DO $do$ BEGIN EXECUTE ' . quote_text($_[0]) . '; END $do$', 1) },
	insert => sub { step("INSERT INTO mine SELECT (SELECT max(id) FROM mine) + row_number() OVER (), 1, q::text FROM ($_[0]) q", 1) },
	exists => sub { step("SELECT EXISTS ($_[0])", 1, most => 1) },
	array => sub { step("SELECT ARRAY(SELECT q::text FROM ($_[0]) q)", 1) },
	json => sub { step("SELECT json_agg(q), count(*), max(q::text) FROM ($_[0]) q", 1) },
	window => sub { step("SELECT *, row_number() OVER (), lag(q) OVER () FROM ($_[0]) q", 1) },
	distinct => sub { step("SELECT DISTINCT * FROM ($_[0]) q LIMIT 3", 1) },
	intersect => sub { step("($_[0]) " . pick(qw(INTERSECT EXCEPT UNION)) . " ($_[0])", 1) },
	rescan => sub { step("SELECT count(*) FROM mine m LEFT JOIN LATERAL (SELECT * FROM ($_[0]) q OFFSET m.x) z ON true", 1) },
	price => sub { step('SELECT * FROM dp_agg.price(' . quote_text($_[0]) . ')', 0) },
	last => sub { step("SELECT q, r.* FROM ($_[0]) q, dp_agg.last_release() r", 1), step('SELECT * FROM dp_agg.last_release()', 0) },
	cancelled => sub {
		step(q{SET statement_timeout = '} . pick(1, 1, 2, 5) . q{ms'}, 0), step($_[0], 0, most => 1),
		# a charge that was taken is committed all the same, soon
		step('RESET statement_timeout; SELECT pg_sleep(0.02)', 0, most => 1) },
	never => sub { step("SELECT * FROM ($_[0]) q WHERE false", 0, most => 1) },
	many => sub { step("$_[0]; $_[0]", 2) },
	parallel => sub {
		step('SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 2', 0),
		step($_[0], 1, rows => 1), step('RESET parallel_setup_cost; RESET parallel_tuple_cost', 0) });

# Ways that leave no names or transactions of their own behind, for parameters.
my @with_parameters = qw(plain from cte lateral joined union analyze exists array json window distinct rescan);

# Names of the ways, of those whose rows are the query's alone if `comparable`.
sub names
{
	my ($comparable) = @_;
	return sort keys %ways unless $comparable;
	return qw(plain plain plain semicolon from cte lateral joined union ctas into view cursor held savepoint read_only repeatable
	  prepared copy binary parallel matview);
}

# Number the parameters a text uses from 1; returns it and their values.
sub renumber
{
	my ($sql, $parameters) = @_;
	my (%number, @values);
	$sql =~ s{\$(\d+)}{ $number{$1} //= push @values, $parameters->[ $1 - 1 ]; "\$$number{$1}" }ge;
	return ($sql, \@values);
}

# The steps of a way for a query, with the values of its parameters.
sub routes
{
	my ($way, $sql, $parameters) = @_;
	($sql, $parameters) = renumber($sql, $parameters) if $parameters;
	return map { { %$_, way => $way } } $ways{$way}->($sql) unless $parameters && @$parameters;
	$way = pick(@with_parameters) unless grep { $_ eq $way } @with_parameters, qw(prepared);
	if ($way eq 'prepared')
	{
		my $values = join ', ', map { quote_text($_) } @$parameters;
		return map { { %$_, way => 'prepared with parameters' } } step("PREPARE p AS $sql", 0), step("EXECUTE p($values)", 1, rows => 1),
		  (chance(0.3) ? (step("EXPLAIN EXECUTE p($values)", 0)) : ()), step('DEALLOCATE p', 0);
	}
	return map { { %$_, way => "$way with parameters", extended => 1, parameters => $parameters } } $ways{$way}->($sql);
}

1;
