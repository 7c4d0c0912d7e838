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

/* How a function divides one number by another. */
typedef enum DpDivision
{
	DP_DIVISION_OTHER,
	DP_DIVISION_WHOLE,			/* what is after the point is cut off */
	DP_DIVISION_EXACT
} DpDivision;

extern DpDivision dp_expression_division(Oid function);

/* What a conversion from one number type to another makes of a number that the other can hold. */
typedef enum DpConversion
{
	DP_CONVERSION_OTHER,
	DP_CONVERSION_KEEPS,		/* that number */
	DP_CONVERSION_TO_REAL,		/* the nearest that real has */
	DP_CONVERSION_ROUNDS		/* the nearest whole one */
} DpConversion;

extern DpConversion dp_expression_conversion(Oid function);

#endif							/* DP_EXPRESSION_ARITHMETIC_H */
