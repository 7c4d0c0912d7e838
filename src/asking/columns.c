/* SPDX-License-Identifier: PostgreSQL */
/*
 * columns.c
 *	  The columns of a model or of synthetic rows.
 *
 * Names are looked up as they are, keys read by the input of the column's type, which is built in or an
 * enum: nothing that somebody else wrote is run.  Equality is that of the type, under no collation of
 * anybody's: "01" and "1" are one integer.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/jsonapi.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonfuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "asking/call_text.h"
#include "asking/columns.h"
#include "base/compat_executor.h"
#include "policy/domain.h"
#include "policy/policy.h"
#include "pricing/value_range.h"
#include "tree/parse_text.h"
#include "tree/reason.h"

/* An element of a column's list: its text, without quotes and escapes. */
typedef struct DpWrittenValue
{
	const char *text;
	bool		number;			/* written without quotes, as a number */
} DpWrittenValue;

/* A column as written. */
typedef struct DpWrittenColumn
{
	const char *name;
	bool		listed;			/* has a list of values; else it is as declared */
	List	   *values;			/* of DpWrittenValue */
} DpWrittenColumn;

/* Most bins that a column's bounds may be divided into. */
#define DP_MOST_COLUMN_BINS 1000000

static DpReason *read_written_columns(text *json, List **columns);

/*
 * The json text that names the columns of a model or of synthetic rows.
 *
 * It is read by PostgreSQL's own parser, as json and not as jsonb, of which columns would come
 * in another order.  What is read are strings: nothing of them is looked up or run here.
 */

typedef struct Reading
{
	int			depth;			/* of lists and objects that are open */
	bool		by_name;		/* is the outermost an object? */
	bool		malformed;
	bool		too_many;		/* columns */
	bool		too_long;		/* a list */
	List	   *columns;		/* of DpWrittenColumn */
} Reading;

/* Begin with a column. */
static void
add_column(Reading *reading, const char *name)
{
	DpWrittenColumn *column = palloc0(sizeof(DpWrittenColumn));

	reading->too_many |= list_length(reading->columns) >= DP_MOST_COLUMNS;
	if (reading->too_many)
		return;
	column->name = pstrdup(name);
	reading->columns = lappend(reading->columns, column);
}

/* Add to the list of the last column. */
static void
add_value(Reading *reading, const char *text, JsonTokenType type)
{
	DpWrittenColumn *column;
	DpWrittenValue *value = palloc(sizeof(DpWrittenValue));

	if (reading->columns == NIL || reading->too_many)
		return;
	column = llast(reading->columns);
	reading->malformed |= type == JSON_TOKEN_NULL;
	reading->too_long |= list_length(column->values) >= DP_MAX_DOMAIN_KEYS;
	if (reading->too_long)
		return;
	*value = (DpWrittenValue) {.text = pstrdup(text), .number = type == JSON_TOKEN_NUMBER};
	column->values = lappend(column->values, value);
}

static DP_JSON_RESULT
start_object(void *state)
{
	Reading    *reading = state;

	reading->by_name |= reading->depth == 0;
	reading->malformed |= reading->depth > 0;
	reading->depth++;
	DP_JSON_GO_ON;
}

/* The list of a column begins. */
static DP_JSON_RESULT
start_array(void *state)
{
	Reading    *reading = state;

	reading->malformed |= reading->depth > (reading->by_name ? 1 : 0);
	if (reading->depth == 1 && reading->columns != NIL)
		((DpWrittenColumn *) llast(reading->columns))->listed = true;
	reading->depth++;
	DP_JSON_GO_ON;
}

static DP_JSON_RESULT
end_any(void *state)
{
	((Reading *) state)->depth--;
	DP_JSON_GO_ON;
}

static DP_JSON_RESULT
start_field(void *state, char *name, bool isnull)
{
	Reading    *reading = state;

	if (reading->depth == 1)
		add_column(reading, name);
	DP_JSON_GO_ON;
}

