/* SPDX-License-Identifier: PostgreSQL */
/*
 * node_map.c
 *	  Numbers of nodes, found by what these are.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"

#include "tree/node_map.h"

typedef struct NumberedNode
{
	Node	   *node;
	uint32		hash;
	int			number;
	char		status;
} NumberedNode;

static uint32 hash_node(Node *node);
static bool are_equal(Node *a, Node *b);

#define SH_PREFIX nodes
#define SH_ELEMENT_TYPE NumberedNode
#define SH_KEY_TYPE Node *
#define SH_KEY node
#define SH_HASH_KEY(table, key) hash_node(key)
#define SH_EQUAL(table, a, b) are_equal(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) (entry)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

#ifdef USE_ASSERT_CHECKING
uint64		dp_tree_nodes_looked_at = 0;
#endif

/* A constant by its bytes, by which equal() compares it. */
static uint32
hash_constant(const Const *constant)
{
	uint32		hash = hash_uint32(constant->consttype);

	if (constant->constisnull)
		return hash;
	if (constant->constbyval)
		return hash_combine(hash, hash_bytes((const unsigned char *) &constant->constvalue, sizeof(Datum)));
	return hash_combine(hash, hash_bytes((const unsigned char *) DatumGetPointer(constant->constvalue),
										 datumGetSize(constant->constvalue, false, constant->constlen)));
}

/* Hash of a node: of nothing in which equal() nodes may differ. */
static uint32
hash_fields(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Var:
			return hash_combine(hash_uint32(((Var *) node)->varno), hash_uint32(((Var *) node)->varattno));
		case T_Const:
			return hash_constant((Const *) node);
		case T_Param:
			return hash_uint32(((Param *) node)->paramid);
		case T_Aggref:
			return hash_uint32(((Aggref *) node)->aggfnoid);
		case T_FuncExpr:
			return hash_uint32(((FuncExpr *) node)->funcid);
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return hash_uint32(((OpExpr *) node)->opno);
		case T_ScalarArrayOpExpr:
			return hash_uint32(((ScalarArrayOpExpr *) node)->opno);
		case T_BoolExpr:
			return hash_uint32(((BoolExpr *) node)->boolop);
		default:
			return 0;
	}
}

static bool
hash_walker(Node *node, uint32 *hash)
{
	if (node == NULL)
		return false;
#ifdef USE_ASSERT_CHECKING
	dp_tree_nodes_looked_at++;
#endif
	*hash = hash_combine(hash_combine(*hash, nodeTag(node)), hash_fields(node));

	/* Subqueries that differ may be of one hash. */
	return IsA(node, Query) ? false : expression_tree_walker(node, hash_walker, hash);
}

/* Nodes that are equal() have one hash: walking both meets the same nodes in the same order. */
static uint32
hash_node(Node *node)
{
	uint32		hash = 0;

	(void) hash_walker(node, &hash);
	return hash;
}

static bool
are_equal(Node *a, Node *b)
{
#ifdef USE_ASSERT_CHECKING
	dp_tree_nodes_looked_at++;
#endif
	return equal(a, b);
}

DpNodeMap *
dp_tree_node_map(void)
{
	return nodes_create(CurrentMemoryContext, 8, NULL);
}

int
dp_tree_number_of_node(DpNodeMap *map, Node *node)
{
	const NumberedNode *entry = nodes_lookup(map, node);

	return entry ? entry->number : -1;
}

bool
dp_tree_number_node(DpNodeMap *map, Node *node, int number)
{
	bool		found;
	NumberedNode *entry = nodes_insert(map, node, &found);

	if (!found)
		entry->number = number;
	return !found;
}
