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
#include "rewrite/noted_columns.h"
#include "rewrite/shown_values.h"
#include "rewrite/term_interval.h"
#include "sidechannel/alone.h"
#include "statement/noise_notice.h"
#include "statement/released_rows.h"
#include "statement/revalidate.h"
#include "statement/running_openings.h"

PG_FUNCTION_INFO_V1(dp_statement_is_noted);
PG_FUNCTION_INFO_V1(dp_statement_noted);

/* Rows of a node or column that are looked at, and columns that the notice names. */
#define MOST_ROWS 1000
#define MOST_COLUMNS 5

/* A noted column is looked at no more when its terms have taken so many steps, for a tenth of a second at most. */
#define MOST_WORK 200000

/* Noise is most of a value from this share of it on, and would be fine at that. */
#define MOST_SHARE 0.5
#define FINE_SHARE 0.1

/* Values that are less than this share of their half width tell nothing of what epsilon they need. */
#define LEAST_VALUE 0.1

/* A column of a node, or one that the statement shows. */
typedef struct Column
{
	const char *label;
	int			number;			/* of one that is noted */
	Oid			type;			/* InvalidOid of one that is noted */
	ExprState  *value;			/* NULL of one that is noted */
	ExprState  *interval;
	DpTermCache *cache;			/* of one that is noted */
	double		epsilon;		/* that it was asked with; 0: with several, -1: not known yet */
	bool		clips;			/* would choosing its clamp help? */
	bool		cut;			/* does the upper end hold more than noise? */
	bool		grouped;
	double		tail;			/* of a quantile: part of its rows that it is compared with; else
								 * 0 */
	int			rows;			/* that have a value */
	int			drowned;		/* in how many noise is most of it, */
	double	   *width;			/* half widths there, */
	double	   *size;			/* and values without sign */
} Column;

/* What is to be said of a statement when rows of it were shown, in the memory of its executor. */
typedef struct DpNoiseNotice
{
	List	   *drowned;		/* of Column: those of nodes, */
	List	   *noted;			/* and those that are noted */
	bool		told;
} DpNoiseNotice;

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
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
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

