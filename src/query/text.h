/*
 * text.h
 *	  Queries and conditions given or generated as text.
 */
#ifndef DP_QUERY_TEXT_H
#define DP_QUERY_TEXT_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

/*
 * Is a text one condition and no more?  Only then may it stand between the
 * parentheses of a generated text.  A text that is no SQL at all is an error,
 * with its place in the SELECT it was tried in.
 */
extern bool dp_query_is_condition_text(const char *text);

/*
 * Parse and analyse a generated query.  Errors have their place in that text; the
 * tree has none.
 */
extern Query *dp_query_analyse_text(char *text);

/* A value as text that means the same under every setting. */
extern char *dp_query_value_text(Datum value, Oid type);

/* A constant as SQL text, likewise. */
extern char *dp_query_constant_text(const Const *constant);

#endif							/* DP_QUERY_TEXT_H */
