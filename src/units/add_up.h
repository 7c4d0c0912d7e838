/*
 * add_up.h
 *	  Adding up records of the same identity, in the cache.
 *
 * Plain C: no server header.
 */
#ifndef DP_UNITS_ADD_UP_H
#define DP_UNITS_ADD_UP_H

#include "units/partition_file.h"

typedef struct DpAddUp
{
	const DpUnitsMemory *memory;
	const DpRecords *records;
	DpLogScratch *scratch;		/* the caller's; what is added up is in `record` */
	uint32_t	count;			/* records there */
	uint32_t	most;			/* of them */
	uint32_t	places;			/* of the scratch in use, a power of two */
} DpAddUp;

/* Begin with no record; no more than so many bytes of them are made. */
extern void dp_add_up_begin(DpAddUp *add, const DpUnitsMemory *memory, const DpRecords *records,
							DpLogScratch *scratch, size_t most);

/* Add records of this form; false if there would be too many. */
extern bool dp_add_up_some(DpAddUp *add, DpRecordForm form, const uint8_t *record, size_t bytes);

/* The number of the record of this identity, made if there is none; UINT32_MAX: no room. */
extern uint32_t dp_add_up_find(DpAddUp *add, const uint8_t *identity);

/* Give back what a scratch holds. */
extern void dp_add_up_free(const DpUnitsMemory *memory, DpLogScratch *scratch);

#endif							/* DP_UNITS_ADD_UP_H */
