/* SPDX-License-Identifier: PostgreSQL */
/*
 * collect.c
 *	  Collecting rows, and adding them up.
 */
#include "units/collect.h"
#include "units/cover.h"
#include "units/finish.h"

/* So few groups are always numbered. */
#define LEAST_GROUPS 64

/* Bytes of groups beyond which ids do better than numbers, if all keys are short. */
#define MOST_WITH_SHORT_KEYS ((size_t) 3 * 1024 * 1024)

/* Can a row's place be kept in 32 bits, but for a few values of its type? */
static bool
is_short(const DpUnitsMeasure *measure)
{
	if (measure->place < 0)
		return true;
	if (dp_units_acc_clamps_places(measure))
		return measure->lower > DP_SHORT_NONE && measure->upper <= INT32_MAX;
	if (dp_units_is_of_values(measure->kind))
		return false;
	return measure->kind == DP_UNITS_SUM ? measure->small : measure->kind != DP_UNITS_MOMENTS;
}

/* Can it be kept in 16 bits, if it can in 32, unless a value is beyond what the unit may have in all? */
static bool
is_narrow(const DpUnitsMeasure *measure)
{
	if (measure->kind == DP_UNITS_CELLS)
		return measure->cells <= INT16_MAX;
	return measure->place < 0 || (measure->kind != DP_UNITS_SUM && !dp_units_acc_clamps_places(measure)) ||
		(measure->lower > DP_NARROW_NONE && measure->upper <= INT16_MAX);
}

static DpRecordForm
first_form(const DpUnitsSpec *spec, bool wide)
{
	DpRecordForm form = wide ? DP_RECORD_SHORT : DP_RECORD_NARROW;

	if (spec->by_parts)
		return DP_RECORD_ADDED;
	for (int i = 0; i < spec->measures; i++)
	{
		if (!is_short(&spec->measure[i]))
			return DP_RECORD_LONG;
		if (form == DP_RECORD_NARROW && !is_narrow(&spec->measure[i]))
			form = DP_RECORD_MEDIUM;
	}
	return form;
}

/* A log of rows, by all bits of hashes. */
static DpLog *
create_log(DpCollect *collect, bool wide)
{
	DpRecords	records = dp_units_take_records(collect->spec, wide);
	DpLog	   *log = dp_units_part_create(&collect->memory, collect->files, &records,
										   first_form(collect->spec, wide), 0, dp_units_log_limit(collect->spec));

	dp_units_part_use_segments(log, collect->segments);
	return log;
}

void
dp_units_collect_create(DpCollect *collect, const DpMemory *memory, const DpFiles *files,
						const DpUnitsSpec *spec, uint32_t process, DpSegments *segments)
{
	memset(collect, 0, sizeof(DpCollect));
	collect->memory = *memory;
	collect->files = files;
	collect->spec = spec;
	collect->process = process;
	collect->segments = segments;
	dp_units_create_groups(&collect->groups, memory, &spec->secret.group, spec->parts);
	collect->numbered = create_log(collect, false);
	if (!spec->grouped && !spec->single && !spec->by_parts && !dp_units_goes_twice(spec))
		dp_units_direct_create(&collect->direct, memory, spec);
	dp_units_key_file_create(&collect->keys, memory, files);
}

void
dp_units_collect_destroy(DpCollect *collect)
{
	dp_units_destroy_groups(&collect->groups);
	dp_units_direct_destroy(&collect->direct);
	dp_units_part_destroy(collect->numbered);
	dp_units_key_file_destroy(&collect->keys);
	dp_units_weights_destroy(&collect->weights);
	dp_units_pairs_destroy(&collect->pairs);
	if (collect->pair_ids.bytes)
		dp_units_destroy_groups(&collect->pair_groups);
	dp_buffer_free(&collect->memory, &collect->pair_ids);
	dp_buffer_free(&collect->memory, &collect->value_totals);
	if (collect->contributions.log)
		dp_units_contributions_destroy(&collect->contributions);
	if (!collect->wide)
		return;
	dp_units_part_destroy(collect->identified);
	dp_buffer_free(&collect->memory, &collect->ids);
}

