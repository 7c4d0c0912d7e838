/* SPDX-License-Identifier: PostgreSQL */
/*
 * kinds.c
 *	  All kinds of release; see pricing/kind.h.
 */
#include "postgres.h"

#include "kinds/kinds.h"
#include "pricing/kind.h"

const DpKind *const dp_kinds[DP_KINDS] = {
#define DP_KIND(number, table) &dp_kinds_##table,
#include "pricing/kind_list.h"
#undef DP_KIND
};

/*
 * Check in builds with assertions that tables are whole: what drivers call without looking is
 * there, and whatever is chosen has a name and is charged.
 */
void
dp_kinds_check(void)
{
#ifdef USE_ASSERT_CHECKING
	for (int i = 0; i < DP_KINDS; i++)
	{
		const DpKind *kind = dp_kinds[i];

		Assert(kind->number == i);
		Assert(kind->functions == NULL || kind->measure != NULL);
		Assert(kind->part_value != NULL || !kind->can_be_part);
		Assert(!kind->choice_is_part || kind->choice != NULL);
		Assert(!kind->selects || kind->told_rows != NULL);
		Assert((kind->weighed_values == NULL) == (kind->weighed_total == NULL));
		Assert(kind->carries == 0 || kind->weigh != NULL);
	}
#endif
}
