/*
 * units_model.h
 *	  What rows come to, worked out from their definition: every row is kept and sorted,
 *	  and each unit's values are added up with no regard to memory or speed.
 *
 * Which groups of a unit count is drawn, where they are more than max_groups.  Such units
 * are "coded": in measures of their own they add a digit, base four, to each group that
 * they count in, from one row of theirs there.  So an answer tells for which choice it
 * was made; that choice has to be of max_groups groups of the unit, and then the answer
 * has to be what the model makes of it, to the last bit, weights of cells too.  All other
 * units have no more than max_groups groups.
 */
#ifndef DP_UNITS_MODEL_H
#define DP_UNITS_MODEL_H

#include "units_world.h"

#include "units/collect.h"

#define MEASURES 7
#define MAX_KEY 10000

typedef struct Row
{
	uint32_t	unit;
	uint32_t	group;
	int64_t		place[MEASURES];
	uint32_t	part;			/* where rows come added up: so many, from this one on; 0: it is
								 * in another's part */
} Row;

typedef struct Case
{
	DpUnitsSpec spec;
	DpUnitsMeasure measure[MEASURES];
	int			first_code;		/* measure; the others after it are codes, too */
	uint32_t	per_code;		/* units */
	int			id_style;
	uint32_t	units;
	uint32_t	groups;
	uint32_t	rows;
	Row		   *row;
	__int128   *expected;		/* parts per group; and likewise */
	__int128   *found;
	uint64_t   *expected_weight;	/* spec.cells per group; and likewise */
	uint64_t   *found_weight;
	uint32_t   *visits;			/* per group: with totals */
	uint32_t   *cell_visits;	/* likewise: with nothing but weights */
	uint32_t   *stamp;			/* per cell: number of the visit that it was last seen in */
	uint32_t	all_visits;
	bool		longest_keys;	/* some are longer than what is read at once */
} Case;

/* Units that may have more than max_groups groups. */
static inline uint32_t
coded_units(const Case *test)
{
	return (uint32_t) (test->spec.measures - test->first_code) * test->per_code;
}

/* Ids that differ here or there.  The second word of an id of one does not count. */
static inline DpUnitId
unit_id(const Case *test, uint32_t unit)
{
	DpUnitId	id = {{(uint64_t) (int64_t) (int32_t) (unit - 3), unit % 2}};

	if (test->id_style == 1)
		id.word[0] = (uint64_t) unit << 40;
	if (test->spec.id_words == 1)
		return id;
	if (test->id_style == 0)
		return (DpUnitId) {{unit / 100, unit % 100}};
	if (test->id_style == 1)
		return (DpUnitId) {{id.word[0], (uint64_t) unit << 32}};
	return (DpUnitId) {{7, unit}};
}

/* Keys of all lengths, one of them empty; returns the length. */
static inline uint32_t
group_key(const Case *test, uint32_t group, uint8_t *key)
{
	static const uint32_t lengths[] = {3, 4, 7, 8, 14, 15, 16, 17, 31, 200};
	uint32_t	length = lengths[group % 10];

	if (!test->spec.grouped || group == 0)
		return 0;
	if (test->longest_keys && group % 97 == 13)
		length = 8185 + group % 14;
	if (group < 10)
		length = 1;
	for (uint32_t i = 0; i < length; i++)
		key[i] = i < 3 ? (uint8_t) (group >> (8 * i)) : (uint8_t) (group * 31 + i);
	return length;
}

/* The group with this key. */
static inline uint32_t
key_group(const Case *test, const uint8_t *key, uint32_t length)
{
	uint8_t		again[MAX_KEY];
	uint32_t	group = 0;

	for (uint32_t i = 0; i < length && i < 3; i++)
		group |= (uint32_t) key[i] << (8 * i);
	CLAIM(group < test->groups && group_key(test, group, again) == length &&
		  memcmp(key, again, length) == 0);
	return group;
}

/* Bernstein polynomials of a degree at a place: returns how many there are. */
static inline int
model_polynomials(int degree, int64_t place, int64_t width, __int128 *value)
{
	__int128	u = place;
	__int128	w = width - place;

	value[0] = degree == 0 ? 1 : degree == 1 ? w : w * w;
	value[1] = degree == 1 ? u : 2 * u * w;
	value[2] = u * u;
	return degree + 1;
}

