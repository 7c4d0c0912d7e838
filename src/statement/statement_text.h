/* SPDX-License-Identifier: PostgreSQL */
/*
 * statement_text.h
 *	  The text of a running statement, for the ledger.
 */
#ifndef DP_STATEMENT_STATEMENT_TEXT_H
#define DP_STATEMENT_STATEMENT_TEXT_H

#include "postgres.h"

#include "nodes/execnodes.h"

/* A part of a source text: from a place on, or from its start if that is -1, so many bytes, or the rest if that is 0. */
typedef struct DpSourcePart
{
	const char *source;
	int			location;
	int			length;
} DpSourcePart;

/*
 * Note which part of a text the utility statement is that runs now, or with NULL for its
 * source that none does.  Returns what was noted before.
 */
extern DpSourcePart dp_statement_note_utility(DpSourcePart now);

/*
 * Which part of its source a started statement is: where a utility statement runs it, such
 * as EXPLAIN or DECLARE CURSOR, that.
 */
extern DpSourcePart dp_statement_statement_part(const EState *estate);

/* The text of a part, cut between characters, or NULL if the ledger is to have none. */
extern text *dp_statement_statement_text(const DpSourcePart *part);

#endif							/* DP_STATEMENT_STATEMENT_TEXT_H */
