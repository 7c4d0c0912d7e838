/*
 * quiet.c
 *	  Silencing instruments for the time protected rows are touched, and turning
 *	  off what would make the rows of one unit decide on those of others, or on
 *	  the session.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "query/quiet.h"

static const char *const quiet_settings[][2] = {
	{"track_counts", "off"},	/* pg_stat_* counters, transaction-local too */
	{"track_functions", "none"},	/* calls of the functions in exact plans */
	{"track_io_timing", "off"},
	{"track_wal_io_timing", "off"},
#ifdef TRACE_SORT
	{"trace_sort", "off"},		/* logs the number of rows sorted */
#endif
	{"client_min_messages", "error"},	/* LOG lines of log_* settings */
	{"exit_on_error", "off"},	/* no error could be trapped */
	{"gin_fuzzy_search_limit", "0"},	/* a sample, if an index finds many rows */
};

void
dp_query_quiet_begin(DpQuiet *quiet)
{
	quiet->guc_level = NewGUCNestLevel();
	quiet->buffers = pgBufferUsage;
	quiet->wal = pgWalUsage;
	for (int i = 0; i < lengthof(quiet_settings); i++)
		(void) set_config_option(quiet_settings[i][0], quiet_settings[i][1],
								 PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

static void
restore_usage(const DpQuiet *quiet)
{
	pgBufferUsage = quiet->buffers;
	pgWalUsage = quiet->wal;
}

void
dp_query_quiet_end(const DpQuiet *quiet)
{
	AtEOXact_GUC(true, quiet->guc_level);
	restore_usage(quiet);
}

void
dp_query_quiet_fail(const DpQuiet *quiet)
{
	restore_usage(quiet);
}
