/* SPDX-License-Identifier: PostgreSQL */
/*
 * settings.h
 *	  The extension's settings, as C variables.
 *
 * User-settable ones change the price of a release, never its guarantee.
 * Changing one makes this session's cached plans plan again.
 */
#ifndef DP_BASE_SETTINGS_H
#define DP_BASE_SETTINGS_H

#include "postgres.h"

extern double dp_settings_epsilon;	/* loss of an aggregate without its own; 0: chosen by what is
									 * drawn */
extern double dp_settings_sample_rate;	/* of units; 1: all */
extern double dp_settings_delta;	/* per release; 0: chosen from the budget */
extern int	dp_settings_mechanism;	/* a DpMechanism, or DP_SETTINGS_AUTO */
extern int	dp_settings_clipping;	/* a DpClipping */
extern bool dp_settings_clipping_notice;	/* of what a clamp may cut */
extern int	dp_settings_max_rows;	/* 0: as declared */
extern int	dp_settings_max_groups; /* 0: as declared */
extern int	dp_settings_max_join_rows;	/* that a join may make of one; 0: as declared */
extern int	dp_settings_max_values; /* 0: as declared, else as many as rows */
extern int	dp_settings_charge_timeout; /* milliseconds; 0: none */
extern char *dp_settings_primary_conninfo;	/* '': a standby charges nothing */
extern int	dp_settings_keeper_idle;	/* milliseconds before an idle keeper leaves */
extern double dp_settings_high_epsilon; /* of budgets that are warned of; 0: none */
extern bool dp_settings_noise_notice;	/* where noise is most of an answer */
extern bool dp_settings_answer_on_copies;	/* copies that may be behind */
extern bool dp_settings_ledger_statements;	/* text of statements is kept */
extern bool dp_settings_computed_keys;	/* public group keys of columns within bounds */
extern bool dp_settings_shared_noise;	/* by counts and sums of a row */
extern bool dp_settings_plain_aggregates;	/* read as differentially private ones */
extern int	dp_settings_raw_reads;	/* a DpRawReads */

extern int	dp_settings_kept_limit; /* kB that kept answers of a budget may take */
extern int64 dp_settings_kept_max_age;	/* microseconds that a kept answer is shown again; 0:
										 * never */
extern double dp_settings_kept_rollup;	/* answers added up have so many times the noise at most;
										 * 0: none */

/* Shares of a budget, in percent, at which its use is told of, in ascending order. */
#define DP_MAX_ALERTS 16
typedef struct DpAlerts
{
	int			count;
	double		percent[DP_MAX_ALERTS];
} DpAlerts;

extern DpAlerts dp_settings_budget_alerts;

/* What is priced with where delta is to be chosen, and there is no budget to choose it from. */
#define DP_SETTINGS_DELTA_WITHOUT_BUDGET 1e-9

/* The mechanism is to be chosen by the budget. */
#define DP_SETTINGS_AUTO (-1)

/*
 * What an aggregate costs that has Gaussian noise, or draws anything else, where epsilon is to be chosen: about a
 * twentieth of a budget (2, 1e-6) either way.
 */
#define DP_SETTINGS_EPSILON_OF_GAUSSIAN 0.5
#define DP_SETTINGS_EPSILON 0.1

/* How the clamp of a unit's total is found. */
typedef enum DpClipping
{
	DP_CLIPPING_FIXED,			/* from max_rows and bounds */
	DP_CLIPPING_AUTO			/* chosen privately */
} DpClipping;

/* Fate of a query for protected rows that may not be read. */
typedef enum DpRawReads
{
	DP_RAW_READS_ERROR,
	DP_RAW_READS_EMPTY,			/* no rows, and a notice; an error for a page of rows */
	DP_RAW_READS_EMPTY_PAGES	/* no rows, and a notice, of pages too */
} DpRawReads;

/* Those that decide what a statement releases, and at what price. */
typedef struct DpPricing
{
	int32		vl_len_;		/* varlena header, so that it can ride in a plan */
	int			mechanism;
	int			clipping;
	int			max_rows;
	int			max_groups;
	int			max_join_rows;
	int			max_values;
	int			computed_keys;	/* a truth value */
	int			shared_noise;	/* a truth value */
	int			chooses_delta;	/* a truth value: delta is chosen from the budget of who asks */
	int			chooses_mechanism;	/* the same of the mechanism */
	int			chooses_epsilon;	/* a truth value: epsilon is chosen by the mechanism */
	double		epsilon;		/* of an aggregate without its own */
	double		draw_epsilon;	/* of one that adds no noise, but draws one of alternatives */
	double		sample_rate;
	double		delta;
} DpPricing;

/* The values they have now; what is to be chosen from a budget is as without one (see keeper/client.h). */
extern DpPricing dp_settings_pricing(void);

/* Take a mechanism that was chosen, and the epsilon that suits it if that is to be chosen. */
extern void dp_settings_take_mechanism(DpPricing *pricing, int mechanism);

extern void dp_settings_init(void);

#endif							/* DP_BASE_SETTINGS_H */
