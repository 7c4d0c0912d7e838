/*
 * together.c
 *	  Adding up units in several processes.
 *
 * Each adds up what it reads, and writes it to files by partitions of the unit;
 * when all have, which is what the barrier is for, each puts together the
 * partitions it gets hold of.  Nobody returns a row before, so nobody waits for a
 * process that waits for it.
 */
#include "postgres.h"

#include "utils/wait_event.h"

#include "units/together.h"

void
dp_together_initialize(DpTogether *together, dsm_segment *segment)
{
	BarrierInit(&together->read, 0);
	pg_atomic_init_u32(&together->writers, 0);
	pg_atomic_init_u32(&together->next, 0);
	dp_adding_draw_secret(&together->secret);
	SharedFileSetInit(&together->files, segment);
}

/* Write what this process reads; whoever comes when all has been read finds no rows. */
static void
write_rows(DpTogether *together, DpAdding *adding, DpSpill *spill)
{
	if (BarrierAttach(&together->read) == 0)
	{
		dp_spill_share(spill, &together->files.fs,
					   pg_atomic_fetch_add_u32(&together->writers, 1));
		dp_adding_read(adding, spill);
		dp_spill_export(spill);
		BarrierArriveAndWait(&together->read, PG_WAIT_EXTENSION);
	}
	else
		dp_spill_share(spill, &together->files.fs, -1);
	BarrierDetach(&together->read);
}

/* Put together what all processes wrote of one partition. */
static void
combine_partition(DpTogether *together, DpAdding *adding, DpSpill *spill, int partition)
{
	DpSpill    *deeper = NULL;

	dp_units_set_level(adding->units, 1);
	for (int i = 0; i < pg_atomic_read_u32(&together->writers); i++)
	{
		dp_spill_import(spill, partition, i);
		dp_adding_load(adding, spill, partition, 1, &deeper);
	}
	dp_adding_finish(adding, 1, deeper);
}

void
dp_together_run(DpTogether *together, DpAdding *adding)
{
	DpSpill    *spill;
	int			partition;

	adding->spec.secret = together->secret;
	dp_adding_begin(adding);
	spill = dp_spill_create(&adding->spec, adding->acc_size);
	write_rows(together, adding, spill);
	while (partition = pg_atomic_fetch_add_u32(&together->next, 1), partition < spill->partitions)
		combine_partition(together, adding, spill, partition);
	dp_adding_end(adding);
}
