/*
 * block.c
 *	  Cost and description of a block's releases.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "accounting/subsampling.h"
#include "query/block/block.h"
#include "query/block/half_width.h"

/*
 * The Laplace average releases two complementary totals: a unit that moves one
 * by x moves the other by width - x, so the pair costs what one of them costs
 * at full width.  Gaussian noise terms are charged each.
 */
static int
charged_terms(const DpRelease *release)
{
	if (release->noise[0].mechanism == DP_LAPLACE)
		return 1;
	return release->nnoise;
}

int
dp_query_block_priced(const DpBlock *block)
{
	return block->form == DP_FORM_FIRST ? 1 : block->nreleases;
}

void
dp_query_block_set_cost(DpBlock *block)
{
	DpCurve    *cost = &block->cost;

	memset(cost, 0, sizeof(*cost));
	for (int i = 0; i < dp_query_block_priced(block); i++)
	{
		const DpRelease *release = &block->release[i];

		for (int j = 0; j < charged_terms(release); j++)
			dp_accounting_add_noise(cost, &release->noise[j]);
	}
	dp_accounting_amplify(cost, block->sample_rate);
	if (block->selector >= 0)
		dp_accounting_add_delta(cost, block->threshold_delta);
}

void
dp_query_block_cost(const DpBlock *block, DpCurve *cost)
{
	dp_accounting_compose(cost, &block->cost);
}

bool
dp_query_block_scaled_cost(const DpBlock *block, double factor, DpCurve *cost)
{
	DpCurve		own = {{0}};

	for (int i = 0; i < dp_query_block_priced(block); i++)
	{
		const DpRelease *release = &block->release[i];

		for (int j = 0; j < charged_terms(release); j++)
		{
			const DpNoise *asked = &release->noise[j];
			DpNoise		noise;

			if (dp_accounting_calibrate(&noise, asked->mechanism, release->epsilon * factor,
										release->delta, asked->groups, charged_terms(release),
										asked->sensitivity, asked->grid) != NULL)
				return false;
			dp_accounting_add_noise(&own, &noise);
		}
	}
	dp_accounting_amplify(&own, block->sample_rate);
	dp_accounting_compose(cost, &own);
	if (block->selector >= 0)
		dp_accounting_add_delta(cost, block->threshold_delta);
	return true;
}

static const char *
mechanism_name(DpMechanism mechanism)
{
	static const char *const names[] = {
		[DP_LAPLACE] = "laplace",[DP_GAUSSIAN] = "gaussian",[DP_EXPONENTIAL] = "exponential",
		[DP_PERMUTE_AND_FLIP] = "permute_and_flip",[DP_ABOVE_THRESHOLD] = "above_threshold"
	};

	return names[mechanism];
}

/*
 * The noise of a mean times its count, as a factor on that of the first noise
 * term: at its largest, which is where the mean lies at a bound.  Laplace: only
 * one of the two totals then adds to it; Gaussian: the noise of the count adds
 * as much as that of the sum.
 */
static double
mean_factor(const DpRelease *release)
{
	if (release->kind == DP_RELEASE_MOMENTS)
		return release->factor;
	return release->kind == DP_RELEASE_AVG &&
		release->noise[0].mechanism == DP_GAUSSIAN ? sqrt(2) : 1;
}

int
dp_query_block_lines(const DpBlock *block)
{
	return dp_query_block_priced(block) +
		(block->selector >= 0 && block->selector_shown ? 1 : 0);
}

/*
 * Releases in order, the selector under its own label; a selector that is a
 * result as well gets a line for the delta alone.
 */
DpPriceLine
dp_query_block_line(const DpBlock *block, int i)
{
	DpPriceLine line;
	int			n = i < block->nreleases ? i : block->selector;
	const DpRelease *release = &block->release[n];
	bool		threshold = i == block->nreleases ||
		(i == block->selector && !block->selector_shown);

	line.aggregate = i < block->nreleases ? release->label : "private groups";
	line.mechanism = mechanism_name(release->noise[0].mechanism);
	line.epsilon = i < block->nreleases ? release->epsilon : 0;
	line.delta = i < block->nreleases ? release->delta : 0;
	if (threshold)
		line.delta += block->threshold_delta;
	line.noise_stddev = mean_factor(release) * dp_accounting_stddev(&release->noise[0]);
	line.half_width_95 = dp_query_half_width(block, release, mean_factor(release));
	line.over_rows = release->kind == DP_RELEASE_AVG || release->kind == DP_RELEASE_MOMENTS;
	line.sensitivity = ldexp((double) release->noise[0].sensitivity, release->noise[0].grid);
	if (block->form == DP_FORM_FIRST)
		line.sensitivity /= 2;	/* the other half is the threshold's */
	if (release->kind == DP_RELEASE_MOMENTS)
		line.sensitivity *= release->unit;
	line.threshold = threshold ? ldexp((double) block->threshold, release->noise[0].grid) : 0;
	return line;
}

