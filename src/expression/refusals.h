/* SPDX-License-Identifier: PostgreSQL */
/*
 * refusals.h
 *	  Checks that refuse parts of an expression over protected rows.
 *
 * Each function returns the reason, which depends on the text alone, or NULL.
 */
#ifndef DP_EXPRESSION_REFUSALS_H
#define DP_EXPRESSION_REFUSALS_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "expression/allow_list.h"
#include "tree/public_params.h"
#include "tree/reason.h"

/* A node of a type that is on no list, by what it is called in SQL. */
extern DpReason *dp_expression_check_construct(Node *node);

/* Subqueries in an expression, in any part of it. */
extern DpReason *dp_expression_check_sublinks(Node *expr);

/* The same in ON of an outer join, of which other things can be said. */
extern DpReason *dp_expression_check_on(Node *expr);

/*
 * A part of an expression that an outer join may have made NULL, and that was no
 * column.
 */
extern DpReason *dp_expression_check_placeholders(Node *expr);

/* A reference to a column: only the block's own, by name. */
extern DpReason *dp_expression_check_column(Var *var);

/* A parameter that has not been replaced by its value; of one that is read, what is known of it. */
extern DpReason *dp_expression_check_param(const DpPublicReads *reads, Param *param);

/* A constant: too long for a row that has many. */
extern DpReason *dp_expression_check_constant(Const *constant);

/* A cast that no function is to be asked about. */
extern DpReason *dp_expression_check_cast(Node *cast, Node *arg);

/* The type of a value: of this node, or of its elements.  The node says where it stands. */
extern DpReason *dp_expression_check_type(Oid type, Node *node);

/*
 * A collation to compare under.  An allowed one is loaded, so that what there
 * is to say about its version, or its absence, is said when planning.
 */
extern DpReason *dp_expression_check_collation(Oid collation, Node *node);

/*
 * A call of a function on these arguments, through an operator (or not, if
 * that is InvalidOid), of which the allow-list says `verdict`.
 */
extern DpReason *dp_expression_check_call(const DpPublicReads *reads, Node *call, Oid operator, Oid function,
										  List *args, DpVerdict verdict);

/* The permission that the executor would ask for, if it saw the call. */
extern DpReason *dp_expression_check_permission(Node *call, Oid function);

/*
 * Arrays, ranges and multiranges of protected rows.
 *
 * They stand in calls of functions that say something of them, in tests for NULL and behind
 * ANY and ALL; nowhere else.
 */

/* Is it an array, range or multirange, and no domain? */
extern bool dp_expression_is_container(Oid type);

/*
 * The type of a container, or of what comes in place of one: built in, with elements whose
 * equality, order and hash are built in and never fail.  The node says where it stands.
 */
extern DpReason *dp_expression_check_container(Oid type, Node *node);

/* Is it a cast of an array that leaves its elements as they are: of varchar(n) to text? */
extern bool dp_expression_renames_elements(const ArrayCoerceExpr *cast);

/* A comparison of a value with every element of an array that is a row's own. */
extern DpReason *dp_expression_check_element_operator(const ScalarArrayOpExpr *call);

/* What to group by in place of a value of this type. */
extern const char *dp_expression_hint_for_key(Oid type);

#endif							/* DP_EXPRESSION_REFUSALS_H */
