# Random tables of random data, and blocks over them in every shape of FROM.
#
# A world has a protected table of rows, one of persons with one row each, one of
# notes that find their unit through these, one of replies that find it through notes, one of marks of notes that
# have it themselves, as a foreign key says,
# and a public table of places that some rows refer to.  Units are of any type, equal
# ones of several looks where there are such; their numbers of rows are skewed;
# values are NULL, odd or alike.  All of it follows from perl's random numbers
# and hashes of row numbers, so that a seed brings it back.
package FuzzWorld;

use strict;
use warnings;

use parent 'FuzzBlock';

use List::Util ();

use FuzzExpr qw(pick chance);

# What a row's unit is, of type and number u; whether the rewriter may group by it.
my @UNITS = (
	[ int4 => '%s::int4', 1 ], [ int8 => '%s * 1000000007::int8', 1 ], [ int2 => '(%s %% 30000)::int2', 1 ],
	[ text => q{'unit ' || %s}, 1 ], [ uuid => 'md5((%s)::text)::uuid', 1 ], [ date => q{date '1999-12-31' + %s::int4}, 1 ],
	[ 'numeric(12,2)' => '(%s)::numeric / 4', 1 ], [ float8 => q{CASE WHEN i %% 2 = 0 AND %1$s = 0 THEN '-0' ELSE %1$s * 0.5 END}, 1 ],
	[ numeric => q{CASE WHEN i %% 2 = 0 THEN (%1$s)::numeric(12,2) ELSE (%1$s)::numeric END}, 1 ],
	[ bpchar => q{CASE WHEN i %% 2 = 0 THEN 'u' || %1$s ELSE 'u' || %1$s || '  ' END}, 0 ],
	[ interval => q{CASE WHEN i %% 2 = 0 THEN %1$s * interval '1 day' ELSE %1$s * interval '24 hours' END}, 0 ]);

# A number below 2^30 that looks random, of row i.
sub random_sql
{
	return sprintf '(hashint8extended(i, %d) & 1073741823)', int rand 1e9;
}

# A column: its values, in which ? is such a number, some of them odd, some NULL.
sub column_sql
{
	my ($name, $type, $usual, @odd) = @_;
	my $value = "($usual)::$type";
	my $choice = join ', ', map { "'$_'" } @odd;
	$value = "CASE WHEN ? % 29 = 0 THEN (ARRAY[$choice])[? % " . @odd . " + 1]::$type ELSE $value END" if @odd && chance(0.5);
	my $null = pick(0, 0, 0.1, 0.5, 1);
	$value = 'CASE WHEN ? >= ' . int($null * 2**30) . " THEN $value END" if $null > 0 && $null < 1;
	$value = "NULL::$type" if $null == 1 && chance(0.3);
	return $value =~ s/\?/random_sql()/ger . " AS $name";
}

# What the rows of one hostile unit hold instead.
my %EXTREMES = (
	i => [ qw(2147483647 -2147483648 0 1) ], l => [ qw(9223372036854775807 -9223372036854775808 0 300000000) ], s => [ qw(32767 -32768 0) ],
	d => [ qw(NaN Infinity -Infinity 1.7e308 -1.7e308 5e-324 -0 50) ], n => [ qw(NaN Infinity -Infinity 1e200 -1e200 1e-200 0.00) ],
	r => [ qw(NaN Infinity -Infinity 3.4e38 -3.4e38 1e-45) ], t => [ '', 'Lyon', 'nowhere else', 'x' x 300 ],
	c => [ '', '  ', 'Lyon   ', 'x' x 300 ], v => [ '', ' ', 'Lyon  ', 'x' x 12 ], b => [qw(t f)], e => [qw(sad ok happy)],
	dt => [ qw(infinity -infinity 0001-01-01 2020-01-02) ], ai => [ '{}', '{NULL}', '{{1,2},{3,4}}', '[-3:-2]={1,2}', '{' . join(',', (1) x 3000) . '}', '{' . join(',', ('NULL') x 5000) . '}' ],
	at => [ '{}', '{NULL,NULL}', '{Lyon,Lyon}', '{' . 'x' x 3000 . '}' ], ri => [ 'empty', '(,)', '[0,1)', '[2147483646,2147483647)', '(,3)' ]);

