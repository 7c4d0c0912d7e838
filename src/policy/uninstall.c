/* SPDX-License-Identifier: PostgreSQL */
/*
 * uninstall.c
 *	  Removing all security labels of ours from a database.
 *
 * A label stays when its extension is dropped, and whoever restores a dump with one needs the
 * library.  Labels protect: without one its table is asked about by nobody who has no right to read it.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_seclabel.h"
#include "catalog/pg_shseclabel.h"
#include "commands/extension.h"
#include "commands/seclabel.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "base/compat_catalog.h"
#include "policy/domain.h"
#include "policy/policy.h"
#include "policy/uninstall.h"

PG_FUNCTION_INFO_V1(dp_policy_remove_labels);

typedef struct FoundLabel
{
	ObjectAddress address;
	char	   *provider;
	char	   *text;
} FoundLabel;

static bool
is_ours(const char *provider)
{
	return strcmp(provider, DP_LABEL_PROVIDER) == 0 || strcmp(provider, DP_DOMAIN_PROVIDER) == 0;
}

/* A column of a catalog's row as text. */
static char *
text_of(HeapTuple tuple, int column, TupleDesc desc)
{
	bool		isnull;

	return TextDatumGetCString(heap_getattr(tuple, column, desc, &isnull));
}

/* The label in a row of pg_seclabel or pg_shseclabel, or NULL if it is another provider's. */
static FoundLabel *
label_in(HeapTuple tuple, TupleDesc desc, bool is_shared)
{
	char	   *provider = text_of(tuple, is_shared ? Anum_pg_shseclabel_provider : Anum_pg_seclabel_provider, desc);
	FoundLabel *found;

	if (!is_ours(provider))
		return NULL;
	found = palloc0(sizeof(FoundLabel));
	found->provider = provider;
	found->text = text_of(tuple, is_shared ? Anum_pg_shseclabel_label : Anum_pg_seclabel_label, desc);
	if (is_shared)
	{
		Form_pg_shseclabel row = (Form_pg_shseclabel) GETSTRUCT(tuple);

		found->address = (ObjectAddress) {row->classoid, row->objoid, 0};
	}
	else
	{
		FormData_pg_seclabel *row = (FormData_pg_seclabel *) GETSTRUCT(tuple);

		found->address = (ObjectAddress) {row->classoid, row->objoid, row->objsubid};
	}
	return found;
}

/* Add the labels of ours in one of both catalogs to a list. */
static List *
labels_in(Oid catalogid, List *labels)
{
	bool		is_shared = catalogid == SharedSecLabelRelationId;
	Relation	catalog = table_open(catalogid, AccessShareLock);
	SysScanDesc scan = systable_beginscan(catalog, InvalidOid, false, NULL, 0, NULL);
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		FoundLabel *found = label_in(tuple, RelationGetDescr(catalog), is_shared);

		if (found)
			labels = lappend(labels, found);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return labels;
}

int
dp_policy_count_labels(void)
{
	return list_length(labels_in(SecLabelRelationId, NIL));
}

List *
dp_policy_labelled_tables(void)
{
	List	   *tables = NIL;
	ListCell   *cell;

	foreach(cell, labels_in(SecLabelRelationId, NIL))
	{
		const FoundLabel *label = lfirst(cell);

		if (label->address.classId == RelationRelationId && strcmp(label->provider, DP_LABEL_PROVIDER) == 0)
			tables = list_append_unique_oid(tables, label->address.objectId);
	}
	return tables;
}

/* Remove a label.  Its relation is locked as dp_agg.protect locks it, until the end of the transaction. */
static void
remove_label(const FoundLabel *label)
{
	bool		is_relation = label->address.classId == RelationRelationId;
	Oid			relid = label->address.objectId;

	if (is_relation)
		LockRelationOid(relid, ShareUpdateExclusiveLock);
	SetSecurityLabel(&label->address, label->provider, NULL);
	if (is_relation && SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
		CacheInvalidateRelcacheByRelid(relid);
}

/* Raise unless the current user owns the extension. */
static void
check_extension_owner(void)
{
	Oid			extension = get_extension_oid("dp_agg", false);

	if (!dp_compat_owns(ExtensionRelationId, extension, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_EXTENSION, "dp_agg");
}

/*
 * dp_agg_internal.remove_labels() returns table (provider text, object text, label text): removes all labels
 * of ours from objects of this database and from shared ones, and tells which.
 */
Datum
dp_policy_remove_labels(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell   *cell;

	check_extension_owner();
	PreventCommandIfReadOnly("dp_agg.uninstall()");
	InitMaterializedSRF(fcinfo, 0);
	foreach(cell, labels_in(SharedSecLabelRelationId, labels_in(SecLabelRelationId, NIL)))
	{
		FoundLabel *label = lfirst(cell);
		char	   *identity = getObjectIdentity(&label->address, true);
		char	   *type = getObjectTypeDescription(&label->address, true);
		Datum		values[3] = {CStringGetTextDatum(label->provider), (Datum) 0, CStringGetTextDatum(label->text)};
		bool		nulls[3] = {false, identity == NULL, false};

		if (identity && label->address.objectSubId != 0)
			type = "COLUMN";
		if (identity)
			values[1] = CStringGetTextDatum(psprintf("%s %s", type, identity));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		remove_label(label);
	}
	CommandCounterIncrement();
	return (Datum) 0;
}
