/* SPDX-License-Identifier: PostgreSQL */
/*
 * foreign_table.c
 *	  What may be asked of protected tables with partitions on other servers, and
 *	  seeing to it that these servers send no rows.
 *
 * Nothing is asked of another server before it is paid for, and a plan is made
 * without it: what a foreign table is declared as decides.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "commands/defrem.h"
#include "foreign/fdwapi.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/paths.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "exact/foreign_table.h"
#include "expression/null_on_error.h"
#include "from/contribution.h"
#include "policy/partitions.h"
#include "pricing/aggregate_args.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "pricing/kind.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

#define WHAT_CAN_BE_LEFT \
	"Over partitions on other servers, write conditions, keys and arguments without enums, casts to text, " \
	"times with time zone, and GREATEST or LEAST of more than two."

/* The last of the options with this name, or NULL. */
static DefElem *
find_option(List *options, const char *name)
{
	DefElem    *found = NULL;
	ListCell   *lc;

	foreach(lc, options)
		if (strcmp(lfirst_node(DefElem, lc)->defname, name) == 0)
			found = lfirst(lc);
	return found;
}

/* Would planning ask the other server for estimates? */
static bool
uses_estimates(Oid relid, const ForeignServer *server)
{
	DefElem    *option = find_option(GetForeignTable(relid)->options, "use_remote_estimate");

	if (option == NULL)
		option = find_option(server->options, "use_remote_estimate");
	return option && defGetBoolean(option);
}

/* Does the server have our aggregates, by what it is declared as? */
static bool
has_our_aggregates(const ForeignServer *server)
{
	DefElem    *option = find_option(server->options, "extensions");
	List	   *names;
	ListCell   *lc;

	if (option == NULL || !SplitIdentifierString(pstrdup(defGetString(option)), ',', &names))
		return false;
	foreach(lc, names)
		if (strcmp(lfirst(lc), "dp_agg") == 0)
			return true;
	return false;
}

/* Can a role be somebody on that server? */
static bool
has_user_mapping(Oid role, Oid server)
{
	return SearchSysCacheExists2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(role),
								 ObjectIdGetDatum(server)) ||
		SearchSysCacheExists2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(InvalidOid),
							  ObjectIdGetDatum(server));
}

/* Is a foreign partition set up for the owner of its root to be read through? */
static DpReason *
check_partition(Oid relid, Oid owner, int location)
{
	ForeignServer *server = GetForeignServer(GetForeignServerIdByRelId(relid));

	if (uses_estimates(relid, server))
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, location,
								 "Set the option use_remote_estimate of the table and its server to false.",
								 "foreign table \"%s\" has the option use_remote_estimate",
								 get_rel_name(relid));
	if (!has_our_aggregates(server))
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, location,
								 "Install dp_agg there, and name it in the server's option extensions.",
								 "server \"%s\" is not declared to have the extension dp_agg",
								 server->servername);
	if (!has_user_mapping(owner, server->serverid))
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, location,
								 "CREATE USER MAPPING for the owner of the protected table.",
								 "the owner of the table has no user mapping for server \"%s\"",
								 server->servername);
	return NULL;
}

/* Is there a foreign table among the partitions?  Then check all of them. */
static DpReason *
check_partitions(const DpTable *table, int location, bool *foreign)
{
	ListCell   *lc;
	DpReason   *reason = NULL;

	if (table->rte->relkind != RELKIND_PARTITIONED_TABLE)
		return NULL;
	foreach(lc, dp_policy_lock_foreign_partitions(table->rte->relid))
	{
		*foreign = true;
		if (reason == NULL)
			reason = check_partition(lfirst_oid(lc), table->owner, location);
	}
	return reason;
}

/* Does an expression hold a call that can fail, of a function that depends on settings? */
static bool
depends_on_settings(Node *node, int *location)
{
	Oid			function;

	if (node == NULL)
		return false;
	function = dp_expression_attempted(node);
	if (OidIsValid(function) && func_volatile(function) != PROVOLATILE_IMMUTABLE)
	{
		*location = exprLocation(node);
		return true;
	}
	return expression_tree_walker(node, depends_on_settings, location);
}

static DpReason *
check_expression(Node *expr, int location)
{
	if (!depends_on_settings(expr, &location))
		return NULL;
	return dp_tree_reason(location, WHAT_CAN_BE_LEFT,
						  "this function cannot be left to another server: it depends on settings");
}

/* Can everything the block computes of rows be computed where they are? */
static DpReason *
check_expressions(DpBlockRewrite *rewrite, int location)
{
	DpReason   *reason = check_expression(rewrite->query->jointree->quals, location);
	ListCell   *lc;

	foreach(lc, rewrite->key_values ? rewrite->plain_keys : rewrite->key_exprs)
		if (reason == NULL)
			reason = check_expression(lfirst(lc), location);
	foreach(lc, rewrite->measures)
	{
		const DpMeasure *measure = lfirst(lc);

		if (reason)
			break;
		if (dp_kind(&measure->release)->part == NULL)
			return dp_tree_reason(measure->aggref->location, "Use dp_count, dp_sum, dp_avg, dp_quantile and its like.",
								  "this aggregate is not computed over partitions on other servers");
		reason = check_expression(measure->value, measure->aggref->location);
	}
	return reason;
}

DpReason *
dp_exact_check_foreign(DpBlockRewrite *rewrite, int location)
{
	DpContribution *contribution = &rewrite->contribution;
	bool		foreign = false;
	const char *name = NULL;
	DpReason   *reason = NULL;
	ListCell   *lc;

	foreach(lc, contribution->tables)
	{
		const DpTable *table = lfirst(lc);

		if (reason == NULL)
			reason = check_partitions(table, location, &foreign);
		if (foreign && name == NULL)
			name = table->rte->eref->aliasname;
	}
	if (!foreign || reason)
		return reason;
	if (list_length(rewrite->query->jointree->fromlist) != 1 ||
		!IsA(linitial(rewrite->query->jointree->fromlist), RangeTblRef) || contribution->grouped)
		return dp_tree_reason(location, "Select from that table alone, with WHERE and GROUP BY.",
							  "\"%s\" has partitions on other servers, and can be neither joined nor grouped in a subquery",
							  name);
	contribution->foreign = true;
	rewrite->block->by_parts = true;
	contribution->unit_not_null = false;	/* nobody checks that there */
	return check_expressions(rewrite, location);
}

/*
 * Paths that fetch rows and group them here may have looked cheaper: without
 * them, postgres_fdw is asked again.
 */
bool
dp_exact_group_remotely(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output, void *extra)
{
	if (input->fdwroutine == NULL || IS_DUMMY_REL(input))
		return true;
	output->pathlist = NIL;
	output->partial_pathlist = NIL;
	output->fdw_private = NULL;
	if (input->fdwroutine->GetForeignUpperPaths)
		input->fdwroutine->GetForeignUpperPaths(root, UPPERREL_GROUP_AGG, input, output, extra);
	return output->pathlist != NIL;
}

bool
dp_exact_fetches_rows(Plan *plan)
{
	ListCell   *lc;

	check_stack_depth();
	if (IsA(plan, ForeignScan) && ((ForeignScan *) plan)->scan.scanrelid > 0)
		return true;
	foreach(lc, dp_tree_plans_below(plan))
		if (dp_exact_fetches_rows(lfirst(lc)))
			return true;
	return false;
}

DpReason *
dp_exact_fetching(int location)
{
	return dp_tree_reason(location, WHAT_CAN_BE_LEFT,
						  "not all of this can be left to the servers that hold the rows");
}
