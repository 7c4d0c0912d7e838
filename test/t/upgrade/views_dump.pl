# Dumps with analysts' materialized views over questions are restored, in every order and by every
# program: nobody else pays for such views, and copies are not charged, so they come back
# without rows, which PostgreSQL refuses to read, or with what their owner was answered before.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $old = new_gate('views_old');
$old->safe_psql('postgres', 'CREATE DATABASE shop; CREATE ROLE olga LOGIN; CREATE ROLE rita LOGIN');
$old->safe_psql('shop', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE TABLE people (id int PRIMARY KEY, city text, age int, ok boolean NOT NULL);
INSERT INTO people SELECT i, 'city ' || i % 2, i % 100, i % 3 = 0 FROM generate_series(1, 1000) i;
CREATE TABLE visits (id int PRIMARY KEY, person int NOT NULL REFERENCES people, cost int);
INSERT INTO visits SELECT i, 1 + i % 1000, i % 100 FROM generate_series(1, 3000) i;
CREATE TABLE towns (name text PRIMARY KEY);
INSERT INTO towns VALUES ('city 0'), ('city 1');
GRANT SELECT ON towns TO ann;
SELECT dp_agg.protect('people', 'id'), dp_agg.set_domain('people', 'age', 0, 100), dp_agg.set_domain('people', 'city', ARRAY['city 0', 'city 1']), dp_agg.protect('visits', 'person', through => 'people', max_rows => 3);
DO $$BEGIN EXECUTE format('SELECT dp_agg.set_budget(%L, 1000, 1e-6)', current_user); END$$;
SELECT dp_agg.set_budget('ann', 1000, 1e-6), dp_agg.set_budget('olga', 1000, 1e-6);
CREATE SCHEMA reports AUTHORIZATION ann;
CREATE SCHEMA of_olga AUTHORIZATION olga;
CREATE MATERIALIZED VIEW reports.of_superuser AS SELECT dp_count(*) AS n FROM people;
SQL

# Made by ann, each with rows, in this order.
my $mine = <<'SQL';
SET dp_agg.kept_max_age = '1 year';
SET search_path = reports, public;
CREATE MATERIALIZED VIEW plain AS SELECT city, count(*) AS n FROM people GROUP BY city;
CREATE MATERIALIZED VIEW calls AS SELECT city, dp_sum(age) AS n FROM people GROUP BY city;
CREATE MATERIALIZED VIEW linked AS SELECT p.ok, count(*) AS n FROM people p JOIN visits v ON v.person = p.id GROUP BY p.ok;
CREATE MATERIALIZED VIEW listed AS SELECT t.name, count(p.id) AS n FROM towns t LEFT JOIN people p ON p.city = t.name GROUP BY t.name;
CREATE MATERIALIZED VIEW set_of AS SELECT * FROM dp_histogram('people', 'age', 0, 100, 5);
CREATE VIEW below AS SELECT ok, avg(age) AS n FROM people GROUP BY ok;
CREATE MATERIALIZED VIEW over_view AS SELECT * FROM below WHERE n > -1e9;
CREATE MATERIALIZED VIEW indexed AS SELECT ok, count(*) AS n FROM people GROUP BY ok;
CREATE UNIQUE INDEX ON indexed (ok);
CREATE MATERIALIZED VIEW over_matview AS SELECT sum(n) AS n FROM plain;
CREATE MATERIALIZED VIEW over_both AS SELECT n, (SELECT count(*) FROM people) AS all FROM over_matview;
CREATE VIEW view_of AS SELECT n + 1 AS n FROM over_matview;
CREATE MATERIALIZED VIEW over_view_of AS TABLE view_of;
CREATE TABLE made_of AS TABLE plain;
CREATE FUNCTION asks() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM public.people); END';
CREATE FUNCTION asks_by_text() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM public.people';
CREATE FUNCTION asks_by_body() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT dp_count(*) FROM people; END;
CREATE MATERIALIZED VIEW by_function AS SELECT asks() AS n;
CREATE MATERIALIZED VIEW by_sql AS SELECT asks_by_text() AS n, asks_by_body() AS m;
CREATE MATERIALIZED VIEW over_function AS SELECT * FROM by_function;
CREATE MATERIALIZED VIEW of_budgets AS SELECT dataset, epsilon_limit FROM dp_agg.budgets;
CREATE MATERIALIZED VIEW of_price AS SELECT dp_agg.price('SELECT count(*) FROM public.people')::text AS n;
CREATE MATERIALIZED VIEW of_nothing AS SELECT count(*) AS n FROM people WITH NO DATA;
CREATE MATERIALIZED VIEW of_limit AS SELECT count(*) AS n FROM people LIMIT 1;
CREATE MATERIALIZED VIEW public_only AS SELECT count(*) AS n FROM towns;
CREATE TABLE defaults (n bigint DEFAULT asks(), m int);
INSERT INTO defaults (m) VALUES (1);
CREATE RULE also AS ON INSERT TO made_of DO ALSO INSERT INTO defaults SELECT count(*), 2 FROM people;
CREATE FUNCTION triggered() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.n := (SELECT count(*) FROM public.people); RETURN NEW; END';
CREATE TRIGGER counts BEFORE INSERT ON defaults FOR EACH ROW EXECUTE FUNCTION triggered();
SQL
is(asked_in($old, 'shop', 'ann', $mine), '', 'views are made');
is(asked_in($old, 'shop', 'olga', 'SET search_path = of_olga, public; CREATE MATERIALIZED VIEW of_olga AS SELECT count(*) AS n FROM people; CREATE MATERIALIZED VIEW of_both AS SELECT n FROM of_olga'), '', 'another analyst makes hers');

