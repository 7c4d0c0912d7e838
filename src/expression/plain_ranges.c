/*
 * plain_ranges.c
 *	  Operators of ranges that stand for comparisons of their bounds.
 *
 *		x <@ tsrange(a, b)				CASE WHEN a <= b AND x IS NOT NULL THEN a <= x AND x < b END
 *		tsrange(a, b) && tsrange(c, d)	CASE WHEN a <= b AND c <= d
 *											 THEN a < b AND a < d AND c < b AND c < d END
 *
 * each comparison but that with x counting as true if a bound is NULL, which means that there is none.  A range
 * whose bounds are in the wrong order is an error, and so NULL.  A range is not made, of which
 * PostgreSQL would say so; and bounds that are columns are compared as these.
 *
 * jsonb <@ is @> with its sides exchanged.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

#include "tree/make_nodes.h"
#include "expression/plain_ranges.h"

/* One side of an operator: a range, or a value as a range of nothing else. */
typedef struct Period
{
	Node	   *lower;			/* NULL: none */
	Node	   *upper;
	bool		with_lower;		/* is the bound within? */
	bool		with_upper;
	bool		empty;
	Node	   *condition;		/* of there being an answer, or NULL */
} Period;

/* The operators by which bounds are compared. */
typedef struct Order
{
	Oid			less;
	Oid			at_most;
} Order;

bool
dp_query_makes_range(Oid function)
{
	switch (function)
	{
		case F_INT4RANGE_INT4_INT4:
		case F_INT4RANGE_INT4_INT4_TEXT:
		case F_INT8RANGE_INT8_INT8:
		case F_INT8RANGE_INT8_INT8_TEXT:
		case F_NUMRANGE_NUMERIC_NUMERIC:
		case F_NUMRANGE_NUMERIC_NUMERIC_TEXT:
		case F_DATERANGE_DATE_DATE:
		case F_DATERANGE_DATE_DATE_TEXT:
		case F_TSRANGE_TIMESTAMP_TIMESTAMP:
		case F_TSRANGE_TIMESTAMP_TIMESTAMP_TEXT:
		case F_TSTZRANGE_TIMESTAMPTZ_TIMESTAMPTZ:
		case F_TSTZRANGE_TIMESTAMPTZ_TIMESTAMPTZ_TEXT:
			return true;
		default:
			return false;
	}
}

static bool
is_range_constructor(const Node *node)
{
	return IsA(node, FuncExpr) && dp_query_makes_range(((const FuncExpr *) node)->funcid);
}

static Node *
compare(Oid operator, Node *left, Node *right)
{
	OpExpr	   *call = (OpExpr *) make_opclause(operator, BOOLOID, false, copyObject((Expr *) left),
												copyObject((Expr *) right), InvalidOid, InvalidOid);

	set_opfuncid(call);
	return (Node *) call;
}

static Node *
is_null(Node *bound)
{
	NullTest   *test = (NullTest *) dp_query_make_not_null(copyObject(bound));

	test->nulltesttype = IS_NULL;
	return (Node *) test;
}

/* Is there anything between a lower and an upper bound, or is one missing?  A value is at itself. */
static Node *
fits(const Order *order, Node *lower, bool with_lower, Node *upper, bool with_upper)
{
	if (lower == NULL || upper == NULL || lower == upper)
		return makeBoolConst(true, false);
	return (Node *) makeBoolExpr(OR_EXPR,
								 list_make3(compare(with_lower && with_upper ? order->at_most : order->less, lower, upper),
											is_null(lower), is_null(upper)), -1);
}

/* Does a range begin before another ends? */
static Node *
within(const Order *order, const Period *one, const Period *other)
{
	return fits(order, one->lower, one->with_lower, other->upper, other->with_upper);
}

/* Read how bounds count, as "[)" says; false if that is not constant, or says nothing. */
static bool
read_flags(const FuncExpr *call, Period *period)
{
	const Const *flags = llast(call->args);
	const char *said;

	if (list_length(call->args) == 2)
	{
		period->with_lower = true;
		return true;
	}
	if (!IsA(flags, Const) || flags->constisnull)
		return false;
	said = TextDatumGetCString(flags->constvalue);
	period->with_lower = said[0] == '[';
	period->with_upper = strlen(said) == 2 && said[1] == ']';
	return strcmp(said, "[)") == 0 || strcmp(said, "[]") == 0 || strcmp(said, "()") == 0 || strcmp(said, "(]") == 0;
}

/* A call like tsrange(a, b, '[]'). */
static bool
read_constructor(const FuncExpr *call, const Order *order, Period *period)
{
	period->lower = linitial(call->args);
	period->upper = lsecond(call->args);
	period->condition = fits(order, period->lower, true, period->upper, true);
	return read_flags(call, period);
}

