/* SPDX-License-Identifier: PostgreSQL */
/*
 * join_equality.h
 *	  Equalities in the conditions of a join, and what they say of its items.
 */
#ifndef DP_FROM_JOIN_EQUALITY_H
#define DP_FROM_JOIN_EQUALITY_H

#include "postgres.h"

#include "from/from_item.h"

/* The equalities that conditions hold at the top level of AND. */
extern List *dp_from_equalities(List *conditions);

/* Is a column of an item, of this type, joined by its equality with that column? */
extern bool dp_from_is_equated(const DpFromItem *leaf, AttrNumber column, Oid type, Index varno,
							   AttrNumber varattno, List *equalities);

/* Is this column of an item equal to that of another, in every row of their join? */
extern bool dp_from_is_matched(const DpFromItem *leaf, AttrNumber column, const DpFromItem *other,
							   AttrNumber others_column, List *equalities);

/* Is a column equal, as a family has it, to something known from the items joined before? */
extern bool dp_from_is_bound(const DpFromItem *leaf, AttrNumber column, Oid family,
							 List *equalities, Relids joined);

/* All columns of an item that are so bound, by the default family of their types, as integers. */
extern List *dp_from_bound_columns(const DpFromItem *leaf, List *equalities, Relids joined);

/* The same and those that are equal or else NULL as that is (IS NOT DISTINCT FROM). */
extern List *dp_from_columns_bound_or_null(const DpFromItem *leaf, List *equalities, Relids joined);

/* Does some equality tie columns of two items?  Sets its location, if that is known. */
extern bool dp_from_find_tie(const DpFromItem *leaf, const DpFromItem *other, List *equalities, int *location);

/* A column, and all columns that equal it, directly or not, in every row: by the default family of its type. */
extern List *dp_from_columns_equal_to(Var *column, List *equalities);

/*
 * The same equalities, for an item that outer joins may replace by NULLs and the rows where they
 * do not: what ON says of it holds for them.
 */
extern List *dp_from_equalities_with(List *equalities, const DpFromItem *nullable);

#endif							/* DP_FROM_JOIN_EQUALITY_H */
