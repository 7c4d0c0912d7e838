/*
 * merged_columns.h
 *	  Columns of a FULL JOIN, and those that are the one of two which is there.
 */
#ifndef DP_FROM_MERGED_COLUMNS_H
#define DP_FROM_MERGED_COLUMNS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Numbers in the range table of the query that a FULL JOIN becomes. */
enum
{
	LEFT_SIDE = 1,
	RIGHT_SIDE,
	FULL_JOIN
};

/* Two columns that ON equates, and the column of both. */
typedef struct DpMerged
{
	Var		   *left;
	Var		   *right;
	int			number;			/* in the select list */
} DpMerged;

/* A column of a side, by its number; NULL if it has been dropped from its table. */
extern Node *dp_query_column_of_side(const RangeTblEntry *rte, Index side, AttrNumber number);

/*
 * Have the query of a FULL JOIN show each two columns that its ON equates as one, the left one or
 * else the right one, of their common type: a list of DpMerged.
 */
extern List *dp_query_show_merged(Query *query, Node *quals);

#endif							/* DP_FROM_MERGED_COLUMNS_H */
