/* SPDX-License-Identifier: PostgreSQL */
/*
 * shippable.h
 *	  Expressions over protected rows in words that postgres_fdw passes on.
 */
#ifndef DP_EXACT_SHIPPABLE_H
#define DP_EXACT_SHIPPABLE_H

#include "postgres.h"

#include "nodes/nodes.h"

/*
 * An expression that rows were validated for, or a list of such, in
 * words that postgres_fdw passes on if it can be.
 */
extern Node *dp_exact_ship(Node *node);

#endif							/* DP_EXACT_SHIPPABLE_H */
