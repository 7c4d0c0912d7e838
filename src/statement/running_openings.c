/* SPDX-License-Identifier: PostgreSQL */
/*
 * running_openings.c
 *	  Statements with releases that are running.
 */
#include "postgres.h"

#include "statement/running_openings.h"

/* Statements with releases that are running, the latest first. */
static DpOpening *running = NULL;

/* Forget a statement that ends. */
static void
forget_running(void *opening)
{
	DpOpening **place = &running;

	while (*place && *place != opening)
		place = &(*place)->next;
	if (*place)
		*place = (*place)->next;
}

void
dp_statement_note_running(DpOpening *opening)
{
	opening->next = running;
	running = opening;
	opening->end.func = forget_running;
	opening->end.arg = opening;
	MemoryContextRegisterResetCallback(opening->estate->es_query_cxt, &opening->end);
}

DpOpening *
dp_statement_opening_in(MemoryContext context)
{
	DpOpening  *opening = running;

	while (opening && opening->estate->es_query_cxt != context)
		opening = opening->next;
	return opening;
}
