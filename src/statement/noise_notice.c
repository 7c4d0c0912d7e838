/* SPDX-License-Identifier: PostgreSQL */
/*
 * noise_notice.c
 *	  A notice where noise is most of an answer.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

#include "base/settings.h"
#include "draw/release_state.h"
#include "pricing/block.h"
#include "rewrite/shown_values.h"
#include "sidechannel/alone.h"
#include "statement/noise_notice.h"
#include "statement/released_rows.h"

/* Rows of a node that are looked at, and columns that the notice names. */
#define MOST_ROWS 1000
#define MOST_COLUMNS 5

/* Noise is most of a value from this share of it on, and would be fine at that. */
#define MOST_SHARE 0.5
#define FINE_SHARE 0.1

/* Values that are less than this share of their half width tell nothing of what epsilon they need. */
#define LEAST_VALUE 0.1

/* A column of a node. */
typedef struct Column
{
	const char *label;
	Oid			type;
	ExprState  *value;
	ExprState  *interval;
	double		epsilon;		/* that it was asked with */
	bool		clips;			/* would choosing its clamp help? */
	bool		cut;			/* does the upper end hold more than noise? */
	bool		grouped;
	int			rows;			/* that have a value */
	int			drowned;		/* in how many noise is most of it, */
	double	   *width;			/* half widths there, */
	double	   *size;			/* and values without sign */
} Column;

/* Rows of a node while they are gone through. */
typedef struct Look
{
	ExprContext *econtext;
	List	   *columns;		/* of Column */
	TypeCacheEntry *range;
} Look;

/* A value of one of the types that are compared. */
static double
number_of(Datum value, Oid type)
{
	switch (type)
	{
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		default:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
	}
}

/*
 * How far noise moves a value, as its interval tells: half of that, infinite if it has no end; or as far as the
 * lower end, where the upper one holds what a clamp cuts as well.
 */
static double
reach_of(const Look *look, const Column *column, double value, Datum range)
{
	RangeBound	low;
	RangeBound	high;
	bool		empty;

	range_deserialize(look->range, DatumGetRangeTypeP(range), &low, &high, &empty);
	if (empty)
		return 0;
	if (low.infinite || (high.infinite && !column->cut))
		return INFINITY;
	if (column->cut)
		return value - number_of(low.val, NUMERICOID);
	return (number_of(high.val, NUMERICOID) - number_of(low.val, NUMERICOID)) / 2;
}

/* Compare what a row has in a column. */
static void
look_at_column(const Look *look, Column *column)
{
	bool		no_value;
	bool		no_interval;
	Datum		value = ExecEvalExpr(column->value, look->econtext, &no_value);
	Datum		interval = no_value ? (Datum) 0 : ExecEvalExpr(column->interval, look->econtext, &no_interval);
	double		number;
	double		width;
	double		size;

	if (no_value || no_interval)
		return;
	number = number_of(value, column->type);
	size = fabs(number);
	width = reach_of(look, column, number, interval);
	column->rows++;
	if (width <= MOST_SHARE * size)
		return;
	column->width[column->drowned] = width;
	column->size[column->drowned] = size;
	column->drowned++;
}

/* Compare a row. */
static void
look_at_row(TupleTableSlot *slot, void *arg)
{
	Look	   *look = arg;
	MemoryContext old;
	ListCell   *lc;

	ResetExprContext(look->econtext);
	look->econtext->ecxt_scantuple = slot;
	old = MemoryContextSwitchTo(look->econtext->ecxt_per_tuple_memory);
	foreach(lc, look->columns)
		look_at_column(look, lfirst(lc));
	MemoryContextSwitchTo(old);
}

/* What a node shows. */
static Column *
make_column(const DpReleaseState *state, const List *shown)
{
	Column	   *column = palloc0(sizeof(Column));
	const DpBlock *block = state->block;

	column->label = strVal(list_nth(shown, DP_SHOWN_LABEL));
	column->type = exprType(list_nth(shown, DP_SHOWN_VALUE));
	column->value = ExecInitExpr(list_nth(shown, DP_SHOWN_VALUE), NULL);
	column->interval = ExecInitExpr(list_nth(shown, DP_SHOWN_INTERVAL), NULL);
	column->epsilon = block->release[intVal(list_nth(shown, DP_SHOWN_RELEASE))].epsilon;
	column->clips = intVal(list_nth(shown, DP_SHOWN_CLIPS)) != 0;
	column->cut = intVal(list_nth(shown, DP_SHOWN_CUT)) != 0;
	column->grouped = block->nkeys > 0;
	column->width = palloc(MOST_ROWS * sizeof(double));
	column->size = palloc(MOST_ROWS * sizeof(double));
	return column;
}

