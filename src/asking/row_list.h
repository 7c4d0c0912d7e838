/* SPDX-License-Identifier: PostgreSQL */
/*
 * row_list.h
 *	  Rows that IN looks up in a list of public rows.
 */
#ifndef DP_ASKING_ROW_LIST_H
#define DP_ASKING_ROW_LIST_H

#include "postgres.h"

#include "asking/stand_in.h"

/*
 * Join the list of public rows that `(a, b) IN (subquery)` or `<> ALL` looks a row up in, and return
 * the value of that.  `exact`: whether NULL and false are told apart there.  NULL if the subquery is
 * anything else, or names columns of the query around it.
 */
extern Node *dp_asking_stand_for_row_list(const DpStand *stand, SubLink *sublink, bool exact);

#endif							/* DP_ASKING_ROW_LIST_H */
