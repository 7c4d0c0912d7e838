# Attacks by names: whoever may create objects where the extension is made, before it
# is made or after, runs nothing of his as somebody else who uses it; nor between the
# check of one block and that of the next.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('attack_names');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'dp_agg'
max_worker_processes = 16
autovacuum = off
CONF
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE ann LOGIN;
CREATE ROLE olga LOGIN;
GRANT CREATE ON SCHEMA public TO PUBLIC;
GRANT CREATE ON DATABASE postgres TO ann, olga;
SQL

# Run statements of a role's; returns nothing, or what went wrong.
sub run_as
{
	my ($role, $sql) = @_;
	my ($out, $err);
	local $ENV{PGUSER} = $role // $ENV{PGUSER};
	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err);
	return $err;
}

# Whatever runs a trap of hers is counted, and makes her a superuser if it can.
sub sprung
{
	return $node->safe_psql('postgres', <<'SQL');
SELECT CASE WHEN is_called THEN last_value ELSE 0 END, rolsuper FROM ann.sprung, pg_roles WHERE rolname = 'ann'
SQL
}

# What she made is hers, and none of it has been run.
sub is_unsprung
{
	my ($name) = @_;
	is(sprung(), '0|f', $name);
	$node->safe_psql('postgres', 'ALTER ROLE ann NOSUPERUSER; ALTER SEQUENCE ann.sprung RESTART');
	return;
}

my $body = <<'SQL';
BEGIN
	PERFORM pg_catalog.nextval('ann.sprung');
	BEGIN
		ALTER ROLE ann SUPERUSER;
	EXCEPTION WHEN OTHERS THEN
	END;
SQL

is(run_as('ann', <<"SQL"), '', 'ann plants operators, before there is an extension');
CREATE SCHEMA ann;
CREATE SEQUENCE ann.sprung;
GRANT USAGE ON SCHEMA ann TO PUBLIC;
GRANT ALL ON SEQUENCE ann.sprung TO PUBLIC;
CREATE FUNCTION public.equal(oid, regclass) RETURNS boolean LANGUAGE plpgsql AS \$\$ $body RETURN \$1 = \$2::oid; END \$\$;
CREATE FUNCTION public.equal(oid, int) RETURNS boolean LANGUAGE plpgsql AS \$\$ $body RETURN \$1 = \$2::oid; END \$\$;
CREATE FUNCTION public.greater(float8, int) RETURNS boolean LANGUAGE plpgsql AS \$\$ $body RETURN \$1 > \$2::float8; END \$\$;
CREATE FUNCTION public.times(int, float8) RETURNS float8 LANGUAGE plpgsql AS \$\$ $body RETURN \$1::float8 * \$2; END \$\$;
CREATE OPERATOR public.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = public.equal);
CREATE OPERATOR public.= (LEFTARG = oid, RIGHTARG = int, FUNCTION = public.equal);
CREATE OPERATOR public.> (LEFTARG = float8, RIGHTARG = int, FUNCTION = public.greater);
CREATE OPERATOR public.* (LEFTARG = int, RIGHTARG = float8, FUNCTION = public.times);
SQL

# A schema of somebody else's is not taken.
for my $schema ('dp_agg', 'dp_accountant', 'dp_agg_internal')
{
	is(run_as('ann', "CREATE SCHEMA $schema"), '', "ann makes schema $schema");
	like(run_as(undef, 'CREATE EXTENSION dp_agg'), qr/schema "$schema" already exists/, 'and the extension is not made in it');
	is(run_as('ann', "DROP SCHEMA $schema"), '', 'she gives up');
}

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
GRANT EXECUTE ON FUNCTION dp_agg.protect TO olga;
SELECT dp_agg.set_budget(r::regrole, 1e6, 1e-3) FROM unnest(ARRAY['ann', 'olga', quote_ident(current_user)]) r;
SQL
is(run_as('olga', <<'SQL'), '', 'olga protects tables');
CREATE SCHEMA clinic;
GRANT USAGE ON SCHEMA clinic TO PUBLIC;
CREATE TABLE clinic.people (id int PRIMARY KEY, city text, age int, n numeric);
INSERT INTO clinic.people SELECT i, CASE WHEN i % 3 = 0 THEN 'Celle' ELSE 'Bremen' END, i % 100, i % 100 FROM generate_series(1, 3000) i;
SELECT dp_agg.protect('clinic.people', 'id');
SQL

