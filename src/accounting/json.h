/* SPDX-License-Identifier: PostgreSQL */
/*
 * json.h
 *	  Reading JSON: what describes releases, as SQL functions take it and the ledger holds it, terms and checkpoints.
 *
 * For code of a server.  The caller decides what is an error: nothing is raised here.
 */
#ifndef DP_ACCOUNTING_JSON_H
#define DP_ACCOUNTING_JSON_H

#include "postgres.h"

#include "utils/jsonb.h"

/* Keys of a block, a release and a noise term of the ledger, of which NULL is the last. */
extern const char *const dp_accounting_block_keys[];
extern const char *const dp_accounting_release_keys[];
extern const char *const dp_accounting_noise_keys[];

/* The value of an object's key, or NULL. */
extern JsonbValue *dp_accounting_json_member(JsonbContainer *object, const char *name);

/* The first key of an object that is none of these, of which NULL is the last; NULL if there is none. */
extern char *dp_accounting_json_unknown(JsonbContainer *object, const char *const *known);

/* Is a value this string?  Not if it is NULL. */
extern bool dp_accounting_json_is(const JsonbValue *value, const char *string);

/* The double nearest to a number; infinite if that is too large. */
extern double dp_accounting_json_real(const JsonbValue *number);

/* Is a number a whole one from 1 up to `most`?  Then read it. */
extern bool dp_accounting_json_whole(const JsonbValue *number, uint64 most, uint64 *value);

/* The array, or else the object, that a value is; NULL if it is something else, or NULL. */
extern JsonbContainer *dp_accounting_json_container(const JsonbValue *value, bool array);

#endif							/* DP_ACCOUNTING_JSON_H */
