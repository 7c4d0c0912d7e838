/*
 * synthesis_cells.c
 *	  The aggregate that synthetic rows are made of: pair_tables(cells int4[], epsilon).
 *
 * Each cell is a key as of a histogram: a bucket of a number, or a place among keys.  So which of
 * them there are is public, and what is computed of a row is what a histogram computes.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "accounting/tree_tables.h"
#include "models/synthesis_tables.h"
#include "pricing/forms.h"
#include "asking/histogram.h"
#include "asking/synthesis_cells.h"
#include "tree/own_functions.h"
#include "tree/reason.h"
#include "policy/enum_values.h"
#include "policy/not_null.h"
#include "base/settings.h"

bool
dp_query_is_pair_tables(const Aggref *aggref)
{
	return dp_query_function(aggref->aggfnoid) == DP_FUNCTION_PAIR_TABLES;
}

/* What a block may not be that is to release synthetic rows. */
static DpReason *
check_block(Query *block, const Aggref *aggref)
{
	if (dp_query_call_of(block) == NULL)
		return dp_query_reason(aggref->location, "Call dp_synthesize in FROM.",
							   "this aggregate is not allowed in a differentially private query");
	if (dp_settings_sample_rate < 1)
		return dp_query_reason(aggref->location, "SET dp_agg.sample_rate = 1.",
							   "synthetic rows are not made of a sample");
	return NULL;
}

/* Are so many keys all values of a type? */
static bool
has_all_values(Oid type, int keys)
{
	if (type == BOOLOID)
		return keys == 2;
	return get_typtype(type) == TYPTYPE_ENUM && keys == list_length(dp_query_enum_values(type));
}

/*
 * Can a cell's number be none?  Not if a column cannot be NULL, and all its values have a cell: bins have all
 * but NaN, keys all if they are as many as there are.
 */
static bool
can_be_none(Query *block, const FuncExpr *cell, int keys)
{
	Node	   *value = linitial(cell->args);
	Oid			type = exprType(value);
	bool		bins = dp_query_function(cell->funcid) == DP_FUNCTION_BUCKET;

	while (IsA(value, RelabelType))
		value = (Node *) ((RelabelType *) value)->arg;
	if (bins && (type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID))
		return true;
	if (!bins && !has_all_values(type, keys))
		return true;
	return dp_query_can_be_null(block, value);
}

/*
 * Validate the i-th column's cell.  How many there are, and whether one is for none, is known from the statement,
 * the catalog and the policy.
 */
static Node *
validate_cell(Query *block, Node *cell, ParamListInfo params, DpSyntheticColumns *columns, int i,
			  DpReason **reason)
{
	int			domain = 0;
	Node	   *key = dp_query_public_key(block, cell, params, &domain, reason);

	if (*reason)
		return NULL;
	if (key == NULL || domain < 1)
		elog(ERROR, "a cell of synthetic rows is no public key");
	columns->shape.cells[i] = domain;
	if (can_be_none(block, (FuncExpr *) cell, domain))
	{
		columns->shape.cells[i]++;
		columns->nullable |= (uint32) 1 << i;
	}
	if (dp_query_function(((FuncExpr *) cell)->funcid) == DP_FUNCTION_BUCKET)
		columns->numbers |= (uint32) 1 << i;
	return key;
}

/* Validate the cells of all columns. */
static DpReason *
validate_cells(Query *block, ParamListInfo params, DpMeasure *measure)
{
	ArrayExpr  *array = copyObject((ArrayExpr *) linitial_node(TargetEntry, measure->aggref->args)->expr);
	DpSyntheticColumns *columns = palloc0(sizeof(DpSyntheticColumns));
	ListCell   *lc;

	if (!IsA(array, ArrayExpr) || list_length(array->elements) > DP_SYNTHESIS_MOST_COLUMNS)
		elog(ERROR, "cells of synthetic rows are no array");
	foreach(lc, array->elements)
	{
		int			i = columns->shape.columns++;
		DpReason   *reason = NULL;

		lfirst(lc) = validate_cell(block, lfirst(lc), params, columns, i, &reason);
		if (reason)
			return reason;
	}
	if (dp_synthesis_table_cells(&columns->shape) == 0)
		elog(ERROR, "tables of synthetic rows are out of range");
	measure->value = (Node *) array;
	measure->value_type = INT4ARRAYOID;
	measure->synthetic = columns;
	return NULL;
}

/* Calibrate a release, in units of 2^-DP_SYNTHESIS_WEIGHT_BITS rows. */
static const char *
calibrate(DpRelease *release, int columns, int max_rows)
{
	DpTreeNoise noise;
	const char *problem = dp_accounting_calibrate_tree(&noise, release->epsilon, release->delta, columns,
													   (uint64) max_rows << DP_SYNTHESIS_WEIGHT_BITS,
													   -DP_SYNTHESIS_WEIGHT_BITS);

	if (problem)
		return problem;
	release->nnoise = 2;
	release->noise[0] = noise.pairs;
	release->noise[1] = noise.margins;
	release->choice = noise.tree;
	release->choice_epsilon = noise.tree_epsilon;
	return NULL;
}

DpReason *
dp_query_measure_synthesis(Query *block, Aggref *aggref, const DpContribution *contribution,
						   ParamListInfo params, DpMeasure *measure)
{
	DpReason   *reason = check_block(block, aggref);
	DpRelease  *release = &measure->release;
	const char *problem;
	double		epsilon;

	memset(measure, 0, sizeof(*measure));
	measure->aggref = aggref;
	if (reason == NULL)
		reason = dp_query_read_epsilon(aggref, 1, params, &epsilon);
	if (reason == NULL)
		reason = validate_cells(block, params, measure);
	if (reason)
		return reason;
	measure->most_rows = contribution->max_rows;
	dp_query_init_release(release, DP_RELEASE_TABLES, epsilon);
	release->delta = dp_settings_delta;
	problem = calibrate(release, measure->synthetic->shape.columns, contribution->max_rows);
	if (problem)
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, aggref->location, NULL, "%s", problem);
	return NULL;
}
