/* SPDX-License-Identifier: PostgreSQL */
/*
 * statement.h
 *	  A statement with blocks while it is rewritten: all that this depends on but the statement's
 *	  tree and the catalogs.
 */
#ifndef DP_TREE_STATEMENT_H
#define DP_TREE_STATEMENT_H

#include "postgres.h"

#include "nodes/params.h"

#include "base/settings.h"
#include "tree/public_params.h"

typedef struct DpStatement
{
	/* What it is rewritten by. */
	ParamListInfo params;		/* bound values, or NULL */
	const char *source;			/* its text, or NULL */
	DpPricing	pricing;		/* settings of its price */
	const char *call;			/* of the function of ours that asks it, as text, or NULL */
	int			location;		/* where it first calls a function of ours, or -1 */

	/*
	 * Results, of which reads.values and new_keys are given when it is rewritten again.
	 */
	List	   *blocks;			/* of DpRewrittenBlock */
	DpPublicReads reads;		/* what its blocks take from public rows and code */
	List	   *new_keys;		/* of Oid: keys that were too new to be sure of (unique.h) */
} DpStatement;

#endif							/* DP_TREE_STATEMENT_H */
