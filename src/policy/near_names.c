/* SPDX-License-Identifier: PostgreSQL */
/*
 * near_names.c
 *	  What may have been meant by the name of a column or data set that is not there.
 */
#include "postgres.h"

#include "access/relation.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/closest.h"
#include "policy/near_names.h"
#include "policy/policy.h"
#include "policy/uninstall.h"

PG_FUNCTION_INFO_V1(dp_policy_missing_column);

const char *
dp_policy_column_hint(Oid relid, const char *name)
{
	DpClosest	closest = {.name = name};
	Relation	relation = try_relation_open(relid, AccessShareLock);
	const char *hint = NULL;

	if (relation == NULL)
		return NULL;
	for (int i = 0; i < RelationGetNumberOfAttributes(relation); i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(relation), i);

		if (!column->attisdropped)
			dp_closest_try(&closest, NameStr(column->attname));
	}
	if (closest.match)
		hint = psprintf("Perhaps you meant to reference the column \"%s.%s\".", RelationGetRelationName(relation), closest.match);
	relation_close(relation, AccessShareLock);
	return hint;
}

void
dp_policy_raise_no_column(Oid relid, const char *name)
{
	const char *hint = dp_policy_column_hint(relid, name);

	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of relation \"%s\" does not exist", name, get_rel_name(relid)),
			 hint ? errhint("%s", hint) : 0));
}

/* dp_agg_internal.missing_column(relation regclass, col name): says so; nothing if there is one. */
Datum
dp_policy_missing_column(PG_FUNCTION_ARGS)
{
	Oid			relid = PG_GETARG_OID(0);
	const char *name = NameStr(*PG_GETARG_NAME(1));

	if (get_rel_name(relid) && get_attnum(relid, name) == InvalidAttrNumber)
		dp_policy_raise_no_column(relid, name);
	PG_RETURN_VOID();
}

/*
 * Does a table belong to this data set, or is none protected at all?  Otherwise the closest name of one that has tables
 * is found, if any is close.
 */
static bool
may_be_meant(DpClosest *closest)
{
	bool		any = false;
	ListCell   *lc;

	foreach(lc, dp_policy_labelled_tables())
	{
		DpPolicy	policy;
		bool		malformed;

		if (!dp_policy_policy_find(lfirst_oid(lc), &policy, &malformed))
			continue;
		if (strcmp(NameStr(policy.dataset), closest->name) == 0)
			return true;
		dp_closest_try(closest, pstrdup(NameStr(policy.dataset)));
		any = true;
	}
	return !any;
}

void
dp_policy_warn_of_dataset(const char *dataset)
{
	DpClosest	closest = {.name = dataset};

	if (may_be_meant(&closest))
		return;
	ereport(closest.match ? WARNING : NOTICE,
			(closest.match ? errcode(ERRCODE_WARNING) : 0,
			 errmsg("no table belongs to data set \"%s\"", dataset),
			 closest.match ? errhint("Perhaps you meant the data set \"%s\".", closest.match) :
			 errhint("dp_agg.protected_tables shows the data sets that tables belong to.")));
}
