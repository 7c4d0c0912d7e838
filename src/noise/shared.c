/* SPDX-License-Identifier: PostgreSQL */
/*
 * shared.c
 *	  Putting together what a total has of noise for itself and what it shares with others; see shared.h.
 */
#include "noise/shared.h"

/* value / 2^bits to the nearest, halves up. */
static DpInt128
round_shift(DpInt128 value, int bits)
{
	return (value + ((DpInt128) 1 << (bits - 1))) >> bits;
}

DpInt128
dp_noise_beside_shared(DpInt128 own, DpInt128 shared, DpInt128 multiple, int bits, int own_bits)
{
	return round_shift(own + round_shift(multiple * shared, bits), own_bits);
}
