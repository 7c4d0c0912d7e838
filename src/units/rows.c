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

/* Put the key of a row of the source's batch together. */
static void
form_key(DpUnitsRows *rows, int row)
{
	StringInfo	key = &rows->key;

	resetStringInfo(key);
	for (int i = 0; i < rows->plan->nkeys; i++)
	{
		const DpSourceColumn *column = &rows->source->column[rows->first_key + i];
		Form_pg_attribute attribute = column->type;
		const char *bytes;
		uint32		length;
		char		word[sizeof(Datum)];
		bool		there = !dp_units_source_is_null(column, row) && !is_too_long(column->value[row], attribute);

		append(key, &there, sizeof(there));
		if (!there)
			continue;
		if (attribute->attbyval)
		{
			store_att_byval(word, column->value[row], attribute->attlen);
			append(key, word, attribute->attlen);
			continue;
		}
		bytes = dp_units_bytes(column->value[row], attribute->attlen, &length);
		if (attribute->attlen == -1)
			append(key, &length, sizeof(length));
		append(key, bytes, length);
	}
}

void
dp_units_read_key(const DpUnitsRows *rows, const uint8_t *bytes, Datum *values, bool *isnull)
{
	for (int i = 0; i < rows->plan->nkeys; i++)
	{
		Form_pg_attribute attribute = rows->source->column[rows->first_key + i].type;
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

/* Read what the i-th measure has of a row. */
static void
read_part(DpUnitsRows *rows, int i, int row)
{
	const DpUnitsColumn *column = &rows->plan->column[i];
	const DpUnitsMeasure *measure = &rows->collect->spec->measure[i];
	Datum		value;
	DpPart		part;

	rows->cells[i].entries = 0;
	if (column->value < 0 || dp_units_source_is_null(&rows->source->column[column->value], row))
		return;
	value = rows->source->column[column->value].value[row];
	switch (measure->kind)
	{
		case DP_UNITS_ROWS:
			add_count(measure, rows->acc, DatumGetInt64(value));
			break;
		case DP_UNITS_SUM:
			part = dp_aggregate_read_part((bytea *) DatumGetPointer(value), column->ask.grid,
										  -DP_GRID_LIMIT, DP_GRID_LIMIT);
			add_sum(measure, rows->acc, &part);
			break;
		case DP_UNITS_MEAN:
			part = dp_aggregate_read_part((bytea *) DatumGetPointer(value), column->ask.grid,
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

/* Collect what a row stands for.  Errors: 22023 for parts that no rows make. */
static void
put_parts(DpUnitsRows *rows, int row)
{
	DpCollect  *collect = rows->collect;
	const DpUnitsSpec *spec = collect->spec;
	Size		size = dp_units_record_group_size(spec, collect->wide);
	const void *group = collect->wide ? (const void *) &rows->id[row] : &rows->group[row];
	uint32		records = 1;

	memset(rows->acc, 0, spec->acc_size);
	for (int i = 0; i < spec->measures; i++)
	{
		read_part(rows, i, row);
		records = Max(records, rows->cells[i].entries);
	}
	for (uint32 n = 0; n < records; n++)
	{
		for (int i = 0; i < spec->measures; i++)
			put_cell(&spec->measure[i], &rows->cells[i], n, rows->acc);
		dp_units_collect_put_added(collect, collect->wide ? collect->identified : collect->numbered,
								   &rows->unit[row], group, size, rows->acc);
		memset(rows->acc, 0, spec->acc_size);
	}
}

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
		const DpUnitsAsk *ask = &column->ask;

		measures[i] = (DpUnitsMeasure)
		{
			.kind = (DpUnitsKind) ask->kind, .lower = ask->lower, .upper = ask->upper, .max_rows = ask->max_rows,
				.width_y = ask->width_y, .shape = (DpMomentsShape) ask->shape, .cells = ask->cells, .ladder = ask->ladder,
				.counted = plan->by_parts && ask->kind == DP_UNITS_CELLS,
				.constant = ask->kind == DP_UNITS_UNITS || ask->kind == DP_UNITS_CLASSES ||
				(ask->kind == DP_UNITS_ROWS && column->value < 0),
				.small = source != NULL && !plan->by_parts && ask->kind == DP_UNITS_SUM &&
				places_are_small(source->column[column->value].type->atttypid, ask->grid)
		};
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
		number, dp_aggregate_value_type(source->column[number].type->atttypid), dp_aggregate_grid_init(grid)
	};
}

/* How to read what an aggregate takes. */
static void
start_reader(const DpUnitsRows *rows, const DpUnitsColumn *column, DpUnitsReader *reader)
{
	bool		pair = column->value_y >= 0;

	reader->value.number = column->value;
	reader->has_place = column->value >= 0 && has_place(column->ask.kind);
	reader->tells_apart = column->ask.kind == DP_UNITS_VALUES;
	if (reader->tells_apart)
	{
		reader->form = dp_units_form(rows->source->column[column->value].type);
		reader->length = rows->source->column[column->value].type->attlen;
	}
	if (!reader->has_place)
		return;
	reader->value = make_value(rows->source, column->value, pair ? column->pair.grid_x : column->ask.grid);
	if (column->ask.kind == DP_UNITS_CELLS)
	{
		reader->cells = palloc0(sizeof(DpCellSpec));
		reader->cells->lower = column->ask.lower;
		reader->cells->upper = column->ask.upper;
		reader->cells->multiplier = column->ask.multiplier;
		reader->cells->cells = column->ask.cells;
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
		rows->unit_form = dp_units_form(rows->source->column[0].type);
	rows->first_key = dp_units_first_key(plan);
	rows->context = context;
	rows->collect = collect;
	rows->word_key = plan->nkeys == 1 && rows->source->column[rows->first_key].type->attbyval;
	rows->reader = palloc0((plan->ncolumns + 1) * sizeof(DpUnitsReader));
	rows->unit = palloc(DP_SOURCE_ROWS * sizeof(DpUnitId));
	rows->group = palloc(DP_SOURCE_ROWS * sizeof(uint32));
	rows->id = palloc(DP_SOURCE_ROWS * sizeof(DpUnitId));
	rows->place = palloc(DP_SOURCE_ROWS * (plan->ncolumns + 1) * sizeof(int64));
	rows->place_y = palloc(DP_SOURCE_ROWS * sizeof(int64));
	rows->single = dp_units_merge_make_totals(collect->spec->parts);
	if (plan->by_parts)
		parts_start(rows);
	for (int i = 0; i < plan->ncolumns && !plan->by_parts; i++)
		start_reader(rows, &plan->column[i], &rows->reader[i]);
	initStringInfo(&rows->key);
	memset(rows->cached_group, 0xFF, sizeof(rows->cached_group));
	return rows;
}

/*
 * The groups of rows.
 *
 * Long values fill memory before a batch is done.  What reading them took is given back
 * in between, and the rows that follow one with a long key wait until it has been seen
 * how much memory groups take by now.
 */

/* Give back what reading values took, if it is much. */
static inline void
let_go(DpUnitsRows *rows)
{
	if (unlikely(rows->context->mem_allocated > DP_SOURCE_HELD))
		MemoryContextReset(rows->context);
}

/* The number of the group with a row's key. */
static uint32
intern_key(DpUnitsRows *rows, int row)
{
	form_key(rows, row);
	return dp_units_intern(&rows->collect->groups, rows->key.data, rows->key.len);
}

static pg_attribute_always_inline uint32
word_group(DpUnitsRows *rows, Datum key, int row)
{
	uint32		place = dp_units_cache_place(key);

	if (unlikely(rows->cached_key[place] != key || rows->cached_group[place] == DP_NO_GROUP))
	{
		rows->cached_group[place] = intern_key(rows, row);
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

/* The number of the group of a row whose key has these bytes behind a head of so many. */
static inline uint32
find_group(DpUnitsRows *rows, int row, int head, const char *bytes, uint32 length)
{
	const DpUnitsGroup *groups = rows->collect->groups.group;
	uint32	   *group = &rows->cached_group[dp_units_cache_place(bytes_ends(bytes, length))];

	if (unlikely(*group == DP_NO_GROUP || !is_bytes_key(&groups[*group], head, bytes, length)))
		*group = intern_key(rows, row);
	return *group;
}

/* Number the groups of rows with one key that is passed by value. */
static void
number_words(DpUnitsRows *rows, int first, int end)
{
	const DpSourceColumn *key = &rows->source->column[rows->first_key];

	for (int row = first; row < end; row++)
		rows->group[row] = dp_units_source_is_null(key, row) ? intern_key(rows, row) : word_group(rows, key->value[row], row);
}

/* The number of the group of a row with other keys; of one whose bytes lie where it does, these are taken there. */
static inline uint32
number_group(DpUnitsRows *rows, int row)
{
	const DpSourceColumn *key = &rows->source->column[rows->first_key];
	int			head = sizeof(bool);
	uint32		length;
	const char *bytes;

	if (rows->plan->nkeys != 1 || dp_units_source_is_null(key, row) || !is_plain(key->value[row], key->type))
	{
		form_key(rows, row);
		return find_group(rows, row, 0, rows->key.data, rows->key.len);
	}
	bytes = dp_units_bytes(key->value[row], key->type->attlen, &length);
	if (key->type->attlen == -1)
		head += sizeof(length);
	return find_group(rows, row, head, bytes, length);
}

/* The id of a row's group. */
static DpUnitId
identify_group(DpUnitsRows *rows, int row)
{
	form_key(rows, row);
	return dp_units_collect_identify(rows->collect, rows->key.data, rows->key.len);
}

/* Find the groups of rows from the first, numbers or ids; returns the row behind the last that has one now. */
static int
find_groups(DpUnitsRows *rows, int first, int end)
{
	if (!rows->collect->wide && rows->plan->nkeys == 0)
	{
		if (rows->collect->groups.count == 0)
			intern_key(rows, first);
		memset(rows->group + first, 0, (end - first) * sizeof(uint32));
		return end;
	}
	if (!rows->collect->wide && rows->word_key)
	{
		number_words(rows, first, end);
		return end;
	}
	for (int row = first; row < end; row++)
	{
		if (rows->collect->wide)
			rows->id[row] = identify_group(rows, row);
		else
			rows->group[row] = number_group(rows, row);
		let_go(rows);
		if (unlikely(rows->key.len > DP_SOURCE_HELD))
			return row + 1;
	}
	return end;
}

/*
 * The units of rows.
 */

/* Drop the rows of the batch that have no unit. */
static void
drop_without_unit(DpSource *source)
{
	int			kept = 0;

	if (!source->column[0].has_null)
		return;
	for (int row = 0; row < source->rows; row++)
	{
		if (source->column[0].isnull[row])
			continue;
		for (int i = 0; i < source->ncolumns; i++)
		{
			source->column[i].value[kept] = source->column[i].value[row];
			source->column[i].isnull[kept] = source->column[i].isnull[row];
		}
		kept++;
	}
	source->rows = kept;
	source->column[0].has_null = false;
}

static pg_attribute_always_inline void
identify_units_of(DpUnitsRows *rows, int first, int end, DpUnitForm form, int length)
{
	const Datum *value = rows->source->column[0].value;
	const DpSipKey *secret = &rows->collect->spec->secret.unit;

	for (int row = first; row < end; row++)
	{
		rows->unit[row] = dp_units_id(value[row], form, length, secret);
		if (form == DP_UNIT_DIGEST)
			let_go(rows);
	}
}

/* Tell by what the units of rows are known. */
static void
identify_units(DpUnitsRows *rows, int first, int end)
{
	int			length = rows->source->column[0].type->attlen;

	if (rows->unit_form == DP_UNIT_WORD)
		identify_units_of(rows, first, end, DP_UNIT_WORD, length);
	else
		identify_units_of(rows, first, end, rows->unit_form, length);
}

/*
 * The places of values.
 *
 * They are found for one aggregate after the other; those of a row stand side by side, so
 * that a row's are `stride` behind those of the row before.
 */

static pg_attribute_always_inline void
places_of(DpUnitsRows *rows, const DpUnitsValue *wanted, DpValueType type, int first, int end, int64 *place, int stride)
{
	const DpSourceColumn *column = &rows->source->column[wanted->number];
	DpGrid		grid = wanted->grid;

	for (int row = first; row < end; row++)
	{
		int64	   *to = place + (Size) row * stride;

		*to = DP_GRID_NONE;
		if (dp_units_source_is_null(column, row))
			continue;
		*to = dp_aggregate_quick_place(column->value[row], type, &grid);
		if (likely(*to != DP_GRID_NONE))
			continue;
		*to = dp_aggregate_any_place(column->value[row], type, grid.grid);
		let_go(rows);
	}
}

/* Find the places of rows' values; DP_GRID_NONE for NULL and NaN. */
static void
find_value_places(DpUnitsRows *rows, const DpUnitsValue *wanted, int first, int end, int64 *place, int stride)
{
#define PLACES_OF(type) case type: places_of(rows, wanted, type, first, end, place, stride); break
	switch (wanted->type)
	{
			PLACES_OF(DP_VALUE_SMALLINT);
			PLACES_OF(DP_VALUE_INTEGER);
			PLACES_OF(DP_VALUE_BIGINT);
			PLACES_OF(DP_VALUE_NUMERIC);
			PLACES_OF(DP_VALUE_REAL);
			PLACES_OF(DP_VALUE_DOUBLE);
	}
#undef PLACES_OF
}

/* Make places of x of pairs to places of pairs. */
static void
pair_places(DpUnitsRows *rows, const DpUnitsReader *reader, int first, int end, int64 *place, int stride)
{
	find_value_places(rows, &reader->y, first, end, rows->place_y, 1);
	for (int row = first; row < end; row++)
	{
		int64	   *x = place + (Size) row * stride;

		if (*x != DP_GRID_NONE)
			*x = rows->place_y[row] == DP_GRID_NONE ? DP_GRID_NONE
				: dp_aggregate_moments_pair(reader->pair, *x, rows->place_y[row]);
	}
}

/* Make places of values to cells. */
static void
cell_places(const DpUnitsReader *reader, int first, int end, int64 *place, int stride)
{
	for (int row = first; row < end; row++)
	{
		int64	   *x = place + (Size) row * stride;

		if (*x != DP_GRID_NONE)
			*x = dp_aggregate_cell_of(reader->cells, *x);
	}
}

/*
 * Word that tells a value, which is not NULL, from others.  It is a permutation of the
 * value's own word, or a hash of 64 bits of its digest of 128 bits.  Two of 2^32 values
 * share such a hash with a probability below one half, and then count as one.
 */
static int64
value_word(DpUnitsRows *rows, const DpUnitsReader *reader, Datum value)
{
	const DpUnitsSecret *secret = &rows->collect->spec->secret;
	DpUnitId	id = dp_units_id(value, reader->form, reader->length, &secret->unit);
	int64		word = (int64) dp_units_hash(secret, &id);

	let_go(rows);
	return word == DP_GRID_NONE ? DP_GRID_NONE + 1 : word;
}

/* Find what an aggregate takes that does not look at the place of a value: whether there is one, or which. */
static void
find_presence(DpUnitsRows *rows, const DpUnitsReader *reader, int first, int end, int64 *place, int stride)
{
	const DpSourceColumn *column = reader->value.number < 0 ? NULL : &rows->source->column[reader->value.number];

	for (int row = first; row < end; row++)
	{
		int64		word = 0;

		if (column && dp_units_source_is_null(column, row))
			word = DP_GRID_NONE;
		else if (reader->tells_apart)
			word = value_word(rows, reader, column->value[row]);
		place[(Size) row * stride] = word;
	}
}

/* Find the places of rows' values, or pairs of values, for all aggregates. */
static void
find_places(DpUnitsRows *rows, int first, int end)
{
	int			stride = rows->plan->ncolumns;

	for (int i = 0; i < stride; i++)
	{
		const DpUnitsReader *reader = &rows->reader[i];
		int64	   *place = rows->place + i;

		if (!reader->has_place)
		{
			find_presence(rows, reader, first, end, place, stride);
			continue;
		}
		find_value_places(rows, &reader->value, first, end, place, stride);
		if (reader->cells)
			cell_places(reader, first, end, place, stride);
		else if (reader->pair)
			pair_places(rows, reader, first, end, place, stride);
	}
}

/* The places of a row. */
static inline const int64 *
places_at(const DpUnitsRows *rows, int row)
{
	return rows->place + (Size) row * rows->plan->ncolumns;
}

/*
 * Putting rows where they belong.
 */

/* Collect rows that have units; returns the row behind the last of them. */
static int
put_rows(DpUnitsRows *rows, int first, int end)
{
	end = find_groups(rows, first, end);
	identify_units(rows, first, end);
	if (rows->plan->by_parts)
	{
		for (int row = first; row < end; row++)
		{
			put_parts(rows, row);
			let_go(rows);
		}
		return end;
	}
	find_places(rows, first, end);
	if (dp_units_collect_add_direct(rows->collect, rows->unit + first, places_at(rows, first), end - first))
		return end;
	for (int row = first; row < end; row++)
		if (rows->collect->wide)
			dp_units_collect_add_identified(rows->collect, &rows->unit[row], &rows->id[row], places_at(rows, row));
		else
			dp_units_collect_add(rows->collect, &rows->unit[row], rows->group[row], places_at(rows, row));
	return end;
}

/* Add a row, all its unit has, to totals. */
static inline void
add_single(const DpUnitsRows *rows, int row, __int128 *totals)
{
	const int64 *place = places_at(rows, row);

	totals[0]++;
	for (int i = 0; i < rows->plan->ncolumns; i++)
		if (place[i] != DP_GRID_NONE)
			dp_units_acc_add_single(&rows->collect->spec->measure[i], place[i], totals);
}

/* Add rows, each all that its unit has, to their groups' totals where there are too many groups for numbers. */
static void
put_singles_identified(DpUnitsRows *rows, int first, int end)
{
	DpCollect  *collect = rows->collect;
	const StringInfoData *key = &rows->key;

	for (int row = first; row < end; row++)
	{
		DpUnitId	group;

		form_key(rows, row);
		group = dp_units_group_id(&collect->spec->secret, key->data, key->len);
		memset(rows->single, 0, collect->spec->parts * sizeof(__int128));
		add_single(rows, row, rows->single);
		dp_units_contributions_put(&collect->contributions, &group,
								   dp_units_collect_key_place(collect, &group, key->data, key->len), rows->single);
		let_go(rows);
	}
}

/* Add rows, each all that its unit has, to their groups' totals; returns the row behind the last of them. */
static int
put_singles(DpUnitsRows *rows, int first, int end)
{
	if (!rows->collect->wide)
		end = find_groups(rows, first, end);
	find_places(rows, first, end);
	if (rows->collect->wide)
		put_singles_identified(rows, first, end);
	for (int row = first; row < end && !rows->collect->wide; row++)
		add_single(rows, row, dp_units_totals(&rows->collect->groups, rows->group[row]));
	return end;
}

/* Read the next batch; false at the end. */
static bool
read_batch(DpUnitsRows *rows)
{
	rows->next = 0;
	if (!dp_units_source_read(rows->source))
		return false;
	if (!rows->plan->rows_are_units)
		drop_without_unit(rows->source);
	return true;
}

bool
dp_units_read_rows(DpUnitsRows *rows)
{
	MemoryContext old = MemoryContextSwitchTo(rows->context);
	DpSource   *source = rows->source;
	bool		more = rows->next < source->rows || read_batch(rows);

	if (rows->next < source->rows)
		rows->next = rows->plan->rows_are_units ? put_singles(rows, rows->next, source->rows)
			: put_rows(rows, rows->next, source->rows);
	MemoryContextSwitchTo(old);
	return more;
}
