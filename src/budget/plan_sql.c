/* SPDX-License-Identifier: PostgreSQL */
/*
 * plan_sql.c
 *	  Planning ahead: dp_agg.plan, dp_agg.remaining and dp_agg.what_if.
 *
 * All look at equal releases of a count, charged one after the other to what
 * is left of a budget and its cap now.  Charges are rounded up one by one; a
 * bound on what that can add is counted in, so that what is promised fits.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/table.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "accounting/calibrate.h"
#include "accounting/pld_services.h"
#include "base/settings.h"
#include "budget/account/role.h"
#include "budget/account/store.h"
#include "budget/keeper/client.h"
#include "budget/rows/balance.h"
#include "budget/rows/repeat.h"

PG_FUNCTION_INFO_V1(dp_budget_plan);
PG_FUNCTION_INFO_V1(dp_budget_remaining);
PG_FUNCTION_INFO_V1(dp_budget_what_if);
PG_FUNCTION_INFO_V1(dp_budget_in_force);

/* Relative width at which the search for an epsilon ends. */
#define DP_PLAN_PRECISION 1e-9

/* A role's own budget may be planned with, and any by who may read them all. */
static void
check_may_see(Oid role)
{
	Relation	budget = dp_budget_store_read_budget();
	Oid			table = RelationGetRelid(budget);

	table_close(budget, AccessShareLock);
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role with OID %u does not exist", role)));
	if (!has_privs_of_role(GetUserId(), role) && role != dp_budget_role_asking() &&
		!dp_budget_role_may_read(table))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to plan with the budget of role \"%s\"",
						GetUserNameFromId(role, false))));
}

/* The mechanism of this name, or as the rest that a role has decides. */
static DpMechanism
read_mechanism(text *argument, const DpBalance *balance)
{
	char	   *name = text_to_cstring(argument);

	if (strcmp(name, "auto") == 0)
		return dp_budget_mechanism_of(balance);
	if (strcmp(name, "laplace") == 0)
		return DP_LAPLACE;
	if (strcmp(name, "gaussian") == 0)
		return DP_GAUSSIAN;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown mechanism \"%s\"", name),
			 errhint("Available mechanisms: auto, laplace, gaussian.")));
}

/* The rest that a role has to plan with; an error if it has no budget. */
static void
read_balance(Oid role, const char *dataset, DpBalance *balance)
{
	check_may_see(role);
	if (!dp_budget_peek(role, dataset, balance))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("role \"%s\" has no budget on data set \"%s\"",
						GetUserNameFromId(role, false), dataset)));
}

static void
raise_invalid(const char *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", problem)));
}

/* The delta of a release that a role with this rest asks for. */
static double
delta_of(const DpBalance *balance)
{
	double		chosen = dp_settings_delta == 0 ? dp_budget_delta_of(balance) : dp_settings_delta;

	return chosen > 0 ? chosen : DP_SETTINGS_DELTA_WITHOUT_BUDGET;
}

/* Say what a statement with private groups costs beside its epsilon, if nobody set it. */
static void
tell_delta(const DpBalance *balance)
{
	if (dp_settings_delta == 0 && dp_budget_delta_of(balance) > 0)
		ereport(NOTICE,
				(errmsg("a statement with private groups costs delta %.3g, a thousandth of what the budget has for them",
						dp_budget_delta_of(balance))));
}

/* Say which noise an epsilon is of, if the budget decided. */
static void
tell_mechanism(text *argument, DpMechanism mechanism)
{
	if (strcmp(text_to_cstring(argument), "auto") == 0)
		ereport(NOTICE,
				(errmsg(mechanism == DP_GAUSSIAN ? "epsilon is of Gaussian noise, as the budget has a delta"
						: "epsilon is of Laplace noise, as the budget has no delta")));
}

/*
 * The noise of one release of a count that a unit changes by at most 1; what is
 * wrong with the arguments, or NULL.
 */
