/* SPDX-License-Identifier: PostgreSQL */
/*
 * column_span.h
 *	  Between which values a column lies in the rows that a block reads, by what is declared
 *	  of it and by what WHERE says.
 */
#ifndef DP_REWRITE_COLUMN_SPAN_H
#define DP_REWRITE_COLUMN_SPAN_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

/*
 * A stretch of values of one type.  Each value has a position: positions are in the order of the values.
 * Integers are their own; dates count days, times, timestamps and intervals of a day microseconds; of
 * other numbers, it is the bits of the double next to them.
 */
typedef struct DpSpan
{
	Oid			type;
	int64		first;
	int64		last;			/* less than first: no value */
	bool		not_null;		/* does WHERE leave NULL out? */
} DpSpan;

/*
 * The values of a column of a table that a block's rows have, outside of which they have none that
 * count.  False if nobody has declared bounds and WHERE has none either, or the type has no positions.
 */
extern bool dp_rewrite_column_span(Query *query, Var *var, DpSpan *span);

/* The value at a position of a span's type. */
extern Datum dp_rewrite_span_value(Oid type, int64 position);

/* Have values of this type others between no two of them: integers and dates? */
extern bool dp_rewrite_is_discrete(Oid type);

/* And are they microseconds? */
extern bool dp_rewrite_is_time(Oid type);

#endif							/* DP_REWRITE_COLUMN_SPAN_H */
