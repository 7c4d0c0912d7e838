/* SPDX-License-Identifier: PostgreSQL */
/*
 * revalidate.h
 *	  A statement is validated again when its releases are opened.
 *
 * A plan carries the statement as it was before its blocks were validated, with all that it was rewritten by:
 * its origin.  From that it is rewritten again, and must come out the same.
 */
#ifndef DP_STATEMENT_REVALIDATE_H
#define DP_STATEMENT_REVALIDATE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"

#include "base/settings.h"
#include "budget/keeper/client.h"
#include "statement/statement_text.h"

/* A statement whose releases are opened. */
typedef struct DpOpening
{
	List	   *nodes;			/* of DpReleaseState: all of the statement */
	EState	   *estate;			/* of the statement */
	DpSourcePart part;			/* that it is of its source */
	List	   *origin;
	Oid			role;			/* that started it, */
	int			security;		/* and how, */
	Oid			payer;			/* outside any SECURITY DEFINER function */
	bool		explained;		/* and not to be opened */
	bool		begun;
	bool		kept_only;		/* nobody pays for more than is kept */
	List	   *values;			/* of what it reads of public rows, code and releases, as far as
								 * it is read */
	Bitmapset  *queries_read;	/* numbers of the queries that these are of */
	List	   *planned;		/* of what each node runs: as it was planned without them */
	bool		finished;		/* does every node hold its answer? */
	bool		charged;		/* all blocks but those that hold a kept answer are paid for, */
	DpBalance	balance;		/* and this is what is left then */
	TimestampTz rows_as_of;		/* when the rows that it reads were current: see rows_as_of.h */
	bool		told_withheld;	/* is it said that a quantile is NULL? */
	bool		told_of_cut;	/* was it said what a clamp may cut? */
	struct DpNoiseNotice *noise;	/* what is to be said of noise when rows were shown, or NULL */
	struct DpOpening *next;		/* of those that are running */
	MemoryContextCallback end;	/* of its statement */
} DpOpening;

/* Contents of an origin. */
enum
{
	DP_ORIGIN_QUERY,
	DP_ORIGIN_PRICING,
	DP_ORIGIN_INVALIDATIONS,
	DP_ORIGIN_STATEMENT,
	DP_ORIGIN_PLAIN,
	DP_ORIGIN_SESSION,
	DP_ORIGIN_POLICIES,
	DP_ORIGIN_READS,
	DP_ORIGIN_NEW_KEYS
};

/*
 * A statement's tree before its blocks are validated, as its plan carries it, and whether
 * blocks of it were written with plain aggregates, and the policies that it is asked under (row_security.h).
 */
extern List *dp_statement_make_origin(const Query *query, const DpPricing *pricing, bool plain, List *policies);

/* Values that the statement reads of public rows and code: see public_params.h. */
extern List *dp_statement_reads_of(const DpOpening *opening);

/* One of the numbers that its origin holds. */
extern int64 dp_statement_number_of(const DpOpening *opening, int place);

/* The settings that the statement was priced with. */
extern DpPricing dp_statement_pricing_of(const DpOpening *opening);

/* Are the settings that constants were computed by as they were (fold_constants.c)? */
extern bool dp_statement_has_settings(const DpOpening *opening);

/* Raise an error unless a relation is there. */
extern void dp_statement_require_relation(Oid relid);

/* Lock the relations of a query, or of several, and make sure that they are there. */
extern void dp_statement_lock_relations(Node *node);

/* Raise an error unless the statement is still allowed, and still means the same. */
extern void dp_statement_validate_again(const DpOpening *opening);

/* Validate the statement with what it has read so far, and have the nodes run what comes of it. */
extern void dp_statement_put_values(DpOpening *opening);

/* Have the nodes know what was planned again: what they run with values is gone with the opening's memory. */
extern void dp_statement_forget_values(DpOpening *opening);

#endif							/* DP_STATEMENT_REVALIDATE_H */