# A column of hostile rows i = 1, 2, ...: one extreme, all of them and NULL by turns, NULL,
# each usual value by turns, or as anybody's.
sub hostile_sql
{
	my ($name, $type, $usual, @odd) = @_;
	my @extremes = map { "'$_'" } @{ $EXTREMES{ $name =~ s/.*_//r } };
	my $way = int rand 6;
	return pick(@extremes) . "::$type AS $name" if $way < 2;
	return '(ARRAY[' . join(', ', @extremes, 'NULL') . '])[i % ' . (@extremes + 1) . " + 1]::$type AS $name" if $way == 2;
	return "NULL::$type AS $name" if $way == 3 && chance(0.5);
	return '(' . ($usual =~ s/\?/i::int8/gr) . ")::$type AS $name" if $way < 5;
	return column_sql($name, $type, $usual, @odd);
}

# Columns of rows and of persons by their prefix, each made by a function.
sub columns_sql
{
	my ($prefix, $make) = @_;
	my $spread = pick(2, 7, 40);
	$make //= \&column_sql;
	return map { my ($name, @rest) = @$_; $make->("${prefix}_$name", @rest) } (
		[ i => 'int4', "? % ($spread * 3) - $spread", qw(2147483647 -2147483648) ], [ l => 'int8', "? % $spread * 300000000", qw(9223372036854775807) ],
		[ s => 'int2', "? % $spread" ], [ d => 'float8', "(? % 1000) * 0.37 - 50", qw(NaN Infinity -Infinity -0 1e300) ],
		[ n => 'numeric', "(? % 1000) * 0.25", qw(NaN 0.000 -1e30) ], [ r => 'float4', "(? % 64) / 8.0", qw(NaN -0) ],
		[ t => 'text', "(ARRAY['Lyon', 'Paris', 'lima', '', 'Oslo', 'a'])[? % 6 + 1]" ], [ b => 'bool', '? % 3 = 0' ],
		[ c => 'bpchar', "(ARRAY['Lyon', 'Lyon ', 'Oslo  ', '', ' ', 'a'])[? % 6 + 1]" ],
		[ v => 'varchar(12)', "(ARRAY['Lyon', 'Lyon ', 'a', 'a ', '', 'é'])[? % 6 + 1]" ],
		[ e => 'mood', "(ARRAY['sad', 'ok', 'happy'])[? % 3 + 1]" ], [ dt => 'date', "date '2020-01-01' + (? % $spread)::int4", 'infinity' ],
		[ ai => 'int4[]', 'CASE WHEN ? % 5 > 0 THEN ARRAY[? % 4, NULL, ? % 7] END', '{}', '{{1,2},{3,4}}', '[5:6]={1,NULL}' ],
		[ at => 'text[]', "ARRAY['Lyon', (ARRAY['Paris', 'lima', '', 'Oslo'])[? % 4 + 1]]", '{}', '{NULL}' ],
		[ ri => 'int4range', 'int4range((? % 5)::int4, (? % 5 + 4)::int4)', 'empty', '(,)', '[3,)' ]);
}

my %COLUMNS = (i => 'int4', l => 'int8', s => 'int2', d => 'float8', n => 'numeric', r => 'float4', t => 'text', c => 'bpchar', v => 'text', b => 'bool', e => 'mood', dt => 'date', ai => 'int4[]', at => 'text[]', ri => 'int4range');

sub columns_of
{
	return map { my $prefix = $_; map { ("${prefix}_$_" => $COLUMNS{$_}) } keys %COLUMNS } @_;
}

# Turn a CREATE TABLE AS into a table in partitions.
sub partitioned_sql
{
	my ($table, $query, $by) = @_;
	my $parts = 2 + int rand 3;
	return "CREATE TABLE $table AS $query" if $by eq '';
	return "CREATE TABLE ${table}_form AS $query LIMIT 0; CREATE TABLE $table (LIKE ${table}_form) PARTITION BY HASH ($by); DROP TABLE ${table}_form; "
	  . join('', map { "CREATE TABLE ${table}_$_ PARTITION OF $table FOR VALUES WITH (MODULUS $parts, REMAINDER $_); " } 0 .. $parts - 1)
	  . "INSERT INTO $table $query";
}

# Move about one in so many of the rows that a table has itself to a child.
sub move_sql
{
	my ($table, $child, $prefix, $share, $unit) = @_;
	my $columns = join ', ', $prefix eq 'b' ? qw(b_u b_ref) : qw(m_of m_u), map { "${prefix}_$_" } qw(i l s d n r t b c v e dt ai at ri);
	return "WITH moved AS (DELETE FROM ONLY $table WHERE abs(hashtext(ctid::text)) % $share = 0" . (defined $unit ? " AND ${prefix}_u = $unit" : '') . " RETURNING $columns) INSERT INTO $child ($columns) SELECT $columns FROM moved";
}

# Give a table children, perhaps of two generations, of other columns or in another order, and some of its rows to
# each.  They are the table's name with a number; the first has the columns of the table alone.
sub children_sql
{
	my ($self, $table, $prefix) = @_;
	my $children = 1 + int rand 3;
	my $columns = join ', ', reverse $prefix eq 'b' ? qw(b_u b_ref) : qw(m_of m_u), map { "${prefix}_$_" } qw(i l s d n r t b c v e dt ai at ri);
	my @statements;
	for my $n (1 .. $children)
	{
		my $parent = $n > 1 && chance(0.4) ? "${table}_" . (1 + int rand($n - 1)) : $table;
		my $child = "${table}_$n";
		my $way = $n == 1 ? 'same' : pick('same', 'more', 'other');
		push @statements, "CREATE TABLE $child (" . ($way eq 'more' ? "more_$n text DEFAULT 'more'" : '') . ") INHERITS ($parent)" if $way ne 'other' || $parent ne $table;
		push @statements, "CREATE TABLE $child AS SELECT 1 AS gone, $columns, 2 AS more_$n, 3 AS last FROM $table LIMIT 0", "ALTER TABLE $child DROP gone, DROP last",
		  $self->{keyed} && $prefix eq 'b' ? "ALTER TABLE $child ALTER b_u SET NOT NULL" : 'SELECT', "ALTER TABLE $child INHERIT $parent" if $way eq 'other' && $parent eq $table;
		push @statements, "CREATE INDEX ON $child (${prefix}_u)" if chance(0.3);
		push @statements, move_sql($table, $child, $prefix, pick(1, 2, 3, 5));
	}
	$self->{children}{$table} = $children;
	return @statements;
}

# Make a hypertable of a table, whose rows go to chunks of TimescaleDB by chance.
sub hypertable_sql
{
	my ($table) = @_;
	return ("ALTER TABLE $table ADD chunked int NOT NULL DEFAULT floor(random() * 300)",
		"SELECT create_hypertable('$table', by_range('chunked', 10), migrate_data => true, create_default_indexes => " . pick('true', 'false') . ')');
}

# Move rows of a unit that has come to a table to its children, if it has any: others stay where they are, for FROM ONLY.
sub move_to_children
{
	my ($self, $table, $prefix, $number) = @_;
	my $children = $self->{children}{$table} or return;
	return map { move_sql($table, "${table}_$_", $prefix, pick(2, 3), $self->unit_of($number)) } 1 .. $children;
}

# Policies of some tables, for whoever asks and for the owner's twin alike: of the row alone, of rows of the same
# unit, or of what is public.  Tables through which others find their unit have none, since a twin joins these.
sub policies_sql
{
	my ($self) = @_;
	my @statements;
	for ([ base => 'b', 'b_u', 'person', 'p_u' ], [ person => 'p', 'p_u', 'mark', 'm_u' ], [ mark => 'm', 'm_u', 'note', 'n_of' ], [ reply => 'r' ])
	{
		my ($table, $prefix, $unit, $other, $others) = @$_;
		next if chance(0.5);
		push @statements, "ALTER TABLE w_$table ENABLE ROW LEVEL SECURITY";
		my @conditions = ("? > 0", '?b', "?t IN ('Lyon', 'Paris', '')", "?t IN (SELECT d_t FROM w_place WHERE d_i > 0)", "?s <= 1 OR ?d > 3", '?i IS NOT NULL', 'true',
			"EXISTS (SELECT FROM w_place WHERE d_t = w_$table.?t)", "?t = ANY (ARRAY(SELECT d_t FROM w_place WHERE d_k < 5))",
			"EXISTS (SELECT FROM w_place WHERE d_k > coalesce(nullif(current_setting('fuzz.least', true), '')::int, 1) AND w_$table.?i = d_k)", "current_user <> 'nobody' AND ?l >= 0");
		push @conditions, map { "$_(SELECT FROM w_$other WHERE $others = $unit AND " . substr($others, 0, 1) . '_i > 0)' } 'EXISTS ', 'NOT EXISTS ' if $unit && $self->{groupable};
		my $number = 0;
		for my $kind (pick([''], ['', ''], [ '', 'AS RESTRICTIVE' ], [ '', '', 'AS RESTRICTIVE' ], []))
		{
			for my $way (@$kind)
			{
				my $condition = pick(@conditions) =~ s/\? > 0/?i > 0/r =~ s/\?/${prefix}_/gr;
				push @statements, "CREATE POLICY policy_" . ++$number . " ON w_$table $way " . pick('', 'FOR SELECT ', 'TO analyst, seer ') . "USING ($condition)";
			}
		}
	}
	return @statements;
}

# Make a new world; its statements are kept to be shown.
sub create
{
	my ($self) = @_;
	my $rows = pick(0, 4, 50, 50, 400, 400, 2000, 4000);
	my $persons = 1 + int $rows / pick(1, 2, 5, 20);
	my $skew = pick(1, 1, 3, 6);
	my ($type, $unit, $groupable) = @{ pick(@UNITS) };
	my $places = pick(0, 3, 9);
	$self->{rows_unique} = chance(0.25);

	# Where the table has a key its children may have any units, several times.
	my $key = $self->{rows_unique} ? 'ALTER TABLE w_base ADD PRIMARY KEY (b_u)' : 'SELECT';
	my $by = pick('', '', '', $self->{rows_unique} ? 'b_u' : 'b_i');
	my $chunked = $self->{hypertables} && $by eq '' && !$self->{rows_unique};
	my $inherited = $by eq '' && !$chunked && chance(0.4);
	$self->{keyed} = $self->{rows_unique} && $inherited;
	$self->{children} = {};
	$self->{groupable} = $groupable;
	$self->{max_rows} = pick(1, 1, 2, 3, 5, 1000);
	my $skewed = sprintf '(floor(%d * power(%s / 1073741824.0, %d)))::int8', $persons, random_sql(), $skew;
	my $number = $self->{rows_unique} ? 'i' : $skewed;
	my $nulls = $self->{rows_unique} || chance(0.5) ? '' : 'CASE WHEN i % 13 <> 0 THEN ';
	@$self{qw(unit_type unit_sql numbers persons)} = ($type, "($unit)::$type", List::Util::max($rows, $persons) + 1, $persons);
	my $row_unit = $nulls . sprintf("($unit)::$type", $number) . ($nulls ? ' END' : '');
	my @more = $inherited ? $self->children_sql('w_base', 'b') : $chunked ? hypertable_sql('w_base') : ();
	push @more, 'INSERT INTO w_base_1 SELECT ' . join(', ', sprintf("($unit)::$type", $skewed), sprintf('(%s %% 12)::int4', random_sql()), columns_sql('b')) . " FROM generate_series(1, $rows) i"
	  if $self->{keyed};
	$self->{rows_unique} = 0 if $self->{keyed};
	my @rows = ("$row_unit AS b_u", sprintf('(%s %% 12)::int4 AS b_ref', random_sql()), columns_sql('b'));
	my @persons = (sprintf("($unit)::$type AS p_u", 'i'), sprintf('(%s %% 12)::int4 AS p_ref', random_sql()), columns_sql('p'));
	my $half = chance(0.5) ? '' : sprintf ' WHERE %s %% 2 = 0', random_sql();
	$self->{statements} = join ";\n", 'SET client_min_messages = warning; DROP TABLE IF EXISTS w_mark, w_reply, w_note, w_base, w_person, w_place CASCADE',
	  partitioned_sql('w_base', 'SELECT ' . join(', ', @rows) . " FROM generate_series(1, $rows) i", $by),
	  partitioned_sql('w_person', 'SELECT ' . join(', ', @persons) . " FROM generate_series(0, $persons) i$half", pick('', '', '', 'p_u')),
	  'CREATE TABLE w_place AS SELECT i AS d_k, ' . join(', ', columns_sql('d')) . " FROM generate_series(0, $places) i",
	  'INSERT INTO w_place (d_k, d_t) VALUES (100, NULL), (101, \'nowhere\')', 'ALTER TABLE w_place ADD PRIMARY KEY (d_k)',
	  'ALTER TABLE w_person ADD PRIMARY KEY (p_u)', $key, @more,
	  'GRANT SELECT' . (chance(0.5) ? ', INSERT' : '') . ' ON w_place TO analyst', (chance(0.5) ? 'ANALYZE w_base, w_person, w_place' : 'SELECT'),
	  map({ "CREATE OR REPLACE FUNCTION w_$_->[0](int4, text) RETURNS TABLE (l_n int4, l_t text, l_b bool) LANGUAGE sql IMMUTABLE AS 'SELECT \$1 + 1, \$2, \$1 > 0$_->[1]'" }
		[ one => '' ], [ some => ' WHERE $1 > 2' ], [ many => ' UNION ALL SELECT $1, upper($2), NULL' ]),
	  'CREATE TABLE w_note AS SELECT p_u AS n_of, ' . join(', ', columns_sql('n')) . " FROM (SELECT p_u, row_number() OVER (ORDER BY p_u, g) AS i FROM w_person, "
	  . 'generate_series(1, ' . (1 + int rand(List::Util::min(20, 4000 / ($persons + 1)))) . ') g) s' . sprintf(' WHERE %s %% 3 <> 0', random_sql()),
	  'ALTER TABLE w_note ALTER n_of SET NOT NULL, ADD FOREIGN KEY (n_of) REFERENCES w_person, ADD n_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
	  'CREATE TABLE w_reply AS SELECT n_id AS r_of, ' . join(', ', columns_sql('r')) . ' FROM (SELECT n_id, row_number() OVER (ORDER BY n_id, g) AS i FROM w_note, '
	  . 'generate_series(1, ' . pick(1, 1, 2, 3) . ') g) s' . sprintf(' WHERE %s %% 3 <> 0', random_sql()),
	  'ALTER TABLE w_reply ALTER r_of SET NOT NULL, ADD FOREIGN KEY (r_of) REFERENCES w_note',
	  'CREATE TABLE w_mark AS SELECT CASE WHEN i % 7 > 0 THEN n_id END AS m_of, n_of AS m_u, ' . join(', ', columns_sql('m')) . ' FROM (SELECT n_id, n_of, row_number() OVER (ORDER BY n_id, g) AS i FROM w_note, '
	  . 'generate_series(1, ' . pick(1, 1, 2, 3) . ') g) s' . sprintf(' WHERE %s %% 3 <> 0', random_sql()),
	  'ALTER TABLE w_note ADD UNIQUE (n_id, n_of)', 'ALTER TABLE w_mark ADD FOREIGN KEY (m_of, m_u) REFERENCES w_note (n_id, n_of)',
	  "SELECT dp_agg.protect('w_person', 'p_u'), dp_agg.protect('w_base', 'b_u', max_rows => $self->{max_rows}, max_groups => 1), "
	  . "dp_agg.protect('w_note', 'n_of', through => 'w_person', max_rows => $self->{max_rows}, max_groups => 1), dp_agg.protect('w_reply', 'r_of', through => 'w_note', max_rows => $self->{max_rows}, max_groups => 1), dp_agg.protect('w_mark', 'm_u', max_rows => $self->{max_rows}, max_groups => 1)",
	  (chance(0.1) ? $self->children_sql('w_mark', 'm') : ()), (chance(0.25) ? $self->policies_sql : ());
	return $self->{statements};
}

# The unit of a number, in the looks of its first row.
sub unit_of
{
	my ($self, $number) = @_;
	return sprintf "(SELECT $self->{unit_sql} FROM (SELECT 1 AS i) one)", $number;
}

# Statements that take a unit away, of every table.
sub without_unit
{
	my ($self, $unit) = @_;
	return "DELETE FROM w_reply USING w_note WHERE n_id = r_of AND n_of = $unit", map { "DELETE FROM w_$_ = $unit" } 'mark WHERE m_u', 'note WHERE n_of', 'base WHERE b_u', 'person WHERE p_u';
}

# Statements that add a unit of this number, with hostile rows in most of the tables.
sub with_unit
{
	my ($self, $number) = @_;
	my $unit = sprintf $self->{unit_sql}, $number;
	my $rows = $self->{rows_unique} ? 1 : pick(1, 2, $self->{max_rows} + 1, 40, 300, 3000);
	my $person = chance(0.85);
	my @statements;
	push @statements, "INSERT INTO w_person SELECT $unit, " . pick(0, 5, 11) . ', ' . join(', ', columns_sql('p', \&hostile_sql)) . ' FROM generate_series(1, 1) i' if $person;
	my $base = $self->{keyed} ? 'w_base_1' : 'w_base';
	push @statements, "INSERT INTO $base SELECT $unit, " . pick('i % 12', 'i % 3', '0') . ', ' . join(', ', columns_sql('b', \&hostile_sql)) . " FROM generate_series(1, $rows) i" if chance(0.9);
	push @statements, $self->move_to_children('w_base', 'b', $number);
	push @statements, "INSERT INTO w_note SELECT $unit, " . join(', ', columns_sql('n', \&hostile_sql)) . ' FROM generate_series(1, ' . pick(1, 7, 300) . ') i' if $person && chance(0.9);
	push @statements, 'INSERT INTO w_reply SELECT n_id, ' . join(', ', columns_sql('r', \&hostile_sql)) . ' FROM w_note, generate_series(1, ' . pick(1, 10) . ") i WHERE n_of = $unit" if chance(0.9);

	# Marks of other people's notes, as they get in where nothing is checked.
	push @statements, 'SET session_replication_role = replica; INSERT INTO w_mark SELECT n_id, ' . "$unit, " . join(', ', columns_sql('m', \&hostile_sql)) . ' FROM (SELECT n_id, row_number() OVER () AS i FROM w_note, generate_series(1, '
	  . pick(1, 5) . ')) n; RESET session_replication_role' if chance(0.7);
	push @statements, $self->move_to_children('w_mark', 'm', $number);
	return @statements;
}

# The same of no unit; nothing where there can be no such rows.
sub without_owner
{
	my ($self) = @_;
	return if $self->{rows_unique} || $self->{keyed};
	return "INSERT INTO w_base SELECT NULL, i % 12, " . join(', ', columns_sql('b', \&hostile_sql)) . ' FROM generate_series(1, ' . pick(1, 300) . ') i';
}

# What ON may ask of rows of one side.
my @on = (
	' AND EXISTS (SELECT FROM w_base w WHERE w.b_u = p_u AND w.b_i > 0)', ' AND p_u NOT IN (SELECT b_u FROM w_base WHERE b_u IS NOT NULL AND b_b)',
	' AND w_base.b_u IN (SELECT p_u FROM w_person WHERE p_i > 0)', ' AND NOT EXISTS (SELECT FROM w_person w WHERE w.p_u = w_base.b_u AND w.p_b)');

# Rows of the protected table, joined or not.
sub from_rows
{
	my ($self) = @_;
	my $more = pick('', '', ' AND b_i > 0', ' AND p_b', ' AND p_i <= b_i', pick(@on));
	my $person = ' ' . pick('', 'LEFT ') . "JOIN w_person ON p_u = b_u$more";
	my $place = ' ' . pick('', 'LEFT ') . 'JOIN w_place ON d_k = b_ref';

	# Protected rows that decide make an inner join of it.
	return { dp => "w_place LEFT JOIN w_base ON d_k = b_ref JOIN w_person ON p_u = b_u$more", plain => "w_place JOIN w_base ON d_k = b_ref JOIN w_person ON p_u = b_u$more",
		unit => 'b_u', unique => $self->{rows_unique}, columns => { columns_of('b', 'p', 'd') } } if chance(0.1);

	# What is computed on the nullable side.
	my %computed = (c_i => 'int4', c_t => 'text', c_b => 'bool');
	my $computed = 'w_base LEFT JOIN (SELECT ' . pick(
		"d_k AS c_k, d_i % 5 + 1 AS c_i, d_t || d_e AS c_t, d_b IS NOT TRUE AS c_b FROM w_place WHERE d_s > 0) c ON c_k = b_ref",
		"p_u AS c_u, 7 AS c_i, coalesce(p_t, 'none') AS c_t, p_i IS NULL AS c_b FROM w_person WHERE p_b) c ON c_u = b_u");
	return { dp => $computed, plain => $computed, unit => 'b_u', unique => $self->{rows_unique}, columns => { columns_of('b'), %computed } } if chance(0.2);
	my ($dp, @prefixes) = @{ pick([ 'w_base', 'b' ], [ 'ONLY w_base', 'b' ], [ "w_base$person", 'b', 'p' ], [ "w_base$place", 'b', 'd' ], [ "w_base$person$place", 'b', 'p', 'd' ]) };
	return { dp => $dp, plain => $dp, unit => 'b_u', unique => $self->{rows_unique}, columns => { columns_of(@prefixes) } };
}

# Persons, with what their rows add up to or without.
sub from_persons
{
	my ($self) = @_;
	my $grouped = '(SELECT b_u AS s_u, count(*) AS s_n, sum(b_i) AS s_sum, min(b_t) AS s_t, bool_or(b_b) AS s_b, count(*) > 2 AS s_many, length(min(b_t)) + 1 AS s_long FROM w_base GROUP BY b_u) s';
	my %of_group = (s_n => 'int8', s_sum => 'int8', s_t => 'text', s_b => 'bool', s_many => 'bool', s_long => 'int4');
	my ($dp, $unit, %columns) = ('w_person', 'p_u', columns_of('p'));
	($dp, %columns) = ('w_person LEFT JOIN w_place ON d_k = p_ref', columns_of('p', 'd')) if chance(0.3);
	if ($self->{groupable} && chance(0.7))
	{
		($dp, $unit, %columns) = ($grouped, 's_u', %of_group);
		($dp, $unit, %columns) = ('w_person ' . pick('', 'LEFT ') . "JOIN $grouped ON s_u = p_u", 'p_u', columns_of('p'), %of_group) if chance(0.5);
	}
	return { dp => $dp, plain => $dp, unit => $unit, unique => 1, columns => \%columns };
}

# Rows grouped by unit and more: a unit has several again.
sub from_parts
{
	my ($self) = @_;
	my $dp = '(SELECT b_u AS s_u, b_t AS s_t, count(*) AS s_n, max(b_i) AS s_i, sum(b_s) AS s_sum FROM w_base GROUP BY b_u, b_t) s';
	return { dp => $dp, plain => $dp, unit => 's_u', unique => 0, columns => { s_t => 'text', s_n => 'int8', s_i => 'int4', s_sum => 'int8' } };
}

# Rows with window functions.  The order is by all columns that are selected or ranked by, and so the same
# for whoever asks; ranks and what is added up over peers do not need that.  Rows that are alike may come in another
# order where a frame is counted in rows, and so none is beside what depends on the order otherwise.
sub from_windows
{
	my ($self) = @_;
	my $by = pick('b_u', 'b_u', 'b_u, b_b');
	my $framed = chance(0.3);
	my $rows = 'SELECT b_u AS s_u, b_i AS s_i, b_t AS s_t, b_b AS s_b, b_dt AS s_dt, '
	  . ($framed ? 'sum(b_i) OVER (w ROWS 2 PRECEDING) AS s_sum, '
		: 'row_number() OVER w AS s_n, lag(b_i) OVER w AS s_lag, lead(b_t, 2) OVER w AS s_lead, ntile(3) OVER w AS s_third, ')
	  . 'rank() OVER v AS s_rank, count(*) OVER (PARTITION BY b_u) AS s_all, '
	  . "max(b_l) OVER v AS s_most FROM w_base WINDOW w AS (PARTITION BY $by ORDER BY b_i, b_t, b_b, b_dt, b_s), v AS (PARTITION BY b_u ORDER BY b_s)";
	my %columns = (s_i => 'int4', s_t => 'text', s_b => 'bool', s_rank => 'int8', s_all => 'int8', s_most => 'int8',
		$framed ? (s_sum => 'int8') : (s_n => 'int8', s_lag => 'int4', s_lead => 'text', s_third => 'int4'));
	my $where = pick('', '', ' WHERE s_rank = 1', $framed ? ' WHERE s_i < s_sum' : (' WHERE s_n = 1', ' WHERE s_n <= 3', ' WHERE s_i > s_lag'));
	my $dp = "(SELECT * FROM ($rows) r$where) s";
	$dp = "(SELECT DISTINCT ON (b_u) b_u AS s_u, b_i AS s_i, b_t AS s_t FROM w_base ORDER BY b_u, b_i DESC, b_t) s" if chance(0.2);
	%columns = (s_i => 'int4', s_t => 'text') if $dp =~ /DISTINCT/;
	return { dp => $dp, plain => $dp, unit => 's_u', unique => $self->{rows_unique}, columns => \%columns };
}

# Rows of two tables, or of one by two conditions.
sub from_united
{
	my ($self) = @_;
	my $operation = $self->{groupable} ? pick('UNION ALL', 'UNION ALL', 'UNION', 'INTERSECT', 'EXCEPT', 'INTERSECT ALL', 'EXCEPT ALL') : 'UNION ALL';
	my $dp = "(SELECT b_u AS s_u, b_i AS s_i, b_t AS s_t, b_b AS s_b FROM w_base $operation SELECT p_u, p_i, p_t, p_b FROM w_person) s";
	$dp = "(SELECT b_u AS s_u, b_i % 3 AS s_i, left(b_t, 1) AS s_t, b_b AS s_b FROM w_base $operation SELECT b_u, b_s % 3, left(b_t, 1), NULL FROM w_base WHERE b_s > 1) s"
	  if $operation =~ /T ALL/ && chance(0.5);
	my $other = $dp =~ /w_person/ || $self->{rows_unique} ? 1 : $self->{max_rows};
	my $rows = $self->{rows_set} ? $self->{max_rows} : ($self->{rows_unique} ? 1 : $self->{max_rows}) + $other;
	my $plain = $dp;

	# UNION ALL need not show the unit.
	my $hidden = $operation eq 'UNION ALL' && chance(0.5);
	$dp =~ s/b_u AS s_u, |p_u, //g if $hidden;
	return { dp => $dp, plain => $plain, unit => 's_u', unit_hidden => $hidden, unique => 0, max_rows => $rows, columns => { s_i => 'int4', s_t => 'text', s_b => 'bool' } };
}

# Notes, whose unit is found through a foreign key, alone or with their persons; and replies, whose unit is
# found through notes, likewise.
sub from_links
{
	my ($self) = @_;
	my $reply = 'w_reply JOIN w_note ON n_id = r_of';
	my ($dp, $plain, @prefixes) = @{
		pick([ ('w_note') x 2, 'n' ], [ ('w_note JOIN w_person ON p_u = n_of') x 2, 'n', 'p' ], [ 'w_reply', $reply, 'r' ], [ ($reply) x 2, 'r', 'n' ]) };
	return { dp => $dp, plain => $plain, unit => 'n_of', unit_hidden => 1, unique => 0, columns => { columns_of(@prefixes) } };
}

# Rows by the key of a record, which names the unit: in groups, windows, subqueries and joins.
sub from_records
{
	my ($self) = @_;
	my $mark = 'w_note JOIN w_mark ON m_of = n_id';
	my $marked = "$mark AND m_u = n_of";
	my $back = 'w_note LEFT JOIN (SELECT r_of, count(*) AS s_n, max(r_t) AS s_t FROM w_reply GROUP BY r_of) s ON r_of = n_id';
	my @values = (
		pick('', 'NOT ') . 'EXISTS (SELECT FROM w_mark WHERE m_of = n_id%s AND m_i > 0) AS s_b', '(SELECT count(*) FROM w_mark WHERE m_of = n_id%s) AS s_n', 'n_id ' . pick('', 'NOT ') . 'IN (SELECT r_of FROM w_reply WHERE r_b) AS s_c');
	my $subqueries = '(SELECT w_note.*, ' . join(', ', @values) . ' FROM w_note' . pick('', ' WHERE n_id IN (SELECT m_of FROM w_mark WHERE m_i > 0%s)', ' WHERE n_id NOT IN (SELECT r_of FROM w_reply WHERE r_i > 0)') . ') z';
	my %n = columns_of('n');
	my ($dp, $plain, $unit, %columns) = @{
		pick(
			[ '(SELECT r_of, count(*) AS s_n, max(r_t) AS s_t FROM w_reply GROUP BY r_of) s', '(SELECT n_of, r_of, count(*) AS s_n, max(r_t) AS s_t FROM w_reply JOIN w_note ON n_id = r_of GROUP BY n_of, r_of) s', 'n_of', s_n => 'int8', s_t => 'text' ],
			[ '(SELECT m_of, count(*) AS s_n, max(m_t) AS s_t FROM w_mark WHERE m_of > 0 GROUP BY m_of) s', '(SELECT m_u, m_of, count(*) AS s_n, max(m_t) AS s_t FROM w_mark WHERE m_of > 0 GROUP BY m_u, m_of) s', 'm_u', s_n => 'int8', s_t => 'text' ],
			[ "(SELECT n_id, count(*) AS s_n, max(m_t) AS s_t FROM $mark GROUP BY n_id) s", "(SELECT n_of, n_id, count(*) AS s_n, max(m_t) AS s_t FROM $marked GROUP BY n_of, n_id) s", 'n_of', s_n => 'int8', s_t => 'text' ],
			[ '(SELECT m_i, m_t, rank() OVER (PARTITION BY m_of ORDER BY m_i) AS s_n FROM w_mark WHERE m_of IS NOT NULL) s', '(SELECT m_u, m_i, m_t, rank() OVER (PARTITION BY m_u, m_of ORDER BY m_i) AS s_n FROM w_mark WHERE m_of IS NOT NULL) s', 'm_u', m_i => 'int4', m_t => 'text', s_n => 'int8' ],
			[ $subqueries =~ s/%s//gr, $subqueries =~ s/%s/ AND m_u = n_of/gr, 'n_of', %n, s_b => 'bool', s_n => 'int8', s_c => 'bool' ],
			[ $mark, $marked, 'n_of', %n, columns_of('m') ],
			[ ($back) x 2, 'n_of', %n, s_n => 'int8', s_t => 'text' ]) };
	return { dp => $dp, plain => $plain, unit => $unit, unit_hidden => 1, unique => 0, columns => \%columns };
}

# The public table left-joined to protected rows.
sub from_listed
{
	my ($self) = @_;
	my $more = pick('', '', ' AND b_i > 0', ' AND d_b', ' AND d_i < b_i');
	my $person = 'w_person ON p_u = b_u';
	my ($dp, $plain, $unit, @prefixes) = @{
		pick(
			[ "w_place LEFT JOIN w_base ON d_k = b_ref$more", "w_place JOIN w_base ON d_k = b_ref$more", 'b_u', 'b', 'd' ],
			[ "w_base RIGHT JOIN w_place ON d_k = b_ref$more", "w_place JOIN w_base ON d_k = b_ref$more", 'b_u', 'b', 'd' ],
			[ "w_place LEFT JOIN (w_base JOIN $person) ON d_k = b_ref$more", "w_place JOIN w_base ON d_k = b_ref$more JOIN $person", 'b_u', 'b', 'd', 'p' ],
			[ "w_place LEFT JOIN w_base ON d_k = b_ref LEFT JOIN $person$more", "w_place JOIN w_base ON d_k = b_ref LEFT JOIN $person$more", 'b_u', 'b', 'd', 'p' ],
			[ 'w_place LEFT JOIN w_person ON d_k = p_ref', 'w_place JOIN w_person ON d_k = p_ref', 'p_u', 'd', 'p' ]) };
	my %from = (dp => $dp, plain => $plain, unit => $unit, unique => $unit eq 'p_u' || $self->{rows_unique}, columns => { columns_of(@prefixes) });
	return { %from, listing => 'w_place', listed => { d_k => 'int4', columns_of('d') } };
}

# Is a row of some item in a list of public rows, or not, or is that not known?
sub row_list
{
	my ($prefix) = @_;
	my @columns = pick([qw(t i)], [qw(b s)], [qw(i l)], [qw(e b)], [qw(t b s)], [qw(dt d)], [qw(n t)]);
	my ($row, $list) = map { my $p = $_; join ', ', map { "${p}_$_" } @{ $columns[0] } } ("$prefix.$prefix", 'd');
	return "($row) " . pick('IN', 'NOT IN', '= ANY', '<> ALL') . " (SELECT $list FROM w_place" . pick('', ' WHERE d_i > 0', ' WHERE d_t IS NOT NULL AND d_k < 9') . ')';
}

# Rows with what subqueries say of others of the same unit, in place or as a condition.
sub from_subselects
{
	my ($self) = @_;
	my ($other, $prefix) = chance(0.7) || !$self->{groupable} ? ('w_base', 'b') : ('w_person', 'p');
	my $tie = "w.${prefix}_u = b.b_u" . pick('', '', " AND w.${prefix}_i > 0", " AND w.${prefix}_b", ' AND b.b_b');
	my $bound = pick('', " AND w.${prefix}_i < b.b_i", " AND w.${prefix}_t <> b.b_t", " AND b.b_s <= w.${prefix}_s");
	my @values = (
		pick('', 'NOT ') . "EXISTS (SELECT 1 FROM $other w WHERE $tie$bound) AS x_e",
		"(SELECT count(*) FROM $other w WHERE w.${prefix}_u = b.b_u AND w.${prefix}_i > 0) AS x_n",
		"(SELECT max(w.${prefix}_t) FROM $other w WHERE w.${prefix}_u = b.b_u AND w.${prefix}_i = b.b_i) AS x_t",
		'b.b_t ' . pick('', 'NOT ') . "IN (SELECT w.${prefix}_t FROM $other w WHERE w.${prefix}_u = b.b_u AND w.${prefix}_s > 0) AS x_i");
	push @values, row_list('b') . ' AS x_l' if chance(0.4);
	my $where = pick('', ' WHERE ' . row_list('b'), " WHERE EXISTS (SELECT FROM $other w WHERE $tie)", " WHERE b.b_u IN (SELECT ${prefix}_u FROM $other WHERE ${prefix}_i > 0)",
		" WHERE NOT EXISTS (SELECT FROM $other w WHERE $tie$bound)");
	my $dp = '(SELECT b.*, ' . join(', ', @values) . " FROM w_base b$where) z";
	return { dp => $dp, plain => $dp, unit => 'b_u', unique => $self->{rows_unique},
		columns => { columns_of('b'), x_e => 'bool', x_n => 'int8', x_t => 'text', x_i => 'bool', @values > 4 ? (x_l => 'bool') : () } };
}

# Most rows of a unit that count in a join of two items of as many, of which a row of one meets a hundred of the other.
sub multiplied
{
	my ($self) = @_;
	return $self->{rows_unique} ? 1 : $self->{max_rows} * List::Util::min($self->{max_rows}, 100);
}

# Patterns of a public table: of texts that no limit leaves out, and no pattern that PostgreSQL fails on.
my @PATTERNS = map { s/TEXT/CASE WHEN octet_length(b_t) < 60 THEN b_t END/r =~ s/PATTERN/replace(CASE WHEN octet_length(d_t) < 60 THEN d_t END, '\\', '')/r }
  (q{TEXT LIKE '%' || PATTERN || '%'}, q{TEXT NOT ILIKE PATTERN}, q{TEXT ILIKE left(PATTERN, 1) || '_%'}, q{strpos(TEXT, PATTERN) <> 1});

# Joins that make several rows of one: of what groups by unit and more, of public rows, of a person's own.
sub from_fan_outs
{
	my ($self) = @_;
	my $grouped = '(SELECT b_u AS s_u, b_t AS s_t, count(*) AS s_n FROM w_base GROUP BY b_u, b_t) s';
	my %of_group = (s_t => 'text', s_n => 'int8');
	my $way = rand;
	my ($dp, $unit, @columns) = ('w_base JOIN w_place ON ' . pick('d_i < b_i', 'd_t = b_t', 'true', 'd_k <> b_ref', @PATTERNS), 'b_u', columns_of('b', 'd'));
	($dp, $unit, @columns) = ('w_person LEFT JOIN ' . pick('w_base', 'w_base', '(SELECT w_base.*, d_i + 1 AS j_i FROM w_base JOIN w_place ON d_k = b_ref) w_base') .
		' ON b_u = p_u' . pick('', ' AND b_i > 0', ' AND b_i > p_i', @on), 'p_u', columns_of('b', 'p')) if $way < 0.4;
	my %rows;
	if ($way > 0.7 && $self->{groupable})
	{
		my $items = pick("w_base JOIN $grouped", "w_base LEFT JOIN $grouped", "$grouped JOIN w_base", "$grouped RIGHT JOIN w_base");
		($dp, $unit, @columns) = ("$items ON s_u = b_u" . pick('', ' AND s_t <> b_t', ' AND s_n > b_i'), 'b_u', columns_of('b'), %of_group);
		%rows = (max_rows => $self->multiplied) unless $self->{rows_set};
	}
	return { dp => $dp, plain => $dp, unit => $unit, unique => $unit eq 'p_u' && $self->{rows_unique}, columns => {@columns}, %rows };
}

# Texts of VALUES by the type that their column has, declared with lengths of their own.
sub values_text
{
	my ($type, @texts) = @_;
	return join ', ', map {
		my $text = FuzzExpr::quote_text($_);
		my $length = 1 + length() + int rand 4;
		my $way = pick($text, "$text\::text", 'substr(' . FuzzExpr::quote_text("x$_") . ', 2)');
		'(' . ($type eq 'varchar' ? "$text\::varchar($length)" : $type eq 'bpchar' ? "$text\::char($length)" : $way) . ')';
	} @texts;
}

# Joins with texts that are written there, some of them equal, or equal as character, in one of the types
# of texts.  A row is a unit's only one as long as the text of the statement tells those it is joined with apart,
# by the equality it is joined by: 'a' and 'a ' differ, and are equal as character.
sub from_values
{
	my ($self) = @_;
	my $word = pick('Lyon', 'Lyon', 'a', '', 'é');
	my @texts = map { pick($word, $word, "$word ", "$word  ", 'Oslo', 'nowhere') } 1 .. 2 + int rand 3;
	my $type = pick(qw(text varchar varchar bpchar));
	my $list = 'VALUES ' . values_text($type, @texts);
	my %distinct = map { $_ => 1 } @texts;
	my $told = $type ne 'bpchar' && keys %distinct == @texts;
	my ($item, $cast) = ($list, pick(qw(text varchar bpchar bpchar)));
	my $same = ($cast eq 'bpchar') == ($type eq 'bpchar');
	my $way = pick(0, 1, 2, 2, 2, 3, 4, 5, 5, 5);
	($item, $told) = (pick("SELECT DISTINCT c_t FROM ($list) v (c_t)", "SELECT c_t FROM ($list) v (c_t) GROUP BY c_t", "SELECT c_t FROM ($list) v (c_t) UNION SELECT 'Lyon'",
		"SELECT DISTINCT ON (c_t) c_t FROM ($list) v (c_t)"), 1) if $way == 0 || $way == 1;
	($item, $told, $type) = ("SELECT c_t::$cast AS c_t FROM (SELECT DISTINCT c_t FROM ($list) v (c_t)) u", $same, $cast) if $way == 2;
	($item, $told, $type) = ("SELECT DISTINCT c_t::$cast AS c_t FROM ($list) v (c_t)", 1, $cast) if $way == 3;
	($item, $told, $type) = ("SELECT c_t::$cast AS c_t FROM ($list) v (c_t)", $told && $same, $cast) if $way == 4;

	# PostgreSQL compares as character what is a varchar with what is a character, and as text what is a text.
	my ($table, $prefix) = @{ pick([ 'w_base', 'b' ], ([ 'w_person', 'p' ]) x 3) };
	my $column = pick('t', 'v', 'c');
	my $on = pick("c_t = ${prefix}_$column", "c_t::bpchar = ${prefix}_$column\::bpchar", "c_t::text = ${prefix}_$column");
	my $as_character = $on =~ /c_t::bpchar/ || ($on =~ /c_t = / && $column ne 't' && $type ne 'text' && ($type eq 'bpchar' || $column eq 'c'));
	$told &&= $as_character == ($type eq 'bpchar');
	my $dp = "$table " . pick('', 'LEFT ') . "JOIN ($item) c (c_t) ON $on";
	my %rows = $table eq 'w_person' && !$told && !$self->{rows_set} ? (max_rows => 1) : ();
	return { dp => $dp, plain => $dp, unit => "${prefix}_u", unique => $told && ($prefix eq 'p' || $self->{rows_unique}) ? 1 : 0, %rows,
		columns => { columns_of($prefix), c_t => $type eq 'bpchar' ? 'bpchar' : 'text' } };
}

# Rows of two tables, whichever of them a unit has.
sub from_full_joins
{
	my ($self) = @_;
	my $rows = $self->{rows_unique} ? 1 : $self->{max_rows};
	my $grouped = '(SELECT b_u AS s_u, b_t AS s_t, count(*) AS s_n FROM w_base GROUP BY b_u, b_t) s';
	my $by_unit = '(SELECT b_u AS s_u, min(b_t) AS s_t, count(*) AS s_n FROM w_base GROUP BY b_u) s';
	my %of_group = (s_t => 'text', s_n => 'int8');
	my $more = pick('', '', ' AND p_i = b_i', ' AND b_i > 0', ' AND p_i < b_i', ' AND p_b', pick(@on));
	my ($dp, $unit, $others, %columns) = (pick('w_base FULL JOIN w_person', 'w_person FULL JOIN w_base') . " ON b_u = p_u$more", pick('COALESCE(b_u, p_u)', 'COALESCE(p_u, b_u)'), 1, columns_of('b', 'p'));
	my $way = rand;
	if ($way < 0.3)
	{
		$more = '';
		$dp = '(SELECT p_u AS u, p_i, p_t, p_b, p_i % 5 AS c_i FROM w_person' . pick('', ' WHERE p_b') . ') p FULL JOIN (SELECT b_u AS u, b_i, b_t, b_b, 7 AS c_s FROM w_base' . pick('', ' WHERE b_i > 0') . ') b USING (u)';
		($unit, %columns) = ('u', (map { ("${_}_i" => 'int4', "${_}_t" => 'text', "${_}_b" => 'bool') } 'b', 'p'), c_i => 'int4', c_s => 'int4');
	}
	elsif ($self->{groupable} && $way < 0.5)
	{
		$more = pick('', ' AND s_t = b_t', ' AND s_n > b_i');
		($dp, $unit, $others, %columns) = ("w_base FULL JOIN $grouped ON s_u = b_u$more", 'COALESCE(s_u, b_u)', $rows, columns_of('b'), %of_group);
	}
	elsif ($self->{groupable} && $way < 0.7)
	{
		$more = '';
		($dp, $unit, %columns) = ("w_person FULL JOIN $by_unit ON s_u = p_u FULL JOIN w_base ON b_u = COALESCE(p_u, s_u)", 'COALESCE(p_u, s_u, b_u)', columns_of('b', 'p'), %of_group);
		$dp =~ s/ FULL JOIN w_base.*// and $unit = 'COALESCE(p_u, s_u)' and $rows = 1 and %columns = (columns_of('p'), %of_group) if chance(0.5);
	}
	$rows = $more ? $rows + $others : $rows;

	# By all that the groups are made by, a row meets one of them at most.
	$rows = List::Util::max($rows, $self->multiplied) if $dp =~ /^w_base FULL JOIN \(SELECT/ && $more !~ /s_t = b_t/;
	return { dp => $dp, plain => $dp, unit => $unit, unique => 0, max_rows => $self->{rows_set} ? $self->{max_rows} : $rows, columns => \%columns };
}

# Rows with what LATERAL makes of them: a row, none or several for each.
sub from_lateral
{
	my ($self) = @_;
	my %l = (l_n => 'int4', l_t => 'text', l_b => 'bool');
	my ($dp, %columns) = @{
		pick(
			[ 'w_base, LATERAL (SELECT b_s * 2 AS l_n, left(b_t, 2) AS l_t, b_i < b_s AS l_b' . pick('', ' WHERE b_b', ' WHERE b_i > b_s') . ') l', %l ],
			[ 'w_base LEFT JOIN LATERAL (SELECT b_s * 2 AS l_n, b_t || b_e AS l_t, b_b IS NULL AS l_b) l ON true', %l ],
			[ 'w_base, LATERAL ' . pick('', 'w_many', 'w_some') . "(b_s, b_t) l", %l ],
			[ 'w_base LEFT JOIN LATERAL (SELECT * FROM w_place WHERE d_k = b_ref' . pick('', ' AND d_i > b_i', ' AND d_t <> b_t') . ') l ON true', columns_of('d') ],
			[ "w_base, LATERAL (SELECT (d_s + b_s)::int4 AS l_n, d_t || b_t AS l_t, d_b AND b_b AS l_b FROM w_place WHERE d_i < b_i) l", %l ],
			[ 'w_base LEFT JOIN LATERAL (SELECT d_k, (d_s + b_s)::int4 AS l_n, b_t AS l_t, b_b AS l_b FROM w_place) l ON d_k = b_ref', %l ],
			[ "w_base, LATERAL (VALUES (b_s, b_t, b_b), (b_s * 2, 'twice', false), (NULL, upper(b_t), b_i = 0)) l (l_n, l_t, l_b)", %l ],
			[ "w_base, LATERAL (SELECT b_s::int4 AS l_n, b_t AS l_t, b_b AS l_b UNION ALL SELECT 7, b_t, NOT b_b) l", %l ],
			[ 'w_base, LATERAL (SELECT p_i AS l_n, p_t || b_t AS l_t, p_b AS l_b FROM w_person WHERE p_u = b_u) l', %l ]) };
	$dp =~ s/LATERAL \(b_s, b_t\)/LATERAL w_one(b_s, b_t)/;
	return { dp => $dp, plain => $dp, unit => 'b_u', unique => $self->{rows_unique} && $dp !~ /w_many|VALUES|UNION|d_i < b_i/, columns => { columns_of('b'), %columns } };
}

# Rows made of the elements of an array, or of the parts of a text: in FROM, in a subquery and in both.
sub from_splits
{
	my ($self) = @_;
	my ($split, $type) = @{ pick([ 'unnest(b_ai)', 'int4' ], [ 'unnest(b_at)', 'text' ], [ "unnest(string_to_array(b_t, 'a'))", 'text' ], [ 'string_to_table(b_t, NULL)', 'text' ],
		[ "string_to_table(lower(b_t), 'i', 'l')", 'text' ], [ "regexp_split_to_table(b_t, '" . pick('a', '[aio]+', 'x*i', 'is') . "')", 'text' ], [ "regexp_split_to_table(b_t, 'L', 'i')", 'text' ]) };
	my $base = pick('w_base', 'w_base', 'w_person JOIN w_base ON b_u = p_u');
	my ($dp, %columns) = @{
		pick(
			[ "$base, $split l_x", l_x => $type ], [ "$base LEFT JOIN LATERAL $split l_x ON true", l_x => $type ], [ "$base CROSS JOIN LATERAL (SELECT $split AS l_x) l", l_x => $type ],
			[ "$base JOIN $split l_x ON b_i > b_s", l_x => $type ], [ "(SELECT *, $split AS l_x FROM w_base" . pick('', ' WHERE b_b') . ') s', l_x => $type ],
			[ "$base, $split l_x, unnest(b_ai) l_y", l_x => $type, l_y => 'int4' ], [ "$base LEFT JOIN unnest(b_at) l_y ON true, string_to_table(l_y, 'a') l_x", l_x => 'text', l_y => 'text' ],
			[ "$base, LATERAL (SELECT l_y || b_t AS l_x FROM string_to_table(b_t, 'i') l_y WHERE l_y <> '') l", l_x => 'text' ]) };
	return { dp => $dp, plain => $dp, unit => 'b_u', unique => 0, columns => { columns_of('b', $dp =~ /w_person/ ? 'p' : ()), %columns } };
}

# The same, reading public rows by a subquery of its own, or a row of these besides.
sub with_public_reads
{
	my ($from) = @_;
	my $way = pick('OFFSET 0', 'WHERE d_k > 1 ORDER BY d_k LIMIT 1000', 'UNION ALL SELECT * FROM w_place WHERE false');
	my $rows = "(SELECT * FROM w_place $way) w_place";
	if (chance(0.3))
	{
		# That no two of its rows are alike is not known then.
		$from->{unique} = 0 if $way =~ /UNION/ && "$from->{dp}" =~ /\bw_place\b/;
		s/\bw_place\b/$rows/ for grep { defined } @$from{qw(dp plain listing)};
	}
	return $from if $from->{listing} || chance(0.8);
	$_ .= ' CROSS JOIN (SELECT max(d_i) AS o_i, min(d_t) AS o_t FROM w_place) o' for @$from{qw(dp plain)};
	$from->{columns} = { %{ $from->{columns} }, o_i => 'int4', o_t => 'text' };
	return $from;
}

# FROM for the next block, in place of the fuzzer's own tables.
sub from
{
	my ($self) = @_;
	my $from = $self->from_tables;
	return with_public_reads($from);
}

sub from_tables
{
	my ($self) = @_;
	my $way = rand;
	return { shape => 'listed keys', %{ $self->from_listed } } if $way < 0.18;
	return { shape => 'persons', %{ $self->from_persons } } if $way < 0.32;
	return { shape => 'grouped rows', %{ $self->from_parts } } if $way < 0.39 && $self->{groupable};
	return { shape => 'links', %{ $self->from_links } } if $way < 0.44;
	return { shape => 'records', %{ $self->from_records } } if $way < 0.50 && $self->{groupable};
	return { shape => 'subqueries', %{ $self->from_subselects } } if $way < 0.61 && $self->{groupable};
	return { shape => 'fan-outs', %{ $self->from_fan_outs } } if $way < 0.70;
	return { shape => 'lateral', %{ $self->from_lateral } } if $way < 0.74;
	return { shape => 'splits', %{ $self->from_splits } } if $way < 0.78;
	return { shape => 'full joins', %{ $self->from_full_joins } } if $way < 0.81;
	return { shape => 'windows', %{ $self->from_windows } } if $way < 0.84 && $self->{groupable};
	return { shape => 'united rows', %{ $self->from_united } } if $way < 0.88;
	return { shape => 'texts', %{ $self->from_values } } if $way < 0.95;
	return { shape => 'rows', %{ $self->from_rows } };
}

1;
