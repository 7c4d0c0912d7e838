// Queries that Prisma, TypeORM, Sequelize and Kysely write for calls of their own.
//
// usage: NODE_PATH=.../node_modules node orms.js prisma|typeorm|sequelize|kysely
//
// Prints what client.py does, with JavaScript's types.
'use strict';

const path = require('path');
const { Client } = require('pg');

const CHARGED = 'SELECT coalesce(sum(statements), 0)::int AS n FROM dp_agg.budgets WHERE role = current_user::regrole';

function typeOf(value) {
  return value === null ? null : value instanceof Date ? 'Date' : value?.constructor?.name === 'Decimal' ? 'Decimal' : typeof value;
}

function text(value) {
  return value === null ? null : value instanceof Date ? value.toISOString() : String(value);
}

// The values of an answer, with those of objects within under their names.
function flat(answer) {
  if (answer === null || typeof answer !== 'object' || answer instanceof Date || typeOf(answer) === 'Decimal') return { value: answer };
  const found = {};
  for (const [name, value] of Object.entries(answer)) {
    for (const [inner, part] of Object.entries(flat(value))) found[inner === 'value' ? name : `${name}.${inner}`] = part;
  }
  return found;
}

// How many statements the role has been charged, by a connection of its own.
async function counter() {
  const client = new Client();
  await client.connect();
  return { charged: async () => (await client.query(CHARGED)).rows[0].n, end: () => client.end() };
}

async function ask(charged, name, question) {
  const before = await charged();
  let answer;
  try {
    answer = await question();
  } catch (error) {
    console.log(JSON.stringify({ name, error: error.message }));
    return;
  }
  const rows = (Array.isArray(answer) ? answer : [answer]).map(flat);
  const values = rows.map((row) => Object.values(row));
  console.log(JSON.stringify({
    name, columns: Object.keys(rows[0] ?? {}), types: (values[0] ?? []).map(typeOf), rows: values.map((row) => row.map(text)),
    charged: (await charged()) - before,
  }));
}

// Ask for what only the owner may read: how many rows came, or the SQLSTATE, which some keep in what caused their error.
async function refused(charged, name, question) {
  const before = await charged();
  let answer;
  try {
    const got = await question();
    answer = got.length;
  } catch (error) {
    const state = /\b42501\b|not shown as empty|permission denied/.exec(`${error.code} ${error.parent?.code} ${error.message} ${JSON.stringify(error.meta ?? {})}`);
    answer = state ? '42501' : error.message;
  }
  console.log(JSON.stringify({ name, answer, charged: (await charged()) - before }));
}

async function prisma() {
  const { PrismaClient } = require(path.join(process.env.NODE_PATH, '..', 'prisma-client'));
  const { PrismaPg } = require('@prisma/adapter-pg');
  const { charged, end } = await counter();
  const database = new PrismaClient({ adapter: new PrismaPg({ max: 1 }) });

  await ask(charged, 'count', () => database.people.count());
  await ask(charged, 'where', () => database.people.count({ where: { age: { gte: 30 }, city: { in: ['Graz', 'Linz'] } } }));
  await ask(charged, 'select', () => database.people.count({ select: { _all: true, city: true } }));
  await ask(charged, 'aggregate', () => database.people.aggregate({
    _count: true, _avg: { age: true }, _sum: { points: true }, _min: { born: true }, _max: { age: true } }));
  await ask(charged, 'groups', () => database.people.groupBy({ by: ['city'], _count: { _all: true }, _avg: { age: true }, orderBy: { city: 'asc' } }));
  await ask(charged, 'having', () => database.people.groupBy({ by: ['city'], where: { active: true }, _count: true, having: { age: { _avg: { gt: 20 } } }, orderBy: { city: 'asc' }, take: 2 }));
  await ask(charged, 'prepared', () => database.people.count({ where: { age: { gte: 40 } } }));
  await refused(charged, 'rows', () => database.people.findMany({ take: 10, skip: 10, orderBy: { id: 'asc' } }));
  await refused(charged, 'first', async () => [await database.people.findFirst()]);
  await database.$disconnect();
  await end();
}