static Node *
constant_bound(const RangeBound *bound, TypeCacheEntry *subtype)
{
	if (bound->infinite)
		return NULL;
	return (Node *) makeConst(subtype->type_id, -1, InvalidOid, subtype->typlen, bound->val, false, subtype->typbyval);
}

static void
read_constant(const Const *constant, Period *period)
{
	TypeCacheEntry *type = lookup_type_cache(constant->consttype, TYPECACHE_RANGE_INFO);
	RangeBound	lower;
	RangeBound	upper;

	range_deserialize(type, DatumGetRangeTypeP(constant->constvalue), &lower, &upper, &period->empty);
	if (period->empty)
		return;
	period->lower = constant_bound(&lower, type->rngelemtype);
	period->upper = constant_bound(&upper, type->rngelemtype);
	period->with_lower = lower.inclusive || lower.infinite;
	period->with_upper = upper.inclusive;
}

/* Read one side of an operator; false if its bounds are not known here. */
static bool
read_side(Node *side, const Order *order, Period *period)
{
	memset(period, 0, sizeof(Period));
	if (is_range_constructor(side))
		return read_constructor((FuncExpr *) side, order, period);
	if (get_typtype(exprType(side)) == TYPTYPE_RANGE)
	{
		if (!IsA(side, Const) || ((Const *) side)->constisnull)
			return false;
		read_constant((Const *) side, period);
		return true;
	}
	period->lower = period->upper = side;
	period->with_lower = period->with_upper = true;
	period->condition = dp_query_make_not_null(copyObject(side));
	return true;
}

/* The order of bounds of the ranges that an operator has on one side at least. */
static Order
order_of(OpExpr *call)
{
	Node	   *left = linitial(call->args);
	Oid			type = exprType(get_typtype(exprType(left)) == TYPTYPE_RANGE ? left : lsecond(call->args));
	TypeCacheEntry *bound = lookup_type_cache(get_range_subtype(type), TYPECACHE_BTREE_OPFAMILY);

	return (Order) {
		get_opfamily_member(bound->btree_opf, bound->btree_opintype, bound->btree_opintype, BTLessStrategyNumber),
		get_opfamily_member(bound->btree_opf, bound->btree_opintype, bound->btree_opintype, BTLessEqualStrategyNumber)
	};
}

/*
 * Are these ranges of whole numbers or days that begin behind their lower bound?  There is nothing
 * between two neighbours, which comparing them does not tell.
 */
static bool
may_miss_neighbours(OpExpr *call, const Period *one, const Period *other)
{
	Oid			type = exprType(linitial(call->args));

	return (type == INT4RANGEOID || type == INT8RANGEOID || type == DATERANGEOID) &&
		!(one->with_lower && other->with_lower);
}

/* Do two sides have a value in common? */
static Node *
meet(OpExpr *call, const Order *order, const Period *one, const Period *other)
{
	List	   *conditions = NIL;
	Node	   *common;

	if (one->empty || other->empty)
		common = makeBoolConst(false, false);
	else
		common = (Node *) makeBoolExpr(AND_EXPR, list_make4(within(order, one, one), within(order, other, other),
															within(order, one, other), within(order, other, one)), -1);
	if (one->condition)
		conditions = lappend(conditions, one->condition);
	if (other->condition)
		conditions = lappend(conditions, other->condition);
	common = dp_query_make_if((Node *) makeBoolExpr(AND_EXPR, conditions, -1), common);
	((CaseExpr *) common)->location = call->location;
	return common;
}

static Node *
plainer_ranges(OpExpr *call)
{
	Node	   *left = linitial(call->args);
	Node	   *right = lsecond(call->args);
	Order		order;
	Period		one;
	Period		other;

	if (!is_range_constructor(left) && !is_range_constructor(right))
		return NULL;
	order = order_of(call);
	if (!read_side(left, &order, &one) || !read_side(right, &order, &other))
		return NULL;
	if (call->opfuncid == F_RANGE_OVERLAPS && may_miss_neighbours(call, &one, &other))
		return NULL;
	return meet(call, &order, &one, &other);
}

/* a <@ b as b @> a */
static Node *
exchange(OpExpr *call)
{
	OpExpr	   *other = (OpExpr *) memcpy(makeNode(OpExpr), call, sizeof(OpExpr));

	other->opno = get_commutator(call->opno);
	other->opfuncid = get_opcode(other->opno);
	other->args = list_make2(lsecond(call->args), linitial(call->args));
	return (Node *) other;
}

Node *
dp_query_plainer_operator(OpExpr *call)
{
	if (!IsA(call, OpExpr) || call->opno >= FirstUnpinnedObjectId)
		return NULL;
	set_opfuncid(call);
	switch (call->opfuncid)
	{
		case F_JSONB_CONTAINED:
			return exchange(call);
		case F_RANGE_CONTAINS_ELEM:
		case F_ELEM_CONTAINED_BY_RANGE:
		case F_RANGE_OVERLAPS:
			return plainer_ranges(call);
		default:
			return NULL;
	}
}
