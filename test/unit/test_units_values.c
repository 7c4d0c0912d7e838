/*
 * test_units_values.c
 *	  Distinct values: what one unit can change, in all small cases, and what is counted
 *	  and added up on the whole road, in any memory, compared with the definition.
 */
#include "tap.h"
#include "units_processes.h"

#include "units/cover.h"

/* A graph of units and values, one bit per pair. */
#define UNITS 4
#define VALUES 4
#define GRAPHS (UINT32_C(1) << (UNITS * VALUES))

/* What counts of some units' values. */
typedef struct Counted
{
	int64_t		part[2];		/* number, or sum, or sum of distances; then the number of a mean */
	uint32_t	covered;		/* values, a bit each */
} Counted;

static const int64_t value_of[VALUES] = {-9, -2, 4, 8};

/* One measure of distinct values. */
typedef struct Small
{
	DpUnitsSpec spec;
	DpUnitsMeasure measure;
} Small;

static void
describe(Small *small, DpUnitsKind kind, int64_t most)
{
	small->measure = (DpUnitsMeasure) {.kind = kind, .lower = -3, .upper = 5, .max_rows = most};
	small->spec = (DpUnitsSpec) {.id_words = 1, .processes = 1, .max_groups = 1, .measures = 1,
		.measure = &small->measure};
	dp_units_lay_out(&small->spec);
	draw_secret(&small->spec.secret);
}

static void
count_value(void *context, const DpUnitsMeasure *measure, const DpUnitId *group, int64_t value)
{
	Counted    *counted = context;
	__int128	totals[3] = {0};

	CLAIM(group->word[0] == 0);
	dp_units_acc_add_single(measure, value, totals);
	for (int i = 0; i < VALUES; i++)
		if (value == value_of[i])
		{
			CLAIM(!(counted->covered >> i & 1));
			counted->covered |= UINT32_C(1) << i;
		}
	counted->part[0] += (int64_t) totals[1];
	counted->part[1] += measure->kind == DP_UNITS_VALUE_MEAN ? (int64_t) totals[2] : 0;
}

/* What counts of the pairs of a graph, but for one unit's. */
static Counted
count_graph(const Small *small, uint32_t graph, int without)
{
	Counted		counted = {{0, 0}, 0};
	DpPairs		pairs;
	DpUnitId	group = {{0, 0}};

	dp_units_pairs_create(&pairs, &world_memory, &world_files, &small->spec, false);
	for (int i = 0; i < UNITS * VALUES; i++)
	{
		DpUnitId	unit = {{(uint64_t) (i / VALUES + 1), 0}};

		if ((graph >> i & 1) && i / VALUES != without)
			dp_units_pairs_put(&pairs, 0, &unit, &group, value_of[i % VALUES]);
	}
	dp_units_cover_values(&pairs, count_value, &counted);
	dp_units_pairs_destroy(&pairs);
	return counted;
}

static int64_t
largest(int64_t a, int64_t b)
{
	b = b < 0 ? -b : b;
	return a > b ? a : b;
}

/* How much one unit more or less can change each part, in so many graphs from a first one. */
static Counted
largest_change(DpUnitsKind kind, int64_t most, uint32_t graphs, uint32_t step)
{
	Counted		change = {{0, 0}, 0};
	Small		small;

	for (uint32_t graph = 1; graph < graphs; graph += step)
	{
		Counted		with;

		if (graph % 256 < step)
			describe(&small, kind, most);
		with = count_graph(&small, graph, -1);
		for (int unit = 0; unit < UNITS; unit++)
		{
			Counted		without = count_graph(&small, graph, unit);

			/* What others cover without the unit is covered with it. */
			CLAIM((without.covered & ~with.covered) == 0);
			CLAIM(__builtin_popcount(with.covered & ~without.covered) <= most);

			for (int i = 0; i < 2; i++)
				change.part[i] = largest(change.part[i], with.part[i] - without.part[i]);
		}
	}
	return change;
}

/* The guarantee: exact in every graph of four units and four values, and reached. */
static void
sensitivities(void)
{
	world_begin();
	for (int64_t most = 1; most <= 3; most++)
	{
		Counted		count = largest_change(DP_UNITS_VALUES, most, GRAPHS, 7);
		Counted		sum = largest_change(DP_UNITS_VALUE_SUM, most, GRAPHS, 29);
		Counted		mean = largest_change(DP_UNITS_VALUE_MEAN, most, GRAPHS, 29);

		ok(count.part[0] == most, "a unit that covers %d values changes their number by %d at most",
		   (int) most, (int) count.part[0]);
		ok(sum.part[0] <= 5 * most && sum.part[0] >= 5, "and their sum by %d", (int) sum.part[0]);
		ok(mean.part[0] <= 8 * most && mean.part[0] >= 8 && mean.part[1] == most,
		   "and that of distances by %d, with their number by %d", (int) mean.part[0], (int) mean.part[1]);
	}
	world_end();
}

