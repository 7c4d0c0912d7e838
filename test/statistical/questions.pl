# Fifty questions that people ask of a hospital's tables, as they write them: how far
# answers are from the truth, and how often intervals beside them hold it.
#
# Each question is asked many times as somebody without a right on the tables, and once by their owner:
# with Laplace noise and clamps as declared, and with Gaussian noise and chosen clamps, as by default, at an epsilon at which
# as many statements fit.  [[x]] in a question is what is answered: the analyst is shown x and dp_interval(x), the owner x.  <<x>> is one without an interval.  Columns before them are keys.
# Rows of both are matched by their keys; private groups may be missing.
#
# Nothing in the tables is cut by what is declared of them: so the truth is what PostgreSQL answers the
# owner, and with clamps as declared an interval of 95 % has to hold it with that probability.  Of chosen clamps
# those of means are about what the clamps leave, and are shown alone.  Cells of one answer share
# noise, so an answer counts once, by how many of its intervals hold.  Of N answers in [0, 1] with a mean of at
# least 0.95, the mean is below 0.95 - sqrt(ln(1e9) / 2 N) with a probability of at most 1e-9 (Hoeffding 1963).
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(sum0);
use Test::More;

use DpServer;

my $RUNS = $ENV{DP_QUESTION_RUNS} // 20;
my $MARK = qr/\[\[(.*?)\]\]|<<(.*?)>>/s;

my $server = DpServer->new('questions');
$server->admin(<<'SQL');
CREATE ROLE planner;
CREATE TABLE departments (name text PRIMARY KEY, building text NOT NULL);
GRANT SELECT ON departments TO tester;
INSERT INTO departments VALUES ('cardiology', 'north'), ('dermatology', 'west'), ('emergency', 'east'),
	('oncology', 'west'), ('pediatrics', 'east'), ('surgery', 'north');
CREATE TABLE patients (id int PRIMARY KEY, sex text NOT NULL, age int NOT NULL, city text NOT NULL, arm text NOT NULL,
	joined date NOT NULL, score float8 NOT NULL);
CREATE TABLE visits (patient int NOT NULL REFERENCES patients, at timestamp NOT NULL, department text NOT NULL,
	cost numeric(8,2) NOT NULL, minutes int NOT NULL, returned boolean NOT NULL, step int NOT NULL);
SELECT setseed(0.5);
INSERT INTO patients SELECT i, (ARRAY['f', 'm'])[1 + (random() < 0.45)::int], (18 + 80 * random() ^ 1.5)::int,
	(ARRAY['Aachen', 'Bonn', 'Celle', 'Dresden', 'Erfurt'])[ceil(5 * random() ^ 1.6)], (ARRAY['A', 'B'])[1 + i % 2],
	date '2024-01-01' + (700 * random())::int, 0
FROM generate_series(1, 5000) i;
UPDATE patients SET score = 20 + 0.4 * age + 20 * random() + 10 * (arm = 'B')::int;
INSERT INTO visits SELECT id, timestamp '2024-01-01' + interval '1 second' * floor(63158399 * random() ^ 0.8),
	(ARRAY['emergency', 'surgery', 'cardiology', 'pediatrics', 'oncology', 'dermatology'])[ceil(6 * random() ^ 1.4)],
	(20 + 1980 * random() ^ 6)::numeric(8,2), (5 + 115 * random() ^ 2)::int, random() < 0.2, ceil(4 * random() ^ 2)
FROM patients, LATERAL generate_series(1, 1 + (5 * random() ^ 2)::int + 0 * id);
ANALYZE;
SELECT dp_agg.protect('patients', 'id'), dp_agg.protect('visits', 'patient', max_rows => 6, max_groups => 6),
	dp_agg.set_domain('patients', 'age', 18, 98), dp_agg.set_domain('patients', 'score', 0, 100),
	dp_agg.set_domain('patients', 'sex', ARRAY['f', 'm']), dp_agg.set_domain('patients', 'arm', ARRAY['A', 'B']),
	dp_agg.set_domain('patients', 'joined', '2024-01-01', '2025-12-31'),
	dp_agg.set_domain('visits', 'at', '2024-01-01', '2025-12-31 23:59:59'), dp_agg.set_domain('visits', 'cost', 0, 2000),
	dp_agg.set_domain('visits', 'minutes', 0, 120), dp_agg.set_domain('visits', 'step', 1, 4),
	dp_agg.set_domain('visits', 'department', refers_to => 'departments.name');
SQL

