/*
 * test_units_direct.c
 *	  The table of units, where rows are all in one group: ids of all widths, units at
 *	  random, one after the other and too many, in a table that is full and beside a log;
 *	  answers are the model's, to the last bit.
 */
#include "tap.h"
#include "units_processes.h"

/* So many rows are added at once. */
#define MOST_AT_ONCE 150

/* How rows come. */
typedef enum Order
{
	AT_RANDOM,
	SORTED,						/* by units */
	ONCE						/* each is of another unit */
} Order;

/* What a table was like when all rows were there. */
typedef struct Seen
{
	size_t		id_size;		/* 0: there was none */
	bool		full;
	uint64_t	logged;			/* records */
} Seen;

/* A sum of places that may be large, rows, and another measure. */
static void
make_case(Case *test, uint32_t units, uint32_t rows, Order order, DpUnitsMeasure third)
{
	*test = (Case) {.units = units, .groups = 1, .rows = rows, .first_code = 3};
	test->spec = (DpUnitsSpec) {.id_words = 1, .max_groups = 1, .measures = 3, .measure = test->measure};
	test->measure[0] = (DpUnitsMeasure) {.kind = DP_UNITS_SUM, .lower = -1000000, .upper = 1000000, .max_rows = 1};
	test->measure[1] = (DpUnitsMeasure) {.kind = DP_UNITS_ROWS, .max_rows = 7, .constant = true};
	test->measure[2] = third;
	draw_secret(&test->spec.secret);
	test->row = calloc(rows, sizeof(Row));
	for (uint32_t i = 0; i < rows; i++)
	{
		uint32_t	unit = order == ONCE ? i : order == SORTED ? (uint32_t) ((uint64_t) i * units / rows) : data_below(units);
		bool		none = data_below(9) == 0;

		test->row[i] = (Row) {unit, 0, {(int64_t) data_below(100000) - 20000, 0,
			none ? DP_GRID_NONE : (int64_t) data_below(900) - 100}, 0};
	}
	prepare_case(test);
	test->spec.small_ids = false;
}

/* So many rows from this one on, at once where the table is in use. */
static void
collect_some(const Case *test, DpCollect *collect, const Row *row, uint32_t rows)
{
	DpUnitId	unit[MOST_AT_ONCE];
	int64_t		place[3 * MOST_AT_ONCE];

	for (uint32_t i = 0; i < rows; i++)
	{
		unit[i] = unit_id(test, row[i].unit);
		memcpy(place + 3 * i, row[i].place, 3 * sizeof(int64_t));
	}
	if (dp_units_collect_add_direct(collect, unit, place, rows))
		return;
	for (uint32_t i = 0; i < rows; i++)
		dp_units_collect_add(collect, &unit[i], 0, place + 3 * i);
}

static void
collect_rows(const Case *test, DpCollect *collect)
{
	dp_units_intern(&collect->groups, "", 0);
	for (uint32_t i = 0, rows; i < test->rows; i += rows)
	{
		rows = 1 + data_below(MOST_AT_ONCE);
		rows = rows < test->rows - i ? rows : test->rows - i;
		collect_some(test, collect, test->row + i, rows);
	}
}

/* Answer a case in so much memory, and say what the table was like. */
static Seen
answer(const char *what, Case *test, size_t limit)
{
	DpCollect	collect;
	Seen		seen = {0};

	forget_found(test);
	world_begin();
	test->spec.limit = limit;
	test->spec.processes = 1;
	dp_units_collect_create(&collect, &world_memory, &world_files, &test->spec, 0, NULL);
	collect_rows(test, &collect);
	seen.id_size = collect.direct.entry ? collect.direct.id_size : 0;
	seen.full = collect.direct.entry && collect.direct.places == collect.direct.most_places;
	for (uint32_t i = 0; i < collect.numbered->parts; i++)
		seen.logged += dp_units_part_count(collect.numbered, i);
	dp_units_collect_finish(&collect, note_group, test);
	dp_units_collect_destroy(&collect);
	world_end();
	ok(model_admits(test, 1), "%s: the answer is the model's", what);
	ok(world.most <= limit + limit / 2 + 384 * 1024, "%s: in %zu kB of memory", what, world.most / 1024);
	return seen;
}

static const DpUnitsMeasure small_sum = {.kind = DP_UNITS_SUM, .lower = -500, .upper = 500, .max_rows = 1, .small = true};
static const DpUnitsMeasure mean = {.kind = DP_UNITS_MEAN, .lower = -10, .upper = 800, .max_rows = 3};
static const DpUnitsMeasure variance = {.kind = DP_UNITS_MOMENTS, .lower = 0, .upper = 700, .max_rows = 5,
	.shape = DP_MOMENTS_VARIANCE};

