/* SPDX-License-Identifier: PostgreSQL */
/*
 * unique.c
 *	  Does a table hold at most one row per privacy unit?
 *
 * An index proves it for the rows that were alive when it was built or came later, not
 * for dead ones an older snapshot may still see.  So whatever vouches (the index, and
 * for partitions their place in the tree) must be older than every snapshot in use in
 * the database.  This transaction's own snapshot is not enough, since a plan outlives
 * it and may run under an imported snapshot.
 *
 * The tables' last TRUNCATE must be older, too.  Every snapshot sees rows of COPY
 * (FREEZE) into a table that its transaction has emptied.  So an older snapshot may see
 * a row that the same transaction deleted again, and its replacement as well.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "storage/procarray.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "base/compat_catalog.h"
#include "policy/partitions.h"
#include "policy/unique.h"

bool
dp_policy_column_is_not_null(Relation relation, AttrNumber attno)
{
	return dp_compat_is_not_null(RelationGetDescr(relation), attno) &&
		!dp_policy_has_children(RelationGetRelid(relation));
}

bool
dp_policy_is_declared_not_null(const RangeTblEntry *rte, AttrNumber attno)
{
	Relation	relation;
	bool		not_null;

	if (rte->rtekind != RTE_RELATION || attno <= 0)
		return false;
	relation = table_open(rte->relid, NoLock);
	not_null = dp_policy_column_is_not_null(relation, attno);
	table_close(relation, NoLock);
	return not_null;
}

/* Is this a column that cannot be NULL, in a FROM that puts no NULLs in its place? */
static bool
is_not_null_column(Query *query, Var *var)
{
	ListCell   *lc;

	foreach(lc, query->jointree->fromlist)
		if (!IsA(lfirst(lc), RangeTblRef))
			return false;
	return dp_policy_is_declared_not_null(rt_fetch(var->varno, query->rtable), var->varattno);
}

/* Does WHERE leave out the rows of which this is NULL, by saying so? */
static bool
is_required(Node *quals, Node *expr)
{
	NullTest   *test = (NullTest *) quals;
	ListCell   *lc;

	if (quals && (IsA(quals, List) || is_andclause(quals)))
	{
		foreach(lc, IsA(quals, List) ? (List *) quals : ((BoolExpr *) quals)->args)
			if (is_required(lfirst(lc), expr))
				return true;
		return false;
	}
	return quals && IsA(quals, NullTest) && test->nulltesttype == IS_NOT_NULL &&
		equal(test->arg, expr);
}

/* Can a key be NULL?  Where in doubt, yes. */
static bool
can_be_null(Query *query, Node *expr)
{
	ListCell   *lc;

	switch (nodeTag(expr))
	{
		case T_NullTest:
		case T_BooleanTest:
		case T_DistinctExpr:
			return false;
		case T_Var:
			return !is_not_null_column(query, (Var *) expr);
		case T_BoolExpr:
			foreach(lc, ((BoolExpr *) expr)->args)
				if (can_be_null(query, lfirst(lc)))
					return true;
			return false;
		default:
			return true;
	}
}

bool
dp_policy_can_be_null(Query *query, Node *expr)
{
	return can_be_null(query, expr) && !is_required(query->jointree->quals, expr);
}

/* Was this version of a catalog row written before every snapshot in use? */
static bool
is_old(HeapTuple tuple, TransactionId horizon)
{
	return TransactionIdPrecedes(HeapTupleHeaderGetXmin(tuple->t_data), horizon);
}

/* Has the index a predicate or expressions?  They are not read: that would run code in them. */
static bool
has_expressions(Relation index)
{
	return !heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL);
}

/* Does the index compare exactly this column, the way its type and collation do? */
static bool
is_on_column(Relation index, Relation relation, AttrNumber unit)
{
	Form_pg_attribute column = TupleDescAttr(RelationGetDescr(relation), unit - 1);
	Oid			family = lookup_type_cache(column->atttypid, TYPECACHE_BTREE_OPFAMILY)->btree_opf;

	return index->rd_rel->relam == BTREE_AM_OID &&
		index->rd_index->indnkeyatts == 1 &&
		index->rd_index->indkey.values[0] == unit &&
		!has_expressions(index) &&
		OidIsValid(family) &&
		index->rd_opfamily[0] == family &&
		index->rd_indcollation[0] == column->attcollation;
}

bool
dp_policy_key_is_in_force(Relation index)
{
	return dp_policy_key_is_in_force_alone(index) && !dp_policy_has_children(index->rd_index->indrelid);
}

bool
dp_policy_key_is_in_force_alone(Relation index)
{
	return dp_policy_index_is_in_force(index->rd_index) && index->rd_rel->relam == BTREE_AM_OID &&
		!has_expressions(index);
}

/*
 * The oldest transaction whose effects some snapshot may not see in a table.  A
 * partitioned one has no rows, nor a horizon: that of catalogs is never later
 * than its partitions'.
 */
static TransactionId
horizon_of(Relation relation)
{
	Relation	catalog;
	TransactionId horizon;

	if (relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return GetOldestNonRemovableTransactionId(relation);
	catalog = table_open(RelationRelationId, AccessShareLock);
	horizon = GetOldestNonRemovableTransactionId(catalog);
	table_close(catalog, AccessShareLock);
	return horizon;
}

/* Is no snapshot in use older than an index, and than what it holds of? */
static bool
is_older_than_snapshots(Relation index, Relation relation)
{
	TransactionId horizon = horizon_of(relation);

	/*
	 * The table, and all partitions, must have been filled by ordinary means for long, and have
	 * been in the tree: what a partition held before need not have fitted its bounds.
	 */
	return is_old(index->rd_indextuple, horizon) &&
		dp_policy_partitions_are_old(RelationGetRelid(relation), horizon) &&
		(relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE ||
		 dp_policy_index_parts_hold(RelationGetRelid(index), horizon));
}

bool
dp_policy_key_is_old(Relation index, Relation relation, List **new_keys)
{
	bool		old = !(new_keys && list_member_oid(*new_keys, RelationGetRelid(index))) &&
		is_older_than_snapshots(index, relation);

	if (new_keys && !old)
		*new_keys = list_append_unique_oid(*new_keys, RelationGetRelid(index));
	return old;
}

/* Does this index prove that no two rows share a unit, in any snapshot or in a new one? */
static bool
proves_unique(Relation index, Relation relation, AttrNumber unit, bool in_any, List **new_keys)
{
	return dp_policy_index_is_in_force(index->rd_index) && is_on_column(index, relation, unit) &&
		(!in_any || dp_policy_key_is_old(index, relation, new_keys));
}

/* Does some index? */
static bool
is_unique(Relation relation, AttrNumber unit, bool in_any, List **new_keys)
{
	List	   *indexes = RelationGetIndexList(relation);
	ListCell   *cell;
	bool		unique = false;

	foreach(cell, indexes)
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		unique = proves_unique(index, relation, unit, in_any, new_keys);
		index_close(index, AccessShareLock);
		if (unique)
			break;
	}
	list_free(indexes);
	return unique;
}

bool
dp_policy_unit_is_unique(Relation relation, AttrNumber unit, List **new_keys)
{
	return !dp_policy_has_children(RelationGetRelid(relation)) && is_unique(relation, unit, true, new_keys);
}

bool
dp_policy_column_is_unique(Relation relation, AttrNumber column)
{
	return !dp_policy_has_children(RelationGetRelid(relation)) && is_unique(relation, column, false, NULL);
}

bool
dp_policy_column_is_unique_alone(Relation relation, AttrNumber column)
{
	return is_unique(relation, column, false, NULL);
}
