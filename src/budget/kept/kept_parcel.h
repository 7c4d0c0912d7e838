/* SPDX-License-Identifier: PostgreSQL */
/*
 * kept_parcel.h
 *	  Answers as bytes, on their way from a session to the keeper.
 */
#ifndef DP_BUDGET_KEPT_KEPT_PARCEL_H
#define DP_BUDGET_KEPT_KEPT_PARCEL_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* How many bytes answers (a List of DpKeptAnswer) take; and write them there. */
extern Size dp_budget_kept_parcel_size(const List *answers);
extern void dp_budget_kept_parcel_write(const List *answers, char *bytes);

/* Read them, in the current memory context; what is released stays where it is. */
extern List *dp_budget_kept_parcel_read(char *bytes);

#endif							/* DP_BUDGET_KEPT_KEPT_PARCEL_H */
