/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_forms.c
 *	  Releases of something else than a count per group: rankings, the first
 *	  count above a threshold, trees of counts.
 *
 * All counts of the exact plan are gathered before anything is drawn, and what
 * is drawn is drawn for all of them.  They leave this file only through the
 * mechanism that was paid for.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "base/injection.h"
#include "draw/add_noise.h"
#include "draw/exact_rows.h"
#include "draw/release_forms.h"
#include "draw/release_state.h"
#include "noise/selection.h"
#include "pricing/block.h"
#include "pricing/form_table.h"
#include "pricing/forms.h"
#include "pricing/kind.h"

/* Exact counts, and where their keys are private, the rows that hold these. */
typedef struct Counts
{
	int64	   *count;			/* of key or row i + 1 */
	int64		n;
	int64		size;			/* room for so many */
	Tuplestorestate *rows;		/* NULL: keys are numbers */
} Counts;

static void *
allocate_huge(Size size)
{
	return MemoryContextAllocExtended(CurrentMemoryContext, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* The count in a release's column of an exact row. */
static int64
read_count(const DpReleaseState *state, TupleTableSlot *exact, int release)
{
	return dp_draw_exact_count(&state->block->release[release], exact);
}

/* Counts by public key 1 .. domain, zero where there is no row. */
static Counts
gather_public(DpReleaseState *state)
{
	int			domain = state->block->domain;
	Counts		counts = {.n = domain, .count = allocate_huge(domain * sizeof(int64))};
	TupleTableSlot *exact;

	while ((exact = dp_draw_next_exact(state)) != NULL)
		if (!exact->tts_isnull[0] && DatumGetInt32(exact->tts_values[0]) >= 1 &&
			DatumGetInt32(exact->tts_values[0]) <= domain)
			counts.count[DatumGetInt32(exact->tts_values[0]) - 1] = read_count(state, exact, 0);
	return counts;
}

/* Counts by private key, in the order of keys. */
static Counts
gather_private(DpReleaseState *state)
{
	Counts		counts = {.size = 1024};
	TupleTableSlot *exact;

	counts.rows = tuplestore_begin_heap(false, false, work_mem);
	counts.count = allocate_huge(counts.size * sizeof(int64));
	while ((exact = dp_draw_next_exact(state)) != NULL)
	{
		if (counts.n == counts.size)
		{
			counts.size *= 2;
			counts.count = repalloc_huge(counts.count, counts.size * sizeof(int64));
		}
		counts.count[counts.n++] = read_count(state, exact, 0);
		tuplestore_puttupleslot(counts.rows, exact);
	}
	return counts;
}

/* One of the candidates that are left, by the mechanism that was paid for. */
static size_t
draw_candidate(const DpNoise *noise, const int64 *score, const bool *taken, size_t candidates)
{
	if (noise->mechanism == DP_EXPONENTIAL)
		return dp_noise_gumbel_greatest(score, taken, candidates, -noise->grid,
										noise->scale_num, noise->scale_den);
	return dp_noise_permute_and_flip(score, taken, candidates, noise->scale_num, noise->scale_den);
}

/*
 * The winners of draws, each out of the next; where keys are private, "none of
 * these" takes part, and ends them.
 */
static int
draw(const DpBlock *block, Counts *counts, int64 *winner)
{
	const DpNoise *noise = &block->release[0].noise[0];
	bool		private = block->selector >= 0;
	int64		candidates = counts->n + (private ? 1 : 0);
	int64	   *score = allocate_huge(candidates * sizeof(int64));
	bool	   *taken = allocate_huge(candidates);
	int			ranks = 0;

	memcpy(score, counts->count, counts->n * sizeof(int64));
	if (private)
		score[counts->n] = block->threshold >> -noise->grid;	/* whole rows */
	for (; ranks < block->size && ranks < candidates; ranks++)
	{
		CHECK_FOR_INTERRUPTS();
		winner[ranks] = draw_candidate(noise, score, taken, candidates);
		if (winner[ranks] == counts->n)
			break;
		taken[winner[ranks]] = true;
	}
	return ranks;
}

/* Enter a noisy count among the greatest so far; of equal ones the first stays first. */
static int
enter(int128 *greatest, int64 *winner, int ranks, int most, DpInt128 noisy, int64 number)
{
	int			rank = ranks;

	if (ranks == most && noisy <= greatest[ranks - 1])
		return ranks;
	if (ranks < most)
		ranks++;
	else
		rank--;
	for (; rank > 0 && greatest[rank - 1] < noisy; rank--)
	{
		greatest[rank] = greatest[rank - 1];
		winner[rank] = winner[rank - 1];
	}
	greatest[rank] = noisy;
	winner[rank] = number;
	return ranks;
}

/*
 * The greatest noisy counts; where keys are private, of those that reach the
 * threshold.  (int128, unlike DpInt128, is aligned as palloc() aligns.)
 */
static int
sort_noisy(const DpBlock *block, Counts *counts, int64 *winner)
{
	int128	   *greatest = palloc(block->size * sizeof(int128));
	int			ranks = 0;

	for (int64 i = 0; i < counts->n; i++)
	{
		DpInt128	noisy = dp_draw_noisy_count(&block->release[0], counts->count[i]);

		CHECK_FOR_INTERRUPTS();
		if (block->selector < 0 || noisy >= block->threshold)
			ranks = enter(greatest, winner, ranks, block->size, noisy, i);
	}
	return ranks;
}

/* Release a row: keys, and a number in place of the first count. */
static void
put_row(DpReleaseState *state, TupleTableSlot *result, TupleTableSlot *keys, int32 key, int64 number)
{
	const DpBlock *block = state->block;

	ExecClearTuple(result);
	memset(result->tts_isnull, true, result->tts_tupleDescriptor->natts * sizeof(bool));
	dp_draw_release_keys(block, keys, key, result);
	for (int i = 0; i < block->nreleases; i++)
	{
		int			column = block->release[i].column;

		result->tts_values[column] = dp_draw_count_datum(TupleDescAttr(result->tts_tupleDescriptor, column)->atttypid,
														 i == 0 ? number : 0);
		result->tts_isnull[column] = false;
	}
	ExecStoreVirtualTuple(result);
	tuplestore_puttupleslot(state->store, result);
}

/* The row of a winner. */
typedef struct Winner
{
	int64		row;
	int			rank;
} Winner;

static int
compare_winners(const void *a, const void *b)
{
	int64		x = ((const Winner *) a)->row;
	int64		y = ((const Winner *) b)->row;

	return (x > y) - (x < y);
}

/* Copies of the rows of the winners, in their order.  All rows are read, whichever won. */
static MinimalTuple *
fetch_winners(Counts *counts, TupleTableSlot *slot, const int64 *winner, int ranks)
{
	MinimalTuple *tuple = palloc0(ranks * sizeof(MinimalTuple));
	Winner	   *sought = palloc(ranks * sizeof(Winner));
	int			next = 0;

	for (int i = 0; i < ranks; i++)
		sought[i] = (Winner) {.row = winner[i], .rank = i};
	qsort(sought, ranks, sizeof(Winner), compare_winners);
	for (int64 row = 0; ranks > 0 && tuplestore_gettupleslot(counts->rows, true, false, slot); row++)
	{
		CHECK_FOR_INTERRUPTS();
		if (next < ranks && sought[next].row == row)
			tuple[sought[next++].rank] = ExecCopySlotMinimalTuple(slot);
	}
	return tuple;
}

void
dp_draw_release_ranking(DpReleaseState *state, TupleTableSlot *result)
{
	const DpBlock *block = state->block;
	bool		private = block->selector >= 0;
	Counts		counts = private ? gather_private(state) : gather_public(state);
	int64	   *winner = palloc(block->size * sizeof(int64));
	TupleTableSlot *slot;
	MinimalTuple *tuple;
	int			ranks = 0;

	DP_INJECTION_POINT("noise");
	if (!private || block->threshold < PG_INT64_MAX)
		ranks = dp_pricing_is_drawn(block->release[0].noise[0].mechanism) ? draw(block, &counts, winner) : sort_noisy(block, &counts, winner);
	if (!private)
	{
		for (int i = 0; i < ranks; i++)
			put_row(state, result, NULL, (int32) winner[i] + 1, i + 1);
		return;
	}
	slot = MakeSingleTupleTableSlot(result->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	tuple = fetch_winners(&counts, slot, winner, ranks);
	for (int i = 0; i < ranks; i++)
	{
		ExecStoreMinimalTuple(tuple[i], slot, false);
		slot_getallattrs(slot);
		put_row(state, result, slot, 0, i + 1);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(counts.rows);
}

/* The counts of a block without groups, in the order of its releases. */
static int64 *
gather_row(DpReleaseState *state)
{
	const DpBlock *block = state->block;
	int64	   *count = palloc0(block->nreleases * sizeof(int64));
	TupleTableSlot *exact = dp_draw_next_exact(state);

	for (int i = 0; exact && i < block->nreleases; i++)
		count[i] = read_count(state, exact, i);
	while (exact)
		exact = dp_draw_next_exact(state);
	return count;
}

void
dp_draw_release_first(DpReleaseState *state, TupleTableSlot *result)
{
	const DpBlock *block = state->block;
	const DpNoise *noise = &block->release[0].noise[0];
	int64	   *count = gather_row(state);
	size_t		first;

	DP_INJECTION_POINT("noise");
	first = dp_noise_first_above(count, block->nreleases, block->level,
								 noise->scale_num, noise->scale_den);
	put_row(state, result, NULL, 0, first < block->nreleases ? (int64) first + 1 : 0);
}

/* The number of a count that is small, from 0. */
static int64
draw_count(DpReleaseState *state)
{
	const DpBlock *block = state->block;
	int64	   *score = gather_row(state);
	bool	   *taken = palloc0(block->nreleases);

	for (int i = 0; i < block->nreleases; i++)
		score[i] = -score[i];
	DP_INJECTION_POINT("noise");
	return draw_candidate(&block->release[0].noise[0], score, taken, block->nreleases);
}

void
dp_draw_release_least(DpReleaseState *state, TupleTableSlot *result)
{
	const DpKind *kind = dp_kind(&state->block->release[0]);
	int64		chosen = kind->draw_least ? kind->draw_least(state) : draw_count(state);

	put_row(state, result, NULL, 0, chosen + 1);
}

/* Add up what `branching` neighbours hold, into the first n elements. */
static void
add_up_children(int64 *sum, const int64 *child, int children, int branching)
{
	for (int i = 0; i < children; i++)
		if (i % branching == 0)
			sum[i / branching] = child[i];
		else
			sum[i / branching] += child[i];
}

void
dp_draw_release_tree(DpReleaseState *state, TupleTableSlot *result)
{
	const DpBlock *block = state->block;
	Counts		leaves = gather_public(state);
	int			width[DP_MAX_TREE_LEVELS];
	int64	   *level[DP_MAX_TREE_LEVELS];
	int			levels = dp_pricing_tree_widths(block->domain, block->size, width);
	int32		node = 0;

	DP_INJECTION_POINT("noise");
	level[levels - 1] = leaves.count;
	for (int i = levels - 2; i >= 0; i--)
	{
		level[i] = allocate_huge(width[i] * sizeof(int64));
		add_up_children(level[i], level[i + 1], width[i + 1], block->size);
	}
	for (int i = 0; i < levels; i++)
		for (int j = 0; j < width[i]; j++)
		{
			const DpRelease *release = &block->release[0];

			CHECK_FOR_INTERRUPTS();
			put_row(state, result, NULL, ++node,
					dp_draw_from_grid(dp_draw_noisy_count(release, level[i][j]), release));
		}
}

void
dp_draw_release_form(DpReleaseState *state, TupleTableSlot *result)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "dp_agg release of a form",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);

	dp_form(state->block)->release(state, result);
	ExecClearTuple(result);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}
