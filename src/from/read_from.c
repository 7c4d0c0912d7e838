/* SPDX-License-Identifier: PostgreSQL */
/*
 * read_from.c
 *	  What a block reads: protected tables and subqueries that group them by
 *	  the unit, or have windows of it, joined with each other and with public tables (join_check.c).
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "base/compat_catalog.h"
#include "base/compat_planner.h"
#include "expression/refusals.h"
#include "expression/validate.h"
#include "from/contribution.h"
#include "from/dependent_columns.h"
#include "from/from_item.h"
#include "from/full_join.h"
#include "from/grouped_subquery.h"
#include "from/join_check.h"
#include "from/join_equality.h"
#include "from/key_closure.h"
#include "from/lateral.h"
#include "from/linked_join.h"
#include "from/listed_keys.h"
#include "from/lowered_unit.h"
#include "from/read_from.h"
#include "from/record_join.h"
#include "from/split_rows.h"
#include "from/table_trust.h"
#include "from/united_subquery.h"
#include "from/window_subquery.h"
#include "policy/foreign_key.h"
#include "policy/obstacle.h"
#include "policy/policy.h"
#include "policy/row_security.h"
#include "policy/unique.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

/*
 * FROM, as it is read: what is joined, then what is left-joined to it in turn,
 * then the conditions on it all.
 */
typedef struct Reading
{
	Query	   *query;
	DpStatement *statement;
	int			location;
	bool		matching;		/* inside what matches rows of public tables */
	List	   *leaves;			/* of DpFromItem */
	List	   *conditions;		/* of DpCondition */
	List	   *inner;			/* of RangeTblRef */
	List	   *outer;			/* of JoinExpr, without their left sides */
	Node	   *quals;
} Reading;

static DpReason *read_node(Reading *reading, Node *node);

/* Is this a table whose rows a block may read in full? */
static DpReason *
check_relation(Query *query, RangeTblEntry *rte, Relation relation, int location)
{
	char		relkind = relation->rd_rel->relkind;

	if (rte->tablesample)
		return dp_tree_reason(location, "Leave TABLESAMPLE out; SET dp_agg.sample_rate asks a sample of the units.",
							  "TABLESAMPLE is not allowed in a differentially private query");
	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		return dp_tree_reason(location, DP_FROM_HINT,
							  "\"%s\" is not a table", rte->eref->aliasname);
	if (dp_policy_row_security_is_open(query, rte, relation))
		return dp_tree_reason(location, "Read columns of the table alone, and lock none of its rows; or run it again.",
							  "the row security of \"%s\" is not seen to here", rte->eref->aliasname);
	return NULL;
}

/* Set what the rows of a protected table contribute. */
static void
describe_table(Query *query, Index varno, Relation relation, List **new_keys, DpContribution *contribution)
{
	AttrNumber	attno = contribution->policy.unit;
	Form_pg_attribute unit = TupleDescAttr(RelationGetDescr(relation), attno - 1);
	DpTable    *table = palloc(sizeof(DpTable));

	table->query = query;
	table->rte = rt_fetch(varno, query->rtable);
	table->owner = relation->rd_rel->relowner;
	table->unit = attno;
	table->lowers = dp_policy_lowers_unit(unit->atttypid);
	contribution->tables = list_make1(table);
	contribution->units = list_make1(makeVar(varno, attno, unit->atttypid, unit->atttypmod,
											 unit->attcollation, 0));
	contribution->unit_not_null = dp_policy_column_is_not_null(relation, attno);
	contribution->row_is_unit = !table->lowers && dp_policy_unit_is_unique(relation, attno, new_keys);
}

/* Set how the rows of a table without a unit of its own find it. */
static DpReason *
describe_link(DpFromItem *leaf, Relation relation, int location)
{
	DpContribution *contribution = &leaf->contribution;
	DpReason   *reason;

	leaf->link = palloc(sizeof(DpForeignKey));
	contribution->units = NIL;
	reason = dp_policy_follow_links(relation, &contribution->policy, leaf->link,
									&contribution->row_is_unit, &leaf->statement->new_keys);
	if (reason == NULL && !leaf->link->is_old)
	{
		reason = dp_tree_reason_as(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, location,
								   "Try again when the transactions that are running now have ended.",
								   "a key that \"%s\" is linked to is too new",
								   RelationGetRelationName(relation));
	}
	if (reason)
		reason->location = location;
	return reason;
}

