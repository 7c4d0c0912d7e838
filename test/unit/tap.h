/*
 * tap.h
 *	  The few lines of Test Anything Protocol that the C unit tests need.
 */
#ifndef DP_TAP_H
#define DP_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int	tap_run = 0;
static int	tap_failed = 0;

/* Report one check under a printf-style name; returns the condition. */
static inline bool
__attribute__((format(printf, 2, 3)))
ok(bool condition, const char *format,...)
{
	va_list		args;

	tap_run++;
	if (!condition)
		tap_failed++;
	printf("%sok %d - ", condition ? "" : "not ", tap_run);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	if (!condition)
	{
		/* As Perl's tests do, where what failed is picked out of all output. */
		fflush(stdout);
		fputs("#   Failed test '", stderr);
		va_start(args, format);
		vfprintf(stderr, format, args);
		va_end(args);
		fputs("'\n", stderr);
	}
	return condition;
}

/* Print the plan; the exit status of the test program. */
static inline int
done_testing(void)
{
	printf("1..%d\n", tap_run);
	return tap_failed != 0;
}

#endif							/* DP_TAP_H */
