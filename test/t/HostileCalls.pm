
# Calls of every function the extension installs, with hostile values of its
# argument types: borders and malformed ones of each, and bytes that almost are
# what the extension itself would have passed.
package HostileCalls;

use strict;
use warnings;

use Exporter 'import';

our @EXPORT = qw(functions_of_extension hostile_calls hostile_neighbours sql_of);

my $INT64 = '9223372036854775807';
my $FIRST_INT64 = '(-9223372036854775807 - 1)';

# An SQL literal of bytes.
sub bytes
{
	return "'\\x" . unpack('H*', join '', @_) . "'::bytea";
}

# Specifications, totals, summaries, keys: as src/aggregate lays them out.
sub specifications
{
	my @bounds = ([ 0, 10 ], [ -5, 5 ], [ 7, 7 ], [ -(1 << 62), 1 << 62 ], [ 3, 2 ], [ 0, 1 << 29 ],
		[ -(1 << 61) * 2, -(1 << 62) + 1 ]);
	my @rows = (1, 3, 2147483647, 9223372036854775807, 0, -1);
	my @all;
	for my $i (0 .. $#bounds)
	{
		my ($low, $high) = @{ $bounds[$i] };
		my $rows = $rows[ $i % @rows ];
		my $grid = (-1, 0, -40, 900, -1100, 62, -62)[$i];
		push @all, pack('l q3 d2', $grid, $low, $high, $rows, -1, 1);
		push @all, pack('l q2 Q q l l', $grid, $low, $high, (1, 1 << 60, ~0)[ $i % 3 ], $rows,
			(11, (1 << 20) + 1, 1, 0, -1, 5, 2147483647)[$i], 0);
		push @all, pack('l3 q5', $i, 0, (0, -1, 1 << 30)[ $i % 3 ], $low, $high, $low, $high, $rows);
		push @all, pack('l5 d8', $i, $i % 4, $i % 2, ($i >> 1) % 2, 0, -1, 1, -1, 1, 1, ($i ? 2 : 'inf'), 1, 1);
		push @all, pack('l l3 x4 Q4 d', $i % 2, $i % 3, 1, $grid, 1, 1 << ($i * 9), 1, 1 << ($i * 10), ('-inf', 5, 'nan')[ $i % 3 ]);
	}
	return @all;
}

sub values_of_bytea
{
	my @most = (~0, 0, 1, ~0 >> 1, ~(~0 >> 1));
	my @values = ('', "\0", "\x01\x03", ('x' x 16) x 5, "\xff" x 64, specifications());
	for my $n (1 .. 4, 6, 9)
	{
		push @values, pack('l Q*', 0, map { $most[ ($_ * $n) % @most ] } 0 .. 2 * $n - 1);
	}
	for my $cells (0, 1, 11, (1 << 20) + 1, 0xffffffff)
	{
		push @values, pack('L L Q q', $cells, 0, $most[ $cells % 5 ], $cells % 2 ? 1 : $most[3]);
		push @values, $values[-1] . pack('L3 L3', 0, 1, 0, $cells - 1 & 0xffffffff, 0xffffffff, 0x3fffffff);
	}
	return ('NULL::bytea', map { bytes($_) } @values);
}

my @integers = ('NULL', 0, 1, -1, 2, 7, 100, 32767, 65536, 2147483647, '(-2147483648)');
my @doubles = ('NULL', "'NaN'", "'Infinity'", "'-Infinity'", 0, "'-0'", 1, '-1', 0.1, 0.5, 10, '1e-9', '5e-324',
	"'1.7976931348623157e308'", "'-1.7976931348623157e308'", '1048576');
my @texts = ("''", "'x'", "'default'", "'laplace'", "'gaussian'", 'repeat(chr(228), 70)', "repeat('(', 20000)",
	"repeat('a', 100000)", "E'\\n--'", "'1; SELECT 2'", "'true) OR (true'", "'id > 0'", "'age'", "'\$1'", "'1/0'",
	"'SELECT dp_count(*) FROM people'", "'SELECT dp_avg(age, 0, 10), city FROM people GROUP BY 2'",
	"'DELETE FROM people'", "'dataset=default max_rows=1 max_groups=1'", q('dataset="a""b" max_rows=0 max_groups=1'),
	"'dataset=\"'");
my @arrays = ("'{}'", "'{1}'", "'{1,2,3}'", "'{1,2,3,4,5,6,7}'", "'{NULL}'", "'{1,NULL}'", "'{{1,2},{3,4}}'",
	"'[5:6]={1,2}'", "'[-2147483648:-2147483647]={1,2}'", "array_fill(1, ARRAY[1000])");

# Values of each type, as SQL.
# Terms (src/rewrite/term.h): parts of every kind and size, zeroes or not, and sums of more than there is.
sub values_of_terms
{
	my $part = sub { my ($kind, $fill, $size) = @_; return unpack 'H*', pack('l<l<', $kind, $size) . chr($fill) x $size };
	my $one = $part->(0, 0, 16);
	my @terms = map { my $kind = $_; map { $part->($kind, 0, $_), $part->($kind, 255, $_), $part->($kind, 1, $_) } 0, 8, 16, 128, 200, 208, 216, 264, 400 } 0 .. 13;
	push @terms, map { $one . $one . $part->($_, 0, 0) } 3 .. 13;
	push @terms, $one x 3 . unpack('H*', pack 'l<l<q<', 12, 8, $_) for -1, 0, 3, 4, 1 << 62;
	return map { "'\\x$_'::bytea" } @terms, unpack('H*', pack 'l<l<', 0, -8), unpack('H*', pack 'l<l<', 0, 2147483640);
}

my %values = (
	'boolean' => [ 'NULL::bool', 'true', 'false' ],
	'smallint' => [ map { "$_\::smallint" } 'NULL', 0, 1, -1, 32767, '(-32768)' ],
	'integer' => [ map { "$_\::int" } @integers ],
	'bigint' => [ map { "$_\::bigint" } @integers, $INT64, $FIRST_INT64, 1 << 62 ],
	'real' => [ map { "$_\::float4" } 'NULL', "'NaN'", "'Infinity'", "'-Infinity'", "'-0'", 1, "'1e-45'", "'3.4e38'" ],
	'double precision' => [ map { "$_\::float8" } @doubles ],
	'numeric' => [ map { "$_\::numeric" } 'NULL', "'NaN'", "'Infinity'", "'-Infinity'", 0, 1, '-0.5', '1e1000', '1e-1000', '(10::numeric ^ 100000)' ],
	'text' => [ 'NULL::text', @texts ],
	'name' => [ map { "$_\::name" } 'NULL', "''", "'age'", "'city'", "'id'", "'nothing'", "'ctid'" ],
	'name[]' => [ map { "$_\::name[]" } 'NULL', "'{}'", "'{id}'", "'{age,age}'", "'{nothing}'", "'{{id},{age}}'", "'{NULL}'" ],
	'bytea' => [ values_of_bytea(), values_of_terms() ],
	'numrange' => [ map { "$_\::numrange" } 'NULL', "'empty'", "'(,)'", "'(0.4,0.6]'", "'[NaN,NaN]'", "'(-infinity,infinity)'" ],
	'date' => [ map { "$_\::date" } 'NULL', "'infinity'", "'-infinity'", "'2000-01-01'", "'4713-01-01 BC'", "'5874897-12-31'" ],
	'time without time zone' => [ map { "$_\::time" } 'NULL', "'00:00'", "'24:00'", "'12:34:56.789'" ],
	'timestamp without time zone' => [ map { "$_\::timestamp" } 'NULL', "'infinity'", "'-infinity'", "'2000-01-01'", "'4713-01-01 BC'", "'294276-12-31'" ],
	'timestamp with time zone' => [ map { "$_\::timestamptz" } 'NULL', "'infinity'", "'-infinity'", "'2000-01-01'", "'4713-01-01 BC'", "'294276-12-31'" ],
	'interval' => [ map { "$_\::interval" } 'NULL', "'0'", "'-1 day'", "'178000000 years'", "'1 microsecond'" ],
	'integer[]' => [ map { "$_\::int[]" } 'NULL', @arrays ],
	'bigint[]' => [ map { "$_\::bigint[]" } 'NULL', @arrays, "'{9223372036854775807,-9223372036854775808,0}'" ],
	'double precision[]' => [ map { "$_\::float8[]" } 'NULL', @arrays, "'{NaN,1,0}'", "'{Infinity,1}'", "'{-1}'", "'{0.1}'", "'{0.1,1e-320}'",
		'array_fill(0.001::float8, ARRAY[200])' ],
	'text[]' => [ map { "$_\::text[]" } 'NULL', @arrays, "'{a,b}'", "'{a,a}'", "'{age > 3,age > 5}'", "'{1;2}'" ],
	'json' => [ map { "$_\::json" } 'NULL', "'{}'", "'[]'", "'1'", q('{"age": [0, 10]}'), q('["age", "city"]'), q('{"age": [0, 1e400]}'), q('{"\u0000": true}'), q('{"age": [[[]]]}') ],
	'jsonb' => [ map { "$_\::jsonb" } 'NULL', "'{}'", "'[]'", "'null'", "'1'", q('"x"'), q('{"a": [1, [2]]}') ],
	'regclass' => [ map { "$_\::regclass" } 'NULL', "'people'", "'pg_class'", '0', '4294967295', "'people_pkey'", "'dp_agg.budget'", "'dp_agg.budgets'" ],
	'regrole' => [ map { "$_\::regrole" } 'NULL', "'ann'", '0', '4294967295' ],
	'regprocedure' => [ map { "$_\::regprocedure" } 'NULL', "'int4div(int,int)'", "'pg_sleep(float8)'", '0', '4294967295', "'int4_avg_accum(int8[],int4)'" ],
	'dp_agg.budget' => [ 'NULL::dp_agg.budget', map { "jsonb_populate_record(NULL::dp_agg.budget, jsonb '$_')" } budgets() ],
	'internal' => [ 'NULL' ],
	'"any"' => [ 'NULL', '1', "'x'", q(E'\x01\x03aaaaaaaaaaaaaaaaaaaaaaaa'), q(E'\x04aaaaaaaaaaaaaaaaaa'), "'x'::text", "repeat('x', 100000)", 'ROW(1, NULL)',
		'ARRAY[1, NULL]', "'x'::\"char\"", "'x'::name", "'x'::cstring", 'gen_random_uuid()', "'1 day'::interval", "'infinity'::float8" ],
);

# Calls that are answered, to start from where hitting one by chance is unlikely.
my %answered = (
	plan => [ q('ann'::regrole | 'default'::text | 3 | 'laplace'::text) ],
	remaining => [ q('ann'::regrole | 'default'::text | 0.1::float8 | 'gaussian'::text) ],
	what_if => [ q('ann'::regrole | 'default'::text | 3 | 0.01::float8 | 'laplace'::text) ],
	dp_histogram => [ q('people'::regclass | 'age'::name | 0::float8 | 100::float8 | 10 | 0.001::float8 | 'id > 0'::text),
		q('people'::regclass | 'city'::name | '{city 0,x}'::text[] | 0.001::float8 | NULL::text) ],
	dp_cumulative => [ q('people'::regclass | 'age'::name | 0::float8 | 100::float8 | 10 | 0.001::float8 | 'id > 0'::text) ],
	dp_noisy_max => [ q('people'::regclass | 'city'::name | '{city 0,city 1,x}'::text[] | 2 | 0.001::float8 | NULL::text) ],
	dp_top => [ q('people'::regclass | 'city'::name | 2 | 0.001::float8 | NULL::text) ],
	dp_above_threshold => [ q('people'::regclass | '{age > 3,age > 5}'::text[] | 10::bigint | 0.001::float8 | NULL::text) ],
	suggest_bounds => [ q('people'::regclass | 'age'::name | 0.001::float8 | NULL::text) ],
	suggest_max_rows => [ q('people'::regclass | 0.001::float8 | NULL::text | 0.5::float8) ],
	suggest_max_groups => [ q('people'::regclass | 'city'::name | 0.001::float8 | NULL::text | 0.5::float8 | 9) ],
	measure_bounding => [ q('people'::regclass | 0.001::float8 | NULL::text | 2 | 3 | 'city'::name) ],
	bounding_query => [ q('people'::regclass | 0.001::float8 | 'id > 0'::text | 2 | 3 | 'city'::name) ],
	units_by_power => [ q('people'::regclass | NULL::name | 'count(*)'::text | 0.001::float8 | NULL::text) ],
	balanced_power => [ q('{9,0,3,0}'::bigint[] | 'laplace'::text | 1::float8 | '{1,1,1}'::float8[]) ],
	magnitudes => [ q('people'::regclass | NULL::name | 'age'::text | 0 | 0.001::float8 | NULL::text) ],
	at_most => [ q('abc'::text | 7) ],
	attempt_as => [ q(1 | 'int4abs(int)'::regprocedure | 1) ],
	dp_select_model => [ q('people'::regclass | 'age > 5'::text | '{age > 3,age > 5}'::text[] | 0.001::float8 | 'id > 0'::text),
		q('people'::regclass | 'age > 5'::text | '{"age": [0, 10]}'::json | '{{0,1},{1,0}}'::float8[] | 'logistic'::text | 4::float8 | 0.001::float8 | NULL::text) ],
	model_grid => [ '2 | 1::float8 | 3' ],
	consistent_counts => [ q('{1,2,3,4,5,6,7}'::bigint[] | 4 | 2) ],
	pld_epsilon => [ q('[{"mechanism": "discrete_gaussian", "sigma": 10}, [{"mechanism": "pure", "epsilon": 0.1}]]'::jsonb | 1e-5::float8) ],
	pld_discrete_laplace => [ '10::float8 | 1::bigint | 5 | 1e-5::float8' ],
	kov_bound => [ q('{0.1,0.2}'::float8[] | '{0,0.1}'::float8[] | 0.1::float8) ],
	kov_optimal => [ '0.1::float8 | 0::float8 | 10 | 1e-5::float8' ],
	rdp_subsampled_gaussian => [ '2::float8 | 0.1::float8 | 1::float8' ],
	rdp_subsampled_laplace => [ '2::float8 | 0.1::float8 | 1::float8' ],
	dp_randomize => [ q('a'::text | '{a,b}'::text[] | 0.1::float8) ],
	price => [ q('SELECT dp_count(*), dp_median(age, 0, 100) FROM people GROUP BY city'::text) ]);

# Of aggregates: the column, or two, in front of other arguments.
my %aggregated = (
	dp_count => [ '', '0.001' ], dp_quantile => [ '0.5 | 0 | 10', '0.5 | 0 | 10 | 0.001', '0.5 | 0 | 10 | 0.001 | 0.5' ],
	(map { $_ => [ '0 | 10', '0 | 10 | 0.001' ] } qw(dp_sum dp_avg dp_variance dp_stddev)),
	(map { $_ => [ '0 | 10', '0 | 10 | 0.001', '0 | 10 | 0.001 | 0.5' ] } qw(dp_median dp_min dp_max)),
	(map { $_ => [ '0 | 10 | 0 | 5', '0 | 10 | 0 | 5 | 0.001' ] }
		qw(dp_covar_pop dp_covar_samp dp_corr dp_regr_slope dp_regr_intercept)));

# Those of a function whose arguments they can be.
sub answered_calls
{
	my ($function) = @_;
	my ($name) = $function->{name} =~ /\.(\w+)$/;
	my @types = @{ $function->{types} };
	my @calls;
	for my $given (map { [ split / \| / ] } @{ $aggregated{$name} // [] })
	{
		next if $function->{kind} ne 'a';
		unshift @$given, ('NULL') x ($name =~ /covar|corr|regr/ ? 2 : 1);
		push @calls, { function => $function, number => 0, given => [ map { "$given->[$_]::$types[$_]" =~ s/::"any"//r } 0 .. $#types ] }
		  if @$given == @types;
	}
	for my $given (map { [ split / \| / ] } @{ $answered{$name} // [] })
	{
		push @calls, { function => $function, number => 0, given => $given } if @$given == @{ $function->{types} };
	}
	return @calls;
}

# Rows of dp_agg.budget that no keeper wrote.
sub budgets
{
	my $grid = '[' . join(',', (0.1) x 64) . ']';
	my @rows = ('{}');
	for my $field ('"epsilon_limit": 1', '"epsilon_limit": "NaN"', '"epsilon_limit": -1', '"epsilon_limit": "Infinity"')
	{
		for my $arrays ([ '[]', '[]', '[]' ], [ '[2]', '[1]', '[0]' ], [ '[2, 4]', '[1]', $grid ], [ '[2]', '[1]', $grid ],
			[ '[null]', '[null]', $grid ], [ '[[2]]', '[[1]]', "[$grid]" ], [ '["NaN"]', '["NaN"]', $grid ], [ '[2]', '[0]', '[null]' ], [ '[2, 4, 8, 16]', '[0.1, 0.1, 0.1, 0.1]', $grid ],
			[ '[2, 2, 2]', '[0.5, 0.5, 1e-300]', $grid ])
		{
			push @rows, sprintf '{%s, "dataset": "default", "delta_limit": 1e-6, "renyi_share": %s, "partition_share": 0, "variance_share": 0.5, '
			  . '"orders": %s, "weights": %s, "rdp_spent": %s, "pure_spent": %s, "delta_spent": 0, "variance_spent": "Infinity", "coarseness": 1, "home": "%s", "role": "ann", '
			  . '"statements": 0, "refusals": -1, "number": 0, "entries": 0, "synchronous": true, "refresh": "1 day", "period_began": "infinity"}',
			  $field, (scalar(@rows) % 3 ? '0.5' : '"NaN"'), @$arrays, (scalar(@rows) % 2 ? '"Infinity"' : '0'),
			  'x' x (scalar(@rows) % 5 * 30);
		}
	}
	return @rows;
}

# Types that go together for the polymorphic ones.
my @polymorphic = (
	[ '1', 'ARRAY[1, 2]' ], [ 'NULL::int', 'ARRAY[NULL]::int[]' ], [ "'a'::text", "'{}'::text[]" ],
	[ "'a'::text", "'{a,a}'::text[]" ], [ "'NaN'::float8", "'{NaN,NaN}'::float8[]" ], [ 'ROW(1)', 'ARRAY[ROW(1), ROW(2)]' ],
	[ 'ROW(1)', "ARRAY[ROW('x'::text), ROW(1)]" ], [ "'1'::json", "'{1,2}'::json[]" ], [ "'(1,1)'::point", "'{\"(1,1)\"}'::point[]" ],
	[ "1::smallint", "'1 2'::int2vector" ], [ "repeat('x', 100000)", "ARRAY[repeat('x', 100000)]" ],
	[ "'a'::\"char\"", "array_fill('a'::\"char\", ARRAY[1000])" ], [ '1', "'[7:8][1:2]={{1,2},{3,4}}'::int[]" ],
	[ "'[1,2]'::int4range", "ARRAY['[1,2]', 'empty']::int4range[]" ], [ "'x'::char(3)", "'{x,y}'::char(3)[]" ],
	[ 'NULL::"char"', 'NULL::"char"[]' ]);

# A hostile value for each of a function's arguments.
sub draw
{
	my ($types) = @_;
	my $pair = $polymorphic[ int rand @polymorphic ];
	return [ map { draw_one($_, $pair) } @$types ];
}

sub draw_one
{
	my ($type, $pair) = @_;
	return $pair->[ $1 eq 'element' ? 0 : 1 ] if $type =~ /^any(element|array)/;
	my $values = $values{$type} or die "no hostile values of type $type\n";
	return $values->[ int rand @$values ];
}

# Functions of the extension on a node that a role may execute: name, kind, whether
# they return sets, and the types of their arguments.
#
# Not those with an argument of type internal, for which SQL has no value, not even
# NULL, nor triggers.
sub functions_of_extension
{
	my ($node, $role) = @_;
	my $rows = $node->safe_psql('postgres', <<"SQL");
SELECT format('%I.%I', n.nspname, p.proname), p.prokind, p.proretset,
	(SELECT string_agg(format_type(t.type, NULL), ',' ORDER BY t.number) FROM unnest(p.proargtypes) WITH ORDINALITY t (type, number))
FROM pg_depend d JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
  AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dp_agg')
  AND p.prorettype <> 'trigger'::regtype AND NOT 'internal'::regtype = ANY (p.proargtypes)
  AND has_function_privilege('$role', p.oid, 'EXECUTE')
ORDER BY p.oid::regprocedure::text COLLATE "C"
SQL
	my @functions;
	for (split /\n/, $rows)
	{
		my ($name, $kind, $set, $types) = split /\|/;
		push @functions, { name => $name, kind => $kind, set => $set eq 't', types => [ split /,/, $types // '' ] };
	}
	return @functions;
}

# Calls of a function that are answered, and with values drawn at random; more of
# these where few are likely to be what it takes.
sub hostile_calls
{
	my ($function, $count) = @_;
	my $n = !@{ $function->{types} } ? 1 : (grep { $_ eq 'bytea' } @{ $function->{types} }) ? 3 * $count : $count;
	return (answered_calls($function), map { { function => $function, number => $_, given => draw($function->{types}) } } 1 .. $n);
}

# Calls like one that was answered, each with another value of one argument: with
# every one there is, if those are not many.
sub hostile_neighbours
{
	my ($call, $count) = @_;
	my @types = @{ $call->{function}{types} };
	my @calls;
	for my $i (grep { $types[$_] !~ /^any(element|array)/ } 0 .. $#types)
	{
		my @others = @{ $values{ $types[$i] } };
		@others = map { draw_one($types[$i]) } 1 .. $count if @others > 2 * $count;
		for my $n (0 .. $#others)
		{
			my @given = @{ $call->{given} };
			$given[$i] = $given[$i] =~ /^'\\x[0-9a-f]+'::bytea$/ && $n % 2 ? damage($given[$i]) : $others[$n];
			push @calls, { function => $call->{function}, number => $call->{number} + $n, given => \@given };
		}
	}
	return @calls;
}

# The same bytes but for one, or some fewer of them.
sub damage
{
	my ($literal) = @_;
	my ($hex) = $literal =~ /x([0-9a-f]+)/;
	my $place = 2 * int rand(length($hex) / 2);
	return "'\\x" . substr($hex, 0, $place) . "'::bytea" if rand() < 0.1;
	substr($hex, $place, 2) = (qw(00 01 7f 80 ff))[ int rand 5 ];
	return "'\\x$hex'::bytea";
}

# A call as a statement.
#
# Our own aggregates are called over the columns of a protected table "numbers",
# others over a few rows, and in each of the ways there are to call one.
sub sql_of
{
	my ($call) = @_;
	my $function = $call->{function};
	my @given = @{ $call->{given} };
	my $list = join ', ', @given;

	return "SELECT pg_column_size($function->{name}($list))" if $function->{kind} ne 'a' && !$function->{set};
	return "SELECT * FROM $function->{name}($list) LIMIT 10" if $function->{set};
	if ($function->{name} =~ /dp_(?!randomized)[a-z_]+$/ && $function->{name} !~ /^dp_(?:agg|accountant)/)
	{
		my @types = @{ $function->{types} };
		my $columns = $function->{name} =~ /covar|corr|regr/ ? 2 : @types ? 1 : 0;
		splice @given, 0, $columns, map { my $type = $types[$_]; $type =~ s/\W/_/g; "c_$type" } 0 .. $columns - 1;
		return sprintf 'SELECT %s(%s) FROM numbers', $function->{name}, join(', ', @given) || '*';
	}
	my @names = map { "c$_" } 1 .. @given;
	my @others = map { draw($function->{types}) } 1 .. 2;
	for my $i (grep { $function->{types}[$_] =~ /bytea|\[\]/ } 0 .. $#given)
	{
		$_->[$i] = $given[$i] for @others;
	}
	my $rows = join ', ', map { '(1, ' . join(', ', @$_) . ')' } \@given, @others, \@given;
	my $form = (
		'%s(%s)', '%s(DISTINCT %s)', '%s(%s) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)',
		'%s(%s) FILTER (WHERE n > 0)', '%s(%s) OVER (ORDER BY n)')[ $call->{number} % 5 ];
	return sprintf "SELECT pg_column_size($form) FROM (VALUES $rows) v (%s)", $function->{name}, join(', ', @names),
	  join(', ', 'n', @names);
}

1;
