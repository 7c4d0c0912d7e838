/*
 * packed_rows.h
 *	  Released rows as bytes, which mean the same in whatever database they are read.
 */
#ifndef DP_QUERY_KEPT_PACKED_ROWS_H
#define DP_QUERY_KEPT_PACKED_ROWS_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "utils/tuplestore.h"

/*
 * Pack the rows of a store, from its first to its last, which are read by the slot; NULL if
 * they are more, or take more bytes, than answers may have that are kept.  The store is then
 * at its beginning again.
 */
extern bytea *dp_query_pack_rows(Tuplestorestate *store, TupleTableSlot *slot, int *rows);

/* Put packed rows into an empty store.  Raises XX001 if they are not rows of these columns. */
extern void dp_query_unpack_rows(bytea *packed, TupleDesc desc, Tuplestorestate *store);

#endif							/* DP_QUERY_KEPT_PACKED_ROWS_H */
