/* SPDX-License-Identifier: PostgreSQL */
/*
 * supply_bounds.c
 *	  Bounds that an aggregate leaves out, from the domains of its columns.
 *
 * Everything here depends on the statement's text, the settings and what owners have
 * declared alone; no data is read.
 */
#include "postgres.h"

#include <limits.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "pricing/clipping.h"
#include "pricing/supply_bounds.h"
#include "pricing/value_range.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

typedef struct Supply
{
	Query	   *block;
	const DpContribution *contribution;
	const DpStatement *statement;
	DpReason   *reason;
} Supply;

/* How many values an aggregate is over, and how many arguments stand before its bounds. */
static int
count_values(DpFunction function, int *before)
{
	switch (function)
	{
		case DP_FUNCTION_SUM:
		case DP_FUNCTION_AVG:
		case DP_FUNCTION_MEDIAN:
		case DP_FUNCTION_MIN:
		case DP_FUNCTION_MAX:
		case DP_FUNCTION_VARIANCE:
		case DP_FUNCTION_STDDEV:
			*before = 1;
			return 1;
		case DP_FUNCTION_QUANTILE:
			*before = 2;
			return 1;
		case DP_FUNCTION_COVAR_POP:
		case DP_FUNCTION_COVAR_SAMP:
		case DP_FUNCTION_CORR:
		case DP_FUNCTION_SLOPE:
		case DP_FUNCTION_INTERCEPT:
			*before = 2;
			return 2;
		default:
			*before = 0;
			return 0;
	}
}

/* A number as an analyst writes it: plain digits, and a cast that the parser adds. */
static Node *
make_number(Oid type, double value)
{
	Oid			cast;
	Oid			written = NUMERICOID;
	Node	   *number;

	if (value == rint(value) && fabs(value) <= INT_MAX)
		written = INT4OID;
	if (written == INT4OID)
		number = (Node *) dp_tree_make_int4((int) value);
	else if (type == INT8OID)
		return (Node *) dp_tree_make_int8((int64) value);
	else
	{
		char	   *digits = DatumGetCString(DirectFunctionCall1(float8out, Float8GetDatum(value)));
		Datum		datum = DirectFunctionCall3(numeric_in, CStringGetDatum(digits),
												ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));

		number = (Node *) makeConst(NUMERICOID, -1, InvalidOid, -1, datum, false, false);
	}
	if (type == written)
		return number;
	if (type == INT8OID)
		cast = F_INT8_INT4;
	else if (type == NUMERICOID)
		cast = F_NUMERIC_INT4;
	else
		cast = written == INT4OID ? F_FLOAT8_INT4 : F_FLOAT8_NUMERIC;
	return (Node *) makeFuncExpr(cast, type, list_make1(number), InvalidOid, InvalidOid,
								 COERCE_IMPLICIT_CAST);
}

/* Are values of this type whole numbers? */
static bool
is_whole(Oid type)
{
	return type == INT8OID || type == DATEOID || dp_pricing_is_timestamp(type);
}

/* Is there a value of this type for the number? */
static bool
has_value(Oid type, double value)
{
	if (type == DATEOID)
		return value >= DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE &&
			value < DATE_END_JULIAN - POSTGRES_EPOCH_JDATE;
	if (dp_pricing_is_timestamp(type))
		return value >= (double) MIN_TIMESTAMP && value < (double) END_TIMESTAMP;
	return isfinite(value) && (type != INT8OID || fabs(value) < 0x1p63);
}

/* A bound as an analyst writes it. */
static Node *
make_bound(Oid type, double value)
{
	if (type == DATEOID)
		return (Node *) makeConst(type, -1, InvalidOid, sizeof(DateADT),
								  DateADTGetDatum((DateADT) value), false, true);
	if (dp_pricing_is_timestamp(type))
		return (Node *) makeConst(type, -1, InvalidOid, sizeof(Timestamp),
								  TimestampGetDatum((Timestamp) value), false, FLOAT8PASSBYVAL);
	return make_number(type, value);
}

/* What bounds a unit's total: that of its rows in a group, as many as count, or of one if its clamp is chosen. */
static DpValueRange
range_of_total(DpValueRange range, int max_rows)
{
	return (DpValueRange) {fmin(range.lower, range.lower * max_rows),
		fmax(range.upper, range.upper * max_rows)};
}

/* Append an argument of this type to an aggregate. */
static void
append_argument(Aggref *aggref, Oid type, double value)
{
	TargetEntry *entry = makeTargetEntry((Expr *) make_bound(type, value),
										 list_length(aggref->args) + 1, NULL, false);

	aggref->args = lappend(aggref->args, entry);
	aggref->aggargtypes = lappend_oid(aggref->aggargtypes, type);
}

/* How many rows of a unit a grouping subquery may find, if somebody has said so. */
static DpUnitRows
rows_of_unit(const DpContribution *contribution)
{
	DpUnitRows	rows = {.asked = Max(contribution->pricing->max_rows, 0), .join_rows = dp_from_max_join_rows(contribution)};

	rows.of_block = rows.asked > 0 ? rows.asked : contribution->policy.max_rows > 1 ? contribution->policy.max_rows : 0;
	if (contribution->fan_outs != NIL)
		rows.of_block = (int) Min((int64) rows.of_block * rows.join_rows, INT_MAX);
	return rows;
}

