/*
 * dp_validate_test.c
 *	  SQL functions that show what the expression validator and the policy
 *	  reader do.  For tests only.
 *
 * They run validated expressions with no release around them: whoever may call
 * them reads what he likes, so their SQL declarations stay with superusers.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "parser/analyze.h"
#include "tcop/tcopprot.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"

#include "base/compat_executor.h"
#include "draw/release_state.h"
#include "exact/exact_plan.h"
#include "expression/allow_list.h"
#include "expression/fold_constants.h"
#include "expression/null_on_error.h"
#include "expression/validate.h"
#include "policy/obstacle.h"
#include "policy/policy.h"
#include "policy/unique.h"
#include "statement/release_node.h"
#include "tree/reason.h"
#include "tree/statement.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(test_validate);
PG_FUNCTION_INFO_V1(test_run);
PG_FUNCTION_INFO_V1(test_constant);
PG_FUNCTION_INFO_V1(test_verdict);
PG_FUNCTION_INFO_V1(test_policy);
PG_FUNCTION_INFO_V1(test_obstacle);
PG_FUNCTION_INFO_V1(test_unit_is_unique);

/* Parse and analyze one SELECT, with parameters of types it implies itself. */
static Query *
parse(const char *source, Oid **types, int *count)
{
	List	   *raw = pg_parse_query(source);

	if (list_length(raw) != 1)
		elog(ERROR, "one statement expected");
	*types = NULL;
	*count = 0;
	return parse_analyze_varparams(linitial_node(RawStmt, raw), source, types, count, NULL);
}

/* The values given in text, as parameters of these types; NULL if there are none. */
static ParamListInfo
bind(FunctionCallInfo fcinfo, const Oid *types, int count)
{
	ParamListInfo params;
	Datum	   *values;
	bool	   *nulls;
	int			given;

	if (PG_ARGISNULL(1))
		return NULL;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false, TYPALIGN_INT,
					  &values, &nulls, &given);
	params = makeParamList(Min(count, given));
	for (int i = 0; i < params->numParams; i++)
	{
		ParamExternData *param = &params->params[i];
		Oid			input;
		Oid			ioparam;

		getTypeInputInfo(types[i], &input, &ioparam);
		param->ptype = types[i];
		param->pflags = PARAM_FLAG_CONST;
		param->isnull = nulls[i];
		param->value = OidInputFunctionCall(input, nulls[i] ? NULL : TextDatumGetCString(values[i]),
											ioparam, -1);
	}
	return params;
}

/* Validate the arguments of an aggregate, or an expression outright. */
static Node *
validate(Query *query, Node *expr, const DpStatement *statement, DpReason **reason)
{
	if (expr && IsA(expr, Aggref))
	{
		Aggref	   *aggref = copyObject((Aggref *) expr);
		ListCell   *cell;

		foreach(cell, aggref->args)
		{
			TargetEntry *entry = lfirst_node(TargetEntry, cell);

			if (*reason == NULL)
				entry->expr = (Expr *) dp_expression_validate_expression(query, (Node *) entry->expr,
																		 statement, reason);
		}
		return (Node *) aggref;
	}
	return dp_expression_validate_expression(query, expr, statement, reason);
}

/* Validate the select list and the WHERE clause, in place. */
static DpReason *
validate_query(Query *query, ParamListInfo params)
{
	DpStatement statement = {.params = params};
	DpReason   *reason = NULL;
	ListCell   *cell;

	foreach(cell, query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (reason == NULL)
			entry->expr = (Expr *) validate(query, (Node *) entry->expr, &statement, &reason);
	}
	if (reason == NULL)
		query->jointree->quals = validate(query, query->jointree->quals, &statement, &reason);
	return reason;
}

