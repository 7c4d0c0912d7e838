/* SPDX-License-Identifier: PostgreSQL */
/*
 * computed_keys.c
 *	  Group keys whose values follow from bounds of a column; see computed_keys.h.
 *
 * A key of one column stays the same over stretches of the column's values.  Where it never turns back, the
 * stretches are found by bisection; else the key is computed for each integer or day, or for times that lie
 * closer together than the stretches are long.  Where a CASE has nothing but constants for results, these
 * are its values, whatever it is about.
 *
 * The noise does not rest on the values being all there are: a row of another key is in no group, and each
 * row's group depends on that row alone.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pgtime.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "expression/null_on_error.h"
#include "policy/unique.h"
#include "rewrite/column_span.h"
#include "rewrite/computed_keys.h"
#include "rewrite/step_function.h"

/* For how many values of a column a key is computed at most, if for each. */
#define MOST_SAMPLES 20000

/* For how many it is computed first, to see whether it has too many values. */
#define PROBES (DP_MOST_COMPUTED + 1)

/* A key being computed. */
typedef struct Search
{
	Node	   *key;
	DpSpan		span;
	ExprState  *state;
	ExprContext *context;
	TypeCacheEntry *type;
	Oid			collation;
	Datum	   *value;			/* found, MOST_SAMPLES at most */
	int			found;
	bool		has_null;
} Search;

/* Put a parameter in place of the column. */
static Node *
put_parameter(Node *node, void *context)
{
	Param	   *param;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, put_parameter, context);
	param = makeNode(Param);
	param->paramkind = PARAM_EXEC;
	param->paramid = 0;
	param->paramtype = ((Var *) node)->vartype;
	param->paramtypmod = ((Var *) node)->vartypmod;
	param->paramcollid = ((Var *) node)->varcollid;
	param->location = -1;
	return (Node *) param;
}

/* Compute the key of a value of the column; the result lives as long as the search. */
static Datum
compute(Search *search, Datum value, bool isnull, bool *null)
{
	ParamExecData *param = search->context->ecxt_param_exec_vals;
	Datum		result;

	CHECK_FOR_INTERRUPTS();
	ResetExprContext(search->context);
	param->value = value;
	param->isnull = isnull;
	result = ExecEvalExprSwitchContext(search->state, search->context, null);
	return *null ? (Datum) 0 : datumCopy(result, search->type->typbyval, search->type->typlen);
}

/* Note a value that the key has. */
static void
note(Search *search, Datum value, bool isnull)
{
	search->has_null |= isnull;
	if (!isnull && search->found < MOST_SAMPLES + 2)
		search->value[search->found++] = value;
}

static void
note_at(Search *search, int64 position)
{
	bool		isnull;
	Datum		value = compute(search, dp_rewrite_span_value(search->span.type, position), false, &isnull);

	note(search, value, isnull);
}

static int
compare(const void *a, const void *b, void *arg)
{
	const Search *search = arg;

	return DatumGetInt32(FunctionCall2Coll(&search->type->cmp_proc_finfo, search->collation,
										   *(const Datum *) a, *(const Datum *) b));
}

/* Put what was found in order, each value once; false if there is too much. */
static bool
settle(Search *search)
{
	int			kept = 0;

	qsort_arg(search->value, search->found, sizeof(Datum), compare, search);
	for (int i = 0; i < search->found; i++)
		if (kept == 0 || compare(&search->value[kept - 1], &search->value[i], search) != 0)
			search->value[kept++] = search->value[i];
	search->found = kept;
	return kept <= DP_MOST_COMPUTED;
}

/* Is the key of the value at a position another than this one? */
static bool
differs(Search *search, int64 position, Datum value, bool isnull)
{
	bool		null;
	Datum		other = compute(search, dp_rewrite_span_value(search->span.type, position), false, &null);

	if (null || isnull)
		return null != isnull;
	return compare(&value, &other, search) != 0;
}

