/*
 * match_keys.c
 *	  Keys of a block that is asked among those of a finer answer; see match_keys.h.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "miscadmin.h"
#include "utils/typcache.h"

#include "reuse/cut.h"
#include "reuse/listed_cells.h"
#include "reuse/match_keys.h"

static bool
same_value(const Const *one, const Const *other, TypeCacheEntry *type)
{
	if (one->constisnull || other->constisnull)
		return one->constisnull && other->constisnull;
	return DatumGetBool(FunctionCall2Coll(&type->eq_opr_finfo, DEFAULT_COLLATION_OID, one->constvalue, other->constvalue));
}

/* The place of a value among some, at which it is most likely found; -1 if it is not there. */
static int
find_value(List *values, const Const *value, int likely, TypeCacheEntry *type)
{
	ListCell   *lc;

	if (likely < list_length(values) && same_value(list_nth_node(Const, values, likely), value, type))
		return likely;
	CHECK_FOR_INTERRUPTS();
	foreach(lc, values)
		if (same_value(lfirst_node(Const, lc), value, type))
			return foreach_current_index(lc);
	return -1;
}

/* Have the buckets of a key be in those of the block's; false if one is in several. */
static bool
match_buckets(DpMatching *matching, int k)
{
	DpMatchedKey *key = &matching->key[k];
	const DpCellKey *asked = &matching->asked->key[key->asked];
	int		   *number = dp_query_coarser_buckets(&matching->finer->key[k].buckets, &asked->buckets);

	if (number)
		key->place = number;
	return number && dp_query_is_alike(matching, k, NIL, asked->by_size);
}

/* Have the values of a key be those of the block's; false if that has others. */
static bool
match_values(DpMatching *matching, int k)
{
	DpMatchedKey *key = &matching->key[k];
	const DpCellKey *asked = &matching->asked->key[key->asked];
	TypeCacheEntry *type = lookup_type_cache(asked->type, TYPECACHE_EQ_OPR_FINFO);
	List	   *values = dp_query_matching_values(matching, k, asked->type);
	int			found = 0;
	ListCell   *lc;

	foreach(lc, values)
	{
		int			i = foreach_current_index(lc);

		key->place[i] = find_value(asked->values, lfirst(lc), i, type);
		found += key->place[i] >= 0;
	}
	return found == asked->count && dp_query_is_alike(matching, k, values, asked->by_size);
}

/* The same where tables list both: others are found by the groups that they are in. */
static bool
match_listed(DpMatching *matching, int k)
{
	DpMatchedKey *key = &matching->key[k];
	List	   *values = dp_query_shape_values(&matching->finer->key[k], BYTEAOID);

	key->place = dp_query_places_among(values, matching->asked->listed->key[key->asked].values);
	return dp_query_is_alike(matching, k, values, matching->asked->key[key->asked].by_size);
}

static bool
match_key(DpMatching *matching, int k)
{
	if (matching->asked->listed)
		return matching->finer->listed && match_listed(matching, k);
	return dp_query_is_bucket(matching, k) ? match_buckets(matching, k) : match_values(matching, k);
}

/* How many values a key of the block has. */
static int
count_values(const DpBlockCells *asked, int i)
{
	return asked->listed ? Max(list_length(asked->listed->key[i].values), 1) : asked->key[i].count;
}

/* Is a key of the block the finer answer's, or in coarser buckets of the same values? */
static bool
is_same_key(const DpCellKey *asked, const DpShapeKey *finer)
{
	if (OidIsValid(asked->buckets.type) && OidIsValid(finer->buckets.type))
		return dp_query_same_digest(&asked->column, &finer->column);
	return dp_query_same_digest(&asked->digest, &finer->digest);
}

/* The number of a key of the block among the finer ones; -1 if it is none of them. */
static int
find_key(const DpMatching *matching, int i)
{
	for (int k = 0; k < matching->finer->nkeys; k++)
		if (is_same_key(&matching->asked->key[i], &matching->finer->key[k]))
			return k;
	return -1;
}

bool
dp_query_has_keys(const DpMatching *matching)
{
	for (int i = 0; i < matching->asked->nkeys; i++)
		if (find_key(matching, i) < 0)
			return false;
	return true;
}

bool
dp_query_match_keys(DpMatching *matching)
{
	int64		weight = 1;

	for (int i = matching->asked->nkeys - 1; i >= 0; i--)
	{
		int			k = find_key(matching, i);

		if (k < 0 || matching->key[k].asked >= 0)
			return false;
		matching->key[k].asked = i;
		matching->key[k].weight = weight;
		if (pg_mul_s64_overflow(weight, count_values(matching->asked, i), &weight) || !match_key(matching, k))
			return false;
	}
	return true;
}
