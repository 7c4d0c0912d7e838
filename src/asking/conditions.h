/*
 * conditions.h
 *	  Arrays of conditions over the rows of a call's relation.
 */
#ifndef DP_ASKING_CONDITIONS_H
#define DP_ASKING_CONDITIONS_H

#include "postgres.h"

#include "asking/call_text.h"
#include "tree/reason.h"

/* Conditions as given, and as they stand in the text. */
typedef struct DpConditions
{
	int			count;
	Datum	   *given;			/* text */
	const char **condition;
} DpConditions;

/*
 * Read those of an argument, an array of 1 to `most` texts called `plural`, each one condition
 * that makes sense by itself.  Raises what the parser has against one.
 */
extern DpReason *dp_query_call_conditions(DpCall *call, int argument, const char *singular,
										  const char *plural, int most, DpConditions *conditions);

/*
 * Read what is to be foretold, a text that is one condition on a row.  Raises what the parser has against it.
 */
extern DpReason *dp_query_call_foretold(DpCall *call, int argument, const char **condition);

/* An array of the texts as given, whose first element has number 1, in the text. */
extern const char *dp_query_call_given(DpCall *call, const DpConditions *conditions);

#endif							/* DP_ASKING_CONDITIONS_H */