/*
 * Where all keys are short, ids are had without looking anything up, which costs less than
 * numbers do as soon as these are not in the processor's caches.
 */
bool
dp_units_collect_is_full(const DpCollect *collect)
{
	size_t		limit = dp_units_groups_limit(collect->spec);

	if (collect->groups.count < LEAST_GROUPS)
		return false;
	if (collect->groups.keys == NULL && limit > MOST_WITH_SHORT_KEYS)
		limit = MOST_WITH_SHORT_KEYS;
	return collect->groups.used > limit;
}

/* Write down a long key. */
static DpKeyPlace
write_key(DpCollect *collect, const void *key, uint32_t length)
{
	uint64_t	place = dp_units_key_file_add(&collect->keys, key, length) + 1;

	return place | (uint64_t) collect->process << DP_KEY_PLACE_BITS;
}

static void
add_waiting(DpDirect *direct, DpLog *log)
{
	dp_units_direct_add(direct, log, direct->unit, direct->place, direct->waiting);
	direct->waiting = 0;
}

void
dp_units_collect_look_up(DpCollect *collect)
{
	DpDirect   *direct = &collect->direct;

	if (!direct->tried)
	{
		direct->in_vain = !dp_units_direct_try(direct);
		if (!direct->in_vain)
			dp_units_part_set_form(collect->numbered, DP_RECORD_ADDED);
	}
	if (!direct->in_vain)
		add_waiting(direct, collect->numbered);
	if (direct->in_vain)
		dp_units_collect_write(collect);
}

void
dp_units_collect_write(DpCollect *collect)
{
	DpDirect   *direct = &collect->direct;
	DpLog	   *log = collect->numbered;

	if (direct->entry == NULL)
		return;
	if (log->form == DP_RECORD_ADDED)
	{
		add_waiting(direct, log);
		dp_units_direct_write(direct, log);
		dp_units_part_set_form(log, first_form(collect->spec, false));
	}
	for (uint32_t i = 0; i < direct->waiting; i++)
		dp_units_collect_put(collect, log, &direct->unit[i], direct->place, 0,
							 direct->place + (size_t) i * collect->spec->measures);
	dp_units_direct_destroy(direct);
}

void
dp_units_collect_widen(DpCollect *collect)
{
	DpUnitsGroups *groups = &collect->groups;
	DpUnitId   *ids = dp_buffer_fit(&collect->memory, &collect->ids, ((size_t) groups->count + 1) * sizeof(DpUnitId));

	dp_units_collect_write(collect);
	collect->wide = true;
	collect->count = groups->count;
	dp_units_contributions_create(&collect->contributions, &collect->memory, collect->files, collect->spec, 0);
	dp_units_contributions_expect_totals(&collect->contributions, collect->spec->single);
	for (uint32_t i = 0; i < groups->count; i++)
	{
		const DpUnitsGroup *group = &groups->group[i];
		DpKeyPlace	place = 0;

		if (i % DP_MEMORY_STRIDE == 0)
			collect->memory.breathe();
		ids[i] = dp_units_group_id(&collect->spec->secret, dp_units_key(group), group->length);
		if (dp_units_group_key_is_long(&ids[i]))
			place = write_key(collect, dp_units_key(group), group->length);
		if (collect->spec->single)
			dp_units_contributions_put(&collect->contributions, &ids[i], place, dp_units_totals(groups, i));
		else if (place != 0)
			dp_units_contributions_put_key(&collect->contributions, &ids[i], place);
	}
	dp_units_destroy_groups(groups);
	dp_units_create_groups(groups, &collect->memory, &collect->spec->secret.group, 1);
	collect->identified = create_log(collect, true);

	/* Both logs share the memory of one. */
	if (collect->numbered->used > collect->numbered->limit / 2)
	{
		dp_units_part_close(collect->numbered);
		if (collect->segments)
			collect->segments->current = collect->segments->used = 0;
	}
	else
		collect->identified->limit -= collect->numbered->used;
}

