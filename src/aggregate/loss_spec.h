/* SPDX-License-Identifier: PostgreSQL */
/*
 * loss_spec.h
 *	  Models whose losses are added up: exact_losses(spec, rows, y, value, ...).
 */
#ifndef DP_AGGREGATE_LOSS_SPEC_H
#define DP_AGGREGATE_LOSS_SPEC_H

#include "postgres.h"

#include "models/losses.h"

/*
 * A bytea constant in plans.  The last block of `columns` stands for what is foretold, and is
 * not looked at.
 */
typedef struct DpLossSpec
{
	int32		vl_len_;		/* varlena header */
	int32		loss;			/* DpLoss */
	double		bound;			/* logistic, hinge; else 1 */
	int32		models;
	DpModelSpec columns;
	int32		weight[FLEXIBLE_ARRAY_MEMBER];	/* as in DpModels */
} DpLossSpec;

#endif							/* DP_AGGREGATE_LOSS_SPEC_H */
