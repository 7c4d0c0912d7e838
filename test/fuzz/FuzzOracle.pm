# Runs statements as the analyst and judges what comes back: the server lives,
# no canary came out, no internal error, and each answer was paid for once.
package FuzzOracle;

use strict;
use warnings;

use Time::HiRes qw(sleep time);

# Refusals; and those among them that are raised before anything is charged.
my $REFUSED = qr/^(?:0A000|42...|22023|54...|53400|25...|3[4BDF]...|26000|2BP01)$/;
my $UNCHARGED = qr/^(?:0A000|42(?!501|P07|P16).{3}|22023|25...)$/;

# Where the extension refuses from.
my $GATE = qr/^(?:reason|opening)\.c$/;

sub new
{
	my ($class, $server, %options) = @_;
	my $self = bless { server => $server, problems => [], tally => {}, history => [], %options }, $class;
	$self->{charged} = $server->charged;
	return $self;
}

# Begin a session as the analyst, with these statements first.
sub begin
{
	my ($self, @statements) = @_;
	$self->{session}->close if $self->{session};
	$self->{history} = [];
	$self->{session} = $self->{server}->connect_as('analyst');
	$self->{session}->query($_) for @statements;
	push @{ $self->{history} }, @statements;
	return;
}

# Run statements that nothing is asked by and that may fail, such as those that make tables.
sub aside
{
	my ($self, @statements) = @_;
	for my $sql (@statements)
	{
		push @{ $self->{history} }, $sql;
		my $answer = $self->{session}->query($sql);
		$self->check_canaries($answer, { sql => $sql, way => 'aside' });
		$self->check_error($answer, { sql => $sql, way => 'aside' });
		next unless $answer->{lost};
		$self->check_alive($answer, { sql => $sql, way => 'aside' });
		$self->{session} = undef;
		$self->begin(@{ $self->{opening} // [] });
	}

	# What a cancelled statement was charged may have come late.
	$self->{charged} = $self->{server}->charged;
	return;
}

# Is the session in a transaction that failed?
sub in_failed_transaction
{
	my ($self) = @_;
	return $self->{session}{state} eq 'E';
}

sub in_transaction
{
	my ($self) = @_;
	return $self->{session}{state} ne 'I';
}

sub problem
{
	my ($self, $what, $step) = @_;
	my $sql = length $step->{sql} > 4000 ? substr($step->{sql}, 0, 4000) . ' ...' : $step->{sql};
	my $values = $step->{parameters} ? "\n  parameters: " . join(' | ', @{ $step->{parameters} }) : '';
	push @{ $self->{problems} }, "$what\n  $self->{label}, $step->{way}: $sql$values";
	Test::More::diag($self->{problems}[-1]);
	$self->{kept} .= "\n-- $what\n" . join ";\n", @{ $self->{history} };
	return;
}

# Does a text mention an aggregate outside strings and comments?
sub mentions_aggregate
{
	my ($sql) = @_;
	$sql =~ s/'(?:[^'\\]++|\\.|'')*+'/''/gs;
	$sql =~ s{--[^\n]*|/\*.*?\*/}{ }gs;
	$sql =~ s/"(?:[^"]|"")*"/x/gs;
	return $sql =~ /\bdp_(?:count|sum|avg|variance|stddev|quantile|median|min|max|histogram)\s*\(/;
}

