/*
 * dp_questions_test.c
 *	  SQL functions that show which questions blocks ask.  For tests only.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "base/compat_executor.h"
#include "base/compat_varlena.h"
#include "draw/release_state.h"
#include "kept/question.h"
#include "pricing/block.h"
#include "statement/release_node.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(test_questions);
PG_FUNCTION_INFO_V1(test_question_fields);
PG_FUNCTION_INFO_V1(test_nodes_looked_at);
PG_FUNCTION_INFO_V1(test_partitions_looked_at);

/* Of src/tree/node_map.h and src/policy/partitions.h, in builds with assertions. */
extern uint64 dp_tree_nodes_looked_at __attribute__((weak));
extern uint64 dp_policy_partitions_looked_at __attribute__((weak));

/* A field of a struct: of what, its name, and where it is. */
typedef struct Field
{
	NodeTag		tag;			/* T_Invalid: of a block or its releases */
	const char *name;
	size_t		offset;
} Field;

#define BLOCK(member) T_Invalid, "block " #member, offsetof(DpBlock, member)
#define RELEASE(member) T_Invalid, "release " #member, offsetof(DpBlock, release[0].member)
#define NODE(type, member) T_##type, #type " " #member, offsetof(type, member)

static const Field fields[] = {{BLOCK(dataset)}, {BLOCK(nkeys)}, {BLOCK(domain)},
	{BLOCK(listed)}, {BLOCK(by_parts)}, {BLOCK(sample_rate)}, {BLOCK(selector)},
	{BLOCK(selector_shown)}, {BLOCK(threshold)}, {BLOCK(threshold_delta)}, {BLOCK(form)},
	{BLOCK(size)}, {BLOCK(level)}, {BLOCK(cost)}, {RELEASE(kind)}, {RELEASE(column)},
	{RELEASE(epsilon)}, {RELEASE(delta)}, {RELEASE(width)}, {RELEASE(features)},
	{RELEASE(shift)}, {RELEASE(unit)}, {RELEASE(factor)}, {RELEASE(nnoise)},
	{RELEASE(noise[0].mechanism)}, {RELEASE(noise[0].groups)}, {RELEASE(noise[0].grid)},
	{RELEASE(noise[0].sensitivity)}, {RELEASE(noise[0].scale_num)},
	{RELEASE(noise[0].scale_den)}, {RELEASE(noise[0].sigma)}, {RELEASE(noise[1].grid)},
	{RELEASE(rank.cells)}, {RELEASE(rank.fraction)}, {RELEASE(rank.fraction_bits)},
	{RELEASE(rank.offset)}, {RELEASE(rounded)}, {RELEASE(label)}, {NODE(Aggref, aggfnoid)},
	{NODE(Aggref, inputcollid)}, {NODE(Aggref, aggtype)}, {NODE(BoolExpr, boolop)},
	{NODE(BooleanTest, booltesttype)}, {NODE(CoerceViaIO, resulttype)}, {NODE(Const, consttype)},
	{NODE(Const, constvalue)}, {NODE(Const, constisnull)}, {NODE(DistinctExpr, opno)},
	{NODE(FuncExpr, funcid)}, {NODE(FuncExpr, funcresulttype)}, {NODE(FuncExpr, inputcollid)},
	{NODE(FuncExpr, funcformat)}, {NODE(JoinExpr, jointype)}, {NODE(MinMaxExpr, op)},
	{NODE(MinMaxExpr, minmaxtype)}, {NODE(MinMaxExpr, inputcollid)}, {NODE(NullIfExpr, opno)},
	{NODE(NullTest, nulltesttype)}, {NODE(NullTest, location)}, {NODE(OpExpr, opno)},
	{NODE(OpExpr, inputcollid)}, {NODE(OpExpr, opcollid)}, {NODE(RangeTblEntry, relid)},
	{NODE(RangeTblEntry, inh)}, {NODE(RangeTblEntry, rellockmode)},
	{NODE(RelabelType, resulttype)}, {NODE(ScalarArrayOpExpr, opno)},
	{NODE(ScalarArrayOpExpr, useOr)}, {NODE(ScalarArrayOpExpr, inputcollid)},
	{NODE(SortGroupClause, eqop)}, {NODE(SortGroupClause, sortop)},
	{NODE(SortGroupClause, nulls_first)}, {NODE(Var, varattno)}, {NODE(Var, vartype)},
	{NODE(Var, vartypmod)}, {NODE(Var, varcollid)}, {NODE(Var, location)},
	{NODE(WindowFunc, winfnoid)}};

/* Start the plan of a statement, as EXPLAIN does. */
static QueryDesc *
start_plan(const char *source)
{
	List	   *raw = pg_parse_query(source);
	List	   *queries;
	PlannedStmt *plan;
	QueryDesc  *desc;

	if (list_length(raw) != 1)
		elog(ERROR, "one statement expected");
	queries = pg_analyze_and_rewrite_fixedparams(linitial_node(RawStmt, raw), source, NULL, 0, NULL);
	plan = dp_compat_plan(linitial_node(Query, queries), source, CURSOR_OPT_PARALLEL_OK, NULL);
	desc = CreateQueryDesc(plan, source, GetActiveSnapshot(), InvalidSnapshot, None_Receiver,
						   NULL, NULL, 0);
	ExecutorStart(desc, EXEC_FLAG_EXPLAIN_ONLY);
	return desc;
}

static void
end_plan(QueryDesc *desc)
{
	ExecutorEnd(desc);
	FreeQueryDesc(desc);
}

