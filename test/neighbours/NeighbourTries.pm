# What an analyst tries: each function that PUBLIC may call, with arguments made by type and by name that
# have to do with a protected table, and each view and table that PUBLIC may read.
package NeighbourTries;

use strict;
use warnings;

use Exporter 'import';
our @EXPORT = qw(tries members run_tries differs);

# How many calls of one function are made: of one that has an argument which can name a table, of others.
use constant CALLS => 12;
use constant OTHER_CALLS => 2;
my $NAMES = qr/^(?:text|name|character varying|regclass|oid|"any"|anyelement|record|(?:text|name|oid|regclass)\[\])$/;

# Arguments that go together: of so many texts in a row.
my %TOGETHER = (
	2 => [ [qw(people age)], [qw(people spot)], [qw(clinic people)], [qw(clinic.people age)], [qw(clinic.people spot)], [ 'people', 'SELECT * FROM clinic.people' ], [ 'made', 'SELECT count(*) FROM clinic.people' ] ],
	3 => [ [qw(clinic people age)], [qw(clinic people spot)], [qw(people age id)], [ 'clinic', 'people', 'age > 20' ] ]);

# Values by type.
my $TABLE = q{'clinic.people'::regclass};
my %VALUES = (
	'boolean' => [ 'false', 'true' ], 'smallint' => ['1'], 'integer' => [ '1', '0', '10' ], 'bigint' => [ '1', '0' ], 'numeric' => ['1'], 'real' => ['0.5'], 'double precision' => [ '0.5', '1' ],
	'regclass' => [ $TABLE, q{'clinic.visits'::regclass}, q{'clinic.people_pkey'::regclass} ], 'oid' => [ "$TABLE\::oid", q{'clinic.visits'::regclass::oid}, q{'clinic.people_pkey'::regclass::oid}, q{'clinic.noted'::regproc::oid}, '(SELECT oid FROM pg_database WHERE datname = current_database())' ],
	'regproc' => [q{'clinic.noted'}], 'regprocedure' => [q{'clinic.noted()'}], 'regtype' => [ q{'clinic.people'}, q{'int'} ], 'regnamespace' => [q{'clinic'}], 'regrole' => [ q{'olga'}, q{'ann'} ],
	'text[]' => [ q{'{age}'}, q{'{clinic.people}'} ], 'name[]' => [q{'{age}'}], 'oid[]' => ["ARRAY[$TABLE\::oid]"], 'integer[]' => ["'{1}'"], 'bigint[]' => ["'{1}'"], 'regclass[]' => ["ARRAY[$TABLE]"],
	'anyelement' => [ 'NULL::clinic.people', q{'clinic.people'::text} ], 'anycompatible' => ['1'], 'anynonarray' => [q{'clinic.people'::text}], 'anyarray' => [q{'{1,2}'::int[]}], 'anycompatiblearray' => [q{'{1,2}'::int[]}],
	'"any"' => [ q{'clinic.people'::text}, 'NULL::clinic.people' ], 'record' => ['NULL::clinic.people'], 'anyrange' => [q{'[1,2]'::int4range}], 'anyenum' => ['NULL'],
	'json' => [q{'{}'}], 'jsonb' => [q{'{}'}], 'bytea' => [q{'\x01'}], 'tid' => [q{'(0,1)'}], 'pg_lsn' => [q{'0/1'}], 'xid' => [q{'3'}], 'cid' => [q{'0'}], '"char"' => [q{'r'}], 'refcursor' => [q{'c'}],
	'interval' => [q{'1 day'}], 'date' => [q{'2020-01-01'}], 'time without time zone' => [q{'10:00'}], 'timestamp without time zone' => [q{'2020-01-01'}], 'timestamp with time zone' => [q{'2020-01-01'}],
	'uuid' => [q{'00000000-0000-0000-0000-000000000001'}], 'inet' => [q{'10.0.0.1'}], 'cstring' => [q{'1'}], 'internal' => ['NULL']);

