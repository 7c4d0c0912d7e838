/* SPDX-License-Identifier: PostgreSQL */
/*
 * pld_sql.c
 *	  SQL functions for exact composition: dp_accountant.pld_discrete_laplace,
 *	  dp_accountant.pld_gaussian, dp_accountant.pld_epsilon.
 */
#include "postgres.h"

#include <math.h>
#include <stddef.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "accounting/block_cost.h"
#include "accounting/filter.h"
#include "accounting/json.h"
#include "accounting/pld_services.h"

/* Releases as they are read. */
typedef struct DpPldReleases
{
	DpPldRelease *release;		/* palloc'd, NULL if there is none */
	int			count;
	int			size;			/* has room for so many */
	bool		described;		/* some are not the ledger's: there is no cost of all */
	DpCurve		cost;			/* of the ledger's blocks, as they were charged */
	DpCurve		block;			/* of the releases of a block that is read */
	double		sample_rate;	/* and its sample */
	double		threshold_delta;
} DpPldReleases;

/*
 * Releases described in JSON.
 *
 * A list of releases is an array, in which arrays may be nested, and blocks as the
 * ledger holds them (budget/rows/ledger_cost.c), which have their releases as a member.  That
 * of a sample counts as if all units were asked, in distributions of losses.  A release is
 * an object in one of two forms: as a mechanism,
 *
 *	 {"mechanism": "discrete_laplace", "scale": 10, "sensitivity": 1, "count": 5}
 *	 {"mechanism": "discrete_gaussian", "sigma": 10, "sensitivity": 1, "count": 5}
 *	 {"mechanism": "gaussian", "sigma": 10, "sensitivity": 1, "count": 5}
 *	 {"mechanism": "pure", "epsilon": 0.1, "delta": 0, "count": 5}
 *
 * where sensitivity, delta and count have the defaults 1, 0 and 1; or as the ledger
 * holds it, with the noise in integers,
 *
 *	 {"aggregate": "...", "mechanism": "laplace", "epsilon": 0.1, "noise": [
 *		{"groups": 1, "sensitivity": 1, "grid": 0, "scale_num": 10, "scale_den": 1}],
 * "threshold": 200, "threshold_delta": 1e-9, "times": 1}
 *
 * or "sigma" for the scale; mechanisms that select count once for each of their "groups": permute_and_flip as
 * pure, exponential by its bounded range.  An unknown key is an error: it might stand for a
 * cost.
 *
 * Where all are the ledger's, their curves and variances, which know of samples and are sharper for many selections,
 * prove an epsilon too, and the smaller one is the result.
 *
 * An average has two Laplace noise terms, of which one is counted.  A unit moves one
 * total by x and the other by W - x, where W is the sensitivity of both.  Against a
 * first total at 0 and a second at 0, a test of level a has power at most F_x(a) where
 * the first is moved by x.  Here F_d(a) is the greatest power, at level a, of a test
 * between the noise and its shift by d.  From there it has power at most
 * F_{W-x}(F_x(a)) where the second is moved too.  The best tests between shifts of one
 * log-concave noise are thresholds, so that is F_W(a): the two totals are no easier to
 * tell apart than one moved by W.  The same holds for the totals of moments, any number
 * of them, which a unit moves by W together; and Gaussian noise does not tell one moved
 * by W from several whose squares add up to no more.
 */

static void
raise_invalid(const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message)));
}

/* Fill in a Laplace scale; raises 22023 if it is out of range. */
static void
pld_set_scale(DpPldRelease *release, double scale)
{
	if (!dp_accounting_pld_scale(scale, &release->scale_num, &release->scale_den))
		raise_invalid("scale must be from 1e-6 to 2^62");
}

static bool
has_key(JsonbContainer *object, const char *name)
{
	return dp_accounting_json_member(object, name) != NULL;
}

