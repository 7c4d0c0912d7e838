/* SPDX-License-Identifier: PostgreSQL */
/*
 * link.h
 *	  A standby's link to its primary, as the worker sees it that holds one.
 *
 * It is made of libpq by a library of its own, dp_agg_replica, which the worker alone loads, so
 * that no session has libpq in it.  Nothing here waits: the worker sleeps until the socket or its
 * latch says that there is something to do.
 */
#ifndef DP_BUDGET_REPLICA_LINK_H
#define DP_BUDGET_REPLICA_LINK_H

#include "postgres.h"

#define DP_LINK_FUNCTION "dp_replica_link"

/* Raised with each change of what follows. */
#define DP_LINK_VERSION 2

/* What dp_agg.replica_charge takes. */
#define DP_LINK_VALUES 6

typedef struct DpLink DpLink;

/* Where to, and as what. */
typedef struct DpLinkTarget
{
	const char *server;			/* how the server itself reaches its primary */
	const char *own;			/* dp_agg.primary_conninfo, which goes before that */
	const char *database;
	const char *encoding;
	const char *name;			/* of the application */
	const char *options;		/* settings of its session */
} DpLinkTarget;

typedef enum DpLinkState
{
	DP_LINK_READING,			/* being made: the socket must be readable first, */
	DP_LINK_WRITING,			/* or writable */
	DP_LINK_READY,
	DP_LINK_FAILED
} DpLinkState;

typedef enum DpLinkResult
{
	DP_LINK_NOTHING,			/* has come yet */
	DP_LINK_ANSWER,
	DP_LINK_ERROR,				/* of the call */
	DP_LINK_LOST				/* the link is of no use any more */
} DpLinkResult;

/* What came of a call; lasts until the next one. */
typedef struct DpLinkReply
{
	int			answers;		/* one for each charge: see below */
	const char *sqlstate;		/* of an error; '' if it has none */
	const char *message;
} DpLinkReply;

typedef struct DpLinkLibrary
{
	int			version;
	/* Begin to make a link; NULL with a reason, which lasts, if that cannot be. */
	DpLink	   *(*open) (const DpLinkTarget *target, const char **reason);
	/* Go on making it. */
	DpLinkState (*advance) (DpLink *link);
	int			(*socket) (DpLink *link);
	/* Put a call on its way, if none is; false if it is not. */
	bool		(*send) (DpLink *link, const char *const *values);
	/* Write what can be written: is there more?  Loss shows in receive. */
	bool		(*flush) (DpLink *link);
	/* What came of the call. */
	DpLinkResult (*receive) (DpLink *link, DpLinkReply *reply);
	/* One of its answers, as bytes. */
	const char *(*answer) (DpLink *link, int which, int *size);
	/* Why it failed, or was lost; one line. */
	const char *(*reason) (DpLink *link);
	void		(*close) (DpLink *link);
} DpLinkLibrary;

typedef const DpLinkLibrary *(*DpLinkFunction) (void);

#endif							/* DP_BUDGET_REPLICA_LINK_H */
