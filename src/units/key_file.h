/* SPDX-License-Identifier: PostgreSQL */
/*
 * key_file.h
 *	  Keys written one behind the other, each found again by its place.
 *
 * Plain C: no server header.
 */
#ifndef DP_UNITS_KEY_FILE_H
#define DP_UNITS_KEY_FILE_H

#include "base/buffer.h"
#include "units/partition_file.h"

typedef struct DpKeyFile
{
	DpMemory	memory;
	const DpFiles *files;
	void	   *file;			/* NULL: nothing has been written out */
	uint64_t	size;			/* of all keys, with their lengths */
	uint64_t	written;		/* of these, to the file */
	DpBuffer	pending;		/* the others, while keys are added */
	DpBuffer	key;			/* last read */
	uint64_t	from;			/* where in the file what was read begins, and ends */
	uint64_t	to;
} DpKeyFile;

extern void dp_units_key_file_create(DpKeyFile *keys, const DpMemory *memory, const DpFiles *files);
extern void dp_units_key_file_destroy(DpKeyFile *keys);

/* Add a key: returns its place. */
extern uint64_t dp_units_key_file_add(DpKeyFile *keys, const void *key, uint32_t length);

/* All keys have been added. */
extern void dp_units_key_file_close(DpKeyFile *keys);

/* The key at this place, until the next one is read; sets the place behind it. */
extern const uint8_t *dp_units_key_file_read(DpKeyFile *keys, uint64_t place, uint32_t *length,
											 uint64_t *next);

#endif							/* DP_UNITS_KEY_FILE_H */
