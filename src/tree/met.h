/* SPDX-License-Identifier: PostgreSQL */
/*
 * met.h
 *	  How many questions this session met, and paid for: for who runs a command, and is to know
 *	  whether any took part.
 */
#ifndef DP_TREE_MET_H
#define DP_TREE_MET_H

#include "postgres.h"

typedef struct DpMet
{
	uint64		questions;		/* planned or opened, or refused before */
	uint64		charges;
} DpMet;

extern DpMet dp_tree_met;

#endif							/* DP_TREE_MET_H */
