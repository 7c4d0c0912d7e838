/* SPDX-License-Identifier: PostgreSQL */
/*
 * home.c
 *	  Where budgets live, and moving them to where they are.
 */
#include "postgres.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "catalog/pg_control.h"
#include "common/controldata_utils.h"
#include "common/file_perm.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "replication/syncrep.h"
#include "replication/walreceiver.h"
#include "replication/walsender.h"
#include "storage/fd.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "budget/account/act.h"
#include "budget/account/birth.h"
#include "budget/account/home.h"
#include "budget/account/role.h"
#include "budget/account/store.h"
#include "budget/rows/ledger.h"
#include "budget/rows/row.h"

static uint64 copied_mark(void);

/*
 * Telling the files of a cluster from a copy of them that was started
 * without a timeline of its own.
 *
 * A base backup that is simply started, and a standby whose standby.signal was
 * taken away, go on with the timeline of the server they were copied from.  So
 * the postmaster leaves a number of its own in a file of the data directory before
 * recovery makes them look like any other cluster.  Base backups of them carry
 * the file; started, they get another number.
 *
 * Not told is a copy of the files of a server that was shut down, or of all
 * disks at one instant: nothing in it says that it is one.
 */

#define DP_MARK_FILE "dp_agg_copy"
#define DP_MARK_TEMPORARY DP_MARK_FILE ".tmp"
#define DP_MARK_FORMAT "%016" PRIx64

static uint64 mark = 0;

static bool
exists(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

/* Did it follow a primary, or an archive, when it was last running? */
static bool
was_recovering(void)
{
	bool		good;
	ControlFileData *control = get_controlfile(".", &good);

	return good && (control->state == DB_SHUTDOWNED_IN_RECOVERY ||
					control->state == DB_IN_ARCHIVE_RECOVERY);
}

/* Is this the first start of a copy, after which nothing would tell? */
static bool
is_new_copy(void)
{
	/* These end on a timeline of their own. */
	if (exists(STANDBY_SIGNAL_FILE) || exists(RECOVERY_SIGNAL_FILE))
		return false;
	return exists(BACKUP_LABEL_FILE) || was_recovering();
}

static bool
read_mark(void)
{
	FILE	   *file = fopen(DP_MARK_FILE, "r");
	bool		good = file != NULL && fscanf(file, DP_MARK_FORMAT, &mark) == 1 && mark != 0;

	if (file != NULL)
		(void) fclose(file);
	return good;
}

/* A number as no other start has, made like PostgreSQL's system identifiers. */
static uint64
new_mark(void)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return ((uint64) now.tv_sec << 32) | ((uint64) now.tv_usec << 12) | (getpid() & 0xFFF);
}

/* Write a new mark, durably, or do not start. */
static void
write_mark(void)
{
	char		text[32];
	int			length;
	int			file = open(DP_MARK_TEMPORARY, O_WRONLY | O_CREAT | O_TRUNC, pg_file_create_mode);

	mark = new_mark();
	length = snprintf(text, sizeof(text), DP_MARK_FORMAT "\n", mark);
	if (file < 0 || write(file, text, length) != length || close(file) != 0)
		ereport(FATAL,
				(errcode_for_file_access(),
				 errmsg("could not write file \"%s\": %m", DP_MARK_TEMPORARY)));
	durable_rename(DP_MARK_TEMPORARY, DP_MARK_FILE, FATAL);
}

void
dp_budget_copied_init(void)
{
	if (!IsUnderPostmaster && is_new_copy())
		write_mark();
	else if (exists(DP_MARK_FILE) && !read_mark() && !IsUnderPostmaster)
		write_mark();
}

/* The mark of this copy, 0 for none; two copies never have the same, but 0. */
static uint64
copied_mark(void)
{
	return mark;
}

PG_FUNCTION_INFO_V1(dp_budget_acknowledge_copy);

typedef struct DpHome
{
	uint64		system;
	Oid			database;
	uint64		birth;			/* see birth.h */
	TimeLineID	timeline;
	uint64		copy;			/* see home.h */
} DpHome;

/* Which budgets to move. */
typedef bool (*DpSelector) (const DpHome *home, const DpHome *here);

static DpHome
get_here(void)
{
	DpHome		here = {
		.system = GetSystemIdentifier(),
		.database = MyDatabaseId,
		.birth = dp_budget_birth_number(),
		.copy = copied_mark()
	};

	if (RecoveryInProgress())
		(void) GetXLogReplayRecPtr(&here.timeline);
	else
		here.timeline = GetWALInsertionTimeLine();
	return here;
}

const char *
dp_budget_home_here(void)
{
	DpHome		here = get_here();
	char	   *home = psprintf(UINT64_FORMAT "/%u/%016" PRIx64 "/%u", here.system, here.database,
								here.birth, here.timeline);

	if (here.copy != 0)
		home = psprintf("%s/%016" PRIx64, home, here.copy);
	return home;
}

const char *
dp_budget_home_settle(void)
{
	(void) dp_budget_birth_settle();
	return dp_budget_home_here();
}

/* Understand a home; one that makes no sense is nowhere. */
static DpHome
read_home(const char *text)
{
	DpHome		home = {0};

	if (sscanf(text, UINT64_FORMAT "/%u/%" SCNx64 "/%u/%" SCNx64, &home.system, &home.database,
			   &home.birth, &home.timeline, &home.copy) < 4)
		memset(&home, 0, sizeof(home));
	return home;
}

