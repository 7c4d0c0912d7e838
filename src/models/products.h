/* SPDX-License-Identifier: PostgreSQL */
/*
 * products.h
 *	  Sums over rows of the products of their coordinates.
 *
 * Plain C: no server header.
 *
 * For a row's vector v (layout.h) and its weight w that is w v_i v_j for i <= j.  Each
 * is an integer below 2^45 in size.  They are added up as doubles, several rows and two
 * products at a time, of so few rows that these sums are exact: no order of rows, and
 * no processor, changes them.  From there they are added to totals of 128 bits.
 */
#ifndef DP_MODELS_PRODUCTS_H
#define DP_MODELS_PRODUCTS_H

#include <stddef.h>

#include "models/layout.h"

/* Rows that are multiplied at a time, and those whose sums are exact: 2^53 is 2^9 times 2^44. */
#define DP_PRODUCTS_ROWS 4
#define DP_PRODUCTS_EXACT_ROWS (1 << 9)

/* Two doubles, aligned as memory of the server is. */
typedef double DpModelPair __attribute__((vector_size(16), aligned(8)));

#define DP_PRODUCTS_MOST_PAIRS ((DP_MODEL_MOST_ENTRIES + 1) / 2)

typedef struct DpModelProducts
{
	int			entries;
	int			waiting;		/* rows in `row` */
	int			pending;		/* rows in `sum`, not yet in `total` */
	DpModelPair row[DP_PRODUCTS_ROWS][DP_PRODUCTS_MOST_PAIRS];
	double		weighted[DP_PRODUCTS_ROWS][DP_MODEL_MOST_ENTRIES];	/* the same times weight */
	DpModelPair *sum;			/* of v_i: pairs from that of v_i on */
	DpModelTotal *total;		/* of products, row by row of the upper triangle */
} DpModelProducts;

/* How many bytes that takes with its sums and totals; and it without rows, in such memory of zeros. */
extern size_t dp_models_model_products_size(int entries);
extern DpModelProducts *dp_models_model_products_init(void *memory, int entries);

/* Add a row, whose weight is 2^16 at most. */
extern void dp_models_model_products_add(DpModelProducts *products, const int32_t *vector, int64_t weight);

/* Complete the totals. */
extern void dp_models_model_products_settle(DpModelProducts *products);

#endif							/* DP_MODELS_PRODUCTS_H */
