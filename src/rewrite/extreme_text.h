/* SPDX-License-Identifier: PostgreSQL */
/*
 * extreme_text.h
 *	  The least and the greatest text, of columns whose keys are declared.
 */
#ifndef DP_REWRITE_EXTREME_TEXT_H
#define DP_REWRITE_EXTREME_TEXT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * Have a block whose FROM was read ask for the least and greatest place among the keys of a
 * column, in their order, in place of the least and greatest text.
 */
extern DpReason *dp_rewrite_place_extremes(Query *block);

#endif							/* DP_REWRITE_EXTREME_TEXT_H */
