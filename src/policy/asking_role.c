/* SPDX-License-Identifier: PostgreSQL */
/*
 * asking_role.c
 *	  Who asks for a command, in truth.
 *
 * The current user need not be that.  An extension's function may run as whoever installed the
 * extension, by SECURITY DEFINER or by a switch in C, and does what its caller asks for.  So it is
 * looked through.  A SECURITY DEFINER function that belongs to no extension is the word of its
 * owner, who wrote it, or had it written, to let others do that one thing.
 *
 * A function may be dropped, altered or put into an extension while it runs.  So whom it runs as is
 * noted as it begins.  While PostgreSQL maintains a table or a view it runs as the owner of it, in
 * a security-restricted operation, and of that no function tells.  So it is noted as whom functions of extensions
 * are called there.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "base/compat_catalog.h"
#include "policy/asking_role.h"

/* A function under way, and as whom it runs. */
typedef struct UnderWay
{
	Oid			function;
	Oid			user;
} UnderWay;

/* One within another; each that begins ends or fails before those around it do. */
static UnderWay *under_way = NULL;
static int	depth = 0;
static int	room = 0;

/* As whom functions of extensions were called in security-restricted operations of this transaction; no superusers. */
static List *callers = NIL;

/* Did the innermost command begin in such an operation, or does it do nothing but maintain? */
static bool maintains = true;

/* Have room for one more. */
static void
make_room(void)
{
	int			wanted = Max(16, 2 * room);

	if (depth < room)
		return;
	under_way = under_way ? repalloc(under_way, wanted * sizeof(UnderWay)) :
		MemoryContextAlloc(TopMemoryContext, wanted * sizeof(UnderWay));
	room = wanted;
}

void
dp_policy_note_definer(FmgrHookEventType event, const FmgrInfo *function)
{
	if (event == FHET_START)
	{
		make_room();
		under_way[depth++] = (UnderWay) {function->fn_oid, GetUserId()};
	}
	else if (depth > 0)
		depth--;
}

/* The list is gone with the transaction. */
static void
forget(XactEvent event, void *argument)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
		callers = NIL;
}

void
dp_policy_note_caller(Oid function)
{
	static bool watching = false;
	MemoryContext old;

	if (!InSecurityRestrictedOperation() || function < FirstNormalObjectId || superuser() ||
		list_member_oid(callers, GetUserId()) || !OidIsValid(getExtensionOfObject(ProcedureRelationId, function)))
		return;
	if (!watching)
		RegisterXactCallback(forget, NULL);
	watching = true;
	old = MemoryContextSwitchTo(TopTransactionContext);
	callers = lappend_oid(callers, GetUserId());
	MemoryContextSwitchTo(old);
}

bool
dp_policy_begin_command(const Node *command)
{
	bool		outer = maintains;

	maintains = InSecurityRestrictedOperation() || IsA(command, VacuumStmt) || IsA(command, RefreshMatViewStmt) ||
		IsA(command, ReindexStmt) || nodeTag(command) == DP_ORDERING_STATEMENT;
	return outer;
}

void
dp_policy_end_command(bool outer)
{
	maintains = outer;
}

/* Is a function the word of its owner, rather than its caller's, or an extension's?  What has changed since it began is not. */
static bool
is_word(const UnderWay *called)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(called->function));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		return false;
	result = ((Form_pg_proc) GETSTRUCT(tuple))->prosecdef && ((Form_pg_proc) GETSTRUCT(tuple))->proowner == called->user;
	ReleaseSysCache(tuple);
	return result && !OidIsValid(getExtensionOfObject(ProcedureRelationId, called->function));
}

List *
dp_policy_asking_roles(void)
{
	List	   *roles = InSecurityRestrictedOperation() && maintains ? list_copy(callers) : NIL;

	for (int i = depth - 1; i >= 0; i--)
	{
		if (is_word(&under_way[i]))
			return lappend_oid(roles, under_way[i].user);
		if (!superuser_arg(under_way[i].user))
			roles = list_append_unique_oid(roles, under_way[i].user);
	}
	return lappend_oid(roles, GetOuterUserId());
}