static const char *
count_noise(DpMechanism mechanism, double epsilon, double delta, DpNoise *noise)
{
	int			grid = dp_accounting_grid(mechanism, epsilon, delta, 1, 1, 1, true);
	double		sensitivity = Max(ceil(ldexp(1, -grid)), 1);

	return dp_accounting_calibrate(noise, mechanism, epsilon, delta, 1, 1,
								   (uint64_t) sensitivity, grid);
}

/* Cost of a release with this noise. */
static DpCurve
cost_of(const DpNoise *noise)
{
	DpCurve		cost = {{0}};

	dp_accounting_add_noise(&cost, noise);
	return cost;
}

static const char *
count_cost(DpMechanism mechanism, double epsilon, double delta, DpCurve *cost)
{
	DpNoise		noise;
	const char *problem = count_noise(mechanism, epsilon, delta, &noise);

	if (problem == NULL)
		*cost = cost_of(&noise);
	return problem;
}

/* Would a limit admit them? */
static bool
limit_admits(const DpLimit *limit, const DpCurve *spent, const DpCurve *cost, int64 n)
{
	DpCurve		total = dp_budget_spend_repeatedly(spent, cost, n);

	return dp_accounting_admits(limit, &total);
}

static bool
fits(const DpBalance *balance, const DpCurve *cost, int64 n)
{
	return limit_admits(&balance->limit, &balance->spent, cost, n) &&
		(!balance->capped ||
		 limit_admits(&balance->cap_limit, &balance->cap_spent, cost, n));
}

/* Would n releases at this epsilon fit? */
static bool
epsilon_fits(const DpBalance *balance, DpMechanism mechanism, double epsilon, int64 n)
{
	DpCurve		cost;

	return count_cost(mechanism, epsilon, delta_of(balance), &cost) == NULL && fits(balance, &cost, n);
}

/*
 * The largest epsilon at which n releases fit, to within DP_PLAN_PRECISION;
 * 0 if there is none.
 */
static double
largest_epsilon(const DpBalance *balance, DpMechanism mechanism, int64 n)
{
	double		low = DP_MIN_EPSILON;
	double		high = DP_MAX_EPSILON;
	double		rounded;

	if (!epsilon_fits(balance, mechanism, low, n))
		return 0;
	while (high > low * (1 + DP_PLAN_PRECISION))
	{
		double		middle = sqrt(low * high);

		CHECK_FOR_INTERRUPTS();
		if (epsilon_fits(balance, mechanism, middle, n))
			low = middle;
		else
			high = middle;
	}
	/* People like round numbers, and budgets are. */
	rounded = strtod(psprintf("%.8g", high), NULL);
	if (rounded > low && epsilon_fits(balance, mechanism, rounded, n))
		return rounded;
	return low;
}

/* The largest number of releases of this cost that fit. */
static int64
most_releases(const DpBalance *balance, const DpCurve *cost)
{
	int64		most = dp_budget_most_repeated(&balance->limit, &balance->spent, cost);

	if (!balance->capped)
		return most;
	return Min(most, dp_budget_most_repeated(&balance->cap_limit, &balance->cap_spent, cost));
}

static void
check_number(int n)
{
	if (n < 1)
		raise_invalid("number of releases must be at least 1");
}

