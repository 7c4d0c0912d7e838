/*
 * asking_role.c
 *	  Who asks for a command, in truth.
 *
 * The current user need not be that.  An extension's function may run as whoever installed the
 * extension, by SECURITY DEFINER or by a switch in C, and does what its caller asks for.  So it is
 * looked through.  A SECURITY DEFINER function that belongs to no extension is the word of its
 * owner, who wrote it, or had it written, to let others do that one thing.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "query/policy/asking_role.h"

/* Functions under way, one within another; each that begins ends or fails before those around it do. */
static Oid *under_way = NULL;
static int	depth = 0;
static int	room = 0;

/* Have room for one more. */
static void
make_room(void)
{
	int			wanted = Max(16, 2 * room);

	if (depth < room)
		return;
	under_way = under_way ? repalloc(under_way, wanted * sizeof(Oid)) :
		MemoryContextAlloc(TopMemoryContext, wanted * sizeof(Oid));
	room = wanted;
}

void
dp_query_note_definer(FmgrHookEventType event, const FmgrInfo *function)
{
	if (event == FHET_START)
	{
		make_room();
		under_way[depth++] = function->fn_oid;
	}
	else if (depth > 0)
		depth--;
}

/* The owner whose word a function is; InvalidOid if it is its caller's, or an extension's. */
static Oid
definer(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid			owner = InvalidOid;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	if (((Form_pg_proc) GETSTRUCT(tuple))->prosecdef)
		owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ReleaseSysCache(tuple);
	if (OidIsValid(owner) && OidIsValid(getExtensionOfObject(ProcedureRelationId, function)))
		return InvalidOid;
	return owner;
}

Oid
dp_query_asking_role(void)
{
	for (int i = depth - 1; i >= 0; i--)
	{
		Oid			owner = definer(under_way[i]);

		if (OidIsValid(owner))
			return owner;
	}
	return GetOuterUserId();
}
