/* SPDX-License-Identifier: PostgreSQL */
/*
 * rewrite.c
 *	  Walking a statement and rewriting its blocks.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "asking/select_right.h"
#include "asking/histogram.h"
#include "base/compat_planner.h"
#include "base/compat_varlena.h"
#include "budget/account/role.h"
#include "budget/keeper/client.h"
#include "exact/column_limit.h"
#include "exact/exact_query.h"
#include "exact/fan_out.h"
#include "exact/foreign_table.h"
#include "exact/join_lists.h"
#include "exact/sample.h"
#include "exact/work_limit.h"
#include "expression/allow_list.h"
#include "expression/canonical_key.h"
#include "expression/refusals.h"
#include "expression/validate.h"
#include "from/contribution.h"
#include "from/dependent_columns.h"
#include "from/public_query.h"
#include "from/pull_up.h"
#include "from/lowered_unit.h"
#include "from/read_from.h"
#include "from/referenced_keys.h"
#include "policy/citus.h"
#include "policy/unique.h"
#include "pricing/aggregate.h"
#include "pricing/aggregate_args.h"
#include "pricing/asked.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "pricing/chosen_groups.h"
#include "pricing/form_table.h"
#include "pricing/forms.h"
#include "pricing/joint.h"
#include "pricing/kind.h"
#include "pricing/price_lines.h"
#include "pricing/quantile_levels.h"
#include "pricing/shared_noise.h"
#include "pricing/supply_bounds.h"
#include "pricing/total_cost.h"
#include "rewrite/above_release.h"
#include "rewrite/constant_extremes.h"
#include "rewrite/describe_cells.h"
#include "rewrite/extreme_text.h"
#include "rewrite/finite_keys.h"
#include "rewrite/grouping_sets.h"
#include "rewrite/interval_terms.h"
#include "rewrite/noted_columns.h"
#include "rewrite/private_groups.h"
#include "rewrite/rewrite.h"
#include "rewrite/shown_values.h"
#include "rewrite/unknown_keys.h"
#include "sidechannel/enum_labels.h"
#include "tree/find_blocks.h"
#include "tree/given.h"
#include "tree/make_nodes.h"
#include "tree/own_functions.h"
#include "tree/public_params.h"
#include "tree/reason.h"
#include "tree/release_query.h"

typedef struct RewriteContext
{
	DpStatement *statement;
	List	   *levels;			/* of Query: those around, innermost first */
	int			location;		/* of the first of our functions, or the WITH query around */
	DpReason   *reason;
} RewriteContext;

/*
 * Refuse what a statement with a block may not be, at any depth.  What is at
 * fault has no place of its own in the tree: `location` is the nearest that has.
 */
static DpReason *
check_query(Query *query, bool top, int location)
{
	if (query->commandType != CMD_SELECT && !(top && query->commandType == CMD_INSERT))
		return dp_tree_reason(location, "Use SELECT or INSERT ... SELECT.",
							  "only SELECT may contain a differentially private query");
	if (query->onConflict)
		return dp_tree_reason(location, "Insert without ON CONFLICT.",
							  "ON CONFLICT is not allowed with a differentially private query");
	if (query->rowMarks)
		return dp_tree_reason(location, "Leave FOR UPDATE or FOR SHARE out.",
							  "row locks are not allowed with a differentially private query");
	return NULL;
}

/* Does a block show nothing but keys? */
static bool
shows_keys_alone(Query *query)
{
	ListCell   *lc;

	foreach(lc, dp_tree_aggregates(query))
		if (!dp_tree_is_keys_alone(lfirst(lc)))
			return false;
	return true;
}

/*
 * Validate the grouping expressions.  The operators must be built in, and an
 * order must exist, because groups are released in the order of their keys.
 */
