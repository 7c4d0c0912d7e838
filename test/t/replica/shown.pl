# What a standby shows: budgets and prices as its primary does, kept answers as far as it has replayed, and how old its rows are.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ReplicaTest;
use Test::More;

plan skip_all => 'built without the headers of libpq' if !has_link();

my $primary = new_primary('primary');
my $standby = new_standby($primary, 'standby');
my $query = 'SELECT city, dp_count(*), dp_avg(age, 0, 99) FROM people GROUP BY city';
my @keep = ("SET dp_agg.kept_max_age = '1h'");
my $replayed = "SELECT pg_last_xact_replay_timestamp()";

# All lines of an answer, or the error.
sub lines
{
	my ($node, $sql, $role) = @_;
	return asked($node, [ ref $sql ? @$sql[0 .. $#$sql - 1] : (), "SELECT string_agg(l::text, E';' ORDER BY l::text) FROM (" . (ref $sql ? $sql->[-1] : $sql) . ') l' ], $role);
}

sub sql
{
	return $primary->safe_psql('postgres', @_);
}

# The newest charge in the ledger.
sub last_charge
{
	my ($what) = @_;
	return sql("SELECT $what FROM dp_agg.ledger WHERE event = 'charge' ORDER BY id DESC LIMIT 1");
}

sub pause
{
	caught_up($primary, $standby);
	return $standby->safe_psql('postgres', 'SELECT pg_wal_replay_pause()') . ($standby->poll_query_until('postgres', "SELECT pg_get_wal_replay_pause_state() = 'paused'") ? '' : die 'replay goes on');
}

sub resume
{
	$standby->safe_psql('postgres', 'SELECT pg_wal_replay_resume()');
	caught_up($primary, $standby);
	return;
}

# What there is to see of budgets, tables and prices is the same on both, for an analyst, for a member of a pool,
# and for who has no budget.
sql(<<'SQL');
CREATE ROLE team; CREATE ROLE carl LOGIN IN ROLE team;
SELECT dp_agg.set_budget('team', 10, 1e-6), dp_agg.set_dataset_cap('default', 5000, 1e-5);
SELECT dp_agg.set_domain('people', 'city', ARRAY['city 0', 'city 1']);
SQL
caught_up($primary, $standby);
asked($_, $query) for $primary, $standby, $standby;
asked($standby, $query, 'carl');
caught_up($primary, $standby);
my $price_columns = 'aggregate, mechanism, epsilon, delta, noise_stddev, half_width_95, epsilon_spent_after, admitted, kept, max_rows, max_groups, at_rows';
for my $look (
	'SELECT * FROM dp_agg.budgets', 'SELECT * FROM dp_agg.dataset_caps', 'SELECT * FROM dp_agg.kept', 'SELECT * FROM dp_agg.protected_tables', 'SELECT * FROM dp_agg.protected_columns',
	'SELECT dataset, role, used, alert, alerted_at, epsilon_spent, per_day, statements_left, statements, last_charge, may_be_behind FROM dp_agg.budget_use',
	"SELECT * FROM dp_agg.remaining(\$\$$query\$\$)", 'SELECT * FROM dp_agg.plan(10)', 'SELECT * FROM dp_agg.help()', "SELECT * FROM dp_agg.help('people')",
	"SELECT $price_columns FROM dp_agg.price(\$\$$query\$\$)", "SELECT * FROM dp_agg.price_details(\$\$$query\$\$)", "SELECT dp_agg.bounding_query('people')")
{
	for my $role (qw(ann carl eve))
	{
		my $seen = lines($primary, $look, $role);
		is(lines($standby, $look, $role), $seen, "$role sees the same on both: $look");
		like($seen, qr/./, "$role sees something: $look") if $role eq 'ann' && $look !~ /dp_agg\.(?:kept|dataset_caps)/;
	}
}
is(asked($standby, 'SELECT DISTINCT keeper_charges = 3 AND keeper_wait > 0 AND keeper_wait < 60 FROM dp_agg.budget_use', 'postgres'), 't', 'but for what each has charged, and how long that took');
for my $look ("SELECT dp_agg.remaining('ann', 'default', 0.1)", "SELECT dp_agg.plan('ann', 'default', 10)", 'SELECT * FROM dp_agg.verify_ledger()', 'SELECT * FROM dp_agg.attached()',
	'SELECT * FROM dp_agg.copies()', 'SELECT * FROM dp_agg.side_channels()', "SELECT * FROM dp_agg.check_exposure('ann')")
{
	is(lines($standby, $look, 'postgres'), lines($primary, $look, 'postgres'), "an administrator sees the same on both: $look");
}
like(asked($standby, $_, 'postgres'), qr/^25006/, "on a standby nothing is administered: $_")
  for "SELECT dp_agg.set_budget('eve', 1, 0)", "SELECT dp_agg.drop_budget('ann')", "SELECT dp_agg.reset_budget('ann')", "SELECT dp_agg.set_dataset_cap('default', 1, 0)", "SELECT dp_agg.drop_dataset_cap('default')", 'SELECT dp_agg.forget_kept()', 'SELECT dp_agg.acknowledge_copy()', "SELECT dp_agg.unprotect('people')",
  'SELECT dp_agg.compact_ledger(now())';
like(asked($standby, "EXPLAIN $query"), qr/./, 'EXPLAIN');

# The last release is what its price was.
my $alone = 'SELECT dp_count(*) FROM people';
my $said = lines($standby, "SELECT aggregate, mechanism, epsilon, delta, noise_stddev, half_width_95, kept, max_rows, max_groups, at_rows, rows_as_of FROM dp_agg.price('$alone')");
is(lines($standby, [ $alone, 'SELECT aggregate, mechanism, epsilon, delta, noise_stddev, half_width_95, kept, max_rows, max_groups, at_rows, rows_as_of FROM dp_agg.last_release()' ]) =~ s/,[^,]*\)$//r, $said =~ s/,[^,]*\)$//r, 'the last release is as its price');
is(asked($standby, "SELECT (SELECT epsilon FROM dp_agg.last_release()) FROM ($alone) q"), '0.1', 'as an error bar within its statement, too');
is(asked($standby, [ $alone, 'SELECT count(*) FROM dp_agg.last_release_details()' ]), '1', 'and its details');
caught_up($primary, $standby);
my $spent = asked($standby, [ $alone, 'SELECT epsilon_spent_after FROM dp_agg.last_release()' ]);
caught_up($primary, $standby);
is(asked($standby, 'SELECT epsilon_spent FROM dp_agg.budgets'), $spent, 'with what the primary has charged');

# How old rows are: as the server says, in the ledger, in the price and in the last release.
pause();
my $then = $standby->safe_psql('postgres', $replayed);
sql('INSERT INTO people SELECT 2000 + i, $$city 0$$, 7 FROM generate_series(1, 10) i');
is(asked($standby, [ $alone, 'SELECT rows_as_of FROM dp_agg.last_release()' ]), $then, 'the last release says what its rows are as of');
is(asked($standby, "SELECT rows_as_of FROM dp_agg.price('$alone')"), $then, 'and the price what they would be');
is(last_charge("(releases -> 0 ->> 'rows_as_of')::timestamptz, releases -> 0 ->> 'read_on', at > (releases -> 0 ->> 'rows_as_of')::timestamptz"), "$then|standby|t", 'the ledger has it, beside the server and the time of the answer');
like(last_charge("releases -> 0 ->> 'rows_as_of'"), qr/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/, 'in one form');
asked($standby, [ "SET timezone = 'Asia/Tokyo'", "SET datestyle = 'SQL, DMY'", $alone ]);
is(last_charge("(releases -> 0 ->> 'rows_as_of')::timestamptz"), $then, 'whatever the session has set');
asked($standby, "SELECT (SELECT dp_count(*) FROM people), (SELECT dp_sum(age, 0, 99) FROM people)");
is(last_charge("jsonb_array_length(releases), releases -> 0 ? 'rows_as_of', releases -> 1 ? 'rows_as_of'"), '2|t|f', 'once for a statement of several blocks');
resume();
asked($standby, $alone);
is(last_charge("(releases -> 0 ->> 'rows_as_of')::timestamptz > '$then'"), 't', 'it goes on with the replay');
is(asked($primary, [ $alone, 'SELECT count(*), count(rows_as_of) FROM dp_agg.last_release()' ]), '1|0', 'the primary reads what there is now, and says nothing');
is(asked($primary, "SELECT count(rows_as_of) FROM dp_agg.price('$alone')"), '0', 'nor does its price');
is(last_charge("releases -> 0 ? 'rows_as_of'"), 'f', 'nor the ledger');
is(sql('SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger adds up');
is(sql(<<'SQL'), 'standby|t|t', 'who answered, of how old rows');
SELECT releases -> 0 ->> 'read_on', count(*) > 5, max(at - (releases -> 0 ->> 'rows_as_of')::timestamptz) > '0'
FROM dp_agg.ledger WHERE event = 'charge' AND admitted AND releases -> 0 ? 'read_on' AND at > now() - interval '1 hour' GROUP BY 1
SQL

# A client that balances itself.
my ($hosts, $ports) = map { my $what = $_; join ',', map { $_->$what } $primary, $standby } qw(host port);
my ($preferred) = run_command([ 'psql', '-XAtq', '-d', "host=$hosts port=$ports dbname=postgres user=ann target_session_attrs=prefer-standby", '-c', $alone ]);
like($preferred, qr/^-?\d+$/, 'who prefers standbys is answered');
is(last_charge("releases -> 0 ->> 'read_on'"), 'standby', 'by one');

# One snapshot for a transaction: its rows get no newer.
my $session = $standby->background_psql('postgres', extra_params => [ '-U', 'ann' ]);
$session->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
my $began = sql('SELECT clock_timestamp()');
sql('INSERT INTO people SELECT 3000 + i, $$city 0$$, 7 FROM generate_series(1, 10) i');
caught_up($primary, $standby);
$session->query_safe($alone);
is(last_charge("(releases -> 0 ->> 'rows_as_of')::timestamptz < '$began'"), 't', 'a transaction with one snapshot reads no newer rows');
$session->query_safe('COMMIT');
$session->quit;

# Who may not ask the server for it is not told; the ledger is.
sql('REVOKE EXECUTE ON FUNCTION pg_last_xact_replay_timestamp() FROM PUBLIC');
caught_up($primary, $standby);
like(asked($standby, $replayed), qr/^42501/, 'where analysts may not see when a standby replayed something');
is(asked($standby, [ $alone, 'SELECT count(*), count(rows_as_of) FROM dp_agg.last_release()' ]), '1|0', 'neither do they by the last release');
is(asked($standby, "SELECT count(*), count(rows_as_of) FROM dp_agg.price('$alone')"), '1|0', 'nor by a price');
is(last_charge("releases -> 0 ? 'rows_as_of'"), 't', 'the ledger has it');
sql('GRANT EXECUTE ON FUNCTION pg_last_xact_replay_timestamp() TO PUBLIC');

# Kept answers of the primary: the same answer, for nothing, by price and EXPLAIN as well; sums of finer ones, too.
my $kept = 'SELECT city, dp_sum(age, 0, 77) FROM people GROUP BY city';
my $sum = "SELECT dp_sum(age, 0, 77) FROM people WHERE city IN ('city 0', 'city 1')";
my $answer = lines($primary, [ @keep, $kept ]);
is(lines($primary, [ @keep, $kept ]), $answer, 'kept on the primary');
caught_up($primary, $standby);
my $before = admitted($primary);
is(lines($standby, [ @keep, $kept ]), $answer, 'shown on the standby');
like(lines($standby, [ @keep, "SELECT kept, epsilon FROM dp_agg.price(\$\$$kept\$\$)" ]), qr/kept since .*, no charge",0/, 'as the price says');
is(asked($standby, [ @keep, $kept, 'SELECT kept IS NOT NULL, rows_as_of IS NULL FROM dp_agg.last_release()' ]), 't|t', 'and the last release, with no other time than that since when it is kept');
is(lines($standby, 'SELECT question, asked_at, rows FROM dp_agg.kept'), lines($primary, 'SELECT question, asked_at, rows FROM dp_agg.kept'), 'the list of kept answers is the same');
my @rollup = (@keep, 'SET dp_agg.kept_rollup = 2');
my $added = asked($primary, [ @rollup, $sum ]);
is(asked($standby, [ @rollup, $sum ]), $added, 'a sum of kept answers is the same on both');
is(admitted($primary), $before, 'all free of charge');
like(asked($standby, [ @keep, $kept ], 'bob'), qr/^city \d\|/, 'another role is answered');
is(admitted($primary, 'bob'), 1, 'for a charge of its own');
like(asked($standby, [ "SET dp_agg.kept_max_age = '1us'", $kept ]), qr/^city \d\|/, 'one that is too old');
is(admitted($primary), $before + 1, 'is drawn anew');

# What the primary has forgotten and the standby not yet: it shows what this role was told before, until it has replayed that.
# Then nothing is left of it.
my %forgotten = (
	'forget_kept' => "SELECT dp_agg.forget_kept('ann')",
	'another policy' => "SELECT dp_agg.unprotect('people'), dp_agg.protect('people', 'id')",
	'another budget' => "SELECT dp_agg.drop_budget('ann'), dp_agg.set_budget('ann', 1000, 1e-6)",
	'a right' => "REVOKE SELECT ON people FROM PUBLIC; SELECT dp_agg.set_domain('people', 'city', ARRAY['city 0', 'city 1', 'city 2'])");
for my $name (sort keys %forgotten)
{
	my $told = lines($primary, [ @keep, $kept ]);
	pause();
	sql($forgotten{$name});
	$before = admitted($primary);
	is(lines($standby, [ @keep, $kept ]), $told, "$name: a standby that has not heard of it shows what it showed before");
	is(admitted($primary), $before, "$name: for nothing");
	like(lines($primary, [ @keep, $kept ]), qr/^\(/, "$name: the primary answers");
	is(admitted($primary), $before + 1, "$name: anew");
	sql("SELECT dp_agg.forget_kept('ann')");
	resume();
	like(lines($standby, [ @keep, $kept ]), qr/^\(/, "$name: so does the standby, when it has");
	is(admitted($primary), $before + 2, "$name: anew, too");
}

# What the standby draws is kept nowhere: neither its primary nor itself shows it again.
my $counted = sql('SELECT count(*) FROM dp_agg.kept_answer');
$before = admitted($primary);
my $drawn = 'SELECT dp_sum(age, 0, 76) FROM people';
asked($standby, [ @keep, $drawn ]);
is(sql('SELECT count(*) FROM dp_agg.kept_answer'), $counted, 'nothing that a standby draws is stored on the primary');
caught_up($primary, $standby);
asked($_, [ @keep, $drawn ]) for $standby, $primary, $primary;
is(admitted($primary), $before + 3, 'so it is paid for on each');
caught_up($primary, $standby);
asked($standby, [ @keep, $drawn ]);
is(admitted($primary), $before + 3, 'until the primary has drawn it, and the standby has replayed that');
my $replays = sql("SELECT sum(replays) FROM dp_agg.budget WHERE role = 'ann'::regrole");
my $shown = asked($standby, 'SELECT sum(replays) FROM dp_agg.budgets');
cmp_ok($shown, '>', $replays, 'the standby counts what it shows again itself');
invariants($primary, [], 'at the end', twice => 1);

# It enters that once it is promoted.
$standby->promote;
$standby->safe_psql('postgres', 'SELECT dp_agg.acknowledge_copy()');
like(asked($standby, $alone), qr/^-?\d+$/, 'promoted, it answers');
ok($standby->poll_query_until('postgres', "SELECT replays >= $shown FROM dp_agg.budget WHERE role = 'ann'::regrole"), 'and enters how often kept answers were shown');

done_testing();
