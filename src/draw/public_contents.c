/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_contents.c
 *	  What public tables that list keys hold; see public_contents.h.
 *
 * Nothing of protected tables is read for it.  The digests are for who may ask anyway, and never shown.
 */
#include "postgres.h"

#include "access/relation.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "base/compat_planner.h"
#include "base/compat_varlena.h"
#include "budget/kept/kept.h"
#include "budget/rows/chain.h"
#include "draw/public_contents.h"
#include "draw/run_plan.h"
#include "exact/exact_plan.h"
#include "exact/work_limit.h"
#include "expression/value_size.h"
#include "kept/name.h"
#include "kept/spell_query.h"
#include "policy/policy.h"
#include "tree/make_nodes.h"

/* A public table that a block reads. */
typedef struct Table
{
	Oid			relid;
	Bitmapset  *columns;		/* numbers of those that it mentions */
} Table;

/* Rows in any order. */
typedef struct Rows
{
	bool		whole;			/* are they neither too many nor too long? */
	int64		count;
	uint64		sum[2];			/* of their hashes */
	StringInfoData text;		/* of one */
} Rows;

typedef struct ColumnsContext
{
	Index		varno;			/* of the table */
	int			depth;			/* of subqueries below the block */
	Bitmapset  *columns;
} ColumnsContext;

static bool
columns_walker(Node *node, ColumnsContext *context)
{
	const Var  *var = (const Var *) node;
	bool		found;

	if (node == NULL)
		return false;
	if (IsA(node, Var) && var->varno == context->varno && var->varlevelsup == context->depth)
		context->columns = bms_add_member(context->columns, Max(var->varattno, 0));
	if (!IsA(node, Query))
		return expression_tree_walker(node, columns_walker, context);
	context->depth++;
	found = query_tree_walker((Query *) node, columns_walker, context, QTW_IGNORE_JOINALIASES);
	context->depth--;
	return found;
}

/* The public tables of a block's FROM, with the columns that it mentions. */
static List *
public_tables(const Query *query)
{
	List	   *places = NIL;
	List	   *tables = NIL;
	ListCell   *lc;

	dp_kept_collect_places((Node *) query->jointree, &places);
	foreach(lc, places)
	{
		Oid			relid = rt_fetch(lfirst_int(lc), query->rtable)->relid;
		ColumnsContext context = {.varno = lfirst_int(lc)};
		Table	   *table;

		if (dp_policy_is_protected(relid))
			continue;
		(void) columns_walker((Node *) query->targetList, &context);
		(void) columns_walker((Node *) query->jointree, &context);
		table = palloc(sizeof(Table));
		*table = (Table) {.relid = relid, .columns = context.columns};
		tables = lappend(tables, table);
	}
	return tables;
}

/* SELECT these columns FROM the table; NULL if it is gone, or one of them is none. */
static Query *
select_columns(const Table *table)
{
	Query	   *query = dp_tree_make_select(NIL, makeFromExpr(NIL, NULL));
	RangeTblRef *item = makeNode(RangeTblRef);
	Relation	relation = try_relation_open(table->relid, AccessShareLock);
	int			column = -1;

	if (relation == NULL)
		return NULL;
	item->rtindex = dp_compat_add_relation(query, relation);
	query->jointree->fromlist = list_make1(item);
	while ((column = bms_next_member(table->columns, column)) > 0)
	{
		const FormData_pg_attribute *attribute = TupleDescAttr(RelationGetDescr(relation), column - 1);

		(void) dp_tree_add_column(query, (Node *) makeVar(item->rtindex, column, attribute->atttypid,
														  attribute->atttypmod, attribute->attcollation, 0), "column");
	}
	relation_close(relation, NoLock);
	return bms_is_empty(table->columns) || bms_is_member(0, table->columns) ? NULL : query;
}

/* Append a value's bytes; false if it is too long. */
static bool
add_value(StringInfo text, Datum value, const FormData_pg_attribute *attribute)
{
	struct varlena *bytes;

	if (attribute->attbyval)
		pq_sendint64(text, (uint64) value);
	else if (attribute->attlen > 0)
		appendBinaryStringInfo(text, DatumGetPointer(value), attribute->attlen);
	else if (attribute->attlen != -1 || dp_expression_value_size(value) > DP_MIN_VALUE_SIZE)
		return false;
	else
	{
		bytes = PG_DETOAST_DATUM_PACKED(value);
		pq_sendint32(text, VARSIZE_ANY_EXHDR(bytes));
		appendBinaryStringInfo(text, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	}
	return true;
}

/* Add a row; false if a value of it is too long. */
static bool
add_row(Rows *rows, TupleTableSlot *slot)
{
	TupleDesc	desc = slot->tts_tupleDescriptor;
	StringInfo	text = &rows->text;

	resetStringInfo(text);
	for (int i = 0; i < desc->natts; i++)
	{
		pq_sendbyte(text, slot->tts_isnull[i]);
		if (!slot->tts_isnull[i] && !add_value(text, slot->tts_values[i], TupleDescAttr(desc, i)))
			return false;
	}
	rows->count++;
	for (int i = 0; i < lengthof(rows->sum); i++)
		rows->sum[i] += hash_bytes_extended((unsigned char *) text->data, text->len, i);
	return true;
}

static void
add_rows(PlanState *plan, void *arg)
{
	Rows	   *rows = arg;
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "dp_agg public row", ALLOCSET_SMALL_SIZES);
	TupleTableSlot *slot;

	rows->whole = true;
	initStringInfo(&rows->text);
	while (rows->whole && (slot = dp_draw_next_row(plan)) != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(row);

		rows->whole = rows->count < DP_KEPT_MOST_ROWS && add_row(rows, slot);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row);
	}
	MemoryContextDelete(row);
}

