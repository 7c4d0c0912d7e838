/* SPDX-License-Identifier: PostgreSQL */
/*
 * value_range.h
 *	  Between which bounds the values of an expression lie, by what is declared of its
 *	  columns.
 *
 * Interval arithmetic over text and declarations alone; no data is read.  Nothing that is
 * guaranteed rests on a range: values are clamped to it.
 */
#ifndef DP_PRICING_VALUE_RANGE_H
#define DP_PRICING_VALUE_RANGE_H

#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/params.h"

#include "pricing/unit_rows.h"
#include "tree/reason.h"

/* lower > upper: no value but NULL. */
typedef struct DpValueRange
{
	double		lower;
	double		upper;
} DpValueRange;

/*
 * The range of an expression over a block's rows.  Numbers count as they are, dates in
 * days since 2000, timestamps and times of day in microseconds (since 2000), intervals in
 * microseconds, a month being 30 days, false as 0 and true as 1.
 *
 * `rows` is how many rows of a unit count, for those that a subquery groups; NULL if nobody has
 * said so.
 *
 * Returns NULL, or why there is none, at the first place that is in the way: 22023 a
 * column without bounds, or something else whose values are not bounded by its
 * arguments'.  Bounds beyond all doubles are infinite.
 */
extern DpReason *dp_pricing_value_range(Query *block, Node *expr, ParamListInfo params, const DpUnitRows *rows,
										DpValueRange *range);

/* Are values of this type moments, in microseconds? */
static inline bool
dp_pricing_is_timestamp(Oid type)
{
	return type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

#endif							/* DP_PRICING_VALUE_RANGE_H */
