/*
 * limit.h
 *	  Choosing the groups a unit keeps: those of least priority, see table.h.
 *
 * Plain C: no server header.  Part of table.c.
 */
#ifndef DP_UNITS_LIMIT_H
#define DP_UNITS_LIMIT_H

#include "units/slots.h"

/* Up to so many groups, an entry never holds more than count. */
#define DP_EXACT_GROUPS 32

/* A group's priority with the entry's unit. */
extern uint64_t dp_slots_priority(const DpSlots *slots, const uint8_t *entry, uint32_t group);

/* Drop groups of an entry beyond those of least priority. */
extern void dp_slots_limit(DpSlots *slots, uint8_t *entry);

/*
 * Make room for a group in an entry that holds as many as it may.  False if
 * the group's priority does not let it in.
 */
extern bool dp_slots_make_room(DpSlots *slots, uint8_t *entry, const DpRank *candidate);

/* Give back scratch space. */
extern void dp_slots_free_ranks(DpSlots *slots);

#endif							/* DP_UNITS_LIMIT_H */
