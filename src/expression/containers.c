/*
 * containers.c
 *	  Arrays, ranges and multiranges of protected rows: of which types.
 *
 * What is in an array is compared by the equality or order of its type, which PostgreSQL looks up
 * by that type: it has to be one that cannot be made by anybody but initdb, and that never fails.
 * Of ranges these are the bounds.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "expression/containers.h"

bool
dp_query_is_container(Oid type)
{
	char		kind = get_typtype(type);

	return kind == TYPTYPE_RANGE || kind == TYPTYPE_MULTIRANGE || OidIsValid(get_element_type(type));
}

/* The type of elements, or of bounds. */
static Oid
type_within(Oid type)
{
	Oid			range = get_typtype(type) == TYPTYPE_MULTIRANGE ? get_multirange_range(type) : type;

	return OidIsValid(get_element_type(type)) ? get_element_type(type) : get_range_subtype(range);
}

DpReason *
dp_query_check_container(Oid type, Node *node)
{
	Oid			within = type_within(type);

	if (type < FirstUnpinnedObjectId && within < FirstUnpinnedObjectId && dp_query_type_is_groupable(within))
		return NULL;
	return dp_query_reason(exprLocation(node),
						   "Arrays of numbers, texts, dates, times, booleans and uuids are, and built-in ranges.",
						   "values of type %s are not looked into in an expression over protected rows",
						   format_type_be(type));
}

bool
dp_query_renames_elements(const ArrayCoerceExpr *cast)
{
	const RelabelType *element = (const RelabelType *) cast->elemexpr;

	return IsA(element, RelabelType) && IsA(element->arg, CaseTestExpr);
}

/* Is it an order, or the equality of one? */
static bool
is_of_order(Oid operator)
{
	Oid			left;
	Oid			right;

	if (!OidIsValid(operator))
		return false;
	op_input_types(operator, &left, &right);
	return op_mergejoinable(operator, left) || OidIsValid(get_equality_op_for_ordering_op(operator, NULL));
}

DpReason *
dp_query_check_element_operator(const ScalarArrayOpExpr *call)
{
	if (is_of_order(call->opno) || is_of_order(get_negator(call->opno)))
		return NULL;
	return dp_query_reason(call->location, "Compare with =, <>, <, <=, > or >=, or write a list of constants.",
						   "ANY and ALL of a column need a comparison in an expression over protected rows");
}
