/*
 * test_filter_adaptive.c
 *	  What an adaptive analyst can get past the filter: computed exactly, by
 *	  backward induction over all strategies, for pairs of mechanisms.
 *
 * A mechanism has two outcomes: one has probability q on the one database and
 * exp(loss) q on its neighbour.  The analyst chooses after each outcome which
 * mechanism to use next, or stops, among what is admitted; the best strategy
 * maximises the expectation of max(x - exp(epsilon), 0), x being the likelihood
 * ratio of all outcomes.  That is the delta of the history.  Before the analyst stops,
 * private groups may tell who is there, with a probability that is what is left for them.
 */
#include <stdlib.h>
#include <string.h>

#include "accounting.h"

#include "accounting/filter.h"
#include "accounting/privacy_curve.h"
#include "accounting/variance.h"

#define MOST 72					/* uses of either mechanism */
#define STATES (1 << 18)

typedef struct Mechanism
{
	double		q;
	double		loss;
	bool		by_curve;		/* its variance is that of its curve */
} Mechanism;

/* Rules: that of the filter, and three that are not valid. */
typedef enum Rule
{
	ENFORCED,
	ANY_ORDER,					/* any order of the grid may serve, whichever fits in the end */
	NO_COARSENESS,				/* variances alone decide */
	ONE_DELTA					/* private groups may have what variances left of delta */
} Rule;

/* A game: two mechanisms, a budget, and which rule admits. */
typedef struct Game
{
	DpLimit		limit;
	Mechanism	mechanism[2];
	Rule		rule;
	double		left[MOST + 2][MOST + 2];	/* of delta, for private groups */
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

	dp_accounting_range_variance(&cost, (m->loss - logl(other)) / 2 * (1 + 1e-15), 1);
	for (int i = 0; i < DP_ORDERS; i++)
	{
		long double a = dp_accounting_order[i];

		cost.rdp[i] = (double) (logl(m->q * expl(a * m->loss) + (1 - m->q) * powl(other, a)) /
								(a - 1));
		if (m->by_curve)
			cost.rdp[i] = fmax(cost.rdp[i], (double) (logl(m->q * expl((1 - a) * m->loss) + (1 - m->q) * powl(other, 1 - a)) /
													  (a - 1)));
	}
	if (m->by_curve)
	{
		DpCurve		bound;

		dp_accounting_curve_variance(&bound, &cost);
		cost.variance = bound.variance;
		cost.coarseness = bound.coarseness;
	}
	return cost;
}

/* A mechanism whose outcomes differ by at most epsilon: randomised response. */
static Mechanism
response(double epsilon)
{
	return (Mechanism) {1 / (1 + exp(epsilon)), epsilon, false};
}

