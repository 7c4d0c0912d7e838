/*
 * limit.c
 *	  Choosing the groups a unit keeps.
 *
 * Up to DP_EXACT_GROUPS an entry never holds more than count; beyond, it may
 * hold twice as many before those of least priority are selected, so that a
 * selection costs a constant per group that came in.
 */
#include "units/limit.h"

#include "units/view.h"

uint64_t
dp_slots_priority(const DpSlots *slots, const uint8_t *entry, uint32_t group)
{
	DpUnitId	id = dp_slots_id(slots, entry);
	uint64_t	message[3];

	memcpy(message, id.word, slots->id_words * sizeof(uint64_t));
	message[slots->id_words] = slots->groups.group[group].digest;
	return dp_sip64_words(&slots->secret, message, slots->id_words + 1);
}

static inline bool
precedes(const DpRank *a, const DpRank *b)
{
	return a->priority < b->priority || (a->priority == b->priority && a->group < b->group);
}

void
dp_slots_free_ranks(DpSlots *slots)
{
	if (slots->rank == NULL)
		return;
	dp_slots_release(slots, slots->rank, slots->rank_capacity * sizeof(DpRank));
	dp_slots_release(slots, slots->kept, (size_t) slots->rank_capacity * slots->acc_size + 1);
	slots->rank_capacity = 0;
	slots->rank = NULL;
}

/* Scratch space for ranking so many groups. */
static void
reserve_ranks(DpSlots *slots, uint32_t count)
{
	if (count <= slots->rank_capacity)
		return;
	dp_slots_free_ranks(slots);
	count = count < 2 * DP_EXACT_GROUPS ? 2 * DP_EXACT_GROUPS : count;
	slots->rank = dp_slots_allocate(slots, count * sizeof(DpRank));
	slots->kept = dp_slots_allocate(slots, (size_t) count * slots->acc_size + 1);
	slots->rank_capacity = count;
}

/* Rank an entry's groups, in no order yet. */
static void
rank_groups(DpSlots *slots, const uint8_t *entry, const DpSlotsView *view)
{
	uint32_t	n = 0;

	reserve_ranks(slots, view->count);
	for (uint32_t i = 0; i < view->capacity; i++)
	{
		uint32_t	group = dp_slots_group_at(slots, view, i);

		if (i % DP_UNITS_STRIDE == 0)
			slots->memory.breathe();
		if (group == DP_NO_GROUP)
			continue;
		slots->rank[n].priority = dp_slots_priority(slots, entry, group);
		slots->rank[n].group = group;
		slots->rank[n++].place = i;
	}
}

static inline void
swap_ranks(DpRank *a, DpRank *b)
{
	DpRank		c = *a;

	*a = *b;
	*b = c;
}

/*
 * Bring the `first` least ranks to the front (quickselect).  Priorities are
 * uniform, so the middle element is as good a pivot as any.
 */
static void
select_least(DpSlots *slots, uint32_t count, uint32_t first)
{
	DpRank	   *rank = slots->rank;
	uint32_t	low = 0;
	uint32_t	high = count;

	while (high - low > 1)
	{
		DpRank		pivot = rank[low + (high - low) / 2];
		uint32_t	middle = low;

		for (uint32_t i = low; i < high; i++)
		{
			if (i % DP_UNITS_STRIDE == 0)
				slots->memory.breathe();
			if (precedes(&rank[i], &pivot))
				swap_ranks(&rank[i], &rank[middle++]);
		}
		if (middle >= first)
			high = middle;
		else
		{
			/* The pivot is the least of the rest. */
			for (uint32_t i = middle; i < high; i++)
				if (rank[i].group == pivot.group)
				{
					swap_ranks(&rank[i], &rank[middle]);
					break;
				}
			low = middle + 1;
			if (low >= first)
				return;
		}
		if (high <= first)
			return;
	}
}

/* Keep the `first` groups ranked, an entry's only ones from now on. */
static void
keep_ranked(DpSlots *slots, uint8_t *entry, const DpSlotsView *view, uint32_t first)
{
	size_t		size = slots->acc_size;
	uint32_t	word = DP_ENTRY_USED | view->class << 24 | first;

	for (uint32_t i = 0; i < first; i++)
	{
		if (i % DP_UNITS_STRIDE == 0)
			slots->memory.breathe();
		memcpy(slots->kept + i * size, dp_slots_acc_at(view, slots->rank[i].place), size);
	}
	if (view->class != 0)
		dp_slots_empty_block(slots, view->groups, view->class);
	for (uint32_t i = 0; i < first; i++)
	{
		uint32_t	group = slots->rank[i].group;
		uint8_t    *acc = dp_slots_acc_at(view, i);

		if (i % DP_UNITS_STRIDE == 0)
			slots->memory.breathe();
		if (view->class == 0)
			((uint32_t *) view->groups)[i] = group;
		else
			acc = dp_slots_put_in_block(slots, view->groups, view->class, group);
		memcpy(acc, slots->kept + i * size, size);
	}
	*dp_slots_word(slots, entry) = word;
}

void
dp_slots_limit(DpSlots *slots, uint8_t *entry)
{
	DpSlotsView view = dp_slots_view(slots, entry);

	if (view.count <= slots->max_groups)
		return;
	rank_groups(slots, entry, &view);
	select_least(slots, view.count, slots->max_groups);
	keep_ranked(slots, entry, &view, slots->max_groups);
}

bool
dp_slots_make_room(DpSlots *slots, uint8_t *entry, const DpRank *candidate)
{
	DpSlotsView view = dp_slots_view(slots, entry);
	uint32_t	keep = slots->most == slots->max_groups ? view.count - 1 : slots->max_groups;
	DpRank	   *rank;
	const DpRank *last;

	rank_groups(slots, entry, &view);
	select_least(slots, view.count, keep);
	rank = slots->rank;
	if (slots->most == slots->max_groups)
	{
		/* One of count + 1 has to go. */
		if (precedes(&rank[keep], candidate))
		{
			*dp_slots_cut(slots, entry) = (uint32_t) (rank[keep].priority >> 32);
			return false;
		}
		last = candidate;
	}
	else
		last = &rank[0];
	for (uint32_t i = 0; i < keep; i++)
		if (precedes(last, &rank[i]))
			last = &rank[i];
	*dp_slots_cut(slots, entry) = (uint32_t) (last->priority >> 32);
	keep_ranked(slots, entry, &view, keep);
	return last == candidate || precedes(candidate, last);
}
