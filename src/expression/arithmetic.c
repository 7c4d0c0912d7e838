/* SPDX-License-Identifier: PostgreSQL */
/*
 * arithmetic.c
 *	  Arithmetic of built-in number types; see arithmetic.h.
 */
#include "postgres.h"

#include "utils/fmgroids.h"

#include "expression/arithmetic.h"

DpArithmetic
dp_expression_arithmetic(Oid function)
{
	switch (function)
	{
		case F_INT2PL:
		case F_INT4PL:
		case F_INT8PL:
		case F_INT24PL:
		case F_INT42PL:
		case F_INT28PL:
		case F_INT82PL:
		case F_INT48PL:
		case F_INT84PL:
		case F_FLOAT4PL:
		case F_FLOAT8PL:
		case F_FLOAT48PL:
		case F_FLOAT84PL:
		case F_NUMERIC_ADD:
			return DP_ARITHMETIC_PLUS;
		case F_INT2MI:
		case F_INT4MI:
		case F_INT8MI:
		case F_INT24MI:
		case F_INT42MI:
		case F_INT28MI:
		case F_INT82MI:
		case F_INT48MI:
		case F_INT84MI:
		case F_FLOAT4MI:
		case F_FLOAT8MI:
		case F_FLOAT48MI:
		case F_FLOAT84MI:
		case F_NUMERIC_SUB:
			return DP_ARITHMETIC_MINUS;
		case F_INT2MUL:
		case F_INT4MUL:
		case F_INT8MUL:
		case F_INT24MUL:
		case F_INT42MUL:
		case F_INT28MUL:
		case F_INT82MUL:
		case F_INT48MUL:
		case F_INT84MUL:
		case F_FLOAT4MUL:
		case F_FLOAT8MUL:
		case F_FLOAT48MUL:
		case F_FLOAT84MUL:
		case F_NUMERIC_MUL:
			return DP_ARITHMETIC_TIMES;
		case F_INT2UM:
		case F_INT4UM:
		case F_INT8UM:
		case F_FLOAT4UM:
		case F_FLOAT8UM:
		case F_NUMERIC_UMINUS:
			return DP_ARITHMETIC_NEGATION;
		default:
			return DP_ARITHMETIC_OTHER;
	}
}

DpDivision
dp_expression_division(Oid function)
{
	switch (function)
	{
		case F_INT2DIV:
		case F_INT4DIV:
		case F_INT8DIV:
		case F_INT24DIV:
		case F_INT42DIV:
		case F_INT28DIV:
		case F_INT82DIV:
		case F_INT48DIV:
		case F_INT84DIV:
			return DP_DIVISION_WHOLE;
		case F_FLOAT4DIV:
		case F_FLOAT8DIV:
		case F_FLOAT48DIV:
		case F_FLOAT84DIV:
		case F_NUMERIC_DIV:
			return DP_DIVISION_EXACT;
		default:
			return DP_DIVISION_OTHER;
	}
}

DpConversion
dp_expression_conversion(Oid function)
{
	switch (function)
	{
		case F_INT8_INT2:
		case F_INT8_INT4:
		case F_INT4_INT2:
		case F_INT4_INT8:
		case F_INT2_INT4:
		case F_INT2_INT8:
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
		case F_NUMERIC_FLOAT4:
		case F_NUMERIC_FLOAT8:
		case F_FLOAT8_INT2:
		case F_FLOAT8_INT4:
		case F_FLOAT8_INT8:
		case F_FLOAT8_FLOAT4:
		case F_FLOAT8_NUMERIC:
			return DP_CONVERSION_KEEPS;
		case F_FLOAT4_INT2:
		case F_FLOAT4_INT4:
		case F_FLOAT4_INT8:
		case F_FLOAT4_FLOAT8:
		case F_FLOAT4_NUMERIC:
			return DP_CONVERSION_TO_REAL;
		case F_INT2_NUMERIC:
		case F_INT2_FLOAT4:
		case F_INT2_FLOAT8:
		case F_INT4_NUMERIC:
		case F_INT4_FLOAT4:
		case F_INT4_FLOAT8:
		case F_INT8_NUMERIC:
		case F_INT8_FLOAT4:
		case F_INT8_FLOAT8:
			return DP_CONVERSION_ROUNDS;
		default:
			return DP_CONVERSION_OTHER;
	}
}
