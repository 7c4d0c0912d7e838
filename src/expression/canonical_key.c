/* SPDX-License-Identifier: PostgreSQL */
/*
 * canonical_key.c
 *	  Group keys that tell nothing but their value.
 *
 * A group shows the key of one of its rows.  Where values can be equal and yet
 * look different (0 and -0, NaNs, 1.0 and 1.00, '1 day' and '24 hours'), the looks
 * would betray which row that was.  Such keys are brought into one form below
 * the release, or refused.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "expression/canonical_key.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

/* Does equality of this type and collation imply the same bytes? */
static bool
equal_means_identical(Oid type, Oid collation)
{
	const TypeCacheEntry *known = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);
	Oid			input = known->btree_opintype;
	Oid			proc;

	if (!OidIsValid(known->btree_opf))
		return false;
	proc = get_opfamily_proc(known->btree_opf, input, input, BTEQUALIMAGE_PROC);
	return OidIsValid(proc) &&
		DatumGetBool(OidFunctionCall1Coll(proc, collation, ObjectIdGetDatum(input)));
}

/* One zero, one NaN, one way to say a month: see dp_agg_internal.canonical. */
static Node *
canonical_value(Node *key, Oid type)
{
	return (Node *) dp_tree_make_call("canonical", &type, 1, list_make1(key), type);
}

Node *
dp_expression_canonical_key(Node *key, DpReason **reason)
{
	Oid			type = exprType(key);
	int32		typmod = exprTypmod(key);

	*reason = NULL;
	switch (type)
	{
		case FLOAT4OID:
		case FLOAT8OID:
		case INTERVALOID:
			return canonical_value(key, type);
		case NUMERICOID:
			if (typmod >= (int32) VARHDRSZ)
				return key;		/* one scale for all; less stands for none */
			return (Node *) makeFuncExpr(F_TRIM_SCALE, NUMERICOID, list_make1(key),
										 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
		case BPCHAROID:
			if (typmod >= (int32) VARHDRSZ)
				return key;		/* one length for all; likewise */
			break;
		default:
			if (equal_means_identical(type, exprCollation(key)))
				return key;
	}
	*reason = dp_tree_reason(exprLocation(key),
							 "Cast it to text, or to a type whose equal values look the same.",
							 "grouping by this type is not allowed: its equal values can look different");
	return NULL;
}

Node *
dp_expression_canonical_unit(Node *unit)
{
	DpReason   *reason;
	Node	   *canonical = dp_expression_canonical_key(unit, &reason);

	/* Without a length, values are equal that end in other numbers of blanks. */
	if (canonical || exprType(unit) != BPCHAROID)
		return canonical;
	return (Node *) makeFuncExpr(F_TEXT_BPCHAR, TEXTOID, list_make1(unit), exprCollation(unit),
								 exprCollation(unit), COERCE_EXPLICIT_CALL);
}

bool
dp_expression_equals_by_bytes(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case TEXTOID:
		case VARCHAROID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case UUIDOID:
			return true;
		default:
			return false;
	}
}
