/* SPDX-License-Identifier: PostgreSQL */
/*
 * function_cost.c
 *	  Worst cost, for each row, of function calls in an exact query.
 *
 * The numbers are nanoseconds of processor time, measured on one core of a server of
 * 2024 over the worst subjects and guides that were found (test/bench/work.sql), and
 * rounded up:
 *
 *		per byte of the subject
 *		LIKE '%...%' of m bytes between wildcards		1.1 + 1.0 m
 *		split_part of m bytes						7.2 + 0.56 m
 *		LIKE of any pattern of m bytes				1.2 + 0.02 m, ILIKE as lower besides
 *		position of m bytes							6 + 0.02 m
 *		btrim, ltrim, rtrim of m bytes				6.1 + 3.0 m
 *		lower, upper: "C", libc, ICU				1.5, 4.7, 16
 *		initcap: libc, ICU (Japanese, Lithuanian)	7.6, 35
 *		order: "C", libc, ICU						0.1, 10.6, 7.7
 *		length, substr, left, reverse				1.7 to 6.1
 *		=, hashes, concatenation					0.05 to 0.35
 *		replace of m bytes by n					16 + 0.35 m + 0.6 n / m
 *		translate from m bytes					14 + 7.5 m
 *		md5											2.2
 *		jsonb @> m bytes							7 + 0.45 m
 *		a regular expression of size m				200 + 3 m + 0.04 m^2
 *		fetching TOASTed or compressed values		0.6 to 1.3
 *
 *		per call
 *		numeric: a product of n and m bytes			0.06 n m
 *		numeric: a quotient of n bytes by m			0.2 n m
 *		sqrt, ln, log of numerics within limits		6,000; 30,000; 60,000
 *		to_char of a format of m bytes				60 m; to_date, to_number 25 m
 *		lpad, rpad to n characters					10 n
 *		a number, date or time of a text of 256 bytes	1,000
 *		an error that is trapped					1,500
 *		arrays @>, && of n and m elements			13 n m, and 3 for each byte
 *		value = ANY of n elements					26 n
 *		ranges: @>, && 							100, of a multirange 8 for each byte
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "port/pg_bitutils.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "base/compat_varlena.h"
#include "expression/allow_list.h"
#include "expression/function_cost.h"
#include "expression/refusals.h"
#include "expression/regular.h"
#include "expression/value_size.h"

#define DP_COST_OF_MEETING 2.0

static double count_elements(Node *array, Size size);

/* Digits of a constant that is no wider than most numbers: as many bytes, for two sides. */
#define DP_NARROW_DIGITS 32

/* Rates of a collation, by who provides it. */
typedef struct Rates
{
	double		order;
	double		fold;
	double		words;
} Rates;

/* Does the C library compare text of this locale byte by byte?  glibc does since 2.35. */
static bool
is_c_locale(Datum name)
{
	const char *locale = TextDatumGetCString(name);

	return strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0 ||
		pg_strcasecmp(locale, "C.UTF-8") == 0 || pg_strcasecmp(locale, "C.UTF8") == 0;
}

/* Rates of a locale, given who provides it, and its row and column there if the C library does. */
static Rates
rates_of_locale(char provider, int cache, HeapTuple tuple, AttrNumber column)
{
	bool		isnull;
	Datum		name;

	if (provider == COLLPROVIDER_ICU)
		return (Rates) {10, 20, 40};
	if (provider != COLLPROVIDER_LIBC)
		return (Rates) {0.1, 6, 10};
	name = SysCacheGetAttr(cache, tuple, column, &isnull);
	if (!isnull && is_c_locale(name))
		return (Rates) {0.1, 6, 10};
	return (Rates) {15, 6, 10};
}

static Rates
rates_of_database(void)
{
	HeapTuple	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	Rates		rates;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for database %u", MyDatabaseId);
	rates = rates_of_locale(((Form_pg_database) GETSTRUCT(tuple))->datlocprovider, DATABASEOID,
							tuple, Anum_pg_database_datcollate);
	ReleaseSysCache(tuple);
	return rates;
}

static Rates
rates_of(Oid collation)
{
	HeapTuple	tuple;
	Rates		rates;
	char		provider;

	if (!OidIsValid(collation))
		return (Rates) {0.1, 6, 10};
	if (collation == DEFAULT_COLLATION_OID)
		return rates_of_database();
	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	provider = ((Form_pg_collation) GETSTRUCT(tuple))->collprovider;
	rates = rates_of_locale(provider, COLLOID, tuple, Anum_pg_collation_collcollate);
	ReleaseSysCache(tuple);
	return rates;
}