async function typeorm() {
  require('reflect-metadata');
  const { DataSource, EntitySchema, Between, MoreThanOrEqual } = require('typeorm');
  const People = new EntitySchema({
    name: 'Person', tableName: 'people',
    columns: {
      id: { type: 'int', primary: true }, city: { type: 'text' }, age: { type: 'int' }, points: { type: 'bigint' },
      income: { type: 'numeric' }, born: { type: 'date' }, active: { type: 'boolean' },
    },
  });
  const { charged, end } = await counter();
  const source = new DataSource({
    type: 'postgres', host: process.env.PGHOST, port: Number(process.env.PGPORT), username: process.env.PGUSER,
    database: process.env.PGDATABASE, entities: [People], installExtensions: false, extra: { max: 1 },
  });
  await source.initialize();
  const people = source.getRepository(People);

  await ask(charged, 'count', () => people.count());
  await ask(charged, 'where', () => people.countBy({ age: Between(30, 50), city: 'Wien' }));
  await ask(charged, 'average', () => people.average('age', { age: MoreThanOrEqual(30) }));
  await ask(charged, 'sum', () => people.sum('points'));
  await ask(charged, 'minimum', () => people.minimum('age'));
  await ask(charged, 'exists', () => people.exists({ where: { city: 'Wien' } }));
  await ask(charged, 'existsBy', () => people.existsBy({ age: MoreThanOrEqual(18) }));
  await ask(charged, 'groups', () => people.createQueryBuilder('p').select('p.city', 'city').addSelect('COUNT(*)', 'n').addSelect('AVG(p.age)', 'avg')
    .where('p.age >= :age', { age: 30 }).groupBy('p.city').having('COUNT(*) > :n', { n: 10 }).orderBy('p.city').limit(10).getRawMany());
  await ask(charged, 'getCount', () => people.createQueryBuilder('p').where('p.active').getCount());
  await refused(charged, 'rows', () => people.find({ take: 10 }));
  await refused(charged, 'page', () => people.findAndCount({ take: 10, skip: 0 }));
  await source.query("SET dp_agg.raw_reads = 'empty'");
  await refused(charged, 'empty page', () => people.findAndCount({ take: 10, skip: 0 }));
  await source.destroy();
  await end();
}

async function sequelize() {
  const { Sequelize, DataTypes, Op, fn, col } = require('sequelize');
  const { charged, end } = await counter();
  const database = new Sequelize(process.env.PGDATABASE, process.env.PGUSER, null, {
    dialect: 'postgres', host: process.env.PGHOST, port: Number(process.env.PGPORT), logging: false, pool: { max: 1 },
  });
  const People = database.define('people', {
    id: { type: DataTypes.INTEGER, primaryKey: true }, city: DataTypes.TEXT, age: DataTypes.INTEGER, points: DataTypes.BIGINT,
    income: DataTypes.DECIMAL, born: DataTypes.DATEONLY, active: DataTypes.BOOLEAN,
  }, { timestamps: false, freezeTableName: true });

  await ask(charged, 'count', () => People.count());
  await ask(charged, 'where', () => People.count({ where: { age: { [Op.between]: [30, 50] }, city: ['Graz', 'Linz'] } }));
  await ask(charged, 'distinct', () => People.count({ distinct: true, col: 'id' }));
  await ask(charged, 'starred', () => People.findAll({ attributes: [[fn('COUNT', '*'), 'n'], [fn('COUNT', 'id'), 'ids']], raw: true }));
  await ask(charged, 'groups', () => People.findAll({
    attributes: ['city', [fn('COUNT', col('id')), 'n'], [fn('AVG', col('age')), 'avg']], group: ['city'],
    having: Sequelize.where(fn('COUNT', col('id')), Op.gt, 10), order: ['city'], limit: 10, raw: true }));
  await ask(charged, 'grouped', async () => (await People.count({ group: ['city'] })).sort((a, b) => (a.city < b.city ? -1 : 1)));
  await ask(charged, 'sum', () => People.sum('points'));
  await ask(charged, 'min', () => People.min('age'));
  await ask(charged, 'max', () => People.max('age', { where: { active: true } }));
  await refused(charged, 'rows', () => People.findAll({ limit: 10, offset: 10 }));
  await database.close();
  await end();
}

async function kysely() {
  const { Kysely, PostgresDialect } = require('kysely');
  const { Pool } = require('pg');
  const { charged, end } = await counter();
  const database = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ max: 1 }) }) });

  await ask(charged, 'count', () => database.selectFrom('people').select((eb) => eb.fn.countAll().as('n')).execute());
  await ask(charged, 'groups', () => database.selectFrom('people').select(['city', (eb) => eb.fn.count('id').as('n'), (eb) => eb.fn.avg('age').as('avg')])
    .where('age', '>=', 30).groupBy('city').having((eb) => eb.fn.count('id'), '>', 10).orderBy('city').limit(10).execute());
  await ask(charged, 'sums', () => database.selectFrom('people').select((eb) => [eb.fn.sum('points').as('p'), eb.fn.min('age').as('least'), eb.fn.max('born').as('last')]).execute());
  await ask(charged, 'distinct', () => database.selectFrom('people').select((eb) => eb.fn.count('city').distinct().as('cities')).execute());
  await ask(charged, 'filtered', () => database.selectFrom('people').select((eb) => eb.fn.countAll().filterWhere('active', '=', true).as('n')).execute());
  await ask(charged, 'subquery', () => database.selectFrom((eb) => eb.selectFrom('people').selectAll().where('age', '<', 40).offset(0).as('p'))
    .select((eb) => eb.fn.countAll().as('n')).execute());
  await ask(charged, 'exists', () => database.selectNoFrom((eb) => eb.exists(eb.selectFrom('people').select('id').where('city', '=', 'Wien').limit(1)).as('any')).execute());
  await refused(charged, 'rows', () => database.selectFrom('people').selectAll().limit(10).offset(10).execute());
  await database.destroy();
  await end();
}

({ prisma, typeorm, sequelize, kysely })[process.argv[2]]().catch((error) => {
  console.error(error);
  process.exit(1);
});
