/* SPDX-License-Identifier: PostgreSQL */
/*
 * injection.c
 *	  Points at which tests stop a process, cancel it or let it run out of memory.
 */
#include "postgres.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/memutils.h"

#include "base/injection.h"

#define DP_INJECTION_DIRECTORY "injection"

/* How often a stopped process looks whether it may go on. */
#define DP_INJECTION_LOOK_US 5000

/* Action at a point; false if there is none. */
static bool
read_action(const char *path, char *action, size_t size)
{
	int			fd = open(path, O_RDONLY);
	ssize_t		length;

	if (fd < 0)
		return false;
	length = read(fd, action, size - 1);
	close(fd);
	action[Max(length, 0)] = '\0';
	return true;
}

/* Say where we are, and stay until the point is disarmed, or what we have said is removed. */
static void
stop(const char *path)
{
	char		here[MAXPGPATH];
	int			fd;

	snprintf(here, sizeof(here), "%s.%d", path, MyProcPid);
	fd = open(here, O_WRONLY | O_CREAT, 0600);
	if (fd >= 0)
		close(fd);
	for (;;)
	{
		bool		armed = access(path, F_OK) == 0 && (fd < 0 || access(here, F_OK) == 0);

		/* A signal sent before we were let go is served here. */
		CHECK_FOR_INTERRUPTS();
		if (!armed)
			break;
		pg_usleep(DP_INJECTION_LOOK_US);
	}
	unlink(here);
}

void
dp_injection_point(const char *name)
{
	char		path[MAXPGPATH];
	char		action[16];

	snprintf(path, sizeof(path), "%s/%s", DP_INJECTION_DIRECTORY, name);
	if (!read_action(path, action, sizeof(action)))
		return;
	if (strcmp(action, "stop") == 0)
		stop(path);
	else if (strcmp(action, "cancel") == 0)
		(void) raise(SIGINT);
	else if (strcmp(action, "forget") == 0)
		InvalidateSystemCaches();
	else if (strcmp(action, "full") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DISK_FULL),
				 errmsg("could not write to a disk that is full")));
	else if (strcmp(action, "fail") == 0)
		(void) MemoryContextAllocHuge(CurrentMemoryContext, MaxAllocHugeSize);
}
