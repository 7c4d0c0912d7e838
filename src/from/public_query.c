/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_query.c
 *	  What a part of a block reads: nothing protected, and nothing of the rows around it?
 *
 * Only the right way to read it hangs on this.  Whatever is taken for public is read with the
 * asking role's own rights, like any statement of hers.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "from/public_query.h"
#include "policy/policy.h"
#include "tree/find_blocks.h"

typedef struct Search
{
	List	   *levels;			/* around, innermost first */
	int			depth;			/* of queries between these and the node */
	List	   *seen;			/* of CommonTableExpr */
} Search;

CommonTableExpr *
dp_from_find_with(const RangeTblEntry *rte, List *levels, int depth, int *place)
{
	ListCell   *lc;

	*place = (int) rte->ctelevelsup - depth;
	if (*place < 0 || *place >= list_length(levels))
		return NULL;
	foreach(lc, list_nth_node(Query, levels, *place)->cteList)
		if (strcmp(lfirst_node(CommonTableExpr, lc)->ctename, rte->ctename) == 0)
			return lfirst(lc);
	return NULL;
}

static bool private_walker(Node *node, Search *search);

/* Find the entries that FROM names. */
static bool
named_walker(Node *node, Bitmapset **named)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblRef))
		*named = bms_add_member(*named, ((RangeTblRef *) node)->rtindex);
	return expression_tree_walker(node, named_walker, named);
}

/*
 * Is there a private entry in a query's range table?  A table that FROM does not name is not read, but there for its rights:
 * those of public keys by themselves.
 */
static bool
has_private_entry(const Query *query, Search *search)
{
	Bitmapset  *named = NULL;
	ListCell   *lc;

	(void) named_walker((Node *) query->jointree, &named);
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_RELATION && query->commandType == CMD_SELECT && !bms_is_member(foreach_current_index(lc) + 1, named))
			continue;
		if (range_table_entry_walker(rte, private_walker, search, QTW_EXAMINE_RTES_BEFORE))
			return true;
	}
	return false;
}

/* Does a reference to a WITH query of the levels around lead to what is private? */
static bool
is_private_with(const RangeTblEntry *rte, Search *search)
{
	int			place;
	CommonTableExpr *with;
	Search		inside;
	bool		found;

	if ((int) rte->ctelevelsup < search->depth)
		return false;
	with = dp_from_find_with(rte, search->levels, search->depth, &place);
	if (with == NULL || !IsA(with->ctequery, Query))
		return true;
	if (list_member_ptr(search->seen, with))
		return false;
	search->seen = lappend(search->seen, with);
	inside = (Search) {.levels = list_copy_tail(search->levels, place), .seen = search->seen};
	found = private_walker(with->ctequery, &inside);
	search->seen = inside.seen;
	return found;
}

/* Is an entry of a range table private by itself? */
static bool
is_private_entry(const RangeTblEntry *rte, Search *search)
{
	DpPolicy	policy;

	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return dp_policy_policy_get(rte->relid, &policy);
		case RTE_CTE:
			return is_private_with(rte, search);
		case RTE_NAMEDTUPLESTORE:
			return true;
		default:
			return false;
	}
}

/* Find what is protected, or of a row around.  What a block released is public: whoever asks is shown it. */
static bool
private_walker(Node *node, Search *search)
{
	bool		found;

	if (node == NULL)
		return false;
	check_stack_depth();
	switch (nodeTag(node))
	{
		case T_Query:
			search->depth++;
			found = query_tree_walker((Query *) node, private_walker, search, QTW_IGNORE_RANGE_TABLE) ||
				has_private_entry((Query *) node, search);
			search->depth--;
			return found || ((Query *) node)->commandType != CMD_SELECT || ((Query *) node)->rowMarks;
		case T_RangeTblEntry:
			return is_private_entry((RangeTblEntry *) node, search);
		case T_Var:
			return (int) ((Var *) node)->varlevelsup >= search->depth;
		case T_Aggref:
			if ((int) ((Aggref *) node)->agglevelsup >= search->depth)
				return true;
			break;
		case T_GroupingFunc:
			if ((int) ((GroupingFunc *) node)->agglevelsup >= search->depth)
				return true;
			break;
		case T_WindowFunc:
		case T_PlaceHolderVar:
			if (search->depth == 0)
				return true;
			break;
		default:
			break;
	}
	return dp_tree_is_ours(node) || expression_tree_walker(node, private_walker, search);
}

bool
dp_from_is_public_expression(Node *expr, List *levels)
{
	Search		search = {.levels = levels};

	return !private_walker(expr, &search);
}

bool
dp_from_is_public_entry(RangeTblEntry *rte, List *levels)
{
	Search		search = {.levels = levels};

	/* What row security there is on a table names its own columns. */
	if (rte->rtekind == RTE_RELATION)
		return !is_private_entry(rte, &search);
	return !is_private_entry(rte, &search) &&
		!range_table_entry_walker(rte, private_walker, &search, 0);
}

/* Bringing WITH queries along. */
typedef struct Bringing
{
	List	   *levels;
	int			place;			/* of the level, among these, where what is walked stands */
	int			depth;			/* of queries between that and the node */
	List	  **wanted;			/* of CommonTableExpr, as they were, by the places of levels */
	bool		original;		/* does it stand in the block, and no more from now on? */
} Bringing;

