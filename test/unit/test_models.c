/*
 * test_models.c
 *	  What rows add to the totals of models, and what is fitted to these.
 *
 * The norms are found by brute force, over random layouts and units of random rows: none
 * is above the bounds that are charged, and some of each layout reaches them.  Fits are
 * compared with the definition at 40 digits (model_reference.py).
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model_layouts.h"
#include "model_reference.h"
#include "tap.h"

#include "models/eigen.h"
#include "models/layout.h"
#include "models/linear_fit.h"
#include "models/products.h"

#define LAYOUTS 3000
#define UNITS 40

static double
random_normal(void)
{
	double		sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double) random64() / (double) UINT64_MAX;
	return sum - 6;
}

/* A layout of up to six blocks; keys may be of one key, which is no coordinate. */
static DpModelSpec
random_spec(void)
{
	DpModelSpec spec = {.max_rows = random_between(1, 4), .weight_bits = DP_MODEL_WEIGHT_BITS};

	add_columns(&spec, 0);
	add_block(&spec, random_between(0, 2) ? DP_MODEL_NUMBER : DP_MODEL_BOOLEAN, 1);
	return spec;
}

/* A row at the ends of all blocks: none of the keys is the first. */
static void
greatest_row(const DpModelSpec *spec, int32_t *value)
{
	for (int b = 0; b < spec->blocks; b++)
		value[b] = spec->block[b].kind == DP_MODEL_KEYS ? (spec->block[b].coordinates > 0 ? 2 : 1) : DP_MODEL_GRID;
}

/* Sums of products without rows, to be freed. */
static DpModelProducts *
products_of(int entries)
{
	void	   *memory = calloc(1, dp_models_model_products_size(entries));

	if (memory == NULL)
		abort();
	return dp_models_model_products_init(memory, entries);
}

/* What a unit of these rows moves, as shares of what is charged. */
static void
norms_of_unit(const DpModelSpec *spec, int rows, bool greatest, long double *squares, long double *magnitudes)
{
	int			entries = dp_models_model_entries(spec);
	DpModelProducts *products = products_of(entries);
	DpModelTotal total[DP_MODEL_MOST_TOTALS] = {0};
	long double whole = ldexpl(spec->max_rows, spec->weight_bits + 2 * DP_MODEL_GRID_BITS);
	int32_t		value[DP_MODEL_MOST_BLOCKS];
	int32_t		vector[DP_MODEL_MOST_ENTRIES];

	for (int i = 0; i < rows; i++)
	{
		if (greatest)
			greatest_row(spec, value);
		else if (i == 0 || random_between(0, 4) == 0)
			random_row(spec, value);
		if (!dp_models_model_vector(spec, value, vector))
			abort();
		dp_models_model_products_add(products, vector, dp_models_model_weight(spec, rows));
	}
	dp_models_model_products_settle(products);
	dp_models_model_read_totals(spec, products->total, total);
	free(products);
	*squares = *magnitudes = 0;
	for (int i = 0; i < dp_models_model_totals(spec); i++)
	{
		*squares += (long double) total[i] * total[i];
		*magnitudes += fabsl((long double) total[i]);
	}
	*squares /= whole * whole * dp_models_model_four_squares(spec) / 4;
	*magnitudes /= whole * dp_models_model_two_magnitudes(spec) / 2;
}

/* No unit moves more than is charged, and one does move that. */
static void
test_norms(void)
{
	long double most = 0;
	long double most_magnitudes = 0;
	long double least = 1;

	for (int i = 0; i < LAYOUTS; i++)
	{
		DpModelSpec spec = random_spec();
		long double squares;
		long double magnitudes;

		for (int j = 0; j < UNITS; j++)
		{
			norms_of_unit(&spec, random_between(1, 12), false, &squares, &magnitudes);
			most = fmaxl(most, squares);
			most_magnitudes = fmaxl(most_magnitudes, magnitudes);
		}
		norms_of_unit(&spec, random_between(1, 2) * spec.max_rows, true, &squares, &magnitudes);
		least = fminl(least, fminl(squares, magnitudes));
		most = fmaxl(most, squares);
		most_magnitudes = fmaxl(most_magnitudes, magnitudes);
	}
	ok(most <= 1 + 1e-15L, "no unit moves more than S: %.17Lg", most);
	ok(most_magnitudes <= 1 + 1e-15L, "nor than L: %.17Lg", most_magnitudes);
	ok(least >= 1 - 1e-15L, "and of each layout some unit moves both: %.17Lg", least);
}

