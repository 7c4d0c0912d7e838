/* SPDX-License-Identifier: PostgreSQL */
/*
 * noted_columns.h
 *	  Columns of a statement that are compared with their noise while they are shown.
 */
#ifndef DP_REWRITE_NOTED_COLUMNS_H
#define DP_REWRITE_NOTED_COLUMNS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "tree/statement.h"

/* Columns of a statement that are noted at most, which are numbered from 0. */
#define DP_REWRITE_MOST_NOTED 20

/* Is it a type of numbers, whose columns may be noted? */
extern bool dp_rewrite_is_number(Oid type);

/*
 * The statement with columns that show arithmetic on released values noted: each tells its value and its term
 * (rewrite/term.h) as it is computed.  It shows the same, and releases the same.  Columns whose noise is not known, by
 * the rules of dp_interval, are as they were; all are if dp_agg.noise_notice is off.
 */
extern Query *dp_rewrite_note_columns(Query *query, const DpStatement *statement);

#endif							/* DP_REWRITE_NOTED_COLUMNS_H */
