/*
 * test_units.c
 *	  Totals of groups against a model that keeps every row: for all kinds of units,
 *	  measures and keys, any memory, rows that are written out or not, groups that are
 *	  numbers, ids, or first these and then those, and one process or several.
 *
 * Rows are drawn, always the same; what is claimed holds for all of them.  Choices are
 * drawn anew each time.
 */
#include "tap.h"
#include "units_processes.h"

/* Cells of all groups, at most. */
#define MOST_WEIGHTS 1000000

static int64_t
random_place(const DpUnitsMeasure *measure)
{
	if (data_below(10) == 0)
		return DP_GRID_NONE;
	if (measure->kind == DP_UNITS_CELLS)
		return data_below(1 + data_below(measure->cells));
	if (measure->kind == DP_UNITS_SUM && !measure->small && data_below(3) == 0)
		return data_below(2) ? DP_GRID_LIMIT : -DP_GRID_LIMIT;
	if (measure->kind == DP_UNITS_SUM && data_below(200) == 0)
		return data_below(2) ? INT32_MIN : INT32_MAX;
	if (measure->kind == DP_UNITS_MEAN && data_below(3) == 0)
		return (int64_t) data64() / 2;
	if (measure->kind == DP_UNITS_MOMENTS && data_below(3) != 0)
		return data64() >> 4;
	return (int64_t) data_below(2000) - 1000;
}

/* A ladder of clamps, for measures that may have one. */
static void
random_ladder(DpUnitsMeasure *measure)
{
	static const DpLadderKind kinds[] = {
		[DP_UNITS_ROWS] = DP_LADDER_POSITIVE,[DP_UNITS_SUM] = DP_LADDER_SIGNED,[DP_UNITS_MEAN] = DP_LADDER_MEAN
	};

	if (measure->kind < DP_UNITS_ROWS || measure->kind > DP_UNITS_MEAN)
		return;
	measure->ladder = (DpLadder) {.first = 1, .steps = 1 + (int32_t) data_below(20), .kind = kinds[measure->kind]};
	if (measure->kind == DP_UNITS_SUM)
	{
		measure->ladder.first += data_below(100);
		if (measure->lower >= 0)
			measure->ladder.kind = DP_LADDER_POSITIVE;
	}
}

/* Of cells there are so many at most, if any. */
static void
random_measure(DpUnitsMeasure *measure, DpUnitsKind kind, uint32_t most_cells)
{
	int64_t		most;

	measure->kind = kind;
	measure->small = data_below(2);
	measure->max_rows = 1 + data_below(6);
	measure->constant = measure->kind <= DP_UNITS_ROWS && data_below(2);
	measure->lower = (int64_t) data_below(400) - 200;
	measure->upper = measure->lower + data_below(4000);
	if (data_below(3) == 0 && !measure->small)
	{
		measure->lower = -DP_GRID_LIMIT / 32;
		measure->upper = DP_GRID_LIMIT / 32;
	}
	if (measure->kind == DP_UNITS_CELLS)
		measure->cells = 1 + data_below(data_below(3) ? most_cells : 1 + most_cells / 100);
	if (measure->kind != DP_UNITS_MOMENTS)
		return;
	measure->shape = (DpMomentsShape) data_below(DP_MOMENTS_SHAPES);
	most = INT64_C(1) << dp_aggregate_moments_bits(measure->shape);
	measure->width_y = data_below(2) ? most : data_below(1000);
	measure->upper = measure->lower + (data_below(2) ? most : data_below(1000));
}

/* Measures at random, some with cells where rows are not all that their units have. */
static void
add_measures(Case *test)
{
	uint32_t	most_cells = test->spec.single || data_below(2) ? 0 : MOST_WEIGHTS / 4 / test->groups;

	test->spec.measures = (int) data_below(MEASURES - 1);
	for (int i = 0; i < test->spec.measures; i++)
	{
		DpUnitsKind kind = (DpUnitsKind) data_below(most_cells > 0 ? 6 : 5);

		random_measure(&test->measure[i], i == 0 && most_cells > 0 ? DP_UNITS_CELLS : kind, most_cells);
		if (!test->spec.single && data_below(2))
			random_ladder(&test->measure[i]);
	}
}

/* Two measures by which choices are known. */
static void
add_codes(Case *test)
{
	bool		small = data_below(2);

	test->first_code = test->spec.measures;
	test->per_code = small ? 15 : 31;
	for (int i = 0; i < 2; i++)
		test->measure[test->spec.measures++] = (DpUnitsMeasure)
		{
			.kind = DP_UNITS_SUM, .lower = -(int64_t) data_below(5),
				.upper = small ? INT32_MAX : DP_GRID_LIMIT, .max_rows = 1, .small = small
		};
}

