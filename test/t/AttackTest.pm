# What the attacks share: three databases that are the same but for one person,
# sessions of roles in each, and a runner that fails an attack if anything an
# analyst is shown differs between them, but for noise that was paid for.
#
#   nobody    has no such person
#   somebody  has one like all others
#   somewhat  of an outlier is the third: alone in her group, with values that
#             make expressions fail, and most of the rows
#
# An attack is a few statements of psql's.  A program lists many, as text:
#
#   @ name | charges | errors
#   statements ...
#   > session
#   statements ...
#
# `charges` is how many statements have to be charged, to whomever; "2+1" says
# that one more was refused for want of budget, "*" that it is enough if all
# databases agree; `errors` lists the SQLSTATEs that have to be seen, in order, as
# a regular expression.  Sessions are named like the role, with digits appended for
# further ones; an attack begins in ann's.
#
#   > session &
#   ~ expression
#
# The first does not wait for what the session does: its next step does, or the end.
# The second is a regular expression that some of the output has to match, so that an
# attack which did not take place is no success.
#
# A released value is known by its column: named like an aggregate, or with a name
# that begins with "noisy"; or with "maybe", where it may also be NULL, by noise alone.
# In messages it stands after "noisy:".
#
# What analysts ask with dp_ aggregates they also ask a second time with plain ones, right
# after the attack and to the same effect.  Where the effect is another, the attack says so,
# and why; or why there is no second time:
#
#   = charges | errors | reason
#   = once | reason
package AttackTest;

use strict;
use warnings;

use Exporter 'import';
use IPC::Open2;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_neighbours attack $AUTO_EXPLAIN);

# Have a session load what reads released totals.  From 18 on the server tells of the first call.
# When that is depends on how old a table's key is beside all snapshots, whatever the rows are: counts
# are totals of another form until it is older.
my $LOAD_RELEASED = <<'SQL';
SELECT format('SELECT %s(%s) WHERE pg_backend_pid() < 0', oid::regproc,
	(SELECT string_agg(format('(SELECT NULL::%s)', t::regtype), ', ') FROM unnest(proargtypes) t))
FROM pg_proc WHERE pronamespace = to_regnamespace('dp_agg_internal') AND proname LIKE 'released\_%' \gexec
SQL

# auto_explain at its most talkative.
our $AUTO_EXPLAIN = <<'CONF';
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_buffers = on
auto_explain.log_wal = on
auto_explain.log_timing = off
auto_explain.log_triggers = on
auto_explain.log_verbose = on
auto_explain.log_settings = on
auto_explain.log_nested_statements = on
CONF

# How many numbers a process has for its reads, of a range of its own.
use constant IO_HANDLES => 64;

# Debugging messages that are passed over, by tests whose own tables do not fit the
# buffers: since 18 each page that is read from a file has some.
our $pass_over;

# The least messages that sessions are shown: all, but where their number and order
# depend on when other sessions do something.
our $messages = 'debug5';

# Whether attacks are tried with plain aggregates as well: not where it is something else
# than an aggregate that is attacked.
our $plain_too = 1;

my @DATABASES = qw(nobody somebody outlier);

# What aggregates call their columns.
my $OF_ONE = qr/sum|avg|variance|stddev|min|max/;
my $OF_TWO = qr/covar_pop|covar_samp|corr|regr_slope|regr_intercept/;
my $AGGREGATES = qr/maybe\w*|dp_(?:count|quantile|median|$OF_ONE|$OF_TWO)/;
my $PLAIN_AGGREGATES = qr/count|percentile_cont|$OF_ONE|$OF_TWO/;

# Of these NULL is an answer like any other, by noise alone: that there may be nobody.
my $OF_SOMEBODY = qr/(?:dp_)?(?:quantile|median|percentile_(?:cont|disc)|avg|variance|stddev|min|max|$OF_TWO)/;
my $MAY_BE_NULL = qr/maybe\w*|$OF_SOMEBODY/;

