# Queries through DBD::Pg, and those that DBIx::Class writes.
#
# usage: perl perl.pl dbd|dbic
#
# Prints what client.py does.  Perl's values have no types: numbers are what looks like them.
use strict;
use warnings;

use DBI;
use JSON::PP;
use Scalar::Util qw(looks_like_number);

my @where = ("dbi:Pg:dbname=$ENV{PGDATABASE};host=$ENV{PGHOST};port=$ENV{PGPORT}", $ENV{PGUSER}, '');
my $db = DBI->connect(@where, { RaiseError => 1, PrintError => 0, PrintWarn => 0, AutoCommit => 1 });

sub charged
{
	return ($db->selectrow_array('SELECT coalesce(sum(statements), 0)::int FROM dp_agg.budgets WHERE role = current_user::regrole'))[0];
}

sub say_line
{
	my (%line) = @_;
	print JSON::PP->new->canonical->encode(\%line), "\n";
	return;
}

sub type_of
{
	my ($value) = @_;
	return !defined $value ? 'undef' : looks_like_number($value) ? 'number' : 'text';
}

# Ask what returns rows, and print that.
sub ask
{
	my ($name, $question) = @_;
	my $before = charged();
	my $rows = eval { $question->() } or return say_line(name => $name, error => "$@");
	return say_line(
		name => $name, columns => [], types => [ map { type_of($_) } @{ $rows->[0] } ],
		rows => [ map { [ map { defined ? "$_" : undef } @$_ ] } @$rows ], charged => charged() - $before);
}

# Ask for what only the owner may read: how many rows came, or the SQLSTATE.
sub refused
{
	my ($name, $state, $question) = @_;
	my $before = charged();
	my $rows = eval { $question->() };
	return say_line(name => $name, answer => $rows ? scalar @$rows : $state->(), charged => charged() - $before);
}

# Rows of COPY ... TO STDOUT.
sub copied
{
	my ($sql) = @_;
	my ($line, @rows);
	$db->do($sql);
	while ($db->pg_getcopydata($line) >= 0)
	{
		chomp $line;
		push @rows, [ split /\t/, $line ];
	}
	return \@rows;
}

sub dbd
{
	my $state = sub { $db->state };
	my $by_age = $db->prepare('SELECT city, count(*) AS n, avg(age) FROM people WHERE age >= ? GROUP BY city ORDER BY city');
	ask('count', sub { $db->selectall_arrayref('SELECT count(*) FROM people') });
	ask('cities', sub { $by_age->execute($_); $by_age->fetchall_arrayref }) for 30, 30, 50;
	ask('sums', sub { $db->selectall_arrayref('SELECT sum(age), sum(points), min(born), max(age) FROM people WHERE city = ?', undef, 'Graz') });
	ask('array', sub { $db->selectall_arrayref('SELECT count(*) FROM people WHERE age = ANY (?)', undef, [ 30, 40 ]) });
	ask('direct', sub { $db->selectall_arrayref('SELECT count(*) FROM people WHERE age >= ?', { pg_server_prepare => 0 }, 30) });
	ask('keys', sub { $db->selectall_arrayref('SELECT DISTINCT city FROM people ORDER BY city') });
	ask('there', sub { $db->selectall_arrayref('SELECT 1 FROM people WHERE city = ? LIMIT 1', undef, 'Wien') });
	ask(
		'asynchronous', sub {
			my $statement = $db->prepare('SELECT count(*) FROM people WHERE age > ?', { pg_async => 1 });
			$statement->execute(30);
			$statement->pg_result;
			return $statement->fetchall_arrayref;
		});
	ask('copied', sub { copied('COPY (SELECT city, count(*) FROM people GROUP BY city ORDER BY city) TO STDOUT') });
	refused('rows', $state, sub { $db->selectall_arrayref('SELECT * FROM people WHERE id = ?', undef, 1) });
	refused('copy', $state, sub { copied('COPY people TO STDOUT') });
	ask('after', sub { $db->selectall_arrayref('SELECT count(*) FROM visits') });
	return;
}

# Classes of the tables.
sub schema
{
	require DBIx::Class::Core;
	require DBIx::Class::Schema;
	@Tables::Person::ISA = @Tables::Visit::ISA = 'DBIx::Class::Core';
	@Tables::ISA = 'DBIx::Class::Schema';
	Tables::Person->table('people');
	Tables::Person->add_columns(
		id => { data_type => 'integer' }, city => { data_type => 'text' }, age => { data_type => 'integer' }, points => { data_type => 'bigint' },
		born => { data_type => 'date' }, active => { data_type => 'boolean' });
	Tables::Person->set_primary_key('id');
	Tables::Visit->table('visits');
	Tables::Visit->add_columns(person => { data_type => 'integer' }, cost => { data_type => 'integer' });
	Tables::Person->has_many(visits => 'Tables::Visit', 'person');
	Tables->register_class(Person => 'Tables::Person');
	Tables->register_class(Visit => 'Tables::Visit');
	return Tables->connect(@where, { PrintError => 0, PrintWarn => 0 });
}

sub dbic
{
	my $schema = schema();
	my $people = $schema->resultset('Person');
	my $state = sub { $schema->storage->dbh->state };
	my $groups = $people->search(
		{ age => { '>=' => 30 } },
		{
			select => [ 'city', { count => '*', -as => 'n' }, { avg => 'age', -as => 'a' } ], as => [qw(city n a)], group_by => 'city',
			having => { 'count(*)' => { '>' => 10 } }, order_by => 'city'
		});
	ask('count', sub { [ [ $people->count ] ] });
	ask('where', sub { [ [ $people->search({ age => { -between => [ 30, 50 ] }, city => [ 'Graz', 'Linz' ] })->count ] ] });
	ask('sum', sub { [ [ $people->get_column('points')->sum ] ] });
	ask('min', sub { [ [ $people->get_column('born')->min ] ] });
	ask('groups', sub { [ $groups->cursor->all ] });
	ask('keys', sub { [ map { [$_] } $people->search({}, { columns => ['city'], distinct => 1, order_by => 'city' })->get_column('city')->all ] });
	ask('cities', sub { [ [ $people->search({}, { columns => ['city'], distinct => 1 })->count ] ] });
	ask('joined', sub { [ [ $people->search({ 'visits.cost' => { '>' => 100 } }, { join => 'visits', distinct => 1 })->count ] ] });
	ask('related', sub { [ [ $people->search({ city => 'Wien' })->search_related('visits', { cost => { '>' => 100 } })->count ] ] });
	ask('pager', sub { [ [ $people->search({}, { rows => 10, page => 1 })->pager->total_entries ] ] });
	ask('nested', sub { [ [ $schema->txn_do(sub { $schema->txn_do(sub { $people->count }) }) ] ] });
	refused('rows', $state, sub { [ $people->search({}, { rows => 5 })->all ] });
	refused('find', $state, sub { [ $people->find(1) ] });
	return;
}

{ dbd => \&dbd, dbic => \&dbic }->{ $ARGV[0] }->();
