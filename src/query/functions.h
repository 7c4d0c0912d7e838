/*
 * functions.h
 *	  The allow-list: which built-in functions, types and collations an
 *	  expression over protected rows may use.
 *
 * Built-in means pinned: made by initdb, the same in every database, beyond
 * anyone's reach but a superuser's.
 */
#ifndef DP_QUERY_FUNCTIONS_H
#define DP_QUERY_FUNCTIONS_H

#include "postgres.h"

/* Is it a built-in base type other than an array, or an enum? */
extern bool dp_query_type_is_allowed(Oid type);

/* Is it none, or a built-in and deterministic one? */
extern bool dp_query_collation_is_allowed(Oid collation);

/* Is it an allowed type with default btree and hash operator classes? */
extern bool dp_query_type_is_groupable(Oid type);

#endif							/* DP_QUERY_FUNCTIONS_H */
