/*
 * chain.h
 *	  The hash that chains each row of the ledger to the one before.
 */
#ifndef DP_BUDGET_CHAIN_H
#define DP_BUDGET_CHAIN_H

#include "postgres.h"

/* SHA-256. */
#define DP_CHAIN_BYTES 32

/* Text in the server's encoding. */
typedef struct DpChainText
{
	const char *data;
	int			length;
} DpChainText;

/*
 * Hash of the hash before (zeros for the first row) and of a row's columns,
 * whose types may be bool, int8, float8, float8[], timestamptz, text or jsonb.
 *
 * Depends on what the columns say alone: not on object identifiers, the
 * database's encoding, the machine's byte order or any setting, and so holds
 * wherever the row is dumped and restored.  Two rows that differ in any column
 * differ in what is hashed: every value goes in with its length.
 *
 * A jsonb goes in as text.  If there is one such column whose text is known,
 * as JsonbToCString has it, it need not be made again: `json`, or NULL.
 */
extern void dp_budget_chain_hash(const uint8 *previous, int columns, const Oid *types,
								 const Datum *values, const bool *nulls,
								 const DpChainText *json, uint8 *hash);

#endif							/* DP_BUDGET_CHAIN_H */
