/*
 * exchange.c
 *	  Rows between the processes of a parallel plan.
 *
 * A message is a number of packed rows; a row's word is its group's number and what
 * is told with it.  Behind the row are the length and bytes of the key if they are
 * told, and places of 64 bits each if the row could not take them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "port/atomics.h"
#include "storage/barrier.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "utils/wait_event.h"

#include "units/exchange.h"
#include "units/held.h"
#include "units/keys.h"

/* Lots are known by the bits of a word (keys.h). */
#define MOST_LOTS 64

/* A queue's bytes, and those of all. */
#define MOST_IN_QUEUE ((Size) 1024 * 1024)
#define LEAST_IN_QUEUE ((Size) 16 * 1024)
#define MOST_IN_QUEUES ((Size) 16 * 1024 * 1024)

/* Rows are sent in messages of about so many bytes. */
#define MESSAGE ((Size) 16 * 1024)

/* A lot that nobody has taken is, once so many bytes of its rows are kept. */
#define MOST_KEPT ((Size) 2 * 1024 * 1024)

/* Longer keys are sent each time; and what others may take in all of the memory. */
#define LONGEST_NUMBERED 128
#define NUMBERED_SHARE 8

/* Told with a group's number, besides what keys.h says. */
#define LONG_PLACES DP_KEYS_CALLERS

/* Instead of the number of a group that comes with its key each time. */
#define NO_NUMBER DP_KEYS_NUMBER

StaticAssertDecl(DP_UNITS_MOST_GROUPS + DP_UNITS_BATCH < NO_NUMBER, "a group's number fits its bits");

/* Behind it: which lots are taken, which processes take part, and the queues. */
struct DpExchangeShared
{
	Barrier		read;			/* phase 0: rows are being read */
	pg_atomic_uint32 readers;	/* processes that read rows; they are numbered from 0 */
	int			processes;		/* at most */
	int			lots;
	Size		queue_size;
	Size		readers_at;		/* bytes from here */
	Size		queues_at;
	DpUnitsSecret secret;
};

/* Rows of a lot on their way from this process, or within it. */
typedef struct Outbox
{
	char	   *next;			/* where its next row goes: there is room for one */
	char	   *due;			/* from here on they are sent, or a place is looked for */
	char	   *bytes;
	Size		size;
	shm_mq_handle *queue;		/* NULL: all has been sent, or the lot is taken here */
} Outbox;

/* Rows of a lot that is taken here on their way from one process. */
typedef struct Inbox
{
	shm_mq_handle *queue;		/* NULL: no more will come this way */
	Outbox	   *own;			/* or NULL: from another process */
	const char *next;			/* row at hand */
	const char *end;
	DpKeysRead	keys;
} Inbox;

struct DpExchange
{
	DpExchangeShared *shared;
	DpUnits    *units;
	const DpHeld *packing;		/* of rows for such a table */
	MemoryContext context;
	DpUnitsGroups *groups;		/* of the table */
	uint64		seed;			/* of hashes in it */
	uint32		number;			/* of this process */
	Size		size_of_places; /* of 64 bits each */
	int64	   *no_places;
	int64	   *long_places;	/* of a row that comes */
	uint32		numbered;		/* groups from this number on come with their keys */
	bool		closed;			/* no more rows will be put */
	DpKeysWritten written;
	Outbox		out[MOST_LOTS];
	Inbox	   *in[MOST_LOTS];	/* by process; NULL: the lot is not taken here */
};

/* Is each lot taken? */
static pg_atomic_uint32 *
taken(DpExchangeShared *shared)
{
	return (pg_atomic_uint32 *) (shared + 1);
}

/* The processes that read rows. */
static PGPROC **
readers(DpExchangeShared *shared)
{
	return (PGPROC **) ((char *) shared + shared->readers_at);
}

/* The queue from a process to a lot. */
static shm_mq *
queue(DpExchangeShared *shared, int process, int lot)
{
	return (shm_mq *) ((char *) shared + shared->queues_at +
					   shared->queue_size * (process * shared->lots + lot));
}