static inline int64_t
model_clamp(int64_t place, int64_t lower, int64_t upper)
{
	return place < lower ? lower : place > upper ? upper : place;
}

/* Add the features of a row, straight from their definition. */
static inline void
model_features(const DpUnitsMeasure *measure, int64_t place, __int128 *feature)
{
	int64_t		width = measure->upper - measure->lower;
	int64_t		x = model_clamp(place, measure->lower, measure->upper) - measure->lower;
	int64_t		y = place & ((1 << 30) - 1);
	__int128	fx[3];
	__int128	fy[3];
	int			nx;
	int			ny;

	if (measure->shape != DP_MOMENTS_VARIANCE)
	{
		x = (place >> 30) & ((1 << 30) - 1);
		x = x > width ? width : x;
		y = y > measure->width_y ? measure->width_y : y;
	}
	nx = model_polynomials(measure->shape == DP_MOMENTS_COVARIANCE ? 1 : 2, x, width, fx);
	ny = model_polynomials(measure->shape == DP_MOMENTS_VARIANCE ? 0 :
						   measure->shape == DP_MOMENTS_CORRELATION ? 2 : 1, y, measure->width_y, fy);
	for (int i = 0; i < nx; i++)
		for (int j = 0; j < ny; j++)
			feature[i * ny + j] += fx[i] * fy[j];
}

/* Limit a unit's features to the rows that count; the first takes what rounding leaves. */
static inline void
model_limit(const DpUnitsMeasure *measure, const __int128 *feature, int64_t count, __int128 *total)
{
	int64_t		most = count < measure->max_rows ? count : measure->max_rows;
	DpMoment	rest = dp_aggregate_moments_whole(measure->shape, measure->upper - measure->lower,
												  measure->width_y) * (uint64_t) most;

	for (int i = 1; i < dp_aggregate_moments_parts(measure->shape); i++)
	{
		__int128	limited = feature[i] / count * most + feature[i] % count * most / count;

		total[i] += limited;
		rest -= (DpMoment) limited;
	}
	total[0] += (__int128) rest;
}

/*
 * A mean's sum, limited to the rows that count: to the nearest integer, ties to even, and
 * to the greatest of 64 bits.
 */
static inline void
model_mean(const DpUnitsMeasure *measure, __int128 sum, int64_t count, __int128 *total)
{
	int64_t		most = count < measure->max_rows ? count : measure->max_rows;
	__int128	scaled = sum * most / count;
	__int128	rest = sum * most % count;

	scaled += 2 * rest > count || (2 * rest == count && scaled % 2 == 1);
	total[0] += scaled < INT64_MAX ? scaled : INT64_MAX;
	total[1] += most;
}

/* A mean's sum, scaled down to so many rows: to the nearest integer, ties to even. */
static inline __int128
model_scaled(__int128 sum, int64_t most, int64_t count)
{
	__int128	scaled = sum * most / count;
	__int128	rest = sum * most % count;

	scaled += 2 * rest > count || (2 * rest == count && scaled % 2 == 1);
	return scaled < INT64_MAX ? scaled : INT64_MAX;
}

/*
 * What a unit adds to each step of a ladder: all it has to the first whose clamp holds it, or to the
 * last what that leaves; of a mean, to those below what they would leave.
 */
static inline void
model_ladder(const DpLadder *ladder, __int128 sum, int64_t count, __int128 *total)
{
	int			width = ladder->kind == DP_LADDER_MEAN ? 4 : ladder->kind == DP_LADDER_SIGNED ? 3 : 2;
	__int128	size = ladder->kind == DP_LADDER_MEAN ? count : sum < 0 ? -sum : sum;
	int			step = 0;

	for (; step < ladder->steps - 1 && (__int128) ladder->first << step < size; step++)
		if (ladder->kind == DP_LADDER_MEAN)
			total[step * width + 3] += model_scaled(sum, ladder->first << step, count);
	size = size < (__int128) ladder->first << step ? size : (__int128) ladder->first << step;
	total[step * width] += ladder->kind == DP_LADDER_MEAN ? model_scaled(sum, (int64_t) size, count)
		: sum < 0 ? -size : size;
	total[step * width + 1]++;
	if (ladder->kind == DP_LADDER_MEAN)
		total[step * width + 2] += size;
	else if (ladder->kind == DP_LADDER_SIGNED)
		total[step * width + 2] += (sum > 0) - (sum < 0);
}

