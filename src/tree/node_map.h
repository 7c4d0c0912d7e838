/* SPDX-License-Identifier: PostgreSQL */
/*
 * node_map.h
 *	  Numbers of nodes, found by what these are: equal() nodes have one number.
 *
 * Looking for one among many takes as long as looking at the node itself.
 */
#ifndef DP_TREE_NODE_MAP_H
#define DP_TREE_NODE_MAP_H

#include "postgres.h"

#include "nodes/nodes.h"

struct nodes_hash;
typedef struct nodes_hash DpNodeMap;

/* An empty one, in the current memory context. */
extern DpNodeMap *dp_tree_node_map(void);

/* The number of a node, or -1. */
extern int	dp_tree_number_of_node(DpNodeMap *map, Node *node);

/* Give a node a number.  Returns false, and leaves it as it was, if it has one. */
extern bool dp_tree_number_node(DpNodeMap *map, Node *node, int number);

#ifdef USE_ASSERT_CHECKING
/* How many nodes were looked at or compared for this since the session began. */
extern uint64 dp_tree_nodes_looked_at;
#endif

#endif							/* DP_TREE_NODE_MAP_H */