/* A unit's rows never weigh more than its max_rows, whatever their number. */
static void
test_weights(void)
{
	bool		right = true;

	for (int i = 0; i < 100000; i++)
	{
		DpModelSpec spec = {.max_rows = 1 + (int32_t) (random64() % (i % 2 ? 20 : 1000000000)),
		.weight_bits = i % 3 ? DP_MODEL_WEIGHT_BITS : 0};
		int64_t		rows = 1 + (int64_t) (random64() % (i % 5 ? 50 : INT64_C(1) << 50));
		__int128	sum = (__int128) rows * dp_models_model_weight(&spec, rows);

		right &= sum <= ((__int128) spec.max_rows << spec.weight_bits) && sum >= 0;
		right &= rows > spec.max_rows || sum == (__int128) rows << spec.weight_bits;
	}
	ok(right, "rows of a unit weigh max_rows at most, and all they are where they are fewer");
}

/* So many rows of the greatest weight fit 64 bits. */
static void
test_room(void)
{
	__int128	most = (__int128) DP_MODEL_ROWS_THAT_FIT << (DP_MODEL_WEIGHT_BITS + 2 * DP_MODEL_GRID_BITS);

	ok(most < INT64_MAX, "sums of as many rows as are added up before they are settled fit 64 bits");
}

/* Specifications that arithmetic cannot rely on. */
static void
test_sanity(void)
{
	DpModelSpec good = {.blocks = 2, .max_rows = 1, .block = {{DP_MODEL_KEYS, 64}, {DP_MODEL_NUMBER, 1}}};
	DpModelSpec bad[9];

	for (int i = 0; i < 9; i++)
		bad[i] = good;
	bad[0].blocks = 0;
	bad[1].blocks = DP_MODEL_MOST_BLOCKS + 1;
	bad[2].max_rows = 0;
	bad[3].weight_bits = 3;
	bad[4].block[0].coordinates = 65;
	bad[5].block[0].kind = 3;
	bad[6].block[1].kind = DP_MODEL_KEYS;
	bad[7].block[1].coordinates = 2;
	bad[8].blocks = 3;
	bad[8].block[1] = (DpModelBlock) {DP_MODEL_BOOLEAN, 1};
	bad[8].block[2] = (DpModelBlock) {DP_MODEL_NUMBER, 1};
	ok(dp_models_model_spec_is_sane(&good), "64 keys and a number are a model");
	for (int i = 0; i < 9; i++)
		ok(!dp_models_model_spec_is_sane(&bad[i]), "malformed specification %d is found out", i);
}

/* Numbers for blocks that are none of theirs. */
static void
test_vector(void)
{
	DpModelSpec spec = {.blocks = 3, .max_rows = 1,
	.block = {{DP_MODEL_KEYS, 2}, {DP_MODEL_BOOLEAN, 1}, {DP_MODEL_NUMBER, 1}}};
	int32_t		vector[DP_MODEL_MOST_ENTRIES];
	int32_t		expected[] = {DP_MODEL_GRID, 0, DP_MODEL_GRID, -DP_MODEL_GRID, DP_MODEL_GRID};

	ok(dp_models_model_vector(&spec, (int32_t[]) {3, 0, 40000}, vector) && memcmp(vector, expected, sizeof(expected)) == 0,
	   "numbers are clamped, booleans signs, keys at their place");
	ok(!dp_models_model_vector(&spec, (int32_t[]) {0, 1, 1}, vector), "no place before the first key");
	ok(!dp_models_model_vector(&spec, (int32_t[]) {4, 1, 1}, vector), "nor behind the last");
	ok(!dp_models_model_vector(&spec, (int32_t[]) {INT32_MIN, 1, 1}, vector), "nor far from all");
}

/*
 * Sums are those that integers have, of any number of rows, of any weights, and of the greatest
 * products, of which more rows are not exact at once.
 */