/* What one unit contributes to a measure by its rows in one group. */
static inline void
model_measure(const DpUnitsMeasure *measure, int number, Row *const *row, uint32_t rows,
			  __int128 *total)
{
	__int128	sum = 0;
	__int128	feature[DP_MOMENTS_MOST] = {0};
	int64_t		count = 0;

	for (uint32_t i = 0; i < rows; i++)
	{
		int64_t		place = measure->constant ? 0 : row[i]->place[number];

		if (place == DP_GRID_NONE)
			continue;
		count++;
		if (measure->kind == DP_UNITS_MOMENTS)
			model_features(measure, place, feature);
		else if (measure->kind == DP_UNITS_MEAN)
			sum += model_clamp(place, measure->lower, measure->upper) - measure->lower;
		else if (measure->ladder.steps > 0)
			sum += model_clamp(place, measure->lower, measure->upper);
		else
			sum += place;
	}
	if (measure->ladder.steps > 0)
	{
		if (measure->kind == DP_UNITS_ROWS)
			model_ladder(&measure->ladder, count < measure->max_rows ? count : measure->max_rows, 0, total);
		else if (count > 0)
			model_ladder(&measure->ladder, sum, count, total);
	}
	else if (measure->kind == DP_UNITS_ROWS)
		total[0] += count < measure->max_rows ? count : measure->max_rows;
	else if (measure->kind == DP_UNITS_CELLS)
		total[0] += count;
	else if (measure->kind == DP_UNITS_SUM && count > 0)
		total[0] += sum < measure->lower ? measure->lower : sum > measure->upper ? measure->upper : sum;
	else if (measure->kind == DP_UNITS_MEAN && count > 0)
		model_mean(measure, sum, count, total);
	else if (measure->kind == DP_UNITS_MOMENTS && count > 0)
		model_limit(measure, feature, count, total);
}

/*
 * Add what the rows of one unit in one group weigh: each the same, 2^16 unless there are
 * more than count, and all no more than as many as count.
 */
static inline void
model_weigh(const DpUnitsMeasure *measure, int number, Row *const *row, uint32_t rows,
			uint64_t *weight)
{
	uint64_t	most = (uint64_t) measure->max_rows << DP_CELL_WEIGHT_BITS;
	uint64_t	count = 0;
	uint64_t	all = 0;
	uint64_t	each;

	if (measure->kind != DP_UNITS_CELLS)
		return;
	for (uint32_t i = 0; i < rows; i++)
		count += row[i]->place[number] != DP_GRID_NONE;
	each = count > (uint64_t) measure->max_rows ? most / count : UINT64_C(65536);
	for (uint32_t i = 0; i < rows; i++)
	{
		int64_t		place = row[i]->place[number];

		if (place == DP_GRID_NONE)
			continue;
		CLAIM(place >= 0 && place < (int64_t) measure->cells);
		weight[measure->first_cell + place] += each;
		all += each;
	}
	CLAIM(all <= most);
}

/* By unit and group. */
static inline int
compare_rows(const void *x, const void *y)
{
	const Row  *a = *(Row *const *) x;
	const Row  *b = *(Row *const *) y;

	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return a->group < b->group ? -1 : a->group > b->group;
}

/* Does an answer say that the unit counts in a group?  How often? */
static inline int
model_digit(const Case *test, uint32_t unit, uint32_t group)
{
	const DpUnitsMeasure *code = &test->measure[test->first_code + (int) (unit / test->per_code)];
	__int128	total = test->found[(size_t) group * test->spec.parts + code->part];

	return (int) (total >> (2 * (unit % test->per_code))) & 3;
}

