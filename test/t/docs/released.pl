# What names the version names one, and install and upgrade scripts of released versions are
# what was released: databases were made by them.  No server is needed.
use strict;
use warnings;

use Digest::SHA;
use JSON::PP;
use Test::More;

# SHA-256 of the scripts of released versions.  A release adds its own, and changes none.
my %released = (
	'dp_agg--1.0.sql' => 'fdfa57fd38fa8114691adbd9fcb069801156d1f9fc8365f4d05a5f91a445698e');

sub slurp
{
	my ($name) = @_;
	open my $file, '<', $name or die "could not open $name: $!\n";
	local $/;
	return <$file>;
}

is(Digest::SHA->new(256)->addfile("sql/$_")->hexdigest, $released{$_}, "sql/$_ is as it was released") for sort keys %released;

my ($version) = slurp('dp_agg.control') =~ /^default_version = '(.*)'/m;
my $meta = decode_json(slurp('META.json'));
my ($package, $distribution) = slurp('debian/changelog') =~ /\A\S+ \((\S+)\) (\S+);/;
my ($heading, $date) = slurp('CHANGELOG.md') =~ /^## (\S+) \((.*)\)$/m;
my $patch = qr/\A\Q$version\E(?:\.\d+)?\z/;

like($heading, $patch, 'CHANGELOG.md begins with the version of the control file');
like($meta->{version}, $patch, 'META.json has it');
is($package, $meta->{version}, 'debian/changelog has that of META.json');
is($meta->{provides}{dp_agg}{version}, $meta->{version}, 'and so has what is provided');

# Is it released?  Either all say so, or none.
my %says = (
	'CHANGELOG.md' => $date =~ /\A\d{4}-\d\d-\d\d\z/ ? 'yes' : $date eq 'unreleased' ? 'no' : $date,
	'META.json' => $meta->{release_status} eq 'stable' ? 'yes' : 'no',
	'debian/changelog' => $distribution eq 'UNRELEASED' ? 'no' : 'yes',
	'list of released scripts' => (grep { /--\Q$version\E\.sql\z/ } keys %released) ? 'yes' : 'no');
is_deeply(\%says, { map { $_ => $says{'CHANGELOG.md'} } keys %says }, 'all say the same of whether it is released');

done_testing();
