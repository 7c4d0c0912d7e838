/* SPDX-License-Identifier: PostgreSQL */
/*
 * plainer.c
 *	  Calls that stand for expressions of plainer functions.
 *
 *		concat(a, 1, b)			COALESCE(a, '') || '1' || COALESCE(b, '')
 *		concat_ws(', ', a, b)	substr(COALESCE(', ' || a, '') || COALESCE(', ' || b, ''), 3)
 *		width_bucket(x, '{1,5}')	CASE WHEN x < 5 THEN CASE WHEN x < 1 THEN 0 ... END ... END
 *		(a, b) OVERLAPS (c, d)	CASE WHEN LEAST(a, b) > LEAST(c, d) THEN ... END
 *
 * These take arguments of any type and any number of them, or arrays, and are not strict: a
 * wrapper that makes NULL of errors cannot call them.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

#include "base/compat_varlena.h"
#include "expression/plainer.h"
#include "tree/make_nodes.h"

/*
 * Operators of ranges that stand for comparisons of their bounds.
 *
 * 		x <@ tsrange(a, b)				CASE WHEN a <= b AND x IS NOT NULL THEN a <= x AND x < b END
 * 		tsrange(a, b) && tsrange(c, d)	CASE WHEN a <= b AND c <= d
 * 											 THEN a < b AND a < d AND c < b AND c < d END
 *
 * each comparison but that with x counting as true if a bound is NULL, which means that there is none.  A range
 * whose bounds are in the wrong order is an error, and so NULL.  A range is not made, of which
 * PostgreSQL would say so; and bounds that are columns are compared as these.
 *
 * jsonb <@ is @> with its sides exchanged.
 */

/* One side of an operator: a range, or a value as a range of nothing else. */
typedef struct RangeBounds
{
	Node	   *lower;			/* NULL: none */
	Node	   *upper;
	bool		with_lower;		/* is the bound within? */
	bool		with_upper;
	bool		empty;
	Node	   *condition;		/* of there being an answer, or NULL */
} RangeBounds;

/* The operators by which bounds are compared. */
typedef struct Order
{
	Oid			less;
	Oid			at_most;
} Order;

bool
dp_expression_makes_range(Oid function)
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
	return IsA(node, FuncExpr) && dp_expression_makes_range(((const FuncExpr *) node)->funcid);
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
	NullTest   *test = (NullTest *) dp_tree_make_not_null(copyObject(bound));

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
within(const Order *order, const RangeBounds *one, const RangeBounds *other)
{
	return fits(order, one->lower, one->with_lower, other->upper, other->with_upper);
}

/* Read how bounds count, as "[)" says; false if that is not constant, or says nothing. */
static bool
read_flags(const FuncExpr *call, RangeBounds *bounds)
{
	const Const *flags = llast(call->args);
	const char *said;

	if (list_length(call->args) == 2)
	{
		bounds->with_lower = true;
		return true;
	}
	if (!IsA(flags, Const) || flags->constisnull)
		return false;
	said = TextDatumGetCString(flags->constvalue);
	bounds->with_lower = said[0] == '[';
	bounds->with_upper = strlen(said) == 2 && said[1] == ']';
	return strcmp(said, "[)") == 0 || strcmp(said, "[]") == 0 || strcmp(said, "()") == 0 || strcmp(said, "(]") == 0;
}

/* A call like tsrange(a, b, '[]'). */
static bool
read_constructor(const FuncExpr *call, const Order *order, RangeBounds *bounds)
{
	bounds->lower = linitial(call->args);
	bounds->upper = lsecond(call->args);
	bounds->condition = fits(order, bounds->lower, true, bounds->upper, true);
	return read_flags(call, bounds);
}

static Node *
constant_bound(const RangeBound *bound, TypeCacheEntry *subtype)
{
	if (bound->infinite)
		return NULL;
	return (Node *) makeConst(subtype->type_id, -1, InvalidOid, subtype->typlen, bound->val, false, subtype->typbyval);
}