# Overloads that fit better than "any", of everything that a count is asked of.
my $overloads = '';
for my $type (qw(int bigint text numeric float8 boolean))
{
	$overloads .= <<"SQL";
CREATE FUNCTION public.step(bigint, $type) RETURNS bigint LANGUAGE plpgsql AS \$\$ $body RETURN 7; END \$\$;
CREATE FUNCTION public.step(bigint, $type, float8) RETURNS bigint LANGUAGE plpgsql AS \$\$ $body RETURN 7; END \$\$;
CREATE AGGREGATE public.dp_count($type) (SFUNC = public.step, STYPE = bigint);
CREATE AGGREGATE public.dp_count($type, float8) (SFUNC = public.step, STYPE = bigint);
SQL
}
$overloads .= <<"SQL" for qw(int bigint numeric);
CREATE FUNCTION public.add(float8, float8, $_, $_, float8) RETURNS float8 LANGUAGE plpgsql AS \$\$ $body RETURN 7; END \$\$;
CREATE AGGREGATE public.dp_sum(float8, $_, $_, float8) (SFUNC = public.add, STYPE = float8);
SQL
is(run_as('ann', $overloads), '', 'ann makes overloads of dp_count and dp_sum');

# Everything that generates SQL, and its answer.  At epsilon 50 a count is off by 10 or
# more with a probability of 4e-218.
my @calls = (
	[ 'protected_tables', 'SELECT relation, unit FROM dp_agg.protected_tables', 'clinic.people|id' ],
	[ 'suggest_bounds', "SELECT * FROM dp_agg.suggest_bounds('clinic.people', 'age')", '0|127' ],
	[ 'suggest_bounds of numeric', "SELECT * FROM dp_agg.suggest_bounds('clinic.people', 'n', filter => 'n < 60')", '0|64' ],
	[ 'suggest_max_rows', "SELECT dp_agg.suggest_max_rows('clinic.people')", '1' ],
	[ 'suggest_max_groups', "SELECT dp_agg.suggest_max_groups('clinic.people', 'city')", '1' ],
	[ 'measure_bounding', "SELECT most_rows, round(units_cut::numeric, 1) FROM dp_agg.measure_bounding('clinic.people')", '1|0.0' ],
	[ 'measure_bounding of groups', "SELECT most_rows, round(rows_cut::numeric, 1) FROM dp_agg.measure_bounding('clinic.people', filter => 'n < 60', col => 'city')", '1|0.0' ],
	[ 'dp_histogram', "SELECT string_agg(round(count, -2)::text, ',' ORDER BY bin) FROM dp_histogram('clinic.people', 'age', 0, 100, 2)", '1500,1500' ],
	[ 'bars', "SELECT string_agg(length(bar)::text, ',' ORDER BY bin) FROM dp_histogram('clinic.people', 'city', ARRAY['Celle', 'Aachen'])", '40,0' ],
	[ 'dp_cumulative', "SELECT round(max(cumulative)::numeric, -2) FROM dp_cumulative('clinic.people', 'age', 0, 100, 4)", '3000' ],
	[ 'dp_noisy_max', "SELECT candidate FROM dp_noisy_max('clinic.people', 'city', ARRAY['Celle', 'Bremen'])", 'Bremen' ],
	[ 'dp_top', "SELECT candidate FROM dp_top('clinic.people', 'city', 1, filter => 'age >= 0')", 'Bremen' ],
	[ 'dp_above_threshold', "SELECT position FROM dp_above_threshold('clinic.people', ARRAY['age < 0', 'age >= 0'], 1000)", '2' ],
	[ 'dp_agg.price', "SELECT aggregate FROM dp_agg.price('SELECT * FROM dp_histogram(''clinic.people'', ''age'', 0, 100, 2, 1)')", qr/^(?:public\.)?dp_count\(1, '1'::double precision\)$/ ],
	[ 'dp_agg_internal.counted', 'SELECT round(dp_agg_internal.counted(age), -2) FROM clinic.people', '3000' ]);