static void
test_products(void)
{
	int			wrong = 0;

	for (int n = 0; n < 300; n++)
	{
		int			entries = n < 4 ? DP_MODEL_MOST_ENTRIES - n % 2 : random_between(2, 20);
		int			rows = n < 20 ? 3 * DP_PRODUCTS_EXACT_ROWS + n : random_between(0, 40);
		bool		greatest = n % 3 == 0;
		DpModelProducts *products = products_of(entries);
		DpModelTotal exact[DP_MODEL_MOST_TOTALS] = {0};

		for (int row = 0; row < rows; row++)
		{
			int32_t		vector[DP_MODEL_MOST_ENTRIES];
			int64_t		weight = (1 << DP_MODEL_WEIGHT_BITS) - random_between(0, greatest ? 1 : 1 << DP_MODEL_WEIGHT_BITS);
			DpModelTotal *total = exact;

			for (int i = 0; i < entries; i++)
			{
				vector[i] = DP_MODEL_GRID - random_between(0, greatest ? 1 : 2 * DP_MODEL_GRID);
				if (n % 2 && i % 2)
					vector[i] = -vector[i];
			}
			dp_models_model_products_add(products, vector, weight);
			for (int i = 0; i < entries; i++)
				for (int j = i; j < entries; j++)
					*total++ += (DpModelTotal) weight * vector[i] * vector[j];
			if (n >= 20 && random_between(0, 50) == 0)
				dp_models_model_products_settle(products);
		}
		dp_models_model_products_settle(products);
		dp_models_model_products_settle(products);
		wrong += memcmp(exact, products->total, sizeof(DpModelTotal) * (size_t) (entries * (entries + 1) / 2)) != 0;
		free(products);
	}
	ok(wrong == 0, "sums of products are those of integers: %d are not", wrong);
}

/* The matrix that totals give is that of the rows. */
static void
test_matrix(void)
{
	double		worst = 0;

	for (int n = 0; n < 200; n++)
	{
		DpModelSpec spec = random_spec();
		int			entries = dp_models_model_entries(&spec);
		double		exact[DP_MODEL_MOST_ENTRIES * DP_MODEL_MOST_ENTRIES] = {0};
		double		matrix[DP_MODEL_MOST_ENTRIES * DP_MODEL_MOST_ENTRIES];
		double		number[DP_MODEL_MOST_TOTALS];
		DpModelProducts *products = products_of(entries);
		DpModelTotal total[DP_MODEL_MOST_TOTALS] = {0};
		DpModelIndex index;

		for (int row = 0; row < 20; row++)
		{
			int32_t		value[DP_MODEL_MOST_BLOCKS];
			int32_t		vector[DP_MODEL_MOST_ENTRIES];

			random_row(&spec, value);
			(void) dp_models_model_vector(&spec, value, vector);
			dp_models_model_products_add(products, vector, 1);
			for (int i = 0; i < entries; i++)
				for (int j = 0; j < entries; j++)
					exact[i * entries + j] += ldexp((double) vector[i] * vector[j], -2 * DP_MODEL_GRID_BITS);
		}
		dp_models_model_products_settle(products);
		dp_models_model_read_totals(&spec, products->total, total);
		free(products);
		for (int i = 0; i < dp_models_model_totals(&spec); i++)
			number[i] = ldexp((double) total[i], -2 * DP_MODEL_GRID_BITS);
		dp_models_model_index(&spec, &index);
		dp_models_model_matrix(&index, number, matrix);
		worst = fmax(worst, index.totals != dp_models_model_totals(&spec));
		for (int i = 0; i < entries * entries; i++)
			worst = fmax(worst, fabs(matrix[i] - exact[i]));
	}
	ok(worst < 1e-12, "totals give the matrix of the rows: %g", worst);
}

/* How far a decomposition is off. */
static double
eigen_error(int n, const double *matrix)
{
	double		values[40 * 40];
	double		vectors[40 * 40];
	double		again[40 * 40];
	double		worst = 0;

	memcpy(values, matrix, sizeof(double) * (size_t) (n * n));
	dp_models_eigen_symmetric(n, values, vectors);
	dp_models_eigen_compose(n, values, vectors, -INFINITY, 0, again);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
		{
			double		product = 0;

			for (int k = 0; k < n; k++)
				product += vectors[i * n + k] * vectors[j * n + k];
			worst = fmax(worst, fabs(product - (i == j)));
			worst = fmax(worst, fabs(again[i * n + j] - matrix[i * n + j]));
		}
	return worst;
}

