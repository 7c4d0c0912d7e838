/*
 * draw_model.h
 *	  Drawing a model by its losses.
 */
#ifndef DP_DRAW_DRAW_MODEL_H
#define DP_DRAW_DRAW_MODEL_H

#include "postgres.h"

#include "draw/release_state.h"

/*
 * The number of a model, from 0, by the exponential mechanism: reads the exact plan to its end.  Allocates in the
 * current memory context, 16 bytes for each model.
 */
extern int64 dp_query_draw_model(DpReleaseState *state);

#endif							/* DP_DRAW_DRAW_MODEL_H */
