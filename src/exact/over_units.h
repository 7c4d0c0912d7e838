/*
 * over_units.h
 *	  What a block asks of the node that adds up units.
 */
#ifndef DP_EXACT_OVER_UNITS_H
#define DP_EXACT_OVER_UNITS_H

#include "postgres.h"

#include "pricing/aggregate_args.h"
#include "pricing/block_rewrite.h"

/*
 * The exact totals of a measure, or of the number of units if it
 * is NULL, as the aggregate that the node of src/units computes: over rows, or where
 * other servers add these up, over parts (partitionwise.h).
 */
extern Node *dp_exact_over_units(DpBlockRewrite *rewrite, Node *unit, const DpMeasure *measure,
								 Node *part);

/* Likewise the numbers of units in each class by that of their groups. */
extern Node *dp_exact_classes_over_units(DpBlockRewrite *rewrite, Node *unit);

/*
 * A unit, or a canonical key, in a form of which the bytes are the
 * value.
 */
extern Node *dp_exact_bytes_of_unit(Node *unit);
extern Node *dp_exact_bytes_of_key(Node *key);

#endif							/* DP_EXACT_OVER_UNITS_H */
