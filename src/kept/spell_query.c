/* SPDX-License-Identifier: PostgreSQL */
/*
 * spell_query.c
 *	  Queries as texts; see spell_query.h.
 *
 * Items of FROM are numbered in the order of what they are by themselves: a table's name,
 * or the text of a query.  Those that are alike are numbered in each order there is, and of
 * the texts that come of it the least one counts.  Where these would be too many, the order
 * in which they were written counts; then the same question may have several texts.
 *
 * Inner joins combine one set of items and one of conditions.  The columns of a query
 * in FROM that something reads are a set too, numbered in its order.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"

#include "kept/equal_columns.h"
#include "kept/name.h"
#include "kept/spell.h"
#include "kept/spell_query.h"
#include "policy/partitions.h"
#include "tree/named_columns.h"

/* Prefixes of nodes of the join tree. */
enum
{
	SAYS_INNER = 'i',
	SAYS_LEFT = 'l',
	SAYS_FULL = 'f',
	SAYS_ITEM = '#'
};

void
dp_kept_collect_places(Node *node, List **places)
{
	ListCell   *lc;

	if (node == NULL)
		return;
	if (IsA(node, RangeTblRef))
		*places = lappend_int(*places, ((RangeTblRef *) node)->rtindex);
	else if (IsA(node, JoinExpr))
	{
		dp_kept_collect_places(((JoinExpr *) node)->larg, places);
		dp_kept_collect_places(((JoinExpr *) node)->rarg, places);
	}
	else
		foreach(lc, castNode(FromExpr, node)->fromlist)
			dp_kept_collect_places(lfirst(lc), places);
}

/* The items that an inner join combines, and its conditions, those of the ones within too. */
static void
collect_inner(Node *node, List **items, List **conditions)
{
	ListCell   *lc;

	if (IsA(node, FromExpr))
	{
		foreach(lc, ((FromExpr *) node)->fromlist)
			collect_inner(lfirst(lc), items, conditions);
		*conditions = lappend(*conditions, ((FromExpr *) node)->quals);
	}
	else if (IsA(node, JoinExpr) && ((JoinExpr *) node)->jointype == JOIN_INNER)
	{
		collect_inner(((JoinExpr *) node)->larg, items, conditions);
		collect_inner(((JoinExpr *) node)->rarg, items, conditions);
		*conditions = lappend(*conditions, ((JoinExpr *) node)->quals);
	}
	else
		*items = lappend(*items, node);
}

List *
dp_kept_conditions_of(Node *node)
{
	List	   *items = NIL;
	List	   *conditions = NIL;

	collect_inner(node, &items, &conditions);
	return conditions;
}

/* The members of conditions' AND, without equalities of columns. */
static List *
without_equalities(List *conditions)
{
	List	   *members = NIL;
	ListCell   *lc;

	foreach(lc, conditions)
	{
		Node	   *condition = lfirst(lc);

		if (condition && is_andclause(condition))
			members = list_concat(members, without_equalities(((BoolExpr *) condition)->args));
		else if (condition && IsA(condition, List))
			members = list_concat(members, without_equalities((List *) condition));
		else if (condition && !dp_kept_equates_columns(condition))
			members = lappend(members, condition);
	}
	return members;
}

/* The sets of columns that are equal, each by its own name. */
static void
spell_equals(DpSpelling *spelling, const DpLevel *level, StringInfo text)
{
	DpLevel		plain = *level;
	List	   *sets = NIL;
	ListCell   *lc;
	ListCell   *lc2;

	plain.equals = NIL;
	foreach(lc, level->equals)
	{
		List	   *columns = NIL;

		foreach(lc2, lfirst_node(List, lc))
		{
			columns = lappend(columns, dp_kept_new_text());
			dp_kept_spell(spelling, &plain, llast(columns), lfirst(lc2));
		}
		sets = lappend(sets, dp_kept_new_text());
		dp_kept_spell_set(llast(sets), columns);
	}
	dp_kept_spell_set(text, sets);
}

/* An outer join, where conditions on its rows do not hold yet. */
static void
spell_outer(DpSpelling *spelling, const DpLevel *level, StringInfo text, const JoinExpr *join)
{
	DpLevel		plain = *level;

	plain.equals = NIL;
	if (join->jointype != JOIN_LEFT && join->jointype != JOIN_FULL)
		dp_kept_spell_unknown(spelling, "a join of type", join->jointype);
	pq_sendbyte(text, join->jointype == JOIN_FULL ? SAYS_FULL : SAYS_LEFT);
	dp_kept_spell_from(spelling, &plain, text, join->larg);
	dp_kept_spell_from(spelling, &plain, text, join->rarg);
	dp_kept_spell_conditions(spelling, &plain, text, list_make1(join->quals));
}

