/* SPDX-License-Identifier: PostgreSQL */
/*
 * price.c
 *	  What a statement would cost, and what the last one did.
 */
#include "postgres.h"

#include <math.h>

#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "base/compat_executor.h"
#include "base/preloaded.h"
#include "budget/account/role.h"
#include "budget/keeper/client.h"
#include "draw/release_state.h"
#include "pricing/block.h"
#include "pricing/price_lines.h"
#include "statement/charge.h"
#include "statement/kept_answers.h"
#include "statement/notices.h"
#include "statement/opening.h"
#include "statement/price.h"
#include "statement/release_node.h"

/*
 * The analyst's aggregates and functions where they are run by themselves: refused.
 *
 * A planned statement holds none of them: the rewriter replaces each by exact totals of
 * a release.  Reaching the executor means that the library was not preloaded, or that
 * the statement was planned without its parameters' values; either way nothing is
 * computed.
 */

PG_FUNCTION_INFO_V1(dp_statement_refuse);

Datum
dp_statement_refuse(PG_FUNCTION_ARGS)
{
	if (!dp_preloaded)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("dp_agg is not loaded at server start"),
				 errhint("Add dp_agg to shared_preload_libraries and restart the server.")));
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("differentially private functions cannot run here"),
			 errdetail("They are answered when a statement is planned with the values of its parameters."),
			 errhint("SET plan_cache_mode = auto, and call them in an ordinary query.")));
	PG_RETURN_NULL();
}

PG_FUNCTION_INFO_V1(dp_statement_price);
PG_FUNCTION_INFO_V1(dp_statement_price_details);
PG_FUNCTION_INFO_V1(dp_statement_last_release_sql);
PG_FUNCTION_INFO_V1(dp_statement_last_release_details);

/* Most columns of a line. */
#define PRICE_COLUMNS 13

/* The one plannable statement in a text. */
static Query *
parse_statement(const char *text)
{
	List	   *statements = pg_parse_query(text);
	List	   *queries;

	if (list_length(statements) == 1)
	{
		queries = pg_analyze_and_rewrite_fixedparams(linitial_node(RawStmt, statements),
													 text, NULL, 0, NULL);
		if (list_length(queries) == 1 &&
			linitial_node(Query, queries)->commandType != CMD_UTILITY)
			return linitial_node(Query, queries);
	}
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("dp_agg.price takes one SELECT or INSERT statement")));
}

/* The blocks of a statement, as DpAnsweredBlock, found by starting its plan as EXPLAIN does. */
static List *
plan_blocks(const char *text)
{
	PlannedStmt *plan = dp_compat_plan(parse_statement(text), text, CURSOR_OPT_PARALLEL_OK, NULL);
	QueryDesc  *query_desc = CreateQueryDesc(plan, text, GetActiveSnapshot(), InvalidSnapshot,
											 None_Receiver, NULL, NULL, 0);
	List	   *blocks = NIL;
	List	   *nodes;
	List	   *to_pay;
	ListCell   *lc;

	ExecutorStart(query_desc, EXEC_FLAG_EXPLAIN_ONLY);
	nodes = dp_statement_release_nodes(query_desc);
	to_pay = dp_statement_unpaid(nodes, dp_budget_role_asking());
	foreach(lc, nodes)
	{
		TimestampTz kept_since = dp_statement_kept_since(lfirst(lc), dp_budget_role_asking());

		blocks = lappend(blocks, dp_statement_copy_answered(lfirst(lc), !list_member_ptr(to_pay, lfirst(lc)),
															dp_statement_answer_note(lfirst(lc), kept_since)));
	}
	ExecutorEnd(query_desc);
	FreeQueryDesc(query_desc);
	return blocks;
}

/* The blocks that are to be paid for. */
static List *
unpaid(List *answered)
{
	List	   *blocks = NIL;
	ListCell   *lc;

	foreach(lc, answered)
		if (!((DpAnsweredBlock *) lfirst(lc))->free)
			blocks = lappend(blocks, ((DpAnsweredBlock *) lfirst(lc))->block);
	return blocks;
}

