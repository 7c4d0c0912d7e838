/* SPDX-License-Identifier: PostgreSQL */
/*
 * settle.c
 *	  Charging a batch of requests, and answering them.
 *
 * All are charged in one transaction, which is flushed once (and waited for
 * once, where standbys are synchronous), and answered only then.  If it fails,
 * each of them is charged in a transaction of its own, so that none suffers
 * for another.
 *
 * What a session is told is never more than what is durable:
 *
 *	- From before the commit until the answer no interrupt is served, and a
 *	  cancel does not end the wait for standbys.
 *	- A terminated keeper leaves in one of two ways: before the commit, when
 *	  requests go back to the queue for the next keeper; or after it, when they
 *	  have been answered, as unknown if it may have cut the wait short.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"

#include "base/compat_executor.h"
#include "base/injection.h"
#include "budget/account/store.h"
#include "budget/keeper/alert.h"
#include "budget/keeper/decide.h"
#include "budget/keeper/settle.h"
#include "budget/queue/queue.h"
#include "budget/queue/queue_state.h"
#include "budget/queue/request.h"

/* What is left of the batch in hand, while there is one: it is answered from the front. */
static DpRequest **batch;
static int	batch_size = 0;

/* How long the last commit took. */
static instr_time commit_time;

/* Set from before the commit until its requests are answered. */
static volatile sig_atomic_t committing = false;

void
dp_budget_settle_cancel(SIGNAL_ARGS)
{
	if (!committing)
		StatementCancelHandler(DP_HAND_ON_SIGNAL);
}

/*
 * Answer the next requests of the batch.  They are no more ours: their owners may have asked for something else by now, and
 * another database's keeper may have taken it.
 */
static void
answer_next(DpRequest **requests, int count)
{
	HOLD_INTERRUPTS();
	dp_budget_answer(requests, count);
	batch += count;
	batch_size -= count;
	RESUME_INTERRUPTS();
}

/*
 * Commit and answer.  A terminate that came before the answer may have ended
 * the wait for standbys: then nobody is told that a charge is safe.
 */
static void
commit_and_answer(DpRequest **requests, int count)
{
	instr_time	start;

	HOLD_INTERRUPTS();
	committing = true;
	QueryCancelPending = false;
	DP_INJECTION_POINT("committing");
	INSTR_TIME_SET_CURRENT(start);
	CommitTransactionCommand();
	INSTR_TIME_SET_CURRENT(commit_time);
	INSTR_TIME_SUBTRACT(commit_time, start);
	DP_INJECTION_POINT("committed");
	if (ProcDiePending)
		for (int i = 0; i < count; i++)
			requests[i]->outcome = DP_OUTCOME_UNKNOWN;
	dp_budget_queue_count(requests, count, dp_budget_settle_commit_us());
	answer_next(requests, count);
	committing = false;
	RESUME_INTERRUPTS();
}

/*
 * Clean up after a failed transaction, of which nothing was committed: once it
 * is, an error is a panic.
 */
static ErrorData *
recover(MemoryContext context)
{
	ErrorData  *error;

	HOLD_INTERRUPTS();
	committing = false;
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	EmitErrorReport();
	FlushErrorState();
	AbortCurrentTransaction();
	MemoryContextSwitchTo(context);
	RESUME_INTERRUPTS();
	return error;
}

/* Settle requests in one transaction and answer them; or return the error. */
static ErrorData *
try_to_settle(DpRequest **requests, int count)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData  *volatile error = NULL;

	PG_TRY();
	{
		StartTransactionCommand();
		DP_INJECTION_POINT("taken");
		dp_budget_store_durably();
		dp_budget_decide(requests, count);
		DP_INJECTION_POINT("decided");
		commit_and_answer(requests, count);
	}
	PG_CATCH();
	{
		error = recover(context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return error;
}

/* Answer a request that could not be settled even alone. */
static void
answer_failed(DpRequest *request, ErrorData *error)
{
	if (error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		request->outcome = DP_OUTCOME_LOCKED;
	else
		dp_budget_decide_failed(request, error->sqlerrcode, error->message);
	answer_next(&request, 1);
}

/* Settle and answer all requests: together if possible, else one by one. */
static void
settle_batch(DpRequest **requests, int count)
{
	ErrorData  *error = try_to_settle(requests, count);

	if (error == NULL)
		dp_budget_alert_log();
	else if (count == 1)
		answer_failed(requests[0], error);
	else
		for (int i = 0; i < count; i++)
			settle_batch(&requests[i], 1);
}

void
dp_budget_settle(DpRequest **requests, int count)
{
	batch = requests;
	batch_size = count;
	settle_batch(requests, count);
	batch_size = 0;
}

/* Ours are those of the batch that have not been answered yet. */
void
dp_budget_settle_abandon(void)
{
	int			held = batch_size;

	batch_size = 0;
	if (committing)
	{
		for (int i = 0; i < held; i++)
			batch[i]->outcome = DP_OUTCOME_UNKNOWN;
		dp_budget_answer(batch, held);
	}
	else
		dp_budget_answer_return(batch, held);
}

uint64
dp_budget_settle_commit_us(void)
{
	return INSTR_TIME_GET_MICROSEC(commit_time);
}