/* Append the columns of a node in which noise is most of some value. */
static List *
add_drowned(List *drowned, DpReleaseState *state)
{
	Look		look = {.range = lookup_type_cache(NUMRANGEOID, TYPECACHE_RANGE_INFO)};
	ListCell   *lc;

	look.econtext = CreateStandaloneExprContext();
	foreach(lc, state->shown)
		look.columns = lappend(look.columns, make_column(state, lfirst_node(List, lc)));
	dp_statement_read_released(state, MOST_ROWS, look_at_row, &look);
	FreeExprContext(look.econtext, true);
	foreach(lc, look.columns)
		if (((Column *) lfirst(lc))->drowned > 0)
			drowned = lappend(drowned, lfirst(lc));
	return drowned;
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The middle of so many numbers, which are put in order. */
static double
median(double *numbers, int count)
{
	qsort(numbers, count, sizeof(double), compare_doubles);
	return numbers[count / 2];
}

/* What the notice says of all columns. */
typedef struct Advice
{
	StringInfoData where;		/* columns and rows */
	StringInfoData detail;
	StringInfoData epsilon;		/* what each would need */
	bool		clips;
	bool		grouped;
} Advice;

/* A number with three digits, in figures as far as people read them. */
static char *
number_text(double number)
{
	double		step = number > 0 && isfinite(number) ? pow(10, floor(log10(number)) - 2) : 1;

	return psprintf("%.15g", rint(number / step) * step);
}

/* Say of a column where noise is most of it, and how much it is. */
static void
describe_column(Advice *advice, Column *column, bool first)
{
	double		width = median(column->width, column->drowned);
	double		size = median(column->size, column->drowned);

	appendStringInfo(&advice->where, "%s%s", first ? "" : ", ", column->label);
	if (column->rows > 1)
		appendStringInfo(&advice->where, " in %d of %d rows", column->drowned, column->rows);
	appendStringInfo(&advice->detail, "%s%s is off by %s, 95 times in 100, beside %s %s.", first ? "" : " ", column->label,
					 isfinite(width) ? psprintf("%s or less", number_text(width)) : "nobody knows how much", column->drowned > 1 ? "a median of" : "a value of", number_text(size));
	if (isfinite(width) && size > LEAST_VALUE * width)
		appendStringInfo(&advice->epsilon, "%s%.2g for %s", advice->epsilon.len > 0 ? ", " : "",
						 column->epsilon * width / size / FINE_SHARE, column->label);
	advice->clips |= column->clips;
	advice->grouped |= column->grouped;
}

/* What would help, as a sentence. */
static char *
hint_of(const Advice *advice)
{
	StringInfoData hint;

	initStringInfo(&hint);
	if (advice->clips)
		appendStringInfoString(&hint, "SET dp_agg.clipping = auto for less noise where most people have few rows. ");
	if (advice->grouped)
		appendStringInfoString(&hint, "Ask for fewer, larger groups. ");
	if (advice->epsilon.len > 0)
		appendStringInfo(&hint, "Noise of a tenth takes an epsilon of about %s.", advice->epsilon.data);
	else
		appendStringInfoString(&hint, "More epsilon makes less noise.");
	return hint.data;
}

/* Say it of all columns together. */
static void
tell_of_columns(List *columns)
{
	Advice		advice = {0};
	ListCell   *lc;

	initStringInfo(&advice.where);
	initStringInfo(&advice.detail);
	initStringInfo(&advice.epsilon);
	foreach(lc, columns)
	{
		if (foreach_current_index(lc) == MOST_COLUMNS)
			break;
		describe_column(&advice, lfirst(lc), foreach_current_index(lc) == 0);
	}
	if (list_length(columns) > MOST_COLUMNS)
		appendStringInfo(&advice.where, ", and in %d others", list_length(columns) - MOST_COLUMNS);
	ereport(NOTICE,
			(errmsg("noise is most of %s", advice.where.data),
			 errdetail("%s", advice.detail.data),
			 errhint("%s", hint_of(&advice))));
}

/* See dp_statement_tell_of_drowned. */
static void
tell_of_drowned(void *arg)
{
	List	   *drowned = NIL;
	ListCell   *lc;

	foreach(lc, (List *) arg)
	{
		DpReleaseState *state = lfirst(lc);

		if (state->shown != NIL && state->source == NULL && state->twin == NULL && state->added == 0)
			drowned = add_drowned(drowned, state);
	}
	if (drowned != NIL)
		tell_of_columns(drowned);
}

void
dp_statement_tell_of_drowned(List *nodes)
{
	MemoryContext work;
	MemoryContext old;

	if (!dp_settings_noise_notice)
		return;
	work = AllocSetContextCreate(CurrentMemoryContext, "dp_agg noise notice", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(work);
	dp_sidechannel_run_alone(tell_of_drowned, nodes);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}
