/* SPDX-License-Identifier: PostgreSQL */
/*
 * segments.h
 *	  Segments of memory that other processes can read: pieces are cut from them, and named by
 *	  their places, for each process has the segments at other addresses.
 *
 * Plain C: no server header.
 */
#ifndef DP_BASE_SEGMENTS_H
#define DP_BASE_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

/* No process has more segments than this. */
#define DP_MOST_SEGMENTS 16

typedef struct DpSegments
{
	void	   *context;
	void	   *(*make) (void *context, size_t size);	/* one more; NULL: there is none to be had */
	size_t		limit;			/* bytes in all; 0: no more are made */
	size_t		size;			/* bytes there are */
	int			count;
	int			current;		/* segment that is being cut; and */
	size_t		used;			/* bytes of it */
	struct
	{
		uint8_t    *base;
		size_t		size;
	}			segment[DP_MOST_SEGMENTS];
} DpSegments;

/* So many bytes, maybe of a new segment of at least `more`; NULL: there are none, and it does not matter why. */
extern void *dp_segments_cut(DpSegments *segments, size_t size, size_t more);

/* What a place in the segments is, for all processes, from where it is here; 0: it is not in them. */
extern uint64_t dp_segments_place(const DpSegments *segments, const void *bytes);

static inline void *
dp_segments_at(const DpSegments *segments, uint64_t place)
{
	return segments->segment[(place >> 48) - 1].base + (place & ((UINT64_C(1) << 48) - 1));
}

#endif							/* DP_BASE_SEGMENTS_H */
