/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthesize.c
 *	  dp_synthesize as the block it stands for.
 *
 *		FROM dp_synthesize(relation, columns, rows, epsilon, filter) AS s (name type, ...)
 *
 * becomes a subquery
 *
 *		SELECT value of the first column, ...
 *		  FROM (SELECT dp_agg_internal.pair_tables(ARRAY[cell of the first column, ...], epsilon) AS row
 *		          FROM relation WHERE filter)
 *
 * whose block releases synthetic rows in place of the tables (DP_FORM_SYNTHESIS), each as
 * the cells it is in.  Values are made of these in the outer query.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "asking/call_text.h"
#include "asking/columns.h"
#include "asking/synthesize.h"
#include "asking/synthetic_values.h"
#include "models/synthesis_tables.h"
#include "policy/domain.h"
#include "pricing/value_range.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

/*
 * The aggregate that synthetic rows are made of: pair_tables(cells int4[], epsilon).
 *
 * Each cell is a key as of a histogram: a bucket of a number, or a place among keys.  So which of
 * them there are is public, and what is computed of a row is what a histogram computes.
 */

/* Bins of bounds that do not say how many. */
#define DEFAULT_BINS 20

/* Digits of numerics behind the point, beyond those that tell bins apart. */
#define MORE_DIGITS 1
#define MOST_DIGITS 15

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/* A column's type modifier; -1 of a domain type, whose base the column is taken for. */
static int32
typmod_of(const DpCall *call, const DpColumn *column)
{
	Oid			type;
	Oid			collation;
	int32		typmod;

	get_atttypetypmodcoll(call->relid, column->attno, &type, &typmod, &collation);
	return type == column->type ? typmod : -1;
}

/* Are there buckets of this type? */
static bool
has_buckets(Oid type)
{
	return is_integer(type) || type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID ||
		type == DATEOID || dp_pricing_is_timestamp(type);
}

/* The greatest number, in size, that a type holds, at this scale of digits before the point. */
static double
most_of(Oid type, int32 typmod)
{
	switch (type)
	{
		case INT2OID:
			return PG_INT16_MAX;
		case INT4OID:
			return PG_INT32_MAX;
		case INT8OID:
			return 0x1p62;
		case FLOAT4OID:
			return FLT_MAX;
		case NUMERICOID:
			/* As numeric.c packs precision and scale; the last digit may be rounded up. */
			if (typmod >= (int32) VARHDRSZ)
			{
				int			precision = ((typmod - VARHDRSZ) >> 16) & 0xffff;
				int			scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;

				return pow(10, precision - scale) - pow(10, -scale);
			}
			return DBL_MAX;
		default:
			return DBL_MAX;
	}
}

/* Settle the bins of a column with bounds, which its type has values between. */
static DpReason *
settle_bins(const DpCall *call, DpColumn *column)
{
	double		most = most_of(column->type, typmod_of(call, column));
	double		width = column->upper - column->lower;

	if (!has_buckets(column->type))
		return dp_tree_reason(-1, "Write keys.", "bounds of column \"%s\" of type %s are not allowed for synthetic rows",
							  column->name, format_type_be(column->type));
	if (fabs(column->lower) > most || fabs(column->upper) > most)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "bounds of column \"%s\" are outside the range of its type", column->name);
	if (column->bins == 0)
		column->bins = is_integer(column->type) || column->type == DATEOID ?
			(int) Min(DEFAULT_BINS, floor(width) + 1) : DEFAULT_BINS;
	return NULL;
}

/* Both booleans as keys. */
static void
settle_boolean(DpColumn *column)
{
	Datum		both[] = {BoolGetDatum(false), BoolGetDatum(true)};

	column->nkeys = lengthof(both);
	column->keys = makeConst(BOOLARRAYOID, -1, InvalidOid, -1,
							 PointerGetDatum(construct_array(both, lengthof(both), BOOLOID, 1, true, TYPALIGN_CHAR)),
							 false, false);
}

