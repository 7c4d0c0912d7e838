/* SPDX-License-Identifier: PostgreSQL */
/*
 * contribution.h
 *	  What a block reads, and what one unit may contribute to it: the bounds that its
 *	  policy and the session's settings give.
 */
#ifndef DP_FROM_CONTRIBUTION_H
#define DP_FROM_CONTRIBUTION_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "base/settings.h"
#include "policy/policy.h"

/* A protected table that a block reads, at any depth of FROM. */
typedef struct DpTable
{
	Query	   *query;			/* that has it in its range table */
	RangeTblEntry *rte;
	Oid			owner;
	AttrNumber	unit;			/* column that identifies the privacy unit */
	bool		lowers;			/* in lower case (lowered_unit.h)? */
} DpTable;

/* An item of FROM that can have several rows for one of what it is joined with. */
typedef struct DpFanOut
{
	Query	   *query;			/* that has it in its range table */
	Index		varno;
	bool		is_protected;
	List	   *columns;		/* of int: those that say which of its rows meet the same row.  If
								 * it is protected, rows alike in them are of one unit */
	int			ncompared;		/* the first of these are joined by equality */
	Oid			table;			/* that it is, or InvalidOid */
	const char *splits;			/* what the rows of the query are split into (split_rows.h), or
								 * NULL: then the rest is not set */
} DpFanOut;

/* Tables that a block reads, and how much one unit may contribute to it. */
typedef struct DpContribution
{
	const DpPricing *pricing;	/* settings of its statement's price */
	DpPolicy	policy;			/* of the table whose rows are counted */
	List	   *tables;			/* of DpTable */
	List	   *grouped;		/* of Query: subqueries grouped by unit */
	List	   *fan_outs;		/* of DpFanOut */
	List	   *units;			/* of Var: columns that hold a row's unit, alike */
	bool		unit_not_null;	/* is the first of them never null? */
	bool		row_is_unit;	/* no two rows share a unit */
	bool		few_share;		/* hardly any do, which nothing but time depends on */
	FromExpr   *listing;		/* public tables that list keys, or NULL; see listed_keys.h */
	Relids		listed;			/* and their numbers in the range table */
	bool		foreign;		/* are there partitions on other servers? */
	int			max_rows;		/* per group */
	int			max_values;		/* likewise, of those of which distinct ones count */
	int			most_rows;		/* per group, at the greatest clamp of those to choose from; 0:
								 * none is chosen */
	int			max_groups;		/* 1 if ungrouped or row_is_unit; no more than are answered */
	bool		cut;			/* may a join make more rows of a unit than count? */
} DpContribution;

#define DP_FROM_HINT \
	"Select from one protected table, or a subquery or view that filters, renames or groups its rows by the privacy unit."

/*
 * Settle how much of a unit counts, in a block with groups or without.  `answered`: how many groups are answered,
 * whatever rows there are, if statement and policy alone say that; else 0.
 */
extern void dp_from_set_bounds(DpContribution *contribution, bool grouped, int answered);

/*
 * A sentence, and a space, on the unique keys without which tables among these items (of DpFanOut) multiply rows: of
 * the columns that they are joined by; "" if there are none.
 */
extern char *dp_from_missing_keys(List *fan_outs);

/* How many rows may a join make of one row of the table whose rows are counted? */
extern int	dp_from_max_join_rows(const DpContribution *contribution);

/* How many may each of so many items make, that all make no more than those? */
extern int	dp_from_share_of_join_rows(const DpContribution *contribution, int number);

/* Is this expression a column that holds the unit, whose values are equal where units are? */
extern bool dp_from_is_unit(Node *expr, const DpContribution *contribution);

#endif							/* DP_FROM_CONTRIBUTION_H */
