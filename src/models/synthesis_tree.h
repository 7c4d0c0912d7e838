/* SPDX-License-Identifier: PostgreSQL */
/*
 * synthesis_tree.h
 *	  Which pairs of columns a tree of tables has.
 *
 * Plain C: no server header.
 */
#ifndef DP_MODELS_SYNTHESIS_TREE_H
#define DP_MODELS_SYNTHESIS_TREE_H

#include "models/synthesis.h"

/* Put the exact table of a pair, in cells of classes, into the room for it. */
extern void dp_models_synthesis_merge_classes(const DpSynthesis *synthesis, int first, int second);

/*
 * The score of a pair.  Where a unit moves the cells of its table by at most D together, it moves by at most D.
 * What its table is compared with, and what is taken off, is computed from noisy tables alone.
 */
extern int64_t dp_models_synthesis_score(const DpSynthesis *synthesis, int first, int second);

#endif							/* DP_MODELS_SYNTHESIS_TREE_H */
