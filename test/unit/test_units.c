/*
 * test_units.c
 *	  The hash table of units against a model that keeps every row: totals per
 *	  group, whatever the order of rows, in one piece or taken out and combined
 *	  part by part, with few and many groups, measures and kinds of units.
 *
 * The model sorts each unit's groups by priority; SipHash itself is compared
 * with OpenSSL's.  Inputs are random, what is claimed holds for all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include "tap.h"

#include "units/held.h"

#define MEASURES 6
#define MAX_GROUPS 3000
#define MAX_PARTS (1 + 9 * MEASURES)

static uint64_t random_state;

static uint64_t
random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

static int
random_below(int n)
{
	return (int) ((random64() >> 32) % (uint64_t) n);
}

/* Memory that counts what is not given back, and the most there was at once. */
static size_t outstanding;
static size_t most;

/*
 * Breaths since the last allocation, and pieces of memory that were filled between
 * two without a breath for each: what is new is full, or twice what is copied.
 */
static size_t breaths;
static size_t all_breaths;
static size_t last_allocated;
static size_t large_allocations;
static size_t breathless;

static void
count_breathless(void)
{
	large_allocations += last_allocated / 2 > DP_UNITS_PIECE;
	breathless += breaths + 1 < last_allocated / 2 / DP_UNITS_PIECE;
	last_allocated = breaths = 0;
}

static void *
allocate(void *context, size_t size)
{
	void	   *block = aligned_alloc(64, (size + 63) & ~(size_t) 63);

	(void) context;
	if (block == NULL)
		abort();
	count_breathless();
	last_allocated = size;
	outstanding += size;
	most = outstanding > most ? outstanding : most;
	return memset(block, 0, size);
}

static void
release(void *context, void *block, size_t size)
{
	(void) context;
	count_breathless();
	outstanding -= size;
	free(block);
}

/* Records a sink took since the last breath, and the most between two. */
static uint32_t taken;
static uint32_t most_taken;

static void
breathe(void)
{
	taken = 0;
	breaths++;
	all_breaths++;
}

static const DpUnitsMemory memory = {NULL, allocate, release, breathe};

typedef struct InputRow
{
	int			unit;
	int			group;
	int64_t		place[MEASURES];
} InputRow;

typedef struct Case
{
	DpUnitsSpec spec;
	DpUnitsMeasure measure[MEASURES];
	int			units;
	int			groups;
	int			rows;
	InputRow   *row;
} Case;

static __int128 expected[MAX_GROUPS][MAX_PARTS];
static __int128 found[MAX_GROUPS][MAX_PARTS];

static DpUnitId
unit_id(const Case *test, int unit)
{
	DpUnitId	id = {{(uint64_t) (unit / 100) - 3, (uint64_t) (unit % 100)}};

	if (test->spec.id_words == 1)
		id.word[0] = (uint64_t) (int64_t) (unit - 3);
	return id;
}

/* Keys of various lengths, one of them empty. */
static uint32_t
group_key(int group, char *key)
{
	return group == 0 ? 0 : (uint32_t) sprintf(key, "%*d", group % 23 + 1, group);
}

/* Bernstein polynomials of a degree at a place: returns how many there are. */
static int
model_polynomials(int degree, int64_t place, int64_t width, __int128 *value)
{
	__int128	u = place;
	__int128	w = width - place;

	value[0] = degree == 0 ? 1 : degree == 1 ? w : w * w;
	value[1] = degree == 1 ? u : 2 * u * w;
	value[2] = u * u;
	return degree + 1;
}