double
dp_expression_cost_of_order(Oid collation)
{
	return rates_of(collation).order;
}

/* Bytes of the longest part of a pattern between wildcards. */
static int
longest_part(const text *pattern)
{
	const char *c = VARDATA_ANY(pattern);
	const char *end = c + VARSIZE_ANY_EXHDR(pattern);
	int			longest = 0;
	int			part = 0;

	for (; c < end; c++)
	{
		part = *c == '%' ? 0 : part + 1;
		longest = Max(longest, part);
		if (*c == '\\' && c + 1 < end)
			c++;
	}
	return longest;
}

/* Costs of matching with a pattern, per byte. */
static double
cost_of_pattern(const text *pattern)
{
	double		per_character = GetDatabaseEncoding() == PG_UTF8 ||
		pg_database_encoding_max_length() == 1 ? 1.25 : 6;

	return per_character * (1 + longest_part(pattern));
}

/* The same of all patterns of a constant, of text or an array of it. */
static double
cost_of_patterns(const Const *patterns)
{
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	double		sum = 0;

	if (patterns->constisnull)
		return 0;
	if (!type_is_array(patterns->consttype))
		return cost_of_pattern(DatumGetTextPP(patterns->constvalue));
	deconstruct_array(DatumGetArrayTypeP(patterns->constvalue), TEXTOID, -1, false, TYPALIGN_INT,
					  &elements, &nulls, &count);
	for (int i = 0; i < count; i++)
		if (!nulls[i])
			sum += cost_of_pattern(DatumGetTextPP(elements[i]));
	return sum;
}

/* Known facts of a function's arguments after the first: sizes, and patterns. */
typedef struct Guide
{
	double		size;
	double		extent;			/* of a quotient: bytes that it may have */
	double		pattern;		/* per byte, of LIKE */
	double		growth;			/* of replace: bytes that may come of each */
	double		length;			/* of lpad: characters */
	double		states;			/* of a regular expression */
	double		pairs;			/* of arrays: elements of one times those of the other */
	double		bounds;			/* of ranges: bytes that hold some */
} Guide;

/*
 * Bytes that the digits of a number take between its first and the point, or its last,
 * whichever is further: 1e500 has few of them itself.
 */
static double
extent_of(Node *number, Size size)
{
	if (IsA(number, Const) && exprType(number) == NUMERICOID && !((Const *) number)->constisnull &&
		!dp_expression_is_wide(((Const *) number)->constvalue, DP_NARROW_DIGITS))
		return DP_NARROW_DIGITS;
	if (exprTypmod(number) >= (int32) VARHDRSZ)
		return (double) size;
	return 2 * DP_MAX_NUMERIC_SIZE;
}

/* How many bytes of the result come of each byte that replace finds, at most. */
static double
growth_of_replacing(const Size *sizes)
{
	double		found = Max((double) sizes[1] - VARHDRSZ, 1);
	double		instead = Max((double) sizes[2] - VARHDRSZ, 0);

	return Max(instead / found, 1);
}

/* How many characters lpad fills up to. */
static double
padded_length(List *args)
{
	const Const *length = lsecond(args);

	/* What is read before the charge is looked at once it is known. */
	return !IsA(length, Const) || length->constisnull ? 0 : Max(DatumGetInt32(length->constvalue), 0);
}

/* The size of a regular expression. */
static double
states_of(const Const *pattern, DpCostClass cost)
{
	int			size = pattern->constisnull ? 0 : dp_expression_regular_size(DatumGetTextPP(pattern->constvalue));

	return cost == DP_COST_REGULAR_FOLDED ? 2 * size : size;
}

/* Bytes that elements take at least. */
static double
size_of_element(Oid array)
{
	int16		length = get_typlen(get_element_type(array));

	/* What is longer is not compared that much faster than what takes no place. */
	return length > 0 ? Min(length, 8) : VARHDRSZ;
}

/*
 * How many elements an array can have that is no longer than `size` bytes: as many as there are
 * in a constant.  Elements that are NULL take no place; dp_agg_internal.at_most counts a byte for each.
 */
static double
count_elements(Node *array, Size size)
{
	const Const *constant = (Const *) array;

	if (IsA(array, Const))
		return constant->constisnull ? 0 : dp_expression_list_length(constant);
	return size / size_of_element(exprType(array));
}