/* A number of an object; NULL if the key is missing and need not be there. */
static JsonbValue *
number_of(JsonbContainer *object, const char *name, bool required)
{
	JsonbValue *value = dp_accounting_json_member(object, name);

	if (value == NULL && !required)
		return NULL;
	if (value == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" of a release is missing", name)));
	if (value->type != jbvNumeric)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" of a release must be a number", name)));
	return value;
}

/* The double nearest to a number that is required. */
static double
real_of(JsonbContainer *object, const char *name)
{
	return dp_accounting_json_real(number_of(object, name, true));
}

/* The greatest double not above x. */
static double
round_down(long double x)
{
	double		d = (double) x;

	return (long double) d > x ? nextafter(d, 0) : d;
}

/* A whole number from 1 to 2^62; one that is not required is 1 if missing. */
static uint64
whole_of(JsonbContainer *object, const char *name, bool required)
{
	JsonbValue *number = number_of(object, name, required);
	uint64		value;

	if (number == NULL)
		return 1;
	if (!dp_accounting_json_whole(number, UINT64CONST(1) << 62, &value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" of a release must be a whole number from 1 to 2^62", name)));
	return value;
}

/* Is a key of an object this string? */
static bool
key_is(JsonbContainer *object, const char *name, const char *string)
{
	return dp_accounting_json_is(dp_accounting_json_member(object, name), string);
}

/* Refuse an object that has other keys than these, of which NULL is the last. */
static void
check_keys(JsonbContainer *object, const char *const *allowed)
{
	char	   *unknown = dp_accounting_json_unknown(object, allowed);

	if (unknown != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown key \"%s\" in a release", unknown)));
}

/* Room for another release, all zero. */
static DpPldRelease *
append_release(DpPldReleases *list)
{
	if (list->count == list->size)
	{
		list->size = list->size > 0 ? 2 * list->size : 64;
		list->release = list->release == NULL ?
			palloc_extended(list->size * sizeof(DpPldRelease), MCXT_ALLOC_HUGE) :
			repalloc_huge(list->release, list->size * sizeof(DpPldRelease));
	}
	memset(&list->release[list->count], 0, sizeof(DpPldRelease));
	return &list->release[list->count++];
}

/* A release as a mechanism. */
static void
read_mechanism(JsonbContainer *object, DpPldReleases *list)
{
	static const char *const laplace[] = {"mechanism", "scale", "sensitivity", "count", NULL};
	static const char *const gaussian[] = {"mechanism", "sigma", "sensitivity", "count", NULL};
	static const char *const pure[] = {"mechanism", "epsilon", "delta", "count", NULL};
	DpPldRelease *release = append_release(list);

	list->described = true;
	release->count = whole_of(object, "count", false);
	if (key_is(object, "mechanism", "discrete_laplace"))
	{
		check_keys(object, laplace);
		release->mechanism = DP_PLD_DISCRETE_LAPLACE;
		release->sensitivity = whole_of(object, "sensitivity", false);
		pld_set_scale(release, real_of(object, "scale"));
	}
	else if (key_is(object, "mechanism", "discrete_gaussian"))
	{
		check_keys(object, gaussian);
		release->mechanism = DP_PLD_DISCRETE_GAUSSIAN;
		release->sensitivity = whole_of(object, "sensitivity", false);
		release->sigma = real_of(object, "sigma");
	}
	else if (key_is(object, "mechanism", "gaussian"))
	{
		check_keys(object, gaussian);
		release->mechanism = DP_PLD_GAUSSIAN;
		release->sigma = real_of(object, "sigma");
		if (has_key(object, "sensitivity"))
			release->sigma = round_down((long double) release->sigma / real_of(object, "sensitivity"));
	}
	else if (key_is(object, "mechanism", "pure"))
	{
		check_keys(object, pure);
		release->mechanism = DP_PLD_PURE;
		release->epsilon = real_of(object, "epsilon");
		if (has_key(object, "delta"))
			release->delta = real_of(object, "delta");
	}
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown mechanism of a release"),
				 errhint("Use discrete_laplace, discrete_gaussian, gaussian or pure, or a release as the ledger holds it.")));
}