/* Set all that follows from how many workers there may be; the size altogether. */
static Size
lay_out(DpExchangeShared *shared, int workers)
{
	Size		queues;

	shared->processes = workers + 1;
	shared->lots = Min(Max(workers + (parallel_leader_participation ? 1 : 0), 1), MOST_LOTS);
	queues = (Size) shared->processes * shared->lots;
	shared->queue_size = MAXALIGN(Max(LEAST_IN_QUEUE, Min(MOST_IN_QUEUE, MOST_IN_QUEUES / queues)));
	shared->readers_at = MAXALIGN(sizeof(*shared) + shared->lots * sizeof(pg_atomic_uint32));
	shared->queues_at = MAXALIGN(shared->readers_at + shared->processes * sizeof(PGPROC *));
	return shared->queues_at + shared->queue_size * queues;
}

Size
dp_exchange_size(int workers)
{
	DpExchangeShared shared;

	return lay_out(&shared, workers);
}

void
dp_exchange_initialize(DpExchangeShared *shared, int workers, const DpUnitsSecret *secret)
{
	lay_out(shared, workers);
	shared->secret = *secret;
	BarrierInit(&shared->read, 0);
	pg_atomic_init_u32(&shared->readers, 0);
	for (int i = 0; i < shared->lots; i++)
		pg_atomic_init_u32(&taken(shared)[i], 0);
	for (int i = 0; i < shared->processes; i++)
		for (int j = 0; j < shared->lots; j++)
			shm_mq_create(queue(shared, i, j), shared->queue_size);
}

const DpUnitsSecret *
dp_exchange_secret(const DpExchangeShared *shared)
{
	return &shared->secret;
}

/* Has somebody taken the lot? */
static bool
is_taken(const DpExchange *exchange, int lot)
{
	return pg_atomic_read_u32(&taken(exchange->shared)[lot]) != 0;
}

/* Take a lot, unless somebody has; the rows that were kept for it are in the outbox. */
static bool
take_lot(DpExchange *exchange, int lot)
{
	DpExchangeShared *shared = exchange->shared;
	uint32		free = 0;
	Inbox	   *in;

	if (!pg_atomic_compare_exchange_u32(&taken(shared)[lot], &free, 1))
		return false;
	exchange->in[lot] = in = palloc0(shared->processes * sizeof(Inbox));
	for (int i = 0; i < shared->processes; i++)
	{
		shm_mq	   *from = queue(shared, i, lot);

		if (i == exchange->number)
			continue;
		shm_mq_set_receiver(from, MyProc);
		in[i].queue = shm_mq_attach(from, NULL, NULL);
	}
	in[exchange->number].own = &exchange->out[lot];
	exchange->out[lot].queue = NULL;
	return true;
}

/* Take the first lot that is free; none if there are more processes than lots. */
static void
take_some_lot(DpExchange *exchange)
{
	int			lots = exchange->shared->lots;

	for (int i = 0; i < lots; i++)
		if (take_lot(exchange, (exchange->number + i) % lots))
			return;
}

/* Bytes of rows in an outbox. */
static inline Size
used(const Outbox *out)
{
	return out->next - out->bytes;
}

/* Room for so many bytes more, and a row. */
static void
reserve(DpExchange *exchange, Outbox *out, Size more)
{
	Size		next = used(out);
	Size		due = out->due - out->bytes;
	Size		needed = next + more + exchange->packing->row_size;

	if (out->size >= needed)
		return;
	out->size = 2 * needed;
	out->bytes = out->bytes ? repalloc_huge(out->bytes, out->size)
		: MemoryContextAllocHuge(exchange->context, out->size);
	out->next = out->bytes + next;
	out->due = out->bytes + due;
}

/* Expect rows for a message more. */
static void
expect(DpExchange *exchange, Outbox *out)
{
	reserve(exchange, out, MESSAGE);
	out->due = out->next + MESSAGE;
}

