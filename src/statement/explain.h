/* SPDX-License-Identifier: PostgreSQL */
/*
 * explain.h
 *	  What EXPLAIN shows of a release node: its price and its noise, which
 *	  depend on the statement's text, settings and declared policy alone.
 */
#ifndef DP_STATEMENT_EXPLAIN_H
#define DP_STATEMENT_EXPLAIN_H

#include "postgres.h"

#include "commands/explain.h"

#include "base/compat_planner.h"

/* Lines that EXPLAIN shows of the node. */
extern void dp_statement_release_explain(CustomScanState *node, List *ancestors,
										 ExplainState *es);

#endif							/* DP_STATEMENT_EXPLAIN_H */
