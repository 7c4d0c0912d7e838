/* SPDX-License-Identifier: PostgreSQL */
/*
 * finite_keys.c
 *	  Group keys whose values are public: booleans and enums by nature, columns of
 *	  which the table's owner has declared the keys, and what is computed of columns within
 *	  bounds.
 *
 * Boolean, enum, declared and computed keys are public: every possible value is answered, and
 * NULL if a boolean or enum can be that.  That a group exists tells nothing, and no
 * threshold is paid for.  Rows in which a column has none of its keys are in no group.
 * In the exact query such keys become one number, 1 to the product of how many values
 * each has; in the outer query the number becomes the keys again.  Only where all keys
 * are of this kind, and not too many groups come of it: each group is answered with
 * noise, however empty.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "base/compat_planner.h"
#include "base/compat_varlena.h"
#include "base/settings.h"
#include "expression/read_as.h"
#include "from/contribution.h"
#include "from/full_join.h"
#include "policy/domain.h"
#include "policy/unique.h"
#include "pricing/block.h"
#include "pricing/block_rewrite.h"
#include "pricing/form_table.h"
#include "rewrite/computed_keys.h"
#include "rewrite/finite_keys.h"
#include "tree/make_nodes.h"

/*
 * The query that reads the keys that public tables list.
 */

bool
dp_rewrite_keys_are_listed(const DpBlockRewrite *rewrite)
{
	return rewrite->contribution.listing != NULL && rewrite->key_exprs != NIL &&
		bms_is_subset(pull_varnos(NULL, (Node *) rewrite->key_exprs), rewrite->contribution.listed);
}

/* A copy of the block's range table with nothing in it but what lists keys. */
static List *
listed_entries(const DpBlockRewrite *rewrite)
{
	List	   *entries = NIL;
	ListCell   *lc;

	foreach(lc, rewrite->query->rtable)
	{
		RangeTblEntry *entry;

		if (bms_is_member(foreach_current_index(lc) + 1, rewrite->contribution.listed))
			entry = copyObject(lfirst_node(RangeTblEntry, lc));
		else
		{
			entry = makeNode(RangeTblEntry);
			entry->rtekind = RTE_RESULT;
			entry->eref = makeAlias("nothing", NIL);
		}
		entries = lappend(entries, entry);
	}
	return entries;
}

Query *
dp_rewrite_list_keys(const DpBlockRewrite *rewrite)
{
	Query	   *query = dp_tree_make_select(listed_entries(rewrite),
											copyObject(rewrite->contribution.listing));
	ListCell   *lc;

	dp_compat_take_permissions(query, rewrite->query);
	foreach(lc, rewrite->key_exprs)
		dp_tree_add_group(query, copyObject(lfirst(lc)), "key", false);
	query->sortClause = copyObject(query->groupClause);
	query->limitCount = (Node *) dp_tree_make_int8(DP_MOST_KEYS + 1);
	return query;
}

/* Most groups that are answered without being asked for. */
#define MAX_PUBLIC_GROUPS 10000

/* The same array of a type whose values are the same, numbered from 1. */
static ArrayType *
relabel(const ArrayType *array, Oid type)
{
	ArrayType  *copy = palloc(VARSIZE(array));

	memcpy(copy, array, VARSIZE(array));
	copy->elemtype = type;
	*ARR_LBOUND(copy) = 1;
	return copy;
}

ArrayType *
dp_rewrite_declared_keys(Query *query, Node *expr)
{
	Oid			type = exprType(expr);
	Var		   *var = (Var *) dp_expression_without_lower(expr);
	bool		lowers = (Node *) var != expr;
	RangeTblEntry *rte;
	DpDomain	domain;

	while (IsA(var, RelabelType))
		var = (Var *) ((RelabelType *) var)->arg;
	if (!IsA(var, Var) || var->varattno <= 0)
		return NULL;
	rte = rt_fetch(var->varno, query->rtable);
	if (rte->rtekind == RTE_SUBQUERY && !lowers &&
		(dp_from_is_full_join(rte->subquery) || dp_from_stands_alone(rte->subquery)))
	{
		ArrayType  *keys = dp_rewrite_declared_keys(rte->subquery, (Node *) get_tle_by_resno(rte->subquery->targetList,
																							 var->varattno)->expr);

		return keys && dp_policy_type_has_keys(type) ? relabel(keys, type) : NULL;
	}
	if (rte->rtekind != RTE_RELATION)
		return NULL;
	dp_policy_domain_get(rte->relid, var->varattno, &domain);
	if (domain.kind != DP_DOMAIN_KEYS || domain.lowers != lowers || !dp_policy_type_has_keys(type))
		return NULL;
	return relabel(domain.keys, type);
}

