/*
 * model_row.h
 *	  Rows of a model that passes go through: model_row(spec, rows, value, ...), a bytea as
 *	  models/pass.h writes it.
 */
#ifndef DP_EXACT_MODEL_ROW_H
#define DP_EXACT_MODEL_ROW_H

#include "postgres.h"

#include "pricing/aggregate_args.h"

/* A row with these coordinates, `rows` being how many its unit has. */
extern Node *dp_query_exact_model_row(const DpMeasure *measure, Node *rows, List *coordinates);

#endif							/* DP_EXACT_MODEL_ROW_H */
