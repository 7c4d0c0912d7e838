/*
 * refusals.h
 *	  Checks that refuse parts of an expression over protected rows.
 *
 * Each function returns the reason, which depends on the text alone, or NULL.
 */
#ifndef DP_EXPRESSION_REFUSALS_H
#define DP_EXPRESSION_REFUSALS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

#include "tree/reason.h"
#include "expression/allow_list.h"

/* A node of a type that is on no list, by what it is called in SQL. */
extern DpReason *dp_query_check_construct(Node *node);

/* Sub-selects in an expression, in any part of it. */
extern DpReason *dp_query_check_sublinks(Node *expr);

/* What an outer join may have made NULL, and was no column, in any part of an expression. */
extern DpReason *dp_query_check_placeholders(Node *expr);

/* A reference to a column: only the block's own, by name. */
extern DpReason *dp_query_check_column(Var *var);

/* A parameter that has not been replaced by its value. */
extern DpReason *dp_query_check_param(Param *param);

/* A constant: too long for a row that has many. */
extern DpReason *dp_query_check_constant(Const *constant);

/* A cast that no function is to be asked about. */
extern DpReason *dp_query_check_cast(Node *cast, Node *arg);

/* The type of a value: of this node, or of its elements.  The node says where it stands. */
extern DpReason *dp_query_check_type(Oid type, Node *node);

/*
 * A collation to compare under.  An allowed one is loaded, so that what there
 * is to say about its version, or its absence, is said when planning.
 */
extern DpReason *dp_query_check_collation(Oid collation, Node *node);

/*
 * A call of a function on these arguments, through an operator (or not, if
 * that is InvalidOid), of which the allow-list says `verdict`.
 */
extern DpReason *dp_query_check_call(Node *call, Oid operator, Oid function, List *args,
									 DpVerdict verdict);

/* The permission that the executor would ask for, if it saw the call. */
extern DpReason *dp_query_check_permission(Node *call, Oid function);

#endif							/* DP_EXPRESSION_REFUSALS_H */
