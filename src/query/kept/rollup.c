/*
 * rollup.c
 *	  Which groups of a kept answer a block's answer is the sum of; see rollup.h.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "query/block/count_tree.h"
#include "query/block/price_lines.h"
#include "query/kept/by_value.h"
#include "query/kept/cut.h"
#include "query/kept/rollup.h"

/*
 * Rounding a sum to a coarser grid counts for nothing where the noise is so many times what it
 * moves the sum by, or where answers are rounded to whole numbers anyway.
 */
#define FINE (1 << 20)

/* What becomes of a key of the finer answer. */
typedef struct Key
{
	int			asked;			/* number of the same key of the block, or -1 */
	int			weight;			/* by which its place there counts in the number of a group */
	bool		restricted;		/* has it, by the conditions, values that have groups, and no
								 * others? */
	List	   *values;			/* read if they are needed */
	int		   *place;			/* of each value: among those of the block's key, or 0; -1: left
								 * out */
} Key;

typedef struct Planning
{
	const DpBlock *block;
	const DpBlockCells *asked;
	const DpShape *finer;
	Key		   *key;
	int			shorter;		/* limit on values, if the blocks have different ones; else 0 */
} Planning;

/* Are all values of a key as long as both blocks admit? */
static bool
are_short(const Planning *planning, List *values)
{
	ListCell   *lc;

	foreach(lc, values)
	{
		const Const *value = lfirst_node(Const, lc);

		if (value->constlen == -1 && !value->constisnull &&
			VARSIZE_ANY_EXHDR(value->constvalue) + VARHDRSZ > planning->shorter)
			return false;
	}
	return true;
}

/* Is a key the number of a bucket? */
static bool
is_bucket(const Planning *planning, int k)
{
	return planning->finer->key[k].buckets.type != InvalidOid;
}

/* May a key that is used depend on the length of values, as far as the blocks limit that? */
static bool
is_alike(Planning *planning, int k, bool by_size)
{
	return planning->shorter == 0 || !by_size ||
		(!planning->finer->key[k].complete && !is_bucket(planning, k) && are_short(planning, planning->key[k].values));
}

/* The values of a key, of which somebody knows the type. */
static List *
values_of(Planning *planning, int k, Oid type)
{
	Key		   *key = &planning->key[k];

	if (key->values == NIL)
		key->values = dp_query_shape_values(&planning->finer->key[k], type);
	return key->values;
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
	foreach(lc, values)
		if (same_value(lfirst_node(Const, lc), value, type))
			return foreach_current_index(lc);
	return -1;
}

/* Have the buckets of a key be in those of the block's; false if one is in several. */
static bool
match_buckets(Planning *planning, int k)
{
	Key		   *key = &planning->key[k];
	const DpCellKey *asked = &planning->asked->key[key->asked];
	int		   *number = dp_query_coarser_buckets(&planning->finer->key[k].buckets, &asked->buckets);

	if (number)
		key->place = number;
	return number && is_alike(planning, k, asked->by_size);
}

/* Have the values of a key be those of the block's; false if that has others. */
static bool
match_values(Planning *planning, int k)
{
	Key		   *key = &planning->key[k];
	const DpCellKey *asked = &planning->asked->key[key->asked];
	TypeCacheEntry *type = lookup_type_cache(asked->type, TYPECACHE_EQ_OPR_FINFO);
	List	   *values = values_of(planning, k, asked->type);
	int			found = 0;
	ListCell   *lc;

	foreach(lc, values)
	{
		int			i = foreach_current_index(lc);

		key->place[i] = find_value(asked->values, lfirst(lc), i, type);
		found += key->place[i] >= 0;
	}
	return found == asked->count && is_alike(planning, k, asked->by_size);
}