/* Add the features of a row, straight from their definition. */
static void
model_features(const DpUnitsMeasure *measure, int64_t place, __int128 *feature)
{
	int64_t		width = measure->upper - measure->lower;
	int64_t		x = (place < measure->lower ? measure->lower : place > measure->upper ? measure->upper : place) - measure->lower;
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
static void
model_limit(const DpUnitsMeasure *measure, const __int128 *feature, int64_t count, __int128 *total)
{
	int64_t		most = count < measure->max_rows ? count : measure->max_rows;
	__int128	rest = 0;

	for (int i = 0; i < dp_moments_parts(measure->shape); i++)
		rest += feature[i] / count * most + feature[i] % count * most / count;
	for (int i = 1; i < dp_moments_parts(measure->shape); i++)
		total[i] += feature[i] / count * most + feature[i] % count * most / count;
	rest -= feature[0] / count * most + feature[0] % count * most / count;
	total[0] += dp_moments_whole(measure->shape, measure->upper - measure->lower, measure->width_y) * (uint64_t) most - (DpMoment) rest;
}

/* What one unit contributes to a measure by its rows in one group. */
static void
model_measure(const DpUnitsMeasure *measure, int number, InputRow **row, int rows, __int128 *total)
{
	__int128	sum = 0;
	__int128	feature[DP_MOMENTS_MOST] = {0};
	int64_t		count = 0;

	for (int i = 0; i < rows; i++)
	{
		int64_t		place = row[i]->place[number];

		if (place == DP_GRID_NONE)
			continue;
		count++;
		if (measure->kind == DP_UNITS_MOMENTS)
			model_features(measure, place, feature);
		else if (measure->kind == DP_UNITS_MEAN)
			sum += (place < measure->lower ? measure->lower : place > measure->upper ? measure->upper : place) - measure->lower;
		else
			sum += place;
	}
	if (measure->kind == DP_UNITS_ROWS)
		total[0] += count < measure->max_rows ? count : measure->max_rows;
	else if (measure->kind == DP_UNITS_SUM && count > 0)
		total[0] += sum < measure->lower ? measure->lower : sum > measure->upper ? measure->upper : sum;
	else if (measure->kind == DP_UNITS_MEAN && count > 0)
	{
		int64_t		most = count < measure->max_rows ? count : measure->max_rows;
		__int128	scaled = sum * most / count;
		__int128	rest = sum * most % count;

		total[0] += scaled + (2 * rest > count || (2 * rest == count && scaled % 2 == 1));
		total[1] += most;
	}
	else if (measure->kind == DP_UNITS_MOMENTS && count > 0)
		model_limit(measure, feature, count, total);
}

static const Case *sorting;

static uint64_t
model_priority(const Case *test, int unit, int group)
{
	DpUnitId	id = unit_id(test, unit);
	char		key[32];
	uint32_t	length = group_key(group, key);
	uint64_t	message[3] = {id.word[0], id.word[1]};

	message[test->spec.id_words] = dp_sip64(&test->spec.secret.group, key, length);
	return dp_sip64(&test->spec.secret.priority, message, (test->spec.id_words + 1) * 8);
}

/* By unit, priority and group. */
static int
compare_rows(const void *x, const void *y)
{
	const InputRow *a = *(InputRow *const *) x;
	const InputRow *b = *(InputRow *const *) y;
	uint64_t	p;
	uint64_t	q;

	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	if (a->group == b->group)
		return 0;
	p = model_priority(sorting, a->unit, a->group);
	q = model_priority(sorting, b->unit, b->group);
	return p < q ? -1 : 1;
}

static void
model(const Case *test)
{
	InputRow  **row = malloc(test->rows * sizeof(*row) + 1);
	uint32_t	kept = 0;

	memset(expected, 0, sizeof(expected));
	for (int i = 0; i < test->rows; i++)
		row[i] = &test->row[i];
	sorting = test;
	qsort(row, test->rows, sizeof(*row), compare_rows);
	for (int i = 0, end; i < test->rows; i = end)
	{
		__int128   *total = expected[row[i]->group];

		for (end = i; end < test->rows && compare_rows(&row[i], &row[end]) == 0; end++)
			;
		kept = i > 0 && row[i - 1]->unit == row[i]->unit ? kept + 1 : 1;
		if (kept > test->spec.max_groups)
			continue;
		total[0]++;
		for (int j = 0; j < test->spec.measures; j++)
			model_measure(&test->measure[j], j, row + i, end - i, total + test->measure[j].part);
	}
	free(row);
}

/* Add a table's totals to what was found, and empty it. */
static void
collect(const Case *test, DpUnits *units, int parts)
{
	DpUnitsGroups *groups = dp_units_groups(units);

	dp_units_finish(units);
	for (uint32_t i = 0; i < groups->count; i++)
	{
		char		text[32] = "";
		int			group;

		memcpy(text, dp_units_key(&groups->group[i]), groups->group[i].length);
		group = test->spec.grouped ? atoi(text) : 0;
		for (int j = 0; j < parts; j++)
			found[group][j] += dp_units_totals(groups, i)[j];
	}
	dp_units_reset_groups(groups);
}

/* What a sink takes, kept by partition. */
#define BITS 2

typedef struct Record
{
	struct Record *next;
	DpUnitId	id;
	uint32_t	length;
	char		key[32];
	uint8_t		acc[MEASURES * 136];
} Record;

typedef struct ListSink
{
	DpUnitsSink sink;
	int			acc_size;
	Record	   *record[1 << BITS];
} ListSink;

static void
take(DpUnitsSink *sink, const DpUnitId *id, uint32_t partition, const DpUnitsGroups *groups,
	 uint32_t number, const uint8_t *accumulators)
{
	const DpUnitsGroup *group = &groups->group[number];
	ListSink   *list = (ListSink *) sink;
	Record	   *record = malloc(sizeof(Record));

	record->next = list->record[partition];
	record->id = *id;
	record->length = group->length;
	memcpy(record->key, dp_units_key(group), group->length);
	memcpy(record->acc, accumulators, list->acc_size);
	list->record[partition] = record;
}

/* Work through the partitions of a level, dividing them again where needed. */
static void
work_off(const Case *test, DpUnits *units, ListSink *list, int parts, int level)
{
	for (int p = 0; p < 1 << BITS; p++)
	{
		ListSink	deeper = {{take, BITS}, list->acc_size, {0}};
		bool		dumped = false;

		dp_units_set_level(units, level);
		while (list->record[p])
		{
			Record	   *record = list->record[p];

			dp_units_combine(units, &record->id,
							 dp_units_intern(dp_units_groups(units), record->key, record->length),
							 record->acc);
			list->record[p] = record->next;
			free(record);
			if (dp_units_must_flush(units))
				dp_units_flush(units);
			if (dp_units_is_full(units) && dp_units_count(units) > 1 && level < 3)
			{
				dp_units_dump(units, &deeper.sink);
				dumped = true;
			}
		}
		if (dumped)
		{
			dp_units_dump(units, &deeper.sink);
			work_off(test, units, &deeper, parts, level + 1);
		}
		else
			collect(test, units, parts);
	}
}

/* Add a row, half of them as rows that were packed for this table. */
static void
add_row(const Case *test, DpUnits *units, const InputRow *row, const DpUnitId *id, uint32_t group)
{
	DpUnitId	hashed = dp_units_hashed(test->spec.secret.place, test->spec.id_words, id);
	const DpHeld *packing = dp_units_packing(units);
	uint8_t    *packed;

	if (random_below(2) == 0)
	{
		dp_units_add(units, id, group, row->place);
		return;
	}
	packed = malloc(packing->row_size);
	if (!dp_held_write(packing, packed, hashed.word[0], hashed.word[1], ~group, row->place))
		dp_units_add_hashed(units, &hashed, group, row->place);
	else
	{
		if (dp_held_hash(packed) != hashed.word[0] ||
			dp_held_second(packing, packed) != hashed.word[1] ||
			dp_held_group(packing, packed) != ~group)
			ok(false, "a packed row says what it is");
		dp_units_add_packed(units, packed, group);
	}
	free(packed);
}

/* Run the rows of a case through a table with this limit of memory, held back by parts or not. */
static void
run(Case *test, size_t limit, bool divided, int *dumps)
{
	int			acc_size;
	int			parts = dp_units_lay_out(&test->spec, &acc_size);
	DpUnits    *units;
	ListSink	list = {{take, BITS}, acc_size, {0}};
	size_t		before = outstanding;

	test->spec.limit = limit;
	units = dp_units_create(&test->spec, &memory);
	if (divided)
		dp_units_divide(units);
	memset(found, 0, sizeof(found));
	*dumps = 0;
	for (int i = 0; i < test->rows; i++)
	{
		InputRow   *row = &test->row[i];
		DpUnitId	id = unit_id(test, row->unit);
		char		key[32];
		uint32_t	length = group_key(row->group, key);
		uint32_t	group = dp_units_intern(dp_units_groups(units), key, length);

		add_row(test, units, row, &id, group);
		if (dp_units_must_flush(units))
			dp_units_flush(units);
		if (dp_units_is_full(units))
		{
			dp_units_dump(units, &list.sink);
			++*dumps;
		}
	}
	if (*dumps > 0)
	{
		dp_units_dump(units, &list.sink);
		work_off(test, units, &list, parts, 1);
	}
	else
		collect(test, units, parts);
	dp_units_destroy(units);
	if (outstanding != before)
		ok(false, "memory is given back: %zu bytes are not", outstanding - before);
}

/* Add up rows that are units, without a table; groups are found once they are there. */
static void
run_singles(Case *test, int *astray)
{
	int			acc_size;
	DpUnitsGroups groups;

	dp_units_create_groups(&groups, &memory, &test->spec.secret.group,
						   dp_units_lay_out(&test->spec, &acc_size));
	memset(found, 0, sizeof(found));
	for (int i = 0; i < test->rows; i++)
	{
		InputRow   *row = &test->row[i];
		char		key[32];
		uint32_t	length = group_key(row->group, key);
		uint32_t	known = dp_units_find(&groups, key, length);
		uint32_t	count = groups.count;
		uint32_t	group = dp_units_intern(&groups, key, length);

		*astray += known == DP_NO_GROUP ? group != count : known != group || groups.count != count;
		row->unit = i;
		dp_units_totals(&groups, group)[0]++;
		for (int j = 0; j < test->spec.measures; j++)
			if (row->place[j] != DP_GRID_NONE)
				dp_acc_add_single(&test->measure[j], row->place[j], dp_units_totals(&groups, group));
	}
	for (uint32_t i = 0; i < groups.count; i++)
	{
		char		text[32] = "";
		__int128   *totals = dp_units_totals(&groups, i);

		memcpy(text, dp_units_key(&groups.group[i]), groups.group[i].length);
		for (int j = 0; j < test->spec.measures; j++)
			dp_acc_finish_singles(&test->measure[j], totals);
		memcpy(found[test->spec.grouped ? atoi(text) : 0], totals, groups.parts * sizeof(*totals));
	}
	dp_units_destroy_groups(&groups);
}

static int64_t
random_place(const DpUnitsMeasure *measure)
{
	if (random_below(10) == 0)
		return DP_GRID_NONE;
	if (measure->kind == DP_UNITS_SUM && !measure->small && random_below(3) == 0)
		return random_below(2) ? DP_GRID_LIMIT : -DP_GRID_LIMIT;
	if (measure->kind == DP_UNITS_SUM && random_below(20) == 0)
		return random_below(2) ? INT32_MIN : INT32_MAX;
	if (measure->kind == DP_UNITS_MEAN && random_below(3) == 0)
		return (int64_t) random64() / 2;
	if (measure->kind == DP_UNITS_MOMENTS && random_below(3) != 0)
		return random64() >> 4;
	return random_below(2000) - 1000;
}

static void
make_case(Case *test)
{
	static const uint32_t limits[] = {1, 2, 3, 4, 5, 9, 32, 33, 40, 200};
	int			shape = random_below(4);

	memset(test, 0, sizeof(*test));
	test->spec.id_words = 1 + random_below(2);
	test->spec.grouped = random_below(6) != 0;
	test->spec.max_groups = test->spec.grouped ? limits[random_below(10)] : 1;
	test->spec.measures = random_below(MEASURES + 1);
	test->spec.measure = test->measure;
	for (size_t i = 0; i < sizeof(DpUnitsSecret) / 8; i++)
		((uint64_t *) &test->spec.secret)[i] = random64();
	for (int i = 0; i < test->spec.measures; i++)
	{
		DpUnitsMeasure *measure = &test->measure[i];

		measure->kind = (DpUnitsKind) random_below(5);
		measure->small = random_below(2);
		measure->max_rows = 1 + random_below(6);
		measure->lower = random_below(400) - 200;
		measure->upper = measure->lower + random_below(4000);
		if (random_below(3) == 0 && !measure->small)
		{
			measure->lower = -DP_GRID_LIMIT / 32;
			measure->upper = DP_GRID_LIMIT / 32;
		}
		measure->shape = (DpMomentsShape) random_below(DP_MOMENTS_SHAPES);
		if (measure->kind == DP_UNITS_MOMENTS)
		{
			int64_t		most = INT64_C(1) << dp_moments_bits(measure->shape);

			measure->width_y = random_below(2) ? most : random_below(1000);
			measure->upper = measure->lower + (random_below(2) ? most : random_below(1000));
		}
	}
	test->units = 1 + random_below(shape == 0 ? 3 : 3000);
	test->groups = test->spec.grouped ? 1 + random_below(shape == 1 ? 3 : 1000) : 1;
	test->rows = random_below(12000);
	test->row = calloc(test->rows + 1, sizeof(InputRow));
	for (int i = 0; i < test->rows; i++)
	{
		/* Units are heavy-tailed. */
		test->row[i].unit = random_below(1 + random_below(test->units));
		test->row[i].group = random_below(test->groups);
		for (int j = 0; j < test->spec.measures; j++)
			test->row[i].place[j] = random_place(&test->measure[j]);
	}
}

static void
shuffle(Case *test)
{
	for (int i = test->rows - 1; i > 0; i--)
	{
		int			j = random_below(i + 1);
		InputRow	row = test->row[i];

		test->row[i] = test->row[j];
		test->row[j] = row;
	}
}

/* SipHash of random messages, by OpenSSL. */
static bool
siphash_agrees(void)
{
	EVP_MAC    *mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);

	for (unsigned length = 0; mac && length < 70; length++)
	{
		uint8_t		message[80];
		uint8_t		output[16];
		DpSipKey	key = {{random64(), random64()}};
		uint64_t	words[2];
		uint64_t	wide[2];
		uint64_t	narrow;

		for (unsigned i = 0; i < sizeof(message); i++)
			message[i] = (uint8_t) random64();
		for (unsigned size = 8; size <= 16; size += 8)
		{
			OSSL_PARAM	params[] = {OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_SIZE, &size), OSSL_PARAM_END};
			EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
			size_t		written;

			if (!EVP_MAC_init(context, (uint8_t *) key.word, 16, params) ||
				!EVP_MAC_update(context, message, length) ||
				!EVP_MAC_final(context, output, &written, sizeof(output)) || written != size)
				return false;
			EVP_MAC_CTX_free(context);
			memcpy(size == 8 ? &narrow : wide, output, size);
		}
		if (narrow != dp_sip64(&key, message, length))
			return false;
		dp_sip128(&key, message, length, words);
		if (memcmp(words, wide, 16) != 0)
			return false;
		memcpy(words, message, 16);
		if (dp_sip64_words(&key, words, 2) != dp_sip64(&key, message, 16))
			return false;
	}
	EVP_MAC_free(mac);
	return mac != NULL;
}

