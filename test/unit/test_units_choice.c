/*
 * test_units_choice.c
 *	  Which groups of a unit count, where it has more than max_groups: any set of so many
 *	  is as likely as any other, whatever became of the rows meanwhile, and whatever was
 *	  chosen for other units.
 *
 * Counts are compared by chi-square.  Each test fails falsely with a probability of
 * 10^-11, all together with less than 10^-9.
 */
#include "tap.h"
#include "units_processes.h"

#include "noise/coins.h"
#include "units/sums.h"

/* P[chi-square of so many degrees of freedom > that] = 10^-11. */
typedef struct Critical
{
	int			degrees;
	double		value;
} Critical;

static const Critical critical[] = {
	{4, 57.44}, {5, 60.41}, {9, 70.93}, {11, 75.69}, {19, 92.93}, {99, 224.4}
};

/* Are counts those of equally likely cells? */
static void
is_uniform(const char *what, const uint32_t *count, int cells)
{
	double		all = 0;
	double		chi = 0;
	double		limit = 0;

	for (int i = 0; i < cells; i++)
		all += count[i];
	for (int i = 0; i < cells; i++)
		chi += (count[i] - all / cells) * (count[i] - all / cells) * cells / all;
	for (size_t i = 0; i < sizeof(critical) / sizeof(critical[0]); i++)
		if (critical[i].degrees == cells - 1)
			limit = critical[i].value;
	CLAIM(limit > 0);
	ok(chi < limit, "%s: chi-square %.1f of %.1f", what, chi, limit);
}

/* Number of a set of k out of n, among all those; they are given as bits. */
static int
subset_number(int n, int k, uint32_t bits)
{
	int			number = 0;

	CLAIM(__builtin_popcount(bits) == k && bits < UINT32_C(1) << n);
	for (uint32_t other = 0; other < bits; other++)
		number += __builtin_popcount(other) == k;
	return number;
}

/* Sets that a unit's groups are shuffled to. */
static void
sums_choose(int n, int k, int subsets)
{
	DpUnitsSpec spec = {.grouped = true, .max_groups = (uint32_t) k, .limit = 1 << 20};
	DpSums		sums;
	uint32_t	row[8];
	uint32_t	count[32] = {0};

	for (int i = 0; i < n; i++)
		row[i] = (uint32_t) i;
	dp_units_lay_out(&spec);
	dp_units_sums_create(&sums, &world_memory, &spec);
	dp_units_sums_expect(&sums, (uint32_t) n);
	for (int t = 0; t < 40000; t++)
	{
		uint32_t	bits = 0;

		dp_units_sums_add(&sums, DP_RECORD_SHORT, (const uint8_t *) row, sizeof(uint32_t), (uint32_t) n);
		dp_units_sums_choose(&sums, (uint32_t) k);
		for (uint32_t i = 0; i < sums.count; i++)
			bits |= UINT32_C(1) << dp_units_sums_found(&sums, i)->group;
		count[subset_number(n, k, bits)]++;
	}
	dp_units_sums_destroy(&sums);
	is_uniform("a shuffle's sets", count, subsets);
}

/* Sets that stay in a reservoir. */
static void
reservoir_chooses(int n, int k, int subsets)
{
	DpUnitsSpec spec = {.grouped = true, .max_groups = (uint32_t) k, .limit = 1 << 20};
	uint32_t	count[32] = {0};
	uint8_t		nothing[8] = {0};

	dp_units_lay_out(&spec);
	for (int t = 0; t < 40000; t++)
	{
		DpReservoir reservoir;
		uint32_t	bits = 0;

		dp_units_reservoir_create(&reservoir, &world_memory, &spec);
		for (int i = 0; i < n; i++)
			dp_units_reservoir_offer(&reservoir, &(DpUnitId) {{(uint64_t) i, 0}}, nothing);
		for (uint32_t i = 0; i < reservoir.count; i++)
			bits |= UINT32_C(1) << dp_units_reservoir_group(&reservoir, i)->word[0];
		count[subset_number(n, k, bits)]++;
		dp_units_reservoir_destroy(&reservoir);
	}
	is_uniform("a reservoir's sets", count, subsets);
}

