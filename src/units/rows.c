/*
 * rows.c
 *	  Reading rows into the table.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"

#include "units/merge.h"
#include "units/rows.h"
#include "units/word.h"

/*
 * Longest value of a key, in bytes: as many as a row can have of these fit into what
 * PostgreSQL gives at once.  That one row's did not would be an error that tells.
 */
#define LONGEST_KEY (512 * 1024)

/* Are all places of this type's values on this grid within 32 bits? */
static bool
places_are_small(Oid type, int grid)
{
	return (type == INT2OID || type == INT4OID) && grid >= 0;
}

DpUnitsMeasure *
dp_units_measures(const DpUnitsPlan *plan, const DpSource *source)
{
	DpUnitsMeasure *measures = palloc0((plan->ncolumns + 1) * sizeof(DpUnitsMeasure));

	for (int i = 0; i < plan->ncolumns; i++)
	{
		const DpUnitsColumn *column = &plan->column[i];
		DpUnitsMeasure *measure = &measures[i];

		measure->kind = (DpUnitsKind) column->kind;
		measure->lower = column->lower;
		measure->upper = column->upper;
		measure->max_rows = column->max_rows;
		measure->width_y = column->width_y;
		measure->shape = (DpMomentsShape) column->shape;
		measure->small = source != NULL && column->kind == DP_UNITS_SUM &&
			places_are_small(dp_source_type(source, column->value)->atttypid, column->grid);
	}
	return measures;
}

/* Does this kind of measure look at its value, not only at whether there is one? */
static bool
has_place(int kind)
{
	return kind == DP_UNITS_SUM || kind == DP_UNITS_MEAN || kind == DP_UNITS_MOMENTS;
}

/* A value of the source, on a grid. */
static DpUnitsValue
make_value(const DpSource *source, int number, int grid)
{
	return (DpUnitsValue)
	{
		number, dp_aggregate_value_type(dp_source_type(source, number)->atttypid), dp_grid_init(grid)
	};
}

/* How to read what an aggregate takes. */
static void
start_reader(const DpUnitsRows *rows, const DpUnitsColumn *column, DpUnitsReader *reader)
{
	bool		pair = column->value_y >= 0;

	reader->value.number = column->value;
	reader->has_place = has_place(column->kind);
	reader->y.number = -1;
	if (!reader->has_place)
		return;
	reader->value = make_value(rows->source, column->value, pair ? column->pair.grid_x : column->grid);
	if (!pair)
		return;
	reader->y = make_value(rows->source, column->value_y, column->pair.grid_y);
	reader->pair = &column->pair;
}

DpUnitsRows *
dp_units_start_rows(const DpUnitsPlan *plan, DpSource *source, const DpUnitsSpec *spec,
					MemoryContext context)
{
	DpUnitsRows *rows = palloc0(sizeof(DpUnitsRows));

	rows->plan = plan;
	rows->source = source;
	if (!plan->rows_are_units)
	{
		rows->unit_form = dp_units_form(dp_source_type(rows->source, 0));
		rows->unit_length = dp_source_type(rows->source, 0)->attlen;
	}
	rows->first_key = dp_units_first_key(plan);
	rows->measure = spec->measure;
	rows->secret = spec->secret.unit;
	rows->context = context;
	rows->word_key = plan->nkeys == 1 && dp_source_type(rows->source, rows->first_key)->attbyval;
	rows->reader = palloc0((plan->ncolumns + 1) * sizeof(DpUnitsReader));
	rows->place = palloc0((plan->ncolumns + 1) * sizeof(int64));
	for (int i = 0; i < plan->ncolumns; i++)
		start_reader(rows, &plan->column[i], &rows->reader[i]);
	initStringInfo(&rows->key);
	return rows;
}

/* Forget the numbers of groups if the table has. */
static inline void
follow_groups(DpUnitsRows *rows, const DpUnitsGroups *groups)
{
	if (likely(rows->generation == groups->generation))
		return;
	memset(rows->cached_group, 0xFF, sizeof(rows->cached_group));
	rows->generation = groups->generation;
}

