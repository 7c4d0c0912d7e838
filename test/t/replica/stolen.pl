# What whoever has the login of the standbys can do: spend budgets, and nothing else.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ReplicaTest;
use Test::More;

my $primary = new_primary('primary', conf => "dp_agg.keeper_idle_timeout = 10min\n");
my $home = $primary->safe_psql('postgres', "SELECT home FROM dp_agg.budget WHERE role = 'ann'::regrole");
asked($primary, 'SELECT dp_count(*) FROM people');
my $releases = $primary->safe_psql('postgres', "SELECT releases FROM dp_agg.ledger WHERE event = 'charge'");
my $books = "SELECT string_agg(b::text, E'\\n' ORDER BY b.role) FROM dp_agg.budget b";

# Run something as the thief.
sub stolen
{
	my ($sql) = @_;
	local $ENV{PGUSER} = 'dp_agg_replica';
	return KeeperTest::outcome($primary, $sql);
}

# A charge, with some arguments that are not as a standby has them: 't', an answer that says why it failed, or an error.
my %usual = (role => "'ann'::regrole", dataset => "'default'", releases => "\$\$$releases\$\$", statement => "'stolen'", home => "'$home'", standby => "'thief'");
my $said = q{length(a) > 0, substring(encode(a, 'escape') FROM '(?:its? [a-z ]+)')};
sub call
{
	my (%other) = @_;
	my %argument = (%usual, %other);
	return stolen("SELECT concat_ws(' ', $said) FROM dp_agg.replica_charge(ARRAY[$argument{role}]::oid[], ARRAY[$argument{dataset}]::text[], ARRAY[$argument{releases}]::jsonb[], ARRAY[$argument{statement}]::text[], $argument{home}, $argument{standby}) a");
}

# A call of arrays.
sub call_many
{
	my (%other) = @_;
	my %argument = (roles => "'{ann}'::regrole[]::oid[]", datasets => "'{default}'", releases => "ARRAY[$usual{releases}]::jsonb[]", statements => "'{stolen}'", home => "'$home'", standby => "'thief'", %other);
	return stolen("SELECT string_agg(concat_ws(' ', $said), ', ') FROM dp_agg.replica_charge(" . join(', ', map { "$_ => $argument{$_}" } sort keys %argument) . ') a');
}

# So many times the same.
sub repeated
{
	my ($count, $element, $type) = @_;
	return "(SELECT array_agg(($element)::$type) FROM generate_series(1, $count))";
}
sub call_times
{
	my ($count, %other) = @_;
	my %one = (%usual, %other);
	return call_many(roles => repeated($count, $one{role}, 'oid'), datasets => repeated($count, $one{dataset}, 'text'), releases => repeated($count, $one{releases}, 'jsonb'), statements => repeated($count, $one{statement}, 'text'));
}

# It spends.
my $spent = admitted($primary);
is(call(), 't', 'it can have a budget charged');
is(admitted($primary), $spent + 1, 'which is spent');
is($primary->safe_psql('postgres', "SELECT statement, releases -> 0 ->> 'read_on' FROM dp_agg.ledger ORDER BY id DESC LIMIT 1"), 'stolen|thief', 'and the ledger says what it was told');
is(call(releases => '$$' . ($releases =~ s/\}\]$/, "read_on": "primary"}]/r) . '$$'), 't', 'where it says itself where rows are read');
is($primary->safe_psql('postgres', "SELECT releases -> 0 ->> 'read_on' FROM dp_agg.ledger ORDER BY id DESC LIMIT 1"), 'thief', 'the name of the standby stands');
is(call(statement => "repeat('stolen é', 100000)", standby => "repeat('thief é', 100000)"), 't', 'texts of any length');
is($primary->safe_psql('postgres', "SELECT octet_length(statement), octet_length(releases -> 0 ->> 'read_on') FROM dp_agg.ledger ORDER BY id DESC LIMIT 1"), '8192|254', 'are cut as those of sessions');
my $claimed = "SELECT releases -> 0 ->> 'rows_as_of' FROM dp_agg.ledger ORDER BY id DESC LIMIT 1";
for my $claim ([ '2001-02-03 04:05:06+01', '2001-02-03T03:05:06+00:00' ], [ '9999-01-01 00:00:00Z', '9999-01-01T00:00:00+00:00' ])
{
	is(call(releases => '$$' . ($releases =~ s/\}\]$/, "rows_as_of": "$claim->[0]"}]/r) . '$$'), 't', "rows as of $claim->[0]");
	is($primary->safe_psql('postgres', $claimed), $claim->[1], 'is what it says, in the one form that there is');
}
is(call(), 't', 'nothing of that');
is($primary->safe_psql('postgres', $claimed), '', 'is nothing');
is(call(role => "'eve'::regrole"), 't', 'who has no budget');
is(call(role => '4711'), 't', 'or does not exist');
is($primary->safe_psql('postgres', "SELECT count(*) FROM dp_agg.ledger WHERE role::text IN ('eve', '4711')"), '0', 'is not charged');