/* Add what a unit's rows in one group come to. */
static inline void
model_contribute(Case *test, Row *const *row, uint32_t rows)
{
	__int128   *total = test->expected + (size_t) row[0]->group * test->spec.parts;

	total[0]++;
	for (int i = 0; i < test->spec.measures; i++)
	{
		model_measure(&test->measure[i], i, row, rows, total + test->measure[i].part);
		model_weigh(&test->measure[i], i, row, rows,
					test->expected_weight + (size_t) row[0]->group * test->spec.cells);
	}
}

/* Add what a unit's rows come to; false if the answer's choice of groups cannot be. */
static inline bool
model_unit(Case *test, Row *const *row, uint32_t rows)
{
	uint32_t	groups = 1;
	uint32_t	chosen = 0;

	for (uint32_t i = 1; i < rows; i++)
		groups += row[i]->group != row[i - 1]->group;
	CLAIM(groups <= test->spec.max_groups || row[0]->unit < coded_units(test));
	for (uint32_t i = 0, end; i < rows; i = end)
	{
		int			digit = 1;

		for (end = i; end < rows && row[end]->group == row[i]->group; end++)
			;
		if (groups > test->spec.max_groups)
			digit = model_digit(test, row[0]->unit, row[i]->group);
		if (digit > 1)
			return false;
		chosen += digit;
		if (digit == 1)
			model_contribute(test, row + i, end - i);
	}
	return chosen == (groups < test->spec.max_groups ? groups : test->spec.max_groups);
}

/* Bytes of the weights of all cells. */
static inline size_t
weights_size(const Case *test)
{
	return (size_t) test->groups * test->spec.cells * sizeof(uint64_t);
}

/*
 * Is what was found an answer to the case, in which no group was visited oftener than that,
 * be it for totals or for weights alone?
 */
static inline bool
model_admits(Case *test, uint32_t most_visits)
{
	size_t		size = (size_t) test->groups * test->spec.parts * sizeof(__int128);
	Row		  **row = malloc((test->rows + 1) * sizeof(*row));
	bool		good = true;

	memset(test->expected, 0, size);
	memset(test->expected_weight, 0, weights_size(test));
	for (uint32_t i = 0; i < test->rows; i++)
	{
		row[i] = &test->row[i];
		if (test->spec.single)
			row[i]->unit = UINT32_MAX / 2 + i;
	}
	qsort(row, test->rows, sizeof(*row), compare_rows);
	for (uint32_t i = 0, end; i < test->rows && good; i = end)
	{
		for (end = i; end < test->rows && row[end]->unit == row[i]->unit; end++)
			;
		good = model_unit(test, row + i, end - i);
	}
	free(row);
	for (uint32_t i = 0; i < test->groups; i++)
		good = good && test->visits[i] <= most_visits && test->cell_visits[i] <= most_visits &&
			(test->visits[i] > 0) == (test->expected[(size_t) i * test->spec.parts] != 0);
	return good && memcmp(test->expected, test->found, size) == 0 &&
		memcmp(test->expected_weight, test->found_weight, weights_size(test)) == 0;
}

/* Forget what was found. */
static inline void
forget_found(Case *test)
{
	memset(test->found, 0, (size_t) test->groups * test->spec.parts * sizeof(__int128));
	memset(test->found_weight, 0, weights_size(test));
	memset(test->visits, 0, test->groups * sizeof(uint32_t));
	memset(test->cell_visits, 0, test->groups * sizeof(uint32_t));
	memset(test->stamp, 0, (test->spec.cells + 1) * sizeof(uint32_t));
	test->all_visits = 0;
}

/* Were weights visited without totals, since there was no room for an array of them? */
static inline bool
logged_weights(const Case *test)
{
	for (uint32_t i = 0; i < test->groups; i++)
		if (test->cell_visits[i] > 0)
			return true;
	return false;
}

/* Cells of a group with their weights: none twice. */
static inline void
note_cells(Case *test, uint32_t group, const DpGroupTotals *found)
{
	for (uint32_t i = 0; i < found->weights; i++)
	{
		uint32_t	cell = found->weight[i].cell;

		CLAIM(cell < test->spec.cells && found->weight[i].weight > 0);
		CLAIM(test->stamp[cell] != test->all_visits);
		test->stamp[cell] = test->all_visits;
		test->found_weight[(size_t) group * test->spec.cells + cell] += found->weight[i].weight;
	}
}

