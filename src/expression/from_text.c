/* SPDX-License-Identifier: PostgreSQL */
/*
 * from_text.c
 *	  Which texts of rows are read as numbers, dates and times.
 *
 * Numbers, booleans and uuids are read as they are.  Input functions of dates and times
 * understand far more than dates: names of time zones, for which they read files and
 * remember their contents; `now` and its like; and orders of day and month that depend
 * on a setting.  Such traces in the session would show afterwards which row there was.
 * So only texts of ISO 8601 are read, whose meaning depends on nothing but the
 * session's time zone:
 *
 *		2024-02-29, 20240229, 2024-02-29 10:11, 2024-02-29T10:11:12.345+01:00, ...Z
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "base/compat_varlena.h"
#include "expression/from_text.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skip as many digits; false if there are fewer. */
static bool
skip_digits(const char **c, int count)
{
	for (int i = 0; i < count; i++)
		if (!is_digit(*(*c)++))
			return false;
	return true;
}

/* Skip YYYY-MM-DD or YYYYMMDD. */
static bool
skip_date(const char **c)
{
	bool		dashes;

	if (!skip_digits(c, 4))
		return false;
	dashes = **c == '-';
	*c += dashes;
	if (!skip_digits(c, 2))
		return false;
	if (dashes && *(*c)++ != '-')
		return false;
	return skip_digits(c, 2) && !is_digit(**c);
}

/* Is the rest of a text nothing but a time of day and an offset, and spaces? */
static bool
is_time(const char *c)
{
	return strspn(c, "0123456789:.+- ") == strlen(c);
}

/* Is it a date and time as ISO 8601 writes them?  A Z at the end becomes +00. */
static bool
make_iso(char *input)
{
	const char *c = input + strspn(input, " ");
	size_t		length = strlen(input);

	while (length > 0 && input[length - 1] == ' ')
		length--;
	if (length > 0 && input[length - 1] == 'Z')
		memcpy(input + length - 1, "+00", sizeof("+00"));
	else
		input[length] = '\0';
	if (!skip_date(&c))
		return false;
	if (*c == 'T' && is_digit(c[1]))
		c++;
	return is_time(c);
}

char *
dp_expression_input_of(Oid function, const text *value)
{
	int			length = VARSIZE_ANY_EXHDR(value);
	char	   *input = palloc(length + sizeof("+00"));

	memcpy(input, VARDATA_ANY(value), length);
	input[length] = '\0';
	switch (function)
	{
		case F_DATE_IN:
		case F_TIMESTAMP_IN:
		case F_TIMESTAMPTZ_IN:
			return make_iso(input) ? input : NULL;
		default:
			return input;
	}
}
