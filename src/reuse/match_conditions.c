/*
 * match_conditions.c
 *	  Conditions of a block that is asked and of a finer answer; see match_conditions.h.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "reuse/by_value.h"
#include "reuse/cut.h"
#include "reuse/match_conditions.h"

/* A key in a condition, or the value whose bucket a key is. */
typedef struct Place
{
	const DpMatching *matching;
	int			key;			/* that is there, or -1 */
	bool		several;		/* are there others? */
	bool		by_size;		/* does it depend on the length of values? */
	Const	   *value;			/* what stands for it */
} Place;

static int
key_of(const Place *place, Node *node)
{
	DpDigest	digest;

	if (IsA(node, Const) || IsA(node, List) || IsA(node, CaseWhen) ||
		!dp_query_key_digest(place->matching->asked, node, &digest))
		return -1;
	for (int k = 0; k < place->matching->finer->nkeys; k++)
	{
		const DpShapeKey *key = &place->matching->finer->key[k];

		if (dp_query_same_digest(dp_query_is_bucket(place->matching, k) ? &key->column : &key->digest, &digest))
			return k;
	}
	return -1;
}

/* Put one constant in place of a key. */
static Node *
replace_key(Node *node, Place *place)
{
	int			k;

	if (node == NULL || IsA(node, SubLink) || IsA(node, Query))
		return node;
	k = key_of(place, node);
	if (k < 0)
		return expression_tree_mutator(node, replace_key, place);
	place->several |= place->key >= 0 && place->key != k;
	place->key = k;
	place->by_size |= dp_query_depends_on_size(node);
	if (place->value == NULL)
		place->value = makeNullConst(exprType(node), -1, exprCollation(node));
	return (Node *) place->value;
}

/* Is it an equality as the type of its operands has it, by which values are equal that are the same text? */
static bool
is_equality(Oid operator, Oid collation, Oid type)
{
	Oid			family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;

	return OidIsValid(family) && get_op_opfamily_strategy(operator, family) == BTEqualStrategyNumber &&
		(!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

/* How many values a condition equates a key to; 0 if it is of another kind. */
static int
equated(Node *condition, const Const *value)
{
	const OpExpr *call = (const OpExpr *) condition;
	const ScalarArrayOpExpr *list = (const ScalarArrayOpExpr *) condition;

	if (IsA(condition, OpExpr) && list_length(call->args) == 2 &&
		(linitial(call->args) == value || lsecond(call->args) == value))
	{
		Node	   *other = linitial(call->args) == value ? lsecond(call->args) : linitial(call->args);

		return IsA(other, Const) && is_equality(call->opno, call->inputcollid, value->consttype) ? 1 : 0;
	}
	if (IsA(condition, ScalarArrayOpExpr) && list->useOr && linitial(list->args) == value &&
		IsA(lsecond(list->args), Const) && !lsecond_node(Const, list->args)->constisnull &&
		is_equality(list->opno, list->inputcollid, value->consttype))
	{
		const ArrayType *array = DatumGetArrayTypeP(lsecond_node(Const, list->args)->constvalue);

		return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	}
	return 0;
}

static bool
holds(Node *condition)
{
	Const	   *result = (Const *) evaluate_expr(copyObject((Expr *) condition), BOOLOID, -1, InvalidOid);

	return IsA(result, Const) && !result->constisnull && DatumGetBool(result->constvalue);
}

/* Leave out the values of a key of which a condition does not hold. */
static bool
apply_to_values(DpMatching *matching, Node *condition, const Place *place)
{
	DpMatchedKey *key = &matching->key[place->key];
	int			fulfil = 0;
	int			values;
	ListCell   *lc;

	foreach(lc, dp_query_matching_values(matching, place->key, place->value->consttype))
	{
		CHECK_FOR_INTERRUPTS();
		place->value->constvalue = lfirst_node(Const, lc)->constvalue;
		place->value->constisnull = lfirst_node(Const, lc)->constisnull;
		if (holds(condition))
			fulfil++;
		else
			key->left_out[foreach_current_index(lc)] = true;
	}
	values = equated(condition, place->value);
	key->restricted |= values > 0 && fulfil >= values;
	return true;
}

/* The same of buckets of values; false if it holds of a part of one. */
static bool
apply_to_buckets(DpMatching *matching, Node *condition, const Place *place)
{
	const DpShapeKey *finer = &matching->finer->key[place->key];
	DpMatchedKey *key = &matching->key[place->key];
	DpCut		cut;

	if (!dp_query_cut_buckets(&finer->buckets, condition, place->value, &cut))
		return false;
	for (int i = 0; i < finer->count; i++)
		if (i + 1 < cut.first || i + 1 > cut.last)
			key->left_out[i] = true;
	key->restricted |= cut.all;
	return true;
}

/* Leave out the groups that a condition leaves out; false if it is not about one key. */
static bool
apply_condition(DpMatching *matching, Node *condition)
{
	Place		place = {.matching = matching, .key = -1};

	condition = replace_key(condition, &place);
	if (place.key < 0 || place.several || !dp_query_can_compute(condition))
		return false;
	if (!(dp_query_is_bucket(matching, place.key) ? apply_to_buckets(matching, condition, &place) :
		  apply_to_values(matching, condition, &place)))
		return false;
	return dp_query_is_alike(matching, place.key, matching->key[place.key].values, place.by_size);
}

static bool
has_condition(const DpShape *finer, const DpDigest *digest)
{
	for (int i = 0; i < finer->nconditions; i++)
		if (dp_query_same_digest(&finer->condition[i], digest))
			return true;
	return false;
}

static bool
is_asked(const DpBlockCells *asked, const DpDigest *digest)
{
	for (int i = 0; i < asked->nconditions; i++)
		if (dp_query_same_digest(&asked->condition[i].digest, digest))
			return true;
	return false;
}

bool
dp_query_has_conditions(const DpMatching *matching)
{
	for (int i = 0; i < matching->finer->nconditions; i++)
		if (!is_asked(matching->asked, &matching->finer->condition[i]))
			return false;
	return true;
}

bool
dp_query_match_conditions(DpMatching *matching)
{
	const DpBlockCells *asked = matching->asked;

	if (!dp_query_has_conditions(matching))
		return false;
	for (int i = 0; i < asked->nconditions; i++)
	{
		if (!has_condition(matching->finer, &asked->condition[i].digest))
		{
			if (!apply_condition(matching, asked->condition[i].expr))
				return false;
		}
		else if (matching->shorter > 0 && asked->condition[i].by_size)
			return false;
	}
	return true;
}
