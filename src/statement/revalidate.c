/* SPDX-License-Identifier: PostgreSQL */
/*
 * revalidate.c
 *	  A statement is validated again when its releases are opened.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/plancache.h"
#include "utils/syscache.h"

#include "base/compat_varlena.h"
#include "draw/invalidation.h"
#include "draw/release_state.h"
#include "policy/policy.h"
#include "policy/row_security.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "rewrite/rewrite.h"
#include "sidechannel/enum_labels.h"
#include "statement/revalidate.h"
#include "statement/running_call.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

/* Number of the statement planned last. */
static uint64 last_statement = 0;

/* The settings that constants were computed by: see fold_constants.c. */
static Const *
session_settings(void)
{
	char	   *settings = psprintf("%s %s %s %s", GetConfigOption("TimeZone", false, false),
									GetConfigOption("DateStyle", false, false),
									GetConfigOption("IntervalStyle", false, false),
									GetConfigOption("lc_time", false, false));

	return makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(settings), false, false);
}

List *
dp_statement_make_origin(const Query *query, const DpPricing *pricing, bool plain, List *policies)
{
	return lappend(lappend(list_make5(unconstify(Query *, query), dp_tree_make_bytea(pricing, sizeof(DpPricing)),
									  dp_tree_make_int8(dp_draw_invalidations()),
									  dp_tree_make_int8(++last_statement), dp_tree_make_int8(plain)),
						   session_settings()), policies);
}

List *
dp_statement_reads_of(const DpOpening *opening)
{
	return list_nth(opening->origin, DP_ORIGIN_READS);
}

int64
dp_statement_number_of(const DpOpening *opening, int place)
{
	return DatumGetInt64(list_nth_node(Const, opening->origin, place)->constvalue);
}

void
dp_statement_require_relation(Oid relid)
{
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("a table in a differentially private query has been dropped")));
}

/* Lock the relations of a query, and make sure that they are there. */
static bool
lock_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *rte = (RangeTblEntry *) node;

		if (!OidIsValid(rte->relid))
			return false;
		LockRelationOid(rte->relid, rte->rellockmode ? rte->rellockmode : AccessShareLock);
		dp_statement_require_relation(rte->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, lock_walker, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, lock_walker, context);
}

void
dp_statement_lock_relations(Node *node)
{
	(void) lock_walker(node, NULL);
}

bool
dp_statement_has_settings(const DpOpening *opening)
{
	return equal(list_nth(opening->origin, DP_ORIGIN_SESSION), session_settings());
}

DpPricing
dp_statement_pricing_of(const DpOpening *opening)
{
	return *(const DpPricing *) DatumGetPointer(list_nth_node(Const, opening->origin, DP_ORIGIN_PRICING)->constvalue);
}

/* A copy of a block without what people read, which depends on the search path. */
static DpBlock *
without_labels(const DpBlock *block)
{
	DpBlock    *copy = palloc(VARSIZE(block));

	memcpy(copy, block, VARSIZE(block));
	for (int i = 0; i < copy->nreleases; i++)
		memset(copy->release[i].label, 0, sizeof(copy->release[i].label));
	return copy;
}

/* Queries that a node runs, to be compared. */
static List *
work_of(Query *exact, Query *list_keys, List *enums, List *checks)
{
	return list_make4(exact, list_keys, enums, checks);
}

/* The types of a query's columns, if there is one. */
static List *
types_of(const Query *query)
{
	List	   *types = NIL;
	ListCell   *lc;

	foreach(lc, query ? query->targetList : NIL)
		types = lappend_oid(types, exprType((Node *) lfirst_node(TargetEntry, lc)->expr));
	return types;
}

