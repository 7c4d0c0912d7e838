/* SPDX-License-Identifier: PostgreSQL */
/*
 * refusals.c
 *	  Checks that refuse parts of an expression over protected rows.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "base/compat_planner.h"
#include "base/compat_varlena.h"
#include "expression/allow_list.h"
#include "expression/plainer.h"
#include "expression/refusals.h"
#include "expression/regular.h"
#include "tree/public_params.h"
#include "tree/reason.h"

/*
 * Which types arrays, ranges and multiranges of protected rows may have.
 *
 * Elements of an array are compared by the equality or order of their type, which
 * PostgreSQL looks up by that type.  The type has to be one that only initdb can make,
 * and whose comparison never fails.  The same holds for the bounds of ranges.
 */

bool
dp_expression_is_container(Oid type)
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
dp_expression_check_container(Oid type, Node *node)
{
	Oid			within = type_within(type);

	if (type < FirstUnpinnedObjectId && within < FirstUnpinnedObjectId && dp_expression_type_is_groupable(within))
		return NULL;
	return dp_tree_reason(exprLocation(node),
						  "Arrays of numbers, texts, dates, times, booleans and uuids are, and built-in ranges.",
						  "values of type %s are not looked into in an expression over protected rows",
						  format_type_be(type));
}

bool
dp_expression_renames_elements(const ArrayCoerceExpr *cast)
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
dp_expression_check_element_operator(const ScalarArrayOpExpr *call)
{
	if (is_of_order(call->opno) || is_of_order(get_negator(call->opno)))
		return NULL;
	return dp_tree_reason(call->location, "Compare with =, <>, <, <=, > or >=, or write a list of constants.",
						  "ANY and ALL of a column need a comparison in an expression over protected rows");
}

#define PLACE "in an expression over protected rows"
#define HINT_FUNCTIONS \
	"Comparisons, arithmetic, casts between numbers and times, date_trunc, extract, LIKE, " \
	"substring, lower and upper are among those that are."
#define HINT_RANGES \
	"Write it beside @>, <@ or &&, with a value, a constant range or another such call at the other side; " \
	"of whole numbers and days [) or [] for &&."
#define HINT_SPAN \
	"EXISTS may compare with the row once, beside equalities. For a span of it, join the table in FROM and count units: " \
	"SELECT count(DISTINCT p.id) FROM people p JOIN visits v ON v.person = p.id AND v.at > p.came AND v.at < p.went;"
#define HINT_OUTER "Join the table in FROM, or bind the value as a parameter."

/* Constructs by their names, and what to write instead. */
static const struct
{
	NodeTag		tag;
	const char *name;
	const char *hint;
}			constructs[] = {
	{T_Aggref, "aggregate functions", "Aggregate in a subquery that groups by the privacy unit."},
	{T_GroupingFunc, "GROUPING calls", "Write one SELECT per grouping, joined by UNION ALL."},
	{T_WindowFunc, "window functions", "Apply them to the released values, in an outer query."},
	{T_SubLink, "subqueries", "Tie it to the row by equality of the privacy unit, at the top level of AND in its WHERE, or join the table in FROM."},
	{T_SubscriptingRef, "subscripts", "Keep the element in a column of its own."},
	{T_ArrayExpr, "arrays", "Write a list of constants after IN."},
	{T_ArrayCoerceExpr, "arrays", "Write a list of constants after IN."},
	{T_RowExpr, "rows", "Compare column by column."},
	{T_RowCompareExpr, "row comparisons", "Compare column by column."},
	{T_FieldSelect, "composite values", "Keep the field in a column of its own."},
	{T_FieldStore, "composite values", "Keep the field in a column of its own."},
	{T_ConvertRowtypeExpr, "composite values", "Keep the field in a column of its own."},
	{T_CoerceToDomain, "casts to domains", "Cast to the domain's base type."},
	{T_NullTest, "null tests of rows", "Test column by column."},
	{T_SQLValueFunction, "CURRENT_USER and its like", "Write the name as a constant."},
	{T_XmlExpr, "XML expressions", "Keep what is needed of the document in a column of its own."},
	{T_NextValueExpr, "sequences", "Leave them out."},
	{T_PlaceHolderVar, "rows and generated columns of the nullable side of an outer join", "Name their columns, or those that they are computed from."},
};

