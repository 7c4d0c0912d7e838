/*
 * spell_from.h
 *	  FROM and WHERE as texts: what inner joins combine is one set of items, and one of
 *	  conditions.
 */
#ifndef DP_REUSE_SPELL_FROM_H
#define DP_REUSE_SPELL_FROM_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"

#include "reuse/spell.h"
#include "reuse/spelling.h"

/* Collect the places in the range table of the items below a node of the join tree. */
extern void dp_query_collect_places(Node *node, List **places);

/* The conditions that hold of every row of a join tree. */
extern List *dp_query_conditions_of(Node *node);

/* Append a node of the join tree, by the numbers of its items. */
extern void dp_query_spell_from(DpSpelling *spelling, const DpLevel *level, StringInfo text, Node *node);

#endif							/* DP_REUSE_SPELL_FROM_H */
