# The colours of a picture: what tests look at of a screenshot.
package Pixels;

use strict;
use warnings;

use Compress::Zlib qw(uncompress);
use Exporter 'import';
use PostgreSQL::Test::Utils;

our @EXPORT = qw(pixels);

# Width, height, and how many pixels have each colour, of a PNG file with 8 bits a channel and no
# interlacing: browsers and chart libraries write such.
sub pixels
{
	my ($file) = @_;
	my $png = slurp_file($file);
	die "$file is no PNG\n" if substr($png, 0, 8) ne "\x89PNG\r\n\x1a\n";
	my ($width, $height, $depth, $type, undef, undef, $interlaced) = unpack 'NNC5', substr $png, 16, 13;
	my $channels = { 0 => 1, 2 => 3, 3 => 1, 4 => 2, 6 => 4 }->{$type};
	die "$file has $depth bits\n" if $depth != 8 || $interlaced;
	my ($packed, @palette) = ('');
	for (my $at = 8; $at < length $png;)
	{
		my ($length, $name) = unpack 'Na4', substr $png, $at, 8;
		$packed .= substr $png, $at + 8, $length if $name eq 'IDAT';
		@palette = map { join ',', unpack 'C3', $_ } unpack '(a3)*', substr $png, $at + 8, $length if $name eq 'PLTE';
		$at += $length + 12;
	}
	my $bytes = uncompress($packed);
	my $stride = $channels * $width;
	my @above = (0) x $stride;
	my %seen;
	for my $line (0 .. $height - 1)
	{
		my ($filter, @line) = unpack 'C*', substr $bytes, $line * ($stride + 1), $stride + 1;
		for my $i ($filter ? 0 .. $stride - 1 : ())
		{
			my $left = $i < $channels ? 0 : $line[ $i - $channels ];
			my $corner = $i < $channels ? 0 : $above[ $i - $channels ];
			my $guess = $filter == 1 ? $left : $filter == 2 ? $above[$i] : $filter == 3 ? ($left + $above[$i]) >> 1 : nearest($left, $above[$i], $corner);
			$line[$i] = ($line[$i] + $guess) & 255;
		}
		for my $pixel (0 .. $width - 1)
		{
			my @colour = @line[ $pixel * $channels .. $pixel * $channels + ($channels > 2 ? 2 : 0) ];
			$seen{ @palette ? $palette[ $colour[0] ] : join ',', @colour > 1 ? @colour : (@colour) x 3 }++;
		}
		@above = @line;
	}
	return ($width, $height, %seen);
}

# Which of three bytes is nearest to what a plane through them has: PNG's filter of Paeth.
sub nearest
{
	my ($left, $above, $corner) = @_;
	my ($l, $a, $c) = (abs($above - $corner), abs($left - $corner), abs($left + $above - 2 * $corner));
	return $l <= $a && $l <= $c ? $left : $a <= $c ? $above : $corner;
}

1;
