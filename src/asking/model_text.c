/* SPDX-License-Identifier: PostgreSQL */
/*
 * model_text.c
 *	  Pieces of the text that a call for a model stands for.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "asking/call_text.h"
#include "asking/columns.h"
#include "asking/model_text.h"
#include "expression/fold_constants.h"
#include "models/layout.h"
#include "models/losses.h"
#include "pricing/value_range.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/reason.h"

/*
 * Grids of linear models.
 */

PG_FUNCTION_INFO_V1(dp_asking_model_grid);

Node *
dp_asking_settle_grid(Node *argument, ParamListInfo params)
{
	FuncExpr   *call = (FuncExpr *) argument;
	ListCell   *lc;

	if (!IsA(call, FuncExpr) || dp_tree_function(call->funcid) != DP_FUNCTION_MODEL_GRID)
		return argument;
	call = copyObject(call);
	foreach(lc, call->args)
	{
		Const	   *value = dp_expression_constant(lfirst(lc), params);

		if (value == NULL)
			return argument;
		lfirst(lc) = value;
	}
	return eval_const_expressions(NULL, (Node *) call);
}

static void
refuse(const char *hint, const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message),
			 hint ? errhint("%s", hint) : 0));
}

/* steps to the power of terms; 0 if these are too many models. */
static int
count_models(int terms, int steps)
{
	int64		count = 1;

	for (int i = 0; i < terms && count <= DP_MOST_MODELS; i++)
		count *= steps;
	return count <= DP_MOST_MODELS ? (int) count : 0;
}

/* The weights of model number n: its digits to the base of steps, the last fastest. */
static void
put_model(Datum *weight, int terms, double radius, int steps, int n)
{
	for (int i = terms - 1; i >= 0; i--, n /= steps)
		weight[i] = Float8GetDatum(radius * (2 * (n % steps) - (steps - 1)) / (steps - 1));
}

