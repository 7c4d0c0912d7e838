/*
 * kinds.h
 *	  The table of each kind of release; see pricing/kind.h.
 */
#ifndef DP_KINDS_KINDS_H
#define DP_KINDS_KINDS_H

#include "pricing/kind.h"

extern const DpKind dp_kinds_sum;
extern const DpKind dp_kinds_mean;
extern const DpKind dp_kinds_quantile;
extern const DpKind dp_kinds_moments;
extern const DpKind dp_kinds_model;
extern const DpKind dp_kinds_passes;
extern const DpKind dp_kinds_losses;
extern const DpKind dp_kinds_tables;

#endif							/* DP_KINDS_KINDS_H */