/* Is this what a node releases, bit for bit, of columns of the types that it reads, and does it run this? */
static bool
is_block_of(const DpReleaseState *state, const DpRewrittenBlock *entry, const List *work)
{
	return equal(types_of(state->exact), types_of(entry->exact)) &&
		equal(types_of(state->list_keys), types_of(entry->keys)) &&
		VARSIZE(state->block) == VARSIZE(entry->block) &&
		memcmp(without_labels(state->block), without_labels(entry->block), VARSIZE(entry->block)) == 0 &&
		(work == NIL || equal(work, work_of(entry->exact, entry->keys, entry->enums, entry->checks)));
}

/* Have whatever is planned be planned anew. */
static _Noreturn void
raise_changed(void)
{
	ResetPlanCache();
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("a differentially private query has changed since it was planned"),
			 errhint("Run it again.")));
}

/*
 * Rewrite the statement again, with what it has read or without.  Raises an error unless it is
 * still allowed, and its nodes still release the same, and run what is given for each, if
 * anything is.
 */
static List *
rewrite_the_same(const DpOpening *opening, List *values, const List *works)
{
	DpStatement statement = {
		.params = opening->estate->es_param_list_info,
		.source = opening->estate->es_sourceText,
		.pricing = dp_statement_pricing_of(opening),
		.call = dp_statement_running_call(),
		.location = -1,
		.reads.values = values,
		.new_keys = list_copy(list_nth(opening->origin, DP_ORIGIN_NEW_KEYS))
	};
	DpReason   *reason;
	ListCell   *lc;

	dp_policy_read_once(true);
	PG_TRY();
	{
		(void) dp_rewrite_rewrite(list_nth_node(Query, opening->origin, DP_ORIGIN_QUERY), &statement, &reason);
	}
	PG_FINALLY();
	{
		dp_policy_read_once(false);
	}
	PG_END_TRY();
	if (reason)
		dp_tree_raise(reason, statement.source);
	foreach(lc, opening->nodes)
	{
		const DpReleaseState *state = lfirst(lc);

		if (state->number < list_length(statement.blocks) && equal(statement.reads.queries, dp_statement_reads_of(opening)) &&
			is_block_of(state, list_nth(statement.blocks, state->number),
						works ? list_nth(works, foreach_current_index(lc)) : NIL))
			continue;
		raise_changed();
	}
	return statement.blocks;
}

/* Queries that each node runs now. */
static List *
works_of(const DpOpening *opening)
{
	List	   *works = NIL;
	ListCell   *lc;

	foreach(lc, opening->nodes)
	{
		const DpReleaseState *state = lfirst(lc);

		works = lappend(works, work_of(state->exact, state->list_keys, state->enums, state->checks));
	}
	return works;
}

void
dp_statement_validate_again(const DpOpening *opening)
{
	List	   *works = works_of(opening);

	if (!dp_policy_row_security_is(list_nth(opening->origin, DP_ORIGIN_POLICIES)))
		raise_changed();
	(void) rewrite_the_same(opening, NIL, opening->planned ? opening->planned : works);
	if (opening->planned)
		(void) rewrite_the_same(opening, opening->values, works);
}

void
dp_statement_put_values(DpOpening *opening)
{
	List	   *blocks = rewrite_the_same(opening, opening->values, NIL);
	ListCell   *lc;

	opening->planned = works_of(opening);
	foreach(lc, opening->nodes)
	{
		DpReleaseState *state = lfirst(lc);
		const DpRewrittenBlock *entry = list_nth(blocks, state->number);

		state->exact = entry->exact;
		state->list_keys = entry->keys;
		state->enums = entry->enums;
		state->checks = entry->checks;
		state->join = entry->join;
		state->unknown_keys = entry->unknown_keys;
		dp_sidechannel_hold_enums(state->enums);
	}
}

void
dp_statement_forget_values(DpOpening *opening)
{
	ListCell   *lc;
	ListCell   *lc2;

	forboth(lc, opening->nodes, lc2, opening->planned)
	{
		DpReleaseState *state = lfirst(lc);
		const List *work = lfirst(lc2);

		state->exact = linitial(work);
		state->list_keys = lsecond(work);
		state->enums = lthird(work);
		state->checks = lfourth(work);
	}
	opening->planned = NIL;
}
