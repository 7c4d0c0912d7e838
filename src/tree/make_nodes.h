/* SPDX-License-Identifier: PostgreSQL */
/*
 * make_nodes.h
 *	  Building the pieces of query trees the rewriter needs.
 */
#ifndef DP_TREE_MAKE_NODES_H
#define DP_TREE_MAKE_NODES_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* An empty SELECT over the given range table and join tree. */
extern Query *dp_tree_make_select(List *rtable, FromExpr *jointree);

/* Have a query be another one, made for it, that shows its columns by these expressions: of the same statement, at the same place. */
extern void dp_tree_show_by(Query *query, Query *other);

/* A SELECT from one subquery, which keeps leaky conditions above it. */
extern Query *dp_tree_make_select_from(Query *subquery, const char *alias);

/* The same, which may move any condition into it: where all are validated, that tells nothing. */
extern Query *dp_tree_make_open_select_from(Query *subquery, const char *alias);

/* An item of FROM that is such a subquery. */
extern RangeTblEntry *dp_tree_make_open_item(Query *subquery, const char *alias);

/* A join in a range table, which names no column. */
extern RangeTblEntry *dp_tree_make_join_entry(JoinType type);

/* Append an output column; returns a level-0 reference to it from outside. */
extern Var *dp_tree_add_column(Query *query, Node *expr, const char *name);

/*
 * The output column that is this expression, with a sort reference.  If there is none, one of this name is
 * appended, or without a name a hidden one.
 */
extern TargetEntry *dp_tree_sort_target(Query *query, Node *expr, const char *name);

/*
 * A grouping or sorting clause in the type's own ascending order, NULL last,
 * whatever order the statement asks for.
 */
extern SortGroupClause *dp_tree_make_clause(Oid type, Index ref);

/* Append a grouping column over expr; returns a reference to it from outside. */
extern Var *dp_tree_add_group(Query *query, Node *expr, const char *name, bool junk);

/* A call of a function of schema dp_agg_internal, resolved by its declared types. */
extern FuncExpr *dp_tree_make_call(const char *name, const Oid *types, int ntypes,
								   List *args, Oid result);

/* An aggregate of schema dp_agg_internal over args. */
extern Aggref *dp_tree_make_aggregate(const char *name, List *args, Oid result);

/* One whose arguments from the n-th on, from 0, are of any types. */
extern Aggref *dp_tree_make_variadic_aggregate(const char *name, List *args, int n, Oid result);

/* An aggregate of schema dp_agg_internal over the values of units, of any types, returning bytea. */
extern Aggref *dp_tree_make_unit_aggregate(const char *name, Node *unit, Node *value, Const *spec);

/* A built-in aggregate: count(*) if arg is NULL, else count(arg). */
extern Aggref *dp_tree_make_count(Node *arg);

/* array_agg(arg), of a type that has arrays */
extern Aggref *dp_tree_make_array_agg(Node *arg);

/* unnest(values), as a function in FROM */
extern RangeTblFunction *dp_tree_make_unnest(Node *values);

extern Const *dp_tree_make_bytea(const void *data, Size size);
extern Const *dp_tree_make_int4(int32 value);
extern Const *dp_tree_make_int8(int64 value);
extern Const *dp_tree_make_float8(double value);

/* `expr IS NOT NULL` */
extern Node *dp_tree_make_not_null(Node *expr);

/*
 * Have a query that has grouped read what another reads, and filter its rows by what was
 * HAVING.
 */
extern void dp_tree_read_grouped(Query *query, const Query *from);

/*
 * Append to a query's range table, not to its FROM, every relation that another reads at any
 * depth: so PostgreSQL checks the rights that reading them needs.
 */
extern void dp_tree_keep_rights(Query *query, Query *other);

/* CASE WHEN condition THEN value END */
extern Node *dp_tree_make_if(Node *condition, Node *value);

/*
 * What is joined by INNER JOIN side by side, then what is left-joined to
 * it in turn, whose left sides are set, then the conditions on it all.
 */
extern FromExpr *dp_tree_make_from(List *inner, List *outer, Node *quals);

/*
 * Have subqueries that were merged away at any level be empty ones, as anybody who walks a query
 * expects: PostgreSQL leaves nothing in their entries.
 */
extern void dp_tree_make_walkable(Query *query);

/*
 * By which equality values of a type are equal.
 */

/* The btree family that a type is ordered by; InvalidOid if it has none. */
extern Oid	dp_tree_default_family(Oid type);

/*
 * An expression without casts that change neither its bits nor what its values equal.  One to another
 * name of a type may: 'a' and 'a ' differ as text, and are equal as character.
 */
extern Node *dp_tree_without_casts(Node *expr);

/*
 * Walking finished plans.
 */

/* The plans a node reads, in their order; subqueries apart. */
extern List *dp_tree_plans_below(Plan *plan);

/*
 * Have every loop in a finished plan read its inner side once, however many rows it has
 * outside.
 */
extern void dp_tree_read_once(Plan *plan);

#endif							/* DP_TREE_MAKE_NODES_H */
