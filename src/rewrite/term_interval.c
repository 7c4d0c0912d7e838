/* SPDX-License-Identifier: PostgreSQL */
/*
 * term_interval.c
 *	  Where a term (term.h) would lie without noise.
 *
 * A term is kept linear for as long as it is: as a constant and multiples of released values.  So what
 * occurs twice is one unknown, and x - x is 0.  Where two numbers are multiplied or divided, each gets an
 * interval first, and the result is all that numbers in these can give.  By the union bound it holds if
 * each of the intervals is missed with an even share of the probability.  They are counted beforehand, by
 * the same walk.
 *
 * The noise of several counts and sums is taken together.  That of two releases of a block, or of two groups,
 * is independent, so variances add up; of two answers of one release, standard deviations do (Minkowski).  So
 * do those of two blocks, which may be the same answer if that is kept.
 * Some values get an interval of their own, whose ends are added up instead: means and statistics, what chosen
 * clamps cut, and all in groups that cannot be told apart.  Theirs hold given that there is an answer, and noise of other
 * groups and releases does not depend on that.
 *
 * n counts may decide whether their groups are answered.  Then an interval has to hold given that all are.
 * Let it be missed with probability p at most, and P[Z > h] <= p / 16 n for each one's noise Z.  Two ways:
 *	 If each answer is above threshold + 2 h, noise is taken together, with the share 0.4 p.
 *	 Otherwise each has an interval of its own, with p / 4 n, and what is left another with 0.18 p.
 * One that would be below threshold + h without noise is above threshold + 2 h only if Z > h.  Given its
 * answer that has a probability of p / 8 n at most, as in interval.c.  If none is, all are answered with
 * 1 - p / 16 at least, and given that, noise reaches so far with 0.4 p / (1 - p / 16) < 0.43 p.  Together
 * these are less than p (1/8 + 0.43 + 1/4 + 0.18).  Without anything that is left, 0.55 p takes the place
 * of both.
 *
 * Doubles are rounded outward.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "accounting/sum_of_noise.h"
#include "aggregate/released.h"
#include "base/compat_varlena.h"
#include "rewrite/interval_range.h"
#include "rewrite/term.h"

/* So many equal noises have their sum's own distribution looked at; of more, that of normal noise. */
#define MOST_ALIKE 100

/* Whole numbers below have all their digits in a numeric that is made of a double. */
#define MOST_DIGITS 1e15

PG_FUNCTION_INFO_V1(dp_rewrite_term_interval);

typedef struct Span
{
	double		low;
	double		high;
} Span;

static const Span anything = {-INFINITY, INFINITY};

/* A released value that occurs. */
typedef struct Leaf
{
	DpTermLeaf	from;
	DpAround	around;
	const char *estimate;		/* DpEstimate and totals, or NULL */
	const DpTermCut *cut;		/* what a clamp cuts, or NULL */
	bool		alone;			/* has it an interval of its own, */
	bool		seen;			/* which is counted, */
	Span		own;			/* and known? */
} Leaf;

/* What tells leaves apart. */
typedef struct LeafKey
{
	int32		block;
	int32		release;
	int32		part;
	int32		statistic;		/* of an estimate, from 1; -1: what is cut */
	int32		number;			/* of the leaf, where groups cannot be told apart, from 1 */
	int32		padding;
	int64		row;
} LeafKey;

typedef struct LeafEntry
{
	LeafKey		key;
	int			leaf;
} LeafEntry;

/* A multiple of a leaf. */
typedef struct Multiple
{
	int64		leaf;
	Span		factor;
} Multiple;

/* A linear form. */
typedef struct Form
{
	Span		constant;
	int			count;
	Multiple   *multiple;		/* in the order of leaves */
} Form;

/* Forms whose noise was taken together. */
typedef struct Bounded
{
	int			count;
	const Multiple *multiple;
} Bounded;

typedef struct Evaluation
{
	const char *bytes;			/* of the term, aligned */
	int			length;
	HTAB	   *numbers;		/* of leaves, by what tells them apart */
	Leaf	   *leaf;
	int			leaves;
	int			most_leaves;
	int			read;			/* leaves, by this walk */
	Form	   *stack;
	int			most_forms;
	List	   *bounded;		/* of Bounded */
	int			events;			/* intervals that may be missed */
	double		miss;			/* the share of each; 0: they are being counted */
} Evaluation;

