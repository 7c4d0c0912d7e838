/* SPDX-License-Identifier: PostgreSQL */
/*
 * read_public.h
 *	  Reading what a statement's blocks take from public rows and code.
 */
#ifndef DP_DRAW_READ_PUBLIC_H
#define DP_DRAW_READ_PUBLIC_H

#include "postgres.h"

#include "nodes/execnodes.h"

/*
 * Run these of the public queries of a statement (public_params.h), one after the other, and return all values
 * that are known then, those that were before included: of all columns of all queries, as Const in the current
 * memory context, or NULL.
 *
 * They are the analyst's own statements: they run under the statement's snapshot and with its
 * parameters, by the rights of whoever asks, and whatever code she calls runs in them.  So
 * the caller has checked nothing yet that it relies on later.  Their errors are raised as
 * they are.
 */
extern List *dp_draw_read_public(List *queries, const Bitmapset *which, List *values, const EState *estate);

#endif							/* DP_DRAW_READ_PUBLIC_H */