/* Is a value too long for a key? */
static inline bool
is_too_long(Datum value, Form_pg_attribute attribute)
{
	if (attribute->attlen != -1 ||
		(VARATT_IS_SHORT(value) && !VARATT_IS_EXTERNAL(value)))
		return false;
	return toast_raw_datum_size(value) > LONGEST_KEY;
}

/* Append bytes; where their number is known, without a call. */
static pg_attribute_always_inline void
append(StringInfo key, const void *bytes, uint32 length)
{
	if (unlikely((uint32) (key->maxlen - key->len) <= length))
		enlargeStringInfo(key, length);
	memcpy(key->data + key->len, bytes, length);
	key->len += length;
}

/*
 * A key as bytes: per column a zero if it is NULL or too long, else a one and the
 * value, if of variable length behind its length.
 */
static uint32
intern_key(DpUnitsRows *rows, DpUnits *units)
{
	StringInfo	key = &rows->key;

	resetStringInfo(key);
	for (int i = 0; i < rows->plan->nkeys; i++)
	{
		Form_pg_attribute attribute = dp_source_type(rows->source, rows->first_key + i);
		const char *bytes;
		uint32		length;
		Datum		value = 0;
		bool		there = !dp_source_is_null(rows->source, rows->first_key + i);

		if (there)
		{
			value = dp_source_value(rows->source, rows->first_key + i);
			there = !is_too_long(value, attribute);
		}
		append(key, &there, sizeof(there));
		if (!there)
			continue;
		if (attribute->attbyval)
		{
			value = dp_units_word(value, attribute->attlen);
			append(key, &value, sizeof(value));
			continue;
		}
		bytes = dp_units_bytes(value, attribute->attlen, &length);
		if (attribute->attlen == -1)
			append(key, &length, sizeof(length));
		append(key, bytes, length);
	}
	if (rows->others)
		return dp_units_find(dp_units_groups(units), key->data, key->len);
	return dp_units_intern(dp_units_groups(units), key->data, key->len);
}

static inline uint32
word_group(DpUnitsRows *rows, DpUnits *units, Datum key)
{
	uint32		place = dp_units_cache_place(key);

	if (unlikely(rows->cached_key[place] != key || rows->cached_group[place] == DP_NO_GROUP))
	{
		rows->cached_group[place] = intern_key(rows, units);
		rows->cached_key[place] = key;
	}
	return rows->cached_group[place];
}

/* The ends of a string of bytes and its length, which tell most keys apart. */
static inline uint64
bytes_ends(const char *bytes, uint32 length)
{
	uint64		first = 0;
	uint64		last = 0;

	if (length >= sizeof(uint64))
	{
		memcpy(&first, bytes, sizeof(uint64));
		memcpy(&last, bytes + length - sizeof(uint64), sizeof(uint64));
	}
	else if (length >= sizeof(uint32))
	{
		memcpy(&first, bytes, sizeof(uint32));
		memcpy(&last, bytes + length - sizeof(uint32), sizeof(uint32));
	}
	else if (length > 0)
		first = (uint8) bytes[0] | (uint8) bytes[length / 2] << 8 | (uint8) bytes[length - 1] << 16;
	return first ^ (last + length) * UINT64CONST(0xD6E8FEB86659FD93);
}

/* Do its bytes lie where the value does? */
static inline bool
is_plain(Datum value, Form_pg_attribute attribute)
{
	const struct varlena *bytes = (const struct varlena *) DatumGetPointer(value);

	return attribute->attlen != -1 ||
		(!VARATT_IS_EXTERNAL(bytes) && !VARATT_IS_COMPRESSED(bytes));
}

/* Is this the group's one key?  See intern_key. */
static inline bool
is_bytes_key(const DpUnitsGroup *group, int head, const char *bytes, uint32 length)
{
	return group->length == head + length && memcmp(dp_units_key(group) + head, bytes, length) == 0;
}

