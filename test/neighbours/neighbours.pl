# dp_agg beside each extension that is installed: no crash, the answers that it gives by itself, and nothing
# that PUBLIC may call or read of the neighbour tells databases that are one person apart from each other, once
# `harden` closed what it shows.
#
# What is installed is tried; test/neighbours/run installs what Debian has, in a layer over the machine's file system.
#
#	DP_NEIGHBOURS		these neighbours, by name, in that order; or all, which is the default
#	DP_NEIGHBOURS_DRAWN	if set, each is tried in one order alone
#	DP_NEIGHBOURS_FILE	where the table of results is written to
#	DP_NEIGHBOURS_UNTIL	when to be done, in seconds since 1970: none is begun that may take longer
#	DP_NEIGHBOURS_ORDERS	2 for before dp_agg alone and after it with pg_stat_statements, instead of all 4
#	DP_NEIGHBOURS_SHOW	note what tries at these objects, a regular expression, show in the odd database
#	DP_FUZZ_SEED		what is drawn; printed
#
# A neighbour that has something to preload is preloaded before dp_agg and after it, alone and with pg_stat_statements.  Its functions are
# called without dp_agg first: what ends the server or does not end there is left out, and named.  What does so beside dp_agg alone is
# tried again, in both: it is a failure if it is lost again with dp_agg and never is without.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use List::Util qw(shuffle);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use NeighbourServer;
use NeighbourTries;
use NeighbourUnits;

my $seed = $ENV{DP_FUZZ_SEED} // int(time * 1000) % 1_000_000_000;
my $wanted = $ENV{DP_NEIGHBOURS} // 'all';
my $until = $ENV{DP_NEIGHBOURS_UNTIL} || 1e12;
my $drawn = $ENV{DP_NEIGHBOURS_DRAWN};
srand($seed);
system "prlimit --pid $$ --as=6000000000 --core=0 2>/dev/null";

my $MOST_PURE = 300;

# Where an extension keeps its schema to itself, the analyst may use it, as she may once an administrator wants her to use the extension.
my $USAGE = <<'SQL';
DO $$
DECLARE
	own regnamespace;
BEGIN
	FOR own IN SELECT extnamespace FROM pg_extension WHERE extname <> 'dp_agg'
		UNION SELECT objid FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
		WHERE d.classid = 'pg_namespace'::regclass AND d.deptype = 'e' AND e.extname <> 'dp_agg'
	LOOP
		IF NOT has_schema_privilege('ann', own, 'USAGE') THEN
			EXECUTE format('GRANT USAGE ON SCHEMA %s TO ann', own);
		END IF;
	END LOOP;
END
$$
SQL

# What one that has few functions may take in one order, and in all, in seconds, on a machine that has others to do.
my $MOST_SECONDS = $drawn ? 75 : 180;
my $questions = slurp_file("$FindBin::RealBin/questions.sql");
my %remaining = read_remaining("$FindBin::RealBin/remaining");
my $beside = NeighbourServer->new(1);
my $by_itself = NeighbourServer->new(0);
my $server = $beside;
my ($major) = $beside->{node}->pg_version =~ /^(\d+)/;
my @units = units($major);
my %named = map { $_->{name} => $_ } @units;
@units = grep { defined } map { $named{$_} } split /[\s,]+/, $wanted if $wanted ne 'all';
plan skip_all => 'no neighbours are installed' if !@units;
diag("DP_FUZZ_SEED=$seed, " . @units . ' neighbours');

