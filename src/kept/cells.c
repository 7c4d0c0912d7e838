/* SPDX-License-Identifier: PostgreSQL */
/*
 * cells.c
 *	  What the groups of a block are made of, in digests; see cells.h.
 *
 * Items of FROM are tables, no two the same, so that there is one way to number them.  Columns
 * that WHERE makes equal are one, and that they are is part of the base: a condition more that
 * makes others equal makes it another.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "budget/rows/chain.h"
#include "kept/by_value.h"
#include "kept/cells.h"
#include "kept/equal_columns.h"
#include "kept/name.h"
#include "kept/question.h"
#include "kept/spell.h"
#include "kept/spell_query.h"
#include "pricing/block.h"

/* Prefix of texts of this form. */
#define FORM "dp_agg cells 1"

/* An item of FROM. */
typedef struct FromItem
{
	int			place;			/* in the range table, from 1 */
	StringInfo	text;
} FromItem;

bool
dp_kept_same_digest(const DpDigest *one, const DpDigest *other)
{
	return memcmp(one->bytes, other->bytes, sizeof(one->bytes)) == 0;
}

bool
dp_kept_depends_on_size(Node *expr)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause(expr, PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS))
		if (get_typlen(exprType(lfirst(lc))) < 0)
			return true;
	return false;
}

static int
compare_items(const void *left, const void *right)
{
	return dp_kept_compare_texts(((const FromItem *) left)->text, ((const FromItem *) right)->text);
}

/* The table that an item is, as a text; NULL if it is none. */
static StringInfo
spell_table(DpSpelling *spelling, const RangeTblEntry *entry)
{
	StringInfo	text = dp_kept_new_text();

	if (entry->rtekind != RTE_RELATION || entry->lateral || entry->tablesample || entry->securityQuals ||
		!dp_kept_name_relation(text, entry->relid))
		return NULL;
	pq_sendbyte(text, entry->inh);
	spelling->relations = list_append_unique_oid(spelling->relations, entry->relid);
	return text;
}

/* Number the items in the order of their texts, which are appended; false if they cannot be told apart. */
static bool
number_items(DpSpelling *spelling, DpLevel *level, StringInfo text)
{
	const Query *query = level->query;
	List	   *places = NIL;
	FromItem   *items;
	int			count;

	dp_kept_collect_places((Node *) query->jointree, &places);
	count = list_length(places);
	items = palloc(Max(count, 1) * sizeof(FromItem));
	for (int i = 0; i < count; i++)
	{
		items[i].place = list_nth_int(places, i);
		items[i].text = spell_table(spelling, rt_fetch(items[i].place, query->rtable));
		if (items[i].text == NULL)
			return false;
	}
	qsort(items, count, sizeof(FromItem), compare_items);
	level->numbers = palloc0((list_length(query->rtable) + 1) * sizeof(int));
	level->columns = palloc0((list_length(query->rtable) + 1) * sizeof(int *));
	pq_sendint32(text, count);
	for (int i = 0; i < count; i++)
	{
		if (i > 0 && compare_items(&items[i - 1], &items[i]) == 0)
			return false;
		level->numbers[items[i].place] = i + 1;
		dp_kept_append_text(text, items[i].text);
	}
	return true;
}

/* A join tree without the conditions that hold of each of its rows. */
static Node *
without_conditions(Node *node)
{
	Node	   *copy = node;
	ListCell   *lc;

	if (IsA(node, FromExpr))
	{
		FromExpr   *from = makeNode(FromExpr);

		foreach(lc, ((FromExpr *) node)->fromlist)
			from->fromlist = lappend(from->fromlist, without_conditions(lfirst(lc)));
		copy = (Node *) from;
	}
	else if (IsA(node, JoinExpr) && ((JoinExpr *) node)->jointype == JOIN_INNER)
	{
		JoinExpr   *join = makeNode(JoinExpr);

		*join = *(JoinExpr *) node;
		join->larg = without_conditions(join->larg);
		join->rarg = without_conditions(join->rarg);
		join->quals = NULL;
		copy = (Node *) join;
	}
	return copy;
}

