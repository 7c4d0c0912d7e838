/* SPDX-License-Identifier: PostgreSQL */
/*
 * birth.c
 *	  Telling a database from copies that were made of it as a template.
 *
 * A label names the cluster and the database that it is for: "system identifier/
 * database/number".  On another one it says nothing.  So whoever restores a dump with
 * CREATE DATABASE may set it there, as pg_restore does, and nobody but a superuser may
 * set one that says something.  Taking it away, as an owner can by dropping the
 * database, makes a copy of what is there.
 */
#include "postgres.h"

#include <inttypes.h>
#include <sys/time.h>

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_database.h"
#include "catalog/pg_shseclabel.h"
#include "commands/seclabel.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/inval.h"

#include "budget/account/birth.h"
#include "budget/account/store.h"

PG_FUNCTION_INFO_V1(dp_budget_note_database);

#define DP_BIRTH_PROVIDER "dp_agg_database"

/* The number of this database, until any such label is changed; 0: not known. */
static uint64 known = 0;

static void
forget(Datum arg, Oid relid)
{
	if (!OidIsValid(relid) || relid == SharedSecLabelRelationId)
		known = 0;
}

/* The number in a label, if it is for this cluster and that database; else 0. */
static uint64
read_label(const char *label, Oid database)
{
	uint64		system;
	Oid			labelled;
	uint64		number;

	if (sscanf(label, UINT64_FORMAT "/%u/%" SCNx64, &system, &labelled, &number) < 3 ||
		system != GetSystemIdentifier() || labelled != database)
		return 0;
	return number;
}

static ObjectAddress
this_database(void)
{
	ObjectAddress address;

	ObjectAddressSet(address, DatabaseRelationId, MyDatabaseId);
	return address;
}

uint64
dp_budget_birth_number(void)
{
	static bool watching = false;
	ObjectAddress address = this_database();
	char	   *label;

	if (!watching)
		CacheRegisterRelcacheCallback(forget, (Datum) 0);
	watching = true;
	if (known == 0 && (label = GetSecurityLabel(&address, DP_BIRTH_PROVIDER)) != NULL)
		known = read_label(label, MyDatabaseId);
	return known;
}

/* A number as no other database has, made like PostgreSQL's system identifiers. */
static uint64
new_number(void)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return ((uint64) now.tv_sec << 32) | ((uint64) now.tv_usec << 12) | (MyProcPid & 0xFFF);
}

uint64
dp_budget_birth_settle(void)
{
	ObjectAddress address = this_database();

	if (dp_budget_birth_number() != 0)
		return known;
	/* Others may be at it. */
	dp_budget_store_lock_beginnings();
	if (dp_budget_birth_number() != 0)
		return known;
	SetSecurityLabel(&address, DP_BIRTH_PROVIDER,
					 psprintf(UINT64_FORMAT "/%u/%016" PRIx64, GetSystemIdentifier(), MyDatabaseId,
							  new_number()));
	CacheInvalidateRelcacheByRelid(SharedSecLabelRelationId);
	CommandCounterIncrement();
	return dp_budget_birth_number();
}

/* dp_agg_internal.note_database(): have the label say that the database has the extension. */
Datum
dp_budget_note_database(PG_FUNCTION_ARGS)
{
	(void) dp_budget_birth_settle();
	PG_RETURN_VOID();
}

void
dp_budget_birth_forget(void)
{
	ObjectAddress address = this_database();

	if (GetSecurityLabel(&address, DP_BIRTH_PROVIDER) == NULL)
		return;
	SetSecurityLabel(&address, DP_BIRTH_PROVIDER, NULL);
	CacheInvalidateRelcacheByRelid(SharedSecLabelRelationId);
}

/* Check SECURITY LABEL FOR dp_agg_database: the command's owner check is done. */
static void
relabel(const ObjectAddress *object, const char *label)
{
	if (label != NULL && object->classId != DatabaseRelationId)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("security labels of %s are for databases", DP_BIRTH_PROVIDER)));
	if (label != NULL && !superuser() && read_label(label, object->objectId) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only superusers may say which database this is"),
				 errhint("An administrator can use dp_agg.acknowledge_copy.")));
	CacheInvalidateRelcacheByRelid(SharedSecLabelRelationId);
}

void
dp_budget_birth_init(void)
{
	register_label_provider(DP_BIRTH_PROVIDER, relabel);
}