/* How many comparisons in a condition of a subquery are of its columns with those around it, equalities left out? */
static int
count_bounds(Node *condition)
{
	int			bounds = 0;
	ListCell   *lc;

	if (condition == NULL || !(IsA(condition, BoolExpr) || IsA(condition, OpExpr)))
		return 0;
	if (IsA(condition, OpExpr))
		return contain_vars_of_level(condition, 0) && contain_vars_of_level(condition, 1) &&
			get_mergejoin_opfamilies(((OpExpr *) condition)->opno) == NIL;
	foreach(lc, ((BoolExpr *) condition)->args)
		bounds += count_bounds(lfirst(lc));
	return bounds;
}

/* Does an expression ask by EXISTS for what lies in a span that depends on the row? */
static bool
asks_for_span(Node *node)
{
	return IsA(node, SubLink) && ((SubLink *) node)->subLinkType == EXISTS_SUBLINK &&
		count_bounds(castNode(Query, ((SubLink *) node)->subselect)->jointree->quals) > 1;
}

DpReason *
dp_expression_check_construct(Node *node)
{
	int			location = exprLocation(node);

	if (asks_for_span(node))
		return dp_tree_reason(location, HINT_SPAN, "subqueries are not allowed " PLACE);
	for (int i = 0; i < lengthof(constructs); i++)
		if (nodeTag(node) == constructs[i].tag)
			return dp_tree_reason(location, constructs[i].hint, "%s are not allowed " PLACE,
								  constructs[i].name);
	return dp_tree_reason(location, HINT_FUNCTIONS, "this construct is not allowed " PLACE);
}

/* The first node of a type in an expression, subqueries within left out. */
typedef struct Search
{
	NodeTag		tag;
	Node	   *found;
} Search;

static bool
search_walker(Node *node, Search *search)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (nodeTag(node) == search->tag)
	{
		search->found = node;
		return true;
	}
	return expression_tree_walker(node, search_walker, search);
}

/* Refuse the first node of this type. */
static DpReason *
check_absent(Node *expr, NodeTag tag)
{
	Search		search = {.tag = tag};

	return search_walker(expr, &search) ? dp_expression_check_construct(search.found) : NULL;
}

DpReason *
dp_expression_check_sublinks(Node *expr)
{
	return check_absent(expr, T_SubLink);
}

DpReason *
dp_expression_check_on(Node *expr)
{
	DpReason   *reason = check_absent(expr, T_SubLink);

	if (reason)
		reason->hint = "In ON of an outer join it may name columns of one item of FROM, which no other outer join fills up with NULLs. "
			"Or join the items in a subquery, choose its rows there in WHERE, and left-join that.";
	return reason;
}

DpReason *
dp_expression_check_placeholders(Node *expr)
{
	return check_absent(expr, T_PlaceHolderVar);
}

DpReason *
dp_expression_check_column(Var *var)
{
	if (var->varlevelsup > 0)
		return dp_tree_reason(var->location, HINT_OUTER,
							  "outer references are not allowed " PLACE);
	if (var->varattno == InvalidAttrNumber)
		return dp_tree_reason(var->location, "Name a column.",
							  "whole rows are not allowed " PLACE);
	if (var->varattno < 0)
		return dp_tree_reason(var->location, "Name a column of the table's own.",
							  "system columns are not allowed " PLACE);
	return NULL;
}

DpReason *
dp_expression_check_param(const DpPublicReads *reads, Param *param)
{
	Const	   *value;

	/* Until it is read, it may have any value. */
	if (dp_tree_is_public_param((Node *) param))
	{
		value = dp_tree_public_value(reads, param);
		return value ? dp_expression_check_constant(value) : NULL;
	}
	if (param->paramkind != PARAM_EXTERN)
		return dp_tree_reason(param->location, HINT_OUTER,
							  "outer references are not allowed " PLACE);
	return dp_tree_reason(param->location, "Bind a value to it, or write a constant.",
						  "parameter $%d has no value when the query is planned", param->paramid);
}

