/* SPDX-License-Identifier: PostgreSQL */
/*
 * from_text.h
 *	  Which texts of rows are read as numbers, dates and times.
 */
#ifndef DP_EXPRESSION_FROM_TEXT_H
#define DP_EXPRESSION_FROM_TEXT_H

#include "postgres.h"

/*
 * The part of a text that an input function on the allow-list may read, as a C string;
 * NULL if it may not read it.
 */
extern char *dp_expression_input_of(Oid function, const text *value);

#endif							/* DP_EXPRESSION_FROM_TEXT_H */