/* A pair of the model. */
typedef struct Pair
{
	uint64_t	hash;
	int64_t		value;
	uint32_t	unit;
	uint32_t	group;
} Pair;

static int
compare_pairs(const void *a, const void *b)
{
	const Pair *x = a;
	const Pair *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	CLAIM(x->unit == y->unit && x->value == y->value);
	return 0;
}

/* Values of the model are from 0 to this. */
#define MOST_VALUES 4096

/* What the definition says: pairs in order, one after the other. */
static void
model_values(Case *test, int number)
{
	const DpUnitsMeasure *measure = &test->measure[number];
	Pair	   *pair = malloc((test->rows + 1) * sizeof(Pair));
	uint32_t   *used = calloc((size_t) test->units * test->groups, sizeof(uint32_t));
	uint8_t    *covered = calloc((size_t) MOST_VALUES * test->groups, 1);
	uint32_t	count = 0;

	for (uint32_t i = 0; i < test->rows; i++)
	{
		const Row  *row = &test->row[i];
		DpUnitId	id = unit_id(test, row->unit);
		DpUnitId	group = {{0, 0}};	/* which of them comes first does not matter */

		if (test->spec.id_words == 1)
			id.word[1] = 0;
		if (row->place[number] != DP_GRID_NONE)
			pair[count++] = (Pair) {dp_units_pairs_hash(&test->spec, &group, dp_units_record_id(&test->spec, &id).word[0],
												  row->place[number]), row->place[number], row->unit, row->group};
	}
	qsort(pair, count, sizeof(Pair), compare_pairs);
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t   *mine = &used[(size_t) pair[i].unit * test->groups + pair[i].group];
		uint8_t    *value = &covered[(size_t) pair[i].value * test->groups + pair[i].group];

		if ((i > 0 && compare_pairs(&pair[i], &pair[i - 1]) == 0) || *mine >= measure->max_rows ||
			*value)
			continue;
		++*mine;
		*value = 1;
		dp_units_acc_add_single(measure, pair[i].value, test->expected + (size_t) pair[i].group * test->spec.parts);
	}
	free(pair);
	free(used);
	free(covered);
}

/* Rows with values of one kind, some without; groups that all count, or are chosen. */
static void
make_rows(Case *test, uint32_t units, uint32_t rows, uint32_t groups, uint32_t values, int64_t most)
{
	static const DpUnitsKind kinds[] = {DP_UNITS_VALUES, DP_UNITS_VALUE_SUM, DP_UNITS_VALUE_MEAN};

	*test = (Case) {.units = units, .groups = groups, .rows = rows, .first_code = 4};
	test->spec = (DpUnitsSpec) {.id_words = 1 + units % 2, .grouped = groups > 1, .max_groups = groups,
		.measures = 4, .measure = test->measure};
	test->measure[0] = (DpUnitsMeasure) {.kind = DP_UNITS_ROWS, .max_rows = 1000000000, .constant = true};
	for (int i = 0; i < 3; i++)
		test->measure[i + 1] = (DpUnitsMeasure) {.kind = kinds[i], .lower = 10, .upper = 3000, .max_rows = most};
	draw_secret(&test->spec.secret);
	test->row = calloc(rows, sizeof(Row));
	for (uint32_t i = 0; i < rows; i++)
		test->row[i] = (Row) {data_below(units), data_below(groups),
			{0, data_below(values), data_below(values), i % 5 == 0 ? DP_GRID_NONE : data_below(values)}, 0};
	prepare_case(test);
}

/* The whole road says what the definition does, of so many processes. */
static void
agrees(const char *what, Case *test, size_t limit, int processes, uint32_t widen_at)
{
	size_t		size = (size_t) test->groups * test->spec.parts * sizeof(__int128);

	world_begin();
	test->spec.limit = limit;
	if (processes == 1)
		run_alone(test, widen_at);
	else
		run_processes(test, processes, widen_at);
	world_end();
	memset(test->expected, 0, size);
	for (uint32_t i = 0; i < test->rows; i++)
		test->expected[(size_t) test->row[i].group * test->spec.parts + 1]++;
	for (int i = 1; i < test->spec.measures; i++)
		model_values(test, i);
	for (uint32_t i = 0; i < test->groups; i++)
		test->expected[(size_t) i * test->spec.parts] = test->found[(size_t) i * test->spec.parts];
	ok(memcmp(test->expected, test->found, size) == 0, "%s, %zu kB: as defined (%zu kB written)", what,
	   limit / 1024, (size_t) world.written / 1024);
	ok(world.most <= (limit * 2 + ((size_t) 1 << 20)) * (size_t) processes, "%s: %zu kB of memory", what,
	   world.most / 1024);
}