# Run SQL as a role; returns the error, if any.
sub asked_in
{
	my ($node, $database, $role, $sql) = @_;
	local $ENV{PGUSER} = $role;
	my ($out, $err) = ('', '');
	$node->psql($database, $sql, stdout => \$out, stderr => \$err, on_error_stop => 1);
	return join '', $err =~ /^(.*(?:ERROR|FATAL): .*)$/mg;
}

# Materialized views with their rows, or null where they have none.
sub views
{
	my ($node, $database) = @_;
	my %view = map { split /\|/, $_, 2 } split /\n/, $node->safe_psql($database,
		"SELECT oid::regclass, relispopulated FROM pg_class WHERE relkind = 'm' ORDER BY 1");
	for my $name (keys %view)
	{
		my $rows = "SELECT coalesce(string_agg(v::text, ' ' ORDER BY v::text), 'no rows') FROM $name v";
		$view{$name} = $view{$name} eq 't' ? $node->safe_psql($database, $rows) : undef;
	}
	return %view;
}

my $books = 'SELECT count(*) FROM dp_agg.ledger WHERE admitted; SELECT sum(statements) FROM dp_agg.budget';
# The books of a dump have what is stored of answers, and nobody replays meanwhile.
$old->safe_psql('postgres', 'SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE backend_type = $$dp_agg keeper$$');
my %before = views($old, 'shop');
is(scalar(grep { defined } values %before), keys(%before) - 1, 'all but one have rows');
my $charged = $old->safe_psql('shop', $books);

my $dumps = PostgreSQL::Test::Utils::tempdir;
for my $dump ([ '-Fc', '-f', 'custom' ], [ '-Fp', '-f', 'plain' ], [ '-Fd', '-f', 'directory' ], [ '-Fp', '-C', '-f', 'create' ], [ '-Fp', '-s', '-f', 'schema' ], [ '-Fp', '-a', '-f', 'data' ],
	[ '-Fp', '--use-set-session-authorization', '-f', 'authorization' ], [ '-Fp', '--no-owner', '-f', 'ownerless' ], [ '-Fp', '--clean', '--if-exists', '-f', 'clean' ])
{
	my $name = pop @$dump;
	$old->command_ok([ 'pg_dump', @$dump, "$dumps/$name", '-d', $old->connstr('shop') ], "dumped: $name");
}
$old->command_ok([ 'pg_dumpall', '-f', "$dumps/all", '-d', $old->connstr('postgres') ], 'dumped: all');
$old->command_ok([ 'pg_dumpall', '-g', '-f', "$dumps/globals", '-d', $old->connstr('postgres') ], 'dumped: globals');

