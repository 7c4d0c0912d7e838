/*
 * test_random.c
 *	  The random buffer: every CSPRNG word is handed out once and erased, no
 *	  two processes share one, and no failure yields a value.
 */
#define _GNU_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/rand.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

#include "noise/random.h"

#define WORDS DP_NOISE_BUFFER_WORDS
#define SAMPLE 4000

/* A CSPRNG that counts: 1, 2, 3, ...; or writes them and fails all the same. */
static uint64_t counter = 0;
static int	requests = 0;
static int	requested = 0;
static int	result = 1;

static int
counting_bytes(unsigned char *out, int size)
{
	requests++;
	requested = size;
	for (int i = 0; i < size / 8; i++)
	{
		counter++;
		memcpy(out + 8 * i, &counter, 8);
	}
	return result;
}

static const RAND_METHOD counting_method = {.bytes = counting_bytes};

static jmp_buf after_failure;
static int	failures = 0;

static void
leave_by_longjmp(void)
{
	failures++;
	longjmp(after_failure, 1);
}

static void
return_to_caller(void)
{
}

/* Hand out what is buffered. */
static void
drain(void)
{
	while (dp_noise_buffer->left > 0)
		(void) dp_noise_random64();
}

/* Are all words that were handed out erased? */
static bool
spent_words_are_zero(void)
{
	for (uint64_t i = dp_noise_buffer->left; i < WORDS; i++)
		if (dp_noise_buffer->word[i] != 0)
			return false;
	return true;
}

static void
test_each_word_once(void)
{
	static bool seen[3 * WORDS + 1];
	uint64_t	first;
	int			fresh = 0;
	bool		erased = true;

	drain();
	RAND_set_rand_method(&counting_method);
	first = counter;
	requests = 0;
	for (int i = 0; i < 3 * WORDS; i++)
	{
		uint64_t	word = dp_noise_random64() - first;

		if (word >= 1 && word <= 3 * WORDS && !seen[word])
		{
			seen[word] = true;
			fresh++;
		}
		erased &= spent_words_are_zero();
	}
	RAND_set_rand_method(NULL);
	ok(fresh == 3 * WORDS, "every word of the CSPRNG is handed out exactly once");
	ok(erased, "a word is erased when it is handed out");
	ok(requests == 3 && requested == 8 * WORDS, "the CSPRNG is asked for a buffer at a time");
}

/* Do two samples have a word in common?  By chance: below 1e-12. */
static bool
overlap(const uint64_t *a, const uint64_t *b)
{
	for (int i = 0; i < SAMPLE; i++)
		for (int j = 0; j < SAMPLE; j++)
			if (a[i] == b[j])
				return true;
	return false;
}

static void
draw_sample(uint64_t *sample)
{
	for (int i = 0; i < SAMPLE; i++)
		sample[i] = dp_noise_random64();
}

/*
 * By Hoeffding one bit is off by 520 with probability below
 * 2 exp(-2 520^2 / 20000) = 3.6e-12, any of the 64 below 2.4e-10.
 */
static void
test_real_words(void)
{
	static uint64_t sample[5 * SAMPLE];
	bool		balanced = true;
	bool		distinct = true;

	drain();
	for (int i = 0; i < 5; i++)
		draw_sample(sample + i * SAMPLE);
	for (int bit = 0; bit < 64; bit++)
	{
		int			ones = 0;

		for (int i = 0; i < 5 * SAMPLE; i++)
			ones += (sample[i] >> bit) & 1;
		balanced &= abs(ones - 5 * SAMPLE / 2) < 520;
	}
	for (int i = 1; i < 5; i++)
		distinct &= !overlap(sample, sample + i * SAMPLE);
	ok(balanced, "every bit is set half of the time");
	ok(distinct, "words do not repeat");
}

static pid_t
libc_fork(void)
{
	return fork();
}