/* Is a key of the block the finer answer's, or in coarser buckets of the same values? */
static bool
is_same_key(const DpCellKey *asked, const DpShapeKey *finer)
{
	if (OidIsValid(asked->buckets.type) && OidIsValid(finer->buckets.type))
		return dp_query_same_digest(&asked->column, &finer->column);
	return dp_query_same_digest(&asked->digest, &finer->digest);
}

/* Find the block's keys among the finer ones, each once; false if one is not there. */
static bool
match_keys(Planning *planning)
{
	int			weight = 1;

	for (int i = planning->asked->nkeys - 1; i >= 0; i--)
	{
		int			k = 0;

		while (k < planning->finer->nkeys &&
			   !is_same_key(&planning->asked->key[i], &planning->finer->key[k]))
			k++;
		if (k == planning->finer->nkeys || planning->key[k].asked >= 0)
			return false;
		planning->key[k].asked = i;
		planning->key[k].weight = weight;
		weight *= planning->asked->key[i].count;
		if (!(is_bucket(planning, k) ? match_buckets(planning, k) : match_values(planning, k)))
			return false;
	}
	return true;
}

/* A key in a condition, or the value whose bucket a key is. */
typedef struct Place
{
	const Planning *planning;
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
		!dp_query_key_digest(place->planning->asked, node, &digest))
		return -1;
	for (int k = 0; k < place->planning->finer->nkeys; k++)
	{
		const DpShapeKey *key = &place->planning->finer->key[k];

		if (dp_query_same_digest(is_bucket(place->planning, k) ? &key->column : &key->digest, &digest))
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
apply_to_values(Planning *planning, Node *condition, const Place *place)
{
	Key		   *key = &planning->key[place->key];
	int			fulfil = 0;
	int			values;
	ListCell   *lc;

	foreach(lc, values_of(planning, place->key, place->value->consttype))
	{
		CHECK_FOR_INTERRUPTS();
		place->value->constvalue = lfirst_node(Const, lc)->constvalue;
		place->value->constisnull = lfirst_node(Const, lc)->constisnull;
		if (holds(condition))
			fulfil++;
		else
			key->place[foreach_current_index(lc)] = -1;
	}
	values = equated(condition, place->value);
	key->restricted |= values > 0 && fulfil >= values;
	return true;
}

/* The same of buckets of values; false if it holds of a part of one. */
static bool
apply_to_buckets(Planning *planning, Node *condition, const Place *place)
{
	const DpShapeKey *finer = &planning->finer->key[place->key];
	Key		   *key = &planning->key[place->key];
	DpCut		cut;

	if (!dp_query_cut_buckets(&finer->buckets, condition, place->value, &cut))
		return false;
	for (int i = 0; i < finer->count; i++)
		if (i + 1 < cut.first || i + 1 > cut.last)
			key->place[i] = -1;
	key->restricted |= cut.all;
	return true;
}

/* Leave out the groups that a condition leaves out; false if it is not about one key. */
static bool
apply_condition(Planning *planning, Node *condition)
{
	Place		place = {.planning = planning, .key = -1};

	condition = replace_key(condition, &place);
	if (place.key < 0 || place.several || !dp_query_can_compute(condition))
		return false;
	if (!(is_bucket(planning, place.key) ? apply_to_buckets(planning, condition, &place) :
		  apply_to_values(planning, condition, &place)))
		return false;
	return is_alike(planning, place.key, place.by_size);
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

/* Are all conditions of the finer answer the block's, and those that are left about its keys? */
static bool
match_conditions(Planning *planning)
{
	const DpBlockCells *asked = planning->asked;

	for (int i = 0; i < planning->finer->nconditions; i++)
		if (!is_asked(asked, &planning->finer->condition[i]))
			return false;
	for (int i = 0; i < asked->nconditions; i++)
	{
		if (!has_condition(planning->finer, &asked->condition[i].digest))
		{
			if (!apply_condition(planning, asked->condition[i].expr))
				return false;
		}
		else if (planning->shorter > 0 && asked->condition[i].by_size)
			return false;
	}
	return true;
}

/* Does every row have a group, as far as keys that the block has not are concerned? */
static bool
covers_rows(const Planning *planning)
{
	for (int k = 0; k < planning->finer->nkeys; k++)
		if (planning->key[k].asked < 0 && !planning->finer->key[k].complete && !planning->key[k].restricted)
			return false;
	return true;
}

/* The group that a finer one is in, from 0; -1 if in none. */
static int
group_of(const Planning *planning, int cell)
{
	int			group = 0;

	for (int k = planning->finer->nkeys - 1; k >= 0; k--)
	{
		const Key  *key = &planning->key[k];
		int			place = key->place[cell % planning->finer->key[k].count];

		if (place < 0)
			return -1;
		group += place * key->weight;
		cell /= planning->finer->key[k].count;
	}
	return group;
}

/*
 * Have nodes of a tree stand for those below them where all of these are in one group.  The
 * cells, which are its last rows, have theirs.
 */
static void
join_nodes(const DpShape *finer, DpRollup *rollup)
{
	int			width[DP_MAX_TREE_LEVELS];
	int			levels = dp_query_tree_widths(finer->domain, finer->branching, width);
	int		   *child = rollup->group + rollup->rows - finer->domain;

	for (int i = levels - 2; i >= 0; i--)
	{
		int		   *own = child - width[i];

		for (int j = 0; j < width[i + 1]; j++)
			if (j % finer->branching == 0)
				own[j / finer->branching] = child[j];
			else if (own[j / finer->branching] != child[j])
				own[j / finer->branching] = -1;
		for (int j = 0; j < width[i + 1]; j++)
			if (own[j / finer->branching] >= 0)
				child[j] = -1;
		child = own;
	}
}

static void
assign_groups(const Planning *planning, DpRollup *rollup)
{
	const DpShape *finer = planning->finer;
	int			cells;
	int		   *members;

	rollup->groups = Max(planning->block->domain, 1);
	rollup->rows = dp_query_shape_rows(finer);
	cells = rollup->rows - finer->domain;
	rollup->group = MemoryContextAllocHuge(CurrentMemoryContext, rollup->rows * sizeof(int));
	for (int cell = 0; cell < finer->domain; cell++)
		rollup->group[cells + cell] = group_of(planning, cell);
	if (finer->branching > 0)
		join_nodes(finer, rollup);
	members = palloc0(rollup->groups * sizeof(int));
	for (int row = 0; row < rollup->rows; row++)
	{
		int			group = rollup->group[row];

		if (group < 0)
			continue;
		rollup->used++;
		members[group]++;
		rollup->most = Max(rollup->most, members[group]);
	}
}

/* Does a unit contribute the same? */
static bool
bounds_hold(const Planning *planning, const DpRollup *rollup)
{
	const DpCellBounds *asked = &planning->asked->bounds;
	const DpCellBounds *finer = &planning->finer->bounds;

	if (asked->row_is_unit || finer->row_is_unit)
		return asked->row_is_unit && finer->row_is_unit;
	return rollup->most <= 1 && planning->finer->branching == 0 && asked->max_rows == finer->max_rows &&
		planning->finer->domain <= finer->max_groups && rollup->groups <= asked->max_groups;
}

/* The scale of a noise, in grid units. */
static double
scale_of(const DpNoise *noise)
{
	return noise->mechanism == DP_GAUSSIAN ? (double) noise->sigma : (double) noise->scale_num / noise->scale_den;
}

/* Can what was released be taken for what is asked, in the grid that this has? */
static bool
can_convert(const DpRelease *asked, const DpRelease *finer)
{
	const DpNoise *noise = finer->noise;
	int			coarser = asked->noise[0].grid - noise[0].grid;

	if (asked->kind != finer->kind || asked->nnoise != finer->nnoise ||
		(noise[0].mechanism != DP_LAPLACE && noise[0].mechanism != DP_GAUSSIAN))
		return false;
	if (asked->kind == DP_RELEASE_SUM)
		return coarser > -60 && (coarser <= 0 || (asked->rounded && asked->noise[0].grid == 0) ||
								 scale_of(&noise[0]) >= FINE * ldexp(1, coarser));
	if (asked->kind == DP_RELEASE_AVG)
		return asked->width == finer->width && asked->noise[0].mechanism == noise[0].mechanism && coarser == 0 &&
			asked->noise[1].grid == noise[1].grid && (noise[0].mechanism == DP_LAPLACE || noise[1].grid <= 0);
	return true;
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
		if (dp_query_stddev(&sum) > 0)
			ratio = Max(ratio, dp_query_stddev(&sum) / dp_query_stddev(&one));
	}
	return ratio;
}

/* Find the releases, of which there may be several of the same, the one with the least noise. */
static bool
match_releases(const Planning *planning, DpRollup *rollup)
{
	rollup->from = palloc(planning->block->nreleases * sizeof(int));
	for (int i = 0; i < planning->block->nreleases; i++)
	{
		const DpRelease *asked = &planning->block->release[i];
		double		best = INFINITY;

		for (int j = 0; j < planning->finer->nreleases; j++)
		{
			const DpShapeRelease *finer = &planning->finer->release[j];
			double		ratio;

			if (!dp_query_same_digest(&finer->addend, &planning->asked->addend[i]) ||
				!can_convert(asked, &finer->release))
				continue;
			ratio = noise_ratio(asked, &finer->release, rollup->most);
			if (ratio >= best)
				continue;
			best = ratio;
			rollup->from[i] = j;
		}
		rollup->ratio = Max(rollup->ratio, best);
	}
	return isfinite(rollup->ratio);
}

/* Does the finer answer add up what the block does? */
static bool
has_addends(const Planning *planning)
{
	for (int i = 0; i < planning->block->nreleases; i++)
	{
		int			j = 0;

		while (j < planning->finer->nreleases &&
			   !dp_query_same_digest(&planning->finer->release[j].addend, &planning->asked->addend[i]))
			j++;
		if (j == planning->finer->nreleases)
			return false;
	}
	return true;
}

static void
begin_keys(Planning *planning)
{
	planning->key = palloc0(planning->finer->nkeys * sizeof(Key));
	for (int k = 0; k < planning->finer->nkeys; k++)
	{
		planning->key[k].asked = -1;
		planning->key[k].place = palloc0(planning->finer->key[k].count * sizeof(int));
	}
}

/* Is the number of groups what the keys make of it? */
static bool
is_sane(const DpShape *finer)
{
	int64		domain = 1;

	for (int k = 0; k < finer->nkeys; k++)
	{
		domain *= finer->key[k].count;
		if (finer->key[k].count < 1 || domain > finer->domain)
			return false;
	}
	return finer->nkeys > 0 && domain == finer->domain && (finer->branching == 0 || finer->branching > 1);
}

DpRollup *
dp_query_plan_rollup(const DpBlock *block, const DpBlockCells *asked, const DpShape *finer, double factor)
{
	Planning	planning = {.block = block, .asked = asked, .finer = finer};
	DpRollup   *rollup = palloc0(sizeof(DpRollup));

	if (asked->bounds.longest != finer->bounds.longest)
		planning.shorter = Min(asked->bounds.longest, finer->bounds.longest);
	if (!is_sane(finer) || !has_addends(&planning) || (planning.shorter > 0 && asked->by_size))
		return NULL;
	begin_keys(&planning);
	if (!match_keys(&planning) || !match_conditions(&planning) || !covers_rows(&planning))
		return NULL;
	assign_groups(&planning, rollup);
	if (rollup->used == 0 || !bounds_hold(&planning, rollup) || !match_releases(&planning, rollup) ||
		rollup->ratio > factor)
		return NULL;
	return rollup;
}
