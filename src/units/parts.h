/*
 * parts.h
 *	  Rows that stand for several: what rows of a unit in a group add up to, wherever they
 *	  were added up.
 *
 * A row has a unit, keys, and of each measure a part: a number of rows, what unit_sum_part
 * or unit_part returned (aggregate/part.h), of quantiles what exact_cells did
 * (aggregate/cells.h).  NULL is a part of no rows.  A unit can have any number of such
 * rows in a group; those of a partition come from whatever server holds it, which may
 * say what it likes.  So parts are checked, for what they say not to exceed what rows
 * can come to; and what a unit's parts add up to is bounded as what its rows add up
 * to is (accumulate.h), which does not ask where that comes from.
 */
#ifndef DP_UNITS_PARTS_H
#define DP_UNITS_PARTS_H

#include "postgres.h"

#include "units/rows.h"

/* Set what reading such rows needs, in the current memory context. */
extern void dp_parts_start(DpUnitsRows *rows);

/* Collect what the row of the source stands for, if it has a unit.  Errors: 22023 for parts that no rows make. */
extern void dp_parts_put(DpUnitsRows *rows);

#endif							/* DP_UNITS_PARTS_H */
