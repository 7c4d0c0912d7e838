/*
 * answer.c
 *	  Handing requests back to their sessions, and waking these.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "budget/queue/answer.h"
#include "budget/queue/queue_state.h"
#include "budget/queue/request.h"

/* The requests that were answered last, in the order in which they are woken. */
static DpRequest **answered = NULL;
static int	answered_count = 0;

void
dp_budget_answer_init(void)
{
	answered = MemoryContextAlloc(TopMemoryContext,
								  dp_budget_queue_size() * sizeof(DpRequest *));
}

static void
wake(DpRequest *request)
{
	SetLatch(dp_budget_queue_owner(request));
}

void
dp_budget_answer_remind(void)
{
	for (int i = 0; i < answered_count; i++)
		if (dp_budget_queue_state(answered[i]) == DP_REQUEST_ANSWERED)
			wake(answered[i]);
	answered_count = 0;
}

/*
 * Is a request to be answered now?  Else it is handed back in another way, and
 * whoever owns it may be told.  The lock is held.
 */
static bool
is_answer(DpRequest *request, TimestampTz now)
{
	if (request->abandoned)
		dp_budget_queue_set_state(request, DP_REQUEST_IDLE);
	else if (request->outcome == DP_OUTCOME_LOCKED &&
			 !TimestampDifferenceExceeds(request->submitted, now, DP_LOCK_PATIENCE_MS))
	{
		request->due = TimestampTzPlusMilliseconds(now, DP_RETRY_MS);
		dp_budget_queue_link(dp_budget_queue_keeper, request);
	}
	else
		return true;
	wake(request);
	return false;
}

/* Say whom each of those answered wakes: all but the first are woken by one. */
static void
share_waking(void)
{
	for (int i = 0; i < answered_count; i++)
		for (int j = 0; j < DP_WAKES; j++)
		{
			int			next = DP_FIRST_WAKES + DP_WAKES * i + j;

			answered[i]->wakes[j] = next < answered_count ? answered[next] : NULL;
		}
}

void
dp_budget_answer(DpRequest **requests, int count)
{
	TimestampTz now = GetCurrentTimestamp();

	dp_budget_answer_remind();
	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	for (int i = 0; i < count; i++)
		if (is_answer(requests[i], now))
			answered[answered_count++] = requests[i];
	share_waking();
	/* Who sees the state, without the lock, sees the answer: see dp_budget_queue_state. */
	pg_write_barrier();
	for (int i = 0; i < answered_count; i++)
		dp_budget_queue_set_state(answered[i], DP_REQUEST_ANSWERED);
	LWLockRelease(dp_budget_queue->lock);

	for (int i = 0; i < Min(answered_count, DP_FIRST_WAKES); i++)
		wake(answered[i]);
}

void
dp_budget_answer_return(DpRequest **requests, int count)
{
	LWLockAcquire(dp_budget_queue->lock, LW_EXCLUSIVE);
	for (int i = 0; i < count; i++)
	{
		if (requests[i]->abandoned)
		{
			dp_budget_queue_set_state(requests[i], DP_REQUEST_IDLE);
			wake(requests[i]);
		}
		else
			dp_budget_queue_link(dp_budget_queue_keeper, requests[i]);
	}
	LWLockRelease(dp_budget_queue->lock);
}

void
dp_budget_answer_consume(DpRequest *request)
{
	dp_budget_queue_set_state(request, DP_REQUEST_IDLE);
	for (int j = 0; j < DP_WAKES; j++)
		if (request->wakes[j] != NULL)
			wake(request->wakes[j]);
}