/* A row's places: a coded unit's first row in a group has its digit. */
static void
make_places(const Case *test, Row *row, bool first)
{
	for (int i = 0; i < test->first_code; i++)
		row->place[i] = random_place(&test->measure[i]);
	for (int i = test->first_code; i < test->spec.measures; i++)
		row->place[i] = data_below(2) ? 0 : DP_GRID_NONE;
	if (first && row->unit < coded_units(test))
		row->place[test->first_code + (int) (row->unit / test->per_code)] =
			INT64_C(1) << (2 * (row->unit % test->per_code));
}

static void
make_rows(Case *test)
{
	uint32_t	coded = coded_units(test);
	uint32_t	few = test->groups < test->spec.max_groups ? test->groups : test->spec.max_groups;
	uint8_t    *seen = calloc((size_t) coded * test->groups, 1);

	test->row = calloc(test->rows + 1, sizeof(Row));
	for (uint32_t i = 0; i < test->rows; i++)
	{
		Row		   *row = &test->row[i];
		bool		first = false;

		/* Units are heavy-tailed. */
		row->unit = data_below(1 + data_below(test->units));
		row->group = (row->unit * 7 + data_below(few)) % test->groups;
		if (row->unit < coded)
		{
			row->group = data_below(1 + data_below(test->groups));
			first = !seen[(size_t) row->unit * test->groups + row->group];
			seen[(size_t) row->unit * test->groups + row->group] = 1;
		}
		make_places(test, row, first);
	}
	free(seen);
}

static void
make_case(Case *test)
{
	static const uint32_t limits[] = {1, 2, 3, 4, 5, 9, 40, 200, 100000};
	uint32_t	shape = data_below(5);

	memset(test, 0, sizeof(*test));
	test->spec.measure = test->measure;
	test->spec.id_words = 1 + (int) data_below(2);
	test->spec.single = data_below(8) == 0;
	test->spec.grouped = data_below(6) != 0;
	test->spec.max_groups = test->spec.grouped ? limits[data_below(9)] : 1;
	draw_secret(&test->spec.secret);
	test->id_style = (int) data_below(3);
	test->longest_keys = data_below(4) == 0;
	test->units = 1 + data_below(shape == 0 ? 3 : 3000);
	test->groups = test->spec.grouped ? 1 + data_below(shape == 1 ? 3 : shape == 2 ? 10000 : 1000) : 1;
	test->rows = data_below(12000);
	add_measures(test);
	add_codes(test);
	make_rows(test);
	prepare_case(test);
}

static void
shuffle(Case *test)
{
	for (uint32_t i = test->rows; i-- > 1;)
	{
		uint32_t	j = data_below(i + 1);
		Row			row = test->row[i];

		test->row[i] = test->row[j];
		test->row[j] = row;
	}
}

/* By unit and group. */
static int
compare_values(const void *x, const void *y)
{
	const Row  *a = x;
	const Row  *b = y;

	return compare_rows(&a, &b);
}

/* From now on rows come added up: a few of a unit in a group at once, in any order. */
static void
cut_into_parts(Case *test)
{
	Row		   *row = calloc(test->rows + 1, sizeof(Row));
	uint32_t   *first = calloc(test->rows + 1, sizeof(uint32_t));
	uint32_t	parts = 0;
	uint32_t	rows = 0;

	qsort(test->row, test->rows, sizeof(Row), compare_values);
	for (uint32_t i = 0, end; i < test->rows; i = end)
	{
		uint32_t	most = 1 + data_below(MAX_PART);

		first[parts++] = i;
		for (end = i; end < test->rows && end < i + most && compare_values(&test->row[i], &test->row[end]) == 0; end++)
			test->row[end].part = 0;
		test->row[i].part = end - i;
	}
	for (; parts > 0; parts--)
	{
		uint32_t	i = data_below(parts);
		uint32_t	size = test->row[first[i]].part;

		memcpy(&row[rows], &test->row[first[i]], size * sizeof(Row));
		rows += size;
		first[i] = first[parts - 1];
	}
	free(first);
	free(test->row);
	test->row = row;
	test->spec.by_parts = true;
	for (int i = 0; i < test->spec.measures; i++)
		test->measure[i].counted = test->measure[i].kind == DP_UNITS_CELLS;
	dp_units_lay_out(&test->spec);
}

