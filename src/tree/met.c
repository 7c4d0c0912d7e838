/* SPDX-License-Identifier: PostgreSQL */
/*
 * met.c
 *	  How many questions this session met, and paid for.
 */
#include "postgres.h"

#include "tree/met.h"

DpMet		dp_tree_met = {0};
