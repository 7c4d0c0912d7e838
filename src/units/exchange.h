/*
 * exchange.h
 *	  Rows between the processes of a parallel plan, so that all rows of a unit meet
 *	  in one table.
 *
 * Units are divided into lots by their hash, as many as there should be processes.
 * Each process that reads rows takes a lot as it begins.  What it reads of other lots
 * it sends on, packed, as it goes; and it takes what all read of its own.  So a
 * unit is in one table only, and no table is put together from several.
 *
 * A process may come late, or not at all.  Rows of a lot that nobody has taken are
 * kept; once they are many, or all rows have been read, whoever keeps them takes
 * the lot.
 *
 * Nobody waits without taking what is sent to it meanwhile, and nobody returns a group
 * before all rows are where they belong; so nobody waits for a process that waits
 * for it.
 *
 * A group is sent with its key the first time, and by a number from then on (keys.h);
 * always with its key if that is long, or if there are many groups: what a receiver
 * has to remember is a small part of its memory.
 */
#ifndef DP_UNITS_EXCHANGE_H
#define DP_UNITS_EXCHANGE_H

#include "postgres.h"

#include "units/table.h"

/* What the processes share. */
typedef struct DpExchangeShared DpExchangeShared;

/* One process's side of it. */
typedef struct DpExchange DpExchange;

/* Bytes to share among the leader and so many workers. */
extern Size dp_exchange_size(int workers);

/* In the leader, before any of them runs: with a secret for all their tables. */
extern void dp_exchange_initialize(DpExchangeShared *shared, int workers,
								   const DpUnitsSecret *secret);
extern const DpUnitsSecret *dp_exchange_secret(const DpExchangeShared *shared);

/*
 * Join in, with an empty table of this form, the same in all processes, and the secret; NULL if all
 * rows have been read, so that there is nothing to do.  All memory is from `context`.
 */
extern DpExchange *dp_exchange_join(DpExchangeShared *shared, DpUnits *units,
									const DpUnitsSpec *spec, MemoryContext context);

/*
 * Put a row of the group with this number on its way.  Then either more rows, or take
 * and send, which must be if it returns true.
 */
extern bool dp_exchange_put(DpExchange *exchange, const DpUnitId *id, uint32 number,
							const int64 *places);

/* Send what should be, as far as there is room for it; false if some is left. */
extern bool dp_exchange_send(DpExchange *exchange);

/*
 * Put rows of its lots into the table, which must have been flushed: until it must
 * be again, or may be full, which is when it returns true.
 */
extern bool dp_exchange_take(DpExchange *exchange);

/* All rows of this process have been put: send the last. */
extern void dp_exchange_close(DpExchange *exchange);

/* Then: has all been sent, and all been taken? */
extern bool dp_exchange_is_over(DpExchange *exchange);

/* Wait until there is room, or something to take, or an interrupt. */
extern void dp_exchange_wait(void);

#endif							/* DP_UNITS_EXCHANGE_H */
