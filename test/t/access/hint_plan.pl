# Settings of dp_agg in hints of pg_hint_plan: what a hint says is charged, drawn and written in the ledger.  The
# server does not start where pg_hint_plan is preloaded before dp_agg, where it would say nothing.
#
# What is not installed is skipped; test/prepare.sh installs what Debian has for this version of PostgreSQL.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('hinted');
plan skip_all => 'pg_hint_plan is not installed' if !-e $node->config_data('--pkglibdir') . '/pg_hint_plan.so';
$node->init;

# A setting of it in the file alone loads nothing.
$node->append_conf('postgresql.conf', "autovacuum = off\npg_hint_plan.enable_hint = on\nshared_preload_libraries = 'pg_hint_plan,dp_agg'");
ok(!$node->start(fail_ok => 1), 'the server does not start with pg_hint_plan before dp_agg');
like(slurp_file($node->logfile), qr/FATAL:  pg_hint_plan is preloaded before dp_agg\n.*DETAIL:  Its hints would not set.*\n.*HINT:  Name dp_agg before it/, 'and says why');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg,pg_hint_plan'");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE TABLE people (id int PRIMARY KEY, age int);
INSERT INTO people SELECT i, i % 90 FROM generate_series(1, 2000) i;
SELECT dp_agg.protect('people', 'id');
CREATE ROLE ann;
SELECT dp_agg.set_budget('ann', 1000, 1e-3);
SQL

# Statements as they are written, the epsilon that each of their runs is to be charged, and how many these are.
my $hint = '/*+ Set(dp_agg.epsilon 5) */';
for (
	[ "$hint SELECT dp_count(*) FROM people", 5, 1 ],
	[ "$hint SELECT count(*) FROM people WHERE age < 50", 5, 1 ],
	[ 'SELECT count(*) FROM people WHERE age < 51', 1, 1 ],
	[ "$hint SELECT count(*) FROM people WHERE age < 52", 5, 1 ],
	[ "PREPARE hinted(int) AS $hint SELECT count(*) FROM people WHERE age < \$1; " . join('', map { "EXECUTE hinted($_);" } 1 .. 8), 5, 8 ],
	[ "$hint EXPLAIN ANALYZE SELECT count(*) FROM people WHERE age < 53", 5, 1 ],
	[ "BEGIN; DECLARE c CURSOR FOR $hint SELECT count(*) FROM people WHERE age < 54; FETCH c; COMMIT", 5, 1 ],
	[ "/*+ Set(dp_agg.epsilon 5) Set(dp_agg.epsilon 7) */ SELECT count(*) FROM people WHERE age < 55", 7, 1 ],
	[ "/*+ Set(dp_agg.mechanism gaussian) Set(dp_agg.sample_rate 0.5) */ SELECT count(*) FROM people WHERE age < 56", 1, 1 ])
{
	my ($statement, $epsilon, $runs) = @$_;
	$node->safe_psql('postgres', "SET ROLE ann; SET dp_agg.epsilon = 1; SET dp_agg.kept_max_age = 0; $statement");
	is($node->safe_psql('postgres', "SELECT count(*) FROM (SELECT *, dp_agg.ledger.releases #>> '{0,releases,0,epsilon}' AS epsilon FROM dp_agg.ledger ORDER BY id DESC LIMIT $runs) l WHERE admitted AND l.epsilon::float8 = $epsilon"),
		$runs, "$statement: charged $epsilon each");

	# Laplace noise of a count: the ledger has the scale that was drawn from.
	is($node->safe_psql('postgres', "SELECT count(*) FROM (SELECT releases #> '{0,releases,0,noise,0}' AS noise FROM dp_agg.ledger ORDER BY id DESC LIMIT $runs) l WHERE abs((noise ->> 'scale_den')::float8 / (noise ->> 'scale_num')::float8 - $epsilon) < 1e-6"),
		$runs, "$statement: and noise of that") if $statement !~ /gaussian/;
	is($node->safe_psql('postgres', "SELECT count(*) FROM (SELECT statement FROM dp_agg.ledger ORDER BY id DESC LIMIT $runs) l WHERE position('$hint' IN statement) > 0"), $runs, "$statement: the ledger has the hint")
		if $statement =~ /^\Q$hint\E/;
}
is($node->safe_psql('postgres', q{SELECT releases #>> '{0,releases,0,mechanism}' FROM dp_agg.ledger ORDER BY id DESC LIMIT 1}), 'gaussian', 'a mechanism in a hint is used');
is($node->safe_psql('postgres', q{SELECT epsilon_spent BETWEEN 70 AND 80 FROM dp_agg.budgets}), 't', 'what was charged adds up');
$node->stop;
done_testing();
