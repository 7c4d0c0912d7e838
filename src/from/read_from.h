/* SPDX-License-Identifier: PostgreSQL */
/*
 * read_from.h
 *	  What a block reads: protected tables and subqueries that group them by
 *	  the unit, joined with each other and with public tables (join_check.c).
 */
#ifndef DP_FROM_READ_FROM_H
#define DP_FROM_READ_FROM_H

#include "postgres.h"

#include "from/contribution.h"
#include "tree/statement.h"

/*
 * Items that FROM names, and the units of its rows.  Validates WHERE and all else in
 * FROM, in place.
 */
extern DpReason *dp_from_read_from(Query *query, DpStatement *statement, int location,
								   DpContribution *contribution);

#endif							/* DP_FROM_READ_FROM_H */
