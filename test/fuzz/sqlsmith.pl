# Queries of sqlsmith, which knows every function and aggregate there is, run
# as the analyst and judged like those of queries.pl.
#
#	DP_FUZZ_STATEMENTS	how many, 1000 by default
#	DP_FUZZ_SEED		sqlsmith's seed
#
# Half of them are made from what the analyst can see, half from what a superuser
# can, protected tables among it.  sqlsmith only prints them; they are sent by
# the fuzzer's own client, so that everything that comes back is looked at.
# Some of PostgreSQL's aggregates are exchanged for ours on the way, and some
# queries become the FROM of a block.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use FuzzData;
use FuzzExpr qw(chance pick);
use FuzzOracle;
use FuzzRoute qw(step);

my ($sqlsmith) = grep { -x } map { "$_/sqlsmith" } split(/:/, $ENV{PATH}), '/usr/games';
plan skip_all => 'sqlsmith is not installed' unless $sqlsmith;

my $statements = $ENV{DP_FUZZ_STATEMENTS} // 1000;
my $seed = $ENV{DP_FUZZ_SEED} // int(time * 1000) % 1_000_000_000;
my $began = time;
my $tell = $ENV{DP_FUZZ_STATEMENTS} ? \&diag : \&note;
my $server = FuzzData->new('fuzz_sqlsmith', people => 500, visits => 1000, functions => 0);

# sqlsmith does not quote names.
$server->{node}->safe_psql('postgres', 'DROP TABLE "weird ""Täble"""');
my $oracle = FuzzOracle->new($server, own_error => \&is_own_error, label => "DP_FUZZ_SEED=$seed");
my $plain;
$tell->("DP_FUZZ_SEED=$seed");

# A server without the library, with the same tables and nothing in them.
sub plain_server
{
	my $node = PostgreSQL::Test::Cluster->new('fuzz_plain');
	my $dump = PostgreSQL::Test::Utils::tempdir . '/schema.sql';
	$node->init(extra => [ '--locale=C.UTF-8', '--encoding=UTF8' ]);
	$node->start;
	$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN');
	run_log([ 'pg_dump', '-s', '-f', $dump, '-d', $server->{node}->connstr('postgres') ]);
	$node->psql('postgres', undef, extra_params => [ '-f', $dump ]);
	return $node;
}

# Does PostgreSQL fail internally without the library too?
sub is_own_error
{
	my ($error, $step) = @_;
	$plain //= plain_server();
	my $session = FuzzWire->connect(host => $plain->host, port => $plain->port, user => 'analyst', database => 'postgres');
	$session->query("SET statement_timeout = '5s'");
	my $answer = $session->query($step->{sql});
	$session->close;
	return $answer->{error} && $answer->{error}{C} =~ /^XX/;
}

# So many queries made from what a role can see, at most.  Those that cast to
# polymorphic types, which no expression can have, are left out.
sub made_for
{
	my ($role, $count, $seed) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir . "/$role.sql";
	my $target = sprintf 'host=%s port=%s user=%s dbname=postgres', $server->{node}->host, $server->{node}->port, $role;
	run_log([ $sqlsmith, "--target=$target", '--dry-run', '--exclude-catalog', "--max-queries=" . 3 * $count, "--seed=$seed" ],
		'>', $file, '2>', '/dev/null') or die "sqlsmith failed\n";
	my @queries = grep { !/\bany(?:enum|range|multirange|array|element|nonarray|compatible\w*)\b|\bcstring\b/ } split /;\n/, slurp_file($file);
	return splice @queries, 0, $count;
}

# Give our aggregates a larger part than the catalogue does.
sub bent
{
	my ($sql) = @_;
	$sql =~ s/pg_catalog\.count\(/public.dp_count(/g if chance(0.6);
	$sql =~ s/pg_catalog\.(?:sum|avg|min|max)\(\s*(\w+\.\w+)\)/@{[ pick(qw(public.dp_sum public.dp_avg)) ]}($1, 0, 10)/g if chance(0.6);
	$sql =~ s/\blimit \d+\s*$// if chance(0.5);
	return "SELECT public.dp_count(*) FROM ($sql) smith" if chance(0.15) && $sql =~ /^\s*select/i;
	return $sql;
}

my $asked = 0;
srand($seed);
my $half = int($statements / 2);
my @queries = (map({ [ 'seen by the analyst', $_ ] } made_for('analyst', $half, $seed)),
	map { [ 'seen by a superuser', $_ ] } made_for(FuzzData::superuser(), $half, $seed));
for my $n (0 .. $#queries)
{
	my ($way, $query) = @{ $queries[$n] };
	if ($n % 50 == 0 || $oracle->in_failed_transaction)
	{
		$oracle->{opening} = [ "SET statement_timeout = '2s'; SET dp_agg.epsilon = 1" ];
		$oracle->begin(@{ $oracle->{opening} });
	}
	$asked++ if FuzzOracle::mentions_aggregate($query);
	my $sql = bent($query);
	$oracle->run(step($sql, 0, most => FuzzOracle::mentions_aggregate($sql) ? 1 : 0, way => $way));
}

my ($ledger, $damage, $deaths) = $oracle->finish;
$tell->($_) for $oracle->table;
is(scalar @{ $oracle->{problems} }, 0, "$oracle->{statements} statements without a problem");
is($ledger, $oracle->{charged}, 'the ledger holds what was charged');
is("@$damage", '', 'the ledger verifies');
is("@$deaths", '', 'no process died');
cmp_ok($asked, '>', $statements / 100, "$asked queries as sqlsmith made them hold our aggregates");
$tell->(sprintf '%.1f s', time - $began);
$server->{node}->stop('fast');
done_testing();
