/*
 * model.h
 *	  Models: from the hidden aggregate of a call to exact totals of coordinates and their
 *	  noise (models/layout.h).
 */
#ifndef DP_PRICING_MODEL_H
#define DP_PRICING_MODEL_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "pricing/aggregate_args.h"
#include "from/contribution.h"
#include "tree/reason.h"

/*
 * dp_query_measure() for dp_agg.model(spec, epsilon, coordinate, ...), which only calls that
 * are expanded may have.
 */
extern DpReason *dp_query_measure_model(Query *block, const DpContribution *contribution,
										ParamListInfo params, DpMeasure *measure);

/*
 * Validate what a coordinate is made of, a call of one of the extension's functions, or what became of that where
 * it is the same for all rows.
 */
extern Node *dp_query_read_coordinate(Query *block, Node *written, ParamListInfo params, DpReason **reason);

/*
 * The exact aggregate over rows with these coordinates, `rows` being how many rows the unit of a row
 * has.
 */
extern Node *dp_query_exact_model(const DpMeasure *measure, Node *rows, List *coordinates);

/* What stands for the aggregate above the release. */
extern Node *dp_query_released_model(const DpMeasure *measure, Var *totals);

#endif							/* DP_PRICING_MODEL_H */
