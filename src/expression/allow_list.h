/* SPDX-License-Identifier: PostgreSQL */
/*
 * allow_list.h
 *	  The allow-list: which built-in functions, types and collations an
 *	  expression over protected rows may use.
 *
 * Built-in means pinned: made by initdb, the same in every database, beyond
 * anyone's reach but a superuser's.
 */
#ifndef DP_EXPRESSION_ALLOW_LIST_H
#define DP_EXPRESSION_ALLOW_LIST_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* Matching a LIKE pattern recurses once per wildcard. */
#define DP_MAX_LIKE_WILDCARDS 64

/* Longest constant, in bytes with header, that guides a function with a subject. */
#define DP_MAX_GUIDE_SIZE 1024

/* Longest pattern that is not constant, with its header. */
#define DP_MAX_PATTERN_SIZE 256

/*
 * Upper limit for computed values, in bytes with header; values of columns may be
 * longer.  As many as a row has columns fit into 1 GB, so building a tuple never fails
 * because of one row.  Such an error would reveal the row.
 */
#define DP_MAX_VALUE_SIZE (512 * 1024)

/* Longest numeric as an argument of a function that is tried, likewise: some 500 digits. */
#define DP_MAX_NUMERIC_SIZE 256

/* Longest text that is read as a number, date or time. */
#define DP_MAX_INPUT_SIZE 256

typedef enum DpTotality
{
	DP_REFUSED,					/* not on the list */
	DP_TOTAL,					/* answers for every value, says nothing else */
	DP_PARTIAL					/* the same, but for errors of class 22 or 0A000 */
} DpTotality;

/* Cost of a call beyond that of every call; function_cost.c has the numbers. */
typedef enum DpCostClass
{
	DP_COST_BYTES,				/* copies, hashes or compares bytes, once or twice */
	DP_COST_HEADER,				/* looks at no more than a value's size */
	DP_COST_EQUALITY,			/* compares bytes, if sizes are equal */
	DP_COST_ORDER,				/* compares text under a collation */
	DP_COST_CHARACTERS,			/* walks over characters */
	DP_COST_FOLD,				/* folds case under a collation */
	DP_COST_WORDS,				/* the same, of words: initcap */
	DP_COST_LIKE,				/* for each character of the subject, a part of the pattern */
	DP_COST_MATCH,				/* for each character of the subject, 64 of the pattern at once */
	DP_COST_MATCH_FOLDED,		/* the same, of folded ones */
	DP_COST_POSITION,			/* the same, and walks over characters */
	DP_COST_SEARCH,				/* for each character of the subject, all of the guide */
	DP_COST_TRIM,				/* likewise, character by character */
	DP_COST_DIGITS,				/* each digit of one number with each of another */
	DP_COST_QUOTIENT,			/* each digit of a quotient with each of a divisor */
	DP_COST_ROOT,				/* numeric series of as many terms as digits */
	DP_COST_LOGARITHM,
	DP_COST_TEXT_OF_NUMBER,
	DP_COST_FORMAT,				/* each letter of a format */
	DP_COST_TEXT_OF_JSON,
	DP_COST_REPLACE,			/* as a search, and what stands in place of what is found */
	DP_COST_TRANSLATE,			/* for each character of the subject, all of a list */
	DP_COST_PAD,				/* characters up to a length */
	DP_COST_CONTAINS,			/* each part of one document with each of another */
	DP_COST_DIGEST,
	DP_COST_REGULAR,			/* for each character, states of an expression times their arcs */
	DP_COST_REGULAR_FOLDED,		/* the same, with as many letters again */
	DP_COST_JOIN,				/* copies one behind the other */
	DP_COST_FROM_TEXT,			/* an input function: reads a short text */
	DP_COST_ELEMENTS,			/* each element of one array with one of another */
	DP_COST_PAIRS,				/* each element of one array with each of another */
	DP_COST_RANGES,				/* each bound of ranges with some of others */
	DP_COST_BOUND				/* copies one bound of a range */
} DpCostClass;

typedef struct DpVerdict
{
	DpTotality	totality;
	int8		subject;		/* the one argument that may vary, or -1: all may */
	bool		is_like;		/* total for sound patterns only, see below */
	bool		of_containers;	/* may have arguments that refusals.h admits */
	bool		counts;			/* integers beside the subject may vary, too */
	DpCostClass cost;
} DpVerdict;

/* An entry of the list for a function. */
extern DpVerdict dp_expression_verdict(Oid function);

/*
 * The same for a call on these arguments: LIKE, ILIKE and position() may have a pattern that is not
 * constant, where text is matched byte by byte.  They are tried then (match.h).
 */
extern DpVerdict dp_expression_verdict_of_call(Oid function, List *args);

/* Is text in the database encoding matched byte by byte? */
extern bool dp_expression_matches_bytes(void);

/*
 * Can a LIKE pattern be matched with every text?  Not if it ends in an escape,
 * nor if it has so many wildcards that matching could run out of stack.
 */
extern bool dp_expression_like_is_sound(text *pattern);

/* Is it a built-in base type other than an array, or an enum? */
extern bool dp_expression_type_is_allowed(Oid type);

/* Is it none, or a built-in and deterministic one? */
extern bool dp_expression_collation_is_allowed(Oid collation);

/*
 * Is it an allowed type whose default equality, order and hash are total: one
 * that rows can be grouped by, and sorted?
 */
extern bool dp_expression_type_is_groupable(Oid type);

#endif							/* DP_EXPRESSION_ALLOW_LIST_H */