for my $role (scalar getpwuid($<), 'olga', 'ann')
{
	my $who = $role =~ /^(?:olga|ann)$/ ? $role : 'the superuser';
	for my $call (@calls)
	{
		my ($name, $sql, $answer) = @$call;
		my $seen = asked($node, "SET dp_agg.epsilon = 50; $sql", $role);
		ref $answer ? like($seen, $answer, "$name, for $who") : is($seen, $answer, "$name, for $who");
	}
	is_unsprung("ann's operators and aggregates are not run by $who");
}

# A cast of somebody's, to what is shown.
is(run_as('ann', <<"SQL"), '', 'ann makes a type that is cast by her function');
CREATE TYPE ann.mood AS ENUM ('sad', 'glad');
CREATE FUNCTION ann.shown(ann.mood) RETURNS text LANGUAGE plpgsql AS \$\$ $body RETURN 'shown'; END \$\$;
CREATE CAST (ann.mood AS text) WITH FUNCTION ann.shown(ann.mood) AS ASSIGNMENT;
SQL
is(run_as('olga', <<'SQL'), '', 'olga uses it');
CREATE TABLE clinic.moods (id int PRIMARY KEY, mood ann.mood);
INSERT INTO clinic.moods SELECT i, 'sad' FROM generate_series(1, 1000) i;
SELECT dp_agg.protect('clinic.moods', 'id');
SQL
like(asked($node, "SELECT candidate FROM dp_top('clinic.moods', 'mood', 1, 50)", $_ ),
	qr/^0A000: dp_top would call function shown, which is not built in/, "dp_top does not call it for $_") for 'olga', 'ann';
like(run_as(undef, "SELECT candidate FROM dp_top('clinic.moods', 'mood', 1, 50)"), qr/would call function shown/, 'nor for a superuser');
is(asked($node, "SELECT candidate FROM dp_noisy_max('clinic.moods', 'mood', ARRAY['sad', 'glad']::ann.mood[], 1, 50)"), 'sad', 'dp_noisy_max has no use for it');
is_unsprung('the cast was not run');

# A function of hers as an argument.
is(run_as('ann', <<"SQL"), '', 'ann makes functions for arguments');
CREATE FUNCTION ann.one() RETURNS int IMMUTABLE LANGUAGE plpgsql AS \$\$ $body RETURN 1; END \$\$;
CREATE FUNCTION ann.city() RETURNS text[] IMMUTABLE LANGUAGE plpgsql AS \$\$ $body RETURN '{Celle}'; END \$\$;
SQL
like(asked($node, "SELECT * FROM dp_top('clinic.people', 'city', ann.one())"), qr/^0A000: arguments of dp_top must be constant/, 'a function is no constant');
like(asked($node, "SELECT * FROM dp_noisy_max(relation => 'clinic.people', col => 'city', candidates => ann.city())"), qr/^0A000: arguments of dp_noisy_max/, 'nor by name');
like(run_as('ann', "SELECT * FROM dp_top('clinic.people', 'city', ann.one())"),
	qr/LINE 1:.*\n\s+\^\n.*only built-in functions are computed/s, 'it is told where');
is_unsprung('no argument was computed');

