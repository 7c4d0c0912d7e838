/* SPDX-License-Identifier: PostgreSQL */
/*
 * candidates.c
 *	  Lists of categories: their places are public group keys.
 *
 * A list is public because it stands in the statement.  What is not in it is in
 * no group.  Candidates are looked for by the equality of the column's type,
 * which is one of those rows may be grouped by: it is total, and so is the hash
 * they are looked for with.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "aggregate/place.h"
#include "asking/call_text.h"
#include "asking/candidates.h"
#include "expression/allow_list.h"
#include "expression/fold_constants.h"
#include "expression/validate.h"
#include "tree/parse_text.h"
#include "tree/reason.h"

PG_FUNCTION_INFO_V1(dp_asking_place);

#define MAX_CANDIDATES 100000

/* Candidates in a hash table, kept for a call's lifetime. */
typedef struct Candidates
{
	FmgrInfo	hash;
	FmgrInfo	equal;
	uint32		mask;
	Datum	   *value;
	int			slot[FLEXIBLE_ARRAY_MEMBER];	/* place, from 1; 0: free */
} Candidates;

/*
 * The slot that holds a value, or is free for it.  Equality is that of bytes
 * under every collation admitted: "C" finds it soonest.
 */
static inline int *
find_slot(Candidates *candidates, Datum value)
{
	uint32		i = DatumGetUInt32(FunctionCall1Coll(&candidates->hash, C_COLLATION_OID, value));

	for (;; i++)
	{
		int		   *slot = &candidates->slot[i & candidates->mask];

		if (*slot == 0 ||
			DatumGetBool(FunctionCall2Coll(&candidates->equal, C_COLLATION_OID, value,
										   candidates->value[*slot - 1])))
			return slot;
	}
}

/* Enter the elements of an array without nulls; NULL if two are equal. */
static Candidates *
enter_candidates(ArrayType *array)
{
	TypeCacheEntry *type = lookup_type_cache(ARR_ELEMTYPE(array), TYPECACHE_HASH_PROC_FINFO |
											 TYPECACHE_EQ_OPR_FINFO);
	uint32		size = 16;
	int			count;
	Datum	   *value;
	Candidates *candidates;

	if (!OidIsValid(type->hash_proc_finfo.fn_oid) || !OidIsValid(type->eq_opr_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("candidates need a type with equality and a hash")));
	deconstruct_array(array, ARR_ELEMTYPE(array), type->typlen, type->typbyval, type->typalign,
					  &value, NULL, &count);
	while (size < 4 * (uint32) count)
		size *= 2;
	candidates = palloc0(offsetof(Candidates, slot) + size * sizeof(int));
	fmgr_info_copy(&candidates->hash, &type->hash_proc_finfo, CurrentMemoryContext);
	fmgr_info_copy(&candidates->equal, &type->eq_opr_finfo, CurrentMemoryContext);
	candidates->mask = size - 1;
	candidates->value = value;
	for (int i = 0; i < count; i++)
	{
		int		   *slot;

		CHECK_FOR_INTERRUPTS();
		slot = find_slot(candidates, value[i]);
		if (*slot != 0)
			return NULL;
		*slot = i + 1;
	}
	return candidates;
}

/* Candidates as given, entered once for a call whose list is constant. */
static Candidates *
get_candidates(FunctionCallInfo fcinfo)
{
	Candidates *candidates = fcinfo->flinfo->fn_extra;
	bool		constant;
	MemoryContext old;

	if (candidates)
		return candidates;
	constant = dp_aggregate_is_constant(fcinfo->flinfo, 1);
	if (ARR_HASNULL(PG_GETARG_ARRAYTYPE_P(1)))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("candidates must not be null")));
	old = MemoryContextSwitchTo(constant ? fcinfo->flinfo->fn_mcxt : CurrentMemoryContext);
	candidates = enter_candidates(PG_GETARG_ARRAYTYPE_P_COPY(1));
	MemoryContextSwitchTo(old);
	if (candidates == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("candidates must differ from each other")));
	if (constant)
		fcinfo->flinfo->fn_extra = candidates;
	return candidates;
}

