/*
 * fit.h
 *	  Do draws follow a distribution?
 *
 * They are counted in buckets of known probability and compared by the
 * likelihood-ratio chi-square statistic G = 2 N KL(observed | exact).  Its
 * asymptotic law is not relied on: for every N and every distribution over k
 * buckets, P[N KL >= c (k - 1)] <= (c e^(1 - c))^(k - 1) for c >= 1 (Agrawal,
 * "Finite-Sample Concentration of the Multinomial in Relative Entropy", 2020,
 * from its bound of the moment generating function).
 */
#ifndef DP_FIT_H
#define DP_FIT_H

#include <math.h>
#include <stdbool.h>

/* Least N KL that a correct sampler reaches with probability below 1e-9. */
static inline double
fit_critical_value(int buckets)
{
	double		c = 1;

	while ((buckets - 1) * (log(c) + 1 - c) > log(1e-9))
		c += 0.01;
	return c * (buckets - 1);
}

/* Do the counts fit the probabilities? */
static inline bool
fits(int buckets, const long *count, const long double *probability)
{
	double		n = 0;
	long double n_kl = 0;

	for (int i = 0; i < buckets; i++)
		n += count[i];
	for (int i = 0; i < buckets; i++)
		if (count[i] > 0)
			n_kl += count[i] * logl(count[i] / (n * probability[i]));
	return n_kl < fit_critical_value(buckets);
}

#endif							/* DP_FIT_H */
