// Plain queries through node-postgres, and those that knex, drizzle, Malloy and PostGraphile write.
//
// usage: NODE_PATH=.../node_modules node node.js pg|knex|drizzle|malloy|postgraphile
//
// Prints what client.py does, with JavaScript's types.
'use strict';

const CHARGED = 'SELECT coalesce(sum(statements), 0)::int AS n FROM dp_agg.budgets WHERE role = current_user::regrole';

function typeOf(value) {
  return value === null ? null : value instanceof Date ? 'Date' : typeof value;
}

function text(value) {
  return value === null ? null : value instanceof Date ? value.toISOString() : String(value);
}

// Ask what returns an array of objects, or an answer of pg with its fields.
async function ask(charged, name, question) {
  const before = await charged();
  let answer;
  try {
    answer = await question();
  } catch (error) {
    console.log(JSON.stringify({ name, error: error.message }));
    return;
  }
  const rows = answer.rows ?? answer;
  const columns = answer.fields ? answer.fields.map((field) => field.name) : Object.keys(rows[0] ?? {});
  const values = rows.map((row) => (Array.isArray(row) ? row : Object.values(row)));
  console.log(JSON.stringify({
    name, columns, types: (values[0] ?? []).map(typeOf), rows: values.map((row) => row.map(text)),
    charged: (await charged()) - before,
  }));
}

// Ask for what only the owner may read: how many rows came, or the SQLSTATE.
async function refused(charged, name, question) {
  const before = await charged();
  let answer;
  try {
    const got = await question();
    answer = (got.rows ?? got).length;
  } catch (error) {
    answer = error.code ?? error.cause?.code;
  }
  console.log(JSON.stringify({ name, answer, charged: (await charged()) - before }));
}

// node-postgres: simple protocol, bound parameters, statements prepared by name, a cursor of rows in parts.
async function pg() {
  const { Client } = require('pg');
  const client = new Client();
  await client.connect();
  const charged = async () => (await client.query(CHARGED)).rows[0].n;
  const query = (text, values, name) => client.query({ text, values, name, rowMode: 'array' });
  const cities = 'SELECT city, count(*) AS n, avg(age) FROM people WHERE age >= $1 GROUP BY city ORDER BY city';

  await ask(charged, 'count', () => query('SELECT count(*) FROM people'));
  await ask(charged, 'cities', () => query(cities, [30]));
  // More often than PostgreSQL plans a statement anew for each execution's parameters.
  for (const age of [30, 35, 40, 45, 50, 55, 60]) {
    await ask(charged, 'prepared', () => query(cities, [age], 'cities'));
  }
  await ask(charged, 'sums', () => query(
    'SELECT sum(age), sum(points), sum(income), min(born), max(age) FROM people WHERE city = ANY ($1)', [['Graz', 'Linz']]));
  await ask(charged, 'keys', () => query('SELECT DISTINCT city FROM people ORDER BY city LIMIT $1', [10]));
  await ask(charged, 'probe', () => query('SELECT * FROM people LIMIT 0'));
  await refused(charged, 'rows', () => query('SELECT * FROM people WHERE id = $1', [1]));
  await ask(charged, 'after', () => query('SELECT count(*) FROM visits'));
  await client.end();
}

async function knex() {
  const database = require('knex')({ client: 'pg', connection: {}, pool: { min: 1, max: 1 } });
  const charged = async () => (await database.raw(CHARGED)).rows[0].n;

  await ask(charged, 'count', () => database('people').count());
  await ask(charged, 'cities', () => database('people').select('city').count('* as n').avg('age')
    .where('age', '>=', 30).groupBy('city').orderBy('city'));
  await ask(charged, 'sums', () => database('people').sum('age as a').sum('points as p').min('born').max('age').whereIn('city', ['Graz', 'Linz']));
  await ask(charged, 'units', () => database('people').countDistinct('id'));
  await ask(charged, 'having', () => database('people').select('city').groupBy('city').having(database.raw('count(*)'), '>', 3000));
  await ask(charged, 'keys', () => database('people').distinct('city').orderBy('city'));
  await refused(charged, 'rows', () => database('people').select('*').limit(5));
  await database.destroy();
}

async function drizzle() {
  const { Pool } = require('pg');
  const orm = require('drizzle-orm');
  const core = require('drizzle-orm/pg-core');
  const pool = new Pool({ max: 1 });
  const database = require('drizzle-orm/node-postgres').drizzle(pool);
  const charged = async () => (await pool.query(CHARGED)).rows[0].n;
  const people = core.pgTable('people', { id: core.integer('id'), city: core.text('city'), age: core.integer('age'), born: core.date('born') });

  await ask(charged, 'count', async () => [{ count: await database.$count(people) }]);
  await ask(charged, 'cities', () => database.select({ city: people.city, n: orm.count(), avg: orm.avg(people.age) }).from(people)
    .where(orm.gte(people.age, 30)).groupBy(people.city).orderBy(people.city));
  await ask(charged, 'sums', () => database.select({ sum: orm.sum(people.age), min: orm.min(people.born), max: orm.max(people.age) }).from(people));
  await ask(charged, 'units', () => database.select({ units: orm.countDistinct(people.id) }).from(people));
  await ask(charged, 'keys', () => database.selectDistinct({ city: people.city }).from(people).orderBy(people.city));
  await refused(charged, 'rows', () => database.select().from(people).limit(5));
  await pool.end();
}

