/* SPDX-License-Identifier: PostgreSQL */
/*
 * columns.h
 *	  The columns of a model or of synthetic rows: what a call's json names, checked.
 *
 * A column has bounds (numbers, dates and times), or two values (booleans), or keys.  What is not
 * written is what the table's owner has declared, or what the type has: all labels of an enum.
 */
#ifndef DP_ASKING_COLUMNS_H
#define DP_ASKING_COLUMNS_H

#include "postgres.h"

#include "asking/call_text.h"

/*
 * The json text that names the columns of a model or of synthetic rows.
 */

/* Most columns of a call. */
#define DP_MOST_COLUMNS 64

typedef enum DpColumnKind
{
	DP_COLUMN_NUMBER,			/* values between bounds */
	DP_COLUMN_BOOLEAN,
	DP_COLUMN_KEYS				/* one of several values */
} DpColumnKind;

/* One column; everything about it is public. */
typedef struct DpColumn
{
	const char *name;
	const char *text;			/* as it stands in a call's text: with the table's alias, quoted */
	AttrNumber	attno;
	Oid			type;			/* of a domain type its base */
	DpColumnKind kind;
	double		lower;			/* bounds, lower < upper: dates in days since 2000, times in
								 * microseconds (since 2000) */
	double		upper;
	int			bins;			/* 0: not written */
	int			nkeys;
	Const	   *keys;			/* an array of the column's type, from 1; all differ, none is null */
	const char **key;			/* each as text */
} DpColumn;

typedef struct DpColumns
{
	int			count;
	DpColumn	column[DP_MOST_COLUMNS];
} DpColumns;

/*
 * Read what an argument of type json names, of the call's relation; `other` is a column that may not be
 * among them, or NULL.  Returns NULL, or what is wrong.  What is written is read by
 * input functions of built-in types alone.  Errors: what these raise, and 22P02 for escapes that
 * are no characters.
 */
extern DpReason *dp_asking_read_columns(const DpCall *call, const Const *json, const char *other,
										DpColumns **columns);

/*
 * Read one column: with these bounds, if it is bounded, else as it is declared.  The same
 * errors.
 */
extern DpReason *dp_asking_read_bounded(const DpCall *call, const char *name, double lower, double upper,
										bool bounded, DpColumn *column);

#endif							/* DP_ASKING_COLUMNS_H */
