# A server with a neighbour: three databases, "one" and "two" the same, "odd" with one person more, who
# has very many rows; and an analyst, ann, who has a budget and no right to read.
#
# The server is made once, with dp_agg or without it, and brought back to that for each neighbour.
package NeighbourServer;

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @DATABASES = qw(one two odd);

# The tables, as their owner makes them, and what the analyst has of her own.
my $TABLES = <<'SQL';
SET client_min_messages = warning;
CREATE SCHEMA clinic AUTHORIZATION olga;
CREATE SCHEMA ann AUTHORIZATION ann;
GRANT USAGE ON SCHEMA clinic TO PUBLIC;
SET ROLE olga;
SET search_path = clinic;
CREATE TABLE people (id int PRIMARY KEY, city text, age int NOT NULL, smoker boolean NOT NULL, note text);
CREATE INDEX ON people (age);
CREATE TABLE visits (person int NOT NULL, clinic text NOT NULL, day date, minutes int NOT NULL, note text);
CREATE INDEX ON visits (person);
CREATE TABLE parts (person int NOT NULL, day date NOT NULL, cost int NOT NULL) PARTITION BY RANGE (day);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE parts_2 PARTITION OF parts DEFAULT;
CREATE TABLE doctors (clinic text PRIMARY KEY, town text, beds int);
CREATE TABLE big AS SELECT g FROM generate_series(1, 20000) g;
CREATE VIEW grown AS SELECT id, city, age FROM people WHERE age >= 25;
INSERT INTO people SELECT i, (ARRAY['Aachen', 'Bremen', 'Celle'])[i % 3 + 1], 20 + i % 60, i % 2 = 0, 'p' || i FROM generate_series(1, 1000) i;
INSERT INTO visits SELECT i % 1000 + 1, 'clinic ' || i % 4, date '2020-01-01' + i % 365, 5 + i % 50, 'v' || i FROM generate_series(1, 3000) i;
INSERT INTO parts SELECT i % 500 + 1, date '2020-01-01' + i % 700, i % 100 FROM generate_series(1, 1500) i;
INSERT INTO doctors SELECT 'clinic ' || i, 'town ' || i % 2, 10 * i + 10 FROM generate_series(0, 3) i;
GRANT SELECT ON doctors, big TO PUBLIC;
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
	IF NEW.minutes > 1000 THEN
		NEW.note := NEW.note || 1;
	END IF;
	RETURN NEW;
END';
CREATE TRIGGER noted BEFORE INSERT ON visits FOR EACH ROW EXECUTE FUNCTION noted();
RESET ROLE;
RESET search_path;
SQL
my $POLICY = <<'SQL';
CREATE EXTENSION dp_agg;
SELECT dp_agg.set_budget('ann', 1e12, 1e-3);
GRANT EXECUTE ON FUNCTION dp_agg.protect TO olga;
SET ROLE olga;
SET search_path = clinic;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 4, max_groups => 2), dp_agg.protect('parts', 'person', max_rows => 4, max_groups => 2);
SELECT dp_agg.set_domain('people', 'age', 0, 100), dp_agg.set_domain('visits', 'minutes', 0, 100), dp_agg.set_domain('parts', 'cost', 0, 100);
SET ROLE ann;
SET search_path = ann, clinic;
CREATE FUNCTION asks() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM people); END';
CREATE FUNCTION asks_of(a int) RETURNS bigint LANGUAGE plpgsql AS 'DECLARE n bigint; BEGIN SELECT count(*) INTO n FROM people WHERE age > a; RETURN n; END';
CREATE FUNCTION sql_asks() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM clinic.people';
CREATE FUNCTION asks_rows() RETURNS SETOF bigint LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT count(*) FROM people; END';
CREATE FUNCTION by_cursor() RETURNS bigint LANGUAGE plpgsql AS 'DECLARE c CURSOR FOR SELECT count(*) AS n FROM people; r record; BEGIN FOR r IN c LOOP RETURN r.n; END LOOP; END';
CREATE FUNCTION opens(c refcursor) RETURNS refcursor LANGUAGE plpgsql AS 'BEGIN OPEN c FOR SELECT count(*) AS noisy FROM people; RETURN c; END';
RESET ROLE;
SQL

# What sets the odd database apart.
my $PERSON = <<'SQL';
INSERT INTO clinic.people VALUES (5000, 'Zwiesel', 0, true, (SELECT string_agg('p' || i, '_') FROM generate_series(1, 100000) i));
INSERT INTO clinic.visits SELECT 5000, CASE WHEN i % 2 = 0 THEN 'clinic ' || i % 4 ELSE 'Zwiesel ' || i % 300 END, date '2030-01-01' + i, 2000000 + i, 'v' || i FROM generate_series(1, 20000) i;
INSERT INTO clinic.parts SELECT 5000, date '2030-01-01' + i, 2000000 + i FROM generate_series(1, 5000) i;
SQL

# What the owner goes on doing: the more rows a person has, the more there is to do.
our $OWNER = <<'SQL';
SET search_path = clinic;
INSERT INTO visits SELECT person, 'clinic 1', day, minutes, 'new' FROM visits WHERE person > 990;
UPDATE people SET age = age WHERE id > 990;
SELECT count(*) FROM people p JOIN visits v ON v.person = p.id WHERE p.city = 'Zwiesel';
SELECT count(*) FROM visits WHERE minutes > 1000;
DELETE FROM visits WHERE note LIKE 'new%';
SQL

