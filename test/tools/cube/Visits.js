cube('Visits', {
  sql: 'SELECT * FROM public.visits_seen',
  measures: {
    count: { type: 'count' },
    cost: { sql: 'cost', type: 'sum' },
  },
  dimensions: {
    at: { sql: 'at', type: 'time' },
  },
});
