/* SPDX-License-Identifier: PostgreSQL */
/*
 * over_units.h
 *	  What a block asks of the node that adds up units.
 */
#ifndef DP_EXACT_OVER_UNITS_H
#define DP_EXACT_OVER_UNITS_H

#include "postgres.h"

#include "pricing/aggregate_args.h"
#include "pricing/block_rewrite.h"
#include "units/ask.h"

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

/* A numeric as PostgreSQL forms it today, of the same value and scale; other expressions as they are. */
extern Node *dp_exact_reform(Node *expr);

/* Have a value ask for totals of this kind, within the measure's bounds. */
extern void dp_exact_ask_bounded(const DpMeasure *measure, DpUnitsKind kind, DpUnitsAsk *ask, Node **value);

#endif							/* DP_EXACT_OVER_UNITS_H */
