/* SPDX-License-Identifier: PostgreSQL */
/*
 * running_call.c
 *	  Functions of ours that ask in the name of their caller, while they run.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/primnodes.h"
#include "utils/lsyscache.h"

#include "pricing/asked.h"
#include "statement/running_call.h"
#include "tree/own_functions.h"
#include "tree/public_params.h"

/*
 * They are PL/pgSQL with a search_path of their own, so that PostgreSQL tells of their
 * beginning and end, and nobody else can pass for one of them.
 */

static const char *const asking_functions[] = {"suggest_bounds", "suggest_max_rows", "suggest_max_groups", "measure_bounding"};

/* The outermost one that runs, and how many do. */
static const FmgrInfo *running = NULL;
static int	depth = 0;

static bool
is_asking(Oid function)
{
	char	   *name;

	if (function < FirstNormalObjectId || (name = get_func_name(function)) == NULL)
		return false;
	for (int i = 0; i < lengthof(asking_functions); i++)
		if (strcmp(name, asking_functions[i]) == 0)
			return dp_tree_is_extensions(function);
	return false;
}

void
dp_statement_note_call(FmgrHookEventType event, const FmgrInfo *function)
{
	if (event == FHET_START && (depth > 0 || is_asking(function->fn_oid)))
	{
		if (depth++ == 0)
			running = function;
	}
	else if (event != FHET_START && depth > 0 && --depth == 0)
		running = NULL;
}

static bool
has_constant_arguments(const Node *call)
{
	ListCell   *lc;

	if (call == NULL || !IsA(call, FuncExpr))
		return false;
	foreach(lc, ((const FuncExpr *) call)->args)
		if (!IsA(lfirst(lc), Const))
			return false;
	return true;
}

const char *
dp_statement_running_call(void)
{
	if (running == NULL)
		return NULL;
	if (has_constant_arguments(running->fn_expr))
		return dp_pricing_text(&(DpPublicReads) {0}, NULL, running->fn_expr);
	return get_func_name(running->fn_oid);
}
