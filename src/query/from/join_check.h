/*
 * join_check.h
 *	  Which joins protected rows may take part in.
 */
#ifndef DP_QUERY_FROM_JOIN_CHECK_H
#define DP_QUERY_FROM_JOIN_CHECK_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"

#include "query/block/aggregate.h"
#include "query/nodes/reason.h"

/* How the rows of an item find their unit, if not by a column: linked_join.h. */
typedef struct DpForeignKey DpForeignKey;

/* An item of FROM. */
typedef struct DpLeaf
{
	Query	   *query;			/* that has it in its range table */
	Index		varno;
	RangeTblEntry *rte;
	bool		nullable;		/* may an outer join put NULLs in its place? */
	bool		matched;		/* does it only match rows of public tables (listed_keys.h)? */
	bool		is_protected;	/* otherwise a public table */
	DpReason   *obstacle;		/* what speaks against joining that, or NULL */
	DpContribution contribution;	/* of its rows, if protected */
	DpForeignKey *link;			/* if no column holds their unit, or NULL */
} DpLeaf;

/* A condition of WHERE or ON. */
typedef struct DpCondition
{
	Node	   *quals;
	Relids		matched;		/* items whose rows it chooses; NULL: every row of FROM */
	bool		inside;			/* does it only match rows of public tables? */
} DpCondition;

/*
 * Is every row of this join made of rows of one unit, and of at most one row of
 * each item for each row of one of them?  Sets what its rows contribute.
 */
extern DpReason *dp_query_link(List *leaves, List *conditions, int location,
							   DpContribution *contribution);

/*
 * read_from.c: what is joined by INNER JOIN side by side, then what is left-joined to
 * it in turn, whose left sides are set, then the conditions on it all.
 */
extern FromExpr *dp_query_make_from(List *inner, List *outer, Node *quals);

/*
 * join_search.c: mark public tables whose contents the analyst may have chosen, of
 * items joined with these protected tables.
 */
extern void dp_query_mark_untrusted(List *leaves, List *tables);

/*
 * join_search.c: search for the best order of joins below a release: without nested
 * loops, whose work is the product of what they join, and without hash tables of what
 * the analyst may have chosen to be alike.
 */
extern RelOptInfo *dp_query_search_joins(PlannerInfo *root, int levels_needed, List *initial_rels,
										 RelOptInfo *(*search) (PlannerInfo *, int, List *));

/* table_trust.c: is it certain that whoever asks had no hand in what a public table holds? */
extern bool dp_query_is_trusted(Oid relid, List *tables);

#endif							/* DP_QUERY_FROM_JOIN_CHECK_H */
