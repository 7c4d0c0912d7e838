/*
 * stub_functions.c
 *	  What the analyst's functions do when they are run as they are.
 *
 * A planned statement holds none of them: the rewriter replaces each by exact
 * totals under a release.  Reaching the executor means that the library was
 * not preloaded, or that the statement was planned without its parameters'
 * values; either way nothing is computed.
 */
#include "postgres.h"

#include "fmgr.h"

#include "base/preloaded.h"
#include "statement/stub_functions.h"

PG_FUNCTION_INFO_V1(dp_query_refuse);

Datum
dp_query_refuse(PG_FUNCTION_ARGS)
{
	if (!dp_preloaded)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("dp_agg is not loaded at server start"),
				 errhint("Add dp_agg to shared_preload_libraries and restart the server.")));
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("differentially private functions cannot run here"),
			 errdetail("They are answered when a statement is planned with the values of its parameters."),
			 errhint("SET plan_cache_mode = auto, and call them in an ordinary query.")));
	PG_RETURN_NULL();
}
