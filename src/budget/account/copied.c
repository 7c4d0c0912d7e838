/*
 * copied.c
 *	  Telling the files of a cluster from a copy of them that was started
 *	  without a timeline of its own.
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
#include "postgres.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "access/xlog.h"
#include "catalog/pg_control.h"
#include "common/controldata_utils.h"
#include "common/file_perm.h"
#include "miscadmin.h"
#include "storage/fd.h"

#include "budget/account/copied.h"

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

uint64
dp_budget_copied_mark(void)
{
	return mark;
}
