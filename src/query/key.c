/*
 * key.c
 *	  Group keys that tell nothing but their value.
 *
 * A group shows the key of one of its rows.  Where values can be equal and yet
 * look different (0 and -0, 1.0 and 1.00, '1 day' and '24 hours'), the looks
 * would betray which row that was.  Such keys are brought into one form below
 * the release, or refused.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "query/rewrite.h"
#include "query/tree.h"

/* Does equality of this type and collation imply the same bytes? */
static bool
equal_means_identical(Oid type, Oid collation)
{
	Oid			opclass = GetDefaultOpClass(type, BTREE_AM_OID);
	Oid			input;
	Oid			proc;

	if (!OidIsValid(opclass))
		return false;
	input = get_opclass_input_type(opclass);
	proc = get_opfamily_proc(get_opclass_family(opclass), input, input, BTEQUALIMAGE_PROC);
	return OidIsValid(proc) &&
		DatumGetBool(OidFunctionCall1Coll(proc, collation, ObjectIdGetDatum(input)));
}

/* key + 0: turns -0 into 0, never an error. */
static Node *
add_zero(Node *key, Oid function, Oid type, Const *zero)
{
	return (Node *) makeFuncExpr(function, type, list_make2(key, zero), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

Node *
dp_query_canonical_key(Node *key, DpReason **reason)
{
	Oid			type = exprType(key);
	int32		typmod = exprTypmod(key);

	*reason = NULL;
	switch (type)
	{
		case FLOAT4OID:
			return add_zero(key, F_FLOAT4PL, FLOAT4OID,
							makeConst(FLOAT4OID, -1, InvalidOid, sizeof(float4),
									  Float4GetDatum(0), false, true));
		case FLOAT8OID:
			return add_zero(key, F_FLOAT8PL, FLOAT8OID, dp_query_make_float8(0));
		case NUMERICOID:
			if (typmod >= 0)
				return key;		/* one scale for all */
			return (Node *) makeFuncExpr(F_TRIM_SCALE, NUMERICOID, list_make1(key),
										 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
		case BPCHAROID:
			if (typmod >= 0)
				return key;		/* one length for all */
			break;
		default:
			if (equal_means_identical(type, exprCollation(key)))
				return key;
	}
	*reason = dp_query_reason(exprLocation(key),
							  "Cast it to text, or to a type whose equal values look the same.",
							  "grouping by this type is not allowed: its equal values can look different");
	return NULL;
}