/* How often something was so, of all runs. */
typedef struct Tally
{
	int			runs;
	int			wrong;
	int			written;		/* rows were written to files */
	int			divided;		/* more logs than there are of rows and groups were, too */
	int			wide;
	int			weighed;		/* there were cells */
	int			logged;			/* whose weights were visited without totals */
} Tally;

/* Run a case in this memory, and compare. */
static void
run_case(Case *test, Tally *tally, size_t limit, int processes, uint32_t widen_at)
{
	world_begin();
	test->spec.limit = limit;
	if (processes == 1)
		run_alone(test, widen_at);
	else
		run_processes(test, processes, widen_at);
	tally->runs++;
	tally->written += world.written > 0;
	tally->divided += world.opened > 4 * processes;
	tally->wide += widen_at < test->rows && test->spec.grouped;
	tally->weighed += test->spec.cells > 0;
	tally->logged += logged_weights(test);
	tally->wrong += !model_admits(test, (uint32_t) processes);
	world_end();
}

static void
report(const char *what, const Tally *tally)
{
	ok(tally->wrong == 0, "%s: %d of %d cases differ from the model", what, tally->wrong, tally->runs);
	printf("# %d with files, %d divided, %d widened; %d with cells, %d of them in logs\n", tally->written,
		   tally->divided, tally->wide, tally->weighed, tally->logged);
}

/* Random cases, in memory and out of it. */
static void
random_cases(int cases)
{
	Tally		ample = {0};
	Tally		scarce = {0};
	Tally		shared = {0};
	Tally		parts = {0};

	for (int i = 0; i < cases; i++)
	{
		Case		test;
		size_t		few = data_below(2) ? data_below(3) : data_below(4 * 1024 * 1024);

		make_case(&test);
		run_case(&test, &ample, (size_t) 1 << 30, 1, UINT32_MAX);
		shuffle(&test);
		run_case(&test, &ample, (size_t) 1 << 30, 1, data_below(test.rows + 1));
		run_case(&test, &scarce, few, 1, UINT32_MAX);
		run_case(&test, &scarce, few, 1, data_below(test.rows + 1));
		if (!test.spec.single)
		{
			run_case(&test, &shared, few, 2 + (int) data_below(3), UINT32_MAX);
			run_case(&test, &shared, (size_t) 1 << 30, 2 + (int) data_below(3), data_below(test.rows + 1));
			cut_into_parts(&test);
			run_case(&test, &parts, (size_t) 1 << 30, 1, data_below(test.rows + 1));
			run_case(&test, &parts, few, 1, UINT32_MAX);
			run_case(&test, &parts, few, 1, data_below(test.rows + 1));
			run_case(&test, &parts, few, 2 + (int) data_below(3), data_below(test.rows + 1));
		}
		free_case(&test);
	}
	report("ample memory", &ample);
	report("scarce memory", &scarce);
	report("several processes", &shared);
	report("rows that come added up", &parts);
	ok(scarce.written > cases && scarce.divided > 0, "scarce memory was written out and divided");
	ok(ample.weighed > 0 && ample.logged == 0, "weights are in arrays where these fit");
	ok(scarce.logged > 0 && shared.logged > 0, "and in logs where they do not");
	ok(parts.weighed > 0 && parts.logged > 0 && parts.divided > 0, "the same where rows come added up");
}

/* Secrets by which hashes are all the same, or the same in all bits but the last. */
static void
meeting_cases(int cases)
{
	Tally		tally = {0};

	for (int i = 0; i < cases; i++)
	{
		Case		test;

		make_case(&test);
		test.spec.single = false;
		test.spec.secret.factor[1] = i % 2;
		if (i % 2)
			test.spec.secret.factor[0] = test.spec.secret.offset = 1;
		else
		{
			/* Then only the second word tells units apart. */
			test.spec.id_words = 2;
			test.id_style = 2;
			test.spec.small_ids = false;
		}
		dp_units_lay_out(&test.spec);
		run_case(&test, &tally, 0, 1, UINT32_MAX);
		run_case(&test, &tally, 0, 1, data_below(test.rows + 1));
		run_case(&test, &tally, 0, 2, data_below(test.rows + 1));
		free_case(&test);
	}
	report("hashes that meet", &tally);
	ok(tally.divided > cases / 2, "parts were divided to the end");
}

int
main(void)
{
	random_cases(60);
	meeting_cases(20);
	return done_testing();
}