static inline uint32
bytes_group(DpUnitsRows *rows, DpUnits *units, Datum key)
{
	Form_pg_attribute attribute = dp_source_type(rows->source, rows->first_key);
	const DpUnitsGroup *groups = dp_units_groups(units)->group;
	int			head = attribute->attlen == -1 ? sizeof(bool) + sizeof(uint32) : sizeof(bool);
	const char *bytes;
	uint32		length;
	uint32		place;
	uint32		group;

	if (unlikely(!is_plain(key, attribute)))
		return intern_key(rows, units);
	bytes = dp_units_bytes(key, attribute->attlen, &length);
	place = dp_units_cache_place(bytes_ends(bytes, length));
	group = rows->cached_group[place];
	if (unlikely(group == DP_NO_GROUP || !is_bytes_key(&groups[group], head, bytes, length)))
		group = rows->cached_group[place] = intern_key(rows, units);
	return group;
}

/* The number of the row's group; DP_NO_GROUP if it is kept out. */
static inline uint32
read_group(DpUnitsRows *rows, DpUnits *units)
{
	if (rows->plan->nkeys == 0 && dp_units_groups(units)->count > 0)
		return 0;
	if (rows->plan->nkeys != 1 || dp_source_is_null(rows->source, rows->first_key))
		return intern_key(rows, units);
	if (rows->word_key)
		return word_group(rows, units, dp_source_value(rows->source, rows->first_key));
	return bytes_group(rows, units, dp_source_value(rows->source, rows->first_key));
}

/* The place of a value that is not NULL; DP_GRID_NONE for NaN. */
static pg_attribute_always_inline int64
value_place(const DpUnitsRows *rows, const DpUnitsValue *wanted)
{
	Datum		value = dp_source_value(rows->source, wanted->number);
	int64		place = dp_aggregate_quick_place(value, wanted->type, &wanted->grid);

	if (unlikely(place == DP_GRID_NONE))
		place = dp_aggregate_any_place(value, wanted->type, wanted->grid.grid);
	return place;
}

/* What place_pair returns of a pair with x at this place. */
static inline int64
pair_place(const DpUnitsRows *rows, const DpUnitsReader *reader, int64 place_x)
{
	int64		place_y;

	if (place_x == DP_GRID_NONE || dp_source_is_null(rows->source, reader->y.number))
		return DP_GRID_NONE;
	place_y = value_place(rows, &reader->y);
	return place_y == DP_GRID_NONE ? DP_GRID_NONE : dp_moments_pair(reader->pair, place_x, place_y);
}

/* The place of the row's value, or pair of values, for the i-th aggregate. */
static pg_attribute_always_inline int64
read_place(const DpUnitsRows *rows, int i)
{
	const DpUnitsReader *reader = &rows->reader[i];
	int64		place;

	if (reader->value.number < 0)
		return 0;
	if (dp_source_is_null(rows->source, reader->value.number))
		return DP_GRID_NONE;
	if (!reader->has_place)
		return 0;
	place = value_place(rows, &reader->value);
	return reader->y.number < 0 ? place : pair_place(rows, reader, place);
}

/*
 * Put the source's row into the table, or on its way, if it has a unit.  Must that be
 * worked off before there are more?
 */
static inline bool
put_row(DpUnitsRows *rows, DpUnits *units)
{
	DpUnitId	id;

	if (unlikely(dp_source_is_null(rows->source, 0)))
		return false;
	id = dp_units_id(dp_source_value(rows->source, 0), rows->unit_form, rows->unit_length,
					 &rows->secret);
	for (int i = 0; i < rows->plan->ncolumns; i++)
		rows->place[i] = read_place(rows, i);
	if (rows->exchange)
		return dp_exchange_put(rows->exchange, &id, read_group(rows, units), rows->place);
	return dp_units_add(units, &id, read_group(rows, units), rows->place);
}

