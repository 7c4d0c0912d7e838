/* SPDX-License-Identifier: PostgreSQL */
/*
 * call_text.h
 *	  Calls of set-returning functions of ours in FROM, and the text of what they stand for.
 *
 * Each becomes a subquery, written as text around a block over the relation it
 * names.  Its last two arguments are epsilon and filter, its first the relation.
 *
 * In that text stands nothing that somebody else could give a meaning to: functions
 * and operators are named with schema pg_catalog, dp_agg or dp_agg_internal, dp_count as dp_agg_internal.counted,
 * constants and the caller's conditions are parameters ($1, $2, ...).
 */
#ifndef DP_ASKING_CALL_TEXT_H
#define DP_ASKING_CALL_TEXT_H

#include "postgres.h"

#include "pricing/forms.h"

#define DP_MAX_CALL_ARGUMENTS 8

/* One call, its arguments constant. */
typedef struct DpCall
{
	const char *name;
	Oid			funcid;
	int			nvalues;
	Const	   *value[DP_MAX_CALL_ARGUMENTS];
	const RangeTblFunction *item;	/* where it stands in FROM, with the list of columns behind AS */
	Oid			relid;
	const char *relation;		/* qualified and quoted */
	const char *alias;			/* its own name, quoted */
	const char *epsilon;		/* "$n" */
	const char *filter;			/* likewise; NULL: none */
	List	   *parts;			/* of Node: what $1, $2, ... stand for */
	List	   *conditions;		/* of Query: those that the caller's conditions are from */
	DpFormed	formed;			/* set by those who write the text */
} DpCall;

/* A function that writes the query for a call, or tells why it cannot. */
typedef DpReason *(*DpCallWriter) (DpCall *call, char **text);

/* The column a call names, quoted, with its table's alias. */
extern const char *dp_asking_call_column(const DpCall *call, int argument);

/* The type of that column, of a domain its base type; InvalidOid if there is none. */
extern Oid	dp_asking_call_column_type(const DpCall *call, int argument);

/* "dp_agg_internal.counted(value, epsilon)" */
extern const char *dp_asking_call_count(const DpCall *call, const char *counted);

/* A constant in the text. */
extern const char *dp_asking_call_constant(DpCall *call, const Const *constant);

/*
 * A condition of the caller's on the call's rows in the text, if it is one, else
 * NULL.  Raises what the parser has against it, shown by itself.
 */
extern const char *dp_asking_call_condition(DpCall *call, const char *condition);

/*
 * The same of a value of any type, which is set; a text that is no expression is an error, or NULL.
 */
extern const char *dp_asking_call_value(DpCall *call, const char *value, Oid *type);

/* "FROM relation AS alias WHERE (filter)" */
extern const char *dp_asking_call_from(const DpCall *call);

/* Hint where a relation has no column of this name: the one that may be meant, or how names are written. */
extern const char *dp_asking_missing_column_hint(Oid relid, const char *name);

/* Raise unless this entry of a range table is the relation that was named. */
extern void dp_asking_check_named_relation(const DpCall *call, const RangeTblEntry *rte);

/*
 * Arrays of conditions over the rows of a call's relation.
 */

/* Conditions as given, and as they stand in the text. */
typedef struct DpConditions
{
	int			count;
	Datum	   *given;			/* text */
	const char **condition;
} DpConditions;

/*
 * Read those of an argument, an array of 1 to `most` texts called `plural`, each one condition
 * that makes sense by itself.  Raises what the parser has against one.
 */
extern DpReason *dp_asking_call_conditions(DpCall *call, int argument, const char *singular,
										   const char *plural, int most, DpConditions *conditions);

/*
 * Read what is to be foretold, a text that is one condition on a row.  Raises what the parser has against it.
 */
extern DpReason *dp_asking_call_foretold(DpCall *call, int argument, const char **condition);

/* An array of the texts as given, whose first element has number 1, in the text. */
extern const char *dp_asking_call_given(DpCall *call, const DpConditions *conditions);

#endif							/* DP_ASKING_CALL_TEXT_H */
