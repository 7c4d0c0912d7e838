/* SPDX-License-Identifier: PostgreSQL */
/*
 * select_right.h
 *	  Protected rows that a level of a statement would read as they are, and whether the
 *	  role in effect has the right to.
 */
#ifndef DP_ASKING_SELECT_RIGHT_H
#define DP_ASKING_SELECT_RIGHT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* The protected rows that reach a level through its FROM, not counting what blocks release. */
typedef struct DpRawRows
{
	RangeTblEntry *denied;		/* a table or view that the role may not read, or NULL */
	RangeTblEntry *readable;	/* a protected table that it may read, or NULL */
	Oid			relid;			/* of a protected table whose rows are denied */
	List	   *seen;			/* of Query: WITH queries that have been looked at */
	List	   *seen_in_view;	/* or have been inside of a view that is denied */
} DpRawRows;

/*
 * Look at the FROM of a level, through views and subqueries as PostgreSQL does.
 * `levels` are this level and those around it, innermost first.
 */
extern void dp_asking_find_raw_rows(Query *query, List *levels, DpRawRows *rows);

/*
 * Visit every level of a statement, outer ones first, with that level and those around it,
 * innermost first; but not WITH queries that nothing refers to, if so asked.  A visit that
 * returns true is the last; returns whether there was one.
 */
typedef bool (*DpVisitLevel) (Query *query, List *levels, void *context);
extern bool dp_asking_visit_levels(Query *query, bool skip_unused, DpVisitLevel visit, void *context);

/* Has the role that an entry of a query's range table is read as the right to what is read of it? */
extern bool dp_asking_may_select(Query *query, RangeTblEntry *rte);

/* Is this the entry of a protected table? */
extern bool dp_asking_is_protected_item(const RangeTblEntry *rte);

/*
 * Is this the entry of a view that the role may not read?  Since 16 that is the one which holds the view's
 * query; before, it is one in that query, the entry that the second returns, or NULL.
 */
extern bool dp_asking_is_denied_view(Query *query, RangeTblEntry *rte);
extern RangeTblEntry *dp_asking_denied_view_of(Query *query);

/* Does this level aggregate, group or take what is distinct of its rows? */
extern bool dp_asking_aggregates_rows(const Query *query);

/* Is an expression of a level the column that identifies the unit of a protected table, whatever it is called? */
extern bool dp_asking_is_unit(Query *query, List *levels, Node *expr);

/* Does it group by a column that identifies the unit of a protected table, or by the key of a record? */
extern bool dp_asking_groups_by_unit(Query *query, List *levels);

#endif							/* DP_ASKING_SELECT_RIGHT_H */