/* Of groups offered to a reservoir, those that stay are found there, and no others. */
static void
chosen_are_found(uint32_t offered, uint32_t most)
{
	DpUnitsMeasure measure = {.kind = DP_UNITS_CELLS, .cells = 2, .max_rows = 1};
	DpUnitsSpec spec = {.grouped = true, .max_groups = most, .measures = 1, .measure = &measure};
	DpReservoir reservoir;
	uint64_t	found = 0;
	uint32_t	wrong = 0;

	draw_secret(&spec.secret);
	dp_units_lay_out(&spec);
	world_begin();
	dp_units_reservoir_create(&reservoir, &world_memory, &spec);
	for (uint64_t i = 0; i < offered; i++)
		dp_units_reservoir_offer(&reservoir, &(DpUnitId) {{i % 2, i}}, (const uint8_t *) &i);
	dp_units_reservoir_index(&reservoir);
	for (uint64_t i = 0; i < offered + 100; i++)
	{
		const uint8_t *acc = dp_units_reservoir_find(&reservoir, &(DpUnitId) {{i % 2, i}});

		found += acc != NULL;
		wrong += acc && dp_units_acc_load64(acc) != i;
	}
	ok(wrong == 0 && found == (offered < most ? offered : most), "%llu of %u groups offered are found",
	   (unsigned long long) found, offered);
	ok(world.steps[WORLD_BREATHE] >= found / 10000, "in an index made with %llu breaths",
	   (unsigned long long) world.steps[WORLD_BREATHE]);
	dp_units_reservoir_destroy(&reservoir);
	world_end();
}

/*
 * Numbers below n that is no power of two: each as likely.  Of those below three quarters
 * of 2^64 every third would be drawn twice as often if no word were rejected.
 */
static void
below_is_uniform(void)
{
	uint32_t	count[12] = {0};
	uint32_t	thirds[6] = {0};

	for (int i = 0; i < 60000; i++)
	{
		uint64_t	n = UINT64_C(3) << 62;	/* a quarter of all words is rejected */
		uint64_t	draw = dp_noise_uniform_below(n);

		CLAIM(draw < n);
		thirds[draw % 3 + (draw < n / 2 ? 0 : 3)]++;
		count[dp_noise_uniform_below(12)]++;
	}
	is_uniform("numbers below 12", count, 12);
	is_uniform("numbers below 3 * 2^62", thirds, 6);
}

/* Among so many places, groups that were dropped are not found, and those that stay are. */
static void
dropped_are_lost(uint32_t groups)
{
	DpUnitsMeasure measure = {.kind = DP_UNITS_CELLS, .cells = 2, .max_rows = 1};
	DpUnitsSpec spec = {.grouped = true, .max_groups = 20, .measures = 1, .measure = &measure};
	DpSums		sums;
	uint32_t	row[2 * 1000];
	uint32_t	wrong = 0;

	dp_units_lay_out(&spec);
	dp_units_sums_create(&sums, &world_memory, &spec);
	dp_units_sums_expect(&sums, groups);
	for (uint32_t most = 1; most < 1000; most += most / 2 + 1)
	{
		uint32_t	found = 0;

		for (uint32_t i = 0; i < 1000; i++)
		{
			row[2 * i] = i * (groups / 1000);
			row[2 * i + 1] = 0;
		}
		dp_units_sums_add(&sums, DP_RECORD_SHORT, (const uint8_t *) row, 2 * sizeof(uint32_t), 1000);
		dp_units_sums_choose(&sums, most);
		for (uint32_t i = 0; i < most; i++)
			wrong += dp_units_sums_find(&sums, dp_units_sums_found(&sums, i)->group) != dp_units_sums_found(&sums, i);
		for (uint32_t i = 0; i < groups; i++)
			found += dp_units_sums_find(&sums, i) != NULL;
		wrong += found != most;
	}
	dp_units_sums_destroy(&sums);
	ok(wrong == 0, "of %u groups those that stay are found, and no others: %u are wrong", groups, wrong);
}

#define PAIRS 20000

