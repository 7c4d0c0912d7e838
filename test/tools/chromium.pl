# The report of doc/report.sql in a browser: Chromium without a screen shows its charts, and takes
# no name or text in it for markup.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../t";
use PostgreSQL::Test::Utils;
use Test::More;

use Pixels;
use ReportTest;

my ($chromium) = grep { -x } map { ("$_/chromium", "$_/chromium-browser") } split /:/, $ENV{PATH};
$chromium or plan skip_all => 'Chromium is not installed: see test/tools/install';

my $node = report_server('shown_report');
my ($page, $errors) = report_of($node, 'auditor');
is($errors, '', 'there is a report');
my $directory = PostgreSQL::Test::Utils::tempdir();
append_to_file("$directory/report.html", do { my $bytes = $page; utf8::encode($bytes); $bytes });

# What Chromium prints when it is asked for this of the page.
sub shown
{
	my (@options) = @_;
	my ($out, $err);
	local $ENV{HOME} = $directory;
	my @command = ($chromium, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', "--user-data-dir=$directory/profile", @options, "file://$directory/report.html");
	ok(IPC::Run::run(\@command, '<', \undef, '>', \$out, '2>', \$err, IPC::Run::timeout(120)), "Chromium runs with $options[0]") or diag($err);
	utf8::decode($out);
	return $out;
}

# The page as the browser understood it.
my $understood = shown('--dump-dom');
like($understood, qr{<title>Privacy report of postgres</title>}, 'the title is ours');
my %element = map { $_ => 1 } $understood =~ /<(\w+)/g;
my %ours = map { $_ => 1 } $page =~ /<(\w+)/g;
is_deeply([ sort keys %element ], [ sort keys %ours ], 'no element is in it that we did not write');
unlike($understood, qr/<(?:script|img|i)\b/, 'nor a script');
is(scalar(() = $understood =~ /<svg/g), scalar(() = $page =~ /<svg/g), 'all charts are there');
is(scalar(() = $understood =~ /<td/g), scalar(() = $page =~ /<td/g), 'and all cells');

# The page as it looks: half as large, so that it is soon looked at.
shown("--screenshot=$directory/report.png", '--window-size=1120,1400', '--force-device-scale-factor=0.5');
my ($width, $height, %seen) = pixels("$directory/report.png");
is("$width x $height", '560 x 700', 'there is a picture');
my $all = $width * $height;
cmp_ok($seen{'255,255,255'}, '>', 0.5 * $all, 'most of which is white');
my %least = ('185,204,224' => 'what was released', '238,242,246' => 'what the limit admits');
cmp_ok($seen{$_} // 0, '>', 0.002 * $all, "$least{$_} is filled") for sort keys %least;
my $dark = 0;
for my $colour (keys %seen)
{
	my ($red, $green, $blue) = split /,/, $colour;
	$dark += $seen{$colour} if 0.3 * $red + 0.6 * $green + 0.1 * $blue < 120;
}
cmp_ok($dark, '>', 0.005 * $all, 'and there is writing');
cmp_ok($dark, '<', 0.2 * $all, 'which leaves room');

$node->stop;
done_testing();
