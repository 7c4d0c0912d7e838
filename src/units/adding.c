/*
 * adding.c
 *	  Adding up the rows of all units, or in each of several processes those of some.
 *
 * All rows are read before the first group is passed on.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "noise/random.h"
#include "units/adding.h"
#include "units/heap.h"
#include "units/star.h"

void
dp_adding_draw_secret(DpUnitsSecret *secret)
{
	uint64	   *word = (uint64 *) secret;

	for (int i = 0; i < sizeof(DpUnitsSecret) / sizeof(uint64); i++)
		word[i] = dp_noise_random64();
	secret->factor[0] |= 1;
	secret->factor[1] |= 1;
}

void
dp_adding_describe(DpAdding *adding, const DpUnitsPlan *plan, DpSource *source)
{
	DpUnitsSpec *spec = &adding->spec;

	adding->plan = plan;
	adding->source = source;
	spec->measures = plan->ncolumns;
	spec->measure = dp_units_measures(plan, source);
	dp_units_lay_out(spec);
	spec->single = plan->rows_are_units;
	spec->by_parts = plan->by_parts;
	spec->grouped = plan->nkeys > 0;
	spec->max_groups = spec->grouped ? plan->max_groups : 1;
	spec->id_words = 1;
	spec->processes = 1;
	spec->limit = get_hash_memory_limit();
	if (source == NULL)
		return;
	spec->limit -= dp_star_used(source);
	if (!plan->rows_are_units && dp_units_form(dp_source_type(source, 0)) != DP_UNIT_WORD)
		spec->id_words = 2;
}

/* Make what single rows added up to what units add up to. */
static void
finish_singles(const DpUnitsSpec *spec, __int128 *totals)
{
	for (int i = 0; i < spec->measures; i++)
		dp_acc_finish_singles(&spec->measure[i], totals);
}

/* Pass on a group some unit counts in. */
static void
emit_group(void *context, const uint8_t *key, uint32_t length, const DpGroupTotals *totals)
{
	DpAdding   *adding = context;
	MemoryContext old = MemoryContextSwitchTo(adding->row_context);

	CHECK_FOR_INTERRUPTS();
	if (adding->spec.single)
		finish_singles(&adding->spec, totals->totals);
	dp_row_key_read(&adding->rows->key, key, adding->values, adding->isnull);
	dp_merge_put(adding->merge, adding->values, adding->isnull, totals);
	MemoryContextSwitchTo(old);
	MemoryContextReset(adding->row_context);
}

/* Collect all rows that this process reads. */
static void
read_all(DpAdding *adding, DpCollect *collect)
{
	while (dp_units_read_rows(adding->rows))
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(adding->row_context);
		if (!collect->wide && dp_collect_is_full(collect))
			dp_collect_widen(collect);
	}
}

/* Collect rows and pass on the groups. */
static void
add_up(DpAdding *adding, DpUnitsShared *shared)
{
	DpUnitsMemory memory;
	DpServerFiles files;
	DpShare		share;
	DpCollect	collect;
	uint32		process = 0;

	dp_units_use_context(&memory, adding->context);
	dp_units_use_files(&files, adding->context, NULL, 0);
	if (shared)
	{
		dp_share_join(&share, shared, adding->context);
		process = share.process;
	}
	dp_collect_create(&collect, &memory, shared ? &share.files.files : &files.files, &adding->spec,
					  process);
	adding->rows = dp_units_start_rows(adding->plan, adding->source, &collect, adding->row_context);
	if (!shared || share.process >= 0)
		read_all(adding, &collect);
	if (shared)
		dp_share_finish(&share, &collect, emit_group, adding);
	else
		dp_collect_finish(&collect, emit_group, adding);
	dp_collect_destroy(&collect);
}

void
dp_adding_run(DpAdding *adding, DpUnitsShared *shared)
{
	DpUnitsSpec *spec = &adding->spec;

	if (spec->single)
		shared = NULL;
	if (shared)
	{
		spec->secret = *dp_units_shared_secret(shared);
		spec->processes = dp_units_shared_processes(shared);
	}
	else
		dp_adding_draw_secret(&spec->secret);
	adding->context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg units",
											ALLOCSET_DEFAULT_SIZES);
	adding->row_context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg rows of units",
												ALLOCSET_DEFAULT_SIZES);
	adding->values = palloc((adding->plan->nkeys + 1) * sizeof(Datum));
	adding->isnull = palloc((adding->plan->nkeys + 1) * sizeof(bool));
	add_up(adding, shared);
	MemoryContextDelete(adding->context);
	MemoryContextDelete(adding->row_context);
	explicit_bzero(&spec->secret, sizeof(spec->secret));
}