/* Pairs of units, each in the same five groups, of which two count, and in cells of their own. */
static void
make_pairs(Case *test, uint32_t cells)
{
	uint32_t	at = 0;

	*test = (Case) {.units = 2 * PAIRS, .groups = 5 * PAIRS, .rows = 10 * PAIRS, .per_code = 31};
	test->spec = (DpUnitsSpec) {.id_words = 2, .grouped = true, .max_groups = 2,
		.measures = cells > 0 ? 2 : 1, .measure = test->measure};
	test->measure[0] = (DpUnitsMeasure) {.kind = DP_UNITS_SUM, .upper = 4, .max_rows = 1, .small = true};
	test->measure[1] = (DpUnitsMeasure) {.kind = DP_UNITS_CELLS, .cells = cells, .max_rows = 1};
	test->id_style = 2;
	test->row = calloc(test->rows, sizeof(Row));
	draw_secret(&test->spec.secret);
	for (uint32_t group = 0; group < 5; group++)
		for (uint32_t unit = 0; unit < test->units; unit++)
			test->row[at++] = (Row) {unit, unit / 2 * 5 + (group + 4) % 5, {unit % 2 ? 4 : 1, unit % 2 ? cells - 1 : 0}, 0};
	prepare_case(test);
}

/* The set that counts of a pair's first or second unit. */
static uint32_t
pair_bits(const Case *test, uint32_t pair, int second)
{
	uint32_t	bits = 0;

	for (uint32_t group = 0; group < 5; group++)
	{
		const __int128 *total = test->found + (size_t) (5 * pair + group) * test->spec.parts;

		bits |= ((uint32_t) (total[1] >> (2 * second)) & 1) << group;
	}
	return bits;
}

/* Do cells of a pair's groups weigh what the units do that count there, and nothing else? */
static bool
pair_weighs(const Case *test, uint32_t pair)
{
	for (uint32_t group = 5 * pair; group < 5 * pair + 5; group++)
	{
		const uint64_t *weight = test->found_weight + (size_t) group * test->spec.cells;
		int			total = (int) test->found[(size_t) group * test->spec.parts + 1];

		for (uint32_t cell = 0; cell < test->spec.cells; cell++)
		{
			int			units = (cell == 0 ? total % 4 : 0) + (cell == test->spec.cells - 1 ? total / 4 : 0);

			if (weight[cell] != (uint64_t) units << DP_CELL_WEIGHT_BITS)
				return false;
		}
	}
	return true;
}

/* Sets of both units of all pairs: each combination as likely. */
static void
pairs_choose(const char *what, size_t limit, int processes, uint32_t widen_at, bool meeting,
			 uint32_t cells, int least_files, int most_files)
{
	Case		test;
	uint32_t	count[100] = {0};
	uint32_t	wrong = 0;

	make_pairs(&test, cells);
	test.spec.limit = limit;
	if (meeting)
	{
		/* Hashes are small numbers: all units are in one part, down to the last division. */
		test.id_style = 0;
		test.spec.id_words = 1;
		test.spec.secret.factor[0] = test.spec.secret.factor[1] = 1;
		test.spec.secret.offset = 5;
	}
	world_begin();
	if (processes == 1)
		run_alone(&test, widen_at);
	else
		run_processes(&test, processes, widen_at);
	world_end();
	for (uint32_t pair = 0; pair < PAIRS; pair++)
	{
		count[10 * subset_number(5, 2, pair_bits(&test, pair, 0)) +
			  subset_number(5, 2, pair_bits(&test, pair, 1))]++;
		wrong += !pair_weighs(&test, pair);
	}
	is_uniform(what, count, 100);
	ok(wrong == 0, "%s: in %u of %d pairs cells weigh something else", what, wrong, PAIRS);
	if (cells > 0 && limit > 0 && widen_at > 0)
		ok(logged_weights(&test) == (cells > 2), "%s: weights are %s", what, cells > 2 ? "logged" : "in an array");
	ok(world.opened >= least_files && world.opened <= most_files, "%s: %d files", what, world.opened);
	free_case(&test);
}

#define HEAVY_GROUPS 3000
#define HEAVY_BOUND 50

