/* SPDX-License-Identifier: PostgreSQL */
/*
 * candidates.h
 *	  Lists of categories: their places are public group keys.
 */
#ifndef DP_ASKING_CANDIDATES_H
#define DP_ASKING_CANDIDATES_H

#include "postgres.h"

#include "asking/call_text.h"
#include "tree/statement.h"

/*
 * The constant array of candidates in value[2] for the column
 * that value[1] names: `keys`, distinct and of the column's type, to look for,
 * and `shown`, as they were given; both as they stand in the text.
 */
extern DpReason *dp_asking_candidates(DpCall *call, int *count, const char **keys,
									  const char **shown);

/*
 * Such a call with its first argument validated and these constants for
 * the others; NULL if there is a reason already, which is given the call's place, or
 * one against that argument.
 */
extern Node *dp_asking_key_call(Query *block, FuncExpr *call, List *constants, const DpStatement *statement,
								DpReason **reason);

/* dp_asking_public_key for a call that is known to be of a place. */
extern Node *dp_asking_candidate_key(Query *block, FuncExpr *call, const DpStatement *statement,
									 int *domain, DpReason **reason);

#endif							/* DP_ASKING_CANDIDATES_H */
