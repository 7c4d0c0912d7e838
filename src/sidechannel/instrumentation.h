/* SPDX-License-Identifier: PostgreSQL */
/*
 * instrumentation.h
 *	  Stop PostgreSQL's statistics and instrumentation while protected rows are planned
 *	  over or read: statistics counters, buffer and WAL usage, log messages to the
 *	  client, sort tracing.  Also override settings that make one row's processing
 *	  depend on others (synchronize_seqscans, gin_fuzzy_search_limit) or end the session
 *	  (exit_on_error).
 */
#ifndef DP_SIDECHANNEL_INSTRUMENTATION_H
#define DP_SIDECHANNEL_INSTRUMENTATION_H

#include "postgres.h"

#include "common/pg_prng.h"

#include "base/usage.h"

typedef struct DpQuiet
{
	int			guc_level;
	int			depth;			/* number of such times around this one */
	DpUsage		usage;
	pg_prng_state numbers;		/* the server's own random numbers before */
} DpQuiet;

/*
 * From here on no statistics are counted, and nothing but errors is sent to the client.
 */
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
 * In a parallel worker that starts its part of a plan: if that part runs without
 * statistics, nothing of what the worker did is counted when it leaves.
 */
extern void dp_sidechannel_quiet_worker(void);

/*
 * Does a parallel worker's part of a plan run without statistics, by its leader's
 * settings?
 */
extern bool dp_sidechannel_is_quiet_worker(void);

/*
 * Have catalogs read by their indexes, unless the session is a superuser's.  Every role
 * that connects may ask for the opposite, ignore_system_indexes, with which PostgreSQL
 * warns of each TOASTed value of a catalog that it fetches.  Statistics of tables are
 * such values, and they are fetched before any right is checked.
 */
extern void dp_sidechannel_quiet_session(void);

/*
 * Send a message of log_temp_files to the server's log alone once statistics were
 * stopped: a process numbers its temporary files, so that later ones tell how many
 * there were before.  From emit_log_hook.
 */
extern void dp_sidechannel_quiet_message(ErrorData *message);

#endif							/* DP_SIDECHANNEL_INSTRUMENTATION_H */
