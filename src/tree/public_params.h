/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_params.h
 *	  Values that a block takes from rows and code that are not protected.
 *
 * What reads no protected row, and no column of a protected row's, is read by queries
 * of its own (public_items.h, public_expressions.h), and stands in the block as a
 * parameter.  Rows that another block of the statement releases are public, too: that block is
 * drawn first, and then the query that reads it is run (opening.c).  Such parameters have numbers below zero, which no statement's own have.
 * A value is not known when the statement is planned.  When it is opened (opening.c) the
 * queries are run, the statement is validated once more with what they say, and the values
 * are put in place of the parameters before the exact query is planned.
 *
 * What a block releases, and its price, never depend on a value: a parameter is unknown to
 * all that measures.  Only checks look at values, once these are known.
 */
#ifndef DP_TREE_PUBLIC_PARAMS_H
#define DP_TREE_PUBLIC_PARAMS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* A block that has been rewritten, as it stood in the statement. */
typedef struct DpReleasedBlock
{
	Query	   *given;
	bool		of_groups;		/* has it a row for each value of its keys, or one if it has none? */
} DpReleasedBlock;

/* The public queries of a statement that is being rewritten. */
typedef struct DpPublicReads
{
	List	   *queries;		/* of Query: each returns one row or none */
	List	   *values;			/* of Const, in the order of all their columns; NULL or missing:
								 * not yet read */
	int			count;			/* of their columns */
	List	   *released;		/* of DpReleasedBlock, by the number of the release */
} DpPublicReads;

/*
 * Enter a query; returns the parameter for its first column, behind which those of the
 * others have the numbers that follow, downwards.  A query that is there already is not
 * entered again, unless it is volatile and stands elsewhere: `location`.
 */
extern Param *dp_tree_add_public_query(DpPublicReads *reads, Query *query, int location);

/* The parameter for column `column`, from 0, of a query whose first column this one is for. */
extern Param *dp_tree_public_column(const Param *first, const Query *query, int column);

extern bool dp_tree_is_public_param(const Node *node);

/* The value of such a parameter, or NULL if it is not known yet; `reads` may be NULL. */
extern Const *dp_tree_public_value(const DpPublicReads *reads, const Param *param);

/* A list of expressions with those that are parameters whose values are known replaced. */
extern List *dp_tree_known_values(const DpPublicReads *reads, List *expressions);

/*
 * A copy of a node with such parameters replaced by their values, as far as these are known, which last as
 * long as the list that they were read into.
 */
extern Node *dp_tree_put_values(const DpPublicReads *reads, Node *node);

/* Is there a public parameter in a query, at any depth? */
extern bool dp_tree_mentions_public(const Query *query);

/* The places, from 0, of the values that a query mentions, at any depth. */
extern Bitmapset *dp_tree_values_mentioned(const Query *query);

/* Numbers of the releases that a query reads, at any depth. */
extern Bitmapset *dp_tree_releases_read(const Query *query);

/* The block whose release a query reads, and nothing else: what has become of that block; or NULL. */
extern const DpReleasedBlock *dp_tree_released_block(const DpPublicReads *reads, const Query *query);

/* A copy of an expression with such parameters, and releases, replaced by what they stand for. */
extern Node *dp_tree_show_public(const DpPublicReads *reads, Node *expr);

/*
 * A copy of an expression with such parameters replaced by what they are read from, to be read once more; NULL if
 * there are none.
 */
extern Node *dp_tree_read_again(const DpPublicReads *reads, Node *expr);

/* The query of one item that the values of a column of an item of FROM are read by; NULL if they are known otherwise. */
extern Query *dp_tree_public_item_query(const DpPublicReads *reads, const RangeTblEntry *rte);

/* The subquery, WITH query or function that an item of FROM stands for, as a text; or NULL. */
extern char *dp_tree_public_item_text(const DpPublicReads *reads, const RangeTblEntry *rte);

#endif							/* DP_TREE_PUBLIC_PARAMS_H */
