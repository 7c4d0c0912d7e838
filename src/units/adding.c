/*
 * adding.c
 *	  Adding up the rows of all units, or in each of several processes those of some.
 *
 * All rows are read before the first group is passed on.  While the table of
 * units fits its memory (hash_mem) there is one pass.  When it does not, units
 * go to temporary files by partitions of a hash of the unit, with what their
 * rows add up to so far, as often as the table fills up; then each partition is
 * put together by itself, divided again where that is not enough.  All rows of
 * a unit meet in one table in the end, which is where its groups are limited
 * and its totals clamped.
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

/* Partitions of partitions: each level has at least eight. */
#define MOST_LEVELS 12

void
dp_adding_draw_secret(DpUnitsSecret *secret)
{
	uint64	   *word = (uint64 *) secret;

	for (int i = 0; i < sizeof(DpUnitsSecret) / sizeof(uint64); i++)
		word[i] = dp_noise_random64();
}

void
dp_adding_describe(DpAdding *adding, const DpUnitsPlan *plan, DpSource *source)
{
	DpUnitsSpec *spec = &adding->spec;

	adding->plan = plan;
	adding->source = source;
	spec->measures = plan->ncolumns;
	spec->measure = dp_units_measures(plan, source);
	adding->parts = dp_units_lay_out(spec, &adding->acc_size);
	spec->grouped = plan->nkeys > 0;
	spec->max_groups = spec->grouped ? plan->max_groups : 1;
	spec->id_words = 1;
	spec->limit = get_hash_memory_limit();
	if (source == NULL)
		return;
	spec->limit -= dp_star_used(source);
	if (!plan->rows_are_units && dp_units_form(dp_source_type(source, 0)) != DP_UNIT_WORD)
		spec->id_words = 2;
}

/* Make the table, empty. */
static void
begin(DpAdding *adding)
{
	DpUnitsMemory memory;

	adding->context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg units",
											ALLOCSET_DEFAULT_SIZES);
	adding->row_context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg rows of units",
												ALLOCSET_DEFAULT_SIZES);
	dp_units_use_context(&memory, adding->context);
	adding->units = dp_units_create(&adding->spec, &memory);
	adding->rows = dp_units_start_rows(adding->plan, adding->source, &adding->spec,
									   adding->row_context);
}

/* Give everything back, and wipe the secret. */
static void
end(DpAdding *adding)
{
	adding->units = NULL;
	MemoryContextDelete(adding->context);
	MemoryContextDelete(adding->row_context);
	explicit_bzero(&adding->spec.secret, sizeof(adding->spec.secret));
}

/* Make what single rows added up to what units add up to. */
static void
finish_singles(const DpUnitsSpec *spec, __int128 *totals)
{
	for (int i = 0; i < spec->measures; i++)
		dp_acc_finish_singles(&spec->measure[i], totals);
}

/* Pass on the totals of all groups some unit counts in, and forget the groups. */
static void
emit_groups(DpAdding *adding)
{
	DpUnitsGroups *groups = dp_units_groups(adding->units);
	Datum	   *values = palloc((adding->plan->nkeys + 1) * sizeof(Datum));
	bool	   *isnull = palloc((adding->plan->nkeys + 1) * sizeof(bool));
	MemoryContext old = MemoryContextSwitchTo(adding->row_context);

	for (uint32 i = 0; i < groups->count; i++)
	{
		__int128   *totals = dp_units_totals(groups, i);

		CHECK_FOR_INTERRUPTS();
		if (totals[0] == 0)
			continue;
		if (adding->plan->rows_are_units)
			finish_singles(&adding->spec, totals);
		dp_units_read_key(adding->rows, &groups->group[i], values, isnull);
		dp_merge_put(adding->merge, values, isnull, totals);
		MemoryContextReset(adding->row_context);
	}
	MemoryContextSwitchTo(old);
	dp_units_reset_groups(groups);
}

/* Take all units out of the table. */
static void
dump(DpAdding *adding, DpSpill **spill)
{
	if (*spill == NULL)
		*spill = dp_spill_create(&adding->spec, adding->acc_size);
	dp_units_dump(adding->units, &(*spill)->sink);
}

/* Work off the rows the table holds back, and make room if it is full. */
static void
work_off(DpAdding *adding, DpSpill **spill)
{
	CHECK_FOR_INTERRUPTS();
	MemoryContextReset(adding->row_context);
	dp_units_flush(adding->units);
	if (dp_units_is_full(adding->units))
		dump(adding, spill);
}

/*
 * Exchange rows until `done` says that there is no need for more; meanwhile others
 * may have to wait, too.
 */