/* A noise term of the ledger. */
static void
read_noise(JsonbContainer *noise, uint64 times, DpPldReleases *list)
{
	static const char *const laplace[] = {"groups", "sensitivity", "grid", "scale_num", "scale_den", NULL};
	static const char *const gaussian[] = {"groups", "sensitivity", "grid", "sigma", NULL};
	DpPldRelease *release = append_release(list);
	uint64		groups = whole_of(noise, "groups", true);

	release->sensitivity = whole_of(noise, "sensitivity", true);
	if (groups > DP_PLD_MAX_COUNT || times > DP_PLD_MAX_COUNT || groups * times > DP_PLD_MAX_COUNT)
		raise_invalid("\"groups\" times \"times\" of a release must not exceed 2147483647");
	release->count = groups * times;
	if (has_key(noise, "sigma"))
	{
		check_keys(noise, gaussian);
		release->mechanism = DP_PLD_DISCRETE_GAUSSIAN;
		release->sigma = round_down(whole_of(noise, "sigma", true));
	}
	else
	{
		check_keys(noise, laplace);
		release->mechanism = DP_PLD_DISCRETE_LAPLACE;
		release->scale_num = whole_of(noise, "scale_num", true);
		release->scale_den = whole_of(noise, "scale_den", true);
	}
}

/* A noise term that was read, as it was drawn and charged. */
static DpNoise
drawn_noise(const DpPldRelease *release, DpMechanism mechanism)
{
	if (mechanism != DP_GAUSSIAN && (release->scale_num < 1 || release->scale_den < 1))
		raise_invalid("noise of a release is out of range");
	return (DpNoise) {
		.mechanism = mechanism, .groups = (int) release->count, .sensitivity = release->sensitivity,
		.scale_num = release->scale_num, .scale_den = release->scale_den,
		.sigma = mechanism == DP_GAUSSIAN ? (uint64) release->sigma : 0
	};
}

/* A mechanism that selects, read like Laplace noise: by the epsilon, or the bounded range, of a draw. */
static void
set_selection(DpPldRelease *release, const DpNoise *noise)
{
	release->mechanism = noise->mechanism == DP_EXPONENTIAL ? DP_PLD_RANGE :
		noise->mechanism == DP_ABOVE_THRESHOLD ? DP_PLD_ABOVE_THRESHOLD : DP_PLD_PURE;
	release->epsilon = dp_accounting_draw_epsilon(noise);
}

/* The other releases of such a block may be of several max_groups: what one of these costs says too little. */
static void
refuse_choice(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a block that chooses max_groups is not composed exactly"),
			 errhint("Leave such blocks out, and add the epsilon that the ledger has for them.")));
}

/* The mechanism of a release of the ledger, by its name. */
static DpMechanism
mechanism_of(JsonbContainer *object)
{
	for (int i = 0; i < DP_MECHANISMS; i++)
		if (key_is(object, "mechanism", dp_accounting_mechanism_name[i]))
			return i;
	raise_invalid("unknown mechanism of a release with \"noise\"");
	pg_unreachable();
}

/* A noise term of a release, whose cost is added to that of its block. */
static void
read_term(JsonbValue *term, DpMechanism mechanism, uint64 times, DpPldReleases *list)
{
	DpNoise		noise;

	if (term->type != jbvBinary || !JsonContainerIsObject(term->val.binary.data))
		raise_invalid("\"noise\" of a release must be an array of objects");
	if ((mechanism == DP_GAUSSIAN) != has_key(term->val.binary.data, "sigma"))
		raise_invalid("noise of a release is not of its mechanism");
	read_noise(term->val.binary.data, times, list);
	noise = drawn_noise(&list->release[list->count - 1], mechanism);
	if (mechanism != DP_LAPLACE && mechanism != DP_GAUSSIAN)
		set_selection(&list->release[list->count - 1], &noise);
	dp_accounting_add_noise(&list->block, &noise);
}

