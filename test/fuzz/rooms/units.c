/*
 * units.c
 *	  Adding up rows of any units, in any groups, in any memory, with failures anywhere.
 *
 * The answer is what the unit tests' model makes of the rows and the choice of groups
 * that the answer tells; memory and files are used as they have to be, and given back.
 */
#include "input.h"

#include "../../unit/units_processes.h"

#define MOST_ROWS 6000

/* Cells of all groups, at most. */
#define MOST_WEIGHTS 100000

/* Bounds, widths and limits of all sizes; cells up to so many, or none. */
static void
take_measure(Input *input, DpUnitsMeasure *measure, int64_t most_cells)
{
	const int64_t limit = INT64_C(1) << 61;
	int64_t		range = (int64_t) (UINT64_C(1) << take_between(input, 0, 61));
	int64_t		most;

	*measure = (DpUnitsMeasure) {.kind = (DpUnitsKind) take_between(input, 0, most_cells > 0 ? 5 : 4)};
	measure->small = take_between(input, 0, 1);
	measure->max_rows = take_between(input, 1, INT64_C(1) << take_between(input, 0, 31));
	measure->constant = measure->kind <= DP_UNITS_ROWS && take_between(input, 0, 1);
	measure->lower = take_between(input, -range, range);
	measure->upper = measure->lower + take_between(input, 0, range);
	measure->upper = measure->upper < limit ? measure->upper : limit;
	if (measure->kind == DP_UNITS_CELLS)
		measure->cells = (uint32_t) take_between(input, 1, most_cells);
	if (measure->kind != DP_UNITS_MOMENTS)
		return;
	measure->shape = (DpMomentsShape) take_between(input, 0, DP_MOMENTS_SHAPES - 1);
	most = INT64_C(1) << dp_aggregate_moments_bits(measure->shape);
	measure->width_y = take_between(input, 0, most);
	measure->upper = measure->lower + take_between(input, 0, most);
}

/* Two measures by which choices are known, see units_model.h. */
static void
add_codes(Input *input, Case *test)
{
	bool		small = take_between(input, 0, 1);

	test->first_code = test->spec.measures;
	test->per_code = small ? 15 : 31;
	for (int i = 0; i < 2; i++)
		test->measure[test->spec.measures++] = (DpUnitsMeasure)
		{
			.kind = DP_UNITS_SUM, .upper = small ? INT32_MAX : DP_GRID_LIMIT, .max_rows = 1,
				.small = small
		};
}

static int64_t
make_place(const DpUnitsMeasure *measure, uint8_t byte)
{
	static const int64_t places[] = {
		DP_GRID_NONE, 0, 1, -1, INT32_MIN, INT32_MAX, INT32_MIN + 1, (int64_t) INT32_MAX + 1,
		DP_GRID_LIMIT, -DP_GRID_LIMIT
	};
	bool		any = byte >= 128 && (measure->kind != DP_UNITS_SUM || !measure->small);
	int64_t		place = any ? (int64_t) data64() >> (byte % 64) : (int64_t) byte - 64;

	if (measure->kind == DP_UNITS_CELLS)
		return byte == 0 ? DP_GRID_NONE : byte < 128 ? byte % measure->cells
			: data64() % measure->cells;
	if (byte < 10)
		place = places[byte];
	if (place != DP_GRID_NONE && measure->kind == DP_UNITS_SUM && measure->small)
		return model_clamp(place, INT32_MIN, INT32_MAX);
	return place == DP_GRID_NONE || measure->kind == DP_UNITS_MOMENTS ? place
		: model_clamp(place, -DP_GRID_LIMIT, DP_GRID_LIMIT);
}

/* A row from a few bytes. */
static void
make_row(Case *test, uint8_t *seen, uint32_t unit, uint32_t group, const uint8_t *bytes)
{
	uint32_t	few = test->groups < test->spec.max_groups ? test->groups : test->spec.max_groups;
	Row		   *row = &test->row[test->rows++];
	bool	   *first = NULL;

	row->unit = unit % test->units;
	row->group = (row->unit * 7 + group % few) % test->groups;
	if (row->unit < coded_units(test))
	{
		row->group = group % test->groups;
		first = (bool *) &seen[(size_t) row->unit * test->groups + row->group];
	}
	for (int i = 0; i < test->spec.measures; i++)
		row->place[i] = i < test->first_code ? make_place(&test->measure[i], bytes[i])
			: bytes[i] % 2 ? 0 : DP_GRID_NONE;
	if (first && !*first)
	{
		row->place[test->first_code + (int) (row->unit / test->per_code)] =
			INT64_C(1) << (2 * (row->unit % test->per_code));
		*first = true;
	}
}

