/*
 * test_passes.c
 *	  What rows add to the totals of passes, and classifiers from these.
 *
 * The norms are found by brute force, over random layouts, weights and units of random rows: none is above
 * the bounds that are charged, and some of each layout reaches them.  Classifiers are compared with the
 * definition at 40 digits (classifier_reference.py), and where there is hardly any noise with what they converge to.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "classifier_reference.h"
#include "model_layouts.h"
#include "tap.h"

#include "models/classifier.h"
#include "models/pass.h"
#include "models/products.h"

#define LAYOUTS 2000
#define UNITS 40

static double
random_uniform(void)
{
	return (double) (random64() >> 11) * 0x1p-53;
}

/* A layout of up to six blocks; keys may be of one key, which is no coordinate, but not all of them are. */
static DpModelSpec
random_spec(void)
{
	DpModelSpec spec = {.max_rows = random_between(1, 4), .weight_bits = DP_MODEL_WEIGHT_BITS};

	add_columns(&spec, 1);
	add_block(&spec, DP_MODEL_BOOLEAN, 1);
	return spec;
}

/* Weights: all that there may be, often large. */
static void
random_weights(int terms, int32_t *weight)
{
	int			most = DP_PASS_MOST_WEIGHT << DP_PASS_WEIGHT_BITS >> random_between(0, 12);

	for (int i = 0; i < terms; i++)
		weight[i] = random_between(0, 3) ? random_between(-most, most) : (random_between(0, 1) ? most : -most);
}

/*
 * The row at the ends of all blocks, none of the keys the first, whose y is false; and weights with which its
 * slope is greatest: of hinge as little within the corner as there is.
 */
static void
greatest_row(const DpModelSpec *spec, DpPassLoss loss, int32_t *value, int32_t *weight)
{
	for (int b = 0; b < spec->blocks; b++)
		value[b] = spec->block[b].kind == DP_MODEL_KEYS ? (spec->block[b].coordinates > 0 ? 2 : 1) : DP_MODEL_GRID;
	value[spec->blocks - 1] = -DP_MODEL_GRID;
	memset(weight, 0, sizeof(int32_t) * DP_PASS_MOST_TERMS);
	weight[0] = loss == DP_PASS_LOGISTIC ? 17 << DP_PASS_WEIGHT_BITS : -(1 << (DP_PASS_WEIGHT_BITS - 1)) - 1;
}

/* What a unit of these rows moves, as shares of what is charged. */
static void
norms_of_unit(const DpModelSpec *spec, DpPassLoss loss, int rows, bool greatest, long double *squares,
			  long double *magnitudes)
{
	static DpPass pass;
	long double whole = ldexpl(spec->max_rows, spec->weight_bits + 2 * DP_MODEL_GRID_BITS);
	int32_t		weight[DP_PASS_MOST_TERMS];
	int32_t		value[DP_MODEL_MOST_BLOCKS];
	int32_t		vector[DP_MODEL_MOST_ENTRIES];
	char		record[DP_PASS_MOST_RECORD];

	dp_models_pass_init(&pass, spec, loss);
	random_weights(pass.terms, weight);
	if (greatest)
		greatest_row(spec, loss, value, weight);
	dp_models_pass_begin(&pass, weight);
	for (int i = 0; i < rows; i++)
	{
		if (!greatest && (i == 0 || random_between(0, 4) == 0))
			random_row(spec, value);
		if (!dp_models_model_vector(spec, value, vector))
			abort();
		dp_models_pass_write_record(spec, value, dp_models_model_weight(spec, rows), record);
		dp_models_pass_add(&pass, record);
	}
	dp_models_pass_end(&pass);
	*squares = *magnitudes = 0;
	for (int i = 0; i < dp_models_pass_totals(spec); i++)
	{
		*squares += (long double) pass.total[i] * pass.total[i];
		*magnitudes += fabsl((long double) pass.total[i]);
	}
	*squares /= whole * whole * dp_models_pass_four_squares(spec, loss) / 4;
	*magnitudes /= whole * dp_models_pass_two_magnitudes(spec, loss) / 2;
}

