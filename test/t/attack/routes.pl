# Attacks by other routes to the server than psql takes: portals and pipelines of
# the wire protocol, calls of single functions by it, settings of a connection;
# and by what a session, or the server, keeps of what a release has read.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..", "$FindBin::RealBin/../../fuzz";

use AttackTest;
use FuzzWire;
use PostgreSQL::Test::Utils;
use Test::More;

# These tables push others' pages out of the buffers, whoever reads them.
my $READS = qr{\bio \d+ +\|op |\baio: submitted };
$AttackTest::pass_over = $READS;

# Tables of more than a quarter of the buffers are scanned together, and more than
# two kilobytes of statistics lie out of line.
my $admin = <<'SQL';
SET ROLE olga;
CREATE TABLE clinic.letters (person int, t text);
INSERT INTO clinic.letters SELECT i, 'short' FROM generate_series(1, 100) i;
SELECT dp_agg.protect('clinic.letters', 'person', max_rows => 5);
CREATE TABLE clinic.changing (id int PRIMARY KEY);
INSERT INTO clinic.changing SELECT generate_series(1, 100);
SELECT dp_agg.protect('clinic.changing', 'id');
RESET ROLE;
SQL
my $letters = <<'SQL';
INSERT INTO letters SELECT 5000, (SELECT string_agg(md5(i || ' ' || j), '') FROM generate_series(1, 16) j) FROM generate_series(1, 3000) i;
SQL
my $analyst = <<'SQL';
DO $$
BEGIN
	FOR i IN 1 .. 20 LOOP
		EXECUTE format('CREATE TABLE ann.long_%s AS SELECT j, repeat(''x'', 1900) AS t FROM generate_series(1, 600) j', i);
	END LOOP;
END $$;
CREATE FUNCTION read_half() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	c refcursor;
BEGIN
	FOR i IN 1 .. 20 LOOP
		OPEN c FOR EXECUTE format('SELECT j FROM ann.long_%s', i);
		MOVE FORWARD 300 FROM c;
		CLOSE c;
	END LOOP;
