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
 * is independent, so variances add up; of two answers of one release, standard deviations do (Minkowski).  What
 * releases share of their noise in one row is one more noise, of the standard deviation that their multiples of it add up to,
 * with their signs; the rest is independent.  Standard deviations also add up of two blocks, which may be the same answer if that is kept.
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
#include "common/hashfn.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "accounting/shared_noise.h"
#include "accounting/sum_of_noise.h"
#include "aggregate/released.h"
#include "base/compat_varlena.h"
#include "rewrite/interval_range.h"
#include "rewrite/term_interval.h"
#include "rewrite/term_leaves.h"
#include "rewrite/term_total.h"

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

/* A multiple of a leaf. */
typedef struct Multiple
{
	int64		leaf;
	Span		factor;
} Multiple;

/*
 * A linear form.  One of a multiple of a total, and of a few other multiples, is known as such for as long as it is one.
 */
typedef struct Form
{
	Span		constant;
	int			count;			/* of multiples, those of the total too */
	Multiple   *multiple;		/* in the order of leaves */
	struct Whole *whole;		/* NULL: these are all; else besides */
	Span		factor;			/* times a total, */
	int			others;			/* so many */
} Form;

/* So many are a few. */
#define MOST_OTHERS 16

/* Forms whose noise was taken together. */
typedef struct Bounded
{
	int			count;
	const Multiple *multiple;
} Bounded;

typedef struct BoundedEntry
{
	uint64		hash;			/* must be first */
	List	   *bounded;		/* of Bounded */
} BoundedEntry;

/* Where a multiple of a total lies, but for a probability. */
typedef struct Lying
{
	Span		factor;
	double		miss;
	bool		integral;
	Span		interval;
} Lying;

/* So many are known of each total, and so many totals are known when a term is begun. */
#define MOST_LYING 4
#define MOST_WHOLES 64

/* A total that rows share. */
typedef struct Whole
{
	uint64		number;			/* must be first */
	DpTermTotal total;
	bool		linear;			/* is it a linear form? */
	bool		alone;			/* has any of its leaves an interval of its own? */
	bool		integral;		/* is it of whole numbers alone? */
	Form		form;

	/* What a sum with a few others is made of, if that is possible: */
	bool		takes_others;
	bool		gaussian;
	Span		values;
	double		slack;
	double	   *stddev;			/* of groups, */
	int			groups;			/* of so many, */
	Span	   *shared;			/* of what rows share, */
	int			rows;			/* of so many, */
	double	   *variance;		/* and of blocks, */
	int			blocks;			/* of so many */
	Lying		lying[MOST_LYING];
	int			next_lying;
} Whole;

/* What is known of the totals of a statement, by one of its calls. */
struct DpTermCache
{
	MemoryContext statement;
	MemoryContext context;
	DpLeaves   *leaves;
	HTAB	   *wholes;			/* of Whole */
	uint64		work;			/* parts of terms that were read, and multiples gone through */
};

/* How far noise reaches, as it was computed last. */
typedef struct Reach
{
	DpAround	around;
	double		probability;
	double		width;
} Reach;

#define MOST_REACHES 4

typedef struct Evaluation
{
	const char *bytes;			/* of the term, aligned */
	int			length;
	DpTermCache *cache;
	DpLeaves   *leaves;
	int64		read;			/* leaves before this term */
	Form	   *stack;
	int			most_forms;
	HTAB	   *bounded;		/* of BoundedEntry */
	bool		cut;			/* does what clamps cut count? */
	bool		reads_total;	/* is it read once, for all terms, */
	bool		linear;			/* and a linear form so far? */
	int			events;			/* intervals that may be missed */
	double		miss;			/* the share of each; 0: they are being counted */
	Reach		reach[MOST_REACHES];
	int			next_reach;
	double	   *stddev;			/* of groups, of what rows share, and of blocks, 0 while they are
								 * not added up */
	Span	   *shared;
	double	   *variance;
	int			most_groups;
	int			most_rows;
	int			most_blocks;
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

/* Does it decide whether its group is answered? */
static bool
decides(const DpLeaf *leaf)
{
	return leaf->around.threshold > -INFINITY;
}

/* dp_rewrite_around_width, which is not computed anew for noise that many leaves have. */
static double
reach_of(Evaluation *evaluation, const DpAround *around, double probability)
{
	Reach	   *reach;

	for (int i = 0; i < MOST_REACHES; i++)
	{
		reach = &evaluation->reach[i];
		if (reach->probability == probability && reach->around.integral == around->integral &&
			memcmp(&reach->around.spread, &around->spread, sizeof(DpSpread)) == 0)
			return reach->width;
	}
	reach = &evaluation->reach[evaluation->next_reach++ % MOST_REACHES];
	reach->around = *around;
	reach->probability = probability;
	reach->width = dp_rewrite_around_width(around, probability);
	return reach->width;
}

/* The interval of a leaf by itself. */
static Span
own_interval(Evaluation *evaluation, const DpLeaf *leaf, double miss)
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
	above = reach_of(evaluation, around, but_for(miss));
	below = selects ? reach_of(evaluation, around, but_for(miss / 2)) : above;
	own.low = add_down(leaf->from.value.low, -below);
	own.high = add_up(leaf->from.value.high, above);

	/* As in interval.c. */
	if (selects && leaf->from.value.low <= around->threshold + below + 1 + ldexp(1, around->spread.noise.grid))
		own.low = fmin(1, own.high);
	return checked(own);
}

