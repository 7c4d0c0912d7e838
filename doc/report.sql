--
-- report.sql
--	  A report about all data sets of a database, for an auditor and whoever owns the data: one page
--	  of HTML that needs nothing else, neither scripts nor other files.
--
--	psql -XqAt -d shop -U auditor -f report.sql >report.html
--
-- It reads what doc/admin.md grants an auditor, and changes nothing.  Names and texts that people
-- chose are shown as they are and mean nothing to a browser.  Curves are drawn of budgets with at
-- most :longest statements, and the newest :listed rows of the ledger are listed:
--
--	psql ... -v longest=50000 -v listed=1000
--
-- Charts are 320 by 220: what they plot lies between 44 and 312, and between 12 and 190.
--
\set ON_ERROR_STOP on
\if :{?longest}
\else
	\set longest 5000
\endif
\if :{?listed}
\else
	\set listed 100
\endif
\pset format unaligned
\pset tuples_only on
\pset footer off
\pset pager off
\pset null ''
\encoding UTF8

BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

-- No object that somebody made is found instead of PostgreSQL's, and all write numbers and times alike.
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL datestyle = 'ISO, YMD';
SET LOCAL intervalstyle = 'postgres';
SET LOCAL timezone = 'UTC';
SET LOCAL extra_float_digits = -10;
SET LOCAL client_min_messages = warning;
SET LOCAL jit = off;

-- What a browser must not see in a text: characters that move, hide or reverse others.
SELECT CASE getdatabaseencoding()
	WHEN 'UTF8' THEN '[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]'
	ELSE '[\x01-\x08\x0b-\x1f\x7f]' END AS unseen \gset

-- :text something :as_html is a text in which nothing is markup.
\set text 'replace(replace(replace(replace(replace(regexp_replace(('
\set as_html ')::text, :''unseen'', ''?'', ''g''), ''&'', ''&amp;''), ''<'', ''&lt;''), ''>'', ''&gt;''), ''"'', ''&quot;''), '''''''', ''&#39;'')'

-- :cells are those of a row of a table, made of the array "cell"; numbers are aligned to the right.
\set cells '(SELECT string_agg(format(CASE WHEN u.c ~ ''^-?[0-9.]+(e[-+]?[0-9]+)?$'' THEN ''<td class="n">%s</td>'' WHEN u.c ~ ''^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]+$'' THEN ''<td class="t">%s</td>'' ELSE ''<td>%s</td>'' END, coalesce(:text u.c :as_html, '''')), '''' ORDER BY u.o) FROM unnest(cell) WITH ORDINALITY u (c, o))'
-- :body is that of a table with the rows "n" and "cell".
\set body 'coalesce(string_agg(''<tr>'' || :cells || ''</tr>'', chr(10) ORDER BY n), ''<tr><td class="none" colspan="12">none</td></tr>'')'

