/* SPDX-License-Identifier: PostgreSQL */
/*
 * ledger_cost.c
 *	  What a statement's releases cost, worked out anew from the ledger.
 *
 * A statement is an array of blocks
 *
 *	 {"relations": ["public.people"], "keys": ["city"], "where": "age > 30",
 *	  "call": "...", "question": "...", "reads_released": true, "read_on": "...", "rows_as_of": "...",
 *	  "sample_rate": 0.1, "releases": [...]}
 *
 * whose costs add up; all but releases may be missing, and all but sample_rate and
 * releases tell what was asked.  Where one of them chooses max_groups there is besides
 *
 *	 "or": [{"max_groups": 1, "releases": [...]}, ...]
 *
 * what else the other releases may be.  The one that chooses is charged, and at each
 * order the most that any of these sets costs.  A release is
 *
 *	 {"aggregate": "dp_count(*)", "mechanism": "laplace", "epsilon": 0.1, "delta": 1e-9,
 *	  "noise": [{"groups": 1, "sensitivity": 1, "grid": 0, "scale_num": 10, "scale_den": 1}],
 *	  "totals": 3, "answers": ["dp_count(x)"], "threshold": 200, "threshold_delta": 1e-9, "times": 1,
 *	  "with": ["dp_percentile_cont(x)"], "chooses": "max_groups"}
 *
 * or has "sigma" for the scale.  What it costs follows from its mechanism and noise,
 * threshold_delta and how many times it is made; the rest says what for.
 */
#include "postgres.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "accounting/block_cost.h"
#include "accounting/json.h"
#include "budget/rows/ledger_cost.h"

/* By how much costs may differ, relatively: some 1000 times what arithmetic does. */
#define DP_COST_ROUNDING 1e-9

/* Most releases of one kind, and noise terms of each. */
#define MOST_TIMES 1000000
#define MOST_TERMS 2

/* Most sets of releases that a block may be instead. */
#define MOST_CLASSES 64

/* How many blocks are remembered, and how long their releases may be. */
#define KEPT_BLOCKS 64
#define KEPT_BYTES 4096

/* Cost of blocks with these releases. */
typedef struct DpKeptBlock
{
	uint64		hash;
	Size		size;			/* 0: none */
	double		sample_rate;
	DpCurve		cost;
	char		bytes[KEPT_BYTES];
} DpKeptBlock;

bool
dp_budget_same_amount(double one, double other, int64 additions)
{
	double		tolerance = DP_COST_ROUNDING + additions * DBL_EPSILON;

	return one == other ||
		(isfinite(one) && isfinite(other) && fabs(one - other) <= tolerance * Max(fabs(one), fabs(other)));
}

bool
dp_budget_same_cost(const DpCurve *one, const DpCurve *other, int64 additions)
{
	for (int i = 0; i < DP_ORDERS; i++)
		if (!dp_budget_same_amount(one->rdp[i], other->rdp[i], additions))
			return false;
	return dp_budget_same_amount(one->pure, other->pure, additions) &&
		dp_budget_same_amount(one->delta, other->delta, additions) &&
		dp_budget_same_amount(one->variance, other->variance, additions) &&
		dp_budget_same_amount(one->coarseness, other->coarseness, additions);
}

/* A member that is a number; the default if there is none.  False if it is something else. */
static bool
read_number(JsonbContainer *object, const char *name, double missing, double *number)
{
	JsonbValue *value = dp_accounting_json_member(object, name);

	*number = missing;
	if (value == NULL)
		return !isnan(missing);
	if (value->type != jbvNumeric)
		return false;
	*number = dp_accounting_json_real(value);
	return true;
}

/* A member that is a whole number from 1 up to `most`; 0 stands for none. */
static bool
read_whole(JsonbContainer *object, const char *name, uint64 most, uint64 *number)
{
	JsonbValue *value = dp_accounting_json_member(object, name);

	*number = 0;
	return value == NULL || (value->type == jbvNumeric && dp_accounting_json_whole(value, most, number));
}

/* Has an object no members but these, of which NULL is the last? */
static bool
has_only(JsonbContainer *object, const char *const *known)
{
	return dp_accounting_json_unknown(object, known) == NULL;
}

