# An auditor: a role that reads all budgets and the ledger, verifies it and reviews roles by a few grants
# that doc/admin.md names, and with these alone changes nothing, asks nothing unpaid and sees no row.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use GateTest;
use KeeperTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_gate('auditor');
$node->safe_psql('postgres', 'CREATE ROLE audit LOGIN; SELECT dp_agg.set_dataset_cap($$default$$, 5000, 1e-3), dp_agg.set_budget($$bob$$, 3, 0, $$other$$, $$30 days$$)');
my $kept = "SELECT dp_sum(age, 0, 77) FROM people";
like(asked($node, [ "SET dp_agg.kept_max_age = '1 year'", $kept ]), qr/^-?\d+$/, 'there is an answer that is kept');
like(asked($node, 'SELECT dp_count(*) FROM people', 'bob'), qr/^-?\d+$/, 'and another charge');

sub audited
{
	return asked($node, $_[0], 'audit');
}

# Rows that a role sees of a view or table.
sub seen
{
	my ($relation, $role) = @_;
	return asked($node, "SELECT count(*), md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM $relation t", $role);
}

my @views = ('dp_agg.budgets', 'dp_agg.dataset_caps');
my @tables = ('dp_agg.budget', 'dp_agg.ledger');
like(seen($_, 'audit'), qr/^0\|/, "without grants $_ shows nothing") for @views;
like(seen($_, 'audit'), qr/^42501/, "and $_ is closed") for @tables;
like(audited("SELECT dp_agg.plan('ann', 'default', 10)"), qr/^42501/, 'nor can others budgets be planned with');

# The grants, as the documents have them.
my ($grants) = slurp_file('doc/admin.md') =~ /\n((?:    .*\n)*    GRANT SELECT ON dp_agg\.budget.*\n(?:    .*\n)*)/;
like($grants, qr/GRANT EXECUTE/, 'the documents name the grants');
$node->safe_psql('postgres', $grants =~ s/auditor/audit/gr);