/* How often each of five groups is among the two kept: chi-square, 4 degrees. */
static void
choice_is_uniform(void)
{
	const int	trials = 20000;
	int			kept[5] = {0};
	double		chi = 0;

	for (int t = 0; t < trials; t++)
	{
		DpUnitsSpec spec = {.id_words = 1, .grouped = true, .max_groups = 2, .limit = 1 << 20};
		DpUnitId	id = {{7}};
		DpUnits    *units;

		for (size_t i = 0; i < sizeof(DpUnitsSecret) / 8; i++)
			((uint64_t *) &spec.secret)[i] = random64();
		units = dp_units_create(&spec, &memory);
		for (int i = 0; i < 30; i++)
			dp_units_add(units, &id, dp_units_intern(dp_units_groups(units), "same", i % 5), NULL);
		dp_units_finish(units);
		for (uint32_t g = 0; g < dp_units_groups(units)->count; g++)
			kept[dp_units_groups(units)->group[g].length] += (int) dp_units_totals(dp_units_groups(units), g)[0];
		dp_units_destroy(units);
	}
	for (int i = 0; i < 5; i++)
		chi += (kept[i] - trials * 0.4) * (kept[i] - trials * 0.4) / (trials * 0.4 * 0.6) * 0.8;
	ok(kept[0] + kept[1] + kept[2] + kept[3] + kept[4] == 2 * trials, "two groups are kept each time");
	/* P[chi2_4 > 50] = 3.6e-10 */
	ok(chi < 50, "each as likely: chi-square %.1f", chi);
}

