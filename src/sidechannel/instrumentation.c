/* SPDX-License-Identifier: PostgreSQL */
/*
 * instrumentation.c
 *	  Stop statistics and messages while protected rows are touched, and override
 *	  settings that make one row's processing depend on others, or end the session.
 *
 * Most obey settings, which parallel workers inherit.  Two do not: the counters behind
 * pg_stat_io with the process's own share of them, and those behind pg_stat_slru.  They
 * collect in the process and are added to the shared statistics between transactions
 * and at exit.  Counts from before are added at once; those from the time between are
 * added where nobody reads them.  A third are the numbers of reads, which are put in
 * order before and after.  The numbers of temporary files cannot be put in order: no
 * message that names them is sent any more.  Temporary tablespaces are resolved
 * beforehand, whether there will be files or not; afterwards their rotation and the
 * state of the server's random numbers are reset.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "access/xact.h"
#include "commands/tablespace.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#define DP_COMPAT_COUNTERS
#include "base/compat_stats.h"
#include "sidechannel/instrumentation.h"

static const char *const quiet_settings[][2] = {
	{"track_counts", "off"},	/* pg_stat_* counters, transaction-local too */
	{"track_functions", "none"},	/* calls of the functions in exact plans */
	{"track_io_timing", "off"},
	{"track_wal_io_timing", "off"},
	{"trace_sort", "off"},		/* logs the number of rows sorted */
	{"client_min_messages", "error"},	/* LOG lines of log_* settings */
	{"exit_on_error", "off"},	/* no error could be trapped */
	{"gin_fuzzy_search_limit", "0"},	/* a sample, if an index finds many rows */
	{"enable_eager_aggregate", "off"},	/* aggregates take in rows that join nothing */
	{"enable_self_join_elimination", "off"},	/* 18.6 crashes by it */
	{"pg_plan_advice.advice", ""},	/* the analyst's, on how to read and join tables */
	{"pg_stash_advice.stash_name", ""}, /* and what is kept for statements */
	{"synchronize_seqscans", "off"},	/* which scans were the last, for all to see */
};

/* Quiet times under way, one within another; and whether there was one. */
static int	quiet_depth = 0;
static bool quiet_once = false;

/* Add what has been counted to a copy of the shared statistics, not to them. */
static void
discard_counters(void)
{
	static PgStat_ShmemControl nowhere;
	static DpOwnCounters own_nowhere;
	PgStat_ShmemControl *shared = pgStatLocal.shmem;
	PgStat_EntryRef *own = dp_compat_own_counters();
	PgStatShared_Common *own_shared = own ? own->shared_stats : NULL;

	memset(&nowhere, 0, sizeof(nowhere));
	memset(&own_nowhere, 0, sizeof(own_nowhere));
	dp_compat_init_counters(&nowhere);
	if (own)
		own_nowhere.header.magic = own_shared->magic;
	LWLockInitialize(&own_nowhere.header.lock, LWTRANCHE_PGSTATS_DATA);
	HOLD_INTERRUPTS();
	pgStatLocal.shmem = &nowhere;
	if (own)
		own->shared_stats = &own_nowhere.header;
	dp_compat_flush_counters();
	if (own)
		own->shared_stats = own_shared;
	pgStatLocal.shmem = shared;
	RESUME_INTERRUPTS();
}

/*
 * Temporary files and tables go to the tablespaces of temp_tablespaces by turns:
 * begin anew at any of them, so that the next one, of the analyst's, does not tell
 * how many there were.  PostgreSQL keeps the list, until the transaction ends or
 * another is set.
 */
static void
forget_temp_tablespace(void)
{
	static Oid *kept = NULL;
	int			room = 8;
	int			count;
	Oid		   *list;

	if (!TempTablespacesAreSet())
		return;
	list = MemoryContextAlloc(TopMemoryContext, room * sizeof(Oid));
	while ((count = GetTempTablespaces(list, room)) == room)
		list = repalloc(list, (room *= 2) * sizeof(Oid));
	SetTempTablespaces(list, count);
	if (kept != NULL)
		pfree(kept);
	kept = list;
}

