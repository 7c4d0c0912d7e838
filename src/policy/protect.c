/* SPDX-License-Identifier: PostgreSQL */
/*
 * protect.c
 *	  Declaring protection: the label provider, dp_agg.protect, dp_agg.unprotect
 *	  and what the view dp_agg.protected_tables is made of.
 *
 * A label is written under ShareUpdateExclusiveLock on its relation, which
 * excludes other labels, new inheritance children and attached partitions.
 * Every change invalidates the relation's cache entry, and so every plan made
 * under the policy before.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/seclabel.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "base/compat_catalog.h"
#include "base/compat_planner.h"
#include "base/preloaded.h"
#include "budget/kept/kept.h"
#include "policy/attach.h"
#include "policy/declared_unit.h"
#include "policy/foreign_key.h"
#include "policy/granted_reads.h"
#include "policy/near_names.h"
#include "policy/obstacle.h"
#include "policy/policy.h"
#include "policy/protect.h"
#include "policy/row_security.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

PG_FUNCTION_INFO_V1(dp_policy_protect);
PG_FUNCTION_INFO_V1(dp_policy_unprotect);
PG_FUNCTION_INFO_V1(dp_policy_policy_fields);

/* Arguments of dp_agg.protect that may be null. */
#define DATASET_ARGUMENT 2
#define GROUPS_ARGUMENT 4
#define THROUGH_ARGUMENT 8

/* Raise unless the relation exists and the current user owns it. */
static void
check_owner(Oid relid)
{
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relid)));
	if (!dp_compat_owns(RelationRelationId, relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relid)),
					   get_rel_name(relid));
}

Relation
dp_policy_open_owned(Oid relid, const char *caller)
{
	Relation	relation;

	PreventCommandIfReadOnly(caller);
	PreventCommandIfParallelMode(caller);

	/* Before the lock, so that a stranger cannot take it; and after it. */
	check_owner(relid);
	relation = relation_open(relid, ShareUpdateExclusiveLock);
	check_owner(relid);
	return relation;
}

/* Remove our labels from a relation; were there any? */
static bool
remove_labels(Oid relid)
{
	List	   *columns = dp_policy_policy_columns(relid);
	ListCell   *cell;

	foreach(cell, columns)
	{
		ObjectAddress address;

		ObjectAddressSubSet(address, RelationRelationId, relid, lfirst_int(cell));
		SetSecurityLabel(&address, DP_LABEL_PROVIDER, NULL);
	}
	CommandCounterIncrement();
	return columns != NIL;
}

/* Raise unless an argument of dp_agg.protect is within its bounds. */
static int
check_bound(const char *name, int value, int least, int most)
{
	if (value < least || value > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between %d and %d", name, least, most)));
	return value;
}

/* The data set that a text names. */
static void
set_dataset(const char *dataset, DpPolicy *policy)
{
	if (!dp_policy_dataset_name_is_valid(dataset))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid data set name"),
				 errdetail("A data set name has between 1 and %d bytes and no control characters.",
						   NAMEDATALEN - 1)));
	namestrcpy(&policy->dataset, dataset);
}

/*
 * Open the table that a call of dp_agg.protect names, and read its arguments but for data
 * set and other table.
 */
static Relation
open_to_protect(FunctionCallInfo fcinfo, DpPolicy *policy)
{
	const char *unit;
	Relation	relation;
	DpReason   *reason;

	for (int i = 0; i < PG_NARGS(); i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("arguments of %s must not be null", "dp_agg.protect")));
	unit = NameStr(*PG_GETARG_NAME(1));
	policy->relid = PG_GETARG_OID(0);
	policy->max_rows = check_bound("max_rows", PG_GETARG_INT32(3), 1, DP_MAX_MAX_ROWS);
	policy->max_groups = check_bound("max_groups", PG_GETARG_INT32(GROUPS_ARGUMENT), 1, DP_MAX_MAX_GROUPS);
	policy->max_values = check_bound("max_values", PG_GETARG_INT32(5), 0, DP_MAX_MAX_ROWS);
	policy->max_join_rows = check_bound("max_join_rows", PG_GETARG_INT32(6), 1, DP_MAX_MAX_JOIN_ROWS);
	policy->clip_max_rows = check_bound("clip_max_rows", PG_GETARG_INT32(7), 1, DP_MAX_MAX_ROWS);
	relation = dp_policy_open_owned(policy->relid, "dp_agg.protect()");
	dp_warn_unless_preloaded();
	policy->unit = get_attnum(policy->relid, unit);
	if (policy->unit == InvalidAttrNumber)
		dp_policy_raise_no_column(policy->relid, unit);
	reason = dp_policy_obstacle(relation, policy->unit);
	if (reason)
		dp_tree_raise(reason, NULL);
	return relation;
}

