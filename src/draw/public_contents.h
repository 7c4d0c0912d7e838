/* SPDX-License-Identifier: PostgreSQL */
/*
 * public_contents.h
 *	  What public tables that list keys hold, in digests: so that an answer is added up only while
 *	  they hold what they held when it was given.
 *
 * It is about the columns that a block mentions, in any order of rows: a row more or less, a row twice,
 * or another value there makes it another.  A table that was dropped and made again with the
 * same name, columns and rows has the same.  It is read by the statement's own snapshot.
 */
#ifndef DP_DRAW_PUBLIC_CONTENTS_H
#define DP_DRAW_PUBLIC_CONTENTS_H

#include "postgres.h"

#include "draw/release_state.h"
#include "kept/cells.h"

/*
 * Rows of the public tables of a node with these cells; NULL if they are more than kept
 * answers may have.  Also NULL if values are so long that the limit for expressions
 * (work_limit.h) might make them NULL in a block.
 */
extern bytea *dp_draw_read_contents(const DpReleaseState *state, const DpBlockCells *cells);

/*
 * Do the tables that a node reads hold what they held then, in the columns that were mentioned then?
 * False, too, if the asking role may not read one of these and the node's block does not mention it.
 */
extern bool dp_draw_holds_still(const DpReleaseState *state, const DpBlockCells *cells, bytea *contents);

#endif							/* DP_DRAW_PUBLIC_CONTENTS_H */
