/* SPDX-License-Identifier: PostgreSQL */
/*
 * spelling.h
 *	  What the texts of a question have in common: what is learnt while they are made, and texts
 *	  in an order of their own.
 */
#ifndef DP_KEPT_SPELLING_H
#define DP_KEPT_SPELLING_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"

/* Facts that are learnt on the way. */
typedef struct DpSpelling
{
	bool		whole;			/* could everything be said so far? */
	bool		unsettled;		/* does anything depend on settings? */
	bool		all_entries;	/* are tables read that FROM does not name? */
	List	   *relations;		/* OIDs of those read, without doubles */
} DpSpelling;

/* Texts for columns in a query. */
typedef struct DpLevel
{
	const Query *query;
	int		   *numbers;		/* of items of FROM, by their places in the range table; from 1 */
	int		  **columns;		/* likewise: of an item that is a query, numbers of its columns,
								 * or NULL */
	List	   *equals;			/* sets of columns of which any stands for all: see
								 * equal_columns.h */
} DpLevel;

/*
 * Say that something is not known, which is an error in builds with assertions: nobody may
 * forget it here.
 */
extern void dp_kept_spell_unknown(DpSpelling *spelling, const char *what, int which);

/* Take what a naming function says of its success. */
extern void dp_kept_note(DpSpelling *spelling, bool named);

/* Take what a function's or operator's volatility means. */
extern void dp_kept_note_volatility(DpSpelling *spelling, char volatility);

/* Append a clause's operators: which values are alike, and in which order they come. */
extern void dp_kept_spell_clause(DpSpelling *spelling, StringInfo text, const SortGroupClause *clause);

/* Is it a constant that says nothing among members of an AND, or of an OR? */
extern bool dp_kept_says_nothing(Node *node, BoolExprType kind);

/* Append texts (StringInfo) as a set: in an order of their own, each once. */
extern void dp_kept_spell_set(StringInfo text, List *texts);

/* Is a text before another in that order (negative), after it (positive), or the same? */
extern int	dp_kept_compare_texts(const StringInfoData *left, const StringInfoData *right);

/* Put texts in that order. */
extern void dp_kept_sort_texts(List *texts);

/* An empty text. */
extern StringInfo dp_kept_new_text(void);

/* Append one text to another. */
extern void dp_kept_append_text(StringInfo text, const StringInfoData *other);

#endif							/* DP_KEPT_SPELLING_H */
