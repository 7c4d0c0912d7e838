/*
 * test_units_limits.c
 *	  Units of a million rows or of a hundred thousand groups, memory that stays near its
 *	  limit, cells that are too many for an array, failures of memory and files at any
 *	  point, and units that saturate.
 */
#include "tap.h"
#include "units_processes.h"

/* Rows of units: each has so many, in groups one after the other; and in so many cells, if any. */
static void
make_rows(Case *test, uint32_t units, uint32_t rows_each, uint32_t groups, uint32_t bound,
		  uint32_t cells)
{
	int			code = cells > 0 ? 2 : 1;

	*test = (Case) {.units = units, .groups = groups, .rows = units * rows_each, .per_code = 31,
		.first_code = code};
	test->spec = (DpUnitsSpec) {.id_words = 1, .grouped = groups > 1, .max_groups = bound,
		.measures = code + 1, .measure = test->measure};
	test->measure[0] = (DpUnitsMeasure) {.kind = DP_UNITS_SUM, .lower = -1000000, .upper = 1000000,
		.max_rows = 1};
	test->measure[1] = (DpUnitsMeasure) {.kind = DP_UNITS_CELLS, .cells = cells,
		.max_rows = 1 + rows_each / groups / 3};
	test->measure[code] = (DpUnitsMeasure) {.kind = DP_UNITS_SUM, .upper = DP_GRID_LIMIT, .max_rows = 1};
	draw_secret(&test->spec.secret);
	test->row = calloc(test->rows, sizeof(Row));
	for (uint32_t i = 0; i < test->rows; i++)
	{
		uint32_t	unit = i % units;
		uint32_t	number = i / units;
		bool		coded = unit < 31 && number < groups;

		test->row[i] = (Row) {unit, (unit + number) % groups,
			{(int64_t) data_below(100) - 20, cells > 0 && i % 7 != 3 ? data_below(cells) : DP_GRID_NONE}, 0};
		test->row[i].place[code] = coded ? INT64_C(1) << (2 * unit) : 0;
	}
	prepare_case(test);
}

/* The answer is one, and memory stays within so many tenths of its limit. */
static void
stays_within(const char *what, Case *test, size_t limit, int processes, uint32_t widen_at, int tenths)
{
	world_begin();
	test->spec.limit = limit;
	if (processes == 1)
		run_alone(test, widen_at);
	else
		run_processes(test, processes, widen_at);
	world_end();
	ok(model_admits(test, (uint32_t) processes), "%s, %zu kB: the answer is the model's", what, limit / 1024);
	ok(world.most <= limit * tenths / 10,
	   "%s: %zu kB of memory, %d files, %zu kB written", what, world.most / 1024, world.opened,
	   (size_t) world.written / 1024);
	ok(world.steps[WORLD_BREATHE] > test->rows / 1000, "%s: %llu breaths", what,
	   (unsigned long long) world.steps[WORLD_BREATHE]);
}

static void
large_cases(void)
{
	Case		test;

	make_rows(&test, 1, 1000000, 1, 1, 0);
	stays_within("a unit of a million rows", &test, 1 << 20, 1, UINT32_MAX, 15);
	free_case(&test);
	make_rows(&test, 1, 1000000, 5, 2, 0);
	stays_within("a unit of a million rows in five groups", &test, 1 << 20, 1, UINT32_MAX, 15);
	stays_within("the same with ids", &test, 1 << 20, 1, 500000, 15);
	free_case(&test);
	make_rows(&test, 1, 300000, 100000, 1000, 0);
	stays_within("a unit in a hundred thousand groups", &test, 64 << 20, 1, UINT32_MAX, 15);
	stays_within("the same in little memory", &test, 2 << 20, 1, UINT32_MAX, 15);
	stays_within("the same of three processes", &test, 2 << 20, 3, UINT32_MAX, 50);
	free_case(&test);
	make_rows(&test, 40, 10000, 3000, 3000, 0);
	stays_within("forty such units, all of whose groups count", &test, 1 << 20, 1, UINT32_MAX, 15);
	free_case(&test);
	make_rows(&test, 400000, 1, 1, 1, 0);
	stays_within("units of one row", &test, 4 << 20, 1, UINT32_MAX, 15);
	free_case(&test);
	make_rows(&test, 200000, 1, 50000, 1, 0);
	stays_within("units of one row, many groups", &test, 4 << 20, 1, UINT32_MAX, 15);
	test.spec.id_words = 2;
	test.id_style = 2;
	test.spec.small_ids = false;
	stays_within("the same with ids of two words", &test, 4 << 20, 1, 0, 15);
	free_case(&test);
}