DpReason *
dp_expression_check_cast(Node *cast, Node *arg)
{
	return dp_tree_reason(exprLocation(cast),
						  exprType(arg) == TEXTOID
						  ? "Texts are cast to numbers, booleans, dates, timestamps and uuids."
						  : "Compare it with constants of its own type.",
						  "a cast from %s to %s is not allowed " PLACE,
						  format_type_be(exprType(arg)), format_type_be(exprType(cast)));
}

DpReason *
dp_expression_check_type(Oid type, Node *node)
{
	const char *hint = "Types built into PostgreSQL, except arrays, ranges and rows, enums, domains and citext are allowed. "
		"Of any other, count(x) and x IS NULL are answered.";

	if (dp_expression_type_is_allowed(type))
		return NULL;
	if (get_typtype(type) == TYPTYPE_DOMAIN)
		hint = "Cast it to the domain's base type.";
	else if (dp_expression_is_container(type))
		hint = "Ask something of a column of it: with = ANY, @>, <@, &&, cardinality, array_length, lower, upper, isempty or IS NULL.";
	return dp_tree_reason(exprLocation(node), hint, "type %s is not allowed " PLACE, format_type_be(type));
}

/* Raise now what using the collation for the first time can raise. */
static void
open_collation(Oid collation)
{
	Datum		letter = CStringGetTextDatum("a");

	(void) DirectFunctionCall2Coll(bttextcmp, collation, letter, CStringGetTextDatum("b"));
	(void) DirectFunctionCall1Coll(lower, collation, letter);
}

DpReason *
dp_expression_check_collation(Oid collation, Node *node)
{
	if (!dp_expression_collation_is_allowed(collation))
		return dp_tree_reason(exprLocation(node), "Add COLLATE \"C\", or another built-in, deterministic collation.",
							  "collation \"%s\" is not allowed " PLACE, get_collation_name(collation));
	if (OidIsValid(collation))
		open_collation(collation);
	return NULL;
}

/* The collation a call works under: allowed, and settled if that matters. */
static DpReason *
check_input_collation(Node *call, List *args)
{
	Oid			collation = exprInputCollation(call);
	ListCell   *cell;

	foreach(cell, args)
		if (!OidIsValid(collation) && type_is_collatable(exprType(lfirst(cell))))
			return dp_tree_reason(exprLocation(call), "Add a COLLATE clause.",
								  "could not determine which collation to use");
	return dp_expression_check_collation(collation, call);
}

/* Is every LIKE pattern in a constant text or array of text sound? */
static bool
patterns_are_sound(Const *patterns)
{
	Datum	   *elements;
	bool	   *nulls;
	int			count;

	if (patterns->constisnull)
		return true;
	if (!type_is_array(patterns->consttype))
		return dp_expression_like_is_sound(DatumGetTextPP(patterns->constvalue));
	deconstruct_array(DatumGetArrayTypeP(patterns->constvalue), TEXTOID, -1, false, TYPALIGN_INT,
					  &elements, &nulls, &count);
	for (int i = 0; i < count; i++)
		if (!nulls[i] && !dp_expression_like_is_sound(DatumGetTextPP(elements[i])))
			return false;
	return true;
}

/* Is a constant of variable length longer than that? */
static bool
is_longer(Const *constant, Size size)
{
	return constant->constlen == -1 && !constant->constisnull &&
		toast_raw_datum_size(constant->constvalue) > size;
}

DpReason *
dp_expression_check_constant(Const *constant)
{
	if (!is_longer(constant, DP_MAX_VALUE_SIZE))
		return NULL;
	return dp_tree_reason(constant->location, "Use one of half a megabyte at most.",
						  "this constant is too long " PLACE);
}

/* Where an argument stands, or its call: what was folded may have lost its place. */
static int
argument_location(Node *arg, Node *call)
{
	int			location = exprLocation(arg);

	return location >= 0 ? location : exprLocation(call);
}

/* What to write instead of an argument that is not constant. */
static const char *
hint_of_guide(DpVerdict verdict)
{
	if (verdict.cost == DP_COST_REGULAR || verdict.cost == DP_COST_REGULAR_FOLDED)
		return "Write a constant, or use a bound parameter. LIKE, ILIKE and strpos take a pattern from a column.";
	return "Write a constant, or use a bound parameter.";
}

