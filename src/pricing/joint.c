/* SPDX-License-Identifier: PostgreSQL */
/*
 * joint.c
 *	  Aggregates of one column that one release answers; see joint.h.
 *
 * Everything here depends on the statement's text, the settings and the declared
 * policy alone.  Answers are linear combinations of the carrier's noisy totals: what
 * they are made of is released, and paid for, as the carrier.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"

#include "accounting/block_cost.h"
#include "aggregate/moments.h"
#include "aggregate/released.h"
#include "policy/unique.h"
#include "pricing/aggregate.h"
#include "pricing/clipping.h"
#include "pricing/half_width.h"
#include "pricing/joint.h"
#include "pricing/kind.h"
#include "pricing/price_lines.h"
#include "pricing/selector.h"
#include "tree/make_nodes.h"

/* By how much noise is rounded up at most, relatively, when it is calibrated: calibrate.h. */
#define CALIBRATION_ROUNDING 1e-8

/* More accurate in so many steps: one is enough but for what Gaussian noise is not proportional to. */
#define MOST_STEPS 8

/*
 * Most that the noise of moments moves a mean by, relative to the noise of a mean's own
 * release: where all rows lie at a bound.
 */
#define MEAN_OF_MOMENTS sqrt(1.25)

/* Standard deviation of rounding to whole numbers. */
#define ROUNDING_STDDEV sqrt(1.0 / 12)

#define FINEST_GRID -1000		/* beyond, doubles may have no room for products of bounds */

/* An expression without casts between integers, or from these to floating point, that keep its value. */
static Node *
strip_casts(Node *node)
{
	while (IsA(node, FuncExpr))
	{
		const FuncExpr *call = (FuncExpr *) node;

		if (call->funcid != F_FLOAT8_INT4 && call->funcid != F_FLOAT8_INT2 && call->funcid != F_INT8_INT4 &&
			call->funcid != F_INT8_INT2 && call->funcid != F_INT4_INT2 && call->funcid != F_FLOAT4_INT2)
			break;
		node = linitial(call->args);
	}
	return node;
}