/* validate(query text, params text[]): the validated query, or why not. */
Datum
test_validate(PG_FUNCTION_ARGS)
{
	char	   *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid		   *types;
	int			count;
	Query	   *query = parse(source, &types, &count);
	DpReason   *reason = validate_query(query, bind(fcinfo, types, count));
	StringInfoData result;

	initStringInfo(&result);
	if (reason == NULL)
		appendStringInfoString(&result, pg_get_querydef(query, false));
	else
	{
		appendStringInfo(&result, "%s: %s", unpack_sql_state(reason->sqlstate), reason->message);
		if (reason->location >= 0)
			appendStringInfo(&result, "\n   at: %.24s", source + reason->location);
		if (reason->hint)
			appendStringInfo(&result, "\n hint: %s", reason->hint);
	}
	PG_RETURN_TEXT_P(cstring_to_text(result.data));
}

/* Run a started query, under what looks like a release or not. */
static void
run_released(QueryDesc *desc, bool released)
{
	dp_expression_release_running = released;
	PG_TRY();
	{
		dp_compat_run(desc);
	}
	PG_FINALLY();
	{
		dp_expression_release_running = false;
	}
	PG_END_TRY();
}

/* Plan and run a validated query; its rows go into the tuplestore. */
static TupleDesc
run(Query *query, const char *source, bool released, Tuplestorestate *store)
{
	PlannedStmt *plan = dp_compat_plan(query, source, CURSOR_OPT_PARALLEL_OK, NULL);
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);
	QueryDesc  *desc;
	TupleDesc	result;

	SetTuplestoreDestReceiverParams(receiver, store, CurrentMemoryContext, false, NULL, NULL);
	PushActiveSnapshot(GetTransactionSnapshot());
	desc = CreateQueryDesc(plan, source, GetActiveSnapshot(), InvalidSnapshot, receiver,
						   NULL, NULL, 0);
	ExecutorStart(desc, 0);
	run_released(desc, released);
	result = CreateTupleDescCopy(desc->tupDesc);
	ExecutorFinish(desc);
	ExecutorEnd(desc);
	FreeQueryDesc(desc);
	PopActiveSnapshot();
	return result;
}

/*
 * run(query text, params text[], released bool): its rows, each as text;
 * refusals are errors.
 */
Datum
test_run(PG_FUNCTION_ARGS)
{
	char	   *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid		   *types;
	int			count;
	Query	   *query = parse(source, &types, &count);
	DpReason   *reason = validate_query(query, bind(fcinfo, types, count));
	Tuplestorestate *store = tuplestore_begin_heap(false, false, work_mem);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleTableSlot *slot;
	TupleDesc	desc;

	if (reason)
		dp_tree_raise(reason, source);
	desc = run(query, source, PG_GETARG_BOOL(2), store);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	while (tuplestore_gettupleslot(store, true, false, slot))
	{
		StringInfoData line;
		Datum		value;
		bool		isnull = false;

		initStringInfo(&line);
		slot_getallattrs(slot);
		for (int i = 0; i < desc->natts; i++)
		{
			Oid			output;
			bool		is_varlena;

			getTypeOutputInfo(TupleDescAttr(desc, i)->atttypid, &output, &is_varlena);
			appendStringInfo(&line, "%s%s", i > 0 ? "|" : "",
							 slot->tts_isnull[i] ? "NULL" :
							 OidOutputFunctionCall(output, slot->tts_values[i]));
		}
		value = CStringGetTextDatum(line.data);
		tuplestore_putvalues(result->setResult, result->setDesc, &value, &isnull);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(store);
	return (Datum) 0;
}

/* constant(query text, params text[]): the first column as a constant, or null. */
Datum
test_constant(PG_FUNCTION_ARGS)
{
	char	   *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid		   *types;
	int			count;
	Query	   *query = parse(source, &types, &count);
	ParamListInfo params = bind(fcinfo, types, count);
	Const	   *constant = dp_expression_constant((Node *) linitial_node(TargetEntry, query->targetList)->expr,
												  params);

	if (constant == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(deparse_expression((Node *) constant, NIL, false, true)));
}

/* verdict(oid): what the allow-list says. */
Datum
test_verdict(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {
		[DP_REFUSED] = "refused",[DP_TOTAL] = "total",[DP_PARTIAL] = "partial"
	};
	DpVerdict	function = dp_expression_verdict(PG_GETARG_OID(0));

	PG_RETURN_TEXT_P(cstring_to_text(psprintf("%s %d%s", names[function.totality], function.subject,
											  function.is_like ? " like" : "")));
}

/* policy(regclass): unit column's number and label, or null. */
Datum
test_policy(PG_FUNCTION_ARGS)
{
	DpPolicy	policy;

	if (!dp_policy_policy_get(PG_GETARG_OID(0), &policy))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(psprintf("%d %s", policy.unit,
											  dp_policy_policy_label(&policy))));
}