my @questions;
for my $text (split /^@ /m, join '', <DATA>)
{
	push @questions, { name => $1, sql => $2 } if $text =~ /^(.+?)\n(.*?)\s*\z/s;
}

# A question as the owner asks it.
sub exact
{
	my ($sql) = @_;
	return $sql =~ s/$MARK/$1 \/\/ $2/ger;
}

# A question as the analyst asks it: with an interval beside each marked value.
sub with_intervals
{
	my ($sql) = @_;
	my $column = 0;
	return $sql =~ s/$MARK(\s+AS (\w+))?/
		my ($with, $without, $as) = ($1, $2, $3 \/\/ '');
		defined $with ? "$with$as, dp_interval($with) AS interval_" . ++$column : "$without$as"/ger;
}

# Rows by their keys: of each the values, and of the analyst's the intervals.
sub by_key
{
	my ($question, $rows, $noisy) = @_;
	my @marks;
	push @marks, defined $1 while $question->{sql} =~ /$MARK/g;
	my %rows;
	for my $row (@$rows)
	{
		my @row = @$row;
		my @tail = splice @row, @row - @marks - ($noisy ? grep { $_ } @marks : 0);
		$rows{ join '|', @row } = [ map { { value => shift @tail, interval => $noisy && $_ ? shift @tail : undef } } @marks ];
	}
	return \%rows;
}

# Whether a range holds a number.
sub holds
{
	my ($range, $truth) = @_;
	my ($low, $high) = $range =~ /^"?[\[(]([^,]*),([^\])]*)[\])]"?$/ or return 0;
	return ($low eq '' || $truth >= $low - 1e-9 * abs $low) && ($high eq '' || $truth <= $high + 1e-9 * abs $high);
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	return @sorted ? $sorted[ $#sorted / 2 ] : undef;
}

# Half of the width of an interval by the truth; undef where an end is open.
sub half_width
{
	my ($range, $truth) = @_;
	return $truth != 0 && $range =~ /^[\[(]([^,]+),([^\])]+)[\])]$/ ? ($2 - $1) / 2 / abs $truth : undef;
}

