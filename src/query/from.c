/*
 * from.c
 *	  What a block reads: one protected table or a sub-select that groups one
 *	  by the unit, with the contribution bounds its policy and the session's
 *	  settings give.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "query/grouped.h"
#include "query/rewrite.h"
#include "query/validate.h"
#include "settings.h"

#define ROW_SECURITY_HINT "The table's owner decides between row security and protection."

/* The one range table entry FROM names, if it is a plain reference. */
static DpReason *
single_reference(Query *query, int location, Index *varno)
{
	Node	   *item;

	if (list_length(query->jointree->fromlist) == 0)
		return dp_query_reason(location, DP_FROM_HINT,
							   "a differentially private aggregate needs a protected table in FROM");
	item = linitial(query->jointree->fromlist);
	if (list_length(query->jointree->fromlist) > 1 || !IsA(item, RangeTblRef))
		return dp_query_reason(location, DP_FROM_HINT,
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
		return dp_query_reason(location, DP_FROM_HINT,
							   "\"%s\" is not a table", rte->eref->aliasname);
	if (relation->rd_rel->relrowsecurity || rte->securityQuals)
		return dp_query_reason(location, ROW_SECURITY_HINT,
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

/* Set what the rows of a protected table contribute. */
static void
describe_table(RangeTblEntry *rte, Index varno, Relation relation, DpContribution *contribution)
{
	AttrNumber	attno = contribution->policy.unit;
	Form_pg_attribute unit = TupleDescAttr(RelationGetDescr(relation), attno - 1);
	DpTable    *table = palloc(sizeof(DpTable));

	table->rte = rte;
	table->owner = relation->rd_rel->relowner;
	table->unit = attno;
	contribution->tables = list_make1(table);
	contribution->units = list_make1(makeVar(varno, attno, unit->atttypid, unit->atttypmod,
											 unit->attcollation, 0));
	contribution->unit_not_null = unit->attnotnull;
	contribution->row_is_unit = dp_query_unit_is_unique(relation, attno);
}

/* Read a protected table. */
static DpReason *
read_table(RangeTblEntry *rte, Index varno, int location, DpContribution *contribution)
{
	Relation	relation;
	DpReason   *reason;

	if (!dp_query_policy_get(rte->relid, &contribution->policy))
		return not_protected(rte, location);

	/* The parser or the plan cache holds a lock. */
	relation = table_open(rte->relid, NoLock);
	reason = check_relation(rte, relation, location);
	if (reason == NULL)
		reason = dp_query_policy_obstacle(relation, contribution->policy.unit);
	if (reason == NULL)
		describe_table(rte, varno, relation, contribution);
	table_close(relation, NoLock);
	return reason;
}

DpReason *
dp_query_read_from(Query *query, ParamListInfo params, int location, DpContribution *contribution)
{
	RangeTblEntry *rte;
	Index		varno = 0;
	DpReason   *reason = single_reference(query, location, &varno);

	if (reason)
		return reason;
	if (query->hasRowSecurity)
		return dp_query_reason(location, ROW_SECURITY_HINT,
							   "row security on a protected table is not supported");
	rte = rt_fetch(varno, query->rtable);
	if (rte->rtekind == RTE_RELATION)
		reason = read_table(rte, varno, location, contribution);
	else if (rte->rtekind == RTE_SUBQUERY && rte->subquery->groupClause != NIL)
		reason = dp_query_read_grouped(rte->subquery, varno, params, location, contribution);
	else
		reason = dp_query_reason(location, DP_FROM_HINT,
								 "\"%s\" is not a table", rte->eref->aliasname);
	if (reason == NULL)
		query->jointree->quals = dp_query_validate_expression(query, query->jointree->quals,
															  params, &reason);
	return reason;
}

void
dp_query_set_bounds(DpContribution *contribution, bool grouped)
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
