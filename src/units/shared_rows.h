/*
 * shared_rows.h
 *	  What one process of a parallel plan collected, as others read it: from files.
 */
#ifndef DP_UNITS_SHARED_ROWS_H
#define DP_UNITS_SHARED_ROWS_H

#include "postgres.h"

#include "units/collect.h"
#include "units/files.h"

/* Logs have no more parts than this. */
#define DP_SHARED_MOST_PARTS 256

/* A log that was written to a file. */
typedef struct DpSharedLog
{
	int			file;			/* its number; -1: no record is in it */
	uint32		parts;
	DpLogPart	part[DP_SHARED_MOST_PARTS];
} DpSharedLog;

/* What one process has collected. */
typedef struct DpSharedRows
{
	bool		wide;			/* as in a DpCollect */
	DpSharedLog numbered;
	DpSharedLog identified;
	DpSharedLog keys_of_groups; /* the places of long keys, by ids */
	int			key_file;		/* likewise its number */
	uint64		key_file_size;
	uint64		known_at;		/* from here on in it: keys of groups numbered, or their ids */
	uint32		known;			/* so many */
} DpSharedRows;

/* What another process collected, opened. */
typedef struct DpOpenedRows
{
	DpLog	   *numbered;
	DpLog	   *identified;
	DpLog	   *keys_of_groups;
	uint32	   *numbers;
	DpUnitId   *ids;
} DpOpenedRows;

/* Let others read a log. */
extern void dp_shared_publish_log(DpSharedLog *to, DpLog *log);

/* Let others read what was collected here. */
extern void dp_shared_publish(DpSharedRows *to, DpCollect *collect);

/*
 * Open what another process collected, in files by its number, and learn what its numbers of groups
 * stand for.
 */
extern void dp_shared_open(const DpSharedRows *from, int process, DpServerFiles *files, DpCollect *collect,
						   DpKeyFile *keys, DpOpenedRows *opened);

extern void dp_shared_close(DpOpenedRows *opened);

#endif							/* DP_UNITS_SHARED_ROWS_H */
