/*
 * files.c
 *	  Temporary files.
 */
#include "postgres.h"

#include <fcntl.h>

#include "commands/tablespace.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/fileset.h"
#include "utils/wait_event.h"

#include "units/files.h"

typedef struct ServerFile
{
	File		file;
	int			number;
} ServerFile;

static void
set_name(char *name, int process, int number)
{
	snprintf(name, MAXPGPATH, "units.%d.%d", process, number);
}

static void *
open_file(void *context)
{
	DpServerFiles *files = context;
	ServerFile *file = MemoryContextAlloc(files->context, sizeof(ServerFile));
	char		name[MAXPGPATH];

	file->number = files->count++;
	if (files->set)
	{
		set_name(name, files->process, file->number);
		file->file = FileSetCreate(&files->set->fs, name);
		return file;
	}
	PrepareTempTablespaces();
	file->file = OpenTemporaryFile(false);
	return file;
}

void *
dp_units_open_file(DpServerFiles *files, int process, int number)
{
	ServerFile *file;
	char		name[MAXPGPATH];

	if (number < 0)
		return NULL;
	file = MemoryContextAlloc(files->context, sizeof(ServerFile));
	set_name(name, process, number);
	file->number = number;
	file->file = FileSetOpen(&files->set->fs, name, O_RDONLY);
	if (file->file < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open temporary file \"%s\": %m", name)));
	return file;
}

int
dp_units_file_number(const void *file)
{
	return file ? ((const ServerFile *) file)->number : -1;
}

static void
write_file(void *file, uint64_t offset, const void *bytes, size_t size)
{
	while (size > 0)
	{
		int			piece = Min(size, DP_UNITS_PIECE);
		int			written;

		CHECK_FOR_INTERRUPTS();
		errno = 0;
		written = FileWrite(((ServerFile *) file)->file, unconstify(void *, bytes), piece, offset,
							WAIT_EVENT_BUFFILE_WRITE);
		if (written <= 0)
		{
			if (errno == 0)
				errno = ENOSPC;
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not write to a temporary file: %m")));
		}
		bytes = (const char *) bytes + written;
		offset += written;
		size -= written;
	}
}

static void
read_file(void *file, uint64_t offset, void *bytes, size_t size)
{
	while (size > 0)
	{
		int			piece = Min(size, DP_UNITS_PIECE);
		int			count;

		CHECK_FOR_INTERRUPTS();
		count = FileRead(((ServerFile *) file)->file, bytes, piece, offset, WAIT_EVENT_BUFFILE_READ);
		if (count <= 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read from a temporary file")));
		bytes = (char *) bytes + count;
		offset += count;
		size -= count;
	}
}

static void
close_file(void *file)
{
	FileClose(((ServerFile *) file)->file);
	pfree(file);
}

void
dp_units_use_files(DpServerFiles *files, MemoryContext context, SharedFileSet *set, int process)
{
	files->files = (DpFiles) {files, open_file, write_file, read_file, close_file};
	files->context = context;
	files->set = set;
	files->process = process;
	files->count = 0;
}
