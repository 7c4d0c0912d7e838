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
#include "utils/snapmgr.h"

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
 * What the analyst's functions do when they are run as they are.
 *
 * A planned statement holds none of them: the rewriter replaces each by exact
 * totals under a release.  Reaching the executor means that the library was
 * not preloaded, or that the statement was planned without its parameters'
 * values; either way nothing is computed.
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
PG_FUNCTION_INFO_V1(dp_statement_last_release_sql);

#define PRICE_COLUMNS 19

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

/* Of how many rows means are, as asked in an argument. */
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

/* Put every price line of the blocks into the result, means being of so many rows. */
static void
put_lines(ReturnSetInfo *result, List *blocks, double rows, double spent_after, bool spent_known, bool admitted)
{
	ListCell   *lc;

	foreach(lc, blocks)
	{
		const DpAnsweredBlock *answered = lfirst(lc);
		const DpBlock *block = answered->block;

		for (int i = 0; i < dp_pricing_block_lines(block); i++)
		{
			DpPriceLine line = dp_pricing_block_line(block, i, rows);
			Datum		values[PRICE_COLUMNS];
			bool		nulls[PRICE_COLUMNS] = {false};

			values[0] = CStringGetTextDatum(line.aggregate);
			values[1] = CStringGetTextDatum(line.mechanism);
			values[2] = Float8GetDatum(answered->free ? 0 : line.epsilon);
			values[3] = Float8GetDatum(answered->free ? 0 : line.delta);
			values[4] = Float8GetDatum(line.noise_stddev);
			nulls[4] = isnan(line.noise_stddev);
			values[5] = Float8GetDatum(line.half_width_95);
			nulls[5] = isnan(line.half_width_95);
			values[6] = Float8GetDatum(spent_after);
			nulls[6] = !spent_known;
			values[7] = BoolGetDatum(admitted);
			nulls[8] = answered->note == NULL && line.part_of == NULL;
			if (answered->note)
				values[8] = CStringGetTextDatum(answered->note);
			else if (line.part_of)
				values[8] = CStringGetTextDatum(psprintf("part of %s", line.part_of));
			values[9] = Int32GetDatum(line.max_rows);
			nulls[9] = line.max_rows == 0;
			values[10] = Int32GetDatum(line.max_groups);
			nulls[10] = line.max_groups == 0;
			values[11] = Float8GetDatum(line.sensitivity);
			values[12] = Float8GetDatum(line.threshold);
			nulls[12] = line.threshold == 0;
			values[13] = Float8GetDatum(line.rows);
			nulls[13] = line.rows == 0;
			values[14] = Float8GetDatum(answered->free ? 0 : line.clamp_epsilon);
			values[15] = Float8GetDatum(line.least_clamp);
			values[16] = Float8GetDatum(line.most_clamp);
			nulls[14] = nulls[15] = nulls[16] = !line.clipped;
			values[17] = Int32GetDatum(line.least_groups);
			nulls[17] = line.least_groups == 0;
			values[18] = Float8GetDatum(line.least_stddev);
			nulls[18] = line.least_groups == 0 || isnan(line.noise_stddev);
			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
	}
}

Datum
dp_statement_price(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	List	   *blocks;
	DpBalance	balance;
	bool		known = false;
	bool		admitted = false;
	double		spent_after = 0;
	double		rows = rows_argument(fcinfo, 1);

	if (!dp_preloaded)
		DirectFunctionCall1(dp_statement_refuse, (Datum) 0);
	InitMaterializedSRF(fcinfo, 0);
	blocks = plan_blocks(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	if (blocks == NIL)
		return (Datum) 0;
	known = dp_budget_peek(dp_budget_role_asking(), ((DpAnsweredBlock *) linitial(blocks))->block->dataset, &balance);
	if (known)
	{
		DpCurve		cost;

		dp_statement_total_cost(unpaid(blocks), &cost);
		admitted = unpaid(blocks) == NIL || dp_budget_admits(&balance, &cost);
		dp_accounting_compose(&balance.spent, &cost);
		spent_after = dp_accounting_epsilon_spent(&balance.limit, &balance.spent);
	}
	put_lines(result, blocks, rows, spent_after, known, admitted);
	return (Datum) 0;
}

Datum
dp_statement_last_release_sql(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	DpBalance	balance;
	List	   *blocks;
	double		rows = rows_argument(fcinfo, 0);

	InitMaterializedSRF(fcinfo, 0);

	/* Beside releases it tells of these, whichever is read first. */
	dp_statement_open_running(result->econtext->ecxt_estate);
	blocks = dp_statement_last_release(&balance);
	if (blocks != NIL)
		put_lines(result, blocks, rows,
				  dp_accounting_epsilon_spent(&balance.limit, &balance.spent), true, true);
	return (Datum) 0;
}
