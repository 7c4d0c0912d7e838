/* SPDX-License-Identifier: PostgreSQL */
/*
 * any_public.h
 *	  EXISTS of public rows that one comparison ties to a row, as ANY.
 */
#ifndef DP_ASKING_ANY_PUBLIC_H
#define DP_ASKING_ANY_PUBLIC_H

#include "postgres.h"

#include "nodes/primnodes.h"

/*
 * An ANY that is true where this EXISTS is, and false or NULL elsewhere.  Its query compares nothing with what is
 * around it.  NULL if anything but one comparison names columns of the query around.
 */
extern SubLink *dp_asking_as_any(const SubLink *exists);

/* ILIKE with patterns of a query, ANY or ALL, as LIKE of what is folded; NULL for any other. */
extern SubLink *dp_asking_fold_patterns(const SubLink *any);

#endif							/* DP_ASKING_ANY_PUBLIC_H */