static void
whole_road(void)
{
	Case		test;

	make_rows(&test, 50, 2000, 1, 100, 1);
	agrees("one group", &test, 1 << 20, 1, UINT32_MAX);
	free_case(&test);
	make_rows(&test, 51, 3000, 7, 100, 2);
	agrees("some groups", &test, 1 << 20, 1, UINT32_MAX);
	agrees("the same by ids", &test, 1 << 20, 1, 1000);
	agrees("the same of three processes", &test, 1 << 20, 3, UINT32_MAX);
	agrees("the same by ids of some", &test, 1 << 20, 3, 2000);
	free_case(&test);
	make_rows(&test, 30000, 100000, 1, 4000, 3);
	agrees("more than fits", &test, 1 << 20, 1, UINT32_MAX);
	agrees("the same with plenty of memory", &test, 64 << 20, 1, UINT32_MAX);
	agrees("the same of four processes", &test, 1 << 20, 4, UINT32_MAX);
	free_case(&test);
	make_rows(&test, 3001, 100000, 40, 4000, 2);
	agrees("more than fits in groups", &test, 1 << 20, 1, UINT32_MAX);
	agrees("the same by ids", &test, 1 << 20, 1, 1);
	agrees("the same of three processes", &test, 1 << 20, 3, UINT32_MAX);
	agrees("the same by ids of some", &test, 1 << 20, 3, 50000);
	free_case(&test);
	make_rows(&test, 1, 200000, 3, 4000, 1000);
	agrees("one unit with more rows than fit", &test, 1 << 20, 1, UINT32_MAX);
	agrees("the same by ids", &test, 1 << 20, 1, 20);
	free_case(&test);
}

/* Enough for everything: the number is that of distinct values. */
static void
large_bound(void)
{
	Case		test;
	static uint8_t seen[MOST_VALUES];
	uint32_t	distinct = 0;

	make_rows(&test, 20, 3000, 1, 4000, 1000000);
	test.spec.limit = 1 << 20;
	world_begin();
	run_alone(&test, UINT32_MAX);
	world_end();
	for (uint32_t i = 0; i < test.rows; i++)
	{
		distinct += !seen[test.row[i].place[1]];
		seen[test.row[i].place[1]] = 1;
	}
	ok(test.found[2] == distinct, "units that cover all they have: %u distinct values", distinct);
	free_case(&test);
}

/* Of units in more groups than count, values come from those that were chosen. */
static void
chosen_groups(void)
{
	Case		test;
	bool		right = true;

	for (int round = 0; round < 10; round++)
	{
		int64_t		units = 0;
		int64_t		values = 0;

		make_rows(&test, 30, 12000, 60, 4000, 5);
		test.spec.max_groups = 4;
		test.spec.limit = 1 << 20;
		run_alone(&test, round % 2 ? UINT32_MAX : 100);
		for (uint32_t i = 0; i < test.groups; i++)
		{
			const __int128 *found = test.found + (size_t) i * test.spec.parts;

			units += (int64_t) found[0];
			values += (int64_t) found[2];
			right = right && found[2] <= 5 * found[0] && (found[0] > 0 || found[3] == 0);
		}
		right = right && units == 4 * 30 && values > 4 * 30;
		free_case(&test);
	}
	ok(right, "values count in the groups that their unit counts in");
}

/* A failure at any point leaves by longjmp; nothing else is relied on. */
static void
failures(void)
{
	Case		test;
	static const WorldStep steps[] = {WORLD_ALLOCATE, WORLD_FILE, WORLD_BREATHE};

	make_rows(&test, 3000, 20000, 2, 4000, 2);
	test.spec.limit = 1 << 20;
	for (int i = 0; i < 3; i++)
	{
		uint64_t	all;

		world_begin();
		run_alone(&test, UINT32_MAX);
		all = world.steps[steps[i]];
		for (volatile uint64_t at = 1; at <= all; at += 1 + all / 12)
		{
			world_begin();
			world.failing = steps[i];
			world.fails_at = at;
			if (setjmp(world.escape) == 0)
				run_alone(&test, UINT32_MAX);
			CLAIM(world.failed);
			world_forget();
		}
		ok(all > 0, "failures among %llu steps", (unsigned long long) all);
	}
	free_case(&test);
}

int
main(void)
{
	sensitivities();
	whole_road();
	large_bound();
	chosen_groups();
	failures();
	return done_testing();
}