# What is found of one answer beside the truth.
sub compare
{
	my ($found, $truth, $answer) = @_;
	my ($held, $intervals) = (0, 0);
	for my $key (keys %$answer)
	{
		my $true = $truth->{$key} or next;
		for my $i (0 .. $#$true)
		{
			my ($value, $range) = @{ $answer->{$key}[$i] }{qw(value interval)};
			my $exact = $true->[$i]{value};
			next if $exact eq '' || $value eq '';
			push @{ $found->{errors} }, abs($value - $exact) / abs $exact if $exact != 0;
			next if !defined $range;
			$intervals++;
			$held++ if holds($range, $exact);
			push @{ $found->{widths} }, grep { defined } half_width($range, $exact);
		}
	}
	push @{ $found->{held} }, $held / $intervals if $intervals;
	return;
}

# What is found of the answers to a question under some settings; undef if it was refused.
sub found
{
	my ($question, $truth, $settings) = @_;
	my %found = (errors => [], widths => [], held => []);
	eval {
		my @rows = $server->ask("SET client_min_messages = error;\n" . DpServer::set_commands($settings) .
			  join "\\echo ----\n", (with_intervals($question->{sql}) . ";\n") x $RUNS);
		my @answers = ([]);
		for my $row (@rows)
		{
			if ("@$row" eq '----') { push @answers, [] }
			else { push @{ $answers[-1] }, $row }
		}
		compare(\%found, $truth, by_key($question, $_, 1)) for @answers;
		1;
	} or diag(substr $@, 0, 400);
	return $@ ? undef : \%found;
}

# A share of a hundred, as people read it.
sub percent
{
	my ($share) = @_;
	return defined $share ? sprintf '%.*f %%', $share < 0.1 ? 1 : 0, 100 * $share : '-';
}

sub mean
{
	return @_ ? sum0(@_) / @_ : undef;
}

# Both settings at a delta that a budget of 1e-6 has chosen, and at epsilons at which as many counts fit a budget of 2.
$server->admin("SELECT dp_agg.set_budget('planner', epsilon => 2, delta => 1e-6)");
my $fit = $server->admin("SELECT dp_agg.remaining('planner', 'default', 0.1, 'laplace')");
my $sharper = $server->admin("SET client_min_messages = warning; SELECT dp_agg.plan('planner', 'default', $fit, 'gaussian')");
my @settings = ({ delta => 1e-10, epsilon => 0.1, mechanism => 'laplace', clipping => 'fixed' }, { delta => 1e-10, epsilon => $sharper, mechanism => 'gaussian', clipping => 'auto' });

my @coverage;
note("$fit statements fit a budget of epsilon 2 and delta 1e-6: Laplace noise at 0.1 each and fixed clamps, or Gaussian noise at $sharper and chosen ones");
note(sprintf '%-60s %26s %26s', 'question', 'fixed: error, interval, holds', 'defaults');
for my $question (@questions)
{
	my $exact = exact($question->{sql});
	my $truth = by_key($question, [ map { [ split /\|/, $_, -1 ] } split /\n/, $server->admin($exact) ], 0);
	my @found = grep { defined } map { found($question, $truth, $_) } @settings;
	is(scalar @found, scalar @settings, $question->{name}) or next;
	push @coverage, @{ $found[0]{held} };
	note(join ' ', sprintf('%-60s', $question->{name}), map {
		sprintf '%8s %8s %8s', percent(median(@{ $_->{errors} })), percent(median(@{ $_->{widths} })), percent(mean(@{ $_->{held} })) } @found);
}
my $least = 0.95 - sqrt(log(1e9) / 2 / @coverage);
cmp_ok(mean(@coverage), '>=', $least, sprintf 'of %d answers with intervals %.1f %% of these hold the truth', scalar @coverage, 100 * mean(@coverage));

$server->finish;
done_testing();

__DATA__
@ How many patients are there?
SELECT [[count(*)]] FROM patients
@ How many visits were there?
SELECT [[count(*)]] FROM visits
@ How many visits had each department?
SELECT department, [[count(*)]] FROM visits GROUP BY department
@ What does a visit cost, by department?
SELECT department, [[avg(cost)]] FROM visits GROUP BY department
@ What did each department cost?
SELECT department, [[sum(cost)]] FROM visits GROUP BY department
@ Visits by month
SELECT date_trunc('month', at)::date AS month, [[count(*)]] FROM visits GROUP BY 1 ORDER BY 1
@ Costs by quarter
SELECT date_trunc('quarter', at)::date AS quarter, [[sum(cost)]] FROM visits GROUP BY 1 ORDER BY 1
@ Visits: change from year to year
SELECT extract(year FROM at) AS year, [[count(*) - lag(count(*)) OVER (ORDER BY extract(year FROM at))]] FROM visits GROUP BY 1 ORDER BY 1
@ Costs: growth from year to year, percent
SELECT extract(year FROM at) AS year, [[100.0 * sum(cost) / lag(sum(cost)) OVER (ORDER BY extract(year FROM at)) - 100]] FROM visits GROUP BY 1 ORDER BY 1
@ The three departments with most visits
SELECT department, [[count(*)]] FROM visits GROUP BY department ORDER BY 2 DESC LIMIT 3
@ Share of visits of each department, percent
SELECT department, [[100.0 * count(*) / sum(count(*)) OVER ()]] FROM visits GROUP BY department
@ Share of visits that came back, percent, by department
SELECT department, [[100.0 * count(*) FILTER (WHERE returned) / count(*)]] FROM visits GROUP BY department
@ A funnel: visits that reached each step
SELECT [[count(*) FILTER (WHERE step >= 1)]], [[count(*) FILTER (WHERE step >= 2)]], [[count(*) FILTER (WHERE step >= 3)]], [[count(*) FILTER (WHERE step >= 4)]] FROM visits
@ A funnel: from the second step to the third
SELECT [[count(*) FILTER (WHERE step >= 3)::numeric / count(*) FILTER (WHERE step >= 2)]] FROM visits
@ Patients by city
SELECT city, [[count(*)]] FROM patients GROUP BY city
@ Patients by age band
SELECT age / 10 * 10 AS age_from, [[count(*)]] FROM patients GROUP BY 1 ORDER BY 1
@ Mean age by sex
SELECT sex, [[avg(age)]] FROM patients GROUP BY sex
@ Median age
SELECT <<percentile_cont(0.5) WITHIN GROUP (ORDER BY age)>> FROM patients
@ How long do nine of ten visits take at most?
SELECT <<percentile_cont(0.9) WITHIN GROUP (ORDER BY minutes)>> FROM visits
@ A/B: difference of mean scores
SELECT [[avg(score) FILTER (WHERE arm = 'B') - avg(score) FILTER (WHERE arm = 'A')]] FROM patients
@ A/B: mean score of each arm
SELECT arm, [[avg(score)]], [[count(*)]] FROM patients GROUP BY arm
@ Moving average of visits over three months
SELECT date_trunc('month', at)::date AS month, <<avg(count(*)) OVER (ORDER BY date_trunc('month', at)::date ROWS 2 PRECEDING)>> FROM visits GROUP BY 1 ORDER BY 1
@ Costs of a visit
SELECT [[sum(cost) / count(*)]] FROM visits
@ Pivot: visits that came back and that did not, by department
SELECT department, [[count(*) FILTER (WHERE returned)]], [[count(*) FILTER (WHERE NOT returned)]] FROM visits GROUP BY department
@ Patients by sex and city
SELECT sex, city, [[count(*)]] FROM patients GROUP BY sex, city
@ Cohorts: patients by the quarter they joined in
SELECT date_trunc('quarter', joined)::date AS cohort, [[count(*)]] FROM patients GROUP BY 1 ORDER BY 1
@ Cohorts: visits by the year their patient joined in
SELECT extract(year FROM p.joined) AS cohort, [[count(*)]] FROM visits v JOIN patients p ON p.id = v.patient GROUP BY 1 ORDER BY 1
@ Visits of a patient, on average
SELECT [[avg(n)]] FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) v
@ Patients by number of visits
SELECT n, [[count(*)]] FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) v GROUP BY n ORDER BY n
@ How much do costs vary, by department?
SELECT department, [[stddev(cost)]] FROM visits GROUP BY department
@ Is a score tied to age?
SELECT [[corr(score, age)]] FROM patients
@ By how much does a score rise with a year of age?
SELECT [[regr_slope(score, age)]] FROM patients
@ The longest visit
SELECT <<max(minutes)>> FROM visits
@ Patients of each department
SELECT department, [[count(DISTINCT patient)]] FROM visits GROUP BY department
@ Costs by building
SELECT d.building, [[sum(v.cost)]] FROM visits v JOIN departments d ON d.name = v.department GROUP BY d.building
@ Visits in the north building since 2025
SELECT [[count(*)]] FROM visits v JOIN departments d ON d.name = v.department WHERE d.building = 'north' AND v.at >= '2025-01-01'
@ Visits by hour of the day
SELECT extract(hour FROM at) AS hour, [[count(*)]] FROM visits GROUP BY 1 ORDER BY 1
@ Visits by day of the week
SELECT extract(isodow FROM at) AS day, [[count(*)]] FROM visits GROUP BY 1 ORDER BY 1
@ Share of visits at weekends, percent
SELECT [[100.0 * count(*) FILTER (WHERE extract(isodow FROM at) > 5) / count(*)]] FROM visits
@ Share of visits of more than an hour
SELECT [[avg((minutes > 60)::int)]] FROM visits
@ Visits so far, by month
SELECT date_trunc('month', at)::date AS month, <<sum(count(*)) OVER (ORDER BY date_trunc('month', at)::date)>> FROM visits GROUP BY 1 ORDER BY 1
@ Departments by rank
SELECT department, <<rank() OVER (ORDER BY count(*) DESC)>>, [[count(*)]] FROM visits GROUP BY department
@ Cities with more than 500 patients
SELECT city, [[count(*)]] FROM patients GROUP BY city HAVING count(*) > 500
@ Visits by what they cost
SELECT CASE WHEN cost < 100 THEN 'cheap' WHEN cost < 1000 THEN 'usual' ELSE 'dear' END AS band, [[count(*)]] FROM visits GROUP BY 1
@ Visits by department, with a total
SELECT coalesce(department, 'all'), [[count(*)]] FROM visits GROUP BY ROLLUP (department)
@ How much dearer is surgery than cardiology?
SELECT [[avg(cost) FILTER (WHERE department = 'surgery') - avg(cost) FILTER (WHERE department = 'cardiology')]] FROM visits
@ What does a minute cost, by department?
SELECT department, [[sum(cost) / sum(minutes)]] FROM visits GROUP BY department
@ Share of patients above 65, percent, by sex
SELECT sex, [[100.0 * count(*) FILTER (WHERE age > 65) / count(*)]] FROM patients GROUP BY sex
@ Patients who are older than the mean
SELECT <<count(*)>> FROM patients WHERE age > (SELECT avg(age) FROM patients)
@ The mean cost of an emergency, beside all
SELECT [[avg(cost) FILTER (WHERE department = 'emergency')]], [[avg(cost)]] FROM visits
