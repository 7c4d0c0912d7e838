# One SELECT with slots that features fill: what it reads, what it shows, conditions, groups.
#
# Every level reads rows of (u, k, v), a unit, a key and a number, and shows rows of the
# same columns, so that any level may be read by any other.  An aggregate is written as
# <<name:argument>> and becomes PostgreSQL's or the extension's, as form says; above what
# is released it is PostgreSQL's in any case.
package FuzzLevel;

use strict;
use warnings;

# The aggregates that have a form of the extension's.
my %forms = (
	count => 'dp_count(%s)', sum => 'dp_sum(%s, 0, 5000)', avg => 'dp_avg(%s, 0, 100)', variance => 'dp_variance(%s, 0, 100)',
	stddev => 'dp_stddev(%s, 0, 100)', min => 'dp_min(%s, 0, 100)', max => 'dp_max(%s, 0, 100)');

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
		my $call = $form eq 'dp' && $forms{$name} ? sprintf $forms{$name}, $of : "$name($of)";
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
