/* SPDX-License-Identifier: PostgreSQL */
/*
 * name.h
 *	  Objects and constants as texts that a dump and its restoring do not change: what is built
 *	  in by its number, all else by its name.
 */
#ifndef DP_KEPT_NAME_H
#define DP_KEPT_NAME_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/primnodes.h"

/* Each appends what no other object of its kind is called.  False: it has no lasting name. */
extern bool dp_kept_name_type(StringInfo text, Oid type);
extern bool dp_kept_name_collation(StringInfo text, Oid collation);
extern bool dp_kept_name_function(StringInfo text, Oid function);
extern bool dp_kept_name_operator(StringInfo text, Oid operator);
extern bool dp_kept_name_column(StringInfo text, Oid relation, AttrNumber column);

/* Likewise; not of temporary tables. */
extern bool dp_kept_name_relation(StringInfo text, Oid relation);

/* Is it a type whose values are the numbers of objects, which a dump names? */
extern bool dp_kept_is_object_number(Oid type);

/* Append a string with its length. */
extern void dp_kept_name_string(StringInfo text, const char *string);

/* Append the type and value of a constant. */
extern bool dp_kept_name_constant(StringInfo text, const Const *constant);

/*
 * Append the number and values of the elements of an array constant, in their order or as a set: in an
 * order of their own, each once.  Many are told by a digest, so that the text is short.
 */
extern bool dp_kept_name_elements(StringInfo text, const Const *array, bool as_set);

/*
 * Name of a built-in function or operator, looked up once a session.
 */

/* PROVOLATILE_* of a function or of an operator's. */
extern char dp_kept_volatility(Oid function);
extern char dp_kept_operator_volatility(Oid operator);

/* The operator that does the same with its operands exchanged, or InvalidOid. */
extern Oid	dp_kept_commutator(Oid operator);

/* Is a value of this type the same text under all settings? */
extern bool dp_kept_has_one_text(Oid type);

/*
 * What dp_agg_internal.attempt or attempt_as calls, if this calls one of them; InvalidOid else.  The
 * tree is one of ours: no other function of it that is not built in takes a regprocedure.
 */
extern Oid	dp_kept_called_by_attempt(const FuncExpr *call);

#endif							/* DP_KEPT_NAME_H */
