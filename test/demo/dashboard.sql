--
-- A dashboard of ten charts, in plain SQL as tools write it.
--
SELECT count(*) FROM titanic;
SELECT class, count(*) FROM titanic GROUP BY class ORDER BY class;
SELECT class, avg(survived::int) FROM titanic GROUP BY class ORDER BY class;
SELECT sex, count(*) FROM titanic WHERE survived GROUP BY sex ORDER BY count(*) DESC;
SELECT count(*) FILTER (WHERE survived) / count(*)::float AS share FROM titanic;
SELECT clinic, count(*) FROM visits GROUP BY clinic ORDER BY clinic;
SELECT clinic, avg(cost) FROM visits GROUP BY clinic ORDER BY avg(cost) DESC LIMIT 3;
SELECT clinic, count(DISTINCT patient) AS patients FROM visits GROUP BY clinic HAVING count(DISTINCT patient) > 100;
SELECT sum(cost) FROM visits;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY cost) FROM visits;