bool
dp_budget_home_is_this_database(const char *text)
{
	DpHome		home = read_home(text);
	DpHome		here = get_here();

	return home.system == here.system && home.database == here.database;
}

bool
dp_budget_home_is_synchronous(void)
{
	return max_wal_senders > 0 && SyncRepStandbyNames != NULL &&
		SyncRepStandbyNames[0] != '\0';
}

/* Has this server, since it started, heard from a primary it followed? */
static bool
has_followed(void)
{
	bool		heard;

	SpinLockAcquire(&WalRcv->mutex);
	heard = WalRcv->latestWalEnd != InvalidXLogRecPtr;
	SpinLockRelease(&WalRcv->mutex);
	return heard;
}

/* Did the budget come along in a promotion? */
static bool
is_earlier(const DpHome *home, const DpHome *here)
{
	return home->system == here->system && home->database == here->database &&
		home->birth == here->birth && home->copy == here->copy && home->timeline < here->timeline;
}

static bool
is_elsewhere(const DpHome *home, const DpHome *here)
{
	return home->system != here->system || home->database != here->database ||
		home->birth != here->birth || home->copy != here->copy || home->timeline != here->timeline;
}

/*
 * The budgets to move, as a list of DpBudgetRow; and whether the last of them to
 * be charged waited for synchronous standbys.
 */
static List *
select_rows(DpStore *store, DpSelector selects, bool *synchronous)
{
	Relation	budget = store->budget->ri_RelationDesc;
	DpHome		here = get_here();
	Datum		last = 0;
	List	   *rows = NIL;
	SysScanDesc scan = systable_beginscan(budget, InvalidOid, false, GetActiveSnapshot(), 0, NULL);
	HeapTuple	tuple;

	*synchronous = false;
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		DpBudgetRow *row = palloc0(sizeof(DpBudgetRow));
		DpHome		home;
		Datum		charged;
		bool		never;

		if (!dp_budget_store_decode(budget, tuple, row))
			continue;
		home = read_home(row->home);
		if (!selects(&home, &here))
			continue;
		rows = lappend(rows, row);
		charged = heap_getattr(tuple, DP_BUDGET_LAST_CHARGE + 1, RelationGetDescr(budget), &never);
		if (!never && DatumGetTimestampTz(charged) >= DatumGetTimestampTz(last))
		{
			last = charged;
			*synchronous = row->synchronous;
		}
	}
	systable_endscan(scan);
	return rows;
}

/*
 * Have the ledger say where a budget was moved from: at once, or when the
 * transaction commits, after what else it did to budgets.
 */
static void
enter_move(DpStore *store, DpBudgetRow *row, const char *from, bool at_once)
{
	char	   *move = psprintf("{\"from\": \"%s\", \"to\": \"%s\"}", from, row->home);
	DpLedgerRow entry = {
		.event = DP_EVENT_ACKNOWLEDGE,
		.at = GetCurrentTimestamp(),
		.role = GetOuterUserId(),
		.budget = row,
		.cost = &row->spent
	};

	if (at_once)
	{
		entry.releases = dp_budget_ledger_json(move);
		dp_budget_store_append(store, &entry);
	}
	else
		dp_budget_act_record(entry.event, entry.at, row, move, entry.cost);
}

/* Move one budget here.  False if its role is gone. */
static bool
move_row(DpStore *store, const DpBudgetRow *old, bool at_once)
{
	DpBudgetRow row;
	TupleTableSlot *found;

	DpLookup	lookup = dp_budget_store_lock(store, old->role, old->dataset, &row, &found);

	if (lookup == DP_LOOKUP_BUSY)
		ereport(ERROR,
				(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
				 errmsg("a budget on data set \"%s\" is locked by another transaction",
						old->dataset)));
	if (lookup != DP_LOOKUP_FOUND)
		return false;
	dp_budget_role_hold(row.role);
	strlcpy(row.home, dp_budget_home_here(), DP_HOME_MAX);
	row.entries++;
	dp_budget_store_update(store, &row, found);
	enter_move(store, &row, old->home, at_once);
	return true;
}

/* Move budgets here, so that the active snapshot sees it; returns how many. */
static int
move_rows(DpStore *store, List *rows, bool at_once)
{
	int			moved = 0;
	ListCell   *lc;

	foreach(lc, rows)
		moved += move_row(store, lfirst(lc), at_once);
	CommandCounterIncrement();
	UpdateActiveSnapshotCommandId();
	return moved;
}

bool
dp_budget_home_take_over(DpStore *store)
{
	bool		synchronous;
	List	   *rows;

	/* Most servers follow nobody: their keepers do not read all rows. */
	if (recoveryTarget != RECOVERY_TARGET_UNSET || !has_followed())
		return false;
	rows = select_rows(store, is_earlier, &synchronous);
	return synchronous && move_rows(store, rows, true) > 0;
}

/* dp_agg.acknowledge_copy() returns bigint */
Datum
dp_budget_acknowledge_copy(PG_FUNCTION_ARGS)
{
	DpStore		store;
	bool		synchronous;
	int			moved;

	PreventCommandDuringRecovery("dp_agg.acknowledge_copy()");
	PreventCommandIfReadOnly("dp_agg.acknowledge_copy()");
	(void) dp_budget_home_settle();
	dp_budget_store_exclude_charges();
	dp_budget_store_open(&store, true);
	moved = move_rows(&store, select_rows(&store, is_elsewhere, &synchronous), false);
	dp_budget_store_close(&store);
	PG_RETURN_INT64(moved);
}