/* In a list of names, a name; of a column by name "as declared", or one of its values. */
static DP_JSON_RESULT
read_scalar(void *state, char *token, JsonTokenType type)
{
	Reading    *reading = state;

	if (reading->depth == 1 && !reading->by_name && type == JSON_TOKEN_STRING)
		add_column(reading, token);
	else if (reading->depth == 2 && reading->by_name)
		add_value(reading, token, type);
	else
		reading->malformed |= reading->depth != 1 || !reading->by_name || type != JSON_TOKEN_TRUE;
	DP_JSON_GO_ON;
}

/* Error in a column as it was read, by itself. */
static DpReason *
check_form(const Reading *reading)
{
	if (reading->malformed)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1,
								 "Write bounds, keys, or true for what is declared: {\"age\": [0, 110], \"ward\": [\"A\", \"B\"], \"smoker\": true}. Or a list of names, where all are declared: [\"age\", \"ward\"].",
								 "columns must be a json object of columns by name");
	if (reading->too_many || reading->columns == NIL)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "columns must name 1 to %d columns", DP_MOST_COLUMNS);
	if (reading->too_long)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "a column must have at most %d keys", DP_MAX_DOMAIN_KEYS);
	return NULL;
}

/*
 * Read {"a": [...], "b": true} or ["a", "b"], in this order, names that stand twice twice.
 * Lists hold numbers, strings and booleans, at most DP_MAX_DOMAIN_KEYS.  Returns NULL, or what else
 * the text is (22023).
 */
static DpReason *
read_written_columns(text *json, List **columns)
{
	Reading		reading = {0};
	JsonSemAction actions = {
		.semstate = &reading,
		.object_start = start_object,
		.object_end = end_any,
		.array_start = start_array,
		.array_end = end_any,
		.object_field_start = start_field,
		.scalar = read_scalar
	};

	pg_parse_json_or_ereport(DP_JSON_LEXER(json), &actions);
	*columns = reading.columns;
	return check_form(&reading);
}

/* By which numbers can be divided, however great. */
#define LEAST_WIDTH 1e-300

/* How a column is written, in words for hints. */
static const char *
written_hint(const DpColumn *column)
{
	const char *name = quote_literal_cstr(column->name);

	name = psprintf("\"%s\"", pnstrdup(name + 1, strlen(name) - 2));
	if (column->type == BOOLOID)
		return psprintf("Write %s: true.", name);
	if (column->type == DATEOID || dp_pricing_is_timestamp(column->type))
		return psprintf("Write bounds: %s: [\"2020-01-01\", \"2020-12-31\"].", name);
	if (dp_policy_type_has_range(column->type))
		return psprintf("Write bounds: %s: [0, 100], or keys as strings.", name);
	return psprintf("Write keys: %s: [\"a\", \"b\"].", name);
}

/* Are bounds of this type written as strings: dates and times? */
static bool
has_written_bounds(Oid type)
{
	return type == DATEOID || type == TIMEOID || dp_pricing_is_timestamp(type);
}

/* Take these bounds, if they are some. */
static DpReason *
set_bounds(DpColumn *column, double lower, double upper)
{
	if (!isfinite(lower) || !isfinite(upper) || !isfinite(upper - lower))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "bounds of column \"%s\" must be finite", column->name);
	if (lower >= upper)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "lower bound of column \"%s\" must be less than its upper bound", column->name);
	if (upper - lower < LEAST_WIDTH)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "bounds of column \"%s\" are too close together", column->name);
	column->kind = DP_COLUMN_NUMBER;
	column->lower = lower;
	column->upper = upper;
	return NULL;
}

/* A bound as a number. */
static double
bound_of(const DpColumn *column, const DpWrittenValue *value)
{
	if (value->number)
		return strtod(value->text, NULL);
	return dp_policy_domain_bound(column->type, dp_tree_value_of_text(column->type, value->text));
}

