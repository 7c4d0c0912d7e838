# One SELECT with slots that features fill: what it reads, what it shows, conditions, groups.
#
# Every level reads rows of (u, k, v), a unit, a key and a number, and shows rows of the
# same columns, so that any level may be read by any other.  An aggregate is written as
# <<name:argument>> and becomes PostgreSQL's or the extension's, as form says, or PostgreSQL's of
# clamped values; above what is released it is PostgreSQL's in any case.
package FuzzLevel;

use strict;
use warnings;

# The most of what is clamped, by aggregate; the least is 0.
my %most = (sum => 5000, map { ($_ => 100) } qw(avg variance stddev min max));

# An aggregate in the extension's form, or in PostgreSQL's, with its values clamped as the extension clamps them.
my %forms = (
	plain => sub { "$_[0]($_[1])" },
	dp => sub { $most{ $_[0] } ? "dp_$_[0]($_[1], 0, $most{ $_[0] })" : "dp_$_[0]($_[1])" },
	clamped => sub {
		my ($name, $of) = @_;
		my $most = $most{$name} or return "$name($of)";
		my $distinct = $of =~ s/^(DISTINCT )// ? $1 : '';
		return "$name(${distinct}CASE WHEN $of < 0 THEN 0 WHEN $of > $most THEN $most ELSE $of END)";
	});

# A level over a relation: an item of FROM without its alias, or a SELECT.
sub new
{
	my ($class, $from, %options) = @_;
	my $item = $from =~ /^\s*(?:SELECT|WITH|VALUES|TABLE|\()/i ? "($from)" : $from;
	return bless {
		from => "$item r", t => { u => 'r.u', k => 'r.k', v => 'r.v' }, raw => { u => 'r.u', k => 'r.k', v => 'r.v' },
		map({ ($_ => []) } qw(with joins where group having window order extra after before afterwards)), distinct => '', tail => '',
		form => 'plain', second => 'visits', %options }, $class;
}

# What a level becomes where it is read by another.
sub over
{
	my ($self, %options) = @_;
	my $text = $self->text;
	return FuzzLevel->new($self->{named} // $text, form => $self->{form}, second => $self->{second}, released => $self->{released},
		before => [ @{ $self->{before} } ], afterwards => [ @{ $self->{afterwards} } ], names => $self->{names}, %options);
}

# Aggregates of the level; whatever is shown is then of its groups.
sub group
{
	my ($self, $shown, @keys) = @_;
	push @{ $self->{group} }, @keys;
	$self->{t} = { %{ $self->{t} }, %$shown };
	$self->{grouped} = 1;
	return;
}

# Aggregates written in a form.
sub written
{
	my ($text, $form) = @_;
	while ($text =~ /<<(\w+):((?:(?!<<|>>).)*)>>/s)
	{
		my ($name, $of) = ($1, $2);
		my $call = $forms{$form}->($name, $of);
		substr($text, $-[0], $+[0] - $-[0]) = $call;
	}
	return $text;
}

# The level as a SELECT.
sub text
{
	my ($self) = @_;
	my $text = @{ $self->{with} } ? 'WITH ' . ($self->{recursive} // '') . join(', ', @{ $self->{with} }) . ' ' : '';
	my @shown = (map({ "$self->{t}{$_} AS $_" } qw(u k v)), @{ $self->{extra} });
	$text .= 'SELECT ' . $self->{distinct} . ($self->{star} && !@{ $self->{extra} } && !$self->{grouped} ? '*' : join ', ', @shown);
	$text .= " FROM $self->{from}" . join '', @{ $self->{joins} };
	$text .= ' WHERE ' . join ' AND ', @{ $self->{where} } if @{ $self->{where} };
	$text .= ' GROUP BY ' . ($self->{by} // '') . join ', ', @{ $self->{group} } if @{ $self->{group} };
	$text .= ' HAVING ' . join ' AND ', @{ $self->{having} } if @{ $self->{having} };
	$text .= ' WINDOW ' . join ', ', @{ $self->{window} } if @{ $self->{window} };
	$text .= ' ORDER BY ' . join ', ', @{ $self->{order} } if @{ $self->{order} };
	$text .= $self->{tail};
	$text = $_->($text) for @{ $self->{after} };
	$text = written($text, $self->{released} ? 'plain' : $self->{form});
	$self->{released} ||= $self->{grouped} && !$self->{of_units};
	return $text;
}

1;
