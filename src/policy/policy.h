/* SPDX-License-Identifier: PostgreSQL */
/*
 * policy.h
 *	  Which tables are protected, and how: kept as a security label of provider
 *	  "dp_agg" on the privacy unit's column, so that PostgreSQL itself drops it
 *	  with the column, dumps it, and never hands it to a stranger.
 *
 * The label reads
 *
 *		dataset=default max_rows=1 max_groups=1
 *
 * with max_values=N, max_join_rows=N and clip_max_rows=N behind these if they are
 * declared and not the default.  The word "linked" stands at its end if the column does
 * not identify the unit but belongs to a foreign key to a row of that unit
 * (foreign_key.c).  There is no other form: dp_policy_policy_label writes it, and a
 * label that does not come out the same when it is read and written again is malformed.
 * A data set name of other characters than letters, digits, '_', '-' and '.' stands in
 * double quotes, each double quote in it doubled.
 *
 * A table is as protect() found it only until its owner alters it: one that has a
 * policy may since have been attached as a partition or have gained inheritance
 * children.  Code that reads protected rows calls dp_policy_obstacle, too.
 */
#ifndef DP_POLICY_POLICY_H
#define DP_POLICY_POLICY_H

#include "postgres.h"

#include "utils/rel.h"

#include "tree/reason.h"

#define DP_LABEL_PROVIDER "dp_agg"

/* Contribution bounds reach from 1 to these. */
#define DP_MAX_MAX_ROWS 1000000000
#define DP_MAX_MAX_GROUPS 1000000
#define DP_MAX_MAX_JOIN_ROWS 100000

typedef struct DpPolicy
{
	Oid			relid;
	AttrNumber	unit;			/* column that identifies the privacy unit */
	NameData	dataset;
	int			max_rows;		/* most rows of a unit that count in a group */
	int			max_groups;		/* most groups a unit counts in */
	int			max_values;		/* most distinct values of a unit that count in a group; 0: as
								 * rows */
	int			max_join_rows;	/* most rows that a join makes of one */
	int			clip_max_rows;	/* greatest number of rows of a unit in a group that is thought of
								 * where the clamp is chosen */
	bool		linked;			/* the column refers to a row with the same unit */
	Bitmapset  *hidden;			/* columns that no query may mention; see domain.h */
} DpPolicy;

/*
 * Read a relation's policy; false if it is not protected.  One index scan, or none where it is read once.
 * A label that is malformed or not the only one is an error (42P17).
 */
extern bool dp_policy_policy_get(Oid relid, DpPolicy *policy);

/*
 * Have each policy be read once from now on, as while a statement is planned or validated; or each time.  What was
 * read is read again in any case, and after a change that PostgreSQL tells of.
 */
extern void dp_policy_read_once(bool once);

/* The same without the error: false if it is malformed, too. */
extern bool dp_policy_policy_find(Oid relid, DpPolicy *policy, bool *malformed);

/* Is a unit of this type, citext or a domain over it, told by its value in lower case? */
extern bool dp_policy_lowers_unit(Oid type);

/* The columns of a relation that have a label of ours, as a list of int. */
extern List *dp_policy_policy_columns(Oid relid);

/* The policy's dataset, bounds and whether it is linked, as a label. */
extern char *dp_policy_policy_label(const DpPolicy *policy);

/* Read them from a label; false if it is malformed. */
extern bool dp_policy_policy_parse(const char *label, DpPolicy *policy);

/* May a data set be called that?  Not empty, shorter than NAMEDATALEN, no control characters. */
extern bool dp_policy_dataset_name_is_valid(const char *name);

/*
 * Whether a table is protected, for every statement that is planned.
 */

/*
 * Has this relation a policy?  Labels are read once a session, and again when the
 * relation changes.  Nothing is protected in a database without the extension.
 */
extern bool dp_policy_is_protected(Oid relid);

/* Register the cache's invalidation; from _PG_init. */
extern void dp_policy_protected_init(void);

/*
 * Whether columns are still what they were when a query was parsed.
 */

/*
 * Has any column of a table that a query itself names, subqueries apart, been dropped, or
 * got another type or collation, since the query was parsed?  Code of the analyst's may
 * have run since.  Returns the reason (55000), which names the column's place, or this one.
 */
extern DpReason *dp_policy_check_columns(Query *query, int location);

#endif							/* DP_POLICY_POLICY_H */
