/*
 * model.h
 *	  Models: from the hidden aggregate of a call to exact totals of coordinates and their
 *	  noise (models/layout.h).
 */
#ifndef DP_PRICING_MODEL_H
#define DP_PRICING_MODEL_H

#include "postgres.h"

#include "pricing/aggregate_args.h"
#include "tree/statement.h"

/*
 * dp_pricing_measure() for dp_agg.model(spec, epsilon, coordinate, ...), which only calls that
 * are expanded may have.
 */
extern DpReason *dp_pricing_measure_model(Query *block, const DpContribution *contribution,
										  const DpStatement *statement, DpMeasure *measure);

/*
 * The exact aggregate over rows with these coordinates, `rows` being how many rows the unit of a row
 * has.
 */
extern Node *dp_pricing_exact_model(const DpMeasure *measure, Node *rows, List *coordinates);

/* What stands for the aggregate above the release. */
extern Node *dp_pricing_released_model(const DpMeasure *measure, Var *totals);

/*
 * Losses of models: what dp_select_model adds up and draws by.
 */

/*
 * dp_pricing_measure() for dp_agg.losses(spec, epsilon, y, coordinate, ...), which only calls that are expanded
 * may have.
 */
extern DpReason *dp_pricing_measure_losses(Query *block, const DpContribution *contribution, const DpStatement *statement,
										   DpMeasure *measure);

/* The exact aggregate over rows with these values, `rows` being how many rows the unit of a row has. */
extern Node *dp_pricing_exact_losses(const DpMeasure *measure, Node *rows, List *values);

/* What a row costs the exact aggregate, in nanoseconds; 0 of other aggregates. */
extern double dp_pricing_cost_of_losses(const Aggref *aggref);

/* What a row takes to the totals of a model or to losses. */
extern List *dp_pricing_coordinates(const DpMeasure *measure);

#endif							/* DP_PRICING_MODEL_H */
