/*
 * spell_from.c
 *	  FROM and WHERE as texts; see spell_from.h.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "nodes/nodeFuncs.h"

#include "reuse/equal_columns.h"
#include "reuse/spell_from.h"

/* What nodes of the join tree begin with. */
enum
{
	SAYS_INNER = 'i',
	SAYS_LEFT = 'l',
	SAYS_FULL = 'f',
	SAYS_ITEM = '#'
};

void
dp_query_collect_places(Node *node, List **places)
{
	ListCell   *lc;

	if (node == NULL)
		return;
	if (IsA(node, RangeTblRef))
		*places = lappend_int(*places, ((RangeTblRef *) node)->rtindex);
	else if (IsA(node, JoinExpr))
	{
		dp_query_collect_places(((JoinExpr *) node)->larg, places);
		dp_query_collect_places(((JoinExpr *) node)->rarg, places);
	}
	else
		foreach(lc, castNode(FromExpr, node)->fromlist)
			dp_query_collect_places(lfirst(lc), places);
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
dp_query_conditions_of(Node *node)
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
		else if (condition && !dp_query_equates_columns(condition))
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
			columns = lappend(columns, dp_query_new_text());
			dp_query_spell(spelling, &plain, llast(columns), lfirst(lc2));
		}
		sets = lappend(sets, dp_query_new_text());
		dp_query_spell_set(llast(sets), columns);
	}
	dp_query_spell_set(text, sets);
}

/* An outer join, where conditions on its rows do not hold yet. */
static void
spell_outer(DpSpelling *spelling, const DpLevel *level, StringInfo text, const JoinExpr *join)
{
	DpLevel		plain = *level;

	plain.equals = NIL;
	if (join->jointype != JOIN_LEFT && join->jointype != JOIN_FULL)
		dp_query_spell_unknown(spelling, "a join of type", join->jointype);
	pq_sendbyte(text, join->jointype == JOIN_FULL ? SAYS_FULL : SAYS_LEFT);
	dp_query_spell_from(spelling, &plain, text, join->larg);
	dp_query_spell_from(spelling, &plain, text, join->rarg);
	dp_query_spell_conditions(spelling, &plain, text, list_make1(join->quals));
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
		texts = lappend(texts, dp_query_new_text());
		dp_query_spell_from(spelling, level, llast(texts), lfirst(lc));
	}
	pq_sendbyte(text, SAYS_INNER);
	dp_query_spell_set(text, texts);
	spell_equals(spelling, level, text);
	dp_query_spell_conditions(spelling, level, text,
							  level->equals ? without_equalities(conditions) : conditions);
}

void
dp_query_spell_from(DpSpelling *spelling, const DpLevel *level, StringInfo text, Node *node)
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
