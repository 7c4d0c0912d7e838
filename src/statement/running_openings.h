/* SPDX-License-Identifier: PostgreSQL */
/*
 * running_openings.h
 *	  Statements with releases that are running.
 */
#ifndef DP_STATEMENT_RUNNING_OPENINGS_H
#define DP_STATEMENT_RUNNING_OPENINGS_H

#include "postgres.h"

#include "statement/revalidate.h"

/* Enter a statement among those that are running, until its memory is given back. */
extern void dp_statement_note_running(DpOpening *opening);

/* The running statement with releases whose executor state is in this memory, or NULL. */
extern DpOpening *dp_statement_opening_in(MemoryContext context);

#endif							/* DP_STATEMENT_RUNNING_OPENINGS_H */