# Values of text and name, by what the argument is called.
my @NAMED = (
	[ qr/schema|nsp|namespace/ => [q{'clinic'}] ],
	[ qr/col|att|field|geom/ => [ q{'spot'}, q{'age'}, q{'minutes'} ] ],
	[ qr/sql|query|stmt|statement|command|source/ => [ q{'SELECT * FROM clinic.people'}, q{'SELECT count(*) FROM clinic.people'} ] ],
	[ qr/index|idx/ => [ q{'clinic.people_pkey'}, q{'people_pkey'} ] ],
	[ qr/func|proc/ => [ q{'clinic.noted'}, q{'clinic.noted()'} ] ],
	[ qr/role|user|owner/ => [ q{'olga'}, q{'ann'} ] ],
	[ qr/^db|database|datname/ => ['current_database()'] ],
	[ qr/tab|rel|class|parent|from|view/ => [ q{'clinic.people'}, q{'people'}, q{'visits'} ] ]);
my @TEXTS = (q{'clinic.people'}, q{'people'}, q{'clinic'}, q{'age'}, q{'SELECT * FROM clinic.people'});

# Values of an argument.
sub values_of
{
	my ($server, $type, $name) = @_;
	if ($type =~ /^(?:text|name|character varying|character)$/)
	{
		for (@NAMED)
		{
			return map { "$_\::$type" } @{ $_->[1] } if ($name // '') =~ $_->[0];
		}
		return map { "$_\::$type" } @TEXTS;
	}
	return ('pg_backend_pid()') if $type eq 'integer' && ($name // '') =~ /pid/;
	return map { /::/ || /^NULL$/ && $type =~ /^any/ ? $_ : "$_\::$type" } @{ $VALUES{$type} } if $VALUES{$type};
	return $server->{literals}{$type} //= literal($server, $type);
}

# Some value of a type that is the neighbour's own.
sub literal
{
	my ($server, $type) = @_;
	for my $text ('1', 'POINT(3 3)', '(1,1)', '{}', '{1}', 'a', '[1,2]', '1.0.0', '10.0.0.0/8')
	{
		my ($out, $err, $ret) = $server->admin('one', "SELECT '$text'::$type IS NULL");
		return "'$text'::$type" if $ret == 0;
		last if $ret == 2;
	}
	return "NULL::$type";
}

# All tries at what the named extensions made in a database, and at relations of no extension: a hash each of object
# and sql.
sub tries
{
	my ($server, @extensions) = @_;
	my %of = map { $_ => 1 } @extensions, 'others';
	my ($rows) = $server->admin('one', <<'SQL');
SET search_path = pg_catalog;
SELECT e.extname, format('%I.%I', n.nspname, p.proname), p.prokind,
	p.proretset OR p.proargmodes && '{o,b,t}' OR p.prorettype = 'record'::regtype, p.prorettype = 'record'::regtype AND NOT COALESCE(p.proargmodes && '{o,b,t}', false),
	(SELECT string_agg(format_type(t.type, NULL), ';' ORDER BY t.number) FROM unnest(p.proargtypes) WITH ORDINALITY t (type, number)),
	COALESCE((SELECT string_agg(a.name, ';' ORDER BY a.number) FROM unnest(p.proargnames, p.proargmodes) WITH ORDINALITY a (name, mode, number)
			  WHERE COALESCE(a.mode, 'i') IN ('i', 'b', 'v')), '')
FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE d.deptype = 'e' AND e.extname NOT IN ('plpgsql', 'dp_agg') AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
  AND NOT 'internal'::regtype = ANY (p.proargtypes) AND p.prorettype NOT IN ('internal'::regtype, 'language_handler'::regtype, 'fdw_handler'::regtype, 'index_am_handler'::regtype, 'table_am_handler'::regtype, 'tsm_handler'::regtype)
  AND has_function_privilege('ann', p.oid, 'EXECUTE') AND has_schema_privilege('ann', n.oid, 'USAGE')
ORDER BY e.extname, p.oid::regprocedure::text COLLATE "C"
SQL
	my @tries;
	for (split /\n/, $rows)
	{
		my ($extension, $name, $kind, $set, $untyped, $types, $names) = split /\|/, $_, -1;
		next if !$of{$extension};
		my @types = split /;/, $types;
		my @names = split /;/, $names, -1;
		my $object = "$extension: $name(" . join(', ', @types) . ')';
		my $number = 0;
		push @tries, { object => $object, switch => !(grep { $_ ne 'boolean' } @types), pure => @types && !(grep { /$NAMES|^boolean$/ } @types), sql => call_of($name, $kind, $set eq 't', $untyped eq 't', @$_), key => $object . ' ' . $number++ } for lists($server, \@types, \@names);
	}
	($rows) = $server->admin('one', <<'SQL');
SELECT COALESCE(e.extname, 'others'), c.oid::regclass,
	(SELECT string_agg(format(CASE WHEN a.attname = 'userid' THEN '%I = ''olga''::regrole::oid' ELSE '%I = %s' END, a.attname, CASE WHEN a.atttypid = 'oid'::regtype THEN '(SELECT oid FROM pg_database WHERE datname = current_database())' ELSE 'current_database()' END), ' AND ')
	 FROM pg_attribute a WHERE a.attrelid = c.oid AND (a.attname IN ('dbid', 'datid') AND a.atttypid = 'oid'::regtype OR a.attname IN ('datname', 'database') AND a.atttypid IN ('name'::regtype, 'text'::regtype)
	 OR a.attname = 'userid' AND a.atttypid = 'oid'::regtype))
FROM pg_class c LEFT JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
LEFT JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f', 'S') AND c.relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema', 'clinic', 'ann', 'dp_agg', 'dp_agg_internal')
  AND has_schema_privilege('ann', c.relnamespace, 'USAGE') AND (c.relkind = 'S' AND has_sequence_privilege('ann', c.oid, 'SELECT') OR c.relkind <> 'S' AND has_any_column_privilege('ann', c.oid, 'SELECT'))
ORDER BY 1, c.oid::regclass::text COLLATE "C"
SQL
	for (split /\n/, $rows)
	{
		my ($extension, $name, $ours) = split /\|/, $_, -1;
		next if !$of{$extension};
		push @tries, { object => "$extension: $name", sql => "SELECT * FROM $name " . ($ours ne '' ? "WHERE $ours " : '') . 'LIMIT 200', key => "$extension: $name" };
	}
	return @tries;
}

# How many functions and relations the named extensions made, trigger functions left out.
sub members
{
	my ($server, @extensions) = @_;
	my $names = join ',', @extensions;
	return ($server->admin('one', <<"SQL"))[0];
SELECT count(*) FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'language_handler'::regtype)
  AND NOT 'internal'::regtype = ANY (p.proargtypes)
LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND c.relkind IN ('r', 'v', 'm', 'p', 'f', 'S')
WHERE d.deptype = 'e' AND e.extname = ANY ('{$names}') AND (p.oid IS NOT NULL OR c.oid IS NOT NULL)
SQL
}

