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
