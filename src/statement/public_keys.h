/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_keys.h
 *	  Looking into public tables for what is to be said of a statement.
 */
#ifndef DP_STATEMENT_PUBLIC_KEYS_H
#define DP_STATEMENT_PUBLIC_KEYS_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "pricing/release.h"
#include "statement/revalidate.h"

/* Does a query of public tables, planned for a block, have a row under a statement's snapshot? */
extern bool dp_statement_has_row(const DpBlock *block, Query *query, const EState *estate);

/*
 * Before the charge: have the unknown keys (rewrite/unknown_keys.h) of a statement's releases be messages alone.  A table
 * says nothing unless both who asks and who pays may read it, and where it is locked, too large to be read for that,
 * or calls code that is not built in.
 */
extern void dp_statement_seek_keys(const DpOpening *opening);

#endif							/* DP_STATEMENT_PUBLIC_KEYS_H */
