# Charts with error bars: the recipes of doc/tools.md, run as they stand there by an analyst without
# rights on the demonstration's data.  Each costs one statement, and draws bars as long as intervals are.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;

use Pixels;
use ToolTest;

my $node = PostgreSQL::Test::Cluster->new('charts');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\nlisten_addresses = '127.0.0.1'\n");
$node->start;
$node->safe_psql('postgres', slurp_file('test/demo/data.sql'));
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dp_agg;
CREATE ROLE ann LOGIN;
SELECT dp_agg.protect('visits', unit => 'patient', dataset => 'clinics', max_rows => 12, max_groups => 12);
SELECT dp_agg.set_domain('visits', 'cost', 0, 300), dp_agg.set_domain('visits', 'day', '2024-01-01', '2024-12-31');
SELECT dp_agg.set_budget('ann', 1e9, 0.5, 'clinics');
SQL

# The recipe under a heading, or the first there is, in a language.
my $document = slurp_file('doc/tools.md');
my ($charts) = $document =~ /^(## Charts with error bars\n.*?)(?=^## )/ms;

sub recipe
{
	my ($heading, $language) = @_;
	my ($part) = $heading eq '' ? $charts : $charts =~ /^(### \Q$heading\E.*?)(?=^###? |\z)/ms;
	my ($recipe) = $part =~ /^```$language\n(.*?)^```$/ms or die "no $language under $heading\n";
	return $recipe;
}

my $directory = PostgreSQL::Test::Utils::tempdir();

# Run a program there as the analyst, at some epsilon, and check that it is charged once.
sub runs
{
	my ($name, $epsilon, @command) = @_;
	my ($ended, $out) = (0, '');
	my $before = charges($node);
	{
		local %ENV = (%ENV, PGHOST => '127.0.0.1', PGPORT => $node->port, PGDATABASE => 'postgres', PGUSER => 'ann', PGOPTIONS => "-c dp_agg.epsilon=$epsilon",
			HOME => $directory, MPLCONFIGDIR => $directory);
		$ended = IPC::Run::run([ 'sh', '-c', 'cd "$0" && exec "$@"', $directory, @command ], '<', \undef, '>&', \$out, IPC::Run::timeout(180));
	}
	ok($ended, "$name runs at epsilon $epsilon") or diag($out);
	is(charges($node) - $before, 1, "$name is charged once");
	return $out;
}

# How many pixels of a picture are of the colour of the bars.
sub bars
{
	my ($file) = @_;
	my ($width, $height, %seen) = pixels("$directory/$file");
	unlink "$directory/$file";
	return $seen{'18,60,105'} // 0;
}

sub can_run
{
	return IPC::Run::run(\@_, '<', \undef, '>', '/dev/null', '2>&1');
}

# Numbers: between their ends, and near what they are without noise.  A mean of 20,000 visits or more at epsilon 1000 is
# off by more than 1 with a probability below 1e-9.
for my $question ([ 'by clinic', recipe('', 'sql'), 5 ], [ 'by month', recipe('Grafana, Metabase, Superset and others', 'sql'), 12 ])
{
	my ($name, $sql, $groups) = @$question;
	my @rows = map { [ split /\|/ ] } split /\n/, runs($name, 1000, 'psql', '-XqAt', '-c', 'SET client_min_messages = warning', '-c', $sql);
	is(scalar @rows, $groups, "$name: as many rows as groups");
	is(scalar(grep { $_->[2] < $_->[1] && $_->[1] < $_->[3] && $_->[3] - $_->[2] < 5 } @rows), $groups, "$name: between the ends");
	my $exact = $sql =~ s/dp_avg\(cost\)::float8 AS mean.*?AS high/avg(least(cost, 300))/sr;
	my %exact = map { split /\|/ } split /\n/, $node->safe_psql('postgres', $exact);
	is(scalar(grep { abs($exact{ $_->[0] } - $_->[1]) < 2 } @rows), $groups, "$name: near the truth");
}

SKIP:
{
	can_run('/usr/bin/python3', '-c', 'import matplotlib, psycopg2') or skip 'matplotlib is not installed: see test/tools/install', 1;
	my $recipe = recipe('matplotlib', 'python');
	my %bars;
	for my $epsilon (0.3, 1000)
	{
		runs('matplotlib', $epsilon, '/usr/bin/python3', '-c', $recipe);
		$bars{$epsilon} = bars('chart.png');
	}
	cmp_ok($bars{0.3}, '>', 2 * $bars{1000} + 100, 'matplotlib draws bars as long as the noise is large') or diag("$bars{0.3} pixels, and $bars{1000}");
}

SKIP:
{
	can_run('Rscript', '-e', 'library(ggplot2); library(RPostgreSQL)') or skip 'ggplot2 is not installed: see test/tools/install', 1;
	append_to_file("$directory/chart.R", recipe('ggplot2', 'r'));
	runs('ggplot2', 0.3, 'Rscript', 'chart.R');
	cmp_ok(bars('ggplot2.png'), '>', 100, 'ggplot2 draws bars');
}

SKIP:
{
	node_modules('vega', 'vega-lite') or skip 'Vega-Lite is not installed: see test/tools/install', 1;
	runs('the shell', 0.3, 'sh', '-c', recipe('Vega-Lite', 'sh'));
	my $means = decode_json(slurp_file("$directory/means.json"));
	is(scalar(grep { $_->{low} < $_->{mean} && $_->{mean} < $_->{high} } @$means), 5, 'the data have the ends');
	append_to_file("$directory/chart.json", recipe('Vega-Lite', 'json'));
	append_to_file("$directory/chart.js", <<'JS');
const fs = require('fs'), vega = require('vega'), lite = require('vega-lite');
const spec = JSON.parse(fs.readFileSync('chart.json'));
spec.data = { values: JSON.parse(fs.readFileSync(spec.data.url)) };
const view = new vega.View(vega.parse(lite.compile(spec).spec), { renderer: 'none' });
view.toSVG().then(svg => process.stdout.write(svg));
JS
	my $svg;
	{
		local $ENV{NODE_PATH} = node_modules('vega', 'vega-lite');
		ok(IPC::Run::run([ 'sh', '-c', 'cd "$0" && exec node chart.js', $directory ], '<', \undef, '>', \$svg), 'Vega-Lite draws them');
	}
	my ($rules) = $svg =~ /<g class="mark-rule role-mark [^>]*>(.*?)<\/g>/s;
	my ($points) = $svg =~ /<g class="mark-symbol role-mark [^>]*>(.*?)<\/g>/s;
	my @ends = map { /translate\([\d.]+,(-?[\d.]+)\)" x2="0" y2="(-?[\d.]+)"/ ? [ sort { $a <=> $b } $1, $1 + $2 ] : () } split /(?=<line)/, $rules;
	my @middles = $points =~ /translate\([\d.]+,(-?[\d.]+)\)/g;
	is(scalar(@ends) . ' ' . @middles, '5 5', 'five bars and points');
	my $pixels = ($middles[0] - $middles[4]) / ($means->[4]{mean} - $means->[0]{mean});
	my @off = grep { abs($ends[$_][1] - $middles[$_] - $pixels * ($means->[$_]{mean} - $means->[$_]{low})) > 1 || abs($middles[$_] - $ends[$_][0] - $pixels * ($means->[$_]{high} - $means->[$_]{mean})) > 1 } 0 .. 4;
	is("@off", '', 'from end to end');
}

$node->stop;
done_testing();
