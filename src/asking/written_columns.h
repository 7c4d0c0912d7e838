/*
 * written_columns.h
 *	  The json text that names the columns of a model or of synthetic rows.
 */
#ifndef DP_ASKING_WRITTEN_COLUMNS_H
#define DP_ASKING_WRITTEN_COLUMNS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "tree/reason.h"

/* Most columns of a call. */
#define DP_MOST_COLUMNS 64

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

/*
 * Read {"a": [...], "b": true} or ["a", "b"], in this order, names that stand twice twice.
 * Lists hold numbers, strings and booleans, at most DP_MAX_DOMAIN_KEYS.  Returns NULL, or what else
 * the text is (22023).
 */
extern DpReason *dp_query_read_written_columns(text *json, List **columns);

#endif							/* DP_ASKING_WRITTEN_COLUMNS_H */
