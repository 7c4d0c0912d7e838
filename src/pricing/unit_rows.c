/* SPDX-License-Identifier: PostgreSQL */
/*
 * unit_rows.c
 *	  How many rows of a unit a subquery groups, by what is declared or set.
 *
 * A join has at most the product of the rows of its items; one side of a FULL JOIN may be missing, which is one
 * row more of it.  What a smaller bound would cut is cut from answers without a word, so that nothing else of the
 * join is considered: a greater bound costs noise alone.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "from/full_join.h"
#include "policy/policy.h"
#include "pricing/unit_rows.h"

/* No more rows than these are of use. */
#define MOST_ROWS (1000 * 1000 * 1000)

static int64 count_rows(const Query *query, const DpUnitRows *rows, bool *known);

static int64
rows_of_item(const RangeTblEntry *rte, const DpUnitRows *rows, bool *known)
{
	DpPolicy	policy;

	if (rte->rtekind == RTE_SUBQUERY && rte->subquery)
		return count_rows(rte->subquery, rows, known);
	if (rte->rtekind != RTE_RELATION || !dp_policy_policy_get(rte->relid, &policy))
		return rows->join_rows;
	*known |= policy.max_rows > 1;
	return rows->asked > 0 ? rows->asked : policy.max_rows;
}

/* Multiply by the rows of each item below a node of FROM. */
static int64
multiply_items(const Query *query, Node *node, const DpUnitRows *rows, bool *known)
{
	int			more = dp_from_is_full_join(query) ? 1 : 0;
	int64		product = 1;
	List	   *below;
	ListCell   *lc;

	check_stack_depth();
	if (IsA(node, RangeTblRef))
		return rows_of_item(rt_fetch(((RangeTblRef *) node)->rtindex, query->rtable), rows, known) + more;
	below = IsA(node, JoinExpr) ? list_make2(((JoinExpr *) node)->larg, ((JoinExpr *) node)->rarg)
		: castNode(FromExpr, node)->fromlist;
	foreach(lc, below)
		product = Min(product * Max(multiply_items(query, lfirst(lc), rows, known), 1), MOST_ROWS);
	return product;
}

/* Rows of a query; of set operations those of all parts. */
static int64
count_rows(const Query *query, const DpUnitRows *rows, bool *known)
{
	int64		sum = 0;
	ListCell   *lc;

	if (query->setOperations == NULL)
		return multiply_items(query, (Node *) query->jointree, rows, known);
	foreach(lc, query->rtable)
		sum += rows_of_item(lfirst(lc), rows, known);
	return Min(sum, MOST_ROWS);
}

int
dp_pricing_unit_rows_of(const Query *query, const DpUnitRows *rows)
{
	bool		known = rows->asked > 0;
	int64		count = count_rows(query, rows, &known);

	return known ? (int) count : 0;
}

bool
dp_pricing_joins_items(const Query *query)
{
	return list_length(query->jointree->fromlist) > 1 ||
		(query->jointree->fromlist != NIL && !IsA(linitial(query->jointree->fromlist), RangeTblRef));
}