/* No unit moves more than is charged, and one does move that. */
static void
test_norms(DpPassLoss loss)
{
	const char *name = loss == DP_PASS_LOGISTIC ? "logistic" : "hinge";
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
			norms_of_unit(&spec, loss, random_between(1, 12), false, &squares, &magnitudes);
			most = fmaxl(most, squares);
			most_magnitudes = fmaxl(most_magnitudes, magnitudes);
		}
		norms_of_unit(&spec, loss, random_between(1, 2) * spec.max_rows, true, &squares, &magnitudes);
		least = fminl(least, fminl(squares, magnitudes));
		most = fmaxl(most, squares);
		most_magnitudes = fmaxl(most_magnitudes, magnitudes);
	}
	ok(most <= 1 + 1e-15L, "%s: no unit moves more than S: %.17Lg", name, most);
	ok(most_magnitudes <= 1 + 1e-15L, "nor than L: %.17Lg", most_magnitudes);
	ok(least >= 1 - 1e-15L, "and of each layout some unit moves both: %.17Lg", least);
}

/* At any score, of one block: slope and curvature are what they stand for, and their norms within bounds. */
static void
test_scores(DpPassLoss loss)
{
	DpModelSpec spec = {.blocks = 2, .max_rows = 1, .block = {{DP_MODEL_NUMBER, 1}, {DP_MODEL_BOOLEAN, 1}}};
	static DpPass pass;
	double		worst = 0;
	double		norm = 0;

	dp_models_pass_init(&pass, &spec, loss);
	for (int i = -2500; i <= 2500; i++)
	{
		int32_t		weight[2] = {(int32_t) ldexp(i, DP_PASS_WEIGHT_BITS - 7) + random_between(-100, 100), 0};
		int32_t		value[2] = {DP_MODEL_GRID, i % 2 != 0};
		char		record[DP_PASS_MOST_RECORD];
		double		z = ldexp(weight[0], -DP_PASS_WEIGHT_BITS);
		double		y = i % 2 ? 1 : -1;
		double		u = fmin(fmax(1.5 - y * z, 0), 1);
		double		p = 1 / (1 + exp(-z));
		double		slope = loss == DP_PASS_LOGISTIC ? p - (y > 0) : -y * u;
		double		curvature = loss == DP_PASS_LOGISTIC ? 2 * p * (1 - p) : (u > 0 && u < 1 ? 0.5 : 0);
		double		got[3];

		dp_models_pass_write_record(&spec, value, 1, record);
		dp_models_pass_begin(&pass, weight);
		dp_models_pass_add(&pass, record);
		dp_models_pass_end(&pass);
		for (int j = 0; j < 3; j++)
			got[j] = ldexp((double) pass.total[j], -2 * DP_MODEL_GRID_BITS);
		worst = fmax(worst, fmax(fabs(got[0] - slope), fabs(got[2] - curvature)));
		norm = fmax(norm, got[0] * got[0] + got[1] * got[1] + got[2] * got[2]);
	}
	ok(worst < 2.5 / DP_MODEL_GRID, "slopes and curvatures are off by %.2g of a unit at most", worst * DP_MODEL_GRID);
	ok(norm <= dp_models_pass_four_squares(&spec, loss) / 4.0, "and their squares add up to S at most: %g", norm);
}

/* Totals of many rows, which do not fit 64 bits. */
static void
test_room(void)
{
	DpModelSpec spec = {.blocks = 2, .max_rows = 1000000000, .weight_bits = DP_MODEL_WEIGHT_BITS,
	.block = {{DP_MODEL_NUMBER, 1}, {DP_MODEL_BOOLEAN, 1}}};
	static DpPass pass;
	int32_t		weight[2] = {17 << DP_PASS_WEIGHT_BITS, 0};
	char		record[DP_PASS_MOST_RECORD];
	int64_t		rows = 5 * DP_MODEL_ROWS_THAT_FIT + 7;
	__int128	whole = (__int128) rows << (DP_MODEL_WEIGHT_BITS + 2 * DP_MODEL_GRID_BITS);

	dp_models_pass_init(&pass, &spec, DP_PASS_LOGISTIC);
	dp_models_pass_begin(&pass, weight);
	dp_models_pass_write_record(&spec, (int32_t[]) {-DP_MODEL_GRID, 0}, INT64_C(1) << DP_MODEL_WEIGHT_BITS, record);
	for (int64_t i = 0; i < rows; i++)
		dp_models_pass_add(&pass, record);
	dp_models_pass_end(&pass);
	ok(pass.total[0] == whole && pass.total[1] == -whole && pass.total[2] == 0, "sums that do not fit 64 bits are right");
	dp_models_pass_begin(&pass, weight);
	dp_models_pass_end(&pass);
	ok(pass.total[0] == 0, "and another pass begins without them");
}