static DpReason *
validate_keys(DpBlockRewrite *rewrite)
{
	Query	   *query = rewrite->query;
	ListCell   *lc;

	foreach(lc, query->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node	   *key = get_sortgroupclause_expr(clause, query->targetList);
		DpReason   *reason = NULL;
		Node	   *expr = NULL;

		rewrite->keys = lappend(rewrite->keys, key);
		if (list_length(query->groupClause) == 1)
			expr = dp_asking_public_key(query, key, rewrite->statement,
										&rewrite->domain, &reason);
		if (expr == NULL && reason == NULL)
			expr = dp_expression_validate_expression(query, key, rewrite->statement, &reason);
		if (reason == NULL)
			expr = dp_expression_canonical_key(expr, &reason);
		if (reason)
			return reason;
		if (!dp_expression_type_is_groupable(exprType(expr)) ||
			clause->eqop >= FirstUnpinnedObjectId || clause->sortop >= FirstUnpinnedObjectId ||
			!OidIsValid(clause->sortop))
			return dp_tree_reason(exprLocation(key), dp_expression_hint_for_key(exprType(expr)),
								  "grouping by this type is not allowed in a differentially private query");
		rewrite->key_exprs = lappend(rewrite->key_exprs, expr);
	}
	rewrite->plain_keys = rewrite->key_exprs;
	rewrite->listed = rewrite->domain == 0 && !dp_pricing_is_formed(rewrite) &&
		!shows_keys_alone(query) && dp_rewrite_keys_are_listed(rewrite);
	if (rewrite->domain == 0 && !rewrite->listed && rewrite->keys != NIL)
		dp_rewrite_make_keys_public(rewrite, !shows_keys_alone(query) && !dp_pricing_is_formed(rewrite));
	return NULL;
}

/*
 * Keep the measures that are released.  Others are answered from these; where groups are private, the
 * count that decides which there are has a release of its own.
 */
static void
join_measures(DpBlockRewrite *rewrite)
{
	bool		counts_groups = rewrite->keys != NIL && rewrite->domain == 0 && !rewrite->listed;
	ListCell   *lc;

	if (!dp_pricing_is_formed(rewrite))
		dp_pricing_join_measures(rewrite->query, rewrite->asked, &rewrite->contribution, counts_groups);
	foreach(lc, rewrite->asked)
		if (((DpMeasure *) lfirst(lc))->carrier == NULL)
			rewrite->measures = lappend(rewrite->measures, lfirst(lc));
}

/* Measure what a block releases, each release once. */
static DpReason *
measure_aggregates(DpBlockRewrite *rewrite, List *aggregates)
{
	ListCell   *lc;

	rewrite->measured = dp_tree_node_map();
	foreach(lc, aggregates)
	{
		DpMeasure  *measure;
		DpReason   *reason;

		if (dp_tree_is_keys_alone(lfirst(lc)) ||
			!dp_tree_number_node(rewrite->measured, dp_pricing_made_of(lfirst(lc)),
								 list_length(rewrite->asked)))
			continue;
		measure = palloc(sizeof(DpMeasure));
		reason = dp_pricing_measure(rewrite->query, lfirst(lc), &rewrite->contribution,
									rewrite->statement, measure);
		if (reason)
			return reason;
		rewrite->asked = lappend(rewrite->asked, measure);
	}
	join_measures(rewrite);
	return NULL;
}

/* How many rows of a unit count in a release, or distinct values; 0 if its total is bounded as such. */
static int
rows_that_count(const DpBlockRewrite *rewrite, const DpMeasure *measure)
{
	if (measure->distinct_units || dp_pricing_is_clipped(&measure->release))
		return 0;
	if (measure->distinct_values || dp_kind(&measure->release)->counts)
		return measure->most_rows;
	return dp_kind(&measure->release)->bounds_totals ? 0 : rewrite->contribution.max_rows;
}

/*
 * Has each unit a row at most, though it is not certain that nobody sees more: the key is so new?  Whether
 * it is new depends on what others are doing.
 */
static bool
has_single_rows(const DpContribution *contribution)
{
	const DpPolicy *policy = &contribution->policy;
	Relation	relation;
	bool		unique;

	if (contribution->row_is_unit)
		return true;
	if (policy->linked || contribution->fan_outs != NIL || list_length(contribution->tables) != 1)
		return false;
	relation = table_open(policy->relid, NoLock);
	unique = dp_policy_column_is_unique(relation, policy->unit);
	table_close(relation, NoLock);
	return unique;
}

/* Describe how much of a unit counts in the block, if that matters. */
static void
describe_bounds(DpBlockRewrite *rewrite)
{
	const DpContribution *contribution = &rewrite->contribution;
	DpBlock    *block = rewrite->block;
	bool		by_default = contribution->pricing->max_rows == 0 && contribution->policy.max_rows == 1;
	ListCell   *lc;

	block->table = contribution->policy.relid;
	if (has_single_rows(contribution))
		return;
	foreach(lc, rewrite->measures)
	{
		DpRelease  *release = &block->release[foreach_current_index(lc)];

		release->max_rows = rows_that_count(rewrite, lfirst(lc));
		block->one_row |= by_default && release->max_rows == 1;
		if (contribution->cut && contribution->pricing->max_rows == 0)
			block->cut_at = Max(block->cut_at, release->max_rows);
	}
	if (block->nkeys == 0)
		return;
	block->max_groups = contribution->max_groups;
	block->one_group = contribution->pricing->max_groups == 0 && contribution->policy.max_groups == 1;
}

