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
	uint32_t   *groups;
	uint8_t    *accs;
} DpSlotsView;

static inline DpSlotsView
dp_slots_view(const DpSlots *slots, uint8_t *entry)
{
	uint32_t	word = *dp_slots_word(slots, entry);
	DpSlotsView view = {.class = DP_ENTRY_CLASS(word), .count = DP_ENTRY_COUNT(word)};
	uint8_t    *base = entry + slots->head_size;

	if (view.class == 0)
		view.capacity = view.count;
	else
	{
		base = dp_slots_block(slots, entry);
		view.capacity = UINT32_C(1) << view.class;
	}
	view.groups = (uint32_t *) base;
	view.accs = base;
	if (slots->grouped)
		view.accs += (size_t) 4 * (view.class == 0 ? slots->inline_slots : view.capacity);
	return view;
}

/* The group at a place of a view, or DP_NO_GROUP. */
static inline uint32_t
dp_slots_group_at(const DpSlots *slots, const DpSlotsView *view, uint32_t place)
{
	return slots->grouped ? view->groups[place] : 0;
}

/* A place for a new group in a block with room; its accumulators are zeros. */
static inline uint8_t *
dp_slots_put_in_block(const DpSlots *slots, uint8_t *block, uint32_t class, uint32_t group)
{
	uint32_t   *groups = (uint32_t *) block;
	uint32_t	capacity = UINT32_C(1) << class;
	uint32_t	i = dp_slots_home(group, class);
	uint8_t    *acc;

	while (groups[i] != DP_NO_GROUP)
		i = (i + 1) & (capacity - 1);
	groups[i] = group;
	acc = block + (size_t) capacity * 4 + (size_t) i * slots->acc_size;
	memset(acc, 0, slots->acc_size);
	return acc;
}

#endif							/* DP_UNITS_VIEW_H */
