/* SPDX-License-Identifier: PostgreSQL */
/*
 * statement_text.c
 *	  The text of a running statement, for the ledger.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "nodes/plannodes.h"
#include "parser/scansup.h"
#include "utils/builtins.h"

#include "base/settings.h"
#include "budget/rows/ledger.h"
#include "statement/statement_text.h"

static DpSourcePart utility = {0};

DpSourcePart
dp_statement_note_utility(DpSourcePart now)
{
	DpSourcePart before = utility;

	utility = now;
	return before;
}

DpSourcePart
dp_statement_statement_part(const EState *estate)
{
	const PlannedStmt *planned = estate->es_plannedstmt;
	DpSourcePart part = {estate->es_sourceText, planned->stmt_location, planned->stmt_len};

	if (part.source && utility.source && strcmp(part.source, utility.source) == 0)
	{
		part.location = utility.location;
		part.length = utility.length;
	}
	return part;
}

/*
 * Where the comments begin that stand before a statement, such as hints: PostgreSQL 18 has it begin behind them.
 * What is before them is another statement, or nothing.
 */
static int
before_comments(const char *source, int location)
{
	int			start = location;

	for (;;)
	{
		int			i = start;
		int			depth = 0;

		while (i > 0 && scanner_isspace(source[i - 1]))
			i--;
		if (i < 4 || strncmp(source + i - 2, "*/", 2) != 0)
			return start;
		do
		{
			i -= 2;
			if (strncmp(source + i, "*/", 2) == 0)
				depth++;
			else if (strncmp(source + i, "/*", 2) == 0)
				depth--;
			else
				i++;
		} while (depth > 0 && i >= 2);
		if (depth > 0)
			return start;
		start = i;
	}
}

text *
dp_statement_statement_text(const DpSourcePart *part)
{
	const char *start = part->source;
	int			location;
	int			length;

	if (!dp_settings_ledger_statements || start == NULL)
		return NULL;
	location = Min(Max(part->location, 0), strlen(start));
	start += before_comments(start, location);
	length = strlen(start);
	if (part->length > 0)
		length = Min(part->source + location + part->length - start, length);
	while (length > 0 && scanner_isspace(start[length - 1]))
		length--;
	while (length > 0 && scanner_isspace(*start))
	{
		start++;
		length--;
	}
	return cstring_to_text_with_len(start, pg_mbcliplen(start, length, DP_STATEMENT_BYTES));
}
