# contrib/monitoring beside the demonstration's database: a role with the one grant that doc/admin.md
# names runs every query of the dashboard and of queries.yaml; postgres_exporter turns these into
# metrics, Prometheus loads the alert rules and finds every series that they and the dashboard name.
use strict;
use warnings;

use CPAN::Meta::YAML;
use FindBin;
use lib $FindBin::RealBin;
use HTTP::Tiny;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use ToolTest;

my $top = "$FindBin::RealBin/../..";
my $directory = "$top/contrib/monitoring";
my $node = PostgreSQL::Test::Cluster->new('monitoring');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\nlisten_addresses = '127.0.0.1'\ndp_agg.delta = 0\ndp_agg.mechanism = auto\ndp_agg.clipping = auto\ndp_agg.epsilon = 0\n");
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE demo');

# Run a script of the demonstration, refusals and all; or SQL, and return its rows, each a hash.
sub play
{
	my ($role, $script) = @_;
	IPC::Run::run([ 'psql', '-Xq', '-h', $node->host, '-p', $node->port, '-U', $role, '-d', 'demo', '-f', "$top/test/demo/$script" ], '<', \undef, '>', \my $out, '2>', \my $err);
	return $err;
}

sub rows
{
	my ($role, $sql) = @_;
	my ($out, $err);
	IPC::Run::run([ 'psql', '-XAtq', '-h', $node->host, '-p', $node->port, '-U', $role, '-d', 'demo', '-c', "SELECT row_to_json(q) FROM ($sql) q" ], '<', \undef, '>', \$out, '2>', \$err);
	is($err, '', 'a query runs as ' . $role) or diag $sql;
	return map { decode_json($_) } split /\n/, $out;
}

my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
play($superuser, $_) for 'data.sql', 'setup.sql';
like(play('analyst', 'session.sql'), qr/NOTICE: +80 % of the privacy budget of role "analyst" on data set "titanic" is used/, 'the demonstration tells of a threshold');
$node->safe_psql('demo', q{SELECT dp_agg.set_dataset_cap('titanic', 3, 1e-5)});
like($node->safe_psql('demo', 'SET ROLE dashboard; SELECT dp_count(*) FROM titanic'), qr/^-?\d+$/, 'a charge under a cap');

# The one grant, as the documents have it.
my ($grant) = slurp_file("$top/doc/admin.md") =~ /\n    (GRANT SELECT ON dp_agg\.budget TO exporter;)/;
ok($grant, 'the documents name one grant');
$node->safe_psql('demo', "CREATE ROLE exporter LOGIN; $grant");
is($node->safe_psql('demo', q{SELECT count(*) FROM pg_class, aclexplode(relacl) WHERE grantee = 'exporter'::regrole}), '1', 'which is one');