/* Do the cells of a group weigh what its two rows do if the unit counts there, else nothing? */
static bool
weighs_two_rows(const Case *test, uint32_t group, uint32_t total)
{
	uint32_t	cells = test->spec.cells;

	for (uint32_t cell = 0; cell < cells; cell++)
	{
		uint32_t	rows = (group % cells == cell) + ((group + HEAVY_GROUPS) % cells == cell);

		if (test->found_weight[(size_t) group * cells + cell] !=
			(uint64_t) (total * rows) << (DP_CELL_WEIGHT_BITS - 1))
			return false;
	}
	return true;
}

/* A unit that does not fit memory: groups are as likely whenever they came. */
static void
heavy_unit_chooses(const char *what, uint32_t widen_at, uint32_t cells)
{
	Case		test = {.units = 1, .groups = HEAVY_GROUPS, .rows = 2 * HEAVY_GROUPS};
	uint32_t	count[12] = {0};
	uint32_t	wrong = 0;
	uint32_t	heavy = 0;

	test.spec = (DpUnitsSpec) {.id_words = 1, .grouped = true, .max_groups = HEAVY_BOUND,
		.measures = cells > 0, .measure = test.measure};
	test.measure[0] = (DpUnitsMeasure) {.kind = DP_UNITS_CELLS, .cells = cells, .max_rows = 1};
	test.row = calloc(test.rows, sizeof(Row));
	for (uint32_t i = 0; i < test.rows; i++)
		test.row[i] = (Row) {0, i % HEAVY_GROUPS, {cells > 0 ? i % cells : DP_GRID_NONE}, 0};
	prepare_case(&test);
	for (int t = 0; t < 300; t++)
	{
		uint32_t	chosen = 0;

		world_begin();
		draw_secret(&test.spec.secret);
		run_alone(&test, widen_at);
		world_end();
		for (uint32_t i = 0; i < HEAVY_GROUPS; i++)
		{
			uint32_t	total = (uint32_t) test.found[(size_t) i * test.spec.parts];

			chosen += total;
			count[i / (HEAVY_GROUPS / 12)] += total;
			heavy += !weighs_two_rows(&test, i, total);
		}
		wrong += chosen != HEAVY_BOUND;
	}
	ok(wrong == 0, "%s: in %u of 300 runs it does not count in so many groups", what, wrong);
	ok(heavy == 0, "%s: %u groups weigh something else", what, heavy);
	is_uniform(what, count, 12);
	free_case(&test);
}

int
main(void)
{
	sums_choose(5, 2, 10);
	sums_choose(5, 3, 10);
	sums_choose(5, 1, 5);
	sums_choose(6, 5, 6);
	sums_choose(6, 3, 20);
	reservoir_chooses(5, 2, 10);
	reservoir_chooses(6, 3, 20);
	chosen_are_found(0, 5);
	chosen_are_found(300, 1000);
	chosen_are_found(300000, 100000);
	below_is_uniform();
	dropped_are_lost(1000);
	dropped_are_lost(20000);
	pairs_choose("groups are numbers", (size_t) 1 << 31, 1, UINT32_MAX, false, 2, 0, 0);
	pairs_choose("groups are numbers, parts are divided", (size_t) 40 << 20, 1, UINT32_MAX, true, 0, 5, 99);
	pairs_choose("the same, with cells in a log", (size_t) 40 << 20, 1, UINT32_MAX, true, 40, 5, 99);
	pairs_choose("groups are ids", (size_t) 1 << 31, 1, 0, false, 2, 1, 99);
	pairs_choose("groups are ids at last, memory is scarce", 0, 1, UINT32_MAX, false, 0, 4, 9999);
	pairs_choose("the same, with cells", 0, 1, UINT32_MAX, false, 3, 4, 9999);
	pairs_choose("three processes", 0, 3, UINT32_MAX, false, 2, 12, 9999);
	for (uint32_t cells = 0; cells <= 7; cells += 7)
	{
		heavy_unit_chooses(cells > 0 ? "a heavy unit, with cells" : "a heavy unit", UINT32_MAX, cells);
		heavy_unit_chooses(cells > 0 ? "with cells, groups are ids" : "groups are ids", 0, cells);
	}
	return done_testing();
}