/* Rows one by one, and many at once of units and groups below some number. */
static void
take_rows(Input *input, Case *test)
{
	uint8_t    *seen = calloc((size_t) coded_units(test) * test->groups, 1);

	test->row = calloc(MOST_ROWS + 1, sizeof(Row));
	while (input->left > 0 && test->rows < MOST_ROWS)
	{
		uint8_t		bytes[4 + MEASURES];
		uint32_t	many = 1;

		take(input, bytes, sizeof(bytes));
		if (bytes[0] % 4 == 3)
			many = UINT32_C(1) << bytes[0] / 20;
		for (uint32_t i = 0; i < many && test->rows < MOST_ROWS; i++)
		{
			uint32_t	unit = bytes[1] * (bytes[0] % 2 ? 16 : 1);
			uint32_t	group = bytes[2] + 256 * (bytes[3] % 16);

			if (many > 1)
			{
				unit = data_below(unit + 1);
				group = data_below(group + 1);
				bytes[4 + i % MEASURES] = (uint8_t) data64();
			}
			make_row(test, seen, unit, group, bytes + 4);
		}
	}
	free(seen);
}

/* A secret as drawn, or one by which hashes are the same but for their last bits, or all. */
static void
take_secret(Input *input, Case *test)
{
	uint64_t	style = take_word(input) % 4;

	data_state = take_word(input) | 1;
	draw_secret(&test->spec.secret);
	test->id_style = (int) take_between(input, 0, 2);
	if (style == 0)
		test->spec.secret.factor[0] = test->spec.secret.factor[1] = test->spec.secret.offset = 1;
	if (style != 1)
		return;
	test->spec.secret.factor[1] = 0;
	test->spec.id_words = 2;
	test->id_style = 2;
}

static void
take_case(Input *input, Case *test)
{
	int64_t		most_cells;

	memset(test, 0, sizeof(*test));
	test->spec.measure = test->measure;
	test->spec.id_words = (int) take_between(input, 1, 2);
	test->spec.single = take_between(input, 0, 15) == 1;
	test->spec.grouped = take_between(input, 0, 7) != 0;
	test->spec.max_groups = test->spec.grouped ? (uint32_t) take_between(input, 1, INT64_C(1) << take_between(input, 0, 12)) : 1;
	test->units = (uint32_t) take_between(input, 1, INT64_C(1) << take_between(input, 0, 12));
	test->groups = test->spec.grouped ? (uint32_t) take_between(input, 1, INT64_C(1) << take_between(input, 0, 12)) : 1;
	test->longest_keys = take_between(input, 0, 7) == 0;
	test->spec.limit = take_between(input, 0, 3) ? 0 : (size_t) 1 << take_between(input, 16, 30);
	take_secret(input, test);
	most_cells = test->spec.single ? 0 : MOST_WEIGHTS / MEASURES / test->groups;
	test->spec.measures = (int) take_between(input, 0, MEASURES - 2);
	for (int i = 0; i < test->spec.measures; i++)
		take_measure(input, &test->measure[i], most_cells);
	add_codes(input, test);
	take_rows(input, test);
	prepare_case(test);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static Case test;
	static uint32_t processes;
	Input		input = {data, size};
	uint32_t	plan = (uint32_t) take_word(&input);
	uint32_t	widen_at = (plan >> 8) % 4 == 0 ? UINT32_MAX : (plan >> 8) % MOST_ROWS;
	WorldStep	failing = plan % 8 < 4 ? (WorldStep) (plan % 8) : WORLD_NOTHING;
	uint64_t	fails_at = 1 + take_word(&input) % 2000;

	processes = 1 + (plan >> 4) % MOST_PROCESSES;
	take_case(&input, &test);
	world_begin();
	world.failing = failing;
	world.fails_at = fails_at;
	if (setjmp(world.escape) == 0)
	{
		if (processes == 1 || test.spec.single)
			run_alone(&test, widen_at);
		else
			run_processes(&test, (int) processes, widen_at);
		CLAIM(model_admits(&test, test.spec.single ? 1 : processes));
	}
	world.failing = WORLD_NOTHING;
	if (world.failed)
		world_forget();
	world_end();
	free_case(&test);
	return 0;
}