/* How many groups may be known by numbers. */
static uint32
choose_numbered(const DpExchangeShared *shared, size_t limit)
{
	size_t		each = sizeof(DpKey) + LONGEST_NUMBERED;

	return Min(limit / NUMBERED_SHARE / shared->processes / each, NO_NUMBER);
}

DpExchange *
dp_exchange_join(DpExchangeShared *shared, DpUnits *units, const DpUnitsSpec *spec,
				 MemoryContext context)
{
	MemoryContext old;
	DpExchange *exchange;

	if (BarrierAttach(&shared->read) > 0)
	{
		BarrierDetach(&shared->read);
		return NULL;
	}
	old = MemoryContextSwitchTo(context);
	exchange = palloc0(sizeof(DpExchange));
	exchange->shared = shared;
	exchange->units = units;
	exchange->context = context;
	exchange->number = pg_atomic_fetch_add_u32(&shared->readers, 1);
	exchange->groups = dp_units_groups(units);
	exchange->seed = spec->secret.place;
	exchange->packing = dp_units_packing(units);
	exchange->size_of_places = spec->measures * sizeof(int64);
	exchange->no_places = palloc((spec->measures + 1) * sizeof(int64));
	exchange->long_places = palloc((spec->measures + 1) * sizeof(int64));
	for (int i = 0; i < spec->measures; i++)
		exchange->no_places[i] = DP_GRID_NONE;
	exchange->numbered = choose_numbered(shared, spec->limit);
	dp_keys_make_room(&exchange->written, exchange->groups);
	readers(shared)[exchange->number] = MyProc;
	for (int i = 0; i < shared->lots; i++)
	{
		shm_mq_set_sender(queue(shared, exchange->number, i), MyProc);
		exchange->out[i].queue = shm_mq_attach(queue(shared, exchange->number, i), NULL, NULL);
		expect(exchange, &exchange->out[i]);
	}
	take_some_lot(exchange);
	MemoryContextSwitchTo(old);
	return exchange;
}

/* The lot of a unit: by bits of its hash that its place in the table does not depend on. */
static inline int
lot_of(const DpExchange *exchange, const DpUnitId *hashed)
{
	return ((hashed->word[0] & UINT32_MAX) * exchange->shared->lots) >> 32;
}

static inline void
append(Outbox *out, const void *bytes, Size size)
{
	memcpy(out->next, bytes, size);
	out->next += size;
}

/* What to tell of a group in a row to a lot that may not know its number. */
static pg_noinline uint32
tell_key(DpExchange *exchange, uint32 number, int lot)
{
	if (number >= exchange->numbered ||
		exchange->groups->group[number].length > LONGEST_NUMBERED)
		return DP_KEYS_NEW | NO_NUMBER;
	return dp_keys_tell(&exchange->written, exchange->groups, number, lot) | number;
}

/* Append what does not fit a row: a key that is told, and long places. */
static pg_noinline void
append_rest(DpExchange *exchange, Outbox *out, uint32 told, uint32 number, const int64 *places)
{
	const DpUnitsGroup *group = &exchange->groups->group[number];

	if (told & DP_KEYS_NEW)
	{
		reserve(exchange, out, sizeof(uint32) + group->length);
		append(out, &group->length, sizeof(uint32));
		append(out, dp_units_key(group), group->length);
	}
	if (told & LONG_PLACES)
	{
		reserve(exchange, out, exchange->size_of_places);
		append(out, places, exchange->size_of_places);
	}
}

/*
 * Rows of lots that are taken here go the same way as all others: at a fork in it
 * the processor could not foresee which way comes next.
 */