# Every query of the exporter's file returns the columns that it declares.
my $queries = CPAN::Meta::YAML->read("$directory/queries.yaml")->[0];
my %series;
for my $name (sort keys %$queries)
{
	my ($query, $metrics) = @{ $queries->{$name} }{ 'query', 'metrics' };
	my @columns = map { keys %$_ } @$metrics;
	my @rows = rows('exporter', $query);
	cmp_ok(@rows, '>', 0, "$name has rows");
	is_deeply([ sort keys %{ $rows[0] } ], [ sort @columns ], "$name has the columns that it declares");
	$series{ $name . '_' . $_ } = 1 for grep { my $column = $_; grep { ($_->{$column} // {})->{usage} =~ /GAUGE|COUNTER/ } grep { $_->{$column} } @$metrics } @columns;
}
my @budgets = rows('exporter', $queries->{dp_agg_budget}{query});
is(join(' ', sort map { "$_->{role}:$_->{dataset}" } @budgets), ':titanic analyst:clinics analyst:titanic dashboard:clinics dashboard:titanic developer:titanic', 'all budgets and caps');

# Every query of the dashboard, as that role, and as an analyst, who sees her own.
my $dashboard = decode_json(slurp_file("$directory/dashboard.json"));
my (@expressions, %panels);
for my $panel (@{ $dashboard->{panels} })
{
	ok(!$panels{ $panel->{id} }++, "panel $panel->{title} has a number of its own") or next;
	for my $target (@{ $panel->{targets} })
	{
		push @expressions, $target->{expr} if $target->{expr};
		next if !$target->{rawSql};
		cmp_ok(scalar(rows('exporter', $target->{rawSql})), '>', 0, "panel $panel->{title}");
		my @own = rows('analyst', $target->{rawSql});
		unlike(encode_json(\@own), qr/dashboard|developer|all roles/, 'of which an analyst sees nothing of others');
	}
}
cmp_ok(scalar(@expressions), '>', 3, 'and panels of Prometheus');
my $rules = slurp_file("$directory/alerts.yml");
my %named = map { $_ => 1 } map { /\b(dp_agg_(?:budget|keeper)_\w+)/g } @expressions, $rules =~ /expr: (.*)/g;
is(join(' ', grep { !$series{$_} } sort keys %named), '', 'panels and rules name series that there are');
my @known = grep { /\Sdp_agg\./ || /\bdp_agg\.\w+/ } $rules =~ /description: "(.*)"/g;
my %functions = map { $_ => 1 } map { /\bdp_agg\.(\w+)/g } @known;
is($node->safe_psql('demo', "SELECT count(*) FROM unnest('{" . join(',', sort keys %functions) . "}'::text[]) name WHERE to_regproc('dp_agg.' || name) IS NULL AND to_regclass('dp_agg.' || name) IS NULL AND current_setting('dp_agg.' || name, true) IS NULL"), '0', 'what they advise is there');

# A program of a package that test/tools/install unpacked, or of this machine.
sub program
{
	my ($name) = @_;
	return unpacked("usr/bin/$name") // (grep { -x } map { "$_/$name" } split /:/, $ENV{PATH})[0];
}

my ($promtool, $exporter, $prometheus) = map { program($_) } 'promtool', 'prometheus-postgres-exporter', 'prometheus';
my $work = PostgreSQL::Test::Utils::tempdir;

SKIP:
{
	$promtool or skip('promtool is not installed: see test/tools/install', 1);
	append_to_file("$work/alerts.yml", $rules);
	append_to_file("$work/alerts_test.yml", slurp_file("$FindBin::RealBin/alerts_test.yml"));
	$node->command_ok([ $promtool, 'check', 'rules', "$work/alerts.yml" ], 'promtool accepts the alert rules');
	$node->command_ok([ $promtool, 'test', 'rules', "$work/alerts_test.yml" ], 'and each fires when it should, and not before');
	my %alerts = map { $_ => 1 } $rules =~ /alert: (\w+)/g;
	is_deeply([ sort keys %alerts ], [ sort keys %{ { map { $_ => 1 } slurp_file("$FindBin::RealBin/alerts_test.yml") =~ /alertname: (\w+)/g } } ], 'all of them');
}

# What an address answers as JSON of Prometheus.
sub api
{
	my ($address, $path, %form) = @_;
	my $answer = HTTP::Tiny->new(timeout => 20)->post_form("$address/api/v1/$path", \%form);
	return eval { decode_json($answer->{content}) } // { status => $answer->{content} };
}

SKIP:
{
	$exporter or skip('postgres_exporter is not installed: see test/tools/install', 1);
	my $port = PostgreSQL::Test::Cluster::get_free_port();
	serve("$PostgreSQL::Test::Utils::log_path/monitoring_exporter.log", { DATA_SOURCE_NAME => 'host=127.0.0.1 port=' . $node->port . ' user=exporter dbname=demo sslmode=disable' },
		$exporter, "--extend.query-path=$directory/queries.yaml", '--disable-default-metrics', '--disable-settings-metrics', "--web.listen-address=127.0.0.1:$port");
	wait_for_http("http://127.0.0.1:$port/metrics");
	my $metrics = HTTP::Tiny->new(timeout => 20)->get("http://127.0.0.1:$port/metrics")->{content};
	like($metrics, qr/^dp_agg_budget_used\{[^}]*dataset="titanic",role="analyst"[^}]*\} (?:1|0\.9)/m, 'the exporter tells what is used');
	like($metrics, qr/^dp_agg_budget_alert\{[^}]*dataset="titanic",role="analyst"[^}]*\} 100$/m, 'and told');
	like($metrics, qr/^dp_agg_keeper_charges_total\{[^}]*\} [1-9]/m, 'and what the keeper did');
	is(join(' ', grep { $metrics !~ /^$_\{/m } sort keys %series), '', 'and all the rest');
	is($metrics =~ /(pg_exporter_user_queries_load_error\{.*\} 1)/ ? $1 : '', '', 'no query failed');

	$prometheus or skip('prometheus is not installed: see test/tools/install', 1);
	my $own = PostgreSQL::Test::Cluster::get_free_port();
	append_to_file("$work/prometheus.yml", <<"YAML");
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: ['$directory/alerts.yml']
scrape_configs: [{job_name: dp_agg, static_configs: [{targets: ['127.0.0.1:$port']}]}]
YAML
	serve("$PostgreSQL::Test::Utils::log_path/monitoring_prometheus.log", {}, $prometheus, "--config.file=$work/prometheus.yml", "--storage.tsdb.path=$work/data", "--web.listen-address=127.0.0.1:$own");
	my $address = "http://127.0.0.1:$own";
	wait_for_http("$address/-/ready");
	my $until = time + 60;
	sleep 0.5 until time > $until || @{ api($address, 'query', query => 'count_over_time(dp_agg_budget_used[1m]) > 2')->{data}{result} // [] };
	for my $expression (@expressions)
	{
		my $answer = api($address, 'query', query => $expression);
		is($answer->{status}, 'success', "Prometheus reads $expression");
		cmp_ok(scalar(@{ $answer->{data}{result} // [] }), '>', 0, 'and has something to show');
	}
	my @rules;
	$until = time + 60;
	do
	{
		sleep 0.5;
		@rules = map { @{ $_->{rules} } } @{ api_rules($address) };
	} until time > $until || !grep { $_->{health} eq 'unknown' } @rules;
	is(join(' ', map { $_->{health} } @rules), join(' ', ('ok') x (() = $rules =~ /alert:/g)), 'all rules are evaluated');
	is(join(' ', map { $_->{labels}{role} } map { @{ $_->{alerts} } } grep { $_->{name} eq 'PrivacyBudgetUsedUp' } @rules), 'analyst', 'and tell whose budget is used up');
}

sub api_rules
{
	my ($address) = @_;
	return decode_json(HTTP::Tiny->new(timeout => 20)->get("$address/api/v1/rules")->{content})->{data}{groups};
}

$node->stop;
done_testing();