END $$;
CREATE FUNCTION pages(query text, OUT pages bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
	pages := (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
END $$;
CREATE FUNCTION louder() RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT set_config('client_min_messages', 'debug5', false) $$;
CREATE FUNCTION asks() RETURNS text LANGUAGE sql AS $$ SELECT 'noisy:' || public.dp_count(*) FROM clinic.people $$;
SQL

my $neighbours = new_neighbours('attack_routes', conf => "shared_buffers = 4MB\n", admin => $admin, analyst => $analyst,
	person => { outlier => $letters });

$neighbours->attack(<<'ATTACKS');
@ where scans of long tables begin: after a release that may have scanned one, too | 2 |
SELECT read_half();
SELECT dp_count(*) FROM visits;
SELECT ctid FROM long_1 LIMIT 1;
SELECT read_half();
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '64kB';
SELECT dp_count(*) FROM visits;
SET max_parallel_workers_per_gather = 0;
SELECT ctid FROM long_1 LIMIT 1;
@ what a session has looked up to fetch the value of a row that is there | 1 |
> ann2
SELECT pages('SELECT pg_relation_is_updatable(reltoastrelid, false) FROM pg_class WHERE relname = ''visits''') > 0 AS looked_up;
SELECT dp_count(CASE WHEN id = 5000 THEN note > 'a' END) FROM people;
SELECT pages('SELECT pg_relation_is_updatable(reltoastrelid, false) FROM pg_class WHERE relname = ''people''');
@ values of statistics fetched by who reads no indexes of catalogues | 2 | 42501 42501
> ann3
\c -reuse-previous=on "options=-P"
SET client_min_messages = debug5;
SELECT * FROM letters WHERE t < 'b';
EXPLAIN SELECT * FROM letters WHERE t = 'b';
SELECT dp_count(*) FROM letters WHERE t < 'b';
SELECT louder(), dp_count(*) FROM letters WHERE t < 'b';
SHOW ignore_system_indexes;
ATTACKS

my $node = $neighbours->{node};

# A session of the protocol's.
sub wire
{
	my ($database, $role) = @_;
	my $wire = FuzzWire->connect(host => $node->host, port => $node->port, user => $role, database => $database);
	$wire->query('SET client_min_messages = debug5');
	return $wire;
}

# Send the message that a line stands for; true if an answer is due.
#
#   P name sql            Parse
#   B portal name [f] [| value ...]   Bind, results in format f
#   D kind name           Describe
#   E portal limit        Execute
#   C kind name           Close
#   S                     Sync
#   Q sql                 Query
#   ! role sql            Query in another session
sub send_line
{
	my ($wire, $others, $line) = @_;
	my ($type, $rest) = $line =~ /^(\S) ?(.*)$/;
	my @words = split ' ', $rest;
	if ($type eq 'P')
	{
		my ($name, $sql) = $rest =~ /^(\w+) (.*)$/;
		$wire->put_message('P', "$name\0$sql\0" . pack 'n', 0);
	}
	elsif ($type eq 'B')
	{
		my ($names, @values) = split / ?\| ?/, $rest, -1;
		my ($portal, $name, $format) = split ' ', $names;
		$wire->put_message('B', "$portal\0$name\0" . pack('n n', 0, scalar @values)
			  . join('', map { $_ eq 'null' ? pack 'N', 0xffffffff : pack('N', length) . $_ } @values) . pack('n n', 1, $format // 0));
	}
	elsif ($type eq 'D' || $type eq 'C') { $wire->put_message($type, "$words[0]$words[1]\0") }
	elsif ($type eq 'E') { $wire->put_message('E', "$words[0]\0" . pack 'N', $words[1]) }
	elsif ($type eq 'S') { $wire->put_message('S', ''); return 1 }
	elsif ($type eq 'Q') { $wire->put_message('Q', "$rest\0"); return 1 }
	elsif ($type eq '!')
	{
		my ($role, $sql) = $rest =~ /^(\w+) (.*)$/;
		my $answer = $others->{$role}->query($sql);
		die "$sql: $answer->{error}{M}\n" if $answer->{error};
	}
	else { die "no message: $line\n" }
	return 0;
}

# What comes back until the server is ready, a line for each message.  What is
# released stands behind "noisy:".
sub answer_lines
{
	my ($wire) = @_;
	my @lines;
	for (;;)
	{
		my ($type, $body) = $wire->get_message;
		return (@lines, 'lost') if !defined $type;
		if ($type eq 'D') { push @lines, join '|', 'D', map { $_ // '(null)' } @{ FuzzWire::values_of($body) } }
		elsif ($type eq 'E' || $type eq 'N')
		{
			my $fields = FuzzWire::fields($body);
			next if $fields->{V} =~ /^DEBUG/ && $fields->{M} =~ /rehashing|sinval|$READS/;
			push @lines, join ' ', $type, map { "$_:$fields->{$_}" } sort keys %$fields;
		}
		else { push @lines, $type . ($body =~ s/\0$//r) }
		return @lines if $type eq 'Z';
	}
}

# How many statements each role was charged for.
sub charges
{
	my ($admin) = @_;
	my $rows = $admin->query('SELECT role::text, statements FROM dp_agg.budgets')->{rows};
	return { map { @$_ } @$rows };
}

# Exchange messages as a role in each database; returns what was shown and charged.
sub exchange
{
	my ($role, $lines) = @_;
	my (%shown, %charged);
	for my $database (qw(nobody somebody outlier))
	{
		my %others = map { $_ => FuzzWire->connect(host => $node->host, port => $node->port, user => $_, database => $database) } 'olga';
		my $admin = FuzzWire->connect(host => $node->host, port => $node->port, user => $ENV{PGUSER} // scalar getpwuid($<), database => $database);
		my $wire = wire($database, $role);
		my $before = charges($admin);
		my @shown;

		$others{admin} = $admin;
		for my $line (@$lines)
		{
			push @shown, answer_lines($wire) if send_line($wire, \%others, $line);
		}
		my $after = charges($admin);
		$shown{$database} = join "\n", @shown;
		$charged{$database} = join ' ', map { ("$_=" . ($after->{$_} - $before->{$_})) x ($after->{$_} > $before->{$_}) } sort keys %$after;
		$_->close for $wire, values %others;
	}
	return (\%shown, \%charged);
}

# Carry out the exchanges of a text: "@ role | name | charges | types of the messages
# that come back, with SQLSTATEs of errors", and then lines.
sub exchanges
{
	my ($text) = @_;
	for my $part (split /^@ /m, $text)
	{
		my ($head, @lines) = split /\n/, $part;
		next if !defined $head;
		my ($role, $name, $charges, $types) = map { s/^\s+|\s+$//gr } split /\|/, $head, -1;
		my ($shown, $charged) = exchange($role, \@lines);
		for my $database (qw(nobody somebody outlier))
		{
			my @types = map { (/^E.*\bC:(\w+)/ ? "E$1" : substr $_, 0, 1) x !/^[NS]/ } split /\n/, $shown->{$database};
			is($charged->{$database}, $charges, "$name: charges in $database");
			is("@types", $types, "$name: messages in $database") or diag $shown->{$database};
			unlike($shown->{$database}, qr/cnry|7319550/, "$name: no values in $database");
			is($shown->{$database} =~ s/noisy:\S*/noisy:#/gr, $shown->{nobody} =~ s/noisy:\S*/noisy:#/gr, "$name: $database shows what nobody does");
		}
	}
	return;
}

exchanges(<<'EXCHANGES');
@ ann | parsed and described, not bound | | 1 t T Z
P a SELECT clinic, 'noisy:' || dp_count(*) FROM visits GROUP BY clinic
D S a
S
@ ann | bound, not executed | | 1 2 T Z
P a SELECT clinic, 'noisy:' || dp_count(*) FROM visits GROUP BY clinic
B p a
D P p
S
@ ann | row by row, and on after the end | ann=1 | 1 2 D s D D s D C C C Z
P a SELECT clinic, 'noisy:' || dp_count(*) FROM visits GROUP BY clinic
B p a
E p 1
E p 2
E p 0
E p 0
E p 1
S
@ ann | a portal for each draw | ann=2 | 1 2 2 D s D s D D D C D D D C Z
P a SELECT clinic, 'noisy:' || dp_count(*) FROM visits GROUP BY clinic
B p a
B q a 1
E p 1
E q 1
E p 0
E q 0
S
@ ann | an error in the pipeline | ann=1 | 1 1 2 D s E22012 Z E34000 Z
P a SELECT clinic, 'noisy:' || dp_count(*) FROM visits GROUP BY clinic
P b SELECT 1 / 0
B p a
E p 1
B q b
E q 0
E p 0
B r a
S
E p 0
S
@ ann | answers of a pipeline that fails later | ann=2 | 1 1 2 D C 2 D C E42P01 Z
P a SELECT 'noisy:' || dp_count(*) FROM visits
P b SELECT 'noisy:' || dp_count(*) FROM lone
B p a
E p 0
B q b
E q 0
P c SELECT * FROM nowhere
B r a
S
@ ann | a portal that outlives a savepoint | ann=1 | C C Z 1 2 Z C Z D s Z C Z D D D C Z C Z
Q BEGIN; SET LOCAL work_mem = '64kB'
P a SELECT clinic, 'noisy:' || dp_count(*) FROM visits GROUP BY clinic
B p a
S
Q SAVEPOINT s
E p 1
S
Q ROLLBACK TO s
E p 0
S
Q COMMIT
@ ann | a portal that does not | ann=1 | C C Z 1 2 D s Z C Z E34000 Z C Z
Q BEGIN; SAVEPOINT s
P a SELECT clinic, 'noisy:' || dp_count(*) FROM visits GROUP BY clinic
B p a
E p 1
S
Q ROLLBACK TO s
E p 0
S
Q ROLLBACK
@ ann | values bound one after the other | ann=7 | 1 t T Z 2 D C 2 D C 2 D C 2 D C 2 D C 2 D C 2 D C Z
P a SELECT 'noisy:' || dp_sum(age, $1, $2, $3) FROM people WHERE city = $4
D S a
S
B p a | 0 | 100 | 0.001 | Aachen
E p 0
B p2 a | 0 | 100 | 0.002 | Aachen
E p2 0
B p3 a | 0 | 10 | 0.001 | Bremen
E p3 0
B p4 a | 5 | 5 | 0.001 | null
E p4 0
B p5 a | 0 | 100 | 0.001 | Zwiesel
E p5 0
B p6 a | 0 | 100 | 0.001 | Zwiesel
E p6 0
B p7 a | 0 | 100 | 0.001 | Zwiesel
E p7 0
S
@ ann | values bound that are refused | | 1 E22023 Z E22023 Z E22023 Z E22P02 Z E08P01 Z
P a SELECT 'noisy:' || dp_sum(age, $1, $2, $3) FROM people
B p a | 0 | 100 | NaN
S
B p a | 100 | 0 | 0.1
S
B p a | null | 100 | 0.1
S
B p a | x | 100 | 0.1
S
B p a | 0
S
@ ann | a portal of EXECUTE and one of EXPLAIN | ann=2 | C Z 1 2 D s D D s D C C Z 1 2 D s 3 1 2 Z
Q PREPARE x AS SELECT clinic, 'noisy:' || dp_count(*) FROM visits GROUP BY clinic
P a EXECUTE x
B p a
E p 1
E p 2
E p 0
E p 0
S
P b EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT dp_count(*) FROM people
B q b
E q 1
C P q
P c SELECT
B r c
S
@ bob | roles changed between messages | team=3 | 1 C Z 2 Z C Z D C Z 2 D C Z C Z 2 3 3 1 1 2 C 2 D C Z
P a SELECT 'noisy:' || dp_count(*) FROM clinic.visits
Q BEGIN
B p a
S
Q SET LOCAL ROLE team
E p 0
S
B q a
E q 0
S
Q COMMIT
B r a
C S a
C P r
P a SELECT 'noisy:' || dp_count(*) FROM clinic.visits
P b RESET ROLE
B s b
E s 0
B t a
E t 0
S
@ ann | no longer protected when bound | ann=1 | 1 2 D C Z E42501 Z t T Z
P a SELECT 'noisy:' || dp_count(*) FROM changing
B p a
E p 0
S
! admin SELECT dp_agg.unprotect('clinic.changing')
B q a
S
! olga SELECT dp_agg.protect('clinic.changing', 'id')
D S a
S
@ ann | rows themselves | | 1 t T E42501 Z 1 2 E42501 Z
P a SELECT name FROM people
D S a
B p a
S
P b COPY people TO STDOUT
B q b
E q 0
S
EXCHANGES

# Calls of single functions come without an expression around them.
sub call
{
	my ($wire, $oid, @values) = @_;
	$wire->put_message('F', pack('N n n n', $oid, 1, 0, scalar @values)
		  . join('', map { defined $_ ? pack('N', length) . $_ : pack 'N', 0xffffffff } @values) . pack 'n', 0);
	return $wire->answer;
}

my $wire = wire('outlier', 'ann');
my $functions = $wire->query(<<'SQL')->{rows};
SELECT p.oid, p.oid::regprocedure, p.pronargs FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'dp_agg'
SQL
cmp_ok(scalar @$functions, '>', 200, 'functions to call');
my $before = charges(wire('outlier', 'ann'));
my @faults;
for my $function (@$functions)
{
	my ($oid, $name, $nargs) = @$function;
	for my $values ([ (undef) x $nargs ], [ ('1') x $nargs ], [ ('') x $nargs ], [ ('{1,2}') x $nargs ], [ ('\x00') x $nargs ],
		[ undef, ('1') x ($nargs - 1) ], [ map { $_ % 2 ? undef : '1' } 1 .. $nargs ])
	{
		next if @$values != $nargs;
		my $answer = call($wire, $oid, @$values);
		push @faults, "$name: lost" if $answer->{lost};
		push @faults, "$name: $answer->{error}{M}" if ($answer->{error}{C} // '') =~ /^(?:XX|58)/;
		$wire = wire('outlier', 'ann') if $answer->{lost};
	}
}
is_deeply(\@faults, [], 'no call ends a session, or meets what should not be');
is_deeply(charges($wire), $before, 'none is charged');
my $asks = $wire->query("SELECT 'ann.asks'::regproc::oid")->{rows}[0][0];
like(call($wire, $asks)->{all}, qr/noisy:-?\d+/, 'a function that asks is answered');
is(charges($wire)->{ann}, $before->{ann} + 1, 'and charged');

$neighbours->finish;