# It gives nothing back, changes nothing but by spending, and says no nonsense.
my $before = $primary->safe_psql('postgres', $books);
my @nonsense = (
	'$$[]$$', '$${}$$', '$$[{"releases": []}]$$', '$$1$$', '$$[1]$$', '$$null$$', '$$[null]$$', '$$[{}]$$', '$$[{"releases": 1}]$$', '$$[{"releases": [1]}]$$', '$$[{"releases": [{}]}]$$',
	'$$[{"releases": [{"mechanism": "laplace", "noise": []}]}]$$',
	(map { '$$[{"releases": [{"mechanism": "laplace", "noise": [{"groups": 1, "sensitivity": ' . $_->[0] . ', "scale_num": ' . $_->[1] . ', "scale_den": ' . $_->[2] . '}]}]}]$$' }
		[ -1, 1, 1 ], [ 1, -1, 1 ], [ 1, 1, -1 ], [ 0, 1, 1 ], [ 1, 0, 1 ], [ 1, 1, 0 ], [ '1e999', 1, 1 ], [ 1, '"NaN"', 1 ], [ 0.5, 1, 1 ]),
	(map { '$$' . ($releases =~ s/"releases"/"sample_rate": $_, "releases"/r) . '$$' } -1, 0, 2, '"x"', '1e-400'),
	(map { '$$' . ($releases =~ s/"mechanism"/"$_, "mechanism"/r) . '$$' } 'times": -1', 'times": 0', 'threshold_delta": -1e-9', 'threshold_delta": 1', 'refund": true'),
	'$$' . ($releases =~ s/laplace/none/r) . '$$');
for my $nonsense (@nonsense)
{
	is(call(releases => $nonsense), 't its releases make no sense', "releases $nonsense");
}
for my $nonsense ('"infinity"', '"-infinity"', 'null', '1', '[]', '{}', '"x"', '""', '"' . ('1' x 100_000) . '"', '"99999-99-99"')
{
	like(call(releases => '$$' . ($releases =~ s/\}\]$/, "rows_as_of": $nonsense}]/r) . '$$'), qr/^220(?:23|07|08): /, 'rows as of ' . substr $nonsense, 0, 20);
}
for my $argument (qw(home standby))
{
	like(call($argument => 'NULL'), qr/^22004: /, "$argument null");
}
for my $argument (qw(role dataset releases))
{
	like(call($argument => 'NULL'), qr/^22023: charges of a call must have no null/, "$argument null");
}
for my $argument (qw(roles datasets releases statements))
{
	like(call_many($argument => 'NULL'), qr/^22004: /, "array of $argument null");
	like(call_many($argument => "'{}'"), qr/^22023: charges of a call must be in arrays of the same length/, "array of $argument empty");
}
like(call_many(map { $_ => "'{}'" } qw(roles datasets releases statements)), qr/^22023: charges of a call must be one at least/, 'no charge');
like(call_many(datasets => "'{{default}}'"), qr/^22023: charges of a call must be in arrays of one dimension/, 'an array of arrays');
like(call_times(65), qr/^22023: charges of a call must be one at least, and not too many/, 'more than a worker sends');
my $large = '$$' . ($releases =~ s/"releases"/"where": "WHERE", "releases"/r) . '$$';
like(call(releases => "replace($large, 'WHERE', repeat('x', 2000000))"), qr/^22023: charges of a call are too large/, 'more than a megabyte of releases');
like(call_times(64, releases => "replace($large, 'WHERE', repeat('x', 20000))"), qr/^22023: charges of a call are too large/, 'in one or in all of them');
is(call(role => '0'), 't it names no role', 'the row of a cap is nobody\'s');
like(call(role => "'dp_agg_replica'::regrole"), qr/^t$/, 'nor has it a budget itself');
is(call(dataset => "'" . ('x' x 64) . "'"), 't its data set is too long', 'a long name');
is(call(dataset => "'nosuch'"), 't', 'a data set that there is not');
like(call(home => "'elsewhere'"), qr/^55000/, 'another server');
is($primary->safe_psql('postgres', $books), $before, 'none of which has changed a budget');

