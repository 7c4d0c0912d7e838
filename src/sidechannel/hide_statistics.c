/* SPDX-License-Identifier: PostgreSQL */
/*
 * hide_statistics.c
 *	  What a hardened database withholds from a role, shown as unknown.
 *
 * dp_agg.harden takes away the right to read how many rows and pages tables
 * have: columns of pg_class, and functions such as pg_table_size; and whether rows
 * had been updated when an index was built, a column of pg_index.  Clients ask
 * for them beside what they need (SELECT c.* FROM pg_class c), and would fail.
 * So a statement of a role without the right is given what PostgreSQL shows of
 * a table that was never vacuumed, analyzed or updated, and null for sizes.
 *
 * Nothing is ever granted here: what this does not reach is denied by the
 * privileges, whole rows of these catalogs for example, and plans made for a role
 * that has the right.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "base/compat_planner.h"
#include "sidechannel/hide_statistics.h"

/* The query levels a node is inside of, innermost first. */
typedef struct Level
{
	Query	   *query;
	Bitmapset  *entries;		/* of FROM, whose counts are hidden */
	struct Level *outer;
} Level;

bool
dp_sidechannel_is_size(Oid function)
{
	switch (function)
	{
		case F_PG_DATABASE_SIZE_NAME:
		case F_PG_DATABASE_SIZE_OID:
		case F_PG_INDEXES_SIZE:
		case F_PG_RELATION_SIZE_REGCLASS:
		case F_PG_RELATION_SIZE_REGCLASS_TEXT:
		case F_PG_TABLE_SIZE:
		case F_PG_TABLESPACE_SIZE_NAME:
		case F_PG_TABLESPACE_SIZE_OID:
		case F_PG_TOTAL_RELATION_SIZE:
			return true;
		default:
			return false;
	}
}

/* The column of a catalog that counts rows whose rows are never without it, or 0. */
static AttrNumber
key_of(Oid catalogue)
{
	return catalogue == RelationRelationId ? Anum_pg_class_oid :
		catalogue == IndexRelationId ? Anum_pg_index_indexrelid : InvalidAttrNumber;
}

/* Does the column of such a catalog depend on the rows of a table? */
static bool
is_count(Oid catalogue, AttrNumber attnum)
{
	if (catalogue == IndexRelationId)
		return attnum == Anum_pg_index_indcheckxmin;
	switch (attnum)
	{
		case Anum_pg_class_relpages:
		case Anum_pg_class_reltuples:
		case Anum_pg_class_relallvisible:
#ifdef Anum_pg_class_relallfrozen
		case Anum_pg_class_relallfrozen:
#endif
		case Anum_pg_class_relfrozenxid:
		case Anum_pg_class_relminmxid:
			return true;
		default:
			return false;
	}
}

bool
dp_sidechannel_reads_counts(Query *query, RangeTblEntry *rte)
{
	int			column = -1;

	/* Views read it with their owner's privileges. */
	if (key_of(rte->relid) == InvalidAttrNumber || OidIsValid(DP_PERMISSIONS(query, rte)->checkAsUser))
		return false;
	while ((column = bms_next_member(DP_PERMISSIONS(query, rte)->selectedCols, column)) >= 0)
		if (is_count(rte->relid, column + FirstLowInvalidHeapAttributeNumber))
			return true;
	return false;
}

