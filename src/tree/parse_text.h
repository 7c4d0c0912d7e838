/* SPDX-License-Identifier: PostgreSQL */
/*
 * parse_text.h
 *	  Queries and conditions given or generated as text.
 */
#ifndef DP_TREE_PARSE_TEXT_H
#define DP_TREE_PARSE_TEXT_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "utils/array.h"

/*
 * Is a text one condition and no more?  Otherwise it may not stand between the
 * parentheses after WHERE.  A text that is no SQL at all is an error, with its place in
 * the SELECT it was tried in.
 */
extern bool dp_tree_is_condition_text(const char *text);

/*
 * Parse and analyse a generated query, whose $1 .. $ntypes are of these types.
 * Errors have their place in that text.
 */
extern Query *dp_tree_analyse_text(char *text, const Oid *types, int ntypes);

/* Apply rules to such a query, views among them, and forget locations in its text. */
extern Query *dp_tree_finish_text(Query *query);

/* A value as text that means the same under every setting. */
extern char *dp_tree_value_text(Datum value, Oid type);

/* A value of a type from its text; what the type's input refuses is an error. */
extern Datum dp_tree_value_of_text(Oid type, const char *text);

/* An array's elements as values of another type, by their text, numbered from 1. */
extern ArrayType *dp_tree_convert_array(ArrayType *array, Oid type);

#endif							/* DP_TREE_PARSE_TEXT_H */