static void
test_eigen(void)
{
	double		matrix[40 * 40] = {0};
	double		worst = eigen_error(5, matrix);

	for (int repeat = 0; repeat < 60; repeat++)
	{
		int			n = random_between(1, 40);

		for (int i = 0; i < n; i++)
			for (int j = 0; j <= i; j++)
				matrix[i * n + j] = matrix[j * n + i] = repeat % 3 == 0 ? random_between(0, 1) : random_normal();
		worst = fmax(worst, eigen_error(n, matrix));
	}
	ok(worst < 1e-12, "eigenvalues and vectors make the matrix again: %g", worst);
}

static void
test_reference(void)
{
	for (size_t i = 0; i < sizeof(model_cases) / sizeof(model_cases[0]); i++)
	{
		const ModelCase *c = &model_cases[i];
		DpModelSpec spec = spec_of(c->layout);
		double	   *room = malloc(sizeof(double) * dp_models_linear_fit_room(&spec));
		DpLinearFit fit;
		double		sigma[3];

		dp_models_linear_fit(&spec, c->total, c->noise, (const DpLinearScale *) c->scale, room, &fit);
		ok(difference(fit.coef, c->coef, fit.terms) < 1e-10, "coefficients of %s", c->layout);
		ok(difference(fit.centre, c->centre, fit.terms) < 1e-10, "those that errors are of, of %s", c->layout);
		ok(difference(fit.covariance, c->covariance, fit.terms * fit.terms) < 1e-9, "covariance of %s", c->layout);
		sigma[0] = fit.sigma;
		sigma[1] = fit.sigma_lower;
		sigma[2] = fit.sigma_upper;
		ok(difference(sigma, c->sigma, 3) < 1e-10, "residuals of %s", c->layout);
		ok(fit.shrunk == c->shrunk, "whether %s is shrunk", c->layout);
		free(room);
	}
}

/* Is all of a fit a number, or infinite where it may be? */
static bool
is_sound(const DpLinearFit *fit)
{
	bool		sound = isfinite(fit->sigma) && isfinite(fit->sigma_lower) && !isnan(fit->sigma_upper);

	for (int i = 0; i < fit->terms; i++)
	{
		sound &= isfinite(fit->coef[i]) && isfinite(fit->centre[i]) && fit->std_err[i] >= 0;
		for (int j = 0; j < fit->terms; j++)
			sound &= !isnan(fit->covariance[i * fit->terms + j]);
	}
	return sound;
}

/* Whatever noise makes of totals, nothing is NaN. */
static void
test_noise_alone(void)
{
	static double room[100000];
	bool		sound = true;
	DpLinearFit fit;

	for (int i = 0; i < 2000; i++)
	{
		DpModelSpec spec = random_spec();
		DpLinearScale scale[DP_LINEAR_MOST_TERMS + 1];
		double		total[DP_MODEL_MOST_TOTALS];
		double		noise = ldexp(1, random_between(-40, 80));

		spec.block[spec.blocks - 1] = (DpModelBlock) {DP_MODEL_NUMBER, 1};
		if (dp_models_model_coordinates(&spec) < 1)
			continue;
		for (int j = 0; j < dp_models_model_totals(&spec); j++)
			total[j] = i % 7 == 0 ? 0 : noise * random_normal();
		if (i % 3 == 0)
			total[0] = 1 + ldexp(1, random_between(-50, 3));
		for (int j = 0; j < dp_models_model_coordinates(&spec) + 1; j++)
			scale[j] = (DpLinearScale) {ldexp(1, random_between(-1000, 1000)), ldexp(1, random_between(-1000, 1000))};
		dp_models_linear_fit(&spec, total, noise, scale, room, &fit);
		sound &= is_sound(&fit);
	}
	ok(sound, "no noise makes NaN of a fit");
}

/* Without rows there is nothing to say. */
static void
test_nobody(void)
{
	DpModelSpec spec = spec_of("nn");
	static double room[100000];
	double		total[6] = {0.5, 3, 2, 1, 1, 1};
	DpLinearScale scale[2] = {{5, 2}, {7, 3}};
	DpLinearFit fit;

	dp_models_linear_fit(&spec, total, 1, scale, room, &fit);
	ok(fit.coef[0] == 7 && fit.coef[1] == 0, "of nobody the middle is predicted");
	ok(isinf(fit.std_err[0]) && isinf(fit.std_err[1]) && fit.shrunk, "and nothing is known");
}

int
main(void)
{
	test_norms();
	test_weights();
	test_room();
	test_sanity();
	test_vector();
	test_products();
	test_matrix();
	test_eigen();
	test_reference();
	test_noise_alone();
	test_nobody();
	return done_testing();
}