static void
count_taken(DpUnitsSink *sink, const DpUnitId *id, uint32_t partition, const DpUnitsGroups *groups,
			uint32_t group, const uint8_t *accumulators)
{
	(void) sink, (void) id, (void) partition, (void) groups, (void) group, (void) accumulators;
	taken++;
	most_taken = taken > most_taken ? taken : most_taken;
}

/* A key of a group, of so many bytes. */
static uint32_t
intern_long(DpUnits *table, int group, size_t length)
{
	char		key[256] = {0};

	memcpy(key, &group, sizeof(group));
	return dp_units_intern(dp_units_groups(table), key, (uint32_t) length);
}

/*
 * Put rows of so many units, group after group, with keys of so many bytes, through a
 * table, emptied whenever it is full.
 */
static int
fill(int rows, int units, int groups, size_t key, size_t limit, bool divided)
{
	DpUnitsSpec spec = {.id_words = 1, .grouped = true, .max_groups = (uint32_t) groups, .limit = limit};
	DpUnitsSink sink = {count_taken, BITS};
	DpUnits    *table = dp_units_create(&spec, &memory);
	int			dumps = 0;

	if (divided)
		dp_units_divide(table);
	for (int i = 0; i < rows; i++)
	{
		DpUnitId	id = {{(uint64_t) (i % units)}};
		int			group = (int) ((int64_t) i * groups / rows);

		dp_units_add(table, &id, intern_long(table, group, key), NULL);
		if (dp_units_must_flush(table))
			dp_units_flush(table);
		if (dp_units_is_full(table))
		{
			dp_units_dump(table, &sink);
			dumps++;
		}
	}
	dp_units_dump(table, &sink);
	dp_units_destroy(table);
	return dumps;
}

