/* SPDX-License-Identifier: PostgreSQL */
/*
 * weighted_rows.h
 *	  Rows of a model or of synthesis beside the number of rows that their units have.
 */
#ifndef DP_EXACT_WEIGHTED_ROWS_H
#define DP_EXACT_WEIGHTED_ROWS_H

#include "postgres.h"

#include "pricing/aggregate_args.h"

/*
 * A query over `rows`, a query without output, that has of each row how many rows its unit has, and the
 * coordinates; sets references to these.  `skips_null`: of rows with all coordinates alone.
 */
extern Query *dp_exact_weigh_rows(Query *rows, Node *unit, List *coordinates, bool skips_null, Var **count,
								  List **values);

/*
 * Rows of a model that passes go through: model_row(spec, rows, value, ...), a bytea as
 * models/pass.h writes it.
 */

/* A row with these coordinates, `rows` being how many its unit has. */
extern Node *dp_exact_exact_model_row(const DpMeasure *measure, Node *rows, List *coordinates);

#endif							/* DP_EXACT_WEIGHTED_ROWS_H */
