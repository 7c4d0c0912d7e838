/* SPDX-License-Identifier: PostgreSQL */
/*
 * tables.c
 *	  Tables of pairs of columns, of which synthetic rows are made.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "accounting/tree_tables.h"
#include "asking/histogram.h"
#include "asking/synthesize.h"
#include "exact/pair_tables.h"
#include "kinds/kinds.h"
#include "models/synthesis_tables.h"
#include "policy/domain.h"
#include "policy/unique.h"
#include "pricing/aggregate_args.h"
#include "pricing/forms.h"
#include "pricing/kind.h"
#include "pricing/value_range.h"
#include "rewrite/released_value.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

/* Refuse a block that cannot release synthetic rows. */
static DpReason *
check_block(const DpPricing *pricing, Query *block, const Aggref *aggref)
{
	if (dp_pricing_call_of(block) == NULL)
		return dp_tree_reason(aggref->location, "Call dp_synthesize in FROM.",
							  "this aggregate is not allowed in a differentially private query");
	if (pricing->sample_rate < 1)
		return dp_tree_reason(aggref->location, "SET dp_agg.sample_rate = 1.",
							  "synthetic rows are not made of a sample");
	return NULL;
}

/* Are so many keys all values of a type? */
static bool
has_all_values(Oid type, int keys)
{
	if (type == BOOLOID)
		return keys == 2;
	return get_typtype(type) == TYPTYPE_ENUM && keys == list_length(dp_policy_enum_values(type));
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
	bool		bins = dp_tree_function(cell->funcid) == DP_FUNCTION_BUCKET;

	while (IsA(value, RelabelType))
		value = (Node *) ((RelabelType *) value)->arg;
	if (bins && (type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID))
		return true;
	if (!bins && !has_all_values(type, keys))
		return true;
	return dp_policy_can_be_null(block, value);
}

/*
 * Validate the i-th column's cell.  How many there are, and whether one is for none, is known from the statement,
 * the catalog and the policy.
 */
static Node *
validate_cell(Query *block, Node *cell, const DpStatement *statement, DpSyntheticColumns *columns, int i,
			  DpReason **reason)
{
	int			domain = 0;
	Node	   *key = dp_asking_public_key(block, cell, statement, &domain, reason);

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
	if (dp_tree_function(((FuncExpr *) cell)->funcid) == DP_FUNCTION_BUCKET)
		columns->numbers |= (uint32) 1 << i;
	return key;
}

/* Validate the cells of all columns. */
static DpReason *
validate_cells(Query *block, const DpStatement *statement, DpMeasure *measure)
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

		lfirst(lc) = validate_cell(block, lfirst(lc), statement, columns, i, &reason);
		if (reason)
			return reason;
	}
	if (dp_models_synthesis_table_cells(&columns->shape) == 0)
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

/* Validate its cells, which are buckets and places, and calibrate its release with the session's settings. */
static DpReason *
measure_tables(Query *block, const DpContribution *contribution, const DpStatement *statement, DpMeasure *measure)
{
	Aggref	   *aggref = measure->aggref;
	DpReason   *reason = check_block(contribution->pricing, block, aggref);
	DpRelease  *release = &measure->release;
	const char *problem;
	double		epsilon;

	if (reason == NULL)
		reason = dp_pricing_read_call_epsilon(aggref, 1, statement, &epsilon);
	if (reason == NULL)
		reason = validate_cells(block, statement, measure);
	if (reason)
		return reason;
	measure->most_rows = contribution->max_rows;
	dp_pricing_init_release(contribution->pricing, release, &dp_kinds_tables, epsilon);
	release->delta = contribution->pricing->delta;
	problem = calibrate(release, measure->synthetic->shape.columns, contribution->max_rows);
	if (problem)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, aggref->location, NULL, "%s", problem);
	return NULL;
}

/* Scale the noise for the groups and sensitivity that one-way tables have. */
static bool
scale(DpRelease *release, double times)
{
	DpNoise    *margins = &release->noise[1];
	DpTreeNoise noise;

	if (dp_accounting_calibrate_tree(&noise, release->epsilon * times, release->delta, margins->groups,
									 margins->sensitivity, margins->grid) != NULL)
		return false;
	release->noise[0] = noise.pairs;
	release->noise[1] = noise.margins;
	release->choice = noise.tree;
	return true;
}

static Node *
value(const DpBlockRewrite *rewrite, const DpMeasure *measure, Aggref *aggref, int number)
{
	return dp_rewrite_totals(rewrite, number);
}

static const DpFunction asked_by[] = {DP_FUNCTION_PAIR_TABLES, DP_FUNCTION_OTHER};

const DpKind dp_kinds_tables = {
	.number = DP_RELEASE_TABLES,
	.choice = "tree",
	.scale = scale,
	.suits_aggregates = true,
	.takes_null = true,
	.weighed_values = dp_exact_cells_of,
	.weighed_total = dp_exact_exact_pair_tables,
	.of_call = true,
	.functions = asked_by,
	.measure = measure_tables,
	.value = value,
};