/* Is this of a type that has no NaN, which means skip and counts do not? */
static bool
has_no_nan(Node *value)
{
	Oid			type = exprType(value);

	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/* Is this a column of the one table read that is declared NOT NULL? */
static bool
is_never_null(const Query *block, Node *value)
{
	const Var  *var = (Var *) value;

	if (!IsA(value, Var) || var->varlevelsup > 0 ||
		list_length(block->jointree->fromlist) != 1 || !IsA(linitial(block->jointree->fromlist), RangeTblRef))
		return false;
	return dp_policy_is_declared_not_null(rt_fetch(var->varno, block->rtable), var->varattno);
}

/* Is this a variance, or in the second place a mean, whose totals tell how many rows it is of? */
static bool
can_carry(const DpMeasure *measure, int place)
{
	const DpKind *kind = dp_kind(&measure->release);

	return kind->carries == place && measure->carrier == NULL && !measure->distinct_values &&
		measure->release.width > 0 && (kind->can_carry == NULL || kind->can_carry(measure));
}

/* Does one of the totals count rows by itself? */
static bool
counts_apart(const DpRelease *release)
{
	return dp_kind(release)->told_rows && dp_kind(release)->told_rows(release).first > 0;
}

/* Can the measure be answered from the carrier's totals at all? */
static bool
can_answer(const Query *block, const DpMeasure *carrier, const DpMeasure *measure, bool counts_groups)
{
	const DpKind *kind = dp_kind(&measure->release);
	Node	   *value = strip_casts(carrier->value);

	if (measure == carrier || measure->carrier || measure->distinct_values || measure->distinct_units ||
		carrier->release.noise[0].grid < FINEST_GRID)
		return false;
	if (kind->counts)
	{
		if (measure->aggref->aggstar)
			return !counts_groups && has_no_nan(value) && is_never_null(block, value);
		return measure->value && has_no_nan(value) && equal(value, strip_casts(measure->value));
	}
	return kind->can_be_part && kind->can_be_part(measure, carrier) && measure->lower == carrier->lower && measure->upper == carrier->upper &&
		equal(value, strip_casts(measure->value));
}

/* Settle how the measure's answer follows from the totals, and what noise it has. */
static void
weigh(const DpMeasure *carrier, DpMeasure *measure, DpAnswer *answer)
{
	const DpRelease *release = &carrier->release;
	bool		count = !dp_kind(&measure->release)->bounds_totals; /* or shares of a row */
	bool		pair = counts_apart(release);
	double		sum = 0;
	double		norm = 0;
	int			used = 0;

	memset(answer, 0, sizeof(*answer));
	memset(measure->weight, 0, sizeof(measure->weight));
	strlcpy(answer->label, measure->release.label, DP_LABEL_SIZE);
	answer->mean = dp_kind(&measure->release)->over_rows;
	answer->rounded = measure->release.rounded;
	answer->sensitivity = ldexp((double) measure->release.noise[0].sensitivity, measure->release.noise[0].grid);
	dp_kind(release)->weigh(carrier, count, measure->weight);
	for (int i = 0; i < DP_JOINT_TOTALS; i++)
	{
		sum += fabs(measure->weight[i]);
		norm = hypot(norm, measure->weight[i]);
		used += measure->weight[i] != 0;
	}

	/*
	 * Noise of a total drawn with the continuous one by the same quantile is off by less than
	 * one.
	 */
	answer->slack = answer->mean ? sum * (carrier->upper - carrier->lower) : sum;
	answer->single = !answer->mean && used == 1;
	answer->factor[0] = ldexp(pair ? measure->weight[0] : norm, -release->noise[0].grid);
	if (pair)
		answer->factor[1] = ldexp(measure->weight[1], -release->noise[1].grid);
	if (answer->mean)
		answer->factor[0] = ldexp(MEAN_OF_MOMENTS * (carrier->upper - carrier->lower) * measure->weight[0],
								  -release->noise[0].grid);
}

/* Are the answer's noise and weights whole numbers, so that rounding it changes nothing? */
static bool
stays_whole(const DpMeasure *carrier, const DpMeasure *measure)
{
	return dp_kind(&carrier->release)->told_rows(&carrier->release).count == 2 &&
		carrier->spec.grid >= 0 && measure->weight[0] == rint(measure->weight[0]) &&
		measure->weight[1] == rint(measure->weight[1]);
}

/*
 * The standard deviation of a measure's error if it has its own release.  For a mean it
 * is that times the number of rows, where all of them lie at a bound: see
 * price_lines.c.
 */
static double
own_error(const DpMeasure *measure)
{
	const DpRelease *release = &measure->release;
	bool		rounds = release->rounded && !dp_kind(release)->over_rows && release->noise[0].grid < 0;
	double		stddev = dp_pricing_stddev(release) * (counts_apart(release) ? sqrt(2) : 1);

	return hypot(stddev, rounds ? ROUNDING_STDDEV : 0);
}

/* The same if it is answered from the carrier's. */
static double
joint_error(const DpMeasure *carrier, DpMeasure *measure)
{
	DpAnswer	answer;
	double		stddev;

	weigh(carrier, measure, &answer);
	stddev = dp_pricing_answer_stddev(&carrier->release, &answer);
	return hypot(stddev, answer.rounded && !stays_whole(carrier, measure) ? ROUNDING_STDDEV : 0);
}

/* How many times more than its own noise that of the carrier's totals is, for the measure of those for which it is most. */
static double
worst_ratio(const DpMeasure *carrier, List *measures)
{
	double		worst = 0;
	ListCell   *lc;

	foreach(lc, measures)
		worst = Max(worst, joint_error(carrier, lfirst(lc)) / own_error(lfirst(lc)));
	return worst;
}

/* Calibrate the carrier so that none of these measures errs more than by itself; false if that fails. */
static bool
make_accurate(DpMeasure *carrier, double epsilon, List *measures, const DpContribution *contribution)
{
	for (int i = 0; i < MOST_STEPS; i++)
	{
		double		worst;

		if (!(epsilon <= DP_MAX_EPSILON))
			return false;
		carrier->release.epsilon = epsilon;
		if (dp_kind(&carrier->release)->recalibrate(carrier, contribution) != NULL)
			return false;
		worst = worst_ratio(carrier, measures);
		if (worst <= 1 + CALIBRATION_ROUNDING)
			return true;
		epsilon *= worst;
	}
	return false;
}

/* cost += what the measure's release costs by itself. */
static void
add_cost(const DpMeasure *measure, DpCurve *cost)
{
	dp_accounting_add_release(cost, measure->release.noise, measure->release.nnoise);
}

/*
 * Does one cost more than the other at some order, or in pure epsilon?  For variances
 * see doc/accounting.md.
 */
static bool
is_dearer(const DpCurve *one, const DpCurve *other)
{
	for (int i = 0; i < DP_ORDERS; i++)
		if (one->rdp[i] > other->rdp[i])
			return true;
	return one->pure > other->pure;
}

/* Have the carrier answer one more measure, if that costs no more than its own release at any order. */
static void
take(DpMeasure *carrier, double epsilon, List **taken, DpMeasure *measure, const DpContribution *contribution)
{
	DpMeasure	before = *carrier;
	DpCurve		apart = {{0}};
	DpCurve		together = {{0}};
	List	   *all = lappend(list_copy(*taken), measure);

	add_cost(carrier, &apart);
	add_cost(measure, &apart);
	if (make_accurate(carrier, epsilon, all, contribution))
	{
		add_cost(carrier, &together);
		if (!is_dearer(&together, &apart))
		{
			*taken = all;
			return;
		}
	}
	*carrier = before;
}

/* The few measures that the carrier may answer which ask the least accuracy of it, in that order. */
static int
candidates(const Query *block, const DpMeasure *carrier, List *measures, bool counts_groups, DpMeasure **found)
{
	double		ratios[DP_MOST_ANSWERS];
	int			count = 0;
	ListCell   *lc;

	foreach(lc, measures)
	{
		DpMeasure  *measure = lfirst(lc);
		double		ratio;
		int			at;

		if (!can_answer(block, carrier, measure, counts_groups))
			continue;
		ratio = worst_ratio(carrier, list_make1(measure));
		for (at = count; at > 0 && ratios[at - 1] > ratio; at--)
			if (at < DP_MOST_ANSWERS)
			{
				ratios[at] = ratios[at - 1];
				found[at] = found[at - 1];
			}
		if (at == DP_MOST_ANSWERS)
			continue;
		ratios[at] = ratio;
		found[at] = measure;
		count = Min(count + 1, DP_MOST_ANSWERS);
	}
	return count;
}

/* Let a measure carry what it can. */
static void
carry(const Query *block, DpMeasure *carrier, List *measures, const DpContribution *contribution, bool counts_groups)
{
	double		epsilon = carrier->release.epsilon;
	DpMeasure  *found[DP_MOST_ANSWERS];
	int			count;
	List	   *taken = NIL;
	ListCell   *lc;

	CHECK_FOR_INTERRUPTS();
	count = candidates(block, carrier, measures, counts_groups, found);
	for (int i = 0; i < count; i++)
		take(carrier, epsilon, &taken, found[i], contribution);
	foreach(lc, taken)
	{
		DpMeasure  *measure = lfirst(lc);

		measure->carrier = carrier;
		measure->answer = foreach_current_index(lc);
		weigh(carrier, measure, &carrier->release.answer[measure->answer]);
	}
	carrier->release.answers = list_length(taken);
}

void
dp_pricing_join_measures(const Query *block, List *measures, const DpContribution *contribution, bool counts_groups)
{
	ListCell   *lc;

	if (!contribution->row_is_unit || contribution->foreign || list_length(measures) < 2)
		return;
	/* Where each row is a unit, there are no clamps to be chosen. */
	Assert(!dp_pricing_clips(contribution));
	for (int place = 1; place <= DP_CARRYING_KINDS; place++)
		foreach(lc, measures)
			if (can_carry(lfirst(lc), place))
				carry(block, lfirst(lc), measures, contribution, counts_groups);
}

Node *
dp_pricing_joint_total(const DpMeasure *measure, Var *totals, int grid)
{
	Oid			types[] = {BYTEAOID, BYTEAOID};
	DpJointWeights weights = {.totals = dp_pricing_totals_of(&measure->carrier->release)};

	for (int i = 0; i < weights.totals; i++)
		weights.weight[i] = ldexp(measure->weight[i], -grid);
	return (Node *) dp_tree_make_call("joint_total", types, lengthof(types),
									  list_make2(totals, dp_tree_make_bytea(&weights, sizeof(weights))), BYTEAOID);
}