#define INTERVAL_HINT \
	"Write bounds into it, least(greatest(x, interval '0'), interval '1 day'), where NULL counts as the lower one unless FILTER (WHERE x IS NOT NULL) leaves it out. Or have the table's owner declare those of its columns for everybody: dp_agg.set_domain."

/* What a value is called in a hint: by its name if it is a column of a table, else x. */
static const char *
name_of_value(Query *block, Node *value)
{
	while (IsA(value, RelabelType) || (IsA(value, FuncExpr) && ((FuncExpr *) value)->funcformat == COERCE_IMPLICIT_CAST))
		value = IsA(value, RelabelType) ? (Node *) ((RelabelType *) value)->arg : linitial(((FuncExpr *) value)->args);
	if (!IsA(value, Var) || ((Var *) value)->varlevelsup > 0 || ((Var *) value)->varattno <= 0 ||
		rt_fetch(((Var *) value)->varno, block->rtable)->rtekind != RTE_RELATION)
		return "x";
	return quote_identifier(get_rte_attribute_name(rt_fetch(((Var *) value)->varno, block->rtable), ((Var *) value)->varattno));
}

/* How bounds are written into the value of this aggregate, or after it; into an interval, if its seconds are asked. */
static const char *
hint_for_bounds(Query *block, const Aggref *aggref, Node *value, const char *hint)
{
	const char *name = name_of_value(block, value);
	const char *owner = strstr(hint, " Or have");
	const char *arguments;
	int			before;

	if (IsA(value, FuncExpr) && ((FuncExpr *) value)->funcid == F_DATE_PART_TEXT_INTERVAL)
		return INTERVAL_HINT;
	if (count_values(dp_tree_function(aggref->aggfnoid), &before) == 2)
		arguments = "y, x, lower_y, upper_y, lower_x, upper_x";
	else
		arguments = psprintf("%s, %slower, upper", name, before == 2 ? "fraction, " : "");
	return psprintf("Write bounds into the value, least(greatest(%s, lower), upper), where NULL counts as lower, or after it, %s(%s), where it does not count.%s",
					name, get_func_name(aggref->aggfnoid), arguments, owner ? owner : "");
}

/* Append the bounds of the n-th value. */
static DpReason *
append_bounds(Supply *supply, Aggref *aggref, int n, const Oid *types)
{
	Node	   *value = (Node *) list_nth_node(TargetEntry, aggref->args, n)->expr;
	DpUnitRows	rows = rows_of_unit(supply->contribution);
	DpValueRange range;
	DpReason   *reason = dp_pricing_value_range(supply->block, value, supply->statement->params, &rows, &range);

	if (reason)
	{
		reason->hint = hint_for_bounds(supply->block, aggref, value, reason->hint ? reason->hint : "");
		return reason;
	}
	if (range.lower > range.upper)
		range = (DpValueRange) {0, 0};
	if (dp_tree_function(aggref->aggfnoid) == DP_FUNCTION_SUM && aggref->aggdistinct == NIL)
		range = range_of_total(range, dp_pricing_clips(supply->contribution) ? 1 : supply->contribution->max_rows);
	if (is_whole(types[0]))
		range = (DpValueRange) {floor(range.lower), ceil(range.upper)};
	if (!has_value(types[0], range.lower) || !has_value(types[0], range.upper))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, exprLocation(value),
								 "Write bounds that are closer together.",
								 "the bounds that follow from those of the columns are too far apart");
	append_argument(aggref, types[0], range.lower);
	append_argument(aggref, types[1], range.upper);
	return NULL;
}

/* Complete an aggregate, if it lacks bounds. */
static DpReason *
complete(Supply *supply, Aggref *aggref)
{
	int			before;
	int			values = count_values(dp_tree_function(aggref->aggfnoid), &before);
	Oid			full;
	Oid		   *types;
	int			ntypes;
	DpReason   *reason = NULL;

	if (values == 0 || list_length(aggref->args) != before)
		return NULL;
	full = dp_tree_longer_function(aggref->aggfnoid, before + 2 * values);
	get_func_signature(full, &types, &ntypes);
	for (int i = 0; i < values && reason == NULL; i++)
		reason = append_bounds(supply, aggref, i, types + before + 2 * i);
	aggref->aggfnoid = full;
	return reason;
}

static bool
supply_walker(Node *node, Supply *supply)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0)
	{
		supply->reason = complete(supply, (Aggref *) node);
		return supply->reason != NULL;
	}
	return expression_tree_walker(node, supply_walker, supply);
}

DpReason *
dp_pricing_supply_bounds(Query *block, const DpContribution *contribution, const DpStatement *statement)
{
	Supply		supply = {.block = block, .contribution = contribution, .statement = statement};

	if (!supply_walker((Node *) block->targetList, &supply))
		supply_walker(block->havingQual, &supply);
	return supply.reason;
}
