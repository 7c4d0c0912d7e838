# A hardened database and the programs around it: dumps by superusers and
# owners, what a dump carries, and roles that monitor.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('harden');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\n");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE ROLE owner LOGIN;
CREATE ROLE ann LOGIN;
CREATE ROLE watcher LOGIN IN ROLE pg_monitor;
CREATE SCHEMA app AUTHORIZATION owner;
GRANT USAGE ON SCHEMA app TO ann;
SET ROLE owner;
CREATE TABLE app.people (id serial PRIMARY KEY, age int);
INSERT INTO app.people (age) SELECT i % 100 FROM generate_series(1, 1000) i;
CREATE TABLE app.mine (id int);
ALTER TABLE app.mine OWNER TO owner;
RESET ROLE;
VACUUM ANALYZE app.people;
SELECT lo_create(0);
SELECT dp_agg.protect('app.people', 'id');
SELECT dp_agg.set_budget('ann', 10, 1e-6);
SQL

# Dumps are the same before and after, but for the privileges and what time changes.
my $dir = PostgreSQL::Test::Utils::tempdir;
my $url = $node->connstr('postgres');
sub dump_as
{
	my ($role, $file, @options) = @_;
	command_ok([ 'pg_dump', '-U', $role, '-d', $url, '-f', "$dir/$file", @options ], "$role: pg_dump @options ($file)");
	my $text = slurp_file("$dir/$file");
	$text =~ s/^(\\(un)?restrict|-- Dumped).*\n//mg;
	return $text;
}
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my $whole = dump_as($superuser, 'whole.sql');
my $own = dump_as('owner', 'own.sql', '-t', 'app.*');
like($own, qr/COPY app\.people/, 'the owner dumps the protected table');
$node->safe_psql('postgres', 'SELECT count(*) FROM dp_agg.harden(true)');
my (undef, undef, $closed) = $node->psql('postgres', 'CREATE EXTENSION onlooker');
like($closed, qr/9 functions and views of extensions are closed to PUBLIC/, 'an extension that comes later is closed');
my $hardened = dump_as($superuser, 'hardened.sql');
is(dump_as('owner', 'own_hardened.sql', '-t', 'app.*'), $own, 'owners dump as before');
like($hardened, qr/REVOKE ALL ON FUNCTION pg_catalog\.pg_relation_size\(regclass\) FROM PUBLIC/, 'the dump holds the privileges');
like($hardened, qr/REVOKE ALL ON FUNCTION public\.look_rows\(oid\) FROM PUBLIC/, 'those of members of extensions, too');
unlike($whole, qr/pg_relation_size/, 'which it did not before');
command_ok([ 'pg_dumpall', '-d', $url, '-f', "$dir/all.sql" ], 'pg_dumpall');

# A restored database is hardened, and complete.
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE template0');
command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-o', "$dir/out", '-f', "$dir/hardened.sql" ], 'restored');
is($node->safe_psql('copy', 'SELECT count(*) FROM dp_agg.harden()'), 0, 'and hardened');
is($node->safe_psql('copy', "SELECT count(*) > 5, bool_or(open) FROM dp_agg.side_channels() WHERE channel = 'extension onlooker'"), 't|f', 'what an extension shows is closed there too');
is($node->safe_psql('copy', "SELECT has_function_privilege('ann', 'colour_length(colour)', 'EXECUTE')"), 't', 'and what is harmless is not');
is($node->safe_psql('copy', 'SELECT count(*) FROM app.people'), 1000, 'with its rows');
is($node->safe_psql('copy', "SELECT reltuples > 0 FROM pg_class WHERE relname = 'pg_type'"), 't', 'superusers see counts');

# The owner of a database dumps it with what extensions keep.
$node->safe_psql('postgres', 'CREATE DATABASE owned OWNER owner TEMPLATE template0');
$node->safe_psql('owned', 'CREATE EXTENSION dp_agg; CREATE EXTENSION onlooker; SELECT count(*) FROM dp_agg.harden(true)');
command_ok([ 'pg_dump', '-U', 'owner', '-d', $node->connstr('owned'), '-f', "$dir/owned.sql" ], 'the owner of a database dumps all of it');
like(slurp_file("$dir/owned.sql"), qr/^COPY public\.look_log/m, 'with a table of an extension that is closed to PUBLIC');

# Who sees what, in sessions of their own.
sub ask
{
	my ($role, $sql) = @_;
	my ($code, $out, $err) = $node->psql('postgres', $sql, extra_params => [ '-U', $role ]);
	$err =~ s/.*?ERROR:\s+([^\n]*).*/$1/s;
	return $code == 0 ? $out : $err;
}
my $counts = "SELECT reltuples, pg_table_size(oid) > 0 FROM pg_class WHERE relname = 'people'";
is(ask('ann', $counts), '-1|', 'an analyst is shown unknown counts');
is(ask('watcher', $counts), '1000|t', 'a monitoring role sees them');
my $updated = "SELECT indcheckxmin FROM pg_index WHERE indrelid = 'app.people'::regclass AND NOT indisprimary";
$node->safe_psql('postgres', 'BEGIN; ALTER TABLE app.people SET (fillfactor = 50); UPDATE app.people SET age = age + 1 WHERE id = 1000; CREATE INDEX ON app.people (age); COMMIT');
is(ask($superuser, $updated), 't', 'an index was built over an updated row');
is(ask('ann', $updated), 'f', 'which an analyst is not shown');
is(ask('ann', 'SELECT count(i) FROM pg_index i'), 'permission denied for table pg_index', 'nor whole rows');
is(ask('ann', 'SELECT count(*) FROM pg_stat_activity'), 'permission denied for function pg_stat_get_activity', 'no activity');
like(ask('watcher', 'SELECT count(*) FROM pg_stat_activity'), qr/^\d+$/, 'but for those who watch');
like(ask('ann', 'SELECT dp_count(*) FROM app.people'), qr/^-?\d+$/, 'dp queries are answered');

# Without the library nothing stands in for what is denied.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
is(ask('ann', $counts), 'permission denied for table pg_class', 'without the library, privileges alone decide');
is(ask('ann', $updated), 'permission denied for table pg_index', 'about indexes, too');
$node->stop;
done_testing();
