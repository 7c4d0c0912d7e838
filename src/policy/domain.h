/* SPDX-License-Identifier: PostgreSQL */
/*
 * domain.h
 *	  What the owner of a table declares of a column's values, for everybody to know:
 *	  kept as a security label of provider "dp_agg_domain" on the column.
 *
 * The label reads one of
 *
 *		lower="0" upper="120"
 *		keys={Aachen,Berlin,"Bad Homburg"}
 *		refers_to=public.clinics.id
 *		hidden
 *
 * Values are written as the column's type writes them under DateStyle ISO, in UTC, and
 * keys as an array of such.  What does not come out the same when it is read and written
 * again is malformed.  A column is referred to by name: a dump has no other word for it, and
 * neither order of restoring nor renaming may make a label malformed.  What is called so when a
 * query is planned lists the keys.
 *
 * A domain is a fact about what values mean, never read off the data: whoever reads the
 * catalogs sees it.  No guarantee rests on its being true; values beyond bounds count
 * as bounds, and rows of other keys are in no group.  A hidden column is one that no
 * exact query may mention.
 */
#ifndef DP_POLICY_DOMAIN_H
#define DP_POLICY_DOMAIN_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/pg_list.h"
#include "utils/array.h"

#define DP_DOMAIN_PROVIDER "dp_agg_domain"
#define DP_HIDDEN_LABEL "hidden"

/* Most keys a column may have: each of their groups is answered, however empty. */
#define DP_MAX_DOMAIN_KEYS 10000

typedef enum DpDomainKind
{
	DP_DOMAIN_NONE,
	DP_DOMAIN_RANGE,
	DP_DOMAIN_KEYS,
	DP_DOMAIN_REFERENCE,
	DP_DOMAIN_HIDDEN
} DpDomainKind;

typedef struct DpDomain
{
	DpDomainKind kind;
	Oid			type;			/* of the column, of a domain type its base; of keys of citext
								 * text */
	Datum		lower;			/* of a range: values of that type */
	Datum		upper;
	ArrayType  *keys;			/* of that type; all differ, none is null */
	bool		lowers;			/* of citext: are values compared with them in lower case, as
								 * texts? */
	const char *schema;			/* of a reference: of what table */
	const char *table;
	const char *column;			/* the values are keys */
} DpDomain;

/*
 * The domain of a column.  A label that does not fit the column, because that was altered
 * since, is an error (42P17).
 */
extern void dp_policy_domain_get(Oid relid, AttrNumber column, DpDomain *domain);

/* The same if it is a reference; false if it is none, whatever else it is.  Keys may be many: they are not read. */
extern bool dp_policy_domain_get_reference(Oid relid, AttrNumber column, DpDomain *domain);

/* May a range be declared of this type: a number, a date or a time? */
extern bool dp_policy_type_has_range(Oid type);

/* Or bounds alone, of which no range is made elsewhere: is it one of these, or an interval? */
extern bool dp_policy_type_has_bounds(Oid type);

/* And keys: a built-in type that can be sorted and hashed? */
extern bool dp_policy_type_has_keys(Oid type);

/* Have keys be in lower case, if they are compared so. */
extern void dp_policy_domain_lower(DpDomain *domain);

/*
 * A bound as a double: of dates in days since 2000, of timestamps and times of day in
 * microseconds (since 2000), and of intervals in microseconds, a month being 30 days.
 */
extern double dp_policy_domain_bound(Oid type, Datum value);

/* A value as the label has it: text under DateStyle ISO, in UTC. */
extern char *dp_policy_domain_text(Oid type, Datum value);

/* The label of a domain other than none. */
extern char *dp_policy_domain_label(const DpDomain *domain);

/* Read a label as one of a column of this type; false if it is malformed.  A value that is
 * none of the type raises the type's own error. */
extern bool dp_policy_domain_parse(const char *label, Oid type, DpDomain *domain);

/*
 * The values of an enum, which are public.
 */

/*
 * The labels of an enum in their order, as constants.  A plan made of them is made anew once
 * there are others: PostgreSQL itself keeps it, and rows of a label that the plan does not know
 * would be left out.
 */
extern List *dp_policy_enum_values(Oid type);

#endif							/* DP_POLICY_DOMAIN_H */
