/* SPDX-License-Identifier: PostgreSQL */
/*
 * server_files.h
 *	  The server's memory for plain C; and its temporary files, of one process or in a set
 *	  that processes of a parallel plan share; and segments of memory that these share.
 *
 * Files count towards temp_file_limit, and all belong to the current resource owner.  Errors:
 * those of PostgreSQL's temporary files.
 */
#ifndef DP_BASE_SERVER_FILES_H
#define DP_BASE_SERVER_FILES_H

#include "postgres.h"

#include "storage/dsm.h"
#include "storage/sharedfileset.h"
#include "utils/resowner.h"

#include "base/memory.h"
#include "base/segments.h"

typedef struct DpServerFiles
{
	DpFiles		files;			/* first */
	MemoryContext context;		/* of what is known of them */
	SharedFileSet *set;			/* or NULL */
	int			process;		/* whose files: part of their names */
	int			count;			/* files in the set, numbered from 0 */
} DpServerFiles;

/* Files of this process alone; or of the process with this number, in a set. */
extern void dp_files_use(DpServerFiles *files, MemoryContext context, SharedFileSet *set,
						 int process);

/* The number of a file in the set; -1 for NULL. */
extern int	dp_files_number(const void *file);

/* A file of another process, to be read; NULL for -1. */
extern void *dp_files_open(DpServerFiles *files, int process, int number);

/* Segments that this process has made, or those of another. */
typedef struct DpServerSegments
{
	DpSegments	segments;		/* first */
	dsm_segment *segment[DP_MOST_SEGMENTS];
	ResourceOwner owner[DP_MOST_SEGMENTS];	/* of each that was made here */
} DpServerSegments;

/* None yet, of at most so many bytes.  If one cannot be had for want of resources, none is made: no error. */
extern void dp_segments_use(DpServerSegments *segments, size_t limit);

/* Handles of those there are, for other processes: returns how many. */
extern int	dp_segments_handles(const DpServerSegments *segments, dsm_handle *handle);

/* Segments of another process; false if they are gone, as that process is. */
extern bool dp_segments_attach(DpServerSegments *segments, const dsm_handle *handle, int count);

/* Leave them: the last process to do so gives them back. */
extern void dp_segments_leave(DpServerSegments *segments);

/*
 * Memory from a memory context: large
 * pieces straight from the kernel, in huge pages where it has them, zeroed as
 * they are touched, and given back with the context.
 */

/* Fill in `memory` to allocate in this context and to check for interrupts. */
extern void dp_memory_use_context(DpMemory *memory, MemoryContext context);

#endif							/* DP_BASE_SERVER_FILES_H */
