/*
 * weights.c
 *	  Arrays of the weights of cells.
 */
#include "units/weights.h"

bool
dp_weights_fit(const DpUnitsSpec *spec, uint64_t groups)
{
	return !spec->grouped || groups <= 1 || spec->cells == 0 ||
		groups <= dp_units_groups_limit(spec) / sizeof(uint64_t) / spec->cells;
}

void
dp_weights_create(DpWeights *weights, const DpUnitsMemory *memory, const DpUnitsSpec *spec,
				  uint32_t groups)
{
	size_t		size = (size_t) groups * spec->cells * sizeof(uint64_t);

	memset(weights, 0, sizeof(DpWeights));
	weights->memory = *memory;
	if (size == 0)
		return;
	weights->cells = spec->cells;
	weights->groups = groups;
	weights->weight = memory->allocate(memory->context, size);
}

void
dp_weights_destroy(DpWeights *weights)
{
	if (weights->weight)
		weights->memory.release(weights->memory.context, weights->weight,
								(size_t) weights->groups * weights->cells * sizeof(uint64_t));
	dp_buffer_free(&weights->memory, &weights->list);
	weights->weight = NULL;
	weights->cells = 0;
}

void
dp_weights_list(DpWeights *weights, uint32_t group, DpGroupTotals *totals)
{
	const uint64_t *weight;
	DpCellWeight *list;
	size_t		count = 0;

	totals->weights = 0;
	if (weights->cells == 0)
		return;
	weight = weights->weight + (size_t) group * weights->cells;
	for (uint32_t i = 0; i < weights->cells; i++)
	{
		if (i % DP_UNITS_STRIDE == DP_UNITS_STRIDE - 1)
			weights->memory.breathe();
		count += weight[i] > 0;
	}
	list = dp_buffer_reserve(&weights->memory, &weights->list, (count + 1) * sizeof(DpCellWeight));
	totals->weight = list;
	for (uint32_t i = 0; i < weights->cells; i++)
	{
		if (i % DP_UNITS_STRIDE == DP_UNITS_STRIDE - 1)
			weights->memory.breathe();
		if (weight[i] > 0)
			list[totals->weights++] = (DpCellWeight) {i, weight[i]};
	}
}
