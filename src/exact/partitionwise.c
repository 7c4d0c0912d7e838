/* SPDX-License-Identifier: PostgreSQL */
/*
 * partitionwise.c
 *	  Adding up units partition by partition, where their rows are.
 *
 * The query over units of a table with partitions on other servers,
 *
 *		SELECT keys, over_units(unit, x) FROM t WHERE ... GROUP BY keys
 *
 * becomes
 *
 *		SELECT keys, over_units(unit, part)
 *		  FROM (SELECT keys, unit, part(x) FROM p1 WHERE ... GROUP BY keys, unit
 *		        UNION ALL
 *		        SELECT keys, unit, part(x) FROM p2 WHERE ... GROUP BY keys, unit
 *		        ...)
 *		 GROUP BY keys
 *
 * Each of the inner queries has a form that postgres_fdw leaves to the other server.
 * The node over units puts every unit together from whatever partitions it turned up
 * in.  Nobody checks that a foreign table keeps to its partition's bounds or to its NOT
 * NULL, and a unit is one unit even if it does not.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/rel.h"

#include "base/compat_executor.h"
#include "base/compat_planner.h"
#include "exact/partitionwise.h"
#include "exact/shippable.h"
#include "pricing/block_rewrite.h"
#include "pricing/kind.h"
#include "pricing/release.h"
#include "tree/make_nodes.h"

/* The column of the inner queries with this expression. */
static Node *
column(Node *expr, int number)
{
	return (Node *) makeVar(1, number, exprType(expr), exprTypmod(expr), exprCollation(expr), 0);
}

Node *
dp_exact_over_parts(Node *expr, DpParts *parts)
{
	ListCell   *lc;

	if (expr == NULL)
		return NULL;
	foreach(lc, parts->groups)
		if (equal(lfirst(lc), expr))
			return column(expr, foreach_current_index(lc) + 1);
	if (IsA(expr, Var))
		elog(ERROR, "query over parts has an ungrouped column");
	return expression_tree_mutator(expr, dp_exact_over_parts, parts);
}

/*
 * What the inner queries group by: constants are the same everywhere.  Their columns stand in
 * the order in which the query over them mentions them.  Otherwise they would be scanned
 * by a node that puts them in order, and other servers not be asked at the same time.
 */
DpParts
dp_exact_start_parts(const DpBlockRewrite *rewrite)
{
	DpParts		parts = {.groups = NIL};
	ListCell   *lc;

	foreach(lc, rewrite->key_values ? rewrite->plain_keys : rewrite->key_exprs)
		if (!IsA(lfirst(lc), Const))
			parts.groups = list_append_unique(parts.groups, lfirst(lc));
	parts.groups = list_append_unique(parts.groups, linitial(rewrite->contribution.units));
	return parts;
}

/* Partition sum that the inner queries compute for a measure, or NULL. */
static Node *
make_part(const DpMeasure *measure)
{
	const DpKind *kind = dp_kind(&measure->release);

	if (measure->distinct_units)
		return NULL;
	if (kind->part == NULL)
		elog(ERROR, "release of kind %d has no parts", (int) kind->number);
	return kind->part(measure);
}

Node *
dp_exact_part_of(const DpMeasure *measure, DpParts *parts)
{
	Node	   *part = make_part(measure);
	int			i = 0;

	if (part == NULL)
		return NULL;
	while (i < list_length(parts->parts) && !equal(list_nth(parts->parts, i), part))
		i++;
	if (i == list_length(parts->parts))
		parts->parts = lappend(parts->parts, part);
	return column(part, list_length(parts->groups) + i + 1);
}

/* A range-table entry for one table, without its partitions. */
static RangeTblEntry *
make_entry(Relation relation)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	TupleDesc	desc = RelationGetDescr(relation);
	List	   *names = NIL;

	for (int i = 0; i < desc->natts; i++)
		names = lappend(names, makeString(pstrdup(NameStr(TupleDescAttr(desc, i)->attname))));
	rte->rtekind = RTE_RELATION;
	rte->relid = RelationGetRelid(relation);
	rte->relkind = relation->rd_rel->relkind;
	rte->rellockmode = AccessShareLock;
	rte->eref = makeAlias(RelationGetRelationName(relation), names);
	rte->inFromCl = true;
	return rte;
}

