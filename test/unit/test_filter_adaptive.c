/*
 * test_filter_adaptive.c
 *	  What an adaptive analyst can get past the filter: computed exactly, by
 *	  backward induction over all strategies, for pairs of mechanisms.
 *
 * A mechanism has two outcomes: one has probability q on the one database and
 * exp(loss) q on its neighbour.  The analyst chooses after each outcome which
 * mechanism to use next, or stops, among what is admitted; the best strategy
 * maximises the expectation of max(x - exp(epsilon), 0), x being the likelihood
 * ratio of all outcomes.  That is the delta of the history.
 */
#include "accounting.h"

#include <stdlib.h>
#include <string.h>

#include "accounting/filter.h"

#define MOST 72					/* uses of either mechanism */
#define STATES (1 << 18)

typedef struct Mechanism
{
	double		q;
	double		loss;
} Mechanism;

/* A game: two mechanisms, a budget, and which rule admits. */
typedef struct Game
{
	DpLimit		limit;
	Mechanism	mechanism[2];
	bool		any_order;		/* the rule that is not valid */
	DpCurve		cost[2];
	bool		admitted[MOST + 2][MOST + 2];
	int			most[2];		/* uses of one alone that are admitted */
	double	   *value;
} Game;

/* What the other outcome multiplies x by. */
static double
other_ratio(const Mechanism *m)
{
	return (1 - m->q * exp(m->loss)) / (1 - m->q);
}

static DpCurve
curve_of(const Mechanism *m)
{
	long double other = other_ratio(m);
	DpCurve		cost = {.pure = fmax(m->loss, -(double) logl(other))};

	for (int i = 0; i < DP_ORDERS; i++)
	{
		long double a = dp_accounting_order[i];

		cost.rdp[i] = (double) (logl(m->q * expl(a * m->loss) + (1 - m->q) * powl(other, a)) /
								(a - 1));
	}
	return cost;
}

/* A mechanism whose outcomes differ by at most epsilon: randomised response. */
static Mechanism
response(double epsilon)
{
	return (Mechanism) {1 / (1 + exp(epsilon)), epsilon};
}

/* The rule that any order of the grid may serve, whichever fits in the end. */
static bool
some_order_admits(const DpLimit *limit, const DpCurve *total)
{
	for (int i = 0; i < DP_ORDERS; i++)
	{
		double		a = dp_accounting_order[i];

		if (total->rdp[i] <= limit->epsilon + log(a * limit->delta_rdp) / (a - 1) - log1p(-1 / a))
			return true;
	}
	return total->pure <= limit->epsilon;
}

static bool
admits(const Game *game, int first, int second)
{
	int			uses[2] = {first, second};
	DpCurve		total = {.pure = 0};

	for (int k = 0; k < 2; k++)
		for (int n = 0; n < uses[k]; n++)
			dp_accounting_compose(&total, &game->cost[k]);
	return game->any_order ? some_order_admits(&game->limit, &total) :
		dp_accounting_admits(&game->limit, &total);
}

/* Which histories are admitted; false if they are too many to go through. */
static bool
lay_out(Game *game)
{
	memset(game->admitted, 0, sizeof(game->admitted));
	game->most[0] = game->most[1] = 0;
	for (int k = 0; k < 2; k++)
		game->cost[k] = curve_of(&game->mechanism[k]);
	for (int i = 0; i <= MOST; i++)
		for (int j = 0; j <= MOST && (j == 0 || game->admitted[i][j - 1]); j++)
			if ((game->admitted[i][j] = admits(game, i, j)))
			{
				game->most[0] = fmax(game->most[0], i);
				game->most[1] = fmax(game->most[1], j);
			}
	return game->most[0] < MOST && game->most[1] < MOST &&
		pow((game->most[0] + 1) * (game->most[1] + 1), 2) <= STATES;
}