/* The array, or else the object, that a member is; NULL if it is none. */
static JsonbContainer *
container_in(JsonbContainer *object, const char *name, bool array)
{
	return dp_accounting_json_container(dp_accounting_json_member(object, name), array);
}

/* The object at a place of an array; NULL if it is none. */
static JsonbContainer *
object_at(JsonbContainer *array, uint32 i)
{
	return dp_accounting_json_container(getIthJsonbValueFromContainer(array, i), false);
}

static bool
read_mechanism(JsonbContainer *release, DpMechanism *mechanism)
{
	JsonbValue *name = dp_accounting_json_member(release, "mechanism");

	for (int i = 0; i < DP_MECHANISMS; i++)
	{
		*mechanism = i;
		if (dp_accounting_json_is(name, dp_accounting_mechanism_name[i]))
			return true;
	}
	return false;
}

/* A noise term, all of whose numbers that its mechanism draws with are there. */
static bool
read_noise(JsonbContainer *term, DpMechanism mechanism, DpNoise *noise)
{
	uint64		groups;

	memset(noise, 0, sizeof(*noise));
	if (term == NULL || !has_only(term, dp_accounting_noise_keys) ||
		!read_whole(term, "groups", INT_MAX, &groups) ||
		!read_whole(term, "sensitivity", DP_MAX_SENSITIVITY, &noise->sensitivity) ||
		!read_whole(term, "scale_num", PG_UINT64_MAX, &noise->scale_num) ||
		!read_whole(term, "scale_den", PG_UINT64_MAX, &noise->scale_den) ||
		!read_whole(term, "sigma", PG_UINT64_MAX, &noise->sigma))
		return false;
	noise->mechanism = mechanism;
	noise->groups = groups;
	return groups > 0 && noise->sensitivity > 0 &&
		(mechanism == DP_GAUSSIAN) == (noise->sigma > 0) &&
		(mechanism != DP_GAUSSIAN) == (noise->scale_num > 0 && noise->scale_den > 0);
}

/* Read the noise terms of a release; how many, or 0 if they make no sense. */
static int
read_terms(JsonbContainer *release, DpNoise *noise)
{
	JsonbContainer *terms = container_in(release, "noise", true);
	DpMechanism mechanism;

	if (terms == NULL || JsonContainerSize(terms) > MOST_TERMS || !read_mechanism(release, &mechanism))
		return 0;
	for (uint32 i = 0; i < JsonContainerSize(terms); i++)
		if (!read_noise(object_at(terms, i), mechanism,
						&noise[i]))
			return 0;
	return JsonContainerSize(terms);
}

/*
 * Cost of a block's releases so far: that of its choice, and the rest, which
 * depends on it.
 */
typedef struct ReleasesCost
{
	DpCurve		choice;
	DpCurve		rest;
	double		threshold_delta;
} ReleasesCost;

/* Does this release choose among what others may be? */
static bool
is_choice(JsonbContainer *release)
{
	return dp_accounting_json_member(release, "chooses") != NULL;
}

/* Add what a release costs, as often as it is made, and the delta of its threshold. */
static bool
add_release(JsonbContainer *release, ReleasesCost *cost)
{
	DpNoise		noise[MOST_TERMS];
	uint64		times;
	double		delta;
	int			terms;

	if (release == NULL || !has_only(release, dp_accounting_release_keys) ||
		!read_whole(release, "times", MOST_TIMES, &times) ||
		!read_number(release, "threshold_delta", 0, &delta) || !(delta >= 0 && delta < 1))
		return false;
	terms = read_terms(release, noise);
	for (uint64 i = 0; i < Max(times, 1); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (terms > 0)
			dp_accounting_add_release(is_choice(release) ? &cost->choice : &cost->rest, noise, terms);
	}
	cost->threshold_delta += delta * Max(times, 1);
	return terms > 0;
}

/* Cost of a set of releases. */
static bool
add_releases(JsonbContainer *releases, ReleasesCost *cost)
{
	if (releases == NULL)
		return false;
	for (uint32 i = 0; i < JsonContainerSize(releases); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!add_release(object_at(releases, i), cost))
			return false;
	}
	return true;
}