DpUnitId
dp_units_collect_identify(DpCollect *collect, const void *key, uint32_t length)
{
	DpUnitId	id = dp_units_group_id(&collect->spec->secret, key, length);
	DpKeyPlace	place = dp_units_collect_key_place(collect, &id, key, length);

	if (place != 0)
		dp_units_contributions_put_key(&collect->contributions, &id, place);
	return id;
}

DpKeyPlace
dp_units_collect_key_place(DpCollect *collect, const DpUnitId *id, const void *key, uint32_t length)
{
	DpUnitsGroups *groups = &collect->groups;
	uint32_t	known = groups->count;

	if (!dp_units_group_key_is_long(id) ||
		dp_units_intern(groups, id, sizeof(DpUnitId)) < known)
		return 0;
	if (dp_units_collect_is_full(collect))
		dp_units_reset_groups(groups);
	return write_key(collect, key, length);
}

/* Groups that are gone through. */
typedef struct Visit
{
	const DpUnitsGroups *numbered;	/* by their numbers; or NULL, and */
	DpKeyFile  *keys;			/* those of all processes, for ids */
	DpKeyVisit	visit;
	void	   *context;
} Visit;

/* Hand over what a group contributed, with its key. */
static void
visit_group(void *context, const DpUnitId *id, DpKeyPlace place, const DpGroupTotals *totals)
{
	const Visit *visit = context;
	uint32_t	length = (uint32_t) (id->word[1] >> 56);
	uint64_t	next;
	const uint8_t *key = (const uint8_t *) id;

	if (visit->numbered)
	{
		key = dp_units_key(&visit->numbered->group[id->word[0]]);
		length = visit->numbered->group[id->word[0]].length;
	}
	else if (dp_units_group_key_is_long(id))
		key = dp_units_key_file_read(&visit->keys[place >> DP_KEY_PLACE_BITS],
									 (place & ((UINT64_C(1) << DP_KEY_PLACE_BITS) - 1)) - 1, &length, &next);
	visit->visit(visit->context, key, length, totals);
}

void
dp_units_collect_visit_identified(DpCollect *collect, DpLog *const *log, int count, DpKeyFile *keys,
								  DpKeyVisit visit, void *context)
{
	Visit		all = {NULL, keys, visit, context};

	dp_units_contributions_finish(&collect->contributions, log, count, visit_group, &all);
}

void
dp_units_collect_visit_numbered(DpCollect *collect, DpKeyVisit visit, void *context)
{
	DpUnitsGroups *groups = &collect->groups;
	Visit		cells = {groups, NULL, visit, context};

	for (uint32_t i = 0; i < groups->count; i++)
	{
		DpGroupTotals group = {.totals = dp_units_totals(groups, i)};

		if (i % DP_MEMORY_STRIDE == 0)
			collect->memory.breathe();
		if (!dp_units_counts(collect->spec, group.totals))
			continue;
		dp_units_weights_list(&collect->weights, i, &group);
		visit(context, dp_units_key(&groups->group[i]), groups->group[i].length, &group);
	}
	if (collect->contributions.log)
		dp_units_contributions_finish(&collect->contributions, &collect->contributions.log, 1, visit_group, &cells);
}

/* Where weights of cells go: into an array, if there is room for one. */
static void
expect_cells(DpCollect *collect, DpTake *take)
{
	const DpUnitsSpec *spec = collect->spec;

	take->weights = &collect->weights;
	if (!collect->wide && dp_units_weights_fit(spec, take->groups))
	{
		dp_units_weights_create(&collect->weights, &collect->memory, spec, take->groups);
		return;
	}
	if (!collect->wide)
		dp_units_contributions_create(&collect->contributions, &collect->memory, collect->files, spec, take->groups);
	take->cells = &collect->contributions;
}

