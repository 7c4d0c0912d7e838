/* SPDX-License-Identifier: PostgreSQL */
/*
 * select_model.c
 *	  dp_select_model as the block it stands for.
 *
 *		FROM dp_select_model(relation, y, candidates, epsilon, filter)
 *
 * becomes a subquery whose block counts, for each candidate, the rows for which it
 * differs from y, all in one pass.  The block releases the number of a candidate for
 * which that count is small, in place of the first count (DP_FORM_LEAST).
 *
 *		FROM dp_select_model(relation, y, columns, models, loss, bound, epsilon, filter)
 *
 * does the same with one aggregate of all models' losses.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "asking/call_text.h"
#include "asking/loss_spec.h"
#include "asking/model_text.h"
#include "asking/select_model.h"
#include "pricing/release.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

#define MAX_CONDITIONS 256

/* Losses by their names. */
static const struct
{
	const char *name;
	DpLoss		loss;
}			losses[] = {
	{"zero_one", DP_LOSS_ZERO_ONE},
	{"logistic", DP_LOSS_LOGISTIC},
	{"hinge", DP_LOSS_HINGE},
	{"squared", DP_LOSS_SQUARED},
	{"absolute", DP_LOSS_ABSOLUTE},
};

/* An argument that is a text. */
static char *
text_of(const DpCall *call, int argument)
{
	return TextDatumGetCString(call->value[argument]->constvalue);
}

/* The predicted column, as a number. */
static DpReason *
read_number(DpCall *call, const char **number)
{
	Oid			type;

	*number = dp_asking_call_value(call, text_of(call, 1), &type);
	switch (*number ? getBaseType(type) : InvalidOid)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
			return NULL;
		default:
			return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Write a column of numbers, or an expression over rows of the relation.",
									 "y of %s must be one number", call->name);
	}
}

/*
 * The count of a candidate's errors counts the number of the candidate, so that two alike are
 * two aggregates.  A candidate that is NULL of a row foretells false; a row of which y is NULL
 * counts for none.
 */
static char *
count_errors(DpCall *call, const char *y, const DpConditions *candidates)
{
	StringInfoData counts;

	initStringInfo(&counts);
	for (int i = 0; i < candidates->count; i++)
	{
		char	   *counted = psprintf("CASE WHEN (%s) OPERATOR(pg_catalog.<>) ((%s) IS TRUE) THEN %d END",
									   y, candidates->condition[i], i + 1);

		appendStringInfo(&counts, "%s%s AS c%d", i > 0 ? ", " : "",
						 dp_asking_call_count(call, counted), i + 1);
	}
	return counts.data;
}

/* Ask for one of so many. */
static void
set_form(DpCall *call, int candidates, const char *what)
{
	call->formed.form = DP_FORM_LEAST;
	call->formed.size = candidates;
	snprintf(call->formed.label, DP_LABEL_SIZE, "%s(%s, %d %s)", call->name, call->alias, candidates, what);
}

/* One of conditions. */
static DpReason *
write_conditions(DpCall *call, char **text)
{
	DpConditions candidates;
	const char *y;
	DpReason   *reason = dp_asking_call_foretold(call, 1, &y);

	if (reason == NULL)
		reason = dp_asking_call_conditions(call, 2, "candidate", "candidates", MAX_CONDITIONS, &candidates);
	if (reason)
		return reason;
	*text = psprintf("SELECT b.c1::pg_catalog.int4, (%s)[b.c1] FROM (SELECT %s %s) b",
					 dp_asking_call_given(call, &candidates), count_errors(call, y, &candidates),
					 dp_asking_call_from(call));
	set_form(call, candidates.count, "candidates");
	return NULL;
}

static DpReason *
read_loss(const DpCall *call, const char **name, DpLoss *loss)
{
	*name = text_of(call, 4);
	for (int i = 0; i < lengthof(losses); i++)
		if (strcmp(losses[i].name, *name) == 0)
		{
			*loss = losses[i].loss;
			return NULL;
		}
	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Use zero_one, logistic or hinge of a condition, squared or absolute of a number.",
							 "loss of %s is not known: \"%s\"", call->name, *name);
}

