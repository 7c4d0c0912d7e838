/*
 * default_family.h
 *	  By which equality values of a type are equal.
 */
#ifndef DP_TREE_DEFAULT_FAMILY_H
#define DP_TREE_DEFAULT_FAMILY_H

#include "postgres.h"

#include "nodes/nodes.h"

/* The btree family that a type is ordered by; InvalidOid if it has none. */
extern Oid	dp_query_default_family(Oid type);

/*
 * An expression without casts that change neither its bits nor what its values equal.  One to another
 * name of a type may: 'a' and 'a ' differ as text, and are equal as character.
 */
extern Node *dp_query_without_casts(Node *expr);

#endif							/* DP_TREE_DEFAULT_FAMILY_H */