/* Raise what releases cost to what they cost with another max_groups, where that is more. */
static bool
raise_to(JsonbContainer *other, ReleasesCost *cost)
{
	static const char *const known[] = {"max_groups", "releases", NULL};
	ReleasesCost one = {.threshold_delta = 0};
	uint64		groups;

	if (other == NULL || !has_only(other, known) || !read_whole(other, "max_groups", INT_MAX, &groups) || groups == 0 ||
		!add_releases(container_in(other, "releases", true), &one) || one.choice.pure != 0)
		return false;
	dp_accounting_raise(&cost->rest, &one.rest);
	cost->threshold_delta = Max(cost->threshold_delta, one.threshold_delta);
	return true;
}

/* Cost of a block's releases, over all sets that it may be. */
static bool
releases_cost(JsonbContainer *releases, JsonbContainer *others, double sample_rate, DpCurve *total)
{
	ReleasesCost cost = {.threshold_delta = 0};
	uint32		classes = others ? JsonContainerSize(others) : 0;

	if (classes > MOST_CLASSES || !add_releases(releases, &cost))
		return false;
	for (uint32 i = 0; i < classes; i++)
		if (!raise_to(object_at(others, i), &cost))
			return false;
	*total = cost.choice;
	dp_accounting_compose(total, &cost.rest);
	dp_accounting_complete_block(total, sample_rate, cost.threshold_delta);
	return true;
}

/*
 * The same, from what was remembered of the latest blocks: most statements of a ledger are
 * alike, and what a sample makes of a curve takes milliseconds.
 */
static bool
kept_releases_cost(const JsonbValue *releases, double sample_rate, DpCurve *cost)
{
	static DpKeptBlock *kept = NULL;
	static int	next = 0;
	Size		size = releases->val.binary.len;
	const char *bytes = (const char *) releases->val.binary.data;
	uint64		hash;

	if (size > KEPT_BYTES)
		return releases_cost(releases->val.binary.data, NULL, sample_rate, cost);
	if (kept == NULL)
		kept = MemoryContextAllocZero(TopMemoryContext, KEPT_BLOCKS * sizeof(DpKeptBlock));
	hash = hash_bytes_extended((const unsigned char *) bytes, size, 0);
	for (int i = 0; i < KEPT_BLOCKS; i++)
		if (kept[i].hash == hash && kept[i].size == size && kept[i].sample_rate == sample_rate &&
			memcmp(kept[i].bytes, bytes, size) == 0)
		{
			*cost = kept[i].cost;
			return true;
		}
	if (!releases_cost(releases->val.binary.data, NULL, sample_rate, cost))
		return false;
	kept[next].hash = hash;
	kept[next].size = size;
	kept[next].sample_rate = sample_rate;
	kept[next].cost = *cost;
	memcpy(kept[next].bytes, bytes, size);
	next = (next + 1) % KEPT_BLOCKS;
	return true;
}

static bool
add_block(JsonbContainer *block, DpCurve *total)
{
	JsonbValue *releases;
	JsonbContainer *others;
	DpCurve		cost;
	double		sample_rate;

	if (block == NULL || !has_only(block, dp_accounting_block_keys) ||
		!read_number(block, "sample_rate", 1, &sample_rate) || !(sample_rate > 0 && sample_rate <= 1))
		return false;
	releases = dp_accounting_json_member(block, "releases");
	others = container_in(block, "or", true);
	if (dp_accounting_json_container(releases, true) == NULL || (others == NULL && dp_accounting_json_member(block, "or") != NULL))
		return false;
	if (!(others ? releases_cost(releases->val.binary.data, others, sample_rate, &cost)
		  : kept_releases_cost(releases, sample_rate, &cost)))
		return false;
	dp_accounting_compose(total, &cost);
	return true;
}

bool
dp_budget_ledger_cost(const Jsonb *blocks, DpCurve *cost)
{
	JsonbContainer *root = unconstify(JsonbContainer *, &blocks->root);

	memset(cost, 0, sizeof(*cost));
	if (!JsonContainerIsArray(root) || JsonContainerIsScalar(root))
		return false;
	for (uint32 i = 0; i < JsonContainerSize(root); i++)
		if (!add_block(object_at(root, i), cost))
			return false;
	return true;
}
