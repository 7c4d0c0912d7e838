// What somebody who models data for Cube writes of a published view.
cube('People', {
  sql: 'SELECT * FROM public.people_seen',
  measures: {
    count: { type: 'count' },
    age: { sql: 'age', type: 'avg' },
  },
  dimensions: {
    id: { sql: 'id', type: 'number', primaryKey: true },
    city: { sql: 'city', type: 'string' },
  },
});
