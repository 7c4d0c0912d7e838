/*
 * pld_sql.c
 *	  SQL functions for exact composition: dp_agg.pld_discrete_laplace,
 *	  dp_agg.pld_gaussian, dp_agg.pld_epsilon.
 */
#include "postgres.h"

#include <stddef.h>

#include "fmgr.h"
#include "miscadmin.h"

#include "accounting/pld_json.h"

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

/* Epsilon of releases, as the result of an SQL function. */
static Datum
releases_epsilon(const DpPldRelease *release, int count, double delta)
{
	double		epsilon;
	const char *wrong = dp_accounting_pld_epsilon(release, count, delta, &dp_accounting_pld_services, &epsilon);

	if (wrong != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s", wrong)));
	PG_RETURN_FLOAT8(epsilon);
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

	dp_accounting_pld_set_scale(&release, PG_GETARG_FLOAT8(0));
	return releases_epsilon(&release, 1, PG_GETARG_FLOAT8(3));
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

	return releases_epsilon(&release, 1, PG_GETARG_FLOAT8(2));
}

/* pld_epsilon(releases, delta) */
Datum
dp_accounting_pld_epsilon_sql(PG_FUNCTION_ARGS)
{
	DpPldReleases list = dp_accounting_pld_read(PG_GETARG_JSONB_P(0));

	return releases_epsilon(list.release, list.count, PG_GETARG_FLOAT8(1));
}
