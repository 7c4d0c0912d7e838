/*
 * dp_agg.c
 *	  Module entry.
 */
#include "postgres.h"

#include "fmgr.h"

#include "query/policy.h"
#include "settings.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	dp_settings_init();
	dp_query_policy_init();
}
