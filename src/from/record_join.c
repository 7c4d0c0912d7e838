/* SPDX-License-Identifier: PostgreSQL */
/*
 * record_join.c
 *	  Joins of protected tables by the key of a record, which is one unit's.
 *
 *		FROM sales s JOIN returns r ON r.ticket = s.ticket AND r.item = s.item
 *
 * Where the keys say that both rows belong to one unit (key_closure.h), their units are compared as well.  Where
 * they do not, such a join is refused: it would leave out rows of two units without a word.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "from/join_equality.h"
#include "from/key_closure.h"
#include "from/record_join.h"
#include "tree/make_nodes.h"
#include "tree/reason.h"

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

/* An item with the unit of this one in a column, and which keeps its rows: itself, or one of those it is linked with. */
static const DpFromItem *
holder_of_unit(const DpFromItem *leaf, List *linked)
{
	ListCell   *lc;

	if (leaf->contribution.units != NIL)
		return leaf;
	foreach(lc, list_member_ptr(linked, leaf) ? linked : NIL)
	{
		const DpFromItem *other = lfirst(lc);

		if (!other->nullable && other->contribution.units != NIL)
			return other;
	}
	return NULL;
}

Node *
dp_from_equate_units(const DpFromItem *leaf, List *leaves, List *linked, List *equalities)
{
	ListCell   *lc;

	if (leaf->contribution.units == NIL)
		return NULL;
	foreach(lc, leaves)
	{
		const DpFromItem *other = lfirst(lc);
		const DpFromItem *holder;

		if (other == leaf || !other->is_protected || other->nullable ||
			!dp_from_is_same_record(leaf, other, equalities))
			continue;
		holder = holder_of_unit(other, linked);
		if (holder)
			return make_equality(linitial(leaf->contribution.units), linitial(holder->contribution.units));
	}
	return NULL;
}

/* The name of the column that holds an item's unit. */
static const char *
unit_of(const DpFromItem *leaf)
{
	const Var  *unit = linitial_node(Var, leaf->contribution.units);

	return strVal(list_nth(leaf->rte->eref->colnames, unit->varattno - 1));
}

/* Is an item a table that has a column with the unit, which can be named? */
static bool
has_named_unit(const DpFromItem *leaf)
{
	return leaf->is_protected && leaf->rte->rtekind == RTE_RELATION && leaf->contribution.units != NIL;
}

/* The protected item that an item is tied to by an equality, or NULL. */
static const DpFromItem *
tied_to(const DpFromItem *leaf, List *leaves, List *equalities, int *location)
{
	ListCell   *lc;

	foreach(lc, leaves)
	{
		const DpFromItem *other = lfirst(lc);

		if (other != leaf && other->is_protected &&
			dp_from_find_tie(leaf, other, equalities, location))
			return other;
	}
	return NULL;
}

/* Hint for an item that is tied to nothing else by more than that. */
static const char *
unlinked_hint(List *leaves)
{
	ListCell   *lc;

	foreach(lc, leaves)
		if (((DpFromItem *) lfirst(lc))->link)
			return "Join by all columns of the foreign key that leads to the privacy unit, at the top level of AND.";
	return "Join protected tables by equality of their privacy units, at the top level of AND.";
}

DpReason *
dp_from_refuse_unlinked(const DpFromItem *unlinked, List *leaves, List *equalities, int location)
{
	const char *name = unlinked->rte->eref->aliasname;
	const DpFromItem *other = tied_to(unlinked, leaves, equalities, &location);
	const char *hint = unlinked_hint(leaves);

	if (other && has_named_unit(unlinked) && has_named_unit(other))
		hint = psprintf("Its unit is %s.%s, that of \"%s\" is %s.%s, and their rows may be two people's. "
						"Join by equality of these as well; or have the owner link one table to the other by dp_agg.protect(..., through => ...), "
						"or by a foreign key with both units among its columns.",
						quote_identifier(name), quote_identifier(unit_of(unlinked)), other->rte->eref->aliasname,
						quote_identifier(other->rte->eref->aliasname), quote_identifier(unit_of(other)));
	return dp_tree_reason(location, hint, "\"%s\" is not joined by its privacy unit", name);
}
