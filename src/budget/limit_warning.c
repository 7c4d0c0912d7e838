/* SPDX-License-Identifier: PostgreSQL */
/*
 * limit_warning.c
 *	  Warnings of a limit that is being set.
 */
#include "postgres.h"

#include <math.h>

#include "base/settings.h"
#include "budget/limit_warning.h"

/* How likely something is thought to be before it is guessed from answers. */
#define PRIOR 1e-6

static DpWarnOfDataset warn_of_dataset = NULL;

void
dp_budget_set_warn_of_dataset(DpWarnOfDataset warn)
{
	warn_of_dataset = warn;
}

/* Percent to which answers within epsilon may raise a probability. */
static double
raised(double prior, double epsilon)
{
	return 100 / (1 + (1 - prior) / prior * exp(-epsilon));
}

void
dp_budget_warn_of_limit(const char *dataset, double epsilon)
{
	if (warn_of_dataset)
		warn_of_dataset(dataset);
	if (dp_settings_high_epsilon <= 0 || epsilon <= dp_settings_high_epsilon)
		return;
	ereport(WARNING,
			(errcode(ERRCODE_WARNING),
			 errmsg("an epsilon of %g promises little to the people in data set \"%s\"", epsilon, dataset),
			 errdetail("Once it is spent, who took something of a person to be 1 in %.0f likely may be %.5g %% sure of it.",
					   1 / PRIOR, raised(PRIOR, epsilon)),
			 errhint("An epsilon from 1 to 10 is common for all that is ever asked; dp_agg.plan tells how much noise a number of counts has with one.")));
}