static void
read_constant(const Const *constant, RangeBounds *bounds)
{
	TypeCacheEntry *type = lookup_type_cache(constant->consttype, TYPECACHE_RANGE_INFO);
	RangeBound	lower;
	RangeBound	upper;

	range_deserialize(type, DatumGetRangeTypeP(constant->constvalue), &lower, &upper, &bounds->empty);
	if (bounds->empty)
		return;
	bounds->lower = constant_bound(&lower, type->rngelemtype);
	bounds->upper = constant_bound(&upper, type->rngelemtype);
	bounds->with_lower = lower.inclusive || lower.infinite;
	bounds->with_upper = upper.inclusive;
}

/* Read one side of an operator; false if its bounds are not known here. */
static bool
read_side(Node *side, const Order *order, RangeBounds *bounds)
{
	memset(bounds, 0, sizeof(RangeBounds));
	if (is_range_constructor(side))
		return read_constructor((FuncExpr *) side, order, bounds);
	if (get_typtype(exprType(side)) == TYPTYPE_RANGE)
	{
		if (!IsA(side, Const) || ((Const *) side)->constisnull)
			return false;
		read_constant((Const *) side, bounds);
		return true;
	}
	bounds->lower = bounds->upper = side;
	bounds->with_lower = bounds->with_upper = true;
	bounds->condition = dp_tree_make_not_null(copyObject(side));
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
may_miss_neighbours(OpExpr *call, const RangeBounds *one, const RangeBounds *other)
{
	Oid			type = exprType(linitial(call->args));

	return (type == INT4RANGEOID || type == INT8RANGEOID || type == DATERANGEOID) &&
		!(one->with_lower && other->with_lower);
}

/* Do two sides have a value in common? */
static Node *
meet(OpExpr *call, const Order *order, const RangeBounds *one, const RangeBounds *other)
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
	common = dp_tree_make_if((Node *) makeBoolExpr(AND_EXPR, conditions, -1), common);
	((CaseExpr *) common)->location = call->location;
	return common;
}

