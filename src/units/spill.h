/*
 * spill.h
 *	  Units taken out of the table, in temporary files, a file per partition.
 */
#ifndef DP_UNITS_SPILL_H
#define DP_UNITS_SPILL_H

#include "postgres.h"

#include "storage/buffile.h"

#include "units/keys.h"
#include "units/table.h"

typedef struct DpSpill
{
	DpUnitsSink sink;			/* first */
	int			id_words;
	int			acc_size;
	char	   *record;			/* being put together */
	Size		record_size;
	char	   *input;			/* read from a file, from start to end not yet used */
	Size		input_size;
	Size		start;
	Size		end;
	DpUnitId	last;			/* unit of the last record written, or read */
	DpKeysWritten written;
	DpKeysRead	read;
	int			partitions;
	BufFile   **file;			/* NULL while nothing was written */
} DpSpill;

/*
 * A spill for a table with this limit of memory, in the current memory context.
 * Its files belong to the current resource owner.
 */
extern DpSpill *dp_spill_create(const DpUnitsSpec *spec, int acc_size);

/*
 * Put what a partition holds back into the table until this is full or the
 * partition is at its end, which is when it returns false.
 */
extern bool dp_spill_read(DpSpill *spill, int partition, DpUnits *units);

/*
 * Write what a key's rows add up to, as so many bytes of accumulators, to the
 * partition that a digest under a secret says; read it again, in any order.  The
 * key points into the spill until the next one is read; false at the end.
 */
extern void dp_spill_put(DpSpill *spill, const DpSipKey *secret, const void *key, uint32 length,
						 const void *accumulators);
extern bool dp_spill_next(DpSpill *spill, int partition, const char **key, uint32 *length,
						  void *accumulators);

/* Get ready to read. */
extern void dp_spill_rewind(DpSpill *spill, int partition);

/* A partition has been read: give its file back. */
extern void dp_spill_close(DpSpill *spill, int partition);

#endif							/* DP_UNITS_SPILL_H */