/* The same on a sample of this rate. */
static Mechanism
sampled_response(double epsilon, double p)
{
	return (Mechanism) {1 / (1 + exp(epsilon)), log1p(p * expm1(epsilon)), true};
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

/* What variances take of delta. */
static double
variance_delta(const DpLimit *limit, const DpCurve *total)
{
	double		needed = dp_accounting_variance_needed(total);

	return needed > 0 ? dp_accounting_gdp_to_delta(sqrt(needed), limit->epsilon) : 0;
}

/* Is a history admitted?  Then sets what is left for private groups. */
static bool
admits(const Game *game, int first, int second, double *left)
{
	const DpLimit *limit = &game->limit;
	int			uses[2] = {first, second};
	DpCurve		total = {.pure = 0};

	for (int k = 0; k < 2; k++)
		for (int n = 0; n < uses[k]; n++)
			dp_accounting_compose(&total, &game->cost[k]);
	*left = limit->delta_partition;
	switch (game->rule)
	{
		case ANY_ORDER:
			return some_order_admits(limit, &total);
		case NO_COARSENESS:
			total.coarseness = 0;
			return variance_delta(limit, &total) <= limit->delta_variance;
		case ONE_DELTA:
			*left = limit->delta - variance_delta(limit, &total);
			return *left >= 0;
		case ENFORCED:
			break;
	}
	return dp_accounting_admits(limit, &total);
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
			if ((game->admitted[i][j] = admits(game, i, j, &game->left[i][j])))
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
	double		left = game->left[i][j];
	double		best = left * x + (1 - left) * fmax(x - exp(game->limit.epsilon), 0);

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

/* What part of delta an analyst reaches; -1 if the game is too large. */
static double
delta_reached(double epsilon, double delta, const DpShares *shares, Mechanism first, Mechanism second,
			  Rule rule)
{
	static Game game;

	dp_accounting_limit_init(&game.limit, epsilon, delta, shares);
	game.mechanism[0] = first;
	game.mechanism[1] = second;
	game.rule = rule;
	return lay_out(&game) ? play(&game) / delta : -1;
}

/* All of delta is for one rule. */
static const DpShares all_renyi = {.rdp = 1};
static const DpShares all_variance = {.variance = 1};

/* Games found by search to come near the budget of a rule, or past it if it is not valid. */
typedef struct Found
{
	double		epsilon;
	double		delta;
	double		first;
	double		second;
} Found;

static double
found_reaches(const Found *found, const DpShares *shares, Rule rule)
{
	return delta_reached(found->epsilon, found->delta, shares, response(found->first),
						 response(found->second), rule);
}

static void
test_renyi(void)
{
	static const Found found[] = {
		{1.5427, 0.03635, 0.0992, 0.8104},
		{1.3310, 0.04245, 0.0975, 0.7133},
		{1.0951, 0.02874, 0.1196, 0.5818},
		{4.2899, 0.006295, 1.2809, 0.1760}
	};
	double		most = 0;

	for (int i = 0; i < LENGTH(found); i++)
	{
		double		reached = found_reaches(&found[i], &all_renyi, ENFORCED);

		ok(reached >= 0 && reached <= 1, "the best strategy reaches %.3f of delta", reached);
		most = fmax(most, reached);
	}
	ok(most > 0.95, "some nearly all of it");
	most = found_reaches(&found[3], &all_renyi, ANY_ORDER);
	ok(most > 1.25, "if any order may serve, one reaches %.3f", most);
}

static void
test_variance(void)
{
	static const Found found[] = {
		{0.40244, 0.03919, 0.53893, 0.068672},
		{0.21052, 0.044944, 0.19544, 0.048876},
		{0.35648, 0.039967, 0.2624, 0.14623},
		{0.66704, 0.00013359, 0.027843, 0.091773}
	};
	double		most = 0;

	for (int i = 0; i < LENGTH(found); i++)
	{
		double		reached = found_reaches(&found[i], &all_variance, ENFORCED);
		double		together = found_reaches(&found[i], &dp_accounting_default_shares, ENFORCED);

		ok(reached >= 0 && reached <= 1 && together >= 0 && together <= 1,
		   "by variances the best strategy reaches %.3f of delta, by all rules %.3f", reached, together);
		most = fmax(most, reached);
	}
	ok(most > 0.9, "some nearly all of it");
	most = found_reaches(&found[2], &all_variance, NO_COARSENESS);
	ok(most > 1.2, "if coarseness is left out, one reaches %.3f", most);
	most = found_reaches(&found[3], &dp_accounting_default_shares, ONE_DELTA);
	ok(most > 1.6, "if private groups may have what variances left, one reaches %.3f", most);
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

/* Random games by the rule that is enforced, with these shares. */
static void
test_random(const DpShares *shares, const char *words)
{
	double		most = 0;
	int			played = 0;

	while (played < 40)
	{
		double		epsilon = log_uniform(0.3, 5);
		Mechanism	first = random_mechanism(epsilon);
		double		reached = delta_reached(epsilon, log_uniform(1e-4, 0.2), shares, first,
											random_mechanism(epsilon), ENFORCED);

		played += reached >= 0;
		most = fmax(most, reached);
	}
	ok(most > 0.1 && most <= 1, "%s: of %d others the best reaches %.3f", words, played, most);
}

/* Random games with samples, each worth the variance of its curve. */
static void
test_samples(const DpShares *shares, const char *words)
{
	double		most = 0;
	int			played = 0;

	while (played < 40)
	{
		double		epsilon = log_uniform(0.3, 3);
		double		p = log_uniform(0.02, 0.5);
		Mechanism	sample = sampled_response(epsilon * log_uniform(0.3, 4), p);
		Mechanism	other = played % 2 ? random_mechanism(epsilon) : sampled_response(epsilon * log_uniform(0.3, 4), p);
		double		reached = delta_reached(epsilon, log_uniform(1e-4, 0.2), shares, sample, other, ENFORCED);

		played += reached >= 0;
		most = fmax(most, reached);
	}
	ok(most > 0.1 && most <= 1, "samples, %s: of %d the best reaches %.3f", words, played, most);
}

int
main(void)
{
	test_renyi();
	test_variance();
	test_random(&all_renyi, "Renyi curves alone");
	test_random(&all_variance, "variances alone");
	test_random(&dp_accounting_default_shares, "all rules");
	test_samples(&all_variance, "variances alone");
	test_samples(&dp_accounting_default_shares, "all rules");
	return done_testing();
}