/* An argument beside the subject: constant, and too short to slow a row down. */
static DpReason *
check_guide(Node *arg, Node *call, DpVerdict verdict)
{
	Const	   *constant = (Const *) arg;

	if (dp_tree_is_public_param(arg) || (verdict.counts && exprType(arg) == INT4OID))
		return NULL;
	if (!IsA(arg, Const))
		return dp_tree_reason(argument_location(arg, call), hint_of_guide(verdict),
							  "this argument must be constant " PLACE);
	if (!type_is_array(constant->consttype) && is_longer(constant, DP_MAX_GUIDE_SIZE))
		return dp_tree_reason(argument_location(arg, call), "Use one of 1000 bytes at most.",
							  "this constant is too long " PLACE);
	return NULL;
}

/*
 * Does a format ask for a time zone's name or abbreviation?  Reading one takes files, which the
 * session remembers: of those that some row names.
 */
static bool
asks_for_zone(const Const *format)
{
	const char *c;
	const char *end;
	text	   *value;

	if (format->constisnull)
		return false;
	value = DatumGetTextPP(format->constvalue);
	c = VARDATA_ANY(value);
	end = c + VARSIZE_ANY_EXHDR(value);
	for (; c + 1 < end; c++)
		if (pg_strncasecmp(c, "TZ", 2) == 0 &&
			(c + 2 == end || strchr("hmHM", c[2]) == NULL))
			return true;
	return false;
}

/* The format that a text is to be read by. */
static DpReason *
check_format(Node *call, Node *format)
{
	if (!asks_for_zone(castNode(Const, format)))
		return NULL;
	return dp_tree_reason(argument_location(format, call), "Use TZH and TZM.",
						  "names of time zones are not read " PLACE);
}

/* A regular expression. */
static DpReason *
check_regular(Node *call, Const *pattern)
{
	if (pattern->constisnull || dp_expression_regular_size(DatumGetTextPP(pattern->constvalue)) <= DP_MAX_REGULAR_SIZE)
		return NULL;
	return dp_tree_reason(argument_location((Node *) pattern, call),
						  "Leave back-references, lookaround and embedded options out; of repetitions like {9}, each counts.",
						  "a regular expression like this, or of more than %d characters, is not allowed " PLACE,
						  DP_MAX_REGULAR_SIZE);
}

/* The arguments of a function with a subject. */
static DpReason *
check_guides(Node *call, List *args, DpVerdict verdict)
{
	ListCell   *cell;

	if (verdict.subject < 0)
		return NULL;
	foreach(cell, args)
	{
		DpReason   *reason = NULL;

		if (foreach_current_index(cell) != verdict.subject)
			reason = check_guide(lfirst(cell), call, verdict);
		if (reason)
			return reason;
	}
	if (verdict.cost == DP_COST_REGULAR || verdict.cost == DP_COST_REGULAR_FOLDED)
		return IsA(lsecond(args), Const) ? check_regular(call, lsecond_node(Const, args)) : NULL;
	if (verdict.cost == DP_COST_FORMAT && exprType(linitial(args)) == TEXTOID)
		return IsA(lsecond(args), Const) ? check_format(call, lsecond(args)) : NULL;
	if (verdict.of_containers && IsA(lsecond(args), Const) && is_longer(lsecond(args), DP_MAX_GUIDE_SIZE))
		return dp_tree_reason(argument_location(lsecond(args), call), "Use one of 1000 bytes at most.",
							  "this constant is too long " PLACE);
	if (verdict.is_like && IsA(lsecond(args), Const) && !patterns_are_sound(lsecond_node(Const, args)))
		return dp_tree_reason(argument_location(lsecond(args), call),
							  "Double an escape character at the end, or use fewer wildcards.",
							  "LIKE pattern must not end with escape character or have more than %d wildcards",
							  DP_MAX_LIKE_WILDCARDS);
	return NULL;
}

