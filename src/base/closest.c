/* SPDX-License-Identifier: PostgreSQL */
/*
 * closest.c
 *	  The name that may have been meant by one that is not there.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/varlena.h"

#include "base/closest.h"

/* Letters by which a close name differs at most. */
#define MOST_DISTANCE 3

/* By how many letters names differ; more than `most` if by more. */
static int
distance(const char *name, const char *candidate, int most)
{
	int			length = strlen(name);
	int			other = strlen(candidate);

	if (pg_strcasecmp(name, candidate) == 0)
		return 0;
	if (length >= NAMEDATALEN || other >= NAMEDATALEN)
		return most + 1;
	return varstr_levenshtein_less_equal(name, length, candidate, other, 1, 1, 1, most, true);
}

void
dp_closest_try(DpClosest *closest, const char *candidate)
{
	int			most = Min(MOST_DISTANCE, (int) strlen(closest->name) / 2);
	int			found = distance(closest->name, candidate, most);

	if (found > most || (closest->match != NULL && found >= closest->distance))
		return;
	closest->match = candidate;
	closest->distance = found;
}
