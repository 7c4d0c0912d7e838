/* SPDX-License-Identifier: PostgreSQL */
/*
 * tree_tables.c
 *	  Noise of a private tree of two-way tables.
 */
#include <math.h>
#include <stddef.h>

#include "accounting/conversion.h"
#include "accounting/tree_tables.h"

/* Shares of rho: see doc/accuracy.md for what others would do. */
#define MARGIN_SHARE 0.25
#define TREE_SHARE 0.08
#define PAIR_SHARE 0.67

/* Each noise is a little more than its share asks for, by more than rounding takes. */
#define HEADROOM 0x1p-40

#define MAX_SIGMA 0x1p55		/* what the sampler draws */

/* Noise of so many tables: tables sensitivity^2 / (2 sigma^2) is rho at most. */
static const char *
calibrate_tables(DpNoise *noise, int tables, uint64_t sensitivity, int grid, double rho)
{
	double		sigma = ceil(sqrt(tables / (2 * rho)) * (double) sensitivity * (1 + HEADROOM));

	if (!(sigma <= MAX_SIGMA))
		return "noise scale is too large";
	*noise = (DpNoise) {
		.mechanism = DP_GAUSSIAN, .groups = tables, .grid = grid, .sensitivity = sensitivity,
		.sigma = sigma >= 1 ? (uint64_t) sigma : 1
	};
	return NULL;
}

/* Draws of range e each: draws e^2 / 8 is rho at most. */
static const char *
calibrate_draws(DpTreeNoise *noise, int draws, uint64_t sensitivity, int grid, double rho)
{
	noise->tree_epsilon = sqrt(8 * rho * draws) / (1 + HEADROOM);
	return dp_accounting_calibrate(&noise->tree, DP_EXPONENTIAL, noise->tree_epsilon, 0, draws, 1,
								   sensitivity, grid);
}

const char *
dp_accounting_calibrate_tree(DpTreeNoise *noise, double epsilon, double delta, int columns,
							 uint64_t sensitivity, int grid)
{
	double		rho;
	const char *problem;

	if (!(epsilon >= DP_MIN_EPSILON && epsilon <= DP_MAX_EPSILON))
		return "epsilon must be between 1e-9 and 1048576";
	if (!(delta > 0 && delta <= 0.5))
		return "delta must be greater than 0 and at most 0.5 for Gaussian noise";
	if (columns < 2 || sensitivity < 1 || sensitivity > DP_MAX_SENSITIVITY)
		return "sensitivity is out of range";
	rho = dp_accounting_zcdp_max_rho(epsilon, delta);
	problem = calibrate_tables(&noise->pairs, columns - 1, sensitivity, grid, PAIR_SHARE * rho);
	if (problem == NULL)
		problem = calibrate_tables(&noise->margins, columns, sensitivity, grid, MARGIN_SHARE * rho);
	if (problem == NULL)
		problem = calibrate_draws(noise, columns - 1, sensitivity, grid, TREE_SHARE * rho);
	return problem;
}
