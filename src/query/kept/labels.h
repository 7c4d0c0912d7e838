/*
 * labels.h
 *	  What the owner of a table has declared of it, as a text.
 */
#ifndef DP_QUERY_KEPT_LABELS_H
#define DP_QUERY_KEPT_LABELS_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* Append the policy of a table; nothing of a public table's. */
extern void dp_query_name_labels(StringInfo text, Oid relation);

#endif							/* DP_QUERY_KEPT_LABELS_H */
