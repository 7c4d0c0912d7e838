/*
 * divide.h
 *	  Dividing a part that is too large for memory.
 *
 * Plain C: no server header.
 */
#ifndef DP_UNITS_DIVIDE_H
#define DP_UNITS_DIVIDE_H

#include "units/take.h"

/* What a part was divided into. */
typedef struct DpDivision
{
	DpTake	   *take;
	const DpLogSource *source;	/* being divided */
	DpLog	   *to;
	bool		by_group;
	bool		any;
	bool		only_one;		/* all records are of this unit, or group if divided by these: */
	DpUnitId	one;
} DpDivision;

/* How a log's part is gone through: dp_log_take, or dp_log_visit, which keeps it. */
typedef void (*DpLogGo) (DpLog *log, uint32_t part, DpLogVisit visit, void *context);

/* Divide a part by bits of hashes of units, or of groups, behind the first so many. */
extern DpDivision dp_divide(DpTake *take, const DpLogSource *source, int sources, uint32_t part,
							int bits, bool by_group, DpLogGo go);

/* The part of it in which all records are, if they are of one. */
extern uint32_t dp_divide_part(const DpDivision *division);

/* Number of a part's records. */
extern uint64_t dp_divide_count(const DpLogSource *source, int sources, uint32_t part);

/* Does a part have to be divided?  Adding up, which this does, may do instead. */
extern bool dp_divide_needed(const DpTake *take, const DpLogSource *source, int sources,
							 uint32_t part);

#endif							/* DP_UNITS_DIVIDE_H */