# Code of hers that runs while a condition is read: the input of a type.
is(run_as('ann', <<'SQL'), '', 'ann makes types that run code when they are read');
CREATE TABLE ann.amp (k int, CONSTRAINT amp_k UNIQUE (k));
INSERT INTO ann.amp SELECT generate_series(1, 10);
CREATE FUNCTION ann.swell(int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	ALTER TABLE ann.amp DROP CONSTRAINT IF EXISTS amp_k;
	INSERT INTO ann.amp SELECT 1 FROM generate_series(1, 20000);
	RETURN true;
END $$;
CREATE DOMAIN ann.swelling AS int CHECK (ann.swell(VALUE));
CREATE TYPE ann.swells AS (n ann.swelling);
CREATE VIEW ann.chosen AS SELECT * FROM clinic.people WHERE city = 'Celle';
CREATE VIEW ann.others AS SELECT * FROM clinic.people WHERE city = 'Bremen';
CREATE FUNCTION ann.swap(int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	ALTER VIEW ann.chosen RENAME TO gone;
	ALTER VIEW ann.others RENAME TO chosen;
	RETURN true;
END $$;
CREATE DOMAIN ann.swapping AS int CHECK (ann.swap(VALUE));
CREATE TYPE ann.swaps AS (n ann.swapping);
SQL
my $amplified = "(SELECT dp_count(*) AS c FROM clinic.people p JOIN ann.amp a ON a.k = CASE WHEN p.id = 500 THEN 1 END) s";
my $condition = "filter => '(''(1)''::ann.%s).n = 1'";
like(asked($node, "SELECT s.c FROM $amplified, (SELECT * FROM dp_top('clinic.people', 'city', 1, 50, @{[ sprintf $condition, 'swells' ]})) t"),
	qr/^0A000: type swells is not allowed/, 'a block beside a call is looked at when nothing of hers will run any more');
is(asked($node, 'SELECT count(*) FROM ann.amp'), '10', 'what she did is undone with the rest');
like(asked($node, "SELECT * FROM dp_top('ann.chosen', 'city', 1, 50, @{[ sprintf $condition, 'swaps' ]})"),
	qr/^40001: another relation is called ann\.chosen now/, 'what a call names is what it was given');
is(asked($node, "SELECT candidate FROM dp_top('ann.chosen', 'city', 1, 50)"), 'Celle', 'as before');

# Names as a transaction's snapshot has them, which are others' by now.
my $session = do
{
	local $ENV{PGUSER} = 'ann';
	$node->background_psql('postgres', on_error_stop => 0);
};
$session->query('BEGIN ISOLATION LEVEL REPEATABLE READ');
$session->query("SELECT 'clinic.people'::regclass::oid AS people \\gset");
is(run_as('olga', <<'SQL'), '', 'olga renames tables');
CREATE TABLE clinic.persons (id int PRIMARY KEY, city text, age int, n numeric);
INSERT INTO clinic.persons SELECT i, 'Celle', 1000, 1000 FROM generate_series(1, 3000) i;
SELECT dp_agg.protect('clinic.persons', 'id');
BEGIN;
ALTER TABLE clinic.people RENAME TO old;
ALTER TABLE clinic.persons RENAME TO people;
COMMIT;
SQL
$session->{stderr} = '';
$session->query('SET dp_agg.epsilon = 50');
my $bounds = $session->query("SELECT * FROM dp_agg.suggest_bounds(:people, 'age')");
like($session->{stderr} . $bounds, qr/another relation is called clinic\.people now/, 'a name of a snapshot is not taken for a newer one');
$session->quit;
is(asked($node, "SET dp_agg.epsilon = 50; SELECT * FROM dp_agg.suggest_bounds('clinic.old', 'age')"), '0|127', 'and is in the next transaction');

# What the script of every version begins with.
for my $script (glob "$FindBin::RealBin/../../../sql/dp_agg--*.sql")
{
	my ($first) = slurp_file($script) =~ /^(?!--|\/\*|\\echo)(\S.*)$/m;
	is($first, 'SET LOCAL search_path = pg_catalog, pg_temp;', 'first in ' . ($script =~ s{.*/}{}r));
}

is($node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.verify_ledger()'), '0', 'the books are in order');
$node->stop;
done_testing();
