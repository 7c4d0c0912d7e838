/*
 * spell_query.h
 *	  Queries as texts that are equal if and only if the queries mean the same, but for how
 *	  they are written.
 */
#ifndef DP_QUERY_KEPT_SPELL_QUERY_H
#define DP_QUERY_KEPT_SPELL_QUERY_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"

#include "query/kept/spelling.h"

/* Append a query whose columns, groups and order are what it is asked for. */
extern void dp_query_spell_query(DpSpelling *spelling, StringInfo text, const Query *query);

#endif							/* DP_QUERY_KEPT_SPELL_QUERY_H */
