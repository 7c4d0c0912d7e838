/* SPDX-License-Identifier: PostgreSQL */
/*
 * alert.c
 *	  Telling once that a budget's use has crossed a threshold.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"

#include "base/settings.h"
#include "budget/keeper/alert.h"

/* By so much, in percent, a use may be below a threshold that it has come to. */
#define DP_ALERT_ROUNDING 0.05

/* A line for the server log. */
typedef struct DpAlertLine
{
	char	   *message;
	char	   *detail;
} DpAlertLine;

/* Those put by, in memory that outlives transactions. */
static List *lines = NIL;

/* What was told of: whose budget or cap, and of which threshold. */
static char *
message_of(const DpBudgetRow *row, double percent)
{
	char	   *name = OidIsValid(row->role) ? GetUserNameFromId(row->role, true) : NULL;

	if (!OidIsValid(row->role))
		return psprintf("%g %% of the privacy budget of all roles together on data set \"%s\" is used",
						percent, row->dataset);
	return psprintf("%g %% of the privacy budget of role \"%s\" on data set \"%s\" is used",
					percent, name != NULL ? name : psprintf("%u", row->role), row->dataset);
}

static void
put_by(const DpBudgetRow *row, double percent, double use, bool refused)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
	DpAlertLine *line = palloc(sizeof(DpAlertLine));

	line->message = message_of(row, percent);
	line->detail = refused ? pstrdup("A statement that it would have admitted unspent was refused.") :
		psprintf("It is used to %.4g %% now.", 100 * use);
	lines = lappend(lines, line);
	MemoryContextSwitchTo(old);
}

double
dp_budget_alert_cross(DpBudgetRow *row, double use, bool refused, TimestampTz now)
{
	const DpAlerts *alerts = &dp_settings_budget_alerts;
	double		crossed = 0;

	for (int i = 0; i < alerts->count; i++)
		if (100 * use + DP_ALERT_ROUNDING >= alerts->percent[i])
			crossed = alerts->percent[i];
	if (crossed <= row->alert)
		return 0;
	row->alert = crossed;
	row->alerted_at = now;
	put_by(row, crossed, use, refused);
	return crossed;
}

void
dp_budget_alert_log(void)
{
	ListCell   *lc;

	foreach(lc, lines)
	{
		DpAlertLine *line = lfirst(lc);

		ereport(LOG,
				(errmsg_internal("%s", line->message),
				 errdetail_internal("%s", line->detail)));
	}
	dp_budget_alert_forget();
}

void
dp_budget_alert_forget(void)
{
	ListCell   *lc;

	foreach(lc, lines)
	{
		DpAlertLine *line = lfirst(lc);

		pfree(line->message);
		pfree(line->detail);
	}
	list_free_deep(lines);
	lines = NIL;
}
