/* SPDX-License-Identifier: PostgreSQL */
/*
 * column_span.c
 *	  Between which values a column lies in the rows that a block reads; see column_span.h.
 *
 * Text, settings and declarations alone decide; no data is read.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "policy/domain.h"
#include "rewrite/column_span.h"
#include "tree/make_nodes.h"

bool
dp_rewrite_is_discrete(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == DATEOID;
}

bool
dp_rewrite_is_time(Oid type)
{
	return type == TIMEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

/* The bits of a double, in the order of doubles. */
static int64
position_of_double(double value)
{
	int64		bits;

	if (value == 0)
		return 0;
	memcpy(&bits, &value, sizeof(bits));
	return bits < 0 ? PG_INT64_MIN - bits : bits;
}

static double
double_at(int64 position)
{
	int64		bits = position < 0 ? PG_INT64_MIN - position : position;
	double		value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The position of a value; false if it has none, such as infinity. */
static bool
position_of(Oid type, Datum value, int64 *position)
{
	double		bound = dp_policy_domain_bound(type, value);

	if (!isfinite(bound))
		return false;
	switch (type)
	{
		case INT8OID:
			*position = DatumGetInt64(value);
			return true;
		case TIMEOID:
			*position = DatumGetTimeADT(value);
			return true;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*position = DatumGetTimestamp(value);
			return true;
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
			*position = position_of_double(bound);
			return true;
		default:
			*position = (int64) bound;
			return true;
	}
}

Datum
dp_rewrite_span_value(Oid type, int64 position)
{
	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) position);
		case INT4OID:
			return Int32GetDatum((int32) position);
		case DATEOID:
			return DateADTGetDatum((DateADT) position);
		case NUMERICOID:
			return DirectFunctionCall1(float8_numeric, Float8GetDatum(double_at(position)));
		case FLOAT4OID:
			return Float4GetDatum((float4) double_at(position));
		case FLOAT8OID:
			return Float8GetDatum(double_at(position));
		default:
			return Int64GetDatum(position);
	}
}

/* What the table's owner has declared. */
static void
span_of_domain(Oid relid, AttrNumber column, DpSpan *span)
{
	DpDomain	domain;

	dp_policy_domain_get(relid, column, &domain);
	if (domain.kind != DP_DOMAIN_RANGE || domain.type != span->type)
		return;
	if (!position_of(span->type, domain.lower, &span->first))
		span->first = PG_INT64_MIN;
	if (!position_of(span->type, domain.upper, &span->last))
		span->last = PG_INT64_MAX;
}

/*
 * The position of a constant of another type among a column's values: that of the least value that is not
 * less, and whether that one equals it.  False if there is no telling.
 */
static bool
position_among(Oid type, const Const *constant, int64 *position, bool *exact)
{
	Datum		value = constant->constvalue;
	Oid			from = constant->consttype;
	int64		day;

	*exact = true;
	if (from == type || (dp_rewrite_is_discrete(type) && dp_rewrite_is_discrete(from) && type != DATEOID && from != DATEOID))
		return position_of(from, value, position);
	if (type == TIMESTAMPOID && from == DATEOID)
		return position_of(from, value, &day) && !pg_mul_s64_overflow(day, USECS_PER_DAY, position);
	if (type == TIMESTAMPTZOID && from == DATEOID)
		return position_of(from, value, &day) &&
			position_of(type, DirectFunctionCall1(date_timestamptz, value), position);
	if (type == TIMESTAMPTZOID && from == TIMESTAMPOID)
		return position_of(from, value, &day) &&
			position_of(type, DirectFunctionCall1(timestamp_timestamptz, value), position);
	if (type != DATEOID || from != TIMESTAMPOID || !position_of(from, value, position))
		return false;
	day = *position / USECS_PER_DAY - (*position % USECS_PER_DAY < 0);
	*exact = day * USECS_PER_DAY == *position;
	*position = day + !*exact;
	return true;
}

/* How far the next value is that a position stands for: numerics are made of 15 digits. */
static int64
distance(Oid type)
{
	switch (type)
	{
		case FLOAT4OID:
			return INT64CONST(1) << 29;
		case NUMERICOID:
			return 32;
		default:
			return 1;
	}
}

/* Narrow a span to values on one side of a position; `exact`: there is a value at it. */
static void
narrow(DpSpan *span, int strategy, int64 position, bool exact)
{
	int64		next = distance(span->type);

	span->not_null = true;
	position = Min(Max(position, PG_INT64_MIN + next), PG_INT64_MAX - next);
	if (strategy >= BTEqualStrategyNumber)
		span->first = Max(span->first, position + (strategy == BTGreaterStrategyNumber && exact ? next : 0));
	if (strategy <= BTEqualStrategyNumber)
		span->last = Min(span->last, position - (strategy == BTLessStrategyNumber || !exact ? next : 0));
}

