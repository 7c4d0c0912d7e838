# A server with dp_agg for the statistical tests, and many draws from it.
#
# The administrator is the superuser; every question is asked by the role
# "tester", which owns nothing and has no right on any protected table.
package DpServer;

use strict;
use warnings;

use POSIX qw(ceil);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time);

# Arms of one UNION ALL: they share one charge and draw independently.
use constant ARMS => 16;

# Start a server called as the program that asks for it.
sub new
{
	my ($class, $name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'dp_agg'
autovacuum = off
max_wal_size = 4GB
CONF
	$node->start;
	my $self = bless { node => $node, begun => time }, $class;
	$self->admin('CREATE EXTENSION dp_agg; CREATE ROLE tester LOGIN');
	$self->reset;
	return $self;
}

# Statements of the administrator; returns their output.
sub admin
{
	my ($self, $sql) = @_;
	return $self->{node}->safe_psql('postgres', $sql);
}

# Statements of the tester; returns the rows of their output as array
# references.  Dies on any error.
sub ask
{
	my ($self, $sql) = @_;
	my ($out, $err);
	my $status = $self->{node}->psql(
		'postgres', $sql,
		stdout => \$out,
		stderr => \$err,
		on_error_stop => 1,
		extra_params => [ '-U', 'tester' ]);
	die "tester's statements failed: $err\n$sql" if $status != 0;
	return map { [ split /\|/, $_, -1 ] } split /\n/, $out;
}

# Give the tester a budget nothing spends, with nothing spent.
sub reset
{
	my ($self) = @_;
	$self->admin(<<'SQL');
DELETE FROM dp_agg.ledger;
SELECT dp_agg.set_budget('tester', epsilon => 1e12, delta => 0.9);
SELECT dp_agg.reset_budget('tester');
SQL
	return;
}

# What the tester has spent since then: pure epsilon, delta of private groups,
# statements, and the Renyi divergences at the lowest and the highest order.
sub spent
{
	my ($self) = @_;
	my ($row) = split /\n/, $self->admin(<<'SQL');
SELECT pure_spent, delta_spent, statements, rdp_spent[1], rdp_spent[array_upper(rdp_spent, 1)]
FROM dp_agg.budget WHERE role = 'tester'::regrole
SQL
	my %spent;
	@spent{qw(pure delta statements rdp_low rdp_high)} = split /\|/, $row;
	return \%spent;
}

# SET commands for a hash of settings.
sub set_commands
{
	my ($settings) = @_;
	return join '', map { "SET dp_agg.$_ = '$settings->{$_}';\n" } sort keys %$settings;
}

# The price of a query, means being of one row: one hash a line.
sub price
{
	my ($self, $query, $settings) = @_;
	my @names = qw(aggregate mechanism epsilon delta noise_stddev half_width_95);
	return map { my %line; @line{@names} = @$_; \%line } $self->ask(
		set_commands($settings) . sprintf 'SELECT %s FROM dp_agg.price($price$%s$price$, rows => 1)',
		join(', ', @names), $query);
}

# The threshold of private groups that EXPLAIN shows for a query, in units.
sub threshold
{
	my ($self, $query, $settings) = @_;
	my $plan = join "\n", map { $_->[0] } $self->ask(set_commands($settings) . "EXPLAIN $query");
	$plan =~ /, threshold ([0-9.e+]+)$/m or die "no threshold in:\n$plan";
	return $1;
}

# At least `count` draws of a query that returns one number; with several
# queries, as many of each, as several array references.  All are drawn in one
# session; `arms` releases share a statement.
sub draws
{
	my ($self, $settings, $count, $arms, @queries) = @_;
	$arms //= ARMS;
	my $script = set_commands($settings) .
	  "SET client_min_messages = error;\nCREATE TEMP TABLE draw (query int, value float8);\n";
	for my $i (0 .. $#queries)
	{
		my $union = join "\nUNION ALL\n", ("SELECT $i, ($queries[$i])::float8") x $arms;
		$script .= sprintf <<'SQL', ceil($count / $arms), $union;
DO $do$
#variable_conflict use_column
BEGIN
	FOR round IN 1 .. %d LOOP
		INSERT INTO draw %s;
	END LOOP;
END $do$;
SQL
	}
	$script .= "SELECT query, coalesce(value, '-Infinity') FROM draw;\n";
	my @draws = map { [] } @queries;
	push @{ $draws[ $_->[0] ] }, $_->[1] =~ /^-?Inf/ ? $_->[1] + 0 : $_->[1] for $self->ask($script);
	return @draws;
}

# Stop, and say how long it took.
sub finish
{
	my ($self) = @_;
	$self->{node}->stop('immediate');
	Test::More::note(sprintf '%.1f s', time - $self->{begun});
	return;
}

1;