/* The next double below or above. */
static double
down(double x)
{
	return nextafter(x, -INFINITY);
}

static double
up(double x)
{
	return nextafter(x, INFINITY);
}

/* Is x + y = sum without rounding (Knuth)? */
static bool
adds_exactly(double x, double y, double sum)
{
	double		part = sum - x;

	return (x - (sum - part)) + (y - part) == 0;
}

static double
add_down(double x, double y)
{
	double		sum = x + y;

	return isinf(sum) || adds_exactly(x, y, sum) ? sum : down(sum);
}

static double
add_up(double x, double y)
{
	return -add_down(-x, -y);
}

/* What is not a number says nothing. */
static Span
checked(Span interval)
{
	return isnan(interval.low) || isnan(interval.high) ? anything : interval;
}

static Span
add(Span x, Span y)
{
	return checked((Span) {add_down(x.low, y.low), add_up(x.high, y.high)});
}

/* 0 times anything that is a number is 0. */
static double
multiply_down(double x, double y)
{
	double		product = x * y;

	if (x == 0 || y == 0)
		return 0;
	return isinf(product) || (fabs(product) > 1e-290 && fma(x, y, -product) == 0) ? product : down(product);
}

static double
multiply_up(double x, double y)
{
	return -multiply_down(-x, y);
}

static Span
multiply(Span x, Span y)
{
	return checked((Span) {
		fmin(fmin(multiply_down(x.low, y.low), multiply_down(x.low, y.high)),
			 fmin(multiply_down(x.high, y.low), multiply_down(x.high, y.high))),
		fmax(fmax(multiply_up(x.low, y.low), multiply_up(x.low, y.high)),
			 fmax(multiply_up(x.high, y.low), multiply_up(x.high, y.high)))
	});
}

/* Anything if it may be divided by 0. */
static Span
divide(Span x, Span y)
{
	Span		inverse;

	if (y.low <= 0 && y.high >= 0)
		return anything;
	if (y.low == y.high && x.low == x.high && fmod(x.low, y.low) == 0 && fabs(x.low / y.low) < MOST_DIGITS)
		return (Span) {x.low / y.low, x.low / y.low};
	inverse = (Span) {1 / y.high, 1 / y.low};
	if (fma(inverse.low, y.high, -1) != 0)
		inverse.low = down(inverse.low);
	if (fma(inverse.high, y.low, -1) != 0)
		inverse.high = up(inverse.high);
	return multiply(x, inverse);
}

/* Is it one number? */
static bool
is_point(Span x)
{
	return x.low == x.high;
}

static bool
is_whole(Span x)
{
	return is_point(x) && isfinite(x.low) && x.low == rint(x.low);
}

/* The largest that a factor may be. */
static double
size(Span factor)
{
	return fmax(fabs(factor.low), fabs(factor.high));
}

/* A probability that is not missed by more, from below 1. */
static double
but_for(double miss)
{
	double		probability = 1 - miss;

	return 1 - probability > miss ? up(probability) : probability;
}

/* Is its noise never taken together with others'? */
static bool
stands_alone(const Leaf *leaf)
{
	return leaf->estimate != NULL || leaf->cut != NULL || !leaf->from.origin.told;
}

/* Does it decide whether its group is answered? */
static bool
decides(const Leaf *leaf)
{
	return leaf->around.threshold > -INFINITY;
}