/* A digest as hexadecimal digits, or NULL. */
static char *
digits_of(const DpBlock *block, const Query *exact, const Query *keys, List **relations)
{
	const DpQuestion *question = dp_kept_question(block, exact, keys);
	char	   *digits = palloc0(2 * DP_QUESTION_BYTES + 1);

	if (question == NULL)
		return NULL;
	*relations = question->relations;
	(void) hex_encode((const char *) question->digest, DP_QUESTION_BYTES, digits);
	return digits;
}

/* test_questions(query): a row for each of its blocks: digest, and the relations it reads. */
Datum
test_questions(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	QueryDesc  *desc = start_plan(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ListCell   *lc;
	ListCell   *lc2;

	InitMaterializedSRF(fcinfo, 0);
	foreach(lc, dp_statement_release_nodes(desc))
	{
		const DpReleaseState *state = lfirst(lc);
		List	   *relations = NIL;
		const char *digits = digits_of(state->block, state->exact, state->list_keys, &relations);
		StringInfoData names;
		Datum		values[2];
		bool		nulls[2] = {digits == NULL, digits == NULL};

		initStringInfo(&names);
		foreach(lc2, relations)
			appendStringInfo(&names, "%s%s", lc2 == list_head(relations) ? "" : " ", (char *) lfirst(lc2));
		values[0] = digits ? CStringGetTextDatum(digits) : (Datum) 0;
		values[1] = CStringGetTextDatum(names.data);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	end_plan(desc);
	return (Datum) 0;
}

static bool
collect_nodes(Node *node, List **nodes)
{
	if (node == NULL)
		return false;
	*nodes = lappend(*nodes, node);
	if (IsA(node, RangeTblEntry) || IsA(node, SortGroupClause))
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, collect_nodes, nodes,
								 QTW_EXAMINE_RTES_BEFORE | QTW_EXAMINE_SORTGROUP);
	return expression_tree_walker(node, collect_nodes, nodes);
}

/* Does the question become another, or none, if a bit at a place in it is changed? */
static bool
differs(const DpReleaseState *state, char *place, const char *digits)
{
	MemoryContext context = CurrentMemoryContext;
	char	   *volatile now = NULL;
	List	   *relations;

	*place ^= 1;
	PG_TRY();
	{
		now = digits_of(state->block, state->exact, state->list_keys, &relations);
	}
	PG_CATCH();
	{
		/* A bit changed in a number leaves an object that is not there. */
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	*place ^= 1;
	return now == NULL || strcmp(now, digits) != 0;
}

/* The place of a field's value in a node, or NULL if it has none that can be changed. */
static char *
place_in(Node *node, size_t offset)
{
	const Const *constant = (Const *) node;

	if (!IsA(node, Const))
		return (char *) node + offset;
	if (constant->constisnull)
		return NULL;
	if (offset != offsetof(Const, constvalue) || constant->constbyval)
		return (char *) node + offset;
	return (char *) DatumGetPointer(constant->constvalue) +
		(constant->constlen > 0 ? constant->constlen : VARSIZE_ANY(DatumGetPointer(constant->constvalue))) - 1;
}

/* Note for each field: is it there, and does the question change with it? */
static void
try_fields(DpReleaseState *state, bool *found, bool *changed)
{
	List	   *relations;
	const char *digits = digits_of(state->block, state->exact, state->list_keys, &relations);
	List	   *nodes = NIL;
	ListCell   *lc;

	(void) collect_nodes((Node *) state->exact, &nodes);
	(void) collect_nodes((Node *) state->list_keys, &nodes);
	for (int i = 0; i < lengthof(fields); i++)
	{
		if (fields[i].tag == T_Invalid)
		{
			found[i] = true;
			changed[i] |= differs(state, (char *) state->block + fields[i].offset, digits);
			continue;
		}
		foreach(lc, nodes)
		{
			char	   *place = nodeTag(lfirst(lc)) == fields[i].tag ? place_in(lfirst(lc), fields[i].offset) : NULL;

			if (place)
			{
				found[i] = true;
				changed[i] |= differs(state, place, digits);
			}
		}
	}
}

/*
 * test_question_fields(query): for each field of its blocks, and of the nodes that are in
 * their queries, whether a bit changed in it changes any of the questions.
 */
Datum
test_question_fields(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	QueryDesc  *desc = start_plan(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	bool		found[lengthof(fields)] = {false};
	bool		changed[lengthof(fields)] = {false};
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	foreach(lc, dp_statement_release_nodes(desc))
		try_fields(lfirst(lc), found, changed);
	for (int i = 0; i < lengthof(fields); i++)
	{
		Datum		values[2] = {CStringGetTextDatum(fields[i].name), BoolGetDatum(changed[i])};
		bool		nulls[2] = {false, false};

		if (found[i])
			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	end_plan(desc);
	return (Datum) 0;
}

/* test_nodes_looked_at(): how many nodes were looked at to find equal ones; NULL in builds without assertions. */
Datum
test_nodes_looked_at(PG_FUNCTION_ARGS)
{
	if (&dp_tree_nodes_looked_at == NULL)
		PG_RETURN_NULL();
	PG_RETURN_INT64(dp_tree_nodes_looked_at);
}

/* test_partitions_looked_at(): how many partitions were looked up; NULL likewise. */
Datum
test_partitions_looked_at(PG_FUNCTION_ARGS)
{
	if (&dp_policy_partitions_looked_at == NULL)
		PG_RETURN_NULL();
	PG_RETURN_INT64(dp_policy_partitions_looked_at);
}
