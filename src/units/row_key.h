/*
 * row_key.h
 *	  A row's key as bytes, and back: per column a zero if it is NULL or too long, else a
 *	  one and the value, if of variable length behind its length.
 */
#ifndef DP_UNITS_ROW_KEY_H
#define DP_UNITS_ROW_KEY_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "units/source.h"

typedef struct DpRowKey
{
	DpSource   *source;
	int			first;			/* number of its first column in the source */
	int			columns;
	StringInfoData bytes;		/* of the row last read */
} DpRowKey;

/* Put the key of the source's row together. */
extern void dp_row_key_form(DpRowKey *key);

/* The values of a key with these bytes, those by reference in the current memory context. */
extern void dp_row_key_read(const DpRowKey *key, const uint8_t *bytes, Datum *values,
							bool *isnull);

#endif							/* DP_UNITS_ROW_KEY_H */