static Guide
guide_of(DpCostClass cost, List *args, const Size *sizes)
{
	Guide		guide = {0};

	if (list_length(args) < 2)
		return guide;
	guide.size = (double) sizes[1];
	if (cost == DP_COST_LIKE && IsA(lsecond(args), Const))
		guide.pattern = cost_of_patterns(lsecond_node(Const, args));
	if (cost == DP_COST_QUOTIENT)
		guide.extent = extent_of(linitial(args), sizes[0]) + extent_of(lsecond(args), sizes[1]);
	if (cost == DP_COST_REPLACE)
		guide.growth = growth_of_replacing(sizes);
	if ((cost == DP_COST_REGULAR || cost == DP_COST_REGULAR_FOLDED) && IsA(lsecond(args), Const))
		guide.states = states_of(lsecond_node(Const, args), cost);
	if (cost == DP_COST_PAD)
		guide.length = padded_length(args);
	if (cost == DP_COST_PAIRS)
		guide.pairs = count_elements(linitial(args), sizes[0]) *
			count_elements(lsecond(args), sizes[1]);
	if (cost == DP_COST_RANGES)
		for (int i = 0; i < 2; i++)
			guide.bounds += dp_expression_is_container(exprType(list_nth(args, i))) ? sizes[i] : 0.1 * sizes[i];
	return guide;
}

/* Costs of matching a pattern of any content, per byte: see match.c. */
static double
cost_of_matching(double size)
{
	if (!dp_expression_matches_bytes())
		return 10 + 6 * size;
	return 1.5 + 1.6 * ceil(size / 64);
}

/* Cost of a call for each byte of its first argument. */
static double
cost_per_byte(DpCostClass cost, Guide guide, Oid collation)
{
	switch (cost)
	{
		case DP_COST_ORDER:
			return rates_of(collation).order;
		case DP_COST_CHARACTERS:
			return 6.5;
		case DP_COST_FOLD:
			return rates_of(collation).fold;
		case DP_COST_WORDS:
			return rates_of(collation).words;
		case DP_COST_LIKE:
			return guide.pattern;
		case DP_COST_MATCH:
			return cost_of_matching(guide.size);
		case DP_COST_POSITION:
			return 6 + cost_of_matching(guide.size);
		case DP_COST_MATCH_FOLDED:
			return rates_of(collation).fold + cost_of_matching(guide.size);
		case DP_COST_SEARCH:
			return 7.5 + 0.6 * guide.size;
		case DP_COST_TRIM:
			return 6.5 + 3.2 * guide.size;
		case DP_COST_REPLACE:
			return 18 + 0.6 * guide.size + 0.8 * guide.growth;
		case DP_COST_TRANSLATE:
			return 18 + 8 * guide.size;
		case DP_COST_REGULAR:
		case DP_COST_REGULAR_FOLDED:
			return 300 + 4 * guide.states + 0.05 * guide.states * guide.states;
		case DP_COST_CONTAINS:
			return 10 + guide.size;
		case DP_COST_ELEMENTS:
			return 12;
		case DP_COST_PAIRS:
			return 8;
		case DP_COST_PAD:
			return 6.5;
		case DP_COST_DIGEST:
			return 2.5;
		case DP_COST_FORMAT:
			return 3.5;
		case DP_COST_TEXT_OF_JSON:
		case DP_COST_BYTES:
		case DP_COST_JOIN:
		case DP_COST_BOUND:
			return 0.4;
		default:
			return 0;
	}
}

/* Cost of a call however long its first argument is. */
static double
cost_per_call(DpCostClass cost, Guide guide, double first)
{
	switch (cost)
	{
		case DP_COST_EQUALITY:
			return 0.1 * Min(first, guide.size);
		case DP_COST_DIGITS:
			return 100 + 0.2 * (first + 16) * (guide.size + 16);
		case DP_COST_QUOTIENT:
			return 100 + 0.2 * (guide.extent + 16) * (guide.size + 16);
		case DP_COST_ROOT:
			return 7000;
		case DP_COST_LOGARITHM:
			return 80000;
		case DP_COST_TEXT_OF_NUMBER:
			return 1200;
		case DP_COST_FORMAT:
			return 300 + 60 * guide.size;
		case DP_COST_TEXT_OF_JSON:
			return 12000;
		case DP_COST_MATCH:
		case DP_COST_POSITION:
			return 200 + 2.5 * guide.size;
		case DP_COST_MATCH_FOLDED:
			return 600 + 25 * guide.size;
		case DP_COST_PAD:
			return 300 + 12 * guide.length;
		case DP_COST_DIGEST:
		case DP_COST_REGULAR:
		case DP_COST_REGULAR_FOLDED:
			return 2000;
		case DP_COST_FROM_TEXT:
			return 1500;
		case DP_COST_CONTAINS:
			return 10 * guide.size;
		case DP_COST_PAIRS:
			return 100 + 8 * guide.size + 15 * guide.pairs;
		case DP_COST_RANGES:
			return 200 + 10 * guide.bounds;
		case DP_COST_BOUND:
			return 100;
		default:
			return 0;
	}
}