/*
 * Memory stays below twice the limit: a table that grows has the old one beside it for a
 * while.  The table is not gone through for every few rows: that would take a breath each
 * time, or many.
 */
static void
is_bounded(const char *what, int rows, int units, int groups, size_t key, bool divided)
{
	const size_t limit = (size_t) (divided ? 4 : 1) << 20;
	size_t		before = outstanding;
	int			dumps;

	all_breaths = 0;
	most = outstanding;
	dumps = fill(rows, units, groups, key, limit, divided);
	ok(dumps > 2 && all_breaths < (size_t) rows / 25 && most - before > limit / 4 && most - before < 2 * limit,
	   "%s%s: %zu bytes of %zu, emptied %d times, %zu breaths", what,
	   divided ? ", held back by parts" : "", most - before, limit, dumps, all_breaths);
}

static void
memory_is_bounded(void)
{
	for (int divided = 0; divided < 2; divided++)
	{
		is_bounded("memory is bounded", 480000, 60000, 8, 4, divided);
		is_bounded("also where there are more groups than units", 200000, 2, 100000, 4, divided);
		is_bounded("and of many units with long keys", 200000, 100003, 200000, 250, divided);
	}
	taken = most_taken = 0;
	fill(1000000, 5000, 200, 4, 1 << 26, false);
	ok(most_taken > 0 && most_taken <= 16 * DP_UNITS_STRIDE,
	   "at most %u records between two breaths", most_taken);
}