/* The inner query over one partition, read with the rights of the root's owner. */
static Query *
add_up_partition(const DpParts *parts, Node *quals, Index varno, Relation root, Relation partition)
{
	RangeTblEntry *rte = make_entry(partition);
	RangeTblRef *ref = makeNode(RangeTblRef);
	List	   *exprs = copyObject(list_make3(parts->groups, parts->parts, quals));
	Query	   *query;
	ListCell   *lc;

	if (rte->relkind == RELKIND_FOREIGN_TABLE)
		exprs = (List *) dp_exact_ship((Node *) exprs);
	exprs = map_partition_varattnos(exprs, varno, partition, root);
	ChangeVarNodes((Node *) exprs, varno, 1, 0);
	ref->rtindex = 1;
	query = dp_tree_make_select(list_make1(rte),
								makeFromExpr(list_make1(ref), lthird(exprs)));
	dp_compat_read_as(query, rte, root->rd_rel->relowner);
	query->hasAggs = parts->parts != NIL;
	foreach(lc, linitial_node(List, exprs))
		dp_tree_add_group(query, lfirst(lc), "k", false);
	foreach(lc, (List *) lsecond(exprs))
		dp_tree_add_column(query, lfirst(lc), "part");
	return query;
}

/* left UNION ALL right, with columns like these targets; right if that is all. */
static Node *
make_union(List *targets, Node *left, Node *right)
{
	SetOperationStmt *both = makeNode(SetOperationStmt);
	ListCell   *lc;

	if (left == NULL)
		return right;
	both->op = SETOP_UNION;
	both->all = true;
	both->larg = left;
	both->rarg = right;
	foreach(lc, targets)
	{
		Node	   *expr = (Node *) lfirst_node(TargetEntry, lc)->expr;

		both->colTypes = lappend_oid(both->colTypes, exprType(expr));
		both->colTypmods = lappend_int(both->colTypmods, exprTypmod(expr));
		both->colCollations = lappend_oid(both->colCollations, exprCollation(expr));
	}
	return (Node *) both;
}

/* Inner queries as one. */
static Query *
unite(List *queries)
{
	Query	   *all = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	Query	   *first = linitial(queries);
	ListCell   *lc;

	if (list_length(queries) == 1)
		return first;
	foreach(lc, first->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		dp_tree_add_column(all, (Node *) makeVarFromTargetEntry(1, target), target->resname);
	}
	foreach(lc, queries)
	{
		RangeTblRef *ref = makeNode(RangeTblRef);

		all->rtable = list_concat(all->rtable,
								  dp_tree_make_select_from(lfirst(lc), "dp_part")->rtable);
		ref->rtindex = list_length(all->rtable);
		all->setOperations = make_union(all->targetList, all->setOperations, (Node *) ref);
	}
	return all;
}

/*
 * The inner queries over all partitions.  *others gets an entry for each
 * partitioned table on the way to them: their changes have to be noticed.
 */
static List *
add_up_partitions(const DpParts *parts, Query *rows, List **others)
{
	Index		varno = linitial_node(RangeTblRef, rows->jointree->fromlist)->rtindex;
	Relation	root = table_open(rt_fetch(varno, rows->rtable)->relid, NoLock);
	List	   *queries = NIL;
	ListCell   *lc;

	foreach(lc, find_all_inheritors(RelationGetRelid(root), AccessShareLock, NULL))
	{
		Relation	relation = table_open(lfirst_oid(lc), NoLock);

		if (relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
			queries = lappend(queries, add_up_partition(parts, rows->jointree->quals, varno,
														root, relation));
		else if (relation != root)
			*others = lappend(*others, make_entry(relation));
		table_close(relation, NoLock);
	}
	table_close(root, NoLock);
	return queries;
}

/* The table's own entry stays, for its privileges and its changes. */
Query *
dp_exact_read_parts(const DpParts *parts, Query *rows)
{
	List	   *others = NIL;
	List	   *queries = add_up_partitions(parts, rows, &others);
	Query	   *query = dp_tree_make_select_from(unite(queries), "dp_parts");

	query->rtable = list_concat(list_concat(query->rtable, rows->rtable), others);
	dp_compat_take_permissions(query, rows);
	return query;
}
