#!/usr/bin/perl
# doc/report.sql: an auditor's page that is whole without anything else, says what the views and the
# ledger say, draws the curves that the accountant computes, and takes no name or text for markup.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use ReportTest;
use Test::More;

my $node = report_server('report');
my $superuser = getpwuid($<);

# Something in the way of who looks for PostgreSQL's own, and a database closed as it should be.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION public.to_char(timestamptz, text) RETURNS text LANGUAGE sql AS $$SELECT 'stolen'::text$$;
CREATE FUNCTION public.current_database() RETURNS name LANGUAGE sql AS $$SELECT 'stolen'::name$$;
ALTER ROLE auditor SET search_path = public, pg_catalog;
ALTER ROLE auditor SET datestyle = 'German';
ALTER ROLE auditor SET timezone = 'Asia/Tokyo';
SET client_min_messages = warning;
SELECT count(*) FROM dp_agg.harden(true);
SQL
my $state = "SELECT (SELECT md5(string_agg(b::text, chr(10) ORDER BY number)) FROM dp_agg.budget b), (SELECT max(id) FROM dp_agg.ledger)";
my $before = $node->safe_psql('postgres', $state);
my ($page, $errors) = report_of($node, 'auditor');
is($errors, '', 'an auditor makes a report, without complaint');
is($node->safe_psql('postgres', $state), $before, 'which changes nothing');
unlike($page, qr/stolen(?!&#39;)/, 'nor finds what somebody put in the way');
like((report_of($node, 'eve'))[1], qr/permission denied/, 'who is no auditor makes none');

# The same to a file, as the Makefile has it.
{
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGUSER => 'auditor', PGDATABASE => 'postgres', MAKEFLAGS => '');
	my $said = '';
	ok(IPC::Run::run([ 'make', '-s', 'report' ], '<', \undef, '>&', \$said), 'make report') or diag($said);
	is($said, '', 'which says nothing');
	my $made = slurp_file('build/report.html');
	utf8::decode($made);
	my ($cells, $wanted) = map { join "\n", /<(?:h\d|td|p|div)[^>]*>([^<]*)/g } map { s/Made at.*//r } $made, $page;
	is($cells, $wanted, 'and makes the same page');
}

# Well formed, of these elements and attributes alone, without a reference to anything outside.
my (@open, %element, %attribute, @wrong);
my ($style) = $page =~ m{<style>(.*?)</style>}s;
my $markup = $page =~ s{<style>.*?</style>}{}sr =~ s{\A<!DOCTYPE html>\n}{}r;
while ($markup =~ /\G(?:[^<>]+|<(\/?)(\w+)((?:\s+[\w-]+="[^"<>]*")*)(\/?)>|(.))/gs)
{
	push @wrong, "<> at " . pos $markup if defined $5;
	next unless defined $2;
	my ($end, $name, $attributes, $empty) = ($1, $2, $3, $4);
	$element{$name} = 1;
	$attribute{$_} = 1 for $attributes =~ /([\w-]+)="/g;
	if ($end) { push @wrong, "$name ends" if (pop @open // '') ne $name }
	elsif (!$empty && $name ne 'meta') { push @open, $name }
}
is("@wrong @open", ' ', 'elements end where they should');
is_deeply([ sort keys %element ], [ qw(b body circle div figcaption figure h1 h2 h3 head html meta p path polygon polyline rect span svg table tbody td text th thead title tr) ],
	'there are no others, scripts least of all');
is_deeply([ sort grep { !/^(?:aria-label|charset|class|colspan|content|c[xy]|d|height|lang|name|points|r|role|text-anchor|transform|viewBox|width|x|y)$/ } keys %attribute ], [], 'nor attributes that fetch or do anything');
unlike("$style $markup", qr/url\(|\@import|https?:|javascript:/i, 'nothing is fetched');
unlike($page, qr/[\x{202e}\x{1b}]/, 'no character turns others about');
unlike($page, qr/onerror="|='stolen'/, 'nor ends a quoted value');
cmp_ok(length $page, '<', 100_000, 'it is light');

# Names and texts are what they are.
sub plain
{
	my %named = (lt => '<', gt => '>', quot => '"', '#39' => "'", amp => '&');
	return $_[0] =~ s/&(lt|gt|quot|#39|amp);/$named{$1}/gr;
}
my @cells = map { plain($_) } $page =~ m{<td[^>]*>([^<]*)</td>}g;
my $hostile = hostile();
for my $name ('role', 'dataset', 'table', 'column')
{
	my $shown = $name eq 'role' || $name eq 'table' ? '"' . $hostile->{$name} =~ s/"/""/gr . '"' : $hostile->{$name};
	$shown = "public.$shown" if $name eq 'table';
	$shown = '"' . $shown =~ s/"/""/gr . '": 0 to 9' if $name eq 'column';
	ok((grep { $_ eq $shown } @cells), "the $name has the name that it has");
}
ok((grep { /\A\/\* \Q$hostile->{text}\E \*\/ SELECT dp_count\(id, 1\) FROM / } map { s/\? ?\?\[2J/\x{202e}\x{1b}[2J/r } @cells), 'and the statement its text');
ok((grep { $_ eq q(a&b"'<script>) } @cells), 'so has the contact');

# Rows of the table that has this heading.
sub rows
{
	my ($html, $heading) = @_;
	my ($body) = $html =~ m{<th>\Q$heading\E</th>.*?<tbody>(.*?)</tbody>}s or return [];
	return [ map { [ map { plain($_) } m{<td[^>]*>([^<]*)</td>}g ] } $body =~ m{<tr>(.*?)</tr>}gs ];
}

sub asked
{
	return [ map { [ split /\|/, $_, -1 ] } split /\n/, $node->safe_psql('postgres', "SET extra_float_digits = -10; SET timezone = 'UTC'; $_[0]") ];
}
my $budgets = rows($page, 'begins anew');
is_deeply([ map { [ @$_[ 0 .. 3, 5 .. 9 ] ] } grep { $_->[0] eq 'default' } @$budgets ], asked(<<'SQL'), 'budgets and the cap are those of the views');
SELECT dataset, 'all roles together (cap)', epsilon_spent, epsilon_limit, delta_limit, delta_spent, statements, refusals, '' FROM dp_agg.dataset_caps
UNION ALL SELECT dataset, role::text, epsilon_spent, epsilon_limit, delta_limit, delta_spent, statements, refusals, replays::text FROM dp_agg.budgets WHERE dataset = 'default'
SQL
is_deeply([ map { [ @$_[ 0, 1, 6, 7 ] ] } grep { $_->[1] eq 'ann' } @{ rows($page, 'question') } ], asked(<<'SQL'), 'statements are those of the ledger');
SELECT to_char(at, 'YYYY-MM-DD HH24:MI:SS'), role, CASE WHEN admitted THEN 'charged' ELSE 'refused' END, epsilon_spent FROM dp_agg.ledger WHERE role = 'ann' ORDER BY id DESC
SQL
is_deeply([ map { [ @$_[ 3 .. 5 ] ] } grep { $_->[1] eq 'ann' && $_->[4] > 0.1 } @{ rows($page, 'question') } ], [
		[ 'SELECT count(*) FROM people WHERE age > 40', 5, 0 ], [ 'SELECT city, avg(age) FROM people GROUP BY city', 0.3, '1e-09' ],
		[ 'SELECT count(*) FROM people', 0.5, 0 ] ], 'with their prices');
is_deeply([ map { $_->[2] } @{ rows($page, 'budget of') } ], [ map { $_->[0] } @{ asked('SELECT event FROM dp_agg.ledger WHERE admitted IS NULL ORDER BY id DESC') } ], 'and so are acts of administration');
is_deeply([ map { [ @$_[ 2, 3, 5 ] ] } @{ rows($page, 'remedy') } ], asked(<<'SQL'), 'exposures are those that are found');
SELECT object, channel, remedy FROM dp_agg.check_exposure() ORDER BY array_position('{critical,high,medium,low}', split_part(risk, ':', 1)), role NULLS LAST, object COLLATE "C", channel
SQL
my %record = map { @$_ } map { my ($row) = $_; [ map { plain($_) } $row =~ m{<td[^>]*>([^<]*)</td>}g ] } ($page =~ m{<h3>Data set default</h3><table class="record"><tbody>(.*?)</tbody>}s)[0] =~ m{<tr>(.*?)</tr>}gs;
is("$record{'guarantee.epsilon'} $record{'guarantee.by'} $record{'deployment.basic.name'}", '6 cap Visits <b>', 'the record is that of the data set');
my $newest = asked("SELECT encode(hash, 'hex') FROM dp_agg.ledger ORDER BY id DESC LIMIT 1")->[0][0];
like($page, qr/SHA-256 $newest/, 'the newest hash stands there to be kept');
like($page, qr{<b>holds</b>ledger, verified now}, 'the ledger was verified');

# The charts of a budget or cap.
sub charts
{
	my ($html, $heading) = @_;
	my ($card) = grep { /<h3>\Q$heading\E<\/h3>/ } split /(?=<div class="account">)/, $html;
	my @svg = $card =~ m{<figure>.*?</figure>}gs;
	return { words => $card =~ m{<p class="quiet">(.*?)</p>}, time => $svg[0], loss => $svg[1], test => $svg[2] };
}

# Points of a line, as numbers of its axes: from 44 on 268 or 178 wide, from 190 up or 12 down 178 high.
sub points
{
	my ($svg, $class, $width) = @_;
	my ($points) = $svg =~ /<polyline class="$class" points="([^"]*)"/ or return;
	return map { my ($x, $y) = split /,/; [ ($x - 44) / $width, (190 - $y) / 178 ] } split / /, $points;
}

my $ann = charts($page, 'ann on data set default');
my $releases = "(SELECT jsonb_agg(releases) FROM dp_agg.ledger WHERE role = 'ann' AND admitted)";
my ($exactly, $spent) = @{ asked("SELECT dp_accountant.pld_epsilon($releases, 1e-6), (SELECT epsilon_spent FROM dp_agg.budgets WHERE role = 'ann'::regrole)")->[0] };
is($ann->{words}, "Epsilon $spent of 2 is spent, at delta 1e-06. The 7 statements charged were, as a list fixed in advance, epsilon $exactly at that delta.", 'what was spent is told in words');

# Privacy loss: from 0 to 1.12 times the limit, from delta 1 down to 1e-12; a pixel is 0.4 % of the width.
my @loss = points($ann->{loss}, 'exact', 268);
cmp_ok(scalar @loss, '>', 15, 'there is a curve of privacy loss');
my @deltas = map { 10**(12 * $_->[1] - 12) } @loss;
my @epsilons = map { 2.24 * $_->[0] } @loss;
my $list = join ',', map { sprintf '%.15g', $_ < 1 ? $_ : 1 - 1e-9 } @deltas;
my @computed = map { $_->[0] } @{ asked("SELECT dp_accountant.pld_epsilon($releases, d) FROM unnest(ARRAY[$list]::float8[]) d") };
my @off = grep { abs($epsilons[$_] - $computed[$_]) > 0.03 && $deltas[$_] < 1e-3 } 0 .. $#loss;
is(scalar(grep { $deltas[$_] < 1e-3 && $deltas[$_] > 1e-8 } 0 .. $#loss) > 5 ? "@off" : 'few', '', 'which is that of the accountant');
my ($basic) = $ann->{loss} =~ /<path class="basic" d="M([\d.]+) 12V190"/;
near(($basic - 44) / 268 * 2.24, 0.9, 0.01, 'basic composition is the sum of prices');
cmp_ok(scalar(my @advanced = points($ann->{loss}, 'advanced', 268)), '>', 15, 'there is a curve of advanced composition');

sub near
{
	my ($got, $wanted, $off, $name) = @_;
	return ok(abs($got - $wanted) <= $off, $name) || diag("$got for $wanted");
}

# Trade-off: the region of the limit has the corner of Kairouz, Oh and Viswanath; what was released lies within it.
my %f = map { $_ => [ points($ann->{test}, $_, 178) ] } qw(exact basic advanced limit);
for my $kind (sort keys %f)
{
	my @curve = @{ $f{$kind} };
	my @turned = reverse map { [ reverse @$_ ] } @curve;
	is(scalar(grep { $curve[$_][0] < $curve[ $_ - 1 ][0] || $curve[$_][1] > $curve[ $_ - 1 ][1] } 1 .. $#curve), 0, "$kind: the more false alarms, the fewer misses");
	is(scalar(grep { abs($curve[$_][0] - $turned[$_][0]) + abs($curve[$_][1] - $turned[$_][1]) > 0.002 } 0 .. $#curve), 0, "$kind: it is its own mirror image");
	is(scalar(grep { $_->[0] + $_->[1] > 1.002 } @curve), 0, "$kind: no worse than guessing");
}

# How many misses a curve has at so many false alarms.
sub misses
{
	my ($curve, $at) = @_;
	for my $i (1 .. $#$curve)
	{
		my ($l, $r) = @$curve[ $i - 1, $i ];
		next if $r->[0] < $at || $r->[0] == $l->[0];
		return $l->[1] + ($r->[1] - $l->[1]) * ($at - $l->[0]) / ($r->[0] - $l->[0]);
	}
	return 0;
}
my %corner = (limit => 2, basic => 0.9);
near(misses($f{$_}, 1 / (1 + exp($corner{$_}))), 1 / (1 + exp($corner{$_})), 0.006, "$_: the corner is where it should be") for sort keys %corner;
for my $at (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
{
	cmp_ok(misses($f{exact}, $at), '>=', misses($f{basic}, $at) - 0.004, "what was released is within basic composition at $at");
	cmp_ok(misses($f{basic}, $at), '>=', misses($f{limit}, $at) - 0.004, "and that within the limit");
	my $true = asked("SELECT max(greatest(1 - d - exp(e) * $at, exp(-e) * (1 - d - $at))) FROM (SELECT k / 100.0::float8 FROM generate_series(1, 40) k) p (d), dp_accountant.pld_epsilon($releases, d) e")->[0][0];
	cmp_ok(misses($f{exact}, $at), '<=', $true + 0.01, "not further within than it is");
	cmp_ok(misses($f{exact}, $at), '>=', $true - 0.01, "nor less");
}
my ($limit_guess) = $ann->{test} =~ /limit: ([\d.]+) %/;
is($limit_guess, '88.08', 'a guess is as right as the accountant says');

# Over time: as high as is spent, up to the limit, and a mark for the refusal.
my $height = sprintf '%.1f', 190 - 178 / 1.12;
like($ann->{time}, qr/class="limit" d="M44.0 ${height}H312"/, 'the limit is drawn');
my ($last) = $ann->{time} =~ /class="exact" d="M44 190[^"]*V([\d.]+)H312"/;
near((190 - $last) / 178 * 2.24, $spent, 0.01, 'up to what is spent');
is(scalar(() = $ann->{time} =~ /class="mark"/g), 1, 'the refusal is marked');

# Of the cap all is drawn that it was asked; nothing of a budget of which too much is there.
my $cap = charts($page, 'all roles together (cap) on data set default');
like($cap->{words}, qr/^Epsilon $spent of 6 is spent, at delta 1e-05\. The 7 statements/, 'a cap counts from its beginning');
$node->safe_psql('postgres', "SELECT dp_agg.drop_dataset_cap('default'), dp_agg.set_dataset_cap('default', 7, 1e-5)");
answered($node, 'ann', 'SET dp_agg.epsilon = 0.02; SELECT count(*) FROM people WHERE age < 5');
my ($later) = report_of($node, 'auditor', '-v', 'listed=2');
$cap = charts($later, 'all roles together (cap) on data set default');
like($cap->{words}, qr/What was released is not drawn/, 'one that began with what was spent before does not pretend to');
unlike($cap->{loss} . $cap->{test}, qr/class="exact"/, 'and has no curve');
is(scalar @{ rows($later, 'question') }, 2, 'as many rows are listed as was said');
$ann = charts((report_of($node, 'auditor', '-v', 'longest=6'))[0], 'ann on data set default');
like($ann->{words}, qr/What was released is not drawn/, 'no more is composed than was said');
unlike($ann->{loss}, qr/class="exact"/, 'and no curve drawn then');

# A history that began anew, and texts that were not kept.
$node->safe_psql('postgres', "SELECT dp_agg.reset_budget('ann'); ALTER ROLE ann SET dp_agg.ledger_statements = off");
like(charts((report_of($node, 'auditor'))[0], 'ann on data set default')->{words}, qr/ Nothing was charged\./, 'after a reset nothing was charged');
answered($node, 'ann', 'SELECT city, dp_count(id, 1) FROM people WHERE age > 3 GROUP BY city');
($page) = report_of($node, 'auditor');
$releases = "(SELECT jsonb_agg(releases) FROM dp_agg.ledger WHERE id = (SELECT max(id) FROM dp_agg.ledger))";
$exactly = asked("SELECT dp_accountant.pld_epsilon($releases, 1e-6)")->[0][0];
like(charts($page, 'ann on data set default')->{words}, qr/ The statement charged was, as a list fixed in advance, epsilon $exactly /, 'the new history alone is composed');
is(rows($page, 'question')->[0][3], "dp_count(id, 1), private groups FROM public.people WHERE age > 3 GROUP BY city\n(the text was not kept)", 'a question stands where no text was kept');

# The greatest and least of budgets.
$node->safe_psql('postgres', <<'SQL');
SELECT dp_agg.set_budget('ann', 1.7e308, 0.5), dp_agg.set_budget('eve', 1e-9, 0), dp_agg.set_dataset_cap('default', 1.7e308, 0.9);
SQL
answered($node, 'ann', 'SELECT dp_count(id, 1e6) FROM people', 'SELECT dp_count(id, 1e-9) FROM people');
answered($node, 'eve', 'SELECT dp_count(id, 1e-9) FROM people');
($page, $errors) = report_of($node, 'auditor');
is($errors, '', 'no budget is too great or small');
like(charts($page, 'eve on data set default')->{words}, qr/spent, at delta 0\. The statement charged was, as a list fixed in advance, epsilon 1e-09 at that delta\./, 'without delta epsilons add up');
like(charts($page, "$_ on data set default")->{time}, qr/class="limit" d="M44/, "that of $_ is drawn") for 'ann', 'eve';

# A block that chooses in how many groups a unit counts is not composed; a limit that was lowered leaves the scale as high.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE visits (person int NOT NULL, clinic int);
INSERT INTO visits SELECT i % 300, i % 7 FROM generate_series(1, 3000) i;
CREATE ROLE bob LOGIN;
SET client_min_messages = error;
SELECT dp_agg.protect('visits', 'person', dataset => 'clinics', max_rows => 10, max_groups => 4);
SELECT dp_agg.set_budget('bob', 500, 1e-6, 'clinics'), dp_agg.set_budget('bob', 4, 1e-6, 'clinics');
SQL
answered($node, 'bob', 'SET dp_agg.clipping = auto; SELECT clinic, count(*) FROM visits GROUP BY clinic');
is($node->safe_psql('postgres', q(SELECT jsonb_path_exists(releases, '$[*].releases[*].chooses') FROM dp_agg.ledger ORDER BY id DESC LIMIT 1)), 't', 'there is such a block');
($page, $errors) = report_of($node, 'auditor');
is($errors, '', 'a report is made of it');
like($page, qr{</html>\s*\z}, 'to its end');
my $bob = charts($page, 'bob on data set clinics');
like($bob->{words}, qr/What was released is not drawn: .*numbers of groups were chosen/, 'what was released is not drawn');
unlike($bob->{loss} . $bob->{test}, qr/class="exact"/, 'and has no curve');
like($bob->{time}, qr{>500</text>}, 'the scale is that of the greatest limit');

# Something wrong is told.
$node->safe_psql('postgres', 'SET session_replication_role = replica; UPDATE dp_agg.ledger SET epsilon_limit = 4 WHERE id = 1');
($page) = report_of($node, 'auditor');
like($page, qr{<div class="tile bad"><b>\d+ wrong</b>ledger, verified now}, 'a ledger that was tampered with is told');
cmp_ok(scalar @{ rows($page, 'problem') }, '>', 0, 'with what is wrong');

$node->stop;
done_testing();
