/*
 * model_grid.c
 *	  Grids of linear models.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"

#include "models/losses.h"
#include "asking/model_grid.h"
#include "tree/own_functions.h"
#include "tree/reason.h"
#include "expression/fold_constants.h"

PG_FUNCTION_INFO_V1(dp_query_model_grid);

Node *
dp_query_settle_grid(Node *argument, ParamListInfo params)
{
	FuncExpr   *call = (FuncExpr *) argument;
	ListCell   *lc;

	if (!IsA(call, FuncExpr) || dp_query_function(call->funcid) != DP_FUNCTION_MODEL_GRID)
		return argument;
	call = copyObject(call);
	foreach(lc, call->args)
	{
		Const	   *value = dp_query_constant(lfirst(lc), params);

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
dp_query_model_grid(PG_FUNCTION_ARGS)
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
