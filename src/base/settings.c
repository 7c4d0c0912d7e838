/* SPDX-License-Identifier: PostgreSQL */
/*
 * settings.c
 *	  The extension's settings.
 */
#include "postgres.h"

#include <limits.h>

#include "common/int.h"
#include "utils/datetime.h"
#include "utils/guc.h"
#include "utils/plancache.h"

#include "accounting/calibrate.h"
#include "base/settings.h"

double		dp_settings_epsilon = 0;
double		dp_settings_sample_rate = 1;
double		dp_settings_delta = 0;
int			dp_settings_mechanism = DP_SETTINGS_AUTO;
int			dp_settings_clipping = DP_CLIPPING_AUTO;
int			dp_settings_max_rows = 0;
int			dp_settings_max_groups = 0;
int			dp_settings_max_join_rows = 0;
int			dp_settings_max_values = 0;
int			dp_settings_charge_timeout = 10000;
int			dp_settings_keeper_idle = 2000;
char	   *dp_settings_primary_conninfo = NULL;
bool		dp_settings_answer_on_copies = false;
bool		dp_settings_ledger_statements = true;
bool		dp_settings_computed_keys = true;
bool		dp_settings_shared_noise = true;
bool		dp_settings_plain_aggregates = true;
int			dp_settings_raw_reads = DP_RAW_READS_ERROR;
int			dp_settings_kept_limit = 65536;
int64		dp_settings_kept_max_age = 0;
double		dp_settings_kept_rollup = 0;
double		dp_settings_high_epsilon = 20;
bool		dp_settings_noise_notice = true;
bool		dp_settings_clipping_notice = true;

DpAlerts	dp_settings_budget_alerts = {0};

static char *kept_max_age = NULL;
static char *budget_alerts = NULL;

static const struct config_enum_entry mechanism_options[] = {
	{"auto", DP_SETTINGS_AUTO, false},
	{"laplace", DP_LAPLACE, false},
	{"gaussian", DP_GAUSSIAN, false},
	{NULL, 0, false}
};

static const struct config_enum_entry clipping_options[] = {
	{"fixed", DP_CLIPPING_FIXED, false},
	{"auto", DP_CLIPPING_AUTO, false},
	{NULL, 0, false}
};

static const struct config_enum_entry raw_reads_options[] = {
	{"error", DP_RAW_READS_ERROR, false},
	{"empty", DP_RAW_READS_EMPTY, false},
	{"empty_pages", DP_RAW_READS_EMPTY_PAGES, false},
	{NULL, 0, false}
};

/* A plan holds the settings it was priced with: plan again. */
static void
replan_real(double newval, void *extra)
{
	ResetPlanCache();
}

static void
replan_int(int newval, void *extra)
{
	ResetPlanCache();
}

static void
replan_bool(bool newval, void *extra)
{
	ResetPlanCache();
}

/* Understand a length of time as an interval does, a month being 30 days; false if it is none. */
static bool
read_period(const char *text, int64 *microseconds)
{
	char		work[MAXDATELEN + MAXDATEFIELDS];
	char	   *field[MAXDATEFIELDS];
	int			type[MAXDATEFIELDS];
	int			fields;
	int			kind;
	struct pg_itm_in period;
	int64		days;

	if ((ParseDateTime(text, work, sizeof(work), field, type, MAXDATEFIELDS, &fields) != 0 ||
		 DecodeInterval(field, type, fields, INTERVAL_FULL_RANGE, &kind, &period) != 0) &&
		DecodeISO8601Interval(unconstify(char *, text), &kind, &period) != 0)
		return false;
	if (kind != DTK_DELTA)
		return false;
	days = (int64) period.tm_year * 360 + (int64) period.tm_mon * 30 + period.tm_mday;
	return !pg_mul_s64_overflow(days, USECS_PER_DAY, microseconds) &&
		!pg_add_s64_overflow(*microseconds, period.tm_usec, microseconds) && *microseconds >= 0;
}