/* obstacle(regclass, name): what keeps the column from being a unit, or null. */
Datum
test_obstacle(PG_FUNCTION_ARGS)
{
	Relation	relation = table_open(PG_GETARG_OID(0), AccessShareLock);
	DpReason   *reason = dp_policy_obstacle(relation, get_attnum(RelationGetRelid(relation),
																 NameStr(*PG_GETARG_NAME(1))));

	table_close(relation, AccessShareLock);
	if (reason == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(reason->message));
}

/* unit_is_unique(regclass, name) */
Datum
test_unit_is_unique(PG_FUNCTION_ARGS)
{
	Relation	relation = table_open(PG_GETARG_OID(0), AccessShareLock);
	bool		unique = dp_policy_unit_is_unique(relation,
												  get_attnum(RelationGetRelid(relation),
															 NameStr(*PG_GETARG_NAME(1))), NULL);

	table_close(relation, AccessShareLock);
	PG_RETURN_BOOL(unique);
}

/* The plan of one statement without parameters. */
static PlannedStmt *
plan_of(const char *source)
{
	Oid		   *types;
	int			count;

	return dp_compat_plan(linitial_node(Query, pg_rewrite_query(parse(source, &types, &count))),
						  source, CURSOR_OPT_PARALLEL_OK, NULL);
}

static void append_joins(StringInfo text, Plan *plan);

/* The same of the exact plan of a release, as it would be made now. */
static void
append_exact_joins(StringInfo text, CustomScan *scan)
{
	DpReleaseState state = {0};

	dp_statement_read_release_scan(scan, &state);
	append_joins(text, dp_exact_plan_exact(state.block, state.exact, NULL, -1)->planTree);
}

/* Is it an aggregate that another one above a join goes on with? */
static bool
is_begun(const Plan *plan)
{
	return plan && IsA(plan, Agg) && DO_AGGSPLIT_SKIPFINAL(((const Agg *) plan)->aggsplit);
}

/* Append what joins there are in a plan, outermost first; below releases too. */
static void
append_joins(StringInfo text, Plan *plan)
{
	const char *name = NULL;
	ListCell   *lc;

	if (plan == NULL)
		return;
	if (IsA(plan, NestLoop))
		name = IsA(innerPlan(plan), Material) ? "nested loop" : "nested loop that reads again";
	else if (IsA(plan, MergeJoin))
		name = "merge";
	else if (IsA(plan, HashJoin))
		name = "hash";
	if (name)
		appendStringInfo(text, "%s%s%s", text->len > 0 ? ", " : "", name,
						 is_begun(outerPlan(plan)) || is_begun(innerPlan(plan)) ? " of partial aggregates" : "");
	if (IsA(plan, CustomScan) && list_length(((CustomScan *) plan)->custom_plans) > 1)
		appendStringInfo(text, "%sstar of %d or else", text->len > 0 ? ", " : "",
						 list_length(((CustomScan *) plan)->custom_plans) - 1);
	if (IsA(plan, SubqueryScan))
		append_joins(text, ((SubqueryScan *) plan)->subplan);
	if (IsA(plan, CustomScan))
		foreach(lc, ((CustomScan *) plan)->custom_plans)
			append_joins(text, lfirst(lc));
	if (IsA(plan, CustomScan) && strcmp(((CustomScan *) plan)->methods->CustomName, "DpRelease") == 0)
		append_exact_joins(text, (CustomScan *) plan);
	append_joins(text, plan->lefttree);
	append_joins(text, plan->righttree);
}

