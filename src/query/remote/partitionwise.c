/*
 * partitionwise.c
 *	  Adding up units partition by partition, where their rows are.
 *
 * The query over units of a table with partitions on other servers,
 *
 *		SELECT unit, keys, f(x) FROM t WHERE ... GROUP BY unit, keys
 *
 * becomes
 *
 *		SELECT unit, keys, f(part)
 *		  FROM (SELECT unit, keys, part(x) FROM p1 WHERE ... GROUP BY unit, keys
 *		        UNION ALL
 *		        SELECT unit, keys, part(x) FROM p2 WHERE ... GROUP BY unit, keys
 *		        ...)
 *		 WHERE unit IS NOT NULL GROUP BY unit, keys
 *
 * Each of the inner queries has a form that postgres_fdw leaves to the other
 * server.  The outer one puts every unit together from whatever partitions it
 * turned up in: nobody checks that a foreign table keeps to its partition's
 * bounds or to its NOT NULL, and a unit is one unit even if it does not.
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
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "query/block/block_rewrite.h"
#include "query/nodes/make_nodes.h"
#include "query/nodes/own_functions.h"
#include "query/remote/partitionwise.h"
#include "query/remote/shippable.h"

/* Aggregates over a unit's rows, and what they are put together from. */
static const struct
{
	const char *name;
	const char *part;
}			splits[] = {
	{"unit_sum", "unit_sum_part"},
	{"unit_avg", "unit_part"},
	{"unit_rows", "unit_part"},
	{"unit_cells", "exact_cells"},
};

/* What the inner queries compute, over the table's own columns. */
typedef struct Split
{
	List	   *groups;			/* unit, then keys */
	List	   *parts;			/* Aggrefs, no two alike */
} Split;

/* The column of the inner queries with this expression. */
static Node *
column(Node *expr, int number)
{
	return (Node *) makeVar(1, number, exprType(expr), exprTypmod(expr), exprCollation(expr), 0);
}

static Node *
part_column(Split *split, Node *part)
{
	int			i = 0;

	while (i < list_length(split->parts) && !equal(list_nth(split->parts, i), part))
		i++;
	if (i == list_length(split->parts))
		split->parts = lappend(split->parts, part);
	return column(part, list_length(split->groups) + i + 1);
}

/* An aggregate over a unit's rows as one over its parts. */
static Node *
put_aggregate_together(Aggref *aggref, Split *split)
{
	const char *name = get_func_name(aggref->aggfnoid);
	List	   *args = NIL;
	ListCell   *lc;

	if (aggref->aggfnoid == F_COUNT_ || aggref->aggfnoid == F_COUNT_ANY)
		return (Node *) dp_query_make_aggregate("total_count",
												list_make1(part_column(split, copyObject((Node *) aggref))),
												INT8OID);
	foreach(lc, aggref->args)
		args = lappend(args, copyObject(lfirst_node(TargetEntry, lc)->expr));
	for (int i = 0; i < lengthof(splits); i++)
		if (dp_query_is_extensions(aggref->aggfnoid) && strcmp(splits[i].name, name) == 0)
		{
			Node	   *part = (Node *) dp_query_make_aggregate(splits[i].part, args, BYTEAOID);

			return (Node *) dp_query_make_aggregate(name, list_make2(part_column(split, part),
																	 copyObject(llast(args))),
													aggref->aggtype);
		}
	elog(ERROR, "aggregate %s has no parts", name);
}

/* An output of the query over units as one over the inner queries' columns. */
static Node *
put_together(Node *node, Split *split)
{
	ListCell   *lc;

	if (node == NULL)
		return NULL;
	foreach(lc, split->groups)
		if (equal(lfirst(lc), node))
			return column(node, foreach_current_index(lc) + 1);
	if (IsA(node, Aggref))
		return put_aggregate_together((Aggref *) node, split);
	if (IsA(node, Var))
		elog(ERROR, "query over units has an ungrouped column");
	return expression_tree_mutator(node, put_together, split);
}

/* What the inner queries group by: constants are the same everywhere. */
static List *
groups_of(DpBlockRewrite *rewrite)
{
	List	   *groups = list_make1(linitial(rewrite->contribution.units));
	ListCell   *lc;

	foreach(lc, rewrite->key_values ? rewrite->plain_keys : rewrite->key_exprs)
		if (!IsA(lfirst(lc), Const))
			groups = list_append_unique(groups, lfirst(lc));
	return groups;
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
add_up_partition(Split *split, Node *quals, Index varno, Relation root, Relation partition)
{
	RangeTblEntry *rte = make_entry(partition);
	RangeTblRef *ref = makeNode(RangeTblRef);
	List	   *exprs = copyObject(list_make3(split->groups, split->parts, quals));
	Query	   *query;
	ListCell   *lc;

	if (rte->relkind == RELKIND_FOREIGN_TABLE)
		exprs = (List *) dp_query_ship((Node *) exprs);
	exprs = map_partition_varattnos(exprs, varno, partition, root);
	ChangeVarNodes((Node *) exprs, varno, 1, 0);
	ref->rtindex = 1;
	query = dp_query_make_select(list_make1(rte),
								 makeFromExpr(list_make1(ref), lthird(exprs)));
	dp_compat_read_as(query, rte, root->rd_rel->relowner);
	query->hasAggs = split->parts != NIL;
	foreach(lc, linitial_node(List, exprs))
		dp_query_add_group(query, lfirst(lc), "k", false);
	foreach(lc, (List *) lsecond(exprs))
		dp_query_add_column(query, lfirst(lc), "part");
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
	Query	   *all = dp_query_make_select(NIL, makeFromExpr(NIL, NULL));
	Query	   *first = linitial(queries);
	ListCell   *lc;

	if (list_length(queries) == 1)
		return first;
	foreach(lc, first->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		dp_query_add_column(all, (Node *) makeVarFromTargetEntry(1, target), target->resname);
	}
	foreach(lc, queries)
	{
		RangeTblRef *ref = makeNode(RangeTblRef);

		all->rtable = list_concat(all->rtable,
								  dp_query_make_select_from(lfirst(lc), "dp_part")->rtable);
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
add_up_partitions(Split *split, Query *units, List **others)
{
	Index		varno = linitial_node(RangeTblRef, units->jointree->fromlist)->rtindex;
	Relation	root = table_open(rt_fetch(varno, units->rtable)->relid, NoLock);
	List	   *queries = NIL;
	ListCell   *lc;

	foreach(lc, find_all_inheritors(RelationGetRelid(root), AccessShareLock, NULL))
	{
		Relation	relation = table_open(lfirst_oid(lc), NoLock);

		if (relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
			queries = lappend(queries, add_up_partition(split, units->jointree->quals, varno,
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
dp_query_by_parts(DpBlockRewrite *rewrite, Query *units)
{
	Split		split = {.groups = groups_of(rewrite)};
	List	   *others = NIL;
	List	   *outputs = (List *) put_together((Node *) units->targetList, &split);
	List	   *queries = add_up_partitions(&split, units, &others);
	Query	   *query = dp_query_make_select_from(unite(queries), "dp_parts");

	query->rtable = list_concat(list_concat(query->rtable, units->rtable), others);
	dp_compat_take_permissions(query, units);
	query->targetList = outputs;
	query->groupClause = units->groupClause;
	query->hasAggs = true;
	query->jointree->quals =
		dp_query_make_not_null(column(linitial(split.groups), 1));
	return query;
}