/* Give a unit so many groups, or limit those of another to half of them. */
static void
one_unit(uint32_t groups, uint32_t max_groups, int measures)
{
	DpUnitsMeasure measure[MEASURES] = {{0}};
	DpUnitsSpec spec = {.id_words = 1, .grouped = true, .max_groups = max_groups,
		.limit = 1 << 20, .measures = measures, .measure = measure};
	DpUnitId	id = {{1}};
	int64_t		place[MEASURES] = {0};
	DpUnits    *table;

	for (int i = 0; i < measures; i++)
		measure[i] = (DpUnitsMeasure) {.kind = DP_UNITS_MOMENTS, .shape = DP_MOMENTS_CORRELATION,
			.upper = 1, .width_y = 1, .max_rows = 1};
	table = dp_units_create(&spec, &memory);
	for (uint32_t i = 0; i < groups; i++)
	{
		dp_units_add(table, &id, dp_units_intern(dp_units_groups(table), &i, sizeof(i)), place);
		if (dp_units_must_flush(table))
			dp_units_flush(table);
	}
	dp_units_finish(table);
	dp_units_destroy(table);
}

/* Large arrays and blocks are filled and copied with a breath for every piece. */
static void
breathes_while_copying(void)
{
	large_allocations = breathless = 0;
	one_unit(100000, 100000, 2);
	ok(large_allocations > 5 && breathless == 0,
	   "of %zu large pieces of memory %zu were filled without enough breaths", large_allocations, breathless);
}

