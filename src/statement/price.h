/* SPDX-License-Identifier: PostgreSQL */
/*
 * price.h
 *	  The analyst's functions outside a release.
 */
#ifndef DP_STATEMENT_PRICE_H
#define DP_STATEMENT_PRICE_H

#include "postgres.h"

/* Raises why the function cannot run. */
extern Datum dp_statement_refuse(PG_FUNCTION_ARGS);

#endif							/* DP_STATEMENT_PRICE_H */