/* One noise term as JSON: everything an auditor needs to recompute its curve. */
static void
append_noise_json(StringInfo json, const DpNoise *noise)
{
	appendStringInfo(json, "{\"groups\":%d,\"sensitivity\":" UINT64_FORMAT ",\"grid\":%d",
					 noise->groups, noise->sensitivity, noise->grid);
	if (noise->mechanism == DP_GAUSSIAN)
		appendStringInfo(json, ",\"sigma\":" UINT64_FORMAT "}", noise->sigma);
	else
		appendStringInfo(json, ",\"scale_num\":" UINT64_FORMAT ",\"scale_den\":" UINT64_FORMAT "}",
						 noise->scale_num, noise->scale_den);
}

/* Is this the same noise?  Structs have padding, so member by member. */
static bool
same_noise(const DpNoise *x, const DpNoise *y)
{
	return x->mechanism == y->mechanism && x->groups == y->groups && x->grid == y->grid &&
		x->sensitivity == y->sensitivity && x->scale_num == y->scale_num &&
		x->scale_den == y->scale_den && x->sigma == y->sigma;
}

/* Do these aim at the same rank? */
static bool
same_rank(const DpRank *x, const DpRank *y)
{
	return x->cells == y->cells && x->fraction == y->fraction &&
		x->fraction_bits == y->fraction_bits && x->offset == y->offset;
}

/* Are these the same release, but for the column it is read from? */
static bool
same_release(const DpBlock *a, int i, const DpBlock *b, int j)
{
	const DpRelease *x = &a->release[i];
	const DpRelease *y = &b->release[j];

	return x->kind == y->kind && x->epsilon == y->epsilon && x->delta == y->delta &&
		x->width == y->width && x->nnoise == y->nnoise &&
		(x->nnoise < 1 || same_noise(&x->noise[0], &y->noise[0])) &&
		(x->nnoise < 2 || same_noise(&x->noise[1], &y->noise[1])) &&
		same_rank(&x->rank, &y->rank) && strcmp(x->label, y->label) == 0 &&
		(i == a->selector) == (j == b->selector) &&
		(i != a->selector || (a->threshold == b->threshold &&
							  a->threshold_delta == b->threshold_delta));
}

/* One kind of release, as often as the statement makes it. */
static void
append_release_json(StringInfo json, const DpBlock *block, int i, int times)
{
	const DpRelease *release = &block->release[i];

	appendStringInfoString(json, "{\"aggregate\":");
	escape_json(json, release->label);
	appendStringInfo(json, ",\"mechanism\":\"%s\",\"epsilon\":%.17g",
					 mechanism_name(release->noise[0].mechanism), release->epsilon);
	if (release->noise[0].mechanism == DP_GAUSSIAN)
		appendStringInfo(json, ",\"delta\":%.17g", release->delta);
	appendStringInfoString(json, ",\"noise\":[");
	for (int j = 0; j < release->nnoise; j++)
	{
		if (j > 0)
			appendStringInfoChar(json, ',');
		append_noise_json(json, &release->noise[j]);
	}
	appendStringInfoChar(json, ']');
	if (release->features > 0)
		appendStringInfo(json, ",\"totals\":%d", release->features);
	if (i == block->selector)
		appendStringInfo(json, ",\"threshold\":" INT64_FORMAT ",\"threshold_delta\":%.17g",
						 block->threshold, block->threshold_delta);
	if (block->sample_rate < 1)
		appendStringInfo(json, ",\"sample_rate\":%.17g", block->sample_rate);
	if (times > 1)
		appendStringInfo(json, ",\"times\":%d", times);
	appendStringInfoChar(json, '}');
}

/*
 * How often the statement makes this release; 0 if an earlier one, which was
 * counted, is the same.
 */
static int
count_release(List *blocks, int position, int i)
{
	const DpBlock *block = list_nth(blocks, position);
	int			times = 0;
	ListCell   *lc;

	foreach(lc, blocks)
	{
		const DpBlock *other = lfirst(lc);
		int			place = foreach_current_index(lc);

		for (int j = 0; j < dp_query_block_priced(other); j++)
		{
			if (!same_release(block, i, other, j))
				continue;
			if (place < position || (place == position && j < i))
				return 0;
			times++;
		}
	}
	return times;
}

Jsonb *
dp_query_blocks_json(List *blocks)
{
	StringInfoData json;
	ListCell   *lc;
	const char *separator = "";

	initStringInfo(&json);
	appendStringInfoChar(&json, '[');
	foreach(lc, blocks)
	{
		const DpBlock *block = lfirst(lc);

		for (int i = 0; i < dp_query_block_priced(block); i++)
		{
			int			times = count_release(blocks, foreach_current_index(lc), i);

			CHECK_FOR_INTERRUPTS();
			if (times == 0)
				continue;
			appendStringInfoString(&json, separator);
			append_release_json(&json, block, i, times);
			separator = ",";
		}
	}
	appendStringInfoChar(&json, ']');
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data)));
}
