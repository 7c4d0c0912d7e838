/* SPDX-License-Identifier: PostgreSQL */
/*
 * dp_agg.c
 *	  Module entry.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "base/preloaded.h"
#include "base/settings.h"
#include "budget/keeper/client.h"
#include "draw/invalidation.h"
#include "hooks.h"
#include "kinds/kinds.h"
#include "noise/random.h"
#include "policy/declare_domain.h"
#include "policy/policy.h"
#include "policy/protect.h"
#include "statement/release_node.h"
#include "tree/own_functions.h"
#include "units/path.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

/* Without randomness there is no answer. */
static void
random_failure(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_SYSTEM_ERROR),
			 errmsg("could not obtain random bits from OpenSSL")));
}

/*
 * Have pg_hint_plan plan around us.  Its hints set settings while it plans.  If it stood below, what a statement
 * costs would be decided before that, and a hint of dp_agg's settings would do nothing, without a word.
 */
static void
refuse_hints_below(void)
{
	const char *setting = "pg_hint_plan.enable_hint";

	if (GetConfigOption(setting, true, false) && !(GetConfigOptionFlags(setting, true) & GUC_CUSTOM_PLACEHOLDER))
		ereport(ERROR,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("pg_hint_plan is preloaded before dp_agg"),
				 errdetail("Its hints would not set what dp_agg's answers cost."),
				 errhint("Name dp_agg before it in shared_preload_libraries.")));
}

/*
 * Without preloading there is no keeper: the hooks stay out, so protected
 * tables stay closed by their ACL and the analyst's functions say why.
 */
void
_PG_init(void)
{
	dp_noise_failure = random_failure;
	dp_settings_init();
	dp_policy_policy_init();
	dp_policy_domain_init();
	dp_budget_init();
	if (!process_shared_preload_libraries_in_progress)
		return;
	refuse_hints_below();
	dp_preloaded = true;
	dp_tree_catalog_init();
	dp_kinds_check();
	dp_draw_invalidation_init();
	dp_policy_protected_init();
	dp_statement_release_init();
	dp_units_init();
	dp_hooks_init();
}