/* Read a table, protected or public. */
static DpReason *
read_table(Query *query, DpFromItem *leaf, int location)
{
	DpContribution *contribution = &leaf->contribution;
	RangeTblEntry *rte = leaf->rte;
	Relation	relation;
	DpReason   *reason = NULL;

	leaf->is_protected = dp_policy_policy_get(rte->relid, &contribution->policy);

	/* The parser or the plan cache holds a lock. */
	relation = table_open(rte->relid, NoLock);
	if (!leaf->is_protected)
	{
		/* The role that looks through a view reads public tables by its own right. */
		DP_PERMISSIONS(query, rte)->checkAsUser = InvalidOid;

		/* It has no children, and gets none by the time it is read. */
		rte->inh = false;
		leaf->obstacle = dp_from_check_public(rte, relation, location);
	}
	else
	{
		reason = check_relation(query, rte, relation, location);
		if (reason == NULL)
			reason = dp_policy_obstacle(relation, contribution->policy.unit);
		if (reason == NULL)
			reason = dp_from_check_unit_is_lowered(query, relation, &contribution->policy, location);
		if (reason == NULL)
			describe_table(query, leaf->varno, relation, &leaf->statement->new_keys, contribution);
		if (reason == NULL && contribution->policy.linked)
			reason = describe_link(leaf, relation, location);
	}
	table_close(relation, NoLock);
	return reason;
}

/* Name the unit's column that a subquery may show behind the others since it was read. */
static void
name_unit(DpFromItem *leaf)
{
	List	   *names = leaf->rte->eref->colnames;
	ListCell   *lc;
	int			columns = 0;

	foreach(lc, leaf->rte->subquery->targetList)
		columns += lfirst_node(TargetEntry, lc)->resjunk ? 0 : 1;
	if (columns > list_length(names))
		leaf->rte->eref->colnames = lappend(names, makeString(pstrdup("unit")));
}

/* Read a subquery that groups: what is in its FROM, and then its columns. */
static DpReason *
read_grouped(const Reading *reading, DpFromItem *leaf)
{
	Query	   *query = leaf->rte->subquery;
	int			location = exprLocation((Node *) query->targetList);
	DpReason   *reason;

	if (location < 0)
		location = reading->location;
	reason = dp_from_read_from(query, reading->statement, location, &leaf->contribution);
	if (reason == NULL)
		reason = dp_from_check_grouped(query, leaf->varno, reading->statement, location,
									   &leaf->contribution);
	name_unit(leaf);
	return reason;
}

/* Read a subquery with window functions likewise. */
static DpReason *
read_windowed(const Reading *reading, DpFromItem *leaf)
{
	Query	   *query = leaf->rte->subquery;
	int			location = dp_from_window_location(query);
	DpReason   *reason;

	if (location < 0)
		location = reading->location;
	dp_from_drop_unread(query, reading->query, leaf->varno);
	reason = dp_from_read_from(query, reading->statement, location, &leaf->contribution);
	if (reason == NULL)
		reason = dp_from_check_windowed(query, leaf->varno, reading->statement, location,
										&leaf->contribution);
	name_unit(leaf);
	return reason;
}

/* Read a UNION ALL: what is in the FROM of each part, and their columns. */
static DpReason *
read_united(const Reading *reading, DpFromItem *leaf)
{
	Query	   *query = leaf->rte->subquery;
	DpReason   *reason;

	dp_from_drop_unread_parts(query, reading->query, leaf->varno);
	reason = dp_from_read_united(dp_from_read_from, query, leaf->varno, reading->statement,
								 reading->location, &leaf->contribution);
	name_unit(leaf);
	return reason;
}

/*
 * Read a FULL JOIN, or a subquery that only chooses rows and computes, or splits them, and stays by itself: what it is
 * made of, and then its columns, which `check` does.
 */
static DpReason *
read_by_itself(const Reading *reading, DpFromItem *leaf, DpCheckColumns check)
{
	Query	   *query = leaf->rte->subquery;
	TargetEntry *unit = dp_from_lowers_unit(query) ? llast_node(TargetEntry, query->targetList) : NULL;
	Expr	   *lowered = unit ? unit->expr : NULL;
	DpReason   *reason;

	dp_from_drop_unread_columns(query, reading->query, leaf->varno);
	if (unit)
		unit->expr = lowered;
	reason = dp_from_read_from(query, reading->statement, reading->location, &leaf->contribution);
	if (reason == NULL)
		reason = check(query, leaf->varno, reading->statement, reading->location, &leaf->contribution);
	name_unit(leaf);
	return reason;
}

