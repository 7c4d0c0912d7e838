/*
 * enum_values.c
 *	  The values of an enum.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_enum.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/plancache.h"
#include "utils/syscache.h"

#include "policy/enum_values.h"

/* An enum has got or lost a label: plans hold those that there were. */
static void
forget_plans(Datum arg, int cache, uint32 hash)
{
	ResetPlanCache();
}

List *
dp_query_enum_values(Oid type)
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
