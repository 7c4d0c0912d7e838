/* SPDX-License-Identifier: PostgreSQL */
/*
 * packed_rows.h
 *	  Released rows as bytes, which mean the same in whatever database they are read.
 */
#ifndef DP_KEPT_PACKED_ROWS_H
#define DP_KEPT_PACKED_ROWS_H

#include "postgres.h"

#include "utils/tuplestore.h"

/*
 * Pack the rows of a store, from its first to its last, which are read by the slot,
 * with their columns in an order (numbers from 0).  NULL if they are more, or take more
 * bytes, than kept answers may have.  The store is then at its beginning again.
 */
extern bytea *dp_kept_pack_rows(Tuplestorestate *store, TupleTableSlot *slot, const List *order, int *rows);

/* Packed rows that are read, one after the other. */
typedef struct DpPackedRows DpPackedRows;

/*
 * Read packed rows as rows of these columns, packed in that order, in the current memory context.  They
 * are read where they are, and have to stay as long; meanwhile a byte of them may change for
 * a moment.  Raises XX001 if they are in a format that is not known.
 */
extern DpPackedRows *dp_kept_open_packed(bytea *packed, TupleDesc desc, const List *order);

/* Read the next row's values, which last until the next call; false if there is none. */
extern bool dp_kept_next_packed(DpPackedRows *rows, Datum *values, bool *nulls);

/* Begin again with the first row. */
extern void dp_kept_rewind_packed(DpPackedRows *rows);

#endif							/* DP_KEPT_PACKED_ROWS_H */