PG_FUNCTION_INFO_V1(test_plan_below);

/* test_plan_below(query): the joins in its plan, below releases too. */
Datum
test_plan_below(PG_FUNCTION_ARGS)
{
	const char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	StringInfoData text;
	PlannedStmt *plan = plan_of(source);

	initStringInfo(&text);
	append_joins(&text, plan->planTree);
	PG_RETURN_TEXT_P(cstring_to_text(text.data));
}

/* The exact plan of the first release in a plan; NULL if there is none. */
static Plan *
find_exact_plan(Plan *plan)
{
	Plan	   *found = NULL;
	DpReleaseState state = {0};

	if (plan == NULL)
		return NULL;
	if (IsA(plan, CustomScan) && strcmp(((CustomScan *) plan)->methods->CustomName, "DpRelease") == 0)
	{
		dp_statement_read_release_scan((CustomScan *) plan, &state);
		return dp_exact_plan_exact(state.block, state.exact, NULL, -1)->planTree;
	}
	if (IsA(plan, SubqueryScan))
		found = find_exact_plan(((SubqueryScan *) plan)->subplan);
	if (found == NULL)
		found = find_exact_plan(plan->lefttree);
	return found ? found : find_exact_plan(plan->righttree);
}

PG_FUNCTION_INFO_V1(test_adds_up_units);

/* test_adds_up_units(query): is its first release computed by the node over units? */
Datum
test_adds_up_units(PG_FUNCTION_ARGS)
{
	const char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	PlannedStmt *plan = plan_of(source);
	Plan	   *exact = find_exact_plan(plan->planTree);

	PG_RETURN_BOOL(exact && strstr(nodeToString(exact), "DpUnits") != NULL);
}

PG_FUNCTION_INFO_V1(test_run_unasked);

/* test_run_unasked(query): run it as an extension would that calls no hook of others. */
Datum
test_run_unasked(PG_FUNCTION_ARGS)
{
	const char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	PlannedStmt *plan = plan_of(source);
	QueryDesc  *desc;

	PushActiveSnapshot(GetTransactionSnapshot());
	desc = CreateQueryDesc(plan, source, GetActiveSnapshot(), InvalidSnapshot, None_Receiver,
						   NULL, NULL, 0);
	standard_ExecutorStart(desc, 0);
	dp_compat_run(desc);
	ExecutorFinish(desc);
	ExecutorEnd(desc);
	FreeQueryDesc(desc);
	PopActiveSnapshot();
	PG_RETURN_BOOL(true);
}

PG_FUNCTION_INFO_V1(test_seed);
PG_FUNCTION_INFO_V1(test_numbers_drawn);
PG_FUNCTION_INFO_V1(test_number);

/* test_seed(seed): begin the server's own random numbers, those of samples, anew. */
Datum
test_seed(PG_FUNCTION_ARGS)
{
	pg_prng_seed(&pg_global_prng_state, PG_GETARG_INT64(0));
	PG_RETURN_VOID();
}

/* test_numbers_drawn(seed): how many were drawn since; null if these are others. */
Datum
test_numbers_drawn(PG_FUNCTION_ARGS)
{
	pg_prng_state state;

	pg_prng_seed(&state, PG_GETARG_INT64(0));
	for (int n = 0; n <= 100000; n++)
	{
		if (state.s0 == pg_global_prng_state.s0 && state.s1 == pg_global_prng_state.s1)
			PG_RETURN_INT32(n);
		(void) pg_prng_uint64(&state);
	}
	PG_RETURN_NULL();
}

/* test_number(): the next of them. */
Datum
test_number(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) pg_prng_uint64(&pg_global_prng_state));
}
