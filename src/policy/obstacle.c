/* SPDX-License-Identifier: PostgreSQL */
/*
 * obstacle.c
 *	  What a table and a column have to be to be protected, and still to be when they are read.
 */
#include "postgres.h"

#include "catalog/catalog.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_foreign_data_wrapper.h"
#include "catalog/pg_inherits.h"
#include "commands/extension.h"
#include "foreign/fdwapi.h"
#include "foreign/foreign.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "base/compat_catalog.h"
#include "expression/allow_list.h"
#include "expression/canonical_key.h"
#include "policy/children.h"
#include "policy/citus.h"
#include "policy/obstacle.h"
#include "policy/partitions.h"
#include "policy/policy.h"
#include "policy/timescale.h"

/* Is this a foreign table that a protected table cannot have as a partition? */
static bool
is_unfit_partition(Oid relid)
{
	Oid			extension = get_extension_oid("postgres_fdw", true);
	ForeignServer *server;

	server = GetForeignServer(GetForeignServerIdByRelId(relid));
	return !OidIsValid(extension) ||
		getExtensionOfObject(ForeignDataWrapperRelationId, server->fdwid) != extension;
}

/* Is one of the partitions below a partitioned table a foreign table that cannot be? */
static bool
has_unfit_partition(Oid relid)
{
	ListCell   *cell;

	foreach(cell, dp_policy_lock_foreign_partitions(relid))
		if (is_unfit_partition(lfirst_oid(cell)))
			return true;
	return false;
}

/* Reason why the relation as a whole cannot be protected, or NULL. */
static DpReason *
relation_obstacle(Relation relation)
{
	const char *name = RelationGetRelationName(relation);
	Oid			relid = RelationGetRelid(relation);
	char		relkind = relation->rd_rel->relkind;
	DpReason   *reason;

	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1,
								 "Protect the tables it is made of: queries may go through a view of their owner.",
								 "\"%s\" is not a table", name);
	if (IsSystemRelation(relation))
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1, "Protect tables of your own.", "\"%s\" is a system catalog",
								 name);
	if (relation->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1, "Use a permanent table.",
								 "\"%s\" is a temporary table", name);
	if (relation->rd_rel->relispartition)
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1,
								 "Protect the partitioned table at the root of the tree.",
								 "\"%s\" is a partition", name);
	if (has_superclass(relid))
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1,
								 "Protect the table at the root: its children are protected with it.",
								 "\"%s\" inherits from another table", name);
	if (relkind == RELKIND_PARTITIONED_TABLE && has_unfit_partition(relid))
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1,
								 "Partitions may be foreign tables of postgres_fdw.",
								 "\"%s\" has a foreign table as a partition", name);
	reason = dp_policy_citus_obstacle(relid);
	if (reason == NULL)
		reason = dp_policy_children_obstacle(relation);
	return reason ? reason : dp_policy_timescale_obstacle(relation);
}

DpReason *
dp_policy_obstacle(Relation relation, AttrNumber unit)
{
	DpReason   *reason = relation_obstacle(relation);
	Form_pg_attribute column;

	if (reason)
		return reason;
	if (unit <= 0)
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1, "Name a column of the table.",
								 "a system column cannot be the privacy unit");
	column = TupleDescAttr(RelationGetDescr(relation), unit - 1);
	if (dp_compat_is_virtual(column))
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1, "Use a stored column.",
								 "virtual generated column \"%s\" cannot be the privacy unit",
								 NameStr(column->attname));
	if (!dp_expression_collation_is_allowed(column->attcollation))
		return dp_tree_reason_as(ERRCODE_DATATYPE_MISMATCH, -1,
								 get_collation_isdeterministic(column->attcollation) ? "Use a column with a built-in, deterministic collation."
								 : "The collation is nondeterministic: what it calls equal can look different. Use a column with a built-in, deterministic one.",
								 "column \"%s\" cannot be the privacy unit because of its collation",
								 NameStr(column->attname));
	if (dp_policy_lowers_unit(column->atttypid))
		return NULL;
	if (!dp_expression_type_is_groupable(getBaseType(column->atttypid)) ||
		dp_expression_canonical_unit((Node *) makeVar(1, unit, column->atttypid, column->atttypmod,
													  column->attcollation, 0)) == NULL)
		return dp_tree_reason_as(ERRCODE_DATATYPE_MISMATCH, -1,
								 "Use a column of a built-in type that can be sorted and hashed, such as an integer, text or uuid.",
								 "column \"%s\" of type %s cannot be the privacy unit",
								 NameStr(column->attname), format_type_be(column->atttypid));
	return NULL;
}