/* Describe what the block releases. */
static DpReason *
describe_block(DpBlockRewrite *rewrite)
{
	int			nmeasures = list_length(rewrite->measures);
	DpBlock    *block = palloc0(DpBlockSize(nmeasures + 1));
	ListCell   *lc;
	DpReason   *reason;

	rewrite->block = block;
	strlcpy(block->dataset, NameStr(rewrite->contribution.policy.dataset), NAMEDATALEN);
	block->nkeys = list_length(rewrite->key_exprs);
	block->domain = rewrite->domain;
	block->listed = rewrite->listed;
	block->added_up = rewrite->added_up;
	block->sample_rate = rewrite->statement->pricing.sample_rate;
	block->chooser = -1;
	block->nreleases = nmeasures;
	foreach(lc, rewrite->measures)
	{
		int			i = foreach_current_index(lc);

		block->release[i] = ((DpMeasure *) lfirst(lc))->release;
		block->release[i].column = block->nkeys + i;
	}
	dp_pricing_share_levels(block, rewrite->measures, &rewrite->contribution);
	describe_bounds(rewrite);
	reason = dp_pricing_is_formed(rewrite) ? dp_pricing_set_form(rewrite) : dp_rewrite_choose_selector(rewrite);
	if (reason)
		return reason;
	dp_pricing_choose_groups(rewrite);
	if (rewrite->statement->pricing.shared_noise)
		dp_pricing_share_noise(rewrite->block);
	dp_pricing_block_set_cost(rewrite->block);
	SET_VARSIZE(rewrite->block, DpBlockSize(rewrite->block->nreleases));
	return NULL;
}

/* Have blocks that follow know what this one's release stands for. */
static void
note_released(const DpBlockRewrite *rewrite)
{
	DpReleasedBlock *released = palloc(sizeof(DpReleasedBlock));
	DpPublicReads *reads = &rewrite->statement->reads;

	released->given = rewrite->given;
	released->of_groups = dp_form(rewrite->block)->of_groups;
	reads->released = lappend(reads->released, released);
}

/* How a join was limited, for notices and hints (statement/notices.h); NIL without one. */
static List *
describe_join(const DpJoinLimit *limit)
{
	if (limit->names == NULL)
		return NIL;
	return list_make5(makeString(limit->names), makeInteger(limit->lowered ? limit->each : 0), makeInteger(limit->rows),
					  makeInteger(limit->most), makeString(limit->ways));
}

/* Enter the block in the statement; returns what reads its release instead. */
static Query *
register_block(DpBlockRewrite *rewrite, Query *exact, Query *keys, List *checks, List *cells, const DpJoinLimit *limit,
			   List *unknown_keys, int location)
{
	DpStatement *statement = rewrite->statement;
	DpRewrittenBlock *entry = palloc(sizeof(DpRewrittenBlock));

	entry->block = rewrite->block;
	entry->exact = exact;
	entry->keys = keys;
	entry->checks = checks;
	entry->join = describe_join(limit);
	entry->unknown_keys = unknown_keys;
	entry->enums = dp_sidechannel_enums_of(exact);
	entry->rows = dp_rewrite_release_rows(rewrite, keys);
	entry->asked = dp_pricing_asked(rewrite->flat, statement);
	entry->cells = cells;
	entry->location = location;
	entry->reads = statement->reads.count;
	entry->shown = dp_rewrite_shown_values(rewrite);
	statement->blocks = lappend(statement->blocks, entry);
	note_released(rewrite);
	return dp_tree_make_release_query(list_length(statement->blocks) - 1, exact, location);
}

/* What is at fault may have no place, such as in a view: then the block's. */
static DpReason *
placed(DpReason *reason, int location)
{
	if (reason->location < 0)
		reason->location = location;
	return reason;
}

/* Have the block read what this query does in place of protected rows. */
static DpReason *
read_instead(DpBlockRewrite *rewrite, Query *source)
{
	Query	   *outer = dp_tree_make_select_from(source, "dp_release");
	DpReason   *reason;

	dp_rewrite_restore_public_keys(rewrite);
	reason = dp_rewrite_rewrite_above(rewrite);
	if (reason)
		return reason;
	dp_tree_read_grouped(rewrite->query, outer);
	return NULL;
}