/* Ids of one word, small and large, and of two; one of one word has the hash that says that an entry is free. */
static void
ids_of_all_widths(void)
{
	const DpUnitsMeasure third[] = {small_sum, mean, variance};

	for (int i = 0; i < 12; i++)
	{
		Case		test;
		Seen		seen;
		int			words = 1 + i % 2;
		int			style = i / 2 % 3;
		DpUnitId	id;

		make_case(&test, 3000, 100000, AT_RANDOM, third[i % 3]);
		test.spec.id_words = words;
		test.id_style = style;
		test.spec.small_ids = words == 1 && style != 1 && (i == 0 || i == 10);
		id = unit_id(&test, 5);
		if (i >= 6)
			test.spec.secret.offset = -id.word[0];
		ok((dp_units_record_id(&test.spec, &id).word[0] == 0) == (i >= 6 && words == 1), "the hash of a unit");
		seen = answer("ids", &test, 16 << 20);
		ok(seen.id_size == (test.spec.small_ids ? 4 : 8 * (size_t) words), "ids of %d words, style %d, take %zu bytes", words,
		   style, seen.id_size);
		free_case(&test);
	}
}

/* Rows of few units, and then, one of so many, of units that are new, or of many. */
static void
make_late(Case *test, uint32_t each, uint32_t many)
{
	make_case(test, 1000, 400000, AT_RANDOM, mean);
	for (uint32_t i = 50000; i < test->rows; i += each)
		test->row[i].unit = 2000 + (many > 0 ? data_below(many) : i);
}

/* Tables that units fill. */
static void
full_tables(void)
{
	Case		test;
	Seen		seen;

	make_case(&test, 30000, 300000, AT_RANDOM, small_sum);
	seen = answer("a few units too many", &test, 1 << 20);
	ok(seen.id_size == 0 && seen.logged > 0, "more units than it holds: no table");
	free_case(&test);
	make_case(&test, 100000, 100000, ONCE, small_sum);
	seen = answer("a unit for each row", &test, 4 << 20);
	ok(seen.id_size == 0 && seen.logged == test.rows, "there is no table");
	free_case(&test);

	/* Half of the rows are few units'; the others come later. */
	make_late(&test, 2, 100000);
	seen = answer("many units later", &test, 1 << 20);
	ok(seen.full && seen.id_size > 0 && seen.logged > 100000, "a full table writes what it has no room for");
	free_case(&test);
	make_late(&test, 2, 100000);
	seen = answer("many units later, and memory", &test, 16 << 20);
	ok(seen.full && seen.id_size > 0 && seen.logged > 0, "a table grows");
	free_case(&test);
	make_late(&test, 1, 0);
	seen = answer("a unit for each row later", &test, 1 << 20);
	ok(seen.id_size == 0 && seen.logged > 300000, "a table is given up");
	free_case(&test);
	for (int i = 0; i < 2; i++)
	{
		make_case(&test, 60000, 600000, SORTED, small_sum);
		test.spec.id_words = 1 + i;
		seen = answer("sorted units", &test, 1 << 20);
		ok(seen.id_size > 0 && seen.logged > 0 && seen.logged < 100000, "each unit is written about once");
		free_case(&test);
	}
}

/* Of several processes, each has a table. */
static void
processes(void)
{
	for (int order = AT_RANDOM; order <= ONCE; order++)
	{
		Case		test;

		make_case(&test, 8000, 100000, (Order) order, mean);
		for (size_t limit = 64 * 1024; limit <= 16 << 20; limit *= 16)
		{
			world_begin();
			test.spec.limit = limit;
			run_processes(&test, 3, UINT32_MAX);
			world_end();
			ok(model_admits(&test, 3), "order %d, %zu kB: three processes answer as the model", order, limit / 1024);
		}
		free_case(&test);
	}
}

/* So many measures that an entry is longer than there is memory. */
static void
little_memory(void)
{
	for (size_t limit = 0; limit <= 1024; limit = 4 * limit + 1)
	{
		Case		test;

		make_case(&test, 300, 20000, AT_RANDOM, variance);
		answer("little memory", &test, limit);
		free_case(&test);
	}
}

int
main(void)
{
	ids_of_all_widths();
	full_tables();
	processes();
	little_memory();
	return done_testing();
}