/* A group with its totals, or with weights of cells alone, or both. */
static inline void
note_group(void *context, const uint8_t *key, uint32_t length, const DpGroupTotals *found)
{
	Case	   *test = context;
	uint32_t	group = key_group(test, key, length);

	CLAIM(!world.failed && (dp_units_counts(&test->spec, found->totals) || found->weights > 0));
	test->all_visits++;
	if (found->totals[0] != 0)
		test->visits[group]++;
	else
		test->cell_visits[group]++;
	if (test->spec.single)
		for (int i = 0; i < test->spec.measures; i++)
			dp_units_acc_finish_singles(&test->measure[i], found->totals);
	for (int i = 0; i < test->spec.parts; i++)
		test->found[(size_t) group * test->spec.parts + i] += found->totals[i];
	note_cells(test, group, found);
}

/* How many of a quantile's rows in a part are in each of their cells: returns how many cells there are. */
static inline uint32_t
count_part_cells(const Row *row, int measure, uint32_t *cell, uint64_t *count)
{
	uint32_t	cells = 0;

	for (uint32_t i = 0; i < row->part; i++)
	{
		uint32_t	j = 0;

		if (row[i].place[measure] == DP_GRID_NONE)
			continue;
		while (j < cells && cell[j] != (uint32_t) row[i].place[measure])
			j++;
		if (j == cells)
		{
			cell[cells] = (uint32_t) row[i].place[measure];
			count[cells++] = 0;
		}
		count[j]++;
	}
	return cells;
}

#define MAX_PART 8

/* What a part's rows add up to, with their n-th cells; false if there is nothing. */
static inline bool
add_up_part(const Case *test, const Row *row, uint32_t n, uint8_t *acc)
{
	bool		any = n == 0;

	memset(acc, 0, test->spec.acc_size);
	for (int m = 0; m < test->spec.measures; m++)
	{
		const DpUnitsMeasure *measure = &test->measure[m];
		uint32_t	cell[MAX_PART];
		uint64_t	count[MAX_PART];

		if (measure->kind == DP_UNITS_CELLS && n < count_part_cells(row, m, cell, count))
		{
			dp_units_acc_store64(acc + measure->offset, count[n]);
			dp_units_acc_store32(acc + measure->offset + sizeof(uint64_t), cell[n]);
			any = true;
		}
		for (uint32_t i = 0; n == 0 && measure->kind != DP_UNITS_CELLS && i < row->part; i++)
			if (measure->constant || row[i].place[m] != DP_GRID_NONE)
				dp_units_acc_add(measure, acc, measure->constant ? 0 : row[i].place[m]);
	}
	return any;
}

/* A part of a group with this number or id. */
static inline void
collect_part(const Case *test, DpCollect *collect, const Row *row, const void *group)
{
	uint8_t		acc[MEASURES * 128];
	DpUnitId	unit = unit_id(test, row->unit);

	CLAIM(test->spec.acc_size <= (int) sizeof(acc) && row->part <= MAX_PART);
	for (uint32_t n = 0; row->part > 0 && add_up_part(test, row, n, acc); n++)
		dp_units_collect_put_added(collect, collect->wide ? collect->identified : collect->numbered, &unit, group,
								   dp_units_record_group_size(&test->spec, collect->wide), acc);
}

/* The number of rows' group, or its id. */
static inline void
collect_row(const Case *test, DpCollect *collect, const Row *row)
{
	uint8_t		key[MAX_KEY];
	uint32_t	length = group_key(test, row->group, key);
	DpUnitId	unit = unit_id(test, row->unit);
	DpUnitId	id;
	uint32_t	number = 0;

	if (collect->wide)
		id = dp_units_collect_identify(collect, key, length);
	else
		number = dp_units_intern(&collect->groups, key, length);
	if (test->spec.by_parts)
		collect_part(test, collect, row, collect->wide ? (void *) &id : (void *) &number);
	else if (collect->wide)
		dp_units_collect_add_identified(collect, &unit, &id, row->place);
	else if (!dp_units_collect_add_direct(collect, &unit, row->place, 1))
		dp_units_collect_add(collect, &unit, number, row->place);
}