/* Settle the cells of all columns: what they are, and how many. */
static DpReason *
settle_cells(const DpCall *call, DpColumns *columns, DpSyntheticColumns *synthetic)
{
	if (columns->count < 2 || columns->count > DP_SYNTHESIS_MOST_COLUMNS)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "columns of synthetic rows must be 2 to %d", DP_SYNTHESIS_MOST_COLUMNS);
	synthetic->shape.columns = columns->count;
	for (int i = 0; i < columns->count; i++)
	{
		DpColumn   *column = &columns->column[i];
		DpReason   *reason = column->kind == DP_COLUMN_NUMBER ? settle_bins(call, column) : NULL;

		if (reason)
			return reason;
		if (column->kind == DP_COLUMN_BOOLEAN)
			settle_boolean(column);
		if (column->kind == DP_COLUMN_NUMBER)
			synthetic->numbers |= (uint32) 1 << i;
		synthetic->shape.cells[i] = (column->kind == DP_COLUMN_NUMBER ? column->bins : column->nkeys) + 1;
		if (synthetic->shape.cells[i] > DP_SYNTHESIS_MOST_CELLS)
			return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Write fewer bins or keys.",
									 "column \"%s\" has more than %d cells",
									 column->name, DP_SYNTHESIS_MOST_CELLS - 1);
	}
	if (dp_models_synthesis_table_cells(&synthetic->shape) == 0)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Write fewer columns, or fewer bins or keys of them.",
								 "tables of all pairs of columns have more than %d cells", DP_SYNTHESIS_MOST_TABLES);
	return NULL;
}

/* A bound as a constant of the type that buckets of the column have. */
static const char *
bound_text(DpCall *call, const DpColumn *column, double bound)
{
	if (column->type == DATEOID)
		return dp_asking_call_constant(call, makeConst(DATEOID, -1, InvalidOid, sizeof(DateADT),
													   DateADTGetDatum((DateADT) bound), false, true));
	if (dp_pricing_is_timestamp(column->type))
		return dp_asking_call_constant(call, makeConst(column->type, -1, InvalidOid, sizeof(Timestamp),
													   TimestampGetDatum((Timestamp) bound), false, FLOAT8PASSBYVAL));
	return dp_asking_call_constant(call, dp_tree_make_float8(bound));
}

/* Bounds and bins as arguments. */
static const char *
bins_text(DpCall *call, const DpColumn *column)
{
	const char *lower = bound_text(call, column, column->lower);

	return psprintf("%s, %s, %d", lower, bound_text(call, column, column->upper), column->bins);
}

/* The number of a row's cell in a column. */
static const char *
cell_text(DpCall *call, const DpColumn *column)
{
	if (column->kind == DP_COLUMN_NUMBER)
		return psprintf("dp_agg.bucket(%s, %s)", column->text, bins_text(call, column));
	return psprintf("dp_agg.place(%s, %s)", column->text, dp_asking_call_constant(call, column->keys));
}

/* How many digits behind the point a numeric has: as many as tell bins apart, and one more. */
static int
digits_of(const DpColumn *column)
{
	double		width = (column->upper - column->lower) / column->bins;

	return (int) Max(0, Min(MOST_DIGITS, MORE_DIGITS - floor(log10(width))));
}

/* The value of a column in a synthetic row, of its own type. */
static const char *
value_text(DpCall *call, const DpColumn *column, int place)
{
	const char *value;

	if (column->kind != DP_COLUMN_NUMBER)
		return psprintf("(%s)[dp_agg_internal.synthetic_cell(b.\"row\", %d)]",
						dp_asking_call_constant(call, column->keys), place);
	if (column->type == DATEOID || dp_pricing_is_timestamp(column->type))
		return psprintf("dp_agg_internal.synthetic_value(b.\"row\", %d, %s)", place, bins_text(call, column));
	value = psprintf("dp_agg_internal.synthetic_value(b.\"row\", %d, %s, %s)", place, bins_text(call, column),
					 is_integer(column->type) ? "true" : "false");
	if (column->type == NUMERICOID)
		return psprintf("pg_catalog.round((%s)::pg_catalog.numeric, %d)", value, digits_of(column));
	return value;
}

/* Columns that the list behind AS must have. */
static const char *
list_of(const DpCall *call, const DpColumns *columns)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < columns->count; i++)
		appendStringInfo(&list, "%s%s %s", i > 0 ? ", " : "", quote_identifier(columns->column[i].name),
						 format_type_with_typemod(columns->column[i].type,
												  typmod_of(call, &columns->column[i])));
	return list.data;
}