bool
dp_exchange_put(DpExchange *exchange, const DpUnitId *id, uint32 number, const int64 *places)
{
	const DpHeld *packing = exchange->packing;
	DpUnitId	hashed = dp_units_hashed(exchange->seed, packing->id_words, id);
	int			lot = lot_of(exchange, &hashed);
	Outbox	   *out = &exchange->out[lot];
	uint32		told = number;
	uint8_t    *row;

	if (unlikely(!dp_keys_know(&exchange->written, exchange->groups, number, lot)))
		told = tell_key(exchange, number, lot);
	row = (uint8_t *) out->next;
	if (unlikely(!dp_held_write(packing, row, hashed.word[0], hashed.word[1], told, places)))
	{
		told |= LONG_PLACES;
		dp_held_write(packing, row, hashed.word[0], hashed.word[1], told, exchange->no_places);
	}
	out->next += packing->row_size;
	if (unlikely(told & (DP_KEYS_NEW | LONG_PLACES)))
		append_rest(exchange, out, told, number, places);
	return out->next >= out->due;
}

/* Should a lot's rows be sent?  They are kept while nobody has it. */
static bool
is_due(DpExchange *exchange, int lot)
{
	Outbox	   *out = &exchange->out[lot];

	if (out->queue == NULL || (out->next < out->due && !exchange->closed))
		return false;
	if (is_taken(exchange, lot))
		return true;
	if (used(out) >= MOST_KEPT)
		return !take_lot(exchange, lot);
	expect(exchange, out);
	return false;
}

/* All that was put for a lot has been sent. */
static void
empty(DpExchange *exchange, Outbox *out)
{
	if (out->size > 4 * MESSAGE)
	{
		pfree(out->bytes);
		out->bytes = NULL;
		out->size = 0;
	}
	out->next = out->due = out->bytes;
	if (!exchange->closed)
		expect(exchange, out);
	else
	{
		shm_mq_detach(out->queue);
		out->queue = NULL;
	}
}

/* Send all that was put for a lot; false if there is not room for all of it yet. */
static bool
send_out(Outbox *out)
{
	if (used(out) == 0)
		return true;
	switch (shm_mq_send(out->queue, used(out), out->bytes, true, true))
	{
		case SHM_MQ_SUCCESS:
			return true;
		case SHM_MQ_WOULD_BLOCK:
			return false;
		case SHM_MQ_DETACHED:
			break;
	}
	elog(ERROR, "a process no longer takes the rows of its units");
}

bool
dp_exchange_send(DpExchange *exchange)
{
	MemoryContext old = MemoryContextSwitchTo(exchange->context);
	bool		all = true;

	for (int i = 0; i < exchange->shared->lots; i++)
	{
		if (!is_due(exchange, i))
			continue;
		if (send_out(&exchange->out[i]))
			empty(exchange, &exchange->out[i]);
		else
			all = false;
	}
	MemoryContextSwitchTo(old);
	return all;
}

/*
 * Take as much as a message, or the last, of what was put here; no more is until all
 * of that has been taken.
 */
static bool
fetch_own(DpExchange *exchange, Inbox *in)
{
	Outbox	   *out = in->own;

	if (exchange->closed ? used(out) == 0 : out->next < out->due)
		return false;
	in->next = out->bytes;
	in->end = out->next;
	out->next = out->bytes;
	expect(exchange, out);
	return true;
}

/* Is there a row at hand? */
static bool
fetch(DpExchange *exchange, Inbox *in)
{
	Size		size;
	void	   *bytes;

	if (in->next < in->end)
		return true;
	if (in->own)
		return fetch_own(exchange, in);
	if (in->queue == NULL)
		return false;
	switch (shm_mq_receive(in->queue, &size, &bytes, true))
	{
		case SHM_MQ_SUCCESS:
			in->next = bytes;
			in->end = in->next + size;
			return true;
		case SHM_MQ_DETACHED:
			shm_mq_detach(in->queue);
			in->queue = NULL;
			dp_keys_forget(&in->keys);
			break;
		case SHM_MQ_WOULD_BLOCK:
			break;
	}
	return false;
}

