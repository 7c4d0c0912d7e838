/* SPDX-License-Identifier: PostgreSQL */
/*
 * existence.h
 *	  EXISTS of protected rows by itself, and one row of constants that asks the same.
 */
#ifndef DP_ASKING_EXISTENCE_H
#define DP_ASKING_EXISTENCE_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/parsenodes.h"

/*
 * A statement whose EXISTS of protected rows, which the role may not read, are aggregates of these rows, where they
 * name no column outside themselves and stand in a query that reads no protected rows itself; the statement given
 * if it has none.
 */
extern Query *dp_asking_count_existing(Query *query, ParamListInfo params);

/*
 * Have one row of constants (LIMIT 1) that says whether there are protected rows, which the role may not
 * read, be shown where EXISTS of these rows is true.  The statement is changed in place.
 */
extern void dp_asking_test_rows(Query *query, ParamListInfo params);

/* Is there an EXISTS anywhere in a statement? */
extern bool dp_asking_has_exists(Query *query);

#endif							/* DP_ASKING_EXISTENCE_H */
