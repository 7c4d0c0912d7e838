/* SPDX-License-Identifier: PostgreSQL */
/*
 * memberships.c
 *	  Whose rights a role has, or can take by SET ROLE, and through whom.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_auth_members.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/hsearch.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(dp_sidechannel_memberships);

/* A role that is reached, and the one it is reached from: the number in the list. */
typedef struct Reached
{
	Oid			role;
	int			from;			/* -1: the role that was asked about */
} Reached;

typedef struct Walk
{
	Reached    *reached;
	int			count;
	int			room;
	HTAB	   *known;			/* roles in it */
} Walk;

/* Add a role, unless it was reached before, and so by no longer way. */
static void
reach(Walk *walk, Oid role, int from)
{
	bool		known;

	(void) hash_search(walk->known, &role, HASH_ENTER, &known);
	if (known)
		return;
	if (walk->count == walk->room)
	{
		walk->room *= 2;
		walk->reached = repalloc(walk->reached, walk->room * sizeof(Reached));
	}
	walk->reached[walk->count++] = (Reached) {role, from};
}

/* Reach what a role is a member of; the owner of the database is a member of one without an entry. */
static void
reach_from(Walk *walk, int number, Oid owner)
{
	Oid			role = walk->reached[number].role;
	CatCList   *grants = SearchSysCacheList1(AUTHMEMMEMROLE, ObjectIdGetDatum(role));

	for (int i = 0; i < grants->n_members; i++)
		reach(walk, ((Form_pg_auth_members) GETSTRUCT(&grants->members[i]->tuple))->roleid, number);
	ReleaseSysCacheList(grants);
	if (role == owner)
		reach(walk, ROLE_PG_DATABASE_OWNER, number);
}

/* Whom the database belongs to. */
static Oid
database_owner(void)
{
	HeapTuple	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	Oid			owner = ((Form_pg_database) GETSTRUCT(tuple))->datdba;

	ReleaseSysCache(tuple);
	return owner;
}

/* The names of the roles through which one is reached, itself the last. */
static ArrayType *
path_to(const Walk *walk, int number)
{
	int			length = 0;
	Datum	   *names;

	for (int at = number; walk->reached[at].from >= 0; at = walk->reached[at].from)
		length++;
	names = palloc((length + 1) * sizeof(Datum));
	for (int at = number, i = length; i > 0; at = walk->reached[at].from)
		names[--i] = DirectFunctionCall1(namein, CStringGetDatum(GetUserNameFromId(walk->reached[at].role, false)));
	return construct_array(names, length, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR);
}

/*
 * dp_agg_internal.memberships(role): each role whose rights it has or can take, once, itself first, and by which of
 * the shortest ways: breadth first.
 */
Datum
dp_sidechannel_memberships(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	HASHCTL		keys = {.keysize = sizeof(Oid), .entrysize = sizeof(Oid), .hcxt = CurrentMemoryContext};
	Walk		walk = {.room = 16};
	Oid			owner = database_owner();

	InitMaterializedSRF(fcinfo, 0);
	walk.reached = palloc(walk.room * sizeof(Reached));
	walk.known = hash_create("memberships", 64, &keys, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	reach(&walk, PG_GETARG_OID(0), -1);
	for (int i = 0; i < walk.count; i++)
	{
		Datum		values[2];
		bool		nulls[2] = {false, false};

		CHECK_FOR_INTERRUPTS();
		reach_from(&walk, i, owner);
		values[0] = ObjectIdGetDatum(walk.reached[i].role);
		values[1] = PointerGetDatum(path_to(&walk, i));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
