/* SPDX-License-Identifier: PostgreSQL */
/*
 * reason.c
 *	  Making and raising reasons.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "tree/reason.h"

DpReason *
dp_tree_reason_as(int sqlstate, int location, const char *hint, const char *format,...)
{
	DpReason   *reason = palloc0(sizeof(DpReason));
	va_list		args;
	char	   *message;
	size_t		length = 128;

	for (;;)
	{
		size_t		needed;

		message = palloc(length);
		va_start(args, format);
		needed = pvsnprintf(message, length, format, args);
		va_end(args);
		if (needed < length)
			break;
		pfree(message);
		length = needed;
	}
	reason->sqlstate = sqlstate;
	reason->message = message;
	reason->hint = hint;
	reason->location = location;
	return reason;
}

void
dp_tree_raise(const DpReason *reason, const char *source_text)
{
	int			position = 0;

	if (source_text && reason->location >= 0)
		position = pg_mbstrlen_with_len(source_text, reason->location) + 1;
	ereport(ERROR,
			(errcode(reason->sqlstate),
			 errmsg_internal("%s", reason->message),
			 reason->detail ? errdetail_internal("%s", reason->detail) : 0,
			 reason->hint ? errhint("%s", reason->hint) : 0,
			 position > 0 ? errposition(position) : 0));
	pg_unreachable();
}
