/* SPDX-License-Identifier: PostgreSQL */
/*
 * sums.c
 *	  Adding up a unit's rows by groups, and choosing groups.
 */
#include "noise/coins.h"
#include "units/sums.h"

#define LEAST_BITS 5

/* See choose_factor. */
#define MOST_QUOTIENT 9

/*
 * A factor that nobody knows and that spreads numbers in a row evenly, as one near the
 * golden ratio does: all partial quotients of its ratio to 2^32 are small.  One in a few
 * tens has such.
 */
static uint32_t
choose_factor(uint64_t secret)
{
	for (;; secret = secret * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407))
	{
		uint32_t	factor = (uint32_t) (secret >> 32) | 1;
		uint64_t	a = UINT64_C(1) << 32;
		uint64_t	b = factor;

		while (b > 0 && a / b <= MOST_QUOTIENT)
		{
			uint64_t	rest = a % b;

			a = b;
			b = rest;
		}
		if (b == 0)
			return factor;
	}
}

void
dp_units_sums_create(DpSums *sums, const DpMemory *memory, const DpUnitsSpec *spec)
{
	memset(sums, 0, sizeof(DpSums));
	sums->memory = *memory;
	sums->spec = spec;
	sums->factor = choose_factor(spec->secret.offset);
	sums->size = (sizeof(DpSum) + spec->acc_size + 7) & ~(size_t) 7;
}

void
dp_units_sums_destroy(DpSums *sums)
{
	dp_buffer_free(&sums->memory, &sums->sum);
	dp_buffer_free(&sums->memory, &sums->found);
}

/* See to so many places. */
static void
reserve(DpSums *sums, uint32_t places)
{
	if (places <= sums->places)
		return;
	dp_buffer_reserve(&sums->memory, &sums->sum, places * sums->size);
	dp_memory_fill(&sums->memory, sums->sum.bytes, 0, sums->sum.size);
	dp_buffer_reserve(&sums->memory, &sums->found, places * sizeof(uint32_t));
	sums->places = places;
	sums->stamp = 0;
}

/* Groups of the next unit are looked for among so many places at most. */
static void
begin_unit(DpSums *sums, uint32_t rows)
{
	int			bits = LEAST_BITS;

	if (sums->shift != 0)
	{
		while ((UINT32_C(1) << bits) < 2 * (uint64_t) rows)
			bits++;
		sums->shift = 32 - bits;
		reserve(sums, UINT32_C(1) << bits);
	}
	if (++sums->stamp == 0)
	{
		dp_memory_fill(&sums->memory, sums->sum.bytes, 0, sums->sum.size);
		sums->stamp = 1;
	}
	sums->count = 0;
}

void
dp_units_sums_expect(DpSums *sums, uint32_t groups)
{
	sums->shift = groups <= DP_SUMS_MOST_DIRECT ? 0 : 32 - LEAST_BITS;
	if (sums->shift == 0)
		reserve(sums, groups > 0 ? groups : 1);
}

/* Add a row to its group. */
static DP_ALWAYS_INLINE void
add_row(DpSums *sums, DpRecordForm form, bool grouped, const uint8_t *row)
{
	uint32_t	group = grouped ? dp_units_record_number(form, row) : 0;
	uint32_t	place = dp_units_sums_place(sums, group);
	DpSum	   *sum = dp_units_sums_at(sums, place);

	if (sum->stamp != sums->stamp)
	{
		sum->stamp = sums->stamp;
		sum->group = group;
		((uint32_t *) sums->found.bytes)[sums->count++] = place;
		memset(dp_units_sum_acc(sum), 0, sums->spec->acc_size);
	}
	dp_units_record_absorb(sums->spec, dp_units_sum_acc(sum), form, row + (!grouped ? 0 : form <= DP_RECORD_MEDIUM ? sizeof(uint16_t) : sizeof(uint32_t)));
}

static DP_ALWAYS_INLINE void
add_rows(DpSums *sums, DpRecordForm form, bool grouped, const uint8_t *row, size_t size, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++, row += size)
	{
		if (i % DP_MEMORY_STRIDE == DP_MEMORY_STRIDE - 1)
			sums->memory.breathe();
		add_row(sums, form, grouped, row);
	}
}

