\set ECHO queries
\pset footer off
\pset null withheld
\echo
\echo '## You are the role "analyst". The table titanic has a row for each of the 2,201'
\echo '## people on board; the table visits holds the bills of 20,000 patients. You may'
\echo '## read neither.'
SELECT * FROM titanic;
SELECT cost FROM visits ORDER BY cost DESC LIMIT 1;
\echo
\echo '## But plain aggregates are answered with noise, here beside the true counts that a'
\echo '## history book prints. 95 in 100 answers are off by at most plus_minus. Which groups exist'
\echo '## is private too: a group of few people is withheld.'
SELECT class, sex, noisy.answer, half_width_95 AS plus_minus, survivors AS truth
FROM history_book LEFT JOIN
     (SELECT class, sex, count(*) AS answer
      FROM titanic WHERE survived GROUP BY class, sex) AS noisy USING (class, sex),
     dp_agg.last_release()
WHERE aggregate = 'dp_count(*)' ORDER BY class, sex;
\echo '## One exact number beside the noisy ones would spoil them.'
SELECT sex, count(*), max(class) FROM titanic GROUP BY sex;
\echo
\echo '## The plan tells the price, which depends on the question alone, and nothing about'
\echo '## the rows. Looking at it is free.'
EXPLAIN (COSTS OFF)
SELECT class, avg(survived::int) FROM titanic GROUP BY class;
\echo '## A trick: ask, look at the answer, roll back. Is the budget refunded?'
SELECT statements, epsilon_spent::numeric(6,3) AS spent, epsilon_limit AS "limit"
FROM dp_agg.budgets WHERE dataset = 'titanic';
BEGIN;
SELECT class, avg(survived::int)::numeric(4,3) AS survived
FROM titanic GROUP BY class ORDER BY class;
ROLLBACK;
SELECT statements, epsilon_spent::numeric(6,3) AS spent, epsilon_limit AS "limit"
FROM dp_agg.budgets WHERE dataset = 'titanic';
\echo '## No. The charge was durable, in a transaction of its own, before a row was read.'
\echo
\echo '## Many rows a person: all visits of a patient are protected together. A bill above'
\echo '## 300 counts as 300. Whatever you compute from released values is free.'
SELECT clinic, patients, visits, mean::numeric(6,1) AS bill,
       (half_width_95 * at_rows / visits)::numeric(6,1) AS plus_minus
FROM (SELECT clinic, count(DISTINCT patient) AS patients, count(*) AS visits,
             avg(cost) AS mean
      FROM visits GROUP BY clinic) AS noisy, dp_agg.last_release()
WHERE aggregate LIKE 'dp_avg%' ORDER BY clinic;
\echo '## A histogram of the bills; a patient may count in each of its eight bins.'
SET dp_agg.max_groups = 8;
SELECT lower, upper, count, bar AS visits
FROM dp_histogram('visits', 'cost', 0, 240, 8);
\echo '## The budget ends. dp_count and its like take an epsilon of their own. What is left'
\echo '## does not pay for so sharp an answer:'
SELECT dp_count(id, 3) AS children FROM titanic WHERE age_group = 'child';
\echo
\echo '## It pays for a less sharp one (there were 109 children). Then less is left than an'
\echo '## aggregate costs that names no epsilon, and the next question is refused.'
SELECT dp_count(id, 2.5) AS children FROM titanic WHERE age_group = 'child';
SELECT dp_count(id) FROM titanic;
