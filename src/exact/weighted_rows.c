/* SPDX-License-Identifier: PostgreSQL */
/*
 * weighted_rows.c
 *	  Rows of a model or of synthesis beside the number of rows that their units have.
 *
 *		SELECT count(*) OVER (PARTITION BY unit), coordinates
 *		  FROM (SELECT unit, coordinates FROM t WHERE ...) WHERE coordinates are not null
 *
 * PostgreSQL sorts rows by their units, on disk where they are many, and keeps those of one
 * unit at a time.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "utils/fmgroids.h"

#include "base/compat_varlena.h"
#include "exact/weighted_rows.h"
#include "models/pass.h"
#include "tree/make_nodes.h"

/*
 * Rows of a model that passes go through.
 *
 * Whatever a row's numbers are, they are brought within their ranges here and in the release
 * node, and a row without one of them is NULL: what a row can add depends on nothing else.
 */

#define SPEC_SIZE (sizeof(DpModelSpec) - VARHDRSZ)

/* Arguments before the numbers of blocks: spec, rows. */
#define FIRST_VALUE 2

PG_FUNCTION_INFO_V1(dp_exact_model_row);

static void
refuse(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("malformed model")));
}

/* The specification in argument 0, checked with the other arguments' types. */
static void
read_spec(FunctionCallInfo fcinfo, DpModelSpec *spec)
{
	const bytea *packed = PG_ARGISNULL(0) ? NULL : PG_GETARG_BYTEA_PP(0);

	if (packed == NULL || VARSIZE_ANY_EXHDR(packed) != SPEC_SIZE)
		refuse();
	memcpy((char *) spec + VARHDRSZ, VARDATA_ANY(packed), SPEC_SIZE);
	if (!dp_models_model_spec_is_sane(spec) || PG_NARGS() != FIRST_VALUE + spec->blocks)
		refuse();
	for (int i = FIRST_VALUE; i < PG_NARGS(); i++)
		if (get_fn_expr_argtype(fcinfo->flinfo, i) != INT4OID)
			refuse();
}

/* The specification, which is the same for all rows of a query: a constant. */
static const DpModelSpec *
spec_of(FunctionCallInfo fcinfo)
{
	DpModelSpec *spec = fcinfo->flinfo->fn_extra;

	if (spec == NULL)
	{
		spec = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(DpModelSpec));
		read_spec(fcinfo, spec);
		fcinfo->flinfo->fn_extra = spec;
	}
	return spec;
}

/*
 * model_row(spec bytea, rows bigint, value int4, ...): the row's record, NULL if a value is missing or none of its
 * block's.  22023 for malformed specifications, other numbers or types of arguments.
 */
Datum
dp_exact_model_row(PG_FUNCTION_ARGS)
{
	const DpModelSpec *spec = spec_of(fcinfo);
	int32		value[DP_MODEL_MOST_BLOCKS];
	int32		vector[DP_MODEL_MOST_ENTRIES];
	bytea	   *record;

	if (PG_NARGS() != FIRST_VALUE + spec->blocks)
		refuse();
	for (int i = 1; i < PG_NARGS(); i++)
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	for (int i = 0; i < spec->blocks; i++)
		value[i] = PG_GETARG_INT32(FIRST_VALUE + i);
	if (PG_GETARG_INT64(1) < 1 || !dp_models_model_vector(spec, value, vector))
		PG_RETURN_NULL();
	record = palloc(VARHDRSZ + dp_models_pass_record_size(spec));
	SET_VARSIZE(record, VARHDRSZ + dp_models_pass_record_size(spec));
	dp_models_pass_write_record(spec, value, dp_models_model_weight(spec, PG_GETARG_INT64(1)), VARDATA(record));
	PG_RETURN_BYTEA_P(record);
}

Node *
dp_exact_exact_model_row(const DpMeasure *measure, Node *rows, List *coordinates)
{
	static const Oid types[] = {BYTEAOID, INT8OID, ANYOID};
	List	   *args = list_concat(list_make2(dp_tree_make_bytea(&measure->model, sizeof(DpModelSpec)), rows),
								   coordinates);

	return (Node *) dp_tree_make_call("model_row", types, lengthof(types), args, BYTEAOID);
}

/* count(*) over the rows of the first column's value. */
static WindowFunc *
count_alike(Query *query)
{
	TargetEntry *unit = linitial_node(TargetEntry, query->targetList);
	WindowClause *window = makeNode(WindowClause);
	WindowFunc *count = makeNode(WindowFunc);

	unit->ressortgroupref = 1;
	window->partitionClause = list_make1(dp_tree_make_clause(exprType((Node *) unit->expr), 1));
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = 1;
	query->windowClause = list_make1(window);
	query->hasWindowFuncs = true;
	count->winfnoid = F_COUNT_;
	count->wintype = INT8OID;
	count->winref = 1;
	count->winstar = true;
	count->winagg = true;
	count->location = -1;
	return count;
}

Query *
dp_exact_weigh_rows(Query *rows, Node *unit, List *coordinates, bool skips_null, Var **count, List **values)
{
	Var		   *id = dp_tree_add_column(rows, unit, "unit");
	List	   *columns = NIL;
	Query	   *query;
	ListCell   *lc;

	foreach(lc, coordinates)
		columns = lappend(columns, dp_tree_add_column(rows, copyObject(lfirst(lc)),
													  psprintf("value_%d", foreach_current_index(lc) + 1)));
	query = dp_tree_make_open_select_from(rows, "dp_rows");
	(void) dp_tree_add_column(query, (Node *) id, "unit");
	*values = NIL;
	foreach(lc, columns)
	{
		if (skips_null)
			query->jointree->quals = make_and_qual(query->jointree->quals, dp_tree_make_not_null(copyObject(lfirst(lc))));
		*values = lappend(*values, dp_tree_add_column(query, lfirst(lc),
													  psprintf("value_%d", foreach_current_index(lc) + 1)));
	}
	*count = dp_tree_add_column(query, (Node *) count_alike(query), "count");
	return query;
}