sub new_cluster
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\nautovacuum = off");
	$node->start;
	return $node;
}
my $new = new_cluster('views_new');
$new->psql('postgres', slurp_file("$dumps/globals"), on_error_stop => 0);

# The ways to restore: commands one after another.  "sql:" is SQL.
my @psql = ('psql', '-Xq', '-o', '/dev/null', '-v', 'ON_ERROR_STOP=1');
my @restore = ('pg_restore', '--exit-on-error');
my $acknowledge = 'sql:SELECT dp_agg.acknowledge_copy()';
my $grant = 'sql:DO $$BEGIN EXECUTE format($f$GRANT CREATE ON DATABASE %I TO ann, olga$f$, current_database()); END$$';
my $reuse = '-c dp_agg.kept_max_age=1year';
my @sections = map { [ @restore, "--section=$_", "$dumps/custom" ] } 'pre-data', 'data', 'post-data';
my %way = (
	'pg_restore' => [ [ @restore, "$dumps/custom" ] ],
	'pg_restore -1' => [ [ @restore, '-1', "$dumps/custom" ] ],
	'pg_restore -j2' => [ [ @restore, '-j2', "$dumps/custom" ] ],
	'pg_restore -j2 of a directory' => [ [ @restore, '-j2', "$dumps/directory" ] ],
	'psql' => [ [ @psql, '-f', "$dumps/plain" ] ],
	'psql -1' => [ [ @psql, '-1', '-f', "$dumps/plain" ] ],
	'sections' => [@sections],
	'sections, acknowledged before the last' => [ @sections[ 0, 1 ], $acknowledge, $sections[2] ],
	'schema and data' => [ [ @psql, '-f', "$dumps/schema" ], [ @psql, '-f', "$dumps/data" ] ],
	'pg_restore -s and -a' => [ [ @restore, '-s', "$dumps/custom" ], [ @restore, '-a', '--disable-triggers', '-N', 'dp_agg', "$dumps/custom" ] ],
	'data over data' => [ [ @restore, "$dumps/custom" ], 'sql:TRUNCATE people CASCADE; TRUNCATE towns, dp_agg.kept_answer, dp_agg.ledger, dp_agg.budget, reports.defaults, reports.made_of', [ @psql, '-f', "$dumps/data" ] ],
	'session authorization' => [ $grant, [ @psql, '-f', "$dumps/authorization" ] ],
	'session authorization, -1' => [ $grant, [ @psql, '-1', '-f', "$dumps/authorization" ] ],
	'pg_restore --use-set-session-authorization' => [ $grant, [ @restore, '--use-set-session-authorization', "$dumps/custom" ] ],
	'pg_restore --use-set-session-authorization, acknowledged before the last' => [ $grant, map { ref $_ ? [ @$_, '--use-set-session-authorization' ] : $_ } @sections[ 0, 1 ], $acknowledge, $sections[2] ],
	'without owners' => [ [ @psql, '-f', "$dumps/ownerless" ] ],
	'pg_restore --no-owner' => [ [ @restore, '--no-owner', "$dumps/custom" ] ],
	'pg_restore --no-owner -1' => [ [ @restore, '--no-owner', '-1', "$dumps/custom" ] ],
	'pg_restore --no-owner, without budgets' => [ 'sql:CREATE EXTENSION dp_agg', [ @restore, '--no-owner', '-N', 'dp_agg', "$dumps/custom" ] ],
	'without budgets' => [ 'sql:CREATE EXTENSION dp_agg', [ @restore, '--no-comments', '-N', 'dp_agg', "$dumps/custom" ] ],
	'with other budgets' => [ q{sql:CREATE EXTENSION dp_agg; SELECT dp_agg.set_budget('ann', 0.01, 0)}, [ @restore, '-N', 'dp_agg', "$dumps/custom" ] ],
	'twice' => [ [ @restore, "$dumps/custom" ], [ @psql, '-f', "$dumps/clean" ] ],
	'twice, acknowledged' => [ [ @restore, "$dumps/custom" ], $acknowledge, [ @psql, '-f', "$dumps/clean" ] ],
	'with kept answers' => [ [ @restore, "$dumps/custom" ] ],
	'with kept answers, -1' => [ [ @restore, '-1', "$dumps/custom" ] ],
	'with kept answers, acknowledged' => [ @sections[ 0, 1 ], $acknowledge, $sections[2] ],
	'with kept answers, -j2' => [ [ @restore, '-j2', "$dumps/custom" ] ],
	'with plain aggregates off' => [ [ @restore, "$dumps/custom" ] ]);
