/*
 * labels.c
 *	  What the owner of a table has declared of it; see labels.h.
 *
 * The label itself stands for the policy's version: whoever declares the same again changes
 * nothing.  What a domain means for a question stands in it: as bounds, or as keys.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_seclabel.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "reuse/labels.h"
#include "reuse/name.h"
#include "reuse/spelling.h"
#include "policy/policy.h"
#include "policy/protected_cache.h"

/* A label of ours with its column and kind; NULL of another provider's. */
static StringInfo
read_label(Oid relation, HeapTuple tuple, TupleDesc desc)
{
	bool		isnull;
	const char *provider = TextDatumGetCString(heap_getattr(tuple, Anum_pg_seclabel_provider, desc, &isnull));
	AttrNumber	column = ((FormData_pg_seclabel *) GETSTRUCT(tuple))->objsubid;
	StringInfo	label;

	if (strcmp(provider, DP_LABEL_PROVIDER) != 0)
		return NULL;
	label = dp_query_new_text();
	(void) dp_query_name_column(label, relation, column);
	dp_query_name_string(label, TextDatumGetCString(heap_getattr(tuple, Anum_pg_seclabel_label, desc, &isnull)));
	return label;
}

void
dp_query_name_labels(StringInfo text, Oid relation)
{
	List	   *labels = NIL;
	Relation	catalog;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	if (!dp_query_is_protected(relation))
		return;
	catalog = table_open(SecLabelRelationId, AccessShareLock);
	ScanKeyInit(&key[0], Anum_pg_seclabel_objoid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	ScanKeyInit(&key[1], Anum_pg_seclabel_classoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	scan = systable_beginscan(catalog, SecLabelObjectIndexId, true, NULL, 2, key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		StringInfo	label = read_label(relation, tuple, RelationGetDescr(catalog));

		if (label)
			labels = lappend(labels, label);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	dp_query_spell_set(text, labels);
}
