/*
 * call.h
 *	  Set-returning functions of ours in FROM, and the blocks they stand for.
 *
 * Each becomes a sub-query, written as text around a block over the relation it
 * names.  Its last two arguments are epsilon and filter, its first the relation.
 */
#ifndef DP_QUERY_CALL_H
#define DP_QUERY_CALL_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "query/block.h"
#include "query/reason.h"

#define DP_MAX_CALL_ARGUMENTS 8

/* A block of which something else is released than a count per group. */
typedef struct DpFormed
{
	DpForm		form;
	int			size;			/* as in DpBlock */
	int64		level;
	const char *label;			/* for people */
	Query	   *block;
} DpFormed;

/* One call, its arguments constant. */
typedef struct DpCall
{
	const char *name;
	Oid			funcid;
	int			nvalues;
	Const	   *value[DP_MAX_CALL_ARGUMENTS];
	Oid			relid;
	const char *relation;		/* qualified and quoted */
	const char *alias;			/* its own name, quoted */
	const char *epsilon;		/* a constant, as text */
	const char *filter;			/* NULL: none */
	DpFormed	formed;			/* set by those who write the text */
} DpCall;

/*
 * What writes the query a call stands for, or tells why not.  The filter may
 * stand in it between parentheses on lines of its own.
 */
typedef DpReason *(*DpCallWriter) (DpCall *call, char **text);

/* histogram.c */
extern DpReason *dp_query_write_histogram(DpCall *call, char **text);
extern DpReason *dp_query_write_cumulative(DpCall *call, char **text);

/* choose.c */
extern DpReason *dp_query_write_noisy_max(DpCall *call, char **text);
extern DpReason *dp_query_write_top(DpCall *call, char **text);
extern DpReason *dp_query_write_above_threshold(DpCall *call, char **text);

/* An argument that has a wrong value: SQLSTATE 22023. */
extern DpReason *dp_query_invalid_argument(const char *message);

/* The column a call names, quoted, with its table's alias. */
extern const char *dp_query_call_column(const DpCall *call, int argument);

/* The type of that column; InvalidOid if there is none. */
extern Oid	dp_query_call_column_type(const DpCall *call, int argument);

/* "dp_count(constant, epsilon)" with the extension's schema. */
extern const char *dp_query_call_count(const DpCall *call, const char *counted);

/* The schema of the function, quoted. */
extern const char *dp_query_call_schema(const DpCall *call);

/*
 * Raise what the parser has against a condition on a call's rows, shown by itself:
 * in the text of the whole query the analyst would not find it.
 */
extern void dp_query_check_condition(const DpCall *call, const char *condition);

/* "FROM relation AS alias WHERE (filter)" */
extern const char *dp_query_call_from(const DpCall *call);

/*
 * candidates.c: the constant array of candidates in value[2] for the column
 * that value[1] names: `keys`, distinct and of the column's type, to look for,
 * and `shown`, as they were given; both as SQL text.
 */
extern DpReason *dp_query_candidates(const DpCall *call, int *count, char **keys, char **shown);

#endif							/* DP_QUERY_CALL_H */
