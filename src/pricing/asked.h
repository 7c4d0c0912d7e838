/* SPDX-License-Identifier: PostgreSQL */
/*
 * asked.h
 *	  What a block asks, in words, for the ledger.
 */
#ifndef DP_PRICING_ASKED_H
#define DP_PRICING_ASKED_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"

#include "pricing/release.h"
#include "tree/public_params.h"
#include "tree/statement.h"

/*
 * The question of a block, as it was flattened: the call it was made of, relations,
 * keys and conditions, in the analyst's words.  A List that can be copied.  The block
 * was found to be allowed: nothing in it runs code that is not built in.
 */
extern List *dp_pricing_asked(Query *block, const DpStatement *statement);

/*
 * The same as one text: a call, or a query of the block's aggregates as far as they are
 * named.
 */
extern char *dp_pricing_asked_text(const List *asked, const DpBlock *block);

/* Append that as members of a JSON object, each with a comma behind it. */
extern void dp_pricing_append_asked(StringInfo json, const List *asked);

/*
 * Expressions as the analyst wrote them.
 */

/*
 * An expression of a block as the analyst wrote it, for people to read: as a select list
 * without FROM, in one line.  Columns bear their table's name where there are several.
 */
extern char *dp_pricing_text(const DpPublicReads *reads, Query *block, Node *expression);

/*
 * Set a label to the aggregate as the analyst wrote it, cut if it is long.
 */
extern void dp_pricing_set_label(const DpStatement *statement, Query *block, Aggref *aggref, char *label);

#endif							/* DP_PRICING_ASKED_H */
