/*
 * data64.h
 *	  Numbers for the data of tests, the same in each run: xorshift.  Noise is never drawn from it.
 */
#ifndef DP_TEST_DATA64_H
#define DP_TEST_DATA64_H

#include <stdint.h>

static uint64_t data_state = 1;

static uint64_t
data64(void)
{
	data_state ^= data_state << 13;
	data_state ^= data_state >> 7;
	return data_state ^= data_state << 17;
}

#endif							/* DP_TEST_DATA64_H */
