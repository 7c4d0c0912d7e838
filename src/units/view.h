/*
 * view.h
 *	  Looking through an entry's groups, wherever they are.
 *
 * Plain C: no server header.  Part of table.c.
 */
#ifndef DP_UNITS_VIEW_H
#define DP_UNITS_VIEW_H

#include "units/slots.h"

static inline void *
dp_slots_allocate(DpSlots *slots, size_t size)
{
	void	   *block = slots->memory.allocate(slots->memory.context, size);

	slots->used += size;
	return block;
}

static inline void
dp_slots_release(DpSlots *slots, void *block, size_t size)
{
	slots->memory.release(slots->memory.context, block, size);
	slots->used -= size;
}

/* An entry's groups and accumulators, wherever they are. */
typedef struct DpSlotsView
{
	uint32_t	class;
	uint32_t	count;
	uint32_t	capacity;		/* places to look at */
	uint8_t    *groups;			/* their numbers, so many bytes apart */
	uint32_t	group_stride;
	uint8_t    *accs;			/* likewise */
	uint32_t	acc_stride;
} DpSlotsView;

static inline DpSlotsView
dp_slots_view(const DpSlots *slots, uint8_t *entry)
{
	uint32_t	word = *dp_slots_word(slots, entry);
	DpSlotsView view = {.class = DP_ENTRY_CLASS(word), .count = DP_ENTRY_COUNT(word)};

	if (view.class == 0)
	{
		view.capacity = view.count;
		view.groups = entry + slots->head_size;
		view.group_stride = sizeof(uint32_t);
		view.accs = view.groups + (slots->grouped ? slots->inline_slots * sizeof(uint32_t) : 0);
		view.acc_stride = slots->acc_size;
	}
	else
	{
		view.capacity = UINT32_C(1) << view.class;
		view.groups = dp_slots_block(slots, entry);
		view.accs = view.groups + sizeof(uint32_t);
		view.group_stride = view.acc_stride = slots->slot_size;
	}
	return view;
}

/* The group at a place of a view, or DP_NO_GROUP. */
static inline uint32_t
dp_slots_group_at(const DpSlots *slots, const DpSlotsView *view, uint32_t place)
{
	return slots->grouped ? *(uint32_t *) (view->groups + (size_t) place * view->group_stride) : 0;
}

/* Its accumulators. */
static inline uint8_t *
dp_slots_acc_at(const DpSlotsView *view, uint32_t place)
{
	return view->accs + (size_t) place * view->acc_stride;
}

/* No group anywhere in a block. */
static inline void
dp_slots_empty_block(const DpSlots *slots, uint8_t *block, uint32_t class)
{
	dp_units_fill(&slots->memory, block, 0xFF, (size_t) slots->slot_size << class);
}

/* A place for a new group in a block with room; its accumulators are zeros. */
static inline uint8_t *
dp_slots_put_in_block(const DpSlots *slots, uint8_t *block, uint32_t class, uint32_t group)
{
	uint32_t	mask = (UINT32_C(1) << class) - 1;
	uint32_t	i = dp_slots_home(group, class);
	uint8_t    *slot = block + (size_t) i * slots->slot_size;

	while (*(uint32_t *) slot != DP_NO_GROUP)
	{
		i = (i + 1) & mask;
		slot = block + (size_t) i * slots->slot_size;
	}
	*(uint32_t *) slot = group;
	return memset(slot + sizeof(uint32_t), 0, slots->acc_size);
}

#endif							/* DP_UNITS_VIEW_H */