/* Partitions of the first hundred units, two bits each. */
typedef struct PartitionSink
{
	DpUnitsSink sink;
	uint8_t		partition[100];
} PartitionSink;

static void
note_partition(DpUnitsSink *sink, const DpUnitId *id, uint32_t partition, const DpUnitsGroups *groups,
			   uint32_t group, const uint8_t *accumulators)
{
	(void) groups, (void) group, (void) accumulators;
	((PartitionSink *) sink)->partition[id->word[0]] = (uint8_t) partition;
}

static PartitionSink
partitions(uint64_t secret, int level)
{
	DpUnitsSpec spec = {.secret = {.place = secret}, .id_words = 1, .max_groups = 1, .limit = 1 << 20};
	PartitionSink sink = {.sink = {note_partition, BITS}};
	DpUnits    *table = dp_units_create(&spec, &memory);

	dp_units_set_level(table, level);
	for (uint64_t i = 0; i < 100; i++)
	{
		DpUnitId	id = {{i}};

		dp_units_add(table, &id, dp_units_intern(dp_units_groups(table), "", 0), NULL);
		if (dp_units_must_flush(table))
			dp_units_flush(table);
	}
	dp_units_dump(table, &sink.sink);
	dp_units_destroy(table);
	return sink;
}

/* The hash of a key among groups. */
static uint32_t
group_hash(DpSipKey secret)
{
	DpUnitsGroups groups;
	uint32_t	hash = 0;

	dp_units_create_groups(&groups, &memory, &secret, 1);
	dp_units_intern(&groups, "a key of twenty bytes", 20);
	for (uint32_t i = 0; i < groups.buckets; i++)
		hash |= groups.bucket[i].hash;
	dp_units_destroy_groups(&groups);
	return hash;
}

/*
 * Nobody can choose units or keys that meet, and partitions can be divided.  Of a
 * hundred units as many are in one partition twice as of one key two hashes are
 * the same four times: with a probability of 2^-200, and 2^-128.
 */
static void
hashes_are_keyed(void)
{
	uint64_t	secret = random64();
	PartitionSink first = partitions(secret, 0);
	PartitionSink other = partitions(random64(), 0);
	PartitionSink deeper = partitions(secret, 1);
	int			same[2] = {0};

	ok(memcmp(first.partition, other.partition, 100) != 0, "where units lie depends on a secret");
	ok(memcmp(first.partition, deeper.partition, 100) != 0, "and on the level");
	for (int i = 0; i < 4; i++)
	{
		uint64_t	word = random64();

		same[0] += group_hash((DpSipKey) {{word, 1}}) == group_hash((DpSipKey) {{random64(), 1}});
		same[1] += group_hash((DpSipKey) {{1, word}}) == group_hash((DpSipKey) {{1, random64()}});
	}
	ok(same[0] < 4 && same[1] < 4, "and where keys lie on both halves of one");
}

/* Does a unit of 2^33 rows at one place contribute what one of five rows there does? */
static bool
saturates(const DpUnitsMeasure *measure, int64_t place)
{
	__int128	few[DP_MOMENTS_MOST] = {0};
	__int128	many[DP_MOMENTS_MOST] = {0};
	uint8_t		acc[136] = {0};
	uint8_t		part[136] = {0};
	uint8_t		copy[136];

	for (int i = 0; i < 5; i++)
		dp_acc_add(measure, acc, place);
	dp_acc_finish(measure, acc, few);
	memset(acc, 0, sizeof(acc));
	dp_acc_add(measure, part, place);
	for (int i = 0; i < 32; i++)
	{
		dp_acc_combine(measure, acc, part);
		memcpy(copy, part, sizeof(part));
		dp_acc_combine(measure, part, copy);
	}
	dp_acc_add(measure, acc, place);
	dp_acc_combine(measure, acc, part);
	dp_acc_finish(measure, acc, many);
	return memcmp(few, many, sizeof(few)) == 0;
}

