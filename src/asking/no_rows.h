/* SPDX-License-Identifier: PostgreSQL */
/*
 * no_rows.h
 *	  Statements that show no row of what they read: by their text, or because the
 *	  session asks for that in place of an error.
 */
#ifndef DP_ASKING_NO_ROWS_H
#define DP_ASKING_NO_ROWS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * If a statement reads protected rows that the role may not read, but can show none by its
 * text (LIMIT 0, or a condition that is false), one that reads nothing: its columns
 * and their types stay.  With dp_agg.raw_reads = empty, the same if it selects such rows,
 * with a notice; but a page of rows, or their number beside them, would look like an answer: then NULL,
 * and the reason is set.  With empty_pages that is emptied, too.
 */
extern Query *dp_asking_empty_if_unseen(const Query *given, ParamListInfo params, DpReason **reason);

/*
 * Does it depend on the values of parameters what becomes of protected rows which a
 * statement reads and the role may not read?
 */
extern bool dp_asking_needs_values(Query *query);

#endif							/* DP_ASKING_NO_ROWS_H */
