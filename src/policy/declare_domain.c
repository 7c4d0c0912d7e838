/* SPDX-License-Identifier: PostgreSQL */
/*
 * declare_domain.c
 *	  The label provider of domains, dp_agg.set_domain, drop_domain and hide_column.
 *
 * A label is written under ShareUpdateExclusiveLock on its relation, as the policy's is.
 * Every change invalidates the relation's cache entry, and so every plan that was made
 * with the domain before.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "commands/seclabel.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"
#include "utils/varlena.h"

#include "expression/allow_list.h"
#include "expression/read_as.h"
#include "policy/declare_domain.h"
#include "policy/domain.h"
#include "policy/near_names.h"
#include "policy/protect.h"
#include "policy/reference.h"
#include "tree/parse_text.h"
#include "tree/reason.h"

PG_FUNCTION_INFO_V1(dp_policy_set_domain_range);
PG_FUNCTION_INFO_V1(dp_policy_set_domain_keys);
PG_FUNCTION_INFO_V1(dp_policy_set_domain_reference);
PG_FUNCTION_INFO_V1(dp_policy_drop_domain);
PG_FUNCTION_INFO_V1(dp_policy_hide_column);

/* Raise about an argument: a bound or a key. */
#define INVALID(...) \
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg(__VA_ARGS__)))

/* Raise unless two values of a range may be its bounds. */
static void
check_range(const DpDomain *domain)
{
	double		lower = dp_policy_domain_bound(domain->type, domain->lower);
	double		upper = dp_policy_domain_bound(domain->type, domain->upper);

	if (!isfinite(lower) || !isfinite(upper))
		INVALID("bounds of a domain must be finite");
	if (lower > upper)
		INVALID("lower bound must not be greater than upper bound");
}

static int
compare_keys(const void *a, const void *b, void *type)
{
	return DatumGetInt32(FunctionCall2Coll(&((TypeCacheEntry *) type)->cmp_proc_finfo, C_COLLATION_OID,
										   *(const Datum *) a, *(const Datum *) b));
}

/* Raise unless an array may be the keys of a domain. */
static void
check_keys(const DpDomain *domain)
{
	TypeCacheEntry *type = lookup_type_cache(domain->type, TYPECACHE_CMP_PROC_FINFO);
	Datum	   *key;
	int			count = ArrayGetNItems(ARR_NDIM(domain->keys), ARR_DIMS(domain->keys));

	if (ARR_NDIM(domain->keys) != 1 || count > DP_MAX_DOMAIN_KEYS)
		INVALID("keys must be an array of 1 to %d values", DP_MAX_DOMAIN_KEYS);
	if (array_contains_nulls(domain->keys))
		INVALID("keys must not be null");
	deconstruct_array(domain->keys, domain->type, type->typlen, type->typbyval, type->typalign,
					  &key, NULL, &count);
	qsort_arg(key, count, sizeof(Datum), compare_keys, type);
	for (int i = 1; i < count; i++)
		if (compare_keys(&key[i - 1], &key[i], type) == 0)
			INVALID("keys must differ from each other");
}

/* Raise unless a domain may be declared of a column of this type. */
static void
check_type(DpDomainKind kind, Oid type)
{
	if (kind == DP_DOMAIN_RANGE && !dp_policy_type_has_bounds(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a column of type %s has no bounds", format_type_be(type)),
				 errhint("Bounds are for numbers, dates, times and intervals; declare keys instead.")));
	if ((kind == DP_DOMAIN_KEYS || kind == DP_DOMAIN_REFERENCE) && !dp_policy_type_has_keys(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a column of type %s cannot have keys", format_type_be(type)),
				 errhint("Use a built-in type that can be sorted and hashed.")));
}

/* Raise unless a domain may stand on a column of its type. */
static void
check_domain(const DpDomain *domain)
{
	check_type(domain->kind, domain->type);
	if (domain->kind == DP_DOMAIN_RANGE)
		check_range(domain);
	else if (domain->kind == DP_DOMAIN_KEYS)
		check_keys(domain);
}