/* A place between two, however far apart they are. */
static int64
midway(int64 low, int64 high)
{
	return low + (int64) (((uint64) high - (uint64) low) / 2);
}

/* The first position behind one whose key is another, by bisection; it is known that the last one's is. */
static int64
next_step(Search *search, int64 position, Datum value, bool isnull)
{
	int64		low = position;
	int64		high = search->span.last;

	while ((uint64) high - (uint64) low > 1)
	{
		int64		middle = midway(low, high);

		if (differs(search, middle, value, isnull))
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* Find the values of a key that never turns back. */
static bool
find_steps(Search *search)
{
	int64		position = search->span.first;

	for (int steps = 0; steps <= DP_MOST_COMPUTED + 1; steps++)
	{
		bool		isnull;
		Datum		value = compute(search, dp_rewrite_span_value(search->span.type, position), false, &isnull);

		note(search, value, isnull);
		if (position == search->span.last || !differs(search, search->span.last, value, isnull))
			return true;
		position = next_step(search, position, value, isnull);
	}
	return false;
}

/* Compute the key at positions so far apart, and at the last. */
static void
find_samples(Search *search, uint64 distance)
{
	uint64		left = (uint64) search->span.last - (uint64) search->span.first;
	int64		position = search->span.first;

	for (;;)
	{
		note_at(search, position);
		if (left < distance)
			break;
		position += distance;
		left -= distance;
	}
	if (left > 0)
		note_at(search, search->span.last);
}

/* Compute the key at a position and at the last before it, as far as these are in the span. */
static void
note_change(Search *search, int64 position)
{
	for (int64 at = position - 1; at <= position; at++)
		if (at >= search->span.first && at <= search->span.last)
			note_at(search, at);
}

/*
 * Compute the key where a stretch may begin or end because the clocks of its zone are set: by them, of local
 * times before and after.  False if the zone is not known, or has too many changes.
 */
static bool
find_changes(Search *search, const DpShape *shape)
{
	pg_tz	   *zone = pg_tzset(shape->zone);
	bool		local = search->span.type != TIMESTAMPTZOID;
	pg_time_t	time = timestamptz_to_time_t (search->span.first + shape->shift) - 2 * SECS_PER_DAY;
	pg_time_t	last = timestamptz_to_time_t (search->span.last + shape->shift) + 2 * SECS_PER_DAY;
	pg_time_t	change;
	long		before;
	long		after;
	int			is_dst;
	int			found = 0;

	while (zone && (found = pg_next_dst_boundary(&time, &before, &is_dst, &change, &after, &is_dst, zone)) == 1 && change <= last)
	{
		if (search->found > MOST_SAMPLES - 4)
			return false;
		note_change(search, time_t_to_timestamptz(change + (local ? before : 0)) - shape->shift);
		if (local)
			note_change(search, time_t_to_timestamptz(change + after) - shape->shift);
		time = change;
	}
	return zone && found >= 0;
}

/* Has the key too many values, as a few show? */
static bool
has_too_many(Search *search)
{
	uint64		length = (uint64) search->span.last - (uint64) search->span.first;
	bool		many;

	if (length < PROBES)
		return false;
	find_samples(search, length / PROBES);
	many = !settle(search);
	search->found = 0;
	return many;
}

/* How many positions it takes at this distance; 0 for none. */
static bool
is_worth_it(const Search *search, uint64 distance)
{
	return distance > 0 && ((uint64) search->span.last - (uint64) search->span.first) / distance < MOST_SAMPLES;
}

/* Leave out of a span what repeats. */
static void
shorten(DpSpan *span, const DpShape *shape)
{
	int64		window = span->type == DATEOID ? shape->window / USECS_PER_DAY : shape->window;

	if (window > 0 && (uint64) span->last - (uint64) span->first > (uint64) window)
		span->last = span->first + window;
}

/* Find the values of a key of this shape; false if it has too many, or that is not known. */
static bool
find_values(Search *search, const DpShape *shape)
{
	Oid			type = search->span.type;

	if (dp_rewrite_is_discrete(type) || dp_rewrite_is_time(type))
		shorten(&search->span, shape);
	if (dp_rewrite_is_discrete(type) && is_worth_it(search, 1))
	{
		if ((!shape->monotone || is_worth_it(search, MOST_SAMPLES / DP_MOST_COMPUTED)))
			find_samples(search, 1);
		return settle(search);
	}
	/* Days are further apart than clocks are set. */
	if (shape->monotone && (dp_rewrite_is_discrete(type) || (shape->steps && shape->zone == NULL)))
		return !has_too_many(search) && find_steps(search) && settle(search);
	if (!shape->steps || !dp_rewrite_is_time(type) || !is_worth_it(search, shape->grain))
		return false;
	find_samples(search, shape->grain);
	return (shape->zone == NULL || find_changes(search, shape)) && settle(search);
}

/* Prepare to compute a key. */
static void
open_search(Search *search)
{
	Node	   *expr = put_parameter(search->key, NULL);

	fix_opfuncids(expr);
	search->context = CreateStandaloneExprContext();
	search->context->ecxt_param_exec_vals = palloc0(sizeof(ParamExecData));
	search->state = ExecInitExpr((Expr *) expr, NULL);
	search->value = palloc((MOST_SAMPLES + 2) * sizeof(Datum));
}

/* The values found, as constants. */
static List *
values_of(const Search *search, bool can_be_null)
{
	Oid			type = exprType(search->key);
	List	   *values = NIL;

	for (int i = 0; i < search->found; i++)
		values = lappend(values, makeConst(type, exprTypmod(search->key), search->collation, search->type->typlen,
										   search->value[i], false, search->type->typbyval));
	if (values != NIL && search->has_null && can_be_null)
		values = lappend(values, makeNullConst(type, exprTypmod(search->key), search->collation));
	return values;
}

/* Search for the values of a key of one column. */
static bool
run_search(Query *query, Search *search, Var *var, const DpShape *shape)
{
	bool		isnull;
	Datum		value;

	open_search(search);
	if (!find_values(search, shape))
		return false;
	if (search->span.not_null || !dp_policy_can_be_null(query, (Node *) var))
		return true;
	value = compute(search, (Datum) 0, true, &isnull);
	note(search, value, isnull);
	return settle(search);
}

/* Is a type one of whose values constants can be made, and that place() finds? */
static bool
open_type(Search *search)
{
	Oid			type = exprType(search->key);

	search->collation = exprCollation(search->key);
	search->type = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
	return OidIsValid(search->type->cmp_proc_finfo.fn_oid) && OidIsValid(get_array_type(type)) &&
		(OidIsValid(search->collation) || !OidIsValid(get_typcollation(type)));
}

/* The values of a key that is computed of one column within bounds. */
static List *
values_of_column(Query *query, Node *key, Var *var)
{
	Search	   *search = palloc0(sizeof(Search));
	DpShape		shape = dp_rewrite_shape(key, var);
	bool		was_running = dp_expression_release_running;
	bool		found;

	search->key = key;
	if (!shape.known || shape.fixed || !dp_rewrite_column_span(query, var, &search->span) ||
		search->span.first > search->span.last || !open_type(search))
		return NIL;
	dp_expression_release_running = true;
	PG_TRY();
	{
		found = run_search(query, search, var, &shape);
	}
	PG_FINALLY();
	{
		dp_expression_release_running = was_running;
	}
	PG_END_TRY();
	return found ? values_of(search, dp_policy_can_be_null(query, key)) : NIL;
}

/* Note the results of a CASE; false if not all are constants. */
static bool
note_results(Search *search, const CaseExpr *cases)
{
	List	   *results = list_make1(cases->defresult);
	ListCell   *lc;

	foreach(lc, cases->args)
		results = lappend(results, lfirst_node(CaseWhen, lc)->result);
	foreach(lc, results)
	{
		const Const *result = lfirst(lc);

		if (result == NULL || !IsA(result, Const) || search->found > DP_MOST_COMPUTED)
			return false;
		note(search, result->constvalue, result->constisnull);
	}
	return true;
}

/* The values of a CASE whose results are constants. */
static List *
values_of_case(Query *query, CaseExpr *cases)
{
	Search	   *search = palloc0(sizeof(Search));

	search->key = (Node *) cases;
	search->value = palloc((MOST_SAMPLES + 2) * sizeof(Datum));
	if (!open_type(search) || !note_results(search, cases) || !settle(search))
		return NIL;
	return values_of(search, dp_policy_can_be_null(query, (Node *) cases));
}

/* The one column that an expression is of; NULL if there are others, or none. */
static Var *
only_column(Node *expr)
{
	List	   *vars = pull_var_clause(expr, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS);
	ListCell   *lc;

	foreach(lc, vars)
		if (!equal(lfirst(lc), linitial(vars)))
			return NULL;
	return vars == NIL ? NULL : linitial(vars);
}

/* A condition that compares a key with constants, and a value of the key put in its place. */
typedef struct Putting
{
	Node	   *key;
	Const	   *value;
} Putting;

static Node *
put_value(Node *node, Putting *putting)
{
	if (node == NULL)
		return NULL;
	if (equal(node, putting->key))
		return (Node *) copyObject(putting->value);
	return expression_tree_mutator(node, put_value, putting);
}

/* Does a condition of WHERE leave this value of a key out, by comparing it with constants? */
static bool
is_left_out(Node *condition, Node *key, Const *value)
{
	Putting		putting = {.key = key, .value = value};
	List	   *args;
	Node	   *result;

	if (IsA(condition, OpExpr))
		args = ((OpExpr *) condition)->args;
	else if (IsA(condition, ScalarArrayOpExpr))
		args = ((ScalarArrayOpExpr *) condition)->args;
	else
		return false;
	if (list_length(args) != 2 || !((equal(linitial(args), key) && IsA(lsecond(args), Const)) ||
									(equal(lsecond(args), key) && IsA(linitial(args), Const))))
		return false;
	result = eval_const_expressions(NULL, put_value(condition, &putting));
	return IsA(result, Const) && (((Const *) result)->constisnull || !DatumGetBool(((Const *) result)->constvalue));
}

/* The values of a key that no condition of WHERE, each of which must hold, leaves out. */
static List *
without_left_out(Node *conditions, Node *key, List *values)
{
	List	   *kept = NIL;
	ListCell   *lc;

	if (conditions && (IsA(conditions, List) || is_andclause(conditions)))
	{
		foreach(lc, IsA(conditions, List) ? (List *) conditions : ((BoolExpr *) conditions)->args)
			values = without_left_out(lfirst(lc), key, values);
		return values;
	}
	foreach(lc, values)
		if (conditions == NULL || !is_left_out(conditions, key, lfirst(lc)))
			kept = lappend(kept, lfirst(lc));
	return kept;
}

/* The values of a key, whatever WHERE says of the key itself. */
static List *
all_values(Query *query, Node *key)
{
	Var		   *var = only_column(key);
	List	   *values = IsA(key, CaseExpr) ? values_of_case(query, (CaseExpr *) key) : NIL;

	return values == NIL && var ? values_of_column(query, key, var) : values;
}

List *
dp_rewrite_computed_values(Query *query, Node *key)
{
	List	   *values = all_values(query, key);

	return IsA(key, Var) ? values : without_left_out(query->jointree->quals, key, values);
}

bool
dp_rewrite_are_entangled(Node *key, List *others)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, pull_var_clause(key, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS))
		foreach(lc2, pull_var_clause((Node *) others, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS))
			if (equal(lfirst(lc), lfirst(lc2)))
				return true;
	return false;
}
