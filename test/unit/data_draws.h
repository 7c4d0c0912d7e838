/*
 * data_draws.h
 *	  Draws from laws of real numbers for the data of tests, the same in each run.
 */
#ifndef DP_TEST_DATA_DRAWS_H
#define DP_TEST_DATA_DRAWS_H

#include <math.h>

#include "data64.h"

/* From 0 to 1, neither included. */
static double
uniform(void)
{
	return ldexp((double) (data64() >> 11) + 0.5, -53);
}

static double
laplace(double scale)
{
	double		size = -log(uniform()) * scale;

	return uniform() < 0.5 ? -size : size;
}

#endif							/* DP_TEST_DATA_DRAWS_H */
