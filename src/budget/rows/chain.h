/* SPDX-License-Identifier: PostgreSQL */
/*
 * chain.h
 *	  The hash that chains each row of the ledger to the one before.
 */
#ifndef DP_BUDGET_ROWS_CHAIN_H
#define DP_BUDGET_ROWS_CHAIN_H

#include "postgres.h"

#include "utils/jsonb.h"

/* SHA-256. */
#define DP_CHAIN_BYTES 32

/* Look the hash up in the server's first process, which those of all sessions come of: it takes longer than a statement's hashes. */
extern void dp_budget_chain_init(void);

/* Hash bytes, to DP_CHAIN_BYTES. */
extern void dp_budget_chain_sha256(const StringInfoData *bytes, uint8 *hash);

/*
 * Hash of the hash before (zeros for the first row) and of a row's columns,
 * whose types may be bool, int8, float8, float8[], timestamptz, text or jsonb.
 *
 * Depends on what the columns say alone: not on object identifiers, the
 * database's encoding, the machine's byte order or any setting, and so holds
 * wherever the row is dumped and restored.  Two rows that differ in any column
 * differ in what is hashed: every value goes in with its length.
 *
 * A jsonb or a float8[], which may be long, goes in as its digest.  If a row has one
 * jsonb at most, its digest may be known already: `known`, or NULL.
 */
extern void dp_budget_chain_hash(const uint8 *previous, int columns, const Oid *types,
								 const Datum *values, const bool *nulls,
								 const uint8 *known, uint8 *hash);

/* Work out what a row's jsonb will go in as, before there is a row. */
extern void dp_budget_chain_digest(const Jsonb *json, uint8 *hash);

#endif							/* DP_BUDGET_ROWS_CHAIN_H */