/* Add the source's row, all its unit has, to totals. */
static inline void
add_single(const DpUnitsRows *rows, __int128 *totals)
{
	totals[0]++;
	for (int i = 0; i < rows->plan->ncolumns; i++)
	{
		int64		place = read_place(rows, i);

		if (place != DP_GRID_NONE)
			dp_acc_add_single(&rows->measure[i], place, totals);
	}
}

/* Write the source's row, whose key has just been put together, to the spill. */
static void
put_out(DpUnitsRows *rows, const DpSipKey *secret)
{
	MemoryContext old;

	memset(rows->single, 0, rows->others->acc_size);
	add_single(rows, rows->single);
	old = MemoryContextSwitchTo(rows->others_context);
	dp_spill_put(rows->others, secret, rows->key.data, rows->key.len, rows->single);
	MemoryContextSwitchTo(old);
}

/* Put the source's row, all its unit has, where it belongs: that is all. */
static inline bool
put_single(DpUnitsRows *rows, DpUnits *units)
{
	DpUnitsGroups *groups = dp_units_groups(units);
	uint32		group = read_group(rows, units);

	if (likely(group != DP_NO_GROUP))
		add_single(rows, dp_units_totals(groups, group));
	else
		put_out(rows, &groups->secret);
	return false;
}

/* Do long values fill memory before a batch is full? */
static inline bool
holds_much(const DpUnitsRows *rows)
{
	return unlikely(rows->context->mem_allocated > DP_SOURCE_HELD || rows->key.len > DP_SOURCE_HELD);
}

void
dp_units_keep_out(DpUnitsRows *rows, const DpUnitsSpec *spec, int parts, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	rows->others = dp_spill_create(spec, parts * sizeof(__int128));
	rows->others_context = context;
	rows->single = dp_merge_make_totals(parts);
	MemoryContextSwitchTo(old);
}

/* Read a batch of rows and put each where it belongs; false at the end. */
static pg_attribute_always_inline bool
read_rows(DpUnitsRows *rows, DpUnits *units, bool (*put) (DpUnitsRows *, DpUnits *))
{
	for (int i = 0; i < DP_UNITS_BATCH; i++)
	{
		if (!dp_source_next(rows->source))
			return false;
		if (put(rows, units) || holds_much(rows))
			break;
	}
	return true;
}

bool
dp_units_read_rows(DpUnitsRows *rows, DpUnits *units)
{
	MemoryContext old = MemoryContextSwitchTo(rows->context);
	bool		more;

	follow_groups(rows, dp_units_groups(units));
	if (rows->plan->rows_are_units)
		more = read_rows(rows, units, put_single);
	else
		more = read_rows(rows, units, put_row);
	MemoryContextSwitchTo(old);
	return more;
}

void
dp_units_read_key(const DpUnitsRows *rows, const DpUnitsGroup *group, Datum *values, bool *isnull)
{
	const uint8_t *bytes = dp_units_key(group);

	for (int i = 0; i < rows->plan->nkeys; i++)
	{
		Form_pg_attribute attribute = dp_source_type(rows->source, rows->first_key + i);
		uint32		length = attribute->attlen;
		char	   *value;

		isnull[i] = *bytes++ == 0;
		values[i] = (Datum) 0;
		if (isnull[i])
			continue;
		if (attribute->attbyval)
		{
			memcpy(&values[i], bytes, sizeof(Datum));
			bytes += sizeof(Datum);
			continue;
		}
		if (attribute->attlen == -1)
		{
			memcpy(&length, bytes, sizeof(length));
			bytes += sizeof(length);
			value = palloc(VARHDRSZ + (Size) length);
			SET_VARSIZE(value, VARHDRSZ + (Size) length);
			memcpy(VARDATA(value), bytes, length);
		}
		else
			value = memcpy(palloc(length), bytes, length);
		bytes += length;
		values[i] = PointerGetDatum(value);
	}
}