/* Zero, or an epsilon. */
static bool
check_epsilon(double *value, void **extra, GucSource source)
{
	if (*value == 0 || *value >= DP_MIN_EPSILON)
		return true;
	GUC_check_errdetail("It is at least %.7g, or 0: %g of Gaussian noise, %g of anything else.", DP_MIN_EPSILON,
						DP_SETTINGS_EPSILON_OF_GAUSSIAN, DP_SETTINGS_EPSILON);
	return false;
}

/* Zero, or what noise can be calibrated for. */
static bool
check_delta(double *value, void **extra, GucSource source)
{
	if (*value == 0 || *value >= 1e-30)
		return true;
	GUC_check_errdetail("It is at least 1e-30, or 0: chosen from the budget.");
	return false;
}

static bool
check_max_age(char **value, void **extra, GucSource source)
{
	int64		microseconds;

	if (!read_period(*value, &microseconds))
	{
		GUC_check_errdetail("It is a length of time, such as '1 day' or '10 minutes', or 0.");
		return false;
	}
	return true;
}

static void
assign_max_age(const char *value, void *extra)
{
	if (!read_period(value, &dp_settings_kept_max_age))
		dp_settings_kept_max_age = 0;
}

/* Put a number where it belongs in a list that has room for it; one that is there already stays one. */
static void
insert_alert(DpAlerts *alerts, double percent)
{
	int			at = alerts->count;

	while (at > 0 && alerts->percent[at - 1] >= percent)
		at--;
	if (at < alerts->count && alerts->percent[at] == percent)
		return;
	memmove(&alerts->percent[at + 1], &alerts->percent[at], (alerts->count - at) * sizeof(double));
	alerts->percent[at] = percent;
	alerts->count++;
}

/* Understand numbers above 0 and up to 100, with commas between them, or none; false if they are something else. */
static bool
read_alerts(const char *text, DpAlerts *alerts)
{
	alerts->count = 0;
	text += strspn(text, " \t\r\n");
	while (*text != '\0')
	{
		char	   *end;
		double		percent = strtod(text, &end);

		end += strspn(end, " \t\r\n");
		if (!(percent > 0 && percent <= 100) || alerts->count == DP_MAX_ALERTS)
			return false;
		if (*end != '\0' && (*end != ',' || end[1 + strspn(end + 1, " \t\r\n")] == '\0'))
			return false;
		insert_alert(alerts, percent);
		text = *end == ',' ? end + 1 : end;
	}
	return true;
}

static bool
check_alerts(char **value, void **extra, GucSource source)
{
	DpAlerts	alerts;

	if (!read_alerts(*value, &alerts))
	{
		GUC_check_errdetail("It is a list of up to %d percentages above 0 and up to 100, such as '80, 100', or empty.", DP_MAX_ALERTS);
		return false;
	}
	return true;
}

static void
assign_alerts(const char *value, void *extra)
{
	if (!read_alerts(value, &dp_settings_budget_alerts))
		dp_settings_budget_alerts.count = 0;
}

void
dp_settings_take_mechanism(DpPricing *pricing, int mechanism)
{
	pricing->mechanism = mechanism;
	if (pricing->chooses_epsilon)
		pricing->epsilon = mechanism == DP_GAUSSIAN ? DP_SETTINGS_EPSILON_OF_GAUSSIAN : DP_SETTINGS_EPSILON;
}

DpPricing
dp_settings_pricing(void)
{
	DpPricing	pricing = {
		.clipping = dp_settings_clipping,
		.max_rows = dp_settings_max_rows,
		.max_groups = dp_settings_max_groups,
		.max_join_rows = dp_settings_max_join_rows,
		.max_values = dp_settings_max_values,
		.computed_keys = dp_settings_computed_keys,
		.shared_noise = dp_settings_shared_noise,
		.epsilon = dp_settings_epsilon,
		.draw_epsilon = dp_settings_epsilon > 0 ? dp_settings_epsilon : DP_SETTINGS_EPSILON,
		.sample_rate = dp_settings_sample_rate,
		.chooses_delta = dp_settings_delta == 0,
		.chooses_mechanism = dp_settings_mechanism == DP_SETTINGS_AUTO,
		.chooses_epsilon = dp_settings_epsilon == 0,
		.delta = dp_settings_delta > 0 ? dp_settings_delta : DP_SETTINGS_DELTA_WITHOUT_BUDGET,
	};

	dp_settings_take_mechanism(&pricing, pricing.chooses_mechanism ? DP_LAPLACE : dp_settings_mechanism);
	return pricing;
}

