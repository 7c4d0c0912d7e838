/* SPDX-License-Identifier: PostgreSQL */
/*
 * random.c
 *	  Uniform random bits from OpenSSL's private CSPRNG, buffered.
 *
 * Invariants, between any two statements that can leave this file:
 *	 - word[0 .. left - 1] came from the CSPRNG and were never handed out;
 *	   all other words are zero;
 *	 - the buffer is empty when dp_noise_failure is called.
 *
 * No two processes hand out the same word.  fork() runs a handler in the
 * child that empties the buffer.  A child made behind libc's back finds the
 * buffer's page wiped by the kernel where that is supported (Linux 4.14), and
 * a wiped buffer is an empty one: no draw has to ask which process it is in.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "noise/random.h"

_Static_assert(sizeof(DpRandomBuffer) == 4096, "the random buffer is 4 KB");

void		(*dp_noise_failure) (void) = NULL;

/* Stands in for the buffer until it is allocated: always empty. */
static DpRandomBuffer no_buffer;

DpRandomBuffer *dp_noise_buffer = &no_buffer;

/* The one definition of what the header inlines. */
extern inline uint64_t dp_noise_random64(void);

/* Report that no noise can be drawn; does not return. */
_Noreturn void
dp_noise_fail(void)
{
	if (dp_noise_failure != NULL)
		dp_noise_failure();
	abort();
}

/* Forget every buffered word. */
static void
discard_buffer(void)
{
	dp_noise_buffer->left = 0;
	OPENSSL_cleanse(dp_noise_buffer->word, sizeof(dp_noise_buffer->word));
}

/*
 * Make the buffer, on pages of its own that core dumps leave out and forked
 * children never inherit filled.  Registers the fork handler once: the buffer
 * is in use only if that succeeded.
 */
static void
allocate_buffer(void)
{
	void	   *page = mmap(NULL, sizeof(DpRandomBuffer), PROT_READ | PROT_WRITE,
							MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		dp_noise_fail();
	/* Both are second lines of defence: an old kernel may refuse them. */
#ifdef MADV_WIPEONFORK
	(void) madvise(page, sizeof(DpRandomBuffer), MADV_WIPEONFORK);
#endif
#ifdef MADV_DONTDUMP
	(void) madvise(page, sizeof(DpRandomBuffer), MADV_DONTDUMP);
#endif
	if (pthread_atfork(NULL, NULL, discard_buffer) != 0)
	{
		munmap(page, sizeof(DpRandomBuffer));
		dp_noise_fail();
	}
	dp_noise_buffer = page;
}

/* Fill the empty buffer, or do not return. */
void
dp_noise_refill(void)
{
	if (dp_noise_buffer == &no_buffer)
		allocate_buffer();
	if (RAND_priv_bytes((unsigned char *) dp_noise_buffer->word,
						sizeof(dp_noise_buffer->word)) != 1)
	{
		discard_buffer();
		dp_noise_fail();
	}
	dp_noise_buffer->left = DP_NOISE_BUFFER_WORDS;
}
