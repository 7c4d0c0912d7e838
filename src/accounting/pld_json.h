/*
 * pld_json.h
 *	  Releases described in JSON, and exact composition, for SQL functions.
 */
#ifndef DP_ACCOUNTING_PLD_JSON_H
#define DP_ACCOUNTING_PLD_JSON_H

#include "postgres.h"

#include "accounting/pld.h"

typedef struct DpPldReleases
{
	DpPldRelease *release;		/* palloc'd, NULL if there is none */
	int			count;
	int			size;			/* has room for so many */
} DpPldReleases;

/* What exact composition asks of its surroundings, in a server. */
extern const DpPldServices dp_accounting_pld_services;

#endif							/* DP_ACCOUNTING_PLD_JSON_H */
