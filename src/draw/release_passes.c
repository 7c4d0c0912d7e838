/* SPDX-License-Identifier: PostgreSQL */
/*
 * release_passes.c
 *	  Totals of a model, and of passes through its rows.
 *
 * Rows of the exact plan are read once.  Products of their coordinates are added up and released with
 * noise; of these follow the weights of the first pass, whose totals are added up, released with noise, and
 * so on.  Between passes nothing of a row is looked at, and weights are made of what was
 * released alone.  There are as many passes as were paid for, whatever comes of them.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "aggregate/exact.h"
#include "base/compat_varlena.h"
#include "base/injection.h"
#include "base/memory.h"
#include "base/server_files.h"
#include "draw/add_noise.h"
#include "draw/exact_rows.h"
#include "draw/release_passes.h"
#include "models/classifier.h"
#include "models/pass.h"
#include "models/products.h"
#include "pricing/block.h"

typedef struct DpRowLog DpRowLog;

static void read_rows(DpRowLog *log, void (*read) (const char *record, void *arg), void *arg);
static void end_row_log(DpRowLog *log);
static DpRowLog *begin_row_log(Size record);

/*
 * Records of one size that are kept to be read again, as often as wanted.
 *
 * As many as fit work_mem are in memory, the others in a temporary file.  No more than a few hundred kilobytes are
 * copied, written or read between two checks for interrupts.
 *
 * Memory is a list of pieces, written to the file all at once when they are full; one more is room to read them.
 */

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

/* A log in the current memory context, whose file belongs to the current resource owner. */
static DpRowLog *
begin_row_log(Size record)
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
	dp_files_use(&log->files, log->context, NULL, 0);
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

static void
log_row(DpRowLog *log, const char *record)
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

/* Have all records be read, in their order. */
static void
read_rows(DpRowLog *log, void (*read) (const char *record, void *arg), void *arg)
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

/* Give back what it held. */
static void
end_row_log(DpRowLog *log)
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

typedef struct Passes
{
	const DpModelSpec *spec;
	DpModelProducts *products;
	DpRowLog   *log;
	DpPass		pass;
	int			count;			/* of what is released so far */
	DpModelTotal noisy[DP_MODEL_MOST_TOTALS + DP_MOST_PASSES * DP_PASS_MOST_TOTALS];
} Passes;

/* The vector of a record, which a row was checked to have, and what it weighs. */
static int64
vector_of(const DpModelSpec *spec, const char *record, int32 *vector)
{
	int32		value[DP_MODEL_MOST_BLOCKS];
	int64		weight = dp_models_pass_read_record(spec, record, value);

	if (!dp_models_model_vector(spec, value, vector))
		elog(ERROR, "malformed row of a model");
	return weight;
}

/* Take a row in. */
static void
add_row(Passes *passes, const bytea *record)
{
	int32		vector[DP_MODEL_MOST_ENTRIES];
	int64		weight;

	if (VARSIZE_ANY_EXHDR(record) != dp_models_pass_record_size(passes->spec))
		elog(ERROR, "malformed row of a model");
	weight = vector_of(passes->spec, VARDATA_ANY(record), vector);
	dp_models_model_products_add(passes->products, vector, weight);
	log_row(passes->log, VARDATA_ANY(record));
}

/* Read the exact plan to its end. */
static void
read_exact_rows(Passes *passes, DpReleaseState *state)
{
	int			column = state->block->release[0].column;
	TupleTableSlot *exact;

	while ((exact = dp_draw_next_exact(state)) != NULL)
		if (!exact->tts_isnull[column])
			add_row(passes, DatumGetByteaPP(exact->tts_values[column]));
	dp_models_model_products_settle(passes->products);
}

/* Release totals with noise, in units of 2^shift, and say what they are in rows. */
static void
release_totals(Passes *passes, const DpModelTotal *exact, int totals, int shift, const DpNoise *noise, double *released)
{
	for (int i = 0; i < totals; i++)
	{
		DpInt128	total = shift > 0 ? dp_draw_round_shift(exact[i], shift) : exact[i];

		CHECK_FOR_INTERRUPTS();
		total += dp_draw_draw_noise(noise);
		passes->noisy[passes->count++] = total;
		released[i] = (double) total * ldexp(1, noise->grid);
	}
}

/* Add a row to a pass. */
static void
add_to_pass(const char *record, void *arg)
{
	dp_models_pass_add(arg, record);
}

/* All passes from these totals on. */
static void
run_passes(Passes *passes, const DpBlock *block, const double *start)
{
	const DpRelease *release = &block->release[0];
	DpClassifier *classifier = palloc(sizeof(DpClassifier));
	double	   *room = palloc(dp_models_classifier_room(passes->spec) * sizeof(double));
	int32		weight[DP_PASS_MOST_TERMS];
	double		released[DP_PASS_MOST_TOTALS];

	dp_models_classifier_start(classifier, passes->spec, block->passes.loss, start,
							   dp_accounting_stddev(&release->noise[0]), room);
	dp_models_pass_init(&passes->pass, passes->spec, block->passes.loss);
	for (int i = 0; i < block->passes.passes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		dp_models_classifier_weights(classifier, weight);
		dp_models_pass_begin(&passes->pass, weight);
		read_rows(passes->log, add_to_pass, &passes->pass);
		dp_models_pass_end(&passes->pass);
		DP_INJECTION_POINT("pass");
		release_totals(passes, passes->pass.total, dp_models_pass_totals(passes->spec), release->shift, &release->choice,
					   released);
		dp_models_classifier_update(classifier, released);
	}
}

/* Release the row. */
static void
put_totals(Passes *passes, DpReleaseState *state, TupleTableSlot *result)
{
	int			column = state->block->release[0].column;
	__int128   *totals = (__int128 *) TYPEALIGN(sizeof(__int128), palloc((passes->count + 1) * sizeof(__int128)));

	for (int i = 0; i < passes->count; i++)
		totals[i] = passes->noisy[i];
	ExecClearTuple(result);
	result->tts_values[column] = PointerGetDatum(dp_aggregate_make_totals(passes->count, totals));
	result->tts_isnull[column] = false;
	ExecStoreVirtualTuple(result);
	tuplestore_puttupleslot(state->store, result);
}

void
dp_draw_release_passes(DpReleaseState *state, TupleTableSlot *result)
{
	const DpBlock *block = state->block;
	const DpRelease *release = &block->release[0];
	Passes	   *passes = palloc0(sizeof(Passes));
	DpModelTotal exact[DP_MODEL_MOST_TOTALS];
	double		start[DP_MODEL_MOST_TOTALS];
	int			entries;

	passes->spec = &block->passes.model;
	entries = dp_models_model_entries(passes->spec);
	passes->products = dp_models_model_products_init(palloc0(dp_models_model_products_size(entries)), entries);
	passes->log = begin_row_log(dp_models_pass_record_size(passes->spec));
	read_exact_rows(passes, state);
	dp_models_model_read_totals(passes->spec, passes->products->total, exact);
	DP_INJECTION_POINT("noise");
	release_totals(passes, exact, release->features, release->shift, &release->noise[0], start);
	run_passes(passes, block, start);
	end_row_log(passes->log);
	put_totals(passes, state, result);
}
