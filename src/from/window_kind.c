/* SPDX-License-Identifier: PostgreSQL */
/*
 * window_kind.c
 *	  What the result of a window function depends on.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/fmgroids.h"

#include "from/window_kind.h"

static bool frame_is_whole(const WindowClause *window);

bool
dp_from_ignores_frame(const WindowFunc *call)
{
	switch (call->winfnoid)
	{
		case F_FIRST_VALUE:
		case F_LAST_VALUE:
		case F_NTH_VALUE:
			return false;
		default:
			return !call->winagg;
	}
}

/* Is the frame of a window all of its partition? */
static bool
frame_is_whole(const WindowClause *window)
{
	return (window->frameOptions & FRAMEOPTION_START_UNBOUNDED_PRECEDING) &&
		(window->frameOptions & FRAMEOPTION_END_UNBOUNDED_FOLLOWING) &&
		!(window->frameOptions & FRAMEOPTION_EXCLUSION);
}

/* How far a frame reaches from the current row in one direction. */
static int64
reach(const Node *offset)
{
	const Const *constant = (const Const *) offset;

	if (offset == NULL)
		return 0;
	return IsA(offset, Const) && constant->consttype == INT8OID && !constant->constisnull
		? DatumGetInt64(constant->constvalue) : PG_INT32_MAX;
}

int64
dp_from_frame_rows(const WindowClause *window)
{
	int64		rows = 1 + reach(window->startOffset) + reach(window->endOffset);

	if (!(window->frameOptions & FRAMEOPTION_ROWS) ||
		(window->frameOptions & (FRAMEOPTION_START_UNBOUNDED_PRECEDING | FRAMEOPTION_END_UNBOUNDED_FOLLOWING)))
		return 0;
	return rows <= DP_MOST_FRAME_ROWS ? rows : 0;
}

void
dp_from_settle_frame(WindowClause *window)
{
	if (window->orderClause != NIL || (window->frameOptions & FRAMEOPTION_ROWS))
		return;
	if (window->frameOptions & FRAMEOPTION_START_CURRENT_ROW)
		window->frameOptions ^= FRAMEOPTION_START_CURRENT_ROW | FRAMEOPTION_START_UNBOUNDED_PRECEDING;
	if (window->frameOptions & FRAMEOPTION_END_CURRENT_ROW)
		window->frameOptions ^= FRAMEOPTION_END_CURRENT_ROW | FRAMEOPTION_END_UNBOUNDED_FOLLOWING;
	window->frameOptions |= FRAMEOPTION_NONDEFAULT | FRAMEOPTION_BETWEEN;
}

/*
 * A value of the frame's rows, by their order.  With RANGE and GROUPS, all peers of the
 * current row are in a frame that ends with it.  So the last among them has to be the
 * same for each, so that they may not be told apart any further.
 */
static DpWindowKind
kind_of_value(const WindowFunc *call, const WindowClause *window)
{
	int			options = window->frameOptions;

	if ((options & FRAMEOPTION_ROWS) || frame_is_whole(window))
		return DP_WINDOW_ROWS;
	return call->winfnoid == F_FIRST_VALUE && (options & FRAMEOPTION_START_UNBOUNDED_PRECEDING) &&
		(options & FRAMEOPTION_END_CURRENT_ROW) ? DP_WINDOW_ROWS : DP_WINDOW_REFUSED;
}

DpWindowKind
dp_from_window_kind(const WindowFunc *call, const WindowClause *window)
{
	if (call->winagg)
		return !(window->frameOptions & FRAMEOPTION_ROWS) || frame_is_whole(window)
			? DP_WINDOW_PEERS : DP_WINDOW_ROWS;
	switch (call->winfnoid)
	{
		case F_RANK_:
		case F_DENSE_RANK_:
		case F_PERCENT_RANK_:
		case F_CUME_DIST_:
			return DP_WINDOW_PEERS;
		case F_FIRST_VALUE:
		case F_LAST_VALUE:
		case F_NTH_VALUE:
			return kind_of_value(call, window);
		default:
			return DP_WINDOW_ROWS;
	}
}