# Run a step; returns its answer.
sub run
{
	my ($self, $step) = @_;
	my $began = time;
	my $session = $self->{session};
	push @{ $self->{history} }, $step->{sql};
	my $answer = $step->{extended}
	  ? $session->execute($step->{sql}, $step->{parameters} // [], %$step)
	  : $session->query($step->{sql});
	$answer->{seconds} = time - $began;
	$self->check_alive($answer, $step);
	$self->check_canaries($answer, $step);
	$self->check_error($answer, $step);
	$self->check_charge($answer, $step);
	$self->check_value_error($answer, $step);
	$self->count($answer, $step);
	if ($answer->{lost})
	{
		$self->{session} = undef;
		$self->begin(@{ $self->{opening} // [] });
		$answer->{state} = 'I';
	}
	return $answer;
}

# The server goes on, and a session ends for a reason that it tells.
sub check_alive
{
	my ($self, $answer, $step) = @_;
	return unless $answer->{lost};
	$self->problem('no answer for a long time', $step) if $answer->{hung};
	my $severity = $answer->{error} ? $answer->{error}{V} // $answer->{error}{S} : '';
	$self->problem('connection lost' . ($answer->{error} ? ": $answer->{error}{C} $answer->{error}{M}" : ''), $step)
	  unless $severity eq 'FATAL' && $answer->{error}{C} !~ /^(?:57P0[12]|XX)/;
	for (1 .. 100)
	{
		sleep 0.3;
		return if eval { $self->{server}{admin} = $self->{server}->connect_as(FuzzData::superuser()); $self->{server}->charged; 1 };
	}
	die "the server does not come back\n";
}

sub check_canaries
{
	my ($self, $answer, $step) = @_;
	my @found = $self->{server}->canaries_in($answer->{all});
	$self->problem("canaries came out: @found[0 .. ($#found < 3 ? $#found : 3)]", $step) if @found;
	return;
}

# No internal error, unless it is known as PostgreSQL's own.
sub check_error
{
	my ($self, $answer, $step) = @_;
	my $error = $answer->{error} or return;
	return unless $error->{C} =~ /^XX/;
	return if $self->{own_error} && $self->{own_error}->($error, $step);
	$self->problem("internal error: $error->{M} ($error->{F}:$error->{L}, $error->{R})", $step);
	return;
}

# What a statement is charged, against what it may be; `beside` says what code that ran beside
# it owes, and whether it ran at all.  Errors of such code say nothing of whether the statement was charged, those
# that the gate raises do.
sub check_charge
{
	my ($self, $answer, $step) = @_;
	my ($least, $most) = @$step{qw(least most)};
	my $before = $self->{charged};
	my $now = $self->{charged} = $self->{server}->charged;
	my $paid = $answer->{paid} = $now - $before;
	my ($owed, $ran) = $step->{beside} ? $step->{beside}->() : (0, 0);
	$answer->{owed} = $owed;
	return if !defined $most;
	# A parallel or read-only transaction has PostgreSQL refuse what her code beside a block does, before that leaves a trace.
	$most = 0 if $answer->{error} && $most <= 1 && !$step->{many} && $answer->{error}{M} !~ /during a parallel operation$|^cannot execute nextval\(\) in a read-only transaction$/ &&
	  ($ran ? $answer->{error}{C} =~ /^(?:0A000|55000)$/ && $answer->{error}{F} =~ $GATE : $answer->{error}{C} =~ $UNCHARGED);
	$_ += $owed for $least, $most;
	$least = 0 if $answer->{error} || $answer->{lost} || $step->{sql} =~ /catch|caught/;
	$self->problem("paid $paid times, not $least to $most" . ($answer->{error} ? " ($answer->{error}{C} $answer->{error}{M})" : ''), $step)
	  if $paid < $least || $paid > $most;
	return;
}

# Once paid for, no value may decide that a valid block fails.
sub check_value_error
{
	my ($self, $answer, $step) = @_;
	return unless $step->{valid} && $answer->{error} && $answer->{paid} > ($answer->{owed} // 0);
	$self->problem("failed on a value: $answer->{error}{C} $answer->{error}{M}", $step) if $answer->{error}{C} =~ /^2[12]/;
	return;
}

# Count it by way and outcome.
sub count
{
	my ($self, $answer, $step) = @_;
	my $state = $answer->{error} ? $answer->{error}{C} : '';
	my $outcome = $answer->{lost} ? 'lost' : $state eq '' ? 'accepted' : $state eq '57014' ? 'cancelled' : $state =~ $REFUSED ? 'refused' : 'failed';
	my $of = mentions_aggregate($step->{sql}) ? 'dp' : 'other';
	$self->{tally}{ $step->{way} }{$outcome}++;
	$self->{total}{$of}{$outcome}++;
	$self->{states}{$state}++ if $state ne '';
	$self->{reasons}{"$state $answer->{error}{M}"}++ if $state ne '' && $step->{valid};
	$self->{seconds}{ $step->{way} } += $answer->{seconds};
	$self->{statements}++;
	return;
}

# The table of statements by way and outcome.
sub table
{
	my ($self) = @_;
	my @columns = qw(accepted refused failed cancelled lost);
	my @lines = sprintf '%-32s' . '%10s' x @columns, 'statement', @columns;
	my $line = sub { my ($name, $row) = @_; push @lines, sprintf '%-32s' . '%10d' x @columns, $name, map { $row->{$_} // 0 } @columns };
	$line->($_, $self->{tally}{$_}) for sort keys %{ $self->{tally} };
	$line->("all with dp aggregates", $self->{total}{dp} // {});
	$line->("all others", $self->{total}{other} // {});
	push @lines, 'SQLSTATEs: ' . join ' ', map { "$_:$self->{states}{$_}" } sort keys %{ $self->{states} };
	return @lines;
}

# The share of statements with our aggregates that were accepted.
sub share_accepted
{
	my ($self) = @_;
	my $dp = $self->{total}{dp} // {};
	my $all = 0;
	$all += $_ for values %$dp;
	return $all ? ($dp->{accepted} // 0) / $all : 0;
}

# Last: the ledger agrees with the budget, and no process died on the way.
sub finish
{
	my ($self) = @_;
	$self->{session}->close if $self->{session};
	my $ledger = ($self->{server}->admin_rows("SELECT count(*) FROM dp_agg.ledger WHERE admitted AND role = 'analyst'"))[0][0];
	my @damage = map { "@{[ map { $_ // '' } @$_ ]}" } $self->{server}->admin_rows('SELECT * FROM dp_agg.verify_ledger() LIMIT 5');
	my $log = PostgreSQL::Test::Utils::slurp_file($self->{server}{node}->logfile);
	my @deaths = grep { /TRAP:|PANIC:|was terminated by signal|exited with exit code (?!0)/ && !/parallel worker/ } split /\n/, $log;
	return ($ledger, \@damage, \@deaths);
}

1;
