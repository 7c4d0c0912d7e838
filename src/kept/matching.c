/* SPDX-License-Identifier: PostgreSQL */
/*
 * matching.c
 *	  What a block that is asked and a finer answer have in common; see matching.h.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "base/compat_varlena.h"
#include "kept/by_value.h"
#include "kept/cut.h"
#include "kept/listed_cells.h"
#include "kept/matching.h"
#include "pricing/block.h"
#include "pricing/kind.h"
#include "pricing/price_lines.h"

static List *matching_values(DpMatching *matching, int k, Oid type);
static bool is_bucket(const DpMatching *matching, int k);

/* Can what was released be taken for what is asked, in the grid that this has? */
static bool
can_convert(const DpRelease *asked, const DpRelease *finer)
{
	const DpNoise *noise = finer->noise;

	if (asked->kind != finer->kind || asked->nnoise != finer->nnoise ||
		(noise[0].mechanism != DP_LAPLACE && noise[0].mechanism != DP_GAUSSIAN))
		return false;
	return dp_kind(asked)->can_convert && dp_kind(asked)->can_convert(asked, finer);
}

/* The noise of a sum of so many in terms of what would be drawn. */
static double
noise_ratio(const DpRelease *asked, const DpRelease *finer, int most)
{
	double		ratio = 0;

	for (int i = 0; i < asked->nnoise; i++)
	{
		DpRelease	one = *asked;
		DpRelease	sum = *finer;

		one.noise[0] = asked->noise[i];
		sum.noise[0] = finer->noise[i];
		sum.summed = most;
		if (dp_pricing_stddev(&sum) > 0)
			ratio = Max(ratio, dp_pricing_stddev(&sum) / dp_pricing_stddev(&one));
	}
	return ratio;
}

bool
dp_kept_match_releases(const DpMatching *matching, int most, int *from, double *ratio)
{
	*ratio = 0;
	for (int i = 0; i < matching->block->nreleases; i++)
	{
		const DpRelease *asked = &matching->block->release[i];
		double		best = INFINITY;

		for (int j = 0; j < matching->finer->nreleases; j++)
		{
			const DpShapeRelease *finer = &matching->finer->release[j];
			double		one;

			if (!dp_kept_same_digest(&finer->addend, &matching->asked->addend[i]) ||
				!can_convert(asked, &finer->release))
				continue;
			/* Where several are added up, a row is a unit and in one group: these share none. */
			Assert(most <= 1 || !finer->release.noise[0].across);
			one = noise_ratio(asked, &finer->release, most);
			if (one >= best)
				continue;
			best = one;
			from[i] = j;
		}
		*ratio = Max(*ratio, best);
	}
	return isfinite(*ratio);
}

bool
dp_kept_has_addends(const DpMatching *matching)
{
	for (int i = 0; i < matching->block->nreleases; i++)
	{
		int			j = 0;

		while (j < matching->finer->nreleases &&
			   !dp_kept_same_digest(&matching->finer->release[j].addend, &matching->asked->addend[i]))
			j++;
		if (j == matching->finer->nreleases)
			return false;
	}
	return true;
}

DpMatching
dp_kept_begin_matching(const DpBlock *block, const DpBlockCells *asked, const DpShape *finer)
{
	DpMatching	matching = {.block = block, .asked = asked, .finer = finer};

	if (asked->bounds.longest != finer->bounds.longest)
		matching.shorter = Min(asked->bounds.longest, finer->bounds.longest);
	matching.key = palloc0(finer->nkeys * sizeof(DpMatchedKey));
	for (int k = 0; k < finer->nkeys; k++)
	{
		matching.key[k].asked = -1;
		matching.key[k].place = palloc0(finer->key[k].count * sizeof(int));
		matching.key[k].left_out = palloc0(finer->key[k].count * sizeof(bool));
	}
	return matching;
}

/* The values of a key, of which somebody knows the type. */
static List *
matching_values(DpMatching *matching, int k, Oid type)
{
	DpMatchedKey *key = &matching->key[k];

	if (key->values == NIL)
		key->values = dp_kept_shape_values(&matching->finer->key[k], type);
	return key->values;
}

/* Is a key the number of a bucket? */
static bool
is_bucket(const DpMatching *matching, int k)
{
	return matching->finer->key[k].buckets.type != InvalidOid;
}

/* Are all values of a key as long as both blocks admit? */
static bool
are_short(const DpMatching *matching, List *values)
{
	ListCell   *lc;

	foreach(lc, values)
	{
		const Const *value = lfirst_node(Const, lc);

		if (value->constlen == -1 && !value->constisnull &&
			VARSIZE_ANY_EXHDR(DatumGetPointer(value->constvalue)) + VARHDRSZ > matching->shorter)
			return false;
	}
	return true;
}

/* Where tables that list keys are joined, these are columns whose values no block limits (public_contents.h). */
static bool
is_alike(const DpMatching *matching, int k, List *values, bool by_size)
{
	if (matching->shorter == 0 || !by_size)
		return true;
	if (matching->finer->key[k].complete)
		return matching->finer->listed;
	return !is_bucket(matching, k) && are_short(matching, values);
}

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
		!dp_kept_key_digest(place->matching->asked, node, &digest))
		return -1;
	for (int k = 0; k < place->matching->finer->nkeys; k++)
	{
		const DpShapeKey *key = &place->matching->finer->key[k];

		if (dp_kept_same_digest(is_bucket(place->matching, k) ? &key->column : &key->digest, &digest))
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
	place->by_size |= dp_kept_depends_on_size(node);
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

	foreach(lc, matching_values(matching, place->key, place->value->consttype))
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

	if (!dp_kept_cut_buckets(&finer->buckets, condition, place->value, &cut))
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
	if (place.key < 0 || place.several || !dp_kept_can_compute(condition))
		return false;
	if (!(is_bucket(matching, place.key) ? apply_to_buckets(matching, condition, &place) :
		  apply_to_values(matching, condition, &place)))
		return false;
	return is_alike(matching, place.key, matching->key[place.key].values, place.by_size);
}

