/* SPDX-License-Identifier: PostgreSQL */
/*
 * record_join.c
 *	  Joins of protected tables by the key of a record, which is one unit's.
 *
 *		FROM sales s JOIN returns r ON r.ticket = s.ticket AND r.item = s.item
 *
 * The person who returns what was sold is the one who bought it, but nothing says so.
 * So units are compared as well: rows of different units are not joined.  That is only
 * done where a unique key of one of them is joined by, since people would not expect it
 * of other joins.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "from/join_check.h"
#include "from/join_equality.h"
#include "from/record_join.h"
#include "tree/make_nodes.h"

/* A column as an operand, which is text if it is a varchar. */
static Node *
operand(const Var *column)
{
	Node	   *operand = (Node *) copyObject(column);

	if (column->vartype != VARCHAROID)
		return operand;
	return (Node *) makeRelabelType((Expr *) operand, TEXTOID, -1, column->varcollid, COERCE_IMPLICIT_CAST);
}

/*
 * unit = other, if their types have such an operator in the default family of the first, by which a unit
 * equals one other at most.
 */
static Node *
make_equality(const Var *unit, const Var *other)
{
	Node	   *left = operand(unit);
	Node	   *right = operand(other);
	Oid			family = dp_tree_default_family(exprType(left));
	Oid			operator = OidIsValid(family) ?
		get_opfamily_member(family, exprType(left), exprType(right), BTEqualStrategyNumber) : InvalidOid;

	if (!OidIsValid(operator) || op_volatile(operator) != PROVOLATILE_IMMUTABLE)
		return NULL;
	return (Node *) make_opclause(operator, BOOLOID, false, (Expr *) left, (Expr *) right, InvalidOid,
								  exprCollation(left));
}

/* Is the unit of an item equal to anything of the other? */
static bool
equates_unit(const DpFromItem *leaf, const DpFromItem *other, List *equalities)
{
	return list_member_int(dp_from_bound_columns(leaf, equalities, bms_make_singleton(other->varno)),
						   linitial_node(Var, leaf->contribution.units)->varattno);
}

/*
 * Has each row of one of these items at most one of the other, by a key that is no unit?  A unit that equals
 * something else says that other units are meant.
 */
static bool
are_records(const DpFromItem *leaf, const DpFromItem *other, List *equalities)
{
	List	   *with = dp_from_equalities_with(equalities, leaf);
	bool		certain;

	if (leaf->rte->rtekind != RTE_RELATION || other->rte->rtekind != RTE_RELATION ||
		equates_unit(leaf, other, equalities) || equates_unit(other, leaf, with))
		return false;
	return dp_from_matches_once(leaf, equalities, bms_make_singleton(other->varno), &certain) ||
		dp_from_matches_once(other, with, bms_make_singleton(leaf->varno), &certain);
}

Node *
dp_from_equate_units(const DpFromItem *leaf, List *leaves, List *equalities)
{
	ListCell   *lc;

	if (leaf->contribution.units == NIL)
		return NULL;
	foreach(lc, leaves)
	{
		const DpFromItem *other = lfirst(lc);

		if (other == leaf || !other->is_protected || other->nullable || other->contribution.units == NIL ||
			!are_records(leaf, other, equalities))
			continue;
		return make_equality(linitial(leaf->contribution.units), linitial(other->contribution.units));
	}
	return NULL;
}
