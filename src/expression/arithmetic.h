/* SPDX-License-Identifier: PostgreSQL */
/*
 * arithmetic.h
 *	  Arithmetic of built-in number types.
 */
#ifndef DP_EXPRESSION_ARITHMETIC_H
#define DP_EXPRESSION_ARITHMETIC_H

#include "postgres.h"

/* What a function does with numbers, of one type or of two. */
typedef enum DpArithmetic
{
	DP_ARITHMETIC_OTHER,
	DP_ARITHMETIC_PLUS,
	DP_ARITHMETIC_MINUS,
	DP_ARITHMETIC_TIMES,
	DP_ARITHMETIC_NEGATION
} DpArithmetic;

extern DpArithmetic dp_expression_arithmetic(Oid function);

#endif							/* DP_EXPRESSION_ARITHMETIC_H */
