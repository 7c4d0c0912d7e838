/*
 * from.c
 *	  What a block reads: one protected table, with the contribution bounds its
 *	  policy and the session's settings give.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "query/rewrite.h"
#include "settings.h"

#define ONE_TABLE_HINT \
	"Select from one protected table, or a sub-select or view that only filters and renames its rows."

/* The one range table entry FROM names, if it is a plain reference. */
static DpReason *
single_reference(Query *block, int location, Index *varno)
{
	Node	   *item;

	if (list_length(block->jointree->fromlist) == 0)
		return dp_query_reason(location, ONE_TABLE_HINT,
							   "a differentially private aggregate needs a protected table in FROM");
	item = linitial(block->jointree->fromlist);
	if (list_length(block->jointree->fromlist) > 1 || !IsA(item, RangeTblRef))
		return dp_query_reason(location, ONE_TABLE_HINT,
							   "joins are not allowed in a differentially private query");
	*varno = ((RangeTblRef *) item)->rtindex;
	return NULL;
}

/* Is this a table whose rows a block may read in full? */
static DpReason *
check_relation(RangeTblEntry *rte, Relation relation, int location)
{
	char		relkind = relation->rd_rel->relkind;

	if (rte->tablesample)
		return dp_query_reason(location, "Leave TABLESAMPLE out.",
							   "TABLESAMPLE is not allowed in a differentially private query");
	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		return dp_query_reason(location, ONE_TABLE_HINT,
							   "\"%s\" is not a table", rte->eref->aliasname);
	if (relation->rd_rel->relrowsecurity || rte->securityQuals)
		return dp_query_reason(location, "The table's owner decides between row security and protection.",
							   "row security on a protected table is not supported");
	return NULL;
}

static DpReason *
not_protected(RangeTblEntry *rte, int location)
{
	DpReason   *reason = dp_query_reason(location,
										 "Its owner can protect it with dp_agg.protect(); use plain aggregates on tables you may read.",
										 "table \"%s\" is not protected",
										 rte->eref->aliasname);

	reason->sqlstate = ERRCODE_INSUFFICIENT_PRIVILEGE;
	return reason;
}

/* Settle the contribution bounds: the session's, else the declared ones. */
static void
set_bounds(DpContribution *contribution, bool grouped)
{
	int			max_rows = dp_settings_max_rows_per_unit;
	int			max_groups = dp_settings_max_groups_per_unit;

	contribution->max_rows = 1;
	contribution->max_groups = 1;
	if (contribution->row_is_unit)
		return;
	contribution->max_rows = max_rows > 0 ? max_rows : contribution->policy.max_rows;
	if (grouped)
		contribution->max_groups = max_groups > 0 ? max_groups : contribution->policy.max_groups;
}

DpReason *
dp_query_read_from(Query *block, int location, DpContribution *contribution)
{
	RangeTblEntry *rte;
	Relation	relation;
	DpReason   *reason = single_reference(block, location, &contribution->varno);

	if (reason)
		return reason;
	rte = rt_fetch(contribution->varno, block->rtable);
	if (rte->rtekind != RTE_RELATION)
		return dp_query_reason(location, ONE_TABLE_HINT,
							   "\"%s\" is not a table", rte->eref->aliasname);
	if (!dp_query_policy_get(rte->relid, &contribution->policy))
		return not_protected(rte, location);

	/* The parser or the plan cache holds a lock. */
	relation = table_open(rte->relid, NoLock);
	reason = check_relation(rte, relation, location);
	if (reason == NULL)
		reason = dp_query_policy_obstacle(relation, contribution->policy.unit);
	if (reason == NULL)
	{
		contribution->row_is_unit = dp_query_unit_is_unique(relation, contribution->policy.unit);
		set_bounds(contribution, block->groupClause != NIL);
	}
	table_close(relation, NoLock);
	return reason;
}