# Lists of arguments: all there are, or the likeliest of each, texts that go together, and some at random.
sub lists
{
	my ($server, $types, $names) = @_;
	return [] if !@$types;
	my @values = map { [ values_of($server, $types->[$_], lc($names->[$_] // '')) ] } 0 .. $#$types;
	my $most = (grep { /$NAMES/ } @$types) ? CALLS : OTHER_CALLS;
	my $all = 1;
	$all *= @$_ for @values;
	my @lists = ([ map { $_->[0] } @values ], together($types, \@values));
	if ($all <= $most)
	{
		for my $number (0 .. $all - 1)
		{
			push @lists, [ map { my $value = $_->[ $number % @$_ ]; $number = int($number / @$_); $value } @values ];
		}
	}
	push @lists, [ map { $_->[ rand @$_ ] } @values ] for 1 .. $most;
	my %seen;
	@lists = grep { !$seen{"@$_"}++ } @lists;
	return @lists > $most ? @lists[ 0 .. $most - 1 ] : @lists;
}

# Lists in which texts that stand together do.
sub together
{
	my ($types, $values) = @_;
	my @lists;
	for my $length (3, 2)
	{
		for my $first (grep { my $at = $_; $at + $length <= @$types && !grep { $types->[$_] !~ /^(?:text|name)$/ } $at .. $at + $length - 1 } 0 .. $#$types)
		{
			for my $texts (@{ $TOGETHER{$length} })
			{
				my @list = map { $_->[0] } @$values;
				$list[ $first + $_ ] = "'$texts->[$_]'::$types->[$first + $_]" for 0 .. $length - 1;
				push @lists, \@list;
			}
			last;
		}
	}
	return @lists;
}

# A call as a statement.
sub call_of
{
	my ($name, $kind, $set, $untyped, @given) = @_;
	my $list = join ', ', @given;
	return "CALL $name($list)" if $kind eq 'p';
	return "SELECT $name($list) FROM generate_series(1, 2) g" if $kind eq 'a';
	return "SELECT $name($list) OVER () FROM generate_series(1, 2) g" if $kind eq 'w';
	return "SELECT * FROM $name($list) t (a text) LIMIT 50" if $untyped;
	return $set ? "SELECT * FROM $name($list) LIMIT 50" : "SELECT $name($list)";
}

# Make tries as the analyst in a database; returns what each showed, by its key.  What ends the session or
# does not end is in the second result, by object; the others are tried all the same.
sub run_tries
{
	my ($server, $database, $tries) = @_;
	my (%shown, %lost);
	my @left = @$tries;
	while (@left)
	{
		my $script = join '', map { "\\echo ====$_\n$left[$_]{sql};\n" } 0 .. $#left;
		my ($text, $whole) = $server->run($database, 'ann', "SET statement_timeout = '1s';\nSET lock_timeout = '500ms';\n$script", seconds => 90, psql => ['-t']);
		my $last = 0;
		for (split /^(?=====\d+\n)/m, $text)
		{
			my ($number, $output) = /^====(\d+)\n(.*)\z/s or next;
			$shown{ $left[$number]{key} } .= substr $output, 0, 20000;
			$last = $number;
		}
		last if $whole;
		my $object = $left[$last]{object};
		$lost{$object} = $server->{late} ? 'does not end' : 'ends the session';
		$server->{node}->psql('postgres', 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $$ann$$') if $server->{late};
		if (!$server->wait_until_up)
		{
			$lost{$object} = 'ends the server';
			last;
		}
		@left = grep { $_->{object} ne $object } @left[ $last + 1 .. $#left ];
		last if keys %lost > 20;
	}
	return (\%shown, \%lost);
}

# Does what the odd database shows differ from what the other two do, by other than what these
# differ by themselves?
sub differs
{
	my ($one, $two, $odd) = map { join "\n", sort split /\n/, $_ // '' } @_;
	return 0 if $odd eq $one || $odd eq $two;
	return 1 if $one eq $two;
	my ($x, $y, $z) = map { [/(\d+(?:\.\d+)?(?:e[+-]\d+)?(?!\w)|\w+|.)/sg] } $one, $two, $odd;
	return 0 if @$x != @$y;
	return 1 if @$x != @$z;
	for my $i (0 .. $#$x)
	{
		next if $z->[$i] eq $x->[$i] || $z->[$i] eq $y->[$i];
		return 1 if $x->[$i] eq $y->[$i];
		next if grep { !/^\d+(?:\.\d+)?(?:e[+-]\d+)?\z/ } $x->[$i], $y->[$i], $z->[$i];
		my ($least, $most) = sort { $a <=> $b } $x->[$i], $y->[$i];
		my $range = $most - $least;
		return 1 if $z->[$i] > $most + 20 * $range || $z->[$i] < $least - 20 * $range;
	}
	return 0;
}

1;
