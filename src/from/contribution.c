/* SPDX-License-Identifier: PostgreSQL */
/*
 * contribution.c
 *	  What a block reads, and what one unit may contribute to it: the bounds that its
 *	  policy and the session's settings give.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"

#include "from/contribution.h"
#include "policy/partitions.h"
#include "tree/make_nodes.h"

bool
dp_from_is_unit(Node *expr, const DpContribution *contribution)
{
	Var		   *var;
	ListCell   *lc;

	expr = dp_tree_without_casts(expr);
	if (expr == NULL || !IsA(expr, Var))
		return false;
	var = (Var *) expr;
	foreach(lc, contribution->units)
	{
		Var		   *unit = lfirst_node(Var, lc);

		if (var->varlevelsup == 0 && var->varno == unit->varno &&
			var->varattno == unit->varattno)
			return true;
	}
	return false;
}

int
dp_from_max_join_rows(const DpContribution *contribution)
{
	int			set = contribution->pricing->max_join_rows;

	return set > 0 ? set : contribution->policy.max_join_rows;
}

int
dp_from_share_of_join_rows(const DpContribution *contribution, int number)
{
	return (int) floor(pow(dp_from_max_join_rows(contribution), 1.0 / number) + 1e-9);
}

/*
 * The bound for distinct values: the one that was set, or declared, or else that for
 * rows.
 */
static int
max_values(const DpContribution *contribution)
{
	if (contribution->pricing->max_values > 0)
		return contribution->pricing->max_values;
	return contribution->policy.max_values > 0 ? contribution->policy.max_values : contribution->max_rows;
}

/* Are partitions on other servers, where no clamp can be chosen? */
static bool
has_foreign_partitions(const DpContribution *contribution)
{
	ListCell   *lc;

	foreach(lc, contribution->tables)
	{
		const RangeTblEntry *rte = ((const DpTable *) lfirst(lc))->rte;

		if (rte->relkind == RELKIND_PARTITIONED_TABLE && dp_policy_lock_foreign_partitions(rte->relid) != NIL)
			return true;
	}
	return false;
}

/*
 * In how many groups a unit counts at most: as set or declared, and in no more than are answered.  These alone are
 * released, so that a unit changes no others; and rows of none of them take no group's place (exact_query.c).
 */
static int
max_groups(const DpContribution *contribution, int answered)
{
	int			set = contribution->pricing->max_groups;
	int			most = set > 0 ? set : contribution->policy.max_groups;

	return answered > 0 ? Min(most, answered) : most;
}

void
dp_from_set_bounds(DpContribution *contribution, bool grouped, int answered)
{
	int			max_rows = contribution->pricing->max_rows;

	contribution->max_rows = 1;
	contribution->max_groups = 1;
	contribution->max_values = 1;
	contribution->most_rows = 0;
	if (contribution->row_is_unit)
		return;
	contribution->max_rows = max_rows > 0 ? max_rows : contribution->policy.max_rows;
	contribution->max_values = max_values(contribution);
	if (contribution->pricing->clipping == DP_CLIPPING_AUTO && !has_foreign_partitions(contribution))
		contribution->most_rows = contribution->policy.clip_max_rows;
	if (grouped)
		contribution->max_groups = max_groups(contribution, answered);
}

/* Name the table that an item is, and the columns that it is joined by. */
static void
add_missing_key(StringInfo keys, const DpFanOut *fan_out)
{
	appendStringInfo(keys, "%s \"%s\" on (", keys->len > 0 ? ", of" : "Missing is a unique key of", get_rel_name(fan_out->table));
	for (int i = 0; i < fan_out->ncompared; i++)
		appendStringInfo(keys, "%s%s", i > 0 ? ", " : "",
						 get_attname(fan_out->table, list_nth_int(fan_out->columns, i), false));
	appendStringInfoChar(keys, ')');
}

char *
dp_from_missing_keys(List *fan_outs)
{
	StringInfoData keys;
	ListCell   *lc;

	initStringInfo(&keys);
	foreach(lc, fan_outs)
	{
		const DpFanOut *fan_out = lfirst(lc);

		if (OidIsValid(fan_out->table) && fan_out->ncompared > 0)
			add_missing_key(&keys, fan_out);
	}
	if (keys.len > 0)
		appendStringInfoString(&keys, ". ");
	return keys.data;
}
