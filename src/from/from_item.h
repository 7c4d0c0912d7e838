/* SPDX-License-Identifier: PostgreSQL */
/*
 * from_item.h
 *	  Items of FROM and conditions on them, as they are read.
 */
#ifndef DP_FROM_FROM_ITEM_H
#define DP_FROM_FROM_ITEM_H

#include "postgres.h"

#include "from/contribution.h"
#include "policy/foreign_key.h"
#include "tree/statement.h"

/* An item of FROM. */
typedef struct DpFromItem
{
	DpStatement *statement;		/* that reads it */
	Query	   *query;			/* that has it in its range table */
	Index		varno;
	RangeTblEntry *rte;
	bool		nullable;		/* may an outer join put NULLs in its place? */
	bool		matched;		/* does it only match rows of public tables (listed_keys.h)? */
	bool		is_protected;	/* otherwise a public table */
	List	   *told_apart;		/* of int: columns seen to tell a public item's rows apart */
	DpReason   *obstacle;		/* reason why that cannot be joined, or NULL */
	DpContribution contribution;	/* of its rows, if protected */
	DpForeignKey *link;			/* if no column holds their unit, or NULL */
} DpFromItem;

/* A condition of WHERE or ON. */
typedef struct DpCondition
{
	Node	   *quals;
	Relids		matched;		/* items whose rows it chooses; NULL: every row of FROM */
	bool		inside;			/* does it only match rows of public tables? */
} DpCondition;

#endif							/* DP_FROM_FROM_ITEM_H */