my $superuser = getpwuid($<);
is(seen($_, 'audit'), seen($_, $superuser), "$_ shows all") for @views, @tables;
like(seen('dp_agg.budgets', 'audit'), qr/^3\|/, 'three budgets');
like(seen('dp_agg.dataset_caps', 'audit'), qr/^1\|/, 'and a cap');
is(seen('dp_agg.budgets', 'eve'), '0|', 'others see none');
is(audited("SELECT count(*) FROM dp_agg.ledger WHERE statement LIKE '%77%' AND admitted"), '1', 'with what was asked');
cmp_ok(audited("SELECT dp_agg.plan('ann', 'default', 10)"), '>', 0, 'budgets can be planned with');
is(audited('SELECT count(*) FROM dp_agg.protected_tables'), '1', 'the policy is shown');
is(audited('SELECT * FROM dp_agg.verify_ledger()'), '', 'the ledger verifies');
like(audited("SELECT count(*) FROM dp_agg.check_exposure('ann')"), qr/^\d+$/, 'roles can be checked');
is(audited(q{SELECT dp_agg.deployment_record('default') #>> '{budgets,0,role}'}), 'ann', 'the record of a data set is shown');
unlike(audited("SELECT string_agg(risk, ' ') FROM dp_agg.check_exposure('audit')"), qr/critical|high/, 'the auditor sees nothing critical or high');
my $export = PostgreSQL::Test::Utils::tempdir . '/ledger.copy';
{
	local $ENV{PGUSER} = 'audit';
	$node->command_ok([ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-o', $export, '-c', 'COPY (SELECT * FROM dp_agg.ledger ORDER BY id) TO STDOUT (FORMAT binary)' ], 'the ledger can be exported');
}
command_like([ 'perl', 'doc/verify_export.pl', $export ], qr/\d/, 'and the export be verified elsewhere');
is($node->safe_psql('postgres', "BEGIN; UPDATE dp_agg.ledger SET epsilon_limit = 4 WHERE id = 1; SET ROLE audit; SELECT count(*) > 0 FROM dp_agg.verify_ledger(); ROLLBACK"), 't', 'what was tampered with is found');

# No more than that: of what not everybody may do, these.
is($node->safe_psql('postgres', <<'SQL'), 'check_exposure, check_exposure, deployment_record, side_channels, verify_ledger', 'functions that not everybody may call');
SELECT string_agg(p.proname, ', ' ORDER BY p.proname) FROM pg_proc p, pg_depend d, pg_extension e
WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' AND e.extname = 'dp_agg'
	AND has_function_privilege('audit', p.oid, 'EXECUTE') AND NOT has_function_privilege('eve', p.oid, 'EXECUTE')
SQL
is($node->safe_psql('postgres', <<'SQL'), 'budget: SELECT, ledger: SELECT', 'and tables');
SELECT string_agg(relname || ': ' || privilege, ', ' ORDER BY relname, privilege) FROM pg_class,
unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) privilege
WHERE relnamespace = 'dp_agg'::regnamespace AND relkind IN ('r', 'v') AND has_table_privilege('audit', oid, privilege) AND NOT has_table_privilege('eve', oid, privilege)
SQL
my $state = "SELECT md5(string_agg(b::text, chr(10) ORDER BY number)), (SELECT md5(string_agg(l::text, chr(10) ORDER BY id)) FROM dp_agg.ledger l), (SELECT count(*) FROM dp_agg.kept_answer) FROM dp_agg.budget b";
my $before = $node->safe_psql('postgres', $state);
like(audited($_), qr/^42501/, "changes nothing: $_")
  for "SELECT dp_agg.set_budget('audit', 10, 1e-6)", "SELECT dp_agg.set_budget('ann', 1e5, 1e-6)", "SELECT dp_agg.reset_budget('ann')", "SELECT dp_agg.drop_budget('ann')",
  "SELECT dp_agg.set_dataset_cap('default', 1e9, 0.5)", "SELECT dp_agg.drop_dataset_cap('default')", 'SELECT dp_agg.acknowledge_copy()', 'SELECT dp_agg.forget_kept()', 'SELECT dp_agg.compact_ledger(now())',
  'SELECT * FROM dp_agg.harden(true)', 'SELECT * FROM dp_agg.uninstall()', 'SELECT dp_agg_internal.remove_labels()', "SELECT dp_agg.unprotect('people')", "SELECT dp_agg.protect('people', 'id')", "SELECT dp_agg.set_domain('people', 'age', 0, 1)",
  'UPDATE dp_agg.budget SET epsilon_limit = 1e6', 'DELETE FROM dp_agg.ledger', 'TRUNCATE dp_agg.ledger', "INSERT INTO dp_agg.ledger (id) VALUES (0)", 'SELECT FROM dp_agg.ledger FOR UPDATE',
  'BEGIN; LOCK TABLE dp_agg.ledger IN SHARE MODE; COMMIT', 'ALTER TABLE dp_agg.ledger DISABLE TRIGGER ALL', 'DROP EXTENSION dp_agg', 'SET ROLE ann', 'CREATE RULE r AS ON SELECT TO dp_agg.ledger DO INSTEAD SELECT 1', "SECURITY LABEL FOR dp_agg ON COLUMN people.id IS NULL";
like(audited($_), qr/^42501/, "sees no row: $_") for 'SELECT * FROM people', 'SELECT count(*) FROM people', 'SELECT * FROM dp_agg.kept_answer', 'COPY people TO STDOUT';
my $unpaid = qr/^42501: role "audit" has no budget on data set "default"/;
like(audited($_), $unpaid, "asks nothing unpaid: @{[ref $_ ? $_->[-1] : $_]}") for 'SELECT dp_count(*) FROM people', [ "SET dp_agg.kept_max_age = '1 year'", $kept ], "SELECT * FROM dp_agg.suggest_bounds('people', 'age', 0.1)";
is(seen('dp_agg.kept', 'audit') =~ /^0\|/ ? 'none' : '', 'none', 'and is not told whose answers are kept');
is($node->safe_psql('postgres', $state), $before, 'nothing has changed');

# A transaction left open holds up nobody who asks; who has a budget besides pays like everybody.
my $open = do { local $ENV{PGUSER} = 'audit'; $node->background_psql('postgres') };
$open->query_safe('BEGIN; SELECT count(*) FROM dp_agg.ledger; LOCK TABLE dp_agg.budget, dp_agg.ledger IN ACCESS SHARE MODE');
like(asked($node, "SET statement_timeout = '60s'; SELECT dp_count(*) FROM people"), qr/^-?\d+$/, 'an open transaction holds up nobody');
$open->query_safe('COMMIT');
$open->quit;
$node->safe_psql('postgres', "SELECT dp_agg.set_budget('audit', 1, 1e-6)");
like(audited('SELECT dp_count(*) FROM people'), qr/^-?\d+$/, 'with a budget besides, the auditor is answered');
is(audited("SELECT statements FROM dp_agg.budgets WHERE role = 'audit'::regrole"), '1', 'and charged');

# Taken back, all is closed again.
$node->safe_psql('postgres', 'SELECT dp_agg.drop_budget($$audit$$); REVOKE ALL ON dp_agg.budget, dp_agg.ledger FROM audit');
like(seen('dp_agg.budgets', 'audit'), qr/^0\|/, 'revoked, nothing is shown');
# What a role may read that reads every table, it may see.
$node->safe_psql('postgres', 'CREATE ROLE reader LOGIN IN ROLE pg_read_all_data');
is(seen('dp_agg.budgets', 'reader'), seen('dp_agg.budgets', $superuser), 'who reads every table sees all budgets');
is(seen('dp_agg.kept', 'reader'), seen('dp_agg.kept', $superuser), 'and which answers are kept');
like(seen('dp_agg.kept', 'reader'), qr/^[1-9]/, 'of which there are some');

$node->stop;
done_testing();
