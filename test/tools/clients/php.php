<?php
/*
 * Queries through PDO and pgsql, and those that Eloquent and Doctrine write.
 *
 * usage: php php.php pdo|eloquent|doctrine
 *
 * Prints what client.py does, with PHP's types.
 */
error_reporting(E_ALL & ~E_DEPRECATED);

function connect(): PDO
{
	return new PDO('pgsql:host=' . getenv('PGHOST') . ';port=' . getenv('PGPORT') . ';dbname=' . getenv('PGDATABASE'), getenv('PGUSER'), null,
		[PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
}

function charged(): int
{
	static $meter = null;
	$meter ??= connect();
	return $meter->query('SELECT coalesce(sum(statements), 0)::int FROM dp_agg.budgets WHERE role = current_user::regrole')->fetchColumn();
}

function text($value)
{
	return is_bool($value) ? ($value ? 'true' : 'false') : ($value === null ? null : (string) $value);
}

function say(array $line): void
{
	echo json_encode($line), "\n";
}

/* Ask what returns a value or rows, and print that. */
function ask(string $name, callable $question): void
{
	$before = charged();
	try {
		$answer = $question();
	} catch (Throwable $error) {
		say(['name' => $name, 'error' => $error->getMessage()]);
		return;
	}
	$rows = array_map(fn($row) => (array) $row, is_array($answer) ? $answer : [['value' => $answer]]);
	say(['name' => $name, 'columns' => array_map('strval', array_keys($rows[0] ?? [])), 'types' => array_map('get_debug_type', array_values($rows[0] ?? [])),
		'rows' => array_map(fn($row) => array_map('text', array_values($row)), $rows), 'charged' => charged() - $before]);
}

/* Ask for what only the owner may read: how many rows came, or the SQLSTATE. */
function refused(string $name, callable $question): void
{
	$before = charged();
	try {
		$answer = $question();
	} catch (Throwable $error) {
		$answer = preg_match('/SQLSTATE\[(\w+)\]/', $error->getMessage(), $found) ? $found[1] : $error->getMessage();
	}
	say(['name' => $name, 'answer' => $answer, 'charged' => charged() - $before]);
}

function pdo(): void
{
	$db = connect();
	$run = function (string $sql, array $values = [], array $options = []) use ($db): array {
		$statement = $db->prepare($sql, $options);
		$statement->execute($values);
		return $statement->fetchAll(PDO::FETCH_ASSOC);
	};
	$cities = 'SELECT city, count(*) AS n, avg(age) FROM people WHERE age >= ? GROUP BY city ORDER BY city';
	ask('count', fn() => $db->query('SELECT count(*) FROM people')->fetchAll(PDO::FETCH_ASSOC));
	ask('cities', fn() => $run($cities, [30]));
	ask('emulated', fn() => $run($cities, [30], [PDO::ATTR_EMULATE_PREPARES => true]));
	ask('unprepared', fn() => $run($cities, [30], [PDO::PGSQL_ATTR_DISABLE_PREPARES => true]));
	ask('scrolled', fn() => $run($cities, [30], [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL]));
	ask('sums', fn() => $run('SELECT sum(points), min(born), max(age) FROM people WHERE city = :city', ['city' => 'Wien']));
	ask('limited', fn() => $run('SELECT city, count(*) AS n FROM people GROUP BY city ORDER BY city LIMIT ? OFFSET ?', [2, 0]));
	ask('there', fn() => $run('SELECT 1 AS one FROM people WHERE city = ? LIMIT 1', ['Wien']));
	ask('copied', fn() => array_map(fn($line) => explode("\t", trim($line)), $db->pgsqlCopyToArray('(SELECT city, count(*) FROM people GROUP BY city ORDER BY city)')));
	refused('rows', fn() => count($run('SELECT * FROM people WHERE id = ?', [1])));
	refused('copy', fn() => count($db->pgsqlCopyToArray('people')));
}

function eloquent(): void
{
	require '/usr/share/php/Illuminate/Database/autoload.php';
	$capsule = new Illuminate\Database\Capsule\Manager();
	$capsule->addConnection(['driver' => 'pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'), 'database' => getenv('PGDATABASE'),
		'username' => getenv('PGUSER'), 'password' => '', 'charset' => 'utf8']);
	$capsule->setAsGlobal();
	$capsule->bootEloquent();
	eval('class Visit extends Illuminate\Database\Eloquent\Model { protected $table = "visits"; }
		class Person extends Illuminate\Database\Eloquent\Model { protected $table = "people"; function visits() { return $this->hasMany(Visit::class, "person"); } }');
	$people = fn() => $capsule->table('people');
	$groups = fn() => $people()->selectRaw('city, count(*) as n, avg(age) as a')->groupBy('city')->havingRaw('count(*) > ?', [10])->orderBy('city');
	ask('count', fn() => $people()->count());
	ask('where', fn() => $people()->whereBetween('age', [30, 50])->whereIn('city', ['Graz', 'Linz'])->count());
	ask('distinct', fn() => $people()->distinct()->count('city'));
	ask('sum', fn() => $people()->sum('points'));
	ask('avg', fn() => $people()->avg('age'));
	ask('min', fn() => $people()->min('born'));
	ask('year', fn() => $people()->whereYear('born', 1950)->count());
	ask('exists', fn() => $people()->where('city', 'Wien')->exists());
	ask('groups', fn() => $groups()->get()->all());
	ask('keys', fn() => $people()->distinct()->orderBy('city')->pluck('city')->all());
	ask('pages', fn() => $groups()->getCountForPagination());
	ask('joined', fn() => $people()->join('visits', 'visits.person', '=', 'people.id')->where('cost', '>', 100)->count());
	ask('has', fn() => Person::has('visits')->count());
	ask('has two', fn() => Person::where('age', 20)->has('visits', '>=', 2)->count());
	ask('lacks', fn() => Person::whereDoesntHave('visits', fn($visits) => $visits->where('cost', '>', 150))->count());
	ask('nested', fn() => $capsule->connection()->transaction(fn() => $capsule->connection()->transaction(fn() => Person::count())));
	refused('find', fn() => Person::find(1) ? 1 : 0);
	refused('chunk', function () use ($people) {
		$seen = 0;
		$people()->orderBy('id')->chunk(1000, function ($rows) use (&$seen) { $seen += count($rows); });
		return $seen;
	});
}

function doctrine(): void
{
	require '/usr/share/php/Doctrine/DBAL/autoload.php';
	$db = Doctrine\DBAL\DriverManager::getConnection(['driver' => 'pdo_pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'),
		'user' => getenv('PGUSER'), 'dbname' => getenv('PGDATABASE')]);
	$from = fn(...$columns) => $db->createQueryBuilder()->select(...$columns)->from('people', 'p');
	ask('count', fn() => $db->fetchOne('SELECT count(*) FROM people'));
	ask('groups', fn() => $from('city', 'COUNT(*) AS n', 'AVG(age)')->where('age >= :age')->groupBy('city')->having('COUNT(*) > 10')->orderBy('city')
		->setMaxResults(10)->setParameter('age', 30)->executeQuery()->fetchAllAssociative());
	ask('typed', fn() => $db->fetchOne('SELECT count(*) FROM people WHERE born < ? AND active = ?', [new DateTime('1950-01-01'), true], ['date', 'boolean']));
	ask('in', fn() => $db->fetchOne('SELECT count(*) FROM people WHERE city IN (?)', [['Wien', 'Graz']], [Doctrine\DBAL\Connection::PARAM_STR_ARRAY]));
	ask('keys', fn() => $db->fetchFirstColumn('SELECT DISTINCT city FROM people ORDER BY city'));
	ask('pages', fn() => $db->fetchOne('SELECT COUNT(*) FROM (' . $from('DISTINCT p.id')->getSQL() . ') q'));
	refused('rows', fn() => count($from('*')->setMaxResults(10)->executeQuery()->fetchAllAssociative()));
}

$argv[1]();
