/* SPDX-License-Identifier: PostgreSQL */
/*
 * spell.h
 *	  Expressions as texts that are equal if and only if the expressions mean the same, but
 *	  for how they are written.
 *
 * A text says where it ends, so that texts can stand one behind the other.  Each node begins
 * with a letter of its own.  What follows from the rest is left out: types of results, names
 * of columns, whether and how a cast was written.
 */
#ifndef DP_KEPT_SPELL_H
#define DP_KEPT_SPELL_H

#include "postgres.h"

#include "kept/spelling.h"

/* Append an expression; `level` NULL: it has no columns. */
extern void dp_kept_spell(DpSpelling *spelling, const DpLevel *level, StringInfo text, Node *node);

/* Append conditions that are joined by AND, or NULL. */
extern void dp_kept_spell_conditions(DpSpelling *spelling, const DpLevel *level, StringInfo text,
									 List *conditions);

#endif							/* DP_KEPT_SPELL_H */
