/*
 * dp_bench.c
 *	  Timing parts of the server from inside, where nothing else is in the way.
 *	  For benchmarks only.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "optimizer/planner.h"
#include "parser/analyze.h"
#include "portability/instr_time.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "base/compat_planner.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(bench_planner);

/* Plan a copy of the query; how long that took, in microseconds. */
static double
time_planner(planner_hook_type planner, Query *query, const char *source)
{
	Query	   *copy = copyObject(query);
	instr_time	began;
	instr_time	ended;

	INSTR_TIME_SET_CURRENT(began);
	(void) DP_CALL_PLANNER(planner, copy, source, CURSOR_OPT_PARALLEL_OK, NULL, NULL);
	INSTR_TIME_SET_CURRENT(ended);
	INSTR_TIME_SUBTRACT(ended, began);
	return INSTR_TIME_GET_DOUBLE(ended) * 1e6;
}

static int
compare_doubles(const void *a, const void *b)
{
	double		difference = *(const double *) a - *(const double *) b;

	return difference < 0 ? -1 : difference > 0;
}

static double
median(double *values, int count)
{
	qsort(values, count, sizeof(double), compare_doubles);
	return values[count / 2];
}

/*
 * bench_planner(statement text, n int, OUT bare float8, OUT hooked float8):
 * median times of planning the statement without the library and with it, in
 * microseconds, n times each, in turns.
 */
Datum
bench_planner(PG_FUNCTION_ARGS)
{
	char	   *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	int			n = PG_GETARG_INT32(1);
	Query	   *query = parse_analyze_fixedparams(linitial_node(RawStmt, pg_parse_query(source)),
												  source, NULL, 0, NULL);
	List	   *rewritten = pg_rewrite_query(query);
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "planning",
												  ALLOCSET_DEFAULT_SIZES);
	double	   *bare = palloc(n * sizeof(double));
	double	   *hooked = palloc(n * sizeof(double));
	TupleDesc	desc;
	Datum		values[2];
	bool		nulls[2] = {false};

	if (planner_hook == NULL || list_length(rewritten) != 1 ||
		get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "needs the library and one statement");
	for (int i = -n / 10; i < n; i++)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);
		double		first = time_planner(i & 1 ? planner_hook : standard_planner, linitial(rewritten), source);
		double		second = time_planner(i & 1 ? standard_planner : planner_hook, linitial(rewritten), source);

		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
		if (i >= 0)
		{
			bare[i] = i & 1 ? second : first;
			hooked[i] = i & 1 ? first : second;
		}
	}
	values[0] = Float8GetDatum(median(bare, n));
	values[1] = Float8GetDatum(median(hooked, n));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
