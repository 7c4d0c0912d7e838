/* SPDX-License-Identifier: PostgreSQL */
/*
 * spelling.c
 *	  What the texts of a question have in common; see spelling.h.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"

#include "kept/name.h"
#include "kept/spelling.h"

StringInfo
dp_kept_new_text(void)
{
	return makeStringInfo();
}

void
dp_kept_append_text(StringInfo text, const StringInfoData *other)
{
	appendBinaryStringInfo(text, other->data, other->len);
}

int
dp_kept_compare_texts(const StringInfoData *left, const StringInfoData *right)
{
	int			order = memcmp(left->data, right->data, Min(left->len, right->len));

	return order != 0 ? order : left->len - right->len;
}

static int
compare_cells(const ListCell *left, const ListCell *right)
{
	return dp_kept_compare_texts(lfirst(left), lfirst(right));
}

void
dp_kept_sort_texts(List *texts)
{
	list_sort(texts, compare_cells);
}

void
dp_kept_spell_set(StringInfo text, List *texts)
{
	int			at = text->len;
	int			count = 0;
	StringInfo	last = NULL;
	ListCell   *lc;

	dp_kept_sort_texts(texts);
	pq_sendint32(text, 0);
	foreach(lc, texts)
	{
		if (last && dp_kept_compare_texts(last, lfirst(lc)) == 0)
			continue;
		last = lfirst(lc);
		dp_kept_append_text(text, last);
		count++;
	}
	count = pg_hton32(count);
	memcpy(text->data + at, &count, sizeof(count));
}

void
dp_kept_spell_unknown(DpSpelling *spelling, const char *what, int which)
{
#ifdef USE_ASSERT_CHECKING
	elog(ERROR, "question has %s %d, which is not known", what, which);
#endif
	spelling->whole = false;
}

void
dp_kept_note(DpSpelling *spelling, bool named)
{
	spelling->whole &= named;
}

void
dp_kept_note_volatility(DpSpelling *spelling, char volatility)
{
	if (volatility == PROVOLATILE_VOLATILE)
		dp_kept_spell_unknown(spelling, "a function of volatility", volatility);
	spelling->unsettled |= volatility == PROVOLATILE_STABLE;
}

void
dp_kept_spell_clause(DpSpelling *spelling, StringInfo text, const SortGroupClause *clause)
{
	dp_kept_note(spelling, dp_kept_name_operator(text, clause->eqop));
	dp_kept_note(spelling, dp_kept_name_operator(text, clause->sortop));
	pq_sendbyte(text, clause->nulls_first);
}

bool
dp_kept_says_nothing(Node *node, BoolExprType kind)
{
	const Const *constant = (Const *) node;

	return node == NULL || (IsA(node, Const) && constant->consttype == BOOLOID && !constant->constisnull &&
							DatumGetBool(constant->constvalue) == (kind == AND_EXPR));
}