/* Read one item of FROM. */
static DpReason *
read_leaf(Reading *reading, Index varno, bool nullable)
{
	DpFromItem *leaf = palloc0(sizeof(DpFromItem));
	RangeTblEntry *rte = rt_fetch(varno, reading->query->rtable);

	leaf->statement = reading->statement;
	leaf->contribution.pricing = &reading->statement->pricing;
	leaf->query = reading->query;
	leaf->varno = varno;
	leaf->rte = rte;
	leaf->nullable = nullable;
	leaf->matched = reading->matching;
	reading->leaves = lappend(reading->leaves, leaf);
	if (rte->lateral)
		return dp_from_refuse_item(rte, reading->location);
	if (rte->rtekind == RTE_RELATION)
		return read_table(reading->query, leaf, reading->location);

	/* What pull_up.c leaves of public items is read already. */
	if (rte->rtekind == RTE_FUNCTION)
		return NULL;
	leaf->is_protected = true;
	if (rte->rtekind == RTE_SUBQUERY && dp_from_splits_rows(rte->subquery))
		return read_by_itself(reading, leaf, dp_from_check_split);
	if (rte->rtekind == RTE_SUBQUERY && rte->subquery->groupClause != NIL)
		return read_grouped(reading, leaf);
	if (rte->rtekind == RTE_SUBQUERY && dp_from_is_windowed(rte->subquery))
		return read_windowed(reading, leaf);
	if (rte->rtekind == RTE_SUBQUERY && rte->subquery->setOperations)
		return read_united(reading, leaf);
	if (rte->rtekind == RTE_SUBQUERY && dp_from_is_full_join(rte->subquery))
		return read_by_itself(reading, leaf, dp_from_check_full_join);
	if (rte->rtekind == RTE_SUBQUERY && dp_from_lowers_unit(rte->subquery))
		return read_by_itself(reading, leaf, dp_from_check_lowered);
	if (rte->rtekind == RTE_SUBQUERY && dp_from_stands_alone(rte->subquery))
		return read_by_itself(reading, leaf, dp_from_is_full_join(reading->query) ? dp_from_check_side : dp_from_check_nullable);
	return dp_from_refuse_item(rte, reading->location);
}

/* Validate a condition in place, and enter it. */
static DpReason *
read_condition(Reading *reading, Node **quals, Relids matched)
{
	DpCondition *condition = palloc(sizeof(DpCondition));
	DpReason   *reason = NULL;

	*quals = dp_expression_validate_expression(reading->query, *quals, reading->statement, &reason);
	condition->quals = *quals;
	condition->matched = matched;
	condition->inside = reading->matching;
	reading->conditions = lappend(reading->conditions, condition);
	return reason;
}

/* Read an item that is left-joined; conditions merged into it belong to ON. */
static DpReason *
read_nullable(Reading *reading, JoinExpr *join)
{
	Node	   *item = join->rarg;
	Index		varno;
	DpReason   *reason;

	while (IsA(item, FromExpr) && list_length(((FromExpr *) item)->fromlist) == 1)
	{
		join->quals = make_and_qual(join->quals, ((FromExpr *) item)->quals);
		item = linitial(((FromExpr *) item)->fromlist);
	}
	if (!IsA(item, RangeTblRef))
		return dp_tree_reason(reading->location, "Write one LEFT JOIN after the other, or that join in a subquery.",
							  "a join on the nullable side of an outer join is not allowed");
	join->rarg = item;
	varno = ((RangeTblRef *) item)->rtindex;
	reason = read_leaf(reading, varno, true);
	if (reason == NULL)
		reason = dp_expression_check_on(join->quals);
	if (reason == NULL)
		reason = read_condition(reading, &join->quals, bms_make_singleton(varno));
	reading->outer = lappend(reading->outer, join);
	return reason;
}

/* Read a join of public tables that list keys with what matches them. */
static DpReason *
read_listing(Reading *reading, JoinExpr *join, Node *listing, Node *matched)
{
	bool		matching = reading->matching;
	DpReason   *reason = read_node(reading, listing);

	if (reason)
		return reason;
	reading->matching = true;
	reason = read_node(reading, matched);
	if (reason == NULL)
		reason = dp_expression_check_on(join->quals);
	if (reason == NULL)
		reason = read_condition(reading, &join->quals, NULL);
	reading->quals = make_and_qual(reading->quals, join->quals);
	reading->matching = matching;
	rt_fetch(join->rtindex, reading->query->rtable)->jointype = JOIN_INNER;
	return reason;
}

