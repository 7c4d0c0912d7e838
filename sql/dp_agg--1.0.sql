/* dp_agg 1.0 */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION dp_agg" to load this file. \quit

-- Until here the extension's schema comes first, where others may have made functions
-- and operators that fit better than PostgreSQL's own.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Names: analyst functions in the extension's schema; what else people call, and views and
-- tables, in dp_agg; the theory in dp_accountant; and what plans, views and triggers are
-- made of in dp_agg_internal, which plans of everybody use.  A schema that is there already
-- is somebody's: CREATE EXTENSION fails then.
CREATE SCHEMA dp_agg;
CREATE SCHEMA dp_accountant;
CREATE SCHEMA dp_agg_internal;
GRANT USAGE ON SCHEMA dp_agg, dp_accountant, dp_agg_internal TO PUBLIC;
COMMENT ON SCHEMA dp_agg IS
'administration of differentially private queries, and what helps to ask them';
COMMENT ON SCHEMA dp_accountant IS
'the accounting of differential privacy as functions';
COMMENT ON SCHEMA dp_agg_internal IS
'what plans, views and triggers of dp_agg are made of; not to be called, may change in any version';

--
-- budget: tables, administration, views
--
-- The keeper writes both tables by column number: see src/budget/rows/row.h.

-- Room on its page for a row's next versions keeps them out of the index.  VACUUM
-- does not give pages back, here and in the ledger: it would lock out the keeper,
-- which does not wait and so cannot make it stop.
CREATE TABLE dp_agg.budget (
	dataset text COLLATE "C" NOT NULL,
	role regrole NOT NULL,
	epsilon_limit float8 NOT NULL,
	delta_limit float8 NOT NULL,
	partition_share float8 NOT NULL,
	variance_share float8 NOT NULL,
	renyi_share float8 NOT NULL,
	orders float8[] NOT NULL,
	weights float8[] NOT NULL,
	rdp_spent float8[] NOT NULL,
	pure_spent float8 NOT NULL DEFAULT 0,
	delta_spent float8 NOT NULL DEFAULT 0,
	variance_spent float8 NOT NULL DEFAULT 'Infinity',
	coarseness float8 NOT NULL DEFAULT 0,
	statements bigint NOT NULL DEFAULT 0,
	refusals bigint NOT NULL DEFAULT 0,
	last_charge timestamptz,
	number bigint NOT NULL UNIQUE,
	entries bigint NOT NULL DEFAULT 0,
	refresh interval,
	period_began timestamptz,
	home text COLLATE "C",
	synchronous boolean NOT NULL DEFAULT false,
	replays bigint NOT NULL DEFAULT 0,
	alert float8,
	alerted_at timestamptz,
	PRIMARY KEY (role, dataset)
) WITH (fillfactor = 50, vacuum_truncate = off);

-- Roles are entered by name: rows must mean the same when roles are renamed or
-- dropped, and in another cluster.
CREATE TABLE dp_agg.ledger (
	id bigint PRIMARY KEY,
	at timestamptz NOT NULL,
	event text COLLATE "C" NOT NULL,
	role text COLLATE "C" NOT NULL,
	dataset text COLLATE "C",
	budget bigint,
	payer text COLLATE "C",
	cap bigint,
	admitted boolean,
	statement text COLLATE "C",
	releases jsonb,
	curve float8[],
	pure_epsilon float8,
	delta float8,
	epsilon_limit float8,
	delta_limit float8,
	epsilon_spent float8,
	delta_spent float8,
	cap_epsilon_spent float8,
	cap_delta_spent float8,
	hash bytea NOT NULL
) WITH (vacuum_truncate = off, toast.vacuum_truncate = off);

-- What was said last of a budget, of a cap by statements, of a limit, of a period, and of
-- the caps of a data set: see src/budget/audit/follow.c.
CREATE INDEX ledger_budget ON dp_agg.ledger (budget, id);
CREATE INDEX ledger_cap ON dp_agg.ledger (cap, id) WHERE cap IS NOT NULL;
CREATE INDEX ledger_set ON dp_agg.ledger (budget, id) WHERE event OPERATOR(pg_catalog.=) 'set'::pg_catalog.text;
CREATE INDEX ledger_refresh ON dp_agg.ledger (budget, id) WHERE event OPERATOR(pg_catalog.=) 'refresh'::pg_catalog.text;
CREATE INDEX ledger_capped ON dp_agg.ledger (dataset, id) WHERE payer IS NULL AND budget IS NOT NULL;

-- What questions were answered, for the budget that paid: see src/budget/kept/kept_table.h.
CREATE TABLE dp_agg.kept_answer (
	budget bigint NOT NULL,
	question bytea NOT NULL,
	asked_at timestamptz NOT NULL,
	asked text COLLATE "C" NOT NULL,
	relations text[] COLLATE "C" NOT NULL,
	rows int NOT NULL,
	replays bigint NOT NULL DEFAULT 0,
	entry bigint NOT NULL,
	released bytea NOT NULL,
	hash bytea NOT NULL,
	base bytea NOT NULL DEFAULT '',
	shape bytea NOT NULL DEFAULT '',
	PRIMARY KEY (budget, question)
) WITH (fillfactor = 90, vacuum_truncate = off, toast.vacuum_truncate = off);
ALTER TABLE dp_agg.kept_answer ALTER released SET STORAGE EXTERNAL;
CREATE INDEX kept_answer_base ON dp_agg.kept_answer (budget, base, question) WHERE base OPERATOR(pg_catalog.<>) ''::pg_catalog.bytea;

REVOKE ALL ON dp_agg.budget, dp_agg.ledger, dp_agg.kept_answer FROM PUBLIC;

CREATE FUNCTION dp_agg_internal.guard_ledger() RETURNS trigger
LANGUAGE C AS 'MODULE_PATHNAME', 'dp_budget_guard_ledger';

CREATE TRIGGER append_only BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dp_agg.ledger
FOR EACH STATEMENT EXECUTE FUNCTION dp_agg_internal.guard_ledger();
ALTER TABLE dp_agg.ledger ENABLE ALWAYS TRIGGER append_only;
CREATE TRIGGER append_only_rows BEFORE INSERT OR UPDATE OR DELETE ON dp_agg.ledger
FOR EACH ROW EXECUTE FUNCTION dp_agg_internal.guard_ledger();
ALTER TABLE dp_agg.ledger ENABLE ALWAYS TRIGGER append_only_rows;

CREATE FUNCTION dp_agg_internal.guard_changes() RETURNS trigger
LANGUAGE C AS 'MODULE_PATHNAME', 'dp_budget_guard_changes';

CREATE TRIGGER guarded BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dp_agg.budget
FOR EACH STATEMENT EXECUTE FUNCTION dp_agg_internal.guard_changes();
ALTER TABLE dp_agg.budget ENABLE ALWAYS TRIGGER guarded;
CREATE TRIGGER guarded_rows BEFORE INSERT OR UPDATE OR DELETE ON dp_agg.budget
FOR EACH ROW EXECUTE FUNCTION dp_agg_internal.guard_changes();
ALTER TABLE dp_agg.budget ENABLE ALWAYS TRIGGER guarded_rows;

CREATE FUNCTION dp_agg_internal.guard_kept() RETURNS trigger
LANGUAGE C AS 'MODULE_PATHNAME', 'dp_budget_guard_kept';

CREATE TRIGGER guarded BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dp_agg.kept_answer
FOR EACH STATEMENT EXECUTE FUNCTION dp_agg_internal.guard_kept();
ALTER TABLE dp_agg.kept_answer ENABLE ALWAYS TRIGGER guarded;
CREATE TRIGGER guarded_rows BEFORE INSERT OR UPDATE OR DELETE ON dp_agg.kept_answer
FOR EACH ROW EXECUTE FUNCTION dp_agg_internal.guard_kept();
ALTER TABLE dp_agg.kept_answer ENABLE ALWAYS TRIGGER guarded_rows;

CREATE FUNCTION dp_agg_internal.guard_budget() RETURNS trigger
LANGUAGE C AS 'MODULE_PATHNAME', 'dp_budget_guard_budget';

CREATE TRIGGER loaded BEFORE INSERT ON dp_agg.budget
FOR EACH ROW EXECUTE FUNCTION dp_agg_internal.guard_budget();
ALTER TABLE dp_agg.budget ENABLE ALWAYS TRIGGER loaded;

-- The row of a role that no longer exists is of no use elsewhere: restored as
-- a number, it might meet a stranger.
SELECT pg_catalog.pg_extension_config_dump('dp_agg.budget',
	'WHERE role::oid = 0 OR role::oid IN (SELECT oid FROM pg_catalog.pg_roles)');
SELECT pg_catalog.pg_extension_config_dump('dp_agg.ledger', '');
SELECT pg_catalog.pg_extension_config_dump('dp_agg.kept_answer', '');

CREATE FUNCTION dp_agg.set_budget(role regrole, epsilon float8, delta float8,
	dataset text DEFAULT 'default', refresh interval DEFAULT NULL,
	partition_share float8 DEFAULT NULL, variance_share float8 DEFAULT NULL,
	renyi_share float8 DEFAULT NULL) RETURNS void
LANGUAGE C VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_budget_set';

CREATE FUNCTION dp_agg.drop_budget(role regrole, dataset text DEFAULT 'default') RETURNS void
LANGUAGE C VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_budget_drop';

CREATE FUNCTION dp_agg.reset_budget(role regrole, dataset text DEFAULT 'default') RETURNS void
LANGUAGE C VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_budget_reset';

CREATE FUNCTION dp_agg.set_dataset_cap(dataset text, epsilon float8, delta float8,
	partition_share float8 DEFAULT NULL, variance_share float8 DEFAULT NULL,
	renyi_share float8 DEFAULT NULL) RETURNS void
LANGUAGE C VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_budget_set_cap';

CREATE FUNCTION dp_agg.drop_dataset_cap(dataset text) RETURNS void
LANGUAGE C VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_budget_drop_cap';

CREATE FUNCTION dp_agg.acknowledge_copy() RETURNS bigint
LANGUAGE C VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_budget_acknowledge_copy';

REVOKE ALL ON FUNCTION dp_agg.acknowledge_copy() FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_agg.set_dataset_cap(text, float8, float8, float8, float8, float8) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_agg.drop_dataset_cap(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_agg.set_budget(regrole, float8, float8, text, interval, float8, float8, float8) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_agg.drop_budget(regrole, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_agg.reset_budget(regrole, text) FROM PUBLIC;

CREATE FUNCTION dp_agg.replica_charge(roles oid[], datasets text[], releases jsonb[], statements text[], home text, standby text)
RETURNS SETOF bytea
LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_budget_replica_charge';

REVOKE ALL ON FUNCTION dp_agg.replica_charge(oid[], text[], jsonb[], text[], text, text) FROM PUBLIC;

CREATE FUNCTION dp_agg_internal.note_database() RETURNS void
LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_budget_note_database';

REVOKE ALL ON FUNCTION dp_agg_internal.note_database() FROM PUBLIC;
COMMENT ON FUNCTION dp_agg_internal.note_database() IS
'internal, of CREATE EXTENSION: gives the database its label, by which dp_agg.uninstall knows in other databases that it has the extension';

CREATE FUNCTION dp_agg.forget_kept(role regrole DEFAULT NULL, before timestamptz DEFAULT NULL) RETURNS bigint
LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_budget_forget_kept';

REVOKE ALL ON FUNCTION dp_agg.forget_kept(regrole, timestamptz) FROM PUBLIC;

CREATE FUNCTION dp_agg.verify_ledger(OUT id bigint, OUT problem text) RETURNS SETOF record
LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_budget_verify_ledger';

CREATE FUNCTION dp_agg.compact_ledger(before timestamptz) RETURNS bigint
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_budget_compact_ledger';

REVOKE ALL ON FUNCTION dp_agg.verify_ledger() FROM PUBLIC;
REVOKE ALL ON FUNCTION dp_agg.compact_ledger(timestamptz) FROM PUBLIC;

CREATE FUNCTION dp_agg.plan(role regrole, dataset text, n int, mechanism text DEFAULT current_setting('dp_agg.mechanism'))
RETURNS float8
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dp_budget_plan';

CREATE FUNCTION dp_agg.remaining(role regrole, dataset text, epsilon float8,
	mechanism text DEFAULT current_setting('dp_agg.mechanism')) RETURNS bigint
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dp_budget_remaining';

CREATE FUNCTION dp_agg.what_if(role regrole, dataset text, n int, epsilon float8,
	mechanism text DEFAULT current_setting('dp_agg.mechanism'),
	OUT admitted boolean, OUT epsilon_enforced float8, OUT epsilon_exact float8) RETURNS record
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dp_budget_what_if';

CREATE FUNCTION dp_agg_internal.in_force(dataset text, role regrole, OUT mechanism text, OUT epsilon float8, OUT delta float8) RETURNS record
LANGUAGE C STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dp_budget_in_force';
COMMENT ON FUNCTION dp_agg_internal.in_force(text, regrole) IS
'internal: mechanism, epsilon and delta of an aggregate that names none, asked now of a data set (null: of none) by a role (null: by this one)';

CREATE FUNCTION dp_agg_internal.epsilon_spent(budget dp_agg.budget) RETURNS float8
LANGUAGE C STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dp_budget_epsilon_spent';

CREATE FUNCTION dp_agg_internal.may_be_behind(budget dp_agg.budget) RETURNS boolean
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dp_budget_may_be_behind';

-- The views read the table through a function: what the planner knows of its
-- columns, and how many rows EXPLAIN counts, tells of everybody's budgets.
CREATE FUNCTION dp_agg_internal.visible_budgets() RETURNS SETOF dp_agg.budget
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1
AS 'MODULE_PATHNAME', 'dp_budget_visible';

CREATE FUNCTION dp_agg_internal.visible_kept(OUT dataset text, OUT role regrole, OUT question text,
	OUT asked_at timestamptz, OUT rows int, OUT replays bigint) RETURNS SETOF record
LANGUAGE C VOLATILE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'dp_budget_visible_kept';

CREATE FUNCTION dp_agg_internal.visible_use(OUT budget dp_agg.budget, OUT used float8, OUT alert float8,
	OUT alerted_at timestamptz, OUT per_day float8, OUT statements_left bigint, OUT days_left float8,
	OUT keeper_charges bigint, OUT keeper_wait float8, OUT keeper_commits bigint,
	OUT keeper_commit_time float8) RETURNS SETOF record
LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1
AS 'MODULE_PATHNAME', 'dp_budget_visible_use';

-- Roles with budgets are kept from being dropped by entries about this view: see
-- src/budget/account/role.c.
CREATE VIEW dp_agg.budgets WITH (security_barrier) AS
SELECT b.dataset, b.role, b.epsilon_limit, b.delta_limit,
	s.epsilon_spent,
	GREATEST(b.epsilon_limit - s.epsilon_spent, 0) AS epsilon_remaining,
	CASE WHEN p.ends <= pg_catalog.now() THEN 0 ELSE b.delta_spent END
		AS delta_spent,
	b.statements, b.refusals, b.last_charge,
	b.refresh, p.ends AS refreshes_at,
	dp_agg_internal.may_be_behind(b) AS may_be_behind,
	b.replays, b.partition_share, b.variance_share, b.renyi_share
FROM dp_agg_internal.visible_budgets() b, LATERAL dp_agg_internal.epsilon_spent(b) AS s (epsilon_spent),
	LATERAL (SELECT ((b.period_began AT TIME ZONE 'UTC') + b.refresh) AT TIME ZONE 'UTC') AS p (ends)
WHERE b.role::pg_catalog.oid OPERATOR(pg_catalog.<>) 0;

CREATE VIEW dp_agg.dataset_caps WITH (security_barrier) AS
SELECT b.dataset, b.epsilon_limit, b.delta_limit,
	s.epsilon_spent,
	GREATEST(b.epsilon_limit - s.epsilon_spent, 0) AS epsilon_remaining,
	b.delta_spent, b.statements, b.refusals, b.last_charge,
	dp_agg_internal.may_be_behind(b) AS may_be_behind,
	b.partition_share, b.variance_share, b.renyi_share
FROM dp_agg_internal.visible_budgets() b, LATERAL dp_agg_internal.epsilon_spent(b) AS s (epsilon_spent)
WHERE b.role::pg_catalog.oid OPERATOR(pg_catalog.=) 0;

CREATE VIEW dp_agg.kept WITH (security_barrier) AS
SELECT a.dataset, a.role, a.question, a.asked_at, a.rows, a.replays
FROM dp_agg_internal.visible_kept() a;

CREATE VIEW dp_agg.budget_use WITH (security_barrier) AS
SELECT (u.budget).dataset,
	CASE WHEN (u.budget).role::pg_catalog.oid OPERATOR(pg_catalog.<>) 0 THEN (u.budget).role END AS role,
	u.used, u.alert, u.alerted_at,
	(u.budget).epsilon_limit, s.epsilon_spent, (u.budget).delta_limit,
	CASE WHEN p.ends <= pg_catalog.now() THEN 0 ELSE (u.budget).delta_spent END AS delta_spent,
	u.per_day, u.statements_left, u.days_left,
	(u.budget).statements, (u.budget).refusals, (u.budget).replays, (u.budget).last_charge,
	p.ends AS refreshes_at, dp_agg_internal.may_be_behind(u.budget) AS may_be_behind,
	u.keeper_charges, u.keeper_wait, u.keeper_commits, u.keeper_commit_time
FROM dp_agg_internal.visible_use() u, LATERAL dp_agg_internal.epsilon_spent(u.budget) AS s (epsilon_spent),
	LATERAL (SELECT (((u.budget).period_began AT TIME ZONE 'UTC') + (u.budget).refresh) AT TIME ZONE 'UTC') AS p (ends);

GRANT SELECT ON dp_agg.budgets, dp_agg.dataset_caps, dp_agg.kept, dp_agg.budget_use TO PUBLIC;

COMMENT ON TABLE dp_agg.budget IS
'privacy budgets: one row for each role and data set, and one without a role for each data set with a cap; a role without a row, of its own or of a role it is a member of, may not query the data set; spent amounts are written by the keeper only';
COMMENT ON COLUMN dp_agg.budget.dataset IS 'name of the data set, 1 to 63 bytes';
COMMENT ON COLUMN dp_agg.budget.role IS 'who may spend it, with members that have no budget of their own; - for the cap of all roles together';
COMMENT ON COLUMN dp_agg.budget.epsilon_limit IS 'limit of the privacy loss epsilon, finite and above 0';
COMMENT ON COLUMN dp_agg.budget.delta_limit IS 'limit of delta, from 0 to less than 1; 0 allows pure differential privacy only';
COMMENT ON COLUMN dp_agg.budget.partition_share IS 'share of delta_limit for private groups, from 0 to 1; all three together at most 1';
COMMENT ON COLUMN dp_agg.budget.variance_share IS 'share of delta_limit for the privacy filter''s rule of variances, from 0 to 1';
COMMENT ON COLUMN dp_agg.budget.renyi_share IS 'share of delta_limit for the privacy filter''s rule of Renyi divergences, from 0 to 1';
COMMENT ON COLUMN dp_agg.budget.orders IS 'Renyi orders of the privacy filter, each one of the grid''s';
COMMENT ON COLUMN dp_agg.budget.weights IS 'weights of those orders, together at most 1';
COMMENT ON COLUMN dp_agg.budget.rdp_spent IS 'Renyi divergence spent, at each order of the grid';
COMMENT ON COLUMN dp_agg.budget.pure_spent IS 'pure epsilon spent; infinite once a mechanism without one was used';
COMMENT ON COLUMN dp_agg.budget.delta_spent IS 'delta spent on private groups';
COMMENT ON COLUMN dp_agg.budget.variance_spent IS 'variance of the log-likelihood ratio spent; infinite once something was released of which only a Renyi curve is known';
COMMENT ON COLUMN dp_agg.budget.coarseness IS 'greatest coarseness of any release, in units of variance; 0 if there was none';
COMMENT ON COLUMN dp_agg.budget.statements IS 'number of statements admitted';
COMMENT ON COLUMN dp_agg.budget.refusals IS 'number of statements refused';
COMMENT ON COLUMN dp_agg.budget.last_charge IS 'when the last statement was admitted; null if none was';
COMMENT ON COLUMN dp_agg.budget.number IS 'number of this budget in the ledger; never used again';
COMMENT ON COLUMN dp_agg.budget.entries IS 'number of its rows in the ledger';
COMMENT ON COLUMN dp_agg.budget.refresh IS 'length of a period after which spent amounts start from zero again; null if they never do';
COMMENT ON COLUMN dp_agg.budget.period_began IS 'when the current period began; null without refresh';
COMMENT ON COLUMN dp_agg.budget.home IS 'where it was set or acknowledged: system identifier, database, its own number, timeline, and the mark of a copy of the cluster''s files; elsewhere it may be behind';
COMMENT ON COLUMN dp_agg.budget.synchronous IS 'whether its last charge waited for synchronous standbys';
COMMENT ON COLUMN dp_agg.budget.alert IS 'greatest threshold of dp_agg.budget_alerts, in percent, that its use has come to in this period, or since its limit was set; null if none';
COMMENT ON COLUMN dp_agg.budget.alerted_at IS 'when it came to that; null if to none';
COMMENT ON COLUMN dp_agg.budget.replays IS 'number of times that an answer it paid for was shown again at no cost';

COMMENT ON TABLE dp_agg.kept_answer IS
'what questions were answered: the rows that a block released, to be shown again to who paid for them; written by the extension only, by SQL only by a superuser';
COMMENT ON COLUMN dp_agg.kept_answer.budget IS 'number of the budget that paid';
COMMENT ON COLUMN dp_agg.kept_answer.question IS 'SHA-256 of the question, in a form that does not depend on how it was written';
COMMENT ON COLUMN dp_agg.kept_answer.asked_at IS 'when it was charged';
COMMENT ON COLUMN dp_agg.kept_answer.asked IS 'the question in words';
COMMENT ON COLUMN dp_agg.kept_answer.relations IS 'names of the relations it was asked of, with their schemas';
COMMENT ON COLUMN dp_agg.kept_answer.rows IS 'number of rows that were released, at most 100000';
COMMENT ON COLUMN dp_agg.kept_answer.replays IS 'number of times that it was shown again';
COMMENT ON COLUMN dp_agg.kept_answer.entry IS 'number of the row of the ledger that is the charge';
COMMENT ON COLUMN dp_agg.kept_answer.released IS 'the rows that were released, in the types'' binary formats';
COMMENT ON COLUMN dp_agg.kept_answer.base IS 'SHA-256 of what it was asked of, but for conditions, if its groups may be added up to other answers; else empty';
COMMENT ON COLUMN dp_agg.kept_answer.shape IS 'if so, its keys with their values, its conditions and noise, in a format of its own';
COMMENT ON COLUMN dp_agg.kept_answer.hash IS 'SHA-256 of the other columns but replays, and of the hash of the charge';

COMMENT ON TABLE dp_agg.ledger IS
'one row for each statement charged or refused and for each administrative act, in order, each chained to the one before by a hash; appended by the extension only, by SQL only by a superuser';
COMMENT ON COLUMN dp_agg.ledger.id IS 'numbers rows in order, without gaps';
COMMENT ON COLUMN dp_agg.ledger.at IS 'when it was decided';
COMMENT ON COLUMN dp_agg.ledger.event IS
'charge: a statement was admitted; refusal: the budget did not admit it; refusal by cap: the data set''s cap did not; refresh: a new period began, nothing counts as spent; set, reset, drop: what was done to a budget or cap; acknowledge: what this copy of the database holds counts from then on; checkpoint: stands for older rows, which were removed';
COMMENT ON COLUMN dp_agg.ledger.role IS 'who asked: name, at that time, of the role in effect outside security definer functions';
COMMENT ON COLUMN dp_agg.ledger.dataset IS 'name of the data set';
COMMENT ON COLUMN dp_agg.ledger.budget IS 'number of the budget or cap concerned';
COMMENT ON COLUMN dp_agg.ledger.payer IS 'whose budget that is: name of the role at that time; null for a cap';
COMMENT ON COLUMN dp_agg.ledger.cap IS 'number of the cap that was asked too, and paid too if the statement was admitted; null if there was none';
COMMENT ON COLUMN dp_agg.ledger.admitted IS 'true if charged; false if refused, when nothing was spent; null if not a statement';
COMMENT ON COLUMN dp_agg.ledger.statement IS 'text of the statement, up to 8192 bytes; null if dp_agg.ledger_statements was off, or not a statement';
COMMENT ON COLUMN dp_agg.ledger.releases IS
'of a statement: array of its blocks: what each asks (call, relations, keys, where) and releases (mechanism, parameters, sensitivity), which its cost follows from; of set: the terms that follow from the limit; of refresh, reset and drop: the budget''s counts until then; of acknowledge: where it lived and lives; of a checkpoint: what the removed rows added up to, for 64 budgets a row';
COMMENT ON COLUMN dp_agg.ledger.curve IS 'of other events than statements: Renyi divergence spent until then, at each order of the grid, and behind these variance spent and coarseness; null of a statement, whose curve follows from its releases';
COMMENT ON COLUMN dp_agg.ledger.pure_epsilon IS 'cost of the statement: pure epsilon, or infinity; of other events: what was spent until then';
COMMENT ON COLUMN dp_agg.ledger.delta IS 'cost of the statement: delta of private groups; of other events: what was spent until then';
COMMENT ON COLUMN dp_agg.ledger.epsilon_limit IS 'limit of the budget''s epsilon at the time';
COMMENT ON COLUMN dp_agg.ledger.delta_limit IS 'limit of the budget''s delta at the time';
COMMENT ON COLUMN dp_agg.ledger.epsilon_spent IS 'epsilon the budget had spent afterwards, under its limit at the time';
COMMENT ON COLUMN dp_agg.ledger.delta_spent IS 'delta the budget had spent on private groups afterwards';
COMMENT ON COLUMN dp_agg.ledger.cap_epsilon_spent IS 'epsilon the cap that was asked too had spent afterwards, under its limit at the time';
COMMENT ON COLUMN dp_agg.ledger.cap_delta_spent IS 'delta that cap had spent on private groups afterwards';
COMMENT ON COLUMN dp_agg.ledger.hash IS
'SHA-256 of the hash before and of all other columns; it holds in whatever cluster the row is restored to';
COMMENT ON FUNCTION dp_agg_internal.guard_ledger() IS
'trigger that lets nobody but a superuser write the ledger by SQL
errors: 42501';
COMMENT ON TRIGGER append_only ON dp_agg.ledger IS
'the ledger is append-only: nobody but a superuser, who may have to restore it, writes it by SQL';
COMMENT ON TRIGGER append_only_rows ON dp_agg.ledger IS
'the same for rows that come without a statement, through a subscription';
COMMENT ON FUNCTION dp_agg_internal.guard_kept() IS
'trigger of dp_agg.kept_answer: refuses every change by SQL, unless by a superuser';
COMMENT ON FUNCTION dp_agg_internal.guard_changes() IS
'trigger that lets nobody but a superuser change budgets otherwise than by dp_agg.set_budget and its like
errors: 42501 always, for anybody else';
COMMENT ON TRIGGER guarded ON dp_agg.budget IS
'nobody but a superuser, who may have to restore them, changes budgets by SQL: a right to write the table, such as pg_write_all_data gives, is none to raise a budget';
COMMENT ON TRIGGER guarded_rows ON dp_agg.budget IS
'the same for rows that come without a statement, through a subscription or a table above';

COMMENT ON FUNCTION dp_agg.set_budget(regrole, float8, float8, text, interval, float8, float8, float8) IS
'let a role query a data set, within a privacy budget; what it has spent is kept
The budget also serves members of the role (those with its privileges, without SET ROLE) that have no budget of their own on the data set; who is in several such roles is refused; superusers need their own.
A member''s first budget of her own starts with nothing spent: what her pool paid for her before comes on top. Beside a cap that others spend from, its epsilon and delta hold for her, not hers: see set_dataset_cap.
A limit may be raised, or lowered: below what is spent, every statement is refused from then on. The guarantee is that of the greatest limits there were. What the privacy filter begins with, the shares of delta among it, stays as long as something is spent.
epsilon: limit of the privacy loss, finite and above 0
delta: from 0 to less than 1; 0 allows pure differential privacy only
dataset: name of the data set, 1 to 63 bytes
refresh: null, or the length of a period, up to 120000 months and 3600000 days: the first charge after a period has passed begins a new one, with nothing spent. The guarantee then holds for each period alone: over n periods the losses add up, to n times epsilon and n times delta. Without limit in time there is no limit on what is learnt.
partition_share, variance_share, renyi_share: parts of delta, from 0 to 1 and together at most 1, for private groups and for the two rules of the filter that need some (doc/accounting.md). What is null has the rest: a tenth for private groups, the two rules as much each; or what the budget began with
errors: 22023 invalid argument, 42704 no such role, 55000 other shares than what was spent began with';
COMMENT ON FUNCTION dp_agg.drop_budget(regrole, text) IS
'take a role''s budget on a data set away, and forget what it has spent; the ledger keeps its rows. A role that has spent something, and would then draw on the budget of a role it is a member of, keeps it. A budget set later begins another history: the losses of both add up
errors: 22023 invalid argument, 42704 no such budget, 55000 a pool would pay instead';
COMMENT ON FUNCTION dp_agg.reset_budget(regrole, text) IS
'forget what a role has spent on a data set, and its counts of statements; the ledger keeps its rows. Another history begins: the losses of both add up. What a cap has counted stays
errors: 22023 invalid argument, 42704 no such budget';
COMMENT ON FUNCTION dp_agg.set_dataset_cap(text, float8, float8, float8, float8, float8) IS
'bound what all roles together learn of a data set: a statement is admitted only if its role''s budget and the cap admit it
Counts what budgets on the data set have spent when the cap is first set, and every charge from then on, whatever becomes of budgets; setting it again changes the limit and keeps what is spent. Whoever it refuses learns how much all roles have spent, and so something of what others were answered, if they asked accordingly: what holds for each of them is this epsilon and delta, not those of a smaller budget. No charge is decided until the transaction ends.
epsilon: limit of the privacy loss, finite and above 0
delta: from 0 to less than 1; 0 allows pure differential privacy only
partition_share, variance_share, renyi_share: parts of delta, as of a budget; see set_budget
errors: 22023 invalid argument, 55000 other shares than what was spent began with';
COMMENT ON FUNCTION dp_agg.drop_dataset_cap(text) IS
'bound roles by their own budgets alone, and forget what they have spent together: a cap set later knows what budgets have spent by then, not what dropped or reset ones had
errors: 22023 invalid argument, 42704 no such cap';
COMMENT ON FUNCTION dp_agg.verify_ledger() IS
'what is wrong with the ledger and the budgets; nothing if every row continues the chain of hashes, the cost of every statement follows from its releases, and every budget and cap is what its rows add up to, but for rounding
Reads the whole ledger once; run it outside transactions that administer budgets, whose acts are entered when they commit. Finds rows that were changed, removed, inserted or reordered by whoever did not also compute the chain anew and change budgets to match: keep a copy of the newest hash elsewhere to find that too.
id: of the row; null where a budget is at fault
problem: what is wrong
A budget that was deleted without drop_budget is missed only while there is a role of its name: dumps leave out budgets of roles that are gone.
errors: XX001 unreadable checkpoint';
COMMENT ON FUNCTION dp_agg.forget_kept(regrole, timestamptz) IS
'remove kept answers that a role''s budgets paid for, by default everybody''s, and that were asked before a time, by default all; returns how many. They are then asked, and charged, anew. Who may is granted EXECUTE';
COMMENT ON FUNCTION dp_agg.compact_ledger(timestamptz) IS
'remove rows older than a time from the ledger, and enter a checkpoint that the remaining rows verify against: the last hash removed, and what the removed rows added up to for each budget
before: the first row that is not older, and the newest row, stay
Returns the number of rows removed. For the owner of the ledger; what is removed should have been saved, and is verified.
errors: 42501 not the owner, XX001 a row to remove does not verify';
COMMENT ON FUNCTION dp_agg.plan(regrole, text, int, text) IS
'the largest epsilon at which n more counts of units, without private groups, fit what is left of a role''s budget, and of the data set''s cap; null if none does
n: number of releases, at least 1
mechanism: laplace, gaussian with the setting dp_agg.delta, or auto: gaussian if the budget, and the data set''s cap, have a delta
Notices tell the mechanism, if that is auto, and the delta of a statement with private groups, if that is chosen from the budget (dp_agg.delta 0).
For the role itself and those with its privileges, and for administrators; charges nothing.
errors: 22023 invalid argument, 42501 no budget or not allowed to see it, 42704 no such role';
COMMENT ON FUNCTION dp_agg.remaining(regrole, text, float8, text) IS
'how many more counts of units, without private groups, fit what is left of a role''s budget, and of the data set''s cap; at most 2^40 is told
epsilon: of each release
mechanism: laplace, gaussian with the setting dp_agg.delta, or auto: gaussian if the budget, and the data set''s cap, have a delta
For the role itself and those with its privileges, and for administrators; charges nothing.
errors: 22023 invalid argument, 42501 no budget or not allowed to see it, 42704 no such role';
COMMENT ON FUNCTION dp_agg.what_if(regrole, text, int, float8, text) IS
'what n counts of units, without private groups, would cost a role: charges nothing
n: number of releases, at least 1; epsilon: of each
mechanism: laplace, gaussian with the setting dp_agg.delta, or auto: gaussian if the budget, and the data set''s cap, have a delta
admitted: whether all fit what is left of the budget, and of the data set''s cap, now
epsilon_enforced: what they alone spend of the budget, by the filter that decides
epsilon_exact: the least epsilon they have at the budget''s whole delta by exact composition, within 1 %, rounded up: what they would cost if all were fixed beforehand. No budget is kept by it
For the role itself and those with its privileges, and for administrators.
errors: 22023 invalid argument, 42501 no budget or not allowed to see it, 42704 no such role';
COMMENT ON FUNCTION dp_agg_internal.epsilon_spent(dp_agg.budget) IS
'the least epsilon that a budget row''s privacy filter would have admitted its spent amounts with: 0 if a new period is due, infinity if there is none, null if the row makes no sense';
COMMENT ON FUNCTION dp_agg_internal.visible_kept() IS
'kept answers of the budgets that the current user may see; behind the view dp_agg.kept';
COMMENT ON FUNCTION dp_agg_internal.may_be_behind(dp_agg.budget) IS
'is this a copy of the database in which the budget was set or last acknowledged: another cluster, another database, or a later timeline? True after the promotion of a standby, until the first charge finds that nothing can have been lost';
COMMENT ON FUNCTION dp_agg.acknowledge_copy() IS
'let budgets and caps be charged in this copy of the database, as they are: restored from a dump or a backup, made from a template, upgraded, or promoted without synchronous replication
What was spent since the copy was made, or goes on being spent in the original, is not known here: the caller vouches that it does not matter, or has lowered the limits by as much. Until then queries are refused, unless dp_agg.answer_on_copies is on. The ledger has a row for each budget.
returns how many budgets and caps were acknowledged
errors: 55P03 a budget is locked by another transaction';
COMMENT ON FUNCTION dp_agg.replica_charge(oid[], text[], jsonb[], text[], text, text) IS
'charge budgets for a standby of this server, whose worker calls it, together; nobody else has a use for it
roles: who asks; datasets: of whom; releases: as in dp_agg.ledger, from which the cost follows; statements: their text, or null
Each charge is at one place of these arrays.
home: which database of which cluster, on which timeline, the standby follows; standby: its name
To be granted to the role that standbys connect as, which can spend the budgets of all roles by it, and no more.
returns for each charge, in their order, what came of it and what is left, for the standby''s library
errors: 22004 an argument is null, 22023 arrays that differ in length, or are too large; 55000 not a standby of this server, or this is one';
COMMENT ON FUNCTION dp_agg_internal.visible_budgets() IS
'the rows of dp_agg.budget that the current user may see: budgets of roles whose privileges it has, and that of the role in effect outside security definer functions; all of them, and caps, if it has those of the table''s owner';
COMMENT ON FUNCTION dp_agg_internal.guard_budget() IS
'trigger on rows that anything but the extension inserts, such as a restore: a budget of this very database that is loaded again may be behind, and waits for dp_agg.acknowledge_copy()';
COMMENT ON TRIGGER loaded ON dp_agg.budget IS
'a budget of this database that is loaded again, from a dump of it, may be behind';

COMMENT ON VIEW dp_agg.kept IS
'questions whose answers are kept for the roles whose budgets are one''s own, to be shown again at no cost within dp_agg.kept_max_age; of all roles for who has SELECT on dp_agg.kept_answer';
COMMENT ON COLUMN dp_agg.kept.dataset IS 'name of the data set';
COMMENT ON COLUMN dp_agg.kept.role IS 'whose budget paid';
COMMENT ON COLUMN dp_agg.kept.question IS 'the question in words';
COMMENT ON COLUMN dp_agg.kept.asked_at IS 'when it was charged';
COMMENT ON COLUMN dp_agg.kept.rows IS 'number of rows that were released';
COMMENT ON COLUMN dp_agg.kept.replays IS 'number of times that it was shown again';
COMMENT ON VIEW dp_agg.budgets IS
'privacy budgets and what is left of them: a role sees its own and those of roles it is a member of; who has SELECT on dp_agg.budget, such as an auditor, all';
COMMENT ON COLUMN dp_agg.budgets.dataset IS 'name of the data set';
COMMENT ON COLUMN dp_agg.budgets.role IS 'who may spend it';
COMMENT ON COLUMN dp_agg.budgets.epsilon_limit IS 'limit of the privacy loss epsilon';
COMMENT ON COLUMN dp_agg.budgets.delta_limit IS 'limit of delta';
COMMENT ON COLUMN dp_agg.budgets.epsilon_spent IS 'epsilon spent so far';
COMMENT ON COLUMN dp_agg.budgets.epsilon_remaining IS 'epsilon left, at least 0';
COMMENT ON COLUMN dp_agg.budgets.delta_spent IS 'delta spent on private groups';
COMMENT ON COLUMN dp_agg.budgets.statements IS 'number of statements admitted';
COMMENT ON COLUMN dp_agg.budgets.refusals IS 'number of statements refused';
COMMENT ON COLUMN dp_agg.budgets.last_charge IS 'when the last statement was admitted; null if none was';
COMMENT ON COLUMN dp_agg.budgets.refresh IS 'length of a period after which spent amounts start from zero again; null if they never do';
COMMENT ON COLUMN dp_agg.budgets.refreshes_at IS 'from when on the next charge begins a new period; null without refresh';
COMMENT ON COLUMN dp_agg.budgets.replays IS 'number of times that an answer it paid for was shown again at no cost; see dp_agg.kept';
COMMENT ON COLUMN dp_agg.budgets.may_be_behind IS 'whether this is a copy of the database, in which what was spent elsewhere is not known; see acknowledge_copy';
COMMENT ON COLUMN dp_agg.budgets.partition_share IS 'share of delta_limit for private groups; see set_budget';
COMMENT ON COLUMN dp_agg.budgets.variance_share IS 'share of delta_limit for the rule of variances';
COMMENT ON COLUMN dp_agg.budgets.renyi_share IS 'share of delta_limit for the rule of Renyi divergences';

COMMENT ON FUNCTION dp_agg_internal.visible_use() IS
'how much is used of the budgets that the current user may see, and how long the rest will do; behind the view dp_agg.budget_use';
COMMENT ON VIEW dp_agg.budget_use IS
'for monitoring: how much of each budget is used, how long the rest will do, and how its keeper does. A role sees its own and those of roles it is a member of; who has SELECT on dp_agg.budget, such as a role for monitoring, all, with the caps of data sets and what keepers do';
COMMENT ON COLUMN dp_agg.budget_use.dataset IS 'name of the data set';
COMMENT ON COLUMN dp_agg.budget_use.role IS 'who may spend it; null: the data set''s cap on what all roles together learn';
COMMENT ON COLUMN dp_agg.budget_use.used IS 'fraction of the budget that is used: of epsilon, or of the delta of private groups, whichever is more';
COMMENT ON COLUMN dp_agg.budget_use.alert IS 'greatest threshold of dp_agg.budget_alerts, in percent, that it has come to in this period, or since its limit was set; null if none';
COMMENT ON COLUMN dp_agg.budget_use.alerted_at IS 'when it came to that; null if to none';
COMMENT ON COLUMN dp_agg.budget_use.epsilon_limit IS 'limit of the privacy loss epsilon';
COMMENT ON COLUMN dp_agg.budget_use.epsilon_spent IS 'epsilon spent so far';
COMMENT ON COLUMN dp_agg.budget_use.delta_limit IS 'limit of delta';
COMMENT ON COLUMN dp_agg.budget_use.delta_spent IS 'delta spent on private groups';
COMMENT ON COLUMN dp_agg.budget_use.per_day IS 'statements a day, of the last 30 days or the last 1000 rows of the ledger; null if none were admitted';
COMMENT ON COLUMN dp_agg.budget_use.statements_left IS 'how many more statements fit what is left, if each costs as much as the mean of up to 50 of those; at most 2^40 is told, null if there were none';
COMMENT ON COLUMN dp_agg.budget_use.days_left IS 'how many days these last at that rate; null if there were none, or if a new period begins before';
COMMENT ON COLUMN dp_agg.budget_use.statements IS 'number of statements admitted';
COMMENT ON COLUMN dp_agg.budget_use.refusals IS 'number of statements refused';
COMMENT ON COLUMN dp_agg.budget_use.replays IS 'number of times that an answer it paid for was shown again at no cost; see dp_agg.kept';
COMMENT ON COLUMN dp_agg.budget_use.last_charge IS 'when the last statement was admitted; null if none was';
COMMENT ON COLUMN dp_agg.budget_use.refreshes_at IS 'from when on the next charge begins a new period; null without refresh';
COMMENT ON COLUMN dp_agg.budget_use.may_be_behind IS 'whether this is a copy of the database, in which what was spent elsewhere is not known; see acknowledge_copy';
COMMENT ON COLUMN dp_agg.budget_use.keeper_charges IS 'charges of all budgets that the keepers of this database have decided since the server''s start; null but for who has SELECT on dp_agg.budget, as what follows';
COMMENT ON COLUMN dp_agg.budget_use.keeper_wait IS 'seconds that sessions waited for these, from the queue to the commit, all added up';
COMMENT ON COLUMN dp_agg.budget_use.keeper_commits IS 'commits that keepers made for them: charges that come at once share one';
COMMENT ON COLUMN dp_agg.budget_use.keeper_commit_time IS 'seconds that these commits took, all added up';

COMMENT ON VIEW dp_agg.dataset_caps IS
'caps on what all roles together learn of a data set, and what is left of them: for administrators and who has SELECT on dp_agg.budget. To a role whose budget is below a cap, the cap''s epsilon and delta are what is promised';
COMMENT ON COLUMN dp_agg.dataset_caps.dataset IS 'name of the data set';
COMMENT ON COLUMN dp_agg.dataset_caps.epsilon_limit IS 'limit of the privacy loss epsilon';
COMMENT ON COLUMN dp_agg.dataset_caps.delta_limit IS 'limit of delta';
COMMENT ON COLUMN dp_agg.dataset_caps.epsilon_spent IS 'epsilon spent so far';
COMMENT ON COLUMN dp_agg.dataset_caps.epsilon_remaining IS 'epsilon left, at least 0';
COMMENT ON COLUMN dp_agg.dataset_caps.delta_spent IS 'delta spent on private groups';
COMMENT ON COLUMN dp_agg.dataset_caps.statements IS 'number of statements admitted';
COMMENT ON COLUMN dp_agg.dataset_caps.refusals IS 'number of statements the cap did not admit';
COMMENT ON COLUMN dp_agg.dataset_caps.last_charge IS 'when the last statement was admitted; null if none was';
COMMENT ON COLUMN dp_agg.dataset_caps.may_be_behind IS 'whether this is a copy of the database, in which what was spent elsewhere is not known; see acknowledge_copy';
COMMENT ON COLUMN dp_agg.dataset_caps.partition_share IS 'share of delta_limit for private groups; see set_budget';
COMMENT ON COLUMN dp_agg.dataset_caps.variance_share IS 'share of delta_limit for the rule of variances';
COMMENT ON COLUMN dp_agg.dataset_caps.renyi_share IS 'share of delta_limit for the rule of Renyi divergences';

--
-- exact aggregates: what the rewriter emits below a release
--

-- Bounds come as a bytea constant holding a DpExactSpec (src/aggregate/exact.h),
-- results go as a bytea holding a DpTotals, both in units of 2^grid.  Functions
-- over internal are the aggregates' parts; SQL cannot call them.

CREATE FUNCTION dp_agg_internal.add_clamped(internal, smallint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_clamped(internal, integer, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_clamped(internal, bigint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_clamped(internal, numeric, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_clamped(internal, real, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_clamped(internal, double precision, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_clamped_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION dp_agg_internal.add_clamped(internal, smallint, bytea) IS
	'transition: add a row, clamped to the bounds';
COMMENT ON FUNCTION dp_agg_internal.add_clamped(internal, integer, bytea) IS
	'transition: add a row, clamped to the bounds';
COMMENT ON FUNCTION dp_agg_internal.add_clamped(internal, bigint, bytea) IS
	'transition: add a row, clamped to the bounds';
COMMENT ON FUNCTION dp_agg_internal.add_clamped(internal, numeric, bytea) IS
	'transition: add a row, clamped to the bounds';
COMMENT ON FUNCTION dp_agg_internal.add_clamped(internal, real, bytea) IS
	'transition: add a row, clamped to the bounds';
COMMENT ON FUNCTION dp_agg_internal.add_clamped(internal, double precision, bytea) IS
	'transition: add a row, clamped to the bounds';

CREATE FUNCTION dp_agg_internal.add_limited(internal, smallint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_limited(internal, integer, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_limited(internal, bigint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_limited(internal, numeric, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_limited(internal, real, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_limited(internal, double precision, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_limited_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION dp_agg_internal.add_limited(internal, smallint, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';
COMMENT ON FUNCTION dp_agg_internal.add_limited(internal, integer, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';
COMMENT ON FUNCTION dp_agg_internal.add_limited(internal, bigint, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';
COMMENT ON FUNCTION dp_agg_internal.add_limited(internal, numeric, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';
COMMENT ON FUNCTION dp_agg_internal.add_limited(internal, real, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';
COMMENT ON FUNCTION dp_agg_internal.add_limited(internal, double precision, bytea) IS
	'transition: add a row, limited to +-2^62 grid units';

CREATE FUNCTION dp_agg_internal.exact_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.exact_combine(internal, internal) IS
	'combine: add the second state over rows into the first';

CREATE FUNCTION dp_agg_internal.exact_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.exact_serialize(internal) IS
	'serialize a state over rows';

CREATE FUNCTION dp_agg_internal.exact_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.exact_deserialize(bytea, internal) IS
	'deserialize a state over rows';

CREATE FUNCTION dp_agg_internal.exact_sum_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_sum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.exact_sum_final(internal) IS
	'result: the sum of clamped rows';

CREATE FUNCTION dp_agg_internal.exact_avg_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_avg' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.exact_avg_final(internal) IS
	'result: the sum of clamped rows less the lower bound, and their number';

CREATE FUNCTION dp_agg_internal.exact_rows_final(internal) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_rows' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.exact_rows_final(internal) IS
	'result: the number of rows, whatever they hold';

-- Row level: a row is a whole unit.
CREATE AGGREGATE dp_agg_internal.exact_sum(x smallint, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_sum_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_sum(x integer, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_sum_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_sum(x bigint, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_sum_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_sum(x numeric, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_sum_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_sum(x real, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_sum_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_sum(x double precision, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_sum_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);

COMMENT ON AGGREGATE dp_agg_internal.exact_sum(smallint, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';
COMMENT ON AGGREGATE dp_agg_internal.exact_sum(integer, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';
COMMENT ON AGGREGATE dp_agg_internal.exact_sum(bigint, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';
COMMENT ON AGGREGATE dp_agg_internal.exact_sum(numeric, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';
COMMENT ON AGGREGATE dp_agg_internal.exact_sum(real, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';
COMMENT ON AGGREGATE dp_agg_internal.exact_sum(double precision, bytea) IS
	'exact sum of rows clamped to the bounds, in grid units (one total)';

CREATE AGGREGATE dp_agg_internal.exact_rows(x smallint, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_rows_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_rows(smallint, bytea) IS
	'number of rows, computed in the same pass as exact_sum or exact_avg of the same arguments';
CREATE AGGREGATE dp_agg_internal.exact_rows(x integer, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_rows_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_rows(integer, bytea) IS
	'number of rows, computed in the same pass as exact_sum or exact_avg of the same arguments';
CREATE AGGREGATE dp_agg_internal.exact_rows(x bigint, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_rows_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_rows(bigint, bytea) IS
	'number of rows, computed in the same pass as exact_sum or exact_avg of the same arguments';
CREATE AGGREGATE dp_agg_internal.exact_rows(x numeric, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_rows_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_rows(numeric, bytea) IS
	'number of rows, computed in the same pass as exact_sum or exact_avg of the same arguments';
CREATE AGGREGATE dp_agg_internal.exact_rows(x real, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_rows_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_rows(real, bytea) IS
	'number of rows, computed in the same pass as exact_sum or exact_avg of the same arguments';
CREATE AGGREGATE dp_agg_internal.exact_rows(x double precision, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_rows_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_rows(double precision, bytea) IS
	'number of rows, computed in the same pass as exact_sum or exact_avg of the same arguments';

CREATE AGGREGATE dp_agg_internal.exact_avg(x smallint, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_avg_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_avg(x integer, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_avg_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_avg(x bigint, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_avg_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_avg(x numeric, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_avg_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_avg(x real, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_avg_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_avg(x double precision, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.exact_avg_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);

COMMENT ON AGGREGATE dp_agg_internal.exact_avg(smallint, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';
COMMENT ON AGGREGATE dp_agg_internal.exact_avg(integer, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';
COMMENT ON AGGREGATE dp_agg_internal.exact_avg(bigint, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';
COMMENT ON AGGREGATE dp_agg_internal.exact_avg(numeric, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';
COMMENT ON AGGREGATE dp_agg_internal.exact_avg(real, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';
COMMENT ON AGGREGATE dp_agg_internal.exact_avg(double precision, bytea) IS
	'exact sum of (row - lower bound) over clamped rows, in grid units, and their number (two totals)';

-- Between servers: what one of them hands on of a unit, of whose rows others
-- hold more (src/aggregate/part.c).
CREATE FUNCTION dp_agg_internal.part_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_part' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.part_final(internal) IS
	'result: sum and number of rows, for another server';

CREATE AGGREGATE dp_agg_internal.unit_part(x smallint, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.unit_part(x integer, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.unit_part(x bigint, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.unit_part(x numeric, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.unit_part(x real, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.unit_part(x double precision, spec bytea) (
	SFUNC = dp_agg_internal.add_clamped, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);

COMMENT ON AGGREGATE dp_agg_internal.unit_part(smallint, bytea) IS
	'those rows of a unit in a group that one server holds: their sum, each clamped to the bounds, and number';
COMMENT ON AGGREGATE dp_agg_internal.unit_part(integer, bytea) IS
	'those rows of a unit in a group that one server holds: their sum, each clamped to the bounds, and number';
COMMENT ON AGGREGATE dp_agg_internal.unit_part(bigint, bytea) IS
	'those rows of a unit in a group that one server holds: their sum, each clamped to the bounds, and number';
COMMENT ON AGGREGATE dp_agg_internal.unit_part(numeric, bytea) IS
	'those rows of a unit in a group that one server holds: their sum, each clamped to the bounds, and number';
COMMENT ON AGGREGATE dp_agg_internal.unit_part(real, bytea) IS
	'those rows of a unit in a group that one server holds: their sum, each clamped to the bounds, and number';
COMMENT ON AGGREGATE dp_agg_internal.unit_part(double precision, bytea) IS
	'those rows of a unit in a group that one server holds: their sum, each clamped to the bounds, and number';

CREATE AGGREGATE dp_agg_internal.unit_sum_part(x smallint, spec bytea) (
	SFUNC = dp_agg_internal.add_limited, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.unit_sum_part(x integer, spec bytea) (
	SFUNC = dp_agg_internal.add_limited, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.unit_sum_part(x bigint, spec bytea) (
	SFUNC = dp_agg_internal.add_limited, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.unit_sum_part(x numeric, spec bytea) (
	SFUNC = dp_agg_internal.add_limited, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.unit_sum_part(x real, spec bytea) (
	SFUNC = dp_agg_internal.add_limited, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.unit_sum_part(x double precision, spec bytea) (
	SFUNC = dp_agg_internal.add_limited, STYPE = internal, SSPACE = 64, FINALFUNC = dp_agg_internal.part_final,
	COMBINEFUNC = dp_agg_internal.exact_combine, SERIALFUNC = dp_agg_internal.exact_serialize,
	DESERIALFUNC = dp_agg_internal.exact_deserialize, PARALLEL = SAFE);

COMMENT ON AGGREGATE dp_agg_internal.unit_sum_part(smallint, bytea) IS
	'those rows of a unit in a group that one server holds: their sum and number';
COMMENT ON AGGREGATE dp_agg_internal.unit_sum_part(integer, bytea) IS
	'those rows of a unit in a group that one server holds: their sum and number';
COMMENT ON AGGREGATE dp_agg_internal.unit_sum_part(bigint, bytea) IS
	'those rows of a unit in a group that one server holds: their sum and number';
COMMENT ON AGGREGATE dp_agg_internal.unit_sum_part(numeric, bytea) IS
	'those rows of a unit in a group that one server holds: their sum and number';
COMMENT ON AGGREGATE dp_agg_internal.unit_sum_part(real, bytea) IS
	'those rows of a unit in a group that one server holds: their sum and number';
COMMENT ON AGGREGATE dp_agg_internal.unit_sum_part(double precision, bytea) IS
	'those rows of a unit in a group that one server holds: their sum and number';

-- Summaries of rows by cell, for quantiles.
CREATE FUNCTION dp_agg_internal.cells_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_cells_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.cells_combine(internal, internal) IS
	'combine: add the second summary into the first';
CREATE FUNCTION dp_agg_internal.cells_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_cells_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.cells_serialize(internal) IS
	'serialize a summary';
CREATE FUNCTION dp_agg_internal.cells_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_cells_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.cells_deserialize(bytea, internal) IS
	'deserialize a summary; 22023 for malformed bytes';
CREATE FUNCTION dp_agg_internal.exact_cells_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_cells' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.exact_cells_final(internal) IS
	'result: the cells that rows are in, with their number';
CREATE FUNCTION dp_agg_internal.add_cell(internal, smallint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_cell_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_cell(internal, smallint, bytea) IS
	'transition: add a row to its cell';
CREATE FUNCTION dp_agg_internal.add_cell(internal, integer, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_cell_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_cell(internal, integer, bytea) IS
	'transition: add a row to its cell';
CREATE FUNCTION dp_agg_internal.add_cell(internal, bigint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_cell_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_cell(internal, bigint, bytea) IS
	'transition: add a row to its cell';
CREATE FUNCTION dp_agg_internal.add_cell(internal, numeric, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_cell_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_cell(internal, numeric, bytea) IS
	'transition: add a row to its cell';
CREATE FUNCTION dp_agg_internal.add_cell(internal, real, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_cell_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_cell(internal, real, bytea) IS
	'transition: add a row to its cell';
CREATE FUNCTION dp_agg_internal.add_cell(internal, double precision, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_cell_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_cell(internal, double precision, bytea) IS
	'transition: add a row to its cell';
CREATE AGGREGATE dp_agg_internal.exact_cells(x smallint, spec bytea) (
	SFUNC = dp_agg_internal.add_cell, STYPE = internal, SSPACE = 8192, FINALFUNC = dp_agg_internal.exact_cells_final,
	COMBINEFUNC = dp_agg_internal.cells_combine, SERIALFUNC = dp_agg_internal.cells_serialize,
	DESERIALFUNC = dp_agg_internal.cells_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_cells(smallint, bytea) IS
	'exact number of rows in each cell; NULL without rows';
CREATE AGGREGATE dp_agg_internal.exact_cells(x integer, spec bytea) (
	SFUNC = dp_agg_internal.add_cell, STYPE = internal, SSPACE = 8192, FINALFUNC = dp_agg_internal.exact_cells_final,
	COMBINEFUNC = dp_agg_internal.cells_combine, SERIALFUNC = dp_agg_internal.cells_serialize,
	DESERIALFUNC = dp_agg_internal.cells_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_cells(integer, bytea) IS
	'exact number of rows in each cell; NULL without rows';
CREATE AGGREGATE dp_agg_internal.exact_cells(x bigint, spec bytea) (
	SFUNC = dp_agg_internal.add_cell, STYPE = internal, SSPACE = 8192, FINALFUNC = dp_agg_internal.exact_cells_final,
	COMBINEFUNC = dp_agg_internal.cells_combine, SERIALFUNC = dp_agg_internal.cells_serialize,
	DESERIALFUNC = dp_agg_internal.cells_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_cells(bigint, bytea) IS
	'exact number of rows in each cell; NULL without rows';
CREATE AGGREGATE dp_agg_internal.exact_cells(x numeric, spec bytea) (
	SFUNC = dp_agg_internal.add_cell, STYPE = internal, SSPACE = 8192, FINALFUNC = dp_agg_internal.exact_cells_final,
	COMBINEFUNC = dp_agg_internal.cells_combine, SERIALFUNC = dp_agg_internal.cells_serialize,
	DESERIALFUNC = dp_agg_internal.cells_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_cells(numeric, bytea) IS
	'exact number of rows in each cell; NULL without rows';
CREATE AGGREGATE dp_agg_internal.exact_cells(x real, spec bytea) (
	SFUNC = dp_agg_internal.add_cell, STYPE = internal, SSPACE = 8192, FINALFUNC = dp_agg_internal.exact_cells_final,
	COMBINEFUNC = dp_agg_internal.cells_combine, SERIALFUNC = dp_agg_internal.cells_serialize,
	DESERIALFUNC = dp_agg_internal.cells_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_cells(real, bytea) IS
	'exact number of rows in each cell; NULL without rows';
CREATE AGGREGATE dp_agg_internal.exact_cells(x double precision, spec bytea) (
	SFUNC = dp_agg_internal.add_cell, STYPE = internal, SSPACE = 8192, FINALFUNC = dp_agg_internal.exact_cells_final,
	COMBINEFUNC = dp_agg_internal.cells_combine, SERIALFUNC = dp_agg_internal.cells_serialize,
	DESERIALFUNC = dp_agg_internal.cells_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_cells(double precision, bytea) IS
	'exact number of rows in each cell; NULL without rows';
CREATE FUNCTION dp_agg_internal.add_cell(internal, date, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_cell_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_cell(internal, date, bytea) IS
	'transition: add a row to its cell';
CREATE AGGREGATE dp_agg_internal.exact_cells(x date, spec bytea) (
	SFUNC = dp_agg_internal.add_cell, STYPE = internal, SSPACE = 8192, FINALFUNC = dp_agg_internal.exact_cells_final,
	COMBINEFUNC = dp_agg_internal.cells_combine, SERIALFUNC = dp_agg_internal.cells_serialize,
	DESERIALFUNC = dp_agg_internal.cells_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_cells(date, bytea) IS
	'exact number of rows in each cell; NULL without rows';
CREATE FUNCTION dp_agg_internal.add_cell(internal, timestamp, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_cell_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_cell(internal, timestamp, bytea) IS
	'transition: add a row to its cell';
CREATE AGGREGATE dp_agg_internal.exact_cells(x timestamp, spec bytea) (
	SFUNC = dp_agg_internal.add_cell, STYPE = internal, SSPACE = 8192, FINALFUNC = dp_agg_internal.exact_cells_final,
	COMBINEFUNC = dp_agg_internal.cells_combine, SERIALFUNC = dp_agg_internal.cells_serialize,
	DESERIALFUNC = dp_agg_internal.cells_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_cells(timestamp, bytea) IS
	'exact number of rows in each cell; NULL without rows';
CREATE FUNCTION dp_agg_internal.add_cell(internal, timestamptz, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_cell_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_cell(internal, timestamptz, bytea) IS
	'transition: add a row to its cell';
CREATE AGGREGATE dp_agg_internal.exact_cells(x timestamptz, spec bytea) (
	SFUNC = dp_agg_internal.add_cell, STYPE = internal, SSPACE = 8192, FINALFUNC = dp_agg_internal.exact_cells_final,
	COMBINEFUNC = dp_agg_internal.cells_combine, SERIALFUNC = dp_agg_internal.cells_serialize,
	DESERIALFUNC = dp_agg_internal.cells_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_cells(timestamptz, bytea) IS
	'exact number of rows in each cell; NULL without rows';

CREATE FUNCTION dp_agg_internal.released_point(totals bytea, lower double precision, upper double precision,
		step double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_point' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_point(bytea, double precision, double precision, double precision) IS
	'the value of the cell that was drawn, within the bounds; 22023 for malformed totals';
CREATE FUNCTION dp_agg_internal.released_date(totals bytea, lower date, upper date, step double precision)
	RETURNS date
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_date(bytea, date, date, double precision) IS
	'the day next to the cell that was drawn, within the bounds; step in days; 22023 for malformed totals';
CREATE FUNCTION dp_agg_internal.released_timestamp(totals bytea, lower timestamp, upper timestamp, step double precision)
	RETURNS timestamp
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_timestamp(bytea, timestamp, timestamp, double precision) IS
	'the microsecond next to the cell that was drawn, within the bounds; step in microseconds; 22023 for malformed totals';
CREATE FUNCTION dp_agg_internal.released_timestamptz(totals bytea, lower timestamptz, upper timestamptz, step double precision)
	RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_timestamptz(bytea, timestamptz, timestamptz, double precision) IS
	'the microsecond next to the cell that was drawn, within the bounds; step in microseconds; 22023 for malformed totals';

-- Above the release: from noisy totals to what an analyst sees.
CREATE FUNCTION dp_agg_internal.released_bigint(totals bytea, grid integer)
	RETURNS bigint
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_bigint(bytea, integer) IS
	'total * 2^grid to the nearest bigint, saturating; 22023 for malformed totals';

CREATE FUNCTION dp_agg_internal.released_clamped(totals bytea)
	RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_clamped' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_clamped(bytea) IS
	'the total of a release whose clamp was chosen, on the grid of the least clamp, saturating; 22023 for malformed totals';

CREATE FUNCTION dp_agg_internal.released_numeric(totals bytea, grid integer)
	RETURNS numeric
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_numeric(bytea, integer) IS
	'total * 2^grid, rounded to the fewest decimals finer than the grid; 22023 for malformed totals';

CREATE FUNCTION dp_agg_internal.released_float8(totals bytea, grid integer)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_float8(bytea, integer) IS
	'total * 2^grid; 22023 for malformed totals';

CREATE FUNCTION dp_agg_internal.released_digits(value double precision)
	RETURNS numeric
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_digits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_digits(double precision) IS
	'the 15 leading digits of a number, as a cast to numeric has them';

CREATE FUNCTION dp_agg_internal.joint_total(totals bytea, weights bytea)
	RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_joint_total' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.joint_total(bytea, bytea) IS
	'total that is the sum of noisy totals times weights, to the nearest whole number, whether or not they are marked as nobody''s; 22023 for malformed totals or weights';

CREATE FUNCTION dp_agg_internal.totals_of_rows(totals bytea, count integer)
	RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_totals_of_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.totals_of_rows(bytea, integer) IS
	'noisy totals without their mark, 1 to 3 of them; NULL where it says that they may be of nobody; 22023 for malformed totals';

CREATE FUNCTION dp_agg_internal.released_mean_laplace(totals bytea, lower double precision, upper double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_mean_laplace' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_mean_laplace(bytea, double precision, double precision) IS
	'mean within the bounds, from the noisy sums of (x - lower) and (upper - x); 22023 for malformed totals';

CREATE FUNCTION dp_agg_internal.released_mean_gaussian(totals bytea, lower double precision, upper double precision,
		grid_sum integer, grid_count integer)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_mean_gaussian' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_mean_gaussian(bytea, double precision, double precision, integer, integer) IS
	'mean within the bounds, from the noisy sum of (x - midpoint) and the noisy count, each with its grid; 22023 for malformed totals';

-- Moments: bounds come as a bytea holding a DpMomentsSpec (src/aggregate/moments.h),
-- pairs of values as one bigint.
CREATE FUNCTION dp_agg_internal.place_pair(y double precision, x double precision, spec bytea) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dp_aggregate_place_pair' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.place_pair(double precision, double precision, bytea) IS
	'the places of two values within their bounds as one number; NULL for NaN, 22023 for malformed bounds';

CREATE FUNCTION dp_agg_internal.add_moments(internal, smallint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_moments_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_moments(internal, integer, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_moments_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_moments(internal, bigint, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_moments_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_moments(internal, numeric, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_moments_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_moments(internal, real, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_moments_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.add_moments(internal, double precision, bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_moments_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION dp_agg_internal.add_moments(internal, smallint, bytea) IS
	'transition: add a row to the sums of monomials';
COMMENT ON FUNCTION dp_agg_internal.add_moments(internal, integer, bytea) IS
	'transition: add a row to the sums of monomials';
COMMENT ON FUNCTION dp_agg_internal.add_moments(internal, bigint, bytea) IS
	'transition: add a row to the sums of monomials';
COMMENT ON FUNCTION dp_agg_internal.add_moments(internal, numeric, bytea) IS
	'transition: add a row to the sums of monomials';
COMMENT ON FUNCTION dp_agg_internal.add_moments(internal, real, bytea) IS
	'transition: add a row to the sums of monomials';
COMMENT ON FUNCTION dp_agg_internal.add_moments(internal, double precision, bytea) IS
	'transition: add a row to the sums of monomials';

CREATE FUNCTION dp_agg_internal.moments_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_moments_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.moments_combine(internal, internal) IS
	'combine: add the second state over moments into the first';

CREATE FUNCTION dp_agg_internal.moments_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_moments_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.moments_serialize(internal) IS
	'serialize a state over moments';

CREATE FUNCTION dp_agg_internal.moments_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_moments_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.moments_deserialize(bytea, internal) IS
	'deserialize a state over moments';

CREATE FUNCTION dp_agg_internal.exact_moments_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_moments' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.exact_moments_final(internal) IS
	'result: the totals of features of all rows';

CREATE AGGREGATE dp_agg_internal.exact_moments(x smallint, spec bytea) (
	SFUNC = dp_agg_internal.add_moments, STYPE = internal, SSPACE = 160, FINALFUNC = dp_agg_internal.exact_moments_final,
	COMBINEFUNC = dp_agg_internal.moments_combine, SERIALFUNC = dp_agg_internal.moments_serialize,
	DESERIALFUNC = dp_agg_internal.moments_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_moments(x integer, spec bytea) (
	SFUNC = dp_agg_internal.add_moments, STYPE = internal, SSPACE = 160, FINALFUNC = dp_agg_internal.exact_moments_final,
	COMBINEFUNC = dp_agg_internal.moments_combine, SERIALFUNC = dp_agg_internal.moments_serialize,
	DESERIALFUNC = dp_agg_internal.moments_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_moments(x bigint, spec bytea) (
	SFUNC = dp_agg_internal.add_moments, STYPE = internal, SSPACE = 160, FINALFUNC = dp_agg_internal.exact_moments_final,
	COMBINEFUNC = dp_agg_internal.moments_combine, SERIALFUNC = dp_agg_internal.moments_serialize,
	DESERIALFUNC = dp_agg_internal.moments_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_moments(x numeric, spec bytea) (
	SFUNC = dp_agg_internal.add_moments, STYPE = internal, SSPACE = 160, FINALFUNC = dp_agg_internal.exact_moments_final,
	COMBINEFUNC = dp_agg_internal.moments_combine, SERIALFUNC = dp_agg_internal.moments_serialize,
	DESERIALFUNC = dp_agg_internal.moments_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_moments(x real, spec bytea) (
	SFUNC = dp_agg_internal.add_moments, STYPE = internal, SSPACE = 160, FINALFUNC = dp_agg_internal.exact_moments_final,
	COMBINEFUNC = dp_agg_internal.moments_combine, SERIALFUNC = dp_agg_internal.moments_serialize,
	DESERIALFUNC = dp_agg_internal.moments_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE dp_agg_internal.exact_moments(x double precision, spec bytea) (
	SFUNC = dp_agg_internal.add_moments, STYPE = internal, SSPACE = 160, FINALFUNC = dp_agg_internal.exact_moments_final,
	COMBINEFUNC = dp_agg_internal.moments_combine, SERIALFUNC = dp_agg_internal.moments_serialize,
	DESERIALFUNC = dp_agg_internal.moments_deserialize, PARALLEL = SAFE);

COMMENT ON AGGREGATE dp_agg_internal.exact_moments(smallint, bytea) IS
	'exact totals of features over rows that are units; NULL and NaN are skipped';
COMMENT ON AGGREGATE dp_agg_internal.exact_moments(integer, bytea) IS
	'exact totals of features over rows that are units; NULL and NaN are skipped';
COMMENT ON AGGREGATE dp_agg_internal.exact_moments(bigint, bytea) IS
	'exact totals of features over rows that are units; NULL and NaN are skipped';
COMMENT ON AGGREGATE dp_agg_internal.exact_moments(numeric, bytea) IS
	'exact totals of features over rows that are units; NULL and NaN are skipped';
COMMENT ON AGGREGATE dp_agg_internal.exact_moments(real, bytea) IS
	'exact totals of features over rows that are units; NULL and NaN are skipped';
COMMENT ON AGGREGATE dp_agg_internal.exact_moments(double precision, bytea) IS
	'exact totals of features over rows that are units; NULL and NaN are skipped';

-- Two-way tables of all pairs of columns: src/exact/pair_tables.h.
CREATE FUNCTION dp_agg_internal.add_to_tables(internal, spec bytea, "rows" bigint, VARIADIC cells "any") RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_exact_add_to_tables' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_to_tables(internal, bytea, bigint, "any") IS
	'transition: count a row in a table for each pair of its cells';

CREATE FUNCTION dp_agg_internal.tables_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_exact_combine_tables' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.tables_combine(internal, internal) IS
	'combine: add the second state over tables into the first';

CREATE FUNCTION dp_agg_internal.tables_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_exact_serialize_tables' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.tables_serialize(internal) IS
	'serialize a state over tables';

CREATE FUNCTION dp_agg_internal.tables_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_exact_deserialize_tables' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.tables_deserialize(bytea, internal) IS
	'deserialize a state over tables';

CREATE FUNCTION dp_agg_internal.exact_tables_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_exact_exact_tables' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.exact_tables_final(internal) IS
	'result: the tables of all rows';

CREATE AGGREGATE dp_agg_internal.exact_pair_tables(spec bytea, "rows" bigint, VARIADIC cells "any") (
	SFUNC = dp_agg_internal.add_to_tables, STYPE = internal, FINALFUNC = dp_agg_internal.exact_tables_final,
	COMBINEFUNC = dp_agg_internal.tables_combine, SERIALFUNC = dp_agg_internal.tables_serialize,
	DESERIALFUNC = dp_agg_internal.tables_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_pair_tables(bytea, bigint, "any") IS
	'exact two-way tables of all pairs of columns; rows: how many its unit has; cells without number are in the last one';

CREATE FUNCTION dp_agg_internal.released_statistic(totals bytea, estimate bytea)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_statistic' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_statistic(bytea, bytea) IS
	'statistic of noisy totals of features; 22023 for malformed totals';

CREATE FUNCTION dp_agg_internal.interval_of(totals bytea, estimate bytea, level double precision)
	RETURNS numrange
	AS 'MODULE_PATHNAME', 'dp_rewrite_interval_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.interval_of(bytea, bytea, double precision) IS
	'interval for a mean or a statistic of noisy totals; 22023 for malformed totals or a level outside 0 .. 1';

-- Geometric means: src/kinds/geometric_mean.c.
CREATE FUNCTION dp_agg_internal.log_within(value double precision, lower double precision, upper double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_kinds_log_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.log_within(double precision, double precision, double precision) IS
	'the logarithm of a value clamped to bounds above 0; NULL for NaN; 22023 for bounds that are not';
CREATE FUNCTION dp_agg_internal.released_exp(mean double precision, lower double precision, upper double precision)
	RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_kinds_released_exp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_exp(double precision, double precision, double precision) IS
	'e to the mean of logarithms, within the bounds';
CREATE FUNCTION dp_agg_internal.interval_of_logs(totals bytea, estimate bytea, level double precision)
	RETURNS numrange
	AS 'MODULE_PATHNAME', 'dp_kinds_interval_of_logs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.interval_of_logs(bytea, bytea, double precision) IS
	'interval for e to a mean of logarithms, from noisy totals; 22023 for malformed totals or a level outside 0 .. 1';

CREATE FUNCTION dp_agg_internal.interval_around(value numeric, noise bytea, level double precision)
	RETURNS numrange
	AS 'MODULE_PATHNAME', 'dp_rewrite_interval_around' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.interval_around(numeric, bytea, double precision) IS
	'interval around a released count or sum; 22023 for malformed noise or a level outside 0 .. 1';

CREATE FUNCTION dp_agg_internal.interval_clamped(value numeric, noise bytea, level double precision, totals bytea)
	RETURNS numrange
	AS 'MODULE_PATHNAME', 'dp_rewrite_interval_clamped' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.interval_clamped(numeric, bytea, double precision, bytea) IS
	'interval around a released count or sum whose clamp was chosen; 22023 for malformed noise or totals or a level outside 0 .. 1';

CREATE FUNCTION dp_agg_internal.interval_rounded(r numrange) RETURNS numrange
	AS 'MODULE_PATHNAME', 'dp_rewrite_interval_rounded' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.interval_rounded(numrange) IS 'where a number that lies there lies when it is rounded';

-- Intervals of arithmetic: src/rewrite/term.h.
CREATE FUNCTION dp_agg_internal.term(aggregate anyelement) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_agg_internal.term(anyelement) IS
	'internal: what an interval knows of an aggregate, in the outer query';
CREATE FUNCTION dp_agg_internal.noted_term(aggregate anyelement) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_agg_internal.noted_term(anyelement) IS
	'internal: what a notice of noise knows of an aggregate, in the outer query';
CREATE FUNCTION dp_agg_internal.is_noted(number integer) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dp_statement_is_noted' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_agg_internal.is_noted(integer) IS
	'are values of this column still compared with their noise by the statement that runs?';
CREATE FUNCTION dp_agg_internal.noted(value anyelement, term bytea, label text, number integer) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'dp_statement_noted' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_agg_internal.noted(anyelement, bytea, text, integer) IS
	'a value, compared with its noise for a notice at the end of the statement';
CREATE FUNCTION dp_agg_internal.term_constant(value numeric) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_constant(numeric) IS 'a number that is known, as a term';
CREATE FUNCTION dp_agg_internal.term_constant(value double precision) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_constant(double precision) IS 'a number that is known, as a term';
CREATE FUNCTION dp_agg_internal.term_around(origin bytea, "row" bigint, value numeric, noise bytea) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_around' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_around(bytea, bigint, numeric, bytea) IS
	'a released count or sum as a term; 22023 for malformed noise';
CREATE FUNCTION dp_agg_internal.term_clamped(origin bytea, "row" bigint, value numeric, noise bytea, totals bytea) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_clamped' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_clamped(bytea, bigint, numeric, bytea, bytea) IS
	'a released count or sum whose clamp was chosen, as a term; 22023 for malformed noise or totals';
CREATE FUNCTION dp_agg_internal.term_of(origin bytea, "row" bigint, totals bytea, estimate bytea) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_of(bytea, bigint, bytea, bytea) IS
	'a mean or a statistic of noisy totals as a term; 22023 for malformed totals';
CREATE FUNCTION dp_agg_internal.term_operation(kind integer, term bytea) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_operation' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_operation(integer, bytea) IS 'an operation on a term; 22023 if it is none';
CREATE FUNCTION dp_agg_internal.term_operation(kind integer, term bytea, other bytea) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_operation' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_operation(integer, bytea, bytea) IS 'an operation on two terms; 22023 if it is none';
CREATE FUNCTION dp_agg_internal.term_rounded(term bytea, by double precision) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_rounded' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_rounded(bytea, double precision) IS 'a term that rounding moves by so much at most';
CREATE FUNCTION dp_agg_internal.term_add(state internal, term bytea) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_add(internal, bytea) IS 'part of term_sum and term_avg';
CREATE FUNCTION dp_agg_internal.term_total(state internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_total' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_total(internal) IS 'part of term_sum';
CREATE FUNCTION dp_agg_internal.term_mean(state internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_mean' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_mean(internal) IS 'part of term_avg';
CREATE AGGREGATE dp_agg_internal.term_sum(term bytea) (
	SFUNC = dp_agg_internal.term_add, STYPE = internal, FINALFUNC = dp_agg_internal.term_total, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.term_sum(bytea) IS 'the sum of terms';
CREATE AGGREGATE dp_agg_internal.term_avg(term bytea) (
	SFUNC = dp_agg_internal.term_add, STYPE = internal, FINALFUNC = dp_agg_internal.term_mean, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.term_avg(bytea) IS 'the mean of terms';
CREATE FUNCTION dp_agg_internal.term_interval(term bytea, level double precision) RETURNS numrange
	AS 'MODULE_PATHNAME', 'dp_rewrite_term_interval' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.term_interval(bytea, double precision) IS
	'where a term would lie without noise; 22023 for malformed terms or a level outside 0 .. 1';

CREATE FUNCTION dp_agg_internal.of_class(descriptions bytea, class bytea) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_rewrite_of_class_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.of_class(bytea, bytea) IS
	'internal: of descriptions of noise, one for each max_groups that could be chosen, the one for what was; 22023 for malformed ones or a class that there is not';

CREATE FUNCTION dp_agg_internal.interval_between(answers double precision[], "rows" double precision, neighbours bytea,
	level double precision)
	RETURNS numrange
	AS 'MODULE_PATHNAME', 'dp_rewrite_interval_between' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.interval_between(double precision[], double precision, bytea, double precision) IS
	'interval for one of several quantiles of the same values, given a noisy count of them; 22023 for malformed neighbours or a level outside 0 .. 1';

--
-- analyst aggregates
--
-- Planning replaces every call by exact totals under a release; these bodies
-- only say why they cannot run by themselves.

-- Transition functions of all of them, one for each number of arguments.
CREATE FUNCTION dp_agg_internal.refuse(internal)
RETURNS internal AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse(internal, "any")
RETURNS internal AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse(internal, "any", "any")
RETURNS internal AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse(internal, "any", "any", "any")
RETURNS internal AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse(internal, "any", "any", "any", "any")
RETURNS internal AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse(internal, "any", "any", "any", "any", "any")
RETURNS internal AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse(internal, "any", "any", "any", "any", "any", "any")
RETURNS internal AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse(internal, "any", "any", "any", "any", "any", "any", "any")
RETURNS internal AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse_bigint(internal)
RETURNS bigint AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse_boolean(internal)
RETURNS boolean AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse_numeric(internal)
RETURNS numeric AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse_float8(internal)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;

CREATE AGGREGATE @extschema@.dp_count(*) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_count(*) IS
'differentially private number of rows, each unit counting at most max_rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_count(x "any") (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_count("any") IS
'differentially private number of rows whose x is not null, or with DISTINCT of its values, each unit covering at most dp_agg.max_values, or of units if x is their column; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_count(x "any", epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_count("any", double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
-- In the extension's schema others may make a dp_count that fits better.
CREATE AGGREGATE dp_agg_internal.counted("any") (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE dp_agg_internal.counted("any") IS
'internal: dp_count, under a name that means nothing else; what the extension itself generates calls it by this';
CREATE AGGREGATE dp_agg_internal.counted("any", epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE dp_agg_internal.counted("any", double precision) IS
'internal: dp_count, under a name that means nothing else; what the extension itself generates calls it by this';
CREATE FUNCTION dp_agg_internal.rows_not_shown() RETURNS boolean
AS 'MODULE_PATHNAME', 'dp_asking_rows_not_shown' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_agg_internal.rows_not_shown() IS
'internal: false, with a notice; the condition of what is left of a query for rows under dp_agg.raw_reads = empty';
CREATE AGGREGATE dp_agg_internal.keys_alone(*) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_boolean);
COMMENT ON AGGREGATE dp_agg_internal.keys_alone(*) IS
'internal: true; stands in a query that shows keys without an aggregate, which it makes a differentially private one';
CREATE AGGREGATE @extschema@.dp_sum(x smallint, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(smallint, bigint, bigint) IS
'differentially private sum of x; lower, upper: bounds (constant, finite) that each unit''s total in a group is clamped to, or with dp_agg.clipping = auto each row; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_sum(x smallint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(smallint) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); of a total, from them and max_rows unless dp_agg.clipping is auto; errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_sum(x smallint, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(smallint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_sum(x integer, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(integer, bigint, bigint) IS
'differentially private sum of x; lower, upper: bounds (constant, finite) that each unit''s total in a group is clamped to, or with dp_agg.clipping = auto each row; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_sum(x integer) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(integer) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); of a total, from them and max_rows unless dp_agg.clipping is auto; errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_sum(x integer, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(integer, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_sum(x bigint, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(bigint, bigint, bigint) IS
'differentially private sum of x; lower, upper: bounds (constant, finite) that each unit''s total in a group is clamped to, or with dp_agg.clipping = auto each row; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_sum(x bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(bigint) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); of a total, from them and max_rows unless dp_agg.clipping is auto; errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_sum(x bigint, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE @extschema@.dp_sum(bigint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_sum(x numeric, lower numeric, upper numeric) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_sum(numeric, numeric, numeric) IS
'differentially private sum of x; lower, upper: bounds (constant, finite) that each unit''s total in a group is clamped to, or with dp_agg.clipping = auto each row; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_sum(x numeric) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_sum(numeric) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); of a total, from them and max_rows unless dp_agg.clipping is auto; errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_sum(x numeric, lower numeric, upper numeric, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_sum(numeric, numeric, numeric, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_sum(x real, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_sum(real, double precision, double precision) IS
'differentially private sum of x; lower, upper: bounds (constant, finite) that each unit''s total in a group is clamped to, or with dp_agg.clipping = auto each row; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_sum(x real) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_sum(real) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); of a total, from them and max_rows unless dp_agg.clipping is auto; errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_sum(x real, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_sum(real, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_sum(x double precision, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_sum(double precision, double precision, double precision) IS
'differentially private sum of x; lower, upper: bounds (constant, finite) that each unit''s total in a group is clamped to, or with dp_agg.clipping = auto each row; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_sum(x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_sum(double precision) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); of a total, from them and max_rows unless dp_agg.clipping is auto; errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_sum(x double precision, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_sum(double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(x smallint, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(smallint, bigint, bigint) IS
'differentially private mean of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_avg(x smallint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(smallint) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_avg(x smallint, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(smallint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(x integer, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(integer, bigint, bigint) IS
'differentially private mean of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_avg(x integer) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(integer) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_avg(x integer, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(integer, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(x bigint, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(bigint, bigint, bigint) IS
'differentially private mean of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_avg(x bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(bigint) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_avg(x bigint, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(bigint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(x numeric, lower numeric, upper numeric) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(numeric, numeric, numeric) IS
'differentially private mean of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_avg(x numeric) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(numeric) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_avg(x numeric, lower numeric, upper numeric, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_numeric);
COMMENT ON AGGREGATE @extschema@.dp_avg(numeric, numeric, numeric, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(x real, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(real, double precision, double precision) IS
'differentially private mean of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_avg(x real) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(real) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_avg(x real, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(real, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_avg(x double precision, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(double precision, double precision, double precision) IS
'differentially private mean of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_avg(x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(double precision) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_avg(x double precision, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_avg(double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';

--
-- quantiles: any type of number, by implicit casts that planning leaves out
--
CREATE AGGREGATE @extschema@.dp_quantile(x double precision, fraction double precision, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_quantile(double precision, double precision, double precision, double precision) IS
'differentially private quantile of x clamped to lower .. upper, one of the points lower, lower + step, ...; fraction 0 .. 1, lower, upper: constant, finite; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_quantile(x double precision, fraction double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_quantile(double precision, double precision) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_quantile(x double precision, fraction double precision, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_quantile(double precision, double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_quantile(x double precision, fraction double precision, lower double precision, upper double precision, epsilon double precision, step double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_quantile(double precision, double precision, double precision, double precision, double precision, double precision) IS
'the same with its own step between the points of which one is answered, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_median(x double precision, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_median(double precision, double precision, double precision) IS
'differentially private median of x clamped to lower .. upper (constant, finite), one of the points lower, lower + step, ...; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_median(x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_median(double precision) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_median(x double precision, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_median(double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_median(x double precision, lower double precision, upper double precision, epsilon double precision, step double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_median(double precision, double precision, double precision, double precision, double precision) IS
'the same with its own step between the points of which one is answered, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_min(x double precision, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_min(double precision, double precision, double precision) IS
'differentially private minimum of x clamped to lower .. upper (constant, finite), which a few values lie below; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_min(x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_min(double precision) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_min(x double precision, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_min(double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_min(x double precision, lower double precision, upper double precision, epsilon double precision, step double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_min(double precision, double precision, double precision, double precision, double precision) IS
'the same with its own step between the points of which one is answered, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_max(x double precision, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_max(double precision, double precision, double precision) IS
'differentially private maximum of x clamped to lower .. upper (constant, finite), which a few values exceed; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_max(x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_max(double precision) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_max(x double precision, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_max(double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_max(x double precision, lower double precision, upper double precision, epsilon double precision, step double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_max(double precision, double precision, double precision, double precision, double precision) IS
'the same with its own step between the points of which one is answered, constant, greater than 0; at most 1048576 steps';

--
-- quantiles of dates and timestamps
--
CREATE FUNCTION dp_agg_internal.refuse_text(internal)
RETURNS text AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse_date(internal)
RETURNS date AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse_timestamp(internal)
RETURNS timestamp AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE FUNCTION dp_agg_internal.refuse_timestamptz(internal)
RETURNS timestamptz AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C;
CREATE AGGREGATE @extschema@.dp_quantile(x date, fraction double precision, lower date, upper date) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_quantile(date, double precision, date, date) IS
'differentially private quantile of x clamped to lower .. upper, one of the points lower, lower + step, ...; fraction 0 .. 1, lower, upper: constant, finite; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_quantile(x date, fraction double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_quantile(date, double precision) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_quantile(x date, fraction double precision, lower date, upper date, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_quantile(date, double precision, date, date, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_quantile(x date, fraction double precision, lower date, upper date, epsilon double precision, step integer) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_quantile(date, double precision, date, date, double precision, integer) IS
'the same with its own step between the points of which one is answered, in days, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_median(x date, lower date, upper date) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_median(date, date, date) IS
'differentially private median of x clamped to lower .. upper (constant, finite), one of the points lower, lower + step, ...; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_median(x date) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_median(date) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_median(x date, lower date, upper date, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_median(date, date, date, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_median(x date, lower date, upper date, epsilon double precision, step integer) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_median(date, date, date, double precision, integer) IS
'the same with its own step between the points of which one is answered, in days, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_min(x date, lower date, upper date) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_min(date, date, date) IS
'differentially private minimum of x clamped to lower .. upper (constant, finite), which a few values lie below; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_min(x date) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_min(date) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_min(x date, lower date, upper date, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_min(date, date, date, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_min(x date, lower date, upper date, epsilon double precision, step integer) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_min(date, date, date, double precision, integer) IS
'the same with its own step between the points of which one is answered, in days, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_max(x date, lower date, upper date) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_max(date, date, date) IS
'differentially private maximum of x clamped to lower .. upper (constant, finite), which a few values exceed; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_max(x date) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_max(date) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_max(x date, lower date, upper date, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_max(date, date, date, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_max(x date, lower date, upper date, epsilon double precision, step integer) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_date);
COMMENT ON AGGREGATE @extschema@.dp_max(date, date, date, double precision, integer) IS
'the same with its own step between the points of which one is answered, in days, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_quantile(x timestamp, fraction double precision, lower timestamp, upper timestamp) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_quantile(timestamp, double precision, timestamp, timestamp) IS
'differentially private quantile of x clamped to lower .. upper, one of the points lower, lower + step, ...; fraction 0 .. 1, lower, upper: constant, finite; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_quantile(x timestamp, fraction double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_quantile(timestamp, double precision) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_quantile(x timestamp, fraction double precision, lower timestamp, upper timestamp, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_quantile(timestamp, double precision, timestamp, timestamp, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_quantile(x timestamp, fraction double precision, lower timestamp, upper timestamp, epsilon double precision, step interval) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_quantile(timestamp, double precision, timestamp, timestamp, double precision, interval) IS
'the same with its own step between the points of which one is answered, without months or years, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_median(x timestamp, lower timestamp, upper timestamp) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_median(timestamp, timestamp, timestamp) IS
'differentially private median of x clamped to lower .. upper (constant, finite), one of the points lower, lower + step, ...; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_median(x timestamp) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_median(timestamp) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_median(x timestamp, lower timestamp, upper timestamp, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_median(timestamp, timestamp, timestamp, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_median(x timestamp, lower timestamp, upper timestamp, epsilon double precision, step interval) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_median(timestamp, timestamp, timestamp, double precision, interval) IS
'the same with its own step between the points of which one is answered, without months or years, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_min(x timestamp, lower timestamp, upper timestamp) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_min(timestamp, timestamp, timestamp) IS
'differentially private minimum of x clamped to lower .. upper (constant, finite), which a few values lie below; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_min(x timestamp) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_min(timestamp) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_min(x timestamp, lower timestamp, upper timestamp, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_min(timestamp, timestamp, timestamp, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_min(x timestamp, lower timestamp, upper timestamp, epsilon double precision, step interval) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_min(timestamp, timestamp, timestamp, double precision, interval) IS
'the same with its own step between the points of which one is answered, without months or years, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_max(x timestamp, lower timestamp, upper timestamp) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_max(timestamp, timestamp, timestamp) IS
'differentially private maximum of x clamped to lower .. upper (constant, finite), which a few values exceed; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_max(x timestamp) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_max(timestamp) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_max(x timestamp, lower timestamp, upper timestamp, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_max(timestamp, timestamp, timestamp, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_max(x timestamp, lower timestamp, upper timestamp, epsilon double precision, step interval) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamp);
COMMENT ON AGGREGATE @extschema@.dp_max(timestamp, timestamp, timestamp, double precision, interval) IS
'the same with its own step between the points of which one is answered, without months or years, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_quantile(x timestamptz, fraction double precision, lower timestamptz, upper timestamptz) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_quantile(timestamptz, double precision, timestamptz, timestamptz) IS
'differentially private quantile of x clamped to lower .. upper, one of the points lower, lower + step, ...; fraction 0 .. 1, lower, upper: constant, finite; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_quantile(x timestamptz, fraction double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_quantile(timestamptz, double precision) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_quantile(x timestamptz, fraction double precision, lower timestamptz, upper timestamptz, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_quantile(timestamptz, double precision, timestamptz, timestamptz, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_quantile(x timestamptz, fraction double precision, lower timestamptz, upper timestamptz, epsilon double precision, step interval) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_quantile(timestamptz, double precision, timestamptz, timestamptz, double precision, interval) IS
'the same with its own step between the points of which one is answered, without months or years, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_median(x timestamptz, lower timestamptz, upper timestamptz) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_median(timestamptz, timestamptz, timestamptz) IS
'differentially private median of x clamped to lower .. upper (constant, finite), one of the points lower, lower + step, ...; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_median(x timestamptz) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_median(timestamptz) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_median(x timestamptz, lower timestamptz, upper timestamptz, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_median(timestamptz, timestamptz, timestamptz, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_median(x timestamptz, lower timestamptz, upper timestamptz, epsilon double precision, step interval) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_median(timestamptz, timestamptz, timestamptz, double precision, interval) IS
'the same with its own step between the points of which one is answered, without months or years, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_min(x timestamptz, lower timestamptz, upper timestamptz) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_min(timestamptz, timestamptz, timestamptz) IS
'differentially private minimum of x clamped to lower .. upper (constant, finite), which a few values lie below; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_min(x timestamptz) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_min(timestamptz) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_min(x timestamptz, lower timestamptz, upper timestamptz, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_min(timestamptz, timestamptz, timestamptz, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_min(x timestamptz, lower timestamptz, upper timestamptz, epsilon double precision, step interval) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_min(timestamptz, timestamptz, timestamptz, double precision, interval) IS
'the same with its own step between the points of which one is answered, without months or years, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_max(x timestamptz, lower timestamptz, upper timestamptz) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_max(timestamptz, timestamptz, timestamptz) IS
'differentially private maximum of x clamped to lower .. upper (constant, finite), which a few values exceed; a unit weighs at most max_rows; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_max(x timestamptz) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_max(timestamptz) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_max(x timestamptz, lower timestamptz, upper timestamptz, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_max(timestamptz, timestamptz, timestamptz, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_max(x timestamptz, lower timestamptz, upper timestamptz, epsilon double precision, step interval) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_timestamptz);
COMMENT ON AGGREGATE @extschema@.dp_max(timestamptz, timestamptz, timestamptz, double precision, interval) IS
'the same with its own step between the points of which one is answered, without months or years, constant, greater than 0; at most 1048576 steps';
CREATE AGGREGATE @extschema@.dp_min(x text) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_text);
COMMENT ON AGGREGATE @extschema@.dp_min(text) IS
'the least of the keys declared of a column (dp_agg.set_domain) that its rows have, in the order of its collation, but for a few rows; loss: dp_agg.epsilon; errors: 0A000 no keys are declared, too';
CREATE AGGREGATE @extschema@.dp_max(x text) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_text);
COMMENT ON AGGREGATE @extschema@.dp_max(text) IS
'the greatest of the keys declared of a column (dp_agg.set_domain) that its rows have, in the order of its collation, but for a few rows; loss: dp_agg.epsilon; errors: 0A000 no keys are declared, too';

-- Set-returning functions for FROM: each stands for a query of the gate's.
-- Not STRICT: then it would be called for every bin, not written out in the query.
CREATE FUNCTION dp_agg.bar(value double precision, largest double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN pg_catalog.repeat('#', CASE WHEN value > 0 AND largest > 0
	THEN pg_catalog.round(40 * LEAST(value / largest, 1))::integer ELSE 0 END);
COMMENT ON FUNCTION dp_agg.bar(double precision, double precision) IS
'a bar of up to 40 characters, for a released value beside the largest; none for values that are not positive';

--
-- moments and intervals
--
CREATE AGGREGATE @extschema@.dp_geometric_mean(x double precision, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_geometric_mean(double precision, double precision, double precision) IS
'differentially private geometric mean of x clamped to lower .. upper (constant, finite, above 0); rows as for dp_avg; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_geometric_mean(x double precision, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_geometric_mean(double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_variance(x smallint, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(smallint, bigint, bigint) IS
'differentially private variance of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_variance(x smallint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(smallint) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_variance(x smallint, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(smallint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_variance(x integer, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(integer, bigint, bigint) IS
'differentially private variance of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_variance(x integer) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(integer) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_variance(x integer, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(integer, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_variance(x bigint, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(bigint, bigint, bigint) IS
'differentially private variance of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_variance(x bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(bigint) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_variance(x bigint, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(bigint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_variance(x numeric, lower numeric, upper numeric) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(numeric, numeric, numeric) IS
'differentially private variance of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_variance(x numeric) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(numeric) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_variance(x numeric, lower numeric, upper numeric, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(numeric, numeric, numeric, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_variance(x real, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(real, double precision, double precision) IS
'differentially private variance of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_variance(x real) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(real) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_variance(x real, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(real, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_variance(x double precision, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(double precision, double precision, double precision) IS
'differentially private variance of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_variance(x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(double precision) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_variance(x double precision, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_variance(double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_stddev(x smallint, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(smallint, bigint, bigint) IS
'differentially private standard deviation of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_stddev(x smallint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(smallint) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_stddev(x smallint, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(smallint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_stddev(x integer, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(integer, bigint, bigint) IS
'differentially private standard deviation of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_stddev(x integer) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(integer) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_stddev(x integer, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(integer, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_stddev(x bigint, lower bigint, upper bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(bigint, bigint, bigint) IS
'differentially private standard deviation of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_stddev(x bigint) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(bigint) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_stddev(x bigint, lower bigint, upper bigint, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(bigint, bigint, bigint, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_stddev(x numeric, lower numeric, upper numeric) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(numeric, numeric, numeric) IS
'differentially private standard deviation of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_stddev(x numeric) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(numeric) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_stddev(x numeric, lower numeric, upper numeric, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(numeric, numeric, numeric, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_stddev(x real, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(real, double precision, double precision) IS
'differentially private standard deviation of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_stddev(x real) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(real) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_stddev(x real, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(real, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_stddev(x double precision, lower double precision, upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(double precision, double precision, double precision) IS
'differentially private standard deviation of a sample, of x clamped to lower .. upper (constant, finite); a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both dp_variance and dp_stddev of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_stddev(x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(double precision) IS
'the same with bounds that follow from the domains of the columns in x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_stddev(x double precision, lower double precision, upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_stddev(double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_covar_pop(y double precision, x double precision, y_lower double precision, y_upper double precision, x_lower double precision, x_upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop(double precision, double precision, double precision, double precision, double precision, double precision) IS
'differentially private covariance of a population, of values clamped to their bounds (constant, finite); rows count where both are not null; a unit weighs at most max_rows; 0 with a noisy count of 0 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both covariances of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_covar_pop(y double precision, x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop(double precision, double precision) IS
'the same with bounds that follow from the domains of the columns in y and x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_covar_pop(y double precision, x double precision, y_lower double precision, y_upper double precision, x_lower double precision, x_upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_covar_pop(double precision, double precision, double precision, double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_covar_samp(y double precision, x double precision, y_lower double precision, y_upper double precision, x_lower double precision, x_upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp(double precision, double precision, double precision, double precision, double precision, double precision) IS
'differentially private covariance of a sample, of values clamped to their bounds (constant, finite); rows count where both are not null; a unit weighs at most max_rows; 0 with a noisy count of 1 or less; NULL where there may be no rows; loss: dp_agg.epsilon, once for both covariances of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_covar_samp(y double precision, x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp(double precision, double precision) IS
'the same with bounds that follow from the domains of the columns in y and x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_covar_samp(y double precision, x double precision, y_lower double precision, y_upper double precision, x_lower double precision, x_upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_covar_samp(double precision, double precision, double precision, double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_corr(y double precision, x double precision, y_lower double precision, y_upper double precision, x_lower double precision, x_upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_corr(double precision, double precision, double precision, double precision, double precision, double precision) IS
'differentially private correlation, of values clamped to their bounds (constant, finite); rows count where both are not null; a unit weighs at most max_rows; 0 where a noisy variance is not positive; NULL where there may be no rows; loss: dp_agg.epsilon; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_corr(y double precision, x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_corr(double precision, double precision) IS
'the same with bounds that follow from the domains of the columns in y and x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_corr(y double precision, x double precision, y_lower double precision, y_upper double precision, x_lower double precision, x_upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_corr(double precision, double precision, double precision, double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_regr_slope(y double precision, x double precision, y_lower double precision, y_upper double precision, x_lower double precision, x_upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope(double precision, double precision, double precision, double precision, double precision, double precision) IS
'differentially private slope of the least-squares line of y on x, of values clamped to their bounds (constant, finite); rows count where both are not null; a unit weighs at most max_rows; 0 where the noisy variance of x is not positive; NULL where there may be no rows; loss: dp_agg.epsilon, once for both slope and intercept of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_regr_slope(y double precision, x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope(double precision, double precision) IS
'the same with bounds that follow from the domains of the columns in y and x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_regr_slope(y double precision, x double precision, y_lower double precision, y_upper double precision, x_lower double precision, x_upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_regr_slope(double precision, double precision, double precision, double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';
CREATE AGGREGATE @extschema@.dp_regr_intercept(y double precision, x double precision, y_lower double precision, y_upper double precision, x_lower double precision, x_upper double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept(double precision, double precision, double precision, double precision, double precision, double precision) IS
'differentially private height at x = 0 of the least-squares line of y on x, of values clamped to their bounds (constant, finite); rows count where both are not null; a unit weighs at most max_rows; the mean of y where the noisy variance of x is not positive; NULL where there may be no rows; loss: dp_agg.epsilon, once for both slope and intercept of the same arguments; errors: 0A000 what a query may not say, 22023 bad bounds or epsilon, 42501 not protected or no budget, 53400 budget exhausted';
CREATE AGGREGATE @extschema@.dp_regr_intercept(y double precision, x double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept(double precision, double precision) IS
'the same with bounds that follow from the domains of the columns in y and x (dp_agg.set_domain); errors: 22023 no domain, too';
CREATE AGGREGATE @extschema@.dp_regr_intercept(y double precision, x double precision, y_lower double precision, y_upper double precision, x_lower double precision, x_upper double precision, epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_float8);
COMMENT ON AGGREGATE @extschema@.dp_regr_intercept(double precision, double precision, double precision, double precision, double precision, double precision, double precision) IS
'the same with its own loss; epsilon: privacy loss of this aggregate, 1e-9 .. 1048576, constant';

CREATE FUNCTION @extschema@.dp_interval(aggregate bigint, level double precision DEFAULT 0.95)
RETURNS numrange AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_interval(bigint, double precision) IS
'where an aggregate, plain or with dp_, or arithmetic on such, of the same query, would lie without noise, with this probability at least: noise alone, not what bounds, max_rows and max_groups cut off, but of a count or sum what a chosen clamp cuts (dp_agg.clipping = auto), if numbers of units fall from there on; costs nothing beside the aggregate; unbounded ends where nothing is known; NULL where the aggregate is';
CREATE FUNCTION @extschema@.dp_interval(aggregate numeric, level double precision DEFAULT 0.95)
RETURNS numrange AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_interval(numeric, double precision) IS
'where an aggregate, plain or with dp_, or arithmetic on such, of the same query, would lie without noise, with this probability at least: noise alone, not what bounds, max_rows and max_groups cut off, but of a count or sum what a chosen clamp cuts (dp_agg.clipping = auto), if numbers of units fall from there on; costs nothing beside the aggregate; unbounded ends where nothing is known; NULL where the aggregate is';
CREATE FUNCTION @extschema@.dp_interval(aggregate double precision, level double precision DEFAULT 0.95)
RETURNS numrange AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_interval(double precision, double precision) IS
'where an aggregate, plain or with dp_, or arithmetic on such, of the same query, would lie without noise, with this probability at least: noise alone, not what bounds, max_rows and max_groups cut off, but of a count or sum what a chosen clamp cuts (dp_agg.clipping = auto), if numbers of units fall from there on; costs nothing beside the aggregate; unbounded ends where nothing is known; of a quantile between others of the same values, which are asked beside it with dp_count, ends at its bounds where these are too few or close; of dp_min and dp_max from the answer to the bound; NULL where the aggregate is';

CREATE FUNCTION @extschema@.dp_histogram(relation regclass, col name, lower double precision,
	upper double precision, bins integer, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, OUT bin integer, OUT lower double precision,
	OUT upper double precision, OUT count bigint, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_histogram(regclass, name, double precision, double precision, integer, double precision, text) IS
'differentially private histogram of a numeric column of a protected table, for use in FROM; lower < upper finite, bins 1 .. 1000000, epsilon: loss of the whole histogram for a unit with one row (NULL: dp_agg.epsilon), filter: one condition; every bin is answered, values outside the bounds count in the end bins; bar: the released counts to look at. Errors: 22023 wrong argument, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_histogram(relation regclass, col name, lower date,
	upper date, bins integer, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, OUT bin integer, OUT lower date,
	OUT upper date, OUT count bigint, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_histogram(regclass, name, date, date, integer, double precision, text) IS
'differentially private histogram of a column of type date of a protected table, for use in FROM; as that of numbers, a bin holding what lies from its lower edge on and before its upper one';

CREATE FUNCTION @extschema@.dp_histogram(relation regclass, col name, lower timestamp without time zone,
	upper timestamp without time zone, bins integer, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, OUT bin integer, OUT lower timestamp without time zone,
	OUT upper timestamp without time zone, OUT count bigint, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_histogram(regclass, name, timestamp without time zone, timestamp without time zone, integer, double precision, text) IS
'differentially private histogram of a column of type timestamp without time zone of a protected table, for use in FROM; as that of numbers, a bin holding what lies from its lower edge on and before its upper one';

CREATE FUNCTION @extschema@.dp_histogram(relation regclass, col name, lower timestamp with time zone,
	upper timestamp with time zone, bins integer, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, OUT bin integer, OUT lower timestamp with time zone,
	OUT upper timestamp with time zone, OUT count bigint, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_histogram(regclass, name, timestamp with time zone, timestamp with time zone, integer, double precision, text) IS
'differentially private histogram of a column of type timestamp with time zone of a protected table, for use in FROM; as that of numbers, a bin holding what lies from its lower edge on and before its upper one';

CREATE FUNCTION @extschema@.dp_histogram(relation regclass, col name, keys anyarray,
	epsilon double precision DEFAULT NULL, filter text DEFAULT NULL,
	OUT bin integer, OUT key anyelement, OUT count bigint, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_histogram(regclass, name, anyarray, double precision, text) IS
'differentially private histogram of the categories in a column of a protected table, for use in FROM; keys: 1 .. 100000 different values, each of which is answered, without delta; rows with other values count nowhere. Errors: 22023 wrong argument, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_histogram(relation regclass, col name, keys text,
	epsilon double precision DEFAULT NULL, filter text DEFAULT NULL,
	OUT bin integer, OUT key text, OUT count bigint, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_histogram(regclass, name, text, double precision, text) IS
'the same with keys in the text of an array, of the column''s type: literals and parameters that have no type';

CREATE FUNCTION @extschema@.dp_histogram(relation regclass, col name, bins bigint,
	epsilon double precision DEFAULT NULL, filter text DEFAULT NULL, OUT bin integer,
	OUT lower double precision, OUT upper double precision, OUT count bigint, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_histogram(regclass, name, bigint, double precision, text) IS
'differentially private histogram of a numeric column of a protected table, between the bounds that its owner has declared (dp_agg.set_domain). Errors: 22023 no domain, too';

CREATE FUNCTION @extschema@.dp_cumulative(relation regclass, col name, lower double precision,
	upper double precision, bins integer, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, OUT bin integer, OUT lower double precision,
	OUT upper double precision, OUT count double precision, OUT cumulative double precision, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_cumulative(regclass, name, double precision, double precision, integer, double precision, text) IS
'differentially private histogram for sums over ranges of bins, for use in FROM: arguments as of dp_histogram; counts of a tree over the bins share epsilon and are made consistent by least squares, so that the noise of a range hardly grows with its length. cumulative: count of this bin and all before. Source: Hay, Rastogi, Miklau, Suciu 2010. Errors: 22023 wrong argument, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_cumulative(relation regclass, col name, lower date,
	upper date, bins integer, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, OUT bin integer, OUT lower date,
	OUT upper date, OUT count double precision, OUT cumulative double precision, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_cumulative(regclass, name, date, date, integer, double precision, text) IS
'differentially private histogram for sums over ranges of bins, for use in FROM: arguments as of dp_histogram; counts of a tree over the bins share epsilon and are made consistent by least squares, so that the noise of a range hardly grows with its length. cumulative: count of this bin and all before. Source: Hay, Rastogi, Miklau, Suciu 2010. Errors: 22023 wrong argument, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_cumulative(relation regclass, col name, lower timestamp without time zone,
	upper timestamp without time zone, bins integer, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, OUT bin integer, OUT lower timestamp without time zone,
	OUT upper timestamp without time zone, OUT count double precision, OUT cumulative double precision, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_cumulative(regclass, name, timestamp without time zone, timestamp without time zone, integer, double precision, text) IS
'differentially private histogram for sums over ranges of bins, for use in FROM: arguments as of dp_histogram; counts of a tree over the bins share epsilon and are made consistent by least squares, so that the noise of a range hardly grows with its length. cumulative: count of this bin and all before. Source: Hay, Rastogi, Miklau, Suciu 2010. Errors: 22023 wrong argument, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_cumulative(relation regclass, col name, lower timestamp with time zone,
	upper timestamp with time zone, bins integer, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, OUT bin integer, OUT lower timestamp with time zone,
	OUT upper timestamp with time zone, OUT count double precision, OUT cumulative double precision, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_cumulative(regclass, name, timestamp with time zone, timestamp with time zone, integer, double precision, text) IS
'differentially private histogram for sums over ranges of bins, for use in FROM: arguments as of dp_histogram; counts of a tree over the bins share epsilon and are made consistent by least squares, so that the noise of a range hardly grows with its length. cumulative: count of this bin and all before. Source: Hay, Rastogi, Miklau, Suciu 2010. Errors: 22023 wrong argument, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_cumulative(relation regclass, col name, bins bigint,
	epsilon double precision DEFAULT NULL, filter text DEFAULT NULL, OUT bin integer, OUT lower double precision,
	OUT upper double precision, OUT count double precision, OUT cumulative double precision, OUT bar text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_cumulative(regclass, name, bigint, double precision, text) IS
'the same of a numeric column, between the bounds that its owner has declared (dp_agg.set_domain). Errors: 22023 no domain, too';

CREATE FUNCTION @extschema@.dp_noisy_max(relation regclass, col name, candidates anyarray,
	k integer DEFAULT 1, epsilon double precision DEFAULT NULL, filter text DEFAULT NULL,
	OUT rank integer, OUT candidate anyelement)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_noisy_max(regclass, name, anyarray, integer, double precision, text) IS
'the k most frequent of 1 .. 100000 different candidates in a column of a protected table, privately, for use in FROM; k at most 1000. epsilon: loss of the whole answer, however many candidates a unit counts in (NULL: dp_agg.epsilon). Up to max_groups ranks are drawn, each at epsilon / k: by permute and flip, or by the exponential mechanism if dp_agg.mechanism is gaussian and no sample is asked; more by noisy counts. No counts are released. Source: McKenna, Sheldon 2020; McSherry, Talwar 2007. Errors: 22023 wrong argument, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_noisy_max(relation regclass, col name, candidates text,
	k integer DEFAULT 1, epsilon double precision DEFAULT NULL, filter text DEFAULT NULL,
	OUT rank integer, OUT candidate text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_noisy_max(regclass, name, text, integer, double precision, text) IS
'the same with candidates in the text of an array, of the column''s type: literals and parameters that have no type';

CREATE FUNCTION @extschema@.dp_top(relation regclass, col name, k integer,
	epsilon double precision DEFAULT NULL, filter text DEFAULT NULL,
	OUT rank integer, OUT candidate text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_top(regclass, name, integer, double precision, text) IS
'the k most frequent values of a column of a protected table, privately, for use in FROM; k 1 .. 1000. Which values there are is private: fewer are returned where the next is not frequent enough, at a cost of dp_agg.delta. epsilon: loss of the whole answer (NULL: dp_agg.epsilon). Mechanisms as of dp_noisy_max. Source: doc/accounting.md, after McKenna, Sheldon 2020 and Durfee, Rogers 2019. Errors: 22023 wrong argument, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_above_threshold(relation regclass, predicates text[], threshold bigint,
	epsilon double precision DEFAULT NULL, filter text DEFAULT NULL,
	OUT "position" integer, OUT predicate text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_above_threshold(regclass, text[], bigint, double precision, text) IS
'the first of 1 .. 256 conditions that about threshold rows of a protected table fulfil, or more, privately, for use in FROM; one row, of nulls if none does. epsilon: loss of the whole answer, however many conditions there are (NULL: dp_agg.epsilon). Source: Lyu, Su, Li 2017, with geometric noise as proved in doc/accounting.md. Errors: 22023 wrong argument, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_linregr(relation regclass, y name, y_lower double precision, y_upper double precision,
	columns json, epsilon double precision DEFAULT NULL, filter text DEFAULT NULL, OUT term text,
	OUT coef double precision, OUT std_err double precision, OUT t_stat double precision,
	OUT p_value double precision, OUT lower double precision, OUT upper double precision,
	OUT shrunk boolean, OUT covariance double precision[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE ROWS 10;
COMMENT ON FUNCTION @extschema@.dp_linregr(regclass, name, double precision, double precision, json, double precision, text) IS
'differentially private linear regression of y, a column of numbers of a protected table clamped to y_lower .. y_upper (finite, in order), on 1 .. 64 coordinates of other columns, for use in FROM. columns: a json object: {"age": [0, 110], "ward": ["A", "B"], "smoker": true}, bounds of numbers, dates (days since 2000) and times (microseconds), keys of anything, true for booleans, enums and what dp_agg.set_domain declares; or a list of names. Rows where one of the columns is NULL, NaN or none of the keys do not count. epsilon: loss of the whole answer for a unit (NULL: dp_agg.epsilon); filter: one condition. A row per term, (intercept) first: coefficients, in the units of the columns, booleans as 0 and 1, and each key but the first as 0 and 1. std_err, t_stat, p_value, lower, upper (95 %) and covariance of coefficients allow for sampling and noise and are of a fit that is shrunk less; shrunk: is coef drawn towards 0, for too much noise? Row (sigma): deviation of residuals, and between which it lies by 90 % of the noise. Source: doc/accounting.md, after Wang 2018. Errors: 22023 wrong argument, 42703 no such column, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_linregr(relation regclass, y name, columns json, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, OUT term text,
	OUT coef double precision, OUT std_err double precision, OUT t_stat double precision,
	OUT p_value double precision, OUT lower double precision, OUT upper double precision,
	OUT shrunk boolean, OUT covariance double precision[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE ROWS 10;
COMMENT ON FUNCTION @extschema@.dp_linregr(regclass, name, json, double precision, text) IS
'the same of a column whose bounds its table''s owner has declared (dp_agg.set_domain). Errors: 22023 no domain, too';

CREATE FUNCTION @extschema@.dp_logregr(relation regclass, y text, columns json, passes integer DEFAULT 2,
	epsilon double precision DEFAULT NULL, filter text DEFAULT NULL, OUT term text, OUT coef double precision,
	OUT std_err double precision, OUT z_stat double precision, OUT p_value double precision,
	OUT covariance double precision[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE ROWS 10;
COMMENT ON FUNCTION @extschema@.dp_logregr(regclass, text, json, integer, double precision, text) IS
'differentially private logistic regression of y, a condition on rows of a protected table, on 1 .. 64 coordinates of columns, for use in FROM. columns: a json object or list, as of dp_linregr; rows in which one of them or y is null, NaN or not among its keys do not count. passes: 0 .. 8 passes through the rows, as many whatever they hold, behind sums of products that the model starts from. epsilon: loss of the whole answer for a unit, half of it for the passes (NULL: dp_agg.epsilon); filter: one condition. A row per term, (intercept) first: coefficients of the log of odds, in the units of the columns, booleans as 0 and 1, and each key but the first as 0 and 1; for dp_predict_prob. std_err, z_stat, p_value and covariance allow for sampling and noise, of first order: not to be relied on below epsilon 0.3; null without passes. Source: doc/accounting.md, after Ferrando, Sheldon 2024 and Ganesh et al. 2023. Errors: 22023 wrong argument, 42703 no such column, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_svm(relation regclass, y text, columns json, passes integer DEFAULT 2,
	epsilon double precision DEFAULT NULL, filter text DEFAULT NULL, OUT term text, OUT coef double precision)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE ROWS 10;
COMMENT ON FUNCTION @extschema@.dp_svm(regclass, text, json, integer, double precision, text) IS
'differentially private linear support vector machine, with the arguments of dp_logregr: weights with which dp_predict is above 0 where y, a condition on rows of a protected table, is likely to hold. It is of the hinge loss with a rounded corner. Errors: 22023 wrong argument, 42703 no such column, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_predict(coef double precision[], x double precision[]) RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_aggregate_predict' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_predict(double precision[], double precision[]) IS
'what a linear model predicts: the sum of coef[i] x[i], x beginning with 1 for the intercept. A function of released coefficients: it costs nothing. Errors: 22023 other lengths, nulls, numbers that are not finite';
CREATE FUNCTION @extschema@.dp_predict_prob(coef double precision[], x double precision[]) RETURNS double precision
	AS 'MODULE_PATHNAME', 'dp_aggregate_predict_prob' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_predict_prob(double precision[], double precision[]) IS
'the probability that a logistic model predicts: 1 / (1 + exp(-dp_predict(coef, x))). It costs nothing. Errors: 22023 other lengths, nulls, numbers that are not finite';
CREATE FUNCTION @extschema@.dp_predict_interval(coef double precision[], covariance double precision[], sigma double precision,
	x double precision[], level double precision DEFAULT 0.95, OUT lower double precision, OUT upper double precision)
	AS 'MODULE_PATHNAME', 'dp_aggregate_predict_interval' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_predict_interval(double precision[], double precision[], double precision, double precision[], double precision) IS
'between which y of one row lies with this probability (above 0, below 1), by a model of dp_linregr: covariance as its rows have it, sigma the upper end of row (sigma). It costs nothing. Errors: 22023 other lengths, nulls, NaN';

CREATE FUNCTION @extschema@.dp_select_model(relation regclass, y text, candidates text[],
	epsilon double precision DEFAULT NULL, filter text DEFAULT NULL,
	OUT "position" integer, OUT candidate text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_select_model(regclass, text, text[], double precision, text) IS
'one of 1 .. 256 candidates, conditions on rows of a protected table, that is wrong about the condition y for few rows, privately, for use in FROM; a row. Rows of which y is null do not count; a candidate that is null foretells false. epsilon: loss of the whole answer, however many candidates there are (NULL: dp_agg.epsilon). Exponential mechanism on the numbers of errors, which a unit moves one way, by max_rows at most: scale max_rows / epsilon. Source: McSherry, Talwar 2007; doc/accounting.md. Errors: 22023 wrong argument, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION @extschema@.dp_select_model(relation regclass, y text, columns json, models double precision[],
	loss text, bound double precision DEFAULT NULL, epsilon double precision DEFAULT NULL, filter text DEFAULT NULL,
	OUT "position" integer, OUT model double precision[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE ROWS 1;
COMMENT ON FUNCTION @extschema@.dp_select_model(regclass, text, json, double precision[], text, double precision, double precision, text) IS
'one of 1 .. 65536 linear models, with at most 400000 weights together, that loses little on rows of a protected table, privately, for use in FROM; a row. models: an array of models, each the intercept and a weight for each coordinate; columns: a json object or list, as of dp_linregr, of columns that make 1 .. 64 coordinates from -1 to 1; rows in which one of them or y is null, NaN or not among its keys do not count. loss: zero_one, logistic, hinge (y a condition), squared, absolute (y a number). bound: the most a row can lose (2^-10 .. 65536 for logistic and hinge; 1 for zero_one, and need not be given). epsilon: loss of privacy of the whole answer (NULL: dp_agg.epsilon). Exponential mechanism on sums of losses, which a unit moves one way, by max_rows * bound at most: scale max_rows * bound / epsilon. Source: Bassily, Smith, Thakurta 2014; McSherry, Talwar 2007; doc/accounting.md. Errors: 22023 wrong argument, 42703 no such column, 0A000 not allowed, 53400 budget exhausted';

CREATE FUNCTION dp_agg.model_grid(coordinates integer, radius double precision, steps integer)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'dp_asking_model_grid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.model_grid(integer, double precision, integer) IS
'linear models for dp_select_model: every combination of an intercept and a weight for each of 1 .. 64 coordinates, each of steps (>= 2) values from -radius to radius, evenly spaced: steps ^ (coordinates + 1) models, at most 65536. radius: greater than 0, finite. Errors: 22023';
CREATE FUNCTION @extschema@.dp_synthesize(relation regclass, columns json, "rows" bigint DEFAULT NULL,
	epsilon double precision DEFAULT NULL, filter text DEFAULT NULL)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION @extschema@.dp_synthesize(regclass, json, bigint, double precision, text) IS
'synthetic rows like those of a protected table, privately, for use in FROM with a list of columns: dp_synthesize(...) AS s (sex sex, age integer). They are no sample: statistical tests, standard errors and confidence intervals that are computed of them as of real rows are wrong, and two columns depend on each other only as far as a tree of two-way tables tells. Made for looking at what data are like, and for trying queries and programs. columns: 2 .. 32 by name, each [lower, upper, bins] (20 bins if not written; values are uniform within one), an array of keys as strings, or true for booleans, enums and what is declared; anything else is null in synthetic rows; at most 1023 bins or keys of a column, and 4194304 cells of the tables of all pairs of columns. rows: 1 .. 10000000 (NULL: about as many as there are, which is part of the answer). epsilon: loss of the whole answer at dp_agg.delta, however many rows (NULL: dp_agg.epsilon); Gaussian noise and the exponential mechanism, whatever dp_agg.mechanism says. filter: one condition. Source: doc/accounting.md, after McKenna, Miklau, Sheldon 2021. Errors: 22023 wrong argument, 42804 a list of columns that does not fit, 42703 no such column, 0A000 not allowed, 53400 budget exhausted';

--
-- release: what the rewriter puts into statements and exact queries
--
CREATE FUNCTION dp_agg_internal.release(internal)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_tree_release_function' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_agg_internal.release(internal) IS
'internal: stands for a release in a statement until it is planned. Not callable from SQL';

CREATE FUNCTION dp_agg_internal.detoasted(anyelement)
RETURNS anyelement AS 'MODULE_PATHNAME', 'dp_exact_detoasted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.detoasted(anyelement) IS
'internal: its argument with nothing of it in a TOAST table, null if it is longer than half a megabyte, under a running release; an error anywhere else';

CREATE FUNCTION dp_agg_internal.sample_key()
RETURNS bytea AS 'MODULE_PATHNAME', 'dp_exact_sample_key' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_agg_internal.sample_key() IS
'128 random bits, which choose the units of a sample';

CREATE FUNCTION dp_agg_internal.sampled("any", bytea, bigint)
RETURNS boolean AS 'MODULE_PATHNAME', 'dp_exact_sampled' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.sampled("any", bytea, bigint) IS
'is this unit in the sample that a key chooses? The last argument is the probability of that times 2^64, as unsigned bits. Errors: 22023 key of another length';

CREATE FUNCTION dp_agg_internal.random_priority()
RETURNS bigint AS 'MODULE_PATHNAME', 'dp_exact_random_priority' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_agg_internal.random_priority() IS
'internal: 64 random bits of the private generator, for choosing which groups a unit keeps';

CREATE FUNCTION dp_agg_internal.refuse_bytea(internal)
RETURNS bytea AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C PARALLEL SAFE;
CREATE AGGREGATE dp_agg_internal.over_units(unit "any", value "any", ask bytea) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bytea, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.over_units("any", "any", bytea) IS
'internal: exact totals of what units contribute, computed by a plan node of its own; an error anywhere else';
CREATE AGGREGATE dp_agg_internal.pair_tables(cells integer[], epsilon double precision) (
	SFUNC = dp_agg_internal.refuse, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bytea);
COMMENT ON AGGREGATE dp_agg_internal.pair_tables(integer[], double precision) IS
'internal: the two-way tables that dp_synthesize makes rows of; what it generates calls it, and nothing else may';

CREATE FUNCTION dp_agg_internal.canonical(real)
RETURNS real AS 'MODULE_PATHNAME', 'dp_exact_canonical_float4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.canonical(double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_exact_canonical_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg_internal.canonical(interval)
RETURNS interval AS 'MODULE_PATHNAME', 'dp_exact_canonical_interval' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.canonical(real) IS
'internal: the number with one form of zero and NaN, so that equal group keys are identical';
COMMENT ON FUNCTION dp_agg_internal.canonical(double precision) IS
'internal: the number with one form of zero and NaN, so that equal group keys are identical';
COMMENT ON FUNCTION dp_agg_internal.canonical(interval) IS
'internal: the interval in days and a time, so that equal group keys are identical';

CREATE FUNCTION dp_agg_internal.packed(VARIADIC "any")
RETURNS bytea AS 'MODULE_PATHNAME', 'dp_exact_packed' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.packed("any") IS
'internal: values in one, equal where all of them are; null beside null is equal, too';
CREATE FUNCTION dp_agg_internal.elements(value anyarray, keep boolean, most bigint)
RETURNS SETOF anyelement AS 'MODULE_PATHNAME', 'dp_exact_elements' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION dp_agg_internal.elements(anyarray, boolean, bigint) IS
'internal: the elements of an array, the first ones if there are more than most; with keep, null where there is none';

CREATE FUNCTION dp_agg.bucket(smallint, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_asking_bucket_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(integer, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_asking_bucket_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(bigint, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_asking_bucket_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(real, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_asking_bucket_float4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(double precision, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_asking_bucket_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(numeric, lower double precision, upper double precision, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_asking_bucket_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(date, lower date, upper date, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_asking_bucket_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket_edge(lower date, upper date, bins integer, edge integer)
RETURNS date AS 'MODULE_PATHNAME', 'dp_asking_edge_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(timestamp without time zone, lower timestamp without time zone, upper timestamp without time zone, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_asking_bucket_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket_edge(lower timestamp without time zone, upper timestamp without time zone, bins integer, edge integer)
RETURNS timestamp without time zone AS 'MODULE_PATHNAME', 'dp_asking_edge_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket(timestamp with time zone, lower timestamp with time zone, upper timestamp with time zone, bins integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_asking_bucket_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.bucket_edge(lower timestamp with time zone, upper timestamp with time zone, bins integer, edge integer)
RETURNS timestamp with time zone AS 'MODULE_PATHNAME', 'dp_asking_edge_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dp_agg.place(anyelement, candidates anyarray)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_asking_place' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg.place(anyelement, anyarray) IS
'the place of a value among constant candidates, a public group key: every place is answered; null if it is none of them. Errors: 22004 a candidate is null, 22023 two are equal';

CREATE FUNCTION dp_agg_internal.synthetic_cell("row" bytea, place integer)
RETURNS integer AS 'MODULE_PATHNAME', 'dp_asking_synthetic_cell' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.synthetic_cell(bytea, integer) IS
'internal: the number of a key in a synthetic row; null for none. Errors: 22023 malformed row';
CREATE FUNCTION dp_agg_internal.synthetic_value("row" bytea, place integer, lower double precision, upper double precision, bins integer, whole boolean)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_asking_synthetic_number' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.synthetic_value(bytea, integer, double precision, double precision, integer, boolean) IS
'internal: a value in the bin that a synthetic row says; null for none. Errors: 22023 malformed row';
CREATE FUNCTION dp_agg_internal.synthetic_value("row" bytea, place integer, lower date, upper date, bins integer)
RETURNS date AS 'MODULE_PATHNAME', 'dp_asking_synthetic_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.synthetic_value(bytea, integer, date, date, integer) IS
'internal: a value in the bin that a synthetic row says; null for none. Errors: 22023 malformed row';
CREATE FUNCTION dp_agg_internal.synthetic_value("row" bytea, place integer, lower timestamp without time zone, upper timestamp without time zone, bins integer)
RETURNS timestamp without time zone AS 'MODULE_PATHNAME', 'dp_asking_synthetic_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.synthetic_value(bytea, integer, timestamp without time zone, timestamp without time zone, integer) IS
'internal: a value in the bin that a synthetic row says; null for none. Errors: 22023 malformed row';
CREATE FUNCTION dp_agg_internal.synthetic_value("row" bytea, place integer, lower timestamp with time zone, upper timestamp with time zone, bins integer)
RETURNS timestamp with time zone AS 'MODULE_PATHNAME', 'dp_asking_synthetic_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.synthetic_value(bytea, integer, timestamp with time zone, timestamp with time zone, integer) IS
'internal: a value in the bin that a synthetic row says; null for none. Errors: 22023 malformed row';

CREATE FUNCTION dp_agg_internal.consistent_counts(counts bigint[], bins integer, branching integer)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'dp_asking_consistent_counts' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.consistent_counts(bigint[], integer, integer) IS
'least-squares estimates of the counts of bins, from noisy counts of equal variance of all nodes of a tree over them, level by level, the root first. Source: Hay, Rastogi, Miklau, Suciu 2010. Errors: 22023 not the counts of such a tree';

--
-- models: coordinates of rows, their exact totals, and what follows from noisy ones
--
CREATE FUNCTION dp_agg_internal.coordinate(smallint, lower double precision, steps double precision) RETURNS integer
	AS 'MODULE_PATHNAME', 'dp_aggregate_coordinate_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.coordinate(smallint, double precision, double precision) IS
	'how many steps a value lies above a lower bound, so many to a unit, less 16384; from -16384 to 16384, beyond which it is at one; NULL for NaN';
CREATE FUNCTION dp_agg_internal.coordinate(integer, lower double precision, steps double precision) RETURNS integer
	AS 'MODULE_PATHNAME', 'dp_aggregate_coordinate_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.coordinate(integer, double precision, double precision) IS
	'how many steps a value lies above a lower bound, so many to a unit, less 16384; from -16384 to 16384, beyond which it is at one; NULL for NaN';
CREATE FUNCTION dp_agg_internal.coordinate(bigint, lower double precision, steps double precision) RETURNS integer
	AS 'MODULE_PATHNAME', 'dp_aggregate_coordinate_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.coordinate(bigint, double precision, double precision) IS
	'how many steps a value lies above a lower bound, so many to a unit, less 16384; from -16384 to 16384, beyond which it is at one; NULL for NaN';
CREATE FUNCTION dp_agg_internal.coordinate(numeric, lower double precision, steps double precision) RETURNS integer
	AS 'MODULE_PATHNAME', 'dp_aggregate_coordinate_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.coordinate(numeric, double precision, double precision) IS
	'how many steps a value lies above a lower bound, so many to a unit, less 16384; from -16384 to 16384, beyond which it is at one; NULL for NaN';
CREATE FUNCTION dp_agg_internal.coordinate(real, lower double precision, steps double precision) RETURNS integer
	AS 'MODULE_PATHNAME', 'dp_aggregate_coordinate_float4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.coordinate(real, double precision, double precision) IS
	'how many steps a value lies above a lower bound, so many to a unit, less 16384; from -16384 to 16384, beyond which it is at one; NULL for NaN';
CREATE FUNCTION dp_agg_internal.coordinate(double precision, lower double precision, steps double precision) RETURNS integer
	AS 'MODULE_PATHNAME', 'dp_aggregate_coordinate_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.coordinate(double precision, double precision, double precision) IS
	'how many steps a value lies above a lower bound, so many to a unit, less 16384; from -16384 to 16384, beyond which it is at one; NULL for NaN';
CREATE FUNCTION dp_agg_internal.coordinate(date, lower double precision, steps double precision) RETURNS integer
	AS 'MODULE_PATHNAME', 'dp_aggregate_coordinate_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.coordinate(date, double precision, double precision) IS
	'how many steps a value lies above a lower bound, so many to a unit, less 16384; from -16384 to 16384, beyond which it is at one; NULL for NaN';
CREATE FUNCTION dp_agg_internal.coordinate(time without time zone, lower double precision, steps double precision) RETURNS integer
	AS 'MODULE_PATHNAME', 'dp_aggregate_coordinate_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.coordinate(time without time zone, double precision, double precision) IS
	'how many steps a value lies above a lower bound, so many to a unit, less 16384; from -16384 to 16384, beyond which it is at one; NULL for NaN';
CREATE FUNCTION dp_agg_internal.coordinate(timestamp without time zone, lower double precision, steps double precision) RETURNS integer
	AS 'MODULE_PATHNAME', 'dp_aggregate_coordinate_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.coordinate(timestamp without time zone, double precision, double precision) IS
	'how many steps a value lies above a lower bound, so many to a unit, less 16384; from -16384 to 16384, beyond which it is at one; NULL for NaN';
CREATE FUNCTION dp_agg_internal.coordinate(timestamp with time zone, lower double precision, steps double precision) RETURNS integer
	AS 'MODULE_PATHNAME', 'dp_aggregate_coordinate_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.coordinate(timestamp with time zone, double precision, double precision) IS
	'how many steps a value lies above a lower bound, so many to a unit, less 16384; from -16384 to 16384, beyond which it is at one; NULL for NaN';
CREATE FUNCTION dp_agg_internal.coordinate(boolean) RETURNS integer
	AS 'MODULE_PATHNAME', 'dp_aggregate_coordinate_boolean' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.coordinate(boolean) IS '-16384 for false, 16384 for true';

CREATE FUNCTION dp_agg_internal.add_model(internal, spec bytea, "rows" bigint, VARIADIC "any") RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_model' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_model(internal, bytea, bigint, "any") IS
	'transition: add a row to the sums of products of coordinates';
CREATE FUNCTION dp_agg_internal.model_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_model_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.model_combine(internal, internal) IS
	'combine: add the second state over coordinates into the first';
CREATE FUNCTION dp_agg_internal.model_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_model_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.model_serialize(internal) IS
	'serialize a state over coordinates';
CREATE FUNCTION dp_agg_internal.model_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_model_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.model_deserialize(bytea, internal) IS
	'deserialize a state over coordinates; 22023 for what is none';
CREATE FUNCTION dp_agg_internal.exact_model_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_model' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.exact_model_final(internal) IS
	'result: the totals of products of coordinates';
CREATE AGGREGATE dp_agg_internal.exact_model(spec bytea, "rows" bigint, VARIADIC "any") (
	SFUNC = dp_agg_internal.add_model, STYPE = internal, SSPACE = 4096, FINALFUNC = dp_agg_internal.exact_model_final,
	COMBINEFUNC = dp_agg_internal.model_combine, SERIALFUNC = dp_agg_internal.model_serialize,
	DESERIALFUNC = dp_agg_internal.model_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_model(bytea, bigint, "any") IS
	'exact totals of products of coordinates, a number for each block, over rows whose unit has so many; rows with NULL are skipped; 22023 for another specification or other types';

CREATE FUNCTION dp_agg_internal.model_row(spec bytea, "rows" bigint, VARIADIC "any") RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_exact_model_row' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.model_row(bytea, bigint, "any") IS
	'a row, whose unit has so many and which has a number for each block, as passes of a model keep it; NULL for rows with NULL; 22023 for another specification or other types';

CREATE FUNCTION dp_agg_internal.refuse_model(internal, bytea, double precision, VARIADIC "any")
RETURNS internal AS 'MODULE_PATHNAME', 'dp_statement_refuse' LANGUAGE C PARALLEL SAFE;
CREATE AGGREGATE dp_agg_internal.model(spec bytea, epsilon double precision, VARIADIC "any") (
	SFUNC = dp_agg_internal.refuse_model, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bytea, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.model(bytea, double precision, "any") IS
	'internal: a model in the query that dp_linregr, dp_logregr or dp_svm stands for. Not callable from SQL';

-- Losses of models: what these are comes as a bytea holding a DpLossSpec (src/aggregate/loss_spec.h).
CREATE FUNCTION dp_agg_internal.target(y "any", unit double precision) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dp_aggregate_target' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.target("any", double precision) IS
	'a number in units of 2^-34 of a unit, from -2^51 to 2^51, beyond which it is at one; 1 or -1 of a boolean; NULL for NaN, 22023 for other types';
CREATE FUNCTION dp_agg_internal.add_losses(internal, bytea, bigint, bigint, VARIADIC "any") RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_add_losses' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.add_losses(internal, bytea, bigint, bigint, "any") IS
	'transition: add what each model loses on a row; 22023 for malformed models';
CREATE FUNCTION dp_agg_internal.losses_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_losses_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.losses_combine(internal, internal) IS
	'add two states of losses';
CREATE FUNCTION dp_agg_internal.losses_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_losses_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.losses_serialize(internal) IS
	'serialize a state of losses';
CREATE FUNCTION dp_agg_internal.losses_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_aggregate_losses_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.losses_deserialize(bytea, internal) IS
	'deserialize a state of losses; 22023 for what is none';
CREATE FUNCTION dp_agg_internal.exact_losses_final(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_exact_losses' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.exact_losses_final(internal) IS
	'result: the totals of losses of all models';
CREATE AGGREGATE dp_agg_internal.exact_losses(spec bytea, "rows" bigint, y bigint, VARIADIC "any") (
	SFUNC = dp_agg_internal.add_losses, STYPE = internal, SSPACE = 1048576, FINALFUNC = dp_agg_internal.exact_losses_final,
	COMBINEFUNC = dp_agg_internal.losses_combine, SERIALFUNC = dp_agg_internal.losses_serialize,
	DESERIALFUNC = dp_agg_internal.losses_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE dp_agg_internal.exact_losses(bytea, bigint, bigint, "any") IS
	'exact totals of what each of many models loses on rows whose unit has so many, which have a number for each column; rows with NULL add nothing; 22023 for malformed models or other types';
CREATE AGGREGATE dp_agg_internal.losses(spec bytea, epsilon double precision, VARIADIC "any") (
	SFUNC = dp_agg_internal.refuse_model, STYPE = internal, FINALFUNC = dp_agg_internal.refuse_bigint);
COMMENT ON AGGREGATE dp_agg_internal.losses(bytea, double precision, "any") IS
	'internal: what dp_select_model adds up of models. Not callable from SQL';

CREATE FUNCTION dp_agg_internal.released_model(totals bytea, about bytea) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_aggregate_released_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.released_model(bytea, bytea) IS
	'a model as it is released, of its noisy totals; 22023 for malformed totals';
CREATE FUNCTION dp_agg_internal.linear_fit(model bytea, terms text[], scale double precision[], OUT term text,
	OUT coef double precision, OUT std_err double precision, OUT t_stat double precision,
	OUT p_value double precision, OUT lower double precision, OUT upper double precision,
	OUT shrunk boolean, OUT covariance double precision[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_aggregate_linear_fit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION dp_agg_internal.linear_fit(bytea, text[], double precision[]) IS
	'the rows of dp_linregr from a released model, names of its terms, and middle and half width of their columns; 22023 for what is none';
CREATE FUNCTION dp_agg_internal.logistic_fit(model bytea, terms text[], scale double precision[], OUT term text,
	OUT coef double precision, OUT std_err double precision, OUT z_stat double precision,
	OUT p_value double precision, OUT covariance double precision[])
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_aggregate_logistic_fit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION dp_agg_internal.logistic_fit(bytea, text[], double precision[]) IS
	'the same of dp_logregr; 22023 for what is none';
CREATE FUNCTION dp_agg_internal.svm_fit(model bytea, terms text[], scale double precision[], OUT term text,
	OUT coef double precision)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_aggregate_svm_fit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION dp_agg_internal.svm_fit(bytea, text[], double precision[]) IS
	'the same of dp_svm; 22023 for what is none';

--
-- policy: which tables are protected
--

CREATE FUNCTION dp_agg.protect(relation regclass, unit name, dataset text DEFAULT '',
							   max_rows int DEFAULT 1, max_groups int DEFAULT 1,
							   max_values int DEFAULT 0, max_join_rows int DEFAULT 100,
							   clip_max_rows int DEFAULT 100000, through regclass DEFAULT '-')
RETURNS void AS 'MODULE_PATHNAME', 'dp_policy_protect'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION dp_agg.protect(regclass, name, text, int, int, int, int, int, regclass) FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.protect(regclass, name, text, int, int, int, int, int, regclass) IS
'declare the column that identifies a table''s privacy units, the data set it belongs to (''default'' if empty), the most rows of a unit that count in a group, the most groups a unit counts in, the most distinct values of a unit that count in a group (max_values; 0: as many as rows), the most rows that a join makes of one (max_join_rows, 1 .. 100000), and the greatest number of rows of a unit in a group that automatic clipping (dp_agg.clipping) thinks of (clip_max_rows, 1 .. 1000000000); replaces what was declared before
through: -, which is none, or a protected table for a table without a privacy unit of its own: a row belongs to the unit, and the table to the data set, of the row of "through" that it refers to. unit is then a column of the foreign key, of which all columns are NOT NULL and which is validated; the table''s owner owns "through" too or has SELECT on it. "through" may be linked itself. The foreign key is looked up for every query: rows without a parent do not count, and if it is gone, not enforced or ambiguous nothing is answered
Owner only. Errors: 42501 not the owner; 42703 no such column; 42804 unsuitable column; 42809 not an ordinary or partitioned table, or part of an inheritance tree; 22004 an argument is null; 22023 bad data set name or bounds, or another data set than that of "through"; 55000 no such foreign key';

CREATE FUNCTION dp_agg.unprotect(relation regclass)
RETURNS void AS 'MODULE_PATHNAME', 'dp_policy_unprotect'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION dp_agg.unprotect(regclass) FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.unprotect(regclass) IS
'withdraw a table from differentially private queries at once, cached plans included. Owner only. Errors: 42501 not the owner; 42704 not protected';

CREATE FUNCTION dp_agg.protect_like(relation regclass, model regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	policy record;
	declared record;
BEGIN
	IF relation IS NULL OR model IS NULL THEN
		RAISE invalid_parameter_value USING MESSAGE = 'relation and model must not be null';
	END IF;
	SELECT t.* INTO policy FROM dp_agg.protected_tables t WHERE t.relation = model;
	IF NOT FOUND THEN
		RAISE undefined_object USING MESSAGE = format('"%s" is not protected', model);
	END IF;
	IF policy.through::oid = 0 THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = format('no foreign key leads from "%s" to a privacy unit any more', model);
	END IF;
	PERFORM dp_agg.protect(relation, policy.unit, CASE WHEN policy.through IS NULL THEN policy.dataset ELSE '' END, policy.max_rows, policy.max_groups,
		CASE WHEN policy.max_values <> policy.max_rows THEN policy.max_values ELSE 0 END, policy.max_join_rows, policy.clip_max_rows,
		coalesce(policy.through, '-'::regclass));
	FOR declared IN
		SELECT a.attname, l.label FROM pg_seclabel l JOIN pg_attribute a ON a.attrelid = l.objoid AND a.attnum = l.objsubid
		WHERE l.provider = 'dp_agg_domain' AND l.classoid = 'pg_class'::regclass AND l.objoid = model
	LOOP
		EXECUTE format('SECURITY LABEL FOR dp_agg_domain ON COLUMN %s.%I IS %L', dp_agg_internal.name_of(relation), declared.attname, declared.label);
	END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION dp_agg.protect_like(regclass, regclass) FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.protect_like(regclass, regclass) IS
'declare of a table all that is declared of a protected one, the model: unit, data set and bounds, and the domains of its columns and which are hidden; for a table that will take its place. The columns have the names and types of the model''s. What was declared of other columns before stays. Owner only, with EXECUTE on dp_agg.protect. Errors: 42501 not the owner; 42703 no such column; 42704 the model is not protected; others as of dp_agg.protect and set_domain';

CREATE FUNCTION dp_agg_internal.policy_fields(label text,
									 OUT dataset text, OUT max_rows int, OUT max_groups int, OUT max_values int,
									 OUT max_join_rows int, OUT linked boolean, OUT clip_max_rows int)
AS 'MODULE_PATHNAME', 'dp_policy_policy_fields'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.policy_fields(text) IS
'what a security label of provider dp_agg says; null if it is malformed';

CREATE FUNCTION dp_agg.set_domain(relation regclass, col name, lower "any", upper "any")
RETURNS void AS 'MODULE_PATHNAME', 'dp_policy_set_domain_range'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_agg.set_domain(regclass, name, "any", "any") IS
'declare for everybody between which bounds the values of a column mean something: a number, date or time. Bounds that aggregates leave out follow from it; values beyond count as the bound. Public, kept as a security label, and never read off the data. Owner only. Errors: 42501 not the owner; 42703 no such column; 42804 no such type; 42809 not a table; 55000 hidden; 22023 bad bounds; others that the type has for them';

CREATE FUNCTION dp_agg.set_domain(relation regclass, col name, keys anyarray)
RETURNS void AS 'MODULE_PATHNAME', 'dp_policy_set_domain_keys'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_agg.set_domain(regclass, name, anyarray) IS
'declare for everybody which values a column of categories has, 1 to 10000. Groups by it are these: each is answered, without a threshold, and rows of other values are in none. Public, kept as a security label, and never read off the data. Owner only. Errors: 42501 not the owner; 42703 no such column; 42804 no such type; 42809 not a table; 55000 hidden; 22023 bad keys; others that the type has for them';

CREATE FUNCTION dp_agg.set_domain(relation regclass, col name, refers_to text)
RETURNS void AS 'MODULE_PATHNAME', 'dp_policy_set_domain_reference'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_agg.set_domain(regclass, name, text) IS
'declare for everybody that the values of a column are those of a unique column of a public table, table.column, of the same type. Groups by it alone are these, as if the query had right-joined that table, on which it needs the SELECT right. Read when a query is answered, by that name. Owner only. Errors: 42501 not the owner; 42P01, 42703 no such table, column; 42804 other types; 42809 not a table; 55000 hidden, protected or not unique; 22023 no column''s name';

CREATE FUNCTION dp_agg.drop_domain(relation regclass, col name)
RETURNS void AS 'MODULE_PATHNAME', 'dp_policy_drop_domain'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_agg.drop_domain(regclass, name) IS
'withdraw what dp_agg.set_domain declared of a column. Owner only. Errors: 42501 not the owner; 42703 no such column; 42704 no domain';

CREATE FUNCTION dp_agg.hide_column(relation regclass, col name, hidden boolean DEFAULT true)
RETURNS void AS 'MODULE_PATHNAME', 'dp_policy_hide_column'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_agg.hide_column(regclass, name, boolean) IS
'close a column: no differentially private query may mention it (42501). Its domain is dropped. hidden => false: open it again. Owner only. Errors: 42501 not the owner; 42703 no such column; 42704 not hidden; 42809 not a table';

CREATE VIEW dp_agg.protected_tables AS
	SELECT l.objoid::pg_catalog.regclass AS relation, a.attname AS unit,
		   f.dataset, f.max_rows, f.max_groups,
		   CASE WHEN f.linked THEN coalesce((SELECT min(k.confrelid) FROM pg_catalog.pg_constraint k
				WHERE k.conrelid = l.objoid AND k.contype = 'f' AND k.conparentid = 0 AND l.objsubid = ANY (k.conkey)
			   HAVING count(*) = 1 AND bool_and(k.convalidated AND EXISTS (SELECT FROM pg_catalog.pg_seclabel p
					WHERE p.objoid = k.confrelid AND p.classoid = l.classoid AND p.provider = l.provider))), 0) END::pg_catalog.regclass AS through,
		   f.max_values, f.max_join_rows, f.clip_max_rows
	FROM pg_catalog.pg_seclabel l
	JOIN pg_catalog.pg_attribute a ON a.attrelid = l.objoid AND a.attnum = l.objsubid,
	LATERAL dp_agg_internal.policy_fields(l.label) f
	WHERE l.provider = 'dp_agg' AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass;
GRANT SELECT ON dp_agg.protected_tables TO PUBLIC;
COMMENT ON VIEW dp_agg.protected_tables IS
'tables that may be queried with differential privacy, as declared by dp_agg.protect';
COMMENT ON COLUMN dp_agg.protected_tables.relation IS 'the table; a partitioned table stands for all its partitions';
COMMENT ON COLUMN dp_agg.protected_tables.unit IS 'column that identifies the privacy unit, or where "through" is not null a column of the foreign key that leads to it';
COMMENT ON COLUMN dp_agg.protected_tables.dataset IS 'data set whose budgets pay for queries';
COMMENT ON COLUMN dp_agg.protected_tables.max_rows IS 'most rows of a unit that count in a group';
COMMENT ON COLUMN dp_agg.protected_tables.max_groups IS 'most groups a unit counts in';
COMMENT ON COLUMN dp_agg.protected_tables.through IS 'protected table to whose rows the foreign key refers, if the table has no privacy unit of its own; - if no foreign key leads to one any more';
COMMENT ON COLUMN dp_agg.protected_tables.max_values IS 'most distinct values of a unit that count in a group, of aggregates with DISTINCT';
COMMENT ON COLUMN dp_agg.protected_tables.max_join_rows IS 'most rows that a join makes of one of the table';
COMMENT ON COLUMN dp_agg.protected_tables.clip_max_rows IS 'greatest number of rows of a unit in a group that automatic clipping thinks of';

CREATE VIEW dp_agg.protected_columns AS
	SELECT t.relation, a.attname AS "column", pg_catalog.format_type(a.atttypid, a.atttypmod) AS type,
		   (regexp_match(d.label, '^lower="(.*)" upper="'))[1] AS lower,
		   (regexp_match(d.label, '" upper="(.*)"$'))[1] AS upper,
		   CASE WHEN d.label LIKE 'keys=%' THEN substr(d.label, 6)::text[] END AS keys,
		   (regexp_match(d.label, '^refers_to=(.*)$'))[1] AS refers_to,
		   coalesce(d.label = 'hidden', false) AS hidden,
		   a.attname = t.unit AS is_unit
	FROM dp_agg.protected_tables t
	JOIN pg_catalog.pg_attribute a ON a.attrelid = t.relation::oid AND a.attnum > 0 AND NOT a.attisdropped
	LEFT JOIN pg_catalog.pg_seclabel d ON d.objoid = a.attrelid AND d.objsubid = a.attnum::int4
		AND d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass::oid AND d.provider = 'dp_agg_domain';
GRANT SELECT ON dp_agg.protected_columns TO PUBLIC;
COMMENT ON VIEW dp_agg.protected_columns IS
'columns of the tables that may be queried with differential privacy, and what their owners declare of them';
COMMENT ON COLUMN dp_agg.protected_columns.relation IS 'the protected table';
COMMENT ON COLUMN dp_agg.protected_columns."column" IS 'one of its columns';
COMMENT ON COLUMN dp_agg.protected_columns.type IS 'the column''s type';
COMMENT ON COLUMN dp_agg.protected_columns.lower IS 'least value that it may have, as declared by dp_agg.set_domain; values below count as this one';
COMMENT ON COLUMN dp_agg.protected_columns.upper IS 'greatest value, likewise';
COMMENT ON COLUMN dp_agg.protected_columns.keys IS 'values that groups by it are of, as declared by dp_agg.set_domain';
COMMENT ON COLUMN dp_agg.protected_columns.refers_to IS 'the column of a public table whose values these are, likewise';
COMMENT ON COLUMN dp_agg.protected_columns.hidden IS 'whether queries may not mention it: see dp_agg.hide_column';
COMMENT ON COLUMN dp_agg.protected_columns.is_unit IS 'whether it identifies the privacy unit, or leads to it';

CREATE FUNCTION dp_agg.publish(relation regclass, view text, columns name[] DEFAULT NULL) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	shown record;
	name text[] := parse_ident(view);
	source text;
	created text;
	problem record;
BEGIN
	IF relation IS NULL OR view IS NULL THEN
		RAISE invalid_parameter_value USING MESSAGE = 'relation and view must not be null';
	END IF;
	IF NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = relation AND pg_has_role(c.relowner, 'USAGE')) THEN
		RAISE insufficient_privilege USING MESSAGE = format('must be owner of table %s', relation);
	END IF;
	IF NOT EXISTS (SELECT FROM dp_agg.protected_tables t WHERE t.relation = publish.relation) THEN
		RAISE undefined_object USING MESSAGE = format('"%s" is not protected', relation);
	END IF;
	SELECT u.column, c.hidden INTO problem FROM unnest(columns) u ("column")
		LEFT JOIN dp_agg.protected_columns c ON c.relation = publish.relation AND c.column = u.column
		WHERE c.hidden IS NOT FALSE LIMIT 1;
	IF problem.hidden THEN
		RAISE insufficient_privilege USING MESSAGE = format('column "%s" is hidden', problem.column);
	ELSIF FOUND THEN
		PERFORM dp_agg_internal.missing_column(relation, problem.column);
		RAISE undefined_column USING MESSAGE = format('column "%s" of relation "%s" does not exist', problem.column, relation);
	END IF;
	IF array_length(name, 1) > 2 OR columns = '{}' THEN
		RAISE invalid_parameter_value USING MESSAGE = 'a view has a name, of a schema or not, and columns';
	END IF;
	IF array_length(name, 1) = 1 THEN
		name := ARRAY[(SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = relation)] || name;
	END IF;
	SELECT string_agg(format('%I', c.column), ', ' ORDER BY array_position(columns, c.column), a.attnum) INTO source
		FROM dp_agg.protected_columns c JOIN pg_attribute a ON a.attrelid = c.relation AND a.attname = c.column
		WHERE c.relation = publish.relation AND NOT c.hidden AND (columns IS NULL OR c.column = ANY (columns));
	created := format('%I.%I', name[1], name[2]);
	EXECUTE format('CREATE VIEW %s WITH (security_invoker = true) AS SELECT %s FROM %s', created, source, dp_agg_internal.name_of(relation));
	EXECUTE format('COMMENT ON VIEW %s IS %L', created, 'columns of a protected table: ask for aggregates of them');
	EXECUTE format('GRANT SELECT ON %s TO PUBLIC', created);
	RETURN created::regclass;
END $$;
COMMENT ON FUNCTION dp_agg.publish(regclass, text, name[]) IS
'make a view of a protected table''s columns, by default all that are not hidden, which everybody may select from and see in information_schema, but read rows of only with the right to the table itself (security_invoker): for tools that show no table without a privilege. view: its name, in the table''s schema unless qualified. Aggregates of it are those of the table. Drop the view to withdraw it. Owner only. Errors: 42501 not the owner, or a hidden column; 42703 no such column; 42704 not protected; 22023 bad name or no columns; those of CREATE VIEW';

--
-- partial functions: what the validator puts around them
--

-- SQL has no values of type internal, so that only plans can call it.
CREATE FUNCTION dp_agg_internal.attempt(internal, VARIADIC "any")
RETURNS internal AS 'MODULE_PATHNAME', 'dp_expression_attempt'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.attempt(internal, "any") IS
'below a release: a built-in function of these arguments, null where it raises an error of class 22 or 0A000. Not callable from SQL';

CREATE FUNCTION dp_agg_internal.attempt_as(result anyelement, function regprocedure, VARIADIC arguments "any")
RETURNS anyelement AS 'MODULE_PATHNAME', 'dp_expression_attempt_as'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.attempt_as(anyelement, regprocedure, "any") IS
	'a built-in, immutable function (constant) of these arguments, null where it raises an error of class 22 or 0A000, or an argument is null; result: a value of the type it returns, ignored. What other servers are asked for in place of functions that can fail. Errors: 42883 not such a function, or not of these types';

-- Of no use to anybody else, but harmless: what other servers are asked for names it.
CREATE FUNCTION dp_agg_internal.at_most(value anyelement, size integer)
RETURNS anyelement AS 'MODULE_PATHNAME', 'dp_expression_at_most'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.at_most(anyelement, integer) IS
'a value of variable length, null if it has more bytes than size, uncompressed and with its header; what limits how much work a row makes below a release. Errors: 42804 not of variable length';

--
-- planning and looking back: price, last_release, and details of both
--
CREATE FUNCTION dp_agg.price(query text, rows double precision DEFAULT 1000, OUT aggregate text, OUT mechanism text,
	OUT epsilon double precision, OUT delta double precision, OUT noise_stddev double precision,
	OUT half_width_95 double precision, OUT epsilon_spent_after double precision,
	OUT admitted boolean, OUT kept text, OUT max_rows integer, OUT max_groups integer,
	OUT at_rows double precision, OUT rows_as_of timestamptz)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_price' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION dp_agg.price(text, double precision) IS
'what a statement would cost the current role and how noisy its answers would be; charges nothing and reads no data. epsilon: of quantiles that share a price, an even part of it. noise_stddev, half_width_95: noise alone, not what bounds cut; of a mean, variance, covariance, correlation or line they are, at most, those of so many rows, 1 or more, in at_rows, which is null of others. max_rows, max_groups: how many rows of a unit count in a group (of DISTINCT: values) and in how many groups it counts, null where that does not matter
kept: says so if a kept answer would be shown at no cost (kept since TIME, no charge), or the sum of kept answers (added up from N groups kept since TIME, no charge), if the aggregate comes from another release (part of AGGREGATE), or if its answer is not going to be kept; else null
rows_as_of: on a standby, the time of the last transaction that it had replayed when the statement began; null on a primary, of kept answers, and for who may not call pg_last_xact_replay_timestamp
dp_agg.price_details shows where the noise comes from, a row for each of these in the same order';

CREATE FUNCTION dp_agg.price_details(query text, rows double precision DEFAULT 1000, OUT aggregate text, OUT sensitivity double precision,
	OUT threshold double precision, OUT clamp_epsilon double precision, OUT least_clamp double precision,
	OUT most_clamp double precision, OUT least_groups integer, OUT least_noise_stddev double precision)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_price_details' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION dp_agg.price_details(text, double precision) IS
'where the noise of a statement would come from, a row for each of dp_agg.price, in the same order; charges nothing and reads no data. sensitivity: what a unit changes of a group''s total at most, in the value''s unit; threshold: noisy number of units from which on a group is answered, null where none has to reach it
clamp_epsilon, least_clamp, most_clamp: null unless the clamp of a unit''s total is chosen (dp_agg.clipping = auto): the part of epsilon that the choice costs, and between which clamps it will be made; in last_release_details the one chosen for all groups, twice. noise_stddev and half_width_95 of dp_agg.price are those at the clamp chosen, null before that, and sensitivity is that clamp
least_groups, least_noise_stddev: null unless max_groups is chosen (likewise, groups of a unit): before that max_groups is the most that it may be, with noise_stddev, half_width_95 and threshold for that, and these are the least that it may be and the noise then; once answered max_groups is the one chosen, and least_groups the same. The release called groups of a unit is what chooses it, its noise that of numbers of units';

CREATE FUNCTION dp_agg.last_release(rows double precision DEFAULT 1000, OUT aggregate text, OUT mechanism text,
	OUT epsilon double precision, OUT delta double precision, OUT noise_stddev double precision,
	OUT half_width_95 double precision, OUT epsilon_spent_after double precision,
	OUT admitted boolean, OUT kept text, OUT max_rows integer, OUT max_groups integer,
	OUT at_rows double precision, OUT rows_as_of timestamptz)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_last_release_sql' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION dp_agg.last_release(double precision) IS
'price and noise of this session''s last answered statement, as dp_agg.price shows them';

CREATE FUNCTION dp_agg.last_release_details(rows double precision DEFAULT 1000, OUT aggregate text, OUT sensitivity double precision,
	OUT threshold double precision, OUT clamp_epsilon double precision, OUT least_clamp double precision,
	OUT most_clamp double precision, OUT least_groups integer, OUT least_noise_stddev double precision)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_statement_last_release_details' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION dp_agg.last_release_details(double precision) IS
'where the noise of this session''s last answered statement came from, as dp_agg.price_details shows it';

--
-- bounds: choosing them without guessing
--
-- One noisy histogram by powers of two, whose bins are public, asked through
-- the gate with the caller's rights and budget; what is made of its answer
-- uses nothing else.

CREATE FUNCTION dp_agg_internal.is_condition(filter text)
RETURNS boolean AS 'MODULE_PATHNAME', 'dp_tree_is_condition' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.is_condition(text) IS
'whether a text is one expression and nothing else, so that it may stand between parentheses; looks at its grammar alone. Errors: 42601 not SQL';

-- Noise alone reaches the threshold in any bin with a probability of 0.001 at
-- most.  P(noise >= t) is q^t / (1 + q) for Laplace, of variance 2 q / (1 - q)^2,
-- and at most exp(-t^2 / (2 variance)) for Gaussian noise, which is on a finer grid:
-- rounded to whole numbers it is half a unit more at most.
CREATE FUNCTION dp_agg_internal.occupied_bins(counts bigint[], mechanism text, noise_stddev double precision,
	OUT lowest integer, OUT highest integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
WITH noise AS (SELECT CASE WHEN noise_stddev < 1e-100 THEN 0 ELSE noise_stddev END ^ 2 AS variance, ln(0.001::float8 / greatest(cardinality(counts), 1)) AS chance),
ratio AS (SELECT *, variance / (variance + 1 + sqrt(2 * variance + 1)) AS q FROM noise),
threshold AS (SELECT greatest(1, ceil(CASE WHEN mechanism = 'gaussian' THEN noise_stddev * sqrt(-2 * chance) + 0.5
	WHEN q > 0 THEN (chance + ln(1 + q)) / ln(q) ELSE 1 END)) AS count FROM ratio),
occupied AS (SELECT c.bin, c.count::numeric FROM unnest(counts) WITH ORDINALITY c (count, bin), threshold WHERE c.count >= threshold.count),
mass AS (SELECT bin, sum(count) OVER (ORDER BY bin) AS up_to, sum(count) OVER (ORDER BY bin DESC) AS from_here,
	0.005 * sum(count) OVER () AS tail FROM occupied)
SELECT (min(bin) FILTER (WHERE up_to > tail))::integer, (max(bin) FILTER (WHERE from_here > tail))::integer FROM mass
$$;
COMMENT ON FUNCTION dp_agg_internal.occupied_bins(bigint[], text, double precision) IS
'the first and the last bin of a noisy histogram whose count is not noise, without 0.5 % of the count at each end; mechanism and noise_stddev as in dp_agg.last_release(). Null if there is none. Noise alone makes a bin count with a probability of 0.001 for the whole histogram';

CREATE FUNCTION dp_agg_internal.name_of(relation regclass) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	name text := (SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.oid = relation);
BEGIN
	IF name IS NOT NULL AND to_regclass(name) IS DISTINCT FROM relation THEN
		RAISE serialization_failure USING MESSAGE = format('another relation is called %s now', name), HINT = 'Try again.';
	END IF;
	RETURN name;
END $$;
COMMENT ON FUNCTION dp_agg_internal.name_of(regclass) IS
'the relation as it stands in SQL, with its schema; null if there is none. Errors: 40001 the transaction''s snapshot has a name for it that is another''s by now';

-- A linked table is joined with what it refers to, under names that do not hide
-- or double those of its own columns.
CREATE FUNCTION dp_agg_internal.rows_with_unit(relation regclass, OUT source text, OUT unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	here regclass := relation;
	depth integer := 0;
	named text;		-- format of a column as it is called here, of its name and number
	step record;
	key record;
	parent text;
BEGIN
	SELECT format('%s AS %I', dp_agg_internal.name_of(relation), c.relname), replace(format('%I.', c.relname), '%', '%%') || '%1$I' INTO source, named
		FROM pg_class c WHERE c.oid = relation;
	LOOP
		SELECT t.unit, a.attnum, t.through INTO step FROM dp_agg.protected_tables t
			JOIN pg_attribute a ON a.attrelid = t.relation AND a.attname = t.unit WHERE t.relation = here;
		IF NOT FOUND OR depth > 100 THEN
			source := NULL;
			RETURN;
		END IF;
		IF step.through IS NULL THEN
			unit := format(named, step.unit, step.attnum);
			RETURN;
		END IF;
		depth := depth + 1;
		SELECT k.conkey, k.confkey INTO key FROM pg_constraint k WHERE k.conrelid = here AND k.confrelid = step.through
			AND k.contype = 'f' AND k.conparentid = 0 AND step.attnum = ANY (k.conkey);
		SELECT format('(SELECT %s FROM %s)', string_agg(format('%I AS dp_%s_%s', a.attname, depth, a.attnum), ', '), dp_agg_internal.name_of(step.through))
			INTO parent FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
			WHERE c.oid = step.through AND (a.attnum = ANY (key.confkey)
				OR a.attname = (SELECT t.unit FROM dp_agg.protected_tables t WHERE t.relation = step.through)
				OR EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey)))
			GROUP BY c.oid;
		source := source || format(' JOIN %s dp_%s ON ', parent, depth) ||
			(SELECT string_agg(format('dp_%s.dp_%1$s_%s OPERATOR(pg_catalog.=) ', depth, p) || format(named, a.attname, a.attnum), ' AND ')
			 FROM unnest(key.conkey, key.confkey) u (c, p) JOIN pg_attribute a ON a.attrelid = here AND a.attnum = u.c);
		named := format('dp_%s.dp_%1$s_%%2$s', depth);
		here := step.through;
	END LOOP;
END $$;
COMMENT ON FUNCTION dp_agg_internal.rows_with_unit(regclass) IS
'a protected table as it stands in FROM, under its own name, joined with what it is linked to if it has no privacy unit of its own; and the column with the unit there. Null if it is not protected or a link leads nowhere';

CREATE FUNCTION dp_agg_internal.missing_column(relation regclass, col name) RETURNS void
LANGUAGE C STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_policy_missing_column';
COMMENT ON FUNCTION dp_agg_internal.missing_column(regclass, name) IS
'internal: error 42703 if a relation has no column of this name, with a hint of one that may be meant';

-- What a call asks about: its rows as they stand in FROM and WHERE, the column with
-- the unit there, and what the relation is called, to be looked at again afterwards.
CREATE FUNCTION dp_agg_internal.rows_asked(relation regclass, col name, filter text, OUT rows text, OUT unit text, OUT source text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	SELECT r.source, r.unit INTO source, unit FROM dp_agg_internal.rows_with_unit(relation) r;
	IF unit IS NULL OR source IS NULL THEN
		RAISE insufficient_privilege USING MESSAGE = format('table "%s" is not protected', relation),
			HINT = 'Name a table that dp_agg.protected_tables shows.';
	END IF;
	IF NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = relation AND NOT a.attisdropped AND a.attname = coalesce(col, a.attname)) THEN
		PERFORM dp_agg_internal.missing_column(relation, col);
		RAISE undefined_column USING MESSAGE = format('column "%s" of relation "%s" does not exist', col, relation);
	END IF;
	IF NOT dp_agg_internal.is_condition(coalesce(filter, 'true')) THEN
		RAISE invalid_parameter_value USING MESSAGE = 'filter must be one condition';
	END IF;
	rows := format(E'%s WHERE ((\n%s\n))', source, coalesce(filter, 'true'));
END $$;
COMMENT ON FUNCTION dp_agg_internal.rows_asked(regclass, name, text) IS
'internal: FROM and WHERE of what the suggest functions and measure_bounding ask, the column with the privacy unit there, and FROM alone. Errors: 42501 not protected, 42703 no such column, 22023 filter is not one condition';

CREATE FUNCTION dp_agg_internal.check_still_called(relation regclass, source text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF source IS DISTINCT FROM (SELECT r.source FROM dp_agg_internal.rows_with_unit(relation) r) THEN
		RAISE serialization_failure USING MESSAGE = format('table "%s" was renamed meanwhile', relation), HINT = 'Try again.';
	END IF;
END $$;
COMMENT ON FUNCTION dp_agg_internal.check_still_called(regclass, text) IS
'internal: raises 40001 if a protected table does not stand in FROM any more as it did';

-- value: an expression over the rows of the relation.  Bin 0
-- holds 0 and what is smaller than 2^finest; bin n > 0 holds
-- [2^(n - 1 + finest), 2^(n + finest)), the last one everything beyond; -n the
-- same below zero.  Logarithms are floats: a value within 1e-13 of its size below
-- a power of two counts as that power.
CREATE FUNCTION dp_agg_internal.magnitudes(relation regclass, col name, value text, finest integer,
	epsilon double precision, filter text, OUT lowest integer, OUT highest integer)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET dp_agg.noise_notice = off AS $$
DECLARE
	asked record;
	source text;
	loss text := coalesce(', ' || quote_literal(epsilon::text) || '::pg_catalog.float8', '');
	half integer := 64 - finest;
	counts bigint[];
BEGIN
	asked := dp_agg_internal.rows_asked(relation, col, filter);
	source := format('(SELECT %s AS value, %s AS unit FROM %s AND (%1$s) IS NOT NULL) s', value, asked.unit, asked.rows);
	EXECUTE format('SELECT pg_catalog.array_agg(b.count ORDER BY b.bin) FROM (SELECT dp_agg.bucket('
		'CASE WHEN abs(s.value) < %L::float8 THEN 0 '
		'WHEN s.value > 0 THEN floor(ln(s.value) * 1.4426950408889634 + %s.0000000000001) '
		'ELSE - floor(ln(- s.value) * 1.4426950408889634 + %2$s.0000000000001) END, %s, %s, %s) AS bin, '
		'dp_agg_internal.counted(DISTINCT s.unit%s) AS count FROM %s GROUP BY 1) b',
		2::float8 ^ finest, 1 - finest, - half - 0.5, half + 0.5, 2 * half + 1, loss, source)
		INTO counts;
	PERFORM dp_agg_internal.check_still_called(relation, asked.source);
	SELECT o.lowest - half - 1, o.highest - half - 1 INTO lowest, highest
		FROM dp_agg.last_release() r, dp_agg_internal.occupied_bins(counts, r.mechanism, r.noise_stddev) o;
END $$;
COMMENT ON FUNCTION dp_agg_internal.magnitudes(regclass, name, text, integer, double precision, text) IS
'what suggest_bounds asks: the least and the greatest power of two among values of rows, signed, 1 being 2^finest, 0 being zero; null if there are not enough; one statement, charged to the caller, who needs no right but a budget';

CREATE FUNCTION dp_agg_internal.table_of(relation regclass) RETURNS regclass
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT coalesce((SELECT min(t.relation::oid)::regclass FROM pg_rewrite w
		JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
		JOIN dp_agg.protected_tables t ON t.relation = d.refobjid
		WHERE w.ev_class = table_of.relation HAVING count(DISTINCT t.relation) = 1), relation)
$$;
COMMENT ON FUNCTION dp_agg_internal.table_of(regclass) IS
'the protected table that a view shows, if it is one; any other relation itself';

CREATE FUNCTION dp_agg.suggest_bounds(relation regclass, col name, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, OUT lower double precision, OUT upper double precision)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	type text := (SELECT a.atttypid::regtype::text FROM pg_attribute a
		WHERE a.attrelid = dp_agg_internal.table_of(suggest_bounds.relation) AND a.attname = suggest_bounds.col AND NOT a.attisdropped);
	whole boolean := coalesce(type IN ('smallint', 'integer', 'bigint'), false);
	finest integer := CASE WHEN whole THEN 0 ELSE -64 END;
	value text;
	bins record;
BEGIN
	IF relation IS NULL OR col IS NULL THEN
		RAISE invalid_parameter_value USING MESSAGE = 'relation and column must not be null';
	END IF;
	IF type NOT IN ('smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric') THEN
		RAISE feature_not_supported USING MESSAGE = 'bounds are for columns of numbers',
			HINT = 'GROUP BY the column with dp_count(*) instead.';
	END IF;
	relation := dp_agg_internal.table_of(relation);
	value := format('%I.%I', coalesce((SELECT c.relname FROM pg_class c WHERE c.oid = relation), ''), col);
	IF type = 'numeric' THEN
		value := format('CASE WHEN %s = ''NaN'' THEN NULL WHEN %1$s >= 18446744073709551616 THEN 18446744073709551616 '
			'WHEN %1$s <= -18446744073709551616 THEN -18446744073709551616 '
			'WHEN abs(%1$s) < 1e-20 THEN 0 ELSE %1$s END', value);
	END IF;
	bins := dp_agg_internal.magnitudes(relation, col, format('(%s)::pg_catalog.float8', value), finest, epsilon, filter);
	lower := CASE WHEN bins.lowest > 0 THEN 2::float8 ^ (bins.lowest - 1 + finest)
		WHEN bins.lowest < 0 THEN - (2::float8 ^ (finest - bins.lowest)) + whole::int ELSE bins.lowest END;
	upper := CASE WHEN bins.highest > 0 THEN 2::float8 ^ (bins.highest + finest) - whole::int
		WHEN bins.highest < 0 THEN - (2::float8 ^ (finest - bins.highest - 1)) ELSE bins.highest END;
	IF whole AND lower IS NOT NULL THEN
		lower := greatest(lower, CASE type WHEN 'smallint' THEN -32768 WHEN 'integer' THEN -2147483648 ELSE -9223372036854775808 END);
		upper := least(upper, CASE type WHEN 'smallint' THEN 32767 WHEN 'integer' THEN 2147483647 ELSE 9223372036854774784 END);
	END IF;
END $$;
COMMENT ON FUNCTION dp_agg.suggest_bounds(regclass, name, double precision, text) IS
'a differentially private estimate of bounds for a numeric column of a protected table: powers of two (of integers, less one) from 2^-64 to 2^64 in size, and zero, that leave out about 1 % of the units and those that noise hides, each counted once for each power of two among its values, for at most max_groups of them; infinities count as 2^64, NULL and NaN not. Null if too few units have values. Charged as one dp_count(DISTINCT unit); epsilon: 1e-9 .. 1048576 (NULL: dp_agg.epsilon); filter: one condition, names of types qualified. Call it in FROM. Errors: 42501 not protected, or no budget; 42703 no such column; 0A000 not a column of numbers, or a filter that is not allowed; 22023 bad epsilon or filter; 53400 budget exhausted';

-- How many units have how much, by powers of two: bin 0 holds what is at most 1,
-- bin n what is above 2^(n - 1) and at most 2^n, bin 30 everything beyond.  Bins
-- are public, and a unit is in one of them.
CREATE FUNCTION dp_agg_internal.power_of(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT format('CASE WHEN %1$s OPERATOR(pg_catalog.<=) 1 THEN 0 ELSE pg_catalog.floor(pg_catalog.ln(%1$s OPERATOR(pg_catalog.-) 1) '
	'OPERATOR(pg_catalog.*) 1.4426950408889634 OPERATOR(pg_catalog.+) 1.0000000000001) END', value)
$$;
COMMENT ON FUNCTION dp_agg_internal.power_of(text) IS
'internal: an expression for the least n, from 0, with 2^n no less than a whole number that the text names';

CREATE FUNCTION dp_agg_internal.units_by_power(relation regclass, col name, value text, epsilon double precision, filter text,
	OUT counts bigint[], OUT mechanism text, OUT noise_stddev double precision)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET dp_agg.noise_notice = off AS $$
DECLARE
	asked record;
BEGIN
	asked := dp_agg_internal.rows_asked(relation, col, filter);
	EXECUTE format('SELECT pg_catalog.array_agg(b.count ORDER BY b.bin) FROM (SELECT dp_agg.bucket(%s, -0.5, 30.5, 31) AS bin, '
		'dp_agg_internal.counted(1%s) AS count FROM (SELECT (%s)::pg_catalog.float8 AS value FROM %s GROUP BY %s) s GROUP BY 1) b',
		dp_agg_internal.power_of('s.value'), coalesce(', ' || quote_literal(epsilon::text) || '::pg_catalog.float8', ''), value,
		asked.rows, asked.unit)
		INTO counts;
	PERFORM dp_agg_internal.check_still_called(relation, asked.source);
	SELECT r.mechanism, r.noise_stddev INTO mechanism, noise_stddev FROM dp_agg.last_release() r;
END $$;
COMMENT ON FUNCTION dp_agg_internal.units_by_power(regclass, name, text, double precision, text) IS
'internal: what suggest_max_rows and suggest_max_groups ask: noisy numbers of units by the power of two of a value that an aggregate makes of their rows, and the noise in them; one statement, charged to the caller, who needs no right but a budget';

-- P(the noise of a sum of so many bins reaches t) is at most exp(- surprise).  Of
-- Laplace noise of scale b = -1 / ln q, E exp(s Z) is at most 1 / (1 - s^2 b^2), of
-- Gaussian noise exp(s^2 variance / 2).  The latter is on a finer grid, and counts are
-- rounded to whole numbers: each may be half a unit more.
CREATE FUNCTION dp_agg_internal.noise_quantile(mechanism text, noise_stddev double precision, bins integer, surprise double precision)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT CASE WHEN mechanism = 'gaussian' THEN noise_stddev * sqrt(2 * bins * surprise) + bins / 2.0::float8
	WHEN q = 0 THEN 0
	WHEN bins = 1 THEN greatest(surprise - ln(2.0::float8), 0) / - ln(q)
	ELSE (SELECT min((surprise - bins * ln(1 - s * s)) / s) FROM (SELECT i / 50.0::float8 AS s FROM generate_series(1, 49) i) x) / - ln(q) END
FROM (SELECT v / (v + 1 + sqrt(2 * v + 1)) AS q FROM (SELECT CASE WHEN noise_stddev < 1e-100 THEN 0 ELSE noise_stddev END ^ 2 AS v) x) y
$$;
COMMENT ON FUNCTION dp_agg_internal.noise_quantile(text, double precision, integer, double precision) IS
'internal: what the sum of the noise of so many counts reaches with a probability of exp(-surprise) at most; mechanism and noise_stddev of each as in dp_agg.last_release()';

-- aims[n + 1]: how many units above 2^n make up for the noise of a bound of 2^(n + 1).
-- The bound is the greater of two: the greatest power of two 2^(n + 1) for which that
-- many, and more than noise would make of nobody, are seen in up to four bins next to
-- each other above 2^n; and the one up to which units in bins outnumber their aims, or
-- what noise would make of one bin, by most.  Of empty bins noise makes the former with a
-- probability of exp(-3) / 2^m for each row of bins that ends with the m-th, at most, and
-- crosses j of them in the latter with one of 0.24^j: exp(-3 s) / (1 - s^2) is 0.24 at 0.72.
CREATE FUNCTION dp_agg_internal.balanced_power(counts bigint[], mechanism text, noise_stddev double precision, aims double precision[])
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
WITH windows AS (
	SELECT n, m, (SELECT sum(c) FROM unnest(counts[n + 2 : m + 1]) c) AS units
	FROM generate_series(0, cardinality(counts) - 2) n, generate_series(n + 1, least(n + 4, cardinality(counts) - 1)) m),
steps AS (
	SELECT n + 1 AS power, sum(counts[n + 2] - greatest(1, aims[n + 1], dp_agg_internal.noise_quantile(mechanism, noise_stddev, 1, 3 + ln(2.0::float8))))
		OVER (ORDER BY n) AS gain
	FROM generate_series(0, cardinality(counts) - 2) n)
SELECT coalesce(
	greatest((SELECT max(n) + 1 FROM windows
			  WHERE units >= greatest(1, aims[n + 1], dp_agg_internal.noise_quantile(mechanism, noise_stddev, m - n, 3 + m * ln(2.0::float8)))),
			 (SELECT power FROM steps WHERE gain > 0 ORDER BY gain DESC, power LIMIT 1)),
	CASE WHEN counts[1] >= greatest(1, dp_agg_internal.noise_quantile(mechanism, noise_stddev, 1, 3::float8)) THEN 0 END)
$$;
COMMENT ON FUNCTION dp_agg_internal.balanced_power(bigint[], text, double precision, double precision[]) IS
'internal: the n for which a bound of 2^n balances what it cuts with the noise that it asks for, from noisy numbers of units by powers of two; null if nobody stands out of the noise; mechanism and noise_stddev as in dp_agg.last_release()';

-- Of a relation that is not protected it is that of no data set, and so of no budget.
CREATE FUNCTION dp_agg_internal.in_force_of(relation regclass, OUT mechanism text, OUT epsilon float8, OUT delta float8)
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
SELECT f.* FROM (SELECT (SELECT t.dataset FROM dp_agg.protected_tables t
		WHERE t.relation = dp_agg_internal.table_of(in_force_of.relation)) AS dataset) d, dp_agg_internal.in_force(d.dataset, NULL) f
$$;
COMMENT ON FUNCTION dp_agg_internal.in_force_of(regclass) IS
'internal: mechanism, epsilon and delta of an aggregate over a relation that names none, asked now by this role';

-- The mean absolute noise of a count with a bound of 1, as queries will have it.
CREATE FUNCTION dp_agg_internal.mean_noise(relation regclass, epsilon double precision) RETURNS double precision
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	in_force record := dp_agg_internal.in_force_of(relation);
	loss double precision := coalesce(mean_noise.epsilon, in_force.epsilon);
BEGIN
	IF NOT (loss >= 1e-9 AND loss <= 1048576) THEN
		RAISE invalid_parameter_value USING MESSAGE = 'query_epsilon must be between 1e-09 and 1048576',
			HINT = 'Give the epsilon of the queries that the bound is for.';
	END IF;
	IF in_force.mechanism = 'gaussian' THEN
		RETURN sqrt(2 / pi()) * dp_accountant.gaussian_sigma(least(loss, 1e6), in_force.delta);
	END IF;
	RETURN 1 / sinh(least(loss, 700));
END $$;
COMMENT ON FUNCTION dp_agg_internal.mean_noise(regclass, double precision) IS
'internal: mean absolute noise of a count of a relation to which a unit adds one, at an epsilon (NULL: that in force) and the mechanism and delta in force. Errors: 22023 epsilon out of range';

CREATE FUNCTION dp_agg.suggest_max_rows(relation regclass, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, query_epsilon double precision DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	aim double precision := dp_agg_internal.mean_noise(relation, query_epsilon);
BEGIN
	IF relation IS NULL THEN
		RAISE invalid_parameter_value USING MESSAGE = 'relation must not be null';
	END IF;
	RETURN (SELECT 2::float8 ^ dp_agg_internal.balanced_power(u.counts[1 : 30], u.mechanism, u.noise_stddev, array_fill(aim, ARRAY[29]))
		FROM dp_agg_internal.units_by_power(dp_agg_internal.table_of(relation), NULL, 'count(*)', epsilon, filter) u);
END $$;
COMMENT ON FUNCTION dp_agg.suggest_max_rows(regclass, double precision, text, double precision) IS
'a differentially private estimate of max_rows for counts of a protected table without GROUP BY: the power of two, 1 .. 536870912 rows, at which the rows cut off and the noise are about least together. query_epsilon: the epsilon of the queries that it is for, 1e-9 .. 1048576 (NULL: dp_agg.epsilon), with dp_agg.mechanism and dp_agg.delta as set. Null if there are too few units. Charged as one dp_count(*) over units; other parameters and errors as of dp_agg.suggest_bounds';

-- groups: into how many a query divides.  A unit in more than 2^n groups shows that
-- there are so many at least.  Laplace noise grows with max_groups, Gaussian noise
-- with its root; the noise of all groups together is what a bound has to make up for.
CREATE FUNCTION dp_agg.suggest_max_groups(relation regclass, col name, epsilon double precision DEFAULT NULL,
	filter text DEFAULT NULL, query_epsilon double precision DEFAULT NULL, groups integer DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	aim double precision := dp_agg_internal.mean_noise(relation, query_epsilon);
	root boolean := (dp_agg_internal.in_force_of(relation)).mechanism = 'gaussian';
	aims double precision[];
BEGIN
	IF relation IS NULL OR col IS NULL THEN
		RAISE invalid_parameter_value USING MESSAGE = 'relation and column must not be null';
	END IF;
	IF groups < 1 THEN
		RAISE invalid_parameter_value USING MESSAGE = 'groups must be at least 1',
			HINT = 'Give the number of groups that queries have, or leave it out.';
	END IF;
	relation := dp_agg_internal.table_of(relation);
	groups := coalesce(groups, (SELECT cardinality(c.keys) FROM dp_agg.protected_columns c
		WHERE c.relation = suggest_max_groups.relation AND c."column" = col));
	SELECT array_agg(aim * greatest(coalesce(groups, 0), 2::float8 ^ n + 1) *
			CASE WHEN root THEN (sqrt(2.0::float8) - 1) * 2::float8 ^ (- n / 2.0::float8) ELSE 1 END ORDER BY n)
		INTO aims FROM generate_series(0, 18) n;
	RETURN (SELECT 2::float8 ^ dp_agg_internal.balanced_power(u.counts[1 : 20], u.mechanism, u.noise_stddev, aims)
		FROM dp_agg_internal.units_by_power(relation, col, format('count(DISTINCT %I.%I) + max(CASE WHEN %1$I.%2$I IS NULL THEN 1 ELSE 0 END)',
			coalesce((SELECT c.relname FROM pg_class c WHERE c.oid = relation), ''), col), epsilon, filter) u);
END $$;
COMMENT ON FUNCTION dp_agg.suggest_max_groups(regclass, name, double precision, text, double precision, integer) IS
'a differentially private estimate of max_groups for queries of a protected table that group by a column, NULL being one value of it: the power of two, 1 .. 524288 groups, at which what is cut off and the noise of all groups are about least together. query_epsilon: as of dp_agg.suggest_max_rows; groups: how many groups queries have, 1 or more (NULL: as many as keys are declared of the column, or else as a unit is in). Null if there are too few units. Charged as one dp_count(*) over units; other parameters and errors as of dp_agg.suggest_bounds';

-- Noise of two totals, of which one is a part: the share is where it cannot be told,
-- at the 95 % quantile of noise, from the truth (Fieller 1954): all s between 0 and 1
-- with |(1 - s) part - s rest| <= z sd.  z = ln(20) / sqrt(2) is that of one Laplace
-- noise; of sums of several, and of Gaussian noise, it is less.
CREATE FUNCTION dp_agg_internal.noisy_share(part double precision, rest double precision, part_stddev double precision,
	rest_stddev double precision, OUT share double precision, OUT low double precision, OUT high double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
WITH noise AS (SELECT part + rest AS whole, (ln(20.0::float8) / sqrt(2.0::float8) * part_stddev) ^ 2 AS p,
	(ln(20.0::float8) / sqrt(2.0::float8) * rest_stddev) ^ 2 AS r),
quadratic AS (SELECT whole, p, whole ^ 2 - p - r AS a, part * whole - p AS b, part ^ 2 - p AS c FROM noise),
roots AS (SELECT *, sqrt(greatest(b ^ 2 - a * c, 0)) AS d FROM quadratic)
SELECT CASE WHEN whole > 0 THEN least(greatest(part / whole, 0), 1) END,
	CASE WHEN a > 0 AND whole > 0 THEN least(greatest((b - d) / a, 0), 1) ELSE 0 END,
	CASE WHEN a > 0 AND whole > 0 THEN least(greatest((b + d) / a, 0), 1) ELSE 1 END
FROM roots
$$;
COMMENT ON FUNCTION dp_agg_internal.noisy_share(double precision, double precision, double precision, double precision) IS
'internal: the share of a part, 0 .. 1, of noisy totals of it and of the rest, and an interval that holds it with a probability of 95 %; null, 0 and 1 where noise is all there is';

-- The bounds a query has: as given, as set, or as declared.  One without keys has one
-- group; if max_groups is given for it, all groups together are meant.
CREATE FUNCTION dp_agg_internal.bounds_in_force(relation regclass, col name, max_rows integer, max_groups integer,
	OUT rows_bound integer, OUT groups_bound integer, OUT last_whole integer, OUT first_cut integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF max_rows < 1 OR max_rows > 1000000000 OR max_groups < 1 OR max_groups > 1000000 THEN
		RAISE invalid_parameter_value USING MESSAGE = 'max_rows must be between 1 and 1000000000, max_groups between 1 and 1000000',
			HINT = 'Leave them out to measure what is set or declared.';
	END IF;
	SELECT coalesce(bounds_in_force.max_rows, nullif(current_setting('dp_agg.max_rows')::integer, 0), t.max_rows),
			coalesce(bounds_in_force.max_groups, CASE WHEN col IS NULL THEN 1 END, nullif(current_setting('dp_agg.max_groups')::integer, 0), t.max_groups)
		INTO rows_bound, groups_bound FROM dp_agg.protected_tables t WHERE t.relation = bounds_in_force.relation;
	last_whole := ceil(log(2, rows_bound::numeric * groups_bound));
	first_cut := least(30, ceil(log(2, CASE WHEN col IS NULL THEN rows_bound::numeric * groups_bound ELSE least(rows_bound, groups_bound) END + 1)));
END $$;
COMMENT ON FUNCTION dp_agg_internal.bounds_in_force(regclass, name, integer, integer) IS
'internal: max_rows and max_groups of queries of a protected table that group by a column, or by none: as given, as set for the session, or as declared; and the powers of two up to which, and from which on, a unit may have rows if all of them count, and if not. Errors: 22023 out of range';

-- A unit is in one bin: those that are not cut, by the power of two of their rows, and
-- after them those that are.  Its rows that are cut, and those that count, are each
-- divided by that power, the latter by that of the bound if it is less, before they are
-- added up: what a unit adds is 1 at most, and noise in a bin as large as what a unit has.
CREATE FUNCTION dp_agg.bounding_query(relation regclass, epsilon double precision DEFAULT NULL, filter text DEFAULT NULL,
	max_rows integer DEFAULT NULL, max_groups integer DEFAULT NULL, col name DEFAULT NULL) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	source regclass := dp_agg_internal.table_of(relation);
	asked record;
	bounds record;
	units text;
	dp_sum text := (SELECT format('%I.dp_sum', n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'dp_agg');
BEGIN
	IF relation IS NULL THEN
		RAISE invalid_parameter_value USING MESSAGE = 'relation must not be null', HINT = 'Name a table that dp_agg.protected_tables shows.';
	END IF;
	asked := dp_agg_internal.rows_asked(source, col, filter);
	bounds := dp_agg_internal.bounds_in_force(source, col, max_rows, max_groups);
	IF col IS NULL THEN
		units := format('(SELECT pg_catalog.count(*)::pg_catalog.float8 AS total, least(pg_catalog.count(*), %s)::pg_catalog.float8 AS kept FROM %s GROUP BY %s) u',
			bounds.rows_bound::bigint * bounds.groups_bound, asked.rows, asked.unit);
	ELSE
		units := format('(SELECT pg_catalog.sum(g.n)::pg_catalog.float8 AS total, (pg_catalog.sum(least(g.n, %s))::pg_catalog.float8 '
			'OPERATOR(pg_catalog.*) least(1, %s OPERATOR(pg_catalog./) pg_catalog.count(*)::pg_catalog.float8)) AS kept '
			'FROM (SELECT %s AS unit, pg_catalog.count(*) AS n FROM %s GROUP BY %3$s, %5$I.%6$I) g GROUP BY g.unit) u',
			bounds.rows_bound, bounds.groups_bound, asked.unit, asked.rows, (SELECT c.relname FROM pg_class c WHERE c.oid = source), col);
	END IF;
	RETURN format('SELECT dp_agg.bucket(s.power OPERATOR(pg_catalog.+) CASE WHEN s.kept OPERATOR(pg_catalog.<) s.total THEN 31 ELSE 0 END, -0.5, 61.5, 62) AS bin, '
		'dp_agg_internal.counted(1, %1$s) AS units, %2$s(s.kept OPERATOR(pg_catalog./) (2::pg_catalog.float8 OPERATOR(pg_catalog.^) least(s.power, %5$s::pg_catalog.float8)), 0::pg_catalog.float8, 1::pg_catalog.float8, %1$s) AS kept, '
		'%2$s((s.total OPERATOR(pg_catalog.-) s.kept) OPERATOR(pg_catalog./) (2::pg_catalog.float8 OPERATOR(pg_catalog.^) s.power), 0::pg_catalog.float8, 1::pg_catalog.float8, %1$s) AS cut '
		'FROM (SELECT u.total, u.kept, least(%3$s, 30::pg_catalog.float8) AS power FROM %4$s) s GROUP BY 1',
		quote_literal((coalesce(epsilon, (dp_agg_internal.in_force_of(source)).epsilon) / 3)::text) || '::pg_catalog.float8',
		dp_sum, dp_agg_internal.power_of('u.total'), units, bounds.last_whole);
END $$;
COMMENT ON FUNCTION dp_agg.bounding_query(regclass, double precision, text, integer, integer, name) IS
'the query that dp_agg.measure_bounding asks with the same parameters, for dp_agg.price and EXPLAIN; reads no protected row and charges nothing. Errors: as of dp_agg.measure_bounding';

-- Arrays have 31 bins of units that are not cut and 31 of those that are.  last_whole: the
-- greatest power that the former can have; first_cut: the least of the latter, which are
-- counted there whether they stand out or not; top: the greatest that is measured.
CREATE FUNCTION dp_agg_internal.shares_cut(units bigint[], kept double precision[], cut double precision[], noise_stddev double precision[],
	last_whole integer, first_cut integer, top integer,
	OUT units_cut double precision, OUT units_cut_low double precision, OUT units_cut_high double precision,
	OUT rows_cut double precision, OUT rows_cut_low double precision, OUT rows_cut_high double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
WITH bins AS (
	SELECT b - 1 AS bin, (b - 1) % 31 AS power, b > 31 AS is_cut, 2::float8 ^ ((b - 1) % 31) AS weight, 2::float8 ^ least((b - 1) % 31, last_whole) AS kept_weight,
		units[b] AS units, kept[b] AS kept, cut[b] AS cut FROM generate_series(1, 62) b),
measured AS (
	SELECT *, power <= top AS has_rows FROM bins
	WHERE top IS NOT NULL AND power <= greatest(top, first_cut) AND CASE WHEN is_cut THEN power >= first_cut ELSE power <= least(top, last_whole) END),
totals AS (
	SELECT coalesce(sum(units) FILTER (WHERE is_cut), 0)::float8 AS units_cut, coalesce(sum(units) FILTER (WHERE NOT is_cut), 0)::float8 AS units_whole,
		noise_stddev[1] * sqrt(count(*) FILTER (WHERE is_cut)) AS cut_noise, noise_stddev[1] * sqrt(count(*) FILTER (WHERE NOT is_cut)) AS whole_noise,
		coalesce(sum(weight * cut) FILTER (WHERE is_cut AND has_rows), 0) AS rows_cut, sum(kept_weight * kept) FILTER (WHERE has_rows) AS rows_kept,
		noise_stddev[3] * sqrt(coalesce(sum(weight ^ 2) FILTER (WHERE is_cut AND has_rows), 0)) AS rows_cut_noise,
		noise_stddev[2] * sqrt(sum(kept_weight ^ 2) FILTER (WHERE has_rows)) AS rows_kept_noise
	FROM measured)
SELECT u.share, u.low, u.high, r.share, r.low, r.high
FROM totals t, dp_agg_internal.noisy_share(t.units_cut, t.units_whole, t.cut_noise, t.whole_noise) u,
	dp_agg_internal.noisy_share(t.rows_cut, t.rows_kept, t.rows_cut_noise, t.rows_kept_noise) r
$$;
COMMENT ON FUNCTION dp_agg_internal.shares_cut(bigint[], double precision[], double precision[], double precision[], integer, integer, integer) IS
'internal: shares of units and of rows that bounds cut, of the noisy totals that dp_agg.bounding_query has and the standard deviations of their noise, over the powers of two that are measured';

CREATE FUNCTION dp_agg.measure_bounding(relation regclass, epsilon double precision DEFAULT NULL, filter text DEFAULT NULL,
	max_rows integer DEFAULT NULL, max_groups integer DEFAULT NULL, col name DEFAULT NULL,
	OUT rows_bound integer, OUT groups_bound integer, OUT most_rows bigint,
	OUT units_cut double precision, OUT units_cut_low double precision, OUT units_cut_high double precision,
	OUT rows_cut double precision, OUT rows_cut_low double precision, OUT rows_cut_high double precision)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET dp_agg.noise_notice = off AS $$
DECLARE
	query text := dp_agg.bounding_query(relation, epsilon, filter, max_rows, max_groups, col);
	source regclass := dp_agg_internal.table_of(relation);
	called text := (SELECT r.source FROM dp_agg_internal.rows_with_unit(source) r);
	units bigint[];
	kept double precision[];
	cut double precision[];
	noise double precision[];
	mechanism text;
	top integer;
	bounds record;
	found record;
BEGIN
	bounds := dp_agg_internal.bounds_in_force(source, col, max_rows, max_groups);
	rows_bound := bounds.rows_bound; groups_bound := bounds.groups_bound;
	EXECUTE format('SELECT pg_catalog.array_agg(b.units ORDER BY b.bin), pg_catalog.array_agg(b.kept ORDER BY b.bin), pg_catalog.array_agg(b.cut ORDER BY b.bin) FROM (%s) b', query)
		INTO units, kept, cut;
	PERFORM dp_agg_internal.check_still_called(source, called);
	SELECT array_agg(CASE WHEN r.noise_stddev < 1e-100 THEN 0 ELSE r.noise_stddev END ORDER BY r.n), min(r.mechanism) INTO noise, mechanism
		FROM dp_agg.last_release() WITH ORDINALITY r (aggregate, mechanism, epsilon, delta, noise_stddev, h, s, a, k, mr, mg, at, rows, n);
	top := greatest(dp_agg_internal.balanced_power(units[1 : 31], mechanism, noise[1], array_fill(1::float8, ARRAY[30])),
		dp_agg_internal.balanced_power(units[32 : 62], mechanism, noise[1], array_fill(1::float8, ARRAY[30])));
	most_rows := 2::float8 ^ top;
	SELECT * INTO found FROM dp_agg_internal.shares_cut(units, kept, cut, noise, bounds.last_whole, bounds.first_cut, top);
	units_cut := found.units_cut; units_cut_low := found.units_cut_low; units_cut_high := found.units_cut_high;
	rows_cut := found.rows_cut; rows_cut_low := found.rows_cut_low; rows_cut_high := found.rows_cut_high;
END $$;
COMMENT ON FUNCTION dp_agg.measure_bounding(regclass, double precision, text, integer, integer, name) IS
'a differentially private estimate of what bounds cut of a protected table: the shares, 0 .. 1, of units that have more rows or groups than count, and of rows that do not count, each with an interval that holds it with a probability of about 95 %; for queries that group by col, or without it for those that do not group, or if max_groups is given for any that group. max_rows, max_groups: 1 .. 1000000000 and 1 .. 1000000 (NULL: as set or declared, shown as rows_bound and groups_bound). most_rows: the shares are of the units with so many rows at most; units with more are so few that noise hides them. Null where nobody stands out of the noise. epsilon: of the whole answer, 3e-9 .. 1048576 (NULL: dp_agg.epsilon); a third each for numbers of units, rows that count and rows that are cut. filter: one condition, names of types qualified. Call it in FROM. Errors: 42501 not protected, or no budget; 42703 no such column; 0A000 a filter or column that is not allowed; 22023 bad epsilon, bound or filter; 53400 budget exhausted';

--
-- exposure: what there is to see around the gate
--

-- Every object of PostgreSQL's own that shows all roles how much there is in
-- tables, or how much is done to them, and that no client needs to describe
-- tables; and every function and relation of an extension, unless it is known
-- to be harmless, or is by its kind. Lists are patterns where versions differ;
-- what is not PUBLIC's from the start is listed only if it has been granted since.
CREATE FUNCTION dp_agg.side_channels(OUT channel text, OUT object text, OUT open boolean,
	OUT revoke text, OUT restore text, OUT reason text)
RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH channels (position, channel, reason, functions) AS (VALUES
	(1, 'table sizes', 'sizes of every table, index, database and tablespace',
	 '^pg_((relation|table|indexes|total_relation|database|tablespace)_size)$'),
	(2, 'statistics', 'rows read and written, scans, sessions, waits and progress of every table, database and backend',
	 '^pg_stat_(get_|have_stats$)'),
	(3, 'locks', 'locks of every backend and of its parallel workers, and who waits for whom',
	 '^(pg_lock_status|pg_(safe_snapshot_)?blocking_pids|pg_isolation_test_session_is_blocked)$'),
	(4, 'transactions', 'when, how and with whom others'' transactions ended',
	 '^(pg_xact_status|txid_status|pg_xact_commit_timestamp(_origin)?|pg_last_committed_xact|pg_prepared_xact|pg_get_multixact_(members|stats)|mxid_age)$'),
	(5, 'write-ahead log', 'how much has been written, by everybody',
	 '^(pg_current_wal_(flush_|insert_)?lsn|pg_last_wal_(receive|replay)_lsn|pg_last_xact_replay_timestamp|pg_control_(checkpoint|recovery)|pg_get_replication_slots|pg_logical_emit_message|pg_get_wal_summarizer_state|pg_available_wal_summaries|pg_wal_summary_contents|pg_notification_queue_usage)$')),
builtin AS (
	SELECT c.position, c.channel, c.reason, p.oid AS function
	FROM pg_proc p JOIN channels c ON p.proname ~ c.functions
	WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname LIKE ANY ('{pg\_%,txid\_%,mxid\_%}')),
-- Extensions of which functions with such a schema and name, and relations with such a name, are known to show
-- nothing but what they are given and what whoever uses them may read anyway; '' is any name.
harmless (extension, functions, relations) AS (VALUES
	('^(autoinc|bloom|btree_gin|btree_gist|citext|cube|dict_int|dict_xsyn|earthdistance|file_fdw|fuzzystrmatch|hstore|insert_username|intagg|intarray|isn|lo|ltree|moddatetime|pg_trgm|pgcrypto|plpgsql|postgres_fdw|refint|seg|sslinfo|tablefunc|tcn|tsm_system_rows|tsm_system_time|unaccent|uuid-ossp|xml2)$', '', ''),
	('^((bool|hstore|jsonb|ltree)_)?pl(perl|python3)u?$', '', ''),
	('^(asn1oid|debversion|extra_window_functions|first_last_agg|h3|hll|ip4r|jsquery|numeral|pg_rational|pg_similarity|pg_sphere|pgmp|pgpcre|pgrouting|prefix|q3c|rdkit|semver|tdigest|unit|vector)$', '', ''),
	('^(address_standardizer|address_standardizer_data_us|pointcloud|pointcloud_postgis|postgis|postgis_raster|postgis_sfcgal|postgis_tiger_geocoder|postgis_topology)$',
	 '^[^.]*[.](?!_postgis_|st_estimated_?extent$)',
	 '^(geocode_settings(_default)?|geography_columns|geometry_columns|layer|loader_(lookuptables|platform|variables)|pagc_(gaz|lex|rules)|pointcloud_columns|pointcloud_formats|raster_columns|raster_overviews|spatial_ref_sys|topology|us_(gaz|lex|rules))$'),
	-- Names that it lists have bytes behind their end that nobody has written.
	('^icu_ext$', '^[^.]*[.](?!icu_transforms_list$)', ''),
	('^orafce$', '^(oracle|dbms_(assert|output|random|sql)|plunit|plv(chr|date|lex|str|subst))[.]', '^dual$'),
	('^timescaledb$', '^[^.]*[.](first|generate_uuidv7|get_partition_for_key|get_partition_hash|histogram|interpolate|interval_to_usec|last|locf|time_bucket(_gapfill|_ng)?|time_to_internal|to_(date|interval|time|timestamp|timestamp_without_timezone|unix_microseconds|uuidv7(_boundary)?)|uuid_(timestamp|timestamp_micros|version))$', NULL)),
extensions AS MATERIALIZED (
	SELECT e.oid AS extension, 7 AS position, format('extension %s', e.extname) AS channel,
		'of an extension, and not known to be harmless' AS reason, h.functions, h.relations
	FROM pg_extension e LEFT JOIN harmless h ON e.extname ~ h.extension WHERE e.extname <> 'dp_agg'),
members AS MATERIALIZED (
	SELECT e.*, d.classid, d.objid
	FROM extensions e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.extension AND d.deptype = 'e'),
-- Types of values that an extension brings, and built-in types that name what is in the catalogues.
types AS MATERIALIZED (
	SELECT m.extension, array_agg(t.oid) || array_agg(t.typarray) AS own FROM members m JOIN pg_type t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid
	WHERE t.typtype IN ('b', 'r', 'm') GROUP BY m.extension),
naming AS MATERIALIZED (
	SELECT array_agg(oid) || array_agg(typarray) AS types FROM pg_type
	WHERE typnamespace = 'pg_catalog'::regnamespace AND (typname IN ('oid', 'name') OR typname ~ '^reg')),
-- What operators and casts call, and what belongs to languages and foreign-data wrappers.
operations AS (
	SELECT o.oprcode::oid AS function FROM members m JOIN pg_operator o ON m.classid = 'pg_operator'::regclass AND o.oid = m.objid
	UNION SELECT c.castfunc FROM members m JOIN pg_cast c ON m.classid = 'pg_cast'::regclass AND c.oid = m.objid),
handlers AS (
	SELECT unnest(ARRAY[lanplcallfoid, laninline, lanvalidator]) AS function FROM pg_language
	UNION SELECT unnest(ARRAY[fdwhandler, fdwvalidator]) FROM pg_foreign_data_wrapper),
-- What is harmless by its kind: what can do no more than its caller could without it; what a statement
-- cannot call; and what computes something from values alone. The last rests on what is declared of it.
safe AS (
	SELECT p.oid FROM members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
	JOIN pg_language l ON l.oid = p.prolang JOIN pg_namespace n ON n.oid = p.pronamespace CROSS JOIN naming
	LEFT JOIN types t ON t.extension = m.extension
	WHERE NOT p.prosecdef AND (format('%s.%s', n.nspname, p.proname) ~ m.functions OR l.lanpltrusted
		OR p.prorettype = ANY ('{trigger,event_trigger,language_handler,fdw_handler,index_am_handler,table_am_handler,tsm_handler,internal}'::regtype[])
		OR p.oid IN (SELECT function FROM handlers)
		OR (p.provolatile <> 'v' AND p.pronargs > 0 AND NOT p.proargtypes::oid[] && naming.types AND (
			p.prokind = 'w'
			OR (p.prokind = 'a' AND NOT EXISTS (
				SELECT FROM pg_aggregate a JOIN pg_proc f ON f.oid IN (a.aggtransfn, a.aggfinalfn, a.aggmtransfn, a.aggmfinalfn)
				WHERE a.aggfnoid = p.oid AND (f.provolatile = 'v' OR f.prosecdef)))
			OR p.oid IN (SELECT function FROM operations)
			OR (p.prokind = 'f' AND p.provolatile = 'i' AND (p.proargtypes::oid[] || p.prorettype) && t.own))))),
functions AS (
	SELECT * FROM builtin
	UNION ALL
	SELECT m.position, m.channel, m.reason, m.objid FROM members m
	WHERE m.classid = 'pg_proc'::regclass AND m.objid NOT IN (SELECT oid FROM safe)),
named AS (
	SELECT f.position, f.channel, f.reason,
		format('%s %I.%I(%s)', CASE p.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, n.nspname, p.proname,
			   (SELECT string_agg(format_type(t, NULL), ', ' ORDER BY i) FROM unnest(p.proargtypes) WITH ORDINALITY u (t, i))) AS object,
		has_function_privilege('public', p.oid, 'EXECUTE') AS open,
		COALESCE(i.initprivs, acldefault('f', p.proowner)) AS at_first
	FROM functions f JOIN pg_proc p ON p.oid = f.function JOIN pg_namespace n ON n.oid = p.pronamespace
	LEFT JOIN pg_init_privs i ON i.classoid = 'pg_proc'::regclass AND i.objoid = p.oid AND i.objsubid = 0),
relations AS (
	SELECT m.position, m.channel, m.reason, format('%I.%I', n.nspname, c.relname) AS object,
		EXISTS (SELECT FROM aclexplode(c.relacl) a WHERE a.grantee = 0) OR EXISTS (
			SELECT FROM pg_attribute t, aclexplode(t.attacl) a WHERE t.attrelid = c.oid AND NOT t.attisdropped AND a.grantee = 0) AS open,
		(SELECT string_agg(a.privilege_type || COALESCE(' (' || quote_ident(t.attname) || ')', ''), ', ' ORDER BY i.objsubid, a.privilege_type)
			FROM pg_init_privs i LEFT JOIN pg_attribute t ON t.attrelid = i.objoid AND t.attnum = NULLIF(i.objsubid, 0), aclexplode(i.initprivs) a
			WHERE i.classoid = 'pg_class'::regclass AND i.objoid = c.oid AND a.grantee = 0) AS at_first
	FROM members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND (c.relname ~ m.relations) IS NOT TRUE
	  AND NOT (c.relkind = 'v' AND EXISTS (SELECT FROM pg_options_to_table(c.reloptions) o
										   WHERE o.option_name = 'security_invoker' AND o.option_value::boolean))),
-- the owners of databases and of protected tables go on dumping them
dumpers AS (
	SELECT string_agg(name, ', ' ORDER BY position, name) AS names
	FROM (SELECT 1 AS position, 'pg_read_all_stats' AS name
		  UNION ALL SELECT 2, 'pg_database_owner'
		  UNION SELECT 3, quote_ident(r.rolname)
		  FROM pg_seclabel l JOIN pg_class c ON c.oid = l.objoid JOIN pg_roles r ON r.oid = c.relowner
		  WHERE l.provider = 'dp_agg' AND l.classoid = 'pg_class'::regclass AND NOT r.rolsuper) q),
-- all of pg_class but what VACUUM and ANALYZE count, and of pg_index but what depends on rows;
-- xmin and tableoid, because clients ask for them
catalogues (position, oid, hidden, reason) AS (VALUES
	(1, 'pg_catalog.pg_class'::regclass, '^(rel(pages|tuples|allvisible|allfrozen|frozenxid|minmxid))$',
	 'rows and pages of every table, and when it was vacuumed'),
	(2, 'pg_catalog.pg_index'::regclass, '^indcheckxmin$', 'whether rows had been updated when an index was built')),
columns AS (
	SELECT c.position, format('pg_catalog.%I', (SELECT relname FROM pg_class WHERE oid = c.oid)) AS object, c.reason,
		string_agg(quote_ident(a.attname), E',\n' ORDER BY a.attnum) FILTER (WHERE NOT h.hidden) AS shown,
		bool_or(has_column_privilege('public', a.attrelid, a.attnum, 'SELECT')) FILTER (WHERE h.hidden) AS open
	FROM catalogues c JOIN pg_attribute a ON a.attrelid = c.oid, LATERAL (SELECT a.attname ~ c.hidden) h (hidden)
	WHERE NOT a.attisdropped AND (a.attnum > 0 OR a.attname IN ('xmin', 'tableoid'))
	GROUP BY c.position, c.oid, c.reason)
SELECT channel, object, open, format('REVOKE EXECUTE ON %s FROM PUBLIC; GRANT EXECUTE ON %1$s TO pg_read_all_stats', object),
	format('GRANT EXECUTE ON %s TO PUBLIC', object), reason
FROM (SELECT * FROM named ORDER BY position, channel, object) f
WHERE open OR EXISTS (SELECT FROM aclexplode(at_first) WHERE grantee = 0)
UNION ALL
SELECT 'catalogues', c.object, c.open,
	format(E'REVOKE SELECT ON %1$s FROM PUBLIC; GRANT SELECT (%2$s)\nON %1$s TO PUBLIC; GRANT SELECT ON %1$s TO %3$s', c.object, c.shown, dumpers.names),
	format('GRANT SELECT ON %s TO PUBLIC', c.object), c.reason
FROM (SELECT * FROM columns ORDER BY position) c, dumpers
UNION ALL
SELECT 'catalogues', 'pg_catalog.pg_largeobject_metadata', has_table_privilege('public', 'pg_largeobject_metadata', 'SELECT'),
	format('REVOKE SELECT ON pg_catalog.pg_largeobject_metadata FROM PUBLIC; GRANT SELECT ON pg_catalog.pg_largeobject_metadata TO %s',
		   dumpers.names),
	'GRANT SELECT ON pg_catalog.pg_largeobject_metadata TO PUBLIC', 'number and owners of large objects'
FROM dumpers
UNION ALL
SELECT channel, object, open, format('REVOKE ALL ON %s FROM PUBLIC; GRANT SELECT ON %1$s TO pg_read_all_stats, pg_database_owner', object),
	format('GRANT %s ON %s TO PUBLIC', COALESCE(at_first, 'SELECT'), object), reason
FROM (SELECT * FROM relations ORDER BY position, channel, object) r
WHERE open OR at_first IS NOT NULL
$$;
REVOKE ALL ON FUNCTION dp_agg.side_channels() FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.side_channels() IS
'what PostgreSQL shows every role about all tables, in this database, and what extensions show, unless it is known to be harmless, or is so by its kind
open: may PUBLIC use it?
revoke: closes it to all but superusers, pg_read_all_stats and pg_monitor (and, where pg_dump needs it, the owners of the database and of protected tables)
restore: gives it back to PUBLIC';

CREATE FUNCTION dp_agg.harden(apply boolean DEFAULT false, OUT channel text, OUT statement text, OUT reason text)
RETURNS SETOF record
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_sidechannel_harden';
REVOKE ALL ON FUNCTION dp_agg.harden(boolean) FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.harden(boolean) IS
'the statements that close what PostgreSQL itself shows every role about all tables of this database: lists them, or applies them; nothing if there is nothing left to close
apply: true to apply them, which takes a superuser
Run it again after CREATE EXTENSION and upgrades. The privileges are part of the database: dumps carry them, other databases are not affected. To undo it, run what dp_agg.side_channels() has in column restore.
errors: 42501 not a superuser';

-- Protected tables and their children; what PostgreSQL keeps a constraint by is its own.
CREATE FUNCTION dp_agg.attached(OUT relation regclass, OUT object text, OUT hand text, OUT role regrole, OUT remedy text)
RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
WITH RECURSIVE
protected (oid) AS (
	SELECT objoid FROM pg_seclabel WHERE provider = 'dp_agg' AND classoid = 'pg_class'::regclass
	UNION
	SELECT i.inhrelid FROM protected p JOIN pg_inherits i ON i.inhparent = p.oid),
tables AS (SELECT c.oid, c.relowner AS owner FROM protected p JOIN pg_class c ON c.oid = p.oid),
-- the types of columns, and of what these are made of
kinds (relation, owner, object, remedy, type) AS (
	SELECT t.oid, t.owner, format('column %I', a.attname), format('ALTER TABLE %s ALTER COLUMN %I TYPE ...', t.oid::regclass, a.attname), a.atttypid
	FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
	WHERE NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = t.oid)
	UNION
	SELECT k.relation, k.owner, k.object, k.remedy, w.type FROM kinds k JOIN pg_type y ON y.oid = k.type, LATERAL (
		SELECT y.typbasetype AS type WHERE y.typtype = 'd'
		UNION ALL SELECT y.typelem WHERE y.typcategory = 'A' AND y.typelem <> 0
		UNION ALL SELECT a.atttypid FROM pg_attribute a WHERE y.typtype = 'c' AND a.attrelid = y.typrelid AND a.attnum > 0 AND NOT a.attisdropped
		UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE y.oid IN (r.rngtypid, r.rngmultitypid)) w),
things (relation, owner, class, oid, object, remedy) AS (
	SELECT t.oid, t.owner, 'pg_trigger'::regclass, g.oid, format('trigger %I', g.tgname), format('DROP TRIGGER %I ON %s', g.tgname, t.oid::regclass)
	FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid WHERE g.tgconstraint = 0 OR NOT g.tgisinternal
	UNION ALL
	SELECT t.oid, t.owner, 'pg_rewrite'::regclass, r.oid, format('rule %I', r.rulename), format('DROP RULE %I ON %s', r.rulename, t.oid::regclass)
	FROM tables t JOIN pg_rewrite r ON r.ev_class = t.oid
	UNION ALL
	SELECT t.oid, t.owner, 'pg_policy'::regclass, p.oid, format('policy %I', p.polname), format('DROP POLICY %I ON %s', p.polname, t.oid::regclass)
	FROM tables t JOIN pg_policy p ON p.polrelid = t.oid
	UNION ALL
	SELECT t.oid, t.owner, 'pg_constraint'::regclass, k.oid, format('constraint %I', k.conname), format('ALTER TABLE %s DROP CONSTRAINT %I', t.oid::regclass, k.conname)
	FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid WHERE k.contype IN ('c', 'x')
	UNION ALL
	SELECT t.oid, t.owner, 'pg_attrdef'::regclass, d.oid, format('default of column %I', a.attname),
		format('ALTER TABLE %s ALTER COLUMN %I DROP %s', t.oid::regclass, a.attname, CASE WHEN a.attgenerated = '' THEN 'DEFAULT' ELSE 'EXPRESSION' END)
	FROM tables t JOIN pg_attrdef d ON d.adrelid = t.oid JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
	UNION ALL
	SELECT t.oid, t.owner, 'pg_class'::regclass, i.indexrelid, format('index %s', i.indexrelid::regclass), format('DROP INDEX %s', i.indexrelid::regclass)
	FROM tables t JOIN pg_index i ON i.indrelid = t.oid WHERE i.indexprs IS NOT NULL OR i.indpred IS NOT NULL
	UNION ALL
	SELECT t.oid, t.owner, 'pg_statistic_ext'::regclass, s.oid, format('statistics object %s', s.stxname), format('DROP STATISTICS %s.%I', s.stxnamespace::regnamespace, s.stxname)
	FROM tables t JOIN pg_statistic_ext s ON s.stxrelid = t.oid
	UNION ALL
	SELECT t.oid, t.owner, 'pg_class'::regclass, t.oid, 'partition key', NULL FROM tables t JOIN pg_partitioned_table p ON p.partrelid = t.oid
	UNION ALL
	SELECT k.relation, k.owner, w.class, w.oid, k.object, k.remedy FROM kinds k JOIN pg_type y ON y.oid = k.type AND y.typtype = 'd', LATERAL (
		SELECT 'pg_type'::regclass AS class, y.oid
		UNION ALL SELECT 'pg_constraint'::regclass, c.oid FROM pg_constraint c WHERE c.contypid = y.oid) w),
-- what it calls, or is there for
hands AS (
	SELECT t.relation, t.owner, t.object, COALESCE(t.remedy, format('ALTER ROUTINE %s OWNER TO %s', p.oid::regprocedure, t.owner::regrole)) AS remedy,
		p.proowner AS role, 'calls ' || p.oid::regprocedure AS hand, e.refobjid AS extension
	FROM things t JOIN pg_depend d ON d.classid = t.class AND d.objid = t.oid AND d.refclassid = 'pg_proc'::regclass
	JOIN pg_proc p ON p.oid = d.refobjid
	LEFT JOIN pg_depend e ON t.class IN ('pg_trigger'::regclass, 'pg_rewrite'::regclass)
		AND e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e'
	UNION
	SELECT t.relation, t.owner, t.object, COALESCE(t.remedy, format('ALTER OPERATOR %s OWNER TO %s', o.oid::regoperator, t.owner::regrole)), o.oprowner, 'calls operator ' || o.oid::regoperator, NULL
	FROM things t JOIN pg_depend d ON d.classid = t.class AND d.objid = t.oid AND d.refclassid = 'pg_operator'::regclass
	JOIN pg_operator o ON o.oid = d.refobjid
	UNION
	SELECT t.relation, t.owner, t.object, t.remedy, c.relowner, 'is there for ' || c.oid::regclass, NULL
	FROM things t JOIN pg_depend d ON d.classid = t.class AND d.objid = t.oid AND d.refclassid = 'pg_class'::regclass AND t.remedy IS NOT NULL
	JOIN pg_class c ON c.oid = d.refobjid AND c.relkind <> 'S' AND c.oid NOT IN (SELECT oid FROM protected)
	UNION
	SELECT t.oid, t.owner, format('statistics object %s', s.stxname), format('DROP STATISTICS %s.%I', s.stxnamespace::regnamespace, s.stxname),
		s.stxowner, 'is owned by ' || s.stxowner::regrole, NULL
	FROM tables t JOIN pg_statistic_ext s ON s.stxrelid = t.oid
	UNION
	SELECT k.relation, k.owner, k.object, k.remedy, y.typowner, 'is of type ' || format_type(y.oid, NULL), NULL
	FROM kinds k JOIN pg_type y ON y.oid = k.type WHERE y.typcategory <> 'A'
	UNION
	SELECT t.oid, t.owner, format('publication %I', b.pubname), format('ALTER PUBLICATION %I DROP TABLE %s', b.pubname, t.oid::regclass),
		b.pubowner, 'is owned by ' || b.pubowner::regrole, NULL
	FROM tables t JOIN pg_publication_rel r ON r.prrelid = t.oid JOIN pg_publication b ON b.oid = r.prpubid
	UNION
	SELECT i.inhparent, t.owner, format('child %s', c.oid::regclass), format('ALTER TABLE %s OWNER TO %s', c.oid::regclass, t.owner::regrole),
		c.relowner, 'is owned by ' || c.relowner::regrole, NULL
	FROM tables t JOIN pg_inherits i ON i.inhparent = t.oid JOIN pg_class c ON c.oid = i.inhrelid
	UNION
	SELECT i.inhrelid, t.owner, format('parent %s', c.oid::regclass), format('ALTER TABLE %s NO INHERIT %s', t.oid::regclass, c.oid::regclass),
		c.relowner, 'is owned by ' || c.relowner::regrole, NULL
	FROM tables t JOIN pg_inherits i ON i.inhrelid = t.oid JOIN pg_class c ON c.oid = i.inhparent AND c.oid NOT IN (SELECT oid FROM protected))
SELECT h.relation::regclass, h.object, h.hand || COALESCE(' of extension ' || quote_ident(e.extname), ''), h.role::regrole, h.remedy
FROM hands h JOIN pg_roles r ON r.oid = h.role LEFT JOIN pg_extension e ON e.oid = h.extension
WHERE e.oid IS NOT NULL OR (h.role <> h.owner AND NOT r.rolsuper)
ORDER BY 1::text, 2, 3
$$;
REVOKE ALL ON FUNCTION dp_agg.attached() FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.attached() IS
'what is attached to protected tables, their partitions and children, in which somebody else than their owner has a hand
relation: the table
object: a trigger, rule, policy, constraint, default, column, index, statistics object, partition key, publication, child or parent
hand: what it calls, is there for or of, or who owns it: of a role that is neither the table''s owner nor superuser, or of an extension
role: whose that is
remedy: a statement that takes it away; where it ends in dots, to be completed';

-- Where TimescaleDB keeps rows of protected hypertables, or answers about them, for which its catalog has to be asked.
CREATE FUNCTION dp_agg_internal.stores_of_timescale(OUT store oid, OUT relation oid, OUT reason text) RETURNS SETOF record
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
			JOIN pg_namespace n ON d.classid = 'pg_namespace'::regclass AND n.oid = d.objid
			WHERE e.extname = 'timescaledb' AND n.nspname = '_timescaledb_catalog') THEN
		RETURN;
	END IF;
	RETURN QUERY EXECUTE $q$
		WITH RECURSIVE hypertables AS (
			SELECT h.id, to_regclass(format('%I.%I', h.schema_name, h.table_name))::oid AS oid, h.compressed_hypertable_id AS compressed
			FROM _timescaledb_catalog.hypertable h),
		made (id, source, reason) AS (
			SELECT h.compressed, h.id, 'TimescaleDB keeps compressed chunks of %s in it' FROM hypertables h WHERE h.compressed IS NOT NULL
			UNION ALL
			SELECT a.mat_hypertable_id, a.raw_hypertable_id,
				replace(format('continuous aggregate %I.%I', a.user_view_schema, a.user_view_name), '%', '%%') || ' of %s keeps exact answers in it'
			FROM _timescaledb_catalog.continuous_agg a),
		found (id, oid, root, reason) AS (
			SELECT h.id, h.oid, h.oid, NULL COLLATE "C" FROM hypertables h
			WHERE h.oid IN (SELECT l.objoid FROM pg_seclabel l WHERE l.provider = 'dp_agg' AND l.classoid = 'pg_class'::regclass)
			UNION
			SELECT h.id, h.oid, f.root, m.reason COLLATE "C" FROM found f JOIN made m ON m.source = f.id JOIN hypertables h ON h.id = m.id)
		SELECT oid, root, format(reason, root::regclass) FROM found WHERE reason IS NOT NULL AND oid IS NOT NULL
	$q$;
EXCEPTION WHEN undefined_table OR undefined_column THEN
	RAISE WARNING 'the catalog of this version of TimescaleDB is not known'
		USING HINT = 'Compressed chunks and continuous aggregates of protected hypertables are not listed: look for them yourself.';
END $$;
REVOKE ALL ON FUNCTION dp_agg_internal.stores_of_timescale() FROM PUBLIC;
COMMENT ON FUNCTION dp_agg_internal.stores_of_timescale() IS
'internal: tables in which TimescaleDB keeps compressed chunks of protected hypertables, or what continuous aggregates of them, or of these, have added up
store: the table
relation: the protected hypertable
reason: a sentence that says so
Nothing without TimescaleDB. Raises a warning if its catalog lacks what is looked for.';

-- Tables that may hold protected rows, or exact answers, without being protected; kept: whoever owns it.
CREATE FUNCTION dp_agg.copies(OUT copy regclass, OUT relation regclass, OUT kept boolean, OUT reason text)
RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
WITH RECURSIVE
protected (oid) AS (
	SELECT objoid FROM pg_seclabel WHERE provider = 'dp_agg' AND classoid = 'pg_class'::regclass
	UNION
	SELECT i.inhrelid FROM protected p JOIN pg_inherits i ON i.inhparent = p.oid),
roots AS (SELECT p.oid FROM protected p WHERE NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = p.oid)),
members AS (
	SELECT d.objid AS oid FROM pg_extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
	WHERE e.extname = 'dp_agg' AND d.classid = 'pg_class'::regclass),
stored AS MATERIALIZED (
	SELECT c.oid FROM pg_class c
	WHERE c.relkind IN ('r', 'p', 'f', 'm') AND c.oid >= 16384 AND NOT c.relispartition
	  AND c.oid NOT IN (SELECT oid FROM protected) AND c.oid NOT IN (SELECT oid FROM members)),
-- views that read protected rows by the rights of an owner who may
reading (oid, relation) AS (
	SELECT p.oid, p.oid FROM roots p
	UNION
	SELECT w.ev_class, s.relation FROM reading s
	JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid AND d.classid = 'pg_rewrite'::regclass
	JOIN pg_rewrite w ON w.oid = d.objid AND w.ev_class <> s.oid AND w.ev_type = '1'
	JOIN pg_class c ON c.oid = w.ev_class
	WHERE has_table_privilege(c.relowner, s.relation, 'SELECT') OR has_any_column_privilege(c.relowner, s.relation, 'SELECT')),
columns AS MATERIALIZED (
	SELECT a.attrelid AS oid, a.attname AS name, a.atttypid AS type, count(*) OVER (PARTITION BY a.attrelid) AS number
	FROM pg_attribute a
	WHERE a.attnum > 0 AND NOT a.attisdropped AND (a.attrelid IN (SELECT oid FROM stored) OR a.attrelid IN (SELECT oid FROM reading))),
-- a table that refers, or is referred to, is another thing
matched AS (
	SELECT s.oid, r.oid AS source, r.relation, count(*) AS matches, m.number AS columns, k.number AS of_source,
		string_agg(quote_ident(m.name), ', ' ORDER BY m.name) AS names
	FROM stored s JOIN columns m ON m.oid = s.oid
	JOIN columns k ON k.name = m.name AND k.type = m.type
	JOIN reading r ON r.oid = k.oid
	WHERE s.oid <> r.oid
	  AND NOT EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f' AND s.oid IN (f.conrelid, f.confrelid) AND r.relation IN (f.conrelid, f.confrelid))
	GROUP BY s.oid, r.oid, r.relation, m.number, k.number),
found (copy, relation, kept, reason) AS (
	SELECT c.oid, p.oid, true, format('trigger %I of %s keeps it up to date with rows', min(g.tgname), p.oid::regclass)
	FROM protected p JOIN pg_trigger g ON g.tgrelid = p.oid AND (g.tgconstraint = 0 OR NOT g.tgisinternal)
	JOIN pg_depend d ON d.classid = 'pg_trigger'::regclass AND d.objid = g.oid AND d.refclassid = 'pg_class'::regclass
	JOIN pg_class c ON c.oid = d.refobjid AND c.oid IN (SELECT oid FROM stored)
	GROUP BY c.oid, p.oid
	UNION ALL
	SELECT t.store, t.relation, true, t.reason FROM dp_agg_internal.stores_of_timescale() t
	UNION ALL
	-- a table of some columns alone
	SELECT m.oid, m.relation, false, format('its columns %s are columns of %s: a copy of some of its rows?', m.names, m.relation::regclass)
	FROM matched m
	WHERE m.source = m.relation AND m.matches = m.columns AND m.columns BETWEEN 2 AND m.of_source - 1
	UNION ALL
	SELECT m.oid, m.relation, false, format('has all columns of %s, which reads %s: exact answers that are kept?', m.source::regclass, m.relation::regclass)
	FROM matched m
	WHERE m.source <> m.relation AND m.matches = m.of_source AND m.of_source >= 2
	  AND NOT EXISTS (SELECT FROM reading r WHERE r.oid = m.oid)),
-- views of these
shown (copy, relation, kept, reason) AS (
	SELECT copy, relation, kept, reason FROM found
	UNION
	SELECT w.ev_class, s.relation, false, format('reads %s', s.copy::regclass)
	FROM shown s JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.copy AND d.classid = 'pg_rewrite'::regclass
	JOIN pg_rewrite w ON w.oid = d.objid AND w.ev_class <> s.copy AND w.ev_type = '1'
	WHERE s.kept OR s.reason LIKE 'has all columns of %')
SELECT DISTINCT ON (copy::regclass::text) copy::regclass, relation::regclass, kept, reason FROM shown
ORDER BY copy::regclass::text, kept DESC, reason, relation
$$;
REVOKE ALL ON FUNCTION dp_agg.copies() FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.copies() IS
'tables, materialized views and views of them that may hold protected rows, or exact answers about them, without being protected: what an extension keeps up to date by triggers, compressed chunks and continuous aggregates of TimescaleDB, what has all columns of a view of the rows, as continuous aggregates do, and what has some columns of a protected table alone
copy: what holds them
relation: a protected table that they may be of
kept: is it kept up to date by a trigger of that table, or by TimescaleDB?
reason: what tells
Tables that have all columns of a protected one are listed by dp_agg.check_exposure. A copy under other names, or of other types, is not told.';

CREATE FUNCTION dp_agg.preloaded(warn boolean DEFAULT false) RETURNS boolean
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dp_is_preloaded';
COMMENT ON FUNCTION dp_agg.preloaded(boolean) IS
'was the library loaded at server start, by shared_preload_libraries? Only then anything is answered. warn: raise a warning if not';

CREATE FUNCTION dp_agg_internal.memberships(role oid, OUT member_of oid, OUT path name[]) RETURNS SETOF record
LANGUAGE C STABLE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dp_sidechannel_memberships';
REVOKE ALL ON FUNCTION dp_agg_internal.memberships(oid) FROM PUBLIC;
COMMENT ON FUNCTION dp_agg_internal.memberships(oid) IS
'internal, of dp_agg.check_exposure: the role and each role that it is a member of, once, and through whom: one of the shortest ways';

CREATE FUNCTION dp_agg_internal.exposure_of_server(OUT object text, OUT channel text, OUT risk text, OUT remedy text)
RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'server', 'dp_agg is not preloaded', 'nothing is answered, and nothing watches over protected tables and budgets',
	format('ALTER SYSTEM SET shared_preload_libraries = %s; -- then restart the server', string_agg(quote_literal(btrim(l, ' "')), ', '))
FROM unnest(string_to_array(NULLIF(current_setting('shared_preload_libraries'), ''), ',') || 'dp_agg'::text) l
WHERE NOT dp_agg.preloaded()
HAVING count(*) > 0
$$;
REVOKE ALL ON FUNCTION dp_agg_internal.exposure_of_server() FROM PUBLIC;
COMMENT ON FUNCTION dp_agg_internal.exposure_of_server() IS
'internal, of dp_agg.check_exposure: a row if the library is not preloaded';

CREATE FUNCTION dp_agg.check_exposure(role regrole, OUT object text, OUT channel text, OUT risk text, OUT remedy text)
RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
WITH RECURSIVE
-- whose rights the role has or can take, and how: itself, roles it is in, PUBLIC
reached AS MATERIALIZED (
	SELECT a.oid, quote_ident(a.rolname) AS name, a AS attributes,
		CASE WHEN r.path <> '{}' THEN ' through ' || array_to_string(r.path, ', ') ELSE '' END AS through,
		CASE WHEN r.path <> '{}' THEN format('REVOKE %I FROM %I', r.path[1], pg_get_userbyid(check_exposure.role)) END AS leave
	FROM dp_agg_internal.memberships(quote_ident(pg_get_userbyid(COALESCE(check_exposure.role, 0)::oid))::regrole::oid) r
	JOIN pg_roles a ON a.oid = r.member_of),
grantees AS (
	SELECT oid, name, through FROM reached
	UNION ALL SELECT 0, 'PUBLIC', ' through PUBLIC'),

-- protected tables with what belongs to them, and what shows them
protected (oid) AS (
	SELECT objoid FROM pg_seclabel WHERE provider = 'dp_agg' AND classoid = 'pg_class'::regclass
	UNION
	SELECT store FROM dp_agg_internal.stores_of_timescale()
	UNION
	SELECT i.inhrelid FROM protected p JOIN pg_inherits i ON i.inhparent = p.oid),
owners AS (SELECT DISTINCT c.relowner AS oid FROM protected p JOIN pg_class c ON c.oid = p.oid),
servers AS (SELECT DISTINCT f.ftserver AS oid FROM protected p JOIN pg_foreign_table f ON f.ftrelid = p.oid),
extension AS (SELECT * FROM pg_extension WHERE extname = 'dp_agg'),
members AS (
	SELECT d.classid, d.objid FROM extension e JOIN pg_depend d
	ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'),
showing (oid, released) AS (
	SELECT oid, false FROM protected
	UNION
	SELECT w.ev_class, s.released OR EXISTS (
		SELECT FROM pg_depend f JOIN members m ON m.classid = 'pg_proc'::regclass AND m.objid = f.refobjid
		WHERE f.classid = 'pg_rewrite'::regclass AND f.objid = w.oid AND f.refclassid = 'pg_proc'::regclass)
	FROM showing s
	JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid AND d.classid = 'pg_rewrite'::regclass
	JOIN pg_rewrite w ON w.oid = d.objid AND w.ev_class <> s.oid),
shown AS (
	SELECT s.oid, bool_and(s.released) AS released, c.relkind
	FROM showing s JOIN pg_class c ON c.oid = s.oid
	WHERE s.oid NOT IN (SELECT oid FROM protected) AND s.oid NOT IN (SELECT objid FROM members WHERE classid = 'pg_class'::regclass)
	  AND NOT EXISTS (SELECT FROM pg_options_to_table(c.reloptions) o
					  WHERE o.option_name = 'security_invoker' AND o.option_value::boolean)
	GROUP BY s.oid, c.relkind),
-- views of the extension's own tables
retelling (oid) AS (
	SELECT m.objid FROM members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid AND c.relkind = 'r'
	UNION
	SELECT w.ev_class FROM retelling s
	JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid AND d.classid = 'pg_rewrite'::regclass
	JOIN pg_rewrite w ON w.oid = d.objid WHERE w.ev_class NOT IN (SELECT objid FROM members WHERE classid = 'pg_class'::regclass)),
linked AS (
	SELECT conrelid AS oid, true AS refers, false AS is_referred FROM pg_constraint
	WHERE contype = 'f' AND confrelid IN (SELECT oid FROM protected) AND conrelid NOT IN (SELECT oid FROM protected)
	UNION
	SELECT confrelid, false, true FROM pg_constraint
	WHERE contype = 'f' AND conrelid IN (SELECT oid FROM protected) AND confrelid NOT IN (SELECT oid FROM protected)),
sequences AS (
	SELECT d.objid AS oid FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'S'
	WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid IN (SELECT oid FROM protected)
	UNION
	SELECT d.refobjid FROM pg_attrdef a JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid
	JOIN pg_class c ON d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid AND c.relkind = 'S'
	WHERE a.adrelid IN (SELECT oid FROM protected)),

-- what may be done with them
rights AS (
	SELECT c.oid, a.privilege_type AS privilege, a.privilege_type AS named, g.name AS grantee, g.oid AS role, g.through, a.grantee = c.relowner AS by_owner
	FROM pg_class c, aclexplode(COALESCE(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's'::"char" ELSE 'r' END, c.relowner))) a, grantees g
	WHERE g.oid = a.grantee AND (c.relacl IS NOT NULL OR c.relkind NOT IN ('i', 'I', 't', 'c'))
	UNION ALL
	SELECT t.attrelid, a.privilege_type, format('%s (%s)', a.privilege_type, string_agg(quote_ident(t.attname), ', ' ORDER BY t.attnum)),
		g.name, g.oid, g.through, false
	FROM pg_attribute t, aclexplode(t.attacl) a, grantees g
	WHERE g.oid = a.grantee AND t.attacl IS NOT NULL AND NOT t.attisdropped
	GROUP BY t.attrelid, a.privilege_type, g.name, g.oid, g.through),
executable AS (
	SELECT DISTINCT ON (p.oid) p.oid, g.name AS grantee, g.oid AS role, g.through
	FROM pg_proc p, aclexplode(COALESCE(p.proacl, acldefault('f', p.proowner))) a, grantees g
	WHERE g.oid = a.grantee AND a.privilege_type = 'EXECUTE'
	ORDER BY p.oid, g.oid DESC),

-- tables that have all columns of a protected one: made of it, or put in its place
alike AS (
	SELECT c.oid, m.oid AS model
	FROM (SELECT t.attrelid AS oid, count(*) AS columns FROM pg_attribute t WHERE t.attnum > 0 AND NOT t.attisdropped
		  AND t.attrelid IN (SELECT oid FROM protected) GROUP BY t.attrelid) m
	JOIN pg_attribute t ON t.attrelid = m.oid AND t.attnum > 0 AND NOT t.attisdropped
	JOIN pg_attribute a ON a.attname = t.attname AND a.atttypid = t.atttypid AND a.attnum > 0 AND NOT a.attisdropped
	JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'f', 'm') AND c.oid NOT IN (SELECT oid FROM protected)
	WHERE m.columns > 1
	GROUP BY c.oid, m.oid, m.columns HAVING count(*) = m.columns),

-- owners of SECURITY DEFINER functions who can read protected tables
definers AS MATERIALIZED (
	SELECT o.oid FROM pg_roles o
	WHERE o.oid IN (SELECT proowner FROM pg_proc WHERE prosecdef) AND (o.rolsuper OR EXISTS (SELECT FROM protected t
		WHERE has_table_privilege(o.oid, t.oid, 'SELECT') OR has_any_column_privilege(o.oid, t.oid, 'SELECT')))),

-- privileges that PostgreSQL and extensions gave their objects from the start
initial AS (
	SELECT i.classoid AS class, i.objoid AS oid, i.objsubid > 0 AS of_column, a.grantee AS role, a.privilege_type AS privilege
	FROM pg_init_privs i, aclexplode(i.initprivs) a),

sides AS MATERIALIZED (SELECT * FROM dp_agg.side_channels()),

findings (rank, object, channel, risk, remedy) AS (
	-- whether there is a gate at all
	SELECT 0, object, channel, risk, remedy FROM dp_agg_internal.exposure_of_server()
	UNION ALL
	-- who the role is, or can be
	SELECT 1, 'role ' || name, 'superuser' || through, 'nothing is withheld from it', COALESCE(leave, format('ALTER ROLE %s NOSUPERUSER', name))
	FROM reached WHERE (attributes).rolsuper
	UNION ALL
	SELECT 1, 'role ' || name, 'REPLICATION' || through, 'reads every table from the write-ahead log', COALESCE(leave, format('ALTER ROLE %s NOREPLICATION', name))
	FROM reached WHERE (attributes).rolreplication AND NOT (attributes).rolsuper
	UNION ALL
	SELECT 1, 'role ' || name, 'CREATEROLE' || through, 'may become a member of other roles', COALESCE(leave, format('ALTER ROLE %s NOCREATEROLE', name))
	FROM reached WHERE (attributes).rolcreaterole AND NOT (attributes).rolsuper
	UNION ALL
	SELECT 3, 'role ' || name, 'BYPASSRLS' || through, 'row security does not hold for it', COALESCE(leave, format('ALTER ROLE %s NOBYPASSRLS', name))
	FROM reached WHERE (attributes).rolbypassrls AND NOT (attributes).rolsuper
	UNION ALL
	SELECT 1, format('database %I', d.datname), 'CREATEDB' || r.through, 'may copy the database, which is a template', format('ALTER DATABASE %I IS_TEMPLATE false', d.datname)
	FROM reached r, pg_database d
	WHERE (r.attributes).rolcreatedb AND NOT (r.attributes).rolsuper AND d.datname = current_database() AND d.datistemplate
	UNION ALL
	SELECT p.rank, 'role ' || r.name, 'membership' || r.through, p.risk, COALESCE(r.leave, 'DROP ROLE ' || r.name)
	FROM reached r JOIN (VALUES
		(1, 'pg_read_all_data', 'reads every table'),
		(1, 'pg_read_server_files', 'reads the files of tables'),
		(1, 'pg_write_server_files', 'writes any file of the server''s'),
		(1, 'pg_execute_server_program', 'runs programs as the server''s user'),
		(1, 'pg_write_all_data', 'rewrites budgets, and the number of rows it changes is an exact count'),
		(2, 'pg_maintain', 'VACUUM (VERBOSE) prints exact counts'),
		(2, 'pg_create_subscription', 'connects to servers, this one included'),
		(3, 'pg_monitor', 'sees sizes and statistics of every table'),
		(3, 'pg_read_all_stats', 'sees sizes and statistics of every table'),
		(3, 'pg_stat_scan_tables', 'sees sizes and locks of every table'),
		(3, 'pg_read_all_settings', 'sees settings that may hold passwords, such as primary_conninfo'),
		(4, 'pg_checkpoint', 'the time a checkpoint takes tells how much was written'),
		(4, 'pg_use_reserved_connections', 'takes connections that are kept for others'),
		(4, 'pg_signal_autovacuum_worker', 'may keep tables from being vacuumed'),
		(4, 'pg_signal_backend', 'may cancel others'' statements')) p (rank, name, risk) ON p.name = r.name

	-- what it owns
	UNION ALL
	SELECT 1, c.oid::regclass::text, 'ownership' || r.through, 'reads the rows and lifts the protection', format('ALTER TABLE %s OWNER TO ...', c.oid::regclass)
	FROM protected p JOIN pg_class c ON c.oid = p.oid JOIN reached r ON r.oid = c.relowner
	UNION ALL
	SELECT DISTINCT 3, format('schema %I', n.nspname), 'ownership' || r.through, 'may replace the protected tables in it by its own', format('ALTER SCHEMA %I OWNER TO ...', n.nspname)
	FROM protected p JOIN pg_class c ON c.oid = p.oid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN reached r ON r.oid = n.nspowner
	UNION ALL
	SELECT DISTINCT 3, format('schema %I', n.nspname), 'CREATE' || g.through, 'may put objects in the place of others that statements there mean',
		format('REVOKE CREATE ON SCHEMA %I FROM %s', n.nspname, g.name)
	FROM protected p JOIN pg_class c ON c.oid = p.oid JOIN pg_namespace n ON n.oid = c.relnamespace, aclexplode(n.nspacl) a JOIN grantees g ON g.oid = a.grantee
	WHERE a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner AND n.nspname NOT IN ('dp_agg', 'dp_accountant', 'dp_agg_internal') AND n.oid <> (SELECT extnamespace FROM extension)
	UNION ALL
	SELECT 3, format('database %I', d.datname), 'CREATE' || g.through, 'may make a schema that is called as another role and that this role''s statements look into first',
		format('REVOKE CREATE ON DATABASE %I FROM %s', d.datname, g.name)
	FROM pg_database d, aclexplode(d.datacl) a JOIN grantees g ON g.oid = a.grantee
	WHERE d.datname = current_database() AND a.privilege_type = 'CREATE' AND a.grantee <> d.datdba
	UNION ALL
	SELECT 2, format('database %I', d.datname), 'ownership' || r.through, 'sets everybody''s settings, and sees sizes of tables', format('ALTER DATABASE %I OWNER TO ...', d.datname)
	FROM pg_database d JOIN reached r ON r.oid = d.datdba WHERE d.datname = current_database()
	UNION ALL
	SELECT 1, 'extension dp_agg', 'ownership' || r.through, 'removes protection and budgets', r.leave
	FROM extension e JOIN reached r ON r.oid = e.extowner
	UNION ALL
	SELECT 1, format('schema %I', n.nspname), a.privilege_type || g.through, 'may put objects in the place of the extension''s',
		format('REVOKE %s ON SCHEMA %I FROM %s', a.privilege_type, n.nspname, g.name)
	FROM pg_namespace n, aclexplode(n.nspacl) a JOIN grantees g ON g.oid = a.grantee
	WHERE (n.nspname IN ('dp_agg', 'dp_accountant', 'dp_agg_internal') OR n.oid = (SELECT extnamespace FROM extension)) AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
	UNION ALL
	SELECT 1, format('schema %I', n.nspname), 'ownership' || r.through, 'may put objects in the place of the extension''s', format('ALTER SCHEMA %I OWNER TO ...', n.nspname)
	FROM pg_namespace n JOIN reached r ON r.oid = CASE WHEN n.nspowner = 'pg_database_owner'::regrole
		THEN (SELECT datdba FROM pg_database WHERE datname = current_database()) ELSE n.nspowner END
	WHERE n.nspname IN ('dp_agg', 'dp_accountant', 'dp_agg_internal') OR n.oid = (SELECT extnamespace FROM extension)
	UNION ALL
	SELECT 1, c.oid::regclass::text, string_agg(r.named, ', ' ORDER BY r.named) || r.through, 'rewrites budgets or the ledger',
		format('REVOKE %s ON %s FROM %s', string_agg(r.named, ', ' ORDER BY r.named), c.oid::regclass, r.grantee)
	FROM members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid JOIN rights r ON r.oid = c.oid
	WHERE c.relkind IN ('r', 'S') AND r.privilege NOT IN ('SELECT', 'REFERENCES') AND NOT r.by_owner
	GROUP BY c.oid, r.grantee, r.through
	UNION ALL
	SELECT 2, c.oid::regclass::text, r.named || r.through, 'a foreign key of its own stops budgets from being changed, and runs what it has made when they are',
		format('REVOKE %s ON %s FROM %s', r.named, c.oid::regclass, r.grantee)
	FROM members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid JOIN rights r ON r.oid = c.oid
	WHERE c.relkind = 'r' AND r.privilege = 'REFERENCES' AND NOT r.by_owner
	UNION ALL
	SELECT k.rank, c.oid::regclass::text, r.named || r.through, k.risk, format('REVOKE %s ON %s FROM %s', r.named, c.oid::regclass, r.grantee)
	FROM members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid JOIN rights r ON r.oid = c.oid,
	LATERAL (SELECT CASE WHEN c.relname IN ('kept_answer', 'ledger') THEN 2 ELSE 3 END, CASE c.relname
		WHEN 'kept_answer' THEN 'shows what others asked, and what they were answered' WHEN 'ledger' THEN 'shows what others asked: for an auditor, who has no budget'
		WHEN 'budget' THEN 'shows what others have spent: for an auditor, who has no budget' ELSE 'not everybody''s from the start: review it' END) k (rank, risk)
	WHERE c.relkind IN ('r', 'S') AND r.privilege = 'SELECT' AND NOT r.by_owner
	  AND (c.relname NOT IN ('budget', 'ledger') OR EXISTS (SELECT FROM dp_agg.budget b JOIN reached o ON o.oid = b.role))
	UNION ALL
	SELECT 3, c.oid::regclass::text, r.named || r.through, 'a view of budgets, the ledger or answers: review what it shows of others',
		format('REVOKE %s ON %s FROM %s', r.named, c.oid::regclass, r.grantee)
	FROM retelling v JOIN pg_class c ON c.oid = v.oid AND c.relkind IN ('v', 'm') JOIN rights r ON r.oid = c.oid
	WHERE r.privilege IN ('SELECT', 'UPDATE', 'DELETE') AND NOT r.by_owner
	  AND NOT EXISTS (SELECT FROM pg_options_to_table(c.reloptions) o WHERE o.option_name = 'security_invoker' AND o.option_value::boolean)
	UNION ALL
	SELECT 1, p.oid::regprocedure::text, 'EXECUTE' || x.through, 'may raise its own budget', format('REVOKE EXECUTE ON FUNCTION %s FROM %s', p.oid::regprocedure, x.grantee)
	FROM members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid JOIN executable x ON x.oid = p.oid
	WHERE p.proname IN ('set_budget', 'reset_budget', 'drop_budget', 'set_dataset_cap', 'drop_dataset_cap', 'acknowledge_copy')

	-- what it may do with protected tables
	UNION ALL
	SELECT k.rank, p.oid::regclass::text, r.named || r.through, k.risk, format('REVOKE %s ON %s FROM %s', r.named, p.oid::regclass, r.grantee)
	FROM protected p JOIN rights r ON r.oid = p.oid JOIN (VALUES
		(1, 'SELECT', 'reads the rows'),
		(1, 'TRIGGER', 'a trigger of its own is handed the rows that others write'),
		(2, 'INSERT', 'errors and skipped rows tell which keys exist'),
		(2, 'UPDATE', 'the number of rows it changes is an exact count'),
		(2, 'DELETE', 'the number of rows it removes is an exact count'),
		(2, 'REFERENCES', 'a foreign key of its own tells which keys exist'),
		(2, 'MAINTAIN', 'VACUUM (VERBOSE) prints exact counts'),
		(3, 'TRUNCATE', 'empties the table, and waits while others use it')) k (rank, privilege, risk) USING (privilege)
	WHERE NOT r.by_owner
	UNION ALL
	SELECT 2, format('future tables of %s', d.defaclrole::regrole), format('default privilege %s', a.privilege_type) || g.through, 'new partitions and copies of protected tables are open to it',
		format('ALTER DEFAULT PRIVILEGES FOR ROLE %s%s REVOKE %s ON TABLES FROM %s', d.defaclrole::regrole, ' IN SCHEMA ' || quote_ident(n.nspname), a.privilege_type, g.name)
	FROM pg_default_acl d LEFT JOIN pg_namespace n ON n.oid = d.defaclnamespace,
	aclexplode(d.defaclacl) a JOIN grantees g ON g.oid = a.grantee
	WHERE d.defaclobjtype = 'r' AND d.defaclrole IN (SELECT oid FROM owners) AND a.grantee <> d.defaclrole

	-- what may be a copy of them
	UNION ALL
	SELECT 2, a.oid::regclass::text, r.named || r.through, format('is not protected, but has all columns of %s: a copy of it, or in its place?', min(a.model::regclass::text)),
		format('REVOKE %s ON %s FROM %s', r.named, a.oid::regclass, r.grantee)
	FROM alike a JOIN rights r ON r.oid = a.oid WHERE r.privilege = 'SELECT' AND NOT r.by_owner
	GROUP BY a.oid, r.named, r.through, r.grantee

	UNION ALL
	SELECT CASE WHEN c.kept THEN 1 ELSE 3 END, c.copy::text, r.named || r.through, c.reason, format('REVOKE %s ON %s FROM %s', r.named, c.copy, r.grantee)
	FROM dp_agg.copies() c JOIN rights r ON r.oid = c.copy
	WHERE r.privilege = 'SELECT' AND c.copy NOT IN (SELECT oid FROM protected) AND (c.kept OR (NOT r.by_owner AND c.copy NOT IN (SELECT oid FROM alike)))

	-- what others have attached to them
	UNION ALL
	SELECT CASE WHEN a.role IN (SELECT oid FROM reached) THEN 1 WHEN a.hand LIKE '% of extension %' THEN 4 ELSE 3 END, a.relation::text, a.object, a.hand || ': review it', a.remedy
	FROM dp_agg.attached() a

	-- what shows them, or tells of them
	UNION ALL
	SELECT CASE WHEN s.relkind NOT IN ('v', 'm') THEN 3 WHEN s.released THEN 4 WHEN r.privilege = 'SELECT' THEN 1 ELSE 2 END,
		s.oid::regclass::text, r.named || r.through,
		CASE WHEN s.relkind NOT IN ('v', 'm') THEN 'its rules read or write a protected table: review them'
			 WHEN s.released THEN 'a view of a protected table: review what it shows beside releases'
			 WHEN r.privilege = 'SELECT' THEN 'shows rows of a protected table, or exact answers'
			 WHEN r.privilege = 'MAINTAIN' THEN 'VACUUM (VERBOSE) prints exact counts'
			 ELSE 'changes a protected table' END,
		format('REVOKE %s ON %s FROM %s', r.named, s.oid::regclass, r.grantee)
	FROM shown s JOIN rights r ON r.oid = s.oid
	WHERE (r.privilege IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE') OR (r.privilege = 'MAINTAIN' AND s.relkind = 'm' AND NOT s.released))
	  AND (NOT r.by_owner OR s.relkind NOT IN ('v', 'm'))
	UNION ALL
	SELECT CASE r.privilege WHEN 'SELECT' THEN 3 ELSE 2 END, l.oid::regclass::text, r.named || r.through,
		CASE WHEN r.privilege = 'SELECT' THEN 'shows keys of a protected table it refers to'
			 WHEN l.refers THEN 'refuses rows unless a protected one exists'
			 ELSE 'refuses to change rows that protected ones refer to' END,
		format('REVOKE %s ON %s FROM %s', r.named, l.oid::regclass, r.grantee)
	FROM linked l JOIN rights r ON r.oid = l.oid
	WHERE (l.refers AND r.privilege IN ('SELECT', 'INSERT', 'UPDATE')) OR (l.is_referred AND r.privilege IN ('UPDATE', 'DELETE'))
	UNION ALL
	SELECT 3, s.oid::regclass::text, string_agg(r.named, ', ' ORDER BY r.named) || r.through, 'counts the rows of a protected table',
		format('REVOKE %s ON SEQUENCE %s FROM %s', string_agg(r.named, ', ' ORDER BY r.named), s.oid::regclass, r.grantee)
	FROM sequences s JOIN rights r ON r.oid = s.oid WHERE NOT r.by_owner
	GROUP BY s.oid, r.grantee, r.through
	UNION ALL
	SELECT 3, p.oid::regprocedure::text, 'SECURITY DEFINER function' || x.through, format('runs with the rights of %s: review it', p.proowner::regrole),
		format('REVOKE EXECUTE ON ROUTINE %s FROM %s', p.oid::regprocedure, x.grantee)
	FROM pg_proc p JOIN executable x ON x.oid = p.oid JOIN definers d ON d.oid = p.proowner
	WHERE p.prosecdef AND p.oid NOT IN (SELECT objid FROM members WHERE classid = 'pg_proc'::regclass) AND p.proowner NOT IN (SELECT oid FROM reached)
	UNION ALL
	SELECT 3, p.oid::regprocedure::text, format('function in untrusted language %s', l.lanname) || x.through, 'can do what the server''s user can: review it',
		format('REVOKE EXECUTE ON ROUTINE %s FROM %s', p.oid::regprocedure, x.grantee)
	FROM pg_proc p JOIN executable x ON x.oid = p.oid JOIN pg_language l ON l.oid = p.prolang
	WHERE NOT l.lanpltrusted AND l.lanname NOT IN ('c', 'internal')
	UNION ALL
	SELECT 3, p.oid::regprocedure::text, format('function in language %s of no extension', l.lanname) || x.through, 'can do what the server can: review it',
		format('REVOKE EXECUTE ON ROUTINE %s FROM %s', p.oid::regprocedure, x.grantee)
	FROM pg_proc p JOIN executable x ON x.oid = p.oid JOIN pg_language l ON l.oid = p.prolang
	WHERE p.oid >= 16384 AND l.lanname IN ('c', 'internal') AND p.prokind <> 'a'
	  AND p.prorettype <> ALL ('{trigger,event_trigger,language_handler,fdw_handler,index_am_handler,table_am_handler,tsm_handler,internal}'::regtype[])
	  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e')

	-- what PostgreSQL and extensions do not give to everybody
	UNION ALL
	SELECT CASE WHEN f.files THEN 1 ELSE 3 END, p.oid::regprocedure::text, 'EXECUTE' || x.through,
		CASE WHEN f.files THEN 'reads or writes files of the server' ELSE 'not everybody''s from the start: review it' END,
		format('REVOKE EXECUTE ON ROUTINE %s FROM %s', p.oid::regprocedure, x.grantee)
	FROM pg_proc p JOIN executable x ON x.oid = p.oid, LATERAL (SELECT p.proname ~ '^(pg_read_(binary_)?file|pg_file_|lo_(im|ex)port$)') f (files)
	WHERE EXISTS (SELECT FROM initial i WHERE i.class = 'pg_proc'::regclass AND i.oid = p.oid)
	  AND NOT EXISTS (SELECT FROM initial i WHERE i.class = 'pg_proc'::regclass AND i.oid = p.oid AND i.role IN (0, x.role))
	  AND p.proname !~ '^(dblink.*|(set|reset|drop)_budget|(set|drop)_dataset_cap|acknowledge_copy)$'
	UNION ALL
	SELECT k.rank, c.oid::regclass::text, r.named || r.through, k.risk, format('REVOKE %s ON %s FROM %s', r.named, c.oid::regclass, r.grantee)
	FROM pg_class c JOIN rights r ON r.oid = c.oid, LATERAL (SELECT CASE
		WHEN c.relname ~ '^pg_statistic' THEN 1 WHEN c.relname ~ '^pg_(authid|shadow|user_mapping|subscription|largeobject)$' THEN 2 ELSE 3 END, CASE
		WHEN c.relname ~ '^pg_statistic' THEN 'holds values of the rows'
		WHEN c.relname ~ '^pg_(authid|shadow|user_mapping|subscription)$' THEN 'holds passwords'
		WHEN c.relname ~ '^pg_largeobject$' THEN 'holds all large objects' ELSE 'not everybody''s from the start: review it' END) k (rank, risk)
	WHERE c.relnamespace = 'pg_catalog'::regnamespace AND r.privilege = 'SELECT'
	  AND EXISTS (SELECT FROM initial i WHERE i.class = 'pg_class'::regclass AND i.oid = c.oid)
	  AND NOT EXISTS (SELECT FROM initial i WHERE i.class = 'pg_class'::regclass AND i.oid = c.oid AND i.role IN (0, r.role)
					  AND i.privilege = 'SELECT' AND (NOT i.of_column OR r.named <> r.privilege))

	-- ways back in from outside
	UNION ALL
	SELECT 2, format('server %I', m.srvname), 'user mapping' || g.through,
		CASE WHEN m.srvid IN (SELECT oid FROM servers) THEN 'connects with stored credentials to a server that holds protected rows'
			 ELSE 'connects with stored credentials, perhaps to this server as somebody else' END,
		format('DROP USER MAPPING FOR %s SERVER %I', g.name, m.srvname)
	FROM pg_user_mappings m JOIN grantees g ON g.oid = m.umuser
	UNION ALL
	SELECT CASE WHEN s.oid IN (SELECT oid FROM servers) THEN 2 ELSE 3 END, format('server %I', s.srvname), a.privilege_type || g.through,
		CASE WHEN s.oid IN (SELECT oid FROM servers) THEN 'may make foreign tables of the protected rows there'
			 ELSE 'may make foreign tables there, perhaps of protected tables' END,
		format('REVOKE %s ON FOREIGN SERVER %I FROM %s', a.privilege_type, s.srvname, g.name)
	FROM pg_foreign_server s, aclexplode(COALESCE(s.srvacl, acldefault('S', s.srvowner))) a JOIN grantees g ON g.oid = a.grantee
	UNION ALL
	SELECT 3, format('foreign-data wrapper %I', w.fdwname), a.privilege_type || g.through, 'may declare servers, this one included', format('REVOKE %s ON FOREIGN DATA WRAPPER %I FROM %s', a.privilege_type, w.fdwname, g.name)
	FROM pg_foreign_data_wrapper w, aclexplode(COALESCE(w.fdwacl, acldefault('F', w.fdwowner))) a JOIN grantees g ON g.oid = a.grantee
	UNION ALL
	SELECT 3, c.oid::regclass::text, r.named || r.through, 'a foreign table may lead back to a protected one: review it', format('REVOKE %s ON %s FROM %s', r.named, c.oid::regclass, r.grantee)
	FROM pg_class c JOIN rights r ON r.oid = c.oid WHERE c.relkind = 'f' AND r.privilege = 'SELECT' AND c.oid NOT IN (SELECT oid FROM protected)
	UNION ALL
	SELECT CASE WHEN bool_or(p.proname ~ '_u$') THEN 1 ELSE 3 END, 'extension dblink', 'EXECUTE' || x.through, 'connects to servers, this one included',
		format('REVOKE EXECUTE ON FUNCTION %s FROM %s', string_agg(p.oid::regprocedure::text, ', ' ORDER BY p.oid), x.grantee)
	FROM pg_extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
	JOIN pg_proc p ON p.oid = d.objid JOIN executable x ON x.oid = p.oid
	WHERE e.extname = 'dblink' AND p.proname ~ '^dblink(_connect|_connect_u|_exec|_open|_send_query)?$'
	GROUP BY x.grantee, x.through
	UNION ALL
	SELECT 2, 'setting ' || p.parname, a.privilege_type || g.through, 'a superuser''s setting: it may make the server report or load anything', format('REVOKE %s ON PARAMETER %s FROM %s', a.privilege_type, p.parname, g.name)
	FROM pg_parameter_acl p, aclexplode(p.paracl) a JOIN grantees g ON g.oid = a.grantee
	UNION ALL
	SELECT 4, format('database %I', d.datname), a.privilege_type || g.through, 'there it sees counters of all databases, unless that one is hardened too', format('REVOKE CONNECT ON DATABASE %I FROM %s', d.datname, g.name)
	FROM pg_database d, aclexplode(COALESCE(d.datacl, acldefault('d', d.datdba))) a JOIN grantees g ON g.oid = a.grantee
	WHERE d.datallowconn AND d.datname <> current_database() AND a.privilege_type = 'CONNECT'

	-- what PostgreSQL shows
	UNION ALL
	SELECT 3, CASE count(*) WHEN 1 THEN min(s.object) ELSE format('%s objects', count(*)) END, s.channel || ' through PUBLIC', min(s.reason), 'SELECT dp_agg.harden(true)'
	FROM sides s WHERE s.open GROUP BY s.channel
	UNION ALL
	SELECT 3, s.object, format('%s through PUBLIC, granted by %I', s.channel, pg_get_userbyid(a.grantor)), 'stays open after dp_agg.harden, which takes back what its owner granted',
		format('REVOKE GRANT OPTION FOR %s ON %s FROM %I CASCADE', a.privilege_type, s.object, pg_get_userbyid(a.grantor))
	FROM sides s, LATERAL (
		SELECT p.proacl, p.proowner FROM pg_proc p WHERE p.oid = CASE WHEN s.object ~ '^(FUNCTION|PROCEDURE) ' THEN substr(s.object, strpos(s.object, ' ') + 1) END::regprocedure
		UNION ALL
		SELECT c.relacl, c.relowner FROM pg_class c WHERE c.oid = CASE WHEN s.object !~ '^(FUNCTION|PROCEDURE) ' THEN s.object END::regclass) o (acl, owner),
	aclexplode(o.acl) a
	WHERE s.open AND a.grantee = 0 AND a.grantor <> o.owner
	UNION ALL
	SELECT 3, p.oid::regprocedure::text, s.channel || x.through, s.reason, format('REVOKE EXECUTE ON ROUTINE %s FROM %s', p.oid::regprocedure, x.grantee)
	FROM sides s JOIN pg_proc p ON p.oid = CASE WHEN s.object ~ '^(FUNCTION|PROCEDURE) ' THEN substr(s.object, strpos(s.object, ' ') + 1) END::regprocedure
	JOIN executable x ON x.oid = p.oid
	WHERE x.grantee NOT IN ('PUBLIC', 'pg_read_all_stats', 'pg_monitor', 'pg_stat_scan_tables') AND p.proowner NOT IN (SELECT oid FROM reached)
	UNION ALL
	SELECT 3, c.oid::regclass::text, r.named || r.through, s.reason, format('REVOKE SELECT ON %s FROM %s', c.oid::regclass, r.grantee)
	FROM sides s JOIN pg_class c ON c.oid = CASE WHEN s.object !~ '^(FUNCTION|PROCEDURE) ' THEN s.object END::regclass
	JOIN rights r ON r.oid = c.oid
	WHERE r.privilege = 'SELECT' AND r.grantee NOT IN ('PUBLIC', 'pg_read_all_stats', 'pg_monitor', 'pg_stat_scan_tables', 'pg_database_owner') AND NOT r.by_owner

	-- budgets that add up
	UNION ALL
	SELECT CASE WHEN c.roles > 1 THEN 3 ELSE 4 END, format('data set %I', b.dataset), 'budget without a cap' || r.through,
		CASE WHEN c.roles > 1 THEN format('%s roles together may learn the sum of their budgets', c.roles) ELSE 'roles added later may pool their budgets with it' END,
		format('SELECT dp_agg.set_dataset_cap(%L, ...)', b.dataset)
	FROM dp_agg.budget b JOIN reached r ON r.oid = b.role,
	LATERAL (SELECT count(*) AS roles FROM dp_agg.budget o WHERE o.dataset = b.dataset AND o.role::oid <> 0) c
	WHERE NOT EXISTS (SELECT FROM dp_agg.budget o WHERE o.dataset = b.dataset AND o.role::oid = 0)
	UNION ALL
	SELECT 3, format('data set %I', b.dataset), 'budget that refreshes' || r.through, format('what it may learn grows by its budget every %s', b.refresh),
		format('SELECT dp_agg.set_budget(%L, ..., %L)', r.name, b.dataset)
	FROM dp_agg.budget b JOIN reached r ON r.oid = b.role WHERE b.refresh IS NOT NULL)
SELECT f.object, f.channel, (ARRAY['critical: ', 'high: ', 'medium: ', 'low: '])[GREATEST(f.rank, 1)] || f.risk, f.remedy
FROM findings f
ORDER BY f.rank, f.object, f.channel, f.remedy
$$;
REVOKE ALL ON FUNCTION dp_agg.check_exposure(regrole) FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.check_exposure(regrole) IS
'what a role can see around the gate in this database, by its own rights, those of roles it is a member of, and those of PUBLIC; the worst first; nothing if nothing was found
object: what it has rights on, or is
channel: the right, and through whom it has it
risk: critical (reads rows, or can get to), high (exact answers about rows or keys), medium (sizes, activity, or to be reviewed) or low, and what it is
remedy: a statement that takes it away; where it ends in dots, to be completed
Not found: copies under other names of columns than a protected table or a view of it has, what functions with the owner''s rights return, what other databases and servers show.
errors: 42704 no such role';

-- The same for every role that can ask: those with a budget, and those whom it serves as their pool.
-- What all have through PUBLIC is a row of its own.
CREATE FUNCTION dp_agg.check_exposure(OUT role regrole, OUT object text, OUT channel text, OUT risk text, OUT remedy text)
RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
WITH RECURSIVE asking (role) AS (
	SELECT b.role::oid FROM dp_agg.budget b WHERE b.role::oid <> 0
	UNION
	SELECT m.member FROM asking a JOIN pg_auth_members m ON m.roleid = a.role),
found AS (
	SELECT 1 AS first, NULL::regrole AS role, s.object, s.channel, 'critical: ' || s.risk AS risk, s.remedy FROM dp_agg_internal.exposure_of_server() s
	UNION
	SELECT 2, CASE WHEN f.channel !~ ' through PUBLIC(,|$)' THEN r.oid::regrole END, f.object, f.channel, f.risk, f.remedy
	FROM (SELECT r.oid FROM asking a JOIN pg_roles r ON r.oid = a.role OFFSET 0) r, dp_agg.check_exposure(r.oid::regrole) f
	WHERE NOT EXISTS (SELECT FROM dp_agg_internal.exposure_of_server() s WHERE (s.object, s.channel) = (f.object, f.channel)))
SELECT f.role, f.object, f.channel, f.risk, f.remedy
FROM found f
ORDER BY f.first, array_position(ARRAY['critical', 'high', 'medium', 'low'], split_part(f.risk, ':', 1)), f.role::text NULLS FIRST, f.object, f.channel, f.remedy
$$;
REVOKE ALL ON FUNCTION dp_agg.check_exposure() FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.check_exposure() IS
'what dp_agg.check_exposure(role) finds of every role that has a budget, or is a member of one that has; the worst first
role: null for what every role has, through PUBLIC
It takes a tenth of a second a role.';

--
-- taking the extension out of a database
--

CREATE FUNCTION dp_agg_internal.remove_labels(OUT provider text, OUT object text, OUT label text) RETURNS SETOF record
LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'dp_policy_remove_labels';
REVOKE ALL ON FUNCTION dp_agg_internal.remove_labels() FROM PUBLIC;
COMMENT ON FUNCTION dp_agg_internal.remove_labels() IS
'internal, of dp_agg.uninstall: removes all security labels of dp_agg and dp_agg_domain in this database, and returns them';

CREATE FUNCTION dp_agg.uninstall(OUT done boolean, OUT step text, OUT statement text) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	entries bigint;
	holders bigint;
	others text;
BEGIN
	RETURN QUERY SELECT true, format('removed the label of %s', coalesce(object, 'an object that is gone')),
			format('SECURITY LABEL FOR %I ON %s IS %L', provider, object, label)
		FROM dp_agg_internal.remove_labels() ORDER BY 2, 3;
	SELECT count(*) INTO entries FROM dp_agg.ledger;
	SELECT count(*) INTO holders FROM dp_agg.budget;
	IF entries > 0 OR holders > 0 THEN
		RETURN QUERY VALUES (false, format('keep the ledger (rows: %s, budgets and caps: %s): DROP EXTENSION removes it, and forgets what was spent', entries, holders),
			'\copy (SELECT * FROM dp_agg.ledger ORDER BY id) TO ledger.copy (FORMAT binary)');
	END IF;
	RETURN QUERY WITH members AS (
			SELECT d.classid, d.objid FROM pg_extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
			WHERE e.extname = 'dp_agg' AND d.deptype = 'e'),
		used AS (
			SELECT * FROM members
			UNION ALL
			SELECT 'pg_type'::regclass, t.oid FROM members m JOIN pg_type t ON m.classid = 'pg_class'::regclass AND t.typrelid = m.objid),
		users AS (
			SELECT CASE WHEN w.oid IS NULL THEN d.classid ELSE 'pg_class'::regclass END AS classid, coalesce(w.ev_class, d.objid) AS objid
			FROM used u JOIN pg_depend d ON d.refclassid = u.classid AND d.refobjid = u.objid
			LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
			WHERE d.deptype = 'n' AND d.classid <> 'pg_trigger'::regclass
			EXCEPT SELECT * FROM members)
		SELECT false, format('drop or change what uses the extension: %s', pg_describe_object(u.classid, u.objid, 0)), NULL::text
		FROM users u ORDER BY 2;
	IF EXISTS (SELECT FROM dp_agg.side_channels() c WHERE NOT c.open) THEN
		RETURN QUERY VALUES (false, 'give back to PUBLIC what dp_agg.harden closed, unless it may stay closed', 'SELECT restore FROM dp_agg.side_channels() WHERE NOT open \gexec');
	END IF;
	RETURN QUERY VALUES (false, 'drop the extension', 'DROP EXTENSION dp_agg');
	SELECT string_agg(quote_ident(d.datname), ', ' ORDER BY d.datname) INTO others FROM pg_database d JOIN pg_shseclabel l ON l.objoid = d.oid
		WHERE l.classoid = 'pg_database'::regclass AND l.provider = 'dp_agg_database' AND d.datname <> current_database();
	IF others IS NOT NULL THEN
		RETURN QUERY VALUES (false, format('do the same in each other database that has the extension: %s', others), 'SELECT * FROM dp_agg.uninstall()');
	END IF;
	RETURN QUERY VALUES (false, 'and in databases that were made from a template with the extension, if there are any: they are not known here', NULL);
	RETURN QUERY VALUES (false, 'take dp_agg out of shared_preload_libraries, wherever that is set, and restart the server', 'SHOW shared_preload_libraries'),
		(false, 'then remove the package or the files, and not before: a server that names a library that is gone does not start', NULL);
END $$;
REVOKE ALL ON FUNCTION dp_agg.uninstall() FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.uninstall() IS
'removes what DROP EXTENSION leaves behind in this database and a dump cannot be restored with where the library is not: the security labels by which tables are protected and columns have domains or are hidden. Opens nothing: tables are as closed as their privileges say. Budgets and ledger stay until DROP EXTENSION
done: whether it is done already, or left to do
step: what it is
statement: of what is done, what would undo it; of what is not, what does it, in psql; null if no statement does
The extension''s owner only. Errors: 42501 not the owner; 25006 in a read-only transaction, or on a standby';

--
-- accountant: curves, conversions, calibration, composition, thresholds
--

-- Functions of their arguments alone: they read no data and charge nothing.
-- What bounds a cost is rounded up, never below the true value and within 1e-10
-- of it relative; what a budget allows is rounded down.

CREATE FUNCTION dp_accountant.rdp_gaussian(alpha double precision, sigma double precision,
	sensitivity double precision DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_rdp_gaussian'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.rdp_gaussian(double precision, double precision, double precision) IS
'Renyi divergence of Gaussian noise, alpha sensitivity^2 / (2 sigma^2), in nats, rounded up. alpha: Renyi order, 1.01 to 1e9; sigma: standard deviation, above 0; sensitivity: L2, above 0, in the unit of sigma. Source: Mironov 2017, Corollary 3. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.rdp_laplace(alpha double precision, scale double precision,
	sensitivity double precision DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_rdp_laplace'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.rdp_laplace(double precision, double precision, double precision) IS
'Renyi divergence of continuous Laplace noise, in nats, rounded up; noise on integers costs more, see rdp_discrete_laplace. alpha: Renyi order, 1.01 to 1e9; scale: above 0; sensitivity: L1, above 0, in the unit of scale. Source: Mironov 2017, Proposition 6. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.rdp_discrete_laplace(alpha double precision, scale double precision,
	sensitivity bigint DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_rdp_discrete_laplace'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.rdp_discrete_laplace(double precision, double precision, bigint) IS
'Renyi divergence of discrete Laplace noise, P(z) ~ exp(-|z| / scale) on the integers, in nats, rounded up: what releases are charged. alpha: Renyi order, 1.01 to 1e9; scale: 0.001 to 1e18; sensitivity: L1, whole, at least 1. Source: exact sum over the distribution. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.rdp_discrete_gaussian(alpha double precision, sigma2 double precision,
	sensitivity bigint DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_rdp_discrete_gaussian'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.rdp_discrete_gaussian(double precision, double precision, bigint) IS
'Renyi divergence of discrete Gaussian noise, P(z) ~ exp(-z^2 / (2 sigma2)) on the integers, in nats, rounded up: the divergence itself, at most alpha sensitivity^2 / (2 sigma2). alpha: Renyi order, 1.01 to 1e9; sigma2: 1e-6 to 1e30; sensitivity: whole, at least 1. Source: Canonne, Kamath, Steinke 2020, by completing the square. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.rdp_pure(alpha double precision, epsilon double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_rdp_pure'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.rdp_pure(double precision, double precision) IS
'greatest Renyi divergence of any epsilon-differentially private mechanism, in nats, rounded up. alpha: Renyi order, 1.01 to 1e9; epsilon: 0 to 1e6. Source: Kairouz, Oh, Viswanath 2015 (randomised response is worst). Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.rdp_randomized_response(alpha double precision, p double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_rdp_randomized_response'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.rdp_randomized_response(double precision, double precision) IS
'Renyi divergence of binary randomised response, in nats, rounded up. alpha: Renyi order, 1.01 to 1e9; p: probability of the true answer, between 0 and 1 exclusively. Source: Mironov 2017, Proposition 5. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.rdp_exponential(alpha double precision, epsilon double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_rdp_exponential'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.rdp_exponential(double precision, double precision) IS
'greatest Renyi divergence of any mechanism of epsilon-bounded range, as the exponential mechanism with score exp(epsilon q / (2 sensitivity)) is, in nats, rounded up; at most alpha epsilon^2 / 8. alpha: Renyi order, 1.01 to 1e9; epsilon: 0 to 1e6. Source: Dong, Durfee, Rogers 2020. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.rdp_subsampled_gaussian(alpha double precision, p double precision,
	sigma double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_rdp_subsampled_gaussian'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.rdp_subsampled_gaussian(double precision, double precision, double precision) IS
'Renyi divergence of Gaussian noise of sensitivity 1 on a Poisson sample of the units, by secret fresh coins per unit, in nats, rounded up; (alpha - 1) times it is interpolated linearly between whole orders. alpha: Renyi order, 1.01 to 1e5; p: probability of each unit to be in the sample, above 0, at most 1; sigma: above 0. Source: Steinke 2022, Theorem 34. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.rdp_subsampled_laplace(alpha double precision, p double precision,
	scale double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_rdp_subsampled_laplace'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.rdp_subsampled_laplace(double precision, double precision, double precision) IS
'the same for discrete Laplace noise of sensitivity 1. alpha: Renyi order, 1.01 to 1e5; p: probability of each unit to be in the sample, above 0, at most 1; scale: 0.001 to 1e18. Source: Steinke 2022, Theorem 34. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.rdp_to_epsilon(alpha double precision, rdp double precision, delta double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_rdp_to_epsilon'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.rdp_to_epsilon(double precision, double precision, double precision) IS
'epsilon at which a Renyi divergence gives (epsilon, delta)-differential privacy, max(0, rdp - log(alpha delta) / (alpha - 1) + log(1 - 1 / alpha)), rounded up. alpha: Renyi order, 1.01 to 1e9; rdp: in nats, at least 0; delta: between 0 and 1 exclusively. Source: Canonne, Kamath, Steinke 2020; Steinke 2022, Lemma 33. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.rdp_to_delta(alpha double precision, rdp double precision, epsilon double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_rdp_to_delta'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.rdp_to_delta(double precision, double precision, double precision) IS
'delta at which a Renyi divergence gives (epsilon, delta)-differential privacy, the inverse of rdp_to_epsilon, at most 1, rounded up. alpha: Renyi order, 1.01 to 1e9; rdp: in nats, at least 0; epsilon: 0 to 1e6. Source: Canonne, Kamath, Steinke 2020. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.zcdp_to_epsilon(rho double precision, delta double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_zcdp_to_epsilon'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.zcdp_to_epsilon(double precision, double precision) IS
'epsilon at which rho-concentrated privacy gives (epsilon, delta)-differential privacy: rdp_to_epsilon at the best of all orders, rounded up. rho: at least 0; delta: between 0 and 1 exclusively. Source: Canonne, Kamath, Steinke 2020. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.zcdp_to_delta(rho double precision, epsilon double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_zcdp_to_delta'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.zcdp_to_delta(double precision, double precision) IS
'delta at which rho-concentrated privacy gives (epsilon, delta)-differential privacy: rdp_to_delta at the best of all orders, rounded up. rho: at least 0; epsilon: 0 to 1e6. Source: Canonne, Kamath, Steinke 2020. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.zcdp_max_rho(epsilon double precision, delta double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_zcdp_max_rho'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.zcdp_max_rho(double precision, double precision) IS
'greatest rho that zcdp_to_epsilon converts to at most epsilon, rounded down. epsilon: 0 to 1e6; delta: between 0 and 1 exclusively. Source: Canonne, Kamath, Steinke 2020. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.gaussian_delta(sigma double precision, epsilon double precision,
	sensitivity double precision DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_gaussian_delta'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.gaussian_delta(double precision, double precision, double precision) IS
'least delta at which Gaussian noise is (epsilon, delta)-differentially private, rounded up. sigma: standard deviation, above 0; epsilon: 0 to 1e6; sensitivity: L2, above 0. Source: Balle, Wang 2018, Theorem 8. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.gaussian_sigma(epsilon double precision, delta double precision,
	sensitivity double precision DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_gaussian_sigma'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.gaussian_sigma(double precision, double precision, double precision) IS
'least standard deviation at which Gaussian noise is (epsilon, delta)-differentially private, rounded up (analytic calibration). epsilon: 1e-9 to 1e6; delta: above 0, at most 0.5; sensitivity: L2, above 0. Source: Balle, Wang 2018. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.laplace_delta(scale double precision, epsilon double precision,
	sensitivity double precision DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_laplace_delta'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.laplace_delta(double precision, double precision, double precision) IS
'least delta at which continuous Laplace noise is (epsilon, delta)-differentially private, max(0, 1 - exp((epsilon - sensitivity / scale) / 2)), rounded up. scale: above 0; epsilon: 0 to 1e6; sensitivity: L1, above 0. Source: Balle, Barthe, Gaboardi 2018. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.discrete_laplace_delta(scale double precision, epsilon double precision,
	sensitivity bigint DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_discrete_laplace_delta'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.discrete_laplace_delta(double precision, double precision, bigint) IS
'least delta at which discrete Laplace noise is (epsilon, delta)-differentially private, rounded up. scale: 0.001 to 1e18; epsilon: 0 to 1e6; sensitivity: whole, at least 1. Source: exact sum over the distribution. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.discrete_gaussian_delta(sigma2 double precision, epsilon double precision,
	sensitivity bigint DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_discrete_gaussian_delta'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.discrete_gaussian_delta(double precision, double precision, bigint) IS
'least delta at which discrete Gaussian noise is (epsilon, delta)-differentially private, rounded up. sigma2: variance parameter, 1e-6 to 1e30; epsilon: 0 to 1e6; sensitivity: whole, at least 1. Source: Canonne, Kamath, Steinke 2020, Theorem 7. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.discrete_laplace_variance(scale double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_discrete_laplace_variance'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.discrete_laplace_variance(double precision) IS
'variance of discrete Laplace noise, to the nearest double. scale: 0.001 to 1e18. Source: exact sum over the distribution. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.discrete_gaussian_variance(sigma2 double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_discrete_gaussian_variance'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.discrete_gaussian_variance(double precision) IS
'variance of discrete Gaussian noise, at most its parameter sigma2, to the nearest double. sigma2: 1e-6 to 1e30. Source: exact sum over the distribution. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.basic_composition(epsilons double precision[], deltas double precision[],
	OUT epsilon double precision, OUT delta double precision)
RETURNS record AS 'MODULE_PATHNAME', 'dp_accounting_sql_basic_composition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.basic_composition(double precision[], double precision[]) IS
'(epsilon, delta) of mechanisms run together, chosen adaptively: the sums, rounded up. epsilons: each 0 to 1e6; deltas: as many, each 0 to 1; at most 1000000. Source: Dwork, McSherry, Nissim, Smith 2006. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.advanced_composition(epsilons double precision[], deltas double precision[], slack double precision,
	OUT epsilon double precision, OUT delta double precision)
RETURNS record AS 'MODULE_PATHNAME', 'dp_accounting_sql_advanced_composition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.advanced_composition(double precision[], double precision[], double precision) IS
'(epsilon, delta) of mechanisms run together, chosen adaptively: sum epsilon^2 / 2 + sqrt(2 log(1 / slack) sum epsilon^2) and slack + sum delta, rounded up. epsilons: each 0 to 1e6; deltas: as many, each 0 to 1; at most 1000000; slack: additional delta, between 0 and 1 exclusively. Source: Steinke 2022, Theorems 18 and 22. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.advanced_composition_drv(epsilon double precision, k integer, slack double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_advanced_composition_drv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.advanced_composition_drv(double precision, integer, double precision) IS
'epsilon, at delta = slack, of k epsilon-differentially private mechanisms: epsilon sqrt(2 k log(1 / slack)) + k epsilon (exp(epsilon) - 1), rounded up. epsilon: 0 to 1e6; k: 1 to 1000000; slack: additional delta, between 0 and 1 exclusively. Source: Dwork, Rothblum, Vadhan 2010, Theorem III.3. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.kov_optimal(epsilon double precision, delta double precision,
	k integer, delta_total double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_kov_optimal'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.kov_optimal(double precision, double precision, integer, double precision) IS
'least epsilon, at delta_total, of any k (epsilon, delta)-differentially private mechanisms, chosen adaptively, rounded up; infinite if delta_total is less than 1 - (1 - delta)^k. epsilon: 0 to 1e6; delta, delta_total: at least 0, below 1; k: 1 to 1000000. Source: Kairouz, Oh, Viswanath 2015, Theorem 3.3. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.kov_bound(epsilons double precision[], deltas double precision[], slack double precision,
	OUT epsilon double precision, OUT delta double precision)
RETURNS record AS 'MODULE_PATHNAME', 'dp_accounting_sql_kov_bound'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.kov_bound(double precision[], double precision[], double precision) IS
'(epsilon, delta) of different mechanisms run together, chosen adaptively: the least of three bounds, and 1 - (1 - slack) prod (1 - delta), rounded up. epsilons: each 0 to 1e6; deltas: as many, each 0 to 1; at most 1000000; slack: additional delta, between 0 and 1 exclusively. Source: Kairouz, Oh, Viswanath 2015, Theorem 3.5. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.group_privacy(epsilon double precision, delta double precision, k integer,
	OUT epsilon double precision, OUT delta double precision)
RETURNS record AS 'MODULE_PATHNAME', 'dp_accounting_sql_group_privacy'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.group_privacy(double precision, double precision, integer) IS
'what (epsilon, delta)-differential privacy of single units means for groups of k: (k epsilon, delta (exp(k epsilon) - 1) / (exp(epsilon) - 1)), rounded up. epsilon: 0 to 1e6; delta: 0 to 1; k: 1 to 1000000. Source: the definition, one unit after the other. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.max_posterior(prior double precision, epsilon double precision,
	delta double precision DEFAULT 0, risk double precision DEFAULT 0.001)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_max_posterior'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.max_posterior(double precision, double precision, double precision, double precision) IS
'greatest probability with which somebody may believe that a unit is in the data, after everything that (epsilon, delta)-differential privacy lets be answered, who believed so with probability prior before: prior o / (prior o + 1 - prior), o = exp(epsilon) / (1 - delta / risk), rounded up. It is exceeded with probability at most risk, whoever is in the data; never, if delta is 0; 1 if risk is at most delta. No less holds of all mechanisms. Between two values of a unit that is known to be in the data it is that of dp_accountant.group_privacy(epsilon, delta, 2). prior: 0 to 1; epsilon: 0 to 1e6; delta: 0 to 1; risk: above 0, at most 0.5. Source: Lee, Clifton 2011 and Wood et al. 2018 where delta is 0; doc/accounting.md. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.max_guess(prior double precision, epsilon double precision,
	delta double precision DEFAULT 0)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_max_guess'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.max_guess(double precision, double precision, double precision) IS
'greatest probability that a guess is right which says whether a unit is in the data, made from everything that (epsilon, delta)-differential privacy lets be answered: delta + (1 - delta) max(prior, 1 - prior, exp(epsilon) / (1 + exp(epsilon))), rounded up. No less holds of all mechanisms. prior: probability that the unit is in the data, 0 to 1; epsilon: 0 to 1e6; delta: 0 to 1. Source: Kairouz, Oh, Viswanath 2015, the region of errors of tests. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.gdp_to_delta(mu double precision, epsilon double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_gdp_to_delta'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.gdp_to_delta(double precision, double precision) IS
'least delta at which mu-Gaussian differential privacy gives (epsilon, delta)-differential privacy, rounded up. mu: sensitivity over sigma, above 0; epsilon: 0 to 1e6. Source: Dong, Roth, Su 2022, Corollary 2.13. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.gdp_to_epsilon(mu double precision, delta double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_gdp_to_epsilon'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.gdp_to_epsilon(double precision, double precision) IS
'least epsilon at which mu-Gaussian differential privacy gives (epsilon, delta)-differential privacy, rounded up. mu: sensitivity over sigma, above 0; delta: between 0 and 1 exclusively. Source: Dong, Roth, Su 2022, Corollary 2.13. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.discrete_laplace_threshold(scale double precision, delta double precision,
	max_groups integer DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_discrete_laplace_threshold'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.discrete_laplace_threshold(double precision, double precision, integer) IS
'least noisy count of units, a whole number, from which on a group may be released so that a unit which alone makes groups exist shows any with probability at most delta; for discrete Laplace noise. Infinite if there is none below 2^63. scale: 0.001 to 1e18; delta: between 0 and 1 exclusively; max_groups: most groups a unit is in, at least 1. Source: exact tail of the distribution. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.discrete_gaussian_threshold(sigma2 double precision, delta double precision,
	max_groups integer DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_discrete_gaussian_threshold'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.discrete_gaussian_threshold(double precision, double precision, integer) IS
'least noisy count of units, a whole number, from which on a group may be released so that a unit which alone makes groups exist shows any with probability at most delta; for discrete Gaussian noise. sigma2: variance parameter, 1e-6 to 1e30; delta: between 0 and 1 exclusively; max_groups: most groups a unit is in, at least 1. Source: exact tail of the distribution. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.partition_select_probability(n bigint, epsilon double precision,
	delta double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_sql_partition_select_probability'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_accountant.partition_select_probability(bigint, double precision, double precision) IS
'greatest probability with which an (epsilon, delta)-differentially private mechanism may release that a group of n units exists, each unit being in one group; to the nearest double. n: at least 0; epsilon: 1e-9 to 1e6; delta: between 0 and 1 exclusively. Source: Desfontaines, Voss, Gipson, Mandayam 2020 (truncated geometric). Errors: 22023 argument out of range.';

--
-- accountant: exact composition by privacy-loss distributions
--
CREATE FUNCTION dp_accountant.pld_discrete_laplace(scale double precision, sensitivity bigint,
	k integer, delta double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_pld_discrete_laplace_sql'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION dp_accountant.pld_discrete_laplace(double precision, bigint, integer, double precision) IS
'least epsilon for which k releases with discrete Laplace noise are (epsilon, delta)-differentially private: never below it, within 1 % above. scale: 1e-6 .. 2^62, of P[z] ~ exp(-|z| / scale); sensitivity: 1 .. 2^62, in the same units; k: from 1; delta: 1e-300 .. less than 1. Source: privacy-loss distributions (Kairouz, Oh, Viswanath 2015; Doroshenko et al. 2022). Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.pld_gaussian(sigma double precision, k integer, delta double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_pld_gaussian_sql'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION dp_accountant.pld_gaussian(double precision, integer, double precision) IS
'least epsilon for which k releases with Gaussian noise and sensitivity 1 are (epsilon, delta)-differentially private, rounded up: that of one release with sigma / sqrt(k). sigma: positive, in units of the sensitivity; k: from 1; delta: 1e-300 .. less than 1. Source: Balle, Wang 2018, Theorem 8. Errors: 22023 argument out of range.';

CREATE FUNCTION dp_accountant.pld_epsilon(releases jsonb, delta double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'dp_accounting_pld_epsilon_sql'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION dp_accountant.pld_epsilon(jsonb, double precision) IS
'an epsilon for which a list of releases is (epsilon, delta)-differentially private; Infinity if there is none. Never below the least, and within 1 % above it for noise that is added and for randomised response; selections and blocks of samples have the smaller of two bounds, by their privacy losses (a sample as if all units were asked) and by the curves and variances that the filter has of them, all of delta being theirs. For a list fixed in advance: where earlier answers decided how many releases there are or with how much noise, only the budget''s own epsilon_spent is a guarantee. releases: array, nested or not, of {"mechanism":"discrete_laplace","scale":s}, {"mechanism":"discrete_gaussian","sigma":s}, {"mechanism":"gaussian","sigma":s}, each with "sensitivity" (default 1), {"mechanism":"pure","epsilon":e,"delta":d} (d: default 0), all with "count" (default 1), or of releases as dp_agg.ledger holds them where event is charge; scales in the unit of the sensitivity; delta: 1e-300 .. less than 1. Source: privacy-loss distributions (Doroshenko et al. 2022). Errors: 22023 not such a list, or a value out of range.';

--
-- record: what a data set's deployment is, for those who answer for it
--

-- What only people know of it, by data set.
CREATE TABLE dp_agg.contact (
	dataset text COLLATE "C" PRIMARY KEY,
	fields jsonb NOT NULL
);
REVOKE ALL ON dp_agg.contact FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dp_agg.contact', '');
CREATE FUNCTION dp_agg_internal.guard_contact() RETURNS trigger
LANGUAGE C AS 'MODULE_PATHNAME', 'dp_budget_guard_contact';
CREATE TRIGGER guarded BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dp_agg.contact
FOR EACH STATEMENT EXECUTE FUNCTION dp_agg_internal.guard_contact();
ALTER TABLE dp_agg.contact ENABLE ALWAYS TRIGGER guarded;
CREATE TRIGGER guarded_rows BEFORE INSERT OR UPDATE OR DELETE ON dp_agg.contact
FOR EACH ROW EXECUTE FUNCTION dp_agg_internal.guard_contact();
ALTER TABLE dp_agg.contact ENABLE ALWAYS TRIGGER guarded_rows;
COMMENT ON FUNCTION dp_agg_internal.guard_contact() IS
'trigger that lets only dp_agg.set_contact and superusers write what is known of a deployment';
COMMENT ON TRIGGER guarded ON dp_agg.contact IS 'for statements, whatever they do';
COMMENT ON TRIGGER guarded_rows ON dp_agg.contact IS 'for rows, which come without statements from subscriptions';
COMMENT ON TABLE dp_agg.contact IS
'what only people know of a deployment, for dp_agg.deployment_record; written by dp_agg.set_contact';
COMMENT ON COLUMN dp_agg.contact.dataset IS 'name of the data set';
COMMENT ON COLUMN dp_agg.contact.fields IS 'an object: see dp_agg.set_contact';

CREATE FUNCTION dp_agg.set_contact(dataset text, fields jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	known CONSTANT text[] := '{name,data_curators,intended_use,data_product_region,description,publication_date,data_product_sector,data_domain,unprotected_quantities,privacy_unit,actors,data_source_type,data_source_type_details,preprocessing_and_hyperparameter_tuning,justification,sources,notes,registry_authors,contact}';
	field record;
BEGIN
	IF dataset IS NULL OR octet_length(dataset) NOT BETWEEN 1 AND 63 THEN
		RAISE invalid_parameter_value USING MESSAGE = 'the name of a data set must have 1 to 63 bytes';
	END IF;
	IF jsonb_typeof(fields) <> 'object' THEN
		RAISE invalid_parameter_value USING MESSAGE = 'fields must be an object';
	END IF;
	FOR field IN SELECT key, jsonb_typeof(value) AS type, value FROM jsonb_each(fields) LOOP
		IF field.key <> ALL (known) THEN
			RAISE invalid_parameter_value USING MESSAGE = format('there is no field "%s"', field.key),
				HINT = 'Fields are ' || array_to_string(known, ', ') || '.';
		ELSIF field.key IN ('data_curators', 'registry_authors') THEN
			IF field.type <> 'array' OR EXISTS (SELECT FROM jsonb_array_elements(CASE field.type WHEN 'array' THEN field.value ELSE '[]' END) e
												WHERE jsonb_typeof(e) <> 'string') THEN
				RAISE invalid_parameter_value USING MESSAGE = format('field "%s" must be an array of strings', field.key);
			END IF;
		ELSIF field.type <> 'string' THEN
			RAISE invalid_parameter_value USING MESSAGE = format('field "%s" must be a string', field.key);
		END IF;
	END LOOP;
	DELETE FROM dp_agg.contact c WHERE c.dataset = set_contact.dataset;
	INSERT INTO dp_agg.contact SELECT set_contact.dataset, set_contact.fields WHERE set_contact.fields IS NOT NULL;
END $$;
REVOKE ALL ON FUNCTION dp_agg.set_contact(text, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.set_contact(text, jsonb) IS
'keep what only people know of a data set''s deployment, in the place of what was kept, for dp_agg.deployment_record; null forgets it. Dumps carry it
fields: an object of strings, each of which may be left out: name, intended_use, data_product_region, description, publication_date (YYYY-MM-DD), data_product_sector, data_domain, unprotected_quantities, privacy_unit, actors, data_source_type (Static or Dynamic), data_source_type_details, preprocessing_and_hyperparameter_tuning, justification, sources, notes, contact; and of arrays of strings, data_curators and registry_authors. All but contact are fields of the registry of OpenDP
errors: 22023 bad name, or no such object; 42501 no right to call it';

CREATE FUNCTION dp_agg.deployment_record(dataset text) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET intervalstyle = iso_8601 SET extra_float_digits = 1 SET jit = off AS $$
#variable_conflict use_column
DECLARE
	asking name := CASE current_setting('role') WHEN 'none' THEN session_user ELSE current_setting('role')::name END;
	told CONSTANT jsonb := COALESCE((SELECT c.fields FROM dp_agg.contact c WHERE c.dataset = deployment_record.dataset), '{}');
	cap_number CONSTANT bigint := (SELECT b.number FROM dp_agg.budget b WHERE b.dataset = deployment_record.dataset AND b.role::oid = 0);
BEGIN
	IF NOT has_table_privilege(asking, 'dp_agg.ledger', 'SELECT') AND NOT COALESCE((
			SELECT bool_and(pg_has_role(asking, c.relowner, 'USAGE'))
			FROM dp_agg.protected_tables t JOIN pg_class c ON c.oid = t.relation WHERE t.dataset = deployment_record.dataset), false) THEN
		RAISE insufficient_privilege USING MESSAGE = format('permission denied for the record of data set "%s"', dataset),
			HINT = 'It is for who owns all tables of the data set, or has SELECT on dp_agg.ledger.';
	END IF;
	IF NOT EXISTS (SELECT FROM dp_agg.protected_tables t WHERE t.dataset = deployment_record.dataset)
			AND NOT EXISTS (SELECT FROM dp_agg.budget b WHERE b.dataset = deployment_record.dataset) THEN
		RAISE undefined_object USING MESSAGE = format('data set "%s" has neither tables nor budgets', dataset);
	END IF;
	RETURN (WITH

	-- A history ends where the next one begins, or with its budget; what holds of it are the greatest limits there were.
	entry AS MATERIALIZED (
		SELECT l.at, l.budget, l.cap, l.admitted, l.epsilon_limit, l.delta_limit,
			count(*) FILTER (WHERE l.event IN ('refresh', 'reset')) OVER (PARTITION BY l.budget ORDER BY l.id) AS history
		FROM dp_agg.ledger l WHERE l.dataset = deployment_record.dataset AND l.budget IS NOT NULL),
	history AS (
		SELECT e.budget, max(e.epsilon_limit) AS epsilon, max(e.delta_limit) AS delta, COALESCE(bool_or(e.admitted), false) AS charged,
			COALESCE(bool_and(e.cap = cap_number) FILTER (WHERE e.admitted), false) AS capped,
			lead(e.history) OVER (PARTITION BY e.budget ORDER BY e.history) IS NULL
				AND EXISTS (SELECT FROM dp_agg.budget b WHERE b.number = e.budget) AS present
		FROM entry e GROUP BY e.budget, e.history),
	present AS (
		SELECT b, GREATEST(h.epsilon, (b).epsilon_limit) AS epsilon, GREATEST(h.delta, (b).delta_limit) AS delta, (b).role::oid = 0 AS is_cap
		FROM dp_agg.budget b LEFT JOIN history h ON h.budget = (b).number AND h.present
		WHERE (b).dataset = deployment_record.dataset),
	budgets AS (
		SELECT jsonb_agg(jsonb_build_object('role', pg_get_userbyid((b).role), 'epsilon', epsilon, 'delta', delta,
				'epsilon_limit', (b).epsilon_limit, 'delta_limit', (b).delta_limit, 'epsilon_spent', dp_agg_internal.epsilon_spent(b), 'delta_spent', (b).delta_spent,
				'partition_share', (b).partition_share, 'variance_share', (b).variance_share, 'renyi_share', (b).renyi_share, 'refresh', (b).refresh,
				'statements', (b).statements, 'refusals', (b).refusals, 'replays', (b).replays, 'last_charge', (b).last_charge,
				'may_be_behind', dp_agg_internal.may_be_behind(b), 'exposure', (
					SELECT jsonb_build_object('critical', count(*) FILTER (WHERE x.risk LIKE 'critical%'), 'high', count(*) FILTER (WHERE x.risk LIKE 'high%'),
						'medium', count(*) FILTER (WHERE x.risk LIKE 'medium%'), 'low', count(*) FILTER (WHERE x.risk LIKE 'low%'))
					FROM dp_agg.check_exposure((b).role) x)) ORDER BY pg_get_userbyid((b).role)) AS list,
			string_agg(format('%s: epsilon %s, delta %s%s', pg_get_userbyid((b).role), epsilon, delta, ', anew every ' || (b).refresh), '; '
				ORDER BY pg_get_userbyid((b).role)) AS words,
			string_agg(format('%s: %s', pg_get_userbyid((b).role), (b).refresh), ', ' ORDER BY pg_get_userbyid((b).role)) FILTER (WHERE (b).refresh IS NOT NULL) AS refreshed
		FROM present WHERE NOT is_cap),
	caps AS (
		SELECT jsonb_build_object('epsilon', epsilon, 'delta', delta, 'epsilon_limit', (b).epsilon_limit, 'delta_limit', (b).delta_limit,
			'epsilon_spent', dp_agg_internal.epsilon_spent(b), 'delta_spent', (b).delta_spent,
			'partition_share', (b).partition_share, 'variance_share', (b).variance_share, 'renyi_share', (b).renyi_share,
			'statements', (b).statements, 'refusals', (b).refusals, 'last_charge', (b).last_charge, 'may_be_behind', dp_agg_internal.may_be_behind(b)) AS cap
		FROM present WHERE is_cap),

	-- All roles together, and what ended before, or beside a cap; sums are rounded up. Beyond an epsilon of 1e6 any guess may be sure, and greater ones are not added up.
	together AS (
		SELECT s.epsilon, s.delta FROM (
			SELECT CASE WHEN max(epsilon) <= 1e6 THEN array_agg(epsilon) END AS epsilons, array_agg(delta) AS deltas
			FROM present WHERE is_cap = (cap_number IS NOT NULL)) q, dp_accountant.basic_composition(q.epsilons, q.deltas) s),
	earlier AS (
		SELECT q.histories, s.epsilon, s.delta FROM (
			SELECT count(*) AS histories, CASE WHEN max(epsilon) > 1e6 THEN NULL ELSE COALESCE(array_agg(epsilon), '{}') END AS epsilons,
				COALESCE(array_agg(delta), '{}') AS deltas
			FROM history WHERE charged AND NOT present AND NOT capped) q, dp_accountant.basic_composition(q.epsilons, q.deltas) s),
	released AS (
		SELECT r ->> 'mechanism' AS mechanism, r ->> 'aggregate' AS aggregate, sum(COALESCE((r ->> 'times')::bigint, 1)) AS releases,
			min((r ->> 'epsilon')::float8) AS least, max((r ->> 'epsilon')::float8) AS greatest, min((q ->> 'sample_rate')::float8) AS rate,
			min(l.at) AS first, max(l.at) AS last
		FROM dp_agg.ledger l, jsonb_array_elements(l.releases) q, jsonb_array_elements(q -> 'releases') r
		WHERE l.dataset = deployment_record.dataset AND l.admitted
		GROUP BY 1, 2),
	mechanisms AS (
		SELECT jsonb_agg(jsonb_build_object('mechanism', m.mechanism, 'aggregates', m.aggregates, 'releases', m.releases, 'least_epsilon', m.least,
			'greatest_epsilon', m.greatest, 'least_sample_rate', m.rate, 'first', m.first, 'last', m.last) ORDER BY m.mechanism) AS list,
			string_agg(m.mechanism, ', ' ORDER BY m.mechanism) AS words, min(m.first) AS first
		FROM (SELECT mechanism, to_jsonb(array_agg(DISTINCT regexp_replace(split_part(aggregate, '(', 1), '(\w+|"[^"]*")\.(?=(\w+|"[^"]*")$)', ''))) AS aggregates,
				sum(releases) AS releases, min(least) AS least, max(greatest) AS greatest, min(rate) AS rate, min(first) AS first, max(last) AS last
			FROM released GROUP BY mechanism) m),
	tables AS (
		SELECT jsonb_agg(jsonb_build_object('relation', t.relation::text, 'unit', t.unit, 'through', NULLIF(t.through::oid, 0)::regclass::text,
				'max_rows', t.max_rows, 'max_groups', t.max_groups, 'max_values', t.max_values, 'max_join_rows', t.max_join_rows, 'clip_max_rows', t.clip_max_rows,
				'columns', (SELECT jsonb_agg(jsonb_build_object('column', c.column, 'type', c.type, 'lower', c.lower, 'upper', c.upper,
						'keys', cardinality(c.keys), 'refers_to', c.refers_to, 'hidden', c.hidden) ORDER BY a.attnum)
					FROM dp_agg.protected_columns c JOIN pg_attribute a ON a.attrelid = c.relation AND a.attname = c.column
					WHERE c.relation = t.relation)) ORDER BY t.relation::text) AS list,
			string_agg(format('%s by %s (at most %s rows in a group, %s groups)', t.relation, t.unit, t.max_rows, t.max_groups), '; ' ORDER BY t.relation::text) AS words
		FROM dp_agg.protected_tables t WHERE t.dataset = deployment_record.dataset),
	newest AS (SELECT l.id, l.hash FROM dp_agg.ledger l ORDER BY l.id DESC LIMIT 1)
	SELECT jsonb_build_object(
		'format', 1,
		'dataset', dataset,
		'made_at', now(),
		'deployment', jsonb_build_object(
			'basic', jsonb_build_object(
				'name', told ->> 'name', 'data_curators', told -> 'data_curators', 'intended_use', told ->> 'intended_use',
				'data_product_type', 'SQL queries', 'data_product_region', told ->> 'data_product_region', 'description', told ->> 'description',
				'publication_date', COALESCE(told ->> 'publication_date', to_char(mechanisms.first, 'YYYY-MM-DD')),
				'data_product_sector', told ->> 'data_product_sector'),
			'dp_variant', jsonb_build_object(
				'variant_name', CASE WHEN together.delta = 0 AND earlier.delta = 0 THEN 'Pure DP' ELSE 'Approximate DP' END,
				'data_domain', told ->> 'data_domain', 'unprotected_quantities', told ->> 'unprotected_quantities'),
			'privacy_loss', jsonb_build_object(
				'privacy_unit', told ->> 'privacy_unit',
				'privacy_unit_details', 'Two databases are adjacent if one has all rows of one unit, of all tables of the data set, and the other none of them. ' || tables.words || '.',
				'privacy_parameters', jsonb_build_object('epsilon', together.epsilon, 'delta', together.delta),
				'privacy_parameters_details', concat_ws(' ', 'The parameters are for all roles together, by',
					CASE WHEN cap_number IS NULL THEN 'the sum of budgets.' ELSE 'the cap of the data set.' END, 'Each role: ' || budgets.words || '.',
					CASE WHEN budgets.refreshed IS NOT NULL THEN 'Budgets that begin anew add up over their periods, without limit but for a cap.' END,
					CASE WHEN earlier.histories > 0 THEN format('Histories that ended add up with them: %s, of epsilon %s and delta %s together.',
						earlier.histories, earlier.epsilon, earlier.delta) END)),
			'deployment_model', jsonb_build_object(
				'model_name', 'Central',
				'model_name_details', 'A PostgreSQL server holds the rows and adds noise to answers. Analysts have no right to read rows.',
				'actors', told ->> 'actors',
				'release_type', 'Many releases',
				'release_type_details', concat_ws(' ', 'Each statement that its budget admits is answered, until the budget is spent; then nothing is.',
					COALESCE('Budgets that begin anew: ' || budgets.refreshed || '.', 'No budget begins anew.')),
				'data_source_type', COALESCE(told ->> 'data_source_type', 'Dynamic'), 'data_source_type_details', told ->> 'data_source_type_details',
				'access_type', 'Interactive',
				'access_type_details', concat_ws(' ', 'Analysts choose each question by the answers before (fully adaptive), in SQL. Each role has a budget of its own, which members without one share.',
					CASE WHEN cap_number IS NULL THEN 'Nothing bounds roles that collude but the sum of their budgets.' ELSE 'A cap bounds all roles together: it is not assumed that they do not collude.' END)),
			'accounting', jsonb_build_object(
				'post_processing', 'Noisy counts are not made positive or consistent, except where a function says so. What analysts compute of answers is not known here.',
				'composition', 'A privacy filter, valid for fully adaptive questions: a statement is admitted if pure epsilons, a weighted set of Renyi orders, or variances prove that its history stays within (epsilon, delta). It is charged, durably, before a row is read; the price does not depend on data. See doc/accounting.md.'),
			'implementation', jsonb_build_object(
				'preprocessing_and_hyperparameter_tuning', told ->> 'preprocessing_and_hyperparameter_tuning',
				'mechanisms', concat_ws(' ', 'dp_agg', (SELECT extversion FROM pg_extension WHERE extname = 'dp_agg'), 'for PostgreSQL. Noise is integer, sampled exactly from OpenSSL''s generator; totals are integers, so floating point decides nothing.',
					'Used so far: ' || mechanisms.words || '.', 'How long a statement takes is bounded by what it may contain, not hidden. See doc/security.md.'),
				'justification', told ->> 'justification'),
			'administrative', jsonb_build_object('sources', told ->> 'sources', 'notes', told ->> 'notes', 'registry_authors', told -> 'registry_authors')),
		'contact', told ->> 'contact',
		'guarantee', jsonb_build_object(
			'epsilon', together.epsilon, 'delta', together.delta, 'by', CASE WHEN cap_number IS NULL THEN 'sum of budgets' ELSE 'cap' END,
			'neighbours', 'all rows of one unit, added or removed', 'adaptive', true,
			'refreshes', budgets.refreshed IS NOT NULL,
			'earlier_histories', earlier.histories, 'earlier_epsilon', earlier.epsilon, 'earlier_delta', earlier.delta,
			'posterior', (SELECT jsonb_agg(jsonb_build_object('prior', p, 'membership', dp_accountant.max_posterior(p, LEAST(together.epsilon, 1e6), together.delta),
					'value', CASE WHEN together.epsilon > 5e5 THEN 1 ELSE dp_accountant.max_posterior(p, v.epsilon, v.delta) END) ORDER BY p)
				FROM unnest(ARRAY[0.01, 0.1, 0.5]::float8[]) p LEFT JOIN dp_accountant.group_privacy(LEAST(together.epsilon, 5e5), together.delta, 2) v ON true)),
		'tables', COALESCE(tables.list, '[]'),
		'budgets', COALESCE(budgets.list, '[]'),
		'cap', (SELECT cap FROM caps),
		'mechanisms', COALESCE(mechanisms.list, '[]'),
		'accountant', jsonb_build_object(
			'filter', 'pure epsilon, Renyi divergences, variances: whichever admits',
			'orders', cardinality((SELECT (b).rdp_spent FROM present LIMIT 1)),
			'ledger_rows', (SELECT count(*) FROM entry), 'ledger_since', (SELECT min(at) FROM entry),
			'ledger_compacted', EXISTS (SELECT FROM dp_agg.ledger l WHERE l.event = 'checkpoint'),
			'ledger_id', newest.id, 'ledger_hash', encode(newest.hash, 'hex')),
		'settings', (SELECT jsonb_agg(jsonb_build_object('setting', s.name, 'value', s.reset_val, 'unit', s.unit, 'source', s.source) ORDER BY s.name)
			FROM pg_settings s WHERE s.name LIKE 'dp\_agg.%'),
		'role_settings', (SELECT COALESCE(jsonb_agg(jsonb_build_object('role', r.rolname, 'database', d.datname, 'setting', split_part(c, '=', 1),
				'value', substr(c, strpos(c, '=') + 1)) ORDER BY r.rolname, d.datname, c), '[]')
			FROM pg_db_role_setting g CROSS JOIN unnest(g.setconfig) c LEFT JOIN pg_roles r ON r.oid = g.setrole LEFT JOIN pg_database d ON d.oid = g.setdatabase
			WHERE c LIKE 'dp\_agg.%' AND (d.datname IS NULL OR d.datname = current_database())),
		'side_channels', jsonb_build_object(
			'postgresql', (SELECT jsonb_agg(jsonb_build_object('channel', c.channel, 'reason', c.reason, 'open', c.open) ORDER BY c.channel, c.reason)
				FROM (SELECT channel, reason, bool_or(open) AS open FROM dp_agg.side_channels() GROUP BY channel, reason) c),
			'closed', '["rows read by any statement", "errors and messages", "plans and EXPLAIN", "counters and statistics of a release", "which groups exist", "floating point and order of summation", "repeated answers", "refusals but by a cap"]'::jsonb,
			'remaining', '["timing", "sizes, as time and as what runs out", "what a cap refuses", "what writers and other rights show", "logs, backups, memory and disk", "restored copies", "other servers that hold partitions"]'::jsonb),
		'versions', jsonb_build_object('dp_agg', (SELECT extversion FROM pg_extension WHERE extname = 'dp_agg'), 'postgresql', current_setting('server_version'),
			'server', version(), 'preloaded', dp_agg.preloaded()))
	FROM together, earlier, budgets, mechanisms, tables LEFT JOIN newest ON true);
END $$;
REVOKE ALL ON FUNCTION dp_agg.deployment_record(text) FROM PUBLIC;
COMMENT ON FUNCTION dp_agg.deployment_record(text) IS
'what a data set''s deployment is: unit, parameters, budgets, cap, bounds, mechanisms used, accountant, side channels, versions, and what dp_agg.set_contact was told; nothing of rows. doc/compliance.md has its keys. Member "deployment" has the fields of the registry of OpenDP
Reads the ledger and dp_agg.check_exposure of each role with a budget, which takes a tenth of a second a role. It is for who owns all tables of the data set, or has SELECT on dp_agg.ledger; either needs EXECUTE too
errors: 42501 not for the role that asks, 42704 no such data set';

--
-- local privacy: answers made private before they are stored
--

-- No table is read, nothing is protected and no budget charged: what is stored is
-- private by itself.

CREATE FUNCTION @extschema@.dp_randomize(value boolean, epsilon double precision)
RETURNS boolean AS 'MODULE_PATHNAME', 'dp_local_randomize_boolean'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_randomize(boolean, double precision) IS
'the value with probability exp(epsilon) / (exp(epsilon) + 1), otherwise its opposite, by fresh randomness: epsilon-differentially private whatever the value is. epsilon: 1e-9 to 1048576, for each answer of a person; answers of one person add up. Source: Warner 1965, randomised response. Errors: 22004 NULL, 22023 epsilon out of range.';

CREATE FUNCTION @extschema@.dp_randomize(value text, domain text[], epsilon double precision)
RETURNS text AS 'MODULE_PATHNAME', 'dp_local_randomize_text'
LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_randomize(text, text[], double precision) IS
'the value with probability exp(epsilon) / (exp(epsilon) + k - 1), otherwise one of the k - 1 others of its domain, each as likely, by fresh randomness: epsilon-differentially private whatever the value is. domain: 2 to 10000 distinct values, the value among them; epsilon: 1e-9 to 1048576, for each answer of a person; answers of one person add up. Source: Kairouz, Oh, Viswanath 2014, k-ary randomised response. Errors: 22004 NULL, 22023 epsilon out of range, no such domain, or a value outside it.';

CREATE TYPE dp_agg.randomized_estimate AS (value text, told bigint, proportion double precision,
	standard_error double precision);
COMMENT ON TYPE dp_agg.randomized_estimate IS
'value; how many answers told it; an unbiased estimate of the share of people whose value it is, which may be below 0 or above 1; the standard error of that estimate, as far as it comes from randomising';

CREATE FUNCTION dp_agg_internal.randomized_add(internal, boolean, double precision) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_local_add_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.randomized_add(internal, boolean, double precision) IS
	'transition: count an answer';
CREATE FUNCTION dp_agg_internal.randomized_add(internal, text, text[], double precision) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_local_add_text' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.randomized_add(internal, text, text[], double precision) IS
	'transition: count an answer';
CREATE FUNCTION dp_agg_internal.randomized_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_local_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.randomized_combine(internal, internal) IS
	'combine: add the second state into the first';
CREATE FUNCTION dp_agg_internal.randomized_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dp_local_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.randomized_serialize(internal) IS
	'serialize a state';
CREATE FUNCTION dp_agg_internal.randomized_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'dp_local_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.randomized_deserialize(bytea, internal) IS
	'deserialize a state';
CREATE FUNCTION dp_agg_internal.randomized_boolean_final(internal) RETURNS dp_agg.randomized_estimate
	AS 'MODULE_PATHNAME', 'dp_local_estimate_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.randomized_boolean_final(internal) IS
	'result: the estimate for true';
CREATE FUNCTION dp_agg_internal.randomized_text_final(internal) RETURNS dp_agg.randomized_estimate[]
	AS 'MODULE_PATHNAME', 'dp_local_estimate_text' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_agg_internal.randomized_text_final(internal) IS
	'result: the estimates, in the order of the domain';

CREATE AGGREGATE @extschema@.dp_randomized_estimate(answer boolean, epsilon double precision) (
	SFUNC = dp_agg_internal.randomized_add, STYPE = internal, FINALFUNC = dp_agg_internal.randomized_boolean_final,
	COMBINEFUNC = dp_agg_internal.randomized_combine, SERIALFUNC = dp_agg_internal.randomized_serialize,
	DESERIALFUNC = dp_agg_internal.randomized_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE @extschema@.dp_randomized_estimate(boolean, double precision) IS
'what share of people has the value true, from answers that dp_randomize(value, epsilon) made: value, told, proportion, standard_error. NULL answers are not counted; NULL if there are none. epsilon: the one they were made with. Source: Warner 1965. Errors: 22023 epsilon out of range, or not the same for all answers.';

CREATE AGGREGATE @extschema@.dp_randomized_estimate(answer text, domain text[], epsilon double precision) (
	SFUNC = dp_agg_internal.randomized_add, STYPE = internal, FINALFUNC = dp_agg_internal.randomized_text_final,
	COMBINEFUNC = dp_agg_internal.randomized_combine, SERIALFUNC = dp_agg_internal.randomized_serialize,
	DESERIALFUNC = dp_agg_internal.randomized_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE @extschema@.dp_randomized_estimate(text, text[], double precision) IS
'what share of people has each value, from answers that dp_randomize(value, domain, epsilon) made: an array, to unnest in FROM, of value, told, proportion, standard_error, in the order of the domain. NULL answers are not counted; NULL if there are none. domain, epsilon: the ones they were made with. Source: Kairouz, Bonawitz, Ramage 2016. Errors: 22023 epsilon out of range, no such domain, an answer outside it, or not the same for all answers.';

--
-- help: an analyst's first page
--
-- It shows what views and catalogs show the caller anyway.
CREATE FUNCTION dp_agg.help(relation regclass DEFAULT NULL, OUT topic text, OUT name text, OUT what text) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
WITH extension AS (
	SELECT e.oid, e.extnamespace, CASE WHEN n.nspname <> 'public' THEN quote_ident(n.nspname) || '.' ELSE '' END AS prefix
	FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'dp_agg'),
-- what the argument stands for: itself, the root of which it is a partition, what it is a view of
asked AS (
	SELECT t.* FROM dp_agg.protected_tables t WHERE t.relation IN (help.relation, pg_partition_root(help.relation))
		OR t.relation IN (SELECT d.refobjid FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
			WHERE w.ev_class = help.relation)),
budgets AS (
	SELECT b.* FROM dp_agg.budgets b WHERE pg_has_role(b.role::oid, 'USAGE') AND (help.relation IS NULL OR b.dataset IN (SELECT a.dataset FROM asked a))),
tables AS (
	SELECT t.* FROM dp_agg.protected_tables t JOIN pg_class c ON c.oid = t.relation
	WHERE help.relation IS NULL AND t.dataset IN (SELECT b.dataset FROM budgets b) AND has_schema_privilege(c.relnamespace, 'USAGE')
	UNION ALL SELECT a.* FROM asked a),
columns AS (
	SELECT c.*, row_number() OVER () AS position FROM dp_agg.protected_columns c JOIN tables t ON t.relation = c.relation),
-- the first table, and its first columns by which groups are public, of texts, of numbers with bounds and without, and of days
example AS (
	SELECT e.prefix, coalesce(t.relation::text, 'a_table') AS relation, CASE WHEN t.through IS NULL THEN quote_ident(t.unit) END AS unit,
		coalesce(f.key, CASE WHEN help.relation IS NULL THEN 'a_column' ELSE f.label END) AS key, f.number, f.unbounded, f.day
	FROM extension e LEFT JOIN (SELECT t.relation, t.unit, t.through FROM tables t ORDER BY t.relation::text LIMIT 1) t ON true, LATERAL (
		SELECT (array_agg(quote_ident(c."column") ORDER BY c.position) FILTER (WHERE c.keys IS NOT NULL OR c.refers_to IS NOT NULL OR c.type = 'boolean'))[1] AS key,
			(array_agg(quote_ident(c."column") ORDER BY c.position) FILTER (WHERE c.type ~ '^(text|character)' AND NOT c.is_unit))[1] AS label,
			(array_agg(quote_ident(c."column") ORDER BY c.position) FILTER (WHERE n.is_number AND c.lower IS NOT NULL))[1] AS number,
			(array_agg(c."column" ORDER BY c.position) FILTER (WHERE n.is_number AND c.lower IS NULL AND c.keys IS NULL AND c.refers_to IS NULL AND NOT c.is_unit))[1] AS unbounded,
			(array_agg(quote_ident(c."column") ORDER BY c.position) FILTER (WHERE c.type ~ '^(date|timestamp)' AND c.lower IS NOT NULL))[1] AS day
		FROM columns c, LATERAL (SELECT c.type ~ '^(smallint|integer|bigint|numeric|real|double precision)' AS is_number) n
		WHERE c.relation = t.relation AND NOT c.hidden) f),
functions AS (
	SELECT DISTINCT ON (p.pronamespace, p.proname) p.pronamespace = e.extnamespace AS is_first,
		format('%s%s(%s)', CASE WHEN p.pronamespace = e.extnamespace THEN e.prefix ELSE 'dp_agg.' END, p.proname,
			(SELECT string_agg(coalesce(nullif(p.proargnames[i], ''), 'value'), ', ' ORDER BY i) FROM generate_series(1, p.pronargs) i)) AS name,
		(regexp_match(obj_description(p.oid, 'pg_proc'), '^(.*?)(?:;|\n|(?<!\.)\. |: |$)'))[1] AS what
	FROM extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
		AND d.classid = 'pg_proc'::regclass
	JOIN pg_proc p ON p.oid = d.objid AND p.pronamespace IN (e.extnamespace, 'dp_agg'::regnamespace)
	WHERE has_function_privilege(p.oid, 'EXECUTE') AND obj_description(p.oid, 'pg_proc') !~ 'Owner only'
	ORDER BY p.pronamespace, p.proname, p.oid)
SELECT h.topic, h.name, h.what FROM (
	SELECT 1 AS part, 0::bigint AS position, 'budget' AS topic, b.dataset AS name,
		format('epsilon %s of %s is left to %s, at delta %s%s%s', trim_scale(trunc(b.epsilon_remaining::numeric, 9)), b.epsilon_limit, b.role, b.delta_limit, '; a new period begins at ' || b.refreshes_at,
			CASE WHEN help.relation IS NOT NULL AND current_setting('dp_agg.epsilon', true) <> '' THEN (SELECT format('; pays for %s more counts at epsilon %s', dp_agg.remaining(b.role, b.dataset, f.epsilon, f.mechanism), f.epsilon) FROM dp_agg_internal.in_force(b.dataset, b.role) f) END) AS what
	FROM budgets b
	UNION ALL
	SELECT 1, 0, 'budget', NULL, 'you have none: an administrator gives one by dp_agg.set_budget' WHERE help.relation IS NULL AND NOT EXISTS (SELECT FROM budgets)
	UNION ALL
	SELECT DISTINCT 1, 0, 'budget', a.dataset, 'you have none: an administrator gives one by dp_agg.set_budget' FROM asked a WHERE a.dataset NOT IN (SELECT b.dataset FROM budgets b)
	UNION ALL
	SELECT 2, 0, 'table', help.relation::text, 'is not protected: who may read it asks as ever, and nobody else; dp_agg.protected_tables lists those that are'
	WHERE help.relation IS NOT NULL AND NOT EXISTS (SELECT FROM asked)
	UNION ALL
	SELECT 2, 0, 'table', t.relation::text, format('data set %s; %s; of each unit %s in a group, and %s', t.dataset,
		CASE WHEN t.through IS NULL THEN format('the privacy unit is column %I', t.unit) ELSE format('the privacy unit is that of %s, by column %I', t.through, t.unit) END,
		CASE t.max_rows WHEN 1 THEN '1 row counts' ELSE t.max_rows || ' rows count' END,
		CASE t.max_groups WHEN 1 THEN '1 group counts' ELSE t.max_groups || ' groups count' END)
	FROM tables t
	UNION ALL
	SELECT 3, c.position, 'column', format('%s.%I', c.relation, c."column"), concat_ws('; ', c.type,
		CASE WHEN c.is_unit THEN 'privacy unit' END,
		CASE WHEN c.hidden THEN 'hidden: no query may mention it' END,
		CASE WHEN c.lower IS NOT NULL OR c.upper IS NOT NULL THEN format('from %s to %s', c.lower, c.upper) END,
		'one of ' || array_to_string(c.keys[1 : 10], ', ') || CASE WHEN cardinality(c.keys) > 10 THEN format(' and %s more', cardinality(c.keys) - 10) ELSE '' END,
		'one of ' || c.refers_to)
	FROM columns c
	UNION ALL
	SELECT 4, x.position, 'how to ask', x.name, x.what
	FROM example e, LATERAL (VALUES (0, 'plain SQL', format('SELECT count(*) FROM %s;', e.relation)),
		(1, 'a count', format('SELECT %sdp_count(*) FROM %s;', e.prefix, e.relation)),
		(2, 'counts by group', CASE WHEN e.key IS NOT NULL THEN format('SELECT %1$s, %2$sdp_count(*) FROM %3$s GROUP BY %1$s;', e.key, e.prefix, e.relation) END),
		(9, 'the price beforehand, free', format('SELECT * FROM dp_agg.price(%L);', format('SELECT %sdp_count(*) FROM %s', e.prefix, e.relation)))) x (position, name, what)
	WHERE x.what IS NOT NULL AND (help.relation IS NULL OR EXISTS (SELECT FROM asked))
	UNION ALL
	SELECT 4, x.position, 'how to ask', x.name, x.what
	FROM example e, LATERAL (VALUES (3, 'privacy units', CASE WHEN e.unit IS NOT NULL THEN format('SELECT count(DISTINCT %s) FROM %s;', e.unit, e.relation) END),
		(4, 'a mean, and how far off noise is', CASE WHEN e.number IS NOT NULL THEN format('SELECT %1$sdp_avg(%2$s), %1$sdp_interval(%1$sdp_avg(%2$s)) FROM %3$s;', e.prefix, e.number, e.relation) END),
		(5, 'a median', CASE WHEN e.number IS NOT NULL THEN format('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY %s) FROM %s;', e.number, e.relation) END),
		(6, 'counts by month', CASE WHEN e.day IS NOT NULL THEN format('SELECT date_trunc(''month'', %s) AS month, count(*) FROM %s GROUP BY 1 ORDER BY 1;', e.day, e.relation) END),
		(7, 'bounds that nobody declared', CASE WHEN e.number IS NULL AND e.unbounded IS NOT NULL THEN format('SELECT * FROM dp_agg.suggest_bounds(%L, %L, 0.1);', e.relation, e.unbounded) END)) x (position, name, what)
	WHERE help.relation IS NOT NULL AND x.what IS NOT NULL AND EXISTS (SELECT FROM asked)
	UNION ALL
	SELECT CASE WHEN f.is_first THEN 5 ELSE 6 END, 0, 'function', f.name, f.what FROM functions f WHERE help.relation IS NULL) h
ORDER BY h.part, h.position, h.name
$$;
COMMENT ON FUNCTION dp_agg.help(regclass) IS
'your first page: your budgets and what is left of them, the protected tables that you may ask about, their columns with bounds and keys, how to ask, and functions with a line each; charges nothing and reads no protected row. Of one table, or a view of it: what may be asked about it, and questions to begin with.';

--
-- comments on functions of which there is one for each type
--
DO $$
DECLARE
	family record;
	member regprocedure;
BEGIN
	FOR family IN VALUES
		('refuse%', 'internal: says why an aggregate of dp_agg cannot run by itself. Errors: 55000 library not preloaded, 0A000 planned without the values of parameters'),
		('bucket', 'number of the bucket 1 .. n between two bounds that holds a value, values outside in the end buckets; null for NaN, or where there are no such buckets. With constant bounds a public group key: every bucket is answered'),
		('bucket_edge', 'edge number 0 .. n of n buckets between two bounds, in whole days or microseconds')
	LOOP
		FOR member IN SELECT oid FROM pg_catalog.pg_proc
			WHERE pronamespace OPERATOR(pg_catalog.=) ANY (ARRAY['dp_agg', 'dp_agg_internal']::pg_catalog.regnamespace[]::pg_catalog.oid[]) AND proname OPERATOR(pg_catalog.~~) family.column1
		LOOP
			EXECUTE pg_catalog.format('COMMENT ON FUNCTION %s IS %L', member, family.column2);
		END LOOP;
	END LOOP;
END $$;

--
-- privileges: what ALTER DEFAULT PRIVILEGES gave away is not the script's gift
--
-- Default privileges are about the tables and functions that people make.  Here
-- they would hand out budgets; what is granted above, and to PUBLIC, is all.
CREATE FUNCTION dp_agg_internal.revoke_defaults() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	ours CONSTANT regnamespace[] := '{dp_agg,dp_accountant,dp_agg_internal}';
	granted record;
BEGIN
	FOR granted IN
		SELECT DISTINCT o.name, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
		FROM (SELECT format('SCHEMA %I', nspname), nspacl, nspowner, '{USAGE}'::text[] FROM pg_namespace WHERE oid = ANY (ours::oid[])
			UNION ALL
			SELECT format('%s %s', CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, oid::regclass), relacl, relowner,
				CASE relkind WHEN 'v' THEN '{SELECT}'::text[] ELSE '{}' END
			FROM pg_class WHERE relnamespace = ANY (ours::oid[]) AND relkind IN ('r', 'v', 'S')
			UNION ALL
			SELECT format('ROUTINE %s', oid::regprocedure), proacl, proowner, '{EXECUTE}'
			FROM pg_proc WHERE pronamespace = ANY (ours::oid[])) o (name, acl, owner, public),
		LATERAL aclexplode(o.acl) a
		WHERE a.grantee <> o.owner AND NOT (a.grantee = 0 AND a.privilege_type = ANY (o.public))
	LOOP
		EXECUTE format('REVOKE ALL ON %s FROM %s', granted.name, granted.grantee);
		IF granted.grantee = 'PUBLIC' AND granted.name LIKE 'SCHEMA %' THEN
			EXECUTE format('GRANT USAGE ON %s TO PUBLIC', granted.name);
		ELSIF granted.grantee = 'PUBLIC' AND granted.name IN ('TABLE dp_agg.kept', 'TABLE dp_agg.budgets', 'TABLE dp_agg.dataset_caps', 'TABLE dp_agg.protected_tables',
			'TABLE dp_agg.protected_columns') THEN
			EXECUTE format('GRANT SELECT ON %s TO PUBLIC', granted.name);
		END IF;
	END LOOP;
END $$;
REVOKE ALL ON FUNCTION dp_agg_internal.revoke_defaults() FROM PUBLIC;
COMMENT ON FUNCTION dp_agg_internal.revoke_defaults() IS
'internal, of CREATE EXTENSION: takes back what default privileges granted on the extension''s objects';
SELECT dp_agg_internal.revoke_defaults();

-- Whoever owns the database dumps it, with what is in these: pg_dump reads them all.
GRANT SELECT ON dp_agg.budget, dp_agg.ledger, dp_agg.kept_answer, dp_agg.contact TO pg_database_owner;

-- Other databases know by a label that this one has the extension.
SELECT dp_agg_internal.note_database();

-- Without the library at server start nothing of this is of use: say so.
SELECT dp_agg.preloaded(warn => true);