/* model_grid(coordinates, radius, steps): every combination of so many weights each, from -radius to radius. */
Datum
dp_asking_model_grid(PG_FUNCTION_ARGS)
{
	int32		coordinates = PG_GETARG_INT32(0);
	double		radius = PG_GETARG_FLOAT8(1);
	int32		steps = PG_GETARG_INT32(2);
	int			terms = coordinates + 1;
	int			count;
	int			dims[2];
	int			bounds[2] = {1, 1};
	Datum	   *weight;

	if (coordinates < 1 || coordinates > DP_MODEL_MOST_COORDINATES)
		refuse(NULL, psprintf("coordinates must be between 1 and %d", DP_MODEL_MOST_COORDINATES));
	if (!(radius > 0 && radius <= 1e300))
		refuse(NULL, "radius must be greater than 0 and finite");
	if (steps < 2 || steps > DP_MOST_MODELS)
		refuse(NULL, psprintf("steps must be between 2 and %d", DP_MOST_MODELS));
	count = count_models(terms, steps);
	if (count == 0)
		refuse("Use fewer steps, or make an array of your own of the models that matter.",
			   psprintf("a grid must have at most %d models", DP_MOST_MODELS));
	weight = palloc((Size) count * terms * sizeof(Datum));
	for (int i = 0; i < count; i++)
		put_model(&weight[i * terms], terms, radius, steps, i);
	dims[0] = count;
	dims[1] = terms;
	PG_RETURN_ARRAYTYPE_P(construct_md_array(weight, NULL, 2, dims, bounds, FLOAT8OID, sizeof(float8),
											 FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

DpReason *
dp_asking_read_predicted(const DpCall *call, const Const *lower, const Const *upper, DpColumn *predicted)
{
	const char *name = NameStr(*DatumGetName(call->value[1]->constvalue));
	DpReason   *reason = dp_asking_read_bounded(call, name, lower ? DatumGetFloat8(lower->constvalue) : 0,
												upper ? DatumGetFloat8(upper->constvalue) : 0, lower != NULL, predicted);

	if (reason)
		return reason;
	if (predicted->kind != DP_COLUMN_NUMBER || predicted->type == DATEOID || predicted->type == TIMEOID ||
		dp_pricing_is_timestamp(predicted->type))
		return dp_tree_reason(-1, "Predict a column of numbers.",
							  "%s cannot predict column \"%s\" of type %s", call->name, name,
							  format_type_be(predicted->type));
	return NULL;
}

/* The block of a column. */
static DpModelBlock
block_of(const DpColumn *column)
{
	switch (column->kind)
	{
		case DP_COLUMN_NUMBER:
			return (DpModelBlock) {.kind = DP_MODEL_NUMBER, .coordinates = 1};
		case DP_COLUMN_BOOLEAN:
			return (DpModelBlock) {.kind = DP_MODEL_BOOLEAN, .coordinates = 1};
		case DP_COLUMN_KEYS:
			break;
	}
	return (DpModelBlock) {.kind = DP_MODEL_KEYS, .coordinates = Min(column->nkeys - 1, PG_INT16_MAX)};
}

DpReason *
dp_asking_read_model(const DpCall *call, const Const *columns, DpModelCall *model)
{
	int			coordinates = 0;
	DpReason   *reason = dp_asking_read_columns(call, columns, model->predicted.name, &model->columns);

	if (reason)
		return reason;
	model->spec = (DpModelSpec) {.blocks = model->columns->count + 1, .max_rows = 1};
	for (int i = 0; i < model->columns->count; i++)
	{
		model->spec.block[i] = block_of(&model->columns->column[i]);
		coordinates += model->spec.block[i].coordinates;
	}
	model->spec.block[model->columns->count] = block_of(&model->predicted);
	if (coordinates < 1 || coordinates > DP_MODEL_MOST_COORDINATES)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1,
								 "A number or boolean is one, a column with keys has one less than keys.",
								 "columns of a model must have 1 to %d coordinates", DP_MODEL_MOST_COORDINATES);
	return NULL;
}

/* A column as its base type: a function over any type would take a domain for one.  A condition is no column. */
static const char *
as_base_type(const DpCall *call, const DpColumn *column)
{
	if (column->attno == InvalidAttrNumber || get_atttype(call->relid, column->attno) == column->type)
		return column->text;
	return psprintf("(%s)::%s", column->text,
					format_type_extended(column->type, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
}

const char *
dp_asking_coordinate_text(DpCall *call, const DpColumn *column)
{
	switch (column->kind)
	{
		case DP_COLUMN_NUMBER:
			return psprintf("dp_agg_internal.coordinate(%s, %s, %s)", as_base_type(call, column),
							dp_asking_call_constant(call, dp_tree_make_float8(column->lower)),
							dp_asking_call_constant(call, dp_tree_make_float8(2 * DP_MODEL_GRID / (column->upper - column->lower))));
		case DP_COLUMN_BOOLEAN:
			return psprintf("dp_agg_internal.coordinate(%s)", as_base_type(call, column));
		case DP_COLUMN_KEYS:
			break;
	}
	return psprintf("dp_agg.place(%s, %s)", as_base_type(call, column), dp_asking_call_constant(call, column->keys));
}

const char *
dp_asking_model_block(DpCall *call, const DpModelCall *model)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "(SELECT dp_agg_internal.model(%s, %s",
					 dp_asking_call_constant(call, dp_tree_make_bytea(&model->spec, sizeof(DpModelSpec))),
					 call->epsilon);
	for (int i = 0; i < model->columns->count; i++)
		appendStringInfo(&text, ", %s", dp_asking_coordinate_text(call, &model->columns->column[i]));
	appendStringInfo(&text, ", %s) AS model %s) b", dp_asking_coordinate_text(call, &model->predicted), dp_asking_call_from(call));
	return text.data;
}

/* An array in the text. */
static const char *
array_text(DpCall *call, ArrayType *array, Oid type, Oid collation)
{
	return dp_asking_call_constant(call, makeConst(type, -1, collation, -1, PointerGetDatum(array), false, false));
}

const char *
dp_asking_model_terms(DpCall *call, const DpModelCall *model)
{
	Datum		name[DP_MODEL_MOST_COORDINATES];
	int			count = 0;

	for (int i = 0; i < model->columns->count; i++)
	{
		const DpColumn *column = &model->columns->column[i];

		if (column->kind != DP_COLUMN_KEYS)
			name[count++] = CStringGetTextDatum(column->name);
		for (int k = 1; k < column->nkeys; k++)
			name[count++] = CStringGetTextDatum(psprintf("%s=%s", column->name, column->key[k]));
	}
	return array_text(call, construct_array(name, count, TEXTOID, -1, false, TYPALIGN_INT), TEXTARRAYOID,
					  DEFAULT_COLLATION_OID);
}

/* Middle and half width of a column, which of coordinates of keys are 0 and 1, and of booleans those of 0 and 1. */
static int
put_scale(const DpColumn *column, Datum *value)
{
	double		middle = column->kind == DP_COLUMN_NUMBER ? column->lower / 2 + column->upper / 2 :
		column->kind == DP_COLUMN_BOOLEAN ? 0.5 : 0;
	double		half = column->kind == DP_COLUMN_NUMBER ? column->upper / 2 - column->lower / 2 :
		column->kind == DP_COLUMN_BOOLEAN ? 0.5 : 1;
	int			coordinates = column->kind == DP_COLUMN_KEYS ? column->nkeys - 1 : 1;

	for (int i = 0; i < coordinates; i++)
	{
		value[2 * i] = Float8GetDatum(middle);
		value[2 * i + 1] = Float8GetDatum(half);
	}
	return 2 * coordinates;
}

const char *
dp_asking_model_scale(DpCall *call, const DpModelCall *model)
{
	Datum		value[2 * DP_MODEL_MOST_COORDINATES + 2];
	int			count = 0;

	for (int i = 0; i < model->columns->count; i++)
		count += put_scale(&model->columns->column[i], &value[count]);
	count += put_scale(&model->predicted, &value[count]);
	return array_text(call, construct_array(value, count, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE),
					  FLOAT8ARRAYOID, InvalidOid);
}

void
dp_asking_label_model(DpCall *call, const DpModelCall *model)
{
	StringInfoData label;

	initStringInfo(&label);
	appendStringInfo(&label, "%s(%s by ", call->name, model->predicted.text);
	for (int i = 0; i < model->columns->count; i++)
		appendStringInfo(&label, "%s%s", i > 0 ? ", " : "", quote_identifier(model->columns->column[i].name));
	appendStringInfo(&label, ")");
	strlcpy(call->formed.label, label.data, DP_LABEL_SIZE);
}
