/* SPDX-License-Identifier: PostgreSQL */
/*
 * block_json.h
 *	  Blocks as JSON, for the ledger: what they ask, and what they release.
 */
#ifndef DP_PRICING_BLOCK_JSON_H
#define DP_PRICING_BLOCK_JSON_H

#include "postgres.h"

#include "budget/kept/kept_table.h"
#include "pricing/release.h"

/* A block with what it asks. */
typedef struct DpDescribedBlock
{
	const DpBlock *block;
	const List *asked;			/* in words: see asked.h */
	const uint8 *question;		/* digest of what it asks, or NULL */
	bool		reads_released; /* is that known only once other blocks of the statement are
								 * drawn? */
} DpDescribedBlock;

/*
 * The blocks of a statement as a JSON array; its form is that which budget/rows/ledger_cost.c
 * reads.  A release that a block makes several times stands there once, with its number of
 * "times".
 */
extern Jsonb *dp_pricing_blocks_json(const DpDescribedBlock *blocks, int count);

#endif							/* DP_PRICING_BLOCK_JSON_H */
