/* SPDX-License-Identifier: PostgreSQL */
/*
 * move_splits.h
 *	  Rows that a select list splits, as items of FROM.
 */
#ifndef DP_ASKING_MOVE_SPLITS_H
#define DP_ASKING_MOVE_SPLITS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* A query in which what select lists split is items of FROM; itself if there is none. */
extern Query *dp_asking_move_splits(Query *query);

#endif							/* DP_ASKING_MOVE_SPLITS_H */