/* Say that other things are protected than before: what was answered of those is no loss of these. */
static void
warn_of_unit(Relation relation, const DpPolicy *before, const DpPolicy *policy)
{
	if (before->unit == policy->unit && before->linked == policy->linked)
		return;
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("the privacy unit of \"%s\" is no longer that of column \"%s\" but of \"%s\"", RelationGetRelationName(relation),
					get_attname(policy->relid, before->unit, false), get_attname(policy->relid, policy->unit, false)),
			 errdetail("What was asked of it so far protected the former units.")));
}

/*
 * Say that a table leaves its data set: leaving out the argument does it, and
 * people in the table are in for two budgets from then on.
 */
static void
warn_of_move(Relation relation, const DpPolicy *before, const DpPolicy *policy)
{
	if (strcmp(NameStr(before->dataset), NameStr(policy->dataset)) == 0)
		return;
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("\"%s\" moves from data set \"%s\" to \"%s\"", RelationGetRelationName(relation),
					NameStr(before->dataset), NameStr(policy->dataset)),
			 errdetail("What was asked of it so far does not count in the budgets of the new data set.")));
}

/* Is an argument of this call written there, and not the default? */
static bool
is_given(FunctionCallInfo fcinfo, int argument)
{
	const FuncExpr *call = (const FuncExpr *) fcinfo->flinfo->fn_expr;

	return call == NULL || !IsA(call, FuncExpr) || list_length(call->args) <= argument ||
		exprLocation(list_nth(call->args, argument)) >= 0;
}

/* Say that people who have several rows count in one group alone, if it was not said that they do. */
static void
tell_of_groups(FunctionCallInfo fcinfo, Relation relation, const DpPolicy *policy)
{
	if (policy->max_rows == 1 || is_given(fcinfo, GROUPS_ARGUMENT))
		return;
	ereport(NOTICE,
			(errmsg("each privacy unit of \"%s\" counts in one group only", RelationGetRelationName(relation)),
			 errdetail("max_rows is %d, and max_groups is not given.", policy->max_rows),
			 errhint("Where people have rows in several groups, such as years, give max_groups, for which dp_agg.suggest_max_groups has an estimate. max_groups => 1 says that one is meant.")));
}

/* Forget what was answered of a table, or of another that had its name. */
static void
forget_kept(Relation relation)
{
	dp_budget_kept_forget_relation(quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
															  RelationGetRelationName(relation)));
}

/* Enter a policy in place of the one before, and close its table. */
static void
enter_policy(Relation relation, const DpPolicy *policy)
{
	ObjectAddress address;
	DpPolicy	before;
	bool		malformed;

	if (dp_policy_policy_find(policy->relid, &before, &malformed))
	{
		warn_of_unit(relation, &before, policy);
		warn_of_move(relation, &before, policy);
	}
	if (!policy->linked)
	{
		dp_policy_warn_of_rows(relation, policy);
		dp_policy_warn_of_nulls(relation, policy);
	}
	dp_policy_warn_of_hands(policy->relid);
	dp_policy_warn_of_readers(policy->relid);
	if (!remove_labels(policy->relid))
		forget_kept(relation);
	ObjectAddressSubSet(address, RelationRelationId, policy->relid, policy->unit);
	SetSecurityLabel(&address, DP_LABEL_PROVIDER, dp_policy_policy_label(policy));
	CacheInvalidateRelcache(relation);
	CommandCounterIncrement();
	relation_close(relation, NoLock);
	dp_policy_warn_of_policies(policy->relid);
}

/* Raise unless the data set that was named, if one was, is that of the other table. */
static void
check_dataset(FunctionCallInfo fcinfo, Oid through, const DpPolicy *parent)
{
	const char *dataset = text_to_cstring(PG_GETARG_TEXT_PP(DATASET_ARGUMENT));

	if (dataset[0] != '\0' && strcmp(dataset, NameStr(parent->dataset)) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a table belongs to the data set of the table through which it is protected"),
				 errdetail("\"%s\" is in data set \"%s\".", get_rel_name(through), NameStr(parent->dataset)),
				 errhint("Leave out dataset.")));
}

/*
 * Link a table to another: the privacy unit of a row is that of the row of `through` to
 * which its foreign key refers.  Raise if there is no such foreign key.
 */
static void
link_through(FunctionCallInfo fcinfo, Relation relation, DpPolicy *policy)
{
	Oid			through = PG_GETARG_OID(THROUGH_ARGUMENT);
	DpPolicy	parent;
	DpForeignKey link;
	bool		row_is_unit;
	DpReason   *reason;

	if (get_rel_name(through) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", through)));
	if (!dp_policy_policy_get(through, &parent))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("\"%s\" is not protected", get_rel_name(through)),
				 errhint("Protect what is referred to first.")));
	check_dataset(fcinfo, through, &parent);
	policy->dataset = parent.dataset;
	reason = dp_policy_follow_links(relation, policy, &link, &row_is_unit, NULL);
	if (reason)
		dp_tree_raise(reason, NULL);
	if (link.parent != through)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of \"%s\" does not refer to \"%s\"", NameStr(*PG_GETARG_NAME(1)),
						RelationGetRelationName(relation), get_rel_name(through))));
}

