/* SPDX-License-Identifier: PostgreSQL */
/*
 * model.h
 *	  What models have in common: rows as coordinates.
 */
#ifndef DP_KINDS_MODEL_H
#define DP_KINDS_MODEL_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "pricing/aggregate_args.h"
#include "pricing/block_rewrite.h"
#include "tree/reason.h"
#include "tree/statement.h"

/* Validate what the hidden aggregate of a call takes from a row, into the measure; or why it is not allowed. */
extern DpReason *dp_kinds_read_coordinates(Query *block, const DpStatement *statement, DpMeasure *measure);

/* A copy of that. */
extern List *dp_kinds_coordinates(const DpMeasure *measure);

/* Expression for a model in the outer query. */
extern Node *dp_kinds_released_model(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number);

#endif							/* DP_KINDS_MODEL_H */