/* The most that a row can lose: 1 where a model is right or wrong. */
static DpReason *
read_bound(const DpCall *call, DpLoss loss, const char *name, double *bound)
{
	const Const *value = call->value[5];

	*bound = value->constisnull ? 1 : DatumGetFloat8(value->constvalue);
	if (loss == DP_LOSS_ZERO_ONE && *bound == 1)
		return NULL;
	if (loss == DP_LOSS_ZERO_ONE)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Leave it out.", "bound of loss zero_one is 1");
	if (value->constisnull)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Losses beyond it are cut: noise grows with it. For logistic and hinge loss 4 is a good start.",
								 "loss %s needs a bound", name);
	if (dp_models_loss_is_of_number(loss) && !(*bound > 0 && *bound >= 0x1p-1000 && *bound <= 0x1p+1000))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL, "bound of loss %s must be greater than 0 and finite", name);
	if (!dp_models_loss_is_of_number(loss) && !(*bound >= DP_LEAST_LOSS_BOUND && *bound <= DP_MOST_LOSS_BOUND))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL, "bound of loss %s must be between %.6g and %.6g", name, DP_LEAST_LOSS_BOUND, DP_MOST_LOSS_BOUND);
	return NULL;
}

/* The array with its first element at 1, as the text takes a model out of it. */
static const char *
models_text(DpCall *call)
{
	ArrayType  *array = DatumGetArrayTypePCopy(call->value[3]->constvalue);

	ARR_LBOUND(array)[0] = ARR_LBOUND(array)[1] = 1;
	return dp_asking_call_constant(call, makeConst(FLOAT8ARRAYOID, -1, InvalidOid, -1, PointerGetDatum(array), false, false));
}

/*
 * Values of y and the columns in a row, each after a comma; y in such units if it
 * is a number.
 */
static const char *
values_text(DpCall *call, const char *y, double unit, const DpColumns *columns)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, ", dp_agg_internal.target(%s, %s)", y,
					 dp_asking_call_constant(call, dp_tree_make_float8(unit)));
	for (int i = 0; i < columns->count; i++)
		appendStringInfo(&text, ", %s", dp_asking_coordinate_text(call, &columns->column[i]));
	return text.data;
}

/* One of linear models.  A number is in units in which the bound is 1, and so are models of it. */
static DpReason *
write_models(DpCall *call, char **text)
{
	DpModelCall model = {.predicted = {.name = text_of(call, 1), .kind = DP_COLUMN_BOOLEAN}};
	DpLoss		loss = DP_LOSS_ZERO_ONE;
	Const	   *models = NULL;
	const char *name;
	const char *y = NULL;
	double		bound = 1;
	double		unit;
	DpReason   *reason = read_loss(call, &name, &loss);

	if (reason == NULL)
		reason = read_bound(call, loss, name, &bound);
	unit = loss == DP_LOSS_SQUARED ? sqrt(bound) : loss == DP_LOSS_ABSOLUTE ? bound : 1;
	if (reason == NULL)
		reason = dp_asking_read_model(call, call->value[2], &model);
	if (reason == NULL)
		reason = dp_asking_loss_spec(call->value[3], &model.spec, loss, dp_models_loss_is_of_number(loss) ? 1 : bound, unit, &models);
	if (reason == NULL)
		reason = dp_models_loss_is_of_number(loss) ? read_number(call, &y) : dp_asking_call_foretold(call, 1, &y);
	if (reason)
		return reason;
	*text = psprintf("SELECT b.c::pg_catalog.int4, ARRAY(SELECT pg_catalog.unnest((%s)[b.c:b.c][:])) "
					 "FROM (SELECT dp_agg_internal.losses(%s, %s%s) AS c %s) b", models_text(call),
					 dp_asking_call_constant(call, models), call->epsilon,
					 values_text(call, y, unit, model.columns), dp_asking_call_from(call));
	set_form(call, ((DpLossSpec *) DatumGetPointer(models->constvalue))->models, psprintf("models, %s", name));
	call->formed.bound = bound;
	return NULL;
}

DpReason *
dp_asking_write_select_model(DpCall *call, char **text)
{
	return call->value[2]->consttype == JSONOID ? write_models(call, text) : write_conditions(call, text);
}
