/* SPDX-License-Identifier: PostgreSQL */
/*
 * server_files.c
 *	  Memory, temporary files and segments for plain C.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "commands/tablespace.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/fileset.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "base/injection.h"
#include "base/memory.h"
#include "base/server_files.h"

/*
 * Memory from a memory context.
 */

#define ALIGNMENT 64
#define HUGE_PAGE ((Size) 2 * 1024 * 1024)
#define FROM_KERNEL (HUGE_PAGE / 2)

/* A piece from the kernel: `block` is within it, aligned. */
typedef struct Mapping
{
	struct Mapping *next;
	void	   *block;
	void	   *base;
	Size		size;
} Mapping;

typedef struct Heap
{
	MemoryContext context;
	MemoryContextCallback callback;
	Mapping    *mappings;
} Heap;

/* The context is going away. */
static void
unmap_all(void *arg)
{
	Heap	   *heap = arg;

	for (Mapping *m = heap->mappings; m; m = m->next)
		munmap(m->base, m->size);
	heap->mappings = NULL;
}

/* Zeroed memory from the kernel; touching it is what takes time. */
static void *
map(Heap *heap, Size size)
{
	Mapping    *m = MemoryContextAlloc(heap->context, sizeof(Mapping));

	if (size > MaxAllocHugeSize)
		elog(ERROR, "invalid size of memory: %zu", size);
	m->size = size + HUGE_PAGE;
	m->base = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->base == MAP_FAILED)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	m->block = (void *) TYPEALIGN(HUGE_PAGE, m->base);
#ifdef MADV_HUGEPAGE
	(void) madvise(m->block, size, MADV_HUGEPAGE);
#endif
	m->next = heap->mappings;
	heap->mappings = m;
	return m->block;
}

static void
unmap(Heap *heap, void *block)
{
	Mapping   **link = &heap->mappings;
	Mapping    *m;

	while ((*link)->block != block)
		link = &(*link)->next;
	m = *link;
	*link = m->next;
	munmap(m->base, m->size);
	pfree(m);
}

/* The chunk a block lies in is remembered in front of it. */
static void *
allocate(void *context, size_t size)
{
	Heap	   *heap = context;
	void	   *chunk;
	void	  **block;

	if (size >= FROM_KERNEL)
		return map(heap, size);
	chunk = MemoryContextAllocZero(heap->context, size + sizeof(void *) + ALIGNMENT);
	block = (void **) TYPEALIGN(ALIGNMENT, (char *) chunk + sizeof(void *));
	block[-1] = chunk;
	return block;
}

static void
release(void *context, void *block, size_t size)
{
	if (size >= FROM_KERNEL)
		unmap(context, block);
	else
		pfree(((void **) block)[-1]);
}

static void
breathe(void)
{
	CHECK_FOR_INTERRUPTS();
}

void
dp_memory_use_context(DpMemory *memory, MemoryContext context)
{
	Heap	   *heap = MemoryContextAllocZero(context, sizeof(Heap));

	heap->context = context;
	heap->callback.func = unmap_all;
	heap->callback.arg = heap;
	MemoryContextRegisterResetCallback(context, &heap->callback);
	memory->context = heap;
	memory->allocate = allocate;
	memory->release = release;
	memory->breathe = breathe;
}

/*
 * Segments.  Each that is made has a resource owner of its own, so that one that could not be
 * made leaves nothing behind.
 */

static void
forget_owner(ResourceOwner owner)
{
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(owner);
}

/* A segment for the current resource owner; NULL if resources are short. */
static dsm_segment *
try_segment(Size size)
{
	MemoryContext context = CurrentMemoryContext;
	uint32		interrupt_holdoff = InterruptHoldoffCount;
	uint32		cancel_holdoff = QueryCancelHoldoffCount;
	dsm_segment *volatile segment = NULL;

	PG_TRY();
	{
		DP_INJECTION_POINT("segment");
		segment = dsm_create(size, DSM_CREATE_NULL_IF_MAXSEGMENTS);
	}
	PG_CATCH();
	{
		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_INSUFFICIENT_RESOURCES)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();

		/* Raising an error has reset these. */
		InterruptHoldoffCount = interrupt_holdoff;
		QueryCancelHoldoffCount = cancel_holdoff;
	}
	PG_END_TRY();
	return segment;
}

static void *
make_segment(void *context, size_t size)
{
	DpServerSegments *segments = context;
	int			i = segments->segments.count;
	ResourceOwner outer = CurrentResourceOwner;

	CHECK_FOR_INTERRUPTS();
	CurrentResourceOwner = segments->owner[i] = ResourceOwnerCreate(outer, "dp_agg segment");
	PG_TRY();
	{
		segments->segment[i] = try_segment(size);
	}
	PG_FINALLY();
	{
		CurrentResourceOwner = outer;
	}
	PG_END_TRY();
	if (segments->segment[i])
		return dsm_segment_address(segments->segment[i]);
	forget_owner(segments->owner[i]);
	return NULL;
}

void
dp_segments_use(DpServerSegments *segments, size_t limit)
{
	memset(segments, 0, sizeof(DpServerSegments));
	segments->segments.context = segments;
	segments->segments.make = make_segment;
	segments->segments.limit = limit;
}

int
dp_segments_handles(const DpServerSegments *segments, dsm_handle *handle)
{
	for (int i = 0; i < segments->segments.count; i++)
		handle[i] = dsm_segment_handle(segments->segment[i]);
	return segments->segments.count;
}

bool
dp_segments_attach(DpServerSegments *segments, const dsm_handle *handle, int count)
{
	memset(segments, 0, sizeof(DpServerSegments));
	for (int i = 0; i < count; i++)
	{
		dsm_segment *segment = dsm_attach(handle[i]);

		if (segment == NULL)
			return false;
		segments->segment[i] = segment;
		segments->segments.segment[i].base = dsm_segment_address(segment);
		segments->segments.segment[i].size = dsm_segment_map_length(segment);
		segments->segments.count++;
	}
	return true;
}

void
dp_segments_leave(DpServerSegments *segments)
{
	while (segments->segments.count > 0)
	{
		int			i = --segments->segments.count;

		dsm_detach(segments->segment[i]);
		if (segments->owner[i])
			ResourceOwnerDelete(segments->owner[i]);
	}
}

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
dp_files_open(DpServerFiles *files, int process, int number)
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
dp_files_number(const void *file)
{
	return file ? ((const ServerFile *) file)->number : -1;
}

static void
write_file(void *file, uint64_t offset, const void *bytes, size_t size)
{
	while (size > 0)
	{
		int			piece = Min(size, DP_MEMORY_PIECE);
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
		int			piece = Min(size, DP_MEMORY_PIECE);
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
dp_files_use(DpServerFiles *files, MemoryContext context, SharedFileSet *set, int process)
{
	files->files = (DpFiles) {files, open_file, write_file, read_file, close_file};
	files->context = context;
	files->set = set;
	files->process = process;
	files->count = 0;
}
