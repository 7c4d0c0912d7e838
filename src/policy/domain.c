/* SPDX-License-Identifier: PostgreSQL */
/*
 * domain.c
 *	  Reading and writing what is declared of a column.
 *
 * Fails closed: what cannot be read is an error, never "no domain".
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "commands/seclabel.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/plancache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/varlena.h"

#include "expression/allow_list.h"
#include "expression/read_as.h"
#include "policy/domain.h"
#include "tree/parse_text.h"

#define DP_REFERENCE_PREFIX "refers_to="

/*
 * The values of an enum.
 */

/* An enum has got or lost a label: plans hold those that there were. */
static void
forget_plans(Datum arg, int cache, uint32 hash)
{
	ResetPlanCache();
}

List *
dp_policy_enum_values(Oid type)
{
	static bool watched = false;
	List	   *values = NIL;
	Relation	catalog = table_open(EnumRelationId, AccessShareLock);
	Relation	index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (!watched)
		CacheRegisterSyscacheCallback(ENUMOID, forget_plans, (Datum) 0);
	watched = true;
	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(type));
	scan = systable_beginscan_ordered(catalog, index, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
		values = lappend(values,
						 makeConst(type, -1, InvalidOid, sizeof(Oid),
								   ObjectIdGetDatum(((Form_pg_enum) GETSTRUCT(tuple))->oid),
								   false, true));
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(catalog, AccessShareLock);
	return values;
}

bool
dp_policy_type_has_range(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		default:
			return false;
	}
}

bool
dp_policy_type_has_bounds(Oid type)
{
	return type == INTERVALOID || dp_policy_type_has_range(type);
}

bool
dp_policy_type_has_keys(Oid type)
{
	return dp_expression_type_is_groupable(type) && OidIsValid(get_array_type(type));
}

/* An interval in microseconds, as it compares with others: a month is 30 days; infinite if that is. */
static double
microseconds_of(const Interval *interval)
{
#ifdef INTERVAL_NOT_FINITE
	if (INTERVAL_NOT_FINITE(interval))
		return INFINITY;
#endif
	return (interval->month * (double) DAYS_PER_MONTH + interval->day) * USECS_PER_DAY + (double) interval->time;
}

double
dp_policy_domain_bound(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case NUMERICOID:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case DATEOID:
			return DATE_NOT_FINITE(DatumGetDateADT(value)) ? INFINITY : DatumGetDateADT(value);
		case TIMEOID:
			return (double) DatumGetTimeADT(value);
		case INTERVALOID:
			return microseconds_of(DatumGetIntervalP(value));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value)) ? INFINITY
				: (double) DatumGetTimestamp(value);
		default:
			elog(ERROR, "unexpected type %u of a bound", type);
	}
}

