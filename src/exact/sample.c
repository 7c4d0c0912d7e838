/* SPDX-License-Identifier: PostgreSQL */
/*
 * sample.c
 *	  Asking a random sample of the units (setting dp_agg.sample_rate).
 *
 * Every unit is in it with the same probability, by a coin of its own: rows
 * stay where SipHash-2-4 of their unit, under a key drawn afresh for each
 * execution, is below that probability.  All rows of a unit have one coin,
 * wherever they stand and whichever process reads them; nobody can tell it from
 * the answer.  That is what amplification by subsampling asks for (Steinke 2022,
 * Theorem 34): the block's whole curve, of all it releases of one sample, is
 * charged as amplified.
 *
 *		WHERE sampled(unit, (SELECT sample_key()), least)
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "base/compat_varlena.h"
#include "base/siphash.h"
#include "exact/over_units.h"
#include "exact/sample.h"
#include "noise/random.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"
#include "units/word.h"

/*
 * Keeping some rows of each group of a query, chosen at random.
 *
 * 		SELECT ... FROM (SELECT *, row_number() OVER (PARTITION BY columns ORDER BY random_priority()) AS rank
 * 						   FROM rows) r WHERE rank < limit + 1
 *
 * Every row draws a number of its own, so that what is kept of a group depends on no other.
 */

/* Have a window be about the rows that have the same values in these columns. */
static void
partition_by(Query *query, WindowClause *window, List *columns)
{
	ListCell   *lc;

	foreach(lc, columns)
	{
		TargetEntry *target = list_nth_node(TargetEntry, query->targetList, lfirst_int(lc) - 1);

		target->ressortgroupref = lfirst_int(lc);
		window->partitionClause = lappend(window->partitionClause,
										  dp_tree_make_clause(exprType((Node *) target->expr), target->ressortgroupref));
	}
}

/* Number the rows of each group, in the last column but one. */
static Query *
rank_rows(Query *rows, List *columns)
{
	Query	   *ranked = dp_tree_make_select_from(rows, "dp_unit");
	WindowClause *window = makeNode(WindowClause);
	WindowFunc *rank = makeNode(WindowFunc);
	TargetEntry *target;
	ListCell   *lc;

	foreach(lc, rows->targetList)
	{
		target = lfirst_node(TargetEntry, lc);
		dp_tree_add_column(ranked, (Node *) makeVarFromTargetEntry(1, target), target->resname);
	}
	partition_by(ranked, window, columns);

	rank->winfnoid = F_ROW_NUMBER;
	rank->wintype = INT8OID;
	rank->winref = 1;
	rank->location = -1;
	dp_tree_add_column(ranked, (Node *) rank, "rank");

	dp_tree_add_column(ranked, (Node *) dp_tree_make_call("random_priority", NULL, 0, NIL, INT8OID), "priority");
	target = llast_node(TargetEntry, ranked->targetList);
	target->resjunk = true;
	target->ressortgroupref = target->resno;
	window->orderClause = list_make1(dp_tree_make_clause(INT8OID, target->ressortgroupref));
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = 1;
	ranked->windowClause = list_make1(window);
	ranked->hasWindowFuncs = true;
	return ranked;
}

Query *
dp_exact_keep_some(Query *rows, List *columns, int limit)
{
	Query	   *ranked = rank_rows(rows, columns);
	Query	   *query = dp_tree_make_select_from(ranked, "dp_unit");
	TargetEntry *rank = list_nth_node(TargetEntry, ranked->targetList, list_length(rows->targetList));

	query->jointree->quals = (Node *)
		make_opclause(Int8LessOperator, BOOLOID, false, (Expr *) makeVarFromTargetEntry(1, rank),
					  (Expr *) dp_tree_make_int8((int64) limit + 1), InvalidOid, InvalidOid);
	return query;
}

PG_FUNCTION_INFO_V1(dp_exact_sample_key);
PG_FUNCTION_INFO_V1(dp_exact_sampled);

DpReason *
dp_exact_sample_obstacle(const DpBlockRewrite *rewrite, int location)
{
	if (rewrite->block->sample_rate >= 1)
		return NULL;
	if (rewrite->contribution.foreign)
		return dp_tree_reason(location, "Set dp_agg.sample_rate to 1.",
							  "partitions on other servers are not sampled");
	return NULL;
}