/* The same, of rows that have to be kept each until they are weighed. */
static void
large_cases_with_cells(void)
{
	Case		test;

	make_rows(&test, 1, 1000000, 1, 1, 100);
	stays_within("a unit of a million rows, with cells", &test, 1 << 20, 1, UINT32_MAX, 15);
	free_case(&test);
	make_rows(&test, 1, 300000, 5, 2, 100);
	stays_within("in five groups, with cells", &test, 1 << 20, 1, UINT32_MAX, 15);
	stays_within("the same with ids", &test, 1 << 20, 1, 100000, 15);
	stays_within("the same of three processes", &test, 1 << 20, 3, UINT32_MAX, 40);
	free_case(&test);
	make_rows(&test, 1, 200000, 50000, 1000, 10);
	stays_within("in fifty thousand groups, with cells", &test, 2 << 20, 1, UINT32_MAX, 15);
	free_case(&test);
	make_rows(&test, 40, 3000, 1000, 1000, 100);
	stays_within("forty units, all of whose groups count", &test, 1 << 20, 1, UINT32_MAX, 15);
	ok(logged_weights(&test), "weights of too many groups are in a log");
	stays_within("the same with ids", &test, 1 << 20, 1, 0, 15);
	free_case(&test);
}

/* A group has more cells than can be added up at once: in the log, and by ids of long keys. */
static void
many_cells(void)
{
	Case		test;

	make_rows(&test, 100000, 1, 3, 1, 20000);
	stays_within("three groups of many cells", &test, 256 << 10, 1, UINT32_MAX, 40);
	ok(logged_weights(&test), "weights of few groups with many cells are in a log");
	stays_within("the same with ids", &test, 256 << 10, 1, 0, 40);
	free_case(&test);
	make_rows(&test, 200000, 1, 20, 1, 20000);
	stays_within("twenty groups, some of long keys", &test, 256 << 10, 1, UINT32_MAX, 40);
	stays_within("the same with ids", &test, 256 << 10, 1, 0, 40);
	stays_within("the same of three processes", &test, 256 << 10, 3, UINT32_MAX, 99);
	stays_within("the same of three processes with ids", &test, 256 << 10, 3, 0, 99);
	free_case(&test);
}

/*
 * A unit whose rows were written out as they are, since adding up did not help for all the
 * others in its part.  By this secret all are in one part, until the third division.
 */
static void
heavy_among_many(uint32_t groups, uint32_t bound, uint32_t cells)
{
	Case		test;

	make_rows(&test, 20000, 1, groups, bound, cells);
	test.spec.secret.factor[0] = test.spec.secret.factor[1] = 1;
	test.spec.secret.offset = 0;
	test.id_style = 1;
	test.spec.small_ids = false;
	for (uint32_t i = 0; i < test.rows; i++)
	{
		bool		heavy = i % 20 < 7;
		uint32_t	number = i / 20 * 7 + i % 20;

		test.row[i] = (Row) {heavy ? 0 : i + 1, heavy ? number % groups : i % groups,
			{number, cells > 0 ? data_below(cells) : DP_GRID_NONE}, 0};
		test.row[i].place[test.first_code] = heavy && number < groups ? 1 : 0;
	}
	stays_within("a heavy unit among many", &test, 256 << 10, 1, UINT32_MAX, 40);
	stays_within("the same of two processes", &test, 256 << 10, 2, 3000, 60);
	free_case(&test);
}

/* Run a case in which the n-th step of a kind fails; false if there were not so many. */
static bool
run_failing(Case *test, uint32_t widen_at, WorldStep step, uint64_t n)
{
	static int	processes;

	world_begin();
	world.failing = step;
	world.fails_at = n;
	processes = n % 2 ? 1 : 2;
	if (setjmp(world.escape) == 0)
	{
		if (processes == 1)
			run_alone(test, widen_at);
		else
			run_processes(test, processes, widen_at);
		return false;
	}
	world.failing = WORLD_NOTHING;
	world_forget();
	return true;
}

/*
 * Whatever fails, nothing more is done: note_group aborts if it is called then, and so does
 * the memory or a file that is used in any wrong way.  Afterwards all works as before.
 */
static void
failures_propagate(WorldStep step, const char *what, uint32_t groups, uint32_t cells,
				   uint32_t widen_at)
{
	Case		test;
	uint64_t	n = 1;
	int			failures = 0;

	make_rows(&test, 30, 400, groups, 100, cells);
	while (n < 10000 && run_failing(&test, widen_at, step, n))
	{
		failures++;
		n += 1 + n / 16;
	}
	ok(failures > 20 && world.outstanding == 0 && world.open == 0 && model_admits(&test, 2),
	   "%s failed %d times, with %u cells, then it did not", what, failures, cells);
	ok(logged_weights(&test) == (cells > 0 && widen_at > test.rows), "weights were in a log or not");
	free_case(&test);
}