/* A pass adds up slopes times the vectors of its rows: the same as with whole vectors. */
static void
test_rows(void)
{
	static DpPass one;
	static DpPass all;
	bool		same = true;

	for (int i = 0; i < 2000; i++)
	{
		DpModelSpec spec = random_spec();
		int32_t		weight[DP_PASS_MOST_TERMS];
		int32_t		value[DP_MODEL_MOST_BLOCKS];
		int32_t		vector[DP_MODEL_MOST_ENTRIES];
		char		record[DP_PASS_MOST_RECORD];
		int64_t		score = 0;

		/*
		 * A model of the constant alone has the same slope at the same score, where that is a
		 * weight.
		 */
		DpModelSpec constant = {.blocks = 2, .max_rows = 1, .block = {{DP_MODEL_NUMBER, 1}, {DP_MODEL_BOOLEAN, 1}}};

		random_row(&spec, value);
		same &= dp_models_model_vector(&spec, value, vector);
		dp_models_pass_init(&all, &spec, i % 2);
		random_weights(all.terms, weight);
		dp_models_pass_begin(&all, weight);
		dp_models_pass_write_record(&spec, value, 1, record);
		dp_models_pass_add(&all, record);
		dp_models_pass_end(&all);
		for (int j = 0; j < all.terms; j++)
			score += (int64_t) weight[j] * vector[j];
		dp_models_pass_init(&one, &constant, i % 2);
		dp_models_pass_begin(&one, (int32_t[]) {(int32_t) ((score + DP_MODEL_GRID / 2) >> DP_MODEL_GRID_BITS), 0});
		dp_models_pass_write_record(&constant, (int32_t[]) {0, value[spec.blocks - 1]}, 1, record);
		dp_models_pass_add(&one, record);
		dp_models_pass_end(&one);
		for (int j = 0; j < all.terms; j++)
			same &= fabs((double) (all.total[j] - one.total[0] / DP_MODEL_GRID * vector[j])) <= 2 * DP_MODEL_GRID;
	}
	ok(same, "rows add their slopes times their vectors");
}

/* A row that is kept is the same row. */
static void
test_records(void)
{
	bool		same = true;

	for (int i = 0; i < 20000; i++)
	{
		DpModelSpec spec = random_spec();
		int64_t		weight = random_between(0, 1 << DP_MODEL_WEIGHT_BITS);
		int32_t		value[DP_MODEL_MOST_BLOCKS];
		int32_t		kept[DP_MODEL_MOST_BLOCKS];
		int32_t		vector[DP_MODEL_MOST_ENTRIES];
		int32_t		again[DP_MODEL_MOST_ENTRIES];
		char		record[DP_PASS_MOST_RECORD];

		random_row(&spec, value);
		dp_models_pass_write_record(&spec, value, weight, record);
		same &= dp_models_pass_read_record(&spec, record, kept) == weight;
		same &= dp_models_model_vector(&spec, value, vector) && dp_models_model_vector(&spec, kept, again);
		same &= memcmp(vector, again, sizeof(int32_t) * (size_t) dp_models_model_entries(&spec)) == 0;
		same &= dp_models_pass_record_size(&spec) <= DP_PASS_MOST_RECORD;
	}
	ok(same, "rows are read back as they were");
}