/* Read [lower, upper] or [lower, upper, bins]. */
static DpReason *
read_bounds(DpColumn *column, const List *values)
{
	const DpWrittenValue *bins = list_length(values) == 3 ? lthird(values) : NULL;
	double		number = bins && bins->number ? strtod(bins->text, NULL) : 0;
	DpReason   *reason;

	if (list_length(values) < 2 || list_length(values) > 3)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, written_hint(column),
								 "bounds of column \"%s\" must be two, and a number of bins behind them",
								 column->name);
	reason = set_bounds(column, bound_of(column, linitial(values)), bound_of(column, lsecond(values)));
	if (reason || bins == NULL)
		return reason;
	if (!(number >= 1 && number <= DP_MOST_COLUMN_BINS) || number != floor(number))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "number of bins of column \"%s\" must be between 1 and %d", column->name,
								 DP_MOST_COLUMN_BINS);
	column->bins = (int) number;
	return NULL;
}

static int
compare_keys(const void *a, const void *b, void *type)
{
	return DatumGetInt32(FunctionCall2Coll(&((TypeCacheEntry *) type)->cmp_proc_finfo, C_COLLATION_OID,
										   *(const Datum *) a, *(const Datum *) b));
}

/* Do all keys differ? */
static bool
keys_differ(TypeCacheEntry *type, const Datum *key, int count)
{
	Datum	   *sorted = palloc(count * sizeof(Datum));

	memcpy(sorted, key, count * sizeof(Datum));
	qsort_arg(sorted, count, sizeof(Datum), compare_keys, type);
	for (int i = 1; i < count; i++)
		if (compare_keys(&sorted[i - 1], &sorted[i], type) == 0)
			return false;
	return true;
}

/* Take these keys. */
static DpReason *
set_keys(const DpCall *call, DpColumn *column, Datum *key, int count)
{
	TypeCacheEntry *type = lookup_type_cache(column->type, TYPECACHE_CMP_PROC_FINFO);
	Oid			collation;
	int32		typmod;
	Oid			id;
	ArrayType  *array;

	if (count < 1 || count > DP_MAX_DOMAIN_KEYS)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "keys of column \"%s\" must be 1 to %d", column->name, DP_MAX_DOMAIN_KEYS);
	if (!keys_differ(type, key, count))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "keys of column \"%s\" must differ from each other", column->name);
	get_atttypetypmodcoll(call->relid, column->attno, &id, &typmod, &collation);
	array = construct_array(key, count, column->type, type->typlen, type->typbyval, type->typalign);
	column->kind = DP_COLUMN_KEYS;
	column->nkeys = count;
	column->keys = makeConst(get_array_type(column->type), -1, collation, -1, PointerGetDatum(array),
							 false, false);
	column->key = palloc(count * sizeof(char *));
	for (int i = 0; i < count; i++)
		column->key[i] = dp_policy_domain_text(column->type, key[i]);
	return NULL;
}

/* Read keys, each by its type's input. */
static DpReason *
read_keys(const DpCall *call, DpColumn *column, const List *values)
{
	Datum	   *key = palloc(list_length(values) * sizeof(Datum) + 1);
	ListCell   *lc;

	foreach(lc, values)
		key[foreach_current_index(lc)] =
			dp_tree_value_of_text(column->type, ((const DpWrittenValue *) lfirst(lc))->text);
	return set_keys(call, column, key, list_length(values));
}

/* How many of the values are written as numbers? */
static int
count_numbers(const List *values)
{
	int			count = 0;
	ListCell   *lc;

	foreach(lc, values)
		count += ((const DpWrittenValue *) lfirst(lc))->number;
	return count;
}

/* Read a list: numbers are bounds, and so are dates and times; anything else is a key. */
static DpReason *
read_list(const DpCall *call, DpColumn *column, const List *values)
{
	int			numbers = count_numbers(values);

	if (has_written_bounds(column->type) && numbers <= 1 &&
		(numbers == 0 || (list_length(values) == 3 && ((const DpWrittenValue *) lthird(values))->number)))
		return read_bounds(column, values);
	if (numbers == 0)
		return read_keys(call, column, values);
	if (numbers < list_length(values))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Write numbers for bounds, and strings for keys.",

								 "bounds and keys of column \"%s\" are mixed", column->name);
	if (!dp_policy_type_has_range(column->type) || has_written_bounds(column->type))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, written_hint(column),
								 "column \"%s\" has no numbers for bounds", column->name);
	return read_bounds(column, values);
}

