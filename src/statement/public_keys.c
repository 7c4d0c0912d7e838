/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_keys.c
 *	  Looking into public tables for what is to be said of a statement.
 *
 * Nothing protected is read or decides anything.  What is read is read with the rights of whoever sees what is said,
 * be the statement one of a view or a function of another role's: a NOTICE is no way to ask for somebody else's rows.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat_planner.h"
#include "draw/release_state.h"
#include "draw/run_plan.h"
#include "exact/exact_plan.h"
#include "from/table_trust.h"
#include "policy/citus.h"
#include "policy/unique.h"
#include "statement/public_keys.h"
#include "tree/make_nodes.h"

/* Largest table that is read from end to end to say that it lacks a value. */
#define MOST_PAGES 1000

static void
read_any(PlanState *plan, void *found)
{
	*(bool *) found = dp_draw_next_row(plan) != NULL;
}

bool
dp_statement_has_row(const DpBlock *block, Query *query, const EState *estate)
{
	PlannedStmt *plan = dp_exact_plan_exact(block, query, NULL, -1);
	bool		found;

	plan->jitFlags = estate->es_jit_flags;
	dp_draw_run_public(plan, estate, read_any, &found);
	return found;
}

/* May a role read a column? */
static bool
may_read(Oid role, Oid table, AttrNumber number)
{
	return pg_class_aclcheck(table, role, ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(table, number, role, ACL_SELECT) == ACLCHECK_OK;
}

/* The query of a table's rows that a condition holds for; NULL if it is not one to be read for this. */
static Query *
make_query(Relation relation, Node *condition, const Var *column)
{
	Query	   *query = dp_tree_make_select(NIL, NULL);
	RangeTblRef *item = makeNode(RangeTblRef);
	RangeTblEntry *rte;

	item->rtindex = dp_compat_add_relation(query, relation);
	rte = rt_fetch(item->rtindex, query->rtable);
	if (dp_from_check_public(rte, relation, -1) != NULL || dp_policy_citus_obstacle(rte->relid) != NULL ||
		get_atttype(rte->relid, column->varattno) != column->vartype ||
		(RelationGetNumberOfBlocks(relation) > MOST_PAGES && !dp_policy_column_is_unique(relation, column->varattno)))
		return NULL;
	DP_PERMISSIONS(query, rte)->selectedCols = bms_make_singleton(column->varattno - FirstLowInvalidHeapAttributeNumber);
	query->jointree = makeFromExpr(list_make1(item), condition);
	dp_tree_add_column(query, (Node *) dp_tree_make_int4(1), "known");
	query->limitCount = (Node *) dp_tree_make_int8(1);
	return query;
}

/* Does a table that both roles may read surely lack a row of which a condition holds? */
static bool
is_lacking(const DpReleaseState *state, Oid table, Node *condition, Oid payer, const EState *estate)
{
	List	   *columns = pull_var_clause(condition, 0);
	const Var  *column = linitial_node(Var, columns);
	Relation	relation;
	Query	   *query;
	bool		lacking;

	if (!ConditionalLockRelationOid(table, AccessShareLock))
		return false;
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(table)) ||
		!may_read(GetUserId(), table, column->varattno) || !may_read(payer, table, column->varattno))
	{
		UnlockRelationOid(table, AccessShareLock);
		return false;
	}
	relation = table_open(table, NoLock);
	query = make_query(relation, copyObject(condition), column);
	lacking = query && !dp_statement_has_row(state->block, query, estate);
	table_close(relation, NoLock);
	return lacking;
}

/* The messages of one release. */
static List *
messages_of(const DpReleaseState *state, Oid payer, const EState *estate)
{
	List	   *messages = NIL;
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, state->unknown_keys)
	{
		List	   *sought = lfirst(lc);

		if (IsA(sought, String))
			messages = lappend(messages, sought);
		else if (!list_member(columns, linitial(sought)) &&
				 is_lacking(state, linitial_oid(lthird(sought)), lfourth(sought), payer, estate))
		{
			columns = lappend(columns, linitial(sought));
			messages = lappend(messages, lsecond(sought));
		}
	}
	return messages;
}

void
dp_statement_seek_keys(const DpOpening *opening)
{
	ListCell   *lc;

	foreach(lc, opening->nodes)
	{
		DpReleaseState *state = lfirst(lc);

		state->unknown_keys = messages_of(state, opening->payer, opening->estate);
	}
}
