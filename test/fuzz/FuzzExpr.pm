# Random expressions of a wanted type over the columns of a block, from the
# functions, operators and casts that the extension allows.
#
# Each comes as a pair: the analyst's text, and the owner's, which means the
# same in plain SQL: a function that may fail is called there through its twin
# that yields NULL then.
package FuzzExpr;

use strict;
use warnings;

use Exporter 'import';

our @EXPORT_OK = qw(pick chance quote_name quote_text);

# One of the arguments.
sub pick
{
	return $_[ int rand @_ ];
}

# True with a probability.
sub chance
{
	return rand() < $_[0];
}

sub quote_name
{
	my ($name) = @_;
	return $name if $name =~ /^[a-z_][a-z0-9_]*$/;
	return '"' . $name =~ s/"/""/gr . '"';
}

sub quote_text
{
	my ($text) = @_;
	return "E'" . $text =~ s/(['\\])/\\$1/gr . "'";
}

# Constants of every type the grammar uses.
my %constants = (
	bool => [qw(t f)], int2 => [qw(-32768 -1 0 1 2 7 32767)],
	int4 => [qw(-2147483648 -7 -1 0 1 2 3 5 10 30 64 100 2147483647)],
	int8 => [qw(-9223372036854775808 -1 0 1 3 100 4294967296 9223372036854775807)],
	float4 => [qw(NaN Infinity -Infinity 0 -0 1 -1.5 0.25 3.4e38)],
	float8 => [qw(NaN Infinity -Infinity 0 -0 1 -1 0.5 2 10 100 1e-300 1.7e308 710)],
	numeric => [qw(NaN Infinity 0 1 -1 0.5 2.50 10 100 1e30 -1e-30)],
	text => [ '', 'a', 'Lyon', 'lyon', 'é', '%', '_', 'x\\\\y', ' ', 'year', '日本', '1' ],
	bpchar => [ '', 'ab', 'cd ', 'é' ], mood => [qw(sad ok happy)],
	jsonb => [ '{}', '[]', '{"a": 1}', 'null', '1', '"x"', '[1, {"a": 2}]' ],
	uuid => [qw(00000000-0000-0000-0000-000000000000 ffffffff-ffff-ffff-ffff-ffffffffffff)],
	date => [ qw(infinity -infinity 2020-02-29 2021-01-01 0001-01-01), '4713-01-01 BC' ],
	timestamp => [ qw(infinity -infinity), '2020-02-29 12:34:56.789', '2021-01-01', '294276-12-31 23:59:59' ],
	timestamptz => [ qw(infinity), '2020-02-29 12:34:56+00', '2021-03-28 01:30+00', '4713-01-02 00:00+00 BC' ],
	time => [ '00:00', '12:34:56.7', '24:00' ], timetz => [ '00:00+00', '12:00-05', '24:00+15:59' ],
	interval => [ '0', '1 day', '-1 mon', '36:00:01.5', '178956970 years', '1 microsecond' ],
	oid => [qw(0 1 4294967295)], name => [ '', 'a', 'Lyon' ], bytea => [ '', '\\\\x00ff' ], '"char"' => [qw(a b)],
	money => [qw(0 1.50 -92233720368547758.08)], inet => [qw(10.0.0.1/8 ::1)], pg_lsn => [qw(0/0 FF/1)],
	'int4[]' => [ '{}', '{1}', '{0,2,NULL}', '{1,2,3,4,5}', '{{1,2},{0,NULL}}' ], 'text[]' => [ '{}', '{Lyon}', '{lima,NULL,a}', '{""}' ],
	int4range => [ 'empty', '(,)', '[1,3)', '[2,)', '(,5)' ], bit => [qw(0 1)], macaddr => ['08:00:2b:01:02:03'], macaddr8 => ['08:00:2b:01:02:03:04:05']);

# Words that arguments beside the subject want, by the function's name.
my %guides = (
	field => [qw(year month day hour minute second dow doy epoch quarter week isoyear century microseconds julian timezone)],
	zone => [qw(UTC Europe/Paris America/New_York +3 PST8PDT)], format => [ 'YYYY-MM', 'Day, DD', 'HH24:MI:SS.US', 'IYYY-IW', 'J "x"' ]);
my %guide_of = (
	date_part => 'field', extract => 'field', date_trunc => 'field', timezone => 'zone', to_char => 'format');

# Types that can be a group's key, whose equal values look alike once released.
our @KEY_TYPES = qw(bool int2 int4 int8 float4 float8 numeric text mood date timestamp timestamptz time uuid interval);

# A generator over what a server allows.
sub new
{
	my ($class, $server) = @_;
	my $self = bless { returning => {} }, $class;
	for my $kind (qw(functions operators casts))
	{
		for my $call (@{ $server->{$kind} })
		{
			next if grep { !$constants{$_} } @{ $call->{args} };
			push @{ $self->{returning}{ $call->{result} } }, { %$call, kind => $kind };
		}
	}
	return $self;
}

# Generate for a block: columns by type; with `params`, constants may become
# parameters, whose values are collected there.
sub over
{
	my ($self, $columns, %options) = @_;
	my %by_type;
	for my $name (sort keys %$columns)
	{
		push @{ $by_type{ $columns->{$name} =~ s/\(.*//r } }, $name;
	}
	return bless { %$self, columns => \%by_type, %options }, ref $self;
}

# Literal text of a value of a type.
sub literal
{
	my ($type, $value) = @_;
	return quote_text($value =~ s/\\\\/\\/gr) . "::$type";
}

sub constant
{
	my ($self, $type, $values) = @_;
	my $value = pick(@{ $values // $constants{$type} });
	my $plain = literal($type, $value);
	return [ "NULL::$type", "NULL::$type" ] if chance(0.02);
	if ($self->{params} && chance(0.4))
	{
		push @{ $self->{params} }, $value =~ s/\\\\/\\/gr;
		return [ '$' . @{ $self->{params} } . "::$type", $plain ];
	}
	return [ "(SELECT $plain)", $plain ] if !$self->{params} && chance(0.05);
	return [ $value, $value ] if $type eq 'int4' && $value =~ /^\d+$/ && chance(0.5);
	return [ $plain, $plain ];
}

sub column
{
	my ($self, $type) = @_;
	my $names = $self->{columns}{$type} or return $self->constant($type);
	my $name = quote_name(pick(@$names));
	$name = "$self->{alias}.$name" if defined $self->{alias} && chance(0.3);
	return [ $name, $name ];
}

# Join pairs by a format for both texts.
sub compose
{
	my ($format, @parts) = @_;
	return [ map { my $i = $_; sprintf $format, map { $_->[$i] } @parts } 0, 1 ];
}

# An argument beside the subject: a constant that the function understands.
sub guide
{
	my ($self, $call, $type) = @_;
	my $words = $guide_of{ $call->{name} };

	# Patterns may be columns: short ones, and not what PostgreSQL fails on.
	return compose(q{replace(CASE WHEN octet_length(%s) < 60 THEN %s END, '\\', '')}, ($self->column('text')) x 2)
	  if $type eq 'text' && chance(0.2) && ($call->{is_like} || $call->{name} =~ /^(?:strpos|position)$/) && $self->{columns}{text};
	return $self->column('int4') if $type eq 'int4' && chance(0.2) && $call->{name} =~ /^(?:substr|substring|left|right|split_part)$/ && $self->{columns}{int4};
	return $self->constant('text', $guides{$words}) if $words && $type eq 'text';

	# Negative ones mean nothing to the planner, an error to the function itself.
	return $self->constant($type, [ 0, 1, 3, 6 ]) if $type eq 'int4' && $call->{result} =~ /^time/;
	return $self->constant($type, [ 2147418112, 2147418115, 2147418118 ]) if $type eq 'int4' && $call->{name} =~ /interval/;
	return $self->constant($type, [ 0, 1, 2, 3, -2, 12 ]) if $type eq 'int4' && chance(0.9);
	return $self->constant('text', [ 'L%', '%o%', '_a%', 'Lyon', '', '%\\\\_%', 'é%' ]) if $call->{is_like};
	return $self->constant($type);
}

# A call of a function, an operator or a cast.
sub call
{
	my ($self, $call, $depth) = @_;
	my @args = map {
		my $guided = $call->{subject} >= 0 && $_ != $call->{subject};
		$guided ? $self->guide($call, $call->{args}[$_]) : $self->typed($call->{args}[$_], $depth - 1)
	} 0 .. $#{ $call->{args} };
	my $twin = "try.f$call->{oid}(" . join(', ', map { $_->[1] } @args) . ')';
	my @dp = map { $_->[0] } @args;
	my $text;
	if ($call->{kind} eq 'operators')
	{
		my $operator = chance(0.1) ? "OPERATOR(pg_catalog.$call->{name})" : $call->{name};
		$text = "($dp[0] $operator $dp[1])";
		$twin = "($args[0][1] $call->{name} $args[1][1])" if $call->{total};
	}
	elsif ($call->{kind} eq 'casts')
	{
		$text = chance(0.5) ? "($dp[0])::$call->{result}" : "CAST($dp[0] AS $call->{result})";
		$twin = "($args[0][1])::$call->{result}" if $call->{total};
	}
	else
	{
		$text = (chance(0.8) ? 'pg_catalog.' : '') . "$call->{name}(" . join(', ', @dp) . ')';
		$text = "pg_catalog.$call->{name}(" . join(', ', @dp) . ')' unless $call->{name} =~ /^[a-z]\w+$/ && $text !~ /^(?:timestamp|time|interval|numeric|bit|varchar|extract|position|substring|overlay|trim)/;
		$twin = "pg_catalog.$call->{name}(" . join(', ', map { $_->[1] } @args) . ')' if $call->{total};
	}
	return [ $text, $twin ];
}

# Constructs of the grammar that have any type.
sub construct
{
	my ($self, $type, $depth) = @_;
	my @of = map { $self->typed($type, $depth - 1) } 1 .. 3;
	my $comparable = $type ne 'jsonb';
	return compose('COALESCE(%s, %s)', @of[ 0, 1 ]) if chance(0.3);
	return compose('NULLIF(%s, %s)', @of[ 0, 1 ]) if $comparable && chance(0.2);
	return compose(pick('GREATEST', 'LEAST') . '(%s, %s, %s)', @of) if $comparable && chance(0.3);
	return compose('CASE WHEN %s THEN %s ELSE %s END', $self->typed('bool', $depth - 1), @of[ 0, 1 ]) if chance(0.7);
	my $other = pick(qw(int4 text bool int8 date));
	return compose('CASE %s WHEN %s THEN %s WHEN %s THEN %s END', $self->typed($other, $depth - 1),
		$self->constant($other), $of[0], $self->constant($other), $of[1]);
}

# What is asked of an array or a range.
sub of_containers
{
	my ($self, $depth) = @_;
	my ($type, $element) = @{ pick([ 'int4[]', 'int4' ], [ 'text[]', 'text' ], [ 'int4range', 'int4' ]) };
	my $one = $self->column($type);
	my $other = chance(0.5) ? $self->column($type) : $self->constant($type);
	my $value = $self->typed($element, $depth - 1);
	return compose('(%s ' . pick('@>', '<@', '&&', '=', '<>') . ' %s)', chance(0.5) ? ($one, $other) : ($other, $one)) if chance(0.4);
	return compose(pick('(%s IS NULL)', '(%s IS NOT NULL)'), $one) if chance(0.1);
	if ($type ne 'int4range')
	{
		return compose('(cardinality(%s) ' . pick('=', '>') . ' ' . pick(0, 2, 3) . ')', $one) if chance(0.2);
		return compose('((%s)[%s] ' . pick('=', '<', '>=') . ' %s)', $one, $self->typed('int4', $depth - 1), $value) if chance(0.2);
		return compose('(array_length(%s, %s) > 1)', $one, $self->typed('int4', $depth - 1)) if chance(0.2);
		return compose('(%s ' . pick(qw(= <> < >=)) . ' ' . pick('ANY', 'ALL') . ' (%s))', $value, $one);
	}
	return compose('(' . pick(qw(isempty lower_inf upper_inf)) . '(%s))', $one) if chance(0.2);
	return compose('(%s(%s) < %s)', [ (pick('lower', 'upper')) x 2 ], $one, $value) if chance(0.3);
	return compose('(%s @> %s)', $one, $value) if chance(0.4);
	my ($from, $to) = map { $self->typed('int4', $depth - 1) } 1, 2;
	my $range = compose('int4range(%s, %s)', $from, $to);
	my $says = compose(pick('(%s @> %s)', '(%s && %s)'), $range, $self->constant('int4range'));
	$says = compose('(%s <@ %s)', $value, $range) if $says->[0] =~ /@>/;
	return [ $says->[0], "(CASE WHEN $from->[1] > $to->[1] THEN NULL ELSE $says->[1] END)" ];
}

# Conditions.
sub condition
{
	my ($self, $depth) = @_;
	my $type = pick(qw(int4 int8 int2 numeric float8 float4 text date timestamp timestamptz mood bpchar uuid time interval));
	return $self->of_containers($depth) if $self->{columns}{'int4[]'} && chance(0.15);
	my $way = int rand 11;
	my @bool = map { $self->typed('bool', $depth - 1) } 1, 2;
	return compose('(%s AND %s)', @bool) if $way == 0;
	return compose('(%s OR %s)', @bool) if $way == 1;
	return compose('(NOT %s)', $bool[0]) if $way == 2;
	return compose('(%s ' . pick('IS TRUE', 'IS NOT FALSE', 'IS UNKNOWN', 'IS NOT TRUE') . ')', $bool[0]) if $way == 3;
	my $subject = $self->typed($type, $depth - 1);
	return compose('(%s IS ' . pick('', 'NOT ') . 'NULL)', $subject) if $way == 4;
	if ($way == 5 || $way == 6)
	{
		local $self->{params} = undef;
		my @list = map { $self->constant($type) } 1 .. 1 + int rand 5;
		return compose('(%s ' . pick('', 'NOT ') . 'IN (VALUES ' . join(', ', ('(%s)') x @list) . '))', $subject, @list) if chance(0.2);
		return compose('(%s ' . pick('', 'NOT ') . 'IN (' . join(', ', ('%s') x @list) . '))', $subject, @list);
	}
	return compose('(%s BETWEEN ' . pick('', 'SYMMETRIC ') . '%s AND %s)', $subject, $self->constant($type), $self->constant($type)) if $way == 7;
	return compose('(%s IS ' . pick('', 'NOT ') . 'DISTINCT FROM %s)', $subject, $self->typed($type, $depth - 1)) if $way == 8;
	return compose('(%s ' . pick(qw(< <= > >= = <>)) . ' %s)', $subject, $self->typed($type, $depth - 1));
}

# Types that a text is read as; of dates and times only some texts are.
my %READ = map { $_ => 1 } qw(int2 int4 int8 float4 float8 numeric bool uuid);

# What takes any number of arguments of any type, arrays, or a text to be read.
sub of_texts
{
	my ($self, $type, $depth) = @_;
	if ($READ{$type})
	{
		my $text = $self->typed('text', $depth - 1);
		$text = compose('(%s)::text', $self->typed(pick(qw(int4 int2 bool)), $depth - 1)) if chance(0.6);
		return [ "($text->[0])::$type", "try.read_$type($text->[1])" ];
	}
	my @parts = map { $self->typed(pick(qw(text int4 bool mood bpchar)), $depth - 1) } 1 .. 1 + int rand 3;
	my $list = join ', ', ('%s') x @parts;
	return compose("concat($list)", @parts) if chance(0.5);
	return compose('concat_ws(' . quote_text(pick('', ', ', 'é')) . "::text, $list)", @parts);
}

# An expression of a type.
sub typed
{
	my ($self, $type, $depth) = @_;
	return chance(0.8) ? $self->column($type) : $self->constant($type) if $depth <= 0 || chance(0.15);
	return $self->condition($depth) if $type eq 'bool' && chance(0.6);
	return $self->of_texts($type, $depth) if ($READ{$type} || $type eq 'text') && chance(0.1);
	return compose('width_bucket(%s, ARRAY[' . join(', ', pick([ 0, 3 ], [ -5, 2, 100 ], [7])->@*) . '])', $self->typed('int4', $depth - 1)) if $type eq 'int4' && chance(0.05);
	my $calls = $self->{returning}{$type};
	return $self->call(pick(@$calls), $depth) if $calls && chance(0.7);
	return compose('(%s COLLATE "C")', $self->typed($type, $depth - 1)) if $type eq 'text' && chance(0.1);
	return $self->construct($type, $depth);
}

1;