char *
dp_policy_domain_text(Oid type, Datum value)
{
	int			level = NewGUCNestLevel();
	char	   *text;

	(void) set_config_option("TimeZone", "UTC", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	text = dp_tree_value_text(value, type);
	AtEOXact_GUC(true, level);
	return text;
}

char *
dp_policy_domain_label(const DpDomain *domain)
{
	switch (domain->kind)
	{
		case DP_DOMAIN_RANGE:
			return psprintf("lower=\"%s\" upper=\"%s\"",
							dp_policy_domain_text(domain->type, domain->lower),
							dp_policy_domain_text(domain->type, domain->upper));
		case DP_DOMAIN_KEYS:
			return psprintf("keys=%s", dp_policy_domain_text(get_array_type(domain->type),
															 PointerGetDatum(domain->keys)));
		case DP_DOMAIN_REFERENCE:
			return psprintf(DP_REFERENCE_PREFIX "%s.%s", quote_qualified_identifier(domain->schema, domain->table),
							quote_identifier(domain->column));
		case DP_DOMAIN_HIDDEN:
			return pstrdup(DP_HIDDEN_LABEL);
		case DP_DOMAIN_NONE:
			break;
	}
	elog(ERROR, "no domain to write");
}

/*
 * Read NAME="VALUE" at *text and step over it; false if it is not there.
 */
static bool
read_bound(const char **text, const char *name, Oid type, Datum *value)
{
	size_t		length = strlen(name);
	const char *end;

	if (strncmp(*text, name, length) != 0)
		return false;
	*text += length;
	end = strchr(*text, '"');
	if (end == NULL)
		return false;
	*value = dp_tree_value_of_text(type, pnstrdup(*text, end - *text));
	*text = end + 1;
	return true;
}

/* Read a column's name with its table's and schema's; false unless it is one. */
static bool
read_reference(const char *text, DpDomain *domain)
{
	List	   *names = textToQualifiedNameList(cstring_to_text(text));

	if (list_length(names) != 3)
		return false;
	domain->kind = DP_DOMAIN_REFERENCE;
	domain->schema = strVal(linitial(names));
	domain->table = strVal(lsecond(names));
	domain->column = strVal(lthird(names));
	return true;
}

bool
dp_policy_domain_parse(const char *label, Oid type, DpDomain *domain)
{
	*domain = (DpDomain) {.type = type};
	if (strcmp(label, DP_HIDDEN_LABEL) == 0)
	{
		domain->kind = DP_DOMAIN_HIDDEN;
		return true;
	}
	if (strncmp(label, "keys=", 5) == 0)
	{
		domain->type = dp_expression_read_as(type, NULL);
		if (!dp_policy_type_has_keys(domain->type))
			return false;
		domain->kind = DP_DOMAIN_KEYS;
		domain->lowers = domain->type != type;
		domain->keys = DatumGetArrayTypeP(dp_tree_value_of_text(get_array_type(domain->type), label + 5));
		return true;
	}
	if (strncmp(label, DP_REFERENCE_PREFIX, strlen(DP_REFERENCE_PREFIX)) == 0)
		return read_reference(label + strlen(DP_REFERENCE_PREFIX), domain);
	domain->kind = DP_DOMAIN_RANGE;
	return dp_policy_type_has_bounds(type) && read_bound(&label, "lower=\"", type, &domain->lower) &&
		read_bound(&label, " upper=\"", type, &domain->upper) && *label == '\0';
}

void
dp_policy_domain_lower(DpDomain *domain)
{
	Datum	   *key;
	int			count;

	if (!domain->lowers)
		return;
	deconstruct_array(domain->keys, TEXTOID, -1, false, TYPALIGN_INT, &key, NULL, &count);
	for (int i = 0; i < count; i++)
		key[i] = DirectFunctionCall1Coll(lower, DEFAULT_COLLATION_OID, key[i]);
	domain->keys = construct_array(key, count, TEXTOID, -1, false, TYPALIGN_INT);
}

/* The label that a column has, or NULL. */
static char *
read_label(Oid relid, AttrNumber column)
{
	ObjectAddress address;

	ObjectAddressSubSet(address, RelationRelationId, relid, column);
	return GetSecurityLabel(&address, DP_DOMAIN_PROVIDER);
}

void
dp_policy_domain_get(Oid relid, AttrNumber column, DpDomain *domain)
{
	char	   *label = read_label(relid, column);
	Oid			type = getBaseType(get_atttype(relid, column));

	if (label == NULL)
		*domain = (DpDomain) {.type = type};
	else if (!dp_policy_domain_parse(label, type, domain))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("domain of column \"%s\" of \"%s\" is malformed",
						get_attname(relid, column, false), get_rel_name(relid)),
				 errhint("Have its owner declare it again with dp_agg.set_domain.")));
	dp_policy_domain_lower(domain);
}

bool
dp_policy_domain_get_reference(Oid relid, AttrNumber column, DpDomain *domain)
{
	const char *label = read_label(relid, column);

	if (label == NULL || strncmp(label, DP_REFERENCE_PREFIX, strlen(DP_REFERENCE_PREFIX)) != 0)
		return false;
	dp_policy_domain_get(relid, column, domain);
	return true;
}