void
dp_settings_init(void)
{
	DefineCustomRealVariable("dp_agg.epsilon",
							 "Privacy loss of an aggregate that names no epsilon of its own.",
							 "Zero means 0.5 of what has Gaussian noise, and 0.1 of anything else.",
							 &dp_settings_epsilon, 0, 0, DP_MAX_EPSILON,
							 PGC_USERSET, 0, check_epsilon, replan_real, NULL);
	DefineCustomRealVariable("dp_agg.delta",
							 "Delta of one release: Gaussian calibration and private groups.",
							 "Zero means a thousandth of what the budget has for private groups.",
							 &dp_settings_delta, 0, 0, 0.5,
							 PGC_USERSET, 0, check_delta, replan_real, NULL);
	DefineCustomEnumVariable("dp_agg.mechanism",
							 "Distribution of the noise.",
							 "Auto: Gaussian where the budget has a delta, else Laplace.",
							 &dp_settings_mechanism, DP_SETTINGS_AUTO, mechanism_options,
							 PGC_USERSET, 0, NULL, replan_int, NULL);
	DefineCustomEnumVariable("dp_agg.clipping",
							 "How the most is found that a privacy unit adds to a count or sum.",
							 "Fixed: by max_rows and bounds.  Auto: chosen privately for each group, with a share of the epsilon; bounds of dp_sum are those of a row.",
							 &dp_settings_clipping, DP_CLIPPING_AUTO, clipping_options,
							 PGC_USERSET, 0, NULL, replan_int, NULL);
	DefineCustomIntVariable("dp_agg.max_rows",
							"Most rows of a privacy unit that count in a group.",
							"Zero means as declared by dp_agg.protect.",
							&dp_settings_max_rows, 0, 0, 1000000000,
							PGC_USERSET, 0, NULL, replan_int, NULL);
	DefineCustomIntVariable("dp_agg.max_groups",
							"Most groups a privacy unit counts in.",
							"Zero means as declared by dp_agg.protect.",
							&dp_settings_max_groups, 0, 0, 1000000,
							PGC_USERSET, 0, NULL, replan_int, NULL);
	DefineCustomIntVariable("dp_agg.max_join_rows",
							"Most rows that a join makes of one row of a protected table.",
							"Of several items that multiply rows, each has the same share. One: no join may multiply rows.  Zero means as declared by dp_agg.protect.",
							&dp_settings_max_join_rows, 0, 0, 100000,
							PGC_USERSET, 0, NULL, replan_int, NULL);
	DefineCustomIntVariable("dp_agg.max_values",
							"Most distinct values of a privacy unit that count in a group.",
							"Of aggregates with DISTINCT.  Zero means as declared by dp_agg.protect, or else as many as rows.",
							&dp_settings_max_values, 0, 0, 1000000000,
							PGC_USERSET, 0, NULL, replan_int, NULL);
	DefineCustomBoolVariable("dp_agg.shared_noise",
							 "Have Gaussian noise of several counts or sums be shared in part where each has less then.",
							 "Differences between them are less noisy, too, and what many of them add up to is noisier.",
							 &dp_settings_shared_noise, true,
							 PGC_USERSET, 0, NULL, replan_bool, NULL);
	DefineCustomBoolVariable("dp_agg.computed_keys",
							 "Answer every group whose key is computed of a column within bounds.",
							 "If it has at most 1000 values.  Otherwise such groups are private, as others are.",
							 &dp_settings_computed_keys, true,
							 PGC_USERSET, 0, NULL, replan_bool, NULL);
	DefineCustomRealVariable("dp_agg.sample_rate",
							 "Probability with which each privacy unit is in the sample that is asked.",
							 "One means all units.",
							 &dp_settings_sample_rate, 1, 1e-6, 1,
							 PGC_USERSET, 0, NULL, replan_real, NULL);
	DefineCustomIntVariable("dp_agg.charge_timeout",
							"Longest time to wait for a charge to be committed.",
							"Zero means no limit.",
							&dp_settings_charge_timeout, 10000, 0, INT_MAX,
							PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("dp_agg.keeper_idle_timeout",
							"Time after which an idle keeper leaves its database.",
							NULL,
							&dp_settings_keeper_idle, 2000, 50, 3600000,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomStringVariable("dp_agg.primary_conninfo",
							   "How a standby reaches its primary to have budgets charged there.",
							   "It goes before the server's own primary_conninfo.  Empty means that a standby answers nothing that costs.",
							   &dp_settings_primary_conninfo, "", PGC_SIGHUP, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
	DefineCustomRealVariable("dp_agg.high_epsilon",
							 "Epsilon of a budget or cap above which a warning is given.",
							 "Zero means never.",
							 &dp_settings_high_epsilon, 20, 0, 1e6,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("dp_agg.noise_notice",
							 "Say where noise is most of an answer.",
							 NULL,
							 &dp_settings_noise_notice, true,
							 PGC_USERSET, 0, NULL, replan_bool, NULL);
	DefineCustomBoolVariable("dp_agg.answer_on_copies",
							 "Answer on copies whose budgets may be behind.",
							 "Otherwise after dp_agg.acknowledge_copy() only.",
							 &dp_settings_answer_on_copies, false,
							 PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dp_agg.budget_alerts",
							   "Percentages of a budget at which its use is told of, once in a period.",
							   "By a notice, a line of the server log and dp_agg.budget_use.  Empty means never.",
							   &budget_alerts, "80, 100", PGC_SIGHUP, 0, check_alerts, assign_alerts, NULL);
	DefineCustomBoolVariable("dp_agg.ledger_statements",
							 "Keep the text of statements in the ledger.",
							 "What they ask is kept in any case.",
							 &dp_settings_ledger_statements, true,
							 PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("dp_agg.plain_aggregates",
							 "Answer plain aggregates over protected tables that may not be read.",
							 "They are read as the differentially private aggregates of the same meaning.",
							 &dp_settings_plain_aggregates, true,
							 PGC_USERSET, 0, NULL, replan_bool, NULL);
	DefineCustomEnumVariable("dp_agg.raw_reads",
							 "What comes of a query for rows of protected tables that may not be read.",
							 "An error, or no rows and a notice: empty refuses pages of rows all the same, empty_pages does not.",
							 &dp_settings_raw_reads, DP_RAW_READS_ERROR, raw_reads_options,
							 PGC_USERSET, 0, NULL, replan_int, NULL);
	DefineCustomStringVariable("dp_agg.kept_max_age",
							   "Age up to which a kept answer to the same question is shown again.",
							   "It costs nothing.  Zero means never: every question is answered anew.",
							   &kept_max_age, "0", PGC_USERSET, 0, check_max_age, assign_max_age, NULL);
	DefineCustomRealVariable("dp_agg.kept_rollup",
							 "Most noise of an answer added up from kept answers of finer groups, in terms of what would be drawn for it.",
							 "Of those that dp_agg.kept_max_age admits.  Zero means that none is added up.",
							 &dp_settings_kept_rollup, 0, 0, 1000,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("dp_agg.clipping_notice",
							 "Tell where what a chosen clamp may cut is far more than noise.",
							 "A notice once a statement, under dp_agg.clipping = auto.",
							 &dp_settings_clipping_notice, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dp_agg.kept_limit",
							"Memory that the kept answers of a budget may take.",
							"The oldest are removed first.  Zero means that none are kept.",
							&dp_settings_kept_limit, 65536, 0, MAX_KILOBYTES,
							PGC_SIGHUP, GUC_UNIT_KB, NULL, NULL, NULL);
	MarkGUCPrefixReserved("dp_agg");
}
