/*
 * one_unit.h
 *	  Taking a part with more rows than memory that are all one unit's.
 *
 * Plain C: no server header.
 *
 * Its rows are divided by groups, and these offered to a reservoir.
 */
#ifndef DP_UNITS_ONE_UNIT_H
#define DP_UNITS_ONE_UNIT_H

#include "units/take.h"

/* Take such a part, which is given back to the log. */
extern void dp_take_one_unit(DpTake *take, const DpLogSource *source, uint32_t part);

#endif							/* DP_UNITS_ONE_UNIT_H */