void
dp_units_sums_add(DpSums *sums, DpRecordForm form, const uint8_t *row, size_t size, uint32_t rows)
{
	bool		grouped = sums->spec->grouped;

	begin_unit(sums, rows);
	if (form == DP_RECORD_NARROW && grouped)
		add_rows(sums, DP_RECORD_NARROW, true, row, size, rows);
	else if (form == DP_RECORD_MEDIUM && grouped)
		add_rows(sums, DP_RECORD_MEDIUM, true, row, size, rows);
	else if (form == DP_RECORD_SHORT && grouped)
		add_rows(sums, DP_RECORD_SHORT, true, row, size, rows);
	else if (form == DP_RECORD_LONG && grouped)
		add_rows(sums, DP_RECORD_LONG, true, row, size, rows);
	else
		add_rows(sums, form, grouped, row, size, rows);
}

/* A group that no row is in. */
#define NOBODY UINT32_MAX

/*
 * The first places of a shuffle are a uniform choice of so many, and so are its last
 * of those left behind.  Whichever are fewer are drawn.
 */
void
dp_units_sums_choose(DpSums *sums, uint32_t most)
{
	uint32_t   *found = sums->found.bytes;
	uint32_t	dropped = sums->count - most;
	bool		last = dropped < most;

	for (uint32_t i = 0; i < (last ? dropped : most); i++)
	{
		uint32_t	left = sums->count - i;
		uint32_t	to = last ? left - 1 : i;
		uint32_t	from = (uint32_t) dp_noise_uniform_below(left) + (last ? 0 : i);
		uint32_t	place = found[to];

		if (i % DP_MEMORY_STRIDE == DP_MEMORY_STRIDE - 1)
			sums->memory.breathe();
		found[to] = found[from];
		found[from] = place;
	}
	for (uint32_t i = most; i < sums->count && dp_units_goes_twice(sums->spec); i++)
		dp_units_sums_at(sums, found[i])->group = NOBODY;
	sums->count = most;
}

/*
 * Choosing groups of a unit without having all of them at once.
 */

void
dp_units_reservoir_create(DpReservoir *reservoir, const DpMemory *memory, const DpUnitsSpec *spec)
{
	memset(reservoir, 0, sizeof(DpReservoir));
	reservoir->memory = *memory;
	reservoir->secret = &spec->secret;
	reservoir->size = (sizeof(DpUnitId) + spec->acc_size + 7) & ~(size_t) 7;
	reservoir->most = spec->max_groups;
}

void
dp_units_reservoir_destroy(DpReservoir *reservoir)
{
	dp_buffer_free(&reservoir->memory, &reservoir->entry);
	if (reservoir->index.group)
		dp_units_destroy_groups(&reservoir->index);
}

void
dp_units_reservoir_offer(DpReservoir *reservoir, const DpUnitId *group, const uint8_t *acc)
{
	size_t		size = reservoir->size;
	uint64_t	at = reservoir->count;
	uint8_t    *entry;

	reservoir->offered++;
	if (reservoir->count < reservoir->most)
		dp_buffer_extend(&reservoir->memory, &reservoir->entry, at * size, ++reservoir->count * size);
	else if ((at = dp_noise_uniform_below(reservoir->offered)) >= reservoir->most)
		return;
	entry = (uint8_t *) reservoir->entry.bytes + at * size;
	memcpy(entry, group, sizeof(DpUnitId));
	memcpy(entry + sizeof(DpUnitId), acc, size - sizeof(DpUnitId));
}

void
dp_units_reservoir_index(DpReservoir *reservoir)
{
	dp_units_create_groups(&reservoir->index, &reservoir->memory, &reservoir->secret->group, 0);
	for (uint32_t i = 0; i < reservoir->count; i++)
	{
		if (i % DP_MEMORY_STRIDE == 0)
			reservoir->memory.breathe();
		(void) dp_units_intern(&reservoir->index, dp_units_reservoir_group(reservoir, i), sizeof(DpUnitId));
	}
}
