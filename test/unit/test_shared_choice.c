/*
 * test_shared_choice.c
 *	  Which of many totals share noise: as the definition has it, one pair after the other.
 */
#include "accounting.h"

#include "accounting/shared_noise.h"

#define MOST 40
#define ROUNDS 5000

/* Multiples of sensitivities that differ by no more count as the same. */
#define SLACK 0x1p-16L

/* Totals of a few numbers of groups, whose multiples are steps of a part of the slack. */
static int
make_totals(DpNoise *noise, DpNoise **pointer)
{
	int			count = 1 + (int) (bits64() % MOST);
	int			steps = 1 + (int) (bits64() % 30);

	for (int i = 0; i < count; i++)
	{
		long double ratio = 10 * (1 + (bits64() % steps) * SLACK / 3);

		noise[i] = (DpNoise) {.mechanism = DP_GAUSSIAN, .groups = 1 + (int) (bits64() % 2), .grid = -30,
			.direction = (int) (bits64() % 8) > 0, .sensitivity = UINT64_C(1) << 30};
		noise[i].sigma = (uint64_t) (ratio * noise[i].sensitivity);
		pointer[i] = &noise[i];
	}
	return count;
}

static bool
alike(const DpNoise *x, const DpNoise *y)
{
	long double a = (long double) x->sigma / x->sensitivity;
	long double b = (long double) y->sigma / y->sensitivity;

	return x->direction && y->direction && x->groups == y->groups && fabsl(a - b) <= SLACK * a;
}

/* The first of those to which most are alike. */
static int
first_of(const DpNoise *noise, int count, int *most)
{
	int			first = 0;

	*most = 0;
	for (int i = 0; i < count; i++)
	{
		int			found = 0;

		for (int j = 0; j < count; j++)
			found += alike(&noise[i], &noise[j]);
		if (found > *most)
		{
			*most = found;
			first = i;
		}
	}
	return first;
}

int
main(void)
{
	int			wrong = 0;
	int			shared_once = 0;

	for (int round = 0; round < ROUNDS; round++)
	{
		DpNoise		noise[MOST];
		DpNoise		before[MOST];
		DpNoise    *pointer[MOST];
		DpNoise		shared;
		int			count = make_totals(noise, pointer);
		int			most;
		int			first;
		int			share;

		for (int i = 0; i < count; i++)
			before[i] = noise[i];
		first = first_of(before, count, &most);
		share = dp_accounting_share_noise(pointer, count, 0, &shared);
		wrong += share != (most > 1 ? most : 0);
		shared_once += share > 1 && share < count;
		for (int i = 0; i < count; i++)
			wrong += (noise[i].own > 0) != (most > 1 && alike(&before[first], &before[i]));
	}
	ok(wrong == 0, "in %d lists those share that the definition says (%d do not)", ROUNDS, wrong);
	ok(shared_once > ROUNDS / 2, "in most of them not all");
	return done_testing();
}
