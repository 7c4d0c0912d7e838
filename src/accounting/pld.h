/* SPDX-License-Identifier: PostgreSQL */
/*
 * pld.h
 *	  Exact composition by privacy-loss distributions: the least epsilon for
 *	  which a list of releases is (epsilon, delta)-differentially private.
 *
 * Plain C: no server header.
 *
 * The list is one fixed in advance: which query each release answers may
 * depend on earlier answers, how many there are and with which noise may not.
 * For budgets that adaptive spending cannot evade see filter.h.
 */
#ifndef DP_ACCOUNTING_PLD_H
#define DP_ACCOUNTING_PLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum DpPldMechanism
{
	DP_PLD_PURE,				/* any (epsilon, delta)-DP mechanism */
	DP_PLD_RANGE,				/* any mechanism of bounded range, as the exponential one is */
	DP_PLD_ABOVE_THRESHOLD,
	DP_PLD_DISCRETE_LAPLACE,
	DP_PLD_DISCRETE_GAUSSIAN,
	DP_PLD_GAUSSIAN				/* continuous */
} DpPldMechanism;

/*
 * `count` releases alike.  A unit moves the total by at most `sensitivity`,
 * a whole number for discrete noise, in units of the noise.
 */
typedef struct DpPldRelease
{
	DpPldMechanism mechanism;
	int64_t		count;			/* 1 .. DP_PLD_MAX_COUNT */
	uint64_t	sensitivity;	/* discrete noise: 1 .. 2^62 */
	uint64_t	scale_num;		/* Laplace: scale num/den, both >= 1 */
	uint64_t	scale_den;
	double		sigma;			/* Gaussian: > 0; continuous: at sensitivity 1 */
	double		epsilon;		/* pure: finite, >= 0; range, or above threshold: > 0 */
	double		delta;			/* pure: 0 <= delta <= 1 */
} DpPldRelease;

#define DP_PLD_MAX_COUNT INT64_C(2147483647)
#define DP_PLD_MIN_DELTA 1e-300

/*
 * Functions that the computation needs from its surroundings. `allocate` returns memory
 * aligned for any type, never NULL; `check` is called every few milliseconds.  Both may
 * leave by longjmp if whoever catches that reclaims the memory.
 */
typedef struct DpPldServices
{
	void	   *(*allocate) (size_t size);
	void		(*release) (void *memory);
	void		(*check) (void);
} DpPldServices;

/*
 * *epsilon = an upper bound for the least epsilon >= 0 with which all `n` kinds of
 * releases together are (epsilon, delta)-differentially private; infinite if
 * there is none.  Never below the true value, and for true values from 0.01 to 50,
 * delta from 1e-15 to 1e-3 and counts up to 10^5 less than 1 % above it.
 *
 * Memory is bounded by a few megabytes, time by some milliseconds for each
 * kind that differs from the others.
 *
 * Returns NULL, or what is wrong with the arguments (a static string: lower
 * case, no full stop); DP_PLD_MIN_DELTA <= delta < 1.
 */
extern const char *dp_accounting_pld_epsilon(const DpPldRelease *releases, int n, double delta,
											 const DpPldServices *services, double *epsilon);

/*
 * The fraction num/den nearest below a scale of 1e-6 .. 2^62, exact if the
 * scale is 2^-11 or more; false if it is outside.
 */
extern bool dp_accounting_pld_scale(double scale, uint64_t *num, uint64_t *den);

#endif							/* DP_ACCOUNTING_PLD_H */
