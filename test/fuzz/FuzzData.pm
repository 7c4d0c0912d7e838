# The fuzzer's server: protected tables with a canary in every row, an analyst
# with a large budget and no right on them, and the functions the extension
# allows, read from its own list.
#
# A canary is "QZX" and twelve hexadecimal digits in text columns and a number
# of eighteen digits in bigint columns; each is one unit's alone.  No statement
# of the fuzzer holds one, so that none may ever come back: a text only as the
# key of a group, where one unit passes the threshold with a probability below
# the delta of at most 1e-18 that the hostile programs ask for; a number only
# by noise hitting it, one of at least 1e9 numbers within its scale.
package FuzzData;

use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

use FuzzWire;

our @EXPORT_OK = qw(%TABLES);

# What can be asked about: the unit's column, whether each row is a unit, and
# the columns by type.
my %people = (
	b => 'bool', s => 'int2', i => 'int4', l => 'int8', r => 'float4', d => 'float8', n => 'numeric',
	m => 'numeric(12,2)', t => 'text', c => 'bpchar', e => 'mood', j => 'jsonb', u => 'uuid', dt => 'date',
	ts => 'timestamp', tz => 'timestamptz', tm => 'time', iv => 'interval');
our %TABLES = (
	people => { unit => 'id', unique => 1, columns => { id => 'int4', %people } },
	parts => { unit => 'id', unique => 1, columns => { id => 'int4', i => 'int4', d => 'float8', t => 'text', m => 'numeric(12,2)' } },
	visits => { unit => 'person', unique => 0, columns => { person => 'int4', %people } },
	"weird \"Täble\"" => {
		unit => "sélect", unique => 1,
		columns => { "sélect" => 'int4', "a b" => 'int4', "x\"y" => 'text', "Ünï😀" => 'float8' } });

# Ordinary and odd values of the columns.
my %odd = (
	b => [qw(t f)], s => [ qw(-32768 32767 0 1) ], i => [ qw(-2147483648 2147483647 0 -1) ],
	l => [ qw(-9223372036854775808 9223372036854775807 0) ],
	r => [ qw(NaN Infinity -Infinity -0 1e-45 3.4e38) ], d => [ qw(NaN Infinity -Infinity -0 5e-324 1.7e308 -1.7e308) ],
	n => [ qw(NaN Infinity -Infinity 0.000 1e200 -1e200 1e-300) ], m => [ qw(NaN 0.00 9999999999.99) ],
	t => [ '', ' ', 'é', 'ÀÉ', '%', '\\', "a\nb", '日本', 'null' ], c => [ '', 'x ', 'é' ], e => [qw(sad ok happy)],
	j => [ '{}', 'null', '[1,2]', '{"a": 1}', '"x"', '{"a": {"b": 1e300}}', '-5' ],
	u => ['00000000-0000-0000-0000-000000000000'], dt => [ qw(infinity -infinity 0001-01-01), '4713-01-01 BC' ],
	ts => [ qw(infinity -infinity), '4713-01-01 00:00 BC', '294276-12-31 23:59:59.999999' ],
	tz => [ qw(infinity -infinity), '4713-01-02 00:00+00 BC', '2024-03-31 02:30+01' ],
	tm => [ '24:00:00', '00:00:00', '23:59:59.999999' ],
	iv => [ '0', '178956970 years', '-178956970 years', '1 mon -1 day', '24:00:00' ]);

