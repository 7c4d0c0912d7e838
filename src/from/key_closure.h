/* SPDX-License-Identifier: PostgreSQL */
/*
 * key_closure.h
 *	  Which columns determine the unit of a query's rows, and whether two items' rows are of one unit, by the
 *	  keys of records.
 *
 * The rule: a unique key of a protected table determines the unit of its row.  Columns of other tables determine it
 * that refer to the key by an enforced foreign key which proves the unit to be the same (policy/record_key.h).
 * Equalities that hold for every row of a query pass this on, from column to column and through subqueries.
 *
 * GROUP BY, DISTINCT, PARTITION BY, IN, EXISTS and JOIN ask here.  The unit itself is then added to what was asked
 * about, as a key or as an equality.  So no guarantee rests on the answer: rows that contradict the keys are
 * of a group of their own, or not joined.  Where keys hold, that changes nothing.
 */
#ifndef DP_FROM_KEY_CLOSURE_H
#define DP_FROM_KEY_CLOSURE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "from/from_item.h"

/*
 * Do these expressions of a query name a record, and so the unit of its rows: are they, or do they equal, all columns
 * of a record's key that cannot be NULL?  `levels` are the query and those around it, innermost first, whose WITH
 * queries it may name; the query may be as it was parsed.
 */
extern bool dp_from_names_record(Query *query, List *levels, List *exprs);

/* Do the rows of two items of FROM that are joined belong to one unit, since they have or refer to one record? */
extern bool dp_from_is_same_record(const DpFromItem *leaf, const DpFromItem *other, List *equalities);

/* Is an expression of a query a column that is not NULL in any of its rows?  Where in doubt, no. */
extern bool dp_from_is_never_null(Query *query, List *levels, Node *expr);

/* The query of an item of FROM, with the levels around what it names; NULL if it is none. */
extern Query *dp_from_subquery_of(RangeTblEntry *rte, List *levels, List **inner_levels);

#endif							/* DP_FROM_KEY_CLOSURE_H */
