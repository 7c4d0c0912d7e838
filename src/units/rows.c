/* SPDX-License-Identifier: PostgreSQL */
/*
 * rows.c
 *	  Reading rows.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"

#include "aggregate/part.h"
#include "base/compat_varlena.h"
#include "units/merge.h"
#include "units/rows.h"
#include "units/word.h"

static void row_key_form(DpRowKey *row_key);
static void parts_start(DpUnitsRows *rows);
static void parts_put(DpUnitsRows *rows);

/*
 * Putting keys together, and taking them apart.
 */

/*
 * Longest value of a key, in bytes: as many as a row can have of these fit into what
 * PostgreSQL gives at once.  That one row's did not would be an error that tells.
 */
#define LONGEST_KEY (512 * 1024)

/* Is a value too long for a key? */
static inline bool
is_too_long(Datum value, Form_pg_attribute attribute)
{
	if (attribute->attlen != -1 ||
		(VARATT_IS_SHORT(DatumGetPointer(value)) && !VARATT_IS_EXTERNAL(DatumGetPointer(value))))
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

/* Put the key of the source's row together. */
static void
row_key_form(DpRowKey *row_key)
{
	StringInfo	key = &row_key->bytes;

	resetStringInfo(key);
	for (int i = 0; i < row_key->columns; i++)
	{
		Form_pg_attribute attribute = dp_units_source_type(row_key->source, row_key->first + i);
		const char *bytes;
		uint32		length;
		Datum		value = 0;
		char		word[sizeof(Datum)];
		bool		there = !dp_units_source_is_null(row_key->source, row_key->first + i);

		if (there)
		{
			value = dp_units_source_value(row_key->source, row_key->first + i);
			there = !is_too_long(value, attribute);
		}
		append(key, &there, sizeof(there));
		if (!there)
			continue;
		if (attribute->attbyval)
		{
			store_att_byval(word, value, attribute->attlen);
			append(key, word, attribute->attlen);
			continue;
		}
		bytes = dp_units_bytes(value, attribute->attlen, &length);
		if (attribute->attlen == -1)
			append(key, &length, sizeof(length));
		append(key, bytes, length);
	}
}

void
dp_units_row_key_read(const DpRowKey *key, const uint8_t *bytes, Datum *values, bool *isnull)
{
	for (int i = 0; i < key->columns; i++)
	{
		Form_pg_attribute attribute = dp_units_source_type(key->source, key->first + i);
		uint32		length = attribute->attlen;
		char	   *value;

		isnull[i] = *bytes++ == 0;
		values[i] = (Datum) 0;
		if (isnull[i])
			continue;
		if (attribute->attbyval)
		{
			char		word[sizeof(Datum)];

			memcpy(word, bytes, length);
			values[i] = fetch_att(word, true, length);
			bytes += length;
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

/*
 * Reading rows that stand for several: what rows of a unit in a group add up to, wherever they
 * were added up.
 *
 * A row has a unit, keys, and of each measure a part: a number of rows, what
 * unit_sum_part or unit_part returned (aggregate/part.h), of quantiles what exact_cells
 * did (aggregate/cells.h).  NULL is a part of no rows.  A unit can have any number of
 * such rows in a group; those of a partition come from whatever server holds it, which
 * may say what it likes.  So partition sums are checked: they may not exceed what rows
 * can come to.  The total of a unit's partition sums is bounded as that of its rows is
 * (accumulate.h), wherever they come from.
 *
 * Each becomes a record of rows added up (record.h).  Those that stand for rows of several
 * cells become as many records as there are, each with one cell of every quantile, the first
 * with all else.
 */

/* Set what reading such rows needs, in the current memory context. */
static void
parts_start(DpUnitsRows *rows)
{
	rows->acc = palloc(rows->collect->spec->acc_size + 1);
	rows->cells = palloc0((rows->plan->ncolumns + 1) * sizeof(DpCells));
}

/* So many rows, of what may be more than are counted: what is beyond matters to the unit alone. */
static inline uint32
countable(uint64 rows)
{
	return (uint32) Min(rows, INT32_MAX);
}

static void
add_count(const DpUnitsMeasure *measure, uint8 *acc, int64 rows)
{
	if (rows < 0)
		dp_aggregate_refuse_part();
	dp_units_acc_add_rows(measure, acc + measure->offset, countable(rows));
}

static void
add_sum(const DpUnitsMeasure *measure, uint8 *acc, const DpPart *part)
{
	int128		total = Min(part->total, DP_ACC_LARGE_LIMIT);

	if (part->rows > 0)
		dp_units_acc_add_large(acc + measure->offset, Max(total, -DP_ACC_LARGE_LIMIT));
}

/* If a unit has more rows than are counted, add so many that are like their average. */
static void
add_mean(const DpUnitsMeasure *measure, uint8 *acc, const DpPart *part)
{
	uint128		sum = (uint128) (part->total - (int128) part->rows * measure->lower);

	if (part->rows > INT32_MAX)
		sum = sum / (uint64) part->rows * INT32_MAX;
	dp_units_acc_add_mean(measure, acc + measure->offset, sum, countable(part->rows));
}

/* Rows, each of weight 1, in cells like the measure's. */
static void
read_cells(const DpUnitsMeasure *measure, const bytea *value, DpCells *cells)
{
	dp_aggregate_read_cells(value, cells);
	if (cells->header.cells != measure->cells || cells->header.max_rows != measure->max_rows ||
		cells->header.rows != cells->total)
		dp_aggregate_refuse_part();
}

/* Read what the i-th measure has of the source's row. */
static void
read_part(DpUnitsRows *rows, int i)
{
	const DpUnitsColumn *column = &rows->plan->column[i];
	const DpUnitsMeasure *measure = &rows->collect->spec->measure[i];
	Datum		value;
	DpPart		part;

	rows->cells[i].entries = 0;
	if (column->value < 0 || dp_units_source_is_null(rows->source, column->value))
		return;
	value = dp_units_source_value(rows->source, column->value);
	switch (measure->kind)
	{
		case DP_UNITS_ROWS:
			add_count(measure, rows->acc, DatumGetInt64(value));
			break;
		case DP_UNITS_SUM:
			part = dp_aggregate_read_part((bytea *) DatumGetPointer(value), column->grid,
										  -DP_GRID_LIMIT, DP_GRID_LIMIT);
			add_sum(measure, rows->acc, &part);
			break;
		case DP_UNITS_MEAN:
			part = dp_aggregate_read_part((bytea *) DatumGetPointer(value), column->grid,
										  measure->lower, measure->upper);
			add_mean(measure, rows->acc, &part);
			break;
		case DP_UNITS_CELLS:
			read_cells(measure, (bytea *) DatumGetPointer(value), &rows->cells[i]);
			break;
		default:
			elog(ERROR, "unexpected part of a unit");
	}
}

/* Set what a quantile has in its n-th cell, if there are so many. */
static void
put_cell(const DpUnitsMeasure *measure, const DpCells *cells, uint32 n, uint8 *acc)
{
	uint64		weight;

	if (n >= cells->entries)
		return;
	acc += measure->offset;
	dp_units_acc_store32(acc + sizeof(uint64), dp_aggregate_cells_entry(cells, n, &weight));
	dp_units_acc_store64(acc, countable(weight));
}

/* The group that the row is in: a number, or an id where there are too many for numbers. */
static Size
identify_group(DpUnitsRows *rows, DpUnitId *group)
{
	DpCollect  *collect = rows->collect;
	const StringInfoData *key = &rows->key.bytes;

	row_key_form(&rows->key);
	if (collect->wide)
		*group = dp_units_collect_identify(collect, key->data, key->len);
	else
		dp_units_acc_store32((uint8 *) group, dp_units_intern(&collect->groups, key->data, key->len));
	return dp_units_record_group_size(collect->spec, collect->wide);
}

/* Collect what the row of the source stands for, if it has a unit.  Errors: 22023 for parts that no rows make. */
static void
parts_put(DpUnitsRows *rows)
{
	DpCollect  *collect = rows->collect;
	const DpUnitsSpec *spec = collect->spec;
	DpUnitId	unit;
	DpUnitId	group;
	Size		size;
	uint32		records = 1;

	if (dp_units_source_is_null(rows->source, 0))
		return;
	unit = dp_units_id(dp_units_source_value(rows->source, 0), rows->unit_form, rows->unit_length,
					   &spec->secret.unit);
	size = identify_group(rows, &group);
	memset(rows->acc, 0, spec->acc_size);
	for (int i = 0; i < spec->measures; i++)
	{
		read_part(rows, i);
		records = Max(records, rows->cells[i].entries);
	}
	for (uint32 n = 0; n < records; n++)
	{
		for (int i = 0; i < spec->measures; i++)
			put_cell(&spec->measure[i], &rows->cells[i], n, rows->acc);
		dp_units_collect_put_added(collect, collect->wide ? collect->identified : collect->numbered,
								   &unit, &group, size, rows->acc);
		memset(rows->acc, 0, spec->acc_size);
	}
}

/* Rows read between two checks for interrupts. */
#define BATCH 64

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
		measure->cells = column->cells;
		measure->ladder = column->ladder;
		measure->counted = plan->by_parts && column->kind == DP_UNITS_CELLS;
		measure->constant = column->kind == DP_UNITS_UNITS || column->kind == DP_UNITS_CLASSES ||
			(column->kind == DP_UNITS_ROWS && column->value < 0);
		measure->small = source != NULL && !plan->by_parts && column->kind == DP_UNITS_SUM &&
			places_are_small(dp_units_source_type(source, column->value)->atttypid, column->grid);
	}
	return measures;
}

/* Does this kind of measure look at its value, not only at whether there is one? */
static bool
has_place(int kind)
{
	return kind != DP_UNITS_UNITS && kind != DP_UNITS_ROWS && kind != DP_UNITS_VALUES && kind != DP_UNITS_CLASSES;
}

/* A value of the source, on a grid. */
static DpUnitsValue
make_value(const DpSource *source, int number, int grid)
{
	return (DpUnitsValue)
	{
		number, dp_aggregate_value_type(dp_units_source_type(source, number)->atttypid), dp_aggregate_grid_init(grid)
	};
}

/* How to read what an aggregate takes. */
static void
start_reader(const DpUnitsRows *rows, const DpUnitsColumn *column, DpUnitsReader *reader)
{
	bool		pair = column->value_y >= 0;

	reader->value.number = column->value;
	reader->has_place = has_place(column->kind);
	reader->converts = pair || column->kind == DP_UNITS_CELLS;
	reader->tells_apart = column->kind == DP_UNITS_VALUES;
	if (reader->tells_apart)
	{
		reader->form = dp_units_form(dp_units_source_type(rows->source, column->value));
		reader->length = dp_units_source_type(rows->source, column->value)->attlen;
	}
	if (!reader->has_place)
		return;
	reader->value = make_value(rows->source, column->value, pair ? column->pair.grid_x : column->grid);
	if (column->kind == DP_UNITS_CELLS)
	{
		reader->cells = palloc0(sizeof(DpCellSpec));
		reader->cells->lower = column->lower;
		reader->cells->upper = column->upper;
		reader->cells->multiplier = column->multiplier;
		reader->cells->cells = column->cells;
	}
	if (!pair)
		return;
	reader->y = make_value(rows->source, column->value_y, column->pair.grid_y);
	reader->pair = &column->pair;
}

DpUnitsRows *
dp_units_start_rows(const DpUnitsPlan *plan, DpSource *source, DpCollect *collect,
					MemoryContext context)
{
	DpUnitsRows *rows = palloc0(sizeof(DpUnitsRows));

	rows->plan = plan;
	rows->source = source;
	if (!plan->rows_are_units)
	{
		rows->unit_form = dp_units_form(dp_units_source_type(rows->source, 0));
		rows->unit_length = dp_units_source_type(rows->source, 0)->attlen;
	}
	rows->first_key = dp_units_first_key(plan);
	rows->context = context;
	rows->collect = collect;
	rows->word_key = plan->nkeys == 1 && dp_units_source_type(rows->source, rows->first_key)->attbyval;
	rows->reader = palloc0((plan->ncolumns + 1) * sizeof(DpUnitsReader));
	rows->place = palloc0((plan->ncolumns + 1) * sizeof(int64));
	rows->single = dp_units_merge_make_totals(collect->spec->parts);
	if (plan->by_parts)
		parts_start(rows);
	for (int i = 0; i < plan->ncolumns && !plan->by_parts; i++)
		start_reader(rows, &plan->column[i], &rows->reader[i]);
	rows->key = (DpRowKey) {source, rows->first_key, plan->nkeys};
	initStringInfo(&rows->key.bytes);
	memset(rows->cached_group, 0xFF, sizeof(rows->cached_group));
	return rows;
}

/* The number of the group with the row's key. */
static uint32
intern_key(DpUnitsRows *rows)
{
	row_key_form(&rows->key);
	return dp_units_intern(&rows->collect->groups, rows->key.bytes.data, rows->key.bytes.len);
}

static inline uint32
word_group(DpUnitsRows *rows, Datum key)
{
	uint32		place = dp_units_cache_place(key);

	if (unlikely(rows->cached_key[place] != key || rows->cached_group[place] == DP_NO_GROUP))
	{
		rows->cached_group[place] = intern_key(rows);
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
bytes_group(DpUnitsRows *rows, Datum key)
{
	Form_pg_attribute attribute = dp_units_source_type(rows->source, rows->first_key);
	const DpUnitsGroup *groups = rows->collect->groups.group;
	int			head = attribute->attlen == -1 ? sizeof(bool) + sizeof(uint32) : sizeof(bool);
	const char *bytes;
	uint32		length;
	uint32		place;
	uint32		group;

	if (unlikely(!is_plain(key, attribute)))
		return intern_key(rows);
	bytes = dp_units_bytes(key, attribute->attlen, &length);
	place = dp_units_cache_place(bytes_ends(bytes, length));
	group = rows->cached_group[place];
	if (unlikely(group == DP_NO_GROUP || !is_bytes_key(&groups[group], head, bytes, length)))
		group = rows->cached_group[place] = intern_key(rows);
	return group;
}

/* The number of the row's group. */
static inline uint32
read_group(DpUnitsRows *rows)
{
	if (rows->plan->nkeys == 0 && rows->collect->groups.count > 0)
		return 0;
	if (rows->plan->nkeys != 1 || dp_units_source_is_null(rows->source, rows->first_key))
		return intern_key(rows);
	if (rows->word_key)
		return word_group(rows, dp_units_source_value(rows->source, rows->first_key));
	return bytes_group(rows, dp_units_source_value(rows->source, rows->first_key));
}

/* The place of a value that is not NULL; DP_GRID_NONE for NaN. */
static pg_attribute_always_inline int64
value_place(const DpUnitsRows *rows, const DpUnitsValue *wanted)
{
	Datum		value = dp_units_source_value(rows->source, wanted->number);
	int64		place = dp_aggregate_quick_place(value, wanted->type, &wanted->grid);

	if (unlikely(place == DP_GRID_NONE))
		place = dp_aggregate_any_place(value, wanted->type, wanted->grid.grid);
	return place;
}

/* Result of place_pair for a pair with x at this place, which is not DP_GRID_NONE. */
static inline int64
pair_place(const DpUnitsRows *rows, const DpUnitsReader *reader, int64 place_x)
{
	int64		place_y;

	if (dp_units_source_is_null(rows->source, reader->y.number))
		return DP_GRID_NONE;
	place_y = value_place(rows, &reader->y);
	return place_y == DP_GRID_NONE ? DP_GRID_NONE : dp_aggregate_moments_pair(reader->pair, place_x, place_y);
}

/*
 * Word that tells a value, which is not NULL, from others.  It is a permutation of the
 * value's own word, or a hash of 64 bits of its digest of 128 bits.  Two of 2^32 values
 * share such a hash with a probability below one half, and then count as one.
 */
static int64
value_word(const DpUnitsRows *rows, const DpUnitsReader *reader)
{
	const DpUnitsSecret *secret = &rows->collect->spec->secret;
	DpUnitId	id = dp_units_id(dp_units_source_value(rows->source, reader->value.number), reader->form,
								 reader->length, &secret->unit);
	int64		word = (int64) dp_units_hash(secret, &id);

	return word == DP_GRID_NONE ? DP_GRID_NONE + 1 : word;
}

/* The place of the row's value, or pair of values, for the i-th aggregate. */
static pg_attribute_always_inline int64
read_place(const DpUnitsRows *rows, int i)
{
	const DpUnitsReader *reader = &rows->reader[i];
	int64		place;

	if (reader->value.number < 0)
		return 0;
	if (dp_units_source_is_null(rows->source, reader->value.number))
		return DP_GRID_NONE;
	if (!reader->has_place)
		return reader->tells_apart ? value_word(rows, reader) : 0;
	place = value_place(rows, &reader->value);
	if (likely(!reader->converts) || place == DP_GRID_NONE)
		return place;
	return reader->cells ? dp_aggregate_cell_of(reader->cells, place) : pair_place(rows, reader, place);
}

/* Read the row's unit and places; false if it has no unit. */
static pg_attribute_always_inline bool
read_row(DpUnitsRows *rows, DpUnitId *unit)
{
	if (unlikely(dp_units_source_is_null(rows->source, 0)))
		return false;
	*unit = dp_units_id(dp_units_source_value(rows->source, 0), rows->unit_form, rows->unit_length,
						&rows->collect->spec->secret.unit);
	for (int i = 0; i < rows->plan->ncolumns; i++)
		rows->place[i] = read_place(rows, i);
	return true;
}

/* Collect the row of the source, if it has a unit. */
static inline void
put_row(DpUnitsRows *rows)
{
	DpUnitId	unit;

	if (read_row(rows, &unit))
		dp_units_collect_add(rows->collect, &unit, read_group(rows), rows->place);
}

/* The same, where there are too many groups for numbers. */
static inline void
put_identified(DpUnitsRows *rows)
{
	DpUnitId	unit;
	DpUnitId	group;

	if (!read_row(rows, &unit))
		return;
	row_key_form(&rows->key);
	group = dp_units_collect_identify(rows->collect, rows->key.bytes.data, rows->key.bytes.len);
	dp_units_collect_add_identified(rows->collect, &unit, &group, rows->place);
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
			dp_units_acc_add_single(&rows->collect->spec->measure[i], place, totals);
	}
}

/* Add the source's row, all its unit has, to its group's totals. */
static inline void
put_single(DpUnitsRows *rows)
{
	uint32		group = read_group(rows);

	add_single(rows, dp_units_totals(&rows->collect->groups, group));
}

/* The same, where there are too many groups for numbers. */
static inline void
put_single_identified(DpUnitsRows *rows)
{
	DpCollect  *collect = rows->collect;
	DpUnitId	group;

	row_key_form(&rows->key);
	group = dp_units_group_id(&collect->spec->secret, rows->key.bytes.data, rows->key.bytes.len);
	memset(rows->single, 0, collect->spec->parts * sizeof(__int128));
	add_single(rows, rows->single);
	dp_units_contributions_put(&collect->contributions, &group,
							   dp_units_collect_key_place(collect, &group, rows->key.bytes.data, rows->key.bytes.len),
							   rows->single);
}

/* Do long values fill memory before a batch is full? */
static inline bool
holds_much(const DpUnitsRows *rows)
{
	return unlikely(rows->context->mem_allocated > DP_SOURCE_HELD || rows->key.bytes.len > DP_SOURCE_HELD);
}

/* Read a batch of rows and put each where it belongs; false at the end. */
static pg_attribute_always_inline bool
read_rows(DpUnitsRows *rows, void (*put) (DpUnitsRows *))
{
	for (int i = 0; i < BATCH; i++)
	{
		if (!dp_units_source_next(rows->source))
			return false;
		put(rows);
		if (holds_much(rows))
			break;
	}
	return true;
}

bool
dp_units_read_rows(DpUnitsRows *rows)
{
	MemoryContext old = MemoryContextSwitchTo(rows->context);
	bool		single = rows->plan->rows_are_units;
	bool		more;

	if (rows->plan->by_parts)
		more = read_rows(rows, parts_put);
	else if (rows->collect->wide)
		more = single ? read_rows(rows, put_single_identified) : read_rows(rows, put_identified);
	else
		more = single ? read_rows(rows, put_single) : read_rows(rows, put_row);
	MemoryContextSwitchTo(old);
	return more;
}