/*
 * dp_agg.protect(relation, unit, dataset, max_rows, max_groups, max_values, max_join_rows,
 * clip_max_rows, through): declare the privacy unit of a table, in place of what was
 * declared before.  It is that of another table if `through` is one, and not 0.  An empty data
 * set is that of `through`, or default.
 */
Datum
dp_policy_protect(PG_FUNCTION_ARGS)
{
	DpPolicy	policy = {0};
	Relation	relation = open_to_protect(fcinfo, &policy);
	const char *dataset = text_to_cstring(PG_GETARG_TEXT_PP(DATASET_ARGUMENT));

	policy.linked = OidIsValid(PG_GETARG_OID(THROUGH_ARGUMENT));
	if (policy.linked)
		link_through(fcinfo, relation, &policy);
	else
		set_dataset(dataset[0] != '\0' ? dataset : "default", &policy);
	tell_of_groups(fcinfo, relation, &policy);
	enter_policy(relation, &policy);
	PG_RETURN_VOID();
}

/* dp_agg.unprotect(relation): nobody may query it through us any more. */
Datum
dp_policy_unprotect(PG_FUNCTION_ARGS)
{
	Relation	relation;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("arguments of dp_agg.unprotect must not be null")));
	relation = dp_policy_open_owned(PG_GETARG_OID(0), "dp_agg.unprotect()");
	if (!remove_labels(RelationGetRelid(relation)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("\"%s\" is not protected", RelationGetRelationName(relation))));
	forget_kept(relation);
	CacheInvalidateRelcache(relation);
	relation_close(relation, NoLock);
	PG_RETURN_VOID();
}

/* dp_agg_internal.policy_fields(label): data set, bounds and linked in a label. */
Datum
dp_policy_policy_fields(PG_FUNCTION_ARGS)
{
	TupleDesc	desc;
	DpPolicy	policy;
	Datum		values[7];
	bool		nulls[7] = {false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (!dp_policy_policy_parse(text_to_cstring(PG_GETARG_TEXT_PP(0)), &policy))
		PG_RETURN_NULL();
	values[0] = CStringGetTextDatum(NameStr(policy.dataset));
	values[1] = Int32GetDatum(policy.max_rows);
	values[2] = Int32GetDatum(policy.max_groups);
	values[3] = Int32GetDatum(policy.max_values > 0 ? policy.max_values : policy.max_rows);
	values[4] = Int32GetDatum(policy.max_join_rows);
	values[5] = BoolGetDatum(policy.linked);
	values[6] = Int32GetDatum(policy.clip_max_rows);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/* May the current user execute dp_agg.protect? */
static bool
may_protect(void)
{
	Oid			types[] = {REGCLASSOID, NAMEOID, TEXTOID, INT4OID, INT4OID, INT4OID, INT4OID, INT4OID, REGCLASSOID};
	Oid			schema = get_namespace_oid("dp_agg", true);
	Oid			function;

	if (superuser())
		return true;
	if (!OidIsValid(schema))
		return false;
	function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("protect"),
							   PointerGetDatum(buildoidvector(types, lengthof(types))),
							   ObjectIdGetDatum(schema));
	return OidIsValid(function) && dp_tree_is_extensions(function) &&
		DP_MAY_EXECUTE(function, GetUserId());
}

/* Raise unless a new label may stand on this column. */
static void
check_label(const ObjectAddress *object, const char *label)
{
	DpPolicy	policy;
	bool		well_formed;
	Relation	relation;
	DpReason   *reason;
	ListCell   *cell;

	well_formed = dp_policy_policy_parse(label, &policy);
	if (!may_protect())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for function %s", "protect")));
	if (!well_formed)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("malformed security label"),
				 errhint("Call dp_agg.protect, which writes it.")));

	/*
	 * The command holds the lock already.  A link is followed when it is used: a dump makes
	 * foreign keys after labels.
	 */
	relation = relation_open(object->objectId, NoLock);
	reason = dp_policy_obstacle(relation, object->objectSubId);
	if (reason)
		dp_tree_raise(reason, NULL);
	foreach(cell, dp_policy_policy_columns(object->objectId))
		if (lfirst_int(cell) != object->objectSubId)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("\"%s\" is protected by another column already",
							RelationGetRelationName(relation)),
					 errhint("Call dp_agg.protect to move its privacy unit.")));
	relation_close(relation, NoLock);
}

/* Check SECURITY LABEL FOR dp_agg: the command's owner check is done. */
static void
relabel(const ObjectAddress *object, const char *label)
{
	bool		is_column = object->classId == RelationRelationId && object->objectSubId != 0;

	if (label && !is_column)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("security labels of dp_agg are for columns")));
	if (label)
		check_label(object, label);
	if (object->classId == RelationRelationId)
		CacheInvalidateRelcacheByRelid(object->objectId);
}

void
dp_policy_policy_init(void)
{
	register_label_provider(DP_LABEL_PROVIDER, relabel);
}
