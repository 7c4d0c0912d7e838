/* SPDX-License-Identifier: PostgreSQL */
/*
 * block_rewrite.h
 *	  A statement and its blocks while they are rewritten.
 */
#ifndef DP_PRICING_BLOCK_REWRITE_H
#define DP_PRICING_BLOCK_REWRITE_H

#include "postgres.h"

#include "from/contribution.h"
#include "pricing/release.h"
#include "tree/node_map.h"
#include "tree/statement.h"

/* A validated block, rewritten. */
typedef struct DpRewrittenBlock
{
	DpBlock    *block;
	Query	   *exact;			/* that computes its exact totals */
	Query	   *keys;			/* that lists its public keys, or NULL */
	List	   *checks;			/* of Query: of public tables, none of which may have a row */
	List	   *join;			/* names of items that multiply rows; how many each makes of one,
								 * if that was lowered, or 0; how many all make; the most that
								 * they could; what helps, in words; or NIL */
	List	   *unknown_keys;	/* what is said of constants that are no keys
								 * (rewrite/unknown_keys.h) */
	List	   *enums;			/* that these know, as OIDs */
	double		rows;			/* planned for the release */
	List	   *asked;			/* what it asks, in words: see asked.h */
	List	   *cells;			/* what its groups are made of (cells.h), or NIL */
	int			location;		/* where it stands in the statement, or -1 */
	int			reads;			/* number of the public values that must be known to draw it */
	List	   *shown;			/* see rewrite/shown_values.h */
} DpRewrittenBlock;

/* A block being rewritten. */
typedef struct DpBlockRewrite
{
	Query	   *query;			/* the block */
	Query	   *given;			/* as it stands in the statement */
	DpStatement *statement;
	int			own_entries;	/* of its range table, before views were merged */
	DpContribution contribution;
	Query	   *flat;			/* the block as it was flattened, before it is validated */
	List	   *keys;			/* grouping expressions as written */
	List	   *key_exprs;		/* the same, validated */
	List	   *plain_keys;		/* the same before they became one number, if so */
	List	   *measures;		/* of DpMeasure: those that are released */
	List	   *asked;			/* likewise, and those that others answer, */
	DpNodeMap  *measured;		/* and the numbers of these, by what each is made of */
	int			domain;			/* public key domain 1 .. domain, or 0 */
	bool		listed;			/* are the keys those that public tables list? */
	List	   *replaced;		/* keys that were put in place of columns (referenced_keys.h) */
	List	   *key_values;		/* of Const: an array of each key's values, if public, from 1 on */
	List	   *keys_complete;	/* integers: can there be no others of each? */
	bool		skips_rows;		/* can rows have none of these? */
	bool		added_up;		/* does a level around aggregate its groups? */
	DpBlock    *block;
	List	   *key_vars;		/* Var for each key in the outer query, */
	List	   *column_vars;	/* and for each column of the block */
} DpBlockRewrite;

#endif							/* DP_PRICING_BLOCK_REWRITE_H */
