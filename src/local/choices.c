/* SPDX-License-Identifier: PostgreSQL */
/*
 * choices.c
 *	  The values an answer can have.  Values are equal if their bytes are, as in
 *	  every deterministic collation.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "accounting/calibrate.h"
#include "base/compat_varlena.h"
#include "local/choices.h"
#include "noise/randomize.h"

/* Order by bytes: any order will do to find a value. */
static int
compare(const text *a, const text *b)
{
	int			a_length = VARSIZE_ANY_EXHDR(a);
	int			b_length = VARSIZE_ANY_EXHDR(b);

	if (a_length != b_length)
		return a_length < b_length ? -1 : 1;
	return memcmp(VARDATA_ANY(a), VARDATA_ANY(b), a_length);
}

static int
compare_places(const void *a, const void *b, void *values)
{
	return compare(DatumGetTextPP(((Datum *) values)[*(const int *) a]),
				   DatumGetTextPP(((Datum *) values)[*(const int *) b]));
}

/* Sort the places, and see that no two values are equal. */
static void
sort_choices(DpAnswerList *choices)
{
	choices->sorted = palloc(choices->count * sizeof(int));
	for (int i = 0; i < choices->count; i++)
		choices->sorted[i] = i;
	qsort_arg(choices->sorted, choices->count, sizeof(int), compare_places, choices->value);
	for (int i = 1; i < choices->count; i++)
		if (compare_places(&choices->sorted[i - 1], &choices->sorted[i], choices->value) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a domain must not list a value twice")));
}

DpAnswerList *
dp_local_read_choices(const ArrayType *list, MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "dp_agg choices", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	DpAnswerList *choices = palloc0(sizeof(DpAnswerList));
	bool	   *nulls;

	choices->context = context;
	choices->list = DatumGetArrayTypePCopy(PointerGetDatum(list));
	if (array_contains_nulls(choices->list))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("a domain must not list NULL")));
	deconstruct_array(choices->list, TEXTOID, -1, false, TYPALIGN_INT,
					  &choices->value, &nulls, &choices->count);
	if (choices->count < 2 || choices->count > DP_NOISE_MAX_CHOICES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a domain must have between 2 and %d values", DP_NOISE_MAX_CHOICES)));
	sort_choices(choices);
	MemoryContextSwitchTo(old);
	return choices;
}

bool
dp_local_same_choices(const DpAnswerList *choices, const ArrayType *list)
{
	return VARSIZE(choices->list) == VARSIZE(list) &&
		memcmp(choices->list, list, VARSIZE(list)) == 0;
}

DpAnswerList *
dp_local_choices(FunctionCallInfo fcinfo, int number)
{
	DpAnswerList *choices = fcinfo->flinfo->fn_extra;
	ArrayType  *list;

	if (PG_ARGISNULL(number))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("domain must not be null")));
	list = PG_GETARG_ARRAYTYPE_P(number);
	if (choices != NULL && dp_local_same_choices(choices, list))
		return choices;
	fcinfo->flinfo->fn_extra = NULL;
	if (choices != NULL)
		MemoryContextDelete(choices->context);
	fcinfo->flinfo->fn_extra = dp_local_read_choices(list, fcinfo->flinfo->fn_mcxt);
	return fcinfo->flinfo->fn_extra;
}

int
dp_local_find_choice(const DpAnswerList *choices, const text *value)
{
	int			low = 0;
	int			high = choices->count - 1;

	while (low <= high)
	{
		int			middle = (low + high) / 2;
		int			order = compare(value, DatumGetTextPP(choices->value[choices->sorted[middle]]));

		if (order == 0)
			return choices->sorted[middle];
		if (order < 0)
			high = middle - 1;
		else
			low = middle + 1;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("value is not in its domain")));
}

double
dp_local_epsilon(FunctionCallInfo fcinfo, int number)
{
	double		epsilon;

	if (PG_ARGISNULL(number))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null")));
	epsilon = PG_GETARG_FLOAT8(number);
	if (!(epsilon >= DP_MIN_EPSILON && epsilon <= DP_MAX_EPSILON))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon must be between %.7g and %.7g", DP_MIN_EPSILON, DP_MAX_EPSILON)));
	return epsilon;
}
