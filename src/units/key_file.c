/* SPDX-License-Identifier: PostgreSQL */
/*
 * key_file.c
 *	  Writing and reading keys: each is its length and its bytes.
 */
#include "units/key_file.h"

/* Bytes written and read at once; longer keys are by themselves. */
#define PIECE ((size_t) 8192)

#define HEAD sizeof(uint32_t)

void
dp_units_key_file_create(DpKeyFile *keys, const DpMemory *memory, const DpFiles *files)
{
	memset(keys, 0, sizeof(DpKeyFile));
	keys->memory = *memory;
	keys->files = files;
}

void
dp_units_key_file_destroy(DpKeyFile *keys)
{
	dp_buffer_free(&keys->memory, &keys->pending);
	dp_buffer_free(&keys->memory, &keys->key);
	if (keys->file)
		keys->files->close(keys->file);
	keys->file = NULL;
}

/* Write out what is pending. */
static void
write_out(DpKeyFile *keys)
{
	if (keys->size == keys->written)
		return;
	if (keys->file == NULL)
		keys->file = keys->files->open(keys->files->context);
	keys->files->write(keys->file, keys->written, keys->pending.bytes, keys->size - keys->written);
	keys->written = keys->size;
}

uint64_t
dp_units_key_file_add(DpKeyFile *keys, const void *key, uint32_t length)
{
	uint64_t	place = keys->size;
	size_t		pending = keys->size - keys->written;
	uint8_t    *to;

	if (pending + HEAD + length > PIECE)
	{
		write_out(keys);
		pending = 0;
	}
	dp_buffer_extend(&keys->memory, &keys->pending, pending, HEAD + length > PIECE ? HEAD + length : PIECE);
	to = (uint8_t *) keys->pending.bytes + pending;
	dp_units_acc_store32(to, length);
	memcpy(to + HEAD, key, length);
	keys->size += HEAD + length;
	return place;
}

void
dp_units_key_file_close(DpKeyFile *keys)
{
	write_out(keys);
	dp_buffer_free(&keys->memory, &keys->pending);
}

/* See to so many bytes of the file from this place on. */
static const uint8_t *
fetch(DpKeyFile *keys, uint64_t place, uint64_t size)
{
	if (place < keys->from || place + size > keys->to)
	{
		uint64_t	rest = keys->size - place;

		size = size > PIECE ? size : rest < PIECE ? rest : PIECE;
		dp_buffer_reserve(&keys->memory, &keys->key, size);
		keys->files->read(keys->file, place, keys->key.bytes, size);
		keys->from = place;
		keys->to = place + size;
	}
	return (const uint8_t *) keys->key.bytes + (place - keys->from);
}

const uint8_t *
dp_units_key_file_read(DpKeyFile *keys, uint64_t place, uint32_t *length, uint64_t *next)
{
	*length = dp_units_acc_load32(fetch(keys, place, HEAD));
	*next = place + HEAD + *length;
	return fetch(keys, place, HEAD + *length) + HEAD;
}
