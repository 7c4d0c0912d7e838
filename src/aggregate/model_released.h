/*
 * model_released.h
 *	  How the totals of a model became public, and from there to its coefficients.
 */
#ifndef DP_AGGREGATE_MODEL_RELEASED_H
#define DP_AGGREGATE_MODEL_RELEASED_H

#include "postgres.h"

#include "models/layout.h"

/*
 * The argument of released_model, a bytea constant in plans.  What stands for a model above its
 * release is a bytea, too: this, and behind it the totals in units of a row, as doubles.
 */
typedef struct DpModelAbout
{
	int32		vl_len_;		/* varlena header */
	DpModelSpec spec;
	double		unit;			/* of noisy totals, in rows */
	double		noise;			/* standard deviation of the noise of a total, in rows */
} DpModelAbout;

#endif							/* DP_AGGREGATE_MODEL_RELEASED_H */
