/* SPDX-License-Identifier: PostgreSQL */
/*
 * probe.h
 *	  The search of all hash tables here: open addressing, one place after the other.
 *
 * Plain C: no server header.
 *
 * A table has a power of two of places, of which one at least is free: else a search for what is
 * not there does not end.  What a place holds, when it is free and when it is the one that is
 * searched for is up to the table.  Nothing is ever removed.
 */
#ifndef DP_UNITS_PROBE_H
#define DP_UNITS_PROBE_H

/* Go through the places i that a hash leads to, until the body leaves the loop; mask is places - 1. */
#define DP_PROBE(i, hash, mask) \
	for (__typeof__((mask) + 0) i = (__typeof__((mask) + 0)) (hash) & (mask);; i = (i + 1) & (mask))

#endif							/* DP_UNITS_PROBE_H */