static void
spell_inner(DpSpelling *spelling, const DpLevel *level, StringInfo text, Node *node)
{
	List	   *items = NIL;
	List	   *conditions = NIL;
	List	   *texts = NIL;
	ListCell   *lc;

	collect_inner(node, &items, &conditions);
	foreach(lc, items)
	{
		texts = lappend(texts, dp_kept_new_text());
		dp_kept_spell_from(spelling, level, llast(texts), lfirst(lc));
	}
	pq_sendbyte(text, SAYS_INNER);
	dp_kept_spell_set(text, texts);
	spell_equals(spelling, level, text);
	dp_kept_spell_conditions(spelling, level, text,
							 level->equals ? without_equalities(conditions) : conditions);
}

void
dp_kept_spell_from(DpSpelling *spelling, const DpLevel *level, StringInfo text, Node *node)
{
	if (IsA(node, RangeTblRef))
	{
		pq_sendbyte(text, SAYS_ITEM);
		pq_sendint32(text, level->numbers[((RangeTblRef *) node)->rtindex]);
	}
	else if (IsA(node, JoinExpr) && ((JoinExpr *) node)->jointype != JOIN_INNER)
		spell_outer(spelling, level, text, (JoinExpr *) node);
	else
		spell_inner(spelling, level, text, node);
}

/* Most orders of items that are tried. */
#define MOST_ORDERS 24

/* Prefixes of parts of queries. */
enum
{
	SAYS_QUERY = 'q',
	SAYS_ROWS = 'r',
	SAYS_TABLE = 't',
	SAYS_UNION = 'u'
};

/* An item of FROM by itself. */
typedef struct Item
{
	int			place;			/* in the range table, from 1 */
	StringInfo	text;
} Item;

/* A query being spelled. */
typedef struct Spelled
{
	DpLevel		level;
	DpSpelling *spelling;
	bool		ordered;		/* does the order of its columns count? */
	const Bitmapset *wanted;	/* columns that are read, if not */
	List	   *released;		/* if so: texts on the last columns, of which the order does not
								 * count */
	Item	   *items;
	int			count;
	StringInfo	least;			/* text of an order of the items, the least so far */
	int		   *columns;		/* in that: numbers of the columns, by their places from 1, */
	List	   *order;			/* and the last columns' order */
} Spelled;

static StringInfo spell_level(DpSpelling *spelling, const Query *query, bool ordered,
							  const Bitmapset *wanted, DpReleased *released, int **columns);

/* Is this OFFSET 0, which changes no row? */
static bool
skips_none(const Node *offset)
{
	const Const *constant = (const Const *) offset;

	return offset == NULL || (IsA(constant, Const) && !constant->constisnull && constant->consttype == INT8OID &&
							  DatumGetInt64(constant->constvalue) == 0);
}

/* Does a query have anything that nothing here spells? */
static void
check_query(DpSpelling *spelling, const Query *query, bool ordered)
{
	if (query->commandType != CMD_SELECT || query->utilityStmt || query->cteList || query->onConflict ||
		query->returningList || query->groupingSets || query->distinctClause || query->rowMarks ||
		!skips_none(query->limitOffset) || query->havingQual || query->withCheckOptions || query->hasForUpdate ||
		query->limitOption != LIMIT_OPTION_COUNT)
		dp_kept_spell_unknown(spelling, "a clause of a query, at", query->stmt_location);

	/* Groups come in the order of their keys, and of listed keys one too many is read. */
	if ((query->sortClause && !(ordered && equal(query->sortClause, query->groupClause))) ||
		(query->limitCount && !(ordered && IsA(query->limitCount, Const))))
		dp_kept_spell_unknown(spelling, "ORDER BY or LIMIT of a query, at", query->stmt_location);
}

/* The values of one column of rows, in their order. */
static void
spell_values(DpSpelling *spelling, StringInfo text, const Const *array)
{
	dp_kept_note(spelling, dp_kept_name_type(text, array->consttype));
	if (array->constisnull)
		pq_sendint32(text, 0);
	else
		dp_kept_note(spelling, dp_kept_name_elements(text, array, false));
}

