/* SPDX-License-Identifier: PostgreSQL */
/*
 * random.h
 *	  Uniform random bits from OpenSSL's private CSPRNG, buffered.
 *
 * Plain C: no server header.  Bits are read 4 KB at a time, handed out once
 * and erased.  A forked child discards what its parent had buffered.
 *
 * Failure of the CSPRNG is never papered over: the handler in
 * dp_noise_failure is called and must not return (in the server it raises an
 * error); without a handler, or if it returns, the process aborts.  The
 * handler may leave by longjmp: nothing is then buffered, and the next call
 * starts afresh.
 *
 * For one thread, and not for signal handlers.
 */
#ifndef DP_NOISE_RANDOM_H
#define DP_NOISE_RANDOM_H

#include <stdint.h>

/* Called when the CSPRNG fails; must not return.  NULL means abort(). */
extern void (*dp_noise_failure) (void);

/* Call it, and abort should it return. */
extern _Noreturn void dp_noise_fail(void);

#define DP_NOISE_BUFFER_WORDS 511

/*
 * Four kilobytes: word[0 .. left - 1] are fresh, the others zero.  All zero
 * is a valid, empty buffer.  Shown here only so that a draw can be inlined.
 */
typedef struct DpRandomBuffer
{
	uint64_t	left;
	uint64_t	word[DP_NOISE_BUFFER_WORDS];
} DpRandomBuffer;

extern DpRandomBuffer *dp_noise_buffer;

/* Fill the empty buffer, or do not return. */
extern void dp_noise_refill(void);

/* Sixty-four uniform bits. */
inline uint64_t
dp_noise_random64(void)
{
	uint64_t	left;
	uint64_t	word;

	if (__builtin_expect(dp_noise_buffer->left == 0, 0))
		dp_noise_refill();
	left = dp_noise_buffer->left - 1;
	word = dp_noise_buffer->word[left];
	dp_noise_buffer->word[left] = 0;
	dp_noise_buffer->left = left;
	return word;
}

#endif							/* DP_NOISE_RANDOM_H */
