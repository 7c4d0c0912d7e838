/* SPDX-License-Identifier: PostgreSQL */
/*
 * model_text.h
 *	  Pieces of the text that a call for a model stands for.
 */
#ifndef DP_ASKING_MODEL_TEXT_H
#define DP_ASKING_MODEL_TEXT_H

#include "postgres.h"

#include "asking/columns.h"

/* The columns of a model and what it is to predict. */
typedef struct DpModelCall
{
	DpColumns  *columns;
	DpColumn	predicted;
	DpModelSpec spec;
} DpModelCall;

/* The bounds of what is predicted, as the call has them: a column of numbers; NULL if it is one. */
extern DpReason *dp_asking_read_predicted(const DpCall *call, const Const *lower, const Const *upper,
										  DpColumn *predicted);

/* Read the columns; the predicted one is read already. */
extern DpReason *dp_asking_read_model(const DpCall *call, const Const *columns, DpModelCall *model);

/* Value of a column in a row, as a number in the text. */
extern const char *dp_asking_coordinate_text(DpCall *call, const DpColumn *column);

/* The block that releases the model: "(SELECT dp_agg_internal.model(...) AS model FROM ...) b" */
extern const char *dp_asking_model_block(DpCall *call, const DpModelCall *model);

/* Names of coordinates, and middles and half widths of their columns and the predicted one, in the text. */
extern const char *dp_asking_model_terms(DpCall *call, const DpModelCall *model);
extern const char *dp_asking_model_scale(DpCall *call, const DpModelCall *model);

/* Describe the call for people. */
extern void dp_asking_label_model(DpCall *call, const DpModelCall *model);

/*
 * Grids of linear models.
 */

/*
 * An argument of a call; or if that is dp_agg.model_grid of constants, its value.  Raises what the function does.
 */
extern Node *dp_asking_settle_grid(Node *argument, ParamListInfo params);

#endif							/* DP_ASKING_MODEL_TEXT_H */