/* Where pairs of units and values go: with ids of groups, if other processes read them. */
static void
expect_values(DpCollect *collect, DpTake *take)
{
	const DpUnitsSpec *spec = collect->spec;
	bool		by_id = collect->pair_files != NULL && spec->grouped && !collect->wide;
	DpUnitId   *ids;

	if (spec->values == 0)
		return;
	dp_units_pairs_create(&collect->pairs, &collect->memory,
						  collect->pair_files ? collect->pair_files : collect->files, spec,
						  collect->wide || by_id);
	take->pairs = &collect->pairs;
	if (!by_id)
		return;
	ids = dp_buffer_reserve(&collect->memory, &collect->pair_ids,
							((size_t) collect->groups.count + 1) * sizeof(DpUnitId));
	dp_units_create_groups(&collect->pair_groups, &collect->memory, &spec->secret.group, 1);
	for (uint32_t i = 0; i < collect->groups.count; i++)
	{
		const DpUnitsGroup *group = &collect->groups.group[i];

		if (i % DP_MEMORY_STRIDE == 0)
			collect->memory.breathe();
		ids[i] = dp_units_group_id(&spec->secret, dp_units_key(group), group->length);
		(void) dp_units_intern(&collect->pair_groups, &ids[i], sizeof(DpUnitId));
	}
	take->pair_ids = ids;
}

/* Add a value that counts to its group's totals. */
static void
count_value(void *context, const DpUnitsMeasure *measure, const DpUnitId *group, int64_t value)
{
	DpCollect  *collect = context;
	uint32_t	number = (uint32_t) group->word[0];

	if (collect->wide)
	{
		memset(collect->value_totals.bytes, 0, collect->spec->parts * sizeof(__int128));
		dp_units_acc_add_single(measure, value, collect->value_totals.bytes);
		dp_units_contributions_put(&collect->contributions, group, 0, collect->value_totals.bytes);
		return;
	}
	if (collect->pair_ids.bytes)
		number = dp_units_intern(&collect->pair_groups, group, sizeof(DpUnitId));
	dp_units_acc_add_single(measure, value, dp_units_totals(&collect->groups, number));
}

void
dp_units_collect_count_values(DpCollect *collect)
{
	if (collect->spec->values == 0)
		return;
	dp_units_part_close(collect->numbered);
	(void) dp_buffer_reserve(&collect->memory, &collect->value_totals,
							 collect->spec->parts * sizeof(__int128));
	dp_units_cover_values(&collect->pairs, count_value, collect);
}

void
dp_units_collect_take(DpCollect *collect, const DpLogSource *source, int sources,
					  uint32_t (*next) (void *context), void *context)
{
	DpTake		take;
	uint32_t	part;

	dp_units_take_create(&take, &collect->memory, collect->files, collect->spec,
						 collect->wide ? &collect->contributions : NULL);
	take.totals = collect->groups.totals;
	take.groups = collect->groups.count;
	if (collect->numbered->segments)
		take.limit = dp_units_left(take.limit, collect->numbered->segments->size);
	expect_cells(collect, &take);
	expect_values(collect, &take);
	if (collect->wide)
	{
		dp_units_reset_groups(&collect->groups);
		dp_units_contributions_expect_totals(&collect->contributions, true);
	}
	while ((part = next(context)) < collect->numbered->parts)
		dp_units_take_part(&take, source, sources, part);
	dp_units_take_destroy(&take);
}

/* One part after the other. */
static uint32_t
next_part(void *context)
{
	return (*(uint32_t *) context)++;
}

void
dp_units_collect_finish(DpCollect *collect, DpKeyVisit visit, void *context)
{
	uint32_t	next = 0;
	DpLogSource source[2] = {{collect->numbered, NULL, collect->ids.bytes}, {collect->identified, NULL, NULL}};

	dp_units_collect_write(collect);
	dp_units_collect_take(collect, source, collect->wide ? 2 : 1, next_part, &next);
	dp_units_collect_count_values(collect);
	if (!collect->wide)
	{
		dp_units_collect_visit_numbered(collect, visit, context);
		return;
	}
	dp_units_key_file_close(&collect->keys);
	dp_units_collect_visit_identified(collect, &collect->contributions.log, 1, &collect->keys, visit, context);
}
