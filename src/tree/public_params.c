/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_params.c
 *	  Values that a block takes from rows and code that are not protected.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"

#include "tree/public_params.h"
#include "tree/query_text.h"
#include "tree/release_query.h"

static Param *
make_param(int number, const Node *like)
{
	Param	   *param = makeNode(Param);

	param->paramkind = PARAM_EXTERN;
	param->paramid = number;
	param->paramtype = exprType(like);
	param->paramtypmod = exprTypmod(like);
	param->paramcollid = exprCollation(like);
	param->location = -1;
	return param;
}

static Node *
column_of(const Query *query, int column)
{
	return (Node *) list_nth_node(TargetEntry, query->targetList, column)->expr;
}

/* Where a query stands, as far as that tells it from one that is alike; -1 if it does not. */
static int
place_of(Query *query, int location)
{
	return contain_volatile_functions((Node *) query) ? location : -1;
}

Param *
dp_tree_add_public_query(DpPublicReads *reads, Query *query, int location)
{
	int			first = -1;
	ListCell   *lc;

	/* No statement has a place there but the analyst's, for whom it is no position. */
	query->stmt_location = place_of(query, location);
	foreach(lc, reads->queries)
	{
		Query	   *other = lfirst_node(Query, lc);

		if (equal(other, query) && other->stmt_location == query->stmt_location)
			return make_param(first, column_of(query, 0));
		first -= list_length(other->targetList);
	}
	reads->queries = lappend(reads->queries, query);
	reads->count += list_length(query->targetList);
	return make_param(first, column_of(query, 0));
}

Param *
dp_tree_public_column(const Param *first, const Query *query, int column)
{
	return make_param(first->paramid - column, column_of(query, column));
}

bool
dp_tree_is_public_param(const Node *node)
{
	return node && IsA(node, Param) && ((const Param *) node)->paramkind == PARAM_EXTERN &&
		((const Param *) node)->paramid < 0;
}

Const *
dp_tree_public_value(const DpPublicReads *reads, const Param *param)
{
	int			place = -param->paramid - 1;

	if (reads == NULL || place >= list_length(reads->values))
		return NULL;
	return list_nth(reads->values, place);
}

/*
 * The value as a constant with the parameter's own place and modifier; or NULL.  It is not copied: there is
 * one of each, however often it is named.
 */
static Node *
known_value(const DpPublicReads *reads, Node *node)
{
	const Const *known = dp_tree_is_public_param(node) ? dp_tree_public_value(reads, (Param *) node) : NULL;
	Const	   *value;

	if (known == NULL)
		return NULL;
	value = makeNode(Const);
	*value = *known;
	value->consttypmod = ((Param *) node)->paramtypmod;
	value->constcollid = ((Param *) node)->paramcollid;
	value->location = ((Param *) node)->location;
	return (Node *) value;
}

List *
dp_tree_known_values(const DpPublicReads *reads, List *expressions)
{
	List	   *known = NIL;
	ListCell   *lc;

	foreach(lc, expressions)
	{
		Node	   *value = known_value(reads, lfirst(lc));

		known = lappend(known, value ? value : lfirst(lc));
	}
	return known;
}

static Node *
put_values_mutator(Node *node, DpPublicReads *reads)
{
	Node	   *value = known_value(reads, node);

	if (node == NULL || value)
		return value;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, put_values_mutator, reads, 0);
	return expression_tree_mutator(node, put_values_mutator, reads);
}

Node *
dp_tree_put_values(const DpPublicReads *reads, Node *node)
{
	return reads->queries ? put_values_mutator(node, unconstify(DpPublicReads *, reads)) : node;
}

static bool
mentions_public_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, mentions_public_walker, context, 0);
	return dp_tree_is_public_param(node) || expression_tree_walker(node, mentions_public_walker, context);
}

bool
dp_tree_mentions_public(const Query *query)
{
	return mentions_public_walker((Node *) unconstify(Query *, query), NULL);
}

static bool
values_walker(Node *node, Bitmapset **places)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, values_walker, places, 0);
	if (dp_tree_is_public_param(node))
		*places = bms_add_member(*places, -((Param *) node)->paramid - 1);
	return expression_tree_walker(node, values_walker, places);
}

Bitmapset *
dp_tree_values_mentioned(const Query *query)
{
	Bitmapset  *places = NULL;

	(void) query_tree_walker(unconstify(Query *, query), values_walker, &places, 0);
	return places;
}

static bool
releases_walker(Node *node, Bitmapset **releases)
{
	int			number;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, releases_walker, releases, QTW_EXAMINE_RTES_BEFORE);
	if (!IsA(node, RangeTblEntry))
		return expression_tree_walker(node, releases_walker, releases);
	number = dp_tree_release_number((RangeTblEntry *) node);
	if (number >= 0)
		*releases = bms_add_member(*releases, number);
	return false;
}

Bitmapset *
dp_tree_releases_read(const Query *query)
{
	Bitmapset  *releases = NULL;

	(void) query_tree_walker(unconstify(Query *, query), releases_walker, &releases, QTW_EXAMINE_RTES_BEFORE);
	return releases;
}

/* The only entry of a query's range table, if it is of this kind; or NULL. */
static const RangeTblEntry *
only_entry(const Query *query, RTEKind kind)
{
	const RangeTblEntry *rte = list_length(query->rtable) == 1 ? linitial_node(RangeTblEntry, query->rtable) : NULL;

	return rte && rte->rtekind == kind ? rte : NULL;
}