/* A child that no fork handler knows of. */
static pid_t
raw_fork(void)
{
	return (pid_t) syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

/* Draw a sample in a child. */
static void
draw_in_child(pid_t (*make_child) (void), uint64_t *sample)
{
	int			ends[2];
	size_t		size = SAMPLE * sizeof(uint64_t);
	size_t		got = 0;
	ssize_t		n;
	pid_t		child;

	if (pipe(ends) != 0)
		abort();
	child = make_child();
	if (child == 0)
	{
		static uint64_t mine[SAMPLE];

		draw_sample(mine);
		_exit(write(ends[1], mine, size) == (ssize_t) size ? 0 : 1);
	}
	close(ends[1]);
	while (got < size && (n = read(ends[0], (char *) sample + got, size - got)) > 0)
		got += n;
	close(ends[0]);
	if (child < 0 || got != size || waitpid(child, NULL, 0) != child)
		abort();
}

/* Two children and their parent, all starting from one filled buffer. */
static void
test_fork(pid_t (*make_child) (void), const char *how)
{
	static uint64_t parent[SAMPLE];
	static uint64_t child[2][SAMPLE];
	uint64_t	left;

	drain();
	(void) dp_noise_random64();
	left = dp_noise_buffer->left;
	draw_in_child(make_child, child[0]);
	draw_in_child(make_child, child[1]);
	ok(left > 0 && dp_noise_buffer->left == left, "%s: the parent keeps its buffer", how);
	draw_sample(parent);
	ok(!overlap(parent, child[0]) && !overlap(parent, child[1]),
	   "%s: parent and child share no word", how);
	ok(!overlap(child[0], child[1]), "%s: two children share no word", how);
}

/* Can this kernel wipe pages in children? */
static bool
kernel_wipes_on_fork(void)
{
	bool		wipes = false;
#ifdef MADV_WIPEONFORK
	void	   *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	wipes = page != MAP_FAILED && madvise(page, 1, MADV_WIPEONFORK) == 0;
	munmap(page, 1);
#endif
	return wipes;
}

/* Both guards together, then each alone. */
static void
test_forks(void)
{
	test_fork(libc_fork, "fork");
	if (!kernel_wipes_on_fork())
	{
		ok(true, "clone, kernel alone # SKIP this kernel does not wipe on fork");
		return;
	}
	test_fork(raw_fork, "clone, kernel alone");
#ifdef MADV_KEEPONFORK
	if (madvise(dp_noise_buffer, sizeof(DpRandomBuffer), MADV_KEEPONFORK) != 0)
		abort();
	test_fork(libc_fork, "fork, handler alone");
#endif
}

/* Must the process abort if the CSPRNG fails under this handler? */
static bool
aborts_under(void (*handler) (void))
{
	int			status;
	pid_t		child = fork();

	if (child == 0)
	{
		dp_noise_failure = handler;
		result = 0;
		RAND_set_rand_method(&counting_method);
		(void) dp_noise_random64();
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child &&
		WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* A draw while the CSPRNG fails with this result: does only the handler see it? */
static bool
fails_without_value(int failure)
{
	volatile bool returned = false;
	int			before = failures;

	drain();
	result = failure;
	RAND_set_rand_method(&counting_method);
	if (setjmp(after_failure) == 0)
	{
		(void) dp_noise_random64();
		returned = true;
	}
	RAND_set_rand_method(NULL);
	result = 1;
	return !returned && failures == before + 1 &&
		dp_noise_buffer->left == 0 && spent_words_are_zero();
}

static void
test_failure(void)
{
	uint64_t	first;

	ok(aborts_under(NULL), "failure without a handler aborts");
	ok(aborts_under(return_to_caller), "failure under a handler that returns aborts");
	dp_noise_failure = leave_by_longjmp;
	ok(fails_without_value(0), "failure yields no value and leaves an empty, erased buffer");
	ok(fails_without_value(-1), "so does a method that is not supported");
	ok(fails_without_value(0), "failure may be repeated");

	RAND_set_rand_method(&counting_method);
	first = counter;
	ok(dp_noise_random64() > first, "the next draw after a failure asks again");
	RAND_set_rand_method(NULL);
	dp_noise_failure = NULL;
}

int
main(void)
{
	test_failure();
	test_each_word_once();
	test_real_words();
	test_forks();
	return done_testing();
}
