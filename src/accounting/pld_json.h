/*
 * pld_json.h
 *	  Releases described in JSON, and exact composition, for SQL functions.
 */
#ifndef DP_ACCOUNTING_PLD_JSON_H
#define DP_ACCOUNTING_PLD_JSON_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "accounting/pld.h"

typedef struct DpPldReleases
{
	DpPldRelease *release;		/* palloc'd, NULL if there is none */
	int			count;
	int			size;			/* has room for so many */
} DpPldReleases;

/*
 * Read a list of releases; see pld_json_sql.c for its form.  Raises 22023 if it is
 * not such a list.
 */
extern DpPldReleases dp_accounting_pld_read(Jsonb *list);

/* What exact composition asks of its surroundings, in a server. */
extern const DpPldServices dp_accounting_pld_services;

/* Fill in a Laplace scale; raises 22023 if it is out of range. */
extern void dp_accounting_pld_set_scale(DpPldRelease *release, double scale);

#endif							/* DP_ACCOUNTING_PLD_JSON_H */
