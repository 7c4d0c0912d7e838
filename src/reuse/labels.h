/*
 * labels.h
 *	  What the owner of a table has declared of it, as a text.
 */
#ifndef DP_REUSE_LABELS_H
#define DP_REUSE_LABELS_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* Append the policy of a table; nothing of a public table's. */
extern void dp_query_name_labels(StringInfo text, Oid relation);

#endif							/* DP_REUSE_LABELS_H */
