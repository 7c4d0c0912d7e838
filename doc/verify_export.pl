#!/usr/bin/perl
# Does an export of the ledger hold?  Recomputes the chain of hashes from the export alone,
# with OpenSSL, and needs no server.  doc/admin.md says how to make an export.
#
# usage: verify_export.pl FILE
#
# Says which rows are changed, missing or in the wrong place, and then exits with 1.
# Otherwise prints the number and hash of the last row: compare it with one kept elsewhere.
use strict;
use warnings;

use File::Temp qw(tempdir);

# The columns in order, all but the hash by its type.
my @types = qw(int8 timestamptz text text text int8 text int8 bool text jsonb float8s
  float8 float8 float8 float8 float8 float8 float8 float8);
my ($ID, $EVENT, $RELEASES, $HASH) = (0, 2, 10, scalar @types);

# How many rows are given to OpenSSL at a time.
my $BATCH = 500;

@ARGV == 1 or die "usage: $0 FILE\n";
open my $export, '<:raw', $ARGV[0] or die "could not open $ARGV[0]: $!\n";
my $directory = tempdir(CLEANUP => 1);
my $wrong = 0;

sub problem
{
	print "@_\n";
	$wrong = 1;
	return;
}

sub take
{
	my ($length) = @_;
	my $bytes = '';
	die "the export is cut short\n" if $length > 0 && (read($export, $bytes, $length) // 0) != $length;
	return $bytes;
}

# The next row as COPY in binary writes it: a list of bytes, undef for null; nothing at the end.
sub next_row
{
	my $fields = unpack 'n', take(2);
	return if $fields == 0xFFFF;
	die "the export does not have the ledger's columns\n" if $fields <= $HASH;
	return [ map { my $length = unpack 'N', take(4); $length == 0xFFFFFFFF ? undef : take($length) } 1 .. $fields ];
}

# SHA-256 of each text.
sub digests
{
	my @texts = @_;
	my @files = map { "$directory/$_" } 0 .. $#texts;
	return if !@texts;
	for my $i (0 .. $#texts)
	{
		open my $file, '>:raw', $files[$i] or die "could not write $files[$i]: $!\n";
		print $file $texts[$i];
		close $file or die "could not write $files[$i]: $!\n";
	}
	open my $openssl, '-|', 'openssl', 'dgst', '-sha256', '-r', @files or die "could not run openssl: $!\n";
	my @digests = map { /^([0-9a-f]{64}) / ? pack('H*', $1) : die "openssl says $_" } <$openssl>;
	close $openssl or die "openssl failed\n";
	return @digests;
}

# What is hashed of a value that may be long: text of JSON without the version that COPY puts
# before it; or how many numbers an array has, and these, without their lengths.
sub long_value
{
	my ($type, $bytes) = @_;
	return pack 'N/a*', substr $bytes, 1 if $type eq 'jsonb';
	my (undef, undef, undef, $count) = unpack 'N5', $bytes;
	return '' if !defined $count || length $bytes != 20 + 12 * $count || unpack('N', substr $bytes, 16) != 1;
	return pack 'CNa*', 1, $count, join '', unpack '(x4a8)*', substr $bytes, 20;
}

# What is hashed of a row: the hash before it and each column, null or not.
sub row_value
{
	my ($before, $row, $digests) = @_;
	my $bytes = $before;
	for my $i (0 .. $#types)
	{
		$bytes .= pack 'C', defined $row->[$i];
		next if !defined $row->[$i];
		$bytes .= $types[$i] =~ /^(?:jsonb|float8s)$/ ? shift @$digests
		  : $types[$i] eq 'text' ? pack('N/a*', $row->[$i]) : $row->[$i];
	}
	return $bytes;
}

# Say which of these rows are not what their hash, and the one of the row before, say.
sub check_hashes
{
	my ($before, @rows) = @_;
	my @long = map { my $row = $_; map { $types[$_] =~ /^(?:jsonb|float8s)$/ && defined $row->[$_] ? long_value($types[$_], $row->[$_]) : () } 0 .. $#types } @rows;
	my @long_digests = digests(@long);
	my @values;
	for my $row (@rows)
	{
		push @values, row_value($before, $row, \@long_digests);
		$before = $row->[$HASH] // '';
	}
	my @digests = digests(@values);
	for my $row (@rows)
	{
		problem('row ' . unpack('q>', $row->[$ID]) . ': hash does not match: this row or the one before was changed')
		  if shift(@digests) ne ($row->[$HASH] // '');
	}
	return $before;
}

# Where the rows begin: after what the newest checkpoint stands for, if the first are gone.
sub start_of
{
	my ($rows) = @_;
	my ($last, $hash) = (0, "\0" x 32);
	return ($last, $hash) if !@$rows || unpack('q>', $rows->[0][$ID]) == 1;
	for my $row (grep { ($_->[$EVENT] // '') eq 'checkpoint' && defined $_->[$RELEASES] } @$rows)
	{
		($last) = $row->[$RELEASES] =~ /"through": (\d+)/;
		($hash) = map { pack 'H*', $_ } $row->[$RELEASES] =~ /"hash": "([0-9a-f]{64})"/;
	}
	return ($last // 0, $hash // '');
}

die "this is not an export in binary\n" if take(11) ne "PGCOPY\n\377\r\n\0";
take(4);
take(unpack 'N', take(4));
my @rows;
while (my $row = next_row())
{
	push @rows, $row;
}
my ($last, $hash) = start_of(\@rows);
for (my $from = 0; $from < @rows; $from += $BATCH)
{
	my @batch = @rows[$from .. ($from + $BATCH < @rows ? $from + $BATCH : scalar @rows) - 1];
	for my $row (@batch)
	{
		my $id = unpack 'q>', $row->[$ID];
		problem($id > $last + 1 ? 'rows ' . ($last + 1) . ' to ' . ($id - 1) . ' are missing' : "row $id does not belong here") if $id != $last + 1;
		$last = $id;
	}
	$hash = check_hashes($hash, @batch);
}
print scalar(@rows), " rows, the last is $last with hash ", unpack('H*', $hash), "\n";
exit $wrong;
