/*
 * charge.c
 *	  Lets tests charge a budget directly.
 *
 * Functions of the library under test are looked up when they are called, so
 * that the module can be loaded whether or not it was preloaded.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "budget/keeper/client.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(test_charge);
PG_FUNCTION_INFO_V1(test_charge_describing);
PG_FUNCTION_INFO_V1(test_peek);

/* What the module uses of the library. */
static const double *order;
static double (*rdp_pure) (double alpha, double epsilon);
static void (*range_variance) (DpCurve *cost, double half, int groups);
static bool (*budget_charge) (const DpCharge *charge, DpBalance *balance);
static bool (*budget_peek) (Oid role, const char *dataset, DpBalance *balance);

static void *
find(const char *symbol)
{
	return load_external_function("$libdir/dp_agg", symbol, true, NULL);
}

static void
load_library(void)
{
	if (order != NULL)
		return;
	rdp_pure = find("dp_accounting_rdp_pure");
	range_variance = find("dp_accounting_range_variance");
	budget_charge = find("dp_budget_charge");
	budget_peek = find("dp_budget_peek");
	order = find("dp_accounting_order");
}

/*
 * The cost of one mechanism of this pure epsilon; what is no epsilon becomes
 * the whole cost as it is.  Kept from call to call, so that benchmarks measure
 * charging alone.
 */
static const DpCurve *
pure_cost(double epsilon)
{
	static DpCurve cost;
	static bool computed = false;

	if (computed && cost.pure == epsilon)
		return &cost;
	cost.pure = cost.variance = epsilon;
	if (epsilon > 0)
		range_variance(&cost, epsilon, 1);
	for (int i = 0; i < DP_ORDERS; i++)
		cost.rdp[i] = epsilon > 0 ? rdp_pure(order[i], epsilon) : epsilon;
	computed = true;
	return &cost;
}

static Jsonb *
read_json(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

/* A scale of about 1 / epsilon, as a fraction: closer than the ledger is compared. */
static void
set_scale(double epsilon, uint64 *num, uint64 *den)
{
	int			bits = Max(Min(62 - Max(ilogb(epsilon), 0), 62), 0);

	*num = UINT64CONST(1) << bits;
	*den = (uint64) ldexp(epsilon, bits);
}

/*
 * What a statement with one Laplace count leaves in the ledger, about, or none that costs
 * nothing.  As jsonb; kept from call to call as well.
 */
static const Jsonb *
typical_releases(double epsilon)
{
	static Jsonb *releases = NULL;
	static double of = 0;
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
	const char *json = "[]";
	uint64		num;
	uint64		den;

	if (releases == NULL || of != epsilon)
	{
		if (epsilon > 0 && epsilon < 1e9)
		{
			set_scale(epsilon, &num, &den);
			json = psprintf("[{\"relations\": [\"public.people\"], \"releases\": [{\"aggregate\": \"dp_count(*)\", "
							"\"mechanism\": \"laplace\", \"epsilon\": %g, \"noise\": [{\"groups\": 1, \"grid\": 0, "
							"\"sensitivity\": 1, \"scale_num\": " UINT64_FORMAT ", \"scale_den\": " UINT64_FORMAT "}]}]}]",
							epsilon, num, den);
		}
		releases = read_json(json);
		of = epsilon;
	}
	MemoryContextSwitchTo(old);
	return releases;
}

static bool
charge_budget(Oid role, const char *dataset, double epsilon, const text *statement)
{
	DpCharge	request = {
		.role = role,
		.dataset = dataset,
		.releases = typical_releases(epsilon),
		.statement = statement
	};
	DpBalance	balance;

	load_library();
	request.cost = *pure_cost(epsilon);
	return budget_charge(&request, &balance);
}

Datum
test_charge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(charge_budget(PG_GETARG_OID(0), text_to_cstring(PG_GETARG_TEXT_PP(1)),
								 PG_GETARG_FLOAT8(2), NULL));
}

Datum
test_charge_describing(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(charge_budget(PG_GETARG_OID(0), text_to_cstring(PG_GETARG_TEXT_PP(1)),
								 PG_GETARG_FLOAT8(2), PG_GETARG_TEXT_P(3)));
}

Datum
test_peek(PG_FUNCTION_ARGS)
{
	DpBalance	balance;

	load_library();
	if (!budget_peek(PG_GETARG_OID(0), text_to_cstring(PG_GETARG_TEXT_PP(1)), &balance))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(balance.spent.pure);
}