/* (SELECT sample_key()): read once, before the first row, in one process. */
static Node *
make_key(void)
{
	SubLink    *link = makeNode(SubLink);
	Query	   *query = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));

	dp_tree_add_column(query, (Node *) dp_tree_make_call("sample_key", NULL, 0, NIL, BYTEAOID), "key");
	link->subLinkType = EXPR_SUBLINK;
	link->subselect = (Node *) query;
	link->location = -1;
	return (Node *) link;
}

/* The coin's range as 64 bits: a fraction of it is the rate, rounded down. */
static int64
bits_of_rate(double rate)
{
	return (int64) (uint64) ldexp(rate, 64);
}

void
dp_exact_add_sampling(const DpBlockRewrite *rewrite, Query *query)
{
	Oid			types[] = {ANYOID, BYTEAOID, INT8OID};
	List	   *args;

	if (rewrite->block->sample_rate >= 1)
		return;
	args = list_make3(dp_exact_bytes_of_unit(copyObject(linitial(rewrite->contribution.units))),
					  make_key(), dp_tree_make_int8(bits_of_rate(rewrite->block->sample_rate)));
	query->jointree->quals =
		make_and_qual(query->jointree->quals,
					  (Node *) dp_tree_make_call("sampled", types, lengthof(types), args, BOOLOID));
	query->hasSubLinks = true;
}

/* sample_key() returns bytea: 128 fresh bits */
Datum
dp_exact_sample_key(PG_FUNCTION_ARGS)
{
	bytea	   *key = palloc(VARHDRSZ + sizeof(DpSipKey));
	DpSipKey	bits = {{dp_noise_random64(), dp_noise_random64()}};

	SET_VARSIZE(key, VARHDRSZ + sizeof(DpSipKey));
	memcpy(VARDATA(key), &bits, sizeof(bits));
	PG_RETURN_BYTEA_P(key);
}

/* How values of the unit's type are stored. */
typedef struct Storage
{
	int16		length;
	bool		by_value;
} Storage;

/*
 * How values of the first argument are stored, looked up once a statement.  A call by
 * hand may give a value that is a C string: an untyped literal.
 */
static const Storage *
unit_storage(FmgrInfo *flinfo)
{
	Storage    *storage = flinfo->fn_extra;

	if (storage == NULL)
	{
		storage = MemoryContextAlloc(flinfo->fn_mcxt, sizeof(Storage));
		get_typlenbyval(get_fn_expr_argtype(flinfo, 0), &storage->length, &storage->by_value);
		flinfo->fn_extra = storage;
	}
	return storage;
}

/* The coin of a unit. */
static uint64
coin(FunctionCallInfo fcinfo, const DpSipKey *key)
{
	const Storage *storage = unit_storage(fcinfo->flinfo);
	Datum		unit = PG_GETARG_DATUM(0);

	if (storage->by_value)
	{
		unit = dp_units_word(unit, storage->length);
		return dp_siphash_64(key, &unit, sizeof(unit));
	}
	if (storage->length > 0)
		return dp_siphash_64(key, DatumGetPointer(unit), storage->length);
	if (storage->length == -2)
		return dp_siphash_64(key, DatumGetCString(unit), strlen(DatumGetCString(unit)));
	unit = PointerGetDatum(PG_DETOAST_DATUM_PACKED(unit));
	return dp_siphash_64(key, VARDATA_ANY(DatumGetPointer(unit)), VARSIZE_ANY_EXHDR(DatumGetPointer(unit)));
}

/*
 * sampled(unit "any", key bytea, rate bigint) returns boolean: is the unit in
 * the sample?  rate: times 2^64, as unsigned bits.
 */
Datum
dp_exact_sampled(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(1);
	DpSipKey	key;

	if (VARSIZE_ANY_EXHDR(value) != sizeof(key))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a key must have %zu bytes", sizeof(key))));
	memcpy(&key, VARDATA_ANY(value), sizeof(key));
	PG_RETURN_BOOL(coin(fcinfo, &key) < (uint64) PG_GETARG_INT64(2));
}