/* After (i, j) uses, of which (u, v) came out the one way. */
static double *
state(const Game *game, int i, int j, int u, int v)
{
	int			width = game->most[1] + 1;

	return &game->value[((i * width + j) * (game->most[0] + 1) + u) * width + v];
}

static double
best_from(const Game *game, int i, int j, int u, int v)
{
	const Mechanism *m = game->mechanism;
	double		x = exp(u * m[0].loss + v * m[1].loss) *
		pow(other_ratio(&m[0]), i - u) * pow(other_ratio(&m[1]), j - v);
	double		best = fmax(x - exp(game->limit.epsilon), 0);

	if (game->admitted[i + 1][j])
		best = fmax(best, m[0].q * *state(game, i + 1, j, u + 1, v) +
					(1 - m[0].q) * *state(game, i + 1, j, u, v));
	if (game->admitted[i][j + 1])
		best = fmax(best, m[1].q * *state(game, i, j + 1, u, v + 1) +
					(1 - m[1].q) * *state(game, i, j + 1, u, v));
	return best;
}

/* The greatest delta an analyst can reach. */
static double
play(Game *game)
{
	double		delta;

	game->value = malloc(STATES * sizeof(double));
	for (int i = game->most[0]; i >= 0; i--)
		for (int j = game->most[1]; j >= 0; j--)
			for (int u = 0; game->admitted[i][j] && u <= i; u++)
				for (int v = 0; v <= j; v++)
					*state(game, i, j, u, v) = best_from(game, i, j, u, v);
	delta = *state(game, 0, 0, 0, 0);
	free(game->value);
	return delta;
}

/* What part of delta_rdp an analyst reaches; -1 if the game is too large. */
static double
delta_reached(double epsilon, double delta, Mechanism first, Mechanism second, bool any_order)
{
	static Game game;

	dp_accounting_limit_init(&game.limit, epsilon, delta);
	game.mechanism[0] = first;
	game.mechanism[1] = second;
	game.any_order = any_order;
	return lay_out(&game) ? play(&game) / game.limit.delta_rdp : -1;
}

/* Games found by search to come near the budget, or past it. */
static const struct
{
	double		epsilon;
	double		delta;
	double		first;
	double		second;
}			found[] = {
	{1.5427, 0.0727, 0.0992, 0.8104},
	{1.3310, 0.0849, 0.0975, 0.7133},
	{1.0951, 0.05748, 0.1196, 0.5818},
	{4.2899, 0.01259, 1.2809, 0.1760}
};

static void
test_found(void)
{
	double		most = 0;

	for (int i = 0; i < LENGTH(found); i++)
	{
		double		reached = delta_reached(found[i].epsilon, found[i].delta,
											response(found[i].first),
											response(found[i].second), false);

		ok(reached >= 0 && reached <= 1, "the best strategy reaches %.3f of delta", reached);
		most = fmax(most, reached);
	}
	ok(most > 0.95, "some nearly all of it");
	most = delta_reached(found[3].epsilon, found[3].delta, response(found[3].first),
						 response(found[3].second), true);
	ok(most > 1.25, "if any order may serve, one reaches %.3f", most);
}

/* An outcome that is rare, or one as likely as randomised response has it. */
static Mechanism
random_mechanism(double epsilon)
{
	Mechanism	m = response(epsilon * log_uniform(0.05, 1.2));

	if (bits64() % 2)
		m.q *= log_uniform(0.01, 1);
	return m;
}

static void
test_random(void)
{
	double		most = 0;
	int			played = 0;

	while (played < 40)
	{
		double		epsilon = log_uniform(0.3, 5);
		Mechanism	first = random_mechanism(epsilon);
		double		reached = delta_reached(epsilon, log_uniform(1e-4, 0.2), first,
											random_mechanism(epsilon), false);

		played += reached >= 0;
		most = fmax(most, reached);
	}
	ok(most > 0.1 && most <= 1, "of %d others the best reaches %.3f", played, most);
}

int
main(void)
{
	test_found();
	test_random();
	return done_testing();
}
