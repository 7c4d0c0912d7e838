# Kept answers are shown again wherever they are dumped and restored: in another encoding and
# time zone, where types and tables have other numbers, and though nobody has acknowledged
# the copy, which draws nothing.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

$ENV{PGCLIENTENCODING} = 'UTF8';
my $old = new_gate('kept_old', init => { extra => [ '--encoding', 'UTF8', '--locale', 'C' ] });
$old->safe_psql('postgres', "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
$old->safe_psql('latin', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE SCHEMA "Größe";
CREATE TYPE "Größe"."Maß" AS ENUM ('groß', 'mittel', 'klein');
CREATE TABLE "Größe"."Leute" (id int PRIMARY KEY, "Straße" text, maß "Größe"."Maß", n name, c varchar(10), born date, seen timestamptz, amount numeric, b bytea,
	u uuid, r regclass, ok boolean NOT NULL, age int);
INSERT INTO "Größe"."Leute" SELECT i, (ARRAY['Zürich', 'Ångström', 'x'])[1 + i % 3], (ARRAY['groß', 'klein'])[1 + i % 2]::"Größe"."Maß", 'ß' || i % 2, 'é' || i % 2,
	date '2020-02-28' + i % 3, timestamptz '2020-02-28 23:00+00' + make_interval(hours => i % 3), i % 3 / 3.0, decode('ff00', 'hex'), md5((i % 3)::text)::uuid,
	'"Größe"."Leute"', i % 2 = 0, i % 90 FROM generate_series(1, 900) i;
CREATE TABLE "Größe"."Orte" ("Straße" text PRIMARY KEY);
INSERT INTO "Größe"."Orte" VALUES ('Zürich'), ('Ærø');
CREATE SCHEMA kept;
CREATE TABLE kept.plain AS SELECT id, "Straße" AS k, age AS v FROM "Größe"."Leute";
ALTER TABLE kept.plain ADD PRIMARY KEY (id);
SELECT dp_agg.protect('kept.plain', 'id');
GRANT USAGE ON SCHEMA "Größe", kept TO ann, bob;
GRANT SELECT ON "Größe"."Orte" TO ann, bob;
SELECT dp_agg.protect('"Größe"."Leute"', 'id'), dp_agg.set_domain('"Größe"."Leute"', 'born', '2020-01-01', '2020-12-31');
SELECT dp_agg.set_budget('ann', 1e8, 1e-3), dp_agg.set_budget('bob', 1e8, 1e-3);
SQL

# Two draws of one question are equal with a probability below 1e-8: sums have noise of 1e6 at least.
my $settings = "SET dp_agg.kept_max_age = '1 year'; SET dp_agg.kept_rollup = 2; SET dp_agg.epsilon = 1000; SET search_path = \"Größe\", public";
my %shown = (
	map { $_ => qq{SELECT string_agg("$_"::text || ' ' || dp_sum, ', ' ORDER BY "$_"::text COLLATE "C") FROM (SELECT "$_", dp_sum(age, 0, 1000000000) FROM "Leute" GROUP BY "$_") s} } 'Straße', 'maß', 'n', 'c', 'born', 'amount', 'b', 'u', 'ok');
$shown{seen} = q{SELECT string_agg(extract(epoch FROM seen) || ' ' || dp_sum, ', ' ORDER BY seen) FROM (SELECT seen, dp_sum(age, 0, 1000000000) FROM "Leute" GROUP BY seen) s};
$shown{'an enum beside a private key'} = q{SELECT string_agg(maß || c || ' ' || dp_sum, ', ' ORDER BY maß, c) FROM (SELECT maß, c, dp_sum(age, 0, 1000000000) FROM "Leute" GROUP BY maß, c) s};
$shown{'keys of a public table'} = q{SELECT string_agg("Straße" || ' ' || dp_sum, ', ' ORDER BY "Straße" COLLATE "C") FROM (SELECT o."Straße", dp_sum(age, 0, 1000000000) FROM "Orte" o LEFT JOIN "Leute" l ON l."Straße" = o."Straße" GROUP BY 1) s};
$shown{'of letters all encodings have'} = q{SELECT string_agg(k || ' ' || dp_sum, ', ' ORDER BY k COLLATE "C") FROM (SELECT k, dp_sum(v, 0, 1000000000) FROM kept.plain GROUP BY k) s};
$shown{'a condition'} = q{SELECT dp_sum(age, 0, 1000000000) FROM "Leute" WHERE "Straße" = 'Zürich' AND maß > 'groß' AND born > '2020-02-28'};
$shown{'a mean'} = q{SELECT dp_avg(age, 0, 1000000000), dp_stddev(age, 0, 1000000000), dp_quantile(age, 0.5, 0, 1000000000, 0.001) FROM "Leute"};
$shown{'dates'} = q{SELECT dp_max(born), dp_sum(age, 0, 1000000000) FROM "Leute"};
$shown{'a histogram'} = q{SELECT string_agg(t::text, ', ') FROM (SELECT * FROM dp_histogram('"Leute"', 'age', 0, 100, 50, 0.00001)) t};
$shown{'groups of an enum and a boolean'} = q{SELECT string_agg(maß || ' ' || ok || ' ' || dp_sum, ', ' ORDER BY maß, ok) FROM (SELECT maß, ok, dp_sum(age, 0, 1000000000) FROM "Leute" GROUP BY maß, ok) s};
$shown{'some of these, added up'} = q{SELECT string_agg(ok || ' ' || dp_sum, ', ' ORDER BY ok), (SELECT left(kept, 22) FROM dp_agg.last_release()) FROM (SELECT ok, dp_sum(age, 0, 1000000000) FROM "Leute" WHERE maß IN ('groß', 'klein') GROUP BY ok) s};

sub ask
{
	my ($node, $database, $question, $role) = @_;
	local $ENV{PGUSER} = $role // 'ann';
	return KeeperTest::outcome($node, [ $settings, $question ], $database);
}

my %answer = map { $_ => ask($old, 'latin', $shown{$_}) } sort keys %shown;
my @failed = grep { $answer{$_} !~ /\d/ || $answer{$_} =~ /^\w{5}: / } sort keys %answer;
is("@failed", '', 'all are answered') or diag(map { "$answer{$_}\n" } @failed);
like($answer{'Straße'}, qr/Zürich/, 'there are umlauts');
like($answer{'some of these, added up'}, qr/\d\|added up from 4 groups$/, 'one is the sum of another');
is(ask($old, 'latin', $shown{$_}), $answer{$_}, "$_: kept") for sort keys %shown;

# Types of numbers that stand for names are another matter: nothing wrong may be shown.
my $named = q{SELECT r, dp_sum FROM (SELECT r, dp_sum(age, 0, 1000000000) FROM "Leute" GROUP BY r) s};
my $of_names = ask($old, 'latin', $named);
like($of_names, qr/^"Leute"\|/, 'names that are numbers');

my $directory = PostgreSQL::Test::Utils::tempdir;
my $new = PostgreSQL::Test::Cluster->new('kept_new');
$new->init(extra => [ '--encoding', 'UTF8', '--locale', 'C' ]);
$new->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\ntimezone = 'Asia/Kathmandu'\ndatestyle = 'german'\nextra_float_digits = 0\nbytea_output = escape");
$new->start;
$new->safe_psql('postgres', "CREATE ROLE stranger$_; CREATE TYPE stranger$_ AS ENUM ('a', 'b', 'c')") for 1 .. 20;
$old->command_ok([ 'pg_dumpall', '-d', $old->connstr('postgres'), '--globals-only', '-f', "$directory/globals.sql" ], 'roles are dumped');
$new->psql('postgres', slurp_file("$directory/globals.sql"), on_error_stop => 0);

# Dump a database, restore it elsewhere, and ask there.
sub carry_over
{
	my ($from, $database, $to, $encoding) = @_;
	my $as = join ', ', "bytea_output = 'hex'", "DateStyle = 'ISO'", 'extra_float_digits = 1';
	$from->command_ok([ 'pg_dump', '-Fc', '-d', $from->connstr($database), '-f', "$directory/$to" ], "$to: dumped");
	$new->safe_psql('postgres', "CREATE DATABASE $to TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
	$new->safe_psql($to, join ';', map { "CREATE TYPE ${to}_$_ AS ENUM ('a')" } 1 .. 7);
	$new->command_ok([ 'pg_restore', '--exit-on-error', '-d', $new->connstr($to), "$directory/$to" ], "$to: restored");
	$new->safe_psql('postgres', "ALTER DATABASE $to SET $_") for split /, /, $as;
	for my $name (sort keys %shown)
	{
		is(ask($new, $to, $shown{$name}), $answer{$name}, "$to: $name: the same");
	}
	my $shown = ask($new, $to, $named);
	ok($shown eq $of_names || $shown =~ /^55000: /, "$to: no other names") or diag("$shown for $of_names");
	like(ask($new, $to, 'SELECT dp_sum(age, 0, 999999999) FROM "Leute"'), qr/^55000: budgets on data set "default" may be behind/, "$to: what is new is not answered");
	like(ask($new, $to, $shown{dates}, 'bob'), qr/^55000: /, "$to: nor what is another role's");
	like(ask($new, $to, "SET dp_agg.kept_max_age = 0; $shown{dates}"), qr/^55000: /, "$to: nor what is not to be shown again");
	is($new->safe_psql($to, "SELECT count(*) FROM dp_agg.ledger WHERE admitted"), $old->safe_psql('latin', "SELECT count(*) FROM dp_agg.ledger WHERE admitted"), "$to: nothing was charged");
	is($new->safe_psql($to, 'SELECT * FROM dp_agg.verify_ledger()'), '', "$to: the ledger verifies");
	return;
}

carry_over($old, 'latin', 'utf', 'UTF8');
carry_over($new, 'utf', 'latin_again', 'LATIN1');
is($new->safe_psql('utf', 'SELECT dp_agg.acknowledge_copy()'), '2', 'acknowledged');
is(ask($new, 'utf', $shown{'Straße'}), $answer{'Straße'}, 'the same as before');
like(ask($new, 'utf', 'SELECT dp_sum(age, 0, 999999999) FROM "Leute"'), qr/^-?\d+$/, 'and what is new is drawn');
is($new->safe_psql('utf', 'SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger verifies');

$old->stop;
$new->stop;
done_testing();
