/*
 * builtin.h
 *	  What a built-in function or operator is, looked up once a session.
 */
#ifndef DP_REUSE_BUILTIN_H
#define DP_REUSE_BUILTIN_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* PROVOLATILE_* of a function or of an operator's. */
extern char dp_query_volatility(Oid function);
extern char dp_query_operator_volatility(Oid operator);

/* The operator that does the same with its operands exchanged, or InvalidOid. */
extern Oid	dp_query_commutator(Oid operator);

/* Is a value of this type the same text under all settings? */
extern bool dp_query_has_one_text(Oid type);

/*
 * What dp_agg.attempt or attempt_as calls, if this calls one of them; InvalidOid else.  The
 * tree is one of ours: no other function of it that is not built in takes a regprocedure.
 */
extern Oid	dp_query_called_by_attempt(const FuncExpr *call);

#endif							/* DP_REUSE_BUILTIN_H */