/*
 * Rows that were read from public tables or code, as the values of each column in their order;
 * *columns is set to the places that these have.
 */
static void
spell_rows(DpSpelling *spelling, StringInfo text, const RangeTblEntry *entry, int **columns)
{
	ListCell   *lc;

	if (entry->funcordinality)
		dp_kept_spell_unknown(spelling, "rows with numbers, of functions:", list_length(entry->functions));
	pq_sendbyte(text, SAYS_ROWS);
	pq_sendint32(text, list_length(entry->functions));
	*columns = palloc0((list_length(entry->functions) + 1) * sizeof(int));
	foreach(lc, entry->functions)
	{
		const FuncExpr *call = (FuncExpr *) lfirst_node(RangeTblFunction, lc)->funcexpr;

		if (!IsA(call, FuncExpr) || call->funcid != F_UNNEST_ANYARRAY || !IsA(linitial(call->args), Const))
			dp_kept_spell_unknown(spelling, "a function in FROM, at", foreach_current_index(lc));
		else
			spell_values(spelling, text, linitial_node(Const, call->args));
		(*columns)[foreach_current_index(lc) + 1] = foreach_current_index(lc) + 1;
	}
}

/* An item by itself: a table, rows, or a query, whose columns' numbers go to *columns. */
static StringInfo
spell_item(DpSpelling *spelling, const Query *query, int place, bool ordered, int **columns)
{
	const RangeTblEntry *entry = rt_fetch(place, query->rtable);
	StringInfo	text = dp_kept_new_text();

	*columns = NULL;
	if (entry->lateral || entry->tablesample || entry->securityQuals)
		dp_kept_spell_unknown(spelling, "a form of the item of FROM", place);
	if (entry->rtekind == RTE_RELATION)
	{
		pq_sendbyte(text, SAYS_TABLE);
		dp_kept_note(spelling, dp_kept_name_relation(text, entry->relid));
		pq_sendbyte(text, entry->inh ||
					(entry->relkind != RELKIND_PARTITIONED_TABLE && !dp_policy_has_children(entry->relid)));
		spelling->relations = list_append_unique_oid(spelling->relations, entry->relid);
	}
	else if (entry->rtekind == RTE_SUBQUERY && entry->subquery)
	{
		pq_sendbyte(text, SAYS_QUERY);
		dp_kept_append_text(text, spell_level(spelling, entry->subquery, ordered,
											  ordered ? NULL : dp_tree_named_columns_of((Node *) query, place), NULL, columns));
	}
	else if (entry->rtekind == RTE_FUNCTION)
		spell_rows(spelling, text, entry, columns);
	else
		dp_kept_spell_unknown(spelling, "an item of FROM of kind", entry->rtekind);
	return text;
}

/* Tables that a query reads by other queries' names: partitions' root, and those in between. */
static void
note_entries(DpSpelling *spelling, const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_RELATION && entry->relkind != RELKIND_VIEW)
			spelling->relations = list_append_unique_oid(spelling->relations, entry->relid);
	}
}

/* A column's expression, and what its values look like where that counts. */
static StringInfo
spell_column(const Spelled *spelled, const TargetEntry *target)
{
	StringInfo	text = dp_kept_new_text();
	Node	   *expr = (Node *) target->expr;

	dp_kept_spell(spelled->spelling, &spelled->level, text, expr);
	if (spelled->ordered)
	{
		dp_kept_note(spelled->spelling, dp_kept_name_type(text, exprType(expr)));
		pq_sendint32(text, exprTypmod(expr));
	}
	dp_kept_note(spelled->spelling, dp_kept_name_collation(text, exprCollation(expr)));
	return text;
}

/* The place of a text among different ones in their order, from 1. */
static int
rank_of(const StringInfoData *text, List *texts)
{
	StringInfo	last = NULL;
	int			rank = 0;
	ListCell   *lc;

	foreach(lc, texts)
	{
		if (last == NULL || dp_kept_compare_texts(last, lfirst(lc)) != 0)
			rank++;
		last = lfirst(lc);
		if (dp_kept_compare_texts(text, last) == 0)
			break;
	}
	return rank;
}

static int
compare_items(const void *left, const void *right)
{
	const Item *a = left;
	const Item *b = right;
	int			order = dp_kept_compare_texts(a->text, b->text);

	return order != 0 ? order : a->place - b->place;
}

