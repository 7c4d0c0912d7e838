/* SPDX-License-Identifier: PostgreSQL */
/*
 * contributions.h
 *	  Totals of groups, or weights of their cells, of which there are too many for memory:
 *	  what units contribute is a record again, kept apart by parts of the groups and added
 *	  up part by part.
 *
 * Plain C: no server header.  A group is known by 128 bits: by its key, if that has
 * at most 15 bytes, else by a digest under a secret.  Keys that have more are written to
 * a file by whoever meets them, and are found by their places there.
 */
#ifndef DP_UNITS_CONTRIBUTIONS_H
#define DP_UNITS_CONTRIBUTIONS_H

#include "units/load.h"

/*
 * Weights of the cells of groups: the rows in them, each in the part that its unit's
 * rows count in.
 *
 * Cells of all measures are numbered through; see
 * DpUnitsMeasure.  Rows cannot be weighed before all of their unit's are counted,
 * so they are gone through twice.
 */

/* A cell that weighs more than nothing. */
typedef struct DpCellWeight
{
	uint32_t	cell;
	uint64_t	weight;
} DpCellWeight;

/* Totals of a group. */
typedef struct DpGroupTotals
{
	__int128   *totals;
	const DpCellWeight *weight; /* each cell at most once, in any order */
	uint32_t	weights;
} DpGroupTotals;

/* An array of the weights of all cells, of groups that are numbered. */
typedef struct DpWeights
{
	DpMemory	memory;
	uint32_t	cells;			/* of a group; 0: there is no array */
	DpBuffer	weight;			/* uint64_t, group by group */
	DpBuffer	list;			/* of DpCellWeight */
} DpWeights;

/* Is there room for an array of so many groups?  There always is for one. */
extern bool dp_units_weights_fit(const DpUnitsSpec *spec, uint64_t groups);

extern void dp_units_weights_create(DpWeights *weights, const DpMemory *memory,
									const DpUnitsSpec *spec, uint32_t groups);

extern void dp_units_weights_destroy(DpWeights *weights);

/* Set what there is in a group, valid until the next call. */
extern void dp_units_weights_list(DpWeights *weights, uint32_t group, DpGroupTotals *totals);

static inline void
dp_units_weights_add(DpWeights *weights, uint32_t group, uint32_t cell, uint64_t weight)
{
	((uint64_t *) weights->weight.bytes)[(size_t) group * weights->cells + cell] += weight;
}

/* Rows that were counted: they are all in one cell. */
static inline uint64_t
dp_units_weights_of_counted(const DpUnitsMeasure *measure, uint64_t weight, const uint8_t *data,
							uint32_t *cell)
{
	*cell = measure->first_cell + dp_units_acc_load32(data + measure->offset + sizeof(uint64_t));
	return dp_units_acc_load64(data + measure->offset) * weight;
}

/*
 * The weight of a row, or counted rows, in a measure's cell, of a unit with these
 * accumulators; 0: none.  All of a unit's together weigh what max_rows rows do at most: no
 * counts add up to more than their sum, and of 2^64 rows each weighs nothing.
 */
static inline uint64_t
dp_units_weights_of_row(const DpUnitsMeasure *measure, const uint8_t *acc, DpRecordForm form,
						const uint8_t *data, uint32_t *cell)
{
	uint64_t	weight;
	int64_t		place;

	if (measure->kind != DP_UNITS_CELLS)
		return 0;
	weight = dp_aggregate_cells_row_weight(dp_units_acc_load64(acc + measure->offset), (uint64_t) measure->max_rows);
	if (form == DP_RECORD_ADDED)
		return dp_units_weights_of_counted(measure, weight, data, cell);
	place = dp_units_record_place(measure, form, data);
	if (place == DP_GRID_NONE)
		return 0;
	*cell = measure->first_cell + (uint32_t) place;
	return weight;
}

/* Bytes of a key that is its own id. */
#define DP_SHORT_KEY 15

/* Last byte of a group's id: a short key's length, or else this. */
#define DP_LONG_KEY 0xFF

typedef struct DpContributions
{
	DpMemory	memory;
	const DpFiles *files;
	const DpUnitsSpec *spec;
	DpLog	   *log;			/* records: hash, id; place of the key, totals unless rows are
								 * read */
	DpLog	   *cells;			/* records: hash, id, cell; weight.  NULL: there are none */
	uint64_t	groups;			/* no more than so many have nothing in the former */
} DpContributions;

/* Prefix of records of a group: the hash of its id, and here the id. */
#define DP_CONTRIBUTION_ID_AT sizeof(uint64_t)
#define DP_CONTRIBUTION_IDENTITY (DP_CONTRIBUTION_ID_AT + sizeof(DpUnitId))

/* Where a long key is: in which process's file, and where there; 0: not known. */
typedef uint64_t DpKeyPlace;

#define DP_KEY_PLACE_BITS 48

/*
 * Make an empty one.  If groups are numbered, `groups` is how many there are, and only
 * weights are put, for their numbers.  If `groups` is 0, weights are put for groups
 * that have totals only.
 */
extern void dp_units_contributions_create(DpContributions *contributions, const DpMemory *memory,
										  const DpFiles *files, const DpUnitsSpec *spec,
										  uint32_t groups);

extern void dp_units_contributions_destroy(DpContributions *contributions);

/* The id of the group with this key. */
extern DpUnitId dp_units_group_id(const DpUnitsSecret *secret, const void *key, uint32_t length);

/* Is the key not in the id? */
static inline bool
dp_units_group_key_is_long(const DpUnitId *id)
{
	return id->word[1] >> 56 == DP_LONG_KEY;
}

/* Only places of keys, from now on; or else totals. */
extern void dp_units_contributions_expect_totals(DpContributions *contributions, bool totals);

/* Say where a group's key is. */
extern void dp_units_contributions_put_key(DpContributions *contributions, const DpUnitId *id,
										   DpKeyPlace key);

/* Add to a group's totals, and say where its key is if that is not 0. */
extern void dp_units_contributions_put(DpContributions *contributions, const DpUnitId *id,
									   DpKeyPlace key, const __int128 *totals);

/* Add to the weight of a cell of a group. */
extern void dp_units_contributions_put_cell(DpContributions *contributions, const DpUnitId *id,
											uint32_t cell, uint64_t weight);

#endif							/* DP_UNITS_CONTRIBUTIONS_H */
