/* SPDX-License-Identifier: PostgreSQL */
/*
 * products.c
 *	  Sums over rows of the products of their coordinates; see products.h.
 */
#include <string.h>

#include "models/products.h"

/* Pairs of a row's vector: an odd one ends with a zero. */
static int
pairs_of(int entries)
{
	return (entries + 1) / 2;
}

/* Pairs of all sums. */
static size_t
count_pairs(int entries)
{
	size_t		count = 0;

	for (int i = 0; i < entries; i++)
		count += (size_t) (pairs_of(entries) - i / 2);
	return count;
}

static size_t
count_products(int entries)
{
	return (size_t) entries * ((size_t) entries + 1) / 2;
}

size_t
dp_models_model_products_size(int entries)
{
	return sizeof(DpModelProducts) + count_pairs(entries) * sizeof(DpModelPair) +
		count_products(entries) * sizeof(DpModelTotal);
}

DpModelProducts *
dp_models_model_products_init(void *memory, int entries)
{
	DpModelProducts *products = memory;

	products->entries = entries;
	products->total = (DpModelTotal *) (products + 1);
	products->sum = (DpModelPair *) (products->total + count_products(entries));
	return products;
}

/* Multiply the rows that wait. */
static void
multiply(DpModelProducts *products)
{
	DpModelPair *sum = products->sum;
	int			pairs = pairs_of(products->entries);

	for (int i = 0; i < products->entries; i++)
	{
		double		a = products->weighted[0][i];
		double		b = products->weighted[1][i];
		double		c = products->weighted[2][i];
		double		d = products->weighted[3][i];

		for (int j = i / 2; j < pairs; j++)
			*sum++ += (a * products->row[0][j] + b * products->row[1][j]) +
				(c * products->row[2][j] + d * products->row[3][j]);
	}
	products->pending += products->waiting;
	products->waiting = 0;
}

void
dp_models_model_products_settle(DpModelProducts *products)
{
	const double *sum = (const double *) products->sum;
	DpModelTotal *total = products->total;

	for (int row = products->waiting; row < DP_PRODUCTS_ROWS; row++)
		memset(products->weighted[row], 0, sizeof(products->weighted[row]));
	multiply(products);
	for (int i = 0; i < products->entries; i++)
	{
		/* The pair of an odd i begins with a product that is among those of i - 1. */
		sum += i % 2;
		for (int j = i; j < products->entries; j++)
			*total++ += (int64_t) *sum++;
		sum += products->entries % 2;
	}
	memset(products->sum, 0, count_pairs(products->entries) * sizeof(DpModelPair));
	products->pending = 0;
}

void
dp_models_model_products_add(DpModelProducts *products, const int32_t *vector, int64_t weight)
{
	double	   *row = (double *) products->row[products->waiting];
	double	   *weighted = products->weighted[products->waiting];

	for (int i = 0; i < products->entries; i++)
	{
		row[i] = vector[i];
		weighted[i] = (double) weight * row[i];
	}
	if (++products->waiting < DP_PRODUCTS_ROWS)
		return;
	multiply(products);
	if (products->pending == DP_PRODUCTS_EXACT_ROWS)
		dp_models_model_products_settle(products);
}