/* Append the last columns in an order of their own, each with what is said of it; returns that. */
static List *
spell_released(const Spelled *spelled, StringInfo text, List *texts)
{
	int			count = list_length(spelled->released);
	int			first = list_length(texts) - count;
	Item	   *items = palloc(count * sizeof(Item));
	List	   *order = NIL;

	for (int i = 0; i < count; i++)
	{
		items[i] = (Item) {.place = i, .text = dp_kept_new_text()};
		dp_kept_append_text(items[i].text, list_nth(spelled->released, i));
		dp_kept_append_text(items[i].text, list_nth(texts, first + i));
	}
	qsort(items, count, sizeof(Item), compare_items);
	for (int i = 0; i < count; i++)
	{
		dp_kept_append_text(text, items[i].text);
		order = lappend_int(order, items[i].place);
	}
	return order;
}

/* Append columns whose places count, but for those that are released; returns the order of these. */
static List *
spell_in_place(const Spelled *spelled, StringInfo text, List *texts, int *columns)
{
	int			fixed = list_length(texts) - list_length(spelled->released);

	pq_sendint32(text, list_length(texts));
	for (int i = 0; i < list_length(texts); i++)
		columns[i + 1] = i + 1;
	for (int i = 0; i < fixed; i++)
		dp_kept_append_text(text, list_nth(texts, i));
	return spell_released(spelled, text, texts);
}

/* Append the columns that count; numbers them in columns[], by their places. */
static List *
spell_columns(const Spelled *spelled, StringInfo text, int *columns)
{
	const Query *query = spelled->level.query;
	List	   *texts = NIL;
	List	   *sorted;
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		const TargetEntry *target = lfirst_node(TargetEntry, lc);
		bool		counts = spelled->ordered || target->ressortgroupref > 0 ||
			bms_is_member(target->resno, spelled->wanted) || expression_returns_set((Node *) target->expr);

		texts = lappend(texts, counts ? spell_column(spelled, target) : NULL);
	}
	if (spelled->ordered)
		return spell_in_place(spelled, text, texts, columns);
	sorted = NIL;
	foreach(lc, texts)
		if (lfirst(lc))
			sorted = lappend(sorted, lfirst(lc));
	dp_kept_sort_texts(sorted);
	foreach(lc, texts)
		columns[foreach_current_index(lc) + 1] = lfirst(lc) ? rank_of(lfirst(lc), sorted) : 0;
	dp_kept_spell_set(text, sorted);
	return NIL;
}

/* GROUP BY by the numbers of columns: an order where that counts, else a set. */
static void
spell_clauses(Spelled *spelled, StringInfo text, List *clauses, const int *columns)
{
	List	   *texts = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		const TargetEntry *target = get_sortgroupclause_tle(clause, spelled->level.query->targetList);
		StringInfo	one = dp_kept_new_text();

		pq_sendint32(one, columns[target->resno]);
		if (spelled->ordered)
			dp_kept_spell_clause(spelled->spelling, one, clause);
		texts = lappend(texts, one);
	}
	if (!spelled->ordered)
	{
		dp_kept_spell_set(text, texts);
		return;
	}
	pq_sendint32(text, list_length(texts));
	foreach(lc, texts)
		dp_kept_append_text(text, lfirst(lc));
}

/* Spell the query with its items as they are numbered, and keep that if it is the least so far. */
static void
spell_numbered(Spelled *spelled)
{
	const Query *query = spelled->level.query;
	int		   *columns = palloc0((list_length(query->targetList) + 1) * sizeof(int));
	StringInfo	text = dp_kept_new_text();
	List	   *order;

	if (query->jointree->fromlist != NIL)
		dp_kept_spell_from(spelled->spelling, &spelled->level, text, (Node *) query->jointree);
	order = spell_columns(spelled, text, columns);
	spell_clauses(spelled, text, query->groupClause, columns);
	if (spelled->least && dp_kept_compare_texts(spelled->least, text) <= 0)
		return;
	spelled->least = text;
	spelled->columns = columns;
	spelled->order = order;
}

/* How many orders of items are there that differ in items that are alike? */
static int
count_orders(const Spelled *spelled)
{
	int			orders = 1;
	int			alike = 1;

	for (int i = 1; i < spelled->count && orders <= MOST_ORDERS; i++)
	{
		alike = dp_kept_compare_texts(spelled->items[i - 1].text, spelled->items[i].text) == 0 ? alike + 1 : 1;
		orders *= alike;
	}
	return orders;
}

