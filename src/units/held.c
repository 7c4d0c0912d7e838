/*
 * held.c
 *	  Room for rows held back.
 */
#include "units/held.h"

/* At most 2^MOST_BITS parts: then what rows of one need lies in the second cache. */
#define MOST_BITS 10

/* Fewer parts, or parts of fewer rows, are not worth their while. */
#define LEAST_BITS 4
#define LEAST_ROWS 256

/* Can a row's place be kept in 32 bits, but for a few values of its type? */
static bool
is_short(const DpUnitsMeasure *measure)
{
	if (dp_acc_clamps_places(measure))
		return measure->lower > DP_SHORT_NONE && measure->upper <= INT32_MAX;
	return measure->kind == DP_UNITS_SUM ? measure->small : measure->kind != DP_UNITS_MOMENTS;
}

static DpHeldForm
form_of_places(const DpSlots *slots)
{
	for (int i = 0; i < slots->measures; i++)
		if (!is_short(&slots->measure[i]))
			return DP_HELD_PLACES;
	return DP_HELD_SHORT_PLACES;
}

/* Bytes that a row brings. */
static size_t
data_size(const DpSlots *slots, DpHeldForm form)
{
	if (form == DP_HELD_ACCUMULATORS)
		return slots->acc_size;
	return slots->measures * (form == DP_HELD_PLACES ? sizeof(int64_t) : sizeof(int32_t));
}

/*
 * So many parts of so many rows, empty.  From one to the next it is an odd number of
 * cache lines, so that rows of different parts do not compete for the same ones.
 */
static void
allocate(DpHeld *held, int bits, size_t rows)
{
	held->bits = bits;
	held->part_size = rows * held->row_size;
	held->part_stride = ((held->part_size + DP_SLOTS_LINE - 1) / DP_SLOTS_LINE | 1) * DP_SLOTS_LINE;
	held->ripe = NULL;
	held->rows = held->memory.allocate(held->memory.context, held->part_stride << bits);
	held->part = held->memory.allocate(held->memory.context, sizeof(DpHeldPart) << bits);
	for (int i = 0; i < 1 << bits; i++)
	{
		held->part[i].next = held->rows + i * held->part_stride;
		held->part[i].end = held->part[i].next + held->part_size;
	}
}

void
dp_held_create(DpHeld *held, const DpSlots *slots, bool combined)
{
	held->memory = slots->memory;
	held->id_words = slots->id_words;
	held->measures = slots->measures;
	held->measure = slots->measure;
	held->form = combined ? DP_HELD_ACCUMULATORS : form_of_places(slots);
	held->data_offset = held->id_words * sizeof(uint64_t) + sizeof(uint32_t);
	held->data_size = data_size(slots, held->form);
	held->row_size = held->data_offset + held->data_size;
	allocate(held, 0, DP_UNITS_BATCH);
}

void
dp_held_destroy(DpHeld *held)
{
	held->memory.release(held->memory.context, held->rows, held->part_stride << held->bits);
	held->memory.release(held->memory.context, held->part, sizeof(DpHeldPart) << held->bits);
}

void
dp_held_divide(DpHeld *held, size_t size)
{
	int			bits = MOST_BITS;

	while (bits >= LEAST_BITS && (size >> bits) / held->row_size < LEAST_ROWS)
		bits--;
	if (bits < LEAST_BITS)
		return;
	dp_held_destroy(held);
	allocate(held, bits, (size >> bits) / held->row_size);
}

void
dp_held_unite(DpHeld *held)
{
	if (held->bits == 0)
		return;
	dp_held_destroy(held);
	allocate(held, 0, DP_UNITS_BATCH);
}

bool
dp_held_is_empty(const DpHeld *held)
{
	for (int i = 0; i < 1 << held->bits; i++)
		if (held->part[i].next > dp_held_first(held, &held->part[i]))
			return false;
	return true;
}

void
dp_held_remove(DpHeld *held, DpHeldPart *part, const uint8_t *first)
{
	size_t		rest = (size_t) (part->next - first);

	part->next = dp_held_first(held, part);
	memmove(part->next, first, rest);
	part->next += rest;
	if (held->ripe == part)
		held->ripe = NULL;
}