# Make a server, with dp_agg or without, and keep what it is at first.
sub new
{
	my ($class, $with) = @_;
	my $name = $with ? 'beside' : 'by_itself';
	my $node = PostgreSQL::Test::Cluster->new($name);
	my $self = bless { node => $node, with => $with, kept => PostgreSQL::Test::Utils::tempdir() . "/$name" }, $class;
	$node->init;
	$node->append_conf('postgresql.conf', <<'CONF');
max_worker_processes = 32
max_prepared_transactions = 5
autovacuum = off
checkpoint_timeout = 1h
jit = off
restart_after_crash = on
shared_buffers = 32MB
log_statement = none
log_min_messages = log
log_min_error_statement = panic
dp_agg.keeper_idle_timeout = 50ms
CONF
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '@{[ $with ? 'dp_agg' : '' ]}'\n");
	$node->start;
	$node->safe_psql('postgres', 'CREATE ROLE olga LOGIN; CREATE ROLE ann LOGIN');
	$node->safe_psql('postgres', 'CREATE DATABASE one');
	$node->safe_psql('one', $TABLES . ($with ? $POLICY : ''));
	for my $database (@DATABASES)
	{
		$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE one") if $database ne 'one';
		$node->safe_psql('postgres', "ALTER DATABASE $database SET search_path = ann, clinic, public");
		$node->safe_psql($database, 'SELECT dp_agg.acknowledge_copy()') if $with && $database ne 'one';
		$node->safe_psql($database, $PERSON) if $database eq 'odd';
		$node->safe_psql($database, 'VACUUM (FREEZE, ANALYZE)');
	}
	$node->stop;
	system_or_bail('cp', '-a', $node->data_dir, $self->{kept});
	return $self;
}

# Bring it back to what it was at first, and start it with libraries and settings; returns what
# kept it from starting, if anything did.
sub restart_with
{
	my ($self, $libraries, $conf) = @_;
	my $node = $self->{node};
	$self->stop;
	system_or_bail('rm', '-rf', $node->data_dir);
	system_or_bail('cp', '-a', $self->{kept}, $node->data_dir);
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '" . join(',', @$libraries) . "'\n" . ($conf // ''));
	$self->{log_from} = -s $node->logfile || 0;
	$node->start(fail_ok => 1) and return '';
	return $self->log_lines(qr/FATAL|ERROR|could not|PANIC/) || 'it does not start';
}

# Stop it, whatever state it is in.
sub stop
{
	my ($self) = @_;
	my $node = $self->{node};
	return if !defined $node->{_pid} && !-e $node->data_dir . '/postmaster.pid';
	system('pg_ctl', '-s', '-m', 'immediate', '-D', $node->data_dir, 'stop');
	$node->{_pid} = undef;
	return;
}

# Lines of the log since the server was brought back that match.
sub log_lines
{
	my ($self, $what) = @_;
	return join "\n", grep { /$what/ } split /\n/, substr slurp_file($self->{node}->logfile), $self->{log_from};
}

# Processes that ended by a signal, and assertions that failed.
sub crashes
{
	my ($self) = @_;
	return $self->log_lines(qr/terminated by signal|TRAP:|PANIC:|terminated by exception/);
}

# Run a script of psql's as a role; returns all that it shows, and whether it came to its end.
sub run
{
	my ($self, $database, $role, $script, %options) = @_;
	my $file = "$PostgreSQL::Test::Utils::tmp_check/neighbour.sql";
	open my $out, '>', $file or die "could not write $file: $!";
	print $out $script, "\n\\echo that was all\n";
	close $out or die "could not write $file: $!";
	my $shown = '';
	my $began = time;
	my $harness = IPC::Run::start(
		[ $self->{node}->installed_command('psql'), '-XA', @{ $options{psql} // [] }, '-U', $role, '-d', $self->{node}->connstr($database), '-f', $file ],
		'<', \undef, '>&', \$shown, IPC::Run::timer($options{seconds} // 120));
	my $late = !eval { $harness->finish if pumped($harness); 1 };
	$harness->kill_kill if $late;
	$self->{late} = $late;
	my $whole = $shown =~ s/^that was all\n\z//m;
	return wantarray ? ($shown, $whole) : $shown;
}

# Wait for a program to end; dies if it takes too long.
sub pumped
{
	my ($harness) = @_;
	while ($harness->pumpable)
	{
		die "late\n" if $harness->{TIMERS} && grep { $_->is_expired } @{ $harness->{TIMERS} };
		$harness->pump;
	}
	return 1;
}

# SQL of the superuser's; returns what it says of errors.
sub admin
{
	my ($self, $database, $sql) = @_;
	my ($ret, $out, $err) = $self->{node}->psql($database, $sql, timeout => 300, timed_out => \my $late);
	return $late ? ('', 'ERROR:  not done in 300 s', 3) : ($out, $err // '', $ret);
}

# Wait until the server takes connections again, after a crash.
sub wait_until_up
{
	my ($self) = @_;
	for (1 .. 300)
	{
		return 1 if ($self->{node}->psql('postgres', 'SELECT 1'))[0] == 0;
		select undef, undef, undef, 0.1;
	}
	return 0;
}

1;
