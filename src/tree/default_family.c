/*
 * default_family.c
 *	  By which equality values of a type are equal.
 */
#include "postgres.h"

#include "catalog/pg_am.h"
#include "commands/defrem.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "tree/default_family.h"

Oid
dp_query_default_family(Oid type)
{
	Oid			opclass = GetDefaultOpClass(type, BTREE_AM_OID);

	return OidIsValid(opclass) ? get_opclass_family(opclass) : InvalidOid;
}

Node *
dp_query_without_casts(Node *expr)
{
	while (expr && IsA(expr, RelabelType))
	{
		Node	   *arg = (Node *) ((RelabelType *) expr)->arg;

		if (dp_query_default_family(exprType(expr)) != dp_query_default_family(exprType(arg)))
			break;
		expr = arg;
	}
	return expr;
}