my %options = ('with plain aggregates off' => '-c dp_agg.plain_aggregates=off', map { $_ => $reuse } grep { /kept/ } keys %way);
my ($name, $n) = ('', 0);

# Carry out commands in a database; returns the first error.
sub carry_out
{
	my ($node, $database, $commands, $options) = @_;
	local $ENV{PGOPTIONS} = $options // '';
	for my $command (@$commands)
	{
		my ($out, $err) = ('', '');
		my @run = ref $command ? ($node->installed_command($command->[0]), '-d', $node->connstr($database), @{$command}[ 1 .. $#$command ])
		  : ($node->installed_command('psql'), '-Xqc', substr($command, 4), '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database));
		# What pg_restore says of warnings is for --verbose alone.
		push @run, '--verbose' if ref $command && $command->[0] eq 'pg_restore' && "@run" !~ /-j2/;
		IPC::Run::run(\@run, '<', \undef, '>', \$out, '2>', \$err) or return "@run: $err";
		$name .= $err;
	}
	return '';
}

# What has to hold of a restored database.
sub looks_right
{
	my ($node, $database, $way, $said) = @_;
	my %after = views($node, $database);
	is_deeply([ sort keys %after ], [ sort keys %before ], "$way: all views are there");
	my $public = 'reports.public_only';
	# Whoever restores as owner pays, or may read the tables.  The schema alone has views over what is there then.
	my @other = grep { defined $after{$_} && (!defined $before{$_} || $after{$_} ne $before{$_}) } sort keys %after;
	@other = grep { !/of_price$/ } @other;
	@other = grep { $_ ne 'reports.of_superuser' } @other if $way =~ /acknowledged/;
	@other = grep { $_ ne $public && $_ ne 'reports.of_budgets' } @other if $way =~ /-s and -a|budgets/;
	@other = () if $way =~ /owner|authorization, acknowledged/;
	is("@other", '', "$way: none has other rows than it had") or diag(map { "$_: $after{$_}\n" } @other);
	my @silent = grep { defined $before{$_} && !defined $after{$_} && $said !~ /materialized view "$_" was not refreshed/ } sort keys %after;
	is("@silent", '', "$way: a warning names each that has none") if $said =~ /WARNING/ && $way !~ /-j2/;
	is($after{$public}, $before{$public}, "$way: one over public rows is as it was") if $way !~ /-s and -a|schema and data/;
	return %after;
}

for my $way (sort keys %way)
{
	my $database = 'r' . ++$n;
	for my $node ($way =~ /^(?:pg_restore|psql -1|with kept answers)$/ ? ($new, $old) : $new)
	{
		$node->safe_psql('postgres', "CREATE DATABASE $database");
		$name = '';
		is(carry_out($node, $database, $way{$way}, $options{$way}), '', "$way: restored") or next;
		my %after = looks_right($node, $database, $way, $name);
		# In the transaction that restores them kept answers are not shown yet.
		if ($way =~ /kept/ && $way !~ /-1/)
		{
			my @unfilled = grep { !defined $after{$_} } sort keys %after;
			is("@unfilled", 'reports.of_nothing', "$way: what was kept is shown again");
			is($after{$_}, $before{$_}, "$way: $_: the same") for grep { !/of_superuser|of_price/ } sort keys %after;
		}
		next if $way =~ /budgets|-s and -a/;
		is($node->safe_psql($database, $books), $charged, "$way: nothing was charged") if $way !~ /owner|acknowledged/;
		is($node->safe_psql($database, 'SELECT * FROM dp_agg.verify_ledger()'), '', "$way: the books verify");
	}
}

# As the owners, once the copy is acknowledged.
my $refresh = join ' ', 'SET search_path = reports, public;', map { "REFRESH MATERIALIZED VIEW $_;" } $mine =~ /MATERIALIZED VIEW (\w+) AS/g;
$new->safe_psql('postgres', 'CREATE DATABASE again');
is(carry_out($new, 'again', $way{pg_restore}), '', 'again: restored');
like(asked_in($new, 'again', 'ann', 'TABLE reports.plain'), qr/"plain" has not been populated/, 'again: a view without rows is not read');
is(asked_in($new, 'again', 'ann', 'REFRESH MATERIALIZED VIEW reports.plain'), '', 'again: a copy that waits warns its owner, too');
like(asked_in($new, 'again', 'ann', 'TABLE reports.plain'), qr/"plain" has not been populated/, 'again: and draws nothing');
$new->safe_psql('again', 'SELECT dp_agg.acknowledge_copy()');
$new->safe_psql('again', 'REFRESH MATERIALIZED VIEW reports.plain');
like(asked_in($new, 'again', 'ann', 'TABLE reports.plain'), qr/"plain" has not been populated/, 'again: others than the owner do not make it draw then');
is(asked_in($new, 'again', 'ann', $refresh), '', 'again: the owner does');
my %after = views($new, 'again');
is(join(' ', grep { !defined $after{$_} } sort keys %after), 'of_olga.of_both of_olga.of_olga reports.of_superuser', 'again: and has them all');

# What is an error, and stays one.
my $superuser = getpwuid($>);
my $role = qr/permission denied to pay for a differentially private query of role "ann"/;
like(asked_in($new, 'again', $superuser, 'REFRESH MATERIALIZED VIEW reports.plain'), $role, 'errors: a view with rows is not refreshed by others');
$new->safe_psql('again', "SELECT dp_agg.set_budget('ann', 0.01, 0); CREATE SCHEMA s; GRANT ALL ON SCHEMA s TO ann; SET ROLE ann; CREATE MATERIALIZED VIEW s.new AS SELECT count(*) AS n FROM people WITH NO DATA; CREATE MATERIALIZED VIEW s.wrong AS SELECT 1 / (n - n) FROM generate_series(1, 2) n WITH NO DATA; CREATE MATERIALIZED VIEW s.over_empty AS SELECT * FROM s.wrong WITH NO DATA; CREATE MATERIALIZED VIEW s.slow AS SELECT count(*), pg_sleep(60)::text AS n FROM people WITH NO DATA");
like(asked_in($new, 'again', 'ann', 'REFRESH MATERIALIZED VIEW s.new'), qr/privacy budget exhausted/, 'errors: its owner is told that a budget is exhausted');
$new->safe_psql('again', 'REFRESH MATERIALIZED VIEW s.new');
like(asked_in($new, 'again', $superuser, 'REFRESH MATERIALIZED VIEW s.wrong'), qr/division by zero/, 'errors: others than those of questions');
$new->safe_psql('again', q{SET ROLE ann; CREATE FUNCTION s.locks() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RAISE 'no lock was had' USING ERRCODE = 'lock_not_available'; END$$; CREATE MATERIALIZED VIEW s.locked AS SELECT n + s.locks() AS n FROM (SELECT count(*) AS n FROM people) x WITH NO DATA});
like(asked_in($new, 'again', $superuser, 'REFRESH MATERIALIZED VIEW s.locked'), qr/no lock was had/, 'errors: a lock that is not had in time');
$new->safe_psql('again', 'GRANT USAGE ON SCHEMA s TO rita');
like(asked_in($new, 'again', 'rita', 'REFRESH MATERIALIZED VIEW s.new'), qr/must be owner of materialized view new|permission denied for materialized view new/, 'errors: a stranger\'s');
like(asked_in($new, 'again', $superuser, 'REFRESH MATERIALIZED VIEW s.over_empty'), qr/"wrong" has not been populated/, 'errors: empty views that hold no questions');
$new->safe_psql('again', "SELECT dp_agg.set_budget('ann', 2000, 1e-6)");
like(asked_in($new, 'again', 'ann', "SET statement_timeout = '1s'; REFRESH MATERIALIZED VIEW s.slow"), qr/statement timeout/, 'errors: a cancel');
like(asked_in($new, 'again', $superuser, "SET ROLE ann; SET statement_timeout = '1s'; REFRESH MATERIALIZED VIEW s.slow"), qr/statement timeout/, 'errors: an administrator\'s, too');

# Kept answers are shown to their owner's views alone, not to what she lets others call.
$new->safe_psql('again', <<'SQL');
SET ROLE ann;
SET dp_agg.kept_max_age = '1 year';
SELECT count(*) FROM people;
CREATE FUNCTION s.mine() RETURNS bigint SECURITY DEFINER LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM public.people); END';
RESET ROLE;
CREATE SCHEMA r AUTHORIZATION rita;
GRANT USAGE ON SCHEMA s TO rita;
SET ROLE rita;
CREATE MATERIALIZED VIEW r.hers AS SELECT s.mine() AS n WITH NO DATA;
SET ROLE ann;
CREATE MATERIALIZED VIEW s.kept AS SELECT count(*) AS n FROM people WITH NO DATA;
SQL
$new->safe_psql('again', "SET dp_agg.kept_max_age = '1 year'; REFRESH MATERIALIZED VIEW r.hers; REFRESH MATERIALIZED VIEW s.kept");
is($new->safe_psql('again', "SELECT string_agg(relname || ' ' || relispopulated, ', ' ORDER BY relname) FROM pg_class WHERE relkind = 'm' AND relname IN ('hers', 'kept')"), 'hers false, kept true', 'kept answers are for views of those who paid for them');

# The whole cluster.
my $all = new_cluster('views_all');
my $text = slurp_file("$dumps/all");
$text =~ s/^CREATE ROLE "?\Q$superuser\E"?;$//m;
append_to_file("$dumps/all_but_role", $text);
$all->command_ok([ @psql, '-d', $all->connstr('postgres'), '-f', "$dumps/all_but_role" ], 'pg_dumpall: restored');
$name = '';
my %all = looks_right($all, 'shop', 'pg_dumpall', '');
is($all->safe_psql('shop', $books), $charged, 'pg_dumpall: nothing was charged');

# pg_upgrade keeps their rows.
$_->stop for $old, $new, $all;
my $upgraded = PostgreSQL::Test::Cluster->new('views_upgraded');
$upgraded->init;
$upgraded->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\nautovacuum = off");
chdir PostgreSQL::Test::Utils::tempdir or die;
command_ok(
	[
		'pg_upgrade', '--no-sync', '--old-datadir' => $all->data_dir, '--new-datadir' => $upgraded->data_dir,
		'--old-bindir' => $all->config_data('--bindir'), '--new-bindir' => $upgraded->config_data('--bindir'),
		'--socketdir' => $upgraded->host, '--old-port' => $all->port, '--new-port' => $upgraded->port
	],
	'pg_upgrade');
$upgraded->start;
my %upgraded = views($upgraded, 'shop');
is_deeply(\%upgraded, \%all, 'pg_upgrade: views are as they were');
$upgraded->stop;
done_testing();