# SQL that calls such an answer what is never NULL: the test would fail now and then.
my $PARENTHESES = qr/(\((?:[^()']|'[^']*'|(?-1))*\))/;
my $NULL_AS_NOISY = qr/(?<![\w.'])(?:pg_catalog\.)?$OF_SOMEBODY$PARENTHESES(?: WITHIN GROUP $PARENTHESES)?(?: FILTER $PARENTHESES)? AS noisy/;

# What plain aggregates are taken of: columns with a domain.
my $COLUMN = qr/(?:\w+\.)?(?:age|pay|score|tag|minutes|cost)/;

# Every row of a protected table holds some of these; no answer may.
my $CANARY = qr/cnry|731955\d{3,}|Zwiesel/i;

# The tables, as their owner makes them.
my $TABLES = <<'SQL';
CREATE TABLE people (id int PRIMARY KEY, name text, city text, age int, pay numeric(12, 2), score float8,
	born date, seen timestamptz, code text, tag int, active boolean, secret bigint, note text);
CREATE INDEX ON people (age);
CREATE INDEX ON people (city);
CREATE INDEX ON people (secret);
CREATE TABLE visits (person int, clinic text, day date, minutes int, cost numeric, note text);
CREATE INDEX ON visits (person);
CREATE INDEX ON visits (day);
CREATE TABLE lone (id int PRIMARY KEY, city text, age int, secret bigint);
CREATE TABLE parts (person int, day date, cost int, note text) PARTITION BY RANGE (day);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
CREATE TABLE parts_3 PARTITION OF parts DEFAULT;
CREATE TABLE secured (id int PRIMARY KEY, city text, note text);
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY everybody ON secured USING (true);
CREATE TABLE doctors (clinic text PRIMARY KEY, town text, beds int);
CREATE VIEW grown AS SELECT id, city, age, secret FROM people WHERE age >= 18;
CREATE VIEW guarded WITH (security_barrier) AS SELECT id, city, age FROM people WHERE age >= 18;
INSERT INTO people SELECT i, 'cnry name ' || i, (ARRAY['Aachen', 'Bremen', 'Celle'])[i % 3 + 1], 20 + i % 60, 1000 + i % 7,
	i % 10 + 0.5, date '1950-01-01' + i % 9000, timestamptz '2020-01-01 00:00:00+00' + i % 900 * interval '1 hour', (100 + i % 900)::text,
	i % 100, i % 2 = 0, 7319550000 + i, 'cnry note ' || i FROM generate_series(1, 3000) i;
INSERT INTO visits SELECT i % 1000 + 1, 'clinic ' || i % 4, date '2020-01-01' + i % 365, 5 + i % 50, 10 + i % 90, 'cnry visit ' || i
	FROM generate_series(1, 4000) i;
INSERT INTO parts SELECT i % 500 + 1, date '2020-01-01' + i % 700, i % 100, 'cnry part ' || i FROM generate_series(1, 2000) i;
INSERT INTO secured SELECT i, 'Aachen', 'cnry secured ' || i FROM generate_series(1, 100) i;
INSERT INTO doctors SELECT 'clinic ' || i, 'town ' || i % 2, 10 * i FROM generate_series(0, 3) i;
GRANT SELECT ON doctors TO PUBLIC;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('visits', 'person', max_rows => 5, max_groups => 2),
	dp_agg.protect('lone', 'id'), dp_agg.protect('parts', 'person', max_rows => 4, max_groups => 2), dp_agg.protect('secured', 'id');
SELECT dp_agg.set_domain('people', 'age', 0, 100), dp_agg.set_domain('people', 'pay', 0, 2000), dp_agg.set_domain('people', 'score', 0, 10),
	dp_agg.set_domain('people', 'tag', 0, 100), dp_agg.set_domain('visits', 'minutes', 0, 100), dp_agg.set_domain('visits', 'cost', 0, 100),
	dp_agg.set_domain('lone', 'age', 0, 100), dp_agg.set_domain('parts', 'cost', 0, 100);
SQL

# What sets the databases apart.
my %PERSON = (
	nobody => '',
	somebody => <<'SQL',
INSERT INTO people VALUES (5000, 'cnry name 5000', 'Aachen', 33, 1003, 3.5, '1960-01-01', '2020-01-02 00:00:00+00', '123', 7, true, 7319555000, 'cnry note 5000');
INSERT INTO visits SELECT 5000, 'clinic ' || i, '2020-02-02', 10, 20, 'cnry visit' FROM generate_series(0, 3) i;
INSERT INTO lone VALUES (5000, 'Aachen', 33, 7319555000);
INSERT INTO parts SELECT 5000, '2020-02-02', 5, 'cnry part' FROM generate_series(1, 4);
INSERT INTO secured VALUES (5000, 'Aachen', 'cnry secured');
SQL
	outlier => <<'SQL');
INSERT INTO people VALUES (5000, 'cnry name 5000', 'Zwiesel', 0, 9999999999.99, 1e308, 'infinity', '-infinity', 'cnry', 2147483647, NULL, 7319555000,
	(SELECT string_agg('cnry' || i, '%_\') FROM generate_series(1, 200000) i));
INSERT INTO visits SELECT 5000, CASE WHEN i % 2 = 0 THEN 'clinic ' || i % 4 ELSE 'cnry clinic ' || i % 500 END, date '2020-01-01' + i,
	2147483647, (i % 3 || 'e100')::numeric, repeat('cnry visit', 5) FROM generate_series(0, 29999) i;
INSERT INTO lone VALUES (5000, 'Zwiesel', 0, 7319555000);
INSERT INTO parts SELECT 5000, date '2022-01-01' + i, 2147483647, 'cnry part' FROM generate_series(1, 5000) i;
INSERT INTO secured VALUES (5000, 'Zwiesel', 'cnry secured');
SQL

# Start a server with the three databases.  Options: conf, more configuration;
# libraries, preloaded after ours, and first, before it; admin, SQL of the superuser's, and analyst, SQL
# of ann's in her own schema, both for all databases alike; person, SQL by database
# that adds the person to the tables that admin made.
sub new_neighbours
{
	my ($name, %options) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	my $libraries = join ',', @{ $options{first} // [] }, 'dp_agg', @{ $options{libraries} // [] };
	$node->init;
	$node->append_conf('postgresql.conf', <<"CONF");
shared_preload_libraries = '$libraries'
max_worker_processes = 16
max_prepared_transactions = 5
autovacuum = off
checkpoint_timeout = 1h
jit = off
dp_agg.keeper_idle_timeout = 50ms
dp_agg.clipping_notice = off	# noise decides whether it comes
CONF
	$node->append_conf('postgresql.conf', 'io_max_concurrency = ' . IO_HANDLES) if $node->pg_version >= 18;
	$node->append_conf('postgresql.conf', $options{conf}) if $options{conf};
	$node->start;
	$node->safe_psql('postgres', "CREATE DATABASE nobody");
	$node->safe_psql('nobody', <<"SQL");
CREATE EXTENSION dp_agg;
CREATE EXTENSION pg_prewarm;
CREATE ROLE ann LOGIN;
CREATE ROLE bob LOGIN;
CREATE ROLE eve LOGIN;
CREATE ROLE poor LOGIN;
CREATE ROLE team NOLOGIN;
CREATE ROLE olga LOGIN;
GRANT team TO bob;
ALTER ROLE ann SET dp_agg.epsilon = 5;
ALTER ROLE ann SET dp_agg.max_join_rows = 1;
ALTER ROLE bob SET dp_agg.epsilon = 5;
ALTER ROLE bob SET dp_agg.max_join_rows = 1;
CREATE SCHEMA clinic AUTHORIZATION olga;
CREATE SCHEMA ann AUTHORIZATION ann;
GRANT USAGE ON SCHEMA clinic TO PUBLIC;
GRANT USAGE, CREATE ON SCHEMA ann TO bob, team, eve;
ALTER DATABASE nobody SET search_path = ann, clinic, public;
SELECT dp_agg.set_budget('ann', 1e9, 1e-3), dp_agg.set_budget('team', 1e9, 1e-3), dp_agg.set_budget('poor', 0.5, 0);
GRANT EXECUTE ON FUNCTION dp_agg.protect TO olga;
SET ROLE olga;
SET search_path = clinic, public;
$TABLES
RESET ROLE;
SET search_path = ann, clinic, public;
@{[ $options{admin} // '' ]}
SET ROLE ann;
@{[ $options{analyst} // '' ]}
SQL
	set_apart($node, $options{person} // {});
	my $copies_since = $node->safe_psql('postgres', "SELECT min(oid::bigint) FROM pg_database WHERE datname IN ('somebody', 'outlier')");
	my %self = (node => $node, sessions => {}, number => 0, copies_since => $copies_since);
	return bless \%self;
}

# Copy the database, add the person, and make all else equal: statistics, page
# states, what is in memory, and counters.
sub set_apart
{
	my ($node, $person) = @_;
	for my $database (@DATABASES)
	{
		next if $database eq 'nobody';
		$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE nobody; ALTER DATABASE $database SET search_path = ann, clinic, public");
		$node->safe_psql($database, 'SELECT dp_agg.acknowledge_copy()');
	}
	for my $database (@DATABASES)
	{
		$node->safe_psql($database, "$PERSON{$database};\n" . ($person->{$database} // '') . <<'SQL');
VACUUM (FREEZE, ANALYZE);

-- How long statistics are settles which of their pages ANALYZE leaves rows to prune on, and so
-- the pages that the first look at any table's statistics touches.
VACUUM (FREEZE) pg_statistic;
DO $$ BEGIN PERFORM pg_prewarm(oid) FROM pg_class WHERE relkind IN ('r', 'i', 't', 'm'); END $$;
CHECKPOINT;
SQL

		# In a session of its own: this one has yet to report what it did.
		$node->safe_psql($database, 'SELECT pg_stat_reset()');
	}
	return;
}

# The running psql of a session in a database.
sub session
{
	my ($self, $database, $name) = @_;
	delete $self->{sessions}{$database}{$name} if ($self->{sessions}{$database}{$name} // {})->{ended};
	return $self->{sessions}{$database}{$name} //= do
	{
		my $role = $name =~ s/\d+$//r;
		my $node = $self->{node};
		local $ENV{PGUSER} = $role eq 'admin' ? $ENV{PGUSER} : $role;
		my %session;
		$session{pid} = open2($session{out}, $session{in}, 'sh', '-c', 'exec "$@" 2>&1', 'sh',
			$node->installed_command('psql'), '-XA', '-v', 'VERBOSITY=verbose', '-v', 'SHOW_CONTEXT=always',
			'-P', 'expanded=on', '-P', 'null=(null)', '-d', $node->connstr($database));
		converse(\%session, "$LOAD_RELEASED\nSET client_min_messages = $messages;") unless $role eq 'admin';
		\%session;
	};
}

# Have a session run some text; returns everything it shows, its end included.
sub converse
{
	my ($session, $text) = @_;
	my $before = hear($session);
	start($session, $text);
	return $before . hear($session);
}

# Have a session begin to run some text.
sub start
{
	my ($session, $text) = @_;
	local $SIG{PIPE} = sub { die "session is gone at: $text\n" };
	$session->{told} = $text;
	$session->{mark} = sprintf 'end of output %d', ++$session->{number};
	syswrite $session->{in}, "$text\n\\echo $session->{mark}\n";
	return;
}

# Wait for the end of what a session was told; returns everything that it shows.
sub hear
{
	my ($session) = @_;
	my $mark = delete $session->{mark};
	return '' if !defined $mark;
	my $seen = '';
	local $SIG{ALRM} = sub { die "no end of: $session->{told}\nafter: $seen\n" };
	alarm $PostgreSQL::Test::Utils::timeout_default;
	while ($seen !~ s/^\Q$mark\E\n\z//m)
	{
		next if sysread $session->{out}, $seen, 65536, length $seen;
		$session->{ended} = 1;
		$seen .= "the session has ended\n";
		last;
	}
	alarm 0;
	return $seen;
}

# Output without what differs for other reasons: noise, times, numbers of processes,
# transactions and what is made last, news that other sessions fall behind with,
# and how full the session's caches are.
sub normal
{
	my ($text, $aggregates) = @_;
	my $names = join '|', @DATABASES;
	for ($text)
	{
		s/^DEBUG: .*$pass_over.*\n(?:(?!LOCATION: ).*\n)*?LOCATION: .*\n//mg if defined $pass_over;
		s/^DEBUG: .*(?:sending sinval catchup signal|rehashing catalog cache).*\n(?:(?:(?!DEBUG: |LOCATION: ).*\n)*?LOCATION: .*\n)?//mg;
		s/^($aggregates|noisy\w*)\|(?!\(null\)).*$/$1|#/mg;
		s/^(?=(?:$aggregates)\|)($MAY_BE_NULL)\|\(null\)$/$1|#/mg;
		s/\bnoisy:\S+/noisy:#/g;
		s/\bactual time=[\d.]+\.\.[\d.]+/actual time=#/g;
		s/\b(Time[">]*:? ?|duration: |Timing: \w+ )[\d.]+/$1#/g;
		s/\b(Generation|Inlining|Optimization|Emission|Total)([":> ]+)[\d.]+/$1$2#/g;
		s/^((?:total|self)_time\|).*$/$1#/mg;
		s/^(stats_reset\|)\d.*$/$1#/mg;
		s/(time to inline: ).*$/$1#/mg;
		s/(subid\/cid: )\d+/$1#/g;
		s/(, children:) [\d ]+$/$1 #/mg;
		s/\b(PID|process) \d+/$1 #/g;
		s/(choosing worker ).*$/$1#/mg;
		s/\bio (\d+) +(?=\|op )/'io ' . $1 % IO_HANDLES . ' '/ge;
		s/\b(Unique_ConstraintTrigger_|RI_ConstraintTrigger_[ac]_|pg_temp_|pg_toast_temp_|pg_toast_)\d+/$1#/g;
		s/(?<=database )(?:$names)\b|(?<=database ")(?:$names)(?=")/#/g;
	}

	# When psql prints an error, messages sent after it may have arrived or not.
	my $debug = '';
	$debug .= $1 while $text =~ s/^(DEBUG: .*\n(?:(?!LOCATION: ).*\n)*?LOCATION: .*\n)//m;
	return $text . $debug;
}

# Run an attack in one database; returns what an analyst was shown, and what
# was charged.
sub carry_out
{
	my ($self, $database, $attack) = @_;
	my $admin = $self->session($database, 'admin');
	my $before = books($admin);
	my $shown = '';
	my %used;
	for my $step (@{ $attack->{steps} })
	{
		my ($name, $text, $in_background) = @$step;
		my $session = $self->session($database, $name);
		my $output = $in_background ? hear($session) : converse($session, $text);
		start($session, $text) if $in_background;
		$shown .= "$name:\n$output" unless $name eq 'admin';
		$used{$name} = 1;
	}
	$shown .= "$_, at last:\n" . hear($self->session($database, $_)) for grep { defined $self->session($database, $_)->{mark} } sort keys %used;
	converse($_, "ROLLBACK;\nSET ROLE NONE;\nDISCARD ALL;\nSET client_min_messages = $messages;")
	  for grep { !$_->{ended} } map { $self->session($database, $_) } grep { $_ ne 'admin' } keys %used;
	my $after = books($admin);
	my @spent = map { $after->[$_] - $before->[$_] } 0, 1;
	$shown = $self->without_numbers_of_relations($shown);
	return ($shown, "$spent[0]" . ($spent[1] ? "+$spent[1]" : ''));
}

# Output without the number of a database that a lock is waited for in, which since 19 is
# told, and of a relation that is not older than the copies.
sub without_numbers_of_relations
{
	my ($self, $text) = @_;
	my $known = sub { $_[0] < $self->{copies_since} ? $_[0] : '#' };
	return $text =~ s/\brelation (\d+) of database \d+/'relation ' . $known->($1) . ' of database #'/ger;
}

# How many statements were admitted and refused, all roles together.
sub books
{
	my ($admin) = @_;
	my $shown = converse($admin, 'SELECT sum(statements) AS s, sum(refusals) AS r FROM dp_agg.budget;');
	return [ $shown =~ /^s\|(\d+)\nr\|(\d+)$/m ? ($1, $2) : die "no books: $shown" ];
}

# Carry out every attack of a list in every database, a test for each.
sub attack
{
	my ($self, $list) = @_;
	for my $attack (map { ($_, $plain_too ? with_plain_aggregates($_) : ()) } read_list($list))
	{
		my (%shown, %charges);
		($shown{$_}, $charges{$_}) = $self->carry_out($_, $attack) for @DATABASES;
		my @faults = judge($attack, \%shown, \%charges);
		ok(!@faults, $attack->{name}) or diag(join "\n", map { substr $_, 0, 200 } map { split /\n/ } @faults);
		$self->{number}++;
	}
	return $self->{number};
}

# The same attack with plain aggregates; nothing if it has none that can be written so.
sub with_plain_aggregates
{
	my ($attack) = @_;
	return if $attack->{once};
	my @steps = map { [ $_->[0], $_->[0] =~ /^(?:admin|olga)\d*$/ ? $_->[1] : in_plain_words($_->[1]), $_->[2] ] } @{ $attack->{steps} };
	return if !grep { $steps[$_][1] ne $attack->{steps}[$_][1] } 0 .. $#steps;
	my @shows = map { s/dp_(?=count|avg|sum)/(?:dp_)?/gr } @{ $attack->{shows} };
	return {
		%$attack, %{ $attack->{plain} // {} },
		name => "$attack->{name}, with plain aggregates",
		steps => \@steps, shows => \@shows, aggregates => qr/$AGGREGATES|$PLAIN_AGGREGATES/ };
}

# SQL with plain aggregates in place of ours, where there is a domain for the bounds that
# are written out; with the names of their columns.
sub in_plain_words
{
	my ($text) = @_;
	my $argument = qr/(?:[^(),]|(\((?:[^()]|(?-1))*\)))+/;
	my $bound = qr/, *-?\d[\d.e]*/;
	my $dp = qr/(?<![\w'])dp_/;
	my $replaced = 0;
	for ($text)
	{
		$replaced += s/${dp}count\((?<x>\*|$argument)\)/count($+{x})/g;
		$replaced += s/${dp}($OF_ONE)\(($COLUMN)$bound{2}\)/$1($2)/g;
		$replaced += s/${dp}($OF_TWO)\(($COLUMN), ($COLUMN)$bound{4}\)/$1($2, $3)/g;
		$replaced += s/${dp}median\(($COLUMN)$bound{2}\)/percentile_cont(0.5) WITHIN GROUP (ORDER BY $1)/g;
		$replaced += s/${dp}quantile\(($COLUMN), ([\d.]+)$bound{2}\)/percentile_cont($2) WITHIN GROUP (ORDER BY $1)/g;
		s/(?<!['\w])dp_(count|$OF_ONE|$OF_TWO)\b(?! *[('])/$1/g if $replaced;
	}
	return $text;
}

# What is wrong with the outcome of an attack.
sub judge
{
	my ($attack, $shown, $charges) = @_;
	my $expected = $attack->{charges} eq '*' ? $charges->{ $DATABASES[0] } : $attack->{charges};
	my %normal = map { $_ => normal($shown->{$_}, $attack->{aggregates}) } @DATABASES;
	my @faults;
	for my $database (@DATABASES)
	{
		my @errors = $shown->{$database} =~ /^(?:psql:\S+ )?(?:ERROR|FATAL):  (\w{5}):/mg;
		push @faults, "$database: canary: $1" if $shown->{$database} =~ /^(.*$CANARY.*)$/m;
		push @faults, "$database: charged $charges->{$database}, not $expected" if $charges->{$database} ne $expected;
		push @faults, "$database: errors '@errors', not '$attack->{errors}'"
		  . ($database eq $DATABASES[0] ? "\n" . quiet_text($shown->{$database}) : '') if "@errors" !~ /^(?:$attack->{errors})\z/;
		push @faults, map { "$database: shows no $_" } grep { $shown->{$database} !~ /$_/m } @{ $attack->{shows} };
		push @faults, "$database: shows other things than $DATABASES[0]:\n" . difference($normal{ $DATABASES[0] }, $normal{$database})
		  if $normal{$database} ne $normal{ $DATABASES[0] };
	}
	return @faults;
}

# Output without the debugging messages.
sub quiet_text
{
	my ($text) = @_;
	return join "\n", grep { !/^DEBUG|^LOCATION/ } split /\n/, $text;
}

# Lines that are in one text alone.
sub difference
{
	my ($one, $other) = map { [ split /\n/ ] } @_;
	my %in_one = map { $_ => 1 } @$one;
	my %in_other = map { $_ => 1 } @$other;
	my @lines = ((map { "- $_" } grep { !$in_other{$_} } @$one), (map { "+ $_" } grep { !$in_one{$_} } @$other));
	return join "\n", splice(@lines, 0, 20) if @lines;
	my ($at) = grep { ($one->[$_] // '') ne ($other->[$_] // '') } 0 .. $#$one;
	my $line = $at // $#$one;
	return "in another order or number from line $line on:\n" . join "\n", map { "$_->[0] " . ($_->[1][$line] // 'the end') } [ '-', $one ], [ '+', $other ];
}

# The attacks in a text.
sub read_list
{
	my ($text) = @_;
	my @attacks;
	for my $line (split /\n/, $text)
	{
		if ($line =~ /^@ (.*?)\s*\|\s*(\S*)\s*\|\s*(.*?)\s*$/)
		{
			push @attacks, { name => $1, charges => $2 || '0', errors => $3, shows => [], steps => [ [ 'ann', '' ] ], aggregates => $AGGREGATES };
		}
		elsif ($line =~ /^= once \| \S/)
		{
			$attacks[-1]{once} = 1;
		}
		elsif ($line =~ /^= (\S+) \| (.*?) ?\| \S[^|]*$/)
		{
			$attacks[-1]{plain} = { charges => $1, errors => $2 };
		}
		elsif ($line =~ /^> (\w+)( &)?$/)
		{
			push @{ $attacks[-1]{steps} }, [ $1, '', $2 ];
		}
		elsif ($line =~ /^~ (.+)$/)
		{
			push @{ $attacks[-1]{shows} }, $1;
		}
		elsif ($line =~ /\S/)
		{
			die "no attack for: $line" if !@attacks || $line =~ /^[@>=]/;
			die "may be NULL, and so is no column for \"noisy\": $line" if $line =~ $NULL_AS_NOISY;
			$attacks[-1]{steps}[-1][1] .= "$line\n";
		}
	}
	for my $attack (@attacks)
	{
		@{ $attack->{steps} } = grep { $_->[1] ne '' } @{ $attack->{steps} };
		die "nothing to do in: $attack->{name}" if !@{ $attack->{steps} };
	}
	return @attacks;
}

# End all sessions and the server.
sub leave
{
	my ($self) = @_;
	for my $session (map { values %$_ } values %{ $self->{sessions} })
	{
		close $session->{in};
		waitpid $session->{pid}, 0;
	}
	$self->{node}->stop;
	return;
}

# The same, and the program.
sub finish
{
	my ($self) = @_;
	$self->leave;
	done_testing();
	return;
}

1;