/* The members of conditions' AND, but for equalities of columns. */
static List *
members_of(Node *node, List *members)
{
	ListCell   *lc;

	if (dp_kept_says_nothing(node, AND_EXPR))
		return members;
	if (IsA(node, List) || is_andclause(node))
	{
		foreach(lc, IsA(node, List) ? (List *) node : ((BoolExpr *) node)->args)
			members = members_of(lfirst(lc), members);
		return members;
	}
	return dp_kept_equates_columns(node) ? members : lappend(members, node);
}

/* The digest of an expression. */
static DpDigest
digest_of(DpSpelling *spelling, const DpLevel *level, Node *expr)
{
	StringInfo	text = dp_kept_new_text();
	DpDigest	digest;

	dp_kept_spell(spelling, level, text, expr);
	dp_kept_note(spelling, dp_kept_name_type(text, exprType(expr)));
	dp_kept_note(spelling, dp_kept_name_collation(text, exprCollation(expr)));
	dp_budget_chain_sha256(text, digest.bytes);
	return digest;
}

/* The same of a key, of which the values count, too. */
static DpDigest
digest_of_key(DpSpelling *spelling, const DpLevel *level, Node *expr)
{
	StringInfo	text = dp_kept_new_text();
	DpDigest	digest = digest_of(spelling, level, expr);

	appendBinaryStringInfo(text, (char *) digest.bytes, sizeof(digest.bytes));
	dp_kept_note(spelling, dp_kept_spell_key_type(text, exprType(expr)));
	dp_budget_chain_sha256(text, digest.bytes);
	return digest;
}

bool
dp_kept_key_digest(const DpBlockCells *cells, Node *expr, DpDigest *digest)
{
	DpSpelling	spelling = {.whole = true};

	*digest = digest_of_key(&spelling, &cells->level, expr);
	return spelling.whole;
}

static Node *
column(const DpBlockCells *cells, int i)
{
	return (Node *) list_nth_node(TargetEntry, cells->level.query->targetList, i)->expr;
}

/* The elements of an array constant, each as a constant. */
static List *
elements_of(const Const *array)
{
	Oid			type = get_element_type(array->consttype);
	List	   *elements = NIL;
	Datum	   *value;
	bool	   *isnull;
	int			count;
	int16		length;
	bool		byval;
	char		align;

	get_typlenbyvalalign(type, &length, &byval, &align);
	deconstruct_array(DatumGetArrayTypeP(array->constvalue), type, length, byval, align, &value, &isnull, &count);
	for (int i = 0; i < count; i++)
		elements = lappend(elements, makeConst(type, -1, array->constcollid, length, value[i], isnull[i], byval));
	return elements;
}

/*
 * Is a key a column, but for what gives it one form?  Where such values are short, no block limits them.
 */
static bool
is_column(Node *key)
{
	if (IsA(key, FuncExpr) && ((FuncExpr *) key)->funcid == F_TRIM_SCALE)
		key = linitial(((FuncExpr *) key)->args);
	while (IsA(key, RelabelType))
		key = (Node *) ((RelabelType *) key)->arg;
	return IsA(key, Var);
}

/* A key's values, as they are carried; those that tables list are read later, if at all. */
static void
add_values(DpCellKey *key, DpSpelling *spelling, const DpLevel *level, Node *expr, const Const *values)
{
	if (values == NULL)
		return;
	if (dp_asking_read_buckets(expr, &key->buckets))
	{
		key->column = digest_of_key(spelling, level, linitial(((FuncExpr *) expr)->args));
		key->count = key->buckets.bins;
		return;
	}
	key->values = elements_of(values);
	key->count = list_length(key->values);
}

static void
add_keys(DpBlockCells *cells, DpSpelling *spelling, List *carried)
{
	List	   *values = list_nth(carried, DP_CELLS_VALUES);

	cells->key = palloc0(Max(cells->nkeys, 1) * sizeof(DpCellKey));
	for (int i = 0; i < cells->nkeys; i++)
	{
		DpCellKey  *key = &cells->key[i];

		key->digest = digest_of_key(spelling, &cells->level, column(cells, i));
		key->type = exprType(column(cells, i));
		key->by_size = dp_kept_depends_on_size(column(cells, i));
		key->computed = key->by_size && !is_column(column(cells, i));
		key->complete = list_nth_int(list_nth(carried, DP_CELLS_COMPLETE), i);
		add_values(key, spelling, &cells->level, column(cells, i), values == NIL ? NULL : list_nth_node(Const, values, i));
	}
}