/* Does one of these levels (of Query) aggregate what the one below shows? */
static bool
aggregates_rows_below(List *levels)
{
	ListCell   *lc;

	foreach(lc, levels)
	{
		Query	   *query = lfirst_node(Query, lc);

		if (!dp_tree_is_block(query) && dp_asking_aggregates_rows(query))
			return true;
	}
	return false;
}

/* Settle what the block releases, and make the query that computes it. */
static DpReason *
make_release(DpBlockRewrite *rewrite, int location)
{
	DpReason   *reason = describe_block(rewrite);
	List	   *unknown_keys = reason ? NIL : dp_rewrite_unknown_keys(rewrite);
	const DpPublicReads *reads = &rewrite->statement->reads;
	List	   *cells;
	Query	   *exact;
	Query	   *keys;
	List	   *checks;
	DpJoinLimit limit;
	Size		longest;

	if (reason == NULL)
		reason = dp_exact_check_foreign(rewrite, location);
	if (reason == NULL)
		reason = dp_exact_check_measures(rewrite, location);
	if (reason == NULL)
		reason = dp_exact_sample_obstacle(rewrite, location);
	if (reason)
		return reason;
	/* Answers of other questions are not added up to this one, which its values are part of. */
	cells = reads->queries ? NIL : dp_rewrite_describe_cells(rewrite);
	checks = dp_exact_limit_fan_outs(rewrite);
	checks = (List *) dp_tree_put_values(reads, (Node *) checks);
	exact = (Query *) dp_tree_put_values(reads, (Node *) dp_exact_exact(rewrite));
	keys = rewrite->listed ? (Query *) dp_tree_put_values(reads, (Node *) dp_rewrite_list_keys(rewrite)) : NULL;
	if (reads->queries && !rewrite->contribution.foreign)
		dp_exact_join_lists(exact);
	reason = dp_exact_check_width(exact, rewrite->measures);
	if (reason == NULL && keys)
		reason = dp_exact_check_width(keys, NIL);
	if (reason == NULL)
		reason = dp_policy_check_citus(list_make3(exact, keys, checks), location);
	if (reason == NULL)
		reason = dp_exact_limit_joined_work(rewrite, &exact, &checks, location, &limit, &longest);
	if (reason)
		return reason;
	if (cells)
		dp_rewrite_limit_cells(cells, longest);
	return read_instead(rewrite, register_block(rewrite, exact, keys, checks, cells, &limit, unknown_keys, location));
}

/*
 * Public keys by themselves, which a query lists or which are numbers: nothing is released,
 * and no protected row is read.  The rights are those that reading them would need, and the
 * plan depends on the same relations.
 */
static DpReason *
show_public_keys(DpBlockRewrite *rewrite, Query *list)
{
	Query	   *query = rewrite->query;
	Query	   *unread;
	DpReason   *reason;
	ListCell   *lc;

	dp_exact_grant(rewrite);
	unread = dp_tree_make_select(query->rtable, query->jointree);
	dp_compat_take_permissions(unread, query);
	if (list == NULL)
		list = dp_tree_make_numbers(rewrite->domain);
	foreach(lc, list->targetList)
		rewrite->key_vars = lappend(rewrite->key_vars, makeVarFromTargetEntry(1, lfirst(lc)));
	reason = read_instead(rewrite, list);
	if (reason)
		return reason;
	dp_tree_keep_rights(query, unread);
	foreach(lc, rewrite->statement->reads.queries)
		dp_tree_keep_rights(query, lfirst(lc));
	return NULL;
}

/* Read FROM and keys; *list is set to the query of the keys if they are all that is shown, and listed. */
static DpReason *
read_block(DpBlockRewrite *rewrite, List *levels, int location, Query **list)
{
	Query	   *query = rewrite->query;
	DpStatement *statement = rewrite->statement;
	DpReason   *reason = dp_from_flatten_from(query, levels, statement, location);

	Assert(query->groupingSets == NIL);
	if (reason == NULL)
		dp_from_group_dependent(query);
	if (reason == NULL && shows_keys_alone(query))
		*list = dp_from_list_references(query, location, &reason);
	else if (reason == NULL && !dp_pricing_is_formed(rewrite))
		reason = dp_from_join_references(query, location, &rewrite->replaced);
	if (reason)
		return reason;
	rewrite->flat = copyObject(query);
	reason = dp_from_read_from(query, statement, location, &rewrite->contribution);
	if (reason == NULL)
		reason = dp_from_check_spellings(&rewrite->contribution, location);
	return reason ? reason : validate_keys(rewrite);
}