/* Raise unless a column has a place for a domain: that of a user's table. */
static void
check_relation(Relation relation, AttrNumber column)
{
	char		relkind = relation->rd_rel->relkind;

	if ((relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE) ||
		IsSystemRelation(relation))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not an ordinary or partitioned table", RelationGetRelationName(relation))));
	if (column <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("a system column has no domain")));
}

/* A column that a call names, open and locked. */
typedef struct Column
{
	Relation	relation;
	ObjectAddress address;
	Oid			type;			/* of a domain type its base */
	const char *label;			/* that it has, or NULL */
} Column;

/* Open the column that a call names in its first two arguments, none of which may be null. */
static Column
open_column(FunctionCallInfo fcinfo, const char *caller)
{
	const char *name;
	Column		column;
	AttrNumber	number;

	for (int i = 0; i < PG_NARGS(); i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("arguments of %s must not be null", caller)));
	name = NameStr(*PG_GETARG_NAME(1));
	column.relation = dp_policy_open_owned(PG_GETARG_OID(0), psprintf("%s()", caller));
	number = get_attnum(RelationGetRelid(column.relation), name);
	if (number == InvalidAttrNumber)
		dp_policy_raise_no_column(RelationGetRelid(column.relation), name);
	check_relation(column.relation, number);
	ObjectAddressSubSet(column.address, RelationRelationId, RelationGetRelid(column.relation), number);
	column.type = getBaseType(get_atttype(RelationGetRelid(column.relation), number));
	column.label = GetSecurityLabel(&column.address, DP_DOMAIN_PROVIDER);
	return column;
}

static bool
is_hidden(const Column *column)
{
	return column->label && strcmp(column->label, DP_HIDDEN_LABEL) == 0;
}

static const char *
column_name(const Column *column)
{
	return get_attname(column->address.objectId, column->address.objectSubId, false);
}

/* Write a label, or none, and close the column. */
static void
enter_label(const Column *column, const char *label)
{
	SetSecurityLabel(&column->address, DP_DOMAIN_PROVIDER, label);
	CacheInvalidateRelcache(column->relation);
	CommandCounterIncrement();
	relation_close(column->relation, NoLock);
}

/* Enter a domain in place of the one before. */
static void
enter_domain(const Column *column, const DpDomain *domain)
{
	if (is_hidden(column))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" is hidden", column_name(column)),
				 errhint("Open it with dp_agg.hide_column(..., hidden => false) first.")));
	check_domain(domain);
	enter_label(column, dp_policy_domain_label(domain));
}

/* A bound in an argument of any type. */
static Datum
read_bound(FunctionCallInfo fcinfo, int argument, Oid type)
{
	Oid			from = get_fn_expr_argtype(fcinfo->flinfo, argument);
	Datum		value = PG_GETARG_DATUM(argument);

	return dp_tree_value_of_text(type, from == UNKNOWNOID ? DatumGetCString(value)
								 : dp_tree_value_text(value, from));
}

/* dp_agg.set_domain(relation, col, lower, upper) */
Datum
dp_policy_set_domain_range(PG_FUNCTION_ARGS)
{
	Column		column = open_column(fcinfo, "dp_agg.set_domain");
	DpDomain	domain = {.kind = DP_DOMAIN_RANGE, .type = column.type};

	check_type(domain.kind, domain.type);
	domain.lower = read_bound(fcinfo, 2, column.type);
	domain.upper = read_bound(fcinfo, 3, column.type);
	enter_domain(&column, &domain);
	PG_RETURN_VOID();
}

/* dp_agg.set_domain(relation, col, keys) */
Datum
dp_policy_set_domain_keys(PG_FUNCTION_ARGS)
{
	Column		column = open_column(fcinfo, "dp_agg.set_domain");
	DpDomain	domain = {.kind = DP_DOMAIN_KEYS, .type = dp_expression_read_as(column.type, NULL)};

	check_type(domain.kind, domain.type);
	if (ARR_NDIM(PG_GETARG_ARRAYTYPE_P(2)) > 1)
		INVALID("keys must be an array of 1 to %d values", DP_MAX_DOMAIN_KEYS);
	domain.keys = dp_tree_convert_array(PG_GETARG_ARRAYTYPE_P(2), domain.type);
	domain.lowers = domain.type != column.type && !array_contains_nulls(domain.keys);
	dp_policy_domain_lower(&domain);
	enter_domain(&column, &domain);
	PG_RETURN_VOID();
}