static bool
has_condition(const DpShape *finer, const DpDigest *digest)
{
	for (int i = 0; i < finer->nconditions; i++)
		if (dp_kept_same_digest(&finer->condition[i], digest))
			return true;
	return false;
}

static bool
is_asked(const DpBlockCells *asked, const DpDigest *digest)
{
	for (int i = 0; i < asked->nconditions; i++)
		if (dp_kept_same_digest(&asked->condition[i].digest, digest))
			return true;
	return false;
}

bool
dp_kept_has_conditions(const DpMatching *matching)
{
	for (int i = 0; i < matching->finer->nconditions; i++)
		if (!is_asked(matching->asked, &matching->finer->condition[i]))
			return false;
	return true;
}

bool
dp_kept_match_conditions(DpMatching *matching)
{
	const DpBlockCells *asked = matching->asked;

	if (!dp_kept_has_conditions(matching))
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

static bool
same_value(const Const *one, const Const *other, TypeCacheEntry *type)
{
	if (one->constisnull || other->constisnull)
		return one->constisnull && other->constisnull;
	return DatumGetBool(FunctionCall2Coll(&type->eq_opr_finfo, DEFAULT_COLLATION_OID, one->constvalue, other->constvalue));
}

/* The place of a value among some, at which it is most likely found; -1 if it is not there. */
static int
find_value(List *values, const Const *value, int likely, TypeCacheEntry *type)
{
	ListCell   *lc;

	if (likely < list_length(values) && same_value(list_nth_node(Const, values, likely), value, type))
		return likely;
	CHECK_FOR_INTERRUPTS();
	foreach(lc, values)
		if (same_value(lfirst_node(Const, lc), value, type))
			return foreach_current_index(lc);
	return -1;
}

/* Have the buckets of a key be in those of the block's; false if one is in several. */
static bool
match_buckets(DpMatching *matching, int k)
{
	DpMatchedKey *key = &matching->key[k];
	const DpCellKey *asked = &matching->asked->key[key->asked];
	int		   *number = dp_kept_coarser_buckets(&matching->finer->key[k].buckets, &asked->buckets);

	if (number)
		key->place = number;
	return number && is_alike(matching, k, NIL, asked->by_size);
}

/* Have the values of a key be those of the block's; false if that has others. */
static bool
match_values(DpMatching *matching, int k)
{
	DpMatchedKey *key = &matching->key[k];
	const DpCellKey *asked = &matching->asked->key[key->asked];
	TypeCacheEntry *type = lookup_type_cache(asked->type, TYPECACHE_EQ_OPR_FINFO);
	List	   *values = matching_values(matching, k, asked->type);
	int			found = 0;
	ListCell   *lc;

	foreach(lc, values)
	{
		int			i = foreach_current_index(lc);

		key->place[i] = find_value(asked->values, lfirst(lc), i, type);
		found += key->place[i] >= 0;
	}
	return found == asked->count && is_alike(matching, k, values, asked->by_size);
}

/* The same where tables list both: others are found by the groups that they are in. */
static bool
match_listed(DpMatching *matching, int k)
{
	DpMatchedKey *key = &matching->key[k];
	List	   *values = dp_kept_shape_values(&matching->finer->key[k], BYTEAOID);

	key->place = dp_kept_places_among(values, matching->asked->listed->key[key->asked].values);
	return is_alike(matching, k, values, matching->asked->key[key->asked].by_size);
}

static bool
match_key(DpMatching *matching, int k)
{
	if (matching->asked->listed)
		return matching->finer->listed && match_listed(matching, k);
	return is_bucket(matching, k) ? match_buckets(matching, k) : match_values(matching, k);
}

/* How many values a key of the block has. */
static int
count_values(const DpBlockCells *asked, int i)
{
	return asked->listed ? Max(list_length(asked->listed->key[i].values), 1) : asked->key[i].count;
}

/* Is a key of the block the finer answer's, or in coarser buckets of the same values? */
static bool
is_same_key(const DpCellKey *asked, const DpShapeKey *finer)
{
	if (OidIsValid(asked->buckets.type) && OidIsValid(finer->buckets.type))
		return dp_kept_same_digest(&asked->column, &finer->column);
	return dp_kept_same_digest(&asked->digest, &finer->digest);
}

/* The number of a key of the block among the finer ones; -1 if it is none of them. */
static int
find_key(const DpMatching *matching, int i)
{
	for (int k = 0; k < matching->finer->nkeys; k++)
		if (is_same_key(&matching->asked->key[i], &matching->finer->key[k]))
			return k;
	return -1;
}

bool
dp_kept_has_keys(const DpMatching *matching)
{
	for (int i = 0; i < matching->asked->nkeys; i++)
		if (find_key(matching, i) < 0)
			return false;
	return true;
}

bool
dp_kept_match_keys(DpMatching *matching)
{
	int64		weight = 1;

	for (int i = matching->asked->nkeys - 1; i >= 0; i--)
	{
		int			k = find_key(matching, i);

		if (k < 0 || matching->key[k].asked >= 0)
			return false;
		matching->key[k].asked = i;
		matching->key[k].weight = weight;
		if (pg_mul_s64_overflow(weight, count_values(matching->asked, i), &weight) || !match_key(matching, k))
			return false;
	}
	return true;
}