# Nonsense among others: they are charged, in one transaction.
my $mixed = call_many(roles => "ARRAY['ann'::regrole, 'ann'::regrole, 0, 'eve'::regrole, 'bob'::regrole, 'ann'::regrole]::oid[]", datasets => "ARRAY['default', 'default', 'default', 'default', 'default', repeat('x', 70)]",
	releases => "ARRAY[$usual{releases}, '[]', $usual{releases}, $usual{releases}, $usual{releases}, $usual{releases}]::jsonb[]", statements => "ARRAY['one', 'two', 'three', 'four', NULL, 'six']");
is($mixed, 't, t its releases make no sense, t it names no role, t, t, t its data set is too long', 'each charge of a call has an answer of its own');
is($primary->safe_psql('postgres', "SELECT string_agg(concat_ws(' ', role, statement), ', ' ORDER BY id), count(DISTINCT xmin::text) FROM (SELECT *, xmin FROM dp_agg.ledger ORDER BY id DESC LIMIT 2) l"), 'ann one, bob|1', 'and those that make sense are charged together');
is(admitted($primary, 'ann'), $spent + 7, 'once each');

# All requests that are lent are given back, however a call ends.
for my $round (1 .. 5)
{
	is(call_times(64), join(', ', ('t') x 64), 'as many as a worker sends');
	call_times(64, releases => "'[]'");
	call_times(64, dataset => "'nosuch'");
}
is($primary->safe_psql('postgres', "SELECT count(*), count(DISTINCT xmin::text) FROM (SELECT *, xmin FROM dp_agg.ledger ORDER BY id DESC LIMIT 320) l"), '320|5', 'five times in one transaction');
is(admitted($primary, 'ann'), $spent + 327, 'once each');