/* Is there a WITH query of this name? */
static bool
is_taken(List *levels, const char *name)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, levels)
		foreach(lc2, lfirst_node(Query, lc)->cteList)
			if (strcmp(lfirst_node(CommonTableExpr, lc2)->ctename, name) == 0)
				return true;
	return false;
}

/* A name by which the WITH query of some level is known where those of all levels are. */
static char *
name_among_all(List *levels, const char *name, int place)
{
	char	   *unique = pstrdup(name);

	for (int number = place; number > 0 && (number == place || is_taken(levels, unique));
		 number += list_length(levels))
		unique = psprintf("%s_%d", name, number);
	return unique;
}

static bool bring_walker(Node *node, Bringing *bringing);

/* A WITH query is named in one place less; if in none, it names none any more. */
static void
forget_reference(CommonTableExpr *with, const Bringing *bringing, int place)
{
	Bringing	dead = {.levels = bringing->levels, .place = place, .original = true};

	if (with->cterefcount > 0 && --with->cterefcount == 0)
		(void) bring_walker(copyObject(with->ctequery), &dead);
}

/* Bring along what an entry refers to, and have it refer to that. */
static void
bring(RangeTblEntry *rte, Bringing *bringing)
{
	List	   *levels = list_copy_tail(bringing->levels, bringing->place);
	int			place;
	CommonTableExpr *with;

	if ((int) rte->ctelevelsup < bringing->depth)
		return;
	with = dp_from_find_with(rte, levels, bringing->depth, &place);
	if (with == NULL)
		elog(ERROR, "could not find WITH query \"%s\"", rte->ctename);
	place += bringing->place;
	if (bringing->original && !rte->self_reference)
		forget_reference(with, bringing, place);
	if (bringing->wanted == NULL)
		return;
	rte->ctename = name_among_all(bringing->levels, with->ctename, place);
	rte->ctelevelsup = bringing->depth;
	if (!list_member_ptr(bringing->wanted[place], with))
	{
		bringing->wanted[place] = lappend(bringing->wanted[place], with);
		(void) bring_walker(copyObject(with->ctequery),
							&(Bringing) {bringing->levels, place, 0, bringing->wanted, false});
	}
}

static bool
bring_walker(Node *node, Bringing *bringing)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		if (((RangeTblEntry *) node)->rtekind == RTE_CTE)
			bring((RangeTblEntry *) node, bringing);
		return false;
	}
	if (IsA(node, Query))
	{
		bringing->depth++;
		(void) query_tree_walker((Query *) node, bring_walker, bringing, QTW_EXAMINE_RTES_BEFORE);
		bringing->depth--;
		return false;
	}
	return expression_tree_walker(node, bring_walker, bringing);
}

/* Count the references of a query to one of its own WITH queries, at any depth. */
typedef struct Count
{
	const char *name;
	int			depth;
	int			references;
} Count;

static bool
count_walker(Node *node, Count *count)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *rte = (RangeTblEntry *) node;

		if (rte->rtekind == RTE_CTE && !rte->self_reference && (int) rte->ctelevelsup == count->depth &&
			strcmp(rte->ctename, count->name) == 0)
			count->references++;
		return false;
	}
	if (IsA(node, Query))
	{
		count->depth++;
		(void) query_tree_walker((Query *) node, count_walker, count, QTW_EXAMINE_RTES_BEFORE);
		count->depth--;
		return false;
	}
	return expression_tree_walker(node, count_walker, count);
}

/* Enter copies of the WITH queries of one level in a query, in the order that they had. */
static void
add_with(Query *query, const Bringing *bringing, int place)
{
	ListCell   *lc;

	foreach(lc, list_nth_node(Query, bringing->levels, place)->cteList)
	{
		CommonTableExpr *with = lfirst_node(CommonTableExpr, lc);
		Bringing	inside = {bringing->levels, place, 0, bringing->wanted, false};

		if (!list_member_ptr(bringing->wanted[place], with))
			continue;
		with = copyObject(with);
		(void) bring_walker(with->ctequery, &inside);
		with->ctename = name_among_all(bringing->levels, with->ctename, place);
		query->cteList = lappend(query->cteList, with);
		query->hasRecursive |= with->cterecursive;
	}
}

void
dp_from_bring_with(Query *query, List *levels)
{
	int			count = list_length(levels);
	Bringing	bringing = {.levels = levels, .wanted = palloc0(count * sizeof(List *)), .original = true};
	ListCell   *lc;

	(void) query_tree_walker(query, bring_walker, &bringing, QTW_EXAMINE_RTES_BEFORE);

	/* A WITH query may name those of levels around it, and those before it in its own. */
	for (int place = count - 1; place >= 0; place--)
		add_with(query, &bringing, place);
	foreach(lc, query->cteList)
	{
		CommonTableExpr *with = lfirst_node(CommonTableExpr, lc);
		Count		references = {.name = with->ctename};

		(void) query_tree_walker(query, count_walker, &references, QTW_EXAMINE_RTES_BEFORE);
		with->cterefcount = references.references;
	}
}
