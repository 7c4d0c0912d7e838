/*
 * random.h
 *	  Uniform random bits from OpenSSL's private CSPRNG, buffered.
 *
 * Plain C: no server header.  Bits are read 4 KB at a time, handed out once
 * and erased.  A forked child discards what its parent had buffered.
 *
 * Failure of the CSPRNG is never papered over: the handler in
 * dp_noise_failure is called and must not return (in the server it raises an
 * error); without a handler the process aborts.
 */
#ifndef DP_NOISE_RANDOM_H
#define DP_NOISE_RANDOM_H

#include <stdint.h>

/* Called when the CSPRNG fails; must not return.  NULL means abort(). */
extern void (*dp_noise_failure) (void);

/* Sixty-four uniform bits. */
extern uint64_t dp_noise_random64(void);

#endif							/* DP_NOISE_RANDOM_H */