/* The interval of a leaf by itself. */
static Span
own_interval(const Leaf *leaf, double miss)
{
	const DpAround *around = &leaf->around;
	bool		selects = decides(leaf);
	double		above;
	double		below;
	Span		own;

	if (leaf->estimate)
	{
		DpEstimate	estimate;
		double		totals[DP_MOMENTS_MOST];

		dp_aggregate_read_estimate((const bytea *) leaf->estimate,
								   (const bytea *) (leaf->estimate + MAXALIGN(sizeof(DpEstimate))), &estimate, totals);
		dp_aggregate_estimate_interval(&estimate, totals, but_for(miss), &own.low, &own.high);
		return own;
	}
	if (leaf->cut)
	{
		double		most = dp_rewrite_most_missing(&leaf->cut->around, &leaf->cut->seen, miss);

		return checked((Span) {leaf->cut->around.both_ways ? -most : 0, most});
	}
	above = dp_rewrite_around_width(around, but_for(miss));
	below = selects ? dp_rewrite_around_width(around, but_for(miss / 2)) : above;
	own.low = add_down(leaf->from.value.low, -below);
	own.high = add_up(leaf->from.value.high, above);

	/* As in interval.c. */
	if (selects && leaf->from.value.low <= around->threshold + below + 1 + ldexp(1, around->spread.noise.grid))
		own.low = fmin(1, own.high);
	return checked(own);
}

/* The number of a leaf, which is entered if it is new. */
static int
enter_leaf(Evaluation *evaluation, const Leaf *leaf)
{
	LeafKey		key;
	LeafEntry  *entry;
	bool		found;

	memset(&key, 0, sizeof(key));
	key.block = leaf->from.origin.block;
	key.release = leaf->from.origin.release;
	key.part = leaf->from.origin.part;
	key.row = leaf->from.row;
	if (leaf->estimate)
		key.statistic = 1 + ((const DpEstimate *) leaf->estimate)->statistic;
	else if (leaf->cut)
		key.statistic = -1;
	evaluation->read++;
	if (!leaf->from.origin.told)
		key.number = evaluation->read;
	entry = hash_search(evaluation->numbers, &key, HASH_ENTER, &found);
	if (found)
		return entry->leaf;
	if (evaluation->leaves == evaluation->most_leaves)
	{
		evaluation->most_leaves *= 2;
		evaluation->leaf = repalloc_huge(evaluation->leaf, evaluation->most_leaves * sizeof(Leaf));
	}
	entry->leaf = evaluation->leaves++;
	evaluation->leaf[entry->leaf] = *leaf;
	evaluation->leaf[entry->leaf].alone = stands_alone(leaf);
	return entry->leaf;
}

/* Is there enough of a leaf, of which a head and so much more is fixed? */
static void
check_length(int length, Size more)
{
	if (length < (int) (MAXALIGN(sizeof(DpTermLeaf)) + MAXALIGN(more)))
		dp_aggregate_refuse_description();
}

/* Read what a clamp cuts at these bytes. */
static Leaf
read_cut(const char *bytes, int length)
{
	Leaf		leaf = {0};
	DpTermCut  *cut = palloc(sizeof(DpTermCut));

	check_length(length, sizeof(DpTermCut));
	memcpy(&leaf.from, bytes, sizeof(DpTermLeaf));
	memcpy(cut, bytes + MAXALIGN(sizeof(DpTermLeaf)), sizeof(DpTermCut));
	if (!dp_rewrite_is_sane_clamped_around(&cut->around) || !dp_aggregate_ladder_is_seen(&cut->seen, cut->around.steps))
		dp_aggregate_refuse_description();
	leaf.from.value = (DpTermConstant) {0, 0};
	leaf.around.integral = cut->around.integral;
	leaf.around.threshold = -INFINITY;
	leaf.cut = cut;
	return leaf;
}

/* Read a count or sum at these bytes. */
static Leaf
read_around(const char *bytes, int length)
{
	Leaf		leaf = {0};

	check_length(length, sizeof(DpAround));
	memcpy(&leaf.from, bytes, sizeof(DpTermLeaf));
	memcpy(&leaf.around, bytes + MAXALIGN(sizeof(DpTermLeaf)), sizeof(DpAround));
	if (!dp_rewrite_is_sane_spread(&leaf.around.spread) || isnan(leaf.around.threshold) ||
		!(leaf.from.value.low <= leaf.from.value.high))
		dp_aggregate_refuse_description();
	return leaf;
}