const DpReleasedBlock *
dp_tree_released_block(const DpPublicReads *reads, const Query *query)
{
	const RangeTblEntry *source = reads->released ? only_entry(query, RTE_SUBQUERY) : NULL;
	const RangeTblEntry *release = source ? only_entry(source->subquery, RTE_FUNCTION) : NULL;
	int			number = release ? dp_tree_release_number(release) : -1;

	return number < 0 ? NULL : list_nth(reads->released, number);
}

/* The query that a parameter is read by, and its column there, from 0. */
static Query *
find_query(const DpPublicReads *reads, const Param *param, int *column)
{
	ListCell   *lc;

	*column = -param->paramid - 1;
	foreach(lc, reads->queries)
	{
		Query	   *query = lfirst_node(Query, lc);

		if (*column < list_length(query->targetList))
			return query;
		*column -= list_length(query->targetList);
	}
	elog(ERROR, "no public query has parameter %d", param->paramid);
}

/* Is an item of FROM a subquery of expressions alone? */
static bool
reads_no_row(const RangeTblEntry *rte)
{
	const Query *query = rte->subquery;

	return rte->rtekind == RTE_SUBQUERY && query->jointree->fromlist == NIL && query->jointree->quals == NULL &&
		query->cteList == NIL && !query->hasSubLinks && !query->hasTargetSRFs && query->limitCount == NULL &&
		query->limitOffset == NULL && query->setOperations == NULL;
}

/* Source of a parameter, as an expression: the one it stands for, or a subquery. */
static Node *
source_of(const DpPublicReads *reads, const Param *param)
{
	int			column;
	Query	   *query = find_query(reads, param, &column);
	Node	   *value = column_of(query, column);
	SubLink    *link;

	/* SELECT x, or SELECT c FROM (SELECT x AS c) */
	if (query->jointree->fromlist == NIL && query->cteList == NIL)
		return copyObject(value);
	if (query->rtable != NIL && reads_no_row(linitial(query->rtable)) && IsA(value, Var))
		return copyObject(column_of(linitial_node(RangeTblEntry, query->rtable)->subquery, ((Var *) value)->varattno - 1));
	link = makeNode(SubLink);
	link->subLinkType = EXPR_SUBLINK;
	link->location = -1;
	query = copyObject(query);
	query->targetList = list_make1(list_nth(query->targetList, column));
	linitial_node(TargetEntry, query->targetList)->resno = 1;
	link->subselect = (Node *) query;
	return (Node *) link;
}

static Node *
show_mutator(Node *node, DpPublicReads *reads)
{
	const DpReleasedBlock *released;

	if (node == NULL)
		return NULL;
	if (dp_tree_is_public_param(node))
		return show_mutator(source_of(reads, (Param *) node), reads);
	if (!IsA(node, Query))
		return expression_tree_mutator(node, show_mutator, reads);
	released = dp_tree_released_block(reads, (Query *) node);

	/* It depends on no name of a query around, so those are in what folds away. */
	if (released)
		node = dp_tree_hide_outer((Node *) released->given, -1);
	return (Node *) query_tree_mutator((Query *) node, show_mutator, reads, 0);
}

/* What was not lifted may read a release as well: where it folds away, nobody validates it. */
Node *
dp_tree_show_public(const DpPublicReads *reads, Node *expr)
{
	Bitmapset  *releases = NULL;

	(void) releases_walker(expr, &releases);
	if (releases == NULL && !mentions_public_walker(expr, NULL))
		return expr;
	return show_mutator(expr, unconstify(DpPublicReads *, reads));
}

static Node *
read_again_mutator(Node *node, DpPublicReads *reads)
{
	if (node == NULL)
		return NULL;
	if (dp_tree_is_public_param(node))
		return read_again_mutator(source_of(reads, (Param *) node), reads);
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, read_again_mutator, reads, 0);
	return expression_tree_mutator(node, read_again_mutator, reads);
}

Node *
dp_tree_read_again(const DpPublicReads *reads, Node *expr)
{
	return mentions_public_walker(expr, NULL) ? read_again_mutator(expr, unconstify(DpPublicReads *, reads)) : NULL;
}

static bool
find_param(Node *node, Param **param)
{
	if (node == NULL)
		return false;
	if (dp_tree_is_public_param(node))
	{
		*param = (Param *) node;
		return true;
	}
	return expression_tree_walker(node, find_param, param);
}

Query *
dp_tree_public_item_query(const DpPublicReads *reads, const RangeTblEntry *rte)
{
	Param	   *param = NULL;
	int			column;

	if (rte->rtekind != RTE_FUNCTION || !find_param((Node *) rte->functions, &param))
		return NULL;
	return find_query(reads, param, &column);
}

char *
dp_tree_public_item_text(const DpPublicReads *reads, const RangeTblEntry *rte)
{
	Query	   *query = dp_tree_public_item_query(reads, rte);
	char	   *text;

	if (query == NULL)
		return NULL;
	query = (Query *) show_mutator((Node *) query, unconstify(DpPublicReads *, reads));
	if (linitial_node(RangeTblEntry, query->rtable)->rtekind == RTE_SUBQUERY)
		query = linitial_node(RangeTblEntry, query->rtable)->subquery;
	text = dp_tree_as_text(query, false);
	return psprintf("(%s)", text + strspn(text, " "));
}