// How many statements the role has been charged, asked by a connection beside the tool's own.
async function counter() {
  const { Client } = require('pg');
  const client = new Client();
  await client.connect();
  return { charged: async () => (await client.query(CHARGED)).rows[0].n, end: () => client.end() };
}

// Malloy: a language for models, of which it writes SQL in stages; it finds tables through information_schema.
async function malloy() {
  const { SingleConnectionRuntime } = require('@malloydata/malloy');
  const { PostgresConnection } = require('@malloydata/db-postgres');
  const { charged, end } = await counter();
  const connection = new PostgresConnection('pg', () => ({}), () => ({
    host: process.env.PGHOST, port: Number(process.env.PGPORT), username: process.env.PGUSER, password: 'none is asked for',
    databaseName: process.env.PGDATABASE,
  }));
  const model = new SingleConnectionRuntime({ connection }).loadModel(`
    source: people is pg.table('public.people_seen') extend { primary_key: id measure: n is count() mean is age.avg() }
    source: visits is pg.table('public.visits_seen') extend { measure: n is count() total is cost.sum() }`);
  const run = async (query) => (await model.loadQuery(`run: ${query}`).run()).data.toObject();

  await ask(charged, 'cities', () => run('people -> { group_by: city aggregate: n, mean order_by: city }'));
  await ask(charged, 'filtered', () => run('people -> { aggregate: n where: age > 30 and city = "Graz" | "Linz" }'));
  await ask(charged, 'extremes', () => run('people -> { aggregate: least is age.min(), greatest is age.max(), units is count(id) }'));
  await ask(charged, 'months', () => run('visits -> { group_by: begun is at.month aggregate: n, total order_by: begun }'));
  await ask(charged, 'stages', () => run('people -> { group_by: city aggregate: n } -> { aggregate: cities is count(), most is n.max() }'));
  await ask(charged, 'keys', () => run('people -> { group_by: city order_by: city }'));
  await refused(charged, 'rows', () => run('people -> { select: * limit: 5 }'));
  await connection.close();
  await end();
}

// PostGraphile: GraphQL of all that the role may select from, as it finds it in the catalog, over HTTP.
async function postgraphile() {
  const http = require('http');
  const aggregates = require('@graphile/pg-aggregates').default;
  const { charged, end } = await counter();
  const server = http.createServer(require('postgraphile').postgraphile({}, 'public', {
    appendPlugins: [aggregates], ignoreRBAC: false, disableQueryLog: true, graphiql: false,
  }));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const load = async (query) => {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}/graphql`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }),
    });
    const { data, errors } = await answer.json();
    if (errors) throw Object.assign(new Error(errors[0].message), { code: 'error' });
    return data.allPeopleSeens;
  };
  // An object of objects as one row.
  const flat = (object) => [Object.assign({}, ...Object.entries(object).map(([outer, inner]) =>
    Object.fromEntries(Object.entries(inner).map(([name, value]) => [`${outer}_${name}`, value]))))];

  await ask(charged, 'count', async () => [await load('{ allPeopleSeens { totalCount } }')]);
  await ask(charged, 'aggregates', async () => flat((await load(
    '{ allPeopleSeens { aggregates { distinctCount { id } min { age } max { age } average { age } sum { age } } } }')).aggregates));
  await ask(charged, 'cities', async () => (await load(
    '{ allPeopleSeens { groupedAggregates(groupBy: [CITY]) { keys average { age } distinctCount { id } } } }'))
    .groupedAggregates.map(({ keys, average, distinctCount }) => ({ city: keys[0], age: average.age, units: distinctCount.id }))
    .sort((one, other) => (one.city < other.city ? -1 : 1)));
  await ask(charged, 'filtered', async () => [await load('{ allPeopleSeens(condition: { city: "Graz" }) { totalCount } }')]);
  await refused(charged, 'rows', async () => (await load('{ allPeopleSeens(first: 2) { nodes { id city } } }')).nodes);
  server.close();
  await end();
}

// Malloy leaves connections of refused queries open, so that the program would not end by itself.
({ pg, knex, drizzle, malloy, postgraphile })[process.argv[2]]().then(() => process.exit(), (error) => {
  console.error(error);
  process.exit(1);
});