/* Read a mean or statistic at these bytes. */
static Leaf
read_estimate(const char *bytes, int length)
{
	const int	head = MAXALIGN(sizeof(DpTermLeaf));
	Leaf		leaf = {0};

	check_length(length, sizeof(DpEstimate) + VARHDRSZ);
	memcpy(&leaf.from, bytes, sizeof(DpTermLeaf));
	leaf.estimate = bytes + head;
	bytes = leaf.estimate + MAXALIGN(sizeof(DpEstimate));
	length -= head + MAXALIGN(sizeof(DpEstimate));
	if (VARATT_IS_1B(leaf.estimate) || VARATT_IS_4B_C(leaf.estimate) || VARSIZE(leaf.estimate) != sizeof(DpEstimate) ||
		VARATT_IS_1B(bytes) || VARATT_IS_4B_C(bytes) || VARSIZE(bytes) < VARHDRSZ || MAXALIGN(VARSIZE(bytes)) != length)
		dp_aggregate_refuse_description();
	return leaf;
}

/* Read a leaf of a kind; 22023 if there is none. */
static Leaf
read_leaf(DpTermKind kind, const char *bytes, int length)
{
	if (kind == DP_TERM_CUT)
		return read_cut(bytes, length);
	return kind == DP_TERM_AROUND ? read_around(bytes, length) : read_estimate(bytes, length);
}

