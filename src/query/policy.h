/*
 * policy.h
 *	  Which tables are protected, and how: kept as a security label of provider
 *	  "dp_agg" on the privacy unit's column, so that PostgreSQL itself drops it
 *	  with the column, dumps it, and never hands it to a stranger.
 */
#ifndef DP_QUERY_POLICY_H
#define DP_QUERY_POLICY_H

#include "postgres.h"

#include "access/attnum.h"
#include "utils/rel.h"

typedef struct DpPolicy
{
	Oid			relid;
	AttrNumber	unit;			/* column that identifies the privacy unit */
	NameData	dataset;
	int			max_rows;		/* most rows of a unit that count in a group */
	int			max_groups;		/* most groups a unit counts in */
} DpPolicy;

/* Read a relation's policy; false if it is not protected. */
extern bool dp_query_policy_get(Oid relid, DpPolicy *policy);

/*
 * Is it certain that no two rows a query sees share a unit?  True if a valid,
 * immediate, non-partial unique btree index covers exactly that column and
 * has held for longer than any snapshot this transaction can use.
 */
extern bool dp_query_unit_is_unique(Relation relation, AttrNumber unit);

/* Register the label provider; from _PG_init. */
extern void dp_query_policy_init(void);

#endif							/* DP_QUERY_POLICY_H */
