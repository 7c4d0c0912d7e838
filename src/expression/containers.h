/*
 * containers.h
 *	  Arrays, ranges and multiranges of protected rows.
 *
 * They stand in calls of functions that say something of them, in tests for NULL and behind
 * ANY and ALL; nowhere else.
 */
#ifndef DP_EXPRESSION_CONTAINERS_H
#define DP_EXPRESSION_CONTAINERS_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "tree/reason.h"
#include "expression/allow_list.h"

/* Is it an array, range or multirange, and no domain? */
extern bool dp_query_is_container(Oid type);

/*
 * The type of a container, or of what comes in place of one: built in, with elements whose
 * equality, order and hash are built in and never fail.  The node says where it stands.
 */
extern DpReason *dp_query_check_container(Oid type, Node *node);

/* Is it a cast of an array that leaves its elements as they are: of varchar(n) to text? */
extern bool dp_query_renames_elements(const ArrayCoerceExpr *cast);

/* A comparison of a value with every element of an array that is a row's own. */
extern DpReason *dp_query_check_element_operator(const ScalarArrayOpExpr *call);

#endif							/* DP_EXPRESSION_CONTAINERS_H */