/* Read what stands side by side, and the condition on it. */
static DpReason *
read_items(Reading *reading, List *items, Node *quals)
{
	DpReason   *reason;
	ListCell   *lc;

	foreach(lc, items)
	{
		reason = read_node(reading, lfirst(lc));
		if (reason)
			return reason;
	}
	reason = read_condition(reading, &quals, NULL);
	reading->quals = make_and_qual(reading->quals, quals);
	return reason;
}

/* Read the sides of a FULL JOIN, and the condition that ties them. */
static DpReason *
read_sides(Reading *reading, JoinExpr *join)
{
	DpReason   *reason = read_node(reading, join->larg);

	Assert(dp_from_is_full_join(reading->query));
	if (reason == NULL)
		reason = read_node(reading, join->rarg);
	return reason ? reason : read_condition(reading, &join->quals, NULL);
}

static DpReason *
read_join(Reading *reading, JoinExpr *join)
{
	Node	   *matched;
	Node	   *listing = dp_from_listing_side(reading->query, join, &matched);

	if (listing)
		return read_listing(reading, join, listing, matched);
	if (join->jointype == JOIN_RIGHT)
	{
		Node	   *left = join->larg;

		join->jointype = JOIN_LEFT;
		join->larg = join->rarg;
		join->rarg = left;
	}
	if (join->jointype == JOIN_LEFT)
	{
		DpReason   *reason = read_node(reading, join->larg);

		return reason ? reason : read_nullable(reading, join);
	}
	if (join->jointype == JOIN_FULL)
		return read_sides(reading, join);
	return read_items(reading, list_make2(join->larg, join->rarg), join->quals);
}

/* Read a node of the join tree. */
static DpReason *
read_node(Reading *reading, Node *node)
{
	if (IsA(node, JoinExpr))
		return read_join(reading, (JoinExpr *) node);
	if (IsA(node, FromExpr))
		return read_items(reading, ((FromExpr *) node)->fromlist, ((FromExpr *) node)->quals);
	reading->inner = lappend(reading->inner, castNode(RangeTblRef, node));
	return read_leaf(reading, ((RangeTblRef *) node)->rtindex, false);
}

/* Join what a linked table refers to. */
static DpReason *
join_parent(Reading *reading, DpFromItem *leaf)
{
	DpCondition *condition = palloc0(sizeof(DpCondition));
	RangeTblRef *item = makeNode(RangeTblRef);
	bool		matching = reading->matching;
	DpReason   *reason;

	/* A parent matches what its child does. */
	reading->matching = leaf->matched;
	condition->inside = leaf->matched;
	item->rtindex = dp_from_add_parent(leaf, &condition->quals);
	reading->inner = lappend(reading->inner, item);
	reading->quals = make_and_qual(reading->quals, condition->quals);
	reading->conditions = lappend(reading->conditions, condition);
	reason = read_leaf(reading, item->rtindex, false);
	reading->matching = matching;
	return reason;
}

/*
 * Join what linked tables refer to until the rows have a column with their unit, if
 * nothing that the query joins itself has one.
 */
static DpReason *
join_parents(Reading *reading)
{
	DpReason   *reason = NULL;
	DpFromItem *leaf;

	while (reason == NULL && (leaf = dp_from_lacks_unit(reading->leaves, reading->conditions)))
		reason = join_parent(reading, leaf);
	return reason;
}

/* Let a condition choose rows of an item where it is joined. */
static void
add_condition(Reading *reading, const DpFromItem *leaf, Node *quals)
{
	DpCondition *condition = palloc0(sizeof(DpCondition));
	ListCell   *lc;

	condition->quals = quals;
	condition->inside = leaf->matched;
	reading->conditions = lappend(reading->conditions, condition);
	if (!leaf->nullable)
	{
		reading->quals = make_and_qual(reading->quals, quals);
		return;
	}
	condition->matched = bms_make_singleton(leaf->varno);
	foreach(lc, reading->outer)
	{
		JoinExpr   *join = lfirst_node(JoinExpr, lc);

		if (((RangeTblRef *) join->rarg)->rtindex == leaf->varno)
			join->quals = make_and_qual(join->quals, quals);
	}
}

