/*
 * test_ladder.c
 *	  What follows from the steps of a ladder: clamped sums, numbers of units beyond, and by how
 *	  much one unit more changes them.
 */
#include <stdlib.h>
#include <string.h>

#include "data64.h"
#include "tap.h"

#include "aggregate/ladder.h"

#define UNITS 200

typedef struct Unit
{
	__int128	total;
	uint64_t	rows;			/* of a mean */
} Unit;

/* Numbers of all sizes. */
static uint64_t
some_size(int bits)
{
	return data64() >> (64 - bits + data64() % (uint64_t) bits);
}

static Unit
some_unit(const DpLadder *ladder, int64_t width)
{
	Unit		unit = {0, 1 + some_size(20)};

	if (ladder->kind == DP_LADDER_MEAN)
		for (uint64_t i = 0; i < 8; i++)
			unit.total += (__int128) (unit.rows / 8 + (i < unit.rows % 8)) * (int64_t) (data64() % (uint64_t) (width + 1));
	else
		unit.total = (int64_t) some_size(40) * (ladder->kind == DP_LADDER_SIGNED && data64() % 2 ? -1 : 1);
	return unit;
}

static void
add(const DpLadder *ladder, Unit unit, __int128 *parts)
{
	if (ladder->kind == DP_LADDER_MEAN)
		dp_aggregate_ladder_add_mean(ladder, (unsigned __int128) unit.total, unit.rows, parts);
	else
		dp_aggregate_ladder_add(ladder, unit.total, parts);
}

/* The size by which a unit is beyond a clamp, or not. */
static __int128
size_of(const DpLadder *ladder, Unit unit)
{
	return ladder->kind == DP_LADDER_MEAN ? (__int128) unit.rows : unit.total < 0 ? -unit.total : unit.total;
}

static __int128
clamped(__int128 value, __int128 most)
{
	return value > most ? most : value < -most ? -most : value;
}

/* What a group comes to at a step: a sum, and of a mean rows. */
static __int128
sum_at(const DpLadder *ladder, const __int128 *parts, int step, __int128 *rows)
{
	*rows = 0;
	return ladder->kind == DP_LADDER_MEAN ? dp_aggregate_ladder_mean(ladder, parts, step, rows) : dp_aggregate_ladder_sum(ladder, parts, step);
}

/* Do the steps tell what each clamp leaves of the units? */
static bool
adds_up(const DpLadder *ladder, const Unit *unit, int units, const __int128 *parts)
{
	int64_t		last = dp_aggregate_ladder_clamp(ladder, ladder->steps - 1);

	for (int step = 0; step < ladder->steps; step++)
	{
		int64_t		clamp = dp_aggregate_ladder_clamp(ladder, step);
		__int128	rows;
		__int128	sum = sum_at(ladder, parts, step, &rows);
		__int128	beyond = dp_aggregate_ladder_beyond(ladder, parts, step);

		for (int i = 0; i < units; i++)
		{
			uint64_t	counted = unit[i].rows < (uint64_t) clamp ? unit[i].rows : (uint64_t) clamp;

			/* At the last step everybody is within. */
			beyond -= clamped(size_of(ladder, unit[i]), last) > clamp;
			rows -= ladder->kind == DP_LADDER_MEAN ? counted : 0;
			sum -= ladder->kind == DP_LADDER_MEAN ?
				dp_aggregate_scale_down((unsigned __int128) unit[i].total, counted, unit[i].rows)
				: clamped(unit[i].total, clamp);
		}
		if (sum != 0 || rows != 0 || beyond != 0)
			return false;
	}
	return true;
}

/* Does a unit more change what a step says by no more than is said? */
static bool
moves_little(const DpLadder *ladder, int64_t width, Unit unit, const __int128 *parts)
{
	__int128	more[DP_LADDER_MOST * DP_LADDER_WIDTH];

	memcpy(more, parts, sizeof(more));
	add(ladder, unit, more);
	for (int step = 0; step < ladder->steps; step++)
	{
		__int128	rows;
		__int128	rows_more;
		__int128	sum = sum_at(ladder, more, step, &rows_more) - sum_at(ladder, parts, step, &rows);
		__int128	beyond = dp_aggregate_ladder_beyond(ladder, more, step) - dp_aggregate_ladder_beyond(ladder, parts, step);

		rows = rows_more - rows;
		if (beyond < 0 || beyond > 1)
			return false;
		if (ladder->kind != DP_LADDER_MEAN && (sum < -dp_aggregate_ladder_clamp(ladder, step) || sum > dp_aggregate_ladder_clamp(ladder, step)))
			return false;
		if (ladder->kind == DP_LADDER_MEAN &&
			(sum < 0 || sum > rows * width || rows > dp_aggregate_ladder_clamp(ladder, step)))
			return false;
	}
	return true;
}

static void
ladders(DpLadderKind kind, const char *name)
{
	int			wrong = 0;
	int			moved = 0;

	for (int n = 0; n < 2000; n++)
	{
		DpLadder	ladder = {.first = kind == DP_LADDER_MEAN ? 1 : 1 + (int64_t) some_size(12),
		.steps = 1 + (int32_t) (data64() % 30), .kind = kind};
		int64_t		width = (int64_t) some_size(30);
		__int128	parts[DP_LADDER_MOST * DP_LADDER_WIDTH] = {0};
		Unit		unit[UNITS];
		int			units = (int) (data64() % UNITS);

		for (int i = 0; i < units; i++)
		{
			unit[i] = some_unit(&ladder, width);
			moved += !moves_little(&ladder, width, unit[i], parts);
			add(&ladder, unit[i], parts);
		}
		wrong += !adds_up(&ladder, unit, units, parts);
	}
	ok(wrong == 0, "%s: steps tell what each clamp leaves", name);
	ok(moved == 0, "%s: one unit more changes no step by more than its clamp", name);
}

/* At a clamp, one below and one above it. */
static void
edges(void)
{
	DpLadder	ladder = {.first = 3, .steps = 48, .kind = DP_LADDER_POSITIVE};
	bool		right = true;

	for (int step = 0; step < ladder.steps - 1; step++)
	{
		uint64_t	clamp = (uint64_t) dp_aggregate_ladder_clamp(&ladder, step);

		right = right && dp_aggregate_ladder_step(&ladder, clamp) == step && dp_aggregate_ladder_step(&ladder, clamp + 1) == step + 1;
		right = right && (clamp < 4 || dp_aggregate_ladder_step(&ladder, clamp - 1) == step);
	}
	ok(right && dp_aggregate_ladder_step(&ladder, 0) == 0, "a total at a clamp is not beyond it");
}

int
main(void)
{
	ladders(DP_LADDER_POSITIVE, "totals");
	ladders(DP_LADDER_SIGNED, "totals of both signs");
	ladders(DP_LADDER_MEAN, "means");
	edges();
	return done_testing();
}
