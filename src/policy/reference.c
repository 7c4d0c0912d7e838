/* SPDX-License-Identifier: PostgreSQL */
/*
 * reference.c
 *	  Columns of public tables that list the keys of protected ones; see reference.h.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "policy/policy.h"
#include "policy/reference.h"
#include "policy/unique.h"

/* Is it a column of a table, which is read without its children, with at most one row for each value? */
static bool
is_unique(Oid target, AttrNumber number)
{
	Relation	relation = table_open(target, NoLock);
	bool		unique = dp_policy_column_is_unique_alone(relation, number);

	table_close(relation, NoLock);
	return unique;
}

DpReason *
dp_policy_reference_obstacle(Oid target, AttrNumber number, Oid relid, AttrNumber column)
{
	Oid			types[2];
	int32		typmod;
	Oid			collations[2];
	DpPolicy	policy;

	if (get_rel_relkind(target) != RELKIND_RELATION || number <= 0)
		return dp_tree_reason_as(ERRCODE_WRONG_OBJECT_TYPE, -1, "Name a column of an ordinary table.",
								 "\"%s\" lists no keys", get_rel_name(target));
	if (dp_policy_policy_get(target, &policy))
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1, "Name a column of a public table.",
								 "protected table \"%s\" lists no keys", get_rel_name(target));
	get_atttypetypmodcoll(target, number, &types[0], &typmod, &collations[0]);
	get_atttypetypmodcoll(relid, column, &types[1], &typmod, &collations[1]);
	if (types[0] != types[1] || collations[0] != collations[1])
		return dp_tree_reason_as(ERRCODE_DATATYPE_MISMATCH, -1, "Name a column of the same type.",
								 "columns \"%s\" of \"%s\" and \"%s\" of \"%s\" are not of the same type",
								 get_attname(relid, column, false), get_rel_name(relid),
								 get_attname(target, number, false), get_rel_name(target));
	if (!is_unique(target, number))
		return dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, -1, "Make it a primary key or UNIQUE.",
								 "column \"%s\" of \"%s\" lists no keys: it is not unique",
								 get_attname(target, number, false), get_rel_name(target));
	return NULL;
}
