/* SPDX-License-Identifier: PostgreSQL */
/*
 * value_size.h
 *	  How long values are, and texts of them.
 */
#ifndef DP_EXPRESSION_VALUE_SIZE_H
#define DP_EXPRESSION_VALUE_SIZE_H

#include "postgres.h"

#include "access/detoast.h"

#include "base/compat_varlena.h"

/* Size of a value with header, as it is uncompressed; most lie in the row. */
static inline Size
dp_expression_value_size(Datum value)
{
	Pointer		pointer = DatumGetPointer(value);

	/* A TOASTed value has the mark of a short one, too. */
	if (VARATT_IS_SHORT(pointer) && !VARATT_IS_EXTERNAL(pointer))
		return VARSIZE_SHORT(pointer);
	if (VARATT_IS_4B_U(pointer))
		return VARSIZE_4B(pointer);
	return toast_raw_datum_size(value);
}

/* Has a numeric more digits than that before its point, or behind?  However few it stores. */
extern bool dp_expression_is_wide(Datum numeric, int digits);

/*
 * jsonb ->> text, jsonb ->> integer and jsonb #>> path, but NULL for a number of more than 512 digits,
 * and for an object or array with one, since 1e131000 takes eight bytes in a document.
 * Also NULL for a text of more than DP_MAX_JSON_TEXT characters, where those that need
 * an escape may count as 24.
 */
extern Datum dp_expression_json_text(PG_FUNCTION_ARGS);

#endif							/* DP_EXPRESSION_VALUE_SIZE_H */