# What remains open to PUBLIC after harden: a line each of object, as a regular expression, and remedy.
sub read_remaining
{
	my ($file) = @_;
	return map { /^(?!#)(\S.*?) \| (.*)$/ ? ($1 => $2) : () } split /\n/, slurp_file($file);
}

# Answers to all questions in a database, by section.
sub answers
{
	my ($database, $epsilon, $messages) = @_;
	my ($text, $whole) = $server->run($database, 'ann', $questions, psql => [ '-v', "epsilon=$epsilon", '-v', "messages=$messages" ]);
	my %sections;
	for (split /^(?=@ )/m, $text) { $sections{$1} .= $2 if /^@ (.*)\n(.*)\z/s }
	$sections{end} .= 'it did not come to its end' if !$whole;
	return \%sections;
}

# Sections without noise, times, and names of databases and relations.
sub without_noise
{
	my ($text) = @_;
	for ($text)
	{
		s/^(noisy\w*)\|(?!\(null\)).*$/$1|#/mg;
		s/\bnoisy:\S+/noisy:#/g;
		s/\bactual time=[\d.]+\.\.[\d.]+/actual time=#/g;
		s/\b(Time[">]*:? ?|duration: |Timing: \w+ )[\d.]+/$1#/g;
		s/\b(PID|process) \d+/$1 #/g;
		s/\bpg_(toast_)?temp_\d+/pg_temp_#/g;
		s/\b(?:one|two|odd)\b/#/g;
		s/^psql:\S+?:\d+: //mg;
	}
	return $text;
}

# What sections differ in, the first line of each.
sub differences
{
	my ($left, $right, $name) = @_;
	my @found;
	for my $section (sort keys %$left)
	{
		my ($x, $y) = map { without_noise_if($name, $_->{$section} // '') } $left, $right;
		next if $x eq $y;
		my @x = split /\n/, $x;
		my @y = split /\n/, $y;
		my ($i) = grep { ($x[$_] // '') ne ($y[$_] // '') } 0 .. ($#x > $#y ? $#x : $#y);
		push @found, "$section: " . substr($x[$i] // '(nothing)', 0, 300) . ' / ' . substr($y[$i] // '(nothing)', 0, 300);
	}
	return @found;
}

sub without_noise_if
{
	my ($name, $text) = @_;
	return $name eq 'noise' ? without_noise($text) : $text =~ s/^psql:\S+?:\d+: //mgr;
}

# Answers without the messages that others do not have: a newer version of a neighbour may say more.
sub without_more_messages
{
	my ($answers, $others) = @_;
	my %less;
	for my $section (keys %$answers)
	{
		my %there = map { s/^psql:\S+?:\d+: //r => 1 } split /\n/, $others->{$section} // '';
		$less{$section} = join '', grep { my $line = s/^psql:\S+?:\d+: //r; chomp $line; $there{$line} || $line !~ /^(?:DEBUG|LOG|INFO|NOTICE|WARNING):/ } $answers->{$section} =~ /[^\n]*\n|[^\n]+/g;
	}
	return \%less;
}

# How many statements were charged and refused in a database.
sub books
{
	my ($database) = @_;
	return ($server->admin($database, 'SELECT sum(statements), sum(refusals) FROM dp_agg.budget'))[0];
}

# Make the neighbour's extensions in the databases; returns what kept it from that.
sub create
{
	my ($unit) = @_;
	my @why;
	for my $database ($server->{with} ? @NeighbourServer::DATABASES : 'one')
	{
		next if $unit->{database} && $unit->{database} ne $database;
		my %available = map { $_ => 1 } split /\n/, ($server->admin($database, 'SELECT name FROM pg_available_extensions'))[0];
		for my $extension (grep { $available{$_} } @{ $unit->{create} })
		{
			my ($out, $err, $ret) = $server->admin($database, "SET client_min_messages = error;\nSET search_path = public;\nCREATE EXTENSION IF NOT EXISTS \"$extension\" CASCADE");
			push @why, "$extension: " . ($err =~ s/.*?ERROR:\s+([^\n]*).*/$1/sr) if $ret != 0 && $database eq ($unit->{database} // 'one');
		}
		$server->admin($database, $USAGE);
		next if $unit->{admin} eq '';
		my ($out, $err, $ret) = $server->admin($database, "SET client_min_messages = error;\n$unit->{admin}");
		push @why, $err =~ s/.*?ERROR:\s+([^\n]*).*/$1/sr if $ret != 0 && $database eq ($unit->{database} // 'one');
		$server->admin($database, 'VACUUM (FREEZE, ANALYZE)');
	}
	return @why;
}

# Start the server anew for a neighbour that can be in one database only, with it in that one, hardened or not.
sub alone_in
{
	my ($unit, $database, $hardened) = @_;
	my $crashes = $server->crashes;
	$unit->{ended_alone} .= "$crashes\n" if $crashes ne '';
	my $why = $server->restart_with(preloads($unit, 'before', 0), $unit->{conf} =~ s/'one'/'$database'/gr);
	BAIL_OUT("$unit->{name} does not start in $database: $why") if $why ne '';
	my $failed = join '; ', create({ %$unit, database => $database });
	push @{ $unit->{says} }, "in $database: $failed" if $failed ne join '; ', @{ $unit->{not_created} // [] };
	$server->admin($database, 'SELECT count(*) FROM dp_agg.harden(true)') if $hardened;
	return;
}

# The analyst's tries in all databases, before the owner does something and after, until it is clear what differs.
sub try_all
{
	my ($unit, $tries, $hardened) = @_;
	my (%flagged, %lost, %what, %last_shown);
	my @orders = ([qw(one two odd)], [qw(odd one two)], [qw(two odd one)]);
	for my $round (0 .. 2)
	{
		my %shown;
		for my $database (@{ $orders[$round] })
		{
			alone_in($unit, $database, $hardened) if $unit->{database};
			for my $pass (1, 2)
			{
				# What cannot name a table is called once; then what told something is, and what may switch something on.
				my @now = grep { $round ? $flagged{ $_->{key} } || $_->{switch} : !$_->{pure} || $pass == 1 } @$tries;
				my ($shown, $lost) = run_tries($server, $database, \@now);
				$shown{$database}{"$pass $_"} = $shown->{$_} for keys %$shown;
				%lost = (%lost, %$lost);
				$server->run($database, 'olga', $NeighbourServer::OWNER) if $pass == 1;
			}
		}
		%last_shown = %{ $shown{odd} } if !$round;
		my %now;
		for my $try (@$tries)
		{
			for my $pass (1, 2)
			{
				my @three = map { ($shown{$_}{"$pass $try->{key}"} // '') =~ s/^psql:\S+?:\d+: //mgr } @NeighbourServer::DATABASES;
				next if !differs(@three);
				$now{ $try->{key} } = $try;
				$what{ $try->{key} } = \@three;
			}
		}
		%flagged = $round ? map { $now{$_} ? ($_ => $now{$_}) : () } keys %flagged : %now;
		last if !%flagged;
	}
	if (my $watched = $ENV{DP_NEIGHBOURS_SHOW})
	{
		note("$_->{sql}\n", $last_shown{"2 $_->{key}"} // $last_shown{"1 $_->{key}"} // '') for grep { $_->{object} =~ /$watched/ } @$tries;
	}
	forget_chance(\%flagged, \%what);
	note("$_: one " . join ' / ', map { substr s/\n/ ; /gr, 0, 300 } @{ $what{$_} }) for sort keys %flagged;
	my %objects = map { $_->{object} => 1 } values %flagged;
	return ([ sort keys %objects ], \%lost);
}

# Forget what the first database shows too when it is asked again, with nothing done in between: a coin that was tossed.
sub forget_chance
{
	my ($flagged, $what) = @_;
	for (1 .. 12)
	{
		my ($shown) = run_tries($server, 'one', [ values %$flagged ]);
		delete $flagged->{$_} for grep { ($shown->{$_} // '') =~ s/^psql:\S+?:\d+: //mgr eq $what->{$_}[2] } keys %$flagged;
		last if !%$flagged;
	}
	return;
}

# The libraries that are preloaded, in order.
sub preloads
{
	my ($unit, $order, $statements) = @_;
	my @others = grep { !($statements && $_ eq 'pg_stat_statements') } @{ $unit->{with} }, @{ $unit->{preload} };
	my @ours = $server->{with} ? ('dp_agg') : ();
	my @all = ($statements ? 'pg_stat_statements' : (), $order eq 'before' ? (@others, @ours) : (@ours, @others));
	my %seen;
	return [ grep { !$seen{$_}++ } @all ];
}

# One order in which a neighbour is preloaded: the same answers, and nothing that differs but noise.
sub in_order
{
	my ($unit, $order, $statements, $baseline) = @_;
	my $name = "$unit->{name} $order" . ($statements ? ' with pg_stat_statements' : '');
	my $why = $server->restart_with(preloads($unit, $order, $statements), $unit->{conf});
	if ($why ne '')
	{
		push @{ $unit->{says} }, "$name: does not start: " . substr($why =~ s/^.*?(?:FATAL|ERROR):\s+//sr, 0, 200);
		return 0;
	}
	my @why = create($unit);
	$unit->{not_created} = [@why] if @why;
	$server->admin('one', 'CREATE EXTENSION pg_stat_statements') if $statements;
	my $exact = answers('one', '1e6', 'notice');
	$exact = without_more_messages($exact, $baseline->{exact}) if $drawn;
	my @differ = grep { !/^plan: / } differences($baseline->{exact}, $exact, 'exact');
	is(join("\n", @differ), '', "$name: answers as without it");
	is(join("\n", differences(answers('one', 1, 'debug1'), answers('odd', 1, 'debug1'), 'noise')), '', "$name: nothing but noise differs");
	is(books('odd'), $baseline->{books}, "$name: and the charges are the same");
	my $crashes = $server->crashes;
	if ($unit->{ends_by_itself}) { push @{ $unit->{says} }, 'its processes end without dp_agg, too' }
	else { is($crashes, '', "$name: nothing crashed") }
	push @{ $unit->{crashes} }, $name if $crashes ne '' && !$unit->{ends_by_itself};
	push @{ $unit->{answers} }, $name if @differ;
	return 1;
}

# What the neighbour's functions do by themselves, without dp_agg.
sub tries_by_itself
{
	my ($unit) = @_;
	$server = $by_itself;
	my @tries;
	my $why = $server->restart_with(preloads($unit, 'after', 0), $unit->{conf});
	if ($why eq '')
	{
		create($unit);
		$unit->{ends_by_itself} = $server->crashes;
		@tries = grep { !$unit->{skip} || $_->{object} !~ $unit->{skip} } tries($server, @{ $unit->{create} });

		# Of what cannot name a table, so many at most.
		my @pure = shuffle(grep { $_->{pure} } @tries);
		my %dropped = map { $_->{key} => 1 } @pure[ $MOST_PURE .. $#pure ];
		@tries = grep { !$dropped{ $_->{key} } } @tries;
		my ($shown, $lost) = run_tries($server, 'one', \@tries);
		$unit->{by_itself} = $lost;

		# What sleeps is tried once.
		my (%sleeps, %seen);
		$sleeps{ $_->{object} } = 1 for grep { ($shown->{ $_->{key} } // '') =~ /due to statement timeout/ } @tries;
		@tries = grep { !$lost->{ $_->{object} } && !($sleeps{ $_->{object} } && $seen{ $_->{object} }++) } @tries;
		push @{ $unit->{says} }, 'all that it has is closed to PUBLIC by itself' if !@tries && !%$lost && members($server, @{ $unit->{create} });
	}
	else { push @{ $unit->{says} }, "by itself: does not start: $why" }
	$server->stop;
	$server = $beside;
	return @tries;
}

# The rows of check_exposure, without those that there are without the neighbour.
sub exposures
{
	my ($baseline) = @_;
	my ($rows, $err, $ret) = $server->admin('one', "SELECT object || ': ' || channel FROM dp_agg.check_exposure('ann')");
	my %known = map { $_ => 1 } split /\n/, $baseline;
	return $ret != 0 ? "error: $err" : join "\n", grep { !$known{$_} } split /\n/, $rows;
}

# A neighbour, in all orders, or in one.
sub meet
{
	my ($unit, $baseline) = @_;
	if ($unit->{left_out})
	{
		push @{ $unit->{says} }, "not tried: $unit->{left_out}";
		return;
	}
	my @orders = @{ $unit->{preload} } ? map { ([ $_, 0 ], [ $_, 1 ]) } 'before', 'after' : [ 'beside', 0 ];
	@orders = ($orders[ rand @orders ]) if $drawn;
	@orders = @orders[ 0, 3 ] if @orders == 4 && ($ENV{DP_NEIGHBOURS_ORDERS} // 4) == 2;
	my @tries = tries_by_itself($unit);
	$unit->{tries} = @tries;
	for my $i (0 .. $#orders)
	{
		in_order($unit, @{ $orders[$i] }, $baseline) or next;
		push @{ $unit->{orders} }, join ' with statements', $orders[$i][0], $orders[$i][1] ? '' : ();
		what_shows($unit, \@tries, $baseline) if !$unit->{tried}++;
	}
	$server->stop;
	return;
}

# Of objects whose tries were lost beside dp_agg: those which are not lost again, when they are tried alone, or are lost without dp_agg, too.
sub lost_by_itself
{
	my ($unit, $tries, %lost) = @_;
	my @own;
	for my $object (sort keys %lost)
	{
		my @now = grep { $_->{object} eq $object } @$tries;
		my ($shown, $again) = run_tries($server, 'one', \@now);
		my $never = !$again->{$object} && $lost{$object} eq 'does not end';
		$by_itself->restart_with([ grep { $_ ne 'dp_agg' } @{ preloads($unit, 'after', 0) } ], $unit->{conf});
		($server, my $kept) = ($by_itself, $server);
		create($unit);
		for (1 .. 3)
		{
			last if $never;
			(undef, my $there) = run_tries($server, 'one', \@now);
			$never = $there->{$object};
		}
		$server->stop;
		$server = $kept;
		push @own, $object if $never;
	}
	return @own;
}

# What PUBLIC sees that differs, before harden and after.
sub what_shows
{
	my ($unit, $tries, $baseline) = @_;
	$unit->{exposed} = exposures($baseline->{exposed});
	note("$unit->{name}: check_exposure: $unit->{exposed}");
	return if !@$tries;
	my ($before, $lost) = try_all($unit, $tries, 0);
	$server->admin($_, 'SELECT count(*) FROM dp_agg.harden(true)') for @NeighbourServer::DATABASES;
	my ($after, $lost_after) = try_all($unit, $tries, 1);
	$unit->{before} = $before;
	$unit->{after} = $after;
	$unit->{left} = exposures($baseline->{exposed_after});
	my $crashes = ($unit->{ended_alone} // '') . $server->crashes;
	my @own = lost_by_itself($unit, $tries, %$lost, %$lost_after);
	push @{ $unit->{says} }, 'without dp_agg now and then: ' . some(map { short($_) } @own) if @own;
	delete @{$lost}{@own};
	delete @{$lost_after}{@own};
	is(join("\n", map { "$_: " . ($lost->{$_} // $lost_after->{$_}) } sort keys %{ { %$lost, %$lost_after } }), '', "$unit->{name}: all tries come to an end as without dp_agg");
	my @unknown = grep { my $object = $_; !grep { $object =~ /^$_$/ } keys %remaining } @$after;
	is(join("\n", @unknown), '', "$unit->{name}: nothing differs after harden but what is listed as remaining");
	is($crashes, '', "$unit->{name}: no try ends a process") if !@own && !$unit->{ends_by_itself};
	my ($out) = $server->admin('odd', 'SELECT count(*) FROM dp_agg.verify_ledger()');
	is($out, '0', "$unit->{name}: the ledger verifies");
	return;
}

# What there is without a neighbour.
sub baseline
{
	my %baseline;
	$server->restart_with(['dp_agg'], '');
	$baseline{exact} = answers('one', '1e6', 'notice');
	note($_, "\n", $baseline{exact}{$_}) for sort keys %{ $baseline{exact} };
	answers($_, 1, 'debug1') for 'one', 'odd';
	my @differ = differences(answers('one', 1, 'debug1'), answers('odd', 1, 'debug1'), 'noise');
	is(join("\n", @differ), '', 'without a neighbour nothing but noise differs');
	is($baseline{exact}{end}, '', 'the questions come to their end');
	$server->restart_with(['dp_agg'], '');
	answers('odd', 1, 'debug1');
	$baseline{books} = books('odd');
	$baseline{exposed} = ($server->admin('one', "SELECT object || ': ' || channel FROM dp_agg.check_exposure('ann')"))[0];
	$server->admin('one', 'SELECT count(*) FROM dp_agg.harden(true)');
	$baseline{exposed_after} = ($server->admin('one', "SELECT object || ': ' || channel FROM dp_agg.check_exposure('ann')"))[0];
	return \%baseline;
}

# A row of the table of results.
sub row
{
	my ($unit) = @_;
	my @orders = @{ $unit->{orders} // [] };
	my $all = @{ $unit->{preload} // [] } ? 4 : 1;
	my $orders = @orders == ($ENV{DP_NEIGHBOURS_ORDERS} // 4) ? 'before, after' : @orders == 1 && $all == 1 ? 'not preloaded' : join(', ', @orders) || 'none';
	my $wrong = join '; ', map { @{ $unit->{$_} // [] } ? "$_: " . join(', ', @{ $unit->{$_} }) : () } 'crashes', 'answers';
	my @own = map { sprintf '%s %s', short($_), $unit->{by_itself}{$_} } sort keys %{ $unit->{by_itself} // {} };
	my $notes = join '; ', $unit->{remark} // (), @{ $unit->{says} // [] }, @{ $unit->{not_created} // [] }, @own ? 'without dp_agg: ' . some(@own) : ();
	return '| ' . join(' | ', $unit->{name}, $unit->{version}, $orders, $wrong || 'no', $unit->{tries} // 0, map({ some(map { short($_) } @{ $unit->{$_} // [] }) || 'nothing' } 'before', 'after'),
		some(map { short($_) } split /\n/, $unit->{exposed} // '') || 'nothing', $notes =~ s/\|/ /gr) . " |\n";
}

# An object without the extension it is of, and a function without its arguments.
sub short
{
	my ($object) = @_;
	return $1 if $object =~ /^(\d+ objects)/;
	return '`' . ($object =~ s/^(?:FUNCTION|TABLE|VIEW) //r =~ s/^[\w-]+: (?=\S+(?:\(|$))//r =~ s/\(.*//sr =~ s/^public\.//r =~ s/: .*//sr) . '`';
}

# The first few of a list, each once.
sub some
{
	my %seen;
	my @list = grep { !$seen{$_}++ } @_;
	my $more = @list - 8;
	return join(', ', @list[ 0 .. ($more > 0 ? 7 : $#list) ]) . ($more > 0 ? " and $more more" : '');
}

my $baseline = baseline();
my $file = $ENV{DP_NEIGHBOURS_FILE};
my $table;
open $table, '>', $file or die "could not write $file: $!" if $file;
for my $unit (@units)
{
	if (time + $MOST_SECONDS > $until) { diag("$unit->{name}: no time is left"); next }
	my $began = time;
	meet($unit, $baseline);
	my $row = row($unit);
	diag(sprintf '%.0f s %s', time - $began, $row);
	next if !$file;
	syswrite $table, $row;
}
done_testing();
