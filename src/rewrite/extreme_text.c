/* SPDX-License-Identifier: PostgreSQL */
/*
 * extreme_text.c
 *	  The least and the greatest text, of columns whose keys are declared.
 *
 *		dp_min(town)	is	keys[dp_min(dp_agg.place(town, keys), 1, number of keys)]
 *
 * where keys are those that the table's owner has declared of the column, in the order of its
 * collation.  So the answer is one of these, chosen as quantiles are (block/quantile.h): of
 * places, each of which all know.  Rows of other values, and of NULL, do not count.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "base/compat_varlena.h"
#include "expression/refusals.h"
#include "rewrite/extreme_text.h"
#include "rewrite/finite_keys.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"

typedef struct Extremes
{
	Query	   *block;
	DpReason   *reason;
} Extremes;

/* Is it dp_min or dp_max of a text? */
static bool
is_extreme(Node *node)
{
	Aggref	   *aggref = (Aggref *) node;
	DpFunction	function;

	if (!IsA(node, Aggref) || aggref->agglevelsup > 0 || list_length(aggref->args) != 1 ||
		linitial_oid(aggref->aggargtypes) != TEXTOID)
		return false;
	function = dp_tree_function(aggref->aggfnoid);
	return function == DP_FUNCTION_MIN || function == DP_FUNCTION_MAX;
}

static int
compare_keys(const void *a, const void *b, void *collation)
{
	return DatumGetInt32(DirectFunctionCall2Coll(bttextcmp, *(Oid *) collation, *(const Datum *) a,
												 *(const Datum *) b));
}

/* The keys in the order of a collation, as an array of text. */
static ArrayType *
in_order(const ArrayType *keys, Oid collation)
{
	ArrayType  *copy = palloc(VARSIZE(keys));
	Datum	   *values;
	int			count;

	memcpy(copy, keys, VARSIZE(keys));
	deconstruct_array(copy, ARR_ELEMTYPE(copy), -1, false, TYPALIGN_INT, &values, NULL, &count);
	qsort_arg(values, count, sizeof(Datum), compare_keys, &collation);
	return construct_array(values, count, TEXTOID, -1, false, TYPALIGN_INT);
}

/* An integer as the parser would cast it. */
static Node *
as_float(Node *integer)
{
	return (Node *) makeFuncExpr(F_FLOAT8_INT4, FLOAT8OID, list_make1(integer), InvalidOid, InvalidOid,
								 COERCE_IMPLICIT_CAST);
}

/*
 * The column's place among the keys, as a number.  Its call and cast bear the mark of casts that
 * the parser adds, which labels leave out, and FILTER looks through.
 */
static Node *
place_of(Node *column, Const *keys)
{
	Oid			types[] = {ANYELEMENTOID, ANYARRAYOID};
	FuncExpr   *call = dp_tree_make_call("place", types, lengthof(types), list_make2(column, keys), INT4OID);

	call->funcformat = COERCE_IMPLICIT_CAST;
	call->inputcollid = exprCollation(column);
	call->location = exprLocation(column);
	return as_float((Node *) call);
}

static TargetEntry *
argument(Node *expr, int number)
{
	return makeTargetEntry((Expr *) expr, number, NULL, false);
}

/* The same aggregate of places, which returns one. */
static Aggref *
over_places(const Aggref *aggref, Node *column, Const *keys, int count)
{
	Aggref	   *places = copyObject(unconstify(Aggref *, aggref));
	const char *name = dp_tree_function(aggref->aggfnoid) == DP_FUNCTION_MIN ? "dp_min" : "dp_max";
	Oid			types[] = {FLOAT8OID, FLOAT8OID, FLOAT8OID};

	/*
	 * A range has a width: with two places in place of one key, no row is in the second.
	 */
	places->args = list_make3(argument(place_of(column, keys), 1), argument(as_float((Node *) dp_tree_make_int4(1)), 2),
							  argument(as_float((Node *) dp_tree_make_int4(Max(count, 2))), 3));
	places->aggargtypes = list_make3_oid(FLOAT8OID, FLOAT8OID, FLOAT8OID);
	places->aggfnoid = dp_tree_own_function(name, lengthof(types), types);
	places->aggtype = FLOAT8OID;
	places->aggcollid = InvalidOid;
	places->inputcollid = InvalidOid;
	return places;
}

/* The key at the place that is released. */
static Node *
key_at(Aggref *places, Const *keys, int count)
{
	SubscriptingRef *element = makeNode(SubscriptingRef);
	MinMaxExpr *least = makeNode(MinMaxExpr);

	least->minmaxtype = INT4OID;
	least->op = IS_LEAST;
	least->args = list_make2(makeFuncExpr(F_INT4_FLOAT8, INT4OID, list_make1(places), InvalidOid, InvalidOid,
										  COERCE_EXPLICIT_CAST),
							 dp_tree_make_int4(count));
	least->location = -1;
	element->refcontainertype = TEXTARRAYOID;
	element->refelemtype = TEXTOID;
	element->refrestype = TEXTOID;
	element->reftypmod = -1;
	element->refcollid = keys->constcollid;
	element->refupperindexpr = list_make1(least);
	element->refexpr = (Expr *) keys;
	return (Node *) element;
}

/* Without casts that change nothing, and COLLATE. */
static Node *
strip(Node *node)
{
	while (IsA(node, RelabelType) || IsA(node, CollateExpr))
		node = IsA(node, RelabelType) ? (Node *) ((RelabelType *) node)->arg : (Node *) ((CollateExpr *) node)->arg;
	return node;
}

/* Expression in place of dp_min or dp_max of a text; NULL with a reason set. */
static Node *
choose_key(Extremes *extremes, Aggref *aggref)
{
	Node	   *text = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	Oid			collation = exprCollation(text);
	ArrayType  *declared = dp_rewrite_declared_keys(extremes->block, strip(text));
	Const	   *keys;
	int			count;

	extremes->reason = dp_expression_check_collation(collation, text);
	if (extremes->reason == NULL && declared == NULL)
		extremes->reason = dp_tree_reason(exprLocation(text),
										  "The least or greatest of all texts is one person's. The owner declares keys with dp_agg.set_domain; or take the least of those "
										  "that enough people have: SELECT min(v) FROM (SELECT x AS v FROM ... GROUP BY x) t.",
										  "min and max of a text need a column whose keys are declared");
	if (extremes->reason)
		return NULL;
	count = ArrayGetNItems(ARR_NDIM(declared), ARR_DIMS(declared));
	keys = makeConst(TEXTARRAYOID, -1, collation, -1, PointerGetDatum(in_order(declared, collation)),
					 false, false);
	return key_at(over_places(aggref, text, keys, count), keys, count);
}

static Node *
extreme_mutator(Node *node, Extremes *extremes)
{
	if (node == NULL || extremes->reason)
		return NULL;
	if (is_extreme(node))
		return choose_key(extremes, (Aggref *) node);
	return expression_tree_mutator(node, extreme_mutator, extremes);
}

static bool
find_extreme(Node *node, void *context)
{
	return node != NULL && (is_extreme(node) || expression_tree_walker(node, find_extreme, context));
}

DpReason *
dp_rewrite_place_extremes(Query *block)
{
	Extremes	extremes = {.block = block};

	if (!find_extreme((Node *) block->targetList, NULL) && !find_extreme(block->havingQual, NULL))
		return NULL;
	block->targetList = (List *) extreme_mutator((Node *) block->targetList, &extremes);
	block->havingQual = extreme_mutator(block->havingQual, &extremes);
	return extremes.reason;
}
