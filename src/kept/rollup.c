/* SPDX-License-Identifier: PostgreSQL */
/*
 * rollup.c
 *	  Which groups of a kept answer a block's answer is the sum of; see rollup.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "kept/listed_cells.h"
#include "kept/matching.h"
#include "kept/rollup.h"
#include "pricing/block.h"
#include "pricing/forms.h"

/* Does every row have a group, as far as keys that the block has not are concerned? */
static bool
covers_rows(const DpMatching *matching)
{
	for (int k = 0; k < matching->finer->nkeys; k++)
		if (matching->key[k].asked < 0 && !matching->finer->key[k].complete && !matching->key[k].restricted)
			return false;
	return true;
}

/* A group of the block that is asked, by the number that its keys' values make. */
typedef struct NumberedGroup
{
	int64		number;
	int			group;
} NumberedGroup;

static int
compare_groups(const void *left, const void *right)
{
	const NumberedGroup *one = left;
	const NumberedGroup *other = right;

	return one->number < other->number ? -1 : one->number > other->number;
}

/* The groups that are asked, in the order of their numbers; NULL if they are all numbers there are. */
static NumberedGroup *
number_groups(const DpMatching *matching)
{
	const DpListedCells *listed = matching->asked->listed;
	NumberedGroup *groups;

	if (listed == NULL)
		return NULL;
	groups = palloc0(Max(listed->groups, 1) * sizeof(NumberedGroup));
	for (int i = 0; i < listed->groups; i++)
		groups[i].group = i;
	for (int k = 0; k < matching->finer->nkeys; k++)
		for (int i = 0; matching->key[k].asked >= 0 && i < listed->groups; i++)
			groups[i].number += listed->key[matching->key[k].asked].place[i] * matching->key[k].weight;
	qsort(groups, listed->groups, sizeof(NumberedGroup), compare_groups);
	return groups;
}

/*
 * The group that a finer one is in, from 0; -1 if in none.  *left_out: a condition leaves it out
 * there.
 */
static int
group_of(const DpMatching *matching, const NumberedGroup *groups, int cell, bool *left_out)
{
	NumberedGroup sought = {0};
	const NumberedGroup *found;
	int			rest = cell;

	*left_out = false;
	for (int k = matching->finer->nkeys - 1; k >= 0; k--)
	{
		const DpMatchedKey *key = &matching->key[k];
		const DpShapeKey *finer = &matching->finer->key[k];
		int			value = finer->cell ? finer->cell[cell] : rest % finer->count;

		if (key->place[value] < 0)
			return -1;
		*left_out |= key->left_out[value];
		sought.number += key->place[value] * key->weight;
		rest /= finer->count;
	}
	if (groups == NULL)
		return (int) sought.number;
	found = bsearch(&sought, groups, matching->asked->listed->groups, sizeof(NumberedGroup), compare_groups);
	return found ? found->group : -1;
}

/*
 * Have nodes of a tree stand for those below them where all of these are in one group.  The
 * cells, which are its last rows, have theirs.
 */
static void
join_nodes(const DpShape *finer, DpRollup *rollup)
{
	int			width[DP_MAX_TREE_LEVELS];
	int			levels = dp_pricing_tree_widths(finer->domain, finer->branching, width);
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

/* Have each cell be in its group; false if a group has none, not even one that is left out. */
static bool
assign_cells(const DpMatching *matching, DpRollup *rollup, int *cell)
{
	const NumberedGroup *groups = number_groups(matching);
	bool	   *answered = palloc0(rollup->groups * sizeof(bool));
	int			count = 0;

	for (int i = 0; i < matching->finer->domain; i++)
	{
		bool		left_out;

		CHECK_FOR_INTERRUPTS();
		cell[i] = group_of(matching, groups, i, &left_out);
		if (cell[i] < 0)
			continue;
		count += answered[cell[i]] ? 0 : 1;
		answered[cell[i]] = true;
		if (left_out)
			cell[i] = -1;
	}
	return count == rollup->groups;
}

/* Count the rows that are added up, and those of the group that has most of them. */
static void
count_members(DpRollup *rollup)
{
	int		   *members = palloc0(rollup->groups * sizeof(int));

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

static bool
assign_groups(const DpMatching *matching, DpRollup *rollup)
{
	const DpShape *finer = matching->finer;

	rollup->groups = matching->asked->listed ? matching->asked->listed->groups : Max(matching->block->domain, 1);
	rollup->rows = dp_kept_shape_rows(finer);
	rollup->group = MemoryContextAllocHuge(CurrentMemoryContext, rollup->rows * sizeof(int));
	if (!assign_cells(matching, rollup, rollup->group + rollup->rows - finer->domain))
		return false;
	if (finer->branching > 0)
		join_nodes(finer, rollup);
	count_members(rollup);
	return true;
}

/* Does a unit contribute the same? */
static bool
bounds_hold(const DpMatching *matching, const DpRollup *rollup)
{
	const DpCellBounds *asked = &matching->asked->bounds;
	const DpCellBounds *finer = &matching->finer->bounds;

	if (asked->row_is_unit || finer->row_is_unit)
		return asked->row_is_unit && finer->row_is_unit;
	return rollup->most <= 1 && matching->finer->branching == 0 && asked->max_rows == finer->max_rows &&
		matching->finer->domain <= finer->max_groups && rollup->groups <= asked->max_groups;
}

/* Is the number of groups what the keys make of it? */
static bool
is_sane(const DpShape *finer)
{
	int64		domain = 1;

	for (int k = 0; k < finer->nkeys; k++)
	{
		if (finer->key[k].count < 1 || finer->key[k].count > finer->domain)
			return false;
		domain = finer->listed ? finer->domain : domain * finer->key[k].count;
		if (domain > finer->domain)
			return false;
	}
	if (finer->listed && finer->branching != 0)
		return false;
	return finer->nkeys > 0 && domain == finer->domain && (finer->branching == 0 || finer->branching > 1);
}

bool
dp_kept_may_be_finer(const DpBlock *block, const DpBlockCells *asked, const DpShape *finer)
{
	DpMatching	matching = {.block = block, .asked = asked, .finer = finer};

	return dp_kept_has_addends(&matching) && dp_kept_has_conditions(&matching) && dp_kept_has_keys(&matching);
}

DpRollup *
dp_kept_plan_rollup(const DpBlock *block, const DpBlockCells *asked, const DpShape *finer, double factor)
{
	DpRollup   *rollup = palloc0(sizeof(DpRollup));
	DpMatching	matching;

	if (!dp_kept_may_be_finer(block, asked, finer) || !is_sane(finer) || (block->listed && asked->listed == NULL))
		return NULL;
	matching = dp_kept_begin_matching(block, asked, finer);
	if ((matching.shorter > 0 && asked->by_size) || !dp_kept_match_keys(&matching) ||
		!dp_kept_match_conditions(&matching) || !covers_rows(&matching) || !assign_groups(&matching, rollup))
		return NULL;
	rollup->from = palloc(block->nreleases * sizeof(int));
	if (rollup->used == 0 || !bounds_hold(&matching, rollup) ||
		!dp_kept_match_releases(&matching, rollup->most, rollup->from, &rollup->ratio) || rollup->ratio > factor)
		return NULL;
	return rollup;
}
