/*
 * row_log.c
 *	  Records of one size that are kept to be read again; see row_log.h.
 *
 * Memory is a list of pieces, written to the file all at once when they are full; one more is room to read them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "draw/row_log.h"
#include "units/files.h"

/* Bytes of a piece at most, and how many pieces there are in work_mem at least. */
#define MOST_PIECE ((Size) 256 * 1024)
#define LEAST_PIECES 4

struct DpRowLog
{
	MemoryContext context;
	Size		record;
	int			per_piece;		/* records */
	int			most;			/* pieces in memory */
	int			pieces;			/* that there are; */
	int			last;			/* the one that is written to, */
	int			used;			/* and records in it */
	char	  **piece;
	DpServerFiles files;
	void	   *file;			/* or NULL */
	int64		written;		/* pieces in the file, all of them full */
	char	   *room;			/* for one that is read */
};

DpRowLog *
dp_query_begin_row_log(Size record)
{
	DpRowLog   *log = palloc0(sizeof(DpRowLog));
	Size		memory = (Size) work_mem * 1024;
	Size		piece = Min(MOST_PIECE, memory / LEAST_PIECES);

	Assert(record > 0 && record <= piece);
	log->context = CurrentMemoryContext;
	log->record = record;
	log->per_piece = piece / record;
	log->most = memory / piece - 1;
	log->piece = palloc0(log->most * sizeof(char *));
	log->last = -1;
	log->used = log->per_piece;
	dp_units_use_files(&log->files, log->context, NULL, 0);
	return log;
}

static Size
piece_bytes(const DpRowLog *log)
{
	return log->per_piece * log->record;
}

/* Write all pieces, which are full, to the file, and start over. */
static void
spill(DpRowLog *log)
{
	DpFiles    *files = &log->files.files;

	if (log->file == NULL)
		log->file = files->open(files->context);
	for (int i = 0; i < log->most; i++)
		files->write(log->file, log->written++ * piece_bytes(log), log->piece[i], piece_bytes(log));
	log->last = -1;
}

/* Have an empty piece to write to. */
static void
next_piece(DpRowLog *log)
{
	if (log->last + 1 == log->most)
		spill(log);
	log->last++;
	log->used = 0;
	if (log->last == log->pieces)
		log->piece[log->pieces++] = MemoryContextAlloc(log->context, piece_bytes(log));
}

void
dp_query_log_row(DpRowLog *log, const char *record)
{
	if (log->used == log->per_piece)
		next_piece(log);
	memcpy(log->piece[log->last] + log->used++ * log->record, record, log->record);
}

/* Have the records of a piece be read. */
static void
read_piece(const DpRowLog *log, const char *piece, int count, void (*read) (const char *record, void *arg), void *arg)
{
	for (int i = 0; i < count; i++)
	{
		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		read(piece + i * log->record, arg);
	}
}

void
dp_query_read_rows(DpRowLog *log, void (*read) (const char *record, void *arg), void *arg)
{
	if (log->file && log->room == NULL)
		log->room = MemoryContextAlloc(log->context, piece_bytes(log));
	for (int64 i = 0; i < log->written; i++)
	{
		log->files.files.read(log->file, i * piece_bytes(log), log->room, piece_bytes(log));
		read_piece(log, log->room, log->per_piece, read, arg);
	}
	for (int i = 0; i <= log->last; i++)
		read_piece(log, log->piece[i], i < log->last ? log->per_piece : log->used, read, arg);
}

void
dp_query_end_row_log(DpRowLog *log)
{
	for (int i = 0; i < log->pieces; i++)
		pfree(log->piece[i]);
	if (log->file)
		log->files.files.close(log->file);
	if (log->room)
		pfree(log->room);
	pfree(log->piece);
	pfree(log);
}
