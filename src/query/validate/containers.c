/*
 * containers.c
 *	  Arrays, ranges and multiranges of protected rows: of which types, and what they cost.
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

#include "query/validate/containers.h"
#include "query/validate/function_cost.h"

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

/* Bytes that elements take at least. */
static double
size_of_element(Oid array)
{
	int16		length = get_typlen(get_element_type(array));

	/* What is longer is not compared that much faster than what takes no place. */
	return length > 0 ? Min(length, 8) : VARHDRSZ;
}

double
dp_query_count_elements(Node *array, Size size)
{
	const Const *constant = (Const *) array;

	if (IsA(array, Const))
		return constant->constisnull ? 0 : dp_query_list_length(constant);
	return size / size_of_element(exprType(array));
}

double
dp_query_cost_of_elements(DpCostClass cost, const ScalarArrayOpExpr *call, const Size *sizes, double fetching)
{
	Node	   *array = lsecond(call->args);
	double		count = dp_query_count_elements(array, sizes[1]);
	double		sum = 3.0 * sizes[1] + 20 * count;

	/* Equality looks at sizes first: what is as long as the value is compared in all. */
	if (cost == DP_COST_EQUALITY)
		return sum + 2 * fetching;
	sum += count * (fetching + 0.4 * (exprType(linitial(call->args)) == NUMERICOID ? Min(sizes[0], sizes[1]) : sizes[0]));
	if (cost == DP_COST_ORDER)
		sum += count * dp_query_cost_of_order(call->inputcollid) * Min(sizes[0], sizes[1]);
	return sum;
}
