/* SPDX-License-Identifier: PostgreSQL */
/*
 * bucket_function.c
 *	  Which functions are time_bucket of TimescaleDB and its like.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "expression/bucket_function.h"
#include "expression/read_as.h"

/* Is it TimescaleDB's own function of this name? */
static bool
is_named(Oid function, const char *wanted)
{
	const char *name;

	if (function < FirstUnpinnedObjectId)
		return false;
	name = get_func_name(function);
	return name && strcmp(name, wanted) == 0 && dp_expression_is_native(function, "timescaledb");
}

bool
dp_expression_is_time_bucket(Oid function)
{
	return is_named(function, "time_bucket");
}

const char *
dp_expression_hint_for_bucket(Node *node)
{
	FuncExpr   *call = (FuncExpr *) node;
	Oid			type;

	if (!IsA(node, FuncExpr) || list_length(call->args) < 2)
		return NULL;
	if (is_named(call->funcid, "time_bucket_gapfill"))
		return "Write time_bucket: where bounds of the time are declared or stand in WHERE, empty buckets are answered too.";
	if (!dp_expression_is_time_bucket(call->funcid))
		return NULL;
	type = exprType(lsecond(call->args));
	if (type == UUIDOID)
		return "Take its time, by uuid_extract_timestamp of PostgreSQL 17, or have the owner keep it in a column of its own.";
	if (type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID)
		return psprintf("Give it a constant width: of %s, or of 1, 3, 12 or 120 months that begin with a month, quarter, year or "
						"decade. All else but the time is constant too.", type == DATEOID ? "whole days" : "days, hours or less");
	return "Give it a constant width above 0, and a constant offset.";
}