/* All labels of the column's enum. */
static DpReason *
take_labels(const DpCall *call, DpColumn *column)
{
	List	   *labels = dp_policy_enum_values(column->type);
	Datum	   *key = palloc(list_length(labels) * sizeof(Datum) + 1);
	ListCell   *lc;

	foreach(lc, labels)
		key[foreach_current_index(lc)] = lfirst_node(Const, lc)->constvalue;
	return set_keys(call, column, key, list_length(labels));
}

/* The keys that are declared. */
static DpReason *
take_keys(const DpCall *call, DpColumn *column, ArrayType *keys)
{
	TypeCacheEntry *type = lookup_type_cache(column->type, 0);
	Datum	   *key;
	int			count;

	deconstruct_array(keys, column->type, type->typlen, type->typbyval, type->typalign, &key, NULL, &count);
	return set_keys(call, column, key, count);
}

/* The query that shows a column, views replaced by what they stand for. */
static Query *
query_of(const DpCall *call, const DpColumn *column)
{
	char	   *text = psprintf("SELECT %s FROM %s AS %s", column->text, call->relation, call->alias);
	Query	   *query = dp_tree_analyse_text(text, NULL, 0);

	dp_asking_check_named_relation(call, linitial_node(RangeTblEntry, query->rtable));
	return dp_tree_finish_text(query);
}

/* The table's column that the first column of a query is, looked for through views; false if it is none. */
static bool
find_origin(Query *query, Oid *relid, AttrNumber *attno)
{
	Node	   *expr = (Node *) linitial_node(TargetEntry, query->targetList)->expr;

	for (;;)
	{
		Var		   *var;
		RangeTblEntry *rte;
		TargetEntry *entry;

		while (IsA(expr, RelabelType))
			expr = (Node *) ((RelabelType *) expr)->arg;
		var = (Var *) expr;
		if (!IsA(expr, Var) || var->varattno <= 0 || var->varlevelsup > 0 || query->setOperations)
			return false;
		rte = rt_fetch(var->varno, query->rtable);
		if (rte->rtekind == RTE_RELATION)
		{
			*relid = rte->relid;
			*attno = var->varattno;
			return true;
		}
		if (rte->rtekind != RTE_SUBQUERY)
			return false;
		query = rte->subquery;
		entry = (TargetEntry *) list_nth(query->targetList, var->varattno - 1);
		expr = (Node *) entry->expr;
	}
}

/* Keys that the type has, or that the table's owner has declared. */
static DpReason *
take_declared(const DpCall *call, DpColumn *column, Query *query, const DpDomain *domain)
{
	DpValueRange range;

	if (domain->kind == DP_DOMAIN_KEYS && domain->type == column->type)
		return take_keys(call, column, domain->keys);
	if (column->type == BOOLOID)
	{
		column->kind = DP_COLUMN_BOOLEAN;
		return NULL;
	}
	if (get_typtype(column->type) == TYPTYPE_ENUM)
		return take_labels(call, column);
	if (dp_policy_type_has_range(column->type) &&
		dp_pricing_value_range(query, (Node *) linitial_node(TargetEntry, query->targetList)->expr, NULL, NULL, &range) == NULL &&
		range.lower <= range.upper)
		return set_bounds(column, range.lower, range.upper);
	return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1,
							 psprintf("%s Or have the table's owner declare a domain for everybody: dp_agg.set_domain.",
									  written_hint(column)),
							 "nothing is declared of column \"%s\"", column->name);
}