double
dp_expression_cost_of_call(DpCostClass cost, List *args, const Size *sizes, Oid collation)
{
	Guide		guide = guide_of(cost, args, sizes);
	double		first = args == NIL ? 0 : (double) sizes[0];
	double		longest = cost == DP_COST_ORDER ? Min(first, guide.size) : first;

	/* Comparisons with a name, and all that has no subject, may have it second. */
	if (cost == DP_COST_BYTES || cost == DP_COST_JOIN)
		longest += guide.size;
	return cost_per_call(cost, guide, first) + cost_per_byte(cost, guide, collation) * longest;
}

Size
dp_expression_size_of_result(DpCostClass cost, List *args, const Size *sizes)
{
	double		first = sizes[0];

	switch (cost)
	{
		case DP_COST_JOIN:
			return sizes[0] + sizes[1];
		case DP_COST_REPLACE:
			return (Size) Min(first * growth_of_replacing(sizes), DP_MAX_VALUE_SIZE);
		case DP_COST_TRANSLATE:
			return sizes[0] * pg_database_encoding_max_length();
		case DP_COST_PAD:
			return (Size) Min(VARHDRSZ + padded_length(args) * pg_database_encoding_max_length(),
							  DP_MAX_VALUE_SIZE);
		case DP_COST_DIGEST:
			return VARHDRSZ + 32;
		case DP_COST_BOUND:
			return sizes[0];
		default:
			return 0;
	}
}

int
dp_expression_list_length(const Const *list)
{
	ArrayType  *array = DatumGetArrayTypeP(list->constvalue);

	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

/* Neighbouring slots of a hash table that count as one place. */
#define SLOTS_AT_A_PLACE 8

/*
 * How often values meet in a hash table of as many slots, by their hashes: that of a list
 * made to collide is the square of its length.
 */
static double
count_meetings(FmgrInfo *hash, Oid collation, const Datum *values, const bool *nulls, int count)
{
	uint32		places = pg_nextpower2_32(Max(count, SLOTS_AT_A_PLACE)) / SLOTS_AT_A_PLACE;
	uint32	   *load = palloc0(places * sizeof(uint32));
	double		meetings = 0;

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			load[(DatumGetUInt32(FunctionCall1Coll(hash, collation, values[i])) / SLOTS_AT_A_PLACE) % places]++;
	}
	for (uint32 i = 0; i < places; i++)
		meetings += (double) load[i] * load[i];
	pfree(load);
	return meetings;
}

double
dp_expression_cost_of_meetings(Oid operator, const Const *list)
{
	ArrayType  *array = DatumGetArrayTypeP(list->constvalue);
	int			count = dp_expression_list_length(list);
	int16		length;
	bool		byval;
	char		align;
	Datum	   *values;
	bool	   *nulls;
	RegProcedure left;
	RegProcedure right;
	FmgrInfo	hash;
	double		meetings;

	/* Whether `<> ALL` is hashed depends on the version: its negator tells how. */
	if (!get_op_hash_functions(operator, &left, &right) &&
		!(OidIsValid(get_negator(operator)) &&
		  get_op_hash_functions(get_negator(operator), &left, &right)))
		return 0;
	fmgr_info(right, &hash);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &byval, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, byval, align, &values, &nulls, &count);
	meetings = count_meetings(&hash, C_COLLATION_OID, values, nulls, count);
	pfree(values);
	pfree(nulls);
	return DP_COST_OF_MEETING * meetings;
}

double
dp_expression_cost_of_elements(DpCostClass cost, const ScalarArrayOpExpr *call, const Size *sizes, double fetching)
{
	Node	   *array = lsecond(call->args);
	double		count = count_elements(array, sizes[1]);
	double		sum = 3.0 * sizes[1] + 20 * count;

	/* Equality looks at sizes first: what is as long as the value is compared in all. */
	if (cost == DP_COST_EQUALITY)
		return sum + 2 * fetching;
	sum += count * (fetching + 0.4 * (exprType(linitial(call->args)) == NUMERICOID ? Min(sizes[0], sizes[1]) : sizes[0]));
	if (cost == DP_COST_ORDER)
		sum += count * dp_expression_cost_of_order(call->inputcollid) * Min(sizes[0], sizes[1]);
	return sum;
}
