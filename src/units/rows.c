/*
 * rows.c
 *	  Reading rows into the table.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"

#include "units/rows.h"

DpUnitForm
dp_units_form(Form_pg_attribute attribute)
{
	if (attribute->attbyval)
		return DP_UNIT_WORD;
	return attribute->attlen == 2 * sizeof(uint64) ? DP_UNIT_TWO_WORDS : DP_UNIT_DIGEST;
}

/* Are all places of this type's values on this grid within 32 bits? */
static bool
places_are_small(Oid type, int grid)
{
	return (type == INT2OID || type == INT4OID) && grid >= 0;
}

DpUnitsMeasure *
dp_units_measures(const DpUnitsPlan *plan, TupleDesc desc, List *columns)
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
		measure->small = desc != NULL && column->kind == DP_UNITS_SUM &&
			places_are_small(TupleDescAttr(desc, list_nth_int(columns, column->value))->atttypid,
							 column->grid);
	}
	return measures;
}

/* Does this kind of measure look at its value, not only at whether there is one? */
static bool
has_place(int kind)
{
	return kind == DP_UNITS_SUM || kind == DP_UNITS_MEAN || kind == DP_UNITS_MOMENTS;
}

/* The type of a column, by its number: unit, keys, values. */
static Form_pg_attribute
column_type(const DpUnitsRows *rows, int number)
{
	return TupleDescAttr(rows->desc, rows->source->at[number]);
}

DpUnitsRows *
dp_units_start_rows(const DpUnitsPlan *plan, PlanState *child, List *columns,
					const DpSipKey *secret, MemoryContext context)
{
	DpUnitsRows *rows = palloc0(sizeof(DpUnitsRows));

	rows->plan = plan;
	rows->desc = ExecGetResultType(child);
	rows->source = dp_source_start(child, columns);
	rows->unit_form = dp_units_form(column_type(rows, 0));
	rows->secret = *secret;
	rows->context = context;
	rows->word_key = plan->nkeys == 1 && column_type(rows, 1)->attbyval;
	rows->type = palloc0((plan->ncolumns + 1) * sizeof(DpValueType));
	rows->grid = palloc0((plan->ncolumns + 1) * sizeof(DpGrid));
	for (int i = 0; i < plan->ncolumns; i++)
	{
		const DpUnitsColumn *column = &plan->column[i];

		if (!has_place(column->kind))
			continue;
		rows->type[i] = dp_aggregate_value_type(column_type(rows, column->value)->atttypid);
		rows->grid[i] = dp_grid_init(column->grid);
	}
	initStringInfo(&rows->key);
	dp_units_forget_groups(rows);
	return rows;
}

void
dp_units_forget_groups(DpUnitsRows *rows)
{
	memset(rows->cached_group, 0xFF, sizeof(rows->cached_group));
}

/* The bytes a value by reference consists of. */
static const char *
value_bytes(Datum value, Form_pg_attribute attribute, uint32 *length)
{
	struct varlena *bytes;

	if (attribute->attlen > 0)
	{
		*length = attribute->attlen;
		return DatumGetPointer(value);
	}
	if (attribute->attlen != -1)
		elog(ERROR, "unexpected type %u of a unit or key", attribute->atttypid);
	bytes = PG_DETOAST_DATUM_PACKED(value);
	*length = VARSIZE_ANY_EXHDR(bytes);
	return VARDATA_ANY(bytes);
}

static inline DpUnitId
read_unit(const DpUnitsRows *rows, Datum value)
{
	DpUnitId	id = {{0, 0}};
	uint32		length;
	const char *bytes;

	switch (rows->unit_form)
	{
		case DP_UNIT_WORD:
			id.word[0] = (uint64) value;
			break;
		case DP_UNIT_TWO_WORDS:
			memcpy(id.word, DatumGetPointer(value), sizeof(id.word));
			break;
		case DP_UNIT_DIGEST:
			bytes = value_bytes(value, column_type(rows, 0), &length);
			dp_sip128(&rows->secret, bytes, length, id.word);
			break;
	}
	return id;
}

/*
 * A key as bytes: per column a zero if it is NULL, else a one and the value, if
 * of variable length behind its length.
 */
static uint32
intern_key(DpUnitsRows *rows, DpUnits *units)
{
	StringInfo	key = &rows->key;

	resetStringInfo(key);
	for (int i = 0; i < rows->plan->nkeys; i++)
	{
		Form_pg_attribute attribute = column_type(rows, 1 + i);
		const char *bytes;
		uint32		length;
		Datum		value = rows->source->value[1 + i];
		bool		null = rows->source->isnull[1 + i];

		appendStringInfoCharMacro(key, null ? 0 : 1);
		if (null)
			continue;
		if (attribute->attbyval)
		{
			appendBinaryStringInfo(key, (const char *) &value, sizeof(Datum));
			continue;
		}
		bytes = value_bytes(value, attribute, &length);
		if (attribute->attlen == -1)
			appendBinaryStringInfo(key, (const char *) &length, sizeof(length));
		appendBinaryStringInfo(key, bytes, length);
	}
	return dp_units_intern(dp_units_groups(units), key->data, key->len);
}

/* The number of the row's group. */
static inline uint32
read_group(DpUnitsRows *rows, DpUnits *units)
{
	Datum		key;
	uint32		place;

	if (!rows->word_key || rows->source->isnull[1])
		return intern_key(rows, units);
	key = rows->source->value[1];
	place = (uint32) ((uint64) key * UINT64CONST(0x9E3779B97F4A7C15) >> 56);
	if (unlikely(rows->cached_key[place] != key || rows->cached_group[place] == DP_NO_GROUP))
	{
		rows->cached_group[place] = intern_key(rows, units);
		rows->cached_key[place] = key;
	}
	return rows->cached_group[place];
}

static inline int64
read_place(const DpUnitsRows *rows, int i, Datum value, bool isnull)
{
	int64		place;

	if (isnull)
		return DP_GRID_NONE;
	if (!has_place(rows->plan->column[i].kind))
		return 0;
	place = dp_aggregate_quick_place(value, rows->type[i], &rows->grid[i]);
	if (unlikely(place == DP_GRID_NONE))
		place = dp_aggregate_any_place(value, rows->type[i], rows->grid[i].grid);
	return place;
}

/* Put the source's row into the table. */
static inline void
put_row(DpUnitsRows *rows, DpUnits *units)
{
	const DpSource *source = rows->source;
	DpUnitId	id;
	uint32		group;
	int64	   *places;

	id = read_unit(rows, source->value[0]);
	group = rows->plan->nkeys == 0 && dp_units_groups(units)->count > 0 ? 0
		: read_group(rows, units);
	places = dp_units_add(units, &id, group);
	for (int i = 0; i < rows->plan->ncolumns; i++)
	{
		int			value = rows->plan->column[i].value;

		places[i] = value < 0 ? 0 : read_place(rows, i, source->value[value], source->isnull[value]);
	}
}

bool
dp_units_read_row(DpUnitsRows *rows, DpUnits *units)
{
	MemoryContext old;

	if (!dp_source_next(rows->source))
		return false;
	if (unlikely(rows->source->isnull[0]))
		return true;
	old = MemoryContextSwitchTo(rows->context);
	put_row(rows, units);
	MemoryContextSwitchTo(old);
	return true;
}

void
dp_units_read_key(const DpUnitsRows *rows, const DpUnitsGroup *group, Datum *values, bool *isnull)
{
	const uint8_t *bytes = group->key;

	for (int i = 0; i < rows->plan->nkeys; i++)
	{
		Form_pg_attribute attribute = column_type(rows, 1 + i);
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
