/*
 * settings.h
 *	  The extension's settings, as C variables.
 *
 * User-settable ones change the price of a release, never its guarantee.
 * Changing one makes this session's cached plans plan again.
 */
#ifndef DP_SETTINGS_H
#define DP_SETTINGS_H

#include "postgres.h"

extern double dp_settings_epsilon;	/* loss of an aggregate without its own */
extern double dp_settings_sample_rate;	/* of units; 1: all */
extern double dp_settings_delta;	/* per release */
extern int	dp_settings_mechanism;	/* a DpMechanism */
extern int	dp_settings_max_rows_per_unit;	/* 0: as declared */
extern int	dp_settings_max_groups_per_unit;	/* 0: as declared */
extern int	dp_settings_charge_timeout; /* milliseconds; 0: none */
extern int	dp_settings_keeper_idle;	/* milliseconds before an idle keeper leaves */
extern bool dp_settings_answer_unacknowledged;	/* copies that may be behind */

extern void dp_settings_init(void);

#endif							/* DP_SETTINGS_H */
