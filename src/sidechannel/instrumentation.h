/*
 * instrumentation.h
 *	  Keeping PostgreSQL's own instruments still while protected rows are
 *	  planned over or read: statistics counters, buffer and WAL usage, log
 *	  messages to the client, sort tracing.  And no setting may let other rows
 *	  decide whether a row is read, or a row end the session.
 */
#ifndef DP_SIDECHANNEL_INSTRUMENTATION_H
#define DP_SIDECHANNEL_INSTRUMENTATION_H

#include "postgres.h"

#include "base/usage.h"

typedef struct DpQuiet
{
	int			guc_level;
	int			depth;			/* of quiet times around this one */
	DpUsage		usage;
} DpQuiet;

/* From here on nothing is counted or sent to the client but errors. */
extern void dp_sidechannel_quiet_begin(DpQuiet *quiet);

/* Another setting until it ends. */
extern void dp_sidechannel_quiet_set(const char *name, const char *value);

/* Back to normal, with the usage counters as they were. */
extern void dp_sidechannel_quiet_end(const DpQuiet *quiet);

/*
 * After an error: the usage counters as they were.  The settings come back with
 * the end of the (sub)transaction, which counts and logs temporary files left
 * behind before it restores them.
 */
extern void dp_sidechannel_quiet_fail(const DpQuiet *quiet);

/*
 * In a parallel worker that starts its part of a plan: if that part is quiet,
 * nothing of what the worker did will be counted when it leaves.
 */
extern void dp_sidechannel_quiet_worker(void);

/* Is a parallel worker's part of a plan quiet, by its leader's settings? */
extern bool dp_sidechannel_is_quiet_worker(void);

/*
 * Have catalogues read by their indexes, unless the session is a superuser's.  Whoever
 * connects may ask for the opposite, ignore_system_indexes, with which PostgreSQL
 * warns of each value of theirs that it fetches from out of line: statistics of
 * tables are such values, which are fetched before any right is looked at.
 */
extern void dp_sidechannel_quiet_session(void);

/*
 * Keep a message of log_temp_files to the server's log once there was a quiet time:
 * a process numbers its temporary files, so that later ones tell how many there
 * were before.  From emit_log_hook.
 */
extern void dp_sidechannel_quiet_message(ErrorData *message);

#endif							/* DP_SIDECHANNEL_INSTRUMENTATION_H */
