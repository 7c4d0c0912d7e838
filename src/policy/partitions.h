/* SPDX-License-Identifier: PostgreSQL */
/*
 * partitions.h
 *	  What a session knows of all partitions and children of a table.
 *
 * They are neither locked nor looked at one by one for each statement: what was found
 * is known until PostgreSQL tells that the table, one of its partitions or one of their
 * indexes has changed.  That is told as a change of the relation, which also has a
 * statement validated again (release/invalidation.h).  Code that reads a partition
 * locks it before, and validates again if anything changed until it has the lock.
 */
#ifndef DP_POLICY_PARTITIONS_H
#define DP_POLICY_PARTITIONS_H

#include "postgres.h"

#include "catalog/pg_index.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"

#include "tree/reason.h"

/*
 * The foreign tables among the partitions of a table, at any depth, those being detached too.  They
 * are locked until the transaction ends; those that are gone by then are left out.
 */
extern List *dp_policy_lock_foreign_partitions(Oid relid);

/*
 * Were the current catalog rows of the table and of all its partitions written before a
 * transaction?  Emptying and attaching one write them.
 */
extern bool dp_policy_partitions_are_old(Oid relid, TransactionId horizon);

/* Is a relation a partition or child of a table, at any depth? */
extern bool dp_policy_is_part_of(Oid table, Oid relid);

/* Is it a plain table from which others inherit? */
extern bool dp_policy_has_children(Oid relid);

/*
 * The reason that a check gives of the first partition or child of a table, at any depth, that it objects to, or
 * NULL.  Each is locked until the transaction ends and then checked; none again while no relation, function or
 * role changes, since what is attached to one may be of any.
 */
extern DpReason *dp_policy_check_members(Relation root, DpReason *(*check) (Oid member, Relation root));

/* A function or a role has changed, or all may have: members may have another hand in them. */
extern void dp_policy_doubt_members(void);

/* Are an index and all its parts in force, and their rows of pg_index as old? */
extern bool dp_policy_index_parts_hold(Oid indexid, TransactionId horizon);

/* Is the index in force: complete, and checked on every insertion?  It has no rows of inheritance children. */
extern bool dp_policy_index_is_in_force(Form_pg_index index);

/* A relation has changed, or all may have: forget the trees that it is in. */
extern void dp_policy_forget_partitions(Oid relid);

#ifdef USE_ASSERT_CHECKING
/* How many partitions and parts of indexes were looked up since the session began. */
extern uint64 dp_policy_partitions_looked_at;
#endif

#endif							/* DP_POLICY_PARTITIONS_H */