static Node *
plainer_ranges(OpExpr *call)
{
	Node	   *left = linitial(call->args);
	Node	   *right = lsecond(call->args);
	Order		order;
	RangeBounds one;
	RangeBounds other;

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
dp_expression_plainer_operator(OpExpr *call)
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

Node *
dp_expression_lowered(Node *text, Oid collation)
{
	return (Node *) makeFuncExpr(F_LOWER_TEXT, TEXTOID, list_make1(text), collation, collation, COERCE_EXPLICIT_CALL);
}

/* The same of a constant array, element by element. */
static Node *
lowered_array(const Const *array, Oid collation)
{
	Const	   *copy = copyObject(unconstify(Const *, array));
	ArrayType  *value = DatumGetArrayTypeP(array->constvalue);
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	int			lower_bound = 1;

	deconstruct_array(value, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &count);
	for (int i = 0; i < count; i++)
		if (!nulls[i])
			elements[i] = DirectFunctionCall1Coll(lower, collation, elements[i]);
	copy->constvalue = PointerGetDatum(construct_md_array(elements, nulls, 1, &count, &lower_bound, TEXTOID, -1, false, TYPALIGN_INT));
	return (Node *) copy;
}

ScalarArrayOpExpr *
dp_expression_plainer_array_operator(ScalarArrayOpExpr *call)
{
	Const	   *array = lsecond(call->args);

	if ((call->opno != OID_TEXT_ICLIKE_OP && call->opno != get_negator(OID_TEXT_ICLIKE_OP)) ||
		!IsA(array, Const) || array->constisnull || !OidIsValid(call->inputcollid))
		return call;
	call = copyObject(call);
	call->args = list_make2(dp_expression_lowered(linitial(call->args), call->inputcollid), lowered_array(array, call->inputcollid));
	call->opno = call->opno == OID_TEXT_ICLIKE_OP ? OID_TEXT_LIKE_OP : get_negator(OID_TEXT_LIKE_OP);
	call->opfuncid = get_opcode(call->opno);
	return call;
}

static Node *
make_text(const char *value)
{
	return (Node *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(value),
							  false, false);
}

/* CASE arg WHEN true 't', and so on: what concat writes of a boolean, unlike a cast. */
static Node *
letter_of(Node *boolean)
{
	CaseExpr   *cases = (CaseExpr *) dp_tree_make_if(boolean, make_text("t"));
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = (Expr *) makeBoolExpr(NOT_EXPR, list_make1(copyObject(boolean)), -1);
	when->result = (Expr *) make_text("f");
	when->location = -1;
	cases->args = lappend(cases->args, when);
	return (Node *) cases;
}

/* An argument as the text that its type's output function writes; one of these as it is. */
static Node *
text_of(Node *arg, int location)
{
	Oid			type = exprType(arg);
	CoerceViaIO *cast;

	if (type == TEXTOID)
		return arg;
	if (type == UNKNOWNOID && IsA(arg, Const))
		return ((Const *) arg)->constisnull ? (Node *) makeNullConst(TEXTOID, -1, DEFAULT_COLLATION_OID)
			: make_text(DatumGetCString(((Const *) arg)->constvalue));
	if (type == BOOLOID)
		return letter_of(arg);
	if (type == VARCHAROID || type == BPCHAROID)
		return (Node *) makeRelabelType((Expr *) arg, TEXTOID, -1, exprCollation(arg), COERCE_EXPLICIT_CAST);
	cast = makeNode(CoerceViaIO);
	cast->arg = (Expr *) arg;
	cast->resulttype = TEXTOID;
	cast->resultcollid = DEFAULT_COLLATION_OID;
	cast->coerceformat = COERCE_EXPLICIT_CAST;
	cast->location = location;
	return (Node *) cast;
}

/*
 * Collation under which a call's texts are joined: it matters only to what stands
 * around the call.
 */
static Oid
collation_of(const FuncExpr *call)
{
	return OidIsValid(call->inputcollid) ? call->inputcollid : DEFAULT_COLLATION_OID;
}

/* first || second */
static Node *
join(const FuncExpr *call, Node *first, Node *second)
{
	FuncExpr   *joined = makeFuncExpr(F_TEXTCAT, TEXTOID, list_make2(first, second), collation_of(call),
									  collation_of(call), COERCE_EXPLICIT_CALL);

	joined->location = call->location;
	return (Node *) joined;
}

/* COALESCE(value, '') */
static Node *
or_empty(const FuncExpr *call, Node *value)
{
	CoalesceExpr *either = makeNode(CoalesceExpr);

	either->coalescetype = TEXTOID;
	either->coalescecollid = collation_of(call);
	either->args = list_make2(value, make_text(""));
	either->location = call->location;
	return (Node *) either;
}

/* All arguments from one on, NULL as nothing; each behind the separator, if there is one. */
static Node *
join_all(const FuncExpr *call, int from, Node *separator)
{
	Node	   *joined = NULL;
	ListCell   *lc;

	for_each_from(lc, call->args, from)
	{
		Node	   *value = text_of(lfirst(lc), call->location);

		if (separator)
			value = join(call, copyObject(separator), value);
		value = or_empty(call, value);
		joined = joined ? join(call, joined, value) : value;
	}
	return joined ? joined : make_text("");
}

/* concat_ws of a constant separator. */
static Node *
join_separated(const FuncExpr *call)
{
	Const	   *separator = linitial(call->args);
	text	   *value;
	int			length;
	FuncExpr   *rest;

	if (!IsA(separator, Const) || separator->consttype != TEXTOID)
		return NULL;
	if (separator->constisnull)
		return (Node *) makeNullConst(TEXTOID, -1, collation_of(call));
	value = DatumGetTextPP(separator->constvalue);
	length = pg_mbstrlen_with_len(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	rest = makeFuncExpr(F_SUBSTR_TEXT_INT4, TEXTOID,
						list_make2(join_all(call, 1, (Node *) separator), dp_tree_make_int4(length + 1)),
						collation_of(call), collation_of(call), COERCE_EXPLICIT_CALL);
	rest->location = call->location;
	return (Node *) rest;
}

/* Thresholds of width_bucket. */
typedef struct Thresholds
{
	Node	   *operand;
	Oid			less;			/* operator */
	Oid			collation;
	List	   *values;			/* of Const */
} Thresholds;

/* The number of thresholds from one on up to another that the operand has reached, and `left`. */
static Node *
search(const Thresholds *thresholds, int left, int right)
{
	int			middle = (left + right) / 2;
	OpExpr	   *less;
	CaseExpr   *cases;

	if (left == right)
		return (Node *) dp_tree_make_int4(left);
	less = (OpExpr *) make_opclause(thresholds->less, BOOLOID, false, (Expr *) copyObject(thresholds->operand),
									(Expr *) list_nth(thresholds->values, middle), InvalidOid,
									thresholds->collation);
	set_opfuncid(less);
	cases = (CaseExpr *) dp_tree_make_if((Node *) less, search(thresholds, left, middle));
	cases->defresult = (Expr *) search(thresholds, middle + 1, right);
	return (Node *) cases;
}

/* Most thresholds: each takes an operand of its own. */
#define MOST_THRESHOLDS 1000

/* The elements of an array of one dimension without nulls, as constants; NIL of others. */
static List *
elements_of(const Const *constant, Oid collation)
{
	ArrayType  *array = DatumGetArrayTypeP(constant->constvalue);
	Oid			type = ARR_ELEMTYPE(array);
	List	   *elements = NIL;
	Datum	   *values;
	int			count;
	int16		length;
	bool		byval;
	char		align;

	if (ARR_NDIM(array) != 1 || array_contains_nulls(array) ||
		ArrayGetNItems(1, ARR_DIMS(array)) > MOST_THRESHOLDS)
		return NIL;
	get_typlenbyvalalign(type, &length, &byval, &align);
	deconstruct_array(array, type, length, byval, align, &values, NULL, &count);
	for (int i = 0; i < count; i++)
		elements = lappend(elements, makeConst(type, -1, collation, length, values[i], false, byval));
	return elements;
}

/*
 * width_bucket(operand, array): the binary search that PostgreSQL does, so that thresholds
 * out of order give what they give there.
 */
static Node *
search_array(const FuncExpr *call)
{
	Thresholds	thresholds = {.operand = linitial(call->args), .collation = call->inputcollid};
	Const	   *array = lsecond(call->args);
	Oid			type = exprType(thresholds.operand);

	if (!IsA(array, Const) || array->constisnull || get_element_type(array->consttype) != type)
		return NULL;
	thresholds.values = elements_of(array, exprCollation(thresholds.operand));
	thresholds.less = lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr;
	if (thresholds.values == NIL || !OidIsValid(thresholds.less))
		return NULL;
	return dp_tree_make_if(dp_tree_make_not_null(copyObject(thresholds.operand)),
						   search(&thresholds, 0, list_length(thresholds.values)));
}

/* LEAST or GREATEST of two */
static Node *
choose(MinMaxOp op, Node *left, Node *right)
{
	MinMaxExpr *minmax = makeNode(MinMaxExpr);

	minmax->minmaxtype = exprType(left);
	minmax->op = op;
	minmax->args = list_make2(copyObject(left), copyObject(right));
	minmax->location = -1;
	return (Node *) minmax;
}

static Node *
both_known(Node *left, Node *right)
{
	return (Node *) makeBoolExpr(AND_EXPR, list_make2(dp_tree_make_not_null(copyObject(left)),
													  dp_tree_make_not_null(copyObject(right))), -1);
}

/* A period as OVERLAPS reads it: from the earlier of two times, or the one that is known, to the later. */
typedef struct Period
{
	Node	   *start;
	Node	   *end;			/* NULL if one of them is */
} Period;

static Period
make_period(Node *one, Node *other)
{
	return (Period) {choose(IS_LEAST, one, other),
		dp_tree_make_if(both_known(one, other), choose(IS_GREATEST, one, other))};
}

/* The later period begins before the earlier ends; unknown if that is not so and its own end is not known. */
static Node *
begins_within(Oid less, Period later, Period earlier)
{
	Node	   *known = dp_tree_make_if(dp_tree_make_not_null(copyObject(later.end)), makeBoolConst(false, false));

	return (Node *) makeBoolExpr(OR_EXPR, list_make2(compare(less, later.start, earlier.end), known), -1);
}

static CaseWhen *
make_when(Node *condition, Node *result)
{
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = (Expr *) condition;
	when->result = (Expr *) result;
	when->location = -1;
	return when;
}

/* (a, b) OVERLAPS (c, d), with what NULL means there. */
static Node *
overlap(const FuncExpr *call)
{
	TypeCacheEntry *type = lookup_type_cache(exprType(linitial(call->args)),
											 TYPECACHE_LT_OPR | TYPECACHE_GT_OPR | TYPECACHE_EQ_OPR);
	Period		one = make_period(linitial(call->args), lsecond(call->args));
	Period		other = make_period(lthird(call->args), lfourth(call->args));
	CaseExpr   *cases = (CaseExpr *) dp_tree_make_if(compare(type->gt_opr, one.start, other.start),
													 begins_within(type->lt_opr, one, other));

	cases->args = lappend(cases->args, make_when(compare(type->lt_opr, one.start, other.start),
												 begins_within(type->lt_opr, other, one)));
	cases->args = lappend(cases->args, make_when(compare(type->eq_opr, one.start, other.start),
												 dp_tree_make_if(both_known(one.end, other.end),
																 makeBoolConst(true, false))));
	return (Node *) cases;
}

Node *
dp_expression_plainer(FuncExpr *call)
{
	if (call->funcvariadic)
		return NULL;
	switch (call->funcid)
	{
		case F_CONCAT:
			return join_all(call, 0, NULL);
		case F_CONCAT_WS:
			return join_separated(call);
		case F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY:
			return search_array(call);
		case F_OVERLAPS_TIMESTAMP_TIMESTAMP_TIMESTAMP_TIMESTAMP:
		case F_OVERLAPS_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ:
		case F_OVERLAPS_TIME_TIME_TIME_TIME:
			return overlap(call);
		default:
			return NULL;
	}
}

/* A subscript as an element of a path: a text, or a number written out; NULL if it is no constant. */
static Node *
path_element(Node *subscript)
{
	const Const *constant = (const Const *) subscript;

	if (subscript == NULL || !IsA(subscript, Const) || constant->constisnull)
		return NULL;
	if (constant->consttype == TEXTOID)
		return subscript;
	return constant->consttype == INT4OID ? make_text(psprintf("%d", DatumGetInt32(constant->constvalue))) : NULL;
}

Node *
dp_expression_plainer_subscript(const SubscriptingRef *subscripts)
{
	ArrayExpr  *path = makeNode(ArrayExpr);
	FuncExpr   *call;
	ListCell   *lc;

	if (subscripts->refcontainertype != JSONBOID || subscripts->refassgnexpr || subscripts->reflowerindexpr != NIL)
		return NULL;
	path->array_typeid = TEXTARRAYOID;
	path->element_typeid = TEXTOID;
	path->array_collid = DEFAULT_COLLATION_OID;
	path->location = exprLocation((const Node *) subscripts);
	foreach(lc, subscripts->refupperindexpr)
	{
		Node	   *element = path_element(lfirst(lc));

		if (element == NULL)
			return NULL;
		path->elements = lappend(path->elements, element);
	}
	call = makeFuncExpr(F_JSONB_EXTRACT_PATH, JSONBOID,
						list_make2(subscripts->refexpr, eval_const_expressions(NULL, (Node *) path)),
						InvalidOid, DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
	call->location = path->location;
	return (Node *) call;
}