static void
add_conditions(DpBlockCells *cells, DpSpelling *spelling)
{
	List	   *members = members_of((Node *) dp_kept_conditions_of((Node *) cells->level.query->jointree), NIL);
	ListCell   *lc;

	cells->condition = palloc(Max(list_length(members), 1) * sizeof(DpCellCondition));
	foreach(lc, members)
	{
		DpCellCondition *condition = &cells->condition[cells->nconditions++];

		condition->digest = digest_of(spelling, &cells->level, lfirst(lc));
		condition->by_size = dp_kept_depends_on_size(lfirst(lc));
		condition->expr = lfirst(lc);
	}
}

/* Totals that each release adds up; the noise does not count. */
static void
add_addends(DpBlockCells *cells, DpSpelling *spelling, int releases)
{
	cells->addend = palloc(Max(releases, 1) * sizeof(DpDigest));
	cells->by_size = dp_kept_depends_on_size(column(cells, cells->nkeys));
	for (int i = 0; i < releases; i++)
	{
		int			at = cells->nkeys + 1 + 2 * i;
		const DpAddend *addend = (const DpAddend *) DatumGetPointer(((Const *) column(cells, at))->constvalue);
		DpDigest	value = digest_of(spelling, &cells->level, column(cells, at + 1));
		StringInfo	text = dp_kept_new_text();

		cells->by_size |= dp_kept_depends_on_size(column(cells, at + 1));
		pq_sendint32(text, addend->kind);
		pq_sendint32(text, addend->distinct_units);
		pq_sendint32(text, addend->most_rows);
		dp_kept_note(spelling, dp_kept_name_type(text, addend->type));
		pq_sendfloat8(text, addend->lower);
		pq_sendfloat8(text, addend->upper);
		appendBinaryStringInfo(text, (char *) value.bytes, sizeof(value.bytes));
		dp_budget_chain_sha256(text, cells->addend[i].bytes);
	}
}

/*
 * Parts that must be the same: FROM, the unit and its contribution, policies,
 * settings.
 */
static void
add_base(DpBlockCells *cells, DpSpelling *spelling, StringInfo text, const DpBlock *block)
{
	const Query *query = cells->level.query;

	dp_kept_name_string(text, block->dataset);
	dp_kept_spell_from(spelling, &cells->level, text, without_conditions((Node *) query->jointree));
	dp_kept_spell(spelling, &cells->level, text, column(cells, cells->nkeys));
	pq_sendint32(text, cells->bounds.row_is_unit);
	pq_sendint32(text, cells->bounds.max_rows);
	(void) dp_kept_spell_relations(text, spelling);
	pq_sendbyte(text, spelling->unsettled);
	if (spelling->unsettled)
		dp_kept_spell_settings(text);
	dp_budget_chain_sha256(text, cells->base.bytes);
}

DpBlockCells *
dp_kept_cells(const DpBlock *block, List *carried)
{
	DpSpelling	spelling = {.whole = true};
	DpBlockCells *cells = palloc0(sizeof(DpBlockCells));
	StringInfo	text = dp_kept_new_text();

	if (carried == NIL)
		return NULL;
	dp_kept_name_string(text, FORM);
	cells->level.query = dp_kept_by_value(list_nth_node(Query, carried, DP_CELLS_QUERY));
	if (!number_items(&spelling, &cells->level, text))
		return NULL;
	cells->level.equals = dp_kept_equal_columns(dp_kept_conditions_of((Node *) cells->level.query->jointree));
	cells->bounds = *(const DpCellBounds *)
		DatumGetPointer(list_nth_node(Const, carried, DP_CELLS_BOUNDS)->constvalue);
	cells->nkeys = list_length(list_nth(carried, DP_CELLS_COMPLETE));
	add_keys(cells, &spelling, carried);
	add_conditions(cells, &spelling);
	add_addends(cells, &spelling, block->nreleases);
	add_base(cells, &spelling, text, block);
	return spelling.whole ? cells : NULL;
}
