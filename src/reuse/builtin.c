/*
 * builtin.c
 *	  What a built-in function or operator is; see builtin.h.
 *
 * Rows of pinned objects stay as they are as long as the server runs.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "reuse/builtin.h"

char
dp_query_volatility(Oid function)
{
	static char known[FirstUnpinnedObjectId];

	if (function >= FirstUnpinnedObjectId)
		return func_volatile(function);
	if (known[function] == '\0')
		known[function] = func_volatile(function);
	return known[function];
}

char
dp_query_operator_volatility(Oid operator)
{
	static char known[FirstUnpinnedObjectId];

	if (operator >= FirstUnpinnedObjectId)
		return op_volatile(operator);
	if (known[operator] == '\0')
		known[operator] = op_volatile(operator);
	return known[operator];
}

Oid
dp_query_commutator(Oid operator)
{
	static bool known[FirstUnpinnedObjectId];
	static Oid	commutators[FirstUnpinnedObjectId];

	if (operator >= FirstUnpinnedObjectId)
		return InvalidOid;
	if (!known[operator])
	{
		commutators[operator] = get_commutator(operator);
		known[operator] = true;
	}
	return commutators[operator];
}

bool
dp_query_has_one_text(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case TEXTOID:
		case VARCHAROID:
		case UUIDOID:
			return true;
		default:
			return type >= FirstUnpinnedObjectId;	/* an enum */
	}
}

Oid
dp_query_called_by_attempt(const FuncExpr *call)
{
	ListCell   *lc;

	if (call->funcid < FirstUnpinnedObjectId)
		return InvalidOid;
	foreach(lc, call->args)
	{
		const Const *arg = lfirst(lc);

		if (foreach_current_index(lc) > 1)
			break;
		if (IsA(arg, Const) && arg->consttype == REGPROCEDUREOID && !arg->constisnull)
			return DatumGetObjectId(arg->constvalue);
	}
	return InvalidOid;
}