/* Is the i-th entry of the list of columns the i-th column? */
static bool
is_column(const DpCall *call, const DpColumn *column, int i)
{
	int32		typmod = list_nth_int(call->item->funccoltypmods, i);

	return list_nth_oid(call->item->funccoltypes, i) == column->type &&
		strcmp(strVal(list_nth(call->item->funccolnames, i)), column->name) == 0 &&
		(typmod == -1 || typmod == typmod_of(call, column));
}

/* The list of columns says what the columns are. */
static DpReason *
check_list(const DpCall *call, const DpColumns *columns)
{
	bool		same = list_length(call->item->funccolnames) == columns->count;

	for (int i = 0; same && i < columns->count; i++)
		same = is_column(call, &columns->column[i], i);
	if (same)
		return NULL;
	return dp_tree_reason_as(ERRCODE_DATATYPE_MISMATCH, -1, psprintf("Write AS (%s).", list_of(call, columns)),
							 "the list of columns behind AS is not that of the columns of %s", call->name);
}

/* A collation by its whole name. */
static const char *
collation_text(Oid collation)
{
	HeapTuple	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	Form_pg_collation form;
	const char *name;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	form = (Form_pg_collation) GETSTRUCT(tuple);
	name = quote_qualified_identifier(get_namespace_name(form->collnamespace), NameStr(form->collname));
	ReleaseSysCache(tuple);
	return name;
}

/* A value as the list of columns has it. */
static const char *
cast_text(const DpCall *call, const char *value, int i)
{
	Oid			collation = list_nth_oid(call->item->funccolcollations, i);
	const char *type = format_type_extended(list_nth_oid(call->item->funccoltypes, i),
											list_nth_int(call->item->funccoltypmods, i),
											FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);

	value = psprintf("(%s)::%s", value, type);
	if (!OidIsValid(collation))
		return value;
	return psprintf("%s COLLATE %s", value, collation_text(collation));
}

/* How many rows are asked for; 0: as many as there are. */
static DpReason *
read_rows(DpCall *call)
{
	const Const *rows = call->value[2];
	int64		n = rows->constisnull ? 0 : DatumGetInt64(rows->constvalue);

	if (!rows->constisnull && (n < 1 || n > DP_SYNTHESIS_MOST_ROWS))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "rows must be between 1 and %d", DP_SYNTHESIS_MOST_ROWS);
	call->formed.size = (int) n;
	return NULL;
}

/* The query, once all is settled. */
static char *
query_text(DpCall *call, const DpColumns *columns, const DpSyntheticColumns *synthetic)
{
	StringInfoData values;
	StringInfoData cells;

	initStringInfo(&values);
	initStringInfo(&cells);
	for (int i = 0; i < columns->count; i++)
	{
		const DpColumn *column = &columns->column[i];
		int			place = dp_asking_synthetic_place(synthetic, i);

		appendStringInfo(&values, "%s%s", i > 0 ? ", " : "", cast_text(call, value_text(call, column, place), i));
		appendStringInfo(&cells, "%s%s", i > 0 ? ", " : "", cell_text(call, column));
	}
	return psprintf("SELECT %s FROM (SELECT dp_agg_internal.pair_tables(ARRAY[%s], %s) AS \"row\" %s) b",
					values.data, cells.data, call->epsilon, dp_asking_call_from(call));
}

DpReason *
dp_asking_write_synthesize(DpCall *call, char **text)
{
	DpSyntheticColumns synthetic = {.numbers = 0};
	DpColumns  *columns;
	DpReason   *reason = dp_asking_read_columns(call, call->value[1], NULL, &columns);

	if (reason == NULL)
		reason = read_rows(call);
	if (reason == NULL)
		reason = settle_cells(call, columns, &synthetic);
	if (reason == NULL)
		reason = check_list(call, columns);
	if (reason)
		return reason;
	*text = query_text(call, columns, &synthetic);
	call->formed.form = DP_FORM_SYNTHESIS;
	snprintf(call->formed.label, DP_LABEL_SIZE, "%s(%s, %d columns)", call->name, call->alias, columns->count);
	return NULL;
}