/* More rows than are counted are not taken for few, nor sums beyond all for their opposites. */
static void
units_saturate(void)
{
	const int64_t small = INT32_MAX;
	const int64_t large = INT64_C(1) << 62;
	const DpUnitsMeasure measures[] = {
		{.kind = DP_UNITS_ROWS, .max_rows = 5},
		{.kind = DP_UNITS_SUM, .lower = -100, .upper = 100, .max_rows = 5, .small = true},
		{.kind = DP_UNITS_SUM, .lower = -100, .upper = 100, .max_rows = 5},
		{.kind = DP_UNITS_MEAN, .lower = -100, .upper = 100, .max_rows = 5},
		{.kind = DP_UNITS_MEAN, .lower = -(INT64_C(1) << 40), .upper = 100, .max_rows = 5},
		{.kind = DP_UNITS_MOMENTS, .shape = DP_MOMENTS_VARIANCE, .lower = -100, .upper = 100, .max_rows = 5}
	};

	for (int i = 0; i < (int) (sizeof(measures) / sizeof(measures[0])); i++)
	{
		int64_t		most = measures[i].kind == DP_UNITS_SUM && !measures[i].small ? large : small;

		ok(saturates(&measures[i], most) && saturates(&measures[i], -most),
		   "measure %d: a unit of 2^33 rows contributes what few do", i);
	}
	for (int shape = 0; shape < DP_MOMENTS_SHAPES; shape++)
	{
		int64_t		width = INT64_C(1) << dp_moments_bits((DpMomentsShape) shape);
		DpUnitsMeasure measure = {.kind = DP_UNITS_MOMENTS, .shape = (DpMomentsShape) shape,
			.upper = width, .width_y = width, .max_rows = 5};

		ok(saturates(&measure, shape == DP_MOMENTS_VARIANCE ? width : dp_moments_pack(width, width)),
		   "moments of shape %d: nor do sums at their greatest", shape);
	}
}

int
main(void)
{
	int			wrong[4] = {0};
	int			astray = 0;
	int			dumped = 0;
	int			deep = 0;
	int			apart = 0;
	const int	cases = 150;

	random_state = (uint64_t) time(NULL) * 2654435761u | 1;
	printf("# seed %llu\n", (unsigned long long) random_state);
	ok(siphash_agrees(), "SipHash is OpenSSL's");
	for (int i = 0; i < cases; i++)
	{
		Case		test;
		int			dumps;
		int			acc_size;
		size_t		size;

		make_case(&test);
		dp_units_lay_out(&test.spec, &acc_size);
		model(&test);
		run(&test, 1 << 30, false, &dumps);
		wrong[0] += memcmp(expected, found, sizeof(found)) != 0;
		shuffle(&test);
		run(&test, 1 << 30, true, &dumps);
		wrong[1] += memcmp(expected, found, sizeof(found)) != 0;
		size = 65536 + 1024 * (size_t) random_below(100);
		run(&test, size, false, &dumps);
		wrong[2] += memcmp(expected, found, sizeof(found)) != 0;
		dumped += dumps > 0;
		deep += dumps > 3;
		run(&test, 8 * size, true, &dumps);
		wrong[2] += memcmp(expected, found, sizeof(found)) != 0;
		apart += dumps > 0;
		run_singles(&test, &astray);
		model(&test);
		wrong[3] += memcmp(expected, found, sizeof(found)) != 0;
		free(test.row);
	}
	ok(wrong[0] == 0, "%d of %d cases differ from the model", wrong[0], cases);
	ok(wrong[1] == 0, "%d of them in another order", wrong[1]);
	ok(wrong[2] == 0, "%d of them part by part", wrong[2]);
	ok(wrong[3] == 0, "%d of them when every row is a unit", wrong[3]);
	ok(astray == 0, "%d rows were not found in their groups", astray);
	ok(dumped > cases / 8 && deep > cases / 16 && apart > cases / 16,
	   "%d were taken apart, %d often; %d that were held back by parts", dumped, deep, apart);
	choice_is_uniform();
	memory_is_bounded();
	breathes_while_copying();
	units_saturate();
	hashes_are_keyed();
	return done_testing();
}
