# dp_randomize and dp_randomized_estimate through SQL: the probabilities that make
# it epsilon-differentially private, and estimates as good as they say.
#
# Probabilities are compared with exact intervals; each comparison fails a
# correct server with probability at most 1e-10.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Test::More;

use DpBounds qw(binomial_interval binomial_tail);
use DpServer;

my $alpha = 1e-10 / 2;
my $draws = 200_000;
my $server = DpServer->new('randomize');

# How often each value is told by people who all have the same.
sub told
{
	my ($value, $domain, $epsilon) = @_;
	my $call = $domain eq 'boolean' ? "dp_randomize($value, $epsilon)"
	  : "dp_randomize('$value', '$domain', $epsilon)";
	return map { $_->[0] => $_->[1] }
	  $server->ask("SELECT told, count(*) FROM (SELECT $call AS told FROM generate_series(1, $draws)) s GROUP BY told");
}

# Is the probability of a value what it should be, and not that of half or
# twice the epsilon?
sub check_probability
{
	my ($count, $exact, $wrong, $name) = @_;
	my ($low, $high) = binomial_interval($count, $draws, $alpha);
	ok($low <= $exact && $exact <= $high, $name) or diag("[$low, $high] has no $exact");
	ok($_ < $low || $_ > $high, "$name, and not another epsilon's") for @$wrong;
	return;
}

for my $case ([ 'boolean', 2, 't', 'f' ], [ '{a,b,c,d}', 4, 'a', 'd' ])
{
	my ($domain, $k, $value, $other) = @$case;
	for my $epsilon (0.5, 1, 3)
	{
		my $truth = sub { exp($_[0]) / (exp($_[0]) + $k - 1) };
		my $lie = sub { 1 / (exp($_[0]) + $k - 1) };
		my @others = (0.5 * $epsilon, 2 * $epsilon);
		my $written = $domain eq 'boolean' ? 'true' : $value;
		my %told = told($written, $domain, $epsilon);
		check_probability($told{$value}, $truth->($epsilon), [ map { $truth->($_) } @others ],
			"truth of $k values at epsilon $epsilon");
		check_probability($told{$other}, $lie->($epsilon), [ map { $lie->($_) } @others ],
			"a lie of $k values at epsilon $epsilon");
	}
}

# 1,000 surveys of 1,000 people: how the estimates err, beside what they say.
# Their mean of squares is that of 1,000 sums of 1,000 independent terms, so near
# to normal that 8 standard errors are exceeded with probability below 1e-10.
$server->admin(<<'SQL');
CREATE FUNCTION survey(epsilon float8) RETURNS SETOF dp_agg.randomized_estimate LANGUAGE sql VOLATILE AS $$
SELECT e.* FROM (SELECT dp_randomized_estimate(dp_randomize(substr('aaabbbcccc', i % 10 + 1, 1), '{a,b,c,d}', epsilon),
	'{a,b,c,d}', epsilon) FROM generate_series(1, 1000) i) s (estimates), unnest(estimates) e
$$;
SQL
for my $epsilon (0.5, 2)
{
	for my $row ($server->ask(<<"SQL"))
SELECT value, avg(z), avg(z * z), avg(standard_error) FROM
	(SELECT value, (proportion - CASE value WHEN 'c' THEN 0.4 WHEN 'd' THEN 0 ELSE 0.3 END) / standard_error AS z, standard_error
	FROM generate_series(1, 1000) i, LATERAL (SELECT * FROM survey($epsilon + 0 * i)) s) e GROUP BY value ORDER BY value
SQL
	{
		my ($value, $mean, $square, $error) = @$row;
		cmp_ok(abs($mean), '<', 8 / sqrt(1000), "estimates of $value are unbiased at epsilon $epsilon");
		cmp_ok(abs($square - 1), '<', 8 * sqrt(2 / 1000), sprintf('and err as they say: %.4f of standard error %.4f in theory', $error * sqrt $square, $error));
	}
}

done_testing();