/* Narrow by what a comparison of the day of a timestamp says. */
static void
narrow_by_day(DpSpan *span, int strategy, const Const *constant)
{
	Const		next = *constant;
	int64		begin;
	int64		end;
	bool		exact;

	if (constant->consttype != DATEOID || DATE_NOT_FINITE(DatumGetDateADT(constant->constvalue)))
		return;
	next.constvalue = DateADTGetDatum(DatumGetDateADT(constant->constvalue) + 1);
	if (!position_among(span->type, constant, &begin, &exact) || !position_among(span->type, &next, &end, &exact))
		return;
	if (strategy == BTGreaterEqualStrategyNumber || strategy == BTEqualStrategyNumber)
		narrow(span, BTGreaterEqualStrategyNumber, begin, true);
	if (strategy == BTGreaterStrategyNumber)
		narrow(span, BTGreaterEqualStrategyNumber, end, true);
	if (strategy == BTLessEqualStrategyNumber || strategy == BTEqualStrategyNumber)
		narrow(span, BTLessStrategyNumber, end, true);
	if (strategy == BTLessStrategyNumber)
		narrow(span, BTLessStrategyNumber, begin, true);
}

/* The btree strategy of a comparison; 0 if it is none. */
static int
strategy_of(Oid operator)
{
	Oid			left;
	Oid			right;

	op_input_types(operator, &left, &right);
	return get_op_opfamily_strategy(operator, dp_tree_default_family(left));
}

/* Is this the column, and what is it cast by to a date, if so? */
static bool
is_column(Node *node, const Var *var, Oid *cast)
{
	*cast = InvalidOid;
	if (IsA(node, FuncExpr) && (((FuncExpr *) node)->funcid == F_DATE_TIMESTAMP || ((FuncExpr *) node)->funcid == F_DATE_TIMESTAMPTZ))
	{
		*cast = ((FuncExpr *) node)->funcid;
		node = linitial(((FuncExpr *) node)->args);
	}
	return IsA(node, Var) && equal(node, var);
}

/* Narrow a span by a condition on the column. */
static void
narrow_by_condition(DpSpan *span, const Var *var, OpExpr *condition)
{
	Node	   *left = linitial(condition->args);
	Node	   *right = list_length(condition->args) == 2 ? lsecond(condition->args) : NULL;
	Oid			operator = condition->opno;
	Oid			cast;
	int			strategy;
	int64		position;
	bool		exact;

	if (right && IsA(left, Const))
	{
		Node	   *other = left;

		left = right;
		right = other;
		operator = get_commutator(operator);
	}
	if (!OidIsValid(operator) || right == NULL || !IsA(right, Const) || ((Const *) right)->constisnull || !is_column(left, var, &cast))
		return;
	strategy = strategy_of(operator);
	if (strategy == 0)
		return;
	if (OidIsValid(cast))
		narrow_by_day(span, strategy, (Const *) right);
	else if (position_among(span->type, (Const *) right, &position, &exact))
		narrow(span, strategy, position, exact);
}

/* Narrow a span by conditions that must all hold. */
static void
narrow_by(DpSpan *span, const Var *var, Node *conditions)
{
	ListCell   *lc;

	if (conditions == NULL)
		return;
	if (IsA(conditions, List))
	{
		foreach(lc, (List *) conditions)
			narrow_by(span, var, lfirst(lc));
	}
	else if (is_andclause(conditions))
		narrow_by(span, var, (Node *) ((BoolExpr *) conditions)->args);
	else if (IsA(conditions, OpExpr))
		narrow_by_condition(span, var, (OpExpr *) conditions);
	else if (IsA(conditions, NullTest) && ((NullTest *) conditions)->nulltesttype == IS_NOT_NULL)
		span->not_null |= equal(((NullTest *) conditions)->arg, var);
}

bool
dp_rewrite_column_span(Query *query, Var *var, DpSpan *span)
{
	RangeTblEntry *entry;

	*span = (DpSpan) {.type = var->vartype, .first = PG_INT64_MIN, .last = PG_INT64_MAX};
	if (var->varlevelsup > 0 || var->varattno <= 0 || !dp_policy_type_has_range(var->vartype))
		return false;
	entry = rt_fetch(var->varno, query->rtable);
	if (entry->rtekind != RTE_RELATION)
		return false;
	span_of_domain(entry->relid, var->varattno, span);
	narrow_by(span, var, query->jointree->quals);
	return span->first > PG_INT64_MIN && span->last < PG_INT64_MAX;
}