/* Read all rows of such a query. */
static Rows
read_rows(const DpReleaseState *state, Query *query)
{
	PlannedStmt *plan = dp_exact_plan_exact(state->block, query, NULL, -1);
	Rows		rows = {0};

	plan->jitFlags = 0;
	dp_draw_run_public(plan, state->css.ss.ps.state, add_rows, &rows);
	return rows;
}

/* Append a table's name, those of its columns, and a digest of what is in them; false if that cannot be said. */
static bool
add_table(StringInfo text, const DpReleaseState *state, const Table *table)
{
	Query	   *query = select_columns(table);
	StringInfo	all = makeStringInfo();
	Rows		rows;
	uint8		digest[DP_CHAIN_BYTES];
	ListCell   *lc;
	int			column = -1;

	if (query == NULL || !dp_kept_name_relation(text, table->relid))
		return false;
	rows = read_rows(state, query);
	if (!rows.whole)
		return false;
	pq_sendint32(text, bms_num_members(table->columns));
	while ((column = bms_next_member(table->columns, column)) > 0)
		if (!dp_kept_name_column(text, table->relid, column))
			return false;
	foreach(lc, query->targetList)
		if (!dp_kept_name_type(all, exprType((Node *) lfirst_node(TargetEntry, lc)->expr)))
			return false;
	pq_sendint32(all, GetDatabaseEncoding());
	pq_sendint64(all, rows.count);
	for (int i = 0; i < lengthof(rows.sum); i++)
		pq_sendint64(all, rows.sum[i]);
	dp_budget_chain_sha256(all, digest);
	appendBinaryStringInfo(text, (char *) digest, sizeof(digest));
	return true;
}

bytea *
dp_draw_read_contents(const DpReleaseState *state, const DpBlockCells *cells)
{
	StringInfoData text;
	ListCell   *lc;

	initStringInfo(&text);
	text.len = VARHDRSZ;
	foreach(lc, public_tables(cells->level.query))
		if (!add_table(&text, state, lfirst(lc)))
			return NULL;
	SET_VARSIZE(text.data, text.len);
	return (bytea *) text.data;
}

/* Do the bytes that are read next say the same as a text?  If so, they are behind us. */
static bool
says_next(StringInfo contents, const StringInfoData *text)
{
	if (contents->len - contents->cursor < text->len ||
		memcmp(contents->data + contents->cursor, text->data, text->len) != 0)
		return false;
	contents->cursor += text->len;
	return true;
}

/* May the asking role read a column of a table, by this statement or by itself? */
static bool
may_read(const Table *table, AttrNumber column)
{
	return bms_is_member(column, table->columns) ||
		pg_class_aclcheck(table->relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(table->relid, column, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

/* Read the name of a column of a table; 0 if it has no such column, or it may not be read. */
static AttrNumber
next_column(StringInfo contents, const Table *table)
{
	Relation	relation = try_relation_open(table->relid, AccessShareLock);
	AttrNumber	count = relation ? RelationGetNumberOfAttributes(relation) : 0;

	if (relation)
		relation_close(relation, NoLock);
	for (AttrNumber column = 1; column <= count; column++)
	{
		StringInfo	name = makeStringInfo();

		if (dp_kept_name_column(name, table->relid, column) && says_next(contents, name))
			return may_read(table, column) ? column : 0;
	}
	return 0;
}

/* Do the bytes that are read next say what a table holds? */
static bool
holds_next(const DpReleaseState *state, StringInfo contents, const Table *table)
{
	StringInfo	name = makeStringInfo();
	StringInfo	now = makeStringInfo();
	Table		then = {.relid = table->relid};
	int			from = contents->cursor;
	int			count;

	if (!dp_kept_name_relation(name, table->relid) || !says_next(contents, name))
		return false;
	count = pq_getmsgint(contents, 4);
	for (int i = 0; i < count; i++)
	{
		AttrNumber	column = next_column(contents, table);

		if (column == 0)
			return false;
		then.columns = bms_add_member(then.columns, column);
	}
	contents->cursor = from;
	return add_table(now, state, &then) && says_next(contents, now);
}

bool
dp_draw_holds_still(const DpReleaseState *state, const DpBlockCells *cells, bytea *contents)
{
	List	   *tables = public_tables(cells->level.query);
	StringInfoData text = {.data = VARDATA_ANY(contents), .len = VARSIZE_ANY_EXHDR(contents)};

	while (text.cursor < text.len)
	{
		bool		holds = false;
		ListCell   *lc;

		foreach(lc, tables)
		{
			int			from = text.cursor;

			holds = holds_next(state, &text, lfirst(lc));
			if (holds)
				break;
			text.cursor = from;
		}
		if (!holds)
			return false;
	}
	return true;
}
