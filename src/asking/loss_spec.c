/* SPDX-License-Identifier: PostgreSQL */
/*
 * loss_spec.c
 *	  Linear models of a call, as a constant.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "asking/loss_spec.h"
#include "tree/make_nodes.h"

/* The shape of the array: a model a row. */
static DpReason *
check_shape(const ArrayType *array, int terms)
{
	const char *hint = psprintf("Write an array of models, each an array of %d: the intercept, and a weight for each coordinate.",
								terms);

	if (ARR_NDIM(array) != 2)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, hint, "models must be a two-dimensional array");
	if (ARR_DIMS(array)[1] != terms)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, hint, "models have %d weights each, but the columns ask for %d", ARR_DIMS(array)[1], terms);
	if (ARR_DIMS(array)[0] > DP_MOST_MODELS)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL, "models must be at most %d", DP_MOST_MODELS);
	if ((int64) ARR_DIMS(array)[0] * terms > DP_MOST_WEIGHTS)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Use fewer models or columns.", "models must have at most %d weights together", DP_MOST_WEIGHTS);
	if (array_contains_nulls(unconstify(ArrayType *, array)))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL, "models must not be null");
	return NULL;
}

DpReason *
dp_asking_loss_spec(const Const *models, const DpModelSpec *columns, DpLoss loss, double bound, double unit,
					Const **spec)
{
	const ArrayType *array = DatumGetArrayTypeP(models->constvalue);
	const float8 *weight = (const float8 *) ARR_DATA_PTR(array);
	int			terms = dp_models_model_coordinates(columns) + 1;
	DpReason   *reason = check_shape(array, terms);
	DpLossSpec *losses;
	Size		size;

	if (reason)
		return reason;
	size = offsetof(DpLossSpec, weight) + (Size) ARR_DIMS(array)[0] * terms * sizeof(int32);
	losses = palloc0(size);
	losses->loss = loss;
	losses->bound = bound;
	losses->models = ARR_DIMS(array)[0];
	losses->columns = *columns;
	for (int i = 0; i < losses->models * terms; i++)
	{
		double		scaled = weight[i] / unit;

		if (!(fabs(scaled) <= DP_MOST_WEIGHT))
			return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Coordinates are between -1 and 1: give models for these.",
									 "weights of models must be between -%g and %g", DP_MOST_WEIGHT * unit, DP_MOST_WEIGHT * unit);
		losses->weight[(i % terms) * losses->models + i / terms] = (int32) rint(ldexp(scaled, DP_WEIGHT_BITS));
	}
	*spec = dp_tree_make_bytea(losses, size);
	return NULL;
}
