/* SPDX-License-Identifier: PostgreSQL */
/*
 * preloaded.c
 *	  Saying so if the library was not loaded at server start.
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"

#include "base/preloaded.h"

PG_FUNCTION_INFO_V1(dp_is_preloaded);

bool		dp_preloaded = false;

void
dp_warn_unless_preloaded(void)
{
	static TimestampTz warned = 0;
	TimestampTz statement = GetCurrentStatementStartTimestamp();

	if (dp_preloaded || warned == statement)
		return;
	warned = statement;
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("dp_agg is not loaded at server start"),
			 errdetail("No query is answered, and budgets are not watched over."),
			 errhint("Add dp_agg to shared_preload_libraries and restart the server. "
					 "LOAD, session_preload_libraries and local_preload_libraries are not enough.")));
}

/* dp_agg.preloaded(warn): is it?  And say so if not. */
Datum
dp_is_preloaded(PG_FUNCTION_ARGS)
{
	if (PG_GETARG_BOOL(0))
		dp_warn_unless_preloaded();
	PG_RETURN_BOOL(dp_preloaded);
}