/* place(value, candidates): its place among them, or NULL. */
Datum
dp_asking_place(PG_FUNCTION_ARGS)
{
	int			place = *find_slot(get_candidates(fcinfo), PG_GETARG_DATUM(0));

	if (place == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT32(place);
}

/* Candidates, and the column they are looked for in, are of a type without surprises. */
static DpReason *
check_type(Oid type)
{
	if (dp_expression_type_is_groupable(type))
		return NULL;
	return dp_tree_reason(-1, "Use a built-in type that has an order.",
						  "candidates of this type are not allowed in a differentially private query");
}

/* Reason why a constant array may not be a list of candidates. */
static DpReason *
check_candidates(const Const *constant, int *count)
{
	ArrayType  *array = DatumGetArrayTypeP(constant->constvalue);
	DpReason   *reason;

	*count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (ARR_NDIM(array) != 1 || *count > MAX_CANDIDATES)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "candidates must be an array of 1 to %d values", MAX_CANDIDATES);
	if (ARR_HASNULL(array))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "candidates must not be null");
	reason = check_type(ARR_ELEMTYPE(array));
	if (reason)
		return reason;
	if (enter_candidates(array) == NULL)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "candidates must differ from each other");
	return NULL;
}

/*
 * The same candidates as values of another type, by their text: whatever that
 * type's input refuses is an error, which is about the statement.
 */
static Const *
convert_candidates(const Const *constant, Oid type, Oid array_type)
{
	ArrayType  *array = dp_tree_convert_array(DatumGetArrayTypeP(constant->constvalue), type);

	return makeConst(array_type, -1, get_typcollation(array_type), -1, PointerGetDatum(array),
					 false, false);
}

/*
 * Candidates that are given as text, of no type: that of an array of the column's type.
 * They are shown as texts.
 */
static DpReason *
read_candidates(DpCall *call, int *count, const char **keys, const char **shown)
{
	const Const *given = call->value[2];
	Oid			type = dp_asking_call_column_type(call, 1);
	Oid			array_type = get_array_type(type);
	DpReason   *reason = check_type(type);
	Const	   *array;

	if (reason)
		return reason;
	array = makeConst(array_type, -1, get_typcollation(array_type), -1,
					  dp_tree_value_of_text(array_type, TextDatumGetCString(given->constvalue)), false, false);
	reason = check_candidates(array, count);
	if (reason)
		return reason;
	array = convert_candidates(array, type, array_type);
	*keys = dp_asking_call_constant(call, array);
	*shown = dp_asking_call_constant(call, convert_candidates(array, TEXTOID, TEXTARRAYOID));
	return NULL;
}

DpReason *
dp_asking_candidates(DpCall *call, int *count, const char **keys, const char **shown)
{
	Const	   *given = call->value[2];
	Oid			type = dp_asking_call_column_type(call, 1);
	Oid			own = get_element_type(given->consttype);
	Oid			array_type = get_array_type(type);
	DpReason   *reason;

	if (given->consttype == TEXTOID)
		return read_candidates(call, count, keys, shown);
	reason = check_candidates(given, count);

	if (reason == NULL)
		reason = check_type(type);
	if (reason)
		return reason;
	/* As an array proper, of which the first element has number 1: vectors are arrays too. */
	given = convert_candidates(given, own, get_array_type(own));
	*shown = dp_asking_call_constant(call, given);
	if (OidIsValid(array_type) && type != own)
	{
		given = convert_candidates(given, type, array_type);
		reason = check_candidates(given, count);
	}
	*keys = dp_asking_call_constant(call, given);
	return reason;
}

Node *
dp_asking_key_call(Query *block, FuncExpr *call, List *constants, const DpStatement *statement,
				   DpReason **reason)
{
	Node	   *argument = NULL;

	if (*reason)
		(*reason)->location = call->location;
	else
		argument = dp_expression_validate_expression(block, linitial(call->args), statement, reason);
	if (*reason)
		return NULL;
	call = copyObject(call);
	call->args = lcons(argument, constants);
	return (Node *) call;
}

Node *
dp_asking_candidate_key(Query *block, FuncExpr *call, const DpStatement *statement, int *domain,
						DpReason **reason)
{
	Const	   *candidates = dp_expression_constant(lsecond(call->args), statement->params);

	if (candidates == NULL || candidates->constisnull)
		*reason = dp_tree_reason(-1, "Write constants or bound parameters.",
								 "candidates must be constant");
	else
		*reason = check_candidates(candidates, domain);
	return dp_asking_key_call(block, call, list_make1(candidates), statement, reason);
}