/* A release as the ledger holds it. */
static void
read_ledger(JsonbContainer *object, DpPldReleases *list)
{
	JsonbContainer *noise = dp_accounting_json_container(dp_accounting_json_member(object, "noise"), true);
	uint64		times = whole_of(object, "times", false);
	DpMechanism mechanism;
	int			terms;

	check_keys(object, dp_accounting_release_keys);
	if (has_key(object, "chooses"))
		refuse_choice();
	mechanism = mechanism_of(object);
	if (noise == NULL || JsonContainerSize(noise) < 1)
		raise_invalid("\"noise\" of a release must be an array of objects");
	terms = mechanism == DP_GAUSSIAN ? JsonContainerSize(noise) : 1;
	for (int i = 0; i < terms; i++)
		read_term(getIthJsonbValueFromContainer(noise, i), mechanism, times, list);
	if (has_key(object, "threshold_delta"))
	{
		DpPldRelease *release = append_release(list);

		release->mechanism = DP_PLD_PURE;
		release->count = times;
		release->delta = real_of(object, "threshold_delta");
		list->threshold_delta += times * release->delta;
	}
}

/* Begin a block on a sample of this rate. */
static void
begin_block(DpPldReleases *list, double sample_rate)
{
	memset(&list->block, 0, sizeof(DpCurve));
	list->sample_rate = sample_rate;
	list->threshold_delta = 0;
}

/* Add what was read since to the cost of all. */
static void
end_block(DpPldReleases *list)
{
	dp_accounting_complete_block(&list->block, list->sample_rate, list->threshold_delta);
	dp_accounting_compose(&list->cost, &list->block);
	begin_block(list, 1);
}

static void read_releases(JsonbContainer *array, DpPldReleases *list);

/* The releases of a block as the ledger holds it, all of one sample. */
static void
read_block(JsonbContainer *object, DpPldReleases *list)
{
	JsonbContainer *releases = dp_accounting_json_container(dp_accounting_json_member(object, "releases"), true);
	JsonbIterator *iterator;
	JsonbValue	value;
	double		sample_rate = has_key(object, "sample_rate") ? real_of(object, "sample_rate") : 1;

	check_keys(object, dp_accounting_block_keys);
	if (has_key(object, "or"))
		refuse_choice();
	if (releases == NULL)
		raise_invalid("\"releases\" of a block must be an array");
	if (!(sample_rate > 0 && sample_rate <= 1))
		raise_invalid("\"sample_rate\" of a block must be greater than 0 and at most 1");
	begin_block(list, sample_rate);
	iterator = JsonbIteratorInit(releases);
	(void) JsonbIteratorNext(&iterator, &value, true);	/* the array itself */
	while (JsonbIteratorNext(&iterator, &value, true) == WJB_ELEM)
	{
		CHECK_FOR_INTERRUPTS();
		if (value.type != jbvBinary || !JsonContainerIsObject(value.val.binary.data) || !has_key(value.val.binary.data, "noise"))
			raise_invalid("a release of a block must be a JSON object with \"noise\"");
		read_ledger(value.val.binary.data, list);
	}
	end_block(list);
}

/* The releases of an array, and of arrays and blocks within it. */
static void
read_releases(JsonbContainer *array, DpPldReleases *list)
{
	JsonbIterator *iterator = JsonbIteratorInit(array);
	JsonbValue	value;

	check_stack_depth();
	(void) JsonbIteratorNext(&iterator, &value, true);	/* the array itself */
	while (JsonbIteratorNext(&iterator, &value, true) == WJB_ELEM)
	{
		CHECK_FOR_INTERRUPTS();
		if (value.type != jbvBinary)
			raise_invalid("a release must be a JSON object");
		if (JsonContainerIsArray(value.val.binary.data))
			read_releases(value.val.binary.data, list);
		else if (has_key(value.val.binary.data, "noise"))
		{
			begin_block(list, 1);
			read_ledger(value.val.binary.data, list);
			end_block(list);
		}
		else if (has_key(value.val.binary.data, "releases"))
			read_block(value.val.binary.data, list);
		else
			read_mechanism(value.val.binary.data, list);
	}
}

