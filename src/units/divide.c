/*
 * divide.c
 *	  Writing a part's records by parts of their own.
 */
#include "units/divide.h"

/* The unit that a record is of, or its group where records are divided by these. */
static inline DpUnitId
divided_by(const DpDivision *division, const uint8_t *record)
{
	const DpUnitsSpec *spec = division->take->spec;
	DpUnitId	id = {{0, 0}};

	if (division->by_group)
		memcpy(&id, record + dp_record_group_at(spec),
			   dp_record_group_size(spec, division->take->contributions != NULL));
	else
		memcpy(&id, record, spec->id_words * sizeof(uint64_t));
	return id;
}

/* Are all records of the same? */
static inline void
note(DpDivision *division, const DpUnitId *id)
{
	if (!division->any)
		division->one = *id;
	division->any = true;
	division->only_one = division->only_one && id->word[0] == division->one.word[0] &&
		id->word[1] == division->one.word[1];
}

/* Write the records of a block to a division. */
static void
divide_block(void *context, const DpLog *log, DpRecordForm form, const uint8_t *record,
			 uint32_t bytes)
{
	DpDivision *division = context;
	DpTake	   *take = division->take;
	size_t		group_at = dp_record_group_at(take->spec);
	size_t		stride = dp_record_size(&log->records, form);
	uint8_t		identity[sizeof(DpUnitId) + sizeof(DpUnitId)];

	for (const uint8_t *end = record + bytes; record < end; record += stride)
	{
		DpUnitId	id;
		uint8_t    *to;

		memcpy(identity, record, group_at);
		dp_load_group(take->spec, division->source, take->contributions != NULL, record + group_at,
					  identity + group_at);
		id = divided_by(division, identity);
		note(division, &id);
		to = dp_log_room(division->to, division->by_group ? dp_units_hash(&take->spec->secret, &id)
						 : id.word[0]);
		memcpy(to, identity, take->records.identity);
		dp_load_convert(take->spec, form, record + log->records.identity, division->to->form,
						to + take->records.identity);
	}
}

DpDivision
dp_divide(DpTake *take, const DpLogSource *source, int sources, uint32_t part, int bits,
		  bool by_group, DpLogGo go)
{
	DpDivision	division = {.take = take, .by_group = by_group, .only_one = true};

	for (int i = 0; i < sources; i++)
		dp_log_close(source[i].log);
	division.to = dp_log_create(&take->memory, take->files, &take->records,
								dp_load_form(source, sources, part), bits, take->limit);
	for (int i = 0; i < sources; i++)
	{
		division.source = &source[i];
		go(source[i].log, part, divide_block, &division);
	}
	return division;
}

uint32_t
dp_divide_part(const DpDivision *division)
{
	const DpLog *log = division->to;
	uint64_t	hash = division->one.word[0];

	if (division->by_group)
		hash = dp_units_hash(&division->take->spec->secret, &division->one);
	return (uint32_t) (hash >> log->shift) & (log->parts - 1);
}

uint64_t
dp_divide_count(const DpLogSource *source, int sources, uint32_t part)
{
	uint64_t	count = 0;

	for (int i = 0; i < sources; i++)
		count += dp_log_count(source[i].log, part);
	return count;
}

/* Can a part with so many records be taken in the memory there is? */
static bool
fits(const DpTake *take, DpRecordForm form, uint64_t count)
{
	return count <= take->room / dp_load_cost(take->spec, take->contributions != NULL, form);
}

bool
dp_divide_needed(const DpTake *take, const DpLogSource *source, int sources, uint32_t part)
{
	if (source->log->shift == 0 ||
		fits(take, dp_load_form(source, sources, part), dp_divide_count(source, sources, part)))
		return false;
	for (int i = 0; i < sources; i++)
		dp_log_add_up(source[i].log, part);
	return !fits(take, dp_load_form(source, sources, part), dp_divide_count(source, sources, part));
}