--
-- what the report is of
--
SELECT format($html$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Privacy report of %1$s</title>
<style>
	body { font: 14px/1.45 system-ui, "DejaVu Sans", Helvetica, Arial, sans-serif; color: #1b1b1b; background: #fff; max-width: 1080px; margin: 24px auto; padding: 0 20px; }
	h1 { font-size: 25px; margin: 0 0 4px; }
	h2 { font-size: 19px; margin: 34px 0 8px; padding-top: 12px; border-top: 2px solid #123c69; }
	h3 { font-size: 15px; margin: 22px 0 6px; }
	p { max-width: 860px; margin: 6px 0; }
	.quiet { color: #555; font-size: 12.5px; }
	.tiles { display: flex; flex-wrap: wrap; gap: 10px; margin: 14px 0; }
	.tile { border: 1px solid #bbb; border-radius: 4px; padding: 8px 14px; min-width: 104px; }
	.tile b { display: block; font-size: 21px; }
	.bad { border: 2px solid #1b1b1b; font-weight: bold; }
	table { border-collapse: collapse; min-width: 50%%; margin: 6px 0 10px; font-size: 12.5px; }
	th { text-align: left; border-bottom: 1.5px solid #555; padding: 3px 10px 3px 0; vertical-align: bottom; }
	td { border-bottom: 1px solid #ddd; padding: 3px 10px 3px 0; vertical-align: top; overflow-wrap: break-word; white-space: pre-wrap; unicode-bidi: isolate; }
	td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
	td.t { white-space: nowrap; }
	td.none { color: #555; }
	.asked td:nth-child(4) { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 11.5px; width: 60%%; overflow-wrap: anywhere; }
	.asked, .record { width: 100%%; }
	.record td { text-align: left; white-space: pre-wrap; overflow-wrap: anywhere; }
	.record td:first-child { width: 38%%; color: #333; }
	.account { border: 1px solid #ccc; border-radius: 4px; padding: 8px 12px 4px; margin: 12px 0; }
	.account h3 { margin: 0 0 2px; }
	.charts { display: flex; flex-wrap: wrap; gap: 8px 14px; }
	figure { margin: 4px 0; flex: 1 1 300px; max-width: 340px; }
	figcaption { font-size: 12px; color: #333; }
	svg { width: 100%%; height: auto; display: block; }
	svg text { font: 10.5px system-ui, "DejaVu Sans", Helvetica, Arial, sans-serif; fill: #333; }
	.axis { stroke: #555; fill: none; }
	.rule { stroke: #ddd; fill: none; }
	.exact { stroke: #123c69; stroke-width: 2.2; fill: none; }
	.inside { fill: #b9cce0; }
	.promised { fill: #eef2f6; }
	.limit { stroke: #1b1b1b; stroke-width: 1.6; stroke-dasharray: 7 4; fill: none; }
	.basic { stroke: #8a4b08; stroke-width: 1.6; stroke-dasharray: 2 2.6; fill: none; }
	.advanced { stroke: #555; stroke-width: 1.4; stroke-dasharray: 9 3 2 3; fill: none; }
	.mark { stroke: #1b1b1b; stroke-width: 1.6; fill: #fff; }
	.key { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 12px; margin: 8px 0; }
	.key span { display: inline-flex; align-items: center; gap: 6px; }
	.key svg { width: 34px; height: 12px; }
	@media print { body { margin: 0; max-width: none; font-size: 11px; } .account, figure, tr, .tile { break-inside: avoid; } h2, h3 { break-after: avoid; } @page { margin: 14mm; } }
</style>
</head>
<body>
<h1>Privacy report of %1$s</h1>
<p class="quiet">Made at %2$s UTC by %3$s; dp_agg %4$s on PostgreSQL %5$s.</p>$html$,
	:text current_database() :as_html, to_char(now(), 'YYYY-MM-DD HH24:MI:SS'), :text current_user :as_html,
	(SELECT :text extversion :as_html FROM pg_extension WHERE extname = 'dp_agg'), :text current_setting('server_version') :as_html);

WITH exposure AS MATERIALIZED (SELECT x.risk FROM dp_agg.check_exposure() x),
ledger AS MATERIALIZED (SELECT count(*) AS problems FROM dp_agg.verify_ledger()),
tile (n, value, what, bad) AS (
	SELECT 1, count(DISTINCT t.dataset)::text, 'data sets', false FROM dp_agg.protected_tables t
	UNION ALL SELECT 2, count(*)::text, 'protected tables', false FROM dp_agg.protected_tables
	UNION ALL SELECT 3, count(DISTINCT b.role)::text, 'roles with budgets', false FROM dp_agg.budgets b
	UNION ALL SELECT 4, count(*) FILTER (WHERE l.admitted)::text, 'statements charged', false FROM dp_agg.ledger l
	UNION ALL SELECT 5, count(*) FILTER (WHERE NOT l.admitted)::text, 'refused by a budget', false FROM dp_agg.ledger l
	UNION ALL SELECT 6, coalesce(sum(b.replays), 0)::text, 'shown again, free', false FROM dp_agg.budgets b
	UNION ALL SELECT 7, CASE problems WHEN 0 THEN 'holds' ELSE problems || ' wrong' END, 'ledger, verified now', problems > 0 FROM ledger
	UNION ALL SELECT 8, count(*) FILTER (WHERE risk ~ '^(critical|high)')::text, 'exposures, critical or high', count(*) FILTER (WHERE risk ~ '^(critical|high)') > 0 FROM exposure
	UNION ALL SELECT 9, count(*)::text, 'budgets of a copy, perhaps behind', true FROM dp_agg.budgets b WHERE b.may_be_behind HAVING count(*) > 0
	UNION ALL SELECT 10, 'off', 'the library is not preloaded', true WHERE NOT dp_agg.preloaded())
SELECT '<div class="tiles">' || string_agg(format('<div class="tile%s"><b>%s</b>%s</div>', CASE WHEN bad THEN ' bad' ELSE '' END, value, what), '' ORDER BY n) || '</div>'
FROM tile;

\qecho '<p>Everything that a role is answered is differentially private: two databases that differ by all rows of one unit, a person say, give such'
\qecho 'answers with nearly the same probabilities. How nearly is what budgets limit, as epsilon and delta. Delta is the probability of a failure'
\qecho 'without bound. No row of a protected table was read for this report.</p>'

--
-- budgets
--
\qecho '<h2>Budgets</h2>'
WITH t (n, cell) AS (
	SELECT row_number() OVER (ORDER BY b.dataset, b.is_cap DESC, b.role), ARRAY[b.dataset, b.role, b.epsilon_spent::text, b.epsilon_limit::text,
		round(100 * (b.epsilon_spent / b.epsilon_limit)::numeric) || ' %', b.delta_limit::text, b.delta_spent::text, b.statements::text, b.refusals::text, b.replays,
		to_char(b.last_charge, 'YYYY-MM-DD HH24:MI'), coalesce(b.refresh, 'never') || CASE WHEN b.may_be_behind THEN '; may be behind: a copy' ELSE '' END]
	FROM (SELECT dataset, false AS is_cap, role::text, epsilon_spent, epsilon_limit, delta_limit, delta_spent, statements, refusals, replays::text, last_charge, refresh::text, may_be_behind FROM dp_agg.budgets
		UNION ALL SELECT dataset, true, 'all roles together (cap)', epsilon_spent, epsilon_limit, delta_limit, delta_spent, statements, refusals, '', last_charge, NULL, may_be_behind FROM dp_agg.dataset_caps) b)
SELECT '<table><thead><tr><th>data set</th><th>role</th><th>epsilon spent</th><th>of</th><th></th><th>delta</th><th>spent on groups</th><th>charged</th><th>refused</th><th>shown again</th>'
	'<th>last charge</th><th>begins anew</th></tr></thead><tbody>' || :body || '</tbody></table>' FROM t;

\qecho '<div class="key">'
\qecho '<span><svg viewBox="0 0 34 12"><rect class="inside" width="34" height="12"/><path class="exact" d="M0 6H34"/></svg>what was released, as a fixed list</span>'
\qecho '<span><svg viewBox="0 0 34 12"><path class="basic" d="M0 6H34"/></svg>the same by basic composition</span>'
\qecho '<span><svg viewBox="0 0 34 12"><path class="advanced" d="M0 6H34"/></svg>by advanced composition</span>'
\qecho '<span><svg viewBox="0 0 34 12"><rect class="promised" width="34" height="12"/><path class="limit" d="M0 6H34"/></svg>the limit that is promised</span>'
\qecho '<span><svg viewBox="0 0 34 12"><path class="mark" d="M17 1l5 5-5 5-5-5z"/></svg>limit</span>'
\qecho '<span><svg viewBox="0 0 34 12"><circle class="mark" cx="17" cy="6" r="4"/></svg>spent, as the budget counts</span>'
\qecho '<span><svg viewBox="0 0 34 12"><path class="mark" d="M13 2l8 8m0-8l-8 8"/></svg>refused</span>'
\qecho '</div>'

WITH delta (d) AS (
	SELECT 10 ^ (-12 + k / 2.0)::float8 FROM generate_series(0, 21) k
	UNION ALL SELECT k / 100.0::float8 FROM unnest('{5,7,10,13,16,20,25,30,35,40,45,50,60,70,80,90}'::int[]) k),
account AS (
	SELECT b.number, b.dataset, b.role::oid = 0 AS is_cap, CASE WHEN b.role::oid = 0 THEN 'all roles together (cap)' ELSE b.role::text END AS name,
		coalesce(v.epsilon_spent, c.epsilon_spent) AS spent, b.epsilon_limit AS epsilon, b.delta_limit AS delta, b.statements
	FROM dp_agg.budget b LEFT JOIN dp_agg.budgets v ON b.role::oid <> 0 AND v.dataset = b.dataset AND v.role = b.role
		LEFT JOIN dp_agg.dataset_caps c ON b.role::oid = 0 AND c.dataset = b.dataset),
-- the rows of the ledger about it, in its present period or an earlier one
entry AS MATERIALIZED (
	SELECT e.*, max(CASE WHEN e.event IN ('refresh', 'reset') THEN e.id ELSE 0 END) OVER (PARTITION BY e.number) < e.id AS is_present
	FROM (SELECT a.number, l.id, l.at, l.event, l.admitted, l.epsilon_spent AS spent, l.epsilon_limit AS epsilon, l.releases, l.pure_epsilon, l.delta
		FROM account a JOIN dp_agg.ledger l ON l.budget = a.number
		UNION ALL
		SELECT a.number, l.id, l.at, l.event, l.admitted, l.cap_epsilon_spent, NULL, l.releases, l.pure_epsilon, l.delta
		FROM account a JOIN dp_agg.ledger l ON l.cap = a.number) e),
-- what is drawn: histories that the ledger has from nothing on, without blocks that choose max_groups.  A statement that has no pure epsilon has one with a little of delta.
history AS MATERIALIZED (
	SELECT e.number, jsonb_agg(e.releases) AS releases, array_agg(p.epsilon) AS epsilons, array_agg(p.delta) AS deltas
	FROM account a JOIN entry e USING (number), LATERAL (
		SELECT CASE WHEN e.pure_epsilon < 'Infinity' THEN e.pure_epsilon ELSE dp_accountant.pld_epsilon(e.releases, e.delta + 1e-9) END AS epsilon,
			CASE WHEN e.pure_epsilon < 'Infinity' THEN e.delta ELSE e.delta + 1e-9 END AS delta) p
	WHERE e.admitted AND e.is_present AND a.statements <= :longest AND NOT jsonb_path_exists(e.releases, '$[*].releases[*].chooses')
		AND (NOT a.is_cap OR (SELECT f.spent = 0 FROM entry f WHERE f.number = a.number ORDER BY f.id LIMIT 1))
	GROUP BY e.number, a.statements HAVING count(*) = a.statements AND max(p.epsilon) < 1e5),
-- pairs of epsilon and delta that hold of it
holds AS MATERIALIZED (
	SELECT h.number, 'exact' AS kind, x.epsilon AS e, d.d FROM history h, delta d, dp_accountant.pld_epsilon(h.releases, d.d) x (epsilon) WHERE x.epsilon < 'Infinity'
	UNION ALL SELECT h.number, 'basic', x.epsilon, x.delta FROM history h, dp_accountant.basic_composition(h.epsilons, h.deltas) x
	UNION ALL SELECT h.number, 'advanced', x.epsilon, x.delta FROM history h, delta d, dp_accountant.advanced_composition(h.epsilons, h.deltas, d.d) x WHERE x.delta < 1
	UNION ALL SELECT number, 'limit', epsilon, delta FROM account),
-- epsilon over time, at most one row for each point across
spending AS (
	SELECT DISTINCT ON (q.number, q.x) q.number, q.x, q.spent, q.id
	FROM (SELECT e.number, e.id, e.spent, round((44 + 268 * extract(epoch FROM e.at - s.began) / s.seconds)::numeric, 1) AS x
		FROM entry e JOIN (SELECT number, min(at) AS began, greatest(extract(epoch FROM now() - min(at)), 1) AS seconds FROM entry GROUP BY number) s USING (number)
		WHERE e.spent IS NOT NULL) q
	ORDER BY q.number, q.x, q.id DESC),
limits AS (
	SELECT e.number, e.id, e.epsilon, round((44 + 268 * extract(epoch FROM e.at - s.began) / s.seconds)::numeric, 1) AS x
	FROM (SELECT *, lag(epsilon) OVER (PARTITION BY number ORDER BY id) AS before FROM entry WHERE epsilon IS NOT NULL) e
		JOIN (SELECT number, min(at) AS began, greatest(extract(epoch FROM now() - min(at)), 1) AS seconds FROM entry GROUP BY number) s USING (number)
	WHERE e.epsilon IS DISTINCT FROM e.before),
span AS (
	SELECT e.number, min(e.at) AS began, greatest(extract(epoch FROM now() - min(e.at)), 1) AS seconds, 1.12 * least(greatest(max(e.epsilon), max(e.spent)), 1e300) AS top FROM entry e GROUP BY e.number),
over_time AS (
	SELECT s.number, format('<path class="inside" d="M44 190%sH312V190Z"/><path class="exact" d="M44 190%sH312"/><path class="limit" d="%sH312"/>%s', p.steps, p.steps, m.steps, coalesce(r.marks, '')) AS drawn,
		to_char(s.began, CASE WHEN s.seconds < 86400 THEN 'YYYY-MM-DD HH24:MI:SS' ELSE 'YYYY-MM-DD' END) AS first_label,
		to_char(now(), CASE WHEN s.seconds < 86400 THEN 'HH24:MI:SS' ELSE 'YYYY-MM-DD' END) AS last_label, s.top
	FROM span s,
		LATERAL (SELECT string_agg(format('H%sV%s', x, round((190 - 178 * (spent / s.top))::numeric, 1)), '' ORDER BY id) AS steps FROM spending WHERE number = s.number) p,
		LATERAL (SELECT string_agg(format(CASE WHEN o = 1 THEN 'M%s %s' ELSE 'H%sV%s' END, x, round((190 - 178 * (epsilon / s.top))::numeric, 1)), '' ORDER BY id) AS steps
			FROM (SELECT *, row_number() OVER (ORDER BY id) AS o FROM limits WHERE number = s.number) l) m,
		LATERAL (SELECT string_agg(format('<path class="mark" d="M%s %sl7 7m0-7l-7 7"/>', x - 3.5, round((190 - 178 * (spent / s.top))::numeric - 3.5, 1)), '') AS marks
			FROM (SELECT DISTINCT ON (x) x, spent FROM (SELECT round((44 + 268 * extract(epoch FROM e.at - s.began) / s.seconds)::numeric) AS x, e.spent
				FROM entry e WHERE e.number = s.number AND NOT e.admitted AND e.spent IS NOT NULL) y ORDER BY x, spent DESC) z) r),
-- delta by epsilon: from 1e-12 to 1, to the left of what the limit and basic composition have
widest AS (
	SELECT number, 1.12 * least(greatest(max(e) FILTER (WHERE kind <> 'advanced'), 1e-9), 1e300) AS e FROM holds GROUP BY number),
loss AS (
	SELECT w.number, w.e AS right_label, (
		SELECT string_agg(CASE h.kind WHEN 'exact' THEN format('<polyline class="exact" points="%s"/>', h.points) WHEN 'advanced' THEN format('<polyline class="advanced" points="%s"/>', h.points)
			WHEN 'basic' THEN format('<path class="basic" d="M%s 12V190"/>', h.x)
			ELSE format('<path class="mark" d="M%s %sl6 6-6 6-6-6z"/>', h.x, h.y - 6) END, '' ORDER BY h.kind)
		FROM (SELECT kind, string_agg(format('%s,%s', x, y), ' ' ORDER BY d) AS points, max(x) AS x, max(y) AS y
			FROM (SELECT kind, d, round((44 + 268 * least(e / w.e, 30))::numeric, 1) AS x, round((12 + 178 * least(-log(greatest(d, 1e-12))::numeric / 12, 1))::numeric, 1) AS y FROM holds WHERE number = w.number) p
			GROUP BY kind) h) ||
		coalesce((SELECT format('<circle class="mark" cx="%s" cy="%s" r="4.5"/>', round((44 + 268 * (a.spent / w.e))::numeric, 1), round((12 + 178 * least(-log(greatest(a.delta, 1e-12))::numeric / 12, 1))::numeric, 1))
			FROM account a WHERE a.number = w.number AND a.spent IS NOT NULL), '') AS drawn
	FROM widest w),
-- misses by false alarms: the greatest of all lower bounds that hold, at places close to where there are few, and turned about the diagonal
test AS (
	SELECT r.number, r.kind, a.a, max(greatest(0, 1 - r.d - exp(least(r.e, 700)) * a.a, exp(-least(r.e, 700)) * (1 - r.d - a.a))) AS b
	FROM holds r, LATERAL (SELECT (0.5 * (k / 60.0) ^ 2)::float8 FROM generate_series(0, 60) k
		UNION SELECT max((1 - s.d) / (1 + exp(least(s.e, 700)))) FROM holds s WHERE s.number = r.number AND s.kind = r.kind) a (a) GROUP BY r.number, r.kind, a.a),
region AS (
	SELECT number, kind, string_agg(format('%s,%s', round((44 + 178 * x)::numeric, 1), round((190 - 178 * y)::numeric, 1)), ' ' ORDER BY x, y DESC) AS points
	FROM (SELECT number, kind, a AS x, b AS y FROM test WHERE a <= b UNION ALL SELECT number, kind, b, a FROM test WHERE a <= b) p GROUP BY number, kind),
trade_off AS (
	SELECT number, string_agg(CASE kind WHEN 'limit' THEN format('<polygon class="promised" points="44,12 %s 222,190"/>', points) END, '')
			|| coalesce(string_agg(CASE kind WHEN 'exact' THEN format('<polygon class="inside" points="44,12 %s 222,190"/>', points) END, ''), '')
			|| string_agg(format('<polyline class="%s" points="%s"/>', kind, points), '' ORDER BY kind = 'exact', kind) AS drawn
	FROM region GROUP BY number),
frame (axes) AS (VALUES ('<path class="axis" d="M44 12V190H312"/>'))
SELECT coalesce(string_agg(format($html$<div class="account">
<h3>%s on data set %s</h3>
<p class="quiet">%s</p>
<div class="charts">
<figure><figcaption>Epsilon spent, over time</figcaption><svg viewBox="0 0 320 220" role="img" aria-label="epsilon spent over time">
%s%s<text x="40" y="194" text-anchor="end">0</text><text x="40" y="%s" text-anchor="end">%s</text><text x="44" y="206">%s</text><text x="312" y="206" text-anchor="end">%s</text></svg></figure>
<figure><figcaption>Privacy loss: delta by epsilon</figcaption><svg viewBox="0 0 320 220" role="img" aria-label="delta by epsilon">
<path class="rule" d="M44 12H312M44 56.5H312M44 101H312M44 145.5H312"/><svg x="44" y="6" width="274" height="190" viewBox="44 6 274 190">%s</svg>%s%s<text x="178" y="218" text-anchor="middle">epsilon</text></svg></figure>
<figure><figcaption>What a test of one unit can tell: misses by false alarms</figcaption><svg viewBox="0 0 320 220" role="img" aria-label="misses by false alarms">
%s<path class="axis" d="M44 12V190H222M44 12L222 190"/><text x="40" y="194" text-anchor="end">0</text><text x="40" y="16" text-anchor="end">1</text><text x="222" y="203" text-anchor="middle">1</text><text x="133" y="206" text-anchor="middle">false alarms</text><text x="-101" y="32" text-anchor="middle" transform="rotate(-90)">misses</text><text x="140" y="88">guessing</text>%s</svg></figure>
</div>
</div>$html$,
	:text a.name :as_html, :text a.dataset :as_html,
	CASE WHEN a.spent IS NULL THEN '' ELSE format('Epsilon %s of %s is spent, at delta %s. ', a.spent, a.epsilon, a.delta) END || CASE
		WHEN h.number IS NOT NULL THEN format('The %s, as a list fixed in advance, epsilon %s at that delta.', CASE a.statements WHEN 1 THEN 'statement charged was' ELSE a.statements || ' statements charged were' END,
			coalesce((SELECT nullif(dp_accountant.pld_epsilon(h.releases, y.delta), 'Infinity')::text FROM account y WHERE y.number = a.number AND y.delta > 0),
				(SELECT r.e::text FROM holds r WHERE r.number = a.number AND r.kind = 'basic' AND r.d <= a.delta), 'unknown'))
		WHEN a.statements = 0 AND coalesce(a.spent, 0) = 0 THEN 'Nothing was charged.'
		ELSE 'What was released is not drawn: there is more of it than this report was told to compose, or of an epsilon beyond 100,000, or numbers of groups were chosen for some of it, or the ledger does not have it from the beginning.' END,
	frame.axes, coalesce(o.drawn, ''), 194 - round((178 / 1.12), 1), coalesce(o.top / 1.12, a.epsilon), coalesce(o.first_label, ''), coalesce(o.last_label, ''),
	coalesce(l.drawn, ''), frame.axes,
	'<text x="40" y="16" text-anchor="end">1</text><text x="40" y="60" text-anchor="end">1e-3</text><text x="40" y="105" text-anchor="end">1e-6</text><text x="40" y="149" text-anchor="end">1e-9</text><text x="40" y="193" text-anchor="end">1e-12</text><text x="44" y="206" text-anchor="middle">0</text>'
		|| format('<text x="%s" y="206" text-anchor="middle">%s</text>', round(44 + 268 / 1.12, 1), l.right_label / 1.12),
	coalesce(t.drawn, ''),
	format('<text x="232" y="30">A right guess,</text><text x="232" y="43">of two as likely:</text><text x="232" y="60">limit: %s %%</text>%s',
		ceil(10000 * dp_accountant.max_guess(0.5, least(a.epsilon, 1e6), a.delta)) / 100,
		coalesce((SELECT format('<text x="232" y="73">so far: %s %%</text>', ceil(10000 * min(dp_accountant.max_guess(0.5, r.e, r.d))) / 100)
			FROM holds r WHERE r.number = a.number AND r.kind = 'exact' HAVING count(*) > 0), ''))),
	chr(10) ORDER BY a.dataset, a.is_cap DESC, a.name), '<p>There are none.</p>')
FROM account a CROSS JOIN frame LEFT JOIN history h USING (number) LEFT JOIN over_time o USING (number) LEFT JOIN loss l USING (number) LEFT JOIN trade_off t USING (number);

--
-- questions and prices
--
\qecho '<h2>Who asked what, at which price</h2>'
WITH asked AS (
	SELECT l.role, l.dataset, count(*) FILTER (WHERE l.admitted) AS charged, count(*) FILTER (WHERE NOT l.admitted) AS refused, count(*) FILTER (WHERE l.event = 'refusal by cap') AS by_cap,
		sum(l.pure_epsilon) FILTER (WHERE l.admitted) AS epsilon, sum(l.delta) FILTER (WHERE l.admitted) AS delta, min(l.at) AS first, max(l.at) AS last
	FROM dp_agg.ledger l WHERE l.admitted IS NOT NULL GROUP BY 1, 2),
t (n, cell) AS (
	SELECT row_number() OVER (ORDER BY charged DESC, role, dataset), ARRAY[role, dataset, charged::text, refused::text, by_cap::text,
		CASE WHEN epsilon < 'Infinity' THEN epsilon::text WHEN epsilon IS NULL THEN '0' ELSE 'some has no pure epsilon' END, coalesce(delta, 0)::text, to_char(first, 'YYYY-MM-DD HH24:MI'), to_char(last, 'YYYY-MM-DD HH24:MI')]
	FROM asked)
SELECT '<table><thead><tr><th>role</th><th>data set</th><th>charged</th><th>refused</th><th>of these, by a cap</th><th>sum of their epsilons</th><th>of their deltas</th><th>first</th><th>last</th></tr></thead><tbody>'
	|| :body || '</tbody></table>' FROM t;

-- The price is a statement's own: it is less in the budget, which adds up prices by the tighter of three rules.
WITH t (n, cell) AS (
	SELECT row_number() OVER (ORDER BY l.id DESC), ARRAY[to_char(l.at, 'YYYY-MM-DD HH24:MI:SS'), l.role || CASE WHEN l.payer <> l.role THEN format(' (paid by %s)', l.payer) ELSE '' END, l.dataset,
		coalesce(l.statement, (SELECT string_agg(concat_ws(' ', coalesce(q ->> 'call', (SELECT string_agg(r ->> 'aggregate', ', ') FROM jsonb_array_elements(q -> 'releases') r)),
			'FROM ' || (SELECT string_agg(x, ', ') FROM jsonb_array_elements_text(q -> 'relations') x), 'WHERE ' || (q ->> 'where'),
			'GROUP BY ' || (SELECT string_agg(x, ', ') FROM jsonb_array_elements_text(q -> 'keys') x)), E'\n') FROM jsonb_array_elements(l.releases) q) || E'\n(the text was not kept)'),
		CASE WHEN l.pure_epsilon < 'Infinity' THEN l.pure_epsilon::text
			ELSE (SELECT sum((r ->> 'epsilon')::float8 * coalesce((r ->> 'times')::float8, 1))::text FROM jsonb_array_elements(l.releases) q, jsonb_array_elements(q -> 'releases') r) END,
		CASE WHEN l.pure_epsilon < 'Infinity' THEN l.delta
			ELSE l.delta + (SELECT sum(coalesce((r ->> 'delta')::float8 * coalesce((r ->> 'times')::float8, 1), 0)) FROM jsonb_array_elements(l.releases) q, jsonb_array_elements(q -> 'releases') r) END::text,
		CASE l.event WHEN 'charge' THEN 'charged' WHEN 'refusal' THEN 'refused' ELSE 'refused by the cap' END, l.epsilon_spent::text]
	FROM (SELECT * FROM dp_agg.ledger WHERE admitted IS NOT NULL ORDER BY id DESC LIMIT :listed) l)
SELECT '<h3>The newest ' || count(*) || ' of them</h3><table class="asked"><thead><tr><th>when (UTC)</th><th>role</th><th>data set</th><th>question</th><th>epsilon</th><th>delta</th><th></th><th>spent then</th></tr></thead><tbody>'
	|| :body || '</tbody></table>' FROM t;

WITH t (n, cell) AS (
	SELECT row_number() OVER (ORDER BY l.id DESC), ARRAY[to_char(l.at, 'YYYY-MM-DD HH24:MI:SS'), l.role, l.event, l.dataset, CASE WHEN l.budget IS NULL THEN '' ELSE coalesce(l.payer, 'all roles together (cap)') END,
		l.epsilon_limit::text, l.delta_limit::text, l.epsilon_spent::text]
	FROM (SELECT * FROM dp_agg.ledger WHERE admitted IS NULL ORDER BY id DESC LIMIT :listed) l)
SELECT '<h3>The newest ' || count(*) || ' acts of administration</h3><table><thead><tr><th>when (UTC)</th><th>who</th><th>what</th><th>data set</th><th>budget of</th><th>epsilon</th><th>delta</th><th>spent then</th></tr></thead><tbody>'
	|| :body || '</tbody></table>' FROM t;

--
-- exposures
--
\qecho '<h2>Open exposures</h2>'
\qecho '<p>What roles can see around the gate, the worst first, and the statement that closes it. It should say: none.</p>'
WITH t (n, cell) AS (
	SELECT row_number() OVER (ORDER BY array_position('{critical,high,medium,low}', split_part(risk, ':', 1)), role NULLS LAST, object, channel),
		ARRAY[split_part(risk, ':', 1), CASE WHEN role IS NULL THEN 'everybody' ELSE role::text END, object, channel, ltrim(substr(risk, strpos(risk, ':') + 1)), remedy]
	FROM dp_agg.check_exposure())
SELECT '<table><thead><tr><th>risk</th><th>role</th><th>object</th><th>channel</th><th>what it gives away</th><th>remedy</th></tr></thead><tbody>' || :body || '</tbody></table>' FROM t;

WITH t (n, cell) AS (
	SELECT row_number() OVER (ORDER BY id), ARRAY[id::text, problem] FROM dp_agg.verify_ledger())
SELECT '<h3>What is wrong with the ledger</h3><table><thead><tr><th>row</th><th>problem</th></tr></thead><tbody>' || :body || '</tbody></table>' FROM t;

--
-- what is protected, and the record of each data set
--
\qecho '<h2>What is protected</h2>'
WITH t (n, cell) AS (
	SELECT row_number() OVER (ORDER BY t.dataset, t.relation::text), ARRAY[t.dataset, t.relation::text, coalesce(t.unit || ' of ' || t.through::text, t.unit), t.max_rows::text, t.max_groups::text,
		(SELECT string_agg(format('%I: %s', c."column", concat_ws(', ', CASE WHEN c.hidden THEN 'hidden' END, c.lower || ' to ' || c.upper,
			CASE WHEN c.keys IS NOT NULL THEN cardinality(c.keys) || ' keys' END, 'one of ' || c.refers_to)), E'\n')
			FROM dp_agg.protected_columns c WHERE c.relation = t.relation AND (c.hidden OR c.lower IS NOT NULL OR c.keys IS NOT NULL OR c.refers_to IS NOT NULL))]
	FROM dp_agg.protected_tables t)
SELECT '<table><thead><tr><th>data set</th><th>table</th><th>unit</th><th>rows of a unit that count in a group</th><th>groups a unit counts in</th><th>declared of columns</th></tr></thead><tbody>'
	|| :body || '</tbody></table>' FROM t;

\qecho '<h2>Deployment record</h2>'
WITH RECURSIVE dataset AS (
	SELECT dataset FROM dp_agg.protected_tables UNION SELECT dataset FROM dp_agg.budget),
record AS MATERIALIZED (SELECT dataset, dp_agg.deployment_record(dataset) AS record FROM dataset),
node AS (
	SELECT r.dataset, ARRAY[o.position] AS place, p.path, r.record -> p.path AS value
	FROM record r, unnest('{contact,deployment,guarantee,accountant,mechanisms,role_settings,versions}'::text[]) WITH ORDINALITY p (path, position), LATERAL (SELECT p.position) o
	UNION ALL
	SELECT n.dataset, n.place || c.position, CASE WHEN c.key ~ '^[0-9]+$' THEN format('%s[%s]', n.path, c.key) ELSE n.path || '.' || c.key END, c.value
	FROM node n, LATERAL (
		SELECT e.key, e.value, row_number() OVER () FROM jsonb_each(CASE jsonb_typeof(n.value) WHEN 'object' THEN n.value ELSE '{}' END) e
		UNION ALL
		SELECT (e.position - 1)::text, e.value, e.position FROM jsonb_array_elements(CASE jsonb_typeof(n.value) WHEN 'array' THEN n.value ELSE '[]' END) WITH ORDINALITY e (value, position)) c (key, value, position)
	WHERE jsonb_typeof(n.value) IN ('object', 'array')),
t (dataset, n, cell) AS (
	SELECT dataset, row_number() OVER (ORDER BY dataset, place), ARRAY[path, value #>> '{}']
	FROM node WHERE jsonb_typeof(value) NOT IN ('object', 'array', 'null') AND value <> '""')
SELECT coalesce(string_agg(html, chr(10) ORDER BY dataset), '<p>There are no data sets.</p>')
FROM (SELECT dataset, '<h3>Data set ' || :text dataset :as_html || '</h3><table class="record"><tbody>' || :body || '</tbody></table>' AS html FROM t GROUP BY dataset) d;

\qecho '<h2>How to read this</h2>'
\qecho '<p><b>Epsilon spent</b> holds for whoever chooses each question by the answers before. A refusal is marked where it was made; it cost nothing.</p>'
\qecho '<p><b>Privacy loss.</b> For each epsilon, the probability delta with which it may be exceeded. The line is of all that was released: it is what a list of'
\qecho 'statements that was fixed in advance is worth, exactly but for 1 % where noise was added, a bound where something was chosen or a sample asked, and'
\qecho 'never below the truth. It ends where the deltas of private groups begin.</p>'
\qecho '<p><b>What a test can tell.</b> Somebody who knows all other rows guesses by all answers whether one unit is in the data. He errs in two ways: he takes it'
\qecho 'to be there, a false alarm, or misses it. Whatever test he makes lies between the line and the diagonal, which is mere guessing: the privacy region of'
\qecho 'Kairouz, Oh and Viswanath. The shaded region is what was released, the pale one what the limit admits; those of basic and advanced composition are what'
\qecho 'the prices of the statements would prove alone. Advanced composition pays for many small questions, and is the worse of the two for few.</p>'
SELECT format('<p class="quiet">Newest row of the ledger: %s, of %s, SHA-256 %s. Keep it elsewhere: it shows whether a later ledger is a continuation of this one.</p>',
	id, to_char(at, 'YYYY-MM-DD HH24:MI:SS'), encode(hash, 'hex')) FROM dp_agg.ledger ORDER BY id DESC LIMIT 1;
\qecho '</body>'
\qecho '</html>'
COMMIT;
