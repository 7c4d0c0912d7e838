/* SPDX-License-Identifier: PostgreSQL */
/*
 * plain_blocks.h
 *	  Plain SQL over protected rows that the role has no right to read, as the
 *	  differentially private query it stands for.
 *
 * For a role without the SELECT right on persons
 *
 *		SELECT city, count(*), avg(age) FROM persons GROUP BY city
 *
 * is read as
 *
 *		SELECT city, dp_count(*), dp_avg(age) FROM persons GROUP BY city
 *
 * with PostgreSQL's own result types.  What comes out is validated, priced and charged
 * like any other block; what is not replaced meets PostgreSQL's own privileges.
 */
#ifndef DP_ASKING_PLAIN_BLOCKS_H
#define DP_ASKING_PLAIN_BLOCKS_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "tree/reason.h"

/*
 * A statement with the aggregates of every plain block replaced; or NULL, and why one of them has no
 * private form.  *found tells whether there were any.
 */
extern Query *dp_asking_replace_plain(const Query *query, ParamListInfo params, bool *found, DpReason **reason);

#endif							/* DP_ASKING_PLAIN_BLOCKS_H */