# One in seventeen values is odd, one in eleven NULL; ordinary ones are few.
sub column_sql
{
	my ($column) = @_;
	my %usual = (
		b => '(i % 3 = 0)', s => 'i % 50', i => 'i % 120 - 10', l => '(i % 9) * 1000000000::int8',
		r => '(i % 30) / 4.0', d => '(i % 100) * 0.75', n => '(i % 40) * 0.25', m => '(i * 37 % 1000) * 0.5',
		t => q{(ARRAY['Lyon','Paris','lima','Rio de Janeiro','Oslo'])[i % 5 + 1]}, c => q{(ARRAY['ab','cd','ef'])[i % 3 + 1]},
		e => q{(ARRAY['sad','ok','happy'])[i % 3 + 1]}, j => q{jsonb_build_object('a', i % 7, 'b', 'x' || i % 3)},
		u => q{md5((i % 4)::text)}, dt => q{date '2020-01-01' + i % 1500}, ts => q{timestamp '2020-01-01' + (i % 900) * interval '7 hours'},
		tz => q{timestamptz '2021-01-01 00:00+00' + (i % 900) * interval '5 hours'}, tm => q{time '00:00' + (i % 1440) * interval '1 minute'},
		iv => q{(i % 60) * interval '1 hour 7 minutes'});
	my $odd = join ',', map { s/'/''/gr } map { "E'" . s/\\/\\\\/gr . "'" } @{ $odd{$column} };
	$odd = join ',', map { my $v = $_; $v =~ s/\\/\\\\/g; $v =~ s/'/''/g; "E'$v'" } @{ $odd{$column} };
	my $count = @{ $odd{$column} };
	my $salt = unpack('%32C*', $column) % 17;
	my $type = $people{$column} eq 'bpchar' ? 'char(4)' : $people{$column};
	return "CASE WHEN (i + $salt) % 11 = 0 THEN NULL WHEN (i + $salt) % 17 = 0 "
	  . "THEN (ARRAY[$odd])[(i / 17) % $count + 1]::$type ELSE ($usual{$column})::text::$type END AS $column";
}

sub definition
{
	return join ', ', map { "$_ " . ($people{$_} eq 'bpchar' ? 'char(4)' : $people{$_}) } sort keys %people;
}

sub tables_sql
{
	my ($people, $visits) = @_;
	my $columns = definition();
	my $values = join ', ', map { column_sql($_) } sort keys %people;
	my $canary = "'QZX' || upper(substr(md5('canary' || k), 1, 12)), 771000000000000000 + ('x' || substr(md5('number' || k), 1, 12))::bit(48)::int8";
	my $note = "note text, secret int8";
	return <<"SQL";
SET client_min_messages = warning;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
GRANT ALL ON SCHEMA public TO analyst;
CREATE TABLE people (id int PRIMARY KEY, $columns, $note);
INSERT INTO people SELECT g.i, v.*, c.* FROM generate_series(1, $people) g (i), LATERAL (SELECT $values) v,
	LATERAL (SELECT $canary FROM (SELECT g.i AS k) k) c;
CREATE TABLE parts (id int PRIMARY KEY, i int, d float8, t text, m numeric(12,2), $note) PARTITION BY RANGE (id);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (500);
CREATE TABLE parts_high PARTITION OF parts FOR VALUES FROM (500) TO (MAXVALUE);
INSERT INTO parts SELECT id, i, d, t, m, n.* FROM people, LATERAL (SELECT $canary FROM (SELECT id + 1000000 AS k) k) n;
CREATE TABLE visits (person int, $columns, $note);
INSERT INTO visits SELECT p, v.*, c.* FROM generate_series(1, $visits) g (i),
	LATERAL (SELECT CASE WHEN g.i % 23 = 0 THEN NULL ELSE (g.i * 7919) % ($visits / 4) END AS p) p, LATERAL (SELECT $values) v,
	LATERAL (SELECT $canary FROM (SELECT g.i + 2000000 AS k) k) c;
CREATE TABLE "weird ""Täble""" ("sélect" int PRIMARY KEY, "a b" int, "x""y" text, "Ünï😀" float8, $note);
INSERT INTO "weird ""Täble""" SELECT id, i, t, d, n.* FROM people, LATERAL (SELECT $canary FROM (SELECT id + 3000000 AS k) k) n;
CREATE TABLE closed (id int PRIMARY KEY, i int, $note);
INSERT INTO closed SELECT id, i, n.* FROM people, LATERAL (SELECT $canary FROM (SELECT id + 4000000 AS k) k) n;
CREATE TABLE cities (city text PRIMARY KEY, region text, size int);
INSERT INTO cities VALUES ('Lyon', 'south', 5), ('Paris', 'north', 20), ('lima', 'far', 90), ('Atlantis', 'sea', 0);
GRANT SELECT ON cities TO analyst;
CREATE VIEW grown AS SELECT id, i AS age, t, d FROM people WHERE i >= 18;
GRANT SELECT ON grown TO analyst;
SELECT dp_agg.protect('people', 'id'), dp_agg.protect('parts', 'id'), dp_agg.protect('visits', 'person', max_rows => 3, max_groups => 2),
	dp_agg.protect('"weird ""Täble"""', 'sélect');
CREATE STATISTICS together ON i, s FROM people;
CREATE INDEX ON people (i); CREATE INDEX ON visits (person); CREATE INDEX ON people (t);
ANALYZE;
SELECT dp_agg.set_budget('analyst', 1e15, 0.9);
SQL
}

# What the analyst owns: things that would tell a canary if they were let near.
sub traps_sql
{
	return <<'SQL';
SET client_min_messages = warning;
CREATE TABLE mine (id int PRIMARY KEY, x int, t text);
INSERT INTO mine SELECT i, i % 5, 'Lyon' FROM generate_series(1, 50) i;
CREATE SEQUENCE counter;
CREATE FUNCTION tell(anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS
	'BEGIN RAISE NOTICE ''told %'', $1; RETURN $1; END';
CREATE FUNCTION told(text, text) RETURNS bool LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS
	'BEGIN RAISE NOTICE ''told % %'', $1, $2; RETURN true; END';
CREATE OPERATOR =~~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = told, RESTRICT = eqsel);
CREATE FUNCTION told_int(int, int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN RAISE NOTICE ''told % %'', $1, $2; RETURN true; END';
CREATE OPERATOR =~~~ (LEFTARG = int, RIGHTARG = int, FUNCTION = told_int, RESTRICT = eqsel);
CREATE DOMAIN plain AS text CHECK (tell(VALUE) IS NOT NULL);
CREATE DOMAIN small AS int CHECK (tell(VALUE) < 5);
CREATE AGGREGATE gather(text) (SFUNC = textcat, STYPE = text, INITCOND = '');
CREATE FUNCTION dp_count(text, text) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM mine';
CREATE TYPE pair AS (a int, b text);
CREATE VIEW over_people AS SELECT id, t, i FROM people;
CREATE FUNCTION asks(int) RETURNS bigint LANGUAGE plpgsql AS
	'BEGIN RETURN (SELECT dp_count(*) FROM people WHERE i < $1); END';
SQL
}

# Start the server; returns an object with connections of the superuser.  Autovacuum's snapshots,
# for which keys of new tables would be too new, are not taken.  Other tables and objects of the analyst's
# than those above may be given as SQL (tables, traps), further settings (conf) and libraries too.
sub new
{
	my ($class, $name, %options) = @_;
	my $libraries = $options{libraries} // 'dp_agg';
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(extra => [ '--locale=C.UTF-8', '--encoding=UTF8' ]);
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$libraries'\n" . <<'CONF' . ($options{conf} // ''));
autovacuum = off
max_worker_processes = 16
min_parallel_table_scan_size = 0
fsync = off
jit = off
log_min_messages = error
log_statement = none
restart_after_crash = on
log_min_error_statement = panic
temp_file_limit = 200MB
dp_agg.clipping_notice = off	# noise decides whether it comes
dp_agg.delta = '1e-9'	# these four unless a case sets them
dp_agg.mechanism = laplace
dp_agg.clipping = fixed
dp_agg.epsilon = 0.1
CONF
	$node->start;
	my $self = bless { node => $node }, $class;
	$node->safe_psql('postgres', "CREATE EXTENSION dp_agg; CREATE ROLE analyst LOGIN;\n"
		  . ($options{tables} // tables_sql($options{people} // 1500, $options{visits} // 4000)));
	$node->safe_psql('postgres', $options{traps} // traps_sql(), extra_params => [ '-U', 'analyst' ]);
	$self->{admin} = $self->connect_as(superuser());

	# Who may read all that policies let everybody see.
	$self->admin_rows('CREATE ROLE seer LOGIN IN ROLE pg_read_all_data');
	$self->{seer} = $self->connect_as('seer');
	$self->read_canaries unless $options{tables};
	$self->{settings} = [ $self->admin_rows(<<'SETTINGS') ];
SELECT name, vartype, min_val, max_val, array_to_string(enumvals, ',') FROM pg_settings
WHERE context = 'user' AND vartype <> 'string' AND name NOT LIKE 'dp\_agg.%' AND name !~ '_timeout$|^tcp_|^jit' ORDER BY name
SETTINGS
	$self->read_functions if $options{functions} // 1;
	return $self;
}

# The role that initdb made.
sub superuser
{
	return scalar getpwuid $>;
}

sub connect_as
{
	my ($self, $role, %options) = @_;
	return FuzzWire->connect(host => $self->{node}->host, port => $self->{node}->port,
		user => $role, database => 'postgres', %options);
}

# Rows of a query of the superuser; dies on an error.
sub admin_rows
{
	my ($self, $sql) = @_;
	my $answer = $self->{admin}->query($sql);
	die "administrator's query failed: $answer->{error}{M}\n$sql\n" if $answer->{error} || $answer->{lost};
	return @{ $answer->{rows} };
}

sub read_canaries
{
	my ($self) = @_;
	my $all = join ' UNION ALL ', map { "SELECT note, secret FROM $_" } qw(people parts visits closed), '"weird ""Täble"""';
	for ($self->admin_rows($all))
	{
		$self->{texts}{ lc substr $_->[0], 3 } = 1;
		$self->{numbers}{ $_->[1] } = 1;
	}
	return;
}

# The canaries in a string of bytes, in any case and direction.
sub canaries_in
{
	my ($self, $bytes) = @_;
	my @found;
	while ($bytes =~ /qzx([0-9a-f]{12})/gi) { push @found, "QZX$1" if $self->{texts}{ lc $1 } }
	while ($bytes =~ /([0-9a-f]{12})xzq/gi) { push @found, "$1XZQ" if $self->{texts}{ reverse lc $1 } }
	while ($bytes =~ /(?=(771\d{15}))/g) { push @found, $1 if $self->{numbers}{$1} }
	return @found;
}

# What the extension allows: functions, operators and casts with the types they
# take, and for those that may fail a twin of the owner's that yields NULL then.
sub read_functions
{
	my ($self) = @_;
	$self->admin_rows(<<'SQL');
SET client_min_messages = warning;
CREATE SCHEMA try;
CREATE FUNCTION try.verdict(oid) RETURNS text AS '$libdir/dp_validate_test', 'test_verdict' LANGUAGE C STRICT;
-- of rows and what they weigh, {{rows, weight}, ...}: between which values the rank of this fraction is, give or take;
-- what is beyond all of them has the rank of none, or of all
CREATE FUNCTION try.around(units jsonb, fraction numeric, slack numeric) RETURNS numeric[] LANGUAGE sql AS $$
	WITH one AS (SELECT x::numeric AS x, (u->>1)::numeric AS w FROM jsonb_array_elements(units) u, jsonb_array_elements_text(u->0) x),
		of_value AS (SELECT x, sum(w) AS own, sum(sum(w)) OVER (ORDER BY x) AS upto FROM one GROUP BY x),
		aim AS (SELECT sum(w) AS most, fraction * sum(w) AS rank, slack + count(*) * 4e-5 AS off FROM one)
	SELECT ARRAY[CASE WHEN min(rank - off) <= 0 THEN '-Infinity' ELSE min(x) FILTER (WHERE upto >= rank - off) END,
		CASE WHEN min(rank + off - most) >= 0 THEN 'Infinity' ELSE max(x) FILTER (WHERE upto - own <= rank + off) END] FROM of_value, aim $$;
-- from sums of x, x^2, y, xy, y^2, all from 0 to 1; NULL where it would be too uncertain
CREATE FUNCTION try.statistic(name text, n numeric, s numeric[]) RETURNS numeric LANGUAGE sql AS $$
	SELECT CASE WHEN n < 2 THEN NULL ELSE CASE name
		WHEN 'dp_variance' THEN greatest(0, xx / (n - 1)) WHEN 'dp_stddev' THEN sqrt(greatest(0, xx / (n - 1)))
		WHEN 'dp_covar_pop' THEN xy / n WHEN 'dp_covar_samp' THEN xy / (n - 1)
		WHEN 'dp_corr' THEN CASE WHEN least(xx, yy) > 0.02 * n THEN xy / sqrt(xx * yy) END
		WHEN 'dp_regr_slope' THEN CASE WHEN xx > 0.02 * n THEN xy / xx END END END
	FROM (SELECT s[2] - s[1] * s[1] / n AS xx, s[4] - s[1] * s[3] / n AS xy, s[5] - s[3] * s[3] / n AS yy WHERE n > 0) m $$;
CREATE TABLE try.allowed AS
	SELECT p.oid, p.proname, v LIKE 'total%' AS total, split_part(v, ' ', 2)::int AS subject, v LIKE '% like' AS is_like,
		ARRAY(SELECT CASE t WHEN 'anyenum'::regtype THEN 'mood'::regtype ELSE t::regtype END FROM unnest(proargtypes) WITH ORDINALITY u (t, i) ORDER BY i) AS args,
		CASE prorettype WHEN 'anyenum'::regtype THEN 'mood'::regtype ELSE prorettype::regtype END AS result
	FROM pg_proc p, try.verdict(p.oid) v WHERE p.oid < 12000 AND p.provariadic = 0 AND v NOT LIKE 'refused%' AND NOT 'internal'::regtype = ANY (proargtypes::oid[])
	AND NOT 'cstring'::regtype IN (prorettype) AND NOT 'cstring'::regtype = ANY (proargtypes::oid[]);
DO $$
DECLARE t text;
BEGIN
	FOREACH t IN ARRAY '{int2,int4,int8,float4,float8,numeric,bool,uuid}'::text[] LOOP
		EXECUTE format('CREATE FUNCTION try.read_%s(text) RETURNS %s LANGUAGE plpgsql STRICT AS %L', t, t,
			format('BEGIN RETURN CASE WHEN octet_length($1) <= 252 THEN $1::%s END; EXCEPTION WHEN OTHERS THEN RETURN NULL; END', t));
	END LOOP;
END $$;
DO $$
DECLARE f record;
BEGIN
	FOR f IN SELECT a.oid, proname, total, args AS types, array_to_string(args, ',') AS args, array_length(args, 1) AS n, result FROM try.allowed a LOOP
		-- numerics of too many digits are not tried
		EXECUTE format('CREATE FUNCTION try.f%s(%s) RETURNS %s LANGUAGE plpgsql STRICT AS %L', f.oid, f.args, f.result,
			format('BEGIN IF %s THEN RETURN NULL; END IF; RETURN pg_catalog.%I(%s); EXCEPTION WHEN OTHERS THEN RETURN NULL; END',
				COALESCE((SELECT string_agg(format('($%1$s NOT IN (''NaN'', ''Infinity'', ''-Infinity'') AND (abs($%1$s) >= ''1e%2$s'' OR scale($%1$s) > %2$s))',
						i, CASE WHEN f.proname IN ('ln', 'log', 'numeric_ln', 'numeric_log') THEN 128 ELSE 512 END), ' OR ')
					FROM generate_series(1, f.n) i WHERE NOT f.total AND f.types[i] = 'numeric'::regtype), 'false'), f.proname,
				(SELECT string_agg('$' || i, ',') FROM generate_series(1, f.n) i)));
	END LOOP;
END $$;
SQL
	$self->{functions} = [ map { allowed(@$_) } $self->admin_rows(<<'SQL') ];
SELECT oid, quote_ident(proname), total, subject, is_like, array_to_string(args, ','), result FROM try.allowed
WHERE proname NOT LIKE '%\_ops' AND array_length(args, 1) > 0 ORDER BY oid
SQL
	$self->{operators} = [ map { allowed(@$_) } $self->admin_rows(<<'SQL') ];
SELECT a.oid, oprname, total, subject, is_like, array_to_string(args, ','), result
FROM pg_operator o JOIN try.allowed a ON a.oid = oprcode WHERE oprkind = 'b' AND o.oid < 16384 ORDER BY o.oid
SQL
	$self->{casts} = [ map { allowed(@$_) } $self->admin_rows(<<'SQL') ];
SELECT a.oid, format_type(casttarget, NULL), total, subject, is_like, array_to_string(args, ','), result
FROM pg_cast c JOIN try.allowed a ON a.oid = castfunc WHERE array_length(args, 1) = 1 AND castsource <> casttarget ORDER BY c.oid
SQL
	return;
}

sub allowed
{
	my ($oid, $name, $total, $subject, $is_like, $args, $result) = @_;
	return { oid => $oid, name => $name, total => $total eq 't', subject => $subject, is_like => $is_like eq 't',
		args => [ map { short_type($_) } split /,/, $args ], result => short_type($result) };
}

# The short names that the grammar knows types by.
sub short_type
{
	my ($type) = @_;
	my %short = (
		smallint => 'int2', integer => 'int4', bigint => 'int8', real => 'float4', 'double precision' => 'float8',
		boolean => 'bool', character => 'bpchar', 'timestamp without time zone' => 'timestamp',
		'timestamp with time zone' => 'timestamptz', 'time without time zone' => 'time', 'time with time zone' => 'timetz');
	return $short{$type} // $type;
}

# Statements of the analyst admitted, and refused for want of budget, so far.
sub charged
{
	my ($self) = @_;
	my ($row) = $self->admin_rows("SELECT statements FROM dp_agg.budget WHERE role = 'analyst'::regrole");
	return $row->[0];
}

1;