/* The group of a row that came with its key. */
static pg_noinline uint32
learn_group(Inbox *in, DpUnitsGroups *groups, uint32 told)
{
	uint32		length;
	const char *key = in->next + sizeof(length);

	memcpy(&length, in->next, sizeof(length));
	in->next = key + length;
	if ((told & DP_KEYS_NUMBER) == NO_NUMBER)
		return dp_units_intern(groups, key, length);
	return dp_keys_learn(&in->keys, groups, told, key, length);
}

/* Add a row that did not take its places, which are next. */
static pg_noinline bool
add_long(DpExchange *exchange, Inbox *in, const uint8_t *row, uint32 group)
{
	DpUnitId	hashed = {{dp_held_hash(row), dp_held_second(exchange->packing, row)}};

	memcpy(exchange->long_places, in->next, exchange->size_of_places);
	in->next += exchange->size_of_places;
	return dp_units_add_hashed(exchange->units, &hashed, group, exchange->long_places);
}

/*
 * Put the row at hand into the table.  Must that be flushed then, or may a long key
 * have filled it?
 */
static inline bool
take_row(DpExchange *exchange, Inbox *in)
{
	const uint8_t *row = (const uint8_t *) in->next;
	uint32		told = dp_held_group(exchange->packing, row);
	bool		is_long;
	uint32		group;

	in->next += exchange->packing->row_size;
	if (likely(!(told & (DP_KEYS_NEW | LONG_PLACES))))
		return dp_units_add_packed(exchange->units, row,
								   dp_keys_group(&in->keys, exchange->groups, told & DP_KEYS_NUMBER));
	group = told & DP_KEYS_NEW ? learn_group(in, exchange->groups, told)
		: dp_keys_group(&in->keys, exchange->groups, told & DP_KEYS_NUMBER);
	is_long = in->next - (const char *) row > MESSAGE;
	if (told & LONG_PLACES)
		return add_long(exchange, in, row, group) || is_long;
	return dp_units_add_packed(exchange->units, row, group) || is_long;
}

/* Put what a process sent to a lot into the table, until that must be flushed. */
static bool
take_from(DpExchange *exchange, Inbox *in)
{
	while (fetch(exchange, in))
		if (take_row(exchange, in))
			return true;
	return false;
}

/* How many processes have begun to read. */
static int
count_readers(const DpExchange *exchange)
{
	return pg_atomic_read_u32(&exchange->shared->readers);
}

bool
dp_exchange_take(DpExchange *exchange)
{
	MemoryContext old = MemoryContextSwitchTo(exchange->context);
	bool		must_flush = false;

	for (int i = 0; i < exchange->shared->lots; i++)
		for (int j = 0; exchange->in[i] && j < count_readers(exchange) && !must_flush; j++)
			must_flush = take_from(exchange, &exchange->in[i][j]);
	MemoryContextSwitchTo(old);
	return must_flush;
}

void
dp_exchange_close(DpExchange *exchange)
{
	DpExchangeShared *shared = exchange->shared;
	MemoryContext old = MemoryContextSwitchTo(exchange->context);

	for (int i = 0; i < shared->lots; i++)
		take_lot(exchange, i);
	MemoryContextSwitchTo(old);
	exchange->closed = true;
	if (!BarrierArriveAndDetach(&shared->read))
		return;
	for (int i = 0; i < count_readers(exchange); i++)
		SetLatch(&readers(shared)[i]->procLatch);
}

/* Will nothing more come? */
static bool
is_all_taken(const DpExchange *exchange)
{
	for (int i = 0; i < exchange->shared->lots; i++)
		for (int j = 0; exchange->in[i] && j < count_readers(exchange); j++)
			if (exchange->in[i][j].queue || exchange->in[i][j].next < exchange->in[i][j].end)
				return false;
	return true;
}

bool
dp_exchange_is_over(DpExchange *exchange)
{
	bool		all_read = BarrierPhase(&exchange->shared->read) > 0;

	/* Who begins to read does so before. */
	pg_memory_barrier();
	return dp_exchange_send(exchange) && all_read && is_all_taken(exchange);
}

void
dp_exchange_wait(void)
{
	WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, 0, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}
