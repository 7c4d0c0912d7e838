/* SPDX-License-Identifier: PostgreSQL */
/*
 * form_table.c
 *	  What a form of release differs in from the others; see form_table.h.
 */
#include "postgres.h"

#include "pricing/block.h"
#include "pricing/form_table.h"

int
dp_pricing_block_priced(const DpBlock *block)
{
	return dp_form(block)->priced_once ? 1 : block->nreleases;
}