static void
exchange(Spelled *spelled, int i, int j)
{
	Item		item = spelled->items[i];

	spelled->items[i] = spelled->items[j];
	spelled->items[j] = item;
}

/* Number the items from the i-th on, in each order or in theirs, and spell the query. */
static void
number_items(Spelled *spelled, int i, bool try_orders)
{
	if (i >= spelled->count)
	{
		spell_numbered(spelled);
		return;
	}
	for (int j = i; j < spelled->count; j++)
	{
		if (j > i && (!try_orders || dp_kept_compare_texts(spelled->items[i].text, spelled->items[j].text) != 0))
			break;
		exchange(spelled, i, j);
		spelled->level.numbers[spelled->items[i].place] = i + 1;
		number_items(spelled, i + 1, try_orders);
		exchange(spelled, i, j);
	}
}

/* Collect the queries that a UNION ALL puts together. */
static void
collect_branches(DpSpelling *spelling, const Query *query, Node *node, List **texts)
{
	SetOperationStmt *both = (SetOperationStmt *) node;
	int		   *columns;

	if (IsA(node, RangeTblRef))
		*texts = lappend(*texts, spell_item(spelling, query, ((RangeTblRef *) node)->rtindex, true, &columns));
	else if (both->op != SETOP_UNION || !both->all)
		dp_kept_spell_unknown(spelling, "a set operation", both->op);
	else
	{
		collect_branches(spelling, query, both->larg, texts);
		collect_branches(spelling, query, both->rarg, texts);
	}
}

/* UNION ALL: a set of queries, whose columns keep their places. */
static StringInfo
spell_union(DpSpelling *spelling, const Query *query, int **columns)
{
	StringInfo	text = dp_kept_new_text();
	List	   *texts = NIL;
	ListCell   *lc;

	if (query->groupClause || query->jointree->quals)
		dp_kept_spell_unknown(spelling, "a clause of a UNION, at", query->stmt_location);
	collect_branches(spelling, query, query->setOperations, &texts);
	dp_kept_sort_texts(texts);
	pq_sendbyte(text, SAYS_UNION);
	pq_sendint32(text, list_length(texts));
	foreach(lc, texts)
		dp_kept_append_text(text, lfirst(lc));
	*columns = palloc0((list_length(query->targetList) + 1) * sizeof(int));
	for (int i = 1; i <= list_length(query->targetList); i++)
		(*columns)[i] = i;
	return text;
}

/* A query as a text; *columns is set to the numbers of its columns, by their places from 1. */
static StringInfo
spell_level(DpSpelling *spelling, const Query *query, bool ordered, const Bitmapset *wanted,
			DpReleased *released, int **columns)
{
	Spelled		spelled = {.level = {.query = query}, .spelling = spelling, .ordered = ordered, .wanted = wanted,
	.released = released ? released->texts : NIL};
	int			entries = list_length(query->rtable) + 1;
	List	   *places = NIL;
	StringInfo	text;
	ListCell   *lc;

	check_stack_depth();
	check_query(spelling, query, ordered);
	if (query->setOperations)
		return spell_union(spelling, query, columns);
	if (spelling->all_entries)
		note_entries(spelling, query);
	dp_kept_collect_places((Node *) query->jointree, &places);
	spelled.level.numbers = palloc0(entries * sizeof(int));
	spelled.level.columns = palloc0(entries * sizeof(int *));
	spelled.items = palloc(list_length(places) * sizeof(Item));
	foreach(lc, places)
	{
		Item	   *item = &spelled.items[spelled.count++];

		item->place = lfirst_int(lc);
		item->text = spell_item(spelling, query, item->place, false, &spelled.level.columns[item->place]);
	}
	spelled.level.equals = dp_kept_equal_columns(dp_kept_conditions_of((Node *) query->jointree));
	qsort(spelled.items, spelled.count, sizeof(Item), compare_items);
	number_items(&spelled, 0, count_orders(&spelled) <= MOST_ORDERS);
	text = dp_kept_new_text();
	pq_sendint32(text, spelled.count);
	for (int i = 0; i < spelled.count; i++)
		dp_kept_append_text(text, spelled.items[i].text);
	dp_kept_append_text(text, spelled.least);
	*columns = spelled.columns;
	if (released)
		released->order = spelled.order;
	return text;
}

void
dp_kept_spell_query(DpSpelling *spelling, StringInfo text, const Query *query, DpReleased *released)
{
	int		   *columns;

	dp_kept_append_text(text, spell_level(spelling, query, true, NULL, released, &columns));
}