/* The column has a type without surprises, and is not the privacy unit. */
static DpReason *
check_column(const DpColumn *column, Oid relid, AttrNumber attno)
{
	DpPolicy	policy;
	bool		malformed;

	if (!dp_policy_type_has_keys(column->type))
		return dp_tree_reason(-1, "Use a column of a built-in type that can be sorted, or of an enum.",
							  "column \"%s\" of type %s is not allowed here", column->name,
							  format_type_be(column->type));
	if (OidIsValid(relid) && dp_policy_policy_find(relid, &policy, &malformed) && policy.unit == attno)
		return dp_tree_reason(-1, "Leave it out: it tells privacy units apart.",
							  "column \"%s\" is the privacy unit", column->name);
	return NULL;
}

/* Look a column up by its name. */
static DpReason *
find_column(const DpCall *call, const char *name, DpColumn *column)
{
	*column = (DpColumn) {.name = name, .attno = get_attnum(call->relid, name)};
	if (column->attno <= 0)
		return dp_tree_reason_as(ERRCODE_UNDEFINED_COLUMN, -1,
								 dp_asking_missing_column_hint(call->relid, name),
								 "column \"%s\" of relation \"%s\" does not exist", name,
								 get_rel_name(call->relid));
	column->type = getBaseType(get_atttype(call->relid, column->attno));
	column->text = psprintf("%s.%s", call->alias, quote_identifier(name));
	return NULL;
}

/* Look a column up, and what is declared of it. */
static DpReason *
open_column(const DpCall *call, const char *name, DpColumn *column, Query **query, DpDomain *domain)
{
	Oid			relid = InvalidOid;
	AttrNumber	attno = InvalidAttrNumber;
	DpReason   *reason = find_column(call, name, column);

	*domain = (DpDomain) {0};
	if (reason)
		return reason;
	*query = query_of(call, column);
	if (find_origin(*query, &relid, &attno))
		dp_policy_domain_get(relid, attno, domain);
	return check_column(column, relid, attno);
}

/* Read one column, as it is written. */
static DpReason *
read_column(const DpCall *call, const DpWrittenColumn *written, DpColumn *column)
{
	Query	   *query;
	DpDomain	domain;
	DpReason   *reason = open_column(call, written->name, column, &query, &domain);

	if (reason)
		return reason;
	return written->listed ? read_list(call, column, written->values)
		: take_declared(call, column, query, &domain);
}

DpReason *
dp_asking_read_bounded(const DpCall *call, const char *name, double lower, double upper, bool bounded,
					   DpColumn *column)
{
	Query	   *query;
	DpDomain	domain;
	DpReason   *reason = open_column(call, name, column, &query, &domain);

	if (reason)
		return reason;
	if (!bounded)
		return take_declared(call, column, query, &domain);
	if (!dp_policy_type_has_range(column->type) || has_written_bounds(column->type))
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								 "column \"%s\" has no numbers for bounds", column->name);
	return set_bounds(column, lower, upper);
}

/* Is the i-th column one of those before, or one that may not be among them? */
static DpReason *
check_twice(const DpColumns *columns, int i, const char *other)
{
	const char *name = columns->column[i].name;

	if (other && strcmp(name, other) == 0)
		return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, "Leave it out of columns.",
								 "column \"%s\" is what is to be predicted", name);
	for (int j = 0; j < i; j++)
		if (strcmp(name, columns->column[j].name) == 0)
			return dp_tree_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
									 "column \"%s\" stands twice in columns", name);
	return NULL;
}

DpReason *
dp_asking_read_columns(const DpCall *call, const Const *json, const char *other, DpColumns **columns)
{
	List	   *written;
	DpReason   *reason = read_written_columns(DatumGetTextPP(json->constvalue), &written);
	ListCell   *lc;

	*columns = palloc0(sizeof(DpColumns));
	if (reason)
		return reason;
	foreach(lc, written)
	{
		int			i = (*columns)->count++;

		reason = read_column(call, lfirst(lc), &(*columns)->column[i]);
		if (reason == NULL)
			reason = check_twice(*columns, i, other);
		if (reason)
			return reason;
	}
	return NULL;
}
