#!/usr/bin/perl
# What the demonstration says is so: its scripts are run as test/demo/start runs them, and each
# outcome that its words claim is compared with what was printed.
#
# Bounds are 7 standard deviations of Gaussian noise or more: one is exceeded with probability 1e-11 or less.  Where the clamp
# is chosen, it is four times what it should be, or more, in one case of 900, and takes answers beyond: the middle one of eleven
# is beyond with a probability of 1e-14.
use strict;
use warnings;

use IPC::Run qw(run);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('demo');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dp_agg'\ndp_agg.delta = 0\ndp_agg.mechanism = auto\ndp_agg.clipping = auto\ndp_agg.epsilon = 0\ndp_agg.noise_notice = on\ndp_agg.high_epsilon = 20");
$node->start;
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
$node->safe_psql('postgres', 'CREATE DATABASE demo');

# Run a script as a role, and return what is on screen.
sub screen
{
	my ($role, $script, @options) = @_;
	my $out = '';
	run([ 'psql', '-X', '-q', '-A', '-h', $node->host, '-p', $node->port, '-U', $role, '-d', 'demo', @options ], '<', \$script, '>&', \$out);
	return $out;
}

# What a script printed after a statement that holds these words, up to the next statement or heading.
sub after
{
	my ($screen, $script, $words) = @_;
	my ($statement) = grep { index($_, $words) >= 0 } $script =~ s/^\\.*\n//gmr =~ /(\S[^;]*;)/g or die "no statement has: $words\n";
	my $at = index($screen, $statement);
	return '' if $at < 0;
	my $rest = substr $screen, $at + length $statement;
	$rest =~ s/^(?:## |(?:SELECT|BEGIN|ROLLBACK|EXPLAIN|SET|SHOW|CREATE)\b).*//ms;
	return $rest;
}

# The rows of an answer, by the first columns.
sub rows
{
	my ($text, $keys) = @_;
	my %rows;
	for my $line (grep { /\|/ } split /\n/, $text)
	{
		my @values = split /\|/, $line;
		$rows{ join ' ', @values[ 0 .. $keys - 1 ] } = [ @values[ $keys .. $#values ] ];
	}
	return \%rows;
}

# What a budget says: statements and epsilon spent.
sub spent
{
	my ($role, $dataset) = @_;
	return $node->safe_psql('demo', "SELECT statements || ' ' || epsilon_spent::numeric(6,2) FROM dp_agg.budgets WHERE role = '$role'::regrole AND dataset = '$dataset'");
}

# Is a number within so much of the true one?
sub near
{
	my ($number, $truth, $bound, $what) = @_;
	return ok(0, "$what: no number") if !defined $number || $number !~ /^-?[\d.]+$/;
	return cmp_ok(abs($number - $truth), '<', $bound, $what) || diag("$number, and in truth $truth");
}

# What several analysts were answered about visits: numbers by what they are of, the truth, and how far off they may be.
my %visits;
sub note_visits
{
	my ($said, $truth) = @_;
	my $bills = rows($said->('AS bill'), 1);
	my $bins = rows($said->('dp_histogram'), 1);
	my $note = sub { my ($what, @about) = @_; push @{ $visits{$what}{numbers} }, shift @about; $visits{$what}{about} = \@about };
	for my $clinic (qw(east harbour north south west))
	{
		my ($patients, $visits, $bill, $plus_minus) = @{ $bills->{$clinic} // [] };
		$note->("patients of $clinic", $patients, $truth->{$clinic}[0], 130);
		$note->("visits to $clinic", $visits, $truth->{$clinic}[1], 1440);
		$note->("bills of $clinic are off by little", $plus_minus, 8, 8);
		$note->("bills of $clinic, each cut at 300", $bill, $truth->{$clinic}[2], 25);
	}
	$note->("bin $_ of eight", $bins->{ 30 * $_ }[1], $truth->{ 30 * $_ }[0], 5760) for 0 .. 7;
	return;
}

# The data, and what the administrator does.
is(screen($superuser, slurp_file('test/demo/data.sql'), '-v', 'ON_ERROR_STOP=1') =~ /ERROR/, '', 'the data are there');
is($node->safe_psql('demo', 'SELECT min(n), max(n), min(c), max(c), count(*) FROM (SELECT count(*) n, count(DISTINCT clinic) c FROM visits GROUP BY patient) p'),
	'1|12|1|2|20000', 'of 20,000 patients with 1 to 12 visits to one or two clinics');
is($node->safe_psql('demo', 'SELECT count(DISTINCT clinic), count(*) FILTER (WHERE cost BETWEEN 20 AND 300) > 0.9 * count(*) FROM visits'), '5|t',
	'of five, most bills from 20 to 300');
my $setup = slurp_file('test/demo/setup.sql');
is(screen($superuser, $setup, '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null') =~ /ERROR/, '', 'the administrator protects them');

# Two more analysts like the one of the demonstration.
my @analysts = qw(analyst second third);
for my $role (@analysts[ 1, 2 ])
{
	my $admitted = join "\n", map { s/analyst/$role/r } grep { /analyst/ } split /\n/, $setup;
	is(screen($superuser, $admitted) =~ /ERROR/, '', "$role is admitted");
}

# The analyst's session, three times: a group of few people is shown with probability 2e-4 or less.
my $session = slurp_file('test/demo/session.sql');
my %truth = map { /^(.*?)\|(.*)$/ ? ($1 => [ split /\|/, $2 ]) : () } split /\n/, $node->safe_psql('demo', <<'SQL');
SELECT class || ' ' || sex, survivors FROM history_book;
SELECT class, avg(survived::int), count(*) FROM titanic GROUP BY class;
SELECT clinic, count(DISTINCT patient), count(*), avg(least(cost, 300)) FROM visits GROUP BY clinic;
SELECT 30 * (least(width_bucket(cost, 0, 240, 8), 8) - 1), count(*) FROM visits GROUP BY 1;
SQL
my %shown;
for my $role (@analysts)
{
	my $screen = screen($role, $session);
	my $said = sub { return after($screen, $session, @_) };
	my @errors = $screen =~ /^ERROR:  (.*)/mg;
	is_deeply(\@errors, [
		'permission denied for table titanic', 'permission denied for table visits', 'min and max of a text need a column whose keys are declared',
		('privacy budget exhausted on data set "titanic"') x 2 ], "$role: these are refused, and nothing else");
	like($said->('* FROM titanic'), qr/^ERROR/m, "$role: people are not shown");
	like($said->('SELECT cost FROM'), qr/^ERROR/m, "$role: neither are bills");
	like($said->('max(class)'), qr/^ERROR/m, "$role: no exact number stands beside noisy ones");

	my $groups = rows($said->('AS plus_minus, survivors AS truth'), 2);
	is_deeply([ sort grep { / (?:fe)?male$/ } keys %$groups ], [ sort grep { / (?:fe)?male$/ } keys %truth ], "$role: groups are those of the book");
	for my $group (grep { $truth{$_} } keys %$groups)
	{
		my ($answer, $plus_minus, $book) = @{ $groups->{$group} };
		is($book, $truth{$group}[0], "$role: the book tells the truth of $group");
		is($plus_minus, 22, "$role: 95 in 100 answers are off by at most 22");
		$shown{$group}++ if $answer ne 'withheld';
		near($answer, $book, 100, "$role: $group") if $answer ne 'withheld';
	}

	like($said->("EXPLAIN"), qr/Statement Price: epsilon 0\.5, delta 2e-10$/m, "$role: the plan tells the price");
	my @budgets = $screen =~ /^(\d+\|[\d.]+\|\d+)$/mg;
	is($budgets[0], '1|0.360|2', "$role: looking at a plan is free, and so is a refusal");
	is($budgets[1], '2|0.520|2', "$role: what is rolled back is paid for");
	my $means = rows($said->('AS survived'), 1);
	near($means->{$_}[0], $truth{$_}[0], 200 / $truth{$_}[1], "$role: survivors of $_") for '1st', '2nd', '3rd', 'crew';

	note_visits($said, \%truth);

	like($said->('dp_count(id, 3)'), qr/ costs epsilon 3 and delta 1e-10; epsilon 1\.47984 of 2 remains/, "$role: what is left does not pay for a sharp answer");
	near($said->('dp_count(id, 2.5)') =~ /^(-?\d+)$/m, 109, 40, "$role: it pays for a less sharp one");
	like($said->('SELECT dp_count(id) FROM'), qr/ costs epsilon 0\.5 and delta 1e-10; epsilon 0\.0\d+ of 2 remains/, "$role: the next is refused");
	is(spent($role, 'titanic'), '3 1.97', "$role: as the account has it");
	is(spent($role, 'clinics'), '2 0.75', "$role: what is computed from released values is free");
}
is($shown{'crew male'}, 3, 'a group of many people is shown');
cmp_ok($shown{'1st female'} // 0, '>=', 2, 'and so is another, which one threshold alone may withhold');
cmp_ok($shown{'crew female'} // 0, '<', 3, 'a group of 20 is withheld');
cmp_ok($shown{'2nd male'} // 0, '<', 3, 'and one of 25');

# Eight more ask about visits alone.
my $about_visits = "\\set ECHO queries\n\\pset footer off\n" . join "\n", $session =~ /^((?:SELECT clinic,|SET dp_agg\.max_groups|SELECT lower,)[^;]*;)/mg;
for my $role (map { "more_$_" } 1 .. 8)
{
	my $admitted = join "\n", map { s/analyst/$role/r } grep { /analyst/ } split /\n/, $setup;
	is(screen($superuser, $admitted) =~ /ERROR/, '', "$role is admitted");
	my $screen = screen($role, $about_visits);
	note_visits(sub { return after($screen, $about_visits, @_) }, \%truth);
}
for my $what (sort keys %visits)
{
	my @numbers = sort { $a <=> $b } grep { defined && /^-?[\d.]+$/ } @{ $visits{$what}{numbers} };
	is(scalar @numbers, 11, "all are told $what");
	near($numbers[5], @{ $visits{$what}{about} }, $what);
}

# What test/demo/start has the visitor try.
my $start = slurp_file('test/demo/start');
my ($try) = $start =~ /^#\s+(SELECT clinic.*;)$/m;
my @answers = screen('analyst', $try) =~ /^((?:east|harbour|north|south|west)\|\d+\|[\d.]+)$/mg;
is(scalar @answers, 5, 'there is budget left on the visits');
is(screen($superuser, ($start =~ /(TABLE dp_agg\.ledger;)/)[0]) =~ /ERROR/, '', 'and the administrator sees the ledger');

# The dashboard, a thousand times, and once more.
my $charts = slurp_file('test/demo/dashboard.sql');
my $refresh = slurp_file('test/demo/refresh.sql');
append_to_file("$PostgreSQL::Test::Utils::tmp_check/refreshes.sql", $charts x 1000);
my $screen = screen('dashboard', $refresh, '-v', "refreshes=$PostgreSQL::Test::Utils::tmp_check/refreshes.sql");
unlike($screen, qr/ERROR/, 'a dashboard is answered');
like(after($screen, $refresh, 'kept_max_age'), qr/^1 day$/m, 'answers are kept for a day');
my $charged = rows(after($screen, $refresh, 'AS charged'), 1);
is($charged->{clinics}[0] + $charged->{titanic}[0], 10, 'ten charges');
is($charged->{$_}[1], 999 * $charged->{$_}[0], "each chart of $_ was shown again 999 times at no cost") for qw(clinics titanic);
my $kept = after($screen, $refresh, 'FROM dp_agg.kept');
is(scalar(() = $kept =~ /^\d{4}-\d\d-\d\d\|\d+\|999\|SELECT /mg), 3, 'what the numbers are, and how old');
my $paid = spent('dashboard', 'titanic');
my @again = map { screen('dashboard', "SET client_min_messages = warning;\n$charts") } 1, 2;
unlike($again[0], qr/ERROR/, 'the dashboard is answered again');
is($again[0], $again[1], 'every refresh shows the same numbers');
is(spent('dashboard', 'titanic'), $paid, 'and costs nothing');

# Synthetic rows, at the demonstration's epsilon and at one that makes noise vanish.
my $synthetic = slurp_file('test/demo/synthetic.sql');
my $compare = slurp_file('test/demo/compare.sql');
like(screen('developer', 'SELECT * FROM titanic;'), qr/^ERROR:  permission denied/m, 'the developer may not read the table');
$screen = screen('developer', $synthetic);
unlike($screen, qr/ERROR/, 'a developer gets synthetic rows');
is(scalar(() = after($screen, $synthetic, 'LIMIT 5') =~ /^(?:1st|2nd|3rd|crew)?\|(?:(?:fe)?male)?\|(?:child|adult)?\|[tf]?$/mg),
	5, 'which look like the data, but for a NULL by noise');
my ($statements, $epsilon) = split / /, spent('developer', 'titanic');
is($statements, 2, 'for one charge, and another for a choice');
cmp_ok($epsilon, '<=', 1.1, 'which are an epsilon of 1 and one of 0.1');
cmp_ok($epsilon, '>', 0.5, 'and not nothing');
like(after($screen, $synthetic, 'dp_select_model'), qr/^(?:sex = 'female'|class = '1st'|sex = 'female' AND class <> '3rd')$/m,
	'the choice errs on at most 223 rows more than the best, but for a probability of 1e-9');
my (undef, $in_doc, $independent) = screen($superuser, $compare) =~ /^([\d.]+)\|([\d.]+)\|([\d.]+)$/m;
my ($documented, $columns_alone) = slurp_file('doc/accuracy.md') =~
  /^\| epsilon \| 0\.1 \| 0\.3 \| 0\.5 \| 1 \| 3 \|\n.*\n\| synthetic rows \|(?: [\d.]+ \|){3} ([\d.]+) .*\n\| independent[^|]*\| ([\d.]+)/m;
is("$in_doc $independent", "$documented $columns_alone", 'figures are those of doc/accuracy.md');
$node->safe_psql('demo', "DROP TABLE titanic_like; SELECT dp_agg.set_budget('developer', epsilon => 2000, delta => 1e-6, dataset => 'titanic')");
$screen = screen('developer', $synthetic =~ s/epsilon => 1\)/epsilon => 1000)/r);
my ($people, $survivors) = after($screen, $synthetic, 'AS people') =~ /^(\d+)\|(\d+)$/m;
is($people, 2201, 'without noise there are as many people');
near($survivors, 711, 30, 'and survivors, but for rounding of the few cells of tables');
my ($error) = screen($superuser, $compare) =~ /^([\d.]+)\|/m;
cmp_ok($error, '<', $independent / 2, 'and pairs of columns depend on each other as they did');

$node->stop;
done_testing();