/* Large arrays are filled and copied with a breath for every piece. */
static void
breathes_while_copying(void)
{
	DpUnitsGroups groups;
	const DpSipKey secret = {{data64(), data64()}};

	world_begin();
	world.large = world.breathless = 0;
	dp_units_create_groups(&groups, &world_memory, &secret, 3);
	for (uint32_t i = 0; i < 200000; i++)
		dp_units_intern(&groups, &i, sizeof(i));
	dp_units_destroy_groups(&groups);
	ok(world.large > 5 && world.breathless == 0,
	   "of %zu large pieces of memory %zu were filled without enough breaths", world.large, world.breathless);
	world_end();
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
		dp_units_acc_add(measure, acc, place);
	dp_units_acc_finish(measure, acc, 1, few);
	memset(acc, 0, sizeof(acc));
	dp_units_acc_add(measure, part, place);
	for (int i = 0; i < 32; i++)
	{
		dp_units_acc_combine(measure, acc, part);
		memcpy(copy, part, sizeof(part));
		dp_units_acc_combine(measure, part, copy);
	}
	dp_units_acc_add(measure, acc, place);
	dp_units_acc_combine(measure, acc, part);
	dp_units_acc_finish(measure, acc, 1, many);
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
		int64_t		width = INT64_C(1) << dp_aggregate_moments_bits((DpMomentsShape) shape);
		DpUnitsMeasure measure = {.kind = DP_UNITS_MOMENTS, .shape = (DpMomentsShape) shape,
			.upper = width, .width_y = width, .max_rows = 5};

		ok(saturates(&measure, shape == DP_MOMENTS_VARIANCE ? width : dp_aggregate_moments_pack(width, width)),
		   "moments of shape %d: nor do sums at their greatest", shape);
	}
}

/*
 * Parts of one unit that say that there are more and more rows in two cells: all together
 * they never weigh more than the rows that count.
 */
static void
counts_saturate(void)
{
	static const uint64_t claims[] = {1, 5, 6, UINT32_MAX, UINT64_MAX / 3, UINT64_MAX / 2, UINT64_MAX};
	DpUnitsMeasure measure = {.kind = DP_UNITS_CELLS, .cells = 2, .max_rows = 5, .counted = true};
	bool		good = true;

	for (int i = 0; i < 7 * 7 * 7; i++)
	{
		uint64_t	claim[] = {claims[i % 7], claims[i / 7 % 7], claims[i / 49]};
		uint8_t		data[3][12];
		uint8_t		acc[12] = {0};
		unsigned __int128 all = 0;
		uint32_t	cell = 0;

		for (uint32_t j = 0; j < 3; j++)
		{
			dp_units_acc_store64(data[j], claim[j]);
			dp_units_acc_store32(data[j] + 8, j % 2);
			dp_units_acc_combine(&measure, acc, data[j]);
		}
		for (uint32_t j = 0; j < 3; j++)
		{
			all += dp_units_weights_of_row(&measure, acc, DP_RECORD_ADDED, data[j], &cell);
			good = good && cell == j % 2;
		}
		good = good && all <= (uint64_t) measure.max_rows << DP_CELL_WEIGHT_BITS;
	}
	ok(good, "rows of cells that are too many to count weigh no more than those that count");
}

/* Totals of rows without groups, so many that the first few groups would fill memory. */
static void
wide_totals(void)
{
	DpUnitsMeasure measure[200];
	DpUnitsSpec spec = {.id_words = 1, .max_groups = 1, .processes = 1, .measures = 200,
		.measure = measure};
	DpCollect	collect;

	for (int i = 0; i < 200; i++)
		measure[i] = (DpUnitsMeasure) {.kind = DP_UNITS_MEAN, .upper = 5, .max_rows = 1};
	dp_units_lay_out(&spec);
	dp_units_collect_create(&collect, &world_memory, &world_files, &spec, 0, NULL);
	ok(!dp_units_collect_is_full(&collect), "rows without groups need no ids");
	dp_units_collect_destroy(&collect);
	spec.grouped = true;
	dp_units_collect_create(&collect, &world_memory, &world_files, &spec, 0, NULL);
	for (int i = 0; i < 64; i++)
	{
		CLAIM(!dp_units_collect_is_full(&collect));
		dp_units_intern(&collect.groups, &i, sizeof(i));
	}
	ok(dp_units_collect_is_full(&collect), "nor do few groups, but 64 that take more than there is");
	dp_units_collect_widen(&collect);
	ok(collect.groups.used < 8192, "then %zu bytes remain", collect.groups.used);
	dp_units_collect_destroy(&collect);
}

int
main(void)
{
	large_cases();
	large_cases_with_cells();
	many_cells();
	for (uint32_t cells = 0; cells <= 30; cells += 30)
	{
		heavy_among_many(1, 1, cells);
		heavy_among_many(7000, 5, cells);
	}
	for (int step = WORLD_ALLOCATE; step < WORLD_STEPS; step++)
	{
		static const char *const what[] = {"nothing", "memory", "files", "breath"};

		failures_propagate((WorldStep) step, what[step], 3000, 0, 6000);
		failures_propagate((WorldStep) step, what[step], 3000, 30, 6000);
		failures_propagate((WorldStep) step, what[step], 50, 5000, UINT32_MAX);
	}
	breathes_while_copying();
	units_saturate();
	counts_saturate();
	wide_totals();
	return done_testing();
}
