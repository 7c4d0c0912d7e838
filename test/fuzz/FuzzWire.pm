# A client of the wire protocol that sees all a server sends: rows, notices,
# every field of an error, the transaction's state, and a lost connection.
#
# psql hides the file and function of errors and what came before one; a fuzzer
# that looks for a byte that should not be there wants them all.
package FuzzWire;

use strict;
use warnings;

use IO::Select;
use IO::Socket::UNIX;

# Seconds without a byte from the server before it counts as hung, unless told otherwise.
use constant PATIENCE => 120;

# Connect to a socket directory and port as a role, with a patience; dies if that fails.
sub connect
{
	my ($class, %to) = @_;
	my $socket = IO::Socket::UNIX->new(Peer => "$to{host}/.s.PGSQL.$to{port}")
	  or die "could not connect: $!\n";
	my $self = bless { socket => $socket, buffer => '', state => '', patience => $to{patience} // PATIENCE }, $class;
	my $startup = pack('N', 196608) . join '', map { "$_\0" }
	  (user => $to{user}, database => $to{database}, client_encoding => 'UTF8',
		application_name => $to{name} // 'fuzz');
	$startup .= "\0";
	$self->put(pack('N', length($startup) + 4) . $startup);
	my $answer = $self->answer;
	die 'could not log in: ' . ($answer->{error}{M} // 'connection lost') . "\n" if $answer->{lost} || $answer->{error};
	return $self;
}

# Send bytes; a closed connection shows when the answer is read.
sub put
{
	my ($self, $bytes) = @_;
	local $SIG{PIPE} = 'IGNORE';
	while (length $bytes)
	{
		my $sent = syswrite $self->{socket}, $bytes;
		return unless defined $sent;
		substr($bytes, 0, $sent) = '';
	}
	return;
}

sub put_message
{
	my ($self, $type, $body) = @_;
	$self->put($type . pack('N', length($body) + 4) . $body);
	return;
}

# Read one message; returns nothing when the connection is lost or hung.  Once it hung nothing more is read:
# what comes late would be taken for the answer to a later query.
sub get_message
{
	my ($self) = @_;
	until ($self->{hung})
	{
		if (length $self->{buffer} >= 5)
		{
			my ($type, $length) = unpack 'aN', $self->{buffer};
			if (length $self->{buffer} > $length)
			{
				my $body = substr $self->{buffer}, 5, $length - 4;
				substr($self->{buffer}, 0, $length + 1) = '';
				return ($type, $body);
			}
		}
		if (!IO::Select->new($self->{socket})->can_read($self->{patience})) { $self->{hung} = 1 }
		elsif (!sysread $self->{socket}, $self->{buffer}, 65536, length $self->{buffer}) { last }
	}
	return;
}

# The fields of an error or a notice, by their letters.
sub fields
{
	my ($body) = @_;
	return { map { length $_ ? (substr($_, 0, 1) => substr($_, 1)) : () } split /\0/, $body };
}

# The values of a row; undef is NULL.
sub values_of
{
	my ($body) = @_;
	my $count = unpack 'n', $body;
	my $at = 2;
	my @values;
	for (1 .. $count)
	{
		my $length = unpack 'N', substr $body, $at, 4;
		$at += 4;
		if ($length == 0xffffffff) { push @values, undef; next }
		push @values, substr $body, $at, $length;
		$at += $length;
	}
	return \@values;
}

# Read until the server is ready again.  The answer holds rows, columns, copied
# lines, notices, command tags, the first error, and everything as it came.
sub answer
{
	my ($self) = @_;
	my %answer = (rows => [], notices => [], tags => [], copied => '', all => '');
	for (;;)
	{
		my ($type, $body) = $self->get_message;
		if (!defined $type)
		{
			@answer{qw(lost hung)} = (1, $self->{hung});
			last;
		}
		$answer{all} .= $body unless $type eq 'S' || $type eq 'K' || $type eq 'R';
		if ($type eq 'Z') { $self->{state} = $body; last }
		elsif ($type eq 'D') { push @{ $answer{rows} }, values_of($body) }
		elsif ($type eq 'E') { $answer{error} //= fields($body) }
		elsif ($type eq 'N') { push @{ $answer{notices} }, fields($body) }
		elsif ($type eq 'C') { push @{ $answer{tags} }, $body =~ s/\0$//r }
		elsif ($type eq 'd') { $answer{copied} .= $body }
		elsif ($type eq "G") { $self->refuse_copy }
	}
	$answer{state} = $self->{state};
	return \%answer;
}

# Answer a COPY FROM STDIN with a failure; what followed it was lost with it.
sub refuse_copy
{
	my ($self) = @_;
	$self->put_message("f", "no data\0");
	$self->put_message("S", "") if $self->{extended};
	return;
}

# Run a string of statements by the simple protocol.
sub query
{
	my ($self, $sql) = @_;
	$self->{extended} = 0;
	$self->put_message('Q', "$sql\0");
	return $self->answer;
}

# Run one statement by the extended protocol, its parameters bound as text.
# `describe` asks for the parameter types and columns first, `limit` fetches so
# many rows and leaves the portal unfinished.
sub execute
{
	my ($self, $sql, $parameters, %options) = @_;
	$self->{extended} = 1;
	my $bind = "\0\0" . pack('n', 0) . pack('n', scalar @$parameters);
	$bind .= defined $_ ? pack('N', length) . $_ : pack 'N', 0xffffffff for @$parameters;
	$bind .= pack 'n', 0;
	$self->put_message('P', "\0$sql\0" . pack 'n', 0);
	$self->put_message('D', "S\0") if $options{describe};
	$self->put_message('B', $bind);
	$self->put_message('D', "P\0") if $options{describe};
	$self->put_message('E', "\0" . pack 'N', $options{limit} // 0);
	$self->put_message('S', '');
	return $self->answer;
}

sub close
{
	my ($self) = @_;
	$self->put_message('X', '');
	close $self->{socket};
	return;
}

1;