/*
 * A linked table that keeps its rows, and that is joined by a record with what is not joined by its unit, or is that
 * itself: what it refers to has the unit.  NULL if there is none, or that is joined already.
 */
static DpFromItem *
lacks_parent(const Reading *reading, List *linked, List *equalities)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, reading->leaves)
	{
		DpFromItem *leaf = lfirst(lc);

		if (!leaf->is_protected || leaf->nullable || leaf->link == NULL ||
			dp_from_find_parent(leaf, reading->leaves, equalities))
			continue;
		foreach(lc2, reading->leaves)
		{
			const DpFromItem *other = lfirst(lc2);

			if (other != leaf && other->is_protected &&
				!(list_member_ptr(linked, leaf) && list_member_ptr(linked, other)) &&
				dp_from_is_same_record(other, leaf, equalities))
				return leaf;
		}
	}
	return NULL;
}

/* What joins a linked table with what it refers to, where that follows from the equalities; or NULL. */
static Node *
equate_link(const Reading *reading, const DpFromItem *leaf, List *equalities)
{
	const DpFromItem *parent = dp_from_find_parent(leaf, reading->leaves, equalities);

	return parent && !dp_from_shares_key(leaf, list_make1(unconstify(DpFromItem *, parent)), equalities)
		? dp_from_by_link(leaf, parent->varno) : NULL;
}

/* Is this among the conditions?  Then saying it again of an item that it does not join would go on for ever. */
static bool
is_said(const Reading *reading, Node *quals)
{
	ListCell   *lc;

	foreach(lc, reading->conditions)
		if (equal(((DpCondition *) lfirst(lc))->quals, quals))
			return true;
	return false;
}

/*
 * Say of an item that is not joined by its unit that it is, where that follows from keys of records; or join what a
 * linked table refers to.  Is there anything to say?
 */
static bool
join_record(Reading *reading, DpReason **reason)
{
	List	   *equalities = dp_from_equalities(reading->conditions);
	List	   *linked = dp_from_find_linked(reading->leaves, equalities);
	DpFromItem *leaf;
	ListCell   *lc;
	bool		all = true;

	foreach(lc, reading->leaves)
	{
		Node	   *equality;

		leaf = lfirst(lc);
		if (!leaf->is_protected || list_member_ptr(linked, leaf))
			continue;
		all = false;
		equality = leaf->link ? equate_link(reading, leaf, equalities)
			: dp_from_equate_units(leaf, reading->leaves, linked, equalities);
		if (equality == NULL || is_said(reading, equality))
			continue;
		add_condition(reading, leaf, equality);
		return true;
	}
	leaf = all ? NULL : lacks_parent(reading, linked, equalities);
	if (leaf)
		*reason = join_parent(reading, leaf);
	return leaf != NULL;
}

/* Join by their units what is joined by the key of a record. */
static DpReason *
join_records(Reading *reading)
{
	DpReason   *reason = NULL;

	while (reason == NULL && join_record(reading, &reason))
		CHECK_FOR_INTERRUPTS();
	return reason;
}

DpReason *
dp_from_read_from(Query *query, DpStatement *statement, int location, DpContribution *contribution)
{
	Reading		reading = {.query = query, .statement = statement, .location = location};
	DpReason   *reason;

	if (query->jointree->fromlist == NIL)
		return dp_tree_reason(location, DP_FROM_HINT,
							  "a differentially private aggregate needs a protected table in FROM");
	contribution->pricing = &statement->pricing;
	dp_from_lower_units(query);
	reason = read_node(&reading, (Node *) query->jointree);
	if (reason == NULL)
		reason = dp_policy_check_columns(query, location);
	if (reason == NULL)
		reason = dp_from_check_hidden(query, reading.leaves, location);
	if (reason == NULL && !dp_from_is_full_join(query))
		reason = join_parents(&reading);
	if (reason == NULL && !dp_from_is_full_join(query))
		reason = join_records(&reading);
	if (reason == NULL)
		reason = dp_from_link(reading.leaves, reading.conditions, location, contribution);
	if (reason == NULL && dp_from_is_full_join(query))
		return dp_from_settle_full_join(query, reading.leaves, location, contribution);
	if (reason == NULL)
	{
		dp_from_find_listing(query, reading.leaves, reading.conditions, reading.inner,
							 reading.outer, contribution);
		query->jointree = dp_tree_make_from(reading.inner, reading.outer, reading.quals);
	}
	return reason;
}