static void
exchange_until(DpAdding *adding, DpSpill **spill, bool (*done) (DpExchange *))
{
	for (;;)
	{
		while (dp_exchange_take(adding->exchange))
			work_off(adding, spill);
		if (done(adding->exchange))
			break;
		dp_exchange_wait();
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Read all rows, and take what other processes read of the same units.  Units of which
 * not all are in the table are in the spill that is returned, if any.
 */
static DpSpill *
read_all(DpAdding *adding)
{
	DpSpill    *spill = NULL;

	while (dp_units_read_rows(adding->rows, adding->units))
	{
		work_off(adding, &spill);
		if (adding->exchange)
			exchange_until(adding, &spill, dp_exchange_send);
	}
	if (adding->exchange)
	{
		work_off(adding, &spill);
		dp_exchange_close(adding->exchange);
		exchange_until(adding, &spill, dp_exchange_is_over);
	}
	if (spill != NULL || !dp_units_settle(adding->units))
		dump(adding, &spill);
	return spill;
}

static void finish_spill(DpAdding *adding, DpSpill *spill, int level);

/* Put a file of one partition into the table, or else a deeper spill. */
static void
load(DpAdding *adding, DpSpill *spill, int partition, int level, DpSpill **deeper)
{
	while (dp_spill_read(spill, partition, adding->units))
	{
		/* What cannot be divided has to fit: a unit's groups are limited. */
		if (dp_units_count(adding->units) > 1 && level < MOST_LEVELS)
			dump(adding, deeper);
	}
	dp_spill_close(spill, partition);
}

/* All of some partition has been loaded: pass on its groups. */
static void
finish(DpAdding *adding, int level, DpSpill *deeper)
{
	if (deeper)
	{
		dump(adding, &deeper);
		finish_spill(adding, deeper, level + 1);
		return;
	}
	dp_units_finish(adding->units);
	emit_groups(adding);
}

/* Put the units of one partition together. */
static void
finish_partition(DpAdding *adding, DpSpill *spill, int partition, int level)
{
	DpSpill    *deeper = NULL;

	dp_units_set_level(adding->units, level);
	dp_spill_rewind(spill, partition);
	load(adding, spill, partition, level, &deeper);
	finish(adding, level, deeper);
}

static void
finish_spill(DpAdding *adding, DpSpill *spill, int level)
{
	for (int i = 0; i < spill->partitions; i++)
		if (spill->file[i])
			finish_partition(adding, spill, i, level);
}

/* Pass on the groups if they fill the memory: their totals may come in parts. */
static void
emit_if_full(DpAdding *adding)
{
	CHECK_FOR_INTERRUPTS();
	if (dp_units_groups(adding->units)->used > adding->spec.limit)
		emit_groups(adding);
}

/* Add up the groups that were kept out of memory, partition by partition. */
static void
add_others(DpAdding *adding, DpSpill *spill)
{
	DpUnitsGroups *groups = dp_units_groups(adding->units);
	__int128   *more = dp_merge_make_totals(adding->parts);
	const char *key;
	uint32		length;

	for (int i = 0; i < spill->partitions; i++)
	{
		if (spill->file[i] == NULL)
			continue;
		dp_spill_rewind(spill, i);
		while (dp_spill_next(spill, i, &key, &length, more))
		{
			__int128   *totals = dp_units_totals(groups, dp_units_intern(groups, key, length));

			for (int j = 0; j < adding->parts; j++)
				totals[j] += more[j];
			emit_if_full(adding);
		}
		dp_spill_close(spill, i);
		emit_groups(adding);
	}
}

/*
 * Add up rows that are units, by their groups.  Those in memory stay when it is
 * full, and rows of others go to temporary files by partitions of the key.
 */
static void
add_singles(DpAdding *adding)
{
	DpUnitsGroups *groups = dp_units_groups(adding->units);
	DpUnitsRows *rows = adding->rows;

	while (dp_units_read_rows(rows, adding->units))
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(adding->row_context);
		if (groups->used > adding->spec.limit && rows->others == NULL)
			dp_units_keep_out(rows, &adding->spec, adding->parts, adding->context);
	}
	emit_groups(adding);
	if (rows->others)
		add_others(adding, rows->others);
}

static void
add_units(DpAdding *adding)
{
	DpSpill    *spill = read_all(adding);

	if (spill)
		finish_spill(adding, spill, 1);
	else
		finish(adding, 1, NULL);
}

void
dp_adding_run(DpAdding *adding, DpExchangeShared *shared)
{
	if (adding->plan->rows_are_units)
		shared = NULL;
	if (shared)
		adding->spec.secret = *dp_exchange_secret(shared);
	else
		dp_adding_draw_secret(&adding->spec.secret);
	begin(adding);
	if (shared)
		adding->exchange = adding->rows->exchange =
			dp_exchange_join(shared, adding->units, &adding->spec, adding->context);
	if (adding->plan->rows_are_units)
		add_singles(adding);
	else if (!shared || adding->exchange)
		add_units(adding);
	end(adding);
}
