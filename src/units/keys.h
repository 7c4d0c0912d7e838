/*
 * keys.h
 *	  Keys of groups in files of units: each is written to a file once, and is
 *	  known by its group's number from then on.
 *
 * Numbers are those of the table that is written out.  They hold until it forgets
 * its groups; the files, each when next written to, are told to forget them too.
 */
#ifndef DP_UNITS_KEYS_H
#define DP_UNITS_KEYS_H

#include "postgres.h"

#include "units/groups.h"

/* What a file is told of a number, in the same word: */
#define DP_KEYS_FORGET UINT32_C(0x80000000) /* all numbers before it mean nothing any more */
#define DP_KEYS_NEW UINT32_C(0x40000000)	/* its key follows */
#define DP_KEYS_CALLERS UINT32_C(0x20000000)	/* what the caller means by it */
#define DP_KEYS_NUMBER UINT32_C(0x1FFFFFFF) /* the number itself */

/* The writer's side: which of up to 64 files know which numbers. */
typedef struct DpKeysWritten
{
	uint64		generation;		/* of groups; 0: of none */
	uint64		begun;			/* files written to since, a bit each */
	uint64	   *files;			/* those that know it, by number */
	uint32		capacity;
} DpKeysWritten;

/* What a number stands for. */
typedef struct DpKey
{
	uint64		generation;		/* of the groups of the table that is read into */
	uint32		group;			/* its number there, while they are these */
	uint32		length;
	const char *bytes;
} DpKey;

/* The reader's side: what numbers stand for in one file. */
typedef struct DpKeysRead
{
	MemoryContext context;		/* of the keys; NULL: none was read */
	DpKey	   *key;			/* by number */
	uint32		capacity;
} DpKeysRead;

/* Make room for a number, forgetting those of other groups. */
extern void dp_keys_make_room(DpKeysWritten *written, const DpUnitsGroups *groups);

/* Learn the key, of so many bytes, that was told: returns its group, new or old. */
extern uint32 dp_keys_learn(DpKeysRead *read, DpUnitsGroups *groups, uint32 told,
							const char *bytes, uint32 length);

/* Find the group of a known number anew: the table has forgotten its groups. */
extern uint32 dp_keys_find(DpKeysRead *read, DpUnitsGroups *groups, uint32 number);

/* Forget all numbers, and give back their memory. */
extern void dp_keys_forget(DpKeysRead *read);

/* Does a file know this number of a group?  Then there is nothing to tell it. */
static inline bool
dp_keys_know(const DpKeysWritten *written, const DpUnitsGroups *groups, uint32 number,
			 uint32 file)
{
	return written->generation == groups->generation && number < written->capacity &&
		(written->files[number] >> file & 1) != 0;
}

/* What to tell a file, besides a group's number, where the group comes next. */
static inline uint32
dp_keys_tell(DpKeysWritten *written, const DpUnitsGroups *groups, uint32 number, uint32 file)
{
	uint64		bit = UINT64CONST(1) << file;
	uint32		told = 0;

	if (likely(dp_keys_know(written, groups, number, file)))
		return told;
	if (written->generation != groups->generation || number >= written->capacity)
		dp_keys_make_room(written, groups);
	told = DP_KEYS_NEW | (written->begun & bit ? 0 : DP_KEYS_FORGET);
	written->files[number] |= bit;
	written->begun |= bit;
	return told;
}

/* The group that a known number stands for. */
static inline uint32
dp_keys_group(DpKeysRead *read, DpUnitsGroups *groups, uint32 number)
{
	const DpKey *key = &read->key[number];

	if (likely(key->generation == groups->generation))
		return key->group;
	return dp_keys_find(read, groups, number);
}

#endif							/* DP_UNITS_KEYS_H */
