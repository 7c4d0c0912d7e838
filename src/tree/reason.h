/* SPDX-License-Identifier: PostgreSQL */
/*
 * reason.h
 *	  Why a statement is not allowed: validators return a reason, one caller
 *	  raises it.
 */
#ifndef DP_TREE_REASON_H
#define DP_TREE_REASON_H

#include "postgres.h"

typedef struct DpReason
{
	int			sqlstate;		/* ERRCODE_... */
	const char *message;		/* lower case, no full stop, no data */
	const char *detail;			/* sentence, or NULL */
	const char *hint;			/* sentence saying what to write instead, or NULL */
	int			location;		/* byte offset into the query text, or -1 */
} DpReason;

/*
 * A reason with this SQLSTATE, in the current memory context; message is a printf format,
 * hint a plain string or NULL.
 */
extern DpReason *dp_tree_reason_as(int sqlstate, int location, const char *hint, const char *format,...)
			pg_attribute_printf(4, 5);

/* The usual one: 0A000. */
#define dp_tree_reason(location, hint, ...) \
	dp_tree_reason_as(ERRCODE_FEATURE_NOT_SUPPORTED, location, hint, __VA_ARGS__)

/* Raise it, with the position in source_text (which may be NULL). */
extern _Noreturn void dp_tree_raise(const DpReason *reason, const char *source_text);

#endif							/* DP_TREE_REASON_H */