/* Does a query, nested so deep below a block, name a WITH query of those around the block? */
static bool
names_with_around(Node *node, int *depth)
{
	bool		found;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return ((RangeTblEntry *) node)->rtekind == RTE_CTE && (int) ((RangeTblEntry *) node)->ctelevelsup > *depth;
	if (!IsA(node, Query))
		return expression_tree_walker(node, names_with_around, depth);
	(*depth)++;
	found = query_tree_walker((Query *) node, names_with_around, depth, QTW_EXAMINE_RTES_BEFORE);
	(*depth)--;
	return found;
}

/* A block as it stands in the statement, with the WITH queries of those around it that it names. */
static Query *
given_block(const Query *block, List *levels)
{
	Query	   *given = palloc(sizeof(Query));
	int			depth = -1;

	*given = *block;
	if (!names_with_around((Node *) given, &depth))
		return given;
	given = copyObject(given);
	given->cteList = NIL;
	dp_from_bring_with(given, lcons(copyObject(unconstify(Query *, block)), copyObject(levels)));
	return given;
}

/* A block rewritten: what reads its release, which is entered in the statement; or NULL, and why not. */
static Query *
rewritten_block(const Query *block, List *levels, DpStatement *statement, DpReason **reason_place)
{
	Query	   *query = copyObject(unconstify(Query *, block));
	DpBlockRewrite rewrite = {.query = query, .given = given_block(block, levels), .statement = statement};
	int			location = dp_tree_first_aggregate(query)->location;
	Query	   *list = NULL;
	DpReason   *reason;

	rewrite.own_entries = list_length(query->rtable);
	reason = read_block(&rewrite, levels, location, &list);
	if (reason)
	{
		*reason_place = placed(reason, location);
		return NULL;
	}
	rewrite.added_up = aggregates_rows_below(levels);
	dp_budget_choose(&statement->pricing, dp_budget_role_asking(), NameStr(rewrite.contribution.policy.dataset));
	dp_from_set_bounds(&rewrite.contribution, query->groupClause != NIL, rewrite.domain);
	if (dp_pricing_is_formed(&rewrite))
		rewrite.contribution.most_rows = 0;
	dp_rewrite_read_constant_extremes(query, &statement->reads);
	reason = dp_rewrite_place_extremes(query);
	dp_pricing_fold_filters(query);
	if (reason == NULL)
		reason = dp_pricing_supply_bounds(query, &rewrite.contribution, statement);
	if (reason == NULL)
		reason = measure_aggregates(&rewrite, dp_tree_aggregates(query));
	if (reason == NULL && rewrite.measures == NIL && (rewrite.domain > 0 || list))
		reason = show_public_keys(&rewrite, rewrite.domain > 0 ? NULL : list);
	else if (reason == NULL)
		reason = make_release(&rewrite, location);
	*reason_place = reason ? placed(reason, location) : NULL;
	return reason ? NULL : query;
}

/* Have what is rewritten stand in place of a block. */
static DpReason *
rewrite_block(Query *query, List *levels, DpStatement *statement)
{
	Query	   *given = dp_tree_given(query);
	DpReason   *reason;
	Query	   *rewritten = rewritten_block(query, levels, statement, &reason);

	dp_tree_check_unchanged(query, given);
	if (rewritten)
		*query = *rewritten;
	return reason;
}

/* Rewrite subqueries first, then the query itself if it is a block. */
static bool
rewrite_walker(Node *node, RewriteContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, CommonTableExpr))
	{
		int			location = context->location;
		bool		found;

		context->location = ((CommonTableExpr *) node)->location;
		found = expression_tree_walker(node, rewrite_walker, context);
		context->location = location;
		return found;
	}
	if (IsA(node, Query))
	{
		Query	   *query = (Query *) node;

		context->reason = check_query(query, false, context->location);
		if (context->reason)
			return true;
		context->levels = lcons(query, context->levels);
		query_tree_walker(query, rewrite_walker, context, 0);
		context->levels = list_delete_first(context->levels);
		if (context->reason == NULL && dp_tree_is_block(query))
			context->reason = rewrite_block(query, context->levels, context->statement);
		return context->reason != NULL;
	}
	return expression_tree_walker(node, rewrite_walker, context);
}

