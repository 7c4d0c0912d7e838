/*
 * matching.c
 *	  What a block that is asked and a finer answer have in common; see matching.h.
 */
#include "postgres.h"

#include "base/compat.h"
#include "reuse/matching.h"

DpMatching
dp_query_begin_matching(const DpBlock *block, const DpBlockCells *asked, const DpShape *finer)
{
	DpMatching	matching = {.block = block, .asked = asked, .finer = finer};

	if (asked->bounds.longest != finer->bounds.longest)
		matching.shorter = Min(asked->bounds.longest, finer->bounds.longest);
	matching.key = palloc0(finer->nkeys * sizeof(DpMatchedKey));
	for (int k = 0; k < finer->nkeys; k++)
	{
		matching.key[k].asked = -1;
		matching.key[k].place = palloc0(finer->key[k].count * sizeof(int));
		matching.key[k].left_out = palloc0(finer->key[k].count * sizeof(bool));
	}
	return matching;
}

List *
dp_query_matching_values(DpMatching *matching, int k, Oid type)
{
	DpMatchedKey *key = &matching->key[k];

	if (key->values == NIL)
		key->values = dp_query_shape_values(&matching->finer->key[k], type);
	return key->values;
}

bool
dp_query_is_bucket(const DpMatching *matching, int k)
{
	return matching->finer->key[k].buckets.type != InvalidOid;
}

/* Are all values of a key as long as both blocks admit? */
static bool
are_short(const DpMatching *matching, List *values)
{
	ListCell   *lc;

	foreach(lc, values)
	{
		const Const *value = lfirst_node(Const, lc);

		if (value->constlen == -1 && !value->constisnull &&
			VARSIZE_ANY_EXHDR(DatumGetPointer(value->constvalue)) + VARHDRSZ > matching->shorter)
			return false;
	}
	return true;
}

/* Where tables that list keys are joined, these are columns whose values no block limits (public_contents.h). */
bool
dp_query_is_alike(const DpMatching *matching, int k, List *values, bool by_size)
{
	if (matching->shorter == 0 || !by_size)
		return true;
	if (matching->finer->key[k].complete)
		return matching->finer->listed;
	return !dp_query_is_bucket(matching, k) && are_short(matching, values);
}
