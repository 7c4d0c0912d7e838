/* SPDX-License-Identifier: PostgreSQL */
/*
 * window_kind.h
 *	  What the result of a window function depends on.
 */
#ifndef DP_FROM_WINDOW_KIND_H
#define DP_FROM_WINDOW_KIND_H

#include "postgres.h"

#include "nodes/parsenodes.h"

typedef enum DpWindowKind
{
	DP_WINDOW_REFUSED,
	DP_WINDOW_PEERS,			/* on which rows come before a row or after it, but not on their
								 * order among those that are alike by ORDER BY */
	DP_WINDOW_ROWS				/* on the order of all rows */
} DpWindowKind;

/* How the result of this function depends on the order of rows in this window. */
extern DpWindowKind dp_from_window_kind(const WindowFunc *call, const WindowClause *window);

/* Does it not matter to this function what the frame of its window is? */
extern bool dp_from_ignores_frame(const WindowFunc *call);

/* Most rows of a frame over which something is computed anew for each row. */
#define DP_MOST_FRAME_ROWS 500

/*
 * How many rows a frame of ROWS may have whose ends are numbers, which are constants; 0 of
 * other frames, and of those with more rows than the most.
 */
extern int64 dp_from_frame_rows(const WindowClause *window);

/* Have a window without ORDER BY, in which all rows are peers, say that its frame is all of them. */
extern void dp_from_settle_frame(WindowClause *window);

#endif							/* DP_FROM_WINDOW_KIND_H */