static int
compare_multiples(const void *a, const void *b)
{
	const Multiple *x = a;
	const Multiple *y = b;

	return (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

/* Is a factor nothing? */
static bool
is_zero(Span factor)
{
	return factor.low == 0 && factor.high == 0;
}

/* Append a multiple to a sum, whose last one it may be another of. */
static void
append_multiple(Form *sum, const Multiple *multiple)
{
	Multiple   *last = sum->count > 0 ? &sum->multiple[sum->count - 1] : NULL;

	if (last && last->leaf == multiple->leaf)
		last->factor = add(last->factor, multiple->factor);
	else
	{
		last = &sum->multiple[sum->count++];
		*last = *multiple;
	}
	if (is_zero(last->factor))
		sum->count--;
}

/* Make a sum of the multiples of two forms, in their order. */
static void
merge(Form *sum, const Form *x, const Form *y)
{
	int			i = 0;
	int			j = 0;

	while (i < x->count || j < y->count)
		if (j == y->count || (i < x->count && x->multiple[i].leaf <= y->multiple[j].leaf))
			append_multiple(sum, &x->multiple[i++]);
		else
			append_multiple(sum, &y->multiple[j++]);
}

/* Have a form with a total know all of its multiples. */
static void
spread_out(Form *form)
{
	const Form *total;
	Form		multiples = {0};
	Form		others = {.count = form->others, .multiple = form->multiple};
	Form		all = {.constant = form->constant};

	if (form->whole == NULL)
		return;
	total = &form->whole->form;
	multiples.multiple = palloc_extended((Size) total->count * sizeof(Multiple), MCXT_ALLOC_HUGE);
	for (int i = 0; i < total->count; i++)
	{
		multiples.multiple[i].leaf = total->multiple[i].leaf;
		multiples.multiple[i].factor = multiply(total->multiple[i].factor, form->factor);
	}
	multiples.count = total->count;
	all.multiple = palloc_extended((Size) (total->count + others.count) * sizeof(Multiple), MCXT_ALLOC_HUGE);
	merge(&all, &multiples, &others);
	pfree(multiples.multiple);
	*form = all;
}

/* The same of any number of forms. */
static void
merge_all(Form *sum, const Form *form, int count, int multiples)
{
	Multiple   *all = palloc_extended((Size) Max(multiples, 1) * sizeof(Multiple), MCXT_ALLOC_HUGE);
	int			n = 0;

	for (int i = 0; i < count; i++)
	{
		if (form[i].count > 0)
			memcpy(all + n, form[i].multiple, form[i].count * sizeof(Multiple));
		n += form[i].count;
	}
	qsort(all, n, sizeof(Multiple), compare_multiples);
	for (int i = 0; i < n; i++)
		append_multiple(sum, &all[i]);
	pfree(all);
}

/* Is the noise of these leaves taken together with that of others in any case? */
static bool
are_joint(const DpLeaves *leaves, const Multiple *multiple, int count)
{
	for (int i = 0; i < count; i++)
		if (leaves->leaf[multiple[i].leaf].alone || decides(&leaves->leaf[multiple[i].leaf]))
			return false;
	return true;
}

/* The sum of two forms, if it is one of a total and a few others; else false. */
static bool
add_wholes(const DpLeaves *leaves, Form *sum, const Form *x, const Form *y)
{
	struct Whole *whole = x->whole ? x->whole : y->whole;
	Form		of_x = {.count = x->whole ? x->others : x->count, .multiple = x->multiple};
	Form		of_y = {.count = y->whole ? y->others : y->count, .multiple = y->multiple};
	Form		others = {0};

	if (whole == NULL || (x->whole && y->whole && x->whole != y->whole))
		return false;
	if (of_x.count + of_y.count > MOST_OTHERS ||
		(of_x.count + of_y.count > 0 && (!whole->takes_others || !are_joint(leaves, of_x.multiple, of_x.count) || !are_joint(leaves, of_y.multiple, of_y.count))))
		return false;
	others.multiple = palloc(Max(of_x.count + of_y.count, 1) * sizeof(Multiple));
	merge(&others, &of_x, &of_y);
	*sum = (Form) {.constant = add(x->constant, y->constant), .multiple = others.multiple};
	if (x->whole)
		sum->factor = x->factor;
	if (y->whole)
		sum->factor = add(sum->factor, y->factor);
	sum->count = others.count;
	if (is_zero(sum->factor))
		return true;
	sum->whole = whole;
	sum->others = others.count;
	sum->count += whole->form.count;
	return true;
}

/* The sum of forms. */
static Form
sum_of(const DpLeaves *leaves, Form *form, int count)
{
	Form		sum = {0};
	int			all = 0;

	if (count == 2 && add_wholes(leaves, &sum, &form[0], &form[1]))
		return sum;
	for (int i = 0; i < count; i++)
	{
		spread_out(&form[i]);
		all += form[i].count;
		sum.constant = add(sum.constant, form[i].constant);
	}
	sum.multiple = palloc_extended((Size) Max(all, 1) * sizeof(Multiple), MCXT_ALLOC_HUGE);
	if (count == 2)
		merge(&sum, &form[0], &form[1]);
	else
		merge_all(&sum, form, count, all);
	return sum;
}

/* A form times a number that is known. */
static Form
scaled(const Form *form, Span factor)
{
	Form		result = {.constant = multiply(form->constant, factor), .count = form->count, .whole = form->whole, .others = form->others};
	int			count = form->whole ? form->others : form->count;

	if (form->whole)
		result.factor = multiply(form->factor, factor);
	result.multiple = palloc_extended((Size) Max(count, 1) * sizeof(Multiple), MCXT_ALLOC_HUGE);
	for (int i = 0; i < count; i++)
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
	const DpLeaf *first = &evaluation->leaves->leaf[multiple[0].leaf];

	for (int i = 0; i < count; i++)
	{
		const DpLeaf *leaf = &evaluation->leaves->leaf[multiple[i].leaf];

		if (leaf->around.spread.stddev > 0 || leaf->from.origin.block != first->from.origin.block ||
			size(multiple[i].factor) != size(multiple[0].factor) ||
			leaf->row >= 0 || leaf->around.spread.noise.mechanism != first->around.spread.noise.mechanism ||
			leaf->around.spread.noise.grid != first->around.spread.noise.grid ||
			leaf->around.spread.noise.sigma != first->around.spread.noise.sigma ||
			leaf->around.spread.noise.scale_num != first->around.spread.noise.scale_num ||
			leaf->around.spread.noise.scale_den != first->around.spread.noise.scale_den)
			return false;
	}
	return true;
}

/* Standard deviation of a leaf's noise, but for what it shares with others of its row. */
static double
stddev_of(DpLeaf *leaf)
{
	const DpSpread *spread = &leaf->around.spread;

	if (leaf->stddev == 0)
		leaf->stddev = spread->stddev > 0 ? spread->stddev : dp_accounting_own_stddev(&spread->noise);
	return leaf->stddev;
}

/* What a multiple of a leaf moves by that it shares, in standard deviations of that. */
static Span
shared_by(const DpLeaf *leaf, Span factor)
{
	double		shared = dp_accounting_shared_stddev(&leaf->around.spread.noise);

	return multiply(factor, (Span) {shared, shared});
}

/* What rounding may add to how far a leaf is off. */
static double
slack_of(const DpLeaf *leaf)
{
	double		unit = ldexp(1, leaf->around.spread.noise.grid);

	return leaf->around.spread.slack + (leaf->around.integral ? Max(unit, 0.5) : unit);
}

/* Have room for sums of all groups, rows and blocks, which are 0. */
static void
make_sums(Evaluation *evaluation)
{
	const DpLeaves *leaves = evaluation->leaves;

	if (leaves->groups > evaluation->most_groups)
	{
		evaluation->stddev = palloc_extended((Size) leaves->groups * sizeof(double), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		evaluation->most_groups = leaves->groups;
	}
	if (leaves->rows > evaluation->most_rows)
	{
		evaluation->shared = palloc_extended((Size) leaves->rows * sizeof(Span), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		evaluation->most_rows = leaves->rows;
	}
	if (leaves->blocks > evaluation->most_blocks)
	{
		evaluation->variance = palloc0(leaves->blocks * sizeof(double));
		evaluation->most_blocks = leaves->blocks;
	}
}

/* Add multiples of leaves to the sums of their groups, and of what their rows share. */
static void
add_to_sums(Evaluation *evaluation, const Multiple *multiple, int count)
{
	for (int i = 0; i < count; i++)
	{
		DpLeaf	   *leaf = &evaluation->leaves->leaf[multiple[i].leaf];

		evaluation->stddev[leaf->group] += size(multiple[i].factor) * stddev_of(leaf);
		if (leaf->row >= 0)
			evaluation->shared[leaf->row] = add(evaluation->shared[leaf->row], shared_by(leaf, multiple[i].factor));
	}
}

/* Have the variances of blocks be those of these sums, which are 0 again then. */
static void
add_variances(Evaluation *evaluation, const Multiple *multiple, int count)
{
	for (int i = 0; i < count; i++)
	{
		const DpLeaf *leaf = &evaluation->leaves->leaf[multiple[i].leaf];
		double	   *stddev = &evaluation->stddev[leaf->group];
		double		shared = leaf->row >= 0 ? size(evaluation->shared[leaf->row]) : 0;

		evaluation->variance[leaf->block] += *stddev * *stddev + shared * shared;
		*stddev = 0;
		if (leaf->row >= 0)
			evaluation->shared[leaf->row] = (Span) {0, 0};
	}
}

/*
 * The standard deviation of the noise of leaves: of one release in one group it adds up, and of blocks; of others
 * variances do, but for what rows share.
 */
static double
joint_stddev(Evaluation *evaluation, const Multiple *multiple, int count)
{
	double		all = 0;

	make_sums(evaluation);
	add_to_sums(evaluation, multiple, count);
	add_variances(evaluation, multiple, count);
	for (int i = 0; i < evaluation->leaves->blocks; i++)
	{
		all += sqrt(evaluation->variance[i]);
		evaluation->variance[i] = 0;
	}
	return all;
}

/* How far noise moves these multiples together, but for a probability. */
static double
joint_width(Evaluation *evaluation, const Multiple *multiple, int count, double miss)
{
	double		slack = 0;
	bool		gaussian = true;
	double		width;

	if (count == 1)
		return up(size(multiple[0].factor) *
				  reach_of(evaluation, &evaluation->leaves->leaf[multiple[0].leaf].around, but_for(miss)));
	for (int i = 0; i < count; i++)
	{
		slack += size(multiple[i].factor) * slack_of(&evaluation->leaves->leaf[multiple[i].leaf]);
		gaussian &= evaluation->leaves->leaf[multiple[i].leaf].around.spread.noise.mechanism == DP_GAUSSIAN;
	}
	if (count <= MOST_ALIKE && are_alike(evaluation, multiple, count))
		width = size(multiple[0].factor) *
			dp_accounting_sum_half_width(&evaluation->leaves->leaf[multiple[0].leaf].around.spread.noise, count, false, but_for(miss));
	else
		width = joint_stddev(evaluation, multiple, count) * dp_aggregate_estimate_reach(but_for(miss), gaussian);
	return (width + slack) * (1 + 1e-14);
}

/* Note that the noise of these is taken together; returns whether it was before. */
static bool
is_bounded(Evaluation *evaluation, const Multiple *multiple, int count)
{
	HASHCTL		control = {.keysize = sizeof(uint64), .entrysize = sizeof(BoundedEntry), .hcxt = CurrentMemoryContext};
	uint64		hash = DatumGetUInt64(hash_any_extended((const unsigned char *) multiple, (int) (count * sizeof(Multiple)), 0));
	BoundedEntry *entry;
	Bounded    *bounded;
	bool		found;
	ListCell   *lc;

	if (evaluation->bounded == NULL)
		evaluation->bounded = hash_create("dp_agg bounded", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	entry = hash_search(evaluation->bounded, &hash, HASH_ENTER, &found);
	if (!found)
		entry->bounded = NIL;
	foreach(lc, entry->bounded)
	{
		bounded = lfirst(lc);
		if (bounded->count == count && memcmp(bounded->multiple, multiple, count * sizeof(Multiple)) == 0)
			return true;
	}
	bounded = palloc(sizeof(Bounded));
	*bounded = (Bounded) {count, multiple};
	entry->bounded = lappend(entry->bounded, bounded);
	return false;
}

/* Count the intervals that a form's needs. */
static void
count_events(Evaluation *evaluation, const Form *form, const Multiple *joint, int count)
{
	for (int i = 0; i < form->count; i++)
	{
		DpLeaf	   *leaf = &evaluation->leaves->leaf[form->multiple[i].leaf];

		if (!leaf->alone || leaf->seen)
			continue;
		leaf->seen = true;
		evaluation->events++;
	}
	if (count > 0 && !is_bounded(evaluation, joint, count))
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
		const DpLeaf *leaf = &evaluation->leaves->leaf[form->multiple[i].leaf];

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
		const DpTermConstant *value = &evaluation->leaves->leaf[multiple[i].leaf].from.value;

		interval = add(interval, multiply((Span) {value->low, value->high}, multiple[i].factor));
	}
	return interval;
}

/* Add what multiples of leaves come to whose noise is taken together. */
static Span
add_joint(Evaluation *evaluation, Span interval, Multiple *joint, int count, double miss, bool integral)
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

		if (!decides(&evaluation->leaves->leaf[one.leaf]))
			continue;
		multiple[i] = multiple[deciding];
		multiple[deciding++] = one;
	}
	return deciding;
}

/* Are the first, which decide on their groups, so far above that it does not matter? */
static bool
are_far_above(Evaluation *evaluation, const Multiple *multiple, int deciding, double miss)
{
	for (int i = 0; i < deciding; i++)
	{
		const DpLeaf *leaf = &evaluation->leaves->leaf[multiple[i].leaf];
		double		reach = reach_of(evaluation, &leaf->around, but_for(miss / 8 / deciding));

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
		return add(interval, multiply(own_interval(evaluation, &evaluation->leaves->leaf[multiple[0].leaf], miss), multiple[0].factor));
	if (are_far_above(evaluation, multiple, deciding, miss))
		return add_joint(evaluation, interval, multiple, count, (all ? 0.55 : 0.4) * miss, integral);
	for (int i = 0; i < deciding; i++)
		interval = add(interval, multiply(own_interval(evaluation, &evaluation->leaves->leaf[multiple[i].leaf], miss / 4 / deciding),
										  multiple[i].factor));
	return add_joint(evaluation, interval, multiple + deciding, count - deciding, 0.18 * miss, integral);
}

/* The interval of a multiple of a total, without the constant, as it was computed before if it was. */
static Span
interval_of_whole(Evaluation *evaluation, const Form *form)
{
	Whole	   *whole = form->whole;
	Lying		wanted = {.factor = form->factor, .miss = evaluation->miss};
	Form		spread = {.whole = whole, .factor = form->factor};
	Lying	   *lying;

	wanted.integral = whole->integral && is_whole(form->factor) && is_whole(form->constant);
	for (int i = 0; i < MOST_LYING; i++)
	{
		lying = &whole->lying[i];
		if (lying->miss == wanted.miss && lying->integral == wanted.integral && lying->factor.low == wanted.factor.low && lying->factor.high == wanted.factor.high)
			return lying->interval;
	}
	spread_out(&spread);
	wanted.interval = add_together(evaluation, (Span) {0, 0}, spread.multiple, spread.count, wanted.integral);
	whole->lying[whole->next_lying++ % MOST_LYING] = wanted;
	return wanted.interval;
}

/* The multiple of a leaf in a total; nothing if it is not there. */
static Span
factor_in(const Whole *whole, int64 leaf)
{
	Multiple	key = {.leaf = leaf};
	const Multiple *found = bsearch(&key, whole->form.multiple, whole->form.count, sizeof(Multiple), compare_multiples);

	return found ? found->factor : (Span) {0, 0};
}

/* How much larger the multiple of a leaf is with another one of it than in a total by itself. */
static double
size_added(const Form *form, const Multiple *other)
{
	Span		before = multiply(factor_in(form->whole, other->leaf), form->factor);

	return size(add(before, other->factor)) - size(before);
}

/* Is the group of a leaf that of one of those before? */
static bool
is_in_group_before(const DpLeaf *leaf, const Form *form, int n)
{
	for (int i = 0; i < n; i++)
		if (leaf[form->multiple[i].leaf].group == leaf[form->multiple[n].leaf].group)
			return true;
	return false;
}

/* Is the row of a leaf that of one of those before? */
static bool
is_in_row_before(const DpLeaf *leaf, const Form *form, int n)
{
	for (int i = 0; i < n; i++)
		if (leaf[form->multiple[i].leaf].row == leaf[form->multiple[n].leaf].row)
			return true;
	return false;
}

/* How much more variance there is for what the row of the i-th other of a form shares. */
static double
shared_beside(const DpLeaf *leaf, const Form *form, int i)
{
	const Whole *whole = form->whole;
	int			row = leaf[form->multiple[i].leaf].row;
	Span		before = {0, 0};
	Span		after;

	if (row < 0 || is_in_row_before(leaf, form, i))
		return 0;
	if (row < whole->rows)
		before = multiply(whole->shared[row], form->factor);
	after = before;
	for (int j = i; j < form->others; j++)
		if (leaf[form->multiple[j].leaf].row == row)
			after = add(after, shared_by(&leaf[form->multiple[j].leaf], form->multiple[j].factor));
	return size(after) * size(after) - size(before) * size(before);
}

/*
 * The standard deviation of the noise of a total and others; negative if so little of the total is left that it is to be added up
 * anew.
 */
static double
stddev_beside(Evaluation *evaluation, const Form *form)
{
	DpLeaf	   *leaf = evaluation->leaves->leaf;
	const Whole *whole = form->whole;
	double		factor = size(form->factor);
	double		all = 0;

	make_sums(evaluation);
	for (int i = 0; i < whole->blocks; i++)
		evaluation->variance[i] = factor * factor * whole->variance[i];
	for (int i = 0; i < form->others; i++)
	{
		const DpLeaf *other = &leaf[form->multiple[i].leaf];
		double		before = other->group < whole->groups ? factor * whole->stddev[other->group] : 0;
		double		after = before;

		evaluation->variance[other->block] += shared_beside(leaf, form, i);
		if (is_in_group_before(leaf, form, i))
			continue;
		for (int j = i; j < form->others; j++)
			if (leaf[form->multiple[j].leaf].group == other->group)
				after += size_added(form, &form->multiple[j]) * stddev_of(&leaf[form->multiple[j].leaf]);
		evaluation->variance[other->block] += after * after - before * before;
	}
	for (int i = 0; i < evaluation->leaves->blocks; i++)
	{
		if (i < whole->blocks && evaluation->variance[i] < 1e-3 * factor * factor * whole->variance[i])
			all = -INFINITY;
		all += sqrt(fmax(evaluation->variance[i], 0));
		evaluation->variance[i] = 0;
	}
	return all;
}

/* The interval of a form with a total, without the constant; by what is known of the total, so that it need not be added up anew. */
static Span
interval_beside(Evaluation *evaluation, const Form *form)
{
	const Whole *whole = form->whole;
	double		stddev = stddev_beside(evaluation, form);
	double		slack = size(form->factor) * whole->slack;
	bool		gaussian = whole->gaussian;
	bool		integral = whole->integral && is_whole(form->factor) && is_whole(form->constant) &&
		is_integral(evaluation, &(Form) {.count = form->others, .multiple = form->multiple});
	Form		spread = *form;
	Span		interval;
	double		width;

	if (stddev < 0)
	{
		spread_out(&spread);
		return add_together(evaluation, (Span) {0, 0}, spread.multiple, spread.count, integral);
	}
	for (int i = 0; i < form->others; i++)
	{
		const DpLeaf *leaf = &evaluation->leaves->leaf[form->multiple[i].leaf];

		slack += size_added(form, &form->multiple[i]) * slack_of(leaf);
		gaussian &= leaf->around.spread.noise.mechanism == DP_GAUSSIAN;
	}
	width = (stddev * dp_aggregate_estimate_reach(but_for(evaluation->miss), gaussian) + slack) * (1 + 1e-13);
	if (integral)
		width = floor(width);
	interval = add_values(evaluation, multiply(whole->values, form->factor), form->multiple, form->others);
	return add(interval, (Span) {-width, width});
}

/* Count the interval of a form with a total. */
static void
count_whole(Evaluation *evaluation, const Form *form)
{
	Multiple   *joint = palloc((1 + form->others) * sizeof(Multiple));

	/* No leaf has its number. */
	joint[0] = (Multiple) {-1 - (int64) form->whole->number, form->factor};
	if (form->others > 0)
		memcpy(joint + 1, form->multiple, form->others * sizeof(Multiple));
	count_events(evaluation, &(Form) {{0}}, joint, 1 + form->others);
}

/* The interval of a form; while events are counted, of no meaning. */
static Span
interval_of(Evaluation *evaluation, const Form *form)
{
	Multiple   *joint;
	Span		interval = form->constant;
	int			count = 0;

	evaluation->cache->work += form->count;
	if (form->whole && evaluation->miss > 0)
		return add(form->constant, form->others > 0 ? interval_beside(evaluation, form) : interval_of_whole(evaluation, form));
	if (form->whole)
	{
		count_whole(evaluation, form);
		return anything;
	}
	joint = palloc_extended((Size) Max(form->count, 1) * sizeof(Multiple), MCXT_ALLOC_HUGE);
	for (int i = 0; i < form->count; i++)
		if (!evaluation->leaves->leaf[form->multiple[i].leaf].alone)
			joint[count++] = form->multiple[i];
	if (evaluation->miss == 0)
	{
		count_events(evaluation, form, joint, count);
		return anything;
	}
	for (int i = 0; i < form->count; i++)
	{
		DpLeaf	   *leaf = &evaluation->leaves->leaf[form->multiple[i].leaf];
		Span		own;

		if (!leaf->alone)
			continue;
		if (leaf->seen)
		{
			own = own_interval(evaluation, leaf, evaluation->miss);
			leaf->own = (DpTermConstant) {own.low, own.high};
		}
		leaf->seen = false;
		interval = add(interval, multiply((Span) {leaf->own.low, leaf->own.high}, form->multiple[i].factor));
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
	evaluation->cache->work += x->count + y->count;
	if (kind == DP_TERM_NEGATION)
		*x = scaled(x, (Span) {-1, -1});
	else if (kind == DP_TERM_PLUS || kind == DP_TERM_MINUS)
	{
		if (kind == DP_TERM_MINUS)
			*y = scaled(y, (Span) {-1, -1});
		*x = sum_of(evaluation->leaves, x, 2);
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
	else if (evaluation->reads_total)
	{
		/* It depends on what may miss. */
		evaluation->linear = false;
		*x = as_form(anything);
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

/* Read a leaf; returns how many forms are left. */
static int
read_leaf(Evaluation *evaluation, DpTermPart part, const char *bytes, Form *stack, int depth)
{
	DpLeaf		leaf = dp_rewrite_read_leaf((DpTermKind) part.kind, bytes, part.size);

	stack[depth] = as_form((Span) {0, 0});
	if (leaf.cut && !evaluation->cut)
		return depth + 1;
	stack[depth].count = 1;
	stack[depth].multiple = palloc(sizeof(Multiple));
	stack[depth].multiple->leaf = dp_rewrite_enter_leaf(evaluation->leaves, &leaf);
	stack[depth].multiple->factor = (Span) {1, 1};
	return depth + 1;
}

/* Add up so many forms; returns how many are left. */
static int
add_up_forms(const DpLeaves *leaves, Form *stack, int64 count, int depth)
{
	if (count < 1 || count > depth)
		dp_aggregate_refuse_description();
	stack[depth - count] = sum_of(leaves, &stack[depth - count], (int) count);
	return depth - (int) count + 1;
}

static int	run_parts(Evaluation *evaluation, const char *bytes, int length, int depth);
static Whole *whole_of(Evaluation *evaluation, const DpTermTotal *total, const char *terms);

/* Read the sum of terms that the statement holds; returns how many forms are left. */
static int
read_total(Evaluation *evaluation, const char *bytes, int depth)
{
	DpTermTotal total;
	const char *terms;
	Whole	   *whole;

	memcpy(&total, bytes, sizeof(total));
	terms = dp_rewrite_terms_of_total(&total, evaluation->cache->statement);
	if (terms == NULL)
	{
		evaluation->stack[depth] = as_form(anything);
		return depth + 1;
	}
	whole = whole_of(evaluation, &total, terms);
	if (whole == NULL || !whole->linear)
	{
		if (run_parts(evaluation, terms, (int) total.length, depth) != depth + total.count)
			dp_aggregate_refuse_description();
		return add_up_forms(evaluation->leaves, evaluation->stack, total.count, depth + (int) total.count);
	}
	evaluation->stack[depth] = whole->form;
	if (whole->form.whole)
		evaluation->stack[depth].multiple = NULL;
	return depth + 1;
}

/* Read a part that is an operand, or the sum of several; returns how many are left. */
static int
read_part(Evaluation *evaluation, DpTermPart part, const char *bytes, int depth)
{
	Form	   *stack = evaluation->stack;
	int64		count;

	if (part.kind == DP_TERM_UNKNOWN)
		stack[depth] = as_form(anything);
	else if (part.kind == DP_TERM_CONSTANT && part.size == sizeof(DpTermConstant))
	{
		stack[depth] = as_form(anything);
		memcpy(&stack[depth].constant, bytes, sizeof(Span));
		stack[depth].constant = checked(stack[depth].constant);
	}
	else if (part.kind == DP_TERM_SUM && part.size == sizeof(count))
	{
		memcpy(&count, bytes, sizeof(count));
		return add_up_forms(evaluation->leaves, stack, count, depth);
	}
	else if (part.kind == DP_TERM_TOTAL && part.size == sizeof(DpTermTotal))
		return read_total(evaluation, bytes, depth);
	else if (part.kind == DP_TERM_AROUND || part.kind == DP_TERM_CUT || part.kind == DP_TERM_ESTIMATE)
		return read_leaf(evaluation, part, bytes, stack, depth);
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

/* The next part of a term of so many bytes, at which `at` is left at what follows its head; 22023 for no part. */
static DpTermPart
next_part(const char *bytes, int length, int *at)
{
	DpTermPart	part;

	memcpy(&part, bytes + *at, sizeof(part));
	*at += sizeof(part);
	if (part.size < 0 || part.size % MAXIMUM_ALIGNOF != 0 || part.size > length - *at ||
		part.kind < 0 || part.kind >= DP_TERM_KINDS)
		dp_aggregate_refuse_description();
	return part;
}

/* Tell of each released value in these bytes, and in the totals that they name. */
static void
tell_origins(const char *bytes, int length, MemoryContext statement, void (*tell) (const DpTermOrigin *origin, void *arg), void *arg)
{
	int			at = 0;

	check_stack_depth();
	while (at + (int) sizeof(DpTermPart) <= length)
	{
		DpTermPart	part = next_part(bytes, length, &at);
		DpTermTotal total;
		DpTermLeaf	leaf;
		const char *terms;

		CHECK_FOR_INTERRUPTS();
		if (part.size >= (int) sizeof(leaf) && (part.kind == DP_TERM_AROUND || part.kind == DP_TERM_ESTIMATE))
		{
			memcpy(&leaf, bytes + at, sizeof(leaf));
			tell(&leaf.origin, arg);
		}
		if (part.size == sizeof(total) && part.kind == DP_TERM_TOTAL)
		{
			memcpy(&total, bytes + at, sizeof(total));
			terms = dp_rewrite_terms_of_total(&total, statement);
			if (terms)
				tell_origins(terms, (int) total.length, statement, tell, arg);
		}
		at += part.size;
	}
}

void
dp_rewrite_term_origins(const bytea *term, MemoryContext statement, void (*tell) (const DpTermOrigin *origin, void *arg), void *arg)
{
	tell_origins(VARDATA_ANY(term), VARSIZE_ANY_EXHDR(term), statement, tell, arg);
}

/* Run the parts of terms upon so many forms; returns how many there are then. */
static int
run_parts(Evaluation *evaluation, const char *bytes, int length, int depth)
{
	int			at = 0;

	check_stack_depth();
	while (at + (int) sizeof(DpTermPart) <= length)
	{
		DpTermPart	part;

		CHECK_FOR_INTERRUPTS();
		evaluation->cache->work++;
		part = next_part(bytes, length, &at);
		grow_stack(evaluation, depth);
		if (part.kind >= DP_TERM_PLUS && part.kind < DP_TERM_SUM)
			depth = operate(evaluation, (DpTermKind) part.kind, evaluation->stack, depth);
		else
			depth = read_part(evaluation, part, bytes + at, depth);
		at += part.size;
	}
	if (at != length)
		dp_aggregate_refuse_description();
	return depth;
}

/* Run the term; returns the form that is left. */
static Form
run(Evaluation *evaluation)
{
	evaluation->leaves->read = evaluation->read;
	if (run_parts(evaluation, evaluation->bytes, evaluation->length, 0) != 1)
		dp_aggregate_refuse_description();
	return evaluation->stack[0];
}

/* Has a term a part that is a total which its statement holds? */
static bool
has_total(const char *bytes, int length)
{
	int			at = 0;

	while (at + (int) sizeof(DpTermPart) <= length)
	{
		DpTermPart	part = next_part(bytes, length, &at);

		if (part.kind == DP_TERM_TOTAL)
			return true;
		at += part.size;
	}
	return false;
}

/* Have a cache know no totals. */
static void
empty(DpTermCache *cache)
{
	HASHCTL		control = {.keysize = sizeof(uint64), .entrysize = sizeof(Whole)};
	MemoryContext old;

	if (cache->context)
		MemoryContextReset(cache->context);
	else
		cache->context = AllocSetContextCreate(cache->statement, "dp_agg totals", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(cache->context);
	control.hcxt = cache->context;
	cache->wholes = hash_create("dp_agg totals", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	cache->leaves = dp_rewrite_make_leaves();
	MemoryContextSwitchTo(old);
}

/* Begin with a term.  Leaves of one that has a total are found among those of totals. */
static void
begin(Evaluation *evaluation, const bytea *term, DpTermCache *cache)
{
	char	   *bytes;

	evaluation->length = VARSIZE_ANY_EXHDR(term);
	bytes = palloc(evaluation->length + 1);
	memcpy(bytes, VARDATA_ANY(term), evaluation->length);
	evaluation->bytes = bytes;
	evaluation->most_forms = 16;
	evaluation->stack = palloc(evaluation->most_forms * sizeof(Form));
	evaluation->cache = cache;
	if (!has_total(bytes, evaluation->length))
	{
		evaluation->leaves = dp_rewrite_make_leaves();
		return;
	}
	if (cache->context == NULL || hash_get_num_entries(cache->wholes) > MOST_WHOLES)
		empty(cache);
	evaluation->leaves = cache->leaves;
	evaluation->read = cache->leaves->read;
}

/*
 * Read the terms of a total that are not read yet, upon the form that is known; returns false if it is no linear form.
 */
static bool
read_more(Evaluation *outer, Whole *whole, const DpTermTotal *total, const char *terms)
{
	Evaluation	evaluation = {.cache = outer->cache, .leaves = outer->leaves, .cut = outer->cut, .reads_total = true, .linear = true};
	int64		count = total->count - whole->total.count;
	int			from = (int) whole->total.length;

	evaluation.most_forms = 16;
	evaluation.stack = palloc(evaluation.most_forms * sizeof(Form));
	evaluation.stack[0] = whole->form;
	if (run_parts(&evaluation, terms + from, (int) total->length - from, 1) != 1 + count)
		dp_aggregate_refuse_description();
	whole->form = sum_of(outer->leaves, evaluation.stack, 1 + (int) count);
	spread_out(&whole->form);
	return evaluation.linear;
}

/* Keep so many bytes of sums, as they are, in place of those that were kept. */
static void *
keep_sums(MemoryContext context, const void *sums, Size bytes, void *kept)
{
	if (kept)
		pfree(kept);
	kept = MemoryContextAllocHuge(context, Max(bytes, 1));
	if (bytes > 0)
		memcpy(kept, sums, bytes);
	return kept;
}

/* Have a total know what sums with a few others are made of. */
static void
summarize(Evaluation *evaluation, Whole *whole)
{
	const Form *form = &whole->form;
	DpLeaf	   *leaf = evaluation->leaves->leaf;

	whole->takes_others = form->count > MOST_ALIKE + MOST_OTHERS && are_joint(evaluation->leaves, form->multiple, form->count);
	if (!whole->takes_others)
		return;
	make_sums(evaluation);
	whole->values = add_values(evaluation, (Span) {0, 0}, form->multiple, form->count);
	whole->slack = 0;
	whole->gaussian = true;
	for (int i = 0; i < form->count; i++)
	{
		DpLeaf	   *one = &leaf[form->multiple[i].leaf];

		whole->slack += size(form->multiple[i].factor) * slack_of(one);
		whole->gaussian &= one->around.spread.noise.mechanism == DP_GAUSSIAN;
	}
	add_to_sums(evaluation, form->multiple, form->count);
	whole->groups = evaluation->leaves->groups;
	whole->stddev = keep_sums(evaluation->cache->context, evaluation->stddev, whole->groups * sizeof(double), whole->stddev);
	whole->rows = evaluation->leaves->rows;
	whole->shared = keep_sums(evaluation->cache->context, evaluation->shared, whole->rows * sizeof(Span), whole->shared);
	add_variances(evaluation, form->multiple, form->count);
	whole->blocks = evaluation->leaves->blocks;
	whole->variance = keep_sums(evaluation->cache->context, evaluation->variance, whole->blocks * sizeof(double), whole->variance);
	memset(evaluation->variance, 0, whole->blocks * sizeof(double));
}

/* Have a total be as long as it is wanted. */
static void
extend(Evaluation *evaluation, Whole *whole, const DpTermTotal *total, const char *terms)
{
	bool		reads_total = evaluation->leaves->reads_total;
	Form	   *form = &whole->form;
	Multiple   *multiple = form->multiple;
	Multiple   *kept;

	form->whole = NULL;
	evaluation->leaves->reads_total = true;
	whole->linear &= read_more(evaluation, whole, total, terms);
	evaluation->leaves->reads_total = reads_total;
	whole->total = *total;
	kept = MemoryContextAllocHuge(evaluation->cache->context, Max(form->count, 1) * sizeof(Multiple));
	if (form->count > 0)
		memcpy(kept, form->multiple, form->count * sizeof(Multiple));
	if (multiple)
		pfree(multiple);
	form->multiple = kept;
	whole->alone = false;
	for (int i = 0; i < form->count; i++)
		whole->alone |= evaluation->leaves->leaf[kept[i].leaf].alone;
	whole->integral = is_integral(evaluation, &(Form) {.count = form->count, .multiple = kept});
	summarize(evaluation, whole);
	memset(whole->lying, 0, sizeof(whole->lying));
	form->whole = whole->alone || form->count == 0 ? NULL : whole;
	form->factor = (Span) {1, 1};
}

/* A total that the statement holds, read once for all terms that have it; NULL if it was longer before. */
static Whole *
whole_of(Evaluation *evaluation, const DpTermTotal *total, const char *terms)
{
	bool		found;
	Whole	   *whole = hash_search(evaluation->cache->wholes, &total->number, HASH_ENTER, &found);

	if (!found)
	{
		memset((char *) whole + sizeof(uint64), 0, sizeof(Whole) - sizeof(uint64));
		whole->linear = true;
	}
	if (whole->total.length > total->length || whole->total.count > total->count)
		return NULL;
	if (whole->total.length < total->length && whole->linear)
		extend(evaluation, whole, total, terms);
	return whole;
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
evaluate(const bytea *term, double level, bool cut, DpTermCache *cache)
{
	Evaluation	evaluation = {.cut = cut};
	Form		form;

	begin(&evaluation, term, cache);
	form = run(&evaluation);
	(void) interval_of(&evaluation, &form);

	/* A share rounded down misses less often. */
	evaluation.miss = fmax(down((1 - level) / Max(evaluation.events, 1)), DBL_MIN);
	form = run(&evaluation);
	return checked(interval_of(&evaluation, &form));
}

DpTermCache *
dp_rewrite_term_cache(MemoryContext statement)
{
	DpTermCache *cache = MemoryContextAllocZero(statement, sizeof(DpTermCache));

	cache->statement = statement;
	return cache;
}

uint64
dp_rewrite_term_work(const DpTermCache *cache)
{
	return cache->work;
}

void
dp_rewrite_term_ends(const bytea *term, double level, bool cut, DpTermCache *cache, double *low, double *high)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dp_agg interval", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Span		interval = evaluate(term, level, cut, cache);

	*low = interval.low;
	*high = interval.high;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* term_interval(term bytea, level float8) */
Datum
dp_rewrite_term_interval(PG_FUNCTION_ARGS)
{
	double		level;
	Span		interval;

	if (!dp_rewrite_read_level(fcinfo, 1, &level))
		PG_RETURN_NULL();
	if (fcinfo->flinfo->fn_extra == NULL)
		fcinfo->flinfo->fn_extra = dp_rewrite_term_cache(fcinfo->flinfo->fn_mcxt);
	dp_rewrite_term_ends(PG_GETARG_BYTEA_PP(0), level, true, fcinfo->flinfo->fn_extra, &interval.low, &interval.high);
	PG_RETURN_DATUM(dp_rewrite_make_range(widened(interval.low, -1), widened(interval.high, 1)));
}
