/*
 * parts.c
 *	  Reading rows that stand for several.
 *
 * Each becomes a record of rows added up (record.h).  Those that stand for rows of several
 * cells become as many records as there are, each with one cell of every quantile, the first
 * with all else.
 */
#include "postgres.h"

#include "aggregate/part.h"
#include "units/parts.h"

void
dp_parts_start(DpUnitsRows *rows)
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
	dp_acc_add_rows(measure, acc + measure->offset, countable(rows));
}

static void
add_sum(const DpUnitsMeasure *measure, uint8 *acc, const DpPart *part)
{
	int128		total = Min(part->total, DP_ACC_LARGE_LIMIT);

	if (part->rows > 0)
		dp_acc_add_large(acc + measure->offset, Max(total, -DP_ACC_LARGE_LIMIT));
}

/* Of more rows than are counted, so many that are like their average. */
static void
add_mean(const DpUnitsMeasure *measure, uint8 *acc, const DpPart *part)
{
	uint128		sum = (uint128) (part->total - (int128) part->rows * measure->lower);

	if (part->rows > INT32_MAX)
		sum = sum / (uint64) part->rows * INT32_MAX;
	dp_acc_add_mean(measure, acc + measure->offset, sum, countable(part->rows));
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
	if (column->value < 0 || dp_source_is_null(rows->source, column->value))
		return;
	value = dp_source_value(rows->source, column->value);
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
	dp_acc_store32(acc + sizeof(uint64), dp_cells_entry(cells, n, &weight));
	dp_acc_store64(acc, countable(weight));
}

/* The group that the row is in: a number, or an id where there are too many for numbers. */
static Size
read_group(DpUnitsRows *rows, DpUnitId *group)
{
	DpCollect  *collect = rows->collect;
	const StringInfoData *key = &rows->key.bytes;

	dp_row_key_form(&rows->key);
	if (collect->wide)
		*group = dp_collect_identify(collect, key->data, key->len);
	else
		dp_acc_store32((uint8 *) group, dp_units_intern(&collect->groups, key->data, key->len));
	return dp_record_group_size(collect->spec, collect->wide);
}

void
dp_parts_put(DpUnitsRows *rows)
{
	DpCollect  *collect = rows->collect;
	const DpUnitsSpec *spec = collect->spec;
	DpUnitId	unit;
	DpUnitId	group;
	Size		size;
	uint32		records = 1;

	if (dp_source_is_null(rows->source, 0))
		return;
	unit = dp_units_id(dp_source_value(rows->source, 0), rows->unit_form, rows->unit_length,
					   &spec->secret.unit);
	size = read_group(rows, &group);
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
		dp_collect_put_added(collect, collect->wide ? collect->identified : collect->numbered,
							 &unit, &group, size, rows->acc);
		memset(rows->acc, 0, spec->acc_size);
	}
}