/* Count a row in which a column has this size, and noise of this width.  What is no number is compared with nothing. */
static void
compare(Column *column, double width, double size)
{
	if (isnan(width) || isnan(size))
		return;
	column->rows++;
	if (width <= MOST_SHARE * size)
		return;
	column->width[column->drowned] = width;
	column->size[column->drowned] = size;
	column->drowned++;
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

	if (no_value || no_interval)
		return;
	number = number_of(value, column->type);
	compare(column, reach_of(look, column, number, interval), column->tail > 0 ? Max(number, 0) * column->tail : fabs(number));
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

/* A column, of as many rows as are looked at. */
static Column *
new_column(void)
{
	Column	   *column = palloc0(sizeof(Column));

	column->width = palloc(MOST_ROWS * sizeof(double));
	column->size = palloc(MOST_ROWS * sizeof(double));
	return column;
}

/* What a node shows. */
static Column *
make_column(const DpReleaseState *state, const List *shown)
{
	Column	   *column = new_column();
	const DpBlock *block = state->block;

	column->label = strVal(list_nth(shown, DP_SHOWN_LABEL));
	column->type = exprType(list_nth(shown, DP_SHOWN_VALUE));
	column->value = ExecInitExpr(list_nth(shown, DP_SHOWN_VALUE), NULL);
	column->interval = ExecInitExpr(list_nth(shown, DP_SHOWN_INTERVAL), NULL);
	column->epsilon = block->release[intVal(list_nth(shown, DP_SHOWN_RELEASE))].epsilon;
	column->clips = intVal(list_nth(shown, DP_SHOWN_CLIPS)) != 0;
	column->cut = intVal(list_nth(shown, DP_SHOWN_CUT)) != 0;
	column->grouped = block->nkeys > 0;
	column->tail = floatVal(list_nth(shown, DP_SHOWN_TAIL));
	return column;
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

/* What is said of a column, in memory that lasts: the middle of widths and sizes alone. */
static Column *
summary(Column *column, MemoryContext lasting)
{
	Column	   *kept = MemoryContextAllocZero(lasting, sizeof(Column) + 2 * sizeof(double));

	*kept = *column;
	kept->label = MemoryContextStrdup(lasting, column->label);
	kept->width = (double *) (kept + 1);
	kept->size = kept->width + 1;
	kept->width[0] = median(column->width, column->drowned);
	kept->size[0] = median(column->size, column->drowned);
	return kept;
}

/* Append the columns of a node in which noise is most of some value, in memory that lasts. */
static List *
add_drowned(List *drowned, DpReleaseState *state, MemoryContext lasting)
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
		{
			MemoryContext old = MemoryContextSwitchTo(lasting);

			drowned = lappend(drowned, summary(lfirst(lc), lasting));
			MemoryContextSwitchTo(old);
		}
	return drowned;
}

/* What the notice says of all columns. */
typedef struct Advice
{
	StringInfoData where;		/* columns and rows */
	StringInfoData detail;
	StringInfoData epsilon;		/* what each would need, */
	StringInfoData more;		/* or how much more of several */
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

/* What a column is compared with: its value, or of a quantile the number of rows. */
static char *
beside_text(const Column *column, double size)
{
	if (column->tail > 0)
		return psprintf("%s%s rows", column->drowned > 1 ? "a median of " : "", number_text(rint(size / column->tail)));
	return psprintf("%s %s", column->drowned > 1 ? "a median of" : "a value of", number_text(size));
}

/* How far off it is. */
static char *
off_text(const Column *column, double width)
{
	if (!isfinite(width))
		return "may be anything";
	return psprintf("is off by %s%s or less, 95 times in 100", number_text(width), column->tail > 0 ? " ranks" : "");
}

/* What the notice calls the column at a place of the list: parts of a UNION may ask the same. */
static const char *
name_in(const List *columns, int place)
{
	const char *label = ((const Column *) list_nth(columns, place))->label;

	for (int i = 0; i < place; i++)
		if (strcmp(((const Column *) list_nth(columns, i))->label, label) == 0)
			return psprintf("another %s", label);
	return label;
}

/* Say of a column, called so, where noise is most of it, and how much it is. */
static void
describe_column(Advice *advice, Column *column, const char *label, bool first)
{
	double		width = column->width[0];
	double		size = column->size[0];

	appendStringInfo(&advice->where, "%s%s", first ? "" : ", ", label);
	if (column->rows > 1)
		appendStringInfo(&advice->where, " in %d of %d rows", column->drowned, column->rows);
	appendStringInfo(&advice->detail, "%s%s %s, beside %s.", first ? "" : " ", label,
					 off_text(column, width), beside_text(column, size));
	if (isfinite(width) && size > LEAST_VALUE * width && column->epsilon > 0)
		appendStringInfo(&advice->epsilon, "%s%.2g for %s", advice->epsilon.len > 0 ? ", " : "",
						 column->epsilon * width / size / FINE_SHARE, label);
	else if (isfinite(width) && size > LEAST_VALUE * width)
		appendStringInfo(&advice->more, "%s%.2g times as much for %s", advice->more.len > 0 ? ", " : "", width / size / FINE_SHARE, label);
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
	if (advice->more.len > 0)
		appendStringInfo(&hint, "%sNoise of a tenth takes %s, of each epsilon.", advice->epsilon.len > 0 ? " " : "", advice->more.data);
	if (advice->epsilon.len == 0 && advice->more.len == 0)
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
	initStringInfo(&advice.more);
	foreach(lc, columns)
	{
		if (foreach_current_index(lc) == MOST_COLUMNS)
			break;
		describe_column(&advice, lfirst(lc), name_in(columns, foreach_current_index(lc)), foreach_current_index(lc) == 0);
	}
	if (list_length(columns) > MOST_COLUMNS)
		appendStringInfo(&advice.where, ", and in %d others", list_length(columns) - MOST_COLUMNS);
	ereport(NOTICE,
			(errmsg("noise is most of %s", advice.where.data),
			 errdetail("%s", advice.detail.data),
			 errhint("%s", hint_of(&advice))));
}

/* What is to be said of a statement. */
static DpNoiseNotice *
notice_of(DpOpening *opening)
{
	if (opening->noise == NULL)
		opening->noise = MemoryContextAllocZero(opening->estate->es_query_cxt, sizeof(DpNoiseNotice));
	return opening->noise;
}

/* Is the notice wanted, by the setting and by whoever would get it? */
static bool
is_wanted(void)
{
	return dp_settings_noise_notice && message_level_is_interesting(NOTICE);
}

/* See dp_statement_look_for_drowned. */
static void
look_for_drowned(void *arg)
{
	DpOpening  *opening = arg;
	ListCell   *lc;

	foreach(lc, opening->nodes)
	{
		DpReleaseState *state = lfirst(lc);

		if (state->shown != NIL && state->source == NULL && state->twin == NULL && state->added == 0)
			notice_of(opening)->drowned = add_drowned(notice_of(opening)->drowned, state, opening->estate->es_query_cxt);
	}
}

void
dp_statement_look_for_drowned(DpOpening *opening)
{
	MemoryContext work;
	MemoryContext old;

	if (!is_wanted())
		return;
	work = AllocSetContextCreate(CurrentMemoryContext, "dp_agg noise notice", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(work);
	dp_sidechannel_run_alone(look_for_drowned, opening);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

/* Is what a statement shows made of answers whose noise is as their blocks say? */
static bool
has_own_noise(const DpOpening *opening)
{
	ListCell   *lc;

	foreach(lc, opening->nodes)
		if (((const DpReleaseState *) lfirst(lc))->added > 0)
			return false;
	return opening->nodes != NIL;
}

void
dp_statement_tell_of_shown(MemoryContext context)
{
	DpOpening  *opening = dp_statement_opening_in(context);
	DpNoiseNotice *notice = opening ? opening->noise : NULL;
	MemoryContext old;
	List	   *columns;
	ListCell   *lc;

	if (notice == NULL || notice->told)
		return;
	notice->told = true;
	old = MemoryContextSwitchTo(context);
	columns = notice->drowned;
	foreach(lc, notice->noted)
		if (((Column *) lfirst(lc))->drowned > 0 && has_own_noise(opening))
			columns = lappend(columns, summary(lfirst(lc), context));
	if (columns != NIL)
		tell_of_columns(columns);
	MemoryContextSwitchTo(old);
}

/*
 * Columns that are noted.
 */

/* A column of a statement that is to learn what it was asked with. */
typedef struct Learning
{
	const DpOpening *opening;
	Column	   *column;
} Learning;

/* Learn of a release that a column is made of. */
static void
learn_of(const DpTermOrigin *origin, void *arg)
{
	const Learning *learning = arg;
	Column	   *column = learning->column;
	ListCell   *lc;

	foreach(lc, learning->opening->nodes)
	{
		const DpReleaseState *state = lfirst(lc);
		ListCell   *lc2;
		double		epsilon;

		/* Terms count blocks from 1. */
		if (state->number != origin->block - 1 || origin->release < 0 || origin->release >= state->block->nreleases)
			continue;
		epsilon = state->block->release[origin->release].epsilon;
		column->epsilon = column->epsilon < 0 || column->epsilon == epsilon ? epsilon : 0;
		column->grouped |= state->block->nkeys > 0;
		foreach(lc2, state->shown)
			column->clips |= intVal(list_nth(lfirst(lc2), DP_SHOWN_RELEASE)) == origin->release && intVal(list_nth(lfirst(lc2), DP_SHOWN_CLIPS)) != 0;
	}
}

/* The statement whose columns a call in it compares, or NULL if it does not any more. */
static DpOpening *
noting(FunctionCallInfo fcinfo)
{
	DpOpening  *opening = is_wanted() ? dp_statement_opening_in(fcinfo->flinfo->fn_mcxt) : NULL;

	return opening && !notice_of(opening)->told ? opening : NULL;
}

/* The noted column of this number, or NULL. */
static Column *
find_noted(DpOpening *opening, int number)
{
	ListCell   *lc;

	foreach(lc, notice_of(opening)->noted)
		if (((Column *) lfirst(lc))->number == number)
			return lfirst(lc);
	return NULL;
}

/* Is a noted column done with? */
static bool
is_done(const Column *column)
{
	return column->rows >= MOST_ROWS || dp_rewrite_term_work(column->cache) > MOST_WORK;
}

/* is_noted(number integer) */
Datum
dp_statement_is_noted(PG_FUNCTION_ARGS)
{
	DpOpening  *opening = noting(fcinfo);
	const Column *column = opening ? find_noted(opening, PG_GETARG_INT32(0)) : NULL;

	PG_RETURN_BOOL(opening && (column == NULL || !is_done(column)));
}

/* The noted column of this number, which is made if it is new. */
static Column *
noted_column(DpOpening *opening, FunctionCallInfo fcinfo)
{
	DpNoiseNotice *notice = notice_of(opening);
	int			number = PG_GETARG_INT32(3);
	MemoryContext old;
	Learning	learning;

	if (find_noted(opening, number))
		return find_noted(opening, number);
	old = MemoryContextSwitchTo(opening->estate->es_query_cxt);
	learning = (Learning) {opening, new_column()};
	learning.column->number = number;
	learning.column->label = text_to_cstring(PG_GETARG_TEXT_PP(2));
	learning.column->epsilon = -1;
	learning.column->cache = dp_rewrite_term_cache(opening->estate->es_query_cxt);
	notice->noted = lappend(notice->noted, learning.column);
	MemoryContextSwitchTo(old);
	dp_rewrite_term_origins(PG_GETARG_BYTEA_PP(1), fcinfo->flinfo->fn_mcxt, learn_of, &learning);
	return learning.column;
}

/* Is a call one that may be compared?  Anybody may write one, of a value of any type, or have an aggregate make it. */
static bool
may_be_compared(FunctionCallInfo fcinfo)
{
	return !PG_ARGISNULL(1) && !PG_ARGISNULL(2) && !PG_ARGISNULL(3) && dp_rewrite_is_number(get_fn_expr_argtype(fcinfo->flinfo, 0)) &&
		PG_GETARG_INT32(3) >= 0 && PG_GETARG_INT32(3) < DP_REWRITE_MOST_NOTED;
}

/*
 * noted(value anyelement, term bytea, label text, number integer): the value.  It is compared with its noise, which its term
 * tells of, if the statement that runs has releases and is still to tell of it.
 */
Datum
dp_statement_noted(PG_FUNCTION_ARGS)
{
	DpOpening  *opening;
	Column	   *column;
	double		low;
	double		high;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	opening = may_be_compared(fcinfo) ? noting(fcinfo) : NULL;
	if (opening == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	column = noted_column(opening, fcinfo);
	if (!is_done(column))
	{
		dp_rewrite_term_ends(PG_GETARG_BYTEA_PP(1), 0.95, false, column->cache, &low, &high);
		compare(column, isfinite(low) && isfinite(high) ? (high - low) / 2 : INFINITY,
				fabs(number_of(PG_GETARG_DATUM(0), get_fn_expr_argtype(fcinfo->flinfo, 0))));
	}
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
