/*
 * test_choice.c
 *	  The exponential mechanism follows its exact law, and so do its coins.
 *
 * Draws are compared as in fit.h: every test fails a correct sampler with
 * probability below 1e-9.
 */
#include <setjmp.h>
#include <string.h>

#include "fit.h"
#include "tap.h"

#include "noise/choice.h"
#include "noise/random.h"
#include "noise/sampler.h"

#define DRAWS 50000
#define MOST 64
#define HEADS UINT64_C(0x10000012345)
#define TAILS UINT64_MAX

/* The coin's fractions: T exp(-1) = S - theta, 0 < theta < 1. */
#define T UINT64_C(20922789888000)
#define S ((uint64_t) ceill(T * expl(-1)))

/* Alternatives in an array. */
typedef struct List
{
	DpChoices	choices;		/* first */
	int			n;
	int			at;
	DpChoice	choice[MOST];
} List;

static void
rewind_list(DpChoices *choices)
{
	((List *) choices)->at = 0;
}

static bool
next_of_list(DpChoices *choices, DpChoice *choice)
{
	List	   *list = (List *) choices;

	if (list->at == list->n)
		return false;
	*choice = list->choice[list->at++];
	return true;
}

static void
add_choice(List *list, unsigned __int128 score, uint64_t count)
{
	list->choices.rewind = rewind_list;
	list->choices.next = next_of_list;
	list->choice[list->n].score = score;
	list->choice[list->n++].count = count;
}

/* A law: scores, and the scale they are divided by. */
typedef struct Law
{
	const char *name;
	uint64_t	num;
	uint64_t	den;
	List		list;
} Law;

/* The probability of each entry of the list; that of each of its alternatives is a part of it. */
static void
exact_law(const Law *law, long double *probability)
{
	long double total = 0;
	unsigned __int128 least = ~(unsigned __int128) 0;

	for (int i = 0; i < law->list.n; i++)
		if (law->list.choice[i].count > 0 && law->list.choice[i].score < least)
			least = law->list.choice[i].score;
	for (int i = 0; i < law->list.n; i++)
	{
		long double above = (long double) (law->list.choice[i].score - least);

		probability[i] = law->list.choice[i].count * expl(-above * law->den / law->num);
		total += probability[i];
	}
	for (int i = 0; i < law->list.n; i++)
		probability[i] /= total;
}

/*
 * Which entry an alternative belongs to, or -1.  Entries of several alternatives
 * are told apart by whether it is in the first half of them.
 */
static int
bucket_of(const List *list, uint64_t alternative, bool *first_half)
{
	for (int i = 0; i < list->n; i++)
	{
		if (alternative < list->choice[i].count)
		{
			*first_half = alternative < list->choice[i].count / 2;
			return i;
		}
		alternative -= list->choice[i].count;
	}
	return -1;
}

static void
test_law(Law *law)
{
	long		count[2 * MOST] = {0};
	long double entry[MOST];
	long double probability[2 * MOST];
	int			buckets = 0;
	int			bucket[MOST][2];
	bool		in_range = true;

	exact_law(law, entry);
	for (int i = 0; i < law->list.n; i++)
	{
		uint64_t	n = law->list.choice[i].count;
		uint64_t	half = n / 2;

		bucket[i][0] = bucket[i][1] = -1;
		for (int j = 0; j < 2; j++)
		{
			uint64_t	part = j == 0 ? n - half : half;

			if (part == 0 || entry[i] == 0)
				continue;
			probability[buckets] = entry[i] * part / n;
			bucket[i][j] = buckets++;
		}
	}
	for (int i = 0; i < DRAWS; i++)
	{
		bool		first_half = false;
		int			at = bucket_of(&law->list, dp_noise_exponential(&law->list.choices, law->num, law->den),
								   &first_half);

		in_range &= at >= 0 && bucket[at][first_half] >= 0;
		if (in_range)
			count[bucket[at][first_half]]++;
	}
	ok(in_range && (buckets == 1 || fits(buckets, count, probability)), "%s", law->name);
}

/* The score of a place at this distance from the best. */
static uint64_t
away(int distance)
{
	return distance < 0 ? -distance : distance;
}

static void
test_laws(void)
{
	Law			one = {.name = "one alternative", .num = 3, .den = 2};
	Law			even = {.name = "equal scores, not zero, in runs", .num = 5, .den = 1};
	Law			peak = {.name = "a peak, scores near the scale", .num = 7, .den = 2};
	Law			steep = {.name = "scores of several times the scale", .num = 1, .den = 1};
	Law			flat = {.name = "scores far below the scale", .num = DP_NOISE_MAX_SCALE_NUM, .den = 1};
	Law			fine = {.name = "a fraction with a large denominator", .num = 10 * DP_NOISE_MAX_SCALE_DEN, .den = DP_NOISE_MAX_SCALE_DEN - 5};
	Law			hidden = {.name = "one best among 2^60 far off", .num = 1, .den = 1};
	Law			huge = {.name = "scores of 95 bits", .num = DP_NOISE_MAX_SCALE_NUM, .den = DP_NOISE_MAX_SCALE_DEN};
	Law			half = {.name = "every proposal with a fraction of the scale", .num = 10, .den = 1};

	add_choice(&one.list, 17, 1);
	for (int i = 0; i < 8; i++)
		add_choice(&even.list, 1000, 1 + i % 3);
	for (int i = 0; i < 40; i++)
		add_choice(&peak.list, 3 + away(i - 13), i % 5);
	for (int i = 0; i < 12; i++)
		add_choice(&steep.list, i, 1 + i * i);
	for (int i = 0; i < 20; i++)
		add_choice(&flat.list, i, 1);
	for (int i = 0; i < 40; i++)
		add_choice(&fine.list, away(i - 20), 2);
	add_choice(&hidden.list, 43, UINT64_C(1) << 60);
	add_choice(&hidden.list, 0, 1);
	add_choice(&hidden.list, 5000, UINT64_C(1) << 60);
	for (int i = 0; i < 30; i++)
		add_choice(&huge.list, ((unsigned __int128) 1 << 95) - 1 - ((unsigned __int128) i << 28), 3);
	add_choice(&half.list, 0, 1);
	for (int i = 0; i < 30; i++)
		add_choice(&half.list, 9 + i, 7);

	test_law(&one);
	test_law(&even);
	test_law(&peak);
	test_law(&steep);
	test_law(&flat);
	test_law(&fine);
	test_law(&hidden);
	test_law(&huge);
	test_law(&half);
}