/* Name what is left of our functions where they have no meaning. */
static bool
leftover_walker(Node *node, RewriteContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, leftover_walker, context, 0);
	if (!dp_tree_is_ours(node))
		return expression_tree_walker(node, leftover_walker, context);
	if (IsA(node, WindowFunc))
		context->reason = dp_tree_reason(exprLocation(node),
										 "Aggregate in a subquery and apply window functions to its result.",
										 "a differentially private aggregate cannot be a window function");
	else if (IsA(node, FuncExpr) &&
			 dp_tree_function(((FuncExpr *) node)->funcid) == DP_FUNCTION_INTERVAL)
		context->reason = dp_tree_reason(exprLocation(node),
										 "Call it on an aggregate, or on arithmetic on aggregates: dp_interval(dp_count(*), 0.95).",
										 "dp_interval needs a differentially private aggregate");
	else if (IsA(node, FuncExpr) && ((FuncExpr *) node)->location < 0 &&
			 dp_tree_function(((FuncExpr *) node)->funcid) == DP_FUNCTION_TERM)
		context->reason = dp_tree_reason(exprLocation(linitial(((FuncExpr *) node)->args)),
										 "Counts, sums, means, variances and their like have intervals in arithmetic; of others ask dp_interval by themselves.",
										 "dp_interval of arithmetic on this aggregate is not allowed");
	else if (IsA(node, Aggref))
		context->reason = dp_tree_reason(exprLocation(node),
										 "Compute it in the query whose rows it counts.",
										 "an outer query's aggregate in a subquery is not allowed");
	else
		context->reason = dp_tree_reason(exprLocation(node),
										 "Call it in FROM, alone in its item and with constant arguments.",
										 "%s is not allowed here",
										 get_func_name(((FuncExpr *) node)->funcid));
	return true;
}

/* One statement, one charge, one budget row: blocks must share a data set. */
static DpReason *
check_datasets(DpStatement *statement)
{
	const char *dataset = NULL;
	ListCell   *lc;

	foreach(lc, statement->blocks)
	{
		DpRewrittenBlock *entry = lfirst(lc);
		DpBlock    *block = entry->block;

		if (dataset && strcmp(dataset, block->dataset) != 0)
			return dp_tree_reason(entry->location, "Query each data set in a statement of its own.",
								  "one statement cannot query two data sets");
		dataset = block->dataset;
	}
	return NULL;
}

/* What can be asked can be paid for: the ledger describes each release. */
static DpReason *
check_releases(DpStatement *statement)
{
	int			releases = 0;
	ListCell   *lc;

	foreach(lc, statement->blocks)
	{
		DpRewrittenBlock *entry = lfirst(lc);

		releases += dp_pricing_block_priced(entry->block);
		if (releases > DP_MOST_RELEASES)
			return dp_pricing_too_many_releases(entry->location);
	}
	return NULL;
}

/* Public values are for exact queries alone: nothing in the outer query knows them. */
static void
check_public(const Query *query, const DpStatement *statement)
{
	if (statement->reads.queries && dp_tree_mentions_public(query))
		elog(ERROR, "a public value is left above a release");
}

Query *
dp_rewrite_rewrite(const Query *statement_query, DpStatement *statement, DpReason **reason)
{
	Query	   *query = copyObject(unconstify(Query *, statement_query));
	RewriteContext context = {.statement = statement, .location = statement->location};

	dp_compat_flatten_groups(query);
	context.reason = check_query(query, true, context.location);
	if (context.reason == NULL)
		context.reason = dp_rewrite_expand_intervals(query, statement);
	if (context.reason == NULL)
		query = dp_rewrite_note_columns(query, statement);
	context.levels = list_make1(query);
	if (context.reason == NULL)
		context.reason = dp_rewrite_expand_grouping_sets(query);
	if (context.reason == NULL)
		query_tree_walker(query, rewrite_walker, &context, 0);
	if (context.reason == NULL && dp_tree_is_block(query))
		context.reason = rewrite_block(query, NIL, statement);
	if (context.reason == NULL)
		query_tree_walker(query, leftover_walker, &context, 0);
	if (context.reason == NULL)
		check_public(query, statement);
	if (context.reason == NULL)
		context.reason = check_datasets(statement);
	if (context.reason == NULL)
		context.reason = check_releases(statement);
	*reason = context.reason;
	return context.reason ? NULL : query;
}
