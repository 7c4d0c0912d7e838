/*
 * conditions.c
 *	  Arrays of conditions over the rows of a call's relation.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "asking/conditions.h"

#define HINT "Write conditions on rows of the relation, each in a string of its own."

DpReason *
dp_query_call_conditions(DpCall *call, int argument, const char *singular, const char *plural,
						 int most, DpConditions *conditions)
{
	ArrayType  *array = DatumGetArrayTypeP(call->value[argument]->constvalue);
	int			count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) != 1 || count > most)
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, HINT,
								  "%s must be an array of 1 to %d conditions", plural, most);
	if (ARR_HASNULL(array))
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, HINT,
								  "%s must not be null", plural);
	conditions->count = count;
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &conditions->given, NULL, &count);
	conditions->condition = palloc(count * sizeof(char *));
	for (int i = 0; i < count; i++)
	{
		conditions->condition[i] = dp_query_call_condition(call, TextDatumGetCString(conditions->given[i]));
		if (conditions->condition[i] == NULL)
			return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, HINT,
									  "each %s must be one condition", singular);
	}
	return NULL;
}

DpReason *
dp_query_call_foretold(DpCall *call, int argument, const char **condition)
{
	*condition = dp_query_call_condition(call, TextDatumGetCString(call->value[argument]->constvalue));
	if (*condition)
		return NULL;
	return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Write a condition on rows of the relation, or a boolean column.",
							  "y of %s must be one condition", call->name);
}

const char *
dp_query_call_given(DpCall *call, const DpConditions *conditions)
{
	ArrayType  *array = construct_array(conditions->given, conditions->count, TEXTOID, -1, false,
										TYPALIGN_INT);

	return dp_query_call_constant(call, makeConst(TEXTARRAYOID, -1, DEFAULT_COLLATION_OID, -1,
												  PointerGetDatum(array), false, false));
}
