/* SPDX-License-Identifier: PostgreSQL */
/*
 * json_sql.c
 *	  Reading JSON that describes releases; see json.h.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/numeric.h"

#include "accounting/json.h"

const char *const dp_accounting_block_keys[] = {"call", "relations", "keys", "where", "question", "reads_released", "read_on", "rows_as_of", "sample_rate",
"releases", "or", NULL};

const char *const dp_accounting_release_keys[] = {"aggregate", "mechanism", "epsilon", "delta", "noise", "totals", "answers",
"threshold", "threshold_delta", "times", "with", "chooses", NULL};

const char *const dp_accounting_noise_keys[] = {"groups", "sensitivity", "grid", "scale_num", "scale_den", "sigma", NULL};

JsonbValue *
dp_accounting_json_member(JsonbContainer *object, const char *name)
{
	return getKeyJsonValueFromContainer(object, name, strlen(name), NULL);
}

bool
dp_accounting_json_is(const JsonbValue *value, const char *string)
{
	return value != NULL && value->type == jbvString && value->val.string.len == strlen(string) &&
		memcmp(value->val.string.val, string, value->val.string.len) == 0;
}

char *
dp_accounting_json_unknown(JsonbContainer *object, const char *const *known)
{
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbIteratorToken token;
	JsonbValue	value;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		int			i = 0;

		if (token != WJB_KEY)
			continue;
		while (known[i] != NULL && !dp_accounting_json_is(&value, known[i]))
			i++;
		if (known[i] == NULL)
			return pnstrdup(value.val.string.val, value.val.string.len);
	}
	return NULL;
}

double
dp_accounting_json_real(const JsonbValue *number)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(number->val.numeric)));
}

bool
dp_accounting_json_whole(const JsonbValue *number, uint64 most, uint64 *value)
{
	char	   *digits = numeric_normalize(number->val.numeric);

	errno = 0;
	*value = strtoull(digits, NULL, 10);
	return strspn(digits, "0123456789") == strlen(digits) && errno == 0 && *value >= 1 && *value <= most;
}

JsonbContainer *
dp_accounting_json_container(const JsonbValue *value, bool array)
{
	JsonbContainer *container = value != NULL && value->type == jbvBinary ? value->val.binary.data : NULL;

	return container != NULL && JsonContainerIsArray(container) == array ? container : NULL;
}
