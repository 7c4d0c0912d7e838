\set ECHO queries
\pset footer off

\echo '## You are the role "analyst". You may not read the table titanic, one row'
\echo '## for each of the 2,201 people on board: PostgreSQL itself says no.'
SELECT * FROM titanic;
SELECT max(class) FROM titanic;

\echo '## What you may do is ask for noisy answers. First, what would one cost?'
SELECT aggregate, mechanism, epsilon, noise_stddev, half_width_95, admitted
FROM dp_agg.price('SELECT dp_count(*) FROM titanic WHERE survived');

\echo '## Nothing was read, nothing was charged. Now ask it. (The true answer is 711.)'
SELECT dp_count(*) FROM titanic WHERE survived;

\echo '## Groups. Which groups exist is private too: a group of very few people,'
\echo '## such as the children among the crew, may be left out.'
SELECT class, sex, dp_count(*) AS people
FROM titanic WHERE survived GROUP BY class, sex ORDER BY class, sex;

\echo '## Error bars: 95 in 100 answers lie within half_width_95 of the truth.'
SELECT aggregate, noise_stddev, half_width_95 FROM dp_agg.last_release();

\echo '## Many rows a person: a patient counts with all visits, so all are protected'
\echo '## together. The bounds 0 and 500 are yours; values outside are clamped.'
SELECT clinic, dp_count(DISTINCT patient) AS patients,
       round(dp_avg(cost, 0, 500)::numeric, 1) AS mean,
       round(dp_median(cost, 0, 500)::numeric, 1) AS median
FROM visits GROUP BY clinic ORDER BY clinic;

\echo '## A histogram answers for every bin, the empty ones too.'
SELECT bin, lower, upper, count, repeat('*', greatest(count, 0)::int / 250) AS visits
FROM dp_histogram('visits', 'cost', 0, 400, 8);

\echo '## One exact number beside the noisy one would spoil it all.'
SELECT dp_count(*), max(cost) FROM visits;

\echo '## The plan shows what would be charged, and nothing about the rows.'
EXPLAIN SELECT class, dp_count(*) FROM titanic GROUP BY class;

\echo '## A trick: ask, look, roll back. What did it cost?'
SELECT dataset, round(epsilon_spent::numeric, 3) AS spent, epsilon_limit, statements
FROM dp_agg.budgets WHERE dataset = 'titanic';
BEGIN;
SELECT dp_count(*) FROM titanic WHERE class = '1st';
ROLLBACK;
SELECT dataset, round(epsilon_spent::numeric, 3) AS spent, epsilon_limit, statements
FROM dp_agg.budgets WHERE dataset = 'titanic';
\echo '## The charge was durable before the answer left the server.'

\echo '## The budget ends. A sharper answer than is left to pay for:'
SET dp_agg.epsilon = 2;
SELECT dp_count(*) FROM titanic WHERE age = 'child';
