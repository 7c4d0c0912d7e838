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
 * Run so many of the public queries of a statement (public_params.h), from the n-th on, one after the other, and
 * return the values of all their columns, as Const in the current memory context, behind those of the
 * queries before.
 *
 * They are the analyst's own statements: they run under the statement's snapshot and with its
 * parameters, by the rights of whoever asks, and whatever code she calls runs in them.  So
 * the caller has checked nothing yet that it relies on later.  Their errors are raised as
 * they are.
 */
extern List *dp_draw_read_public(List *queries, int n, int count, List *values, const EState *estate);

#endif							/* DP_DRAW_READ_PUBLIC_H */