# It puts no answer before anybody: a charge that it makes up for a question leaves what is kept for that as it was, and keeps nothing.
my @question = ("SET dp_agg.kept_max_age = '1h'", 'SELECT dp_sum(age, 0, 55) FROM people');
my $answer = asked($primary, \@question);
is(asked($primary, \@question), $answer, 'an answer is kept');
my $asked = $primary->safe_psql('postgres', "SELECT releases FROM dp_agg.ledger WHERE event = 'charge' ORDER BY id DESC LIMIT 1");
my $kept = 'SELECT encode(question, $$hex$$), asked_at, entry, md5(released) FROM dp_agg.kept_answer';
my $is_kept = $primary->safe_psql('postgres', $kept);
like($asked, qr/"question": "[0-9a-f]{64}"/, 'a question is known by its digest');
is(call(releases => "\$\$$asked\$\$"), 't', 'which a thief may name, too');
is($primary->safe_psql('postgres', $kept), $is_kept, 'what is kept for it stays what it was');
is(asked($primary, \@question), $answer, 'and so does what its role is shown');
$primary->safe_psql('postgres', 'SELECT dp_agg.forget_kept()');
$spent = admitted($primary);
is(call(releases => "\$\$$asked\$\$"), 't', 'where nothing is kept');
is($primary->safe_psql('postgres', $kept), '', 'nothing is then');
like(asked($primary, \@question), qr/^-?\d+$/, 'the question is answered');
is(admitted($primary), $spent + 2, 'by the server, for a charge of its own');
is($primary->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the books know of nothing else');

# What it has not said it may not: nothing but this function.
my @functions = map { [ split /\|/ ] } split /\n/, $primary->safe_psql('postgres', <<'SQL');
SELECT p.oid::regprocedure, has_function_privilege('dp_agg_replica', p.oid, 'EXECUTE'), has_function_privilege('eve', p.oid, 'EXECUTE') FROM pg_proc p ORDER BY 1
SQL
is(join(', ', map { $_->[0] =~ s/\(.*//r } grep { $_->[1] ne $_->[2] } @functions), 'dp_agg.replica_charge', 'it may call one function that others may not');
is($primary->safe_psql('postgres', <<'SQL'), '', 'no table, column, schema, database or role that others may not');
SELECT c.oid::regclass::text FROM pg_class c, unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) p
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND has_table_privilege('dp_agg_replica', c.oid, p) AND NOT has_table_privilege('eve', c.oid, p)
UNION ALL
SELECT n.nspname::text FROM pg_namespace n, unnest('{CREATE,USAGE}'::text[]) p WHERE has_schema_privilege('dp_agg_replica', n.oid, p) AND NOT has_schema_privilege('eve', n.oid, p)
UNION ALL
SELECT m.roleid::regrole::text FROM pg_auth_members m WHERE m.member = 'dp_agg_replica'::regrole
SQL
for my $attack (
	'SELECT * FROM people', 'SELECT count(*) FROM people', 'SELECT dp_count(*) FROM people', 'TABLE dp_agg.budget', 'TABLE dp_agg.ledger', 'TABLE dp_agg.kept_answer',
	"SELECT dp_agg.set_budget('ann', 1e6, 1e-6)", "SELECT dp_agg.reset_budget('ann')", "SELECT dp_agg.drop_budget('ann')", 'SELECT dp_agg.acknowledge_copy()',
	'SELECT dp_agg.forget_kept()', "SELECT dp_agg.unprotect('people')", 'SET ROLE ann', 'SET SESSION AUTHORIZATION ann', "SET dp_agg.answer_on_copies = on", 'SHOW dp_agg.primary_conninfo',
	'ALTER SYSTEM SET dp_agg.kept_limit = 0', 'SET session_preload_libraries = x', 'CREATE TABLE dp_agg.t ()', 'CREATE TABLE public.t ()', 'CREATE ROLE r', 'ALTER ROLE dp_agg_replica SUPERUSER',
	"COPY people TO PROGRAM 'cat'", "SELECT pg_read_file('PG_VERSION')",
	"CREATE OR REPLACE FUNCTION dp_agg.replica_charge(oid[], text[], jsonb[], text[], text, text) RETURNS SETOF bytea LANGUAGE sql AS 'SELECT null::bytea'",
	'DELETE FROM dp_agg.ledger', 'UPDATE dp_agg.budget SET pure_spent = 0')
{
	like(stolen($attack), qr/^(?:42|55P02|22|0A|25)/, $attack);
}
is(stolen("GRANT EXECUTE ON FUNCTION $SIGNATURE TO eve"), '', 'what it may it cannot hand on,');
is($primary->safe_psql('postgres', "SELECT has_function_privilege('eve', '$SIGNATURE', 'EXECUTE')"), 'f', 'but for a warning');
is(stolen('SELECT count(*) FROM dp_agg.budgets'), '0', 'it sees no budget');
like(asked($primary, "SELECT dp_agg.replica_charge('{}', '{}', '{}', '{}', '', '')"), qr/^42501: permission denied for function replica_charge/, 'analysts may not call it');

# What it is told of a budget that it spends is that budget's limit and use; nothing is between the fields.
my $sum = "SELECT md5(string_agg(a::text, '')) FROM generate_series(1, 3), dp_agg.replica_charge(ARRAY['eve'::regrole], '{default}', ARRAY[\$\$$releases\$\$::jsonb], '{x}', '$home', 'x') a";
is(stolen($sum), stolen($sum), 'an answer about nobody is always the same');
is($primary->safe_psql('postgres', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger adds up');

done_testing();