/* May the current role read a whole catalog? */
static bool
may_read_all(Oid catalogue)
{
	return pg_class_aclcheck(catalogue, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

/* May it read a column? */
static bool
may_read(Oid catalogue, AttrNumber attnum)
{
	return may_read_all(catalogue) ||
		pg_attribute_aclcheck(catalogue, attnum, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

/*
 * Values that the catalogs hold for a table that was never vacuumed, analyzed or
 * updated.
 */
static Const *
unknown_count(Var *var)
{
	switch (var->vartype)
	{
		case BOOLOID:
			return (Const *) makeBoolConst(false, false);
		case FLOAT4OID:
			return makeConst(FLOAT4OID, -1, InvalidOid, sizeof(float4), Float4GetDatum(-1), false, true);
		case INT4OID:
			return makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false, true);
		default:
			Assert(var->vartype == XIDOID);
			return makeConst(XIDOID, -1, InvalidOid, sizeof(TransactionId),
							 TransactionIdGetDatum(InvalidTransactionId), false, true);
	}
}

/* The unknown count, but null where an outer join has no row of the catalog. */
static Node *
withhold_column(Var *var, AttrNumber key)
{
	Var		   *oid = copyObject(var);
	NullTest   *absent = makeNode(NullTest);
	CaseWhen   *when = makeNode(CaseWhen);
	CaseExpr   *result = makeNode(CaseExpr);

	oid->varattno = key;
	oid->varattnosyn = 0;
	oid->varnosyn = 0;
	oid->vartype = OIDOID;
	absent->arg = (Expr *) oid;
	absent->nulltesttype = IS_NOT_NULL;
	absent->location = -1;
	when->expr = (Expr *) absent;
	when->result = (Expr *) unknown_count(var);
	when->location = -1;
	result->casetype = var->vartype;
	result->args = list_make1(when);
	result->defresult = (Expr *) makeNullConst(var->vartype, -1, InvalidOid);
	result->location = -1;
	return (Node *) result;
}

/* The catalog whose count this column is, if it is a hidden one, or InvalidOid. */
static Oid
withheld_from(Var *var, Level *level)
{
	Oid			catalogue;

	for (Index up = var->varlevelsup; up > 0 && level; up--)
		level = level->outer;
	if (level == NULL || !bms_is_member(var->varno, level->entries))
		return InvalidOid;
	catalogue = rt_fetch(var->varno, level->query->rtable)->relid;
	return is_count(catalogue, var->varattno) && !may_read(catalogue, var->varattno) ?
		catalogue : InvalidOid;
}

/* The entries of FROM through which the query itself reads counts. */
static Bitmapset *
entries_with_counts(Query *query)
{
	Bitmapset  *entries = NULL;
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_RELATION && dp_sidechannel_reads_counts(query, rte))
			entries = bms_add_member(entries, foreach_current_index(lc) + 1);
	}
	return entries;
}

/* Ask for the privileges that are needed to tell whether there is a row. */
static void
amend_privileges(Query *query, Bitmapset *entries)
{
	int			rtindex = -1;

	while ((rtindex = bms_next_member(entries, rtindex)) >= 0)
	{
		RangeTblEntry *rte = list_nth_node(RangeTblEntry, query->rtable, rtindex - 1);
		Bitmapset  *columns = bms_copy(DP_PERMISSIONS(query, rte)->selectedCols);
		Bitmapset  *kept = bms_make_singleton(key_of(rte->relid) - FirstLowInvalidHeapAttributeNumber);
		int			column = -1;

		while ((column = bms_next_member(columns, column)) >= 0)
			if (!is_count(rte->relid, column + FirstLowInvalidHeapAttributeNumber) ||
				may_read(rte->relid, column + FirstLowInvalidHeapAttributeNumber))
				kept = bms_add_member(kept, column);
		DP_PERMISSIONS(query, rte)->selectedCols = kept;
	}
}

static Node *
withhold_mutator(Node *node, Level *outer)
{
	Oid			catalogue;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		Level		level = {(Query *) node, entries_with_counts((Query *) node), outer};
		Query	   *query = query_tree_mutator((Query *) node, withhold_mutator, &level, 0);

		amend_privileges(query, level.entries);
		return (Node *) query;
	}
	if (IsA(node, Var) && (catalogue = withheld_from((Var *) node, outer)) != InvalidOid)
		return withhold_column((Var *) node, key_of(catalogue));
	if (IsA(node, FuncExpr) && dp_sidechannel_is_size(((FuncExpr *) node)->funcid) &&
		!DP_MAY_EXECUTE(((FuncExpr *) node)->funcid, GetUserId()))
		return (Node *) makeNullConst(((FuncExpr *) node)->funcresulttype, -1, InvalidOid);
	return expression_tree_mutator(node, withhold_mutator, outer);
}

/* Is a size function called that is closed to the current role? */
static bool
closed_size_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, closed_size_walker, context, 0);
	if (IsA(node, FuncExpr) && dp_sidechannel_is_size(((FuncExpr *) node)->funcid) &&
		!DP_MAY_EXECUTE(((FuncExpr *) node)->funcid, GetUserId()))
		return true;
	return expression_tree_walker(node, closed_size_walker, context);
}

Query *
dp_sidechannel_withhold_unknown(Query *query, bool counts, bool sizes)
{
	bool		counts_closed = counts &&
		!(may_read_all(RelationRelationId) && may_read_all(IndexRelationId));

	if (!counts_closed && !(sizes && closed_size_walker((Node *) query, NULL)))
		return query;
	return (Query *) withhold_mutator((Node *) copyObject(query), NULL);
}