static void
test_reference(void)
{
	for (size_t i = 0; i < sizeof(classifier_cases) / sizeof(classifier_cases[0]); i++)
	{
		const ClassifierCase *c = &classifier_cases[i];
		DpModelSpec spec = spec_of(c->layout);
		double	   *room = malloc(sizeof(double) * dp_models_classifier_room(&spec));
		double		coef[16];
		double		covariance[128];
		DpClassifier classifier;

		dp_models_classifier_start(&classifier, &spec, c->loss, c->total, c->noise, room);
		for (int pass = 0; pass < c->passes; pass++)
			dp_models_classifier_update(&classifier, &c->pass[pass * dp_models_pass_totals(&spec)]);
		if (c->passes > 0)
			dp_models_classifier_covariance(&classifier, c->noise, covariance);
		dp_models_classifier_to_columns(&classifier, (const DpLinearScale *) c->scale, coef, c->passes > 0 ? covariance : NULL);
		ok(difference(coef, c->coef, classifier.terms) < 1e-7, "coefficients of %s: off by %g", c->layout,
		   difference(coef, c->coef, classifier.terms));
		if (c->passes > 0)
			ok(difference(covariance, c->covariance, classifier.terms * classifier.terms) < 1e-9, "covariance of %s", c->layout);
		free(room);
	}
}

/* Rows of a logistic law, in coordinates. */
#define DRAWN 20000

static int32_t drawn[DRAWN][4];
static char drawn_record[DRAWN][DP_PASS_MOST_RECORD];

static void
draw_rows(const DpModelSpec *spec)
{
	for (int i = 0; i < DRAWN; i++)
	{
		double		a = 2 * random_uniform() - 1;
		double		b = random_between(0, 1) ? 1 : -1;
		double		p = 1 / (1 + exp(0.4 - 1.5 * a + 0.7 * b));

		drawn[i][0] = DP_MODEL_GRID;
		drawn[i][1] = (int32_t) rint(a * DP_MODEL_GRID);
		drawn[i][2] = (int32_t) (b * DP_MODEL_GRID);
		drawn[i][3] = random_uniform() < p ? DP_MODEL_GRID : -DP_MODEL_GRID;
		dp_models_pass_write_record(spec, &drawn[i][1], 1, drawn_record[i]);
	}
}

/* Their products, in rows. */
static void
drawn_totals(const DpModelSpec *spec, double *total)
{
	DpModelProducts *products = calloc(1, dp_models_model_products_size(4));
	DpModelTotal exact[DP_MODEL_MOST_TOTALS];

	if (products == NULL)
		abort();
	dp_models_model_products_init(products, 4);
	for (int i = 0; i < DRAWN; i++)
		dp_models_model_products_add(products, drawn[i], 1);
	dp_models_model_products_settle(products);
	dp_models_model_read_totals(spec, products->total, exact);
	free(products);
	for (int i = 0; i < dp_models_model_totals(spec); i++)
		total[i] = ldexp((double) exact[i], -2 * DP_MODEL_GRID_BITS);
}

/* Without noise, passes go where the gradient is none. */
static void
test_convergence(DpPassLoss loss, double factor)
{
	DpModelSpec spec = spec_of("nbb");
	double		total[DP_MODEL_MOST_TOTALS];
	double		room[200];
	double		gradient[DP_MOST_PASSES + 1] = {0};
	static DpPass pass;
	DpClassifier classifier;

	draw_rows(&spec);
	drawn_totals(&spec, total);
	dp_models_classifier_start(&classifier, &spec, loss, total, 1e-6, room);
	dp_models_pass_init(&pass, &spec, loss);
	for (int i = 0; i <= DP_MOST_PASSES; i++)
	{
		int32_t		weight[DP_PASS_MOST_TERMS];
		double		released[DP_PASS_MOST_TOTALS];

		dp_models_classifier_weights(&classifier, weight);
		dp_models_pass_begin(&pass, weight);
		for (int row = 0; row < DRAWN; row++)
			dp_models_pass_add(&pass, drawn_record[row]);
		dp_models_pass_end(&pass);
		for (int j = 0; j < dp_models_pass_totals(&spec); j++)
			released[j] = ldexp((double) pass.total[j], -2 * DP_MODEL_GRID_BITS);
		for (int j = 0; j < 3; j++)
			gradient[i] = fmax(gradient[i], fabs(released[j]));
		dp_models_classifier_update(&classifier, released);
	}
	ok(gradient[1] < gradient[0] / 3 && gradient[DP_MOST_PASSES] < gradient[0] / factor,
	   "passes lower the gradient: %.3g, %.3g ... %.3g", gradient[0], gradient[1], gradient[DP_MOST_PASSES]);
}

