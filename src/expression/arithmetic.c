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
