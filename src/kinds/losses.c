/*
 * losses.c
 *	  Losses of models, by which one of these is drawn.
 */
#include "postgres.h"

#include "aggregate/exact.h"
#include "base/injection.h"
#include "draw/exact_rows.h"
#include "draw/release_state.h"
#include "kinds/kinds.h"
#include "noise/selection.h"
#include "pricing/forms.h"
#include "pricing/kind.h"
#include "pricing/model.h"
#include "pricing/total_cost.h"
#include "tree/find_blocks.h"

static double
factor(const DpRelease *release)
{
	return release->factor;
}

/* So many zeroes, aligned as palloc does not. */
static DpInt128 *
allocate_totals(int count)
{
	return (DpInt128 *) TYPEALIGN(sizeof(DpInt128), palloc0(((Size) count + 1) * sizeof(DpInt128)));
}

/*
 * The number of a model, from 0, by the exponential mechanism, through which alone losses leave: reads the exact plan to its end.  Allocates in the
 * current memory context, 16 bytes for each model.
 */
static int64
draw_least(DpReleaseState *state)
{
	const DpBlock *block = state->block;
	const DpNoise *noise = &block->release[0].noise[0];
	DpInt128   *loss = allocate_totals(block->size);
	TupleTableSlot *exact = dp_draw_next_exact(state);
	int			column = block->release[0].column;

	if (exact && !exact->tts_isnull[column])
		dp_aggregate_read_totals(DatumGetByteaPP(exact->tts_values[column]), block->size, loss);
	while (exact)
		exact = dp_draw_next_exact(state);
	DP_INJECTION_POINT("noise");
	return (int64) dp_noise_least((unsigned __int128 *) loss, block->size, 1, noise->scale_num, noise->scale_den);
}

/* Of a row that weighs and loses most, 2^shift, and halves of these.  They are drawn from alike in a sample. */
static DpReason *
calibrate_least(DpBlockRewrite *rewrite)
{
	DpRelease  *release = &rewrite->block->release[0];

	release->unit = release->factor = dp_pricing_form_of(dp_tree_first_aggregate(rewrite->query))->bound;
	return dp_pricing_calibrate_on(rewrite, DP_EXPONENTIAL, 1, rewrite->contribution.max_rows / 2.0,
								   -release->shift - 1);
}

const DpKind dp_kinds_losses = {
	.number = DP_RELEASE_LOSSES,
	.in_unit = true,
	.one_way = true,
	.factor = factor,
	.scale = dp_pricing_scale_release,
	.suits_aggregates = true,
	.weighed_values = dp_pricing_coordinates,
	.weighed_total = dp_pricing_exact_losses,
	.draw_least = draw_least,
	.calibrate_least = calibrate_least,
};
