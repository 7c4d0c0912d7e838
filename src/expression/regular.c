/* SPDX-License-Identifier: PostgreSQL */
/*
 * regular.c
 *	  Regular expressions whose work is bounded.
 *
 * Where nothing but whether there is a match is asked, PostgreSQL (src/backend/regex)
 * walks over a text once with a deterministic automaton.  It makes the states as it
 * meets them from those of the expression, and throws them away when there are too
 * many.  A character costs at worst a new state, which is the states there are times
 * the arcs of each.  With back-references it tries all ways to match instead, and
 * lookaround constraints walk over the text for each character: none of these, nor
 * options inside, which would have to be looked for.
 */
#include "postgres.h"

#include <ctype.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "base/compat_varlena.h"
#include "expression/regular.h"

/* Groups inside each other. */
#define MAX_DEPTH 32

typedef struct Reading
{
	const char *c;
	const char *end;
	int			size;
	int			atom;			/* size of what may be repeated next */
	int			depth;
	int			start[MAX_DEPTH];	/* size before each group that is open */
} Reading;

/* Is the rest of the pattern like that? */
static bool
begins(const Reading *scan, const char *with)
{
	size_t		length = strlen(with);

	return (size_t) (scan->end - scan->c) >= length && memcmp(scan->c, with, length) == 0;
}

static void
add_atom(Reading *scan, int size)
{
	scan->atom = size;
	scan->size += size;
}

/* An escape; false if it may be a back-reference. */
static bool
scan_escape(Reading *scan)
{
	if (++scan->c == scan->end || (*scan->c >= '0' && *scan->c <= '9'))
		return false;
	scan->c++;
	add_atom(scan, 2);
	return true;
}

/* A bracket expression, of whatever is in it; false if it does not end. */
static bool
scan_bracket(Reading *scan)
{
	const char *start = scan->c++;

	if (begins(scan, "^"))
		scan->c++;
	if (begins(scan, "]"))
		scan->c++;
	for (; scan->c < scan->end && *scan->c != ']'; scan->c++)
	{
		if (*scan->c == '\\' && (scan->c + 1 == scan->end || (scan->c[1] >= '0' && scan->c[1] <= '9')))
			return false;
		if (*scan->c == '\\')
			scan->c++;
		else if (begins(scan, "[:") || begins(scan, "[.") || begins(scan, "[="))
			for (scan->c += 2; scan->c < scan->end && *scan->c != ']';)
				scan->c++;
	}
	if (scan->c >= scan->end)
		return false;
	scan->c++;
	add_atom(scan, (int) (scan->c - start));
	return true;
}

/* A number, if there is one here; `none` else. */
static int
scan_number(Reading *scan, int none)
{
	int			number = 0;

	if (scan->c == scan->end || *scan->c < '0' || *scan->c > '9')
		return none;
	for (; scan->c < scan->end && *scan->c >= '0' && *scan->c <= '9'; scan->c++)
		number = Min(number * 10 + *scan->c - '0', DP_MAX_REGULAR_SIZE + 1);
	return number;
}

/* {n}, {n,} or {n,m}: what is repeated stands there as many times. */
static void
scan_bounds(Reading *scan)
{
	int			least;
	int			most;

	scan->c++;
	least = scan_number(scan, 1);
	most = least;
	if (begins(scan, ","))
	{
		scan->c++;
		most = scan_number(scan, least + 1);
	}
	most = Max(Max(least, most), 1);
	scan->size += Min((most - 1) * scan->atom, DP_MAX_REGULAR_SIZE + 1);
	scan->atom *= most;
}

/* A group begins; false if that is none of those admitted. */
static bool
open_group(Reading *scan)
{
	if (scan->depth == MAX_DEPTH || (begins(scan, "(?") && !begins(scan, "(?:")))
		return false;
	scan->c += begins(scan, "(?:") ? 3 : 1;
	scan->start[scan->depth++] = scan->size++;
	scan->atom = 0;
	return true;
}

static void
close_group(Reading *scan)
{
	scan->c++;
	if (scan->depth > 0)
		scan->atom = scan->size - scan->start[--scan->depth];
}

/* Go past what comes next; false if that is not admitted. */
static bool
scan_next(Reading *scan)
{
	switch (*scan->c)
	{
		case '\\':
			return scan_escape(scan);
		case '[':
			return scan_bracket(scan);
		case '(':
			return open_group(scan);
		case ')':
			close_group(scan);
			return true;
		case '{':
			scan_bounds(scan);
			return true;
		default:
			scan->c++;
			add_atom(scan, 1);
			return true;
	}
}

int
dp_expression_regular_size(const text *pattern)
{
	Reading		scan = {.c = VARDATA_ANY(pattern), .end = VARDATA_ANY(pattern) + VARSIZE_ANY_EXHDR(pattern)};

	if (begins(&scan, "***"))
		return DP_MAX_REGULAR_SIZE + 1;
	while (scan.c < scan.end)
	{
		CHECK_FOR_INTERRUPTS();
		if (!scan_next(&scan) || scan.size > DP_MAX_REGULAR_SIZE)
			return DP_MAX_REGULAR_SIZE + 1;
	}
	return scan.size;
}

/*
 * Splitting by a regular expression looks for the next match from the end of the last.  It reads on until a match
 * is certain, and then tries each place from where one may have begun.  That is as often as the text is long, for
 * each match, where one that began early can fail and one that began late cannot: in b.*c|a, say.
 *
 * In S*A+T*, of single characters or sets S, A and T, whatever has begun at the same time as others fails with all
 * of them, before the first A, and else none does.  In ABC...T* whatever has begun fails after as many characters as
 * there are.
 */

/* The end of a character or set of characters that a pattern begins with, or NULL. */
static const char *
skip_atom(const char *c, const char *end)
{
	if (c >= end || strchr("(){}*+?^$|.", *c))
		return NULL;
	if (*c == '\\')
		return c + 1 < end && (strchr("sSdDwW", c[1]) || (!IS_HIGHBIT_SET(c[1]) && ispunct((unsigned char) c[1]))) ? c + 2 : NULL;
	if (*c != '[')
		return c + pg_mblen(c);
	c++;
	if (c < end && *c == '^')
		c++;
	if (c < end && *c == ']')
		c++;
	while (c < end && *c != ']')
	{
		if (*c == '[' && c + 1 < end && strchr(":.=", c[1]))
		{
			/* A class of characters, as [:space:] */
			while (++c < end && *c != ']')
				;
			if (c >= end)
				return NULL;
		}
		else if (*c == '\\')
			c++;
		c += c < end ? pg_mblen(c) : 0;
	}
	return c < end ? c + 1 : NULL;
}

bool
dp_expression_splits_evenly(const text *pattern)
{
	const char *c = VARDATA_ANY(pattern);
	const char *end = c + VARSIZE_ANY_EXHDR(pattern);
	int			atoms = 0;		/* that stand once, or with + */
	bool		before = false; /* is there one with * before them, */
	bool		several = false;	/* one with +, */
	bool		after = false;	/* and one with * after them? */

	while (c < end)
	{
		c = skip_atom(c, end);
		if (c == NULL || after)
			return false;
		if (c < end && *c == '*')
		{
			if (atoms > 0)
				after = true;
			else if (before)
				return false;
			before |= atoms == 0;
			c++;
			continue;
		}
		atoms++;
		if (c < end && *c == '+')
		{
			several = true;
			c++;
		}
	}
	return atoms == 1 || (atoms > 1 && !before && !several);
}
