/* SPDX-License-Identifier: PostgreSQL */
/*
 * question.h
 *	  The question that a block asks, as a digest: equal for two blocks if and only if they ask
 *	  the same.
 *
 * Two blocks ask the same if the same distribution is released of the same tables under
 * the same policy, in the same columns, those of aggregates in any order.  How the
 * question is written does not count: aliases, views and subqueries that are looked
 * through, the order of what inner joins, AND, OR and lists combine, and which side of
 * a comparison a value is on.  Calls such as now() count by the value of the largest
 * expression without a row that they stand in.  Settings count where something that is
 * left depends on them.
 *
 * A digest is the same after a dump and its restoring: no object has a number in it that is not
 * built in.
 */
#ifndef DP_KEPT_QUESTION_H
#define DP_KEPT_QUESTION_H

#include "postgres.h"

#include "budget/kept/kept_table.h"
#include "kept/spelling.h"
#include "pricing/release.h"

typedef struct DpQuestion
{
	uint8		digest[DP_QUESTION_BYTES];
	bool		lasts;			/* is it the same as long as nothing is altered, at any time? */
	List	   *relations;		/* names (char *, schema-qualified) of those read, in order, each
								 * once */
	List	   *columns;		/* of its answer, from 0, in an order that does not depend on how
								 * it was asked */
} DpQuestion;

/*
 * The question of a block with its exact query and the query that lists its keys, or NULL.
 * NULL if it has none, and its answer cannot be kept: something in it, or in its answer, has
 * no lasting name.
 */
extern DpQuestion *dp_kept_question(const DpBlock *block, const Query *exact, const Query *keys);

/* A copy, with its names, in the current memory context. */
extern DpQuestion *dp_kept_copy_question(const DpQuestion *question);

/* Append the names of the tables that were read and what is declared of them; returns the names. */
extern List *dp_kept_spell_relations(StringInfo text, const DpSpelling *spelling);

/* Append the settings that what is unsettled depends on. */
extern void dp_kept_spell_settings(StringInfo text);

/*
 * Append what else the values of a key's type depend on; false if they have no lasting form.
 */
extern bool dp_kept_spell_key_type(StringInfo text, Oid type);

/* In place of a mechanism: noise of it that totals of a row share, or of all groups, of which more follows. */
#define DP_KEPT_SHARED 0x100
#define DP_KEPT_ACROSS 0x200

/* Append what noise is drawn. */
extern void dp_kept_spell_noise(StringInfo text, const DpNoise *noise);

#endif							/* DP_KEPT_QUESTION_H */
