/*
 * test_units_classes.c
 *	  Classes of units by their number of groups: where one group of each counts, each unit is in one class
 *	  of one group, the right one, whatever became of its rows meanwhile.
 */
#include "tap.h"
#include "units_processes.h"

#define CLASSES 6				/* 1, 2, 4, ... 32 groups, and more */
#define GROUPS 1009
#define UNITS 700

static const uint32_t groups_of[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 500};

static uint32_t
groups_of_unit(uint32_t unit)
{
	return groups_of[unit % (sizeof(groups_of) / sizeof(groups_of[0]))];
}

static int
class_of(uint32_t groups)
{
	int			class = 0;

	while (class < CLASSES - 1 && (UINT32_C(1) << class) < groups)
		class++;
	return class;
}

/* Two rows of each unit in each of its groups, all in disorder. */
static void
make_case(Case *test, uint32_t units, size_t limit)
{
	uint32_t	at = 0;

	*test = (Case) {.units = units, .groups = GROUPS, .first_code = 1, .per_code = 1};
	test->spec = (DpUnitsSpec) {.id_words = 2, .grouped = true, .max_groups = 1, .measures = 1,
		.measure = test->measure, .limit = limit};
	test->measure[0] = (DpUnitsMeasure) {.kind = DP_UNITS_CLASSES, .constant = true,
		.ladder = {.first = 1, .steps = CLASSES}};
	test->id_style = 2;
	for (uint32_t unit = 0; unit < units; unit++)
		test->rows += 2 * groups_of_unit(unit);
	test->row = calloc(test->rows + 1, sizeof(Row));
	draw_secret(&test->spec.secret);
	for (uint32_t unit = 0; unit < units; unit++)
		for (uint32_t i = 0; i < 2 * groups_of_unit(unit); i++)
			test->row[at++] = (Row) {.unit = unit, .group = (31 * unit + 7 * (i / 2)) % GROUPS};
	for (uint32_t left = test->rows; left > 1; left--)
	{
		uint32_t	other = data_below(left);
		Row			row = test->row[left - 1];

		test->row[left - 1] = test->row[other];
		test->row[other] = row;
	}
	prepare_case(test);
}

/* Are the units of all groups together those of the classes, and each in one? */
static bool
is_right(const Case *test)
{
	int64_t		found[CLASSES] = {0};
	int64_t		expected[CLASSES] = {0};
	bool		right = true;

	for (uint32_t group = 0; group < GROUPS; group++)
	{
		const __int128 *total = test->found + (size_t) group * test->spec.parts;
		__int128	units = 0;

		for (int i = 0; i < CLASSES; i++)
		{
			units += total[1 + i];
			found[i] += (int64_t) total[1 + i];
		}
		right = right && units == total[0];
	}
	for (uint32_t unit = 0; unit < test->units; unit++)
		expected[class_of(groups_of_unit(unit))]++;
	return right && memcmp(found, expected, sizeof(found)) == 0;
}

static void
classes(const char *what, uint32_t units, size_t limit, int processes, uint32_t widen_at)
{
	Case		test;

	make_case(&test, units, limit);
	world_begin();
	if (processes == 1)
		run_alone(&test, widen_at);
	else
		run_processes(&test, processes, widen_at);
	world_end();
	ok(test.spec.parts == 1 + CLASSES && is_right(&test), "%s: each unit is in its class, once", what);
	free_case(&test);
}

int
main(void)
{
	classes("groups are numbers", UNITS, (size_t) 1 << 31, 1, UINT32_MAX);
	classes("groups are ids", UNITS, (size_t) 1 << 31, 1, 0);
	classes("memory is scarce", UNITS, 0, 1, UINT32_MAX);
	classes("and groups are ids", UNITS, 0, 1, 0);
	classes("three processes", UNITS, (size_t) 1 << 31, 3, UINT32_MAX);
	classes("and memory is scarce", UNITS, 0, 3, 1000);
	classes("of nobody", 0, 0, 1, UINT32_MAX);
	return done_testing();
}