/* A row that is all its unit has. */
static inline void
collect_single(const Case *test, DpCollect *collect, const Row *row)
{
	uint8_t		key[MAX_KEY];
	uint32_t	length = group_key(test, row->group, key);
	__int128	single[1 + MEASURES * DP_MOMENTS_MOST] = {0};
	__int128   *totals = single;
	DpUnitId	id = dp_units_group_id(&test->spec.secret, key, length);

	if (!collect->wide)
		totals = dp_units_totals(&collect->groups, dp_units_intern(&collect->groups, key, length));
	totals[0]++;
	for (int i = 0; i < test->spec.measures; i++)
		if (test->measure[i].constant || row->place[i] != DP_GRID_NONE)
			dp_units_acc_add_single(&test->measure[i], test->measure[i].constant ? 0 : row->place[i], totals);
	if (collect->wide)
		dp_units_contributions_put(&collect->contributions, &id,
								   dp_units_collect_key_place(collect, &id, key, length), totals);
}

/* Collect a row, and widen where that is due or wanted. */
static inline void
collect_next(const Case *test, DpCollect *collect, const Row *row, bool widen)
{
	if (!collect->wide && test->spec.grouped && (widen || dp_units_collect_is_full(collect)))
		dp_units_collect_widen(collect);
	if (test->spec.single)
		collect_single(test, collect, row);
	else
		collect_row(test, collect, row);
}

/* Groups that no row falls into, but a row without a unit did. */
static inline void
meet_groups(const Case *test, DpCollect *collect)
{
	uint8_t		key[MAX_KEY];

	for (uint32_t group = 0; group < test->groups; group += 1 + test->groups / 8)
	{
		uint32_t	length = group_key(test, group, key);

		if (collect->wide)
			dp_units_collect_identify(collect, key, length);
		else
			dp_units_intern(&collect->groups, key, length);
	}
}

/* One process collects all rows, with ids of groups from that row on at the latest. */
static inline void
run_alone(Case *test, uint32_t widen_at)
{
	DpCollect	collect;

	forget_found(test);
	test->spec.processes = 1;
	dp_units_collect_create(&collect, &world_memory, &world_files, &test->spec, 0, NULL);
	for (uint32_t i = 0; i < test->rows; i++)
		collect_next(test, &collect, &test->row[i], i >= widen_at);
	if (!test->spec.single)
		meet_groups(test, &collect);
	dp_units_collect_finish(&collect, note_group, test);
	dp_units_collect_destroy(&collect);
}

/* A case's arrays; its rows and measures are there. */
static inline void
prepare_case(Case *test)
{
	test->spec.small_ids = test->spec.id_words == 1 && test->id_style != 1 && test->units % 2 == 0;
	dp_units_lay_out(&test->spec);
	test->expected = malloc((size_t) test->groups * test->spec.parts * sizeof(__int128));
	test->found = malloc((size_t) test->groups * test->spec.parts * sizeof(__int128));
	test->expected_weight = malloc(weights_size(test) + 1);
	test->found_weight = malloc(weights_size(test) + 1);
	test->visits = malloc(test->groups * sizeof(uint32_t));
	test->cell_visits = malloc(test->groups * sizeof(uint32_t));
	test->stamp = malloc((test->spec.cells + 1) * sizeof(uint32_t));
}

static inline void
free_case(Case *test)
{
	free(test->expected);
	free(test->found);
	free(test->expected_weight);
	free(test->found_weight);
	free(test->visits);
	free(test->cell_visits);
	free(test->stamp);
	free(test->row);
}

/* A secret as the server draws it. */
static inline void
draw_secret(DpUnitsSecret *secret)
{
	for (size_t i = 0; i < sizeof(DpUnitsSecret) / 8; i++)
		((uint64_t *) secret)[i] = data64();
	secret->factor[0] |= 1;
	secret->factor[1] |= 1;
}

#endif							/* DP_UNITS_MODEL_H */
