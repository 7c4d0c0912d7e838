/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_columns.h
 *	  The columns of the table of kept answers.
 */
#ifndef DP_BUDGET_ROWS_KEPT_COLUMNS_H
#define DP_BUDGET_ROWS_KEPT_COLUMNS_H

/* Columns of dp_agg.kept_answer, from 0; somebody may have added more. */
enum
{
	DP_KEPT_BUDGET,
	DP_KEPT_QUESTION,
	DP_KEPT_ASKED_AT,
	DP_KEPT_ASKED,
	DP_KEPT_RELATIONS,
	DP_KEPT_ROWS,
	DP_KEPT_REPLAYS,
	DP_KEPT_ENTRY,
	DP_KEPT_RELEASED,
	DP_KEPT_HASH,
	DP_KEPT_BASE,
	DP_KEPT_SHAPE,
	DP_KEPT_COLUMNS
};

/* Digest of a question. */
#define DP_QUESTION_BYTES 32

#endif							/* DP_BUDGET_ROWS_KEPT_COLUMNS_H */
