# Judges statements in which features meet: each ends in time and in memory, by an answer
# or a refusal that doc/sql.md lists, is charged once or not at all, and its answer is the owner's.
#
# Failures are grouped by what is seen; of each group the shortest statement is kept.
package FuzzBounds;

use strict;
use warnings;

use Time::HiRes qw(sleep time);

# Statements may take so many milliseconds, may end so many seconds later, and may take so many kB.
use constant { TIMEOUT => 2000, LATE => 2.0, MEMORY => 400 * 1024 };

sub new
{
	my ($class, $server, %options) = @_;
	my $self = bless { server => $server, failures => {}, tally => {}, statements => 0, %options }, $class;
	$self->{listed} = listed($options{document});
	$self->{charged} = $server->charged;
	return $self;
}

# The refusals of a document, as patterns.
sub listed
{
	my ($file) = @_;
	open my $in, '<', $file or die "could not read $file: $!\n";
	my $text = do { local $/; <$in> };
	$text =~ s/\A.*?^## Refusals$//ms;
	my @patterns;
	for (grep { /^\|/ } split /\n/, $text)
	{
		my ($cell) = /^\|((?:[^|`]|`[^`]*`)*)\|/ or next;
		push @patterns, map { join '.*', map { quotemeta } split /\.\.\./, $_, -1 } $cell =~ /`([^`]*)`/g;
	}
	die "no refusals in $file\n" unless @patterns > 100;
	my $all = join '|', @patterns;
	$all .= '|differentially private queries are not allowed in SERIALIZABLE transactions|differentially private queries cannot run in a parallel worker|a differentially private query needs the values of its parameters when it is planned';
	return qr/^(?:$all)/;
}

# A session of the analyst's.
sub begin
{
	my ($self, @statements) = @_;
	$self->{session}->close if $self->{session};
	$self->{session} = $self->{server}->connect_as('analyst', patience => TIMEOUT / 1000 + 6);
	$self->{opening} = \@statements;
	my $pid = $self->{session}->query('SELECT pg_backend_pid()')->{rows}[0][0];
	$self->{pid} = $pid;
	$self->{session}->query($_) for 'SET statement_timeout = ' . TIMEOUT, @statements;
	return;
}

# How much memory of its own a process has had at most since it was asked to forget, in kB.
sub memory
{
	my ($self) = @_;
	open my $in, '<', "/proc/$self->{pid}/status" or return;
	my %of = map { /^(VmHWM|VmRSS|RssShmem):\s+(\d+)/ ? ($1 => $2) : () } <$in>;
	return { most => $of{VmHWM}, now => $of{VmRSS} };
}

sub forget_memory
{
	my ($self) = @_;
	open my $out, '>', "/proc/$self->{pid}/clear_refs" or return;
	print $out 5;
	return;
}

# What a message looks like without names and numbers.
sub pattern
{
	my ($message) = @_;
	return $message =~ s/\d+(?:\.\d+)?/N/gr =~ s/"[^"]*"/"..."/gr;
}

# Keep a failure, the shortest of its kind; tell the first at once.
sub failure
{
	my ($self, $kind, $what, $step) = @_;
	my $key = pattern($kind);
	my $sql = join ";\n    ", @{ $self->{history} };
	my $kept = $self->{failures}{$key} //= { count => 0 };
	$kept->{count}++;
	$kept->{in}{ $_ }++ for @{ $self->{features} // [] };
	@$kept{qw(what sql label)} = ($what, $sql, $self->{label}) if !$kept->{sql} || length $sql < length $kept->{sql};
	Test::More::diag("$what\n  $self->{label}\n    $sql") if $kept->{count} == 1;
	return;
}

# Run a step and judge it; returns its answer.
sub run
{
	my ($self, $step) = @_;
	push @{ $self->{history} }, $step->{sql};
	my $before = $self->memory;
	my $worked = $self->worked;
	$self->forget_memory;
	my $began = time;
	my $session = $self->{session};
	my $answer = $step->{extended} ? $session->execute($step->{sql}, $step->{parameters} // [], %$step) : $session->query($step->{sql});
	$answer->{seconds} = time - $began;
	$answer->{worked} = ($self->worked // 0) - $worked if $answer->{seconds} > 1 && defined $worked && !$answer->{lost};
	$self->{statements}++;
	my $after = $answer->{lost} ? undef : $self->memory;
	if ($answer->{lost}) { $self->lost($answer, $step) }
	else
	{
		my $more = $after && $before ? $after->{most} - $before->{now} : 0;
		$self->failure('memory', sprintf('took %d MB', $more / 1024), $step) if $more > MEMORY;
		$self->failure('late', sprintf('ended after %.1f s', $answer->{seconds}), $step) if $answer->{seconds} > TIMEOUT / 1000 + LATE;
		$self->check_error($answer, $step);
	}
	$self->check_charge($answer, $step);
	$self->{tally}{ $answer->{error} ? $answer->{error}{C} : $answer->{lost} ? 'lost' : 'answered' }++;
	$self->{seconds}{ $step->{way} // '' } += $answer->{seconds};
	return $answer;
}

# A connection was lost, or is stuck and cannot be cancelled: say where, and wait for the server.
sub lost
{
	my ($self, $answer, $step) = @_;
	my $trace = '';
	if ($answer->{hung})
	{
		$trace = backtrace("-p $self->{pid}");
		kill KILL => $self->{pid};
	}
	$self->{session} = undef;
	$self->{server}{owner} = undef;
	for (1 .. 100)
	{
		sleep 0.3;
		last if eval { $self->{server}{admin} = $self->{server}->connect_as(FuzzData::superuser()); $self->{server}->charged; 1 };
		die "the server does not come back\n" if $_ == 100;
	}
	my $core = (glob $self->{server}{node}->data_dir . '/core*')[0];
	$trace .= backtrace($core) if $core && -x '/usr/bin/gdb';
	unlink glob $self->{server}{node}->data_dir . '/core*';
	my ($top) = $trace =~ /^(#.* in \w+ \(.* at src\/.*)$/m;
	$self->failure('lost ' . ($answer->{hung} ? 'stuck ' : '') . (($top // '') =~ s/^#\d+\s+(?:0x\w+ in )?(\w+).*/$1/r), 'connection lost' . ($answer->{error} ? ": $answer->{error}{M}" : '') . "\n$trace", $step);
	$self->{charged} = undef;
	$self->begin(@{ $self->{opening} });
	return;
}

# The top of the stack of a core file or a process.
sub backtrace
{
	my ($of) = @_;
	chomp(my $postgres = `${\($ENV{PG_CONFIG} // 'pg_config')} --bindir`);
	$postgres .= '/postgres';
	return join '', grep { /^#/ } map { substr($_, 0, 160) =~ s/\n?$/\n/r } (`gdb -batch -ex bt $postgres $of 2>/dev/null`)[ 0 .. 40 ];
}

# Errors are refusals that are listed, or those that PostgreSQL has for whoever may read all.
sub check_error
{
	my ($self, $answer, $step) = @_;
	my $error = $answer->{error} or return;
	my ($state, $message) = @$error{qw(C M)};
	# A function of the statement's own that says it may run in parallel, and runs commands.
	return if $message =~ /^cannot start commands during a parallel operation/ && grep { $_ eq 'route:function_parallel' } @{ $self->{features} };
	my $odd = $state =~ /^(?:XX|53|57|58)/;
	return if !$odd && ($state =~ /^2/ && $self->{own} || $message =~ $self->{listed});
	return if !$odd && $state =~ /^(?:42|22|25|55|3[4BDF]|2BP|21|0A|P0|26|54)/ && ($error->{F} // '') !~ /dp_agg/ && !$self->is_own($error);
	return if $state eq '42501' || $self->owner_fails($error);
	# A function of the statement's own that asks for each row takes as long as all that it asks; and others want the machine.
	return if $state eq '57014' && ($self->{asks} || $self->waited($answer) && $self->{waits}++ < 5);
	return $self->failure("$state $message", "$state $message ($error->{F}:$error->{L}, $error->{R})", $step) if $odd;
	$self->failure("$state $message", "not listed: $state $message ($error->{F}:$error->{L}, $error->{R})", $step);
	return;
}

# Did a statement get less than half of its time from the machine?
sub waited
{
	my ($self, $answer) = @_;
	return $answer->{worked} && $answer->{worked} < $answer->{seconds} / 2;
}

# Seconds that the session's process has worked.
sub worked
{
	my ($self) = @_;
	open my $in, '<', "/proc/$self->{pid}/schedstat" or return;
	return (split ' ', scalar <$in>)[0] / 1e9;
}

# Does PostgreSQL fail in this way for the owner, in the plain statement alone or on the way that it takes?
sub owner_fails
{
	my ($self, $error) = @_;
	my $alike = sub { $_[0]{error} && $_[0]{error}{C} eq $error->{C} && ($error->{C} !~ /^XX/ || pattern($_[0]{error}{M}) eq pattern($error->{M})) };
	return 1 if $alike->(($self->{twin} or return 0)->());
	return 1 if $self->{way} && grep { $alike->($_) } $self->owner_goes($self->{way}->());
	return 0;
}

# What the owner is answered by statements that are sent one by one, the last by which a transaction may end.
sub owner_goes
{
	my ($self, @steps) = @_;
	my $owner = $self->owner;
	my @answers = map { $owner->query($_) } "SET statement_timeout = @{[TIMEOUT]}", 'SET search_path = owners, public', @steps;
	$owner->close;
	$self->{server}{owner} = undef;
	$self->{server}->admin_rows('SET client_min_messages = error; DROP SCHEMA owners CASCADE; CREATE SCHEMA owners');
	return @answers;
}

# The owner's session, in which PostgreSQL answers.
sub owner
{
	my ($self) = @_;
	return $self->{server}{owner} //= $self->{server}->connect_as(FuzzData::superuser(), patience => TIMEOUT / 1000 + 6);
}

# Does an error come from a source file of the extension's?
sub is_own
{
	my ($self, $error) = @_;
	return $self->{own_files}{ $error->{F} // '' };
}

# What a statement is charged: nothing where it fails by what was known before.
sub check_charge
{
	my ($self, $answer, $step) = @_;
	my $before = $self->{charged};
	$self->{charged} = $self->{server}->charged;
	return unless defined $before;
	my $paid = $answer->{paid} = $self->{charged} - $before;
	return unless defined $step->{most};
	my $error = $answer->{error};
	$self->failure("paid $paid times", "paid $paid times, not $step->{most} at most", $step) if $paid > $step->{most};
	$self->failure("paid and failed: $error->{C} " . pattern($error->{M}), "paid $paid times and failed: $error->{C} $error->{M} ($error->{F}:$error->{L})", $step)
	  if $paid && $error && !$step->{planned} && !$self->{own} && $error->{C} ne '57014' && !$self->owner_fails($error);
	return;
}

# Are rows alike, but for so much noise of numbers?  Sums of no rows are 0 here.
sub alike
{
	my ($left, $right, $noise) = @_;
	return 0 if @$left != @$right;
	for my $i (0 .. $#$left)
	{
		my ($x, $y) = ($left->[$i], $right->[$i]);
		next if !defined $y && (!defined $x || is_number($x) && abs $x <= 0.5 + $noise);
		return 0 if !defined $x || !defined $y;
		next if $x eq $y;
		return 0 if grep { !is_number($_) } $x, $y;
		return 0 if abs($x - $y) > $noise + ("$x$y" =~ /\./ || abs $y > 1000 ? 0.5 + 0.001 * abs $y : 0.01);
	}
	return 1;
}

sub is_number
{
	return $_[0] =~ /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i;
}

# How far a number of the last release may lie from the exact one: twelve times its half width of 95 %.  Laplace
# noise lies farther once in 20 ** 12 values, which is 4e15, Gaussian noise less often.
sub noise
{
	my ($self) = @_;
	my $answer = $self->{session}->query('SELECT 12 * max(half_width_95) FROM dp_agg.last_release()');
	return $answer->{error} || $answer->{lost} ? 0 : $answer->{rows}[0][0] // 0;
}

# What the owner is answered by texts that make objects first, and by the last.
sub owner_asks
{
	my ($self, $before, $text, @settings) = @_;
	my $server = $self->{server};
	my $made = 1;
	$self->owner->query($_) for 'BEGIN', "SET LOCAL statement_timeout = @{[TIMEOUT]}", 'SET LOCAL search_path = owners, public';
	for (@$before) { $made &&= !$server->{owner}->query($_)->{error} }
	my $twin = $made ? $server->{owner}->query($text) : { unmade => 1 };
	$server->{owner}->query('ROLLBACK');
	$server->{owner} = undef if $twin->{lost};
	return $twin;
}

# Are an answer's rows the owner's, in any order?  Groups of declared keys that nobody is in are answered as well,
# and groups of few rows may not be shown.
sub compare
{
	my ($self, $answer, $step) = @_;
	my $twin = $self->{twin}->();
	return 'not compared' if $twin->{unmade} || $twin->{lost};
	return 'not compared' if grep { ($_->{M} // '') eq 'caught' } @{ $twin->{notices} };
	if ($twin->{error})
	{
		return 'not compared' if $twin->{error}{C} =~ /^(?:57014|0A000|54|42|2[0-9])/;
		$self->failure("answered, but not to the owner: $twin->{error}{C} " . pattern($twin->{error}{M}), "answered, but not to the owner: $twin->{error}{C} $twin->{error}{M}", $step);
		return 'different';
	}
	return 'not compared' if @{ $twin->{rows} } > 300 || @{ $answer->{rows} } > 300;
	my $differs = differs($answer->{rows}, $twin->{rows}, 0) or return 'same';
	my $noise = $self->noise;
	$differs = differs($answer->{rows}, $twin->{rows}, $noise) if $noise > 0;
	return $differs ? $self->different("$differs; within $noise", $step) : 'same';
}

# How rows differ from the owner's, but for so much noise; nothing if they do not.
sub differs
{
	my ($rows, $exact, $noise) = @_;
	my @left = @$rows;
	my $few = @$exact > 1 || !@left;
	my $show = sub { join ' | ', map { $_ // 'NULL' } @{ $_[0] } };
	for my $row (@$exact)
	{
		my ($found) = grep { alike($left[$_], $row, $noise) } 0 .. $#left;
		if (defined $found) { splice @left, $found, 1; next }
		next if $few && ($row->[0] // 0) =~ /^[0-4]$/;
		return sprintf "%d rows for %d of the owner's; not found: %s; left: %s", scalar @$rows, scalar @$exact, $show->($row), @left ? $show->($left[0]) : '';
	}
	@left = grep { !nobody($_, $exact, $noise) } @left;
	return @left ? sprintf("%d rows more than the owner's: %s", scalar @left, $show->($left[0])) : undef;
}

# Is a row that of a group that nobody is in?  Its count is 0 but for noise; or its other aggregate is, beside constants;
# or it has nothing but those and a key that none of the owner's has.
sub nobody
{
	my ($row, $exact, $noise) = @_;
	my $none = sub { !defined $_[0] || is_number($_[0]) && abs $_[0] <= 0.5 + $noise };
	return 1 if $none->($row->[0]);
	return 0 if $row->[0] ne '1' || !$none->($row->[2]) && $row->[2] ne '1';
	return $none->($row->[2]) || !grep { ($_->[1] // '') eq ($row->[1] // '') } @$exact;
}

sub different
{
	my ($self, $what, $step) = @_;
	my $of = join '+', @{ $self->{features} };
	$self->failure("differs $of", "differs from the owner's: $what", $step);
	return 'different';
}

1;
