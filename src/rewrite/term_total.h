/* SPDX-License-Identifier: PostgreSQL */
/*
 * term_total.h
 *	  Sums of many terms, which a statement holds once for all its rows.
 *
 * A percentage of a total depends on all rows, in each row.  Were the total a part of each row's term, these would be as
 * long as the square of the number of rows.  So the terms that a total is made of stand once in the statement's memory, and a term
 * names them by a number.  A number that somebody makes up finds nothing but what the same statement holds.
 */
#ifndef DP_REWRITE_TERM_TOTAL_H
#define DP_REWRITE_TERM_TOTAL_H

#include "postgres.h"

#include "rewrite/term.h"

/*
 * The bytes of the terms that are added up, one behind the other; NULL unless the statement whose executor has this memory
 * holds them.
 */
extern const char *dp_rewrite_terms_of_total(const DpTermTotal *total, MemoryContext statement);

#endif							/* DP_REWRITE_TERM_TOTAL_H */