/* dp_agg.plan(role regrole, dataset text, n int, mechanism text) returns float8 */
Datum
dp_budget_plan(PG_FUNCTION_ARGS)
{
	int			n = PG_GETARG_INT32(2);
	DpMechanism mechanism;
	DpBalance	balance;
	double		epsilon;

	check_number(n);
	read_balance(PG_GETARG_OID(0), text_to_cstring(PG_GETARG_TEXT_PP(1)), &balance);
	mechanism = read_mechanism(PG_GETARG_TEXT_PP(3), &balance);
	tell_mechanism(PG_GETARG_TEXT_PP(3), mechanism);
	epsilon = largest_epsilon(&balance, mechanism, n);
	tell_delta(&balance);
	if (epsilon == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(epsilon);
}

/*
 * dp_agg.remaining(role regrole, dataset text, epsilon float8, mechanism text)
 * returns bigint
 */
Datum
dp_budget_remaining(PG_FUNCTION_ARGS)
{
	DpMechanism mechanism;
	DpCurve		cost;
	DpBalance	balance;
	const char *problem;

	read_balance(PG_GETARG_OID(0), text_to_cstring(PG_GETARG_TEXT_PP(1)), &balance);
	mechanism = read_mechanism(PG_GETARG_TEXT_PP(3), &balance);
	problem = count_cost(mechanism, PG_GETARG_FLOAT8(2), delta_of(&balance), &cost);
	if (problem != NULL)
		raise_invalid(problem);
	PG_RETURN_INT64(most_releases(&balance, &cost));
}

/* The least epsilon that n releases with this noise have at a delta. */
static double
exact_epsilon(const DpNoise *noise, int n, double delta)
{
	bool		laplace = noise->mechanism == DP_LAPLACE;
	double		epsilon;
	DpPldRelease release = {
		.mechanism = laplace ? DP_PLD_DISCRETE_LAPLACE : DP_PLD_DISCRETE_GAUSSIAN,
		.count = n,
		.sensitivity = noise->sensitivity,
		.scale_num = noise->scale_num,
		.scale_den = noise->scale_den,
		.sigma = noise->sigma
	};
	const char *problem = dp_accounting_pld_epsilon(&release, 1, Max(delta, DP_PLD_MIN_DELTA),
													&dp_accounting_pld_services, &epsilon);

	if (problem != NULL)
		elog(ERROR, "could not compose releases: %s", problem);
	return epsilon;
}

/*
 * dp_agg.what_if(role regrole, dataset text, n int, epsilon float8, mechanism text)
 * returns (admitted bool, epsilon_enforced float8, epsilon_exact float8)
 */
Datum
dp_budget_what_if(PG_FUNCTION_ARGS)
{
	static const DpCurve nothing = {{0}};
	int			n = PG_GETARG_INT32(2);
	DpMechanism mechanism;
	DpCurve		cost;
	DpCurve		total;
	DpNoise		noise;
	DpBalance	balance;
	TupleDesc	desc;
	Datum		values[3];
	bool		nulls[3] = {false};
	const char *problem;

	check_number(n);
	read_balance(PG_GETARG_OID(0), text_to_cstring(PG_GETARG_TEXT_PP(1)), &balance);
	mechanism = read_mechanism(PG_GETARG_TEXT_PP(4), &balance);
	problem = count_noise(mechanism, PG_GETARG_FLOAT8(3), delta_of(&balance), &noise);
	if (problem != NULL)
		raise_invalid(problem);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	cost = cost_of(&noise);
	total = dp_budget_spend_repeatedly(&nothing, &cost, n);
	values[0] = BoolGetDatum(fits(&balance, &cost, n));
	values[1] = Float8GetDatum(dp_accounting_epsilon_spent(&balance.limit, &total));
	values[2] = Float8GetDatum(exact_epsilon(&noise, n, balance.limit.delta));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}

/*
 * dp_agg_internal.in_force(dataset text, role regrole) returns (mechanism text, epsilon float8, delta float8): what an
 * aggregate has that names nothing itself, if this role asks, or null: the one that does.
 */
Datum
dp_budget_in_force(PG_FUNCTION_ARGS)
{
	DpPricing	pricing = dp_settings_pricing();
	Oid			role = PG_ARGISNULL(1) ? dp_budget_role_asking() : PG_GETARG_OID(1);
	TupleDesc	desc;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (!PG_ARGISNULL(1))
		check_may_see(role);
	dp_budget_choose(&pricing, role, PG_ARGISNULL(0) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(0)));
	values[0] = CStringGetTextDatum(pricing.mechanism == DP_GAUSSIAN ? "gaussian" : "laplace");
	values[1] = Float8GetDatum(pricing.epsilon);
	values[2] = Float8GetDatum(pricing.delta);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}
