/* SPDX-License-Identifier: PostgreSQL */
/*
 * loss_spec.h
 *	  Linear models of a call, as a constant.
 */
#ifndef DP_ASKING_LOSS_SPEC_H
#define DP_ASKING_LOSS_SPEC_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "aggregate/loss_spec.h"
#include "tree/reason.h"

/*
 * The models of an array of float8, one a row of it, each weight divided by `unit`: a DpLossSpec for
 * rows of these columns.  Refuses those of another length than coordinates ask for.
 */
extern DpReason *dp_asking_loss_spec(const Const *models, const DpModelSpec *columns, DpLoss loss, double bound,
									 double unit, Const **spec);

#endif							/* DP_ASKING_LOSS_SPEC_H */
