/*
 * documents.h
 *	  What compares figures of documents with the functions that they follow from: a figure is made, and has
 *	  to stand in the document.  What fails is printed as it should be.
 */
#ifndef DP_TEST_DOCUMENTS_H
#define DP_TEST_DOCUMENTS_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "accounting.h"

#include "accounting/calibrate.h"
#include "accounting/filter.h"
#include "accounting/pld.h"

#define ACCOUNTING "doc/accounting.md"
#define ACCURACY "doc/accuracy.md"

/* The text of a document, all white space made single spaces. */
static inline const char *
document(const char *name)
{
	static char text[2][1 << 20];
	char	   *to = text[strcmp(name, ACCOUNTING) == 0];
	FILE	   *file;
	int			c;
	size_t		n = 0;

	if (to[0] != '\0')
		return to;
	file = fopen(name, "r");
	while (file != NULL && (c = getc(file)) != EOF && n < sizeof(text[0]) - 1)
		if (!isspace(c))
			to[n++] = (char) c;
		else if (n > 0 && to[n - 1] != ' ')
			to[n++] = ' ';
	if (file != NULL)
		fclose(file);
	return to;
}

/* A document has this text. */
static inline void
__attribute__((format(printf, 2, 3)))
says(const char *name, const char *format,...)
{
	char		text[1024];
	va_list		args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	ok(strstr(document(name), text) != NULL, "%s says: %s", name, text);
}

/* A whole number with this character between thousands; the latest eight results stay. */
static inline const char *
grouped(double number, char between)
{
	static char texts[8][32];
	static int	next = 0;
	char		digits[32];
	char	   *text = texts[next++ % 8];
	int			length = snprintf(digits, sizeof(digits), "%.0f", number);
	int			n = 0;

	for (int i = 0; i < length; i++)
	{
		text[n++] = digits[i];
		if (i < length - 1 && (length - 1 - i) % 3 == 0)
			text[n++] = between;
	}
	text[n] = '\0';
	return text;
}

static inline void
check_nothing(void)
{
}

static const DpPldServices services = {malloc, free, check_nothing};

/* n times a cost, beside a count under Gaussian noise at epsilon 0.1 and delta 1e-9, or alone. */
static inline DpCurve
times(const DpCurve *cost, double n, bool beside_gaussian)
{
	DpCurve		total = *cost;
	DpNoise		other;

	for (int i = 0; i < DP_ORDERS; i++)
		total.rdp[i] *= n;
	total.pure *= n;
	total.variance *= n;
	if (beside_gaussian)
	{
		dp_accounting_calibrate(&other, DP_GAUSSIAN, 0.1, 1e-9, 1, 1, UINT64_C(1) << 40, -40);
		dp_accounting_add_noise(&total, &other);
	}
	return total;
}

/* How many releases of this cost a budget admits. */
static inline double
admitted(const DpLimit *limit, const DpCurve *cost, bool beside_gaussian)
{
	double		low = 0;
	double		high = 1;

	for (;; high *= 2)
	{
		DpCurve		total = times(cost, high, beside_gaussian);

		if (!dp_accounting_admits(limit, &total))
			break;
		low = high;
	}
	while (high - low > 1)
	{
		double		middle = floor((low + high) / 2);
		DpCurve		total = times(cost, middle, beside_gaussian);

		if (dp_accounting_admits(limit, &total))
			low = middle;
		else
			high = middle;
	}
	return low;
}

#endif