/* Number of rows that means are of, as asked in an argument. */
static double
rows_argument(FunctionCallInfo fcinfo, int n)
{
	double		rows = PG_GETARG_FLOAT8(n);

	if (!(rows >= 1 && isfinite(rows)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows must be a number of at least 1")));
	return rows;
}

/*
 * Facts that are the same for all lines of a price, except the number of rows that
 * means are of.
 */
typedef struct Outcome
{
	bool		spent_known;
	double		spent_after;
	bool		admitted;
} Outcome;

/* A column of a price line: null if there is nothing to say. */
typedef struct Column
{
	Datum		value;
	bool		null;
} Column;

static Column
text_column(const char *text)
{
	return (Column) {text ? CStringGetTextDatum(text) : (Datum) 0, text == NULL};
}

static Column
float_column(double value, bool null)
{
	return (Column) {Float8GetDatum(value), null || isnan(value)};
}

static Column
bound_column(int value)
{
	return (Column) {Int32GetDatum(value), value == 0};
}

/* When a standby last replayed a transaction is for who may ask the server itself: dp_agg.harden takes that from PUBLIC. */
static bool
may_see_replay(void)
{
	return DatumGetBool(DirectFunctionCall2(has_function_privilege_id, ObjectIdGetDatum(F_PG_LAST_XACT_REPLAY_TIMESTAMP),
											CStringGetTextDatum("EXECUTE")));
}

static Column
time_column(TimestampTz at)
{
	return (Column) {TimestampTzGetDatum(at), at == 0 || !may_see_replay()};
}

/* Whether and why an answer costs nothing: it is kept, or part of another release. */
static const char *
kept_note(const DpAnsweredBlock *answered, const DpPriceLine *line)
{
	if (answered->note)
		return answered->note;
	return line->part_of ? psprintf("part of %s", line->part_of) : NULL;
}

/* Columns of a line that everybody needs. */
static int
main_columns(const DpAnsweredBlock *answered, const DpPriceLine *line, const Outcome *outcome, Column *to)
{
	int			n = 0;

	to[n++] = text_column(line->aggregate);
	to[n++] = text_column(line->mechanism);
	to[n++] = float_column(answered->free ? 0 : line->epsilon, false);
	to[n++] = float_column(answered->free ? 0 : line->delta, false);
	to[n++] = float_column(line->noise_stddev, false);
	to[n++] = float_column(line->half_width_95, false);
	to[n++] = float_column(outcome->spent_after, !outcome->spent_known);
	to[n++] = (Column) {BoolGetDatum(outcome->admitted), false};
	to[n++] = text_column(kept_note(answered, line));
	to[n++] = bound_column(line->max_rows);
	to[n++] = bound_column(line->max_groups);
	to[n++] = float_column(line->rows, line->rows == 0);
	to[n++] = time_column(answered->rows_as_of);
	return n;
}

/* Where the noise comes from: sensitivity, threshold, and what is chosen privately. */
static int
detail_columns(const DpAnsweredBlock *answered, const DpPriceLine *line, Column *to)
{
	int			n = 0;

	to[n++] = text_column(line->aggregate);
	to[n++] = float_column(line->sensitivity, false);
	to[n++] = float_column(line->threshold, line->threshold == 0);
	to[n++] = float_column(answered->free ? 0 : line->clamp_epsilon, !line->clipped);
	to[n++] = float_column(line->least_clamp, !line->clipped);
	to[n++] = float_column(line->most_clamp, !line->clipped);
	to[n++] = bound_column(line->least_groups);
	to[n++] = float_column(line->least_stddev, line->least_groups == 0 || isnan(line->noise_stddev));
	return n;
}

/*
 * Put every price line of the blocks into the result, means being of so many rows: its
 * details if there is no outcome.
 */
static void
put_lines(ReturnSetInfo *result, List *blocks, double rows, const Outcome *outcome)
{
	ListCell   *lc;

	foreach(lc, blocks)
	{
		const DpAnsweredBlock *answered = lfirst(lc);

		for (int i = 0; i < dp_pricing_block_lines(answered->block); i++)
		{
			DpPriceLine line = dp_pricing_block_line(answered->block, i, rows);
			Column		columns[PRICE_COLUMNS];
			Datum		values[PRICE_COLUMNS];
			bool		nulls[PRICE_COLUMNS];
			int			n = outcome ? main_columns(answered, &line, outcome, columns) :
				detail_columns(answered, &line, columns);

			for (int j = 0; j < n; j++)
			{
				values[j] = columns[j].value;
				nulls[j] = columns[j].null;
			}
			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
	}
}

/* The blocks of the statement in the first argument, once the result can take rows. */
static List *
asked_blocks(FunctionCallInfo fcinfo)
{
	if (!dp_preloaded)
		DirectFunctionCall1(dp_statement_refuse, (Datum) 0);
	InitMaterializedSRF(fcinfo, 0);
	return plan_blocks(text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

/* Budget left after blocks, and whether it admits them. */
static Outcome
foresee(List *blocks)
{
	Outcome		outcome = {false};
	DpBalance	balance;
	DpCurve		cost;

	outcome.spent_known = dp_budget_peek(dp_budget_role_asking(), ((DpAnsweredBlock *) linitial(blocks))->block->dataset, &balance);
	if (outcome.spent_known)
	{
		dp_statement_total_cost(unpaid(blocks), &cost);
		outcome.admitted = unpaid(blocks) == NIL || dp_budget_admits(&balance, &cost);
		dp_accounting_compose(&balance.spent, &cost);
		outcome.spent_after = dp_accounting_epsilon_spent(&balance.limit, &balance.spent);
	}
	return outcome;
}

/* dp_agg.price(query, rows) */
Datum
dp_statement_price(PG_FUNCTION_ARGS)
{
	double		rows = rows_argument(fcinfo, 1);
	List	   *blocks = asked_blocks(fcinfo);

	if (blocks != NIL)
	{
		Outcome		outcome = foresee(blocks);

		put_lines((ReturnSetInfo *) fcinfo->resultinfo, blocks, rows, &outcome);
	}
	return (Datum) 0;
}

/* dp_agg.price_details(query, rows) */
Datum
dp_statement_price_details(PG_FUNCTION_ARGS)
{
	double		rows = rows_argument(fcinfo, 1);

	put_lines((ReturnSetInfo *) fcinfo->resultinfo, asked_blocks(fcinfo), rows, NULL);
	return (Datum) 0;
}

/* The blocks of the last answered statement, once the result can take rows. */
static List *
last_blocks(FunctionCallInfo fcinfo, DpBalance *balance)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);

	/* Beside releases it tells of these, whichever is read first. */
	dp_statement_open_running(result->econtext->ecxt_estate);
	return dp_statement_last_release(balance);
}

/* dp_agg.last_release(rows) */
Datum
dp_statement_last_release_sql(PG_FUNCTION_ARGS)
{
	double		rows = rows_argument(fcinfo, 0);
	DpBalance	balance;
	List	   *blocks = last_blocks(fcinfo, &balance);

	if (blocks != NIL)
	{
		Outcome		outcome = {true, dp_accounting_epsilon_spent(&balance.limit, &balance.spent), true};

		put_lines((ReturnSetInfo *) fcinfo->resultinfo, blocks, rows, &outcome);
	}
	return (Datum) 0;
}

/* dp_agg.last_release_details(rows) */
Datum
dp_statement_last_release_details(PG_FUNCTION_ARGS)
{
	double		rows = rows_argument(fcinfo, 0);
	DpBalance	balance;

	put_lines((ReturnSetInfo *) fcinfo->resultinfo, last_blocks(fcinfo, &balance), rows, NULL);
	return (Datum) 0;
}