/* Have a domain refer to a column called [schema.]table.column, which is locked. */
static void
refer_to(DpDomain *domain, text *name, Oid relid, AttrNumber column)
{
	List	   *names = textToQualifiedNameList(name);
	Oid			target;
	AttrNumber	number;
	DpReason   *reason;

	if (list_length(names) < 2)
		INVALID("refers_to must name a table and a column");
	domain->column = strVal(llast(names));
	target = RangeVarGetRelid(makeRangeVarFromNameList(list_truncate(names, list_length(names) - 1)),
							  AccessShareLock, false);
	number = get_attnum(target, domain->column);
	if (number == InvalidAttrNumber)
		dp_policy_raise_no_column(target, domain->column);
	reason = dp_policy_reference_obstacle(target, number, relid, column);
	if (reason)
		dp_tree_raise(reason, NULL);
	domain->schema = get_namespace_name(get_rel_namespace(target));
	domain->table = get_rel_name(target);
}

/* dp_agg.set_domain(relation, col, refers_to) */
Datum
dp_policy_set_domain_reference(PG_FUNCTION_ARGS)
{
	Column		column = open_column(fcinfo, "dp_agg.set_domain");
	DpDomain	domain = {.kind = DP_DOMAIN_REFERENCE, .type = column.type};

	check_type(domain.kind, domain.type);
	refer_to(&domain, PG_GETARG_TEXT_PP(2), column.address.objectId, column.address.objectSubId);
	enter_domain(&column, &domain);
	PG_RETURN_VOID();
}

/* dp_agg.drop_domain(relation, col) */
Datum
dp_policy_drop_domain(PG_FUNCTION_ARGS)
{
	Column		column = open_column(fcinfo, "dp_agg.drop_domain");

	if (column.label == NULL || is_hidden(&column))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("column \"%s\" has no domain", column_name(&column))));
	enter_label(&column, NULL);
	PG_RETURN_VOID();
}

/* dp_agg.hide_column(relation, col, hidden) */
Datum
dp_policy_hide_column(PG_FUNCTION_ARGS)
{
	Column		column = open_column(fcinfo, "dp_agg.hide_column");

	if (PG_GETARG_BOOL(2))
		enter_label(&column, DP_HIDDEN_LABEL);
	else if (is_hidden(&column))
		enter_label(&column, NULL);
	else
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("column \"%s\" is not hidden", column_name(&column))));
	PG_RETURN_VOID();
}

/*
 * Check SECURITY LABEL FOR dp_agg_domain, by which dumps restore domains: the command's
 * owner check is done, and it holds the lock.
 */
static void
relabel(const ObjectAddress *object, const char *label)
{
	Relation	relation;
	DpDomain	domain;

	if (label && (object->classId != RelationRelationId || object->objectSubId == 0))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("security labels of %s are for columns", DP_DOMAIN_PROVIDER)));
	if (label)
	{
		relation = relation_open(object->objectId, NoLock);
		check_relation(relation, object->objectSubId);
		relation_close(relation, NoLock);
		if (!dp_policy_domain_parse(label, getBaseType(get_atttype(object->objectId, object->objectSubId)),
									&domain))
			INVALID("malformed security label");
		check_domain(&domain);
		if (domain.kind != DP_DOMAIN_HIDDEN && strcmp(dp_policy_domain_label(&domain), label) != 0)
			INVALID("malformed security label");
	}
	if (object->classId == RelationRelationId)
		CacheInvalidateRelcacheByRelid(object->objectId);
}

void
dp_policy_domain_init(void)
{
	register_label_provider(DP_DOMAIN_PROVIDER, relabel);
}
