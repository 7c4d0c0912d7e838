# The neighbours: each package that has extensions or libraries for this version of PostgreSQL, with what it needs.
package NeighbourUnits;

use strict;
use warnings;

use Exporter 'import';
our @EXPORT = qw(units);

# What a package needs beyond what its files tell:
#	preload		the libraries to preload, not all of the package that have something to do then
#	with		libraries of others that are preloaded before
#	conf		settings
#	create		its extensions, in the order in which to create them
#	admin		SQL of the superuser's in each database, after that
#	database	the only database in which it can be
#	skip		objects that are not tried, a regular expression
#	remark		what is to be known of it
#	left_out	why it is not tried, in words
my %NEEDS = (
	'contrib' => { preload => [ 'auto_explain', 'pg_stat_statements', 'pg_prewarm' ], conf => "auto_explain.log_min_duration = 0\nauto_explain.log_analyze = on\nauto_explain.log_nested_statements = on\npg_stat_statements.track = all\n" },
	'age' => { preload => ['age'] },
	'auto-failover' => { preload => ['pgautofailover'] },
	'cron' => { preload => ['pg_cron'], conf => "cron.database_name = 'one'\n", database => 'one' },
	'documentdb' => { preload => [ 'pg_cron', 'pg_documentdb_core', 'pg_documentdb', 'pg_documentdb_extended_rum' ], conf => "cron.database_name = 'one'\n", database => 'one' },
	'http' => { preload => [], remark => 'version 1.7, preloaded, ends the server as it starts, without dp_agg too' },
	'londiste-sql' => { create => [ 'pgq', 'pgq_node', 'londiste' ] },
	'mobilitydb' => { preload => ['postgis-3'] },
	'omnidb' => { preload => ['omnidb_plpgsql_debugger'] },
	'partman' => { preload => ['pg_partman_bgw'] },
	'pg-crash' => { left_out => 'made to end the server' },
	'pg-fact-loader' => { with => ['pglogical'], conf => "wal_level = logical\n" },
	'pgaudit' => { conf => "pgaudit.log = 'all'\npgaudit.log_relation = on\npgaudit.log_rows = on\npgaudit.log_parameter = on\n" },
	'pgauditlogtofile' => { with => ['pgaudit'], conf => "pgaudit.log = 'all'\n" },
	'pgl-ddl-deploy' => { with => ['pglogical'], conf => "wal_level = logical\n" },
	'pglogical' => { preload => ['pglogical'], conf => "wal_level = logical\ntrack_commit_timestamp = on\n" },
	'pglogical-ticker' => { preload => ['pglogical_ticker'], with => ['pglogical'], conf => "wal_level = logical\n" },
	'pg-stat-kcache' => { with => ['pg_stat_statements'] },
	'pg-rewrite' => { preload => ['pg_rewrite'], conf => "wal_level = logical\n" },
	'squeeze' => { preload => ['pg_squeeze'], conf => "wal_level = logical\n" },
	'pg-failover-slots' => { conf => "wal_level = logical\n" },
	'postgis-3' => { create => [qw(postgis postgis_raster postgis_sfcgal postgis_topology fuzzystrmatch address_standardizer address_standardizer_data_us postgis_tiger_geocoder)], admin => <<'SQL' },
SET search_path = clinic, public;
ALTER TABLE people ADD spot geometry;
UPDATE people SET spot = ST_MakePoint(id, age + CASE WHEN id = 5000 THEN 30000 ELSE 0 END);
CREATE INDEX ON people USING gist (spot);
SQL
	'pgq3' => { admin => <<'SQL' },
GRANT pgq_writer TO olga;
SELECT pgq.create_queue('visits');
SELECT pgq.ticker();
CREATE TRIGGER queued AFTER INSERT ON clinic.visits FOR EACH ROW EXECUTE FUNCTION pgq.logutriga('visits');
SQL
	'powa' => { preload => ['powa'], with => [ 'pg_stat_statements', 'pg_stat_kcache', 'pg_qualstats' ], conf => "powa.database = 'one'\n" },
	'pg-qualstats' => { conf => "pg_qualstats.sample_rate = 1\n" },
	'pg-wait-sampling' => { conf => "pg_wait_sampling.history_period = 1\n" },
	'pgtap' => { skip => qr/do_tap|runtests/, remark => 'what calls functions of others by their names, as its caller could, is not tried' },
	'pgtt' => { preload => [], conf => "session_preload_libraries = 'pgtt'\n", remark => 'loaded by session_preload_libraries' },
	'pgrouting' => { create => ['pgrouting'] },
	'plprofiler' => { preload => ['plprofiler'] },
	'plpgsql-check' => { preload => ['plpgsql_check'], conf => "plpgsql_check.profiler = on\n" },
	'repmgr' => { preload => ['repmgr'] },
	'slony1-2' => { left_out => 'its functions are made by its own programs, not by CREATE EXTENSION' },
	'snakeoil' => { preload => [], remark => 'preloaded, the server does not start without a database of ClamAV\'s, with dp_agg and without' },
	'timescaledb' => { preload => ['timescaledb'], conf => "timescaledb.telemetry_level = off\n", admin => <<'SQL' },
SET client_min_messages = error;
SET search_path = clinic, public;
CREATE TABLE metrics (time timestamptz NOT NULL, person int, value int);
SELECT create_hypertable('metrics', 'time');
INSERT INTO metrics SELECT timestamptz '2024-01-01' + i * interval '1 hour', person, minutes FROM visits, generate_series(1, 3) i;
SQL
	'rum' => { admin => q{CREATE INDEX ON clinic.visits USING rum (to_tsvector('english', note)); } });

# Files of a package.
sub files_of
{
	my ($package) = @_;
	my ($list) = grep { -e } map { "/var/lib/dpkg/info/$package$_.list" } '', ':amd64', ':arm64';
	open my $file, '<', $list // return or return;
	chomp(my @files = <$file>);
	return @files;
}

# Does a library have something to do when it is loaded?
sub loads
{
	my ($file) = @_;
	return 0 if !-f $file;
	my $symbols = `nm -D --defined-only $file 2>/dev/null`;
	return $symbols =~ / T _PG_init$/m && $symbols !~ / T _PG_output_plugin_init$/m;
}

# All neighbours of a major version: name, package, version, extensions, libraries.
sub units
{
	my ($major) = @_;
	my %units;
	for (split /\n/, `dpkg-query -W -f '\${Package} \${Version} \${db:Status-Status}\\n' 'postgresql-*' 2>/dev/null`)
	{
		my ($package, $version, $status) = split / /;
		next if ($status // '') ne 'installed' || $package !~ /^postgresql-(?:\Q$major\E(?:-(.*))?|(pl\w+)-\Q$major\E)$/ || $package =~ /-(?:doc|scripts|dbgsym|jit|dev)$/;
		my $name = $1 // $2 // 'contrib';
		my @files = files_of($package);
		my $needs = $NEEDS{$name} // {};
		my @extensions = grep { !/^(?:plpgsql|dp_agg|sepgsql|adminpack)$/ } map { m{/extension/([^/]+)\.control$} ? $1 : () } @files;
		my @libraries = map { m{/lib/([^/]+)\.so$} && loads($_) ? $1 : () } @files;
		next if !@extensions && !@libraries && !%$needs;
		$units{$name} = { name => $name, package => $package, version => $version, conf => '', admin => '', with => [], create => \@extensions, %$needs, preload => $needs->{preload} // ($name =~ /^pl(?:perl|python3|tcl|lua|r|sh)$/ ? [] : \@libraries) };
	}
	return map { $units{$_} } sort keys %units;
}

1;
