/* SPDX-License-Identifier: PostgreSQL */
/*
 * value_size.c
 *	  How long values are, and texts of them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "base/compat_varlena.h"
#include "expression/value_size.h"

/* Longest text made of an object or array in a document, as dp_expression_json_text counts. */
#define DP_MAX_JSON_TEXT 2048

PG_FUNCTION_INFO_V1(dp_expression_at_most);

/*
 * A numeric's header, on disk as in memory since 9.1.  Its first two bits are 00 or 01
 * for a long one, with 14 bits of scale and a weight behind the header.  They are 10
 * for a short one, with six bits of scale and a weight of seven, and 11 for NaN and the
 * infinities.  The weight says how many times four digits stand before the point, less
 * one.
 */
typedef struct Extent
{
	int			weight;
	int			scale;
} Extent;

static Extent
extent_of(const char *data)
{
	uint16		header;
	int16		weight;

	memcpy(&header, data, sizeof(header));
	if ((header & 0xC000) == 0xC000)
		return (Extent) {0, 0};
	if (header & 0x8000)
		return (Extent) {(header & 0x40 ? ~0x3F : 0) | (header & 0x3F), (header & 0x1F80) >> 7};
	memcpy(&weight, data + sizeof(header), sizeof(weight));
	return (Extent) {weight, header & 0x3FFF};
}

bool
dp_expression_is_wide(Datum numeric, int digits)
{
	Extent		extent = extent_of(VARDATA_ANY(PG_DETOAST_DATUM_PACKED(numeric)));

	return 4 * extent.weight >= digits || extent.scale > digits;
}

/* Size of a string in a document as text, escapes counted at their size. */
static Size
string_cost(const JsonbValue *string)
{
	Size		cost = string->val.string.len + 2;

	for (int i = 0; i < string->val.string.len; i++)
		if ((unsigned char) string->val.string.val[i] < ' ')
			cost += 23;
	return cost;
}

/* Is the text of an object or array short? */
static bool
is_short_text(JsonbContainer *container)
{
	JsonbIterator *iterator = JsonbIteratorInit(container);
	JsonbValue	value;
	JsonbIteratorToken token;
	Size		cost = 0;

	while (cost <= DP_MAX_JSON_TEXT &&
		   (token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE)
	{
		cost += 4;
		if (token != WJB_KEY && token != WJB_VALUE && token != WJB_ELEM)
			continue;
		if (value.type == jbvString)
			cost += string_cost(&value);
		else if (value.type == jbvNumeric && dp_expression_is_wide(NumericGetDatum(value.val.numeric), 512))
			return false;
		else if (value.type == jbvNumeric)
			cost += 2 * VARSIZE_ANY(value.val.numeric) + 64;
	}
	return cost <= DP_MAX_JSON_TEXT;
}

/* The text of a value in a document; NULL for null, and for what is long. */
static text *
text_of(const JsonbValue *value)
{
	JsonbContainer *container;

	switch (value->type)
	{
		case jbvString:
			return cstring_to_text_with_len(value->val.string.val, value->val.string.len);
		case jbvBool:
			return cstring_to_text(value->val.boolean ? "true" : "false");
		case jbvNumeric:
			if (dp_expression_is_wide(NumericGetDatum(value->val.numeric), 512))
				return NULL;
			return cstring_to_text(DatumGetCString(DirectFunctionCall1(numeric_out,
																	   NumericGetDatum(value->val.numeric))));
		case jbvBinary:
			container = value->val.binary.data;
			if (!is_short_text(container))
				return NULL;
			return cstring_to_text(JsonbToCString(NULL, container, value->val.binary.len));
		default:
			return NULL;
	}
}

/* The element with a number, from the end if it is negative; NULL if there is none. */
static JsonbValue *
find_element(Jsonb *document, int32 number)
{
	if (!JB_ROOT_IS_ARRAY(document))
		return NULL;
	if (number < 0)
	{
		if (-(int64) number > JB_ROOT_COUNT(document))
			return NULL;
		number += (int32) JB_ROOT_COUNT(document);
	}
	return getIthJsonbValueFromContainer(&document->root, number);
}

/* What a document is as a value within another. */
static JsonbValue *
whole_value(Jsonb *document)
{
	JsonbValue *value;

	if (JB_ROOT_IS_SCALAR(document))
		return getIthJsonbValueFromContainer(&document->root, 0);
	value = palloc(sizeof(JsonbValue));
	value->type = jbvBinary;
	value->val.binary.data = &document->root;
	value->val.binary.len = VARSIZE(document) - VARHDRSZ;
	return value;
}

/* The value at the end of a path; NULL if there is none. */
static JsonbValue *
follow_path(FunctionCallInfo fcinfo)
{
	Datum		found = jsonb_extract_path(fcinfo);

	if (!fcinfo->isnull)
		return whole_value(DatumGetJsonbP(found));
	fcinfo->isnull = false;
	return NULL;
}

Datum
dp_expression_json_text(PG_FUNCTION_ARGS)
{
	Jsonb	   *document = PG_GETARG_JSONB_P(0);
	JsonbValue *value = NULL;
	text	   *result;

	if (fcinfo->flinfo->fn_oid == F_JSONB_ARRAY_ELEMENT_TEXT)
		value = find_element(document, PG_GETARG_INT32(1));
	else if (fcinfo->flinfo->fn_oid == F_JSONB_EXTRACT_PATH_TEXT)
		value = follow_path(fcinfo);
	else if (JB_ROOT_IS_OBJECT(document))
	{
		text	   *key = PG_GETARG_TEXT_PP(1);

		value = getKeyJsonValueFromContainer(&document->root, VARDATA_ANY(key),
											 VARSIZE_ANY_EXHDR(key), NULL);
	}
	result = value ? text_of(value) : NULL;
	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(result);
}

/* How many elements an array has: what of it says so is read alone, unless it lies in the row. */
static Size
count_elements(Datum array)
{
	struct
	{
		ArrayType	array;
		int			dims[MAXDIM];
	}			start;
	struct varlena *value = pg_detoast_datum_slice((struct varlena *) DatumGetPointer(array), 0,
												   sizeof(start) - VARHDRSZ);

	memset(&start, 0, sizeof(start));
	memcpy((char *) &start + VARHDRSZ, VARDATA_ANY(value),
		   Min(VARSIZE_ANY_EXHDR(value), sizeof(start) - VARHDRSZ));
	return ArrayGetNItems(start.array.ndim, start.dims);
}

/* State that at_most() keeps in a plan. */
typedef struct Measured
{
	bool		is_array;
} Measured;

static Measured *
measured(FmgrInfo *flinfo)
{
	Oid			type = get_fn_expr_argtype(flinfo, 0);
	Measured   *place = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(Measured));

	if (get_typlen(type) != -1)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("dp_agg_internal.at_most is for values of variable length")));
	place->is_array = OidIsValid(get_element_type(getBaseType(type)));
	flinfo->fn_extra = place;
	return place;
}

/*
 * at_most(value anyelement, size integer) returns anyelement
 *
 * An element of an array is a byte at least, though it takes less if it is NULL.
 */
Datum
dp_expression_at_most(PG_FUNCTION_ARGS)
{
	Measured   *place = fcinfo->flinfo->fn_extra;
	Size		longest = (Size) Max(PG_GETARG_INT32(1), 0);

	if (place == NULL)
		place = measured(fcinfo->flinfo);
	if (dp_expression_value_size(PG_GETARG_DATUM(0)) > longest ||
		(place->is_array && count_elements(PG_GETARG_DATUM(0)) > longest))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
