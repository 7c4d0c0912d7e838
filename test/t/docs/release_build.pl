# The release build has no injection points: neither code nor names of them.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/..";

use FaultTest;
use PostgreSQL::Test::Utils;
use Test::More;

# Where the library under test has points, test/run says where the release is.
my $library = $ENV{DP_RELEASE} // FaultTest::library();
if (!$ENV{DP_RELEASE} && slurp_file($library) =~ /dp_injection_point/)
{
	plan skip_all => 'needs DP_RELEASE=a release build of dp_agg.so';
}
my $release = slurp_file($library);
ok($release !~ /injection/i, 'no name or string of the release build speaks of injection');
ok($release =~ /dp_budget_charge/, 'though it is this library');

# What the tests run against differs in this, where faults are tested.
if ($ENV{DP_RELEASE})
{
	ok(slurp_file(FaultTest::library()) =~ /dp_injection_point/, 'the build under test has points');
}

done_testing();
