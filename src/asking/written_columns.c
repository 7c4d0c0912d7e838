/*
 * written_columns.c
 *	  The json text that names the columns of a model or of synthetic rows.
 *
 * It is read by PostgreSQL's own parser, as json and not as jsonb, of which columns would come
 * in another order.  What is read are strings: nothing of them is looked up or run here.
 */
#include "postgres.h"

#include "common/jsonapi.h"
#include "utils/builtins.h"
#include "utils/jsonfuncs.h"

#include "base/compat.h"
#include "asking/written_columns.h"
#include "tree/reason.h"
#include "policy/domain.h"

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

/* Of a column that has a list, the list begins. */
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

/* What is wrong with what was read, by itself. */
static DpReason *
check_form(const Reading *reading)
{
	if (reading->malformed)
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1,
								  "Write bounds, keys, or true for what is declared: {\"age\": [0, 110], \"ward\": [\"A\", \"B\"], \"smoker\": true}. Or a list of names, where all are declared: [\"age\", \"ward\"].",
								  "columns must be a json object of columns by name");
	if (reading->too_many || reading->columns == NIL)
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								  "columns must name 1 to %d columns", DP_MOST_COLUMNS);
	if (reading->too_long)
		return dp_query_reason_as(ERRCODE_INVALID_PARAMETER_VALUE, -1, NULL,
								  "a column must have at most %d keys", DP_MAX_DOMAIN_KEYS);
	return NULL;
}

DpReason *
dp_query_read_written_columns(text *json, List **columns)
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