static int
compare_multiples(const void *a, const void *b)
{
	const Multiple *x = a;
	const Multiple *y = b;

	return (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

/* The sum of forms, in memory of its own. */
static Form
sum_of(const Form *form, int count)
{
	Form		sum = {0};
	int			all = 0;
	int			kept = 0;

	for (int i = 0; i < count; i++)
		all += form[i].count;
	sum.multiple = palloc_extended((Size) Max(all, 1) * sizeof(Multiple), MCXT_ALLOC_HUGE);
	for (int i = 0; i < count; i++)
	{
		sum.constant = add(sum.constant, form[i].constant);
		if (form[i].count > 0)
			memcpy(sum.multiple + sum.count, form[i].multiple, form[i].count * sizeof(Multiple));
		sum.count += form[i].count;
	}
	qsort(sum.multiple, sum.count, sizeof(Multiple), compare_multiples);
	for (int i = 0; i < sum.count; i++)
	{
		if (kept > 0 && sum.multiple[kept - 1].leaf == sum.multiple[i].leaf)
			sum.multiple[kept - 1].factor = add(sum.multiple[kept - 1].factor, sum.multiple[i].factor);
		else
			sum.multiple[kept++] = sum.multiple[i];
		if (sum.multiple[kept - 1].factor.low == 0 && sum.multiple[kept - 1].factor.high == 0)
			kept--;
	}
	sum.count = kept;
	return sum;
}

/* A form times a number that is known. */
static Form
scaled(const Form *form, Span factor)
{
	Form		result = {.constant = multiply(form->constant, factor), .count = form->count};

	result.multiple = palloc_extended((Size) Max(form->count, 1) * sizeof(Multiple), MCXT_ALLOC_HUGE);
	for (int i = 0; i < form->count; i++)
	{
		result.multiple[i].leaf = form->multiple[i].leaf;
		result.multiple[i].factor = multiply(form->multiple[i].factor, factor);
	}
	return result;
}

/* Are all of these multiples of one block's noise by itself, and alike? */
static bool
are_alike(const Evaluation *evaluation, const Multiple *multiple, int count)
{
	const Leaf *first = &evaluation->leaf[multiple[0].leaf];

	for (int i = 0; i < count; i++)
	{
		const Leaf *leaf = &evaluation->leaf[multiple[i].leaf];

		if (leaf->around.spread.stddev > 0 || leaf->from.origin.block != first->from.origin.block ||
			size(multiple[i].factor) != size(multiple[0].factor) ||
			leaf->around.spread.noise.mechanism != first->around.spread.noise.mechanism ||
			leaf->around.spread.noise.grid != first->around.spread.noise.grid ||
			leaf->around.spread.noise.sigma != first->around.spread.noise.sigma ||
			leaf->around.spread.noise.scale_num != first->around.spread.noise.scale_num ||
			leaf->around.spread.noise.scale_den != first->around.spread.noise.scale_den)
			return false;
	}
	return true;
}

/* Standard deviation of a leaf's noise. */
static double
stddev_of(const Leaf *leaf)
{
	const DpSpread *spread = &leaf->around.spread;

	return spread->stddev > 0 ? spread->stddev : dp_accounting_sum_stddev(&spread->noise, 1, false);
}

/* Do two leaves answer from one release of one group? */
static bool
share_release(const Leaf *x, const Leaf *y)
{
	return x->from.origin.block == y->from.origin.block && x->from.origin.release == y->from.origin.release &&
		x->from.row == y->from.row;
}

/* What rounding may add to how far a leaf is off. */
static double
slack_of(const Leaf *leaf)
{
	double		unit = ldexp(1, leaf->around.spread.noise.grid);

	return leaf->around.spread.slack + (leaf->around.integral ? Max(unit, 0.5) : unit);
}

/* The standard deviation of the noise of leaves that are in the order of blocks, releases and groups. */
static double
joint_stddev(const Evaluation *evaluation, const Multiple *multiple, int count)
{
	double		all = 0;
	double		variance = 0;
	double		stddev = 0;

	for (int i = 0; i < count; i++)
	{
		const Leaf *leaf = &evaluation->leaf[multiple[i].leaf];
		const Leaf *before = &evaluation->leaf[multiple[Max(i - 1, 0)].leaf];

		if (!share_release(leaf, before))
		{
			variance += stddev * stddev;
			stddev = 0;
		}
		if (leaf->from.origin.block != before->from.origin.block)
		{
			all += sqrt(variance);
			variance = 0;
		}
		stddev += size(multiple[i].factor) * stddev_of(leaf);
	}
	return all + sqrt(variance + stddev * stddev);
}

static int
compare_releases(const void *a, const void *b, void *evaluation)
{
	const Leaf *leaf = ((const Evaluation *) evaluation)->leaf;
	const DpTermLeaf *x = &leaf[((const Multiple *) a)->leaf].from;
	const DpTermLeaf *y = &leaf[((const Multiple *) b)->leaf].from;

	if (x->origin.block != y->origin.block)
		return x->origin.block < y->origin.block ? -1 : 1;
	if (x->origin.release != y->origin.release)
		return x->origin.release < y->origin.release ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* How far noise moves these multiples together, but for a probability. */
static double
joint_width(const Evaluation *evaluation, Multiple *multiple, int count, double miss)
{
	double		slack = 0;
	bool		gaussian = true;
	double		width;

	if (count == 1)
		return up(size(multiple[0].factor) *
				  dp_rewrite_around_width(&evaluation->leaf[multiple[0].leaf].around, but_for(miss)));
	for (int i = 0; i < count; i++)
	{
		slack += size(multiple[i].factor) * slack_of(&evaluation->leaf[multiple[i].leaf]);
		gaussian &= evaluation->leaf[multiple[i].leaf].around.spread.noise.mechanism == DP_GAUSSIAN;
	}
	if (count <= MOST_ALIKE && are_alike(evaluation, multiple, count))
		width = size(multiple[0].factor) *
			dp_accounting_sum_half_width(&evaluation->leaf[multiple[0].leaf].around.spread.noise, count, false, but_for(miss));
	else
	{
		qsort_arg(multiple, count, sizeof(Multiple), compare_releases, unconstify(Evaluation *, evaluation));
		width = joint_stddev(evaluation, multiple, count) * dp_aggregate_estimate_reach(but_for(miss), gaussian);
	}
	return (width + slack) * (1 + 1e-14);
}

/* Was the noise of these taken together before? */
static bool
is_bounded(const Evaluation *evaluation, const Multiple *multiple, int count)
{
	ListCell   *lc;

	foreach(lc, evaluation->bounded)
	{
		const Bounded *bounded = lfirst(lc);

		if (bounded->count == count && memcmp(bounded->multiple, multiple, count * sizeof(Multiple)) == 0)
			return true;
	}
	return false;
}

/* Count the intervals that a form's needs. */
static void
count_events(Evaluation *evaluation, const Form *form, const Multiple *joint, int count)
{
	Bounded    *bounded;

	for (int i = 0; i < form->count; i++)
	{
		Leaf	   *leaf = &evaluation->leaf[form->multiple[i].leaf];

		if (!leaf->alone || leaf->seen)
			continue;
		leaf->seen = true;
		evaluation->events++;
	}
	if (count == 0 || is_bounded(evaluation, joint, count))
		return;
	bounded = palloc(sizeof(Bounded));
	*bounded = (Bounded) {count, joint};
	evaluation->bounded = lappend(evaluation->bounded, bounded);
	evaluation->events++;
}

/* Is a form of whole numbers alone? */
static bool
is_integral(const Evaluation *evaluation, const Form *form)
{
	if (!is_whole(form->constant))
		return false;
	for (int i = 0; i < form->count; i++)
	{
		const Leaf *leaf = &evaluation->leaf[form->multiple[i].leaf];

		if (leaf->estimate || !leaf->around.integral || !is_whole(form->multiple[i].factor) ||
			leaf->from.value.low != leaf->from.value.high)
			return false;
	}
	return true;
}

/* The values of these multiples, added to an interval. */
static Span
add_values(const Evaluation *evaluation, Span interval, const Multiple *multiple, int count)
{
	for (int i = 0; i < count; i++)
	{
		const DpTermConstant *value = &evaluation->leaf[multiple[i].leaf].from.value;

		interval = add(interval, multiply((Span) {value->low, value->high}, multiple[i].factor));
	}
	return interval;
}

/* Add what multiples of leaves come to whose noise is taken together. */
static Span
add_joint(const Evaluation *evaluation, Span interval, Multiple *joint, int count, double miss, bool integral)
{
	double		width;

	if (count == 0)
		return interval;
	interval = add_values(evaluation, interval, joint, count);
	width = joint_width(evaluation, joint, count, miss);
	if (integral)
		width = floor(width);
	return add(interval, (Span) {-width, width});
}

/* Have those that decide on their groups come first; returns how many there are. */
static int
put_deciding_first(const Evaluation *evaluation, Multiple *multiple, int count)
{
	int			deciding = 0;

	for (int i = 0; i < count; i++)
	{
		Multiple	one = multiple[i];

		if (!decides(&evaluation->leaf[one.leaf]))
			continue;
		multiple[i] = multiple[deciding];
		multiple[deciding++] = one;
	}
	return deciding;
}

/* Are the first, which decide on their groups, so far above that it does not matter? */
static bool
are_far_above(const Evaluation *evaluation, const Multiple *multiple, int deciding, double miss)
{
	for (int i = 0; i < deciding; i++)
	{
		const Leaf *leaf = &evaluation->leaf[multiple[i].leaf];
		double		reach = dp_rewrite_around_width(&leaf->around, but_for(miss / 8 / deciding));

		if (leaf->from.value.low <= leaf->around.threshold + 2 * (reach + 1 + ldexp(1, leaf->around.spread.noise.grid)))
			return false;
	}
	return true;
}

/* Add what multiples of leaves come to that have no interval of their own in any case. */
static Span
add_together(Evaluation *evaluation, Span interval, Multiple *multiple, int count, bool integral)
{
	double		miss = evaluation->miss;
	int			deciding = put_deciding_first(evaluation, multiple, count);
	bool		all = deciding == count;

	if (deciding == 0)
		return add_joint(evaluation, interval, multiple, count, miss, integral);
	if (count == 1)
		return add(interval, multiply(own_interval(&evaluation->leaf[multiple[0].leaf], miss), multiple[0].factor));
	if (are_far_above(evaluation, multiple, deciding, miss))
		return add_joint(evaluation, interval, multiple, count, (all ? 0.55 : 0.4) * miss, integral);
	for (int i = 0; i < deciding; i++)
		interval = add(interval, multiply(own_interval(&evaluation->leaf[multiple[i].leaf], miss / 4 / deciding),
										  multiple[i].factor));
	return add_joint(evaluation, interval, multiple + deciding, count - deciding, 0.18 * miss, integral);
}

/* The interval of a form; while events are counted, of no meaning. */
static Span
interval_of(Evaluation *evaluation, const Form *form)
{
	Multiple   *joint = palloc_extended((Size) Max(form->count, 1) * sizeof(Multiple), MCXT_ALLOC_HUGE);
	Span		interval = form->constant;
	int			count = 0;

	for (int i = 0; i < form->count; i++)
		if (!evaluation->leaf[form->multiple[i].leaf].alone)
			joint[count++] = form->multiple[i];
	if (evaluation->miss == 0)
	{
		count_events(evaluation, form, joint, count);
		return anything;
	}
	for (int i = 0; i < form->count; i++)
	{
		Leaf	   *leaf = &evaluation->leaf[form->multiple[i].leaf];

		if (!leaf->alone)
			continue;
		if (leaf->seen)
			leaf->own = own_interval(leaf, evaluation->miss);
		leaf->seen = false;
		interval = add(interval, multiply(leaf->own, form->multiple[i].factor));
	}
	return add_together(evaluation, interval, joint, count, is_integral(evaluation, form));
}

/* A form that is no more than an interval. */
static Form
as_form(Span interval)
{
	return (Form) {.constant = interval};
}

/* An operation on the topmost forms of the stack; returns how many are left. */
static int
operate(Evaluation *evaluation, DpTermKind kind, Form *stack, int depth)
{
	int			operands = kind == DP_TERM_NEGATION || kind == DP_TERM_ROOT ? 1 : 2;
	Form	   *x = &stack[depth - operands];
	Form	   *y = &stack[depth - 1];
	Span		a;
	Span		b;

	if (depth < operands)
		dp_aggregate_refuse_description();
	if (kind == DP_TERM_NEGATION)
		*x = scaled(x, (Span) {-1, -1});
	else if (kind == DP_TERM_PLUS || kind == DP_TERM_MINUS)
	{
		if (kind == DP_TERM_MINUS)
			*y = scaled(y, (Span) {-1, -1});
		*x = sum_of(x, 2);
	}
	else if (kind == DP_TERM_TIMES && x->count == 0)
		*x = scaled(y, x->constant);
	else if (kind == DP_TERM_TIMES && y->count == 0)
		*x = scaled(x, y->constant);
	else if (kind == DP_TERM_OVER && y->count == 0 && !(y->constant.low <= 0 && y->constant.high >= 0))
	{
		/* A whole number stays one. */
		if (x->count == 0)
			*x = as_form(divide(x->constant, y->constant));
		else
			*x = scaled(x, divide((Span) {1, 1}, y->constant));
	}
	else
	{
		a = interval_of(evaluation, x);
		b = operands == 2 ? interval_of(evaluation, y) : a;
		switch (kind)
		{
			case DP_TERM_TIMES:
				a = multiply(a, b);
				break;
			case DP_TERM_OVER:
				a = divide(a, b);
				break;
			case DP_TERM_GREATEST:
				a = (Span) {fmax(a.low, b.low), fmax(a.high, b.high)};
				break;
			case DP_TERM_LEAST:
				a = (Span) {fmin(a.low, b.low), fmin(a.high, b.high)};
				break;
			default:
				a = (Span) {a.low > 0 ? down(sqrt(a.low)) : 0, a.high > 0 ? up(sqrt(a.high)) : 0};
		}
		*x = as_form(a);
	}
	return depth - operands + 1;
}

/* Read a part that is an operand, or the sum of several; returns how many are left. */
static int
read_part(Evaluation *evaluation, DpTermPart part, const char *bytes, Form *stack, int depth)
{
	int64		count;
	Leaf		leaf;

	if (part.kind == DP_TERM_UNKNOWN)
		stack[depth] = as_form(anything);
	else if (part.kind == DP_TERM_CONSTANT && part.size == sizeof(DpTermConstant))
	{
		memcpy(&stack[depth].constant, bytes, sizeof(Span));
		stack[depth].count = 0;
		stack[depth].constant = checked(stack[depth].constant);
	}
	else if (part.kind == DP_TERM_SUM && part.size == sizeof(count))
	{
		memcpy(&count, bytes, sizeof(count));
		if (count < 1 || count > depth)
			dp_aggregate_refuse_description();
		stack[depth - count] = sum_of(&stack[depth - count], (int) count);
		return depth - (int) count + 1;
	}
	else if (part.kind == DP_TERM_AROUND || part.kind == DP_TERM_CUT || part.kind == DP_TERM_ESTIMATE)
	{
		leaf = read_leaf((DpTermKind) part.kind, bytes, part.size);
		stack[depth].constant = (Span) {0, 0};
		stack[depth].count = 1;
		stack[depth].multiple = palloc(sizeof(Multiple));
		stack[depth].multiple->leaf = enter_leaf(evaluation, &leaf);
		stack[depth].multiple->factor = (Span) {1, 1};
	}
	else
		dp_aggregate_refuse_description();
	return depth + 1;
}

/* Have room for one more form on the stack. */
static void
grow_stack(Evaluation *evaluation, int depth)
{
	if (depth < evaluation->most_forms)
		return;
	evaluation->most_forms *= 2;
	evaluation->stack = repalloc_huge(evaluation->stack, evaluation->most_forms * sizeof(Form));
}

/* Run the term; returns the form that is left. */
static Form
run(Evaluation *evaluation)
{
	int			depth = 0;
	int			at = 0;
	DpTermPart	part;

	evaluation->read = 0;
	while (at + (int) sizeof(DpTermPart) <= evaluation->length)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy(&part, evaluation->bytes + at, sizeof(part));
		at += sizeof(part);
		if (part.size < 0 || part.size % MAXIMUM_ALIGNOF != 0 || part.size > evaluation->length - at ||
			part.kind < 0 || part.kind >= DP_TERM_KINDS)
			dp_aggregate_refuse_description();
		grow_stack(evaluation, depth);
		if (part.kind >= DP_TERM_PLUS && part.kind < DP_TERM_SUM)
			depth = operate(evaluation, (DpTermKind) part.kind, evaluation->stack, depth);
		else
			depth = read_part(evaluation, part, evaluation->bytes + at, evaluation->stack, depth);
		at += part.size;
	}
	if (depth != 1 || at != evaluation->length)
		dp_aggregate_refuse_description();
	return evaluation->stack[0];
}

/* Have leaves be found by what tells them apart. */
static void
begin(Evaluation *evaluation, const bytea *term)
{
	HASHCTL		control = {.keysize = sizeof(LeafKey), .entrysize = sizeof(LeafEntry), .hcxt = CurrentMemoryContext};
	char	   *bytes;

	evaluation->length = VARSIZE_ANY_EXHDR(term);
	bytes = palloc(evaluation->length + 1);
	memcpy(bytes, VARDATA_ANY(term), evaluation->length);
	evaluation->bytes = bytes;
	evaluation->numbers = hash_create("dp_agg terms", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	evaluation->most_leaves = 16;
	evaluation->leaf = palloc(evaluation->most_leaves * sizeof(Leaf));
	evaluation->most_forms = 16;
	evaluation->stack = palloc(evaluation->most_forms * sizeof(Form));
}

/* An end as a numeric: whole numbers as they are, others with room for rounding. */
static double
widened(double end, int sign)
{
	if (end == rint(end) && fabs(end) < MOST_DIGITS)
		return end;
	return end + sign * fabs(end) * 1e-14;
}

/* Where a term lies with this probability: once counted, once evaluated. */
static Span
evaluate(const bytea *term, double level)
{
	Evaluation	evaluation = {0};
	Form		form;

	begin(&evaluation, term);
	form = run(&evaluation);
	(void) interval_of(&evaluation, &form);

	/* A share rounded down misses less often. */
	evaluation.miss = fmax(down((1 - level) / Max(evaluation.events, 1)), DBL_MIN);
	form = run(&evaluation);
	return checked(interval_of(&evaluation, &form));
}

/* term_interval(term bytea, level float8) */
Datum
dp_rewrite_term_interval(PG_FUNCTION_ARGS)
{
	const bytea *term = PG_GETARG_BYTEA_PP(0);
	double		level;
	MemoryContext context;
	MemoryContext old;
	Span		interval;

	if (!dp_rewrite_read_level(fcinfo, 1, &level))
		PG_RETURN_NULL();
	context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg interval", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	interval = evaluate(term, level);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	PG_RETURN_DATUM(dp_rewrite_make_range(widened(interval.low, -1), widened(interval.high, 1)));
}
