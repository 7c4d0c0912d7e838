/* SPDX-License-Identifier: PostgreSQL */
/*
 * equal_columns.c
 *	  Columns of a query that hold the same value in every row; see equal_columns.h.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/typcache.h"

#include "expression/canonical_key.h"
#include "kept/equal_columns.h"

bool
dp_kept_equates_columns(Node *condition)
{
	const OpExpr *call = (OpExpr *) condition;
	const Var  *left;
	const Var  *right;

	if (!IsA(call, OpExpr) || list_length(call->args) != 2)
		return false;
	left = linitial(call->args);
	right = lsecond(call->args);
	return IsA(left, Var) && IsA(right, Var) && left->vartype == right->vartype && dp_expression_equals_by_bytes(left->vartype) &&
		(left->varno != right->varno || left->varattno != right->varattno) &&
		(call->inputcollid == InvalidOid || call->inputcollid == DEFAULT_COLLATION_OID ||
		 call->inputcollid == C_COLLATION_OID) &&
		call->opno == lookup_type_cache(left->vartype, TYPECACHE_EQ_OPR)->eq_opr;
}

/* The set that a column is in, or NIL. */
static List *
equals_of(List *sets, const Var *column)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, sets)
		foreach(lc2, lfirst_node(List, lc))
		{
			const Var  *member = lfirst_node(Var, lc2);

			if (member->varno == column->varno && member->varattno == column->varattno)
				return lfirst(lc);
		}
	return NIL;
}

/* Put two columns into one set, with what either is in already. */
static List *
equate(List *sets, Var *left, Var *right)
{
	List	   *one = equals_of(sets, left);
	List	   *other = equals_of(sets, right);

	if (one != NIL && one == other)
		return sets;
	sets = list_delete_ptr(list_delete_ptr(sets, one), other);
	one = one ? one : list_make1(left);
	other = other ? other : list_make1(right);
	return lappend(sets, list_concat_copy(one, other));
}

static void
collect(Node *condition, List **sets)
{
	List	   *members = NIL;
	ListCell   *lc;

	if (condition == NULL)
		return;
	if (IsA(condition, List))
		members = (List *) condition;
	else if (is_andclause(condition))
		members = ((BoolExpr *) condition)->args;
	else if (dp_kept_equates_columns(condition))
		*sets = equate(*sets, linitial(((OpExpr *) condition)->args), lsecond(((OpExpr *) condition)->args));
	foreach(lc, members)
		collect(lfirst(lc), sets);
}

List *
dp_kept_equal_columns(List *conditions)
{
	List	   *sets = NIL;

	collect((Node *) conditions, &sets);
	return sets;
}

/* Is a column before another, by the numbers of items and of columns in them? */
static bool
is_before(const DpLevel *level, const Var *left, const Var *right)
{
	int		  **columns = level->columns;

	if (left->varno != right->varno)
		return level->numbers[left->varno] < level->numbers[right->varno];
	return columns[left->varno] ? columns[left->varno][left->varattno] < columns[left->varno][right->varattno]
		: left->varattno < right->varattno;
}

const Var  *
dp_kept_first_equal(const DpLevel *level, const Var *var)
{
	ListCell   *lc;

	foreach(lc, equals_of(level->equals, var))
		if (is_before(level, lfirst_node(Var, lc), var))
			var = lfirst_node(Var, lc);
	return var;
}
