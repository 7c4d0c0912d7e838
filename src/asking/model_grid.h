/*
 * model_grid.h
 *	  Grids of linear models.
 */
#ifndef DP_ASKING_MODEL_GRID_H
#define DP_ASKING_MODEL_GRID_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/primnodes.h"

/*
 * An argument of a call; or if that is dp_agg.model_grid of constants, its value.  Raises what the function does.
 */
extern Node *dp_query_settle_grid(Node *argument, ParamListInfo params);

#endif							/* DP_ASKING_MODEL_GRID_H */