/* Values (Const of one type) as an array constant. */
static Const *
make_array(List *values)
{
	Const	   *first = linitial_node(Const, values);
	int			count = list_length(values);
	int			lower = 1;
	Datum	   *value = palloc(count * sizeof(Datum));
	bool	   *isnull = palloc(count * sizeof(bool));
	ArrayType  *array;
	int16		length;
	bool		byval;
	char		align;
	ListCell   *lc;

	foreach(lc, values)
	{
		value[foreach_current_index(lc)] = lfirst_node(Const, lc)->constvalue;
		isnull[foreach_current_index(lc)] = lfirst_node(Const, lc)->constisnull;
	}
	get_typlenbyvalalign(first->consttype, &length, &byval, &align);
	array = construct_md_array(value, isnull, 1, &count, &lower, first->consttype, length,
							   byval, align);
	return makeConst(get_array_type(first->consttype), -1, first->constcollid, -1,
					 PointerGetDatum(array), false, false);
}

/* How many values there are in an array constant. */
static int
count_of(const Const *values)
{
	const ArrayType *array = DatumGetArrayTypeP(values->constvalue);

	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

/* All values a key can have, in order, NULL last; NIL if nobody can know. */
static List *
public_values(Query *query, Node *expr)
{
	Oid			type = exprType(expr);
	List	   *values = NIL;

	/* A constant key makes one group, whatever values its type has. */
	if (!contain_var_clause(expr))
		return NIL;
	if (type == BOOLOID)
		values = list_make2(makeBoolConst(false, false), makeBoolConst(true, false));
	else if (get_typtype(type) == TYPTYPE_ENUM)
		values = dp_policy_enum_values(type);
	if (values != NIL && dp_policy_can_be_null(query, expr))
		values = lappend(values, makeNullConst(type, -1, InvalidOid));
	return values;
}

/* One arm of a CASE that compares what it is over with a value. */
static CaseWhen *
make_when(Oid equality, Node *value, Node *result)
{
	CaseWhen   *when = makeNode(CaseWhen);
	CaseTestExpr *test = makeNode(CaseTestExpr);

	test->typeId = exprType(value);
	test->typeMod = -1;
	when->expr = (Expr *) make_opclause(equality, BOOLOID, false, (Expr *) test, (Expr *) value,
										InvalidOid, InvalidOid);
	when->result = (Expr *) result;
	when->location = -1;
	return when;
}

static Node *
make_case(Oid type, Node *over, List *whens)
{
	CaseExpr   *cases = makeNode(CaseExpr);

	cases->casetype = type;
	cases->arg = (Expr *) over;
	cases->args = whens;
	cases->defresult = (Expr *) makeNullConst(type, -1, InvalidOid);
	cases->location = -1;
	return (Node *) cases;
}

/* The number of a key, or the last one for NULL if that is among the values. */
static Node *
or_of_null(Node *number, Node *key, const Const *values)
{
	NullTest   *test;
	CoalesceExpr *either;

	if (!array_contains_nulls(DatumGetArrayTypeP(values->constvalue)))
		return number;
	test = (NullTest *) dp_tree_make_not_null(copyObject(key));
	test->nulltesttype = IS_NULL;
	either = makeNode(CoalesceExpr);
	either->coalescetype = INT4OID;
	either->args = list_make2(number, dp_tree_make_if((Node *) test, (Node *) dp_tree_make_int4(count_of(values))));
	either->location = -1;
	return (Node *) either;
}

/* CASE key WHEN first THEN 1 ... END, for values that are not NULL. */
static Node *
number_of(Node *key, const Const *values)
{
	TypeCacheEntry *type = lookup_type_cache(exprType(key), TYPECACHE_EQ_OPR);
	List	   *whens = NIL;
	Datum	   *value;
	bool	   *isnull;
	int			count;

	deconstruct_array(DatumGetArrayTypeP(values->constvalue), type->type_id, type->typlen, type->typbyval, type->typalign,
					  &value, &isnull, &count);
	for (int i = 0; i < count; i++)
		if (!isnull[i])
			whens = lappend(whens, make_when(type->eq_opr,
											 (Node *) makeConst(type->type_id, -1, InvalidOid, type->typlen, value[i], false,
																type->typbyval),
											 (Node *) dp_tree_make_int4(i + 1)));
	return make_case(INT4OID, key, whens);
}

/* A call on two integers, far from overflow. */
static Node *
integers(Oid function, Node *left, int right)
{
	return (Node *) makeFuncExpr(function, INT4OID, list_make2(left, dp_tree_make_int4(right)),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The place of a key among those that are declared or computed, or NULL. */
static Node *
place_of(Node *key, Const *keys)
{
	Oid			types[] = {ANYELEMENTOID, ANYARRAYOID};
	FuncExpr   *call = dp_tree_make_call("place", types, lengthof(types), list_make2(key, keys), INT4OID);

	call->inputcollid = exprCollation(key);
	return (Node *) call;
}

/* The values of a key that is computed, if these are public; *known is set to those that are not NULL. */
static Const *
computed_values(const DpBlockRewrite *rewrite, Node *key, Const **known)
{
	List	   *values;
	List	   *others;

	if (!rewrite->statement->pricing.computed_keys || dp_from_is_unit(key, &rewrite->contribution) ||
		dp_rewrite_are_entangled(key, list_difference(rewrite->key_exprs, list_make1(key))))
		return NULL;
	values = dp_rewrite_computed_values(rewrite->query, key);
	others = values != NIL && llast_node(Const, values)->constisnull ?
		list_truncate(list_copy(values), list_length(values) - 1) : values;
	if (others == NIL)
		return NULL;
	*known = make_array(others);
	return make_array(values);
}

/*
 * All values of a key as an array, if they are public; *known is set to those that a row may be none of, or NULL.
 * *most is lowered.
 */
static Const *
find_values(const DpBlockRewrite *rewrite, Node *key, bool computes, Const **known, int *most)
{
	ArrayType  *declared = dp_rewrite_declared_keys(rewrite->query, key);
	List	   *values;

	*known = NULL;
	if (declared)
	{
		*known = makeConst(get_array_type(ARR_ELEMTYPE(declared)), -1, exprCollation(key), -1, PointerGetDatum(declared),
						   false, false);
		return *known;
	}
	values = public_values(rewrite->query, key);
	if (values != NIL || !computes)
		return values != NIL ? make_array(values) : NULL;
	*most = DP_MOST_COMPUTED;
	return computed_values(rewrite, key, known);
}

/* One number of the numbers of all keys. */
static Node *
make_number(List *keys, List *all, List *arrays)
{
	Node	   *number = NULL;
	ListCell   *lc;
	ListCell   *lc2;
	ListCell   *lc3;

	forthree(lc, keys, lc2, all, lc3, arrays)
	{
		const Const *values = lfirst_node(Const, lc2);
		Node	   *digit = or_of_null(lfirst(lc3) ? place_of(lfirst(lc), lfirst(lc3)) : number_of(lfirst(lc), values),
									   lfirst(lc), values);

		if (number)
			digit = (Node *) makeFuncExpr(F_INT4PL, INT4OID,
										  list_make2(integers(F_INT4MUL, integers(F_INT4MI, number, 1), count_of(values)),
													 digit),
										  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
		number = digit;
	}
	return number;
}

void
dp_rewrite_make_keys_public(DpBlockRewrite *rewrite, bool computes)
{
	List	   *all = NIL;
	List	   *seen = NIL;
	List	   *arrays = NIL;
	List	   *complete = NIL;
	int64		groups = 1;
	int			most = MAX_PUBLIC_GROUPS;
	bool		skips = false;
	ListCell   *lc;

	foreach(lc, rewrite->key_exprs)
	{
		Const	   *known;
		Const	   *values = find_values(rewrite, lfirst(lc), computes, &known, &most);

		if (values == NULL)
			return;

		/* If a key stands twice, most pairs of values cannot be. */
		groups *= count_of(values);
		if (groups > most || list_member(seen, lfirst(lc)))
			return;
		seen = lappend(seen, lfirst(lc));
		all = lappend(all, values);
		arrays = lappend(arrays, known);
		complete = lappend_int(complete, known == NULL);
		skips |= known != NULL;
	}
	rewrite->skips_rows |= skips;
	rewrite->key_values = all;
	rewrite->keys_complete = complete;
	rewrite->domain = (int) groups;
	rewrite->key_exprs = list_make1(make_number(rewrite->key_exprs, all, arrays));
}

/* A key's value at a place, from 1: an array is looked into at once, however long. */
static Node *
value_at(Node *place, const Const *values, Node *key)
{
	SubscriptingRef *element = makeNode(SubscriptingRef);

	element->refcontainertype = values->consttype;
	element->refelemtype = ARR_ELEMTYPE(DatumGetArrayTypeP(values->constvalue));
	element->refrestype = element->refelemtype;
	element->reftypmod = exprTypmod(key);
	element->refcollid = exprCollation(key);
	element->refupperindexpr = list_make1(place);
	element->refexpr = (Expr *) copyObject(values);
	return (Node *) element;
}

void
dp_rewrite_restore_public_keys(DpBlockRewrite *rewrite)
{
	Node	   *number;
	List	   *keys = NIL;
	int			stride = 1;

	if (rewrite->key_values == NIL)
		return;
	number = linitial(rewrite->key_vars);
	for (int i = list_length(rewrite->key_values) - 1; i >= 0; i--)
	{
		const Const *values = list_nth_node(Const, rewrite->key_values, i);
		Node	   *place = copyObject(number);

		/*
		 * One key's place is the number itself; arithmetic would be tried for each row that is
		 * shown.
		 */
		if (list_length(rewrite->key_values) > 1)
		{
			place = integers(F_INT4MI, place, 1);
			if (stride > 1)
				place = integers(F_INT4DIV, place, stride);
			if (i > 0)
				place = integers(F_INT4MOD, place, count_of(values));
			place = integers(F_INT4PL, place, 1);
		}
		keys = lcons(value_at(place, values, list_nth(rewrite->plain_keys, i)), keys);
		stride *= count_of(values);
	}
	rewrite->key_vars = keys;
}

/*
 * How many rows the planner is told that a release has.
 *
 * The planner of the analyst's statement shows its estimates, by EXPLAIN and by what it
 * chooses.  So they depend on the statement, settings, types, declarations and, where these
 * list the keys, PostgreSQL's estimates of public tables; on nothing protected.
 */

/* Groups a key is planned to have if nothing tells, and a release at most. */
#define GROUPS_OF_KEY 1000.0
#define MOST_GROUPS 100000.0

/* How many values a key may have. */
static double
values_of_key(Query *query, Node *key)
{
	Oid			type = exprType(key);
	ArrayType  *declared;
	CatCList   *labels;
	double		count;

	if (!contain_var_clause(key))
		return 1;
	declared = dp_rewrite_declared_keys(query, key);
	if (declared)
		return ArrayGetNItems(ARR_NDIM(declared), ARR_DIMS(declared));
	if (type == BOOLOID)
		return 3;
	if (get_typtype(type) != TYPTYPE_ENUM)
		return GROUPS_OF_KEY;
	labels = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	count = labels->n_members + 1;
	ReleaseSysCacheList(labels);
	return count;
}

/* How many rows PostgreSQL's statistics say that a public table has; MOST_GROUPS if they do not. */
static double
rows_of_public(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	double		rows;

	if (!HeapTupleIsValid(tuple))
		return MOST_GROUPS;
	rows = ((Form_pg_class) GETSTRUCT(tuple))->reltuples;
	ReleaseSysCache(tuple);
	return rows < 0 ? MOST_GROUPS : Max(rows, 1);
}

/* How many rows the public tables that list keys may have, joined. */
static double
rows_of_listing(const Query *keys)
{
	double		rows = 1;
	ListCell   *lc;

	foreach(lc, keys->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_RELATION)
			rows = Min(rows * rows_of_public(entry->relid), MOST_GROUPS);
	}
	return rows;
}

double
dp_rewrite_release_rows(const DpBlockRewrite *rewrite, const Query *keys)
{
	const DpBlock *block = rewrite->block;
	double		rows = 1;
	ListCell   *lc;

	if (dp_form(block)->rows)
	{
		rows = dp_form(block)->rows(block);
		return rows > 0 ? rows : GROUPS_OF_KEY;
	}
	if (block->nkeys == 0)
		return 1;
	if (block->domain > 0)
		return block->domain;
	foreach(lc, rewrite->key_exprs)
		rows = Min(rows * values_of_key(rewrite->query, lfirst(lc)), MOST_GROUPS);
	return keys ? Min(rows, rows_of_listing(keys)) : rows;
}