/*
 * Names of what parallel workers share are drawn from the generator that samples
 * are, too.  Begin it anew: where it stands, which enough samples tell, would say how
 * many were drawn.  It begins at what it would have drawn next before, so that where it
 * stands depends on nothing else; and nothing that is drawn from it is secret.
 */
static void
forget_random_numbers(const DpQuiet *quiet)
{
	pg_prng_state before = quiet->numbers;

	pg_prng_seed(&pg_global_prng_state, pg_prng_uint64(&before));
}

/*
 * At exit: a session may be terminated, and a worker leave, while statistics are
 * stopped.  Since PostgreSQL 18 a failed transaction takes a worker's settings with it;
 * and it may be the worker that removes temporary files which it shared, later than
 * that.
 */
static void
discard_at_exit(int code, Datum is_worker)
{
	if (quiet_depth == 0 && !DatumGetBool(is_worker))
		return;
	if (DatumGetBool(is_worker))
	{
		AbortOutOfAnyTransaction();
		pgstat_track_counts = false;
	}
	discard_counters();
	dp_compat_settle_reads();
}

/* See to it that discard_at_exit is called before counters are added. */
static void
register_exit(bool is_worker)
{
	static bool registered = false;

	if (!registered)
		before_shmem_exit(discard_at_exit, BoolGetDatum(is_worker));
	registered = true;
}

void
dp_sidechannel_quiet_set(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

void
dp_sidechannel_quiet_begin(DpQuiet *quiet)
{
	register_exit(false);
	PrepareTempTablespaces();
	if (quiet_depth == 0)
		dp_compat_flush_counters();
	dp_compat_settle_reads();
	quiet->depth = quiet_depth++;
	quiet_once = true;
	quiet->guc_level = NewGUCNestLevel();
	quiet->numbers = pg_global_prng_state;
	quiet->usage = dp_usage_now();
	for (int i = 0; i < lengthof(quiet_settings); i++)
	{
		const char *value = GetConfigOption(quiet_settings[i][0], true, false);

		/* Setting what is set already takes longer than to look. */
		if (value != NULL && strcmp(value, quiet_settings[i][1]) != 0)
			dp_sidechannel_quiet_set(quiet_settings[i][0], quiet_settings[i][1]);
	}
}

static void
restore_usage(const DpQuiet *quiet)
{
	dp_usage_take_back(&quiet->usage);
	quiet_depth = quiet->depth;
	forget_temp_tablespace();
	forget_random_numbers(quiet);
	dp_compat_settle_reads();
	if (quiet_depth == 0)
		discard_counters();
}

void
dp_sidechannel_quiet_end(const DpQuiet *quiet)
{
	restore_usage(quiet);
	AtEOXact_GUC(true, quiet->guc_level);
}

void
dp_sidechannel_quiet_fail(const DpQuiet *quiet)
{
	restore_usage(quiet);
}

bool
dp_sidechannel_is_quiet_worker(void)
{
	return !pgstat_track_counts && !synchronize_seqscans && client_min_messages == ERROR;
}

void
dp_sidechannel_quiet_worker(void)
{
	if (!pgstat_track_counts)
		register_exit(true);
}

void
dp_sidechannel_quiet_session(void)
{
	if (IgnoreSystemIndexes && !superuser_arg(GetSessionUserId()))
		IgnoreSystemIndexes = false;
}

void
dp_sidechannel_quiet_message(ErrorData *message)
{
	static const char named[] = "temporary file: path";

	if (quiet_once && message->elevel == LOG && message->message_id &&
		strncmp(message->message_id, named, sizeof(named) - 1) == 0)
		message->output_to_client = false;
}