/* Hint: what to write instead of a function. */
static const char *
hint_of(Oid function)
{
	switch (function)
	{
		case F_CONCAT_WS:
			return "Write a constant separator.";
		case F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY:
			return "Write an array of at most 1000 constants, none of them NULL.";
		case F_ARRAY_POSITION_ANYCOMPATIBLEARRAY_ANYCOMPATIBLE:
		case F_ARRAY_POSITION_ANYCOMPATIBLEARRAY_ANYCOMPATIBLE_INT4:
			return "Ask whether it is there at all, with = ANY.";
		default:
			return dp_expression_makes_range(function) ? HINT_RANGES : HINT_FUNCTIONS;
	}
}

/* A call that is not on the list, by the name it goes by in the text. */
static DpReason *
refuse_call(Node *call, Oid operator, Oid function, List *args)
{
	const char *name = OidIsValid(operator) ? get_opname(operator) : get_func_name(function);

	if (IsA(call, CoerceViaIO) ||
		(IsA(call, FuncExpr) && (((FuncExpr *) call)->funcformat == COERCE_EXPLICIT_CAST ||
								 ((FuncExpr *) call)->funcformat == COERCE_IMPLICIT_CAST)))
		return dp_expression_check_cast(call, linitial(args));
	return dp_tree_reason(exprLocation(call), hint_of(function), "%s %s is not allowed " PLACE,
						  OidIsValid(operator) ? "operator" : "function", name ? name : "(none)");
}

DpReason *
dp_expression_check_permission(Node *call, Oid function)
{
	if (DP_MAY_EXECUTE(function, GetUserId()))
		return NULL;
	return dp_tree_reason_as(ERRCODE_INSUFFICIENT_PRIVILEGE, exprLocation(call),
							 "Use another function, or have an administrator grant EXECUTE on this one.",
							 "permission denied for function %s",
							 get_func_name(function));
}

/*
 * Does a function compare by memcmp(), and return what that does?  The sign of this is certain, and no more: how
 * much it is may depend on where in memory the bytes lie, which other rows decide.
 */
static bool
returns_any_magnitude(Oid function)
{
	switch (function)
	{
		case F_BTNAMECMP:
		case F_BTNAMETEXTCMP:
		case F_BTTEXTNAMECMP:
		case F_BTTEXTCMP:
		case F_BTTEXT_PATTERN_CMP:
		case F_BPCHARCMP:
		case F_BTBPCHAR_PATTERN_CMP:
		case F_BITCMP:
		case F_VARBITCMP:
		case F_BYTEACMP:
		case F_UUID_CMP:
		case F_NETWORK_CMP:
			return true;
		default:
			return false;
	}
}

DpReason *
dp_expression_check_call(const DpPublicReads *reads, Node *call, Oid operator, Oid function, List *args, DpVerdict verdict)
{
	DpReason   *reason;

	args = dp_tree_known_values(reads, args);

	/* Estimators hang on the operator itself, whatever its function is. */
	if (operator >= FirstUnpinnedObjectId || verdict.totality == DP_REFUSED)
		return refuse_call(call, operator, function, args);
	if (IsA(call, FuncExpr) && returns_any_magnitude(function))
		return dp_tree_reason(exprLocation(call), "Compare by operators: CASE WHEN x < y THEN -1 WHEN x > y THEN 1 ELSE 0 END.",
							  "%s %s is not allowed " PLACE, "function", get_func_name(function));

	/* Others look their function up when they run. */
	if (verdict.totality == DP_PARTIAL &&
		!IsA(call, FuncExpr) && !IsA(call, OpExpr) && !IsA(call, CoerceViaIO))
		return refuse_call(call, operator, function, args);
	reason = check_guides(call, args, verdict);
	if (reason == NULL && !IsA(call, CoerceViaIO))
		reason = check_input_collation(call, args);
	if (reason == NULL)
		reason = dp_expression_check_permission(call, function);
	return reason;
}

const char *
dp_expression_hint_for_key(Oid type)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_HASH_PROC);

	if (OidIsValid(entry->lt_opr) && !OidIsValid(entry->hash_proc))
		return psprintf("Type %s has no hash function, by which groups are found. Group by comparisons of it with constants.",
						format_type_be(type));
	return "Group by a value of a built-in type that has an order and a hash function.";
}