/* Is all of a classifier a number, and are its weights within their bounds? */
static bool
is_sound(const DpClassifier *classifier, const double *coef, const double *covariance)
{
	bool		sound = true;
	int			p = classifier->terms;

	for (int i = 0; i < p; i++)
	{
		sound &= fabs(classifier->weight[i]) <= DP_PASS_MOST_WEIGHT && isfinite(coef[i]);
		for (int j = 0; j < p; j++)
			sound &= !isnan(covariance[i * p + j]);
	}
	return sound;
}

/* Whatever noise makes of totals, nothing is NaN. */
static void
test_noise_alone(void)
{
	static double room[100000];
	static double covariance[DP_PASS_MOST_TERMS * DP_PASS_MOST_TERMS];
	bool		sound = true;

	for (int i = 0; i < 3000; i++)
	{
		DpModelSpec spec = random_spec();
		DpPassLoss	loss = i % 2 ? DP_PASS_LOGISTIC : DP_PASS_HINGE;
		DpLinearScale scale[DP_LINEAR_MOST_TERMS];
		double		total[DP_MODEL_MOST_TOTALS];
		double		noise = ldexp(1, random_between(-40, 80));
		double		coef[DP_PASS_MOST_TERMS];
		DpClassifier classifier;

		for (int j = 0; j < dp_models_model_totals(&spec); j++)
			total[j] = i % 7 == 0 ? 0 : noise * (2 * random_uniform() - 1);
		if (i % 3 == 0)
			total[0] = ldexp(1, random_between(-2, 70));
		for (int j = 0; j < dp_models_model_coordinates(&spec); j++)
			scale[j] = (DpLinearScale) {ldexp(1, random_between(-1000, 1000)), ldexp(1, random_between(-1000, 1000))};
		dp_models_classifier_start(&classifier, &spec, loss, total, noise, room);
		for (int pass = 0; pass < random_between(1, DP_MOST_PASSES); pass++)
		{
			int32_t		weight[DP_PASS_MOST_TERMS];

			dp_models_classifier_weights(&classifier, weight);
			for (int j = 0; j < dp_models_pass_totals(&spec); j++)
				total[j] = i % 5 == 0 ? 0 : ldexp(noise, random_between(-3, 40)) * (2 * random_uniform() - 1);
			dp_models_classifier_update(&classifier, total);
		}
		dp_models_classifier_covariance(&classifier, noise, covariance);
		dp_models_classifier_to_columns(&classifier, scale, coef, covariance);
		sound &= is_sound(&classifier, coef, covariance);
	}
	ok(sound, "no noise makes NaN of a classifier, or weights out of bounds");
}

/* Without rows there is nothing to say. */
static void
test_nobody(void)
{
	DpModelSpec spec = spec_of("nb");
	double		room[200];
	double		total[5] = {0.5, 3, 2, 1, 1};
	double		coef[2];
	double		covariance[4];
	DpLinearScale scale[2] = {{5, 2}, {7, 3}};
	DpClassifier classifier;

	dp_models_classifier_start(&classifier, &spec, DP_PASS_LOGISTIC, total, 1, room);
	dp_models_classifier_update(&classifier, (double[]) {100, 100, 100});
	dp_models_classifier_covariance(&classifier, 1, covariance);
	dp_models_classifier_to_columns(&classifier, scale, coef, covariance);
	ok(coef[0] == 0 && coef[1] == 0 && isinf(covariance[0]) && isinf(covariance[3]), "of nobody nothing is known");
}

int
main(void)
{
	/* Rows that gradients are taken of are these. */
	random_state = 31;

	test_norms(DP_PASS_LOGISTIC);
	test_norms(DP_PASS_HINGE);
	test_scores(DP_PASS_LOGISTIC);
	test_scores(DP_PASS_HINGE);
	test_room();
	test_rows();
	test_records();
	test_reference();
	test_convergence(DP_PASS_LOGISTIC, 10);
	test_convergence(DP_PASS_HINGE, 5);
	test_noise_alone();
	test_nobody();
	return done_testing();
}
