/* SPDX-License-Identifier: PostgreSQL */
/*
 * term_leaves.c
 *	  Released values that occur in terms: see term_leaves.h.
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"

#include "aggregate/released.h"
#include "base/compat_varlena.h"
#include "rewrite/term_leaves.h"

/* What tells leaves apart. */
typedef struct LeafKey
{
	int32		block;
	int32		release;
	int32		part;
	int32		statistic;		/* of an estimate, from 1; -1: what is cut, -2: a release in a
								 * group, -3: a block, -4: what is shared in a row, or all, of it */
	int64		number;			/* of the leaf, where groups cannot be told apart, from 1, or in
								 * totals from -1 down */
	int64		row;
} LeafKey;

typedef struct LeafEntry
{
	LeafKey		key;
	int			number;
} LeafEntry;

DpLeaves *
dp_rewrite_make_leaves(void)
{
	HASHCTL		control = {.keysize = sizeof(LeafKey), .entrysize = sizeof(LeafEntry), .hcxt = CurrentMemoryContext};
	DpLeaves   *leaves = palloc0(sizeof(DpLeaves));

	leaves->context = CurrentMemoryContext;
	leaves->numbers = hash_create("dp_agg terms", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	leaves->room = 16;
	leaves->leaf = palloc(leaves->room * sizeof(DpLeaf));
	return leaves;
}

/* Is there enough of a leaf, of which a head and so much more is fixed? */
static void
check_length(int length, Size more)
{
	if (length < (int) (MAXALIGN(sizeof(DpTermLeaf)) + MAXALIGN(more)))
		dp_aggregate_refuse_description();
}

/* Read what a clamp cuts at these bytes. */
static DpLeaf
read_cut(const char *bytes, int length)
{
	DpLeaf		leaf = {0};
	DpTermCut  *cut = palloc(sizeof(DpTermCut));

	check_length(length, sizeof(DpTermCut));
	memcpy(&leaf.from, bytes, sizeof(DpTermLeaf));
	memcpy(cut, bytes + MAXALIGN(sizeof(DpTermLeaf)), sizeof(DpTermCut));
	if (!dp_rewrite_is_sane_clamped_around(&cut->around) || !dp_aggregate_ladder_is_seen(&cut->seen, cut->around.steps))
		dp_aggregate_refuse_description();
	leaf.from.value = (DpTermConstant) {0, 0};
	leaf.around.integral = cut->around.integral;
	leaf.around.threshold = -INFINITY;
	leaf.cut = cut;
	return leaf;
}

/* Read a count or sum at these bytes. */
static DpLeaf
read_around(const char *bytes, int length)
{
	DpLeaf		leaf = {0};

	check_length(length, sizeof(DpAround));
	memcpy(&leaf.from, bytes, sizeof(DpTermLeaf));
	memcpy(&leaf.around, bytes + MAXALIGN(sizeof(DpTermLeaf)), sizeof(DpAround));
	if (!dp_rewrite_is_sane_spread(&leaf.around.spread) || isnan(leaf.around.threshold) ||
		!(leaf.from.value.low <= leaf.from.value.high))
		dp_aggregate_refuse_description();
	return leaf;
}

/* Read a mean or statistic at these bytes. */
static DpLeaf
read_estimate(const char *bytes, int length)
{
	const int	head = MAXALIGN(sizeof(DpTermLeaf));
	DpLeaf		leaf = {0};

	check_length(length, sizeof(DpEstimate) + VARHDRSZ);
	memcpy(&leaf.from, bytes, sizeof(DpTermLeaf));
	leaf.estimate = bytes + head;
	bytes = leaf.estimate + MAXALIGN(sizeof(DpEstimate));
	length -= head + MAXALIGN(sizeof(DpEstimate));
	if (VARATT_IS_1B(leaf.estimate) || VARATT_IS_4B_C(leaf.estimate) || VARSIZE(leaf.estimate) != sizeof(DpEstimate) ||
		VARATT_IS_1B(bytes) || VARATT_IS_4B_C(bytes) || VARSIZE(bytes) < VARHDRSZ || MAXALIGN(VARSIZE(bytes)) != length)
		dp_aggregate_refuse_description();
	return leaf;
}

DpLeaf
dp_rewrite_read_leaf(DpTermKind kind, const char *bytes, int length)
{
	if (kind == DP_TERM_CUT)
		return read_cut(bytes, length);
	return kind == DP_TERM_AROUND ? read_around(bytes, length) : read_estimate(bytes, length);
}

/* Is its noise never taken together with others'? */
static bool
stands_alone(const DpLeaf *leaf)
{
	return leaf->estimate != NULL || leaf->cut != NULL || !leaf->from.origin.told;
}

/* The number of what has this key, the next of so many if it is new. */
static int
number_of(DpLeaves *leaves, const LeafKey *key, int *count)
{
	bool		found;
	LeafEntry  *entry = hash_search(leaves->numbers, key, HASH_ENTER, &found);

	if (!found)
		entry->number = (*count)++;
	return entry->number;
}

/* Have a leaf know its release in its group, its row, and its block. */
static void
number_groups(DpLeaves *leaves, DpLeaf *leaf)
{
	LeafKey		key;

	memset(&key, 0, sizeof(key));
	key.block = leaf->from.origin.block;
	key.statistic = -3;
	leaf->block = number_of(leaves, &key, &leaves->blocks);
	leaf->row = -1;
	if (leaf->around.spread.noise.own > 0)
	{
		key.row = leaf->around.spread.noise.across ? 0 : leaf->from.row;
		key.statistic = -4;
		leaf->row = number_of(leaves, &key, &leaves->rows);
	}
	key.release = leaf->from.origin.release;
	key.row = leaf->from.row;
	key.statistic = -2;
	leaf->group = number_of(leaves, &key, &leaves->groups);
}

/* Have what a leaf points to last as long as the leaves. */
static void
keep_pointers(DpLeaves *leaves, DpLeaf *leaf)
{
	MemoryContext old = MemoryContextSwitchTo(leaves->context);
	DpTermCut  *cut;

	if (leaf->estimate)
	{
		Size		size = MAXALIGN(sizeof(DpEstimate)) + MAXALIGN(VARSIZE(leaf->estimate + MAXALIGN(sizeof(DpEstimate))));

		leaf->estimate = memcpy(palloc(size), leaf->estimate, size);
	}
	if (leaf->cut)
	{
		cut = palloc(sizeof(DpTermCut));
		*cut = *leaf->cut;
		leaf->cut = cut;
	}
	MemoryContextSwitchTo(old);
}

int
dp_rewrite_enter_leaf(DpLeaves *leaves, const DpLeaf *leaf)
{
	LeafKey		key;
	DpLeaf	   *entered;
	int			count = leaves->count;
	int			number;
	int64		place = leaves->reads_total ? -++leaves->read_of_totals : ++leaves->read;

	memset(&key, 0, sizeof(key));
	key.block = leaf->from.origin.block;
	key.release = leaf->from.origin.release;
	key.part = leaf->from.origin.part;
	key.row = leaf->from.row;
	if (leaf->estimate)
		key.statistic = 1 + ((const DpEstimate *) leaf->estimate)->statistic;
	else if (leaf->cut)
		key.statistic = -1;
	if (!leaf->from.origin.told)
		key.number = place;
	number = number_of(leaves, &key, &leaves->count);
	if (leaves->count == count)
		return number;
	if (number == leaves->room)
	{
		leaves->room *= 2;
		leaves->leaf = repalloc_huge(leaves->leaf, leaves->room * sizeof(DpLeaf));
	}
	entered = &leaves->leaf[number];
	*entered = *leaf;
	entered->alone = stands_alone(leaf);
	keep_pointers(leaves, entered);
	number_groups(leaves, entered);
	return number;
}