/*
 * Read a list of releases; see above for its form.  Raises 22023 if it is
 * not such a list.
 */
static DpPldReleases
pld_read(Jsonb *list)
{
	DpPldReleases result = {0};

	if (!JB_ROOT_IS_ARRAY(list) || JB_ROOT_IS_SCALAR(list))
		raise_invalid("releases must be a JSON array");
	read_releases(&list->root, &result);
	return result;
}

PG_FUNCTION_INFO_V1(dp_accounting_pld_discrete_laplace_sql);
PG_FUNCTION_INFO_V1(dp_accounting_pld_gaussian_sql);
PG_FUNCTION_INFO_V1(dp_accounting_pld_epsilon_sql);

static void
check_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Memory aligned for any type, with the address of its block before it. */
static void *
allocate_aligned(size_t size)
{
	char	   *block = palloc(size + sizeof(void *) + _Alignof(max_align_t));
	void	  **memory = (void **) TYPEALIGN(_Alignof(max_align_t), block + sizeof(void *));

	memory[-1] = block;
	return memory;
}

static void
release_aligned(void *memory)
{
	pfree(((void **) memory)[-1]);
}

/* Memory is reclaimed after an error, whichever way it is raised. */
const DpPldServices dp_accounting_pld_services = {allocate_aligned, release_aligned, check_interrupts};

/* Epsilon of releases, by the distributions of their losses. */
static double
releases_epsilon(const DpPldRelease *release, int count, double delta)
{
	double		epsilon;
	const char *wrong = dp_accounting_pld_epsilon(release, count, delta, &dp_accounting_pld_services, &epsilon);

	if (wrong != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s", wrong)));
	return epsilon;
}

/* pld_discrete_laplace(scale, sensitivity, k, delta) */
Datum
dp_accounting_pld_discrete_laplace_sql(PG_FUNCTION_ARGS)
{
	int64		sensitivity = PG_GETARG_INT64(1);
	DpPldRelease release = {
		.mechanism = DP_PLD_DISCRETE_LAPLACE,
		.sensitivity = Max(sensitivity, 0),
		.count = PG_GETARG_INT32(2)
	};

	pld_set_scale(&release, PG_GETARG_FLOAT8(0));
	PG_RETURN_FLOAT8(releases_epsilon(&release, 1, PG_GETARG_FLOAT8(3)));
}

/* pld_gaussian(sigma, k, delta) */
Datum
dp_accounting_pld_gaussian_sql(PG_FUNCTION_ARGS)
{
	DpPldRelease release = {
		.mechanism = DP_PLD_GAUSSIAN,
		.sigma = PG_GETARG_FLOAT8(0),
		.count = PG_GETARG_INT32(1)
	};

	PG_RETURN_FLOAT8(releases_epsilon(&release, 1, PG_GETARG_FLOAT8(2)));
}

/* pld_epsilon(releases, delta) */
Datum
dp_accounting_pld_epsilon_sql(PG_FUNCTION_ARGS)
{
	DpPldReleases list = pld_read(PG_GETARG_JSONB_P(0));
	double		delta = PG_GETARG_FLOAT8(1);
	double		epsilon = releases_epsilon(list.release, list.count, delta);

	if (!list.described)
		epsilon = Min(epsilon, dp_accounting_fixed_epsilon(&list.cost, delta));
	PG_RETURN_FLOAT8(epsilon);
}