/* Weights are the least whole numbers above their e-th part, down to 1. */
static void
test_weights(void)
{
	uint64_t	weight = UINT64_C(1) << 63;
	bool		close = true;
	int			levels = 0;

	for (; weight > 1; levels++)
	{
		uint64_t	next = dp_noise_next_weight(weight);
		long double part = weight * expl(-1);

		close &= next >= part * (1 - 0x1p-60L) && next < part * (1 + 1e-14L) + 1;
		weight = next;
	}
	ok(close, "weights fall by e");
	ok(levels <= 48 && dp_noise_next_weight(1) == 1, "weights are 1 after %d steps", levels);
}

/* The middle of the words that a uniform draw below n turns into r. */
static uint64_t
word_for(uint64_t r, uint64_t n)
{
	return (uint64_t) ((((unsigned __int128) 2 * r + 1) << 63) / n);
}

/* The coin of a weight, thrown with these words. */
static bool
throw_with(uint64_t weight, uint64_t first, uint64_t second, uint64_t third, uint64_t fourth)
{
	uint64_t	words[] = {TAILS, fourth, third, second, first};	/* read from the end */

	memset(dp_noise_buffer, 0, sizeof(*dp_noise_buffer));
	memcpy(dp_noise_buffer->word, words, sizeof(words));
	dp_noise_buffer->left = 5;
	return dp_noise_bernoulli_weight(weight);
}

/*
 * Of next T words of the first coin, those at and above weight S are tails; of
 * S words of the second the last one is left to coins that follow: heads if the
 * first, of probability 1/17, fails, tails if only the second does.
 */
static void
test_border(uint64_t weight)
{
	uint64_t	next = dp_noise_next_weight(weight);
	uint64_t	border = (uint64_t) ((unsigned __int128) weight * S - (unsigned __int128) (next - 1) * T);
	uint64_t	last = word_for(next - 1, next);

	ok((next == 1 || throw_with(weight, word_for(next - 2, next), word_for(0, S), TAILS, TAILS)) &&
	   throw_with(weight, last, word_for(border - 1, T), word_for(0, S), TAILS) &&
	   (border == T || !throw_with(weight, last, word_for(border, T), word_for(0, S), TAILS)),
	   "coin of weight %llu: its border", (unsigned long long) weight);
	ok(throw_with(weight, last, word_for(0, T), word_for(S - 2, S), HEADS) &&
	   throw_with(weight, last, word_for(0, T), word_for(S - 1, S), TAILS) &&
	   !throw_with(weight, last, word_for(0, T), word_for(S - 1, S), HEADS),
	   "coin of weight %llu: exp(-1) to the last outcome", (unsigned long long) weight);
}

/* Probability exp(-1) weight / next. */
static void
test_coin(uint64_t weight)
{
	long double p = expl(-1) * weight / dp_noise_next_weight(weight);
	long double probability[] = {1 - p, p};
	long		count[2] = {0};

	for (int i = 0; i < DRAWS; i++)
		count[dp_noise_bernoulli_weight(weight)]++;
	ok(fits(2, count, probability), "coin of weight %llu: its probability",
	   (unsigned long long) weight);
}

static jmp_buf failure;

static void
leave(void)
{
	longjmp(failure, 1);
}

/* Can nothing be drawn? */
static bool
fails(List *list, uint64_t num, uint64_t den)
{
	dp_noise_failure = leave;
	if (setjmp(failure) != 0)
		return true;
	dp_noise_exponential(&list->choices, num, den);
	return false;
}

static void
test_refusals(void)
{
	List		nothing = {.n = 0};
	List		high = {.n = 0};
	List		many = {.n = 0};
	List		good = {.n = 0};

	add_choice(&nothing, 0, 0);
	add_choice(&high, (unsigned __int128) 1 << DP_CHOICE_SCORE_BITS, 1);
	add_choice(&many, 0, DP_CHOICE_MAX);
	add_choice(&many, 0, 1);
	add_choice(&good, 0, 1);
	ok(fails(&nothing, 1, 1) && fails(&high, 1, 1) && fails(&many, 1, 1),
	   "nothing, scores and numbers out of range are failures");
	ok(fails(&good, 0, 1) && fails(&good, DP_NOISE_MAX_SCALE_NUM + 1, 1) &&
	   fails(&good, 1, 0) && fails(&good, 1, DP_NOISE_MAX_SCALE_DEN + 1) && !fails(&good, 1, 1),
	   "scales out of range are failures");
}

int
main(void)
{
	const uint64_t weights[] = {1, 2, 3, 5, 1000, UINT64_C(1) << 40, UINT64_C(1) << 63};

	test_laws();
	test_weights();
	for (int i = 0; i < 5; i++)
		test_coin(weights[i]);
	(void) dp_noise_random64();
	for (size_t i = 0; i < sizeof(weights) / sizeof(*weights); i++)
		test_border(weights[i]);
	test_refusals();
	return done_testing();
}
