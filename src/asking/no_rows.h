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
 * and their types stay.
 */
extern Query *dp_asking_empty_if_unseen(const Query *given, ParamListInfo params);

/*
 * With dp_agg.raw_reads = empty, a statement that selects protected rows which the role may not read is emptied in
 * place, with a notice.  But a page of rows, or their number beside them, would look like an answer: that is
 * the reason returned, and nothing is changed.  With empty_pages that is emptied, too.
 */
extern DpReason *dp_asking_empty_raw_read(Query *query);

/*
 * Does it depend on the values of parameters what becomes of protected rows which a
 * statement reads and the role may not read?
 */
extern bool dp_asking_needs_values(Query *query);

#endif							/* DP_ASKING_NO_ROWS_H */
