/* SPDX-License-Identifier: PostgreSQL */
/*
 * call_text.c
 *	  Pieces of the text that a call stands for.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "asking/call_text.h"
#include "policy/near_names.h"
#include "tree/parse_text.h"

const char *
dp_asking_call_column(const DpCall *call, int argument)
{
	const char *name = NameStr(*DatumGetName(call->value[argument]->constvalue));

	return psprintf("%s.%s", call->alias, quote_identifier(name));
}

Oid
dp_asking_call_column_type(const DpCall *call, int argument)
{
	const char *name = NameStr(*DatumGetName(call->value[argument]->constvalue));
	AttrNumber	attno = get_attnum(call->relid, name);

	return attno == InvalidAttrNumber ? InvalidOid : getBaseType(get_atttype(call->relid, attno));
}

const char *
dp_asking_missing_column_hint(Oid relid, const char *name)
{
	const char *hint = dp_policy_column_hint(relid, name);

	return hint ? hint : "Write the name of a column by itself, without quotes inside the string.";
}

/* Have a part of the text be `$n`. */
static const char *
add_part(DpCall *call, Node *part)
{
	call->parts = lappend(call->parts, part);
	return psprintf("$%d", list_length(call->parts));
}

const char *
dp_asking_call_constant(DpCall *call, const Const *constant)
{
	return add_part(call, (Node *) copyObject(unconstify(Const *, constant)));
}

const char *
dp_asking_call_count(const DpCall *call, const char *counted)
{
	return psprintf("dp_agg_internal.counted(%s, %s)", counted, call->epsilon);
}

void
dp_asking_check_named_relation(const DpCall *call, const RangeTblEntry *rte)
{
	if (rte->rtekind != RTE_RELATION || rte->relid != call->relid)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("another relation is called %s now", call->relation),
				 errhint("Try again.")));
}

/* The relation under its own name, and a condition on lines of its own. */
static char *
rows_text(const DpCall *call, const char *condition)
{
	return psprintf("FROM %s AS %s WHERE (\n%s\n)", call->relation, call->alias, condition);
}

const char *
dp_asking_call_from(const DpCall *call)
{
	return rows_text(call, call->filter ? call->filter : "true");
}

const char *
dp_asking_call_condition(DpCall *call, const char *condition)
{
	Query	   *query;

	if (!dp_tree_is_condition_text(condition))
		return NULL;
	query = dp_tree_analyse_text(psprintf("SELECT %s", rows_text(call, condition)), NULL, 0);
	dp_asking_check_named_relation(call, linitial_node(RangeTblEntry, query->rtable));
	call->conditions = lappend(call->conditions, query);
	return add_part(call, query->jointree->quals);
}

const char *
dp_asking_call_value(DpCall *call, const char *value, Oid *type)
{
	Query	   *query;
	Node	   *expr;

	if (!dp_tree_is_condition_text(value))
		return NULL;
	query = dp_tree_analyse_text(psprintf("SELECT (\n%s\n) %s", value, rows_text(call, "true")), NULL, 0);
	dp_asking_check_named_relation(call, linitial_node(RangeTblEntry, query->rtable));
	call->conditions = lappend(call->conditions, query);
	expr = (Node *) linitial_node(TargetEntry, query->targetList)->expr;
	*type = exprType(expr);
	return query->hasAggs || query->hasWindowFuncs || query->hasTargetSRFs ? NULL : add_part(call, expr);
}

/*
 * Arrays of conditions over the rows of a call's relation.
 */

#define HINT "Write conditions on rows of the relation, each in a string of its own."

DpReason *
dp_asking_call_conditions(DpCall *call, int argument, const char *singular, const char *plural,
						  int most, DpConditions *conditions)
{
	ArrayType  *array = DatumGetArrayTypeP(call->value[argument]->constvalue);
	int			count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) != 1 || count > most)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, HINT,
								 "%s must be an array of 1 to %d conditions", plural, most);
	if (ARR_HASNULL(array))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, HINT,
								 "%s must not be null", plural);
	conditions->count = count;
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &conditions->given, NULL, &count);
	conditions->condition = palloc(count * sizeof(char *));
	for (int i = 0; i < count; i++)
	{
		conditions->condition[i] = dp_asking_call_condition(call, TextDatumGetCString(conditions->given[i]));
		if (conditions->condition[i] == NULL)
			return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, HINT,
									 "each %s must be one condition", singular);
	}
	return NULL;
}

DpReason *
dp_asking_call_foretold(DpCall *call, int argument, const char **condition)
{
	*condition = dp_asking_call_condition(call, TextDatumGetCString(call->value[argument]->constvalue));
	if (*condition)
		return NULL;
	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Write a condition on rows of the relation, or a boolean column.",
							 "y of %s must be one condition", call->name);
}

const char *
dp_asking_call_given(DpCall *call, const DpConditions *conditions)
{
	ArrayType  *array = construct_array(conditions->given, conditions->count, TEXTOID, -1, false,
										TYPALIGN_INT);

	return dp_asking_call_constant(call, makeConst(TEXTARRAYOID, -1, DEFAULT_COLLATION_OID, -1,
												   PointerGetDatum(array), false, false));
}
